//! What survives a power cut in addition to the pages. The medium does not know of it; it hears of each change.
//!
//! ```text
//! command --> medium, truth        change --> checkpoints   how often blocks were erased, the newest checkpoint
//! Flash   --> persistence ------------------> tombstones    what was trimmed
//! Cuts    --> medium, truth, persistence      memory        sequence numbers, maps, and the changes themselves
//! ```
//!
//! A command makes its change and notes it here. [`Cuts`](super::Cuts) repeats the changes of a run. Nothing here knows
//! commands: those that write checkpoints and tombstones are in `flash/upkeep.rs`.

mod change;
mod checkpoint;
mod contents;
mod memory;
mod tombstones;

pub use change::{Change, Origin};
pub use checkpoint::{Checkpoints, Summary};
pub use contents::Content;
pub use memory::Memory;
pub use tombstones::{Burial, Tombstone, Tombstones, of_pages as tombstones_of};

use crate::device::{DeviceConfig, Geometry, Trims};
use crate::units::{Pbn, Ppn};
use checkpoint::Checkpoint;
use std::sync::Arc;

/// What hears of changes of the medium.
#[derive(Clone, Debug)]
pub struct Persistence {
    /// What OOBs hold, and what happened, where that is of interest.
    pub memory: Option<Box<Memory>>,
    /// What recovery starts from, where checkpoints are made.
    pub checkpoints: Option<Checkpoints>,
    /// What was trimmed, where that survives a power cut.
    pub tombstones: Option<Tombstones>,
}

impl Persistence {
    /// What a device is configured to keep.
    pub fn new(device: &DeviceConfig, geometry: &Geometry) -> Self {
        let every = |pages| Checkpoints::every(pages, geometry.blocks());
        Persistence {
            memory: None,
            checkpoints: device.checkpoint.map(every),
            tombstones: (device.trim == Trims::Durable).then(|| Tombstones::new(geometry)),
        }
    }

    /// Hears what the translation page, or the OOB, that is programmed next will hold.
    #[inline]
    pub fn stage(&mut self, content: impl FnOnce() -> Option<Content>) {
        if let Some(memory) = &mut self.memory {
            memory.stage(content());
        }
    }

    /// Hears that a page was programmed.
    #[inline]
    pub fn program(&mut self, ppn: Ppn, raw: u32, stamp: u16, origin: Origin) {
        if let Some(memory) = &mut self.memory {
            let change = memory.program_of(ppn, raw, stamp, origin);
            self.note(change);
        }
    }

    /// Hears that a block was erased, at the same time as the one before where it is `joined`.
    #[inline]
    pub fn erase(&mut self, pbn: Pbn, joined: bool) {
        if self.memory.is_some() || self.checkpoints.is_some() {
            self.note(Change::Erase { pbn, whole: true, joined });
        }
    }

    /// Hears that a checkpoint was made, after this number of programs.
    pub fn checkpoint(&mut self, newest: Checkpoint, programmed: u64) {
        self.note(Change::Checkpoint(Arc::new(newest)));
        self.checkpoints.iter_mut().for_each(|it| it.made_at(programmed));
    }

    /// Hears that the place of tombstones was changed.
    pub fn bury(&mut self, burial: Burial) {
        self.note(Change::Burial(burial));
    }

    #[cold]
    fn note(&mut self, change: Change) {
        self.undergo(&change);
        if let Some(memory) = &mut self.memory {
            memory.note(change);
        }
    }

    /// Undergoes a change that was noted before.
    pub fn undergo(&mut self, change: &Change) {
        match change {
            Change::Program { .. } => {}
            Change::Erase { pbn, .. } => self.checkpoints.iter_mut().for_each(|it| it.erased(*pbn)),
            Change::Checkpoint(newest) => {
                self.checkpoints.iter_mut().for_each(|it| it.newest = Some(newest.clone()));
            }
            Change::Burial(burial) => self.tombstones.iter_mut().for_each(|it| it.change(burial)),
        }
        if let Some(memory) = &mut self.memory {
            memory.undergo(change);
        }
    }

    /// Forgets what a controller knows in RAM.
    pub fn forget(&mut self) {
        self.memory.iter_mut().for_each(|it| it.forget());
        self.checkpoints.iter_mut().for_each(Checkpoints::restart);
        self.tombstones.iter_mut().for_each(Tombstones::forget);
    }
}
