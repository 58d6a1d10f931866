//! Whole translation pages in RAM, as they are on flash. Which of them leaves is decided elsewhere.

use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::{Flash, Geometry};
use crate::ftl::demand::{Image, MapStore, MappingCache};
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::translation_pages::Change;
use crate::ftl::{MappingCounts, Occupancy};
use crate::units::{Lpn, Ppn, Vtpn};

const HEADER_BYTES: u64 = 4;

/// Translation pages by number. A replacement is a page that leaves; it is dirty when it is programmed.
#[derive(Clone, Debug)]
pub struct WholePages {
    budget: u64,
    page_bytes: u64,
    entries_shift: u32,
    pages: Slab<Image>,
    tokens: Tokens,
    counts: MappingCounts,
    /// Mappings of one write-back; kept to reuse its memory.
    changes: Vec<Change>,
}

impl MappingCache for WholePages {
    type Settings = ();

    const SPEC: Spec = Spec::DEMAND_PAGED;

    fn build(setup: &Setup<()>, geometry: &Geometry) -> Result<Self, Error> {
        let budget = setup.ftl.cache_bytes(geometry);
        let page_bytes = u64::from(geometry.page_bytes) + HEADER_BYTES;
        if budget < page_bytes {
            let message =
                format!("found {budget} B, expected at least a translation page, {page_bytes} B");
            unless_bug!(PooledCacheTooSmall, return Err(Error::config("ftl.cache", message)));
        }
        Ok(WholePages {
            budget,
            page_bytes,
            entries_shift: geometry.entries_per_translation_page().ilog2(),
            pages: Slab::default(),
            tokens: Tokens::new(geometry.translation_pages()),
            counts: MappingCounts::default(),
            changes: Vec::new(),
        })
    }

    fn translate(
        &mut self,
        lpn: Lpn,
        last: Lpn,
        store: &mut MapStore,
        flash: &mut Flash,
    ) -> Option<Ppn> {
        self.counts.lookups += 1;
        let vtpn = self.page_of(lpn);
        if let Some(token) = self.tokens.get(vtpn.0) {
            self.counts.hits += 1;
            return self.pages[token].get(lpn);
        }
        let image = store.load(vtpn, flash);
        let ppn = image.get(lpn);
        self.tokens.set(vtpn.0, self.pages.insert(image));
        if lpn < last && self.page_of(Lpn(lpn.0 + 1)) == vtpn {
            // Later pages of the request rely on this load.
            flash.hold_later_pages();
        }
        ppn
    }

    fn update(&mut self, lpn: Lpn, new: Option<Ppn>) -> Option<Ppn> {
        let token = self.tokens.get(self.page_of(lpn).0).expect("it is cached");
        self.pages[token].set(lpn, new)
    }

    fn relocate(&mut self, lpn: Lpn, new: Ppn) -> bool {
        let Some(token) = self.tokens.get(self.page_of(lpn).0) else { return false };
        self.pages[token].set(lpn, Some(new));
        true
    }

    fn contains(&self, lpn: Lpn) -> bool {
        self.holds(self.page_of(lpn))
    }

    fn budget(&self) -> u64 {
        self.budget
    }

    fn counts(&self) -> MappingCounts {
        self.counts
    }

    fn occupancy(&self) -> Occupancy {
        Occupancy {
            entries: self.pages.iter().map(|(_, image)| image.len() as u64).sum(),
            translation_pages: self.pages.len() as u64,
            bytes: self.bytes(),
        }
    }

    fn reset_metrics(&mut self) {
        self.counts = MappingCounts::default();
    }

    fn audit_entries(&self) -> Vec<(Change, bool)> {
        self.pages.iter().flat_map(|(_, image)| image.entries()).collect()
    }

    fn audit(&self) {
        assert_eq!(self.pages.len(), self.tokens.audit_len(), "pages and their index");
        self.pages.iter().for_each(|(_, image)| image.audit());
    }
}

impl WholePages {
    const fn page_of(&self, lpn: Lpn) -> Vtpn {
        Vtpn(lpn.0 >> self.entries_shift)
    }

    /// Number of pages.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.pages.len()
    }

    /// Bytes in use.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.page_bytes * self.pages.len() as u64
    }

    /// Whether a page is in RAM.
    #[must_use]
    pub fn holds(&self, vtpn: Vtpn) -> bool {
        self.tokens.contains(vtpn.0)
    }

    /// A page that is in RAM leaves: programmed if it is dirty, without a read as it is whole.
    pub fn evict(&mut self, vtpn: Vtpn, store: &mut MapStore, flash: &mut Flash) {
        let token = self.tokens.take(vtpn.0).expect("the page is in RAM");
        let image = self.pages.remove(token);
        self.counts.replacements += 1;
        let clean = unless_bug!(PooledDirtyDropped, 0, 1);
        let is_dirty = image.dirty_slots() > clean;
        image.list_changes(&mut self.changes);
        store.take_back(image);
        if is_dirty {
            self.counts.dirty_replacements += 1;
            store.write_whole(vtpn, &self.changes, flash);
        }
    }
}
