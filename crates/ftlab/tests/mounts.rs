//! What mounting costs after a power cut: OOBs read, pages read and programmed, blocks erased.

use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::flash::{Cause, Cuts, Device, Operation, Tear};
use ftlab::ftl::{Ftl, access};
use ftlab::request::Op;
use ftlab::rng::Rng;
use ftlab::units::{Bytes, Lpn};

/// 128 logical blocks of 64 pages of 4 KiB.
const CAPACITY: u64 = 32 << 20;
const PAGES: u32 = 8192;

/// Operations of a mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    oob_reads: u64,
    reads: u64,
    programs: u64,
    erases: u64,
}

fn config() -> Config {
    let mut config = Catalog::standard().config();
    config.device.blocks = Some(160);
    config.ftl.cache = Some(Bytes(8192));
    config
}

/// Serves writes, cuts the power after the last, mounts, and reads everything.
fn mount(name: &str, write: impl Fn(&mut dyn Ftl, &mut Device)) -> Cost {
    mount_on(name, |_| {}, write).0
}

/// The same on a device that is prepared while it is erased; it is returned as it is then.
fn mount_on(
    name: &str,
    prepare: impl Fn(&mut Device),
    write: impl Fn(&mut dyn Ftl, &mut Device),
) -> (Cost, Device) {
    let (catalog, config) = (Catalog::standard(), config());
    let entry = catalog.find(name).expect("an FTL");
    let mut erased = Device::new(&config.device, CAPACITY).expect("a device");
    erased.remember();
    prepare(&mut erased);
    let mut device = erased.clone();
    let mut ftl = entry.build(&config, &mut device).expect("an FTL");
    write(&mut *ftl, &mut device);
    let mut device = Cuts::of(erased, &device).at(device.changes(), Tear::Before);
    device.start_measuring();
    let mut ftl = entry.mount(&config, &mut device).expect("an FTL that mounts").expect("an FTL");
    let total = |operation| device.ledger().total(operation);
    let cost = Cost {
        oob_reads: device.surveyed(),
        reads: total(Operation::Read),
        programs: total(Operation::Program),
        erases: total(Operation::Erase),
    };
    (0..PAGES).for_each(|lpn| access(&mut ftl, Op::Read, &[Lpn(lpn)], &mut device));
    ftl.audit(&device);
    (cost, device)
}

/// Every page once, in order.
fn fill(ftl: &mut dyn Ftl, device: &mut Device) {
    (0..PAGES).for_each(|lpn| access(ftl, Op::Write, &[Lpn(lpn)], device));
}

fn fill_and_overwrite(ftl: &mut dyn Ftl, device: &mut Device) {
    fill(ftl, device);
    let mut rng = Rng::new(1, "overwrites");
    for _ in 0..2 * PAGES {
        access(ftl, Op::Write, &[Lpn(rng.below(u64::from(PAGES)) as u32)], device);
    }
}

/// 128 of 160 blocks of 64 pages are full. Where blocks are filled in order, two OOBs tell that another is
/// erased. It is erased again when it is used.
#[test]
fn a_map_in_ram_is_found_by_reading_oobs() {
    let cost = Cost { oob_reads: 128 * 64 + 32 * 2, reads: 0, programs: 0, erases: 0 };
    assert_eq!(mount("page", fill), cost);
    assert_eq!(mount("block", fill), Cost { oob_reads: 160 * 64, ..cost });
}

/// A checkpoint after the fill: 12 B for each of 8,192 pages and 8 B for each of 160 blocks are 25 pages. A mount
/// reads these, the first OOB of each full block, and those of the erased ones as before.
#[test]
fn what_a_checkpoint_says_is_not_read_again() {
    let every = |device: &mut Device| device.checkpoint_every(Some(PAGES.into()));
    let (cost, _) = mount_on("page", every, |ftl, device| {
        fill(ftl, device);
        device.checkpoint_if_due();
        access(ftl, Op::Write, &[Lpn(9)], device);
    });
    let changed = 1 + 2;
    let expected = Cost { oob_reads: 128 + 31 * 2 + changed, reads: 25, programs: 0, erases: 0 };
    assert_eq!(cost, expected);
}

