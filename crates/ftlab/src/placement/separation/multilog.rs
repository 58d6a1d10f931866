//! `MultiLog`, separation by update frequency (Stoica & Ailamaki, VLDB 2013), as the evaluation of SepBIT has it (Wang et
//! al., FAST 2022).
//!
//! Idea     classes are levels, and 0 is the hottest. New pages begin there. What GC moves goes a level down. Below the
//!          coldest level in use a new one begins as soon as that holds a block of data. A page is expected after `E` page
//!          writes: half the pages with data of its level, times the share that was valid in collected blocks of it.
//!          If it is written after `v` of them, it rises a level with probability `(E - v) / E`.
//! RAM      1 B per logical page for its level, and 4 B for when the host wrote it last.
//! Departs  the paper is known to us by that evaluation's program. That draws without a seed: compare means.
//!          Its own choice of victims by levels is not here: `gc.policy` chooses.

use super::{Collected, Layout, Lying, Moved, Separation, SeparationDesign, Spec, Written};
use crate::rng::Rng;
use crate::units::Lpn;

crate::settings! {
    /// `MultiLog`'s own parameters.
    pub struct MultilogConfig in "multilog" {
        /// Levels by update frequency.
        levels: u32 = 6, in 1..=16, laws [1, 3, 6], source "Wang et al., SepBIT, FAST 2022";
    }
}

/// What is known of a level.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    /// Pages with data.
    valid: u32,
    /// Pages of collected blocks, and those of them without data.
    collected: u64,
    garbage: u64,
}

/// Separation by update frequency; level 0 is the hottest.
#[derive(Clone, Debug)]
pub struct Multilog {
    levels: Vec<Level>,
    /// The coldest level in use.
    coldest: u8,
    /// The level of each page with data.
    pages: Vec<Option<u8>>,
    pages_per_block: u32,
    rng: Rng,
}

impl Multilog {
    /// Page writes after which a page of a level is expected to be written again; it is no number before a block of the
    /// level was collected.
    fn expected(&self, level: u8) -> f64 {
        let Level { valid, collected, garbage } = self.levels[usize::from(level)];
        // The version that is replaced is not among them.
        let valid = f64::from(valid.saturating_sub(1));
        valid * (1.0 - garbage as f64 / collected as f64) / 2.0
    }
}

impl SeparationDesign for Multilog {
    type Settings = MultilogConfig;

    const SPEC: Spec = Spec {
        name: "multilog",
        summary: "by how much earlier than expected a page is written (MultiLog)",
        source: "Stoica & Ailamaki, VLDB 2013; Wang et al., SepBIT, FAST 2022",
    };

    fn build(layout: &Layout, own: MultilogConfig) -> Self {
        Multilog {
            levels: vec![Level::default(); own.levels as usize],
            coldest: 0,
            pages: vec![None; layout.logical_pages as usize],
            pages_per_block: layout.pages_per_block,
            rng: Rng::new(layout.seed, "multilog"),
        }
    }
}

impl Separation for Multilog {
    fn classes(&self) -> u8 {
        self.levels.len() as u8
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let level = self.pages[page.lpn.index()].unwrap_or(0);
        let expected = self.expected(level);
        let rises = page.age.map_or(0.0, |age| (expected - f64::from(age)) / expected);
        let level =
            if level > 0 && rises > 0.0 && self.rng.unit() < rises { level - 1 } else { level };
        self.pages[page.lpn.index()] = Some(level);
        level
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let level = self.pages[page.lpn.index()].unwrap_or(page.from);
        let holds_a_block = self.levels[usize::from(level)].valid >= self.pages_per_block;
        let level = match level < self.coldest {
            true => level + 1,
            false if holds_a_block && level + 1 < self.classes() => {
                self.coldest = level + 1;
                level + 1
            }
            false => level,
        };
        self.pages[page.lpn.index()] = Some(level);
        level
    }

    fn placed(&mut self, page: Lying, _is_moved: bool) {
        self.levels[usize::from(page.class)].valid += 1;
    }

    fn died(&mut self, page: Lying) {
        self.levels[usize::from(page.class)].valid -= 1;
    }

    fn collected(&mut self, victim: Collected) {
        let level = &mut self.levels[usize::from(victim.class)];
        level.valid -= victim.valid;
        level.collected += u64::from(self.pages_per_block);
        level.garbage += u64::from(self.pages_per_block - victim.valid);
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.pages[lpn.index()] = None;
    }

    fn watches_blocks(&self) -> bool {
        true
    }

    fn ram(&self) -> u64 {
        self.pages.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Pbn;

    /// Blocks of four pages, of which a first one was collected with a page left.
    fn multilog() -> Multilog {
        let mut multilog = Multilog::build(&Layout::of_pages(32), MultilogConfig::default());
        for lpn in (0..12).map(Lpn) {
            assert_eq!(multilog.of_write(Written::of(lpn, None)), 0);
            multilog.placed(Lying { lpn, block: Pbn(lpn.0 / 4), class: 0 }, false);
        }
        (0..3).for_each(|lpn| multilog.died(Lying { lpn: Lpn(lpn), block: Pbn(0), class: 0 }));
        multilog.collected(Collected { block: Pbn(0), class: 0, valid: 1, age: 12 });
        multilog
    }

    #[test]
    fn what_gc_moves_goes_down_once_the_coldest_level_holds_a_block() {
        let mut multilog = multilog();
        assert_eq!(multilog.levels[0].valid, 8);
        assert_eq!(multilog.of_move(Moved::of(Lpn(3), 0, 8)), 1);
        multilog.placed(Lying { lpn: Lpn(3), block: Pbn(3), class: 1 }, true);
        assert_eq!(multilog.of_move(Moved::of(Lpn(3), 1, 8)), 1, "level 1 holds a page");
        assert_eq!(multilog.of_move(Moved::of(Lpn(4), 0, 8)), 1, "level 0 is not the coldest");
    }

    #[test]
    fn a_page_that_is_written_before_it_is_expected_may_rise() {
        let mut multilog = multilog();
        multilog.levels[1] = Level { valid: 9, collected: 8, garbage: 4 };
        assert_eq!(multilog.expected(1), 2.0, "half of the eight others, half of which are left");
        let mut rises = |age| {
            let rises = (0..1000).filter(|_| {
                multilog.pages[3] = Some(1);
                multilog.of_write(Written::of(Lpn(3), Some(age))) == 0
            });
            rises.count()
        };
        assert!((450..550).contains(&rises(1)), "half of the time");
        assert_eq!(rises(2), 0);
    }
}
