//! Every real trace runs through every FTL, bare and under write buffers, with verification on.
//!
//! The traces are in the folder named by `FTLAB_TRACES`; without it the test says so loudly, and fails
//! if `FTLAB_TRACES_REQUIRED=1`.

use ftlab::Error;
use ftlab::catalog::{Catalog, Entry};
use ftlab::report::Report;
use ftlab::session;
use serde_json::json;
use std::path::PathBuf;

/// Every trace of the folder. Its normalised copies hold the same requests, as `traces_real` shows.
fn traces() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("FTLAB_TRACES").map(PathBuf::from) else {
        let required = std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "FTLAB_TRACES must name the folder of real traces");
        eprintln!("NOT RUN: FTLAB_TRACES does not name a folder of real traces");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of traces")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "zst"))
        .collect();
    files.sort();
    files
}

/// The whole trace on a device of 2 GiB: volumes laid over each other, offsets wrapped. Lists
/// of the ARC paper do not say what requests do: the first 20,000 are taken for writes.
fn run(path: &str) -> Result<Vec<Report>, Error> {
    let input = match path.ends_with(".lis.zst") {
        true => json!({ "trace": path, "op": "write", "requests": 20_000 }),
        false => json!({ "trace": path }),
    };
    let tree = json!({
        "device": { "capacity": "2GiB" },
        "input": input,
        "run": { "address": "modulo", "warmup": "footprint" },
    });
    let config = Catalog::standard().resolve(tree.as_object().expect("a table"))?;
    let catalog = Catalog::standard();
    let names: Vec<&str> = catalog.ftls().iter().map(Entry::name).collect();
    session::run(&catalog, &config, &names, &mut |_| Ok(()))
}

#[test]
#[ignore = "long: part of make test-long"]
fn every_real_trace_runs_through_every_ftl_without_a_violation() {
    let mut ran = 0;
    for path in traces() {
        let name = path.display().to_string();
        let reports = run(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
        ran += 1;
        for report in reports {
            assert!(report.host.requests > 0, "{name}");
            assert_eq!(report.checks.reads_verified, report.host.page_reads, "{name}");
            assert_eq!(report.checks.violations, 0, "{name}");
        }
    }
    assert!(ran == 0 || ran >= 29, "only {ran} traces ran");
    eprintln!("{ran} traces ran through {} FTLs", Catalog::standard().ftls().len());
}

/// Of each trace, as much as fills the buffers several times.
const BUFFERED_REQUESTS: u64 = 1_000;
/// Pages that a buffer holds.
const BUFFERED_PAGES: u64 = 128;
/// Pages, of data or of the map, that an FTL's own RAM holds.
const CACHED_PAGES: u64 = 4;

/// The beginning of every trace through every buffer above every FTL, on a small device, so that all of
/// them have to collect. Requests come at their times, so idle time is used.
#[test]
#[ignore = "long: part of make test-long"]
fn every_real_trace_runs_through_every_buffer_above_every_ftl() {
    let catalog = Catalog::standard();
    let mut ran = 0;
    for path in traces() {
        let name = path.display().to_string();
        for policy in catalog.buffers().iter().map(|buffer| buffer.spec.name) {
            let reports = run_buffered(&name, policy).unwrap_or_else(|e| panic!("{name}: {e}"));
            for report in reports {
                let what = format!("{name}, {policy} above {}", report.ftl);
                let buffer = report.buffer.expect("a buffer");
                assert_eq!(report.checks.reads_verified, report.host.page_reads, "{what}");
                assert_eq!(report.checks.violations, 0, "{what}");
                let end = buffer.flushed_at_end.expect("the buffer is emptied");
                // What was in RAM when measuring began was written beside.
                let programs = |cause| report.flash.programs[cause];
                let programmed = programs("host") + programs("padding");
                let went = programmed + end.pages + buffer.absorbed;
                let came = report.host.page_writes + buffer.padded_pages;
                let most = came + BUFFERED_PAGES + CACHED_PAGES;
                assert!((came..=most).contains(&went), "{what}: {went} of {came}");
            }
        }
        ran += 1;
    }
    eprintln!(
        "{ran} traces ran through {} buffers and {} FTLs",
        catalog.buffers().iter().count(),
        catalog.ftls().len()
    );
}

fn run_buffered(path: &str, policy: &str) -> Result<Vec<Report>, Error> {
    let op = path.ends_with(".lis.zst").then_some("write");
    let tree = json!({
        "device": { "capacity": "32MiB", "over_provisioning": "25%" },
        "ftl": { "cache": 4096 * CACHED_PAGES },
        "buffer": { "policy": policy, "size": 4096 * BUFFERED_PAGES },
        "input": { "trace": path, "requests": BUFFERED_REQUESTS, "op": op },
        "run": { "address": "modulo", "warmup": "replay:1" },
    });
    let config = Catalog::standard().resolve(tree.as_object().expect("a table"))?;
    let catalog = Catalog::standard();
    let names: Vec<&str> = catalog.ftls().iter().map(Entry::name).collect();
    session::run(&catalog, &config, &names, &mut |_| Ok(()))
}
