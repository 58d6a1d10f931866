//! SAST, set-associative sector translation (Park et al., RSP 2007 and ACM TECS 2008): the
//! reconfigurable FTL, in which N logical blocks share K log blocks.
//!
//! Idea     logical blocks are divided into groups of N. Overwrites of a group are appended to its
//!          own log blocks, page-mapped and at most K. When these are full, all of them are merged.
//!          With N and K of 1 it equals BAST, as long as nothing is trimmed.
//! RAM      4 B and a bit per page for each logical block (choices.md#log-valid-bits). 4 B for each
//!          log block and, for each of its pages, its number in the group in whole bytes
//!          (choices.md#ram-payload).
//! Role     a bound on merges, N for a page, and page numbers that remain small.
//! Departs  a reconstruction: we know the paper by its abstract and by the simulator WiscSee, where
//!          it is NKFTL (choices.md#sast-rules). First writes go to data blocks, as in all
//!          log-block FTLs here. When all log blocks of the device are in use, the one written
//!          least recently is reclaimed.
//! Not here a device with ascending order.

use super::data_blocks::DataBlocks;
use super::{LogBlockFtl, LogBlocks};
use crate::cache::recent_map::RecentMap;
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::oob_map::bytes_of_number;
use crate::ftl::{Accounts, Associativity};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::BTreeSet;

crate::settings! {
    /// SAST's own parameters.
    pub struct SastConfig in "sast" {
        /// N: logical blocks of a group.
        data: u32 = 4, in 1.., unit "blocks", laws [1, 2, 3, 4, 100], source "choices.md#sast-rules";
        /// K: log blocks of a group, at most.
        logs: u32 = 2, in 1.., unit "blocks", laws [1, 2, 3, 100], source "choices.md#sast-rules";
    }
}

/// A log block.
#[derive(Clone, Debug)]
struct Log {
    group: usize,
    /// The logical page of each page written.
    written: Vec<Lpn>,
}

/// SAST.
#[derive(Clone, Debug)]
pub struct Sast {
    data: DataBlocks,
    /// By block, and by the last write.
    logs: RecentMap<Log>,
    /// The log blocks of each group, in the order in which they were opened: the last one is written.
    groups: Vec<Vec<Pbn>>,
    config: SastConfig,
    log_blocks: u32,
    log_bytes: u64,
    counts: Counts,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    cleaned: u64,
    given_up: u64,
    most_merged: u64,
}

/// SAST under the engine of its family.
pub type SastFtl = LogBlockFtl<Sast>;

impl LogBlocks for Sast {
    type Settings = SastConfig;

