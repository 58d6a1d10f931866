//! The segmented replacement that `FlashSim`'s DFTL really uses (ALGORITHMS 2.2).
//!
//! Entries have ages. A miss enters the *real* segment with the greatest age plus one; when that is
//! full, its youngest-aged entry falls into the *ghost* segment, whose youngest-aged entry is the
//! victim. A hit adds one to the age; a ghost that has thereby caught up with the lowest age in the
//! real segment changes places with it. Ties go to the entry that entered its segment first.

use super::indexed_heap::IndexedHeap;

/// Age, then order of entering the segment.
type Key = (u64, u64);

/// The replacement order of dense tokens.
#[derive(Clone, Debug)]
pub struct AgedSegments {
    real: IndexedHeap<Key>,
    ghost: IndexedHeap<Key>,
    real_capacity: usize,
    greatest_age: u64,
    entered: u64,
}

impl AgedSegments {
    /// At most `real_capacity` tokens are in the real segment; at least one.
    #[must_use]
    pub fn new(real_capacity: usize) -> Self {
        AgedSegments {
            real: IndexedHeap::default(),
            ghost: IndexedHeap::default(),
            real_capacity: real_capacity.max(1),
            greatest_age: 0,
            entered: 0,
        }
    }

    /// Adds a token to the real segment, older than all others.
    pub fn insert(&mut self, token: u32) {
        if self.real.len() == self.real_capacity {
            let youngest = self.real.min().expect("the real segment is full");
            let (age, _) = self.real.key(youngest);
            self.real.remove(youngest);
            let key = self.enter(age);
            self.ghost.insert(youngest, key);
        }
        let key = self.enter(self.greatest_age + 1);
        self.real.insert(token, key);
    }

    /// Notes a hit.
    pub fn touch(&mut self, token: u32) {
        if self.real.contains(token) {
            let (age, order) = self.real.key(token);
            self.greatest_age = self.greatest_age.max(age + 1);
            self.real.update(token, (age + 1, order));
            return;
        }
        let (age, order) = self.ghost.key(token);
        let age = age + 1;
        self.ghost.update(token, (age, order));
        match self.real.min() {
            Some(lowest) if self.real.key(lowest).0 <= age => self.exchange(token, lowest, age),
            _ => {}
        }
    }

    fn exchange(&mut self, ghost: u32, real: u32, ghost_age: u64) {
        let (real_age, _) = self.real.key(real);
        self.ghost.remove(ghost);
        self.real.remove(real);
        let key = self.enter(ghost_age);
        self.real.insert(ghost, key);
        let key = self.enter(real_age);
        self.ghost.insert(real, key);
    }

    fn enter(&mut self, age: u64) -> Key {
        self.greatest_age = self.greatest_age.max(age);
        self.entered += 1;
        (age, self.entered)
    }

    /// The token to evict next: the youngest-aged ghost, else the youngest-aged real one.
    #[must_use]
    pub fn victim(&self) -> Option<u32> {
        self.ghost.min().or_else(|| self.real.min())
    }

    /// Forgets a token.
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
        assert!(self.real.len() <= self.real_capacity, "real segment overflows");
        assert_eq!(self.real.len() + self.ghost.len(), len, "tokens in the segments");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_miss_enters_the_real_segment_and_its_youngest_becomes_a_ghost() {
        let mut segments = AgedSegments::new(2);
        (0..4).for_each(|token| segments.insert(token)); // ages 1 2 3 4; real 2 3, ghost 0 1
        assert_eq!(segments.victim(), Some(0));
        segments.touch(0); // age 2, below the lowest real age 3: stays a ghost
        assert!(segments.ghost.contains(0));
        assert_eq!(segments.victim(), Some(0), "of two ghosts of age 2 the first to enter");
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
}
