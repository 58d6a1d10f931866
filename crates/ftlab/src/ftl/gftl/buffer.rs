//! GFTL's write buffer: blocks that are written page after page by the logical blocks that wait to be
//! cleaned, each page on a list of its logical block. A block whose pages are all needed no more is dead.

use super::super::parts::page_map::PageMap;
use crate::cache::links::{Links, List, NIL};
use crate::flash::{Device, Flash, Geometry, Owner};
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Pbn, Ppn};
use std::collections::VecDeque;

/// The blocks of the buffer and the newest pages in them.
#[derive(Clone, Debug)]
pub(super) struct WriteBuffer {
    /// Block in each slot, or [`NIL`]; page `p` of it has token `slot x P + p`.
    slots: Vec<u32>,
    free_slots: Vec<u32>,
    /// Slot of each block of the device, or [`NIL`].
    slot_of: Vec<u32>,
    links: Links,
    /// The pages of each logical block that are in the buffer, newest at the front.
    pages: Vec<List>,
    /// The block that is written.
    open: Option<Pbn>,
    /// Full blocks that hold nothing any more.
    dead: VecDeque<Pbn>,
}

impl WriteBuffer {
    /// An empty buffer of up to `blocks`.
    pub(super) fn new(blocks: u32, geometry: &Geometry) -> Self {
        let mut links = Links::default();
        links.grow(blocks as usize * geometry.pages_per_block as usize);
        WriteBuffer {
            slots: vec![NIL; blocks as usize],
            free_slots: (0..blocks).rev().collect(),
            slot_of: vec![NIL; geometry.blocks() as usize],
            links,
            pages: vec![List::default(); geometry.logical_blocks() as usize],
            open: None,
            dead: VecDeque::new(),
        }
    }

    /// Blocks that the buffer may have.
    pub(super) fn most_blocks(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Blocks that the buffer has.
    pub(super) fn blocks(&self) -> u32 {
        (self.slots.len() - self.free_slots.len()) as u32
    }

    /// Whether a page is in a block of the buffer.
    #[inline]
    pub(super) fn holds(&self, ppn: Ppn, flash: &Flash) -> bool {
        self.slot_of[flash.geometry().block_of(ppn).index()] != NIL
    }

    /// Takes over a block that was found after power was lost, with the pages in it, oldest first.
    pub(super) fn take_over(&mut self, block: &FoundBlock, flash: &Flash) {
        let with_room = self.open;
        self.add(block.pbn);
        for page in &block.pages {
            let lbn = flash.geometry().logical_block_of(page.lpn());
            self.keep_page(lbn, page.ppn, flash);
        }
        self.open = self.open.or(with_room);
    }

    /// Gives a block a free slot, and writes it from now on.
    fn add(&mut self, pbn: Pbn) {
        let slot = self.free_slots.pop().expect("no more blocks than the buffer has had");
        self.slots[slot as usize] = pbn.0;
        self.slot_of[pbn.index()] = slot;
        self.open = Some(pbn);
    }

    /// The next page to program; `None` when the buffer is full.
    pub(super) fn next_page(&mut self, free: &mut FreeBlocks, flash: &Flash) -> Option<Ppn> {
        if self.open.is_none() && !self.free_slots.is_empty() {
            self.add(free.take().expect("the device has room for the whole buffer"));
        }
        self.open.map(|pbn| flash.next_page(pbn))
    }

    /// A page was programmed for a logical block: if here, it is kept on the list of that block.
    pub(super) fn keep_page(&mut self, lbn: Lbn, ppn: Ppn, flash: &Flash) {
        if let Some(token) = self.token(ppn, flash) {
            self.links.push_front(&mut self.pages[lbn.index()], token);
            self.open = self.open.filter(|pbn| !flash.is_full(*pbn));
        }
    }

    /// A page of a logical block was invalidated: if it was here, it leaves.
    pub(super) fn drop_page(&mut self, lbn: Lbn, ppn: Ppn, flash: &Flash) {
        if let Some(token) = self.token(ppn, flash) {
            self.links.remove(&mut self.pages[lbn.index()], token);
            let pbn = flash.geometry().block_of(ppn);
            if flash.valid_in(pbn) == 0 && flash.is_full(pbn) {
                self.dead.push_back(pbn);
            }
        }
    }

    /// The page of a logical block that has been here longest.
    pub(super) fn oldest(&self, lbn: Lbn, flash: &Flash) -> Option<Ppn> {
        let token = Some(self.pages[lbn.index()].back()).filter(|token| *token != NIL)?;
        let pages = flash.geometry().pages_per_block;
        let pbn = Pbn(self.slots[(token / pages) as usize]);
        Some(Ppn(flash.geometry().first_page(pbn).0 + token % pages))
    }

    /// Whether a logical block has pages here.
    pub(super) fn has_pages_of(&self, lbn: Lbn) -> bool {
        !self.pages[lbn.index()].is_empty()
    }

    /// Gives up a dead block, which is then to be erased.
    pub(super) fn take_dead(&mut self) -> Option<Pbn> {
        let pbn = self.dead.pop_front()?;
        let slot = std::mem::replace(&mut self.slot_of[pbn.index()], NIL);
        self.slots[slot as usize] = NIL;
        self.free_slots.push(slot);
        Some(pbn)
    }

    #[inline]
    fn token(&self, ppn: Ppn, flash: &Flash) -> Option<u32> {
        let pbn = flash.geometry().block_of(ppn);
        let slot = Some(self.slot_of[pbn.index()]).filter(|slot| *slot != NIL)?;
        let page = ppn.0 - flash.geometry().first_page(pbn).0;
        Some(slot * flash.geometry().pages_per_block + page)
    }

    /// Recomputes which pages are here.
    ///
    /// # Panics
    /// When a list says something else.
    pub(super) fn audit(&self, newest: &PageMap, device: &Device) {
        let mut listed = 0;
        for (lbn, list) in (0..).map(Lbn).zip(&self.pages) {
            self.links.audit(list);
            listed += list.len();
            for token in self.links.from_oldest(list) {
                let pages = device.geometry().pages_per_block;
                let pbn = Pbn(self.slots[(token / pages) as usize]);
                let ppn = Ppn(device.geometry().first_page(pbn).0 + token % pages);
                let Some(Owner::Data(lpn)) = device.audit_owner(ppn) else {
                    panic!("page {ppn} of the buffer is listed but holds nothing")
                };
                assert_eq!(device.geometry().logical_block_of(lpn), lbn, "owner of page {ppn}");
                assert_eq!(newest.get(lpn), Some(ppn), "page {ppn} of the buffer is stale");
            }
        }
        let blocks = self.slots.iter().filter(|pbn| **pbn != NIL).map(|pbn| Pbn(*pbn));
        for pbn in blocks.clone().filter(|pbn| self.open != Some(*pbn)) {
            assert!(device.is_full(pbn), "block {pbn} of the buffer was left half written");
        }
        let valid: u32 = blocks.map(|pbn| device.valid_in(pbn)).sum();
        assert_eq!(valid as usize, listed, "valid pages of the buffer");
    }
}
