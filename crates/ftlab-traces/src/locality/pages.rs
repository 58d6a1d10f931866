//! The pages of a stream that are followed: all of them, or a sample when there are too many.
//!
//! Sampling is spatial, as in SHARDS of fixed size (C. A. Waldspurger, N. Park, A. Garthwaite and
//! I. Ahmad, Efficient MRC construction with SHARDS, FAST 2015): a page is followed while its hash
//! begins with enough zero bits, so every use of a followed page is seen. The number of bits grows
//! by one, and half of the pages are forgotten, whenever there are more pages than the cap.

use rustc_hash::FxHashMap;

/// Pages whose numbers stand together: one cache line, and one lookup for a run of pages.
const GROUP: u64 = 16;
const NONE: u32 = u32::MAX;

/// Followed pages, each with a state, numbered from 0 in the order in which they came.
#[derive(Clone, Debug)]
pub(super) struct FollowedPages<T> {
    cap: usize,
    /// Bits of a hash that must be zero.
    zero_bits: u32,
    pages: Vec<Page<T>>,
    groups: Vec<[u32; GROUP as usize]>,
    /// Only looked up, never iterated.
    index: FxHashMap<(u32, u64), u32>,
}

#[derive(Clone, Debug)]
struct Page<T> {
    volume: u32,
    page: u64,
    state: T,
}

/// A page that was looked for.
pub(super) enum Found {
    /// Not in the sample.
    Ignored,
    /// Followed from now on, with the next number.
    New,
    /// Followed already, with this number.
    Known(u32),
}

impl<T: Default> FollowedPages<T> {
    pub(super) fn new(cap: usize) -> Self {
        let (groups, index) = (Vec::new(), FxHashMap::default());
        Self { cap, zero_bits: 0, pages: Vec::new(), groups, index }
    }

    /// A followed page stands for 2 to this power of pages.
    #[inline]
    pub(super) fn zero_bits(&self) -> u32 {
        self.zero_bits
    }

    pub(super) fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether pages must be forgotten before more come.
    #[inline]
    pub(super) fn too_many(&self) -> bool {
        self.pages.len() > self.cap
    }

    #[inline]
    pub(super) fn state(&mut self, number: u32) -> &mut T {
        &mut self.pages[number as usize].state
    }

    #[inline]
    pub(super) fn find(&mut self, volume: u32, page: u64) -> Found {
        if hash(volume, page).leading_zeros() < self.zero_bits {
            return Found::Ignored;
        }
        let next = self.pages.len() as u32;
        let number = self.number(volume, page);
        if *number != NONE {
            return Found::Known(*number);
        }
        *number = next;
        self.pages.push(Page { volume, page, state: T::default() });
        Found::New
    }

    /// Forgets about half of the pages and numbers the others anew, in their order. Returns which
    /// were kept, by old number.
    pub(super) fn halve(&mut self) -> Vec<bool> {
        self.zero_bits += 1;
        let bits = self.zero_bits;
        let keeps = |page: &Page<T>| hash(page.volume, page.page).leading_zeros() >= bits;
        let kept = self.pages.iter().map(keeps).collect();
        self.pages.retain(keeps);
        self.groups.clear();
        self.index.clear();
        for number in 0..self.pages.len() {
            let Page { volume, page, .. } = self.pages[number];
            *self.number(volume, page) = number as u32;
        }
        kept
    }

    #[inline]
    fn number(&mut self, volume: u32, page: u64) -> &mut u32 {
        let groups = &mut self.groups;
        let at = *self.index.entry((volume, page / GROUP)).or_insert_with(|| {
            groups.push([NONE; GROUP as usize]);
            groups.len() as u32 - 1
        });
        &mut self.groups[at as usize][(page % GROUP) as usize]
    }
}

/// A number whose every bit depends on every bit of the page and its volume: the finaliser of
/// SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, OOPSLA 2014).
#[inline]
fn hash(volume: u32, page: u64) -> u64 {
    let mut z = page ^ u64::from(volume).rotate_right(20);
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_pages_stay_and_keep_their_state() {
        let mut pages = FollowedPages::<u64>::new(20_000);
        for page in 0..20_000 {
            assert!(matches!(pages.find(page as u32 % 3, page * 5), Found::New));
            *pages.state(page as u32) = page;
        }
        assert!(!pages.too_many());
        let kept = pages.halve();
        assert_eq!(pages.len(), kept.iter().filter(|kept| **kept).count());
        assert!((9_700..10_300).contains(&pages.len()), "{}", pages.len());
        for page in 0..20_000 {
            match pages.find(page as u32 % 3, page * 5) {
                Found::Known(number) => assert_eq!(*pages.state(number), page),
                Found::Ignored => assert!(!kept[page as usize]),
                Found::New => panic!("page {page} was known"),
            }
        }
    }
}
