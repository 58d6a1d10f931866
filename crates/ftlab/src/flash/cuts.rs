//! Power cuts: the state of a device when power returns.

use super::meter::Meter;
use super::persistence::{Change, Checkpoints, Memory, Tombstones};
use super::{Device, Flash, Owner};
use crate::device::DeviceConfig;
use crate::units::{Lpn, Ppn};
use serde::{Deserialize, Serialize};

/// How a power cut leaves the change that it interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tear {
    /// The change was not begun.
    Before,
    /// The page of a program cannot be read. After an erase, each read of a page shows an erased
    /// page or fails, at random. The block must be erased again before it is programmed.
    Within,
    /// The same. In addition, earlier pages in the cells of the page cannot be read.
    Paired,
}

impl Tear {
    /// All, with the one for cells of several bits last.
    pub const ALL: [Tear; 3] = [Tear::Before, Tear::Within, Tear::Paired];
}

/// A device as cuts leave it, at one change of its medium after the other.
pub struct Cuts {
    changes: Vec<Change>,
    /// Changes that are done.
    done: usize,
    now: Device,
}

impl Device {
    /// Prepares for power cuts: the OOB of each page keeps a sequence number, and each change of
    /// the medium is noted. Call it while the device is erased.
    pub fn remember(&mut self) {
        self.keep_memory(true);
        self.expect_power_cuts();
    }

    fn keep_memory(&mut self, keeps_changes: bool) {
        let memory = Memory::new(self.geometry(), keeps_changes);
        self.flash.persistence.memory = Some(Box::new(memory));
        self.flash.note_what_is_there();
    }

    /// Has the OOB of each page keep a sequence number, which changes nothing that an FTL does.
    /// Power can be lost only after the last change ([`Device::lose_power`]).
    pub fn number_versions(&mut self) {
        self.keep_memory(false);
        unless_bug!(RecoveryChangesOrder, {}, self.expect_power_cuts());
    }

    /// An FTL that is built from now on expects power cuts.
    pub(crate) const fn expect_power_cuts(&mut self) {
        self.flash.power_safe = true;
    }

    /// Cuts power after all changes: programmed pages remain, and the controller knows nothing of
    /// them. Counts begin at zero, and operations take as long as `device` states.
    pub fn lose_power(&mut self, device: &DeviceConfig) {
        let Flash { medium, truth, meter, regions, wear, persistence, .. } = &mut self.flash;
        medium.forget();
        persistence.forget();
        truth.reset_counts();
        *meter = Meter::new(device, &medium.geometry);
        regions.clear();
        *wear = None;
    }

    /// Makes a checkpoint after each `pages` programmed pages, or none.
    pub fn checkpoint_every(&mut self, pages: Option<u64>) {
        let blocks = self.geometry().blocks();
        self.flash.persistence.checkpoints = pages.map(|pages| Checkpoints::every(pages, blocks));
    }

    /// Sets whether trims survive power cuts, as `device.trim` does. Call it while the device is
    /// erased.
    pub fn keep_trims(&mut self, durable: bool) {
        let place = durable.then(|| Tombstones::new(self.geometry()));
        self.flash.persistence.tombstones = place;
    }

    /// Whether trims survive power cuts.
    #[must_use]
    pub const fn keeps_trims(&self) -> bool {
        self.flash.persistence.tombstones.is_some()
    }

    /// Pages programmed, blocks erased, checkpoints made and tombstones written since power came.
    /// They are counted where they are [noted](Device::remember).
    #[must_use]
    pub fn changes(&self) -> usize {
        self.flash.persistence.memory.as_ref().map_or(0, |memory| memory.changes.len())
    }

    /// How a cut can leave a change of this device.
    #[must_use]
    pub fn tears(&self) -> &'static [Tear] {
        let paired = usize::from(self.flash.medium.cells.is_some());
        &Tear::ALL[..2 + paired]
    }

    /// Logical pages whose newest version the last cut has destroyed although it was programmed
    /// long before. It shared cells with the page that was cut ([`Tear::Paired`]).
    #[must_use]
    pub fn lost(&self) -> &[Lpn] {
        self.flash.persistence.memory.as_ref().map_or(&[], |memory| &memory.lost)
    }

    /// The version of a logical page, as its stamp; `None` if it holds no data.
    #[must_use]
    pub fn version(&self, lpn: Lpn) -> Option<u16> {
        self.flash.truth.version(lpn)
    }

    /// The stamp of the last version of a logical page, which may have been trimmed since.
    #[must_use]
    pub fn last_version(&self, lpn: Lpn) -> u16 {
        self.flash.truth.host_programs_of(lpn)
    }

    /// OOBs read after power was lost, to find the state of the medium.
    #[must_use]
    pub const fn surveyed(&self) -> u64 {
        self.flash.meter.surveyed
    }
}

