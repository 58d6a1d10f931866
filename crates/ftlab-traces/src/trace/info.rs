//! What is in a trace: everything that can be told from one pass.

use super::pages::{PAGE_BYTES, TouchedPages};
use crate::error::Error;
use crate::request::{BATCH, Digest, Op, Request, RequestSource, Volumes};
use serde::Serialize;

/// A trace in numbers. Ratios are from 0 to 1, and `None` where nothing is there to divide by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInfo {
    /// Requests.
    pub requests: u64,
    /// Requests that read.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Requests that trim.
    pub trims: u64,
    /// Requests that flush. They have no address: ratios and mean lengths are of the others.
    pub flushes: u64,
    /// Writes among requests.
    pub write_ratio: Option<f64>,
    /// Mean length of a request, bytes.
    pub mean_bytes: Option<f64>,
    /// Mean length of a read, bytes.
    pub mean_read_bytes: Option<f64>,
    /// Mean length of a write, bytes.
    pub mean_write_bytes: Option<f64>,
    /// Volumes that occur.
    pub volumes_count: u64,
    /// Each volume, in ascending order.
    pub volumes: Vec<VolumeInfo>,
    /// Each placement handle, in ascending order; empty where all requests have the default one.
    pub handles: Vec<HandleInfo>,
    /// One past the highest byte of any volume: the device that holds all, laid over each other.
    pub end_bytes: u64,
    /// From the lowest byte of any volume to `end_bytes`.
    pub span_bytes: u64,
    /// The sum over volumes of what lies between their first and last byte.
    pub used_bytes: u64,
    /// From the first request to the last, s.
    pub duration_s: f64,
    /// Requests over `duration_s`.
    pub requests_per_s: Option<f64>,
    /// Different 4 KiB pages touched, per volume; `None` beyond 32 TiB of scattered pages.
    pub unique_pages_4k: Option<u64>,
    /// Requests whose offset and length are multiples of 4 KiB.
    pub aligned_4k_ratio: Option<f64>,
    /// Requests that start where the request before them on their volume ended (CACH-FTL).
    pub sequential_requests_ratio: Option<f64>,
    /// Accesses to 4 KiB pages that go to the page behind the one accessed before on their volume
    /// (CACH-FTL's second definition).
    pub sequential_pages_ratio: Option<f64>,
    /// [`Digest`] of the requests, 16 hexadecimal digits.
    pub digest: String,
    /// What times and addresses of the file count, where it is text.
    pub units: Option<String>,
    /// What a user should know, or may want to look at: what was left out, and what looks wrong.
    pub warnings: Vec<String>,
}

/// One volume of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VolumeInfo {
    /// The volume's number.
    pub volume: u32,
    /// Its requests.
    pub requests: u64,
    /// Its first byte that is touched.
    pub first_byte: u64,
    /// One past its last byte that is touched.
    pub end_byte: u64,
}

/// One placement handle of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HandleInfo {
    /// The handle; 0 is the default one.
    pub handle: u16,
    /// Its requests.
    pub requests: u64,
    /// Those that write.
    pub writes: u64,
    /// Bytes that these write.
    pub written_bytes: u64,
}

impl HandleInfo {
    fn add(&mut self, request: &Request) {
        self.requests += 1;
        if request.op.writes() {
            self.writes += 1;
            self.written_bytes += u64::from(request.length);
        }
    }
}

impl TraceInfo {
    /// Reads `source` to its end. `watch` is called after every batch with the requests so far and
    /// the source's progress; its error ends the reading.
    ///
    /// # Errors
    /// Those of the source and of `watch`.
    pub fn read(
        source: &mut dyn RequestSource,
        watch: &mut dyn FnMut(u64, Option<f64>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut tally = Tally::new();
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            batch.clear();
            source.fill(&mut batch)?;
            if batch.is_empty() {
                return Ok(tally.finish().from(source));
            }
            for request in &batch {
                tally.add(request)?;
            }
            watch(tally.requests, source.progress())?;
        }
    }
}

/// Requests from which on rates say something.
const TELLING_REQUESTS: u64 = 8;
const HOUR_S: f64 = 3600.0;
const YEAR_S: f64 = 366.0 * 24.0 * HOUR_S;
/// What no device serves.
const IMPOSSIBLE_RATE: f64 = 1e7;

impl TraceInfo {
    /// The same with what its source says, and what looks wrong.
    pub(super) fn from(self, source: &dyn RequestSource) -> Self {
        let warnings = source.remarks().into_iter().chain(self.suspicions()).collect();
        Self { units: source.units(), warnings, ..self }
    }

