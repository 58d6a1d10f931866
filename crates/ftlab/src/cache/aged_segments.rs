//! The segmented replacement that `FlashSim`'s DFTL really uses (choices.md#dftl-segments).
//!
//! Entries have ages. A miss enters the *real* segment with the greatest age plus one. When that
//! segment is full, its entry of the lowest age moves to the *ghost* segment. The ghost of the
//! lowest age is the victim. A hit adds one to the age. A ghost that thereby reaches the lowest age
//! in the real segment changes places with that entry. Among equal ages, the entry that reached the
//! age first goes first.
//!
//! No ghost is older than the youngest real entry, so an entry that changes segment enters at an
//! end.

use super::age_list::AgeList;

/// The replacement order of dense tokens.
#[derive(Clone, Debug)]
pub struct AgedSegments {
    real: AgeList,
    ghost: AgeList,
    real_capacity: usize,
    greatest_age: u64,
}

impl AgedSegments {
    /// At most `real_capacity` tokens are in the real segment; at least one.
    #[must_use]
    pub fn new(real_capacity: usize) -> Self {
        AgedSegments {
            real: AgeList::default(),
            ghost: AgeList::default(),
            real_capacity: real_capacity.max(1),
            greatest_age: 0,
        }
    }

    /// Adds a token to the real segment, older than all others.
    pub fn insert(&mut self, token: u32) {
        if self.real.len() == self.real_capacity {
            self.demote_lowest();
        }
        self.greatest_age += 1;
        self.real.insert_high(token, self.greatest_age);
    }

    fn demote_lowest(&mut self) {
        if let Some(lowest) = self.real.lowest() {
            let age = self.real.age(lowest);
            self.real.remove(lowest);
            self.ghost.insert_high(lowest, age);
        }
    }

    /// Notes a hit.
    #[inline]
    pub fn touch(&mut self, token: u32) {
        if self.real.contains(token) {
            self.real.grow_older(token);
            self.greatest_age = self.greatest_age.max(self.real.age(token));
            return;
        }
        self.ghost.grow_older(token);
        let age = self.ghost.age(token);
        if self.real.lowest().is_some_and(|lowest| self.real.age(lowest) <= age) {
            self.ghost.remove(token);
            self.demote_lowest();
            self.real.insert_low(token, age);
            self.greatest_age = self.greatest_age.max(age);
        }
    }

    /// The token to evict next: the ghost of the lowest age, or the real one if there is no ghost.
    #[inline]
    #[must_use]
    pub fn victim(&self) -> Option<u32> {
        self.ghost.lowest().or_else(|| self.real.lowest())
    }

    /// Forgets a token.
    #[inline]
    pub fn remove(&mut self, token: u32) {
        if self.real.contains(token) {
            self.real.remove(token);
        } else {
            self.ghost.remove(token);
        }
    }

    /// Checks the segments.
    ///
    /// # Panics
    /// When the real segment overflows or `len` is not the number of tokens.
    pub fn audit(&self, len: usize) {
        self.real.audit();
        self.ghost.audit();
        assert!(self.real.len() <= self.real_capacity, "real segment overflows");
        assert_eq!(self.real.len() + self.ghost.len(), len, "tokens in the segments");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn a_miss_enters_the_real_segment_and_its_lowest_becomes_a_ghost() {
        let mut segments = AgedSegments::new(2);
        (0..4).for_each(|token| segments.insert(token)); // ages 1 2 3 4; real 2 3, ghost 0 1
        assert_eq!(segments.victim(), Some(0));
        segments.touch(0); // age 2, below the lowest real age 3: stays a ghost
        assert!(segments.ghost.contains(0));
        assert_eq!(segments.victim(), Some(1), "of two ghosts of age 2 the first to get there");
    }

    #[test]
    fn a_ghost_that_catches_up_changes_places() {
        let mut segments = AgedSegments::new(2);
        (0..3).for_each(|token| segments.insert(token)); // ages 1 2 3; real 1 2, ghost 0
        segments.touch(0); // age 2 = lowest real age: changes places with 1
        assert!(segments.real.contains(0) && segments.ghost.contains(1));
        assert_eq!(segments.victim(), Some(1));
        segments.remove(1);
        segments.audit(2);
    }

    #[test]
    fn no_ghost_is_older_than_a_real_entry() {
        let mut rng = Rng::new(3, "aged");
        let mut segments = AgedSegments::new(16);
        let mut tokens: Vec<u32> = Vec::new();
        for _ in 0..50_000 {
            if tokens.len() < 24 {
                let token = (0..24).find(|token| !tokens.contains(token)).expect("a free token");
                segments.insert(token);
                tokens.push(token);
            } else if rng.chance(0.7) {
                segments.touch(tokens[(rng.below(24) * rng.below(24) / 24) as usize]);
            } else {
                let victim = segments.victim().expect("full");
                segments.remove(victim);
                tokens.retain(|token| *token != victim);
            }
            segments.audit(tokens.len());
            let lowest_real = segments.real.lowest().map(|token| segments.real.age(token));
            let ghosts = tokens.iter().filter(|token| segments.ghost.contains(**token));
            let oldest_ghost = ghosts.map(|token| segments.ghost.age(*token)).max();
            assert!(oldest_ghost <= lowest_real, "{oldest_ghost:?} {lowest_real:?}");
        }
    }
}
