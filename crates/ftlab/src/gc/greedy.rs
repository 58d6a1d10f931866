//! Greedy: the closed block with the fewest valid pages, the lowest block number among equals.

use super::{Closed, Moment, Spec, VictimPolicy};
use crate::cache::min_tree::MinTree;
use crate::units::Pbn;

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
