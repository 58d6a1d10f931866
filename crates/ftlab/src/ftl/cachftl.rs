//! CACH-FTL, a cache-aware hybrid FTL (Boukhobza, Olivier & Rubini, Computers 3(1), 2014).
//!
//! ```text
//! group of more than `threshold` pages --> BMR: block-mapped, the address space; rewritten in place
//! smaller group                        --> PMR: page-mapped, the spare blocks --BMR-GC--> BMR
//! ```
//!
//! Idea     a write buffer above flushes pages of one block together. A large group is worth a
//!          rewrite of its block. A small one waits in the PMR for more pages of its block. GC
//!          empties blocks of the PMR (PMR-GC). Where no block has enough superseded pages, it
//!          moves the largest set of pages of one block to the BMR (BMR-GC;
//!          choices.md#cachftl-enough). In idle time it works in steps.
//! RAM      4 B and a bit per page for each logical block. 4 B for each page of the PMR, as the
//!          paper counts; only then do its "78 %" and "80 %" fit (choices.md#cachftl-sizes). A
//!          block for the pages of merges, in addition to the write buffer.
//! Departs  a block that was never written is not erased first (choices.md#first-erase). BMR-GC
//!          inside PMR-GC does not count as progress (choices.md#cachftl-progress). Idle GC
//!          continues until it exceeds its threshold (choices.md#cachftl-idle). The map follows
//!          each copy of PMR-GC, so an interruption finds it in order. This costs the same as a
//!          change together with the erase. A group for the BMR takes over a merge of its block
//!          under way (choices.md#cachftl-phases).
//! Beyond   the paper's future work (section 7), each a switch (choices.md#cachftl-beyond): a
//!          threshold by measured costs (`redirect.rs`), a PMR of the necessary size, and
//!          out-of-place rewrites in the BMR. The rewrites permit a wear leveller over both
//!          regions. `gc.policy` can select victims of the BMR, too
//!          (choices.md#cachftl-bmr-victim).
//! Power    a block that is rewritten in place is only in RAM for a while. Where power may be cut,
//!          it is rewritten to another block, and the old one is erased at once
//!          (choices.md#cachftl-power).

use super::parts::by_block::first_group;
use super::parts::held_pages::BufferCounts;
use super::parts::rewrite::program_in_order;
use super::{Access, Accounts, Ftl, FtlMetrics, GcMetrics, MergeCounts, RamUse};
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Geometry, Owner};
use crate::ftl::design::{Cleaning, Design, Mount, POWER_SAFE, Setup, Spec, VICTIMS};
use crate::units::{Lbn, Lpn, Pbn, Ppn, Ratio};
use bmr::Bmr;
use job::{Job, Kept, Merge, Stage};
use pmr::Pmr;
use redirect::{Redirect, Work};
use std::collections::BTreeMap;

mod bmr;
mod groups;
mod job;
mod mount;
mod pmr;
mod redirect;

