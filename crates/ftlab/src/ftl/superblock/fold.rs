//! Garbage collection inside a superblock.
//!
//! Blocks are copied one after another, and each is erased as soon as it holds nothing. One free
//! block is therefore enough, and no more blocks are filled than erased.

use super::SuperblockFtl;
use crate::flash::{BlockKind, Cause, Flash};
use crate::units::{Mapping, Pbn, Ppn};

impl SuperblockFtl {
    /// Makes room for a page of this superblock. It collects in the superblock itself if that has
    /// its maximum of log blocks. Otherwise it takes the superblock with log blocks that was
    /// written least recently.
    pub(super) fn collect(&mut self, superblock: u32, flash: &mut Flash) {
        let own = self.empty(self.logs(superblock)).is_none();
        if own {
            self.counts.own_collections += 1;
            self.relieve(superblock, 1, flash);
        } else {
            self.counts.pool_collections += 1;
            let victim = self.recency.back();
            self.relieve(victim, self.data_blocks, flash);
        }
    }

    /// Makes room in a superblock in the cheapest way; a fold takes up to `most_data` data blocks.
    fn relieve(&mut self, superblock: u32, most_data: u32, flash: &mut Flash) {
        self.read_pieces(superblock, flash);
        let dead = self.all(superblock).find(|slot| self.is_dead(superblock, *slot, flash));
        if let Some(slot) = dead {
            self.discard(slot, flash);
            self.counts.dead += 1;
        } else if let Some(place) = self.empty(self.data(superblock)) {
            self.switch(superblock, place, flash);
        } else {
            self.fold(superblock, most_data, flash);
        }
        self.count_logs(superblock);
    }

    /// Reads the page map of a superblock, to know which pages of its blocks are valid.
    fn read_pieces(&self, superblock: u32, flash: &mut Flash) {
        for piece in self.map.pieces_of(superblock) {
            if let Some(holder) = self.map.holder(piece) {
                flash.read_oob(holder, Cause::GcData);
            }
        }
    }

    /// Whether a block in this place holds nothing: no valid page, no newest piece, no directory.
    fn is_dead(&mut self, superblock: u32, slot: u32, flash: &Flash) -> bool {
        let Some(pbn) = self.block_in(slot).filter(|pbn| flash.valid_in(*pbn) == 0) else {
            return false;
        };
        let has_directory =
            unless_bug!(FoldErasesDirectory, self.has_directory(superblock, pbn, flash), false);
        !has_directory
            && self.map.pieces_of(superblock).all(|p| self.map.rescue(p, pbn, flash).is_none())
    }

    /// Whether a block has the directory of a superblock with any mapped page.
    fn has_directory(&self, superblock: u32, pbn: Pbn, flash: &Flash) -> bool {
        let directory = self.last_written[superblock as usize].get();
        directory.is_some_and(|ppn| flash.geometry().block_of(ppn) == pbn)
            && self.map.pieces_of(superblock).any(|piece| self.map.any_page(piece).is_some())
    }

    /// Moves the most valid log block to an empty place among the data blocks.
    fn switch(&mut self, superblock: u32, place: u32, flash: &Flash) {
        let logs = self.logs(superblock).filter(|slot| self.block_in(*slot).is_some());
        let valid = |slot: &u32| self.block_in(*slot).map_or(0, |pbn| flash.valid_in(pbn));
        let log = logs.max_by_key(valid).expect("the superblock has a log block");
        self.slots.swap(place as usize, log as usize);
        self.counts.switches += 1;
    }

