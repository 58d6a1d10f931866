//! Greedy: the closed block with the fewest valid pages, the lowest block number among equals.

use super::by_valid::ByValid;
use super::{Closed, Moment, Pool, Spec, VictimPolicy};
use crate::cache::min_tree::MinTree;
use crate::units::Pbn;

/// The closed blocks by valid pages.
#[derive(Clone, Debug)]
pub struct Greedy {
    valid: MinTree,
}

impl Greedy {
    pub(super) const SPEC: Spec = Spec {
        name: super::GREEDY,
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
    candidates: ByValid,
}

impl GreedyInVolume {
    pub(super) fn new(pool: &Pool) -> Self {
        GreedyInVolume { candidates: ByValid::new(pool.blocks, pool.pages_per_block) }
    }
}

impl VictimPolicy for GreedyInVolume {
    fn close(&mut self, Closed { pbn, valid, number, .. }: Closed) {
        let number = number.expect("a block of a volume has a number");
        self.candidates.add(pbn, valid, (0, number));
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.candidates.shrink(pbn, valid);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.candidates.remove(pbn, valid);
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        self.candidates.first().next().map(|(_, _, pbn)| pbn)
    }
}
