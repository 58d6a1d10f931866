//! Simplified 2Q (Johnson & Shasha, VLDB 1994, section 2): a miss enters `A1`, first in, first out; a hit
//! there moves to `Am`, least recently used. While `A1` holds more than its share, its oldest goes first.

use super::links::{Links, List, NIL};

/// The replacement order of dense tokens in two queues.
#[derive(Clone, Debug)]
pub struct TwoQ {
    links: Links,
    a1: List,
    am: List,
    is_in_am: Vec<bool>,
    most_in_a1: usize,
}

impl TwoQ {
    /// `A1` gives up tokens while it holds more than `most_in_a1` of them.
    #[must_use]
    pub fn new(most_in_a1: usize) -> Self {
        TwoQ {
            links: Links::default(),
            a1: List::default(),
            am: List::default(),
            is_in_am: Vec::new(),
            most_in_a1,
        }
    }

    /// Adds a token as the newest of `A1`.
    pub fn insert(&mut self, token: u32) {
        if self.is_in_am.len() <= token as usize {
            self.is_in_am.resize(token as usize + 1, false);
            self.links.grow(token as usize + 1);
        }
        self.is_in_am[token as usize] = false;
        self.links.push_front(&mut self.a1, token);
    }

    /// Notes a hit.
    pub fn touch(&mut self, token: u32) {
        if self.is_in_am[token as usize] {
            self.links.touch(&mut self.am, token);
        } else {
            self.links.remove(&mut self.a1, token);
            self.links.push_front(&mut self.am, token);
            unless_bug!(TwoQueuesHitUnnoted, self.is_in_am[token as usize] = true);
        }
    }

    /// The token to evict next.
    #[must_use]
    pub fn victim(&self) -> Option<u32> {
        let oldest = if self.a1.len() > self.most_in_a1 || self.am.is_empty() {
            self.a1.back()
        } else {
            self.am.back()
        };
        (oldest != NIL).then_some(oldest)
    }

    /// Forgets a token.
    pub fn remove(&mut self, token: u32) {
        let list = if self.is_in_am[token as usize] { &mut self.am } else { &mut self.a1 };
        self.links.remove(list, token);
    }

    /// Checks the queues.
    ///
    /// # Panics
    /// When they are inconsistent or `len` is not the number of tokens.
    pub fn audit(&self, len: usize) {
        self.links.audit(&self.a1);
        self.links.audit(&self.am);
        assert_eq!(self.a1.len() + self.am.len(), len, "tokens in the queues");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_once_goes_before_what_is_asked_for_again() {
        let mut queues = TwoQ::new(1);
        (0..4).for_each(|token| queues.insert(token));
        [0, 1, 0].into_iter().for_each(|token| queues.touch(token));
        // A1: 3 2; Am: 0 1.
        let mut order = Vec::new();
        while let Some(token) = queues.victim() {
            order.push(token);
            queues.remove(token);
        }
        assert_eq!(order, [2, 1, 0, 3], "one may stay in A1 until Am is empty");
        queues.audit(0);
    }
}
