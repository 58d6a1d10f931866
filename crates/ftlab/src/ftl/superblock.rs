//! The superblock FTL (Kang, Jo, Kim & Lee, EMSOFT 2006), on MLC as MNFTL compares it ("SFTL" there).
//!
//! Idea     N neighbouring logical blocks are a superblock. It has up to N data blocks for the
//!          first version of each page, and M log blocks for later versions. Both are written page
//!          after page, and any page may be anywhere in them. The page map of a superblock is in K
//!          pieces. The OOB of a page holds the piece that covers it and a directory of all pieces.
//!          RAM therefore points only at the page written last.
//! RAM      per superblock N + M block numbers and a page number.
//! Costs    a lookup reads the OOB of the page written last, and a second one unless the first
//!          holds the piece. That is 2 - 1 / K on average if pieces are used alike, 1.75 with the K
//!          = 4 that MNFTL's Table 2 implies.
//! GC       when all log blocks of a superblock are full, in itself. When the log blocks of all are
//!          used up, in the superblock with log blocks that was written least recently
//!          (choices.md#superblock-pool). GC takes the cheapest of three steps. It erases a block
//!          that holds nothing. A log block takes an empty place among the data blocks. A log block
//!          and the least valid data blocks are copied together.
//! Grade    sizes, triggers and the two OOB reads are stated (MNFTL 5). The order of these steps is
//!          assumed (choices.md#superblock-steps), as is one OOB read for each piece in a
//!          collection.
//! Departs  `superblock.pieces` (choices.md#superblock-pieces) is by default the fewest that fit into
//!          the OOB. The four of Table 2 do not fit into the 64 B of its device: 4 + 128 page numbers
//!          of 10 bits are 165 B.

mod config;
mod fold;
mod mount;
#[cfg(test)]
mod tests;

pub use config::SuperblockConfig;

use super::parts::oob_map::{OobMap, bytes_of_number};
use super::{Access, Ftl, FtlMetrics, RamUse};
use crate::cache::links::{Links, List, NIL};
use crate::error::Error;
use crate::flash::{Cause, Device, Flash};
use crate::ftl::design::{Design, LOGS, Mount, Setup, Spec};
use crate::placement::free_blocks::FreeBlocks;
use crate::units::{Lpn, Mapping, Pbn, Ppn};
use std::collections::BTreeMap;

/// The superblock FTL.
#[derive(Clone, Debug)]
pub struct SuperblockFtl {
    map: OobMap,
    /// The page written last of each superblock, whose OOB has the directory.
    last_written: Vec<Mapping>,
    /// The blocks of each superblock, each number + 1 or 0: first the data blocks, then the log blocks.
    slots: Vec<u32>,
    data_blocks: u32,
    log_blocks: u32,
    logical_blocks: u32,
    pages: u32,
    /// Superblocks with log blocks, the one written last at the front.
    recency: List,
    links: Links,
    /// Log blocks of each superblock.
    logs_of: Vec<u8>,
    logs_in_use: u32,
    most_logs: u32,
    free: FreeBlocks,
    table_bytes: u64,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    own_collections: u64,
    pool_collections: u64,
    dead: u64,
    switches: u64,
    folds: u64,
}

impl Design for SuperblockFtl {
    type Settings = SuperblockConfig;

