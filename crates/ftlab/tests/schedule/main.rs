//! The timeline against slow models of the device, which are told what was asked for and never when it was
//! done: one draws operation after operation, one chooses what to do next.

mod chains;
mod controller;
mod depths;
mod queues;
mod tape;

use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::device::{BusOrder, DeviceConfig, MultiPlaneJoins};
use ftlab::flash::Geometry;
use ftlab::gc::CopyBack;
use ftlab::placement::allocation::SINGLE;
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::run::RunConfig;
use ftlab::simulate::{Role, Simulator};
use ftlab::units::{Bytes, Duration, Ratio};
use queues::{Arrivals, Queues, Turn};
use std::collections::HashMap;
use tape::Tape;

/// Requests arrive at multiples of this time, ns.
const TICK: u64 = 500;

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
            package_chips: if flip(rng) { 1 } else { device.chips_per_channel },
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
        config.gc.copy_back = Some(CopyBack::Greedy);
    }
    config.device.capacity = Some(Bytes(64 * 512 * u64::from(planes(&config.device))));
    config
}

fn planes(device: &DeviceConfig) -> u32 {
    device.channels * device.chips_per_channel * device.dies_per_chip * device.planes_per_die
}

/// An FTL under random requests of up to `most` squared pages, after enough of them to need GC.
fn run(config: &Config, seed: u64, ftl: &str, most: u64) -> Box<dyn Simulator> {
    let capacity = config.device.capacity.expect("a capacity").0;
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity)).expect("a map");
    let catalog = Catalog::standard();
    let entry = catalog.find(ftl).expect("an FTL");
    let mut simulator = entry.simulate(config, capacity, address).expect("a device");
    let mut rng = Rng::new(seed, "requests");
    let mut time = 0;
    let mut draw = |time: &mut u64| {
        *time += TICK * rng.below(8);
        let length = 512 * (1 + rng.below(most).pow(2) as u32);
        let offset = 512 * rng.below((capacity - u64::from(length)) / 512);
        let op = if rng.chance(0.6) { Op::Write } else { Op::Read };
        Request::new(op, offset, length).at(*time)
    };
    let warm: Vec<Request> = (0..1000).map(|_| draw(&mut 0)).collect();
    simulator.serve(&warm, Role::Asked).expect("inside the device");
    simulator.start_measuring();
    let requests: Vec<Request> = (0..60).map(|_| draw(&mut time)).collect();
    simulator.serve(&requests, Role::Asked).expect("inside the device");
    simulator
}

/// Compares what was logged with a model that chooses for itself; returns the number of operations.
fn check_choice(config: &Config, seed: u64, ftl: &str, most: u64) -> usize {
    let simulator = run(config, seed, ftl, most);
    let log = simulator.outcome().flash.timeline().log();
    assert!(log.len() < config.run.timeline as usize, "the log has all operations");
    let mut queues = Queues::new(&config.device, log, Turn::Asked, Arrivals::Open);
    queues.run();
    for (number, (task, placed)) in queues.tasks.iter().zip(log).enumerate() {
        let chosen = (task.start, task.end);
        let placed = (placed.start, placed.end);
        assert_eq!(chosen, placed, "operation {number} of {ftl}, seed {seed}: {config:?}");
    }
    log.len()
}

/// Where everything waits for one plane, whatever the times.
#[test]
#[ignore = "long: part of make test-long"]
fn one_plane_does_what_a_queue_chooses() {
    let mut operations = 0;
    for seed in 0..150 {
        let mut rng = Rng::new(seed, "one plane");
        let mut config = draw(&mut rng, false);
        let DeviceConfig { channels, chips_per_channel, dies_per_chip, planes_per_die, .. } =
            &mut config.device;
        (*channels, *chips_per_channel, *dies_per_chip, *planes_per_die) = (1, 1, 1, 1);
        config.device.capacity = Some(Bytes(64 * 512));
        config.run.timeline = 20_000;
        operations += check_choice(&config, seed, ["page", "dftl"][rng.below(2) as usize], 6);
    }
    assert!(operations > 50_000, "{operations} operations");
}

/// Where all operations take the same time, no gap is too short, so an operation is done when a plane that
/// always takes the first that is ready does it.
#[test]
fn many_planes_do_what_queues_choose_where_all_times_are_equal() {
    let mut operations = 0;
    for seed in 0..250 {
        let mut rng = Rng::new(seed, "equal times");
        let mut config = draw(&mut rng, false);
        let time = Duration(TICK);
        let device = config.device;
        config.device = DeviceConfig {
            read: time,
            oob_read: time,
            program: time,
            erase: time,
            transfer_per_byte: Duration(0),
            ..device
        };
        config.gc.copy_back = Some(CopyBack::Off);
        config.ftl.placement = ["striped", "round-robin"][rng.below(2) as usize].to_owned();
        config.run.timeline = 20_000;
        // Pages of one request may wait for each other, which a log does not tell.
        operations += check_choice(&config, seed, ["page", "dftl"][rng.below(2) as usize], 1);
    }
    assert!(operations > 30_000, "{operations} operations");
}

