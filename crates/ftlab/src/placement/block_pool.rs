//! The blocks of a page-mapped region: free ones, open frontiers, closed candidates for GC.
//!
//! ```text
//! free --open--> frontier --full--> closed --victim--> collected --erase--> free
//! ```
//!
//! A frontier is closed only when the next block is opened, so the block just filled is not a
//! victim yet (choices.md#gc-candidates).

#![allow(clippy::inline_always)] // part of every page

mod reserve;
mod volume;

use super::free_blocks::FreeBlocks;
use super::region::Region;
use crate::error::Error;
use crate::figures::counts;
use crate::flash::{BlockKind, Cause, Device, Geometry, Media, Parity};
use crate::gc::{Closed, Copies, Gc, GcMode, Moment, Placed, VictimPolicy, Victims};
use crate::placement::Class;
use crate::units::{Pbn, Ppn};
use reserve::Background;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::Range;
use volume::Volume;

/// Garbage collection since measuring started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcMetrics {
    /// Runs and victims.
    pub counts: GcCounts,
    /// Free blocks at which GC starts: the threshold in force.
    pub low: u32,
    /// Free blocks at which a batch ends: the threshold in force.
    pub high: u32,
    /// Runs in idle time; `None` if GC is never started in idle time.
    pub background_runs: Option<u64>,
}

/// How translation pages use the blocks that they share with user pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapRules {
    /// They go to the open block of user pages.
    pub shares_blocks: bool,
    /// GC writes none of them for the pages that it moves.
    pub is_held_in_gc: bool,
}

/// The frontiers of user pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classes {
    /// Number of frontiers.
    pub all: u32,
    /// How many of them GC may open before it has made room, at least one.
    pub spread: u32,
}

/// Places for frontiers: a power of two, so that every masked index is valid.
const FRONTIERS: usize = Class::END.next_power_of_two();

counts! {
    plus since;
    /// GC of a region since measuring started.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    pub struct GcCounts {
        /// Times that GC was started.
        pub runs: u64,
        /// Data blocks collected.
        pub data_blocks: u64,
        /// Translation blocks collected.
        pub translation_blocks: u64,
        /// Valid pages in the data blocks collected.
        pub valid_data: u64,
        /// Valid pages in the translation blocks collected.
        pub valid_translation: u64,
        /// Victims that the policy did not choose: at the last free block, or to end a run.
        pub forced_victims: u64,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Closed,
    Collected,
    /// Taken out of the pool.
    Lent,
}

#[derive(Clone, Copy, Debug)]
struct BlockInfo {
    state: State,
    class: Class,
}

/// An open block: the next page to program, up to the end.
#[derive(Clone, Copy, Debug)]
struct Frontier {
    next: u32,
    end: u32,
    pbn: Pbn,
}

/// Free, open and closed blocks of a device.
#[derive(Clone, Debug)]
pub struct BlockPool {
    /// The blocks of the pool. It ignores the others of the device.
    region: Range<u32>,
    pages_per_block: u32,
    /// By number in the region.
    blocks: Vec<BlockInfo>,
    free: FreeBlocks,
    lent: u32,
    frontiers: [Option<Frontier>; FRONTIERS],
    victims: Victims,
    /// The closed blocks of translation pages.
    translation_blocks: BTreeSet<u32>,
    low: u32,
    high: u32,
    /// Blocks for user pages that GC may open before it has made room.
    spread: u32,
    /// Blocks that are free or open when GC ends.
    kept: u32,
    /// The frontier of each class.
    frontier_of: [u8; FRONTIERS],
    /// Translation pages go to the open block of user pages.
    shares_blocks: bool,
    mode: GcMode,
    oob_scan: bool,
    data_kind: BlockKind,
    programs: u64,
    /// Blocks collected since the current GC run started.
    victims_of_run: u64,
    counts: GcCounts,
    /// Blocks were left before they were full.
    leaves_units: bool,
    /// The state needed where full blocks are closed at once.
    volume: Option<Volume>,
    /// The work of GC after each page, where GC is considered before each page.
    background: Option<Background>,
}

impl BlockPool {
    /// All blocks free. One GC step may open up to `reserve` blocks. GC therefore starts at the
    /// latest when as many are left, whatever `gc.low` is.
    ///
    /// # Errors
    /// [`Error::Config`] when the device has too few blocks for GC to reclaim space for ever, with
    /// `translation_pages` in addition to the logical pages.
    pub fn new(
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        translation_pages: u32,
    ) -> Result<Self, Error> {
        let region = Region::whole(geometry, translation_pages);
        Self::in_region(gc, geometry, reserve, &region)
    }

