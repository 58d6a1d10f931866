//! BPAC, block-page adaptive cache (Wu, Eckart & He, MSST 2010).
//!
//! ```text
//! write --> page part: single pages, LRU --oldest page--> block part: groups --most pages--> FTL
//! ```
//!
//! Idea     pages that are written again soon remain in the page part. The others meet the rest of
//!          their block in the block part. There the largest group leaves; among equals, the one
//!          used longest ago. The border moves. A hit in the block part shows that pages leave the
//!          page part too soon. A group that leaves with less than half of its block shows that
//!          groups leave too soon.
//! Evidence the abstract states that there are two parts and that they adapt. The rule is
//!          reconstructed in the manner of ARC. It moves the border by one page at a time
//!          (choices.md#bpac-border).

use super::groups::Groups;
use super::largest_first::LargestFirst;
use super::lru::Lru;
use super::{BufferConfig, BufferDesign, WriteBuffer};
use crate::error::Error;
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;
use crate::units::Lpn;

/// The two parts.
#[derive(Clone, Debug)]
pub struct Bpac {
    capacity: usize,
    half_block: usize,
    pages: Lru,
    /// The size that the page part aims at, in pages.
    target: usize,
    blocks: Groups,
    sizes: LargestFirst,
    now: u64,
    aged: Vec<Lpn>,
}

impl BufferDesign for Bpac {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "bpac",
        summary: "single pages while they are written again, then blocks; the border adapts",
        source: "Wu, Eckart & He, MSST 2010",
    };

    fn build(config: &BufferConfig, (): (), geometry: &Geometry) -> Result<Self, Error> {
        let capacity = config.pages(geometry)?;
        Ok(Bpac {
            capacity,
            half_block: geometry.pages_per_block as usize / 2,
            pages: Lru::build(config, (), geometry)?,
            target: capacity / 2,
            blocks: Groups::new(geometry),
            sizes: LargestFirst::default(),
            now: 0,
            aged: Vec::new(),
        })
    }
}

impl Bpac {
    /// Moves the page used longest ago from the page part to the block part.
    fn age(&mut self) {
        self.pages.evict(&mut self.aged);
        for lpn in self.aged.drain(..) {
            self.now += 1;
            let group = self.blocks.insert(lpn);
            self.sizes.set(group, self.blocks.get(group).pages, self.now);
        }
    }

    fn drop_in_block(&mut self, lpn: Lpn) {
        match self.blocks.remove(lpn) {
            (group, true) => self.sizes.shrink(group, self.blocks.get(group).pages),
            (group, false) => self.sizes.remove(group),
        }
    }
}

impl WriteBuffer for Bpac {
    fn has_room(&self) -> bool {
        self.len() < self.capacity
    }

    fn insert(&mut self, lpn: Lpn, op: Op) {
        self.pages.insert(lpn, op);
        while self.pages.len() > self.target {
            self.age();
        }
    }

    fn touch(&mut self, lpn: Lpn, op: Op) {
        if !self.blocks.holds(lpn) {
            return self.pages.touch(lpn, op);
        }
        if op == Op::Write {
            self.target = (self.target + 1).min(self.capacity);
            self.drop_in_block(lpn);
            self.insert(lpn, op);
        }
    }

    fn evict(&mut self, leaving: &mut Vec<Lpn>) {
        let Some(largest) = self.sizes.first() else {
            return self.age();
        };
        self.sizes.remove(largest);
        self.blocks.take(largest, leaving);
        if leaving.len() < self.half_block {
            self.target = self.target.saturating_sub(1);
        }
    }

    fn remove(&mut self, lpn: Lpn) {
        match self.blocks.holds(lpn) {
            true => self.drop_in_block(lpn),
            false => self.pages.remove(lpn),
        }
    }

    fn len(&self) -> usize {
        self.pages.len() + self.blocks.pages()
    }

    fn audit(&self) {
        assert!(self.len() <= self.capacity, "{} pages in {}", self.len(), self.capacity);
        self.pages.audit();
        self.blocks.audit();
        self.sizes.audit(&self.blocks);
        assert_eq!(self.sizes.len(), self.blocks.len(), "groups by size");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;

    #[test]
    fn pages_age_into_groups_and_the_largest_leaves() {
        let mut bench = Bench::plain("bpac", 6);
        // Page part: 12 8 5. Block part: 0 1 and 4.
        bench.writes(&[0, 1, 4, 5, 8, 12]);
        assert_eq!(bench.writes(&[16]), [vec![0, 1]]);
        // A write of 4, in the block part, moves it to a page part of 4 pages: 4 16 12 8.
        bench.writes(&[4]);
        assert_eq!(bench.writes(&[20, 21]), [vec![5]]);
    }
}
