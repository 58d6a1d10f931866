//! CFLRU, clean first LRU (Park, Jung, Kang, Kim & Lee, CASES 2006).
//!
//! ```text
//! used last | working part | window | used longest ago
//! ```
//!
//! Idea     a page cache of reads and writes. Among the pages of the window, the part of the list that
//!          was used longest ago, the oldest clean page leaves: that costs nothing. Only a window
//!          without one gives up a dirty page.
//! Evidence stated in TPFTL 2.2, which calls it the root of its clean-first replacement. The size of the
//!          window is a parameter; public codes have 1/10 or 1/2 of the cache (choices.md#cflru-window).

use super::{BufferConfig, BufferDesign, WriteBuffer};
use crate::cache::links::{Links, List, NIL};
use crate::cache::slab::Slab;
use crate::cache::tokens::Tokens;
use crate::error::Error;
use crate::flash::Geometry;
use crate::named::Spec;
use crate::request::Op;
use crate::units::{Lpn, Ratio};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Page {
    lpn: Lpn,
    dirty: bool,
    in_window: bool,
}

crate::settings! {
    /// Settings of `cflru`.
    pub struct CflruConfig in "buffer" {
        /// CFLRU: share of the pages, those used longest ago, among which a clean one leaves first.
        window: Ratio = Ratio(0.25), in 0.0..=1.0, laws [0.0, 0.25, 1.0].map(Ratio),
            source "choices.md#cflru-window";
    }
}

/// Pages by recency, and the clean ones of the window once more.
#[derive(Clone, Debug)]
pub struct Cflru {
    capacity: usize,
    window: usize,
    pages: Slab<Page>,
    of_page: Tokens,
    links: Links,
    working: List,
    old: List,
    clean_links: Links,
    /// Clean pages of the window, the back used longest ago.
    clean: List,
}

impl BufferDesign for Cflru {
    type Settings = CflruConfig;

    const SPEC: Spec = Spec {
        name: "cflru",
        summary: "page cache; of those used longest ago, a clean page leaves first",
        source: "Park et al., CASES 2006",
    };

    fn build(config: &BufferConfig, own: CflruConfig, geometry: &Geometry) -> Result<Self, Error> {
        let capacity = config.pages(geometry)?;
        Ok(Cflru {
            capacity,
            window: (capacity as f64 * own.window.0).round() as usize,
            pages: Slab::default(),
            of_page: Tokens::new(geometry.logical_pages),
            links: Links::default(),
            working: List::default(),
            old: List::default(),
            clean_links: Links::default(),
            clean: List::default(),
        })
    }
}

impl Cflru {
    fn token(&self, lpn: Lpn) -> u32 {
        self.of_page.get(lpn.0).expect("the page is here")
    }

    /// Takes a page off its lists.
    fn unlink(&mut self, token: u32) {
        let page = self.pages[token];
        if !page.in_window {
            return self.links.remove(&mut self.working, token);
        }
        self.links.remove(&mut self.old, token);
        if !page.dirty {
            self.clean_links.remove(&mut self.clean, token);
        }
    }

    fn take(&mut self, token: u32) -> Lpn {
        self.unlink(token);
        let lpn = self.pages.remove(token).lpn;
        self.of_page.take(lpn.0);
        self.shift();
        lpn
    }

    /// Pages become old until the window has its size: the last `window` pages of all.
    fn shift(&mut self) {
        while self.old.len() < self.window && !self.working.is_empty() {
            let oldest = self.working.back();
            self.links.remove(&mut self.working, oldest);
            self.links.push_front(&mut self.old, oldest);
            self.pages[oldest].in_window = true;
            if !self.pages[oldest].dirty {
                self.clean_links.push_front(&mut self.clean, oldest);
            }
        }
    }
}

impl WriteBuffer for Cflru {
    fn has_room(&self) -> bool {
        self.len() < self.capacity
    }

    fn insert(&mut self, lpn: Lpn, op: Op) {
        let dirty = op == Op::Write;
        let token = self.pages.insert(Page { lpn, dirty, in_window: false });
        self.of_page.set(lpn.0, token);
        self.links.grow(self.pages.tokens());
        self.clean_links.grow(self.pages.tokens());
        self.links.push_front(&mut self.working, token);
    }

    fn touch(&mut self, lpn: Lpn, op: Op) {
        let token = self.token(lpn);
        self.unlink(token);
        let page = &mut self.pages[token];
        page.dirty |= op == Op::Write;
        page.in_window = false;
        self.links.push_front(&mut self.working, token);
    }

    fn evict(&mut self, leaving: &mut Vec<Lpn>) {
        self.shift();
        let lists = [&self.clean, &self.old, &self.working];
        let oldest = lists.map(List::back).into_iter().find(|token| *token != NIL);
        leaving.push(self.take(oldest.expect("a page is here")));
    }

    fn remove(&mut self, lpn: Lpn) {
        self.take(self.token(lpn));
    }

    fn len(&self) -> usize {
        self.pages.len()
    }

    fn keeps_reads(&self) -> bool {
        true
    }

    fn audit(&self) {
        assert!(self.len() <= self.capacity, "{} pages in {}", self.len(), self.capacity);
        assert!(self.old.len() <= self.window, "the window is too large");
        self.links.audit(&self.working);
        self.links.audit(&self.old);
        self.clean_links.audit(&self.clean);
        let old = || self.pages.iter().filter(|(_, page)| page.in_window);
        assert_eq!(old().count(), self.old.len(), "pages of the window");
        let clean = old().filter(|(_, page)| !page.dirty).count();
        assert_eq!(clean, self.clean.len(), "clean pages of the window");
        assert_eq!(self.working.len() + self.old.len(), self.len(), "pages by recency");
    }
}

#[cfg(test)]
mod tests {
    use crate::buffer::bench::Bench;
    use crate::buffer::cflru::CflruConfig;
    use crate::units::Ratio;

    /// From the one used longest ago, a* b c d* (dirty with a star), and a window of 2.
    #[test]
    fn the_oldest_clean_page_of_the_window_leaves() {
        let mut bench = Bench::new("cflru", 4, CflruConfig { window: Ratio(0.5) });
        bench.writes(&[0]);
        bench.reads(&[1, 2]);
        bench.writes(&[3]);
        assert_eq!(bench.writes(&[4]), [[1]]);
        assert_eq!(bench.writes(&[5]), [[2]], "0 and 2 are the window now");
        assert_eq!(bench.writes(&[6]), [[0]], "no clean page is left");
    }
}
