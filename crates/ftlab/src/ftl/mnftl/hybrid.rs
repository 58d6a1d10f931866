//! MNFTL on a hybrid device, the extension that its paper leaves for later (6): a region of the MLC
//! (or TLC) blocks is used in SLC mode, and takes what the host writes.
//!
//! Idea     the SLC blocks are a log of all logical blocks, written page after page at the speed of LSB
//!          pages. Each page carries its subtable as in MNFTL, so address translation does not change. When
//!          the log is full its oldest block is reclaimed: the pages in it that are still valid move to
//!          the blocks of their logical blocks, and MNFTL goes on from there.
//! RAM      as MNFTL, and the number of each SLC block.
//! Role     what is overwritten soon dies in the fast region and is never copied; a block of it holds a
//!          half (a third) of what it would.
//! Departs  all of it is ours: the paper says only that the extension is "an interesting problem".

use super::{Ftl, FtlMetrics, Mnftl, RamUse};
use crate::config::Config;
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Flash, Geometry, Owner};
use crate::ftl::parts::free_blocks::FreeBlocks;
use crate::ftl::parts::oob_map::bytes_of_number;
use crate::units::{Lpn, Pbn, Ppn};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Parameters of MNFTL on a hybrid device, beside those of MNFTL.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MnftlHybridConfig {
    /// Blocks in SLC mode. Absent: a quarter of the spare blocks, at least one.
    pub slc_blocks: Option<u32>,
}

impl MnftlHybridConfig {
    /// Blocks in SLC mode on this device.
    fn slc_blocks(&self, geometry: &Geometry) -> Result<u32, Error> {
        let spare = geometry.blocks() - geometry.logical_blocks();
        match self.slc_blocks {
            None => Ok((spare / 4).max(1)),
            Some(0) => {
                let message = "found 0, expected at least 1";
                Err(Error::config("mnftl-hybrid.slc_blocks", message))
            }
            Some(blocks) => Ok(blocks.min(geometry.blocks())),
        }
    }
}

/// MNFTL behind a log in SLC mode.
#[derive(Clone, Debug)]
pub struct MnftlHybrid {
    mnftl: Mnftl,
    /// SLC blocks in use, oldest first; the last one is written.
    log: VecDeque<Pbn>,
    free: FreeBlocks,
    slc_blocks: u32,
    table_bytes: u64,
    reclaims: u64,
    moved: u64,
}

impl Ftl for MnftlHybrid {
    fn build(config: &Config, flash: &mut Flash) -> Result<Self, Error> {
        let geometry = flash.geometry();
        let blocks = geometry.blocks();
        let slc_blocks = config.mnftl_hybrid.slc_blocks(geometry)?;
        let number = u64::from(bytes_of_number(blocks));
        flash.use_slc_mode(blocks - slc_blocks..blocks, &config.device)?;
        Ok(MnftlHybrid {
            mnftl: Mnftl::in_blocks(config, flash, 0..blocks - slc_blocks)?,
            log: VecDeque::new(),
            free: FreeBlocks::within(blocks - slc_blocks..blocks),
            slc_blocks,
            table_bytes: u64::from(slc_blocks) * number,
            reclaims: 0,
            moved: 0,
        })
    }

    fn read(&mut self, pages: &[Lpn], flash: &mut Flash) {
        self.mnftl.read(pages, flash);
    }

    fn write(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            if self.is_full(flash) && self.free.is_empty() {
                self.reclaim(flash);
            }
            self.mnftl.look_up(lpn, flash);
            let to = self.next_page(flash);
            self.mnftl.program(lpn, to, flash);
        }
    }

    fn trim(&mut self, pages: &[Lpn], flash: &mut Flash) {
        self.mnftl.trim(pages, flash);
    }

    fn uses_idle_time(&self) -> bool {
        self.mnftl.uses_idle_time()
    }

    fn background(&mut self, flash: &mut Flash) -> bool {
        self.mnftl.background(flash)
    }

    fn ram(&self) -> RamUse {
        let ram = self.mnftl.ram();
        RamUse { tables: ram.tables + self.table_bytes, ..ram }
    }

    fn metrics(&self) -> FtlMetrics {
        let mut metrics = self.mnftl.metrics();
        metrics.own.insert("mnftl-hybrid.slc_blocks", u64::from(self.slc_blocks));
        metrics.own.insert("mnftl-hybrid.slc_reclaims", self.reclaims);
        metrics.own.insert("mnftl-hybrid.slc_moved", self.moved);
        metrics
    }

    fn reset_metrics(&mut self) {
        self.mnftl.reset_metrics();
        self.reclaims = 0;
        self.moved = 0;
    }

    fn audit(&self, flash: &Flash) {
        self.mnftl.audit(flash);
        assert_eq!(self.log.len() as u32 + self.free.len(), self.slc_blocks, "SLC blocks");
        for (at, pbn) in self.log.iter().enumerate() {
            assert!(
                flash.is_full(*pbn) || at + 1 == self.log.len(),
                "SLC block {pbn} was left half written"
            );
        }
    }
}

impl MnftlHybrid {
    #[cfg(test)]
    pub(super) const fn mnftl_map(&self) -> &super::OobMap {
        &self.mnftl.map
    }

    /// Whether no SLC block is open.
    #[inline]
    fn is_full(&self, flash: &Flash) -> bool {
        self.log.back().is_none_or(|pbn| flash.is_full(*pbn))
    }

    #[inline]
    fn next_page(&mut self, flash: &Flash) -> Ppn {
        if self.is_full(flash) {
            self.log.push_back(self.free.take().expect("an SLC block was reclaimed"));
        }
        let pbn = *self.log.back().expect("a block is open");
        flash.next_page(pbn)
    }

    /// Moves what is valid in the oldest SLC block out of it. The OOB of each of its pages names the page
    /// and holds a subtable; unless that is the newest, the newest one is read to see what is valid.
    fn reclaim(&mut self, flash: &mut Flash) {
        let victim = self.log.pop_front().expect("SLC blocks are in use when none is free");
        let first = flash.geometry().first_page(victim).0;
        for ppn in (first..first + flash.pages_of(victim)).map(Ppn) {
            let Owner::Data(lpn) = flash.read_oob(ppn, Cause::GcData) else { continue };
            self.moved += u64::from(self.mnftl.move_in(lpn, ppn, victim, flash));
        }
        flash.erase(victim, BlockKind::Log, Cause::GcData);
        self.free.give(victim, flash);
        self.reclaims += 1;
    }
}

impl Mnftl {
    /// Moves a page from block `victim`, which is not its own, to a block of its logical block, if it
    /// is the newest version; else its subtable, if that is the newest one. Returns whether the page moved.
    fn move_in(&mut self, lpn: Lpn, from: Ppn, victim: Pbn, flash: &mut Flash) -> bool {
        let piece = self.map.piece_of(lpn);
        if let Some(newest) = self.map.holder(piece).filter(|holder| *holder != from) {
            flash.read_oob(newest, Cause::GcData);
        }
        let lbn = flash.geometry().logical_block_of(lpn);
        if self.map.newest(lpn) == Some(from) || self.map.holder(piece) == Some(from) {
            self.make_room(lbn, flash);
        }
        // Collection saves subtables, and may have moved the page already.
        let valid = self.map.newest(lpn) == Some(from);
        if valid {
            let to = self.next_page(lbn, flash);
            self.relocate(from, to, flash);
        } else if self.map.holder(piece) == Some(from) {
            self.rescue(piece, victim, lbn, flash);
        }
        valid
    }
}
