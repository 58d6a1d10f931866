//! TPFTL (Zhou et al., EuroSys 2015).
//!
//! Idea     two-level lists: a node for each cached translation page, ordered by the mean hotness of
//!          its entries, and inside it the entries by recency. Loading prefetches the rest of the
//!          request (`r`) and, while sequential access shows, the successors of a cached run (`s`).
//!          Replacement writes all dirty entries of a node at once (`b`), clean entries go first (`c`).
//! RAM      6 B per entry (offset, PPN), one slot of 6 B per node (Figure 4 frees two slots by
//!          evicting a node with one entry) + GTD + 1 B for the counter.
//! Departs  nothing; where the paper is silent: hotness of an entry is the access count at its last
//!          touch; the node being loaded is a victim only when it is alone; prefetched entries
//!          stand right behind the requested one (ALGORITHMS 30-T1 to T7).
//! Options  `features` switches r, s, b, c; `page_order`, `prefetch_at`, `threshold`, `node_bytes`.
//!
//! Without `b` only evicted entries are written, still at most one write-back per translation (4.5).

mod config;
mod detector;
mod judge;

pub use config::{Features, PageOrder, PrefetchAt, TpftlConfig};
pub use detector::SequenceDetector;
pub use judge::{Judge, MeasuredUse};

use super::{MapStore, MappingCache, MappingCounts, Occupancy};
use crate::cache::indexed_heap::IndexedHeap;
use crate::cache::links::{Links, List, NIL};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::config::Config;
use crate::error::Error;
use crate::flash::{Cause, Flash, Geometry};
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Mapping, Ppn, Vtpn};
use std::collections::BTreeMap;

const ENTRY_BYTES: u64 = 6;

#[derive(Clone, Copy, Debug)]
struct Entry {
    lpn: Lpn,
    ppn: Mapping,
    node: u32,
    /// Access count at the last touch.
    hotness: u64,
    dirty: bool,
    use_so_far: Use,
}

/// What the host has done with an entry since it was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Nothing yet; its request goes on to it.
    Due,
    /// Nothing yet; it is a guess.
    Guessed,
    /// Asked for it, once.
    Once,
    /// Asked for it again.
    Again,
}

/// The cached entries of one translation page.
#[derive(Clone, Copy, Debug)]
struct Node {
    vtpn: Vtpn,
    /// Entries by last touch, newest in front.
    entries: List,
    /// The dirty ones among them, in no order that matters.
    dirty: List,
    /// All entries older than this one are dirty; [`NIL`] when all are.
    oldest_clean: u32,
    hotness: u64,
    /// The page that was not prefetched though its predecessor is cached, for a judge who watches what
    /// becomes of it.
    watched: Option<Lpn>,
}

/// A mean of access counts as a key: the bits of a non-negative float are ordered as its value. Two
/// different means of at most 1024 counts get different keys below 2^31 accesses.
fn mean(sum: u64, count: usize) -> u64 {
    (sum as f64 / count as f64).to_bits()
}

/// TPFTL's two-level mapping cache; `J` decides when successors are prefetched.
#[derive(Clone, Debug)]
pub struct Tpftl<J = SequenceDetector> {
    features: Features,
    page_order: PageOrder,
    prefetch_at: PrefetchAt,
    node_bytes: u64,
    budget: u64,
    used: u64,
    nodes: Slab<Node>,
    entries: Slab<Entry>,
    links: Links,
    dirty_links: Links,
    /// Token of the entry of each cached logical page.
    tokens: Tokens,
    /// Token of the node of each translation page, or [`NIL`].
    node_of: Vec<u32>,
    /// log2 of the mappings on a translation page.
    entries_shift: u32,
    coldest: IndexedHeap<u64>,
    judge: J,
    accesses: u64,
    /// Token of the entry translated last.
    current: u32,
    counts: MappingCounts,
    prefetched: u64,
    /// Logical pages of one load, and changes of one write-back; kept to reuse their memory.
    load: Vec<Lpn>,
    changes: Vec<Change>,
}

