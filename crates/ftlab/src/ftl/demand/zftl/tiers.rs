//! The two tiers of ZFTL's cache: a translation page in use, and entries of earlier ones.

use crate::cache::links::{Links, List};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::{Flash, Geometry};
use crate::ftl::demand::{Image, MapStore, MappingCache, MappingCounts, Occupancy, ZftlConfig};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn, Vtpn};

const ENTRY_BYTES: u64 = 8;
/// VTPN of the cached page, in addition to its content.
const PAGE_HEADER_BYTES: u64 = 4;

#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: Lpn,
    ppn: Option<Ppn>,
    dirty: bool,
}

/// Tier 2: the translation page in use.
#[derive(Clone, Debug)]
struct Active {
    vtpn: Vtpn,
    image: Image,
    /// The page translated last.
    last: Lpn,
}

/// ZFTL's two-tier cache. No entry is in both tiers.
#[derive(Clone, Debug)]
pub struct Tiers {
    budget: u64,
    page_bytes: u64,
    /// Number of entries that fit into tier 1.
    capacity: usize,
    entries_shift: u32,
    active: Option<Active>,
    entries: Slab<Entry>,
    /// Token of the entry of each logical page in tier 1.
    tokens: Tokens,
    /// Tier 1 by last touch, newest in front.
    order: List,
    links: Links,
    /// The entries of each translation page in tier 1.
    groups: Vec<List>,
    group_links: Links,
    counts: MappingCounts,
    batches_written: u64,
    /// Mappings of one write-back; kept to reuse its memory.
    changes: Vec<Change>,
}

impl MappingCache for Tiers {
    type Settings = ZftlConfig;

    const SPEC: Spec = Spec::DEMAND_PAGED;

    fn build(setup: &Setup<ZftlConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let budget = setup.ftl.cache_bytes(geometry);
        let marks = Image::mark_bytes(geometry.entries_per_translation_page());
        let page_bytes = u64::from(geometry.page_bytes) + PAGE_HEADER_BYTES + marks;
        let left = unless_bug!(ZftlCacheTooSmall, budget.checked_sub(page_bytes), Some(0))
            .ok_or_else(|| {
                let message = format!(
                    "found {budget} B, expected at least a translation page, {page_bytes} B"
                );
                Error::config("ftl.cache", message)
            })?;
        let share = setup.own.tier1.map_or(1.0, |share| share.0);
        let tier1 = ((budget as f64 * share) as u64).min(left);
        Ok(Tiers {
            budget,
            page_bytes,
            capacity: (tier1 / ENTRY_BYTES) as usize,
            entries_shift: geometry.entries_per_translation_page().ilog2(),
            active: None,
            entries: Slab::default(),
            tokens: Tokens::new(geometry.logical_pages),
            order: List::default(),
            links: Links::default(),
            groups: vec![List::default(); geometry.translation_pages() as usize],
            group_links: Links::default(),
            counts: MappingCounts::default(),
            batches_written: 0,
            changes: Vec::new(),
        })
    }

    fn prepare(&mut self, lpn: Lpn, _: Lpn, store: &mut MapStore, flash: &mut Flash) -> bool {
        if self.contains(lpn) {
            return false;
        }
        let stay = self.active.as_ref().map_or(0, |active| active.image.dirty_slots().max(1));
        if stay > self.capacity || self.entries.len() + stay <= self.capacity {
            return false;
        }
        self.evict_batch(store, flash);
        true
    }

