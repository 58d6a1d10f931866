//! REF, recently evicted first (Seo & Shin, IEEE Transactions on Consumer Electronics 2008).
//!
//! Idea     pages whose block left a short while ago leave first: a log-buffer FTL below then has the
//!          pages of few blocks in its log, and merges few of them.
//! Departs  the group of a block that is among the last ones evicted leaves, unless it was used lately;
//!          else the group used longest ago does.
//! Evidence one sentence of CACH-FTL 3.2 and domain knowledge: how many evicted blocks count, and what
//!          "lately" is, are assumed and parameters (choices.md#recent-groups).

use super::group_buffer::{Access, Order};
use super::groups::Groups;
use super::recent_groups::{RecentConfig, RecentGroups};
use crate::flash::Geometry;
use crate::named::Spec;
use crate::units::Lbn;
use std::collections::VecDeque;

crate::settings! {
    /// Settings of `ref`.
    pub struct EvictedConfig in "buffer" {
        /// REF: blocks that left last whose pages leave first.
        evicted_blocks: u32 = 8, in 1..=1024, unit "blocks", laws 1..=5,
            source "choices.md#recent-groups";
    }
}

/// Groups by recency, and the blocks that left last.
#[derive(Clone, Debug)]
pub struct RecentlyEvicted {
    recency: RecentGroups,
    /// The last one is at the front.
    evicted: VecDeque<Lbn>,
    most_evicted: usize,
}

impl Order for RecentlyEvicted {
    type Settings = (RecentConfig, EvictedConfig);

    const SPEC: Spec = Spec {
        name: "ref",
        summary: "blocks that left a short while ago leave first, then the oldest",
        source: "Seo & Shin, IEEE Transactions on Consumer Electronics 2008",
    };

    fn build((recent, own): (RecentConfig, EvictedConfig), _: &Geometry, capacity: usize) -> Self {
        RecentlyEvicted {
            recency: RecentGroups::new(recent.pages(capacity)),
            evicted: VecDeque::new(),
            most_evicted: own.evicted_blocks as usize,
        }
    }

    fn touch(&mut self, access: Access) {
        self.recency.touch(access.group, access.pages, access.is_new, |_, _| ());
    }

    fn shrink(&mut self, group: u32, pages: u32) {
        self.recency.shrink(group, pages);
    }

    fn victim(&mut self, groups: &Groups, _: u64) -> u32 {
        let back_again = self.evicted.iter().filter_map(|lbn| groups.find_block(*lbn));
        let victim = back_again.into_iter().find(|group| !self.recency.is_recent(*group));
        let victim = victim.unwrap_or_else(|| self.recency.oldest());
        let lbn = groups.get(victim).lbn;
        self.evicted.retain(|other| *other != lbn);
        self.evicted.push_front(lbn);
        self.evicted.truncate(self.most_evicted);
        victim
    }

    fn remove(&mut self, group: u32) {
        self.recency.remove(group);
    }

    fn audit(&self, groups: &Groups) {
        self.recency.audit(groups);
        assert!(self.evicted.len() <= self.most_evicted, "too many evicted blocks");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;
    use crate::buffer::recent_groups::RecentConfig;
    use crate::units::Ratio;

    #[test]
    fn a_block_that_left_lately_leaves_before_older_ones() {
        let mut bench = Bench::new("ref", 3, RecentConfig { recent: Ratio(0.4) });
        assert_eq!(bench.writes(&[0, 4, 8, 1]), [vec![0]]);
        // Least recent first: 4, 8, 1. Block 0 left last, but was used lately: the oldest leaves.
        assert_eq!(bench.writes(&[12]), [vec![4]]);
        // 8, 1, 12: block 0 is recent no more.
        assert_eq!(bench.writes(&[16]), [vec![1]]);
        assert_eq!(bench.writes(&[20]), [vec![8]], "blocks 1 and 0 are not back");
    }
}
