//! The judge of `tpftl-adaptive`, which is ours: it measures the use of prefetched successors
//! (choices.md#tpftl-adaptive).
//!
//! Idea     a prefetched entry takes the place of one that was requested. Each later use of either
//!          saves one read of a translation page. Successors are therefore prefetched while the
//!          share of used guesses is at least the share of demanded entries that are used again. A
//!          guess ends when it is used or evicted, a demanded entry when it is evicted. While
//!          prefetching is off, each node watches the one successor that it did not load, so that a
//!          sequence enables it again. When as many entries have ended as the cache can hold, the
//!          counts of a share are halved.
//! RAM      TPFTL's, with four counts in place of its counter. A watched page takes none: its LPN
//!          is stored in place of the VTPN and implies it. The first page of a translation page has
//!          no predecessor, so its LPN means that none is watched.
//! Departs  from TPFTL: `threshold` is not used. The rest of a request is not a guess and is always
//!          prefetched.
//! Not here the savings of a prefetched mapping when GC moves its page; the stream of a guess.

use super::config::TpftlConfig;
use super::{Judge, Loaded};
use crate::ftl::design::Spec;
use crate::units::Lpn;
use std::collections::BTreeMap;

/// A share that decays: the part of ended entries that had been used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Share {
    used: u64,
    ended: u64,
}

impl Share {
    fn count(&mut self, used: bool, window: u64) {
        self.used += u64::from(used);
        self.ended += 1;
        let is_over = unless_bug!(JudgeNeverHalves, self.ended >= window, self.ended > window);
        if is_over {
            unless_bug!(JudgeKeepsUses, self.used /= 2);
            self.ended /= 2;
        }
    }

    /// Whether this share is at least the other. Without evidence every share is.
    const fn at_least(self, other: Share) -> bool {
        self.used * other.ended >= other.used * self.ended
    }
}

/// The use of an entry by the host since it was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Not used yet; its request continues with it.
    Due,
    /// Not used yet; it is a guess.
    Guessed,
    /// Requested once.
    Once,
    /// Requested again.
    Again,
}

/// Prefetches while guesses are used often enough.
#[derive(Clone, Debug)]
pub struct MeasuredUse {
    guesses: Share,
    demands: Share,
    /// Endings after which evidence is halved: the number of entries that fit into the cache.
    window: u64,
    /// By entry.
    uses: Vec<Use>,
    /// By node: the page that was not prefetched although its predecessor is cached.
    watched: Vec<Option<Lpn>>,
    guesses_used: u64,
    guesses_ended: u64,
}

impl MeasuredUse {
    /// A prefetched or watched page was used, or was dropped unused.
    fn guess_ends(&mut self, used: bool) {
        self.guesses.count(used, self.window);
        self.guesses_used += u64::from(used);
        self.guesses_ended += 1;
    }

    /// An entry that was requested leaves, used again or not.
    fn demand_ends(&mut self, used: bool) {
        self.demands.count(used, self.window);
    }

    /// The page that a node watches.
    fn watched(&mut self, node: u32) -> &mut Option<Lpn> {
        slot(&mut self.watched, node, None)
    }

    /// Stops watching this page, if its node watches it. Returns whether it did.
    fn stop_watching(&mut self, node: u32, lpn: Lpn) -> bool {
        let watched = self.watched(node);
        let found = *watched == Some(lpn);
        if found {
            unless_bug!(TpftlUseCountsTwice, *watched = None);
        }
        found
    }
}

/// The value of a token; `new` if it was never set.
fn slot<T: Clone>(values: &mut Vec<T>, token: u32, new: T) -> &mut T {
    let at = token as usize;
    if at >= values.len() {
        values.resize(at + 1, new);
    }
    &mut values[at]
}

impl Judge for MeasuredUse {
    const SPEC: Spec = Spec {
        name: "tpftl-adaptive",
        title: "TPFTL-adaptive",
        summary: "tpftl that prefetches successors while the measured use of prefetched entries is worth it",
        source: "this project; the parameters of tpftl but the threshold",
        ..Spec::SEARCHED
    };

    /// Four counts.
    const RAM_BYTES: u64 = 16;

    const DECIDES_ON_HITS: bool = true;

    fn build(_config: &TpftlConfig, entries: u64) -> Self {
        MeasuredUse {
            guesses: Share::default(),
            demands: Share::default(),
            window: entries.max(2),
            uses: Vec::new(),
            watched: Vec::new(),
            guesses_used: 0,
            guesses_ended: 0,
        }
    }

    fn prefetches(&self) -> bool {
        self.guesses.at_least(self.demands)
    }

