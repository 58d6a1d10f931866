//! d-choices (Van Houdt, SIGMETRICS 2013): the fewest valid pages among d random closed blocks.
//! One choice is random selection.
//!
//! A number of choices is drawn one by one, so that a block may be drawn twice. A share of the closed blocks (random greedy
//! of SepBIT's evaluation) is drawn without that. Among equals the block wins that was drawn first; in a volume, that
//! which was opened first.

use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::rng::Rng;
use crate::units::{Pbn, Ratio};

crate::settings! {
    /// Settings of `d-choices`.
    pub struct ChoicesConfig in "gc" {
        /// Blocks drawn by `d-choices`.
        choices: u32 = 10, in 1..=1024, unit "blocks", laws 1..=10, source "ours";
        /// Share of the closed blocks that `d-choices` draws, two blocks at least.
        choices_share: Option<Ratio> = None, absent "gc.choices blocks", in 0.0..=1.0,
            laws [None, Some(Ratio(0.0)), Some(Ratio(0.2)), Some(Ratio(1.0))],
            source "Wang et al., SepBIT, FAST 2022: 20 %";
    }
}

const ABSENT: u32 = u32::MAX;

/// The closed blocks in a dense array, so that any can be drawn.
#[derive(Clone, Debug)]
pub struct DChoices {
    closed: Vec<Pbn>,
    positions: Vec<u32>,
    valid: Vec<u32>,
    /// The order in which blocks were opened, in a volume.
    numbers: Vec<Option<u64>>,
    choices: u32,
    share: Option<f64>,
    rng: Rng,
}

impl DChoices {
    fn drawing(choices: u32, share: Option<Ratio>, pool: &Pool) -> Self {
        let blocks = pool.blocks;
        DChoices {
            closed: Vec::new(),
            positions: vec![ABSENT; blocks as usize],
            valid: vec![0; blocks as usize],
            numbers: vec![None; blocks as usize],
            choices,
            share: share.map(|share| share.0),
            rng: Rng::new(pool.seed, "gc"),
        }
    }

    /// Any closed block out of those from a place on, which goes to that place.
    fn draw(&mut self, from: usize) -> Pbn {
        let left = self.closed.len() - from;
        let at = from + self.rng.below(left as u64) as usize;
        self.closed.swap(from, at);
        for place in [from, at] {
            let block = self.closed[place].index();
            unless_bug!(DrawLosesPlace, self.positions[block] = place as u32);
        }
        self.closed[from]
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
        DChoices::drawing(own.choices, own.choices_share, pool)
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
        Random(DChoices::drawing(1, None, pool))
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
    fn close(&mut self, Closed { pbn, valid, number, .. }: Closed) {
        self.numbers[pbn.index()] = number;
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
        let blocks = self.closed.len();
        let drawn: Vec<Pbn> = match self.share {
            Some(share) => {
                let most = (share * blocks as f64).ceil().max(2.0) as usize;
                (0..most.min(blocks)).map(|from| self.draw(from)).collect()
            }
            None => {
                let mut any = || self.closed[self.rng.below(blocks as u64) as usize];
                (0..self.choices).map(|_| any()).collect()
            }
        };
        let rank = |pbn: &Pbn| (self.valid[pbn.index()], self.numbers[pbn.index()]);
        drawn.into_iter().min_by_key(rank)
    }
}
