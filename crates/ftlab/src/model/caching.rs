//! Caches under independent references: page `i` is requested with probability `p_i`, whatever the
//! earlier requests.
//!
//! * Exact LRU: W. F. King, Analysis of demand paging algorithms, IFIP Congress 1971.
//! * LRU: H. Che, Y. Tung and Z. Wang, Hierarchical web caching systems, IEEE JSAC 20(7), 2002.
//! * FIFO: V. Martina, M. Garetto and E. Leonardi, A unified approach to the performance analysis of
//!   caching systems, INFOCOM 2014; that it equals random replacement: E. Gelenbe, A unified approach
//!   to the evaluation of a class of replacement algorithms, IEEE Trans. Computers C-22(6), 1973.
//! * Dirty evictions follow from Che's approximation: see [`demand_cached_map`].

use super::{double_until, root};
use crate::math::{exp_m1, powf};

/// Zipf's law over `n` pages: `p_i` proportional to `i^-theta`.
#[must_use]
pub fn zipf(n: u32, theta: f64) -> Vec<f64> {
    let mut popularity: Vec<f64> = (1..=n).map(|rank| powf(rank.into(), -theta)).collect();
    let total: f64 = popularity.iter().rev().sum();
    popularity.iter_mut().for_each(|p| *p /= total);
    popularity
}

/// Hit ratio of an LRU cache, exact: a sum over all ordered choices of `entries` pages, so only for
/// very small caches.
#[must_use]
pub fn lru_exact(popularity: &[f64], entries: usize) -> f64 {
    fn sum(popularity: &[f64], used: &mut Vec<bool>, left: usize, weight: f64, held: f64) -> f64 {
        if left == 0 {
            return weight * held;
        }
        let mut total = 0.0;
        for page in 0..popularity.len() {
            if !used[page] {
                used[page] = true;
                let next = weight * popularity[page] / (1.0 - held);
                total += sum(popularity, used, left - 1, next, held + popularity[page]);
                used[page] = false;
            }
        }
        total
    }
    sum(popularity, &mut vec![false; popularity.len()], entries, 1.0, 0.0)
}

/// Hit ratio of an LRU cache of fewer entries than pages, by Che's approximation:
/// `sum p_i h_i` with `h_i = 1 - e^(-p_i T)` and T such that the `h_i` sum to the entries.
#[must_use]
pub fn lru(popularity: &[f64], entries: u32) -> f64 {
    let time = characteristic_time(popularity, entries, resident);
    popularity.iter().map(|p| p * resident(*p, time)).sum()
}

/// Hit ratio of a FIFO cache, or of random replacement, of fewer entries than pages:
/// as [`lru`], with `h_i = p_i T / (1 + p_i T)`.
#[must_use]
pub fn fifo(popularity: &[f64], entries: u32) -> f64 {
    let resident = |p: f64, time: f64| p * time / (1.0 + p * time);
    let time = characteristic_time(popularity, entries, resident);
    popularity.iter().map(|p| p * resident(*p, time)).sum()
}

/// Traffic of a map that is cached entry by entry, per page access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapTraffic {
    /// Lookups that miss.
    pub misses: f64,
    /// Entries that are dirty when evicted.
    pub dirty_evictions: f64,
}

impl MapTraffic {
    /// Translation pages read: one for a miss, one before a dirty entry is written back.
    #[must_use]
    pub fn reads(&self) -> f64 {
        self.misses + self.dirty_evictions
    }

    /// Translation pages programmed: one for each dirty entry evicted.
    #[must_use]
    pub fn programs(&self) -> f64 {
        self.dirty_evictions
    }
}

/// DFTL (Gupta, Kim & Urgaonkar, ASPLOS 2009) under LRU, without garbage collection, when a share
/// `writes` of all accesses writes.
///
/// Let an entry be hit with probability `h` at each reference of its page. It remains for a run of
/// references: the first is a miss, and each further one a hit. It leaves clean when all of them
/// are reads, which holds for `(1 - w)(1 - h) / (1 - h (1 - w))` of the runs. The rest, `w / (1 - h
/// (1 - w))`, leave dirty.
#[must_use]
pub fn demand_cached_map(popularity: &[f64], entries: u32, writes: f64) -> MapTraffic {
    let time = characteristic_time(popularity, entries, resident);
    let mut traffic = MapTraffic { misses: 0.0, dirty_evictions: 0.0 };
    for p in popularity {
        let hit = resident(*p, time);
        let miss = p * (1.0 - hit);
        traffic.misses += miss;
        traffic.dirty_evictions += miss * writes / (1.0 - hit * (1.0 - writes));
    }
    traffic
}

/// Probability that an LRU cache holds a page of popularity `p`.
fn resident(p: f64, time: f64) -> f64 {
    -exp_m1(-p * time)
}

/// The time T for which the cache holds `entries` pages on average.
fn characteristic_time(
    popularity: &[f64],
    entries: u32,
    resident: impl Fn(f64, f64) -> f64,
) -> f64 {
    let missing =
        |time| popularity.iter().map(|p| resident(*p, time)).sum::<f64>() - f64::from(entries);
    assert!((entries as usize) < popularity.len(), "a cache that holds all pages never evicts");
    let high = double_until(1.0, missing);
    root(0.0, high, missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected}");
    }

    #[test]
    fn the_reference_values_of_lru_and_fifo_are_reproduced() {
        for (theta, entries, expected_lru, expected_fifo) in [
            (0.0, 1000, 0.1000, 0.1000),
            (0.6, 1000, 0.2432, 0.2200),
            (0.8, 100, 0.1566, 0.1336),
            (0.8, 5000, 0.7916, 0.7531),
            (0.99, 1000, 0.6641, 0.6190),
            (1.2, 1000, 0.8614, 0.8318),
        ] {
            let popularity = zipf(10_000, theta);
            assert_near(lru(&popularity, entries), expected_lru, 5.1e-5);
            assert_near(fifo(&popularity, entries), expected_fifo, 5.1e-5);
        }
    }

    #[test]
    fn the_reference_values_of_a_cached_map_are_reproduced() {
        for (theta, entries, writes, misses, dirty) in [
            (0.0, 1000, 0.5, 0.9000, 0.4737),
            (0.8, 1000, 0.1, 0.5633, 0.0734),
            (0.8, 3000, 0.9, 0.3411, 0.3179),
            (1.0, 1000, 0.5, 0.3244, 0.1847),
            (1.0, 3000, 1.0, 0.1752, 0.1752),
        ] {
            let traffic = demand_cached_map(&zipf(10_000, theta), entries, writes);
            assert_near(traffic.misses, misses, 5.1e-5);
            assert_near(traffic.dirty_evictions, dirty, 5.1e-5);
            assert_near(traffic.reads() - traffic.programs(), misses, 5.1e-5);
        }
    }

    #[test]
    fn exact_lru_has_kings_values_and_for_one_entry_the_sum_of_squares() {
        for (pages, theta, entries, expected) in [
            (6, 0.8, 2, 0.414_599),
            (6, 0.8, 3, 0.591_639),
            (8, 1.0, 3, 0.535_615),
            (8, 1.0, 4, 0.662_602),
        ] {
            assert_near(lru_exact(&zipf(pages, theta), entries), expected, 5.1e-7);
        }
        let popularity = zipf(9, 0.7);
        let squares: f64 = popularity.iter().map(|p| p * p).sum();
        assert_near(lru_exact(&popularity, 1), squares, 1e-15);
    }
}
