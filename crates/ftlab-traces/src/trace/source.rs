//! What text and binary formats share: requests out of a decoder, through the gate, in batches.

use super::field::Mistake;
use super::gate::{self, Clock, Gate, RawRequest};
use super::merged::Merged;
use super::stream::Broken;
use super::unpacked;
use crate::error::Error;
use crate::request::{BATCH, Request, RequestSource};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether code is to be small rather than fast: in a browser, which downloads it.
pub(super) const IS_SMALL: bool = cfg!(target_arch = "wasm32");

/// What takes requests out of a stream, unchecked: from lines or from records.
pub(super) trait Decode: Send + 'static {
    /// Whether a file is one volume, so that several files are several.
    fn file_is_volume(&self) -> bool {
        false
    }

    /// The next request; `None` at the end.
    fn next(&mut self) -> Result<Option<RawRequest>, Broken>;

    /// The clock of [`RawRequest::ticks`] in the request decoded last.
    fn clock(&self) -> Clock;

    /// The number of the line or record decoded last, from 1.
    fn number(&self) -> u64;

    /// Adds to a mistake in the line or record decoded last how it was read.
    fn here(&self, mistake: Mistake) -> Mistake;

    /// Where the line or record decoded last is, of a stream that is at `whole`.
    fn place<'a>(&'a self, whole: &'a Place) -> &'a Place {
        whole
    }

    /// What times and addresses count.
    fn units(&self) -> Option<String> {
        None
    }

    /// The processor that recorded the request decoded last, where that is known.
    fn processor(&self) -> Option<u32> {
        None
    }

    /// What a user should know of what has been decoded.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// What is wrong when the stream has ended and held no request.
    fn without_requests(&self) -> Mistake {
        Mistake::no_request()
    }
}

/// A decoder of any format, where one loop for all of them is enough.
impl Decode for Box<dyn Decode> {
    fn file_is_volume(&self) -> bool {
        (**self).file_is_volume()
    }

    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        (**self).next()
    }

    fn clock(&self) -> Clock {
        (**self).clock()
    }

    fn number(&self) -> u64 {
        (**self).number()
    }

    fn here(&self, mistake: Mistake) -> Mistake {
        (**self).here(mistake)
    }

    fn place<'a>(&'a self, whole: &'a Place) -> &'a Place {
        (**self).place(whole)
    }

    fn units(&self) -> Option<String> {
        (**self).units()
    }

    fn processor(&self) -> Option<u32> {
        (**self).processor()
    }

    fn remarks(&self) -> Vec<String> {
        (**self).remarks()
    }

    fn without_requests(&self) -> Mistake {
        (**self).without_requests()
    }
}

/// Where a stream stands and what it is called.
#[derive(Default)]
pub(super) struct Place {
    /// As the user named it, or `standard input`.
    pub(super) file: String,
    /// Bytes of the file that have been read so far.
    pub(super) consumed: Arc<AtomicU64>,
    /// The file's size in bytes, if it is a file.
    pub(super) size: Option<u64>,
    /// The command that prints its plain bytes, if it is compressed or in an archive.
    pub(super) unpack: String,
}

impl Place {
    /// The place of a recording in several files.
    fn of_all<D>(path: &str, parts: &[(D, Place)]) -> Self {
        let size = parts.iter().map(|(_, place)| place.size).sum();
        let consumed = parts.first().map(|(_, place)| Arc::clone(&place.consumed));
        let unpack = parts.first().map(|(_, place)| place.unpack.clone()).unwrap_or_default();
        Self { file: path.to_owned(), consumed: consumed.unwrap_or_default(), size, unpack }
    }

    /// The error of `line`, or record (of the whole file if `None`).
    pub(super) fn error(&self, line: Option<u64>, Mistake(message): Mistake) -> Error {
        let is_plain = self.unpack.is_empty();
        let message = if is_plain { message } else { unpacked::told(&message, &self.unpack) };
        Error::Trace { file: self.file.clone(), line, message }
    }

    pub(super) fn broken(&self, line: u64, broken: Broken) -> Error {
        match broken {
            Broken::Io(source) => Error::Io { path: Path::new(&self.file).into(), source },
            Broken::Mistake(mistake) => self.error(Some(line.max(1)), mistake),
        }
    }
}

/// The requests of one stream, or of several that are parts of the recording `path`. The loop is compiled for each
/// format, in quick builds and those for browsers once.
pub(super) fn opened<D: Decode>(
    path: &str,
    parts: Vec<(D, Place)>,
    gate: Gate,
) -> Result<Box<dyn RequestSource>, Error> {
    #[cfg(any(debug_assertions, target_arch = "wasm32"))]
    let parts = {
        let of_any = |(decoder, place)| -> (Box<dyn Decode>, Place) { (Box::new(decoder), place) };
        parts.into_iter().map(of_any).collect()
    };
    joined(path, parts, gate)
}

