//! Data blocks, mapped block by block, and the merges that replace them.
//!
//! ```text
//! data block   of a logical block: each page at its own offset, or nowhere
//! log block    newer versions of pages that the data blocks hold already
//!
//! switch       log 0 1 2 3           ->  the log block becomes the data block
//! partial      log 0 1 . .           ->  2 and 3 are copied to their offsets; then as switch
//! full         log 1 3 1 .           ->  the newest 0 1 2 3 are copied to a fresh block
//! ```
//!
//! A merge takes the newest version of each page, wherever it is (choices.md#merge-in-place). It is
//! a switch when the log block is full (choices.md#merge-kinds). It ends with the erase of the old
//! data block. One block is kept free for it, in addition to the log blocks.
//!
//! The simulator has one table from each page to its newest version. A device has the block table,
//! a bit for each page of a data block, and the page map of its log blocks, which `ram` counts
//! (choices.md#log-valid-bits). With `log.map = flash` the block table is on flash
//! (choices.md#log-maps).

use super::block_map::{BlockMap, LogMap};
use super::rebuild::{Rebuilt, rebuild};
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Geometry, Owner, Span};
use crate::ftl::parts::page_map::PageMap;
use crate::ftl::{Accounts, MergeCounts};
use crate::placement::free_blocks::FreeBlocks;
use crate::placement::survey::FoundBlock;
use crate::settings::absent_or;
use crate::units::{Lbn, Lpn, Pbn, Ppn, Ratio};
use std::ops::Range;

crate::settings! {
    /// The log blocks of log-block FTLs.
    pub struct LogConfig in "log" {
        /// Log blocks.
        blocks: Option<u32> = None,
            absent "every block beyond the logical ones and those of the map, but for the one that merges need",
            unit "blocks", laws absent_or(2..=9), source "CACH-FTL, DLOOP; choices.md#log-blocks";
        /// The place of the table of data blocks.
        map: LogMap = LogMap::Ram, laws LogMap::ALL, source "DLOOP II.A and V.D; choices.md#log-maps";
    }
}

impl LogConfig {
    /// Log blocks on this device, for an FTL that needs at least `least`.
    ///
    /// # Errors
    /// [`Error::Config`] when fewer are configured.
    pub fn blocks(&self, geometry: &Geometry, least: u32) -> Result<u32, Error> {
        let spare = geometry.blocks() - geometry.logical_blocks();
        let kept = 1 + self.map.blocks(geometry);
        let blocks = self.blocks.unwrap_or(spare.saturating_sub(kept).max(least));
        if blocks < least {
            let message = format!("found {blocks}, expected at least {least} for this FTL");
            unless_bug!(LogsTooFew, return Err(Error::config("log.blocks", message)));
        }
        Ok(blocks)
    }
}

/// A share of the log blocks, rounded down, between `least` and `most`.
#[must_use]
pub fn share_of(log_blocks: u32, Ratio(share): Ratio, least: u32, most: u32) -> u32 {
    ((f64::from(log_blocks) * share) as u32).clamp(least, most)
}

/// Makes the data blocks of an FTL: [`DataBlocks::new`] or [`DataBlocks::mount`].
pub type Begin = fn(&mut Flash, LogMap, u32) -> Result<DataBlocks, Error>;

/// The data blocks of a device, the place of every newest page, and the free blocks.
#[derive(Clone, Debug)]
pub struct DataBlocks {
    blocks: BlockMap,
    /// Blocks of the map on flash, at the start of the device.
    map_blocks: u32,
    newest: PageMap,
    free: FreeBlocks,
    /// Log blocks found after power was lost, until the FTL assigns them.
    found: Vec<FoundBlock>,
    merges: MergeCounts,
    /// The pages that a merge copies; kept to reuse its memory.
    spans: Vec<Span>,
    /// The pages that a run has moved, with their new places; kept to reuse its memory.
    moved: Vec<(Owner, Ppn)>,
}

