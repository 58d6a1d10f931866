//! Response times against queueing theory, and request by request against Lindley's recursion.

use crate::bench::{config, page, pages, serve, simulation, warm, work};
use ftlab::flash::Operation;
use ftlab::ftl::Design;
use ftlab::ftl::demand::{DemandFtl, Dftl, Tpftl};
use ftlab::ftl::page::PageFtl;
use ftlab::model::queueing::{Mixture, md1_response, no_wait};
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::simulate::{Simulation, Simulator};
use ftlab::units::Nanos;
use serde_json::json;

const READ: f64 = 25_000.0;
const PROGRAM: f64 = 200_000.0;

/// Arrival times of a Poisson process, in whole nanoseconds.
struct Poisson {
    now: f64,
    mean_gap: f64,
    rng: Rng,
}

impl Poisson {
    fn new(mean_gap: f64) -> Self {
        Poisson { now: 0.0, mean_gap, rng: Rng::new(1, "arrivals") }
    }

    fn next(&mut self) -> Nanos {
        self.now += self.rng.exponential(self.mean_gap);
        self.now as Nanos
    }
}

/// Mean response in service times and share of arrivals that do not wait, of reads.
fn read_queue(
    simulation: &mut Simulation<PageFtl>,
    mean_gap: f64,
    arrivals: u64,
    mut lpn: impl FnMut() -> u32,
) -> (f64, f64) {
    let mut poisson = Poisson::new(mean_gap);
    let (mut total, mut unhindered) = (0, 0);
    for _ in 0..arrivals {
        let request = Request { time: poisson.next(), ..page(Op::Read, lpn()) };
        let (issued, end) = serve(simulation, &request);
        total += end - issued;
        unhindered += u64::from(end - issued == READ as Nanos);
    }
    (total as f64 / arrivals as f64 / READ, unhindered as f64 / arrivals as f64)
}

/// The standard error grows with the load: 4 million arrivals below 0.8, more from there on.
#[test]
#[ignore = "long: part of make test-long"]
fn poisson_reads_of_one_plane_are_an_md1_queue() {
    eprintln!("load  response  theory          no wait");
    for (load, millions, tolerance) in
        [(0.3, 4, 0.005), (0.5, 4, 0.005), (0.7, 4, 0.005), (0.8, 12, 0.005), (0.9, 12, 0.02)]
    {
        let config = config(&json!({"device": {"blocks": 24}, "run": {"warmup": "sequential"}}));
        let mut simulation = warm::<PageFtl>(&config, 16);
        let mut places = Rng::new(1, "places");
        let lpn = || places.below(1024) as u32;
        let (response, idle) = read_queue(&mut simulation, READ / load, millions * 1_000_000, lpn);
        let error = response / md1_response(load) - 1.0;
        eprintln!(
            "{load:>4}  {response:8.4}  {:.4} ({:+.2} %)  {idle:.4} ({:+.4})",
            md1_response(load),
            100.0 * error,
            idle - no_wait(load)
        );
        assert!(error.abs() < tolerance, "load {load}: response {response}");
        assert!((idle - no_wait(load)).abs() < 0.002, "load {load}: {idle} do not wait");
        assert_eq!(simulation.flash().unwritten_reads(), 0);
    }
}

/// A sequential fill of new blocks lies plane after plane, so reads can be aimed.
#[test]
#[ignore = "long: part of make test-long"]
fn poisson_reads_split_over_planes_are_independent_md1_queues() {
    eprintln!("planes load  response  theory          no wait");
    for (planes, load) in [(4_u32, 0.5), (4, 0.8), (8, 0.7)] {
        let config = config(&json!({
            "device": {"planes_per_die": planes, "blocks": 16 * planes},
            "run": {"warmup": "sequential"},
        }));
        let mut simulation = warm::<PageFtl>(&config, 16 * planes - 8);
        let mut places = Rng::new(1, "places");
        let lpn = || (places.below(planes.into()) * 16 * 64 + places.below(8 * 64)) as u32;
        let mean_gap = READ / load / f64::from(planes);
        let (response, idle) = read_queue(&mut simulation, mean_gap, 8_000_000, lpn);
        let error = response / md1_response(load) - 1.0;
        eprintln!(
            "{planes:>6} {load:>4}  {response:8.4}  {:.4} ({:+.2} %)  {idle:.4} ({:+.4})",
            md1_response(load),
            100.0 * error,
            idle - no_wait(load)
        );
        assert!(error.abs() < 0.005, "{planes} planes, load {load}: response {response}");
        assert!((idle - no_wait(load)).abs() < 0.002, "load {load}: {idle} do not wait");
        let operations: Vec<u64> = simulation.flash().timeline().plane_operations().collect();
        let fair = 8_000_000 / u64::from(planes);
        assert!(operations.iter().all(|n| n.abs_diff(fair) < fair / 100), "{operations:?}");
    }
}

