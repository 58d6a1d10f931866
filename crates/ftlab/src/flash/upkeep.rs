//! What a controller writes for its next recovery, which reads it first: checkpoints and tombstones. They lie in places
//! of their own, which are no part of the blocks that an FTL sees.

use super::persistence::{Burial, Checkpoints, Summary, Tombstones, tombstones_of};
use super::{Cause, Device, Flash, Operation};
use crate::device::ProgramOrder;
use crate::engine::Spot;
use crate::purpose::Purpose;
use crate::units::{Lpn, Pbn, Ppn};
use std::ops::Range;
use std::sync::Arc;

impl Device {
    /// Whether checkpoints are made.
    pub(crate) const fn makes_checkpoints(&self) -> bool {
        self.flash.persistence.checkpoints.is_some()
    }

    /// Makes a checkpoint if one is due.
    #[inline]
    pub fn checkpoint_if_due(&mut self) {
        if self.makes_checkpoints() {
            self.flash.checkpoint();
        }
    }

    /// Reads the checkpoints, before recovery surveys anything.
    pub(crate) fn read_checkpoints(&mut self) {
        if let Some(Checkpoints { newest: Some(newest), .. }) = &self.flash.persistence.checkpoints
        {
            self.flash.read_place(newest.pages, Cause::Checkpoint);
        }
    }

    /// Reads the tombstones, before recovery surveys anything.
    pub(crate) fn read_tombstones(&mut self) {
        let Some(place) = &mut self.flash.persistence.tombstones else { return };
        let pages = place.mount(self.flash.medium.geometry.logical_pages);
        self.flash.read_place(pages, Cause::Trim);
    }
}

impl Flash {
    #[cold]
    #[inline(never)]
    fn checkpoint(&mut self) {
        let programmed = self.meter.ledger.pages_programmed();
        let due = self.persistence.checkpoints.as_ref().filter(|it| it.is_due(programmed));
        let Some(checkpoints) = due else { return };
        let geometry = &self.medium.geometry;
        let blocks = (0..geometry.blocks()).map(|number| self.summary(Pbn(number), checkpoints));
        let addition = checkpoints.add(blocks.collect(), geometry);
        let erased = addition.erased.div_ceil(geometry.pages_per_block.into());
        self.book_place(Operation::Program, 0..addition.programs, Cause::Checkpoint);
        self.book_place(Operation::Erase, 0..erased, Cause::Checkpoint);
        let programmed = self.meter.ledger.pages_programmed();
        self.persistence.checkpoint(addition.checkpoint, programmed);
    }

    /// What a checkpoint will say of a block.
    fn summary(&self, pbn: Pbn, checkpoints: &Checkpoints) -> Arc<Summary> {
        let memory = self.persistence.memory.as_ref();
        checkpoints.summary(pbn, self.medium.blocks[pbn.index()].written, || {
            let pages = self.pages_of_block(pbn);
            let says = |page| Some((self.medium.owners[page], memory?.sequences[page]));
            pages.filter_map(says).collect()
        })
    }

    fn pages_of_block(&self, pbn: Pbn) -> Range<usize> {
        let first = self.medium.geometry.first_page(pbn).index();
        first..first + self.medium.geometry.pages_per_block as usize
    }

    /// What the last checkpoint says of a block, if the block is unchanged. Its first OOB says how often it was erased.
    /// The OOBs of pages that were erased then say whether they still are ([`Flash::look_up`]).
    #[must_use]
    pub(crate) fn checkpointed(&self, pbn: Pbn) -> Option<Arc<Summary>> {
        let summary = self.persistence.checkpoints.as_ref()?.of_block(pbn)?;
        let owners = &self.medium.owners[self.pages_of_block(pbn)];
        let written = usize::from(summary.written);
        let looks_so = || match self.medium.order {
            ProgramOrder::Ascending => owners[written..].iter().all(|owner| *owner == 0),
            ProgramOrder::Any => owners.iter().filter(|owner| **owner != 0).count() == written,
        };
        unless_bug!(CheckpointTrustsBlock, looks_so(), true).then(|| summary.clone())
    }

