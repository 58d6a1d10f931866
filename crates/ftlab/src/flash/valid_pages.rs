//! The valid pages of a block, found word by word.

use super::{Flash, Geometry, Parity};
use crate::units::{Pbn, Ppn};

/// The valid pages of a block, one after another.
#[derive(Clone, Copy, Debug)]
pub struct ValidPages {
    /// Page of the lowest bit of `bits`.
    first: u32,
    bits: u64,
    /// The bits of a word whose pages are wanted.
    mask: u64,
    word: usize,
    end: usize,
}

/// Some valid pages of one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The word of the medium's bits.
    pub word: usize,
    /// Page of its lowest bit.
    pub first: Ppn,
    pub bits: u64,
}

impl Part {
    /// The pages behind the first `count`, which are no more than there are.
    #[inline]
    pub fn behind(mut self, count: u32) -> Self {
        for _ in 0..count {
            self.bits &= self.bits - 1;
        }
        self
    }
}

/// The pages, ascending.
impl Iterator for Part {
    type Item = Ppn;

    #[inline]
    fn next(&mut self) -> Option<Ppn> {
        if self.bits == 0 {
            return None;
        }
        let page = self.first.0 + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(Ppn(page))
    }
}

impl ValidPages {
    #[inline]
    pub(super) fn of(pbn: Pbn, geometry: &Geometry, valid: &[u64]) -> Self {
        let words = geometry.pages_per_block.div_ceil(u64::BITS) as usize;
        Self::in_words(pbn, geometry, words, valid)
    }

    /// The same where it is known how many words of `valid` a block has.
    #[inline]
    pub(super) fn in_words(pbn: Pbn, geometry: &Geometry, words: usize, valid: &[u64]) -> Self {
        let word = pbn.index() * words;
        let first = geometry.first_page(pbn).0;
        ValidPages { first, bits: valid[word], mask: u64::MAX, word, end: word + words }
    }

    /// The block.
    #[must_use]
    pub const fn block(&self, geometry: &Geometry) -> Pbn {
        geometry.block_of(Ppn(self.first))
    }

    /// Keeps only the pages whose number in the block has this parity.
    #[must_use]
    pub const fn only(mut self, parity: Parity) -> Self {
        self.mask = match parity {
            Parity::Even => u64::MAX / 3,
            Parity::Odd => u64::MAX / 3 * 2,
        };
        self.bits &= self.mask;
        self
    }

    /// The next valid page.
    #[inline]
    pub fn next(&mut self, flash: &Flash) -> Option<Ppn> {
        self.next_of(&flash.medium.valid)
    }

    /// The next of the pages that these bits say are valid.
    #[inline]
    pub(crate) fn next_of(&mut self, valid: &[u64]) -> Option<Ppn> {
        self.find(valid)?;
        let page = self.first + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(Ppn(page))
    }

    /// The next valid pages of one word, `most` at most.
    #[inline]
    pub(super) fn take(&mut self, most: u32, flash: &Flash) -> Option<Part> {
        self.find(&flash.medium.valid)?;
        let all = Part { word: self.word, first: Ppn(self.first), bits: self.bits };
        self.bits = match self.bits.count_ones() <= most {
            true => 0,
            false => all.behind(most).bits,
        };
        Some(Part { bits: all.bits ^ self.bits, ..all })
    }

    /// Goes on to the next word with pages, if this one has none.
    #[inline]
    fn find(&mut self, valid: &[u64]) -> Option<()> {
        while self.bits == 0 {
            if self.word + 1 == self.end {
                return None;
            }
            self.word += 1;
            self.first += unless_bug!(FlashMisnumbersPages, 64, 63);
            self.bits = valid[self.word] & self.mask;
        }
        Some(())
    }
}
