//! TPFTL (Zhou et al., EuroSys 2015).
//!
//! Idea     two-level lists: a node for each cached translation page, ordered by the mean hotness of
//!          its entries, and inside it the entries by recency. Loading prefetches the rest of the
//!          request (`r`) and, while sequential access shows, the successors of a cached run (`s`).
//!          Replacement writes all dirty entries of a node at once (`b`), clean entries go first (`c`).
//! RAM      6 B per entry (offset, PPN), and one slot of 6 B per node: in Figure 4, evicting a node
//!          with one entry frees two slots (choices.md#tpftl-node). GTD, and 1 B for the counter.
//! Departs  each miss of a request prefetches the rest of it; 4.3 mentions only the first page
//!          (choices.md#tpftl-trigger). The following rules apply where the paper is silent.
//!          Hotness of an entry is the access count at its last touch (choices.md#tpftl-hotness).
//!          The node being loaded is a victim only when it is alone (choices.md#tpftl-victim).
//!          Prefetched entries are placed directly behind the requested one
//!          (choices.md#tpftl-prefetch-at). The longer of both prefetches is loaded, without cached
//!          entries (choices.md#tpftl-length). Each added or removed node is counted by itself
//!          (choices.md#tpftl-detector).
//! Options  `features` switches r, s, b, c; `request_prefetch`, `page_order`, `prefetch_at`, `threshold`,
//!          `node_bytes`.
//!
//! Without `b` only evicted entries are written. Several dirty victims of a miss are written
//! together, so there is still at most one write-back per translation (4.5). With `dirty_victims =
//! each` they are written one by one, and GC may run in between (choices.md#tpftl-dirty-victims).

mod config;
mod detector;
mod judge;
mod measured_use;
mod nodes;
mod prefetched;
mod prefetching;
mod replacement;

pub use config::{DirtyVictims, Features, PageOrder, PrefetchAt, RequestPrefetch, TpftlConfig};
pub use detector::SequenceDetector;
pub use judge::{Judge, Loaded};
pub use measured_use::MeasuredUse;

use super::{Level, Levels, MapStore, MappingCache, MappingCounts, Occupancy, PrefetchMetrics};
use crate::cache::links::NIL;
use crate::error::Error;
use crate::flash::{Cause, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn, Vtpn};
use nodes::{Nodes, Place};
use prefetched::Prefetched;
use prefetching::Request;
use std::collections::BTreeMap;

const ENTRY_BYTES: u64 = 6;

/// The needs of a miss, in addition to the chosen entries.
#[derive(Clone, Copy, Debug)]
struct Miss {
    /// Bytes to free.
    needed: u64,
    /// The node that frees them.
    victim: u32,
    /// The last page that is loaded for this request.
    in_request: Lpn,
}

/// TPFTL's two-level mapping cache; `J` decides when successors are prefetched.
#[derive(Clone, Debug)]
pub struct Tpftl<J = SequenceDetector> {
    features: Features,
    prefetch_at: PrefetchAt,
    node_bytes: u64,
    budget: u64,
    used: u64,
    nodes: Nodes,
    judge: J,
    request: Request,
    /// Whether a dirty victim is written back alone.
    writes_each: bool,
    /// The next load, while its victims are written one by one.
    planned: Option<Miss>,
    /// Token of the entry that was translated last.
    current: u32,
    counts: MappingCounts,
    prefetched: Prefetched,
    /// Logical pages of one load, and changes of one write-back; kept to reuse their memory.
    load: Vec<Lpn>,
    changes: Vec<Change>,
}

impl<J: Judge> MappingCache for Tpftl<J> {
    type Settings = TpftlConfig;

    const SPEC: Spec = J::SPEC;

    fn build(setup: &Setup<TpftlConfig>, geometry: &Geometry) -> Result<Self, Error> {
        let budget = setup.ftl.cache_bytes(geometry);
        let TpftlConfig { features, node_bytes, page_order, request_prefetch, .. } = setup.own;
        let TpftlConfig { dirty_victims, prefetch_at, .. } = setup.own;
        let least = ENTRY_BYTES + node_bytes.0;
        if budget < least {
            let message =
                format!("found {budget} B, expected at least an entry and a node, {least} B");
            unless_bug!(TpftlCacheTooSmall, return Err(Error::config("ftl.cache", message)));
        }
        let judge = J::build(&setup.own, budget / ENTRY_BYTES);
        let is_on = features.selective && judge.prefetches();
        Ok(Tpftl {
            features,
            prefetch_at,
            node_bytes: node_bytes.0,
            budget,
            used: 0,
            nodes: Nodes::new(page_order, geometry),
            judge,
            request: Request::new(request_prefetch),
            writes_each: !features.batch && dirty_victims == DirtyVictims::Each,
            planned: None,
            current: NIL,
            counts: MappingCounts::default(),
            prefetched: Prefetched::new(geometry.logical_pages, is_on),
            load: Vec::new(),
            changes: Vec::new(),
        })
    }

