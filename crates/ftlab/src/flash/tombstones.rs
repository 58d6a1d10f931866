//! Tombstones: trims that outlive a power cut, written to a place of their own before they are done.
//!
//! ```text
//! tombstone   logical pages a to b were trimmed when s versions had been written: of these pages versions with
//!             higher sequence numbers count, and no others
//! the place   page | page | page | page        a page for each request that trims
//!             whole | page ...                 when there is no room: all pages that hold no data, at once; then
//!                                              what was before is erased
//! ```
//!
//! A mount reads the place first, and [takes](crate::placement::survey) no version that is buried: no FTL knows of
//! it. The place is no part of the blocks that an FTL sees, and its pages share their cells with no others. There is
//! room for one page in 1,024 logical ones, a block at least, and as much again while all is written anew.
//! `device.trim` = `durable` costs a program for each request, and reads at a mount.

use super::memory::Change;
use super::{Cause, Flash, Geometry, Operation};
use crate::units::Lpn;
use std::sync::Arc;

/// Bytes of a tombstone: a page, how many, and a sequence number.
const TOMBSTONE: usize = 16;
/// Bytes of what all pages without data begin with: their sequence number, and how many there are.
const HEAD: u64 = 16;
/// Bytes of a run of them: a page, and how many.
const RUN: u64 = 8;
/// Logical pages for each page of the place.
const SHARE: u32 = 1024;

/// Consecutive logical pages that were trimmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tombstone {
    /// The first.
    pub first: Lpn,
    /// How many.
    pub count: u32,
    /// Versions, of any page, that had been written.
    pub sequence: u64,
}

/// A change of the place.
#[derive(Clone, Debug)]
pub(super) enum Burial {
    /// A page was programmed.
    Page(Arc<[Tombstone]>),
    /// So many pages were, with all that holds no data; they count when all are there.
    Whole(Arc<[Tombstone]>, u64),
    /// What was written before, so many times from the beginning, is erased.
    Erased(usize),
}

/// What was written since all was written anew.
#[derive(Clone, Debug, Default)]
struct Generation {
    tombstones: Vec<Tombstone>,
    /// Pages that they take.
    pages: u64,
}

/// The place, and what a mount has read there.
#[derive(Clone, Debug)]
pub(super) struct Tombstones {
    /// Those on flash; the last counts.
    generations: Vec<Generation>,
    /// Pages of one of them, at most.
    room: u64,
    /// Of each logical page, the lowest sequence number that counts: known to a controller since it has mounted.
    since: Option<Arc<[u64]>>,
}

impl Tombstones {
    /// A place with nothing in it.
    pub fn new(geometry: &Geometry) -> Self {
        let least = 2 * whole_pages(u32::MAX, geometry);
        let share = u64::from(geometry.logical_pages / SHARE);
        let room = share.max(geometry.pages_per_block.into()).max(least);
        Tombstones { generations: Vec::new(), room, since: None }
    }

    /// Forgets what a controller knows in RAM.
    pub fn forget(&mut self) {
        self.since = None;
    }

    /// Undergoes a change.
    pub fn change(&mut self, change: &Burial) {
        match change {
            Burial::Page(tombstones) => {
                if self.generations.is_empty() {
                    self.generations.push(Generation::default());
                }
                if let Some(newest) = self.generations.last_mut() {
                    newest.tombstones.extend_from_slice(tombstones);
                    newest.pages += 1;
                }
            }
            Burial::Whole(tombstones, pages) => {
                self.generations
                    .push(Generation { tombstones: tombstones.to_vec(), pages: *pages });
            }
            Burial::Erased(count) => drop(self.generations.drain(..*count)),
        }
    }

    /// Pages of those that count.
    fn pages(&self) -> u64 {
        self.generations.last().map_or(0, |newest| newest.pages)
    }

    /// Of each logical page, the lowest sequence number that counts.
    fn read(&self, logical_pages: u32) -> Arc<[u64]> {
        let mut since = vec![0; logical_pages as usize];
        for tombstone in self.generations.last().iter().flat_map(|newest| &newest.tombstones) {
            let Tombstone { first: Lpn(first), count, sequence } = *tombstone;
            let first_that_counts = unless_bug!(TombstonesBuryAll, sequence + 1, u64::MAX);
            for page in &mut since[first as usize..(first + count) as usize] {
                *page = first_that_counts.max(*page);
            }
        }
        since.into()
    }

    /// Puts tombstones there as if all had just been written anew.
    pub fn restore(&mut self, tombstones: Vec<Tombstone>, geometry: &Geometry) {
        let pages = whole_pages(tombstones.len() as u32, geometry);
        self.generations = vec![Generation { tombstones, pages }];
    }
}

