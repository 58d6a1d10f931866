//! What is left of data blocks and log blocks after power was lost.
//!
//! ```text
//! found     data 0 - 2 -   log 1 3 - -      the newest pages of a logical block, in several blocks
//! home      data 0 x 2 x   log 1 3 - -      versions before are there: it is the data block, as it was
//! else      data 0 1 2 3                    what is elsewhere is merged: to a block of its pages in which they find
//!                                           their offsets erased, or to a free one
//! ```
//!
//! A data block has a version of all that log blocks have newer ones of, so those that were there are found again.
//! What is merged is what a cut has left in the midst of a merge, and logical blocks of whose data block all was
//! superseded. All other blocks are log blocks: the FTL says what they are.
//!
//! Each logical block without a home takes a free block. One more is there unless power was cut in a merge into the
//! last one, and a page that the host writes in the midst of a merge
//! ([`DataBlocks::merge_full`](super::data_blocks::DataBlocks::merge_full)) is nowhere else: that write was not
//! acknowledged, and is forgotten.
//!
//! Nothing is erased that is not elsewhere, so this can be cut itself.

use super::page_map::PageMap;
use crate::flash::{BlockKind, Cause, Flash};
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{Filled, FoundBlock, Page, Survey};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::ops::Range;

/// The blocks of a device.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// The data block of each logical block.
    pub homes: Vec<Option<Pbn>>,
    /// Where each page is.
    pub newest: PageMap,
    /// Those that hold nothing.
    pub free: FreeBlocks,
    /// The others, with all that is in them, those first whose first page was written first.
    pub logs: Vec<FoundBlock>,
}

/// Finds out what is in these blocks.
pub fn rebuild(blocks: Range<u32>, flash: &mut Flash) -> Rebuilt {
    let mut survey = Survey::of(blocks.clone(), Filled::Anywhere, flash);
    let mut newest = survey.newest(flash.geometry());
    let in_use = FoundBlock::all(&newest, flash.geometry()).len();
    if unless_bug!(RebuildKeepsLast, in_use == blocks.len(), false) {
        survey.forget_last_write();
        newest = survey.newest(flash.geometry());
    }
    newest.iter().for_each(|page| flash.revive(page.ppn));
    let mut logs = survey.blocks(flash.geometry());
    logs.retain(|block| flash.valid_in(block.pbn) > 0);
    logs.sort_by_key(FoundBlock::written_first);
    let logical_blocks = flash.geometry().logical_blocks();
    let mut rebuilt = Rebuilt {
        homes: vec![None; logical_blocks as usize],
        newest: page_map(&newest, flash),
        free: FreeBlocks::found(blocks, BlockKind::Data, Cause::Merge, flash),
        logs,
    };
    rebuilt.find_homes(flash);
    rebuilt
}

fn page_map(newest: &[Page], flash: &Flash) -> PageMap {
    let mut map = PageMap::new(flash.geometry().logical_pages);
    map.fill(newest);
    map
}

impl Rebuilt {
    /// Of the blocks with pages of one logical block at their offsets, the one that was its data block; else the
    /// one with most pages of those that have room for the others.
    fn find_homes(&mut self, flash: &Flash) {
        let mut best = vec![(false, 0); self.homes.len()];
        for block in &self.logs {
            let Some(lbn) = block.in_place(flash.geometry()) else { continue };
            let lacks = |lpn: &Lpn| !self.overwrites(block.pbn, *lpn, flash);
            let is_home = flash.geometry().logical_pages_of(lbn).all(|lpn| !lacks(&lpn));
            let rank = (is_home, flash.valid_in(block.pbn));
            if rank > best[lbn.index()] && (is_home || self.has_room(block.pbn, lbn, flash)) {
                (best[lbn.index()], self.homes[lbn.index()]) = (rank, Some(block.pbn));
            }
        }
        let homes = &self.homes;
        self.logs.retain(|block| {
            let lbn = flash.geometry().logical_block_of(block.pages[0].lpn());
            homes[lbn.index()] != Some(block.pbn)
        });
    }

    /// Where a page would be in a block.
    fn slot(pbn: Pbn, lpn: Lpn, flash: &Flash) -> Ppn {
        flash.geometry().page_at(pbn, flash.geometry().offset_of(lpn))
    }

    /// Whether a page that is elsewhere overwrites one in this block.
    fn overwrites(&self, pbn: Pbn, lpn: Lpn, flash: &Flash) -> bool {
        let slot = Self::slot(pbn, lpn, flash);
        self.newest.get(lpn).is_none_or(|ppn| ppn == slot) || flash.is_programmed(slot)
    }

    /// Whether the pages of a logical block that are elsewhere find their offsets erased in a block.
    fn has_room(&self, pbn: Pbn, lbn: Lbn, flash: &Flash) -> bool {
        let finds_room = |lpn: Lpn| {
            let slot = Self::slot(pbn, lpn, flash);
            self.newest.get(lpn).is_none_or(|ppn| ppn == slot) || !flash.is_programmed(slot)
        };
        let mut pages = flash.geometry().logical_pages_of(lbn);
        unless_bug!(RebuildOverwrites, pages.all(finds_room), true)
    }

    /// Merges the logical blocks that have pages elsewhere than in their data blocks of which no version is there:
    /// those that were merged when power was cut, and those without a data block.
    pub fn end_merges(&mut self, flash: &mut Flash) {
        for lbn in (0..self.homes.len() as u32).map(Lbn) {
            let home = self.homes[lbn.index()];
            let is_due = |lpn: Lpn| match home {
                Some(home) => !self.overwrites(home, lpn, flash),
                None => self.newest.get(lpn).is_some(),
            };
            if flash.geometry().logical_pages_of(lbn).any(is_due) {
                self.gather(lbn, flash);
                // A block that is free now may be the home of the next.
                self.logs.retain(|block| flash.valid_in(block.pbn) > 0);
            }
        }
    }

    /// Copies what a logical block has elsewhere to its home.
    fn gather(&mut self, lbn: Lbn, flash: &mut Flash) {
        let Rebuilt { homes, free, .. } = self;
        let take = || free.take().expect("a free block for each logical block without one");
        let home = *homes[lbn.index()].get_or_insert_with(take);
        for lpn in flash.geometry().logical_pages_of(lbn) {
            let to = Self::slot(home, lpn, flash);
            if let Some(from) = self.newest.get(lpn).filter(|from| *from != to) {
                flash.relocate(from, to, Cause::Merge);
                self.newest.replace(lpn, Some(to));
                let source = flash.geometry().block_of(from);
                let (kind, cause) = (BlockKind::Log, Cause::Merge);
                unless_bug!(RebuildLeavesLogs, self.free.give_if_empty(source, kind, cause, flash));
            }
        }
    }
}
