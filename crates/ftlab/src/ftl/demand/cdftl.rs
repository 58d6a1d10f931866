//! CDFTL (Qin, Wang, Liu & Shao, RTAS 2011), as TPFTL 2.2 describes it.
//!
//! Idea     two levels: a cached mapping table (CMT) of single entries, and cached translation
//!          pages (CTP), whole. A miss loads the page into the CTP and its entry into the CMT. An
//!          entry that leaves the CMT dirty is written into its cached page, at no cost. Only a
//!          page that leaves the CTP dirty is programmed, without a read. A dirty entry whose page
//!          is not cached (uncovered) therefore remains, however cold.
//! RAM      8 B per entry of the CMT, page size + 4 B per page of the CTP + GTD.
//! Departs  unknown: a reconstruction; we know the paper by TPFTL 2.2. Two assumptions decide how
//!          it compares with S-FTL. Half of the cache holds pages (choices.md#cdftl-split). When
//!          all entries are dirty and uncovered, the page of the oldest is loaded and only that
//!          entry is merged (choices.md#cdftl-uncovered).
//! Options  `ctp`, the share of the cache that holds pages; at least one page and one entry.
//!          `absorb`: programming a page includes the dirty entries of the CMT that it covers
//!          (choices.md#cdftl-absorb).
//!
//! The victim in the CMT is the oldest entry that is clean or covered. These entries are in one
//! heap by last touch, the others in a second one, so no search is needed. A hit does not change
//! the heaps. An outdated key is corrected when it reaches the top, at most once per hit. A page
//! that enters or leaves the CTP moves its dirty entries to the other heap: at most one for each
//! mapping that was read.
//!
//! Replacements count pages that leave the CTP. An uncovered victim's page replaces the oldest in a
//! separate step, before which GC may run (choices.md#cache-overshoot).

use super::{Image, Level, Levels, MapStore, MappingCache, MappingCounts, Occupancy};
use crate::cache::indexed_heap::IndexedHeap;
use crate::cache::links::{Links, List};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::{Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn, Ratio, Vtpn};
use std::collections::{BTreeMap, BTreeSet};

const ENTRY_BYTES: u64 = 8;
/// VTPN of a cached page, in addition to its content.
const PAGE_HEADER_BYTES: u64 = 4;