/// Tombstones of 64 requests are on 64 pages. There is room for no more: with the next all pages without data are
/// written anew, on one page. Of every FTL what was trimmed and not written since stays so.
#[test]
fn what_was_trimmed_for_good_costs_a_page_for_each_request() {
    let trimmed = |name: &str, requests: u32| {
        let durable = |device: &mut Device| device.keep_trims(true);
        mount_on(name, durable, |ftl, device| {
            fill(ftl, device);
            for first in (0..requests).map(|request| 4 * request) {
                access(ftl, Op::Trim, &[Lpn(first), Lpn(first + 1)], device);
            }
            access(ftl, Op::Write, &[Lpn(1)], device);
            assert_eq!(
                device.ledger().get(Operation::Erase, Cause::Trim),
                u64::from(requests > 64)
            );
        })
    };
    let oob_reads = 128 * 64 + (1 + 2) + 31 * 2;
    let cost = Cost { oob_reads, reads: 64, programs: 0, erases: 0 };
    assert_eq!(trimmed("page", 64).0, cost);
    assert_eq!(trimmed("page", 65).0, Cost { reads: 2, ..cost });
    for entry in Catalog::standard().ftls().iter().filter(|entry| entry.recovers()) {
        let (_, device) = trimmed(entry.name(), 70);
        let empty = (0..PAGES).filter(|lpn| device.version(Lpn(*lpn)).is_none());
        let expected = (0..280).filter(|lpn| lpn % 4 < 2 && *lpn != 1);
        assert!(empty.eq(expected), "{}", entry.name());
    }
}

/// Nothing was trimmed. GFTL gives up the copies of the block that it was cleaning.
#[test]
fn a_map_in_oobs_is_compared_and_complete() {
    let cost = Cost { oob_reads: 128 * 64 + 32 * 2, reads: 0, programs: 0, erases: 0 };
    assert_eq!((mount("mnftl", fill), mount("superblock", fill)), (cost, cost));
    let cost = mount("gftl", fill);
    assert_eq!((cost.reads, cost.programs, cost.erases), (0, 0, 1));
}

/// Page 9 comes back with its data, and its row is written to the OOB of a copy.
#[test]
fn a_piece_whose_page_was_trimmed_is_written_again() {
    let cost = mount("mnftl", |ftl, device| {
        fill(ftl, device);
        access(ftl, Op::Trim, &[Lpn(9)], device);
        access(ftl, Op::Write, &[Lpn(10)], device);
    });
    assert_eq!((cost.reads, cost.programs), (1, 1));
}

/// 8 translation pages are read. Of the mappings in the cache, which is full, all are dirty: they are those of
/// the pages written last, on one translation page.
#[test]
fn a_map_on_flash_is_compared_and_completed() {
    let cost = mount("dftl", fill);
    assert_eq!((cost.reads, cost.programs), (8 + 1, 1));
}

/// Two pages in a log block, one of them superseded: it is the log block of their logical block again.
#[test]
fn log_blocks_are_found() {
    let twice = |ftl: &mut dyn Ftl, device: &mut Device| {
        fill(ftl, device);
        [9, 9].into_iter().for_each(|lpn| access(ftl, Op::Write, &[Lpn(lpn)], device));
    };
    let names =
        ["bast", "nftl", "nftl-chain", "rnftl", "fast", "kast", "last", "sast", "aftl", "waftl"];
    for name in names {
        assert_eq!(mount(name, twice).programs, 0, "{name}");
    }
}

/// The primary block with 0, 5 and 63 was kept, and has newer versions of 0 and 63 in its second and third page: a search
/// from its end would meet the older 63. The three are merged.
#[test]
fn a_replacement_block_that_cannot_be_searched_is_merged() {
    let cost = mount("rnftl", |ftl, device| {
        let pages = [0, 5, 63].into_iter().chain([0; 65]).chain([63]);
        pages.for_each(|lpn| access(ftl, Op::Write, &[Lpn(lpn)], device));
    });
    assert_eq!(cost.programs, 3);
}

/// All pages of a logical block, in another order: nothing is left of its data block, and they are merged.
#[test]
fn what_has_no_data_block_is_merged() {
    let cost = mount("bast", |ftl, device| {
        fill(ftl, device);
        (0..64).rev().for_each(|lpn| access(ftl, Op::Write, &[Lpn(lpn)], device));
    });
    assert_eq!((cost.reads, cost.programs), (64, 64));
    assert_eq!(cost.erases, 1 + 2, "the block that is taken, and both that were merged");
}

#[test]
#[ignore = "long: part of make test-long"]
fn every_ftl_that_mounts_finds_all_after_random_writes() {
    let catalog = Catalog::standard();
    for entry in catalog.ftls().iter().filter(|entry| entry.recovers()) {
        let cost = mount(entry.name(), fill_and_overwrite);
        eprintln!("{:16} {cost:?}", entry.name());
        // One for each programmed page: those that are valid, and some that are not.
        assert!((u64::from(PAGES)..=10_240).contains(&cost.oob_reads), "{}", entry.name());
    }
}