impl<J: Judge> MappingCache for Tpftl<J> {
    fn build(config: &Config, geometry: &Geometry) -> Result<Self, Error> {
        let budget = config.ftl.cache_bytes(geometry);
        let TpftlConfig { features, node_bytes, page_order, prefetch_at, .. } = config.tpftl;
        let least = ENTRY_BYTES + node_bytes.0;
        if budget < least {
            let message =
                format!("found {budget} B, expected at least an entry and a node, {least} B");
            return Err(Error::config("ftl.cache", message));
        }
        Ok(Tpftl {
            features,
            page_order,
            prefetch_at,
            node_bytes: node_bytes.0,
            budget,
            used: 0,
            nodes: Slab::default(),
            entries: Slab::default(),
            links: Links::default(),
            dirty_links: Links::default(),
            tokens: Tokens::new(geometry.logical_pages),
            node_of: vec![NIL; geometry.translation_pages() as usize],
            entries_shift: geometry.entries_per_translation_page().ilog2(),
            coldest: IndexedHeap::default(),
            judge: J::build(&config.tpftl, budget / ENTRY_BYTES)?,
            accesses: 0,
            current: NIL,
            counts: MappingCounts::default(),
            prefetched: 0,
            load: Vec::new(),
            changes: Vec::new(),
        })
    }

    fn translate(
        &mut self,
        lpn: Lpn,
        last: Lpn,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Ppn> {
        self.accesses += 1;
        self.counts.lookups += 1;
        if let Some(token) = self.tokens.get(lpn.0) {
            self.counts.hits += 1;
            self.touch(token);
            self.current = token;
        } else {
            self.miss(lpn, last, store, flash);
        }
        self.entries[self.current].ppn.get()
    }

    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        debug_assert_eq!(self.entries[self.current].lpn, lpn, "the page translated last");
        self.soil(self.current);
        std::mem::replace(&mut self.entries[self.current].ppn, new.into()).get()
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        if self.node_of[(lpn.0 >> self.entries_shift) as usize] == NIL {
            return false;
        }
        let Some(token) = self.tokens.get(lpn.0) else { return false };
        self.soil(token);
        self.entries[token].ppn = Some(new).into();
        true
    }

    /// Section 4.4: a GC miss writes back all cached dirty entries of its translation page.
    fn ride_along(&mut self, vtpn: Vtpn, changes: &mut Vec<Change>) {
        if !self.features.batch {
            return;
        }
        let node = self.node_of[vtpn.index()];
        if node != NIL {
            self.clean_node(node, changes);
        }
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
        Occupancy {
            entries: self.entries.len() as u64,
            translation_pages: self.nodes.len() as u64,
            bytes: self.used,
        }
    }

    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        let mut metrics = self.judge.metrics();
        metrics.insert("tpftl.prefetched_entries", self.prefetched);
        metrics
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
        self.prefetched = 0;
        self.judge.reset_metrics();
    }

    fn extra_ram(&self) -> u64 {
        J::RAM_BYTES
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        self.entries.iter().map(|(_, entry)| ((entry.lpn, entry.ppn.get()), entry.dirty)).collect()
    }

    fn audit(&self) {
        let bytes =
            ENTRY_BYTES * self.entries.len() as u64 + self.node_bytes * self.nodes.len() as u64;
        assert_eq!(bytes, self.used, "bytes in use");
        assert!(self.used <= self.budget, "{} B used of {}", self.used, self.budget);
        assert_eq!(self.entries.len(), self.tokens.audit_len(), "entries and their index");
        let indexed = self.node_of.iter().filter(|node| **node != NIL).count();
        assert_eq!(self.nodes.len(), indexed, "nodes and their index");
        assert_eq!(self.nodes.len(), self.coldest.len(), "nodes and their order");
        self.judge.audit();
        for (token, entry) in self.entries.iter() {
            assert_eq!(self.tokens.get(entry.lpn.0), Some(token), "index of {}", entry.lpn);
        }
        for (token, node) in self.nodes.iter() {
            assert_eq!(self.node_of[node.vtpn.index()], token, "index of {}", node.vtpn);
            self.audit_node(token, node);
        }
    }
}

impl<J: Judge> Tpftl<J> {
    /// Sections 4.2 to 4.5: choose what to load, make room in one node, load from one page.
    fn miss(&mut self, lpn: Lpn, last: Lpn, store: &mut MapStore, flash: &mut Flash) {
        let vtpn = store.pages.page_of(lpn);
        let loaded = self.node_of[vtpn.index()];
        self.stop_watching(loaded, lpn, true);
        let wanted = self.prefetch_end(lpn, loaded, last, store.pages.last_on_page(vtpn));
        let node_bytes = if loaded == NIL { self.node_bytes } else { 0 };
        let victim = self.coldest_but(loaded);
        // A node that gives up its own entries must live on, or be made anew.
        let kept = if victim == loaded { self.node_bytes } else { node_bytes };
        self.choose_load(lpn, wanted, self.room_with(victim) - kept);

        let needed = ENTRY_BYTES * self.load.len() as u64 + node_bytes;
        let wrote_back = self.make_room(needed, victim, store, flash);
        if wrote_back != Some(vtpn) {
            store.pages.read(vtpn, flash, Cause::Translation);
        }
        self.load_entries(vtpn, last, store);
        if self.load.get(1).is_some_and(|next| *next <= last) {
            // Later pages of the request rely on this load.
            flash.hold_later_pages();
        }
    }

