//! Log blocks that several logical blocks share, written page after page.
//!
//! Before such a log block is erased, every logical block with a valid page in it must be merged.
//! Their number, the *associativity* of the log block, is the price of reclaiming it. The FTL
//! reports each page that is superseded in a log block. The price is therefore always exact, and
//! the cheapest block is known.

use super::data_blocks::DataBlocks;
use crate::cache::indexed_heap::IndexedHeap;
use crate::cache::recent_map::RecentMap;
use crate::flash::{Flash, Geometry};
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::BTreeMap;

/// The price of reclaiming a log block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// Logical blocks to merge. A log has pages of at most this number of them.
    Owners(u32),
    /// Pages to copy.
    Pages,
    /// Equal for all: the oldest is reclaimed first.
    Same,
}

/// A shared log block.
#[derive(Clone, Debug)]
pub struct RandomLog {
    /// The block.
    pub pbn: Pbn,
    /// The logical page of each page written.
    pub written: Vec<Lpn>,
    /// Logical blocks with valid pages, if these are the price.
    owners: u32,
    valid: u32,
    /// Numbers the logs in the order of opening; never reused.
    number: u64,
}

/// A log block with valid pages of a logical block, and the number of these pages.
type Share = (Pbn, u32);

/// By price, and the oldest first among equals.
type Rank = (u32, u64);

/// Shared log blocks, each known by its block.
#[derive(Clone, Debug)]
pub struct RandomLogs {
    /// By block, and by age: logs are never touched.
    logs: RecentMap<RandomLog>,
    /// For each logical block, if owners are the price: few, as a merge takes all of them.
    shares: Vec<Vec<Share>>,
    opened: u64,
    pages_per_block: usize,
    price: Price,
    /// The blocks that any logical block may write, by age.
    writable: IndexedHeap<u64>,
    /// These by rank.
    open: IndexedHeap<Rank>,
    /// The others by rank.
    closed: IndexedHeap<Rank>,
}

impl RandomLogs {
    /// No log blocks in use.
    #[must_use]
    pub fn new(geometry: &Geometry, price: Price) -> Self {
        RandomLogs {
            logs: RecentMap::new(geometry.blocks()),
            shares: match price {
                Price::Owners(_) => vec![Vec::new(); geometry.logical_blocks() as usize],
                Price::Pages | Price::Same => Vec::new(),
            },
            opened: 0,
            pages_per_block: geometry.pages_per_block as usize,
            price,
            writable: IndexedHeap::default(),
            open: IndexedHeap::default(),
            closed: IndexedHeap::default(),
        }
    }

