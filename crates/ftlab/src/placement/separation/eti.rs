//! ETI, extent-based temperature identification (Shafaei & Desnoyers, `HotStorage` 2016), as the evaluation of SepBIT has
//! it (Wang et al., FAST 2022).
//!
//! Idea     extents of pages have counters. A request counts once for each extent that it covers. An extent that it
//!          covers in part is divided. Every `period` requests the counters halve, and neighbours are joined that have
//!          equal counters or are both cold. Pages of hot extents go to class 0, others to class 1.
//!          What GC moves has class 2.
//! RAM      12 B for each of at most `extents` extents.
//! Departs  the paper is known to us by that evaluation's program. With a full table, extents that are covered whole are
//!          counted, and no other is divided.

use super::{Layout, Moved, Requested, Separation, SeparationDesign, Spec, Written};
use crate::units::Lpn;
use std::collections::BTreeMap;

crate::settings! {
    /// ETI's own parameters.
    pub struct EtiConfig in "eti" {
        /// Extents of the table, from which on none is divided.
        extents: u32 = 1024, in 1.., unit "extents", laws [1, 4, 1024],
            source "Wang et al., SepBIT, FAST 2022";
        /// Count from which an extent is hot.
        hot: u32 = 4, in 1..=15, laws [1, 4, 15], source "Wang et al., SepBIT, FAST 2022";
        /// Highest count.
        most: u32 = 15, in 1..=1024, laws [1, 15], source "Wang et al., SepBIT, FAST 2022";
        /// Requests after which counts halve.
        period: u32 = 4096, in 1.., unit "requests", laws [1, 3, 4096],
            source "Wang et al., SepBIT, FAST 2022";
    }
}

/// Pages of the hot extents.
const HOT: u8 = 0;
const COLD: u8 = 1;
const MOVED: u8 = 2;

/// What is known of the pages from the first of an extent up to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    /// One past the last page.
    end: u32,
    count: u32,
}

/// Separation by extents.
#[derive(Clone, Debug)]
pub struct Eti {
    own: EtiConfig,
    /// By their first pages; the last one has no end.
    extents: BTreeMap<u32, Extent>,
    /// Requests since counts halved.
    requests: u32,
}

impl Eti {
    /// The extent of a page, and its first page.
    fn of(&self, page: u32) -> (u32, Extent) {
        let extent = self.extents.range(..=page).next_back().expect("an extent begins at page 0");
        (*extent.0, *extent.1)
    }

    /// Halves the counts, and joins neighbours that are as warm.
    fn fade(&mut self) {
        let mut faded: Vec<(u32, Extent)> = Vec::with_capacity(self.extents.len());
        for (first, extent) in &self.extents {
            let count = extent.count / 2;
            let is_as_warm = |last: u32| {
                let is_hot = last >= self.own.hot;
                if is_hot { last == count } else { count < self.own.hot }
            };
            match faded.last_mut() {
                Some((_, last)) if is_as_warm(last.count) => last.end = extent.end,
                _ => faded.push((*first, Extent { count, ..*extent })),
            }
        }
        self.extents = faded.into_iter().collect();
    }

    /// Counts a request for the extent of its page `from`; returns the page behind the extent.
    fn count(&mut self, from: u32, end: u32) -> u32 {
        let (first, extent) = self.of(from);
        if extent.count == self.own.most {
            return extent.end;
        }
        let (covers_start, covers_end) = (from == first, end >= extent.end);
        let covered = Extent { end: end.min(extent.end), count: extent.count + 1 };
        if covers_start && covers_end {
            self.extents.insert(first, covered);
        } else if self.extents.len() < self.own.extents as usize {
            if !covers_start {
                self.extents.insert(first, Extent { end: from, ..extent });
            }
            self.extents.insert(from, covered);
            if !covers_end {
                self.extents.insert(end, extent);
            }
        }
        extent.end
    }
}

impl SeparationDesign for Eti {
    type Settings = EtiConfig;

    const SPEC: Spec = Spec {
        name: "eti",
        summary: "by how often requests cover the extent of a page (ETI)",
        source: "Shafaei & Desnoyers, HotStorage 2016; Wang et al., SepBIT, FAST 2022",
    };

    fn build(_layout: &Layout, own: EtiConfig) -> Self {
        let all = Extent { end: u32::MAX, count: 0 };
        Eti { own, extents: BTreeMap::from([(0, all)]), requests: 0 }
    }
}

impl Separation for Eti {
    fn classes(&self) -> u8 {
        MOVED + 1
    }

    fn spread(&self) -> u8 {
        1
    }

    fn requested(&mut self, Requested { first: Lpn(first), pages, .. }: Requested) {
        self.requests += 1;
        if self.requests >= self.own.period {
            self.fade();
            self.requests = 0;
        }
        let end = first + pages;
        let mut from = first;
        while from < end {
            from = self.count(from, end);
        }
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let (_, extent) = self.of(page.lpn.0);
        if extent.count >= self.own.hot { HOT } else { COLD }
    }

    fn of_move(&mut self, _page: Moved) -> u8 {
        MOVED
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        12 * u64::from(self.own.extents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(eti: &mut Eti, first: u32, pages: u32) {
        eti.requested(Requested { first: Lpn(first), pages, time: 0, stored: 0 });
    }

    fn extents(eti: &Eti) -> Vec<(u32, u32, u32)> {
        eti.extents.iter().map(|(first, extent)| (*first, extent.end, extent.count)).collect()
    }

    #[test]
    fn a_request_divides_the_extents_that_it_covers_in_part() {
        let mut eti = Eti::build(&Layout::of_pages(64), EtiConfig::default());
        request(&mut eti, 8, 4);
        let end = u32::MAX;
        assert_eq!(extents(&eti), [(0, 8, 0), (8, 12, 1), (12, end, 0)]);
        request(&mut eti, 4, 8);
        assert_eq!(extents(&eti), [(0, 4, 0), (4, 8, 1), (8, 12, 2), (12, end, 0)]);
        (0..3).for_each(|_| request(&mut eti, 8, 4));
        assert_eq!([7, 8].map(|page| eti.of_write(Written::of(Lpn(page), None))), [COLD, HOT]);
        eti.fade();
        assert_eq!(extents(&eti), [(0, end, 0)], "all are cold");
    }

    #[test]
    fn a_full_table_counts_whole_extents_alone() {
        let own = EtiConfig { extents: 2, most: 2, ..EtiConfig::default() };
        let mut eti = Eti::build(&Layout::of_pages(64), own);
        request(&mut eti, 0, 4);
        (0..3).for_each(|_| request(&mut eti, 0, 6));
        assert_eq!(extents(&eti), [(0, 4, 2), (4, u32::MAX, 0)]);
    }
}
