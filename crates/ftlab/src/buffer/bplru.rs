//! BPLRU, block padding LRU (Kim & Ahn, FAST 2008).
//!
//! Idea     the block written longest ago leaves with all its pages, completed with pages read from
//!          flash. A log-block FTL then has a switch merge. A block written in one go from its
//!          first page to its last leaves next: it is hardly written again ("LRU compensation").
//! Departs  pages of the block that were never written are not padded (choices.md#bplru-padding).
//! Evidence stated in the paper's abstract and public summaries, as is the rule that reads do not
//!          count as use ("a buffer for writes only").

use super::group_buffer::{Access, Order};
use super::groups::Groups;
use crate::cache::links::{Links, List};
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;

crate::settings! {
    /// Settings of `bplru`.
    pub struct BplruConfig in "buffer" {
        /// BPLRU: complete the blocks that leave with pages read from flash.
        padding: bool = true, laws [false, true], source "choices.md#bplru-padding";
    }
}

/// Blocks by the time of their last write.
#[derive(Clone, Debug)]
pub struct Bplru {
    links: Links,
    /// The back was written longest ago.
    recency: List,
    runs: Runs,
    padding: bool,
}

/// For each group, the number of leading pages that were written in order.
#[derive(Clone, Debug)]
pub struct Runs {
    pages_per_block: u32,
    next: Vec<u32>,
}

impl Runs {
    /// No groups, in blocks of `pages_per_block` pages.
    #[must_use]
    pub const fn new(pages_per_block: u32) -> Self {
        Runs { pages_per_block, next: Vec::new() }
    }

    /// Notes a write. Returns whether it is the last of a whole block written in order.
    pub fn completes(&mut self, access: Access) -> bool {
        let group = access.group as usize;
        if self.next.len() <= group {
            self.next.resize(group + 1, 0);
        }
        let follows = !access.is_new && self.next[group] == access.offset;
        self.next[group] = if follows || access.offset == 0 { access.offset + 1 } else { 0 };
        self.next[group] == self.pages_per_block
    }
}

impl Order for Bplru {
    type Settings = BplruConfig;

    const SPEC: Spec = Spec {
        name: "bplru",
        summary: "blocks by their last write, completed with pages from flash when they leave",
        source: "Kim & Ahn, FAST 2008",
    };

    fn build(own: BplruConfig, geometry: &Geometry, _: usize) -> Self {
        Bplru {
            links: Links::default(),
            recency: List::default(),
            runs: Runs::new(geometry.pages_per_block),
            padding: own.padding,
        }
    }

    fn touch(&mut self, access: Access) {
        if access.op != Op::Write {
            return;
        }
        if access.is_new {
            self.links.grow(access.group as usize + 1);
        } else {
            self.links.remove(&mut self.recency, access.group);
        }
        if self.runs.completes(access) {
            self.links.push_back(&mut self.recency, access.group);
        } else {
            self.links.push_front(&mut self.recency, access.group);
        }
    }

    fn shrink(&mut self, _: u32, _: u32) {}

    fn victim(&mut self, _: &Groups, _: u64) -> u32 {
        self.recency.back()
    }

    fn remove(&mut self, group: u32) {
        self.links.remove(&mut self.recency, group);
    }

    fn pads(&self) -> bool {
        self.padding
    }

    fn audit(&self, groups: &Groups) {
        self.links.audit(&self.recency);
        assert_eq!(self.recency.len(), groups.len(), "groups by recency");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;

    #[test]
    fn the_block_written_longest_ago_leaves_and_reads_do_not_count() {
        let mut bench = Bench::plain("bplru", 4);
        bench.writes(&[0, 4, 1, 8]);
        bench.reads(&[4]);
        assert_eq!(bench.writes(&[12]), [vec![4]]);
        assert_eq!(bench.writes(&[13]), [vec![0, 1]]);
    }

    #[test]
    fn a_block_written_in_order_leaves_next() {
        let mut bench = Bench::plain("bplru", 5);
        bench.writes(&[8, 0, 1, 2, 3]);
        assert_eq!(bench.writes(&[9]), [vec![0, 1, 2, 3]]);
        let mut bench = Bench::plain("bplru", 5);
        bench.writes(&[8, 1, 0, 2, 3]);
        assert_eq!(bench.writes(&[9]), [vec![8]], "out of order it is like any other");
    }
}
