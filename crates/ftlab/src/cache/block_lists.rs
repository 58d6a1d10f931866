//! Queues of blocks, oldest first, with removal from anywhere.

use super::links::{Links, List, NIL};
use crate::units::Pbn;

/// A fixed number of queues over all blocks of a device; a block is on at most one.
#[derive(Clone, Debug)]
pub struct BlockLists {
    links: Links,
    lists: Vec<List>,
}

impl BlockLists {
    /// Empty queues.
    #[must_use]
    pub fn new(queues: usize, blocks: u32) -> Self {
        let mut links = Links::default();
        links.grow(blocks as usize);
        BlockLists { links, lists: vec![List::default(); queues] }
    }

    /// Appends a block that is on no queue.
    #[inline]
    pub fn push(&mut self, queue: usize, pbn: Pbn) {
        self.links.push_front(&mut self.lists[queue], pbn.0);
    }

    /// Takes a block off the queue that it is on.
    #[inline]
    pub fn remove(&mut self, queue: usize, pbn: Pbn) {
        self.links.remove(&mut self.lists[queue], pbn.0);
    }

    /// The block that has been on the queue longest.
    #[inline]
    #[must_use]
    pub fn oldest(&self, queue: usize) -> Option<Pbn> {
        Some(self.lists[queue].back()).filter(|token| *token != NIL).map(Pbn)
    }
}
