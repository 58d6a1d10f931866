//! PUD-LRU, predicted average update distance (Hu, Jiang, Tian & Xu, MASCOTS 2010).
//!
//! Idea     the predicted distance of a block's updates is the time since its first write, divided
//!          by the number of its writes. Blocks with a short distance are updated often and lately,
//!          and remain. Of the others the one with most pages leaves. If there is none, the block
//!          written longest ago leaves.
//! Evidence abstract only: "frequency and recency", two groups, most pages. Three things are
//!          assumed: the formula, time in page accesses, and the threshold, as many accesses as the
//!          buffer has pages (choices.md#pud-distance).

use super::group_buffer::{Access, Order};
use super::groups::Groups;
use super::largest_first::LargestFirst;
use crate::cache::indexed_heap::IndexedHeap;
use crate::cache::links::{Links, List};
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;

crate::settings! {
    /// Settings of `pud-lru`.
    pub struct PudLruConfig in "buffer" {
        /// PUD-LRU: page accesses between two updates of a block up to which it is updated often.
        update_distance: Option<u64> = None, absent "as many as the buffer has pages",
            in 1..=1 << 40, unit "page accesses", laws [None, Some(1), Some(10), Some(100)],
            source "choices.md#pud-distance";
    }
}

/// What is known of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Updates {
    first: u64,
    last: u64,
    count: u64,
    pages: u32,
}

/// Blocks that are updated often and lately, and others.
#[derive(Clone, Debug)]
pub struct PudLru {
    threshold: u64,
    updates: Vec<Updates>,
    /// Groups within the threshold, by the time at which they exceed it unless updated.
    frequent: IndexedHeap<u64>,
    others: LargestFirst,
    links: Links,
    /// The back was written longest ago.
    recency: List,
}

impl PudLru {
    /// Time passes for all groups alike, so a group that is no longer frequent is found when
    /// needed.
    fn part(&mut self, now: u64) {
        while let Some(group) = self.frequent.min().filter(|min| self.frequent.key(*min) < now) {
            self.frequent.remove(group);
            let Updates { pages, last, .. } = self.updates[group as usize];
            self.others.set(group, pages, last);
        }
    }
}

impl Order for PudLru {
    type Settings = PudLruConfig;

    const SPEC: Spec = Spec {
        name: "pud-lru",
        summary: "of the blocks not updated often, the one with most pages leaves",
        source: "Hu et al., MASCOTS 2010",
    };

    fn build(own: PudLruConfig, _: &Geometry, capacity: usize) -> Self {
        PudLru {
            threshold: own.update_distance.unwrap_or(capacity as u64),
            updates: Vec::new(),
            frequent: IndexedHeap::default(),
            others: LargestFirst::default(),
            links: Links::default(),
            recency: List::default(),
        }
    }

    fn touch(&mut self, access: Access) {
        let Access { group, pages, op, is_new, now, .. } = access;
        if op != Op::Write {
            return;
        }
        if is_new {
            self.updates.resize(self.updates.len().max(group as usize + 1), Updates::default());
            self.updates[group as usize] = Updates { first: now, ..Updates::default() };
            self.links.grow(self.updates.len());
            self.links.push_front(&mut self.recency, group);
        } else {
            self.links.touch(&mut self.recency, group);
        }
        let updates = &mut self.updates[group as usize];
        *updates = Updates { last: now, count: updates.count + 1, pages, ..*updates };
        if self.others.contains(group) {
            self.others.remove(group);
        }
        // (now - first) / count <= threshold up to there.
        let until = updates.first + self.threshold * updates.count;
        match self.frequent.contains(group) {
            true => self.frequent.update(group, until),
            false => self.frequent.insert(group, until),
        }
    }

    fn shrink(&mut self, group: u32, pages: u32) {
        self.updates[group as usize].pages = pages;
        if self.others.contains(group) {
            self.others.shrink(group, pages);
        }
    }

    fn victim(&mut self, _: &Groups, now: u64) -> u32 {
        self.part(now);
        self.others.first().unwrap_or(self.recency.back())
    }

    fn remove(&mut self, group: u32) {
        self.links.remove(&mut self.recency, group);
        match self.others.contains(group) {
            true => self.others.remove(group),
            false => self.frequent.remove(group),
        }
    }

    fn audit(&self, groups: &Groups) {
        self.links.audit(&self.recency);
        self.others.audit(groups);
        assert_eq!(self.recency.len(), groups.len(), "groups by recency");
        assert_eq!(self.frequent.len() + self.others.len(), groups.len(), "groups in two parts");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;
    use crate::buffer::pud_lru::PudLruConfig;

    #[test]
    fn the_largest_block_that_is_not_updated_often_leaves() {
        let mut bench = Bench::new("pud-lru", 6, PudLruConfig { update_distance: Some(2) });
        // Block 0 has most pages, and is updated again and again.
        bench.writes(&[0, 1, 2, 4, 8, 9]);
        bench.writes(&[0, 1, 2, 0]);
        assert_eq!(bench.writes(&[12]), [vec![8, 9]], "1 write of block 1, 2 of block 2");
        assert_eq!(bench.writes(&[13, 14]), [vec![4]]);
    }

    #[test]
    fn when_all_are_updated_often_the_oldest_leaves() {
        let mut bench = Bench::new("pud-lru", 3, PudLruConfig { update_distance: Some(100) });
        bench.writes(&[0, 4, 8, 0]);
        assert_eq!(bench.writes(&[12]), [vec![4]]);
    }
}
