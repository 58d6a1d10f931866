//! ZFTL (Wang, Zhang & Wang, ICCT 2011), as TPFTL 2.2 and 4.4 describe it.
//!
//! Idea     the flash is divided into zones. Only the directory of the zone in use is in RAM, so
//!          the RAM does not grow with the device. There are two tiers of cache: tier 2 is the
//!          translation page in use, tier 1 a few entries of earlier ones. Tier 1 evicts in
//!          batches: its oldest entry leaves with all entries of the same translation page.
//! RAM      4 B per zone (the place of its directory on flash) + 4 B per translation page of a
//!          zone; 8 B per entry of tier 1. Tier 2 takes page size + 4 B + a bit per mapping, which
//!          marks the dirty ones (choices.md#sftl-dirty-bits).
//! Departs  a reconstruction: we know the paper by TPFTL. Filled in (choices.md#zftl-tiers): a page
//!          that leaves tier 2 moves its dirty entries to tier 1, or the entry used last if none is
//!          dirty. Entries return to their page when it is loaded again. If tier 1 cannot hold all
//!          dirty entries, they are programmed with their page. A change of zone programs the
//!          changed pages of the directory and reads all of the other (choices.md#zftl-switch).
//! Options  `zones`: a device has fewer where GC would have no room in each
//!          (choices.md#zftl-zones). `tier1`.
//! Not here a choice of the entries that deserve tier 1 ("selective" in the paper's title).
//!
//! Each zone has its own logical pages, blocks and garbage collection, so GC never needs the
//! directory of another zone. A zone's directory is on further pages of its translation blocks, 4 B
//! for each translation page. Leaving a zone empties both tiers and programs the changes of the
//! directory. Entering a zone reads its directory.

mod tiers;

use super::{DemandFtl, MapStore, MappingCache, MappingCounts, MappingMetrics, Occupancy};
use crate::error::Error;
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{CACHE, COPIES, COPY_BACK, LEVELS, PLACEMENT, SEPARATION, VICTIMS};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::ftl::parts::translation_pages::TranslationPages;
use crate::ftl::{Access, Accounts, CachedPage, Ftl, FtlMetrics, GcMetrics, RamUse};
use crate::placement::allocation::SINGLE;
use crate::placement::block_pool::GcCounts;
use crate::placement::planes::Planes;
use crate::placement::region::Region;
use crate::units::{Lpn, Pbn, Ppn, Ratio};
use tiers::Tiers;

crate::settings! {
    /// ZFTL's own parameters.
    pub struct ZftlConfig in "zftl" {
        /// Zones, at most.
        zones: u32 = 8, in 1.., unit "zones", laws 1..=6, source "choices.md#zftl-zones";
        /// Share of the cache for tier 1.
        tier1: Option<Ratio> = None, absent "all that the page of tier 2 leaves", in 0.0..=1.0,
            laws [None, None, Some(Ratio(0.0)), Some(Ratio(0.05))],
            source "choices.md#zftl-tiers";
    }
}

/// A demand-paged FTL for each zone; one cache serves the zone in use.
#[derive(Clone, Debug)]
pub struct Zftl {
    zones: Vec<DemandFtl<Tiers>>,
    pages_per_zone: u32,
    current: usize,
    switches: u64,
    directory_reads: u64,
    directory_writes: u64,
}

impl Design for Zftl {
    type Settings = ZftlConfig;

    const SPEC: Spec = Spec {
        name: "zftl",
        title: "ZFTL",
        summary: "the directory of one zone in RAM; the page in use, and entries that leave in batches",
        source: "Wang, Zhang & Wang, ICCT 2011",
        obeys: &[VICTIMS, LEVELS, CACHE, COPIES, COPY_BACK],
        rejects: &[PLACEMENT, SEPARATION],
        bytes_per_page: 96,
        ..Spec::DEMAND_PAGED
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<ZftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        Zftl::over(setup, flash, |region, mut pool, flash| {
            let pages = TranslationPages::format_region(region, &mut pool, flash);
            MapStore::new(pool, pages)
        })
    }
}

impl Zftl {
    /// Each zone is left unchanged when another one is entered.
    fn mount(setup: &Setup<ZftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Zftl::over(setup, flash, MapStore::mount)?;
        for zone in 0..ftl.zones.len() {
            ftl.current = zone;
            unless_bug!(ZftlMountLeavesDirectory, ftl.leave(flash));
        }
        ftl.reset_metrics();
        Ok(ftl)
    }

