//! Power cuts: a device as it is when power comes back.

use super::Device;
use super::memory::{Change, Memory, Tear, apply};
use crate::units::Lpn;

/// A device as cuts at one change of its medium after another leave it.
pub struct Cuts {
    changes: Vec<Change>,
    /// Changes that are done.
    done: usize,
    now: Device,
}

impl Device {
    /// Has the OOB of each page keep a sequence number, and notes each change of the medium from now on. To
    /// be called while the device is erased.
    pub fn remember(&mut self) {
        let pages = self.geometry().pages();
        self.flash.medium.memory = Some(Box::new(Memory::new(pages)));
    }

    /// Pages programmed and blocks erased since power came, where that is [noted](Device::remember).
    #[must_use]
    pub fn changes(&self) -> usize {
        self.flash.medium.memory.as_ref().map_or(0, |memory| memory.changes.len())
    }

    /// Has host reads decide, or no longer, which version a page has: after a power cut it may have several.
    pub const fn settle(&mut self, reads_decide: bool) {
        self.flash.truth.settling = reads_decide;
    }

    /// The version of a logical page, as its stamp; `None` if it holds no data.
    #[must_use]
    pub fn version(&self, lpn: Lpn) -> Option<u16> {
        self.flash.truth.version(lpn)
    }

    /// OOBs read after power was lost, to find out what is there.
    #[must_use]
    pub const fn surveyed(&self) -> u64 {
        self.flash.meter.surveyed
    }
}

impl Cuts {
    /// The cuts of a run, from its first change on.
    ///
    /// `before` is the device when power came: erased, or as a cut had left it. Of `after`, the same device
    /// when the run was over, the medium is not looked at, only what has changed it.
    #[must_use]
    pub fn of(mut before: Device, after: &Device) -> Cuts {
        before.flash.truth.remember_versions(&after.flash.truth);
        let memory = after.flash.medium.memory.as_ref();
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
        let flash = &mut self.now.flash;
        apply(&self.changes[self.done], &mut flash.medium, &mut flash.truth);
        self.done += 1;
    }

    /// The device when power is cut in the next change.
    #[must_use]
    pub fn cut(&self, tear: Tear) -> Device {
        let mut device = self.now.clone();
        if let (Tear::Within, Some(change)) = (tear, self.changes.get(self.done)) {
            let flash = &mut device.flash;
            apply(&change.torn(), &mut flash.medium, &mut flash.truth);
        }
        device
    }

    /// The device when power is cut in the change with this number.
    ///
    /// # Panics
    /// When there are not so many.
    #[must_use]
    pub fn at(mut self, change: usize, tear: Tear) -> Device {
        (self.done..change).for_each(|_| self.advance());
        self.cut(tear)
    }
}
