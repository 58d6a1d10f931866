//! One clone of a job at work: what it does next, and when.

use super::job::{Clocked, DIRECTIONS, Job, Pace, Work};
use super::places::Places;
use crate::request::{Meta, Op, Request};
use crate::rng::Rng;
use crate::units::Nanos;
use crate::workload::handles::Hints;
use std::sync::Arc;

/// A job whose clock gets here has ended.
pub(super) const LATEST: Nanos = Nanos::MAX >> 2;

/// A clone of a job.
pub(super) struct Worker {
    job: Arc<Job>,
    places: Places,
    hints: Hints,
    ops: Rng,
    first_ops: Rng,
    clock: Option<Clock>,
    volume: u32,
    initiator: u16,
    bytes: u64,
    requests: u64,
    /// Writes since the last flush, and when the last request was made.
    writes: u64,
    last: Nanos,
    /// The write behind a trim.
    second: Option<Request>,
}

impl Worker {
    pub(super) fn new(job: &Arc<Job>, volume: u32, initiator: u16, seed: u64) -> Self {
        let clock = match &job.pace {
            Pace::Turns(_) => None,
            Pace::Clock(clocked) => Some(Clock::new(clocked, seed)),
        };
        Worker {
            places: Places::new(job, seed),
            hints: Hints::new(&job.handles, job.select, job.lifetime, seed),
            ops: Rng::new(seed, "ops"),
            first_ops: Rng::new(seed, "ops"),
            clock,
            volume,
            initiator,
            bytes: 0,
            requests: 0,
            writes: 0,
            last: 0,
            second: None,
            job: Arc::clone(job),
        }
    }

    /// Turns in proportion to which it comes; none if it follows a clock.
    pub(super) fn weight(&self) -> Option<u64> {
        match self.job.pace {
            Pace::Turns(weight) => Some(weight),
            Pace::Clock(_) => None,
        }
    }

    /// The next request, with its time since the stage began.
    pub(super) fn next(&mut self) -> Option<Request> {
        if let Some(write) = self.second.take() {
            return Some(write);
        }
        let over = |limit: Option<u64>, done: u64| limit.is_some_and(|limit| done >= limit);
        if over(self.job.bytes, self.bytes) || over(self.job.requests, self.requests) {
            return None;
        }
        if self.job.fsync == Some(self.writes) {
            self.writes = 0;
            return Some(self.signed(Request::flush()).at(self.last));
        }
        let (direction, offset, length) = self.place()?;
        if let Some(clock) = &mut self.clock {
            self.last = clock.next(direction, length)?;
        }
        self.bytes += u64::from(length);
        self.requests += 1;
        let mut request =
            self.signed(Request::new(DIRECTIONS[direction], offset, length)).at(self.last);
        if request.op == Op::Write {
            self.writes += 1;
            request.meta = self.hinted(offset, request.meta);
        }
        if self.job.work == Work::TrimWrite {
            self.second = Some(request);
            request = self.signed(Request { op: Op::Trim, ..request }).at(self.last);
        }
        Some(request)
    }

    /// The direction of the next request, its first byte and its length.
    fn place(&mut self) -> Option<(usize, u64, u32)> {
        loop {
            if self.places.begins() {
                self.ops = self.first_ops.clone();
            }
            let direction = match self.job.work {
                Work::Only(direction) => direction,
                Work::Mix(reads) => usize::from(!self.ops.chance(reads)),
                Work::TrimWrite => 1,
            };
            if let Some((offset, length)) = self.places.next(direction) {
                return Some((direction, offset, length));
            }
            // A pass has room for a request of each direction.
            if !self.places.rewind() {
                return None;
            }
        }
    }

    fn signed(&self, request: Request) -> Request {
        let meta = Meta { initiator: self.initiator, ..Meta::UNSET };
        request.in_volume(self.volume).with_meta(meta)
    }

    fn hinted(&mut self, offset: u64, meta: Meta) -> Meta {
        let Meta { handle, lifetime, .. } = self.hints.of_write();
        let at = self.job.scheme.as_ref().map(|scheme| scheme.at(offset));
        let handle = at.map_or(handle, |at| self.job.handles.get(at).copied().unwrap_or(0));
        Meta { handle, lifetime, ..meta }
    }
}

/// The clock of a job with a rate or pauses.
struct Clock {
    clocked: Clocked,
    now: Nanos,
    /// Bytes of each direction, and when its next request is due if gaps are drawn, ns.
    bytes: [u64; 3],
    due: [f64; 3],
    requests: u64,
    gaps: Rng,
}

impl Clock {
    fn new(clocked: &Clocked, seed: u64) -> Self {
        let (clocked, now) = (clocked.clone(), clocked.delay);
        Clock {
            clocked,
            now,
            bytes: [0; 3],
            due: [0.0; 3],
            requests: 0,
            gaps: Rng::new(seed, "gaps"),
        }
    }

    /// When a request comes; `None` if the job has ended by then.
    fn next(&mut self, direction: usize, length: u32) -> Option<Nanos> {
        let Clocked { rate, poisson, think, delay, runtime } = self.clocked;
        if let Some(rate) = rate[direction] {
            let due = match poisson {
                true => self.due[direction] as Nanos,
                false => {
                    let due = u128::from(self.bytes[direction]) * 1_000_000_000 / u128::from(rate);
                    due.min(u128::from(LATEST)) as Nanos
                }
            };
            self.now = self.now.max(delay.saturating_add(due));
            self.bytes[direction] = self.bytes[direction].saturating_add(length.into());
            if poisson {
                let gap = f64::from(length) * 1e9 / rate as f64;
                self.due[direction] += self.gaps.exponential(gap);
            }
        }
        let time = self.now;
        if runtime.is_some_and(|runtime| time - delay >= runtime) || time >= LATEST {
            return None;
        }
        self.requests += 1;
        if self.requests.is_multiple_of(think.1) {
            self.now = self.now.saturating_add(think.0);
        }
        Some(time)
    }
}
