//! Request sizes: the usual ones as they are, the others in groups.

use crate::request::{Op, Request};
use crate::units::Bytes;
use crate::workload::model::file::Sizes;
use crate::workload::model::space::SECTOR;
use std::collections::BTreeMap;

/// Sizes of an operation that are written one by one.
const MOST_SIZES: usize = 32;

#[derive(Default)]
pub(super) struct SizeFit {
    /// Requests by size in sectors, of reads and of writes.
    counts: [BTreeMap<u32, u64>; 2],
    /// Places used again, and those whose request had the size that it had before.
    again: u64,
    kept: u64,
}

impl SizeFit {
    pub(super) fn add(&mut self, request: &Request) {
        let sectors = u64::from(request.length).div_ceil(SECTOR) as u32;
        *self.counts[usize::from(request.op == Op::Write)].entry(sectors).or_default() += 1;
    }

    /// A place is used again.
    pub(super) fn compare(&mut self, before: u32, now: u32) {
        self.again += 1;
        self.kept += u64::from(before == now);
    }

    pub(super) fn finish(self) -> Sizes {
        let kept = Some(super::share(self.kept, self.again));
        let [read, write] = self.counts.map(mix);
        Sizes { read, write, kept }
    }
}

/// The most frequent sizes, and of the others one for each octave, their mean.
fn mix(counts: BTreeMap<u32, u64>) -> Vec<(Bytes, f64)> {
    let all: u64 = counts.values().sum();
    let mut frequent: Vec<(u32, u64)> = counts.into_iter().collect();
    frequent.sort_by_key(|&(sectors, count)| (std::cmp::Reverse(count), sectors));
    let rare = frequent.split_off(frequent.len().min(MOST_SIZES));
    let mut octaves: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (sectors, count) in rare {
        let (sum, of) = octaves.entry(sectors.ilog2()).or_default();
        *sum += u64::from(sectors) * count;
        *of += count;
    }
    frequent.extend(octaves.into_values().map(|(sum, of)| ((sum / of) as u32, of)));
    let weight = |count: u64| super::share(count, all);
    frequent.into_iter().map(|(n, count)| (Bytes(u64::from(n) * SECTOR), weight(count))).collect()
}
