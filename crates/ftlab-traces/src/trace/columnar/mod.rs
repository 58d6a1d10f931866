//! The columnar store: a trace as a Parquet file, which pandas, polars and DuckDB open too.
//!
//! ```text
//! requests -> write.rs -> | row group | row group | ... | footer |   131,072 requests a group
//!                           time_ns volume offset length op   the digest, the extents, and for
//!                                                             each group the range of its times
//! ```
//!
//! `layout` says what a file holds, `write` makes one, `read` is the input that reads it back by way
//! of `rows`; `several` merges files; `guard` keeps hostile files from memory and panics, `proof` holds the requests against
//! what the footer tells of them. Statistics of the groups decide which are read when a volume or a
//! range of time is asked for.

mod guard;
mod layout;
mod proof;
mod read;
mod rows;
mod several;
pub mod table;
mod write;

pub use layout::{COLUMNS, GROUP_ROWS, NAME, SOURCE, SUMMARY};
pub(super) use read::Parquet;
pub(super) use several::Several;
pub(super) use write::Writer;

/// Whether a file that begins with `front` is of the columnar store.
pub(super) fn is_parquet(front: &[u8]) -> bool {
    front.starts_with(layout::MAGIC)
}