crate::settings! {
    /// CACH-FTL's own parameters.
    pub struct CachftlConfig in "cachftl" {
        /// Pages up to which a group goes to the PMR.
        threshold: u32 = 4, unit "pages", laws [0, 1, 2, 4, 100], source "CACH-FTL 5.1";
        /// A write collects first if it would leave at most the pages of these blocks free in the
        /// PMR.
        sync_blocks: u32 = 3, in 1..=1 << 20, unit "blocks", laws 1..=3,
            source "CACH-FTL 4.3.3; choices.md#cachftl-sizes";
        /// Superseded pages from which a block of the PMR is worth PMR-GC, at most those of a
        /// block.
        enough: Option<u32> = None,
            absent "the pages to be evicted (4.3.3), in idle time those of the last group", in 1..,
            unit "pages", laws [None, None, Some(1), Some(2), Some(4), Some(100)],
            source "CACH-FTL, Algorithm 2, 4.3.2, 4.3.3; choices.md#cachftl-enough";
        /// Share of the PMR up to which GC in idle time frees pages, at least one block more than
        /// `sync_blocks`. 0 disables GC in idle time.
        async_free: Ratio = Ratio(0.1), in 0.0..=1.0, laws [0.0, 0.1, 0.5, 1.0].map(Ratio),
            source "CACH-FTL 4.3.3; choices.md#cachftl-idle";
        /// Which logical block BMR-GC merges: that with most pages in the PMR, or the victim of `gc.policy`.
        bmr_victim: BmrVictim = BmrVictim::Largest, laws BmrVictim::ALL,
            source "CACH-FTL 4.3.3, 7; choices.md#cachftl-bmr-victim";
        /// Redirect groups by measured costs instead of `threshold`.
        adaptive_threshold: bool = false, laws [false, false, true],
            source "choices.md#cachftl-beyond";
        /// Weight of GC in idle time under `adaptive_threshold`. 0 counts only response times; 1
        /// counts wear equally.
        idle_weight: Ratio = Ratio(0.0), in 0.0..=1.0, laws [0.0, 1.0].map(Ratio),
            source "choices.md#cachftl-beyond";
        /// Use only as many blocks for the PMR as keep writes from waiting for GC.
        adaptive_pmr: bool = false, laws [false, false, true], source "choices.md#cachftl-beyond";
        /// Rewrite blocks of the BMR out of place, and erase the old ones in idle time.
        out_of_place: bool = false, laws [false, false, true], source "choices.md#cachftl-beyond";
        /// With that, the difference in erases at which a block of the BMR moves to a worn one.
        wear_gap: Option<u32> = None, absent "never", in 1.., unit "erases",
            laws [None, None, None, Some(1), Some(2), Some(3)], source "choices.md#cachftl-beyond";
    }
    check |own| match own.wear_gap {
        Some(gap) if !own.out_of_place => {
            let message = format!(
                "found {gap}, expected cachftl.out_of_place = true: in place, blocks do not move"
            );
            Err(Error::config("cachftl.wear_gap", message))
        }
        _ => Ok(()),
    }
}

crate::choices! {
    /// The choice of the block that BMR-GC merges.
    pub enum BmrVictim {
        /// The logical block with most pages in the PMR, as in the paper.
        Largest = "largest",
        /// The block of the BMR that `gc.policy` chooses, by its superseded pages.
        Policy = "policy",
    }
}

impl CachftlConfig {
    /// The smallest number of blocks of the PMR: the reserve, one that is written, and room for the
    /// largest group.
    fn least_blocks(&self, geometry: &Geometry) -> u32 {
        let largest = match self.adaptive_threshold {
            true => geometry.pages_per_block,
            false => self.threshold.min(geometry.pages_per_block),
        };
        self.sync_blocks + 1 + (2 * largest).div_ceil(geometry.pages_per_block)
    }

    /// Blocks of the PMR: the spare blocks, less one for rewrites out of place.
    fn pmr_blocks(&self, geometry: &Geometry, out_of_place: bool) -> Result<u32, Error> {
        let spare = geometry.blocks() - geometry.logical_blocks();
        let other = u32::from(out_of_place);
        let least = self.least_blocks(geometry) + other;
        if spare < least {
            let message = format!(
                "found {spare} spare blocks, expected at least {least} for the page-mapped region: \
                 cachftl.sync_blocks, one that is written, and room for a group"
            );
            unless_bug!(CachTooFewBlocks, return Err(geometry.too_few_blocks(&message, "")));
        }
        Ok(spare - other)
    }
}

/// CACH-FTL.
#[derive(Clone, Debug)]
pub struct CachFtl {
    redirect: Redirect,
    /// The cost of merges; the PMR counts the cost of its own GC.
    work: Work,
    enough: Option<u32>,
    /// Pages of the last group for the PMR, which may still be in progress.
    evicted: usize,
    sync_pages: u64,
    async_free: f64,
    adaptive_pmr: bool,
    wear_gap: Option<u32>,
    geometry: Geometry,
    bmr: Bmr,
    pmr: Pmr,
    /// GC that was interrupted between two steps.
    job: Option<Job>,
    in_idle_run: bool,
    counts: Counts,
}

