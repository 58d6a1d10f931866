//! A worked example on a device, and the rule for replacements (choices.md#sftl-spill).

use super::*;
use crate::device::DeviceConfig;
use crate::flash::Device;
use crate::ftl::demand::bench::{Bench, Cost};
use crate::units::Bytes;

/// 64 translation pages of 128 mappings. The cache has one uncompressed page and `buffered`
/// buffered entries.
fn bench(buffered: u64, sparse: u32) -> Bench<Sftl> {
    let bytes = 532 + 8 * buffered;
    let bench = Bench::<Sftl>::new(8192, 512, |config| {
        config.ftl.cache = Some(Bytes(bytes));
        config.own.buffer = Ratio((8.0 * buffered as f64 + 0.5) / bytes as f64);
        config.own.sparse = sparse;
    });
    assert_eq!(bench.ftl.cache.buffer.capacity() as u64, buffered);
    bench
}

fn read(tp: (u64, u64)) -> Cost {
    Cost { tp, data: (1, 0) }
}

fn write(tp: (u64, u64)) -> Cost {
    Cost { tp, data: (0, 1) }
}

fn is_cached(bench: &Bench<Sftl>, vtpn: u32) -> bool {
    bench.ftl.cache.tokens.contains(vtpn)
}

/// Reads other translation pages, from `from` on, until `vtpn` is evicted. Returns the last cost,
/// and the translation page after the last.
fn push_out(bench: &mut Bench<Sftl>, vtpn: u32, from: u32) -> (Cost, u32) {
    for other in from..64 {
        let cost = bench.read(128 * other);
        if !is_cached(bench, vtpn) {
            return (cost, other + 1);
        }
        assert_eq!(cost, read((1, 0)));
    }
    panic!("{vtpn} stays");
}

fn buffered(bench: &Bench<Sftl>) -> Vec<u32> {
    let pages = bench.ftl.cache.buffer.pages();
    pages.flat_map(|remains| remains.changes.iter().map(|(lpn, _)| lpn.0)).collect()
}

/// Two sparse pages, one after the other, and room for one of them.
#[test]
fn the_worked_example_flushes_a_full_buffer() {
    let mut bench = bench(2, 2);
    assert_eq!(bench.write(3), write((1, 0)));
    assert_eq!(bench.write(4), write((0, 0)));
    let (cost, next) = push_out(&mut bench, 0, 1);
    assert_eq!(cost, read((1, 0)), "a sparse page leaves for nothing");
    assert_eq!(buffered(&bench), [3, 4]);
    assert_eq!(bench.read(3), read((0, 0)), "a hit in the buffer");
    assert_eq!(bench.write(3), write((0, 0)));
    assert!(!is_cached(&bench, 0));
    let sparse = 128 * next;
    assert_eq!(bench.write(sparse).tp.0, 1);
    bench.write(sparse + 7);
    let before = bench.ftl.cache.counts();
    let (cost, _) = push_out(&mut bench, next, next + 1);
    assert_eq!(cost, read((2, 1)), "a load and a flush");
    assert_eq!(buffered(&bench), [sparse, sparse + 7]);
    assert_eq!(bench.ftl.cache.buffer_flushes, 1);
    let counts = bench.ftl.cache.counts();
    assert_eq!(counts.dirty_replacements - before.dirty_replacements, 1);
    assert_eq!(bench.ftl.cache.buffer_hits, 2);
}

#[test]
fn buffered_entries_go_back_into_their_page_when_it_is_loaded() {
    let mut bench = bench(4, 2);
    bench.write(3);
    bench.write(4);
    push_out(&mut bench, 0, 1);
    assert_eq!(buffered(&bench), [3, 4]);
    assert_eq!(bench.read(5).tp.0, 1, "5 is not in the buffer");
    assert!(is_cached(&bench, 0) && buffered(&bench).is_empty());
    let token = bench.ftl.cache.tokens.get(0).expect("it is cached");
    assert_eq!(bench.ftl.cache.pages[token].image.dirty_slots(), 2);
}

