//! The buffer of Liao & Hu (IEEE Transactions on Consumer Electronics 2011): it offers several groups, and the FTL
//! chooses.
//!
//! Idea     of the blocks used longest ago a few are candidates. The FTL knows what each would cost to write now,
//!          which the buffer does not: the cheapest leaves, of equal ones that used longest ago.
//! Evidence that the buffer provides several candidates instead of one, and that the FTL decides by them and by what
//!          it knows of the flash, is stated in the abstract. How many there are, their order, and that costs are
//!          pages copied, is ours (choices.md#informed-candidates).

use super::groups::Groups;
use super::{BufferConfig, BufferDesign, WriteBuffer};
use crate::cache::links::{Links, List};
use crate::error::Error;
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;
use crate::units::Lpn;

crate::settings! {
    /// Settings of `informed`.
    pub struct InformedConfig in "buffer" {
        /// Liao & Hu: blocks among which the FTL chooses the one that leaves.
        candidates: u32 = 8, in 1.., unit "blocks", laws [1, 2, 8], source "choices.md#informed-candidates";
    }
}

/// Blocks by recency.
#[derive(Clone, Debug)]
pub struct Informed {
    capacity: usize,
    candidates: usize,
    groups: Groups,
    links: Links,
    /// Groups; the back was used longest ago.
    recency: List,
    offered: Vec<Lpn>,
}

impl BufferDesign for Informed {
    type Settings = InformedConfig;

    const SPEC: Spec = Spec {
        name: "informed",
        summary: "of the blocks used longest ago the one leaves that costs the FTL least",
        source: "Liao & Hu, IEEE Transactions on Consumer Electronics 2011",
    };

    fn build(
        config: &BufferConfig,
        own: InformedConfig,
        geometry: &Geometry,
    ) -> Result<Self, Error> {
        Ok(Informed {
            capacity: config.pages(geometry)?,
            candidates: own.candidates as usize,
            groups: Groups::new(geometry),
            links: Links::default(),
            recency: List::default(),
            offered: Vec::new(),
        })
    }
}

impl WriteBuffer for Informed {
    fn has_room(&self) -> bool {
        self.groups.pages() < self.capacity
    }

    fn insert(&mut self, lpn: Lpn, _: Op) {
        let group = self.groups.insert(lpn);
        if self.groups.get(group).pages == 1 {
            self.links.grow(self.groups.tokens());
            self.links.push_front(&mut self.recency, group);
        } else {
            self.links.touch(&mut self.recency, group);
        }
    }

    fn touch(&mut self, lpn: Lpn, _: Op) {
        let group = self.groups.find(lpn).expect("the page is here");
        self.links.touch(&mut self.recency, group);
    }

    fn evict(&mut self, leaving: &mut Vec<Lpn>) {
        self.evict_by_cost(&mut |_| 0, leaving);
    }

    fn evict_by_cost(&mut self, cost: &mut dyn FnMut(&[Lpn]) -> u64, leaving: &mut Vec<Lpn>) {
        let Informed { groups, offered, .. } = self;
        let candidates = self.links.from_oldest(&self.recency).take(self.candidates);
        let (mut least, mut cheapest) = (u64::MAX, None);
        for group in candidates {
            offered.clear();
            offered.extend(groups.pages_of(group));
            let cost = cost(offered);
            if cost < least || cheapest.is_none() {
                (least, cheapest) = (cost, Some(group));
            }
            if least == 0 {
                break;
            }
        }
        let group = cheapest.expect("a group is here");
        unless_bug!(InformedKeepsPlace, self.links.remove(&mut self.recency, group));
        self.groups.take(group, leaving);
    }

    fn remove(&mut self, lpn: Lpn) {
        if let (group, false) = self.groups.remove(lpn) {
            self.links.remove(&mut self.recency, group);
        }
    }

    fn len(&self) -> usize {
        self.groups.pages()
    }

    fn audit(&self) {
        assert!(self.len() <= self.capacity, "{} pages in {}", self.len(), self.capacity);
        self.groups.audit();
        self.links.audit(&self.recency);
        assert_eq!(self.recency.len(), self.groups.len(), "groups by recency");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;
    use crate::buffer::informed::InformedConfig;
    use crate::units::Lpn;

    /// Blocks 0, 1 and 2, of which the first two are candidates: block 1 costs nothing, block 0 four copies.
    #[test]
    fn the_cheapest_of_the_candidates_leaves() {
        let mut bench = Bench::new("informed", 4, InformedConfig { candidates: 2 });
        bench.writes(&[0, 4, 8, 5]);
        bench.reads(&[8]);
        let mut asked = Vec::new();
        let mut cost = |group: &[Lpn]| {
            asked.push(group.to_vec());
            if group[0] == Lpn(0) { 4 } else { 0 }
        };
        let mut leaving = Vec::new();
        bench.buffer.evict_by_cost(&mut cost, &mut leaving);
        assert_eq!(leaving, [4, 5].map(Lpn));
        assert_eq!(asked, [vec![Lpn(0)], vec![Lpn(4), Lpn(5)]], "block 2 was used last");
        bench.buffer.audit();
    }

    #[test]
    fn of_equal_ones_the_block_used_longest_ago_leaves() {
        let mut bench = Bench::plain("informed", 4);
        bench.writes(&[0, 4, 1, 8]);
        assert_eq!(bench.writes(&[12]), [vec![4]]);
        bench.reads(&[0]);
        assert_eq!(bench.writes(&[16]), [vec![8]]);
    }
}
