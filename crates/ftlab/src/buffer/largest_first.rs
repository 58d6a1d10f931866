//! Groups by size: the largest first, among equals the one accessed longest ago.

use super::groups::Groups;
use crate::cache::indexed_heap::IndexedHeap;
use std::cmp::Reverse;

/// Tokens of groups, each with its pages and the time of its last access.
#[derive(Clone, Debug, Default)]
pub struct LargestFirst {
    heap: IndexedHeap<(Reverse<u32>, u64)>,
}

impl LargestFirst {
    /// Adds a group, or changes what is known of it. Times must differ, for the order to be total.
    pub fn set(&mut self, group: u32, pages: u32, accessed: u64) {
        let key = (Reverse(pages), accessed);
        match self.heap.contains(group) {
            true => self.heap.update(group, key),
            false => self.heap.insert(group, key),
        }
    }

    /// A group that is here has fewer pages now; that is no access.
    pub fn shrink(&mut self, group: u32, pages: u32) {
        self.set(group, pages, self.accessed(group));
    }

    /// When a group that is here was accessed last.
    #[must_use]
    pub fn accessed(&self, group: u32) -> u64 {
        self.heap.key(group).1
    }

    /// Whether a group is here.
    #[must_use]
    pub fn contains(&self, group: u32) -> bool {
        self.heap.contains(group)
    }

    /// The largest group.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.heap.min()
    }

    /// Number of groups.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether there is no group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Forgets a group that is here.
    pub fn remove(&mut self, group: u32) {
        self.heap.remove(group);
    }

    /// Checks the sizes of the groups that are here.
    ///
    /// # Panics
    /// When one is wrong.
    pub fn audit(&self, groups: &Groups) {
        let here = groups.iter().filter(|(token, _)| self.contains(*token));
        let mut seen = 0;
        for (token, group) in here {
            assert_eq!(self.heap.key(token).0, Reverse(group.pages), "pages of {group:?}");
            seen += 1;
        }
        assert_eq!(seen, self.len(), "groups by size");
    }
}
