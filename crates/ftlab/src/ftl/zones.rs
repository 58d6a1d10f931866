//! A page-level FTL in the host, over a zoned drive: the log-structured layer that a host of ZNS needs.
//!
//! Idea     [`page`](super::page) on zones instead of blocks: the same frontiers, victims and separations, by the same code. The
//!          drive executes commands on zones, and collects nothing ([`crate::zones`]).
//! RAM      4 B per logical page, of the host.
//! Role     what a zoned drive costs, next to `page` on a conventional one, and with `handles` on one with FDP. The write
//!          amplification of the host is that of their controllers. The one of the drive is 1.
//! Departs  copies go through the host, at no more than the time of the flash and the channel.
//! Not here append, explicit opens: the host writes at write pointers, one page a command.

use super::parts::page_map::PageMap;
use super::{Access, Accounts, Ftl, FtlMetrics, RamUse};
use crate::error::Error;
use crate::flash::{Cause, Device, Flash, Owner};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::placement::planes::Planes;
use crate::placement::separation::ClassPages;
use crate::placement::survey::{Filled, Survey};
use crate::request::Meta;
use crate::units::{Lpn, Pbn, Ppn};
use crate::zones::{ZonedDrive, ZonesConfig};

/// Page-level mapping of a host over zones. Its map has pages as the drive numbers them.
#[derive(Clone, Debug)]
pub struct ZonesFtl {
    map: PageMap,
    pool: Planes,
    drive: ZonedDrive,
}

impl Design for ZonesFtl {
    type Settings = ZonesConfig;

    const SPEC: Spec = Spec {
        name: "zones",
        title: "host FTL on zones",
        summary: "the page map of a host over a zoned drive, which collects nothing",
        source: "NVMe ZNS; Bjørling et al., ATC 2021",
        ..Spec::ZONED
    };

    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<ZonesConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let planes = setup.ftl.order.planes(flash.geometry());
        let mut drive = ZonedDrive::new(&setup.own, planes, flash.geometry())?;
        let pool = Planes::of_page_map(&setup.placing()?, &mut drive.on(flash))?;
        setup.own.expect_active(pool.frontiers())?;
        Ok(ZonesFtl { map: PageMap::new(flash.geometry().logical_pages), pool, drive })
    }
}

impl Ftl for ZonesFtl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let place = self.map.get(lpn).map(|page| self.drive.on(flash).read(page));
            flash.host_read(lpn, place);
        }
    }

    fn write(&mut self, Access { pages, meta, .. }: Access<'_>, flash: &mut Flash) {
        let ZonesFtl { map, pool, drive } = self;
        for &lpn in pages {
            flash.begin_page();
            let zones = &mut drive.on(flash);
            let new = pool.host_page(lpn, meta, zones, |lpn, to| {
                map.replace(lpn, Some(to));
            });
            zones.program(new, Owner::Data(lpn), Cause::Host);
            pool.supersede(map.replace(lpn, Some(new)), zones);
            pool.background_gc(zones, |lpn, to| {
                map.replace(lpn, Some(to));
            });
        }
        pool.clean(&mut drive.on(flash), |lpn, to| {
            map.replace(lpn, Some(to));
        });
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.pool.supersede(self.map.replace(lpn, None), &mut self.drive.on(flash));
            self.pool.trimmed(lpn);
            flash.trim(lpn);
        }
    }

    fn update_handle(&mut self, meta: Meta, flash: &mut Flash) {
        for zone in self.pool.update_handle(meta, &self.drive.on(flash)) {
            unless_bug!(UpdateLeavesZone, self.drive.finish(zone));
        }
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.get(lpn).map(|page| self.drive.below(page))
    }

    fn ram(&self) -> RamUse {
        let tables = 4 * self.map.len() as u64 + self.pool.ram_bytes();
        RamUse { tables, ..RamUse::default() }
    }

    fn class_of(&self, pbn: Pbn) -> Option<u8> {
        self.pool.class_of(self.drive.layout().zone_of(pbn).0)
    }

    fn class_pages(&self) -> ClassPages {
        self.pool.class_pages()
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics { zones: Some(self.drive.metrics()), ..FtlMetrics::of(&self.pool) }
    }

    fn reset_metrics(&mut self) {
        self.pool.reset_counts();
        self.drive.reset_counts();
    }

    fn accounts(&self) -> Accounts {
        let is_apart = !self.drive.has_whole_blocks();
        let collects_unfilled = is_apart || self.pool.leaves_units();
        Accounts { regions: is_apart, collects_unfilled, ..Accounts::default() }
    }

    fn audit(&self, device: &Device) {
        device.audit();
        self.drive.audit(device);
        self.pool.audit_by(|zone| self.drive.is_empty(zone), |zone| self.drive.valid_in(zone));
        device.audit_map(0..self.map.len() as u32, |lpn| self.locate(lpn));
    }
}

impl ZonesFtl {
    /// Goes on after power was lost. Of the zones that are written in part, the host writes on in as many as it fills at once,
    /// and finishes the others.
    ///
    /// # Errors
    /// As [`Design::build`].
    pub fn mount(setup: &Setup<ZonesConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::build(setup, flash)?;
        let ZonesFtl { map, pool, drive } = &mut ftl;
        let survey = Survey::of(0..flash.geometry().blocks(), Filled::InOrder, flash);
        let cut = drive.find_zones(flash);
        let host = drive.layout().host().clone();
        let survey = survey.renumbered(0..host.blocks(), |page| {
            Some(drive.layout().above(page)).filter(|page| !cut[host.block_of(*page).index()])
        });
        let pages = survey.newest(&host);
        pool.recover(&pages, &mut drive.on(flash));
        drive.finish_others(|zone| pool.is_open(zone));
        map.fill(&pages);
        Ok(ftl)
    }
}
