//! The rows of a Parquet file as numbers, in batches, from the row groups that are wanted.

use super::guard::{Checked, Pages, decode};
use super::layout::COLUMNS;
use crate::request::{Attribute, BATCH, Meta};
use crate::trace::field::Mistake;
use crate::trace::stream::Broken;
use parquet::basic::{ConvertedType, Type};
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{DataType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::file::statistics::Statistics;
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};
use std::sync::Arc;

/// Where columns stand in a file.
#[derive(Clone)]
pub(super) struct Places {
    /// Each of [`COLUMNS`].
    pub(super) columns: [usize; COLUMNS.len()],
    /// Those of attributes that there are.
    pub(super) attributes: Vec<(Attribute, usize)>,
    /// What is said of columns that have the name of an attribute and hold something else.
    pub(super) others: Vec<String>,
}

/// The places of the columns in a file of `schema`.
pub(super) fn places(schema: &SchemaDescriptor) -> std::result::Result<Places, Mistake> {
    let mut columns = [0; COLUMNS.len()];
    for (place, column) in columns.iter_mut().zip(COLUMNS) {
        *place = place_of(schema, column.name, column.expected)?.ok_or_else(|| {
            let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
            let (name, names) = (column.name, names.join(", "));
            Mistake(format!("found no column {name}, expected {names}"))
        })?;
    }
    let (mut attributes, mut others) = (Vec::new(), Vec::new());
    for &attribute in Attribute::ALL {
        match place_of(schema, attribute.name(), attribute.expected()) {
            Ok(place) => attributes.extend(place.map(|place| (attribute, place))),
            Err(Mistake(message)) => others.push(format!("{message}; it is not read")),
        }
    }
    Ok(Places { columns, attributes, others })
}

/// Where the column `name` stands, which holds whole numbers; `None` if there is none.
fn place_of(
    schema: &SchemaDescriptor,
    name: &str,
    expected: &str,
) -> std::result::Result<Option<usize>, Mistake> {
    let named = |found: &ColumnDescPtr| found.path().parts() == [name];
    let Some(at) = schema.columns().iter().position(named) else { return Ok(None) };
    let found = schema.column(at);
    let whole = matches!(found.physical_type(), Type::INT32 | Type::INT64);
    if !whole || found.max_rep_level() > 0 || found.max_def_level() > 1 {
        let found = found.physical_type();
        return Err(Mistake(format!("column {name}: found {found}, expected {expected}")));
    }
    Ok(Some(at))
}

/// The lowest and the highest value of a column in a row group, where its statistics tell.
pub(super) fn range(group: &RowGroupMetaData, place: usize) -> Option<(i64, i64)> {
    let column = group.columns().get(place)?;
    let sign = Sign::of(&column.column_descr_ptr());
    match column.statistics()? {
        // Old writers compared numbers without a sign as if they had one.
        old if old.is_min_max_deprecated() => None,
        Statistics::Int32(s) => Some((sign.widen(*s.min_opt()?), sign.widen(*s.max_opt()?))),
        Statistics::Int64(s) => Some((*s.min_opt()?, *s.max_opt()?)),
        _ => None,
    }
}

/// Decoded rows.
pub(super) struct Rows {
    file: Arc<Pages>,
    metadata: Arc<ParquetMetaData>,
    places: Places,
    /// The row group that comes next.
    next_group: usize,
    columns: Vec<Column>,
    /// The rows decoded last, column by column.
    values: [Vec<i64>; COLUMNS.len()],
    /// The attributes of these rows, column by column.
    attributes: Vec<Vec<i64>>,
    /// Rows of the present row group that have not been decoded yet.
    undecoded: usize,
    /// Which of them have not been taken yet.
    decoded: std::ops::Range<usize>,
    /// Rows taken or passed over, so the number of the row taken last.
    pub(super) number: u64,
}

impl Rows {
    pub(super) fn new(file: Pages, metadata: Arc<ParquetMetaData>, places: Places) -> Self {
        Self {
            file: Arc::new(file),
            metadata,
            attributes: vec![Vec::new(); places.attributes.len()],
            places,
            next_group: 0,
            columns: Vec::new(),
            values: Default::default(),
            undecoded: 0,
            decoded: 0..0,
            number: 0,
        }
    }

    /// Rows that can be taken.
    pub(super) fn decoded(&self) -> usize {
        self.decoded.len()
    }

    /// The next row in the order of [`COLUMNS`], if one has been decoded.
    #[inline]
    pub(super) fn take(&mut self) -> Option<[i64; COLUMNS.len()]> {
        let at = self.decoded.next()?;
        self.number += 1;
        Some(self.values.each_ref().map(|values| values[at]))
    }

    /// The attributes of the row that was taken last.
    #[inline]
    pub(super) fn meta(&self) -> std::result::Result<Meta, Mistake> {
        let mut meta = Meta::UNSET;
        for ((attribute, _), values) in self.places.attributes.iter().zip(&self.attributes) {
            let found = values[self.decoded.start - 1];
            let set = u64::try_from(found).ok().and_then(|value| attribute.set(meta, value));
            meta = set.ok_or_else(|| {
                let (name, expected) = (attribute.name(), attribute.expected());
                Mistake(format!("column {name}: found {found}, expected {expected}"))
            })?;
        }
        Ok(meta)
    }

