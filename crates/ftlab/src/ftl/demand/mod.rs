//! The DFTL family: the map is in translation pages on flash, and a cache in RAM holds the part in
//! use.
//!
//! One engine serves them all. It reads and writes user pages, collects garbage and updates the map
//! of moved pages in batches. A [`MappingCache`], one file each, decides which mappings are cached,
//! loaded and evicted.
//!
//! ```text
//! read    translate, read the page
//! write   translate, make room, program, update the cached entry, invalidate the old page
//! settle  at the end of a page access: evict, page by page, what has grown beyond the budget
//! GC      data block: copy valid pages; cached mappings change in RAM, the others in one
//!         read-modify-write for each translation page
//!         translation block: copy valid pages, change the GTD
//! ```
//!
//! choices.md#gc-moment defines when GC may run; choices.md#replacement-unit defines a replacement.

#[cfg(test)]
mod bench;
mod cdftl;
mod cftl;
mod dftl;
mod held;
mod image;
mod pooled;
mod recovery;
mod search;
mod sftl;
mod tpftl;
mod zftl;

pub use cdftl::{Cdftl, CdftlConfig};
pub use cftl::{Cftl, CftlConfig};
pub use dftl::{Dftl, DftlConfig, Replacement};
pub use image::Image;
pub use pooled::{Aps, ApsConfig, Pool, PooledFtl, Tree};
pub use search::{Level, Search};
pub use sftl::{Sftl, SftlConfig};
pub use tpftl::{DirtyVictims, Features, Judge, Loaded, MeasuredUse, PageOrder, PrefetchAt};
pub use tpftl::{RequestPrefetch, SequenceDetector, Tpftl, TpftlConfig};
pub use zftl::{Zftl, ZftlConfig};

use super::design::{Design, Mount, Setup, Spec};
use super::parts::translation_pages::{Change, TranslationPages};
use super::{
    Access, Accounts, CachedPage, Ftl, FtlMetrics, MappingCounts, MappingMetrics, Occupancy,
    PrefetchMetrics, RamUse,
};
use crate::device::LONGEST_TIME;
use crate::error::Error;
use crate::flash::{Cause, Device, Flash, Geometry, Owner};
use crate::placement::Class;
use crate::placement::allocation::{Place, PlaneOrder, SINGLE};
use crate::placement::block_pool::MapRules;
use crate::placement::planes::{Planes, Victim};
use crate::placement::region::Region;
use crate::placement::separation::ClassPages;
use crate::placement::separation::TOGETHER;
use crate::placement::survey::Page;
use crate::request::Meta;
use crate::settings::Group;
use crate::units::{Bytes, Duration, Lpn, Pbn, Ppn, Vtpn};
use held::Held;
use std::collections::BTreeMap;
use std::hint::black_box;

crate::settings! {
    /// The settings that FTLs share.
    pub struct FtlConfig in "ftl" {
        /// Mapping cache, GTD excluded.
        cache: Option<Bytes> = None,
            absent "as large as the table of blocks of at most 64 pages, 4 B each",
            source "TPFTL 5.1; choices.md#cache-default";
        /// The rule that decides the plane of a page, of page-level FTLs.
        placement: String = SINGLE.to_owned(),
            source "FlashSim; choices.md#single-frontier";
        /// The rule that decides which pages share blocks, of page-level FTLs.
        separation: String = TOGETHER.to_owned(),
            source "FlashSim; choices.md#separation";
        /// The order in which planes are counted: C(hannel), W(ay), D(ie) and P(lane); the first
        /// changes fastest.
        order: PlaneOrder = PlaneOrder::PDWC,
            laws [PlaneOrder::PDWC, PlaneOrder::CWDP, PlaneOrder::DPCW, PlaneOrder::WCPD],
            source "DLOOP, equation 1; choices.md#plane-numbers";
        /// How the index of the mapping cache is searched.
        search: Search = Search::None, laws Search::ALL, source "TPFTL 4.1; choices.md#search";
        /// Time of a step of that search, before the first flash operation of a page.
        search_step: Duration = Duration(0), in ..=LONGEST_TIME, source "TPFTL 4.1; choices.md#search";
        /// The open block for translation pages.
        map_blocks: MapBlocks = MapBlocks::Own, laws MapBlocks::ALL,
            source "FlashSim; choices.md#dloop-frontiers";
        /// The treatment of uncached mappings of pages that GC has moved.
        map_updates: MapUpdates = MapUpdates::Written, laws MapUpdates::ALL,
            source "DFTL; choices.md#dloop-reserve";
        /// Keep an order of operations in which a power cut loses nothing that was acknowledged.
        /// `ftlab crash` and `ftlab serve` always do. FTLs that always keep this order do not
        /// change.
        power_safe: bool = false, laws [false, true],
            source "FlashSim; choices.md#early-invalidation";
    }
    check |own| {
        let shares = own.map_blocks == MapBlocks::Shared;
        if shares && own.map_updates == MapUpdates::Written {
            let message = "found shared with ftl.map_updates = written, expected own, or held: what GC \
                           writes of the map would fill the blocks that it empties";
            return Err(Error::config("ftl.map_blocks", message));
        }
        Ok(())
    }
}

