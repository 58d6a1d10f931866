//! Block traces: readers, one file per format, with detection and transparent decompression.
//!
//! ```text
//! file or pipe -> decompress, unpack -> stream -> lines or records -> format -> gate -> requests
//!                 compress.rs           stream.rs lines.rs record.rs  spc.rs,.. gate.rs
//!                 archive.rs
//! ```
//!
//! A recording in several files (`parts.rs`) has one stream per file, merged before the gate
//! (`merged.rs`).
//!
//! All reading streams in constant memory, works on bytes and treats the content as hostile. The
//! first invalid content ends the reading with one line: file, line, what was found and what was
//! expected. A format knows only its columns. Sizes, addresses, time order and filters are checked
//! once, in the gate.
//!
//! To add a format, write a file that implements `LineFormat` or `RecordFormat`, a line in
//! [`FORMATS`], a page in `docs/formats` and a row in `docs/traces.md`.

mod ahead;
mod alibaba;
mod apart;
mod arc;
mod archive;
mod biosnoop;
mod biotracer;
mod blkparse;
mod blktrace;
mod block;
mod called;
pub mod characteristics;
mod cloudphysics;
#[cfg(feature = "files")]
pub mod columnar;
mod columns;
mod compress;
mod config;
#[cfg(feature = "files")]
pub mod convert;
mod counted;
mod csv;
mod devices;
mod disksim;
mod doubt;
mod etw;
#[cfg(feature = "files")]
mod export;
mod field;
mod file;
mod fio;
mod fiu;
mod five;
mod flashsim;
mod format;
mod ftrace;
mod gate;
mod guess;
mod header;
mod heimdall;
mod held;
mod hint_by;
mod hp_csv;
pub mod info;
mod iotracer;
mod joined;
mod lines;
mod linux;
mod lost;
mod merged;
mod mqsim;
mod msr;
mod names;
mod number;
mod nvme_json;
mod oracle_general;
mod other;
mod pages;
mod parts;
mod plausible;
mod record;
mod rwbs;
mod scsi;
mod skip;
mod sorting;
mod source;
mod spc;
#[cfg(feature = "files")]
pub mod split;
mod srt;
mod ssdsim;
mod stream;
mod stripes;
mod suggest;
mod systor;
mod tectonic;
mod tencent;
mod text;
mod time;
mod unpacked;
mod updates;
mod vscsi;
mod vscsistats;
mod window;

#[cfg(test)]
mod checks;

pub use block::Stage;
pub use characteristics::Characteristics;
pub use columns::Columns;
pub use config::InputConfig;
pub use devices::measure_devices;
pub use field::{Column, Mistake, Separator};
pub use file::Trace;
#[doc(hidden)]
pub use file::read_stream;
pub use format::{FORMATS, Format};
pub use gate::SORT_WINDOW_REQUESTS;
pub use held::hold;
pub use hint_by::{HintBy, hinted};
pub use info::{HandleInfo, TraceInfo, VolumeInfo};
pub use lines::LONGEST_LINE_BYTES;
pub use parts::{Part, parts};
pub use skip::skip;
pub use stream::SNIFFED_BYTES;
pub use stripes::{MOST_DEVICES, Shard, Stripes, sharded};
pub use time::{Time, TimeUnit};
pub use updates::{Updates, updated};

use crate::error::Error;
use crate::request::{Attributes, Input, Op};
use crate::units::{Bytes, Duration};
use serde::{Deserialize, Serialize};

/// Which requests of a trace to take, and how to read it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TraceOptions {
    /// The format's name; found from the content if absent.
    pub format: Option<String>,
    /// How times that go back are treated; if absent, as [`Format::order`] states.
    pub order: Option<TimeOrder>,
    /// Only the requests of this volume.
    pub volume: Option<u32>,
    /// Only requests from this time on, counted from the first request (of the volume, if one is
    /// given). The first request that passes is then at 0.
    pub from: Option<Duration>,
    /// Only requests before this time, counted likewise.
    pub until: Option<Duration>,
    /// The most requests: the first ones that pass all other filters.
    pub requests: Option<u64>,
    /// The operation of all requests, if the format does not state it: `arc`, and `csv` without
    /// such a column.
    pub op: Option<Op>,
    /// Bytes of a page, if the format does not state it: `arc`.
    pub unit: Option<Bytes>,
    /// The unit of times, if the file does not use the format's own.
    pub time_unit: Option<TimeUnit>,
    /// Bytes per unit of an address, if the file does not use the format's own.
    pub offset_unit: Option<Bytes>,
    /// The stage at which a request is taken, if the trace records several: events of Linux' block
    /// layer.
    pub stage: Option<Stage>,
    /// The columns of a CSV file; the format is `csv` then.
    pub columns: Option<Columns>,
    /// Whether flushes are taken and FUA is kept on writes.
    pub flushes: bool,
}

