//! SFS, separation by hotness for log-structured file systems (Min et al., FAST 2012), as the evaluation of SepBIT has it
//! (Wang et al., FAST 2022).
//!
//! Idea     the hotness of a page is its writes by the time since the last one. Each class has a centre. A page goes to
//!          the class with the nearest centre, the colder among equals. A new page goes to the hottest class.
//!          Whenever a block is collected, the centres are found anew: three rounds of k-means over the hotness of all
//!          full blocks. Class 0 is the hottest.
//! RAM      8 B per logical page for its writes and the time of the last one, 16 B per block for their sums.
//! Departs  the paper is known to us by that evaluation's program.
//! Options  a full block without data has no hotness. Here it counts as coldest; in that program it makes the centre of
//!          the hottest class useless until the next round (`dead`).

use super::{
    Collected, Filled, Layout, Lying, Moved, Requested, Separation, SeparationDesign, Spec, Written,
};
use crate::gc::Hotness;
use crate::units::{Lpn, Pbn};
use std::collections::BTreeMap;

crate::settings! {
    /// SFS's own parameters.
    pub struct SfsConfig in "sfs" {
        /// Classes by hotness.
        classes: u32 = 6, in 2..=16, laws [2, 3, 6], source "Wang et al., SepBIT, FAST 2022";
        /// What a full block without data is worth.
        dead: Dead = Dead::Coldest, laws Dead::ALL, source "ours";
    }
}

crate::choices! {
    /// What a full block without data is worth.
    pub enum Dead {
        /// It is as cold as any.
        Coldest = "coldest",
        /// It has no hotness, and the hottest class has none either, as in the program of SepBIT's authors.
        Nothing = "nothing",
    }
}

/// Rounds of k-means.
const ROUNDS: u32 = 3;

/// Separation by hotness; class 0 is the hottest.
#[derive(Clone, Debug)]
pub struct Sfs {
    dead: Dead,
    hotness: Hotness,
    /// The hotness of each class, the hottest in front.
    centres: Vec<f64>,
    /// Time of the host, in microseconds.
    now: u64,
    /// The full blocks in the order in which they were opened.
    full: BTreeMap<u64, Pbn>,
    /// By block: which of the blocks opened it was.
    numbers: Vec<u64>,
    /// The number of the open block of each class, and of the next one.
    open: Vec<u64>,
    next: u64,
}

impl Sfs {
    /// The class with the nearest centre, the colder among equals.
    fn nearest(&self, hotness: f64) -> u8 {
        let mut nearest = (f64::MAX, 0);
        for (class, centre) in self.centres.iter().enumerate().rev() {
            let distance = (centre - hotness).abs();
            if distance < nearest.0 {
                nearest = (distance, class);
            }
        }
        nearest.1 as u8
    }

    /// Finds the centres anew.
    fn look(&mut self) {
        let nothing = match self.dead {
            Dead::Coldest => 0.0,
            Dead::Nothing => f64::NAN,
        };
        let of = |block: &Pbn| self.hotness.of_block(*block, self.now).unwrap_or(nothing);
        let blocks: Vec<f64> = self.full.values().map(of).collect();
        if blocks.len() <= self.centres.len() {
            let hotness = blocks.iter().cycle();
            self.centres.iter_mut().zip(hotness).for_each(|(centre, hotness)| *centre = *hotness);
        } else {
            (0..ROUNDS).for_each(|_| move_centres(&mut self.centres, &blocks));
        }
        self.centres.sort_by(|a, b| b.total_cmp(a));
    }
}

/// A round of k-means: each centre becomes the mean of the values that are nearest to it, and 0 without any.
fn move_centres(centres: &mut [f64], values: &[f64]) {
    let mut groups = vec![(0.0, 0_u32); centres.len()];
    for value in values {
        let mut nearest = (f64::MAX, 0);
        for (number, centre) in centres.iter().enumerate() {
            let distance = (value - centre).abs();
            if distance < nearest.0 {
                nearest = (distance, number);
            }
        }
        let (sum, count) = &mut groups[nearest.1];
        *sum += value;
        *count += 1;
    }
    for (centre, (sum, count)) in centres.iter_mut().zip(groups) {
        *centre = if count == 0 { 0.0 } else { sum / f64::from(count) };
    }
}

