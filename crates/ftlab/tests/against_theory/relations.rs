//! Relations between two runs that hold whatever the right counts are.

use crate::bench::{
    config, copies_and_erases, page, pages, serve, simulation, warm, write_amplification,
    write_uniformly,
};
use ftlab::config::Config;
use ftlab::flash::{Cause, Ledger, Operation};
use ftlab::ftl::Design;
use ftlab::ftl::demand::{DemandFtl, Dftl, Tpftl};
use ftlab::ftl::page::PageFtl;
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::simulate::Simulator;
use ftlab::units::Nanos;
use serde_json::{Value, json};

const LOGICAL_BLOCKS: u32 = 64;
const LOGICAL_PAGES: u32 = LOGICAL_BLOCKS * 32;

/// A device that collects garbage under every request stream below.
fn device() -> Value {
    json!({
        "device": {"blocks": 80, "pages_per_block": 32},
        "ftl": {"cache": 700},
    })
}

/// Requests of one to four pages: writes, reads and a few trims, in time order.
fn mixed(count: usize) -> Vec<Request> {
    let mut rng = Rng::new(1, "requests");
    let mut time = 0;
    let request = |_| {
        time += rng.below(2_000_000);
        let op = match rng.below(10) {
            0..4 => Op::Read,
            4 => Op::Trim,
            _ => Op::Write,
        };
        let length = 1 + rng.below(4) as u32;
        pages(op, rng.below(u64::from(LOGICAL_PAGES - length)) as u32, length, time)
    };
    (0..count).map(request).collect()
}

/// The ledger and every response time of a run on an empty device.
fn run<F: Design>(config: &Config, requests: &[Request]) -> (Ledger, Vec<Nanos>) {
    let mut simulation = simulation::<F>(config, LOGICAL_BLOCKS);
    let responses = requests.iter().map(|request| {
        let (issued, end) = serve(&mut simulation, request);
        end - issued
    });
    let responses = responses.collect();
    simulation.check();
    let ledger = simulation.flash().ledger().clone();
    assert!(ledger.total(Operation::Erase) > 500, "the run collects garbage");
    (ledger, responses)
}

#[test]
fn the_page_ftl_does_not_care_which_page_has_which_number() {
    let mut rng = Rng::new(1, "labels");
    let mut labels: Vec<u32> = (0..LOGICAL_PAGES).collect();
    for k in (1..labels.len()).rev() {
        labels.swap(k, rng.below(k as u64 + 1) as usize);
    }
    let requests: Vec<Request> =
        mixed(40_000).iter().map(|r| Request { length: 4096, ..*r }).collect();
    let relabel = |r: &Request| page(r.op, labels[(r.offset / 4096) as usize]);
    let renamed: Vec<Request> =
        requests.iter().map(|r| Request { time: r.time, ..relabel(r) }).collect();
    assert_ne!(requests, renamed);
    let config = config(&device());
    assert_eq!(run::<PageFtl>(&config, &requests), run::<PageFtl>(&config, &renamed));
}

fn forgets_the_hour<F: Design>() {
    let config = config(&device());
    let requests = mixed(20_000);
    let later = |r: &Request| Request { time: r.time + 86_400_000_000_000, ..*r };
    let tomorrow: Vec<Request> = requests.iter().map(later).collect();
    assert_eq!(run::<F>(&config, &requests), run::<F>(&config, &tomorrow));
}

#[test]
fn starting_later_changes_no_response() {
    forgets_the_hour::<PageFtl>();
    forgets_the_hour::<DemandFtl<Dftl>>();
    forgets_the_hour::<DemandFtl<Tpftl>>();
}

/// Three times as slow: by the requests' own times, and by `host.time_scale`.
fn scales<F: Design>() {
    let requests = mixed(20_000);
    let mut tree = device();
    tree["device"]["transfer_per_byte"] = 5.into();
    tree["device"]["planes_per_die"] = 2.into();
    let (ledger, responses) = run::<F>(&config(&tree), &requests);
    for (key, time) in
        [("read", 75_000), ("program", 600_000), ("erase", 4_500_000), ("transfer_per_byte", 15)]
    {
        tree["device"][key] = time.into();
    }
    let tripled: Vec<Nanos> = responses.iter().map(|response| 3 * response).collect();
    let stretched = |r: &Request| Request { time: 3 * r.time, ..*r };
    let stretched: Vec<Request> = requests.iter().map(stretched).collect();
    assert_eq!(run::<F>(&config(&tree), &stretched), (ledger.clone(), tripled.clone()));
    tree["host"]["time_scale"] = 3.0.into();
    assert_eq!(run::<F>(&config(&tree), &requests), (ledger, tripled));
}

#[test]
fn a_device_and_a_host_three_times_as_slow_respond_three_times_as_late() {
    scales::<PageFtl>();
    scales::<DemandFtl<Dftl>>();
    scales::<DemandFtl<Tpftl>>();
}

#[test]
fn more_reads_change_no_program_and_no_erase_of_the_page_ftl() {
    let config = config(&device());
    let requests = mixed(40_000);
    let mut rng = Rng::new(2, "reads");
    let with_reads = requests.iter().flat_map(|r| {
        let lpn = rng.below(u64::from(LOGICAL_PAGES)) as u32;
        [pages(Op::Read, lpn, 1, r.time), *r]
    });
    let with_reads: Vec<Request> = with_reads.collect();
    let (before, _) = run::<PageFtl>(&config, &requests);
    let (after, _) = run::<PageFtl>(&config, &with_reads);
    for cause in Cause::ALL {
        for operation in [Operation::Program, Operation::Erase] {
            assert_eq!(before.get(operation, cause), after.get(operation, cause));
        }
    }
    let [before, after] = [before, after].map(|ledger| ledger.get(Operation::Read, Cause::Host));
    assert_eq!(after, before + 40_000);
}

