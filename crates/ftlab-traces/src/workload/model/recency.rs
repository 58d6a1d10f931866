//! Items in the order of their last use, found by rank: the LRU stack of a stream.
//!
//! A ring has one place for each use. A bit shows whether the item has not been used again since.
//! The item of rank `r`, its stack distance, is that of the `r`-th bit from the newest end. Sums
//! over 1,024 and 65,536 places make both directions, rank to place and place to rank, a few dozen
//! steps, whatever the length of the ring. The oldest places are forgotten, 1,024 at a time, when
//! the ring wraps.

use std::ops::Range;

/// Places whose bits share a word.
const WORD: usize = 64;
/// Words whose places are counted together.
const WORDS: usize = 16;
/// Blocks of that many words, counted together.
const BLOCKS: usize = 64;
/// Uses on each side that count as around an item.
const AROUND: usize = 128;
/// Words searched for a nearby item of the wanted kind.
const SEARCHED: usize = 32;

/// The order of last use of up to `capacity` uses.
#[derive(Clone, Debug)]
pub(super) struct Recency {
    alive: Vec<u64>,
    /// For each place: whether the item has the mark that [`Recency::near`] looks for.
    marked: Vec<u64>,
    blocks: Vec<u32>,
    supers: Vec<u32>,
    /// The place that is used next.
    head: usize,
    count: u64,
}

impl Recency {
    /// Room for at least `capacity` uses.
    pub(super) fn new(capacity: u64) -> Self {
        let places = (capacity.max(1) as usize).next_power_of_two().max(WORD * WORDS * BLOCKS);
        Recency {
            alive: vec![0; places / WORD],
            marked: vec![0; places / WORD],
            blocks: vec![0; places / (WORD * WORDS)],
            supers: vec![0; places / (WORD * WORDS * BLOCKS)],
            head: 0,
            count: 0,
        }
    }

    /// Places of the ring, a power of two: no step around it divides.
    pub(super) fn places(&self) -> usize {
        self.alive.len() * WORD
    }

    /// Items remembered.
    #[inline]
    pub(super) fn len(&self) -> u64 {
        self.count
    }

    /// Remembers an item as the newest; returns its place.
    #[inline]
    pub(super) fn push(&mut self, marked: bool) -> usize {
        if self.head.is_multiple_of(WORD * WORDS) {
            self.forget_block();
        }
        let place = self.head;
        self.head = (place + 1) & (self.places() - 1);
        let bit = 1 << (place % WORD);
        self.alive[place / WORD] |= bit;
        if marked {
            self.marked[place / WORD] |= bit;
        }
        self.blocks[place / (WORD * WORDS)] += 1;
        self.supers[place / (WORD * WORDS * BLOCKS)] += 1;
        self.count += 1;
        place
    }

    /// Whether the item at `place` has the mark.
    pub(super) fn is_marked(&self, place: usize) -> bool {
        self.marked[place / WORD] >> (place % WORD) & 1 == 1
    }

    /// Removes the item at `place`, which is used again or no longer wanted.
    #[inline]
    pub(super) fn remove(&mut self, place: usize) {
        let bit = 1 << (place % WORD);
        if self.alive[place / WORD] & bit != 0 {
            self.alive[place / WORD] ^= bit;
            self.blocks[place / (WORD * WORDS)] -= 1;
            self.supers[place / (WORD * WORDS * BLOCKS)] -= 1;
            self.count -= 1;
        }
    }

    /// The place of the item with this rank, 0 for the newest; `None` if there are fewer.
    #[inline]
    pub(super) fn at(&self, rank: u64) -> Option<usize> {
        if rank >= self.count {
            return None;
        }
        let (block, left) = self.block_of(rank as u32);
        let mut word = block * WORDS + WORDS - 1;
        let mut left = left;
        loop {
            let here = self.alive[word].count_ones();
            if here > left {
                return Some(word * WORD + highest(self.alive[word], left));
            }
            left -= here;
            word -= 1;
        }
    }

    /// The block of the item with this rank, and its rank within that block.
    #[inline]
    fn block_of(&self, rank: u32) -> (usize, u32) {
        let newest = self.newest() / (WORD * WORDS);
        let own = newest / BLOCKS;
        let left = match self.search(own * BLOCKS..newest + 1, rank) {
            Ok(found) => return found,
            Err(left) => left,
        };
        let (mut group, mut left) = (own, left);
        let found = (1..self.supers.len()).any(|_| {
            group = group.wrapping_sub(1) & (self.supers.len() - 1);
            let holds = self.supers[group] > left;
            left -= if holds { 0 } else { self.supers[group] };
            holds
        });
        // After all other groups, the search wraps to the rest of the newest one.
        let begin = if found { group * BLOCKS } else { newest + 1 };
        let end = if found { begin + BLOCKS } else { (own + 1) * BLOCKS };
        self.search(begin..end, left).expect("fewer items than were counted")
    }

    /// The block that holds the item of this rank, and its rank in the block. The last of `blocks`
    /// is the newest. `Err` holds the rank that is left after all blocks.
    #[inline]
    fn search(&self, blocks: Range<usize>, rank: u32) -> Result<(usize, u32), u32> {
        let mut left = rank;
        for block in blocks.rev() {
            let here = self.blocks[block];
            if here > left {
                return Ok((block, left));
            }
            left -= here;
        }
        Err(left)
    }

