//! Page-granular write-back LRU cache (DFTL's journal version, 2013).
//!
//! Idea     the page accessed longest ago leaves; if it is dirty, it is written through the FTL.
//! Role     what DFTL can have for the RAM that a whole page map would take (choices.md#lru-cache).
//! Evidence the abstract says "write-back cache" and no more: page granularity, LRU, and that reads
//!          are kept are reconstructed from the remains in `FlashSim`.

use super::{BufferConfig, BufferDesign, WriteBuffer};
use crate::cache::links::{Links, List};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;
use crate::units::Lpn;

/// Pages by recency.
#[derive(Clone, Debug)]
pub struct Lru {
    capacity: usize,
    pages: Slab<Lpn>,
    of_page: Tokens,
    links: Links,
    /// The back was accessed longest ago.
    recency: List,
}

impl BufferDesign for Lru {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "lru",
        summary: "write-back cache of single pages, read or written; the oldest leaves",
        source: "Kim, Gupta & Urgaonkar, DFTL's journal version, 2013",
    };

    fn build(config: &BufferConfig, (): (), geometry: &Geometry) -> Result<Self, Error> {
        Ok(Lru {
            capacity: config.pages(geometry)?,
            pages: Slab::default(),
            of_page: Tokens::new(geometry.logical_pages),
            links: Links::default(),
            recency: List::default(),
        })
    }
}

impl Lru {
    fn take(&mut self, token: u32) -> Lpn {
        self.links.remove(&mut self.recency, token);
        let lpn = self.pages.remove(token);
        self.of_page.take(lpn.0);
        lpn
    }
}

impl WriteBuffer for Lru {
    fn has_room(&self) -> bool {
        self.len() < self.capacity
    }

    fn insert(&mut self, lpn: Lpn, _: Op) {
        let token = self.pages.insert(lpn);
        self.of_page.set(lpn.0, token);
        self.links.grow(self.pages.tokens());
        self.links.push_front(&mut self.recency, token);
    }

    fn touch(&mut self, lpn: Lpn, _: Op) {
        let token = self.of_page.get(lpn.0).expect("the page is here");
        self.links.touch(&mut self.recency, token);
    }

    fn evict(&mut self, leaving: &mut Vec<Lpn>) {
        leaving.push(self.take(self.recency.back()));
    }

    fn remove(&mut self, lpn: Lpn) {
        let token = self.of_page.get(lpn.0).expect("the page is here");
        self.take(token);
    }

    fn len(&self) -> usize {
        self.pages.len()
    }

    fn keeps_reads(&self) -> bool {
        true
    }

    fn audit(&self) {
        assert!(self.len() <= self.capacity, "{} pages in {}", self.len(), self.capacity);
        self.links.audit(&self.recency);
        assert_eq!(self.recency.len(), self.len(), "pages by recency");
        for (token, lpn) in self.pages.iter() {
            assert_eq!(self.of_page.get(lpn.0), Some(token), "the token of page {lpn}");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;

    #[test]
    fn the_page_used_longest_ago_leaves_and_reads_count_as_use() {
        let mut bench = Bench::plain("lru", 3);
        assert!(bench.writes(&[1, 2, 3]).is_empty());
        bench.reads(&[1]);
        assert_eq!(bench.writes(&[4, 1, 5]), [[2], [3]]);
        assert_eq!(bench.reads(&[9]), [[4]], "a page that is read takes room, too");
    }
}
