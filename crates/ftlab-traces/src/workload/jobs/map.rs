//! fio's random map: each block once in a pass.
//!
//! A block is drawn among all of them. If it was used in this pass, the next one behind it that was not takes its place.
//! A longer request ends before the first block that was used.

use crate::rng::Rng;

/// The blocks of a space, and which of them a pass has used: a bit each.
pub(super) struct Map {
    blocks: u64,
    left: u64,
    used: Vec<u64>,
    /// Which words of `used` have no block left: a bit each.
    full: Vec<u64>,
}

impl Map {
    pub(super) fn new(blocks: u64) -> Self {
        let mut map = Map { blocks, left: 0, used: Vec::new(), full: Vec::new() };
        map.begin();
        map
    }

    /// Begins a pass.
    pub(super) fn begin(&mut self) {
        let words = self.blocks.div_ceil(64) as usize;
        self.left = self.blocks;
        self.used.clear();
        self.used.resize(words, 0);
        self.full.clear();
        self.full.resize(words.div_ceil(64), 0);
        // What lies behind the end is not free.
        if !self.blocks.is_multiple_of(64) {
            self.used[words - 1] = !0 << (self.blocks % 64);
        }
        if !words.is_multiple_of(64) {
            self.full[words / 64] = !0 << (words % 64);
        }
    }

    /// Whether the pass has used each block.
    pub(super) fn is_over(&self) -> bool {
        self.left == 0
    }

    /// The next block of a pass that is not over; [`take`](Self::take) uses it.
    pub(super) fn next(&mut self, rng: &mut Rng) -> u64 {
        let drawn = rng.below(self.blocks);
        self.free_from(drawn).or_else(|| self.free_from(0)).unwrap_or(drawn)
    }

    /// Uses up to `count` blocks from `first` on, which is free; returns how many.
    pub(super) fn take(&mut self, first: u64, count: u64) -> u32 {
        let is_free = |block: &u64| self.used[(block / 64) as usize] >> (block % 64) & 1 == 0;
        let free = (first..(first + count.max(1)).min(self.blocks)).take_while(is_free).count();
        for block in first..first + free as u64 {
            let word = (block / 64) as usize;
            self.used[word] |= 1 << (block % 64);
            if self.used[word] == !0 {
                self.full[word / 64] |= 1 << (word % 64);
            }
        }
        self.left -= free as u64;
        free as u32
    }

    /// The first free block from `from` on.
    fn free_from(&self, from: u64) -> Option<u64> {
        let at = |word: usize, free: u64| word as u64 * 64 + u64::from(free.trailing_zeros());
        let first = (from / 64) as usize;
        let here = !self.used[first] & (!0 << (from % 64));
        if here != 0 {
            return Some(at(first, here));
        }
        let mut word = first + 1;
        while word < self.used.len() {
            let rest = !self.full[word / 64] & (!0 << (word % 64));
            if rest != 0 {
                let word = word / 64 * 64 + rest.trailing_zeros() as usize;
                return Some(at(word, !self.used[word]));
            }
            word = (word / 64 + 1) * 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_comes_once_in_a_pass() {
        for blocks in [1, 63, 64, 65, 4096, 4097, 10_000] {
            let (mut map, mut rng) = (Map::new(blocks), Rng::new(blocks, "test"));
            for _ in 0..3 {
                let mut pass: Vec<u64> = (0..blocks)
                    .map(|_| {
                        let block = map.next(&mut rng);
                        assert_eq!(map.take(block, 1), 1);
                        block
                    })
                    .collect();
                pass.sort_unstable();
                assert!(pass.iter().copied().eq(0..blocks) && map.is_over(), "{blocks}");
                map.begin();
            }
        }
    }

    #[test]
    fn the_next_free_block_takes_the_place_of_a_used_one() {
        let mut map = Map::new(10_000);
        assert_eq!(map.take(64, 8_000), 8_000);
        assert_eq!((map.free_from(64), map.free_from(63)), (Some(8_064), Some(63)));
        assert_eq!((map.take(60, 10), map.free_from(9_999)), (4, Some(9_999)));
        assert_eq!(map.take(9_990, 64), 10, "the end of the space");
        assert_eq!(map.free_from(9_990), None);
    }
}