    /// The same with only the blocks of a region, for its pages and its map.
    ///
    /// # Errors
    /// As [`BlockPool::new`].
    pub fn in_region(
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        region: &Region,
    ) -> Result<Self, Error> {
        Self::with_map(gc, geometry, reserve, region, MapRules::default())
    }

    /// The same under other rules for translation pages.
    ///
    /// # Errors
    /// As [`BlockPool::new`].
    pub fn with_map(
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        region: &Region,
        rules: MapRules,
    ) -> Result<Self, Error> {
        let classes = Classes { all: 1 + u32::from(gc.copies == Copies::Own), spread: 1 };
        Self::with_classes(gc, geometry, reserve, region, rules, classes)
    }

    /// The same with these frontiers of user pages. `reserve` is the number of blocks that a GC
    /// step may open if the pages of its victim go to one frontier.
    ///
    /// # Errors
    /// As [`BlockPool::new`].
    pub fn with_classes(
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        region: &Region,
        rules: MapRules,
        classes: Classes,
    ) -> Result<Self, Error> {
        let has_map = region.map_pages() > 0;
        let open = u64::from(classes.all) + u64::from(has_map && !rules.shares_blocks);
        // Updates of the map waste pages while GC reclaims space, unless they wait until it is
        // done.
        let wasted = u64::from(has_map && !rules.is_held_in_gc);
        let reserve = reserve + classes.spread - 1;
        let pool = Self::with_frontiers(gc, geometry, reserve, region, open + wasted, rules)?;
        Ok(BlockPool { spread: classes.spread, ..pool })
    }

    /// All blocks free, for user pages of `levels` classes, each with its own frontier, and without
    /// a map on flash. The pages of one victim may go to up to `spread` frontiers.
    ///
    /// # Errors
    /// As [`BlockPool::new`].
    ///
    /// # Panics
    /// With more than [`Class::MOST`].
    pub fn with_levels(
        gc: &Gc,
        geometry: &Geometry,
        levels: u8,
        spread: u32,
    ) -> Result<Self, Error> {
        assert!(levels <= Class::MOST, "{levels} classes");
        let classes = Classes { all: u32::from(levels), spread };
        let whole = Region::whole(geometry, 0);
        Self::with_classes(gc, geometry, 1, &whole, MapRules::default(), classes)
    }

    fn with_frontiers(
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        region: &Region,
        beside: u64,
        rules: MapRules,
    ) -> Result<Self, Error> {
        let map_pages = region.map_pages();
        let low = gc.low.max(reserve);
        let high = gc.high.max(low.saturating_add(1));
        let blocks_of = |pages: u32| u64::from(pages.div_ceil(geometry.pages_per_block));
        let logical = blocks_of(region.pages.len() as u32);
        // GC by single blocks that wastes no other pages ends with the free blocks of its start.
        let at_end = if rules.is_held_in_gc && gc.mode == GcMode::Single { low } else { high };
        let kept = u64::from(at_end) + beside;
        let needed = logical + blocks_of(map_pages) + kept;
        if (region.blocks.len() as u64) < needed {
            let pages = region.pages.len() as u32;
            let roomy = geometry.roomy_capacity(region.blocks.len() as u32, pages, map_pages, kept);
            let message = format!(
                "found {} physical blocks for {logical} logical{}, expected at least {needed} so that \
                 GC always finds room",
                region.blocks.len(),
                if region.blocks.len() as u32 == geometry.blocks() {
                    ""
                } else {
                    " in a part of the device (a plane, a zone, or what is page-mapped)"
                },
            );
            let capacity = roomy.map(|c| format!(", or set device.capacity = {c}"));
            let other = format!(" or lower gc.low and gc.high{}", capacity.unwrap_or_default());
            unless_bug!(PoolTooFewBlocks, return Err(geometry.too_few_blocks(&message, &other)));
        }
        let free = BlockInfo { state: State::Free, class: Class::HOST };
        Ok(BlockPool {
            pages_per_block: geometry.pages_per_block,
            blocks: vec![free; region.blocks.len()],
            free: FreeBlocks::within(region.blocks.clone()),
            lent: 0,
            region: region.blocks.clone(),
            frontiers: [None; FRONTIERS],
            victims: gc.victims(region.blocks.len() as u32, geometry.pages_per_block)?,
            translation_blocks: BTreeSet::new(),
            low,
            high,
            spread: 1,
            kept: kept as u32,
            frontier_of: frontiers(gc.copies, rules),
            shares_blocks: rules.shares_blocks,
            mode: gc.mode,
            oob_scan: gc.oob_scan,
            data_kind: BlockKind::Data,
            programs: 0,
            victims_of_run: 0,
            counts: GcCounts::default(),
            leaves_units: false,
            volume: None,
            background: None,
        })
    }

