//! The pages of a volume that were used, and the next ones that were not.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// Pages whose bits share a word.
const WORD: u64 = 64;
/// Pages searched for a gap in each direction: two regions of 4 MiB.
const SEARCHED: u64 = 2048;

/// Pages that were used: a bit for each of those near a used one.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    words: FxHashMap<(u32, u64), u64>,
}

impl Touched {
    /// Whether this page was used.
    pub(super) fn holds(&self, volume: u32, page: u64) -> bool {
        self.words.get(&(volume, page / WORD)).is_some_and(|word| word >> (page % WORD) & 1 == 1)
    }

    /// Marks these pages as used.
    pub(super) fn touch(&mut self, volume: u32, pages: Range<u64>) {
        for page in pages {
            *self.words.entry((volume, page / WORD)).or_default() |= 1 << (page % WORD);
        }
    }

    /// The first of `count` pages that were never used, at the next such gap after `page`, or else
    /// before it. The volume has `room` pages. The distance to `page` is a multiple of `step`.
    /// `None` if there is no such gap near.
    pub(super) fn next_gap(
        &self,
        volume: u32,
        page: u64,
        count: u64,
        step: u64,
        room: u64,
    ) -> Option<u64> {
        let ahead = page..room.min(page + SEARCHED + count);
        let behind = page - page.min(SEARCHED) / step * step..page;
        self.gap(volume, ahead, count, step).or_else(|| self.gap(volume, behind, count, step))
    }

    /// The first of `count` pages among these that were never used, a multiple of `step` from the
    /// first.
    fn gap(&self, volume: u32, among: Range<u64>, count: u64, step: u64) -> Option<u64> {
        let start = among.start;
        let mut begin = start;
        for page in among {
            if self.holds(volume, page) {
                begin = start + (page + 1 - start).next_multiple_of(step);
            } else if page + 1 == begin + count {
                return Some(begin);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_found_ahead_or_else_behind() {
        let mut touched = Touched::default();
        touched.touch(1, 10..14);
        touched.touch(1, 16..100);
        assert!(touched.holds(1, 13) && !touched.holds(1, 14) && !touched.holds(0, 13));
        assert_eq!(touched.next_gap(1, 11, 2, 1, 1000), Some(14));
        assert_eq!(touched.next_gap(1, 11, 3, 1, 1000), Some(100));
        assert_eq!(touched.next_gap(1, 11, 3, 1, 100), Some(0));
        assert_eq!(touched.next_gap(1, 11, 30, 1, 100), None);
        assert_eq!(touched.next_gap(0, 11, 30, 1, 100), Some(11));
    }

    #[test]
    fn a_gap_keeps_the_alignment_of_the_place_it_stands_for() {
        let mut touched = Touched::default();
        touched.touch(1, 10..14);
        touched.touch(1, 16..100);
        assert_eq!(touched.next_gap(1, 11, 1, 2, 1000), Some(15));
        assert_eq!(touched.next_gap(1, 11, 2, 2, 1000), Some(101));
        assert_eq!(touched.next_gap(1, 11, 2, 4, 1000), Some(103));
        assert_eq!(touched.next_gap(1, 11, 2, 4, 100), Some(3));
    }
}
