//! One pool of RAM for translation pages and data pages, the common part of TreeFTL and APS.
//!
//! ```text
//! host --> data page in RAM --none--> translation page in RAM --none--> read from flash
//!           | leaves dirty: programmed,        | leaves dirty: programmed
//!           | its mapping changes              | whole, nothing is read
//!           +------------- one budget ---------+
//! ```
//!
//! A page that the host reads or writes remains in RAM; a write is programmed when it leaves. A
//! [`Pool`], one file each, decides which page leaves next. [`HeldPages`] verifies the pages in
//! RAM. The engine of all demand-paged FTLs does the work on flash.
//!
//! Pages leave at the end of a page access, one after another. No eviction is under way between two
//! of them, so GC may run before each. A page that leaves dirty may load its translation page, so
//! that one more page must leave. The loop ends because each such step leaves one data page less.

mod aps;
mod tree;
mod whole_pages;

pub use aps::{Aps, ApsConfig};
pub use tree::Tree;
pub use whole_pages::WholePages;

use super::{DemandFtl, MappingCache};
use crate::cache::block_set::BlockSets;
use crate::error::Error;
use crate::flash::{Device, Flash, Geometry};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::ftl::parts::held_pages::{BufferCounts, HeldPages};
use crate::ftl::{
    Access, Accounts, CachedPage, Ftl, FtlMetrics, MappingCounts, MappingMetrics, Occupancy, RamUse,
};
use crate::placement::separation::ClassPages;
use crate::request::Meta;
use crate::request::Op;
use crate::settings::Group;
use crate::units::{Lpn, Ppn, Vtpn};
use std::collections::BTreeMap;

/// The only set of the dirty pages.
const DIRTY: usize = 0;

/// A page of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooled {
    /// A translation page.
    Map(Vtpn),
    /// A data page.
    Data(Lpn),
}

/// The order in which pages leave the pool.
pub trait Pool: Clone + Send + 'static {
    /// Its own settings.
    type Settings: Group;
    /// The FTL that it makes.
    const SPEC: Spec;

    /// RAM of a data page in addition to its data, bytes.
    const DATA_HEADER_BYTES: u64;
    /// Whether a data page is in the pool only while the translation page with its mapping is.
    const NEEDS_MAP: bool;
    /// The names of the metrics of every pool. Their order is: page writes never programmed, data
    /// pages in RAM, dirty ones among them, page writes programmed, page reads found in RAM, page
    /// writes found in RAM.
    const FIGURES: [&'static str; 6];

    /// An empty pool.
    ///
    /// # Errors
    /// [`Error::Config`] when a parameter cannot work.
    fn build(setup: &Setup<Self::Settings>, geometry: &Geometry) -> Result<Self, Error>;

    /// A translation page was used; it may be new.
    fn use_map(&mut self, vtpn: Vtpn);

    /// The host read or wrote a data page; it may be new.
    fn use_data(&mut self, lpn: Lpn, op: Op);

    /// The page that leaves next; called only when the pool exceeds its capacity.
    fn next(&self) -> Pooled;

    /// A page of the pool has left for lack of room.
    fn remove(&mut self, page: Pooled);

    /// The host has trimmed a page, in the pool or not.
    fn trim(&mut self, lpn: Lpn);

    /// Bytes of RAM in addition to the pool.
    fn extra_ram(&self) -> u64 {
        0
    }

    /// Metrics of this order only.
    fn metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    /// Resets the counts.
    fn reset_metrics(&mut self) {}

    /// Recomputes the invariants, for a pool with these pages in it.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self, is_mapped: &dyn Fn(Vtpn) -> bool, map_pages: usize, data_pages: usize);
}

/// A demand-paged FTL whose RAM holds translation pages and data pages.
#[derive(Clone, Debug)]
pub struct PooledFtl<P> {
    engine: DemandFtl<WholePages>,
    held: HeldPages,
    /// Pages whose newest version is only in RAM.
    dirty: BlockSets,
    pool: P,
    data_pages: u64,
    bytes_of_data_page: u64,
}

