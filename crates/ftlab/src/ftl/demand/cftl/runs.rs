//! The mapping cache of CFTL: runs of pages that follow each other, and whole blocks.

use crate::cache::block_set::BlockSets;
use crate::cache::links::{Links, List};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::{Cause, Flash, Geometry, Owner};
use crate::ftl::demand::{CftlConfig, MapStore, MappingCache, MappingCounts, Occupancy};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::translation_pages::{Change, TranslationPages};
use crate::placement::survey::Page;
use crate::units::{Lbn, Lpn, Ppn};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// LPN, PPN and the length of the run.
const RUN_BYTES: u64 = 10;
/// LBN and PBN.
const BLOCK_BYTES: u64 = 8;
/// The longest run that an entry can have.
const LONGEST_RUN: u32 = u16::MAX as u32;

/// Consecutive pages: `first + k` is on `ppn + k`, or the one page is unmapped.
#[derive(Clone, Copy, Debug)]
struct Entry {
    first: u32,
    pages: u32,
    ppn: Option<Ppn>,
    /// Whether it is a logical block in one physical block.
    block: bool,
    /// Newer than flash; such an entry has one page.
    dirty: bool,
}

impl Entry {
    fn mapping(&self, lpn: Lpn) -> Option<Ppn> {
        self.ppn.map(|ppn| Ppn(ppn.0 + lpn.0 - self.first))
    }

    const fn end(&self) -> u32 {
        self.first + self.pages
    }

    const fn bytes(&self) -> u64 {
        if self.block { BLOCK_BYTES } else { RUN_BYTES }
    }
}

/// The state of a logical block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Pages that are mapped.
    mapped: u16,
    /// Page reads since a page was written or moved.
    reads: u16,
    /// Whether each page is at its own offset of one physical block.
    is_block: bool,
}

/// Cached runs and blocks under LRU.
#[derive(Clone, Debug)]
pub struct Runs {
    entries: Slab<Entry>,
    /// The first pages of entries.
    firsts: BlockSets,
    /// Token of the entry that begins with each logical page.
    tokens: Tokens,
    links: Links,
    recency: List,
    bytes: u64,
    budget: u64,
    blocks: Vec<Block>,
    pages_per_block: u32,
    /// Page reads that make a logical block block-mapped.
    threshold: u16,
    counts: MappingCounts,
    block_hits: u64,
    write_backs: u64,
}

impl MappingCache for Runs {
    type Settings = CftlConfig;

    const SPEC: Spec = Spec::DEMAND_PAGED;

    fn recover(&mut self, found: &[Page], geometry: &Geometry) {
        for page in found {
            if let Owner::Data(lpn) = page.owner {
                let lbn = geometry.logical_block_of(lpn);
                unless_bug!(CftlMountCountsNone, self.blocks[lbn.index()].mapped += 1);
            }
        }
    }

    fn build(setup: &Setup<CftlConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let budget = setup.ftl.cache_bytes(geometry);
        if budget < RUN_BYTES {
            let message = format!("found {budget} B, expected at least one run of {RUN_BYTES} B");
            unless_bug!(CftlCacheTooSmall, return Err(Error::config("ftl.cache", message)));
        }
        let threshold = setup.own.reads;
        Ok(Runs {
            entries: Slab::default(),
            firsts: BlockSets::new(1, geometry.logical_pages),
            tokens: Tokens::new(geometry.logical_pages),
            links: Links::default(),
            recency: List::default(),
            bytes: 0,
            budget,
            blocks: vec![Block::default(); geometry.logical_blocks() as usize],
            pages_per_block: geometry.pages_per_block,
            threshold,
            counts: MappingCounts::default(),
            block_hits: 0,
            write_backs: 0,
        })
    }

    fn translate(
        &mut self,
        lpn: Lpn,
        _last: Lpn,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Ppn> {
        self.counts.lookups += 1;
        if let Some(token) = self.find(lpn) {
            self.counts.hits += 1;
            self.block_hits += u64::from(self.entries[token].block);
            self.links.touch(&mut self.recency, token);
            return self.entries[token].mapping(lpn);
        }
        store.pages.read(store.pages.page_of(lpn), flash, Cause::Translation);
        let entry = self.entry_around(lpn, store);
        self.insert(entry);
        entry.mapping(lpn)
    }

    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        let token = self.find(lpn).expect("the page was translated just before");
        let old = self.change(token, lpn, new);
        let block = self.block_mut(lpn);
        block.mapped += u16::from(new.is_some());
        block.mapped -= u16::from(old.is_some());
        old
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        let found = self.find(lpn);
        match found {
            Some(token) => _ = self.change(token, lpn, Some(new)),
            None => unless_bug!(CftlBlockStaysMapped, self.scatter(lpn)),
        }
        found.is_some()
    }

    fn is_over_budget(&self) -> bool {
        self.bytes > self.budget
    }

