//! RAMCloud's cost-benefit, as SepBIT's evaluation has it (Wang et al., FAST 2022).
//!
//! It takes the largest (1 - u) / u x sqrt(age). u is the share of valid pages. Age is time of the host since the block
//! was filled.
//!
//! Among blocks with equally many valid pages the one filled first wins, so it is enough to compare the first of each
//! count. Blocks that were filled at the same time are compared by their valid pages alone.

use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::units::{Nanos, Pbn};
use std::collections::BTreeSet;

/// The closed blocks of each count of valid pages, those filled first in front.
#[derive(Clone, Debug)]
pub struct Ramcloud {
    by_valid: Vec<BTreeSet<(Nanos, u64, Pbn)>>,
    /// When a block was filled, and what decides among equals.
    filled: Vec<(Nanos, u64)>,
}

impl Ramcloud {
    /// (1 - u) / u x sqrt(age); a block without valid pages is worth more than any other.
    fn score(&self, valid: usize, filled: Nanos, now: Nanos) -> f64 {
        let pages = self.by_valid.len() - 1;
        let age = now.saturating_sub(filled) as f64;
        if valid == 0 { f64::INFINITY } else { (pages - valid) as f64 / valid as f64 * age.sqrt() }
    }

    fn put(&mut self, pbn: Pbn, valid: u32) {
        let (filled, number) = self.filled[pbn.index()];
        self.by_valid[valid as usize].insert((filled, number, pbn));
    }
}

impl PolicyDesign for Ramcloud {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "ramcloud-cost-benefit",
        summary: "largest (1 - u) / u x sqrt(age), age in time of the host since the block was filled",
        source: "Rumble et al., FAST 2014; Wang et al., SepBIT, FAST 2022",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        Ramcloud {
            by_valid: vec![BTreeSet::new(); pool.pages_per_block as usize + 1],
            filled: vec![(0, 0); pool.blocks as usize],
        }
    }
}

impl VictimPolicy for Ramcloud {
    fn close(&mut self, Closed { pbn, valid, at, number, .. }: Closed) {
        self.filled[pbn.index()] = (at.time, number.unwrap_or(pbn.0.into()));
        self.put(pbn, valid);
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.remove(pbn, valid + 1);
        self.put(pbn, valid);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        let (filled, number) = self.filled[pbn.index()];
        self.by_valid[valid as usize].remove(&(filled, number, pbn));
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        let first = self.by_valid.iter().enumerate();
        let first = first.filter_map(|(valid, blocks)| Some((valid, *blocks.first()?)));
        let mut best: Option<(f64, Pbn)> = None;
        for (valid, (filled, _, pbn)) in first {
            let score = self.score(valid, filled, now.time);
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, pbn));
            }
        }
        best.map(|(_, pbn)| pbn)
    }
}
