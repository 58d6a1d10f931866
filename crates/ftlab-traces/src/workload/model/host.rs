//! A volume at work: where its last requests ended, and what steers its operations.

use super::check;
use super::file::Volume;
use super::ops::Ops;
use super::space::SECTOR;
use crate::math::exp;
use crate::request::Op;
use std::collections::VecDeque;

/// The last requests of a volume that may go on.
pub(super) const TAILS: usize = check::MOST_STREAMS;
/// How fast a volume's share of writes is steered: one request in 50 counts.
const STEER: f64 = 0.02;

/// Where a request ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tail {
    pub(super) end: u64,
    pub(super) sectors: u32,
    pub(super) op: Op,
    pub(super) in_run: bool,
    /// Its place among those remembered.
    pub(super) place: usize,
}

/// A volume: its last requests, the newest at the end, and what makes its operations.
#[derive(Clone, Debug)]
pub(super) struct Host {
    tails: VecDeque<Tail>,
    /// First sector of its address space.
    pub(super) first: u64,
    /// Its number in requests.
    pub(super) number: u32,
    writes: f64,
    /// Odds that bring the share of writes back to `writes`, and their changes.
    steer: f64,
    after_read: f64,
    after_write: f64,
}

impl Host {
    pub(super) fn new(volume: &Volume, number: u32) -> Self {
        Host {
            tails: VecDeque::with_capacity(TAILS),
            first: volume.first.map_or(0, |first| first.0 / SECTOR),
            number,
            writes: volume.writes,
            steer: 1.0,
            after_read: exp(STEER * volume.writes),
            after_write: exp(STEER * (volume.writes - 1.0)),
        }
    }

    /// The next operation, which writes with this share; `None`: with that of the volume.
    #[inline]
    pub(super) fn op(&mut self, writes: Option<f64>, ops: &mut Ops) -> Op {
        let Some(writes) = writes else {
            return ops.draw(self.writes, 1.0);
        };
        let op = ops.draw(writes, self.steer);
        self.steer *= if op == Op::Write { self.after_write } else { self.after_read };
        self.steer = self.steer.clamp(1e-3, 1e3);
        op
    }

    /// The tail of this rank if it is `wanted`; else the next older one that is, else the oldest.
    pub(super) fn take(&mut self, rank: usize, wanted: impl Fn(&Tail) -> bool) -> Option<Tail> {
        let mut at = self.tails.len().saturating_sub(1 + rank);
        if !wanted(self.tails.get(at)?) {
            let older = self.tails.range(..at).rposition(&wanted);
            at = older.or_else(|| self.tails.iter().position(&wanted))?;
        }
        self.tails.remove(at)
    }

    /// A request ended here.
    pub(super) fn end(&mut self, tail: Tail) {
        if self.tails.len() == TAILS {
            self.tails.pop_front();
        }
        self.tails.push_back(tail);
    }
}