/// Counts in addition to those of the ledger.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    pmr_groups: u64,
    bmr_groups: u64,
    /// Blocks of the BMR erased for rewrites.
    rewrites: u64,
    /// Blocks of the BMR that BMR-GC filled.
    bmr_gcs: u64,
    idle_runs: u64,
    idle_steps: u64,
    ram_reads: u64,
    wear_moves: u64,
}

impl Design for CachFtl {
    type Settings = CachftlConfig;

    const SPEC: Spec = Spec {
        name: "cachftl",
        title: "CACH-FTL",
        summary: "large groups to blocks rewritten in place, small ones to page-mapped spare blocks first",
        source: "Boukhobza, Olivier & Rubini, Computers 3(1), 2014",
        cleaning: Cleaning::Rewrites,
        obeys: &[VICTIMS, POWER_SAFE],
        ..Spec::LOG_BLOCKS
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<CachftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        flash.allow_any_order()?;
        let own = &setup.own;
        let geometry = flash.geometry().clone();
        let may_lose_power = unless_bug!(CachErasesFirst, flash.may_lose_power(), false);
        let out_of_place = own.out_of_place || may_lose_power;
        let blocks = own.pmr_blocks(&geometry, out_of_place)?;
        let mut gc = setup.collection()?;
        gc.low = own.sync_blocks;
        gc.high = own.sync_blocks + 1;
        let first = if out_of_place { 0 } else { geometry.logical_blocks() };
        let mut pmr = Pmr::new(&gc, &geometry, first, blocks)?;
        if own.bmr_victim == BmrVictim::Policy {
            pmr.choose_groups_by(&gc)?;
        }
        flash.begin_region(Pbn(first));
        let pages = pmr.pages();
        if own.adaptive_pmr {
            pmr.limit(own.least_blocks(&geometry));
        }
        Ok(CachFtl {
            work: Work::default(),
            redirect: match own.adaptive_threshold {
                true => Redirect::adaptive(&setup.device, own.idle_weight.0, pages),
                false => Redirect::fixed(own.threshold),
            },
            enough: own.enough,
            evicted: 1,
            sync_pages: u64::from(own.sync_blocks) * u64::from(geometry.pages_per_block),
            async_free: own.async_free.0,
            adaptive_pmr: own.adaptive_pmr,
            wear_gap: own.wear_gap,
            bmr: Bmr::new(&geometry, out_of_place),
            geometry,
            pmr,
            job: None,
            in_idle_run: false,
            counts: Counts::default(),
        })
    }
}

