//! MNFTL after power was lost: OOBs show the former lists and pointers.
//!
//! A block belongs to the logical block whose pages it holds; the one with erased pages takes the
//! writes. Of two with erased pages the one that was written last takes updates, and the other
//! first versions. The age of a full block is that of its newest version. A subtable may be in no
//! OOB in its present form, after a trim or a copy that the cut has undone. It is written again
//! with a copy of one of its pages.

use super::{Mnftl, Version};
use crate::flash::{BlockKind, Cause, Flash};
use crate::gc::Closed;
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{FoundBlock, Page};
use crate::units::Lbn;
use std::ops::Range;

impl Mnftl {
    /// Takes over `blocks` with the pages found in them, some of which may be elsewhere.
    pub(super) fn recover(&mut self, found: &[Page], blocks: Range<u32>, flash: &mut Flash) {
        self.map.recover(found, flash);
        self.free = FreeBlocks::found(blocks.clone(), BlockKind::Data, Cause::GcData, flash);
        let mut found = FoundBlock::by_age(found, flash.geometry());
        found.retain(|block| blocks.contains(&block.pbn.0));
        found.sort_by_key(|block| !flash.is_full(block.pbn));
        for FoundBlock { pbn, pages } in found {
            let lbn = Lbn(self.map.group_of(pages[0].lpn()));
            self.owners[pbn.index()] = lbn;
            let older = self.written(lbn, Version::Later, flash);
            if let (Some(older), Some(first)) = (older, self.firsts.get_mut(lbn.index())) {
                *first = older.0;
            }
            self.links.push_front(&mut self.lists[lbn.index()], pbn.0);
            self.rank(lbn);
            if let Some(full) = self.full.as_mut().filter(|_| flash.is_full(pbn)) {
                full.close(Closed::untimed(pbn, flash.valid_in(pbn)));
            }
        }
    }

    /// Writes the subtables again that no OOB holds in their present form.
    pub(super) fn write_lost_subtables(&mut self, flash: &mut Flash) {
        for piece in self.map.all_pieces() {
            let lbn = Lbn(self.map.group_of_piece(piece));
            if self.map.lost_piece(piece).is_some() {
                self.make_room(lbn, Version::Later, flash);
            }
            // Collection may have copied a page of it.
            if let Some(from) = self.map.lost_piece(piece) {
                let to = self.next_page(lbn, Version::Later, flash);
                self.relocate(from, to, flash);
            }
        }
    }
}
