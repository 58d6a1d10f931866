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

/// Pages of a request that are loaded early: those that follow are next to them.
const PAGES: usize = 16;

/// Physical pages from which a device has tables that are worth it.
const LARGE: u32 = 1 << 19;

/// The pages that the next requests access.
#[derive(Clone, Debug, Default)]
pub struct Ahead {
    /// With whether they are read.
    pages: Vec<(Lpn, bool)>,
    places: Vec<(Ppn, bool)>,
}

impl Ahead {
    /// Whether the tables of a device of so many physical pages are worth it.
    #[must_use]
    pub const fn is_worth_it(pages: u32) -> bool {
        pages >= LARGE
    }

    /// Adds the pages of a request.
    #[inline]
    pub fn add(&mut self, op: Op, pages: &[Lpn]) {
        let first = pages.iter().take(PAGES);
        self.pages.extend(first.map(|lpn| (*lpn, op == Op::Read)));
    }

    /// Loads what accesses of the pages that were added will touch, and forgets these.
    pub fn load(&mut self, ftl: &impl Ftl, flash: &Flash) {
        self.places.clear();
        for (lpn, is_read) in self.pages.drain(..) {
            flash.load_version_early(lpn);
            self.places.extend(ftl.locate(lpn).map(|ppn| (ppn, is_read)));
        }
        for &(ppn, is_read) in &self.places {
            match is_read {
                true => flash.load_content_early(ppn),
                false => flash.load_state_early(ppn),
            }
        }
    }
}
