//! A min-heap over dense tokens whose keys may change. The order among equal keys is deterministic,
//! but not specified.

use super::links::NIL;

/// Children of an item. Few levels are better, as each costs a cache line.
const CHILDREN: usize = 4;

/// Minimum-keyed tokens; changing the key of a token costs O(log n).
#[derive(Clone, Debug)]
pub struct IndexedHeap<K> {
    heap: Vec<(K, u32)>,
    /// Position of each token in `heap`, or [`NIL`].
    positions: Vec<u32>,
}

impl<K> Default for IndexedHeap<K> {
    fn default() -> Self {
        IndexedHeap { heap: Vec::new(), positions: Vec::new() }
    }
}

impl<K: Ord + Copy> IndexedHeap<K> {
    /// Number of tokens.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether there is no token.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Whether the token is in the heap.
    #[inline]
    #[must_use]
    pub fn contains(&self, token: u32) -> bool {
        self.positions.get(token as usize).is_some_and(|position| *position != NIL)
    }

    /// The key of a token in the heap.
    #[inline]
    #[must_use]
    pub fn key(&self, token: u32) -> K {
        self.heap[self.positions[token as usize] as usize].0
    }

    /// The token with the smallest key.
    #[inline]
    #[must_use]
    pub fn min(&self) -> Option<u32> {
        self.heap.first().map(|(_, token)| *token)
    }

    /// The token with the smallest key except `other`; `other` when it is alone.
    #[must_use]
    pub fn min_but(&self, other: u32) -> Option<u32> {
        match self.heap.first()? {
            (_, token) if *token != other => Some(*token),
            _ => {
                let children = self.heap.iter().skip(1).take(CHILDREN);
                Some(children.min_by_key(|item| item.0).map_or(other, |(_, token)| *token))
            }
        }
    }

    /// Adds a token that is not in the heap.
    pub fn insert(&mut self, token: u32, key: K) {
        if self.positions.len() <= token as usize {
            self.positions.resize(token as usize + 1, NIL);
        }
        debug_assert!(!self.contains(token));
        self.heap.push((key, token));
        self.rise(self.heap.len() - 1);
    }

    /// Takes a token out of the heap.
    pub fn remove(&mut self, token: u32) {
        let at = self.positions[token as usize] as usize;
        self.positions[token as usize] = NIL;
        let last = self.heap.pop().expect("the token is in the heap");
        if at < self.heap.len() {
            self.heap[at] = last;
            self.settle(at);
        }
    }

    /// Gives a token of the heap another key.
    #[inline]
    pub fn update(&mut self, token: u32, key: K) {
        let at = self.positions[token as usize] as usize;
        self.heap[at].0 = key;
        self.settle(at);
    }

    fn settle(&mut self, at: usize) {
        if at > 0 && self.heap[at].0 < self.heap[parent(at)].0 {
            self.rise(at);
        } else {
            self.sink(at);
        }
    }

    fn rise(&mut self, mut at: usize) {
        let item = self.heap[at];
        while at > 0 && item.0 < self.heap[parent(at)].0 {
            self.place(at, self.heap[parent(at)]);
            at = parent(at);
        }
        self.place(at, item);
    }

    fn sink(&mut self, mut at: usize) {
        let item = self.heap[at];
        while let Some(child) = self.smallest_child(at) {
            let smallest = self.heap[child];
            if item.0 <= smallest.0 {
                break;
            }
            self.place(at, smallest);
            at = child;
        }
        self.place(at, item);
    }

    #[inline]
    fn smallest_child(&self, at: usize) -> Option<usize> {
        let first = CHILDREN * at + 1;
        let children = self.heap.get(first..)?;
        if let [a, b, c, d, ..] = children {
            // Found by arithmetic, because a branch on the smaller key is unpredictable.
            let (left, right) = (usize::from(b.0 < a.0), 2 + usize::from(d.0 < c.0));
            let is_right = usize::from(children[right].0 < children[left].0);
            return Some(first + left + is_right * (right - left));
        }
        let (smallest, _) = children.iter().enumerate().min_by_key(|(_, child)| child.0)?;
        Some(first + smallest)
    }

    #[inline]
    fn place(&mut self, at: usize, item: (K, u32)) {
        self.heap[at] = item;
        self.positions[item.1 as usize] = at as u32;
    }
}

const fn parent(at: usize) -> usize {
    (at - 1) / CHILDREN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn a_heap_behaves_as_an_ordered_set() {
        let mut rng = Rng::new(1, "heap");
        let mut heap = IndexedHeap::default();
        let mut model = BTreeSet::new();
        for _ in 0..50_000 {
            let token = rng.below(40) as u32;
            let key = rng.below(30);
            match (heap.contains(token), rng.below(3)) {
                (false, _) => {
                    heap.insert(token, key);
                    model.insert((key, token));
                }
                (true, 0) => {
                    assert!(model.remove(&(heap.key(token), token)));
                    heap.remove(token);
                }
                (true, _) => {
                    assert!(model.remove(&(heap.key(token), token)));
                    heap.update(token, key);
                    model.insert((key, token));
                }
            }
            assert_eq!(heap.len(), model.len());
            let key = |token| heap.key(token);
            assert_eq!(heap.min().map(key), model.first().map(|(key, _)| *key));
            let others = model.iter().find(|(_, t)| *t != token);
            let expected = others.or(model.first()).map(|(key, _)| *key);
            assert_eq!(heap.min_but(token).map(key), expected);
            assert!(heap.min_but(token) != Some(token) || model.len() == 1);
        }
    }
}
