//! The parts of a trace: its busy volumes, and the places that last in each.
//!
//! Volumes differ in sizes, operations and sequentiality. A few pages (journals, metadata) are
//! written all the time; a law of recency alone would let them drift away.

use super::facts::{page_numbers, pages};
use super::share;
use crate::request::Request;
use rustc_hash::{FxHashMap, FxHashSet};

/// Windows of equally many requests. A page that lasts is used in all of them except at most one.
const WINDOWS: usize = 8;
/// The least share of the requests, and the fewest requests, of a part.
const LEAST_SHARE: f64 = 0.04;
const FEWEST: u64 = 400;
/// The most volumes with separate parts.
const MOST_VOLUMES: usize = 6;
/// The most volumes that are distinguished.
const MOST_APART: usize = 64;

/// The parts of a trace. The first one holds the volumes without a separate part.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// Volumes with a separate part, whose number is their index here plus one.
    volumes: Vec<u32>,
    /// Pages that last, if they are enough for a part, and their part.
    lasting: FxHashMap<(u32, u64), usize>,
    names: Vec<String>,
    /// Whether there are too many volumes to distinguish.
    crowded: bool,
}

impl Split {
    /// The parts by the first requests of a trace.
    pub(super) fn of(sample: &[Request]) -> Split {
        let mut counts: FxHashMap<u32, u64> = FxHashMap::default();
        sample.iter().for_each(|request| *counts.entry(request.volume).or_default() += 1);
        let crowded = counts.len() > MOST_APART;
        let mut split = Split { crowded, names: vec!["rest".to_owned()], ..Split::default() };
        if crowded {
            return split;
        }
        split.volumes = busy(counts, sample.len());
        split.names.extend(split.volumes.iter().map(|volume| format!("volume {volume}")));
        split.part_off_lasting(sample);
        split
    }

    pub(super) fn parts(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, part: usize) -> String {
        self.names[part].clone()
    }

    /// Whether volumes keep their numbers.
    pub(super) fn numbered(&self) -> bool {
        !self.crowded
    }

    /// The part of a request: that of the page in its middle, or of its volume.
    pub(super) fn part(&self, request: &Request) -> usize {
        let own = self.lasting.get(&middle(request)).copied();
        own.unwrap_or_else(|| self.volume_part(request.volume))
    }

    fn volume_part(&self, volume: u32) -> usize {
        self.volumes.iter().position(|own| *own == volume).map_or(0, |at| at + 1)
    }

    /// Gives the pages that last a part, in the volumes where they are enough.
    fn part_off_lasting(&mut self, sample: &[Request]) {
        let lasting = pages_that_last(sample);
        let parts = self.parts();
        let mut counts = vec![[0u64; 2]; parts];
        for request in sample {
            let last = usize::from(lasting.contains(&middle(request)));
            counts[self.volume_part(request.volume)][last] += 1;
        }
        let worth =
            |count: u64| count >= FEWEST && share(count, sample.len() as u64) >= LEAST_SHARE;
        let mut own = vec![None; parts];
        for (part, [others, last]) in counts.into_iter().enumerate() {
            if worth(last) && worth(others) {
                own[part] = Some(self.names.len());
                self.names.push(format!("{}, lasting", self.names[part]));
            }
        }
        for page in sample.iter().map(middle).filter(|page| lasting.contains(page)) {
            if let Some(own) = own[self.volume_part(page.0)] {
                self.lasting.insert(page, own);
            }
        }
    }
}

/// The page that stands for a request: neighbours may share the pages at its ends.
fn middle(request: &Request) -> (u32, u64) {
    let (first, last) = page_numbers(request).into_inner();
    (request.volume, (first + last).div_ceil(2))
}

/// The busiest volumes after the first, which belongs to the rest so that this has requests.
fn busy(counts: FxHashMap<u32, u64>, requests: usize) -> Vec<u32> {
    let mut volumes: Vec<(u32, u64)> = counts.into_iter().collect();
    volumes.sort_by_key(|&(volume, count)| (std::cmp::Reverse(count), volume));
    let worth = |count: u64| count >= FEWEST && share(count, requests as u64) >= LEAST_SHARE;
    let busy = volumes.iter().skip(1).filter(|row| worth(row.1));
    busy.take(MOST_VOLUMES).map(|row| row.0).collect()
}

/// The pages that are used in all windows except at most one.
fn pages_that_last(sample: &[Request]) -> FxHashSet<(u32, u64)> {
    let mut windows: FxHashMap<(u32, u64), usize> = FxHashMap::default();
    for window in sample.chunks(sample.len().div_ceil(WINDOWS).max(1)) {
        let used: FxHashSet<(u32, u64)> = window.iter().flat_map(pages).collect();
        used.into_iter().for_each(|page| *windows.entry(page).or_default() += 1);
    }
    windows.into_iter().filter(|row| row.1 + 1 >= WINDOWS).map(|row| row.0).collect()
}
