//! The worked examples of the papers and of ALGORITHMS 2.8, 8.10, 8.11 and 37, step by step.

use super::*;
use crate::config::DeviceConfig;
use crate::flash::Operation;
use crate::units::Ratio;

/// What one access did: translation page reads and programs, data reads and programs.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    tp: (u64, u64),
    data: (u64, u64),
}

struct Bench<C> {
    ftl: DemandFtl<C>,
    flash: Flash,
}

impl<C: MappingCache> Bench<C> {
    /// `pages` logical pages of `page_bytes`, so `page_bytes / 4` mappings on a translation page,
    /// each page written once, in order; the cache is empty.
    fn new(pages: u64, page_bytes: u64, configure: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        config.device = DeviceConfig {
            page: Bytes(page_bytes),
            pages_per_block: 4,
            over_provisioning: Ratio(2.0),
            ..DeviceConfig::default()
        };
        configure(&mut config);
        let mut flash = Flash::new(&config.device, pages * page_bytes).expect("a device");
        let mut ftl = DemandFtl::<C>::build(&config, &mut flash).expect("an FTL");
        let Ok(lpns) = u32::try_from(pages) else { panic!("too many pages") };
        for lpn in 0..lpns {
            ftl.write(&[Lpn(lpn)], &mut flash);
        }
        let budget = FtlConfig { cache: config.ftl.cache };
        ftl.flush_and_rebuild(&Config { ftl: budget, ..config }, &mut flash);
        Bench { ftl, flash }
    }

    fn cost(&mut self, action: impl FnOnce(&mut DemandFtl<C>, &mut Flash)) -> Cost {
        self.flash.start_measuring();
        action(&mut self.ftl, &mut self.flash);
        self.ftl.audit(&self.flash);
        let count = |operation, cause| self.flash.ledger().get(operation, cause);
        Cost {
            tp: (
                count(Operation::Read, Cause::Translation),
                count(Operation::Program, Cause::Translation),
            ),
            data: (count(Operation::Read, Cause::Host), count(Operation::Program, Cause::Host)),
        }
    }

    fn read(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| ftl.read(&[Lpn(lpn)], flash))
    }

    fn write(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| ftl.write(&[Lpn(lpn)], flash))
    }

    fn read_request(&mut self, first: u32, last: u32) -> Cost {
        let pages: Vec<Lpn> = (first..=last).map(Lpn).collect();
        self.cost(|ftl, flash| ftl.read(&pages, flash))
    }

    fn cached(&self) -> Vec<(u32, bool)> {
        let mut entries: Vec<(u32, bool)> =
            self.ftl.cache.audit_entries().iter().map(|((lpn, _), dirty)| (lpn.0, *dirty)).collect();
        entries.sort_unstable();
        entries
    }
}

impl<C: MappingCache> DemandFtl<C> {
    /// Writes every dirty entry back and starts with an empty cache.
    fn flush_and_rebuild(&mut self, config: &Config, flash: &mut Flash) {
        let dirty: Vec<Change> = self.cache.audit_entries().iter().map(|(change, _)| *change).collect();
        for change in dirty {
            let vtpn = self.store.pages.page_of(change.0);
            if self.store.pool.must_collect(Stream::Translation) {
                self.reclaim(Stream::Translation, flash);
            }
            self.store.write_back(vtpn, &[change], flash);
        }
        self.cache = C::build(config, flash.geometry()).expect("a cache");
        self.reset_metrics();
        self.audit(flash);
    }
}

mod dftl {
    use super::*;

    /// E = 128 on the smallest page, so "pages" 0 to 9 of the example are spread: LPN k of the
    /// example, on translation page k / 4, becomes `k / 4 x 128 + k % 4`.
    fn spread(lpn: u32) -> u32 {
        lpn / 4 * 128 + lpn % 4
    }

    fn bench(entries: u64) -> Bench<Dftl> {
        Bench::new(512, 512, |config| {
            config.ftl.cache = Some(Bytes(8 * entries));
            config.dftl.replacement = Replacement::Lru;
        })
    }

    fn costs(tp: (u64, u64), data: (u64, u64)) -> Cost {
        Cost { tp, data }
    }

    /// ALGORITHMS 2.8, the table.
    #[test]
    fn the_worked_example_costs_what_the_table_says() {
        let mut bench = bench(2);
        assert_eq!(bench.write(spread(0)), costs((1, 0), (0, 1)));
        assert_eq!(bench.read(spread(5)), costs((1, 0), (1, 0)));
        assert_eq!(bench.write(spread(5)), costs((0, 0), (0, 1)));
        assert_eq!(bench.cached(), [(spread(0), true), (spread(5), true)]);
        assert_eq!(bench.read(spread(9)), costs((2, 1), (1, 0)));
        assert_eq!(bench.read(spread(1)), costs((2, 1), (1, 0)));
        assert_eq!(bench.read(spread(2)), costs((1, 0), (1, 0)));
        assert_eq!(bench.cached(), [(spread(1), false), (spread(2), false)]);
        let counts = bench.ftl.cache.counts();
        assert_eq!((counts.replacements, counts.dirty_replacements), (3, 2));
        assert_eq!((counts.lookups, counts.hits), (6, 1));
    }

