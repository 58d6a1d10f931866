//! Tombstones: trims that survive a power cut. They are on flash, in a place of their own, before the trim is done.
//!
//! ```text
//! tombstone   logical pages a to b were trimmed when s versions had been written: of these pages versions with
//!             higher sequence numbers count, and no others
//! the place   page | page | page | page        a page for each request that trims
//!             whole | page ...                 when there is no room: all pages that hold no data, at once; then
//!                                              what was before is erased
//! ```
//!
//! Recovery reads the place first, and [takes](crate::placement::survey) no version that is buried: no FTL knows of it.
//! The place is no part of the blocks that an FTL sees, and its pages share their cells with no others. It has room for
//! one page in 1,024 logical ones, a block at least. It has the same room again while all is written anew.
//! `device.trim` = `durable` costs a program for each request, and reads at recovery.

use crate::device::Geometry;
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
pub enum Burial {
    /// A page was programmed.
    Page(Arc<[Tombstone]>),
    /// This number of pages was, with all that holds no data; they count when all are there.
    Whole(Arc<[Tombstone]>, u64),
    /// This number of generations, the oldest first, is erased.
    Erased(usize),
}

/// What was written since all was written anew.
#[derive(Clone, Debug, Default)]
struct Generation {
    tombstones: Vec<Tombstone>,
    /// Pages that they take.
    pages: u64,
}

/// The place, and what recovery has read there.
#[derive(Clone, Debug)]
pub struct Tombstones {
    /// Those on flash; the last counts.
    generations: Vec<Generation>,
    /// Pages of one of them, at most.
    room: u64,
    /// Of each logical page, the lowest sequence number that counts: known to a controller since it has mounted.
    pub since: Option<Arc<[u64]>>,
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
    pub fn pages(&self) -> u64 {
        self.generations.last().map_or(0, |newest| newest.pages)
    }

    /// Whether `more` pages have no room.
    pub fn is_full(&self, more: usize) -> bool {
        self.pages() + more as u64 > self.room
    }

    /// All is written anew: the pages that it takes, and what is done, if each logical page holds data or not.
    pub fn anew(
        &self,
        holds_data: &[bool],
        sequence: u64,
        geometry: &Geometry,
    ) -> (u64, [Burial; 2]) {
        let without = (0..).map(Lpn).zip(holds_data).filter(|(_, holds_data)| !**holds_data);
        let whole = runs(without.map(|(lpn, _)| lpn), sequence);
        let pages = whole_pages(whole.len() as u32, geometry);
        let (whole, erased) =
            (Burial::Whole(whole.into(), pages), Burial::Erased(self.generations.len()));
        let in_order = unless_bug!(TombstonesErasedFirst, true, false);
        (pages, if in_order { [whole, erased] } else { [erased, whole] })
    }

    /// Recovery reads all that is there. Returns the number of pages.
    pub fn mount(&mut self, logical_pages: u32) -> u64 {
        self.since = unless_bug!(TombstonesUnread, Some(self.read(logical_pages)), None);
        self.generations.iter().map(|each| each.pages).sum()
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

/// Pages that `runs` runs of logical pages without data take, as runs or as a bit for each logical page.
fn whole_pages(runs: u32, geometry: &Geometry) -> u64 {
    let bits = u64::from(geometry.logical_pages.div_ceil(8));
    (HEAD + bits.min(RUN * u64::from(runs))).div_ceil(geometry.page_bytes.into())
}

/// Tombstones of pages that are trimmed, page by page of the place.
pub fn of_pages(trimmed: &[Lpn], sequence: u64, geometry: &Geometry) -> Vec<Arc<[Tombstone]>> {
    let buried = unless_bug!(TombstonesLackPages, trimmed, &trimmed[..1]);
    let tombstones = runs(buried.iter().copied(), sequence);
    tombstones.chunks(geometry.page_bytes as usize / TOMBSTONE).map(Arc::from).collect()
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