crate::settings! {
    /// CDFTL's own parameters.
    pub struct CdftlConfig in "cdftl" {
        /// Share of the cache for whole translation pages.
        ctp: Ratio = Ratio(0.5), in 0.0..=1.0, laws [0.0, 0.5, 0.9, 1.0].map(Ratio),
            source "choices.md#cdftl-split";
        /// A page that leaves the CTP dirty includes the dirty entries of the CMT that it covers,
        /// which become clean.
        absorb: bool = false, source "choices.md#cdftl-absorb";
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: Lpn,
    ppn: Option<Ppn>,
    dirty: bool,
    /// Lookups so far at the last touch.
    touched: u64,
}

#[derive(Clone, Debug)]
struct Page {
    vtpn: Vtpn,
    image: Image,
}

/// CDFTL's two-level cache.
#[derive(Clone, Debug)]
pub struct Cdftl {
    budget: u64,
    absorbs: bool,
    entry_capacity: usize,
    page_capacity: usize,
    page_bytes: u64,
    entries_shift: u32,
    entries: Slab<Entry>,
    /// Token of the entry of each logical page in the CMT.
    tokens: Tokens,
    /// Entries that are clean or covered; a key is the last touch, or an earlier one.
    evictable: IndexedHeap<u64>,
    /// Entries that are dirty and uncovered.
    blocked: IndexedHeap<u64>,
    /// The dirty entries of each translation page.
    dirty: Vec<List>,
    dirty_links: Links,
    pages: Slab<Page>,
    /// Token of each translation page in the CTP.
    page_tokens: Tokens,
    /// The CTP by last touch, newest in front.
    page_order: List,
    page_links: Links,
    touches: u64,
    counts: MappingCounts,
    page_hits: u64,
    uncovered_loads: u64,
    /// The mapping taken from its page, which waits for room in the CMT, and whether GC has changed
    /// it.
    taken: Option<(Lpn, Option<Ppn>, bool)>,
    /// Mappings of one write-back; kept to reuse its memory.
    changes: Vec<Change>,
}

impl MappingCache for Cdftl {
    type Settings = CdftlConfig;

    const SPEC: Spec = Spec {
        name: "cdftl",
        title: "CDFTL",
        summary: "two levels: single entries, and whole translation pages that take their dirty ones in",
        source: "Qin, Wang, Liu & Shao, RTAS 2011",
        ..Spec::SEARCHED
    };

    fn build(setup: &Setup<CdftlConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let budget = setup.ftl.cache_bytes(geometry);
        let share = setup.own.ctp.0;
        let page_bytes = u64::from(geometry.page_bytes) + PAGE_HEADER_BYTES;
        let least = page_bytes + ENTRY_BYTES;
        if budget < least {
            let message = format!(
                "found {budget} B, expected at least a translation page and an entry, {least} B"
            );
            unless_bug!(CdftlCacheTooSmall, return Err(Error::config("ftl.cache", message)));
        }
        let most = (budget - ENTRY_BYTES) / page_bytes;
        let pages = ((budget as f64 * share) as u64 / page_bytes).clamp(1, most);
        Ok(Cdftl {
            budget,
            absorbs: setup.own.absorb,
            entry_capacity: ((budget - pages * page_bytes) / ENTRY_BYTES) as usize,
            page_capacity: pages as usize,
            page_bytes,
            entries_shift: geometry.entries_per_translation_page().ilog2(),
            entries: Slab::default(),
            tokens: Tokens::new(geometry.logical_pages),
            evictable: IndexedHeap::default(),
            blocked: IndexedHeap::default(),
            dirty: vec![List::default(); geometry.translation_pages() as usize],
            dirty_links: Links::default(),
            pages: Slab::default(),
            page_tokens: Tokens::new(geometry.translation_pages()),
            page_order: List::default(),
            page_links: Links::default(),
            touches: 0,
            counts: MappingCounts::default(),
            page_hits: 0,
            uncovered_loads: 0,
            taken: None,
            changes: Vec::new(),
        })
    }

    fn prepare(&mut self, lpn: Lpn, last: Lpn, store: &mut MapStore, flash: &mut Flash) -> bool {
        if self.tokens.contains(lpn.0) {
            return false;
        }
        let has_no_victim =
            |it: &Self| it.entries.len() == it.entry_capacity && it.evictable.is_empty();
        if self.taken.is_none() {
            self.take_from_page(lpn, last, store, flash);
            return has_no_victim(self);
        }
        if has_no_victim(self) {
            self.cover_oldest(store, flash);
        }
        false
    }

    fn translate(&mut self, lpn: Lpn, _: Lpn, _: &mut MapStore, _: &mut Flash) -> Option<Ppn> {
        self.touches += 1;
        self.counts.lookups += 1;
        if let Some(token) = self.tokens.get(lpn.0) {
            self.counts.hits += 1;
            let entry = &mut self.entries[token];
            entry.touched = self.touches;
            return entry.ppn;
        }
        let (_, ppn, changed) = self.taken.take().expect("it was prepared");
        if self.entries.len() == self.entry_capacity {
            self.evict_entry();
        }
        let token = self.add_entry(lpn, ppn);
        if changed {
            self.mark_dirty(token);
        }
        ppn
    }

    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        let token = self.tokens.get(lpn.0).expect("it is cached");
        self.mark_dirty(token);
        std::mem::replace(&mut self.entries[token].ppn, new)
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        if self.tokens.contains(lpn.0) {
            self.update(lpn, Some(new));
            return true;
        }
        if let Some(taken) = self.taken.as_mut().filter(|taken| taken.0 == lpn) {
            *taken = (lpn, Some(new), true);
            return true;
        }
        let Some(page) = self.page_tokens.get(self.page_of(lpn).0) else { return false };
        self.pages[page].image.set(lpn, Some(new));
        true
    }

    fn contains(&self, lpn: Lpn) -> bool {
        self.tokens.contains(lpn.0) || self.is_covered(lpn)
    }

    /// Its entries. For a missing entry also its translation pages, in which each mapping has its
    /// place.
    fn searched(&self, lpn: Lpn) -> Levels {
        let entry = Level { keys: self.entries.len(), found: self.tokens.contains(lpn.0) };
        let page = self.page_tokens.contains(self.page_of(lpn).0);
        let page = Level { keys: self.pages.len(), found: page };
        if entry.found { vec![entry] } else { vec![entry, page] }
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn counts(&self) -> MappingCounts {
        self.counts
    }

    fn occupancy(&self) -> Occupancy {
        let lpns = self.entries.iter().map(|(_, entry)| entry.lpn);
        let uncovered: Vec<Lpn> = lpns.filter(|lpn| !self.is_covered(*lpn)).collect();
        let uncovered_pages: BTreeSet<u32> =
            uncovered.iter().map(|lpn| self.page_of(*lpn).0).collect();
        let in_pages: usize = self.pages.iter().map(|(_, page)| page.image.len()).sum();
        Occupancy {
            entries: (in_pages + uncovered.len()) as u64,
            translation_pages: (self.pages.len() + uncovered_pages.len()) as u64,
            bytes: ENTRY_BYTES * self.entries.len() as u64
                + self.page_bytes * self.pages.len() as u64,
        }
    }

    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("cdftl.page_hits", self.page_hits),
            ("cdftl.uncovered_loads", self.uncovered_loads),
        ])
    }

    fn other_loads(&self) -> Option<u64> {
        Some(self.uncovered_loads)
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
        self.page_hits = 0;
        self.uncovered_loads = 0;
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        let single = self.entries.iter().map(|(_, entry)| {
            let page = self.page_tokens.get(self.page_of(entry.lpn).0);
            let merged = page.is_some_and(|page| {
                let image = &self.pages[page].image;
                image.is_dirty(image.slot_of(entry.lpn))
            });
            ((entry.lpn, entry.ppn), entry.dirty || merged)
        });
        let in_pages = self.pages.iter().flat_map(|(_, page)| page.image.entries());
        let others = in_pages.filter(|((lpn, _), _)| !self.tokens.contains(lpn.0));
        single.chain(others).collect()
    }

    fn audit(&self) {
        assert_eq!(self.taken, None, "a mapping was taken and not kept");
        assert!(self.entries.len() <= self.entry_capacity, "{} entries", self.entries.len());
        assert!(self.pages.len() <= self.page_capacity, "{} pages", self.pages.len());
        assert_eq!(self.entries.len(), self.tokens.audit_len(), "entries and their index");
        assert_eq!(self.pages.len(), self.page_tokens.audit_len(), "pages and their index");
        assert_eq!(self.entries.len(), self.evictable.len() + self.blocked.len(), "heaps");
        self.page_links.audit(&self.page_order);
        assert_eq!(self.pages.len(), self.page_order.len(), "pages and their order");
        for (token, page) in self.pages.iter() {
            assert_eq!(self.page_tokens.get(page.vtpn.0), Some(token), "index of {}", page.vtpn);
            page.image.audit();
        }
        for (token, entry) in self.entries.iter() {
            self.audit_entry(token, entry);
        }
        self.audit_dirty();
    }
}

