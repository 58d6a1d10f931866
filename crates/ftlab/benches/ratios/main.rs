//! Speed as ratios inside one run: each FTL against a bare loop that does the same kind of work.
//!
//! The bare loop is what no simulator can beat: one map update and one reverse-map update per page
//! written, greedy GC by buckets, a serial clock; no checks, no cache, no latencies. An FTL and the bare loop
//! run in pairs, and the order of the two alternates, so that a machine that changes its speed changes it for both;
//! pairs are run until the quartiles of their ratios are less than a tenth of the median apart, or the limit is hit.
//! Between the two are the stripped loops of `page` and `dftl`.
//!
//! `cargo bench -p ftlab` or `make bench`; `FTLAB_BENCH_PAIRS` sets the limit (default 15). Of FTLs named
//! behind it (`cargo bench -p ftlab -- tpftl dftl`) the ratios alone are measured; with `buffers` or `sizes` among the words,
//! write buffers, or the devices of all sizes, alone. What is measured of all is kept in `target/bench`, in `ratios.json`,
//! `buffers.json` and `sizes.json`.

mod bare;
mod contest;
mod machine;
mod sizes;
mod stripped;

use contest::{Run, Standing, pair};
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::buffer::NONE;
use ftlab::catalog::{Catalog, Entry};
use ftlab::config::Config;
use ftlab::request::{BATCH, Op, Request};
use ftlab::rng::Rng;
use ftlab::simulate::{Role, Simulator};
use ftlab::units::Bytes;
use ftlab::workload;
use serde_json::{Value, json};

/// As `ftlab._core` has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CAPACITY: u64 = 512 << 20;
const PAGE: u64 = 4096;
const REQUESTS: usize = 2_000_000;

/// What is measured alone if it is asked for.
const PARTS: [&str; 2] = [BUFFERS, SIZES];
const BUFFERS: &str = "buffers";
const SIZES: &str = "sizes";

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == sizes::ASKS_FOR_ROW) {
        return Ok(serde_json::to_writer(std::io::stdout(), &sizes::row(&arguments[at + 1..]))?);
    }
    let words: Vec<String> =
        arguments.into_iter().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (parts, asked): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| PARTS.contains(&word.as_str()));
    let named = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    let catalog = Catalog::standard();
    let names: Vec<&str> =
        catalog.ftls().iter().map(Entry::name).filter(|name| named(name)).collect();
    let loops = stripped::LOOPS.iter().map(|(name, _)| *name).filter(|name| named(name));
    let compared: Vec<&str> = names.iter().copied().chain(loops).collect();
    let keeps = asked.is_empty();
    let most = std::env::var("FTLAB_BENCH_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(15);
    let wants = |part: &str| parts.iter().any(|wanted| wanted == part) || parts.is_empty() && keeps;
    let uniform_writes = uniform(REQUESTS, CAPACITY);
    if parts.is_empty() {
        let workloads = [("uniform writes", &uniform_writes), ("financial1", &financial1())];
        let ratios = workloads.map(|(name, requests)| {
            json!({ "workload": name, "ftls": ratios(name, &compared, requests, most) })
        });
        keep("ratios", keeps, &json!(ratios))?;
    }
    if wants(BUFFERS) {
        keep(BUFFERS, keeps, &json!(buffers(&uniform_writes, most)))?;
    }
    if wants(SIZES) {
        let the_loop = Some(stripped::Large::NAME).filter(|name| named(name));
        let large: Vec<&str> = names.iter().copied().chain(the_loop).collect();
        keep(SIZES, keeps, &json!(sizes(&large)))?;
    }
    Ok(())
}

/// Writes down what was measured, and on what, if it was measured of all FTLs.
fn keep(name: &str, keeps: bool, measured: &Value) -> std::io::Result<()> {
    if !keeps {
        return Ok(());
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench");
    let all = json!({ "machine": machine::description(), name: measured });
    std::fs::create_dir_all(folder)?;
    std::fs::write(format!("{folder}/{name}.json"), format!("{all:#}\n"))
}

fn write(offset: u64) -> Request {
    Request::new(Op::Write, offset, PAGE as u32)
}

fn uniform(count: usize, capacity: u64) -> Vec<Request> {
    let mut rng = Rng::new(1, "bench");
    (0..count).map(|_| write(PAGE * rng.below(capacity / PAGE))).collect()
}

fn financial1() -> Vec<Request> {
    let input = workload::profile("financial1", Some(REQUESTS as u64), 1).expect("a profile");
    input.open().expect("a generator").rest().expect("generated")
}

fn simulator(ftl: &str, config: &Config, capacity: u64) -> Box<dyn Simulator> {
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity)).expect("a map");
    let catalog = Catalog::standard();
    let entry = catalog.find(ftl).expect("a registered FTL");
    entry.simulate(config, capacity, address).expect("a device")
}

