//! CAT, cost age time (Chiang & Chang, Journal of Systems and Software 48(3), 1999), the policy of DAC.
//!
//! It takes the largest (1 - u) / u x age / erases. u is the share of valid pages. Age is page programs since a page of
//! the block was invalidated last. Erases are those of the block, and one: so blocks wear more evenly.
//!
//! Departs: the paper is known to us by those who cite it. Each victim is compared with all closed blocks.

use super::numbered::Numbered;
use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::units::Pbn;

/// The closed blocks, and what decides among them.
#[derive(Clone, Debug)]
pub struct CostAgeTime {
    closed: Numbered,
    /// When a page was invalidated last, or the block was filled, in page programs.
    changed: Vec<u64>,
    /// How often a block was collected.
    collected: Vec<u32>,
    pages_per_block: u32,
}

impl PolicyDesign for CostAgeTime {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "cat",
        summary: "largest (1 - u) / u x age / erases of the block",
        source: "Chiang & Chang, JSS 1999",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        CostAgeTime {
            closed: Numbered::new(pool.blocks),
            changed: vec![0; pool.blocks as usize],
            collected: vec![0; pool.blocks as usize],
            pages_per_block: pool.pages_per_block,
        }
    }
}

impl VictimPolicy for CostAgeTime {
    fn close(&mut self, block: Closed) {
        self.changed[block.pbn.index()] = block.at.programs;
        self.closed.close(block);
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        self.changed[pbn.index()] = now;
        self.closed.shrink(pbn, valid);
    }

    fn remove(&mut self, pbn: Pbn, _valid: u32) {
        self.collected[pbn.index()] += 1;
        self.closed.remove(pbn);
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        self.closed.best(|pbn, valid| {
            let age = (now.programs - self.changed[pbn.index()]) as f64;
            let gain = f64::from(self.pages_per_block - valid) / f64::from(valid);
            let erases = f64::from(self.collected[pbn.index()] + 1);
            if valid == 0 { f64::INFINITY } else { gain * age / erases }
        })
    }
}
