//! A worked example, and the behaviour of zones and tiers.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{Cause, Device, Operation};
use crate::units::Bytes;

const PAGES: u32 = 1024;

/// 8 translation pages of 128 mappings in `zones` zones, every page written once. Tier 1 has room
/// for `entries` entries. Zone 0 is in use, with an empty cache.
fn device(zones: u32, entries: u64) -> (Zftl, Device) {
    let mut config = Setup {
        device: DeviceConfig {
            page: Bytes(512),
            pages_per_block: 4,
            over_provisioning: Ratio(1.0),
            ..DeviceConfig::default()
        },
        own: ZftlConfig { zones, tier1: None },
        ..Setup::default()
    };
    config.ftl.cache = Some(Bytes(532 + 8 * entries));
    let mut flash = Device::new(&config.device, u64::from(PAGES) * 512).expect("a device");
    let mut ftl = Zftl::build(&config, &mut flash).expect("an FTL");
    assert_eq!(ftl.zones.len() as u32, zones);
    for lpn in 0..PAGES {
        ftl.write(Access::write(&[Lpn(lpn)]), &mut flash);
    }
    ftl.leave(&mut flash);
    if zones > 1 {
        ftl.enter(0, &mut flash);
    }
    (ftl, flash)
}

/// Translation pages read and programmed, directories included.
fn cost(
    ftl: &mut Zftl,
    flash: &mut Device,
    access: impl FnOnce(&mut Zftl, &mut Device),
) -> (u64, u64) {
    flash.start_measuring();
    access(ftl, flash);
    ftl.audit(flash);
    let count = |operation| flash.ledger().get(operation, Cause::Translation);
    (count(Operation::Read), count(Operation::Program))
}

/// Tier 1 by page, dirty entries marked.
fn tier1(ftl: &Zftl) -> Vec<(u32, bool)> {
    ftl.zones[ftl.current].cache.tier1()
}

/// 1024 translation pages in a zone, 128 of them on a page of its directory.
#[test]
fn a_large_zone_has_a_directory_of_several_pages() {
    let mut config = Setup {
        device: DeviceConfig { page: Bytes(512), ..DeviceConfig::default() },
        own: ZftlConfig { zones: 2, tier1: None },
        ..Setup::default()
    };
    config.ftl.cache = Some(Bytes(1024));
    let mut flash = Device::new(&config.device, 128 << 20).expect("a device");
    let mut ftl = Zftl::build(&config, &mut flash).expect("an FTL");
    assert_eq!(ftl.accounts().directories, 2 * 8);
    let found = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(0)]), flash));
    assert_eq!(found, (1, 0));
    let found =
        cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(200_000)]), flash));
    assert_eq!(found, (8 + 1, 0));
    ftl.write(Access::write(&[Lpn(200_000)]), &mut flash);
    let found = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(0)]), flash));
    assert_eq!(found, (8 + 1, 1 + 1), "a page, and the page of the directory that it changed");
}

/// Alternate reads in two zones cost a directory and a translation page each.
#[test]
fn the_worked_example_reads_a_directory_for_each_change_of_zone() {
    let (mut ftl, mut flash) = device(2, 4);
    assert_eq!(
        cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(3)]), flash)),
        (1, 0)
    );
    for lpn in [900, 3, 900, 3] {
        let found =
            cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(lpn)]), flash));
        assert_eq!(found, (2, 0), "page {lpn}");
    }
    assert_eq!(ftl.metrics().own["zftl.switches"], 2 + 4, "2 while filling");
    let again = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(4)]), flash));
    assert_eq!(again, (0, 0), "tier 2 holds the page");
}

/// A dirty page of tier 2 is programmed whole, then the directory, because its page has moved.
#[test]
fn leaving_a_zone_writes_what_has_changed() {
    let (mut ftl, mut flash) = device(2, 4);
    ftl.write(Access::write(&[Lpn(3)]), &mut flash);
    let found = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(900)]), flash));
    assert_eq!(found, (2, 2), "page 0 and the directory written, another directory and page read");
    let back = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(3)]), flash));
    assert_eq!(back, (2, 0), "nothing has changed");
}

