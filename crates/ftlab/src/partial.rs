//! Parts of pages: the reads of a device before it programs a page of which only a part was
//! written.
//!
//! ```text
//! sectors  |. . x x|x x x x|x . . .|    x: what a request writes
//! pages      read    whole   read       before they are programmed, if they hold data
//! ```
//!
//! Without a write buffer the FTL first reads such pages, then writes the request. In a buffer the
//! parts of a page accumulate. The missing rest is read when the page leaves, or when the host
//! reads it (choices.md#partial-pages).

use crate::device::{DeviceConfig, Geometry, PartialWrites};
use crate::flash::{Cause, Flash};
use crate::ftl::{self, Ftl};
use crate::request::Op;
use crate::units::Lpn;
use rustc_hash::FxHashMap;

/// Sectors of a page, a bit each.
type Sectors = u128;

const fn first_sectors(count: u64) -> Sectors {
    if count < Sectors::BITS as u64 { (1 << count) - 1 } else { Sectors::MAX }
}

/// The sectors that a request touches.
#[derive(Clone, Copy, Debug)]
pub struct Cover {
    first: u64,
    end: u64,
    per_page: u64,
}

impl Cover {
    /// All sectors of all pages.
    pub const WHOLE: Cover = Cover { first: 0, end: u64::MAX, per_page: 1 };

    /// Those that the bytes from `offset` up to `end` touch.
    #[inline]
    #[must_use]
    pub const fn new(offset: u64, end: u64, sector_shift: u32, page_shift: u32) -> Self {
        let per_page = 1 << (page_shift - sector_shift);
        Cover { first: offset >> sector_shift, end: ((end - 1) >> sector_shift) + 1, per_page }
    }

    /// The sectors that the request touches in one of its pages.
    fn of(self, lpn: Lpn) -> Sectors {
        let start = u64::from(lpn.0) * self.per_page;
        let end = (self.end - start).min(self.per_page);
        first_sectors(end) & !first_sectors(self.first.saturating_sub(start))
    }

    /// The sectors that the request does not touch in one of its pages.
    fn rest_of(self, lpn: Lpn) -> Sectors {
        first_sectors(self.per_page) & !self.of(lpn)
    }

    /// Whether the request touches only some sectors of a page.
    #[inline]
    #[must_use]
    pub const fn cuts(self, lpn: Lpn) -> bool {
        let start = lpn.0 as u64 * self.per_page;
        self.first > start || self.end < start + self.per_page
    }

    /// Number of pages that the request cuts.
    #[inline]
    #[must_use]
    pub const fn pages_cut(self, pages: &[Lpn]) -> u64 {
        match pages {
            [] => 0,
            [only] => self.cuts(*only) as u64,
            [first, .., last] => self.cuts(*first) as u64 + self.cuts(*last) as u64,
        }
    }

    /// The pages that the request cuts: of its pages the first, the last, both or none.
    pub fn cut(self, pages: &[Lpn]) -> impl Iterator<Item = Lpn> {
        let ends = match pages {
            [] => [None, None],
            [only] => [Some(*only), None],
            [first, .., last] => [Some(*first), Some(*last)],
        };
        ends.into_iter().flatten().filter(move |lpn| self.cuts(*lpn))
    }
}

/// Whether a device reads before it programs a part of a page. If not, parts are programmed without
/// a read.
fn reads_first(device: &DeviceConfig) -> bool {
    device.partial_writes == PartialWrites::ReadModifyWrite
}

/// Reads of the pages of a group that are not complete.
#[derive(Clone, Debug, Default)]
struct Completion {
    pages: Vec<Lpn>,
    /// Pages completed since measuring started.
    completed: u64,
}

impl Completion {
    /// Reads pages, ascending. The programs that follow in this request wait for these reads.
    fn read(
        &mut self,
        pages: impl Iterator<Item = Lpn>,
        ftl: &mut (impl Ftl + ?Sized),
        flash: &mut Flash,
    ) {
        self.pages.clear();
        self.pages.extend(pages);
        if self.pages.is_empty() {
            return;
        }
        self.completed += self.pages.len() as u64;
        let read = |flash: &mut Flash| ftl::access(ftl, Op::Read, &self.pages, flash);
        flash.read_first(Cause::ReadModifyWrite, &self.pages, read);
        flash.end_cause();
    }
}

/// Read-modify-write without a write buffer. Memory: a byte per logical page.
#[derive(Clone, Debug)]
pub struct ReadModifyWrite {
    holds_data: Vec<bool>,
    completion: Completion,
}

impl ReadModifyWrite {
    /// For a device without data; `None` if parts are programmed without a read.
    #[must_use]
    pub fn new(device: &DeviceConfig, geometry: &Geometry) -> Option<Self> {
        reads_first(device).then(|| ReadModifyWrite {
            holds_data: vec![false; geometry.logical_pages as usize],
            completion: Completion::default(),
        })
    }

