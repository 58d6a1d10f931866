//! Every real trace runs through every FTL with verification on.
//!
//! The traces are in the folder named by `FTLAB_TRACES`; without it the test says so loudly, and fails
//! if `FTLAB_TRACES_REQUIRED=1`.

use ftlab::Error;
use ftlab::config::Config;
use ftlab::ftl::FTLS;
use ftlab::metrics::result::Report;
use ftlab::session;
use serde_json::json;
use std::path::PathBuf;

/// Every trace of the folder.
fn traces() -> Vec<PathBuf> {
    let Some(folder) = std::env::var_os("FTLAB_TRACES").map(PathBuf::from) else {
        let required = std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "FTLAB_TRACES must name the folder of real traces");
        eprintln!("NOT RUN: FTLAB_TRACES does not name a folder of real traces");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = [folder.clone(), folder.join("normalized")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("the folder of traces"))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "zst"))
        .collect();
    files.sort();
    files
}

/// The whole trace on a device of at most 16 GiB: volumes laid over each other, offsets wrapped. Lists
/// of the ARC paper do not say what requests do: the first 20,000 are taken for writes.
fn run(path: &str) -> Result<Vec<Report>, Error> {
    let input = match path.ends_with(".lis.zst") {
        true => json!({ "trace": path, "op": "write", "requests": 20_000 }),
        false => json!({ "trace": path }),
    };
    let tree = json!({
        "device": { "capacity": "16GiB" },
        "input": input,
        "run": { "address": "modulo", "warmup": "footprint" },
    });
    let config = Config::resolve(tree.as_object().expect("a table"))?;
    let names: Vec<&str> = FTLS.iter().map(|entry| entry.name).collect();
    session::run(&config, &names, &mut |_| Ok(()))
}

#[test]
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
    assert!(ran == 0 || ran >= 52, "only {ran} traces ran");
    eprintln!("{ran} traces ran through {} FTLs", FTLS.len());
}
