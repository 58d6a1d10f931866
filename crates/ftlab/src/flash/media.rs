//! What pages are put on: the flash itself, or something above it that has blocks of its own, such as zones.
//!
//! The rooms that choose places and collect garbage see no more than this. The same garbage collection then works for a
//! controller on blocks and for a host on zones.

use super::{BlockKind, Cause, Flash, Future, Geometry, Loaded, Owner, ValidPages};
use crate::units::{Lpn, Pbn, Ppn};

/// Blocks whose pages are written in order, invalidated one by one, and erased together. Each method does what the one of
/// [`Flash`] with its name does.
#[allow(missing_docs)]
pub trait Media {
    /// The flash below.
    fn flash(&self) -> &Flash;
    /// The shape: blocks are those that are erased as a whole.
    fn geometry(&self) -> &Geometry;
    /// A bit for each page, set where it is valid, in whole words for each block.
    fn valid_bits(&self) -> &[u64];
    fn valid_in(&self, pbn: Pbn) -> u32;
    fn pages_of(&self, pbn: Pbn) -> u32;
    fn programmed_in(&self, pbn: Pbn) -> u32;
    fn is_programmed(&self, ppn: Ppn) -> bool;
    fn is_skipped(&self, ppn: Ppn) -> bool;
    fn is_erased(&self, pbn: Pbn) -> bool;
    fn wear_rank(&self, pbn: Pbn) -> u32;
    fn invalidate(&mut self, ppn: Ppn) -> Pbn;
    fn revive(&mut self, ppn: Ppn);
    fn waste(&mut self, ppn: Ppn);
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Owner;
    fn is_of_map(&self, ppn: Ppn) -> bool;
    fn load(&mut self, from: Ppn, cause: Cause) -> Loaded;
    fn store(&mut self, to: Ppn, page: Loaded, cause: Cause);
    fn relocate(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner;
    fn move_back(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner;
    fn erase(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause);
    fn erase_before_use(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause);
    fn ask_for_future(&mut self) -> Future;
    fn watch_planes(&mut self);

    /// What these pages hold, as far as it is at hand: it decides nothing.
    fn coming(&self, _: ValidPages) -> impl Iterator<Item = Lpn> {
        std::iter::empty()
    }

    /// The valid pages of a block, ascending.
    fn valid_pages(&self, pbn: Pbn) -> ValidPages {
        ValidPages::of(pbn, self.geometry(), self.valid_bits())
    }

    /// Relocates the next valid pages of a block to consecutive pages from `to` on, `most` at most.
    fn relocate_run(
        &mut self,
        pages: &mut ValidPages,
        to: Ppn,
        most: u32,
        cause: Cause,
        moved: &mut Vec<(Owner, Ppn)>,
    ) {
        for to in (to.0..to.0 + most).map(Ppn) {
            let Some(from) = pages.next_of(self.valid_bits()) else { return };
            moved.push((self.relocate(from, to, cause), to));
        }
    }
}

impl Media for Flash {
    #[inline(always)]
    fn flash(&self) -> &Flash {
        self
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry {
        Flash::geometry(self)
    }

    #[inline(always)]
    fn valid_bits(&self) -> &[u64] {
        &self.medium.valid
    }

    #[inline(always)]
    fn valid_in(&self, pbn: Pbn) -> u32 {
        Flash::valid_in(self, pbn)
    }

    #[inline(always)]
    fn pages_of(&self, pbn: Pbn) -> u32 {
        Flash::pages_of(self, pbn)
    }

    #[inline(always)]
    fn programmed_in(&self, pbn: Pbn) -> u32 {
        Flash::programmed_in(self, pbn)
    }

    #[inline(always)]
    fn is_programmed(&self, ppn: Ppn) -> bool {
        Flash::is_programmed(self, ppn)
    }

    #[inline(always)]
    fn is_skipped(&self, ppn: Ppn) -> bool {
        Flash::is_skipped(self, ppn)
    }

    #[inline(always)]
    fn is_erased(&self, pbn: Pbn) -> bool {
        Flash::is_erased(self, pbn)
    }

    #[inline(always)]
    fn wear_rank(&self, pbn: Pbn) -> u32 {
        Flash::wear_rank(self, pbn)
    }

    #[inline(always)]
    fn invalidate(&mut self, ppn: Ppn) -> Pbn {
        Flash::invalidate(self, ppn)
    }

    fn revive(&mut self, ppn: Ppn) {
        Flash::revive(self, ppn);
    }

    #[inline(always)]
    fn waste(&mut self, ppn: Ppn) {
        Flash::waste(self, ppn);
    }

    #[inline(always)]
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Owner {
        Flash::read_oob(self, ppn, cause)
    }

    #[inline(always)]
    fn is_of_map(&self, ppn: Ppn) -> bool {
        Flash::is_of_map(self, ppn)
    }

    #[inline(always)]
    fn load(&mut self, from: Ppn, cause: Cause) -> Loaded {
        Flash::load(self, from, cause)
    }

    #[inline(always)]
    fn store(&mut self, to: Ppn, page: Loaded, cause: Cause) {
        Flash::store(self, to, page, cause);
    }

    #[inline(always)]
    fn relocate(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        Flash::relocate(self, from, to, cause)
    }

    #[inline(always)]
    fn move_back(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        Flash::move_back(self, from, to, cause)
    }

    #[inline(always)]
    fn erase(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause) {
        Flash::erase(self, pbn, kind, cause);
    }

    #[inline(always)]
    fn erase_before_use(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause) {
        Flash::erase_before_use(self, pbn, kind, cause);
    }

    fn coming(&self, pages: ValidPages) -> impl Iterator<Item = Lpn> {
        Flash::coming(self, pages)
    }

    fn ask_for_future(&mut self) -> Future {
        Flash::ask_for_future(self)
    }

    fn watch_planes(&mut self) {
        Flash::watch_planes(self);
    }

    #[inline(always)]
    fn valid_pages(&self, pbn: Pbn) -> ValidPages {
        Flash::valid_pages(self, pbn)
    }

    #[inline(always)]
    fn relocate_run(
        &mut self,
        pages: &mut ValidPages,
        to: Ppn,
        most: u32,
        cause: Cause,
        moved: &mut Vec<(Owner, Ppn)>,
    ) {
        Flash::relocate_run(self, pages, to, most, cause, moved);
    }
}
