//! The superblock FTL after power was lost: OOBs show the blocks of a superblock.
//!
//! The blocks with the oldest versions become data blocks and the others log blocks, so that there
//! are no more of these than before. A piece or a directory may be in no OOB in its present form,
//! after a trim or a copy that the cut has undone. It is written again with a copy of a page.

use super::{SuperblockConfig, SuperblockFtl};
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Flash};
use crate::ftl::design::{Design, Setup};
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{Filled, FoundBlock, Survey};
use crate::units::Ppn;

impl SuperblockFtl {
    /// Recovers after power was lost.
    pub(super) fn mount(setup: &Setup<SuperblockConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::build(setup, flash)?;
        let blocks = 0..flash.geometry().blocks();
        let found = Survey::of(blocks.clone(), Filled::InOrder, flash).newest(flash.geometry());
        ftl.map.recover(&found, flash);
        ftl.free = FreeBlocks::found(blocks, BlockKind::Data, Cause::GcData, flash);
        for block in FoundBlock::by_age(&found, flash.geometry()) {
            ftl.take_over(&block, flash);
        }
        (0..ftl.last_written.len() as u32).for_each(|each| ftl.write_lost_pieces(each, flash));
        Ok(ftl)
    }

    fn take_over(&mut self, block: &FoundBlock, flash: &Flash) {
        let superblock = self.map.group_of(block.pages[0].lpn());
        let place = self.empty(self.data(superblock)).or_else(|| self.empty(self.logs(superblock)));
        let place = place.expect("as many places as the superblock had blocks");
        self.slots[place as usize] = block.pbn.0 + 1;
        self.count_logs(superblock);
        self.touch(superblock);
        let with_directory =
            block.pages.iter().find(|page| self.map.has_directory(page.ppn, page.lpn(), flash));
        if let Some(page) = with_directory {
            self.last_written[superblock as usize] = Some(page.ppn).into();
        }
    }

    /// Writes the pieces of a superblock and its directory again that no OOB holds in their present
    /// form.
    fn write_lost_pieces(&mut self, superblock: u32, flash: &mut Flash) {
        while let Some(from) = self.lost_piece(superblock) {
            self.copy_out(superblock, from, flash);
        }
    }

    /// A page whose copy puts its piece or the directory into an OOB.
    fn lost_piece(&self, superblock: u32) -> Option<Ppn> {
        let mut pieces = self.map.pieces_of(superblock);
        let has_directory = self.last_written[superblock as usize].get().is_some();
        let lost = pieces.clone().find_map(|piece| self.map.lost_piece(piece));
        let mut any = || pieces.find_map(|piece| self.map.any_page(piece));
        lost.or_else(|| any().filter(|_| !has_directory))
    }

    /// Copies a page to the block to which the superblock writes, or makes room for that, which may
    /// move the page, too.
    fn copy_out(&mut self, superblock: u32, from: Ppn, flash: &mut Flash) {
        match self.place(superblock, false, flash) {
            Some(to) => {
                self.map.relocate(from, to, flash);
                self.last_written[superblock as usize] = Some(to).into();
            }
            None => self.collect(superblock, flash),
        }
    }
}
