//! What translation pages hold, and OOBs with a part of a map: all that recovery may read.
//!
//! Contents go when their block is erased. Recovery reads the newest version of a translation page alone, and no other is
//! kept. With cells of several bits all are kept, as a cut may destroy the newest.

use crate::device::Geometry;
use crate::units::{Mapping, Pbn, Ppn};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a translation page holds, or an OOB next to its owner: the mappings of consecutive logical pages.
pub type Content = Arc<[Mapping]>;

/// What pages hold of maps.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Of each page, the number of its owner and what it holds.
    by_page: BTreeMap<Ppn, (u32, Content)>,
    /// Of each translation page, by what an OOB says of its owner, the highest sequence number and the
    /// pages with it.
    newest: BTreeMap<u32, (u64, Vec<Ppn>)>,
    /// From which number on the owner is a translation page.
    first_map: u32,
    pages_per_block: u32,
    /// Whether a cut may destroy pages that were programmed before.
    pub keeps_superseded: bool,
}

impl Contents {
    /// Those of an erased medium.
    pub fn new(geometry: &Geometry) -> Self {
        Contents {
            by_page: BTreeMap::new(),
            newest: BTreeMap::new(),
            first_map: geometry.logical_pages + 1,
            pages_per_block: geometry.pages_per_block,
            keeps_superseded: false,
        }
    }

    pub fn get(&self, ppn: Ppn) -> Option<&Content> {
        self.by_page.get(&ppn).map(|(_, content)| content)
    }

    /// Notes what a page was programmed with, and the number of its owner; `None` if that is nothing of a map.
    pub fn program(&mut self, ppn: Ppn, raw: u32, sequence: u64, content: Option<Content>) {
        let Some(content) = content else {
            self.by_page.remove(&ppn);
            return;
        };
        if raw >= self.first_map && !self.keeps_superseded {
            let (newest, pages) = self.newest.entry(raw).or_default();
            if sequence < *newest {
                return;
            }
            if sequence > *newest {
                *newest = sequence;
                pages.drain(..).for_each(|old| drop(self.by_page.remove(&old)));
            }
            pages.push(ppn);
        }
        self.by_page.insert(ppn, (raw, content));
    }

    /// Notes that a block was erased.
    pub fn erase(&mut self, pbn: Pbn) {
        let first = pbn.0 * self.pages_per_block;
        let pages = Ppn(first)..Ppn(first + self.pages_per_block);
        let gone: Vec<(Ppn, u32)> =
            self.by_page.range(pages).map(|(ppn, (raw, _))| (*ppn, *raw)).collect();
        for (ppn, raw) in gone {
            self.by_page.remove(&ppn);
            if let Some((_, pages)) = self.newest.get_mut(&raw) {
                pages.retain(|page| *page != ppn);
            }
        }
    }
}