#[test]
#[ignore = "long: part of make test-long"]
fn a_mix_of_reads_and_writes_without_collection_is_an_mg1_queue() {
    let mixture = Mixture { kinds: vec![(0.7, READ), (0.3, PROGRAM)] };
    eprintln!("load  wait us   theory");
    for load in [0.3, 0.6, 0.8] {
        let arrivals = 10_000_000;
        let config = config(&json!({
            "device": {"blocks": 48_000, "pages_per_block": 64},
            "run": {"warmup": "sequential"},
        }));
        let mut simulation = warm::<PageFtl>(&config, 16);
        let mut poisson = Poisson::new(mixture.mean() / load);
        let mut rng = Rng::new(1, "requests");
        let mut waits = 0;
        for _ in 0..arrivals {
            let (op, service) =
                if rng.chance(0.3) { (Op::Write, PROGRAM) } else { (Op::Read, READ) };
            let lpn = rng.below(1024) as u32;
            let request = Request { time: poisson.next(), ..page(op, lpn) };
            let (issued, end) = serve(&mut simulation, &request);
            waits += end - issued - service as Nanos;
        }
        assert_eq!(simulation.flash().ledger().total(Operation::Erase), 0, "no collection");
        let wait = waits as f64 / f64::from(arrivals);
        let expected = mixture.mg1_wait(load);
        let error = wait / expected - 1.0;
        eprintln!(
            "{load:>4}  {:7.2}  {:7.2} ({:+.2} %)",
            wait / 1e3,
            expected / 1e3,
            100.0 * error
        );
        assert!(error.abs() < 0.01, "load {load}: wait {wait} ns, theory {expected} ns");
    }
}

#[test]
fn evenly_spaced_reads_wait_for_nothing_or_for_all_before_them() {
    let config = config(&json!({"device": {"blocks": 24}}));
    for (period, grows_by) in [(30_000, 0), (25_000, 0), (20_000, 5_000)] {
        let mut simulation = simulation::<PageFtl>(&config, 16);
        for n in 0..10_000 {
            let (issued, end) = serve(&mut simulation, &pages(Op::Read, 7, 1, n * period));
            assert_eq!((issued, end - issued), (n * period, 25_000 + n * grows_by));
        }
    }
}

/// A device of one plane that collects garbage, with transfers over its bus.
fn busy_device() -> serde_json::Value {
    json!({
        "device": {"blocks": 80, "pages_per_block": 32, "transfer_per_byte": 5, "oob_read": "7us"},
        "gc": {"oob_scan": true},
        "ftl": {"cache": 700},
        "run": {"warmup": "random:1"},
    })
}

/// Requests of one to four pages, a third reads, some trims, in bursts.
fn bursts(count: usize, logical_pages: u32) -> Vec<Request> {
    let mut rng = Rng::new(1, "bursts");
    let mut time = 0;
    let request = |_| {
        let gap = if rng.chance(0.8) { 100_000 } else { 40_000_000 };
        time += rng.below(gap);
        let op = match rng.below(12) {
            0..4 => Op::Read,
            4 => Op::Trim,
            _ => Op::Write,
        };
        let length = 1 + rng.below(4) as u32;
        let lpn = rng.below(u64::from(logical_pages - length)) as u32;
        pages(op, lpn, length, time)
    };
    (0..count).map(request).collect()
}

/// Lindley: a request ends its service time after its arrival, or after the one before it. One that
/// needs no flash operation, a trim of the page FTL, ends at once.
fn follows_lindley<F: Design>(name: &str) {
    let config = config(&busy_device());
    let mut simulation = warm::<F>(&config, 64);
    let (mut idle_at, mut waited) = (0, 0);
    let mut before = simulation.flash().ledger().clone();
    let requests = bursts(60_000, simulation.flash().geometry().logical_pages);
    for request in &requests {
        let (issued, end) = serve(&mut simulation, request);
        let after = simulation.flash().ledger().clone();
        let service = work(&after, &config) - work(&before, &config);
        assert_eq!(issued, request.time, "open loop");
        let start = if service == 0 { issued } else { issued.max(idle_at) };
        assert_eq!(end, start + service, "{name}: {request:?}");
        waited += u64::from(service > 0 && issued < idle_at);
        idle_at = idle_at.max(end);
        before = after;
    }
    let busy: Vec<Nanos> = simulation.flash().timeline().plane_busy().collect();
    assert_eq!(busy, [work(&before, &config)], "{name}: the plane is busy for all operations");
    simulation.check();
    let erases = before.total(Operation::Erase);
    eprintln!("{name}: {waited} of {} requests waited, {erases} erases", requests.len());
    assert!(erases > 1000 && (10_000..57_000).contains(&waited), "{erases} {waited}");
}

#[test]
fn on_one_plane_every_response_is_lindleys_with_collection_and_translation() {
    follows_lindley::<PageFtl>("page");
    follows_lindley::<DemandFtl<Dftl>>("dftl");
    follows_lindley::<DemandFtl<Tpftl>>("tpftl");
}

/// Little's law without averages: the integral of the number of requests in the system, found by
/// sweeping over arrivals and completions, is the sum of the response times that were recorded.
#[test]
fn the_integral_of_requests_in_the_system_is_the_sum_of_recorded_responses() {
    let mut tree = busy_device();
    tree["device"]["planes_per_die"] = 4.into();
    let config = config(&tree);
    let mut simulation = warm::<DemandFtl<Tpftl>>(&config, 56);
    let mut changes: Vec<(Nanos, i64)> = Vec::new();
    for request in bursts(60_000, 56 * 32) {
        // Trims have no response time in the record.
        if request.op != Op::Trim {
            let (issued, end) = serve(&mut simulation, &request);
            changes.extend([(issued, 1), (end, -1)]);
        }
    }
    changes.sort_unstable();
    let (mut inside, mut integral, mut last, mut most) = (0, 0, 0, 0);
    for (time, change) in changes {
        integral += u128::from(time - last) * inside as u128;
        inside += change;
        most = inside.max(most);
        last = time;
    }
    let outcome = simulation.outcome();
    let recorded = outcome.reads.sum() + outcome.writes.sum();
    eprintln!("{integral} ns = {recorded} ns, at most {most} requests in the system");
    assert_eq!((inside, integral), (0, recorded));
    assert_eq!(last, outcome.host.duration);
    assert!(most > 10 && outcome.flash.ledger().total(Operation::Erase) > 1000);
}
