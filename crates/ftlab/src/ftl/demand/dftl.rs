//! DFTL (Gupta, Kim & Urgaonkar, ASPLOS 2009).
//!
//! Idea     a cached mapping table (CMT) of single entries under segmented LRU; a miss loads the one
//!          entry requested; a dirty victim is written back alone.
//! RAM      8 B per entry (LPN, PPN) + GTD of 4 B per translation page.
//! Departs  GC marks the cached entries that it changes dirty; the public `FlashSim` forgets to.
//! Options  `replacement`: the textbook's segmented LRU, `FlashSim`'s, or plain LRU; `evict_batch`
//!          writes all dirty entries of the victim's translation page, as other codes do.

use super::{MapStore, MappingCache, MappingCounts, Occupancy};
use crate::cache::aged_segments::AgedSegments;
use crate::cache::links::NIL;
use crate::cache::segmented_lru::SegmentedLru;
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::config::Config;
use crate::error::Error;
use crate::flash::{Cause, Flash, Geometry};
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn, Ratio};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const ENTRY_BYTES: u64 = 8;

/// DFTL's own parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DftlConfig {
    /// Order of replacement. Default `segmented-flashsim`: TPFTL and DLOOP ran `FlashSim`.
    pub replacement: Replacement,
    /// Share of the cache that is the protected (real) segment. Default 80 %.
    pub protected: Ratio,
    /// Write back all dirty entries of the victim's translation page. Default false.
    pub evict_batch: bool,
}

impl Default for DftlConfig {
    fn default() -> Self {
        DftlConfig {
            replacement: Replacement::SegmentedFlashsim,
            protected: Ratio(0.8),
            evict_batch: false,
        }
    }
}

/// Order of replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replacement {
    /// A miss enters probation, a hit protects.
    Segmented,
    /// A miss enters the real segment, by age (see [`AgedSegments`]).
    SegmentedFlashsim,
    /// Least recently used.
    Lru,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: Lpn,
    ppn: Option<Ppn>,
    dirty: bool,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one in a whole FTL")]
enum Order {
    Segmented(SegmentedLru),
    Flashsim(AgedSegments),
}

/// DFTL's cached mapping table.
#[derive(Clone, Debug)]
pub struct Dftl {
    entries: Slab<Entry>,
    tokens: Tokens,
    order: Order,
    capacity: usize,
    budget: u64,
    evict_batch: bool,
    entries_per_page: u32,
    counts: MappingCounts,
    /// Token of the entry translated last.
    current: u32,
    /// Mappings of one write-back; kept to reuse its memory.
    changes: Vec<Change>,
}

impl MappingCache for Dftl {
    fn build(config: &Config, geometry: &Geometry) -> Result<Self, Error> {
        let budget = config.ftl.cache_bytes(geometry);
        let capacity = (budget / ENTRY_BYTES) as usize;
        if capacity == 0 {
            let message =
                format!("found {budget} B, expected at least one entry of {ENTRY_BYTES} B");
            return Err(Error::config("ftl.cache", message));
        }
        let share = config.dftl.protected.0;
        if !(0.0..=1.0).contains(&share) {
            return Err(Error::config("dftl.protected", format!("found {share}, expected 0 to 1")));
        }
        let protected = (capacity as f64 * share) as usize;
        let order = match config.dftl.replacement {
            Replacement::Segmented => Order::Segmented(SegmentedLru::new(protected)),
            Replacement::Lru => Order::Segmented(SegmentedLru::new(0)),
            Replacement::SegmentedFlashsim => Order::Flashsim(AgedSegments::new(protected)),
        };
        Ok(Dftl {
            entries: Slab::default(),
            tokens: Tokens::new(geometry.logical_pages),
            order,
            capacity,
            budget,
            evict_batch: config.dftl.evict_batch,
            entries_per_page: geometry.entries_per_translation_page(),
            counts: MappingCounts::default(),
            current: NIL,
            changes: Vec::new(),
        })
    }

