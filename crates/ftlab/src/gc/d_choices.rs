//! d-choices (Van Houdt, SIGMETRICS 2013): the fewest valid pages among d random closed blocks.
//! One choice is random selection.

use super::VictimPolicy;
use crate::rng::Rng;
use crate::units::Pbn;

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
    pub(super) fn new(blocks: u32, choices: u32, rng: Rng) -> Self {
        DChoices {
            closed: Vec::new(),
            positions: vec![ABSENT; blocks as usize],
            valid: vec![0; blocks as usize],
            choices,
            rng,
        }
    }
}

impl VictimPolicy for DChoices {
    fn close(&mut self, pbn: Pbn, valid: u32, _now: u64) {
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

    fn choose(&mut self, _now: u64) -> Option<Pbn> {
        if self.closed.is_empty() {
            return None;
        }
        let blocks = self.closed.len() as u64;
        let draws = (0..self.choices).map(|_| self.closed[self.rng.below(blocks) as usize]);
        draws.min_by_key(|pbn| self.valid[pbn.index()])
    }
}
