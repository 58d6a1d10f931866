//! The blocks of a page-mapped device, plane by plane: the places of pages, and the victims of GC.
//!
//! With `ftl.placement = single` there is one [`BlockPool`] over all planes. Otherwise each plane
//! has its own, and a page that GC moves remains in its plane. Translation pages are spread by
//! VTPN.
//!
//! **Blocks of the map.** By default translation pages have their own open blocks, and GC writes
//! the translation pages of moved pages in any plane. Under other [`MapRules`] they share the
//! blocks of user pages, or GC holds their changes in RAM. GC of a plane then writes only to that
//! plane.
//!
//! **Reserve of a plane.** A plane holds at most as many valid pages as leave GC something to
//! collect. GC of a plane may rewrite translation pages of any other plane, which may thereby open
//! one block. Where there is a map on flash, each plane therefore keeps three free blocks in
//! reserve. A plane loses two of them to translation pages only if a block's worth of these is
//! superseded. Such blocks are then collected first, which touches no other plane
//! (choices.md#dloop-reserve). GC that writes only to its own plane needs one.
//!
//! **Copy-back** (DLOOP III.A and C) keeps the parity of a page's number. If the next free page has
//! the wrong parity, `greedy` takes another page of the victim that fits (figure 5a). Without one,
//! the free page is wasted (5b). `in-order` takes the pages in their order. A victim never wastes
//! as many pages as it frees: the remaining pages go through the controller. GC thus always
//! reclaims space (the paper calls the case rare; choices.md#dloop-parity).

#![allow(clippy::inline_always)] // part of every page

use super::Placing;
use super::allocation::{BuildPlacement, Chooser, Place};
use super::block_pool::{BlockPool, Classes, GcCounts, GcMetrics, MapRules};
use super::region::Region;
use super::survey::Page;
use crate::cache::block_set::BlockSets;
use crate::error::Error;
use crate::flash::{Cause, Device, Geometry, Media, Owner, Parity, ValidPages};
use crate::gc::{Copies, CopyBack, GREEDY, Gc, GcStart, Placed};
use crate::placement::Class;
use crate::placement::separation::{self, BuildSeparation, ClassPages, Layout, Left, Separator};
use crate::request::Meta;
use crate::units::{Lpn, Pbn, Ppn, Vtpn};
use std::collections::{BTreeMap, BTreeSet};

/// Free blocks of a plane to which GC of another plane may write translation pages.
const RESERVE_OF_A_PLANE: u32 = 3;

/// Planes whose next translation page needs a block that only GC can free.
const SHORT: usize = 0;
/// Planes at their last free block.
const LAST: usize = 1;

/// Block pools, and the rule that chooses one for each page.
#[derive(Clone, Debug)]
pub struct Planes {
    pools: Vec<BlockPool>,
    chooser: Chooser,
    /// [`SHORT`] and [`LAST`], where there are several pools and a map on flash.
    watched: Option<BlockSets>,
    rules: MapRules,
    copy_back: CopyBack,
    /// Whether the policy uses the pages of each block.
    tells_pages: bool,
    /// The pages that were moved out of the last victim.
    moved: Vec<(Owner, Ppn)>,
}

/// A block under collection.
#[derive(Debug)]
pub struct Victim {
    pbn: Pbn,
    plane: u32,
    /// The class of its content.
    from: Class,
    /// The class for its pages, unless they are separated.
    to: Class,
    /// The pages to move: even and odd numbers separately for `greedy`, otherwise all in the first.
    pages: [ValidPages; 2],
    /// Pages that may still be wasted for it.
    wasteable: u32,
}

impl Victim {
    /// The page to move next. For `greedy` it has the parity of the next free page, if possible.
    fn next_for_copy_back(
        &mut self,
        order: CopyBack,
        pool: &BlockPool,
        flash: &impl Media,
    ) -> Option<Ppn> {
        let fitting = match order {
            CopyBack::Greedy => pool.next_parity(self.to, flash) as usize,
            CopyBack::Off | CopyBack::InOrder => 0,
        };
        let page = self.pages[fitting].next_of(flash.valid_bits());
        page.or_else(|| {
            (order == CopyBack::Greedy)
                .then(|| self.pages[1 - fitting].next_of(flash.valid_bits()))?
        })
    }

    /// Wastes free pages until the next has the parity of `from`; false if too few may be wasted.
    fn waste_until_parity_fits(
        &mut self,
        from: Ppn,
        pool: &mut BlockPool,
        flash: &mut impl Media,
    ) -> bool {
        let parity = flash.geometry().parity_of(from);
        while pool.next_parity(self.to, flash) != parity {
            unless_bug!(PlanesBreakParity, {}, return true);
            if self.wasteable == 0 {
                return false;
            }
            self.wasteable -= 1;
            flash.waste(pool.next_page(self.to, flash));
        }
        true
    }
}

