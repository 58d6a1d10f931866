//! What one light pass measures about a stream of requests.

use super::{BATCH, Digest, Op, Request, RequestSource, Volumes};
use crate::error::Error;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// The part of a volume that a trace uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// The volume's number.
    pub volume: u32,
    /// The first byte used.
    pub first_byte: u64,
    /// One past the last byte used.
    pub end_byte: u64,
}

/// What one light pass measures about a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Requests.
    pub requests: u64,
    /// Arrival of the last request, ns after the first.
    pub duration: Nanos,
    /// The used part of each volume, in ascending order of volumes.
    pub extents: Vec<Extent>,
    /// [`Digest`] of the requests, 16 hexadecimal digits.
    pub digest: String,
}

/// Reads `source` to its end and measures which bytes of which volume it uses. `watch` is called
/// after every batch with the requests so far and the source's progress; its error ends the pass.
///
/// # Errors
/// Those of the source and of `watch`; [`Error::Config`] for an absurd number of volumes.
pub fn extents(
    source: &mut dyn RequestSource,
    watch: &mut dyn FnMut(u64, Option<f64>) -> Result<(), Error>,
) -> Result<Measured, Error> {
    let mut measure = Measure::new();
    let mut batch: Vec<Request> = Vec::with_capacity(BATCH);
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            return Ok(measure.finish());
        }
        measure.add(&batch)?;
        watch(measure.requests, source.progress())?;
    }
}

/// Measures requests as they stream by.
pub(crate) struct Measure {
    pub(crate) requests: u64,
    duration: Nanos,
    volumes: Volumes<(u64, u64)>,
    digest: Digest,
}

impl Measure {
    pub(crate) fn new() -> Self {
        Self { requests: 0, duration: 0, volumes: Volumes::new(), digest: Digest::default() }
    }

    /// Takes the next requests into account. A function of its own: engines of WebAssembly optimise one that is called
    /// again, and not one that loops.
    #[inline(never)]
    pub(crate) fn add(&mut self, batch: &[Request]) -> Result<(), Error> {
        for request in batch {
            self.digest.add(request);
            if request.op == Op::Flush {
                continue;
            }
            let (first, end) = self.volumes.of(request.volume, || (u64::MAX, 0))?;
            *first = request.offset.min(*first);
            *end = request.end().max(*end);
        }
        self.requests += batch.len() as u64;
        self.duration = batch.last().map_or(self.duration, |last| last.time);
        Ok(())
    }

    pub(crate) fn finish(self) -> Measured {
        let Self { requests, duration, volumes, digest } = self;
        let sorted = volumes.sorted().into_iter();
        let extents =
            sorted.map(|(volume, (first_byte, end_byte))| Extent { volume, first_byte, end_byte });
        Measured { requests, duration, extents: extents.collect(), digest: digest.text() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(volume: u32, first_byte: u64, end_byte: u64) -> Extent {
        Extent { volume, first_byte, end_byte }
    }

    struct Once(Vec<Request>);

    impl RequestSource for Once {
        fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
            batch.append(&mut self.0);
            Ok(())
        }
    }

    #[test]
    fn a_flush_has_no_address() {
        let write = Request::new(Op::Write, 4096, 512).in_volume(5);
        let flush = Request { offset: 0, length: 0, op: Op::Flush, ..write };
        let found = extents(&mut Once(vec![write, flush]), &mut |_, _| Ok(())).unwrap();
        assert_eq!((found.requests, &found.extents[..]), (2, &[extent(5, 4096, 4608)][..]));
    }

    #[test]
    fn one_pass_measures_every_volume() {
        let at =
            |time, volume, offset| Request::new(Op::Read, offset, 512).at(time).in_volume(volume);
        let mut source = Once(vec![at(0, 5, 1024), at(3, 1, 0), at(7, 5, 0), at(9, 5, 4096)]);
        let measured = extents(&mut source, &mut |_, _| Ok(())).unwrap();
        assert_eq!((measured.requests, measured.duration), (4, 9));
        assert_eq!(measured.extents, [extent(1, 0, 512), extent(5, 0, 4608)]);
        let mut source = Once(vec![at(0, 0, 0)]);
        let stopped = extents(&mut source, &mut |_, _| Err(Error::Interrupted));
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
