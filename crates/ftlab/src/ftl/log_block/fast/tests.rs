//! Worked examples and bounds of costs: P = 4, all pages written once.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{BlockKind, Cause, Operation};
use crate::ftl::LogConfig;
use crate::ftl::log_block::block_map::LogMap;
use crate::ftl::parts::bench::{Bench, Cost, P};
use crate::ftl::{Design, Ftl};
use crate::rng::Rng;

/// `random` random log blocks in addition to the sequential one.
fn bench(random: u32) -> Bench<FastFtl> {
    Bench::<FastFtl>::new(8, random + 2, |_| {})
}

#[test]
fn a_block_written_in_order_costs_one_erase_when_the_next_one_begins() {
    assert_eq!(bench(2).writes(&[0, 1, 2, 3]), Cost::of(4), "no merge yet");
    let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(5) };
    assert_eq!(bench(2).writes(&[0, 1, 2, 3, 4]), switch);
}

#[test]
fn a_sequential_log_that_is_given_up_is_completed() {
    let partial = Cost { copies: 2, data_erases: 1, partial: 1, ..Cost::of(3) };
    assert_eq!(bench(2).writes(&[0, 1, 4]), partial);
    let with_the_new_page = Cost { copies: 1, ..partial };
    assert_eq!(bench(2).writes(&[0, 1, 3]), with_the_new_page);
}

#[test]
fn a_rewrite_inside_the_sequential_log_costs_a_full_merge() {
    let full = Cost { copies: 3, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(3) };
    assert_eq!(bench(2).writes(&[0, 1, 1]), full);
}

/// See choices.md#merge-kinds.
#[test]
fn a_sequential_log_that_is_not_full_makes_no_switch() {
    let mut bench = Bench::<FastFtl>::empty(8, 4, |_| {});
    bench.writes(&[0, 1]);
    bench.writes(&[0, 1]);
    let partial = Cost { data_erases: 1, partial: 1, ..Cost::of(2) };
    assert_eq!(bench.writes(&[4, 4]), partial, "nothing is left to copy");
}

/// See choices.md#fast-full-sequential.
#[test]
fn a_full_sequential_log_is_merged_by_a_rewrite_or_switched() {
    let full = Cost { copies: 3, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(5) };
    assert_eq!(bench(2).writes(&[0, 1, 2, 3, 2]), full);
    let mut switching = Bench::<FastFtl>::new(8, 4, |config| {
        config.own.full_sequential = FullSequential::Switch;
    });
    let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(5) };
    assert_eq!(switching.writes(&[0, 1, 2, 3, 2]), switch);
}

#[test]
fn a_random_log_block_costs_a_full_merge_for_each_logical_block_in_it() {
    let four = Cost { copies: 16, data_erases: 4, log_erases: 1, full: 4, ..Cost::of(5) };
    assert_eq!(bench(1).writes(&[1, 5, 9, 13, 17]), four);
    let two = Cost { copies: 8, data_erases: 2, log_erases: 1, full: 2, ..Cost::of(5) };
    assert_eq!(bench(1).writes(&[1, 5, 2, 6, 9]), two);
}

#[test]
fn an_overwrite_invalidates_the_version_before_first() {
    let dead = Cost { log_erases: 1, ..Cost::of(5) };
    assert_eq!(bench(1).writes(&[1, 1, 1, 1, 1]), dead);
}

/// FlashSim: the random log's pages of a block that owns the sequential log complete that one.
#[test]
fn reclaiming_completes_a_sequential_log() {
    let costs = bench(1).writes(&[2, 6, 6, 6, 0, 9]);
    let both = Cost { copies: 3 + 4, data_erases: 2, log_erases: 1, ..Cost::of(6) };
    assert_eq!(costs, Cost { partial: 1, full: 1, ..both });
}

#[test]
fn trimmed_pages_are_not_copied() {
    let mut bench = bench(1);
    bench.writes(&[1, 5, 2, 6]);
    bench.trim(0);
    bench.trim(5);
    let two = Cost { copies: 3 + 3, data_erases: 2, log_erases: 1, full: 2, ..Cost::of(1) };
    assert_eq!(bench.write(&[9]), two);
    assert_eq!(bench.write(&[0]), Cost::of(1), "its slot in the fresh data block is erased");
}

/// Erases and copies follow from the merges; a reclaimed log block costs P x P copies at most.
#[test]
fn the_cost_laws_hold_under_random_writes() {
    let mut bench = bench(3);
    let mut rng = Rng::new(1, "fast");
    for _ in 0..200 {
        let first = rng.below(28) as u32;
        let length = 1 + rng.below(5) as u32;
        let pages: Vec<u32> = (first..first + length).collect();
        let cost = bench.write(&pages);
        let counts = bench.ftl.logs.counts;
        let merges = cost.switch + cost.partial + cost.full;
        assert_eq!(cost.data_erases, merges, "each merge erases a data block");
        assert_eq!(cost.log_erases, counts.reclaims + counts.sequential_full);
        let random = cost.full - counts.sequential_full;
        assert!(random <= counts.reclaims * u64::from(P), "a log block has P logical blocks");
        assert!(cost.copies <= u64::from(P) * (cost.partial + cost.full));
        let overwritten = cost.programs;
        assert!(cost.copies + overwritten >= u64::from(P) * random, "all other pages are valid");
    }
}

