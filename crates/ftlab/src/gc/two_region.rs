//! 2R: what the host writes and what GC moves are two regions of blocks, as in the simulator of SSD-iq (Haas et al.,
//! PVLDB 18, 2025).
//!
//! ```text
//! 2r-greedy   the emptiest block of the region whose emptiest block is emptier, the cold one among equals
//! 2r-fifo     a pointer goes through the blocks in the order in which they were filled, and takes those under a bound
//! ```
//!
//! A region needs a block of superseded pages to be chosen by `2r-greedy`, if the other one has as many. The bound of
//! `2r-fifo` is 50 % valid pages first and 70 % later. When the pointer has gone over 70 % of the blocks, it starts
//! again at the oldest with 5 % more. A GC ends when its victims have a block of superseded pages: then the bound is 70 %.
//!
//! The regions are those of the classes of blocks, so copies need blocks of their own (`gc.copies = own`).
//!
//! Departs  the simulator fills victims with what they hold, and then with what the host writes. Flash cannot: copies
//!          have an open block of their own. Fully valid blocks are no victims of `2r-fifo` unless there are no others.

use super::{Closed, Moment, PolicyDesign, Pool, Spec, VictimPolicy};
use crate::cache::min_tree::MinTree;
use crate::class::Class;
use crate::units::Pbn;
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// Blocks of a class.
#[derive(Clone, Debug)]
struct Region {
    valid: MinTree,
    /// Superseded pages.
    garbage: u64,
}

/// Greedy in the emptier of two regions.
#[derive(Clone, Debug)]
pub struct TwoRegionGreedy {
    /// What the host wrote, and what GC moved.
    regions: [Region; 2],
    /// The region of each closed block, and its valid pages.
    blocks: Vec<(usize, u32)>,
    pages_per_block: u32,
}

const NORMAL: usize = 0;
const COLD: usize = 1;

impl PolicyDesign for TwoRegionGreedy {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "2r-greedy",
        summary: "fewest valid pages in the emptier region: of the host's writes, or of moved pages",
        source: "2R; Haas et al., SSD-iq, PVLDB 18, 2025",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        let region = Region { valid: MinTree::new(pool.blocks), garbage: 0 };
        TwoRegionGreedy {
            regions: [region.clone(), region],
            blocks: vec![(NORMAL, 0); pool.blocks as usize],
            pages_per_block: pool.pages_per_block,
        }
    }
}

impl TwoRegionGreedy {
    /// The region that a victim comes from, if it has a block.
    fn region(&self) -> usize {
        let [normal, cold] = [NORMAL, COLD].map(|region| {
            let region = &self.regions[region];
            let emptiest = region.valid.min().map(|slot| self.blocks[slot as usize].1);
            (region.garbage >= u64::from(self.pages_per_block), emptiest)
        });
        match (normal, cold) {
            (_, (_, None)) => NORMAL,
            ((_, None), _) => COLD,
            ((_, Some(_)), (false, _)) => NORMAL,
            ((false, _), (true, _)) => COLD,
            ((true, Some(normal)), (true, Some(cold))) if normal < cold => NORMAL,
            ((true, Some(_)), (true, Some(_))) => COLD,
        }
    }
}

impl VictimPolicy for TwoRegionGreedy {
    fn close(&mut self, Closed { pbn, valid, class, .. }: Closed) {
        let region = if class == Class::MOVED { COLD } else { NORMAL };
        self.blocks[pbn.index()] = (region, valid);
        self.regions[region].valid.lower(pbn.0, valid as u16);
        self.regions[region].garbage += u64::from(self.pages_per_block - valid);
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        let (region, known) = &mut self.blocks[pbn.index()];
        *known = valid;
        self.regions[*region].valid.lower(pbn.0, valid as u16);
        self.regions[*region].garbage += 1;
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        let (region, _) = self.blocks[pbn.index()];
        unless_bug!(RegionKeepsCollected, self.regions[region].valid.remove(pbn.0));
        self.regions[region].garbage -= u64::from(self.pages_per_block - valid);
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        self.regions[self.region()].valid.min().map(Pbn)
    }
}