/// Pages that so many runs of logical pages without data take, as runs or as a bit for each logical page.
fn whole_pages(runs: u32, geometry: &Geometry) -> u64 {
    let bits = u64::from(geometry.logical_pages.div_ceil(8));
    (HEAD + bits.min(RUN * u64::from(runs))).div_ceil(geometry.page_bytes.into())
}

/// Runs of consecutive pages, of pages in ascending order.
fn runs(pages: impl Iterator<Item = Lpn>, sequence: u64) -> Vec<Tombstone> {
    let mut runs: Vec<Tombstone> = Vec::new();
    for lpn in pages {
        match runs.last_mut().filter(|run| run.first.0 + run.count == lpn.0) {
            Some(run) => run.count += 1,
            None => runs.push(Tombstone { first: lpn, count: 1, sequence }),
        }
    }
    runs
}

impl Flash {
    /// Writes down that pages, ascending, are trimmed, where that is to outlive a power cut: before it is done, so that
    /// GC cannot destroy the newest version of a page, and a cut then bring an older one back.
    #[inline]
    pub(crate) fn bury(&mut self, pages: &[Lpn]) {
        if self.medium.tombstones.is_some() && !pages.is_empty() {
            self.write_tombstones(pages);
        }
    }

    #[cold]
    #[inline(never)]
    fn write_tombstones(&mut self, pages: &[Lpn]) {
        let sequence = self.medium.memory.as_ref().map_or(0, |memory| memory.last);
        let buried = unless_bug!(TombstonesLackPages, pages, &pages[..1]);
        let tombstones = runs(buried.iter().copied(), sequence);
        let end = self.meter.timeline.begin_first_chains();
        let pages = tombstones.chunks(self.medium.geometry.page_bytes as usize / TOMBSTONE);
        let is_full = |place: &Tombstones| place.pages() + pages.len() as u64 > place.room;
        if self.medium.tombstones.as_ref().is_some_and(is_full) {
            self.write_tombstones_anew(sequence);
        }
        for page in pages {
            let next = self.medium.tombstones.as_ref().map_or(0, Tombstones::pages);
            self.book_place(Operation::Program, next..next + 1, Cause::Trim);
            self.change_tombstones(Burial::Page(page.into()));
        }
        self.meter.timeline.end_first_chains(end);
    }

    /// Writes down all pages that hold no data, then erases what was there before.
    fn write_tombstones_anew(&mut self, sequence: u64) {
        let Some(place) = &self.medium.tombstones else { return };
        let (before, generations) = (place.pages(), place.generations.len());
        let holds_data = self.pages_with_data();
        let without = (0..).map(Lpn).zip(&holds_data).filter(|(_, holds_data)| !**holds_data);
        let whole = runs(without.map(|(lpn, _)| lpn), sequence);
        let pages = whole_pages(whole.len() as u32, &self.medium.geometry);
        self.book_place(Operation::Program, 0..pages, Cause::Trim);
        let blocks = before.div_ceil(self.medium.geometry.pages_per_block.into());
        self.book_place(Operation::Erase, 0..blocks, Cause::Trim);
        let (whole, erased) = (Burial::Whole(whole.into(), pages), Burial::Erased(generations));
        let in_order = unless_bug!(TombstonesErasedFirst, true, false);
        let changes = if in_order { [whole, erased] } else { [erased, whole] };
        changes.into_iter().for_each(|change| self.change_tombstones(change));
    }

    /// Whether each logical page has a valid page on flash.
    fn pages_with_data(&self) -> Vec<bool> {
        let mut holds_data = vec![false; self.medium.geometry.logical_pages as usize];
        self.valid_versions().into_iter().for_each(|(lpn, _)| holds_data[lpn.index()] = true);
        holds_data
    }

    fn change_tombstones(&mut self, change: Burial) {
        if let Some(tombstones) = &mut self.medium.tombstones {
            tombstones.change(&change);
        }
        if let Some(memory) = &mut self.medium.memory {
            memory.note(Change::Burial(change));
        }
    }

    /// Reads the tombstones, before a mount surveys anything.
    pub(crate) fn read_tombstones(&mut self) {
        let Some(tombstones) = &mut self.medium.tombstones else { return };
        let pages = tombstones.generations.iter().map(|each| each.pages).sum();
        let since = tombstones.read(self.medium.geometry.logical_pages);
        tombstones.since = unless_bug!(TombstonesUnread, Some(since), None);
        let end = self.meter.timeline.begin_first_chains();
        self.book_place(Operation::Read, 0..pages, Cause::Trim);
        self.meter.timeline.end_first_chains(end);
    }

    /// Of each logical page, the lowest sequence number of a version that counts; `None` where trims are hints.
    #[must_use]
    pub(crate) fn unburied_since(&self) -> Option<Arc<[u64]>> {
        self.medium.tombstones.as_ref().and_then(|tombstones| tombstones.since.clone())
    }
}
