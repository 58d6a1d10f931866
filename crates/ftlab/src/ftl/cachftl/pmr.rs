//! The page-mapped region: the spare blocks, and the pages of each logical block in them.

use super::super::GcMetrics;
use super::super::parts::page_map::PageMap;
use super::groups::GroupSizes;
use super::job::{Collect, Kept};
use super::redirect::Work;
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Geometry, Owner};
use crate::gc::Gc;
use crate::placement::Class;
use crate::placement::block_pool::BlockPool;
use crate::placement::region::Region;
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ppn};

/// The page-mapped region.
#[derive(Clone, Debug)]
pub struct Pmr {
    geometry: Geometry,
    pool: BlockPool,
    map: PageMap,
    groups: GroupSizes,
    /// Blocks that it may have now, and the bounds of this number.
    limit: u32,
    least: u32,
    blocks: u32,
    /// Pages written since a write last had to wait for GC.
    quiet: u64,
    valid_pages: u64,
    /// The cost of GC.
    work: Work,
}

impl Pmr {
    /// Uses at most `blocks` of the blocks from `first` on, all erased; others may be lent.
    ///
    /// # Errors
    /// [`Error::Config`] when they are too few.
    pub fn new(gc: &Gc, geometry: &Geometry, first: u32, blocks: u32) -> Result<Self, Error> {
        let region = Region {
            blocks: first..geometry.blocks(),
            pages: 0..0,
            translation_pages: 0..0,
            directory: 0..0,
        };
        let pool = BlockPool::in_region(gc, geometry, 1, &region)?;
        Ok(Pmr {
            geometry: geometry.clone(),
            pool: pool.filled_with(BlockKind::Log),
            map: PageMap::new(geometry.logical_pages),
            groups: GroupSizes::new(geometry, None),
            limit: blocks,
            least: blocks,
            blocks,
            quiet: 0,
            valid_pages: 0,
            work: Work::default(),
        })
    }

    /// Has a policy choose the logical block that moves to the block-mapped region.
    ///
    /// # Errors
    /// [`Error::Config`] when it cannot work on these logical blocks.
    pub fn choose_groups_by(&mut self, gc: &Gc) -> Result<(), Error> {
        let Geometry { pages_per_block, .. } = self.geometry;
        let victims = gc.victims(self.geometry.logical_blocks(), pages_per_block)?;
        self.groups = GroupSizes::new(&self.geometry, Some(victims));
        Ok(())
    }

    /// Pages that the region may have.
    pub const fn pages(&self) -> u64 {
        self.limit as u64 * self.geometry.pages_per_block as u64
    }

    /// Sets the initial number of blocks.
    pub fn limit(&mut self, blocks: u32) {
        self.limit = blocks;
        self.least = blocks;
    }

    /// Takes one more block instead of letting a write wait; returns false when all are in use.
    pub fn grow(&mut self) -> bool {
        self.quiet = 0;
        let room = self.limit < self.blocks;
        self.limit += u32::from(room);
        room
    }

    /// Gives up one block after a run of writes without a wait for GC, as many as the region has
    /// pages. A block beyond the reserve must remain free.
    pub fn shrink_if_idle(&mut self, written: usize) {
        self.quiet += written as u64;
        let spare = self.free_pages() / u64::from(self.geometry.pages_per_block);
        if self.quiet > self.pages() && self.limit > self.least && spare > u64::from(self.least) {
            self.quiet = 0;
            self.limit -= 1;
        }
    }

    /// Takes an erased block for the block-mapped region.
    ///
    /// # Panics
    /// When there is none.
    pub fn lend_block(&mut self) -> Pbn {
        self.pool.lend().expect("one block is kept erased")
    }

    /// Takes back a block that was lent and has been erased.
    pub fn return_block(&mut self, pbn: Pbn, flash: &Flash) {
        self.pool.take_back(pbn, flash);
    }

    /// Takes over the blocks found after power was lost. Blocks of the block-mapped region are
    /// lent; the others are its own, with their valid pages.
    pub fn recover(&mut self, lent: &[FoundBlock], own: &[FoundBlock], flash: &mut Flash) {
        lent.iter().for_each(|block| self.pool.lend_found(block.pbn));
        self.pool.recover(&[Class::HOST], |_| false, flash);
        for block in own {
            self.map.fill(&block.pages);
            self.valid_pages += block.pages.len() as u64;
            let owners = block.pages.iter().map(|page| self.geometry.logical_block_of(page.lpn()));
            owners.for_each(|lbn| self.groups.grow(lbn));
        }
        self.limit = self.blocks;
    }

    pub fn has_erased_block(&self) -> bool {
        self.pool.free_blocks() > 0
    }

    /// Pages of a logical block that are here.
    pub fn pages_of(&self, lbn: Lbn) -> u32 {
        self.groups.size(lbn)
    }

