//! A separation at work: the time, and when each page and each block was written.

use super::blocks::Blocks;
use super::{
    ClassPages, Classes, Collected, Filled, Layout, Ledger, Left, Lying, Moved, Requested,
    Separation, Written,
};
use crate::error::Error;
use crate::flash::{Flash, Future, Geometry, Media};
use crate::placement::Class;
use crate::request::Meta;
use crate::units::{Lpn, Nanos, Pbn, Ppn};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::num::NonZeroU32;

/// The first page write of the host.
const START: NonZeroU32 = NonZeroU32::MIN;

/// Gives each page of a device its class, by its age. Times count the host's page writes, modulo 2^32.
///
/// In a volume GC starts by garbage. It is done at the time of the write before it. There a block is opened when the one
/// of its class before is full.
#[derive(Clone, Debug)]
pub struct Separator {
    scheme: Box<dyn Separation>,
    now: NonZeroU32,
    pages: Vec<Page>,
    /// Where pages lie, if the scheme asks.
    blocks: Option<Box<Blocks>>,
    /// What the host will write, if the scheme asks.
    future: Option<Future>,
    /// When a page is written again, or trimmed, where that is known: in page writes of the host, from 0.
    deaths: Vec<Option<u32>>,
    /// GC starts by garbage.
    is_volume: bool,
    /// When a block was opened.
    opened: Vec<u32>,
    /// When the open block of each class was opened, if that is when the one before was full.
    opened_last: Option<[u32; Class::MOST as usize]>,
    /// Pages with data in each class.
    resident: [u64; Class::MOST as usize],
    ledger: Ledger,
}

/// A logical page.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    /// When the host wrote it last; `None` without data.
    written: Option<NonZeroU32>,
    /// The class that the host's last write gave it.
    last: u8,
    /// The class of the block in which it lies.
    now: u8,
}

