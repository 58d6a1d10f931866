//! The RAM above the FTL: serves the host from it, and hands what leaves to the FTL.
//!
//! A write that finds no room waits until a group has been written, as does a read whose page is
//! kept. A page read from RAM needs no flash operation.

use super::WriteBuffer;
use crate::device::DeviceConfig;
use crate::figures::figures;
use crate::flash::{Cause, Device, Flash, Geometry, Ledger, Operation};
use crate::ftl::parts::held_pages::{BufferCounts, HeldPages};
use crate::ftl::{self, Access, Ftl};
use crate::partial::{Cover, Incomplete};
use crate::request::{Flags, Op};
use crate::units::Lpn;

/// A write buffer in use.
#[derive(Clone, Debug)]
pub struct BufferManager {
    policy: Box<dyn WriteBuffer>,
    held: HeldPages,
    incomplete: Incomplete,
    bytes: u64,
    /// Whether pages are separated below: a group is then written in runs that the host labels
    /// alike.
    is_separated: bool,
    risk: Risk,
    misses: Vec<Lpn>,
    group: Vec<Lpn>,
    padding: Vec<Lpn>,
}

/// Pages that a power failure would lose, as each request left them.
#[derive(Clone, Copy, Debug, Default)]
struct Risk {
    requests: u64,
    sum: u64,
    most: u64,
}

figures! {
    /// What was still in RAM when measuring ended, and what it cost to write it (choices.md#buffer-end).
    #[derive(Copy, PartialEq)]
    pub struct FlushedAtEnd {
        /// Groups given to the FTL.
        groups: u64, unit "groups";
        /// Pages programmed for the host.
        pages: u64, unit "pages";
        /// Pages programmed in all.
        programs: u64, unit "pages";
        /// Blocks erased.
        erases: u64, unit "blocks";
        /// Time from the first flash operation to the last.
        time_us: f64, unit "us";
    }
}

impl FlushedAtEnd {
    /// Measures what `flush` costs on an idle device; `flush` returns the groups and pages that it
    /// wrote.
    pub fn measure(flash: &mut Device, flush: impl FnOnce(&mut Flash) -> (u64, u64)) -> Self {
        let ledger = flash.ledger().clone();
        let idle = flash.timeline().idle_at();
        flash.timeline_mut().issue(idle);
        let (groups, pages) = flush(flash);
        let since = |count: fn(&Ledger) -> u64| count(flash.ledger()) - count(&ledger);
        FlushedAtEnd {
            groups,
            pages,
            programs: since(Ledger::pages_programmed),
            erases: since(|ledger| ledger.total(Operation::Erase)),
            time_us: (flash.timeline().served().end - idle) as f64 / 1e3,
        }
    }

    /// Two flushes, one after the other.
    #[must_use]
    pub fn plus(self, other: FlushedAtEnd) -> Self {
        FlushedAtEnd {
            groups: self.groups + other.groups,
            pages: self.pages + other.pages,
            programs: self.programs + other.programs,
            erases: self.erases + other.erases,
            time_us: self.time_us + other.time_us,
        }
    }
}

impl BufferManager {
    /// An empty buffer of `bytes` bytes above an FTL that may keep writes in RAM, too.
    #[must_use]
    pub fn new(
        policy: Box<dyn WriteBuffer>,
        bytes: u64,
        device: &DeviceConfig,
        geometry: &Geometry,
        ftl_keeps_writes: bool,
        is_separated: bool,
    ) -> Self {
        let held = HeldPages::new(geometry.logical_pages);
        BufferManager {
            policy,
            held: if ftl_keeps_writes { held.above_a_buffer() } else { held },
            incomplete: Incomplete::new(device),
            bytes,
            is_separated,
            risk: Risk::default(),
            misses: Vec::new(),
            group: Vec::new(),
            padding: Vec::new(),
        }
    }

    /// The same, above a device on which only these logical pages hold data.
    #[must_use]
    pub fn resumed(mut self, holds_data: impl Fn(Lpn) -> bool) -> Self {
        self.held.resume(holds_data);
        self
    }

