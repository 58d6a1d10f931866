//! WAFTL, a workload-adaptive FTL with data partition (Wei et al., MSST 2011).
//!
//! Idea     every write is logged in a small *buffer zone*. When that is full its pages are sorted
//!          by logical block. Many pages of one block are sequential data: the block is mapped as a
//!          whole, and they are merged into its data block. Few pages are random data: the block is
//!          mapped page by page. They move to *page-mapped blocks*, and its former data block
//!          becomes one of these.
//! RAM      4 B and a bit per page for each logical block, its mode among them
//!          (choices.md#log-valid-bits). 4 B, and 4 B per page, for each block of the zone and for
//!          the most page-mapped blocks in use at once.
//! Role     page mapping for random data and block mapping for sequential data. The writes decide,
//!          not the flushes of a cache as in CACH-FTL (CACH-FTL 3.1).
//! Departs  a reconstruction: we know the paper by its abstract. Stated: zone, the mode of each
//!          logical block, and a threshold between modes. Reconstructed
//!          (choices.md#waftl-data-blocks): a mode changes for the pages that leave the zone, the
//!          whole of which is migrated at once. A change to page mapping copies nothing. Assumed:
//!          the page-mapped block with the fewest valid pages is reclaimed by copies, and the
//!          threshold and the shares (choices.md#waftl-rules).
//! Not here the dynamic threshold: we do not know its rule. A device with ascending order.

use super::data_blocks::{Begin, DataBlocks, share_of};
use super::random_logs::{Price, RandomLogs};
use super::{LogBlockFtl, LogBlocks};
use crate::flash::{Cause, Device, Flash, Geometry};
use crate::ftl::Accounts;
use crate::ftl::design::{Setup, Spec};
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ratio};

crate::settings! {
    /// WAFTL's own parameters.
    pub struct WaftlConfig in "waftl" {
        /// Share of the log blocks that are the buffer zone, one at least.
        zone: Ratio = Ratio(0.05), in 0.0..=1.0, laws [0.0, 0.3, 0.5, 1.0].map(Ratio),
            source "choices.md#waftl-rules";
        /// Share of a block's pages from which on they are merged into its data block.
        threshold: Ratio = Ratio(0.5), in 0.0..=1.0, laws [0.0, 0.3, 0.5, 1.0].map(Ratio),
            source "choices.md#waftl-rules";
    }
}

/// WAFTL.
#[derive(Clone, Debug)]
pub struct Waftl {
    data: DataBlocks,
    zone: RandomLogs,
    most_zone: usize,
    /// The blocks of logical blocks that are mapped page by page: those without a data block.
    page_mapped: RandomLogs,
    /// Page-mapped blocks in use, at most so far.
    most_page_mapped: usize,
    /// Blocks that remain free, including one to merge into.
    kept: u32,
    /// Pages in the zone from which on a logical block is mapped as a whole.
    threshold: u32,
    counts: Counts,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    migrations: u64,
    founded: u64,
    to_pages: u64,
    compactions: u64,
}

/// WAFTL under the engine of its family.
pub type WaftlFtl = LogBlockFtl<Waftl>;

impl LogBlocks for Waftl {
    type Settings = WaftlConfig;

    const SPEC: Spec = Spec {
        name: "waftl",
        title: "WAFTL",
        summary: "a zone logs all writes; its pages move to data blocks where many, else are page-mapped",
        source: "Wei et al., MSST 2011",
        ..Spec::ROOM_FIRST
    };