impl SeparationDesign for Sfs {
    type Settings = SfsConfig;

    const SPEC: Spec = Spec {
        name: "sfs",
        summary: "by writes of a page and the time since the last one (SFS)",
        source: "Min et al., FAST 2012; Wang et al., SepBIT, FAST 2022",
    };

    fn build(layout: &Layout, own: SfsConfig) -> Self {
        Sfs {
            dead: own.dead,
            hotness: Hotness::new(layout.logical_pages, layout.blocks),
            centres: vec![0.0; own.classes as usize],
            now: 0,
            full: BTreeMap::new(),
            numbers: vec![0; layout.blocks as usize],
            open: (0..u64::from(own.classes)).collect(),
            next: own.classes.into(),
        }
    }
}

impl Separation for Sfs {
    fn classes(&self) -> u8 {
        self.centres.len() as u8
    }

    fn requested(&mut self, request: Requested) {
        self.now = request.time / 1000;
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.nearest(self.hotness.of_page(page.lpn, self.now))
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        self.nearest(self.hotness.of_page(page.lpn, self.now))
    }

    fn placed(&mut self, page: Lying, is_moved: bool) {
        if !is_moved {
            self.hotness.wrote(page.lpn, self.now);
        }
        self.hotness.placed(page.lpn, page.block);
    }

    fn died(&mut self, page: Lying) {
        self.hotness.left(page.lpn, page.block);
    }

    fn filled(&mut self, Filled { block, class }: Filled) {
        let number = std::mem::replace(&mut self.open[usize::from(class)], self.next);
        self.next += 1;
        self.numbers[block.index()] = number;
        self.full.insert(number, block);
    }

    fn collected(&mut self, victim: Collected) {
        if !self.full.is_empty() {
            self.look();
        }
        self.full.remove(&self.numbers[victim.block.index()]);
        self.hotness.emptied(victim.block);
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.hotness.forget(lpn);
    }

    fn watches_blocks(&self) -> bool {
        true
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        self.hotness.ram()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn centres_move_to_the_means_of_what_is_near() {
        let mut centres = [8.0, 1.0, 0.0];
        move_centres(&mut centres, &[9.0, 7.0, 2.0, 2.0]);
        assert_eq!(centres, [8.0, 2.0, 0.0], "nothing is near 0");
    }

    #[test]
    fn a_page_goes_to_the_nearest_centre_and_to_the_colder_among_equals() {
        let mut sfs = Sfs::build(&Layout::of_pages(8), SfsConfig::default());
        sfs.centres = vec![8.0, 4.0, 2.0, 0.0, 0.0, 0.0];
        let classes = [f64::INFINITY, 9.0, 6.0, 3.0, 0.5].map(|hotness| sfs.nearest(hotness));
        assert_eq!(classes, [0, 0, 1, 2, 5]);
    }

    #[test]
    fn a_block_without_data_is_the_coldest_or_has_no_hotness() {
        for (dead, hottest) in [(Dead::Coldest, 0.25), (Dead::Nothing, f64::NAN)] {
            let own = SfsConfig { classes: 2, dead };
            let mut sfs = Sfs::build(&Layout::of_pages(8), own);
            sfs.placed(Lying { lpn: Lpn(0), block: Pbn(0), class: 0 }, false);
            (0..2).for_each(|block| sfs.filled(Filled { block: Pbn(block), class: 0 }));
            sfs.now = 4;
            sfs.look();
            assert_eq!(sfs.centres[0].to_bits(), f64::to_bits(hottest), "{dead:?}");
        }
    }
}
