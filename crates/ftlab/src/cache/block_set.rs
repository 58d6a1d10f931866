//! A set of block numbers that finds its lowest member at once: a tree of 64-bit words.

/// Members below a fixed bound. Insert, remove and lowest touch one word per level (at most 6).
#[derive(Clone, Debug)]
pub struct BlockSet {
    /// Level 0 has a bit per member; each level above has a bit per non-zero word below.
    levels: Vec<Vec<u64>>,
}

impl BlockSet {
    /// An empty set for members below `bound`.
    #[must_use]
    pub fn new(bound: u32) -> Self {
        let mut levels = Vec::new();
        let mut words = bound.div_ceil(64).max(1) as usize;
        loop {
            levels.push(vec![0_u64; words]);
            if words == 1 {
                return BlockSet { levels };
            }
            words = words.div_ceil(64);
        }
    }

    /// Adds a member.
    #[inline]
    pub fn insert(&mut self, member: u32) {
        let mut index = member as usize;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            let was_empty = *word == 0;
            *word |= 1 << (index % 64);
            if !was_empty {
                return;
            }
            index /= 64;
        }
    }

    /// Removes a member.
    #[inline]
    pub fn remove(&mut self, member: u32) {
        let mut index = member as usize;
        for level in &mut self.levels {
            let word = &mut level[index / 64];
            *word &= !(1 << (index % 64));
            if *word != 0 {
                return;
            }
            index /= 64;
        }
    }

    /// Whether there is no member.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels[self.levels.len() - 1][0] == 0
    }

    /// The lowest member.
    #[inline]
    #[must_use]
    pub fn lowest(&self) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let descend =
            |index: usize, level: &Vec<u64>| index * 64 + level[index].trailing_zeros() as usize;
        Some(self.levels.iter().rev().fold(0, descend) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn a_block_set_behaves_as_an_ordered_set() {
        for bound in [1, 63, 64, 65, 4096, 4097, 300_000] {
            let mut rng = Rng::new(u64::from(bound), "set");
            let (mut set, mut model) = (BlockSet::new(bound), BTreeSet::new());
            for _ in 0..5_000 {
                let member = rng.below(u64::from(bound)) as u32;
                if rng.chance(0.4) {
                    set.insert(member);
                    model.insert(member);
                } else {
                    let victim = model.first().copied().unwrap_or(member);
                    set.remove(victim);
                    model.remove(&victim);
                }
                assert_eq!(set.lowest(), model.first().copied());
                assert_eq!(set.is_empty(), model.is_empty());
            }
        }
    }
}
