//! Devices of several planes against bounds that hold for any schedule.

use crate::bench::{config, page, percent_off, serve, simulation, warm};
use ftlab::config::Config;
use ftlab::ftl::page::PageFtl;
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::units::Nanos;
use serde_json::{Value, json};

const READ: f64 = 25_000.0;
const PROGRAM: f64 = 200_000.0;

/// Striped channel by channel, with so many requests outstanding that no plane is ever idle for want
/// of one.
fn striped(
    [channels, chips, dies, planes]: [u32; 4],
    transfer_ns: u64,
    commands: &Value,
) -> Config {
    let mut device = json!({
        "channels": channels, "chips_per_channel": chips, "dies_per_chip": dies,
        "planes_per_die": planes, "transfer_per_byte": transfer_ns, "over_provisioning": "100%",
    });
    let table = device.as_object_mut().expect("a table");
    table.extend(commands.as_object().expect("a table").clone());
    let depth = 8 * channels * chips * dies * planes;
    config(&json!({
        "device": device,
        "ftl": {"placement": "striped", "order": "CWDP"},
        "host": {"mode": format!("closed:{depth}")},
    }))
}

/// Nanoseconds per request when each reads or writes the next page.
fn time_per_request(config: &Config, op: Op, requests: u32) -> f64 {
    let planes = config.device.channels
        * config.device.chips_per_channel
        * config.device.dies_per_chip
        * config.device.planes_per_die;
    let mut simulation = simulation::<PageFtl>(config, 16 * planes);
    let pages = 16 * planes * 64;
    let end = (0..requests).map(|k| serve(&mut simulation, &page(op, k % pages)).1).max();
    end.unwrap_or(0) as f64 / f64::from(requests)
}

/// The planes of a channel and its bus: whichever is busy all the time.
#[test]
fn throughput_is_that_of_the_resource_that_is_never_idle() {
    eprintln!("channels chips dies planes  ns/byte  op     us/page    bound");
    let plain = json!({});
    let cached = json!({"cache_read": true, "cache_program": true});
    for shape in [[1, 1, 1, 1], [2, 2, 1, 2], [4, 1, 2, 1], [8, 4, 2, 4]] {
        let [channels, chips, dies, planes] = shape;
        let of_channel = f64::from(chips * dies * planes);
        for ns_per_byte in [0, 2, 25] {
            for (commands, overlaps) in [(&plain, false), (&cached, true)] {
                for (op, array) in [(Op::Read, READ), (Op::Write, PROGRAM)] {
                    let transfer = 4096.0 * ns_per_byte as f64;
                    let plane = if overlaps { array.max(transfer) } else { array + transfer };
                    let bound = transfer.max(plane / of_channel) / f64::from(channels);
                    let config = striped(shape, ns_per_byte, commands);
                    let requests = 1024 * channels * chips * dies * planes;
                    let found = time_per_request(&config, op, requests.min(60_000));
                    eprintln!(
                        "{channels:>8}{chips:>6}{dies:>5}{planes:>7}{ns_per_byte:>9}  {op:?}  \
                         {:8.3} {:8.3} ({:+.2} %)",
                        found / 1e3,
                        bound / 1e3,
                        percent_off(found, bound)
                    );
                    assert!(found >= bound * (1.0 - 1e-9), "no device is faster than its parts");
                    assert!(percent_off(found, bound) < 1.0, "{shape:?} {ns_per_byte} {op:?}");
                }
            }
        }
    }
}

/// Multi-plane commands read and program four pages of a request in the time of one.
#[test]
fn a_multi_plane_command_takes_the_time_of_one_page() {
    let shape = [1, 1, 1, 4];
    let four = |op, number: u32| Request { length: 4 * 4096, ..page(op, 4 * number) };
    for (op, array) in [(Op::Read, READ), (Op::Write, PROGRAM)] {
        let mut config = striped(shape, 0, &json!({"multi_plane": true}));
        config.host.mode = String::from("closed:1").try_into().expect("a mode");
        let mut together = simulation::<PageFtl>(&config, 64);
        let end = (0..100).map(|k| serve(&mut together, &four(op, k)).1).max();
        assert_eq!(end, Some(100 * array as Nanos), "{op:?}");
        let mut apart = simulation::<PageFtl>(&config, 64);
        let end = (0..400).map(|k| serve(&mut apart, &page(op, k)).1).max();
        assert_eq!(end, Some(400 * array as Nanos), "{op:?}: single pages share no command");
    }
}

/// Of requests at a time, on a die whose planes take one command: pages of different requests share it where
/// what waits joins, and take turns where the pages of a request do.
#[test]
fn pages_of_different_requests_share_a_command_where_what_waits_joins() {
    for (joins, commands) in [("request", 400), ("waiting", 100)] {
        for (op, array) in [(Op::Read, READ), (Op::Write, PROGRAM)] {
            let device = json!({"multi_plane": true, "multi_plane_joins": joins});
            let mut simulation = simulation::<PageFtl>(&striped([1, 1, 1, 4], 0, &device), 64);
            let end = (0..400).map(|k| serve(&mut simulation, &page(op, k)).1).max();
            assert_eq!(end, Some(commands * array as Nanos), "{op:?}, {joins}");
        }
    }
}

#[test]
fn without_interleaving_the_dies_of_a_chip_take_turns() {
    for (interleave, dies) in [(true, 4.0), (false, 1.0)] {
        let config = striped([1, 1, 4, 1], 0, &json!({"interleave": interleave}));
        let found = time_per_request(&config, Op::Read, 4000);
        assert!(percent_off(found, READ / dies).abs() < 1.0, "{found}");
    }
}