    fn node_removed(&mut self, node: u32) {
        if self.watched(node).take().is_some() {
            self.guess_ends(false);
        }
    }

    fn missed(&mut self, node: u32, lpn: Lpn) {
        if self.stop_watching(node, lpn) {
            self.guess_ends(true);
        }
    }

    /// Watches the page that would have been prefetched, in place of the previous one.
    fn refrained(&mut self, node: u32, lpn: Lpn, next: Lpn, cached: impl Fn(Lpn) -> bool) {
        let follows = lpn.0.checked_sub(1).is_some_and(|before| cached(Lpn(before)));
        let is_uncached = || unless_bug!(TpftlWatchesCached, !cached(next), true);
        if follows && is_uncached() && self.watched(node).replace(next).is_some() {
            self.guess_ends(false);
        }
    }

    fn loaded(&mut self, entry: u32, node: u32, lpn: Lpn, why: Loaded) {
        let (used, asked) = match why {
            Loaded::OnDemand => (Use::Once, true),
            Loaded::WithRequest => (Use::Due, true),
            Loaded::AsSuccessor => (Use::Guessed, false),
        };
        *slot(&mut self.uses, entry, used) = used;
        if self.stop_watching(node, lpn) && asked {
            self.guess_ends(true);
        }
    }

    fn hit(&mut self, entry: u32) {
        let before = &mut self.uses[entry as usize];
        let used = match *before {
            Use::Due | Use::Guessed => Use::Once,
            Use::Once | Use::Again => Use::Again,
        };
        if std::mem::replace(before, used) == Use::Guessed {
            self.guess_ends(true);
        }
    }

    fn evicted(&mut self, entry: u32) {
        match self.uses[entry as usize] {
            Use::Due => {}
            Use::Guessed => self.guess_ends(false),
            Use::Once => self.demand_ends(false),
            Use::Again => self.demand_ends(true),
        }
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

    fn audit(&self, cached: impl Fn(Lpn) -> bool) {
        for share in [self.guesses, self.demands] {
            assert!(share.used <= share.ended, "more uses than endings: {share:?}");
            assert!(share.ended < self.window, "evidence that is not halved: {share:?}");
        }
        for lpn in self.watched.iter().flatten() {
            assert!(!cached(*lpn), "{lpn} is watched and cached");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::demand::Tpftl;
    use crate::ftl::demand::bench::Bench;
    use crate::units::Bytes;

    /// 6 translation pages of 128 mappings; the cache has room for `slots` entries and nodes.
    fn bench(slots: u64) -> Bench<Tpftl<MeasuredUse>> {
        Bench::<Tpftl<MeasuredUse>>::new(6 * 128, 512, |config| {
            config.ftl.cache = Some(Bytes(6 * slots))
        })
    }

    fn judge(window: u64) -> MeasuredUse {
        MeasuredUse::build(&TpftlConfig::default(), window)
    }

    /// Single-page requests. The paper's detector finds no sequence here, as it loads a node for
    /// each that it evicts.
    #[test]
    fn a_sequence_of_single_pages_misses_once_for_each_doubling() {
        let mut bench = bench(256);
        let loads = |lpn| bench.read(lpn).tp.0;
        let loads: Vec<u64> = (0..20).map(loads).collect();
        // 0 and 1 miss. 1 has one predecessor and prefetches 2; 3 has three and prefetches 4 to 6,
        // and so on.
        let misses = loads.iter().enumerate().filter(|(_, loads)| **loads == 1);
        let misses: Vec<usize> = misses.map(|(lpn, _)| lpn).collect();
        assert_eq!(misses, [0, 1, 3, 7, 15]);
    }

    /// Guesses must be used as often as demanded entries; halving makes the counts decay.
    #[test]
    fn guesses_must_be_used_as_often_as_demanded_entries_are_used_again() {
        let mut judge = judge(8);
        assert!(judge.prefetches(), "without evidence there is nothing to lose");
        for used in [true, false, true, false] {
            judge.demand_ends(used);
        }
        judge.guess_ends(true);
        judge.guess_ends(false);
        assert!(judge.prefetches(), "1 of 2 against 2 of 4");
        judge.guess_ends(false);
        assert!(!judge.prefetches(), "1 of 3 against 2 of 4");
        for _ in 0..4 {
            judge.guess_ends(true);
        }
        assert!(judge.prefetches(), "5 of 7");
        judge.guess_ends(true);
        assert_eq!(judge.guesses, Share { used: 3, ended: 4 }, "6 of 8, halved");
    }

    /// Unused guesses disable prefetching. Then the successor that was not loaded is watched, and a
    /// request for it counts as a used guess.
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
