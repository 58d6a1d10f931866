//! S-FTL (Jiang, Zhang, Yuan, Hu & Chen, MSST 2011), as TPFTL 2.2 and 5.2 describe it.
//!
//! Idea     whole translation pages in an LRU list, each stored as a bitmap and the heads of its
//!          runs of consecutive PPNs. A page that leaves with many dirty entries is programmed,
//!          without a read. One with few moves these to a dirty buffer and costs nothing. A full
//!          buffer flushes the translation page with most entries: one read, one program.
//! RAM      4 B per cached page + 2 bits per entry (head, dirty) + 4 B per head. A page never takes
//!          more than uncompressed: page size + 4 B + a bit per entry (choices.md#sftl-dirty-bits).
//!          8 B per entry of the buffer, whose share is reserved, and the GTD.
//! Departs  unknown: a reconstruction; we know the paper by its abstract and TPFTL. Four
//!          assumptions decide its hit ratio and write-backs (choices.md#sftl-buffer). A tenth of
//!          the cache is the dirty buffer. A page is sparse with up to eight dirty entries. A
//!          sparse page for which the buffer has no room makes it flush. Writes by GC include no
//!          dirty entries.
//! Options  `bitmaps` 1 or 2 (with 2 an overwrite costs one head, not two), `buffer`, `sparse`.
//!
//! The size of a page is known only when it has been read. It then waits in the page buffer that
//! every FTL reads into (choices.md#cache-overshoot). Meanwhile others leave one after another,
//! each perhaps after GC. An update adds at most three heads, for which there is always room. The
//! oldest page leaves to restore this room: at the end of the page access, and after each update by
//! GC before GC continues. The page in use is the last to leave, and one page always fits.
//!
//! Replacements count pages that left with all their entries: clean ones, programmed ones, and
//! those whose entries were flushed from the buffer. The replacement of a sparse page is postponed
//! until then, as in TPFTL 2.2 (choices.md#sftl-spill).

mod buffer;
mod page;

use super::{MapStore, MappingCache, MappingCounts, Occupancy};
use crate::cache::links::{Links, List};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::{Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn, Ratio, Vtpn};
use buffer::{DirtyBuffer, Remains};
use page::{Format, Page};
use std::collections::BTreeMap;

const BUFFERED_BYTES: u64 = 8;

/// The most that two updates add to pages, three heads each. One is that of the host. The other is
/// the first of GC, which makes room for entries that leave for it.
const GROWTH_BYTES: u64 = 24;

crate::settings! {
    /// S-FTL's own parameters.
    pub struct SftlConfig in "sftl" {
        /// Bits per mapping: 1 marks the heads of runs; 2 also mark overwritten mappings, as LeaFTL
        /// models S-FTL.
        bitmaps: u32 = 1, in 1..=2, unit "bits", laws 1..=2, source "choices.md#sftl-bitmaps";
        /// Share of the cache that is the dirty buffer.
        buffer: Ratio = Ratio(0.1), in 0.0..=1.0, laws [0.0, 0.02, 0.1, 0.3].map(Ratio),
            source "choices.md#sftl-buffer";
        /// Dirty entries up to which a page is sparse.
        sparse: u32 = 8, unit "entries", laws [0, 1, 3, 8, 200], source "choices.md#sftl-buffer";
    }
}

/// S-FTL's cache of compressed translation pages.
#[derive(Clone, Debug)]
pub struct Sftl {
    budget: u64,
    /// The part of the budget for pages, without the dirty buffer, bytes.
    page_budget: u64,
    page_bytes: u64,
    format: Format,
    entries_shift: u32,
    sparse: usize,
    pages: Slab<Page>,
    /// Token of each cached translation page.
    tokens: Tokens,
    /// Pages by last touch, newest in front.
    order: List,
    links: Links,
    buffer: DirtyBuffer,
    /// A page that was read and waits for room.
    arriving: Option<Page>,
    counts: MappingCounts,
    buffer_hits: u64,
    buffer_flushes: u64,
    /// Mappings of one write-back; kept to reuse its memory.
    changes: Vec<Change>,
}

impl MappingCache for Sftl {
    type Settings = SftlConfig;

    const SPEC: Spec = Spec {
        name: "sftl",
        title: "S-FTL",
        summary: "whole translation pages, compressed by runs, and a buffer for sparse dirty entries",
        source: "Jiang et al., MSST 2011",
        ..Spec::DEMAND_PAGED
    };

