//! What several threads over one input must not get wrong: causes of errors, and stopping.

use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::device::ProgramOrder;
use ftlab::report::Report;
use ftlab::session::{self, Point};
use ftlab::units::Bytes;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn config(tree: &serde_json::Value) -> Config {
    Catalog::standard().resolve(tree.as_object().expect("a table")).expect("a configuration")
}

/// A trace of so many requests, the second of which lies at 1 GiB, in a pipe: it cannot be measured.
#[cfg(unix)]
fn pipe_with_a_far_request(name: &str, requests: usize) -> (PathBuf, std::thread::JoinHandle<()>) {
    let path = std::env::temp_dir().join(format!("ftlab-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
    assert!(made.success());
    let pipe = path.clone();
    let writer = std::thread::spawn(move || {
        let Ok(mut file) = std::fs::OpenOptions::new().write(true).open(pipe) else { return };
        for k in 0..requests {
            let sector = if k == 1 { 2 << 20 } else { 8 * k % 1024 };
            if writeln!(file, "0,{sector},4096,w,{k}.0").is_err() {
                return;
            }
        }
    });
    (path, writer)
}

#[cfg(unix)]
#[test]
fn a_simulation_that_fails_tells_its_own_cause_however_long_the_input() {
    for requests in [3, 200_000] {
        let (path, writer) = pipe_with_a_far_request("far", requests);
        let config = config(&json!({
            "device": { "capacity": "64MiB" },
            "input": { "trace": path.to_str(), "format": "spc" },
            "run": { "address": "overlay" },
        }));
        let result =
            session::run(&Catalog::standard(), &config, &["page", "tpftl"], &mut |_| Ok(()));
        writer.join().expect("the writer ends");
        let _ = std::fs::remove_file(path);
        let error = result.expect_err("the second request lies beyond the device").to_string();
        assert!(error.contains("found a request for bytes 1073741824"), "{requests}: {error}");
        assert!(error.contains("run.address = modulo"), "{requests}: {error}");
    }
}

#[test]
fn a_warm_up_can_be_stopped_even_if_the_input_is_short() {
    let config = config(&json!({
        "workload": { "pattern": "randwrite", "size": "1GiB", "requests": 1000 },
        "run": { "warmup": "random:1000" },
    }));
    let start = Instant::now();
    let stop = &mut |_| match start.elapsed() > Duration::from_millis(200) {
        true => Err(Error::Interrupted),
        false => Ok(()),
    };
    let result = session::run(&Catalog::standard(), &config, &["page"], stop);
    assert!(matches!(result, Err(Error::Interrupted)));
    assert!(start.elapsed() < Duration::from_secs(20), "a thousand rounds would take far longer");
}

#[test]
fn a_trace_that_breaks_off_is_the_cause_and_not_the_simulations_it_stops() {
    let path = std::env::temp_dir().join(format!("ftlab-{}-broken.spc", std::process::id()));
    let mut text: String = (0..50_000).map(|k| format!("0,{},4096,w,{k}.0\n", 8 * k)).collect();
    text += "0,1,4096\n";
    std::fs::write(&path, text).expect("a file");
    let config = config(&json!({ "input": { "trace": path.to_str() } }));
    let error = session::run(&Catalog::standard(), &config, &["page", "dftl"], &mut |_| Ok(()))
        .expect_err("broken");
    let _ = std::fs::remove_file(&path);
    assert!(error.to_string().contains(".spc:50001: found 3 columns"), "{error}");
}

#[test]
fn the_last_stretch_of_a_run_is_in_its_series() {
    let config = config(&json!({
        "workload": { "pattern": "randrw", "requests": 1000 },
    }));
    let reports =
        session::run(&Catalog::standard(), &config, &["page"], &mut |_| Ok(())).expect("a run");
    assert_eq!(reports[0].timeline.requests.last(), Some(&1000));
}

/// In one comparison each FTL gets the strictest order of programs that it can work with, and its
/// result tells which.
#[test]
fn a_comparison_of_page_and_block_mapped_ftls_says_which_device_each_had() {
    let tree = json!({
        "device": { "capacity": "16MiB" },
        "workload": { "pattern": "randwrite", "bs": "4k", "size": "4MiB", "requests": 3000 },
    });
    let reports =
        session::run(&Catalog::standard(), &config(&tree), &["page", "block", "fast"], &mut |_| {
            Ok(())
        });
    let reports = reports.expect("a run");
    let devices: Vec<_> = reports
        .iter()
        .map(|report| {
            let warned = report.warnings.iter().any(|warning| warning.contains("in any order"));
            (report.device.program_order, warned, report.gc.is_some(), report.merges.is_some())
        })
        .collect();
    let any = (ProgramOrder::Any, true, false, true);
    assert_eq!(devices, [(ProgramOrder::Ascending, false, true, false), any, any]);
}

/// A point of 2,000 random writes with this much mapping cache.
fn point(ftl: &str, cache: &str) -> Point {
    let tree = json!({
        "device": { "capacity": "16MiB" },
        "workload": { "pattern": "randrw", "size": "16MiB", "requests": 2000 },
        "ftl": { "cache": cache },
    });
    Point { config: config(&tree), ftl: ftl.into() }
}

fn without_speed(report: &Report) -> serde_json::Value {
    let mut tree = serde_json::to_value(report).expect("a report is a tree");
    tree.as_object_mut().expect("a table").remove("speed").expect("the speed");
    tree
}

#[test]
fn points_of_one_run_differ_in_anything_but_their_input_and_are_as_they_are_alone() {
    let mut points = [point("tpftl", "1KiB"), point("tpftl", "4KiB"), point("page", "1KiB")];
    points[1].config.device.capacity = Some(Bytes(32 << 20));
    points[2].config.gc.high = 6;
    let together =
        session::run_points(&Catalog::standard(), &points, &mut |_| Ok(())).expect("a run");
    assert_ne!(
        together[0].mapping.as_ref().map(|m| m.hits),
        together[1].mapping.as_ref().map(|m| m.hits)
    );
    for (point, report) in points.iter().zip(&together) {
        assert_eq!(report.config, point.config);
        let alone =
            session::run(&Catalog::standard(), &point.config, &[&point.ftl], &mut |_| Ok(()))
                .expect("a run");
        assert_eq!(without_speed(report), without_speed(&alone[0]));
    }
}

/// They ask for one to a dozen passes over the input, and all that they ask for at once is one pass.
#[test]
fn points_with_different_warm_ups_share_a_reading_and_are_as_they_are_alone() {
    let modes = ["none", "steady:10%", "replay:3", "random:2", "footprint", "steady-random:10%"];
    let points = modes.map(|mode| {
        let mut point = point("page", "1KiB");
        point.config.run.warmup = mode.parse().expect("a mode");
        point
    });
    let together =
        session::run_points(&Catalog::standard(), &points, &mut |_| Ok(())).expect("a run");
    for (point, report) in points.iter().zip(&together) {
        assert_eq!(report.warmup.mode, point.config.run.warmup);
        let alone =
            session::run(&Catalog::standard(), &point.config, &[&point.ftl], &mut |_| Ok(()))
                .expect("a run");
        assert_eq!(without_speed(report), without_speed(&alone[0]));
    }
}

#[test]
fn points_of_different_inputs_are_refused() {
    type Change = fn(&mut Config);
    let changes: [(&str, Change); 3] = [
        ("input", |config| config.input.trace = Some("financial1".into())),
        ("workload", |config| config.workload.requests = Some(1)),
        ("run.seed", |config| config.run.seed = 2),
    ];
    for (key, change) in changes {
        let mut points = [point("page", "1KiB"), point("page", "1KiB"), point("page", "1KiB")];
        change(&mut points[2].config);
        let error = session::run_points(&Catalog::standard(), &points, &mut |_| Ok(()))
            .expect_err(key)
            .to_string();
        assert!(
            error.starts_with(&format!("{key}: found point 3 of a run with another")),
            "{error}"
        );
    }
}

#[test]
fn a_run_of_too_many_points_is_refused_and_one_of_none_has_no_results() {
    let points = vec![point("page", "1KiB"); session::MOST_POINTS + 1];
    let error = session::run_points(&Catalog::standard(), &points, &mut |_| Ok(()))
        .expect_err("too many")
        .to_string();
    assert_eq!(error, "points: found 65, expected at most 64 in a run");
    assert!(
        session::run_points(&Catalog::standard(), &[], &mut |_| Ok(()))
            .expect("nothing to do")
            .is_empty()
    );
}

/// The looks at the end of a run are what the report says of the cache; between them lies what was
/// asked for, and a run without them is the same.
#[test]
fn looks_into_the_cache_change_nothing_but_that_they_are_there() {
    for ftl in ["dftl", "cdftl", "sftl", "tpftl", "zftl", "treeftl"] {
        let plain = point(ftl, "16KiB");
        let mut looked = plain.clone();
        looked.config.run.samples = 100;
        let whole = Point { ftl: "page".into(), ..looked.clone() };
        let points = [plain, looked, whole];
        let reports =
            session::run_points(&Catalog::standard(), &points, &mut |_| Ok(())).expect("a run");
        assert_eq!(reports[0].flash.programs, reports[1].flash.programs, "{ftl}");
        assert!(reports[0].samples.is_none() && reports[2].samples.is_none());
        let samples = reports[1].samples.as_ref().expect("looks");
        let accesses: Vec<u64> = (1..=20).map(|look| 100 * look).collect();
        assert_eq!(samples.page_accesses, accesses, "{ftl}: a page each request");
        let mapping = reports[1].mapping.as_ref().expect("a mapping cache");
        assert_eq!(samples.translation_pages.last(), Some(&mapping.cached_translation_pages));
        assert_eq!(samples.entries.last(), Some(&mapping.cached_entries), "{ftl}");
        let dirty: u64 = (0..).zip(&samples.pages_by_dirty_entries).map(|(n, of)| n * of).sum();
        assert_eq!(dirty, samples.dirty_entries.iter().sum::<u64>(), "{ftl}");
        let pages: u64 = samples.pages_by_dirty_entries.iter().sum();
        assert_eq!(pages, samples.translation_pages.iter().sum::<u64>(), "{ftl}");
    }
}
