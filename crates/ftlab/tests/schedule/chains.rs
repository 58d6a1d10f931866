//! Laws of throughput: requests whose operations depend on each other, against queues before the planes.

use crate::queues::{Arrivals, Queues, Turn};
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::device::DeviceConfig;
use ftlab::engine::{Booking, Log};
use ftlab::flash::{Cause, Device, Owner};
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::simulate::Role;
use ftlab::units::{Bytes, Lpn, Pbn, Ppn, Ratio};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const PLANES: u32 = 16;
const REQUESTS: usize = 8000;

fn device() -> DeviceConfig {
    DeviceConfig {
        planes_per_die: PLANES,
        over_provisioning: Ratio(1.0),
        ..DeviceConfig::default()
    }
}

/// What a run on the device came to.
struct Found {
    end: u64,
    busy: f64,
    response: f64,
    asked: Vec<Booking>,
}

/// Requests of `chain` operations, each on a random plane: reads, or with `writes` a program at the end.
fn chains(chain: usize, writes: bool, depth: usize, gap: f64) -> Found {
    let config = device();
    let mut device = Device::new(&config, 1024 << 20).expect("a device");
    let geometry = device.geometry().clone();
    let blocks = geometry.blocks() / PLANES;
    let mut next: Vec<Ppn> = (0..PLANES).map(|k| geometry.first_page(Pbn(k * blocks))).collect();
    let mut written = 0;
    let mut program = |device: &mut Device, plane: u32| {
        device.program(next[plane as usize], Owner::Data(Lpn(written)), Cause::Host);
        next[plane as usize].0 += 1;
        written += 1;
    };
    for plane in 0..PLANES {
        (0..64).for_each(|_| program(&mut device, plane));
    }
    device.start_measuring();
    device.start_log(&config, Log::new(0, chain * REQUESTS));
    let mut rng = Rng::new(chain as u64, "chains");
    let (mut outstanding, mut arrival) = (BinaryHeap::new(), 0.0);
    let (mut response, mut end) = (0, 0);
    for _ in 0..REQUESTS {
        let now = if gap > 0.0 {
            arrival += rng.exponential(gap);
            arrival as u64
        } else if outstanding.len() == depth {
            outstanding.pop().map_or(0, |Reverse(end)| end)
        } else {
            0
        };
        device.timeline_mut().issue(now);
        device.begin_page();
        for step in 1..=chain {
            let plane = rng.below(PLANES.into()) as u32;
            match writes && step == chain && rng.chance(0.5) {
                true => program(&mut device, plane),
                false => {
                    let first = geometry.first_page(Pbn(plane * blocks));
                    device.read(Ppn(first.0 + rng.below(64) as u32), Cause::Host);
                }
            }
        }
        let served = device.timeline().served();
        response += served.end - now;
        end = end.max(served.end);
        outstanding.push(Reverse(served.end));
    }
    let busy = device.timeline().plane_busy().sum::<u64>() as f64 / end as f64 / f64::from(PLANES);
    let response = response as f64 / REQUESTS as f64;
    Found { end, busy, response, asked: device.timeline().log().to_vec() }
}

fn percent_off(found: f64, expected: f64) -> f64 {
    100.0 * (found / expected - 1.0)
}

/// Compares throughput, busy planes and response with those of queues; returns by how much they differ, in
/// percent.
fn compare(name: &str, found: &Found, turn: Turn, arrivals: Arrivals) -> [f64; 3] {
    let mut queues = Queues::new(&device(), &found.asked, turn, arrivals);
    let end = queues.run();
    let busy = queues.work() as f64 / end as f64 / f64::from(PLANES);
    let off = [
        percent_off(end as f64, found.end as f64),
        percent_off(found.busy, busy),
        percent_off(found.response, queues.response()),
    ];
    eprintln!(
        "{name:32} {turn:?}: end {:8.2} ms ({:+.2} %)  busy {:.3} ({:+.2} %)  response {:9.1} us ({:+.2} %)",
        found.end as f64 / 1e6,
        off[0],
        found.busy,
        off[1],
        found.response / 1e3,
        off[2]
    );
    off
}

/// Whichever of the reads that wait a plane takes.
#[test]
#[ignore = "long: part of make test-long"]
fn chains_of_reads_keep_as_many_planes_busy_as_queues_do() {
    for chain in [1, 2, 3] {
        for depth in [1, 4, 16, 64, 256] {
            let found = chains(chain, false, depth, 0.0);
            let name = format!("{chain} reads, closed:{depth}");
            for turn in [Turn::Asked, Turn::Ready] {
                let off = compare(&name, &found, turn, Arrivals::Closed(depth));
                assert!(off.iter().all(|off| off.abs() < 2.0), "{name}: {off:?} %");
            }
        }
    }
}

