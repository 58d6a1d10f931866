//! MNFTL on a hybrid device, an extension that its paper leaves for later (6). A region of the MLC
//! (or TLC) blocks is used in SLC mode, and takes the writes of the host.
//!
//! Idea     the SLC blocks are a log of all logical blocks, written page after page at the speed of
//!          LSB pages. Each page carries its subtable as in MNFTL, so address translation does not
//!          change. When the log is full, its oldest block is reclaimed. Its valid pages move to
//!          the blocks of their logical blocks, where MNFTL manages them.
//! RAM      as MNFTL, and the number of each SLC block.
//! Role     pages that are overwritten soon die in the fast region and are never copied. A block of
//!          the region has a half (a third) of its pages.
//! Departs  all of it is ours: the paper only calls the extension "an interesting problem".

use super::{Access, Ftl, FtlMetrics, Mnftl, MnftlConfig, MnftlMapping, RamUse, Version};
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Geometry, Owner};
use crate::ftl::Accounts;
use crate::ftl::design::{Design, LEVELS, Mount, Setup, Spec};
use crate::ftl::parts::oob_map::bytes_of_number;
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{Filled, FoundBlock, Survey};
use crate::units::{Lpn, Pbn, Ppn};
use std::collections::VecDeque;

crate::settings! {
    /// Parameters of MNFTL on a hybrid device, in addition to those of MNFTL.
    pub struct MnftlHybridConfig in "mnftl-hybrid" {
        /// Blocks in SLC mode.
        slc_blocks: Option<u32> = None, absent "a quarter of the spare blocks, at least one",
            in 1.., unit "blocks", laws [None, Some(1), Some(2), Some(5)],
            source "choices.md#mnftl-hybrid";
    }
}

impl MnftlHybridConfig {
    /// Blocks in SLC mode on this device.
    fn slc_blocks(&self, geometry: &Geometry) -> u32 {
        let spare = geometry.blocks() - geometry.logical_blocks();
        self.slc_blocks.map_or((spare / 4).max(1), |blocks| blocks.min(geometry.blocks()))
    }
}

/// MNFTL behind a log in SLC mode.
#[derive(Clone, Debug)]
pub struct MnftlHybrid {
    mnftl: Mnftl,
    /// SLC blocks in use, oldest first; the last one takes the writes.
    log: VecDeque<Pbn>,
    free: FreeBlocks,
    slc_blocks: u32,
    table_bytes: u64,
    reclaims: u64,
    moved: u64,
}

impl Design for MnftlHybrid {
    type Settings = (MnftlConfig, MnftlHybridConfig);

    const SPEC: Spec = Spec {
        name: "mnftl-hybrid",
        title: "MNFTL-hybrid",
        summary: "mnftl behind a log of blocks in SLC mode; needs device.cell mlc or tlc",
        source: "this project; Qin et al., DAC 2011, section 6; the parameters of mnftl",
        obeys: &[LEVELS],
        needs_word_lines: true,
        ..Spec::IN_OOBS
    };
    const MOUNT: Option<Mount<Self>> = Some(|setup, flash| {
        let mut ftl = Self::build(setup, flash)?;
        let (first_slc, blocks) = (ftl.first_slc_block(flash), flash.geometry().blocks());
        let found = Survey::of(0..blocks, Filled::InOrder, flash).newest(flash.geometry());
        ftl.mnftl.recover(&found, 0..first_slc, flash);
        ftl.free = FreeBlocks::found(first_slc..blocks, BlockKind::Log, Cause::GcData, flash);
        // Pages are never copied to SLC blocks, so a block is as old as its pages.
        let log = FoundBlock::by_age(&found, flash.geometry()).into_iter().map(|block| block.pbn);
        ftl.log = log.filter(|pbn| pbn.0 >= first_slc).collect();
        ftl.mnftl.write_lost_subtables(flash);
        Ok(ftl)
    });

