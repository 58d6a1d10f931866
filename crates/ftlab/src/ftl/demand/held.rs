//! Mappings that GC has changed and translation pages on flash lack: `ftl.map_updates = held`.
//!
//! GC of a plane then writes to that plane alone. What is held is written when its translation page is, for
//! whatever reason, or as soon as the plane of that has room without GC. After a power cut it is found again
//! in the OOBs of the pages that were moved.

use crate::ftl::parts::translation_pages::TranslationPages;
use crate::units::{Lpn, Vtpn};
use std::collections::{BTreeMap, BTreeSet};

/// LPN and PPN.
const BYTES_OF_A_MAPPING: u64 = 8;

/// Held mappings, by translation page.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pages: BTreeMap<Vtpn, BTreeSet<Lpn>>,
    now: u64,
    /// Mappings that were held since measuring started, one again for each time.
    pub added: u64,
    /// Most at a time, ever.
    pub most: u64,
}

impl Held {
    pub(super) fn is_any(&self) -> bool {
        self.now > 0
    }

    pub(super) fn add(&mut self, mappings: impl Iterator<Item = (Vtpn, Lpn)>) {
        for (vtpn, lpn) in mappings {
            if self.pages.entry(vtpn).or_default().insert(lpn) {
                self.now += 1;
                self.added += 1;
            }
        }
        self.most = self.most.max(self.now);
    }

    /// The first translation page from `vtpn` on that lacks mappings.
    pub(super) fn first_from(&self, vtpn: Vtpn) -> Option<Vtpn> {
        self.pages.range(vtpn..).next().map(|(vtpn, _)| *vtpn)
    }

    /// Notes that a translation page was written, with what it lacked.
    #[inline]
    pub(super) fn written(&mut self, vtpn: Vtpn) {
        if self.is_any()
            && let Some(mappings) = self.pages.remove(&vtpn)
        {
            self.now -= mappings.len() as u64;
        }
    }

    /// Bytes of RAM for as many as were held at a time.
    pub(super) fn most_bytes(&self) -> u64 {
        BYTES_OF_A_MAPPING * self.most
    }

    pub(super) fn reset_counts(&mut self) {
        self.added = 0;
    }

    /// Recounts what is held.
    ///
    /// # Panics
    /// When the count is wrong, or a mapping is held for a page that has not got it.
    pub(super) fn audit(&self, pages: &TranslationPages) {
        let held: usize = self.pages.values().map(BTreeSet::len).sum();
        assert_eq!(held as u64, self.now, "mappings held");
        for (vtpn, mappings) in &self.pages {
            assert!(mappings.iter().all(|lpn| pages.page_of(*lpn) == *vtpn), "held for {vtpn}");
        }
    }
}
