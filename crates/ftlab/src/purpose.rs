//! The purpose of a flash operation: its cause, and its page.

use crate::units::{Lpn, Vtpn};
use serde::Serialize;
use std::fmt;

/// Why an operation was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// User pages read or written for the host.
    Host,
    /// Translation pages read or written during address translation (`N_tw`), including those of a
    /// block map.
    Translation,
    /// User pages moved by GC (`N_md`).
    GcData,
    /// Translation pages rewritten because GC moved user pages (`N_dt`).
    GcMapping,
    /// Translation pages moved by GC (`N_mt`).
    GcTranslation,
    /// User pages copied into one block: merges of log blocks, rewrites of data blocks.
    Merge,
    /// User pages read from flash, and programmed again, to complete a group that leaves a buffer.
    Padding,
    /// User pages read because only a part of them is programmed for the host.
    ReadModifyWrite,
    /// Pages moved to a worn block, so that all wear alike.
    Wear,
    /// A copy of what the OOBs hold, so that recovery need not read all of them.
    Checkpoint,
    /// A record of trims, so that they survive a power cut.
    Trim,
}

impl Cause {
    /// All causes, in the order of reports.
    pub const ALL: [Cause; 11] = [
        Cause::Host,
        Cause::Translation,
        Cause::GcData,
        Cause::GcMapping,
        Cause::GcTranslation,
        Cause::Merge,
        Cause::Padding,
        Cause::ReadModifyWrite,
        Cause::Wear,
        Cause::Checkpoint,
        Cause::Trim,
    ];

    /// The name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Host => "host",
            Cause::Translation => "translation",
            Cause::GcData => "gc_data",
            Cause::GcMapping => "gc_mapping",
            Cause::GcTranslation => "gc_translation",
            Cause::Merge => "merge",
            Cause::Padding => "padding",
            Cause::ReadModifyWrite => "read_modify_write",
            Cause::Wear => "wear",
            Cause::Checkpoint => "checkpoint",
            Cause::Trim => "trim",
        }
    }

    /// Whether it serves a request or maintains its map, and does not reclaim space for later ones.
    #[inline(always)]
    #[must_use]
    pub const fn serves(self) -> bool {
        matches!(self, Cause::Host | Cause::Translation | Cause::Padding | Cause::ReadModifyWrite)
    }
}

/// The owner of a page, as its OOB states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// User data of a logical page.
    Data(Lpn),
    /// A translation page of the map.
    Translation(Vtpn),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Data(lpn) => write!(f, "logical page {lpn}"),
            Owner::Translation(vtpn) => write!(f, "translation page {vtpn}"),
        }
    }
}

/// The cause of an operation, and its page.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// The cause.
    pub cause: Cause,
    /// The present or future owner of the page; `None` where no single page is meant, as for an
    /// erase.
    pub owner: Option<Owner>,
}