    /// Sets the kind of content of user blocks, where these are not the only copy for long.
    #[must_use]
    pub fn filled_with(self, data_kind: BlockKind) -> Self {
        BlockPool { data_kind, ..self }
    }

    /// GC since measuring started.
    #[must_use]
    pub const fn metrics(&self) -> GcMetrics {
        GcMetrics { counts: self.counts, low: self.low, high: self.high, background_runs: None }
    }

    /// Resets the counts.
    pub fn reset_counts(&mut self) {
        self.counts = GcCounts::default();
    }

    /// The number of a block in the region.
    #[inline]
    const fn slot(&self, pbn: Pbn) -> Pbn {
        Pbn(pbn.0 - self.region.start)
    }

    const fn block_in(&self, slot: Pbn) -> Pbn {
        Pbn(slot.0 + self.region.start)
    }

    /// Blocks that are free.
    #[inline]
    #[must_use]
    pub fn free(&self) -> u32 {
        self.free.len()
    }

    /// The class of the content of a block.
    #[must_use]
    pub fn class_of(&self, pbn: Pbn) -> Class {
        self.blocks[self.slot(pbn).index()].class
    }

    /// The class of the content of a block of the pool, unless the block is erased.
    #[must_use]
    pub fn class_in_use(&self, pbn: Pbn) -> Option<Class> {
        let slot = pbn.0.checked_sub(self.region.start)?;
        let block = self.blocks.get(slot as usize)?;
        (block.state != State::Free).then_some(block.class)
    }

    /// Blocks of a class that are not free.
    #[must_use]
    pub fn blocks_of(&self, class: Class) -> u64 {
        let is_of = |block: &&BlockInfo| block.state != State::Free && block.class == class;
        self.blocks.iter().filter(is_of).count() as u64
    }

    /// The block of the frontier of a class.
    #[must_use]
    pub fn open_block(&self, class: Class) -> Option<Pbn> {
        self.frontiers[self.frontier_of(class)].map(|frontier| frontier.pbn)
    }

    /// Whether a block is that of a frontier.
    #[must_use]
    pub fn is_open(&self, pbn: Pbn) -> bool {
        self.frontiers.iter().flatten().any(|frontier| frontier.pbn == pbn)
    }

    /// Whether the block of the frontier of a class has an erased page.
    #[must_use]
    pub fn has_room(&self, class: Class) -> bool {
        self.frontiers[self.frontier_of(class)].is_some_and(|f| f.next < f.end)
    }

    /// Frontiers of user pages that are not separated: GC copies may have a separate one.
    #[must_use]
    pub fn frontiers(&self) -> u32 {
        1 + u32::from(self.frontier_of(Class::MOVED) != self.frontier_of(Class::HOST))
    }

    /// Erased pages of the block of the frontier of a class; those of the next one if it is full, or there is none.
    #[must_use]
    pub fn room(&self, class: Class) -> u32 {
        match self.frontiers[self.frontier_of(class)].map(|frontier| self.rest(frontier)) {
            None | Some(0) => self.pages_per_block,
            Some(rest) => rest,
        }
    }

    /// Erased pages of the block of a frontier that it takes.
    fn rest(&self, Frontier { next, end, .. }: Frontier) -> u32 {
        // Where blocks are closed at once, the last page is treated separately.
        let last = u32::from(unless_bug!(RoomLacksLastPage, self.volume.is_some(), false));
        end - next + last
    }

    /// Parity of the page that [`BlockPool::next_page`] returns next.
    #[must_use]
    pub fn next_parity(&self, class: Class, flash: &impl Media) -> Parity {
        match self.frontiers[self.frontier_of(class)] {
            Some(Frontier { next, end, .. }) if next < end => {
                Parity::of(flash.geometry().pages_per_block - (end - next))
            }
            _ => Parity::Even,
        }
    }