/// DLOOP II.B: a package serves nothing until its chips are idle, so that chips beside each other gain nothing.
#[test]
fn the_chips_of_a_package_are_busy_together() {
    for (package_chips, packages) in [(1, 4.0), (2, 2.0), (4, 1.0)] {
        let config = striped([1, 4, 1, 1], 0, &json!({"package_chips": package_chips}));
        let found = time_per_request(&config, Op::Read, 4000);
        assert!(percent_off(found, READ / packages).abs() < 1.0, "{found}");
    }
}

/// A read that arrives while its plane programs or erases waits for the pause alone; the next program
/// of the plane is as much later.
#[test]
fn a_suspended_program_lets_a_read_pass() {
    for (suspend, response, next) in
        [(Value::Null, 124_000, 625_000), (json!("10us"), 35_000, 635_000)]
    {
        let config = config(&json!({
            "device": {"suspend": suspend, "over_provisioning": "100%"},
        }));
        let mut simulation = simulation::<PageFtl>(&config, 16);
        let at = |time, op, lpn| Request { time, ..page(op, lpn) };
        serve(&mut simulation, &at(0, Op::Write, 0));
        serve(&mut simulation, &at(200_000, Op::Write, 1));
        let (issued, end) = serve(&mut simulation, &at(301_000, Op::Read, 0));
        assert_eq!(end - issued, response);
        let (_, end) = serve(&mut simulation, &at(302_000, Op::Write, 2));
        assert_eq!(end, next);
    }
}

/// A program is stopped once for the reads that wait: it goes on when none does.
#[test]
fn reads_behind_each_other_stop_a_program_once() {
    let config = config(&json!({
        "device": {"suspend": "10us", "over_provisioning": "100%", "planes_per_die": 2},
        "ftl": {"placement": "striped"},
    }));
    let mut simulation = simulation::<PageFtl>(&config, 16);
    let at = |time, op, lpn| Request { time, ..page(op, lpn) };
    serve(&mut simulation, &at(0, Op::Write, 0));
    serve(&mut simulation, &at(200_000, Op::Write, 2));
    let ends = [0, 1, 2].map(|_| serve(&mut simulation, &at(301_000, Op::Read, 0)).1);
    assert_eq!(ends, [336_000, 361_000, 386_000]);
    let (_, end) = serve(&mut simulation, &at(386_500, Op::Read, 0));
    assert_eq!(end, 421_500, "it went on meanwhile");
}

/// Requests in the device x time = sum of the times that requests spend there, to the nanosecond.
#[test]
fn littles_law_holds_in_a_closed_loop() {
    for depth in [1_u64, 3, 32, 200] {
        let mut config = striped([2, 2, 2, 2], 5, &json!({"bus": "gaps", "cache_read": true}));
        config.host.mode = format!("closed:{depth}").try_into().expect("a mode");
        let mut simulation = warm::<PageFtl>(&config, 256);
        let mut rng = Rng::new(depth, "little");
        let (mut spent, mut ends) = (0, Vec::new());
        for _ in 0..20_000 {
            let op = if rng.chance(0.5) { Op::Read } else { Op::Write };
            let (issued, end) = serve(&mut simulation, &page(op, rng.below(256 * 64) as u32));
            spent += end - issued;
            ends.push(end);
        }
        ends.sort_unstable();
        let last = ends[ends.len() - 1];
        // Each of the last requests leaves its place empty until the end.
        let empty: Nanos = ends.iter().rev().take(depth as usize).map(|end| last - end).sum();
        assert_eq!(spent + empty, depth * last, "{depth} outstanding");
    }
}

/// Mean wait of M/D/c in service times: Cosmetatos' approximation, good to about 1 % at these loads.
fn mdc_wait(servers: u32, load: f64) -> f64 {
    let c = f64::from(servers);
    let offered = c * load;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..servers {
        term *= offered / f64::from(k);
        sum += term;
    }
    let last = term * offered / c / (1.0 - load);
    let mmc = last / (sum + last) / (c * (1.0 - load));
    mmc / 2.0 * (1.0 + (1.0 - load) * (c - 1.0) * ((4.0 + 5.0 * c).sqrt() - 2.0) / (16.0 * offered))
}

/// Writes that go to the plane which is free first are served as by one queue before all planes.
#[test]
#[ignore = "long: part of make test-long"]
fn poisson_writes_to_the_least_busy_plane_are_an_mdc_queue() {
    eprintln!("planes load  wait  theory");
    for (planes, load) in [(1_u32, 0.7), (2, 0.7), (4, 0.8), (16, 0.9)] {
        let config = config(&json!({
            "device": {"planes_per_die": planes, "blocks": 16_000},
            "ftl": {"placement": "least-busy"},
        }));
        let mut simulation = simulation::<PageFtl>(&config, 64);
        let mut rng = Rng::new(1, "arrivals");
        let (mut now, mut waited) = (0.0, 0.0);
        let arrivals = 900_000;
        for k in 0..arrivals {
            now += rng.exponential(PROGRAM / load / f64::from(planes));
            let write = Request { time: now as Nanos, ..page(Op::Write, k % 4096) };
            let (issued, end) = serve(&mut simulation, &write);
            waited += (end - issued) as f64 / PROGRAM - 1.0;
        }
        let (found, theory) = (waited / f64::from(arrivals), mdc_wait(planes, load));
        eprintln!(
            "{planes:>6} {load:>4} {found:.4} {theory:.4} ({:+.2} %)",
            percent_off(found, theory)
        );
        assert!(percent_off(found, theory).abs() < 5.0, "{planes} planes, load {load}: {found}");
    }
}
