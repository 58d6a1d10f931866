//! Block-level mapping (CACH-FTL 1 and 5, DLOOP II.A): the smallest table, the dearest update.
//!
//! Idea     `LBN -> PBN`; a page remains at its offset. The first write of an offset programs it.
//!          Every later one copies the other pages of the block and the new one to a fresh block,
//!          and erases the old. Each overwritten page costs `P - 1` copies and an erase.
//! RAM      4 B per logical block, and a bit per page for what is programmed (choices.md#ram-payload).
//! Role     the reference for log blocks and page maps.
//! Departs  nothing.
//! Not here a device with ascending order: offsets are programmed as the host writes them.

use super::data_blocks::{Begin, DataBlocks};
use crate::error::Error;
use crate::flash::{Device, Flash};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::ftl::{Access, Accounts, Ftl, FtlMetrics, RamUse};
use crate::units::{Lpn, Ppn};

/// Block-level mapping with a fresh block for each update.
#[derive(Clone, Debug)]
pub struct BlockFtl {
    data: DataBlocks,
    programmed_bits: u64,
}

impl Design for BlockFtl {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "block",
        title: "block-level",
        summary: "block-level mapping: every page overwritten moves its block",
        source: "CACH-FTL 1, DLOOP II.A",
        obeys: &["log.map"],

        ..Spec::DATA_BLOCKS
    };
    const MOUNT: Option<Mount<Self>> = Some(|setup, flash| {
        let mut ftl = Self::over(DataBlocks::mount, setup, flash)?;
        ftl.data.place_logs(flash, |_, _| None::<()>);
        Ok(ftl)
    });

    fn build(setup: &Setup<()>, flash: &mut Flash) -> Result<Self, Error> {
        Self::over(DataBlocks::new, setup, flash)
    }
}

impl Ftl for BlockFtl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        self.data.read(pages, flash);
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let programmed = self.data.program_in_place(lpn, flash);
            if unless_bug!(BlockRewritesAlways, !programmed, programmed) {
                let lbn = flash.geometry().logical_block_of(lpn);
                self.data.merge_full(lbn, unless_bug!(BlockLeavesHostOut, Some(lpn), None), flash);
            }
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        self.data.trim(pages, flash);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.data.newest(lpn)
    }

    fn ram(&self) -> RamUse {
        let tables = self.data.table_bytes() + self.programmed_bits.div_ceil(8);
        RamUse { tables, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics { merges: Some(self.data.merges()), ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.data.reset_counts();
    }

    fn accounts(&self) -> Accounts {
        self.data.accounts()
    }

    fn audit(&self, device: &Device) {
        self.data.audit(&[], device);
    }
}

impl BlockFtl {
    fn over(data: Begin, setup: &Setup<()>, flash: &mut Flash) -> Result<Self, Error> {
        let programmed_bits = u64::from(flash.geometry().logical_pages);
        Ok(BlockFtl { data: data(flash, setup.log.map, 0)?, programmed_bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::parts::bench::{Bench, Cost};

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