impl Ftl for CachFtl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            match self.job.as_ref().and_then(|job| job.in_ram(lpn)) {
                Some(page) => {
                    flash.host_read_loaded(lpn, page);
                    self.counts.ram_reads += 1;
                }
                None => flash.host_read(lpn, self.find(lpn, flash)),
            }
        }
    }

    fn write(&mut self, Access { mut pages, .. }: Access<'_>, flash: &mut Flash) {
        while let Some((lbn, group, rest)) = first_group(pages, flash.geometry()) {
            let others = match self.redirect.is_adaptive() {
                true => self.pages_beside(lbn, group, flash),
                false => 0,
            };
            if self.redirect.is_small(group.len(), others) {
                self.flush_to_pmr(group, flash);
            } else {
                self.flush_to_bmr(lbn, group, flash);
            }
            pages = rest;
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.supersede(lpn, flash);
            flash.trim(lpn);
        }
    }

    fn uses_idle_time(&self) -> bool {
        self.async_free > 0.0 || matches!(self.bmr, Bmr::OutOfPlace(_))
    }

    /// Function 4, one phase at a time.
    fn background(&mut self, flash: &mut Flash) -> bool {
        let began = self.worked();
        if self.job.is_none() && self.erase_retired(flash) {
            return true;
        }
        let next = match self.job.take() {
            Some(job) => self.advance(job, flash),
            None if self.pmr.free_pages() > self.async_pages() => {
                self.in_idle_run = false;
                return false;
            }
            None => match self.start(flash) {
                None => return false,
                started => started,
            },
        };
        self.job = next;
        self.counts.idle_runs += u64::from(!self.in_idle_run);
        self.counts.idle_steps += 1;
        self.in_idle_run = true;
        self.redirect.note_gc(self.worked().since(began), true);
        true
    }

    fn buffered(&self) -> BufferCounts {
        BufferCounts { read_hits: self.counts.ram_reads, ..BufferCounts::default() }
    }

    fn ram(&self) -> RamUse {
        let tables = self.bmr_table_bytes() + self.valid_bits_bytes() + 4 * self.pmr.pages();
        let buffer = u64::from(self.geometry.pages_per_block * self.geometry.page_bytes);
        RamUse { tables, buffer, ..RamUse::default() }
    }

    fn pages_in_ram(&self) -> u32 {
        let job = self.job.as_ref();
        job.map_or(0, |job| unless_bug!(CachRamUntold, job.all_in_ram().len() as u32, 0))
    }

    fn metrics(&self) -> FtlMetrics {
        let counts = self.counts;
        let gc = GcMetrics { background_runs: Some(counts.idle_runs), ..self.pmr.metrics() };
        FtlMetrics {
            gc: Some(gc),
            merges: Some(MergeCounts { full: counts.rewrites, ..MergeCounts::default() }),
            own: BTreeMap::from([
                ("cachftl.pmr_groups", counts.pmr_groups),
                ("cachftl.bmr_groups", counts.bmr_groups),
                ("cachftl.bmr_gcs", counts.bmr_gcs),
                ("cachftl.idle_steps", counts.idle_steps),
                ("cachftl.ram_reads", counts.ram_reads),
                ("cachftl.wear_moves", counts.wear_moves),
                ("cachftl.gc_cost_ns", self.redirect.gc_cost()),
                ("cachftl.pages_in_ram", u64::from(self.pages_in_ram())),
                ("cachftl.pmr_pages", self.pmr.pages()),
                ("cachftl.pmr_valid_pages", self.pmr.valid_pages()),
                ("cachftl.bmr_table_bytes", self.bmr_table_bytes()),
                ("cachftl.valid_bits_bytes", self.valid_bits_bytes()),
                ("cachftl.pmr_table_bytes", 4 * self.pmr.pages()),
            ]),
            ..FtlMetrics::default()
        }
    }

    fn reset_metrics(&mut self) {
        self.counts = Counts::default();
        self.pmr.reset_counts();
    }

    fn accounts(&self) -> Accounts {
        Accounts {
            blocks_filled: self.counts.bmr_groups + self.counts.bmr_gcs + self.counts.wear_moves,
            ..Accounts::default()
        }
    }

    fn audit(&self, device: &Device) {
        let in_ram = self.job.as_ref().map(Job::all_in_ram).unwrap_or_default();
        device.audit_with(in_ram.iter().map(|kept| &kept.page));
        let collecting = self.job.as_ref().and_then(Job::victim);
        self.pmr.audit(collecting, device);
        for lpn in (0..self.geometry.logical_pages).map(Lpn) {
            let slot = self.slot(lpn).filter(|slot| device.is_valid(*slot));
            let places = [slot.is_some(), self.pmr.find(lpn).is_some()];
            let in_ram = in_ram.iter().any(|kept| kept.lpn == lpn);
            let copies = usize::from(in_ram) + places.into_iter().filter(|here| *here).count();
            let held = device.audit_holds_data(lpn) || copies > 0 && !device.verifies();
            assert_eq!(copies, usize::from(held), "copies of page {lpn} in BMR, PMR and RAM");
            if let Some(slot) = slot {
                assert_eq!(
                    device.audit_owner(slot),
                    Some(Owner::Data(lpn)),
                    "page {slot} of the BMR"
                );
            }
        }
    }
}

impl CachFtl {
    /// The place of a page in the BMR.
    fn slot(&self, lpn: Lpn) -> Option<Ppn> {
        self.bmr.slot(lpn, &self.geometry)
    }