impl Planes {
    /// All blocks free, placed as configured. A GC step may open up to `reserve` blocks of a plane.
    /// Blocks for `translation_pages` are kept in addition to those for the logical pages.
    ///
    /// # Errors
    /// [`Error::Config`] when there are too few blocks for GC to make room for ever.
    pub fn new(
        placing: &Placing<'_>,
        flash: &mut impl Media,
        reserve: u32,
        translation_pages: u32,
    ) -> Result<Self, Error> {
        Self::with_map(placing, flash, reserve, translation_pages, MapRules::default())
    }

    /// The same for an FTL with its map in RAM that calls [`clean`](Self::clean) after each request
    /// that writes. GC starts by `gc.start`.
    ///
    /// # Errors
    /// As [`Planes::new`], and when `gc.start` does not go with other settings.
    pub fn of_page_map(placing: &Placing<'_>, flash: &mut impl Media) -> Result<Self, Error> {
        let start = placing.gc.start;
        if start == GcStart::FreeBlocks {
            return Self::new(placing, flash, 1, 0);
        }
        if !matches!(placing.allocation, BuildPlacement::Single) {
            let message = format!(
                "found {} with blocks in each plane, expected free-blocks, or ftl.placement = single",
                start.name()
            );
            return Err(Error::config("gc.start", message));
        }
        if placing.gc.copy_back() != CopyBack::Off {
            let message = format!("found copy-back with gc.start = {}, expected off", start.name());
            return Err(Error::config("gc.copy_back", message));
        }
        let mut small = placing.clone();
        if start == GcStart::EachPage {
            // GC continues while there is garbage: the reserve is as large as possible.
            (small.gc.low, small.gc.high) = (1, 2);
        }
        let mut planes = Self::new(&small, flash, 1, 0)?;
        let geometry = flash.geometry();
        let classes = planes.classes_from_the_start(placing);
        let pool = planes.pools.remove(0);
        let gc = placing.gc.clone().telling(Some(geometry.logical_pages));
        let pool = match start {
            GcStart::EachPage => pool.with_reserve(&gc, geometry, &classes)?,
            _ => pool.as_volume(&gc, geometry, geometry.logical_pages, &classes)?,
        };
        planes.pools.push(pool);
        Ok(planes)
    }

    /// The classes that have a block before their first page is written, where blocks are opened
    /// ahead.
    fn classes_from_the_start(&mut self, placing: &Placing<'_>) -> Vec<Class> {
        let is_volume = placing.gc.start == GcStart::Garbage;
        match self.chooser.separator() {
            Some(separator) => {
                if is_volume {
                    separator.use_in_volume();
                }
                let ahead = if is_volume { separator.classes() } else { separator.ahead() };
                (0..ahead).map(Class::user).collect()
            }
            None if placing.copies() == Copies::Own => vec![Class::HOST, Class::MOVED],
            None => vec![Class::HOST],
        }
    }

    /// The same with other rules for translation pages.
    ///
    /// # Errors
    /// As [`Planes::new`].
    pub fn with_map(
        placing: &Placing<'_>,
        flash: &mut impl Media,
        reserve: u32,
        translation_pages: u32,
        rules: MapRules,
    ) -> Result<Self, Error> {
        let separation = Sharing::of(placing, flash, rules)?;
        let geometry = flash.geometry();
        let build = placing.allocation;
        let tells = translation_pages == 0 && matches!(build, BuildPlacement::Single);
        let mut gc = placing.gc.clone().telling(tells.then_some(geometry.logical_pages));
        gc.copies = separation.copies;
        let gc = &gc;
        if let BuildPlacement::Single = build {
            let whole = Region::whole(geometry, translation_pages);
            return Self::in_region_with(gc, geometry, reserve, &whole, rules, separation);
        }
        if !geometry.numbers_along_planes() {
            let message = "found across-planes, expected along-planes: ftl.placement is not single";
            return Err(Error::config("device.block_numbers", message));
        }
        let planes = geometry.planes();
        let has_map = translation_pages > 0;
        let crosses_planes = has_map && planes > 1 && !rules.is_held_in_gc;
        let reserve = if crosses_planes { RESERVE_OF_A_PLANE } else { reserve };
        // Where pages may go to any plane, one that is full of valid pages is skipped. One page
        // more than all logical ones then fits.
        let most_data = match build {
            BuildPlacement::Single | BuildPlacement::Striped => {
                geometry.logical_pages.div_ceil(planes)
            }
            BuildPlacement::Free(_) => geometry.logical_pages / planes + 2,
        };
        let most_map = translation_pages.div_ceil(planes);
        let pools = (0..planes).map(|plane| {
            let first = plane * geometry.blocks_per_plane;
            let blocks = first..first + geometry.blocks_per_plane;
            let pages = 0..most_data;
            let part = Region { blocks, pages, translation_pages: 0..most_map, directory: 0..0 };
            separation.pool(gc, geometry, reserve, &part, rules)
        });
        let pools = pools.collect::<Result<Vec<BlockPool>, Error>>()?;
        let most_valid = pools[0].most_data_pages(geometry, most_map) + translation_pages / planes;
        let chooser = Chooser::new(build, placing.settings, placing.order, geometry, most_valid);
        if chooser.watches_planes() {
            flash.watch_planes();
        }
        Ok(Planes {
            chooser: separation.over(chooser),
            watched: (has_map && planes > 1).then(|| BlockSets::new(2, planes)),
            rules,
            copy_back: gc.copy_back(),
            tells_pages: false,
            moved: Vec::new(),
            pools,
        })
    }