impl Cdftl {
    const fn page_of(&self, lpn: Lpn) -> Vtpn {
        Vtpn(lpn.0 >> self.entries_shift)
    }

    /// Whether the translation page of `lpn` is in the CTP.
    fn is_covered(&self, lpn: Lpn) -> bool {
        self.page_tokens.contains(self.page_of(lpn).0)
    }

    /// Takes the mapping of `lpn` from its page, which is loaded if it is not in the CTP.
    fn take_from_page(&mut self, lpn: Lpn, last: Lpn, store: &mut MapStore, flash: &mut Flash) {
        let page = match self.page_tokens.get(self.page_of(lpn).0) {
            Some(page) => {
                self.counts.hits += 1;
                self.page_hits += 1;
                self.page_links.touch(&mut self.page_order, page);
                page
            }
            None => self.miss(lpn, last, store, flash),
        };
        self.taken = Some((lpn, self.pages[page].image.get(lpn), false));
    }

    /// Loads the translation page of `lpn` in place of the oldest.
    fn miss(&mut self, lpn: Lpn, last: Lpn, store: &mut MapStore, flash: &mut Flash) -> u32 {
        let vtpn = self.page_of(lpn);
        let page = self.load_page(vtpn, store, flash);
        if lpn < last && self.page_of(Lpn(lpn.0 + 1)) == vtpn {
            // Later pages of the request rely on this load.
            flash.hold_later_pages();
        }
        page
    }

    /// Reads a page into the CTP, in place of the oldest if the CTP is full. Its dirty entries are
    /// covered now.
    fn load_page(&mut self, vtpn: Vtpn, store: &mut MapStore, flash: &mut Flash) -> u32 {
        if self.pages.len() == self.page_capacity {
            self.evict_page(store, flash);
        }
        let image = store.load(vtpn, flash);
        assert!(self.pages.len() < self.page_capacity, "the CTP has no room");
        let page = self.pages.insert(Page { vtpn, image });
        self.page_links.grow(self.pages.tokens());
        self.page_links.push_front(&mut self.page_order, page);
        self.page_tokens.set(vtpn.0, page);
        for token in self.dirty_links.from_oldest(&self.dirty[vtpn.index()]) {
            self.blocked.remove(token);
            self.evictable.insert(token, self.entries[token].touched);
        }
        page
    }