    /// Free pages up to which GC works in idle time: at least a block more than writes leave. A
    /// small PMR never has the share free beyond these (choices.md#cachftl-idle).
    fn async_pages(&self) -> u64 {
        let share = (self.pmr.pages() as f64 * self.async_free) as u64;
        let least = self.sync_pages + u64::from(self.geometry.pages_per_block);
        if self.async_free > 0.0 { share.max(least) } else { 0 }
    }

    /// Superseded pages from which a block is worth PMR-GC.
    fn enough(&self) -> u32 {
        let enough = self.enough.unwrap_or(self.evicted as u32);
        enough.min(self.geometry.pages_per_block)
    }

    /// The cost of GC so far.
    const fn worked(&self) -> Work {
        self.work.plus(self.pmr.work())
    }

    /// Pages of a block that are on flash, without those of a group.
    fn pages_beside(&self, lbn: Lbn, group: &[Lpn], flash: &Flash) -> usize {
        let in_bmr = self.bmr.block(lbn).map_or(0, |block| flash.valid_in(block));
        let replaced = group.iter().filter(|lpn| self.find(**lpn, flash).is_some()).count();
        (in_bmr + self.pmr.pages_of(lbn)) as usize - replaced
    }

    const fn bmr_table_bytes(&self) -> u64 {
        4 * self.geometry.logical_blocks() as u64
    }

    const fn valid_bits_bytes(&self) -> u64 {
        (self.geometry.logical_pages as u64).div_ceil(8)
    }

    /// Section 4.2.1: the BMR's valid bit first, then the table of the PMR.
    fn find(&self, lpn: Lpn, flash: &Flash) -> Option<Ppn> {
        let slot = self.slot(lpn).filter(|slot| flash.is_valid(*slot));
        slot.or_else(|| self.pmr.find(lpn))
    }

    /// Invalidates the version of a page that is about to be replaced or trimmed.
    fn supersede(&mut self, lpn: Lpn, flash: &mut Flash) {
        if let Some(slot) = self.slot(lpn).filter(|slot| flash.is_valid(*slot)) {
            flash.invalidate(slot);
        } else if !self.pmr.unmap(lpn, flash)
            && let Some(job) = &mut self.job
        {
            job.drop_page(lpn);
        }
    }

    /// Function 3.
    fn flush_to_pmr(&mut self, group: &[Lpn], flash: &mut Flash) {
        self.counts.pmr_groups += 1;
        self.evicted = group.len();
        flash.begin_page();
        self.redirect.note_pages(group.len());
        if self.is_short_of(group.len()) {
            self.collect_now(group.len(), flash);
        } else if self.adaptive_pmr {
            self.pmr.shrink_if_idle(group.len());
        }
        self.keep_one_erased(flash);
        for (written, &lpn) in group.iter().enumerate() {
            if written > 0 {
                flash.begin_page();
            }
            self.supersede(lpn, flash);
            self.pmr.program(lpn, flash);
        }
    }

    fn is_short_of(&self, pages: usize) -> bool {
        self.pmr.free_pages() <= self.sync_pages + pages as u64
    }

    /// Function 5, not interruptible; an interrupted job is finished first.
    fn collect_now(&mut self, pages: usize, flash: &mut Flash) {
        if self.adaptive_pmr && self.pmr.grow() && !self.is_short_of(pages) {
            return;
        }
        let began = self.worked();
        self.pmr.start_gc();
        let interrupted = self.job.take();
        self.finish(interrupted, flash);
        let mut need = if self.is_short_of(pages) { pages as u64 } else { 0 };
        while need > 0 {
            let Some(job) = self.start(flash) else { break };
            let gained = job.victim().map_or(0, |victim| self.pmr.superseded_in(victim, flash));
            self.finish(Some(job), flash);
            need = need.saturating_sub(gained);
        }
        self.redirect.note_gc(self.worked().since(began), false);
        assert!(!self.is_short_of(pages), "{} pages are free after GC", self.pmr.free_pages());
    }

    fn finish(&mut self, mut job: Option<Job>, flash: &mut Flash) {
        while let Some(under_way) = job {
            job = self.advance(under_way, flash);
        }
    }

