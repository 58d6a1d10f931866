//! Section 4.2: the two-level LRU lists. The upper list has a node for each translation page with
//! cached entries, ordered by their mean hotness. Each node has a list of its entries, ordered by
//! recency.

use super::Loaded;
use super::config::PageOrder;
use crate::cache::indexed_heap::IndexedHeap;
use crate::cache::links::{Links, List, NIL};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::flash::Geometry;
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Mapping, Ppn, Vtpn};

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub lpn: Lpn,
    pub ppn: Mapping,
    pub node: u32,
    /// Access count at the last touch.
    pub hotness: u64,
    pub dirty: bool,
    /// The reason for its load, until it is used; then on demand.
    pub awaited: Loaded,
}

/// The cached entries of one translation page.
#[derive(Clone, Copy, Debug)]
struct Node {
    vtpn: Vtpn,
    /// Entries by last touch, newest in front.
    entries: List,
    /// The dirty entries among them, in any order.
    dirty: List,
    /// All entries older than this one are dirty; [`NIL`] when all are.
    oldest_clean: u32,
    /// Sum over the entries.
    hotness: u64,
}

/// Where a new entry enters the list of its node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Front,
    Behind(u32),
    Back,
}

/// The lists of both levels, and their indices.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
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
    coldest: IndexedHeap<Warmth>,
    order: PageOrder,
    accesses: u64,
}

/// The hotness of a node, and below it its last touch. Among equally hot nodes the one touched longest
/// ago is the coldest (choices.md#tpftl-hotness). An access touches one node, so no two are equal.
type Warmth = u128;

/// The warmth of a node by the mean of access counts: the bits of a non-negative float are ordered
/// as its value. Two different means of at most 1024 counts differ below 2^31 accesses.
fn warmth(sum: u64, count: usize, touched: u64) -> Warmth {
    let mean = (sum as f64 / count as f64).to_bits();
    u128::from(mean) << u64::BITS | u128::from(touched)
}