    const SPEC: Spec = Spec {
        name: "superblock",
        title: "superblock FTL",
        summary: "neighbouring logical blocks share data and log blocks; the page map in their OOBs",
        source: "Kang, Jo, Kim & Lee, EMSOFT 2006",
        obeys: &[LOGS],
        ..Spec::IN_OOBS
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<SuperblockConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let geometry = flash.geometry();
        let most_logs = setup.log.blocks(geometry, 1)?;
        let logical_blocks = geometry.logical_blocks();
        let needed = u64::from(logical_blocks) + u64::from(most_logs) + 1;
        if u64::from(geometry.blocks()) < needed {
            let message = format!(
                "found {} physical blocks for {logical_blocks} logical, expected at least {needed} to \
                 hold {most_logs} log blocks and one to copy to",
                geometry.blocks(),
            );
            unless_bug!(SuperblockTooFewBlocks, return Err(geometry.too_few_blocks(&message, "")));
        }
        let own = &setup.own;
        let map = own.map(flash)?;
        let geometry = flash.geometry();
        let superblocks = logical_blocks.div_ceil(own.data);
        let per_superblock = (own.data + own.logs) * bytes_of_number(geometry.blocks())
            + bytes_of_number(geometry.pages());
        let mut links = Links::default();
        links.grow(superblocks as usize);
        Ok(SuperblockFtl {
            map,
            last_written: vec![Mapping::default(); superblocks as usize],
            slots: vec![0; (superblocks * (own.data + own.logs)) as usize],
            data_blocks: own.data,
            log_blocks: own.logs,
            logical_blocks,
            pages: geometry.pages_per_block,
            recency: List::default(),
            links,
            logs_of: vec![0; superblocks as usize],
            logs_in_use: 0,
            most_logs,
            free: FreeBlocks::all(geometry),
            table_bytes: u64::from(superblocks) * u64::from(per_superblock),
            counts: Counts::default(),
        })
    }
}

impl Ftl for SuperblockFtl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            if !self.look_up(lpn, flash) {
                // As if the page written last were of the first piece.
                let first = self.map.piece_of(lpn).is_multiple_of(self.map.pieces());
                flash.search_in_vain(lpn, if first { 1 } else { 2 });
            }
            flash.host_read(lpn, self.map.newest(lpn));
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let superblock = self.map.group_of(lpn);
            let to = loop {
                match self.place(superblock, self.map.newest(lpn).is_none(), flash) {
                    Some(to) => break to,
                    None => self.collect(superblock, flash),
                }
            };
            self.look_up(lpn, flash);
            self.map.program(lpn, to, flash);
            self.last_written[superblock as usize] = Some(to).into();
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.map.unmap(lpn, flash);
            flash.trim(lpn);
        }
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.newest(lpn)
    }

    fn ram(&self) -> RamUse {
        RamUse { tables: self.table_bytes, ..RamUse::default() }
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        let superblocks = 0..self.last_written.len() as u32;
        superblocks
            .flat_map(|each| self.logs(each))
            .filter_map(|slot| self.block_in(slot))
            .collect()
    }

    fn metrics(&self) -> FtlMetrics {
        let own = BTreeMap::from([
            ("superblock.pieces", u64::from(self.map.pieces())),
            ("superblock.log_blocks", u64::from(self.most_logs)),
            ("superblock.own_collections", self.counts.own_collections),
            ("superblock.pool_collections", self.counts.pool_collections),
            ("superblock.dead_blocks", self.counts.dead),
            ("superblock.switches", self.counts.switches),
            ("superblock.folds", self.counts.folds),
        ]);
        FtlMetrics { own, ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.counts = Counts::default();
    }

    fn audit(&self, device: &Device) {
        let mut home = vec![None; device.geometry().blocks() as usize];
        let mut used = 0;
        for (superblock, range) in (0..self.last_written.len() as u32).map(|s| (s, self.all(s))) {
            for slot in range {
                let Some(pbn) = self.block_in(slot) else { continue };
                assert_eq!(
                    home[pbn.index()].replace(superblock),
                    None,
                    "block {pbn} is in two places"
                );
                used += 1;
            }
            self.audit_directory(superblock, device);
        }
        assert_eq!(used + self.free.len(), device.geometry().blocks(), "used and free blocks");
        assert!(!self.free.is_empty(), "no block is left for copies");
        self.map.audit(|pbn| Some(home[pbn.index()].unwrap_or(NIL)), device);
        self.audit_logs();
    }
}

impl SuperblockFtl {
    #[inline]
    fn block_in(&self, slot: u32) -> Option<Pbn> {
        self.slots[slot as usize].checked_sub(1).map(Pbn)
    }

    /// The places of a superblock's blocks.
    #[inline]
    fn all(&self, superblock: u32) -> std::ops::Range<u32> {
        let size = self.data_blocks + self.log_blocks;
        superblock * size..(superblock + 1) * size
    }

    /// Its places for data blocks, as many as it has logical blocks.
    #[inline]
    fn data(&self, superblock: u32) -> std::ops::Range<u32> {
        let first = self.all(superblock).start;
        let logical = self.logical_blocks - superblock * self.data_blocks;
        first..first + logical.min(self.data_blocks)
    }