    #[inline]
    fn translate(
        &mut self,
        lpn: Lpn,
        _last: Lpn,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Ppn> {
        self.counts.lookups += 1;
        if let Some(token) = self.tokens.get(lpn.0) {
            self.counts.hits += 1;
            self.order.touch(token);
            self.current = token;
            return self.entries[token].ppn;
        }
        if self.entries.len() == self.capacity {
            self.evict(store, flash);
        }
        let vtpn = store.pages.page_of(lpn);
        store.pages.read(vtpn, flash, Cause::Translation);
        let ppn = store.pages.mapping(lpn);
        let token = self.entries.insert(Entry { lpn, ppn, dirty: false });
        self.tokens.set(lpn.0, token);
        self.order.insert(token);
        self.current = token;
        ppn
    }

    #[inline]
    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        let entry = &mut self.entries[self.current];
        debug_assert_eq!(entry.lpn, lpn, "the page translated last");
        entry.dirty = true;
        std::mem::replace(&mut entry.ppn, new)
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        let Some(token) = self.tokens.get(lpn.0) else { return false };
        let entry = &mut self.entries[token];
        entry.ppn = Some(new);
        entry.dirty = true;
        true
    }

    fn contains(&self, lpn: Lpn) -> bool {
        self.tokens.contains(lpn.0)
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn counts(&self) -> MappingCounts {
        self.counts
    }

    fn occupancy(&self) -> Occupancy {
        let pages = self.entries.iter().map(|(_, entry)| entry.lpn.0 / self.entries_per_page);
        let distinct: BTreeSet<u32> = pages.collect();
        Occupancy {
            entries: self.entries.len() as u64,
            translation_pages: distinct.len() as u64,
            bytes: ENTRY_BYTES * self.entries.len() as u64,
        }
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        self.entries.iter().map(|(_, entry)| ((entry.lpn, entry.ppn), entry.dirty)).collect()
    }

    fn audit(&self) {
        assert!(self.entries.len() <= self.capacity, "more entries than the cache has room for");
        assert_eq!(self.entries.len(), self.tokens.audit_len(), "entries and their index");
        for (token, entry) in self.entries.iter() {
            assert_eq!(self.tokens.get(entry.lpn.0), Some(token), "index of {}", entry.lpn);
        }
        match &self.order {
            Order::Segmented(order) => order.audit(self.entries.len()),
            Order::Flashsim(order) => order.audit(self.entries.len()),
        }
    }
}

impl Dftl {
    fn evict(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let token = self.order.victim().expect("a full cache has a victim");
        self.order.remove(token);
        let victim = self.entries.remove(token);
        self.tokens.take(victim.lpn.0);
        self.counts.replacements += 1;
        if victim.dirty {
            self.counts.dirty_replacements += 1;
            self.changes.clear();
            self.changes.push((victim.lpn, victim.ppn));
            if self.evict_batch {
                self.clean_neighbours(victim.lpn, store);
            }
            store.write_back(store.pages.page_of(victim.lpn), &self.changes, flash);
        }
    }

    /// Adds the other dirty entries of the victim's translation page, which become clean.
    fn clean_neighbours(&mut self, lpn: Lpn, store: &MapStore) {
        let vtpn = store.pages.page_of(lpn);
        for lpn in store.pages.first_on_page(vtpn).0..=store.pages.last_on_page(vtpn).0 {
            let Some(token) = self.tokens.get(lpn) else { continue };
            let entry = &mut self.entries[token];
            if std::mem::take(&mut entry.dirty) {
                self.changes.push((entry.lpn, entry.ppn));
            }
        }
    }
}

impl Order {
    #[inline]
    fn insert(&mut self, token: u32) {
        match self {
            Order::Segmented(order) => order.insert(token),
            Order::Flashsim(order) => order.insert(token),
        }
    }

    #[inline]
    fn touch(&mut self, token: u32) {
        match self {
            Order::Segmented(order) => order.touch(token),
            Order::Flashsim(order) => order.touch(token),
        }
    }

    fn victim(&self) -> Option<u32> {
        match self {
            Order::Segmented(order) => order.victim(),
            Order::Flashsim(order) => order.victim(),
        }
    }

    fn remove(&mut self, token: u32) {
        match self {
            Order::Segmented(order) => order.remove(token),
            Order::Flashsim(order) => order.remove(token),
        }
    }
}

#[cfg(test)]
mod tests;
