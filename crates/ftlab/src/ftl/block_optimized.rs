//! Block-level mapping with one erase for each group of pages (CACH-FTL 5, its baseline "BM").
//!
//! Idea     a logical block *is* a physical block. The pages of a request that lie in one block are
//!          written together. The other valid pages are read into RAM, the block is erased, and all
//!          are programmed in place. A group of `g` costs `v` reads, one erase and `g + v`
//!          programs.
//! RAM      4 B per logical block, and a bit per page for what is valid (choices.md#ram-payload); the
//!          block in RAM is not counted, as in the paper.
//! Role     the lower bound of CACH-FTL's comparison.
//! Departs  a block that was never written is not erased first (choices.md#first-erase).
//! Not here spare blocks, as in the paper ("BM does not use over-provisioning"): they remain
//!          unused. Without a write buffer above, a group has the pages of one request.
//! Power    a cut between the erase and the programs would lose the block. Where power may be cut,
//!          the group and the pages that were read go to a spare block. Then the old block is
//!          erased and becomes the spare one. The operations are as many
//!          (choices.md#block-optimized-power). Of two blocks with pages of one logical block the
//!          older is valid, as the rewrite was not acknowledged.

use super::parts::by_block::first_group;
use super::parts::rewrite::program_in_order;
use super::{Access, Ftl, FtlMetrics, MergeCounts, RamUse};
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Geometry, Loaded, Owner};
use crate::ftl::design::{Design, Mount, POWER_SAFE, Setup, Spec};
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{Filled, FoundBlock, Survey};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::BTreeSet;

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
    geometry: Geometry,
    /// The block of each logical block: that of the same number, unless power may be cut.
    blocks: Vec<Pbn>,
    /// Blocks to which others are rewritten; none if rewrites are in place.
    spare: FreeBlocks,
    rewrites: u64,
    /// The pages of a block that are in RAM while it is rewritten.
    kept: Vec<(Lpn, Loaded)>,
}

impl Design for BlockOptimizedFtl {
    type Settings = BlockOptimizedConfig;

    const SPEC: Spec = Spec {
        name: "block-optimized",
        title: "BM",
        summary: "block-level mapping, rewritten in place with one erase for each request and block",
        source: "Boukhobza et al., CACH-FTL, 2014, section 5 (\"BM\")",
        obeys: &[POWER_SAFE],
        in_place: true,
        ..Spec::DATA_BLOCKS
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<BlockOptimizedConfig>, flash: &mut Flash) -> Result<Self, Error> {
        flash.allow_any_order()?;
        let geometry = flash.geometry().clone();
        let homes = geometry.logical_blocks();
        let keeps_spare = unless_bug!(BlockOptErasesFirst, flash.may_lose_power(), false);
        let spare = if keeps_spare {
            FreeBlocks::within(homes..geometry.blocks())
        } else {
            FreeBlocks::none()
        };
        if flash.may_lose_power() && homes == geometry.blocks() {
            let message = "found no spare block, expected one: where power may be cut, blocks are rewritten \
                           to another";
            return Err(geometry.too_few_blocks(message, ""));
        }
        Ok(BlockOptimizedFtl {
            append: setup.own.append,
            geometry,
            blocks: (0..homes).map(Pbn).collect(),
            spare,
            rewrites: 0,
            kept: Vec::new(),
        })
    }
}

impl Ftl for BlockOptimizedFtl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let ppn = Some(self.slot(lpn)).filter(|ppn| flash.is_valid(*ppn));
            flash.host_read(lpn, ppn);
        }
    }

    fn write(&mut self, Access { mut pages, .. }: Access<'_>, flash: &mut Flash) {
        while let Some((lbn, group, rest)) = first_group(pages, flash.geometry()) {
            self.write_group(lbn, group, flash);
            pages = rest;
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            if flash.is_valid(self.slot(lpn)) {
                unless_bug!(BlockOptTrimmedStays, flash.invalidate(self.slot(lpn)));
            }
            flash.trim(lpn);
        }
    }

    fn ram(&self) -> RamUse {
        let table = 4 * self.blocks.len() as u64;
        let tables = table + u64::from(self.geometry.logical_pages).div_ceil(8);
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
        for lpn in (0..self.geometry.logical_pages).map(Lpn) {
            let slot = self.slot(lpn);
            let valid = device.is_valid(slot);
            let expected = device.audit_holds_data(lpn) || valid && !device.verifies();
            assert_eq!(valid, expected, "whether {lpn} is in its place");
            let owner = device.audit_owner(slot);
            assert!(!valid || owner == Some(Owner::Data(lpn)), "{lpn} is elsewhere: {owner:?}");
        }
        let homes: BTreeSet<Pbn> = self.blocks.iter().copied().collect();
        assert_eq!(homes.len(), self.blocks.len(), "logical blocks share a block");
        let others = (0..self.geometry.blocks()).map(Pbn).filter(|pbn| !homes.contains(pbn));
        let used = others.filter(|pbn| !device.is_erased(*pbn)).count();
        assert_eq!(used, 0, "spare blocks that are not erased");
    }
}

