//! The synthetic workloads of CACH-FTL.
//!
//! Source: Boukhobza, Olivier, Rubini, A Scalable and Highly Configurable Cache-Aware Hybrid Flash
//! Translation Layer, Computers 3(1), 2014, section 5.2. The table of synthetic traces is Table 2
//! in the text and Table 1 in its caption.
//!
//! The paper varies one setting at a time:
//!
//! * Sequential rate: 10 to 90 % (default 40 %).
//! * Spatial locality: 20 %.
//! * Writes: 10,000 to 5,000,000 (default 250,000). All requests are writes of one page of 4 KB.
//! * Inter-arrival times: exponential, with a mean of 50 to 500 ms (default 200 ms).
//! * Address space: 1 GB.
//!
//! The generator follows the paper in two points. The sequential rate is the share of requests that
//! continue the previous one, or the last sequential one (choices.md#cachftl-sequential).
//! "Exponential (0, 200 ms)" is an exponential law with mean 200 ms: the figure's caption calls the
//! values the mean.
//!
//! The paper does not define its spatial locality. Here it is a share of the requests that are not
//! sequential (choices.md#cachftl-locality). These start within 64 request lengths of the previous
//! one, before or after it: one erase block of 256 KB with the paper's pages. All others are
//! uniform over the space. A jump never hits the sequential successor. At the end of the space a
//! sequential request continues at 0.
//!
//! No departure from the paper is known.

use super::config::Plan;
use crate::rng::Rng;

/// A request is near if it starts within this many slots: one block of 64 pages.
const NEAR: u64 = 64;

crate::choices! {
    /// The request that a sequential request continues.
    pub enum Sequential {
        /// The previous request, so runs have geometric length.
        Previous = "previous",
        /// The last sequential request: one stream, with other requests in between.
        Stream = "stream",
    }
}

/// The addresses of CACH-FTL's generator.
#[derive(Clone, Debug)]
pub(super) struct Cachftl {
    slots: u64,
    align: u64,
    sequential: f64,
    near: f64,
    /// The request that a sequential request continues.
    from: Sequential,
    /// In slots: the previous start, and the next sequential start.
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

    /// A start other than the successor, if there is one.
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
