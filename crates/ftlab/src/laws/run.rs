//! A case under way: the FTL checks run after every request.

use super::case::Case;
use super::order::{
    nothing_begins_before_its_turn, nothing_overtakes_what_it_depends_on,
    what_shares_commands_takes_turns,
};
use super::reserve::{Step, a_reserve_is_kept};
use super::volume::garbage_starts_gc;
use crate::device::ProgramOrder;
use crate::flash::{BlockKind, Cause, Device, Ledger, Operation, Owner};
use crate::ftl::parts::held_pages::BufferCounts;
use crate::ftl::{
    Accounts, Associativity, Cleaning, Ftl, MapPlace, MappingCounts, MergeCounts, access,
};
use crate::gc::{CopyBack, GcMode};
use crate::placement::allocation::{SINGLE, STRIPED};
use crate::placement::block_pool::GcCounts;
use crate::request::Op;
use crate::rng::Rng;
use crate::units::{Lpn, Pbn, Ppn};
use std::ops::Range;

/// The observable state of a device and its FTL.
struct Seen {
    ledger: Ledger,
    mapping: MappingCounts,
    accounts: Accounts,
    /// GC runs; `None` for an FTL that merges blocks instead, or collects them by its own rules.
    gc_runs: Option<u64>,
    gc: GcCounts,
    merges: Option<MergeCounts>,
    reads_verified: u64,
    unwritten_reads: u64,
    unwritten_hits: u64,
    /// Counts of pages in the FTL's own RAM.
    buffered: BufferCounts,
    /// For each block, whether it is erased, and its number of erases.
    blocks: Vec<(bool, u32)>,
    /// Superseded pages of full blocks.
    garbage: u32,
}

impl Seen {
    fn of(device: &Device, ftl: &dyn Ftl) -> Seen {
        let blocks = (0..device.geometry().blocks()).map(Pbn);
        let metrics = ftl.metrics();
        Seen {
            ledger: device.ledger().clone(),
            mapping: ftl.mapping_counts().unwrap_or_default(),
            accounts: ftl.accounts(),
            gc_runs: metrics.gc.map(|gc| gc.counts.runs + gc.background_runs.unwrap_or_default()),
            gc: metrics.gc.map(|gc| gc.counts).unwrap_or_default(),
            merges: metrics.merges,
            reads_verified: device.reads_verified(),
            unwritten_reads: device.unwritten_reads(),
            unwritten_hits: ftl.buffered().unwritten_hits,
            buffered: ftl.buffered(),
            garbage: blocks
                .clone()
                .filter(|pbn| device.is_full(*pbn))
                .map(|pbn| device.geometry().pages_per_block - device.valid_in(pbn))
                .sum(),
            blocks: blocks.map(|pbn| (device.is_erased(pbn), device.erases_of(pbn))).collect(),
        }
    }

    fn free(&self) -> u32 {
        self.free_in(0..self.blocks.len() as u32)
    }

    fn free_in(&self, pool: Range<u32>) -> u32 {
        let blocks = &self.blocks[pool.start as usize..pool.end as usize];
        blocks.iter().filter(|(erased, _)| *erased).count() as u32
    }
}

/// Searches so far, and their steps.
struct Searched {
    steps: u64,
    lookups: u64,
    /// Whether there is nothing to search.
    is_empty: bool,
}

/// A device, its FTL, and the pages that should hold data.
pub struct Run<'a> {
    case: &'a Case<'a>,
    pub device: Device,
    pub ftl: Box<dyn Ftl>,
    holds_data: Vec<bool>,
    seen: Seen,
    idle: Rng,
}