impl<P: Pool> Design for PooledFtl<P> {
    type Settings = P::Settings;
    const SPEC: Spec = Spec { keeps_writes: true, ..P::SPEC };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<P::Settings>, flash: &mut Flash) -> Result<Self, Error> {
        Self::over(DemandFtl::build, setup, flash)
    }
}

impl<P: Pool> Ftl for PooledFtl<P> {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        let Some(&last) = pages.last() else { return };
        for &lpn in pages {
            flash.begin_page();
            if self.held.holds(lpn) {
                flash.host_read_kept(lpn);
                self.held.read(lpn);
            } else {
                let ppn = self.translate(lpn, last, flash);
                self.held.read_through(lpn);
                flash.host_read(lpn, ppn);
                flash.keep_read(lpn);
                self.held.keep(lpn);
                self.data_pages += 1;
            }
            self.pool.use_data(lpn, Op::Read);
            self.settle(flash);
        }
    }

    fn write(&mut self, Access { pages, meta, .. }: Access<'_>, flash: &mut Flash) {
        let Some(&last) = pages.last() else { return };
        for &lpn in pages {
            flash.begin_page();
            if !self.held.holds(lpn) {
                let needs_map = unless_bug!(ApsTranslatesEarly, P::NEEDS_MAP, true);
                if needs_map {
                    self.translate(lpn, last, flash);
                }
                self.data_pages += 1;
            }
            flash.keep_write(lpn);
            self.held.write(lpn, meta);
            self.dirty.insert(DIRTY, lpn.0);
            self.pool.use_data(lpn, Op::Write);
            self.settle(flash);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            self.data_pages -= u64::from(self.held.holds(lpn));
            self.pool.trim(lpn);
            self.held.trim(lpn);
            self.dirty.remove(DIRTY, lpn.0);
        }
        for &lpn in pages {
            self.engine.trim(Access::trim(&[lpn]), flash);
            self.pool.use_map(self.engine.store.pages.page_of(lpn));
            self.settle(flash);
        }
    }

    fn flush(&mut self, flash: &mut Flash) {
        let dirty: Vec<Lpn> = self.dirty.members(DIRTY).map(Lpn).collect();
        self.flush_pages(&dirty, flash);
    }

    fn flush_pages(&mut self, pages: &[Lpn], flash: &mut Flash) {
        pages.iter().for_each(|lpn| self.flush_page(*lpn, flash));
    }

    fn cached_pages(&self) -> Option<Vec<CachedPage>> {
        self.engine.cached_pages()
    }

    fn buffered(&self) -> BufferCounts {
        self.held.counts()
    }

    fn update_handle(&mut self, meta: Meta, flash: &mut Flash) {
        self.engine.update_handle(meta, flash);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.engine.locate(lpn)
    }

    fn locate_map(&self, lpn: Lpn) -> Option<Ppn> {
        self.engine.locate_map(lpn)
    }

    fn ram(&self) -> RamUse {
        let ram = self.engine.ram();
        RamUse { tables: ram.tables + self.pool.extra_ram(), ..ram }
    }

    fn mapping_counts(&self) -> Option<MappingCounts> {
        self.engine.mapping_counts()
    }

    fn class_pages(&self) -> ClassPages {
        self.engine.class_pages()
    }

    fn metrics(&self) -> FtlMetrics {
        let metrics = self.engine.metrics();
        let mapping = metrics.mapping.map(|mapping| MappingMetrics {
            occupancy: Occupancy { bytes: self.bytes(), ..mapping.occupancy },
            ..mapping
        });
        let counts = self.held.counts();
        let mut own = self.pool.metrics();
        let figures = [
            counts.absorbed,
            self.data_pages,
            counts.dirty,
            counts.flushed_pages,
            counts.read_hits,
            counts.write_hits,
        ];
        own.extend(P::FIGURES.into_iter().zip(figures));
        FtlMetrics { mapping, own, ..metrics }
    }

    fn reset_metrics(&mut self) {
        self.engine.reset_metrics();
        self.held.reset_counts();
        self.pool.reset_metrics();
    }

    fn accounts(&self) -> Accounts {
        Accounts { other_loads: Some(0), ..Accounts::default() }
    }

    fn audit(&self, device: &Device) {
        self.engine.audit(device);
        let cache = &self.engine.cache;
        assert_eq!(self.held.audit(device) as u64, self.data_pages, "data pages in RAM");
        let listed = self.dirty.members(DIRTY).count() as u64;
        assert_eq!(listed, self.held.counts().dirty, "dirty pages that are listed");
        let is_dirty = |lpn| self.held.is_dirty(Lpn(lpn));
        assert!(self.dirty.members(DIRTY).all(is_dirty), "a page is listed as dirty");
        let holds = |vtpn| cache.holds(vtpn);
        self.pool.audit(&holds, cache.count(), self.data_pages as usize);
        let (used, budget) = (self.bytes(), cache.budget());
        assert!(used <= budget, "the pool holds {used} B of {budget}");
    }
}

