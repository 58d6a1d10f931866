//! C-lash, cache for flash (Boukhobza, Olivier & Rubini, 2011; CACH-FTL 4.1).
//!
//! ```text
//! write miss --> p-space: pages of any block --largest set--> b-space: blocks --LRU--> FTL
//! ```
//!
//! Idea     the p-space collects pages until several of one block are there. The b-space lets a
//!          block grow further while it is used.
//! Departs  where the paper is silent. A set whose block already has a slot in the b-space joins
//!          it. Among sets of equal size the one used longest ago moves. Reads count as use in both
//!          spaces (choices.md#clash-ties).

use super::groups::Groups;
use super::largest_first::LargestFirst;
use super::{BufferConfig, BufferDesign, WriteBuffer};
use crate::cache::links::{Links, List};
use crate::error::Error;
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;
use crate::units::{Lpn, Ratio};

crate::settings! {
    /// Settings of `clash`.
    pub struct ClashConfig in "buffer" {
        /// C-lash: share of the pages in the p-space, which also gets the rest that fills no block.
        page_space: Ratio = Ratio(0.25), in 0.0..=1.0, laws [0.0, 0.25, 0.5].map(Ratio),
            source "CACH-FTL 5.1: with 2 MiB, 128 pages and 6 blocks; choices.md#clash-ties";
    }
}

/// The two spaces.
#[derive(Clone, Debug)]
pub struct Clash {
    pages: Groups,
    page_capacity: usize,
    sizes: LargestFirst,
    blocks: Groups,
    block_capacity: usize,
    links: Links,
    /// Slots of the b-space; the back was used longest ago.
    recency: List,
    now: u64,
    moving: Vec<Lpn>,
}

impl BufferDesign for Clash {
    type Settings = ClashConfig;

    const SPEC: Spec = Spec {
        name: "clash",
        summary: "single pages until some of one block have met, then blocks; the oldest block leaves",
        source: "Boukhobza, Olivier & Rubini, C-lash, 2011; CACH-FTL 4.1",
    };

    fn build(config: &BufferConfig, own: ClashConfig, geometry: &Geometry) -> Result<Self, Error> {
        let pages = config.pages(geometry)?;
        let block = geometry.pages_per_block as usize;
        let least = (pages as f64 * own.page_space.0).ceil().max(1.0) as usize;
        let block_capacity = pages.saturating_sub(least) / block;
        if block_capacity == 0 {
            let message = format!(
                "found {}, which is {pages} pages of which {least} are the p-space, expected room for \
                 a block of {block} next to them",
                config.size
            );
            unless_bug!(ClashOfNoBlock, return Err(Error::config("buffer.size", message)));
        }
        Ok(Clash {
            pages: Groups::new(geometry),
            page_capacity: pages - block_capacity * block,
            sizes: LargestFirst::default(),
            blocks: Groups::new(geometry),
            block_capacity,
            links: Links::default(),
            recency: List::default(),
            now: 0,
            moving: Vec::new(),
        })
    }
}

impl Clash {
    fn flush_oldest_block(&mut self, leaving: &mut Vec<Lpn>) {
        let slot = self.recency.back();
        self.links.remove(&mut self.recency, slot);
        self.blocks.take(slot, leaving);
    }

    /// Moves a set of the p-space to the slot of its block.
    fn join_block(&mut self, set: u32) {
        let mut moving = std::mem::take(&mut self.moving);
        self.sizes.remove(set);
        self.pages.take(set, &mut moving);
        let is_new = self.blocks.find(moving[0]).is_none();
        let mut slot = 0;
        for lpn in moving.drain(..) {
            slot = self.blocks.insert(lpn);
        }
        if is_new {
            self.links.grow(self.blocks.tokens());
            self.links.push_front(&mut self.recency, slot);
        } else {
            self.links.touch(&mut self.recency, slot);
        }
        self.moving = moving;
    }
}

impl WriteBuffer for Clash {
    fn has_room(&self) -> bool {
        self.pages.pages() < self.page_capacity
    }

