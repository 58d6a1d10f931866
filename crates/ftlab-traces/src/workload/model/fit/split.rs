//! Which parts a trace has: its busy volumes, and in each the places that last.
//!
//! Volumes differ in sizes, operations and sequentiality. And a few pages (journals, metadata) are
//! written all the time: a law of recency alone would let them drift away.

use super::facts::{page_numbers, pages};
use super::share;
use crate::request::Request;
use rustc_hash::{FxHashMap, FxHashSet};

/// Windows of equally many requests. What lasts is used in all of them but one.
const WINDOWS: usize = 8;
/// A part has at least this share of the requests, and so many of them.
const LEAST_SHARE: f64 = 0.04;
const FEWEST: u64 = 400;
/// Volumes with parts of their own.
const MOST_VOLUMES: usize = 6;
/// More volumes are not told apart.
const MOST_APART: usize = 64;

/// The parts of a trace: those of all volumes that have none of their own come first.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// Volumes with a part of their own, which is one more than their place here.
    volumes: Vec<u32>,
    /// Pages that last, where they are enough for a part; their part.
    lasting: FxHashMap<(u32, u64), usize>,
    names: Vec<String>,
    /// There are too many volumes to tell them apart.
    crowded: bool,
}

impl Split {
    /// What the first requests of a trace tell.
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

/// The page that stands for a request: those at its ends may be shared with neighbours.
fn middle(request: &Request) -> (u32, u64) {
    let (first, last) = page_numbers(request).into_inner();
    (request.volume, (first + last).div_ceil(2))
}

/// The busy volumes but the busiest one, if all are busy: the rest has some requests.
fn busy(counts: FxHashMap<u32, u64>, requests: usize) -> Vec<u32> {
    let mut volumes: Vec<(u32, u64)> = counts.into_iter().collect();
    volumes.sort_by_key(|&(volume, count)| (std::cmp::Reverse(count), volume));
    let worth = |count: u64| count >= FEWEST && share(count, requests as u64) >= LEAST_SHARE;
    let busy = volumes.iter().skip(1).filter(|row| worth(row.1));
    busy.take(MOST_VOLUMES).map(|row| row.0).collect()
}

/// The pages that are used in all windows but one.
fn pages_that_last(sample: &[Request]) -> FxHashSet<(u32, u64)> {
    let mut windows: FxHashMap<(u32, u64), usize> = FxHashMap::default();
    for window in sample.chunks(sample.len().div_ceil(WINDOWS).max(1)) {
        let used: FxHashSet<(u32, u64)> = window.iter().flat_map(pages).collect();
        used.into_iter().for_each(|page| *windows.entry(page).or_default() += 1);
    }
    windows.into_iter().filter(|row| row.1 + 1 >= WINDOWS).map(|row| row.0).collect()
}
