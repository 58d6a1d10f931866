//! How an FTL examines a medium after power was lost: it reads the OOBs of its pages one by one.

use super::medium::{TORN, WASTED};
use super::persistence::Summary;
use super::{BlockKind, Cause, Content, Flash, Owner};
use crate::device::ProgramOrder;
use crate::rng::Rng;
use crate::units::{Pbn, Ppn};

/// The content of the OOB of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The page is erased, or looks so.
    Erased,
    /// The page cannot be read: a cut interrupted its program.
    Torn,
    /// The owner of the page, and the sequence number of the version. Later versions have higher
    /// numbers; copies have the same.
    Page(Owner, u64),
}

impl Flash {
    /// Reads the OOB of an unknown page, once after power was lost. From then on the controller
    /// knows whether the page is programmed. An erased page before it in its block counts as
    /// skipped.
    ///
    /// # Panics
    /// When the medium keeps no sequence numbers ([`Device::remember`](super::Device::remember)).
    pub fn survey(&mut self, ppn: Ppn) -> Found {
        self.look_up(ppn, None)
    }

    /// [`Flash::survey`] of a page in a block whose contents a checkpoint may
    /// [state](Flash::checkpointed). In such a block only the first OOB is read, and those of pages
    /// that were erased.
    pub(crate) fn look_up(&mut self, ppn: Ppn, summary: Option<&Summary>) -> Found {
        let pbn = self.medium.geometry.block_of(ppn);
        let page = self.medium.geometry.page_in_block(ppn);
        let told = summary.map(|summary| summary.pages[page as usize]);
        let told = told.filter(|(raw, _)| *raw != 0 && *raw != WASTED);
        let (raw, sequence) =
            told.unwrap_or_else(|| (self.medium.owners[ppn.index()], self.sequence(ppn)));
        if told.is_none() || page == 0 {
            let spot = || self.medium.spot(pbn, ppn, Cause::Translation, None);
            self.meter.timeline.read_oob(1, spot);
            self.meter.surveyed += 1;
        }
        let raw = if self.is_half_erased(pbn) { self.glimpse(ppn) } else { raw };
        let is_erased = unless_bug!(RecoveryTrustsTorn, raw == 0, raw == 0 || raw == TORN);
        if is_erased {
            return Found::Erased;
        }
        self.medium.owners[ppn.index()] = raw;
        let first = self.medium.geometry.first_page(pbn).0;
        let block = &mut self.medium.blocks[pbn.index()];
        if self.medium.order == ProgramOrder::Ascending {
            let skipped = first + u32::from(block.written)..ppn.0;
            block.written = (ppn.0 - first + 1) as u16;
            skipped.for_each(|page| self.medium.owners[page as usize] = WASTED);
        } else {
            block.written += 1;
        }
        if raw == TORN {
            return Found::Torn;
        }
        Found::Page(self.medium.decode(raw), sequence)
    }

    /// Whether the last erase of a block was cut.
    pub(crate) fn is_half_erased(&self, pbn: Pbn) -> bool {
        self.persistence.memory.as_ref().is_some_and(|memory| memory.half_erased.contains(&pbn))
    }

    /// The sequence number in the OOB of a page, or 0 if the medium keeps none.
    pub(super) fn sequence(&self, ppn: Ppn) -> u64 {
        self.persistence.memory.as_ref().map_or(0, |memory| memory.sequences[ppn.index()])
    }

    /// What one read of a page of a half-erased block shows.
    fn glimpse(&self, ppn: Ppn) -> u32 {
        let seed = (u64::from(ppn.0) << 32) ^ self.meter.surveyed;
        if Rng::new(seed, "half-erased").chance(0.5) { TORN } else { 0 }
    }

    /// Whether power may be cut. A version then has to remain valid until the next is programmed
    /// (choices.md#early-invalidation).
    #[inline]
    #[must_use]
    pub const fn may_lose_power(&self) -> bool {
        self.power_safe
    }

    /// Reads a translation page, with the content that was programmed.
    ///
    /// # Panics
    /// When it is no translation page.
    pub fn read_map(&mut self, ppn: Ppn) -> Content {
        self.read(ppn, Cause::Translation);
        self.oob_content(ppn).expect("what a translation page holds").clone()
    }

    /// The part of a map in the OOB of a page that was surveyed.
    #[must_use]
    pub fn oob_content(&self, ppn: Ppn) -> Option<&Content> {
        self.persistence.memory.as_ref()?.contents.get(ppn)
    }

    /// Surveys pages, on several planes at a time. Later work of the FTL waits for all of them.
    ///
    /// # Panics
    /// While the FTL serves a request.
    pub fn survey_first(&mut self, survey: impl FnOnce(&mut Self)) {
        assert!(!self.truth.asked.is_under_way(), "a device is surveyed when it is mounted");
        let end = self.meter.timeline.begin_first_chains();
        survey(self);
        self.meter.timeline.end_first_chains(end);
        self.begin_reading();
    }

    /// Begins the reads of another block, which run in parallel with the others.
    pub(crate) fn begin_reading(&mut self) {
        self.meter.timeline.begin_chain();
    }

    /// Notes that a block that looks erased must be erased before its next program, as its last
    /// erase may have been cut.
    pub fn erase_before_use(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause) {
        if let Some(memory) = &mut self.persistence.memory {
            memory.doubtful.insert(pbn, (kind, cause));
        }
    }

    /// Erases blocks that are about to be programmed, if the erase was put off.
    pub(crate) fn erase_what_was_put_off(&mut self, blocks: impl Iterator<Item = Pbn>) {
        if self.persistence.memory.is_some() {
            for pbn in blocks {
                self.end_doubts(pbn);
            }
        }
    }

    /// Erases a block that is about to be programmed, if the erase was put off. Returns whether the
    /// block is really erased and does not only look so.
    #[cold]
    pub(super) fn end_doubts(&mut self, pbn: Pbn) -> bool {
        let memory = self.persistence.memory.as_ref();
        if let Some(&(kind, cause)) = memory.and_then(|memory| memory.doubtful.get(&pbn)) {
            self.erase(pbn, kind, cause);
        }
        !self.is_half_erased(pbn)
    }

    /// Marks a page as valid, as the controller has found after power was lost.
    pub fn revive(&mut self, ppn: Ppn) {
        let pbn = self.medium.geometry.block_of(ppn);
        let (word, bit) = self.medium.valid_bit(pbn, ppn);
        self.medium.valid[word] |= bit;
        self.medium.blocks[pbn.index()].valid += 1;
    }
}
