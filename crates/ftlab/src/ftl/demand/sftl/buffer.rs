//! S-FTL's dirty buffer: the entries of evicted pages that were sparsely dirty.

use crate::cache::indexed_heap::IndexedHeap;
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn, Vtpn};
use std::cmp::Reverse;

/// The dirty entries of one evicted page, ascending.
#[derive(Clone, Debug)]
pub struct Remains {
    pub vtpn: Vtpn,
    pub changes: Vec<Change>,
}

/// Dirty entries by translation page. None of these pages is cached. A page enters with all its
/// dirty entries, and leaves with all of them when it is loaded again or flushed.
#[derive(Clone, Debug)]
pub struct DirtyBuffer {
    capacity: usize,
    entries: usize,
    pages: Slab<Remains>,
    /// Token of each translation page that has entries here.
    tokens: Tokens,
    /// The page with most entries first, the one touched longest ago among equals.
    fullest: IndexedHeap<(Reverse<usize>, u64)>,
    touches: u64,
}

impl DirtyBuffer {
    /// An empty buffer for `capacity` entries, of `translation_pages` translation pages.
    pub fn new(capacity: usize, translation_pages: u32) -> Self {
        DirtyBuffer {
            capacity,
            entries: 0,
            pages: Slab::default(),
            tokens: Tokens::new(translation_pages),
            fullest: IndexedHeap::default(),
            touches: 0,
        }
    }

    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Number of entries.
    pub const fn len(&self) -> usize {
        self.entries
    }

    /// Number of further entries that fit.
    pub const fn room(&self) -> usize {
        self.capacity - self.entries
    }

    /// The pages that have entries here.
    pub fn pages(&self) -> impl Iterator<Item = &Remains> {
        self.pages.iter().map(|(_, remains)| remains)
    }

    fn find(&self, vtpn: Vtpn, lpn: Lpn) -> Option<(u32, usize)> {
        let token = self.tokens.get(vtpn.0)?;
        let found = self.pages[token].changes.binary_search_by_key(&lpn, |(lpn, _)| *lpn);
        Some((token, found.ok()?))
    }

    /// Whether there is an entry for `lpn`, whose page is `vtpn`.
    pub fn contains(&self, vtpn: Vtpn, lpn: Lpn) -> bool {
        self.find(vtpn, lpn).is_some()
    }

    /// The entry of `lpn`, if there is one. Its page becomes the newest.
    pub fn touch(&mut self, vtpn: Vtpn, lpn: Lpn) -> Option<Option<Ppn>> {
        let (token, at) = self.find(vtpn, lpn)?;
        self.touches += 1;
        let changes = &self.pages[token].changes;
        self.fullest.update(token, (Reverse(changes.len()), self.touches));
        Some(changes[at].1)
    }

    /// Changes the entry of `lpn`; returns the old mapping, or nothing when there is no entry.
    pub fn replace(&mut self, vtpn: Vtpn, lpn: Lpn, new: Option<Ppn>) -> Option<Option<Ppn>> {
        let (token, at) = self.find(vtpn, lpn)?;
        Some(std::mem::replace(&mut self.pages[token].changes[at].1, new))
    }

    /// Adds the entries of a page that has none here.
    pub fn insert(&mut self, remains: Remains) {
        self.touches += 1;
        self.entries += remains.changes.len();
        let key = (Reverse(remains.changes.len()), self.touches);
        let vtpn = remains.vtpn;
        let token = self.pages.insert(remains);
        self.tokens.set(vtpn.0, token);
        self.fullest.insert(token, key);
    }

    /// Takes the entries of a page out.
    pub fn take(&mut self, vtpn: Vtpn) -> Option<Remains> {
        let token = self.tokens.take(vtpn.0)?;
        self.fullest.remove(token);
        let remains = self.pages.remove(token);
        self.entries -= remains.changes.len();
        Some(remains)
    }

    /// Takes the page with most entries out.
    pub fn take_fullest(&mut self) -> Option<Remains> {
        let token = self.fullest.min()?;
        self.take(self.pages[token].vtpn)
    }

    /// Recounts everything.
    ///
    /// # Panics
    /// When a count is wrong.
    pub fn audit(&self) {
        let entries: usize = self.pages().map(|remains| remains.changes.len()).sum();
        assert_eq!(entries, self.entries, "entries in the buffer");
        assert!(self.entries <= self.capacity, "{entries} entries in the buffer");
        assert_eq!(
            self.pages.len(),
            self.tokens.audit_len(),
            "pages in the buffer and their index"
        );
        assert_eq!(self.pages.len(), self.fullest.len(), "pages in the buffer and their order");
        for (token, remains) in self.pages.iter() {
            assert_eq!(self.tokens.get(remains.vtpn.0), Some(token), "index of the buffer");
            assert_eq!(self.fullest.key(token).0.0, remains.changes.len(), "order of the buffer");
            assert!(!remains.changes.is_empty(), "{} without entries", remains.vtpn);
            assert!(remains.changes.is_sorted_by(|a, b| a.0 < b.0), "{} unordered", remains.vtpn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remains(vtpn: u32, entries: u32) -> Remains {
        let changes = (0..entries).map(|n| (Lpn(100 * vtpn + n), Some(Ppn(n)))).collect();
        Remains { vtpn: Vtpn(vtpn), changes }
    }

    #[test]
    fn the_fullest_page_goes_first_and_the_oldest_among_equals() {
        let mut buffer = DirtyBuffer::new(12, 5);
        for (vtpn, entries) in [(1, 2), (2, 3), (3, 3), (4, 3)] {
            buffer.insert(remains(vtpn, entries));
        }
        assert_eq!((buffer.len(), buffer.room()), (11, 1));
        assert_eq!(buffer.touch(Vtpn(2), Lpn(201)), Some(Some(Ppn(1))));
        assert_eq!(buffer.touch(Vtpn(2), Lpn(203)), None);
        assert_eq!(buffer.replace(Vtpn(3), Lpn(302), None), Some(Some(Ppn(2))));
        buffer.audit();
        let third = buffer.take_fullest().expect("page 3");
        assert_eq!((third.vtpn, third.changes[2]), (Vtpn(3), (Lpn(302), None)));
        assert_eq!(buffer.take(Vtpn(3)).map(|remains| remains.vtpn), None);
        let order = std::iter::from_fn(|| buffer.take_fullest().map(|remains| remains.vtpn.0));
        assert_eq!(order.collect::<Vec<_>>(), [4, 2, 1]);
        buffer.audit();
    }
}
