//! Accesses to pages: footprint, working set, reuse distances, update intervals.
//!
//! Each page that a read or a write touches is one access, whatever part of it is touched. Trims
//! are not counted.

use super::evenness::{Evenness, Residues};
use super::ratio;
use crate::locality::{Distribution, LogHistogram, ReuseDistances};
use crate::math::powf;
use crate::request::{Op, Request};
use crate::units::Nanos;
use serde::Serialize;

/// Windows of the working set, s; each divides the next.
const WINDOWS_S: [u64; 6] = [1, 10, 60, 600, 3600, 86_400];
const SECOND: Nanos = 1_000_000_000;
/// The most windows that a series over time keeps.
const SERIES_MAX: usize = 512;
/// Requests of the first window.
const FIRST_WINDOW: u64 = 10_000;
/// Sizes of the miss-ratio curve to each power of two.
const SIZES_PER_OCTAVE: u32 = 8;

/// Characteristics of page accesses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageCharacteristics {
    /// Size of a page.
    pub page_bytes: u64,
    /// Accesses: pages that reads and writes touch.
    pub page_accesses: u64,
    /// One in this many pages was followed. At 1 all metrics of pages are exact; above, they are
    /// estimates from a sample (SHARDS).
    pub pages_per_sample: u64,
    /// Different pages.
    pub footprint: PagesTouched,
    /// Different pages in windows of time.
    pub working_set: WorkingSet,
    /// Miss ratio of an LRU cache of pages, by its size.
    pub miss_ratio_curve: MissRatios,
    /// Accesses from one access of a page to its next.
    pub reuse_time: Option<Distribution>,
    /// Page writes from one write of a page to its next.
    pub update_interval: Option<Distribution>,
    /// Accesses from a write of a page to its next access, if that one reads.
    pub read_after_write: Option<Distribution>,
    /// Which pages are written again.
    pub rewrites: Rewrites,
    /// How evenly accesses fall on pages modulo powers of two.
    pub evenness: Evenness,
}

/// Which pages are written again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rewrites {
    /// Page writes for each page that was written.
    pub writes_per_page: Option<f64>,
    /// Of the page writes after the first 10,000 requests, the share to pages written in them.
    pub first_window_ratio: Option<f64>,
}

/// Different pages that were touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PagesTouched {
    /// In any way.
    pub pages: u64,
    /// By a read.
    pub read_pages: u64,
    /// By a write.
    pub written_pages: u64,
    /// By both.
    pub read_and_written_pages: u64,
}

/// Different pages in windows of time. Windows begin at the first request and follow each other.
/// The last window, which the end of the stream cuts off, counts only if it is the only one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkingSet {
    /// Lengths of the windows; only the first may be longer than the stream.
    pub window_s: Vec<u64>,
    /// Different pages in a window, mean over all windows.
    pub pages_mean: Vec<f64>,
    /// The most in one window.
    pub pages_max: Vec<u64>,
    /// The windows over time, of the shortest length that makes at most 512.
    pub over_time: WorkingSetSeries,
}

/// The working set over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorkingSetSeries {
    /// Length of a window.
    pub window_s: u64,
    /// Where each window with accesses begins.
    pub time_s: Vec<u64>,
    /// Different pages in it.
    pub pages: Vec<u64>,
}

/// Miss ratios of LRU caches that begin empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MissRatios {
    /// Sizes, ascending; the last holds every page.
    pub cache_pages: Vec<u64>,
    /// Share of accesses that miss, first accesses among them.
    pub miss_ratio: Vec<f64>,
}

/// The state of a page.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    /// Number of its last access.
    access: u64,
    /// Number, among page writes, of its last write.
    write: u64,
    /// Time of its last access.
    time: Nanos,
    was_read: bool,
    was_written: bool,
    /// Whether it was written in the first window.
    of_first_window: bool,
    /// Whether its last access wrote.
    wrote_last: bool,
}

pub(super) struct PageTally {
    shift: u32,
    reuse: ReuseDistances<Page>,
    requests: u64,
    writes: u64,
    /// Page writes after the first window, and those to pages written in it.
    later_writes: [u64; 2],
    residues: Residues,
    windows: Windows,
    footprint: PagesTouched,
    reuse_time: LogHistogram,
    update_interval: LogHistogram,
    read_after_write: LogHistogram,
}

