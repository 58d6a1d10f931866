//! Which places and which regions are used again.

use super::facts::{PAGE_BYTES, page_numbers};
use super::share;
use super::sizes::SizeFit;
use super::survival::{Survival, class};
use crate::request::{Op, Request};
use crate::workload::model::file::Reuse;
use crate::workload::model::recency::Recency;
use crate::workload::model::space::{ADJACENT_PAGES, REGION_BYTES, REMEMBERED, front};
use crate::workload::model::stream::remembered;
use rustc_hash::FxHashMap;

/// The most pages, or regions, that are known to have been used.
const MOST_KNOWN: usize = 1 << 23;
/// The most consecutive requests that repeat in order. The next one counts as going back, so an
/// endless repetition also has a beginning.
const LONGEST_CHAIN: u64 = 100;

/// A page or a region of a volume.
type Key = (u32, u64);

/// Limits `known` to [`MOST_KNOWN`] entries. It forgets the oldest ones, by `age`.
fn bound<V>(known: &mut FxHashMap<Key, V>, places: usize, age: impl Fn(&V) -> usize) {
    let mut oldest = places;
    while known.len() > MOST_KNOWN {
        oldest /= 2;
        known.retain(|_, value| age(value) <= oldest);
    }
}

/// Fits how requests go back.
pub(super) struct PlaceFit {
    recency: Recency,
    /// The request at each place: volume, offset, length.
    used: Vec<(u32, u64, u32)>,
    /// The place of the last request that touched a page.
    known: FxHashMap<Key, u32>,
    survival: Survival,
    /// By class of distance: requests that read and write, at places never written and written
    /// before.
    ops: Vec<[[u64; 2]; 2]>,
    inside: u64,
    again: u64,
    /// The place that the previous request went back to, if it did. Then the requests after one
    /// that went back, and those of them that went to the place used next.
    latest: Option<usize>,
    chains: [u64; 2],
    /// The number of those in a row.
    chain: u64,
    /// Whether the current request goes back to a place that was written before.
    written: bool,
}

impl PlaceFit {
    /// One of `parts` parts, which share the memory.
    pub(super) fn new(parts: usize) -> Self {
        let recency = Recency::new(remembered(u64::MAX) / parts as u64);
        PlaceFit {
            used: vec![(0, 0, 0); recency.places()],
            recency,
            known: FxHashMap::default(),
            survival: Survival::new(),
            ops: Vec::new(),
            inside: 0,
            again: 0,
            latest: None,
            chains: [0; 2],
            chain: 0,
            written: false,
        }
    }

    /// Whether the first page that `request` does not share, or its only page, was used.
    pub(super) fn knows_front(&self, volume: u32, request: &Request) -> bool {
        let page = front(request.offset, u64::from(request.length), PAGE_BYTES);
        self.known.contains_key(&(volume, page))
    }

    /// Whether none of the pages of `request` was used.
    pub(super) fn is_new(&self, volume: u32, request: &Request) -> bool {
        page_numbers(request).all(|page| !self.known.contains_key(&(volume, page)))
    }

    /// Whether `request` goes back to a used place; if so, it is counted.
    pub(super) fn go_back(&mut self, volume: u32, request: &Request, sizes: &mut SizeFit) -> bool {
        // The page in the middle stands for the request: neighbours may share the pages at its ends
        // even if all others are new.
        let first = request.offset / PAGE_BYTES;
        let page = (first + (request.end() - 1) / PAGE_BYTES).div_ceil(2);
        let place = self.known.get(&(volume, page)).map(|place| *place as usize);
        // A place that a newer request took has been forgotten.
        let found = place.map(|place| (place, self.used[place])).filter(|(_, used)| {
            let pages = used.1 / PAGE_BYTES..=(used.1 + u64::from(used.2) - 1) / PAGE_BYTES;
            used.0 == volume && used.2 > 0 && pages.contains(&page)
        });
        let Some((place, (_, offset, length))) = found else {
            self.survival.miss(self.recency.len());
            self.chain(None);
            return place.is_some();
        };
        sizes.use_again(length, request);
        let distance = self.recency.rank(place);
        if !self.chain(Some(place)) {
            self.survival.see(distance);
        }
        let class = class(distance);
        if self.ops.len() <= class {
            self.ops.resize(class + 1, [[0; 2]; 2]);
        }
        self.written = self.recency.is_marked(place);
        self.ops[class][usize::from(self.written)][usize::from(request.op == Op::Write)] += 1;
        self.again += 1;
        if offset / PAGE_BYTES == first {
            self.recency.remove(place);
            sizes.compare(length, request.length);
        } else {
            self.inside += 1;
        }
        true
    }

    /// Records that a request goes back to `place`, or not. Returns whether it follows the previous
    /// one in the order of use; such a request needs no distance.
    fn chain(&mut self, place: Option<usize>) -> bool {
        let next = self.latest.map(|before| (before + 1) % self.recency.places());
        let follows = next.is_some() && next == place && self.chain < LONGEST_CHAIN;
        self.chain = if follows { self.chain + 1 } else { 0 };
        self.chains[0] += u64::from(next.is_some());
        self.chains[1] += u64::from(follows);
        self.latest = place;
        follows
    }

    /// A request continues the one at `place`, which ended at `end`; within a page it replaces it.
    pub(super) fn go_on(&mut self, volume: u32, end: u64, place: usize) {
        let used = self.used[place];
        let there = used.0 == volume && used.1 + u64::from(used.2) == end;
        if there && !end.is_multiple_of(PAGE_BYTES) {
            self.recency.remove(place);
        }
    }

