//! Cost-hotness, the policy of SFS (Min et al., FAST 2012), as the evaluation of SepBIT has it (Wang et al., FAST 2022).
//!
//! It takes the largest (1 - u) / (u x hotness). u is the share of valid pages. [`Hotness`] says what that of a block is.
//!
//! It asks which pages lie in a block. An FTL with its map in RAM and one pool of blocks says so.
//! Each victim is compared with all closed blocks.

use super::hotness::Hotness;
use super::numbered::Numbered;
use super::{BuildPolicy, Closed, Moment, Placed, Pool, Spec, VictimPolicy, Victims};
use crate::error::Error;
use crate::units::{Lpn, Pbn};
use std::sync::Arc;

/// The closed blocks, and the hotness of all.
#[derive(Clone, Debug)]
pub struct CostHotness {
    closed: Numbered,
    hotness: Hotness,
    /// The block of each page with data.
    places: Vec<Option<Pbn>>,
    pages_per_block: u32,
}

impl CostHotness {
    pub(super) const SPEC: Spec = Spec {
        name: "cost-hotness",
        summary: "largest (1 - u) / (u x hotness), hotness by writes and age of the pages (SFS)",
        source: "Min et al., FAST 2012; Wang et al., SepBIT, FAST 2022",
    };

    /// How it is built.
    pub(super) fn build() -> BuildPolicy {
        Arc::new(|pool, _| match pool.logical_pages {
            Some(pages) => Ok(Victims::Other(Box::new(CostHotness::of(pool, pages)))),
            None => {
                let message = "found cost-hotness, expected another policy, or an FTL that says which pages lie in a \
                               block: page, hat or sepbit with ftl.placement = single";
                Err(Error::config("gc.policy", message))
            }
        })
    }

    fn of(pool: &Pool, logical_pages: u32) -> Self {
        CostHotness {
            closed: Numbered::new(pool.blocks),
            hotness: Hotness::new(logical_pages, pool.blocks),
            places: vec![None; logical_pages as usize],
            pages_per_block: pool.pages_per_block,
        }
    }

    /// A page lies nowhere.
    fn leaves(&mut self, lpn: Lpn) {
        if let Some(block) = self.places[lpn.index()].take() {
            self.hotness.left(lpn, block);
        }
    }
}

/// Time in microseconds.
const fn micros(now: Moment) -> u64 {
    now.time / 1000
}

impl VictimPolicy for CostHotness {
    fn close(&mut self, block: Closed) {
        self.closed.close(block);
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, _now: u64) {
        self.closed.shrink(pbn, valid);
    }

    fn remove(&mut self, pbn: Pbn, _valid: u32) {
        self.closed.remove(pbn);
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        self.closed.best(|pbn, valid| {
            debug_assert_eq!(self.hotness.pages_in(pbn), valid, "pages with data in {pbn}");
            let u = f64::from(valid) / f64::from(self.pages_per_block);
            let hotness = self.hotness.of_block(pbn, micros(now)).unwrap_or_default();
            if valid == 0 { f64::INFINITY } else { (1.0 - u) / (u * hotness) }
        })
    }

    fn watches_pages(&self) -> bool {
        true
    }

    fn placed(&mut self, page: Placed, now: Moment) {
        unless_bug!(HotnessKeepsPlace, self.leaves(page.lpn));
        if page.is_written {
            self.hotness.wrote(page.lpn, micros(now));
        }
        self.places[page.lpn.index()] = Some(page.pbn);
        self.hotness.placed(page.lpn, page.pbn);
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.leaves(lpn);
        self.hotness.forget(lpn);
    }
}