    /// One of the zone, a page-mapped one that takes writes, and one into which others are
    /// reclaimed.
    const LEAST: u32 = 3;
    const MOUNT: Begin = DataBlocks::mount_page_mapped;

    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<WaftlConfig>,
        geometry: &Geometry,
    ) -> Self {
        let pages = geometry.pages_per_block;
        let in_use = geometry.logical_blocks() + log_blocks + setup.log.map.blocks(geometry);
        Waftl {
            data,
            zone: RandomLogs::new(geometry, Price::Same),
            most_zone: share_of(log_blocks, setup.own.zone, 1, log_blocks - 2) as usize,
            page_mapped: RandomLogs::new(geometry, Price::Pages),
            most_page_mapped: 0,
            kept: geometry.blocks() - in_use,
            threshold: share_of(pages, setup.own.threshold, 1, pages),
            counts: Counts::default(),
        }
    }

    /// All pages in the zone were written after the page-mapped ones. A logical block with any
    /// page-mapped page is page-mapped as a whole.
    fn take_over(&mut self, flash: &mut Flash) {
        let logs = self.data.place_logs(flash, |block, flash| {
            let in_place = || block.in_place(flash.geometry());
            let whole = |lbn| flash.geometry().logical_pages_of(lbn).collect();
            block.written(flash).or_else(|| in_place().map(whole))
        });
        let zone = logs.len() - self.youngest(&logs);
        for (place, (block, written)) in (0..).zip(logs) {
            let part = if place < zone { &mut self.page_mapped } else { &mut self.zone };
            part.take_over(&block, written, flash);
        }
        for (lbn, _) in self.page_mapped.groups(flash) {
            self.map_by_page(lbn, flash);
        }
        self.note_page_mapped();
        while self.data.free_blocks() < self.reserve() {
            self.compact(flash);
        }
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.invalidate_early(lpn, flash);
        let is_full = unless_bug!(
            WaftlZoneGrowsFirst,
            self.zone.is_full(self.most_zone),
            self.zone.writable().is_none() && self.zone.len() > self.most_zone
        );
        if is_full {
            self.migrate(flash);
        }
        self.invalidate(lpn, flash);
        self.zone.append_anywhere(lpn, &mut self.data, flash);
    }

    fn invalidate(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.zone.supersede(lpn, &self.data, flash.geometry());
        self.page_mapped.supersede(lpn, &self.data, flash.geometry());
        self.data.unmap(lpn, flash);
    }

    fn table_bytes(&self) -> u64 {
        let others = (self.most_zone + self.most_page_mapped) as u64;
        self.data.map_bytes() + others * (4 + self.zone.page_map_bytes())
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.zone.blocks().chain(self.page_mapped.blocks()).collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("waftl.zone_blocks", self.most_zone as u64),
            ("waftl.page_mapped_blocks", self.page_mapped.len() as u64),
            ("waftl.zone_migrations", self.counts.migrations),
            ("waftl.data_blocks_founded", self.counts.founded),
            ("waftl.data_blocks_given_up", self.counts.to_pages),
            ("waftl.blocks_compacted", self.counts.compactions),
        ]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    fn accounts(&self) -> Accounts {
        Accounts { blocks_founded: self.counts.founded, ..self.data.accounts() }
    }

    fn audit(&self, device: &Device) {
        assert!(self.zone.len() <= self.most_zone, "the zone has too many blocks");
        assert!(self.page_mapped.len() <= self.most_page_mapped, "page-mapped blocks at most");
        assert!(self.data.free_blocks() >= self.reserve(), "too many blocks are in use");
        self.zone.audit(&self.data, device);
        self.page_mapped.audit(&self.data, device);
        for (lbn, _) in self.page_mapped.groups(device) {
            assert!(!self.data.has_block(lbn), "{lbn} is mapped in both ways");
        }
    }
}

impl Waftl {
    /// The number of blocks at the end of the list that were written after all pages of the blocks
    /// before them, at most those of the zone.
    fn youngest<T>(&self, logs: &[(FoundBlock, T)]) -> usize {
        let mut before = 0;
        let is_young = |(block, _): &(FoundBlock, T)| {
            let is_young = block.written_first() > before;
            before = before.max(block.written_last());
            is_young
        };
        let young: Vec<bool> = logs.iter().map(is_young).collect();
        young.iter().rev().take(self.most_zone).take_while(|is_young| **is_young).count()
    }

    /// Empties the zone: the logical blocks with many pages there are mapped as a whole, the others page by
    /// page.
    fn migrate(&mut self, flash: &mut Flash) {
        for (lbn, pages) in self.zone.groups(flash) {
            if pages >= self.threshold {
                self.merge(lbn, flash);
            } else {
                self.map_by_page(lbn, flash);
            }
        }
        while let Some(pbn) = self.zone.oldest() {
            while flash.valid_in(pbn) > 0 {
                if self.page_mapped.writable().is_none() {
                    self.make_room(flash);
                }
                let moved = self.fill_page_mapped(pbn, flash);
                self.zone.moved_out(pbn, moved);
            }
            self.zone.remove(pbn);
            self.data.release_log(pbn, flash);
        }
        self.counts.migrations += 1;
    }

    /// Turns the data block of a logical block into a page-mapped one, which has no room for other
    /// pages.
    fn map_by_page(&mut self, lbn: Lbn, flash: &mut Flash) {
        let detached = unless_bug!(WaftlKeepsDataBlock, self.data.detach(lbn, flash), None);
        let Some(pbn) = detached else { return };
        let pages = flash.geometry().logical_pages_of(lbn).collect();
        self.page_mapped.convert(lbn, pbn, pages, flash.valid_in(pbn));
        self.counts.to_pages += 1;
        self.note_page_mapped();
    }

    /// Copies the valid pages of a block to the page-mapped one that takes writes, as many as fit.
    /// Returns their number.
    fn fill_page_mapped(&mut self, from: Pbn, flash: &mut Flash) -> u32 {
        let to = self.page_mapped.writable_or_open(&mut self.data);
        let room = self.page_mapped.room_in(to);
        let first = flash.geometry().page_at(to, flash.geometry().pages_per_block - room);
        let moved = self.data.relocate_run(from, first, room, Cause::GcData, flash);
        let count = moved.len() as u32;
        self.page_mapped.moved_in(to, moved);
        self.note_page_mapped();
        count
    }

    fn note_page_mapped(&mut self) {
        self.most_page_mapped = self.most_page_mapped.max(self.page_mapped.len());
    }

