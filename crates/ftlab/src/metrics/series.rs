//! A time series of bounded length: when it is full, neighbouring points are merged and the step doubles.

use serde::Serialize;

/// Most points that are kept.
const MOST_POINTS: usize = 400;

/// Sums over a stretch of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// End of the stretch, ns.
    pub time: u64,
    /// Requests completed in the stretch.
    pub requests: u64,
    /// Sum of the response times of reads and writes, ns.
    pub response: u128,
    /// Sum of their service times, ns.
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
    /// Bytes at the end of the stretch whose newest version was in RAM alone; `None` without a buffer.
    pub at_risk_bytes: Option<u64>,
}

/// The series of a run.
#[derive(Clone, Debug)]
pub struct Series {
    points: Vec<Sample>,
    requests_per_point: u64,
}

/// The series as columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timeline {
    /// End of each stretch, s.
    pub time_s: Vec<f64>,
    /// Requests completed up to there.
    pub requests: Vec<u64>,
    /// Hit ratio of the stretch; absent without lookups.
    pub hit_ratio: Vec<Option<f64>>,
    /// Write amplification of the stretch; absent without host writes.
    pub write_amplification: Vec<Option<f64>>,
    /// Mean response time of reads and writes in the stretch, us.
    pub mean_response_us: Vec<f64>,
    /// Bytes that a power failure at the end of the stretch would have lost; absent without a buffer.
    pub at_risk_bytes: Vec<Option<u64>>,
}

impl Sample {
    /// Adds the stretch that follows.
    pub fn add(&mut self, next: &Sample) {
        *self = Sample {
            time: self.time.max(next.time),
            requests: self.requests + next.requests,
            response: self.response + next.response,
            service: self.service + next.service,
            responses: self.responses + next.responses,
            lookups: self.lookups + next.lookups,
            hits: self.hits + next.hits,
            host_programs: self.host_programs + next.host_programs,
            programs: self.programs + next.programs,
            at_risk_bytes: next.at_risk_bytes,
        };
    }

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
        let mut timeline = Timeline::default();
        let mut requests = 0;
        for point in &self.points {
            let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
            requests += point.requests;
            timeline.time_s.push(point.time as f64 / 1e9);
            timeline.requests.push(requests);
            timeline.hit_ratio.push(share(point.hits, point.lookups));
            timeline.write_amplification.push(share(point.programs, point.host_programs));
            let mean = point.response as f64 / point.responses.max(1) as f64;
            timeline.mean_response_us.push(mean / 1e3);
            timeline.at_risk_bytes.push(point.at_risk_bytes);
        }
        timeline
    }
}

fn merge(pair: &[Sample]) -> Sample {
    let mut sum = Sample::default();
    pair.iter().for_each(|sample| sum.add(sample));
    sum
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
            let programs = Sample { programs: 2, host_programs: 1, ..Sample::default() };
            series.push(Sample { time, requests, ..programs });
        }
        let timeline = series.timeline();
        assert!(timeline.time_s.len() < MOST_POINTS);
        assert_eq!(timeline.requests.last(), Some(&pushed));
        assert!(timeline.time_s.is_sorted());
        assert!(timeline.write_amplification.iter().all(|wa| *wa == Some(2.0)));
        assert!(timeline.hit_ratio.iter().all(Option::is_none));
    }
}
