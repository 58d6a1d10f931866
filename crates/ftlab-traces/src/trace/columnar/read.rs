//! A Parquet file as an input: only row groups that can hold requested rows are read.

use super::guard::{Pages, check_ends, decode};
use super::layout::{COLUMNS, MAGIC, NAME, SUMMARY_KEY, Summary};
use super::proof::Proof;
use super::rows::{Places, Rows, places, range};
use crate::error::Error;
use crate::request::{
    Attributes, BATCH, Input, MOST_VOLUMES, Measured, Op, Request, RequestSource,
};
use crate::trace::field::Mistake;
use crate::trace::gate::{Clock, Gate, RawRequest};
use crate::trace::stream::Broken;
use crate::trace::{TimeOrder, TraceOptions};
use crate::units::Nanos;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

const TIME: usize = 0;
const VOLUME: usize = 1;
const OP: usize = 4;

/// A trace in the columnar store.
pub(crate) struct Parquet {
    path: String,
    options: TraceOptions,
    metadata: Arc<ParquetMetaData>,
    places: Places,
    /// What the footer states about all requests; `None` if only some are requested.
    summary: Option<Summary>,
}

impl Parquet {
    /// Opens the file at `path` and reads its footer.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that is missing, unreadable or a pipe; [`Error::Trace`] for one that
    /// is not whole or lacks a column; [`Error::Config`] for the options.
    pub(crate) fn open(path: &str, options: &TraceOptions) -> Result<Self, Error> {
        options.check()?;
        let error = |broken| error_at(path, None, broken);
        let mut file = start(path).map_err(|cause| error(Broken::Io(cause)))?;
        check_ends(&mut file).map_err(error)?;
        let read = || ParquetMetaDataReader::new().parse_and_finish(&file);
        let metadata = Arc::new(decode(read).map_err(error)?);
        let places = places(metadata.file_metadata().schema_descr());
        let places = places.map_err(|mistake| error(Broken::Mistake(mistake)))?;
        let summary = summary(&metadata).filter(|_| options.takes_all());
        Ok(Self { path: path.to_owned(), options: options.clone(), metadata, places, summary })
    }

    /// Whether the file at `path` begins like a Parquet file; false if it cannot be read.
    pub(crate) fn recognise(path: &str) -> bool {
        let mut front = [0; 4];
        start(path).and_then(|mut file| file.read_exact(&mut front)).is_ok() && front == *MAGIC
    }
}

impl Parquet {
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Remarks on columns that are not read although their name is known.
    pub(super) fn remarks(&self) -> &[String] {
        &self.places.others
    }

    /// All rows, from the first one on.
    pub(super) fn rows(&self) -> Result<Rows, Error> {
        let broken = |error| error_at(&self.path, None, Broken::Io(error));
        let file = start(&self.path).map_err(broken)?;
        let size = file.metadata().map_err(broken)?.len();
        Ok(Rows::new(Pages { file, size }, Arc::clone(&self.metadata), self.places.clone()))
    }
}

impl Input for Parquet {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        let rows = self.rows()?;
        let TraceOptions { order, volume, .. } = self.options;
        let order = order.unwrap_or(TimeOrder::Error);
        Ok(Box::new(Source {
            path: self.path.clone(),
            rows,
            rows_in_all: self.metadata.file_metadata().num_rows().max(1) as f64,
            // A file converted without flushes has none.
            gate: Gate::new(order, volume, self.options.requests_before_window())
                .with_flushes(true),
            wanted: Wanted {
                places: self.places.clone(),
                options: self.options.clone(),
                first: None,
                ordered: order == TimeOrder::Error,
            },
            proof: self.summary.as_ref().map(Proof::new),
        }))
    }

    fn name(&self) -> String {
        let name = Path::new(&self.path).file_name();
        name.map_or_else(|| self.path.clone(), |name| name.to_string_lossy().into_owned())
    }

    fn format(&self) -> String {
        NAME.to_owned()
    }

    fn attributes(&self) -> Attributes {
        self.places.attributes.iter().map(|(attribute, _)| *attribute).collect()
    }

    fn measured(&self) -> Option<Measured> {
        self.summary.as_ref().map(|summary| summary.measured.clone())
    }
}

/// The file at `path`, if it is one. Opening a pipe would wait for its writer.
fn start(path: &str) -> io::Result<File> {
    let metadata = if path == "-" { None } else { Some(std::fs::metadata(path)?) };
    match metadata {
        Some(metadata) if metadata.is_file() => File::open(path),
        Some(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::other(
            "a Parquet file is read from its end, which a pipe does not allow; save it to a file",
        )),
    }
}

/// The error at `row` (of the whole file if `None`).
fn error_at(path: &str, row: Option<u64>, broken: Broken) -> Error {
    match broken {
        Broken::Io(source) => Error::Io { path: path.into(), source },
        Broken::Mistake(Mistake(message)) => Error::Trace { file: path.into(), line: row, message },
    }
}