    /// Decodes more rows, of row groups that are `wanted`; false when there are none.
    pub(super) fn decode(
        &mut self,
        wanted: impl Fn(&RowGroupMetaData) -> bool,
    ) -> std::result::Result<bool, Broken> {
        let metadata = Arc::clone(&self.metadata);
        while self.undecoded == 0 {
            let Some(group) = metadata.row_groups().get(self.next_group) else { return Ok(false) };
            self.next_group += 1;
            // A damaged footer may tell any count; the columns then end too early.
            let rows = usize::try_from(group.num_rows()).unwrap_or(0);
            if wanted(group) {
                self.columns = decode(|| self.open(group))?;
                self.undecoded = rows;
            } else {
                self.number += rows as u64;
            }
        }
        let rows = self.undecoded.min(BATCH);
        self.undecoded -= rows;
        let attributes = self.places.attributes.iter().map(|(attribute, _)| attribute.name());
        let required = COLUMNS.iter().map(|column| (column.name, Nulls::Refused));
        let all = required.chain(attributes.map(|name| (name, Nulls::Unset)));
        let values = self.values.iter_mut().chain(&mut self.attributes);
        for ((column, values), (name, nulls)) in self.columns.iter_mut().zip(values).zip(all) {
            decode(|| column.read(rows, values, nulls)).map_err(|broken| match broken {
                Broken::Mistake(Mistake(text)) => {
                    Broken::Mistake(Mistake(format!("column {name}: {text}")))
                }
                failed => failed,
            })?;
        }
        self.decoded = 0..rows;
        Ok(true)
    }

    fn open(&self, group: &RowGroupMetaData) -> Result<Vec<Column>> {
        let open = |place: usize| {
            let chunk = group.columns().get(place).ok_or_else(|| {
                ParquetError::General("found a row group with too few columns".into())
            })?;
            let rows = usize::try_from(group.num_rows())?;
            let pages = SerializedPageReader::new(Arc::clone(&self.file), chunk, rows, None)?;
            Column::new(chunk.column_descr_ptr(), Box::new(Checked(pages)))
        };
        let attributes = self.places.attributes.iter().map(|(_, place)| *place);
        self.places.columns.into_iter().chain(attributes).map(open).collect()
    }
}

/// One column of one row group.
struct Column {
    reader: Reader,
    /// 1 for each value that is not null, where nulls are allowed.
    levels: Vec<i16>,
}

enum Reader {
    Narrow(ColumnReaderImpl<Int32Type>, Vec<i32>, Sign),
    Wide(ColumnReaderImpl<Int64Type>),
}

impl Column {
    fn new(column: ColumnDescPtr, pages: Box<dyn PageReader>) -> Result<Self> {
        let reader = match column.physical_type() {
            Type::INT32 => {
                let sign = Sign::of(&column);
                Reader::Narrow(ColumnReaderImpl::new(column, pages), Vec::new(), sign)
            }
            Type::INT64 => Reader::Wide(ColumnReaderImpl::new(column, pages)),
            // Checked in `places`, but a row group may differ from the schema in a damaged file.
            other => return Err(ParquetError::General(format!("found a column of {other}"))),
        };
        Ok(Self { reader, levels: Vec::new() })
    }

    /// Replaces `values` by those of the next `rows` rows.
    fn read(&mut self, rows: usize, values: &mut Vec<i64>, nulls: Nulls) -> Result<()> {
        values.clear();
        self.levels.clear();
        match &mut self.reader {
            Reader::Wide(reader) => read(reader, rows, &mut self.levels, values, nulls),
            Reader::Narrow(reader, narrow, sign) => {
                narrow.clear();
                read(reader, rows, &mut self.levels, narrow, nulls)?;
                let sign = *sign;
                values.extend(narrow.iter().map(|&value| sign.widen(value)));
                Ok(())
            }
        }
    }
}

fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
    nulls: Nulls,
) -> Result<()> {
    let (found, present, _) = reader.read_records(rows, Some(levels), None, values)?;
    if found < rows {
        let missing = rows - found;
        return Err(ParquetError::EOF(format!("{missing} rows fewer than the footer says")));
    }
    if present == rows {
        return Ok(());
    }
    match nulls {
        Nulls::Refused => Err(ParquetError::General("found a row without a value".into())),
        Nulls::Unset => spread(values, levels),
    }
}

/// Moves the values, which stand without gaps, to the rows that have one; the others become 0.
fn spread<T: Default>(values: &mut Vec<T>, levels: &[i16]) -> Result<()> {
    let mut left = values.len();
    values.resize_with(levels.len(), T::default);
    for at in (0..levels.len()).rev().filter(|at| levels[*at] > 0) {
        let from = left.checked_sub(1).filter(|from| *from <= at);
        left = from.ok_or_else(|| ParquetError::General("found too few values".into()))?;
        values.swap(at, left);
    }
    Ok(())
}

/// What a row without a value means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// A mistake.
    Refused,
    /// 0: the attribute is unset.
    Unset,
}

/// Whether a number of 32 bits may be negative.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Signed,
    Unsigned,
}

impl Sign {
    fn of(column: &ColumnDescPtr) -> Self {
        let unsigned = column.converted_type() == ConvertedType::UINT_32;
        if unsigned { Self::Unsigned } else { Self::Signed }
    }

    #[inline]
    fn widen(self, value: i32) -> i64 {
        match self {
            Self::Signed => i64::from(value),
            Self::Unsigned => i64::from(value as u32),
        }
    }
}
