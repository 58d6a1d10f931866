//! Log blocks that belong to one logical block each, written page after page: at most one for each
//! logical block, and a fixed number in all.
//!
//! A log block is merged when it is full and its owner writes again. When all are in use and
//! another logical block needs one, the log block written least recently is merged.

use super::data_blocks::DataBlocks;
use super::sequential_log::SequentialLog;
use crate::cache::recent_map::RecentMap;
use crate::flash::{Cause, Device, Flash};
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::BTreeSet;

/// The merges that an FTL can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// A log block that was written in order becomes the data block.
    All,
    /// Every merge is full, and reads OOBs to find each page.
    Full,
}

/// A log block of one logical block.
#[derive(Clone, Copy, Debug)]
pub struct OwnedLog {
    /// The owner.
    pub lbn: Lbn,
    /// The block.
    pub pbn: Pbn,
    /// Pages written.
    pub written: u32,
    /// Whether page k holds offset k, for all that were written.
    pub in_order: bool,
}

/// Data blocks with their log blocks.
#[derive(Clone, Debug)]
pub struct OwnedLogs {
    data: DataBlocks,
    kinds: Kinds,
    most: usize,
    /// By the number of the owner, and by the last write.
    logs: RecentMap<OwnedLog>,
}

impl OwnedLog {
    /// A log block found after power was lost, if it is of this kind.
    #[must_use]
    pub fn found(block: &FoundBlock, flash: &Flash) -> Option<Self> {
        let lbn = block.owner(flash.geometry()).filter(|_| block.can_be_read(flash))?;
        let written = block.written(flash)?.len() as u32;
        let in_order = SequentialLog::found(block, flash).is_some();
        Some(OwnedLog { lbn, pbn: block.pbn, written, in_order })
    }
}

impl OwnedLogs {
    /// No log block in use, of `most`.
    #[must_use]
    pub fn new(data: DataBlocks, logical_blocks: u32, most: u32, kinds: Kinds) -> Self {
        OwnedLogs { data, kinds, most: most as usize, logs: RecentMap::new(logical_blocks) }
    }

    /// As [`DataBlocks::newest`].
    #[inline]
    #[must_use]
    pub fn newest(&self, lpn: Lpn) -> Option<Ppn> {
        self.data.newest(lpn)
    }

    /// Takes over the log blocks found after power was lost, the first of each logical block.
    pub fn take_over(&mut self, flash: &mut Flash) {
        let (mut owners, most) = (BTreeSet::new(), self.most);
        let mut logs = self.data.place_logs(flash, |block, flash| {
            OwnedLog::found(block, flash)
                .filter(|log| owners.len() < most && owners.insert(log.lbn))
        });
        logs.sort_by_cached_key(|(block, _)| block.written_last());
        logs.into_iter().for_each(|(_, log)| self.attach(log));
    }

    /// Gives a logical block without a log block this one.
    pub fn attach(&mut self, log: OwnedLog) {
        self.logs.insert(log.lbn.0, log);
    }

    /// The data blocks.
    #[must_use]
    pub const fn data(&self) -> &DataBlocks {
        &self.data
    }

