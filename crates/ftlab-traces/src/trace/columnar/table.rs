//! Tables of numbers and names as Parquet files, row group by row group: memory is that of one group.

use crate::error::Error;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{
    SerializedFileWriter, SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite,
};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnDescPtr;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// What a column holds; every row has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Whole,
    /// Numbers.
    Real,
    /// Names, of which there are few.
    Name,
}

/// The values of a column in some rows.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// Whole numbers.
    Whole(&'a [i64]),
    /// Numbers.
    Real(&'a [f64]),
    /// As many numbers that are 0.
    Zeros(usize),
    /// Names.
    Name(&'a [&'static str]),
}

/// Writes a table to a stream.
pub struct Table<W: Write + Send> {
    file: SerializedFileWriter<W>,
    path: PathBuf,
    /// Of each column, zeros that were written last.
    zeros: Vec<Option<Zeros>>,
}

/// Zeros of a column, encoded: they go into one group after another.
#[derive(Clone)]
struct Zeros {
    rows: usize,
    bytes: Bytes,
    about: ColumnCloseResult,
}

impl<W: Write + Send> Table<W> {
    /// A table with these columns, of whose file errors say `path`.
    ///
    /// # Errors
    /// [`Error::Io`] when nothing can be written.
    pub fn new(stream: W, path: PathBuf, columns: &[(String, Kind)]) -> Result<Self, Error> {
        let mut schema = String::from("message schema {\n");
        for (name, kind) in columns {
            let line = match kind {
                Kind::Whole => format!("required int64 {name};"),
                Kind::Real => format!("required double {name};"),
                Kind::Name => format!("required binary {name} (string);"),
            };
            let _ = writeln!(schema, "{line}");
        }
        schema.push('}');
        let schema = parse_message_type(&schema).expect("the schema is valid");
        let properties = Arc::new(properties(columns));
        let file = SerializedFileWriter::new(stream, Arc::new(schema), properties);
        let file = file.map_err(|error| super::write::failed(&path, error))?;
        Ok(Table { file, path, zeros: vec![None; columns.len()] })
    }

    /// Writes the next rows: the cells of each column in order, of each as many.
    ///
    /// # Errors
    /// [`Error::Io`] when they cannot be written.
    ///
    /// # Panics
    /// When cells are missing, or of another kind than their column.
    pub fn write(&mut self, columns: &[Cells<'_>]) -> Result<(), Error> {
        let written = write_group(&mut self.file, columns, &mut self.zeros);
        written.map_err(|error| super::write::failed(&self.path, error))
    }

    /// Writes the footer, with what the table says of itself, and returns the stream.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be written.
    pub fn finish(mut self, about: &[(&str, String)]) -> Result<W, Error> {
        for (key, value) in about {
            let value = KeyValue::new((*key).into(), value.clone());
            self.file.append_key_value_metadata(value);
        }
        self.file.into_inner().map_err(|error| super::write::failed(&self.path, error))
    }
}

/// How columns are encoded: names by dictionaries, whole numbers by differences, others as they are. Such a table
/// is written while its rows are made, so that encoding must not take longer than that.
fn properties(columns: &[(String, Kind)]) -> WriterProperties {
    let mut properties = plain_pages().set_compression(Compression::SNAPPY);
    for (name, kind) in columns {
        let path = || name.as_str().into();
        properties = match kind {
            Kind::Name => properties.set_column_dictionary_enabled(path(), true),
            // Differences are packed already: little is left to compress.
            Kind::Whole => properties
                .set_column_encoding(path(), Encoding::DELTA_BINARY_PACKED)
                .set_column_compression(path(), Compression::UNCOMPRESSED),
            Kind::Real => properties,
        };
    }
    properties.build()
}

/// Pages without statistics, an index and a dictionary.
fn plain_pages() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by(concat!("ftlab ", env!("CARGO_PKG_VERSION")).into())
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_dictionary_enabled(false)
}

fn write_group<W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    columns: &[Cells<'_>],
    zeros: &mut [Option<Zeros>],
) -> Result<(), ParquetError> {
    let described = file.schema_descr().columns().to_vec();
    let mut group = file.next_row_group()?;
    for ((cells, described), zeros) in columns.iter().zip(described).zip(zeros) {
        match *cells {
            Cells::Whole(values) => column::<Int64Type, _>(&mut group, values)?,
            Cells::Real(values) => column::<DoubleType, _>(&mut group, values)?,
            Cells::Zeros(rows) => {
                let before = zeros.take().filter(|zeros| zeros.rows == rows);
                let zeros = zeros.insert(match before {
                    Some(before) => before,
                    None => encoded_zeros(described, rows)?,
                });
                group.append_column(&zeros.bytes, zeros.about.clone())?;
            }
            Cells::Name(values) => {
                let values = values.iter().map(|value| Bytes::from_static(value.as_bytes()).into());
                column::<ByteArrayType, _>(&mut group, &values.collect::<Vec<ByteArray>>())?;
            }
        }
    }
    group.close().map(drop)
}

/// Zeros of a column of numbers: a dictionary of one, and how often.
fn encoded_zeros(column: ColumnDescPtr, rows: usize) -> Result<Zeros, ParquetError> {
    let mut bytes = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut bytes));
    let properties = Arc::new(plain_pages().set_dictionary_enabled(true).build());
    let mut writer =
        get_typed_column_writer::<DoubleType>(get_column_writer(column, properties, pages));
    writer.write_batch(&vec![0.0; rows], None, None)?;
    let about = writer.close()?;
    Ok(Zeros { rows, bytes: bytes.into_inner()?.into(), about })
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("the schema has this column");
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}
