//! KAST, K-associative sector translation (Cho, Shin & Eom, DATE 2009): a bound on the longest merge.
//!
//! Idea     overwrites go to log blocks. A *sequential* one belongs to a logical block that is
//!          written from its first page on; there are several. A *random* one takes pages of at
//!          most K logical blocks. Reclaiming it merges at most K of them: `K P` copies and `K + 1`
//!          erases.
//! RAM      as FAST: 4 B and a bit per page for each logical block (choices.md#log-valid-bits), for each
//!          log block 4 B and 4 B per page (choices.md#ram-payload).
//! Role     hybrid mapping with a bound on the response time.
//! Departs  a reconstruction: we know the paper by its abstract, which has the bound
//!          (choices.md#kast-rules). Stated: K bounds the blocks merged for one log block.
//!          Reconstructed: a sequential log whose order is broken becomes a random one. A page goes
//!          where its logical block wrote last. Otherwise it goes to the oldest log with fewer than
//!          K owners, or to a new one. The log with the fewest owners is reclaimed
//!          (choices.md#kast-victim). Assumed: owners are logical blocks with a *valid* page in the
//!          log. A full sequential log is switched at once. The number of sequential logs is
//!          assumed, too.
//! Not here a device with ascending order.

use super::data_blocks::{DataBlocks, share_of};
use super::random_logs::{Price, RandomLogs};
use super::sequential_log::SequentialLog;
use super::{LogBlockFtl, LogBlocks};
use crate::cache::recent_map::RecentMap;
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::{Accounts, Associativity};
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ratio};
use std::collections::BTreeSet;

crate::settings! {
    /// KAST's own parameters.
    pub struct KastConfig in "kast" {
        /// K: logical blocks with valid pages in one random log block, at most.
        associativity: u32 = 8, in 1.., unit "blocks", laws [1, 2, 3, 8, 100],
            source "choices.md#kast-rules";
        /// Share of the log blocks that may be sequential; at least one is, and at least one is
        /// not.
        sequential: Ratio = Ratio(0.1), in 0.0..=1.0, laws [0.0, 0.3, 0.5, 1.0].map(Ratio),
            source "choices.md#kast-rules";
    }
}

/// KAST.
#[derive(Clone, Debug)]
pub struct Kast {
    data: DataBlocks,
    /// By the number of the owner, and by the last write.
    sequential: RecentMap<SequentialLog>,
    most_sequential: usize,
    random: RandomLogs,
    /// K.
    associativity: u32,
    /// The random log that each logical block wrote last.
    written_last: Vec<Option<Pbn>>,
    log_blocks: usize,
    log_bytes: u64,
    counts: Counts,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    reclaims: u64,
    most_merged: u64,
    broken: u64,
}

/// KAST under the engine of its family.
pub type KastFtl = LogBlockFtl<Kast>;

impl LogBlocks for Kast {
    type Settings = KastConfig;

    const SPEC: Spec = Spec {
        name: "kast",
        title: "KAST",
        summary: "log blocks shared by K logical blocks at most, which bounds the longest merge",
        source: "Cho, Shin & Eom, DATE 2009",
        ..Spec::ROOM_FIRST
    };

