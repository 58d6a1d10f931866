//! The record loop that every binary format shares.

use super::field::{Column, Mistake};
use super::gate::{Clock, RawRequest};
use super::source::Decode;
use super::stream::{Broken, Front, Stream};
use super::text::Verdict;
use super::{TimeOrder, TraceOptions};

/// The longest record or header that a format may ask for, in bytes.
pub(super) const LONGEST_RECORD_BYTES: usize = 64 << 10;

/// A binary format of one request per record. The record loop and the checks are elsewhere.
pub(super) trait RecordFormat: Clone + Default + Send + 'static {
    /// The name that `--format` takes.
    const NAME: &'static str;
    /// One line for lists of formats.
    const SUMMARY: &'static str;
    /// The fields that are read, in order.
    const COLUMNS: &'static [Column];
    /// Where traces of this format come from.
    const SOURCE: &'static str;
    /// Nanoseconds per tick of [`RawRequest::ticks`].
    const TICK_NS: u64;

    /// Whether a file is one volume, so that several files are several volumes.
    const FILE_IS_VOLUME: bool = false;

    /// How times that go back are treated, unless the user states it.
    const ORDER: TimeOrder = TimeOrder::Error;

    /// The options of [`TraceOptions`] that supply what the format does not state, by name.
    const TAKES: &'static [&'static str] = &[];

    /// The format at the first record, with the options that supply what it does not state.
    fn with(_options: &TraceOptions) -> Result<Self, Mistake> {
        Ok(Self::default())
    }

    /// The processor that recorded the last record, if known.
    fn processor(&self) -> Option<u32> {
        None
    }

    /// Remarks for the user on the records so far.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The error when all records have been read and none was a request.
    fn without_requests(&self) -> Mistake {
        Mistake::no_request()
    }

    /// Parses the beginning of `bytes`. It is called again with more bytes after [`Step::Needs`]. A
    /// request is written to `raw`: in a result the compiler moves it in pieces, which takes as long
    /// as to read it.
    fn step(&mut self, bytes: &[u8], raw: &mut RawRequest) -> Result<Step, Mistake>;

    /// Whether a file that begins with `front` has this format.
    fn recognise(front: Front) -> Verdict;
}

/// The beginning of the bytes of a binary trace.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// This many bytes are needed to decide: more than there were, and at most
    /// [`LONGEST_RECORD_BYTES`].
    Needs(usize),
    /// A header of this many bytes.
    Header(usize),
    /// A record of this many bytes with a request.
    Request(usize),
    /// A record of this many bytes without one.
    Other(usize),
}

/// Requests, unchecked, from the records of one stream.
pub(super) struct RecordDecoder<F> {
    format: F,
    stream: Stream,
    /// Records that have begun.
    number: u64,
    /// Where the latest record or header begins, in decompressed bytes.
    begins: u64,
    /// Where the next one begins.
    ends: u64,
}

impl<F: RecordFormat> RecordDecoder<F> {
    pub(super) fn new(format: F, stream: Stream) -> Self {
        Self { format, stream, number: 0, begins: 0, ends: 0 }
    }

    #[inline(always)]
    fn take(&mut self, bytes: usize) {
        self.stream.take(bytes);
        self.ends += bytes as u64;
    }

    fn broken(&mut self, mistake: Mistake) -> Broken {
        self.number += 1;
        Broken::Mistake(self.here(mistake))
    }

    /// Reads until `needed` bytes are pending, and returns how many are; 0 when the stream has ended
    /// before any came.
    fn fetch(&mut self, needed: usize) -> Result<usize, Broken> {
        debug_assert!(needed <= LONGEST_RECORD_BYTES && needed > self.stream.pending().len());
        match self.stream.fetch(needed)?.len() {
            0 => Ok(0),
            found if found < needed => Err(self.broken(Mistake(format!(
                "the file ends after {found} bytes of it, expected more; copy the file again"
            )))),
            found => Ok(found),
        }
    }
}

impl<F: RecordFormat> Decode for RecordDecoder<F> {
    fn file_is_volume(&self) -> bool {
        F::FILE_IS_VOLUME
    }

    #[inline(always)]
    fn next(&mut self) -> Result<Option<RawRequest>, Broken> {
        let mut raw = RawRequest::flush();
        loop {
            self.begins = self.ends;
            match self.format.step(self.stream.pending(), &mut raw) {
                Ok(Step::Needs(needed)) => {
                    if self.fetch(needed)? == 0 {
                        return Ok(None);
                    }
                }
                Ok(Step::Header(bytes)) => self.take(bytes),
                Ok(Step::Other(bytes)) => {
                    self.number += 1;
                    self.take(bytes);
                }
                Ok(Step::Request(bytes)) => {
                    self.number += 1;
                    self.take(bytes);
                    return Ok(Some(raw));
                }
                Err(mistake) => return Err(self.broken(mistake)),
            }
        }
    }

    #[inline]
    fn clock(&self) -> Clock {
        Clock { tick_ns: F::TICK_NS, setting: 0 }
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn processor(&self) -> Option<u32> {
        self.format.processor()
    }

    fn remarks(&self) -> Vec<String> {
        self.format.remarks()
    }

    fn without_requests(&self) -> Mistake {
        self.format.without_requests()
    }

    #[cold]
    fn here(&self, Mistake(message): Mistake) -> Mistake {
        let name = F::NAME;
        Mistake(format!("record at byte {}: {message} (read as {name})", self.begins))
    }
}

/// The `N` bytes of a record from byte `at`, which it must have.
#[inline]
pub(super) fn field<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&record[at..at + N]);
    field
}
