//! RAMCloud's cost-benefit, as SepBIT's evaluation has it (Wang et al., FAST 2022).
//!
//! It takes the largest (1 - u) / u x sqrt(age). u is the share of valid pages. Age is time of the host since the block
//! was filled.
//!
//! Among blocks with equally many valid pages the one filled first wins, so it is enough to compare the first of each
//! count. Blocks that were filled at the same time are compared by their valid pages alone.

use super::by_valid::ByValid;
use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::units::Pbn;

/// The closed blocks of each count of valid pages, those filled first in front.
#[derive(Clone, Debug)]
pub struct Ramcloud(ByValid);

impl PolicyDesign for Ramcloud {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "ramcloud-cost-benefit",
        summary: "largest (1 - u) / u x sqrt(age), age in time of the host since the block was filled",
        source: "Rumble et al., FAST 2014; Wang et al., SepBIT, FAST 2022",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        Ramcloud(ByValid::new(pool.blocks, pool.pages_per_block))
    }
}

impl VictimPolicy for Ramcloud {
    fn close(&mut self, Closed { pbn, valid, at, number, .. }: Closed) {
        self.0.add(pbn, valid, (at.time, number.unwrap_or(pbn.0.into())));
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.0.shrink(pbn, valid);
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.0.remove(pbn, valid);
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        self.0.best_by_age(now.time)
    }
}