crate::choices! {
    /// The open block for translation pages.
    pub enum MapBlocks {
        /// A block for translation pages only.
        Own = "own",
        /// The block of user pages.
        Shared = "shared",
    }
}

crate::choices! {
    /// The treatment of uncached mappings of pages that GC has moved.
    pub enum MapUpdates {
        /// GC writes their translation pages.
        Written = "written",
        /// They remain in RAM until the planes of their translation pages can take these without
        /// GC.
        Held = "held",
    }
}

/// As on TPFTL's device. With the large blocks of later devices, a block table would be too small a
/// cache.
const PAPERS_PAGES_PER_BLOCK: u32 = 64;

impl FtlConfig {
    /// The rules for blocks with translation pages.
    #[must_use]
    pub fn map_rules(&self) -> MapRules {
        MapRules {
            shares_blocks: self.map_blocks == MapBlocks::Shared,
            is_held_in_gc: self.map_updates == MapUpdates::Held,
        }
    }

    /// Bytes of the mapping cache on this device.
    #[must_use]
    pub fn cache_bytes(&self, geometry: &Geometry) -> u64 {
        let pages_per_entry = geometry.pages_per_block.min(PAPERS_PAGES_PER_BLOCK);
        let entries = geometry.logical_pages.div_ceil(pages_per_entry);
        self.cache.map_or(4 * u64::from(entries), |bytes| bytes.0)
    }
}

/// The flash side of the map: translation pages and the blocks they share with user data.
#[derive(Clone, Debug)]
pub struct MapStore {
    /// Free, open and closed blocks.
    pub pool: Planes,
    /// Translation pages and GTD.
    pub pages: TranslationPages,
    /// Mappings that GC has changed and that translation pages on flash lack, by translation page;
    /// kept in RAM.
    held: Held,
    /// Images that are no longer cached; kept to reuse their memory.
    spare: Vec<Image>,
}

impl MapStore {
    /// The map of a pool, all of it on flash.
    #[must_use]
    pub fn new(pool: Planes, pages: TranslationPages) -> Self {
        MapStore { pool, pages, held: Held::default(), spare: Vec::new() }
    }

    /// Read, modify, write of one translation page during address translation.
    pub fn write_back(&mut self, vtpn: Vtpn, changes: &[Change], flash: &mut Flash) {
        self.held.written(vtpn);
        self.pages.rewrite(vtpn, changes, Cause::Translation, &mut self.pool, flash);
    }

    /// Programs a translation page that is whole in RAM, so that nothing has to be read first.
    pub fn write_whole(&mut self, vtpn: Vtpn, changes: &[Change], flash: &mut Flash) {
        self.held.written(vtpn);
        self.pages.write(vtpn, changes, Cause::Translation, &mut self.pool, flash);
    }