impl PageTally {
    /// For pages of `page_bytes`, a power of two; at most `pages_max` are followed.
    pub(super) fn new(page_bytes: u32, pages_max: usize) -> Self {
        Self {
            shift: page_bytes.ilog2(),
            reuse: ReuseDistances::new(pages_max),
            requests: 0,
            writes: 0,
            later_writes: [0; 2],
            residues: Residues::default(),
            windows: Windows::default(),
            footprint: PagesTouched::default(),
            reuse_time: LogHistogram::default(),
            update_interval: LogHistogram::default(),
            read_after_write: LogHistogram::default(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, request: &Request) {
        self.windows.advance(request.time);
        let writes = match request.op {
            Op::Read => false,
            Op::Write | Op::WriteThrough => true,
            Op::Trim | Op::Flush => return,
        };
        let (first, last) = (request.offset >> self.shift, (request.end() - 1) >> self.shift);
        self.requests += 1;
        for page in first..=last {
            self.writes += u64::from(writes);
            self.residues.add(page);
            self.access(request, page, writes);
        }
    }

    #[inline]
    fn access(&mut self, request: &Request, page: u64, writes: bool) {
        let access = self.reuse.accesses() + 1;
        let Some(reuse) = self.reuse.access(request.volume, page) else { return };
        let (page, weight) = (reuse.state, reuse.weight);
        if reuse.distance.is_some() {
            self.reuse_time.record(access - page.access, weight);
            if page.wrote_last && !writes {
                self.read_after_write.record(access - page.access, weight);
            }
            if page.was_written && writes {
                self.update_interval.record(self.writes - page.write, weight);
            }
            self.windows.count(Some(page.time), weight);
        } else {
            self.footprint.pages += weight;
            self.windows.count(None, weight);
        }
        if writes && self.requests <= FIRST_WINDOW {
            page.of_first_window = true;
        } else if writes {
            self.later_writes[0] += weight;
            self.later_writes[1] += weight * u64::from(page.of_first_window);
        }
        let before = (page.was_read, page.was_written);
        page.was_read |= !writes;
        page.was_written |= writes;
        if before != (page.was_read, page.was_written) {
            let footprint = &mut self.footprint;
            footprint.read_pages += weight * u64::from(page.was_read && !before.0);
            footprint.written_pages += weight * u64::from(page.was_written && !before.1);
            let both = page.was_read && page.was_written;
            footprint.read_and_written_pages += weight * u64::from(both);
        }
        page.wrote_last = writes;
        page.access = access;
        page.time = request.time;
        if writes {
            page.write = self.writes;
        }
    }

    pub(super) fn finish(self) -> PageCharacteristics {
        let curve = self.reuse.curve();
        let mut miss_ratio_curve = MissRatios::default();
        for pages in geometric(curve.pages(), curve.step()) {
            miss_ratio_curve.cache_pages.push(pages);
            miss_ratio_curve.miss_ratio.push(curve.miss_ratio(pages));
        }
        PageCharacteristics {
            page_bytes: 1 << self.shift,
            page_accesses: self.reuse.accesses(),
            pages_per_sample: self.reuse.pages_per_sample(),
            footprint: self.footprint,
            working_set: self.windows.finish(),
            miss_ratio_curve,
            reuse_time: self.reuse_time.distribution(1.0),
            update_interval: self.update_interval.distribution(1.0),
            read_after_write: self.read_after_write.distribution(1.0),
            rewrites: Rewrites {
                writes_per_page: ratio(self.writes, self.footprint.written_pages),
                first_window_ratio: ratio(self.later_writes[1], self.later_writes[0]),
            },
            evenness: self.residues.finish(),
        }
    }
}

/// Sizes from 1 to `last`, in equal ratios. If only multiples of `step` are distinguished, they
/// begin at `step`.
fn geometric(last: u64, step: u64) -> Vec<u64> {
    let ratio = |at| powf(2.0, f64::from(at) / f64::from(SIZES_PER_OCTAVE)) as u64;
    let mut sizes: Vec<u64> =
        (0..64 * SIZES_PER_OCTAVE).map(ratio).filter(|s| (step..last).contains(s)).collect();
    sizes.dedup();
    sizes.extend((last > 0).then_some(last));
    sizes
}

/// Different pages in the windows of all lengths.
#[derive(Default)]
struct Windows {
    now: Nanos,
    levels: [Level; WINDOWS_S.len()],
}

#[derive(Default)]
struct Level {
    /// When the running window began.
    start: Nanos,
    pages: u64,
    pages_sum: u64,
    pages_max: u64,
    /// Beginning and pages of the windows that had accesses, until there are too many.
    series: Option<Vec<(u64, u64)>>,
    overflowed: bool,
}

impl Windows {
    /// Advances the time to `now`: windows that have ended are closed.
    #[inline]
    fn advance(&mut self, now: Nanos) {
        self.now = now;
        for (level, window_s) in self.levels.iter_mut().zip(WINDOWS_S) {
            let length = window_s * SECOND;
            if now < level.start + length {
                // The longer windows contain this one, so they are open too.
                return;
            }
            level.close();
            level.start = now - now % length;
        }
    }

    /// Counts a page in the windows that have begun since its last access.
    #[inline]
    fn count(&mut self, last: Option<Nanos>, weight: u64) {
        for level in &mut self.levels {
            if last.is_some_and(|last| last >= level.start) {
                return;
            }
            level.pages += weight;
        }
    }

    fn finish(mut self) -> WorkingSet {
        let mut set = WorkingSet::default();
        let mut series = None;
        for (level, window_s) in self.levels.iter_mut().zip(WINDOWS_S) {
            let length = window_s * SECOND;
            let full = self.now / length;
            if full > 0 {
                // The running window is cut off by the end.
                level.pages = 0;
            }
            level.close();
            if window_s == WINDOWS_S[0] || self.now >= length {
                set.window_s.push(window_s);
                set.pages_mean.extend(ratio(level.pages_sum, full.max(1)));
                set.pages_max.push(level.pages_max);
            }
            series = series.or(level.series.take().map(|series| (window_s, series)));
        }
        if let Some((window_s, series)) = series {
            let (time_s, pages) = series.into_iter().unzip();
            set.over_time = WorkingSetSeries { window_s, time_s, pages };
        }
        set
    }
}

impl Level {
    fn close(&mut self) {
        let pages = std::mem::take(&mut self.pages);
        self.pages_sum += pages;
        self.pages_max = self.pages_max.max(pages);
        if pages > 0 && !self.overflowed {
            let series = self.series.get_or_insert_default();
            series.push((self.start / SECOND, pages));
            if series.len() > SERIES_MAX {
                self.overflowed = true;
                self.series = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::checks::requests;
    use crate::trace::spc::Spc;

    fn characteristics(text: &str, page_bytes: u32) -> PageCharacteristics {
        let mut tally = PageTally::new(page_bytes, 10_000);
        requests::<Spc>(text).unwrap().iter().for_each(|request| tally.add(request));
        tally.finish()
    }

    fn counts(distribution: Option<Distribution>) -> (u64, f64) {
        distribution.map_or((0, 0.0), |d| (d.count, d.mean))
    }

    #[test]
    fn a_few_accesses_counted_by_hand() {
        // Pages: w0, w1, r0 (after write, 2), w0 (update 2, time 1), r1 (after write, 3), r1.
        let text = "0,0,8192,w,0\n0,0,4096,r,0\n0,0,4096,w,0\n0,8,512,r,0\n0,8,512,r,0";
        let found = characteristics(text, 4096);
        assert_eq!((found.page_bytes, found.page_accesses, found.pages_per_sample), (4096, 6, 1));
        let expected =
            PagesTouched { pages: 2, read_pages: 2, written_pages: 2, read_and_written_pages: 2 };
        assert_eq!(found.footprint, expected);
        assert_eq!(counts(found.reuse_time), (4, (2.0 + 1.0 + 3.0 + 1.0) / 4.0));
        assert_eq!(counts(found.update_interval), (1, 2.0));
        assert_eq!(counts(found.read_after_write), (2, 2.5));
        let rewrites = Rewrites { writes_per_page: Some(1.5), first_window_ratio: None };
        assert_eq!(found.rewrites, rewrites);
        assert_eq!(found.evenness.busiest_of_2, 1.0);
        assert_eq!(found.miss_ratio_curve.cache_pages, [1, 2]);
        assert_eq!(found.miss_ratio_curve.miss_ratio, [1.0 - 2.0 / 6.0, 1.0 - 4.0 / 6.0]);
        assert_eq!(characteristics(text, 8192).footprint.pages, 1);
    }

    #[test]
    fn later_writes_to_the_first_windows_pages_are_counted() {
        let mut lines = vec!["0,0,4096,w,0"; 10_000];
        lines.extend(["0,0,4096,w,0", "0,8,4096,w,0", "0,8,4096,w,0", "0,0,4096,r,0"]);
        let rewrites = characteristics(&lines.join("\n"), 4096).rewrites;
        assert_eq!(rewrites.first_window_ratio, Some(1.0 / 3.0));
        assert_eq!(rewrites.writes_per_page, Some(10_003.0 / 2.0));
    }

    #[test]
    fn the_working_set_counts_each_page_once_in_a_window() {
        let text = "0,0,4096,w,0\n0,0,4096,r,0.5\n0,8,4096,r,0.9\n0,8,4096,r,1.5\n1,8,4096,r,12";
        let set = characteristics(text, 4096).working_set;
        assert_eq!(set.window_s, [1, 10]);
        assert_eq!(set.pages_mean, [(2.0 + 1.0) / 12.0, 2.0]);
        assert_eq!(set.pages_max, [2, 2]);
        let series = set.over_time;
        assert_eq!((series.window_s, series.time_s, series.pages), (1, vec![0, 1], vec![2, 1]));
    }

    #[test]
    fn a_long_series_is_of_longer_windows() {
        let seconds: Vec<String> = (0..3000).map(|s| format!("0,{},4096,w,{s}", 8 * s)).collect();
        let set = characteristics(&seconds.join("\n"), 4096).working_set;
        assert_eq!(set.window_s, [1, 10, 60, 600]);
        assert_eq!(set.pages_mean, [1.0, 10.0, 60.0, 600.0]);
        assert_eq!((set.over_time.window_s, set.over_time.pages.len()), (10, 299));
    }

    #[test]
    fn sizes_are_in_equal_ratios_and_end_with_all_pages() {
        assert_eq!(geometric(5, 1), [1, 2, 3, 4, 5]);
        assert_eq!(geometric(0, 1), [0_u64; 0]);
        let sampled = geometric(100_000, 64);
        assert_eq!((sampled[0], sampled.last()), (64, Some(&100_000)));
        assert!(sampled.is_sorted_by(|a, b| a < b));
    }
}
