//! CFTL, a convertible FTL (Park, Debnath & Du, SIGMETRICS 2010 and MASCOTS 2011).
//!
//! Idea     pages are mapped one by one, in translation pages on flash as in DFTL. The pages of a
//!          logical block that is read but not written are copied to one physical block. One small
//!          entry then maps the whole block. The first write makes it page-mapped again, at no
//!          cost. An entry of the cache covers a run of pages that follow each other on flash.
//! RAM      10 B per run (LPN, PPN, length), 8 B per block (LBN, PBN), and a GTD of 4 B per
//!          translation page. 4 B of counters and a mode bit per logical block.
//! Role     block mapping where reads profit from it, and page mapping for the rest.
//! Departs  a reconstruction: we know the papers by their abstracts and by others
//!          (choices.md#cftl-cache). Stated: both mappings and the switches between them, the run
//!          of an entry. Reconstructed: the page map is always complete, so a block needs no
//!          separate map on flash. Assumed: a counter of each logical block finds frequent reads,
//!          instead of Bloom filters (choices.md#cftl-conversion). Runs and blocks share one cache
//!          under LRU. A dirty entry has one page, and is written back alone.
//! Not here conversions that need GC: a block is converted while the pool has spare blocks, which
//!          GC provides beforehand. GC that moves pages of a block-mapped block makes it
//!          page-mapped.

mod runs;

use super::{DemandFtl, MappingCounts};
use crate::error::Error;
use crate::flash::{Cause, Device, Flash};
use crate::ftl::design::{CACHE, COPIES, COPY_BACK, LEVELS, PLACEMENT, SEPARATION, VICTIMS};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::ftl::{Access, Accounts, Ftl, FtlMetrics, RamUse};
use crate::placement::allocation::SINGLE;
use crate::placement::separation::ClassPages;
use crate::request::Meta;
use crate::units::{Lbn, Lpn, Ppn};
use runs::Runs;

crate::settings! {
    /// CFTL's own parameters.
    pub struct CftlConfig in "cftl" {
        /// Reads of pages of a logical block, without a write in between, that make it
        /// block-mapped.
        reads: u16 = 128, in 1.., unit "reads", laws 1..=12, source "choices.md#cftl-conversion";
    }
}

/// Blocks that a conversion of a logical block may open: one for data, one for its map.
const BLOCKS_OF_A_CONVERSION: u32 = 2;

/// The one pool of all planes.
const ALL: u32 = 0;

/// CFTL.
#[derive(Clone, Debug)]
pub struct Cftl {
    demand: DemandFtl<Runs>,
    conversions: u64,
    found_whole: u64,
}

impl Design for Cftl {
    type Settings = CftlConfig;

    const SPEC: Spec = Spec {
        name: "cftl",
        title: "CFTL",
        summary: "runs of pages cached on demand; blocks that are only read are brought together",
        source: "Park, Debnath & Du, MASCOTS 2011",
        obeys: &[VICTIMS, LEVELS, CACHE, COPIES, COPY_BACK],
        rejects: &[PLACEMENT, SEPARATION],
        early_blocks: 2,
        ..Spec::DEMAND_PAGED
    };
    // All logical blocks are page-mapped then, and no reads are counted.
    const MOUNT: Option<Mount<Self>> =
        Some(|setup, flash| DemandFtl::mount(&with_room(setup), flash).map(Cftl::over));

    fn build(setup: &Setup<CftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        if setup.ftl.placement != SINGLE {
            let message = "found a placement by plane, expected single: a logical block is brought \
                           together wherever a block is free";
            unless_bug!(CftlAnyPlacement, return Err(Error::config("ftl.placement", message)));
        }
        setup.expect_together("a logical block is brought together")?;
        Ok(Cftl::over(DemandFtl::build(&with_room(setup), flash)?))
    }
}

