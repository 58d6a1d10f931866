//! Section 4.3, and the rules of 4.5 that limit it: the entries loaded with a page that misses.

use super::config::RequestPrefetch;
use super::{ENTRY_BYTES, Judge, Tpftl};
use crate::units::Lpn;

/// The request under translation, page after page, and which of its misses prefetch the rest of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    prefetch: RequestPrefetch,
    /// Whether the page translated last ended its request.
    ended: bool,
    at_first_page: bool,
    missed: bool,
}

impl Request {
    pub const fn new(prefetch: RequestPrefetch) -> Self {
        Request { prefetch, ended: true, at_first_page: true, missed: false }
    }

    /// Notes that a page of a request that ends at `last` is translated.
    #[inline]
    pub fn reach(&mut self, lpn: Lpn, last: Lpn) {
        self.at_first_page = self.ended;
        self.missed &= !self.ended;
        self.ended = lpn == last;
    }

    /// Notes that this page misses. Returns whether the rest of the request is prefetched.
    pub fn miss(&mut self) -> bool {
        let is_first = !std::mem::replace(&mut self.missed, true);
        match self.prefetch {
            RequestPrefetch::EachMiss => true,
            RequestPrefetch::FirstMiss => is_first,
            RequestPrefetch::FirstPage => self.at_first_page,
        }
    }
}

impl<J: Judge> Tpftl<J> {
    /// The last page to load. Request-level prefetching ends at `wanted`, the end of the request.
    /// Selective prefetching loads as many successors as there are cached predecessors. The farther
    /// of both counts, but at most `on_page`, the end of the translation page (4.5, rule 1).
    pub(super) fn prefetch_end(&mut self, lpn: Lpn, node: u32, wanted: Lpn, on_page: Lpn) -> Lpn {
        let mut end = wanted.max(lpn);
        if self.prefetches_successors() {
            end = end.max(Lpn(lpn.0.saturating_add(self.cached_predecessors(lpn, node))));
        } else if self.features.selective && end < on_page {
            let cached = |page| self.nodes.is_in(node, page);
            self.judge.refrained(node, lpn, Lpn(end.0 + 1), cached);
        }
        end.min(on_page)
    }

    /// Consecutive cached pages right before `lpn` in the node of its translation page.
    fn cached_predecessors(&self, lpn: Lpn, node: u32) -> u32 {
        (0..lpn.0).rev().take_while(|page| self.nodes.is_in(node, Lpn(*page))).count() as u32
    }

    /// Loads `lpn` and the uncached pages up to `end`, as far as `room` bytes allow (4.5, rule 2).
    pub(super) fn choose_load(&mut self, lpn: Lpn, end: Lpn, room: u64) {
        self.load.clear();
        self.load.push(lpn);
        for next in (lpn.0 + 1..=end.0).map(Lpn) {
            let entries = self.load.len() as u64 + unless_bug!(TpftlPrefetchesTooMany, 1, 0);
            if ENTRY_BYTES * entries > room {
                break;
            }
            let cached = self.nodes.find(next).is_some();
            let is_new = unless_bug!(
                TpftlPrefetchesCached,
                !cached,
                !cached || self.prefetch_at == super::PrefetchAt::Tail
            );
            if is_new {
                self.load.push(next);
            }
        }
    }
}