impl BlockOptimizedFtl {
    /// The page of a logical page.
    fn slot(&self, lpn: Lpn) -> Ppn {
        let home = self.blocks[self.geometry.logical_block_of(lpn).index()];
        self.geometry.page_at(home, self.geometry.offset_of(lpn))
    }

    /// Writes pages of one block, with one erase at most.
    fn write_group(&mut self, lbn: Lbn, group: &[Lpn], flash: &mut Flash) {
        flash.begin_page();
        let home = self.blocks[lbn.index()];
        let base = self.geometry.first_logical_page(lbn);
        let unwritten =
            |lpn: &Lpn| !flash.is_programmed(self.geometry.page_at(home, lpn.0 - base.0));
        let free = || {
            unless_bug!(
                BlockOptAppendsOver,
                group.iter().all(unwritten),
                group.iter().any(unwritten)
            )
        };
        let room = flash.is_erased(home) || self.append && free();
        if room {
            self.program(home, base, group, flash);
            return;
        }
        self.load_others(home, base, group, flash);
        self.rewrites += 1;
        if let Some(other) = self.spare.take() {
            self.blocks[lbn.index()] = other;
            self.program(other, base, group, flash);
            flash.erase(home, BlockKind::Data, Cause::Merge);
            self.spare.give(home, flash);
        } else {
            flash.erase(home, BlockKind::Data, Cause::Merge);
            self.program(home, base, group, flash);
        }
    }

    /// Reads into RAM the other valid pages of a block. None of its pages is valid afterwards.
    fn load_others(&mut self, home: Pbn, base: Lpn, group: &[Lpn], flash: &mut Flash) {
        let first = self.geometry.first_page(home);
        let mut pages = flash.valid_pages(home);
        while let Some(ppn) = pages.next(flash) {
            let lpn = Lpn(base.0 + ppn.0 - first.0);
            let found = group.binary_search(&lpn);
            let is_beside = unless_bug!(BlockOptKeepsOverwritten, found.is_err(), found.is_ok());
            if is_beside {
                self.kept.push((lpn, flash.load(ppn, Cause::Merge)));
            }
            flash.invalidate(ppn);
        }
    }

    /// Programs the group, and the pages in RAM, in a block whose first page is that of `base`.
    fn program(&mut self, block: Pbn, base: Lpn, group: &[Lpn], flash: &mut Flash) {
        let first = self.geometry.first_page(block);
        let slot = |lpn: Lpn| Ppn(first.0 + lpn.0 - base.0);
        program_in_order(group, self.kept.drain(..), slot, flash);
    }

    /// Recovers after power was lost.
    fn mount(setup: &Setup<BlockOptimizedConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::build(setup, flash)?;
        let all = 0..flash.geometry().blocks();
        let survey = Survey::of(all.clone(), Filled::Anywhere, flash);
        let newest = FoundBlock::all(&survey.newest(&ftl.geometry), &ftl.geometry);
        let in_use: BTreeSet<Pbn> = newest.iter().map(|block| block.pbn).collect();
        let mut found = survey.blocks(&ftl.geometry);
        found.retain(|block| in_use.contains(&block.pbn));
        let last = FoundBlock::written_last;
        found.sort_by_cached_key(|block| {
            unless_bug!(BlockOptMountTakesNewer, last(block), u64::MAX - last(block))
        });
        let mut homes = vec![None; ftl.blocks.len()];
        for block in found {
            let owner = block.in_place(&ftl.geometry).expect("pages of one logical block");
            let home = &mut homes[owner.index()];
            if home.is_none() {
                *home = Some(block.pbn);
                let kept = block.pages.iter().filter(|page| !survey.is_buried(page));
                kept.for_each(|page| flash.revive(page.ppn));
            }
        }
        let mut spare = FreeBlocks::found(all, BlockKind::Data, Cause::Merge, flash);
        let mut spared = || spare.take().expect("a block for each logical block");
        ftl.blocks = homes.into_iter().map(|home| home.unwrap_or_else(&mut spared)).collect();
        ftl.spare = spare;
        Ok(ftl)
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
        ftl.write(Access::write(&pages), &mut flash);
        flash.start_measuring();
        ftl.write(Access::write(&pages[10..15]), &mut flash);
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
