//! Latencies: exact sums, and a histogram for percentiles.

use super::histogram::Histogram;
use crate::figures::figures;
use crate::math::powf;
use crate::units::Nanos;

/// Number of latencies from which the 99.99th percentile is reported.
const LEAST_FOR_9999: u64 = 100_000;

/// Records latencies in nanoseconds. A run of equal latencies, which is common on an idle device,
/// is entered at once. Percentiles count latencies above 2^51 ns (26 days) as this; mean and
/// maximum remain exact.
#[derive(Clone, Debug, Default)]
pub struct Latencies {
    histogram: Histogram,
    sum: u128,
    sum_of_squares: u128,
    max: Nanos,
    last: Nanos,
    /// Length of the run of `last`, which is not entered yet.
    repeats: u64,
}

figures! {
    /// A distribution of latencies, in microseconds.
    #[derive(Copy, PartialEq)]
    pub struct LatencySummary {
        /// Mean, exact.
        mean: f64, unit "us", better Lower, label "mean {}";
        /// Population standard deviation, exact.
        stddev: f64, unit "us", better Lower;
        /// Median, within 0.1 %.
        p50: f64, unit "us", better Lower, live "{quantile=\"0.5\"}";
        /// 90th percentile, within 0.1 %.
        p90: f64, unit "us", better Lower, live "{quantile=\"0.9\"}";
        /// 99th percentile, within 0.1 %.
        p99: f64, unit "us", better Lower, label "99 % {}", live "{quantile=\"0.99\"}";
        /// 99.9th percentile, within 0.1 %.
        p999: f64, unit "us", better Lower, label "99.9 % {}", live "{quantile=\"0.999\"}";
        /// 99.99th percentile, within 0.1 %.
        p9999: Option<f64>, unit "us", better Lower, label "99.99 % {}",
            null "of fewer than 100,000 requests, as it would rest on less than ten";
        /// Maximum, exact.
        max: f64, unit "us", better Lower;
    }
}

figures! {
    /// Points of a cumulative distribution.
    #[derive(Default, PartialEq)]
    pub struct Cdf {
        /// Response times, ascending; 20 points a decade of the slowest requests.
        value: Vec<f64>, unit "list of us";
        /// Share of the requests that complete within this time.
        fraction: Vec<f64>, unit "list of ratios";
    }
}

impl Latencies {
    /// Records one latency.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        if latency != self.last {
            self.enter();
            self.last = latency;
        }
        self.repeats += 1;
    }

    fn enter(&mut self) {
        let (latency, times) = (self.last, std::mem::take(&mut self.repeats));
        if times > 0 {
            self.histogram.record(latency, times);
            let sum = u128::from(latency) * u128::from(times);
            self.sum += sum;
            self.sum_of_squares += sum * u128::from(latency);
            self.max = self.max.max(latency);
        }
    }

    /// The histogram of all latencies recorded so far.
    fn entered(&self) -> Latencies {
        let mut all = self.clone();
        all.enter();
        all
    }

    /// Adds the latencies of another recorder.
    pub fn merge(&mut self, other: &Latencies) {
        let other = other.entered();
        self.histogram.add(&other.histogram);
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
        self.max = self.max.max(other.max);
    }

    /// The latencies recorded since an earlier state of this recorder. Its maximum is that of the
    /// whole.
    #[must_use]
    pub(crate) fn since(&self, then: &Latencies) -> Latencies {
        let (mut now, then) = (self.entered(), then.entered());
        now.histogram.subtract(&then.histogram);
        now.sum -= then.sum;
        now.sum_of_squares -= then.sum_of_squares;
        now
    }

    /// Number of latencies.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.histogram.len() + self.repeats
    }

    /// Sum of all latencies, ns.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.sum + u128::from(self.last) * u128::from(self.repeats)
    }

    /// The distribution in microseconds; `None` when nothing was recorded.
    #[must_use]
    pub fn summary(&self) -> Option<LatencySummary> {
        let all = self.entered();
        if all.count() == 0 {
            return None;
        }
        let count = all.count() as f64;
        let mean = all.sum as f64 / count;
        let variance = (all.sum_of_squares as f64 / count - mean * mean).max(0.0);
        let percentile = |q| all.histogram.quantile(q).min(all.max) as f64 / 1e3;
        Some(LatencySummary {
            mean: mean / 1e3,
            stddev: variance.sqrt() / 1e3,
            p50: percentile(0.5),
            p90: percentile(0.9),
            p99: percentile(0.99),
            p999: percentile(0.999),
            p9999: (all.count() >= LEAST_FOR_9999).then(|| percentile(0.9999)),
            max: all.max as f64 / 1e3,
        })
    }

    /// Points of the cumulative distribution: a hundred, and 20 a decade in the upper tail, as far
    /// as it extends.
    #[must_use]
    pub fn cdf(&self) -> Cdf {
        let (all, mut cdf) = (self.entered(), Cdf::default());
        if all.count() == 0 {
            return cdf;
        }
        let body = (0..100).map(|k| f64::from(k) / 100.0);
        let beyond = |k: i32| powf(10.0, -2.0 - f64::from(k) / 20.0);
        let tail = (0..=80).map(beyond).take_while(|share| share * all.count() as f64 >= 1.0);
        cdf.fraction = body.chain(tail.map(|share| 1.0 - share)).chain([1.0]).collect();
        let values = all.histogram.quantiles(cdf.fraction.iter().copied());
        cdf.value = values.map(|value| value.min(all.max) as f64 / 1e3).collect();
        cdf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_percentiles_within_a_thousandth() {
        let mut latencies = Latencies::default();
        (1..=100_000_u64).for_each(|k| latencies.record(k * 1000));
        let summary = latencies.summary().expect("recorded");
        assert_eq!(summary.mean, 50_000.5);
        assert_eq!(summary.max, 100_000.0);
        for (value, exact) in [(summary.p50, 5e4), (summary.p99, 9.9e4), (summary.p999, 9.99e4)] {
            assert!((value / exact - 1.0).abs() < 1e-3, "{value} {exact}");
        }
        let stddev = (1e10_f64 / 12.0).sqrt();
        assert!((summary.stddev / stddev - 1.0).abs() < 1e-6);
        let cdf = latencies.cdf();
        assert!(cdf.value.is_sorted() && cdf.fraction.is_sorted());
        assert_eq!(cdf.fraction.last(), Some(&1.0));
    }

    #[test]
    fn merging_is_recording_both() {
        let [mut a, mut b, mut both] = std::array::from_fn(|_| Latencies::default());
        for k in 0..1000_u64 {
            let one = if k % 3 == 0 { &mut a } else { &mut b };
            one.record(k * k);
            both.record(k * k);
        }
        a.merge(&b);
        assert_eq!(a.summary(), both.summary());
        assert_eq!(a.cdf(), both.cdf());
        assert_eq!(Latencies::default().summary(), None);
        both.merge(&Latencies::default());
        assert_eq!(both.since(&a).summary(), None);
    }

    #[test]
    fn what_was_recorded_since_is_a_distribution_of_its_own() {
        let [mut all, mut later] = std::array::from_fn(|_| Latencies::default());
        (0..1000_u64).for_each(|k| all.record(k * k));
        let then = all.clone();
        for k in (0..500_u64).chain([1_000_000]) {
            all.record(7 * k);
            later.record(7 * k);
        }
        assert_eq!(all.since(&then).summary(), later.summary());
    }
}
