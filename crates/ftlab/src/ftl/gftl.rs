//! GFTL (Choudhuri & Givargis, CODES+ISSS 2008): bounds on the time of each access, by cleaning blocks
//! in steps.
//!
//! Idea     a logical block has one block, written page after page. A full block waits in a queue
//!          to be cleaned. Meanwhile its pages go to a write buffer of blocks that all logical
//!          blocks share. Each page access is followed by one step of cleaning, for the logical
//!          block at the head of the queue. A step copies a few pages to a fresh block, or erases a
//!          block, in at most T_e.
//! RAM      a block number for each logical block, and one in the queue; the page map of the buffer.
//! Reads    a page in the buffer is found in RAM. For any other, OOB reads search its block
//!          backwards from the page written last. The first version found is the newest.
//! Bounds   write T_w + T_e, read T_r + 2 P T_oob + T_e, as long as the buffer does not overflow.
//!          With k copies in a step, a queue of all logical blocks needs about 1 / k of the data
//!          blocks as a buffer. That is 16 % on the SLC of GFTL's paper, and all of them where k =
//!          1 as in MNFTL's. An overflow causes more steps at once, which are counted
//!          (`gftl.forced_steps`).
//! Grade    queue, 16 % and triggers are stated (MNFTL 1, 5.2). The search is derived from its
//!          Table 2. The order of steps is assumed (choices.md#gftl-search, choices.md#gftl-steps).
//!          The valid pages of a block are read from their OOBs, as many in a step as fit into T_e
//!          (choices.md#gftl-cleaning). Where power may be cut, the old block is erased before
//!          pages of the buffer join its copies (choices.md#gftl-power).
//! Departs  a read in a logical block without any block is charged for a block filled in order.
//! Not here the map of trimmed pages: a trim is forgotten when power is lost.

mod buffer;
mod mount;
#[cfg(test)]
mod tests;

use super::parts::oob_map::bytes_of_number;
use super::parts::page_map::PageMap;
use super::{Access, Ftl, FtlMetrics, RamUse};
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Geometry, Owner};
use crate::ftl::design::{Design, Mount, POWER_SAFE, Setup, Spec};
use crate::placement::free_blocks::FreeBlocks;
use crate::units::{Lbn, Lpn, Nanos, Pbn, Ppn, Ratio};
use buffer::WriteBuffer;
use std::collections::{BTreeMap, VecDeque};

crate::settings! {
    /// GFTL's own parameters.
    pub struct GftlConfig in "gftl" {
        /// Write buffer as a share of the logical blocks.
        buffer: Option<Ratio> = None, absent "16%, or what the device has", in 0.0..=10.0,
            laws [None, Some(Ratio(0.0)), Some(Ratio(0.3)), Some(Ratio(1.5))],
            source "MNFTL 5.2; choices.md#gftl-buffer";
    }
}

/// The buffer of GFTL's paper.
const BUFFER: f64 = 0.16;

impl GftlConfig {
    /// Blocks of the write buffer, on a device that keeps one free to clean into.
    fn blocks(&self, geometry: &Geometry) -> Result<u32, Error> {
        let logical = geometry.logical_blocks();
        let spare = geometry.blocks() - logical;
        let share = |ratio: f64| (f64::from(logical) * ratio).ceil().max(1.0) as u32;
        let wanted = match self.buffer {
            Some(Ratio(ratio)) => share(ratio),
            None => share(BUFFER).min(spare.saturating_sub(1).max(1)),
        };
        if spare > wanted {
            return Ok(wanted);
        }
        let message = format!(
            "found {} physical blocks for {logical} logical, expected at least {} for a write buffer of \
             {wanted} and one to clean into",
            geometry.blocks(),
            u64::from(logical) + u64::from(wanted) + 1
        );
        unless_bug!(
            GftlNoneToCleanInto,
            Err(geometry.too_few_blocks(&message, " or lower gftl.buffer")),
            Ok(wanted)
        )
    }
}