    /// The first phase of PMR-GC, or of BMR-GC if no block of the PMR has enough superseded pages.
    fn start(&mut self, flash: &mut Flash) -> Option<Job> {
        if let Some(victim) = self.pmr.take_victim(self.enough(), flash) {
            return Some(Job::Collect(self.pmr.read(victim, flash)));
        }
        let lbn = self.pmr.next_group()?;
        let mut merge = Merge::new(lbn, Stage::PmrRead, self.geometry.pages_per_block);
        for lpn in self.geometry.logical_pages_of(lbn) {
            if let Some(from) = self.pmr.find(lpn) {
                merge.kept.push(Kept { lpn, from, page: flash.load(from, Cause::Merge) });
            }
        }
        self.work.reads += merge.kept.len() as u64;
        Some(Job::Merge(merge))
    }

    /// The next phase; `None` after the last.
    fn advance(&mut self, job: Job, flash: &mut Flash) -> Option<Job> {
        match job {
            Job::Collect(collect) => {
                self.keep_one_erased(flash);
                self.pmr.advance(collect, flash).map(Job::Collect)
            }
            Job::Merge(merge) => self.advance_merge(merge, flash).map(Job::Merge),
        }
    }

    /// Function 6, lines 39 to 42.
    fn advance_merge(&mut self, mut merge: Merge, flash: &mut Flash) -> Option<Merge> {
        merge.stage = match merge.stage {
            Stage::PmrRead => {
                self.read_bmr(&mut merge, &[], flash);
                Stage::BmrRead
            }
            Stage::BmrRead => {
                self.leave_flash(&mut merge, flash);
                let is_mapped_in_ram =
                    unless_bug!(CachStopsInRam, self.bmr.table().is_some(), false);
                if is_mapped_in_ram {
                    // The pages have a block to go to, so none of them is ever only in RAM.
                    self.make_room_in_bmr(merge.lbn, flash);
                    self.counts.bmr_gcs += 1;
                    self.program_bmr(merge, &[], flash);
                    return None;
                }
                Stage::InRam
            }
            Stage::InRam => {
                self.make_room_in_bmr(merge.lbn, flash);
                Stage::Erased
            }
            Stage::Erased => {
                self.counts.bmr_gcs += 1;
                self.program_bmr(merge, &[], flash);
                return None;
            }
        };
        Some(merge)
    }

    /// Reads the pages of a block that are in the BMR and not in a group.
    fn read_bmr(&mut self, merge: &mut Merge, group: &[Lpn], flash: &mut Flash) {
        let Some(block) = self.bmr.block(merge.lbn) else { return };
        let first = self.geometry.first_logical_page(merge.lbn).0;
        let first_slot = self.geometry.first_page(block).0;
        let mut slots = flash.valid_pages(block);
        while let Some(from) = slots.next(flash) {
            let lpn = Lpn(first + from.0 - first_slot);
            if group.binary_search(&lpn).is_err() {
                merge.kept.push(Kept { lpn, from, page: flash.load(from, Cause::Merge) });
                self.work.reads += 1;
            }
        }
        merge.kept.sort_unstable_by_key(|kept| kept.lpn);
    }

    /// Keeps the pages of a merge only in RAM from now on, and drops those that the host has
    /// replaced.
    fn leave_flash(&mut self, merge: &mut Merge, flash: &mut Flash) {
        merge.kept.retain(|kept| flash.is_valid(kept.from));
        for kept in &merge.kept {
            if !self.pmr.unmap(kept.lpn, flash) {
                flash.invalidate(kept.from);
            }
        }
    }

    /// Gives a logical block an erased block: its own after an erase, or another one out of place.
    fn make_room_in_bmr(&mut self, lbn: Lbn, flash: &mut Flash) {
        self.keep_one_erased(flash);
        if let Some(table) = self.bmr.table() {
            table.replace(lbn, self.pmr.lend_block(), flash);
        } else if let Some(block) = self.bmr.block(lbn).filter(|block| !flash.is_erased(*block)) {
            flash.erase(block, BlockKind::Data, Cause::Merge);
            self.work.erases += 1;
            unless_bug!(CachRewriteUncounted, self.counts.rewrites += 1);
        }
    }