    /// Notes mappings in RAM that translation pages on flash now lack.
    fn hold(&mut self, changes: &[Change]) {
        self.pages.overlay(changes);
        let pages = &self.pages;
        self.held.add(changes.iter().map(|(lpn, _)| (pages.page_of(*lpn), *lpn)));
    }

    /// Writes the translation pages with mappings held in RAM, if their planes can take them
    /// without GC.
    fn write_held(&mut self, flash: &mut Flash) {
        let mut next = self.held.first_from(Vtpn(0));
        while let Some(vtpn) = next {
            if self.pool.has_room_for_map_page(vtpn) {
                self.pages.rewrite(vtpn, &[], Cause::GcMapping, &mut self.pool, flash);
                self.held.written(vtpn);
            }
            next = self.held.first_from(Vtpn(vtpn.0 + 1));
        }
    }

    /// Programs the changed part of a directory of translation pages that is on flash. Returns the
    /// number of pages.
    pub fn store_directory(&mut self, flash: &mut Flash) -> u32 {
        self.pages.store_directory(&mut self.pool, flash)
    }

    /// Reads a translation page during address translation, to be cached whole.
    pub fn load(&mut self, vtpn: Vtpn, flash: &mut Flash) -> Image {
        self.pages.read(vtpn, flash, Cause::Translation);
        let mut image = self.spare.pop().unwrap_or_default();
        image.fill(self.pages.first_on_page(vtpn), |slots| self.pages.copy(vtpn, slots));
        image
    }

    /// Takes back an image that is no longer cached, to reuse its memory.
    pub fn take_back(&mut self, image: Image) {
        self.spare.push(image);
    }
}

/// The levels of an index.
pub type Levels = Vec<Level>;

/// A cache of mappings in RAM.
pub trait MappingCache: Clone + Send + 'static {
    /// Its own settings.
    type Settings: Group;
    /// The FTL that it makes.
    const SPEC: Spec;

    /// An empty cache.
    ///
    /// # Errors
    /// [`Error::Config`] when the budget holds less than one entry.
    fn build(setup: &Setup<Self::Settings>, geometry: &Geometry) -> Result<Self, Error>
    where
        Self: Sized;

    /// Takes a step towards room for the data that the next translation, of `lpn`, loads, so that
    /// the budget is never exceeded. It programs at most one translation page. The engine calls it
    /// until it returns false, and may collect garbage before each step except the first.
    fn prepare(
        &mut self,
        _lpn: Lpn,
        _last: Lpn,
        _store: &mut MapStore,
        _flash: &mut Flash,
    ) -> bool {
        false
    }

    /// The mapping of `lpn`, which is in the cache afterwards. The request ends at `last`. Programs
    /// at most one translation page, and none when the cache contains `lpn`.
    fn translate(
        &mut self,
        lpn: Lpn,
        last: Lpn,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Ppn>;

    /// Changes the mapping of `lpn`, translated just before, for the host. Returns the old mapping.
    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn>;

    /// Notes that GC moved `lpn`: changes its mapping if it is cached. Returns false otherwise.
    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool;

    /// GC is about to rewrite `vtpn`. Appends the dirty entries to be written with it, and marks
    /// them as clean.
    fn ride_along(&mut self, _vtpn: Vtpn, _changes: &mut Vec<Change>) {}

    /// Receives the pages found after power was lost. The cache begins empty.
    fn recover(&mut self, _found: &[Page], _geometry: &Geometry) {}

    /// Whether the cache exceeds its budget, because of a load or a change.
    fn is_over_budget(&self) -> bool {
        false
    }

    /// Takes a step towards the budget that the cache exceeds, and programs at most one translation
    /// page. The engine calls it at the end of each page access until the cache fits.
    fn shrink(&mut self, _store: &mut MapStore, _flash: &mut Flash) {}

    /// GC has changed a cached mapping: entries that no longer fit leave before GC notes the next
    /// change. Programs at most one translation page, which replaces the one that GC saves for that
    /// mapping.
    fn shrink_in_gc(&mut self, _store: &mut MapStore, _flash: &mut Flash) {}

    /// Whether the mapping of `lpn` is in the cache.
    fn contains(&self, lpn: Lpn) -> bool;

    /// The place of a page by its cached mapping; see [`Ftl::locate`].
    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        black_box(self.contains(lpn));
        None
    }

    /// The levels of the index that a search for the mapping of `lpn` visits now, in order.
    fn searched(&self, _lpn: Lpn) -> Levels {
        Levels::new()
    }

    /// Budget of the cache, bytes.
    fn budget(&self) -> u64;

    /// Lookups and replacements since measuring started.
    fn counts(&self) -> MappingCounts;

    /// The present contents of the cache.
    fn occupancy(&self) -> Occupancy;

    /// Metrics of this cache only.
    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    /// The fate of entries that were loaded ahead; `None` if none is.
    fn prefetch_metrics(&self) -> Option<PrefetchMetrics> {
        None
    }

    /// Translation pages read for another reason than a miss, if whole pages are cached; `None` if single
    /// entries are.
    fn other_loads(&self) -> Option<u64> {
        None
    }

    /// Whether each dirty victim of a miss is written back alone, so that a miss may cost several
    /// updates.
    fn writes_each_victim(&self) -> bool {
        false
    }

    /// Resets the counts.
    fn reset_metrics(&mut self);

    /// Bytes of RAM in addition to the GTD and the budget.
    fn extra_ram(&self) -> u64 {
        0
    }

    /// Every cached mapping, with its dirty flag, for audits and samples.
    fn audit_entries(&self) -> Vec<(Change, bool)>;

    /// Recomputes the cache's own invariants.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self);
}

