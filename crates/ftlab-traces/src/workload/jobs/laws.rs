//! How often the blocks of a space are used: fio's random distributions.
//!
//! Zipf's law is drawn as Gray et al. do (Quickly Generating Billion-Record Synthetic Databases, SIGMOD 1994). Ranks 1 and
//! 2 are exact, those behind them come by the inverse of a continuous law. The Pareto law is their self-similar one. Ranks go to blocks
//! by multiplicative hashing with the golden ratio (Knuth, TAOCP 6.4), modulo the number of blocks, from a first
//! block on. If that number is a power of two, each block has one rank. Otherwise some have several, and others none.

use super::value;
use crate::math;
use crate::rng::Rng;
use crate::workload::alias::Alias;

/// 2^64 (1 - 1/phi).
const GOLDEN: u64 = 0x61c8_8646_80b5_83eb;

/// Terms of the harmonic sum that are added one by one.
const SINGLE_TERMS: u64 = 10_000;

/// A distribution, as a job asks for it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Law {
    /// Equally often.
    Uniform,
    /// Exponent, and where in the space the first rank is.
    Zipf(f64, Option<f64>),
    /// Share of the space that gets the rest of the requests: .2 for 80/20; and where the first rank is.
    Pareto(f64, Option<f64>),
    /// Shares of the requests, with the percentage of the space that each goes to, one behind the other.
    Zoned(Vec<(f64, f64)>),
    /// The same with bytes.
    ZonedBytes(Vec<(u64, f64)>),
}

impl Law {
    pub(super) const EXPECTED: &'static str = "random, zipf:THETA (not 1), pareto:SHARE, zoned:ACCESS/SIZE:.. or zoned_abs:ACCESS/SIZE:..";

    pub(super) fn parse(text: &str, kb_base: u64) -> Option<Self> {
        let (name, rest) = text.split_once([':', '=']).unwrap_or((text, ""));
        let numbers = || {
            let (number, centre) = rest.split_once(':').map_or((rest, None), |(a, b)| (a, Some(b)));
            let centre = match centre {
                None => None,
                Some(text) => Some(text.parse::<f64>().ok().filter(|at| (0.0..=1.0).contains(at))?),
            };
            Some((number.parse::<f64>().ok()?, centre))
        };
        match name {
            "random" if rest.is_empty() => Some(Law::Uniform),
            "zipf" => {
                let (theta, centre) = numbers()?;
                (theta > 0.0 && theta <= 10.0 && theta != 1.0).then_some(Law::Zipf(theta, centre))
            }
            "pareto" => {
                let (share, centre) = numbers()?;
                (share > 0.0 && share < 1.0).then_some(Law::Pareto(share, centre))
            }
            "zoned" => {
                let zones =
                    zones(rest, |size| size.parse::<f64>().ok().filter(|size| *size >= 0.0))?;
                let all: f64 = zones.iter().map(|(size, _)| size).sum();
                (all <= 100.0).then_some(Law::Zoned(zones))
            }
            "zoned_abs" => zones(rest, |size| value::number(size, kb_base)).map(Law::ZonedBytes),
            _ => None,
        }
    }

    /// What is expected of a law that does not fit in a space of this length.
    pub(super) fn beyond(&self, length: u64) -> Option<String> {
        let Law::ZonedBytes(zones) = self else { return None };
        let end = zones.iter().fold(0u64, |end, (size, _)| end.saturating_add(*size));
        (end > length).then(|| format!("zones within the space of {length} B"))
    }
}

/// `ACCESS/SIZE:..`; what has no share of the accesses gets the rest.
fn zones<T: Copy>(text: &str, size: impl Fn(&str) -> Option<T>) -> Option<Vec<(T, f64)>> {
    // The lists of fio have the share in front of the size here, and behind it in `bssplit`.
    let turned: Vec<String> = text
        .split(':')
        .map(|part| part.split_once('/').map(|(access, size)| format!("{size}/{access}")))
        .collect::<Option<_>>()?;
    value::shares(&turned.join(":"), size)
}