    /// The most pages of user data that may be valid, in addition to `map_pages` of the map, for GC
    /// to reclaim space for ever.
    #[must_use]
    pub fn most_data_pages(&self, geometry: &Geometry, map_pages: u32) -> u32 {
        let map = map_pages.div_ceil(geometry.pages_per_block);
        (self.region.len() as u32 - self.kept - map) * geometry.pages_per_block
    }

    #[inline(always)]
    const fn frontier_of(&self, class: Class) -> usize {
        self.frontier_of[class.index() % FRONTIERS] as usize % FRONTIERS
    }

    /// Whether the frontier of `class` is full and too few free blocks are left to open another.
    #[inline(always)]
    #[must_use]
    pub fn must_collect(&self, class: Class) -> bool {
        let full = self.frontiers[self.frontier_of(class)].is_none_or(|f| f.next == f.end);
        let free = self.free.len();
        let is_short = unless_bug!(PoolGcStartsLate, free <= self.low, free < self.low);
        if self.keeps_reserve() { is_short && self.has_garbage() } else { full && is_short }
    }

    /// Notes the start of a GC run.
    pub const fn start_gc(&mut self) {
        self.counts.runs += 1;
        self.victims_of_run = 0;
    }

    /// Whether a GC run that was started for `class` may end.
    #[must_use]
    pub fn collected_enough(&self, class: Class) -> bool {
        let has_garbage = || unless_bug!(ReserveStopsEarly, self.has_garbage(), false);
        match self.mode {
            _ if self.keeps_reserve() && !has_garbage() => true,
            GcMode::Batch => {
                unless_bug!(PoolBatchEndsEarly, self.is_replenished(), self.free.len() > self.low)
            }
            // The host next writes to the frontiers that GC opened: the next run again needs a free
            // block for each.
            GcMode::Single => !self.must_collect(class) && !self.is_short(),
        }
    }