/// One pass over `requests`, after one pass of warm-up as writes. FTLs that merge copy up to a block for each
/// page: for them a part of the requests is enough.
fn simulate(ftl: &str, requests: &[Request]) -> Run {
    let mut simulator = simulator(ftl, &Config::default(), CAPACITY);
    let merges = simulator.outcome().ftl.metrics().merges.is_some();
    let requests = if merges { &requests[..requests.len() / 20] } else { requests };
    simulator.serve(requests, Role::Writes).expect("inside the device");
    measure(simulator.as_mut(), requests)
}

fn measure(simulator: &mut dyn Simulator, requests: &[Request]) -> Run {
    simulator.start_measuring();
    let cost = machine::cost(|| {
        for batch in requests.chunks(BATCH) {
            simulator.serve(batch, Role::Asked).expect("inside the device");
        }
    });
    Run { operations: simulator.outcome().flash.ledger().flash_operations(), cost }
}

/// Each write buffer above `page`, against `page` without one. What asks a buffer counts as an operation, too.
fn buffers(requests: &[Request], most: usize) -> Vec<Standing> {
    let run = |policy: &str| {
        let mut config = Config::default();
        policy.clone_into(&mut config.buffer.policy);
        let mut simulator = simulator("page", &config, CAPACITY);
        simulator.serve(requests, Role::Writes).expect("inside the device");
        let run = measure(simulator.as_mut(), requests);
        Run { operations: run.operations + requests.len() as u64, ..run }
    };
    let catalog = Catalog::standard();
    let names: Vec<&str> = catalog.buffers().iter().map(|buffer| buffer.spec.name).collect();
    eprintln!("\nbuffers of {} above page, uniform writes", Config::default().buffer.size);
    standings(&names, most, "page", || run(NONE), run)
}

fn ratios(workload: &str, names: &[&str], requests: &[Request], most: usize) -> Vec<Standing> {
    eprintln!("\n{workload}, {} requests, 512 MiB, 15 % over-provisioning", requests.len());
    let bare = || bare::run(requests, CAPACITY);
    standings(names, most, "bare loop", bare, |name| match stripped::find(name) {
        Some(run) => run(requests, CAPACITY),
        None => simulate(name, requests),
    })
}

/// Runs what is named in pairs with what all are compared to.
fn standings(
    names: &[&str],
    most: usize,
    compared_to: &str,
    base: impl Fn() -> Run,
    run: impl Fn(&str) -> Run,
) -> Vec<Standing> {
    let columns = ["operations/s", "ratio", "quartiles", "by processor", "pairs"];
    let [speed, ratio, quartiles, processor, pairs] = columns;
    eprintln!("{:<16}{speed:>14}{ratio:>8}{quartiles:>16}{processor:>14}{pairs:>7}", "");
    let against = |name: &&str| {
        let standing = pair(name, most, &base, || run(name));
        let Standing { name, speed, ratio, ratio_of_processor, pairs, .. } = &standing;
        let range = format!("{:.3} - {:.3}", ratio.quartiles[0], ratio.quartiles[1]);
        let (ratio, processor) = (ratio.median, ratio_of_processor.median);
        let limit = if standing.limit_hit { "  limit of pairs hit" } else { "" };
        let stolen = match standing.stolen {
            0 => String::new(),
            ticks => format!("  {:.2} s stolen", ticks as f64 / 100.0),
        };
        eprintln!(
            "{name:<16}{:>12.1} M{ratio:>8.3}{range:>16}{processor:>14.3}{pairs:>7}{limit}{stolen}",
            speed / 1e6
        );
        standing
    };
    let standings: Vec<Standing> = names.iter().map(against).collect();
    let bare = contest::Spread::of(standings.iter().map(|each| each.bare).collect()).median;
    eprintln!("{compared_to:<16}{:>12.1} M", bare / 1e6);
    standings
}

fn sizes(names: &[&str]) -> Vec<sizes::Row> {
    eprintln!("\nuniform writes on devices that were filled in order, without GC");
    let [filled, with, without, memory] = ["filled", "ns/operation", "not early", "B/page"];
    eprintln!("{:<16}{:>10}{filled:>8}{with:>14}{without:>12}{memory:>9}", "", "capacity");
    sizes::rows(names, |row| {
        let capacity = Bytes(row.capacity).to_string();
        eprintln!(
            "{:<16}{capacity:>10}{:>7.0}%{:>14.1}{:>12.1}{:>9.1}",
            row.ftl,
            100.0 * row.filled,
            row.time,
            row.time_without,
            row.memory_per_page
        );
    })
}