/// What the footer states about all requests. Programs that cut or extend a file keep keys that
/// they do not know. A summary with another count is therefore ignored, and the file is measured
/// like any other.
fn summary(metadata: &ParquetMetaData) -> Option<Summary> {
    let file = metadata.file_metadata();
    let entry = file.key_value_metadata()?.iter().find(|entry| entry.key == SUMMARY_KEY)?;
    let summary: Summary = serde_json::from_str(entry.value.as_deref()?).ok()?;
    let Measured { requests, extents, .. } = &summary.measured;
    let rows = metadata
        .row_groups()
        .iter()
        .try_fold(0u64, |sum, group| sum.checked_add(u64::try_from(group.num_rows()).ok()?));
    let ordered = extents.is_sorted_by(|a, b| a.volume < b.volume);
    let sound = extents.iter().all(|e| e.first_byte < e.end_byte && e.end_byte <= 1 << 63);
    let believed = rows == Some(*requests) && ordered && sound && extents.len() <= MOST_VOLUMES;
    believed.then_some(summary)
}

/// Requests of the row groups that can hold requested rows.
struct Source {
    path: String,
    rows: Rows,
    rows_in_all: f64,
    gate: Gate,
    wanted: Wanted,
    proof: Option<Proof>,
}

/// The requested rows.
struct Wanted {
    places: Places,
    options: TraceOptions,
    /// Time of the first request that passed, from which `from` and `until` count.
    first: Option<Nanos>,
    /// Whether times must be in order. If times are mended, the statistics of a row group do not
    /// bound them.
    ordered: bool,
}

impl Wanted {
    /// Whether a row group can hold a requested row, by its statistics.
    fn has_some_in(&self, group: &RowGroupMetaData) -> bool {
        let range = |column: usize| range(group, self.places.columns[column]);
        if let (Some(volume), Some((lowest, highest))) = (self.options.volume, range(VOLUME))
            && !(lowest..=highest).contains(&i64::from(volume))
        {
            return false;
        }
        let (Some(first), Some((earliest, latest))) =
            (self.first.filter(|_| self.ordered), range(TIME))
        else {
            return true;
        };
        let since = |time: i64| u64::try_from(time).map_or(0, |time| time.saturating_sub(first));
        self.options.from.is_none_or(|from| since(latest) >= from.0)
            && self.options.until.is_none_or(|until| since(earliest) < until.0)
    }
}

impl Source {
    /// Appends the decoded rows that pass, up to `most` requests.
    fn admit(&mut self, batch: &mut Vec<Request>, most: usize) -> Result<(), Error> {
        for _ in 0..most {
            let Some(row) = self.rows.take() else { break };
            let raw = match believed(row).and_then(|raw| Ok(raw.with_meta(self.rows.meta()?))) {
                Ok(raw) => raw,
                Err(mistake) => return Err(self.mistake_here(mistake)),
            };
            match self.gate.admit(raw, Clock::NANOSECONDS, batch) {
                Ok(true) => _ = self.wanted.first.get_or_insert(raw.ticks),
                Ok(false) => {}
                Err(mistake) => return Err(self.mistake_here(mistake)),
            }
            if self.gate.closed() {
                break;
            }
        }
        Ok(())
    }

    /// The error, if any, after all rows have been read.
    fn check_end(&self) -> Result<(), Mistake> {
        self.gate.check_end(Mistake::no_request)?;
        self.proof.as_ref().map_or(Ok(()), Proof::check)
    }

    fn mistake(&self, mistake: Mistake) -> Error {
        error_at(&self.path, None, Broken::Mistake(mistake))
    }

    #[cold]
    fn mistake_here(&self, mistake: Mistake) -> Error {
        error_at(&self.path, Some(self.rows.number), Broken::Mistake(mistake))
    }
}

/// The request in a row, if its values are valid.
#[inline]
pub(super) fn believed(row: [i64; COLUMNS.len()]) -> Result<RawRequest, Mistake> {
    let [time, volume, offset, length, op] = row;
    let known = u8::try_from(op).ok().and_then(Op::of_code);
    let op = known.ok_or_else(|| unbelievable(OP, op))?;
    let Ok(volume) = u32::try_from(volume) else { return Err(unbelievable(VOLUME, volume)) };
    if time | offset | length < 0 {
        let column = row.iter().position(|value| *value < 0).unwrap_or(TIME);
        return Err(unbelievable(column, row[column]));
    }
    // None of them is negative.
    Ok(RawRequest::new(op, offset as u64, length as u64).at(time as u64).in_volume(volume))
}

#[cold]
fn unbelievable(column: usize, found: i64) -> Mistake {
    let (name, expected) = (COLUMNS[column].name, COLUMNS[column].expected);
    Mistake(format!("column {name}: found {found}, expected {expected}"))
}

impl RequestSource for Source {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let begin = batch.len();
        let mut ended = false;
        while batch.len() - begin < BATCH && !self.gate.closed() && !ended {
            if self.rows.decoded() > 0 {
                self.admit(batch, begin + BATCH - batch.len())?;
                continue;
            }
            let more = self.rows.decode(|group| self.wanted.has_some_in(group));
            if !more.map_err(|broken| error_at(&self.path, Some(self.rows.number + 1), broken))? {
                let drained = self.gate.drain(1, batch);
                ended = !drained.map_err(|mistake| self.mistake(mistake))?;
            }
        }
        if let Some(proof) = &mut self.proof {
            let proved = proof.add(&batch[begin..]);
            proved.map_err(|mistake| self.mistake(mistake))?;
        }
        if ended { self.check_end().map_err(|mistake| self.mistake(mistake)) } else { Ok(()) }
    }

    fn remarks(&self) -> Vec<String> {
        self.gate.remarks().into_iter().chain(self.wanted.places.others.clone()).collect()
    }

    fn progress(&self) -> Option<f64> {
        Some((self.rows.number as f64 / self.rows_in_all).min(1.0))
    }
}
