//! Reuse distances of a stream of page accesses, in bounded memory.

use super::curve::MissRatioCurve;
use super::pages::{FollowedPages, Found};
use super::stack::LruStack;

/// Pages that are followed before sampling begins: 1 GiB of 4 KiB pages, about 40 MB of memory.
pub const PAGES_MAX: usize = 1 << 18;

/// Counts for each access of a page how many different pages were accessed since its last access.
///
/// Every page has a state `T`, which belongs to the caller and begins as its default.
#[derive(Clone, Debug)]
pub struct ReuseDistances<T = ()> {
    pages: FollowedPages<T>,
    stack: LruStack,
    /// Accesses by distance, in steps of 2^`zero_bits` pages.
    counts: Vec<u64>,
    /// First accesses of pages.
    cold: u64,
    accesses: u64,
}

/// An access to a page that is followed.
#[derive(Debug)]
pub struct Reuse<'a, T> {
    /// Different pages accessed since this one was; `None` at the first access.
    pub distance: Option<u64>,
    /// How many accesses this one stands for: 1, or a power of two where pages are sampled.
    pub weight: u64,
    /// The page's state.
    pub state: &'a mut T,
}

impl<T: Default> ReuseDistances<T> {
    /// Follows at most `pages_max` pages, at least 1 and at most 2^31: all, or a sample of more.
    #[must_use]
    pub fn new(pages_max: usize) -> Self {
        let pages = FollowedPages::new(pages_max.clamp(1, 1 << 31));
        Self { pages, stack: LruStack::new(), counts: Vec::new(), cold: 0, accesses: 0 }
    }

    /// Accesses a page. Returns nothing for a page that is not in the sample.
    #[inline]
    pub fn access(&mut self, volume: u32, page: u64) -> Option<Reuse<'_, T>> {
        self.accesses += 1;
        while self.pages.too_many() {
            self.halve();
        }
        let zero_bits = self.pages.zero_bits();
        let weight = 1 << zero_bits;
        let (number, distance) = match self.pages.find(volume, page) {
            Found::Ignored => return None,
            Found::New => {
                self.cold += weight;
                self.stack.push();
                (self.pages.len() as u32 - 1, None)
            }
            Found::Known(number) => {
                let above = self.stack.touch(number) as usize;
                if above >= self.counts.len() {
                    self.counts.resize(above + 1, 0);
                }
                self.counts[above] += weight;
                (number, Some((above as u64) << zero_bits))
            }
        };
        Some(Reuse { distance, weight, state: self.pages.state(number) })
    }

    /// Accesses so far, of all pages.
    #[must_use]
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Different pages so far: exact while all are followed, an estimate otherwise.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.cold
    }

    /// One in this many pages is followed: 1 while all are.
    #[must_use]
    pub fn pages_per_sample(&self) -> u64 {
        1 << self.pages.zero_bits()
    }

    /// The hit ratio of LRU caches of all sizes.
    #[must_use]
    pub fn curve(&self) -> MissRatioCurve {
        let step = self.pages_per_sample();
        MissRatioCurve::new(&self.counts, self.cold, step, self.accesses, self.pages())
    }

    /// Samples half as many pages. Distances so far keep their weight and lose a bit of resolution.
    #[cold]
    fn halve(&mut self) {
        let kept = self.pages.halve();
        self.stack.retain(|number| kept[number]);
        self.counts = self.counts.chunks(2).map(|pair| pair.iter().sum()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::powi;
    use crate::rng::Rng;

    fn uniform(pages: u64, accesses: u64, pages_max: usize) -> ReuseDistances {
        let mut reuse = ReuseDistances::new(pages_max);
        let mut rng = Rng::new(3, "pages");
        for page in 0..pages {
            reuse.access(0, page);
        }
        for _ in 0..accesses {
            reuse.access(0, rng.below(pages));
        }
        reuse
    }

    #[test]
    fn uniform_references_hit_in_proportion_to_the_size() {
        let (pages, accesses) = (1000, 200_000);
        let curve = uniform(pages, accesses, PAGES_MAX).curve();
        for size in [1, 10, 100, 500, 900, 999] {
            let expected = size as f64 / pages as f64 * accesses as f64 / (accesses + pages) as f64;
            let found = curve.hit_ratio(size);
            assert!((found - expected).abs() < 4e-3, "{size}: {found}, expected {expected}");
        }
        let all = curve.hit_ratio(pages);
        assert_eq!(all, accesses as f64 / (accesses + pages) as f64);
        assert_eq!(curve.hit_ratio(u64::MAX), all);
        assert_eq!(curve.hit_ratio(0), 0.0);
    }

    /// Hits of an LRU cache, newest page first.
    fn lru_hits(pages: &[u64], size: usize) -> usize {
        let mut cache = Vec::with_capacity(size + 1);
        let mut hits = 0;
        for page in pages {
            match cache.iter().position(|cached| cached == page) {
                Some(at) => {
                    hits += 1;
                    cache[..=at].rotate_right(1);
                }
                None => {
                    cache.insert(0, *page);
                    cache.truncate(size);
                }
            }
        }
        hits
    }

    #[test]
    fn one_pass_tells_what_lru_caches_of_ten_sizes_hit() {
        let mut rng = Rng::new(7, "pages");
        let mut page = || (powi(rng.unit(), 3) * 2000.0) as u64;
        let pages: Vec<u64> = (0..30_000).map(|_| page()).collect();
        let mut reuse = ReuseDistances::<()>::new(PAGES_MAX);
        for page in &pages {
            reuse.access(0, *page);
        }
        let curve = reuse.curve();
        for size in [1, 2, 5, 10, 30, 100, 300, 700, 1500, 2000] {
            let expected = lru_hits(&pages, size) as f64 / pages.len() as f64;
            assert_eq!(curve.hit_ratio(size as u64), expected, "{size} pages");
        }
    }

    #[test]
    fn a_sample_of_pages_estimates_the_whole() {
        let (pages, accesses) = (40_000, 400_000);
        let exact = uniform(pages, accesses, PAGES_MAX);
        let sampled = uniform(pages, accesses, 4000);
        assert_eq!((exact.pages_per_sample(), exact.pages()), (1, pages));
        assert_eq!(sampled.pages_per_sample(), 16);
        assert_eq!(sampled.accesses(), exact.accesses());
        let estimate = sampled.pages() as f64 / pages as f64;
        assert!((estimate - 1.0).abs() < 0.05, "{estimate}");
        let (exact, sampled) = (exact.curve(), sampled.curve());
        for size in (0..=pages).step_by(1000) {
            let (e, s) = (exact.hit_ratio(size), sampled.hit_ratio(size));
            assert!((e - s).abs() < 0.02, "{size}: {s}, exact {e}");
        }
    }
}
