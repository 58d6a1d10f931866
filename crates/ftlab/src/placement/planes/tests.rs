//! DLOOP's example (section III.B) and figures 5a and 5b, page by page.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{Cause, Device, Operation};
use crate::ftl::page::PageFtl;
use crate::ftl::{Access, Design, Ftl, FtlConfig, Setup};
use crate::gc::GcConfig;
use std::collections::BTreeMap;

/// Four planes of blocks of four pages, each page at the place that the pool chooses.
struct Bench {
    planes: Planes,
    flash: Device,
    map: BTreeMap<u32, Ppn>,
}

impl Bench {
    fn new(copy_back: CopyBack) -> Bench {
        let device = DeviceConfig {
            channels: 2,
            planes_per_die: 2,
            pages_per_block: 4,
            ..DeviceConfig::default()
        };
        let config: Setup = Setup {
            ftl: FtlConfig { placement: "striped".into(), ..FtlConfig::default() },
            gc: GcConfig { copy_back: Some(copy_back), ..GcConfig::default() },
            device,
            ..Setup::default()
        };
        let mut flash = Device::new(&config.device, 8644 * 4096).expect("a device");
        let placing = config.placing().expect("rules");
        let planes = Planes::new(&placing, &mut *flash, 1, 0).expect("room");
        Bench { planes, flash, map: BTreeMap::new() }
    }

    fn write(&mut self, lpns: &[u32]) {
        for &lpn in lpns {
            let place = self.planes.place(Lpn(lpn), Meta::UNSET, &*self.flash);
            let page = self.planes.next_page(place, Lpn(lpn), &*self.flash);
            self.flash.program(page, Owner::Data(Lpn(lpn)), Cause::Host);
            if let Some(old) = self.map.insert(lpn, page) {
                self.planes.invalidate(old, &mut *self.flash);
            }
        }
    }

    /// The twelve requests between two writes of 4204 to 4207. 7460 and 8640 replace the 7458 and
    /// 8642 of the text, which would not go to the planes in the text.
    fn example(copy_back: CopyBack) -> Bench {
        let mut bench = Bench::new(copy_back);
        bench.write(&[4204, 4205, 4206, 4207]);
        bench.write(&[3450, 3348, 7460, 7323, 7206, 3450, 5835, 2388, 7206, 7323, 8640, 7206]);
        bench.write(&[4204, 4205, 4206, 4207]);
        bench
    }

    /// The content of the first blocks of a plane: the owner of each programmed or skipped page, if
    /// it has one, and whether it is valid.
    fn block(&self, plane: u32, block: u32) -> Vec<(u32, bool)> {
        let geometry = self.flash.geometry();
        let first = geometry.first_page(Pbn(plane * geometry.blocks_per_plane + block)).0;
        let used = (first..first + 4).map(Ppn).filter(|ppn| self.flash.is_programmed(*ppn));
        let page = |ppn| match self.flash.audit_owner(ppn) {
            Some(Owner::Data(lpn)) => (lpn.0, self.flash.is_valid(ppn)),
            _ => (0, false),
        };
        used.map(page).collect()
    }

    /// Collects the block of a plane that GC would choose. Returns copy-backs, other copies, wasted
    /// pages and erases.
    fn collect(&mut self, plane: u32) -> [u64; 4] {
        self.flash.start_measuring();
        let mut victim = self.planes.take_victim(plane, &mut *self.flash);
        for &(owner, to) in self.planes.move_pages(&mut victim, &mut *self.flash) {
            let Owner::Data(lpn) = owner else { panic!("there is no map on flash") };
            self.map.insert(lpn.0, to);
        }
        self.planes.release(&victim, &mut *self.flash);
        self.planes.audit(&self.flash);
        self.flash.audit();
        let ledger = self.flash.ledger();
        let count = |operation| ledger.get(operation, Cause::GcData);
        [
            count(Operation::CopyBack),
            count(Operation::Program),
            ledger.wasted_pages(),
            count(Operation::Erase),
        ]
    }
}

/// DLOOP III.B, with the pages that its planes need (choices.md#dloop-example).
#[test]
fn the_twelve_requests_of_the_paper_lie_as_in_figure_4b() {
    let bench = Bench::example(CopyBack::Greedy);
    let (valid, dead) = (|lpn| (lpn, true), |lpn| (lpn, false));
    assert_eq!(bench.block(0, 0), [dead(4204), valid(3348), valid(7460), valid(2388)]);
    assert_eq!(bench.block(0, 1), [valid(8640), valid(4204)]);
    assert_eq!(bench.block(1, 0), [dead(4205), valid(4205)]);
    assert_eq!(bench.block(1, 1), []);
    assert_eq!(bench.block(2, 0), [dead(4206), dead(3450), dead(7206), valid(3450)]);
    assert_eq!(bench.block(2, 1), [dead(7206), valid(7206), valid(4206)]);
    assert_eq!(bench.block(3, 0), [dead(4207), dead(7323), valid(5835), valid(7323)]);
    assert_eq!(bench.block(3, 1), [valid(4207)]);
    let requests: Vec<u64> = bench.flash.timeline().plane_operations().collect();
    assert_eq!(requests, [6, 2, 7, 5], "4, 0, 5 and 3 of them between the two large writes");
    assert_eq!(bench.flash.ledger().total(Operation::Program), 20);
}

