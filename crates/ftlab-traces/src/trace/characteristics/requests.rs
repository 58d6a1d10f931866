//! Requests: sizes, alignment, sequentiality, arrivals.

use super::ratio;
use crate::error::Error;
use crate::locality::{Distribution, LogHistogram};
use crate::request::{Op, Request, Volumes};
use crate::trace::pages::PAGE_BYTES;
use crate::units::Nanos;
use serde::Serialize;

/// The smallest size that is distinguished, 512 B, as a power of two.
const SMALLEST_LOG2: u32 = 9;
/// Sizes up to 1 GiB, the longest request.
const SIZES: usize = 22;
/// Alignments from 512 B to 1 MiB.
const ALIGNMENTS: usize = 12;
/// Ends of requests that a later one may continue.
const STREAMS: usize = 32;
const SECOND: Nanos = 1_000_000_000;

/// Characteristics of requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RequestCharacteristics {
    /// How long requests are.
    pub sizes: Sizes,
    /// How requests are aligned to powers of two.
    pub alignment: Alignment,
    /// How requests continue each other.
    pub sequentiality: Sequentiality,
    /// How requests follow each other in time; `None` with a single request.
    pub arrivals: Option<Arrivals>,
}

/// Requests by length.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sizes {
    /// Powers of two: a request counts at the first that is not below its length.
    pub bytes: Vec<u64>,
    /// Reads of each size.
    pub reads: Vec<u64>,
    /// Writes of each size.
    pub writes: Vec<u64>,
}

/// Requests by alignment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Alignment {
    /// Powers of two.
    pub bytes: Vec<u64>,
    /// Share of requests whose offset and length are both multiples.
    pub ratio: Vec<f64>,
}

/// How requests continue each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sequentiality {
    /// Reads that begin where the request before them on their volume ended, among reads.
    pub sequential_reads_ratio: Option<f64>,
    /// The same of writes.
    pub sequential_writes_ratio: Option<f64>,
    /// Reads that begin where the request before them ended, among reads, with all volumes laid
    /// over each other (TPFTL, Table 4).
    pub overlaid_sequential_reads_ratio: Option<f64>,
    /// The same of writes.
    pub overlaid_sequential_writes_ratio: Option<f64>,
    /// 4 KiB pages read that directly follow the page accessed before on their volume, among those
    /// read.
    pub sequential_read_pages_ratio: Option<f64>,
    /// The same of pages written.
    pub sequential_written_pages_ratio: Option<f64>,
    /// Requests that begin where one of the last 32 streams of requests ended.
    pub stream_requests_ratio: Option<f64>,
    /// Streams of two or more requests among the 32 used last, mean over requests.
    pub streams_mean: Option<f64>,
    /// The most such streams at a time.
    pub streams_max: u64,
}

/// How requests follow each other in time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrivals {
    /// Times between requests, microseconds.
    pub interval_us: Distribution,
    /// Requests that arrive at the same time as the one before.
    pub together_ratio: f64,
    /// (c - 1) / (c + 1) with the coefficient of variation c of the intervals: -1 for a clock, 0 for
    /// Poisson arrivals, 1 for extreme bursts (K.-I. Goh and A.-L. Barabasi, EPL 81, 2008).
    pub burstiness: Option<f64>,
    /// The most requests in one second of the clock.
    pub requests_in_a_second_max: u64,
}

/// Reads, or writes.
#[derive(Clone, Copy, Default)]
struct Kind {
    sizes: [u64; SIZES],
    requests: u64,
    sequential_requests: u64,
    overlaid_sequential_requests: u64,
    pages: u64,
    sequential_pages: u64,
}

pub(super) struct RequestTally {
    /// By the power of two that divides offset and length; the highest powers share one entry.
    aligned: [u64; ALIGNMENTS + 1],
    requests: u64,
    /// For reads and writes.
    kinds: [Kind; 2],
    /// One past the last byte of the latest request; `None` at first.
    ends: Volumes<Option<u64>>,
    /// The same of all volumes laid over each other.
    overlaid_end: Option<u64>,
    streams: Streams,
    arrivals: ArrivalTally,
}

