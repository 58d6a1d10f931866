//! Log blocks that several logical blocks share, written page after page.
//!
//! Before such a log block is erased, every logical block with a valid page in it must be merged. Their
//! number, the *associativity* of the log block, is the price of reclaiming it. The FTL reports each page
//! that is superseded in a log block, so the price is always exact, and the cheapest block is known.

use super::data_blocks::DataBlocks;
use crate::flash::{Flash, Geometry};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::{BTreeMap, BTreeSet};

/// The number of a log block in the order in which they were opened; never reused.
pub type LogNumber = u64;

/// The price of reclaiming a log block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Price {
    /// Logical blocks to merge.
    Owners,
    /// Pages to copy.
    Pages,
}

/// A shared log block.
#[derive(Clone, Debug)]
pub struct RandomLog {
    /// The block.
    pub pbn: Pbn,
    /// The logical page of each page written.
    pub written: Vec<Lpn>,
    /// Valid pages of each logical block that has any.
    owners: BTreeMap<Lbn, u32>,
    valid: u32,
}

/// Shared log blocks.
#[derive(Clone, Debug)]
pub struct RandomLogs {
    logs: BTreeMap<LogNumber, RandomLog>,
    /// The log of each block of the device, or 0.
    number_of: Vec<LogNumber>,
    last: LogNumber,
    pages_per_block: usize,
    most_owners: usize,
    price: Price,
    /// Logs that any logical block may write.
    open: BTreeSet<LogNumber>,
    /// All logs by price, the oldest first among equals.
    by_price: BTreeSet<(u32, LogNumber)>,
}

impl RandomLogs {
    /// No log blocks in use; each takes pages of `most_owners` logical blocks at most.
    #[must_use]
    pub fn new(geometry: &Geometry, most_owners: u32, price: Price) -> Self {
        RandomLogs {
            logs: BTreeMap::new(),
            number_of: vec![0; geometry.blocks() as usize],
            last: 0,
            pages_per_block: geometry.pages_per_block as usize,
            most_owners: most_owners as usize,
            price,
            open: BTreeSet::new(),
            by_price: BTreeSet::new(),
        }
    }

