//! Greedy: the closed block with the fewest valid pages, the lowest block number among equals.

use super::{Closed, Moment, Pool, Spec, VictimPolicy};
use crate::cache::min_tree::MinTree;
use crate::units::Pbn;
use std::collections::BTreeSet;

/// The closed blocks by valid pages.
#[derive(Clone, Debug)]
pub struct Greedy {
    valid: MinTree,
}

impl Greedy {
    pub(super) const SPEC: Spec = Spec {
        name: "greedy",
        summary: "fewest valid pages, lowest block number among equals",
        source: "FlashSim, TPFTL, DLOOP",
    };

    pub(super) fn new(blocks: u32) -> Self {
        Greedy { valid: MinTree::new(blocks) }
    }
}

impl VictimPolicy for Greedy {
    fn close(&mut self, Closed { pbn, valid, .. }: Closed) {
        self.valid.lower(pbn.0, valid as u16);
    }

    #[inline]
    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.valid.lower(pbn.0, valid as u16);
    }

    fn remove(&mut self, pbn: Pbn, _valid: u32) {
        self.valid.remove(pbn.0);
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        self.valid.min().map(Pbn)
    }
}

/// The candidates by valid pages where GC starts by garbage: the block opened first among equals.
#[derive(Clone, Debug)]
pub struct GreedyInVolume {
    /// The candidates of each count of valid pages, those opened first in front.
    by_valid: Vec<BTreeSet<(u64, Pbn)>>,
    numbers: Vec<u64>,
}

impl GreedyInVolume {
    pub(super) fn new(pool: &Pool) -> Self {
        GreedyInVolume {
            by_valid: vec![BTreeSet::new(); pool.pages_per_block as usize + 1],
            numbers: vec![0; pool.blocks as usize],
        }
    }

    fn put(&mut self, pbn: Pbn, valid: u32) {
        self.by_valid[valid as usize].insert((self.numbers[pbn.index()], pbn));
    }
}

impl VictimPolicy for GreedyInVolume {
    fn close(&mut self, Closed { pbn, valid, number, .. }: Closed) {
        self.numbers[pbn.index()] = number.expect("a block of a volume has a number");
        self.put(pbn, valid);
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.remove(pbn, valid + 1);
        self.put(pbn, valid);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.by_valid[valid as usize].remove(&(self.numbers[pbn.index()], pbn));
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        self.by_valid.iter().find_map(|blocks| blocks.first()).map(|(_, pbn)| *pbn)
    }
}
