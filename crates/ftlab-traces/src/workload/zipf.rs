//! Zipf's law over `1..=n`: rank `i` with probability proportional to `i^-theta`, exactly.
//!
//! Rejection-inversion (W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from
//! monotone discrete distributions, ACM TOMACS 6(3), 1996): the histogram of `i^-theta` is covered
//! by the area under `h(x) = x^-theta`, whose integral `H` can be inverted. Memory and time do not
//! depend on `n`; far less than one draw in ten is rejected. The code is ours so that a seed means
//! the same stream for ever.

use crate::math::{exp, exp_m1, ln, ln_1p};
use crate::rng::Rng;
use std::ops::RangeInclusive;

/// Zipf's law over `n` ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zipf {
    n: f64,
    theta: f64,
    /// `H(1.5) - 1`: the area starts so that rank 1 gets exactly its weight.
    area_start: f64,
    /// `H(n + 1/2)`.
    area_end: f64,
    /// Draws this close below their rank need no test (the paper's `s`).
    sure: f64,
}

impl Zipf {
    /// The law over `n` ranks, 1 to 2^52, with exponent `theta`, finite and not negative.
    pub(super) fn new(n: u64, theta: f64) -> Self {
        assert!((1..=1 << 52).contains(&n), "Zipf over {n} ranks");
        assert!(theta.is_finite() && theta >= 0.0, "Zipf with exponent {theta}");
        let area_end = integral(n as f64 + 0.5, theta);
        let sure = 2.0 - inverse(integral(2.5, theta) - weight(2.0, theta), theta);
        Zipf { n: n as f64, theta, area_start: integral(1.5, theta) - 1.0, area_end, sure }
    }

    /// The next rank, from 0: 0 is the most popular.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> u64 {
        loop {
            let area = self.area_end + rng.unit() * (self.area_start - self.area_end);
            let x = inverse(area, self.theta);
            let rank = (x + 0.5).floor().clamp(1.0, self.n);
            if rank - x <= self.sure
                || area >= integral(rank + 0.5, self.theta) - weight(rank, self.theta)
            {
                return rank as u64 - 1;
            }
        }
    }
}

/// The weight of some ranks together, not scaled: exact for one, and within a millionth where ranks differ little.
pub(super) fn mass(ranks: RangeInclusive<u64>, theta: f64) -> f64 {
    let (first, last) = (*ranks.start() as f64, *ranks.end() as f64);
    match first == last {
        true => weight(first, theta),
        false => integral(last + 0.5, theta) - integral(first - 0.5, theta),
    }
}

/// `h(x) = x^-theta`.
#[inline]
fn weight(x: f64, theta: f64) -> f64 {
    exp(-theta * ln(x))
}

/// `H(x) = (x^(1-theta) - 1) / (1 - theta)`, and `ln x` at `theta` = 1.
#[inline]
fn integral(x: f64, theta: f64) -> f64 {
    let log = ln(x);
    exp_m1_over((1.0 - theta) * log) * log
}

/// The inverse of [`integral`].
#[inline]
fn inverse(area: f64, theta: f64) -> f64 {
    let q = 1.0 - theta;
    // Rounding may leave the domain of the logarithm by an ulp.
    let t = (area * q).max(-1.0);
    if q.abs() > 1e-6 {
        // The plain logarithm is twice as fast; its rounding, divided by q, stays below 1e-9.
        return exp(ln(1.0 + t) / q);
    }
    exp(ln_1p_over(t) * area)
}

/// `(e^x - 1) / x` without cancellation.
#[inline]
fn exp_m1_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { exp_m1(x) / x } else { 1.0 + x * 0.5 }
}

/// `ln(1 + x) / x` without cancellation.
#[inline]
fn ln_1p_over(x: f64) -> f64 {
    if x.abs() > 1e-8 { ln_1p(x) / x } else { 1.0 - x * 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chi-square of a million draws against the exact probabilities, ranks beyond 200 pooled.
    fn chi_square(n: u64, theta: f64) -> (f64, usize) {
        let zipf = Zipf::new(n, theta);
        let mut rng = Rng::new(42, "zipf");
        let cells = n.min(201) as usize;
        let mut counts = vec![0f64; cells];
        let draws = 1_000_000;
        for _ in 0..draws {
            let rank = zipf.draw(&mut rng);
            assert!(rank < n);
            counts[(rank as usize).min(cells - 1)] += 1.0;
        }
        let mut exact = vec![0f64; cells];
        for rank in (1..=n).rev() {
            exact[(rank as usize - 1).min(cells - 1)] += exp(-theta * ln(rank as f64));
        }
        let total: f64 = exact.iter().sum();
        let expected = exact.iter().map(|p| p / total * f64::from(draws));
        let mut chi = 0.0;
        let mut tested = 0;
        for (count, expected) in counts.iter().zip(expected).filter(|(_, e)| *e >= 10.0) {
            chi += (count - expected) * (count - expected) / expected;
            tested += 1;
        }
        (chi, tested)
    }

    #[test]
    #[ignore = "long: part of make test-long"]
    fn draws_follow_the_exact_law() {
        for theta in [0.0, 0.3, 0.8, 0.99, 1.0, 1.000_000_1, 1.1, 2.0, 3.0] {
            for n in [2, 10, 1000, 131_072] {
                let (chi, cells) = chi_square(n, theta);
                // Five standard deviations above the mean of chi-square.
                let limit = cells as f64 + 5.0 * (2.0 * cells as f64).sqrt();
                assert!(chi < limit, "n {n} theta {theta}: {chi} over {cells} cells");
            }
        }
    }

    #[test]
    fn a_single_rank_is_drawn_always() {
        let mut rng = Rng::new(1, "zipf");
        for theta in [0.0, 1.0, 2.5] {
            let zipf = Zipf::new(1, theta);
            assert!((0..1000).all(|_| zipf.draw(&mut rng) == 0));
        }
    }
}
