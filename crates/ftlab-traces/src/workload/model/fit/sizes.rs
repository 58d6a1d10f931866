//! Request sizes: the usual ones as they are, the others in groups.

use super::share;
use crate::request::{Op, Request};
use crate::units::Bytes;
use crate::workload::model::file::Sizes;
use crate::workload::model::space::SECTOR;
use std::collections::BTreeMap;

/// Sizes of an operation that are written one by one.
const MOST_SIZES: usize = 32;

/// Sizes with their weights.
type Mix = Vec<(Bytes, f64)>;

/// Requests by size in sectors, of reads and of writes.
#[derive(Default)]
pub(super) struct Counts([BTreeMap<u32, u64>; 2]);

impl Counts {
    pub(super) fn add(&mut self, request: &Request) {
        *self.0[usize::from(request.op == Op::Write)]
            .entry(sectors(request.length))
            .or_default() += 1;
    }

    /// Mean bytes of reads and of writes, where there are any.
    fn means(&self) -> [Option<f64>; 2] {
        self.0.each_ref().map(|counts| {
            let sectors: u64 = counts.iter().map(|(size, n)| u64::from(*size) * n).sum();
            let all: u64 = counts.values().sum();
            (all > 0).then(|| (sectors * SECTOR) as f64 / all as f64)
        })
    }

    /// The sizes of reads, and of writes.
    pub(super) fn mixes(&self) -> [Mix; 2] {
        self.0.each_ref().map(mix)
    }
}

/// Sizes of all requests, of the places that are used again, and of what does not keep them.
#[derive(Default)]
pub(super) struct SizeFit {
    all: Counts,
    places: BTreeMap<u32, u64>,
    others: Counts,
    /// Places used again from their start, and those whose request had the size that it had before.
    again: u64,
    kept: u64,
}

impl SizeFit {
    pub(super) fn add(&mut self, request: &Request) {
        self.all.add(request);
    }

    /// Mean bytes of all reads and of all writes, where there are any.
    pub(super) fn means(&self) -> [Option<f64>; 2] {
        self.all.means()
    }

    /// A place of `before` bytes is used again by `request`.
    pub(super) fn use_again(&mut self, before: u32, request: &Request) {
        *self.places.entry(sectors(before)).or_default() += 1;
        if before != request.length {
            self.others.add(request);
        }
    }

    /// A place is used again from its start, for `now` bytes.
    pub(super) fn compare(&mut self, before: u32, now: u32) {
        self.again += 1;
        self.kept += u64::from(before == now);
    }

    /// The sizes of the places that are used again.
    pub(super) fn places(&self) -> Mix {
        mix(&self.places)
    }

    /// The sizes of the reads, and of the writes, that do not keep that of their place.
    pub(super) fn others(&self) -> [Mix; 2] {
        self.others.mixes()
    }

    /// The sizes of new places; of all requests where an operation has none.
    pub(super) fn finish(&self, new: &Counts) -> Sizes {
        let [mut read, mut write] = new.mixes();
        let [all_reads, all_writes] = self.all.mixes();
        if read.is_empty() {
            read = all_reads;
        }
        if write.is_empty() {
            write = all_writes;
        }
        Sizes { read, write, kept: Some(share(self.kept, self.again)) }
    }
}

fn sectors(bytes: u32) -> u32 {
    u64::from(bytes).div_ceil(SECTOR) as u32
}

/// The most frequent sizes, and of the others one for each octave, their mean.
fn mix(counts: &BTreeMap<u32, u64>) -> Mix {
    let all: u64 = counts.values().sum();
    let mut frequent: Vec<(u32, u64)> = counts.iter().map(|(sectors, n)| (*sectors, *n)).collect();
    frequent.sort_by_key(|&(sectors, count)| (std::cmp::Reverse(count), sectors));
    let rare = frequent.split_off(frequent.len().min(MOST_SIZES));
    let mut octaves: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (sectors, count) in rare {
        let (sum, of) = octaves.entry(sectors.ilog2()).or_default();
        *sum += u64::from(sectors) * count;
        *of += count;
    }
    frequent.extend(octaves.into_values().map(|(sum, of)| ((sum / of) as u32, of)));
    let weight = |count: u64| share(count, all);
    frequent.into_iter().map(|(n, count)| (Bytes(u64::from(n) * SECTOR), weight(count))).collect()
}
