//! Who decides whether the successors of a cached run are prefetched: the paper's
//! [`SequenceDetector`](super::SequenceDetector), which watches the number of nodes, or [`MeasuredUse`],
//! ours, which watches what becomes of the guesses. With that, TPFTL is `tpftl-adaptive`:
//!
//! Idea     a prefetched entry takes the place of one that was asked for, and each later use of either
//!          saves one read of a translation page. So successors are prefetched while the share of guesses
//!          that are used is at least the share of demanded entries that are used again. A guess ends
//!          when it is used or evicted, a demanded entry when it is evicted. While prefetching is off,
//!          each node watches the one successor that it did not load, so that a sequence switches it on
//!          again. When as many have ended as the cache has room for, the counts of a share are halved.
//! RAM      TPFTL's, with four counts in place of its counter. What a node watches takes none: as an LPN in
//!          place of the VTPN it says both, and the first page of a translation page, which has no
//!          predecessor, says that none is watched.
//! Departs  from TPFTL: `threshold` is not used. The rest of a request is no guess and always prefetched.
//! Not here what a prefetched mapping saves when GC moves its page; which stream a guess belongs to.

use super::config::TpftlConfig;
use crate::error::Error;
use std::collections::BTreeMap;

/// Decides when successors are prefetched.
pub trait Judge: Send + Sized {
    /// Bytes of RAM beside the cache.
    const RAM_BYTES: u64;
    /// Whether pages that were not prefetched are watched.
    const WATCHES: bool = false;

    /// For a cache with room for so many entries.
    ///
    /// # Errors
    /// [`Error::Config`] when a parameter cannot work.
    fn build(config: &TpftlConfig, entries: u64) -> Result<Self, Error>;

    /// Whether to prefetch now.
    fn wants_successors(&self) -> bool;

    /// Nodes were added (1) or removed (-1).
    fn count_nodes(&mut self, _change: i64) {}

    /// A prefetched or watched page was used, or was given up unused.
    fn guess_ends(&mut self, _used: bool) {}

    /// An entry that was asked for leaves, used again or not.
    fn demand_ends(&mut self, _used: bool) {}

    /// Figures of this judge alone.
    fn metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    /// Starts counting anew.
    fn reset_metrics(&mut self) {}

    /// Recomputes the invariants.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self);
}

/// A share that forgets: how many of those that ended had been used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    used: u64,
    ended: u64,
}

impl Share {
    fn count(&mut self, used: bool, window: u64) {
        self.used += u64::from(used);
        self.ended += 1;
        if self.ended >= window {
            self.used /= 2;
            self.ended /= 2;
        }
    }

    /// Whether this share is at least the other; without evidence every share is.
    const fn at_least(self, other: Share) -> bool {
        self.used * other.ended >= other.used * self.ended
    }
}

/// Prefetches while guesses are worth their place.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredUse {
    guesses: Share,
    demands: Share,
    /// Endings after which evidence is halved: the entries that the cache has room for.
    window: u64,
    guesses_used: u64,
    guesses_ended: u64,
}

impl Judge for MeasuredUse {
    /// Four counts.
    const RAM_BYTES: u64 = 16;
    const WATCHES: bool = true;

    fn build(_config: &TpftlConfig, entries: u64) -> Result<Self, Error> {
        Ok(MeasuredUse {
            guesses: Share::default(),
            demands: Share::default(),
            window: entries.max(2),
            guesses_used: 0,
            guesses_ended: 0,
        })
    }

    fn wants_successors(&self) -> bool {
        self.guesses.at_least(self.demands)
    }

    fn guess_ends(&mut self, used: bool) {
        self.guesses.count(used, self.window);
        self.guesses_used += u64::from(used);
        self.guesses_ended += 1;
    }

    fn demand_ends(&mut self, used: bool) {
        self.demands.count(used, self.window);
    }

    fn metrics(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([
            ("tpftl-adaptive.guesses", self.guesses_ended),
            ("tpftl-adaptive.guesses_used", self.guesses_used),
        ])
    }