    /// Reads the missing sectors of the pages that a request is about to write.
    #[inline]
    pub fn before_write(
        &mut self,
        pages: &[Lpn],
        cover: Cover,
        ftl: &mut impl Ftl,
        flash: &mut Flash,
    ) {
        let holds_data = &self.holds_data;
        let cut = cover.cut(pages);
        let incomplete =
            cut.filter(|lpn| unless_bug!(PartialReadsNothing, holds_data[lpn.index()], true));
        self.completion.read(incomplete, ftl, flash);
        pages.iter().for_each(|lpn| self.holds_data[lpn.index()] = true);
    }

    /// Recovers on a device where exactly these logical pages hold data.
    pub fn resume(&mut self, holds_data: impl Fn(Lpn) -> bool) {
        (0..).map(Lpn).zip(&mut self.holds_data).for_each(|(lpn, holds)| *holds = holds_data(lpn));
    }

    /// Notes that pages are trimmed.
    pub fn trim(&mut self, pages: &[Lpn]) {
        pages.iter().for_each(|lpn| self.holds_data[lpn.index()] = false);
    }

    /// Pages that were read before they were programmed, since measuring started.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.completion.completed
    }

    /// Resets the count.
    pub fn reset_count(&mut self) {
        self.completion.completed = 0;
    }
}

/// Read-modify-write in a write buffer: pages in RAM with sectors that are only on flash.
#[derive(Clone, Debug)]
pub struct Incomplete {
    /// Whether parts are programmed without a read: all pages then count as complete.
    ignores: bool,
    missing: FxHashMap<Lpn, Sectors>,
    completion: Completion,
}

impl Incomplete {
    /// An empty buffer.
    #[must_use]
    pub fn new(device: &DeviceConfig) -> Self {
        Incomplete {
            ignores: !reads_first(device),
            missing: FxHashMap::default(),
            completion: Completion::default(),
        }
    }

    /// Notes that the host writes a page that was in RAM before.
    #[inline]
    pub fn rewrite(&mut self, lpn: Lpn, cover: Cover) {
        let Some(missing) = self.missing.get_mut(&lpn) else { return };
        *missing &= unless_bug!(PartialForgetsWrites, cover.rest_of(lpn), Sectors::MAX);
        if *missing == 0 {
            self.missing.remove(&lpn);
        }
    }

    /// Notes that the host writes a page that was not in RAM, but is on flash.
    #[inline]
    pub fn write_over(&mut self, lpn: Lpn, cover: Cover) {
        if !self.ignores && cover.cuts(lpn) {
            self.missing.insert(lpn, cover.rest_of(lpn));
        }
    }

    /// Whether some sectors of a page in RAM that a request touches are only on flash.
    #[inline]
    #[must_use]
    pub fn lacks(&self, lpn: Lpn, cover: Cover) -> bool {
        !self.missing.is_empty()
            && self.missing.get(&lpn).is_some_and(|missing| missing & cover.of(lpn) != 0)
    }

    /// Notes that a page is complete, or no longer in RAM.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn) {
        if !self.missing.is_empty() {
            self.missing.remove(&lpn);
        }
    }

    /// Reads the missing sectors of a group, ascending, that is about to be written.
    pub fn before_write(&mut self, group: &[Lpn], ftl: &mut dyn Ftl, flash: &mut Flash) {
        if self.missing.is_empty() {
            return;
        }
        let missing = &mut self.missing;
        let incomplete = group.iter().filter(|lpn| missing.remove(lpn).is_some());
        self.completion.read(incomplete.copied(), ftl, flash);
    }

    /// Pages that were read before they were programmed, since measuring started.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.completion.completed
    }

    /// Resets the count; what is missing remains missing.
    pub fn reset_count(&mut self) {
        self.completion.completed = 0;
    }

    /// Recomputes the invariant: only pages that are dirty and on flash are incomplete.
    ///
    /// # Panics
    /// When it does not hold.
    pub fn audit(&self, may_be: impl Fn(Lpn) -> bool) {
        let wrong = self.missing.iter().find(|(lpn, missing)| **missing == 0 || !may_be(**lpn));
        assert_eq!(wrong, None, "a page, and the sectors that it lacks");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_cuts_its_first_and_its_last_page() {
        // Pages of 4 sectors of 512 B; bytes 1500 to 4609 touch the sectors 2 to 9.
        let cover = Cover::new(1500, 4609, 9, 11);
        let pages = [0, 1, 2].map(Lpn);
        assert_eq!(pages.map(|lpn| cover.of(lpn)), [0b1100, 0b1111, 0b0011]);
        assert_eq!(pages.map(|lpn| cover.rest_of(lpn)), [0b0011, 0, 0b1100]);
        assert_eq!(cover.cut(&pages).collect::<Vec<_>>(), [Lpn(0), Lpn(2)]);
        assert_eq!(cover.cut(&pages[..1]).collect::<Vec<_>>(), [Lpn(0)]);
        assert_eq!(Cover::new(512, 1024, 9, 9).cut(&[Lpn(1)]).count(), 0, "a whole page");
        assert_eq!(Cover::WHOLE.cut(&pages).count(), 0);
    }

    #[test]
    fn a_page_may_have_128_sectors() {
        let cover = Cover::new(512, 65_536, 9, 16);
        assert_eq!((cover.of(Lpn(0)), cover.rest_of(Lpn(0))), (Sectors::MAX << 1, 1));
    }
}
