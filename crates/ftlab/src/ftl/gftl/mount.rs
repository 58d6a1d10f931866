//! GFTL after power was lost: OOBs tell which blocks are whose.
//!
//! Of the blocks with pages of one logical block alone one is its own: one with room if there is any, the oldest of
//! several. All the others are the buffer's. It has one with room, so that it has one at most again, whichever is
//! taken for which. While a block is cleaned all that its copies hold is in it, too: such a cleaning is undone, or
//! done if it was about to be.
//!
//! Logical blocks that are full or have pages in the buffer queue in the order in which their blocks were written
//! last: their order before is not known.

use super::{Gftl, GftlConfig};
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Flash};
use crate::ftl::design::{Design, Setup};
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{Filled, FoundBlock, Survey};
use crate::units::Lbn;

impl Gftl {
    /// Goes on after power was lost.
    pub(super) fn mount(setup: &Setup<GftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::build(setup, flash)?;
        let blocks = 0..flash.geometry().blocks();
        let found = Survey::of(blocks.clone(), Filled::InOrder, flash).newest(flash.geometry());
        ftl.newest.fill(&found);
        found.iter().for_each(|page| flash.revive(page.ppn));
        ftl.free = FreeBlocks::found(blocks, BlockKind::Data, Cause::GcData, flash);
        let mut blocks = FoundBlock::all(&found, flash.geometry());
        blocks.sort_by_cached_key(FoundBlock::written_first);
        blocks.sort_by_key(|block| flash.is_full(block.pbn));
        let (own, mut buffered): (Vec<_>, Vec<_>) =
            blocks.into_iter().partition(|block| ftl.take_own(block, flash));
        buffered.sort_by_cached_key(FoundBlock::written_first);
        buffered.iter().for_each(|block| ftl.buffer.take_over(block, flash));
        ftl.queue_again(own, &buffered, flash);
        Ok(ftl)
    }

    /// Gives a logical block the first block that holds nothing but its pages.
    fn take_own(&mut self, block: &FoundBlock, flash: &Flash) -> bool {
        let owner = block.owner(flash.geometry()).filter(|lbn| self.block(*lbn).is_none());
        if let Some(lbn) = owner {
            self.blocks[lbn.index()] = block.pbn.0 + 1;
        }
        owner.is_some()
    }

    fn queue_again(&mut self, mut own: Vec<FoundBlock>, buffered: &[FoundBlock], flash: &Flash) {
        let geometry = flash.geometry();
        own.sort_by_cached_key(FoundBlock::written_last);
        let own = own.iter().flat_map(|block| block.pages.first());
        let buffered = buffered.iter().flat_map(|block| &block.pages);
        let waiting: Vec<Lbn> =
            own.chain(buffered).map(|page| geometry.logical_block_of(page.lpn())).collect();
        for lbn in waiting {
            let waits = self.is_full(lbn, flash) || self.buffer.has_pages_of(lbn);
            if waits && !self.queued[lbn.index()] {
                self.enqueue(lbn);
            }
        }
    }
}
