//! Log blocks that belong to one logical block each, written page after page: at most one for each
//! logical block, and a fixed number in all.
//!
//! A log block is merged when it is full and its owner writes again, or, when all are in use, because
//! another logical block needs one: the log block written least recently goes.

use super::data_blocks::DataBlocks;
use crate::cache::links::{Links, List, NIL};
use crate::cache::slab::Slab;
use crate::flash::Flash;
use crate::units::{Lbn, Lpn, Pbn, Ppn};

/// Which merges an FTL knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// A log block that was written in order becomes the data block.
    All,
    /// Every merge is full.
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
    in_order: bool,
}

/// Data blocks with their log blocks.
#[derive(Clone, Debug)]
pub struct OwnedLogs {
    data: DataBlocks,
    kinds: Kinds,
    most: usize,
    logs: Slab<OwnedLog>,
    /// Token of the log of each logical block, or [`NIL`].
    log_of: Vec<u32>,
    links: Links,
    /// Tokens by the last write, the newest in front.
    recency: List,
}

impl OwnedLogs {
    /// No log block in use, of `most`.
    #[must_use]
    pub fn new(data: DataBlocks, logical_blocks: u32, most: u32, kinds: Kinds) -> Self {
        OwnedLogs {
            data,
            kinds,
            most: most as usize,
            logs: Slab::default(),
            log_of: vec![NIL; logical_blocks as usize],
            links: Links::default(),
            recency: List::default(),
        }
    }

    /// The data blocks.
    #[must_use]
    pub const fn data(&self) -> &DataBlocks {
        &self.data
    }

    /// The data blocks, to count anew or to forget a page.
    pub const fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    /// The log block of a logical block.
    #[must_use]
    pub fn log(&self, lbn: Lbn) -> Option<&OwnedLog> {
        Some(self.log_of[lbn.index()]).filter(|token| *token != NIL).map(|token| &self.logs[token])
    }

    /// Writes a page for the host: at its offset when nothing is there yet, else to the log.
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
                self.merge(self.logs[self.recency.back()].lbn, flash);
            }
            self.open(lbn);
        }
        let page = self.next_page(lbn, flash.geometry().offset_of(lpn), flash);
        self.data.program(lpn, page, flash);
    }

    fn open(&mut self, lbn: Lbn) {
        let pbn = self.data.take();
        let token = self.logs.insert(OwnedLog { lbn, pbn, written: 0, in_order: true });
        self.links.grow(self.logs.tokens());
        self.links.push_front(&mut self.recency, token);
        self.log_of[lbn.index()] = token;
    }

    /// The next page of a log, for this offset of its owner.
    fn next_page(&mut self, lbn: Lbn, offset: u32, flash: &Flash) -> Ppn {
        let token = self.log_of[lbn.index()];
        self.links.touch(&mut self.recency, token);
        let log = &mut self.logs[token];
        log.in_order &= offset == log.written;
        log.written += 1;
        Ppn(flash.geometry().first_page(log.pbn).0 + log.written - 1)
    }

    fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        let token = std::mem::replace(&mut self.log_of[lbn.index()], NIL);
        self.links.remove(&mut self.recency, token);
        let log = self.logs.remove(token);
        if log.in_order && self.kinds == Kinds::All {
            self.data.merge_into(lbn, log.pbn, log.written, None, flash);
        } else {
            self.data.merge_full(lbn, None, flash);
            self.data.release_log(log.pbn, flash);
        }
    }

    /// Recomputes every invariant.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn audit(&self, flash: &Flash) {
        assert!(self.logs.len() <= self.most, "{} log blocks of {}", self.logs.len(), self.most);
        self.links.audit(&self.recency);
        assert_eq!(self.recency.len(), self.logs.len(), "log blocks by recency");
        let logs: Vec<Pbn> = self.logs.iter().map(|(_, log)| log.pbn).collect();
        self.data.audit(&logs, flash);
        let owners = self.log_of.iter().filter(|token| **token != NIL).count();
        assert_eq!(owners, self.logs.len(), "owners of log blocks");
        for (token, log) in self.logs.iter() {
            assert_eq!(self.log_of[log.lbn.index()], token, "log block of {}", log.lbn);
            self.audit_log(log, flash);
        }
    }

    /// Only pages of its owner; as many as were written, in order if it says so.
    fn audit_log(&self, log: &OwnedLog, flash: &Flash) {
        let geometry = flash.geometry();
        let first = geometry.first_page(log.pbn).0;
        let in_log = |ppn: &Ppn| geometry.block_of(*ppn) == log.pbn;
        for offset in 0..geometry.pages_per_block {
            assert_eq!(flash.is_programmed(Ppn(first + offset)), offset < log.written);
            let lpn = Lpn(geometry.first_logical_page(log.lbn).0 + offset);
            if let Some(ppn) = self.data.newest(lpn).filter(in_log) {
                let in_place = ppn.0 - first == offset;
                assert!(!log.in_order || in_place, "{lpn} is out of order in its log");
            }
        }
        let valid = (0..geometry.pages_per_block)
            .map(|offset| Lpn(geometry.first_logical_page(log.lbn).0 + offset))
            .filter(|lpn| self.data.newest(*lpn).is_some_and(|ppn| in_log(&ppn)))
            .count();
        assert_eq!(flash.valid_in(log.pbn), valid as u32, "pages of others in a log block");
    }
}
