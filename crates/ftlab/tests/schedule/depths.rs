//! A deeper queue is never slower: the presets in closed loop at depths 1 to 256, under requests that read, write
//! or do both, with pages or with parts of them; and what a controller with a heap of events makes of the same.

use crate::controller::Controller;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::device::presets::PRESETS;
use ftlab::flash::Geometry;
use ftlab::gc::GcConfig;
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::simulate::Role;
use ftlab::units::Bytes;
use serde_json::json;

/// Logical blocks of each plane, of 32 pages so that garbage is collected soon.
const BLOCKS: u64 = 40;

/// Outstanding requests.
const DEPTHS: [usize; 11] = [1, 2, 4, 8, 12, 16, 24, 32, 64, 128, 256];

/// What is asked of a device.
#[derive(Clone, Copy, Debug)]
struct Load {
    reads: f64,
    /// Whether requests begin and end with pages.
    aligned: bool,
    /// Quarters of a page.
    longest: u64,
}

const LOADS: [Load; 6] = [
    Load { reads: 0.4, aligned: false, longest: 8 },
    Load { reads: 0.5, aligned: true, longest: 16 },
    Load { reads: 0.9, aligned: false, longest: 4 },
    Load { reads: 0.0, aligned: true, longest: 4 },
    Load { reads: 0.0, aligned: false, longest: 8 },
    Load { reads: 1.0, aligned: true, longest: 4 },
];

/// A run, and what the controller makes of it.
struct Found {
    requests_per_s: f64,
    /// How much faster it is than the controller, and how much longer its planes are busy, percent.
    faster: f64,
    busier: f64,
    has_gc: bool,
}

/// A preset with so much spare space and so many requests in it. GC and placement are the default's: a reserve of a
/// drive does not fit into a device as small as this.
fn config(preset: &str, spare: &str, depth: usize) -> Config {
    let tree = json!({
        "preset": preset,
        "device": {
            "capacity": null, "blocks": null, "pages_per_block": 32, "over_provisioning": spare,
            "bus": "gaps",
        },
        "host": { "mode": format!("closed:{depth}"), "split": "pages" },
        "buffer": { "policy": "none" },
        "run": { "timeline": 1_000_000 },
    });
    let mut config =
        Catalog::standard().resolve(tree.as_object().expect("a table")).expect("a configuration");
    config.gc = GcConfig::default();
    config.ftl.separation = String::from("none");
    let planes = crate::planes(&config.device);
    let device = &mut config.device;
    let block = u64::from(device.pages_per_block) * device.page.0;
    device.capacity = Some(Bytes(BLOCKS * u64::from(planes) * block));
    if planes > 1 {
        config.ftl.placement = String::from("round-robin");
    }
    config
}

fn draw(rng: &mut Rng, load: Load, page: u64, capacity: u64) -> Request {
    let quarter = page / 4;
    let length = quarter
        * match load.aligned {
            true => 4 * (1 + rng.below(load.longest / 4)),
            false => 1 + rng.below(load.longest),
        };
    let unit = if load.aligned { page } else { quarter };
    // Half of the requests go to a tenth of the pages.
    let within = if rng.chance(0.5) { capacity / 10 } else { capacity };
    let offset = unit * rng.below((within - length) / unit);
    let op = if rng.chance(load.reads) { Op::Read } else { Op::Write };
    Request::new(op, offset, length as u32)
}

