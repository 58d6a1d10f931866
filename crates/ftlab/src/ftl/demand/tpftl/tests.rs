//! Figures 4 and 5 of the paper, step by step, and its claims.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{Device, Operation};
use crate::ftl::Access;
use crate::ftl::Design;
use crate::ftl::demand::DemandFtl;
use crate::ftl::demand::bench::Bench;
use crate::ftl::{Ahead, Ftl, Misses, RamUse};
use crate::units::{Bytes, Ratio};

/// 6 translation pages of 1024 mappings, as in the figures of the paper.
fn bench(slots: u64, features: &str) -> Bench<Tpftl> {
    bench_with(slots, features, |_| ())
}

fn bench_with(slots: u64, features: &str, set: impl FnOnce(&mut TpftlConfig)) -> Bench<Tpftl> {
    let features = String::from(features);
    Bench::<Tpftl>::new(6 * 1024, 4096, |config| {
        config.device.pages_per_block = 64;
        config.device.over_provisioning = Ratio(0.3);
        config.ftl.cache = Some(Bytes(6 * slots));
        config.own.features = features.try_into().expect("features");
        set(&mut config.own);
    })
}

/// `1:336` of the paper's notation.
fn at(vtpn: u32, offset: u32) -> u32 {
    vtpn * 1024 + offset
}

/// Figure 4: 1:334 and 1:335 are cached, 3:27 is the coldest node, the cache is
/// full, selective prefetching is on; 1:336 misses.
#[test]
fn figure_4_selective_prefetching() {
    let mut bench = bench(6, "rsbc");
    bench.read(at(3, 27));
    bench.read(at(1, 334));
    bench.read(at(1, 335));
    bench.ftl.cache.judge.active = true;
    bench.ftl.cache.judge.counter = 0;
    // 3 entries, 2 nodes: one slot of 6 is free; fill it with 1:500.
    bench.ftl.cache.features.selective = false;
    bench.read(at(1, 500));
    bench.ftl.cache.features.selective = true;
    assert_eq!(bench.ftl.cache.used, 36);

    let cost = bench.read(at(1, 336));
    assert_eq!(cost.tp, (1, 0));
    let cached = [at(1, 334), at(1, 335), at(1, 336), at(1, 337), at(1, 500)];
    assert_eq!(bench.cached(), cached.map(|lpn| (lpn, false)));
    assert_eq!(bench.ftl.cache.judge.counter, -1);
    assert!(bench.ftl.cache.judge.active, "the flag stays on");
    assert_eq!(bench.ftl.cache.nodes.len(), 1);
}

/// Figure 5: node 5 holds clean 979, 435 and dirty 55, 56, 436, node 0 exists;
/// three entries of node 0 are loaded.
#[test]
fn figure_5_batch_update_and_clean_first() {
    let mut bench = bench(8, "rsbc");
    for offset in [55, 56, 436] {
        bench.write(at(5, offset));
    }
    for offset in [979, 435] {
        bench.read(at(5, offset));
    }
    bench.read(at(0, 7));
    assert_eq!(bench.ftl.cache.used, 48, "full");

    bench.ftl.reset_metrics();
    let cost = bench.read_request(at(0, 1000), at(0, 1002));
    assert_eq!(cost.tp, (2, 1));
    let expected = [at(0, 7), at(0, 1000), at(0, 1001), at(0, 1002), at(5, 56), at(5, 436)];
    assert_eq!(bench.cached(), expected.map(|lpn| (lpn, false)));
    let counts = bench.ftl.cache.counts();
    assert_eq!((counts.replacements, counts.dirty_replacements), (3, 1));
    assert_eq!((counts.lookups, counts.hits), (3, 2), "one miss for the request");
}

/// Three dirty victims of one node. 4.5 promises at most one update per translation. With single
/// write-backs, as in DFTL, they cost one each (choices.md#tpftl-dirty-victims).
#[test]
fn without_batch_update_dirty_victims_are_written_together_or_one_by_one() {
    for (dirty_victims, tp) in [(DirtyVictims::Together, (2, 1)), (DirtyVictims::Each, (4, 3))] {
        let mut bench = bench_with(8, "rs", |own| own.dirty_victims = dirty_victims);
        for offset in [55, 56, 436] {
            bench.write(at(5, offset));
        }
        for offset in [979, 435] {
            bench.read(at(5, offset));
        }
        bench.read(at(0, 7));
        let cost = bench.read_request(at(0, 1000), at(0, 1002));
        assert_eq!(cost.tp, tp, "{dirty_victims:?}");
        let counts = bench.ftl.cache.counts();
        assert_eq!((counts.replacements, counts.dirty_replacements), (3, 3));
    }
}

