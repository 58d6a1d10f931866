//! A host request, where requests come from, and what one pass over them measures.

mod attribute;
mod digest;
mod measure;
mod meta;
mod packed;
mod volumes;
mod wrapping;

pub use attribute::{Attribute, Attributes};
pub use digest::Digest;
pub(crate) use measure::Measure;
pub use measure::{Extent, Measured, extents};
pub use meta::{Flags, Lifetime, Meta};
pub use packed::{Packed, unpacked};
pub(crate) use volumes::{MOST_VOLUMES, Volumes};
pub use wrapping::Wrapping;

use crate::error::Error;
use crate::units::Nanos;
use std::ops::Range;
use std::sync::Arc;

/// Requests handed on at a time; a batch is what travels between threads.
pub const BATCH: usize = 4096;

/// The longest read or write that is believed: 1 GiB. Anything longer is a mistake in the trace.
pub const LONGEST_REQUEST_BYTES: u64 = 1 << 30;

crate::choices! {
    /// What a request does.
    #[derive(PartialOrd, Ord)]
    pub enum Op {
        /// Read the newest version of the pages touched.
        Read = "read",
        /// Write a new version of every page touched.
        Write = "write",
        /// Forget the pages that lie wholly inside the request.
        Trim = "trim",
        /// Make durable what was acknowledged: it has no address.
        Flush = "flush",
        /// Write, and make durable what is written (FUA).
        WriteThrough = "fua",
    }
}

impl Op {
    /// The number that stands for it in digests, in files of columns and on disk: it may not change.
    #[inline]
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What a number stands for.
    #[inline]
    #[must_use]
    pub fn of_code(code: u8) -> Option<Op> {
        Op::ALL.get(usize::from(code)).copied()
    }

    /// The pages of 2^`shift` bytes that are accessed, ascending: those that the bytes from `offset` up
    /// to `end` touch, of a trim those that they cover.
    #[inline]
    #[must_use]
    pub const fn pages(self, offset: u64, end: u64, shift: u32) -> Range<u64> {
        match self {
            Op::Trim => (offset + (1 << shift) - 1) >> shift..end >> shift,
            Op::Read | Op::Write | Op::WriteThrough => offset >> shift..((end - 1) >> shift) + 1,
            Op::Flush => 0..0,
        }
    }

    /// Whether it writes data.
    #[inline]
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Op::Write | Op::WriteThrough)
    }

    /// Whether it reads or writes data.
    #[inline]
    #[must_use]
    pub const fn has_data(self) -> bool {
        matches!(self, Op::Read | Op::Write | Op::WriteThrough)
    }
}

/// One request of a block trace or of a generated workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Arrival, nanoseconds after the first request of the stream.
    pub time: Nanos,
    /// First byte, within the volume; 0 of a flush.
    pub offset: u64,
    /// Length in bytes, from 1; at most [`LONGEST_REQUEST_BYTES`] unless it is a trim; 0 of a flush.
    pub length: u32,
    /// Volume, disk or application storage unit.
    pub volume: u32,
    /// What it does.
    pub op: Op,
    /// What else the host says of it.
    pub meta: Meta,
}

impl Request {
    /// A request at time 0, in volume 0, without attributes.
    #[inline]
    #[must_use]
    pub const fn new(op: Op, offset: u64, length: u32) -> Self {
        Self { time: 0, offset, length, volume: 0, op, meta: Meta::UNSET }
    }

    /// A flush, which has no address.
    #[inline]
    #[must_use]
    pub const fn flush() -> Self {
        Self::new(Op::Flush, 0, 0)
    }

    /// The same at another time, ns.
    #[inline]
    #[must_use]
    pub const fn at(self, time: Nanos) -> Self {
        Self { time, ..self }
    }

    /// The same in another volume.
    #[inline]
    #[must_use]
    pub const fn in_volume(self, volume: u32) -> Self {
        Self { volume, ..self }
    }

