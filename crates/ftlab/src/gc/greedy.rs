//! Greedy: the closed block with the fewest valid pages, the lowest block number among equals.

use super::VictimPolicy;
use crate::cache::block_set::BlockSet;
use crate::units::Pbn;

/// One set of blocks for each count of valid pages.
#[derive(Clone, Debug)]
pub struct Greedy {
    by_valid: Vec<BlockSet>,
    /// No set below this count has a member.
    fewest: usize,
}

impl Greedy {
    pub(super) fn new(blocks: u32, pages_per_block: u32) -> Self {
        let by_valid = vec![BlockSet::new(blocks); pages_per_block as usize + 1];
        Greedy { by_valid, fewest: 0 }
    }
}

impl VictimPolicy for Greedy {
    fn close(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.by_valid[valid as usize].insert(pbn.0);
        self.fewest = self.fewest.min(valid as usize);
    }

    #[inline]
    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.by_valid[valid as usize + 1].remove(pbn.0);
        self.by_valid[valid as usize].insert(pbn.0);
        self.fewest = self.fewest.min(valid as usize);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.by_valid[valid as usize].remove(pbn.0);
    }

    fn choose(&mut self, _now: u64) -> Option<Pbn> {
        let blocks = self.by_valid[self.fewest..].iter().find_map(BlockSet::lowest);
        while self.fewest < self.by_valid.len() - 1 && self.by_valid[self.fewest].is_empty() {
            self.fewest += 1;
        }
        blocks.map(Pbn)
    }
}
