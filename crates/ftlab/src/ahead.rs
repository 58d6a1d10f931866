//! Tables loaded early: those of a large device are in no cache of the processor, and what the next requests touch of
//! them is known. Loads that do not wait for each other overlap, so some requests ahead cost little more than one.
//!
//! Nothing that is loaded here decides anything: it is read and dropped.

use crate::flash::Flash;
use crate::ftl::Ftl;
use crate::request::Op;
use crate::units::{Lpn, Ppn};

/// Requests whose pages are loaded together.
pub const REQUESTS: usize = 32;

/// Pages from which no further request joins them.
pub const PAGES: usize = 128;

/// Pages of a request that are loaded early: those that follow are next to them.
const OF_A_REQUEST: usize = 16;

/// Physical pages from which a device has tables that are worth it.
const LARGE: u32 = 1 << 19;

/// Where the pages are that the next requests access.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// With whether they are read.
    places: Vec<(Ppn, bool)>,
}

impl Ahead {
    /// Whether the tables of a device of so many physical pages are worth it.
    #[must_use]
    pub const fn is_worth_it(pages: u32) -> bool {
        pages >= LARGE
    }

    /// Loads what is known of the logical pages of a request.
    #[inline]
    pub fn find(&mut self, op: Op, pages: &[Lpn], ftl: &impl Ftl, flash: &Flash) {
        for &lpn in pages.iter().take(OF_A_REQUEST) {
            flash.load_version_early(lpn);
            self.places.extend(ftl.locate(lpn).map(|ppn| (ppn, op == Op::Read)));
            self.places.extend(ftl.locate_map(lpn).map(|ppn| (ppn, true)));
        }
    }

    /// Loads what is known of the physical pages that were found, and forgets them.
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
