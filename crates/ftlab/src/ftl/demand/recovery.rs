//! The map on flash after power was lost.
//!
//! Where each page is, the OOBs tell: while it mounts, an FTL has the whole map in RAM, 4 B for each logical
//! page. What was dirty in the cache, and what GC had moved, translation pages lack. It is written to them, as
//! it would have been in time, and the cache begins empty.

use super::MapStore;
use crate::flash::{Cause, Flash, Owner};
use crate::ftl::parts::translation_pages::{Change, TranslationPages};
use crate::placement::Class;
use crate::placement::allocation::Place;
use crate::placement::planes::Planes;
use crate::placement::region::Region;
use crate::placement::survey::{Filled, Page, Survey};
use crate::units::{Lpn, Ppn, Vtpn};
use std::collections::{BTreeMap, BTreeSet};

impl MapStore {
    /// The map of a region, whose blocks the pool takes over, as it is when all of it is on flash.
    pub fn mount(region: &Region, pool: Planes, flash: &mut Flash) -> Self {
        let found = find(region, flash);
        Self::of(&found, region, pool, flash)
    }

    /// The same, of what was found there.
    pub fn of(found: &[Page], region: &Region, mut pool: Planes, flash: &mut Flash) -> Self {
        pool.recover(found, flash);
        let (pages, lacking) = TranslationPages::found(region, found, flash);
        let mut store = MapStore::new(pool, pages);
        if store.pool.holds_map_updates() {
            store.hold(&lacking);
            return store;
        }
        Lacking { mappings: lacking.into_iter().collect() }.write(&mut store, flash);
        store
    }
}

/// The newest version of each page in a region.
pub fn find(region: &Region, flash: &mut Flash) -> Vec<Page> {
    Survey::of(region.blocks.clone(), Filled::InOrder, flash).newest(flash.geometry())
}

/// Mappings that translation pages on flash lack.
struct Lacking {
    mappings: BTreeMap<Lpn, Option<Ppn>>,
}

impl Lacking {
    fn write(mut self, store: &mut MapStore, flash: &mut Flash) {
        loop {
            self.make_room(store, flash);
            let Some((first, _)) = self.mappings.first_key_value() else { return };
            self.write_page(store.pages.page_of(*first), Cause::Translation, store, flash);
        }
    }

    fn write_page(&mut self, vtpn: Vtpn, cause: Cause, store: &mut MapStore, flash: &mut Flash) {
        let page = store.pages.first_on_page(vtpn)..=store.pages.last_on_page(vtpn);
        let changes: Vec<Change> =
            self.mappings.range(page).map(|(lpn, ppn)| (*lpn, *ppn)).collect();
        for (lpn, _) in &changes {
            self.mappings.remove(lpn);
        }
        store.pages.rewrite(vtpn, &changes, cause, &mut store.pool, flash);
    }

    fn make_room(&mut self, store: &mut MapStore, flash: &mut Flash) {
        while let Some(plane) = store.pool.short_of_room_for_the_map() {
            store.pool.start_gc(plane);
            while !store.pool.collected_enough(Place { plane, class: Class::MAP }) {
                self.collect(plane, store, flash);
            }
        }
    }

    /// As [`DemandFtl`](super::DemandFtl) does, with what is lacking in place of a cache.
    fn collect(&mut self, plane: u32, store: &mut MapStore, flash: &mut Flash) {
        let mut victim = store.pool.take_victim(plane, flash);
        let mut concerned = BTreeSet::new();
        for &(owner, to) in store.pool.move_pages(&mut victim, flash) {
            match owner {
                Owner::Translation(vtpn) => store.pages.relocate(vtpn, to),
                Owner::Data(lpn) => {
                    unless_bug!(RecoveryGcLeavesMap, self.mappings.insert(lpn, Some(to)));
                    concerned.insert(store.pages.page_of(lpn));
                }
            }
        }
        for vtpn in concerned {
            self.write_page(vtpn, Cause::GcMapping, store, flash);
        }
        store.pool.release(&victim, flash);
    }
}