    fn reset_metrics(&mut self) {
        self.guesses_used = 0;
        self.guesses_ended = 0;
    }

    fn audit(&self) {
        for share in [self.guesses, self.demands] {
            assert!(share.used <= share.ended, "more uses than endings: {share:?}");
            assert!(share.ended < self.window, "evidence that is not halved: {share:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::demand::Tpftl;
    use crate::ftl::demand::bench::Bench;
    use crate::units::Bytes;

    /// 6 translation pages of 128 mappings; the cache has room for so many entries and nodes.
    fn bench(slots: u64) -> Bench<Tpftl<MeasuredUse>> {
        Bench::new(6 * 128, 512, |config| config.ftl.cache = Some(Bytes(6 * slots)))
    }

    fn judge(window: u64) -> MeasuredUse {
        MeasuredUse::build(&TpftlConfig::default(), window).expect("a judge")
    }

    /// Single-page requests: the paper's detector sees no sequence here, as it loads a node for each
    /// that it evicts.
    #[test]
    fn a_sequence_of_single_pages_misses_once_for_each_doubling() {
        let mut bench = bench(256);
        let loads = |lpn| bench.read(lpn).tp.0;
        let loads: Vec<u64> = (0..20).map(loads).collect();
        // 0 and 1 miss; 1 has one predecessor and takes 2 along, 3 has three and takes 4 to 6, ...
        let misses = loads.iter().enumerate().filter(|(_, loads)| **loads == 1);
        let misses: Vec<usize> = misses.map(|(lpn, _)| lpn).collect();
        assert_eq!(misses, [0, 1, 3, 7, 15]);
    }

    /// As many guesses as demanded entries must be used; halving forgets.
    #[test]
    fn guesses_must_be_used_as_often_as_demanded_entries_are_used_again() {
        let mut judge = judge(8);
        assert!(judge.wants_successors(), "without evidence there is nothing to lose");
        for used in [true, false, true, false] {
            judge.demand_ends(used);
        }
        judge.guess_ends(true);
        judge.guess_ends(false);
        assert!(judge.wants_successors(), "1 of 2 against 2 of 4");
        judge.guess_ends(false);
        assert!(!judge.wants_successors(), "1 of 3 against 2 of 4");
        for _ in 0..4 {
            judge.guess_ends(true);
        }
        assert!(judge.wants_successors(), "5 of 7");
        judge.guess_ends(true);
        assert_eq!(judge.guesses, Share { used: 3, ended: 4 }, "6 of 8, halved");
    }

    /// Unused guesses switch prefetching off; then the successor that was not loaded is watched, and
    /// asking for it counts as a guess that was used.
    #[test]
    fn what_was_not_prefetched_is_watched() {
        let mut bench = bench(256);
        bench.ftl.cache.judge.demand_ends(true);
        bench.ftl.cache.judge.guess_ends(false);
        let shares = |bench: &Bench<Tpftl<MeasuredUse>>| bench.ftl.cache.judge.guesses;
        bench.read(10);
        bench.read(11);
        assert_eq!(bench.cached(), [(10, false), (11, false)], "12 is not loaded");
        assert_eq!(shares(&bench), Share { used: 0, ended: 1 });
        bench.read(12);
        assert_eq!(shares(&bench), Share { used: 1, ended: 2 }, "12 would have been used");
        bench.read(50);
        bench.read(51);
        assert_eq!(shares(&bench), Share { used: 1, ended: 3 }, "52 in place of 13, unused");
    }

    /// With room for four entries and a node, guesses are evicted before they are used.
    #[test]
    fn guesses_that_are_evicted_are_counted_as_unused() {
        let mut bench = bench(5);
        bench.read(10);
        bench.read(11);
        assert_eq!(bench.cached(), [(10, false), (11, false), (12, false)]);
        for lpn in [200, 300, 400, 500] {
            bench.read(lpn);
        }
        let counts = bench.ftl.cache.judge.metrics();
        assert_eq!(counts["tpftl-adaptive.guesses"], 1);
        assert_eq!(counts["tpftl-adaptive.guesses_used"], 0);
    }
}
