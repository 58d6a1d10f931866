//! What outlives a power cut: the medium as it was programmed, change by change.

use super::medium::{Medium, WASTED};
use super::truth::Truth;
use crate::units::{Pbn, Ppn};

/// What a page holds whose programming was cut: nothing that can be read.
pub(super) const TORN: u32 = WASTED - 1;

/// A change of the medium.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// A page was programmed: its owner, the stamp of its version and its sequence number.
    Program { ppn: Ppn, raw: u32, stamp: u16, sequence: u64 },
    /// A block was erased, or looks so.
    Erase { pbn: Pbn, whole: bool },
}

impl Change {
    /// What is left of it when power is cut meanwhile.
    pub const fn torn(self) -> Self {
        match self {
            Change::Program { ppn, stamp, sequence, .. } => {
                Change::Program { ppn, raw: TORN, stamp, sequence }
            }
            Change::Erase { pbn, .. } => Change::Erase { pbn, whole: false },
        }
    }
}

/// What the OOB of each page has beside its owner, and how the medium came to be as it is.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Per physical page: how many pages were programmed before it.
    pub sequences: Vec<u64>,
    next: u64,
    pub changes: Vec<Change>,
    /// Blocks that look erased, and are not.
    pub half_erased: Vec<Pbn>,
}

impl Memory {
    /// That of an erased medium.
    pub fn new(pages: u32) -> Self {
        Memory {
            sequences: vec![0; pages as usize],
            next: 0,
            changes: Vec::new(),
            half_erased: Vec::new(),
        }
    }

    #[cold]
    pub fn program(&mut self, ppn: Ppn, raw: u32, stamp: u16) {
        self.next += 1;
        let sequence = self.next;
        self.sequences[ppn.index()] = sequence;
        self.changes.push(Change::Program { ppn, raw, stamp, sequence });
    }

    #[cold]
    pub fn erase(&mut self, pbn: Pbn) {
        self.half_erased.retain(|half| *half != pbn);
        self.changes.push(Change::Erase { pbn, whole: true });
    }
}

/// How the change that a power cut interrupts is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tear {
    /// It was not begun.
    Before,
    /// A page cannot be read; a block looks erased, and must be erased again before it is programmed.
    Within,
}

impl Tear {
    /// All.
    pub const ALL: [Tear; 2] = [Tear::Before, Tear::Within];
}

/// Makes a change to a medium that nobody uses.
pub(super) fn apply(change: Change, medium: &mut Medium, truth: &mut Truth) {
    let memory = medium.memory.as_mut().expect("a medium that remembers");
    match change {
        Change::Program { ppn, raw, stamp, sequence } => {
            medium.owners[ppn.index()] = raw;
            truth.set_stamp(ppn, stamp);
            memory.sequences[ppn.index()] = sequence;
            memory.next = sequence;
        }
        Change::Erase { pbn, whole } => {
            memory.half_erased.retain(|half| *half != pbn);
            if !whole {
                memory.half_erased.push(pbn);
            }
            let first = medium.geometry.first_page(pbn).index();
            medium.owners[first..first + medium.geometry.pages_per_block as usize].fill(0);
            medium.blocks[pbn.index()].erases += 1;
        }
    }
    memory.changes.push(change);
}
