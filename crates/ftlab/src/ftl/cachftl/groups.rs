//! Logical blocks by their pages in the PMR. The order determines which of them is merged into the
//! BMR next.
//!
//! By default it is the one with most pages. A block of the BMR has as many superseded pages as its
//! logical block has pages in the PMR. It can therefore also be chosen as a victim of GC, by any
//! policy (choices.md#cachftl-bmr-victim).

use crate::cache::block_set::BlockSets;
use crate::flash::Geometry;
use crate::gc::{Closed, Moment, Victims};
use crate::units::{Lbn, Pbn};

/// Logical blocks with pages in the PMR.
#[derive(Clone, Debug)]
pub struct GroupSizes {
    sizes: Vec<u32>,
    order: Order,
}

/// The order in which they are merged.
#[derive(Clone, Debug)]
enum Order {
    BySize(BySize),
    /// A policy treats logical blocks as physical ones.
    ByPolicy {
        victims: Victims,
        pages_per_block: u32,
        /// Pages added so far.
        now: u64,
    },
}

/// A set of logical blocks for each size.
#[derive(Clone, Debug)]
struct BySize {
    sets: BlockSets,
    /// No set above this size has a member.
    most: u32,
}

impl GroupSizes {
    pub fn new(geometry: &Geometry, victims: Option<Victims>) -> Self {
        let (blocks, pages_per_block) = (geometry.logical_blocks(), geometry.pages_per_block);
        let sets = || BlockSets::new(pages_per_block as usize + 1, blocks);
        GroupSizes {
            sizes: vec![0; blocks as usize],
            order: match victims {
                None => Order::BySize(BySize { sets: sets(), most: 0 }),
                Some(victims) => Order::ByPolicy { victims, pages_per_block, now: 0 },
            },
        }
    }

    /// Pages of a logical block.
    pub fn size(&self, lbn: Lbn) -> u32 {
        self.sizes[lbn.index()]
    }

    /// Pages of all logical blocks.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// A page was added to a logical block.
    pub fn grow(&mut self, lbn: Lbn) {
        let size = self.sizes[lbn.index()] + 1;
        self.sizes[lbn.index()] = size;
        match &mut self.order {
            Order::BySize(by_size) => by_size.change(lbn, size - 1, size),
            Order::ByPolicy { victims, pages_per_block, now } => {
                *now += 1;
                let (block, left) = (Pbn(lbn.0), *pages_per_block - size);
                match size {
                    1 => victims.close(Closed { at: moment(*now), ..Closed::untimed(block, left) }),
                    _ => unless_bug!(CachGroupUntold, victims.shrink(block, left, *now)),
                }
            }
        }
    }

    /// A page of a logical block has left.
    pub fn shrink(&mut self, lbn: Lbn) {
        let size = self.sizes[lbn.index()] - 1;
        self.sizes[lbn.index()] = size;
        match &mut self.order {
            Order::BySize(by_size) => by_size.change(lbn, size + 1, size),
            Order::ByPolicy { victims, pages_per_block, now } => {
                let (block, left) = (Pbn(lbn.0), *pages_per_block - size);
                victims.remove(block, left - 1);
                if size > 0 {
                    victims.close(Closed { at: moment(*now), ..Closed::untimed(block, left) });
                }
            }
        }
    }

    /// The logical block that is merged next.
    pub fn next_group(&mut self) -> Option<Lbn> {
        match &mut self.order {
            Order::BySize(by_size) => by_size.largest(),
            Order::ByPolicy { victims, now, .. } => {
                victims.choose(moment(*now)).map(|block| Lbn(block.0))
            }
        }
    }
}

/// The time after `programs` added pages. Groups have no other clock.
fn moment(programs: u64) -> Moment {
    Moment { programs, ..Moment::default() }
}

impl BySize {
    fn change(&mut self, lbn: Lbn, before: u32, size: u32) {
        if before > 0 {
            self.sets.remove(before as usize, lbn.0);
        }
        if size > 0 {
            self.sets.insert(size as usize, lbn.0);
        }
        self.most = self.most.max(size);
    }

    /// The lowest of the largest. Each step down was paid for by the page that raised the size.
    fn largest(&mut self) -> Option<Lbn> {
        while self.most > 0 {
            if let Some(lbn) = self.sets.lowest(self.most as usize) {
                return Some(Lbn(lbn));
            }
            self.most -= 1;
        }
        None
    }
}