    /// The last page to prefetch: the rest of the request, and as many successors as there are cached
    /// predecessors; never beyond the translation page (rule 1).
    fn prefetch_end(&mut self, lpn: Lpn, node: u32, last_of_request: Lpn, on_page: Lpn) -> Lpn {
        let mut length = 0;
        if self.features.request {
            length = last_of_request.0.saturating_sub(lpn.0);
        }
        if self.features.selective && self.judge.wants_successors() {
            length = length.max(self.cached_predecessors(lpn, node));
        } else if J::WATCHES && self.features.selective && self.has_predecessor(lpn, node) {
            let next = Lpn(lpn.0.saturating_add(length).saturating_add(1));
            if next <= on_page && !self.contains(next) {
                self.watch(node, next);
            }
        }
        Lpn(lpn.0.saturating_add(length).min(on_page.0))
    }

    /// Whether the page before `lpn` is cached in the node of its translation page.
    fn has_predecessor(&self, lpn: Lpn, node: u32) -> bool {
        let token = lpn.0.checked_sub(1).and_then(|before| self.tokens.get(before));
        token.is_some_and(|token| self.entries[token].node == node)
    }

    /// Watches a page that would have been prefetched, in place of the one watched before.
    fn watch(&mut self, node: u32, page: Lpn) {
        if self.nodes[node].watched.replace(page).is_some() {
            self.judge.guess_ends(false);
        }
    }

    /// A page that may be watched is about to be loaded, asked for by the host or not.
    fn stop_watching(&mut self, node: u32, lpn: Lpn, asked: bool) {
        if J::WATCHES && node != NIL && self.nodes[node].watched == Some(lpn) {
            self.nodes[node].watched = None;
            if asked {
                self.judge.guess_ends(true);
            }
        }
    }

    /// Consecutive cached pages right before `lpn` in the node of its translation page.
    fn cached_predecessors(&self, lpn: Lpn, node: u32) -> u32 {
        (0..=lpn.0).rev().take_while(|page| self.has_predecessor(Lpn(*page), node)).count() as u32
    }

    /// Bytes that can be free without touching any node but `victim` (rule 2).
    fn room_with(&self, victim: u32) -> u64 {
        let free = self.budget - self.used;
        if victim == NIL {
            return free;
        }
        free + ENTRY_BYTES * self.nodes[victim].entries.len() as u64 + self.node_bytes
    }

    /// `lpn` and the uncached pages up to `end`, as far as `room` bytes allow.
    fn choose_load(&mut self, lpn: Lpn, end: Lpn, room: u64) {
        self.load.clear();
        self.load.push(lpn);
        for next in (lpn.0 + 1..=end.0).map(Lpn) {
            if ENTRY_BYTES * (self.load.len() as u64 + 1) > room {
                break;
            }
            if !self.contains(next) {
                self.load.push(next);
            }
        }
    }

