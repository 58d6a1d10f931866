//! What a flash operation is for: why it is done, and for which page.

use crate::units::{Lpn, Vtpn};
use serde::Serialize;
use std::fmt;

/// Why an operation was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// User pages read or written for the host.
    Host,
    /// Translation pages read or written during address translation (`N_tw`), those of a block map among them.
    Translation,
    /// User pages moved by GC (`N_md`).
    GcData,
    /// Translation pages rewritten because GC moved user pages (`N_dt`).
    GcMapping,
    /// Translation pages moved by GC (`N_mt`).
    GcTranslation,
    /// User pages brought together in one block: merges of log blocks, rewrites of data blocks.
    Merge,
    /// User pages read from flash, and programmed again, to complete a group that leaves a buffer.
    Padding,
    /// User pages read because only a part of them is programmed for the host.
    ReadModifyWrite,
    /// Pages moved to a worn block, so that all wear alike.
    Wear,
    /// What the OOBs say, kept so that a mount need not read all of them.
    Checkpoint,
    /// What was trimmed, kept so that it outlives a power cut.
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

    /// Whether it serves a request or looks after its map, and does not make room for later ones.
    #[inline(always)]
    #[must_use]
    pub const fn serves(self) -> bool {
        matches!(self, Cause::Host | Cause::Translation | Cause::Padding | Cause::ReadModifyWrite)
    }
}

/// What a page's OOB says it holds.
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

/// Why an operation is done, and for which page.
#[derive(Clone, Copy, Debug)]
pub struct Purpose {
    /// Why.
    pub cause: Cause,
    /// What the page holds or is to hold; `None` where no single page is meant, as of an erase.
    pub owner: Option<Owner>,
}
