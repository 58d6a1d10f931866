//! The map on flash: translation pages, and the global translation directory (GTD) that finds them.
//!
//! A translation page holds the mappings of `page size / 4` consecutive logical pages. They are
//! known only after a read: [`TranslationPages::mapping`] panics for any other page.

use super::page_map::PageMap;
use crate::flash::{Cause, Content, Device, Flash, Geometry, Owner};
use crate::placement::planes::Planes;
use crate::placement::region::Region;
use crate::placement::survey::Page;
use crate::units::{Lpn, Ppn, Vtpn};
use std::collections::BTreeMap;
use std::ops::Range;

/// A changed mapping.
pub type Change = (Lpn, Option<Ppn>);

/// The place of a translation page that a power cut has destroyed.
const NOWHERE: Ppn = Ppn(u32::MAX);

/// All translation pages of a device, or of a region of it.
#[derive(Clone, Debug)]
pub struct TranslationPages {
    /// The GTD: `VTPN -> PTPN`, 4 B each, from the region's first translation page on.
    directory: Vec<Ppn>,
    /// VTPN of the first.
    first: u32,
    /// The pages with the directory, if it is not always in RAM.
    homes: Vec<Home>,
    /// The content of the translation pages on flash.
    content: PageMap,
    /// log2 of the mappings on a page.
    entries_shift: u32,
    /// The translation page whose image is in RAM.
    in_ram: Option<Vtpn>,
    /// For each translation page the number of its runs, maintained from the first request on; 0
    /// before.
    runs: Vec<u32>,
}

/// A page of the directory: the places of as many translation pages as one holds mappings.
#[derive(Clone, Copy, Debug)]
struct Home {
    vtpn: Vtpn,
    ppn: Ppn,
    /// Whether the directory in RAM differs from the page.
    changed: bool,
}

impl TranslationPages {
    /// Programs all translation pages, in order, with no page mapped (choices.md#initial-map).
    pub fn format(pool: &mut Planes, flash: &mut Flash) -> Self {
        let region = Region::whole(flash.geometry(), flash.geometry().translation_pages());
        Self::format_region(&region, pool, flash)
    }

    /// Programs the translation pages of a region, with no page mapped, then their directory if it has a page.
    pub fn format_region(region: &Region, pool: &mut Planes, flash: &mut Flash) -> Self {
        let nothing = PageMap::new(flash.geometry().logical_pages);
        Self::program_region(region, nothing, pool, flash)
    }

    /// Programs the translation pages of a region with these mappings, then their directory if it has a page.
    pub fn program_region(
        region: &Region,
        content: PageMap,
        pool: &mut Planes,
        flash: &mut Flash,
    ) -> Self {
        let mut pages = TranslationPages::nowhere(region, content, flash.geometry());
        for vtpn in region.translation_pages.clone().map(Vtpn) {
            let ppn = pool.next_map_page(vtpn, flash);
            flash.program_map(ppn, vtpn, Cause::Translation, || pages.mappings(vtpn));
            pages.directory.push(ppn);
        }
        for vtpn in region.directory.clone().map(Vtpn) {
            let ppn = pool.next_map_page(vtpn, flash);
            flash.program(ppn, Owner::Translation(vtpn), Cause::Translation);
            pages.homes.push(Home { vtpn, ppn, changed: false });
        }
        pages
    }

