//! Caches under independent references with Zipf popularity, against King, Che, and what follows
//! from Che for DFTL's cached map.

use crate::bench::{Popular, config, page, serve, simulation};
use ftlab::cache::segmented_lru::SegmentedLru;
use ftlab::config::Config;
use ftlab::flash::{Cause, Operation};
use ftlab::ftl::demand::{DemandFtl, Dftl, MappingCache, Tpftl};
use ftlab::ftl::{Ftl, MappingCounts};
use ftlab::model::caching;
use ftlab::request::Op;
use ftlab::rng::Rng;
use ftlab::simulate::Simulator;
use serde_json::json;

/// A cache of `entries` pages in the order of the container; FIFO when hits are not told.
struct Cache {
    order: SegmentedLru,
    held: Vec<bool>,
    len: usize,
    entries: usize,
    tell_hits: bool,
}

impl Cache {
    fn new(pages: usize, entries: usize, tell_hits: bool) -> Self {
        let order = SegmentedLru::new(0);
        Cache { order, held: vec![false; pages], len: 0, entries, tell_hits }
    }

    /// Whether the page was in the cache; it is afterwards.
    fn hit(&mut self, page: u32) -> bool {
        if self.held[page as usize] {
            if self.tell_hits {
                self.order.touch(page);
            }
            return true;
        }
        if self.len == self.entries {
            let victim = self.order.victim().expect("a full cache has a victim");
            self.order.remove(victim);
            self.held[victim as usize] = false;
        } else {
            self.len += 1;
        }
        self.order.insert(page);
        self.held[page as usize] = true;
        false
    }

    /// Hit ratio over `measured` draws after a third as many to warm up.
    fn hit_ratio(mut self, popularity: &[f64], measured: u32) -> f64 {
        let popular = Popular::new(popularity);
        let mut rng = Rng::new(1, "references");
        for _ in 0..measured / 3 {
            self.hit(popular.draw(&mut rng));
        }
        let hits = (0..measured).filter(|_| self.hit(popular.draw(&mut rng))).count();
        hits as f64 / f64::from(measured)
    }
}

#[test]
fn a_small_lru_cache_has_kings_exact_hit_ratio() {
    eprintln!("pages theta entries  measured  exact");
    for (pages, theta, entries) in [(6, 0.8, 2), (6, 0.8, 3), (8, 1.0, 3), (8, 1.0, 4)] {
        let popularity = caching::zipf(pages, theta);
        let found = Cache::new(pages as usize, entries, true).hit_ratio(&popularity, 4_000_000);
        let exact = caching::lru_exact(&popularity, entries);
        eprintln!(
            "{pages:>5} {theta:>5} {entries:>7}  {found:.5}  {exact:.5} ({:+.5})",
            found - exact
        );
        assert!((found - exact).abs() < 0.001, "found {found}, exact {exact}");
    }
}

#[test]
#[ignore = "long: part of make test-long"]
fn lru_and_fifo_caches_have_the_hit_ratios_of_ches_approximation() {
    eprintln!("theta entries  LRU     Che              FIFO    theory");
    for (theta, entries) in
        [(0.0, 1000), (0.6, 1000), (0.8, 100), (0.8, 5000), (0.99, 100), (0.99, 1000), (1.2, 1000)]
    {
        let popularity = caching::zipf(10_000, theta);
        let found = [true, false].map(|tell_hits| {
            Cache::new(10_000, entries as usize, tell_hits).hit_ratio(&popularity, 1_500_000)
        });
        let expected = [caching::lru(&popularity, entries), caching::fifo(&popularity, entries)];
        let errors = [found[0] - expected[0], found[1] - expected[1]];
        eprintln!(
            "{theta:>5} {entries:>7}  {:.4}  {:.4} ({:+.4})  {:.4}  {:.4} ({:+.4})",
            found[0], expected[0], errors[0], found[1], expected[1], errors[1]
        );
        assert!(errors.iter().all(|e| e.abs() < 0.002), "{theta} {entries}: {errors:?}");
    }
}

/// Belady, Nelson & Shedler, CACM 12(6), 1969; LRU has the inclusion property on every trace.
#[test]
fn more_room_can_hurt_fifo_but_never_lru() {
    let misses = |trace: &[u32], entries, tell_hits| {
        let mut cache = Cache::new(64, entries, tell_hits);
        trace.iter().filter(|page| !cache.hit(**page)).count()
    };
    let belady = [1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5];
    let frames = |tell_hits| [3, 4].map(|entries| misses(&belady, entries, tell_hits));
    assert_eq!(frames(false), [9, 10], "FIFO");
    assert_eq!(frames(true), [10, 8], "LRU");
    let mut rng = Rng::new(1, "traces");
    for _ in 0..50 {
        let pages = 1 + rng.below(64);
        let trace: Vec<u32> = (0..2000).map(|_| rng.below(pages) as u32).collect();
        let by_room: Vec<usize> = (1..=64).map(|entries| misses(&trace, entries, true)).collect();
        assert!(by_room.is_sorted_by(|less, more| less >= more), "{by_room:?}");
    }
}