    fn prepare(&mut self, lpn: Lpn, last: Lpn, store: &mut MapStore, flash: &mut Flash) -> bool {
        if !self.writes_each || self.nodes.find(lpn).is_some() {
            return false;
        }
        let miss = match self.planned {
            Some(miss) => miss,
            None => self.plan(lpn, last, store),
        };
        self.planned = Some(miss);
        self.write_one_back(miss, store, flash)
    }

    fn translate(
        &mut self,
        lpn: Lpn,
        last: Lpn,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Ppn> {
        self.nodes.count_access();
        self.counts.lookups += 1;
        if let Some(token) = self.nodes.find(lpn) {
            self.counts.hits += 1;
            self.prefetched.hit(self.nodes.touch(token));
            self.judge.hit(token);
            if J::DECIDES_ON_HITS {
                self.note_whether_on();
            }
            self.current = token;
            self.request.reach(lpn, last);
        } else {
            let miss = match self.planned.take() {
                Some(miss) => miss,
                None => self.plan(lpn, last, store),
            };
            self.load_missing(lpn, last, miss, store, flash);
            self.note_whether_on();
        }
        self.nodes.entry(self.current).ppn.get()
    }

    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        debug_assert_eq!(self.nodes.entry(self.current).lpn, lpn, "the page translated last");
        self.nodes.mark_dirty(self.current);
        self.nodes.remap(self.current, new)
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        let Some(token) = self.nodes.find_in_node(lpn) else { return false };
        unless_bug!(TpftlGcLeavesClean, self.nodes.mark_dirty(token));
        self.nodes.remap(token, Some(new));
        true
    }

    /// Section 4.4: a GC miss writes back all cached dirty entries of its translation page.
    fn ride_along(&mut self, vtpn: Vtpn, changes: &mut Vec<Change>) {
        if !self.features.batch {
            return;
        }
        let node = self.nodes.node_of(vtpn);
        if node != NIL {
            let noted = unless_bug!(TpftlRideAlongUnwritten, changes, &mut Vec::new());
            self.nodes.clean(node, noted);
        }
    }

    fn contains(&self, lpn: Lpn) -> bool {
        self.nodes.find(lpn).is_some()
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.nodes.entry(self.nodes.find(lpn)?).ppn.get()
    }

    /// The nodes, and the entries of the node of its translation page, if that exists.
    fn searched(&self, lpn: Lpn) -> Levels {
        let node = self.nodes.node_at(lpn);
        let mut levels = vec![Level { keys: self.nodes.len(), found: node.is_some() }];
        levels.extend(node.map(|node| Level {
            keys: self.nodes.entries_of(node),
            found: self.nodes.find(lpn).is_some(),
        }));
        levels
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn counts(&self) -> MappingCounts {
        self.counts
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy {
            entries: self.nodes.entries() as u64,
            translation_pages: self.nodes.len() as u64,
            bytes: self.used,
        }
    }

    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        let mut metrics = self.judge.metrics();
        metrics.insert("tpftl.prefetched_entries", self.prefetched.entries());
        metrics
    }

    fn prefetch_metrics(&self) -> Option<PrefetchMetrics> {
        Some(self.prefetched.metrics(self.counts.lookups))
    }

    fn writes_each_victim(&self) -> bool {
        self.writes_each
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
        self.prefetched.restart();
        self.nodes.count_as_used();
        self.judge.reset_metrics();
    }

    fn extra_ram(&self) -> u64 {
        J::RAM_BYTES
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        let entries = self.nodes.all_entries();
        entries.map(|entry| ((entry.lpn, entry.ppn.get()), entry.dirty)).collect()
    }

    fn audit(&self) {
        let bytes =
            ENTRY_BYTES * self.nodes.entries() as u64 + self.node_bytes * self.nodes.len() as u64;
        assert_eq!(bytes, self.used, "bytes in use");
        assert!(self.used <= self.budget, "{} B used of {}", self.used, self.budget);
        assert!(self.planned.is_none(), "a miss was planned and not loaded");
        self.nodes.audit();
        self.prefetched.audit(self.nodes.all_entries().map(|entry| entry.awaited));
        self.judge.audit(|lpn| self.contains(lpn));
    }
}