/// A demand-paged FTL: one engine over any mapping cache.
#[derive(Clone, Debug)]
pub struct DemandFtl<C> {
    cache: C,
    store: MapStore,
    search: Search,
    search_step: Duration,
    search_steps: u64,
    gc_lookups: u64,
    gc_hits: u64,
    /// Pages that GC moved and whose mappings are not cached; kept to reuse its memory.
    moved: Vec<(Lpn, Ppn)>,
    changes: Vec<Change>,
}

impl<C: MappingCache> Design for DemandFtl<C> {
    type Settings = C::Settings;
    const SPEC: Spec = C::SPEC;
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<C::Settings>, flash: &mut Flash) -> Result<Self, Error> {
        DemandFtl::with_cache(setup, flash, |geometry| C::build(setup, geometry))
    }
}

impl<C: MappingCache> DemandFtl<C> {
    /// The engine over a cache that is built for the shape of the device.
    fn with_cache(
        setup: &Setup<C::Settings>,
        flash: &mut Flash,
        cache: impl FnOnce(&Geometry) -> Result<C, Error>,
    ) -> Result<Self, Error> {
        let cache = cache(flash.geometry())?;
        let mut pool = Self::pool(setup, flash)?;
        let pages = TranslationPages::format(&mut pool, flash);
        Ok(DemandFtl::new(cache, MapStore::new(pool, pages)).searching(&setup.ftl))
    }

    fn mount(setup: &Setup<C::Settings>, flash: &mut Flash) -> Result<Self, Error> {
        let geometry = flash.geometry().clone();
        let mut cache = C::build(setup, &geometry)?;
        let pool = Self::pool(setup, flash)?;
        let whole = Region::whole(&geometry, geometry.translation_pages());
        let found = recovery::find(&whole, flash);
        cache.recover(&found, &geometry);
        let store = MapStore::of(&found, &whole, pool, flash);
        Ok(DemandFtl::new(cache, store).searching(&setup.ftl))
    }

    fn pool(setup: &Setup<C::Settings>, flash: &mut Flash) -> Result<Planes, Error> {
        // A GC step may open a block for data and, with updates of the map, one for translation.
        // Two are enough. Erasing its victim returns the block for data. The block for translation
        // leaves waste behind, which the pool collects before the next data block. GC that writes
        // no part of the map needs only one.
        let rules = setup.ftl.map_rules();
        let reserve = if rules.is_held_in_gc { 1 } else { unless_bug!(DemandReserveIsShort, 2, 1) };
        let pages = flash.geometry().translation_pages();
        Planes::with_map(&setup.placing()?, flash, reserve, pages, rules)
    }
}