    /// One pool with the blocks of a region, for its pages and its map, whatever the planes.
    ///
    /// # Errors
    /// As [`Planes::new`].
    pub fn in_region(
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        region: &Region,
    ) -> Result<Self, Error> {
        let together = Sharing { copies: gc.copies, separator: None };
        Self::in_region_with(gc, geometry, reserve, region, MapRules::default(), together)
    }

    fn in_region_with(
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        region: &Region,
        rules: MapRules,
        separation: Sharing,
    ) -> Result<Self, Error> {
        if gc.copy_back() != CopyBack::Off && geometry.planes() > 1 {
            let message = "found copy-back with ftl.placement = single, expected off, or a placement \
                           that keeps pages in their planes";
            unless_bug!(PlanesCopyBackAcross, return Err(Error::config("gc.copy_back", message)));
        }
        let mut pool = separation.pool(gc, geometry, reserve, region, rules)?;
        Ok(Planes {
            tells_pages: pool.watching().is_some(),
            pools: vec![pool],
            chooser: separation.over(Chooser::single()),
            watched: None,
            rules,
            copy_back: gc.copy_back(),
            moved: Vec::new(),
        })
    }

    /// GC since measuring started.
    #[must_use]
    pub fn metrics(&self) -> GcMetrics {
        let all = self.pools.iter().map(|pool| pool.metrics());
        let counts = all.map(|gc| gc.counts).fold(GcCounts::default(), GcCounts::plus);
        GcMetrics { counts, ..self.pools[0].metrics() }
    }

