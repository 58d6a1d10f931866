//! Small numbers under dense keys: a tree of minima, which finds the least at once.

/// Numbers that share one minimum: a cache line of them.
const WIDTH: usize = 32;

/// No number.
const NONE: u16 = u16::MAX;

/// Up to one number for each key, at 2 B for each possible key. Lowering a number mostly touches
/// only its own place.
#[derive(Clone, Debug)]
pub struct MinTree {
    /// Level 0 has the number of each key, each level above the minimum of every [`WIDTH`] places below.
    levels: Vec<Vec<u16>>,
}

impl MinTree {
    /// No number for any of `keys` keys.
    #[must_use]
    pub fn new(keys: u32) -> Self {
        let mut places = keys as usize;
        let mut levels = Vec::new();
        loop {
            places = places.div_ceil(WIDTH).max(1);
            levels.push(vec![NONE; places * WIDTH]);
            if places == 1 {
                return MinTree { levels };
            }
        }
    }

    /// Gives a key a number, which must be below its present number, if there is one.
    #[inline]
    pub fn lower(&mut self, key: u32, number: u16) {
        let mut place = key as usize;
        for level in &mut self.levels {
            if level[place] <= number {
                return;
            }
            level[place] = number;
            place /= WIDTH;
        }
    }

    /// Takes the number of a key away.
    pub fn remove(&mut self, key: u32) {
        let (mut place, mut number) = (key as usize, NONE);
        for level in &mut self.levels {
            level[place] = number;
            place /= WIDTH;
            number = level[place * WIDTH..][..WIDTH].iter().copied().fold(NONE, u16::min);
        }
    }

    /// The lowest key among those with the least number; `None` if no key has any.
    #[must_use]
    pub fn min(&self) -> Option<u32> {
        let least = *self.levels.last()?.iter().min().filter(|least| **least != NONE)?;
        let lowest = |node: usize, level: &Vec<u16>| {
            let places = &level[node * WIDTH..][..WIDTH];
            Some(node * WIDTH + places.iter().position(|number| *number == least)?)
        };
        self.levels.iter().rev().try_fold(0, lowest).map(|key| key as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn a_tree_finds_the_least_as_an_ordered_set_does() {
        for keys in [1, 31, 32, 33, 1024, 1025, 40_000] {
            let mut rng = Rng::new(u64::from(keys), "minima");
            let (mut tree, mut model) = (MinTree::new(keys), BTreeSet::new());
            let mut numbers = vec![NONE; keys as usize];
            for _ in 0..5_000 {
                let least: Option<&(u16, u32)> = model.first();
                assert_eq!(tree.min(), least.map(|(_, key)| *key));
                let drawn = rng.below(u64::from(keys)) as u32;
                let key = least.filter(|_| rng.chance(0.3)).map_or(drawn, |(_, key)| *key);
                let number = &mut numbers[key as usize];
                model.remove(&(*number, key));
                if rng.chance(0.7) && *number > 0 {
                    *number = rng.below(u64::from((*number).min(100))) as u16;
                    model.insert((*number, key));
                    tree.lower(key, *number);
                } else {
                    *number = NONE;
                    tree.remove(key);
                }
            }
        }
    }
}