    /// Takes the oldest page out of the CTP. A dirty one is programmed. The dirty entries of the
    /// CMT that it covered remain, uncovered, unless it absorbs them.
    fn evict_page(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let token = self.page_order.back();
        self.page_links.remove(&mut self.page_order, token);
        let Page { vtpn, mut image } = self.pages.remove(token);
        self.page_tokens.take(vtpn.0);
        self.counts.replacements += 1;
        let is_dirty = image.dirty_slots() > 0;
        if is_dirty && self.absorbs {
            let dirty = std::mem::take(&mut self.dirty[vtpn.index()]);
            for token in self.dirty_links.from_oldest(&dirty) {
                let entry = &mut self.entries[token];
                entry.dirty = false;
                image.set(entry.lpn, entry.ppn);
            }
        }
        for token in self.dirty_links.from_oldest(&self.dirty[vtpn.index()]) {
            self.evictable.remove(token);
            self.blocked.insert(token, self.entries[token].touched);
        }
        image.list_changes(&mut self.changes);
        store.take_back(image);
        if !is_dirty {
            return;
        }
        self.counts.dirty_replacements += 1;
        store.write_whole(vtpn, &self.changes, flash);
    }

    /// Loads the page of the oldest entry. All entries are dirty and uncovered.
    fn cover_oldest(&mut self, store: &mut MapStore, flash: &mut Flash) {
        self.uncovered_loads += 1;
        let oldest = oldest(&mut self.blocked, &self.entries);
        self.load_page(self.page_of(self.entries[oldest].lpn), store, flash);
    }

    /// Takes the oldest entry that is clean or covered out of the CMT.
    fn evict_entry(&mut self) {
        let token = oldest(&mut self.evictable, &self.entries);
        self.evictable.remove(token);
        let Entry { lpn, ppn, dirty, .. } = self.entries.remove(token);
        self.tokens.take(lpn.0);
        if dirty {
            let vtpn = self.page_of(lpn);
            self.dirty_links.remove(&mut self.dirty[vtpn.index()], token);
            let page = self.page_tokens.get(vtpn.0).expect("it is cached");
            self.pages[page].image.set(lpn, ppn);
        }
    }

    fn add_entry(&mut self, lpn: Lpn, ppn: Option<Ppn>) -> u32 {
        let entry = Entry { lpn, ppn, dirty: false, touched: self.touches };
        let token = self.entries.insert(entry);
        self.dirty_links.grow(self.entries.tokens());
        self.tokens.set(lpn.0, token);
        self.evictable.insert(token, self.touches);
        token
    }

    fn mark_dirty(&mut self, token: u32) {
        let Entry { lpn, dirty, touched, .. } = self.entries[token];
        if dirty {
            return;
        }
        self.entries[token].dirty = true;
        let vtpn = self.page_of(lpn);
        self.dirty_links.push_front(&mut self.dirty[vtpn.index()], token);
        if !self.is_covered(lpn) {
            self.evictable.remove(token);
            self.blocked.insert(token, touched);
        }
    }

    fn audit_entry(&self, token: u32, entry: &Entry) {
        let lpn = entry.lpn;
        assert_eq!(self.tokens.get(lpn.0), Some(token), "index of {lpn}");
        let free = !entry.dirty || self.is_covered(lpn);
        let heap = if free { &self.evictable } else { &self.blocked };
        assert!(heap.contains(token), "{lpn} is in the wrong heap, evictable is {free}");
        assert!(heap.key(token) <= entry.touched, "{lpn} has a key from the future");
        if let (false, Some(page)) = (entry.dirty, self.page_tokens.get(self.page_of(lpn).0)) {
            assert_eq!(self.pages[page].image.get(lpn), entry.ppn, "{lpn} differs from its page");
        }
    }

    /// Checks that the lists hold the dirty entries, each under its translation page.
    fn audit_dirty(&self) {
        let dirty: Vec<&Entry> =
            self.entries.iter().map(|(_, entry)| entry).filter(|entry| entry.dirty).collect();
        let vtpns: BTreeSet<u32> = dirty.iter().map(|entry| self.page_of(entry.lpn).0).collect();
        let lists = self.dirty.iter().filter(|list| !list.is_empty()).count();
        assert_eq!(vtpns.len(), lists, "pages with dirty entries");
        let mut listed = 0;
        for vtpn in vtpns {
            let list = &self.dirty[vtpn as usize];
            self.dirty_links.audit(list);
            listed += list.len();
            for token in self.dirty_links.from_oldest(list) {
                let entry = &self.entries[token];
                assert!(entry.dirty && self.page_of(entry.lpn).0 == vtpn, "list of {vtpn}");
            }
        }
        assert_eq!(listed, dirty.len(), "dirty entries");
    }
}

/// The entry touched longest ago; corrects outdated keys at the top.
fn oldest(heap: &mut IndexedHeap<u64>, entries: &Slab<Entry>) -> u32 {
    loop {
        let token = heap.min().expect("a full table has a victim");
        let touched = entries[token].touched;
        if heap.key(token) == touched {
            return token;
        }
        heap.update(token, touched);
    }
}

#[cfg(test)]
mod tests;
