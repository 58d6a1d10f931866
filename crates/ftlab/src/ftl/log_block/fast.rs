//! FAST, fully associative sector translation (Lee et al., TECS 2007), as `FlashSim` has it.
//!
//! Idea     data blocks are mapped block by block. Overwrites go to log blocks: one *sequential* (SW),
//!          which a write of offset 0 opens for its logical block, and *random* (RW) ones that all
//!          share, page-mapped. When the random log is full, its oldest block is reclaimed: each
//!          logical block with a valid page in it is merged in full.
//! RAM      4 B and a bit per page for each logical block (choices.md#log-valid-bits); for each log block
//!          4 B and 4 B per page (choices.md#ram-payload).
//! Role     the hybrid FTL that CACH-FTL and DLOOP are compared with.
//! Departs  where the paper is silent, `FlashSim` decides (choices.md#fast-rules). Merges are lazy.
//!          A write that does not continue the sequential log of its block causes a merge, which
//!          puts the page in its place. When a block is reclaimed, a logical block that owns the
//!          sequential log completes that log instead of a full merge. An overwrite invalidates the
//!          old version and then reclaims space.
//! Not here the OOB read by which `FlashSim` finds whether a page of a data block is valid, which
//!          is free there. A device with ascending order.
//! Options  `log.map = flash`: the block table is read from and written to flash, as in DLOOP V.D
//!          (choices.md#log-maps). `fast.rules`: `FlashSim`'s program with its bugs, which lose
//!          data ([`flashsim`]).

pub mod flashsim;
mod rules;

pub use rules::{FastByRules, FastRules};

use super::data_blocks::DataBlocks;
use super::sequential_log::SequentialLog;
use super::{LogBlockFtl, LogBlocks};
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::VecDeque;

crate::settings! {
    /// FAST's own parameters.
    pub struct FastConfig in "fast" {
        /// The rules: the paper's, or those of FlashSim's program with its bugs.
        rules: FastRules = FastRules::Paper, source "Lee et al., TECS 2007; choices.md#fast-flashsim";
        /// The effect of a write to a block whose sequential log is full.
        full_sequential: FullSequential = FullSequential::Merge, laws FullSequential::ALL,
            source "FlashSim; choices.md#fast-full-sequential";
    }
}

crate::choices! {
    /// The effect of a write to a block whose sequential log is full, unless it is to offset 0.
    pub enum FullSequential {
        /// A full merge with the page in its place, as for any rewrite inside the log.
        Merge = "merge",
        /// A switch merge; the page then goes to the random log.
        Switch = "switch",
    }
}

/// Log blocks that FAST needs: the sequential one and a random one.
const LEAST_LOG_BLOCKS: u32 = 2;

/// A log block that any logical block may write, and the logical page of each of its pages.
#[derive(Clone, Debug)]
struct Random {
    pbn: Pbn,
    written: Vec<Lpn>,
}

/// FAST.
#[derive(Clone, Debug)]
pub struct Fast {
    data: DataBlocks,
    sequential: Option<SequentialLog>,
    /// Oldest first; the last one takes the writes.
    random: VecDeque<Random>,
    most_random: usize,
    full_sequential: FullSequential,
    log_bytes: u64,
    counts: Counts,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    reclaims: u64,
    sequential_full: u64,
}

/// FAST under the engine of its family.
pub type FastFtl = LogBlockFtl<Fast>;

impl LogBlocks for Fast {
    type Settings = FastConfig;