    /// ALGORITHMS 2.8, the GC example: four valid pages, one cached, the others on two translation
    /// pages: 4 copies, GC hit 1, 2 reads and 2 programs of translation pages, 1 erase.
    #[test]
    fn gc_updates_the_map_in_batches() {
        let mut bench = bench(8);
        let victim = [0, 1, 2, 9].map(spread);
        for lpn in victim {
            bench.write(lpn);
        }
        // The cache holds these four; leave only 2.
        let config = Config { ftl: FtlConfig { cache: Some(Bytes(64)) }, ..Config::default() };
        bench.ftl.flush_and_rebuild(&config, &mut bench.flash);
        bench.read(spread(2));
        let ppn = bench.ftl.store.pages.audit_mapping(Lpn(victim[0])).expect("mapped");
        let pbn = bench.flash.geometry().block_of(ppn);
        assert_eq!(bench.flash.valid_in(pbn), 4, "the four pages share a block");
        bench.flash.start_measuring();
        bench.ftl.collect_data_block(pbn, &mut bench.flash);
        bench.flash.erase(pbn, Cause::GcData);
        let count = |operation, cause| bench.flash.ledger().get(operation, cause);
        assert_eq!(count(Operation::Program, Cause::GcData), 4);
        assert_eq!(count(Operation::Read, Cause::GcMapping), 2);
        assert_eq!(count(Operation::Program, Cause::GcMapping), 2);
        assert_eq!(count(Operation::Erase, Cause::GcData), 1);
        assert_eq!((bench.ftl.gc_lookups, bench.ftl.gc_hits), (4, 1));
        assert_eq!(bench.cached(), [(spread(2), true)], "a GC hit leaves the entry dirty");
    }

    #[test]
    fn evict_batch_cleans_the_neighbours_of_a_dirty_victim() {
        let mut bench: Bench<Dftl> = Bench::new(512, 512, |config| {
            config.ftl.cache = Some(Bytes(24));
            config.dftl.replacement = Replacement::Lru;
            config.dftl.evict_batch = true;
        });
        [0, 1, 200].map(|lpn| bench.write(lpn));
        assert_eq!(bench.read(300), costs((2, 1), (1, 0)));
        assert_eq!(bench.cached(), [(1, false), (200, true), (300, false)]);
    }

    /// ALGORITHMS 0.4.
    #[test]
    fn ram_is_the_papers() {
        let flash = Flash::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let cache = Dftl::build(&Config::default(), flash.geometry()).expect("a cache");
        assert_eq!((cache.budget(), cache.capacity), (8192, 1024));
        let msr = Flash::new(&DeviceConfig::default(), 16 << 30).expect("a device");
        let cache = Dftl::build(&Config::default(), msr.geometry()).expect("a cache");
        assert_eq!((cache.budget(), cache.capacity), (262_144, 32_768));
        let mut flash = flash;
        let ftl = DemandFtl::<Dftl>::build(&Config::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram(), RamUse { tables: 512, cache: 8192, buffer: 0 });
    }
}

mod tpftl {
    use super::*;

    /// 6 translation pages of 1024 mappings, as in the figures of the paper.
    fn bench(slots: u64, features: &str) -> Bench<Tpftl> {
        let features = String::from(features);
        Bench::new(6 * 1024, 4096, |config| {
            config.device.pages_per_block = 64;
            config.device.over_provisioning = Ratio(0.3);
            config.ftl.cache = Some(Bytes(6 * slots));
            config.tpftl.features = features.try_into().expect("features");
        })
    }

    /// `1:336` of the paper's notation.
    fn at(vtpn: u32, offset: u32) -> u32 {
        vtpn * 1024 + offset
    }

    /// Figure 4 (ALGORITHMS 8.10): 1:334 and 1:335 are cached, 3:27 is the coldest node, the cache is
    /// full, selective prefetching is on; 1:336 misses.
    #[test]
    fn figure_4_selective_prefetching() {
        let mut bench = bench(6, "rsbc");
        bench.read(at(3, 27));
        bench.read(at(1, 334));
        bench.read(at(1, 335));
        bench.ftl.cache.detector.active = true;
        bench.ftl.cache.detector.counter = 0;
        // 3 entries, 2 nodes: one slot of 6 is free; fill it with 1:500.
        bench.ftl.cache.features.selective = false;
        bench.read(at(1, 500));
        bench.ftl.cache.features.selective = true;
        assert_eq!(bench.ftl.cache.used, 36);

        let cost = bench.read(at(1, 336));
        assert_eq!(cost.tp, (1, 0));
        let cached = [at(1, 334), at(1, 335), at(1, 336), at(1, 337), at(1, 500)];
        assert_eq!(bench.cached(), cached.map(|lpn| (lpn, false)));
        assert_eq!(bench.ftl.cache.detector.counter, -1);
        assert!(bench.ftl.cache.detector.active, "the flag stays on");
        assert_eq!(bench.ftl.cache.nodes.len(), 1);
    }

