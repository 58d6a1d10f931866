//! Seeded random numbers, split by purpose so that one consumer cannot disturb another.
//!
//! xoshiro256++ is specified and stable across versions; the samplers are ours so that a seed means
//! the same stream for ever.

use crate::math;
use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A reproducible stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream for one purpose (`"gc"`, `"arrivals"`) of the run with this seed.
    #[must_use]
    pub fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a over the purpose: independent streams from one seed.
        let hash = purpose.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        Rng(Xoshiro256PlusPlus::seed_from_u64(seed ^ hash))
    }

    /// Uniform over all 64-bit values.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `0..bound`; `bound` must not be 0. The bias is below bound / 2^64.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Exponentially distributed with the given mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * math::ln(1.0 - self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_stream_for_ever() {
        let mut rng = Rng::new(1, "gc");
        let first: Vec<u64> = (0..4).map(|_| rng.below(1000)).collect();
        let mut again = Rng::new(1, "gc");
        assert_eq!(first, (0..4).map(|_| again.below(1000)).collect::<Vec<_>>());
        let mut other = Rng::new(1, "arrivals");
        assert_ne!(first, (0..4).map(|_| other.below(1000)).collect::<Vec<_>>());
    }

    #[test]
    fn means_are_what_the_names_say() {
        let mut rng = Rng::new(7, "test");
        let n = 200_000;
        let mean = (0..n).map(|_| rng.exponential(3.0)).sum::<f64>() / f64::from(n);
        assert!((mean - 3.0).abs() < 0.03, "{mean}");
        let mean = (0..n).map(|_| rng.below(10) as f64).sum::<f64>() / f64::from(n);
        assert!((mean - 4.5).abs() < 0.03, "{mean}");
    }
}