    /// The same with these attributes.
    #[inline]
    #[must_use]
    pub const fn with_meta(self, meta: Meta) -> Self {
        Self { meta, ..self }
    }

    /// One past the last byte. Readers guarantee that this does not overflow.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.offset + self.length as u64
    }
}

/// A stream of requests in time order, read once from front to back in constant memory.
pub trait RequestSource: Send {
    /// Appends up to [`BATCH`] requests to `batch`. Appending nothing means the stream has ended.
    ///
    /// # Errors
    /// [`Error::Trace`] names the file and the line of a request that cannot be believed.
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error>;

    /// All requests that are left.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    fn rest(&mut self) -> Result<Vec<Request>, Error> {
        let mut requests = Vec::new();
        loop {
            let before = requests.len();
            self.fill(&mut requests)?;
            debug_assert!(requests.len() - before <= BATCH, "more than a batch at once");
            if requests.len() == before {
                return Ok(requests);
            }
        }
    }

    /// The source that this one takes its requests from, which answers what this one does not.
    fn inner(&self) -> Option<&dyn RequestSource> {
        None
    }

    /// What a user should know of what has been read, such as requests that were left out.
    fn remarks(&self) -> Vec<String> {
        self.inner().map_or_else(Vec::new, |inner| inner.remarks())
    }

    /// What times and addresses count, once some have been read from a file that means something.
    fn units(&self) -> Option<String> {
        self.inner()?.units()
    }

    /// How far the stream has been read, from 0 to 1, where that can be known.
    fn progress(&self) -> Option<f64> {
        self.inner()?.progress()
    }
}

/// Something that can be read several times: a trace file or a seeded generator.
///
/// A run reads its input once to measure it (unless everything is known), once per warm-up replay
/// and once for the measured phase.
pub trait Input: Send + Sync {
    /// Starts a new pass over all requests.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Trace`] when the input cannot be opened or recognised.
    fn open(&self) -> Result<Box<dyn RequestSource>, Error>;

    /// A short name for reports: the file's name, or the workload's.
    fn name(&self) -> String;

    /// The format's registered name, for reports (`spc`, `msr`, ..., `generated`).
    fn format(&self) -> String;

    /// The whole address space that requests are drawn from, in bytes, where that is more than what
    /// they happen to touch.
    fn address_space_bytes(&self) -> Option<u64> {
        None
    }

    /// The attributes that requests may have; those of other attributes are unset.
    fn attributes(&self) -> Attributes {
        Attributes::default()
    }

    /// What a pass over all requests would measure, where the input knows it beforehand.
    fn measured(&self) -> Option<Measured> {
        None
    }

    /// False for a pipe, which can be read only once.
    fn rereadable(&self) -> bool {
        true
    }
}

/// Requests that are there already, in time order.
impl Input for Arc<[Request]> {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(in_memory(Arc::clone(self)))
    }

    fn name(&self) -> String {
        "requests".into()
    }

    fn format(&self) -> String {
        "memory".into()
    }

    fn attributes(&self) -> Attributes {
        Attributes::set_in(self)
    }
}

/// A pass over requests that are there already.
pub fn in_memory<Requests>(requests: Arc<Requests>) -> Box<dyn RequestSource>
where
    Requests: AsRef<[Request]> + Send + Sync + ?Sized + 'static,
{
    Box::new(InMemory { requests, next: 0 })
}

struct InMemory<Requests: ?Sized> {
    next: usize,
    requests: Arc<Requests>,
}

impl<Requests: AsRef<[Request]> + Send + Sync + ?Sized> RequestSource for InMemory<Requests> {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let rest = &self.requests.as_ref().as_ref()[self.next..];
        let next = &rest[..rest.len().min(BATCH)];
        batch.extend_from_slice(next);
        self.next += next.len();
        Ok(())
    }

    fn progress(&self) -> Option<f64> {
        let all = self.requests.as_ref().as_ref().len();
        Some(self.next as f64 / all.max(1) as f64)
    }
}
