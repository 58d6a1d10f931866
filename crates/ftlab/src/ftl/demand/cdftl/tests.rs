//! The cost of each event, and a worked example.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::Device;
use crate::ftl::demand::bench::{Bench, Cost};
use crate::units::Bytes;

/// E = 128 on the smallest page; LPN k of the example, on translation page k / 4, becomes
/// `k / 4 x 128 + k % 4`.
fn spread(lpn: u32) -> u32 {
    lpn / 4 * 128 + lpn % 4
}

/// A cache of `entries` entries and `pages` pages.
fn bench(entries: u64, pages: u64) -> Bench<Cdftl> {
    bench_with(entries, pages, false)
}

fn bench_with(entries: u64, pages: u64, absorb: bool) -> Bench<Cdftl> {
    let bytes = 8 * entries + 516 * pages;
    let bench = Bench::<Cdftl>::new(1024, 512, |config| {
        config.ftl.cache = Some(Bytes(bytes));
        config.own.ctp = Ratio(516.5 * pages as f64 / bytes as f64);
        config.own.absorb = absorb;
    });
    let cache = &bench.ftl.cache;
    assert_eq!((cache.entry_capacity as u64, cache.page_capacity as u64), (entries, pages));
    bench
}

fn read(tp: (u64, u64)) -> Cost {
    Cost { tp, data: (1, 0) }
}

fn write(tp: (u64, u64)) -> Cost {
    Cost { tp, data: (0, 1) }
}

/// The CMT from old to new, dirty entries marked.
fn entries(bench: &Bench<Cdftl>) -> Vec<(u32, bool)> {
    let mut entries: Vec<&Entry> = bench.ftl.cache.entries.iter().map(|(_, entry)| entry).collect();
    entries.sort_by_key(|entry| entry.touched);
    entries.iter().map(|entry| (entry.lpn.0, entry.dirty)).collect()
}

/// The CTP from old to new, dirty pages marked.
fn pages(bench: &Bench<Cdftl>) -> Vec<(u32, bool)> {
    let cache = &bench.ftl.cache;
    let order = cache.page_links.from_oldest(&cache.page_order);
    let pages = order.map(|token| &cache.pages[token]);
    pages.map(|page| (page.vtpn.0, page.image.dirty_slots() > 0)).collect()
}

/// A dirty entry whose page is not cached remains, however cold (TPFTL 2.2).
#[test]
fn the_worked_example_keeps_the_cold_dirty_entry() {
    let mut bench = bench(2, 1);
    assert_eq!(bench.read(spread(0)), read((1, 0)));
    assert_eq!(bench.read(spread(1)), read((0, 0)));
    assert_eq!(bench.write(spread(1)), write((0, 0)));
    assert_eq!(bench.read(spread(2)), read((0, 0)));
    assert_eq!(entries(&bench), [(1, true), (2, false)]);
    assert_eq!(bench.read(spread(6)), read((1, 0)));
    assert_eq!(entries(&bench), [(1, true), (spread(6), false)]);
    assert_eq!(pages(&bench), [(1, false)]);
    assert_eq!(bench.read(spread(7)), read((0, 0)));
    assert_eq!(entries(&bench), [(1, true), (spread(7), false)]);
    let counts = bench.ftl.cache.counts();
    assert_eq!((counts.lookups, counts.hits), (6, 4));
    assert_eq!((counts.replacements, counts.dirty_replacements), (1, 0));
    assert_eq!(bench.ftl.cache.page_hits, 3);
}

/// An evicted dirty entry goes into its page; the page costs one program and no read. Cold dirty
/// entries reside in the CMT (TPFTL 2.2), so entries that were not evicted remain dirty.
#[test]
fn a_dirty_page_is_programmed_and_leaves_the_dirty_entries_that_it_covers() {
    let mut bench = bench(3, 1);
    for lpn in 0..4 {
        bench.write(lpn);
    }
    assert_eq!(pages(&bench), [(0, true)], "0 is written into the page");
    assert_eq!(entries(&bench), [(1, true), (2, true), (3, true)]);
    assert_eq!(bench.read(128), read((2, 1)), "a miss with a dirty page; then page 0 to cover 1");
    assert_eq!(entries(&bench), [(2, true), (3, true), (128, false)]);
    let counts = bench.ftl.cache.counts();
    assert_eq!((counts.replacements, counts.dirty_replacements), (2, 1));
}