    /// Pages of the region that hold the newest version of a page.
    pub const fn valid_pages(&self) -> u64 {
        self.valid_pages
    }

    /// Pages that may be written before a block is collected.
    pub fn free_pages(&self) -> u64 {
        let blocks = self.limit.saturating_sub(self.pool.blocks_in_use());
        let pages = u64::from(blocks) * u64::from(self.geometry.pages_per_block);
        pages + u64::from(self.pool.open_pages())
    }

    pub const fn metrics(&self) -> GcMetrics {
        self.pool.metrics()
    }

    /// The cost of GC so far.
    pub const fn work(&self) -> Work {
        self.work
    }

    pub fn start_gc(&mut self) {
        self.pool.start_gc();
    }

    pub fn reset_counts(&mut self) {
        self.pool.reset_counts();
    }

    /// Where a page is.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.get(lpn)
    }

    /// Programs a page of the host, whose old version is invalid already.
    pub fn program(&mut self, lpn: Lpn, flash: &mut Flash) {
        let page = self.pool.next_page(Class::HOST, flash);
        flash.program(page, Owner::Data(lpn), Cause::Host);
        self.map.replace(lpn, Some(page));
        self.groups.grow(self.geometry.logical_block_of(lpn));
        self.valid_pages += 1;
    }

    /// Invalidates a page here; returns whether it was here.
    pub fn unmap(&mut self, lpn: Lpn, flash: &mut Flash) -> bool {
        let Some(page) = self.map.replace(lpn, None) else { return false };
        self.pool.invalidate(page, flash);
        self.groups.shrink(self.geometry.logical_block_of(lpn));
        self.valid_pages -= 1;
        true
    }

    /// The block with most superseded pages, to be collected, if it has at least `enough`.
    pub fn take_victim(&mut self, enough: u32, flash: &mut Flash) -> Option<Pbn> {
        self.pool.take_wasteful_victim(enough, flash)
    }

    /// Pages that erasing a block gains.
    pub fn superseded_in(&self, pbn: Pbn, flash: &Flash) -> u64 {
        u64::from(self.geometry.pages_per_block - flash.valid_in(pbn))
    }

    /// The logical block that leaves next: that with most pages here, the lowest among equals, or
    /// the choice of a policy.
    pub fn next_group(&mut self) -> Option<Lbn> {
        self.groups.next_group()
    }

    /// PMR-GC, first phase: reads the valid pages of a victim.
    pub fn read(&mut self, victim: Pbn, flash: &mut Flash) -> Collect {
        let mut kept = Vec::with_capacity(flash.valid_in(victim) as usize);
        let mut pages = flash.valid_pages(victim);
        while let Some(from) = pages.next(flash) {
            let page = flash.load(from, Cause::GcData);
            if let Owner::Data(lpn) = flash.owner_of(&page) {
                kept.push(Kept { lpn, from, page });
            }
        }
        self.work.reads += kept.len() as u64;
        Collect { victim, kept, copied: false }
    }

    /// PMR-GC, the next phase; `None` after the last.
    pub fn advance(&mut self, mut collect: Collect, flash: &mut Flash) -> Option<Collect> {
        if collect.copied {
            self.pool.release(collect.victim, flash);
            self.work.erases += 1;
            return None;
        }
        for Kept { lpn, from, page } in collect.kept.drain(..) {
            // The host may have replaced the page since it was read.
            let is_newest = unless_bug!(PmrCopiesReplaced, flash.is_valid(from), from.0 > 0);
            if is_newest {
                let to = self.pool.next_page(Class::MOVED, flash);
                flash.store(to, page, Cause::GcData);
                self.work.programs += 1;
                self.map.replace(lpn, Some(to));
                self.pool.invalidate(from, flash);
            }
        }
        collect.copied = true;
        Some(collect)
    }

    /// Recomputes map and sizes from the flash; `collecting` is a block under collection.
    ///
    /// # Panics
    /// When they are wrong.
    pub fn audit(&self, collecting: Option<Pbn>, device: &Device) {
        self.pool.audit_while(collecting, device);
        let mut sizes = vec![0; self.geometry.logical_blocks() as usize];
        for lpn in (0..self.geometry.logical_pages).map(Lpn) {
            let Some(page) = self.map.get(lpn) else { continue };
            device.audit_mapping(lpn, Some(page));
            sizes[self.geometry.logical_block_of(lpn).index()] += 1;
        }
        assert!(self.pool.blocks_in_use() <= self.blocks, "blocks of the PMR");
        assert_eq!(sizes, self.groups.sizes(), "pages of each logical block in the PMR");
        assert_eq!(sizes.iter().sum::<u32>() as u64, self.valid_pages, "pages in the PMR");
    }
}
