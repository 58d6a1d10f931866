//! An input that is decoded once, for all passes and all runs over it.

use super::{Progress, Watch, open_input, sized_by, tick};
use crate::address::{Measured, extents};
use crate::clock::Instant;
use crate::config::Config;
use crate::error::Error;
use crate::request::{Input, Packed, Request, RequestSource, Wrapping, unpacked};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Bytes of requests that the readings of a process keep at most, about forty million requests, but
/// for devices of an array ([`open_devices`](super::open_devices)). If an input does not fit, none of
/// it is kept, and each pass decodes it.
pub const KEPT_BYTES: usize = 512 << 20;

/// Bytes of requests that can still be kept.
static ROOM: LazyLock<Arc<AtomicUsize>> = LazyLock::new(|| Arc::new(AtomicUsize::new(KEPT_BYTES)));

/// The input of any number of runs. The first one opens, measures and decodes it. The requests are
/// kept for all others.
#[derive(Default)]
pub struct Reading(Mutex<Option<Arc<Decoded>>>);

/// An input that has been measured.
pub(crate) struct Decoded {
    input: Box<dyn Input>,
    /// All requests, unless they are too many or can be read only once.
    kept: Option<Arc<Kept>>,
    /// The used bytes of each volume; `None` for a pipe.
    pub(crate) measured: Option<Measured>,
    /// The configuration that names the input.
    config: Config,
}

impl Reading {
    /// A reading of `input`, which takes the place of the one that `config` names.
    ///
    /// # Errors
    /// Those of the input.
    pub fn over(input: Box<dyn Input>, config: &Config) -> Result<Self, Error> {
        let decoded = Decoded::of(input, config, &mut |_| Ok(()))?;
        Ok(Reading(Mutex::new(Some(Arc::new(decoded)))))
    }

    /// Opens and measures the input that `config` names, so that no run has to wait for this.
    ///
    /// # Errors
    /// Those of the input and of `watch`; [`Error::Config`] when another input has been opened before.
    pub fn open(&self, config: &Config, watch: Watch<'_>) -> Result<(), Error> {
        self.of(config, watch).map(drop)
    }

    /// The input that `config` names.
    ///
    /// # Errors
    /// Those of [`open_input`], of the input and of `watch`; [`Error::Config`] when another input has been
    /// opened before.
    pub(crate) fn of(&self, config: &Config, watch: Watch<'_>) -> Result<Arc<Decoded>, Error> {
        // Others wait here while the first one decodes. If it fails, the next one tries.
        let mut opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decoded) = opened.as_ref() {
            check_same(config, &decoded.config, "a run", "the runs before it")?;
            return Ok(Arc::clone(decoded));
        }
        let decoded = Arc::new(Decoded::new(config, watch)?);
        Ok(Arc::clone(opened.insert(decoded)))
    }

    /// Takes the input of a device that a pass over several has read.
    pub(super) fn set(&self, decoded: Decoded) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(decoded));
    }

    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Decoded {
    fn new(config: &Config, watch: Watch<'_>) -> Result<Self, Error> {
        Self::of(open_input(config)?, config, watch)
    }

    fn of(input: Box<dyn Input>, config: &Config, watch: Watch<'_>) -> Result<Self, Error> {
        let mut decoded = Decoded { input, kept: None, measured: None, config: config.clone() };
        if !decoded.input.rereadable() {
            return Ok(decoded);
        }
        decoded.measured = decoded.input.measured();
        if decoded.measured.is_none() {
            let mut keeping = Keeping::new(decoded.input.open()?, &ROOM);
            let mut last = Instant::now();
            decoded.measured = Some(extents(&mut keeping, &mut |requests, fraction| {
                tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
            })?);
            decoded.kept = keeping.kept.map(Arc::new);
        }
        Ok(decoded)
    }

    /// An input whose requests another pass has measured, and kept if they fit.
    pub(super) fn known(
        input: Box<dyn Input>,
        config: Config,
        measured: Measured,
        kept: Option<Kept>,
    ) -> Self {
        Decoded { input, kept: kept.map(Arc::new), measured: Some(measured), config }
    }

    #[cfg(test)]
    pub(super) fn keeps(&self) -> bool {
        self.kept.is_some()
    }

    /// Requests of the input; `None` for a pipe.
    pub(super) fn requests(&self) -> Option<u64> {
        self.measured.as_ref().map(|measured| measured.requests)
    }
}

