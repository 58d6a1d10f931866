//! Closed blocks by their valid pages, and in order among those that have equally many.
//!
//! Each page that the host overwrites moves a block from one count to the next, and few victims are chosen. Each count has a
//! heap, of which only the first block is in its place.

use crate::units::{Nanos, Pbn};

/// A time, and what decides among blocks of equal times.
pub type Place = (Nanos, u64);

/// The block with the highest score, the first among equals.
pub fn highest(scores: impl Iterator<Item = (f64, Pbn)>) -> Option<Pbn> {
    let mut best: Option<(f64, Pbn)> = None;
    for (score, pbn) in scores {
        if best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, pbn));
        }
    }
    best.map(|(_, pbn)| pbn)
}

/// The closed blocks of each count of valid pages, the lowest [`Place`] in front.
#[derive(Clone, Debug)]
pub struct ByValid {
    heaps: Vec<Vec<Pbn>>,
    places: Vec<Place>,
    /// Where a block is in its heap.
    positions: Vec<u32>,
}

impl ByValid {
    /// None yet, of a pool of blocks.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        ByValid {
            heaps: vec![Vec::new(); pages_per_block as usize + 1],
            places: vec![Place::default(); blocks as usize],
            positions: vec![0; blocks as usize],
        }
    }

    /// Adds a block.
    pub fn add(&mut self, pbn: Pbn, valid: u32, place: Place) {
        self.places[pbn.index()] = place;
        let heap = &mut self.heaps[valid as usize];
        heap.push(pbn);
        let last = heap.len() - 1;
        self.rise(valid, last);
    }

    /// A block has one valid page fewer: `valid` are left.
    pub fn shrink(&mut self, pbn: Pbn, valid: u32) {
        self.remove(pbn, valid + 1);
        self.add(pbn, valid, self.places[pbn.index()]);
    }

    /// Takes a block out.
    pub fn remove(&mut self, pbn: Pbn, valid: u32) {
        let at = self.positions[pbn.index()] as usize;
        let heap = &mut self.heaps[valid as usize];
        heap.swap_remove(at);
        if at < heap.len() {
            self.rise(valid, at);
            self.sink(valid, at);
        }
    }

    /// All blocks, each with its valid pages.
    pub fn iter(&self) -> impl Iterator<Item = (Pbn, u32)> {
        let counts = self.heaps.iter().zip(0..);
        counts.flat_map(|(heap, valid)| heap.iter().map(move |pbn| (*pbn, valid)))
    }

    /// The first block of each count of valid pages that has any, the lowest count in front.
    pub fn first(&self) -> impl Iterator<Item = (usize, Place, Pbn)> {
        let first = self.heaps.iter().enumerate();
        first.filter_map(|(valid, heap)| {
            heap.first().map(|pbn| (valid, self.places[pbn.index()], *pbn))
        })
    }

    /// The block with the highest (1 - u) / u x sqrt(age), and among equals the one with the fewest valid pages. u is the
    /// share of valid pages. Age is the time since that of its [`Place`]. A block without valid pages comes first.
    pub fn best_by_age(&self, now: Nanos) -> Option<Pbn> {
        let pages = self.heaps.len() - 1;
        highest(self.first().map(|(valid, (since, _), pbn)| {
            let age = now.saturating_sub(since) as f64;
            let gain = (pages - valid) as f64 / valid as f64;
            (if valid == 0 { f64::INFINITY } else { gain * age.sqrt() }, pbn)
        }))
    }

    /// Moves the block at a position to the front of those behind it.
    fn rise(&mut self, valid: u32, mut at: usize) {
        let heap = &mut self.heaps[valid as usize];
        let pbn = heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.places[heap[parent].index()] <= self.places[pbn.index()] {
                break;
            }
            heap[at] = heap[parent];
            self.positions[heap[at].index()] = at as u32;
            at = parent;
        }
        heap[at] = pbn;
        self.positions[pbn.index()] = at as u32;
    }

    /// Moves the block at a position behind those in front of it.
    fn sink(&mut self, valid: u32, mut at: usize) {
        let heap = &mut self.heaps[valid as usize];
        let pbn = heap[at];
        let place = |pbn: Pbn| self.places[pbn.index()];
        loop {
            let children = [2 * at + 1, 2 * at + 2].into_iter().filter(|child| *child < heap.len());
            let Some(child) = children.min_by_key(|child| place(heap[*child])) else { break };
            if place(pbn) <= place(heap[child]) {
                break;
            }
            heap[at] = heap[child];
            self.positions[heap[at].index()] = at as u32;
            at = child;
        }
        heap[at] = pbn;
        self.positions[pbn.index()] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn the_first_of_each_count_is_that_of_an_ordered_set() {
        let mut rng = Rng::new(1, "by_valid");
        let mut blocks = ByValid::new(40, 3);
        let mut sets = vec![BTreeSet::new(); 4];
        let mut state: Vec<Option<(u32, Place)>> = vec![None; 40];
        for number in 0..5000 {
            let pbn = Pbn(rng.below(40) as u32);
            match (&mut state[pbn.index()], rng.chance(0.5)) {
                (none @ None, _) => {
                    let (valid, place) = (rng.below(4) as u32, (rng.below(9), number));
                    blocks.add(pbn, valid, place);
                    sets[valid as usize].insert((place, pbn));
                    *none = Some((valid, place));
                }
                (Some((valid, place)), true) if *valid > 0 => {
                    sets[*valid as usize].remove(&(*place, pbn));
                    *valid -= 1;
                    blocks.shrink(pbn, *valid);
                    sets[*valid as usize].insert((*place, pbn));
                }
                (some @ Some(_), _) => {
                    let (valid, place) = some.take().expect("a block");
                    blocks.remove(pbn, valid);
                    sets[valid as usize].remove(&(place, pbn));
                }
            }
            let first = sets
                .iter()
                .enumerate()
                .filter_map(|(valid, set)| set.first().map(|(place, pbn)| (valid, *place, *pbn)));
            assert!(blocks.first().eq(first), "after {number} changes");
        }
    }
}