    fn insert(&mut self, lpn: Lpn, _: Op) {
        self.now += 1;
        let set = self.pages.insert(lpn);
        self.sizes.set(set, self.pages.get(set).pages, self.now);
    }

    fn touch(&mut self, lpn: Lpn, _: Op) {
        self.now += 1;
        if self.pages.holds(lpn) {
            let set = self.pages.find(lpn).expect("the page is here");
            self.sizes.set(set, self.pages.get(set).pages, self.now);
        } else {
            let slot = self.blocks.find(lpn).expect("the page is in one of the spaces");
            self.links.touch(&mut self.recency, slot);
        }
    }

    fn evict(&mut self, leaving: &mut Vec<Lpn>) {
        let Some(set) = self.sizes.first() else {
            return self.flush_oldest_block(leaving);
        };
        let has_slot = self.blocks.find_block(self.pages.get(set).lbn).is_some();
        if !has_slot && self.blocks.len() == self.block_capacity {
            self.flush_oldest_block(leaving);
        }
        self.join_block(set);
    }

    fn remove(&mut self, lpn: Lpn) {
        if self.pages.holds(lpn) {
            match self.pages.remove(lpn) {
                (set, true) => self.sizes.shrink(set, self.pages.get(set).pages),
                (set, false) => self.sizes.remove(set),
            }
        } else if let (slot, false) = self.blocks.remove(lpn) {
            self.links.remove(&mut self.recency, slot);
        }
    }

    fn len(&self) -> usize {
        self.pages.pages() + self.blocks.pages()
    }

    fn audit(&self) {
        self.pages.audit();
        self.blocks.audit();
        self.sizes.audit(&self.pages);
        self.links.audit(&self.recency);
        assert!(self.pages.pages() <= self.page_capacity, "the p-space overflows");
        assert!(self.blocks.len() <= self.block_capacity, "the b-space overflows");
        assert_eq!(self.sizes.len(), self.pages.len(), "sets of the p-space");
        assert_eq!(self.recency.len(), self.blocks.len(), "slots of the b-space");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::BufferDesign;
    use crate::buffer::bench::Bench;
    use crate::buffer::clash::ClashConfig;
    use crate::units::Ratio;

    /// A p-space of 4 pages, one slot in the b-space.
    #[test]
    fn the_largest_set_moves_on_and_its_block_leaves_when_the_slot_is_needed() {
        let mut bench = Bench::new("clash", 8, ClashConfig { page_space: Ratio(0.5) });
        assert!(bench.writes(&[0, 1, 4, 5]).is_empty());
        assert!(bench.writes(&[8]).is_empty(), "the older of two sets moves to the slot");
        assert!(bench.writes(&[9]).is_empty());
        assert_eq!(bench.writes(&[12]), [[0, 1]], "4 and 5 take the slot of block 0");
        assert_eq!(bench.buffer.len(), 5, "4 5 in the b-space, 8 9 12 in the p-space");
    }

    #[test]
    fn a_set_joins_the_slot_of_its_block() {
        let mut bench = Bench::new("clash", 8, ClashConfig { page_space: Ratio(0.5) });
        assert!(bench.writes(&[0, 1, 4, 8, 2, 3]).is_empty(), "0 and 1 are in the slot");
        assert!(bench.writes(&[12, 13]).is_empty(), "2 and 3 follow them");
        assert_eq!(bench.writes(&[16]), [[0, 1, 2, 3]], "12 and 13 need the slot");
    }

    #[test]
    fn a_buffer_without_room_for_a_block_is_refused() {
        let config =
            super::BufferConfig { size: crate::units::Bytes(5 * 512), ..Default::default() };
        let error =
            super::Clash::build(&config, ClashConfig::default(), &crate::buffer::bench::geometry());
        let message = error.expect_err("too small").to_string();
        assert!(
            message.contains("buffer.size: found 2560B, which is 5 pages of which 2"),
            "{message}"
        );
    }
}
