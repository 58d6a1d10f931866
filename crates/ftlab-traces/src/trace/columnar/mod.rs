//! The columnar store: a trace as a Parquet file, which pandas, polars and DuckDB can also open.
//!
//! ```text
//! requests -> write.rs -> | row group | row group | ... | footer |   131,072 requests a group
//!                           time_ns volume offset length op   the digest, the extents, and for
//!                                                             each group the range of its times
//! ```
//!
//! * `layout` defines the content of a file.
//! * `write` writes a file.
//! * `read` is the input that reads a file by way of `rows`. When a volume or a range of time is
//!   requested, it selects row groups by their statistics.
//! * `several` merges files.
//! * `guard` protects memory and prevents panics on hostile files.
//! * `proof` compares the requests with the footer.

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

/// Whether a file that begins with `front` belongs to the columnar store.
pub(super) fn is_parquet(front: &[u8]) -> bool {
    front.starts_with(layout::MAGIC)
}