/// The valid pages of a block below which the first GC takes it, in percent.
const FIRST_BOUND: u32 = 50;
/// The same of each later GC.
const BOUND: u32 = 70;
/// By how much the bound rises when the pointer starts again.
const RISE: u32 = 5;
/// Share of the blocks that the pointer goes over before it starts again, in percent.
const DEPTH: usize = 70;

/// Blocks in the order in which they were filled, under a pointer.
#[derive(Clone, Debug)]
pub struct TwoRegionFifo {
    order: BTreeMap<u64, Pbn>,
    /// The place of each closed block in the order, and its valid pages.
    blocks: Vec<(u64, u32)>,
    closed: u64,
    /// The block looked at last.
    pointer: u64,
    /// Blocks looked at since the pointer started.
    steps: usize,
    bound: u32,
    /// Superseded pages of the victims of this GC.
    gained: u32,
    /// What was chosen and is not removed yet.
    chosen: Option<Pbn>,
    pages_per_block: u32,
}

impl PolicyDesign for TwoRegionFifo {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "2r-fifo",
        summary: "in the order of filling, those under a share of valid pages that rises",
        source: "2R; Haas et al., SSD-iq, PVLDB 18, 2025",
    };

    fn build(pool: &Pool, (): ()) -> Self {
        TwoRegionFifo {
            order: BTreeMap::new(),
            blocks: vec![(0, 0); pool.blocks as usize],
            closed: 0,
            pointer: 0,
            steps: 0,
            bound: FIRST_BOUND,
            gained: 0,
            chosen: None,
            pages_per_block: pool.pages_per_block,
        }
    }
}

impl TwoRegionFifo {
    /// The next block under the bound. The bound rises until there is one, or no block has superseded pages.
    fn next(&mut self) -> Option<Pbn> {
        while self.bound <= 100 && !self.order.is_empty() {
            let ahead = self.order.range((Excluded(self.pointer), Unbounded));
            let least_steps = (self.order.len() * DEPTH / 100).max(1);
            for (place, pbn) in ahead {
                if self.steps >= least_steps {
                    break;
                }
                self.pointer = *place;
                self.steps += 1;
                let valid = self.blocks[pbn.index()].1;
                if valid < self.pages_per_block && valid * 100 < self.bound * self.pages_per_block {
                    return Some(*pbn);
                }
            }
            if self.steps >= least_steps {
                self.bound += RISE;
            }
            (self.pointer, self.steps) = (0, 0);
        }
        self.order.values().copied().min_by_key(|pbn| self.blocks[pbn.index()].1)
    }
}

impl VictimPolicy for TwoRegionFifo {
    fn close(&mut self, Closed { pbn, valid, .. }: Closed) {
        self.closed += 1;
        self.order.insert(self.closed, pbn);
        self.blocks[pbn.index()] = (self.closed, valid);
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.blocks[pbn.index()].1 = valid;
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        unless_bug!(ScanKeepsCollected, self.order.remove(&self.blocks[pbn.index()].0));
        let is_chosen = self.chosen == Some(pbn);
        self.chosen = unless_bug!(ScanKeepsChosen, self.chosen.filter(|_| !is_chosen), self.chosen);
        if !is_chosen {
            return;
        }
        self.gained += self.pages_per_block - valid;
        if self.gained >= self.pages_per_block {
            (self.gained, self.bound) = (0, BOUND);
        }
    }

