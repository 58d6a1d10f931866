//! A cached translation page as S-FTL stores it: a bitmap, and one PPN for the head of each run.
//!
//! With one bit per mapping, a run ends wherever a PPN is not its left neighbour's plus one. With
//! two, the second bit marks the mappings that are unchanged since the load. A run of these
//! continues behind overwritten ones, so that one overwrite costs one head, not two
//! (choices.md#sftl-bitmaps). The runs of overwritten mappings are counted separately. Both forms
//! can be decoded from left to right.
//!
//! Every form needs a dirty bit for each mapping (choices.md#sftl-dirty-bits). Where there are two
//! bitmaps, it is the second.

use crate::ftl::demand::Image;
use crate::units::{Lpn, Ppn, Vtpn};

const HEADER_BYTES: u64 = 4;
const PPN_BYTES: u64 = 4;

/// How pages are stored.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Mappings on a translation page.
    pub entries: u32,
    /// Bits per mapping, 1 or 2.
    pub bitmaps: u32,
}

impl Format {
    /// Size of a page that is not compressed: VTPN, dirty marks and PPNs.
    pub fn plain(self) -> u64 {
        HEADER_BYTES + Image::mark_bytes(self.entries) + PPN_BYTES * u64::from(self.entries)
    }

    /// Size of a page with `heads` heads.
    pub fn size(self, heads: usize) -> u64 {
        let bitmaps = 2 * Image::mark_bytes(self.entries);
        self.plain().min(HEADER_BYTES + bitmaps + PPN_BYTES * heads as u64)
    }
}

/// A translation page and the number of its run heads.
#[derive(Clone, Debug)]
pub struct Page {
    pub vtpn: Vtpn,
    pub image: Image,
    heads: usize,
    format: Format,
}

impl Page {
    /// A page after its read, with `runs` runs. No mapping is overwritten, so each run has one head
    /// in both formats.
    pub const fn new(vtpn: Vtpn, image: Image, runs: usize, format: Format) -> Self {
        Page { vtpn, heads: runs, image, format }
    }

    /// Bytes of RAM.
    pub fn bytes(&self) -> u64 {
        self.format.size(self.heads)
    }

    /// Changes a mapping; returns the old one. Only the heads of its neighbours can change.
    pub fn set(&mut self, lpn: Lpn, ppn: Option<Ppn>) -> Option<Ppn> {
        let slot = self.image.slot_of(lpn);
        let before = self.heads_around(slot);
        let old = self.image.set(lpn, ppn);
        self.heads = self.heads + self.heads_around(slot) - before;
        old
    }

    /// The number of heads among a slot and the slots whose runs it can continue or end.
    fn heads_around(&self, slot: usize) -> usize {
        let next = Some(slot + 1).filter(|next| *next < self.image.len());
        let resumed = match self.format.bitmaps {
            1 => None,
            _ => self.image.clean_after(slot).filter(|clean| Some(*clean) != next),
        };
        let around = [Some(slot), next, resumed];
        around.into_iter().flatten().filter(|slot| self.is_head(*slot)).count()
    }

    fn is_head(&self, slot: usize) -> bool {
        !self.run_of(slot).is_some_and(|before| self.continues(before, slot))
    }

    /// The nearest slot on the left that `slot` may continue.
    fn run_of(&self, slot: usize) -> Option<usize> {
        let left = slot.checked_sub(1)?;
        if self.format.bitmaps == 1 {
            return Some(left);
        }
        match (self.image.is_dirty(left), self.image.is_dirty(slot)) {
            (_, false) => self.image.clean_before(slot),
            (true, true) => Some(left),
            (false, true) => None,
        }
    }

    /// Whether a run from one slot to another yields the PPN there. Unmapped slots form runs, too.
    fn continues(&self, from: usize, to: usize) -> bool {
        match (self.image.slot(from), self.image.slot(to)) {
            (Some(a), Some(b)) => u64::from(a.0) + (to - from) as u64 == u64::from(b.0),
            (None, None) => true,
            _ => false,
        }
    }

    /// Recounts the heads, and decodes the page from its bits and heads.
    ///
    /// # Panics
    /// When the count is wrong, or the mappings are not the same.
    pub fn audit(&self) {
        self.image.audit();
        let slots = 0..self.image.len();
        let heads = slots.clone().filter(|slot| self.is_head(*slot)).count();
        assert_eq!(heads, self.heads, "heads of {}", self.vtpn);
        let mappings = slots.map(|slot| self.image.slot(slot));
        assert!(self.decompressed().into_iter().eq(mappings), "code of {}", self.vtpn);
    }

