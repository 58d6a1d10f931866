//! What is found on a medium after power was lost: the newest version of each page.
//!
//! A version may have several copies, for moving a page keeps its sequence number. Blocks with nothing that is
//! not elsewhere, too, are given up first, those with least in them before all: so what a cut has left of GC
//! or of a merge is undone or done, and the blocks that it had taken are free again.

use crate::flash::{Flash, Found, Geometry, Owner};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::BTreeMap;
use std::ops::Range;

/// A version of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// What it is.
    pub owner: Owner,
    /// Where it is.
    pub ppn: Ppn,
    /// Versions, of any page, that had been written when it was.
    pub sequence: u64,
}

impl Page {
    /// The logical page, of an FTL without translation pages.
    ///
    /// # Panics
    /// When it is a translation page.
    #[must_use]
    pub fn lpn(&self) -> Lpn {
        match self.owner {
            Owner::Data(lpn) => lpn,
            Owner::Translation(_) => panic!("a translation page: {}", self.owner),
        }
    }
}

/// What was found in one block, ascending by place.
#[derive(Clone, Debug)]
pub struct FoundBlock {
    /// The block.
    pub pbn: Pbn,
    /// Pages in it.
    pub pages: Vec<Page>,
}

impl FoundBlock {
    /// Of some pages those of each block, ascending.
    #[must_use]
    pub fn all(pages: &[Page], geometry: &Geometry) -> Vec<FoundBlock> {
        let mut blocks: BTreeMap<Pbn, Vec<Page>> = BTreeMap::new();
        for page in pages {
            blocks.entry(geometry.block_of(page.ppn)).or_default().push(*page);
        }
        blocks.into_iter().map(|(pbn, pages)| FoundBlock { pbn, pages }).collect()
    }

    /// The same, those first that were written first.
    #[must_use]
    pub fn by_age(pages: &[Page], geometry: &Geometry) -> Vec<FoundBlock> {
        let mut blocks = FoundBlock::all(pages, geometry);
        blocks.sort_by_key(FoundBlock::written_last);
        blocks
    }

    /// The sequence number of the page in it that was written first.
    #[must_use]
    pub fn written_first(&self) -> u64 {
        self.pages.iter().map(|page| page.sequence).min().unwrap_or_default()
    }

    /// The sequence number of the page in it that was written last.
    #[must_use]
    pub fn written_last(&self) -> u64 {
        self.pages.iter().map(|page| page.sequence).max().unwrap_or_default()
    }

    /// The logical block that all pages belong to.
    #[must_use]
    pub fn owner(&self, geometry: &Geometry) -> Option<Lbn> {
        let mut owners = self.pages.iter().map(|page| geometry.logical_block_of(page.lpn()));
        let first = owners.next()?;
        owners.all(|lbn| lbn == first).then_some(first)
    }
}

/// All that the OOBs of some blocks say.
#[derive(Clone, Debug)]
pub struct Survey {
    blocks: Range<u32>,
    /// Ascending by place.
    found: Vec<Page>,
}

/// How an FTL fills blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// Page by page, of which a copy-back may skip one: behind two erased pages all are erased.
    InOrder,
    /// Each page at its offset: any may be skipped.
    Anywhere,
}

impl Survey {
    /// Reads the OOBs of all pages of these blocks that may be programmed.
    pub fn of(blocks: Range<u32>, filled: Filled, flash: &mut Flash) -> Survey {
        let mut found = Vec::new();
        let gap = unless_bug!(RecoveryStopsAtGap, 2, 1);
        flash.survey_first(|flash| {
            for pbn in blocks.clone().map(Pbn) {
                flash.begin_page();
                let first = flash.geometry().first_page(pbn).0;
                let mut erased = 0;
                for ppn in (first..first + flash.pages_of(pbn)).map(Ppn) {
                    erased += 1;
                    match flash.survey(ppn) {
                        Found::Page(owner, sequence) => {
                            found.push(Page { owner, ppn, sequence });
                            erased = 0;
                        }
                        Found::Torn => erased = 0,
                        Found::Erased if filled == Filled::InOrder && erased == gap => break,
                        Found::Erased => {}
                    }
                }
            }
        });
        Survey { blocks, found }
    }

    /// The newest version of each page, one copy of it.
    #[must_use]
    pub fn newest(&self, geometry: &Geometry) -> Vec<Page> {
        let mut copies = Copies::of(&self.found, geometry);
        let mut blocks = vec![Vec::new(); self.blocks.len()];
        let found: Vec<Page> =
            self.found.iter().filter(|page| copies.include(page)).copied().collect();
        for page in &found {
            let block = geometry.block_of(page.ppn).0 - self.blocks.start;
            let block: &mut Vec<Page> = &mut blocks[block as usize];
            let is_there = block.iter().any(|known| known.owner == page.owner);
            match is_there {
                true => copies.give_up(page),
                false => block.push(*page),
            }
        }
        blocks.sort_by_key(Vec::len);
        for block in &mut blocks {
            if block.iter().all(|page| copies.count(page) > 1) {
                block.drain(..).for_each(|page| copies.give_up(&page));
            }
        }
        let mut newest: Vec<Page> = blocks.into_iter().flatten().collect();
        newest.retain(|page| {
            let is_last = copies.count(page) == 1;
            if !is_last {
                copies.give_up(page);
            }
            is_last
        });
        newest
    }

    /// Forgets the page of the host that was written last.
    pub fn forget_last_write(&mut self) {
        let last = self.found.iter().map(|page| page.sequence).max();
        self.found.retain(|page| Some(page.sequence) != last);
    }
}

/// Newest versions and how many copies they have, by page.
struct Copies {
    logical_pages: u32,
    newest: Vec<(u64, u32)>,
}

impl Copies {
    fn of(found: &[Page], geometry: &Geometry) -> Self {
        let logical_pages = geometry.logical_pages;
        let mut copies = Copies { logical_pages, newest: vec![(0, 0); logical_pages as usize] };
        for page in found {
            let index = copies.index(page);
            if index >= copies.newest.len() {
                copies.newest.resize(index + 1, (0, 0));
            }
            let (newest, count) = &mut copies.newest[index];
            if unless_bug!(RecoveryTakesLastFound, page.sequence > *newest, true) {
                (*newest, *count) = (page.sequence, 0);
            }
            *count += u32::from(page.sequence == *newest);
        }
        copies
    }

    const fn index(&self, page: &Page) -> usize {
        match page.owner {
            Owner::Data(Lpn(lpn)) => lpn as usize,
            Owner::Translation(vtpn) => self.logical_pages as usize + vtpn.0 as usize,
        }
    }

    fn include(&self, page: &Page) -> bool {
        self.newest[self.index(page)].0 == page.sequence
    }

    fn count(&self, page: &Page) -> u32 {
        self.newest[self.index(page)].1
    }

    fn give_up(&mut self, page: &Page) {
        let index = self.index(page);
        self.newest[index].1 -= 1;
    }
}