    /// Number of log blocks in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.logs.len()
    }

    /// Whether none is in use.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// The log blocks, oldest first.
    pub fn blocks(&self) -> impl Iterator<Item = Pbn> {
        self.logs.values().map(|log| log.pbn)
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
        self.number_of[geometry.block_of(ppn).index()] != 0
    }

    /// Takes a fresh block into use.
    pub fn open(&mut self, pbn: Pbn) -> LogNumber {
        self.adopt(RandomLog { pbn, written: Vec::new(), owners: BTreeMap::new(), valid: 0 })
    }

    /// Takes a block of one logical block into use, with these pages, `valid` of which are valid.
    pub fn convert(&mut self, lbn: Lbn, pbn: Pbn, written: Vec<Lpn>, valid: u32) -> LogNumber {
        let owners = if valid == 0 { BTreeMap::new() } else { BTreeMap::from([(lbn, valid)]) };
        self.adopt(RandomLog { pbn, written, owners, valid })
    }

    /// Takes a log block that was removed elsewhere into use.
    pub fn adopt(&mut self, log: RandomLog) -> LogNumber {
        self.last += 1;
        self.number_of[log.pbn.index()] = self.last;
        self.logs.insert(self.last, log);
        self.enlist(self.last);
        self.last
    }

    /// Takes a log block out of use.
    ///
    /// # Panics
    /// When there is no such log.
    pub fn remove(&mut self, number: LogNumber) -> RandomLog {
        self.delist(number);
        let log = self.logs.remove(&number).expect("a log in use");
        self.number_of[log.pbn.index()] = 0;
        log
    }

    /// The oldest log block that any logical block may write.
    #[inline]
    #[must_use]
    pub fn writable(&self) -> Option<LogNumber> {
        self.open.first().copied()
    }

    /// Whether a logical block has valid pages in a log, and may write there.
    #[must_use]
    pub fn has_room_for(&self, number: LogNumber, lbn: Lbn) -> bool {
        self.logs.get(&number).is_some_and(|log| {
            log.written.len() < self.pages_per_block && log.owners.contains_key(&lbn)
        })
    }

    /// The oldest log block.
    #[must_use]
    pub fn oldest(&self) -> Option<LogNumber> {
        self.logs.keys().next().copied()
    }

    /// The cheapest log block to reclaim, whether or not it can still be written.
    #[must_use]
    pub fn cheapest(&self) -> Option<LogNumber> {
        self.by_price.first().map(|(_, number)| *number)
    }

    /// The cheapest log block to reclaim of those that cannot be written any more.
    #[must_use]
    pub fn cheapest_closed(&self) -> Option<LogNumber> {
        let mut numbers = self.by_price.iter().map(|(_, number)| *number);
        numbers.find(|number| !self.open.contains(number))
    }

    /// The logical page of a page of a log, for each that was written.
    #[must_use]
    pub fn written(&self, number: LogNumber, geometry: &Geometry) -> Vec<(Ppn, Lpn)> {
        let log = &self.logs[&number];
        let first = geometry.first_page(log.pbn).0;
        (first..).map(Ppn).zip(log.written.iter().copied()).collect()
    }

    /// Valid pages of each logical block that has any, in all logs together.
    #[must_use]
    pub fn groups(&self) -> BTreeMap<Lbn, u32> {
        let mut groups = BTreeMap::new();
        for (lbn, pages) in self.logs.values().flat_map(|log| &log.owners) {
            *groups.entry(*lbn).or_default() += pages;
        }
        groups
    }

    /// The logical blocks with valid pages in a log.
    #[must_use]
    pub fn owners(&self, number: LogNumber) -> Vec<Lbn> {
        self.logs[&number].owners.keys().copied().collect()
    }

    /// Whether no more pages fit into so many blocks.
    #[must_use]
    pub fn is_full(&self, most_blocks: usize) -> bool {
        self.open.is_empty() && self.len() == most_blocks
    }

    /// Programs a page for the host in a block that any logical block may write, or a fresh one if there is
    /// none. The old version is superseded already.
    pub fn append_anywhere(&mut self, lpn: Lpn, data: &mut DataBlocks, flash: &mut Flash) {
        let number = self.writable_or_open(data);
        self.append(number, lpn, data, flash);
    }

    /// The block that any logical block may write; a fresh one if there is none.
    pub fn writable_or_open(&mut self, data: &mut DataBlocks) -> LogNumber {
        self.writable().unwrap_or_else(|| self.open(data.take()))
    }

    /// Programs a page for the host, whose old version is superseded already.
    pub fn append(
        &mut self,
        number: LogNumber,
        lpn: Lpn,
        data: &mut DataBlocks,
        flash: &mut Flash,
    ) {
        let page = self.next_page(number, lpn, flash.geometry());
        data.program(lpn, page, flash);
    }

    /// The next page of a log, for a valid version of a logical page.
    pub fn next_page(&mut self, number: LogNumber, lpn: Lpn, geometry: &Geometry) -> Ppn {
        self.delist(number);
        let log = self.logs.get_mut(&number).expect("a log in use");
        log.written.push(lpn);
        *log.owners.entry(geometry.logical_block_of(lpn)).or_default() += 1;
        log.valid += 1;
        let page = Ppn(geometry.first_page(log.pbn).0 + log.written.len() as u32 - 1);
        self.enlist(number);
        page
    }

    /// Notes that the newest version of a page, wherever it is, is about to be superseded or moved.
    pub fn supersede(&mut self, lpn: Lpn, data: &DataBlocks, geometry: &Geometry) {
        let Some(newest) = data.newest(lpn) else { return };
        let number = self.number_of[geometry.block_of(newest).index()];
        if number == 0 {
            return;
        }
        let lbn = geometry.logical_block_of(lpn);
        let last = self.logs[&number].owners[&lbn] == 1;
        let relist = last || self.price == Price::Pages;
        if relist {
            self.delist(number);
        }
        let log = self.logs.get_mut(&number).expect("a log in use");
        log.valid -= 1;
        if last {
            log.owners.remove(&lbn);
        } else if let Some(valid) = log.owners.get_mut(&lbn) {
            *valid -= 1;
        }
        if relist {
            self.enlist(number);
        }
    }

    /// Notes that all pages of a logical block are about to be merged.
    pub fn supersede_block(&mut self, lbn: Lbn, data: &DataBlocks, geometry: &Geometry) {
        let pages = geometry.logical_pages_of(lbn);
        let supersede = |lpn| self.supersede(lpn, data, geometry);
        unless_bug!(
            RandomLogMergedCounts,
            pages.for_each(supersede),
            pages.skip(1).for_each(supersede)
        );
    }

    fn is_open(&self, log: &RandomLog) -> bool {
        let owners = log.owners.len();
        log.written.len() < self.pages_per_block
            && unless_bug!(
                RandomLogOverowned,
                owners < self.most_owners,
                owners <= self.most_owners
            )
    }

    fn price_of(&self, log: &RandomLog) -> u32 {
        match self.price {
            Price::Owners => log.owners.len() as u32,
            Price::Pages => log.valid,
        }
    }

    fn enlist(&mut self, number: LogNumber) {
        let log = &self.logs[&number];
        if self.is_open(log) {
            self.open.insert(number);
        }
        self.by_price.insert((self.price_of(log), number));
    }

    fn delist(&mut self, number: LogNumber) {
        self.open.remove(&number);
        self.by_price.remove(&(self.price_of(&self.logs[&number]), number));
    }

    /// Recomputes the owners of all logs from the newest versions of pages.
    ///
    /// # Panics
    /// When they differ.
    pub fn audit(&self, data: &DataBlocks, flash: &Flash) {
        let geometry = flash.geometry();
        assert_eq!(self.by_price.len(), self.logs.len(), "logs by price");
        let numbered = self.number_of.iter().filter(|number| **number != 0).count();
        assert_eq!(numbered, self.logs.len(), "blocks with a log");
        for (number, log) in &self.logs {
            assert_eq!(self.number_of[log.pbn.index()], *number, "log of block {}", log.pbn);
            let priced = self.by_price.contains(&(self.price_of(log), *number));
            assert!(priced, "log block {} has another price", log.pbn);
            assert_eq!(self.open.contains(number), self.is_open(log), "room in {}", log.pbn);
            assert!(log.owners.len() <= self.most_owners, "owners of log block {}", log.pbn);
            let first = geometry.first_page(log.pbn).0;
            let mut owners: BTreeMap<Lbn, u32> = BTreeMap::new();
            for (page, lpn) in (first..).map(Ppn).zip(&log.written) {
                let needed = data.newest(*lpn) == Some(page);
                assert_eq!(flash.is_valid(page), needed, "page {page} of a random log block");
                if needed {
                    *owners.entry(geometry.logical_block_of(*lpn)).or_default() += 1;
                }
            }
            assert_eq!(owners, log.owners, "owners of log block {}", log.pbn);
            assert_eq!(log.valid, flash.valid_in(log.pbn), "valid pages of log block {}", log.pbn);
        }
    }
}
