//! Block-level mapping with one erase for each group of pages (CACH-FTL 5, its baseline "BM").
//!
//! Idea     a logical block *is* a physical block. The pages of a request that lie in one block are
//!          written together: the other valid pages are read into RAM, the block is erased, and all
//!          are programmed in place: `v` reads, one erase, `g + v` programs for a group of `g`.
//! RAM      4 B per logical block, and a bit per page for what is valid (choices.md#ram-payload); the
//!          block in RAM is not counted, as in the paper.
//! Role     the lower bound of CACH-FTL's comparison.
//! Departs  a block that was never written is not erased first (choices.md#first-erase).
//! Not here spare blocks, as in the paper ("BM does not use over-provisioning"): they stay unused.
//!          Without a write buffer above, a group is what one request brings. A power failure between
//!          the erase and the programs would lose the block.

use super::parts::by_block::first_group;
use super::parts::rewrite::program_in_order;
use super::{Ftl, FtlMetrics, MergeCounts, RamUse};
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Loaded, Owner};
use crate::ftl::design::{Design, Setup, Spec};
use crate::units::{Lpn, Pbn, Ppn};

crate::settings! {
    /// Parameters of `block-optimized`.
    pub struct BlockOptimizedConfig in "block-optimized" {
        /// Program a group without an erase when all its offsets are still erased.
        append: bool = false, laws [false, true],
            source "CACH-FTL rewrites every block that is not empty; choices.md#first-erase";
    }
}

/// Direct block-level mapping, rewritten in place group by group.
#[derive(Clone, Debug)]
pub struct BlockOptimizedFtl {
    append: bool,
    logical_pages: u32,
    logical_blocks: u32,
    rewrites: u64,
    /// The pages of a block that are in RAM while it is rewritten.
    kept: Vec<(Lpn, Loaded)>,
}

/// The page of a logical page: logical blocks are physical blocks.
const fn slot(lpn: Lpn) -> Ppn {
    Ppn(lpn.0)
}

impl Design for BlockOptimizedFtl {
    type Settings = BlockOptimizedConfig;

    const SPEC: Spec = Spec {
        name: "block-optimized",
        summary: "block-level mapping, rewritten in place with one erase for each request and block",
        source: "Boukhobza et al., CACH-FTL, 2014, section 5 (\"BM\")",
        in_place: true,
        ..Spec::DATA_BLOCKS
    };

    fn build(setup: &Setup<BlockOptimizedConfig>, flash: &mut Flash) -> Result<Self, Error> {
        flash.allow_any_order()?;
        Ok(BlockOptimizedFtl {
            append: setup.own.append,
            logical_pages: flash.geometry().logical_pages,
            logical_blocks: flash.geometry().logical_blocks(),
            rewrites: 0,
            kept: Vec::new(),
        })
    }
}