    /// What looks as if times counted something else.
    fn suspicions(&self) -> Vec<String> {
        let gap_h = self.duration_s / self.requests.max(1) as f64 / HOUR_S;
        let years = self.duration_s / YEAR_S;
        let rate = self.requests_per_s.filter(|_| self.requests >= TELLING_REQUESTS);
        let found = if years >= 1.0 {
            format!("the trace spans {years:.1} years")
        } else if gap_h >= 1.0 {
            format!("requests come {gap_h:.1} hours apart on average")
        } else if rate.is_some_and(|rate| rate >= IMPOSSIBLE_RATE) {
            format!("{:.0} requests arrive in a second", rate.unwrap_or_default())
        } else {
            return Vec::new();
        };
        vec![format!(
            "{found}; if times count another unit, say it with input.time_unit, or of csv with input.columns = time=COLUMN:UNIT"
        )]
    }
}

/// Where a volume's requests have been.
struct Trail {
    info: VolumeInfo,
    /// One past the last byte of the latest request.
    latest_end: Option<u64>,
}

pub(super) struct Tally {
    pub(super) requests: u64,
    reads: u64,
    writes: u64,
    trims: u64,
    flushes: u64,
    bytes: u128,
    read_bytes: u128,
    write_bytes: u128,
    aligned: u64,
    sequential_requests: u64,
    pages: u64,
    sequential_pages: u64,
    last_time: u64,
    volumes: Volumes<Trail>,
    handles: Volumes<HandleInfo>,
    touched: TouchedPages,
    digest: Digest,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            requests: 0,
            reads: 0,
            writes: 0,
            trims: 0,
            flushes: 0,
            bytes: 0,
            read_bytes: 0,
            write_bytes: 0,
            aligned: 0,
            sequential_requests: 0,
            pages: 0,
            sequential_pages: 0,
            last_time: 0,
            volumes: Volumes::new(),
            handles: Volumes::new(),
            touched: TouchedPages::new(),
            digest: Digest::default(),
        }
    }

    pub(super) fn add(&mut self, request: &Request) -> Result<(), Error> {
        self.requests += 1;
        self.last_time = request.time;
        self.digest.add(request);
        let handle = request.meta.handle;
        let first = || HandleInfo { handle, requests: 0, writes: 0, written_bytes: 0 };
        self.handles.of(handle.into(), first)?.add(request);
        match request.op {
            Op::Read => {
                self.reads += 1;
                self.read_bytes += u128::from(request.length);
            }
            Op::Write | Op::WriteThrough => {
                self.writes += 1;
                self.write_bytes += u128::from(request.length);
            }
            Op::Trim => self.trims += 1,
            Op::Flush => {
                self.flushes += 1;
                return Ok(());
            }
        }
        self.bytes += u128::from(request.length);
        let is_aligned = (request.offset | u64::from(request.length)).is_multiple_of(PAGE_BYTES);
        self.aligned += u64::from(is_aligned);
        self.follow(request)
    }

    /// Extends the volume's trail and counts what continues it.
    fn follow(&mut self, request: &Request) -> Result<(), Error> {
        let (first, last) = (request.offset / PAGE_BYTES, (request.end() - 1) / PAGE_BYTES);
        self.touched.touch(request.volume, first, last);
        let trail = self.volumes.of(request.volume, || Trail::new(request))?;
        trail.info.requests += 1;
        trail.info.first_byte = trail.info.first_byte.min(request.offset);
        trail.info.end_byte = trail.info.end_byte.max(request.end());
        self.pages += last - first + 1;
        // Within a request every page but the first follows the one before.
        self.sequential_pages += last - first;
        if let Some(end) = trail.latest_end {
            self.sequential_requests += u64::from(request.offset == end);
            self.sequential_pages += u64::from(first == (end - 1) / PAGE_BYTES + 1);
        }
        trail.latest_end = Some(request.end());
        Ok(())
    }

    pub(super) fn finish(self) -> TraceInfo {
        let volumes: Vec<VolumeInfo> =
            self.volumes.sorted().into_iter().map(|(_, trail)| trail.info).collect();
        let handles = self.handles.sorted().into_iter().map(|(_, handle)| handle);
        let mut handles: Vec<HandleInfo> = handles.collect();
        if handles.iter().all(|handle| handle.handle == 0) {
            handles.clear();
        }
        let end = volumes.iter().map(|v| v.end_byte).max().unwrap_or(0);
        let first = volumes.iter().map(|v| v.first_byte).min().unwrap_or(0);
        let duration_s = self.last_time as f64 / 1e9;
        let addressed = self.requests - self.flushes;
        TraceInfo {
            requests: self.requests,
            reads: self.reads,
            writes: self.writes,
            trims: self.trims,
            flushes: self.flushes,
            write_ratio: ratio(self.writes, addressed),
            mean_bytes: mean(self.bytes, addressed),
            mean_read_bytes: mean(self.read_bytes, self.reads),
            mean_write_bytes: mean(self.write_bytes, self.writes),
            volumes_count: volumes.len() as u64,
            end_bytes: end,
            span_bytes: end - first,
            used_bytes: volumes
                .iter()
                .fold(0, |sum: u64, v| sum.saturating_add(v.end_byte - v.first_byte)),
            volumes,
            handles,
            duration_s,
            requests_per_s: (self.last_time > 0).then(|| self.requests as f64 / duration_s),
            unique_pages_4k: self.touched.count(),
            aligned_4k_ratio: ratio(self.aligned, addressed),
            sequential_requests_ratio: ratio(self.sequential_requests, addressed),
            sequential_pages_ratio: ratio(self.sequential_pages, self.pages),
            digest: self.digest.text(),
            units: None,
            warnings: Vec::new(),
        }
    }
}

