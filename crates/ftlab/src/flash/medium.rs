//! The medium: pages and blocks. What is programmed would survive a power cut; which pages are valid or
//! skipped, and how often a block was erased, is what a controller knows in RAM.

use super::cells::Cells;
use super::{Cause, Loaded, Owner};
use crate::device::{Cell, DeviceConfig, Geometry, ProgramOrder};
use crate::engine::Spot;
use crate::error::Error;
use crate::purpose::Purpose;
use crate::units::{Lpn, Pbn, Ppn, Vtpn};

/// A page that was skipped: it holds nothing, and cannot be programmed before the next erase.
pub(super) const WASTED: u32 = u32::MAX;

/// What a page holds whose programming was cut: nothing that can be read.
pub(super) const TORN: u32 = WASTED - 1;

/// The state of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    /// Pages programmed or skipped since the last erase.
    pub written: u16,
    pub valid: u16,
    pub erases: u32,
}

/// Pages, blocks, and the rules that the cells impose.
#[derive(Clone, Debug)]
pub(super) struct Medium {
    pub geometry: Geometry,
    pub order: ProgramOrder,
    /// The order that was configured.
    pub configured_order: Option<ProgramOrder>,
    /// Bits of a cell, where that was configured or an FTL has blocks in SLC mode.
    pub cell: Option<Cell>,
    /// Page types; `None` when all pages are alike.
    pub cells: Option<Box<Cells>>,
    /// Bytes of an OOB that an FTL may fill.
    pub oob_bytes: u32,
    /// Per physical page: 0 erased, [`WASTED`], or owner + 1; translation pages follow the logical
    /// pages.
    pub owners: Vec<u32>,
    /// Per physical page, one bit; each block starts a new word.
    pub valid: Vec<u64>,
    pub valid_words_per_block: usize,
    pub blocks: Vec<Block>,
}

impl Medium {
    /// A medium whose blocks are all erased.
    ///
    /// # Errors
    /// [`Error::Config`] when the geometry is impossible.
    pub fn new(device: &DeviceConfig, capacity: u64) -> Result<Self, Error> {
        let geometry = Geometry::new(device, capacity)?;
        let cell = device.cell.unwrap_or(Cell::Slc);
        let cells = Cells::new(cell, device)?.map(Box::new);
        if cells.is_some() && device.program_order == Some(ProgramOrder::Any) {
            unless_bug!(MediumAnyOrderOfCells, return Err(cells_need_ascending_order(cell)));
        }
        let valid_words_per_block = geometry.pages_per_block.div_ceil(64) as usize;
        let blocks = geometry.blocks() as usize;
        Ok(Medium {
            order: device.program_order.unwrap_or(ProgramOrder::Ascending),
            configured_order: device.program_order,
            cell: device.cell,
            cells,
            oob_bytes: device.oob_bytes() as u32,
            owners: vec![0; geometry.pages() as usize],
            valid: vec![0; valid_words_per_block * blocks],
            valid_words_per_block,
            blocks: vec![Block::default(); blocks],
            geometry,
        })
    }

    /// As [`super::Flash::allow_any_order`].
    pub fn allow_any_order(&mut self) -> Result<(), Error> {
        if self.configured_order == Some(ProgramOrder::Ascending) {
            let message = "found ascending, expected any (or nothing): this FTL keeps pages at their \
                           offsets inside a block, whichever is written first";
            unless_bug!(
                MediumOrderIgnored,
                return Err(Error::config("device.program_order", message))
            );
        }
        if let (Some(_), Some(cell)) = (&self.cells, self.cell) {
            unless_bug!(MediumCellsIgnored, return Err(cells_need_ascending_order(cell)));
        }
        self.order = ProgramOrder::Any;
        Ok(())
    }

    /// Forgets what a controller knows in RAM.
    pub fn forget(&mut self) {
        self.order = self.configured_order.unwrap_or(ProgramOrder::Ascending);
        self.owners.iter_mut().filter(|raw| **raw == WASTED).for_each(|raw| *raw = 0);
        self.valid.fill(0);
        for block in &mut self.blocks {
            (block.written, block.valid) = (0, 0);
        }
    }

    /// Makes the pages of a block hold nothing.
    pub fn erase_pages(&mut self, pbn: Pbn) {
        let first = self.geometry.first_page(pbn).index();
        self.owners[first..first + self.geometry.pages_per_block as usize].fill(0);
    }

    /// Pages of a block: fewer than the geometry says in SLC mode.
    #[inline]
    pub fn pages_of(&self, pbn: Pbn) -> u32 {
        let all = self.geometry.pages_per_block;
        self.cells.as_ref().map_or(all, |cells| cells.pages_of(pbn))
    }

    /// The word of `valid` and the bit in it that stand for a page.
    #[inline(always)]
    pub fn valid_bit(&self, pbn: Pbn, ppn: Ppn) -> (usize, u64) {
        let page = ppn.0 - self.geometry.first_page(pbn).0;
        (pbn.index() * self.valid_words_per_block + (page / 64) as usize, 1 << (page % 64))
    }

    #[inline]
    pub fn is_valid(&self, ppn: Ppn) -> bool {
        let (word, bit) = self.valid_bit(self.geometry.block_of(ppn), ppn);
        self.valid[word] & bit != 0
    }

    /// The owner in the OOB of a page; `None` if it is not programmed, or cannot be read.
    #[inline(always)]
    pub fn owner(&self, ppn: Ppn) -> Option<Owner> {
        let raw = self.owners[ppn.index()];
        (raw != 0 && raw < TORN).then(|| self.decode(raw))
    }

    #[inline(always)]
    pub fn encode(&self, owner: Owner) -> u32 {
        match owner {
            Owner::Data(lpn) => lpn.0 + 1,
            Owner::Translation(vtpn) => self.geometry.logical_pages + vtpn.0 + 1,
        }
    }

    #[inline(always)]
    pub fn decode(&self, raw: u32) -> Owner {
        let page = raw - 1;
        if page < self.geometry.logical_pages {
            Owner::Data(Lpn(page))
        } else {
            Owner::Translation(Vtpn(page - self.geometry.logical_pages))
        }
    }

    /// Where an operation on a page takes place, and what it is for.
    #[inline(always)]
    pub fn spot(&self, pbn: Pbn, ppn: Ppn, cause: Cause, owner: Option<Owner>) -> Spot {
        let (plane, page) = (self.geometry.plane_of(pbn), self.geometry.page_in_block(ppn));
        Spot { plane, block: pbn.0, page, purpose: Purpose { cause, owner } }
    }

    pub fn owner_of(&self, page: &Loaded) -> Owner {
        self.decode(page.raw)
    }

    /// Describes a page and its block, for the message of a broken rule.
    pub fn describe(&self, ppn: Ppn) -> String {
        if self.owners.get(ppn.index()).is_none() {
            return String::from("no page");
        }
        let pbn = self.geometry.block_of(ppn);
        let block = self.blocks[pbn.index()];
        format!(
            "page {ppn} (block {pbn}: {} programmed, {} valid, {} erases), {}, {}",
            block.written,
            block.valid,
            block.erases,
            self.owner(ppn).map_or("holds nothing".into(), |owner| format!("holds {owner}")),
            if self.is_valid(ppn) { "valid" } else { "not valid" },
        )
    }
}

fn cells_need_ascending_order(cell: Cell) -> Error {
    let message = format!(
        "found {}, expected slc: such cells are programmed in ascending order, and this FTL or \
         device.program_order asks for any",
        cell.name()
    );
    Error::config("device.cell", message)
}
