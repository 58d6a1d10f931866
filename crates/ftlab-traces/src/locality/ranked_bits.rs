//! A set of small numbers that counts its members below any number.
//!
//! ```text
//! counts   Fenwick tree, one leaf for each line     16 KiB for two million numbers
//! lines    512 bits = one cache line each           256 KiB
//! ```
//!
//! A plain Fenwick tree over two million slots has 8 MiB and walks 21 of them. This one fits the
//! first cache levels. It walks 12 slots, then counts at most eight words.

const WORDS: usize = 8;
const LINE_BITS: u32 = 64 * WORDS as u32;

/// A set whose members are below the size given at the start.
#[derive(Clone, Debug)]
pub(super) struct RankedBits {
    lines: Vec<[u64; WORDS]>,
    /// P. M. Fenwick, A new data structure for cumulative frequency tables, 1994; from 1.
    counts: Vec<u32>,
}

impl RankedBits {
    /// The numbers below `full`, of at least `size` possible ones.
    pub(super) fn filled(full: u32, size: u32) -> Self {
        let count = size.div_ceil(LINE_BITS) as usize;
        let mut bits = Self { lines: vec![[0; WORDS]; count], counts: vec![0; count + 1] };
        for (line, words) in bits.lines.iter_mut().enumerate() {
            for (word, bits) in words.iter_mut().enumerate() {
                let below = full.saturating_sub(line as u32 * LINE_BITS + word as u32 * 64);
                *bits = if below >= 64 { u64::MAX } else { (1 << below) - 1 };
            }
        }
        for at in 1..=count {
            bits.counts[at] += bits.lines[at - 1].iter().map(|word| word.count_ones()).sum::<u32>();
            let parent = at + (at & at.wrapping_neg());
            if parent <= count {
                bits.counts[parent] += bits.counts[at];
            }
        }
        bits
    }

    /// How many numbers fit.
    pub(super) fn size(&self) -> u32 {
        self.lines.len() as u32 * LINE_BITS
    }

    /// Adds a number that is no member.
    #[inline]
    pub(super) fn insert(&mut self, number: u32) {
        self.flip(number, 1);
    }

    /// Removes a member.
    #[inline]
    pub(super) fn remove(&mut self, number: u32) {
        self.flip(number, u32::MAX);
    }

    /// How many members are below `number`.
    #[inline]
    pub(super) fn below(&self, number: u32) -> u32 {
        let (line, bit) = ((number / LINE_BITS) as usize, number % LINE_BITS);
        let words = &self.lines[line];
        let last = (bit / 64) as usize;
        let mut count = (words[last] & ((1 << (bit % 64)) - 1)).count_ones();
        count += words[..last].iter().map(|word| word.count_ones()).sum::<u32>();
        let mut at = line;
        while at > 0 {
            count += self.counts[at];
            at &= at - 1;
        }
        count
    }

    /// Turns one bit around; the count changes by `change`, modulo 2^32.
    #[inline]
    fn flip(&mut self, number: u32, change: u32) {
        let (line, bit) = ((number / LINE_BITS) as usize, number % LINE_BITS);
        self.lines[line][(bit / 64) as usize] ^= 1 << (bit % 64);
        let mut at = line + 1;
        while at < self.counts.len() {
            self.counts[at] = self.counts[at].wrapping_add(change);
            at += at & at.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_like_a_set() {
        let mut bits = RankedBits::filled(700, 3000);
        let mut members: std::collections::BTreeSet<u32> = (0..700).collect();
        let mut state = 1u64;
        for _ in 0..5000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = (state >> 33) as u32 % 3000;
            if members.remove(&number) {
                bits.remove(number);
            } else {
                members.insert(number);
                bits.insert(number);
            }
            let probe = (state >> 12) as u32 % 3000;
            assert_eq!(bits.below(probe) as usize, members.range(..probe).count());
        }
    }
}
