//! CLC, cold and largest cluster (Kang, Park, Jung, Shim & Cha, 2009).
//!
//! Idea     groups that were used lately remain, in LRU order. Of the others the one with most
//!          pages leaves. This is FAB, applied to cold groups only.
//! Evidence one sentence of CACH-FTL 3.2 and domain knowledge: the share of the recent part is a
//!          parameter, and reads count as use (choices.md#recent-groups).

use super::group_buffer::{Access, Order};
use super::groups::Groups;
use super::largest_first::LargestFirst;
use super::recent_groups::{RecentConfig, RecentGroups};
use crate::flash::Geometry;
use crate::named::Spec;

/// Recent groups by recency, the others by size.
#[derive(Clone, Debug)]
pub struct Clc {
    recency: RecentGroups,
    cold: LargestFirst,
    /// Groups that have become cold so far, which numbers them in that order.
    aged: u64,
}

impl Order for Clc {
    type Settings = RecentConfig;

    const SPEC: Spec = Spec {
        name: "clc",
        summary: "the block with most pages leaves, but for those used lately",
        source: "Kang et al., IEEE Transactions on Computers 2009",
    };

    fn build(own: RecentConfig, _: &Geometry, capacity: usize) -> Self {
        Clc {
            recency: RecentGroups::new(own.pages(capacity)),
            cold: LargestFirst::default(),
            aged: 0,
        }
    }

    fn touch(&mut self, access: Access) {
        let Access { group, pages, is_new, .. } = access;
        if self.cold.contains(group) {
            self.cold.remove(group);
        }
        let (cold, aged) = (&mut self.cold, &mut self.aged);
        self.recency.touch(group, pages, is_new, |group, pages| {
            *aged += 1;
            cold.set(group, pages, *aged);
        });
    }

    fn shrink(&mut self, group: u32, pages: u32) {
        self.recency.shrink(group, pages);
        if self.cold.contains(group) {
            self.cold.shrink(group, pages);
        }
    }

    fn victim(&mut self, _: &Groups, _: u64) -> u32 {
        self.cold.first().unwrap_or_else(|| self.recency.oldest())
    }

    fn remove(&mut self, group: u32) {
        self.recency.remove(group);
        if self.cold.contains(group) {
            self.cold.remove(group);
        }
    }

    fn audit(&self, groups: &Groups) {
        self.recency.audit(groups);
        self.cold.audit(groups);
        for (token, _) in groups.iter() {
            assert_ne!(self.recency.is_recent(token), self.cold.contains(token), "hot or cold");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;
    use crate::buffer::recent_groups::RecentConfig;
    use crate::units::Ratio;

    #[test]
    fn the_largest_block_leaves_unless_it_was_used_lately() {
        let mut bench = Bench::new("clc", 8, RecentConfig { recent: Ratio(0.5) });
        bench.writes(&[0, 1, 4, 8, 12, 13, 14, 15]);
        assert_eq!(bench.writes(&[16]), [vec![0, 1]], "block 3 is larger, but recent");
        assert_eq!(bench.writes(&[17, 20]), [vec![12, 13, 14, 15]], "block 4 has taken its place");
    }

    #[test]
    fn when_all_are_recent_the_oldest_leaves() {
        let mut bench = Bench::new("clc", 4, RecentConfig { recent: Ratio(1.0) });
        bench.writes(&[0, 4, 5, 0, 8]);
        assert_eq!(bench.writes(&[12]), [vec![4, 5]]);
    }
}