    /// Whether fewer blocks are free than the pages of a victim may open.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.free.len() < self.spread
    }

    /// Whether GC of user pages may need more blocks than are free, for these pages and for the
    /// map.
    #[inline]
    #[must_use]
    pub fn is_at_its_last(&self) -> bool {
        self.free.len() <= self.spread
    }

    /// Whether the number of free blocks is that of the end of a batch.
    #[must_use]
    pub fn is_replenished(&self) -> bool {
        self.free.len() >= self.high
    }

    /// Whether `blocks` blocks may be opened before GC must run.
    #[must_use]
    pub fn can_spare(&self, blocks: u32) -> bool {
        self.free.len() >= self.low + blocks
    }

    /// Takes a free block to be filled with user pages at once, in addition to the frontiers.
    ///
    /// # Panics
    /// When no block is free: see [`can_spare`](Self::can_spare).
    pub fn take_block(&mut self) -> Pbn {
        let pbn = self.free.take().expect("a block to spare");
        let slot = self.slot(pbn);
        self.blocks[slot.index()] = BlockInfo { state: State::Open, class: Class::MOVED };
        pbn
    }

    /// The policy, if it uses the pages of each block.
    pub fn watching(&mut self) -> Option<&mut dyn VictimPolicy> {
        self.victims.watching()
    }

    /// Informs the policy of the place of a page.
    pub fn tell_placed(&mut self, page: Placed, flash: &impl Media) {
        let (pbn, now) = (self.slot(page.pbn), self.now(flash));
        if let Some(policy) = self.watching() {
            policy.placed(Placed { pbn, ..page }, now);
        }
    }

    fn now(&self, flash: &impl Media) -> Moment {
        let time = if self.victims.hear_time() { flash.flash().host_time() } else { 0 };
        Moment { programs: self.programs, time }
    }

    /// Informs the policy of a block that was filled.
    fn closed(&mut self, slot: Pbn, class: Class, valid: u32, flash: &impl Media) {
        let number = self.volume.as_ref().map(|volume| volume.number(slot));
        self.victims.close(Closed { pbn: slot, valid, class, at: self.now(flash), number });
    }

    /// A block that was taken is full, and becomes a candidate for GC.
    pub fn close_block(&mut self, pbn: Pbn, flash: &impl Media) {
        self.programs += u64::from(flash.geometry().pages_per_block);
        let slot = self.slot(pbn);
        self.blocks[slot.index()].state = State::Closed;
        self.closed(slot, Class::MOVED, flash.valid_in(pbn), flash);
    }

    /// The next page of a frontier; opens a block when it is full.
    ///
    /// # Panics
    /// When no block is free: GC was not called in time, or the reserve is wrong.
    #[inline(always)]
    pub fn next_page(&mut self, class: Class, flash: &impl Media) -> Ppn {
        let index = self.frontier_of(class);
        self.programs += 1;
        match &mut self.frontiers[index] {
            Some(frontier) if frontier.next < frontier.end => {
                frontier.next += 1;
                Ppn(frontier.next - 1)
            }
            _ => self.open(index, class, flash),
        }
    }

    /// The next pages of a frontier, at least one and up to `most`; opens a block when it is full.
    /// Returns the first page and their number.
    ///
    /// # Panics
    /// As [`next_page`](Self::next_page).
    pub fn next_pages(&mut self, class: Class, most: u32, flash: &impl Media) -> (Ppn, u32) {
        let first = self.next_page(class, flash);
        let index = self.frontier_of(class);
        let block = flash.geometry().block_of(first);
        // After the last page of a block that is closed at once, another block is open, or none.
        let Some(frontier) = self.frontiers[index].as_mut().filter(|it| it.pbn == block) else {
            return (first, 1);
        };
        let more = (most - 1).min(frontier.end - frontier.next);
        frontier.next += more;
        self.programs += u64::from(more);
        (first, more + 1)
    }

    /// Leaves the open block of a class as it is, unless no page of it is written, or all are: the next page opens another.
    /// Returns the block, and how many of its pages are not written.
    pub fn leave(&mut self, class: Class, flash: &impl Media) -> Option<(Pbn, u32)> {
        let index = self.frontier_of(class);
        let frontier = self.frontiers[index]?;
        let Frontier { next, pbn, .. } = frontier;
        let unwritten = self.rest(frontier);
        let is_new = unwritten == self.pages_per_block;
        if is_new {
            unless_bug!(UpdateLeavesNew, return None);
        }
        if unwritten == 0 {
            return None;
        }
        self.leaves_units = true;
        self.programs += u64::from(unwritten);
        if self.volume.is_some() {
            self.close_at_once(index, flash.valid_in(pbn), flash);
            if self.free.len() > self.low.max(self.spread) {
                self.replace(index, class, flash);
            }
        } else if let Some(frontier) = &mut self.frontiers[index] {
            unless_bug!(UpdateKeepsUnit, frontier.end = next);
        }
        Some((pbn, unwritten))
    }

    /// Whether blocks were left before they were full.
    #[must_use]
    pub const fn leaves_units(&self) -> bool {
        self.leaves_units
    }

    #[inline(never)]
    fn open(&mut self, index: usize, class: Class, flash: &impl Media) -> Ppn {
        if self.volume.is_some() {
            return self.last_page(index, class, flash);
        }
        if let Some(full) = self.frontiers[index] {
            let slot = self.slot(full.pbn);
            let block = &mut self.blocks[slot.index()];
            block.state = State::Closed;
            let class = block.class;
            self.closed(slot, class, flash.valid_in(full.pbn), flash);
            if class == Class::MAP {
                self.translation_blocks.insert(full.pbn.0);
            }
        }
        let pbn = self.free.take().unwrap_or_else(|| panic!("no free block for {class:?}"));
        let class = class_of(index, class);
        let slot = self.slot(pbn);
        let state = unless_bug!(PoolFrontierIsVictim, State::Open, {
            self.closed(slot, class, 0, flash);
            State::Closed
        });
        self.blocks[slot.index()] = BlockInfo { state, class };
        let first = flash.geometry().first_page(pbn).0;
        let end = first + flash.geometry().pages_per_block;
        self.frontiers[index] = Some(Frontier { next: first + 1, end, pbn });
        Ppn(first)
    }

    /// Marks a page as superseded.
    #[inline]
    pub fn invalidate(&mut self, ppn: Ppn, flash: &mut impl Media) {
        let pbn = flash.invalidate(ppn);
        self.lost_page(pbn, flash);
    }

    /// Notes that a page of a block was superseded.
    #[inline]
    pub fn lost_page(&mut self, pbn: Pbn, flash: &impl Media) {
        let slot = self.slot(pbn);
        if self.blocks[slot.index()].state == State::Closed {
            unless_bug!(
                PoolVictimsUntold,
                self.victims.shrink(slot, flash.valid_in(pbn), self.programs)
            );
        }
    }

    /// Erased pages of the open block of user pages.
    #[must_use]
    pub fn open_pages(&self) -> u32 {
        self.frontiers[Class::HOST.index()].map_or(0, |f| f.end - f.next)
    }

    /// Free blocks.
    #[must_use]
    pub fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    /// Blocks that are open, closed or being collected.
    #[must_use]
    pub fn blocks_in_use(&self) -> u32 {
        self.region.len() as u32 - self.free.len() - self.lent
    }

    /// Takes a free block out of the pool, for another use.
    pub fn lend(&mut self) -> Option<Pbn> {
        let pbn = self.free.take()?;
        self.blocks[pbn.index()].state = State::Lent;
        self.lent += 1;
        Some(pbn)
    }

    /// Notes that a block was found lent after power was lost.
    pub fn lend_found(&mut self, pbn: Pbn) {
        let slot = self.slot(pbn);
        self.blocks[slot.index()].state = State::Lent;
        self.lent += 1;
    }

    /// Takes back a block that was lent and has just been erased.
    pub fn take_back(&mut self, pbn: Pbn, flash: &impl Media) {
        debug_assert_eq!(self.blocks[pbn.index()].state, State::Lent);
        self.blocks[pbn.index()].state = State::Free;
        self.lent -= 1;
        self.free.give(pbn, flash);
    }

    /// Takes the next block to collect, unless erasing it would gain fewer pages than `least`.
    pub fn take_wasteful_victim(&mut self, least: u32, flash: &mut impl Media) -> Option<Pbn> {
        let pbn = self.victims.choose(self.now(flash)).map(|slot| self.block_in(slot))?;
        let gained = flash.geometry().pages_per_block - flash.valid_in(pbn);
        (gained >= least).then(|| self.collect(pbn, flash))
    }

    /// Takes the next block to collect out of the candidates. Returns the block and the class of
    /// its content.
    ///
    /// # Panics
    /// When no block is closed.
    pub fn take_victim(&mut self, flash: &mut impl Media) -> (Pbn, Class) {
        self.take_victim_or(None, flash)
    }

    /// Takes the block that a separation has named, or the next one of the policy.
    pub(super) fn take_victim_or(
        &mut self,
        named: Option<Pbn>,
        flash: &mut impl Media,
    ) -> (Pbn, Class) {
        self.victims_of_run += 1;
        let forced = match self.volume {
            _ if self.keeps_reserve() => None,
            Some(_) => self.most_wasteful(flash),
            None => self.forced_victim(flash),
        };
        self.counts.forced_victims += u64::from(forced.is_some());
        let pbn = forced
            .or_else(|| named.map(|named| self.named_victim(named, flash)))
            .or_else(|| self.victims.choose(self.now(flash)).map(|slot| self.block_in(slot)))
            .expect("a device that needs GC has closed blocks");
        self.collect(pbn, flash);
        (pbn, self.class_of(pbn))
    }

    /// The block that a separation has named, or an emptier block of translation pages, which a
    /// separation does not know.
    fn named_victim(&mut self, named: Pbn, flash: &impl Media) -> Pbn {
        let slot = self.slot(named);
        if self.blocks[slot.index()].state == State::Open {
            self.close_frontier(named, flash);
        }
        let valid = |pbn: &Pbn| flash.valid_in(*pbn);
        let of_map = self.translation_blocks.iter().copied().map(Pbn).min_by_key(valid);
        of_map.filter(|pbn| valid(pbn) < valid(&named)).unwrap_or(named)
    }

    /// Closes a block that is full, before the next one of its frontier is opened.
    fn close_frontier(&mut self, pbn: Pbn, flash: &impl Media) {
        let is_of = |frontier: &&mut Option<Frontier>| frontier.is_some_and(|it| it.pbn == pbn);
        if let Some(frontier) = self.frontiers.iter_mut().find(is_of) {
            assert!(frontier.is_some_and(|it| it.next == it.end), "{pbn} is named and not full");
            *frontier = None;
        }
        let slot = self.slot(pbn);
        self.blocks[slot.index()].state = State::Closed;
        self.closed(slot, self.class_of(pbn), flash.valid_in(pbn), flash);
    }

    /// The closed blocks of classes of a separation, each with the number of its class.
    pub fn closed_blocks(&self) -> impl Iterator<Item = (Pbn, u8)> {
        let closed = self.blocks.iter().zip(0..).filter(|(block, _)| block.state == State::Closed);
        closed.filter_map(|(block, slot)| Some((self.block_in(Pbn(slot)), block.class.number()?)))
    }

    /// Notes that `pages` of the moved pages of user blocks were translation pages.
    pub fn tell_map_pages(&mut self, pages: u64) {
        self.counts.valid_data -= pages;
        self.counts.valid_translation += pages;
    }

    fn collect(&mut self, pbn: Pbn, flash: &mut impl Media) -> Pbn {
        let (valid, slot) = (flash.valid_in(pbn), self.slot(pbn));
        self.victims.remove(slot, valid);
        let info = &mut self.blocks[slot.index()];
        info.state = State::Collected;
        match info.class {
            Class::MAP => {
                self.translation_blocks.remove(&pbn.0);
                self.counts.translation_blocks += 1;
                self.counts.valid_translation += u64::from(valid);
            }
            _ => {
                self.counts.data_blocks += 1;
                self.counts.valid_data += u64::from(valid);
            }
        }
        if self.oob_scan {
            self.scan(pbn, flash);
        }
        pbn
    }

    /// The victim in the two cases in which the policy does not choose, so that GC ends on a nearly
    /// full device.
    ///
    /// At the last free block, translation blocks go first. Collecting one needs no update of the
    /// map. The space that earlier updates wasted is thus reclaimed before more is needed.
    ///
    /// After as many victims as there are blocks, a run takes the most wasteful ones. A policy that
    /// ignores valid pages can cycle for ever: the map updates of each full block that it moves
    /// waste the space just reclaimed (choices.md#gc-forced).
    fn forced_victim(&self, flash: &impl Media) -> Option<Pbn> {
        let wasteful = |pbn: &Pbn| flash.valid_in(*pbn) < flash.geometry().pages_per_block;
        let fewest_valid = |pbn: &Pbn| flash.valid_in(*pbn);
        let few = unless_bug!(PoolMapHasNoPrecedence, self.spread, 0);
        if self.free.len() <= few {
            let blocks = self.translation_blocks.iter().copied().map(Pbn);
            let translation = blocks.filter(wasteful).min_by_key(fewest_valid);
            if translation.is_some() {
                return translation;
            }
        }
        if self.victims_of_run <= self.region.len() as u64 {
            return None;
        }
        self.most_wasteful(flash)
    }

    /// The closed block with the fewest valid pages, unless all its pages are valid.
    fn most_wasteful(&self, flash: &impl Media) -> Option<Pbn> {
        let closed = self.blocks.iter().enumerate().filter(|(_, b)| b.state == State::Closed);
        closed
            .map(|(slot, _)| self.block_in(Pbn(slot as u32)))
            .filter(|pbn| flash.valid_in(*pbn) < flash.geometry().pages_per_block)
            .min_by_key(|pbn| flash.valid_in(*pbn))
    }

    /// Reads the OOB of every programmed page of a victim, as `FlashSim` does.
    fn scan(&self, pbn: Pbn, flash: &mut impl Media) {
        let cause = self.blocks[self.slot(pbn).index()].class.gc_cause();
        let first = flash.geometry().first_page(pbn).0;
        for ppn in (first..first + flash.geometry().pages_per_block).map(Ppn) {
            if flash.is_programmed(ppn) && !flash.is_skipped(ppn) {
                flash.read_oob(ppn, cause);
            }
        }
    }

    /// Erases a collected block and makes it free.
    pub fn release(&mut self, pbn: Pbn, flash: &mut impl Media) {
        let slot = self.slot(pbn);
        let info = &mut self.blocks[slot.index()];
        debug_assert_eq!(info.state, State::Collected);
        let cause = info.class.gc_cause();
        let kind = match info.class {
            Class::MAP => BlockKind::Translation,
            _ => self.data_kind,
        };
        info.state = State::Free;
        if let Some(volume) = &mut self.volume {
            unless_bug!(VolumeEraseUncounted, volume.erased(flash.geometry().pages_per_block));
        }
        flash.erase(pbn, kind, cause);
        self.free.give(pbn, flash);
    }

    /// Takes over the blocks as found after power was lost, with their valid pages. A block without
    /// valid pages is erased. If it already looks erased, it is erased before its use, as its last
    /// erase may have been cut. Blocks with erased pages are filled further, as many as there are
    /// frontiers. Their class is that of translation pages if `holds_map` returns true, otherwise
    /// one of the `classes` of user pages.
    pub fn recover(
        &mut self,
        classes: &[Class],
        holds_map: impl Fn(Pbn) -> bool,
        flash: &mut impl Media,
    ) {
        self.free = FreeBlocks::none();
        self.frontiers = [None; FRONTIERS];
        if let Some(volume) = &mut self.volume {
            volume.forget_order();
        }
        for pbn in self.region.clone().map(Pbn) {
            let slot = self.slot(pbn);
            if self.blocks[slot.index()].state == State::Lent {
                continue;
            }
            if flash.valid_in(pbn) == 0 {
                self.blocks[slot.index()].state = State::Free;
                self.free.give_if_empty(pbn, self.data_kind, Cause::GcData, flash);
                continue;
            }
            let holds_map = holds_map(pbn) && !self.shares_blocks;
            let classes = if holds_map { &[Class::MAP][..] } else { classes };
            let rest = rest_of(pbn, flash);
            let fits = |class: &&Class| {
                !rest.is_empty() && self.frontiers[self.frontier_of(**class)].is_none()
            };
            let class = *classes.iter().find(fits).unwrap_or(&classes[0]);
            let index = self.frontier_of(class);
            let state = if self.frontiers[index].is_none() && !rest.is_empty() {
                self.frontiers[index] = Some(Frontier { next: rest.start, end: rest.end, pbn });
                State::Open
            } else {
                self.closed(slot, class, flash.valid_in(pbn), flash);
                if class == Class::MAP {
                    self.translation_blocks.insert(pbn.0);
                }
                State::Closed
            };
            self.blocks[slot.index()] = BlockInfo { state, class };
        }
        self.recover_volume(flash);
    }

    /// Recomputes the states of all blocks from the flash.
    ///
    /// # Panics
    /// When a free block is not erased, or the counts do not add up.
    pub fn audit(&self, device: &Device) {
        self.audit_while(None, device);
    }

    /// The same while a block may be collected.
    ///
    /// # Panics
    /// As [`BlockPool::audit`].
    pub fn audit_while(&self, collecting: Option<Pbn>, device: &Device) {
        self.audit_by(collecting, |pbn| device.is_erased(pbn));
    }

    /// The same for blocks of which `is_erased` returns whether they are erased.
    pub(super) fn audit_by(&self, collecting: Option<Pbn>, is_erased: impl Fn(Pbn) -> bool) {
        let (mut free, mut lent) = (0, 0);
        for pbn in self.region.clone().map(Pbn) {
            match self.blocks[self.slot(pbn).index()].state {
                State::Free => {
                    free += 1;
                    assert!(is_erased(pbn), "free block {pbn} is not erased");
                }
                State::Open => {
                    let open = self.frontiers.iter().flatten().any(|f| f.pbn == pbn);
                    assert!(open, "block {pbn} is open but no frontier");
                }
                State::Lent => lent += 1,
                State::Closed => assert!(!is_erased(pbn), "closed block {pbn} is erased"),
                State::Collected => {
                    assert_eq!(collecting, Some(pbn), "{pbn} was collected but not released");
                }
            }
        }
        assert_eq!((free, lent), (self.free.len(), self.lent), "free and lent blocks");
    }
}

/// The class of a block that is opened at a frontier for a page of a class.
const fn class_of(index: usize, class: Class) -> Class {
    if index == Class::HOST.index() { Class::HOST } else { class }
}

/// The frontier for each class.
fn frontiers(copies: Copies, rules: MapRules) -> [u8; FRONTIERS] {
    let mut frontiers = std::array::from_fn(|class| class as u8);
    if copies == Copies::Shared {
        frontiers[Class::MOVED.index()] = frontiers[Class::HOST.index()];
    }
    if rules.shares_blocks {
        frontiers[Class::MAP.index()] = frontiers[Class::HOST.index()];
    }
    frontiers
}

/// The pages of a block behind the last that is programmed.
fn rest_of(pbn: Pbn, flash: &impl Media) -> Range<u32> {
    let first = flash.geometry().first_page(pbn).0;
    let end = first + flash.pages_of(pbn);
    let last = (first..end).rev().find(|page| flash.is_programmed(Ppn(*page)));
    last.map_or(first, |last| last + 1)..end
}