    fn choose(&mut self, _now: Moment) -> Option<Pbn> {
        if self.chosen.is_none() {
            self.chosen = self.next();
        }
        self.chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOL: Pool =
        Pool { blocks: 32, pages_per_block: 10, seed: 1, is_volume: false, logical_pages: None };

    fn close(policy: &mut dyn VictimPolicy, block: u32, valid: u32, class: Class) {
        policy.close(Closed { class, ..Closed::untimed(Pbn(block), valid) });
    }

    fn choose(policy: &mut dyn VictimPolicy) -> Option<u32> {
        policy.choose(Moment::default()).map(|pbn| pbn.0)
    }

    #[test]
    fn without_a_closed_block_there_is_no_victim() {
        assert_eq!(choose(&mut TwoRegionFifo::build(&POOL, ())), None);
        assert_eq!(choose(&mut TwoRegionGreedy::build(&POOL, ())), None);
    }

    #[test]
    fn the_region_with_the_emptier_block_is_taken_and_the_cold_one_among_equals() {
        let mut policy = TwoRegionGreedy::build(&POOL, ());
        close(&mut policy, 1, 2, Class::HOST);
        close(&mut policy, 2, 3, Class::HOST);
        close(&mut policy, 3, 1, Class::MOVED);
        assert_eq!(
            choose(&mut policy),
            Some(1),
            "the cold region has no block of superseded pages"
        );
        close(&mut policy, 4, 8, Class::MOVED);
        assert_eq!(choose(&mut policy), Some(3), "9 and 2 are one");
        policy.shrink(Pbn(1), 1, 0);
        assert_eq!(choose(&mut policy), Some(3), "equal");
        policy.shrink(Pbn(1), 0, 0);
        assert_eq!(choose(&mut policy), Some(1));
        policy.remove(Pbn(1), 0);
        assert_eq!(choose(&mut policy), Some(3), "the normal region has 7");
        policy.remove(Pbn(3), 1);
        assert_eq!(choose(&mut policy), Some(2));
        policy.remove(Pbn(2), 3);
        assert_eq!(choose(&mut policy), Some(4), "the only one");
        policy.remove(Pbn(4), 8);
        assert_eq!(choose(&mut policy), None);
    }

    /// Takes the next victim out, as GC does.
    fn collect(policy: &mut TwoRegionFifo) -> Option<u32> {
        let block = choose(policy)?;
        assert_eq!(choose(policy), Some(block), "it stays one until it is removed");
        policy.remove(Pbn(block), policy.blocks[block as usize].1);
        Some(block)
    }

    #[test]
    fn the_pointer_takes_blocks_under_the_bound_and_starts_again_with_a_higher_one() {
        let mut policy = TwoRegionFifo::build(&POOL, ());
        for (block, valid) in
            [(0, 9), (1, 4), (2, 6), (3, 6), (4, 7), (5, 9), (6, 9), (7, 9), (8, 3), (9, 9)]
        {
            close(&mut policy, block, valid, Class::HOST);
        }
        assert_eq!(collect(&mut policy), Some(1), "under 50 %");
        // 8 lies beyond 70 %. At 65 % under the bound are 2, then 3: 6, 4 and 4 pages are a block.
        assert_eq!(collect(&mut policy), Some(2));
        assert_eq!(policy.bound, BOUND, "6 and 4 superseded pages are a block");
        assert_eq!(collect(&mut policy), Some(3));
        // The pointer goes on behind 3, over 8 at the end of 70 % of 7 blocks, and starts again.
        assert_eq!((policy.bound, policy.gained), (BOUND, 4));
        assert_eq!(collect(&mut policy), Some(4), "7 are under 75 %");
    }

    #[test]
    fn a_full_block_is_taken_when_there_is_no_other() {
        let mut policy = TwoRegionFifo::build(&POOL, ());
        close(&mut policy, 5, 10, Class::HOST);
        close(&mut policy, 6, 10, Class::MOVED);
        assert_eq!(collect(&mut policy), Some(5));
        assert_eq!(collect(&mut policy), Some(6));
        assert_eq!(collect(&mut policy), None);
    }
}