    /// Metrics of the separation since measuring started.
    #[must_use]
    pub fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        self.chooser.separation().map(Separator::counts).unwrap_or_default()
    }

    /// Blocks of a pool that may be open at the same time for user pages.
    #[must_use]
    pub fn frontiers(&self) -> u32 {
        let separated = self.chooser.separation().map(|it| u32::from(it.classes()));
        separated.unwrap_or_else(|| self.pools[0].frontiers())
    }

    /// Whether a block is open.
    #[must_use]
    pub fn is_open(&self, pbn: Pbn) -> bool {
        self.pools.iter().any(|pool| pool.is_open(pbn))
    }

    /// The classes of the separation, if pages are separated.
    #[must_use]
    pub fn classes(&self) -> Option<separation::Classes> {
        let room = |class| self.pools.iter().map(|pool| u64::from(pool.room(class))).sum();
        let units = |class| self.pools.iter().map(|pool| pool.blocks_of(class)).sum();
        self.chooser.separation().map(|separator| separator.by_class(room, units))
    }

    /// Pages by class so far; none without classes.
    #[must_use]
    pub fn class_pages(&self) -> ClassPages {
        self.chooser.separation().map(Separator::pages).unwrap_or_default()
    }

    /// The number of the class of a block, where pages are separated and it holds user pages.
    #[must_use]
    pub fn class_of(&self, pbn: Pbn) -> Option<u8> {
        self.chooser.separation()?;
        let mut pools = self.pools.iter();
        pools.find_map(|pool| pool.class_in_use(pbn)).and_then(Class::number)
    }

    /// Resets the counts.
    pub fn reset_counts(&mut self) {
        self.pools.iter_mut().for_each(BlockPool::reset_counts);
        if let Some(separator) = self.chooser.separator() {
            separator.reset_counts();
        }
    }

    /// Bytes of the pointers to the current block and page of each plane (DLOOP III.B), if each
    /// plane has its own, and of the separation.
    #[must_use]
    pub fn ram_bytes(&self) -> u64 {
        let pointers = if self.pools.len() == 1 { 0 } else { 8 * self.pools.len() as u64 };
        pointers + self.separation_bytes()
    }

    /// Bytes of RAM of the separation.
    #[must_use]
    pub fn separation_bytes(&self) -> u64 {
        self.chooser.separation().map_or(0, Separator::ram)
    }

    /// The place for a page of the host.
    #[inline(always)]
    pub fn place(&mut self, lpn: Lpn, meta: Meta, flash: &impl Media) -> Place {
        self.chooser.place(lpn, meta, flash)
    }

    /// Whether a place needs a block and its plane has too few left.
    #[inline]
    #[must_use]
    pub fn must_collect(&self, place: Place) -> bool {
        self.pools[place.plane as usize].must_collect(place.class)
    }

    /// A plane that must be collected before the next translation page is written, whichever page
    /// that is.
    #[inline]
    #[must_use]
    pub fn short_of_room_for_the_map(&self) -> Option<u32> {
        match &self.watched {
            Some(watched) => {
                let plane = watched.lowest(SHORT);
                debug_assert!(
                    plane
                        .is_none_or(|it| self.must_collect(Place { plane: it, class: Class::MAP }))
                );
                plane
            }
            None => self.pools[0].must_collect(Class::MAP).then_some(0),
        }
    }

    /// Whether the mappings of pages that GC moves wait in RAM.
    #[inline]
    #[must_use]
    pub const fn holds_map_updates(&self) -> bool {
        self.rules.is_held_in_gc
    }

    /// Whether a plane can take a translation page without GC.
    #[inline]
    #[must_use]
    pub fn has_room_for_the_map(&self) -> bool {
        self.pools.iter().any(|pool| !pool.must_collect(Class::MAP))
    }

    /// Whether the plane of a translation page can take it without GC.
    #[must_use]
    pub fn has_room_for_map_page(&self, vtpn: Vtpn) -> bool {
        !self.must_collect(Place { plane: self.chooser.home(vtpn), class: Class::MAP })
    }

    /// The next free page of a place, for a page of the host.
    #[inline(always)]
    pub fn next_page(&mut self, place: Place, lpn: Lpn, flash: &impl Media) -> Ppn {
        let page = self.pools[place.plane as usize].next_page(place.class, flash);
        self.chooser.gained_of_host(place, lpn, page, flash);
        self.watch(place.plane);
        if self.tells_pages {
            self.tell_placed(lpn, page, true, flash);
        }
        page
    }

    /// Informs the policy of the place of a page.
    #[inline(never)]
    fn tell_placed(&mut self, lpn: Lpn, page: Ppn, is_written: bool, flash: &impl Media) {
        let pbn = flash.geometry().block_of(page);
        self.pools[0].tell_placed(Placed { lpn, pbn, is_written }, flash);
    }

    /// The next free page for a translation page, in its plane.
    #[inline]
    pub fn next_map_page(&mut self, vtpn: Vtpn, flash: &impl Media) -> Ppn {
        let plane = self.chooser.home(vtpn);
        let page = self.pools[plane as usize].next_page(Class::MAP, flash);
        self.chooser.gained(plane);
        self.watch(plane);
        page
    }

    /// The host trimmed a page: it holds no data.
    #[inline]
    pub fn trimmed(&mut self, lpn: Lpn) {
        if let Some(separator) = self.chooser.separator() {
            separator.trimmed(lpn);
        }
        if let Some(policy) = self.pools[0].watching() {
            policy.trimmed(lpn);
        }
    }

    /// The host moves its handle to a new unit: the unit that it fills, in each plane, is closed as it is. Returns these.
    pub fn update_handle(&mut self, meta: Meta, flash: &impl Media) -> Vec<Pbn> {
        let Some(separator) = self.chooser.separator() else { return Vec::new() };
        let Some(class) = separator.updated(meta, flash.flash().host_time()) else {
            return Vec::new();
        };
        let mut closed = Vec::new();
        for pool in &mut self.pools {
            if let Some((pbn, unwritten)) = pool.leave(Class::user(class), flash) {
                separator.left(pbn, Left { class, unwritten }, flash.geometry());
                closed.push(pbn);
            }
        }
        (0..self.pools.len() as u32).for_each(|plane| self.watch(plane));
        closed
    }

    /// Whether the host has left units before they were full.
    #[must_use]
    pub fn leaves_units(&self) -> bool {
        self.pools.iter().any(BlockPool::leaves_units)
    }

    /// Marks a page as superseded.
    #[inline(always)]
    pub fn invalidate(&mut self, ppn: Ppn, flash: &mut impl Media) {
        let pbn = flash.invalidate(ppn);
        let plane = if self.pools.len() == 1 { 0 } else { flash.geometry().plane_of(pbn) };
        self.pools[plane as usize].lost_page(pbn, flash);
        self.chooser.lost(plane);
    }

    /// The same for a page that may be absent.
    #[inline]
    pub fn supersede(&mut self, old: Option<Ppn>, flash: &mut impl Media) {
        if let Some(old) = old {
            self.invalidate(old, flash);
        }
    }

    /// The free page for a page of the host, of an FTL with its map in RAM. GC reclaims space
    /// before, and reports the new place of each logical page to `moved`.
    #[inline]
    pub fn host_page(
        &mut self,
        lpn: Lpn,
        meta: Meta,
        flash: &mut impl Media,
        moved: impl FnMut(Lpn, Ppn),
    ) -> Ppn {
        let place = self.place(lpn, meta, flash);
        if self.must_collect(place) {
            self.make_room(place, flash, moved);
        }
        self.next_page(place, lpn, flash)
    }

    #[inline(never)]
    fn make_room(&mut self, place: Place, flash: &mut impl Media, mut moved: impl FnMut(Lpn, Ppn)) {
        self.start_gc(place.plane);
        while !self.collected_enough(place) {
            self.collect(place.plane, flash, &mut moved);
        }
    }

    /// After a request that writes: collects blocks if GC starts by garbage, and there is too much.
    /// It reports the new place of each logical page to `moved`.
    #[inline]
    pub fn clean(&mut self, flash: &mut impl Media, moved: impl FnMut(Lpn, Ppn)) {
        if self.pools[0].has_too_much_garbage() {
            self.clean_volume(flash, moved);
        }
    }

    /// After each page that the host wrote: collects a block if GC runs in the background, and it
    /// is worth it.
    #[inline]
    pub fn background_gc(&mut self, flash: &mut impl Media, moved: impl FnMut(Lpn, Ppn)) {
        if self.pools[0].wants_background_gc() {
            self.run_background_gc(flash, moved);
        }
    }

    #[inline(never)]
    fn run_background_gc(&mut self, flash: &mut impl Media, moved: impl FnMut(Lpn, Ppn)) {
        if let Some((pbn, class)) = self.pools[0].take_background_victim(flash) {
            self.tell_collected(pbn, class, flash);
            self.empty(self.victim(pbn, 0, class, flash), flash, moved);
        }
    }

    #[inline(never)]
    fn clean_volume(&mut self, flash: &mut impl Media, mut moved: impl FnMut(Lpn, Ppn)) {
        for (pbn, class) in self.pools[0].take_victims(flash) {
            self.tell_collected(pbn, class, flash);
            self.empty(self.victim(pbn, 0, class, flash), flash, &mut moved);
        }
        // The next victim will need a block for each of its classes, whenever it is collected.
        if self.pools[0].is_short() {
            self.start_gc(0);
            while self.pools[0].is_short() {
                self.collect(0, flash, &mut moved);
            }
        }
    }

    /// Collects the next block of a plane; reports the new place of each logical page to `moved`.
    pub fn collect(&mut self, plane: u32, flash: &mut impl Media, moved: impl FnMut(Lpn, Ppn)) {
        let victim = self.take_victim(plane, flash);
        self.empty(victim, flash, moved);
    }

    /// Moves the pages of a victim, and erases it.
    fn empty(
        &mut self,
        mut victim: Victim,
        flash: &mut impl Media,
        mut moved: impl FnMut(Lpn, Ppn),
    ) {
        let pages = self.move_pages(&mut victim, flash).len();
        for number in 0..pages {
            let (owner, to) = self.moved(number);
            if let Owner::Data(lpn) = owner {
                moved(lpn, to);
                if self.tells_pages {
                    self.tell_placed(lpn, to, false, flash);
                }
            }
        }
        self.release(&victim, flash);
    }

    /// Notes the start of a GC run of a plane.
    pub fn start_gc(&mut self, plane: u32) {
        self.pools[plane as usize].start_gc();
    }

    /// Whether a GC run that was started for a place may end.
    #[must_use]
    pub fn collected_enough(&self, place: Place) -> bool {
        self.pools[place.plane as usize].collected_enough(place.class)
    }

    /// Whether the number of free blocks of a plane is that of the end of a batch.
    #[must_use]
    pub fn is_replenished(&self, plane: u32) -> bool {
        self.pools[plane as usize].is_replenished()
    }

    /// Whether `blocks` blocks of a plane may be opened before GC must run.
    #[must_use]
    pub fn can_spare(&self, plane: u32, blocks: u32) -> bool {
        self.pools[plane as usize].can_spare(blocks)
    }

    /// Takes a free block of a plane to be filled with user pages at once, in addition to the
    /// frontiers.
    pub fn take_block(&mut self, plane: u32) -> Pbn {
        let pbn = self.pools[plane as usize].take_block();
        self.watch(plane);
        pbn
    }

    /// A block that was taken is full, and becomes a candidate for GC.
    pub fn close_block(&mut self, plane: u32, pbn: Pbn, flash: &impl Media) {
        self.pools[plane as usize].close_block(pbn, flash);
    }

    /// Takes over the blocks as found after power was lost, with these pages, which become valid.
    pub fn recover(&mut self, pages: &[Page], flash: &mut impl Media) {
        let mut of_map = BTreeSet::new();
        for page in pages {
            flash.revive(page.ppn);
            let pbn = flash.geometry().block_of(page.ppn);
            self.chooser.gained(flash.geometry().plane_of(pbn));
            if let Owner::Translation(_) = page.owner {
                of_map.insert(pbn);
            }
        }
        let user = match self.chooser.separator() {
            // The class of a block that was found is unknown: it counts as the last class.
            Some(separator) => {
                separator.recover(pages.iter().filter_map(|page| match page.owner {
                    Owner::Data(lpn) => Some((lpn, page.sequence)),
                    Owner::Translation(_) => None,
                }));
                (0..separator.classes()).rev().map(Class::user).collect()
            }
            None => vec![Class::HOST, Class::MOVED],
        };
        for plane in 0..self.pools.len() as u32 {
            self.pools[plane as usize].recover(&user, |pbn| of_map.contains(&pbn), flash);
            self.watch(plane);
        }
        self.tell_found(pages, flash);
    }

    /// Informs policy and separation of the pages that were found, and of the class of each block.
    fn tell_found(&mut self, pages: &[Page], flash: &impl Media) {
        for page in pages.iter().filter(|_| self.tells_pages) {
            if let Owner::Data(lpn) = page.owner {
                let pbn = flash.geometry().block_of(page.ppn);
                self.pools[0].tell_placed(Placed { lpn, pbn, is_written: true }, flash);
            }
        }
        let single = self.pools.len() == 1;
        let Some(separator) = self.chooser.separator() else { return };
        for page in pages {
            let pbn = flash.geometry().block_of(page.ppn);
            let plane = if single { 0 } else { flash.geometry().plane_of(pbn) };
            let class = self.pools[plane as usize].class_of(pbn);
            if let (Owner::Data(lpn), Some(class)) = (page.owner, class.number()) {
                separator.found(lpn, pbn, class, flash);
            }
        }
        for (pbn, class) in self.pools.iter().flat_map(BlockPool::closed_blocks) {
            separator.found_full(pbn, class);
        }
    }

    /// Takes the next block to collect, of this plane or of one at its last free block.
    pub fn take_victim(&mut self, plane: u32, flash: &mut impl Media) -> Victim {
        let watched = self.watched.as_ref().filter(|_| !self.rules.is_held_in_gc);
        let last = watched.and_then(|watched| watched.lowest(LAST));
        let plane = last.unwrap_or(plane);
        let named = self.chooser.separator().and_then(Separator::victim);
        let (pbn, class) = self.pools[plane as usize].take_victim_or(named, flash);
        self.tell_collected(pbn, class, flash);
        self.victim(pbn, plane, class, flash)
    }

    /// Informs the separation of a block that is about to be collected.
    fn tell_collected(&mut self, pbn: Pbn, class: Class, flash: &impl Media) {
        if let (Some(separator), Some(number)) = (self.chooser.separator(), class.number()) {
            let valid = flash.valid_in(pbn);
            unless_bug!(PlanesCollectUntold, separator.collected(number, pbn, valid));
        }
    }

    /// A block of a plane with content of a class, as the next victim.
    pub fn victim(&self, pbn: Pbn, plane: u32, class: Class, flash: &impl Media) -> Victim {
        let all = flash.valid_pages(pbn);
        let pages = match self.copy_back {
            CopyBack::Off | CopyBack::InOrder => [all, all],
            CopyBack::Greedy => [Parity::Even, Parity::Odd].map(|parity| all.only(parity)),
        };
        let gain = flash.geometry().pages_per_block - flash.valid_in(pbn);
        let to = if class == Class::MAP { class } else { Class::MOVED };
        Victim { pbn, plane, from: class, to, pages, wasteable: gain.saturating_sub(1) }
    }

    /// Moves the valid pages of a victim. Returns the owner and the new place of each page, in the
    /// order of the moves.
    pub fn move_pages(&mut self, victim: &mut Victim, flash: &mut impl Media) -> &[(Owner, Ppn)] {
        self.moved.clear();
        let Victim { pbn, plane, from, to: class, .. } = *victim;
        if let Some(number) = from.number() {
            self.move_apart(victim, number, flash);
            return &self.moved;
        }
        let pool = &mut self.pools[plane as usize];
        let cause = class.gc_cause();
        let copies_back = self.copy_back != CopyBack::Off;
        let mut map_pages = 0;
        while flash.valid_in(pbn) > 0 {
            if !copies_back && !self.rules.shares_blocks {
                let (to, pages) = pool.next_pages(class, flash.valid_in(pbn), flash);
                flash.relocate_run(&mut victim.pages[0], to, pages, cause, &mut self.moved);
                continue;
            }
            let from = victim.next_for_copy_back(self.copy_back, pool, flash);
            let from = from.expect("a valid page that was not moved");
            let copy_back = copies_back && victim.waste_until_parity_fits(from, pool, flash);
            let to = pool.next_page(class, flash);
            let is_of_map = self.rules.shares_blocks && flash.is_of_map(from);
            let cause = if is_of_map { Cause::GcTranslation } else { cause };
            map_pages += u64::from(is_of_map);
            let owner = match copy_back {
                true => flash.move_back(from, to, cause),
                false => flash.relocate(from, to, cause),
            };
            self.moved.push((owner, to));
        }
        pool.tell_map_pages(map_pages);
        self.watch(plane);
        &self.moved
    }

    /// Moves the valid pages of a victim of a class, each to the frontier of its own new class.
    fn move_apart(&mut self, victim: &mut Victim, number: u8, flash: &mut impl Media) {
        let (pbn, plane) = (victim.pbn, victim.plane);
        let cause = unless_bug!(SeparatorMovesAsMap, Cause::GcData, Cause::Translation);
        let copies_back = self.copy_back != CopyBack::Off;
        let mut pages = flash.valid_pages(pbn);
        if let Some(separator) = self.chooser.separator() {
            separator.look_ahead(flash.coming(pages));
        }
        while let Some(from) = pages.next_of(flash.valid_bits()) {
            let pool = &mut self.pools[plane as usize];
            let separator = self.chooser.separator().expect("classes are those of a separation");
            // The OOB identifies the page. With copy-back it is read before, otherwise together
            // with the page.
            let read = if copies_back {
                Err(flash.read_oob(from, cause))
            } else {
                Ok(flash.load(from, cause))
            };
            let owner =
                read.as_ref().map_or_else(|owner| *owner, |page| flash.flash().owner_of(page));
            let Owner::Data(lpn) = owner else { panic!("the map has blocks of its own") };
            let class = separator.of_move(lpn, number);
            victim.to = Class::user(class);
            let (open, had_room) = (pool.open_block(victim.to), pool.has_room(victim.to));
            let copy_back = copies_back && victim.waste_until_parity_fits(from, pool, flash);
            let to = pool.next_page(victim.to, flash);
            let opens = open != Some(flash.geometry().block_of(to));
            if opens
                && had_room
                && let Some(wasted) = open
            {
                // The rest of the earlier block was wasted.
                separator.wasted(wasted, class, flash.geometry());
            }
            separator.moved(lpn, class, to, opens, flash.geometry());
            match read {
                Ok(page) => {
                    flash.store(to, page, cause);
                    flash.invalidate(from);
                }
                Err(_) if copy_back => {
                    flash.move_back(from, to, cause);
                }
                Err(_) => {
                    flash.relocate(from, to, cause);
                }
            }
            self.moved.push((owner, to));
        }
        self.watch(plane);
    }

    /// One of the pages that were moved out of the last victim: its owner and its new place.
    #[inline]
    #[must_use]
    pub fn moved(&self, number: usize) -> (Owner, Ppn) {
        self.moved[number]
    }

    /// Erases a victim whose pages were moved and makes it free.
    pub fn release(&mut self, victim: &Victim, flash: &mut impl Media) {
        self.pools[victim.plane as usize].release(victim.pbn, flash);
        self.watch(victim.plane);
    }

    /// Notes whether a plane has become short of blocks, or is no longer.
    #[inline]
    fn watch(&mut self, plane: u32) {
        if self.watched.is_some() {
            self.watch_closely(plane);
        }
    }

    #[inline(never)]
    fn watch_closely(&mut self, plane: u32) {
        let Some(watched) = &mut self.watched else { return };
        let pool = &self.pools[plane as usize];
        for (set, is_member) in
            [(SHORT, pool.must_collect(Class::MAP)), (LAST, pool.is_at_its_last())]
        {
            match is_member {
                true => watched.insert(set, plane),
                false => unless_bug!(PlanesStayListed, watched.remove(set, plane)),
            }
        }
    }

    /// Recomputes the state of every block from the flash, and the planes that are short of blocks.
    ///
    /// # Panics
    /// When something does not add up.
    pub fn audit(&self, device: &Device) {
        self.audit_by(|pbn| device.is_erased(pbn), |pbn| device.valid_in(pbn));
    }

    /// The same for blocks of which `is_erased` returns whether they are erased, and `valid_in` the
    /// number of valid pages.
    ///
    /// # Panics
    /// As [`Planes::audit`].
    pub fn audit_by(&self, is_erased: impl Fn(Pbn) -> bool, valid_in: impl Fn(Pbn) -> u32) {
        self.pools.iter().for_each(|pool| pool.audit_by(None, &is_erased));
        self.audit_named(is_erased, valid_in);
        let Some(watched) = &self.watched else { return };
        let lowest = |is: &dyn Fn(&BlockPool) -> bool| {
            self.pools.iter().position(is).map(|plane| plane as u32)
        };
        let short = lowest(&|pool| pool.must_collect(Class::MAP));
        assert_eq!(watched.lowest(SHORT), short, "planes short of room for the map");
        let last = lowest(&BlockPool::is_at_its_last);
        assert_eq!(watched.lowest(LAST), last, "planes at their last free block");
    }
}

