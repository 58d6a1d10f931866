//! Segmented LRU: a miss enters probation, a hit there promotes to the protected segment, whose
//! overflow falls back. With no protected room it is plain LRU.

use super::links::{Links, List, NIL};

/// The recency order of dense tokens in two segments.
#[derive(Clone, Debug)]
pub struct SegmentedLru {
    links: Links,
    probation: List,
    protected: List,
    is_protected: Vec<bool>,
    protected_capacity: usize,
}

impl SegmentedLru {
    /// At most `protected_capacity` tokens are protected.
    #[must_use]
    pub fn new(protected_capacity: usize) -> Self {
        SegmentedLru {
            links: Links::default(),
            probation: List::default(),
            protected: List::default(),
            is_protected: Vec::new(),
            protected_capacity,
        }
    }

    /// Adds a token as the newest on probation.
    #[inline]
    pub fn insert(&mut self, token: u32) {
        if self.is_protected.len() <= token as usize {
            self.is_protected.resize(token as usize + 1, false);
            self.links.grow(token as usize + 1);
        }
        self.is_protected[token as usize] = false;
        self.links.push_front(&mut self.probation, token);
    }

    /// Notes a hit.
    #[inline]
    pub fn touch(&mut self, token: u32) {
        if self.is_protected[token as usize] {
            self.links.touch(&mut self.protected, token);
        } else if self.protected_capacity == 0 {
            self.links.touch(&mut self.probation, token);
        } else {
            self.promote(token);
        }
    }

    fn promote(&mut self, token: u32) {
        self.links.remove(&mut self.probation, token);
        self.links.push_front(&mut self.protected, token);
        self.is_protected[token as usize] = true;
        if self.protected.len() > self.protected_capacity {
            let oldest = self.protected.back();
            self.links.remove(&mut self.protected, oldest);
            self.links.push_front(&mut self.probation, oldest);
            self.is_protected[oldest as usize] = false;
        }
    }

    /// The token to evict next: the oldest on probation, else the oldest protected.
    #[inline]
    #[must_use]
    pub fn victim(&self) -> Option<u32> {
        [self.probation.back(), self.protected.back()].into_iter().find(|token| *token != NIL)
    }

    /// Forgets a token.
    #[inline]
    pub fn remove(&mut self, token: u32) {
        let protected = self.is_protected[token as usize];
        let list = if protected { &mut self.protected } else { &mut self.probation };
        self.links.remove(list, token);
    }

    /// Checks the segments.
    ///
    /// # Panics
    /// When they are inconsistent or `len` is not the number of tokens.
    pub fn audit(&self, len: usize) {
        self.links.audit(&self.probation);
        self.links.audit(&self.protected);
        assert!(self.protected.len() <= self.protected_capacity, "protected segment overflows");
        assert_eq!(self.probation.len() + self.protected.len(), len, "tokens in the segments");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_protects_and_overflow_falls_back_to_probation() {
        let mut lru = SegmentedLru::new(2);
        (0..4).for_each(|token| lru.insert(token));
        [0, 1, 2].into_iter().for_each(|token| lru.touch(token));
        // Protected: 2 1; probation: 0 3.
        let mut order = Vec::new();
        while let Some(token) = lru.victim() {
            order.push(token);
            lru.remove(token);
        }
        assert_eq!(order, [3, 0, 1, 2]);
        lru.audit(0);
    }

    #[test]
    fn without_protected_room_it_is_plain_lru() {
        let mut lru = SegmentedLru::new(0);
        (0..3).for_each(|token| lru.insert(token));
        lru.touch(0);
        assert_eq!(lru.victim(), Some(1));
        lru.audit(3);
    }
}
