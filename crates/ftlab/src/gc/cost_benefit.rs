//! Cost-benefit (DFTL, ASPLOS 2009, after Kawaguchi et al. 1995): the largest age x (1 - u) / 2u,
//! where u is the share of valid pages and age the page programs since a page was last invalidated.
//!
//! Among blocks with equally many valid pages the oldest wins, so it is enough to compare the oldest
//! of each count.

use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::cache::block_lists::BlockLists;
use crate::units::Pbn;

/// One queue for each count of valid pages, ordered by the last change.
#[derive(Clone, Debug)]
pub struct CostBenefit {
    by_valid: BlockLists,
    changed: Vec<u64>,
    pages_per_block: u32,
}

impl CostBenefit {
    fn changed(&mut self, pbn: Pbn, valid: u32, now: u64) {
        self.by_valid.push(valid as usize, pbn);
        self.changed[pbn.index()] = now;
    }

    /// age x (1 - u) / 2u; a block without valid pages is worth more than any other.
    fn score(&self, pbn: Pbn, valid: u32, now: u64) -> f64 {
        let age = (now - self.changed[pbn.index()]) as f64;
        let invalid = f64::from(self.pages_per_block - valid);
        if valid == 0 { f64::INFINITY } else { age * invalid / (2.0 * f64::from(valid)) }
    }
}

impl PolicyDesign for CostBenefit {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "cost-benefit",
        summary: "largest age x (1 - u) / 2u",
        source: "Gupta et al., DFTL, ASPLOS 2009",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        CostBenefit {
            by_valid: BlockLists::new(pool.pages_per_block as usize + 1, pool.blocks),
            changed: vec![0; pool.blocks as usize],
            pages_per_block: pool.pages_per_block,
        }
    }
}

impl VictimPolicy for CostBenefit {
    fn close(&mut self, Closed { pbn, valid, at, .. }: Closed) {
        self.changed(pbn, valid, at.programs);
    }

    #[inline]
    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        self.by_valid.remove(valid as usize + 1, pbn);
        self.changed(pbn, valid, now);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.by_valid.remove(valid as usize, pbn);
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        let oldest = (0..=self.pages_per_block)
            .filter_map(|valid| Some((valid, self.by_valid.oldest(valid as usize)?)));
        let mut best: Option<(f64, Pbn)> = None;
        for (valid, pbn) in oldest {
            let score = self.score(pbn, valid, now.programs);
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, pbn));
            }
        }
        best.map(|(_, pbn)| pbn)
    }
}