/// The logical block that is being cleaned.
#[derive(Clone, Copy, Debug)]
struct Cleaning {
    lbn: Lbn,
    from: Pbn,
    /// Taken when the first page is copied.
    to: Option<Pbn>,
    /// Pages of `from` whose OOBs were read.
    looked: u32,
}

impl Cleaning {
    fn has_seen_all(self, flash: &Flash) -> bool {
        self.looked == flash.programmed_in(self.from)
    }
}

/// GFTL.
#[derive(Clone, Debug)]
pub struct Gftl {
    newest: PageMap,
    /// The block of each logical block. During cleaning it is the old one.
    blocks: Vec<u32>,
    queued: Vec<bool>,
    queue: VecDeque<Lbn>,
    cleaning: Option<Cleaning>,
    buffer: WriteBuffer,
    free: FreeBlocks,
    pace: Pace,
    oob_bytes: u32,
    table_bytes: u64,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    steps: u64,
    forced_steps: u64,
    most_steps: u64,
    cleaned: u64,
}

impl Design for Gftl {
    type Settings = GftlConfig;

    const SPEC: Spec = Spec {
        name: "gftl",
        title: "GFTL",
        summary: "one block for each logical block, cleaned step by step between requests; a write buffer",
        source: "Choudhuri & Givargis, CODES+ISSS 2008",
        obeys: &[POWER_SAFE],
        ..Spec::IN_OOBS
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<GftlConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let geometry = flash.geometry();
        let buffer_blocks = setup.own.blocks(geometry)?;
        let page = bytes_of_number(geometry.pages());
        flash.expect_oob(page, "the number of the logical page")?;
        let block = u64::from(bytes_of_number(geometry.blocks()));
        let logical = geometry.logical_blocks();
        let pages = u64::from(buffer_blocks) * u64::from(geometry.pages_per_block);
        Ok(Gftl {
            newest: PageMap::new(geometry.logical_pages),
            blocks: vec![0; logical as usize],
            queued: vec![false; logical as usize],
            queue: VecDeque::new(),
            cleaning: None,
            buffer: WriteBuffer::new(buffer_blocks, geometry),
            free: FreeBlocks::all(geometry),
            pace: Pace::of(&setup.device),
            oob_bytes: page,
            table_bytes: 2 * block * u64::from(logical) + pages * u64::from(page),
            counts: Counts::default(),
        })
    }
}

