//! AFTL, adaptive two-level management (Wu & Kuo, ICCAD 2006): overwritten pages get their own
//! mapping instead of a merge.
//!
//! Idea     coarse: a logical block has a primary block and a replacement block, as in NFTL. A full
//!          replacement block is not merged. Each of its valid pages gets an entry of the *fine*
//!          table and remains in place, and the logical block begins another replacement block. The
//!          table is small. The entry used least recently becomes coarse again, which copies its
//!          page to the replacement block of its logical block.
//! RAM      8 B and a bit per page for each logical block (choices.md#log-valid-bits), and 8 B per entry
//!          of the fine table (choices.md#ram-payload).
//! Role     between block and page mapping, page by page.
//! Departs  a reconstruction: we know the paper by its title and by others (choices.md#aftl-rules).
//!          Known: the two levels and both switches. Reconstructed: a page becomes coarse by a
//!          merge if its logical block has no room for it in a replacement block. The logical block
//!          written least recently is merged when all log blocks are in use. Assumed: a replacement
//!          block written in order becomes the primary one, and the RAM of a block table holds the
//!          entries.
//! Not here the OOB reads by which NFTL finds a page in a replacement block. Its place is taken as
//!          known, so that only merges differ from `bast`. A device with ascending order.

use super::data_blocks::DataBlocks;
use super::owned_logs::{Kinds, OwnedLog, OwnedLogs};
use super::{LogBlockFtl, LogBlocks};
use crate::cache::recent_map::RecentMap;
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::Accounts;
use crate::ftl::design::{Setup, Spec};
use crate::settings::absent_or;
use crate::units::{Lbn, Lpn, Pbn, Ppn};

crate::settings! {
    /// AFTL's own parameters.
    pub struct AftlConfig in "aftl" {
        /// Entries of the fine table.
        entries: Option<u32> = None,
            absent "half as many as logical blocks, in the RAM of a block table", unit "entries",
            laws absent_or(0..=40), source "choices.md#aftl-rules";
    }
}

/// AFTL.
#[derive(Clone, Debug)]
pub struct Aftl {
    /// Primary and replacement blocks.
    coarse: OwnedLogs,
    /// Pages with their own mapping, by their last use.
    fine: RecentMap<()>,
    most_entries: usize,
    /// Former replacement blocks that hold such pages, of each logical block.
    fine_blocks: Vec<Vec<Pbn>>,
    fine_blocks_in_use: usize,
    log_blocks: usize,
    counts: Counts,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    refined_pages: u64,
    coarsened_pages: u64,
    dead_blocks: u64,
}

/// AFTL under the engine of its family.
pub type AftlFtl = LogBlockFtl<Aftl>;

impl LogBlocks for Aftl {
    type Settings = AftlConfig;

