//! MNFTL's garbage collection (4.3).
//!
//! A logical block with two blocks has a full one that is not all valid. Each page written to the
//! second block either supersedes a page of the first or is missing there. The logical block with
//! most blocks therefore always has a victim. With separated mapping neither of two blocks need be
//! full, so the block of first versions may be a victim before it is full. The copies first fill
//! the block to which the logical block writes. The rest goes to the reserved free block, which the
//! erased victim replaces.

use super::{Mnftl, Version};
use crate::cache::links::NIL;
use crate::flash::{BlockKind, Cause, Flash};
use crate::gc::{GcMode, Moment};
use crate::units::{Lbn, Pbn};

impl Mnftl {
    /// Collects until a page of this logical block can be written.
    #[inline]
    pub(super) fn make_room(&mut self, lbn: Lbn, version: Version, flash: &mut Flash) {
        if !self.has_room(lbn, version, flash) {
            self.collect_until_room(lbn, version, flash);
        }
    }

    #[inline]
    fn has_room(&self, lbn: Lbn, version: Version, flash: &Flash) -> bool {
        self.written(lbn, version, flash).is_some() || self.free.len() > self.low
    }

    /// Each block gains at least one page, so a run ends.
    fn collect_until_room(&mut self, lbn: Lbn, version: Version, flash: &mut Flash) {
        self.counts.runs += 1;
        let most = flash.geometry().pages();
        for _ in 0..most {
            self.collect(flash);
            let enough = match self.mode {
                GcMode::Batch => self.free.len() >= self.high,
                GcMode::Single => self.has_room(lbn, version, flash),
            };
            if enough {
                return;
            }
        }
        panic!("GC gains nothing: {most} blocks were collected in one run");
    }

    /// Collects one block: `N T_oob + S (T_r + T_w) + T_e`.
    pub(super) fn collect(&mut self, flash: &mut Flash) {
        let victim = self.take_victim(flash);
        let lbn = std::mem::replace(&mut self.owners[victim.index()], Lbn(NIL));
        self.counts.data_blocks += 1;
        self.counts.valid_data += u64::from(flash.valid_in(victim));
        for piece in self.map.pieces_of(lbn.0) {
            if let Some(holder) = self.map.holder(piece).filter(|_| !self.cache.contains(piece)) {
                flash.read_oob(holder, Cause::GcData);
            }
        }
        let mut pages = flash.valid_pages(victim);
        while let Some(from) = pages.next(flash) {
            let target = unless_bug!(MnftlCopiesElsewhere, lbn, Lbn(0));
            let to = self.next_page(target, Version::Later, flash);
            self.relocate(from, to, flash);
        }
        for piece in self.map.pieces_of(lbn.0) {
            self.rescue(piece, victim, lbn, flash);
        }
        self.release(victim, lbn, flash);
    }

    /// Takes the next block to collect from the full ones.
    fn take_victim(&mut self, flash: &Flash) -> Pbn {
        match &mut self.full {
            Some(full) => {
                let victim =
                    full.choose(Moment::default()).expect("blocks are full when none is free");
                full.remove(victim, flash.valid_in(victim));
                victim
            }
            None => self.least_valid_of_most_blocks(flash),
        }
    }

    /// Of P + 1 full blocks of a logical block with P pages, at least one has no valid page (4.3).
    /// The search therefore ends after P + 1 blocks, however many there are.
    fn least_valid_of_most_blocks(&self, flash: &Flash) -> Pbn {
        let lbn = self.by_blocks.min().expect("a device without free blocks has used ones");
        let pages = flash.geometry().pages_per_block as usize;
        let blocks = self.links.from_oldest(&self.lists[lbn as usize]).map(Pbn);
        let full = blocks.filter(|pbn| flash.is_full(*pbn)).take(pages + 1);
        let unfilled = self.first_of(Lbn(lbn)).filter(|pbn| !flash.is_full(*pbn));
        let mut best: Option<(u32, Pbn)> = None;
        for pbn in unfilled.into_iter().chain(full) {
            let valid = flash.valid_in(pbn);
            if best.is_none_or(|(fewest, _)| valid < fewest) {
                best = Some((valid, pbn));
            }
            if valid == 0 {
                break;
            }
        }
        best.expect("all blocks of a logical block but the last are full").1
    }

    /// Saves a subtable whose newest version is on a trimmed page of a block that is to be erased.
    /// It copies one of the covered pages, with the subtable in the OOB (choices.md#mnftl-trims).
    pub(super) fn rescue(&mut self, piece: u32, victim: Pbn, lbn: Lbn, flash: &mut Flash) {
        let last = self.map.rescue(piece, victim, flash);
        let rescued = unless_bug!(MnftlErasesSubtable, last, None);
        if let Some(from) = rescued {
            let to = self.next_page(lbn, Version::Later, flash);
            self.relocate(from, to, flash);
            self.rescues += 1;
        }
    }

    fn release(&mut self, victim: Pbn, lbn: Lbn, flash: &mut Flash) {
        self.links.remove(&mut self.lists[lbn.index()], victim.0);
        if self.first_of(lbn) == Some(victim) {
            unless_bug!(MnftlKeepsFirst, self.firsts[lbn.index()] = NIL);
        }
        self.rank(lbn);
        flash.erase(victim, BlockKind::Data, Cause::GcData);
        self.free.give(victim, flash);
    }
}