/// Programs take eight times as long as reads, so not every gap fits. Queues that let short operations
/// pass, as those in the order of readiness do by and by, are faster (choices.md#plane-order).
#[test]
fn chains_that_end_in_a_program_do_what_queues_of_the_oldest_request_first_do() {
    for chain in [1, 2, 3] {
        for depth in [1, 4, 16, 64, 256] {
            let found = chains(chain, true, depth, 0.0);
            let name = format!("{chain} operations, closed:{depth}");
            compare(&name, &found, Turn::Ready, Arrivals::Closed(depth));
            let off = compare(&name, &found, Turn::Asked, Arrivals::Closed(depth));
            assert!(off.iter().all(|off| off.abs() < 2.0), "{name}: {off:?} %");
        }
    }
}

/// Arrivals at any time leave gaps that are too short for a read: they cost response, not throughput.
#[test]
#[ignore = "long: part of make test-long"]
fn planes_that_are_offered_more_than_they_can_do_are_busy() {
    for (chain, writes) in [(1, false), (2, false), (3, false), (1, true), (2, true), (3, true)] {
        let work = 25_000.0 * chain as f64 + if writes { 87_500.0 } else { 0.0 };
        for load in [0.5, 0.9, 1.5] {
            let found = chains(chain, writes, 0, work / f64::from(PLANES) / load);
            let name = format!("{chain} operations, writes {writes}, load {load}");
            compare(&name, &found, Turn::Ready, Arrivals::Open);
            let [end, busy, response] = compare(&name, &found, Turn::Asked, Arrivals::Open);
            assert!(end.abs() < 2.0 && busy.abs() < 2.0, "{name}");
            assert!(response.abs() < 15.0, "{name}: {response} %");
        }
    }
}

/// DLOOP and DFTL with a cache of a few percent of the map: nearly every request has two operations.
#[test]
#[ignore = "long: part of make test-long"]
fn an_ftl_that_reads_its_map_from_flash_is_as_fast_as_queues_are() {
    for (ftl, writes) in [("dloop", 0.0), ("dftl", 0.0), ("dloop", 0.3)] {
        for depth in [1_usize, 4, 16, 64, 256] {
            let found = run(ftl, writes, depth);
            let operations = found.asked.len() as f64 / REQUESTS as f64;
            let name = format!("{ftl}, {operations:.2} operations, closed:{depth}");
            let most = if writes > 0.0 { 6.0 } else { 2.0 };
            for turn in [Turn::Asked, Turn::Ready] {
                let off = compare(&name, &found, turn, Arrivals::Closed(depth));
                assert!(off[..2].iter().all(|off| off.abs() < most), "{name}: {off:?} %");
            }
        }
    }
}

fn run(ftl: &str, writes: f64, depth: usize) -> Found {
    let capacity = 1 << 30;
    let mut config = Config { device: device(), ..Config::default() };
    config.host.mode = format!("closed:{depth}").try_into().expect("a mode");
    config.ftl.cache = Some(Bytes(16 << 10));
    config.ftl.placement = String::from("striped");
    config.run.timeline = 40 * REQUESTS as u32;
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity)).expect("a map");
    let catalog = Catalog::standard();
    let entry = catalog.find(ftl).expect("an FTL");
    let mut simulator = entry.simulate(&config, capacity, address).expect("a device");
    let page = |op, lpn: u64| Request::new(op, lpn << 12, 4096);
    let pages = capacity >> 12;
    let fill: Vec<Request> = (0..pages).map(|lpn| page(Op::Write, lpn)).collect();
    simulator.serve(&fill, Role::Fill).expect("inside the device");
    // What the writes left dirty in the cache is written back.
    let mut rng = Rng::new(1, "requests");
    let reads: Vec<Request> = (0..8000).map(|_| page(Op::Read, rng.below(pages))).collect();
    simulator.serve(&reads, Role::Asked).expect("inside the device");
    simulator.start_measuring();
    let op = |rng: &mut Rng| if rng.chance(writes) { Op::Write } else { Op::Read };
    let requests: Vec<Request> =
        (0..REQUESTS).map(|_| page(op(&mut rng), rng.below(pages))).collect();
    simulator.serve(&requests, Role::Asked).expect("inside the device");
    let outcome = simulator.outcome();
    let (timeline, end) = (outcome.flash.timeline(), outcome.host.duration);
    let busy = timeline.plane_busy().sum::<u64>() as f64 / end as f64 / f64::from(PLANES);
    let asked = timeline.log().to_vec();
    let mut times: Vec<(u64, u64, u64)> = Vec::new();
    for placed in &asked {
        match times.last_mut().filter(|last| last.0 == placed.request) {
            Some(last) => last.2 = last.2.max(placed.end),
            None => times.push((placed.request, placed.issued, placed.end)),
        }
    }
    let spent: u64 = times.iter().map(|(_, issued, end)| end - issued).sum();
    Found { end, busy, response: spent as f64 / times.len() as f64, asked }
}