    /// Blocks that remain free, including those that the zone will use.
    fn reserve(&self) -> u32 {
        self.kept + (self.most_zone - self.zone.len()) as u32
    }

    /// Reclaims page-mapped blocks until a block can be taken into use.
    fn make_room(&mut self, flash: &mut Flash) {
        while self.data.free_blocks() <= self.reserve() {
            self.compact(flash);
        }
    }

    /// Copies the valid pages of the page-mapped block that has the fewest to others, and erases it.
    fn compact(&mut self, flash: &mut Flash) {
        let pbn = self.page_mapped.cheapest_closed().expect("logical blocks leave room");
        while flash.valid_in(pbn) > 0 {
            let moved = self.fill_page_mapped(pbn, flash);
            self.page_mapped.moved_out(pbn, moved);
        }
        self.page_mapped.remove(pbn);
        self.data.release_log(pbn, flash);
        self.counts.compactions += 1;
    }

    /// Brings all pages of a logical block together in a data block.
    fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        if !self.data.has_block(lbn) {
            self.make_room(flash);
        }
        self.zone.supersede_block(lbn, &self.data, flash.geometry());
        self.page_mapped.supersede_block(lbn, &self.data, flash.geometry());
        if self.data.has_block(lbn) {
            self.data.merge_full(lbn, None, flash);
        } else {
            self.data.create(lbn, flash);
            unless_bug!(WaftlFoundedUncounted, self.counts.founded += 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::flash::Operation;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Design, Ftl};

    /// A bench with a zone of one block and `page_mapped` page-mapped blocks. All pages are written
    /// once and merged, except those of the last block.
    fn bench(page_mapped: u32) -> Bench<WaftlFtl> {
        Bench::<WaftlFtl>::new(8, 1 + page_mapped + 1, |config| config.own.zone = Ratio(0.0))
    }

    fn moved(bench: &Bench<WaftlFtl>) -> u64 {
        bench.flash.ledger().get(Operation::Program, Cause::GcData)
    }

    /// 5 reads, 5 programs and 2 erases in addition to the host's write.
    #[test]
    fn the_worked_example_merges_many_pages_and_moves_few() {
        let mut bench = bench(2);
        bench.write(&[0]);
        assert_eq!(bench.writes(&[1, 2, 9]), Cost::of(3), "the zone is full");
        let merge = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[13]), merge);
        assert_eq!(moved(&bench), 1, "page 9");
        assert_eq!(
            bench.ftl.logs.data.audit_block(Lbn(2)),
            None,
            "8 to 11 are mapped page by page"
        );
        assert!(bench.ftl.logs.page_mapped.groups(&bench.flash).contains(&(Lbn(2), 4)));
    }

    #[test]
    fn a_logical_block_of_which_many_pages_are_written_is_block_mapped_again() {
        let mut bench = bench(2);
        bench.writes(&[9, 9, 9, 9]);
        bench.writes(&[8, 9, 10, 11]);
        assert_eq!(bench.ftl.logs.data.audit_block(Lbn(2)), None);
        let founded = Cost { copies: 4, log_erases: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[0]), founded);
        assert!(bench.ftl.logs.data.has_block(Lbn(2)));
        assert!(bench.ftl.logs.page_mapped.groups(&bench.flash).is_empty());
    }

    #[test]
    fn the_page_mapped_block_with_the_fewest_valid_pages_is_compacted() {
        let mut bench = bench(2);
        bench.writes(&[1, 5, 9, 13]);
        bench.writes(&[17, 21, 25, 29]);
        bench.writes(&[1, 5, 9, 13]);
        let dead = Cost { log_erases: 2, ..Cost::of(1) };
        assert_eq!(
            bench.write(&[2]),
            dead,
            "the zone's block and that of the older 1, 5, 9 and 13"
        );
        assert_eq!(moved(&bench), 4);
        bench.writes(&[6, 10, 14]);
        let two = Cost { log_erases: 3, ..Cost::of(1) };
        assert_eq!(bench.write(&[0]), two, "two that were data blocks, with 3, and with 4 and 7");
        assert_eq!(moved(&bench), 4 + 1 + 2);
        assert_eq!(bench.ftl.metrics().own["waftl.blocks_compacted"], 2);
    }

    #[test]
    fn the_first_pages_of_a_logical_block_found_its_data_block() {
        let mut bench = Bench::<WaftlFtl>::empty(8, 4, |config| config.own.zone = Ratio(0.0));
        bench.writes(&[0, 1, 2, 9]);
        let founded = Cost { copies: 3, log_erases: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[10]), founded);
        assert_eq!(bench.ftl.metrics().own["waftl.data_blocks_founded"], 1);
        assert_eq!(bench.ftl.logs.data.audit_block(Lbn(2)), None, "9 is mapped by its page alone");
    }

    #[test]
    fn ram_is_the_block_table_and_the_page_map_of_the_zone_and_of_page_mapped_blocks() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = WaftlFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8192 + 16_384 + 15 * (4 + 4 * 64));
    }
}