    /// Evicts the entry used least recently; a dirty one is written back alone.
    fn shrink(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let victim = self.remove(self.recency.back());
        self.counts.replacements += 1;
        if victim.dirty {
            self.counts.dirty_replacements += 1;
            self.write_backs += 1;
            let lpn = Lpn(victim.first);
            store.write_back(store.pages.page_of(lpn), &[(lpn, victim.ppn)], flash);
        }
    }

    fn contains(&self, lpn: Lpn) -> bool {
        self.find(lpn).is_some()
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn counts(&self) -> MappingCounts {
        self.counts
    }

    fn occupancy(&self) -> Occupancy {
        let blocks = self.entries.iter().map(|(_, entry)| entry.first / self.pages_per_block);
        Occupancy {
            entries: self.entries.len() as u64,
            translation_pages: blocks.collect::<BTreeSet<u32>>().len() as u64,
            bytes: self.bytes,
        }
    }

    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        let mapped = self.blocks.iter().filter(|block| block.is_block).count() as u64;
        BTreeMap::from([
            ("cftl.block_hits", self.block_hits),
            ("cftl.block_mapped", mapped),
            ("cftl.write_backs", self.write_backs),
        ])
    }

    fn other_loads(&self) -> Option<u64> {
        Some(self.write_backs)
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
        self.block_hits = 0;
        self.write_backs = 0;
    }

    /// Counters of reads and of mapped pages, 2 B each, and the mode of each logical block.
    fn extra_ram(&self) -> u64 {
        let blocks = self.blocks.len() as u64;
        4 * blocks + blocks.div_ceil(8)
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        let pages = self.entries.iter().flat_map(|(_, entry)| {
            let lpns = (entry.first..entry.end()).map(Lpn);
            lpns.map(|lpn| ((lpn, entry.mapping(lpn)), entry.dirty))
        });
        pages.collect()
    }

    fn audit(&self) {
        self.links.audit(&self.recency);
        assert_eq!(self.recency.len(), self.entries.len(), "entries by recency");
        assert_eq!(self.tokens.audit_len(), self.entries.len(), "entries by their first page");
        let bytes: u64 = self.entries.iter().map(|(_, entry)| entry.bytes()).sum();
        assert_eq!(bytes, self.bytes, "bytes of the cache");
        let (mut free, mut found) = (0, 0);
        let mut next = self.firsts.lowest(0);
        while let Some(first) = next {
            let token = self.tokens.get(first).expect("an entry of a first page");
            let entry = &self.entries[token];
            assert_eq!(entry.first, first, "an entry and its index");
            found += 1;
            next = self.firsts.lowest_from(0, first + 1);
            assert!(first >= free, "page {first} is cached twice");
            free = entry.end();
            let single = entry.pages == 1;
            assert!(single || !entry.dirty && entry.ppn.is_some(), "a run from page {first}");
            let block = &self.blocks[(first / self.pages_per_block) as usize];
            let whole = block.is_block && first.is_multiple_of(self.pages_per_block);
            assert!(!entry.block || whole && entry.pages == self.pages_per_block, "{entry:?}");
        }
        assert_eq!(found, self.entries.len(), "first pages of entries");
    }
}

impl Runs {
    fn find(&self, lpn: Lpn) -> Option<u32> {
        let token = self.last_to(lpn.0)?;
        (lpn.0 < self.entries[token].end()).then_some(token)
    }

    /// The last entry that begins up to a page.
    #[inline]
    fn last_to(&self, page: u32) -> Option<u32> {
        self.tokens.get(self.firsts.highest_to(0, page)?)
    }

    /// The cached mapping of a page.
    pub fn get(&self, lpn: Lpn) -> Option<Option<Ppn>> {
        self.find(lpn).map(|token| self.entries[token].mapping(lpn))
    }

    fn block_mut(&mut self, lpn: Lpn) -> &mut Block {
        &mut self.blocks[(lpn.0 / self.pages_per_block) as usize]
    }

    fn insert(&mut self, entry: Entry) -> u32 {
        let token = self.entries.insert(entry);
        self.bytes += entry.bytes();
        self.firsts.insert(0, entry.first);
        self.tokens.set(entry.first, token);
        self.links.grow(self.entries.tokens());
        self.links.push_front(&mut self.recency, token);
        token
    }

    fn remove(&mut self, token: u32) -> Entry {
        let entry = self.entries.remove(token);
        self.bytes -= entry.bytes();
        self.firsts.remove(0, entry.first);
        self.tokens.take(entry.first);
        self.links.remove(&mut self.recency, token);
        entry
    }