fn run(preset: &str, spare: &str, load: Load, depth: usize, requests: usize) -> Found {
    let config = config(preset, spare, depth);
    let capacity = config.device.capacity.expect("a capacity").0;
    let page = config.device.page.0;
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity)).expect("a map");
    let catalog = Catalog::standard();
    let ftl = catalog.find("page").expect("an FTL");
    let mut simulator = ftl.simulate(&config, capacity, address).expect("a device");
    let fill = |lpn: u64| Request::new(Op::Write, lpn * page, page as u32);
    let pages: Vec<Request> = (0..capacity / page).map(fill).collect();
    simulator.serve(&pages, Role::Fill).expect("inside the device");
    simulator.start_measuring();
    let mut rng = Rng::new(1, "depths");
    let asked: Vec<Request> = (0..requests).map(|_| draw(&mut rng, load, page, capacity)).collect();
    simulator.serve(&asked, Role::Asked).expect("inside the device");
    let outcome = simulator.outcome();
    let timeline = outcome.flash.timeline();
    let geometry = Geometry::new(&config.device, capacity).expect("a shape");
    let mut controller = Controller::new(&config.device, &geometry, timeline.log());
    let end = controller.run(depth);
    let duration = outcome.host.duration as f64;
    let busy = timeline.plane_busy().sum::<u64>() as f64;
    Found {
        requests_per_s: requests as f64 * 1e9 / duration,
        faster: 100.0 * (end as f64 / duration - 1.0),
        busier: 100.0 * (busy / controller.busy() as f64 - 1.0),
        has_gc: timeline.log().iter().any(|placed| placed.block.is_some() && placed.lpn.is_none()),
    }
}

/// What does not keep to the controller yet (docs/parallel.md): with 256 small unaligned requests, nine of ten reads, gaps
/// of its bus stay idle, and it is slower than with 128, and planes that read alone are told to be busy for 7 % less.
const OPEN: &str = "nvme-8x4x2x4";

fn is_held(preset: &str, load: Load, depth: usize) -> bool {
    let is_small_reads = !load.aligned && load.reads == LOADS[2].reads;
    preset != OPEN || !is_small_reads || depth < 256
}

/// Holds a preset to the law under some loads, and without garbage collection to the controller.
fn check(preset: &str, spare: &str, loads: &[Load], depths: &[usize], requests: usize) {
    let device = config(preset, spare, 1).device;
    let arrays_alone = preset != OPEN && (device.suspend.is_some() || crate::planes(&device) == 1);
    for load in loads {
        let mut before = 0.0;
        for depth in depths.iter().filter(|depth| is_held(preset, *load, **depth)) {
            let found = run(preset, spare, *load, *depth, requests);
            let Found { requests_per_s: now, faster, busier, has_gc } = found;
            let name = format!("{preset}, {spare} spare, {load:?}, closed:{depth}");
            eprintln!("{name}: {now:.0}/s ({faster:+.2} %), busy ({busier:+.2} %), GC {has_gc}");
            assert!(now >= 0.97 * before, "{name}: {now:.0} requests per second after {before:.0}");
            before = now;
            assert!(has_gc || faster > -8.0, "{name}: {faster:.2} %");
            assert!(has_gc || !arrays_alone || busier.abs() < 3.0, "{name}: {busier:.2} %");
        }
    }
}

/// Where reads interrupt cached programs, where they cannot, and where the bus is what is short.
#[test]
#[ignore = "long: part of make test-long"]
fn a_deeper_queue_is_never_slower() {
    for preset in ["onfi-tlc", "onfi-mlc", "dloop"] {
        check(preset, "25%", &LOADS[..2], &[1, 8, 16, 64, 256], 1500);
        check(preset, "400%", &LOADS[..3], &[1, 8, 16, 256], 1500);
    }
}

/// With garbage collection.
#[test]
#[ignore = "a minute"]
fn on_every_preset_a_deeper_queue_is_never_slower() {
    for preset in PRESETS {
        check(preset.name, "25%", &LOADS, &DEPTHS, 4000);
    }
}

/// Without it what was placed before is seldom in the way, and a controller that chooses among all that waits
/// does little more (choices.md#plane-order).
#[test]
#[ignore = "a minute"]
fn on_every_preset_planes_are_as_busy_as_a_controller_keeps_them() {
    for preset in PRESETS {
        check(preset.name, "400%", &LOADS, &DEPTHS, 4000);
    }
}
