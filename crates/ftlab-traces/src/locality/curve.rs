//! The miss-ratio curve: what an LRU cache of any size would hit and miss.

/// Hits of LRU caches by size, from one pass over the accesses.
#[derive(Clone, Debug, PartialEq)]
pub struct MissRatioCurve {
    /// Hits of a cache of `k` steps, for `k` from 0.
    hits: Vec<f64>,
    step: u64,
    accesses: u64,
    pages: u64,
}

impl MissRatioCurve {
    /// From `counts` of accesses by distance in steps of `step` pages, and `cold` first accesses.
    ///
    /// Where pages were sampled, the counts do not add up to `accesses`, as the pages that are used
    /// most are few and were in the sample or not. SHARDS gives the difference to the shortest
    /// distance (FAST 2015, section 3.3: SHARDS-adj), where those pages are.
    pub(super) fn new(counts: &[u64], cold: u64, step: u64, accesses: u64, pages: u64) -> Self {
        let counted = counts.iter().sum::<u64>() + cold;
        let mut sum = accesses as f64 - counted as f64;
        let mut hits = vec![0.0];
        for count in counts {
            sum += *count as f64;
            // A sample may have counted too many of them.
            hits.push(sum.max(0.0));
        }
        Self { hits, step, accesses, pages }
    }

    /// Accesses in all.
    #[must_use]
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Different pages: a cache of this size misses only first accesses.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// The resolution of sizes, pages: 1 where the curve is exact.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Accesses that caches of 0, 1, 2, ... times [`Self::step`] pages hit; larger ones hit no more.
    #[must_use]
    pub fn hits(&self) -> &[f64] {
        &self.hits
    }

    /// The share of accesses, 0 to 1, that an LRU cache of `pages` pages hits which begins empty.
    #[must_use]
    pub fn hit_ratio(&self, pages: u64) -> f64 {
        let (whole, part) = (pages / self.step, pages % self.step);
        let at = |k: u64| {
            let last = self.hits.len() - 1;
            self.hits[usize::try_from(k).map_or(last, |k| k.min(last))]
        };
        let (low, high) = (at(whole), at(whole.saturating_add(1)));
        let hits = low + (high - low) * part as f64 / self.step as f64;
        if self.accesses == 0 { 0.0 } else { hits / self.accesses as f64 }
    }

    /// The share of accesses that it misses, first accesses among them.
    #[must_use]
    pub fn miss_ratio(&self, pages: u64) -> f64 {
        1.0 - self.hit_ratio(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_sums_of_shorter_distances() {
        let curve = MissRatioCurve::new(&[4, 0, 2], 4, 1, 10, 4);
        assert_eq!([0, 1, 2, 3, 9].map(|size| curve.hit_ratio(size)), [0.0, 0.4, 0.4, 0.6, 0.6]);
        assert_eq!(curve.miss_ratio(3), 0.4);
    }

    #[test]
    fn a_sample_that_missed_popular_pages_gives_them_the_shortest_distance() {
        let curve = MissRatioCurve::new(&[4, 0, 8], 8, 4, 40, 16);
        assert_eq!([0, 2, 4, 12].map(|size| curve.hit_ratio(size)), [0.0, 0.3, 0.6, 0.8]);
    }

    #[test]
    fn nothing_hits_where_nothing_was_accessed() {
        assert_eq!(MissRatioCurve::new(&[], 0, 1, 0, 0).hit_ratio(7), 0.0);
    }
}
