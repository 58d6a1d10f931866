//! Prefetches tables. The tables of a large device are in no cache of the processor, and the
//! entries that the next requests need are known. Loads that do not wait for each other overlap, so
//! loading for several requests costs little more than for one.
//!
//! The loaded entries have no effect on decisions: they are read and dropped.

use crate::flash::Flash;
use crate::ftl::Ftl;
use crate::request::Op;
use crate::units::{Lpn, Ppn};

/// Requests whose pages are loaded together.
pub const REQUESTS: usize = 32;

/// Number of pages from which no further request joins.
pub const PAGES: usize = 128;

/// Pages of a request that are prefetched. The entries of the others are next to them.
const OF_A_REQUEST: usize = 16;

/// Physical pages from which the tables of a device are worth prefetching.
const LARGE: u32 = 1 << 19;

/// The places of the pages that the next requests access.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// With a flag for reads.
    places: Vec<(Ppn, bool)>,
}

impl Ahead {
    /// Whether a device of `pages` physical pages has tables that are worth prefetching.
    #[must_use]
    pub const fn is_worth_it(pages: u32) -> bool {
        pages >= LARGE
    }

    /// Prefetches the entries of the logical pages of a request.
    #[inline]
    pub fn find(&mut self, op: Op, pages: &[Lpn], ftl: &impl Ftl, flash: &Flash) {
        for &lpn in pages.iter().take(OF_A_REQUEST) {
            flash.load_version_early(lpn);
            self.places.extend(ftl.locate(lpn).map(|ppn| (ppn, op == Op::Read)));
            self.places.extend(ftl.locate_map(lpn).map(|ppn| (ppn, true)));
        }
    }

    /// Prefetches the entries of the physical pages that were found, and forgets them.
    #[inline]
    pub fn load(&mut self, flash: &Flash) {
        for (ppn, is_read) in self.places.drain(..) {
            match is_read {
                true => flash.load_content_early(ppn),
                false => flash.load_state_early(ppn),
            }
        }
    }
}
