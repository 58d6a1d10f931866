//! The optimal page-level FTL (TPFTL 5.1, CACH-FTL 5, MNFTL 5): the whole map in RAM.
//!
//! Idea     `LPN -> PPN` for every page; writes go to one frontier, or to one in each plane; greedy GC
//!          copies to the same one.
//! RAM      4 B per logical page.
//! Role     the lower bound that every demand-paged FTL is measured against.
//! Departs  nothing.
//! Not here persistence of the map: after a power cut it is found again by reading every OOB.

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

/// Page-level mapping with the whole map in RAM.
#[derive(Clone, Debug)]
pub struct PageFtl {
    map: PageMap,
    pool: Planes,
}

impl Design for PageFtl {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "page",
        title: "page-level",
        summary: "the whole page map in RAM: the bound for all others",
        source: "TPFTL 5.1 (\"optimal FTL\"), MNFTL 5",

        ..Spec::VOLUME
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<()>, flash: &mut Flash) -> Result<Self, Error> {
        let map = PageMap::new(flash.geometry().logical_pages);
        Ok(PageFtl { map, pool: Planes::of_page_map(&setup.placing()?, flash)? })
    }
}

impl Ftl for PageFtl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            flash.host_read(lpn, self.map.get(lpn));
        }
    }

    fn write(&mut self, Access { pages, meta, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let new = self.pool.host_page(lpn, meta, flash, |lpn, to| {
                unless_bug!(PageGcLeavesMap, self.map.replace(lpn, Some(to)));
            });
            flash.program(new, Owner::Data(lpn), Cause::Host);
            self.remap(lpn, Some(new), flash);
            let PageFtl { map, pool } = self;
            pool.background_gc(flash, |lpn, to| {
                map.replace(lpn, Some(to));
            });
        }
        let PageFtl { map, pool } = self;
        unless_bug!(
            VolumeNeverCleaned,
            pool.clean(flash, |lpn, to| {
                map.replace(lpn, Some(to));
            })
        );
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            unless_bug!(PageTrimLeavesMap, self.remap(lpn, None, flash));
            self.pool.trimmed(lpn);
            flash.trim(lpn);
        }
    }

    fn update_handle(&mut self, meta: Meta, flash: &mut Flash) {
        self.pool.update_handle(meta, flash);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.get(lpn)
    }

    fn ram(&self) -> RamUse {
        let tables = 4 * self.map.len() as u64 + self.pool.ram_bytes();
        RamUse { tables, ..RamUse::default() }
    }

    fn class_of(&self, pbn: Pbn) -> Option<u8> {
        self.pool.class_of(pbn)
    }

    fn class_pages(&self) -> ClassPages {
        self.pool.class_pages()
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics::of(&self.pool)
    }

    fn reset_metrics(&mut self) {
        self.pool.reset_counts();
    }

    fn accounts(&self) -> Accounts {
        Accounts { collects_unfilled: self.pool.leaves_units(), ..Accounts::default() }
    }

    fn audit(&self, device: &Device) {
        device.audit();
        self.pool.audit(device);
        device.audit_map(0..self.map.len() as u32, |lpn| self.map.get(lpn));
    }
}

impl PageFtl {
    /// Goes on after power was lost.
    ///
    /// # Errors
    /// As [`Design::build`].
    pub fn mount(setup: &Setup<()>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::build(setup, flash)?;
        let pages = Survey::of(0..flash.geometry().blocks(), Filled::InOrder, flash)
            .newest(flash.geometry());
        ftl.pool.recover(&pages, flash);
        ftl.map.fill(&pages);
        Ok(ftl)
    }

    /// Bytes of RAM of what separates pages.
    #[must_use]
    pub fn separation_bytes(&self) -> u64 {
        self.pool.separation_bytes()
    }

    /// Collects a block.
    #[cfg(test)]
    pub fn collect(&mut self, flash: &mut Flash) {
        let PageFtl { map, pool } = self;
        pool.collect(0, flash, |lpn, to| {
            map.replace(lpn, Some(to));
        });
    }

    #[inline]
    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        if let Some(old) = self.map.replace(lpn, new) {
            unless_bug!(PageOldStaysValid, self.pool.invalidate(old, flash));
        }
    }
}
