//! Which parts a trace has: its busy volumes, and in each the hottest places and those that last.
//!
//! Volumes differ in sizes, operations and sequentiality. And a few pages (journals, metadata) are
//! written all the time: a law of recency alone would make all pages alike, and let them drift away.

use super::facts::pages;
use super::share;
use crate::request::Request;
use rustc_hash::{FxHashMap, FxHashSet};

/// Windows of equally many requests. What lasts is used in all of them but one.
const WINDOWS: usize = 8;
/// A part has at least this share of the requests, and so many of them.
const LEAST_SHARE: f64 = 0.04;
const FEWEST: u64 = 400;
/// The hottest pages have this share of the requests each, and so many of them.
const HOTTEST_SHARE: f64 = 0.0025;
const HOTTEST_FEWEST: u64 = 40;
/// Volumes with parts of their own.
const MOST_VOLUMES: usize = 6;
/// More volumes are not told apart.
const MOST_APART: usize = 64;

/// The parts of a trace: those of all volumes that have none of their own come first.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// Volumes with a part of their own, which is one more than their place here.
    volumes: Vec<u32>,
    /// Pages with a part other than that of their volume.
    places: FxHashMap<(u32, u64), usize>,
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
        split.part_off("hottest", &hottest(sample), sample);
        split.part_off("lasting", &pages_that_last(sample), sample);
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
        let own = self.places.get(&middle(request)).copied();
        own.unwrap_or_else(|| self.volume_part(request.volume))
    }

    fn volume_part(&self, volume: u32) -> usize {
        self.volumes.iter().position(|own| *own == volume).map_or(0, |at| at + 1)
    }

    /// Gives parts to the pages of a kind that have none yet, in the volumes where they are enough.
    fn part_off(&mut self, kind: &str, pages: &FxHashSet<(u32, u64)>, sample: &[Request]) {
        let parts = self.names.len();
        let mut counts = vec![[0u64; 2]; parts];
        for request in sample {
            counts[self.part(request)][usize::from(pages.contains(&middle(request)))] += 1;
        }
        let worth =
            |count: u64| count >= FEWEST && share(count, sample.len() as u64) >= LEAST_SHARE;
        let mut own = vec![None; parts];
        // Parts of other kinds are left whole.
        for part in 0..=self.volumes.len() {
            let [others, of_kind] = counts[part];
            if worth(of_kind) && worth(others) {
                own[part] = Some(self.names.len());
                self.names.push(format!("{}, {kind}", self.names[part]));
            }
        }
        for page in sample.iter().map(middle).filter(|page| pages.contains(page)) {
            if let Some(own) = own[self.volume_part(page.0)] {
                self.places.entry(page).or_insert(own);
            }
        }
    }
}

/// The page that stands for a request: those at its ends may be shared with neighbours.
fn middle(request: &Request) -> (u32, u64) {
    let (first, last) = (request.offset / 4096, (request.end() - 1) / 4096);
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

/// The pages that stand for the most requests.
fn hottest(sample: &[Request]) -> FxHashSet<(u32, u64)> {
    let mut counts: FxHashMap<(u32, u64), u64> = FxHashMap::default();
    sample.iter().for_each(|request| *counts.entry(middle(request)).or_default() += 1);
    let all = sample.len() as u64;
    let hot = |count: u64| count >= HOTTEST_FEWEST && share(count, all) >= HOTTEST_SHARE;
    counts.into_iter().filter(|row| hot(row.1)).map(|row| row.0).collect()
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
