//! A worked example, and the movement of the boundary of APS.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{Cause, Device, Operation};
use crate::ftl::access;
use crate::units::{Bytes, Duration, Ratio};

const PAGES: u32 = 8 * 128;
const MAP: u64 = 512 + 4;
const DATA: u64 = 512 + 8;

/// 8 translation pages of 128 mappings, every page written once, and an empty pool of `bytes`
/// bytes.
struct Bench<P> {
    ftl: PooledFtl<P>,
    flash: Device,
}

/// Translation pages read and programmed, pages read and programmed for the host.
type Cost = [u64; 4];

impl<P: Pool> Bench<P> {
    fn new(bytes: u64, configure: impl FnOnce(&mut Setup<P::Settings>)) -> Self {
        let device = DeviceConfig {
            page: Bytes(512),
            pages_per_block: 4,
            over_provisioning: Ratio(1.0),
            ..DeviceConfig::default()
        };
        let mut config = Setup { device, ..Setup::default() };
        config.ftl.cache = Some(Bytes(bytes));
        configure(&mut config);
        let mut flash = Device::new(&config.device, u64::from(PAGES) * 512).expect("a device");
        let mut ftl = PooledFtl::<P>::build(&config, &mut flash).expect("an FTL");
        for lpn in 0..PAGES {
            access(&mut ftl, Op::Write, &[Lpn(lpn)], &mut flash);
        }
        ftl.flush(&mut flash);
        let mut bench = Bench { ftl, flash };
        bench.empty();
        bench.ftl.reset_metrics();
        bench
    }

    fn evict(&mut self) -> (Pooled, Cost) {
        let next = self.ftl.pool.next();
        (next, self.cost(|ftl, flash| ftl.evict(next, flash)))
    }

    fn empty(&mut self) {
        while self.ftl.engine.cache.count() as u64 + self.ftl.data_pages > 0 {
            self.evict();
        }
    }

    fn cost(&mut self, access: impl FnOnce(&mut PooledFtl<P>, &mut Device)) -> Cost {
        self.flash.start_measuring();
        access(&mut self.ftl, &mut self.flash);
        self.ftl.audit(&self.flash);
        let count = |operation, cause| self.flash.ledger().get(operation, cause);
        [
            count(Operation::Read, Cause::Translation),
            count(Operation::Program, Cause::Translation),
            count(Operation::Read, Cause::Host),
            count(Operation::Program, Cause::Host),
        ]
    }

    fn read(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| access(ftl, Op::Read, &[Lpn(lpn)], flash))
    }

    fn write(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| access(ftl, Op::Write, &[Lpn(lpn)], flash))
    }

    fn trim(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| access(ftl, Op::Trim, &[Lpn(lpn)], flash))
    }
}

/// Each path of an access, once.
#[test]
fn the_worked_example_of_treeftl() {
    let mut bench = Bench::<Tree>::new(2 * MAP + 4 * DATA, |_| ());
    assert_eq!(bench.read(5), [1, 0, 1, 0], "a miss reads the translation page and the page");
    assert_eq!(bench.read(5), [0; 4]);
    assert_eq!(bench.write(5), [0; 4], "the data page is dirty");
    assert_eq!(bench.evict(), (Pooled::Data(Lpn(5)), [0, 0, 0, 1]));
    assert_eq!(bench.evict(), (Pooled::Map(Vtpn(0)), [0, 1, 0, 0]), "its slot was dirty");
    assert_eq!(bench.read(5), [1, 0, 1, 0]);
}

/// Using a page moves its whole subtree to the front. Inside a subtree, data leaves before the
/// translation page.
#[test]
fn the_oldest_subtree_leaves_first() {
    let mut bench = Bench::<Tree>::new(2 * MAP + 4 * DATA, |_| ());
    for lpn in [5, 6, 130, 131] {
        bench.read(lpn);
    }
    assert_eq!(bench.read(5), [0; 4], "subtree 0 is the newer one, and 5 newer than 6");
    assert_eq!(bench.write(300), [1, 0, 0, 0], "130, 131 and their translation page are clean");
    assert!(!bench.ftl.held.holds(Lpn(130)));
    assert!(bench.ftl.held.holds(Lpn(6)) && bench.ftl.engine.cache.holds(Vtpn(0)));
    bench.read(301);
    bench.read(302);
    assert!(!bench.ftl.held.holds(Lpn(6)) && bench.ftl.held.holds(Lpn(5)), "6 before 5");
}

#[test]
fn fua_programs_its_own_pages() {
    let mut bench = Bench::<Tree>::new(2 * MAP + 4 * DATA, |_| ());
    for lpn in [7, 8, 9] {
        bench.write(lpn);
    }
    assert_eq!(bench.cost(|ftl, flash| access(ftl, Op::Flush, &[Lpn(8)], flash)), [0, 0, 0, 1]);
    assert_eq!(bench.ftl.metrics().own["treeftl.dirty_pages"], 2);
    assert_eq!(bench.read(8), [0; 4], "it stays in RAM");
}