const PAGES: u32 = 10_000;
const REQUESTS: u32 = 1_500_000;

/// 10,000 logical pages with 1024 mappings on a translation page, and room for all that is written.
fn device(entries: u32, dftl: serde_json::Value) -> Config {
    config(&json!({
        "device": {"pages_per_block": 100, "blocks": 45_000},
        "ftl": {"cache": 8 * entries},
        "dftl": dftl,
    }))
}

/// What a demand-paged FTL did for single-page requests, per request.
#[derive(Debug)]
struct Traffic {
    reads: u64,
    programs: u64,
    counts: MappingCounts,
}

impl Traffic {
    fn measure<C: MappingCache>(config: &Config, popularity: &[f64], writes: f64) -> Self {
        let mut simulation = simulation::<DemandFtl<C>>(config, PAGES / 100);
        let popular = Popular::new(popularity);
        let mut rng = Rng::new(1, "references");
        for request in 0..REQUESTS / 3 + REQUESTS {
            if request == REQUESTS / 3 {
                simulation.start_measuring();
            }
            let op = if rng.chance(writes) { Op::Write } else { Op::Read };
            serve(&mut simulation, &page(op, popular.draw(&mut rng)));
        }
        simulation.check();
        let ledger = simulation.flash().ledger();
        assert_eq!(ledger.total(Operation::Erase), 0, "the device is large enough to need no GC");
        Traffic {
            reads: ledger.get(Operation::Read, Cause::Translation),
            programs: ledger.get(Operation::Program, Cause::Translation),
            counts: simulation.ftl().mapping_counts().expect("a mapping cache"),
        }
    }

    fn misses(&self) -> u64 {
        self.counts.lookups - self.counts.hits
    }
}

#[test]
#[ignore = "long: part of make test-long"]
fn dftls_translation_traffic_is_what_follows_from_che() {
    eprintln!("theta entries writes  misses  theory            dirty   theory");
    for (theta, entries, writes) in [
        (0.0, 1000, 0.5),
        (0.0, 3000, 0.9),
        (0.8, 100, 0.5),
        (0.8, 1000, 0.1),
        (0.8, 1000, 0.5),
        (0.8, 3000, 0.9),
        (0.8, 3000, 1.0),
        (1.0, 100, 0.9),
        (1.0, 1000, 0.5),
        (1.0, 3000, 1.0),
    ] {
        let popularity = caching::zipf(PAGES, theta);
        let config = device(entries, json!({"replacement": "lru"}));
        let found = Traffic::measure::<Dftl>(&config, &popularity, writes);
        let dirty = found.counts.dirty_replacements;
        assert_eq!(found.programs, dirty, "a dirty entry evicted is a translation page programmed");
        assert_eq!(found.reads, found.misses() + dirty, "and read, as for every miss");
        let expected = caching::demand_cached_map(&popularity, entries, writes);
        let [misses, dirty] = [found.misses(), dirty].map(|n| n as f64 / f64::from(REQUESTS));
        let errors = [misses - expected.misses, dirty - expected.dirty_evictions];
        eprintln!(
            "{theta:>5} {entries:>7} {writes:>6}  {misses:.4}  {:.4} ({:+.4})  {dirty:.4}  {:.4} \
             ({:+.4})",
            expected.misses, errors[0], expected.dirty_evictions, errors[1]
        );
        assert!(errors.iter().all(|e| e.abs() < 0.002), "{theta} {entries} {writes}: {errors:?}");
    }
}

/// Writing all dirty entries of a translation page at once can only save programs; the cache of
/// `evict_batch` holds the same entries throughout, so it misses exactly as often.
#[test]
#[ignore = "long: part of make test-long"]
fn batched_evictions_program_less_than_theory_allows_single_ones() {
    eprintln!("theta entries writes  dirty evictions: theory, evict_batch, TPFTL");
    for (theta, entries, writes) in [(0.0, 1000, 0.5), (0.8, 1000, 0.5), (1.0, 3000, 0.9)] {
        let popularity = caching::zipf(PAGES, theta);
        let single = device(entries, json!({"replacement": "lru"}));
        let single = Traffic::measure::<Dftl>(&single, &popularity, writes);
        let batched = device(entries, json!({"replacement": "lru", "evict_batch": true}));
        let tpftl = Traffic::measure::<Tpftl>(&batched, &popularity, writes);
        let batched = Traffic::measure::<Dftl>(&batched, &popularity, writes);
        assert_eq!(batched.misses(), single.misses());
        assert_eq!(batched.programs, batched.counts.dirty_replacements);
        assert!(tpftl.programs <= tpftl.counts.dirty_replacements);
        let expected = caching::demand_cached_map(&popularity, entries, writes).dirty_evictions;
        let programs = [&batched, &tpftl].map(|t| t.programs as f64 / f64::from(REQUESTS));
        eprintln!(
            "{theta:>5} {entries:>7} {writes:>6}  {expected:.4} {:.4} {:.4}",
            programs[0], programs[1]
        );
        assert!(batched.programs <= single.programs, "{batched:?} {single:?}");
        assert!(programs.iter().all(|p| *p <= expected), "{programs:?}, single {expected}");
    }
}
