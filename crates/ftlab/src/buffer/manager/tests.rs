//! A buffer above an FTL on a device with blocks of 4 pages.

use super::*;
use crate::catalog::Catalog;
use crate::config::Config;
use crate::device::DeviceConfig;
use crate::flash::{Cause, Device};
use crate::ftl::parts::held_pages::BufferCounts;
use crate::units::Bytes;

struct Bench {
    ftl: Box<dyn Ftl>,
    flash: Device,
    buffer: BufferManager,
}

impl Bench {
    /// A buffer of `pages` pages above an FTL on 8 logical blocks of 4 pages, each written once.
    fn new(ftl: &str, policy: &str, pages: u64) -> Bench {
        let mut config = Config {
            device: DeviceConfig {
                page: Bytes(512),
                pages_per_block: 4,
                blocks: Some(16),
                ..DeviceConfig::default()
            },
            ..Config::default()
        };
        config.buffer.policy = policy.into();
        config.buffer.size = Bytes(512 * pages);
        let mut flash = Device::new(&config.device, 8 * 4 * 512).expect("a device");
        let ftl = Catalog::standard()
            .find(ftl)
            .expect("an FTL")
            .build(&config, &mut flash)
            .expect("built");
        let buffer = config.buffer_manager(&flash, false).expect("a buffer");
        let mut bench = Bench { ftl, flash, buffer: buffer.expect("a buffer") };
        for lpn in 0..32 {
            bench.serve(Op::Write, &[lpn]);
        }
        bench.buffer.drain(bench.ftl.as_mut(), &mut bench.flash);
        bench.start();
        bench
    }

    fn start(&mut self) {
        self.flash.start_measuring();
        self.ftl.reset_metrics();
        self.buffer.reset_counts();
    }

    fn serve(&mut self, op: Op, pages: &[u32]) -> BufferCounts {
        let pages: Vec<Lpn> = pages.iter().copied().map(Lpn).collect();
        self.buffer.serve(
            Access::new(op, &pages),
            Cover::WHOLE,
            self.ftl.as_mut(),
            &mut self.flash,
        );
        self.buffer.audit(&self.flash);
        self.ftl.audit(&self.flash);
        self.buffer.counts()
    }

    fn operations(&self) -> (u64, u64, u64) {
        let ledger = self.flash.ledger();
        let host = |operation| ledger.get(operation, Cause::Host);
        (host(Operation::Read), host(Operation::Program), ledger.total(Operation::Erase))
    }
}

#[test]
fn what_is_overwritten_in_ram_is_never_programmed() {
    let mut bench = Bench::new("page", "lru", 2);
    let counts = [0, 0, 1, 0].map(|lpn| bench.serve(Op::Write, &[lpn]))[3];
    assert_eq!((counts.absorbed, counts.write_hits, counts.dirty), (2, 2, 2));
    assert_eq!(bench.operations(), (0, 0, 0));
    bench.serve(Op::Read, &[0, 1]);
    assert_eq!(bench.operations(), (0, 0, 0), "hits need no flash operation");
    bench.serve(Op::Read, &[0, 5]);
    assert_eq!(bench.operations(), (1, 1, 0), "page 5 is read and kept; dirty page 1 leaves");
    let counts = bench.serve(Op::Trim, &[0]);
    assert_eq!((counts.absorbed, counts.dirty), (3, 0), "a trimmed version is never programmed");
    assert_eq!(counts.programs(4), 1);
}

#[test]
fn a_read_hit_takes_no_time_and_a_flush_delays_the_request_that_needs_room() {
    let mut bench = Bench::new("page", "lru", 1);
    bench.serve(Op::Write, &[3]);
    bench.flash.timeline_mut().issue(1_000);
    bench.serve(Op::Read, &[3]);
    assert_eq!(bench.flash.timeline().served().end, 1_000);
    bench.serve(Op::Write, &[4]);
    assert_eq!(bench.flash.timeline().served().end, 201_000);
}

