//! Which page lies in which block, for separations that ask.
//!
//! A page in use is programmed and not yet erased, or was wasted. What is superseded in a full block is garbage, and in
//! an open one it is not, as in the program of SepBIT's authors.

use super::{Layout, Lying};
use crate::flash::Geometry;
use crate::units::{Lpn, Pbn, Ppn};

/// The block of a page without data.
const NOWHERE: Pbn = Pbn(u32::MAX);

/// A block of user pages.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    class: u8,
    is_full: bool,
    /// Pages in use.
    used: u32,
    /// Pages with data.
    valid: u32,
}

impl Block {
    const fn garbage(self) -> u32 {
        if self.is_full { self.used - self.valid } else { 0 }
    }
}

/// The blocks of user pages, and where each page lies.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    places: Vec<Pbn>,
    blocks: Vec<Block>,
    /// Pages in use.
    used: u32,
    /// Pages that were superseded, of full blocks.
    garbage: u32,
    /// Pages that the request has written.
    written: u32,
}

impl Blocks {
    /// Of an empty device.
    pub fn new(layout: &Layout) -> Self {
        Blocks {
            places: vec![NOWHERE; layout.logical_pages as usize],
            blocks: vec![Block::default(); layout.blocks as usize],
            used: 0,
            garbage: 0,
            written: 0,
        }
    }

    /// A request begins.
    pub const fn begin(&mut self) {
        self.written = 0;
    }

    /// Pages in use without garbage, and without those that the request has written.
    pub const fn stored(&self) -> u32 {
        self.used - self.garbage - self.written
    }

    /// The same once the version of a page is superseded.
    pub fn stored_without(&self, lpn: Lpn) -> u32 {
        let place = self.places[lpn.index()];
        let is_garbage = place != NOWHERE && self.blocks[place.index()].is_full;
        self.stored() - u32::from(unless_bug!(BlocksOldStays, is_garbage, false))
    }

    /// The version of a page is superseded: where it lay, if it lay anywhere.
    pub fn lost(&mut self, lpn: Lpn) -> Option<Lying> {
        let place = std::mem::replace(&mut self.places[lpn.index()], NOWHERE);
        if place == NOWHERE {
            return None;
        }
        let block = &mut self.blocks[place.index()];
        block.valid -= 1;
        self.garbage += u32::from(block.is_full);
        Some(Lying { lpn, block: place, class: block.class })
    }

    /// A page was put there.
    pub fn placed(&mut self, lpn: Lpn, class: u8, page: Ppn, geometry: &Geometry) -> Lying {
        let pbn = geometry.block_of(page);
        self.places[lpn.index()] = pbn;
        let block = &mut self.blocks[pbn.index()];
        let used = page.0 - geometry.first_page(pbn).0 + 1;
        // Pages before it may have been wasted.
        self.used += used - block.used;
        *block = Block { class, used, valid: block.valid + 1, ..*block };
        Lying { lpn, block: pbn, class }
    }

    /// The host wrote a page of the request.
    pub const fn wrote(&mut self) {
        self.written += 1;
    }

    /// A block is full: what was not written of it is wasted.
    pub fn filled(&mut self, pbn: Pbn, pages: u32) {
        let block = &mut self.blocks[pbn.index()];
        self.used += pages - block.used;
        *block = Block { is_full: true, used: pages, ..*block };
        let garbage = block.garbage();
        unless_bug!(BlocksFillUncounted, self.garbage += garbage);
    }

    /// A block is about to be collected. Its pages are in use no more, and come back one by one.
    pub fn collected(&mut self, pbn: Pbn) {
        let block = std::mem::take(&mut self.blocks[pbn.index()]);
        self.used -= block.used;
        self.garbage -= block.garbage();
        // Its pages with data still lie here, until they are moved.
        self.blocks[pbn.index()].valid = block.valid;
    }

    /// A page leaves the block that is collected.
    pub fn leaves(&mut self, lpn: Lpn) {
        let place = std::mem::replace(&mut self.places[lpn.index()], NOWHERE);
        if place != NOWHERE {
            self.blocks[place.index()].valid -= 1;
        }
    }

    /// After power was lost a page was found there, in a block that is filled so far.
    pub fn found(&mut self, lpn: Lpn, pbn: Pbn, used: u32, is_full: bool, class: u8) {
        self.places[lpn.index()] = pbn;
        let block = &mut self.blocks[pbn.index()];
        self.garbage -= block.garbage();
        self.used += used - block.used;
        *block = Block { class, is_full, used, valid: block.valid + 1 };
        self.garbage += block.garbage();
    }
}
