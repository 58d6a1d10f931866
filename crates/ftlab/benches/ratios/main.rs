//! Speed as ratios inside one run: each FTL against a bare loop that does the same kind of work.
//!
//! The bare loop is what no simulator can beat: one map update and one reverse-map update per page
//! written, greedy GC by buckets, a serial clock; no checks, no cache, no latencies. Rounds of all
//! contestants take turns, so that a machine that changes its speed changes it for all; each ratio
//! is formed inside its round and the median is printed.
//!
//! `cargo bench -p ftlab` or `make bench`; `FTLAB_BENCH_ROUNDS` sets the rounds (default 5). FTLs named
//! behind it (`cargo bench -p ftlab -- tpftl dftl`) run alone, and without the table of sizes.

mod bare;

use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::{Catalog, Entry};
use ftlab::config::Config;
use ftlab::drive::warm_up;
use ftlab::ftl::BlockOptimizedConfig;
use ftlab::request::{BATCH, Op, Request};
use ftlab::rng::Rng;
use ftlab::simulate::{Role, Simulator};
use ftlab::units::Bytes;
use ftlab::workload;
use std::sync::Arc;
use std::time::Instant;

const CAPACITY: u64 = 512 << 20;

fn main() {
    let rounds: usize =
        std::env::var("FTLAB_BENCH_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5);
    let uniform = uniform(2_000_000, CAPACITY);
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let named = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let catalog = Catalog::standard();
    let names: Vec<&str> =
        catalog.ftls().iter().map(Entry::name).filter(|name| named(name)).collect();
    for (name, requests) in [("uniform writes", uniform), ("financial1", financial1(2_000_000))] {
        ratios(name, &names, &requests, rounds);
    }
    if asked.is_empty() {
        sizes(&names).expect("the table of sizes is written");
    }
}

fn uniform(count: usize, capacity: u64) -> Vec<Request> {
    let mut rng = Rng::new(1, "bench");
    let pages = capacity / 4096;
    let write = |offset| Request { time: 0, offset, length: 4096, volume: 0, op: Op::Write };
    (0..count).map(|_| write(4096 * rng.below(pages))).collect()
}

fn financial1(count: u64) -> Vec<Request> {
    let input = workload::profile("financial1", Some(count), 1).expect("a profile");
    input.open().expect("a generator").rest().expect("generated")
}

fn simulator(ftl: &str, config: &Config, capacity: u64) -> Box<dyn Simulator> {
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity)).expect("a map");
    let catalog = Catalog::standard();
    let entry = catalog.find(ftl).expect("a registered FTL");
    entry.simulate(config, capacity, address).expect("a device")
}

/// Flash operations per second of one pass over `requests`, after one pass of warm-up as writes. FTLs
/// that merge copy up to a block for each page: for them a part of the requests is enough.
fn simulate(ftl: &str, requests: &[Request]) -> f64 {
    let mut simulator = simulator(ftl, &Config::default(), CAPACITY);
    let merges = simulator.outcome().ftl.metrics().merges.is_some();
    let requests = if merges { &requests[..requests.len() / 20] } else { requests };
    simulator.serve(requests, Role::Writes).expect("inside the device");
    measure(simulator.as_mut(), requests)
}

fn measure(simulator: &mut dyn Simulator, requests: &[Request]) -> f64 {
    simulator.start_measuring();
    let start = Instant::now();
    for batch in requests.chunks(BATCH) {
        simulator.serve(batch, Role::Asked).expect("inside the device");
    }
    let seconds = start.elapsed().as_secs_f64();
    simulator.outcome().flash.ledger().flash_operations() as f64 / seconds
}

fn ratios(workload: &str, names: &[&str], requests: &[Request], rounds: usize) {
    let mut bare = Vec::new();
    let mut speeds = vec![Vec::new(); names.len()];
    for _ in 0..rounds {
        bare.push(bare::speed(requests, CAPACITY));
        for (name, speeds) in names.iter().zip(&mut speeds) {
            speeds.push(simulate(name, requests));
        }
    }
    eprintln!("\n{workload}, {} requests, 512 MiB, 15 % over-provisioning", requests.len());
    eprintln!("{:<16}{:>20}{:>10}{:>20}", "", "flash operations/s", "ratio", "min - max");
    eprintln!("{:<16}{:>18.1} M{:>10}", "bare loop", median(&bare) / 1e6, 1);
    for (name, speeds) in names.iter().zip(&speeds) {
        let ratios: Vec<f64> = speeds.iter().zip(&bare).map(|(a, b)| a / b).collect();
        let lowest = ratios.iter().copied().fold(f64::MAX, f64::min);
        let highest = ratios.iter().copied().fold(0.0, f64::max);
        let range = format!("{lowest:.3} - {highest:.3}");
        let (speed, ratio) = (median(speeds) / 1e6, median(&ratios));
        eprintln!("{name:<16}{speed:>18.1} M{ratio:>10.3}{range:>20}");
    }
}

/// Time per flash operation from a small device to a large one: uniform writes over the whole of a
/// device that was filled in order, with spare blocks for all of them, so that no size has GC. The
/// table also goes to `target/bench/sizes.csv`.
fn sizes(names: &[&str]) -> std::io::Result<()> {
    const WRITES: usize = 500_000;
    eprintln!("\nns per flash operation by device size, {WRITES} uniform writes on a full device");
    eprintln!("{:<16}{}", "capacity", names.map_text(|name| format!("{name:>16}")));
    let none: Arc<[Request]> = Arc::new([]);
    let mut csv = format!("capacity_bytes,{}\n", names.join(","));
    for shift in [29_u32, 31, 33, 35, 37, 39] {
        let capacity = 1_u64 << shift;
        let requests = uniform(WRITES, capacity);
        let mut config = Config::default();
        config.run.warmup = "sequential".parse().expect("a mode");
        // Pages come one by one: without, each would rewrite its block.
        config.own.set(BlockOptimizedConfig { append: true });
        let logical_blocks = capacity / config.device.page.0 / 64;
        // Translation pages and one write-back for each write need room, too.
        config.device.blocks = Some((logical_blocks * 1002 / 1000) as u32 + 3 * WRITES as u32 / 64);
        let times: Vec<f64> = names
            .iter()
            .map(|ftl| {
                let mut simulator = simulator(ftl, &config, capacity);
                warm_up(simulator.as_mut(), &none, &mut |_| Ok(())).expect("a warm-up");
                1e9 / measure(simulator.as_mut(), &requests)
            })
            .collect();
        let row = |width: usize, separator: &str| {
            let cells: Vec<String> = times.iter().map(|time| format!("{time:>width$.1}")).collect();
            cells.join(separator)
        };
        eprintln!("{:<16}{}", Bytes(capacity).to_string(), row(16, ""));
        csv += &format!("{capacity},{}\n", row(0, ","));
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench");
    std::fs::create_dir_all(folder)?;
    std::fs::write(format!("{folder}/sizes.csv"), csv)
}

/// Cells of a table row.
trait MapText {
    fn map_text(&self, cell: impl Fn(&str) -> String) -> String;
}

impl MapText for [&str] {
    fn map_text(&self, cell: impl Fn(&str) -> String) -> String {
        self.iter().map(|name| cell(name)).collect()
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