    /// The data blocks, for resetting counts and unmapping pages.
    pub const fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    /// Number of log blocks in use.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.logs.len()
    }

    /// Whether no log block is in use.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// The log blocks in use.
    pub fn blocks(&self) -> impl Iterator<Item = Pbn> {
        self.logs.iter().map(|(_, log)| log.pbn)
    }

    /// The logical block whose log block was written least recently.
    #[must_use]
    pub fn least_recent(&self) -> Option<Lbn> {
        self.logs.least_recent().map(Lbn)
    }

    /// The log block of a logical block.
    #[must_use]
    pub fn log(&self, lbn: Lbn) -> Option<&OwnedLog> {
        self.logs.get(lbn.0)
    }

    /// Pages that a merge copies before these pages of one logical block can be written, if a merge
    /// is needed.
    #[must_use]
    pub fn cost_of_writing(&self, pages: &[Lpn], flash: &Flash) -> u64 {
        let overwrites = self.data.overwrites(pages, flash);
        let own = self.log(flash.geometry().logical_block_of(pages[0]));
        let room = own.map_or(0, |log| (flash.geometry().pages_per_block - log.written) as usize);
        let merged = match own {
            _ if overwrites <= room => None,
            Some(log) => Some(log),
            None if self.logs.len() == self.most => {
                self.least_recent().and_then(|lbn| self.log(lbn))
            }
            None => None,
        };
        merged.map_or(0, |log| {
            let is_partial = unless_bug!(LogsCostsOfAll, self.becomes_data(log), false);
            let first = if is_partial { log.written } else { 0 };
            self.data.pages_held(log.lbn, first, flash)
        })
    }

    /// Writes a page for the host: at its offset if that is erased, otherwise to the log.
    pub fn write(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.data.program_in_place(lpn, flash) {
            return;
        }
        let lbn = flash.geometry().logical_block_of(lpn);
        let pages = flash.geometry().pages_per_block;
        if self.log(lbn).is_some_and(|log| log.written == pages) {
            self.merge(lbn, flash);
            if self.data.program_in_place(lpn, flash) {
                return;
            }
        }
        if self.log(lbn).is_none() {
            if self.logs.len() == self.most {
                let oldest = self.least_recent().expect("all log blocks are in use");
                self.merge(oldest, flash);
            }
            self.open(lbn);
        }
        self.append(lpn, flash);
    }

    /// Programs a page for the host in the log block of its logical block.
    pub fn append(&mut self, lpn: Lpn, flash: &mut Flash) {
        let page = self.next_page(lpn, flash);
        self.data.program(lpn, page, flash);
    }

    /// Copies the newest version of a page to the log block of its logical block.
    pub fn move_here(&mut self, lpn: Lpn, flash: &mut Flash) {
        let page = self.next_page(lpn, flash);
        self.data.relocate(lpn, page, Cause::Merge, flash);
    }

    /// Gives a logical block without a log block a fresh one.
    pub fn open(&mut self, lbn: Lbn) {
        let pbn = self.data.take();
        self.attach(OwnedLog { lbn, pbn, written: 0, in_order: true });
    }

    /// Detaches the log block of a logical block, with the pages in it.
    pub fn detach(&mut self, lbn: Lbn) -> Option<OwnedLog> {
        self.logs.remove(lbn.0)
    }

    /// The next page of a log, for a page of its owner.
    fn next_page(&mut self, lpn: Lpn, flash: &Flash) -> Ppn {
        let lbn = flash.geometry().logical_block_of(lpn);
        let offset = flash.geometry().offset_of(lpn);
        self.logs.touch(lbn.0);
        let log = self.logs.get_mut(lbn.0).expect("a logical block with a log");
        log.in_order &=
            unless_bug!(LogsDisorderUnseen, offset == log.written, offset >= log.written);
        log.written += 1;
        Ppn(flash.geometry().first_page(log.pbn).0 + log.written - 1)
    }

    /// Whether a merge makes a log block the data block, because its pages are in order from the
    /// first.
    fn becomes_data(&self, log: &OwnedLog) -> bool {
        log.in_order && self.kinds == Kinds::All
    }

    /// Merges a logical block with its log block, if it has one.
    pub fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        match self.logs.remove(lbn.0) {
            Some(log) if self.becomes_data(&log) => {
                self.data.merge_into(lbn, log.pbn, log.written, None, flash);
            }
            Some(log) => {
                if self.kinds == Kinds::Full {
                    self.look_for_pages(&log, flash);
                }
                self.data.merge_full(lbn, None, flash);
                self.data.release_log(log.pbn, flash);
            }
            None => self.data.merge_full(lbn, None, flash),
        }
    }

    /// Reads the OOBs that locate the newest pages of a logical block. These are all of its log
    /// block, and those of its data block at the offsets of unmapped pages. A copied page includes
    /// its OOB.
    fn look_for_pages(&mut self, log: &OwnedLog, flash: &mut Flash) {
        flash.scan_oob(flash.geometry().first_page(log.pbn), log.written, Cause::Merge);
        self.data.look_where_nothing_is(log.lbn, flash);
    }

    /// Recomputes the invariants of the log blocks; as many as `others` were detached.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn audit(&self, others: usize, device: &Device) {
        let in_use = self.logs.len() + others;
        assert!(in_use <= self.most, "{in_use} log blocks of {}", self.most);
        self.logs.audit();
        for (lbn, log) in self.logs.iter() {
            assert_eq!(log.lbn, Lbn(lbn), "owner of a log block");
            self.audit_log(log, device);
        }
    }

    /// Checks the number of pages of its owner in a log block, and their order if the log block
    /// claims one.
    fn audit_log(&self, log: &OwnedLog, flash: &Flash) {
        let geometry = flash.geometry();
        let first = geometry.first_page(log.pbn).0;
        let in_log = |ppn: &Ppn| geometry.block_of(*ppn) == log.pbn;
        for (offset, lpn) in (0..).zip(geometry.logical_pages_of(log.lbn)) {
            assert_eq!(flash.is_programmed(Ppn(first + offset)), offset < log.written);
            if let Some(ppn) = self.data.newest(lpn).filter(in_log) {
                let in_place = ppn.0 - first == offset;
                assert!(!log.in_order || in_place, "{lpn} is out of order in its log");
            }
        }
        let valid = geometry
            .logical_pages_of(log.lbn)
            .filter(|lpn| self.data.newest(*lpn).is_some_and(|ppn| in_log(&ppn)))
            .count();
        assert_eq!(flash.valid_in(log.pbn), valid as u32, "pages of others in a log block");
    }
}
