//! The data blocks and log blocks that remain after power was lost.
//!
//! ```text
//! found     data 0 - 2 -   log 1 3 - -      the newest pages of a logical block, in several blocks
//! home      data 0 x 2 x   log 1 3 - -      versions before are there: it is the data block, as it was
//! else      data 0 1 2 3                    what is elsewhere is merged: to a block of its pages in which they find
//!                                           their offsets erased, or to a free one
//! ```
//!
//! A data block has a version of every page of which log blocks have newer ones, so the former data
//! blocks are found again. Two kinds of logical blocks are merged: those whose merge was cut, and
//! those whose data block was superseded as a whole. All other blocks are log blocks, which the FTL
//! assigns.
//!
//! Each logical block without a home takes a free block. There is one more free block unless power
//! was cut in a merge into the last one. A page that the host writes during a merge
//! ([`DataBlocks::merge_full`](super::data_blocks::DataBlocks::merge_full)) has no other copy. That
//! write was not acknowledged, and is dropped.
//!
//! A block is erased only when its pages are elsewhere, so a cut may interrupt this, too.

use crate::flash::{BlockKind, Cause, Flash};
use crate::ftl::parts::page_map::PageMap;
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{Filled, FoundBlock, Page, Survey};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::ops::Range;

/// The blocks of a device.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// The data block of each logical block.
    pub homes: Vec<Option<Pbn>>,
    /// The place of each page.
    pub newest: PageMap,
    /// The blocks without valid pages.
    pub free: FreeBlocks,
    /// The others with all pages in them, ordered by their first write.
    pub logs: Vec<FoundBlock>,
}

/// Finds the contents of these blocks.
pub fn rebuild(blocks: Range<u32>, flash: &mut Flash) -> Rebuilt {
    let mut survey = Survey::of(blocks.clone(), Filled::Anywhere, flash);
    let mut newest = survey.newest(flash.geometry());
    let in_use = FoundBlock::all(&newest, flash.geometry()).len();
    let is_full = unless_bug!(RebuildKeepsLast, in_use == blocks.len(), false);
    if is_full {
        survey.forget_last_write();
        newest = survey.newest(flash.geometry());
    }
    newest.iter().for_each(|page| flash.revive(page.ppn));
    let mut logs = survey.blocks(flash.geometry());
    logs.retain(|block| flash.valid_in(block.pbn) > 0);
    logs.sort_by_cached_key(FoundBlock::written_first);
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
    /// Finds the former data block among the blocks with pages of one logical block at their
    /// offsets. Without one, takes the block with most pages among those that have room for the
    /// others.
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

    /// The place of a page in a block.
    fn slot(pbn: Pbn, lpn: Lpn, flash: &Flash) -> Ppn {
        flash.geometry().page_at(pbn, flash.geometry().offset_of(lpn))
    }

    /// Whether a page that is elsewhere overwrites one in this block.
    fn overwrites(&self, pbn: Pbn, lpn: Lpn, flash: &Flash) -> bool {
        let slot = Self::slot(pbn, lpn, flash);
        self.newest.get(lpn).is_none_or(|ppn| ppn == slot) || flash.is_programmed(slot)
    }

    /// Whether the pages of a logical block in other blocks find their offsets in a block erased.
    fn has_room(&self, pbn: Pbn, lbn: Lbn, flash: &Flash) -> bool {
        let finds_room = |lpn: Lpn| {
            let slot = Self::slot(pbn, lpn, flash);
            self.newest.get(lpn).is_none_or(|ppn| ppn == slot) || !flash.is_programmed(slot)
        };
        let mut pages = flash.geometry().logical_pages_of(lbn);
        pages.all(finds_room)
    }

    /// Merges logical blocks with pages outside their data blocks of which no version is inside.
    /// Their merge was cut, or they have no data block.
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

    /// Copies the pages of a logical block in other blocks to its home.
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
