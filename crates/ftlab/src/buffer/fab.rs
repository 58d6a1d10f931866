//! FAB, flash-aware buffer (Jo et al., IEEE Transactions on Consumer Electronics 2006).
//!
//! Idea     the block with most pages leaves, with all of them; among equals the one used longest ago.
//! Role     made for players, which write long streams; a small group remains for ever.
//! Evidence checked in public source code; that reads count as use is stated.

use super::group_buffer::{Access, Order};
use super::groups::Groups;
use super::largest_first::LargestFirst;
use crate::flash::Geometry;
use crate::named::Spec;

/// Blocks by their pages.
#[derive(Clone, Debug)]
pub struct Fab {
    sizes: LargestFirst,
}

impl Order for Fab {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "fab",
        summary: "the block with most pages leaves",
        source: "Jo et al., IEEE Transactions on Consumer Electronics 2006",
    };

    fn build((): (), _: &Geometry, _: usize) -> Self {
        Fab { sizes: LargestFirst::default() }
    }

    fn touch(&mut self, access: Access) {
        self.sizes.set(access.group, access.pages, access.now);
    }

    fn shrink(&mut self, group: u32, pages: u32) {
        self.sizes.shrink(group, pages);
    }

    fn victim(&mut self, _: &Groups, _: u64) -> u32 {
        self.sizes.first().expect("a group is here")
    }

    fn remove(&mut self, group: u32) {
        self.sizes.remove(group);
    }

    fn audit(&self, groups: &Groups) {
        self.sizes.audit(groups);
        assert_eq!(self.sizes.len(), groups.len(), "groups by size");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;

    /// A has 3 pages, B and C have 5, C was used last.
    #[test]
    fn the_largest_block_leaves_and_the_older_of_two() {
        let mut bench = Bench::plain("fab", 9);
        bench.writes(&[0, 4, 5, 6, 8, 9, 10]);
        bench.reads(&[4]);
        bench.writes(&[16, 17]);
        assert_eq!(bench.writes(&[18]), [vec![8, 9, 10]]);
    }
}
