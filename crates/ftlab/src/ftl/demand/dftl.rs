//! DFTL (Gupta, Kim & Urgaonkar, ASPLOS 2009).
//!
//! Idea     a cached mapping table (CMT) of single entries under segmented LRU; a miss loads the one
//!          entry requested; a dirty victim is written back alone.
//! RAM      8 B per entry (LPN, PPN) + GTD of 4 B per translation page.
//! Departs  GC marks the cached entries that it changes as dirty; the public `FlashSim` does not
//!          (choices.md#gc-map-updates).
//! Options  `replacement`: the textbook's segmented LRU, `FlashSim`'s, plain LRU, or 2Q. A package
//!          can add another [`ReplacementOrder`]. `evict_batch` writes all dirty entries of the
//!          victim's translation page, as other codes do (choices.md#dftl-segments,
//!          choices.md#dftl-write-back).

use super::{DemandFtl, Level, Levels, MapStore, MappingCache, MappingCounts, Occupancy};
use crate::cache::aged_segments::AgedSegments;
use crate::cache::links::NIL;
use crate::cache::replacement::ReplacementOrder;
use crate::cache::segmented_lru::SegmentedLru;
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::cache::two_q::TwoQ;
use crate::error::Error;
use crate::flash::{Cause, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn, Ratio};
use std::collections::BTreeSet;

const ENTRY_BYTES: u64 = 8;

crate::settings! {
    /// DFTL's own parameters.
    pub struct DftlConfig in "dftl" {
        /// Order of replacement.
        replacement: Replacement = Replacement::SegmentedFlashsim, laws Replacement::ALL,
            source "FlashSim, which TPFTL and DLOOP ran; choices.md#dftl-segments";
        /// Share of the cache in the protected (real) segment, or in `Am` of 2Q.
        protected: Ratio = Ratio(0.8), in 0.0..=1.0, laws [0.0, 0.3, 0.8, 1.0].map(Ratio),
            source "choices.md#dftl-segments";
        /// Write back all dirty entries of the victim's translation page.
        evict_batch: bool = false, laws [false, true], source "choices.md#dftl-write-back";
    }
}

crate::choices! {
    /// Order of replacement.
    pub enum Replacement {
        /// A miss enters probation, a hit protects.
        Segmented = "segmented",
        /// A miss enters the real segment, by age.
        SegmentedFlashsim = "segmented-flashsim",
        /// Least recently used.
        Lru = "lru",
        /// 2Q, simplified: a miss enters A1, first in first out; a hit there moves to Am, by recency.
        TwoQ = "2q",
    }
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
    TwoQ(TwoQ),
    Other(Box<dyn ReplacementOrder>),
}

macro_rules! dispatch {
    ($self:expr, $order:ident => $call:expr) => {
        match $self {
            Order::Segmented($order) => $call,
            Order::Flashsim($order) => $call,
            Order::TwoQ($order) => $call,
            Order::Other($order) => $call,
        }
    };
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
    type Settings = DftlConfig;

    const SPEC: Spec = Spec {
        name: "dftl",
        title: "DFTL",
        summary: "single entries cached on demand, segmented LRU",
        source: "Gupta, Kim & Urgaonkar, ASPLOS 2009",
        ..Spec::HOLDS_MAP
    };

    fn build(setup: &Setup<DftlConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let capacity = (setup.ftl.cache_bytes(geometry) / ENTRY_BYTES) as usize;
        let protected = (capacity as f64 * setup.own.protected.0) as usize;
        let order = match setup.own.replacement {
            Replacement::Segmented => Order::Segmented(SegmentedLru::new(protected)),
            Replacement::Lru => Order::Segmented(SegmentedLru::new(0)),
            Replacement::SegmentedFlashsim => Order::Flashsim(AgedSegments::new(protected)),
            Replacement::TwoQ => Order::TwoQ(TwoQ::new(capacity - protected)),
        };
        Dftl::under(order, setup, geometry)
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
        self.order.insert(token, lpn);
        self.current = token;
        ppn
    }

    #[inline]
    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        let entry = &mut self.entries[self.current];
        debug_assert_eq!(entry.lpn, lpn, "the page translated last");
        unless_bug!(DftlWriteLeavesClean, entry.dirty = true);
        std::mem::replace(&mut entry.ppn, new)
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        let Some(token) = self.tokens.get(lpn.0) else { return false };
        let entry = &mut self.entries[token];
        entry.ppn = Some(new);
        unless_bug!(DftlGcLeavesClean, entry.dirty = true);
        true
    }

    fn contains(&self, lpn: Lpn) -> bool {
        self.tokens.contains(lpn.0)
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.entries[self.tokens.get(lpn.0)?].ppn
    }

    fn searched(&self, lpn: Lpn) -> Levels {
        vec![Level { keys: self.entries.len(), found: self.contains(lpn) }]
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
        dispatch!(&self.order, order => order.audit(self.entries.len()));
    }
}