    fn build(setup: &Setup<SftlConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let budget = setup.ftl.cache_bytes(geometry);
        let SftlConfig { bitmaps, buffer: Ratio(share), sparse } = setup.own;
        let buffered = (budget as f64 * share) as u64 / BUFFERED_BYTES;
        let page_budget = budget - buffered * BUFFERED_BYTES;
        let format = Format { entries: geometry.entries_per_translation_page(), bitmaps };
        if page_budget < format.plain() {
            let message = format!(
                "found {page_budget} B next to the dirty buffer, expected at least a translation \
                 page, {} B",
                format.plain()
            );
            unless_bug!(SftlCacheTooSmall, return Err(Error::config("ftl.cache", message)));
        }
        Ok(Sftl {
            budget,
            page_budget,
            page_bytes: 0,
            format,
            entries_shift: format.entries.ilog2(),
            sparse: sparse as usize,
            pages: Slab::default(),
            tokens: Tokens::new(geometry.translation_pages()),
            order: List::default(),
            links: Links::default(),
            buffer: DirtyBuffer::new(buffered as usize, geometry.translation_pages()),
            arriving: None,
            counts: MappingCounts::default(),
            buffer_hits: 0,
            buffer_flushes: 0,
            changes: Vec::new(),
        })
    }

    fn prepare(&mut self, lpn: Lpn, last: Lpn, store: &mut MapStore, flash: &mut Flash) -> bool {
        let bytes = match &self.arriving {
            Some(page) => page.bytes(),
            None if self.contains(lpn) => return false,
            None => self.read(lpn, last, store, flash),
        };
        if self.pages.is_empty() || self.page_bytes + bytes + GROWTH_BYTES <= self.page_budget {
            return false;
        }
        self.shrink(store, flash);
        true
    }

    fn translate(&mut self, lpn: Lpn, _: Lpn, _: &mut MapStore, _: &mut Flash) -> Option<Ppn> {
        self.counts.lookups += 1;
        if let Some(page) = self.arriving.take() {
            let ppn = page.image.get(lpn);
            self.insert(page);
            return ppn;
        }
        let vtpn = self.page_of(lpn);
        if let Some(token) = self.tokens.get(vtpn.0) {
            self.counts.hits += 1;
            self.links.touch(&mut self.order, token);
            return self.pages[token].image.get(lpn);
        }
        self.counts.hits += 1;
        self.buffer_hits += 1;
        self.buffer.touch(vtpn, lpn).expect("a page that is nowhere in RAM was prepared")
    }

    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        self.change(lpn, new).expect("a page is translated before it is changed")
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        self.change(lpn, Some(new)).is_some()
    }

    fn is_over_budget(&self) -> bool {
        self.pages.len() > 1 && self.page_bytes + GROWTH_BYTES > self.page_budget
    }

    /// Evicts the oldest page, or makes room in the buffer for the entries that it leaves.
    fn shrink(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let dirty = self.pages[self.order.back()].image.dirty_slots();
        if self.is_sparse(dirty) && dirty > self.buffer.room() {
            self.flush(store, flash);
        } else {
            self.evict_oldest(dirty, store, flash);
        }
    }

    /// Evicts the oldest page, which frees more than one mapping can add. GC has no room for
    /// several flushes, so the page is programmed if the buffer is full.
    fn shrink_in_gc(&mut self, store: &mut MapStore, flash: &mut Flash) {
        if self.is_over_budget() {
            let dirty = self.pages[self.order.back()].image.dirty_slots();
            self.evict_oldest(dirty, store, flash);
        }
    }

    fn contains(&self, lpn: Lpn) -> bool {
        let vtpn = self.page_of(lpn);
        self.tokens.contains(vtpn.0)
            || self.buffer.contains(vtpn, lpn)
            || self.arriving.as_ref().is_some_and(|page| page.vtpn == vtpn)
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn counts(&self) -> MappingCounts {
        self.counts
    }

    fn occupancy(&self) -> Occupancy {
        let in_pages: usize = self.pages.iter().map(|(_, page)| page.image.len()).sum();
        Occupancy {
            entries: (in_pages + self.buffer.len()) as u64,
            translation_pages: (self.pages.len() + self.buffer.pages().count()) as u64,
            bytes: self.page_bytes + BUFFERED_BYTES * self.buffer.len() as u64,
        }
    }

    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("sftl.buffer_flushes", self.buffer_flushes),
            ("sftl.buffer_hits", self.buffer_hits),
        ])
    }

    fn other_loads(&self) -> Option<u64> {
        Some(self.buffer_flushes)
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
        self.buffer_hits = 0;
        self.buffer_flushes = 0;
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        let in_pages = self.pages.iter().flat_map(|(_, page)| page.image.entries());
        let buffered = self.buffer.pages().flat_map(|remains| &remains.changes);
        in_pages.chain(buffered.map(|change| (*change, true))).collect()
    }

    fn audit(&self) {
        assert!(self.arriving.is_none(), "a page was read and not taken in");
        let bytes: u64 = self.pages.iter().map(|(_, page)| page.bytes()).sum();
        assert_eq!(bytes, self.page_bytes, "bytes of the cached pages");
        assert!(bytes <= self.page_budget, "{bytes} B of pages in {} B", self.page_budget);
        assert_eq!(self.pages.len(), self.tokens.audit_len(), "pages and their index");
        assert_eq!(self.pages.len(), self.order.len(), "pages and their order");
        self.links.audit(&self.order);
        for (token, page) in self.pages.iter() {
            assert_eq!(self.tokens.get(page.vtpn.0), Some(token), "index of {}", page.vtpn);
            page.audit();
        }
        self.buffer.audit();
        for Remains { vtpn, .. } in self.buffer.pages() {
            assert!(!self.tokens.contains(vtpn.0), "{vtpn} is cached and buffered");
        }
    }
}