/// Which options of a device are there.
fn options(config: &Config) -> [bool; 14] {
    let device = &config.device;
    [
        device.suspend.is_some(),
        device.cache_read,
        device.cache_program,
        device.multi_plane,
        device.bus == BusOrder::Gaps,
        device.command.0 > 0,
        device.transfer_per_byte.0 > 0,
        !device.interleave,
        device.package_chips > 1,
        device.planes_per_die > 1,
        device.dies_per_chip > 1,
        device.channels > 1,
        config.gc.copy_back() == CopyBack::Greedy,
        config.gc.oob_scan,
    ]
}

/// Every three options are there together, and so is every two without a third, as far as one needs no other.
fn every_three_are_met(drawn: &[[bool; 14]]) {
    let mut missing = Vec::new();
    for first in 0..14 {
        for second in 0..14 {
            for third in second..14 {
                let together = |of: &&[bool; 14]| of[first] && of[second] && of[third];
                let without = |of: &&[bool; 14]| !of[first] && of[second] && of[third];
                let apart = first == second || first == third;
                if drawn.iter().find(together).is_none() {
                    missing.push((true, first, second, third));
                }
                if !apart && drawn.iter().find(without).is_none() {
                    missing.push((false, first, second, third));
                }
            }
        }
    }
    assert!(missing.is_empty(), "options that are never met together: {missing:?}");
}

/// With gaps in planes, registers and buses, reads that go before what was placed, and everything else.
#[test]
#[ignore = "long: part of make test-long"]
fn every_operation_is_done_when_a_drawing_of_the_device_says() {
    let (mut overtaken, mut operations, mut joined, mut waited) = (0, 0, 0, 0);
    let (mut joined_waiting, mut drawn) = (0, Vec::new());
    for seed in 0..100 {
        let mut rng = Rng::new(seed, "tape");
        let mut config = draw(&mut rng, seed % 10 != 0);
        config.device.bus = [BusOrder::Placement, BusOrder::Gaps][rng.below(2) as usize];
        config.device.suspend = rng.chance(0.5).then(|| Duration(rng.below(100)));
        config.run.timeline = 20_000;
        let ftl = ["page", "dftl", "dloop"][rng.below(3) as usize];
        if config.device.multi_plane && rng.chance(0.5) {
            config.device.multi_plane_joins = MultiPlaneJoins::Waiting;
        }
        drawn.push(options(&config));
        let simulator = run(&config, seed, ftl, 4);
        let timeline = simulator.outcome().flash.timeline();
        let capacity = config.device.capacity.expect("a capacity").0;
        let geometry = Geometry::new(&config.device, capacity).expect("a shape");
        let mut tape = Tape::new(&config.device, geometry);
        let (mut chains, mut request) = (HashMap::new(), 0);
        for placed in timeline.log() {
            if placed.request != request {
                (chains, request) = (HashMap::new(), placed.request);
            }
            let before = chains.get(&placed.chain).copied().unwrap_or(0);
            let bound = tape.bound(placed);
            waited += u64::from(bound > placed.issued.max(before));
            let plan = tape.plan(*placed, placed.issued.max(before), bound);
            chains.insert(placed.chain, plan.booked.end);
            tape.draw(plan);
            operations += 1;
        }
        assert!(timeline.log().len() < config.run.timeline as usize, "the log has all operations");
        for (number, (drawn, placed)) in tape.drawn.iter().zip(timeline.log()).enumerate() {
            assert_eq!(drawn, placed, "operation {number} of {ftl}, seed {seed}: {config:?}");
        }
        if config.device.suspend.is_some() && !config.device.multi_plane {
            assert_eq!(timeline.plane_busy().sum::<u64>(), tape.working(), "seed {seed}");
        }
        assert_eq!(timeline.idle_at(), tape.end(), "{ftl}, seed {seed}: {config:?}");
        overtaken += tape.overtaken;
        joined += tape.joined;
        joined_waiting += tape.joined_waiting;
    }
    eprintln!("{operations} operations, {overtaken} overtook others, {joined} joined a command,");
    eprintln!("{waited} waited for others of their block, {joined_waiting} joined what waits");
    every_three_are_met(&drawn);
    assert!(joined_waiting > 100);
    assert!(operations > 30_000 && overtaken > 5_000 && joined > 100 && waited > 5_000);
}

/// The plain timeline and the one that keeps a log are different code with the same times.
#[test]
#[ignore = "long: part of make test-long"]
fn a_log_changes_no_time() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed, "schedule");
        let logged = draw(&mut rng, false);
        let plain =
            Config { run: RunConfig { timeline: 0, ..logged.run.clone() }, ..logged.clone() };
        let [logged, plain] = [logged, plain].map(|config| {
            let simulator = run(&config, seed, "dftl", 6);
            let outcome = simulator.outcome();
            let timeline = outcome.flash.timeline();
            let busy: Vec<u64> = timeline.plane_busy().chain(timeline.channel_busy()).collect();
            let operations: Vec<u64> = timeline.plane_operations().collect();
            (timeline.idle_at(), outcome.host.duration, busy, operations)
        });
        assert_eq!(logged, plain, "seed {seed}");
    }
}