impl Separator {
    /// On an empty device.
    ///
    /// # Errors
    /// [`Error::Config`] when there are no classes, or more than a device has frontiers for.
    pub fn new(
        scheme: Box<dyn Separation>,
        layout: &Layout,
        future: Option<Future>,
    ) -> Result<Self, Error> {
        let (classes, spread) = (scheme.classes(), scheme.spread());
        if !(1..=Class::MOST).contains(&classes) || !(1..=classes).contains(&spread) {
            let message = format!(
                "found {classes} classes, {spread} for the pages of one victim, expected 1 to {}, \
                 and no more for a victim",
                Class::MOST
            );
            return Err(Error::config("ftl.separation", message));
        }
        let pages = layout.logical_pages as usize;
        Ok(Separator {
            now: START,
            pages: vec![Page::default(); pages],
            blocks: scheme.watches_blocks().then(|| Box::new(Blocks::new(layout))),
            deaths: vec![None; if future.is_some() { pages } else { 0 }],
            future,
            is_volume: false,
            opened_last: scheme.opens_ahead().then_some([START.get(); Class::MOST as usize]),
            scheme,
            opened: vec![START.get(); layout.blocks as usize],
            resident: [0; Class::MOST as usize],
            ledger: Ledger::default(),
        })
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> u8 {
        self.scheme.classes()
    }

    /// How many classes the pages of one victim may go to.
    #[must_use]
    pub fn spread(&self) -> u8 {
        self.scheme.spread()
    }

    /// How many classes, the first ones, have a block from the start where blocks are opened ahead.
    #[must_use]
    pub fn ahead(&self) -> u8 {
        self.scheme.ahead()
    }

    /// From now on GC starts by garbage.
    pub const fn use_in_volume(&mut self) {
        self.is_volume = true;
        self.opened_last = Some([0; Class::MOST as usize]);
    }

    /// When GC is done.
    const fn at_gc(&self) -> u32 {
        self.now.get().wrapping_sub(self.is_volume as u32)
    }

    /// The class of a page that the host is about to write.
    pub fn of_write(&mut self, lpn: Lpn, meta: Meta, flash: &Flash) -> u8 {
        let (first, pages) = flash.request_of(lpn).unwrap_or((lpn, 1));
        if lpn == first {
            let time = flash.host_time();
            let stored = self.blocks.as_mut().map_or(0, |blocks| {
                blocks.begin();
                blocks.stored()
            });
            unless_bug!(
                SeparatorRequestUntold,
                self.scheme.requested(Requested { first, pages, time, stored })
            );
        }
        let age =
            self.pages[lpn.index()].written.map(|then| self.now.get().wrapping_sub(then.get()));
        let stored = self.blocks.as_ref().map_or(0, |blocks| blocks.stored_without(lpn));
        let rest = self.foreseen(lpn);
        let class = self.scheme.of_write(Written { lpn, age, meta, stored, rest });
        self.ledger.written[usize::from(class)] += 1;
        class
    }

    /// Page writes of the host until it writes this page again or trims it, where that is known.
    fn foreseen(&mut self, lpn: Lpn) -> Option<u32> {
        let now = self.now.get() - START.get();
        let death = self.future.as_ref()?.death(now, lpn);
        self.deaths[lpn.index()] = death;
        death.map(|death| death.saturating_sub(now))
    }

    /// The host wrote a page of a class there.
    pub fn wrote(&mut self, lpn: Lpn, class: u8, page: Ppn, geometry: &Geometry) {
        self.lost(lpn);
        self.lies(lpn, class, page, false, geometry);
        self.placed(class, page, false, self.now.get(), geometry);
        let written = &mut self.pages[lpn.index()];
        written.written = Some(self.now);
        unless_bug!(LedgerOfFirstWriter, written.last = class);
        self.now = self.now.checked_add(1).unwrap_or(START);
    }

    /// GC moved a page of a class there. `opens` says that the block was opened for it.
    pub fn moved(&mut self, lpn: Lpn, class: u8, page: Ppn, opens: bool, geometry: &Geometry) {
        self.lies(lpn, class, page, true, geometry);
        self.placed(class, page, opens, self.at_gc(), geometry);
    }

    /// The version of a page that lies in a block is superseded.
    fn lost(&mut self, lpn: Lpn) {
        let Page { written, now, .. } = self.pages[lpn.index()];
        if let Some(then) = written {
            let class = usize::from(now);
            self.resident[class] -= 1;
            unless_bug!(LedgerDeathsUntold, self.ledger.died[class] += 1);
            self.ledger.lived[class] += u64::from(self.now.get().wrapping_sub(then.get()));
        }
        if let Some(blocks) = &mut self.blocks
            && let Some(dead) = blocks.lost(lpn)
        {
            unless_bug!(SeparatorDeathUntold, self.scheme.died(dead));
        }
    }

    /// A page lies there from now on.
    fn lies(&mut self, lpn: Lpn, class: u8, page: Ppn, is_moved: bool, geometry: &Geometry) {
        self.pages[lpn.index()].now = class;
        self.resident[usize::from(class)] += 1;
        if let Some(blocks) = &mut self.blocks {
            let lying = blocks.placed(lpn, class, page, geometry);
            if !is_moved {
                blocks.wrote();
            }
            unless_bug!(SeparatorPlaceUntold, self.scheme.placed(lying, is_moved));
        }
    }

    /// Notes a block that was opened, or is full.
    fn placed(&mut self, class: u8, page: Ppn, opens: bool, now: u32, geometry: &Geometry) {
        let pbn = geometry.block_of(page);
        let first = geometry.first_page(pbn);
        if opens || page == first {
            let opened = self.opened_last.map_or(now, |opened| opened[usize::from(class)]);
            unless_bug!(SeparatorOpeningUnnoted, self.opened[pbn.index()] = opened);
        }
        if page.0 == first.0 + geometry.pages_per_block - 1 {
            self.filled(pbn, class, now, geometry);
        }
    }

    /// What is left of the open block of a class was wasted by GC.
    pub fn wasted(&mut self, block: Pbn, class: u8, geometry: &Geometry) {
        self.filled(block, class, self.at_gc(), geometry);
    }

    /// The class whose open block the host leaves as it is, if it moves what it writes so to a new one.
    pub fn updated(&mut self, meta: Meta, time: Nanos) -> Option<u8> {
        self.scheme.updated(meta, time)
    }

    /// The host left a block of a class.
    pub fn left(&mut self, block: Pbn, left: Left, geometry: &Geometry) {
        self.filled(block, left.class, self.now.get(), geometry);
        self.scheme.left(left);
    }

    /// A block of a class is full.
    fn filled(&mut self, block: Pbn, class: u8, now: u32, geometry: &Geometry) {
        if let Some(opened) = &mut self.opened_last {
            opened[usize::from(class)] = now;
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.filled(block, geometry.pages_per_block);
        }
        unless_bug!(SeparatorFilledUntold, self.scheme.filled(Filled { block, class }));
    }

    /// The host trimmed a page.
    pub fn trimmed(&mut self, lpn: Lpn) {
        self.lost(lpn);
        unless_bug!(SeparatorTrimUnseen, self.pages[lpn.index()].written = None);
        if let Some(future) = &self.future {
            unless_bug!(FutureTrimUnseen, future.trimmed(self.now.get() - START.get(), lpn));
        }
        self.scheme.trimmed(lpn);
    }

    /// A block of this class with `valid` pages with data is about to be collected.
    pub fn collected(&mut self, class: u8, block: Pbn, valid: u32) {
        let age = self.at_gc().wrapping_sub(self.opened[block.index()]);
        unless_bug!(LedgerErasesUntold, self.ledger.collected[usize::from(class)] += 1);
        self.scheme.collected(Collected { block, class, valid, age });
        if let Some(blocks) = &mut self.blocks {
            blocks.collected(block);
        }
    }

    /// Touches what is known of pages that are about to be moved: they are far apart in memory.
    pub fn look_ahead(&self, pages: impl Iterator<Item = Lpn>) {
        let times = pages.map(|lpn| self.pages[lpn.index()].written.map_or(0, NonZeroU32::get));
        black_box(times.fold(0, |all, time| all ^ time));
    }

    /// The class of a page that GC moves out of a block of a class.
    pub fn of_move(&mut self, lpn: Lpn, from: u8) -> u8 {
        let page = self.pages[lpn.index()];
        let age = page.written.map_or(0, |then| self.at_gc().wrapping_sub(then.get()));
        let rest = self.deaths.get(lpn.index()).copied().flatten();
        let now = self.at_gc().wrapping_sub(START.get());
        let rest =
            rest.map(|death| unless_bug!(SeparatorRestStands, death.saturating_sub(now), death));
        if let Some(blocks) = &mut self.blocks {
            blocks.leaves(lpn);
        }
        let class = self.scheme.of_move(Moved { lpn, from, age, rest });
        self.resident[usize::from(from)] -= 1;
        self.ledger.moved_to[usize::from(class)] += 1;
        self.ledger.moved_from[usize::from(unless_bug!(LedgerOfTarget, from, class))] += 1;
        let last = unless_bug!(LedgerOfUnit, page.last, from);
        self.ledger.moved_of[usize::from(last)] += 1;
        class
    }

    /// Takes over the pages found after power was lost, each with the number of its write. When blocks were opened
    /// is not known: it is taken for the time of the last write.
    pub fn recover(&mut self, pages: impl Iterator<Item = (Lpn, u64)>) {
        let time = |sequence: u64| NonZeroU32::new(sequence as u32).unwrap_or(START);
        let mut newest = 0;
        for (lpn, sequence) in pages {
            self.pages[lpn.index()].written = Some(time(sequence));
            newest = newest.max(sequence);
        }
        self.now = time(newest + 1);
        self.opened.fill(newest as u32);
        if let Some(opened) = &mut self.opened_last {
            opened.fill(newest as u32);
        }
    }

    /// After power was lost a page was found in a block of a class.
    pub fn found(&mut self, lpn: Lpn, block: Pbn, class: u8, flash: &impl Media) {
        let page = &mut self.pages[lpn.index()];
        (page.last, page.now) = (class, class);
        self.resident[usize::from(class)] += 1;
        if let Some(blocks) = &mut self.blocks {
            let used = flash.programmed_in(block);
            let is_full = used == flash.pages_of(block);
            blocks.found(lpn, block, used, is_full, class);
            self.scheme.placed(Lying { lpn, block, class }, false);
        }
    }

    /// After power was lost a block of a class was found full.
    pub fn found_full(&mut self, block: Pbn, class: u8) {
        if self.scheme.names_victims() {
            self.scheme.filled(Filled { block, class });
        }
    }

    /// The block that the scheme has collected next, if it names victims.
    pub fn victim(&mut self) -> Option<Pbn> {
        self.scheme.victim()
    }

    /// Whether the scheme names victims.
    #[must_use]
    pub fn names_victims(&self) -> bool {
        self.scheme.names_victims()
    }

    /// The blocks that the scheme may name, each with its pages with data.
    #[must_use]
    pub fn full_blocks(&self) -> Vec<(Pbn, u32)> {
        self.scheme.full_blocks()
    }

    /// Bytes of RAM.
    #[must_use]
    pub fn ram(&self) -> u64 {
        let ages = 4 * (self.pages.len() + self.opened.len()) as u64;
        if self.scheme.uses_ages() { ages + self.scheme.ram() } else { self.scheme.ram() }
    }

    /// Pages by class so far.
    #[must_use]
    pub fn pages(&self) -> ClassPages {
        ClassPages::of(&self.ledger, self.scheme.handled().as_ref(), self.classes())
    }

    /// The separation's own figures.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.scheme.counts()
    }

