//! A translation page cached whole, with a mark on each mapping that differs from flash.

use crate::ftl::parts::page_map::PageMap;
use crate::ftl::parts::translation_pages::Change;
use crate::units::{Lpn, Ppn};

const WORD: usize = u64::BITS as usize;

/// The mappings of one translation page in RAM.
#[derive(Clone, Debug, Default)]
pub struct Image {
    first: Lpn,
    slots: PageMap,
    /// A bit for each slot that may differ from flash.
    dirty: Vec<u64>,
    dirty_slots: usize,
}

impl Image {
    /// The page as it is on flash; its first mapping is that of `first`.
    #[must_use]
    pub fn new(first: Lpn, slots: PageMap) -> Self {
        let mut image = Image { slots, ..Image::default() };
        image.fill(first, |_| {});
        image
    }

    /// Becomes another page as it is on flash, which `copy` copies.
    pub fn fill(&mut self, first: Lpn, copy: impl FnOnce(&mut PageMap)) {
        copy(&mut self.slots);
        self.first = first;
        self.dirty.clear();
        self.dirty.resize(self.slots.len().div_ceil(WORD), 0);
        self.dirty_slots = 0;
    }

    /// Number of mappings.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no mappings.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The place of a logical page on this translation page.
    #[inline]
    #[must_use]
    pub const fn slot_of(&self, lpn: Lpn) -> usize {
        (lpn.0 - self.first.0) as usize
    }

    fn lpn_of(&self, slot: usize) -> Lpn {
        Lpn(self.first.0 + slot as u32)
    }

    /// The mapping in a slot.
    #[inline]
    #[must_use]
    pub fn slot(&self, slot: usize) -> Option<Ppn> {
        self.slots.get(Lpn(slot as u32))
    }

    /// The mapping of a logical page.
    #[inline]
    #[must_use]
    pub fn get(&self, lpn: Lpn) -> Option<Ppn> {
        self.slot(self.slot_of(lpn))
    }

    /// Changes the mapping of a logical page and marks it as dirty. Returns the old mapping.
    pub fn set(&mut self, lpn: Lpn, ppn: Option<Ppn>) -> Option<Ppn> {
        let slot = self.slot_of(lpn);
        let bit = 1 << (slot % WORD);
        self.dirty_slots += usize::from(self.dirty[slot / WORD] & bit == 0);
        self.dirty[slot / WORD] |= bit;
        self.slots.replace(Lpn(slot as u32), ppn)
    }

    /// Whether a slot is dirty.
    #[inline]
    #[must_use]
    pub fn is_dirty(&self, slot: usize) -> bool {
        self.dirty[slot / WORD] >> (slot % WORD) & 1 == 1
    }

    /// Bytes of the marks of `entries` mappings, a bit for each.
    #[must_use]
    pub const fn mark_bytes(entries: u32) -> u64 {
        entries.div_ceil(8) as u64
    }

    /// Number of dirty slots.
    #[must_use]
    pub const fn dirty_slots(&self) -> usize {
        self.dirty_slots
    }

    /// The clean slot nearest to `slot` on its left; looks at 64 slots at a time.
    #[must_use]
    pub fn clean_before(&self, slot: usize) -> Option<usize> {
        let mut word = slot / WORD;
        let mut clean = !self.dirty[word] & ((1 << (slot % WORD)) - 1);
        while clean == 0 {
            word = word.checked_sub(1)?;
            clean = !self.dirty[word];
        }
        Some(word * WORD + clean.ilog2() as usize)
    }

    /// The clean slot nearest to `slot` on its right; looks at 64 slots at a time.
    #[must_use]
    pub fn clean_after(&self, slot: usize) -> Option<usize> {
        let mut word = slot / WORD;
        let mut clean = !self.dirty[word] & (u64::MAX << (slot % WORD) << 1);
        while clean == 0 {
            word += 1;
            clean = !*self.dirty.get(word)?;
        }
        let found = word * WORD + clean.trailing_zeros() as usize;
        (found < self.len()).then_some(found)
    }

    /// The dirty mappings, ascending; looks at 64 slots at a time.
    pub fn changes(&self) -> impl Iterator<Item = Change> {
        let without_lowest = |bits: &u64| Some(bits & (bits - 1)).filter(|rest| *rest != 0);
        let words = self.dirty.iter().enumerate();
        let slots = words.flat_map(move |(word, bits)| {
            let left = std::iter::successors(Some(*bits).filter(|b| *b != 0), without_lowest);
            left.map(move |bits| word * WORD + bits.trailing_zeros() as usize)
        });
        slots.map(|slot| (self.lpn_of(slot), self.slot(slot)))
    }

    /// Lists the dirty mappings, ascending, in place of others.
    pub fn list_changes(&self, list: &mut Vec<Change>) {
        list.clear();
        // Driven from inside, the iterator is a loop over each word's bits.
        self.changes().for_each(|change| list.push(change));
    }

    /// All mappings with their marks, ascending.
    pub fn entries(&self) -> impl Iterator<Item = (Change, bool)> {
        (0..self.len()).map(|slot| ((self.lpn_of(slot), self.slot(slot)), self.is_dirty(slot)))
    }

    /// Recounts the dirty slots.
    ///
    /// # Panics
    /// When the count is wrong.
    pub fn audit(&self) {
        let dirty = self.entries().filter(|(_, dirty)| *dirty).map(|(change, _)| change);
        assert!(self.changes().eq(dirty), "dirty slots from {}", self.first);
        assert_eq!(self.changes().count(), self.dirty_slots, "dirty slots from {}", self.first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_nearest_clean_slots_are_those_of_a_search() {
        let (mut rng, mut list) = (Rng::new(1, "image"), Vec::new());
        for _ in 0..200 {
            let slots = 1 + rng.below(200) as u32;
            let mut image = Image::new(Lpn(1000), PageMap::new(slots));
            for _ in 0..rng.below(4 * u64::from(slots)) {
                image.set(Lpn(1000 + rng.below(u64::from(slots)) as u32), Some(Ppn(7)));
            }
            image.audit();
            image.list_changes(&mut list);
            assert!(image.changes().eq(list.iter().copied()));
            for slot in 0..slots as usize {
                let clean = |other: &usize| !image.is_dirty(*other);
                assert_eq!(image.clean_before(slot), (0..slot).rev().find(clean));
                assert_eq!(image.clean_after(slot), (slot + 1..image.len()).find(clean));
            }
        }
    }

    #[test]
    fn a_page_that_is_filled_again_has_no_marks() {
        let mut image = Image::new(Lpn(0), PageMap::new(200));
        image.set(Lpn(150), Some(Ppn(7)));
        let other = PageMap::new(64);
        image.fill(Lpn(1000), |slots| other.copy_part(Lpn(0), Lpn(63), slots));
        image.audit();
        assert_eq!((image.len(), image.dirty_slots(), image.get(Lpn(1063))), (64, 0, None));
    }
}
