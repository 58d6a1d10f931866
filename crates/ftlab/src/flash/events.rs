//! A device whose pages have their content elsewhere, such as in a file. This module reports what
//! is done to it, in order, and restores its state.

use super::persistence::{Burial, Change, Content};
use super::{Device, Flash, Owner, Tombstone};
use crate::units::{Lpn, Pbn, Ppn};

/// Bits of a stamp, which distinguish a version from others of its page.
const STAMP: u64 = (1 << 15) - 1;

/// An operation on the device.
#[derive(Clone, Debug)]
pub enum Event {
    /// The host received the content of a page.
    Read {
        /// The page that it requested.
        lpn: Lpn,
        /// The place of that page.
        ppn: Ppn,
    },
    /// A page was programmed.
    Program {
        /// The page.
        ppn: Ppn,
        /// What it holds.
        owner: Owner,
        /// The sequence number of that version.
        sequence: u64,
        /// The page from which the version was copied, if it is not new.
        from: Option<Ppn>,
        /// The part of a map that it, or its OOB, holds.
        content: Option<Content>,
    },
    /// A block was erased.
    Erase {
        /// The block.
        pbn: Pbn,
    },
    /// Pages were trimmed for good.
    Trim(Tombstone),
}

/// A page that is programmed when power comes.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The page.
    pub ppn: Ppn,
    /// What it holds.
    pub owner: Owner,
    /// The sequence number of that version.
    pub sequence: u64,
    /// The part of a map that it, or its OOB, holds.
    pub content: Option<Content>,
}

impl Device {
    /// [`Device::remember`], and also notes the reads of the host.
    pub fn tell(&mut self) {
        self.remember();
        if let Some(memory) = &mut self.flash.persistence.memory {
            memory.reads = Some(Vec::new());
        }
    }

    /// The events since the last call, if the device [notes them](Device::tell).
    pub fn events(&mut self) -> Vec<Event> {
        let Flash { medium, persistence, .. } = &mut self.flash;
        let Some(memory) = &mut persistence.memory else { return Vec::new() };
        let changes = std::mem::take(&mut memory.changes);
        let mut reads = memory.reads.as_mut().map(std::mem::take).unwrap_or_default().into_iter();
        let mut read = reads.next();
        let mut events = Vec::with_capacity(changes.len() + reads.len() + 1);
        for (number, change) in changes.into_iter().map(Some).chain([None]).enumerate() {
            while let Some((_, lpn, ppn)) = read.filter(|(after, ..)| *after == number) {
                events.push(Event::Read { lpn, ppn });
                read = reads.next();
            }
            match change {
                Some(Change::Program { ppn, raw, sequence, from, content, .. }) => {
                    let owner = medium.decode(raw);
                    events.push(Event::Program { ppn, owner, sequence, from, content });
                }
                Some(Change::Erase { pbn, .. }) => events.push(Event::Erase { pbn }),
                Some(Change::Burial(Burial::Page(tombstones))) => {
                    events.extend(tombstones.iter().copied().map(Event::Trim));
                }
                // The device is mounted from all OOBs and from all reported tombstones.
                Some(Change::Checkpoint(_) | Change::Burial(_)) | None => {}
            }
        }
        events
    }

    /// Restores the past state of a device that is erased and [notes events](Device::tell). The
    /// state is these pages and tombstones, the erases of each block, and `last`, the highest
    /// sequence number in use. An FTL then has to mount, which determines the valid versions.
    ///
    /// # Panics
    /// When the device does not remember, or a page lies beyond it.
    pub fn restore(
        &mut self,
        pages: impl IntoIterator<Item = Kept>,
        trims: Vec<Tombstone>,
        erases: &[u32],
        last: u64,
    ) {
        let Flash { medium, truth, persistence, .. } = &mut self.flash;
        let memory = persistence.memory.as_mut().expect("a medium that remembers");
        if let Some(place) = &mut persistence.tombstones {
            place.restore(trims, &medium.geometry);
        }
        for Kept { ppn, owner, sequence, content } in pages {
            let raw = medium.encode(owner);
            medium.owners[ppn.index()] = raw;
            memory.sequences[ppn.index()] = sequence;
            memory.contents.program(ppn, raw, sequence, content);
            truth.set_stamp(ppn, (sequence & STAMP) as u16);
        }
        memory.last = last;
        medium.blocks.iter_mut().zip(erases).for_each(|(block, erases)| block.erases = *erases);
    }
}
