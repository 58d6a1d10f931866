//! CACH-FTL after power was lost: OOBs tell which blocks are whose.
//!
//! Of the blocks with pages of one logical block alone, each at its offset, the one with most is its block of the
//! BMR. All the others are the PMR's, which holds any page anywhere: so a rewrite that was cut needs neither be done
//! nor undone. Pages that were trimmed come back, and may have taken its free pages: then GC makes room.
//!
//! What a threshold by measured costs has learned is lost, and a PMR as large as it has to be begins with all of it.

use super::{CachFtl, CachftlConfig};
use crate::error::Error;
use crate::flash::Flash;
use crate::ftl::design::{Design, Setup};
use crate::placement::survey::{Filled, FoundBlock, Survey};
use std::cmp::Reverse;

impl CachFtl {
    /// Goes on after power was lost.
    pub(super) fn mount(setup: &Setup<CachftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::build(setup, flash)?;
        let survey = Survey::of(0..ftl.geometry.blocks(), Filled::Anywhere, flash);
        let newest = survey.newest(&ftl.geometry);
        newest.iter().for_each(|page| flash.revive(page.ppn));
        let mut blocks = FoundBlock::all(&newest, &ftl.geometry);
        blocks.sort_by_key(|block| Reverse(block.pages.len()));
        let (homes, others): (Vec<_>, Vec<_>) =
            blocks.into_iter().partition(|block| ftl.take_home(block, flash));
        ftl.pmr.recover(&homes, &others, flash);
        unless_bug!(CachMountLeavesFull, ftl.make_room(flash));
        Ok(ftl)
    }

    /// Gives a logical block that has none a block with its pages alone.
    fn take_home(&mut self, block: &FoundBlock, flash: &Flash) -> bool {
        let lbn = block.in_place(&self.geometry).filter(|lbn| self.bmr.block(*lbn).is_none());
        if let (Some(lbn), Some(table)) = (lbn, self.bmr.table()) {
            table.replace(lbn, block.pbn, flash);
        }
        lbn.is_some()
    }

    /// Collects until a write does not find fewer free pages than one leaves, or nothing is left to collect.
    fn make_room(&mut self, flash: &mut Flash) {
        while self.is_short_of(0)
            && let Some(job) = self.start(flash)
        {
            self.finish(Some(job), flash);
        }
    }
}