impl Planes {
    /// Checks that a separation that names victims knows the full blocks and the valid pages in
    /// them.
    fn audit_named(&self, is_erased: impl Fn(Pbn) -> bool, valid_in: impl Fn(Pbn) -> u32) {
        let Some(separator) = self.chooser.separation().filter(|it| it.names_victims()) else {
            return;
        };
        let known: BTreeMap<Pbn, u32> = separator.full_blocks().into_iter().collect();
        for (pbn, valid) in &known {
            assert!(!is_erased(*pbn), "{pbn} may be named and is erased");
            assert_eq!(*valid, valid_in(*pbn), "valid pages of {pbn}, which may be named");
        }
        for (pbn, _) in self.pools.iter().flat_map(BlockPool::closed_blocks) {
            assert!(known.contains_key(&pbn), "{pbn} is closed and is never named");
        }
    }
}

/// The configured separation.
struct Sharing {
    copies: Copies,
    separator: Option<Separator>,
}

impl Sharing {
    /// # Errors
    /// [`Error::Config`] when the settings do not fit together.
    fn of(placing: &Placing<'_>, flash: &mut impl Media, rules: MapRules) -> Result<Self, Error> {
        let (copies, (separation, build)) = (placing.gc.copies, placing.separation);
        match build {
            BuildSeparation::Together | BuildSeparation::Copies => {
                Ok(Sharing { copies: placing.copies(), separator: None })
            }
            BuildSeparation::Classes(_) if copies == Copies::Own => {
                let message = format!(
                    "found own with ftl.separation = {separation}, expected shared: its classes say \
                     where copies go"
                );
                Err(Error::config("gc.copies", message))
            }
            BuildSeparation::Classes(_) if rules.shares_blocks => {
                let message = format!(
                    "found shared with ftl.separation = {separation}, expected own: no class is that \
                     of the map"
                );
                Err(Error::config("ftl.map_blocks", message))
            }
            BuildSeparation::Classes(build) => {
                let geometry = flash.geometry();
                let layout = Layout {
                    logical_pages: geometry.logical_pages,
                    pages_per_block: geometry.pages_per_block,
                    blocks: geometry.blocks(),
                    seed: placing.gc.seed(),
                };
                let scheme = build(&layout, placing.settings)?;
                if scheme.names_victims() {
                    expect_unnamed(placing, separation)?;
                }
                let future = scheme.asks_for_future().then(|| flash.ask_for_future());
                let separator = Separator::new(scheme, &layout, future)?;
                Ok(Sharing { copies, separator: Some(separator) })
            }
        }
    }