impl<C: MappingCache> Ftl for DemandFtl<C> {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        let Some(&last) = pages.last() else { return };
        for &lpn in pages {
            flash.begin_page();
            let ppn = self.translate(lpn, last, flash);
            flash.host_read(lpn, ppn);
            self.settle(flash);
        }
    }

    fn write(&mut self, Access { pages, meta, .. }: Access<'_>, flash: &mut Flash) {
        let Some(&last) = pages.last() else { return };
        for &lpn in pages {
            flash.begin_page();
            self.translate(lpn, last, flash);
            self.program(lpn, meta, flash);
            self.settle(flash);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        let Some(&last) = pages.last() else { return };
        for &lpn in pages {
            flash.begin_page();
            if self.translate(lpn, last, flash).is_some() {
                unless_bug!(DemandTrimLeavesMap, self.remap(lpn, None, flash));
                self.store.pool.trimmed(lpn);
                flash.trim(lpn);
            }
            self.settle(flash);
        }
    }

    fn update_handle(&mut self, meta: Meta, flash: &mut Flash) {
        self.store.pool.update_handle(meta, flash);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.cache.locate(lpn).or_else(|| self.store.pages.mapping_on_flash(lpn))
    }

    fn locate_map(&self, lpn: Lpn) -> Option<Ppn> {
        (!self.cache.contains(lpn)).then(|| self.store.pages.place_of(lpn))?
    }

    fn ram(&self) -> RamUse {
        let tables = self.store.pages.directory_bytes()
            + self.store.pool.ram_bytes()
            + self.store.held.most_bytes()
            + self.cache.extra_ram();
        RamUse { tables, cache: self.cache.budget(), buffer: 0 }
    }

    fn mapping_counts(&self) -> Option<MappingCounts> {
        Some(self.cache.counts())
    }

    fn cached_pages(&self) -> Option<Vec<CachedPage>> {
        let entries = self.cache.audit_entries();
        let entries = entries.iter().map(|((lpn, _), dirty)| (*lpn, *dirty)).collect();
        Some(cached_pages(entries, self.store.pages.entries_shift()))
    }

    fn class_of(&self, pbn: Pbn) -> Option<u8> {
        self.store.pool.class_of(pbn)
    }

    fn class_pages(&self) -> ClassPages {
        self.store.pool.class_pages()
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics {
            mapping: Some(MappingMetrics {
                counts: self.cache.counts(),
                gc_lookups: self.gc_lookups,
                gc_hits: self.gc_hits,
                occupancy: self.cache.occupancy(),
            }),
            prefetch: self.cache.prefetch_metrics(),
            own: self.own_metrics(),
            ..FtlMetrics::of(&self.store.pool)
        }
    }

    fn reset_metrics(&mut self) {
        self.search_steps = 0;
        self.gc_lookups = 0;
        self.gc_hits = 0;
        self.cache.reset_metrics();
        self.store.pool.reset_counts();
        self.store.held.reset_counts();
    }

    fn accounts(&self) -> Accounts {
        Accounts {
            other_loads: self.cache.other_loads(),
            writes_each_victim: self.cache.writes_each_victim(),
            collects_unfilled: self.store.pool.leaves_units(),
            ..Accounts::default()
        }
    }

    fn audit(&self, device: &Device) {
        device.audit();
        self.store.pool.audit(device);
        self.store.pages.audit(device);
        self.store.held.audit(&self.store.pages);
        self.cache.audit();
        self.audit_map(device);
    }
}

