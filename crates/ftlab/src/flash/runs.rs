//! Moves valid pages of a block to consecutive pages, many at a time: the most frequent work of GC.

mod spans;

pub use spans::Span;

use super::meter::History;
use super::valid_pages::Part;
use super::{About, Cause, Flash, Operation, Owner, ValidPages};
use crate::device::ProgramOrder;
use crate::units::{Pbn, Ppn};

impl Flash {
    /// Relocates the next valid pages of a block to consecutive pages from `to` on. It moves at
    /// most `most` pages, the number left in the block of `to`. Appends the owner and the new place
    /// of each page to `moved`.
    pub fn relocate_run(
        &mut self,
        pages: &mut ValidPages,
        to: Ppn,
        most: u32,
        cause: Cause,
        moved: &mut Vec<(Owner, Ppn)>,
    ) {
        let source = pages.block(&self.medium.geometry);
        let target = self.medium.geometry.block_of(to);
        let end = to.0 + most;
        // A run that breaks a rule is moved page by page, which reports the page that breaks it.
        if !self.takes_runs() || source == target || !self.can_program(target, to, most) {
            for to in (to.0..end).map(Ppn) {
                let Some(from) = pages.next(self) else { return };
                moved.push((self.relocate(from, to, cause), to));
            }
            return;
        }
        let mut next = to;
        while next.0 < end
            && let Some(part) = pages.take(end - next.0, self)
        {
            if self.medium.valid[part.word] & part.bits != part.bits {
                self.broken("only valid pages are worth copying", part.first, About::Target(next));
            }
            self.medium.valid[part.word] &= !part.bits;
            self.copy_pages(part, next, moved);
            self.note_copies(part, next, cause);
            next.0 += part.bits.count_ones();
        }
        let count = next.0 - to.0;
        if count == 0 && most > 0 && self.medium.blocks[source.index()].valid > 0 {
            let first = self.medium.geometry.first_page(source);
            self.broken(
                "as many pages of a block are valid as are counted",
                first,
                About::Target(to),
            );
        }
        self.fill_run(target, to, count);
        self.medium.blocks[source.index()].valid -=
            unless_bug!(FlashRunStaysValid, count as u16, 0);
        self.book_copies(count, cause);
    }

    /// Whether all pages are alike, and no page is noted.
    fn takes_runs(&self) -> bool {
        self.is_plain && self.meter.timeline.books_alike()
    }

    /// Whether `count` pages of a block, from `to` on, can be programmed.
    fn can_program(&self, target: Pbn, to: Ppn, count: u32) -> bool {
        let page = to.0 - self.medium.geometry.first_page(target).0;
        let written = u32::from(self.medium.blocks[target.index()].written);
        let in_order = written == page || self.medium.order == ProgramOrder::Any;
        let fit = page + count <= self.medium.geometry.pages_per_block;
        let pages = to.index()..to.index() + count as usize;
        in_order && fit && self.medium.owners[pages].iter().all(|owner| *owner == 0)
    }

    /// Copies these pages, with their versions, to pages from `to` on.
    #[inline]
    fn copy_pages(&mut self, part: Part, mut to: Ppn, moved: &mut Vec<(Owner, Ppn)>) {
        for from in part {
            let raw = self.medium.owners[from.index()];
            self.medium.owners[to.index()] = raw;
            unless_bug!(FlashRunLosesVersion, self.truth.copy_stamp(from, to));
            moved.push((self.medium.decode(raw), to));
            to.0 += 1;
        }
    }

    /// Notes copies to pages from `to` on.
    #[inline]
    fn note_copies(&mut self, part: Part, to: Ppn, cause: Cause) {
        // Each copy is two operations, of which only the last are kept.
        let forgotten = part.bits.count_ones().saturating_sub(History::LENGTH / 2);
        for (from, to) in part.behind(forgotten).zip(to.0 + forgotten..) {
            self.meter.history.push(Operation::Read, cause, from.0);
            self.meter.history.push(Operation::Program, cause, to);
        }
    }

    /// Counts copies inside a single plane, and books them.
    fn book_copies(&mut self, count: u32, cause: Cause) {
        self.meter.invalidations += u64::from(count);
        self.meter.ledger.count_many(Operation::Read, cause, count);
        self.meter.ledger.count_many(Operation::Program, cause, count);
        self.meter.serve(cause, 0, 2 * count);
        self.meter.timeline.copies(count);
    }

    /// Makes `count` pages of a block, from `to` on, programmed and valid.
    fn fill_run(&mut self, pbn: Pbn, to: Ppn, count: u32) {
        let block = &mut self.medium.blocks[pbn.index()];
        block.written += count as u16;
        block.valid += count as u16;
        let mut next = to.0 - self.medium.geometry.first_page(pbn).0;
        let end = next + count;
        let words = &mut self.medium.valid[pbn.index() * self.medium.valid_words_per_block..];
        while next < end {
            let (word, bit) = (next / 64, next % 64);
            let bits = (64 - bit).min(end - next);
            words[word as usize] |= (u64::MAX >> (64 - bits)) << bit;
            next += bits;
        }
    }
}
