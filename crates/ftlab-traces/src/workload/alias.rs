//! Draws from a short table of weights in constant time (Walker's alias method).
//!
//! All columns of the table have equal weight, and at most two outcomes share a column. One random
//! number selects the column, and another one the outcome.

use crate::rng::Rng;

/// A weighted choice among `0..len`.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    /// For each column: the share of its first outcome, and the outcome of the rest.
    columns: Vec<(f64, u32)>,
}

impl Alias {
    /// The choice with probability proportional to `weights`: finite, not negative, not all 0.
    pub(super) fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let mut level: Vec<f64> =
            weights.iter().map(|w| w / total * weights.len() as f64).collect();
        let mut columns: Vec<(f64, u32)> = (0..weights.len()).map(|i| (1.0, i as u32)).collect();
        let (mut poor, mut rich): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&i| level[i] < 1.0);
        while let (Some(low), Some(high)) = (poor.pop(), rich.pop()) {
            columns[low] = (level[low], high as u32);
            level[high] -= 1.0 - level[low];
            if level[high] < 1.0 { poor.push(high) } else { rich.push(high) }
        }
        Alias { columns }
    }

    /// The next outcome. A table of one takes no random number.
    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> usize {
        if self.columns.len() == 1 {
            return 0;
        }
        let column = rng.below(self.columns.len() as u64) as usize;
        let (own, other) = self.columns[column];
        if rng.chance(own) { column } else { other as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_come_as_often_as_they_weigh() {
        let weights = [5.0, 0.0, 1.0, 2.5, 1.5];
        let alias = Alias::new(&weights);
        let mut rng = Rng::new(3, "test");
        let mut counts = [0u32; 5];
        for _ in 0..1_000_000 {
            counts[alias.draw(&mut rng)] += 1;
        }
        for (count, weight) in counts.iter().zip(weights) {
            assert!((f64::from(*count) / 1e6 - weight / 10.0).abs() < 0.002, "{counts:?}");
        }
        assert_eq!(counts[1], 0);
    }
}