    const SPEC: Spec = Spec {
        name: "sast",
        title: "SAST",
        summary: "groups of N logical blocks that share K log blocks: the reconfigurable FTL",
        source: "Park et al., ACM TECS 2008",

        ..Spec::LOG_BLOCKS
    };

    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<SastConfig>,
        geometry: &Geometry,
    ) -> Self {
        let config = setup.own.clone();
        let logical_blocks = geometry.logical_blocks();
        let pages = u64::from(geometry.pages_per_block);
        let in_group = u64::from(config.data.min(logical_blocks)) * pages;
        let page_map = u64::from(bytes_of_number(in_group as u32).max(1)) * pages;
        Sast {
            data,
            logs: RecentMap::new(geometry.blocks()),
            groups: vec![Vec::new(); logical_blocks.div_ceil(config.data) as usize],
            config,
            log_blocks,
            log_bytes: u64::from(log_blocks) * (4 + page_map),
            counts: Counts::default(),
        }
    }

    /// Takes over the log blocks with pages of one group.
    fn take_over(&mut self, flash: &mut Flash) {
        let SastConfig { data, logs } = self.config;
        let mut room = self.log_blocks;
        let mut rooms = vec![logs; self.groups.len()];
        let mut found = self.data.place_logs(flash, |block, flash| {
            let group = |lpn: Lpn| flash.geometry().logical_block_of(lpn).0 / data;
            let first = group(block.pages[0].lpn());
            let is_of_one = block.pages.iter().all(|page| group(page.lpn()) == first);
            let written = block.written(flash).filter(|_| is_of_one)?;
            let room_of_group = &mut rooms[first as usize];
            (room, *room_of_group) = (room.checked_sub(1)?, room_of_group.checked_sub(1)?);
            Some(Log { group: first as usize, written })
        });
        found.sort_by_cached_key(|(block, _)| block.written_last());
        for (block, log) in found {
            self.adopt(block.pbn, log);
        }
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    /// Appends an overwrite to the log blocks of its group.
    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.data.program_in_place(lpn, flash) {
            return;
        }
        let group = self.group_of(lpn, flash);
        if !self.has_room(group, flash) {
            self.make_room(group, flash);
            // The logical block itself may have been merged.
            if self.data.program_in_place(lpn, flash) {
                return;
            }
            let pbn = self.data.take();
            self.adopt(pbn, Log { group, written: Vec::new() });
        }
        let pbn = *self.groups[group].last().expect("a log block with room");
        let log = self.logs.get_mut(pbn.0).expect("a log block in use");
        let page = flash.geometry().page_at(pbn, log.written.len() as u32);
        log.written.push(lpn);
        self.logs.touch(pbn.0);
        self.data.program(lpn, page, flash);
    }

    fn cost_of_writing(&self, pages: &[Lpn], flash: &Flash) -> Option<u64> {
        let group = self.group_of(pages[0], flash);
        let last = self.groups[group].last();
        let room = last.map_or(0, |pbn| flash.pages_of(*pbn) - flash.programmed_in(*pbn));
        if self.data.overwrites(pages, flash) <= room as usize {
            return Some(0);
        }
        let (mut copies, mut merged) = (0, BTreeSet::new());
        for pbn in self.reclaimed_for(group) {
            let log = self.logs.get(pbn.0).expect("a log block in use");
            let mut owners = self.owners(pbn, log, flash);
            owners.retain(|lbn| merged.insert(*lbn));
            copies += owners.iter().map(|lbn| self.data.pages_held(*lbn, 0, flash)).sum::<u64>();
            if !owners.is_empty() && self.sequence(pbn, log, flash).is_some() {
                copies -= log.written.len() as u64;
            }
        }
        Some(copies)
    }

    fn table_bytes(&self) -> u64 {
        self.data.map_bytes() + self.log_bytes
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.groups.iter().flatten().copied().collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("sast.log_blocks", u64::from(self.log_blocks)),
            ("sast.groups_cleaned", self.counts.cleaned),
            ("sast.logs_given_up", self.counts.given_up),
            ("sast.most_merged", self.counts.most_merged),
        ]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    fn accounts(&self) -> Accounts {
        Accounts {
            associativity: Some(Associativity {
                blocks: u64::from(self.config.data),
                logs: u64::from(self.config.logs),
                most_merged: self.counts.most_merged,
            }),
            ..self.data.accounts()
        }
    }

    fn audit(&self, device: &Device) {
        let logs = self.log_blocks();
        self.logs.audit();
        assert_eq!(logs.len(), self.logs.len(), "log blocks of all groups");
        assert!(logs.len() <= self.log_blocks as usize, "too many log blocks");
        for (group, blocks) in self.groups.iter().enumerate() {
            assert!(blocks.len() <= self.config.logs as usize, "log blocks of group {group}");
            for pbn in blocks {
                let log = self.logs.get(pbn.0).expect("a log block in use");
                assert_eq!(log.group, group, "group of log block {pbn}");
                assert_eq!(
                    log.written.len(),
                    device.programmed_in(*pbn) as usize,
                    "pages of {pbn}"
                );
                let valid = self.valid(*pbn, log, device).count();
                assert_eq!(valid, device.valid_in(*pbn) as usize, "valid pages of {pbn}");
            }
        }
    }
}

impl Sast {
    fn adopt(&mut self, pbn: Pbn, log: Log) {
        self.groups[log.group].push(pbn);
        self.logs.insert(pbn.0, log);
    }

    fn group_of(&self, lpn: Lpn, flash: &Flash) -> usize {
        let logical_blocks = unless_bug!(SastGroupTooLarge, self.config.data, self.config.data + 1);
        (flash.geometry().logical_block_of(lpn).0 / logical_blocks) as usize
    }