    /// How many items are newer than `place`.
    #[inline]
    pub(super) fn rank(&self, place: usize) -> u64 {
        let word = place / WORD;
        let block = word / WORDS;
        let above = u64::MAX.checked_shl(place as u32 % 64 + 1).unwrap_or(0);
        let mut newer = (self.alive[word] & above).count_ones();
        let rest = word + 1..(block + 1) * WORDS;
        newer += self.alive[rest].iter().map(|word| word.count_ones()).sum::<u32>();
        let last = self.newest() / (WORD * WORDS);
        let mut at = block;
        while at != last {
            at = (at + 1) & (self.blocks.len() - 1);
            // Whole groups of blocks in between are counted at once.
            if at.is_multiple_of(BLOCKS) && at / BLOCKS != last / BLOCKS {
                newer += self.supers[at / BLOCKS];
                at += BLOCKS - 1;
            } else {
                newer += self.blocks[at];
            }
        }
        u64::from(newer)
    }

    /// The item nearest to `place` whose mark is `marked`; `place` itself if none is near.
    #[inline]
    pub(super) fn near(&self, place: usize, marked: bool) -> usize {
        let of_kind = |word: usize| {
            let marks = self.marked[word];
            self.alive[word] & if marked { marks } else { !marks }
        };
        let (word, bit) = (place / WORD, place % WORD);
        let here = of_kind(word);
        let older = here & (u64::MAX >> (63 - bit));
        let newer = here & (u64::MAX << bit);
        if here != 0 {
            let down = if older != 0 { bit - (63 - older.leading_zeros() as usize) } else { WORD };
            let up = if newer != 0 { newer.trailing_zeros() as usize - bit } else { WORD };
            return if down <= up { place - down } else { place + up };
        }
        for back in 1..=SEARCHED {
            let at = word.wrapping_sub(back) & (self.alive.len() - 1);
            if of_kind(at) != 0 {
                return at * WORD + 63 - of_kind(at).leading_zeros() as usize;
            }
        }
        place
    }

    /// The place of the use after the one at `place`, if its item has not been used again since.
    pub(super) fn behind(&self, place: usize) -> Option<usize> {
        let next = (place + 1) & (self.places() - 1);
        (next != self.head && self.is_alive(next)).then_some(next)
    }

    fn is_alive(&self, place: usize) -> bool {
        self.alive[place / WORD] >> (place % WORD) & 1 == 1
    }

    /// The items used around the same time as the one at `place`, including it, the nearest first.
    pub(super) fn around(&self, place: usize) -> impl Iterator<Item = usize> {
        let mask = self.places() - 1;
        let both = move |step: usize| [place.wrapping_sub(step) & mask, (place + step) & mask];
        let outward = std::iter::once(place).chain((1..=AROUND).flat_map(both));
        outward.filter(|place| self.is_alive(*place))
    }

    #[inline]
    fn newest(&self) -> usize {
        self.head.wrapping_sub(1) & (self.places() - 1)
    }

    /// Clears the block that begins at the head.
    fn forget_block(&mut self) {
        let (word, block) = (self.head / WORD, self.head / (WORD * WORDS));
        self.alive[word..word + WORDS].fill(0);
        self.marked[word..word + WORDS].fill(0);
        let lost = std::mem::take(&mut self.blocks[block]);
        self.supers[block / BLOCKS] -= lost;
        self.count -= u64::from(lost);
    }
}

/// The position of the bit with `left` set bits above it.
#[inline]
fn highest(word: u64, left: u32) -> usize {
    let (mut left, mut low, mut bits) = (left, 0, word);
    for half in [32, 16, 8, 4, 2, 1] {
        let top = bits >> half;
        let there = top.count_ones();
        if there > left {
            bits = top;
            low += half;
        } else {
            left -= there;
            bits &= (1 << half) - 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Uses items as a plain list would order them.
    #[test]
    fn ranks_are_those_of_a_plain_list() {
        let mut rng = Rng::new(4, "test");
        let mut recency = Recency::new(1);
        let mut list: Vec<(usize, bool)> = Vec::new();
        for step in 0..200_000u32 {
            let marked = rng.chance(0.3);
            if rng.chance(0.97) && !list.is_empty() {
                let rank = rng.below(list.len() as u64) as usize;
                let place = recency.at(rank as u64).expect("a rank below the length");
                if step % 64 == 0 {
                    assert_eq!(place, list[rank].0);
                    assert_eq!(recency.rank(place), rank as u64);
                }
                recency.remove(place);
                assert_eq!(list.remove(rank).0, place);
            }
            let place = recency.push(marked);
            list.insert(0, (place, marked));
            while list.len() as u64 > recency.len() {
                list.pop();
            }
        }
        assert!(list.len() > 1000, "{}", list.len());
        assert_eq!(recency.at(recency.len()), None);
    }

    #[test]
    fn the_oldest_are_forgotten_when_the_ring_comes_round() {
        let mut recency = Recency::new(1);
        for _ in 0..10 * recency.places() {
            recency.push(false);
        }
        assert!(recency.len() >= recency.places() as u64 - 1024);
        assert!(recency.at(recency.len() - 1).is_some());
    }

    #[test]
    fn the_nearest_of_a_kind_is_found_on_both_sides() {
        let mut recency = Recency::new(1);
        for step in 0..300 {
            recency.push(step == 10 || step == 140);
        }
        assert_eq!(recency.near(12, true), 10);
        assert_eq!(recency.near(139, true), 140);
        assert_eq!(recency.near(250, true), 140);
        assert_eq!(recency.near(140, false), 139);
        assert_eq!(recency.near(5, true), 10);
    }
}