    /// The mappings, decoded only from their bits and heads in RAM.
    fn decompressed(&self) -> Vec<Option<Ppn>> {
        let slots = 0..self.image.len();
        let bits = slots.clone().map(|slot| (self.is_head(slot), self.image.is_dirty(slot)));
        let heads = slots.filter(|slot| self.is_head(*slot)).map(|slot| self.image.slot(slot));
        decode(bits, heads, self.format.bitmaps)
    }
}

/// The mappings of a page from its bits (head, overwritten) and its heads. With one bitmap the
/// second bit is ignored.
fn decode(
    bits: impl Iterator<Item = (bool, bool)>,
    mut heads: impl Iterator<Item = Option<Ppn>>,
    bitmaps: u32,
) -> Vec<Option<Ppn>> {
    let mut runs = [None; 2];
    let step = |ppn: Option<Ppn>| ppn.map(|ppn| Ppn(ppn.0.wrapping_add(1)));
    let slot = |(head, overwritten): (bool, bool)| {
        runs = runs.map(step);
        let run = &mut runs[usize::from(bitmaps == 2 && overwritten)];
        if head {
            *run = heads.next().expect("a PPN for each head");
        }
        *run
    };
    bits.map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::parts::page_map::PageMap;
    use proptest::prelude::*;

    fn page(slots: u32, bitmaps: u32) -> Page {
        let mut map = PageMap::new(slots);
        for slot in 0..slots {
            map.replace(Lpn(slot), Some(Ppn(1000 + slot)));
        }
        let image = Image::new(Lpn(0), map);
        Page::new(Vtpn(0), image, 1, Format { entries: slots, bitmaps })
    }

    fn set(page: &mut Page, lpn: u32, ppn: u32) -> u64 {
        page.set(Lpn(lpn), Some(Ppn(ppn)));
        page.audit();
        page.bytes()
    }

    /// One head for each run, overwritten or not.
    #[test]
    fn sizes_of_the_worked_example() {
        let mut page = page(8, 1);
        assert_eq!(page.bytes(), 4 + 2 + 4, "a bit for heads, and one for dirty mappings");
        assert_eq!(set(&mut page, 3, 100), 4 + 2 + 12, "heads at 0, 3, 4");
        assert_eq!(set(&mut page, 4, 101), 4 + 2 + 12, "heads at 0, 3, 5");
        assert_eq!(page.image.dirty_slots(), 2);
    }

    /// One head for an overwrite in the middle of a run, whatever is overwritten next.
    #[test]
    fn with_two_bitmaps_a_run_goes_on_behind_overwritten_mappings() {
        let mut page = page(8, 2);
        assert_eq!(page.bytes(), 4 + 2 + 4);
        assert_eq!(set(&mut page, 3, 100), 4 + 2 + 8);
        assert_eq!(set(&mut page, 4, 101), 4 + 2 + 8);
        assert_eq!(set(&mut page, 0, 500), 4 + 2 + 12);
        assert_eq!(set(&mut page, 6, 1006), 4 + 2 + 16, "overwritten, though with the same PPN");
    }

    /// For pages of 4 KiB.
    #[test]
    fn pages_are_as_small_as_the_model_and_never_larger_than_uncompressed() {
        for bitmaps in [1, 2] {
            let mut page = page(1024, bitmaps);
            assert_eq!(page.bytes(), 264);
            for lpn in 0..1024 {
                page.set(Lpn(lpn), Some(Ppn(7 * lpn)));
            }
            page.audit();
            assert_eq!(page.bytes(), 4228);
        }
    }

    proptest! {
        /// A compressed page decompresses to the same page after each change. The head count is
        /// exact although it is updated step by step.
        #[test]
        fn a_page_is_decoded_from_its_bits_and_heads(
            bitmaps in 1..=2_u32,
            slots in 1..150_u32,
            // Few different PPNs, so that runs form; one of five changes unmaps.
            changes in prop::collection::vec((any::<u32>(), 0..3_u32, 0..5_u32), 0..200),
        ) {
            let mut page = page(slots, bitmaps);
            let mut model: Vec<Option<Ppn>> = (0..slots).map(|slot| Some(Ppn(1000 + slot))).collect();
            for (place, run, unmaps) in changes {
                let lpn = Lpn(place % slots);
                let ppn = Some(Ppn(lpn.0 + run * 1000)).filter(|_| unmaps > 0);
                prop_assert_eq!(page.set(lpn, ppn), model[lpn.index()]);
                model[lpn.index()] = ppn;
                page.audit();
                prop_assert_eq!(&page.decompressed(), &model);
                prop_assert!(page.bytes() <= page.format.plain());
            }
        }
    }
}
