//! d-choices (Van Houdt, SIGMETRICS 2013): the fewest valid pages among d random closed blocks.
//! One choice is random selection.

use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::rng::Rng;
use crate::units::Pbn;

crate::settings! {
    /// Settings of `d-choices`.
    pub struct ChoicesConfig in "gc" {
        /// Blocks drawn by `d-choices`.
        choices: u32 = 10, in 1..=1024, unit "blocks", laws 1..=10, source "ours";
    }
}

const ABSENT: u32 = u32::MAX;

/// The closed blocks in a dense array, so that any can be drawn.
#[derive(Clone, Debug)]
pub struct DChoices {
    closed: Vec<Pbn>,
    positions: Vec<u32>,
    valid: Vec<u32>,
    choices: u32,
    rng: Rng,
}

impl DChoices {
    fn drawing(choices: u32, pool: &Pool) -> Self {
        let blocks = pool.blocks;
        DChoices {
            closed: Vec::new(),
            positions: vec![ABSENT; blocks as usize],
            valid: vec![0; blocks as usize],
            choices,
            rng: Rng::new(pool.seed, "gc"),
        }
    }
}

impl PolicyDesign for DChoices {
    type Settings = ChoicesConfig;

    const SPEC: Spec = Spec {
        name: "d-choices",
        summary: "fewest valid pages among gc.choices random blocks",
        source: "Van Houdt, SIGMETRICS 2013",
    };

    fn build(pool: &Pool, own: ChoicesConfig) -> Self {
        DChoices::drawing(own.choices, pool)
    }
}

/// Any closed block.
#[derive(Clone, Debug)]
pub struct Random(DChoices);

impl PolicyDesign for Random {
    type Settings = ();

    const SPEC: Spec =
        Spec { name: "random", summary: "any closed block", source: "Van Houdt, SIGMETRICS 2013" };

    fn build(pool: &Pool, (): ()) -> Self {
        Random(DChoices::drawing(1, pool))
    }
}

impl VictimPolicy for Random {
    fn close(&mut self, block: Closed) {
        self.0.close(block);
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        self.0.shrink(pbn, valid, now);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.0.remove(pbn, valid);
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        self.0.choose(now)
    }
}

impl VictimPolicy for DChoices {
    fn close(&mut self, Closed { pbn, valid, .. }: Closed) {
        self.positions[pbn.index()] = self.closed.len() as u32;
        self.valid[pbn.index()] = valid;
        self.closed.push(pbn);
    }

    #[inline]
    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.valid[pbn.index()] = valid;
    }

    fn remove(&mut self, pbn: Pbn, _valid: u32) {
        let at = std::mem::replace(&mut self.positions[pbn.index()], ABSENT) as usize;
        self.closed.swap_remove(at);
        if let Some(moved) = self.closed.get(at) {
            self.positions[moved.index()] = at as u32;
        }
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        if self.closed.is_empty() {
            return None;
        }
        let blocks = self.closed.len() as u64;
        let draws = (0..self.choices).map(|_| self.closed[self.rng.below(blocks) as usize]);
        draws.min_by_key(|pbn| self.valid[pbn.index()])
    }
}
