//! Checkpoints: what the OOBs of all blocks say, written now and then to a place of its own, so that a mount
//! reads the OOBs of those blocks alone that have changed since.
//!
//! A checkpoint adds what has changed since the one before. Before all of them take twice the room that one of
//! everything takes, everything is written anew, and then they are erased: the place has three times that room. It
//! is no part of the blocks that an FTL sees. `device.checkpoint` costs programs, reads and erases.

use super::memory::Change;
use super::{Cause, Flash, Operation};
use crate::device::ProgramOrder;
use crate::engine::Spot;
use crate::purpose::Purpose;
use crate::units::{Pbn, Ppn};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of an OOB's owner and sequence number.
const ENTRY: u64 = 12;
/// Bytes of a block's number and how often it was erased.
const BLOCK: u64 = 8;

/// What a checkpoint says of a block.
#[derive(Debug, PartialEq)]
pub(crate) struct Summary {
    /// How often the FTL has erased the block.
    erases: u32,
    /// Pages programmed or skipped since.
    written: u16,
    /// Of each page, what its OOB says: owner and sequence number. Empty on a medium that does not remember.
    pub(super) pages: Box<[(u32, u64)]>,
}

/// All checkpoints that are on flash, as one.
#[derive(Debug)]
pub(super) struct Checkpoint {
    blocks: Vec<Arc<Summary>>,
    /// Pages of the place that are in use.
    pages: u64,
}

/// When checkpoints are made, and the last of them.
#[derive(Clone, Debug)]
pub(super) struct Checkpoints {
    /// Pages that are programmed between two of them.
    distance: u64,
    /// Pages programmed, since measuring started or power came, when the next one is due.
    next: u64,
    /// Bytes that an FTL keeps in each OOB.
    pub oob_bytes: u32,
    /// How often the FTL has erased each block, whatever wear levelling puts below it.
    erases: Vec<u32>,
    pub newest: Option<Arc<Checkpoint>>,
}

impl Checkpoints {
    /// One whenever so many pages were programmed.
    pub fn every(distance: u64, blocks: u32) -> Self {
        let erases = vec![0; blocks as usize];
        Checkpoints { distance, next: distance, oob_bytes: 0, erases, newest: None }
    }

    /// Notes that a block was erased.
    pub fn erased(&mut self, pbn: Pbn) {
        self.erases[pbn.index()] += 1;
    }

    /// From now on counts begin at zero.
    pub const fn restart(&mut self) {
        self.next = self.distance;
    }
}

impl Flash {
    /// Whether checkpoints are made.
    pub(crate) const fn makes_checkpoints(&self) -> bool {
        self.medium.checkpoints.is_some()
    }

    /// Makes a checkpoint if one is due.
    #[inline]
    pub fn checkpoint_if_due(&mut self) {
        if self.medium.checkpoints.is_some() {
            self.checkpoint();
        }
    }