    /// Copies the least valid log block and the least valid data blocks together. It takes data
    /// blocks, up to `most_data`, until the copies need one block less.
    fn fold(&mut self, superblock: u32, most_data: u32, flash: &mut Flash) {
        let valid = |slot: u32| self.block_in(slot).map_or(0, |pbn| flash.valid_in(pbn));
        let used = |slot: &u32| self.block_in(*slot).is_some();
        let logs = self.logs(superblock).filter(used);
        let log = logs.min_by_key(|slot| valid(*slot)).expect("the superblock has a log block");
        let mut data: Vec<u32> = self.data(superblock).filter(used).collect();
        data.sort_by_key(|slot| valid(*slot));
        let mut sources = Vec::new();
        let mut pages = valid(log);
        for slot in data.into_iter().take(most_data as usize) {
            sources.push(slot);
            pages += valid(slot);
            if pages <= sources.len() as u32 * self.pages {
                break;
            }
        }
        sources.push(log);
        self.counts.folds += 1;
        let targets = self.copy(superblock, &sources, flash);
        // The copies fill the places from the first on; the log block has the last place.
        for (slot, target) in sources.into_iter().zip(targets) {
            self.slots[slot as usize] = target.0 + 1;
        }
    }

    /// Copies the contents of blocks to fresh ones, and erases each as soon as it holds nothing.
    fn copy(&mut self, superblock: u32, sources: &[u32], flash: &mut Flash) -> Vec<Pbn> {
        let mut targets = Vec::new();
        for slot in sources {
            let source = self.block_in(*slot).expect("only used places are copied");
            let mut pages = flash.valid_pages(source);
            while let Some(from) = pages.next(flash) {
                self.relocate(superblock, from, &mut targets, flash);
            }
            for piece in self.map.pieces_of(superblock) {
                if let Some(from) = self.map.rescue(piece, source, flash) {
                    self.relocate(superblock, from, &mut targets, flash);
                }
            }
            if self.has_directory(superblock, source, flash) {
                let mut pieces = self.map.pieces_of(superblock);
                let page = pieces.find_map(|piece| self.map.any_page(piece));
                let from = page.expect("a superblock that has a directory has a page");
                self.relocate(superblock, from, &mut targets, flash);
            }
            self.discard(*slot, flash);
        }
        targets
    }

    fn relocate(&mut self, superblock: u32, from: Ppn, targets: &mut Vec<Pbn>, flash: &mut Flash) {
        let target = match targets.last() {
            Some(pbn) if !flash.is_full(*pbn) => *pbn,
            _ => {
                targets.push(self.free.take().expect("one block is kept free for copies"));
                targets[targets.len() - 1]
            }
        };
        let to = flash.next_page(target);
        self.map.relocate(from, to, flash);
        self.last_written[superblock as usize] = Some(to).into();
    }

    /// Erases a block that holds nothing.
    fn discard(&mut self, slot: u32, flash: &mut Flash) {
        let pbn = self.block_in(slot).expect("only used places are emptied");
        self.slots[slot as usize] = 0;
        let superblock = slot / (self.data_blocks + self.log_blocks);
        let is_log = self.logs(superblock).contains(&slot);
        let directory = self.last_written[superblock as usize].get();
        if directory.is_some_and(|ppn| flash.geometry().block_of(ppn) == pbn) {
            self.last_written[superblock as usize] = Mapping::default();
        }
        let kind = if is_log { BlockKind::Log } else { BlockKind::Data };
        flash.erase(pbn, kind, Cause::GcData);
        self.free.give(pbn, flash);
    }

    /// Notes the number of log blocks of a superblock.
    pub(super) fn count_logs(&mut self, superblock: u32) {
        let now =
            self.logs(superblock).filter(|slot| self.block_in(*slot).is_some()).count() as u32;
        let before = std::mem::replace(&mut self.logs_of[superblock as usize], now as u8);
        let in_use = self.logs_in_use + now - u32::from(before);
        self.logs_in_use = unless_bug!(FoldLeaksLogs, in_use, in_use.max(self.logs_in_use));
        match (before, now) {
            (0, 1..) => self.links.push_front(&mut self.recency, superblock),
            (1.., 0) => self.links.remove(&mut self.recency, superblock),
            _ => {}
        }
    }
}