impl<'a> Run<'a> {
    pub fn new(case: &'a Case<'a>) -> Run<'a> {
        let (device, ftl) = case.build().expect("a device that the FTL accepts");
        let holds_data = vec![false; device.geometry().logical_pages as usize];
        let seen = Seen::of(&device, &*ftl);
        let idle = Rng::new(case.seed(), "idle");
        Run { case, device, ftl, holds_data, seen, idle }
    }

    pub fn pages(&self) -> u32 {
        self.device.geometry().logical_pages
    }

    /// Serves a request after some idle time. The flash checks its rules, and the cost of a page
    /// must equal the announced one. The next audit checks the other laws.
    pub fn serve(&mut self, op: Op, pages: &[Lpn]) {
        if self.ftl.uses_idle_time() {
            for _ in 0..self.idle.below(4) {
                self.ftl.background(&mut self.device);
            }
        } else {
            assert!(
                !self.ftl.background(&mut self.device),
                "a step of an FTL that uses no idle time"
            );
        }
        let told = match pages {
            [_] if op == Op::Write => self.ftl.cost_of_writing(pages, &self.device),
            _ => None,
        };
        let copied = self.merge_copies();
        access(&mut *self.ftl, op, pages, &mut self.device);
        if let Some(told) = told {
            assert_eq!(self.merge_copies() - copied, told, "copies for a page, as told before");
        }
        if op != Op::Read {
            pages.iter().for_each(|lpn| self.holds_data[lpn.index()] = op.writes());
        }
    }

    fn merge_copies(&self) -> u64 {
        self.device.ledger().get(Operation::Program, Cause::Merge)
    }

    /// Serves a request and checks every law.
    pub fn step(&mut self, op: Op, pages: &[Lpn]) {
        let unwritten = pages.iter().filter(|lpn| !self.holds_data[lpn.index()]).count() as u64;
        self.serve(op, pages);
        let now = Seen::of(&self.device, &*self.ftl);
        let then = std::mem::replace(&mut self.seen, now);
        self.every_host_page_is_served_once(op, pages.len() as u64, unwritten, &then);
        self.translations_load_and_write_what_was_missing(op, pages.len() as u64, &then);
        let spec = &self.case.entry.spec;
        match (spec.cleaning, self.seen.merges) {
            (Cleaning::Rewrites, _) => self.merges_rewrite_a_block_or_fill_one(&then),
            (Cleaning::Merges, Some(merges)) => {
                self.merges_make_and_erase_one_data_block_each(merges, &then);
            }
            (Cleaning::Merges, None) => panic!("an FTL that merges counts its merges"),
            (Cleaning::Collects, _) => self.gc_keeps_to_its_thresholds(op, pages.len(), &then),
            (Cleaning::Itself, _) => {}
        }
        if let Some(bound) = self.seen.accounts.associativity {
            self.a_page_costs_so_many_merges_at_most(bound, pages.len() as u64, &then);
        }
        match spec.cleaning {
            _ if spec.in_place => self.every_page_is_in_its_place(),
            // Blocks are chosen only for one of its regions.
            Cleaning::Rewrites => {}
            _ if !spec.opens_least_erased => {}
            _ => self.the_least_erased_block_is_opened(&then),
        }
        self.audit();
    }

    /// Checks each law that needs no earlier state.
    pub fn audit(&mut self) {
        self.seen = Seen::of(&self.device, &*self.ftl);
        self.ftl.audit(&self.device);
        self.trimmed_pages_are_empty_and_written_ones_are_not();
        self.the_books_balance();
        self.every_valid_page_is_needed();
        self.striped_pages_keep_to_their_planes();
        self.few_pages_are_wasted();
        self.blocks_are_programmed_as_the_device_insists();
        self.the_cache_keeps_to_its_budget();
    }

    /// Reads every page; the flash compares each with the last version written.
    pub fn read_everything(&mut self) {
        self.read_back();
        self.audit();
    }

    /// The same, for a device whose blocks are not only touched by the FTL.
    pub fn read_back(&mut self) {
        for lpn in (0..self.pages()).map(Lpn) {
            self.serve(Op::Read, &[lpn]);
        }
        self.ftl.audit(&self.device);
        self.nothing_is_overtaken();
    }

    fn count(&self, operation: Operation, cause: Cause) -> u64 {
        self.seen.ledger.get(operation, cause)
    }

    fn every_host_page_is_served_once(&self, op: Op, pages: u64, unwritten: u64, then: &Seen) {
        let (read, written, blank) = match op {
            Op::Read => (pages, 0, unwritten),
            Op::Write | Op::WriteThrough => (0, pages, 0),
            Op::Trim | Op::Flush => (0, 0, 0),
        };
        // Pages in RAM are read from there, and programmed when they leave.
        let (now, before) = (self.seen.buffered, then.buffered);
        let read = read - (now.read_hits - before.read_hits);
        let written = written + before.dirty - now.dirty - (now.absorbed - before.absorbed);
        let reads = self.count(Operation::Read, Cause::Host)
            - then.ledger.get(Operation::Read, Cause::Host);
        assert_eq!(reads, read, "every page that the host reads is read once");
        let programs = self.count(Operation::Program, Cause::Host)
            - then.ledger.get(Operation::Program, Cause::Host);
        assert_eq!(programs, written, "every page that the host writes is programmed once");
        let verified = self.seen.reads_verified - then.reads_verified;
        assert_eq!(verified, read, "every read is verified");
        let found_blank = self.seen.unwritten_reads - then.unwritten_reads;
        let blank_in_ram = self.seen.unwritten_hits - then.unwritten_hits;
        assert_eq!(found_blank + blank_in_ram, blank, "reads that find no data");
    }

    /// At most one page for each miss, where single entries are cached. Where whole pages are
    /// cached, a write-back needs no read, and a miss may evict many.
    fn translations_load_and_write_what_was_missing(&self, op: Op, pages: u64, then: &Seen) {
        let since = |operation| {
            self.count(operation, Cause::Translation)
                - then.ledger.get(operation, Cause::Translation)
        };
        let (reads, programs) = (since(Operation::Read), since(Operation::Program));
        let (now, before) = (self.seen.mapping, then.mapping);
        if self.ftl.mapping_counts().is_none() {
            if self.case.entry.spec.map == MapPlace::Flash {
                return;
            }
            if self.seen.accounts.map_blocks > 0 {
                self.a_block_map_is_read_once_and_written_with_each_merge(
                    reads, programs, pages, then,
                );
                return;
            }
            assert_eq!((reads, programs), (0, 0), "a map in RAM needs no translation pages");
            return;
        }
        let lookups = now.lookups - before.lookups;
        assert_eq!(lookups, self.pages_translated(op, pages, then), "pages are translated once");
        let misses = lookups - (now.hits - before.hits);
        let dirty = now.dirty_replacements - before.dirty_replacements;
        if let (Some(now), Some(before)) =
            (self.seen.accounts.other_loads, then.accounts.other_loads)
        {
            let other = now - before;
            assert_eq!(reads, misses + other, "{misses} misses, {other} other loads");
            let directories = self.seen.accounts.directory_writes - then.accounts.directory_writes;
            assert_eq!(
                programs,
                dirty + directories,
                "pages of the map written, dirty ones replaced"
            );
        } else {
            let most = if self.seen.accounts.writes_each_victim { dirty } else { misses };
            assert!(programs <= most, "{programs} translation pages written in {misses} misses");
            assert!(reads - programs <= misses, "{} loaded in {misses} misses", reads - programs);
            assert!(programs <= dirty, "{programs} written for {dirty} dirty entries replaced");
        }
        assert!(dirty <= now.replacements - before.replacements, "dirty replacements");
    }

    /// A page of a block map is read at most once for each page of the host, and before each change
    /// of an entry. A merge changes one entry.
    fn a_block_map_is_read_once_and_written_with_each_merge(
        &self,
        reads: u64,
        programs: u64,
        pages: u64,
        then: &Seen,
    ) {
        let merges = |seen: &Seen| seen.merges.map_or(0, |merges| merges.total());
        let merged = merges(&self.seen) - merges(then);
        assert!(merged <= programs, "{programs} changes of the block map in {merged} merges");
        let most = pages + programs;
        assert!(reads <= most, "{reads} reads of the block map for {pages} pages");
    }

    /// A page in RAM needs no mapping. Some FTLs translate a written page when it leaves.
    fn pages_translated(&self, op: Op, pages: u64, then: &Seen) -> u64 {
        let (now, before) = (self.seen.buffered, then.buffered);
        let hits = now.read_hits - before.read_hits + now.write_hits - before.write_hits;
        let flushed = now.flushed_pages - before.flushed_pages;
        match (self.case.entry.spec.translates_late, op) {
            (true, Op::Write | Op::WriteThrough) => flushed,
            (true, Op::Read | Op::Trim | Op::Flush) => pages - hits + flushed,
            (false, _) => pages - hits,
        }
    }

    /// GC starts when a frontier needs a block and `low` or fewer are free; a batch ends at `high`.
    fn gc_keeps_to_its_thresholds(&self, op: Op, pages: usize, then: &Seen) {
        if self.seen.accounts.regions {
            return;
        }
        let gc = &self.case.config.gc;
        if self.case.is_volume() {
            if matches!(op, Op::Write | Op::WriteThrough) {
                garbage_starts_gc(gc, self.seen.gc.since(then.gc), &self.device);
            }
            return;
        }
        if self.case.keeps_reserve() {
            if pages == 1 && matches!(op, Op::Write | Op::WriteThrough) {
                let free = [then.free(), self.seen.free()];
                let counts = self.seen.gc.since(then.gc);
                let pages = self.device.geometry().pages_per_block;
                let spread = self.case.spread();
                let garbage = [then.garbage, self.seen.garbage];
                a_reserve_is_kept(gc, &Step { counts, free, garbage, pages, spread });
            }
            return;
        }
        let pools = self.case.pools(self.device.geometry(), self.seen.accounts.map_blocks);
        if self.seen.gc_runs == then.gc_runs {
            assert_eq!(
                self.seen.ledger.total(Operation::Erase),
                then.ledger.total(Operation::Erase),
                "blocks erased although GC did not run"
            );
            for pool in pools {
                let (free, before) = (self.seen.free_in(pool.clone()), then.free_in(pool));
                let kept = free == before || free >= gc.low;
                assert!(kept, "{before} to {free} free blocks without GC, gc.low is {}", gc.low);
            }
            return;
        }
        // GC of one plane may write the map in another. In idle time it begins and ends at any
        // time.
        if pages == 1 && pools.len() == 1 && !self.ftl.uses_idle_time() {
            let (free, before) = (self.seen.free(), then.free());
            // A page may open one block for data. For the map it may open one, or those of its map
            // writes. FTLs may need more than `low`.
            let opened = self.blocks_of_the_map_opened(then) + self.more_data_blocks_opened(then);
            let opened = opened + self.case.entry.spec.early_blocks;
            let latest = gc.low.max(2 + self.case.spread()) + opened;
            assert!(before <= latest, "GC with {before} free blocks, gc.low is {}", gc.low);
            let enough = gc.mode == GcMode::Single || free + 1 + opened >= gc.high;
            assert!(enough, "GC ended with {free} free blocks, gc.high is {}", gc.high);
        }
    }

    /// Only merges erase blocks and copy pages. Every merge replaces one data block, which is
    /// erased or kept.
    fn merges_make_and_erase_one_data_block_each(&self, merges: MergeCounts, then: &Seen) {
        let before = then.merges.expect("the same FTL");
        let (now, past) = (&self.seen.ledger, &then.ledger);
        let data = now.erases(BlockKind::Data) - past.erases(BlockKind::Data);
        let kept = self.seen.accounts.blocks_kept - then.accounts.blocks_kept;
        assert_eq!(data + kept, merges.total() - before.total(), "data blocks erased by merges");
        let copied = |seen: &Seen| {
            seen.ledger.get(Operation::Program, Cause::Merge) - seen.accounts.pages_moved
        };
        if now.total(Operation::Erase) == past.total(Operation::Erase) {
            assert_eq!(copied(&self.seen), copied(then), "pages copied without a merge");
        }
        let pages = u64::from(self.device.geometry().pages_per_block);
        let copying = |merges: MergeCounts, founded| merges.total() - merges.switch + founded;
        let most = pages
            * (copying(merges, self.seen.accounts.blocks_founded)
                - copying(before, then.accounts.blocks_founded));
        let copies = copied(&self.seen) - copied(then);
        assert!(copies <= most, "merges copy a block of pages at most");
        let (geometry, map) = (self.device.geometry(), self.seen.accounts.map_blocks);
        let quota = self.case.log_blocks(geometry, map);
        let beside_the_map = map..geometry.blocks();
        let written = beside_the_map.len() as u32 - self.seen.free_in(beside_the_map);
        let most = geometry.logical_blocks() + quota;
        assert!(written <= most, "{written} blocks written, {quota} of them may be log blocks");
    }

    /// A block of the block-mapped region is erased to be filled again. It is filled with no more
    /// copies than it has pages.
    fn merges_rewrite_a_block_or_fill_one(&self, then: &Seen) {
        let [now, past] =
            [self.seen.merges, then.merges].map(|merges| merges.expect("merges").full);
        let data = |seen: &Seen| seen.ledger.erases(BlockKind::Data);
        assert_eq!(data(&self.seen) - data(then), now - past, "blocks erased to be rewritten");
        let copied = |seen: &Seen| seen.ledger.get(Operation::Program, Cause::Merge);
        let filled = self.seen.accounts.blocks_filled - then.accounts.blocks_filled;
        let most = u64::from(self.device.geometry().pages_per_block) * filled;
        assert!(copied(&self.seen) - copied(then) <= most, "merges copy a block of pages at most");
    }

    /// A bound on associativity: at most `blocks` logical blocks are merged for a page, and their
    /// log blocks erased.
    fn a_page_costs_so_many_merges_at_most(&self, bound: Associativity, pages: u64, then: &Seen) {
        let Associativity { blocks, logs, most_merged } = bound;
        let copies = self.count(Operation::Program, Cause::Merge)
            - then.ledger.get(Operation::Program, Cause::Merge);
        let bound = pages * blocks * u64::from(self.device.geometry().pages_per_block);
        assert!(copies <= bound, "{copies} copies for {pages} pages, K = {blocks}");
        let of_user_pages = |seen: &Seen| {
            seen.ledger.total(Operation::Erase) - seen.ledger.erases(BlockKind::Translation)
        };
        let erases = of_user_pages(&self.seen) - of_user_pages(then);
        let bound = pages * (blocks + logs);
        assert!(erases <= bound, "{erases} erases for {pages} pages, bounded by {bound}");
        assert!(
            most_merged <= blocks,
            "{most_merged} logical blocks merged for a page, bounded by {blocks}"
        );
    }

    /// Blocks for the pages that left RAM in one access, except the first.
    fn more_data_blocks_opened(&self, then: &Seen) -> u32 {
        let flushed = self.seen.buffered.flushed_pages - then.buffered.flushed_pages;
        let per_block = self.device.geometry().pages_per_block;
        (flushed as u32).div_ceil(per_block).saturating_sub(1)
    }

    fn blocks_of_the_map_opened(&self, then: &Seen) -> u32 {
        let programs = |cause| {
            self.count(Operation::Program, cause) - then.ledger.get(Operation::Program, cause)
        };
        // Map updates that GC does not write are written after it.
        let held = match self.case.config.ftl.map_rules().is_held_in_gc {
            true => programs(Cause::GcMapping),
            false => 0,
        };
        let programs = programs(Cause::Translation) + held;
        (programs as u32).div_ceil(self.device.geometry().pages_per_block).max(1)
    }

    /// Where logical blocks are physical blocks, blocks are not chosen.
    fn every_page_is_in_its_place(&self) {
        if self.case.config.ftl.power_safe {
            // Blocks are then rewritten to others.
            return;
        }
        for (number, holds) in self.holds_data.iter().enumerate() {
            let place = Ppn(number as u32);
            assert_eq!(self.device.is_valid(place), *holds, "page {number} in its place");
        }
    }

    /// No block of a pool that was always free had fewer erases than one that was opened. In a
    /// volume, and with a reserve, blocks are chosen before the first page is written.
    fn the_least_erased_block_is_opened(&self, then: &Seen) {
        let is_ahead = self.case.is_volume() || self.case.keeps_reserve();
        if self.seen.accounts.regions || is_ahead {
            return;
        }
        for pool in self.case.pools(self.device.geometry(), self.seen.accounts.map_blocks) {
            let pairs =
                || pool.clone().map(|b| (then.blocks[b as usize], self.seen.blocks[b as usize]));
            let stayed = pairs().filter(|(then, now)| then == now && now.0).map(|(_, now)| now.1);
            let opened = pairs().filter(|(then, now)| then.0 && !now.0 && then.1 == now.1);
            if let (Some(least), Some(most)) = (stayed.min(), opened.map(|(_, now)| now.1).max()) {
                assert!(most <= least, "a block with {most} erases opened, one had only {least}");
            }
        }
    }

    /// DLOOP, equation 1: a page never leaves the plane that its number determines, and translation
    /// pages are spread likewise. Position `k` in the order of allocation is counted digit by
    /// digit.
    fn striped_pages_keep_to_their_planes(&self) {
        let config = &self.case.config;
        if config.ftl.placement == SINGLE || self.seen.merges.is_some() {
            return;
        }
        let geometry = self.device.geometry();
        let [_, ways, dies, planes] = geometry.shape();
        let order = String::from(config.ftl.order);
        let position = |plane: u32| {
            let digit = |letter| match letter {
                'P' => (plane % planes, planes),
                'D' => (plane / planes % dies, dies),
                'W' => (plane / planes / dies % ways, ways),
                _ => (plane / planes / dies / ways, config.device.channels),
            };
            order.chars().rev().map(digit).fold(0, |sum, (digit, base)| sum * base + digit)
        };
        for ppn in (0..geometry.pages()).map(Ppn).filter(|ppn| self.device.is_valid(*ppn)) {
            let number = match self.device.audit_owner(ppn) {
                Some(Owner::Translation(vtpn)) => vtpn.0,
                Some(Owner::Data(lpn)) if config.ftl.placement == STRIPED => lpn.0,
                _ => continue,
            };
            let plane = geometry.plane_of(geometry.block_of(ppn));
            assert_eq!(position(plane), number % geometry.planes(), "plane of page {ppn}");
        }
    }

    /// At most one page is skipped for each moved page, and one for each block
    /// (choices.md#dloop-parity).
    fn few_pages_are_wasted(&self) {
        let ledger = self.device.ledger();
        let moved = ledger.total(Operation::CopyBack)
            + ledger.get(Operation::Program, Cause::GcData)
            + ledger.get(Operation::Program, Cause::GcTranslation);
        let most = moved + ledger.total(Operation::Erase);
        assert!(ledger.wasted_pages() <= most, "{} pages wasted", ledger.wasted_pages());
        if self.case.config.gc.copy_back() == CopyBack::Off {
            assert_eq!((ledger.wasted_pages(), ledger.total(Operation::CopyBack)), (0, 0));
        }
    }

    fn blocks_are_programmed_as_the_device_insists(&self) {
        let device = &self.case.config.device;
        if device.program_order != Some(ProgramOrder::Ascending) && device.cell.is_none() {
            return;
        }
        let geometry = self.device.geometry();
        for pbn in (0..geometry.blocks()).map(Pbn) {
            let first = geometry.first_page(pbn).0;
            let pages = (first..first + geometry.pages_per_block).map(Ppn);
            let programmed = pages.map(|ppn| self.device.is_programmed(ppn));
            assert!(programmed.is_sorted_by(|a, b| a >= b), "block {pbn} is programmed in order");
        }
    }

    fn trimmed_pages_are_empty_and_written_ones_are_not(&self) {
        let mut only_in_ram = 0;
        for (number, expected) in self.holds_data.iter().enumerate() {
            let holds = self.device.audit_holds_data(Lpn(number as u32));
            let waits = *expected && !holds && self.case.entry.spec.keeps_writes;
            only_in_ram += u64::from(waits);
            assert_eq!(holds || waits, *expected, "whether page {number} holds data");
        }
        let dirty = self.seen.buffered.dirty;
        assert!(only_in_ram <= dirty, "{only_in_ram} pages are not on flash, {dirty} wait in RAM");
    }

    fn the_books_balance(&self) {
        let ledger = self.device.ledger();
        for cause in [Cause::GcData, Cause::GcMapping, Cause::GcTranslation, Cause::Merge] {
            let read = ledger.get(Operation::Read, cause);
            let written = ledger.get(Operation::Program, cause) as i64;
            let written = written + self.device.loads_not_stored(cause);
            assert_eq!(
                read as i64,
                written,
                "what is moved is read and written ({})",
                cause.name()
            );
        }
        let geometry = self.device.geometry();
        let written = (0..geometry.pages()).map(Ppn);
        let written = written.filter(|ppn| self.device.is_programmed(*ppn)).count() as u64;
        let erased = ledger.total(Operation::Erase) * u64::from(geometry.pages_per_block);
        let unused = ledger.pages_erased_unused();
        let used = ledger.pages_programmed() + ledger.wasted_pages();
        assert_eq!(used + unused, written + erased, "programs = written + erased");
        let accounts = &self.seen.accounts;
        let full_blocks_only =
            self.seen.gc_runs.is_some() && !accounts.regions && !accounts.collects_unfilled;
        let merges = self.seen.merges.is_some();
        assert!(unused == 0 || merges || !full_blocks_only, "GC collects full blocks only");
        let kinds: u64 = BlockKind::ALL.iter().map(|kind| ledger.erases(*kind)).sum();
        assert_eq!(kinds, ledger.total(Operation::Erase), "erases by kind");
        let blocks = (0..geometry.blocks()).map(Pbn);
        let erases: u64 = blocks.map(|pbn| u64::from(self.device.erases_of(pbn))).sum();
        assert_eq!(erases, ledger.total(Operation::Erase), "erases of all blocks together");
    }

    /// One valid copy of each page that holds data, and of each translation page; nothing else.
    fn every_valid_page_is_needed(&self) {
        let geometry = self.device.geometry();
        let pages = (0..self.pages()).map(Lpn);
        let data = pages.filter(|lpn| self.device.audit_holds_data(*lpn)).count() as u32;
        let on_flash = self.ftl.mapping_counts().is_some();
        let map = if on_flash { geometry.translation_pages() } else { 0 }
            + self.seen.accounts.directories;
        let valid: u32 = (0..geometry.blocks()).map(|pbn| self.device.valid_in(Pbn(pbn))).sum();
        if !on_flash && self.case.entry.spec.map == MapPlace::Flash {
            let most = data + geometry.translation_pages();
            assert!(data <= valid && valid <= most, "{valid} valid pages, {data} of data");
            return;
        }
        let needed = data + map - self.ftl.pages_in_ram();
        assert_eq!(valid, needed, "valid pages, {data} of data and {map} of the map");
    }

    fn the_cache_keeps_to_its_budget(&self) {
        let Some(mapping) = self.ftl.metrics().mapping else { return };
        let (used, budget) = (mapping.occupancy.bytes, self.ftl.ram().cache);
        let cache = self.case.config.ftl.cache.map_or(0, |bytes| bytes.0);
        assert_eq!(budget, cache, "the budget is what was configured");
        assert!(budget > 0, "a cache of nothing is refused");
        assert!(used <= budget, "the cache holds {used} B of {budget}");
    }

    /// Planes are busy for the sum of the latencies of their operations. On a shared bus, a plane
    /// that has read a page is held until the bus takes it.
    pub fn time_is_the_sum_of_the_operations(&self) {
        let (timeline, ledger) = (self.device.timeline(), self.device.ledger());
        let device = &self.case.config.device;
        if self.device.page_times(Ppn(0)).is_some() {
            return self.time_lies_between_that_of_the_page_types();
        }
        let transfer = device.transfer_per_byte.0 * device.page.0;
        let cost = [
            (Operation::Read, device.read.0 + transfer),
            (Operation::ReadOob, device.oob_read.0),
            (Operation::Program, device.program.0 + transfer),
            (Operation::CopyBack, device.read.0 + device.program.0),
            (Operation::Erase, device.erase.0),
        ];
        let operations: u64 = cost.iter().map(|(operation, _)| ledger.total(*operation)).sum();
        assert_eq!(timeline.plane_operations().sum::<u64>(), operations, "operations of planes");
        let serving: u64 = Operation::ALL
            .iter()
            .flat_map(|what| Cause::ALL.iter().map(move |cause| (*what, *cause)))
            .filter(|(_, cause)| cause.serves())
            .map(|(what, cause)| ledger.get(what, cause))
            .sum();
        let by_plane = self.device.serving_operations();
        assert_eq!(by_plane.iter().sum::<u64>(), serving, "operations that serve requests");
        for (all, serving) in timeline.plane_operations().zip(by_plane) {
            assert!(*serving <= all, "operations that serve requests are some of a plane's");
        }
        let latencies: u64 = cost.iter().map(|(what, time)| ledger.total(*what) * time).sum();
        let busy: u64 = timeline.plane_busy().sum();
        if transfer == 0 || self.device.geometry().planes() == 1 {
            assert_eq!(busy, latencies, "busy time of the planes");
        } else {
            assert!(busy >= latencies, "planes are busy for {busy} ns of {latencies}");
        }
        let transfers = ledger.total(Operation::Read) + ledger.total(Operation::Program);
        let bus: u64 = timeline.channel_busy().sum();
        assert_eq!(bus, transfers * transfer, "busy time of the channels");
    }

    /// Planes may run late operations of a chain after early ones of a later chain, but not inside
    /// a block.
    pub fn nothing_is_overtaken(&self) {
        let log = self.device.timeline().log();
        nothing_overtakes_what_it_depends_on(log);
        nothing_begins_before_its_turn(log);
        let device = &self.case.config.device;
        what_shares_commands_takes_turns(log, device, self.device.geometry());
    }

    /// Requests on an idle device wait for the map. Lookups of pages on a chip of the map take at
    /// least their sum, one by one. A page takes at least the steps of its search. A read takes at
    /// least the read of the array and the correction of errors.
    pub fn what_the_map_takes_is_waited_for(&mut self) {
        let all: Vec<Lpn> = (0..self.pages().min(20)).map(Lpn).collect();
        let took = self.alone(Op::Read, &all);
        let found = all.len() as u64 * self.ftl.accounts().map_lookup;
        assert!(found <= took, "{} lookups in {took} ns, one by one {found} ns", all.len());
        for lpn in (0..self.pages()).step_by(7).map(Lpn) {
            let before = self.searched();
            let reads = self.device.ledger().total(Operation::Read);
            let took = self.alone(Op::Read, &[lpn]);
            let is_read = self.device.ledger().total(Operation::Read) > reads;
            let device = &self.case.config.device;
            let least = device.read.0 + device.ecc_decode.0;
            let alike = self.device.page_times(Ppn(0)).is_none();
            assert!(least <= took || !is_read || !alike, "read and corrected in {took} ns");
            let (Some(before), Some(now)) = (before, self.searched()) else { continue };
            let steps = now.steps - before.steps;
            let least = now.lookups - before.lookups;
            assert!(before.is_empty || steps >= least, "{steps} steps in {least} searches");
            let searched = steps * self.case.config.ftl.search_step.0;
            assert!(searched <= took, "{steps} steps in {took} ns");
        }
    }

    /// Serves a request that is issued at this time; returns when it is complete.
    pub fn serve_at(&mut self, time: u64, op: Op, pages: &[Lpn]) -> u64 {
        self.device.timeline_mut().issue(time);
        self.serve(op, pages);
        self.device.timeline().served().end
    }

    /// The time of a request on an idle device, ns.
    fn alone(&mut self, op: Op, pages: &[Lpn]) -> u64 {
        let idle = self.device.timeline().idle_at();
        self.device.timeline_mut().issue(idle);
        access(&mut *self.ftl, op, pages, &mut self.device);
        self.device.timeline().served().end - idle
    }

    /// Searches in the index of a mapping cache, if they are counted.
    fn searched(&self) -> Option<Searched> {
        let metrics = self.ftl.metrics();
        let mapping = metrics.mapping?;
        let steps = *metrics.own.get("map.search_steps")?;
        let is_empty = mapping.occupancy.entries == 0;
        Some(Searched { steps, lookups: mapping.counts.lookups, is_empty })
    }

    /// Where pages differ, no operation takes less than the fastest page or more than the slowest.
    fn time_lies_between_that_of_the_page_types(&self) {
        let (timeline, ledger) = (self.device.timeline(), self.device.ledger());
        let device = &self.case.config.device;
        let transfer = device.transfer_per_byte.0 * device.page.0;
        let pages = (0..device.pages_per_block).map(Ppn);
        let times: Vec<_> = pages.filter_map(|ppn| self.device.page_times(ppn)).collect();
        let sum = |read: Option<u64>, program: Option<u64>| {
            let [read, program] = [read, program].map(|time| time.expect("page types"));
            ledger.total(Operation::Read) * (read + transfer)
                + ledger.total(Operation::Program) * (program + transfer)
                + ledger.total(Operation::CopyBack) * (read + program)
                + ledger.total(Operation::ReadOob) * device.oob_read.0
                + ledger.total(Operation::Erase) * device.erase.0
        };
        let least = sum(times.iter().map(|t| t.0).min(), times.iter().map(|t| t.1).min());
        let most = sum(times.iter().map(|t| t.0).max(), times.iter().map(|t| t.1).max());
        let busy: u64 = timeline.plane_busy().sum();
        assert!(busy >= least, "planes are busy for {busy} ns, less than {least}");
        let waits = transfer > 0 && self.device.geometry().planes() > 1;
        assert!(busy <= most || waits, "planes are busy for {busy} ns, more than {most}");
    }
}