impl RequestTally {
    pub(super) fn new() -> Self {
        Self {
            aligned: [0; ALIGNMENTS + 1],
            requests: 0,
            kinds: [Kind::default(); 2],
            ends: Volumes::new(),
            overlaid_end: None,
            streams: Streams::default(),
            arrivals: ArrivalTally::default(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, request: &Request) -> Result<(), Error> {
        if request.op == Op::Flush {
            return Ok(());
        }
        self.requests += 1;
        self.arrivals.add(request.time);
        let zeros = (request.offset | u64::from(request.length)).trailing_zeros();
        let alignment = (zeros + 1).saturating_sub(SMALLEST_LOG2).min(ALIGNMENTS as u32);
        self.aligned[alignment as usize] += 1;
        let end = self.ends.of(request.volume, || None)?.replace(request.end());
        let overlaid_end = self.overlaid_end.replace(request.end());
        self.streams.add(request);
        match request.op {
            Op::Read => self.kinds[0].add(request, end, overlaid_end),
            Op::Write | Op::WriteThrough => self.kinds[1].add(request, end, overlaid_end),
            Op::Trim | Op::Flush => {}
        }
        Ok(())
    }

    pub(super) fn finish(self) -> RequestCharacteristics {
        let [reads, writes] = &self.kinds;
        RequestCharacteristics {
            sizes: self.sizes(),
            alignment: self.alignment(),
            sequentiality: Sequentiality {
                sequential_reads_ratio: ratio(reads.sequential_requests, reads.requests),
                sequential_writes_ratio: ratio(writes.sequential_requests, writes.requests),
                overlaid_sequential_reads_ratio: ratio(
                    reads.overlaid_sequential_requests,
                    reads.requests,
                ),
                overlaid_sequential_writes_ratio: ratio(
                    writes.overlaid_sequential_requests,
                    writes.requests,
                ),
                sequential_read_pages_ratio: ratio(reads.sequential_pages, reads.pages),
                sequential_written_pages_ratio: ratio(writes.sequential_pages, writes.pages),
                stream_requests_ratio: ratio(self.streams.continued, self.requests),
                streams_mean: ratio(self.streams.running_sum, self.requests),
                streams_max: self.streams.running_max,
            },
            arrivals: self.arrivals.finish(),
        }
    }

    /// From the smallest to the largest that occurs.
    fn sizes(&self) -> Sizes {
        let [reads, writes] = self.kinds.map(|kind| kind.sizes);
        let occurs = |at: &usize| reads[*at] + writes[*at] > 0;
        let (Some(first), Some(last)) = ((0..SIZES).find(occurs), (0..SIZES).rfind(occurs)) else {
            return Sizes::default();
        };
        Sizes {
            bytes: (first..=last).map(|at| 1 << (at as u32 + SMALLEST_LOG2)).collect(),
            reads: reads[first..=last].to_vec(),
            writes: writes[first..=last].to_vec(),
        }
    }

    fn alignment(&self) -> Alignment {
        let mut alignment = Alignment::default();
        for at in 0..ALIGNMENTS {
            let aligned = self.aligned[at + 1..].iter().sum();
            alignment.bytes.push(1 << (at as u32 + SMALLEST_LOG2));
            alignment.ratio.extend(ratio(aligned, self.requests));
        }
        alignment
    }
}

impl Kind {
    /// Counts a request. The previous request on its volume ended at `end`, the previous request of
    /// all at `overlaid_end`.
    #[inline]
    fn add(&mut self, request: &Request, end: Option<u64>, overlaid_end: Option<u64>) {
        let log2 = request.length.next_power_of_two().ilog2();
        self.sizes[log2.saturating_sub(SMALLEST_LOG2) as usize] += 1;
        let (first, last) = (request.offset / PAGE_BYTES, (request.end() - 1) / PAGE_BYTES);
        let follows = end.is_some_and(|end| first == (end - 1) / PAGE_BYTES + 1);
        self.requests += 1;
        self.sequential_requests += u64::from(end == Some(request.offset));
        self.overlaid_sequential_requests += u64::from(overlaid_end == Some(request.offset));
        self.pages += last - first + 1;
        self.sequential_pages += last - first + u64::from(follows);
    }
}

/// Where the last streams of requests ended; the least recently used one is replaced.
#[derive(Default)]
struct Streams {
    /// Volume, end, and whether the stream has more than one request; the newest first.
    ends: Vec<(u32, u64, bool)>,
    continued: u64,
    running: u64,
    running_sum: u64,
    running_max: u64,
}

impl Streams {
    #[inline]
    fn add(&mut self, request: &Request) {
        let begins = |end: &(u32, u64, bool)| (end.0, end.1) == (request.volume, request.offset);
        let at = self.ends.iter().position(begins);
        match at {
            Some(at) => {
                self.continued += 1;
                self.running += u64::from(!self.ends[at].2);
                self.ends[..=at].rotate_right(1);
            }
            None if self.ends.len() < STREAMS => self.ends.insert(0, (0, 0, false)),
            None => {
                self.running -= u64::from(self.ends[STREAMS - 1].2);
                self.ends.rotate_right(1);
            }
        }
        self.ends[0] = (request.volume, request.end(), at.is_some());
        self.running_sum += self.running;
        self.running_max = self.running_max.max(self.running);
    }
}

#[derive(Default)]
struct ArrivalTally {
    intervals: LogHistogram,
    together: u64,
    last: Option<Nanos>,
    /// The second of the latest request, and the requests in it.
    second: Nanos,
    in_second: u64,
    in_second_max: u64,
}

impl ArrivalTally {
    #[inline]
    fn add(&mut self, time: Nanos) {
        if let Some(last) = self.last {
            self.intervals.record(time - last, 1);
            self.together += u64::from(time == last);
        }
        self.last = Some(time);
        if time >= self.second + SECOND {
            self.second = time - time % SECOND;
            self.in_second = 0;
        }
        self.in_second += 1;
        self.in_second_max = self.in_second_max.max(self.in_second);
    }

    fn finish(self) -> Option<Arrivals> {
        let interval_us = self.intervals.distribution(1000.0)?;
        Some(Arrivals {
            together_ratio: self.together as f64 / interval_us.count as f64,
            burstiness: interval_us.cv.map(|c| (c - 1.0) / (c + 1.0)),
            requests_in_a_second_max: self.in_second_max,
            interval_us,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::requests;
    use crate::trace::spc::Spc;

    fn characteristics(text: &str) -> RequestCharacteristics {
        let mut tally = RequestTally::new();
        for request in requests::<Spc>(text).unwrap() {
            tally.add(&request).unwrap();
        }
        tally.finish()
    }

    #[test]
    fn a_few_requests_counted_by_hand() {
        // Two streams that take turns, a read that follows the write before it, a lone request.
        let text = "0,0,4096,w,0\n0,800,8192,r,1\n0,8,4096,w,1\n0,816,8192,r,2\n\
                    0,832,1024,w,2.5\n0,5,512,r,4";
        let found = characteristics(text);
        assert_eq!(found.sizes.bytes, [512, 1024, 2048, 4096, 8192]);
        assert_eq!(found.sizes.reads, [1, 0, 0, 0, 2]);
        assert_eq!(found.sizes.writes, [0, 1, 0, 2, 0]);
        let ratios = [6.0, 5.0, 4.0, 4.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        assert_eq!(found.alignment.bytes[..3], [512, 1024, 2048]);
        assert_eq!(found.alignment.ratio[..4], ratios.map(|r| r / 6.0)[..4]);
        let expected = Sequentiality {
            sequential_reads_ratio: Some(0.0),
            sequential_writes_ratio: Some(1.0 / 3.0),
            overlaid_sequential_reads_ratio: Some(0.0),
            overlaid_sequential_writes_ratio: Some(1.0 / 3.0),
            sequential_read_pages_ratio: Some(2.0 / 5.0),
            sequential_written_pages_ratio: Some(1.0 / 3.0),
            stream_requests_ratio: Some(0.5),
            streams_mean: Some((1.0 + 2.0 + 2.0 + 2.0) / 6.0),
            streams_max: 2,
        };
        assert_eq!(found.sequentiality, expected);
        let arrivals = found.arrivals.unwrap();
        assert_eq!((arrivals.together_ratio, arrivals.requests_in_a_second_max), (0.2, 2));
        assert_eq!((arrivals.interval_us.count, arrivals.interval_us.mean), (5, 8e5));
    }

    #[test]
    fn volumes_lie_over_each_other_where_the_paper_says_so() {
        let found = characteristics("0,0,4096,w,0\n1,8,4096,w,1\n0,8,4096,r,2").sequentiality;
        assert_eq!(found.overlaid_sequential_writes_ratio, Some(0.5));
        assert_eq!(found.sequential_writes_ratio, Some(0.0));
        assert_eq!(found.overlaid_sequential_reads_ratio, Some(0.0));
        assert_eq!(found.sequential_reads_ratio, Some(1.0));
    }

    #[test]
    fn a_clock_has_burstiness_minus_one_and_a_single_request_none() {
        let clock = characteristics("0,0,512,w,0\n0,0,512,w,1\n0,0,512,w,2").arrivals.unwrap();
        assert_eq!(clock.burstiness, Some(-1.0));
        assert_eq!(characteristics("0,0,512,w,0").arrivals, None);
    }

    #[test]
    fn the_stream_used_longest_ago_gives_way() {
        let mut streams = Streams::default();
        let at = |offset: u64| Request::new(Op::Write, offset, 512);
        (0..=STREAMS as u64).for_each(|k| streams.add(&at(k << 20)));
        streams.add(&at(512));
        assert_eq!(streams.continued, 0);
        streams.add(&at((2 << 20) + 512));
        assert_eq!((streams.continued, streams.running), (1, 1));
    }
}
