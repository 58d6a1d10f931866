//! The hot filter: two bits for each page, which say whether it goes to the hot group.
//!
//! A page that is overwritten in the hot group rises. In the first group of the chain it rises if its block was filled
//! less than an epoch ago, and otherwise sinks. A page that GC moves out of either sinks, out of the hot group
//! by two. At the top it is hot. An epoch is as long as blocks of the hot group live.

use crate::units::Lpn;
use std::collections::VecDeque;

/// The value of a hot page.
const HOT: u8 = 3;
/// Epochs that are remembered.
const EPOCHS: usize = 10;
/// The hot group.
pub(super) const HOT_GROUP: u8 = 0;
/// The group that all other pages of the host go to.
pub(super) const FIRST_GROUP: u8 = 1;

/// What was measured of the hot group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HotGroup {
    /// Share of the writes of the host.
    pub traffic: f64,
    /// Share of pages that are valid when a block is collected.
    pub valid: f64,
    /// Blocks, the open one included.
    pub blocks: f64,
}

impl HotGroup {
    const UNKNOWN: Self = HotGroup { traffic: 0.01, valid: 0.05, blocks: 1.0 };
}

/// What happened in an epoch.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// Blocks of the hot group that were collected, their ages together, and their shares of valid pages.
    victims: u32,
    ages: u64,
    valid: f64,
    /// Page writes of the host, and those to the hot group.
    writes: u64,
    hot_writes: u64,
}

/// Which pages are hot.
#[derive(Clone, Debug)]
pub(super) struct HotFilter {
    values: Vec<u8>,
    /// Page writes before it begins.
    wait: u64,
    /// Lessons that it does not take at first.
    cold: u64,
    /// Length of an epoch, and how much of it is left.
    length: u64,
    left: i64,
    epoch: Epoch,
    past: VecDeque<HotGroup>,
}

impl HotFilter {
    /// No page is hot. It begins when as many pages were written as there are.
    pub fn new(logical_pages: u32) -> Self {
        let pages = u64::from(logical_pages);
        HotFilter {
            values: vec![0; logical_pages as usize],
            wait: pages,
            cold: pages,
            length: pages,
            left: pages as i64,
            epoch: Epoch::default(),
            past: VecDeque::new(),
        }
    }

    /// The group of a page that the host writes.
    pub fn group(&mut self, lpn: Lpn) -> u8 {
        if self.wait > 0 {
            self.wait -= 1;
            return FIRST_GROUP;
        }
        let is_hot = self.values[lpn.index()] == HOT;
        self.epoch.writes += 1;
        self.epoch.hot_writes += u64::from(is_hot);
        if is_hot { HOT_GROUP } else { FIRST_GROUP }
    }

    /// A page is overwritten in a group, some page writes after its block was filled. `blocks` are in the hot group.
    pub fn overwritten(&mut self, lpn: Lpn, group: u8, age: u64, blocks: u32) {
        if !self.learns(blocks) {
            return;
        }
        self.left -= 1;
        let value = &mut self.values[lpn.index()];
        *value = match group {
            HOT_GROUP => HOT.min(*value + 1),
            FIRST_GROUP if age <= self.length => HOT.min(*value + 1),
            FIRST_GROUP => value.saturating_sub(1),
            _ => *value,
        };
    }

    /// A page is moved out of a group.
    pub fn moved(&mut self, lpn: Lpn, group: u8, blocks: u32) {
        if group > FIRST_GROUP || !self.learns(blocks) {
            return;
        }
        let value = &mut self.values[lpn.index()];
        *value = value.saturating_sub(if group == HOT_GROUP { 2 } else { 1 });
    }

    /// A block of the hot group is collected, some page writes after it was filled.
    pub fn collected(&mut self, age: u64, valid: f64) {
        if self.wait == 0 {
            self.epoch.victims += 1;
            self.epoch.ages += age;
            self.epoch.valid += valid;
        }
    }

    /// Whether it takes a lesson; an epoch that is over ends before.
    fn learns(&mut self, blocks: u32) -> bool {
        if self.wait > 0 {
            return false;
        }
        if self.cold > 0 {
            self.cold -= 1;
            return false;
        }
        if self.left <= 0 && self.epoch.victims > 0 {
            self.end_epoch(blocks);
        }
        true
    }

