//! The law of stack distances: how many other places were used since the next one was.
//!
//! The share of uses at least `d` deep is the miss ratio of an LRU cache with `d` places, so a
//! miss ratio curve *is* such a table. What lies beyond the last point has never been used.

use crate::math::powf;
use crate::rng::Rng;

/// Steps of the inverted table: distances between two steps are interpolated.
const STEPS: usize = 4096;

/// A survival function of distances that can be drawn from.
#[derive(Clone, Debug)]
pub(super) struct Distances {
    /// Distance below which `i / STEPS` of all finite ones lie.
    quantiles: Vec<f64>,
    /// The row of the table that each step belongs to.
    rows: Vec<u8>,
    /// Share of uses beyond the table.
    beyond: f64,
}

impl Distances {
    /// The law with these points (distance, share of uses at least that deep): distances ascend from
    /// 0, shares do not ascend, from 1; at most 255 points. Between two points the share falls with
    /// the logarithm of the distance.
    pub(super) fn new(survival: &[(f64, f64)]) -> Self {
        let beyond = survival.last().map_or(1.0, |point| point.1);
        let mut quantiles = Vec::with_capacity(STEPS + 1);
        let mut rows = Vec::with_capacity(STEPS + 1);
        let mut row = 0;
        for step in 0..=STEPS {
            let deeper = 1.0 - step as f64 / STEPS as f64 * (1.0 - beyond);
            while row + 2 < survival.len() && survival[row + 1].1 >= deeper {
                row += 1;
            }
            let Some((&(near, high), &(far, low))) = survival.get(row).zip(survival.get(row + 1))
            else {
                return Distances { quantiles: Vec::new(), rows, beyond: 1.0 };
            };
            let fall = (high - low).max(f64::MIN_POSITIVE);
            let part = ((high - deeper) / fall).clamp(0.0, 1.0);
            quantiles.push((near + 1.0) * powf((far + 1.0) / (near + 1.0), part) - 1.0);
            rows.push(row as u8);
        }
        Distances { quantiles, rows, beyond }
    }

    /// The next distance and the row of the table that it comes from; `None` for a new place.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> Option<(u64, usize)> {
        let u = (rng.unit() - self.beyond) / (1.0 - self.beyond);
        if u.is_nan() || u < 0.0 {
            return None;
        }
        let scaled = u * STEPS as f64;
        let step = (scaled as usize).min(STEPS - 1);
        let (low, high) = (self.quantiles[step], self.quantiles[step + 1]);
        // A step that crosses a point of the table belongs to the row in which the draw ends.
        let distance = low + (high - low) * (scaled - step as f64);
        Some((distance as u64, usize::from(self.rows[step])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_follow_the_table() {
        let law = Distances::new(&[(0.0, 1.0), (1.0, 0.7), (9.0, 0.6), (999.0, 0.2)]);
        let mut rng = Rng::new(5, "test");
        let draws: Vec<Option<(u64, usize)>> = (0..200_000).map(|_| law.draw(&mut rng)).collect();
        let share = |limit: u64| {
            draws.iter().filter(|d| d.is_none_or(|d| d.0 >= limit)).count() as f64 / 200_000.0
        };
        for (distance, expected) in [(1, 0.7), (9, 0.6), (99, 0.4), (999, 0.2)] {
            let found = share(distance);
            assert!((found - expected).abs() < 0.01, "{distance}: {found}");
        }
    }

    #[test]
    fn a_table_without_a_use_draws_new_places_only() {
        let law = Distances::new(&[(0.0, 1.0)]);
        let mut rng = Rng::new(5, "test");
        assert!((0..100).all(|_| law.draw(&mut rng).is_none()));
    }
}