impl TraceOptions {
    /// Rejects options that no trace can satisfy.
    fn check(&self) -> Result<(), Error> {
        if self.requests == Some(0) {
            return Err(Error::config("input.requests", "found 0, expected at least 1"));
        }
        if self.offset_unit == Some(Bytes(0)) {
            return Err(Error::config("input.offset_unit", "found 0, expected at least 1 byte"));
        }
        match (self.from, self.until) {
            (Some(from), Some(until)) if from >= until => {
                let (from, until) = (from.0, until.0);
                let message =
                    format!("found {until} ns, expected more than input.from = {from} ns");
                Err(Error::config("input.until", message))
            }
            _ => Ok(()),
        }
    }

    /// True when every request passes.
    fn takes_all(&self) -> bool {
        let Self { volume, from, until, requests, .. } = self;
        (volume, from, until, requests) == (&None, &None, &None, &None)
    }

    /// The attributes of requests, in addition to the fields of every request.
    fn attributes(&self) -> Attributes {
        let columns = self.columns.iter();
        columns.flat_map(|columns| &columns.attributes).map(|(attribute, _)| *attribute).collect()
    }

    /// The limit on requests before the range of time is applied: none if there is a range, which
    /// counts them after it.
    fn requests_before_window(&self) -> Option<u64> {
        self.requests.filter(|_| self.from.is_none() && self.until.is_none())
    }
}

crate::choices! {
    /// What to do with a request that is earlier than the one before it.
    pub enum TimeOrder {
        /// It is an error, which names the line.
        Error = "error",
        /// Requests are sorted by time, stably, within a window.
        Sort = "sort",
        /// Its time is raised to that of the request before it.
        Clamp = "clamp",
        /// Where the clock jumps, later times continue at the latest time before it; a smaller step
        /// is raised.
        Segments = "segments",
        /// It is left out, as is one more than a day behind the one before it.
        Drop = "drop",
    }
}

/// Opens the trace at `path`: a file, plain or compressed, or `-` for standard input.
///
/// The format is found once, here; the input then opens as often as needed (a pipe: once).
///
/// # Errors
/// [`Error::Io`] for a file that is missing, a directory or unreadable; [`Error::Trace`] for
/// content that is no known format; [`Error::Unknown`] and [`Error::Config`] for the options.
pub fn open(path: &str, options: &TraceOptions) -> Result<Box<dyn Input>, Error> {
    let files = parts(path)?;
    Ok(in_window(opened(path, files, options)?, options))
}

/// Only the requests of a range of time, if the options state one.
fn in_window(input: Box<dyn Input>, options: &TraceOptions) -> Box<dyn Input> {
    let TraceOptions { from, until, requests, .. } = *options;
    match (from, until) {
        (None, None) => input,
        _ => Box::new(window::Windowed { input, from, until, requests }),
    }
}

#[cfg(not(feature = "files"))]
fn opened(path: &str, files: Vec<Part>, options: &TraceOptions) -> Result<Box<dyn Input>, Error> {
    Ok(Box::new(Trace::of(path, files, options)?))
}

#[cfg(feature = "files")]
fn opened(path: &str, files: Vec<Part>, options: &TraceOptions) -> Result<Box<dyn Input>, Error> {
    let is_parquet =
        |part: &Part| part.member.is_none() && columnar::Parquet::recognise(&part.file);
    let columnar = match options.format.as_deref() {
        None => options.columns.is_none() && files.iter().all(is_parquet),
        Some(name) => name == columnar::NAME,
    };
    Ok(match (columnar, &files[..]) {
        (false, _) => Box::new(Trace::of(path, files, options)?),
        (true, [one]) => Box::new(columnar::Parquet::open(&one.to_string(), options)?),
        (true, several) => Box::new(columnar::Several::open(path, several, options)?),
    })
}
