//! What outlives a power cut: the medium as it was programmed, change by change.

use super::checkpoint::Checkpoint;
use super::contents::Contents;
use super::medium::{Medium, WASTED};
use super::tombstones::Burial;
use super::truth::Truth;
use super::{BlockKind, Cause, Owner};
use crate::units::{Lpn, Mapping, Pbn, Ppn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a page holds whose programming was cut: nothing that can be read.
pub(super) const TORN: u32 = WASTED - 1;

/// What a translation page holds, or an OOB beside its owner: the mappings of consecutive logical pages.
pub type Content = Arc<[Mapping]>;

/// Where the version that a page is programmed with comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// It is new.
    New,
    /// From another page.
    Page(Ppn),
    /// From RAM; this page was loaded there, with its sequence number.
    Ram(Ppn, u64),
}

/// A change of the medium.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// A page was programmed: its owner, the stamp of its version, its sequence number, the page whose version
    /// it is if it is not new, and what it or its OOB holds of a map.
    Program {
        ppn: Ppn,
        raw: u32,
        stamp: u16,
        sequence: u64,
        from: Option<Ppn>,
        content: Option<Content>,
    },
    /// A block was erased, or looks so.
    Erase { pbn: Pbn, whole: bool },
    /// A checkpoint was made: it counts when all of it is there.
    Checkpoint(Arc<Checkpoint>),
    /// The place of tombstones was changed: what was programmed in part cannot be read, what is erased does not
    /// count any more.
    Burial(Burial),
}

impl Change {
    /// What is left of it when power is cut meanwhile.
    pub const fn torn(&self) -> Option<Self> {
        match *self {
            Change::Program { ppn, stamp, sequence, from, .. } => {
                Some(Change::Program { ppn, raw: TORN, stamp, sequence, from, content: None })
            }
            Change::Erase { pbn, .. } => Some(Change::Erase { pbn, whole: false }),
            Change::Checkpoint(_) | Change::Burial(_) => None,
        }
    }
}

/// What the OOB of each page has beside its owner, and how the medium came to be as it is.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Per physical page: how many versions had been written when its own was. A copy has that of its source.
    pub sequences: Vec<u64>,
    /// What translation pages hold, and OOBs that have a part of a map.
    pub contents: Contents,
    /// What the translation page, or the OOB, that is programmed next will hold.
    staged: Option<Content>,
    pub last: u64,
    /// Since power came, or they were last [taken](super::Device::events).
    pub changes: Vec<Change>,
    /// Whether changes are noted.
    pub keeps_changes: bool,
    /// What the host has read, each after so many of the changes; `None` where nobody asks.
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
    pub fn of(medium: &Medium) -> Self {
        Memory {
            sequences: vec![0; medium.geometry.pages() as usize],
            contents: Contents::of(medium),
            staged: None,
            last: 0,
            changes: Vec::new(),
            keeps_changes: true,
            reads: None,
            half_erased: Vec::new(),
            doubtful: BTreeMap::new(),
            lost: Vec::new(),
        }
    }

    #[cold]
    pub fn stage(&mut self, content: Option<Content>) {
        self.staged = content;
    }

    #[cold]
    pub fn program(&mut self, ppn: Ppn, raw: u32, stamp: u16, origin: Origin) {
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
        self.note(Change::Program { ppn, raw, stamp, sequence, from, content });
    }

    #[cold]
    pub fn note_read(&mut self, lpn: Lpn, ppn: Ppn) {
        let now = self.changes.len();
        if let Some(reads) = &mut self.reads {
            reads.push((now, lpn, ppn));
        }
    }

    #[cold]
    pub fn erase(&mut self, pbn: Pbn) {
        self.doubtful.remove(&pbn);
        self.note(Change::Erase { pbn, whole: true });
    }

    pub fn note(&mut self, change: Change) {
        self.undergo(&change);
        if self.keeps_changes {
            self.changes.push(change);
        }
    }

    fn undergo(&mut self, change: &Change) {
        match change {
            Change::Program { ppn, raw, sequence, content, .. } => {
                self.sequences[ppn.index()] = *sequence;
                self.last = self.last.max(*sequence);
                self.contents.program(*ppn, *raw, *sequence, content.clone());
            }
            Change::Checkpoint(_) | Change::Burial(_) => {}
            Change::Erase { pbn, whole } => {
                self.contents.erase(*pbn);
                self.half_erased.retain(|half| half != pbn);
                if !whole {
                    self.half_erased.push(*pbn);
                }
            }
        }
    }
}

/// How the change that a power cut interrupts is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tear {
    /// It was not begun.
    Before,
    /// A page cannot be read; a page of a block looks erased or cannot be read, each time anew, and the block must be
    /// erased again before it is programmed.
    Within,
    /// The same; and the pages that were programmed before to the cells of the page cannot be read either.
    Paired,
}

impl Tear {
    /// All, that of cells of several bits last.
    pub const ALL: [Tear; 3] = [Tear::Before, Tear::Within, Tear::Paired];
}

/// Makes a change to a medium that nobody uses.
pub(super) fn apply(change: &Change, medium: &mut Medium, truth: &mut Truth) {
    match change {
        Change::Program { ppn, raw, stamp, .. } => {
            medium.owners[ppn.index()] = *raw;
            truth.set_stamp(*ppn, *stamp);
        }
        Change::Erase { pbn, .. } => {
            let first = medium.geometry.first_page(*pbn).index();
            medium.owners[first..first + medium.geometry.pages_per_block as usize].fill(0);
            medium.blocks[pbn.index()].erases += 1;
            if let Some(checkpoints) = &mut medium.checkpoints {
                checkpoints.erased(*pbn);
            }
        }
        Change::Checkpoint(newest) => {
            if let Some(checkpoints) = &mut medium.checkpoints {
                checkpoints.newest = Some(newest.clone());
            }
        }
        Change::Burial(burial) => {
            if let Some(tombstones) = &mut medium.tombstones {
                tombstones.change(burial);
            }
        }
    }
    medium.memory.as_mut().expect("a medium that remembers").undergo(change);
}

/// Makes the pages unreadable that were programmed to the cells of a page before.
pub(super) fn tear_paired(ppn: Ppn, medium: &mut Medium, truth: &mut Truth) {
    let (pbn, page) = (medium.geometry.block_of(ppn), medium.geometry.page_in_block(ppn));
    let pages = medium.cells.as_ref().map_or_else(Vec::new, |cells| cells.paired_before(pbn, page));
    let pages = pages.into_iter().map(|page| medium.geometry.page_at(pbn, page));
    let held: Vec<(Ppn, Owner, u64)> =
        pages.filter_map(|ppn| Some((ppn, medium.owner(ppn)?, medium.sequence(ppn)))).collect();
    for &(ppn, _, sequence) in &held {
        apply(
            &Change::Program { ppn, raw: TORN, stamp: 0, sequence, from: None, content: None },
            medium,
            truth,
        );
    }
    let is_elsewhere = |owner, sequence| {
        let mut pages = (0..medium.geometry.pages()).map(Ppn);
        pages.any(|ppn| medium.owner(ppn) == Some(owner) && medium.sequence(ppn) >= sequence)
    };
    let lost = held.iter().filter_map(|&(_, owner, sequence)| match owner {
        Owner::Data(lpn) if !is_elsewhere(owner, sequence) => Some(lpn),
        _ => None,
    });
    let lost = lost.collect();
    medium.memory.as_mut().expect("a medium that remembers").lost = lost;
}
