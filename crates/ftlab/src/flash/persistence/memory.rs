//! What the OOB of each page has next to its owner, and the changes that the medium has undergone.

use super::change::{Change, Origin};
use super::contents::{Content, Contents};
use crate::device::Geometry;
use crate::flash::{BlockKind, Cause};
use crate::units::{Lpn, Pbn, Ppn};
use std::collections::BTreeMap;

/// The memory of a medium, change by change.
#[derive(Clone, Debug)]
pub struct Memory {
    /// Per physical page: the number of its version among all versions. A copy has the number of its source.
    pub sequences: Vec<u64>,
    /// What translation pages hold, and OOBs that have a part of a map.
    pub contents: Contents,
    /// What the translation page, or the OOB, that is programmed next will hold.
    staged: Option<Content>,
    pub last: u64,
    /// Since power came, or they were last [taken](crate::flash::Device::events).
    pub changes: Vec<Change>,
    /// Whether changes are noted.
    pub keeps_changes: bool,
    /// What the host has read, each with the number of changes before it; `None` unless reads are recorded.
    pub reads: Option<Vec<(usize, Lpn, Ppn)>>,
    /// Blocks that look erased, and are not.
    pub half_erased: Vec<Pbn>,
    /// Blocks that the controller will erase before it programs them, and what for.
    pub doubtful: BTreeMap<Pbn, (BlockKind, Cause)>,
    /// Logical pages whose newest version the last cut has destroyed in the cells of another page.
    pub lost: Vec<Lpn>,
}

impl Memory {
    /// That of an erased medium.
    pub fn new(geometry: &Geometry, keeps_changes: bool) -> Self {
        Memory {
            sequences: vec![0; geometry.pages() as usize],
            contents: Contents::new(geometry),
            staged: None,
            last: 0,
            changes: Vec::new(),
            keeps_changes,
            reads: None,
            half_erased: Vec::new(),
            doubtful: BTreeMap::new(),
            lost: Vec::new(),
        }
    }

    /// A program of a page: with its sequence number, and what it holds of a map.
    #[cold]
    pub fn program_of(&mut self, ppn: Ppn, raw: u32, stamp: u16, origin: Origin) -> Change {
        let (sequence, from) = match unless_bug!(RecoveryCopiesAnew, origin, Origin::New) {
            Origin::New => (self.last + 1, None),
            Origin::Page(from) => (self.sequences[from.index()], Some(from)),
            Origin::Ram(from, sequence) => (sequence, Some(from)),
        };
        let copied = || match origin {
            Origin::Page(from) => self.contents.get(from).cloned(),
            Origin::New | Origin::Ram(..) => None,
        };
        let content = self.staged.take().or_else(copied);
        Change::Program { ppn, raw, stamp, sequence, from, content }
    }

    #[cold]
    pub fn stage(&mut self, content: Option<Content>) {
        self.staged = content;
    }

    /// Notes that the host was given what a page holds.
    #[cold]
    pub fn note_read(&mut self, lpn: Lpn, ppn: Ppn) {
        let now = self.changes.len();
        if let Some(reads) = &mut self.reads {
            reads.push((now, lpn, ppn));
        }
    }

    /// Notes a change that it has undergone.
    pub fn note(&mut self, change: Change) {
        if self.keeps_changes {
            self.changes.push(change);
        }
    }

    /// Undergoes a change.
    pub fn undergo(&mut self, change: &Change) {
        match change {
            Change::Program { ppn, raw, sequence, content, .. } => {
                self.sequences[ppn.index()] = *sequence;
                self.last = self.last.max(*sequence);
                self.contents.program(*ppn, *raw, *sequence, content.clone());
            }
            Change::Checkpoint(_) | Change::Burial(_) => {}
            Change::Erase { pbn, whole, .. } => {
                self.doubtful.remove(pbn);
                self.contents.erase(*pbn);
                self.half_erased.retain(|half| half != pbn);
                if !whole {
                    self.half_erased.push(*pbn);
                }
            }
        }
    }

    /// Forgets what a controller knows in RAM, and the changes before.
    pub fn forget(&mut self) {
        self.changes.clear();
        self.doubtful.clear();
    }
}