    /// Serves the pages of a host request, which touches the sectors given by `cover`.
    pub fn serve(
        &mut self,
        access: Access<'_>,
        cover: Cover,
        ftl: &mut dyn Ftl,
        flash: &mut Flash,
    ) {
        let pages = access.pages;
        // What the host wrote before and is still in RAM goes to the new unit.
        if access.meta.flags.contains(Flags::UPDATE) {
            ftl.update_handle(access.meta, flash);
        }
        let access = Access { meta: access.meta.without_update(), ..access };
        match access.op {
            Op::Read => self.read(access, cover, ftl, flash),
            Op::Write => self.write(access, cover, ftl, flash),
            Op::Trim => self.trim(access, ftl, flash),
            Op::Flush => self.flush(ftl, flash),
            Op::WriteThrough => {
                self.write(access, cover, ftl, flash);
                unless_bug!(BufferKeepsFua, self.flush_pages(pages, ftl, flash));
            }
        }
        let at_risk = self.counts().dirty + u64::from(ftl.pages_in_ram());
        self.risk.requests += 1;
        self.risk.sum += at_risk;
        self.risk.most = self.risk.most.max(at_risk);
    }

    fn write(&mut self, access: Access<'_>, cover: Cover, ftl: &mut dyn Ftl, flash: &mut Flash) {
        for &lpn in access.pages {
            if self.held.holds(lpn) {
                self.policy.touch(lpn, Op::Write);
                self.incomplete.rewrite(lpn, cover);
            } else {
                self.admit(lpn, Op::Write, ftl, flash);
                if self.held.is_on_flash(lpn) {
                    self.incomplete.write_over(lpn, cover);
                }
            }
            self.held.write(lpn, access.meta);
        }
    }

    /// Looks for all pages before it reads those that are missing and keeps them (choices.md#buffer-requests).
    fn read(&mut self, access: Access<'_>, cover: Cover, ftl: &mut dyn Ftl, flash: &mut Flash) {
        let mut misses = std::mem::take(&mut self.misses);
        misses.clear();
        for &lpn in access.pages {
            if !self.held.holds(lpn) {
                self.held.read_through(lpn);
                misses.push(lpn);
                continue;
            }
            self.policy.touch(lpn, Op::Read);
            if self.incomplete.lacks(lpn, cover) {
                self.held.read_both(lpn);
                self.incomplete.forget(lpn);
                misses.push(lpn);
            } else {
                self.held.read(lpn);
            }
        }
        if !misses.is_empty() {
            Access { pages: &misses, ..access }.serve(ftl, flash);
        }
        if self.policy.keeps_reads() {
            misses.retain(|lpn| !self.held.holds(*lpn));
            for &lpn in &misses {
                self.admit(lpn, Op::Read, ftl, flash);
                self.held.keep(lpn);
            }
        }
        self.misses = misses;
    }

    fn trim(&mut self, access: Access<'_>, ftl: &mut dyn Ftl, flash: &mut Flash) {
        for &lpn in access.pages {
            if self.held.holds(lpn) {
                unless_bug!(BufferTrimmedStaysInOrder, self.policy.remove(lpn));
            }
            self.held.trim(lpn);
            self.incomplete.forget(lpn);
        }
        access.serve(ftl, flash);
    }

    /// Writes all that is dirty, in the order in which it would leave (choices.md#flush-order).
    fn flush(&mut self, ftl: &mut dyn Ftl, flash: &mut Flash) {
        unless_bug!(BufferFlushesNone, self.evict_all(ftl, flash));
        ftl::access(ftl, Op::Flush, &[], flash);
    }

    fn evict_all(&mut self, ftl: &mut dyn Ftl, flash: &mut Flash) {
        while self.counts().dirty > 0 {
            self.evict(ftl, flash);
        }
    }

    /// Writes those of these pages that are dirty.
    fn flush_pages(&mut self, pages: &[Lpn], ftl: &mut dyn Ftl, flash: &mut Flash) {
        self.group.clear();
        self.group.extend(pages.iter().filter(|lpn| self.held.is_dirty(**lpn)));
        if !self.group.is_empty() {
            self.group.iter().for_each(|lpn| self.policy.remove(*lpn));
            self.incomplete.before_write(&self.group, ftl, flash);
            self.write_group(ftl, flash);
        }
        ftl::access(ftl, Op::Flush, pages, flash);
    }