/// The dirty entries of a page that leaves tier 2 remain in tier 1. A clean page leaves the entry
/// used last.
#[test]
fn tier_1_keeps_dirty_entries_or_the_last_one() {
    let (mut ftl, mut flash) = device(1, 4);
    ftl.write(Access::write(&[Lpn(3)]), &mut flash);
    ftl.write(Access::write(&[Lpn(5)]), &mut flash);
    ftl.read(Access::read(&[Lpn(6)]), &mut flash);
    ftl.read(Access::read(&[Lpn(130)]), &mut flash);
    assert_eq!(tier1(&ftl), [(3, true), (5, true)]);
    ftl.read(Access::read(&[Lpn(131)]), &mut flash);
    ftl.read(Access::read(&[Lpn(260)]), &mut flash);
    assert_eq!(tier1(&ftl), [(3, true), (5, true), (131, false)]);
    let found = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(3)]), flash));
    assert_eq!(found, (0, 0), "a hit in tier 1");
    let found = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(4)]), flash));
    assert_eq!(found, (1, 0));
    assert_eq!(tier1(&ftl), [(131, false), (260, false)], "3 and 5 are back in their page");
}

/// TPFTL 4.4: the oldest entry leaves with all entries of its translation page.
#[test]
fn tier_1_evicts_in_batches() {
    let (mut ftl, mut flash) = device(1, 3);
    for lpn in [3, 130, 5, 260, 261] {
        ftl.write(Access::write(&[Lpn(lpn)]), &mut flash);
    }
    assert_eq!(tier1(&ftl), [(3, true), (5, true), (130, true)]);
    let found = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(400)]), flash));
    assert_eq!(found, (3, 2), "260 and 261 push out 130, then 3 with 5");
    assert_eq!(tier1(&ftl), [(260, true), (261, true)]);
}

#[test]
fn more_dirty_entries_than_tier_1_has_room_for_are_programmed_with_their_page() {
    let (mut ftl, mut flash) = device(1, 2);
    for lpn in [3, 4, 5] {
        ftl.write(Access::write(&[Lpn(lpn)]), &mut flash);
    }
    let found = cost(&mut ftl, &mut flash, |ftl, flash| ftl.read(Access::read(&[Lpn(130)]), flash));
    assert_eq!(found, (1, 1), "programmed without a read");
    assert_eq!(tier1(&ftl), []);
}

/// Tier 2 marks its dirty mappings by a bit for each of 128.
#[test]
fn the_page_of_tier_2_takes_its_content_a_number_and_a_mark_for_each_mapping() {
    let (mut ftl, mut flash) = device(1, 0);
    ftl.read(Access::read(&[Lpn(3)]), &mut flash);
    assert_eq!(ftl.zones[0].cache.occupancy().bytes, 512 + 4 + 16);
}

/// A device that is too small for the zones has fewer.
#[test]
fn ram_is_a_zone_table_and_one_directory() {
    let (ftl, _) = device(4, 4);
    assert_eq!(ftl.ram(), RamUse { tables: 4 * 4 + 4 * 2, cache: 532 + 32, buffer: 0 });
    let config = Setup { own: ZftlConfig { zones: 64, tier1: None }, ..Setup::default() };
    let flash = Device::new(&config.device, 512 << 20).expect("a device");
    let (regions, _) = divide(&config, flash.geometry()).expect("zones");
    assert_eq!(regions.len(), 32, "64 zones would have 4 spare blocks each");
    assert_eq!(regions.iter().map(|r| r.blocks.len() as u32).sum::<u32>(), 2355);
    assert_eq!(regions.iter().map(|r| r.pages.len()).sum::<usize>(), 131_072);
}
