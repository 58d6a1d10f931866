//! The block-mapped region: where each logical block is.
//!
//! In place, as in the paper, a logical block is the physical block of the same number. Out of place, it is
//! rewritten to an erased block, and the old one is retired: it is erased in idle time, or when erased
//! blocks run out.

use crate::cache::indexed_heap::IndexedHeap;
use crate::flash::{Flash, Geometry};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::VecDeque;

/// The block table.
#[derive(Clone, Debug)]
pub enum Bmr {
    /// Logical blocks are physical blocks.
    InPlace,
    /// A logical block may be in any physical block.
    OutOfPlace(Table),
}

/// A block table, and the blocks that left it.
#[derive(Clone, Debug)]
pub struct Table {
    /// PBN + 1, or 0.
    blocks: Vec<u32>,
    /// Blocks of the table by their erases, fewest first.
    by_erases: IndexedHeap<(u32, u32)>,
    /// Logical block of each block of the table.
    holds: Vec<Lbn>,
    /// Blocks to be erased, oldest first.
    pub retired: VecDeque<Pbn>,
}

impl Bmr {
    pub fn new(geometry: &Geometry, out_of_place: bool) -> Self {
        if !out_of_place {
            return Bmr::InPlace;
        }
        Bmr::OutOfPlace(Table {
            blocks: vec![0; geometry.logical_blocks() as usize],
            by_erases: IndexedHeap::default(),
            holds: vec![Lbn(0); geometry.blocks() as usize],
            retired: VecDeque::new(),
        })
    }

    /// The physical block of a logical one.
    #[inline]
    pub fn block(&self, lbn: Lbn) -> Option<Pbn> {
        match self {
            Bmr::InPlace => Some(Pbn(lbn.0)),
            Bmr::OutOfPlace(table) => table.blocks[lbn.index()].checked_sub(1).map(Pbn),
        }
    }

    /// The place of a page.
    #[inline]
    pub fn slot(&self, lpn: Lpn, geometry: &Geometry) -> Option<Ppn> {
        let block = self.block(geometry.logical_block_of(lpn))?;
        Some(Ppn(geometry.first_page(block).0 + geometry.offset_of(lpn)))
    }

    /// The table, if blocks are rewritten out of place.
    pub const fn table(&mut self) -> Option<&mut Table> {
        match self {
            Bmr::InPlace => None,
            Bmr::OutOfPlace(table) => Some(table),
        }
    }
}

impl Table {
    /// Maps a logical block to an erased block; its old block is retired.
    pub fn replace(&mut self, lbn: Lbn, new: Pbn, flash: &Flash) {
        let old = std::mem::replace(&mut self.blocks[lbn.index()], new.0 + 1);
        if let Some(old) = old.checked_sub(1) {
            self.by_erases.remove(old);
            self.retired.push_back(Pbn(old));
        }
        self.by_erases.insert(new.0, (flash.erases_of(new), new.0));
        self.holds[new.index()] = lbn;
    }

    /// The block of the table with the fewest erases, and the logical block that it holds.
    pub fn least_erased(&self) -> Option<(Pbn, Lbn)> {
        let block = self.by_erases.min()?;
        Some((Pbn(block), self.holds[block as usize]))
    }
}