    /// The translation pages of a region as found after power was lost, and the mappings that they
    /// lack. Each is read, and compared with the OOBs of data `pages`. A missing one lacks all its
    /// mappings.
    pub fn found(region: &Region, pages: &[Page], flash: &mut Flash) -> (Self, Vec<Change>) {
        let mut places = BTreeMap::new();
        for page in pages {
            if let Owner::Translation(vtpn) = page.owner {
                places.insert(vtpn, page.ppn);
            }
        }
        let mut map = PageMap::new(flash.geometry().logical_pages);
        map.fill(pages);
        let nothing = PageMap::new(flash.geometry().logical_pages);
        let mut found = TranslationPages::nowhere(region, nothing, flash.geometry());
        let mut lacking = Vec::new();
        let place = |vtpn| *places.get(&vtpn).unwrap_or(&NOWHERE);
        for vtpn in region.translation_pages.clone().map(Vtpn) {
            let (first, last) = (found.first_on_page(vtpn), found.last_on_page(vtpn));
            let is_there = place(vtpn) != NOWHERE;
            let nothing = || found.content.mappings(first, last);
            let content = if is_there { flash.read_map(place(vtpn)) } else { nothing() };
            for (lpn, on_flash) in (first.0..).map(Lpn).zip(&*content) {
                found.content.replace(lpn, on_flash.get());
                let newest = map.get(lpn);
                let is_lacking = newest != on_flash.get() || !is_there;
                if is_lacking {
                    unless_bug!(RecoveryTrustsMap, lacking.push((lpn, newest)));
                }
            }
            found.directory.push(place(vtpn));
        }
        let home = |vtpn| Home { vtpn, ppn: place(vtpn), changed: true };
        found.homes = region.directory.clone().map(Vtpn).map(home).collect();
        (found, lacking)
    }

    const fn nowhere(region: &Region, content: PageMap, geometry: &Geometry) -> Self {
        TranslationPages {
            directory: Vec::new(),
            first: region.translation_pages.start,
            homes: Vec::new(),
            content,
            entries_shift: geometry.entries_per_translation_page().ilog2(),
            in_ram: None,
            runs: Vec::new(),
        }
    }

    /// The content of a translation page.
    fn mappings(&self, vtpn: Vtpn) -> Content {
        self.content.mappings(self.first_on_page(vtpn), self.last_on_page(vtpn))
    }

    #[inline]
    const fn slot(&self, vtpn: Vtpn) -> usize {
        (vtpn.0 - self.first) as usize
    }

    /// Sets the place of a translation page.
    #[inline]
    fn moved(&mut self, vtpn: Vtpn, to: Ppn) {
        let slot = self.slot(vtpn);
        self.directory[slot] = to;
        if let Some(home) = self.homes.get_mut(slot >> self.entries_shift) {
            home.changed = true;
        }
    }

    /// Pages of the directory.
    #[must_use]
    pub const fn directory_pages(&self) -> u32 {
        self.homes.len() as u32
    }

    /// Reads the pages of the directory.
    ///
    /// # Panics
    /// When one differs from the directory.
    pub fn load_directory(&mut self, flash: &mut Flash) {
        for home in &self.homes {
            assert!(!home.changed, "a directory is read that is not stored");
            flash.read(home.ppn, Cause::Translation);
            self.in_ram = None;
        }
    }

    /// Programs the pages of the directory that have changed; returns how many.
    pub fn store_directory(&mut self, pool: &mut Planes, flash: &mut Flash) -> u32 {
        let mut stored = 0;
        for home in self.homes.iter_mut().filter(|home| home.changed) {
            let new = pool.next_map_page(home.vtpn, flash);
            flash.program(new, Owner::Translation(home.vtpn), Cause::Translation);
            if home.ppn != NOWHERE {
                pool.invalidate(home.ppn, flash);
            }
            *home = Home { ppn: new, changed: false, ..*home };
            stored += 1;
        }
        stored
    }

    /// Whether the pages with the directory equal the directory in RAM.
    #[must_use]
    pub fn directory_is_stored(&self) -> bool {
        self.homes.iter().all(|home| !home.changed)
    }

    /// The logical pages whose mappings are here.
    #[must_use]
    pub fn pages(&self) -> Range<u32> {
        let first = self.first_on_page(Vtpn(self.first)).0;
        first..self.last_on_page(Vtpn(self.first + self.directory.len() as u32 - 1)).0 + 1
    }

