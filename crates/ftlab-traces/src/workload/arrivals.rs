//! When requests arrive: the gaps between them.

use crate::rng::Rng;
use crate::units::Nanos;

crate::choices! {
    /// How requests follow each other in time.
    pub enum Arrivals {
        /// Independent, exponentially distributed gaps.
        Poisson = "poisson",
        /// Equal gaps.
        Fixed = "fixed",
        /// All at time 0: a host with a queue depth decides when they are issued.
        Closed = "closed",
    }
}

/// The clock of a stream; the first request arrives at 0.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    kind: Arrivals,
    /// Mean of the gaps that are drawn, nanoseconds.
    mean_gap: f64,
    now: Nanos,
    started: bool,
    rng: Rng,
}

impl Clock {
    /// Gaps with this mean in nanoseconds.
    pub(super) fn new(kind: Arrivals, mean: f64, seed: u64) -> Self {
        let rng = Rng::new(seed, "arrivals");
        Clock { kind, mean_gap: mean, now: 0, started: false, rng }
    }

    /// The arrival of the next request.
    #[inline]
    pub(super) fn tick(&mut self) -> Nanos {
        if !std::mem::replace(&mut self.started, true) {
            return self.now;
        }
        self.now += match self.kind {
            Arrivals::Closed => 0,
            Arrivals::Fixed => self.mean_gap as Nanos,
            Arrivals::Poisson => self.rng.exponential(self.mean_gap).round() as Nanos,
        };
        self.now
    }
}
