//! Closed blocks in the order of their numbers, for policies that compare each with all others.

use super::Closed;
use super::by_valid::highest;
use crate::units::Pbn;
use std::collections::BTreeMap;

/// Closed blocks with their valid pages, the lowest number in front: that of the block, or the
/// [order](Closed::number) in which blocks of a volume were opened.
#[derive(Clone, Debug)]
pub struct Numbered {
    blocks: BTreeMap<u64, Pbn>,
    numbers: Vec<u64>,
    valid: Vec<u32>,
}

impl Numbered {
    /// None yet, of a pool of `blocks`.
    pub fn new(blocks: u32) -> Self {
        let blocks = blocks as usize;
        Numbered { blocks: BTreeMap::new(), numbers: vec![0; blocks], valid: vec![0; blocks] }
    }

    /// Adds a block.
    pub fn close(&mut self, Closed { pbn, valid, number, .. }: Closed) {
        let number = number.unwrap_or(pbn.0.into());
        self.numbers[pbn.index()] = number;
        self.valid[pbn.index()] = valid;
        self.blocks.insert(number, pbn);
    }

    /// A block has `valid` pages left.
    pub fn shrink(&mut self, pbn: Pbn, valid: u32) {
        self.valid[pbn.index()] = valid;
    }

    /// Takes a block out.
    pub fn remove(&mut self, pbn: Pbn) {
        unless_bug!(NumberedKeepsCollected, _ = self.blocks.remove(&self.numbers[pbn.index()]));
    }

    /// The block with the highest score, the lowest number among equals. A score is asked with valid pages.
    pub fn best(&self, score: impl Fn(Pbn, u32) -> f64) -> Option<Pbn> {
        let blocks = self.blocks.values();
        highest(blocks.map(|pbn| (score(*pbn, self.valid[pbn.index()]), *pbn)))
    }
}
