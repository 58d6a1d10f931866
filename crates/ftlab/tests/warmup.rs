//! What a result says of its warm-up, and which inputs the rule of steady state fits.

use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, extents};
use ftlab::catalog::{Catalog, simulation};
use ftlab::config::Config;
use ftlab::drive::drive;
use ftlab::ftl::page::PageFtl;
use ftlab::report::Report;
use ftlab::request::Input;
use ftlab::session::{self, Progress};
use ftlab::warmup::{MODES, WarmupReport};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn config(tree: &Value) -> Config {
    Catalog::standard().resolve(tree.as_object().expect("a table")).expect("a configuration")
}

fn run(tree: &Value, ftls: &[&str]) -> Vec<Report> {
    session::run(&Catalog::standard(), &config(tree), ftls, &mut |_| Ok(())).expect("a run")
}

/// 3000 writes of 4 KiB on 4 MiB, which is 1024 pages, after a warm-up.
fn random_writes(warmup: &str) -> Value {
    json!({
        "device": { "capacity": "4MiB", "pages_per_block": 16 },
        "workload": { "pattern": "randwrite", "size": "4MiB", "requests": 3000 },
        "run": { "warmup": warmup },
    })
}

fn warmup_of(tree: &Value) -> WarmupReport {
    run(tree, &["page"]).remove(0).warmup
}

#[test]
fn every_mode_counts_what_it_did() {
    for (mode, requests, passes) in [
        ("none", 0, None),
        ("footprint", 3000, Some(1)),
        ("replay:3", 9000, Some(3)),
        ("sequential", 1024, None),
        ("random:2", 3 * 1024, None),
    ] {
        let warmup = warmup_of(&random_writes(mode));
        assert_eq!((warmup.requests, warmup.host_page_writes), (requests, requests), "{mode}");
        assert_eq!((warmup.passes, warmup.windows, warmup.steady), (passes, None, None), "{mode}");
    }
}

/// Operations of `footprint` are not placed, those of `replay` are; what FTLs do must not depend on it.
#[test]
fn what_a_warm_up_leaves_does_not_depend_on_whether_its_operations_are_placed() {
    let measured = |warmup: &str, ftls: &[&str], settings: &Value| -> Vec<Value> {
        let tree = json!({
            "device": {
                "capacity": "16MiB", "pages_per_block": 16, "channels": 2, "planes_per_die": 2,
                "transfer_per_byte": "25ns",
            },
            "workload": { "pattern": "randwrite", "size": "16MiB", "requests": 20_000 },
            "run": { "warmup": warmup },
            "ftl": settings,
        });
        let reports = run(&tree, ftls);
        let trees = reports.iter().map(|report| serde_json::to_value(report).expect("a tree"));
        let without = |mut tree: Value| {
            let object = tree.as_object_mut().expect("an object");
            ["warmup", "speed", "config"].iter().for_each(|key| _ = object.remove(*key));
            tree
        };
        trees.map(without).collect()
    };
    let ftls: [&[&str]; 2] = [&["page", "dloop", "fast", "mnftl"], &["page", "dftl", "tpftl"]];
    let settings = [json!({}), json!({ "placement": "least-busy" })];
    for (ftls, settings) in ftls.into_iter().zip(settings) {
        let without = measured("footprint", ftls, &settings);
        let with = measured("replay:1", ftls, &settings);
        for ((ftl, without), with) in ftls.iter().zip(without).zip(with) {
            assert!(without["flash"].is_object() && without["response_us"].is_object(), "{ftl}");
            assert_eq!(without, with, "{ftl}");
        }
    }
}

#[test]
fn steady_fills_the_footprint_and_replays_whole_passes() {
    let warmup = warmup_of(&random_writes("steady"));
    let passes = warmup.passes.expect("passes");
    let touched = warmup.host_page_writes - 3000 * passes;
    assert!((900..1024).contains(&touched), "3000 draws of 1024 touch 95 %, not {touched}");
    let windows = warmup.windows.expect("windows");
    assert_eq!(windows.len() as u64, passes, "a pass writes more than the 512 pages of a window");
    assert_eq!((warmup.window_page_writes, warmup.steady), (Some(512), Some(true)));
    assert!(warmup.spread <= Some(0.05) && warmup.drift.map(f64::abs) <= Some(0.025));
}