    fn program_bmr(&mut self, merge: Merge, group: &[Lpn], flash: &mut Flash) {
        self.work.programs += merge.kept.len() as u64;
        let kept = merge.kept.into_iter().map(|kept| (kept.lpn, kept.page));
        let slot = |lpn| self.slot(lpn).expect("the block has room");
        program_in_order(group, kept, slot, flash);
        if flash.may_lose_power() {
            // A trimmed page of a retired block would return, and occupy the block.
            while self.erase_retired(flash) {}
        }
    }

    /// Erases a retired block when no other block is erased.
    fn keep_one_erased(&mut self, flash: &mut Flash) {
        while !self.pmr.has_erased_block() && self.erase_retired(flash) {}
    }

    /// Erases the block that was retired first. If it has far more erases than a block of the BMR,
    /// it takes over the pages of that block, which is retired instead.
    fn erase_retired(&mut self, flash: &mut Flash) -> bool {
        let Some(table) = self.bmr.table() else { return false };
        let Some(worn) = table.retired.pop_front() else { return false };
        flash.erase(worn, BlockKind::Data, Cause::Merge);
        self.work.erases += 1;
        self.counts.rewrites += 1;
        let merging = |lbn| self.job.as_ref().is_some_and(|job| job.merges(lbn));
        let least = table.least_erased().filter(|(young, lbn)| {
            let gap = flash.erases_of(worn) - flash.erases_of(*young).min(flash.erases_of(worn));
            self.wear_gap.is_some_and(|least| gap >= least) && !merging(*lbn)
        });
        let Some((young, lbn)) = least else {
            self.pmr.return_block(worn, flash);
            return true;
        };
        self.counts.wear_moves += 1;
        table.replace(lbn, worn, flash);
        let [from, to] = [young, worn].map(|block| self.geometry.first_page(block).0);
        let mut pages = flash.valid_pages(young);
        while let Some(page) = pages.next(flash) {
            flash.relocate(page, Ppn(page.0 - from + to), Cause::Merge);
            self.work.reads += 1;
            self.work.programs += 1;
        }
        true
    }

    /// Function 2: all phases of a merge at once, with the pages of the host among the others.
    fn flush_to_bmr(&mut self, lbn: Lbn, group: &[Lpn], flash: &mut Flash) {
        unless_bug!(CachFillUncounted, self.counts.bmr_groups += 1);
        flash.begin_page();
        let mut merge = self.take_over(lbn, group, flash);
        for &lpn in group {
            self.supersede(lpn, flash);
        }
        if merge.stage == Stage::BmrRead {
            self.leave_flash(&mut merge, flash);
        }
        if merge.stage != Stage::Erased {
            self.make_room_in_bmr(lbn, flash);
        }
        self.program_bmr(merge, group, flash);
    }

    /// The other pages of a block: from the RAM of a merge under way, or read now.
    fn take_over(&mut self, lbn: Lbn, group: &[Lpn], flash: &mut Flash) -> Merge {
        let is_in_ram =
            |stage: Stage| unless_bug!(CachForgetsMerge, stage.is_in_ram(), stage == Stage::Erased);
        if let Some(Job::Merge(mut merge)) = self.job.take_if(|job| job.merges(lbn))
            && is_in_ram(merge.stage)
        {
            merge.kept.retain(|kept| group.binary_search(&kept.lpn).is_err());
            return merge;
        }
        let mut merge = Merge::new(lbn, Stage::BmrRead, self.geometry.pages_per_block);
        let beside = |lpn: &Lpn| group.binary_search(lpn).is_err();
        for lpn in self.geometry.logical_pages_of(lbn).filter(beside) {
            if let Some(from) = self.pmr.find(lpn) {
                merge.kept.push(Kept { lpn, from, page: flash.load(from, Cause::Merge) });
            }
        }
        self.read_bmr(&mut merge, group, flash);
        merge
    }
}

#[cfg(test)]
mod tests;