    /// Its places for log blocks.
    #[inline]
    fn logs(&self, superblock: u32) -> std::ops::Range<u32> {
        let all = self.all(superblock);
        all.end - self.log_blocks..all.end
    }

    /// Notes that a superblock is written, if it has log blocks.
    fn touch(&mut self, superblock: u32) {
        if self.logs_of[superblock as usize] > 0 {
            self.links.touch(&mut self.recency, superblock);
        }
    }

    /// The next page for a first or a later version; `None` when blocks must be collected first.
    fn place(&mut self, superblock: u32, first_version: bool, flash: &Flash) -> Option<Ppn> {
        self.touch(superblock);
        if first_version {
            let data = self.data(superblock);
            if let Some(page) = self.page_in(data.clone(), flash) {
                return Some(page);
            }
            if let Some(slot) = self.empty(data) {
                return Some(self.open(slot, flash));
            }
        }
        let logs = self.logs(superblock);
        if let Some(page) = self.page_in(logs.clone(), flash) {
            return Some(page);
        }
        let slot = self.empty(logs).filter(|_| self.logs_in_use < self.most_logs)?;
        let page = self.open(slot, flash);
        self.count_logs(superblock);
        self.links.touch(&mut self.recency, superblock);
        Some(page)
    }

    /// The next page of the first block in some places that is not full.
    #[inline]
    fn page_in(&self, mut slots: std::ops::Range<u32>, flash: &Flash) -> Option<Ppn> {
        slots.find_map(|slot| {
            let pbn = self.block_in(slot)?;
            (!flash.is_full(pbn)).then(|| flash.next_page(pbn))
        })
    }

    fn empty(&self, mut slots: std::ops::Range<u32>) -> Option<u32> {
        slots.find(|slot| self.slots[*slot as usize] == 0)
    }

    fn open(&mut self, slot: u32, flash: &Flash) -> Ppn {
        let pbn = self.free.take().expect("one block is kept free for copies");
        self.slots[slot as usize] = pbn.0 + 1;
        flash.geometry().first_page(pbn)
    }

    /// Reads the OOBs that locate a page; returns false when the superblock was never written.
    fn look_up(&self, lpn: Lpn, flash: &mut Flash) -> bool {
        let superblock = self.map.group_of(lpn);
        let Some(directory) = self.last_written[superblock as usize].get() else { return false };
        flash.read_oob(directory, Cause::Host);
        let holder = self.map.holder(self.map.piece_of(lpn));
        if let Some(holder) = holder.filter(|holder| *holder != directory) {
            flash.read_oob(holder, Cause::Host);
        }
        true
    }

    /// Checks that the directory is on a page of the superblock, as long as any page is mapped.
    fn audit_directory(&self, superblock: u32, flash: &Flash) {
        let mapped = self.map.pieces_of(superblock).any(|piece| self.map.any_page(piece).is_some());
        let directory = self.last_written[superblock as usize].get();
        assert!(directory.is_some() || !mapped, "superblock {superblock} has no directory");
        if let Some(ppn) = directory.filter(|_| mapped) {
            let pbn = flash.geometry().block_of(ppn);
            let home = self.all(superblock).any(|slot| self.block_in(slot) == Some(pbn));
            assert!(home, "the directory of {superblock} is in block {pbn} of another");
            assert!(flash.is_programmed(ppn), "the directory of {superblock} is erased");
        }
    }

    fn audit_logs(&self) {
        self.links.audit(&self.recency);
        let superblocks = 0..self.last_written.len() as u32;
        let logs_of = |superblock| {
            self.logs(superblock).filter(|slot| self.block_in(*slot).is_some()).count() as u32
        };
        let logs: u32 = superblocks.clone().map(logs_of).sum();
        assert_eq!(logs, self.logs_in_use, "log blocks");
        assert!(logs <= self.most_logs, "{logs} log blocks of {}", self.most_logs);
        let with_logs = superblocks.filter(|superblock| logs_of(*superblock) > 0).count();
        assert_eq!(with_logs, self.recency.len(), "superblocks with log blocks");
    }
}