    /// log2 of the mappings on a translation page: `VTPN = LPN >> shift`.
    #[inline]
    #[must_use]
    pub const fn entries_shift(&self) -> u32 {
        self.entries_shift
    }

    /// The translation page that holds the mapping of a logical page.
    #[inline]
    #[must_use]
    pub const fn page_of(&self, lpn: Lpn) -> Vtpn {
        Vtpn(lpn.0 >> self.entries_shift)
    }

    /// The last logical page whose mapping is on the same translation page, on this device.
    #[inline]
    #[must_use]
    pub fn last_on_page(&self, vtpn: Vtpn) -> Lpn {
        let last =
            ((u64::from(vtpn.0) + 1) << self.entries_shift) - unless_bug!(MapPageEndsLate, 1, 0);
        Lpn(last.min(self.content.len() as u64 - 1) as u32)
    }

    /// The first logical page whose mapping is on a translation page.
    #[inline]
    #[must_use]
    pub const fn first_on_page(&self, vtpn: Vtpn) -> Lpn {
        Lpn(vtpn.0 << self.entries_shift)
    }

    /// Bytes of the GTD.
    #[must_use]
    pub fn directory_bytes(&self) -> u64 {
        4 * self.directory.len() as u64
    }

    /// Reads a translation page from flash. Its mappings are known until another page is read.
    #[inline]
    pub fn read(&mut self, vtpn: Vtpn, flash: &mut Flash, cause: Cause) {
        let ppn = self.directory[self.slot(vtpn)];
        if ppn != NOWHERE {
            flash.read(ppn, cause);
        }
        self.in_ram = Some(vtpn);
    }

    /// Whether a translation page is the one that was read or written last.
    #[inline]
    #[must_use]
    pub fn is_in_ram(&self, vtpn: Vtpn) -> bool {
        self.in_ram == Some(vtpn)
    }

    /// A mapping on the translation page that was read or written last.
    ///
    /// # Panics
    /// When another page was read last: mappings on flash need a read.
    #[inline]
    #[must_use]
    pub fn mapping(&self, lpn: Lpn) -> Option<Ppn> {
        assert_eq!(self.in_ram, Some(self.page_of(lpn)), "translation page was not read");
        self.content.get(lpn)
    }

    /// Copies all mappings of the translation page that was read or written last.
    ///
    /// # Panics
    /// When another page was read last.
    pub fn copy(&self, vtpn: Vtpn, to: &mut PageMap) {
        assert_eq!(self.in_ram, Some(vtpn), "translation page was not read");
        self.content.copy_part(self.first_on_page(vtpn), self.last_on_page(vtpn), to);
    }

    /// Number of runs on the translation page that was read or written last: of mappings to
    /// consecutive physical pages, or of unmapped pages.
    ///
    /// # Panics
    /// When another page was read last.
    pub fn runs(&mut self, vtpn: Vtpn) -> usize {
        assert_eq!(self.in_ram, Some(vtpn), "translation page was not read");
        self.runs.resize(self.directory.len(), 0);
        let slot = self.slot(vtpn);
        if self.runs[slot] == 0 {
            let (first, last) = (self.first_on_page(vtpn), self.last_on_page(vtpn));
            self.runs[slot] = self.content.runs(first, last);
        }
        self.runs[slot] as usize
    }

    /// Whether a mapping begins a run.
    #[inline]
    fn begins_run(&self, lpn: Lpn) -> bool {
        let is_first = lpn == self.first_on_page(self.page_of(lpn));
        is_first || !self.content.continues(lpn)
    }

    /// How many of a mapping and the next begin runs.
    #[inline]
    fn begun_around(&self, lpn: Lpn) -> u32 {
        let next = Lpn(lpn.0 + 1);
        let is_last = lpn == self.last_on_page(self.page_of(lpn));
        u32::from(self.begins_run(lpn)) + u32::from(!is_last && self.begins_run(next))
    }