impl Ftl for Cftl {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.demand.read(access, flash);
        for &lpn in access.pages {
            if self.demand.cache.note_read(lpn) {
                self.convert(flash.geometry().logical_block_of(lpn), flash);
            }
        }
    }

    fn write(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.demand.write(access, flash);
    }

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.demand.trim(access, flash);
    }

    fn update_handle(&mut self, meta: Meta, flash: &mut Flash) {
        self.demand.update_handle(meta, flash);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.demand.locate(lpn)
    }

    fn locate_map(&self, lpn: Lpn) -> Option<Ppn> {
        self.demand.locate_map(lpn)
    }

    fn ram(&self) -> RamUse {
        self.demand.ram()
    }

    fn mapping_counts(&self) -> Option<MappingCounts> {
        self.demand.mapping_counts()
    }

    fn class_pages(&self) -> ClassPages {
        self.demand.class_pages()
    }

    fn metrics(&self) -> FtlMetrics {
        let mut metrics = self.demand.metrics();
        metrics.own.insert("cftl.blocks_collected", self.conversions);
        metrics.own.insert("cftl.blocks_found_whole", self.found_whole);
        metrics
    }

    fn reset_metrics(&mut self) {
        self.demand.reset_metrics();
        self.conversions = 0;
        self.found_whole = 0;
    }

    fn accounts(&self) -> Accounts {
        self.demand.accounts()
    }

    fn audit(&self, device: &Device) {
        self.demand.audit(device);
        self.demand.cache.audit_blocks(&self.demand.store.pages, device);
    }
}

/// The same, with blocks that GC leaves free for conversions.
fn with_room(setup: &Setup<CftlConfig>) -> Setup<CftlConfig> {
    let mut setup = setup.clone();
    let low = setup.gc.low.max(2);
    setup.gc.high = setup.gc.high.max(low + BLOCKS_OF_A_CONVERSION);
    setup
}

impl Cftl {
    const fn over(demand: DemandFtl<Runs>) -> Self {
        Cftl { demand, conversions: 0, found_whole: 0 }
    }

    /// Makes a logical block block-mapped. All its pages must be mapped.
    fn convert(&mut self, lbn: Lbn, flash: &mut Flash) {
        let first = flash.geometry().first_logical_page(lbn).0;
        let pages = first..first + flash.geometry().pages_per_block;
        if self.demand.cache.is_in_one_block(&pages) {
            self.demand.cache.mark_block(lbn);
            self.found_whole += 1;
            return;
        }
        unless_bug!(
            CftlTakesGcsBlocks,
            self.demand.make_room_for_blocks(
                ALL,
                unless_bug!(
                    CftlMakesRoomEarly,
                    BLOCKS_OF_A_CONVERSION,
                    2 * BLOCKS_OF_A_CONVERSION + 2
                ),
                flash
            )
        );
        let home = flash.geometry().first_page(self.demand.store.pool.take_block(ALL));
        let mut rest = pages.start;
        while rest < pages.end {
            rest = self.collect(rest..pages.end, first, home, flash);
        }
        let pbn = flash.geometry().block_of(home);
        self.demand.store.pool.close_block(ALL, pbn, flash);
        self.demand.cache.set_block(lbn, home);
        self.demand.settle(flash);
        self.conversions += 1;
    }

    /// Copies the pages of one translation page to their offsets from `home` on, where page `first`
    /// goes, and updates the translation page. Returns the first page of the next one.
    fn collect(
        &mut self,
        pages: std::ops::Range<u32>,
        first: u32,
        home: Ppn,
        flash: &mut Flash,
    ) -> u32 {
        let DemandFtl { cache, store, changes, .. } = &mut self.demand;
        let vtpn = store.pages.page_of(Lpn(pages.start));
        let end = pages.end.min(store.pages.last_on_page(vtpn).0 + 1);
        store.pages.read(vtpn, flash, Cause::GcMapping);
        changes.clear();
        for lpn in (pages.start..end).map(Lpn) {
            let newest = unless_bug!(
                CftlConvertsByFlash,
                cache.get(lpn).unwrap_or_else(|| store.pages.mapping(lpn)),
                store.pages.mapping(lpn).or_else(|| cache.get(lpn).flatten())
            );
            let from = newest.expect("all pages of the block are mapped");
            let to = Ppn(home.0 + lpn.0 - first);
            flash.copy(from, to, Cause::GcData);
            store.pool.invalidate(from, flash);
            changes.push((lpn, Some(to)));
        }
        store.pages.write(vtpn, changes, Cause::GcMapping, &mut store.pool, flash);
        end
    }
}

#[cfg(test)]
mod tests;