impl DemandFtl<Dftl> {
    /// DFTL under a custom order of replacement, which `order` makes for a number of entries.
    ///
    /// # Errors
    /// [`Error::Config`] when the device or a setting cannot work.
    pub fn under<O: ReplacementOrder + 'static>(
        setup: &Setup<DftlConfig>,
        flash: &mut Flash,
        order: impl FnOnce(usize) -> Result<O, Error>,
    ) -> Result<Self, Error> {
        DemandFtl::with_cache(setup, flash, |geometry| {
            let capacity = (setup.ftl.cache_bytes(geometry) / ENTRY_BYTES) as usize;
            Dftl::under(Order::Other(Box::new(order(capacity)?)), setup, geometry)
        })
    }
}

impl Dftl {
    fn under(order: Order, setup: &Setup<DftlConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let budget = setup.ftl.cache_bytes(geometry);
        let capacity = (budget / ENTRY_BYTES) as usize;
        if capacity == 0 {
            let message =
                format!("found {budget} B, expected at least one entry of {ENTRY_BYTES} B");
            return Err(Error::config("ftl.cache", message));
        }
        Ok(Dftl {
            entries: Slab::default(),
            tokens: Tokens::new(geometry.logical_pages),
            order,
            capacity,
            budget,
            evict_batch: setup.own.evict_batch,
            entries_per_page: geometry.entries_per_translation_page(),
            counts: MappingCounts::default(),
            current: NIL,
            changes: Vec::new(),
        })
    }

    fn evict(&mut self, store: &mut MapStore, flash: &mut Flash) {
        let token = self.order.victim().expect("a full cache has a victim");
        self.order.remove(token);
        let victim = self.entries.remove(token);
        self.tokens.take(victim.lpn.0);
        self.counts.replacements += 1;
        if victim.dirty {
            self.counts.dirty_replacements += 1;
            self.changes.clear();
            unless_bug!(DftlEvictsUnwritten, self.changes.push((victim.lpn, victim.ppn)));
            if self.evict_batch {
                self.clean_neighbours(victim.lpn, store);
            }
            store.write_back(store.pages.page_of(victim.lpn), &self.changes, flash);
        }
    }

    /// Adds the other dirty entries of the victim's translation page, and marks them as clean.
    fn clean_neighbours(&mut self, lpn: Lpn, store: &MapStore) {
        let vtpn = store.pages.page_of(lpn);
        for lpn in store.pages.first_on_page(vtpn).0..=store.pages.last_on_page(vtpn).0 {
            let Some(token) = self.tokens.get(lpn) else { continue };
            let entry = &mut self.entries[token];
            if std::mem::take(&mut entry.dirty) {
                unless_bug!(DftlBatchUnwritten, self.changes.push((entry.lpn, entry.ppn)));
            }
        }
    }
}

impl Order {
    #[inline]
    fn insert(&mut self, token: u32, lpn: Lpn) {
        match self {
            Order::Segmented(order) => order.insert(token),
            Order::Flashsim(order) => order.insert(token),
            Order::TwoQ(order) => order.insert(token),
            Order::Other(order) => order.insert(token, lpn),
        }
    }

    #[inline]
    fn touch(&mut self, token: u32) {
        dispatch!(self, order => order.touch(token));
    }

    fn victim(&mut self) -> Option<u32> {
        dispatch!(self, order => order.victim())
    }

    fn remove(&mut self, token: u32) {
        dispatch!(self, order => order.remove(token));
    }
}

#[cfg(test)]
mod tests;
