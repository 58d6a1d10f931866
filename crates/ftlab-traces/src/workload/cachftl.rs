//! CACH-FTL's synthetic workloads (Boukhobza, Olivier, Rubini: A Scalable and Highly Configurable
//! Cache-Aware Hybrid Flash Translation Layer, Computers 3(1), 2014; section 5.2 and the table of
//! synthetic traces, called Table 2 in the text and captioned Table 1).
//!
//! Knobs    sequential rate 10 to 90 % (40 %), spatial locality 20 %, 10,000 to 5,000,000 writes
//!          (250,000), exponential inter-arrival times with a mean of 50 to 500 ms (200 ms), 1 GB,
//!          one page of 4 KB per request, all writes. One is varied at a time.
//! Follows  the sequential rate is the share of requests that go on where the previous one ended, or
//!          where the last of them did (choices.md#cachftl-sequential).
//!          "Exponential (0, 200 ms)" is an exponential law with mean 200 ms: the caption of the
//!          figure calls the values the mean.
//! Assumes  the paper names its spatial locality without a definition. Here it is the share of the
//!          requests which are not sequential that start within 64 requests' lengths before or
//!          after the previous one (one erase block of 256 KB with the paper's pages); all others
//!          are uniform over the space. A jump never hits the sequential successor.
//!          See choices.md#cachftl-locality. At the end of the space a sequential request continues at 0.
//! Departs  in nothing known.

use super::config::Plan;
use crate::rng::Rng;

/// Starts, in slots, within which a request is near: one block of 64 pages.
const NEAR: u64 = 64;

crate::choices! {
    /// What sequential requests go on from.
    pub enum Sequential {
        /// The previous request: runs of geometric length.
        Previous = "previous",
        /// The last sequential request: one stream, between whose requests others go elsewhere.
        Stream = "stream",
    }
}

/// The places of CACH-FTL's generator.
#[derive(Clone, Debug)]
pub(super) struct Cachftl {
    slots: u64,
    align: u64,
    sequential: f64,
    near: f64,
    /// What sequential requests go on from.
    from: Sequential,
    /// Slots: the previous start, and where the next sequential request goes.
    previous: u64,
    successor: u64,
}

impl Cachftl {
    /// The generator of a plan.
    pub(super) fn new(plan: &Plan) -> Self {
        Cachftl {
            slots: plan.slots(),
            align: plan.align,
            sequential: plan.sequential_rate,
            near: plan.spatial_locality,
            from: plan.sequential,
            previous: 0,
            successor: 0,
        }
    }

    /// The start of the next request, bytes.
    #[inline]
    pub(super) fn next(&mut self, length: u32, rng: &mut Rng) -> u64 {
        let goes_on = rng.chance(self.sequential);
        let slot = if !goes_on {
            self.jump(rng)
        } else if self.successor < self.slots {
            self.successor
        } else {
            0
        };
        self.previous = slot;
        if goes_on || self.from == Sequential::Previous {
            self.successor = slot + u64::from(length).div_ceil(self.align);
        }
        slot * self.align
    }

    /// A start that is not the successor, unless there is no other.
    fn jump(&self, rng: &mut Rng) -> u64 {
        let (first, end) = if rng.chance(self.near) {
            (self.previous.saturating_sub(NEAR), (self.previous + NEAR + 1).min(self.slots))
        } else {
            (0, self.slots)
        };
        if !(first..end).contains(&self.successor) || end - first == 1 {
            return first + rng.below(end - first);
        }
        let slot = first + rng.below(end - first - 1);
        if slot >= self.successor { slot + 1 } else { slot }
    }
}