    /// Remembers `request` as the newest; returns its place.
    pub(super) fn remember(&mut self, volume: u32, request: &Request) -> usize {
        let place = self.recency.push(request.op == Op::Write || std::mem::take(&mut self.written));
        self.used[place] = (volume, request.offset, request.length);
        for page in page_numbers(request) {
            // Places of a ring of at most 2^22.
            self.known.insert((volume, page), place as u32);
        }
        let places = self.recency.places();
        bound(&mut self.known, places, |at| (place + places - *at as usize) % places);
        place
    }

    /// The law of requests that go back; their sizes are not known here.
    pub(super) fn finish(self) -> Reuse {
        let mut all = [[0; 2]; 2];
        for (sum, count) in self.ops.iter().flat_map(all_of) {
            all[sum / 2][sum % 2] += count;
        }
        let row = |(class, distance, share): (Option<usize>, f64, f64)| {
            let ops = class.and_then(|class| self.ops.get(class)).unwrap_or(&all);
            [vec![distance, share], shares(ops, &all).to_vec()].concat()
        };
        let rows = self.survival.rows().into_iter().map(row).collect();
        let follow = share(self.chains[1], self.chains[0]);
        Reuse {
            distances: rows,
            inside: share(self.inside, self.again),
            follow,
            chunk: length_of_runs(follow, self.chains[0]),
            ..Reuse::default()
        }
    }
}

/// The mean length of runs that continue with the share `follow` of `seen` times. For a run that
/// never ended, it is what was seen.
fn length_of_runs(follow: f64, seen: u64) -> f64 {
    if follow < 1.0 { 1.0 / (1.0 - follow) } else { (seen + 1) as f64 }
}

/// The four counts with their numbers.
fn all_of(ops: &[[u64; 2]; 2]) -> impl Iterator<Item = (usize, u64)> {
    ops.as_flattened().iter().copied().enumerate()
}

/// Share of places written before, then of writes at the others and at those. Where nothing was
/// seen, the shares of all distances apply.
fn shares(ops: &[[u64; 2]; 2], all: &[[u64; 2]; 2]) -> [f64; 3] {
    let [read, written] = [0, 1].map(|before: usize| {
        let own = ops[before];
        let of = if own[0] + own[1] > 0 { own } else { all[before] };
        share(of[1], of[0] + of[1])
    });
    let sum = |before: [u64; 2]| before[0] + before[1];
    [share(sum(ops[1]), sum(ops[0]) + sum(ops[1])), read, written]
}

/// Fits how new places lie in regions.
pub(super) struct RegionFit {
    recency: Recency,
    used: Vec<Key>,
    /// Of each region: the place of its last request, and where that ended.
    known: FxHashMap<Key, (u32, u64)>,
    survival: Survival,
    latest: Key,
    /// New places in used regions, and those just after the last request there.
    near: u64,
    adjacent: u64,
    /// New regions, and those that follow the one before.
    new: u64,
    next: u64,
    /// Of each volume: its newest region.
    newest: FxHashMap<u32, u64>,
}

impl RegionFit {
    pub(super) fn new() -> Self {
        let recency = Recency::new(REMEMBERED);
        RegionFit {
            used: vec![(0, 0); recency.places()],
            recency,
            known: FxHashMap::default(),
            survival: Survival::new(),
            latest: (u32::MAX, 0),
            near: 0,
            adjacent: 0,
            new: 0,
            next: 0,
            newest: FxHashMap::default(),
        }
    }

    /// Counts where the new place of `request` lies; true if its region is new.
    pub(super) fn go_anew(&mut self, volume: u32, request: &Request) -> bool {
        let region = request.offset / REGION_BYTES;
        let known = self.known.get(&(volume, region)).copied();
        if let Some((place, end)) = known {
            self.near += 1;
            let page = request.offset / PAGE_BYTES;
            let behind = page.wrapping_sub((end - 1) / PAGE_BYTES);
            self.adjacent += u64::from((1..=ADJACENT_PAGES).contains(&behind));
            if self.used[place as usize] == (volume, region) {
                self.survival.see(self.recency.rank(place as usize));
                return false;
            }
        }
        self.survival.miss(self.recency.len());
        if known.is_none() {
            self.new += 1;
            let newest = self.newest.insert(volume, region);
            self.next += u64::from(newest.is_some_and(|newest| newest + 1 == region));
        }
        known.is_none()
    }

    /// Marks the region of `request` as used.
    pub(super) fn touch(&mut self, volume: u32, request: &Request) {
        let key = (volume, request.offset / REGION_BYTES);
        if key != self.latest {
            self.latest = key;
            if let Some(&(place, _)) = self.known.get(&key)
                && self.used[place as usize] == key
            {
                self.recency.remove(place as usize);
            }
            let place = self.recency.push(false);
            self.used[place] = key;
            let places = self.recency.places();
            bound(&mut self.known, places, |known| (place + places - known.0 as usize) % places);
            self.known.insert(key, (place as u32, 0));
        }
        if let Some(known) = self.known.get_mut(&key) {
            known.1 = request.end();
        }
    }

    /// The table of distances. Then the share of new regions that follow the one before, and of new
    /// places in known regions just after the last request there.
    pub(super) fn finish(self) -> (Vec<Vec<f64>>, f64, f64) {
        let rows = self.survival.rows().into_iter();
        let rows = rows.map(|(_, distance, share)| vec![distance, share]).collect();
        (rows, share(self.next, self.new), share(self.adjacent, self.near))
    }
}