fn joined<D: Decode>(
    path: &str,
    mut parts: Vec<(D, Place)>,
    gate: Gate,
) -> Result<Box<dyn RequestSource>, Error> {
    match (parts.pop(), parts.is_empty()) {
        (Some((decoder, place)), true) => Ok(Box::new(Source::new(decoder, gate, place))),
        (Some(last), false) => {
            parts.push(last);
            let place = Place::of_all(path, &parts);
            Ok(Box::new(Source::new(Merged::new(parts), gate, place)))
        }
        (None, _) => Err(Error::Internal("a recording without files".into())),
    }
}

/// Processors that a remark names.
const MOST_NAMED: usize = 4;

/// Requests from one stream.
pub(super) struct Source<D> {
    decoder: D,
    gate: Gate,
    place: Place,
    ended: bool,
    /// What is left of a trim that is too long for one request.
    rest: Option<RawRequest>,
    /// Requests with times out of order that have been left out, and those of each processor.
    misplaced: u64,
    processors: BTreeMap<u32, u64>,
}

impl<D: Decode> Source<D> {
    pub(super) fn new(decoder: D, gate: Gate, place: Place) -> Self {
        let (misplaced, processors) = (0, BTreeMap::new());
        Self { decoder, gate, place, ended: false, rest: None, misplaced, processors }
    }

    /// Appends the next request; false at the end.
    #[inline(always)]
    fn next(&mut self, batch: &mut Vec<Request>) -> Result<bool, Error> {
        while !self.ended {
            let admitted = match self.rest.take() {
                Some(rest) => self.admit_long(rest, batch)?,
                None => match self.decoder.next() {
                    Ok(Some(raw)) if raw.length <= u64::from(u32::MAX) => self.admit(raw, batch)?,
                    Ok(Some(raw)) => self.admit_long(raw, batch)?,
                    Ok(None) => break,
                    Err(broken) => return Err(self.broken(broken)),
                },
            };
            if admitted {
                return Ok(true);
            }
        }
        self.ended = true;
        let drained = self.gate.drain(self.decoder.clock().tick_ns, batch);
        drained.map_err(|mistake| self.place.error(None, mistake))
    }

    #[inline(always)]
    fn admit(&mut self, raw: RawRequest, batch: &mut Vec<Request>) -> Result<bool, Error> {
        match self.gate.admit(raw, self.decoder.clock(), batch) {
            Ok(true) => return Ok(true),
            Ok(false) if self.gate.misplaced() > self.misplaced => self.note_misplaced(),
            Ok(false) => {}
            Err(mistake) => return Err(self.mistake_here(mistake)),
        }
        Ok(false)
    }

    /// Admits a trim that is too long for one request piece by piece.
    #[cold]
    fn admit_long(&mut self, mut raw: RawRequest, batch: &mut Vec<Request>) -> Result<bool, Error> {
        if raw.length > u64::from(u32::MAX) {
            self.rest = gate::cut(&mut raw);
        }
        self.admit(raw, batch)
    }

    #[cold]
    fn note_misplaced(&mut self) {
        self.misplaced = self.gate.misplaced();
        if let Some(processor) = self.decoder.processor() {
            *self.processors.entry(processor).or_default() += 1;
        }
    }

    /// Whose stamps were out of order, where few processors have them all.
    fn misplaced_by(&self) -> Option<String> {
        let few = (1..=MOST_NAMED).contains(&self.processors.len());
        let of = |(processor, count): (&u32, &u64)| format!("{count} of processor {processor}");
        let list: Vec<String> = self.processors.iter().map(of).collect();
        few.then(|| format!("times out of order: {}", list.join(", ")))
    }

    #[cold]
    fn broken(&self, broken: Broken) -> Error {
        self.decoder.place(&self.place).broken(self.decoder.number(), broken)
    }

    #[cold]
    fn mistake_here(&self, mistake: Mistake) -> Error {
        let place = self.decoder.place(&self.place);
        place.error(Some(self.decoder.number()), self.decoder.here(mistake))
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
        let mut remarks = self.gate.remarks();
        remarks.extend(self.misplaced_by());
        remarks.extend(self.decoder.remarks());
        remarks
    }

    fn units(&self) -> Option<String> {
        self.decoder.units()
    }

    fn progress(&self) -> Option<f64> {
        let consumed = self.place.consumed.load(Ordering::Relaxed);
        self.place.size.map(|size| (consumed as f64 / size.max(1) as f64).min(1.0))
    }
}