    /// The pool of a region, with a frontier for each class.
    fn pool(
        &self,
        gc: &Gc,
        geometry: &Geometry,
        reserve: u32,
        region: &Region,
        rules: MapRules,
    ) -> Result<BlockPool, Error> {
        let Some(separator) = &self.separator else {
            return BlockPool::with_map(gc, geometry, reserve, region, rules);
        };
        // Map updates fill the space of a victim before the frontiers that its pages have opened
        // are full, so the next victims may open all others. One more block is for write-backs of a
        // cache that grows in GC.
        let writes_map = region.map_pages() > 0 && !rules.is_held_in_gc;
        let all = u32::from(separator.classes());
        let spread = if writes_map { all + 1 } else { u32::from(separator.spread()) };
        let classes = Classes { all, spread };
        BlockPool::with_classes(gc, geometry, reserve, region, rules, classes)
    }

    fn over(self, chooser: Chooser) -> Chooser {
        match self.separator {
            Some(separator) => chooser.separated(separator),
            None => chooser,
        }
    }
}

/// Rejects settings that would also choose the block to collect, next to a separation that names
/// victims.
fn expect_unnamed(placing: &Placing<'_>, separation: &str) -> Result<(), Error> {
    let gc = &placing.gc;
    let is_single = matches!(placing.allocation, BuildPlacement::Single);
    let refusals = [
        (gc.policy != GREEDY, "gc.policy", format!("found {}", gc.policy), GREEDY),
        (
            gc.start != GcStart::FreeBlocks,
            "gc.start",
            format!("found {}", gc.start.name()),
            "free-blocks",
        ),
        (!is_single, "ftl.placement", "found blocks in each plane".to_owned(), "single"),
    ];
    match refusals.into_iter().find(|(is_wrong, ..)| *is_wrong) {
        None => Ok(()),
        Some((_, key, found, expected)) => {
            let message = format!(
                "{found} with ftl.separation = {separation}, expected {expected}: it names the blocks that \
                 are collected"
            );
            Err(Error::config(key, message))
        }
    }
}

#[cfg(test)]
mod tests;
