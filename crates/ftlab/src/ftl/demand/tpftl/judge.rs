//! The rule that decides when the successors of a cached run are prefetched.

use super::config::TpftlConfig;
use crate::ftl::design::Spec;
use crate::units::Lpn;
use std::collections::BTreeMap;

/// Decides when selective prefetching is on. It is notified of events in the lists, and knows nodes
/// and entries by their tokens.
pub trait Judge: Clone + Send + 'static + Sized {
    /// The FTL that it makes.
    const SPEC: Spec;

    /// Bytes of RAM in addition to the cache.
    const RAM_BYTES: u64;

    /// Whether hits also affect the decision.
    const DECIDES_ON_HITS: bool = false;

    /// A judge for a cache with room for `entries` entries.
    fn build(config: &TpftlConfig, entries: u64) -> Self;

    /// Whether to prefetch the successors of a cached run now.
    fn prefetches(&self) -> bool;

    /// A node was added.
    fn node_added(&mut self) {}

    /// A node was removed.
    fn node_removed(&mut self, _node: u32) {}

    /// The host requests a page that is not cached, while the node of its translation page is.
    fn missed(&mut self, _node: u32, _lpn: Lpn) {}

    /// Successors are not prefetched on a miss of `lpn`. The first page not loaded with it is
    /// `next`, on the same translation page. `cached` returns whether an entry is in the node.
    fn refrained(&mut self, _node: u32, _lpn: Lpn, _next: Lpn, _cached: impl Fn(Lpn) -> bool) {}

    /// An entry was loaded.
    fn loaded(&mut self, _entry: u32, _node: u32, _lpn: Lpn, _why: Loaded) {}

    /// A cached entry was used to translate.
    fn hit(&mut self, _entry: u32) {}

    /// An entry is about to be evicted.
    fn evicted(&mut self, _entry: u32) {}

    /// Metrics of this judge only.
    fn metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    /// Resets the counts.
    fn reset_metrics(&mut self) {}

    /// Recomputes the invariants; `cached` returns whether an entry is cached.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self, cached: impl Fn(Lpn) -> bool);
}

/// The reason why an entry is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// The host requested it.
    OnDemand,
    /// Its request continues with it.
    WithRequest,
    /// It follows a cached run.
    AsSuccessor,
}