    fn over(
        setup: &Setup<ZftlConfig>,
        flash: &mut Flash,
        store: fn(&Region, Planes, &mut Flash) -> MapStore,
    ) -> Result<Self, Error> {
        if setup.ftl.placement != SINGLE {
            let message = "found a placement by plane, expected single: zones are ranges of blocks";
            return Err(Error::config("ftl.placement", message));
        }
        setup.expect_together("each zone has frontiers of its own")?;
        let geometry = flash.geometry().clone();
        let (regions, pools) = divide(setup, &geometry)?;
        let pages_per_zone = regions[0].pages.len() as u32;
        regions.iter().for_each(|region| flash.begin_region(Pbn(region.blocks.start)));
        // Not clones of one: of a table that begins as zeroes, only touched parts take memory.
        let zones = regions.iter().zip(pools).map(|(region, pool)| {
            let cache = Tiers::build(setup, &geometry)?;
            Ok(DemandFtl::new(cache, store(region, pool, flash)))
        });
        Ok(Zftl {
            zones: zones.collect::<Result<_, Error>>()?,
            pages_per_zone,
            current: 0,
            switches: 0,
            directory_reads: 0,
            directory_writes: 0,
        })
    }
}

impl Ftl for Zftl {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.serve(access, flash, DemandFtl::read);
    }

    fn write(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.serve(access, flash, DemandFtl::write);
    }

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.serve(access, flash, DemandFtl::trim);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.zones[self.zone_of(lpn)].locate(lpn)
    }

    fn locate_map(&self, lpn: Lpn) -> Option<Ppn> {
        self.zones[self.zone_of(lpn)].locate_map(lpn)
    }

    fn ram(&self) -> RamUse {
        let zone = &self.zones[0];
        let tables = 4 * self.zones.len() as u64 + zone.store.pages.directory_bytes();
        RamUse { tables, cache: zone.cache.budget(), buffer: 0 }
    }

    fn mapping_counts(&self) -> Option<MappingCounts> {
        let counts = self.zones.iter().map(|zone| zone.cache.counts());
        Some(counts.fold(MappingCounts::default(), MappingCounts::plus))
    }

    fn cached_pages(&self) -> Option<Vec<CachedPage>> {
        self.zones[self.current].cached_pages()
    }

    fn metrics(&self) -> FtlMetrics {
        let sum = |of: fn(&DemandFtl<Tiers>) -> u64| self.zones.iter().map(of).sum();
        let occupancy: Occupancy = self.zones[self.current].cache.occupancy();
        FtlMetrics {
            mapping: Some(MappingMetrics {
                counts: self.mapping_counts().unwrap_or_default(),
                gc_lookups: sum(|zone| zone.gc_lookups),
                gc_hits: sum(|zone| zone.gc_hits),
                occupancy,
            }),
            gc: Some(self.gc()),
            own: [
                ("zftl.zones", self.zones.len() as u64),
                ("zftl.switches", self.switches),
                ("zftl.directory_reads", self.directory_reads),
                ("zftl.directory_writes", self.directory_writes),
                ("zftl.batches_written", sum(|zone| zone.cache.batches_written())),
            ]
            .into(),
            ..FtlMetrics::default()
        }
    }

    fn reset_metrics(&mut self) {
        self.switches = 0;
        self.directory_reads = 0;
        self.directory_writes = 0;
        self.zones.iter_mut().for_each(Ftl::reset_metrics);
    }

    fn accounts(&self) -> Accounts {
        let batches: u64 = self.zones.iter().map(|zone| zone.cache.batches_written()).sum();
        Accounts {
            other_loads: Some(self.directory_reads + batches),
            directories: unless_bug!(ZftlOneDirectory, self.directory_pages(), 1),
            directory_writes: unless_bug!(ZftlWritesUntold, self.directory_writes, 0),
            regions: unless_bug!(ZftlDeniesRegions, self.zones.len() > 1, false),
            ..Accounts::default()
        }
    }

    fn audit(&self, device: &Device) {
        for (number, zone) in self.zones.iter().enumerate() {
            zone.audit(device);
            if number != self.current {
                assert!(zone.cache.is_empty(), "zone {number} is not in use but cached");
                let stored = zone.store.pages.directory_is_stored();
                assert!(stored, "the directory of zone {number} was left behind");
            }
        }
    }
}

impl Zftl {
    fn zone_of(&self, lpn: Lpn) -> usize {
        (lpn.0 / self.pages_per_zone) as usize
    }