/// Rejects a configuration that names another input than the one that `first` names.
pub(super) fn check_same(
    config: &Config,
    first: &Config,
    who: &str,
    those: &str,
) -> Result<(), Error> {
    let same = [
        ("input", config.input == first.input),
        ("workload", config.workload == first.workload),
        ("run.seed", config.run.seed == first.run.seed),
        ("device.capacity", is_as_large(config, first)),
    ];
    let Some((key, _)) = same.into_iter().find(|(_, same)| !same) else { return Ok(()) };
    let message = format!(
        "found {who} with another {key} than {those}, expected the same: they share a reading of one input"
    );
    Err(Error::config(key, message))
}

/// Whether an input that has the size of the device has the same for both.
fn is_as_large(config: &Config, first: &Config) -> bool {
    config.device.capacity == first.device.capacity || sized_by(config) == sized_by(first)
}

impl Wrapping for Decoded {
    fn start(&self) -> Result<Box<dyn RequestSource>, Error> {
        let Some(kept) = &self.kept else { return self.input.open() };
        Ok(unpacked(Arc::clone(kept)))
    }

    fn inner(&self) -> &dyn Input {
        self.input.as_ref()
    }

    fn known(&self) -> Option<Measured> {
        self.measured.clone()
    }
}

/// Requests that occupy memory until they are dropped.
pub(super) struct Kept {
    requests: Packed,
    /// Bytes that they occupy.
    held: usize,
    room: Arc<AtomicUsize>,
}

impl Kept {
    /// Keeps nothing yet.
    pub(super) fn new(room: &Arc<AtomicUsize>) -> Self {
        Self { requests: Packed::default(), held: 0, room: Arc::clone(room) }
    }

    /// Keeps more, if there is room.
    pub(super) fn add(&mut self, more: &[Request]) -> bool {
        more.iter().for_each(|request| self.requests.push(request));
        let taken = self.requests.bytes() - self.held;
        let less = |room: usize| room.checked_sub(taken);
        let fits = self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        if fits {
            self.held += taken;
        }
        fits
    }
}

impl AsRef<Packed> for Kept {
    fn as_ref(&self) -> &Packed {
        &self.requests
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.room.fetch_add(self.held, Ordering::Relaxed);
    }
}

/// A source that keeps its requests as they are read, as long as all fit.
struct Keeping {
    source: Box<dyn RequestSource>,
    kept: Option<Kept>,
}

impl Keeping {
    fn new(source: Box<dyn RequestSource>, room: &Arc<AtomicUsize>) -> Self {
        Self { source, kept: Some(Kept::new(room)) }
    }
}

impl RequestSource for Keeping {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let before = batch.len();
        self.source.fill(batch)?;
        if self.kept.as_mut().is_some_and(|kept| !kept.add(&batch[before..])) {
            self.kept = None;
        }
        Ok(())
    }

    fn inner(&self) -> Option<&dyn RequestSource> {
        Some(self.source.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{BATCH, Op};

    const ROOM_OF_TEST: usize = 3 * BATCH * BYTES;

    /// Of each request: its widths, a byte of the time since the one before, two of its length.
    const BYTES: usize = 5;

    /// This number of requests.
    struct Many(usize);

    impl RequestSource for Many {
        fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
            let count = self.0.min(BATCH);
            let requests = (self.0 - count..self.0)
                .rev()
                .map(|left| Request::new(Op::Read, 0, 512).at(u64::MAX - left as u64));
            batch.extend(requests);
            self.0 -= count;
            Ok(())
        }
    }

    fn kept(requests: usize, room: &Arc<AtomicUsize>) -> Option<Kept> {
        let mut keeping = Keeping::new(Box::new(Many(requests)), room);
        let mut batch = Vec::new();
        loop {
            batch.clear();
            keeping.fill(&mut batch).expect("requests");
            if batch.is_empty() {
                return keeping.kept;
            }
        }
    }

    #[test]
    fn all_requests_are_kept_or_none() {
        // The time of the first takes eight bytes.
        const ALL: usize = ROOM_OF_TEST + 7;
        let room = Arc::new(AtomicUsize::new(ALL));
        let most = 3 * BATCH;
        for (requests, expected) in [(10_000, true), (most, true), (most + 1, false)] {
            let kept = kept(requests, &room);
            let bytes = BYTES * requests + 7;
            assert_eq!(kept.map(|kept| kept.requests.bytes()), expected.then_some(bytes));
            assert_eq!(room.load(Ordering::Relaxed), ALL, "room is given back");
        }
    }

    #[test]
    fn what_one_reading_keeps_another_cannot() {
        let room = Arc::new(AtomicUsize::new(ROOM_OF_TEST));
        let first = kept(2 * BATCH, &room).expect("room");
        assert!(kept(2 * BATCH, &room).is_none());
        drop(first);
        assert!(kept(2 * BATCH, &room).is_some());
    }
}