    /// Number of log blocks in use.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.logs.len()
    }

    /// Whether none is in use.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// The log blocks.
    pub fn blocks(&self) -> impl Iterator<Item = Pbn> {
        self.logs.iter().map(|(_, log)| log.pbn)
    }

    /// Bytes of the page map of one log block, 4 B per page.
    #[must_use]
    pub const fn page_map_bytes(&self) -> u64 {
        4 * self.pages_per_block as u64
    }

    /// Whether a page is in one of these blocks.
    #[inline]
    #[must_use]
    pub fn hold(&self, ppn: Ppn, geometry: &Geometry) -> bool {
        self.logs.contains(geometry.block_of(ppn).0)
    }

    fn log(&self, pbn: Pbn) -> &RandomLog {
        self.logs.get(pbn.0).expect("a log in use")
    }

    /// Takes a fresh block into use.
    pub fn open(&mut self, pbn: Pbn) {
        self.adopt(RandomLog { pbn, written: Vec::new(), owners: 0, valid: 0, number: 0 });
    }

    /// Takes a block of one logical block into use, with these pages, `valid` of which are valid.
    pub fn convert(&mut self, lbn: Lbn, pbn: Pbn, written: Vec<Lpn>, valid: u32) {
        let owners = u32::from(valid > 0 && self.gain(lbn, (pbn, valid)));
        self.adopt(RandomLog { pbn, written, owners, valid, number: 0 });
    }

    /// Takes over a block found after power was lost, with its written pages.
    pub fn take_over(&mut self, block: &FoundBlock, written: Vec<Lpn>, flash: &Flash) {
        let valid = flash.valid_in(block.pbn);
        let mut owners = 0;
        for page in block.pages.iter().filter(|page| flash.is_valid(page.ppn)) {
            let lbn = flash.geometry().logical_block_of(page.lpn());
            owners += u32::from(self.gain(lbn, (block.pbn, 1)));
        }
        self.adopt(RandomLog { pbn: block.pbn, written, owners, valid, number: 0 });
    }

    /// Notes that a log has more valid pages of a logical block, if owners are the price. Returns
    /// whether it had none.
    #[inline]
    fn gain(&mut self, lbn: Lbn, (pbn, pages): Share) -> bool {
        let Some(shares) = self.shares.get_mut(lbn.index()) else { return false };
        let own = shares.iter_mut().find(|share| share.0 == pbn);
        let is_new = own.is_none();
        match own {
            Some(share) => share.1 += pages,
            None => shares.push((pbn, pages)),
        }
        is_new
    }

    /// Hands a log block with its pages over to others.
    pub fn hand_over(&mut self, pbn: Pbn, others: &mut RandomLogs) {
        let owners = self.owners(pbn);
        let log = self.take_out(pbn);
        for lbn in owners {
            let shares = &mut self.shares[lbn.index()];
            let at = shares.iter().position(|share| share.0 == pbn).expect("a share of an owner");
            others.shares[lbn.index()].push(shares.swap_remove(at));
        }
        others.adopt(log);
    }

    fn adopt(&mut self, log: RandomLog) {
        self.opened += 1;
        let number = self.opened;
        let (pbn, rank) = (log.pbn.0, (self.price_of(&log), number));
        if self.is_open(&log) {
            self.writable.insert(pbn, number);
            self.open.insert(pbn, rank);
        } else {
            self.closed.insert(pbn, rank);
        }
        self.logs.insert(pbn, RandomLog { number, ..log });
    }

    /// Takes a log block without valid pages out of use.
    ///
    /// # Panics
    /// When there is no such log.
    pub fn remove(&mut self, pbn: Pbn) {
        self.take_out(pbn);
    }

    fn take_out(&mut self, pbn: Pbn) -> RandomLog {
        if self.closed.contains(pbn.0) {
            self.closed.remove(pbn.0);
        } else {
            self.writable.remove(pbn.0);
            self.open.remove(pbn.0);
        }
        self.logs.remove(pbn.0).expect("a log in use")
    }

    /// The oldest log block that any logical block may write.
    #[inline]
    #[must_use]
    pub fn writable(&self) -> Option<Pbn> {
        self.writable.min().map(Pbn)
    }

    /// Whether a logical block has valid pages in a log, and may write there.
    #[must_use]
    pub fn has_room_for(&self, pbn: Pbn, lbn: Lbn) -> bool {
        let has_room = |log: &RandomLog| log.written.len() < self.pages_per_block;
        self.logs.get(pbn.0).is_some_and(has_room) && self.has_share(pbn, lbn)
    }

    fn has_share(&self, pbn: Pbn, lbn: Lbn) -> bool {
        let of_block = |shares: &Vec<Share>| shares.iter().any(|share| share.0 == pbn);
        self.shares.get(lbn.index()).is_some_and(of_block)
    }

    /// Whether a log has no valid pages.
    #[must_use]
    pub fn is_dead(&self, pbn: Pbn) -> bool {
        self.log(pbn).valid == 0
    }

    /// The oldest log block.
    #[must_use]
    pub fn oldest(&self) -> Option<Pbn> {
        self.logs.least_recent().map(Pbn)
    }

    /// The cheapest log block to reclaim, open or closed.
    #[must_use]
    pub fn cheapest(&self) -> Option<Pbn> {
        let heaps = [&self.open, &self.closed];
        let ranked = heaps.map(|heap| heap.min().map(|pbn| (heap.key(pbn), Pbn(pbn))));
        ranked.into_iter().flatten().min().map(|(_, pbn)| pbn)
    }

    /// The cheapest log block to reclaim of those that can no longer be written.
    #[must_use]
    pub fn cheapest_closed(&self) -> Option<Pbn> {
        self.closed.min().map(Pbn)
    }

    /// The logical page of each written page of a log.
    pub fn written(&self, pbn: Pbn, geometry: &Geometry) -> impl Iterator<Item = (Ppn, Lpn)> {
        let first = geometry.first_page(pbn).0;
        (first..).map(Ppn).zip(self.log(pbn).written.iter().copied())
    }

    /// Valid pages of each logical block that has any, in all logs together, ascending.
    #[must_use]
    pub fn groups(&self, flash: &Flash) -> Vec<(Lbn, u32)> {
        let geometry = flash.geometry();
        let pages = self.blocks().flat_map(|pbn| self.written(pbn, geometry));
        let valid = pages.filter(|(page, _)| flash.is_valid(*page));
        let mut owners: Vec<Lbn> = valid.map(|(_, lpn)| geometry.logical_block_of(lpn)).collect();
        owners.sort_unstable();
        owners.chunk_by(Lbn::eq).map(|pages| (pages[0], pages.len() as u32)).collect()
    }

    /// The logical blocks with valid pages in a log, ascending.
    #[must_use]
    pub fn owners(&self, pbn: Pbn) -> Vec<Lbn> {
        let log = self.log(pbn);
        let mut owners = Vec::with_capacity(log.owners as usize);
        for lpn in &log.written {
            if owners.len() == log.owners as usize {
                break;
            }
            let lbn = Lbn(lpn.0 / self.pages_per_block as u32);
            if !owners.contains(&lbn) && self.has_share(pbn, lbn) {
                owners.push(lbn);
            }
        }
        owners.sort_unstable();
        owners
    }

    /// Whether no more pages fit into `most_blocks` blocks.
    #[must_use]
    pub fn is_full(&self, most_blocks: usize) -> bool {
        self.writable.is_empty() && self.len() == most_blocks
    }

    /// Programs a page for the host in a block that any logical block may write, or a fresh one if
    /// there is none. The old version is already superseded.
    pub fn append_anywhere(&mut self, lpn: Lpn, data: &mut DataBlocks, flash: &mut Flash) {
        let pbn = self.writable_or_open(data);
        self.append(pbn, lpn, data, flash);
    }

    /// The block that any logical block may write; a fresh one if there is none.
    pub fn writable_or_open(&mut self, data: &mut DataBlocks) -> Pbn {
        self.writable().unwrap_or_else(|| {
            let pbn = data.take();
            self.open(pbn);
            pbn
        })
    }

    /// Programs a page for the host, whose old version is already superseded.
    pub fn append(&mut self, pbn: Pbn, lpn: Lpn, data: &mut DataBlocks, flash: &mut Flash) {
        let page = self.next_page(pbn, lpn, flash.geometry());
        data.program(lpn, page, flash);
    }

    /// The next page of a log, for a valid version of a logical page.
    pub fn next_page(&mut self, pbn: Pbn, lpn: Lpn, geometry: &Geometry) -> Ppn {
        let is_new = self.gain(geometry.logical_block_of(lpn), (pbn, 1));
        let log = self.logs.get_mut(pbn.0).expect("a log in use");
        let page = geometry.page_at(pbn, log.written.len() as u32);
        log.written.push(lpn);
        log.valid += 1;
        log.owners += u32::from(is_new);
        let is_full = log.written.len() == self.pages_per_block;
        if is_new || is_full || self.price == Price::Pages {
            self.rank(pbn);
        }
        page
    }

    /// Pages of a log that are not written.
    #[must_use]
    pub fn room_in(&self, pbn: Pbn) -> u32 {
        (self.pages_per_block - self.log(pbn).written.len()) as u32
    }

    /// Notes that valid pages were moved to the next pages of a log, where owners are not the
    /// price.
    pub fn moved_in(&mut self, pbn: Pbn, pages: impl Iterator<Item = Lpn>) {
        debug_assert!(self.shares.is_empty(), "owners matter");
        let log = self.logs.get_mut(pbn.0).expect("a log in use");
        let before = log.written.len();
        log.written.extend(pages);
        log.valid += (log.written.len() - before) as u32;
        self.rank(pbn);
    }

    /// Notes that `pages` valid pages of a log were moved, where owners are not the price.
    pub fn moved_out(&mut self, pbn: Pbn, pages: u32) {
        debug_assert!(self.shares.is_empty(), "owners matter");
        self.shrink(pbn, pages, 0);
    }

    /// Notes that the newest version of a page, wherever it is, is about to be superseded or moved.
    pub fn supersede(&mut self, lpn: Lpn, data: &DataBlocks, geometry: &Geometry) {
        if let Some(newest) = data.newest(lpn) {
            self.lose(geometry.logical_block_of(lpn), geometry.block_of(newest));
        }
    }

    /// Notes that a block has one valid page of a logical block less, if it is one of these.
    #[inline]
    fn lose(&mut self, lbn: Lbn, pbn: Pbn) {
        if !self.logs.contains(pbn.0) {
            return;
        }
        let mut owners = 0;
        if let Some(shares) = self.shares.get_mut(lbn.index()) {
            let at = shares.iter().position(|share| share.0 == pbn);
            let at = at.expect("a logical block with a valid page");
            shares[at].1 -= 1;
            if shares[at].1 == 0 {
                shares.swap_remove(at);
                owners = 1;
            }
        }
        self.shrink(pbn, 1, owners);
    }

    /// Takes valid pages and owners from a log.
    #[inline]
    fn shrink(&mut self, pbn: Pbn, pages: u32, owners: u32) {
        let log = self.logs.get_mut(pbn.0).expect("a log in use");
        log.valid -= pages;
        log.owners -= owners;
        if owners > 0 || self.price == Price::Pages {
            self.rank(pbn);
        }
    }

    /// Notes that all pages of a logical block are about to be merged.
    pub fn supersede_block(&mut self, lbn: Lbn, data: &DataBlocks, geometry: &Geometry) {
        if self.shares.is_empty() {
            let pages = data.logged(lbn, geometry);
            return pages.for_each(|ppn| self.lose(lbn, geometry.block_of(ppn)));
        }
        let mut shares = std::mem::take(&mut self.shares[lbn.index()]);
        let kept = unless_bug!(RandomLogMergedCounts, 0, 1.min(shares.len()));
        shares.drain(kept..).for_each(|(pbn, pages)| self.shrink(pbn, pages, 1));
        self.shares[lbn.index()] = shares;
    }

    fn is_open(&self, log: &RandomLog) -> bool {
        let takes_others = match self.price {
            Price::Owners(most) => log.owners < most,
            Price::Pages | Price::Same => true,
        };
        takes_others && log.written.len() < self.pages_per_block
    }

    fn price_of(&self, log: &RandomLog) -> u32 {
        match self.price {
            Price::Owners(_) => log.owners,
            Price::Pages => log.valid,
            Price::Same => 0,
        }
    }

    /// Ranks a changed log again.
    fn rank(&mut self, pbn: Pbn) {
        let log = self.log(pbn);
        let (is_open, number, rank) =
            (self.is_open(log), log.number, (self.price_of(log), log.number));
        match (self.open.contains(pbn.0), is_open) {
            (true, true) => self.open.update(pbn.0, rank),
            (false, false) => self.closed.update(pbn.0, rank),
            (true, false) => {
                self.writable.remove(pbn.0);
                self.open.remove(pbn.0);
                self.closed.insert(pbn.0, rank);
            }
            (false, true) => {
                self.closed.remove(pbn.0);
                self.open.insert(pbn.0, rank);
                self.writable.insert(pbn.0, number);
            }
        }
    }

    /// Recomputes the owners of all logs from the newest versions of pages.
    ///
    /// # Panics
    /// When they differ.
    pub fn audit(&self, data: &DataBlocks, flash: &Flash) {
        let geometry = flash.geometry();
        self.logs.audit();
        assert_eq!(self.open.len() + self.closed.len(), self.logs.len(), "logs by price");
        assert_eq!(self.open.len(), self.writable.len(), "logs with room by age");
        for (block, log) in self.logs.iter() {
            assert_eq!(log.pbn.0, block, "block of a log");
            let open = self.is_open(log);
            assert_eq!(self.writable.contains(block), open, "room in {}", log.pbn);
            let heap = if open { &self.open } else { &self.closed };
            let rank = (self.price_of(log), log.number);
            assert!(heap.contains(block) && heap.key(block) == rank, "price of {}", log.pbn);
            let mut owners: BTreeMap<Lbn, u32> = BTreeMap::new();
            for (page, lpn) in self.written(log.pbn, geometry) {
                let needed = data.newest(lpn) == Some(page);
                assert_eq!(flash.is_valid(page), needed, "page {page} of a random log block");
                if needed {
                    *owners.entry(geometry.logical_block_of(lpn)).or_default() += 1;
                }
            }
            if let Price::Owners(most) = self.price {
                assert!(log.owners <= most, "owners of log block {}", log.pbn);
                assert_eq!(log.owners as usize, owners.len(), "owners in {}", log.pbn);
                for (lbn, pages) in owners {
                    let share = (log.pbn, pages);
                    assert!(
                        self.shares[lbn.index()].contains(&share),
                        "share of {lbn} in {}",
                        log.pbn
                    );
                }
            }
            assert_eq!(log.valid, flash.valid_in(log.pbn), "valid pages of log block {}", log.pbn);
        }
        let shares: usize = self.shares.iter().map(Vec::len).sum();
        let owners: usize = self.logs.iter().map(|(_, log)| log.owners as usize).sum();
        assert_eq!(shares, owners, "shares of logical blocks");
    }
}
