//! The host: when requests are issued, and in which order waiting requests go.
//!
//! ```text
//! open        at its time in the input
//! closed:QD   as soon as fewer than QD requests are in the device, whatever its time
//! queued:QD   from its time on it waits in a queue; the device takes the next when it has fewer than QD
//! ```
//!
//! If volumes have queues of their own, the queues take turns (NVMe's round-robin arbitration). With
//! `host.reads_first`, a write is taken only when no read waits.

mod config;

pub use config::{HostConfig, HostMode, Queues, Split};

use crate::request::{Op, Request};
use crate::units::Nanos;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A request that is complete later, 146 years after the first, ends the run: one more could overflow the
/// clock.
pub const LATEST: Nanos = 1 << 62;

/// When requests are issued.
#[derive(Clone, Debug)]
pub struct Host {
    config: HostConfig,
    /// Completion times of the requests in the device, if their number is bounded.
    outstanding: BinaryHeap<Reverse<Nanos>>,
    waiting: Waiting,
}

/// A request that the device takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The request; its time is when it arrived.
    pub request: Request,
    /// When the device takes it.
    pub issued: Nanos,
}

/// Requests that have arrived and wait.
#[derive(Clone, Debug, Default)]
struct Waiting {
    /// Queues by volume.
    numbers: FxHashMap<u32, usize>,
    /// Of each queue, the requests that go first and those that go after them.
    queues: Vec<[VecDeque<Request>; 2]>,
    /// Queues that are not empty, in turn.
    turns: [VecDeque<usize>; 2],
    /// When the last one arrived.
    newest: Nanos,
}

impl Host {
    /// A host without requests.
    #[must_use]
    pub fn new(config: &HostConfig) -> Self {
        Host { config: config.clone(), outstanding: BinaryHeap::new(), waiting: Waiting::default() }
    }

    /// Drops the requests in the device and those that wait.
    pub fn reset(&mut self) {
        self.outstanding.clear();
        self.waiting = Waiting::default();
    }

    /// Whether requests wait in queues for their turn.
    #[must_use]
    pub const fn has_queues(&self) -> bool {
        matches!(self.config.mode, HostMode::Queued(_))
    }

    /// When a request with this time in the input arrives.
    #[inline]
    #[must_use]
    pub fn arrival(&self, time: Nanos) -> Nanos {
        match self.config.time_scale {
            1.0 => time,
            scale => ((time as f64 * scale) as Nanos).min(LATEST),
        }
    }

    /// When a request that does not wait in a queue is issued.
    #[inline]
    pub fn issue(&mut self, time: Nanos) -> Nanos {
        match self.config.mode {
            HostMode::Open | HostMode::Queued(_) => self.arrival(time),
            HostMode::Closed(depth) if self.outstanding.len() < depth as usize => 0,
            HostMode::Closed(_) => self.outstanding.pop().map_or(0, |Reverse(end)| end),
        }
    }

    /// A request leaves the device.
    #[inline]
    pub fn complete(&mut self, end: Nanos) {
        if self.config.mode != HostMode::Open {
            self.outstanding.push(Reverse(end));
        }
    }

    /// Puts a request into its queue. The caller first takes what the device takes before it arrives.
    pub fn enqueue(&mut self, request: Request) {
        let volume = match self.config.queues {
            Queues::One => 0,
            Queues::Volumes => request.volume,
        };
        let after = usize::from(self.config.reads_first && request.op != Op::Read);
        let request = Request { time: self.arrival(request.time), ..request };
        self.waiting.push(volume, after, request);
    }

    /// The request that the device takes next, if it does so before `time`.
    pub fn take_before(&mut self, time: Nanos) -> Option<Taken> {
        let HostMode::Queued(depth) = self.config.mode else { return None };
        let full = self.outstanding.len() >= depth as usize;
        let free = full.then(|| self.outstanding.peek().map_or(0, |Reverse(end)| *end));
        // Either the waiting requests arrived before a place is free, or all of them arrive now.
        let issued = free.unwrap_or(0).max(self.waiting.newest);
        if issued >= time {
            return None;
        }
        let request = self.waiting.pop()?;
        if full {
            self.outstanding.pop();
        }
        Some(Taken { request, issued })
    }
}

impl Waiting {
    fn push(&mut self, volume: u32, class: usize, request: Request) {
        let next = self.queues.len();
        let number = *self.numbers.entry(volume).or_insert(next);
        if number == next {
            self.queues.push(Default::default());
        }
        let queue = &mut self.queues[number][class];
        if queue.is_empty() {
            self.turns[class].push_back(number);
        }
        queue.push_back(request);
        self.newest = request.time;
    }

    fn pop(&mut self) -> Option<Request> {
        let class = usize::from(self.turns[0].is_empty());
        let number = self.turns[class].pop_front()?;
        let queue = &mut self.queues[number][class];
        let request = queue.pop_front();
        if !queue.is_empty() {
            self.turns[class].push_back(number);
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serves requests of 100 ns on a device that does one at a time; returns volume, operation, issue.
    fn order(queues: Queues, reads_first: bool, depth: u32) -> Vec<(u32, Op, Nanos)> {
        let mode = HostMode::Queued(depth);
        let config = HostConfig { mode, queues, reads_first, ..HostConfig::default() };
        let mut host = Host::new(&config);
        let mut taken = Vec::new();
        let mut idle = 0;
        let mut serve = |host: &mut Host, time| {
            while let Some(Taken { request, issued }) = host.take_before(time) {
                idle = issued.max(idle) + 100;
                host.complete(idle);
                taken.push((request.volume, request.op, issued));
            }
        };
        for (time, volume, op) in [
            (0, 7, Op::Write),
            (10, 7, Op::Write),
            (20, 7, Op::Write),
            (30, 9, Op::Write),
            (150, 9, Op::Read),
            (1000, 7, Op::Write),
        ] {
            serve(&mut host, time);
            host.enqueue(Request::new(op, 0, 512).at(time).in_volume(volume));
        }
        serve(&mut host, Nanos::MAX);
        taken
    }

    #[test]
    fn one_queue_is_served_in_order() {
        let write = |volume, issued| (volume, Op::Write, issued);
        assert_eq!(
            order(Queues::One, false, 1),
            [
                write(7, 0),
                write(7, 100),
                write(7, 200),
                write(9, 300),
                (9, Op::Read, 400),
                write(7, 1000)
            ]
        );
        let deep: Vec<Nanos> = order(Queues::One, false, 2).iter().map(|each| each.2).collect();
        assert_eq!(deep, [0, 10, 100, 200, 300, 1000], "two are in the device");
    }

    #[test]
    fn volumes_take_turns() {
        let volumes: Vec<u32> =
            order(Queues::Volumes, false, 1).iter().map(|each| each.0).collect();
        assert_eq!(volumes, [7, 7, 9, 7, 9, 7]);
    }

    #[test]
    fn reads_go_first() {
        let all = order(Queues::One, true, 1);
        let at = all.iter().position(|each| each.1 == Op::Read);
        assert_eq!(at, Some(2), "it arrives while the second is served: {all:?}");
    }
}
