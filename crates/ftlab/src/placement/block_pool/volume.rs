//! A volume of a log-structured store, as SepBIT's evaluation has it (Wang et al., FAST 2022): GC starts by garbage.
//!
//! ```text
//! after a request that writes:  garbage of closed blocks / pages in use > gc.garbage?
//!                                collect gc.victims of the blocks with a share of gc.garbage or more
//! ```
//!
//! There is a block to fill for each class from the start. When its last page is taken, it is closed at once, and the
//! next one is opened. Blocks have numbers in the order in which they are opened: the lowest decides among equals.
//!
//! Such a volume grows as it needs. A device has room for what the shares ask for. Large requests can make garbage
//! faster than it is removed. If free blocks run out, the emptiest are collected as in a device (`forced_victims`).

use super::{BlockInfo, BlockPool, Frontier, State, class_of};
use crate::error::Error;
use crate::flash::{Geometry, Media};
use crate::gc::Gc;
use crate::placement::Class;
use crate::units::{Pbn, Ppn};

/// What is known where full blocks are closed at once: of a volume, or of [a reserve](super::reserve).
#[derive(Clone, Debug)]
pub(super) struct Volume {
    /// The share of garbage above which GC starts; none starts it in a reserve.
    garbage: f64,
    /// Blocks that are collected then.
    victims: u32,
    /// Pages programmed in the pool and erased again since; it wraps.
    erased: u64,
    /// Blocks that were numbered.
    numbered: u64,
    /// By block: which of the blocks opened it was; in a reserve, which of those closed.
    numbers: Vec<u64>,
    /// Frontiers that have a block before a page needs it; `None` for all.
    ahead: Option<Vec<usize>>,
    /// Blocks are numbered when they are closed.
    pub by_closing: bool,
}

impl Volume {
    /// Of a pool of `blocks` blocks, none of which is open.
    pub fn new(garbage: f64, victims: u32, blocks: u32) -> Self {
        let numbers = vec![0; blocks as usize];
        Volume { garbage, victims, erased: 0, numbered: 0, numbers, ahead: None, by_closing: false }
    }

    /// The same with blocks that are numbered when they are closed, and opened ahead at these frontiers alone.
    pub fn by_closing(self, ahead: Vec<usize>) -> Self {
        Volume { ahead: Some(ahead), by_closing: true, ..self }
    }

    /// Which of the blocks that were numbered a block is.
    pub fn number(&self, slot: Pbn) -> u64 {
        self.numbers[slot.index()]
    }

    /// A block is opened, or closed: it gets the next number if that is when blocks are numbered.
    fn turn(&mut self, slot: Pbn, is_closed: bool) {
        if is_closed == self.by_closing {
            self.numbers[slot.index()] = self.numbered;
            self.numbered += 1;
        }
    }

    /// Whether a frontier has a block before a page needs it.
    fn opens_ahead(&self, index: usize) -> bool {
        self.ahead.as_ref().is_none_or(|ahead| ahead.contains(&index))
    }

    /// A block of `pages` pages was erased.
    pub const fn erased(&mut self, pages: u32) {
        self.erased = self.erased.wrapping_add(pages as u64);
    }

    /// After power was lost nothing says in which order blocks were opened: it is taken for that of their places.
    pub fn forget_order(&mut self) {
        self.numbered = self.numbers.len() as u64;
        self.numbers = (0..self.numbered).collect();
    }
}

impl BlockPool {
    /// The same where GC starts by garbage, with a block to fill for each of these classes.
    ///
    /// # Errors
    /// [`Error::Config`] when there is too little room for the garbage.
    pub fn as_volume(
        mut self,
        gc: &Gc,
        geometry: &Geometry,
        logical_pages: u32,
        classes: &[Class],
    ) -> Result<Self, Error> {
        let share = gc.garbage.0;
        self.expect_room(geometry, logical_pages, classes.len() as u32, share)?;
        let blocks = self.region.len() as u32;
        self.victims = gc.candidates(blocks, geometry.pages_per_block)?;
        self.volume = Some(Volume::new(share, gc.victims, blocks));
        for class in classes {
            self.open_ahead(self.frontier_of(*class), *class, geometry);
        }
        Ok(self)
    }

