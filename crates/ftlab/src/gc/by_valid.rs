//! Closed blocks by their valid pages, and in order among those that have equally many.

use crate::units::{Nanos, Pbn};
use std::collections::BTreeSet;

/// A time, and what decides among blocks of equal times.
pub type Place = (Nanos, u64);

/// The closed blocks of each count of valid pages, the lowest [`Place`] in front.
#[derive(Clone, Debug)]
pub struct ByValid {
    blocks: Vec<BTreeSet<(Place, Pbn)>>,
    places: Vec<Place>,
}

impl ByValid {
    /// None yet, of a pool of blocks.
    pub fn new(blocks: u32, pages_per_block: u32) -> Self {
        ByValid {
            blocks: vec![BTreeSet::new(); pages_per_block as usize + 1],
            places: vec![Place::default(); blocks as usize],
        }
    }

    /// Adds a block.
    pub fn add(&mut self, pbn: Pbn, valid: u32, place: Place) {
        self.places[pbn.index()] = place;
        self.blocks[valid as usize].insert((place, pbn));
    }

    /// A block has one valid page fewer: `valid` are left.
    pub fn shrink(&mut self, pbn: Pbn, valid: u32) {
        self.remove(pbn, valid + 1);
        self.add(pbn, valid, self.places[pbn.index()]);
    }

    /// Takes a block out.
    pub fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.blocks[valid as usize].remove(&(self.places[pbn.index()], pbn));
    }

    /// The first block of each count of valid pages that has any, the lowest count in front.
    pub fn first(&self) -> impl Iterator<Item = (usize, Place, Pbn)> {
        let first = self.blocks.iter().enumerate();
        first.filter_map(|(valid, blocks)| blocks.first().map(|(place, pbn)| (valid, *place, *pbn)))
    }
}
