//! Section 4.3, and the rules of 4.5 that limit it: what is loaded with a page that misses.

use super::{ENTRY_BYTES, Judge, Tpftl};
use crate::units::Lpn;

impl<J: Judge> Tpftl<J> {
    /// The last page to load: the end of the request (request-level prefetching) or as many successors as
    /// there are cached predecessors (selective prefetching), whichever is farther, but never beyond
    /// the translation page (4.5, rule 1), which ends `on_page`.
    pub(super) fn prefetch_end(
        &mut self,
        lpn: Lpn,
        node: u32,
        last_of_request: Lpn,
        on_page: Lpn,
    ) -> Lpn {
        let mut end = if self.features.request { last_of_request.max(lpn) } else { lpn };
        if self.features.selective && self.judge.prefetches() {
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
            if unless_bug!(
                TpftlPrefetchesCached,
                !cached,
                !cached || self.prefetch_at == super::PrefetchAt::Tail
            ) {
                self.load.push(next);
            }
        }
    }
}