impl Sftl {
    const fn page_of(&self, lpn: Lpn) -> Vtpn {
        Vtpn(lpn.0 >> self.entries_shift)
    }

    /// Reads the page of `lpn` and lays the buffered changes over it. Returns its size.
    fn read(&mut self, lpn: Lpn, last: Lpn, store: &mut MapStore, flash: &mut Flash) -> u64 {
        let vtpn = self.page_of(lpn);
        let image = store.load(vtpn, flash);
        let mut page = Page::new(vtpn, image, store.pages.runs(vtpn), self.format);
        if let Some(remains) = self.buffer.take(vtpn) {
            for (lpn, ppn) in remains.changes {
                page.set(lpn, ppn);
            }
        }
        if lpn < last && self.page_of(Lpn(lpn.0 + 1)) == vtpn {
            // Later pages of the request rely on this load.
            flash.hold_later_pages();
        }
        let bytes = page.bytes();
        self.arriving = Some(page);
        bytes
    }

    fn insert(&mut self, page: Page) {
        self.page_bytes += page.bytes();
        debug_assert!(self.page_bytes <= self.page_budget, "{} B of pages", self.page_bytes);
        let vtpn = page.vtpn;
        let token = self.pages.insert(page);
        self.tokens.set(vtpn.0, token);
        self.links.grow(self.pages.tokens());
        self.links.push_front(&mut self.order, token);
    }

    /// Changes a cached or buffered mapping. Returns the old one, or `None` if it is neither.
    fn change(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Option<Ppn>> {
        let vtpn = self.page_of(lpn);
        if let Some(page) = self.arriving.as_mut().filter(|page| page.vtpn == vtpn) {
            return Some(page.set(lpn, new));
        }
        let Some(token) = self.tokens.get(vtpn.0) else {
            return self.buffer.replace(vtpn, lpn, new);
        };
        let page = &mut self.pages[token];
        let before = page.bytes();
        let old = page.set(lpn, new);
        self.page_bytes = self.page_bytes + page.bytes() - before;
        assert!(self.page_bytes <= self.page_budget, "{} B of pages", self.page_bytes);
        Some(old)
    }

    /// Whether a page with `dirty` dirty entries moves these to the buffer.
    fn is_sparse(&self, dirty: usize) -> bool {
        dirty <= self.sparse.min(self.buffer.capacity())
    }

    /// Evicts the oldest page: at no cost if it is clean, or sparse and the buffer has room.
    fn evict_oldest(&mut self, dirty: usize, store: &mut MapStore, flash: &mut Flash) {
        if dirty == 0 {
            let page = self.remove_oldest();
            store.take_back(page.image);
            self.counts.replacements += 1;
        } else if self.is_sparse(dirty) && dirty <= self.buffer.room() {
            let Page { vtpn, image, .. } = self.remove_oldest();
            self.buffer.insert(Remains { vtpn, changes: image.changes().collect() });
            store.take_back(image);
        } else {
            self.write_oldest(store, flash);
        }
    }

    fn remove_oldest(&mut self) -> Page {
        let token = self.order.back();
        self.links.remove(&mut self.order, token);
        let page = self.pages.remove(token);
        self.tokens.take(page.vtpn.0);
        self.page_bytes -= page.bytes();
        page
    }

    /// Programs a page that is whole in RAM, without a read.
    fn write_oldest(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let page = self.remove_oldest();
        self.counts.replacements += 1;
        self.counts.dirty_replacements += 1;
        page.image.list_changes(&mut self.changes);
        store.take_back(page.image);
        store.write_whole(page.vtpn, &self.changes, flash);
    }

    /// Writes all buffered entries of one translation page back.
    fn flush(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let remains = self.buffer.take_fullest().expect("a full buffer has entries");
        self.counts.replacements += 1;
        self.counts.dirty_replacements += 1;
        unless_bug!(SftlFlushUncounted, self.buffer_flushes += 1);
        store.write_back(remains.vtpn, &remains.changes, flash);
    }
}

#[cfg(test)]
mod tests;
