//! A log block that holds offsets 0 to `next - 1` of one logical block, in order. While no page in
//! it is superseded, it becomes the data block by a switch or a partial merge.

use super::data_blocks::DataBlocks;
use crate::flash::Flash;
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ppn};

/// The log block of a logical block that is written from its first page on.
#[derive(Clone, Copy, Debug)]
pub struct SequentialLog {
    /// The owner.
    pub lbn: Lbn,
    /// The block.
    pub pbn: Pbn,
    /// The offset to be written next.
    pub next: u32,
}

impl SequentialLog {
    /// A fresh block for a logical block.
    pub fn open(lbn: Lbn, data: &mut DataBlocks) -> Self {
        SequentialLog { lbn, pbn: data.take(), next: 0 }
    }

    /// A log block found after power was lost, if it is of this kind.
    #[must_use]
    pub fn found(block: &FoundBlock, flash: &Flash) -> Option<Self> {
        let lbn = block.in_place(flash.geometry()).filter(|_| block.is_newest(flash))?;
        let written = block.written(flash)?;
        Some(SequentialLog { lbn, pbn: block.pbn, next: written.len() as u32 })
    }

    /// Programs the page of offset `next` for the host.
    pub fn append(&mut self, lpn: Lpn, data: &mut DataBlocks, flash: &mut Flash) {
        let page = Ppn(flash.geometry().first_page(self.pbn).0 + self.next);
        self.next += 1;
        data.program(lpn, page, flash);
    }

    /// Whether every page is programmed.
    #[must_use]
    pub const fn is_full(&self, flash: &Flash) -> bool {
        self.next == flash.geometry().pages_per_block
    }

    /// Checks that the log holds the first pages of its owner in order, and the valid versions of these.
    ///
    /// # Panics
    /// When it does not.
    pub fn audit(&self, data: &DataBlocks, flash: &Flash) {
        let geometry = flash.geometry();
        let first = geometry.first_page(self.pbn).0;
        for (offset, lpn) in (0..).zip(geometry.logical_pages_of(self.lbn)) {
            let page = Ppn(first + offset);
            assert_eq!(
                flash.is_programmed(page),
                offset < self.next,
                "{page} of the sequential log"
            );
            if let Some(newest) = data.newest(lpn).filter(|_| offset < self.next) {
                assert_eq!(newest, page, "{lpn} is newer than the sequential log");
            }
        }
    }
}
