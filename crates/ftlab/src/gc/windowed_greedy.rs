//! Windowed greedy (Hu, Eleftheriou, Haas, Iliadis & Pletka, SYSTOR 2009): the fewest valid pages among the
//! blocks closed longest ago.
//!
//! A window of one block is FIFO, one of all blocks is greedy but for ties, which go to the oldest. Where GC starts by
//! garbage, the window is a share of the candidates.

use super::in_order::InOrder;
use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::units::{Pbn, Ratio};

crate::settings! {
    /// Settings of `windowed-greedy`.
    pub struct WindowConfig in "gc" {
        /// Windowed greedy: share of the blocks, those closed longest ago, among which a victim is chosen;
        /// one block at least.
        window: Ratio = Ratio(0.25), in 0.0..=1.0, laws [0.0, 0.1, 0.5, 1.0].map(Ratio), source "ours";
    }
}

/// The closed blocks in the order in which they were closed.
#[derive(Clone, Debug)]
pub struct WindowedGreedy {
    closed: InOrder,
    valid: Vec<u32>,
    share: f64,
    /// Blocks of the pool, where it does not grow.
    blocks: Option<u32>,
}

impl PolicyDesign for WindowedGreedy {
    type Settings = WindowConfig;

    const SPEC: Spec = Spec {
        name: "windowed-greedy",
        summary: "fewest valid pages among the blocks closed longest ago",
        source: "Hu et al., SYSTOR 2009",
    };

    fn build(pool: &Pool, own: WindowConfig) -> Self {
        WindowedGreedy {
            closed: InOrder::new(pool.blocks),
            valid: vec![0; pool.blocks as usize],
            share: own.window.0,
            blocks: (!pool.is_volume).then_some(pool.blocks),
        }
    }
}

impl VictimPolicy for WindowedGreedy {
    fn close(&mut self, block: Closed) {
        self.closed.push(block);
        self.valid[block.pbn.index()] = block.valid;
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.valid[pbn.index()] = valid;
    }

    fn remove(&mut self, pbn: Pbn, _valid: u32) {
        unless_bug!(WindowKeepsCollected, self.closed.remove(pbn));
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        let of = self.blocks.map_or(self.closed.len() as f64, f64::from);
        let oldest = self.closed.iter().take((of * self.share).ceil().max(1.0) as usize);
        oldest.min_by_key(|pbn| self.valid[pbn.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emptiest_of_the_oldest_is_chosen_and_the_oldest_among_equals() {
        let pool =
            Pool { blocks: 8, pages_per_block: 4, seed: 1, is_volume: false, logical_pages: None };
        let mut policy = WindowedGreedy::build(&pool, WindowConfig { window: Ratio(0.25) });
        for (block, valid) in [(5, 3), (2, 3), (7, 0)] {
            policy.close(Closed::untimed(Pbn(block), valid));
        }
        assert_eq!(policy.choose(Moment::default()), Some(Pbn(5)), "7 is not among the two oldest");
        policy.shrink(Pbn(2), 2, 0);
        assert_eq!(policy.choose(Moment::default()), Some(Pbn(2)));
        policy.remove(Pbn(2), 2);
        assert_eq!(policy.choose(Moment::default()), Some(Pbn(7)));
    }
}
