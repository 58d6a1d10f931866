//! The survey of a medium after power was lost: the newest version of each page.
//!
//! A version may have several copies, as moving a page keeps its sequence number. Blocks whose
//! pages all have copies elsewhere are dropped first, those with the fewest pages before others.
//! This undoes or completes the GC or merge that a cut interrupted, and frees the blocks that it
//! had taken. Of the remaining copies, the one at its offset in a data block counts: a merge has
//! left the other in a log block.

use crate::flash::{Flash, Found, Geometry, Owner};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// A version of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its owner.
    pub owner: Owner,
    /// Its place.
    pub ppn: Ppn,
    /// Number of versions, of all pages, written before it.
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

    /// Whether it has the offset in its block that it has in its logical block.
    fn is_in_place(&self, geometry: &Geometry) -> bool {
        let offset = geometry.page_in_block(self.ppn);
        matches!(self.owner, Owner::Data(lpn) if geometry.offset_of(lpn) == offset)
    }
}

/// The pages found in one block, ascending by place.
#[derive(Clone, Debug)]
pub struct FoundBlock {
    /// The block.
    pub pbn: Pbn,
    /// Pages in it.
    pub pages: Vec<Page>,
}

impl FoundBlock {
    /// Groups some pages by block, ascending.
    #[must_use]
    pub fn all(pages: &[Page], geometry: &Geometry) -> Vec<FoundBlock> {
        let mut blocks: BTreeMap<Pbn, Vec<Page>> = BTreeMap::new();
        for page in pages {
            blocks.entry(geometry.block_of(page.ppn)).or_default().push(*page);
        }
        blocks.into_iter().map(|(pbn, pages)| FoundBlock { pbn, pages }).collect()
    }

    /// The same, ordered by the last write.
    #[must_use]
    pub fn by_age(pages: &[Page], geometry: &Geometry) -> Vec<FoundBlock> {
        let mut blocks = FoundBlock::all(pages, geometry);
        blocks.sort_by_cached_key(FoundBlock::written_last);
        blocks
    }

    /// The sequence number of its page that was written first.
    #[must_use]
    pub fn written_first(&self) -> u64 {
        self.pages.iter().map(|page| page.sequence).min().unwrap_or_default()
    }

    /// The sequence number of its page that was written last.
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

    /// The logical block that all pages belong to, if each is at its offset.
    #[must_use]
    pub fn in_place(&self, geometry: &Geometry) -> Option<Lbn> {
        let is_in_place = |page: &Page| page.is_in_place(geometry);
        self.owner(geometry).filter(|_| self.pages.iter().all(is_in_place))
    }

    /// Logical blocks with newest versions in it.
    #[must_use]
    pub fn owners(&self, flash: &Flash) -> BTreeSet<Lbn> {
        let valid = self.pages.iter().filter(|page| flash.is_valid(page.ppn));
        valid.map(|page| flash.geometry().logical_block_of(page.lpn())).collect()
    }

    /// Whether no page is newer elsewhere, and all can be read.
    #[must_use]
    pub fn is_newest(&self, flash: &Flash) -> bool {
        self.can_be_read(flash) && self.pages.iter().all(|page| flash.is_valid(page.ppn))
    }

    /// Whether no cut interrupted the program of a page.
    #[must_use]
    pub fn can_be_read(&self, flash: &Flash) -> bool {
        self.pages.len() == flash.programmed_in(self.pbn) as usize
    }

    /// The logical pages written to a block that was filled page after page; page 0 represents an
    /// unreadable one. `None` if a page was skipped.
    #[must_use]
    pub fn written(&self, flash: &Flash) -> Option<Vec<Lpn>> {
        let geometry = flash.geometry();
        let mut written = vec![Lpn(0); flash.programmed_in(self.pbn) as usize];
        for page in &self.pages {
            *written.get_mut(geometry.page_in_block(page.ppn) as usize)? = page.lpn();
        }
        let last = flash.programmed_in(self.pbn).checked_sub(1)?;
        let mut pages = (0..=last).map(|page| geometry.page_at(self.pbn, page));
        pages.all(|page| flash.is_programmed(page)).then_some(written)
    }
}

/// The contents of the OOBs of some blocks.
#[derive(Clone, Debug)]
pub struct Survey {
    blocks: Range<u32>,
    /// Ascending by place.
    found: Vec<Page>,
    /// For each logical page, the lowest sequence number that counts, where trims survive power
    /// cuts.
    since: Option<Arc<[u64]>>,
}

/// How an FTL fills blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// Page by page. A copy-back may skip one page, so after two erased pages all are erased.
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
                flash.begin_reading();
                let first = flash.geometry().first_page(pbn).0;
                let summary = flash.checkpointed(pbn);
                let mut erased = 0;
                for ppn in (first..first + flash.pages_of(pbn)).map(Ppn) {
                    erased += 1;
                    match flash.look_up(ppn, summary.as_deref()) {
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
        Survey { blocks, found, since: flash.unburied_since() }
    }

    /// The newest version of each page, one copy of it, without pages that were trimmed for good.
    #[must_use]
    pub fn newest(&self, geometry: &Geometry) -> Vec<Page> {
        let mut copies = Copies::of(&self.found, self.since.as_deref(), geometry);
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
        // A merged page is in a data block and, with the copy's number, still in a log block.
        blocks.sort_by_key(|block| block.iter().all(|page| page.is_in_place(geometry)));
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

    /// The same with the page numbers that `number` returns, in these blocks, without pages for
    /// which it returns `None`.
    #[must_use]
    pub fn renumbered(self, blocks: Range<u32>, number: impl Fn(Ppn) -> Option<Ppn>) -> Survey {
        let numbered = |page: Page| Some(Page { ppn: number(page.ppn)?, ..page });
        let found = self.found.into_iter().filter_map(numbered).collect();
        Survey { blocks, found, since: self.since }
    }

    /// All pages found in each block, including superseded versions.
    #[must_use]
    pub fn blocks(&self, geometry: &Geometry) -> Vec<FoundBlock> {
        FoundBlock::all(&self.found, geometry)
    }

    /// Whether a page was trimmed for good after it was written.
    #[must_use]
    pub fn is_buried(&self, page: &Page) -> bool {
        let since = |lpn: Lpn| self.since.as_ref().map_or(0, |since| since[lpn.index()]);
        matches!(page.owner, Owner::Data(lpn) if page.sequence < since(lpn))
    }

    /// Forgets the page of the host that was written last.
    pub fn forget_last_write(&mut self) {
        let last = self.found.iter().map(|page| page.sequence).max();
        self.found.retain(|page| Some(page.sequence) != last);
    }
}

/// Newest versions and the number of their copies, by page.
struct Copies {
    logical_pages: u32,
    newest: Vec<(u64, u32)>,
}

impl Copies {
    /// Of the found pages. `since` has the lowest sequence number that counts for each page.
    fn of(found: &[Page], since: Option<&[u64]>, geometry: &Geometry) -> Self {
        let logical_pages = geometry.logical_pages;
        let nothing = || vec![(0, 0); logical_pages as usize];
        let buried = |since: &[u64]| since.iter().map(|since| (*since, 0)).collect();
        let mut copies = Copies { logical_pages, newest: since.map_or_else(nothing, buried) };
        for page in found {
            let index = copies.index(page);
            if index >= copies.newest.len() {
                copies.newest.resize(index + 1, (0, 0));
            }
            let (newest, count) = &mut copies.newest[index];
            let is_newer = unless_bug!(RecoveryTakesLastFound, page.sequence > *newest, true);
            if is_newer {
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