#[test]
fn a_short_input_is_replayed_as_often_as_a_window_needs() {
    let mut tree = random_writes("steady:20%");
    tree["workload"]["requests"] = 100.into();
    let warmup = warmup_of(&tree);
    let windows = warmup.windows.expect("windows").len() as u64;
    assert_eq!(warmup.passes, Some(6 * windows), "512 pages a window, 100 pages a pass");
    assert_eq!(warmup.steady, Some(true));
}

#[test]
fn steady_random_needs_no_input_and_ends_with_a_window() {
    let warmup = warmup_of(&random_writes("steady-random:20%"));
    let windows = warmup.windows.expect("windows").len() as u64;
    assert_eq!(warmup.host_page_writes, 1024 + 512 * windows);
    assert_eq!((warmup.passes, warmup.steady), (None, Some(true)));
}

#[test]
fn steady_state_of_an_input_that_hardly_writes_is_not_judged() {
    for read_share in ["100%", "99.5%"] {
        let mut tree = random_writes("steady");
        tree["workload"]["pattern"] = "randrw".into();
        tree["workload"]["read_share"] = read_share.into();
        let report = run(&tree, &["page"]).remove(0);
        let warmup = report.warmup;
        assert_eq!((warmup.passes, warmup.spread, warmup.steady), (Some(1), None, None));
        let warned =
            report.warnings.iter().any(|text| text.contains("ended without a steady state"));
        assert!(warned, "{:?}", report.warnings);
        assert_eq!(report.host.unwritten_page_reads, 0, "what is read was filled");
    }
}

/// Each of these went on for ever: after some passes nothing was programmed any more.
#[test]
fn a_warm_up_whose_writes_stay_in_ram_ends_without_a_verdict() {
    for (ftl, warmup, pattern, buffer) in [
        ("page", "steady", "randread", json!({ "policy": "lru", "size": "4MiB" })),
        ("page", "steady-random", "randwrite", json!({ "policy": "lru", "size": "4MiB" })),
        ("page", "steady", "randwrite", json!({ "policy": "cflru", "size": "4MiB" })),
        ("treeftl", "steady", "randread", json!({ "policy": "fab", "size": "512KiB" })),
    ] {
        let mut tree = random_writes(warmup);
        tree["workload"]["pattern"] = pattern.into();
        tree["buffer"] = buffer;
        tree["ftl"] = json!({ "cache": "64KiB" });
        let report = run(&tree, &[ftl]).remove(0);
        assert_eq!(report.warmup.steady, None, "{ftl} {warmup}");
        let told = report.warnings.iter().any(|text| text.contains("ended without a steady state"));
        assert!(told, "{ftl} {warmup}: {:?}", report.warnings);
        assert_eq!(report.host.requests, 3000);
    }
}

#[test]
fn a_run_that_gives_up_says_so_and_goes_on() {
    let mut tree = random_writes("steady-random:0.1%");
    tree["run"]["warmup_limit"] = 6.into();
    let report = run(&tree, &["page"]).remove(0);
    assert_eq!(report.warmup.steady, Some(false));
    assert_eq!(report.warmup.windows.map(|windows| windows.len()), Some(6));
    assert_eq!(report.host.requests, 3000);
    let warning = report.warnings.first().expect("a warning");
    assert!(warning.contains("not steady after 6 windows"), "{warning}");
    assert!(warning.contains("expected at most 0.1 % and 0.05 %"), "{warning}");
}