    const SPEC: Spec = Spec {
        name: "aftl",
        title: "AFTL",
        summary: "replacement blocks whose pages get mappings of their own instead of a merge",
        source: "Wu & Kuo, ICCAD 2006",
        ..Spec::ROOM_FIRST
    };

    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<AftlConfig>,
        geometry: &Geometry,
    ) -> Self {
        let logical_blocks = geometry.logical_blocks();
        let entries = setup.own.entries.unwrap_or((logical_blocks / 2).max(1));
        Aftl {
            coarse: OwnedLogs::new(data, logical_blocks, log_blocks, Kinds::All),
            fine: RecentMap::new(geometry.logical_pages),
            most_entries: entries as usize,
            fine_blocks: vec![Vec::new(); logical_blocks as usize],
            fine_blocks_in_use: 0,
            log_blocks: log_blocks as usize,
            counts: Counts::default(),
        }
    }

    /// The youngest block of each logical block is its replacement block; the others are of the
    /// fine level. The last use of its pages is unknown.
    fn take_over(&mut self, flash: &mut Flash) {
        let mut room = self.log_blocks;
        let logs = self.coarse.data_mut().place_logs(flash, |block, flash| {
            let log = OwnedLog::found(block, flash)?;
            room = room.checked_sub(1)?;
            Some(log)
        });
        for (_, log) in logs {
            if let Some(older) = self.coarse.detach(log.lbn) {
                self.refine_all(&older, flash);
            }
            self.coarse.attach(log);
        }
        while self.fine.len() > self.most_entries {
            let lbn = self.least_recent_fine(flash).expect("entries of the fine table");
            self.merge(lbn, flash);
        }
    }

    fn data(&self) -> &DataBlocks {
        self.coarse.data()
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        self.coarse.data_mut()
    }

    fn find(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Ppn> {
        self.fine.touch(lpn.0);
        self.data_mut().find(lpn, flash)
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.data_mut().program_in_place(lpn, flash) {
            return;
        }
        self.invalidate_early(lpn, flash);
        let lbn = flash.geometry().logical_block_of(lpn);
        let pages = flash.geometry().pages_per_block;
        if self.coarse.log(lbn).is_some_and(|log| log.written == pages) {
            self.refine(lbn, flash);
        }
        if self.coarse.log(lbn).is_none() && self.in_use() == self.log_blocks {
            let oldest = self.coarse.least_recent().or_else(|| self.least_recent_fine(flash));
            self.merge(oldest.expect("all log blocks are in use"), flash);
        }
        let old = self.coarse.data().newest(lpn);
        // The logical block itself may have been merged.
        if !self.coarse.data_mut().program_in_place(lpn, flash) {
            if self.coarse.log(lbn).is_none() {
                self.coarse.open(lbn);
            }
            self.coarse.append(lpn, flash);
        }
        self.leave_fine_level(lpn, old, flash);
    }

    fn invalidate(&mut self, lpn: Lpn, flash: &mut Flash) {
        let old = self.coarse.newest(lpn);
        self.data_mut().unmap(lpn, flash);
        self.leave_fine_level(lpn, old, flash);
    }

    fn table_bytes(&self) -> u64 {
        self.data().table_bytes() + self.data().map_bytes() + 8 * self.most_entries as u64
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.coarse.blocks().chain(self.fine_blocks.iter().flatten().copied()).collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("aftl.log_blocks", self.log_blocks as u64),
            ("aftl.fine_entries", self.most_entries as u64),
            ("aftl.refined_pages", self.counts.refined_pages),
            ("aftl.coarsened_pages", self.counts.coarsened_pages),
            ("aftl.dead_blocks", self.counts.dead_blocks),
        ]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    fn accounts(&self) -> Accounts {
        Accounts { pages_moved: self.counts.coarsened_pages, ..self.data().accounts() }
    }

    fn audit(&self, device: &Device) {
        let fine: Vec<Pbn> = self.fine_blocks.iter().flatten().copied().collect();
        self.coarse.audit(fine.len(), device);
        self.fine.audit();
        assert!(self.fine.len() <= self.most_entries, "entries of the fine table");
        assert_eq!(fine.len(), self.fine_blocks_in_use, "blocks of the fine level");
        let geometry = device.geometry();
        for lpn in (0..geometry.logical_pages).map(Lpn) {
            let newest = self.coarse.data().newest(lpn).map(|ppn| geometry.block_of(ppn));
            let blocks = &self.fine_blocks[geometry.logical_block_of(lpn).index()];
            let is_fine = newest.is_some_and(|pbn| blocks.contains(&pbn));
            assert_eq!(self.fine.contains(lpn.0), is_fine, "whether {lpn} has a fine entry");
        }
        assert!(fine.iter().all(|pbn| device.valid_in(*pbn) > 0), "a dead block is kept");
    }
}

impl Aftl {
    fn in_use(&self) -> usize {
        self.coarse.len() + self.fine_blocks_in_use
    }

    fn least_recent_fine(&self, flash: &Flash) -> Option<Lbn> {
        self.fine.least_recent().map(|lpn| flash.geometry().logical_block_of(Lpn(lpn)))
    }

    /// Drops the entry of a page whose fine-level version was superseded.
    fn leave_fine_level(&mut self, lpn: Lpn, old: Option<Ppn>, flash: &mut Flash) {
        if old.is_some() && self.fine.remove(lpn.0).is_some() {
            self.release_if_dead(lpn, old.map(|ppn| flash.geometry().block_of(ppn)), flash);
        }
    }

    /// Erases a block of the fine level that a page has left, if it has no valid page.
    fn release_if_dead(&mut self, lpn: Lpn, left: Option<Pbn>, flash: &mut Flash) {
        let Some(pbn) = left.filter(|pbn| flash.valid_in(*pbn) == 0) else { return };
        let lbn = flash.geometry().logical_block_of(lpn);
        self.fine_blocks[lbn.index()].retain(|block| *block != pbn);
        self.fine_blocks_in_use -= 1;
        self.coarse.data_mut().release_log(pbn, flash);
        self.counts.dead_blocks += 1;
    }

    /// Coarse to fine: the valid pages of a full replacement block get entries and remain in place.
    /// The block is merged when it was written in order, or needs more entries than the table has.
    fn refine(&mut self, lbn: Lbn, flash: &mut Flash) {
        let log = *self.coarse.log(lbn).expect("a full replacement block");
        let valid = flash.valid_in(log.pbn) as usize;
        if log.in_order || valid > self.most_entries {
            return self.merge(lbn, flash);
        }
        let most = unless_bug!(AftlEntryTooMany, self.most_entries, self.most_entries + 1);
        while self.fine.len() + valid > most {
            self.coarsen(flash);
            if self.coarse.log(lbn).is_none() {
                // The logical block was merged, because its own entry was evicted.
                return;
            }
        }
        self.coarse.detach(lbn);
        if valid == 0 {
            self.coarse.data_mut().release_log(log.pbn, flash);
            self.counts.dead_blocks += 1;
            return;
        }
        self.refine_all(&log, flash);
        self.counts.refined_pages += valid as u64;
    }