    /// Writes down that pages, ascending, are trimmed, where that survives a power cut. It does so before the trim:
    /// otherwise GC destroys the newest version of a page, and a cut then brings an older one back.
    #[inline]
    pub(crate) fn bury(&mut self, pages: &[Lpn]) {
        if self.persistence.tombstones.is_some() && !pages.is_empty() {
            self.write_tombstones(pages);
        }
    }

    #[cold]
    #[inline(never)]
    fn write_tombstones(&mut self, pages: &[Lpn]) {
        let sequence = self.persistence.memory.as_ref().map_or(0, |memory| memory.last);
        let end = self.meter.timeline.begin_first_chains();
        let pages = tombstones_of(pages, sequence, &self.medium.geometry);
        if self.persistence.tombstones.as_ref().is_some_and(|place| place.is_full(pages.len())) {
            self.write_tombstones_anew(sequence);
        }
        for page in pages {
            let next = self.persistence.tombstones.as_ref().map_or(0, Tombstones::pages);
            self.book_place(Operation::Program, next..next + 1, Cause::Trim);
            self.persistence.bury(Burial::Page(page));
        }
        self.meter.timeline.end_first_chains(end);
    }

    /// Writes down all pages that hold no data, then erases what was there before.
    fn write_tombstones_anew(&mut self, sequence: u64) {
        let holds_data = self.pages_with_data();
        let Some(place) = &self.persistence.tombstones else { return };
        let (pages, changes) = place.anew(&holds_data, sequence, &self.medium.geometry);
        let blocks = place.pages().div_ceil(self.medium.geometry.pages_per_block.into());
        self.book_place(Operation::Program, 0..pages, Cause::Trim);
        self.book_place(Operation::Erase, 0..blocks, Cause::Trim);
        changes.into_iter().for_each(|change| self.persistence.bury(change));
    }

    /// Whether each logical page has a valid page on flash.
    fn pages_with_data(&self) -> Vec<bool> {
        let mut holds_data = vec![false; self.medium.geometry.logical_pages as usize];
        self.valid_versions().into_iter().for_each(|(lpn, _)| holds_data[lpn.index()] = true);
        holds_data
    }

    /// Of each logical page, the lowest sequence number of a version that counts; `None` where trims are hints.
    #[must_use]
    pub(crate) fn unburied_since(&self) -> Option<Arc<[u64]>> {
        self.persistence.tombstones.as_ref()?.since.clone()
    }

    /// Reads the first pages of a place, before anything else.
    fn read_place(&mut self, pages: u64, cause: Cause) {
        let end = self.meter.timeline.begin_first_chains();
        self.book_place(Operation::Read, 0..pages, cause);
        self.meter.timeline.end_first_chains(end);
    }

    /// Counts and times operations on these pages, or blocks, of a place, which lies on all planes. Each waits for the
    /// last but one of its plane. A controller keeps all planes at work without more of the place in RAM, and no operation
    /// looks through all that was placed before it.
    pub(super) fn book_place(&mut self, operation: Operation, numbers: Range<u64>, cause: Cause) {
        let planes = self.medium.geometry.planes();
        let mut last_two = vec![[0; 2]; planes as usize];
        for number in numbers {
            let plane = (number % u64::from(planes)) as u32;
            let (read, program) = self
                .times_of(Ppn((number % u64::from(self.medium.geometry.pages_per_block)) as u32));
            let spot = || Spot::nowhere(plane, Purpose { cause, owner: None });
            let [last_but_one, last] = last_two[plane as usize];
            self.meter.timeline.begin_chain_at(last_but_one);
            match operation {
                Operation::Read => self.meter.timeline.read(read, spot),
                Operation::Program => self.meter.timeline.program(program, spot),
                _ => self.meter.timeline.erase(spot),
            }
            let end = self.meter.timeline.flash_end(operation == Operation::Read);
            last_two[plane as usize] = [last, end];
            self.meter.ledger.count(operation, cause);
        }
    }
}
