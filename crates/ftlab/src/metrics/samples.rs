//! Samples of a mapping cache at regular numbers of page accesses (TPFTL, Figures 1 and 2b).

use crate::figures::figures;
use crate::ftl::CachedPage;

figures! {
    /// The contents of a mapping cache at each sample. Grows with the run: 32 B per sample.
    pub struct CacheSamples {
        pub new(every: u64);
        /// Page accesses between two samples (`run.samples`).
        every: u64 = every, unit "pages";
        /// Page reads and writes served before each sample.
        page_accesses: Vec<u64> = Vec::new(), unit "list of pages";
        /// Entries in the cache.
        entries: Vec<u64> = Vec::new(), unit "list of entries";
        /// Dirty entries in the cache.
        dirty_entries: Vec<u64> = Vec::new(), unit "list of entries";
        /// Translation pages with an entry in the cache.
        translation_pages: Vec<u64> = Vec::new(), unit "list of pages";
        /// Translation pages with 0, 1, 2, ... dirty entries in the cache, over all samples.
        pages_by_dirty_entries: Vec<u64> = Vec::new(), unit "list of pages";
    }
}

impl CacheSamples {
    /// Whether the next sample is due: at the next multiple of the distance, never if that is 0.
    #[must_use]
    pub fn is_due(&self, page_accesses: u64) -> bool {
        let last = self.page_accesses.last().copied().unwrap_or(0);
        last.checked_div(self.every).is_some_and(|done| page_accesses >= (done + 1) * self.every)
    }

    /// Takes a sample.
    pub fn look(&mut self, page_accesses: u64, pages: &[CachedPage]) {
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
