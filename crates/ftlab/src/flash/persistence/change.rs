//! A change of the medium: what it does, and what is left of it when power is cut meanwhile.

use super::checkpoint::Checkpoint;
use super::contents::Content;
use super::tombstones::Burial;
use crate::flash::medium::TORN;
use crate::units::{Pbn, Ppn};
use std::sync::Arc;

/// Where the version that a page is programmed with comes from.
#[derive(Clone, Copy, Debug)]
pub enum Origin {
    /// It is new.
    New,
    /// From another page.
    Page(Ppn),
    /// From RAM; this page was loaded there, with its sequence number.
    Ram(Ppn, u64),
}

/// A change of the medium.
#[derive(Clone, Debug)]
pub enum Change {
    /// A page was programmed: its owner, and the stamp and sequence number of its version. A copy names its source; a
    /// page with a part of a map has that in `content`.
    Program {
        ppn: Ppn,
        raw: u32,
        stamp: u16,
        sequence: u64,
        from: Option<Ppn>,
        content: Option<Content>,
    },
    /// A block was erased, or looks so; at the same time as that of the change before, where it is `joined`.
    Erase { pbn: Pbn, whole: bool, joined: bool },
    /// A checkpoint was made: it counts when all of it is there.
    Checkpoint(Arc<Checkpoint>),
    /// The place of tombstones was changed. A page that was programmed in part cannot be read.
    Burial(Burial),
}

impl Change {
    /// A program of which nothing can be read.
    pub const fn torn_program(ppn: Ppn, sequence: u64, from: Option<Ppn>) -> Self {
        Change::Program { ppn, raw: TORN, stamp: 0, sequence, from, content: None }
    }

    /// Whether it began together with the change before.
    pub const fn is_joined(&self) -> bool {
        matches!(self, Change::Erase { joined: true, .. })
    }

    /// What is left of it when power is cut meanwhile.
    pub const fn torn(&self) -> Option<Self> {
        match *self {
            Change::Program { ppn, sequence, from, .. } => {
                Some(Change::torn_program(ppn, sequence, from))
            }
            Change::Erase { pbn, joined, .. } => Some(Change::Erase { pbn, whole: false, joined }),
            Change::Checkpoint(_) | Change::Burial(_) => None,
        }
    }
}
