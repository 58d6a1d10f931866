//! TreeFTL (Wang & Wong, DATE 2013), as its abstract and TPFTL 2.2 describe it.
//!
//! Idea     RAM holds a tree: translation pages, and below each the data pages whose mappings it
//!          has. Using a page moves its whole subtree to the front. The subtree used least recently
//!          loses its data pages one by one, least recent first, then its translation page. The
//!          parts for mapping and data thus follow the workload without a boundary.
//! RAM      page size + 4 B per translation page, page size + 8 B per data page + GTD.
//! Departs  a reconstruction: we know the paper by its abstract. Filled in
//!          (choices.md#tree-writes): a write to a page that is not in RAM reads its translation
//!          page, as every data page needs one. Its data leaves as a single page.
//!
//! A data page can always be programmed without a lookup: its mapping is in the translation page
//! above it.

use super::{Pool, Pooled};
use crate::cache::links::{Links, List};
use crate::cache::recent_map::RecentMap;
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::Geometry;
use crate::ftl::design::{Setup, Spec};
use crate::request::Op;
use crate::units::{Lpn, Vtpn};

/// Translation pages by use, and below each its data pages by use.
#[derive(Clone, Debug)]
pub struct Tree {
    subtrees: RecentMap<List>,
    pages: Slab<Lpn>,
    /// Token of each data page.
    tokens: Tokens,
    links: Links,
    entries_shift: u32,
}

impl Pool for Tree {
    const DATA_HEADER_BYTES: u64 = 8;
    const NEEDS_MAP: bool = true;
    const FIGURES: [&'static str; 6] = [
        "treeftl.absorbed_writes",
        "treeftl.data_pages",
        "treeftl.dirty_pages",
        "treeftl.flushed_pages",
        "treeftl.read_hits",
        "treeftl.write_hits",
    ];

    type Settings = ();

    const SPEC: Spec = Spec {
        name: "treeftl",
        title: "TreeFTL",
        summary: "translation pages and, below them, data pages in one pool; the oldest subtree leaves first",
        source: "Wang & Wong, DATE 2013",
        ..Spec::DEMAND_PAGED
    };

    fn build(_setup: &Setup<()>, geometry: &Geometry) -> Result<Self, Error> {
        Ok(Tree {
            subtrees: RecentMap::new(geometry.translation_pages()),
            pages: Slab::default(),
            tokens: Tokens::new(geometry.logical_pages),
            links: Links::default(),
            entries_shift: geometry.entries_per_translation_page().ilog2(),
        })
    }

    fn use_map(&mut self, vtpn: Vtpn) {
        if self.subtrees.contains(vtpn.0) {
            self.subtrees.touch(vtpn.0);
        } else {
            self.subtrees.insert(vtpn.0, List::default());
        }
    }

    fn use_data(&mut self, lpn: Lpn, _op: Op) {
        let vtpn = self.parent(lpn);
        self.subtrees.touch(vtpn.0);
        let below = self.subtrees.get_mut(vtpn.0).expect("a data page has a translation page");
        if let Some(token) = self.tokens.get(lpn.0) {
            self.links.touch(below, token);
        } else {
            let token = self.pages.insert(lpn);
            self.tokens.set(lpn.0, token);
            self.links.grow(self.pages.tokens());
            self.links.push_front(below, token);
        }
    }

    fn next(&self) -> Pooled {
        let vtpn = self.subtrees.least_recent().expect("a full pool has pages");
        match self.subtrees.get(vtpn) {
            Some(below) if !below.is_empty() => Pooled::Data(self.pages[below.back()]),
            _ => Pooled::Map(Vtpn(vtpn)),
        }
    }

    fn remove(&mut self, page: Pooled) {
        match page {
            Pooled::Map(vtpn) => {
                self.subtrees.remove(vtpn.0);
            }
            Pooled::Data(lpn) => self.trim(lpn),
        }
    }

    fn trim(&mut self, lpn: Lpn) {
        let Some(token) = self.tokens.take(lpn.0) else { return };
        let parent = self.parent(lpn);
        let below = self.subtrees.get_mut(parent.0).expect("a data page has a translation page");
        unless_bug!(TreeKeepsTrimmed, {
            self.links.remove(below, token);
            self.pages.remove(token);
        });
    }

    fn audit(&self, is_mapped: &dyn Fn(Vtpn) -> bool, map_pages: usize, data_pages: usize) {
        self.subtrees.audit();
        assert_eq!(self.subtrees.len(), map_pages, "translation pages");
        assert_eq!(
            (self.pages.len(), self.tokens.audit_len()),
            (data_pages, data_pages),
            "data pages"
        );
        let mut below = 0;
        for (vtpn, list) in self.subtrees.iter() {
            assert!(is_mapped(Vtpn(vtpn)), "translation page {vtpn} is not in RAM");
            self.links.audit(list);
            below += list.len();
            for token in self.links.from_oldest(list) {
                let lpn = self.pages[token];
                assert_eq!(self.parent(lpn), Vtpn(vtpn), "data page {lpn} in the wrong subtree");
                assert_eq!(self.tokens.get(lpn.0), Some(token), "index of {lpn}");
            }
        }
        assert_eq!(below, data_pages, "data pages of all subtrees");
    }
}

impl Tree {
    const fn parent(&self, lpn: Lpn) -> Vtpn {
        Vtpn(lpn.0 >> self.entries_shift)
    }
}