    fn translate(
        &mut self,
        lpn: Lpn,
        last: Lpn,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Ppn> {
        self.counts.lookups += 1;
        if let Some(token) = self.tokens.get(lpn.0) {
            self.counts.hits += 1;
            self.links.touch(&mut self.order, token);
            return self.entries[token].ppn;
        }
        let vtpn = self.page_of(lpn);
        if self.active_on(vtpn).is_some() {
            self.counts.hits += 1;
        } else {
            self.kick_out(store, flash);
            self.load(vtpn, store, flash);
            if lpn < last && self.page_of(Lpn(lpn.0 + 1)) == vtpn {
                // Later pages of the request rely on this load.
                flash.hold_later_pages();
            }
        }
        let active = self.active.as_mut().expect("tier 2 holds the page");
        active.last = lpn;
        active.image.get(lpn)
    }

    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        self.change(lpn, new).expect("a page is translated before it is changed")
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        self.change(lpn, Some(new)).is_some()
    }

    fn contains(&self, lpn: Lpn) -> bool {
        self.tokens.contains(lpn.0) || self.active_on(self.page_of(lpn)).is_some()
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn counts(&self) -> MappingCounts {
        self.counts
    }

    fn occupancy(&self) -> Occupancy {
        let (in_page, pages) = self.active.as_ref().map_or((0, 0), |a| (a.image.len() as u64, 1));
        let entries = self.entries.len() as u64;
        let grouped = self.groups.iter().filter(|group| !group.is_empty()).count() as u64;
        Occupancy {
            entries: entries + in_page,
            translation_pages: grouped + pages,
            bytes: ENTRY_BYTES * entries + self.page_bytes * pages,
        }
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
        self.batches_written = 0;
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        let single = self.entries.iter().map(|(_, entry)| ((entry.lpn, entry.ppn), entry.dirty));
        let in_page = self.active.iter().flat_map(|active| active.image.entries());
        single.chain(in_page).collect()
    }

    fn audit(&self) {
        assert!(self.entries.len() <= self.capacity, "{} entries", self.entries.len());
        assert_eq!(self.entries.len(), self.tokens.audit_len(), "entries and their index");
        assert_eq!(self.entries.len(), self.order.len(), "entries and their order");
        self.links.audit(&self.order);
        let grouped: usize = self.groups.iter().map(List::len).sum();
        assert_eq!(self.entries.len(), grouped, "entries and their groups");
        for (token, entry) in self.entries.iter() {
            assert_eq!(self.tokens.get(entry.lpn.0), Some(token), "index of {}", entry.lpn);
            let vtpn = self.page_of(entry.lpn);
            assert!(self.active_on(vtpn).is_none(), "{} is in both tiers", entry.lpn);
            let group = &self.groups[vtpn.index()];
            let mut tokens = self.group_links.from_oldest(group);
            assert!(tokens.any(|other| other == token), "group of {}", entry.lpn);
        }
        if let Some(active) = &self.active {
            active.image.audit();
        }
    }
}

impl Tiers {
    /// Whether nothing is cached.
    pub fn is_empty(&self) -> bool {
        self.active.is_none() && self.entries.len() == 0
    }

    /// Batches of tier 1 that were written back since measuring started.
    pub const fn batches_written(&self) -> u64 {
        self.batches_written
    }

    /// Tier 1 by page, dirty entries marked.
    #[cfg(test)]
    pub fn tier1(&self) -> Vec<(u32, bool)> {
        let entries = self.entries.iter().map(|(_, entry)| (entry.lpn.0, entry.dirty));
        let mut entries: Vec<(u32, bool)> = entries.collect();
        entries.sort_unstable();
        entries
    }

    /// One step towards an empty cache; programs one translation page at most.
    pub fn empty_step(&mut self, store: &mut MapStore, flash: &mut Flash) {
        match self.active.take() {
            Some(active) => {
                self.write_if_dirty(&active, store, flash);
                store.take_back(active.image);
            }
            None => self.evict_batch(store, flash),
        }
    }

    const fn page_of(&self, lpn: Lpn) -> Vtpn {
        Vtpn(lpn.0 >> self.entries_shift)
    }

    /// Tier 2, if it holds this page.
    fn active_on(&self, vtpn: Vtpn) -> Option<&Active> {
        self.active.as_ref().filter(|active| active.vtpn == vtpn)
    }

