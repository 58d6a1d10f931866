//! Block traces: readers, one file per format, with detection and transparent decompression.
//!
//! ```text
//! file or pipe -> decompress -> lines -> format -> gate -> requests
//!                 compress.rs   lines.rs  spc.rs,.. gate.rs
//! ```
//!
//! Everything streams in constant memory, works on bytes, and treats the content as hostile: the
//! first thing that cannot be believed ends the reading with one line that names the file, the
//! line, what was found and what was expected. A format knows its columns and nothing else; sizes,
//! addresses, time order and filters are checked once, in the gate.
//!
//! To add a format: a file that implements `LineFormat`, one line in [`FORMATS`], a section in
//! `docs/traces.md`.

pub mod characteristics;
mod compress;
mod digest;
mod disksim;
mod field;
mod file;
mod five;
mod flashsim;
mod format;
mod gate;
pub mod info;
mod lines;
mod mqsim;
mod msr;
mod pages;
mod skip;
mod spc;
mod ssdsim;
mod text;
pub(crate) mod volumes;

#[cfg(test)]
mod checks;

pub use characteristics::Characteristics;
pub use digest::Digest;
pub use field::{Column, Mistake, Separator};
pub use file::Trace;
pub use format::{FORMATS, Format};
pub use gate::SORT_WINDOW_REQUESTS;
pub use info::{TraceInfo, VolumeInfo};
pub use lines::{LONGEST_LINE_BYTES, SNIFFED_BYTES};
pub use skip::skip;

use crate::error::Error;
use crate::request::Input;
use serde::{Deserialize, Serialize};

/// What to take from a trace and how to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TraceOptions {
    /// The format's name; found from the content if absent.
    pub format: Option<String>,
    /// What to do when time goes back. Default: an error.
    pub order: TimeOrder,
    /// Only the requests of this volume.
    pub volume: Option<u32>,
    /// Only so many requests, the first ones that pass everything else.
    pub requests: Option<u64>,
}

/// What to do with a request that is earlier than the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeOrder {
    /// It is an error, which names the line.
    #[default]
    Error,
    /// Requests are sorted by time, stably, within [`SORT_WINDOW_REQUESTS`].
    Sort,
    /// Its time is raised to that of the request before it.
    Clamp,
}

/// Opens the trace at `path`: a file, plain or compressed, or `-` for standard input.
///
/// The format is found once, here; the input then opens as often as needed (a pipe: once).
///
/// # Errors
/// [`Error::Io`] for a file that is missing, a directory or unreadable; [`Error::Trace`] for
/// content that is no known format; [`Error::Unknown`] and [`Error::Config`] for the options.
pub fn open(path: &str, options: &TraceOptions) -> Result<Box<dyn Input>, Error> {
    Ok(Box::new(Trace::open(path, options)?))
}