    /// Gives each valid page of a replacement block an entry.
    fn refine_all(&mut self, log: &OwnedLog, flash: &Flash) {
        let data = self.coarse.data();
        let in_log = |lpn: &Lpn| {
            data.newest(*lpn).is_some_and(|ppn| flash.geometry().block_of(ppn) == log.pbn)
        };
        let pages = flash.geometry().logical_pages_of(log.lbn);
        pages.filter(in_log).for_each(|lpn| self.fine.insert(lpn.0, ()));
        self.fine_blocks[log.lbn.index()].push(log.pbn);
        self.fine_blocks_in_use += 1;
    }

    /// Fine to coarse: evicts the entry used least recently. Its page moves to the replacement
    /// block of its logical block, which is merged when it has no room for the page.
    fn coarsen(&mut self, flash: &mut Flash) {
        let lpn = Lpn(self.fine.least_recent().expect("the fine table is full"));
        let lbn = flash.geometry().logical_block_of(lpn);
        let pages = flash.geometry().pages_per_block;
        if self.coarse.log(lbn).is_none_or(|log| log.written == pages) {
            return self.merge(lbn, flash);
        }
        let old = self.coarse.data().newest(lpn).map(|ppn| flash.geometry().block_of(ppn));
        self.fine.remove(lpn.0);
        self.coarse.move_here(lpn, flash);
        unless_bug!(AftlMoveUncounted, self.counts.coarsened_pages += 1);
        self.release_if_dead(lpn, old, flash);
    }

    /// Brings all pages of a logical block together, from both levels.
    fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        for lpn in flash.geometry().logical_pages_of(lbn) {
            unless_bug!(AftlEntryOutlives, self.fine.remove(lpn.0));
        }
        self.coarse.merge(lbn, flash);
        let blocks = std::mem::take(&mut self.fine_blocks[lbn.index()]);
        for pbn in unless_bug!(AftlBlocksKept, blocks, blocks.into_iter().skip(1).collect()) {
            self.coarse.data_mut().release_log(pbn, flash);
            self.fine_blocks_in_use -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Access, Design, Ftl};

    /// A bench with these numbers of log blocks and entries; all pages are written once.
    fn bench(log_blocks: u32, entries: u32) -> Bench<AftlFtl> {
        Bench::<AftlFtl>::new(8, log_blocks + 1, |config| config.own.entries = Some(entries))
    }

    fn own(bench: &Bench<AftlFtl>, name: &str) -> u64 {
        bench.ftl.metrics().own[name]
    }

    #[test]
    fn a_full_replacement_block_becomes_fine_instead_of_being_merged() {
        let mut bench = bench(2, 4);
        bench.writes(&[1, 2, 1, 2]);
        assert_eq!(bench.write(&[3]), Cost::of(1), "in a new replacement block");
        assert_eq!(own(&bench, "aftl.refined_pages"), 2);
        assert_eq!(bench.write(&[1]), Cost::of(1), "page 2 is still in the fine block");
        let dead = Cost { log_erases: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[2]), dead, "and was the last");
    }

    #[test]
    fn a_full_table_makes_the_entry_used_least_recently_coarse() {
        let mut bench = bench(4, 2);
        bench.writes(&[1, 2, 1, 2, 3]);
        bench.flash.start_measuring();
        bench.ftl.read(Access::read(&[Lpn(1)]), &mut bench.flash);
        bench.writes(&[5, 5, 5, 5]);
        let moved = Cost { copies: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[6]), moved, "page 2 goes behind page 3");
        assert_eq!(own(&bench, "aftl.coarsened_pages"), 1);
        assert!(bench.ftl.logs.fine.contains(1) && bench.ftl.logs.fine.contains(5));
    }

    #[test]
    fn an_entry_without_a_replacement_block_costs_a_merge() {
        let mut bench = bench(2, 2);
        bench.writes(&[1, 2, 1, 2, 3]);
        let merge = Cost { copies: 4, data_erases: 1, log_erases: 2, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[5]), merge, "both log blocks are those of block 0");
        assert!(bench.ftl.logs.fine.is_empty());
    }

    #[test]
    fn a_replacement_block_written_in_order_becomes_the_primary_one() {
        let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(5) };
        assert_eq!(bench(2, 8).writes(&[0, 1, 2, 3, 1]), switch);
    }

    #[test]
    fn more_valid_pages_than_entries_are_merged() {
        let full = Cost { copies: 3, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(5) };
        assert_eq!(bench(2, 2).writes(&[1, 2, 3, 0, 1]), full);
    }

    /// 2048 blocks, 1024 entries.
    #[test]
    fn ram_is_two_block_tables_and_the_fine_table() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = AftlFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 2 * 8192 + 16_384 + 8 * 1024);
    }
}