#[test]
fn a_flush_writes_what_is_dirty_and_fua_its_own_pages() {
    let mut bench = Bench::new("page", "lru", 4);
    for lpn in [3, 9, 5] {
        bench.serve(Op::Write, &[lpn]);
    }
    let counts = bench.serve(Op::WriteThrough, &[5, 6]);
    assert_eq!((counts.dirty, counts.absorbed), (2, 1), "3 and 9 stay in RAM");
    assert_eq!(bench.operations(), (0, 2, 0));
    let counts = bench.serve(Op::Flush, &[]);
    assert_eq!((counts.dirty, counts.flushed_pages), (0, 4));
    assert_eq!(bench.operations(), (0, 4, 0));
    assert_eq!(bench.serve(Op::Flush, &[]), counts, "nothing is left to write");
    bench.serve(Op::Read, &[5]);
    assert_eq!(bench.operations(), (1, 4, 0), "what was written through has left the buffer");
}

/// The first read of an unwritten page goes to the FTL. The second is a hit in RAM.
#[test]
fn a_read_of_nothing_from_ram_is_counted_as_one() {
    let mut bench = Bench::new("page", "lru", 2);
    bench.serve(Op::Trim, &[5]);
    let counts = [0, 1].map(|_| bench.serve(Op::Read, &[5]).unwritten_hits);
    assert_eq!((counts, bench.flash.unwritten_reads()), ([0, 1], 1));
    assert_eq!(bench.serve(Op::Read, &[6]).unwritten_hits, 1);
}

/// The example of BPLRU's public summary, above FAST. Pages 12 and 15 are in RAM; 13 and 14 are
/// read, and all four are programmed in order. The earlier sequential log, of block 4, was whole,
/// too. All merges are switches.
#[test]
fn bplru_makes_fast_switch() {
    let mut bench = Bench::new("fast", "bplru", 2);
    bench.serve(Op::Write, &[16]);
    bench.buffer.drain(bench.ftl.as_mut(), &mut bench.flash);
    bench.start();
    bench.serve(Op::Write, &[12, 15]);
    bench.serve(Op::Write, &[0]);
    assert_eq!(bench.operations(), (0, 2, 1));
    assert_eq!(bench.buffer.counts().padded_pages, 2);
    let causes = [Cause::Host, Cause::Padding];
    let of = |operation| causes.map(|cause| bench.flash.ledger().get(operation, cause));
    assert_eq!((of(Operation::Read), of(Operation::Program)), ([0, 2], [2, 2]), "13 and 14");
    bench.buffer.drain(bench.ftl.as_mut(), &mut bench.flash);
    let merges = bench.ftl.metrics().merges.expect("FAST merges");
    assert_eq!((merges.switch, merges.partial, merges.full), (2, 0, 0));
    assert_eq!(bench.flash.ledger().get(Operation::Program, Cause::Merge), 0);
}

#[test]
fn a_group_reaches_the_ftl_as_a_group() {
    let mut bench = Bench::new("block-optimized", "fab", 4);
    bench.serve(Op::Write, &[8, 9, 11]);
    bench.serve(Op::Write, &[0]);
    bench.serve(Op::Write, &[4]);
    assert_eq!(bench.operations(), (0, 3, 1), "one erase for the three pages of block 2");
}

#[test]
fn what_is_still_in_ram_at_the_end_is_told_apart() {
    let mut bench = Bench::new("page", "clash", 8);
    bench.serve(Op::Write, &[1, 2, 9]);
    let flushed = bench.buffer.drain(bench.ftl.as_mut(), &mut bench.flash);
    assert_eq!((flushed.groups, flushed.pages, flushed.programs), (2, 3, 3));
    assert_eq!(flushed.time_us, 600.0);
    assert_eq!(bench.buffer.counts().dirty, 0);
}