    /// Serves the pages of each zone in turn.
    fn serve(
        &mut self,
        access: Access<'_>,
        flash: &mut Flash,
        serve: fn(&mut DemandFtl<Tiers>, Access<'_>, &mut Flash),
    ) {
        let size = self.pages_per_zone;
        for pages in access.pages.chunk_by(|a, b| a.0 / size == b.0 / size) {
            self.enter(self.zone_of(pages[0]), flash);
            serve(&mut self.zones[self.current], Access { pages, ..access }, flash);
        }
    }

    /// Enters a zone; later page accesses of the request wait for that.
    fn enter(&mut self, zone: usize, flash: &mut Flash) {
        if zone == self.current {
            return;
        }
        flash.work_before_pages(|flash| {
            self.leave(flash);
            let pages = &mut self.zones[zone].store.pages;
            unless_bug!(ZftlDirectoryUnread, pages.load_directory(flash));
            self.directory_reads += u64::from(pages.directory_pages());
        });
        self.current = zone;
        self.switches += 1;
    }

    /// Empties both tiers and stores the directory. No eviction is under way between two steps, so
    /// GC may run before each. GC loads no entries, so the loop ends.
    fn leave(&mut self, flash: &mut Flash) {
        let zone = &mut self.zones[self.current];
        while !zone.cache.is_empty() {
            zone.make_room_for_the_map(flash);
            zone.cache.empty_step(&mut zone.store, flash);
            unless_bug!(ZftlLeavesTier1Full, {}, break);
        }
        match zone.store.pages.directory_pages() {
            1 => zone.make_room_for_the_map(flash),
            // GC changes the directory, so it must not run before all of it is stored.
            pages => zone.make_room_for_blocks(0, blocks_of(pages, flash.geometry()), flash),
        }
        unless_bug!(
            ZftlDirectoryUnwritten,
            self.directory_writes += u64::from(zone.store.store_directory(flash))
        );
    }

    fn directory_pages(&self) -> u32 {
        self.zones.iter().map(|zone| zone.store.pages.directory_pages()).sum()
    }

    /// GC of all zones. Its thresholds are the same in each.
    fn gc(&self) -> GcMetrics {
        let counts = self.zones.iter().map(|zone| zone.store.pool.metrics().counts);
        let counts = counts.fold(GcCounts::default(), GcCounts::plus);
        GcMetrics { counts, ..self.zones[0].store.pool.metrics() }
    }
}

/// Blocks that a GC step may open.
const RESERVE: u32 = 2;

/// Blocks that `pages` pages of a directory fill.
const fn blocks_of(pages: u32, geometry: &Geometry) -> u32 {
    pages.div_ceil(geometry.pages_per_block)
}

/// The number of zones: the configured one, halved until GC has room in each.
fn divide(
    setup: &Setup<ZftlConfig>,
    geometry: &Geometry,
) -> Result<(Vec<Region>, Vec<Planes>), Error> {
    let mut zones = setup.own.zones.min(geometry.translation_pages());
    loop {
        let regions = regions(geometry, zones);
        let mut gc = setup.collection()?;
        let directory = regions[0].directory.len() as u32;
        if directory > 1 {
            let replenished = gc.low.max(RESERVE) + blocks_of(directory, geometry);
            gc.high = gc.high.max(replenished);
        }
        let pools = regions.iter().map(|region| Planes::in_region(&gc, geometry, RESERVE, region));
        match pools.collect() {
            Ok(pools) => return Ok((regions, pools)),
            Err(error) if zones == 1 => return Err(error),
            Err(_) => zones /= 2,
        }
    }
}

/// Divides the device into zones. All except the last have equally many translation pages, and
/// blocks in proportion.
fn regions(geometry: &Geometry, zones: u32) -> Vec<Region> {
    let translation_pages = geometry.translation_pages();
    let each = translation_pages.div_ceil(zones);
    let first_page = |vtpn: u32| {
        let page = u64::from(vtpn) * u64::from(geometry.entries_per_translation_page());
        page.min(u64::from(geometry.logical_pages)) as u32
    };
    let first_block = |page: u32| {
        let blocks = u64::from(geometry.blocks()) * u64::from(page);
        (blocks / u64::from(geometry.logical_pages)) as u32
    };
    let directory = each.div_ceil(geometry.entries_per_translation_page());
    let starts = (0..translation_pages).step_by(each as usize);
    let zone = |(number, first): (usize, u32)| {
        let end = (first + each).min(translation_pages);
        let pages = first_page(first)..first_page(end);
        Region {
            blocks: first_block(pages.start)..first_block(pages.end),
            pages,
            translation_pages: first..end,
            directory: {
                let first = translation_pages + number as u32 * directory;
                first..first + directory
            },
        }
    };
    starts.enumerate().map(|(number, first)| zone((number, first))).collect()
}

#[cfg(test)]
mod tests;