    /// Whether the last log block of a group can be written.
    fn has_room(&self, group: usize, flash: &Flash) -> bool {
        self.groups[group].last().is_some_and(|pbn| !flash.is_full(*pbn))
    }

    /// The log blocks to reclaim before a group may open one. If the group has K, these are all of
    /// its own. Otherwise, if all are in use, it is the log block of any group written least
    /// recently.
    fn reclaimed_for(&self, group: usize) -> Vec<Pbn> {
        let own = &self.groups[group];
        let (most, most_of_all) = (self.config.logs as usize, self.log_blocks as usize);
        let are_all_in_use = unless_bug!(SastLogTooMany, self.logs.len() == most_of_all, false);
        let is_full = unless_bug!(SastGroupOverfull, own.len() == most, own.len() > most);
        if is_full {
            own.clone()
        } else if are_all_in_use {
            self.logs.least_recent().map(Pbn).into_iter().collect()
        } else {
            Vec::new()
        }
    }

    /// Makes sure that a group may open a log block.
    fn make_room(&mut self, group: usize, flash: &mut Flash) {
        let before = self.data.merges().total();
        let is_full = self.groups[group].len() == self.config.logs as usize;
        let reclaimed = self.reclaimed_for(group);
        self.counts.cleaned += u64::from(is_full);
        self.counts.given_up += u64::from(!is_full && !reclaimed.is_empty());
        reclaimed.into_iter().for_each(|pbn| self.reclaim(pbn, flash));
        let merged = self.data.merges().total() - before;
        self.counts.most_merged = self.counts.most_merged.max(merged);
    }

    /// Reclaims a log block. If it has the first pages of a logical block in order, it becomes the
    /// data block. Otherwise all logical blocks with valid pages in it are merged, and it is
    /// erased.
    fn reclaim(&mut self, pbn: Pbn, flash: &mut Flash) {
        let log = self.logs.remove(pbn.0).expect("a log block in use");
        self.groups[log.group].retain(|other| *other != pbn);
        if let Some(lbn) = self.sequence(pbn, &log, flash) {
            return self.data.merge_into(lbn, pbn, log.written.len() as u32, None, flash);
        }
        let owners = self.owners(pbn, &log, flash);
        owners.into_iter().for_each(|lbn| self.data.merge_full(lbn, None, flash));
        unless_bug!(SastLogKept, self.data.release_log(pbn, flash));
    }

    /// The logical blocks with valid pages in a log block.
    fn owners(&self, pbn: Pbn, log: &Log, flash: &Flash) -> BTreeSet<Lbn> {
        let geometry = flash.geometry();
        self.valid(pbn, log, flash).map(|lpn| geometry.logical_block_of(lpn)).collect()
    }

    /// The logical block whose first pages a log block has in order, none of them superseded.
    fn sequence(&self, pbn: Pbn, log: &Log, flash: &Flash) -> Option<Lbn> {
        let geometry = flash.geometry();
        let lbn = geometry.logical_block_of(*log.written.first()?);
        let in_order =
            log.written.iter().copied().eq(geometry.logical_pages_of(lbn).take(log.written.len()));
        let all_valid = self.valid(pbn, log, flash).count() == log.written.len();
        let is_newest = unless_bug!(SastSequenceSuperseded, all_valid, true);
        (in_order && is_newest).then_some(lbn)
    }

