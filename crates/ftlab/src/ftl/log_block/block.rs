//! Block-level mapping (CACH-FTL 1 and 5, DLOOP II.A): the smallest table, the dearest update.
//!
//! Idea     `LBN -> PBN`; a page remains at its offset. The first write of an offset programs it.
//!          Every later one copies the other pages of the block and the new one to a fresh block,
//!          and erases the old. Each overwritten page costs `P - 1` copies and an erase.
//! RAM      4 B per logical block, and a bit per page for what is programmed (choices.md#ram-payload).
//! Role     the reference for log blocks and page maps.
//! Departs  nothing.
//! Not here a device with ascending order: offsets are programmed as the host writes them.

use super::data_blocks::DataBlocks;
use super::{LogBlockFtl, LogBlocks};
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{LOG_MAP, Setup, Spec};
use crate::units::{Lpn, Pbn};

/// Block-level mapping with a fresh block for each update.
#[derive(Clone, Debug)]
pub struct Block {
    data: DataBlocks,
}

/// block-level under the engine of its family.
pub type BlockFtl = LogBlockFtl<Block>;

impl LogBlocks for Block {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "block",
        title: "block-level",
        summary: "block-level mapping: every page overwritten moves its block",
        source: "CACH-FTL 1, DLOOP II.A",
        obeys: &[LOG_MAP],

        ..Spec::DATA_BLOCKS
    };
    const LEAST: u32 = 0;

    fn new(data: DataBlocks, _: u32, _: &Setup, _: &Geometry) -> Self {
        Block { data }
    }

    /// There are no log blocks to take over: those that were found are merged.
    fn take_over(&mut self, flash: &mut Flash) {
        self.data.place_logs(flash, |_, _| None::<()>);
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        if !self.data.program_in_place(lpn, flash) {
            let lbn = flash.geometry().logical_block_of(lpn);
            unless_bug!(
                BlockLeavesHostOut,
                self.data.merge_full(lbn, Some(lpn), flash),
                self.data.merge_full(lbn, None, flash)
            );
        }
    }

    fn table_bytes(&self) -> u64 {
        self.data.map_bytes()
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        Vec::new()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    fn audit(&self, _: &Device) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Design, Ftl};

    /// P programs and an erase for each page overwritten (CACH-FTL 1).
    #[test]
    fn an_overwrite_rewrites_the_block() {
        let mut bench = Bench::<BlockFtl>::new(4, 1, |_| {});
        assert_eq!(bench.write(&[1]), Cost { copies: 3, data_erases: 1, full: 1, ..Cost::of(1) });
        let twice = Cost { copies: 6, data_erases: 2, full: 2, ..Cost::of(2) };
        assert_eq!(bench.write(&[4, 5]), twice, "each page of a request for itself");
    }

    #[test]
    fn a_first_write_is_one_program_in_any_order() {
        let mut bench = Bench::<BlockFtl>::empty(4, 1, |_| {});
        assert_eq!(bench.write(&[3]), Cost::of(1));
        assert_eq!(bench.write(&[1]), Cost::of(1));
        let one = Cost { copies: 1, data_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[1]), one, "only what is valid is copied");
        bench.trim(3);
        let none = Cost { copies: 0, ..one };
        assert_eq!(bench.write(&[1]), none);
        assert_eq!(bench.write(&[3]), Cost::of(1), "the slot is free again");
    }

    /// 2048 blocks of 64 pages.
    #[test]
    fn ram_is_the_block_table_and_a_bit_for_each_page() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = BlockFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8192 + 2048 * 8);
    }
}
