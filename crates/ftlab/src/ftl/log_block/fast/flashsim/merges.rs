//! The merges of `FlashSim`'s FAST, and what each leaves behind.

use super::{FlashSim, Sequential, Sign, invalidate};
use crate::flash::{BlockKind, Cause, Flash, Owner};
use crate::ftl::log_block::fast::place;
use crate::units::{Lbn, Lpn, Pbn, Ppn};

impl FlashSim {
    /// Gives the sequential log a fresh block.
    pub(super) fn renew_sequential(&mut self) {
        self.sequential = Sequential { pbn: Some(self.take()), ..Sequential::default() };
    }

    /// The owner of the sequential log, its data block, and the block of the log.
    fn sequential_merge(&self) -> (Lbn, Pbn, Pbn) {
        let owner = self.sequential.owner.expect("a sequential log that is merged has an owner");
        let log = self.sequential.pbn.expect("the sequential log has a block");
        (owner, self.home(owner), log)
    }

    /// The full sequential log becomes the data block.
    pub(super) fn merge_switch(&mut self, flash: &mut Flash) {
        let (lbn, old, log) = self.sequential_merge();
        self.data[lbn.index()] = Some(log);
        self.discard(old, BlockKind::Data, flash);
        self.merges.switch += 1;
        self.renew_sequential();
    }

    /// The sequential log is completed from the data block, with the page of the host in its place, and becomes the
    /// data block.
    pub(super) fn merge_partial(&mut self, host: Option<Lpn>, flash: &mut Flash) {
        let (lbn, old, log) = self.sequential_merge();
        for offset in self.sequential.filled..flash.geometry().pages_per_block {
            let lpn = Lpn(flash.geometry().first_logical_page(lbn).0 + offset);
            let (from, to) =
                (flash.geometry().page_at(old, offset), flash.geometry().page_at(log, offset));
            let is_invalid = flash.is_programmed(from) && !flash.is_valid(from);
            if is_invalid && self.sign == Sign::Mended {
                self.complete_from_log(lpn, to, host == Some(lpn), flash);
            } else if host == Some(lpn) {
                flash.program(to, Owner::Data(lpn), Cause::Host);
            } else if flash.is_valid(from) {
                flash.copy(from, to, Cause::Merge);
            }
        }
        self.data[lbn.index()] = Some(log);
        self.discard(old, BlockKind::Data, flash);
        self.merges.partial += 1;
        self.renew_sequential();
    }

    /// With the sign mended: takes the first entry of the page in the log, be it dead. It is read only if it is valid.
    /// There is one, as a page of a data block becomes invalid when its entry is written.
    fn complete_from_log(&mut self, lpn: Lpn, to: Ppn, is_host: bool, flash: &mut Flash) {
        let Some(from) = self.random.take_first(lpn, flash.geometry()) else { return };
        match (is_host, flash.is_valid(from)) {
            (true, is_valid) => {
                if is_valid {
                    // Read, and not used.
                    drop(flash.load(from, Cause::Merge));
                }
                flash.program(to, Owner::Data(lpn), Cause::Host);
            }
            (false, true) => _ = flash.copy(from, to, Cause::Merge),
            (false, false) => flash.copy_unread(from, to, Cause::Merge),
        }
        invalidate(from, flash);
    }

    /// A page that the sequential log has already is written by the host: log and data block are copied to a fresh
    /// block, without what is in the random log.
    pub(super) fn merge_sequential(&mut self, host: Lpn, flash: &mut Flash) {
        let (lbn, old, log) = self.sequential_merge();
        let fresh = self.take();
        self.data[lbn.index()] = Some(fresh);
        for offset in 0..flash.geometry().pages_per_block {
            let source = if offset < self.sequential.filled { log } else { old };
            let (from, to) =
                (flash.geometry().page_at(source, offset), flash.geometry().page_at(fresh, offset));
            if place(host, flash).1 == offset {
                flash.program(to, Owner::Data(host), Cause::Host);
            } else if flash.is_valid(from) {
                flash.copy(from, to, Cause::Merge);
            }
        }
        self.discard(old, BlockKind::Data, flash);
        self.discard(log, BlockKind::Log, flash);
        self.merges.full += 1;
        self.counts.sequential_full += 1;
        self.renew_sequential();
    }

    /// Merges the logical block of each valid entry of the oldest random log block: the same one once for each entry.
    /// Then it erases the log block with what is valid in it.
    pub(super) fn reclaim(&mut self, flash: &mut Flash) {
        let victim = self.random.victim();
        for page in 0..flash.geometry().pages_per_block as usize {
            let Some(lpn) = self.random.valid_in(victim, page) else { continue };
            let (lbn, _) = place(lpn, flash);
            match self.sequential.owner == Some(lbn) {
                true => self.merge_partial(None, flash),
                false => self.merge_full(lbn, flash),
            }
        }
        self.discard(self.random.block(victim), BlockKind::Log, flash);
        let pbn = self.take();
        self.random.renew(victim, pbn);
        self.counts.reclaims += 1;
    }

    /// Copies the valid pages of a data block to a fresh one. What lies in the log is copied only with the sign mended.
    fn merge_full(&mut self, lbn: Lbn, flash: &mut Flash) {
        let (old, fresh) = (self.home(lbn), self.take());
        self.data[lbn.index()] = Some(fresh);
        for (offset, lpn) in (0..).zip(flash.geometry().logical_pages_of(lbn)) {
            let (from, to) =
                (flash.geometry().page_at(old, offset), flash.geometry().page_at(fresh, offset));
            if flash.is_valid(from) {
                flash.relocate(from, to, Cause::Merge);
            } else if self.sign == Sign::Mended && flash.is_programmed(from) {
                match self.random.take_valid(lpn, flash.geometry()) {
                    Some(logged) => _ = flash.relocate(logged, to, Cause::Merge),
                    // The page that the host writes now: its entry is dead, and the next one not there yet.
                    None => flash.copy_unread(from, to, Cause::Merge),
                }
            }
        }
        self.discard(old, BlockKind::Data, flash);
        self.merges.full += 1;
    }

    /// Erases a block with all that is valid in it.
    fn discard(&mut self, pbn: Pbn, kind: BlockKind, flash: &mut Flash) {
        flash.erase_with_pages(pbn, kind, Cause::Merge);
        self.free.give(pbn, flash);
    }
}