#[test]
fn figure_5a_moves_the_page_that_fits_first_and_wastes_none() {
    let mut bench = Bench::example(CopyBack::Greedy);
    assert_eq!(bench.collect(3), [2, 0, 0, 1]);
    assert_eq!(bench.block(3, 1), [(4207, true), (7323, true), (5835, true)]);
}

#[test]
fn in_order_copies_waste_a_page_where_figure_5a_wastes_none() {
    let mut bench = Bench::example(CopyBack::InOrder);
    assert_eq!(bench.collect(3), [2, 0, 1, 1]);
    assert_eq!(bench.block(3, 1), [(4207, true), (0, false), (5835, true), (7323, true)]);
}

/// Block 1 of the plane is full, too, so the copy goes to the first page of a new one.
#[test]
fn figure_5b_wastes_the_first_page_of_a_new_block() {
    let mut bench = Bench::example(CopyBack::Greedy);
    bench.write(&[2]);
    assert_eq!(bench.collect(2), [1, 0, 1, 1]);
    assert_eq!(bench.block(2, 2), [(0, false), (3450, true)]);
}

/// Half of a block is valid, all of one parity: copy-back without other copies would gain nothing.
#[test]
fn a_victim_never_wastes_all_that_it_gives() {
    let mut bench = Bench::new(CopyBack::Greedy);
    bench.write(&[0, 4, 8, 12]);
    bench.write(&[16, 20, 24, 28]);
    bench.write(&[0, 8]);
    bench.write(&[32, 36]);
    assert_eq!(bench.collect(0), [1, 1, 1, 1], "one page goes through the controller");
    assert_eq!(bench.block(0, 3), [(0, false), (4, true), (12, true)]);
}

#[test]
fn a_copy_back_takes_less_time_than_a_copy_and_no_bus() {
    let times = [CopyBack::Greedy, CopyBack::Off].map(|copy_back| {
        let mut bench = Bench::example(copy_back);
        bench.collect(3);
        bench.flash.timeline().idle_at()
    });
    let (copies, erase, transfer) = (2 * 225_000, 1_500_000, 0);
    assert_eq!(times, [copies + erase, copies + 4 * transfer + erase]);
}

/// Every fourth page is written once, and written in turns they fill plane 0.
#[test]
fn a_plane_full_of_valid_pages_is_passed_by() {
    for placement in ["round-robin", "least-busy"] {
        let config: Setup = Setup {
            device: DeviceConfig {
                planes_per_die: 4,
                pages_per_block: 4,
                blocks: Some(48),
                ..DeviceConfig::default()
            },
            ftl: FtlConfig { placement: placement.into(), ..FtlConfig::default() },
            ..Setup::default()
        };
        let mut flash = Device::new(&config.device, 80 * 4096).expect("a device");
        let mut ftl = PageFtl::build(&config, &mut flash).expect("room");
        (0..80).for_each(|lpn| ftl.write(Access::write(&[Lpn(lpn)]), &mut flash));
        for round in 0..2000 {
            ftl.write(Access::write(&[Lpn(round * 7 % 80 / 4 * 4 + 1 + round % 3)]), &mut flash);
        }
        ftl.audit(&flash);
        let written: Vec<u64> = flash.timeline().plane_operations().collect();
        let in_turns = placement == "round-robin";
        assert!(!in_turns || written[1..].iter().all(|n| *n > 2 * written[0]), "{written:?}");
        assert!(written.iter().all(|n| *n > 200), "{placement:?}: {written:?}");
    }
}

/// Most writes go to one plane of four: with more spare room its collection costs less.
#[test]
fn a_hot_plane_gets_more_spare_room() {
    let [even, hot] = ["striped", "striped-hot"].map(|placement| {
        let config: Setup = Setup {
            device: DeviceConfig {
                planes_per_die: 4,
                pages_per_block: 16,
                blocks: Some(160),
                ..DeviceConfig::default()
            },
            ftl: FtlConfig { placement: placement.into(), ..FtlConfig::default() },
            ..Setup::default()
        };
        let mut flash = Device::new(&config.device, 1920 * 4096).expect("a device");
        let mut ftl = PageFtl::build(&config, &mut flash).expect("room");
        (0..1920).for_each(|lpn| ftl.write(Access::write(&[Lpn(lpn)]), &mut flash));
        let mut rng = crate::rng::Rng::new(1, "hot");
        for _ in 0..60_000 {
            let page = rng.below(480) as u32 * 4;
            let plane = if rng.chance(0.85) { 0 } else { 1 + rng.below(3) as u32 };
            ftl.write(Access::write(&[Lpn(page + plane)]), &mut flash);
        }
        ftl.audit(&flash);
        flash.ledger().get(Operation::Program, Cause::GcData)
    });
    assert!(f64::from(hot as u32) < 0.8 * f64::from(even as u32), "{hot} copies, {even} without");
}
