//! BAST, block-associative sector translation (Kim et al., IEEE Transactions on Consumer Electronics
//! 2002): a log block for each logical block that is being overwritten.
//!
//! Idea     data blocks are mapped block by block. Overwrites of a logical block are appended to
//!          its own log block, page-mapped. A full log block is merged with its data block. When
//!          another logical block needs a log block, the one written least recently is merged.
//! RAM      4 B and a bit per page for each logical block (choices.md#log-valid-bits). For each log
//!          block, 8 B and a byte per page, two where a block has more than 256 pages
//!          (choices.md#ram-payload).
//! Role     the first log-block FTL; it thrashes when more logical blocks are written than there are
//!          log blocks.
//! Departs  the order in which log blocks are reclaimed is ours (choices.md#bast-victim).
//! Options  `log.map = flash`: a map program for each merge (choices.md#log-maps).
//! Not here a device with ascending order.

use super::data_blocks::DataBlocks;
use super::owned_logs::{Kinds, OwnedLogs};
use super::{LogBlockFtl, LogBlocks};
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::units::{Lpn, Pbn};

/// BAST.
#[derive(Clone, Debug)]
pub struct Bast {
    blocks: OwnedLogs,
    log_blocks: u32,
    log_bytes: u64,
}

/// BAST under the engine of its family.
pub type BastFtl = LogBlockFtl<Bast>;

impl LogBlocks for Bast {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "bast",
        title: "BAST",
        summary: "a log block for each logical block that is being overwritten",
        source: "Kim et al., IEEE Transactions on Consumer Electronics 2002",

        ..Spec::LOG_BLOCKS
    };

    fn new(data: DataBlocks, log_blocks: u32, _: &Setup, geometry: &Geometry) -> Self {
        let pages = u64::from(geometry.pages_per_block);
        let page_map = pages * if pages > 256 { 2 } else { 1 };
        Bast {
            blocks: OwnedLogs::new(data, geometry.logical_blocks(), log_blocks, Kinds::All),
            log_blocks,
            log_bytes: u64::from(log_blocks) * (8 + page_map),
        }
    }

    fn take_over(&mut self, flash: &mut Flash) {
        self.blocks.take_over(flash);
    }

    fn data(&self) -> &DataBlocks {
        self.blocks.data()
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        self.blocks.data_mut()
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.blocks.write(lpn, flash);
    }

    fn cost_of_writing(&self, pages: &[Lpn], flash: &Flash) -> Option<u64> {
        Some(self.blocks.cost_of_writing(pages, flash))
    }

    fn table_bytes(&self) -> u64 {
        self.data().map_bytes() + self.log_bytes
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.blocks.blocks().collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![("bast.log_blocks", u64::from(self.log_blocks))]
    }

    fn audit(&self, device: &Device) {
        self.blocks.audit(0, device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Design, Ftl};
    use crate::rng::Rng;

    /// A bench with `log_blocks` log blocks; all pages are written once.
    fn bench(log_blocks: u32) -> Bench<BastFtl> {
        Bench::<BastFtl>::new(8, log_blocks + 1, |_| {})
    }

    /// Each kind of merge once.
    #[test]
    fn the_worked_examples_cost_what_the_notes_say() {
        let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(5) };
        assert_eq!(bench(2).writes(&[0, 1, 2, 3, 0]), switch);
        let partial = Cost { copies: 2, data_erases: 1, partial: 1, ..Cost::of(3) };
        assert_eq!(bench(1).writes(&[0, 1, 4]), partial);
        let full = Cost { copies: 16, data_erases: 4, log_erases: 4, full: 4, ..Cost::of(6) };
        assert_eq!(bench(2).writes(&[1, 5, 9, 1, 5, 9]), full);
    }

    #[test]
    fn a_log_block_out_of_order_costs_a_full_merge_when_it_is_full() {
        let full = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(5) };
        assert_eq!(bench(2).writes(&[1, 1, 1, 1, 1]), full);
    }

    /// The logical block has two pages, so a merge copies nothing. Its log block is not full,
    /// though.
    #[test]
    fn a_log_block_that_is_not_full_makes_no_switch() {
        let mut bench = Bench::<BastFtl>::empty(8, 2, |_| {});
        bench.writes(&[0, 1, 4]);
        bench.writes(&[0, 1]);
        let partial = Cost { data_erases: 1, partial: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[4]), partial);
    }

    #[test]
    fn the_log_block_written_least_recently_is_given_up() {
        let mut bench = bench(2);
        bench.writes(&[0, 5, 1]);
        let full = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[9]), full, "that of block 1, whose log is out of order");
    }

    /// With more logical blocks in turn than log blocks, every write is a merge. Each costs P
    /// programs when offset 0 is written, otherwise P + 1.
    #[test]
    fn more_blocks_in_turn_than_log_blocks_make_every_write_a_merge() {
        for (offset, programs) in [(0, 4), (2, 5)] {
            let mut bench = bench(3);
            let round: Vec<u32> = (0..4).map(|lbn| 4 * lbn + offset).collect();
            bench.writes(&round);
            let cost = bench.writes(&round);
            assert_eq!(cost.copies + cost.programs, 4 * programs);
            assert_eq!(cost.partial + cost.full, 4);
        }
    }

    #[test]
    fn the_cost_laws_hold_under_random_writes() {
        let mut bench = bench(3);
        let mut rng = Rng::new(1, "bast");
        for _ in 0..200 {
            let first = rng.below(28) as u32;
            let pages: Vec<u32> = (first..=first + rng.below(5) as u32).collect();
            let cost = bench.write(&pages);
            let erases = cost.data_erases + cost.log_erases;
            assert_eq!(erases, cost.switch + cost.partial + 2 * cost.full);
            assert!(
                cost.copies >= 4 * cost.full && cost.copies <= 4 * cost.full + 3 * cost.partial
            );
        }
    }

    #[test]
    fn what_a_page_costs_is_known_before_it_is_written() {
        let mut bench = bench(3);
        let mut rng = Rng::new(2, "bast");
        for _ in 0..2000 {
            if rng.below(4) == 0 {
                bench.trim(rng.below(28) as u32);
            }
            let page = rng.below(28) as u32;
            let told = bench.ftl.cost_of_writing(&[Lpn(page)], &bench.flash);
            assert_eq!(Some(bench.write(&[page]).copies), told, "page {page}");
        }
    }

    /// 2048 blocks of 64 pages, 306 log blocks.
    #[test]
    fn ram_is_the_block_table_and_the_page_maps_of_the_log_blocks() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = BastFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8192 + 16_384 + 306 * (8 + 64));
    }
}
