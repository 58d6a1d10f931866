//! An input that is decoded once, for all passes and all runs over it.

use super::{Progress, Watch, open_input, tick};
use crate::address::{Measured, extents};
use crate::config::Config;
use crate::error::Error;
use crate::request::{Input, Request, RequestSource};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Requests that are kept at most: 512 MiB of them. Of a longer input none is, and each pass decodes it.
pub const KEPT_REQUESTS: usize = (512 << 20) / size_of::<Request>();

/// The input of any number of runs. The first one opens and measures it, and what it decodes is kept for
/// all others.
#[derive(Default)]
pub struct Reading(Mutex<Option<Arc<Decoded>>>);

/// An input that has been measured.
pub(super) struct Decoded {
    input: Box<dyn Input>,
    /// All requests, unless they are too many or can be read only once.
    kept: Option<Arc<[Request]>>,
    /// Which bytes of which volume are used; `None` for a pipe.
    pub(super) measured: Option<Measured>,
    /// The configuration that names the input.
    config: Config,
}

impl Reading {
    /// The input that `config` names.
    ///
    /// # Errors
    /// Those of [`open_input`], of the input and of `watch`; [`Error::Config`] when another input has been
    /// opened before.
    pub(super) fn of(&self, config: &Config, watch: Watch<'_>) -> Result<Arc<Decoded>, Error> {
        // Others wait here while the first one decodes. If it fails, the next one tries.
        let mut opened = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(decoded) = opened.as_ref() {
            check_same(config, &decoded.config, "a run", "the runs before it")?;
            return Ok(Arc::clone(decoded));
        }
        let decoded = Arc::new(Decoded::new(config, watch)?);
        Ok(Arc::clone(opened.insert(decoded)))
    }
}

impl Decoded {
    fn new(config: &Config, watch: Watch<'_>) -> Result<Self, Error> {
        let input = open_input(config)?;
        let mut decoded = Decoded { input, kept: None, measured: None, config: config.clone() };
        if !decoded.input.rereadable() {
            return Ok(decoded);
        }
        decoded.measured = decoded.input.measured();
        if decoded.measured.is_none() {
            let mut keeping = Keeping { source: decoded.input.open()?, kept: Some(Vec::new()) };
            let mut last = Instant::now();
            decoded.measured = Some(extents(&mut keeping, &mut |requests, fraction| {
                tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
            })?);
            decoded.kept = keeping.kept.map(Arc::from);
        }
        Ok(decoded)
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
    ];
    let Some((key, _)) = same.into_iter().find(|(_, same)| !same) else { return Ok(()) };
    let message = format!(
        "found {who} with another {key} than {those}, expected the same: they share a reading of one input"
    );
    Err(Error::config(key, message))
}

impl Input for Decoded {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        self.kept.as_ref().map_or_else(|| self.input.open(), Input::open)
    }

    fn name(&self) -> String {
        self.input.name()
    }

    fn format(&self) -> String {
        self.input.format()
    }

    fn address_space_bytes(&self) -> Option<u64> {
        self.input.address_space_bytes()
    }

    fn measured(&self) -> Option<Measured> {
        self.measured.clone()
    }

    fn rereadable(&self) -> bool {
        self.input.rereadable()
    }
}

/// A source whose requests are kept as they stream by, unless they become too many.
struct Keeping {
    source: Box<dyn RequestSource>,
    kept: Option<Vec<Request>>,
}

impl RequestSource for Keeping {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let before = batch.len();
        self.source.fill(batch)?;
        let new = &batch[before..];
        if let Some(mut kept) =
            mem::take(&mut self.kept).filter(|k| k.len() + new.len() <= KEPT_REQUESTS)
        {
            kept.extend_from_slice(new);
            self.kept = Some(kept);
        }
        Ok(())
    }

    fn progress(&self) -> Option<f64> {
        self.source.progress()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{BATCH, Op};

    /// So many requests, and then no more.
    struct Many(usize);

    impl RequestSource for Many {
        fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
            let count = self.0.min(BATCH);
            let request = Request { time: 0, offset: 0, length: 512, volume: 0, op: Op::Read };
            batch.extend(std::iter::repeat_n(request, count));
            self.0 -= count;
            Ok(())
        }
    }

    fn kept(requests: usize) -> Option<usize> {
        let mut keeping = Keeping { source: Box::new(Many(requests)), kept: Some(Vec::new()) };
        let mut batch = Vec::new();
        loop {
            batch.clear();
            keeping.fill(&mut batch).expect("requests");
            if batch.is_empty() {
                return keeping.kept.map(|kept| kept.len());
            }
        }
    }

    #[test]
    fn all_requests_are_kept_or_none() {
        assert_eq!(kept(10_000), Some(10_000));
        assert_eq!(kept(KEPT_REQUESTS), Some(KEPT_REQUESTS));
        assert_eq!(kept(KEPT_REQUESTS + 1), None);
    }
}