    /// A sequential one and a random one.
    const LEAST: u32 = 2;

    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<KastConfig>,
        geometry: &Geometry,
    ) -> Self {
        let KastConfig { associativity, sequential } = setup.own;
        let sequential = share_of(log_blocks, sequential, 1, log_blocks - 1);
        let page_map = 4 * u64::from(geometry.pages_per_block);
        let logical_blocks = geometry.logical_blocks();
        Kast {
            data,
            sequential: RecentMap::new(logical_blocks),
            most_sequential: sequential as usize,
            associativity,
            random: RandomLogs::new(geometry, Price::Owners(associativity)),
            written_last: vec![None; logical_blocks as usize],
            log_blocks: log_blocks as usize,
            log_bytes: u64::from(log_blocks) * (4 + page_map),
            counts: Counts::default(),
        }
    }

    /// Merges a log block with pages of more than K logical blocks: trimmed pages may have returned.
    fn take_over(&mut self, flash: &mut Flash) {
        let (most_sequential, most_owners) = (self.most_sequential, self.associativity as usize);
        let (mut owners, mut room) = (BTreeSet::new(), self.log_blocks);
        let mut logs = self.data.place_logs(flash, |block, flash| {
            let written =
                block.written(flash).filter(|_| block.owners(flash).len() <= most_owners)?;
            room = room.checked_sub(1)?;
            let sequential = SequentialLog::found(block, flash)
                .filter(|log| owners.len() < most_sequential && owners.insert(log.lbn));
            Some((sequential, written))
        });
        logs.iter().for_each(|(block, _)| self.note_written_last(block, flash));
        logs.sort_by_cached_key(|(block, (sequential, _))| {
            sequential.map(|_| block.written_last())
        });
        for (block, (sequential, written)) in logs {
            match sequential {
                Some(log) => self.sequential.insert(log.lbn.0, log),
                None => self.random.take_over(&block, written, flash),
            }
        }
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.data.program_in_place(lpn, flash) {
            return;
        }
        self.invalidate_early(lpn, flash);
        let lbn = flash.geometry().logical_block_of(lpn);
        let offset = flash.geometry().offset_of(lpn);
        let continues = |next| unless_bug!(KastGapUnseen, next == offset, next <= offset);
        match self.sequential.get(lbn.0) {
            Some(log) if continues(log.next) => return self.append_sequential(lbn, lpn, flash),
            Some(_) => self.break_sequence(lbn, flash),
            None => {}
        }
        if offset == 0 {
            self.begin_sequence(lbn, lpn, flash);
        } else {
            self.append_random(lbn, lpn, flash);
        }
    }

    fn invalidate(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.random.supersede(lpn, &self.data, flash.geometry());
        self.data.unmap(lpn, flash);
    }

    fn table_bytes(&self) -> u64 {
        self.data.map_bytes() + self.log_bytes
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        let sequential = self.sequential.iter().map(|(_, log)| log.pbn);
        self.random.blocks().chain(sequential).collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("kast.log_blocks", self.log_blocks as u64),
            ("kast.sequential_log_blocks", self.most_sequential as u64),
            ("kast.random_reclaims", self.counts.reclaims),
            ("kast.most_merged", self.counts.most_merged),
            ("kast.sequences_broken", self.counts.broken),
        ]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    fn accounts(&self) -> Accounts {
        Accounts {
            associativity: Some(Associativity {
                blocks: u64::from(self.associativity),
                logs: 1,
                most_merged: self.counts.most_merged,
            }),
            ..self.data.accounts()
        }
    }

    fn audit(&self, device: &Device) {
        assert!(self.in_use() <= self.log_blocks, "too many log blocks");
        assert!(self.sequential.len() <= self.most_sequential, "too many sequential logs");
        self.sequential.audit();
        self.random.audit(&self.data, device);
        for (lbn, log) in self.sequential.iter() {
            assert_eq!(log.lbn, Lbn(lbn), "owner of a sequential log");
            log.audit(&self.data, device);
        }
    }
}

impl Kast {
    /// Sets the random log that a logical block wrote last: the newest that holds its pages.
    fn note_written_last(&mut self, block: &FoundBlock, flash: &Flash) {
        for lbn in block.owners(flash) {
            self.written_last[lbn.index()] = Some(block.pbn);
        }
    }

    fn in_use(&self) -> usize {
        self.sequential.len() + self.random.len()
    }

    /// Opens a sequential log. If there are too many, it replaces the one written least recently.
    fn begin_sequence(&mut self, lbn: Lbn, lpn: Lpn, flash: &mut Flash) {
        let in_use = self.in_use();
        let is_full =
            unless_bug!(KastLogTooMany, in_use == self.log_blocks, in_use > self.log_blocks);
        if self.sequential.len() == self.most_sequential {
            let oldest = self.sequential.least_recent().expect("there are too many");
            self.merge(Lbn(oldest), flash);
        } else if is_full {
            self.reclaim(flash);
            self.invalidate(lpn, flash);
            // The logical block itself may have been merged.
            if self.data.program_in_place(lpn, flash) {
                return;
            }
        }
        self.sequential.insert(lbn.0, SequentialLog::open(lbn, &mut self.data));
        self.append_sequential(lbn, lpn, flash);
    }

    fn append_sequential(&mut self, lbn: Lbn, lpn: Lpn, flash: &mut Flash) {
        self.invalidate(lpn, flash);
        self.sequential.touch(lbn.0);
        let log = self.sequential.get_mut(lbn.0).expect("a sequential log");
        log.append(lpn, &mut self.data, flash);
        if log.is_full(flash) {
            self.merge(lbn, flash);
        }
    }

    /// Turns a sequential log into a random one that other logical blocks may write, too.
    fn break_sequence(&mut self, lbn: Lbn, flash: &Flash) {
        let log = self.sequential.remove(lbn.0).expect("a sequential log");
        let written = flash.geometry().logical_pages_of(lbn).take(log.next as usize).collect();
        let valid = flash.valid_in(log.pbn);
        self.random.convert(lbn, log.pbn, written, valid);
        self.written_last[lbn.index()] = Some(log.pbn);
        self.counts.broken += 1;
    }

    fn append_random(&mut self, lbn: Lbn, lpn: Lpn, flash: &mut Flash) {
        let last = self.written_last[lbn.index()];
        let own = last.filter(|pbn| self.random.has_room_for(*pbn, lbn));
        let pbn = match own.or_else(|| self.random.writable()) {
            Some(pbn) => pbn,
            None if self.in_use() < self.log_blocks => self.random.writable_or_open(&mut self.data),
            None => {
                self.reclaim(flash);
                self.invalidate(lpn, flash);
                if self.data.program_in_place(lpn, flash) {
                    return;
                }
                // Merges may have left another log with fewer owners.
                self.random.writable_or_open(&mut self.data)
            }
        };
        self.written_last[lbn.index()] = Some(pbn);
        self.invalidate(lpn, flash);
        self.random.append(pbn, lpn, &mut self.data, flash);
    }

