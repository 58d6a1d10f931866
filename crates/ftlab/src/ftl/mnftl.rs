//! MNFTL (Qin, Wang, Liu, Shao & Guan, DAC 2011): an FTL for MLC NAND.
//!
//! Idea     concentrated mapping: a logical block has its own physical blocks, written page after
//!          page, and all versions of its pages go there. Its page map is in subtables. The OOB of
//!          a page holds the subtable that covers the page; RAM points at the newest of each.
//!          Postponed reclamation: nothing is collected until the free blocks are used up. Then the
//!          least valid full block of all is the victim.
//! RAM      per logical block a pointer to each subtable and a list head of 4 B; per physical block its
//!          number and 4 B to the next. 34 B in all on the paper's device (5.1).
//! Costs    write T_oob + T_w, read T_oob + T_r; collection N T_oob + S (T_r + T_w) + T_e, with N subtables
//!          and S valid pages (4.2, 4.3).
//! Departs  4.3 names two victims. The first, the least valid block of all, is the default and
//!          costs no RAM or OOB reads here. Its shortcut is `mnftl.victim = most-blocks-first`
//!          (choices.md#mnftl-victim). `gc.low` sets the number of blocks kept free, one of which
//!          takes the copies (choices.md#mnftl-reserve). No OOB is read for a subtable that was
//!          never written, except for a read of an unwritten page (choices.md#mnftl-new-subtable).
//!          The mapping with which section 3 compares concentrated mapping is `mnftl.mapping =
//!          separated`. 4.3 suggests reclaiming in idle time. It is off unless `mnftl.idle_blocks`
//!          sets the number of blocks of a logical block from which it starts. A cache of subtables
//!          in RAM is ours: their address translation "further exploited" (6).

mod collect;
mod config;
pub mod hybrid;
mod mount;
#[cfg(test)]
mod tests;

use crate::ftl::design::{Design, LEVELS, Mount, Setup, Spec};
pub use config::{MnftlConfig, MnftlMapping, MnftlVictim};

use super::parts::oob_map::{OobMap, bytes_of_number};
use super::parts::piece_cache::PieceCache;
use super::{Access, Accounts, Ftl, FtlMetrics, GcMetrics, RamUse};
use crate::cache::indexed_heap::IndexedHeap;
use crate::cache::links::{Links, List, NIL};
use crate::error::Error;
use crate::flash::{Cause, Device, Flash, Geometry};
use crate::gc::{Closed, GcMode, Victims};
use crate::placement::block_pool::GcCounts;
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::{Filled, Survey};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes of a list pointer (5.1).
const POINTER: u64 = 4;

/// MNFTL.
#[derive(Clone, Debug)]
pub struct Mnftl {
    map: OobMap,
    /// The blocks of each logical block, the one that is written at the front.
    lists: Vec<List>,
    /// The block to which each logical block writes first versions, or `NIL`. Empty if they share
    /// the block of later versions.
    firsts: Vec<u32>,
    links: Links,
    /// The logical block of each block in use.
    owners: Vec<Lbn>,
    /// Logical blocks that have blocks, most blocks first, then lowest number.
    by_blocks: IndexedHeap<(Reverse<usize>, u32)>,
    /// Full blocks by valid pages, for the global rule.
    full: Option<Victims>,
    free: FreeBlocks,
    low: u32,
    high: u32,
    mode: GcMode,
    cache: PieceCache,
    cache_bytes: u64,
    table_bytes: u64,
    counts: GcCounts,
    /// Number of blocks of a logical block from which idle time is used.
    idle_blocks: Option<usize>,
    background_runs: u64,
    cache_hits: u64,
    /// Copies that saved a subtable from the block of a trimmed page.
    rescues: u64,
}

impl Design for Mnftl {
    type Settings = MnftlConfig;