    fn end_epoch(&mut self, blocks: u32) {
        let epoch = std::mem::take(&mut self.epoch);
        let victims = f64::from(epoch.victims);
        if epoch.hot_writes > 0 {
            self.past.truncate(EPOCHS - 1);
            self.past.push_front(HotGroup {
                traffic: epoch.hot_writes as f64 / epoch.writes as f64,
                valid: epoch.valid / victims,
                blocks: f64::from(blocks),
            });
        }
        let (age, before) = (epoch.ages as f64 / victims, self.length as f64);
        let length = if age >= 2.0 * before { 1.5 * before } else { f64::midpoint(age, before) };
        self.length = length as u64;
        self.left = self.length as i64 - 1;
    }

    /// The hot group over the last epochs, which are forgotten.
    pub fn measured(&mut self) -> HotGroup {
        if self.past.is_empty() {
            return HotGroup::UNKNOWN;
        }
        let epochs = self.past.len() as f64;
        let mean = |of: fn(&HotGroup) -> f64| self.past.iter().map(of).sum::<f64>() / epochs;
        let (traffic, valid) = (mean(|each| each.traffic), mean(|each| each.valid));
        let blocks = (mean(|each| each.blocks) + 1.5).floor();
        self.past.clear();
        HotGroup { traffic, valid, blocks }
    }

    /// Bytes of RAM: two bits for each page.
    pub const fn ram(&self) -> u64 {
        (self.values.len() as u64).div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filter of 4 pages that has begun and takes lessons.
    fn filter() -> HotFilter {
        let mut filter = HotFilter::new(4);
        for page in 0..4 {
            assert_eq!(filter.group(Lpn(page)), FIRST_GROUP);
        }
        (0..4).for_each(|_| filter.overwritten(Lpn(0), FIRST_GROUP, 0, 0));
        assert_eq!(filter.values, [0; 4], "the first lessons are not taken");
        filter
    }

    #[test]
    fn a_page_that_is_overwritten_young_three_times_is_hot() {
        let mut filter = filter();
        for age in [4, 0, 5] {
            filter.overwritten(Lpn(1), FIRST_GROUP, age, 0);
        }
        assert_eq!(filter.values[1], 1, "an age of 5 is more than an epoch");
        (0..3).for_each(|_| filter.overwritten(Lpn(1), HOT_GROUP, 9, 0));
        assert_eq!(filter.group(Lpn(1)), HOT_GROUP, "out of the hot group at any age");
        filter.overwritten(Lpn(2), 2, 0, 0);
        assert_eq!(filter.values, [0, 3, 0, 0]);
    }

    #[test]
    fn a_page_that_is_moved_sinks() {
        let mut filter = filter();
        filter.values = vec![3, 3, 3, 1];
        for (page, group) in [(0, HOT_GROUP), (1, FIRST_GROUP), (2, 2), (3, HOT_GROUP)] {
            filter.moved(Lpn(page), group, 0);
        }
        assert_eq!(filter.values, [1, 2, 3, 0]);
    }

    #[test]
    fn an_epoch_is_as_long_as_blocks_of_the_hot_group_live() {
        let mut filter = filter();
        filter.values = vec![3, 0, 0, 0];
        for page in [0, 1, 1, 1] {
            filter.group(Lpn(page));
            filter.overwritten(Lpn(page), HOT_GROUP, 0, 2);
        }
        assert_eq!((filter.length, filter.left), (4, 0));
        filter.overwritten(Lpn(1), HOT_GROUP, 0, 2);
        assert_eq!(filter.length, 4, "no block of the hot group was collected");
        filter.collected(6, 0.5);
        filter.collected(2, 0.0);
        filter.overwritten(Lpn(1), HOT_GROUP, 0, 2);
        assert_eq!(
            (filter.length, filter.left),
            (4, 2),
            "the mean of 4 and 4; two lessons are taken"
        );
        filter.collected(100, 0.25);
        filter.left = 0;
        filter.overwritten(Lpn(1), HOT_GROUP, 0, 2);
        assert_eq!(filter.length, 6, "half as long again at most");
        let group = filter.measured();
        assert_eq!(group, HotGroup { traffic: 0.25, valid: 0.25, blocks: 3.0 });
        assert_eq!(filter.measured(), HotGroup::UNKNOWN);
    }
}
