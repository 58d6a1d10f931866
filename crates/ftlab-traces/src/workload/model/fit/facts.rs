//! Facts about plain caches and windows, by which a model's stream is compared with its trace.

use crate::locality::ReuseDistances;
use crate::math::ln;
use crate::request::{Op, Request};
use crate::workload::model::space::{PAGE_SECTORS, SECTOR};
use rustc_hash::FxHashSet;
use std::ops::RangeInclusive;

/// Bytes of a page.
pub(super) const PAGE_BYTES: u64 = PAGE_SECTORS * SECTOR;
/// The most pages that are followed: more than a sample can have.
const PAGES_MAX: usize = 1 << 22;
/// Windows of equally many requests.
const WINDOWS: usize = 5;

/// Weight of a percentage point of the lasting share, in points of a curve.
const LASTING_WEIGHT: f64 = 0.25;
/// Weight of a percent of a mean size, in points of a curve.
const SIZE_WEIGHT: f64 = 0.5;

/// A page's volume and number.
type Page = (u32, u64);

/// The facts measured of a stream of requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Facts {
    /// Miss ratios of page accesses in LRU caches of some sizes.
    pub(super) misses: Vec<f64>,
    /// Of the pages written after the first window, the share that was written in it.
    pub(super) lasting: f64,
    /// Page writes per page written.
    pub(super) updates: f64,
    /// Mean bytes of a read and of a write, if there are any.
    pub(super) bytes: [Option<f64>; 2],
}

/// The pages that a request touches.
pub(super) fn pages(request: &Request) -> impl Iterator<Item = Page> + use<> {
    let volume = request.volume;
    page_numbers(request).map(move |page| (volume, page))
}

/// The numbers of the pages of a request on its volume.
pub(super) fn page_numbers(request: &Request) -> RangeInclusive<u64> {
    request.offset / PAGE_BYTES..=(request.end() - 1) / PAGE_BYTES
}

impl Facts {
    /// The facts of `requests`, with caches of `sizes` pages.
    pub(super) fn of(requests: &[Request], sizes: &[u64]) -> Facts {
        let mut reuse: ReuseDistances = ReuseDistances::new(PAGES_MAX);
        for (volume, page) in requests.iter().flat_map(pages) {
            reuse.access(volume, page);
        }
        let curve = reuse.curve();
        let (lasting, updates) = written_again(requests);
        Facts {
            misses: sizes.iter().map(|size| curve.miss_ratio(*size)).collect(),
            lasting,
            updates,
            bytes: mean_bytes(requests),
        }
    }

    /// The mean of several.
    pub(super) fn mean(all: &[Facts]) -> Facts {
        let mean = |of: &dyn Fn(&Facts) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let sizes = all.first().map_or(0, |facts| facts.misses.len());
        Facts {
            misses: (0..sizes).map(|size| mean(&|facts| facts.misses[size])).collect(),
            lasting: mean(&|facts| facts.lasting),
            updates: mean(&|facts| facts.updates),
            bytes: [0, 1]
                .map(|op| all[0].bytes[op].map(|one| mean(&|f| f.bytes[op].unwrap_or(one)))),
        }
    }

    /// The weighted distance of two streams.
    pub(super) fn apart(&self, other: &Facts) -> f64 {
        let sizes: f64 = self.longer(other).iter().map(|ratio| ratio.abs()).sum();
        let lasting = (self.lasting - other.lasting).abs();
        self.curves_apart(other) + LASTING_WEIGHT * lasting + SIZE_WEIGHT * sizes
    }

    /// How much longer reads and writes are than those of another stream, as logarithms.
    pub(super) fn longer(&self, other: &Facts) -> [f64; 2] {
        [0, 1].map(|op| match (self.bytes[op], other.bytes[op]) {
            (Some(own), Some(others)) => ln(own / others),
            _ => 0.0,
        })
    }

    /// The mean distance between the curves of two streams.
    pub(super) fn curves_apart(&self, other: &Facts) -> f64 {
        let pairs = self.misses.iter().zip(&other.misses);
        pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / self.misses.len().max(1) as f64
    }
}

/// Mean bytes of reads and of writes, if there are any.
pub(super) fn mean_bytes(requests: &[Request]) -> [Option<f64>; 2] {
    [Op::Read, Op::Write].map(|op| {
        let of = requests.iter().filter(|request| request.op == op);
        let (count, bytes) = of.fold((0, 0), |(n, sum), r| (n + 1, sum + u64::from(r.length)));
        (count > 0).then(|| bytes as f64 / f64::from(count))
    })
}

/// The share of later page writes that go to pages of the first window, and page writes for each page.
fn written_again(requests: &[Request]) -> (f64, f64) {
    let first = requests.len().div_ceil(WINDOWS);
    let writes = |part: &[Request]| -> Vec<Page> {
        part.iter().filter(|request| request.op == Op::Write).flat_map(pages).collect()
    };
    let (begin, later) = (writes(&requests[..first]), writes(&requests[first..]));
    let mut seen: FxHashSet<Page> = begin.iter().copied().collect();
    let again = later.iter().filter(|page| seen.contains(page)).count();
    let all = begin.len() + later.len();
    seen.extend(&later);
    (super::share(again as u64, later.len() as u64), all as f64 / seen.len().max(1) as f64)
}