/// Figure 5 without `b`: only 55 is written; 56 and 436 remain dirty.
#[test]
fn without_batch_update_only_the_victim_is_written() {
    let mut bench = bench(8, "rsc");
    for offset in [55, 56, 436] {
        bench.write(at(5, offset));
    }
    for offset in [979, 435] {
        bench.read(at(5, offset));
    }
    bench.read(at(0, 7));
    assert_eq!(bench.read_request(at(0, 1000), at(0, 1002)).tp, (2, 1));
    let dirty: Vec<_> = bench.cached().into_iter().filter(|(_, dirty)| *dirty).collect();
    assert_eq!(dirty, [(at(5, 56), true), (at(5, 436), true)]);
}

/// Without `c` the least recent entry leaves first, dirty or not.
#[test]
fn without_clean_first_recency_alone_decides() {
    let mut bench = bench(8, "rsb");
    for offset in [55, 56, 436] {
        bench.write(at(5, offset));
    }
    for offset in [979, 435] {
        bench.read(at(5, offset));
    }
    bench.read(at(0, 7));
    bench.ftl.reset_metrics();
    assert_eq!(bench.read_request(at(0, 1000), at(0, 1002)).tp, (2, 1));
    let counts = bench.ftl.cache.counts();
    assert_eq!((counts.replacements, counts.dirty_replacements), (3, 1), "55 cleans 56 and 436");
    let left: Vec<u32> = bench.cached().into_iter().map(|(lpn, _)| lpn).collect();
    assert_eq!(left[4..], [at(5, 435), at(5, 979)]);
}

/// WiscSee quotes the authors: request 0..2047 loads 0..1023 on the miss of 0 and 1024..2047 on
/// the miss of 1024.
#[test]
fn a_long_request_misses_once_per_translation_page() {
    let mut bench = bench(4096, "rsbc");
    let cost = bench.read_request(0, 2047);
    assert_eq!((cost.tp, cost.data), ((2, 0), (2048, 0)));
    assert_eq!(bench.ftl.cache.counts().hits, 2046);
}

/// Of a request for 0 to 6, pages 1 and 4 are cached, or 0 and 3. 4.3 mentions its first page, but
/// its aim is one miss for each request (choices.md#tpftl-trigger).
#[test]
fn which_misses_prefetch_the_rest_of_a_request() {
    for (prefetch, first_misses, first_hits) in [
        (RequestPrefetch::EachMiss, 1, 1),
        (RequestPrefetch::FirstMiss, 1, 1),
        (RequestPrefetch::FirstPage, 1, 5),
    ] {
        for (cached, misses) in [([1, 4], first_misses), ([0, 3], first_hits)] {
            let mut bench = bench_with(100, "r", |own| own.request_prefetch = prefetch);
            for lpn in cached {
                bench.read(lpn);
            }
            let cost = bench.read_request(0, 6);
            assert_eq!(cost.tp, (misses, 0), "{prefetch:?}, {cached:?} are cached");
        }
    }
}

/// Rule 1 ends a prefetch where the translation page ends. Only with prefetches by each miss is the
/// rest there prefetched, too.
#[test]
fn a_request_that_goes_on_to_another_translation_page_misses_again_there() {
    for (prefetch, misses) in [
        (RequestPrefetch::EachMiss, 2),
        (RequestPrefetch::FirstMiss, 1 + 4),
        (RequestPrefetch::FirstPage, 1 + 4),
    ] {
        let mut bench = bench_with(100, "r", |own| own.request_prefetch = prefetch);
        let cost = bench.read_request(at(1, 1020), at(2, 3));
        assert_eq!(cost.tp, (misses, 0), "{prefetch:?}");
    }
}

/// Section 4.4: a GC miss also writes the cached dirty entries of its translation page.
#[test]
fn a_gc_miss_cleans_the_cached_entries_of_its_page() {
    let mut bench = bench(64, "rsbc");
    bench.write(at(2, 5));
    bench.write(at(3, 5));
    let victim = bench.ftl.store.pages.mapping_on_flash(Lpn(at(2, 100))).expect("mapped");
    let pbn = bench.flash.geometry().block_of(victim);
    bench.flash.start_measuring();
    bench.ftl.collect_data_block(pbn, &mut bench.flash);
    let rewritten = bench.flash.ledger().get(Operation::Program, Cause::GcMapping);
    assert_eq!(rewritten, 1, "64 neighbours share a translation page");
    assert_eq!(bench.cached(), [(at(2, 5), false), (at(3, 5), true)]);
}

