//! A seeded permutation of `0..n` in constant memory: which page has which rank.
//!
//! Popularity is drawn as a rank. If rank 0 were page 0, the hot pages would be neighbours. The
//! permutation works on the next power of two: odd multiplications and folds are bijections of
//! `k`-bit words. It repeats while the result is outside `0..n`, at most once more on average.

use crate::rng::Rng;

/// Rounds of multiply and fold: enough to separate neighbours, few enough to be cheap.
const ROUNDS: usize = 3;

/// A bijection of `0..n`.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    n: u64,
    mask: u64,
    fold: u32,
    keys: [(u64, u64); ROUNDS],
}

impl Permutation {
    /// A permutation of `0..n`, `n` from 1 to 2^63.
    pub(super) fn new(n: u64, rng: &mut Rng) -> Self {
        assert!(n > 0 && n <= 1 << 63, "a permutation of {n} items");
        let mask = n.next_power_of_two() - 1;
        let bits = mask.count_ones();
        let keys = std::array::from_fn(|_| (rng.bits() | 1, rng.bits()));
        Permutation { n, mask, fold: bits.div_ceil(2).max(1), keys }
    }

    /// Where `rank`, below `n`, goes.
    #[inline]
    pub(super) fn apply(&self, rank: u64) -> u64 {
        debug_assert!(rank < self.n, "rank {rank} of {}", self.n);
        let mut x = rank;
        loop {
            for (factor, offset) in self.keys {
                x = x.wrapping_mul(factor).wrapping_add(offset) & self.mask;
                x ^= x >> self.fold;
            }
            if x < self.n {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_exactly_one_rank() {
        for n in [1, 2, 3, 5, 64, 1000, 4097, 131_072] {
            let permutation = Permutation::new(n, &mut Rng::new(n, "test"));
            let mut seen = vec![false; n as usize];
            for rank in 0..n {
                let page = permutation.apply(rank) as usize;
                assert!(!seen[page], "page {page} twice among {n}");
                seen[page] = true;
            }
        }
    }

    #[test]
    fn neighbours_in_rank_are_far_apart() {
        let n = 100_000;
        let permutation = Permutation::new(n, &mut Rng::new(1, "test"));
        let near = (1..n)
            .filter(|&r| permutation.apply(r).abs_diff(permutation.apply(r - 1)) < n / 100)
            .count();
        // Independent positions would be that near in about 2 % of the cases.
        assert!(near < n as usize / 20, "{near}");
    }
}
