//! A log with a row for each request: when it arrived, began and ended, and what its time was spent on.
//!
//! ```text
//! simulation --batches of events--> bounded queue --> a thread that divides times and writes Parquet
//! ```
//!
//! The simulation notes times and how often the flash did what ([`Recorder`]). The thread of the log
//! divides times, for the result, too. Memory is that of the queue and of one row group.

mod recorder;
#[cfg(feature = "files")]
mod rows;
#[cfg(feature = "files")]
mod write;

pub use recorder::{Batch, Recorder, Spares};
#[cfg(feature = "files")]
pub use write::write;

/// Batches that wait for the writer.
pub const WAITING: usize = 16;
