//! A table from logical to physical pages: 4 bytes an entry.

use crate::flash::{Content, Owner};
use crate::placement::survey::Page;
use crate::units::{Lpn, Mapping, Ppn};

/// `LPN -> PPN`, initially empty. Zero means unmapped, so untouched parts cost no memory.
#[derive(Clone, Debug, Default)]
pub struct PageMap {
    entries: Vec<u32>,
}

impl PageMap {
    /// An empty table for `pages` logical pages.
    #[must_use]
    pub fn new(pages: u32) -> Self {
        PageMap { entries: vec![0; pages as usize] }
    }

    /// Where a page is.
    #[inline]
    #[must_use]
    pub fn get(&self, lpn: Lpn) -> Option<Ppn> {
        Mapping::from_raw(self.entries[lpn.index()]).get()
    }

    /// Sets where a page is; returns where it was.
    #[inline]
    pub fn replace(&mut self, lpn: Lpn, ppn: Option<Ppn>) -> Option<Ppn> {
        let new = Mapping::from(ppn).raw();
        Mapping::from_raw(std::mem::replace(&mut self.entries[lpn.index()], new)).get()
    }

    /// Sets the places of these logical pages, as found after power was lost.
    pub fn fill(&mut self, pages: &[Page]) {
        for page in pages {
            if let Owner::Data(lpn) = page.owner {
                self.replace(lpn, Some(page.ppn));
            }
        }
    }

    /// Makes a table of only the pages `first` to `last`; page `first` is its page 0.
    pub fn copy_part(&self, first: Lpn, last: Lpn, part: &mut PageMap) {
        part.entries.clear();
        part.entries.extend_from_slice(&self.entries[first.index()..=last.index()]);
    }

    /// The same as the content of a translation page.
    #[must_use]
    pub fn mappings(&self, first: Lpn, last: Lpn) -> Content {
        let raw = &self.entries[first.index()..=last.index()];
        raw.iter().map(|raw| Mapping::from_raw(*raw)).collect()
    }

    /// Whether a page, not the first, directly follows the one before on flash, or both are
    /// unmapped.
    #[inline]
    #[must_use]
    pub fn continues(&self, lpn: Lpn) -> bool {
        let (before, raw) = (self.entries[lpn.index() - 1], self.entries[lpn.index()]);
        raw == before + u32::from(before != 0)
    }

    /// Number of runs among the pages `first` to `last`: of pages with consecutive physical pages,
    /// or of unmapped ones.
    #[must_use]
    pub fn runs(&self, first: Lpn, last: Lpn) -> u32 {
        let entries = &self.entries[first.index()..=last.index()];
        // A successor is one more, or again unmapped. Without a branch the loop is vectorized.
        let breaks = |(a, b): (&u32, &u32)| u32::from(*b != *a + u32::from(*a != 0));
        1 + entries.iter().zip(&entries[1..]).map(breaks).sum::<u32>()
    }

    /// Number of logical pages.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no logical pages.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
