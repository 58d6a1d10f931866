//! What text and binary formats share: requests out of a decoder, through the gate, in batches.

use super::field::Mistake;
use super::gate::{self, Clock, Gate, RawRequest};
use super::stream::Broken;
use crate::error::Error;
use crate::request::{BATCH, Request, RequestSource};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What takes requests out of a stream, unchecked: from lines or from records.
pub(super) trait Decode: Send + 'static {
    /// The next request; `None` at the end.
    fn next(&mut self) -> Result<Option<RawRequest>, Broken>;

    /// The clock of [`RawRequest::ticks`] in the request decoded last.
    fn clock(&self) -> Clock;

    /// The number of the line or record decoded last, from 1.
    fn number(&self) -> u64;

    /// Adds to a mistake in the line or record decoded last how it was read.
    fn here(&self, mistake: Mistake) -> Mistake;

    /// What times and addresses count.
    fn units(&self) -> Option<String> {
        None
    }

    /// What is wrong when the stream has ended and held no request.
    fn without_requests(&self) -> Mistake {
        Mistake("found no request, expected at least one".into())
    }
}

/// Where a stream stands and what it is called.
pub(super) struct Place {
    /// As the user named it, or `standard input`.
    pub(super) file: String,
    /// Bytes of the file that have been read so far.
    pub(super) consumed: Arc<AtomicU64>,
    /// The file's size in bytes, if it is a file.
    pub(super) size: Option<u64>,
}

impl Place {
    /// The error of `line`, or record (of the whole file if `None`).
    pub(super) fn error(&self, line: Option<u64>, Mistake(message): Mistake) -> Error {
        Error::Trace { file: self.file.clone(), line, message }
    }

    pub(super) fn broken(&self, line: u64, broken: Broken) -> Error {
        match broken {
            Broken::Io(source) => Error::Io { path: Path::new(&self.file).into(), source },
            Broken::Mistake(mistake) => self.error(Some(line.max(1)), mistake),
        }
    }
}

/// Requests from one stream.
pub(super) struct Source<D> {
    decoder: D,
    gate: Gate,
    place: Place,
    ended: bool,
    /// What is left of a trim that is too long for one request.
    rest: Option<RawRequest>,
}

impl<D: Decode> Source<D> {
    pub(super) fn new(decoder: D, gate: Gate, place: Place) -> Self {
        Self { decoder, gate, place, ended: false, rest: None }
    }

    /// Appends the next request; false at the end.
    #[inline(always)]
    fn next(&mut self, batch: &mut Vec<Request>) -> Result<bool, Error> {
        while !self.ended {
            let mut raw = match self.rest.take() {
                Some(rest) => rest,
                None => match self.decoder.next() {
                    Ok(Some(raw)) => raw,
                    Ok(None) => break,
                    Err(broken) => return Err(self.place.broken(self.decoder.number(), broken)),
                },
            };
            if let Some(rest) = gate::cut(&mut raw) {
                self.rest = Some(rest);
            }
            match self.gate.admit(raw, self.decoder.clock(), batch) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(mistake) => return Err(self.mistake_here(mistake)),
            }
        }
        self.ended = true;
        let drained = self.gate.drain(self.decoder.clock().tick_ns, batch);
        drained.map_err(|mistake| self.place.error(None, mistake))
    }

    #[cold]
    fn mistake_here(&self, mistake: Mistake) -> Error {
        self.place.error(Some(self.decoder.number()), self.decoder.here(mistake))
    }
}

impl<D: Decode> RequestSource for Source<D> {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        for _ in 0..BATCH {
            if self.gate.closed() {
                return Ok(());
            }
            if !self.next(batch)? {
                let ended = self.gate.check_end(|| self.decoder.without_requests());
                return ended.map_err(|mistake| self.place.error(None, mistake));
            }
        }
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        self.gate.remarks()
    }

    fn units(&self) -> Option<String> {
        self.decoder.units()
    }

    fn progress(&self) -> Option<f64> {
        let consumed = self.place.consumed.load(Ordering::Relaxed);
        self.place.size.map(|size| (consumed as f64 / size.max(1) as f64).min(1.0))
    }
}
