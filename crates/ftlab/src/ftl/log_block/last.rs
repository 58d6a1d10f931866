//! LAST, locality-aware sector translation (Lee, Shin, Kim & Kim, Operating Systems Review 2008).
//!
//! Idea     large requests are *sequential*. They go to log blocks of one logical block each, every
//!          page at its own offset, which become data blocks by switch or partial merges. Small
//!          requests are *random*. They go to shared log blocks in two partitions. A page is *hot*
//!          if its previous version is still in a random log block. Hot pages supersede each other,
//!          so the blocks of the hot partition die and cost only an erase.
//! RAM      4 B and a bit per page for each logical block (choices.md#log-valid-bits). 8 B per
//!          sequential log block. 4 B and 4 B per page for each random one
//!          (choices.md#ram-payload). The place of a page shows whether it is hot.
//! Role     the value of locality to a hybrid FTL.
//! Departs  a reconstruction: we know the paper by its abstract and by others
//!          (choices.md#last-rules). Stated: the two kinds of log blocks, the two partitions, dead
//!          blocks. Reconstructed: a full hot partition releases a dead block. Without one, its
//!          oldest block joins the cold partition. A full cold partition reclaims the block with
//!          the fewest logical blocks to merge. Assumed: the threshold, the shares of the log
//!          blocks, and "recently written" as "still in a random log block".
//! Not here a device with ascending order.

use super::data_blocks::{DataBlocks, share_of};
use super::random_logs::{Price, RandomLogs};
use super::{LogBlockFtl, LogBlocks};
use crate::cache::recent_map::RecentMap;
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ppn, Ratio};
use std::collections::BTreeSet;

crate::settings! {
    /// LAST's own parameters.
    pub struct LastConfig in "last" {
        /// Pages from which on a request is sequential.
        threshold: u32 = 8, in 1.., unit "pages", laws 1..=9, source "choices.md#last-rules";
        /// Share of the log blocks that are sequential, one at least.
        sequential: Ratio = Ratio(0.1), in 0.0..=1.0, laws [0.0, 0.3, 0.5, 1.0].map(Ratio),
            source "choices.md#last-rules";
        /// Share of the random log blocks in the hot partition; each partition has at least one.
        hot: Ratio = Ratio(0.5), in 0.0..=1.0, laws [0.0, 0.3, 0.5, 1.0].map(Ratio),
            source "choices.md#last-rules";
    }
}

/// A log block of one logical block, each page at its own offset, written upwards.
#[derive(Clone, Copy, Debug)]
struct Ascending {
    pbn: Pbn,
    /// The lowest offset that may be written.
    next: u32,
    /// Whether no page in it was superseded by the random log: it may become the data block.
    newest: bool,
}

impl Ascending {
    /// A log block found after power was lost, and its owner, if it is of this kind.
    fn found(block: &FoundBlock, flash: &Flash) -> Option<(Lbn, Self)> {
        let (first, pages) = (flash.geometry().first_page(block.pbn).0, flash.pages_of(block.pbn));
        let last = (0..pages).rev().find(|page| flash.is_programmed(Ppn(first + page)))?;
        let lbn = block.in_place(flash.geometry())?;
        Some((lbn, Ascending { pbn: block.pbn, next: last + 1, newest: block.is_newest(flash) }))
    }
}

/// LAST.
#[derive(Clone, Debug)]
pub struct Last {
    data: DataBlocks,
    /// By the number of the owner, and by the last write.
    sequential: RecentMap<Ascending>,
    hot: RandomLogs,
    cold: RandomLogs,
    most_sequential: usize,
    most_hot: usize,
    most_cold: usize,
    threshold: usize,
    /// Whether the request that is written is sequential.
    is_sequential: bool,
    counts: Counts,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    dead: u64,
    reclaims: u64,
    cooled: u64,
    sequential_full: u64,
    hot_pages: u64,
}

/// LAST under the engine of its family.
pub type LastFtl = LogBlockFtl<Last>;

impl LogBlocks for Last {
    type Settings = LastConfig;

    const SPEC: Spec = Spec {
        name: "last",
        title: "LAST",
        summary: "sequential log blocks, and random ones of a hot and a cold partition: hot blocks die",
        source: "Lee et al., Operating Systems Review 2008",

        ..Spec::ROOM_FIRST
    };

