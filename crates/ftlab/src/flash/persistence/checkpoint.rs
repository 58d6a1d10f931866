//! Checkpoints: the OOBs of all blocks, written from time to time to a place of their own. Recovery then reads the OOBs
//! of changed blocks alone.
//!
//! A checkpoint adds what has changed since the one before. All checkpoints together take at most twice the room of a
//! whole one. Before they exceed it, everything is written anew, and then the old ones are erased: the place has three
//! times that room. It is no part of the blocks that an FTL sees. `device.checkpoint` costs programs, reads and erases.

use crate::device::Geometry;
use crate::units::Pbn;
use std::sync::Arc;

/// Bytes of an OOB's owner and sequence number.
const ENTRY: u64 = 12;
/// Bytes of a block's number and how often it was erased.
const BLOCK: u64 = 8;

/// What a checkpoint says of a block.
#[derive(Debug, PartialEq)]
pub struct Summary {
    /// How often the FTL has erased the block.
    erases: u32,
    /// Pages programmed or skipped since.
    pub written: u16,
    /// Of each page, what its OOB says: owner and sequence number. Empty on a medium that does not remember.
    pub pages: Box<[(u32, u64)]>,
}

/// All checkpoints that are on flash, as one.
#[derive(Debug)]
pub struct Checkpoint {
    blocks: Vec<Arc<Summary>>,
    /// Pages of the place that are in use.
    pub pages: u64,
}

/// What making a checkpoint takes.
#[derive(Debug)]
pub struct Addition {
    /// All that is on flash then.
    pub checkpoint: Checkpoint,
    /// Pages that are programmed.
    pub programs: u64,
    /// Pages that are erased after that.
    pub erased: u64,
}

/// When checkpoints are made, and the last of them.
#[derive(Clone, Debug)]
pub struct Checkpoints {
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
    /// One for each `distance` pages that are programmed.
    pub fn every(distance: u64, blocks: u32) -> Self {
        let erases = vec![0; blocks as usize];
        Checkpoints { distance, next: distance, oob_bytes: 0, erases, newest: None }
    }

    /// A block was erased.
    pub fn erased(&mut self, pbn: Pbn) {
        self.erases[pbn.index()] += 1;
    }

    /// One was made after this number of programs.
    pub const fn made_at(&mut self, programmed: u64) {
        self.next = programmed + self.distance;
    }

    /// From now on counts begin at zero.
    pub const fn restart(&mut self) {
        self.next = self.distance;
    }

    /// Whether one is to be made after this number of programs.
    pub const fn is_due(&self, programmed: u64) -> bool {
        programmed >= self.next
    }

    /// What one says of a block with `written` pages: the same as the last if that still holds. Otherwise `pages` reads
    /// the OOBs.
    pub fn summary(
        &self,
        pbn: Pbn,
        written: u16,
        pages: impl FnOnce() -> Box<[(u32, u64)]>,
    ) -> Arc<Summary> {
        let erases = self.erases[pbn.index()];
        let last = self.newest.as_ref().map(|newest| &newest.blocks[pbn.index()]);
        match last.filter(|last| (last.erases, last.written) == (erases, written)) {
            Some(last) => last.clone(),
            None => Arc::new(Summary { erases, written, pages: pages() }),
        }
    }

    /// What the last one says of a block, if that was not erased since.
    pub fn of_block(&self, pbn: Pbn) -> Option<&Arc<Summary>> {
        let summary = &self.newest.as_ref()?.blocks[pbn.index()];
        (summary.erases == self.erases[pbn.index()]).then_some(summary)
    }

    /// Adds one with these blocks to the checkpoints before, or replaces them.
    pub fn add(&self, blocks: Vec<Arc<Summary>>, geometry: &Geometry) -> Addition {
        let entry = ENTRY + u64::from(self.oob_bytes);
        let pages = |summaries: &mut dyn Iterator<Item = &Arc<Summary>>| {
            let bytes: u64 = summaries.map(|each| BLOCK + u64::from(each.written) * entry).sum();
            bytes.div_ceil(geometry.page_bytes.into())
        };
        let whole = pages(&mut blocks.iter());
        let (before, added) = self.newest.as_ref().map_or((0, whole), |old| {
            let pairs = blocks.iter().zip(&old.blocks);
            let changed = pairs.filter(|(now, then)| !Arc::ptr_eq(now, then));
            (old.pages, pages(&mut changed.map(|(now, _)| now)))
        });
        let (programs, erased) = match before + added > 2 * whole {
            true => (whole, before),
            false => (added, 0),
        };
        let checkpoint = Checkpoint { blocks, pages: before + programs - erased };
        Addition { checkpoint, programs, erased }
    }
}