impl Ftl for BlockOptimizedFtl {
    fn read(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let ppn = Some(slot(lpn)).filter(|ppn| flash.is_valid(*ppn));
            flash.host_read(lpn, ppn);
        }
    }

    fn write(&mut self, mut pages: &[Lpn], flash: &mut Flash) {
        while let Some((lbn, group, rest)) = first_group(pages, flash.geometry()) {
            self.write_group(Pbn(lbn.0), group, flash);
            pages = rest;
        }
    }

    fn trim(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            if flash.is_valid(slot(lpn)) {
                unless_bug!(BlockOptTrimmedStays, flash.invalidate(slot(lpn)));
            }
            flash.trim(lpn);
        }
    }

    fn ram(&self) -> RamUse {
        let table = 4 * u64::from(self.logical_blocks);
        let tables = table + u64::from(self.logical_pages).div_ceil(8);
        RamUse { tables, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        let merges = MergeCounts { full: self.rewrites, ..MergeCounts::default() };
        FtlMetrics { merges: Some(merges), ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.rewrites = 0;
    }

    fn audit(&self, device: &Device) {
        device.audit();
        assert!(self.kept.is_empty(), "pages were left in RAM");
        for lpn in (0..self.logical_pages).map(Lpn) {
            let valid = device.is_valid(slot(lpn));
            let expected = device.audit_holds_data(lpn) || valid && !device.verifies();
            assert_eq!(valid, expected, "whether {lpn} is in its place");
            let owner = device.audit_owner(slot(lpn));
            assert!(!valid || owner == Some(Owner::Data(lpn)), "{lpn} is elsewhere: {owner:?}");
        }
        let spare = self.logical_blocks..device.geometry().blocks();
        let used = spare.filter(|pbn| !device.is_erased(Pbn(*pbn))).count();
        assert_eq!(used, 0, "spare blocks that are not erased");
    }
}

impl BlockOptimizedFtl {
    /// Writes pages of one block, with one erase at most.
    fn write_group(&mut self, pbn: Pbn, group: &[Lpn], flash: &mut Flash) {
        flash.begin_page();
        let unwritten = |lpn: &Lpn| !flash.is_programmed(slot(*lpn));
        let free = unless_bug!(
            BlockOptAppendsOver,
            group.iter().all(unwritten),
            group.iter().any(unwritten)
        );
        let room = flash.is_erased(pbn) || self.append && free;
        if !room {
            self.empty(pbn, group, flash);
        }
        program_in_order(group, self.kept.drain(..), slot, flash);
    }

    /// Reads into RAM what a block holds beside the pages of the group, and erases it.
    fn empty(&mut self, pbn: Pbn, group: &[Lpn], flash: &mut Flash) {
        let mut pages = flash.valid_pages(pbn);
        while let Some(ppn) = pages.next(flash) {
            let found = group.binary_search(&Lpn(ppn.0));
            if unless_bug!(BlockOptKeepsOverwritten, found.is_err(), found.is_ok()) {
                self.kept.push((Lpn(ppn.0), flash.load(ppn, Cause::Merge)));
            }
            flash.invalidate(ppn);
        }
        flash.erase(pbn, BlockKind::Data, Cause::Merge);
        self.rewrites += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::parts::bench::{Bench, Cost};

    /// With P = 4: v reads, one erase and g + v programs for each block touched.
    #[test]
    fn a_group_costs_one_erase() {
        let mut bench = Bench::<BlockOptimizedFtl>::new(4, 0, |_| {});
        let two = Cost { copies: 2, data_erases: 1, full: 1, ..Cost::of(2) };
        assert_eq!(bench.write(&[1, 2]), two);
        let whole = Cost { copies: 0, ..Cost { programs: 4, ..two } };
        assert_eq!(bench.write(&[4, 5, 6, 7]), whole, "nothing to keep");
        let across = Cost { copies: 6, data_erases: 2, full: 2, ..Cost::of(2) };
        assert_eq!(bench.write(&[7, 8]), across, "a group for each block");
    }

    /// CACH-FTL's timing: 5 pages into a full block of 64 are 59 reads, an erase, 64 programs.
    #[test]
    fn the_example_of_cach_ftl_takes_15775_microseconds() {
        let config = Setup::default();
        let mut flash = Device::new(&config.device, 64 * 4096).expect("a device");
        let mut ftl = BlockOptimizedFtl::build(&config, &mut flash).expect("an FTL");
        let pages: Vec<Lpn> = (0..64).map(Lpn).collect();
        ftl.write(&pages, &mut flash);
        flash.start_measuring();
        ftl.write(&pages[10..15], &mut flash);
        assert_eq!(flash.timeline().served().end, 15_775_000);
    }

    #[test]
    fn a_block_that_is_not_empty_is_rewritten_unless_groups_may_be_appended() {
        let costs = |append| {
            let mut bench = Bench::<BlockOptimizedFtl>::empty(4, 0, |config| {
                config.own.append = append;
            });
            assert_eq!(bench.write(&[2]), Cost::of(1), "an erased block is not erased again");
            bench.write(&[0, 1])
        };
        let rewrite = Cost { copies: 1, data_erases: 1, full: 1, ..Cost::of(2) };
        assert_eq!(costs(false), rewrite);
        assert_eq!(costs(true), Cost::of(2));
    }
}