    /// A sequential, a hot and a cold one.
    const LEAST: u32 = 3;

    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<LastConfig>,
        geometry: &Geometry,
    ) -> Self {
        let LastConfig { threshold, sequential, hot } = setup.own;
        let sequential = share_of(log_blocks, sequential, 1, log_blocks - 2);
        let random = log_blocks - sequential;
        let hot = share_of(random, hot, 1, random - 1);
        let price = Price::Owners(geometry.pages_per_block);
        Last {
            data,
            sequential: RecentMap::new(geometry.logical_blocks()),
            hot: RandomLogs::new(geometry, price),
            cold: RandomLogs::new(geometry, price),
            most_sequential: sequential as usize,
            most_hot: hot as usize,
            most_cold: (random - hot) as usize,
            threshold: threshold as usize,
            is_sequential: false,
            counts: Counts::default(),
        }
    }

    /// The partition of a random log block is unknown. Hot blocks join the cold ones when they are
    /// old, so the oldest are taken as cold.
    fn take_over(&mut self, flash: &mut Flash) {
        let (most_sequential, mut owners) = (self.most_sequential, BTreeSet::new());
        let mut room = self.most_cold + self.most_hot;
        let mut logs = self.data.place_logs(flash, |block, flash| {
            let sequential = Ascending::found(block, flash)
                .filter(|(lbn, _)| owners.len() < most_sequential && owners.insert(*lbn));
            if sequential.is_some() {
                return Some((sequential, Vec::new()));
            }
            let written = block.written(flash)?;
            room = room.checked_sub(1)?;
            Some((None, written))
        });
        logs.sort_by_cached_key(|(block, (sequential, _))| {
            sequential.map(|_| block.written_last())
        });
        for (block, (sequential, written)) in logs {
            let partition =
                if self.cold.len() < self.most_cold { &mut self.cold } else { &mut self.hot };
            match sequential {
                Some((lbn, log)) => self.sequential.insert(lbn.0, log),
                None => partition.take_over(&block, written, flash),
            }
        }
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    fn begin_request(&mut self, pages: &[Lpn]) {
        self.is_sequential = pages.len() >= self.threshold;
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.data.program_in_place(lpn, flash) {
            return;
        }
        if self.is_sequential {
            self.write_sequential(lpn, flash);
        } else {
            self.write_random(lpn, flash);
        }
    }

    fn invalidate(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.hot.supersede(lpn, &self.data, flash.geometry());
        self.cold.supersede(lpn, &self.data, flash.geometry());
        self.data.unmap(lpn, flash);
    }

    fn table_bytes(&self) -> u64 {
        let random = (self.most_hot + self.most_cold) as u64;
        let logs = 8 * self.most_sequential as u64 + random * (4 + self.hot.page_map_bytes());
        self.data.map_bytes() + logs
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        let sequential = self.sequential.iter().map(|(_, log)| log.pbn);
        self.hot.blocks().chain(self.cold.blocks()).chain(sequential).collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("last.sequential_log_blocks", self.most_sequential as u64),
            ("last.hot_log_blocks", self.most_hot as u64),
            ("last.cold_log_blocks", self.most_cold as u64),
            ("last.hot_pages", self.counts.hot_pages),
            ("last.dead_blocks", self.counts.dead),
            ("last.cooled_blocks", self.counts.cooled),
            ("last.random_reclaims", self.counts.reclaims),
            ("last.sequential_full_merges", self.counts.sequential_full),
        ]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    fn audit(&self, device: &Device) {
        assert!(self.sequential.len() <= self.most_sequential, "too many sequential logs");
        assert!(self.hot.len() <= self.most_hot, "too many hot log blocks");
        assert!(self.cold.len() <= self.most_cold, "too many cold log blocks");
        self.sequential.audit();
        self.hot.audit(&self.data, device);
        self.cold.audit(&self.data, device);
        for (lbn, log) in self.sequential.iter() {
            self.audit_sequential(Lbn(lbn), log, device);
        }
    }
}

impl Last {
    fn write_sequential(&mut self, lpn: Lpn, flash: &mut Flash) {
        let lbn = flash.geometry().logical_block_of(lpn);
        let offset = flash.geometry().offset_of(lpn);
        self.invalidate_early(lpn, flash);
        let written = |next| unless_bug!(LastRewriteUnseen, offset < next, offset + 1 < next);
        if self.sequential.get(lbn.0).is_some_and(|log| written(log.next)) {
            self.merge(lbn, flash);
            self.invalidate(lpn, flash);
            if self.data.program_in_place(lpn, flash) {
                return;
            }
        }
        if !self.sequential.contains(lbn.0) {
            if self.sequential.len() == self.most_sequential {
                let oldest = self.sequential.least_recent().expect("all are in use");
                self.merge(Lbn(oldest), flash);
            }
            let pbn = self.data.take();
            self.sequential.insert(lbn.0, Ascending { pbn, next: 0, newest: true });
        }
        self.sequential.touch(lbn.0);
        let log = self.sequential.get_mut(lbn.0).expect("a sequential log");
        log.next = offset + 1;
        let page = Ppn(flash.geometry().first_page(log.pbn).0 + offset);
        self.invalidate(lpn, flash);
        self.data.program(lpn, page, flash);
    }

