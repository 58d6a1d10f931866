//! Worked examples of translation and of GC.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{BlockKind, Device, Operation};
use crate::ftl::Access;
use crate::ftl::Design;
use crate::ftl::demand::bench::{Bench, Cost};
use crate::ftl::demand::{DemandFtl, FtlConfig};
use crate::ftl::{Ftl, RamUse};
use crate::units::Bytes;

/// E = 128 on the smallest page, so "pages" 0 to 9 of the example are spread: LPN k of the
/// example, on translation page k / 4, becomes `k / 4 x 128 + k % 4`.
fn spread(lpn: u32) -> u32 {
    lpn / 4 * 128 + lpn % 4
}

fn bench(entries: u64) -> Bench<Dftl> {
    Bench::<Dftl>::new(512, 512, |config| {
        config.ftl.cache = Some(Bytes(8 * entries));
        config.own.replacement = Replacement::Lru;
    })
}

fn costs(tp: (u64, u64), data: (u64, u64)) -> Cost {
    Cost { tp, data }
}

/// Six accesses under plain LRU, with two entries of cache.
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

/// Four valid pages, one cached, the others on two translation pages (choices.md#gc-map-updates): 4
/// copies, GC hit 1, 2 reads and 2 programs of translation pages, 1 erase.
#[test]
fn gc_updates_the_map_in_batches() {
    let mut bench = bench(8);
    let victim = [0, 1, 2, 9].map(spread);
    for lpn in victim {
        bench.write(lpn);
    }
    // The cache holds these four; leave only 2.
    let config = Setup {
        ftl: FtlConfig { cache: Some(Bytes(64)), ..FtlConfig::default() },
        ..Setup::default()
    };
    bench.ftl.flush_and_rebuild(&config, &mut bench.flash);
    bench.read(spread(2));
    let ppn = bench.ftl.store.pages.mapping_on_flash(Lpn(victim[0])).expect("mapped");
    let pbn = bench.flash.geometry().block_of(ppn);
    assert_eq!(bench.flash.valid_in(pbn), 4, "the four pages share a block");
    bench.flash.start_measuring();
    bench.ftl.collect_data_block(pbn, &mut bench.flash);
    bench.flash.erase(pbn, BlockKind::Data, Cause::GcData);
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
    let mut bench = Bench::<Dftl>::new(512, 512, |config| {
        config.ftl.cache = Some(Bytes(24));
        config.own.replacement = Replacement::Lru;
        config.own.evict_batch = true;
    });
    for lpn in [0, 1, 200] {
        bench.write(lpn);
    }
    assert_eq!(bench.read(300), costs((2, 1), (1, 0)));
    assert_eq!(bench.cached(), [(1, false), (200, true), (300, false)]);
}

/// TPFTL 5.1, Table 3: 512 MB and 16 GB (choices.md#cache-default).
#[test]
fn ram_is_the_papers() {
    let flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
    let cache = Dftl::build(&Setup::default(), flash.geometry()).expect("a cache");
    assert_eq!((cache.budget(), cache.capacity), (8192, 1024));
    let msr = Device::new(&DeviceConfig::default(), 16 << 30).expect("a device");
    let cache = Dftl::build(&Setup::default(), msr.geometry()).expect("a cache");
    assert_eq!((cache.budget(), cache.capacity), (262_144, 32_768));
    let mut flash = flash;
    let ftl = DemandFtl::<Dftl>::build(&Setup::default(), &mut flash).expect("an FTL");
    assert_eq!(ftl.ram(), RamUse { tables: 512, cache: 8192, buffer: 0 });
}

#[test]
fn trimming_what_holds_no_data_changes_nothing() {
    let mut bench = bench(2);
    bench.cost(|ftl, flash| ftl.trim(Access::trim(&[Lpn(3)]), flash));
    let again =
        bench.cost(|ftl, flash| ftl.trim(Access::trim(&[Lpn(3), Lpn(200), Lpn(300)]), flash));
    assert_eq!(again.tp.1, 1, "3 is written back as unmapped");
    let both = bench.cost(|ftl, flash| ftl.trim(Access::trim(&[Lpn(3), Lpn(200)]), flash));
    assert_eq!(both.tp.1, 2, "200 and 300 are written back");
    let nothing =
        bench.cost(|ftl, flash| ftl.trim(Access::trim(&[Lpn(300), Lpn(3), Lpn(200)]), flash));
    assert_eq!(nothing, costs((3, 0), (0, 0)));
}