    /// The classes as they are now, with the erased pages of their open blocks, and how many blocks they have.
    #[must_use]
    pub fn by_class(&self, room: impl Fn(Class) -> u64, units: impl Fn(Class) -> u64) -> Classes {
        let all = || (0..self.classes()).map(Class::user);
        Classes {
            count: self.classes(),
            ledger: self.ledger.clone(),
            resident: self.resident[..usize::from(self.classes())].to_vec(),
            units: all().map(units).collect(),
            room: all().map(room).collect(),
            handled: self.scheme.handled(),
        }
    }

    /// Begins to count anew.
    pub fn reset_counts(&mut self) {
        self.ledger = Ledger::default();
        self.scheme.reset_counts();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::separation::SeparationDesign;
    use crate::placement::separation::sepbit::{Sepbit, SepbitConfig};

    #[test]
    fn ages_begin_at_the_last_write_after_a_power_cut() {
        for (is_volume, age) in [(false, 1), (true, 0)] {
            let scheme = Sepbit::build(
                &Layout::of_pages(8),
                SepbitConfig { window: 1, ..SepbitConfig::default() },
            );
            let layout = Layout::of_pages(8);
            let mut separator =
                Separator::new(Box::new(scheme), &layout, None).expect("six classes");
            if is_volume {
                separator.use_in_volume();
            }
            separator.recover([(Lpn(3), 4), (Lpn(0), 5)].into_iter());
            separator.collected(0, Pbn(2), 0);
            assert_eq!(separator.counts()["sepbit.lifespan"], age, "in a volume: {is_volume}");
        }
    }
}
