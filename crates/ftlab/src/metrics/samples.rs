//! Samples of a mapping cache, one every so many page accesses (TPFTL, Figures 1 and 2b).

use crate::ftl::CachedPage;
use serde::Serialize;

/// What a mapping cache held at each sample. Grows with the run: 32 B per sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheSamples {
    /// Page accesses between two samples; 0 for no samples.
    pub every: u64,
    #[serde(skip)]
    next: u64,
    /// Page reads and writes served before each sample.
    pub page_accesses: Vec<u64>,
    /// Entries in the cache.
    pub entries: Vec<u64>,
    /// Dirty entries in the cache.
    pub dirty_entries: Vec<u64>,
    /// Translation pages with an entry in the cache.
    pub translation_pages: Vec<u64>,
    /// Over all samples, how many of these pages had 0, 1, 2, ... dirty entries in the cache.
    pub pages_by_dirty_entries: Vec<u64>,
}

impl CacheSamples {
    /// Samples after every so many page accesses; none for 0.
    #[must_use]
    pub fn new(every: u64) -> Self {
        CacheSamples {
            every,
            next: if every == 0 { u64::MAX } else { every },
            page_accesses: Vec::new(),
            entries: Vec::new(),
            dirty_entries: Vec::new(),
            translation_pages: Vec::new(),
            pages_by_dirty_entries: Vec::new(),
        }
    }

    /// Whether the next sample is due.
    #[inline]
    #[must_use]
    pub const fn is_due(&self, page_accesses: u64) -> bool {
        page_accesses >= self.next
    }

    /// Takes a sample; the next one is due at the next multiple of the distance.
    pub fn look(&mut self, page_accesses: u64, pages: &[CachedPage]) {
        self.next = (page_accesses / self.every + 1) * self.every;
        self.page_accesses.push(page_accesses);
        self.entries.push(pages.iter().map(|page| u64::from(page.entries)).sum());
        self.dirty_entries.push(pages.iter().map(|page| u64::from(page.dirty)).sum());
        self.translation_pages.push(pages.len() as u64);
        for page in pages {
            let dirty = page.dirty as usize;
            if dirty >= self.pages_by_dirty_entries.len() {
                self.pages_by_dirty_entries.resize(dirty + 1, 0);
            }
            self.pages_by_dirty_entries[dirty] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_at_multiples_of_the_distance_and_add_up() {
        let mut samples = CacheSamples::new(10);
        assert!(!samples.is_due(9));
        assert!(samples.is_due(13), "a request of several pages may go beyond the multiple");
        samples
            .look(13, &[CachedPage { entries: 5, dirty: 2 }, CachedPage { entries: 1, dirty: 0 }]);
        assert!(!samples.is_due(19) && samples.is_due(20));
        samples.look(20, &[CachedPage { entries: 7, dirty: 2 }]);
        assert_eq!(samples.page_accesses, [13, 20]);
        assert_eq!(samples.entries, [6, 7]);
        assert_eq!(samples.dirty_entries, [2, 2]);
        assert_eq!(samples.translation_pages, [2, 1]);
        assert_eq!(samples.pages_by_dirty_entries, [1, 0, 2]);
        assert!(!CacheSamples::new(0).is_due(u64::MAX - 1), "0 means never");
    }
}