impl Nodes {
    pub fn new(order: PageOrder, geometry: &Geometry) -> Self {
        Nodes {
            nodes: Slab::default(),
            entries: Slab::default(),
            links: Links::default(),
            dirty_links: Links::default(),
            tokens: Tokens::new(geometry.logical_pages),
            node_of: vec![NIL; geometry.translation_pages() as usize],
            entries_shift: geometry.entries_per_translation_page().ilog2(),
            coldest: IndexedHeap::default(),
            order,
            accesses: 0,
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of entries, of all nodes.
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    pub fn all_entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(|(_, entry)| entry)
    }

    /// Counts an access, the unit of time of hotness.
    #[inline]
    pub fn count_access(&mut self) {
        self.accesses += 1;
    }

    /// The node of a translation page, or [`NIL`].
    #[inline]
    pub fn node_of(&self, vtpn: Vtpn) -> u32 {
        self.node_of[vtpn.index()]
    }

    /// The node of the translation page with the mapping of a logical page, if it has one.
    pub fn node_at(&self, lpn: Lpn) -> Option<u32> {
        let node = self.node_of(Vtpn(lpn.0 >> self.entries_shift));
        (node != NIL).then_some(node)
    }

    pub fn vtpn(&self, node: u32) -> Vtpn {
        self.nodes[node].vtpn
    }

    pub fn entries_of(&self, node: u32) -> usize {
        self.nodes[node].entries.len()
    }

    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<u32> {
        self.tokens.get(lpn.0)
    }

    /// [`Nodes::find`] for pages whose translation pages mostly have no node: it looks up the node
    /// first.
    #[inline]
    pub fn find_in_node(&self, lpn: Lpn) -> Option<u32> {
        if self.node_of[(lpn.0 >> self.entries_shift) as usize] == NIL {
            return None;
        }
        self.find(lpn)
    }

    /// Whether a page is cached in a node.
    pub fn is_in(&self, node: u32, lpn: Lpn) -> bool {
        self.find(lpn).is_some_and(|token| self.entries[token].node == node)
    }

    #[inline]
    pub fn entry(&self, token: u32) -> &Entry {
        &self.entries[token]
    }

    /// Changes a mapping. Returns the old one.
    #[inline]
    pub fn remap(&mut self, token: u32, new: Option<Ppn>) -> Option<Ppn> {
        std::mem::replace(&mut self.entries[token].ppn, new.into()).get()
    }

    /// A hit: the entry becomes the most recent of its node, and the node is reordered. Returns the
    /// reason for its load, if this is its first use.
    #[inline]
    pub fn touch(&mut self, token: u32) -> Loaded {
        let Entry { node: owner, hotness, dirty, awaited, .. } = self.entries[token];
        self.step_over(owner, token);
        self.entries[token].hotness = self.accesses;
        unless_bug!(TpftlFirstUseRepeats, self.entries[token].awaited = Loaded::OnDemand);
        let node = &mut self.nodes[owner];
        self.links.touch(&mut node.entries, token);
        node.hotness += self.accesses - hotness;
        if node.oldest_clean == NIL && !dirty {
            node.oldest_clean = token;
        }
        awaited
    }

    /// Marks all entries as used.
    pub fn count_as_used(&mut self) {
        self.entries.values_mut().for_each(|entry| entry.awaited = Loaded::OnDemand);
    }

    /// Adds a node without entries, which the caller adds at once. Returns its token.
    pub fn add_node(&mut self, vtpn: Vtpn) -> u32 {
        let (entries, dirty) = (List::default(), List::default());
        let token = self.nodes.insert(Node { vtpn, entries, dirty, oldest_clean: NIL, hotness: 0 });
        self.node_of[vtpn.index()] = token;
        self.coldest.insert(token, warmth(self.accesses, 1, self.accesses));
        token
    }

    /// Adds a clean entry, behind another clean one or at an end. At the back it gets the hotness
    /// of the coldest, elsewhere the highest. Returns its token.
    pub fn add(
        &mut self,
        owner: u32,
        lpn: Lpn,
        ppn: Option<Ppn>,
        place: Place,
        why: Loaded,
    ) -> u32 {
        let node = &mut self.nodes[owner];
        let hotness = match place {
            Place::Back => self.entries[node.entries.back()].hotness,
            Place::Front | Place::Behind(_) => self.accesses,
        };
        let (ppn, node_of) = (ppn.into(), owner);
        let entry = Entry { lpn, ppn, node: node_of, hotness, dirty: false, awaited: why };
        let token = self.entries.insert(entry);
        self.links.grow(self.entries.tokens());
        self.dirty_links.grow(self.entries.tokens());
        self.tokens.set(lpn.0, token);
        let is_oldest_clean = match place {
            Place::Front => {
                self.links.push_front(&mut node.entries, token);
                node.oldest_clean == NIL
            }
            Place::Behind(leader) => {
                self.links.insert_behind(&mut node.entries, leader, token);
                node.oldest_clean == leader
            }
            Place::Back => {
                self.links.push_back(&mut node.entries, token);
                true
            }
        };
        if is_oldest_clean {
            node.oldest_clean = token;
        }
        node.hotness += hotness;
        token
    }

    /// Removes an entry, and its node when it was the last. Returns whether the node remains.
    pub fn remove(&mut self, token: u32) -> bool {
        let Entry { lpn, node: owner, hotness, dirty, .. } = self.entries[token];
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
        if !lives {
            let node = self.nodes.remove(owner);
            self.node_of[node.vtpn.index()] = NIL;
            self.coldest.remove(owner);
        }
        lives
    }

    #[inline]
    pub fn mark_dirty(&mut self, token: u32) {
        let entry = &mut self.entries[token];
        if !entry.dirty {
            entry.dirty = true;
            self.dirty_links.push_front(&mut self.nodes[entry.node].dirty, token);
        }
    }

    /// Marks all dirty entries of a node as clean and adds them to `changes`.
    pub fn clean(&mut self, node: u32, changes: &mut Vec<Change>) {
        let node = &mut self.nodes[node];
        if node.dirty.is_empty() {
            return;
        }
        for token in self.dirty_links.from_oldest(&node.dirty) {
            let entry = &mut self.entries[token];
            entry.dirty = false;
            unless_bug!(TpftlBatchUnwritten, changes.push((entry.lpn, entry.ppn.get())));
        }
        node.dirty = List::default();
        unless_bug!(TpftlMarkStaysOnBatch, node.oldest_clean = node.entries.back());
    }

    /// The least recent entry of a node.
    pub fn oldest(&self, node: u32) -> u32 {
        self.nodes[node].entries.back()
    }

    /// The least recent clean entry of a node, or [`NIL`]. Moves the node's mark there. The mark
    /// only moves towards newer entries until an entry becomes clean. Its steps are therefore paid
    /// for by the updates that made entries dirty.
    pub fn oldest_clean(&mut self, node: u32) -> u32 {
        let mut token = self.nodes[node].oldest_clean;
        while token != NIL && self.entries[token].dirty {
            token = self.links.newer(token);
        }
        self.nodes[node].oldest_clean = token;
        token
    }

    /// Moves the node's mark off an entry that is about to move.
    #[inline]
    fn step_over(&mut self, node: u32, token: u32) {
        let node = &mut self.nodes[node];
        if node.oldest_clean == token {
            unless_bug!(TpftlMarkStaysOnLeaver, node.oldest_clean = self.links.newer(token));
        }
    }

    /// The hotness of a node, as a key of the order of nodes.
    fn hotness_of(&self, node: &Node) -> Warmth {
        let touched = self.entries[node.entries.front()].hotness;
        match self.order {
            PageOrder::Hotness => warmth(node.hotness, node.entries.len(), touched),
            PageOrder::Recency => warmth(touched, 1, touched),
        }
    }

    /// Notes that a node may have become colder. A node that became hotter keeps its old key, so
    /// that a hit costs nothing. Keys are never above the true value, and the search for the
    /// coldest node corrects those at the top.
    pub fn reorder(&mut self, node: u32) {
        let key = self.hotness_of(&self.nodes[node]);
        if key < self.coldest.key(node) {
            self.coldest.update(node, key);
        }
    }

    /// The coldest node except `other`, unless that is alone; [`NIL`] without nodes.
    pub fn coldest_but(&mut self, other: u32) -> u32 {
        while let Some(token) = self.coldest.min_but(other) {
            let key = self.hotness_of(&self.nodes[token]);
            if key == self.coldest.key(token) {
                return token;
            }
            self.coldest.update(token, key);
        }
        NIL
    }

    /// Recomputes the invariants.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn audit(&self) {
        assert_eq!(self.entries.len(), self.tokens.audit_len(), "entries and their index");
        let indexed = self.node_of.iter().filter(|node| **node != NIL).count();
        assert_eq!(self.nodes.len(), indexed, "nodes and their index");
        assert_eq!(self.nodes.len(), self.coldest.len(), "nodes and their order");
        for (token, entry) in self.entries.iter() {
            assert_eq!(self.tokens.get(entry.lpn.0), Some(token), "index of {}", entry.lpn);
        }
        for (token, node) in self.nodes.iter() {
            assert_eq!(self.node_of[node.vtpn.index()], token, "index of {}", node.vtpn);
            self.audit_node(token, node);
        }
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
        let behind = entries.iter().take_while(|(token, _)| *token != node.oldest_clean);
        assert!(behind.into_iter().all(|(_, e)| e.dirty), "a clean entry behind the mark");
        assert!(self.coldest.key(token) <= self.hotness_of(node), "order of the nodes");
    }
}
