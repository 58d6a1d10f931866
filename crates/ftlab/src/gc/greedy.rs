//! Greedy: the closed block with the fewest valid pages, the lowest block number among equals.

use super::{Spec, VictimPolicy};
use crate::cache::block_set::BlockSets;
use crate::units::Pbn;

/// One set of blocks for each count of valid pages.
#[derive(Clone, Debug)]
pub struct Greedy {
    by_valid: BlockSets,
    counts: usize,
    /// No set below this count has a member.
    fewest: usize,
}

impl Greedy {
    pub(super) const SPEC: Spec = Spec {
        name: "greedy",
        summary: "fewest valid pages, lowest block number among equals",
        source: "FlashSim, TPFTL, DLOOP",
    };

    pub(super) fn new(blocks: u32, pages_per_block: u32) -> Self {
        let counts = pages_per_block as usize + 1;
        Greedy { by_valid: BlockSets::new(counts, blocks), counts, fewest: 0 }
    }
}

impl VictimPolicy for Greedy {
    fn close(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.by_valid.insert(valid as usize, pbn.0);
        self.fewest = self.fewest.min(valid as usize);
    }

    #[inline]
    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.by_valid.remove(valid as usize + 1, pbn.0);
        self.by_valid.insert(valid as usize, pbn.0);
        self.fewest = self.fewest.min(valid as usize);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.by_valid.remove(valid as usize, pbn.0);
    }

    fn choose(&mut self, _now: u64) -> Option<Pbn> {
        let mut counts = self.fewest..self.counts;
        let (fewest, block) = counts.find_map(|n| Some((n, self.by_valid.lowest(n)?)))?;
        self.fewest = fewest;
        Some(Pbn(block))
    }
}