    /// Figure 5 (ALGORITHMS 8.11): node 5 holds clean 979, 435 and dirty 55, 56, 436, node 0 exists;
    /// three entries of node 0 are loaded.
    #[test]
    fn figure_5_batch_update_and_clean_first() {
        let mut bench = bench(8, "rsbc");
        [55, 56, 436].map(|offset| bench.write(at(5, offset)));
        [979, 435].map(|offset| bench.read(at(5, offset)));
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

    /// Figure 5 without `b`: only 55 is written; 56 and 436 stay dirty.
    #[test]
    fn without_batch_update_only_the_victim_is_written() {
        let mut bench = bench(8, "rsc");
        [55, 56, 436].map(|offset| bench.write(at(5, offset)));
        [979, 435].map(|offset| bench.read(at(5, offset)));
        bench.read(at(0, 7));
        assert_eq!(bench.read_request(at(0, 1000), at(0, 1002)).tp, (2, 1));
        let dirty: Vec<_> = bench.cached().into_iter().filter(|(_, dirty)| *dirty).collect();
        assert_eq!(dirty, [(at(5, 56), true), (at(5, 436), true)]);
    }

    /// Without `c` the least recent entry goes first, dirty or not.
    #[test]
    fn without_clean_first_recency_alone_decides() {
        let mut bench = bench(8, "rsb");
        [55, 56, 436].map(|offset| bench.write(at(5, offset)));
        [979, 435].map(|offset| bench.read(at(5, offset)));
        bench.read(at(0, 7));
        bench.ftl.reset_metrics();
        assert_eq!(bench.read_request(at(0, 1000), at(0, 1002)).tp, (2, 1));
        let counts = bench.ftl.cache.counts();
        assert_eq!((counts.replacements, counts.dirty_replacements), (3, 1), "55 cleans 56 and 436");
        let left: Vec<u32> = bench.cached().into_iter().map(|(lpn, _)| lpn).collect();
        assert_eq!(left[4..], [at(5, 435), at(5, 979)]);
    }

    /// ALGORITHMS 37, the counter walk.
    #[test]
    fn the_counter_switches_at_three_and_starts_again() {
        let mut bench = bench(64, "rsbc");
        let detector = &mut bench.ftl.cache.detector;
        let mut walk = Vec::new();
        for change in [-1, -1, 1, -1, -1] {
            detector.count(change);
            walk.push((detector.counter, detector.active));
        }
        assert_eq!(walk, [(-1, false), (-2, false), (-1, false), (-2, false), (0, true)]);
        for change in [1, 1, 1] {
            detector.count(change);
        }
        assert_eq!((detector.counter, detector.active), (0, false));
        for _ in 0..10 {
            detector.count(-1);
            detector.count(1);
        }
        assert_eq!((detector.counter, detector.active), (0, false), "alternating never switches");
        detector.count(-1);
        detector.count(-1);
        detector.count(-1);
        assert!(detector.active, "evictions precede loads: from -2 the eviction half switches");
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

    /// Section 4.4: a GC miss takes the cached dirty entries of its translation page along.
    #[test]
    fn a_gc_miss_cleans_the_cached_entries_of_its_page() {
        let mut bench = bench(64, "rsbc");
        bench.write(at(2, 5));
        bench.write(at(3, 5));
        let victim = bench.ftl.store.pages.audit_mapping(Lpn(at(2, 100))).expect("mapped");
        let pbn = bench.flash.geometry().block_of(victim);
        bench.flash.start_measuring();
        bench.ftl.collect_data_block(pbn, &mut bench.flash);
        let rewritten = bench.flash.ledger().get(Operation::Program, Cause::GcMapping);
        assert_eq!(rewritten, 1, "64 neighbours share a translation page");
        assert_eq!(bench.cached(), [(at(2, 5), false), (at(3, 5), true)]);
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

    /// ALGORITHMS 0.4: with k nodes at most 1365 - k entries.
    #[test]
    fn ram_is_the_papers() {
        let mut flash = Flash::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let mut ftl = DemandFtl::<Tpftl>::build(&Config::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram(), RamUse { tables: 513, cache: 8192, buffer: 0 });
        for k in 0..5000_u32 {
            ftl.read(&[Lpn(k.wrapping_mul(2_654_435_761) % 131_072)], &mut flash);
            let occupancy = ftl.cache.occupancy();
            assert!(occupancy.entries + occupancy.translation_pages <= 1365);
        }
        let occupancy = ftl.cache.occupancy();
        assert_eq!(occupancy.entries + occupancy.translation_pages, 1365, "full");
    }
}