/// The mappings cached of each translation page. One that is cached on two levels is one entry, which is dirty if it is
/// dirty on one of them.
fn cached_pages(mut entries: Vec<(Lpn, bool)>, entries_shift: u32) -> Vec<CachedPage> {
    entries.sort_unstable_by_key(|(lpn, dirty)| (*lpn, !*dirty));
    entries.dedup_by_key(|(lpn, _)| *lpn);
    let vtpn = |lpn: &Lpn| lpn.0 >> entries_shift;
    let pages = entries.chunk_by(|(a, _), (b, _)| vtpn(a) == vtpn(b));
    let page = |entries: &[(Lpn, bool)]| CachedPage {
        entries: entries.len() as u32,
        dirty: entries.iter().filter(|(_, dirty)| *dirty).count() as u32,
    };
    pages.map(page).collect()
}

impl<C: MappingCache> DemandFtl<C> {
    fn new(cache: C, store: MapStore) -> Self {
        DemandFtl {
            cache,
            store,
            search: Search::None,
            search_step: Duration(0),
            search_steps: 0,
            gc_lookups: 0,
            gc_hits: 0,
            moved: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The same with an index whose search is counted.
    fn searching(self, ftl: &FtlConfig) -> Self {
        DemandFtl { search: ftl.search, search_step: ftl.search_step, ..self }
    }

    /// Counts the steps of the search for a mapping, and spends their time.
    #[cold]
    fn search(&mut self, lpn: Lpn, flash: &mut Flash) {
        let levels = unless_bug!(
            SearchInVainIsFree,
            self.cache.searched(lpn),
            self.cache.searched(lpn).into_iter().filter(|level| level.found).collect::<Levels>()
        );
        let steps = levels.into_iter().map(|level| self.search.steps(level)).sum::<u64>();
        self.search_steps += steps;
        unless_bug!(SearchTakesNoTime, flash.spend(Duration(steps * self.search_step.0)));
    }

    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        let mut own = self.cache.own_metrics();
        own.extend(self.store.pool.own_metrics());
        if self.search != Search::None {
            own.insert("map.search_steps", self.search_steps);
        }
        if self.store.pool.holds_map_updates() {
            own.insert("map.held", self.store.held.added);
            own.insert("map.held_max", self.store.held.most);
        }
        own
    }

    #[inline]
    fn translate(&mut self, lpn: Lpn, last: Lpn, flash: &mut Flash) -> Option<Ppn> {
        if self.search != Search::None {
            self.search(lpn, flash);
        }
        // A miss may program a translation page. Room is made first, while no eviction is under
        // way.
        if self.store.pool.short_of_room_for_the_map().is_some() && !self.cache.contains(lpn) {
            self.make_room_for_the_map(flash);
        }
        while self.cache.prepare(lpn, last, &mut self.store, flash) {
            self.make_room_for_the_map(flash);
        }
        self.cache.translate(lpn, last, &mut self.store, flash)
    }

    /// Programs a page whose mapping is in the cache.
    #[inline]
    fn program(&mut self, lpn: Lpn, meta: Meta, flash: &mut Flash) {
        let place = self.store.pool.place(lpn, meta, flash);
        if self.store.pool.must_collect(place) {
            self.reclaim(place, flash);
        }
        let new = self.store.pool.next_page(place, lpn, flash);
        flash.program(new, Owner::Data(lpn), Cause::Host);
        self.remap(lpn, Some(new), flash);
    }

    #[inline]
    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        if let Some(old) = self.cache.update(lpn, new) {
            unless_bug!(DemandOldStaysValid, self.store.pool.invalidate(old, flash));
        }
    }

    /// Brings the cache back to its budget. Between two steps no eviction is under way, so GC may
    /// run before each. GC may grow or remove cached entries, but loads none, so the loop ends.
    #[inline]
    fn settle(&mut self, flash: &mut Flash) {
        while self.cache.is_over_budget() {
            self.make_room_for_the_map(flash);
            if self.cache.is_over_budget() {
                self.cache.shrink(&mut self.store, flash);
            }
        }
        if self.store.held.is_any() && self.store.pool.has_room_for_the_map() {
            self.store.write_held(flash);
        }
    }