    /// Empties tier 2. Its dirty entries, or the entry used last, go to tier 1, where room was made
    /// for them. If they do not fit, they are programmed with their page.
    fn kick_out(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let Some(active) = self.active.take() else { return };
        let dirty = active.image.dirty_slots();
        if dirty > self.capacity {
            self.write_if_dirty(&active, store, flash);
        } else {
            self.counts.replacements += 1;
            if dirty == 0 && self.capacity > 0 {
                self.add((active.last, active.image.get(active.last)), false);
            }
            active.image.changes().for_each(|change| self.add(change, true));
        }
        store.take_back(active.image);
    }

    /// Programs a page that leaves tier 2, whole in RAM, if it is dirty.
    fn write_if_dirty(&mut self, active: &Active, store: &mut MapStore, flash: &mut Flash) {
        self.counts.replacements += 1;
        if active.image.dirty_slots() > 0 {
            self.counts.dirty_replacements += 1;
            active.image.list_changes(&mut self.changes);
            store.write_whole(active.vtpn, &self.changes, flash);
        }
    }

    /// Reads a page into tier 2; its entries return from tier 1.
    fn load(&mut self, vtpn: Vtpn, store: &mut MapStore, flash: &mut Flash) {
        let mut image = store.load(vtpn, flash);
        for Entry { lpn, ppn, dirty } in self.take_group(vtpn) {
            if dirty {
                unless_bug!(ZftlEntryReturnsClean, image.set(lpn, ppn));
            }
        }
        let last = store.pages.first_on_page(vtpn);
        self.active = Some(Active { vtpn, image, last });
    }

    /// Changes a cached mapping. Returns the old one, or `None` if it is not cached.
    fn change(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Option<Ppn>> {
        if let Some(token) = self.tokens.get(lpn.0) {
            let entry = &mut self.entries[token];
            entry.dirty = true;
            return Some(std::mem::replace(&mut entry.ppn, new));
        }
        let vtpn = self.page_of(lpn);
        let active = self.active.as_mut().filter(|active| active.vtpn == vtpn)?;
        Some(active.image.set(lpn, new))
    }

    fn add(&mut self, (lpn, ppn): Change, dirty: bool) {
        assert!(self.entries.len() < self.capacity, "tier 1 has no room");
        let token = self.entries.insert(Entry { lpn, ppn, dirty });
        self.links.grow(self.entries.tokens());
        self.group_links.grow(self.entries.tokens());
        self.tokens.set(lpn.0, token);
        self.links.push_front(&mut self.order, token);
        let vtpn = self.page_of(lpn);
        self.group_links.push_front(&mut self.groups[vtpn.index()], token);
    }

    /// The entries of tier 1 on one translation page, which leave it.
    fn take_group(&mut self, vtpn: Vtpn) -> Vec<Entry> {
        let group = std::mem::take(&mut self.groups[vtpn.index()]);
        let tokens: Vec<u32> = self.group_links.from_oldest(&group).collect();
        let leave = |token: u32| {
            self.links.remove(&mut self.order, token);
            let entry = self.entries.remove(token);
            self.tokens.take(entry.lpn.0);
            entry
        };
        tokens.into_iter().map(leave).collect()
    }

    /// Evicts the oldest entry of tier 1 with all entries of its translation page: at most one
    /// read-modify-write.
    fn evict_batch(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let vtpn = self.page_of(self.entries[self.order.back()].lpn);
        let batch = self.take_group(vtpn);
        self.counts.replacements += 1;
        self.changes.clear();
        let dirty = batch.iter().filter(|entry| entry.dirty);
        self.changes.extend(dirty.map(|entry| (entry.lpn, entry.ppn)));
        unless_bug!(ZftlBatchUnwritten, {}, self.changes.truncate(1));
        if !self.changes.is_empty() {
            self.counts.dirty_replacements += 1;
            self.batches_written += 1;
            store.write_back(vtpn, &self.changes, flash);
        }
    }
}
