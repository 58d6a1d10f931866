//! Erased blocks that wait for use: the one with the fewest erases is taken first, the lowest number
//! among equals (choices.md#free-block); with `wear.policy = none` the one with the lowest number.

use crate::flash::{BlockKind, Cause, Geometry, Media};
use crate::units::Pbn;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Free blocks. Those never used are a range, so a large device costs nothing.
#[derive(Clone, Debug)]
pub struct FreeBlocks {
    fresh: u32,
    end: u32,
    /// (erases, block), fewest erases first.
    used: BinaryHeap<Reverse<(u32, u32)>>,
}

impl FreeBlocks {
    /// All blocks of a device, none of which has been used.
    #[must_use]
    pub fn all(geometry: &Geometry) -> Self {
        FreeBlocks::within(0..geometry.blocks())
    }

    /// These blocks of a device, none of which has been used.
    #[must_use]
    pub const fn within(blocks: Range<u32>) -> Self {
        FreeBlocks { fresh: blocks.start, end: blocks.end, used: BinaryHeap::new() }
    }

    /// None yet.
    #[must_use]
    pub const fn none() -> Self {
        FreeBlocks::within(0..0)
    }

    /// Those of these blocks in which nothing valid was found after power was lost. They are erased; what
    /// seems to be is erased before it is used, as its last erase may have been cut.
    pub fn found(
        blocks: Range<u32>,
        kind: BlockKind,
        cause: Cause,
        flash: &mut impl Media,
    ) -> Self {
        let mut free = FreeBlocks::none();
        blocks.map(Pbn).for_each(|pbn| free.give_if_empty(pbn, kind, cause, flash));
        free
    }

    /// Adds a block if it holds nothing valid, as [`FreeBlocks::found`] does.
    pub fn give_if_empty(
        &mut self,
        pbn: Pbn,
        kind: BlockKind,
        cause: Cause,
        flash: &mut impl Media,
    ) {
        if flash.valid_in(pbn) > 0 {
            return;
        }
        if flash.is_erased(pbn) {
            unless_bug!(RecoveryTrustsErased, flash.erase_before_use(pbn, kind, cause));
        } else {
            flash.erase(pbn, kind, cause);
        }
        unless_bug!(RecoveryFreesNone, self.give(pbn, flash));
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.end - self.fresh + self.used.len() as u32
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the block with the fewest erases.
    pub fn take(&mut self) -> Option<Pbn> {
        if self.fresh < self.end {
            self.fresh += 1;
            return Some(Pbn(self.fresh - 1));
        }
        self.used.pop().map(|Reverse((_, pbn))| Pbn(pbn))
    }

    /// Adds a block that has just been erased.
    pub fn give(&mut self, pbn: Pbn, flash: &impl Media) {
        let erases = unless_bug!(FreeBlocksByNumber, flash.wear_rank(pbn), 0);
        self.used.push(Reverse((erases, pbn.0)));
    }
}
