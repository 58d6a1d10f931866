//! WAFTL, a workload-adaptive FTL with data partition (Wei et al., MSST 2011).
//!
//! Idea     every write is logged in a small *buffer zone*. When that is full its pages are sorted by
//!          logical block. Many of one block are sequential data: they are merged into its data block,
//!          which is mapped as a whole. Few are random data: they move to *page-mapped blocks*, and the
//!          data block, if there is one, keeps its other pages. A logical block whose page-mapped pages
//!          grow to many is merged, too.
//! RAM      4 B and a bit per page for each logical block (choices.md#log-valid-bits), and a byte for the
//!          number of its page-mapped pages; 4 B for each other block and 4 B per page of it, as for FAST.
//! Role     page mapping for random data and block mapping for sequential data, by what was written
//!          and not by what a cache flushes, as CACH-FTL does (CACH-FTL 3.1).
//! Departs  the paper is known to us by its abstract. Stated: zone, the two kinds of blocks, and a
//!          threshold between them. Page-mapped blocks are of the spare space here: a logical block with
//!          random data keeps its data block beside them, where the abstract has a mode for each normal
//!          data block (choices.md#waftl-data-blocks). Reconstructed: the whole zone is migrated at once.
//!          Assumed: a page-mapped block is reclaimed with the fewest valid pages, by copying these if
//!          they are half a block at most, else by merging their logical blocks; threshold and shares
//!          (choices.md#waftl-rules).
//! Not here the dynamic threshold: its rule is not known to us. A device with ascending order.

use super::parts::data_blocks::{DataBlocks, share_of};
use super::parts::random_logs::{LogNumber, Price, RandomLogs};
use super::{Accounts, Ftl, FtlMetrics, RamUse};
use crate::error::Error;
use crate::flash::{Cause, Device, Flash};
use crate::ftl::design::{Design, Setup, Spec};
use crate::units::{Lbn, Lpn, Pbn, Ratio};
use std::collections::BTreeMap;

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

/// Blocks that WAFTL needs beside the data blocks: one of the zone, a page-mapped one.
const LEAST_LOG_BLOCKS: u32 = 2;

/// WAFTL.
#[derive(Clone, Debug)]
pub struct WaftlFtl {
    data: DataBlocks,
    zone: RandomLogs,
    most_zone: usize,
    page_mapped: RandomLogs,
    most_page_mapped: usize,
    /// Pages of each logical block in page-mapped blocks.
    pages_of: Vec<u32>,
    /// Pages from which on a logical block is merged.
    threshold: u32,
    counts: Counts,
}

/// Counts beside those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    migrations: u64,
    founded: u64,
    compactions: u64,
    dissolved: u64,
}

impl Design for WaftlFtl {
    type Settings = WaftlConfig;

    const SPEC: Spec = Spec {
        name: "waftl",
        summary: "a zone logs all writes; its pages move to data blocks where many, else are page-mapped",
        source: "Wei et al., MSST 2011",

        ..Spec::LOG_BLOCKS
    };

    fn build(setup: &Setup<WaftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let log_blocks = setup.log.blocks(flash.geometry(), LEAST_LOG_BLOCKS)?;
        let zone = share_of(log_blocks, setup.own.zone, 1, log_blocks - 1);
        let pages = flash.geometry().pages_per_block;
        let threshold = share_of(pages, setup.own.threshold, 1, pages);
        let data = DataBlocks::new(flash, log_blocks)?;
        Ok(WaftlFtl {
            data,
            zone: RandomLogs::new(flash.geometry(), pages, Price::Pages),
            most_zone: zone as usize,
            page_mapped: RandomLogs::new(flash.geometry(), pages, Price::Pages),
            most_page_mapped: (log_blocks - zone) as usize,
            pages_of: vec![0; flash.geometry().logical_blocks() as usize],
            threshold,
            counts: Counts::default(),
        })
    }
}

impl Ftl for WaftlFtl {
    fn read(&mut self, pages: &[Lpn], flash: &mut Flash) {
        self.data.read(pages, flash);
    }