impl DataBlocks {
    /// No data blocks yet. The device must have room for `log_blocks` in addition to them, and for
    /// their map.
    ///
    /// # Errors
    /// [`Error::Config`] when the device is too small, or requires ascending order.
    pub fn new(flash: &mut Flash, map: LogMap, log_blocks: u32) -> Result<Self, Error> {
        let map_blocks = map_blocks(flash, map, log_blocks)?;
        let geometry = flash.geometry();
        let first_free = unless_bug!(BlockMapBlocksLent, map_blocks, 0);
        Ok(DataBlocks {
            newest: PageMap::new(geometry.logical_pages),
            free: FreeBlocks::within(first_free..geometry.blocks()),
            map_blocks,
            blocks: BlockMap::new(map, flash)?,
            found: Vec::new(),
            merges: MergeCounts::default(),
            spans: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// The data blocks of a device whose power was cut ([`rebuild`]). The FTL then assigns its log
    /// blocks ([`DataBlocks::place_logs`]).
    ///
    /// # Errors
    /// As [`DataBlocks::new`].
    pub fn mount(flash: &mut Flash, map: LogMap, log_blocks: u32) -> Result<Self, Error> {
        Self::found(flash, map, log_blocks, Rebuilt::end_merges)
    }

    /// The same where log blocks may hold logical blocks that have no data block.
    ///
    /// # Errors
    /// As [`DataBlocks::new`].
    pub fn mount_page_mapped(
        flash: &mut Flash,
        map: LogMap,
        log_blocks: u32,
    ) -> Result<Self, Error> {
        Self::found(flash, map, log_blocks, |_, _| {})
    }

    fn found(
        flash: &mut Flash,
        map: LogMap,
        log_blocks: u32,
        end_merges: fn(&mut Rebuilt, &mut Flash),
    ) -> Result<Self, Error> {
        let map_blocks = map_blocks(flash, map, log_blocks)?;
        let mut rebuilt = rebuild(map_blocks..flash.geometry().blocks(), flash);
        end_merges(&mut rebuilt, flash);
        let Rebuilt { homes, newest, free, logs } = rebuilt;
        Ok(DataBlocks {
            newest,
            free,
            map_blocks,
            blocks: BlockMap::holding(&homes, map, flash)?,
            found: logs,
            merges: MergeCounts::default(),
            spans: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// Calls `place` to assign each log block found after power was lost, in the order in which
    /// they were opened. Blocks for which it returns `None` are merged. Returns the others that
    /// still have valid pages.
    pub fn place_logs<Log>(
        &mut self,
        flash: &mut Flash,
        mut place: impl FnMut(&FoundBlock, &Flash) -> Option<Log>,
    ) -> Vec<(FoundBlock, Log)> {
        let mut placed = Vec::new();
        let mut others = Vec::new();
        for block in std::mem::take(&mut self.found) {
            match place(&block, flash) {
                Some(log) => placed.push((block, log)),
                None => others.push(block),
            }
        }
        for block in others {
            let owners = block.owners(flash);
            owners.into_iter().for_each(|lbn| self.merge_full(lbn, None, flash));
            self.release_log(block.pbn, flash);
        }
        placed.retain(|(block, _)| {
            let is_used = flash.valid_in(block.pbn) > 0;
            if !is_used {
                self.release_log(block.pbn, flash);
            }
            is_used
        });
        placed
    }

    /// Bytes in RAM of the block table.
    #[must_use]
    pub fn table_bytes(&self) -> u64 {
        self.blocks.ram_bytes()
    }

    /// Bytes in RAM of the block table, and of the bits that mark the programmed pages of data
    /// blocks.
    #[must_use]
    pub fn map_bytes(&self) -> u64 {
        self.table_bytes() + (self.newest.len() as u64).div_ceil(8)
    }

    /// The facts of the map that the FTL checks need.
    #[must_use]
    pub fn accounts(&self) -> Accounts {
        Accounts {
            directories: self.blocks.pages(),
            map_blocks: self.map_blocks,
            ..Accounts::default()
        }
    }

    /// Merges since measuring started.
    #[must_use]
    pub const fn merges(&self) -> MergeCounts {
        self.merges
    }

    /// Resets the counts.
    pub fn reset_counts(&mut self) {
        self.merges = MergeCounts::default();
    }

    /// Where the newest version of a page is.
    #[inline]
    #[must_use]
    pub fn newest(&self, lpn: Lpn) -> Option<Ppn> {
        self.newest.get(lpn)
    }

    /// The data block of a logical block; a read where the map is on flash and another page of it in RAM.
    #[inline]
    pub fn block(&mut self, lbn: Lbn, flash: &mut Flash) -> Option<Pbn> {
        self.blocks.get(lbn, flash)
    }

    /// The places of the newest pages of a logical block that are outside its data block.
    #[inline]
    pub fn logged(&self, lbn: Lbn, geometry: &Geometry) -> impl Iterator<Item = Ppn> {
        let first = self.blocks.peek(lbn).map(|home| geometry.first_page(home).0);
        let home = first.map_or(0..0, |first| first..first + geometry.pages_per_block);
        let newest = geometry.logical_pages_of(lbn).filter_map(|lpn| self.newest(lpn));
        newest.filter(move |ppn| !home.contains(&ppn.0))
    }

    /// Whether a logical block has a data block, by bits in RAM.
    #[inline]
    #[must_use]
    pub fn has_block(&self, lbn: Lbn) -> bool {
        self.blocks.peek(lbn).is_some()
    }

    /// The data block of a logical block, for audits.
    #[must_use]
    pub fn audit_block(&self, lbn: Lbn) -> Option<Pbn> {
        self.blocks.peek(lbn)
    }

    /// Programs a page for the host; its old version is superseded.
    #[inline]
    pub fn program(&mut self, lpn: Lpn, ppn: Ppn, flash: &mut Flash) {
        flash.program(ppn, Owner::Data(lpn), Cause::Host);
        self.remap(lpn, Some(ppn), flash);
    }

    /// Programs a page for the host at its own offset in its data block, which is allocated for its
    /// first page. Returns false when that offset is already programmed, by bits in RAM.
    pub fn program_in_place(&mut self, lpn: Lpn, flash: &mut Flash) -> bool {
        let geometry = flash.geometry();
        let (lbn, offset) = (geometry.logical_block_of(lpn), geometry.offset_of(lpn));
        let Some(known) = self.blocks.peek(lbn) else {
            let pbn = self.take();
            self.blocks.set(lbn, Some(pbn), flash);
            self.program(lpn, flash.geometry().page_at(pbn, offset), flash);
            return true;
        };
        let slot = geometry.page_at(known, offset);
        let free =
            unless_bug!(DataProgramsTrimmed, !flash.is_programmed(slot), !flash.is_valid(slot));
        if free {
            self.block(lbn, flash);
            self.program(lpn, slot, flash);
        }
        free
    }

    /// The number of some pages of one logical block whose offsets in its data block are
    /// programmed.
    #[must_use]
    pub fn overwrites(&self, pages: &[Lpn], flash: &Flash) -> usize {
        let geometry = flash.geometry();
        let block = self.audit_block(geometry.logical_block_of(pages[0]));
        let is_programmed = |pbn: Pbn, lpn: Lpn| {
            flash.is_programmed(geometry.page_at(pbn, geometry.offset_of(lpn)))
        };
        block.map_or(0, |pbn| pages.iter().filter(|lpn| is_programmed(pbn, **lpn)).count())
    }

    /// Pages of a logical block that hold data, from offset `first` on: those that a merge copies,
    /// from 0 if it is full.
    #[must_use]
    pub fn pages_held(&self, lbn: Lbn, first: u32, flash: &Flash) -> u64 {
        let pages = flash.geometry().logical_pages_of(lbn).skip(first as usize);
        pages.filter(|lpn| self.newest(*lpn).is_some()).count() as u64
    }

    /// Reads for the host the OOB at a page's offset in its data block, if there is one.
    pub fn look_at(&mut self, lpn: Lpn, flash: &mut Flash) {
        let lbn = flash.geometry().logical_block_of(lpn);
        if let Some(block) = self.block(lbn, flash) {
            let geometry = flash.geometry();
            flash.look(geometry.page_at(block, geometry.offset_of(lpn)), Cause::Host);
        }
    }

    /// Reads for a merge the OOBs of a data block, if there is one, at the offsets of unmapped
    /// pages.
    pub fn look_where_nothing_is(&mut self, lbn: Lbn, flash: &mut Flash) {
        let Some(block) = self.block(lbn, flash) else { return };
        let first = flash.geometry().first_page(block).0;
        for (page, lpn) in (first..).map(Ppn).zip(flash.geometry().logical_pages_of(lbn)) {
            if self.newest(lpn).is_none() {
                flash.look(page, Cause::Merge);
            }
        }
    }

    /// Finds the newest version of a page for a read. A page in a data block needs a lookup in the
    /// map of data blocks. RAM shows which pages are in log blocks, or unmapped.
    #[inline]
    pub fn find(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Ppn> {
        let newest = self.newest(lpn);
        let lbn = flash.geometry().logical_block_of(lpn);
        let home = self.blocks.peek(lbn);
        if newest.is_some_and(|ppn| home == Some(flash.geometry().block_of(ppn))) {
            self.block(lbn, flash);
        }
        newest
    }

    /// Invalidates the version of a page that is about to be overwritten or trimmed.
    pub fn unmap(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.remap(lpn, None, flash);
    }

    #[inline]
    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        if let Some(old) = self.newest.replace(lpn, new) {
            flash.invalidate(old);
        }
    }

    /// Copies the newest version of a page to an erased one.
    pub fn relocate(&mut self, lpn: Lpn, to: Ppn, cause: Cause, flash: &mut Flash) {
        if let Some(from) = self.newest.replace(lpn, Some(to)) {
            flash.relocate(from, to, cause);
        }
    }

    /// Copies the valid pages of a block to at most `most` erased ones from `to` on. Returns their
    /// logical pages.
    pub fn relocate_run(
        &mut self,
        source: Pbn,
        to: Ppn,
        most: u32,
        cause: Cause,
        flash: &mut Flash,
    ) -> impl ExactSizeIterator<Item = Lpn> {
        let mut pages = flash.valid_pages(source);
        self.moved.clear();
        flash.relocate_run(&mut pages, to, most, cause, &mut self.moved);
        for (owner, to) in &self.moved {
            self.newest.replace(data_page(*owner), Some(*to));
        }
        self.moved.iter().map(|(owner, _)| data_page(*owner))
    }

    /// Detaches the data block of a logical block with its pages, which then are in a log block.
    pub fn detach(&mut self, lbn: Lbn, flash: &mut Flash) -> Option<Pbn> {
        if !self.has_block(lbn) {
            return None;
        }
        let pbn = self.block(lbn, flash);
        self.blocks.set(lbn, None, flash);
        pbn
    }

    /// Number of free blocks.
    #[must_use]
    pub fn free_blocks(&self) -> u32 {
        self.free.len()
    }

    /// Takes a free block.
    ///
    /// # Panics
    /// When there is none: the FTL holds more log blocks than it declared.
    pub fn take(&mut self) -> Pbn {
        self.free.take().expect("one block is kept free for merges")
    }

    /// Erases a log block without valid pages.
    pub fn release_log(&mut self, pbn: Pbn, flash: &mut Flash) {
        flash.erase(pbn, BlockKind::Log, Cause::Merge);
        unless_bug!(DataLogLost, self.free.give(pbn, flash));
    }

    /// Full merge: copies the newest pages of a logical block to a fresh block. A page that the
    /// host writes is programmed in its place among them.
    pub fn merge_full(&mut self, lbn: Lbn, host: Option<Lpn>, flash: &mut Flash) {
        let old = self.merge_aside(lbn, host, flash);
        self.release(old, flash);
    }

    /// Full merge that returns the old data block, which holds no valid page, instead of erasing
    /// it.
    pub fn merge_aside(&mut self, lbn: Lbn, host: Option<Lpn>, flash: &mut Flash) -> Pbn {
        let old = self.replaced(lbn, flash);
        let fresh = self.take();
        self.gather(lbn, fresh, 0, host, flash);
        let is_empty = unless_bug!(DataKeepsEmptyBlock, flash.is_erased(fresh), false);
        if is_empty {
            // Every page was trimmed, so no data block is needed.
            self.free.give(fresh, flash);
            self.set_block(lbn, None, flash);
        } else {
            self.set_block(lbn, Some(fresh), flash);
        }
        unless_bug!(DataFullUncounted, self.merges.full += 1);
        old
    }

    /// Copies the pages of a logical block that has no data block to a new one. This merge replaces
    /// no block and is not counted.
    ///
    /// # Panics
    /// When it has no pages.
    pub fn create(&mut self, lbn: Lbn, flash: &mut Flash) {
        let fresh = self.take();
        let programmed = self.gather(lbn, fresh, 0, None, flash);
        assert!(programmed > 0, "a data block for nothing");
        self.blocks.set(lbn, Some(fresh), flash);
    }

    /// Partial merge: a log block with pages at their own offsets becomes the data block. From
    /// offset `held` on, the newest pages that it lacks are copied to it. A page that the host
    /// writes is programmed in its place. The merge is a switch when the log block was full (DLOOP
    /// II.A).
    pub fn merge_into(
        &mut self,
        lbn: Lbn,
        log: Pbn,
        held: u32,
        host: Option<Lpn>,
        flash: &mut Flash,
    ) {
        let was_full = flash.is_full(log);
        let old = self.replaced(lbn, flash);
        self.gather(lbn, log, held, host, flash);
        self.set_block(lbn, Some(log), flash);
        self.release(old, flash);
        match was_full {
            true => self.merges.switch += 1,
            false => self.merges.partial += 1,
        }
    }

    /// Copies the newest pages of a logical block, from offset `first` on, to their offsets in
    /// `to`, unless they are there. Returns the number of programmed pages.
    fn gather(
        &mut self,
        lbn: Lbn,
        to: Pbn,
        first: u32,
        host: Option<Lpn>,
        flash: &mut Flash,
    ) -> u32 {
        let pages = flash.geometry().pages_per_block;
        let Some(host) = host else {
            return self.gather_offsets(lbn, to, first..pages, flash);
        };
        let offset = flash.geometry().offset_of(host);
        let before = self.gather_offsets(lbn, to, first..offset, flash);
        self.program(host, flash.geometry().page_at(to, offset), flash);
        before + 1 + self.gather_offsets(lbn, to, offset + 1..pages, flash)
    }

    /// The same for some offsets.
    fn gather_offsets(&mut self, lbn: Lbn, to: Pbn, offsets: Range<u32>, flash: &mut Flash) -> u32 {
        let geometry = flash.geometry();
        let home = self.blocks.peek(lbn).unwrap_or(to);
        let home = geometry.first_page(home).0;
        let (lpn, to_first) = (geometry.first_logical_page(lbn).0, geometry.first_page(to).0);
        let mut programmed = 0;
        for word in offsets.start / 64..offsets.end.div_ceil(64) {
            let first = 64 * word;
            let mut at_home = 0;
            for offset in offsets.start.max(first)..offsets.end.min(first + 64) {
                let Some(from) = self.newest.get(Lpn(lpn + offset)) else { continue };
                let slot = to_first + offset;
                if from.0 == slot {
                    continue;
                }
                unless_bug!(
                    DataMergeUnnoted,
                    self.newest.replace(Lpn(lpn + offset), Some(Ppn(slot)))
                );
                programmed += 1;
                if from.0 == home + offset {
                    at_home |= 1 << (offset - first);
                } else {
                    self.spans.push(Span { from, to: Ppn(slot), bits: 1 });
                }
            }
            if at_home != 0 {
                let (from, to) = (Ppn(home + first), Ppn(to_first + first));
                self.spans.push(Span { from, to, bits: at_home });
            }
        }
        flash.relocate_spans(to, &self.spans, Cause::Merge);
        self.spans.clear();
        programmed
    }

    /// The data block that a merge is about to replace.
    fn replaced(&mut self, lbn: Lbn, flash: &mut Flash) -> Pbn {
        self.block(lbn, flash).expect("only what overwrites a data block is logged")
    }

    /// Makes `new` the data block of a logical block.
    fn set_block(&mut self, lbn: Lbn, new: Option<Pbn>, flash: &mut Flash) {
        unless_bug!(DataBlockForgotten, self.blocks.set(lbn, new, flash));
    }

    /// Erases a block that was a data block, without valid pages.
    pub fn release(&mut self, pbn: Pbn, flash: &mut Flash) {
        flash.erase(pbn, BlockKind::Data, Cause::Merge);
        self.free.give(pbn, flash);
    }

    /// Recomputes all places from the flash. Each newest page is at its own offset of its data
    /// block, or in one of the `logs`. Each block is a data block, a log block or free.
    ///
    /// # Panics
    /// When something is elsewhere.
    pub fn audit(&self, logs: &[Pbn], device: &Device) {
        device.audit();
        self.blocks.audit(device);
        let geometry = device.geometry();
        let mut logs = logs.to_vec();
        logs.sort_unstable();
        let all = (0..geometry.logical_blocks()).map(Lbn);
        let mut used: Vec<Pbn> = all.filter_map(|lbn| self.audit_block(lbn)).collect();
        used.extend(&logs);
        let taken = used.len() as u32;
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len() as u32, taken, "a block has two roles");
        let beside_the_map = self.map_blocks..geometry.blocks();
        assert_eq!(
            taken + self.free.len(),
            beside_the_map.len() as u32,
            "data, log and free blocks"
        );
        assert!(!self.free.is_empty(), "no block is left to merge into");
        let written = beside_the_map.filter(|pbn| !device.is_erased(Pbn(*pbn)));
        let strays = written.filter(|pbn| used.binary_search(&Pbn(*pbn)).is_err()).count();
        assert_eq!(strays, 0, "free blocks that are not erased");
        device.audit_map(0..geometry.logical_pages, |lpn| self.newest.get(lpn));
        for lpn in (0..geometry.logical_pages).map(Lpn) {
            let Some(ppn) = self.newest.get(lpn) else { continue };
            let pbn = geometry.block_of(ppn);
            if self.audit_block(geometry.logical_block_of(lpn)) == Some(pbn) {
                let offset = ppn.0 - geometry.first_page(pbn).0;
                assert_eq!(offset, geometry.offset_of(lpn), "{lpn} is not at its own offset");
            } else {
                assert!(logs.binary_search(&pbn).is_ok(), "{lpn} is in block {pbn}, no log block");
            }
        }
    }
}

/// The blocks of the map, on a device that allows any order and has room for all.
fn map_blocks(flash: &mut Flash, map: LogMap, log_blocks: u32) -> Result<u32, Error> {
    flash.allow_any_order()?;
    let geometry = flash.geometry();
    let logical = geometry.logical_blocks();
    let map_blocks = map.blocks(geometry);
    let needed = u64::from(logical) + u64::from(log_blocks) + u64::from(map_blocks) + 1;
    if u64::from(geometry.blocks()) < needed {
        let message = format!(
            "found {} physical blocks for {logical} logical, expected at least {needed} to hold \
             {log_blocks} log blocks{} and one to merge into",
            geometry.blocks(),
            if map_blocks == 0 { String::new() } else { format!(", {map_blocks} of the map") },
        );
        unless_bug!(DataTooFewBlocks, return Err(geometry.too_few_blocks(&message, "")));
    }
    Ok(map_blocks)
}

/// The logical page of an owner that is not a page of a map.
fn data_page(owner: Owner) -> Lpn {
    match owner {
        Owner::Data(lpn) => lpn,
        Owner::Translation(_) => unreachable!("a page of the map among data"),
    }
}
