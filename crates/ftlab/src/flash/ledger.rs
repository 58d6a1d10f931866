//! Counts of flash operations by cause. Every count of a report is a cell of this table.

use crate::purpose::Cause;

/// What a block was filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// User pages.
    Data,
    /// Updates of user pages, to be merged with the data blocks of these.
    Log,
    /// Translation pages, those of a block map among them.
    Translation,
}

impl BlockKind {
    /// All kinds, in the order of reports.
    pub const ALL: [BlockKind; 3] = [BlockKind::Data, BlockKind::Log, BlockKind::Translation];

    /// The name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BlockKind::Data => "data",
            BlockKind::Log => "log",
            BlockKind::Translation => "translation",
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Page read.
    Read,
    /// OOB read.
    ReadOob,
    /// Page program.
    Program,
    /// Copy-back inside a plane.
    CopyBack,
    /// Block erase.
    Erase,
}

impl Operation {
    /// All operations, in the order of their numbers.
    pub const ALL: [Operation; 5] = [
        Operation::Read,
        Operation::ReadOob,
        Operation::Program,
        Operation::CopyBack,
        Operation::Erase,
    ];
}

const CAUSES: usize = Cause::ALL.len();

/// Operations counted by kind and cause, and erases by kind of block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    cells: [[u64; CAUSES]; 5],
    erases: [u64; BlockKind::ALL.len()],
    unused: u64,
    wasted: u64,
}

impl Ledger {
    #[inline]
    pub(crate) fn count(&mut self, operation: Operation, cause: Cause) {
        self.count_many(operation, cause, 1);
    }

    #[inline]
    pub(crate) fn count_many(&mut self, operation: Operation, cause: Cause, times: u32) {
        self.cells[operation as usize][cause as usize] += u64::from(times);
    }

    pub(crate) fn count_erase(&mut self, kind: BlockKind, cause: Cause, unused: u32) {
        self.count(Operation::Erase, cause);
        self.erases[kind as usize] += 1;
        self.unused += u64::from(unused);
    }

    pub(crate) const fn count_wasted(&mut self) {
        self.wasted += 1;
    }

    /// Pages skipped so that a copy-back keeps the parity of a page.
    #[must_use]
    pub const fn wasted_pages(&self) -> u64 {
        self.wasted
    }

    /// Erases of blocks that were filled with `kind`.
    #[must_use]
    pub const fn erases(&self, kind: BlockKind) -> u64 {
        self.erases[kind as usize]
    }

    /// Pages that had not been programmed since the last erase of their block when it was erased again.
    #[must_use]
    pub const fn pages_erased_unused(&self) -> u64 {
        self.unused
    }

    /// The count of an operation for a cause.
    #[must_use]
    pub const fn get(&self, operation: Operation, cause: Cause) -> u64 {
        self.cells[operation as usize][cause as usize]
    }

    /// Calls `note` with each operation and cause that was counted after `seen`, and how often. `seen` is then as
    /// this is.
    #[inline]
    pub(crate) fn since(&self, seen: &mut Ledger, mut note: impl FnMut(Operation, Cause, u64)) {
        let rows = self.cells.iter().zip(&mut seen.cells);
        for (operation, (row, seen)) in Operation::ALL.into_iter().zip(rows) {
            // Most operations are of a kind or two. Without a call, this compares several at once.
            if row.iter().zip(&*seen).fold(0, |differs, (now, then)| differs | (now ^ then)) == 0 {
                continue;
            }
            for (cause, (count, seen)) in Cause::ALL.into_iter().zip(row.iter().zip(seen)) {
                if count != seen {
                    note(operation, cause, *count - *seen);
                    *seen = *count;
                }
            }
        }
    }

    /// The count of an operation over all causes.
    #[must_use]
    pub fn total(&self, operation: Operation) -> u64 {
        self.cells[operation as usize].iter().sum()
    }

    /// Reads + programs + 2 x copy-backs + erases: the unit of simulation speed.
    #[must_use]
    pub fn flash_operations(&self) -> u64 {
        self.total(Operation::Read)
            + self.total(Operation::Program)
            + 2 * self.total(Operation::CopyBack)
            + self.total(Operation::Erase)
    }

    /// Pages programmed by any means.
    #[must_use]
    pub fn pages_programmed(&self) -> u64 {
        self.total(Operation::Program) + self.total(Operation::CopyBack)
    }
}