    const SPEC: Spec = Spec {
        name: "mnftl",
        title: "MNFTL",
        summary: "blocks of each logical block's own, written in order; its page map in their OOBs",
        source: "Qin, Wang, Liu, Shao & Guan, DAC 2011",
        obeys: &[LEVELS],
        ..Spec::IN_OOBS
    };
    const MOUNT: Option<Mount<Self>> = Some(|setup, flash| {
        let mut ftl = Self::build(setup, flash)?;
        let blocks = 0..flash.geometry().blocks();
        let found = Survey::of(blocks.clone(), Filled::InOrder, flash).newest(flash.geometry());
        ftl.recover(&found, blocks, flash);
        ftl.write_lost_subtables(flash);
        Ok(ftl)
    });

    fn build(setup: &Setup<MnftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let blocks = 0..flash.geometry().blocks();
        Mnftl::in_blocks(setup, flash, blocks)
    }
}

impl Ftl for Mnftl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            if !self.look_up(lpn, flash) {
                flash.search_in_vain(lpn, 1);
            }
            flash.host_read(lpn, self.map.newest(lpn));
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let lbn = flash.geometry().logical_block_of(lpn);
            let version = self.version_of(lpn);
            self.make_room(lbn, version, flash);
            self.look_up(lpn, flash);
            let to = self.next_page(lbn, version, flash);
            self.program(lpn, to, flash);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.unmap(lpn, flash);
        }
    }

    fn uses_idle_time(&self) -> bool {
        self.idle_blocks.is_some()
    }

    fn background(&mut self, flash: &mut Flash) -> bool {
        let most = self.by_blocks.min().map_or(0, |lbn| self.lists[lbn as usize].len());
        let many = self.idle_blocks.is_some_and(|blocks| most >= blocks);
        if many {
            self.background_runs += 1;
            self.collect(flash);
        }
        many
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.newest(lpn)
    }

    fn ram(&self) -> RamUse {
        RamUse { tables: self.table_bytes, cache: self.cache_bytes, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        let background_runs = self.idle_blocks.map(|_| self.background_runs);
        let gc = GcMetrics { counts: self.counts, low: self.low, high: self.high, background_runs };
        FtlMetrics { gc: Some(gc), own: self.own_metrics(), ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.counts = GcCounts::default();
        self.background_runs = 0;
        self.cache_hits = 0;
        self.rescues = 0;
    }

    fn accounts(&self) -> Accounts {
        Accounts { collects_unfilled: !self.firsts.is_empty(), ..Accounts::default() }
    }

    fn audit(&self, device: &Device) {
        self.map.audit(|pbn| self.owner_of(pbn), device);
        self.audit_blocks(device);
    }
}

impl Mnftl {
    /// MNFTL on some blocks of the device.
    fn in_blocks(
        setup: &Setup<MnftlConfig>,
        flash: &Flash,
        blocks: Range<u32>,
    ) -> Result<Self, Error> {
        let geometry = flash.geometry();
        let (low, high) = (setup.gc.low, setup.gc.high);
        let kept = match setup.gc.mode {
            GcMode::Batch => high,
            GcMode::Single => low,
        };
        needs_blocks(geometry, blocks.len() as u32, kept)?;
        let row = bytes_of_number(geometry.pages());
        let rows = setup.own.rows(geometry.pages_per_block, row, flash)?;
        let map = OobMap::new(geometry.logical_pages, geometry.pages_per_block, rows, rows * row);
        let logical = geometry.logical_blocks();
        let pieces = logical * map.pieces();
        let entry = u64::from(rows * row + bytes_of_number(pieces));
        let slots = (setup.own.cache.0 / entry).min(u64::from(pieces)) as u32;
        let mut links = Links::default();
        links.grow(geometry.blocks() as usize);
        let firsts = match setup.own.mapping {
            MnftlMapping::Concentrated => Vec::new(),
            MnftlMapping::Separated => vec![NIL; logical as usize],
        };
        let written = 1 + u64::from(!firsts.is_empty());
        let per_logical = u64::from(map.pieces() * row) + written * POINTER;
        let per_physical = u64::from(bytes_of_number(geometry.blocks())) + POINTER;
        Ok(Mnftl {
            lists: vec![List::default(); logical as usize],
            firsts,
            links,
            owners: vec![Lbn(NIL); geometry.blocks() as usize],
            by_blocks: IndexedHeap::default(),
            full: setup.own.full_blocks(geometry),
            free: FreeBlocks::within(blocks.clone()),
            low,
            high,
            mode: setup.gc.mode,
            cache: PieceCache::new(slots, pieces),
            cache_bytes: setup.own.cache.0,
            table_bytes: u64::from(logical) * per_logical + blocks.len() as u64 * per_physical,
            map,
            counts: GcCounts::default(),
            idle_blocks: setup.own.idle_blocks.map(|blocks| blocks as usize),
            background_runs: 0,
            cache_hits: 0,
            rescues: 0,
        })
    }

    /// Brings the subtable of a page into RAM; returns false when none was ever written.
    #[inline]
    fn look_up(&mut self, lpn: Lpn, flash: &mut Flash) -> bool {
        let piece = self.map.piece_of(lpn);
        let Some(holder) = self.map.holder(piece) else { return false };
        if self.cache.touch(piece) {
            self.cache_hits += 1;
        } else {
            flash.read_oob(holder, Cause::Host);
        }
        true
    }

    /// The kind of version that a write of a page makes, as far as it determines the place.
    #[inline]
    fn version_of(&self, lpn: Lpn) -> Version {
        match self.firsts.is_empty() || self.map.newest(lpn).is_some() {
            true => Version::Later,
            false => Version::First,
        }
    }

    /// The block to which a logical block writes first versions, if these have their own.
    #[inline]
    fn first_of(&self, lbn: Lbn) -> Option<Pbn> {
        self.firsts.get(lbn.index()).filter(|first| **first != NIL).map(|first| Pbn(*first))
    }

    /// The block with room to which a logical block writes.
    #[inline]
    fn written(&self, lbn: Lbn, version: Version, flash: &Flash) -> Option<Pbn> {
        let first = self.first_of(lbn);
        let block = match version {
            Version::First => first,
            Version::Later => {
                let front = self.lists[lbn.index()].front();
                Some(Pbn(front)).filter(|pbn| front != NIL && Some(*pbn) != first)
            }
        };
        block.filter(|pbn| !flash.is_full(*pbn))
    }

    /// The next page of the block to which a logical block writes; a new block when it is full.
    #[inline]
    fn next_page(&mut self, lbn: Lbn, version: Version, flash: &Flash) -> Ppn {
        let pbn = match self.written(lbn, version, flash) {
            Some(pbn) => pbn,
            None => self.open(lbn, version),
        };
        flash.next_page(pbn)
    }

    fn open(&mut self, lbn: Lbn, version: Version) -> Pbn {
        let pbn = self.free.take().expect("one block is kept free for the copies of collection");
        self.owners[pbn.index()] = lbn;
        let list = &mut self.lists[lbn.index()];
        match version {
            Version::First => {
                self.links.push_back(list, pbn.0);
                self.firsts[lbn.index()] = pbn.0;
            }
            Version::Later => self.links.push_front(list, pbn.0),
        }
        self.rank(lbn);
        pbn
    }

    /// Notes how many blocks a logical block has.
    fn rank(&mut self, lbn: Lbn) {
        let blocks = self.lists[lbn.index()].len();
        match (self.by_blocks.contains(lbn.0), blocks) {
            (false, _) => self.by_blocks.insert(lbn.0, (Reverse(blocks), lbn.0)),
            (true, 0) => self.by_blocks.remove(lbn.0),
            (true, _) => self.by_blocks.update(lbn.0, (Reverse(blocks), lbn.0)),
        }
    }

    #[inline]
    fn program(&mut self, lpn: Lpn, to: Ppn, flash: &mut Flash) {
        let old = self.map.program(lpn, to, flash);
        self.note_change(flash.geometry().block_of(to), old, flash);
    }

    fn relocate(&mut self, from: Ppn, to: Ppn, flash: &mut Flash) {
        self.map.relocate(from, to, flash);
        let geometry = flash.geometry();
        self.note_change(geometry.block_of(to), Some(geometry.block_of(from)), flash);
    }

    fn unmap(&mut self, lpn: Lpn, flash: &mut Flash) {
        if let Some(pbn) = self.map.unmap(lpn, flash) {
            self.note_loss(pbn, flash);
        }
        flash.trim(lpn);
    }

    /// Notes that a page of block `to` was programmed, and that its old version, if any, is invalid.
    #[inline]
    fn note_change(&mut self, to: Pbn, from: Option<Pbn>, flash: &Flash) {
        let fills = self.is_full(to, flash);
        if let Some(full) = self.full.as_mut().filter(|_| fills) {
            // The old version may have been in the block that is now full.
            full.close(Closed::untimed(to, flash.valid_in(to)));
        }
        if let Some(from) = from.filter(|from| *from != to) {
            self.note_loss(from, flash);
        }
    }

    /// A page of a block was invalidated.
    fn note_loss(&mut self, pbn: Pbn, flash: &Flash) {
        let is_full = self.is_full(pbn, flash);
        if let Some(full) = self.full.as_mut().filter(|_| is_full) {
            full.shrink(pbn, flash.valid_in(pbn), 0);
        }
    }

    /// Whether this is a full block of a logical block. Blocks in SLC mode have no owner.
    #[inline]
    fn is_full(&self, pbn: Pbn, flash: &Flash) -> bool {
        flash.is_full(pbn) && self.owner_of(pbn).is_some()
    }

    #[inline]
    fn owner_of(&self, pbn: Pbn) -> Option<u32> {
        Some(self.owners[pbn.index()].0).filter(|lbn| *lbn != NIL)
    }

    fn own_metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("mnftl.subtables", u64::from(self.map.pieces())),
            ("mnftl.cache_hits", self.cache_hits),
            ("mnftl.rescues", self.rescues),
        ])
    }

    fn audit_blocks(&self, flash: &Flash) {
        self.cache.audit();
        let mut owned = 0;
        for (lbn, list) in (0..).map(Lbn).zip(&self.lists) {
            self.links.audit(list);
            owned += list.len() as u32;
            assert_eq!(self.by_blocks.contains(lbn.0), !list.is_empty(), "rank of {lbn}");
            if !list.is_empty() {
                assert_eq!(self.by_blocks.key(lbn.0), (Reverse(list.len()), lbn.0));
            }
            for pbn in self.links.from_oldest(list).map(Pbn) {
                assert_eq!(self.owners[pbn.index()], lbn, "owner of block {pbn}");
                let is_written = pbn.0 == list.front() || Some(pbn) == self.first_of(lbn);
                let written = flash.is_full(pbn) || is_written;
                assert!(written && !flash.is_erased(pbn), "block {pbn} was left half written");
            }
        }
        let owners = self.owners.iter().filter(|lbn| **lbn != Lbn(NIL)).count() as u32;
        assert_eq!(owners, owned, "blocks with an owner");
        assert!(!self.free.is_empty(), "no block is left for copies");
    }
}

/// The kind of version that is programmed. Copies, and subtables that are saved, are later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    First,
    Later,
}

/// Checks that there are enough blocks. Until collection has freed `kept` of the `blocks` blocks,
/// some logical block has two, so there is always a block that is not all valid.
fn needs_blocks(geometry: &Geometry, blocks: u32, kept: u32) -> Result<(), Error> {
    let logical = geometry.logical_blocks();
    let needed = u64::from(logical) + u64::from(kept) + 1;
    if u64::from(blocks) >= needed {
        return Ok(());
    }
    let message = format!(
        "found {blocks} physical blocks for {logical} logical, expected at least {needed} so that \
         collection always finds room"
    );
    unless_bug!(
        MnftlTooFewBlocks,
        Err(geometry.too_few_blocks(&message, " or lower gc.low and gc.high")),
        Ok(())
    )
}