    const SPEC: Spec = Spec {
        name: "fast",
        title: "FAST",
        summary: "a log block for sequential writes, and others shared by all data blocks",
        source: "Lee et al., TECS 2007",

        ..Spec::ROOM_FIRST
    };
    const LEAST: u32 = LEAST_LOG_BLOCKS;

    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<FastConfig>,
        geometry: &Geometry,
    ) -> Self {
        let page_map = 4 * u64::from(geometry.pages_per_block);
        Fast {
            data,
            sequential: None,
            random: VecDeque::new(),
            most_random: log_blocks as usize - 1,
            full_sequential: setup.own.full_sequential,
            log_bytes: u64::from(log_blocks) * (4 + page_map),
            counts: Counts::default(),
        }
    }

    fn take_over(&mut self, flash: &mut Flash) {
        let (mut has_sequential, mut room) = (false, self.most_random);
        let logs = self.data.place_logs(flash, |block, flash| {
            let written = block.written(flash)?;
            let sequential = SequentialLog::found(block, flash).filter(|_| !has_sequential);
            has_sequential |= sequential.is_some();
            if sequential.is_none() {
                room = room.checked_sub(1)?;
            }
            Some((sequential, written))
        });
        for (block, log) in logs {
            match log {
                (Some(sequential), _) => self.sequential = Some(sequential),
                (None, written) => self.random.push_back(Random { pbn: block.pbn, written }),
            }
        }
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    /// DLOOP II.A, and `FlashSim` where it is silent (choices.md#fast-rules).
    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.data.program_in_place(lpn, flash) {
            return;
        }
        let (lbn, offset) = place(lpn, flash);
        if offset == 0 {
            self.close_sequential(None, flash);
            self.sequential = Some(SequentialLog::open(lbn, &mut self.data));
            return self.append_sequential(lpn, flash);
        }
        let Some(log) = self.sequential.filter(|log| log.lbn == lbn) else {
            return self.append_random(lpn, flash);
        };
        let is_next = unless_bug!(FastGapUnseen, offset == log.next, offset >= log.next);
        if log.is_full(flash) && self.full_sequential == FullSequential::Switch {
            self.close_sequential(None, flash);
            self.append_random(lpn, flash);
        } else if is_next {
            self.append_sequential(lpn, flash);
        } else if offset > log.next {
            self.close_sequential(Some(lpn), flash);
        } else {
            self.sequential = None;
            self.data.merge_full(lbn, Some(lpn), flash);
            unless_bug!(FastSequentialLeaks, self.data.release_log(log.pbn, flash));
            self.counts.sequential_full += 1;
        }
    }

    fn table_bytes(&self) -> u64 {
        self.data.map_bytes() + self.log_bytes
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        let random = self.random.iter().map(|log| log.pbn);
        random.chain(self.sequential.map(|log| log.pbn)).collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("fast.log_blocks", 1 + self.most_random as u64),
            ("fast.random_reclaims", self.counts.reclaims),
            ("fast.sequential_full_merges", self.counts.sequential_full),
        ]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    fn audit(&self, device: &Device) {
        assert!(self.random.len() <= self.most_random, "too many random log blocks");
        if let Some(log) = self.sequential {
            log.audit(&self.data, device);
        }
        for log in &self.random {
            let first = device.geometry().first_page(log.pbn).0;
            for (page, lpn) in (first..).map(Ppn).zip(&log.written) {
                let needed = self.data.newest(*lpn) == Some(page);
                assert_eq!(device.is_valid(page), needed, "page {page} of the random log");
            }
        }
    }
}

impl Fast {
    fn append_sequential(&mut self, lpn: Lpn, flash: &mut Flash) {
        let log = self.sequential.as_mut().expect("a sequential log is open");
        log.append(lpn, &mut self.data, flash);
    }

    /// A switch merge when the sequential log is full, otherwise a partial merge. A partial merge
    /// includes the host's page if that lies behind the log's pages.
    fn close_sequential(&mut self, host: Option<Lpn>, flash: &mut Flash) {
        if let Some(log) = self.sequential.take() {
            let first = unless_bug!(FastMergeSkipsPage, log.next, log.next + 1);
            self.data.merge_into(log.lbn, log.pbn, first, host, flash);
        }
    }

    fn append_random(&mut self, lpn: Lpn, flash: &mut Flash) {
        let pages = flash.geometry().pages_per_block as usize;
        if self.random.back().is_none_or(|log| log.written.len() == pages) {
            let in_use = self.random.len();
            let is_full =
                unless_bug!(FastLogTooMany, in_use == self.most_random, in_use > self.most_random);
            if is_full {
                self.invalidate_early(lpn, flash);
                self.reclaim_oldest(flash);
            }
            let pbn = self.data.take();
            self.random.push_back(Random { pbn, written: Vec::with_capacity(pages) });
        }
        let log = self.random.back_mut().expect("a random log block is open");
        let page = Ppn(flash.geometry().first_page(log.pbn).0 + log.written.len() as u32);
        log.written.push(lpn);
        self.data.program(lpn, page, flash);
    }

    /// Merges every logical block that has a valid page in the oldest random log block.
    fn reclaim_oldest(&mut self, flash: &mut Flash) {
        let victim = self.random.pop_front().expect("the random log is full");
        let first = flash.geometry().first_page(victim.pbn).0;
        for (page, lpn) in (first..).map(Ppn).zip(victim.written) {
            // A merge moves all pages of its logical block out of the log block.
            if !flash.is_valid(page) {
                continue;
            }
            let (lbn, _) = place(lpn, flash);
            let open = self.sequential.is_some_and(|log| log.lbn == lbn);
            let is_open = unless_bug!(FastReclaimsOpenLog, open, false);
            if is_open {
                self.close_sequential(None, flash);
            } else {
                self.data.merge_full(lbn, None, flash);
            }
        }
        self.data.release_log(victim.pbn, flash);
        self.counts.reclaims += 1;
    }
}

/// The logical block of a page, and its offset there.
fn place(lpn: Lpn, flash: &Flash) -> (Lbn, u32) {
    (flash.geometry().logical_block_of(lpn), flash.geometry().offset_of(lpn))
}

#[cfg(test)]
mod tests;