    fn write_random(&mut self, lpn: Lpn, flash: &mut Flash) {
        let is_recent = self.data.newest(lpn).is_some_and(|ppn| {
            self.hot.hold(ppn, flash.geometry()) || self.cold.hold(ppn, flash.geometry())
        });
        self.invalidate_early(lpn, flash);
        self.spoil_sequential(lpn, flash);
        if is_recent {
            self.counts.hot_pages += 1;
            self.append_hot(lpn, flash);
        } else {
            self.append_cold(lpn, flash);
        }
    }

    /// Notes that a page that goes to the random log is newer than the one in the sequential log.
    fn spoil_sequential(&mut self, lpn: Lpn, flash: &Flash) {
        let geometry = flash.geometry();
        if let Some(log) = self.sequential.get_mut(geometry.logical_block_of(lpn).0) {
            let page = Ppn(geometry.first_page(log.pbn).0 + geometry.offset_of(lpn));
            unless_bug!(LastSupersededUnnoted, log.newest &= !flash.is_programmed(page));
        }
    }

    fn append_hot(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.hot.is_full(self.most_hot) {
            self.give_up_hot(flash);
            self.invalidate(lpn, flash);
            if self.data.program_in_place(lpn, flash) {
                return;
            }
        }
        self.invalidate(lpn, flash);
        self.hot.append_anywhere(lpn, &mut self.data, flash);
    }

    fn append_cold(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.cold.is_full(self.most_cold) {
            self.reclaim_cold(flash);
            self.invalidate(lpn, flash);
            if self.data.program_in_place(lpn, flash) {
                return;
            }
        }
        self.invalidate(lpn, flash);
        self.cold.append_anywhere(lpn, &mut self.data, flash);
    }

    /// Erases a dead block of the hot partition. If there is none, its oldest block joins the cold
    /// partition, as the pages it still holds were not hot.
    fn give_up_hot(&mut self, flash: &mut Flash) {
        let cheapest = self.hot.cheapest().expect("the hot partition is full");
        if self.hot.is_dead(cheapest) {
            self.hot.remove(cheapest);
            self.data.release_log(cheapest, flash);
            self.counts.dead += 1;
            return;
        }
        if self.cold.len() == self.most_cold {
            unless_bug!(LastColdOverfull, self.reclaim_cold(flash));
        }
        let oldest = self.hot.oldest().expect("the hot partition is full");
        self.hot.hand_over(oldest, &mut self.cold);
        self.counts.cooled += 1;
    }

    /// Reclaims the block of the cold partition with the fewest logical blocks to merge.
    fn reclaim_cold(&mut self, flash: &mut Flash) {
        let pbn = self.cold.cheapest().expect("the cold partition is full");
        let owners = self.cold.owners(pbn);
        owners.iter().for_each(|lbn| self.merge(*lbn, flash));
        self.cold.remove(pbn);
        self.data.release_log(pbn, flash);
        self.counts.dead += u64::from(owners.is_empty());
        self.counts.reclaims += u64::from(!owners.is_empty());
    }

