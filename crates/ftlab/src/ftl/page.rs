//! The optimal page-level FTL (TPFTL 5.1, CACH-FTL 5, MNFTL 5): the whole map in RAM.
//!
//! Idea     `LPN -> PPN` for every page; writes go to one frontier, or to one in each plane; greedy GC
//!          copies to the same one.
//! RAM      4 B per logical page.
//! Role     the lower bound that every demand-paged FTL is measured against.
//! Departs  nothing.
//! Not here persistence of the map: a real device would have to write it.

use super::parts::block_pool::Stream;
use super::parts::page_map::PageMap;
use super::parts::planes::Planes;
use super::{Ftl, FtlMetrics, RamUse};
use crate::config::Config;
use crate::error::Error;
use crate::flash::{Cause, Flash, Owner};
use crate::units::{Lpn, Ppn};

/// Page-level mapping with the whole map in RAM.
#[derive(Clone, Debug)]
pub struct PageFtl {
    map: PageMap,
    pool: Planes,
}

impl Ftl for PageFtl {
    fn build(config: &Config, flash: &mut Flash) -> Result<Self, Error> {
        let geometry = flash.geometry();
        Ok(PageFtl {
            map: PageMap::new(geometry.logical_pages),
            pool: Planes::new(config, geometry, 1, 0)?,
        })
    }

    fn read(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            flash.host_read(lpn, self.map.get(lpn));
        }
    }

    fn write(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let plane = self.pool.place(lpn, flash);
            if self.pool.must_collect(plane, Stream::Data) {
                self.reclaim(plane, flash);
            }
            let new = self.pool.next_page(plane, Stream::Data, flash);
            flash.program(new, Owner::Data(lpn), Cause::Host);
            self.remap(lpn, Some(new), flash);
        }
    }

    fn trim(&mut self, pages: &[Lpn], flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.remap(lpn, None, flash);
            flash.trim(lpn);
        }
    }

    fn ram(&self) -> RamUse {
        let tables = 4 * self.map.len() as u64 + self.pool.pointer_bytes();
        RamUse { tables, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics { gc: Some(self.pool.metrics()), ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.pool.reset_counts();
    }

    fn audit(&self, flash: &Flash) {
        flash.audit();
        self.pool.audit(flash);
        for lpn in (0..self.map.len() as u32).map(Lpn) {
            match self.map.get(lpn) {
                None => assert!(!flash.audit_holds_data(lpn), "{lpn} is lost"),
                Some(ppn) => {
                    assert!(flash.is_valid(ppn), "{lpn} is mapped to the dead page {ppn}");
                    assert_eq!(flash.audit_owner(ppn), Some(Owner::Data(lpn)), "page {ppn}");
                }
            }
        }
    }
}

impl PageFtl {
    #[inline]
    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        if let Some(old) = self.map.replace(lpn, new) {
            self.pool.invalidate(old, flash);
        }
    }

    #[inline(never)]
    fn reclaim(&mut self, plane: u32, flash: &mut Flash) {
        self.pool.start_gc(plane);
        while !self.pool.collected_enough(plane, Stream::Data) {
            self.collect(plane, flash);
        }
    }

    fn collect(&mut self, plane: u32, flash: &mut Flash) {
        let mut victim = self.pool.take_victim(plane, flash);
        for &(owner, to) in self.pool.move_pages(&mut victim, flash) {
            if let Owner::Data(lpn) = owner {
                self.map.replace(lpn, Some(to));
            }
        }
        self.pool.release(&victim, flash);
    }
}
