//! NFTL with one replacement block (Ban, US patent 5,937,425; "NFTL-1"): the log block that is searched.
//!
//! Idea     a logical block has a primary block, where each page has its own offset, and at most
//!          one replacement block, written page after page. The OOB names the logical page, so
//!          there is no page map. A read searches the replacement block backwards, then the primary
//!          one. A write checks whether its offset there is erased; a merge searches for the place
//!          of each page (choices.md#nftl-oob).
//! RAM      two block numbers of 4 B for each logical block, and the number of written pages of
//!          each replacement block (choices.md#ram-payload).
//! Role     the least RAM at which an overwrite is not a merge; its price is the search.
//! Departs  when no replacement block is left, the one written least recently is merged. The victim
//!          of real devices is not published; implementations scan for a block with much garbage.
//!          None is left when `log.blocks` are in use, not when no block is free
//!          (choices.md#nftl-victim).
//! Not here a device with ascending order.

use super::data_blocks::DataBlocks;
use super::owned_logs::{Kinds, OwnedLogs};
use super::{LogBlockFtl, LogBlocks};
use crate::flash::{Cause, Device, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::oob_map::bytes_of_number;
use crate::units::{Lpn, Pbn, Ppn};

/// NFTL with one replacement block for each logical block.
#[derive(Clone, Debug)]
pub struct Nftl {
    blocks: OwnedLogs,
    log_blocks: u32,
    written_bytes: u64,
}

/// NFTL-1 under the engine of its family.
pub type NftlFtl = LogBlockFtl<Nftl>;

impl LogBlocks for Nftl {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "nftl",
        title: "NFTL-1",
        summary: "a replacement block for each logical block, searched by OOB reads",
        source: "Ban, US patent 5,937,425, 1999 (\"NFTL-1\")",

        ..Spec::LOG_BLOCKS
    };

    fn new(data: DataBlocks, log_blocks: u32, _: &Setup, geometry: &Geometry) -> Self {
        let counter = bytes_of_number(geometry.pages_per_block + 1);
        Nftl {
            blocks: OwnedLogs::new(data, geometry.logical_blocks(), log_blocks, Kinds::Full),
            log_blocks,
            written_bytes: u64::from(counter) * u64::from(log_blocks),
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

    /// Reads OOBs from the last page of the replacement block back to the newest version of a page.
    /// If it is not there, reads the OOB of its offset in the primary block.
    fn find(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Ppn> {
        let newest = self.data().newest(lpn);
        let geometry = flash.geometry();
        let lbn = geometry.logical_block_of(lpn);
        if let Some(log) = self.blocks.log(lbn) {
            let first = geometry.first_page(log.pbn).0;
            let found = newest.filter(|ppn| geometry.block_of(*ppn) == log.pbn);
            let end = first + unless_bug!(NftlSearchesTooFar, log.written, log.written + 1);
            for page in (found.map_or(first, |ppn| ppn.0)..end).rev() {
                flash.read_oob(Ppn(page), Cause::Host);
            }
            if found.is_some() {
                return found;
            }
        }
        self.blocks.data_mut().look_at(lpn, flash);
        newest
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.blocks.data_mut().look_at(lpn, flash);
        self.blocks.write(lpn, flash);
    }

    fn cost_of_writing(&self, pages: &[Lpn], flash: &Flash) -> Option<u64> {
        Some(self.blocks.cost_of_writing(pages, flash))
    }

    fn table_bytes(&self) -> u64 {
        2 * self.data().table_bytes() + self.written_bytes
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.blocks.blocks().collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![("nftl.log_blocks", u64::from(self.log_blocks))]
    }

    fn audit(&self, device: &Device) {
        self.blocks.audit(0, device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::flash::Operation;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Design, Ftl};
    use crate::units::Lbn;

    /// P pages fill the replacement block; the next overwrite merges.
    #[test]
    fn a_full_replacement_block_costs_a_full_merge() {
        let mut bench = Bench::<NftlFtl>::new(8, 3, |_| {});
        let merge = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(5) };
        assert_eq!(bench.writes(&[0, 0, 1, 2, 3]), merge);
        assert_eq!(bench.writes(&[0, 1, 2]), Cost::of(3), "the new one takes 3 pages more");
    }

    #[test]
    fn even_a_replacement_block_in_order_costs_a_full_merge() {
        let mut bench = Bench::<NftlFtl>::new(8, 3, |_| {});
        let merge = Cost { copies: 4, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(5) };
        assert_eq!(bench.writes(&[0, 1, 2, 3, 0]), merge);
    }

    #[test]
    fn the_replacement_block_is_searched_backwards_and_then_the_primary() {
        let mut bench = Bench::<NftlFtl>::new(8, 3, |_| {});
        assert_eq!(bench.oob_reads(1), 1, "no replacement block");
        bench.writes(&[1, 2, 1]);
        assert_eq!(bench.oob_reads(1), 1, "the last page");
        assert_eq!(bench.oob_reads(2), 2);
        assert_eq!(bench.oob_reads(3), 3 + 1, "three in vain, and the primary");
    }

    /// No table shows that a page was never written.
    #[test]
    fn a_read_of_nothing_looks_at_the_primary_block_too() {
        let mut bench = Bench::<NftlFtl>::empty(8, 3, |_| {});
        assert_eq!(bench.oob_reads(1), 0, "no block");
        bench.write(&[0]);
        assert_eq!(bench.oob_reads(1), 1);
        bench.write(&[0]);
        assert_eq!(bench.oob_reads(1), 2);
    }

    #[test]
    fn a_write_looks_whether_its_offset_is_erased() {
        let mut bench = Bench::<NftlFtl>::empty(8, 3, |_| {});
        let mut looks = |lpn| {
            bench.write(&[lpn]);
            bench.flash.ledger().get(Operation::ReadOob, Cause::Host)
        };
        assert_eq!([0, 1, 1, 0].map(&mut looks), [0, 1, 1, 1], "the first founds the block");
    }

    /// A merge reads the OOBs of the whole replacement block, and those of the erased offsets of
    /// the primary one. A copied page includes its OOB.
    #[test]
    fn a_merge_reads_the_oobs_that_tell_what_is_where() {
        for (filled, looks) in [(4, 4), (2, 4 + 2)] {
            let mut bench = Bench::<NftlFtl>::empty(8, 3, |_| {});
            let first: Vec<u32> = (0..filled).collect();
            bench.writes(&first);
            bench.writes(&[1, 1, 1, 1]);
            let merge = bench.write(&[1]);
            assert_eq!((merge.full, merge.copies), (1, u64::from(filled)));
            assert_eq!(bench.flash.ledger().get(Operation::ReadOob, Cause::Merge), looks);
        }
    }

    /// 2048 logical blocks, 306 log blocks of 64 pages.
    #[test]
    fn ram_is_two_numbers_for_each_logical_block_and_a_counter_for_each_log_block() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = NftlFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8 * 2048 + 306);
    }

    #[test]
    fn a_merge_of_trimmed_pages_leaves_no_data_block() {
        let mut bench = Bench::<NftlFtl>::new(8, 2, |_| {});
        bench.write(&[1]);
        for lpn in 0..4 {
            bench.trim(lpn);
        }
        let merge = Cost { data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[4]), merge, "the only replacement block is needed elsewhere");
        assert_eq!(bench.ftl.logs.blocks.data().audit_block(Lbn(0)), None);
        assert_eq!(bench.write(&[2]), Cost::of(1), "in a new one");
    }
}
