//! Valid pages moved to pages that are as far apart: what merges do most.

use crate::device::ProgramOrder;
use crate::flash::meter::History;
use crate::flash::{Cause, Flash, Operation};
use crate::units::{Pbn, Ppn};

/// Some of 64 pages that follow each other in one block, and where they go: page `from + k` to `to + k` for each bit
/// `k`.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The page of the lowest bit.
    pub from: Ppn,
    /// Where that goes.
    pub to: Ppn,
    /// Which there are.
    pub bits: u64,
}

impl Span {
    /// Each page, and where it goes.
    #[inline]
    fn pages(self) -> impl Iterator<Item = (Ppn, Ppn)> {
        let without_lowest = |bits: &u64| Some(bits & (bits - 1)).filter(|rest| *rest != 0);
        let left = std::iter::successors(Some(self.bits).filter(|b| *b != 0), without_lowest);
        let offsets = left.map(u64::trailing_zeros);
        offsets.map(move |page| (Ppn(self.from.0 + page), Ppn(self.to.0 + page)))
    }

    const fn count(self) -> u32 {
        self.bits.count_ones()
    }
}

impl Flash {
    /// Relocates the pages of these spans to erased pages of one block, in the order of these.
    pub fn relocate_spans(&mut self, target: Pbn, spans: &[Span], cause: Cause) {
        if !self.takes_runs() {
            let mut pages: Vec<(Ppn, Ppn)> = spans.iter().flat_map(|span| span.pages()).collect();
            pages.sort_unstable_by_key(|(_, to)| *to);
            return pages.into_iter().for_each(|(from, to)| _ = self.relocate(from, to, cause));
        }
        // All copies take as long, so that their order makes no difference.
        let (mut moved, mut left) = (0, spans.iter().map(|span| span.count()).sum::<u32>());
        for &span in spans {
            if self.can_move(target, span) {
                self.move_span(target, span);
                self.note_span(span, left, cause);
                moved += span.count();
            } else {
                // What breaks a rule does so where page by page does.
                span.pages().for_each(|(from, to)| _ = self.relocate(from, to, cause));
            }
            left -= span.count();
        }
        self.book_copies(moved, cause);
    }

    /// The word of the medium's bits that has pages from `first` on, and these of them; `None` where they are in two.
    #[inline]
    fn word_of(&self, first: Ppn, bits: u64) -> Option<(usize, u64)> {
        let (word, lowest) = self.medium.valid_bit(self.medium.geometry.block_of(first), first);
        let shift = lowest.trailing_zeros();
        Some((word, bits << shift)).filter(|(_, shifted)| shifted >> shift == bits)
    }

    /// Whether all pages of a span are valid, in another block, and can go to this one.
    #[inline]
    fn can_move(&self, target: Pbn, span: Span) -> bool {
        let Span { from, to, bits } = span;
        let geometry = &self.medium.geometry;
        let behind = bits.checked_ilog2().unwrap_or(0);
        let fits = |first| geometry.page_in_block(first) + behind < geometry.pages_per_block;
        let is_valid = |(word, bits): (usize, u64)| self.medium.valid[word] & bits == bits;
        let erased = || span.pages().all(|(_, to)| self.medium.owners[to.index()] == 0);
        geometry.block_of(from) != target
            && geometry.block_of(to) == target
            && fits(from)
            && fits(to)
            && self.word_of(from, bits).is_some_and(is_valid)
            && self.word_of(to, bits).is_some()
            && self.medium.order == ProgramOrder::Any
            && erased()
    }

    /// Moves what the medium and the truth know of the pages of a span that can be moved.
    #[inline]
    fn move_span(&mut self, target: Pbn, span: Span) {
        let Span { from, to, bits } = span;
        let source = self.medium.geometry.block_of(from);
        let Some(((before, old), (after, new))) =
            self.word_of(from, bits).zip(self.word_of(to, bits))
        else {
            return;
        };
        self.medium.valid[before] &= !old;
        self.medium.valid[after] |= new;
        for (from, to) in span.pages() {
            self.medium.owners[to.index()] = self.medium.owners[from.index()];
            unless_bug!(FlashSpanLosesVersion, self.truth.copy_stamp(from, to));
        }
        let count = span.count() as u16;
        self.medium.blocks[source.index()].valid -= count;
        let block = &mut self.medium.blocks[target.index()];
        block.written += count;
        block.valid += count;
    }