/// The buffer postpones the replacement of sparse dirty entries (TPFTL 2.2). One replacement, a
/// dirty one, is counted when they are flushed, and none if their page returns before.
#[test]
fn a_page_that_leaves_its_entries_to_the_buffer_is_not_replaced_yet() {
    let mut bench = bench(2, 2);
    bench.write(3);
    let (_, next) = push_out(&mut bench, 0, 1);
    assert_eq!(buffered(&bench), [3]);
    assert_eq!(bench.ftl.cache.counts().replacements, 0, "3 is still in RAM");
    bench.read(5);
    bench.write(4);
    assert!(is_cached(&bench, 0) && buffered(&bench).is_empty());
    let clean = bench.ftl.cache.counts();
    assert_eq!(clean.dirty_replacements, 0);
    let (_, next) = push_out(&mut bench, 0, next);
    bench.write(128 * next);
    push_out(&mut bench, next, next + 1);
    assert_eq!(buffered(&bench), [128 * next]);
    let counts = bench.ftl.cache.counts();
    assert_eq!((counts.dirty_replacements, bench.ftl.cache.buffer_flushes), (1, 1));
}

/// A page that is not sparse costs one program, no read (TPFTL 2.2).
#[test]
fn a_densely_dirty_page_is_programmed_without_a_read() {
    for (buffered_entries, sparse) in [(8, 2), (2, 8), (0, 8)] {
        let mut bench = bench(buffered_entries, sparse);
        for lpn in [3, 4, 9] {
            bench.write(lpn);
        }
        let (cost, _) = push_out(&mut bench, 0, 1);
        assert_eq!(cost, read((1, 1)));
        assert!(buffered(&bench).is_empty());
        let counts = bench.ftl.cache.counts();
        assert_eq!(counts.dirty_replacements, 1);
        assert!(counts.replacements >= 1);
    }
}

/// A write enlarges a page, and others leave for it.
#[test]
fn pages_that_grow_push_others_out() {
    let mut bench = bench(0, 0);
    bench.read(0);
    bench.read(128);
    assert!(is_cached(&bench, 0) && is_cached(&bench, 1));
    for lpn in (128..256).step_by(2) {
        assert_eq!(bench.write(lpn), write((0, 0)), "page 0 is clean");
    }
    assert!(!is_cached(&bench, 0) && is_cached(&bench, 1));
    assert_eq!(bench.ftl.cache.page_bytes, 532, "as large as uncompressed");
}

#[test]
fn a_cache_too_small_for_one_page_is_an_error() {
    let flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
    let cache = Sftl::build(&Setup::default(), flash.geometry()).expect("a cache");
    assert_eq!((cache.budget, cache.page_budget, cache.buffer.capacity()), (8192, 7376, 102));
    let mut config = Setup::default();
    config.ftl.cache = Some(Bytes(4500));
    let error = Sftl::build(&config, flash.geometry()).expect_err("too small").to_string();
    assert!(error.contains("found 4052 B next to the dirty buffer, expected"), "{error}");
}

/// A page of 128 mappings with one head takes 40 B, and 8 B more when GC has moved 4 of a run. Of
/// 532 B, 24 are reserved for updates, so the oldest page leaves at 509, before GC continues.
#[test]
fn what_changes_never_takes_more_than_the_budget() {
    let mut bench = bench(0, 0);
    let state = |bench: &Bench<Sftl>| (bench.ftl.cache.pages.len(), bench.ftl.cache.page_bytes);
    let collect = |bench: &mut Bench<Sftl>, lpn: u32| {
        let entries = bench.ftl.cache.audit_entries();
        let found = entries.iter().find(|((of, _), _)| *of == Lpn(lpn)).expect("it is cached");
        let pbn = bench.flash.geometry().block_of(found.0.1.expect("it was written"));
        let cost = bench.cost(|ftl, flash| ftl.collect_data_block(pbn, flash));
        (cost.tp, state(bench))
    };
    (0..13).for_each(|vtpn| assert_eq!(bench.read(128 * vtpn).tp, (1, 0)));
    assert_eq!(state(&bench), (12, 480), "520 and 24 are too many: page 0 left");
    let moved = [8, 64].map(|slot| collect(&mut bench, 128 * 12 + slot));
    assert_eq!(moved, [488, 496].map(|bytes| ((0, 0), (12, bytes))));
    assert_eq!((bench.write(128 * 2 + 3).tp, state(&bench)), ((0, 0), (12, 504)));
    (3..13).for_each(|vtpn| assert_eq!(bench.read(128 * vtpn).tp, (0, 0)));
    let moved = [32, 96].map(|slot| collect(&mut bench, 128 * 12 + slot));
    assert_eq!(moved, [472, 480].map(|bytes| ((0, 0), (11, bytes))), "1 was clean");
    let moved = [16, 24, 40, 48, 56].map(|slot| collect(&mut bench, 128 * 12 + slot));
    assert_eq!(moved[..3], [488, 496, 504].map(|bytes| ((0, 0), (11, bytes))));
    assert_eq!(moved[3], ((0, 1), (10, 464)), "2 is programmed whole");
}
