//! Blocks of 4 pages, 128 mappings on a translation page; all pages written once, the cache empty.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{Device, Operation};
use crate::ftl::demand::MappingCache;
use crate::units::{Bytes, Ratio};

struct Bench {
    ftl: Cftl,
    flash: Device,
}

/// Translation page reads and programs, data reads and programs, copies.
type Cost = (u64, u64, u64, u64, u64);

impl Bench {
    /// A cache of `cache` bytes; a block is converted after 4 reads.
    fn new(cache: u64) -> Self {
        let device = DeviceConfig {
            page: Bytes(512),
            pages_per_block: 4,
            over_provisioning: Ratio(2.0),
            ..DeviceConfig::default()
        };
        let mut config = Setup { device, own: CftlConfig { reads: 4 }, ..Setup::default() };
        config.ftl.cache = Some(Bytes(1 << 20));
        let mut flash = Device::new(&config.device, 256 * 512).expect("a device");
        let mut ftl = Cftl::build(&config, &mut flash).expect("an FTL");
        for lpn in 0..256 {
            ftl.write(Access::write(&[Lpn(lpn)]), &mut flash);
        }
        let mapped = ftl.demand.cache.clone();
        config.ftl.cache = Some(Bytes(cache));
        ftl.demand.flush_and_rebuild(&config, &mut flash);
        ftl.demand.cache.adopt_blocks(&mapped);
        Bench { ftl, flash }
    }

    fn cost(&mut self, action: impl FnOnce(&mut Cftl, &mut Device)) -> Cost {
        self.flash.start_measuring();
        self.ftl.reset_metrics();
        action(&mut self.ftl, &mut self.flash);
        self.ftl.audit(&self.flash);
        let of = |operation, cause| self.flash.ledger().get(operation, cause);
        let map = |operation| of(operation, Cause::Translation) + of(operation, Cause::GcMapping);
        (
            map(Operation::Read),
            map(Operation::Program),
            of(Operation::Read, Cause::Host),
            of(Operation::Program, Cause::Host),
            of(Operation::Program, Cause::GcData),
        )
    }

    fn read(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| ftl.read(Access::read(&[Lpn(lpn)]), flash))
    }

    fn write(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| ftl.write(Access::write(&[Lpn(lpn)]), flash))
    }

    fn own(&self, name: &str) -> u64 {
        self.ftl.metrics().own[name]
    }
}

#[test]
fn one_entry_covers_the_pages_that_follow() {
    let mut bench = Bench::new(10);
    assert_eq!(bench.read(8), (1, 0, 1, 0, 0), "a miss loads the run from page 8 on");
    assert_eq!(bench.read(127), (0, 0, 1, 0, 0), "which ends with the translation page");
    assert_eq!(bench.read(128), (1, 0, 1, 0, 0));
    assert_eq!(bench.read(8), (1, 0, 1, 0, 0), "there is room for one run");
}

#[test]
fn a_write_cuts_a_run_in_three() {
    let mut bench = Bench::new(30);
    bench.read(8);
    assert_eq!(bench.write(20), (0, 0, 0, 1, 0), "a hit");
    assert_eq!(bench.ftl.demand.cache.audit_entries().len(), 120);
    assert_eq!(bench.ftl.metrics().mapping.map(|mapping| mapping.occupancy.bytes), Some(30));
    for lpn in [19, 20, 21] {
        assert_eq!(bench.read(lpn), (0, 0, 1, 0, 0));
    }
}

#[test]
fn a_block_that_is_read_often_is_collected_and_mapped_by_one_entry() {
    let mut bench = Bench::new(20);
    bench.write(9);
    bench.read(200);
    bench.read(8);
    bench.read(10);
    bench.read(8);
    let (_, programs, reads, _, copies) = bench.read(8);
    assert_eq!((programs, reads, copies), (1, 1, 4), "four pages, and the map of all of them");
    assert_eq!(bench.own("cftl.blocks_collected"), 1);
    for lpn in [9, 10, 11] {
        assert_eq!(bench.read(lpn), (0, 0, 1, 0, 0));
        assert_eq!(bench.own("cftl.block_hits"), 1);
    }
    let (_, _, _, programs, copies) = bench.write(10);
    assert_eq!((programs, copies), (1, 0), "page-mapped again, for nothing");
    assert_eq!(bench.own("cftl.block_mapped"), 0);
}

#[test]
fn a_block_that_is_together_already_is_not_copied() {
    let mut bench = Bench::new(10);
    let first = bench.ftl.demand.store.pages.mapping_on_flash(Lpn(8)).expect("mapped");
    assert_eq!(first.0 % 4, 0, "written in order");
    for _ in 0..4 {
        let (_, _, reads, _, copies) = bench.read(8);
        assert_eq!((reads, copies), (1, 0));
    }
    assert_eq!(bench.own("cftl.blocks_found_whole"), 1);
    assert_eq!(bench.own("cftl.block_mapped"), 1);
}

#[test]
fn a_block_that_is_written_meanwhile_stays_page_mapped() {
    let mut bench = Bench::new(20);
    bench.read(8);
    bench.read(8);
    bench.write(9);
    bench.read(8);
    bench.read(8);
    assert_eq!(bench.own("cftl.block_mapped"), 0);
}
