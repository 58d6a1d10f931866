//! A warm-up that several runs share: the first does it, the others go on from copies of its end.
//!
//! ```text
//! run 1   warm-up --copy--> measured phase
//! run 2   (waits)   |--copy--> measured phase
//! run 3             |--------> measured phase, on the copy itself: it is the last
//! ```
//!
//! Which runs may share is a fact of their configurations ([`Config::before_measuring`]). One more is
//! known only when the warm-up is done: if a decision used the times of requests, the host must be the
//! same.

use super::cores::Turn;
use crate::address::AddressMap;
use crate::clock::Instant;
use crate::config::Config;
use crate::drive::{Progress, WARMING_UP, Watch, prepare};
use crate::error::Error;
use crate::host::HostConfig;
use crate::request::Input;
use crate::simulate::Simulator;
use crate::warmup::WarmupReport;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bytes of copies that the warm-ups of a process keep at most. A larger device is warmed up by each run.
pub const KEPT_BYTES: u64 = 2 << 30;

/// Bytes of copies that can still be kept.
static ROOM: AtomicU64 = AtomicU64::new(KEPT_BYTES);

/// How often a run that waits for the warm-up of another looks whether it is stopped.
const LOOK: Duration = Duration::from_millis(50);

/// The warm-up of a number of runs.
#[derive(Default)]
pub struct SharedWarmup {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Default)]
struct Inside {
    /// Runs that may yet go on from the warm-up, or do it.
    left: usize,
    state: State,
    shares: Shares,
}

/// What sharing has saved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// Time that the warm-up took, s.
    pub seconds: f64,
    /// Runs that went on from copies.
    pub runs: usize,
}

#[derive(Default)]
enum State {
    /// Nobody has done it.
    #[default]
    Absent,
    /// A run does it.
    Making,
    Kept(Box<Kept>),
    /// Each run does its own.
    Unfit,
}

/// The end of a warm-up.
struct Kept {
    key: Key,
    /// The host that runs must have, if a decision has used the times at which it asked.
    host: Option<HostConfig>,
    simulator: Box<dyn Simulator>,
    report: WarmupReport,
    _held: Held,
}

/// What must be equal for runs to share a warm-up.
#[derive(Clone, PartialEq)]
struct Key {
    ftl: &'static str,
    capacity: u64,
    config: Config,
}

/// Room for a copy, until it is dropped.
struct Held(u64);

impl Held {
    fn take(bytes: u64) -> Option<Self> {
        let less = |room: u64| room.checked_sub(bytes);
        let taken = ROOM.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.is_ok().then_some(Held(bytes))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        ROOM.fetch_add(self.0, Ordering::Relaxed);
    }
}

/// A run that may share its warm-up.
pub(super) struct Sharing {
    with: Arc<SharedWarmup>,
    key: Key,
    address: AddressMap,
    /// Bytes of a copy.
    bytes: u64,
}

impl Sharing {
    pub fn new(
        with: &Arc<SharedWarmup>,
        ftl: &'static str,
        config: &Config,
        (capacity, address): (u64, AddressMap),
        bytes: u64,
    ) -> Self {
        let key = Key { ftl, capacity, config: config.before_measuring() };
        Sharing { with: Arc::clone(with), key, address, bytes }
    }

    /// Brings a simulator to the end of its warm-up: by a copy of another at its end, or by doing it.
    ///
    /// # Errors
    /// Those of [`prepare`].
    pub fn prepare(
        self,
        simulator: &mut Box<dyn Simulator>,
        input: &dyn Input,
        watch: Watch<'_>,
    ) -> Result<WarmupReport, Error> {
        let with = Arc::clone(&self.with);
        let mut inside = with.lock();
        while matches!(inside.state, State::Making) {
            inside = Turn::pause(|| with.wait(inside));
            watch(Progress { phase: WARMING_UP, requests: 0, fraction: None })?;
        }
        // Those that wait for the warm-up go on from it, too.
        inside.left = inside.left.saturating_sub(1);
        if let Some(report) = self.take(&mut inside, simulator) {
            return Ok(report);
        }
        let makes = inside.left > 0 && matches!(inside.state, State::Absent);
        if !makes {
            drop(inside);
            return prepare(simulator.as_mut(), input, watch);
        }
        inside.state = State::Making;
        drop(inside);
        let mut making = Making { of: &with, end: State::Absent };
        let start = Instant::now();
        let report = prepare(simulator.as_mut(), input, watch)?;
        let seconds = start.elapsed().as_secs_f64();
        making.end = self.kept(simulator.as_ref(), &report);
        with.lock().shares.seconds = seconds;
        Ok(report)
    }

    /// Goes on from what is kept, if that fits.
    fn take(
        &self,
        inside: &mut Inside,
        simulator: &mut Box<dyn Simulator>,
    ) -> Option<WarmupReport> {
        let config = simulator.outcome().config.clone();
        let State::Kept(kept) = &inside.state else { return None };
        let fits = kept.host.as_ref().is_none_or(|host| *host == config.host);
        if kept.key != self.key || !fits {
            return None;
        }
        let report = kept.report.clone();
        *simulator = match inside.left {
            0 => match std::mem::replace(&mut inside.state, State::Unfit) {
                State::Kept(kept) => kept.simulator,
                _ => return None,
            },
            _ => kept.simulator.twin()?,
        };
        simulator.go_on_as(&config, self.address.clone());
        inside.shares.runs += 1;
        Some(report)
    }

    /// The end of a warm-up for other runs, if there is room for it.
    fn kept(self, simulator: &dyn Simulator, report: &WarmupReport) -> State {
        let Some(held) = Held::take(self.bytes) else { return State::Unfit };
        let Some(twin) = simulator.twin() else { return State::Unfit };
        let config = simulator.outcome().config;
        let timed = config.run.warmup.reads_the_input() && simulator.used_times();
        let host = timed.then(|| config.host.clone());
        let report = report.clone();
        State::Kept(Box::new(Kept { key: self.key, host, simulator: twin, report, _held: held }))
    }
}

/// A warm-up under way. If it fails, another run tries.
struct Making<'a> {
    of: &'a SharedWarmup,
    end: State,
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        self.of.lock().state = std::mem::take(&mut self.end);
        self.of.changed.notify_all();
    }
}

impl SharedWarmup {
    /// The warm-up of this number of runs. After the last one, nothing is kept.
    #[must_use]
    pub fn of(runs: usize) -> Self {
        let inside = Inside { left: runs, ..Inside::default() };
        SharedWarmup { inside: Mutex::new(inside), changed: Condvar::new() }
    }

    /// What it has saved so far.
    #[must_use]
    pub fn shares(&self) -> Shares {
        self.lock().shares
    }

    /// Whether a run has done it, so that no other has to wait.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        matches!(self.lock().state, State::Kept(_) | State::Unfit)
    }

    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, inside: MutexGuard<'a, Inside>) -> MutexGuard<'a, Inside> {
        let waited = self.changed.wait_timeout(inside, LOOK);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
