//! Worked examples and cost laws: P = 4, all pages written once.

use super::*;
use crate::device::DeviceConfig;
use crate::ftl::parts::bench::{Bench, Cost, P};
use crate::rng::Rng;

/// So many random log blocks beside the sequential one.
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
        let counts = bench.ftl.counts;
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