#[test]
fn splitting_a_request_at_its_timestamp_changes_no_count_of_the_page_ftl() {
    let config = config(&device());
    let requests = mixed(40_000);
    let split = requests.iter().flat_map(|r| {
        let first = (r.offset / 4096) as u32;
        (first..first + r.length / 4096).map(|lpn| pages(r.op, lpn, 1, r.time))
    });
    let split: Vec<Request> = split.collect();
    assert!(split.len() > 2 * requests.len());
    let (whole, _) = run::<PageFtl>(&config, &requests);
    let (parts, _) = run::<PageFtl>(&config, &split);
    assert_eq!(whole, parts);
}

#[test]
fn sequential_overwriting_copies_nothing_under_any_policy_and_setting() {
    for policy in ["greedy", "fifo", "cost-benefit"] {
        for (copies, mode) in
            [("shared", "single"), ("shared", "batch"), ("own", "single"), ("own", "batch")]
        {
            let mut tree = device();
            tree["gc"] = json!({"policy": policy, "copies": copies, "mode": mode});
            tree["run"]["warmup"] = "sequential".into();
            let mut simulation = warm::<PageFtl>(&config(&tree), LOGICAL_BLOCKS);
            for _ in 0..5 {
                for lpn in (0..LOGICAL_PAGES).step_by(8) {
                    serve(&mut simulation, &pages(Op::Write, lpn, 8, 0));
                }
            }
            let (copied, erases) = copies_and_erases(&simulation);
            assert_eq!((copied, write_amplification(&simulation)), (0, 1.0), "{policy} {copies}");
            assert!(erases > 4 * u64::from(LOGICAL_BLOCKS), "{erases}");
        }
    }
}

/// Write amplification of uniform random writes to 256 blocks of 64 pages, over 8 device capacities.
fn uniform(policy: &str, spare_blocks: u32, pages_per_block: u32) -> f64 {
    let config = config(&json!({
        "device": {"blocks": 256, "pages_per_block": pages_per_block},
        "gc": {"policy": policy, "choices": 4, "low": 1, "high": 2, "mode": "single"},
        "run": {"warmup": "random:2"},
    }));
    let mut simulation = warm::<PageFtl>(&config, 256 - spare_blocks);
    let writes = 8 * 256 * u64::from(pages_per_block);
    write_uniformly(&mut simulation, writes, &mut Rng::new(1, "writes"));
    write_amplification(&simulation)
}

/// Y. Yang, V. Misra and D. Rubenstein, On the optimality of greedy garbage collection for SSDs,
/// SIGMETRICS Performance Evaluation Review 43(2), 2015.
#[test]
fn greedy_is_the_best_policy_under_uniform_writes() {
    for spare_blocks in [24, 64, 128] {
        let policies = ["greedy", "cost-benefit", "d-choices", "fifo", "random"];
        let found = policies.map(|policy| uniform(policy, spare_blocks, 64));
        eprintln!("spare {spare_blocks}/256  {policies:?}\n               {found:.4?}");
        for (policy, write_amplification) in policies.iter().zip(found).skip(1) {
            assert!(found[0] < write_amplification, "{policy}: {write_amplification}");
        }
    }
}

/// Bux & Iliadis, Performance Evaluation 67, 2010.
#[test]
#[ignore = "long: part of make test-long"]
fn write_amplification_falls_with_spare_space_and_rises_with_the_block_size() {
    for policy in ["greedy", "fifo", "random"] {
        let found = [16, 24, 32, 48, 64, 96, 128].map(|spare| uniform(policy, spare, 64));
        eprintln!("{policy:<7} by spare space  {found:.4?}");
        assert!(found.is_sorted_by(|less, more| less > more), "{policy}: {found:?}");
    }
    let found = [8, 16, 32, 64, 128].map(|pages_per_block| uniform("greedy", 48, pages_per_block));
    eprintln!("greedy  by block size   {found:.4?}");
    assert!(found.is_sorted_by(|less, more| less < more), "{found:?}");
}

fn trims_help<F: Design>(name: &str) {
    let mut tree = device();
    tree["run"]["warmup"] = "random:2".into();
    let config = config(&tree);
    let found = [0.0, 0.05, 0.15, 0.3].map(|trims| {
        let mut simulation = warm::<F>(&config, LOGICAL_BLOCKS);
        let (mut places, mut kinds) = (Rng::new(1, "places"), Rng::new(1, "kinds"));
        for _ in 0..40_000 {
            let lpn = places.below(u64::from(LOGICAL_PAGES)) as u32;
            if kinds.chance(trims) {
                serve(&mut simulation, &page(Op::Trim, lpn));
            }
            let lpn = places.below(u64::from(LOGICAL_PAGES)) as u32;
            serve(&mut simulation, &page(Op::Write, lpn));
        }
        simulation.check();
        write_amplification(&simulation)
    });
    eprintln!("{name:<5} by trims 0, 0.05, 0.15, 0.3  {found:.4?}");
    assert!(found.is_sorted_by(|less, more| less > more), "{name}: {found:?}");
}

#[test]
fn trims_lower_write_amplification() {
    trims_help::<PageFtl>("page");
    trims_help::<DemandFtl<Dftl>>("dftl");
    trims_help::<DemandFtl<Tpftl>>("tpftl");
}
