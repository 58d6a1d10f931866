//! Closed blocks in the order in which they were filled.

use super::Closed;
use crate::units::Pbn;
use std::collections::BTreeSet;

/// Blocks in the order in which they were filled. Where GC starts by garbage the time of the host decides, and the
/// [number](Closed::number) among equals; else the order in which they were closed.
#[derive(Clone, Debug)]
pub struct InOrder {
    blocks: BTreeSet<(u64, u64, Pbn)>,
    /// The place of each block.
    places: Vec<(u64, u64)>,
    closed: u64,
}

impl InOrder {
    /// None yet, of a pool of `blocks`.
    pub fn new(blocks: u32) -> Self {
        InOrder { blocks: BTreeSet::new(), places: vec![(0, 0); blocks as usize], closed: 0 }
    }

    /// Adds a block.
    pub fn push(&mut self, Closed { pbn, at, number, .. }: Closed) {
        self.closed += 1;
        let place = number.map_or((0, self.closed), |number| (at.time, number));
        self.places[pbn.index()] = place;
        self.blocks.insert((place.0, place.1, pbn));
    }

    /// Takes a block out.
    pub fn remove(&mut self, pbn: Pbn) {
        let (first, second) = self.places[pbn.index()];
        self.blocks.remove(&(first, second, pbn));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The blocks, the one filled first in front.
    pub fn iter(&self) -> impl Iterator<Item = Pbn> {
        self.blocks.iter().map(|(_, _, pbn)| *pbn)
    }
}
