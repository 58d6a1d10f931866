//! Garbage, and the blocks that have enough of it: where GC starts by garbage (`gc.start = garbage`).
//!
//! A policy hears of a closed block as soon as the share of its garbage reaches `gc.garbage`, and of no other. Each policy
//! chooses among the candidates by its own rule.

use super::{Closed, Moment, Pool, VictimPolicy, Victims};
use crate::units::Pbn;

/// The closed blocks of a volume, of which a policy knows the candidates.
#[derive(Clone, Debug)]
pub struct Candidates {
    policy: Victims,
    pages_per_block: u32,
    /// Superseded pages that make a block a candidate.
    least: u32,
    /// Superseded pages of all closed blocks.
    garbage: u64,
    /// The closed blocks that are no candidates.
    waiting: Vec<Option<Closed>>,
}

impl Candidates {
    /// None yet. A block becomes a candidate when its share of garbage is `share` or more.
    #[must_use]
    pub fn new(policy: Victims, pool: &Pool, share: f64) -> Self {
        let pages_per_block = pool.pages_per_block;
        let is_enough = |pages: &u32| f64::from(*pages) / f64::from(pages_per_block) >= share;
        let least = (1..pages_per_block).find(is_enough).unwrap_or(pages_per_block);
        let waiting = vec![None; pool.blocks as usize];
        Candidates { policy, pages_per_block, least, garbage: 0, waiting }
    }

    /// Who chooses among them.
    pub const fn policy(&mut self) -> &mut Victims {
        &mut self.policy
    }

    /// Superseded pages of the closed blocks.
    #[must_use]
    pub const fn garbage(&self) -> u64 {
        self.garbage
    }
}

impl VictimPolicy for Candidates {
    fn close(&mut self, block: Closed) {
        let garbage = self.pages_per_block - block.valid;
        self.garbage += u64::from(garbage);
        let is_wasteful = unless_bug!(CandidatesTakeAny, garbage >= self.least, garbage > 0);
        if is_wasteful {
            self.policy.close(block);
        } else {
            self.waiting[block.pbn.index()] = Some(block);
        }
    }

    #[inline(never)]
    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        self.garbage += 1;
        if self.pages_per_block - valid < self.least {
            return;
        }
        match self.waiting[pbn.index()].take() {
            Some(block) => self.policy.close(Closed { valid, ..block }),
            None => self.policy.shrink(pbn, valid, now),
        }
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.garbage -= u64::from(self.pages_per_block - valid);
        if self.waiting[pbn.index()].take().is_none() {
            self.policy.remove(pbn, valid);
        }
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        self.policy.choose(now)
    }
}
