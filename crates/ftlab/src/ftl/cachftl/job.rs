//! The state of an interrupted GC, between two phases.

use crate::flash::Loaded;
use crate::units::{Lbn, Lpn, Pbn, Ppn};

/// A page in the dedicated block of RAM, and its origin on flash.
#[derive(Clone, Debug)]
pub struct Kept {
    pub lpn: Lpn,
    pub from: Ppn,
    pub page: Loaded,
}

/// GC between two phases.
#[derive(Clone, Debug)]
pub enum Job {
    Collect(Collect),
    Merge(Merge),
}

/// PMR-GC: read, copy, erase.
#[derive(Clone, Debug)]
pub struct Collect {
    pub victim: Pbn,
    /// The valid pages of the victim, until they are copied.
    pub kept: Vec<Kept>,
    pub copied: bool,
}

/// BMR-GC: read from the PMR, read from the BMR, invalidate, erase, program.
#[derive(Clone, Debug)]
pub struct Merge {
    pub lbn: Lbn,
    pub stage: Stage,
    /// Pages of the block, ascending once all are read.
    pub kept: Vec<Kept>,
}

impl Merge {
    /// A merge of a block of `pages` pages, none of which is read yet.
    pub fn new(lbn: Lbn, stage: Stage, pages: u32) -> Self {
        Merge { lbn, stage, kept: Vec::with_capacity(pages as usize) }
    }
}

/// The last completed phase of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    PmrRead,
    BmrRead,
    /// The pages are only in RAM.
    InRam,
    Erased,
}

impl Stage {
    /// Whether the pages are only in RAM.
    pub const fn is_in_ram(self) -> bool {
        matches!(self, Stage::InRam | Stage::Erased)
    }
}

impl Job {
    /// The block of the PMR that is being collected.
    pub const fn victim(&self) -> Option<Pbn> {
        match self {
            Job::Collect(collect) => Some(collect.victim),
            Job::Merge(_) => None,
        }
    }

    /// Whether this merges a logical block.
    pub fn merges(&self, lbn: Lbn) -> bool {
        matches!(self, Job::Merge(merge) if merge.lbn == lbn)
    }

    /// The pages that are only in RAM.
    pub fn all_in_ram(&self) -> &[Kept] {
        match self {
            Job::Merge(merge) if merge.stage.is_in_ram() => &merge.kept,
            Job::Merge(_) | Job::Collect(_) => &[],
        }
    }

    /// A page, if it is only in RAM.
    pub fn in_ram(&self, lpn: Lpn) -> Option<&Loaded> {
        let kept = self.all_in_ram();
        let at = kept.binary_search_by_key(&lpn, |kept| kept.lpn).ok()?;
        Some(&kept[at].page)
    }

    /// Drops a page if it is only in RAM: a newer version is elsewhere.
    pub fn drop_page(&mut self, lpn: Lpn) {
        let Job::Merge(merge) = self else { return };
        if !merge.stage.is_in_ram() {
            return;
        }
        if let Ok(at) = merge.kept.binary_search_by_key(&lpn, |kept| kept.lpn) {
            unless_bug!(CachKeepsReplaced, merge.kept.remove(at));
        }
    }
}
