//! The whole emulated device: the commands for the FTL, and the instruments that only an experiment sees.

use super::asked::Asked;
use super::persistence::Checkpoints;
use super::{Cause, Content, Flash, Ledger, Loaded, Operation, Owner};
use crate::device::{DeviceConfig, ProgramOrder};
use crate::engine::{Log, Timeline};
use crate::error::Error;
use crate::units::{Lpn, Nanos, Pbn, Ppn};
use std::fmt;
use std::ops::{Deref, DerefMut, Range};

/// A device under measurement. It lends an FTL its [`Flash`] and keeps the instruments.
pub struct Device {
    pub(super) flash: Flash,
}

impl Clone for Device {
    fn clone(&self) -> Self {
        Device { flash: self.flash.twin() }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flash { medium, truth, meter, regions, wear, persistence, .. } = &self.flash;
        let mut parts = f.debug_struct("Device");
        parts.field("medium", medium).field("truth", truth).field("meter", meter);
        parts
            .field("regions", regions)
            .field("wear", wear)
            .field("persistence", persistence)
            .finish()
    }
}

impl Deref for Device {
    type Target = Flash;
    #[inline(always)]
    fn deref(&self) -> &Flash {
        &self.flash
    }
}

impl DerefMut for Device {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Flash {
        &mut self.flash
    }
}

impl Device {
    /// An erased device that holds `capacity` bytes of logical address space.
    ///
    /// # Errors
    /// [`Error::Config`] when a setting is out of range or the geometry is impossible.
    pub fn new(device: &DeviceConfig, capacity: u64) -> Result<Self, Error> {
        Ok(Device { flash: Flash::new(device, capacity)? })
    }

    /// Has the FTL wait for a host: from now on it serves only what the host requests.
    pub(crate) fn await_host(&mut self) {
        self.flash.truth.asked = Asked::nothing();
    }

    /// Stops comparing versions, for benchmarks only. The rules of NAND are still checked.
    pub const fn skip_verification(&mut self) {
        self.flash.truth.verify = false;
    }

    /// Whether versions are compared.
    #[must_use]
    pub const fn verifies(&self) -> bool {
        self.flash.truth.verify
    }

