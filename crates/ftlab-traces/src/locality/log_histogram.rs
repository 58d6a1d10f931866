//! Counts of numbers in bins that widen with them: sixteen to a power of two, below 16 one each.
//!
//! Those of the core, in which latencies are kept, are as fine as a thousandth. Here every
//! histogram has the same few bins, so that two distributions compare bin by bin and print as some
//! hundred points at most.

use serde::Serialize;

/// Bins to a power of two, as a power of two.
const SPLIT: u32 = 4;
const BINS: usize = (64 - SPLIT as usize + 1) << SPLIT;

/// A histogram of numbers from 0 to 2^64 - 1.
#[derive(Clone, Debug)]
pub struct LogHistogram {
    counts: Vec<u64>,
    count: u64,
    sum: f64,
    sum_of_squares: f64,
    max: u64,
}

/// A distribution: its figures, and the points of its cumulative curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// Numbers counted.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation over mean; `None` where the mean is 0.
    pub cv: Option<f64>,
    /// Median; like all percentiles the upper end of its bin, at most 1/16 too high.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The largest.
    pub max: f64,
    /// Upper ends of the bins that hold anything, ascending.
    pub value: Vec<f64>,
    /// Share of the numbers that are at most `value`.
    pub fraction: Vec<f64>,
}

impl Default for LogHistogram {
    fn default() -> Self {
        Self { counts: vec![0; BINS], count: 0, sum: 0.0, sum_of_squares: 0.0, max: 0 }
    }
}

impl LogHistogram {
    /// Counts `number` as often as `weight` says.
    #[inline]
    pub fn record(&mut self, number: u64, weight: u64) {
        self.counts[bin(number)] += weight;
        self.count += weight;
        let sum = number as f64 * weight as f64;
        self.sum += sum;
        self.sum_of_squares += sum * number as f64;
        self.max = self.max.max(number);
    }

    /// The distribution with every number divided by `unit`; `None` when nothing was counted.
    #[must_use]
    pub fn distribution(&self, unit: f64) -> Option<Distribution> {
        let (mut value, mut fraction, mut below) = (Vec::new(), Vec::new(), 0);
        for (bin, count) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            below += count;
            value.push(last_of(bin).min(self.max) as f64 / unit);
            fraction.push(below as f64 / self.count as f64);
        }
        let percentile = |share: f64| value[fraction.partition_point(|&f| f < share)];
        let count = self.count as f64;
        let mean = self.sum / count;
        let deviation = (self.sum_of_squares / count - mean * mean).max(0.0).sqrt();
        (self.count > 0).then(|| Distribution {
            count: self.count,
            mean: mean / unit,
            cv: (mean > 0.0).then(|| deviation / mean),
            p50: percentile(0.5),
            p90: percentile(0.9),
            p99: percentile(0.99),
            max: self.max as f64 / unit,
            value: value.clone(),
            fraction: fraction.clone(),
        })
    }
}

#[inline]
fn bin(number: u64) -> usize {
    let octave = (number | 1).ilog2().saturating_sub(SPLIT);
    ((octave as usize) << SPLIT) + (number >> octave) as usize
}

/// The largest number of a bin.
fn last_of(bin: usize) -> u64 {
    let octave = (bin >> SPLIT).saturating_sub(1);
    let next = (bin - (octave << SPLIT)) as u128 + 1;
    ((next << octave) - 1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_each_other_and_are_a_sixteenth_wide() {
        let mut first = 0;
        for at in 0..BINS {
            let last = last_of(at);
            assert_eq!((bin(first), bin(last)), (at, at));
            assert!(last - first <= first / 16, "{first} to {last}");
            first = last.wrapping_add(1);
        }
        assert_eq!(first, 0, "the last bin ends at 2^64 - 1");
    }

    #[test]
    fn a_distribution_has_exact_moments_and_close_percentiles() {
        let mut histogram = LogHistogram::default();
        assert_eq!(histogram.distribution(1.0), None);
        (1..=1000).for_each(|number| histogram.record(number * 1000, 2));
        let found = histogram.distribution(1000.0).unwrap();
        assert_eq!((found.count, found.mean, found.max), (2000, 500.5, 1000.0));
        assert!((found.cv.unwrap() - (1e6_f64 / 12.0).sqrt() / 500.5).abs() < 1e-3);
        for (percentile, exact) in [(found.p50, 500.0), (found.p90, 900.0), (found.p99, 990.0)] {
            assert!((1.0..17.0 / 16.0).contains(&(percentile / exact)), "{percentile}");
        }
        assert_eq!(found.fraction.last(), Some(&1.0));
        assert!(found.value.is_sorted() && found.fraction.is_sorted());
    }
}