/// 2048 blocks of 64 pages, 306 spare.
#[test]
fn ram_is_the_block_table_and_the_page_map_of_the_log() {
    let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
    let ftl = FastFtl::build(&Setup::default(), &mut flash).expect("an FTL");
    assert_eq!(ftl.ram().tables, 8192 + 16_384 + 306 * (4 + 4 * 64));
}

/// 130 logical blocks, whose map is on two pages: 0 to 127, and 128 and 129. A random log block.
fn with_map_on_flash(fill: bool) -> Bench<FastFtl> {
    let (logical, spare) = (130, 3 + 6);
    let configure = |config: &mut Setup<FastConfig>| config.log.map = LogMap::Flash;
    match fill {
        true => Bench::new(logical, spare, configure),
        false => Bench::empty(logical, spare, configure),
    }
}

/// Pages of the map read and programmed by an action.
fn map_traffic(bench: &Bench<FastFtl>) -> (u64, u64) {
    let of_the_map = |operation| bench.flash.ledger().get(operation, Cause::Translation);
    (of_the_map(Operation::Read), of_the_map(Operation::Program))
}

/// Page 1 of the map is in RAM, from the write of the last logical block.
#[test]
fn a_read_pays_for_the_map_page_of_its_data_block_unless_that_is_in_ram() {
    let mut bench = with_map_on_flash(true);
    let mut read = |lpn| {
        bench.oob_reads(lpn);
        map_traffic(&bench)
    };
    assert_eq!([513, 1, 5, 514].map(&mut read), [(0, 0), (1, 0), (0, 0), (1, 0)]);
    assert_eq!(bench.write(&[1]), Cost::of(1));
    assert_eq!(map_traffic(&bench), (0, 0), "a page goes to the log");
    bench.oob_reads(1);
    assert_eq!(map_traffic(&bench), (0, 0), "and is found there");
}

#[test]
fn a_first_write_pays_for_the_place_of_its_data_block() {
    let mut bench = with_map_on_flash(false);
    let mut write = |lpn| {
        assert_eq!(bench.write(&[lpn]), Cost::of(1));
        map_traffic(&bench)
    };
    assert_eq!(write(0), (1, 1), "the data block is new");
    assert_eq!([write(1), write(512), write(2)], [(0, 0), (1, 1), (1, 0)]);
    bench.oob_reads(4);
    assert_eq!(map_traffic(&bench), (0, 0), "that nothing is there is known from RAM");
}

#[test]
fn a_merge_programs_the_map_page_of_its_logical_block() {
    let mut bench = with_map_on_flash(true);
    let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(5) };
    assert_eq!(bench.writes(&[512, 513, 514, 515, 516]), switch);
    assert_eq!(map_traffic(&bench), (0, 1));
    bench.writes(&[1, 5, 513, 9]);
    assert_eq!(map_traffic(&bench), (0, 0), "the random log block is full");
    let four = Cost { copies: 16, data_erases: 4, log_erases: 1, full: 4, ..Cost::of(1) };
    assert_eq!(bench.write(&[13]), four);
    assert_eq!(map_traffic(&bench), (3, 4), "0, 1 and 2 are on one page, 128 is on the other");
}

/// 8 switch merges program page 1 of the map 8 times: two blocks of 4 pages, none of them valid any
/// more.
#[test]
fn the_blocks_of_the_map_are_collected() {
    let mut bench = with_map_on_flash(true);
    for _ in 0..20 {
        bench.writes(&(512..520).collect::<Vec<u32>>());
    }
    let eight = Cost { data_erases: 8, switch: 8, ..Cost::of(32) };
    let four_times: Vec<u32> = (0..4).flat_map(|_| 512..520).collect();
    assert_eq!(bench.writes(&four_times), eight);
    assert_eq!(map_traffic(&bench), (0, 8));
    let ledger = bench.flash.ledger();
    assert_eq!(ledger.erases(BlockKind::Translation), 2);
    assert_eq!(ledger.get(Operation::Program, Cause::GcTranslation), 0);
}

/// 2048 logical blocks have 2 pages of 4 KiB. DLOOP V.D: "requests arriving to plane 0".
#[test]
fn a_map_on_flash_takes_blocks_of_the_first_plane_and_a_page_of_ram() {
    let build = |map| {
        let mut setup = Setup::<FastConfig>::default();
        setup.device.channels = 2;
        setup.log = LogConfig { map, blocks: Some(100) };
        let mut flash = Device::new(&setup.device, 512 << 20).expect("a device");
        let ftl = FastFtl::build(&setup, &mut flash).expect("an FTL");
        let planes: Vec<u64> = flash.timeline().plane_operations().collect();
        (ftl.ram().tables, planes)
    };
    let ((in_ram, none), (on_flash, operations)) = (build(LogMap::Ram), build(LogMap::Flash));
    assert_eq!((in_ram - on_flash, none), (8192 - (4096 + 2 * 4), vec![0, 0]));
    assert_eq!(operations, [2, 0]);
}
