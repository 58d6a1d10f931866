//! LB-CLOCK, large block CLOCK (Debnath, Subramanya, Du & Lilja, MASCOTS 2009).
//!
//! Idea     blocks are on a ring, each with a bit that is set when it is written again. Of the
//!          blocks without the bit, the one with most pages leaves. At each eviction the hand of
//!          the clock moves to the next block without the bit and clears the bits that it passes
//!          (choices.md#lb-clock-hand). A block that was written in order to its last page loses
//!          its bit at once.
//! Departs  nothing known. Among equals the block written longest ago leaves (assumed).
//! Evidence abstract and public source code; the rule for streams is domain knowledge.

use super::bplru::Runs;
use super::group_buffer::{Access, Order};
use super::groups::Groups;
use super::largest_first::LargestFirst;
use crate::cache::links::{Links, List, NIL};
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;

/// A ring of blocks.
#[derive(Clone, Debug)]
pub struct LbClock {
    links: Links,
    /// The hand goes from each group to its newer neighbour, and from the front to the back.
    ring: List,
    hand: u32,
    /// Groups without the bit.
    candidates: LargestFirst,
    runs: Runs,
    /// Pages and last write of each group.
    known: Vec<(u32, u64)>,
}

impl LbClock {
    fn next(&self, group: u32) -> u32 {
        match self.links.newer(group) {
            NIL => self.ring.back(),
            newer => newer,
        }
    }

    /// Puts a group where the hand reaches it last.
    fn enter(&mut self, group: u32) {
        self.links.grow(group as usize + 1);
        if self.ring.is_empty() {
            self.links.push_front(&mut self.ring, group);
            self.hand = group;
        } else {
            self.links.insert_behind(&mut self.ring, self.hand, group);
        }
    }

    /// Moves the hand over the next block without the bit; those that it passes lose theirs.
    fn sweep(&mut self) {
        loop {
            let passed = self.hand;
            self.hand = self.next(passed);
            if self.candidates.contains(passed) {
                return;
            }
            self.clear(passed);
        }
    }

    fn clear(&mut self, group: u32) {
        let (pages, written) = self.known[group as usize];
        self.candidates.set(group, pages, written);
    }
}

impl Order for LbClock {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "lb-clock",
        summary: "of the blocks not written again lately, the one with most pages leaves",
        source: "Debnath et al., MASCOTS 2009",
    };

    fn build((): (), geometry: &Geometry, _: usize) -> Self {
        LbClock {
            links: Links::default(),
            ring: List::default(),
            hand: NIL,
            candidates: LargestFirst::default(),
            runs: Runs::new(geometry.pages_per_block),
            known: Vec::new(),
        }
    }

    fn touch(&mut self, access: Access) {
        let Access { group, pages, op, is_new, now, .. } = access;
        if op != Op::Write {
            return;
        }
        if is_new {
            self.enter(group);
        }
        if self.known.len() <= group as usize {
            self.known.resize(group as usize + 1, (0, 0));
        }
        self.known[group as usize] = (pages, now);
        if self.runs.completes(access) || is_new {
            self.clear(group);
        } else if self.candidates.contains(group) {
            self.candidates.remove(group);
        }
    }

    fn shrink(&mut self, group: u32, pages: u32) {
        self.known[group as usize].0 = pages;
        if self.candidates.contains(group) {
            self.clear(group);
        }
    }

    fn victim(&mut self, _: &Groups, _: u64) -> u32 {
        let chosen = self.candidates.first();
        self.sweep();
        let all_had_it = || self.candidates.first().expect("the hand has been round");
        chosen.unwrap_or_else(all_had_it)
    }

    fn remove(&mut self, group: u32) {
        if self.hand == group {
            self.hand = self.next(group);
        }
        self.links.remove(&mut self.ring, group);
        if self.ring.is_empty() {
            self.hand = NIL;
        }
        if self.candidates.contains(group) {
            self.candidates.remove(group);
        }
    }

    fn audit(&self, groups: &Groups) {
        self.links.audit(&self.ring);
        self.candidates.audit(groups);
        assert_eq!(self.ring.len(), groups.len(), "groups on the ring");
        assert_eq!(self.hand == NIL, groups.is_empty(), "the hand points to a group");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;

    /// B and C have as many pages, and A and B were written again.
    #[test]
    fn the_largest_block_without_the_bit_leaves() {
        let mut bench = Bench::plain("lb-clock", 8);
        bench.writes(&[0, 1, 4, 5, 6]);
        // The second page of a block is a write to the block again: only block 2 is without the bit.
        bench.writes(&[8, 12, 13]);
        assert_eq!(bench.writes(&[16]), [vec![8]]);
    }

    #[test]
    fn when_all_were_written_again_the_hand_clears_all_bits() {
        let mut bench = Bench::plain("lb-clock", 4);
        bench.writes(&[0, 4, 0, 4, 1, 5]);
        assert_eq!(bench.writes(&[8]), [vec![0, 1]]);
        assert_eq!(bench.writes(&[8, 9, 8, 12]), [vec![4, 5]], "it is still without");
    }

    /// Otherwise a block that was written again once would remain as long as new ones arrive.
    #[test]
    fn the_hand_clears_bits_as_it_passes_at_each_eviction() {
        let mut bench = Bench::plain("lb-clock", 4);
        bench.writes(&[0, 0, 4, 8, 12]);
        assert_eq!(bench.writes(&[16]), [vec![4]], "block 0 has the bit");
        assert_eq!(bench.writes(&[20]), [vec![0]], "but the hand has passed it");
    }

    #[test]
    fn a_block_written_in_order_loses_its_bit() {
        let mut bench = Bench::plain("lb-clock", 6);
        bench.writes(&[8, 9, 0, 1, 2, 3]);
        assert_eq!(bench.writes(&[12]), [vec![0, 1, 2, 3]]);
    }
}
