//! A time series of bounded length: when it is full, neighbouring points are merged and the step doubles.

use crate::figures::{counts, figures};
use crate::placement::separation::ClassPages;

/// Most points that are kept.
const MOST_POINTS: usize = 400;

counts! {
    plus since;
    /// What is summed up over a stretch of the run.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Sums {
        /// Requests completed.
        pub requests: u64,
        /// Response times of reads and writes, ns.
        pub response: u128,
        /// Their service times, ns.
        pub service: u128,
        /// Reads and writes among the requests.
        pub responses: u64,
        /// Mapping lookups.
        pub lookups: u64,
        /// Lookups found in the cache.
        pub hits: u64,
        /// Pages written by the host.
        pub host_programs: u64,
        /// Pages programmed in all.
        pub programs: u64,
    }
}

/// A stretch of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Its end, ns.
    pub time: u64,
    /// What it adds.
    pub sums: Sums,
    /// Bytes at its end whose newest version was in RAM alone; `None` without a buffer.
    pub at_risk_bytes: Option<u64>,
    /// What it adds by class of a separation.
    pub classes: ClassPages,
}

/// The series of a run.
#[derive(Clone, Debug)]
pub struct Series {
    points: Vec<Sample>,
    requests_per_point: u64,
}

figures! {
    /// The run over time, in intervals with equally many requests.
    #[derive(Default)]
    pub struct Timeline {
        of(points: &[Sample]);
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let mut requests = 0;
        /// End of each interval.
        time_s: Vec<f64> = column(points, |point| point.time as f64 / 1e9), unit "list of s";
        /// Requests completed by then.
        requests: Vec<u64> = column(points, |point| { requests += point.sums.requests; requests }), unit "list of requests";
        /// Hit ratio of the mapping cache in the interval.
        hit_ratio: Vec<Option<f64>> = column(points, |point| share(point.sums.hits, point.sums.lookups)),
            unit "list of ratios", null "of intervals without lookups";
        /// Write amplification of the interval.
        write_amplification: Vec<Option<f64>> = column(points, |point| share(point.sums.programs, point.sums.host_programs)),
            unit "list of factors", null "of intervals without writes";
        /// Mean response time of reads and writes in the interval.
        mean_response_us: Vec<f64> =
            column(points, |point| point.sums.response as f64 / point.sums.responses.max(1) as f64 / 1e3), unit "list of us";
        /// Data that a power cut at the end of the interval would lose, as its newest version is only in RAM. With
        /// `run.recovery` 0 for an FTL that mounts.
        at_risk_bytes: Vec<Option<u64>> = column(points, |point| point.at_risk_bytes),
            unit "list of bytes", null "without a buffer";
        /// Pages of the host in the interval, by class of a separation: of `handles`, by placement handle.
        written_by_class: Option<Vec<Vec<u64>>> = by_class(points, |pages| &pages.written),
            unit "lists of pages", null "unless pages are separated", source "fdp.md#ledgers";
        /// Pages that GC moves in the interval, by the class that the host's last write gave them.
        copied_by_class: Option<Vec<Vec<u64>>> = by_class(points, |pages| &pages.copied),
            unit "lists of pages", null "unless pages are separated", source "fdp.md#ledgers";
    }
}

/// For each class, its pages in each interval; `None` without classes.
fn by_class(points: &[Sample], pages: impl Fn(&ClassPages) -> &Vec<u64>) -> Option<Vec<Vec<u64>>> {
    let classes = points.iter().map(|point| pages(&point.classes).len()).max().unwrap_or(0);
    let of = |class: usize| {
        column(points, |point| pages(&point.classes).get(class).copied().unwrap_or_default())
    };
    (classes > 0).then(|| (0..classes).map(of).collect())
}

fn column<T>(points: &[Sample], value: impl FnMut(&Sample) -> T) -> Vec<T> {
    points.iter().map(value).collect()
}

impl Sums {
    /// Sum of the times that reads and writes waited before the device began with them, ns.
    #[must_use]
    pub fn wait(&self) -> f64 {
        (self.response - self.service) as f64
    }
}

impl Default for Series {
    fn default() -> Self {
        Series { points: Vec::new(), requests_per_point: 64 }
    }
}

impl Series {
    /// Requests that make up one point now.
    #[must_use]
    pub const fn requests_per_point(&self) -> u64 {
        self.requests_per_point
    }

    /// Appends a stretch.
    pub fn push(&mut self, sample: Sample) {
        self.points.push(sample);
        if self.points.len() == MOST_POINTS {
            self.points = self.points.chunks(2).map(merge).collect();
            self.requests_per_point *= 2;
        }
    }

    /// The stretches so far.
    #[must_use]
    pub fn stretches(&self) -> &[Sample] {
        &self.points
    }

    /// The columns.
    #[must_use]
    pub fn timeline(&self) -> Timeline {
        Timeline::of(&self.points)
    }
}

/// One stretch in the place of those that follow one another.
fn merge(stretches: &[Sample]) -> Sample {
    let sums = stretches.iter().map(|stretch| stretch.sums).fold(Sums::default(), Sums::plus);
    let classes = stretches.iter().map(|stretch| &stretch.classes);
    let classes = classes.fold(ClassPages::default(), |all, more| all.plus(more));
    stretches.last().map(|last| Sample { sums, classes, ..*last }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_stays_short_and_loses_nothing() {
        let mut series = Series::default();
        let mut pushed = 0;
        for time in 0..10_000 {
            let requests = series.requests_per_point();
            pushed += requests;
            let sums = Sums { requests, programs: 2, host_programs: 1, ..Sums::default() };
            let classes = ClassPages { written: vec![1, 2], copied: vec![0, 3] };
            series.push(Sample { time, sums, classes, ..Sample::default() });
        }
        let timeline = series.timeline();
        assert!(timeline.time_s.len() < MOST_POINTS);
        assert_eq!(timeline.requests.last(), Some(&pushed));
        assert!(timeline.time_s.is_sorted());
        assert!(timeline.write_amplification.iter().all(|wa| *wa == Some(2.0)));
        assert!(timeline.hit_ratio.iter().all(Option::is_none));
        let sums = |lists: Option<Vec<Vec<u64>>>| {
            lists.map(|lists| lists.iter().map(|list| list.iter().sum()).collect::<Vec<u64>>())
        };
        assert_eq!(sums(timeline.written_by_class), Some(vec![10_000, 20_000]));
        assert_eq!(sums(timeline.copied_by_class), Some(vec![0, 30_000]));
    }
}
