//! What is left of data blocks and log blocks after power was lost becomes data blocks again.
//!
//! ```text
//! found     data 0 - 2 -   log 1 3 - -      the newest pages of a logical block, in several blocks
//! home      data 0 1 2 3                    a block with nothing else, each page at its offset, in which
//!                                           the others find their offsets erased; else a free block
//! ```
//!
//! A logical block without a home takes a free block and gives back the one that held most of it, so one free
//! block is enough. It is there unless power was cut in a merge into the last one, and a page that the host
//! writes in the midst of a merge ([`DataBlocks::merge_full`](super::data_blocks::DataBlocks::merge_full))
//! is nowhere else: that write was not acknowledged, and is forgotten if the merge cannot be ended in its place.
//!
//! Nothing is erased that is not elsewhere, so this can be cut itself.

use super::free_blocks::FreeBlocks;
use super::page_map::PageMap;
use super::survey::{Filled, Page, Survey};
use crate::flash::{BlockKind, Cause, Flash, Owner};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::ops::Range;

/// A device with all pages in data blocks.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// The data block of each logical block.
    pub homes: Vec<Option<Pbn>>,
    /// Where each page is.
    pub newest: PageMap,
    /// The other blocks, erased.
    pub free: FreeBlocks,
}

/// Finds out what is in these blocks, and merges it into data blocks.
pub fn rebuild(blocks: Range<u32>, flash: &mut Flash) -> Rebuilt {
    let mut survey = Survey::of(blocks.clone(), Filled::Anywhere, flash);
    let mut pages = survey.newest(flash.geometry());
    let mut left = Left::of(&pages, blocks.clone(), flash);
    if unless_bug!(RebuildKeepsLast, left.lacks_a_block(flash), false) {
        survey.forget_last_write();
        pages = survey.newest(flash.geometry());
        left = Left::of(&pages, blocks.clone(), flash);
    }
    pages.iter().for_each(|page| flash.revive(page.ppn));
    let mut rebuilt = Rebuilt { homes: left.homes, newest: left.newest, free: FreeBlocks::none() };
    blocks.map(Pbn).for_each(|pbn| rebuilt.give_if_empty(pbn, flash));
    let all = (0..flash.geometry().logical_blocks()).map(Lbn);
    let used = all.filter(|lbn| holds_pages(*lbn, &rebuilt.newest, flash));
    let (at_home, homeless): (Vec<Lbn>, Vec<Lbn>) =
        used.partition(|lbn| rebuilt.homes[lbn.index()].is_some());
    at_home.into_iter().chain(homeless).for_each(|lbn| rebuilt.gather(lbn, flash));
    rebuilt
}

impl Rebuilt {
    /// Copies what a logical block has elsewhere to its home.
    fn gather(&mut self, lbn: Lbn, flash: &mut Flash) {
        let Rebuilt { homes, free, .. } = self;
        let take = || free.take().expect("a free block for each merge");
        let home = *homes[lbn.index()].get_or_insert_with(take);
        for (offset, lpn) in (0..).zip(flash.geometry().logical_pages_of(lbn)) {
            let to = flash.geometry().page_at(home, offset);
            if let Some(from) = self.newest.get(lpn).filter(|from| *from != to) {
                flash.relocate(from, to, Cause::Merge);
                self.newest.replace(lpn, Some(to));
                let source = flash.geometry().block_of(from);
                unless_bug!(RebuildLeavesLogs, self.give_if_empty(source, flash));
            }
        }
    }

    /// Erases a block without valid pages; one that seems to be erased before it is used, as its last erase may
    /// have been cut.
    fn give_if_empty(&mut self, pbn: Pbn, flash: &mut Flash) {
        if flash.valid_in(pbn) == 0 {
            let (kind, cause) = (BlockKind::Data, Cause::Merge);
            if flash.is_erased(pbn) {
                unless_bug!(RebuildTrustsErased, flash.erase_before_use(pbn, kind, cause));
            } else {
                flash.erase(pbn, kind, cause);
            }
            self.free.give(pbn, flash);
        }
    }
}

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tenant {
    Nobody,
    /// So many pages of one logical block, at their offsets.
    One(Lbn, u32),
    Mixed,
}

impl Tenant {
    fn with(self, lbn: Lbn, in_place: bool) -> Tenant {
        match self {
            Tenant::Nobody if in_place => Tenant::One(lbn, 1),
            Tenant::One(known, pages) if known == lbn && in_place => Tenant::One(lbn, pages + 1),
            _ => Tenant::Mixed,
        }
    }
}

/// What a power cut has left.
struct Left {
    newest: PageMap,
    homes: Vec<Option<Pbn>>,
    has_free_block: bool,
}

impl Left {
    fn of(pages: &[Page], blocks: Range<u32>, flash: &Flash) -> Left {
        let geometry = flash.geometry();
        let mut newest = PageMap::new(geometry.logical_pages);
        newest.fill(pages);
        let mut tenants = vec![Tenant::Nobody; geometry.blocks() as usize];
        for page in pages {
            if let Owner::Data(lpn) = page.owner {
                let in_place = geometry.page_in_block(page.ppn) == geometry.offset_of(lpn);
                let tenant = &mut tenants[geometry.block_of(page.ppn).index()];
                *tenant = tenant.with(geometry.logical_block_of(lpn), in_place);
            }
        }
        let mut homes = vec![(0, None); geometry.logical_blocks() as usize];
        for pbn in blocks.clone().map(Pbn) {
            let Tenant::One(lbn, pages) = tenants[pbn.index()] else { continue };
            let (most, home) = &mut homes[lbn.index()];
            if pages > *most && has_room(pbn, lbn, &newest, flash) {
                (*most, *home) = (pages, Some(pbn));
            }
        }
        let has_free_block = blocks.map(Pbn).any(|pbn| tenants[pbn.index()] == Tenant::Nobody);
        Left { newest, homes: homes.into_iter().map(|(_, home)| home).collect(), has_free_block }
    }

    /// Whether a free block is needed and there is none.
    fn lacks_a_block(&self, flash: &Flash) -> bool {
        let mut homes = (0..).map(Lbn).zip(&self.homes);
        let is_homeless = |(lbn, home): (Lbn, &Option<Pbn>)| {
            home.is_none() && holds_pages(lbn, &self.newest, flash)
        };
        !self.has_free_block && homes.any(is_homeless)
    }
}

fn holds_pages(lbn: Lbn, newest: &PageMap, flash: &Flash) -> bool {
    flash.geometry().logical_pages_of(lbn).any(|lpn| newest.get(lpn).is_some())
}

/// Whether the pages of a logical block that are elsewhere find their offsets in a block erased.
fn has_room(pbn: Pbn, lbn: Lbn, newest: &PageMap, flash: &Flash) -> bool {
    let geometry = flash.geometry();
    let finds_room = |lpn: Lpn| {
        let place: Ppn = geometry.page_at(pbn, geometry.offset_of(lpn));
        newest.get(lpn).is_none_or(|from| from == place) || !flash.is_programmed(place)
    };
    unless_bug!(RebuildOverwrites, geometry.logical_pages_of(lbn).all(finds_room), true)
}