    #[cold]
    #[inline(never)]
    fn checkpoint(&mut self) {
        let Some(checkpoints) = &self.medium.checkpoints else { return };
        if self.meter.ledger.pages_programmed() < checkpoints.next {
            return;
        }
        let old = checkpoints.newest.clone();
        let blocks: Vec<Arc<Summary>> = (0..self.medium.geometry.blocks())
            .map(|number| self.summary(Pbn(number), old.as_deref()))
            .collect();
        let entry = ENTRY + u64::from(checkpoints.oob_bytes);
        let pages = |summaries: &mut dyn Iterator<Item = &Arc<Summary>>| {
            let bytes: u64 = summaries.map(|each| BLOCK + u64::from(each.written) * entry).sum();
            bytes.div_ceil(self.medium.geometry.page_bytes.into())
        };
        let whole = pages(&mut blocks.iter());
        let (before, added) = old.map_or((0, whole), |old| {
            let pairs = blocks.iter().zip(&old.blocks);
            let changed = pairs.filter(|(now, then)| !Arc::ptr_eq(now, then));
            (old.pages, pages(&mut changed.map(|(now, _)| now)))
        });
        let starts_anew = before + added > 2 * whole;
        let written = if starts_anew { whole } else { added };
        self.book_place(Operation::Program, 0..written, Cause::Checkpoint);
        if starts_anew {
            let blocks = before.div_ceil(self.medium.geometry.pages_per_block.into());
            self.book_place(Operation::Erase, 0..blocks, Cause::Checkpoint);
        }
        let pages = if starts_anew { whole } else { before + added };
        let newest = Arc::new(Checkpoint { blocks, pages });
        if let Some(memory) = &mut self.medium.memory {
            memory.note(Change::Checkpoint(newest.clone()));
        }
        let programmed = self.meter.ledger.pages_programmed();
        if let Some(checkpoints) = &mut self.medium.checkpoints {
            checkpoints.newest = Some(newest);
            checkpoints.next = programmed + checkpoints.distance;
        }
    }

    /// Reads the checkpoints, before a mount surveys anything.
    pub(crate) fn read_checkpoints(&mut self) {
        let newest = self.medium.checkpoints.as_ref().and_then(|all| all.newest.as_ref());
        let pages = newest.map_or(0, |newest| newest.pages);
        let end = self.meter.timeline.begin_first_chains();
        self.book_place(Operation::Read, 0..pages, Cause::Checkpoint);
        self.meter.timeline.end_first_chains(end);
    }

    /// Counts and times operations on these pages, or blocks, of a place beside those of the FTL, which lies on all
    /// planes. Each waits for the last but one of its plane: a controller need not hold more of the place in RAM to
    /// keep all planes at work, and no operation looks through all that was placed before it.
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

    /// What a checkpoint will say of a block: the same as the last one if that still holds.
    fn summary(&self, pbn: Pbn, last: Option<&Checkpoint>) -> Arc<Summary> {
        let written = self.medium.blocks[pbn.index()].written;
        let checkpoints = self.medium.checkpoints.as_ref();
        let erases = checkpoints.map_or(0, |checkpoints| checkpoints.erases[pbn.index()]);
        if let Some(last) = last.map(|last| &last.blocks[pbn.index()])
            && (last.erases, last.written) == (erases, written)
        {
            return last.clone();
        }
        let pages = match &self.medium.memory {
            None => Box::default(),
            Some(memory) => self
                .pages_of_block(pbn)
                .map(|page| (self.medium.owners[page], memory.sequences[page]))
                .collect(),
        };
        Arc::new(Summary { erases, written, pages })
    }

    fn pages_of_block(&self, pbn: Pbn) -> Range<usize> {
        let first = self.medium.geometry.first_page(pbn).index();
        first..first + self.medium.geometry.pages_per_block as usize
    }

    /// What the last checkpoint says of a block, if that is as it was then. The first OOB tells, which has how often
    /// the block was erased, and those of pages that were erased then ([`Flash::look_up`]).
    #[must_use]
    pub(crate) fn checkpointed(&self, pbn: Pbn) -> Option<Arc<Summary>> {
        let checkpoints = self.medium.checkpoints.as_ref()?;
        let newest = checkpoints.newest.as_ref()?;
        let summary = &newest.blocks[pbn.index()];
        let owners = &self.medium.owners[self.pages_of_block(pbn)];
        let written = usize::from(summary.written);
        let looks_so = || match self.medium.order {
            ProgramOrder::Ascending => owners[written..].iter().all(|owner| *owner == 0),
            ProgramOrder::Any => owners.iter().filter(|owner| **owner != 0).count() == written,
        };
        let is_as_then = unless_bug!(CheckpointTrustsBlock, looks_so(), true);
        let erases = checkpoints.erases[pbn.index()];
        (summary.erases == erases && is_as_then).then(|| summary.clone())
    }
}