    fn build(
        setup: &Setup<(MnftlConfig, MnftlHybridConfig)>,
        flash: &mut Flash,
    ) -> Result<Self, Error> {
        let geometry = flash.geometry();
        let blocks = geometry.blocks();
        let (mnftl, hybrid) = setup.own.clone();
        if mnftl.mapping == MnftlMapping::Separated {
            let message = "found separated, expected concentrated: mnftl-hybrid writes all versions to its log";
            return Err(Error::config("mnftl.mapping", message));
        }
        let slc_blocks = hybrid.slc_blocks(geometry);
        let number = u64::from(bytes_of_number(blocks));
        flash.use_slc_mode(blocks - slc_blocks..blocks, &setup.device)?;
        Ok(MnftlHybrid {
            mnftl: Mnftl::in_blocks(&setup.with(mnftl), flash, 0..blocks - slc_blocks)?,
            log: VecDeque::new(),
            free: FreeBlocks::within(blocks - slc_blocks..blocks),
            slc_blocks,
            table_bytes: u64::from(slc_blocks) * number,
            reclaims: 0,
            moved: 0,
        })
    }
}

impl Ftl for MnftlHybrid {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.mnftl.read(access, flash);
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
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

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.mnftl.trim(access, flash);
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

    fn log_blocks(&self) -> Vec<Pbn> {
        self.log.iter().copied().collect()
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

    fn accounts(&self) -> Accounts {
        Accounts { regions: true, ..Accounts::default() }
    }

    fn audit(&self, device: &Device) {
        self.mnftl.audit(device);
        assert_eq!(self.log.len() as u32 + self.free.len(), self.slc_blocks, "SLC blocks");
        for (at, pbn) in self.log.iter().enumerate() {
            assert!(
                device.is_full(*pbn) || at + 1 == self.log.len(),
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

    /// The SLC blocks are the last ones.
    const fn first_slc_block(&self, flash: &Flash) -> u32 {
        flash.geometry().blocks() - self.slc_blocks
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

    /// Moves the valid pages out of the oldest SLC block. The OOB of each page names the page and
    /// holds a subtable. If that is not the newest, the newest one is read to find whether the page
    /// is valid.
    fn reclaim(&mut self, flash: &mut Flash) {
        let victim = self.log.pop_front().expect("SLC blocks are in use when none is free");
        let first = flash.geometry().first_page(victim).0;
        for ppn in (first..first + flash.pages_of(victim)).map(Ppn) {
            if flash.is_skipped(ppn) {
                continue;
            }
            let Owner::Data(lpn) = flash.read_oob(ppn, Cause::GcData) else { continue };
            self.moved += u64::from(self.mnftl.move_in(lpn, ppn, victim, flash));
        }
        flash.erase(victim, BlockKind::Log, Cause::GcData);
        self.free.give(victim, flash);
        self.reclaims += 1;
    }
}

impl Mnftl {
    /// Moves a page from the foreign block `victim` to a block of its logical block, if it is the
    /// newest version. Otherwise it saves the subtable of the page, if that is the newest. Returns
    /// whether the page moved.
    fn move_in(&mut self, lpn: Lpn, from: Ppn, victim: Pbn, flash: &mut Flash) -> bool {
        let piece = self.map.piece_of(lpn);
        if let Some(newest) = self.map.holder(piece).filter(|holder| *holder != from) {
            flash.read_oob(newest, Cause::GcData);
        }
        let lbn = flash.geometry().logical_block_of(lpn);
        if self.map.newest(lpn) == Some(from) || self.map.holder(piece) == Some(from) {
            self.make_room(lbn, Version::Later, flash);
        }
        // Collection, which saves subtables, may have moved the page already.
        let newest = unless_bug!(HybridForgetsValid, true, !lpn.0.is_multiple_of(64));
        let valid = newest && self.map.newest(lpn) == Some(from);
        if valid {
            let to = self.next_page(lbn, Version::Later, flash);
            self.relocate(from, to, flash);
        } else if self.map.holder(piece) == Some(from) {
            self.rescue(piece, victim, lbn, flash);
        }
        valid
    }
}
