//! Pages of the device that stand for several addresses of the input, because
//! [volumes](crate::address) overlap or offsets wrap.

use crate::units::Lpn;
use rustc_hash::FxHashMap;

/// Set in the entry of a page that several laps have touched.
const SHARED: u32 = 1 << 31;

/// The touched pages, and whether several laps have touched them. A lap is a volume with one
/// displacement of its offsets.
#[derive(Clone, Debug)]
pub struct SharedPages {
    /// For each logical page, the number of the lap that touched it first; 0 if none did.
    first: Vec<u32>,
    numbers: FxHashMap<(u32, u64), u32>,
    touched: u64,
    shared: u64,
}

impl SharedPages {
    /// None of `logical_pages` logical pages has been touched.
    #[must_use]
    pub fn new(logical_pages: u32) -> Self {
        let first = vec![0; logical_pages as usize];
        SharedPages { first, numbers: FxHashMap::default(), touched: 0, shared: 0 }
    }

    /// Notes that a request touches these pages, for offsets of this volume that are displaced by
    /// `moved` bytes.
    pub fn touch(&mut self, volume: u32, moved: u64, pages: &[Lpn]) {
        let next = self.numbers.len() as u32 + 1;
        let lap = *self.numbers.entry((volume, moved)).or_insert(next);
        for lpn in pages {
            let first = &mut self.first[lpn.index()];
            match *first {
                0 => {
                    *first = lap;
                    self.touched += 1;
                }
                other if other & SHARED == 0 && other != lap => {
                    *first |= SHARED;
                    self.shared += 1;
                }
                _ => {}
            }
        }
    }

    /// The share of the touched pages that stands for several addresses; `None` before any was
    /// touched.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        (self.touched > 0).then(|| self.shared as f64 / self.touched as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_two_laps_counts_once() {
        let mut pages = SharedPages::new(8);
        assert_eq!(pages.ratio(), None);
        let of = |range: std::ops::Range<u32>| range.map(Lpn).collect::<Vec<_>>();
        pages.touch(0, 0, &of(0..4));
        pages.touch(0, 0, &of(0..4));
        assert_eq!(pages.ratio(), Some(0.0));
        pages.touch(0, 4096, &of(3..5));
        pages.touch(7, 0, &of(3..4));
        assert_eq!(pages.ratio(), Some(0.2));
        pages.touch(7, 0, &of(4..6));
        assert_eq!(pages.ratio(), Some(2.0 / 6.0));
    }
}