    /// Collects garbage if the next translation page might need a block.
    #[inline]
    fn make_room_for_the_map(&mut self, flash: &mut Flash) {
        while let Some(plane) = self.store.pool.short_of_room_for_the_map() {
            self.reclaim(Place { plane, class: Class::MAP }, flash);
        }
    }

    #[inline(never)]
    fn reclaim(&mut self, place: Place, flash: &mut Flash) {
        self.store.pool.start_gc(place.plane);
        while !self.store.pool.collected_enough(place) {
            self.collect(place.plane, flash);
        }
    }

    /// Collects garbage in a plane, unless `blocks` blocks may be opened there before GC must run.
    fn make_room_for_blocks(&mut self, plane: u32, blocks: u32, flash: &mut Flash) {
        if self.store.pool.can_spare(plane, blocks) {
            return;
        }
        self.store.pool.start_gc(plane);
        while !self.store.pool.is_replenished(plane) {
            self.collect(plane, flash);
        }
    }

    fn collect(&mut self, plane: u32, flash: &mut Flash) {
        let mut victim = self.store.pool.take_victim(plane, flash);
        self.empty(&mut victim, flash);
        self.store.pool.release(&victim, flash);
    }

    fn empty(&mut self, victim: &mut Victim, flash: &mut Flash) {
        for number in 0..self.store.pool.move_pages(victim, flash).len() {
            let (owner, to) = self.store.pool.moved(number);
            match owner {
                Owner::Translation(vtpn) => self.store.pages.relocate(vtpn, to),
                Owner::Data(lpn) => {
                    self.gc_lookups += 1;
                    if self.cache.relocate(lpn, to) {
                        self.gc_hits += 1;
                        self.cache.shrink_in_gc(&mut self.store, flash);
                    } else {
                        unless_bug!(DemandGcLeavesMap, self.moved.push((lpn, to)));
                    }
                }
            }
        }
        self.update_map_of_moved_pages(flash);
    }

    /// Batch update (DFTL): one read-modify-write for each affected translation page, unless the
    /// changes are held in RAM.
    fn update_map_of_moved_pages(&mut self, flash: &mut Flash) {
        let mut moved = std::mem::take(&mut self.moved);
        if self.store.pool.holds_map_updates() {
            self.changes.clear();
            self.changes.extend(moved.drain(..).map(|(lpn, ppn)| (lpn, Some(ppn))));
            unless_bug!(DemandHoldsNothing, self.store.hold(&self.changes));
            self.moved = moved;
            return;
        }
        moved.sort_unstable();
        let MapStore { pool, pages, .. } = &mut self.store;
        let shift = pages.entries_shift();
        for group in moved.chunk_by(|(a, _), (b, _)| a.0 >> shift == b.0 >> shift) {
            let vtpn = pages.page_of(group[0].0);
            self.changes.clear();
            let noted = unless_bug!(DemandBatchDropsLast, group, &group[..group.len() - 1]);
            self.changes.extend(noted.iter().map(|(lpn, ppn)| (*lpn, Some(*ppn))));
            self.cache.ride_along(vtpn, &mut self.changes);
            pages.rewrite(vtpn, &self.changes, Cause::GcMapping, pool, flash);
        }
        moved.clear();
        self.moved = moved;
    }

    /// Checks that translation pages overlaid with cached entries are the true map, and that clean
    /// entries equal those on flash.
    fn audit_map(&self, device: &Device) {
        let mut map = self.store.pages.audit_content().clone();
        for ((lpn, ppn), dirty) in self.cache.audit_entries() {
            let on_flash = map.replace(lpn, ppn);
            assert!(
                dirty || ppn == on_flash,
                "{lpn} is cached clean as {ppn:?}, flash: {on_flash:?}"
            );
        }
        device.audit_map(self.store.pages.pages(), |lpn| map.get(lpn));
        let used = self.cache.occupancy().bytes;
        assert!(used <= self.cache.budget(), "cache holds {used} B of {}", self.cache.budget());
    }
}