    /// Merges the logical blocks that have valid pages in the random log with the fewest of them.
    fn reclaim(&mut self, flash: &mut Flash) {
        let pbn = self.random.cheapest().expect("not all log blocks are sequential");
        let owners = self.random.owners(pbn);
        owners.iter().for_each(|lbn| self.merge(*lbn, flash));
        self.random.remove(pbn);
        self.data.release_log(pbn, flash);
        self.counts.reclaims += 1;
        let merged = owners.len() as u64;
        self.counts.most_merged = unless_bug!(
            KastMergedAddsUp,
            self.counts.most_merged.max(merged),
            self.counts.most_merged + merged
        );
    }

    /// Completes the sequential log of a logical block if it has one, or merges the block in full.
    fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        self.random.supersede_block(lbn, &self.data, flash.geometry());
        let log = unless_bug!(
            KastReclaimsOpenLog,
            self.sequential.remove(lbn.0),
            self.sequential.get(lbn.0).filter(|log| log.is_full(flash)).copied()
        );
        match log {
            Some(log) => self.data.merge_into(lbn, log.pbn, log.next, None, flash),
            None => self.data.merge_full(lbn, None, flash),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::parts::bench::{Bench, Cost, P};
    use crate::ftl::{Design, Ftl};
    use crate::rng::Rng;

    /// A bench with `log_blocks` log blocks, one of them sequential, and K = 2; all pages are
    /// written once.
    fn bench(log_blocks: u32) -> Bench<KastFtl> {
        Bench::<KastFtl>::new(8, log_blocks + 1, |config| config.own.associativity = 2)
    }

    /// FAST merges three logical blocks for its first log block.
    #[test]
    fn the_worked_example_merges_two_logical_blocks() {
        let mut bench = bench(2);
        assert_eq!(bench.writes(&[1, 5, 9, 2, 6]), Cost::of(5), "9 opens a second log block");
        assert_eq!(bench.write(&[13]), Cost::of(1), "which takes another logical block");
        let two = Cost { copies: 8, data_erases: 2, log_erases: 1, full: 2, ..Cost::of(1) };
        assert_eq!(bench.write(&[17]), two);
        assert_eq!(bench.ftl.metrics().own["kast.most_merged"], 2);
    }

    #[test]
    fn a_logical_block_written_in_order_costs_one_erase() {
        let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(4) };
        assert_eq!(bench(2).writes(&[0, 1, 2, 3]), switch);
        let mut bench = bench(2);
        bench.writes(&[0, 1]);
        let partial = Cost { copies: 2, data_erases: 1, partial: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[4]), partial, "one sequential log alone");
    }

    #[test]
    fn a_sequential_log_out_of_order_becomes_a_random_one() {
        let mut bench = bench(2);
        assert_eq!(bench.writes(&[0, 1, 3]), Cost::of(3), "no merge");
        assert_eq!(bench.ftl.metrics().own["kast.sequences_broken"], 1);
        assert_eq!(bench.write(&[5]), Cost::of(1), "which another logical block fills up");
        assert_eq!(bench.ftl.logs.in_use(), 1);
    }

    #[test]
    fn a_log_block_without_valid_pages_is_reclaimed_for_an_erase() {
        let mut bench = bench(2);
        bench.writes(&[1, 5, 1, 5, 1, 5]);
        assert_eq!(bench.ftl.logs.in_use(), 2);
        let dead = Cost { log_erases: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[9]), dead);
    }

    /// A sequence needs a block. It takes the dead one, although that has room, and not the full
    /// one, whose reclaim is a merge.
    #[test]
    fn the_log_with_the_fewest_owners_is_reclaimed_although_it_has_room() {
        let mut bench = Bench::<KastFtl>::new(8, 4, |config| {
            config.own.associativity = 1;
            config.own.sequential = Ratio(0.7);
        });
        // Block 5 fills a log as its only owner. The other log has only page 1, which the sequence
        // 0 to 3 supersedes.
        let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(6) };
        assert_eq!(bench.writes(&[5, 1, 0, 1, 2, 3]), switch);
        assert_eq!(bench.write(&[8]), Cost::of(1), "the third log block");
        let dead = Cost { log_erases: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[12]), dead);
    }

    /// The paper's bound, for any K.
    #[test]
    fn a_page_written_costs_k_merges_at_most() {
        for associativity in 1..=5 {
            let mut bench = Bench::<KastFtl>::new(8, 5, |config| {
                config.own.associativity = associativity;
            });
            let mut rng = Rng::new(1, "kast");
            let mut worst = 0;
            for _ in 0..2000 {
                let cost = bench.write(&[rng.below(32) as u32]);
                let k = u64::from(associativity);
                assert!(cost.copies <= k * u64::from(P), "K = {k}: {cost:?}");
                assert!(cost.data_erases + cost.log_erases <= k + 1, "K = {k}: {cost:?}");
                worst = worst.max(cost.data_erases);
            }
            assert!(worst >= u64::from(associativity.min(3)), "the bound is met: {worst}");
        }
    }

    #[test]
    fn ram_is_that_of_fast() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = KastFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8192 + 16_384 + 306 * (4 + 4 * 64));
    }
}