    fn write(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.supersede(lpn, flash);
            self.data.unmap(lpn, flash);
            if unless_bug!(
                WaftlZoneGrowsFirst,
                self.zone.is_full(self.most_zone),
                self.zone.writable().is_none() && self.zone.len() > self.most_zone
            ) {
                self.migrate(flash);
            }
            self.zone.append_anywhere(lpn, &mut self.data, flash);
        }
    }

    fn trim(&mut self, pages: &[Lpn], flash: &mut Flash) {
        pages.iter().for_each(|lpn| self.supersede(*lpn, flash));
        self.data.trim(pages, flash);
    }

    fn ram(&self) -> RamUse {
        let others = (self.most_zone + self.most_page_mapped) as u64;
        let logs = others * (4 + self.zone.page_map_bytes());
        let counts = self.pages_of.len() as u64;
        RamUse { tables: self.data.map_bytes() + logs + counts, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics {
            merges: Some(self.data.merges()),
            own: BTreeMap::from([
                ("waftl.zone_blocks", self.most_zone as u64),
                ("waftl.page_mapped_blocks", self.most_page_mapped as u64),
                ("waftl.zone_migrations", self.counts.migrations),
                ("waftl.data_blocks_founded", self.counts.founded),
                ("waftl.blocks_compacted", self.counts.compactions),
                ("waftl.blocks_dissolved", self.counts.dissolved),
            ]),
            ..FtlMetrics::default()
        }
    }

    fn reset_metrics(&mut self) {
        self.data.reset_counts();
        self.counts = Counts::default();
    }

    fn accounts(&self) -> Accounts {
        Accounts { blocks_founded: self.counts.founded, ..Accounts::default() }
    }

    fn audit(&self, device: &Device) {
        assert!(self.zone.len() <= self.most_zone, "the zone has too many blocks");
        assert!(self.page_mapped.len() <= self.most_page_mapped, "too many page-mapped blocks");
        let logs: Vec<Pbn> = self.zone.blocks().chain(self.page_mapped.blocks()).collect();
        self.data.audit(&logs, device);
        self.zone.audit(&self.data, device);
        self.page_mapped.audit(&self.data, device);
        let groups = self.page_mapped.groups();
        for (lbn, pages) in (0..).map(Lbn).zip(&self.pages_of) {
            let counted = groups.get(&lbn).copied().unwrap_or_default();
            assert_eq!(counted, *pages, "page-mapped pages of {lbn}");
        }
    }
}

impl WaftlFtl {
    /// Removes the old version of a page from the zone or the page-mapped blocks.
    fn supersede(&mut self, lpn: Lpn, flash: &Flash) {
        let geometry = flash.geometry();
        if self.data.newest(lpn).is_some_and(|ppn| self.page_mapped.hold(ppn, geometry)) {
            self.page_mapped.supersede(lpn, &self.data, geometry);
            self.pages_of[geometry.logical_block_of(lpn).index()] -= 1;
        } else {
            self.zone.supersede(lpn, &self.data, geometry);
        }
    }

    /// Empties the zone: by logical block, many pages to its data block, few to page-mapped blocks.
    fn migrate(&mut self, flash: &mut Flash) {
        for (lbn, pages) in self.zone.groups() {
            if pages + self.pages_of[lbn.index()] >= self.threshold {
                self.merge(lbn, flash);
            }
        }
        while let Some(number) = self.zone.oldest() {
            for (page, lpn) in self.zone.written(number, flash.geometry()) {
                if flash.is_valid(page) {
                    self.move_to_page_mapped(lpn, flash);
                }
            }
            let log = self.zone.remove(number);
            self.data.release_log(log.pbn, flash);
        }
        self.counts.migrations += 1;
    }

    fn move_to_page_mapped(&mut self, lpn: Lpn, flash: &mut Flash) {
        if self.page_mapped.is_full(self.most_page_mapped) {
            self.reclaim(flash);
            // Its logical block may have been merged.
            let newest = self.data.newest(lpn);
            if !newest.is_some_and(|ppn| self.zone.hold(ppn, flash.geometry())) {
                return;
            }
        }
        let number = self.page_mapped.writable_or_open(&mut self.data);
        self.zone.supersede(lpn, &self.data, flash.geometry());
        self.append_page_mapped(number, lpn, flash);
        self.pages_of[flash.geometry().logical_block_of(lpn).index()] += 1;
    }

    fn append_page_mapped(&mut self, number: LogNumber, lpn: Lpn, flash: &mut Flash) {
        let page = self.page_mapped.next_page(number, lpn, flash.geometry());
        self.data.relocate(lpn, page, Cause::GcData, flash);
    }

    /// Makes room in the page-mapped blocks: the valid pages of one of them move to a fresh block if they
    /// are few, else to the data blocks.
    fn reclaim(&mut self, flash: &mut Flash) {
        let number = self.page_mapped.cheapest().expect("all page-mapped blocks are full");
        let pages = self.page_mapped.written(number, flash.geometry());
        let valid = pages.iter().filter(|(page, _)| flash.is_valid(*page)).count();
        if 2 * valid <= pages.len() {
            self.compact(number, flash);
        } else {
            let owners = self.page_mapped.owners(number);
            owners.iter().for_each(|lbn| self.merge(*lbn, flash));
            self.counts.dissolved += 1;
        }
        let log = self.page_mapped.remove(number);
        self.data.release_log(log.pbn, flash);
    }

