//! The random log blocks of `FlashSim`'s FAST: filled one after the other, and reclaimed in the same order.
//!
//! A logical page has one valid entry at most. Dead entries remain in their table until the block is reclaimed.

use crate::flash::{Device, Geometry};
use crate::units::{Lpn, Pbn, Ppn};

/// A log block, and what was written to it, page by page.
#[derive(Clone, Debug)]
struct LogBlock {
    pbn: Pbn,
    entries: Vec<Lpn>,
}

/// An entry: the number of its log block, and its page there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    block: usize,
    page: usize,
}

/// The random log.
#[derive(Clone, Debug)]
pub(super) struct RandomLog {
    blocks: Vec<LogBlock>,
    most: u32,
    pages: u32,
    /// The one that is filled; the next one is the next victim.
    current: usize,
    /// Per logical page: the number of its valid entry, from 1; 0 without one.
    valid: Vec<u32>,
}

impl RandomLog {
    /// A log of at most `most` blocks, none of which is there yet.
    pub fn new(most: u32, pages: u32, logical_pages: u32) -> Self {
        let valid = vec![0; logical_pages as usize];
        RandomLog { blocks: Vec::new(), most, pages, current: 0, valid }
    }

    /// How many blocks there may be.
    pub const fn most(&self) -> u32 {
        self.most
    }

    /// The blocks that are there.
    pub fn blocks(&self) -> impl Iterator<Item = Pbn> {
        self.blocks.iter().map(|block| block.pbn)
    }

    /// Whether the next page needs a block.
    pub fn needs_block(&self) -> bool {
        let pages = self.pages as usize;
        self.blocks.get(self.current).is_none_or(|block| block.entries.len() == pages)
    }

    /// Whether it needs one, and all are there.
    pub fn is_full(&self) -> bool {
        self.needs_block() && self.blocks.len() == self.most as usize
    }

    /// Adds a block, which is filled next.
    pub fn open(&mut self, pbn: Pbn) {
        self.current = self.blocks.len();
        self.blocks.push(LogBlock { pbn, entries: Vec::new() });
    }

    /// The block that was filled longest ago.
    pub fn victim(&self) -> usize {
        (self.current + 1) % self.blocks.len()
    }

    /// The physical block of a log block.
    pub fn block(&self, number: usize) -> Pbn {
        self.blocks[number].pbn
    }

    /// The logical page of an entry, if it is valid now.
    pub fn valid_in(&self, block: usize, page: usize) -> Option<Lpn> {
        let lpn = *self.blocks[block].entries.get(page)?;
        (self.valid[lpn.index()] == self.number(Entry { block, page })).then_some(lpn)
    }

    /// Empties a log block, which has another physical block then, and is filled next.
    pub fn renew(&mut self, number: usize, pbn: Pbn) {
        let entries = std::mem::take(&mut self.blocks[number].entries);
        for (page, lpn) in entries.iter().enumerate() {
            let entry = self.number(Entry { block: number, page });
            let valid = &mut self.valid[lpn.index()];
            if *valid == entry {
                *valid = 0;
            }
        }
        self.blocks[number].pbn = pbn;
        self.current = number;
    }

    /// Writes a valid entry down; returns its page.
    pub fn append(&mut self, lpn: Lpn, geometry: &Geometry) -> Ppn {
        let entry = Entry { block: self.current, page: self.blocks[self.current].entries.len() };
        self.blocks[self.current].entries.push(lpn);
        self.valid[lpn.index()] = self.number(entry);
        self.page_of(entry, geometry)
    }

    /// The page of the valid entry of a logical page.
    pub fn valid(&self, lpn: Lpn, geometry: &Geometry) -> Option<Ppn> {
        let number = self.valid[lpn.index()].checked_sub(1)?;
        let (block, page) = ((number / self.pages) as usize, (number % self.pages) as usize);
        Some(self.page_of(Entry { block, page }, geometry))
    }

    /// Marks the valid entry of a logical page dead; returns its page.
    pub fn take_valid(&mut self, lpn: Lpn, geometry: &Geometry) -> Option<Ppn> {
        let page = self.valid(lpn, geometry);
        self.valid[lpn.index()] = 0;
        page
    }

    /// Marks the first entry of a logical page dead, valid or not; returns its page.
    pub fn take_first(&mut self, lpn: Lpn, geometry: &Geometry) -> Option<Ppn> {
        let entry = self.blocks.iter().enumerate().find_map(|(block, log)| {
            let page = log.entries.iter().position(|entry| *entry == lpn)?;
            Some(Entry { block, page })
        })?;
        if self.valid[lpn.index()] == self.number(entry) {
            self.valid[lpn.index()] = 0;
        }
        Some(self.page_of(entry, geometry))
    }

    fn number(&self, entry: Entry) -> u32 {
        entry.block as u32 * self.pages + entry.page as u32 + 1
    }

    fn page_of(&self, entry: Entry, geometry: &Geometry) -> Ppn {
        geometry.page_at(self.blocks[entry.block].pbn, entry.page as u32)
    }

    /// Recomputes that valid entries are valid pages, and no others of the log are.
    pub fn audit(&self, device: &Device) {
        for (block, log) in self.blocks.iter().enumerate() {
            for page in 0..log.entries.len() {
                let ppn = self.page_of(Entry { block, page }, device.geometry());
                let expected = self.valid_in(block, page).is_some();
                assert_eq!(device.is_valid(ppn), expected, "page {ppn} of the random log");
            }
        }
    }
}