#[test]
fn gc_that_never_ran_is_told_with_the_share_of_the_spare_space() {
    let mut tree = random_writes("none");
    tree["workload"]["requests"] = 50.into();
    let warnings = run(&tree, &["page"]).remove(0).warnings;
    let text = "its 50 page writes cover 35 % of the spare space (144 pages). Write amplification \
                means nothing; set run.warmup = steady";
    assert!(warnings.iter().any(|warning| warning.contains(text)), "{warnings:?}");
}

#[test]
#[ignore = "long: part of make test-long"]
fn every_ftl_becomes_steady_in_either_way() {
    for entry in Catalog::standard().ftls() {
        for mode in ["steady:10%", "steady-random:10%"] {
            let mut tree = random_writes(mode);
            tree["device"]["over_provisioning"] = "25%".into();
            tree["ftl"] = json!({ "cache": "8KiB" });
            let report = run(&tree, &[entry.name()]).remove(0);
            assert_eq!(report.warmup.steady, Some(true), "{} {:?}", entry.name(), report.warmup);
            assert_eq!(report.checks.violations, 0);
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused_in_one_line() {
    let refused = |tree: &Value| {
        let run = session::run(&Catalog::standard(), &config(tree), &["page"], &mut |_| Ok(()));
        run.expect_err("refused").to_string()
    };
    for mode in ["steady", "steady-random"] {
        let mut large = random_writes(mode);
        large["workload"]["size"] = "8MiB".into();
        assert!(refused(&large).contains("run.address = modulo"), "{}", refused(&large));
        let mut full = random_writes(mode);
        full["device"]["over_provisioning"] = "1%".into();
        assert!(refused(&full).contains("raise over-provisioning"), "{}", refused(&full));
    }
}

#[test]
fn an_input_larger_than_the_device_becomes_steady_under_modulo() {
    let mut tree = random_writes("steady:10%");
    tree["workload"]["size"] = "8MiB".into();
    tree["run"]["address"] = "modulo".into();
    assert_eq!(warmup_of(&tree).steady, Some(true));
}

/// One simulation of an FTL that need not be registered, without a session.
fn drive_alone(config: &Config, input: &dyn Input) -> Result<Report, Error> {
    let measured = extents(input.open()?.as_mut(), &mut |_, _| Ok(()))?;
    let address = AddressMap::new(AddressPolicy::Overlay, &measured.extents, None)?;
    let mut simulation = simulation::<PageFtl>(config, 4 << 20, address)?;
    drive(&mut simulation, "mine", input, &mut |_| Ok(()))
}

#[test]
fn a_simulation_driven_from_outside_reports_what_a_session_does() {
    for mode in MODES {
        let tree = random_writes(mode.name);
        let in_a_session = run(&tree, &["page"]).remove(0);
        let config = config(&tree);
        let input = session::open_input(&config).expect("an input");
        let alone = drive_alone(&config, input.as_ref()).expect("a run");
        assert_eq!(alone.ftl, "mine");
        assert_eq!(alone.warmup, in_a_session.warmup, "{}", mode.name);
        let figures = |report: &Report| {
            let tree = serde_json::to_value(report).expect("a report is a tree");
            ["host", "flash", "gc", "response_us", "wear", "checks"].map(|key| tree[key].clone())
        };
        assert_eq!(figures(&alone), figures(&in_a_session), "{}", mode.name);
    }
}

#[test]
fn a_warm_up_until_steady_can_be_stopped_whatever_it_does() {
    for mode in ["steady:0.1%", "steady-random:0.1%"] {
        let config = config(&json!({
            "workload": { "pattern": "randwrite", "size": "8GiB", "requests": 100_000 },
            "run": { "warmup": mode, "warmup_limit": 100_000 },
        }));
        let start = Instant::now();
        let stop = &mut |progress: Progress| match progress.phase {
            "warming up" => Err(Error::Interrupted),
            _ => Ok(()),
        };
        let result = session::run(&Catalog::standard(), &config, &["page"], stop);
        assert!(matches!(result, Err(Error::Interrupted)), "{mode}");
        assert!(start.elapsed() < Duration::from_secs(20), "{mode}");
    }
}
