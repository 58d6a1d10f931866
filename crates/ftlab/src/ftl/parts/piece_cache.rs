//! A cache of the pieces of a map, under LRU. A piece is written through to the
//! OOB of the page that changes it, so an entry is never dirty.

use crate::cache::links::{Links, List, NIL};

/// Which pieces are in RAM.
#[derive(Clone, Debug)]
pub struct PieceCache {
    /// Slot of each piece, or [`NIL`]; empty when there is no cache.
    slot_of: Vec<u32>,
    /// Piece in each slot.
    piece_in: Vec<u32>,
    links: Links,
    recency: List,
    slots: u32,
}

impl PieceCache {
    /// An empty cache with `slots` slots for pieces below `pieces`.
    #[must_use]
    pub fn new(slots: u32, pieces: u32) -> Self {
        let mut links = Links::default();
        links.grow(slots as usize);
        let slot_of = vec![NIL; if slots > 0 { pieces as usize } else { 0 }];
        PieceCache { slot_of, piece_in: Vec::new(), links, recency: List::default(), slots }
    }

    /// Whether a piece is in the cache.
    #[must_use]
    pub fn contains(&self, piece: u32) -> bool {
        self.slot_of.get(piece as usize).is_some_and(|slot| *slot != NIL)
    }

    /// Uses a piece; returns whether it was in the cache. Afterwards it is.
    #[inline]
    pub fn touch(&mut self, piece: u32) -> bool {
        if self.slots == 0 {
            return false;
        }
        let hit = self.contains(piece);
        if hit {
            self.links.touch(&mut self.recency, self.slot_of[piece as usize]);
        } else {
            self.insert(piece);
        }
        hit
    }

    fn insert(&mut self, piece: u32) {
        let slot = if self.piece_in.len() < self.slots as usize {
            self.piece_in.push(piece);
            self.piece_in.len() as u32 - 1
        } else {
            let slot = self.recency.back();
            self.links.remove(&mut self.recency, slot);
            let old = std::mem::replace(&mut self.piece_in[slot as usize], piece);
            self.slot_of[old as usize] = NIL;
            slot
        };
        self.slot_of[piece as usize] = slot;
        self.links.push_front(&mut self.recency, slot);
    }

    /// Recomputes the links.
    ///
    /// # Panics
    /// When they are wrong.
    pub fn audit(&self) {
        self.links.audit(&self.recency);
        assert_eq!(self.recency.len(), self.piece_in.len(), "pieces in the cache");
        for (slot, piece) in self.piece_in.iter().enumerate() {
            assert_eq!(self.slot_of[*piece as usize], slot as u32, "slot of piece {piece}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_piece_used_least_recently_leaves() {
        let mut cache = PieceCache::new(2, 9);
        let hits = [3, 4, 3, 5, 3, 4].map(|piece| cache.touch(piece));
        assert_eq!(hits, [false, false, true, false, true, false], "5 took the place of 4");
        cache.audit();
        let mut none = PieceCache::new(0, 9);
        assert!(!none.touch(3) && !none.touch(3));
    }
}
