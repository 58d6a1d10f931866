//! The timeline against slow models of the device, which are told what was asked for and never when it
//! was done.

mod events;
mod tape;

use events::Model;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::device::{BusOrder, DeviceConfig};
use ftlab::engine::{Booking, Kind};
use ftlab::flash::Geometry;
use ftlab::ftl::parts::placement::SINGLE;
use ftlab::gc::CopyBack;
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::run::RunConfig;
use ftlab::simulate::{Role, Simulator};
use ftlab::units::{Bytes, Duration, Ratio};
use std::collections::HashMap;
use tape::Tape;

/// The longest array time that is drawn, ns.
const LONGEST: u64 = 2000;

fn draw(rng: &mut Rng, commands: bool) -> Config {
    let one_of = |rng: &mut Rng, of: &[u32]| of[rng.below(of.len() as u64) as usize];
    let flip = |rng: &mut Rng| rng.chance(0.5);
    let time = |rng: &mut Rng| Duration(1 + rng.below(LONGEST));
    let mut device = DeviceConfig {
        page: Bytes(512),
        pages_per_block: one_of(rng, &[2, 4, 5, 8]),
        over_provisioning: Ratio(2.0),
        channels: one_of(rng, &[1, 1, 2, 3]),
        chips_per_channel: one_of(rng, &[1, 2]),
        dies_per_chip: one_of(rng, &[1, 2]),
        planes_per_die: one_of(rng, &[1, 2, 4]),
        read: time(rng),
        oob_read: time(rng),
        program: time(rng),
        erase: time(rng),
        transfer_per_byte: Duration(rng.below(4)),
        ..DeviceConfig::default()
    };
    let switches: [bool; 4] = std::array::from_fn(|_| flip(rng));
    let command = Duration(rng.below(2) * rng.below(50));
    if commands {
        let [one_die_at_a_time, multi_plane, cache_read, cache_program] = switches;
        device = DeviceConfig {
            interleave: !one_die_at_a_time,
            multi_plane,
            cache_read,
            cache_program,
            command,
            ..device
        };
    }
    let mut config = Config { device, ..Config::default() };
    config.run.timeline = 400;
    config.ftl.cache = Some(Bytes(200));
    config.gc.oob_scan = flip(rng);
    config.ftl.placement =
        ["single", "striped", "round-robin", "least-busy"][rng.below(4) as usize].to_owned();
    if config.ftl.placement != SINGLE && flip(rng) {
        config.gc.copy_back = CopyBack::Greedy;
    }
    config.device.capacity = Some(Bytes(64 * 512 * u64::from(planes(&config.device))));
    config
}

fn planes(device: &DeviceConfig) -> u32 {
    device.channels * device.chips_per_channel * device.dies_per_chip * device.planes_per_die
}

/// An FTL under random requests, after enough of them to need GC.
fn run(config: &Config, seed: u64, ftl: &str) -> Box<dyn Simulator> {
    let capacity = config.device.capacity.expect("a capacity").0;
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity)).expect("a map");
    let catalog = Catalog::standard();
    let entry = catalog.find(ftl).expect("an FTL");
    let mut simulator = entry.simulate(config, capacity, address).expect("a device");
    let mut rng = Rng::new(seed, "requests");
    let mut time = 0;
    let mut draw = |time: &mut u64| {
        *time += rng.below(4000);
        let length = 512 * (1 + rng.below(6).pow(2) as u32);
        let offset = 512 * rng.below((capacity - u64::from(length)) / 512);
        let op = if rng.chance(0.6) { Op::Write } else { Op::Read };
        Request { time: *time, offset, length, volume: 0, op }
    };
    let warm: Vec<Request> = (0..1000).map(|_| draw(&mut 0)).collect();
    simulator.serve(&warm, Role::Asked).expect("inside the device");
    simulator.start_measuring();
    let requests: Vec<Request> = (0..60).map(|_| draw(&mut time)).collect();
    simulator.serve(&requests, Role::Asked).expect("inside the device");
    simulator
}