/// As an option it absorbs the dirty entries that are still in the CMT (choices.md#cdftl-absorb).
#[test]
fn a_dirty_page_may_absorb_the_dirty_entries_that_it_covers() {
    let mut bench = bench_with(2, 1, true);
    assert_eq!(bench.write(0), write((1, 0)));
    assert_eq!(bench.write(1), write((0, 0)));
    assert_eq!(bench.write(2), write((0, 0)), "0 is written into the page");
    assert_eq!(pages(&bench), [(0, true)]);
    assert_eq!(entries(&bench), [(1, true), (2, true)]);
    assert_eq!(bench.read(128), read((1, 1)), "a miss with a dirty page");
    assert_eq!(entries(&bench), [(2, false), (128, false)]);
    assert_eq!(bench.read(256), read((1, 0)), "a miss with a clean page");
    let counts = bench.ftl.cache.counts();
    assert_eq!((counts.replacements, counts.dirty_replacements), (2, 1));
}

/// See choices.md#cdftl-uncovered.
#[test]
fn an_uncovered_dirty_victim_loads_its_page() {
    let mut single = bench_with(2, 1, true);
    single.write(0);
    single.write(128);
    single.write(129);
    // 0* is uncovered; 128* was covered and went into page 1, which is dirty.
    assert_eq!(entries(&single), [(0, true), (129, true)]);
    assert_eq!(single.read(256), read((1, 1)), "129 is absorbed");
    assert_eq!(single.write(256), write((0, 0)));
    assert_eq!(entries(&single), [(0, true), (256, true)]);
    assert_eq!(single.read(384), read((2, 0)), "all are dirty, none is covered");
    assert_eq!(entries(&single), [(256, true), (384, false)]);
    assert_eq!(pages(&single), [(0, true)], "the page requested is the older of the two");
    single.write(384);
    assert_eq!(single.read(512), read((2, 1)), "and page 0 was dirty");
    assert_eq!(entries(&single), [(384, true), (512, false)]);
    assert_eq!(pages(&single), [(2, true)]);
    assert_eq!(single.ftl.cache.uncovered_loads, 2);

    let mut double = bench_with(3, 2, true);
    for lpn in [0, 128, 256] {
        double.write(lpn);
    }
    // Pages 1 and 2 are cached, 0* is uncovered; 128* and 256* go into their pages.
    double.read(129);
    double.read(257);
    assert_eq!(entries(&double), [(0, true), (129, false), (257, false)]);
    assert_eq!(pages(&double), [(1, true), (2, true)]);
    double.write(129);
    double.write(257);
    assert_eq!(double.read(384), read((1, 1)));
    double.write(384);
    assert_eq!(entries(&double), [(0, true), (257, true), (384, true)]);
    assert_eq!(double.read(512), read((1, 1)), "page 2 takes 257 with it, clean 257 goes");
    double.write(512);
    assert_eq!(entries(&double), [(0, true), (384, true), (512, true)]);
    assert_eq!(double.read(385), read((0, 0)), "384 goes into page 3");
    double.write(385);
    double.write(512);
    assert_eq!(pages(&double), [(4, false), (3, true)]);
    double.read(640);
    assert_eq!(pages(&double), [(3, true), (5, false)], "512* is uncovered, 385* went");
}

/// 8 KiB hold one page of 4 KiB and 511 entries.
#[test]
fn ram_is_the_papers() {
    let flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
    let cache = Cdftl::build(&Setup::default(), flash.geometry()).expect("a cache");
    assert_eq!((cache.budget, cache.page_capacity, cache.entry_capacity), (8192, 1, 511));
    let mut config = Setup::default();
    config.ftl.cache = Some(Bytes(4107));
    let error = Cdftl::build(&config, flash.geometry()).expect_err("too small");
    assert!(
        error.to_string().contains("expected at least a translation page and an entry, 4108 B")
    );
    config.ftl.cache = Some(Bytes(100_000));
    config.own.ctp = Ratio(1.0);
    let cache = Cdftl::build(&config, flash.geometry()).expect("a cache");
    assert_eq!((cache.page_capacity, cache.entry_capacity), (24, 200));
}