/// A law over a number of blocks.
#[derive(Clone, Debug)]
pub(super) enum Draws {
    Uniform(u64),
    Zipf(Gray, Hashed),
    Pareto { blocks: u64, power: f64, hashed: Hashed },
    Zones { choice: Alias, zones: Vec<(u64, u64)> },
}

impl Draws {
    /// A law over `blocks`, at least one, of `align` bytes; `rng` places the first rank where the law does not.
    pub(super) fn new(law: &Law, blocks: u64, align: u64, rng: &mut Rng) -> Self {
        let mut hashed = |centre: &Option<f64>| {
            let drawn = rng.below(blocks);
            let shift = centre.map_or(drawn, |at| (at * blocks as f64) as u64);
            Hashed { blocks, shift: shift % blocks }
        };
        match law {
            Law::Uniform => Draws::Uniform(blocks),
            Law::Zipf(theta, centre) => Draws::Zipf(Gray::new(blocks, *theta), hashed(centre)),
            Law::Pareto(share, centre) => {
                let power = math::ln(*share) / math::ln(1.0 - share);
                Draws::Pareto { blocks, power, hashed: hashed(centre) }
            }
            Law::Zoned(zones) => {
                let ends = zones.iter().scan(0.0, |end, (size, access)| {
                    *end += size;
                    Some(((*end / 100.0 * blocks as f64).round() as u64, *access))
                });
                Self::zones(ends, blocks)
            }
            Law::ZonedBytes(zones) => {
                let ends = zones.iter().scan(0u64, |end, (size, access)| {
                    *end = end.saturating_add(*size);
                    Some((*end / align, *access))
                });
                Self::zones(ends, blocks)
            }
        }
    }

    /// Zones that end at these blocks, with their shares; one that is too small has its last block alone.
    fn zones(ends: impl Iterator<Item = (u64, f64)>, blocks: u64) -> Self {
        let (mut first, mut zones, mut weights) = (0, Vec::new(), Vec::new());
        for (end, access) in ends {
            let from = first.min(blocks - 1);
            zones.push((from, end.min(blocks).saturating_sub(from).max(1)));
            weights.push(access);
            first = end;
        }
        Draws::Zones { choice: Alias::new(&weights), zones }
    }

    /// The next block.
    #[inline]
    pub(super) fn next(&self, rng: &mut Rng) -> u64 {
        match self {
            Draws::Uniform(blocks) => rng.below(*blocks),
            Draws::Zipf(gray, hashed) => hashed.block(gray.rank(rng)),
            Draws::Pareto { blocks, power, hashed } => {
                hashed.block(((blocks - 1) as f64 * math::powf(rng.unit(), *power)) as u64)
            }
            Draws::Zones { choice, zones } => {
                let (first, blocks) = zones[choice.draw(rng)];
                first + rng.below(blocks)
            }
        }
    }
}

/// Which block has a rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed {
    blocks: u64,
    shift: u64,
}

impl Hashed {
    #[inline]
    fn block(self, rank: u64) -> u64 {
        (rank.wrapping_mul(GOLDEN) % self.blocks + self.shift) % self.blocks
    }
}

/// Zipf's law as Gray et al. draw it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gray {
    ranks: u64,
    theta: f64,
    all: f64,
    eta: f64,
}

impl Gray {
    fn new(ranks: u64, theta: f64) -> Self {
        let all = harmonic(ranks, theta);
        let two = 1.0 + math::powf(0.5, theta);
        let eta = (1.0 - math::powf(2.0 / ranks as f64, 1.0 - theta)) / (1.0 - two / all);
        Gray { ranks, theta, all, eta }
    }

    /// The next rank, from 0.
    #[inline]
    fn rank(&self, rng: &mut Rng) -> u64 {
        let unit = rng.unit();
        let weight = unit * self.all;
        if weight < 1.0 {
            0
        } else if weight < 1.0 + math::powf(0.5, self.theta) || self.ranks <= 2 {
            1.min(self.ranks - 1)
        } else {
            let power = 1.0 / (1.0 - self.theta);
            let rank = self.ranks as f64 * math::powf(self.eta * unit - self.eta + 1.0, power);
            (rank as u64).min(self.ranks - 1)
        }
    }
}