impl<P: Pool> PooledFtl<P> {
    fn over(
        engine: fn(&Setup, &mut Flash) -> Result<DemandFtl<WholePages>, Error>,
        setup: &Setup<P::Settings>,
        flash: &mut Flash,
    ) -> Result<Self, Error> {
        let geometry = flash.geometry().clone();
        Ok(PooledFtl {
            engine: engine(&setup.with(()), flash)?,
            held: HeldPages::new(geometry.logical_pages),
            dirty: BlockSets::new(1, geometry.logical_pages),
            pool: P::build(setup, &geometry)?,
            data_pages: 0,
            bytes_of_data_page: u64::from(geometry.page_bytes) + P::DATA_HEADER_BYTES,
        })
    }

    /// Recovers after power was lost, with an empty pool.
    fn mount(setup: &Setup<P::Settings>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::over(DemandFtl::mount, setup, flash)?;
        let pages = &ftl.engine.store.pages;
        ftl.held.resume(|lpn| pages.mapping_on_flash(lpn).is_some());
        Ok(ftl)
    }

    /// Programs a page if its newest version is in RAM. The page remains in RAM.
    fn flush_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        let is_due = unless_bug!(PooledFlushesNone, self.held.is_dirty(lpn), false);
        if is_due {
            self.write_out(lpn, flash);
            self.held.keep(lpn);
            self.settle(flash);
        }
    }

    fn bytes(&self) -> u64 {
        self.engine.cache.bytes() + self.data_pages * self.bytes_of_data_page
    }

    fn translate(&mut self, lpn: Lpn, last: Lpn, flash: &mut Flash) -> Option<Ppn> {
        let ppn = self.engine.translate(lpn, last, flash);
        self.pool.use_map(self.engine.store.pages.page_of(lpn));
        ppn
    }

    fn settle(&mut self, flash: &mut Flash) {
        while self.bytes() > self.engine.cache.budget() {
            self.evict(self.pool.next(), flash);
        }
    }

    fn evict(&mut self, page: Pooled, flash: &mut Flash) {
        self.pool.remove(page);
        match page {
            Pooled::Map(vtpn) => {
                self.engine.make_room_for_the_map(flash);
                self.engine.cache.evict(vtpn, &mut self.engine.store, flash);
            }
            Pooled::Data(lpn) => {
                self.data_pages -= 1;
                match self.held.is_dirty(lpn) {
                    true => self.write_out(lpn, flash),
                    false => self.held.drop_clean(lpn),
                }
                flash.drop_kept(lpn);
            }
        }
    }

    /// Programs a dirty page, and changes its mapping in RAM.
    fn write_out(&mut self, lpn: Lpn, flash: &mut Flash) {
        if !P::NEEDS_MAP {
            self.translate(lpn, lpn, flash);
        }
        self.dirty.remove(DIRTY, lpn.0);
        let engine = &mut self.engine;
        self.held
            .flush(&[lpn], false, flash, |access, flash| engine.program(lpn, access.meta, flash));
    }
}

#[cfg(test)]
mod tests;