    /// The entry to cache for a page whose translation page was just read. It is its block, or the
    /// run from the page on. A run ends before a page that is already cached or block-mapped.
    fn entry_around(&self, lpn: Lpn, store: &MapStore) -> Entry {
        let ppn = store.pages.mapping(lpn);
        let alone = Entry { first: lpn.0, pages: 1, ppn, block: false, dirty: false };
        let Some(Ppn(ppn)) = ppn else { return alone };
        let per_block = self.pages_per_block;
        let is_block = |lpn: u32| self.blocks[(lpn / per_block) as usize].is_block;
        if is_block(lpn.0) {
            let offset = lpn.0 % per_block;
            let (first, ppn) = (lpn.0 - offset, Some(Ppn(ppn - offset)));
            return Entry { first, pages: per_block, ppn, block: true, ..alone };
        }
        let last = store.pages.last_on_page(store.pages.page_of(lpn)).0;
        let cached = self.firsts.lowest_from(0, lpn.0).unwrap_or(u32::MAX);
        let newer = unless_bug!(CftlRunReachesOver, cached, u32::MAX);
        let end = newer.min(last + 1).min(lpn.0 + LONGEST_RUN);
        let follows = |next: &u32| {
            let at_border = next.is_multiple_of(per_block);
            store.pages.mapping(Lpn(*next)) == Some(Ppn(ppn + next - lpn.0))
                && !(at_border && is_block(*next))
        };
        let pages = 1 + (lpn.0 + 1..end).take_while(follows).count() as u32;
        Entry { pages, ..alone }
    }

    /// Changes the mapping of a page in an entry, which is split around it. Returns the old
    /// mapping.
    fn change(&mut self, token: u32, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        self.scatter(lpn);
        let entry = self.cut(token, lpn.0..lpn.0 + 1);
        let (first, pages) = (lpn.0, 1);
        self.insert(Entry { first, pages, ppn: new, block: false, dirty: true });
        entry.mapping(lpn)
    }

    /// Notes that a page of a logical block moved: the block is page-mapped, and its count of reads
    /// restarts.
    fn scatter(&mut self, lpn: Lpn) {
        let block = self.block_mut(lpn);
        block.is_block = false;
        block.reads = 0;
    }

    /// Removes an entry and puts back, as runs, its parts outside these pages.
    fn cut(&mut self, token: u32, pages: Range<u32>) -> Entry {
        let entry = self.remove(token);
        for (first, end) in [(entry.first, pages.start), (pages.end, entry.end())] {
            if first < end {
                let ppn = entry.mapping(Lpn(first));
                self.insert(Entry { first, pages: end - first, ppn, block: false, dirty: false });
            }
        }
        entry
    }

    /// Counts a read of a page; returns whether its logical block is to be block-mapped now.
    pub fn note_read(&mut self, lpn: Lpn) -> bool {
        let (threshold, pages) = (self.threshold, self.pages_per_block);
        let block = self.block_mut(lpn);
        block.reads = block.reads.saturating_add(1);
        let whole = u32::from(block.mapped) == pages;
        whole && block.reads == threshold && !block.is_block
    }

    /// Whether one clean run shows that a logical block is in one physical block already.
    pub fn is_in_one_block(&self, pages: &Range<u32>) -> bool {
        self.find(Lpn(pages.start)).map(|token| self.entries[token]).is_some_and(|entry| {
            let aligned = |ppn: Ppn| ppn.0.is_multiple_of(self.pages_per_block);
            entry.end() >= pages.end
                && !entry.dirty
                && entry.mapping(Lpn(pages.start)).is_some_and(aligned)
        })
    }

    /// Notes that a logical block is in one physical block, as its translation pages now show.
    pub fn set_block(&mut self, lbn: Lbn, ppn: Ppn) {
        let first = lbn.0 * self.pages_per_block;
        let pages = first..first + self.pages_per_block;
        while let Some(token) = self.overlapping(&pages) {
            self.cut(token, pages.clone());
        }
        self.mark_block(lbn);
        let entry =
            Entry { first, pages: self.pages_per_block, ppn: Some(ppn), block: true, dirty: false };
        self.insert(entry);
    }

    /// From now on a logical block is mapped as a whole.
    pub fn mark_block(&mut self, lbn: Lbn) {
        self.blocks[lbn.index()].is_block = true;
    }

    /// Checks the states of logical blocks against the whole map.
    ///
    /// # Panics
    /// When it differs.
    pub fn audit_blocks(&self, pages: &TranslationPages, flash: &Flash) {
        let newest = |lpn| self.get(lpn).unwrap_or_else(|| pages.mapping_on_flash(lpn));
        for (lbn, block) in (0..).map(Lbn).zip(&self.blocks) {
            let pages = flash.geometry().logical_pages_of(lbn);
            let places: Vec<Option<Ppn>> = pages.map(newest).collect();
            let mapped = places.iter().flatten().count();
            assert_eq!(mapped, usize::from(block.mapped), "mapped pages of block {lbn}");
            let home = places[0].filter(|_| block.is_block);
            let together = (0..).zip(&places).all(|(offset, place)| {
                home.is_some_and(|home| *place == Some(Ppn(home.0 + offset)))
            });
            assert!(!block.is_block || together, "block {lbn} is not in one block");
        }
    }

    #[cfg(test)]
    pub fn adopt_blocks(&mut self, other: &Runs) {
        self.blocks.clone_from(&other.blocks);
    }

    fn overlapping(&self, pages: &Range<u32>) -> Option<u32> {
        let token = self.last_to(pages.end - 1)?;
        (self.entries[token].end() > pages.start).then_some(token)
    }
}