    /// Closed blocks hold the logical pages and their share of the garbage.
    fn expect_room(
        &self,
        geometry: &Geometry,
        logical_pages: u32,
        classes: u32,
        share: f64,
    ) -> Result<(), Error> {
        let pages = f64::from(geometry.pages_per_block);
        let closed = f64::from(logical_pages) / pages + share * f64::from(classes);
        let needed = (closed / (1.0 - share)).ceil() as u64 + u64::from(classes + self.high);
        let found = self.region.len() as u64;
        if found >= needed {
            return Ok(());
        }
        let message = format!(
            "found {found} physical blocks, expected at least {needed} where gc.start = garbage, for \
             {logical_pages} logical pages, a share of {share} of garbage and {classes} open blocks"
        );
        Err(geometry.too_few_blocks(&message, " or lower gc.garbage"))
    }

    /// Opens a block for a class before a page of it is written.
    pub(super) fn open_ahead(&mut self, index: usize, class: Class, geometry: &Geometry) {
        let pbn = self.free.take().unwrap_or_else(|| panic!("no free block for {class:?}"));
        let slot = self.slot(pbn);
        let class = class_of(index, class);
        self.blocks[slot.index()] = BlockInfo { state: State::Open, class };
        if let Some(volume) = &mut self.volume {
            volume.turn(slot, false);
        }
        let next = geometry.first_page(pbn).0;
        // The last page is taken by `last_page`.
        let end = next + geometry.pages_per_block - 1;
        self.frontiers[index] = Some(Frontier { next, end, pbn });
    }

    /// The next page of a frontier with one page left, or with no block: the block is closed, and another opened, if
    /// that is done before a page needs it.
    pub(super) fn last_page(&mut self, index: usize, class: Class, flash: &impl Media) -> Ppn {
        if self.frontiers[index].is_none() {
            self.open_ahead(index, class, flash.geometry());
        }
        let frontier = self.frontiers[index].as_mut().expect("it was opened");
        let page = Ppn(frontier.next);
        frontier.next += 1;
        if page.0 < frontier.end {
            return page;
        }
        // The page is about to be programmed.
        let valid = flash.valid_in(frontier.pbn) + 1;
        self.close_at_once(index, valid, flash);
        self.replace(index, class, flash);
        page
    }

    /// Closes the block of a frontier, which is then without.
    pub(super) fn close_at_once(&mut self, index: usize, valid: u32, flash: &impl Media) {
        let Some(Frontier { pbn, .. }) = self.frontiers[index].take() else { return };
        let slot = self.slot(pbn);
        let filled_with = self.blocks[slot.index()].class;
        unless_bug!(VolumeClosesLate, self.blocks[slot.index()].state = State::Closed);
        if let Some(volume) = &mut self.volume {
            volume.turn(slot, true);
        }
        self.closed(slot, filled_with, valid, flash);
    }

    /// Opens a block for a frontier without, if that is done before a page needs it.
    pub(super) fn replace(&mut self, index: usize, class: Class, flash: &impl Media) {
        if self.volume.as_ref().is_some_and(|volume| volume.opens_ahead(index)) {
            self.open_ahead(index, class, flash.geometry());
        }
    }

    /// Whether so much of the pages in use is garbage that GC starts: never where it starts by free blocks.
    #[inline]
    #[must_use]
    pub fn has_too_much_garbage(&self) -> bool {
        self.volume.as_ref().is_some_and(|volume| {
            let in_use = self.programs.wrapping_sub(volume.erased);
            let garbage = self.victims.garbage().unwrap_or_default();
            garbage as f64 / in_use as f64 > volume.garbage
        })
    }

    /// Takes the blocks out of the candidates that are collected together, each with what it is filled with.
    pub fn take_victims(&mut self, flash: &mut impl Media) -> Vec<(Pbn, Class)> {
        let victims = self.volume.as_ref().map_or(0, |volume| volume.victims);
        let most = unless_bug!(VolumeTakesOneMore, victims, victims + 1);
        let mut taken = Vec::new();
        while (taken.len() as u32) < most
            && let Some(slot) = self.victims.choose(self.now(flash))
        {
            let pbn = self.collect(self.block_in(slot), flash);
            taken.push((pbn, self.blocks[slot.index()].class));
        }
        self.counts.runs += u64::from(!taken.is_empty());
        taken
    }

    /// After power was lost: the pages in use are those of all blocks that are not free, but for those left of open
    /// ones, whose last page is apart.
    pub(super) fn recover_volume(&mut self, flash: &impl Media) {
        let Some(volume) = &mut self.volume else { return };
        let pages = u64::from(flash.geometry().pages_per_block);
        let mut in_use = pages * u64::from(self.region.len() as u32 - self.free.len() - self.lent);
        for frontier in self.frontiers.iter_mut().flatten() {
            in_use -= u64::from(frontier.end - frontier.next);
            frontier.end -= 1;
        }
        volume.erased = self.programs.wrapping_sub(in_use);
    }
}