#[test]
fn every_operation_starts_and_ends_when_the_slow_model_says() {
    let (mut joined, mut copies) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed, "schedule");
        let config = draw(&mut rng, seed % 4 != 0);
        let ftl = ["page", "dftl", "dloop"][rng.below(3) as usize];
        if config.ftl.placement == SINGLE {
            assert_eq!(config.gc.copy_back, CopyBack::Off);
        }
        let simulator = run(&config, seed, ftl);
        let log = simulator.outcome().flash.timeline().log();
        // The last request may go on beyond the window, and join what is in it.
        let placed = log.split(|b| b.request == log[log.len() - 1].request).next().unwrap_or(log);
        let capacity = config.device.capacity.expect("a capacity").0;
        let geometry = Geometry::new(&config.device, capacity).expect("a shape");
        let mut model = Model::new(&config.device, geometry, placed);
        model.run();
        for (number, (task, placed)) in model.tasks.iter().zip(placed).enumerate() {
            let booked = Booking {
                start: task.start,
                array: task.array,
                bus: task.bus,
                end: task.bus.map_or(0, |(_, end)| end).max(task.array.1),
                ..task.what
            };
            assert_eq!(booked, *placed, "operation {number} of {ftl}, seed {seed}: {config:?}");
            joined += usize::from(task.leader != number);
            copies += usize::from(placed.kind == Kind::CopyBack);
        }
    }
    assert!(joined > 1000 && copies > 1000, "{joined} pages joined a command, {copies} copy-backs");
}

/// Reads that go before what was placed, and transfers in gaps, with everything else but commands of
/// several planes.
#[test]
fn every_operation_is_done_when_a_drawing_of_the_device_says() {
    let (mut overtaken, mut operations) = (0, 0);
    for seed in 0..150 {
        let mut rng = Rng::new(seed, "tape");
        let mut config = draw(&mut rng, true);
        config.device.multi_plane = false;
        config.device.bus = [BusOrder::Placement, BusOrder::Gaps][rng.below(2) as usize];
        config.device.suspend = rng.chance(0.7).then(|| Duration(rng.below(100)));
        config.run.timeline = 20_000;
        let ftl = ["page", "dftl", "dloop"][rng.below(3) as usize];
        let simulator = run(&config, seed, ftl);
        let timeline = simulator.outcome().flash.timeline();
        let capacity = config.device.capacity.expect("a capacity").0;
        let geometry = Geometry::new(&config.device, capacity).expect("a shape");
        let mut tape = Tape::new(&config.device, geometry);
        let (mut chains, mut request) = (HashMap::new(), 0);
        for (number, placed) in timeline.log().iter().enumerate() {
            if placed.request != request {
                (chains, request) = (HashMap::new(), placed.request);
            }
            let before = chains.get(&placed.chain).copied().unwrap_or(0);
            let booked = tape.place(*placed, placed.issued.max(before));
            assert_eq!(booked, *placed, "operation {number} of {ftl}, seed {seed}: {config:?}");
            chains.insert(placed.chain, booked.end);
            operations += 1;
        }
        assert!(timeline.log().len() < config.run.timeline as usize, "the log has all operations");
        if config.device.suspend.is_some() {
            assert_eq!(timeline.plane_busy().sum::<u64>(), tape.working(), "seed {seed}");
        }
        assert_eq!(timeline.idle_at(), tape.end(), "{ftl}, seed {seed}: {config:?}");
        overtaken += tape.overtaken;
    }
    assert!(operations > 50_000 && overtaken > 5_000, "{overtaken} reads of {operations}");
}

/// The plain timeline and the one that keeps a log are different code with the same times.
#[test]
fn a_log_changes_no_time() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed, "schedule");
        let logged = draw(&mut rng, false);
        let plain =
            Config { run: RunConfig { timeline: 0, ..logged.run.clone() }, ..logged.clone() };
        let [logged, plain] = [logged, plain].map(|config| {
            let simulator = run(&config, seed, "dftl");
            let outcome = simulator.outcome();
            let timeline = outcome.flash.timeline();
            let busy: Vec<u64> = timeline.plane_busy().chain(timeline.channel_busy()).collect();
            let operations: Vec<u64> = timeline.plane_operations().collect();
            (timeline.idle_at(), outcome.host.duration, busy, operations)
        });
        assert_eq!(logged, plain, "seed {seed}");
    }
}
