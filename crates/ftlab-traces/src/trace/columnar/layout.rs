//! The content of a file of the columnar store.

use crate::request::{Attributes, Measured};
use crate::trace::field::Column;
use serde::{Deserialize, Serialize};

/// The name that `--format` and `--to` take.
pub const NAME: &str = "parquet";
/// One line for lists of formats.
pub const SUMMARY: &str = "the columnar store: Parquet, one row a request";
/// Where files of this format come from.
pub const SOURCE: &str = "`ftlab trace convert` and `ftlab trace split`; pandas, polars, DuckDB";

/// The columns. A file may also have those of [`Attribute`](crate::request::Attribute). Columns may
/// be in any order; all others are ignored.
pub const COLUMNS: &[Column] = &[
    Column::new("time_ns", "whole nanoseconds, in order"),
    Column::new("volume", "a whole number up to 2^32 - 1"),
    Column::new("offset", "a whole number of bytes"),
    Column::new("length", "a whole number of bytes"),
    Column::new("op", "0 read, 1 write, 2 trim, 3 flush, 4 write with FUA"),
];

/// The schema that is written. Times and offsets are signed so that differences may be negative. An
/// attribute has a column if requests may have it.
pub(super) fn schema(attributes: Attributes) -> String {
    let mut schema = String::from(
        "message trace {
            required int64 time_ns;
            required int32 volume (INTEGER(32, false));
            required int64 offset;
            required int32 length (INTEGER(32, false));
            required int32 op (INTEGER(8, false));",
    );
    for attribute in attributes.iter() {
        let bits = if attribute.most() > u64::from(u8::MAX) { 16 } else { 8 };
        let name = attribute.name();
        schema += &format!("required int32 {name} (INTEGER({bits}, false));");
    }
    schema + "}"
}

/// Requests of a full row group, about 2 MB: the unit of reading and skipping.
pub const GROUP_ROWS: usize = 131_072;

/// The first and the last bytes of every Parquet file.
pub(super) const MAGIC: &[u8; 4] = b"PAR1";

/// The key of the footer under which a [`Summary`] stands, as JSON.
pub(super) const SUMMARY_KEY: &str = "ftlab";

/// What the footer states about all requests, so that no pass is needed to measure them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Summary {
    /// Version of ftlab that wrote the file.
    pub(super) ftlab: String,
    /// Name of the trace that it was made from.
    pub(super) name: String,
    /// Format of that trace.
    pub(super) format: String,
    /// Count, duration, extents and digest of the requests, with the first one at 0.
    pub(super) measured: Measured,
}