/// The sum of `k^-theta` over 1 to `n`, by Euler and Maclaurin behind the first terms.
fn harmonic(n: u64, theta: f64) -> f64 {
    let term = |k: f64| math::powf(k, -theta);
    let single = n.min(SINGLE_TERMS);
    let sum: f64 = (1..=single).rev().map(|k| term(k as f64)).sum();
    if n == single {
        return sum;
    }
    let (first, last, q) = (single as f64, n as f64, 1.0 - theta);
    sum + (math::powf(last, q) - math::powf(first, q)) / q + (term(last) - term(first)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(law: &str, blocks: u64, draws: u32) -> Vec<f64> {
        let law = Law::parse(law, 1024).expect("a law");
        let mut rng = Rng::new(1, "test");
        let draw = Draws::new(&law, blocks, 4096, &mut rng);
        let mut counts = vec![0.0; blocks as usize];
        (0..draws).for_each(|_| counts[draw.next(&mut rng) as usize] += 1.0 / f64::from(draws));
        counts
    }

    #[test]
    fn the_sum_of_many_terms_is_that_of_each() {
        for theta in [0.5, 0.99, 1.2, 2.2] {
            let all: f64 = (1..=1_000_000u32).rev().map(|k| math::powf(f64::from(k), -theta)).sum();
            assert!((harmonic(1_000_000, theta) / all - 1.0).abs() < 1e-9, "{theta}");
        }
    }

    #[test]
    fn the_first_ranks_of_zipf_have_their_weights() {
        let found = counts("zipf:1.2:0.25", 4096, 400_000);
        let all = harmonic(4096, 1.2);
        assert!((found[1024] - 1.0 / all).abs() < 0.003, "{}", found[1024]);
        let second = found[((GOLDEN % 4096 + 1024) % 4096) as usize];
        assert!((second - math::powf(0.5, 1.2) / all).abs() < 0.003, "{second}");
    }

    #[test]
    fn some_blocks_have_no_rank_unless_their_number_is_a_power_of_two() {
        let with_ranks = |blocks: u64| {
            let hashed = Hashed { blocks, shift: 5 };
            let mut seen = vec![false; blocks as usize];
            (0..blocks).for_each(|rank| seen[hashed.block(rank) as usize] = true);
            seen.iter().filter(|seen| **seen).count() as f64 / blocks as f64
        };
        assert_eq!(with_ranks(1 << 14), 1.0);
        // As fio 3.33 was seen to have it.
        for (blocks, share) in [(1_000, 0.308), (10_240, 0.787), (655_360, 0.941)] {
            assert!((with_ranks(blocks) - share).abs() < 0.001, "{blocks}: {}", with_ranks(blocks));
        }
    }

    #[test]
    fn eighty_per_cent_go_to_twenty() {
        let mut found = counts("pareto:0.2", 8192, 200_000);
        found.sort_by(|a, b| b.total_cmp(a));
        let hot: f64 = found[..8192 / 5].iter().sum();
        assert!((hot - 0.8).abs() < 0.01, "{hot}");
    }

    #[test]
    fn zones_have_their_shares() {
        for law in ["zoned:60/10:30/20:8/30:2/40", "zoned_abs:60/400k:30/800k:8/1200k:2/1600k"] {
            let found = counts(law, 1000, 200_000);
            let of = |from: usize, to: usize| found[from..to].iter().sum::<f64>();
            for (share, from, to) in
                [(0.6, 0, 100), (0.3, 100, 300), (0.08, 300, 600), (0.02, 600, 1000)]
            {
                assert!((of(from, to) - share).abs() < 0.01, "{law}: {}", of(from, to));
            }
        }
    }

    #[test]
    fn what_is_no_law_is_refused() {
        for bad in [
            "zipf",
            "zipf:1",
            "zipf:-1",
            "zipf:nan",
            "zipf:1.2:2",
            "pareto:1",
            "normal:20",
            "zoned:60",
            "zoned:60/10",
            "random:1",
        ] {
            assert_eq!(Law::parse(bad, 1024), None, "{bad}");
        }
    }
}