    /// Notes the copies of a span; with its own, `left` are to be noted.
    #[inline]
    fn note_span(&mut self, span: Span, left: u32, cause: Cause) {
        let forgotten = left.saturating_sub(History::LENGTH / 2);
        if forgotten >= span.count() {
            return;
        }
        for (from, to) in span.pages().skip(forgotten as usize) {
            self.meter.history.push(Operation::Read, cause, from.0);
            self.meter.history.push(Operation::Program, cause, to.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::flash::{Device, Owner};
    use crate::rng::Rng;
    use crate::units::{Bytes, Lpn};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    const PAGES: u32 = 100;

    /// Blocks 0 and 1 hold some pages at their offsets, block 2 is erased.
    fn filled(seed: u64) -> (Device, Vec<Span>) {
        let pages_per_block = PAGES;
        let device = DeviceConfig { page: Bytes(512), pages_per_block, ..DeviceConfig::default() };
        let mut flash = Device::new(&device, 20 * u64::from(PAGES) * 512).expect("a device");
        flash.allow_any_order().expect("cells of one bit");
        let mut rng = Rng::new(seed, "spans");
        let mut spans = Vec::new();
        for word in 0..PAGES.div_ceil(64) {
            let mut bits = 0;
            for offset in 64 * word..PAGES.min(64 * word + 64) {
                let log = u32::from(rng.chance(0.2));
                let from = Ppn(log * PAGES + offset);
                flash.program(from, Owner::Data(Lpn(offset)), Cause::Host);
                if rng.chance(0.3) {
                    flash.invalidate(from);
                    flash.trim(Lpn(offset));
                } else if log == 1 {
                    spans.push(Span { from, to: Ppn(2 * PAGES + offset), bits: 1 });
                } else {
                    bits |= 1 << (offset % 64);
                }
            }
            let (from, to) = (Ppn(64 * word), Ppn(2 * PAGES + 64 * word));
            spans.push(Span { from, to, bits });
        }
        (flash, spans)
    }

    #[test]
    fn spans_are_what_their_pages_are_one_by_one() {
        for seed in 0..50 {
            let (mut flash, spans) = filled(seed);
            let mut other = flash.clone();
            flash.relocate_spans(Pbn(2), &spans, Cause::Merge);
            for (from, to) in spans.iter().flat_map(|span| span.pages()) {
                other.relocate(from, to, Cause::Merge);
            }
            flash.audit();
            assert_eq!(flash.ledger(), other.ledger());
            assert_eq!(flash.timeline().idle_at(), other.timeline().idle_at());
            for ppn in (0..3 * PAGES).map(Ppn) {
                assert_eq!(flash.is_valid(ppn), other.is_valid(ppn), "page {ppn}");
                assert_eq!(flash.audit_owner(ppn), other.audit_owner(ppn), "page {ppn}");
            }
            for (lpn, to) in (0..PAGES).map(Lpn).zip((2 * PAGES..).map(Ppn)) {
                if flash.is_valid(to) {
                    flash.host_read(lpn, Some(to));
                }
            }
        }
    }

    #[test]
    fn a_span_breaks_the_rules_that_its_pages_break() {
        let broken = |prepare: fn(&mut Device, Span), rule: &str| {
            let (mut flash, spans) = filled(1);
            prepare(&mut flash, spans[spans.len() - 1]);
            let run = || flash.relocate_spans(Pbn(2), &spans, Cause::Merge);
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err(rule);
            let message = panic.downcast_ref::<String>().expect("a message");
            assert!(message.starts_with(rule), "expected {rule:?}, found {message:?}");
        };
        fn last(span: Span) -> (Ppn, Ppn) {
            span.pages().last().expect("a page")
        }
        broken(
            |flash, span| _ = flash.invalidate(last(span).0),
            "only a valid page is worth copying",
        );
        let write = |flash: &mut Device, span: Span| {
            flash.program(last(span).1, Owner::Data(Lpn(PAGES)), Cause::Host);
        };
        broken(write, "a page is programmed once between erases");
    }
}