    /// Counts since measuring started.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.flash.meter.ledger
    }

    /// For each plane, the operations whose cause [serves](Cause::serves) requests, since measuring
    /// started.
    #[must_use]
    pub fn serving_operations(&self) -> &[u64] {
        &self.flash.meter.serving
    }

    /// The clock.
    #[must_use]
    pub const fn timeline(&self) -> &Timeline {
        &self.flash.meter.timeline
    }

    /// The clock, for the host.
    #[inline]
    pub const fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.flash.meter.timeline
    }

    /// Whether a policy or a placement has asked for a time.
    pub(crate) fn used_times(&self) -> bool {
        self.flash.meter.used_times.is_set()
    }

    /// The most pages of the host that the FTL has had in its own RAM at a time.
    #[must_use]
    pub const fn most_pages_kept(&self) -> usize {
        self.flash.truth.asked.most_kept()
    }

    /// Host page reads whose version was compared, since measuring started.
    #[must_use]
    pub const fn reads_verified(&self) -> u64 {
        self.flash.truth.reads_verified
    }

    /// Host page reads of pages that hold no data, since measuring started.
    #[must_use]
    pub const fn unwritten_reads(&self) -> u64 {
        self.flash.truth.unwritten_reads
    }

    /// Commands whose rules were checked, since measuring started.
    #[must_use]
    pub fn rules_checked(&self) -> u64 {
        let operations = Operation::ALL.iter().map(|operation| self.ledger().total(*operation));
        self.flash.meter.invalidations + operations.sum::<u64>()
    }

    /// Pages loaded into RAM minus pages stored from RAM, since measuring started. The difference
    /// is still in RAM or was superseded there. It is negative when pages loaded earlier have been
    /// stored.
    #[must_use]
    pub const fn loads_not_stored(&self, cause: Cause) -> i64 {
        self.flash.meter.not_stored[cause as usize]
    }

    /// Sets all counts to zero and the clock to an idle device at time 0; the pages remain.
    pub fn start_measuring(&mut self) {
        self.flash.meter.reset();
        self.flash.persistence.checkpoints.iter_mut().for_each(Checkpoints::restart);
        self.flash.truth.reset_counts();
    }

    /// Resets the clock to an idle device at time 0 and logs operations from then on.
    pub fn start_log(&mut self, device: &DeviceConfig, log: Log) {
        self.flash.meter.timeline.start_log(device, &self.flash.medium.geometry, log);
    }

    /// Array times of reading and of programming a page, ns; `None` when all pages are alike.
    #[must_use]
    pub fn page_times(&self, ppn: Ppn) -> Option<(Nanos, Nanos)> {
        self.flash.medium.cells.as_ref().map(|_| self.flash.times_of(ppn))
    }

    /// The order in which the pages of a block may be programmed.
    #[must_use]
    pub const fn program_order(&self) -> ProgramOrder {
        self.flash.medium.order
    }

    /// What a page holds, for audits. An FTL has to read the page or its OOB instead.
    #[must_use]
    pub fn audit_owner(&self, ppn: Ppn) -> Option<Owner> {
        self.flash.medium.owner(ppn)
    }

    /// The part of a map in the OOB of a page, where it is [noted](Device::remember).
    #[must_use]
    pub fn audit_oob(&self, ppn: Ppn) -> Option<&Content> {
        self.flash.oob_content(ppn)
    }

    /// Whether a logical page holds data. It is known only [with verification](Device::verifies).
    #[must_use]
    pub fn audit_holds_data(&self, lpn: Lpn) -> bool {
        self.flash.truth.holds_data(lpn)
    }

    /// Logical pages that the host has written since the device was new. Known only [with
    /// verification](Device::verifies).
    #[must_use]
    pub fn written_pages(&self) -> Option<u64> {
        self.flash.truth.written_pages()
    }

    /// Recomputes every invariant of the device from the page states.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn audit(&self) {
        self.audit_with(std::iter::empty());
    }

    /// [`Device::audit`] while the pages `in_ram` are valid only in RAM.
    ///
    /// # Panics
    /// As [`Device::audit`], and when one of `in_ram` is stale or also valid on flash.
    pub fn audit_with<'a>(&self, in_ram: impl Iterator<Item = &'a Loaded>) {
        let (medium, truth) = (&self.flash.medium, &self.flash.truth);
        let mut seen = vec![false; medium.geometry.logical_pages as usize];
        for page in in_ram {
            if let Owner::Data(lpn) = medium.owner_of(page) {
                self.flash.check_loaded(lpn, page);
                seen[lpn.index()] = true;
            }
        }
        for number in 0..medium.geometry.blocks() {
            let pbn = Pbn(number);
            let block = medium.blocks[pbn.index()];
            let first = medium.geometry.first_page(pbn);
            let pages = medium.geometry.pages_per_block as usize;
            let owners = &medium.owners[first.index()..][..pages];
            let written = owners.iter().map(|owner| u16::from(*owner != 0)).sum::<u16>();
            let per_block = medium.valid_words_per_block;
            let words = (0..).zip(&medium.valid[per_block * pbn.index()..][..per_block]);
            let mut valid = 0;
            for (word, bits) in words.filter(|(_, bits)| **bits != 0) {
                for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                    valid += 1;
                    self.audit_valid_page(Ppn(first.0 + 64 * word + bit), &mut seen);
                }
            }
            assert_eq!((written, valid), (block.written, block.valid), "counts of block {pbn}");
        }
        if let Some(loss) = &truth.loss {
            return self.audit_loss(loss);
        }
        let lost = (0..).map(Lpn).zip(&seen).find(|(lpn, seen)| **seen != truth.holds_data(*lpn));
        let Some((lpn, seen)) = lost.filter(|_| truth.verify) else { return };
        match seen {
            true => panic!("logical page {lpn} holds no data but has a valid copy"),
            false => panic!("logical page {lpn} holds data but has no valid copy"),
        }
    }

    fn audit_valid_page(&self, ppn: Ppn, seen: &mut [bool]) {
        match self.audit_owner(ppn) {
            None => panic!("page {ppn} is valid but not programmed"),
            Some(Owner::Translation(_)) => {}
            Some(Owner::Data(_)) if self.loses_data() => {}
            Some(Owner::Data(lpn)) => {
                let twice = std::mem::replace(&mut seen[lpn.index()], true);
                assert!(!twice, "logical page {lpn} has two valid copies, one in page {ppn}");
                let truth = &self.flash.truth;
                let newest = truth.is_newest(lpn, truth.stamp(ppn));
                assert!(
                    newest || !truth.verify,
                    "page {ppn} is valid, but an old copy of logical page {lpn}"
                );
            }
        }
    }

    /// Checks the rule of every map: a logical page that holds data is mapped to the valid page
    /// that holds it.
    ///
    /// # Panics
    /// When a page is lost, or mapped to a page that is superseded or holds something else.
    pub fn audit_map(&self, pages: Range<u32>, map: impl Fn(Lpn) -> Option<Ppn>) {
        pages.map(Lpn).for_each(|lpn| self.audit_mapping(lpn, map(lpn)));
    }

    /// [`Device::audit_map`] for one logical page.
    ///
    /// # Panics
    /// As [`Device::audit_map`].
    #[inline]
    pub fn audit_mapping(&self, lpn: Lpn, mapping: Option<Ppn>) {
        match mapping {
            None => assert!(!self.audit_holds_data(lpn), "{lpn} is lost"),
            Some(ppn) => {
                assert!(self.is_valid(ppn), "{lpn} is mapped to the dead page {ppn}");
                assert_eq!(self.audit_owner(ppn), Some(Owner::Data(lpn)), "page {ppn}");
            }
        }
    }
}