    /// The logical pages whose newest versions are in a log block.
    fn valid<'a>(
        &'a self,
        pbn: Pbn,
        log: &'a Log,
        flash: &Flash,
    ) -> impl Iterator<Item = Lpn> + 'a {
        let first = flash.geometry().first_page(pbn).0;
        let pages = (first..).map(Ppn).zip(log.written.iter().copied());
        pages.filter(|(ppn, lpn)| self.data.newest(*lpn) == Some(*ppn)).map(|(_, lpn)| lpn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::parts::bench::{Bench, Cost, P};
    use crate::ftl::{Design, Ftl};
    use crate::rng::Rng;

    /// A bench with groups of two logical blocks and at most two log blocks. There are `log_blocks`
    /// log blocks in all, and all pages are written once.
    fn bench(log_blocks: u32) -> Bench<SastFtl> {
        Bench::<SastFtl>::new(8, log_blocks + 1, |setup| {
            setup.own = SastConfig { data: 2, logs: 2 };
        })
    }

    /// Logical blocks 0 and 1 are a group: the ninth overwrite finds both of its log blocks full.
    #[test]
    fn the_worked_example_merges_all_log_blocks_of_the_group() {
        let mut bench = bench(4);
        assert_eq!(bench.writes(&[1, 5, 1, 5, 2, 6, 2, 6]), Cost::of(8), "two log blocks");
        assert_eq!(bench.write(&[9]), Cost::of(1), "another group has its own");
        let cleaning = Cost { copies: 8, data_erases: 2, log_erases: 2, full: 2, ..Cost::of(1) };
        assert_eq!(bench.write(&[7]), cleaning, "blocks 0 and 1 and their two log blocks");
        assert_eq!(bench.ftl.metrics().own["sast.groups_cleaned"], 1);
        assert_eq!(bench.ftl.metrics().own["sast.most_merged"], 2);
    }

    #[test]
    fn a_log_block_in_order_becomes_the_data_block() {
        let mut bench = bench(1);
        let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(5) };
        assert_eq!(bench.writes(&[0, 1, 2, 3, 9]), switch, "the only log block goes to block 2");
        let full = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(2) };
        assert_eq!(bench.writes(&[0, 1]), full, "that of block 2 was not in order");
        let partial = Cost { copies: 2, data_erases: 1, partial: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[8]), partial);
    }

    /// Three groups write to two log blocks: that of 1 was written before that of 9.
    #[test]
    fn the_log_block_written_least_recently_is_given_up() {
        let mut bench = bench(2);
        bench.writes(&[9, 1, 9]);
        let full = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[17]), full);
        assert_eq!(bench.ftl.logs.groups[0], []);
        assert_eq!(bench.ftl.metrics().own["sast.logs_given_up"], 1);
    }

    /// N merges, and K log blocks erased, for any N and K.
    #[test]
    fn a_page_written_costs_n_merges_at_most() {
        for (data, logs) in [(1, 1), (1, 3), (2, 1), (2, 2), (3, 2), (8, 8)] {
            let mut bench = Bench::<SastFtl>::new(8, 9, |setup| {
                setup.own = SastConfig { data, logs };
            });
            let mut rng = Rng::new(1, "sast");
            let mut worst = 0;
            for _ in 0..2000 {
                let cost = bench.write(&[rng.below(32) as u32]);
                assert!(cost.copies <= u64::from(data * P), "N = {data}: {cost:?}");
                assert!(cost.log_erases <= u64::from(logs), "K = {logs}: {cost:?}");
                worst = worst.max(cost.data_erases);
            }
            assert!(worst >= u64::from(data.min(3)), "the bound is met: {worst}");
        }
    }

    #[test]
    fn what_a_page_costs_is_known_before_it_is_written() {
        let mut bench = bench(3);
        let mut rng = Rng::new(3, "sast");
        for _ in 0..2000 {
            if rng.below(4) == 0 {
                bench.trim(rng.below(32) as u32);
            }
            let page = rng.below(32) as u32;
            let told = bench.ftl.cost_of_writing(&[Lpn(page)], &bench.flash);
            assert_eq!(Some(bench.write(&[page]).copies), told, "page {page}");
        }
    }

    /// The same as BAST, whose log blocks belong to one logical block each. BAST also turns a log
    /// block in order into the data block after some of its pages were trimmed.
    #[test]
    fn one_block_and_one_log_are_bast() {
        let mut sast = Bench::<SastFtl>::new(8, 4, |setup| {
            setup.own = SastConfig { data: 1, logs: 1 };
        });
        let mut bast = Bench::<crate::ftl::log_block::bast::BastFtl>::new(8, 4, |_| {});
        let mut rng = Rng::new(2, "sast");
        for _ in 0..2000 {
            let page = rng.below(32) as u32;
            assert_eq!(sast.write(&[page]), bast.write(&[page]), "page {page}");
        }
    }

    /// 2048 logical blocks, 306 log blocks of 64 pages; the number of a page among 256 has a byte.
    #[test]
    fn ram_is_the_block_table_and_small_page_numbers() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = SastFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8192 + 16_384 + 306 * (4 + 64));
    }
}
