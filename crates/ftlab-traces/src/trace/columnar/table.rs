//! Tables of numbers and names as Parquet files, row group by row group: memory is that of one group.

use crate::error::Error;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
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
#[derive(Clone, Debug)]
pub enum Cells<'a> {
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Numbers.
    Real(Vec<f64>),
    /// Names.
    Name(Vec<&'a str>),
}

/// Writes a table to a stream.
pub struct Table<W: Write + Send> {
    file: SerializedFileWriter<W>,
    path: PathBuf,
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
        Ok(Table { file, path })
    }

    /// Writes the next rows: the cells of each column in order, of each as many.
    ///
    /// # Errors
    /// [`Error::Io`] when they cannot be written.
    ///
    /// # Panics
    /// When cells are missing, or of another kind than their column.
    pub fn write(&mut self, columns: &[Cells<'_>]) -> Result<(), Error> {
        let written = write_group(&mut self.file, columns);
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

/// How columns are encoded: names by dictionaries, numbers as they are. To look for repeated numbers takes longer
/// than to compress them.
fn properties(columns: &[(String, Kind)]) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("ftlab ", env!("CARGO_PKG_VERSION")).into())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_dictionary_enabled(false);
    for (name, _) in columns.iter().filter(|(_, kind)| *kind == Kind::Name) {
        properties = properties.set_column_dictionary_enabled(name.as_str().into(), true);
    }
    properties.build()
}

fn write_group<W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    columns: &[Cells<'_>],
) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    for cells in columns {
        match cells {
            Cells::Whole(values) => column::<Int64Type, _>(&mut group, values)?,
            Cells::Real(values) => column::<DoubleType, _>(&mut group, values)?,
            Cells::Name(values) => {
                let values: Vec<ByteArray> = values.iter().map(|value| (*value).into()).collect();
                column::<ByteArrayType, _>(&mut group, &values)?;
            }
        }
    }
    group.close().map(drop)
}

fn column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.expect("the schema has this column");
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}