impl Ftl for Gftl {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let newest = self.newest.get(lpn);
            if !newest.is_some_and(|ppn| self.buffer.holds(ppn, flash)) {
                self.search(lpn, newest, flash);
            }
            flash.host_read(lpn, newest);
            self.step_once(flash, 0);
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let lbn = flash.geometry().logical_block_of(lpn);
            let mut forced = 0;
            let to = loop {
                match self.place(lbn, flash) {
                    Some(to) => break to,
                    None => {
                        assert!(self.step(flash), "a full buffer is cleaned by cleaning its owners")
                    }
                }
                forced += 1;
            };
            flash.program_oob(to, Owner::Data(lpn), self.oob_bytes, Cause::Host, || None);
            self.remap(lpn, Some(to), flash);
            if self.is_full(lbn, flash) && !self.queued[lbn.index()] {
                self.enqueue(lbn);
            }
            self.counts.forced_steps += forced;
            self.step_once(flash, forced);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.remap(lpn, None, flash);
            flash.trim(lpn);
        }
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.newest.get(lpn)
    }

    fn ram(&self) -> RamUse {
        RamUse { tables: self.table_bytes, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        let own = BTreeMap::from([
            ("gftl.buffer_blocks", u64::from(self.buffer.most_blocks())),
            ("gftl.copies_per_step", u64::from(self.pace.copies())),
            ("gftl.steps", self.counts.steps),
            ("gftl.forced_steps", self.counts.forced_steps),
            ("gftl.most_steps", self.counts.most_steps),
            ("gftl.blocks_cleaned", self.counts.cleaned),
        ]);
        FtlMetrics { own, ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.counts = Counts::default();
    }

    fn audit(&self, device: &Device) {
        device.audit();
        self.audit_pages(device);
        self.audit_blocks(device);
    }
}

/// The work that fits into a step, which takes no longer than an erase; times in ns.
#[derive(Clone, Copy, Debug)]
struct Pace {
    step: Nanos,
    oob: Nanos,
    copy: Nanos,
}

impl Pace {
    fn of(device: &DeviceConfig) -> Self {
        let transfers = 2 * device.transfer_per_byte.0 * device.page.0;
        let copy = device.read.0 + device.program.0 + transfers;
        Pace { step: device.erase.0, oob: device.oob_read.0, copy }
    }

    /// Copies of a step, at least one.
    fn copies(self) -> u32 {
        self.step.checked_div(self.copy).map_or(1, |copies| copies.clamp(1, 4096)) as u32
    }

    /// OOB reads of a step, at least one.
    fn oobs(self) -> u32 {
        let oobs = self.step.checked_div(self.oob).unwrap_or(Nanos::MAX);
        oobs.clamp(1, u64::from(u32::MAX)) as u32
    }

    /// Copies that fit into a step after `looking` ns of OOB reads; `told_all` if these have found
    /// all valid pages.
    fn copies_after(self, looking: Nanos, told_all: bool) -> u32 {
        match (looking, told_all) {
            (_, false) => 0,
            (0, true) => self.copies(),
            (_, true) => {
                let left = self.step.saturating_sub(looking).checked_div(self.copy);
                left.map_or(1, |copies| copies.min(4096)) as u32
            }
        }
    }
}

impl Gftl {
    /// The next page for a logical block. `None` when it would be in the buffer, which is full.
    fn place(&mut self, lbn: Lbn, flash: &Flash) -> Option<Ppn> {
        if !self.queued[lbn.index()] {
            if self.blocks[lbn.index()] == 0 {
                self.blocks[lbn.index()] = self.take().0 + 1;
            }
            if !self.is_full(lbn, flash) {
                return self.block(lbn).map(|pbn| flash.next_page(pbn));
            }
            self.enqueue(lbn);
        }
        self.buffer.next_page(&mut self.free, flash)
    }

    fn block(&self, lbn: Lbn) -> Option<Pbn> {
        self.blocks[lbn.index()].checked_sub(1).map(Pbn)
    }

    fn is_full(&self, lbn: Lbn, flash: &Flash) -> bool {
        self.block(lbn).is_some_and(|pbn| flash.is_full(pbn))
    }

    fn take(&mut self) -> Pbn {
        self.free.take().expect("a block is kept for each logical block, and one to clean into")
    }

    fn enqueue(&mut self, lbn: Lbn) {
        self.queued[lbn.index()] = true;
        self.queue.push_back(lbn);
    }

    /// Sets where a page is, and invalidates its old version.
    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        let lbn = flash.geometry().logical_block_of(lpn);
        if let Some(old) = self.newest.replace(lpn, new) {
            flash.invalidate(old);
            self.buffer.drop_page(lbn, old, flash);
        }
        if let Some(new) = new {
            self.buffer.keep_page(lbn, new, flash);
        }
    }

    /// The step of a page access that has taken `before` steps already.
    fn step_once(&mut self, flash: &mut Flash, before: u64) {
        let steps = before + u64::from(self.step(flash));
        self.counts.most_steps = self.counts.most_steps.max(steps);
    }

    /// Takes one step of cleaning, no longer than an erase. A dead block of the buffer is erased
    /// first. Otherwise the OOBs of the old block are read and a few pages copied. When none are
    /// left, the old block is erased. Returns whether there was work.
    fn step(&mut self, flash: &mut Flash) -> bool {
        if let Some(dead) = self.buffer.take_dead() {
            flash.erase(dead, BlockKind::Log, Cause::GcData);
            self.free.give(dead, flash);
        } else if let Some(lbn) = self.with_room(flash) {
            self.collect_buffered(lbn, flash);
        } else {
            let Some(mut cleaning) = self.cleaning.or_else(|| self.begin()) else { return false };
            let looking = self.look_at_pages(&mut cleaning, flash);
            let copies = self.pace.copies_after(looking, cleaning.has_seen_all(flash));
            if self.copy_some(&mut cleaning, copies, flash) || looking > 0 {
                self.cleaning = Some(cleaning);
            } else {
                self.finish(cleaning, flash);
            }
        }
        self.counts.steps += 1;
        true
    }

    fn begin(&self) -> Option<Cleaning> {
        let lbn = *self.queue.front()?;
        self.block(lbn).map(|from| Cleaning { lbn, from, to: None, looked: 0 })
    }

    /// Reads OOBs of the old block to find its valid pages, as many as fit into a step. Returns the
    /// time that this takes, ns.
    fn look_at_pages(&self, cleaning: &mut Cleaning, flash: &mut Flash) -> Nanos {
        let unseen = flash.programmed_in(cleaning.from) - cleaning.looked;
        let count = unseen.min(self.pace.oobs());
        let first = flash.geometry().page_at(cleaning.from, cleaning.looked);
        flash.scan_oob(first, count, Cause::GcData);
        cleaning.looked += count;
        u64::from(count) * self.pace.oob
    }

    /// Copies at most `most` pages of the old block, then of those in the buffer. Returns false
    /// when none was left or the new block is full.
    fn copy_some(&mut self, cleaning: &mut Cleaning, most: u32, flash: &mut Flash) -> bool {
        for copied in 0..most {
            let in_block = flash.valid_pages(cleaning.from).next(flash);
            let in_buffer = || {
                // choices.md#gftl-power
                self.buffer.oldest(cleaning.lbn, flash).filter(|_| !flash.may_lose_power())
            };
            let from = unless_bug!(GftlForgetsBuffered, in_block.or_else(in_buffer), in_block);
            let Some(from) = from else { return copied > 0 };
            let to = *cleaning
                .to
                .get_or_insert_with(|| self.free.take().expect("one block is kept to clean into"));
            if flash.is_full(to) {
                return copied > 0;
            }
            self.copy(cleaning.lbn, from, flash.next_page(to), flash);
        }
        true
    }

    fn copy(&mut self, lbn: Lbn, from: Ppn, to: Ppn, flash: &mut Flash) {
        let owner = flash.relocate_oob(from, to, self.oob_bytes, Cause::GcData, |_| None);
        if let Owner::Data(lpn) = owner {
            self.newest.replace(lpn, Some(to));
        }
        self.buffer.drop_page(lbn, from, flash);
    }

    /// The logical block at the head of the queue, if its old block is already erased and its block
    /// has room for buffered pages. This occurs only where power may be cut.
    fn with_room(&self, flash: &Flash) -> Option<Lbn> {
        let lbn = *self.queue.front().filter(|_| flash.may_lose_power())?;
        (self.cleaning.is_none() && !self.is_full(lbn, flash)).then_some(lbn)
    }

    /// Copies a few pages from the buffer to the block of their logical block. It leaves the queue
    /// when the buffer has no more of its pages, or its block is full.
    fn collect_buffered(&mut self, lbn: Lbn, flash: &mut Flash) {
        for _ in 0..self.pace.copies() {
            let Some(from) = self.buffer.oldest(lbn, flash) else { break };
            let home = self.block(lbn).unwrap_or_else(|| self.take());
            self.blocks[lbn.index()] = home.0 + 1;
            self.copy(lbn, from, flash.next_page(home), flash);
            if self.is_full(lbn, flash) {
                break;
            }
        }
        if self.is_full(lbn, flash) || self.buffer.oldest(lbn, flash).is_none() {
            self.leave_queue(flash);
        }
    }

    /// Erases the old block. Pages still in the buffer wait for the next turn.
    fn finish(&mut self, cleaning: Cleaning, flash: &mut Flash) {
        let Cleaning { lbn, from, to, .. } = cleaning;
        flash.erase(from, BlockKind::Data, Cause::GcData);
        self.free.give(from, flash);
        self.blocks[lbn.index()] = to.map_or(0, |pbn| pbn.0 + 1);
        self.cleaning = None;
        self.leave_queue(flash);
        self.counts.cleaned += 1;
    }

    /// Takes the logical block at the head off the queue. It joins the end again if the buffer
    /// still has some of its pages.
    fn leave_queue(&mut self, flash: &Flash) {
        let lbn = self.queue.pop_front().expect("a logical block that is cleaned");
        self.queued[lbn.index()] = false;
        if self.buffer.oldest(lbn, flash).is_some() {
            unless_bug!(GftlQueuesNoMore, self.enqueue(lbn));
        }
    }

    /// The OOB reads that find a page, or fail to. They search the block that is cleaned into, then
    /// the old one. Without any block, a block filled in order is charged for (MNFTL, Table 2).
    fn search(&self, lpn: Lpn, newest: Option<Ppn>, flash: &mut Flash) {
        let geometry = flash.geometry();
        let lbn = geometry.logical_block_of(lpn);
        let Some(block) = self.block(lbn) else {
            return flash.search_in_vain(lpn, geometry.offset_of(lpn) + 1);
        };
        let target = self.cleaning.filter(|cleaning| cleaning.lbn == lbn).and_then(|c| c.to);
        for pbn in target.into_iter().chain([block]) {
            let first = flash.geometry().first_page(pbn).0;
            let found = newest.filter(|ppn| flash.geometry().block_of(*ppn) == pbn);
            let last_read = found.map_or(first, |ppn| ppn.0);
            let end = first + flash.programmed_in(pbn);
            flash.scan_oob(Ppn(last_read), end - last_read, Cause::Host);
            if found.is_some() {
                return;
            }
        }
    }

    fn audit_pages(&self, device: &Device) {
        let geometry = device.geometry();
        device.audit_map(0..geometry.logical_pages, |lpn| self.newest.get(lpn));
        for lpn in (0..geometry.logical_pages).map(Lpn) {
            let Some(ppn) = self.newest.get(lpn) else { continue };
            let lbn = geometry.logical_block_of(lpn);
            let pbn = geometry.block_of(ppn);
            if self.buffer.holds(ppn, device) {
                assert!(self.queued[lbn.index()], "{lpn} is in the buffer, its block not queued");
            } else {
                let cleaned_into = self.cleaning.filter(|c| c.lbn == lbn).and_then(|c| c.to);
                let home = self.block(lbn) == Some(pbn) || cleaned_into == Some(pbn);
                assert!(home, "{lpn} is in block {pbn}, neither its own nor of the buffer");
            }
        }
    }

    fn audit_blocks(&self, device: &Device) {
        let data = self.blocks.iter().filter(|block| **block != 0).count() as u32;
        let target = u32::from(self.cleaning.is_some_and(|cleaning| cleaning.to.is_some()));
        let used = data + target + self.buffer.blocks();
        assert_eq!(used + self.free.len(), device.geometry().blocks(), "data, buffer, free blocks");
        let queued = self.queued.iter().filter(|queued| **queued).count();
        assert_eq!(queued, self.queue.len(), "logical blocks in the queue");
        assert!(self.queue.iter().all(|lbn| self.queued[lbn.index()]), "queue");
        let head = self.cleaning.map(|cleaning| cleaning.lbn);
        assert!(head.is_none() || head == self.queue.front().copied(), "the head is cleaned");
        self.buffer.audit(&self.newest, device);
    }
}
