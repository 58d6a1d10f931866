//! Writes requests into a Parquet file, one row group after the other.

use super::layout::{GROUP_ROWS, SUMMARY_KEY, Summary, schema};
use crate::error::Error;
use crate::request::{Attribute, Attributes, Input, Measured, Request};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Rows of a page, which is decompressed as one and therefore fits the processor's cache.
const PAGE_ROWS: usize = 16_384;

/// Writes requests as they arrive, in the memory of one row group.
pub(crate) struct Writer<'a, W: Write + Send> {
    file: SerializedFileWriter<W>,
    path: &'a Path,
    /// Those that have a column.
    attributes: Attributes,
    rows: Vec<Request>,
}

impl<'a, W: Write + Send> Writer<'a, W> {
    /// A writer to `stream`, which errors call `path`. Requests have at most these attributes.
    ///
    /// # Errors
    /// [`Error::Io`] when nothing can be written.
    pub(crate) fn new(stream: W, path: &'a Path, attributes: Attributes) -> Result<Self, Error> {
        let schema = parse_message_type(&schema(attributes)).expect("the schema is valid");
        let file = SerializedFileWriter::new(stream, Arc::new(schema), Arc::new(properties()));
        let file = file.map_err(|error| failed(path, error))?;
        Ok(Self { file, path, attributes, rows: Vec::new() })
    }

    /// Takes the next requests.
    ///
    /// # Errors
    /// [`Error::Io`] when they cannot be written.
    pub(crate) fn push(&mut self, mut requests: &[Request]) -> Result<(), Error> {
        while !requests.is_empty() {
            let fits = requests.len().min(GROUP_ROWS - self.rows.len());
            self.rows.extend_from_slice(&requests[..fits]);
            requests = &requests[fits..];
            if self.rows.len() == GROUP_ROWS {
                self.write_group()?;
            }
        }
        Ok(())
    }

    /// Writes the remaining requests and the footer. The footer holds what was `measured` of all
    /// requests, with the first one at 0, and the name of the trace `input`.
    ///
    /// # Errors
    /// [`Error::Io`] when they cannot be written.
    pub(crate) fn finish(mut self, input: &dyn Input, measured: &Measured) -> Result<W, Error> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        let summary = Summary {
            ftlab: env!("CARGO_PKG_VERSION").into(),
            name: input.name(),
            format: input.format(),
            measured: measured.clone(),
        };
        let text = serde_json::to_string(&summary).expect("a summary serialises");
        self.file.append_key_value_metadata(KeyValue::new(SUMMARY_KEY.into(), text));
        self.file.into_inner().map_err(|error| failed(self.path, error))
    }

    fn write_group(&mut self) -> Result<(), Error> {
        let mut found = Attributes::set_in(&self.rows).iter();
        if let Some(undeclared) = found.find(|attribute| !self.attributes.has(*attribute)) {
            return Err(undeclared_in(self.path, undeclared));
        }
        let written = write_group(&mut self.file, &self.rows, self.attributes);
        self.rows.clear();
        written.map_err(|error| failed(self.path, error))
    }
}

fn write_group<W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    rows: &[Request],
    attributes: Attributes,
) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    // Gate and generators keep times, offsets and lengths below 2^63. The schema states which
    // columns are unsigned.
    column::<Int64Type, _>(&mut group, rows, |row| row.time as i64)?;
    column::<Int32Type, _>(&mut group, rows, |row| row.volume as i32)?;
    column::<Int64Type, _>(&mut group, rows, |row| row.offset as i64)?;
    column::<Int32Type, _>(&mut group, rows, |row| row.length as i32)?;
    column::<Int32Type, _>(&mut group, rows, |row| row.op.code().into())?;
    for attribute in attributes.iter() {
        column::<Int32Type, _>(&mut group, rows, |row| attribute.of(row.meta) as i32)?;
    }
    group.close().map(drop)
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Request],
    value: impl Fn(&Request) -> T::T,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("the schema has this column");
    let values: Vec<T::T> = rows.iter().map(value).collect();
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}

/// The encodings of columns: times as differences, offsets unchanged, the others, which repeat, by
/// dictionaries. The example `decode_speed` measures them.
fn properties() -> WriterProperties {
    let column = |name: &str| ColumnPath::from(name);
    WriterProperties::builder()
        .set_created_by(concat!("ftlab ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_column_dictionary_enabled(column("time_ns"), false)
        .set_column_encoding(column("time_ns"), Encoding::DELTA_BINARY_PACKED)
        .set_column_dictionary_enabled(column("offset"), false)
        .build()
}

/// The error of an input whose requests have attributes that it does not declare.
#[cold]
fn undeclared_in(path: &Path, attribute: Attribute) -> Error {
    let name = attribute.name();
    let message = format!(
        "found a request with the attribute {name}, which its source does not declare; \
         implement Input::attributes for it"
    );
    Error::Trace { file: path.to_string_lossy().into(), line: None, message }
}

/// The error of a file that cannot be written.
pub(super) fn failed(path: &Path, error: ParquetError) -> Error {
    let source = match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    };
    Error::Io { path: path.into(), source }
}
