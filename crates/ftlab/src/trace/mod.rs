//! Block traces: readers, one file per format, with detection and transparent decompression.
//!
//! ```text
//! file or pipe -> decompress -> stream -> lines or records -> format -> gate -> requests
//!                 compress.rs   stream.rs lines.rs record.rs  spc.rs,.. gate.rs
//! ```
//!
//! Everything streams in constant memory, works on bytes, and treats the content as hostile: the
//! first thing that cannot be believed ends the reading with one line that names the file, the
//! line, what was found and what was expected. A format knows its columns and nothing else; sizes,
//! addresses, time order and filters are checked once, in the gate.
//!
//! To add a format: a file that implements `LineFormat` or `RecordFormat`, one line in [`FORMATS`],
//! a page in `docs/formats` and a row in `docs/traces.md`.

mod alibaba;
mod arc;
mod biotracer;
mod blkparse;
mod cloudphysics;
mod columns;
mod compress;
mod csv;
mod digest;
mod disksim;
mod etw;
mod field;
mod file;
mod fio;
mod fiu;
mod five;
mod flashsim;
mod format;
mod gate;
mod heimdall;
mod hp_csv;
pub mod info;
mod lines;
mod linux;
mod mqsim;
mod msr;
mod pages;
mod record;
mod scsi;
mod source;
mod spc;
mod srt;
mod ssdsim;
mod stream;
mod systor;
mod tencent;
mod text;
pub(crate) mod volumes;
mod vscsi;

#[cfg(test)]
mod checks;

pub use columns::Columns;
pub use digest::Digest;
pub use field::{Column, Mistake, Separator};
pub use file::Trace;
#[doc(hidden)]
pub use file::read_stream;
pub use format::{FORMATS, Format};
pub use gate::SORT_WINDOW_REQUESTS;
pub use info::{TraceInfo, VolumeInfo};
pub use lines::LONGEST_LINE_BYTES;
pub use stream::SNIFFED_BYTES;

use crate::error::Error;
use crate::request::{Input, Op};
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// What to take from a trace and how to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TraceOptions {
    /// The format's name; found from the content if absent.
    pub format: Option<String>,
    /// What to do when time goes back; as the format says if absent ([`Format::order`]).
    pub order: Option<TimeOrder>,
    /// Only the requests of this volume.
    pub volume: Option<u32>,
    /// Only so many requests, the first ones that pass everything else.
    pub requests: Option<u64>,
    /// What the requests are, where the format does not say: `arc`, and `csv` without such a column.
    pub op: Option<Op>,
    /// Bytes of a page, where the format does not say: `arc`.
    pub unit: Option<Bytes>,
    /// The columns of a CSV file; the format is `csv` then.
    pub columns: Option<Columns>,
}

/// What to do with a request that is earlier than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeOrder {
    /// It is an error, which names the line.
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