    /// Evicts entries of `victim` until `needed` bytes are free. Returns the translation page that was
    /// read and written back, if any.
    fn make_room(
        &mut self,
        needed: u64,
        victim: u32,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Vtpn> {
        if self.budget - self.used >= needed {
            return None;
        }
        let vtpn = self.nodes[victim].vtpn;
        self.changes.clear();
        let mut lives = true;
        while lives && self.budget - self.used < needed {
            lives = self.evict_entry(victim);
        }
        if lives {
            self.reorder(victim);
        }
        if self.changes.is_empty() {
            return None;
        }
        store.write_back(vtpn, &self.changes, flash);
        Some(vtpn)
    }

    /// Evicts one entry of a node; notes what has to be written back. Returns whether the node lives.
    fn evict_entry(&mut self, node: u32) -> bool {
        let token = self.victim_entry(node);
        let Entry { lpn, ppn, dirty, .. } = self.entries[token];
        self.counts.replacements += 1;
        if dirty {
            self.counts.dirty_replacements += 1;
            let mut changes = std::mem::take(&mut self.changes);
            if self.features.batch {
                self.clean_node(node, &mut changes);
            } else {
                changes.push((lpn, ppn.get()));
            }
            self.changes = changes;
        }
        self.drop_entry(token)
    }

    /// The least recent clean entry, else the least recent one (section 4.4).
    fn victim_entry(&mut self, node: u32) -> u32 {
        let oldest = self.nodes[node].entries.back();
        if !self.features.clean_first {
            return oldest;
        }
        match self.oldest_clean(node) {
            NIL => oldest,
            clean => clean,
        }
    }

    /// Moves the node's mark to its least recent clean entry. The mark only goes towards newer
    /// entries until something becomes clean, so the walk is paid for by what made entries dirty.
    fn oldest_clean(&mut self, node: u32) -> u32 {
        let mut token = self.nodes[node].oldest_clean;
        while token != NIL && self.entries[token].dirty {
            token = self.links.newer(token);
        }
        self.nodes[node].oldest_clean = token;
        token
    }

    /// Removes an entry, and its node when it was the last. Returns whether the node lives.
    fn drop_entry(&mut self, token: u32) -> bool {
        let Entry { lpn, node: owner, hotness, dirty, use_so_far, .. } = self.entries[token];
        match use_so_far {
            Use::Due => {}
            Use::Guessed => self.judge.guess_ends(false),
            Use::Once => self.judge.demand_ends(false),
            Use::Again => self.judge.demand_ends(true),
        }
        self.step_over(owner, token);
        let node = &mut self.nodes[owner];
        self.links.remove(&mut node.entries, token);
        node.hotness -= hotness;
        if dirty {
            self.dirty_links.remove(&mut node.dirty, token);
        }
        let lives = !node.entries.is_empty();
        self.entries.remove(token);
        self.tokens.take(lpn.0);
        self.used -= ENTRY_BYTES;
        if !lives {
            let node = self.nodes.remove(owner);
            self.node_of[node.vtpn.index()] = NIL;
            self.coldest.remove(owner);
            self.used -= self.node_bytes;
            self.judge.count_nodes(-1);
            if node.watched.is_some() {
                self.judge.guess_ends(false);
            }
        }
        lives
    }

    /// Adds the entries chosen to their node: the requested one in front, the others behind it.
    fn load_entries(&mut self, vtpn: Vtpn, last_of_request: Lpn, store: &MapStore) {
        let node = self.node_for(vtpn);
        let load = std::mem::take(&mut self.load);
        self.prefetched += load.len() as u64 - 1;
        let mut leader = NIL;
        for &lpn in &load {
            let ppn = store.pages.mapping(lpn);
            leader = self.add_entry(node, lpn, ppn, leader);
            if lpn == load[0] {
                self.current = leader;
            } else {
                let asked = self.features.request && lpn <= last_of_request;
                self.stop_watching(node, lpn, asked);
                self.entries[leader].use_so_far = if asked { Use::Due } else { Use::Guessed };
            }
        }
        self.used += ENTRY_BYTES * load.len() as u64;
        self.load = load;
        if self.prefetch_at == PrefetchAt::Tail {
            // Only entries as cold as the coldest can make a node colder.
            self.reorder(node);
        }
    }

    fn node_for(&mut self, vtpn: Vtpn) -> u32 {
        let node = self.node_of[vtpn.index()];
        if node != NIL {
            return node;
        }
        let entries = List::default();
        let dirty = List::default();
        let node = Node { vtpn, entries, dirty, oldest_clean: NIL, hotness: 0, watched: None };
        let token = self.nodes.insert(node);
        self.node_of[vtpn.index()] = token;
        self.coldest.insert(token, mean(self.accesses, 1));
        self.used += self.node_bytes;
        self.judge.count_nodes(1);
        token
    }

    /// Adds a clean entry in front, behind `leader`, or at the tail. Returns its token.
    fn add_entry(&mut self, owner: u32, lpn: Lpn, ppn: Option<Ppn>, leader: u32) -> u32 {
        let at_tail = leader != NIL && self.prefetch_at == PrefetchAt::Tail;
        let node = &mut self.nodes[owner];
        let hotness = match node.entries.back() {
            oldest if at_tail && oldest != NIL => self.entries[oldest].hotness,
            _ => self.accesses,
        };
        let entry = Entry {
            lpn,
            ppn: ppn.into(),
            node: owner,
            hotness,
            dirty: false,
            use_so_far: Use::Once,
        };
        let token = self.entries.insert(entry);
        self.links.grow(self.entries.tokens());
        self.dirty_links.grow(self.entries.tokens());
        self.tokens.set(lpn.0, token);
        match leader {
            NIL => self.links.push_front(&mut node.entries, token),
            _ if at_tail => self.links.push_back(&mut node.entries, token),
            leader => self.links.insert_behind(&mut node.entries, leader, token),
        }
        node.hotness += hotness;
        if at_tail || node.oldest_clean == NIL || node.oldest_clean == leader {
            node.oldest_clean = token;
        }
        token
    }

    /// A hit: the entry is the most recent of its node, and the node as hot as that makes it.
    fn touch(&mut self, token: u32) {
        let Entry { node: owner, hotness, dirty, use_so_far, .. } = self.entries[token];
        self.step_over(owner, token);
        let entry = &mut self.entries[token];
        entry.hotness = self.accesses;
        entry.use_so_far = match use_so_far {
            Use::Due | Use::Guessed => Use::Once,
            Use::Once | Use::Again => Use::Again,
        };
        if use_so_far == Use::Guessed {
            self.judge.guess_ends(true);
        }
        let node = &mut self.nodes[owner];
        self.links.touch(&mut node.entries, token);
        node.hotness += self.accesses - hotness;
        if node.oldest_clean == NIL && !dirty {
            node.oldest_clean = token;
        }
    }

    /// Moves the node's mark off an entry that is about to leave its place.
    fn step_over(&mut self, node: u32, token: u32) {
        let node = &mut self.nodes[node];
        if node.oldest_clean == token {
            node.oldest_clean = self.links.newer(token);
        }
    }

    /// How hot a node is, as a key of the order of nodes.
    fn hotness_of(&self, node: &Node) -> u64 {
        match self.page_order {
            PageOrder::Hotness => mean(node.hotness, node.entries.len()),
            PageOrder::Recency => mean(self.entries[node.entries.front()].hotness, 1),
        }
    }

    /// Notes that a node may have become colder. One that became hotter keeps its old key, so that a
    /// hit costs nothing: keys are never above the truth, and looking for the coldest node corrects
    /// those that come up.
    fn reorder(&mut self, token: u32) {
        let key = self.hotness_of(&self.nodes[token]);
        if key < self.coldest.key(token) {
            self.coldest.update(token, key);
        }
    }

    /// The coldest node but `other`, unless that is alone; [`NIL`] without nodes.
    fn coldest_but(&mut self, other: u32) -> u32 {
        while let Some(token) = self.coldest.min_but(other) {
            let key = self.hotness_of(&self.nodes[token]);
            if key == self.coldest.key(token) {
                return token;
            }
            self.coldest.update(token, key);
        }
        NIL
    }

    fn soil(&mut self, token: u32) {
        let entry = &mut self.entries[token];
        if !entry.dirty {
            entry.dirty = true;
            self.dirty_links.push_front(&mut self.nodes[entry.node].dirty, token);
        }
    }

    /// Makes all dirty entries of a node clean and adds them to `changes`.
    fn clean_node(&mut self, token: u32, changes: &mut Vec<Change>) {
        let node = &mut self.nodes[token];
        if node.dirty.is_empty() {
            return;
        }
        for token in self.dirty_links.from_oldest(&node.dirty) {
            let entry = &mut self.entries[token];
            entry.dirty = false;
            changes.push((entry.lpn, entry.ppn.get()));
        }
        node.dirty = List::default();
        node.oldest_clean = node.entries.back();
    }

    fn audit_node(&self, token: u32, node: &Node) {
        self.links.audit(&node.entries);
        assert!(!node.entries.is_empty(), "node {} has no entries", node.vtpn);
        let entries: Vec<(u32, &Entry)> = self
            .links
            .from_oldest(&node.entries)
            .map(|token| (token, &self.entries[token]))
            .collect();
        assert!(entries.iter().all(|(_, e)| e.node == token), "owner of an entry of {}", node.vtpn);
        assert!(entries.is_sorted_by_key(|(_, e)| e.hotness), "entries of {} by touch", node.vtpn);
        let dirty = entries.iter().filter(|(_, e)| e.dirty).count();
        self.dirty_links.audit(&node.dirty);
        let mut listed = self.dirty_links.from_oldest(&node.dirty);
        assert!(
            listed.all(|t| self.entries[t].node == token && self.entries[t].dirty),
            "dirty list"
        );
        assert_eq!(dirty, node.dirty.len(), "dirty entries of {}", node.vtpn);
        let hotness: u64 = entries.iter().map(|(_, e)| e.hotness).sum();
        assert_eq!(hotness, node.hotness, "hotness of {}", node.vtpn);
        assert!(node.watched.is_none_or(|lpn| !self.contains(lpn)), "{:?} is cached", node.watched);
        let behind = entries.iter().take_while(|(token, _)| *token != node.oldest_clean);
        assert!(behind.into_iter().all(|(_, e)| e.dirty), "a clean entry behind the mark");
        assert!(self.coldest.key(token) <= self.hotness_of(node), "order of the nodes");
    }
}

#[cfg(test)]
mod tests;