impl Trail {
    fn new(request: &Request) -> Self {
        let (first_byte, end_byte) = (request.offset, request.end());
        let info = VolumeInfo { volume: request.volume, requests: 0, first_byte, end_byte };
        Self { info, latest_end: None }
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    mean(u128::from(part), whole)
}

fn mean(sum: u128, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Meta;
    use crate::trace::checks::requests;
    use crate::trace::spc::Spc;

    struct Once(Vec<Request>);

    impl RequestSource for Once {
        fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
            batch.append(&mut self.0);
            Ok(())
        }
    }

    fn info(text: &str) -> TraceInfo {
        let mut source = Once(requests::<Spc>(text).unwrap());
        TraceInfo::read(&mut source, &mut |_, _| Ok(())).unwrap()
    }

    #[test]
    fn a_small_trace_counted_by_hand() {
        // Volume 7: pages 1-2, then 3 (sequential both ways), then half of 3 again and 4.
        // Volume 2: page 0.
        let info = info("7,8,8192,w,0\n7,24,4096,w,1\n2,0,512,r,1.5\n7,28,4096,r,2");
        assert_eq!((info.requests, info.reads, info.writes, info.trims), (4, 2, 2, 0));
        assert_eq!(
            (info.volumes_count, info.volumes[0].volume, info.volumes[1].requests),
            (2, 2, 3)
        );
        assert_eq!((info.span_bytes, info.end_bytes, info.used_bytes), (18432, 18432, 14336 + 512));
        assert_eq!(info.unique_pages_4k, Some(5));
        assert_eq!(info.aligned_4k_ratio, Some(0.5));
        assert_eq!(info.sequential_requests_ratio, Some(0.25));
        // Six page accesses; 1-2, 2-3 and 3-4 follow.
        assert_eq!(info.sequential_pages_ratio, Some(0.5));
        assert_eq!((info.duration_s, info.requests_per_s), (2.0, Some(2.0)));
        assert_eq!((info.mean_bytes, info.mean_write_bytes), (Some(4224.0), Some(6144.0)));
    }

    #[test]
    fn flushes_are_no_trims_and_have_no_length() {
        let write = Request::new(Op::Write, 4096, 4096);
        let flush = Request { time: 1, offset: 0, length: 0, op: Op::Flush, ..write };
        let trim = Request { time: 2, offset: 8192, length: 512, op: Op::Trim, ..write };
        let mut source = Once(vec![write, flush, trim]);
        let info = TraceInfo::read(&mut source, &mut |_, _| Ok(())).unwrap();
        assert_eq!((info.requests, info.writes, info.trims, info.flushes), (3, 1, 1, 1));
        assert_eq!((info.write_ratio, info.mean_bytes), (Some(0.5), Some(2304.0)));
        let (aligned, sequential) = (info.aligned_4k_ratio, info.sequential_requests_ratio);
        assert_eq!((aligned, sequential), (Some(0.5), Some(0.5)));
        assert_eq!(info.volumes[0].requests, 2);
    }

    #[test]
    fn handles_are_counted_where_one_is_set() {
        let write = Request::new(Op::Write, 0, 4096);
        let hinted = write.with_meta(Meta { handle: 3, ..Meta::UNSET });
        let info = |requests: &[Request]| {
            TraceInfo::read(&mut Once(requests.to_vec()), &mut |_, _| Ok(())).unwrap().handles
        };
        assert_eq!(info(&[write, write]), []);
        let read = Request { op: Op::Read, ..hinted };
        let default = HandleInfo { handle: 0, requests: 1, writes: 1, written_bytes: 4096 };
        let third = HandleInfo { handle: 3, requests: 3, writes: 2, written_bytes: 8192 };
        assert_eq!(info(&[hinted, write, hinted, read]), [default, third]);
    }

    #[test]
    fn watching_can_stop_the_pass() {
        let mut source = Once(requests::<Spc>("0,0,512,r,0").unwrap());
        let stopped = TraceInfo::read(&mut source, &mut |_, _| Err(Error::Interrupted));
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