    /// Completes the sequential log of a logical block if it has one that is newest, or merges the
    /// block in full.
    fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        self.hot.supersede_block(lbn, &self.data, flash.geometry());
        self.cold.supersede_block(lbn, &self.data, flash.geometry());
        match self.sequential.remove(lbn.0) {
            None => self.data.merge_full(lbn, None, flash),
            Some(log) if log.newest => self.data.merge_into(lbn, log.pbn, 0, None, flash),
            Some(log) => {
                self.data.merge_full(lbn, None, flash);
                self.data.release_log(log.pbn, flash);
                self.counts.sequential_full += 1;
            }
        }
    }

    /// Checks that no page is programmed from the next offset on. Programmed pages must be the
    /// newest unless the random log superseded one.
    fn audit_sequential(&self, lbn: Lbn, log: &Ascending, flash: &Flash) {
        let geometry = flash.geometry();
        for (offset, lpn) in (0..).zip(geometry.logical_pages_of(lbn)) {
            let page = Ppn(geometry.first_page(log.pbn).0 + offset);
            let programmed = flash.is_programmed(page);
            assert!(!programmed || offset < log.next, "{page} is written ahead of its log");
            let superseded =
                self.data.newest(lpn).is_some_and(|newest| programmed && newest != page);
            assert!(!superseded || !log.newest, "{lpn} is newer than its sequential log");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::log_block::fast::FastFtl;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Design, Ftl};
    use crate::rng::Rng;

    /// A bench with a sequential log block, and these numbers of hot and cold ones. Requests of 2
    /// pages are sequential. All pages are written once.
    fn bench(hot: u32, cold: u32) -> Bench<LastFtl> {
        Bench::<LastFtl>::new(8, 1 + hot + cold + 1, |config| {
            config.own.threshold = 2;
            config.own.sequential = Ratio(0.0);
            config.own.hot = Ratio(f64::from(hot) / f64::from(hot + cold));
        })
    }

    fn own(bench: &Bench<LastFtl>, name: &str) -> u64 {
        bench.ftl.metrics().own[name]
    }

    /// A page that is written over and over fills its hot block with dead pages.
    #[test]
    fn the_worked_example_reclaims_a_dead_block_without_a_copy() {
        let mut bench = bench(1, 1);
        assert_eq!(bench.write(&[1]), Cost::of(1), "not recent yet: cold");
        assert_eq!(bench.writes(&[1, 1, 1, 1]), Cost::of(4), "the hot block is full");
        let dead = Cost { log_erases: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[1]), dead);
        assert_eq!(own(&bench, "last.dead_blocks"), 1);
        let mut fast = Bench::<FastFtl>::new(8, 3, |_| {});
        let mixed = Cost { copies: 12, data_erases: 3, log_erases: 1, full: 3, ..Cost::of(5) };
        assert_eq!(fast.writes(&[1, 5, 9, 1, 13]), mixed, "one log for all");
    }

    #[test]
    fn a_large_request_is_merged_by_a_switch_or_a_partial_merge() {
        let mut bench = bench(1, 1);
        assert_eq!(bench.write(&[0, 1, 2, 3]), Cost::of(4));
        let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(2) };
        assert_eq!(bench.write(&[5, 6]), switch, "the only sequential log block is needed");
        let partial = Cost { copies: 2, data_erases: 1, partial: 1, ..Cost::of(2) };
        assert_eq!(bench.write(&[8, 9]), partial, "4 and 7 are copied");
    }

    #[test]
    fn a_sequential_log_with_superseded_pages_is_merged_in_full() {
        let mut bench = bench(1, 1);
        bench.write(&[0, 1, 2]);
        bench.write(&[1]);
        let full = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(2) };
        assert_eq!(bench.write(&[4, 5]), full);
        assert_eq!(own(&bench, "last.sequential_full_merges"), 1);
    }

    #[test]
    fn a_hot_block_with_valid_pages_joins_the_cold_partition() {
        let mut bench = bench(1, 2);
        bench.writes(&[1, 5, 9, 13, 1, 5, 9, 13]);
        assert_eq!(bench.write(&[1]), Cost::of(1), "no merge: the cold partition has room");
        assert_eq!(bench.ftl.logs.cold.len(), 2);
        let dead = Cost { log_erases: 1, ..Cost::of(4) };
        assert_eq!(bench.writes(&[17, 21, 25, 29]), dead, "the first cold block is dead by now");
    }

    /// Nine of ten writes go to 4 of 256 pages. Most reclaimed blocks are dead, where FAST copies.
    #[test]
    fn on_a_skewed_workload_most_log_blocks_die() {
        let mut last = Bench::<LastFtl>::new(64, 21, |config| config.own.hot = Ratio(0.3));
        let mut fast = Bench::<FastFtl>::new(64, 21, |_| {});
        let mut rng = Rng::new(1, "last");
        let pages: Vec<u32> =
            (0..4000)
                .map(|_| {
                    if rng.chance(0.9) {
                        4 * rng.below(4) as u32 + 1
                    } else {
                        rng.below(256) as u32
                    }
                })
                .collect();
        let (hot, shared) = (last.writes(&pages), fast.writes(&pages));
        let counts = last.ftl.logs.counts;
        assert!(counts.dead > 3 * counts.reclaims, "{counts:?}");
        assert!(4 * hot.copies < 3 * shared.copies, "{} of {}", hot.copies, shared.copies);
    }

    #[test]
    fn every_log_block_that_is_erased_is_told() {
        let mut bench = bench(2, 2);
        let mut rng = Rng::new(2, "last");
        for _ in 0..400 {
            let first = rng.below(28) as u32;
            let pages: Vec<u32> = (first..=first + rng.below(4) as u32).collect();
            let cost = bench.write(&pages);
            let Counts { dead, reclaims, sequential_full, .. } = bench.ftl.logs.counts;
            assert_eq!(cost.log_erases, dead + reclaims + sequential_full);
            assert_eq!(cost.data_erases, cost.switch + cost.partial + cost.full);
        }
    }

    #[test]
    fn ram_is_the_block_table_and_the_page_map_of_the_random_log() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = LastFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8192 + 16_384 + 30 * 8 + 276 * (4 + 4 * 64));
    }
}