impl<J: Judge> Tpftl<J> {
    /// Sections 4.2 to 4.5: chooses the load, and one node to make room in.
    fn plan(&mut self, lpn: Lpn, last: Lpn, store: &MapStore) -> Miss {
        self.request.reach(lpn, last);
        let vtpn = store.pages.page_of(lpn);
        let node = self.nodes.node_of(vtpn);
        if node != NIL {
            self.judge.missed(node, lpn);
        }
        let cached = |page| self.nodes.is_in(node, Lpn(page));
        let in_sequence = !self.prefetches_successors() && lpn.0.checked_sub(1).is_some_and(cached);
        self.prefetched.missed(lpn, in_sequence);
        let in_request = if self.features.request && self.request.miss() { last } else { lpn };
        let wanted = self.prefetch_end(lpn, node, in_request, store.pages.last_on_page(vtpn));
        let node_bytes = if node == NIL { self.node_bytes } else { 0 };
        let victim = self.nodes.coldest_but(node);
        // A node that evicts its own entries must remain, or be added again.
        let kept = if victim == node { self.node_bytes } else { node_bytes };
        self.choose_load(lpn, wanted, self.room_with(victim) - kept);

        let needed = ENTRY_BYTES * self.load.len() as u64 + node_bytes;
        Miss { needed, victim, in_request }
    }

    /// Makes room, and loads the chosen entries from one page.
    fn load_missing(
        &mut self,
        lpn: Lpn,
        last: Lpn,
        Miss { needed, victim, in_request }: Miss,
        store: &mut MapStore,
        flash: &mut Flash,
    ) {
        let vtpn = store.pages.page_of(lpn);
        let wrote_back = self.make_room(needed, victim, store, flash);
        let is_not_read =
            unless_bug!(TpftlTakesAnyWriteBack, wrote_back != Some(vtpn), wrote_back.is_none());
        if is_not_read {
            store.pages.read(vtpn, flash, Cause::Translation);
        }
        self.load_entries(vtpn, in_request, store);
        if self.load.get(1).is_some_and(|next| *next <= last) {
            // Later pages of the request rely on this load.
            flash.hold_later_pages();
        }
    }

    /// Adds the chosen entries to their node, the requested one in front. The others go behind it,
    /// or to the cold end; those up to `in_request` belong to this request.
    fn load_entries(&mut self, vtpn: Vtpn, in_request: Lpn, store: &MapStore) {
        let node = self.node_for(vtpn);
        let requested = self.load[0];
        self.current = self.add_entry(node, requested, Place::Front, Loaded::OnDemand, store);
        let mut leader = self.current;
        for at in 1..self.load.len() {
            let lpn = self.load[at];
            let place = match self.prefetch_at {
                PrefetchAt::Front => Place::Behind(leader),
                PrefetchAt::Tail => Place::Back,
            };
            let why = if lpn <= in_request { Loaded::WithRequest } else { Loaded::AsSuccessor };
            leader = self.add_entry(node, lpn, place, why, store);
        }
        let with_request = self.load[1..].partition_point(|lpn| *lpn <= in_request);
        self.prefetched.loaded(with_request, self.load.len() - 1 - with_request);
        if self.prefetch_at == PrefetchAt::Tail {
            // Only entries as cold as the coldest can make a node colder.
            self.nodes.reorder(node);
        }
    }

    fn prefetches_successors(&self) -> bool {
        self.features.selective && self.judge.prefetches()
    }

    #[inline]
    fn note_whether_on(&mut self) {
        let is_on = self.prefetches_successors();
        self.prefetched.note(is_on, self.counts.lookups);
    }

    fn node_for(&mut self, vtpn: Vtpn) -> u32 {
        let node = self.nodes.node_of(vtpn);
        if node != NIL {
            return node;
        }
        self.used += self.node_bytes;
        self.judge.node_added();
        self.nodes.add_node(vtpn)
    }

    fn add_entry(
        &mut self,
        node: u32,
        lpn: Lpn,
        place: Place,
        why: Loaded,
        store: &MapStore,
    ) -> u32 {
        let token = self.nodes.add(node, lpn, store.pages.mapping(lpn), place, why);
        self.judge.loaded(token, node, lpn, why);
        self.used += ENTRY_BYTES;
        token
    }
}

#[cfg(test)]
mod tests;