    /// Lays changes over the content of the translation pages. Until these are written, the caller
    /// keeps them in RAM.
    pub fn overlay(&mut self, changes: &[Change]) {
        for &(lpn, ppn) in changes {
            let slot = self.slot(self.page_of(lpn));
            if self.runs.get(slot).is_none_or(|runs| *runs == 0) {
                self.content.replace(lpn, ppn);
                continue;
            }
            let before = self.begun_around(lpn);
            self.content.replace(lpn, ppn);
            self.runs[slot] = self.runs[slot] + self.begun_around(lpn) - before;
        }
    }

    /// Programs a new version of a translation page with `changes`. The old one, which the caller
    /// has read or holds whole in RAM, is superseded.
    pub fn write(
        &mut self,
        vtpn: Vtpn,
        changes: &[Change],
        cause: Cause,
        pool: &mut Planes,
        flash: &mut Flash,
    ) {
        debug_assert!(changes.iter().all(|(lpn, _)| self.page_of(*lpn) == vtpn));
        self.overlay(changes);
        let new = pool.next_map_page(vtpn, flash);
        flash.program_map(new, vtpn, cause, || self.mappings(vtpn));
        let old = self.directory[self.slot(vtpn)];
        if old != NOWHERE {
            unless_bug!(MapOldStaysValid, pool.invalidate(old, flash));
        }
        self.moved(vtpn, new);
        self.in_ram = Some(vtpn);
    }

    /// Read, modify, write: one read and one program, however many mappings change.
    pub fn rewrite(
        &mut self,
        vtpn: Vtpn,
        changes: &[Change],
        cause: Cause,
        pool: &mut Planes,
        flash: &mut Flash,
    ) {
        unless_bug!(MapRewrittenUnread, self.read(vtpn, flash, cause));
        self.write(vtpn, changes, cause, pool, flash);
    }

    /// Notes that GC moved a translation page; only the GTD changes.
    pub fn relocate(&mut self, vtpn: Vtpn, to: Ppn) {
        match self.homes.iter_mut().find(|home| home.vtpn == vtpn) {
            Some(home) => unless_bug!(ZftlGcLeavesDirectory, home.ppn = to),
            None => unless_bug!(GtdGcLeavesPlace, self.moved(vtpn, to)),
        }
    }

    /// The map on flash, for audits.
    #[must_use]
    pub const fn audit_content(&self) -> &PageMap {
        &self.content
    }

    /// The mapping of a logical page on flash.
    #[must_use]
    pub fn mapping_on_flash(&self, lpn: Lpn) -> Option<Ppn> {
        self.content.get(lpn)
    }

    /// The place of the translation page with the mapping of `lpn`, for prefetching.
    #[inline]
    #[must_use]
    pub fn place_of(&self, lpn: Lpn) -> Option<Ppn> {
        let ppn = self.directory[self.slot(self.page_of(lpn))];
        (ppn != NOWHERE).then_some(ppn)
    }

    /// Checks that the GTD points at a valid copy of every translation page.
    ///
    /// # Panics
    /// When it does not.
    pub fn audit(&self, device: &Device) {
        let entries = (self.first..).map(Vtpn).zip(self.directory.iter().copied());
        let homes = self.homes.iter().map(|home| (home.vtpn, home.ppn));
        for (vtpn, ppn) in entries.chain(homes) {
            let owner = Some(Owner::Translation(vtpn));
            assert_eq!(device.audit_owner(ppn), owner, "GTD entry {vtpn}");
            assert!(device.is_valid(ppn), "GTD entry {vtpn} points at a dead page");
        }
        for (vtpn, &runs) in (self.first..).map(Vtpn).zip(&self.runs).filter(|(_, runs)| **runs > 0)
        {
            let (first, last) = (self.first_on_page(vtpn), self.last_on_page(vtpn));
            let begun = (first.0..=last.0).filter(|lpn| self.begins_run(Lpn(*lpn))).count();
            assert_eq!(runs as usize, begun, "runs of translation page {vtpn}");
        }
    }
}