/// The translation page of a request's later pages is read once, and many writes are programmed once.
#[test]
fn writes_are_absorbed_until_their_page_leaves() {
    let mut bench = Bench::<Tree>::new(2 * MAP + 4 * DATA, |_| ());
    let pages: Vec<Lpn> = (7..10).map(Lpn).collect();
    assert_eq!(bench.cost(|ftl, flash| access(ftl, Op::Write, &pages, flash)), [1, 0, 0, 0]);
    for _ in 0..10 {
        assert_eq!(bench.write(8), [0; 4]);
    }
    assert_eq!(bench.trim(9), [0; 4], "what was on flash is forgotten, too");
    assert_eq!(bench.ftl.metrics().own["treeftl.absorbed_writes"], 11);
    assert_eq!(bench.cost(|ftl, flash| ftl.flush(flash)), [0, 0, 0, 2]);
    assert_eq!(bench.ftl.metrics().own["treeftl.dirty_pages"], 0);
    assert_eq!(bench.read(9), [0, 0, 1, 0], "a page without data costs a read");
}

/// Page 128 is dirty in RAM, and has to make room for the translation page of 127. A program at
/// that moment would be a version written after a tombstone.
#[test]
fn a_page_that_is_trimmed_is_not_programmed_for_room() {
    let mut bench = Bench::<Tree>::new(MAP + 2 * DATA, |_| ());
    assert_eq!(bench.write(128), [1, 0, 0, 0]);
    let both = [Lpn(127), Lpn(128)];
    let [.., programs] = bench.cost(|ftl, flash| access(ftl, Op::Trim, &both, flash));
    assert_eq!(programs, 0);
}

#[test]
fn a_pool_with_room_for_no_data_writes_through() {
    let mut bench = Bench::<Tree>::new(MAP, |_| ());
    assert_eq!(bench.write(5), [1, 0, 0, 1]);
    assert_eq!(bench.write(5), [0, 0, 0, 1]);
    assert_eq!(bench.read(133), [1, 1, 1, 0]);
    let mut bench = Bench::<Aps>::new(MAP, |_| ());
    assert_eq!(bench.write(5), [0; 4], "one page of either kind has room");
    assert_eq!(bench.read(133), [2, 0, 1, 1], "5 leaves, then the clean ones");
    assert_eq!(bench.read(6), [0, 0, 1, 0], "the translation page of 5 stayed");
}

/// A write needs no mapping until its page leaves.
#[test]
fn aps_looks_a_mapping_up_when_a_dirty_page_leaves() {
    let mut bench = Bench::<Aps>::new(4 * MAP, |_| ());
    assert_eq!(bench.write(5), [0; 4]);
    assert_eq!(bench.write(133), [0; 4]);
    assert_eq!(bench.evict(), (Pooled::Data(Lpn(5)), [1, 0, 0, 1]));
    assert_eq!(bench.write(6), [0; 4]);
    assert_eq!(bench.read(7), [0, 0, 1, 0], "the translation page is in RAM now");
    assert_eq!(bench.ftl.bytes(), 4 * MAP);
    assert_eq!(bench.write(8), [1, 0, 0, 2], "133 leaves, then 6 for its translation page");
    assert_eq!(bench.ftl.pool.map_room(), 2);
}

/// Each data page that is requested again would have saved a program, each page of the map a read.
#[test]
fn the_boundary_of_aps_moves_to_where_ghosts_would_have_saved_more() {
    let configure = |config: &mut Setup<ApsConfig>| config.own.inertia = Duration(300_000);
    let mut bench = Bench::<Aps>::new(6 * MAP, configure);
    assert_eq!(bench.ftl.pool.map_room(), 3);
    // Seven pages in a ring: there is room for five in addition to their translation page.
    for lpn in (0..7).cycle().take(60) {
        bench.write(lpn);
    }
    assert_eq!(bench.ftl.pool.map_room(), 1, "one translation page serves them all");
    // Reads of many translation pages in a ring, each of another page.
    for round in 0..100 {
        bench.read(128 * (round % 4) + 20 + round / 4);
    }
    assert!(bench.ftl.pool.map_room() > 2, "{} pages", bench.ftl.pool.map_room());
    assert!(bench.ftl.metrics().own["aps.boundary_moves"] >= 4);
}

/// Page size and the number of each page; ghosts of APS are tables.
#[test]
fn ram_is_the_pool_the_gtd_and_the_ghosts() {
    let tree = Bench::<Tree>::new(5000, |_| ());
    assert_eq!(tree.ftl.ram(), RamUse { tables: 32, cache: 5000, buffer: 0 });
    let aps = Bench::<Aps>::new(5000, |_| ());
    assert_eq!(aps.ftl.ram(), RamUse { tables: 32 + 2 * 9 * 4, cache: 5000, buffer: 0 });
}
