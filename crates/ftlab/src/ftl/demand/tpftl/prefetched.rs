//! What becomes of prefetched entries, and what misses come from: for results alone, the cache decides nothing by it.
//!
//! Counting costs a hit one count; the rest happens on misses. An entry knows why it was loaded until it is used.
//! What an entry that left was good for is kept for each logical page.

use super::Loaded;
use crate::ftl::{Ahead, Misses, PrefetchMetrics};
use crate::units::Lpn;

/// What became of the mapping of a page when it left the cache last: it never did.
const NEW: u8 = 0;
const USED: u8 = 1;
const UNUSED: u8 = 2;

/// Counts since measuring started.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefetched {
    /// By why they were loaded: entries loaded, looked up first, and evicted before that. Those that the host asked for
    /// were looked up when they were loaded; so was, of a cache at the start of measuring, each entry.
    loaded: [u64; 3],
    hits: [u64; 3],
    unused: [u64; 3],
    misses: Misses,
    /// By logical page.
    past: Vec<u8>,
    /// Whether successors are prefetched.
    is_on: bool,
    switches: u64,
    /// Lookups before the one at which they were last switched on.
    on_since: u64,
    /// Lookups in the stretches before.
    on_before: u64,
}

impl Prefetched {
    pub fn new(logical_pages: u32, is_on: bool) -> Self {
        let past = vec![NEW; logical_pages as usize];
        Prefetched { past, is_on, ..Prefetched::default() }
    }

    /// Counts from now on. Entries that are cached count as used.
    pub fn restart(&mut self) {
        let past = vec![NEW; self.past.len()];
        *self = Prefetched { past, is_on: self.is_on, ..Prefetched::default() };
    }

    /// Entries were loaded ahead.
    pub fn loaded(&mut self, with_request: usize, successors: usize) {
        self.loaded[Loaded::WithRequest as usize] += with_request as u64;
        self.loaded[Loaded::AsSuccessor as usize] += successors as u64;
    }

    /// An entry is looked up that was loaded for this reason and not used since, or was used.
    #[inline]
    pub fn hit(&mut self, why: Loaded) {
        self.hits[why as usize] += 1;
    }

    /// A page misses; `in_sequence`, while its predecessor is cached and prefetching is off.
    pub fn missed(&mut self, lpn: Lpn, in_sequence: bool) {
        match self.past[lpn.index()] {
            NEW => self.misses.new += 1,
            USED => self.misses.evicted += 1,
            _ => self.misses.evicted_unused += 1,
        }
        self.misses.in_sequence += u64::from(in_sequence);
    }

    /// An entry leaves that was loaded for this reason and not used since, or was used.
    pub fn evicted(&mut self, lpn: Lpn, why: Loaded) {
        self.past[lpn.index()] = if why == Loaded::OnDemand { USED } else { UNUSED };
        self.unused[why as usize] += 1;
    }

    /// Notes during the lookup with this number, from 1, whether successors are prefetched after it.
    #[inline]
    pub fn note(&mut self, is_on: bool, lookup: u64) {
        if is_on != self.is_on {
            if self.is_on {
                self.on_before += lookup - self.on_since;
            }
            self.is_on = is_on;
            self.on_since = lookup;
            self.switches += 1;
        }
    }

    /// Entries that were prefetched.
    pub fn entries(&self) -> u64 {
        self.loaded[Loaded::WithRequest as usize] + self.loaded[Loaded::AsSuccessor as usize]
    }

    /// What was counted; all lookups were this many.
    pub fn metrics(&self, lookups: u64) -> PrefetchMetrics {
        let ahead = |why| {
            let why = why as usize;
            Ahead { loaded: self.loaded[why], used: self.hits[why], unused: self.unused[why] }
        };
        let on_now = if self.is_on { lookups - self.on_since } else { 0 };
        PrefetchMetrics {
            lookups_while_on: self.on_before + on_now,
            switches: self.switches,
            with_request: ahead(Loaded::WithRequest),
            successors: ahead(Loaded::AsSuccessor),
            misses: self.misses,
        }
    }

    /// Recomputes what must be: of the prefetched entries these are still in the cache, unused.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn audit(&self, cached: impl Iterator<Item = Loaded>) {
        let mut waiting = [0; 3];
        cached.for_each(|why| waiting[why as usize] += 1);
        for why in [Loaded::WithRequest, Loaded::AsSuccessor].map(|why| why as usize) {
            let ended = self.hits[why] + self.unused[why];
            assert_eq!(self.loaded[why], ended + waiting[why], "what became of prefetched entries");
        }
    }
}