    /// Copies the valid pages of a page-mapped block to a fresh one.
    fn compact(&mut self, number: LogNumber, flash: &mut Flash) {
        self.counts.compactions += 1;
        let fresh = self.page_mapped.open(self.data.take());
        for (page, lpn) in self.page_mapped.written(number, flash.geometry()) {
            if flash.is_valid(page) {
                self.page_mapped.supersede(lpn, &self.data, flash.geometry());
                self.append_page_mapped(fresh, lpn, flash);
            }
        }
    }

    /// Brings all pages of a logical block together in a data block.
    fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        self.zone.supersede_block(lbn, &self.data, flash.geometry());
        self.page_mapped.supersede_block(lbn, &self.data, flash.geometry());
        unless_bug!(WaftlMergedCount, self.pages_of[lbn.index()] = 0);
        if self.data.block(lbn).is_some() {
            self.data.merge_full(lbn, None, flash);
        } else {
            self.data.create(lbn, flash);
            self.counts.founded += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::flash::Operation;
    use crate::ftl::parts::bench::{Bench, Cost};

    /// A zone of one block, and so many page-mapped blocks; all pages written once, all but the last
    /// block's merged.
    fn bench(page_mapped: u32) -> Bench<WaftlFtl> {
        Bench::<WaftlFtl>::new(8, 1 + page_mapped + 1, |config| config.own.zone = Ratio(0.0))
    }

    fn moved(bench: &Bench<WaftlFtl>) -> u64 {
        bench.flash.ledger().get(Operation::Program, Cause::GcData)
    }

    /// 5 reads, 5 programs and 2 erases beside the host's write.
    #[test]
    fn the_worked_example_merges_many_pages_and_moves_few() {
        let mut bench = bench(2);
        bench.write(&[0]);
        assert_eq!(bench.writes(&[1, 2, 9]), Cost::of(3), "the zone is full");
        let merge = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[13]), merge);
        assert_eq!(moved(&bench), 1, "page 9");
        assert_eq!(bench.ftl.pages_of[2], 1);
    }

    #[test]
    fn pages_that_grow_to_many_are_merged() {
        let mut bench = bench(2);
        bench.writes(&[9, 9, 9, 9]);
        bench.writes(&[10, 10, 10, 10]);
        let merge = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[0]), merge, "9 is page-mapped, 10 is in the zone: two");
        assert_eq!(bench.ftl.pages_of[2], 0);
    }

    #[test]
    fn a_page_mapped_block_with_few_valid_pages_is_compacted() {
        let mut bench = bench(1);
        bench.writes(&[1, 5, 9, 13]);
        bench.writes(&[1, 5, 9, 9]);
        // 5, 9 and 13 are page-mapped now; only 13 is still newest.
        let copied = Cost { log_erases: 2, ..Cost::of(1) };
        assert_eq!(bench.write(&[21]), copied, "the zone's block and the page-mapped one");
        assert_eq!(bench.ftl.metrics().own["waftl.blocks_compacted"], 1);
        assert_eq!(moved(&bench), 3 + 2, "1, 5 and 9 from the zone; 13 and 1 to a fresh block");
    }

    #[test]
    fn a_page_mapped_block_with_many_valid_pages_is_dissolved() {
        let mut bench = bench(1);
        bench.writes(&[1, 5, 9, 13]);
        bench.writes(&[17, 21, 25, 29]);
        let four = Cost { copies: 16, data_erases: 4, log_erases: 2, full: 4, ..Cost::of(1) };
        assert_eq!(bench.write(&[18]), four);
        assert_eq!(moved(&bench), 4);
        assert_eq!(bench.ftl.metrics().own["waftl.blocks_dissolved"], 1);
    }

    #[test]
    fn the_first_pages_of_a_logical_block_found_its_data_block() {
        let mut bench = Bench::<WaftlFtl>::empty(8, 4, |config| config.own.zone = Ratio(0.0));
        bench.writes(&[0, 1, 2, 9]);
        let founded = Cost { copies: 3, log_erases: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[10]), founded);
        assert_eq!(bench.ftl.metrics().own["waftl.data_blocks_founded"], 1);
        assert_eq!(bench.ftl.data.block(Lbn(2)), None, "9 is mapped by its page alone");
    }

    #[test]
    fn ram_is_the_block_table_and_the_page_map_of_the_other_blocks() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = WaftlFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8192 + 16_384 + 306 * (4 + 4 * 64) + 2048);
    }
}
