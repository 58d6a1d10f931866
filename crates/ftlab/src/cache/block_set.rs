//! Sets of numbers as trees of 64-bit words. They find their lowest member, and the member next to
//! any number, at once.

/// Most levels of a tree.
const MOST_LEVELS: usize = 6;

/// A fixed number of sets of members below a fixed bound. Insert, remove and lowest touch one word
/// per level, of which there are at most 6.
#[derive(Clone, Debug)]
pub struct BlockSets {
    /// The sets one after another; in each, level 0 has a bit per member, and each level above a bit
    /// per non-zero word below.
    words: Vec<u64>,
    words_per_set: usize,
    /// Where each level starts in a set.
    starts: [usize; MOST_LEVELS],
    levels: usize,
}

impl BlockSets {
    /// Empty sets.
    #[must_use]
    pub fn new(sets: usize, bound: u32) -> Self {
        let (mut starts, mut levels, mut start) = ([0; MOST_LEVELS], 0, 0);
        let mut words = bound.div_ceil(64).max(1) as usize;
        loop {
            starts[levels] = start;
            levels += 1;
            start += words;
            if words == 1 {
                return BlockSets {
                    words: vec![0; sets * start],
                    words_per_set: start,
                    starts,
                    levels,
                };
            }
            words = words.div_ceil(64);
        }
    }

    /// Adds a member to a set.
    #[inline]
    pub fn insert(&mut self, set: usize, member: u32) {
        let mut index = member as usize;
        for level in 0..self.levels {
            let word = &mut self.words[set * self.words_per_set + self.starts[level] + index / 64];
            let was_empty = *word == 0;
            *word |= 1 << (index % 64);
            if !was_empty {
                return;
            }
            index /= 64;
        }
    }

    /// Removes a member from a set.
    #[inline]
    pub fn remove(&mut self, set: usize, member: u32) {
        let mut index = member as usize;
        for level in 0..self.levels {
            let word = &mut self.words[set * self.words_per_set + self.starts[level] + index / 64];
            *word &= !(1 << (index % 64));
            if *word != 0 {
                return;
            }
            index /= 64;
        }
    }

    /// The lowest member of a set.
    #[inline]
    #[must_use]
    pub fn lowest(&self, set: usize) -> Option<u32> {
        let base = set * self.words_per_set;
        if self.words[base + self.words_per_set - 1] == 0 {
            return None;
        }
        Some(self.member(base, self.levels, 0, u64::trailing_zeros))
    }

    /// The member below a bit of a level; `bit` selects a bit in each word on the way.
    #[inline]
    fn member(&self, base: usize, level: usize, index: usize, bit: impl Fn(u64) -> u32) -> u32 {
        let descend = |index: usize, start: &usize| {
            index * 64 + bit(self.words[base + start + index]) as usize
        };
        self.starts[..level].iter().rev().fold(index, descend) as u32
    }

    /// The highest member of a set up to a number below the bound.
    #[inline]
    #[must_use]
    pub fn highest_to(&self, set: usize, number: u32) -> Option<u32> {
        let base = set * self.words_per_set;
        let mut index = number as usize;
        for level in 0..self.levels {
            let word = self.words[base + self.starts[level] + index / 64];
            let lower = word & u64::MAX >> (63 - index % 64);
            if lower != 0 {
                let found = index / 64 * 64 + lower.ilog2() as usize;
                return Some(self.member(base, level, found, u64::ilog2));
            }
            index = (index / 64).checked_sub(1)?;
        }
        None
    }

    /// The lowest member of a set from a number below the bound on.
    #[inline]
    #[must_use]
    pub fn lowest_from(&self, set: usize, number: u32) -> Option<u32> {
        let base = set * self.words_per_set;
        let mut index = number as usize;
        for level in 0..self.levels {
            let end = self.starts[..self.levels].get(level + 1).unwrap_or(&self.words_per_set);
            let at = self.starts[level] + index / 64;
            if at == *end {
                return None;
            }
            let higher = self.words[base + at] & u64::MAX << (index % 64);
            if higher != 0 {
                let found = index / 64 * 64 + higher.trailing_zeros() as usize;
                return Some(self.member(base, level, found, u64::trailing_zeros));
            }
            index = index / 64 + 1;
        }
        None
    }

    /// The members of a set, ascending.
    pub fn members(&self, set: usize) -> impl Iterator<Item = u32> {
        let next = move |member: &u32| self.lowest_from(set, *member + 1);
        std::iter::successors(self.lowest(set), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn block_sets_behave_as_ordered_sets() {
        for bound in [1, 63, 64, 65, 4096, 4097, 300_000] {
            let mut rng = Rng::new(u64::from(bound), "set");
            let mut sets = BlockSets::new(2, bound);
            let mut models = [BTreeSet::new(), BTreeSet::new()];
            for _ in 0..5_000 {
                let set = rng.below(2) as usize;
                let member = rng.below(u64::from(bound)) as u32;
                if rng.chance(0.4) {
                    sets.insert(set, member);
                    models[set].insert(member);
                } else {
                    let victim = models[set].first().copied().unwrap_or(member);
                    sets.remove(set, victim);
                    models[set].remove(&victim);
                }
                let number = rng.below(u64::from(bound)) as u32;
                for (set, model) in models.iter().enumerate() {
                    assert_eq!(sets.lowest(set), model.first().copied());
                    assert!(sets.members(set).take(9).eq(model.iter().copied().take(9)));
                    let before = model.range(..=number).next_back();
                    assert_eq!(sets.highest_to(set, number), before.copied());
                    assert_eq!(
                        sets.lowest_from(set, number),
                        model.range(number..).next().copied()
                    );
                }
            }
        }
    }
}