impl Cuts {
    /// The cuts of a run, from its first change on.
    ///
    /// `before` is the device when power came: erased, or as a cut had left it. `after` is the same
    /// device when the run was over; only its changes are used, not its medium.
    #[must_use]
    pub fn of(mut before: Device, after: &Device) -> Cuts {
        before.flash.truth.remember_versions(&after.flash.truth);
        // The FTL has declared which blocks are in SLC mode.
        before.flash.set_cells(after.flash.medium.cells.clone());
        let memory = after.flash.persistence.memory.as_ref();
        let changes = memory.map_or_else(Vec::new, |memory| memory.changes.clone());
        Cuts { changes, done: 0, now: before }
    }

    /// Whether all changes are done.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.done == self.changes.len()
    }

    /// Changes that are done.
    #[must_use]
    pub const fn done(&self) -> usize {
        self.done
    }

    /// Does the next change.
    ///
    /// # Panics
    /// When all are done.
    pub fn advance(&mut self) {
        self.now.flash.undergo(&self.changes[self.done]);
        self.done += 1;
    }

    /// The device after a power cut in the next change.
    #[must_use]
    pub fn cut(&self, tear: Tear) -> Device {
        let mut device = self.now.clone();
        let flash = &mut device.flash;
        flash.persistence.memory.as_mut().expect("a medium that remembers").lost.clear();
        let is_begun = |change: &&Change| tear != Tear::Before || change.is_joined();
        let Some(change) = self.changes.get(self.done).filter(is_begun) else {
            return device;
        };
        let joined = self.changes[self.done + 1..].iter().take_while(|next| next.is_joined());
        for torn in std::iter::once(change).chain(joined).filter_map(Change::torn) {
            flash.undergo(&torn);
        }
        if let (Tear::Paired, Change::Program { ppn, .. }) = (tear, change) {
            flash.tear_paired(*ppn);
        }
        device
    }

    /// The device after a power cut in the change with this number.
    ///
    /// # Panics
    /// When there are fewer changes.
    #[must_use]
    pub fn at(mut self, change: usize, tear: Tear) -> Device {
        (self.done..change).for_each(|_| self.advance());
        self.cut(tear)
    }
}

impl Flash {
    /// Applies a noted change to a medium that no FTL uses.
    fn undergo(&mut self, change: &Change) {
        match change {
            Change::Program { ppn, raw, stamp, .. } => {
                self.medium.owners[ppn.index()] = *raw;
                self.truth.set_stamp(*ppn, *stamp);
            }
            Change::Erase { pbn, .. } => {
                self.medium.erase_pages(*pbn);
                self.medium.blocks[pbn.index()].erases += 1;
            }
            Change::Checkpoint(_) | Change::Burial(_) => {}
        }
        self.persistence.undergo(change);
    }

    /// Makes earlier pages unreadable that share cells with a page.
    fn tear_paired(&mut self, ppn: Ppn) {
        let geometry = &self.medium.geometry;
        let (pbn, page) = (geometry.block_of(ppn), geometry.page_in_block(ppn));
        let cells = self.medium.cells.as_ref();
        let pages = cells.map_or_else(Vec::new, |cells| cells.paired_before(pbn, page));
        let pages = pages.into_iter().map(|page| geometry.page_at(pbn, page));
        let held = |ppn| Some((ppn, self.medium.owner(ppn)?, self.sequence(ppn)));
        let held: Vec<(Ppn, Owner, u64)> = pages.filter_map(held).collect();
        for &(ppn, _, sequence) in &held {
            self.undergo(&Change::torn_program(ppn, sequence, None));
        }
        let is_elsewhere = |owner, sequence| {
            let mut pages = (0..self.medium.geometry.pages()).map(Ppn);
            pages.any(|ppn| self.medium.owner(ppn) == Some(owner) && self.sequence(ppn) >= sequence)
        };
        let lost = held.iter().filter_map(|&(_, owner, sequence)| match owner {
            Owner::Data(lpn) if !is_elsewhere(owner, sequence) => Some(lpn),
            _ => None,
        });
        let lost = lost.collect();
        if let Some(memory) = &mut self.persistence.memory {
            memory.lost = lost;
        }
    }
}