    fn write_group(&mut self, ftl: &mut dyn Ftl, flash: &mut Flash) {
        let apart = self.is_separated || ftl.hears_attributes();
        self.held.flush(&self.group, apart, flash, |access, flash| access.serve(ftl, flash));
        flash.end_cause();
    }

    fn admit(&mut self, lpn: Lpn, op: Op, ftl: &mut dyn Ftl, flash: &mut Flash) {
        while !self.policy.has_room() {
            self.evict(ftl, flash);
        }
        self.policy.insert(lpn, op);
    }

    /// Writes what leaves next, if that is dirty.
    fn evict(&mut self, ftl: &mut dyn Ftl, flash: &mut Flash) {
        self.group.clear();
        let mut cost = |group: &[Lpn]| ftl.cost_of_writing(group, flash).unwrap_or(0);
        self.policy.evict_by_cost(&mut cost, &mut self.group);
        let held = &mut self.held;
        self.group.retain(|lpn| {
            let dirty = held.is_dirty(*lpn);
            if !dirty {
                held.drop_clean(*lpn);
            }
            dirty
        });
        if self.group.is_empty() {
            return;
        }
        self.group.sort_unstable();
        self.incomplete.before_write(&self.group, ftl, flash);
        if self.policy.pads() {
            self.pad(ftl, flash);
        }
        self.write_group(ftl, flash);
    }

    /// Reads the pages of a block that are missing in the group, and adds them. Pages that were never
    /// written are not there to be read.
    fn pad(&mut self, ftl: &mut dyn Ftl, flash: &mut Flash) {
        let geometry = flash.geometry();
        let lbn = geometry.logical_block_of(self.group[0]);
        let missing = |lpn: &Lpn| {
            let is_absent = unless_bug!(BplruPadsOverHeld, !self.held.holds(*lpn), true);
            is_absent && self.held.is_on_flash(*lpn)
        };
        self.padding.clear();
        self.padding.extend(geometry.logical_pages_of(lbn).filter(missing));
        if !self.padding.is_empty() {
            let padding = &self.padding;
            let read = |flash: &mut Flash| ftl::access(ftl, Op::Read, padding, flash);
            flash.read_first(Cause::Padding, padding, read);
            self.group.extend(&self.padding);
            self.group.sort_unstable();
        }
    }

    /// Writes everything that is still in RAM, on an idle device.
    pub fn drain(&mut self, ftl: &mut dyn Ftl, device: &mut Device) -> FlushedAtEnd {
        let before = self.counts();
        FlushedAtEnd::measure(device, |flash| {
            while !self.policy.is_empty() {
                self.evict(ftl, flash);
            }
            self.counts().since(before)
        })
    }

    /// What became of the pages since measuring started.
    #[must_use]
    pub const fn counts(&self) -> BufferCounts {
        BufferCounts { completed_pages: self.incomplete.completed(), ..self.held.counts() }
    }

    /// RAM for pages, bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Mean and largest number of pages that a power failure loses, as each request left them:
    /// here, and in the RAM that the FTL cleans with.
    #[must_use]
    pub fn pages_at_risk(&self) -> (f64, u64) {
        (self.risk.sum as f64 / self.risk.requests.max(1) as f64, self.risk.most)
    }

    /// Resets the counts; what is in RAM remains.
    pub fn reset_counts(&mut self) {
        self.held.reset_counts();
        self.incomplete.reset_count();
        self.risk = Risk::default();
    }

    /// Recomputes every invariant.
    ///
    /// # Panics
    /// When a page was lost, or the order of replacement does not match the pages in RAM.
    pub fn audit(&self, device: &Device) {
        self.policy.audit();
        self.incomplete.audit(|lpn| self.held.is_dirty(lpn) && self.held.is_on_flash(lpn));
        assert_eq!(self.held.audit(device), self.policy.len(), "pages in RAM");
    }
}

#[cfg(test)]
mod tests;
