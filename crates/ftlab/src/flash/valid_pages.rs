//! The valid pages of a block, found word by word.

use super::medium::Medium;
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

impl ValidPages {
    #[inline]
    pub(super) fn of(pbn: Pbn, medium: &Medium) -> Self {
        let word = pbn.index() * medium.valid_words_per_block;
        let end = word + medium.valid_words_per_block;
        let first = medium.geometry.first_page(pbn).0;
        ValidPages { first, bits: medium.valid[word], mask: u64::MAX, word, end }
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
        while self.bits == 0 {
            if self.word + 1 == self.end {
                return None;
            }
            self.word += 1;
            self.first += unless_bug!(FlashMisnumbersPages, 64, 63);
            self.bits = flash.medium.valid[self.word] & self.mask;
        }
        let page = self.first + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(Ppn(page))
    }
}
