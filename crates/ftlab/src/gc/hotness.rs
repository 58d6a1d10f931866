//! How often and how lately the pages of a block were written (SFS, Min et al., FAST 2012).
//!
//! The hotness of a page is its writes by the time since the last one. That of a block is the sum of these writes by the
//! sum of these times, of its pages with data.

use crate::units::{Lpn, Pbn};

/// Writes of a page by the host.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    writes: u32,
    /// The time of the last one, in microseconds of the host.
    last: u64,
}

/// The pages with data of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    pages: u32,
    writes: u64,
    times: u64,
}

/// Pages and blocks by hotness.
#[derive(Clone, Debug)]
pub struct Hotness {
    pages: Vec<Page>,
    blocks: Vec<Sums>,
}

impl Hotness {
    /// Nothing is written yet.
    #[must_use]
    pub fn new(logical_pages: u32, blocks: u32) -> Self {
        Hotness {
            pages: vec![Page::default(); logical_pages as usize],
            blocks: vec![Sums::default(); blocks as usize],
        }
    }

    /// The host writes a page.
    pub fn wrote(&mut self, lpn: Lpn, now: u64) {
        let page = &mut self.pages[lpn.index()];
        *page = Page { writes: page.writes.saturating_add(1), last: now };
    }

    /// A page lies in a block from now on.
    pub fn placed(&mut self, lpn: Lpn, block: Pbn) {
        let page = self.pages[lpn.index()];
        let sums = &mut self.blocks[block.index()];
        sums.pages += 1;
        sums.writes += u64::from(page.writes);
        sums.times += page.last;
    }

    /// A page lies in a block no more, and was not written since it was placed there.
    pub fn left(&mut self, lpn: Lpn, block: Pbn) {
        let page = self.pages[lpn.index()];
        let sums = &mut self.blocks[block.index()];
        sums.pages -= 1;
        sums.writes -= u64::from(page.writes);
        sums.times -= page.last;
    }

    /// A block is emptied.
    pub fn emptied(&mut self, block: Pbn) {
        self.blocks[block.index()] = Sums::default();
    }

    /// A page is new again.
    pub fn forget(&mut self, lpn: Lpn) {
        self.pages[lpn.index()] = Page::default();
    }

    /// The hotness of a page: infinite for one that was never written, or just now.
    #[must_use]
    pub fn of_page(&self, lpn: Lpn, now: u64) -> f64 {
        let Page { writes, last } = self.pages[lpn.index()];
        match writes {
            0 => f64::INFINITY,
            _ => f64::from(writes) / now.saturating_sub(last) as f64,
        }
    }

    /// The hotness of a block; `None` if no page of it has data.
    #[must_use]
    pub fn of_block(&self, block: Pbn, now: u64) -> Option<f64> {
        let Sums { pages, writes, times } = self.blocks[block.index()];
        let age = f64::from(pages) * now as f64 - times as f64;
        (pages > 0).then(|| writes as f64 / age)
    }

    /// Pages with data in a block.
    #[must_use]
    pub fn pages_in(&self, block: Pbn) -> u32 {
        self.blocks[block.index()].pages
    }

    /// Bytes of RAM: a count and a time for each page, their sums for each block.
    #[must_use]
    pub fn ram(&self) -> u64 {
        8 * self.pages.len() as u64 + 16 * self.blocks.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hotness_of_a_block_is_that_of_its_pages() {
        let mut hotness = Hotness::new(4, 2);
        for (lpn, time) in [(0, 10), (1, 20), (0, 30)] {
            hotness.wrote(Lpn(lpn), time);
        }
        (0..2).for_each(|lpn| hotness.placed(Lpn(lpn), Pbn(1)));
        assert_eq!(hotness.of_page(Lpn(0), 40), 2.0 / 10.0);
        assert!(hotness.of_page(Lpn(2), 40).is_infinite(), "it is new");
        assert_eq!(hotness.of_block(Pbn(1), 40), Some(3.0 / 30.0));
        hotness.left(Lpn(0), Pbn(1));
        assert_eq!(hotness.of_block(Pbn(1), 40), Some(1.0 / 20.0));
        assert_eq!(hotness.of_block(Pbn(0), 40), None);
    }
}