/// Four nodes, touched in one order and then in the reverse one, are equally hot. The node touched
/// longest ago leaves first, whatever left before (choices.md#tpftl-hotness).
#[test]
fn among_equally_hot_nodes_the_one_touched_longest_ago_goes_first() {
    let mut bench = bench(4 * 3, "-");
    for vtpn in 0..4 {
        bench.read(at(vtpn, 0));
    }
    for vtpn in (0..4).rev() {
        bench.read(at(vtpn, 1));
    }
    let held = |bench: &Bench<Tpftl>| {
        let cached: Vec<u32> = bench.cached().iter().map(|(lpn, _)| *lpn).collect();
        [0, 1, 2, 3].map(|vtpn| cached.iter().filter(|lpn| *lpn / 1024 == vtpn).count())
    };
    bench.read(at(4, 0));
    assert_eq!(held(&bench), [2, 2, 2, 0]);
    bench.read(at(5, 0));
    assert_eq!(held(&bench), [2, 2, 1, 0]);
}

#[test]
fn a_cache_of_one_entry_and_its_node_works() {
    let mut bench = bench(2, "rsbc");
    for lpn in [0, 1, 2000, 1, 2000, 2001] {
        bench.write(lpn);
        assert_eq!(bench.cached(), [(lpn, true)]);
    }
    assert!(bench.read_request(0, 100).tp.0 <= 102);
}

/// A run that the detector does not find, then the same run prefetched; entries that are never
/// looked up; a lookup of one of them and of a used one.
#[test]
fn what_becomes_of_prefetched_entries_is_counted() {
    let mut bench = bench(8, "rsbc");
    let ahead = |bench: &Bench<Tpftl>| bench.ftl.metrics().prefetch.expect("it prefetches");
    bench.read_request(0, 1);
    bench.read(2);
    assert_eq!(ahead(&bench).misses, Misses { new: 2, in_sequence: 1, ..Misses::default() });
    bench.ftl.cache.judge.active = true;
    bench.ftl.cache.note_whether_on();
    // 3 has three cached predecessors: 4 to 6 are loaded with it. Only its own node has room for
    // them.
    bench.read(3);
    bench.read(4);
    let all = ahead(&bench);
    assert_eq!(all.with_request, Ahead { loaded: 1, used: 1, unused: 0 });
    assert_eq!(all.successors, Ahead { loaded: 3, used: 1, unused: 0 });
    assert_eq!((all.lookups_while_on, all.switches), (2, 1));

    // Two other nodes take the room of the first: 0 to 3, last used, and 5 and 6, never used, leave before 4.
    bench.read_request(at(1, 0), at(1, 5));
    bench.read(at(2, 0));
    assert!(bench.cached().iter().all(|(lpn, _)| *lpn > 1000), "{:?}", bench.cached());
    bench.read(5);
    bench.read(2);
    let all = ahead(&bench);
    assert_eq!(all.successors, Ahead { loaded: 3, used: 1, unused: 2 });
    let Misses { evicted, evicted_unused, .. } = all.misses;
    assert_eq!((evicted, evicted_unused), (1, 1), "2 was used, 5 was not");

    bench.ftl.reset_metrics();
    let all = ahead(&bench);
    assert_eq!(all, PrefetchMetrics::default());
    bench.read(2);
    assert_eq!(ahead(&bench), all, "a hit of an entry that was loaded before");
}

/// With k nodes at most 1365 - k entries (choices.md#tpftl-node).
#[test]
fn ram_is_the_papers() {
    let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
    let mut ftl = DemandFtl::<Tpftl>::build(&Setup::default(), &mut flash).expect("an FTL");
    assert_eq!(ftl.ram(), RamUse { tables: 513, cache: 8192, buffer: 0 });
    for k in 0..5000_u32 {
        ftl.read(Access::read(&[Lpn(k.wrapping_mul(2_654_435_761) % 131_072)]), &mut flash);
        let occupancy = ftl.cache.occupancy();
        assert!(occupancy.entries + occupancy.translation_pages <= 1365);
    }
    let occupancy = ftl.cache.occupancy();
    assert_eq!(occupancy.entries + occupancy.translation_pages, 1365, "full");
}
