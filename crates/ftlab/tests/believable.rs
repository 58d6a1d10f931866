//! What keeps figures from misleading, and runs from ending without a word.

use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::report::Report;
use ftlab::session;
use serde_json::{Value, json};
use std::path::Path;

fn config(tree: &Value) -> Config {
    Catalog::standard().resolve(tree.as_object().expect("a table")).expect("a configuration")
}

fn run(tree: &Value, ftl: &str) -> Report {
    let mut reports =
        session::run(&Catalog::standard(), &config(tree), &[ftl], &mut |_| Ok(())).expect("a run");
    reports.remove(0)
}

fn refusal(tree: &Value, ftl: &str) -> String {
    let resolved = Catalog::standard().resolve(tree.as_object().expect("a table"));
    let run = |config: Config| session::run(&Catalog::standard(), &config, &[ftl], &mut |_| Ok(()));
    resolved.and_then(run).expect_err("it cannot run").to_string()
}

fn warns(report: &Report, text: &str) -> bool {
    report.warnings.iter().any(|warning| warning.contains(text))
}

/// Reads of 25 us on one plane, one each 1 ms / `load` / 40 on average: the load is what it says.
fn reads(load: f64, requests: u32) -> Value {
    json!({
        "device": { "capacity": "4MiB", "pages_per_block": 16 },
        "workload": {
            "pattern": "randread", "size": "4MiB", "requests": requests, "interarrival": "25us",
            "arrivals": "poisson",
        },
        "host": { "time_scale": 1.0 / load },
        "run": { "warmup": "sequential" },
    })
}

#[test]
fn overload_is_told_by_arrivals_and_completions_at_any_length() {
    for requests in [5_000, 50_000, 500_000] {
        for load in [0.3, 0.9, 1.1, 3.0] {
            let report = run(&reads(load, requests), "page");
            let expected = load > 1.0;
            assert_eq!(report.host.overloaded, Some(expected), "{load} of {requests}");
            assert_eq!(warns(&report, "overload"), expected, "{load}: {:?}", report.warnings);
        }
    }
}

#[test]
fn a_closed_loop_is_never_overloaded_and_a_queue_may_be() {
    let mut tree = reads(3.0, 5_000);
    tree["host"]["mode"] = "closed:4".into();
    let report = run(&tree, "page");
    assert_eq!((report.host.overloaded, report.host.last_arrival_s), (None, None));
    assert_eq!((report.host.backlog_ratio, report.host.backlog_to_s), (None, None));
    tree["host"]["mode"] = "queued:4".into();
    assert_eq!(run(&tree, "page").host.overloaded, Some(true));
}

/// 20,000 reads of 25 us in 200 s, of which each `burst`-th to the end of it come 10 us apart.
fn with_a_burst(burst: std::ops::Range<u64>) -> Report {
    let mut time = 0;
    let lines = (0..20_000_u64).map(|n| {
        time += if burst.contains(&n) { 10 } else { 10_000 };
        format!("0,{},4096,R,{:.6}\n", n * 7919 % 1024 * 8, time as f64 / 1e6)
    });
    let name = format!("burst-{}-{}.spc", burst.start, burst.end);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, lines.collect::<String>()).expect("it is written");
    let tree = json!({
        "device": { "capacity": "4MiB", "pages_per_block": 16 },
        "input": { "trace": file },
        "run": { "warmup": "sequential" },
    });
    run(&tree, "page")
}

/// The device is idle for most of the time and done when the last request arrives.
#[test]
fn overload_in_the_midst_of_an_input_is_seen() {
    let report = with_a_burst(5_000..15_000);
    assert!(report.planes.busy_fraction[0] < 0.01, "{:?}", report.planes.busy_fraction);
    assert_eq!(report.host.overloaded, Some(true));
    let share = report.host.backlog_ratio.expect("an open loop");
    assert!((0.48..0.52).contains(&share), "{share}");
    let [from, to] = [report.host.backlog_from_s, report.host.backlog_to_s].map(Option::unwrap);
    assert!((49.0..50.1).contains(&from) && (50.2..50.5).contains(&to), "{from} to {to}");
    let text = format!("overload: {:.1} % of requests came in a backlog between", 100.0 * share);
    assert!(warns(&report, &text), "{:?}", report.warnings);
}

#[test]
fn a_burst_that_leaves_the_mean_to_the_device_is_none() {
    for burst in [0..0, 5_000..5_100] {
        let report = with_a_burst(burst);
        assert_eq!(report.host.overloaded, Some(false));
        assert_eq!((report.host.backlog_ratio, report.host.backlog_from_s), (Some(0.0), None));
    }
}

#[test]
fn many_planes_behind_one_frontier_are_no_way_out() {
    let tree = json!({
        "device": { "capacity": "64MiB", "channels": 4, "chips_per_channel": 4 },
        "workload": {
            "pattern": "randwrite", "size": "64MiB", "requests": 20_000, "interarrival": "50us",
        },
    });
    let report = run(&tree, "dftl");
    let busiest = report.planes.busy_fraction.iter().copied().fold(0.0, f64::max);
    assert!(busiest < 0.95, "no plane is busy all the time: {busiest}");
    assert_eq!(report.host.overloaded, Some(true));
}

#[test]
fn what_erased_a_block_made_room() {
    for entry in Catalog::standard().ftls() {
        let tree = json!({
            "device": { "capacity": "2MiB", "pages_per_block": 16, "over_provisioning": "100%" },
            "ftl": { "cache": "64KiB" },
            "workload": { "pattern": "randwrite", "size": "2MiB", "requests": 5000 },
            "run": { "warmup": "sequential" },
        });
        let report = run(&tree, entry.name());
        let erases: u64 = report.flash.erases.values().sum();
        assert!(erases > 0, "{}", entry.name());
        let told = ["never ran", "no block was"].iter().any(|text| warns(&report, text));
        assert!(!told, "{}: {:?}", entry.name(), report.warnings);
    }
}

#[test]
fn what_erased_no_block_says_why() {
    let mut judged = 0;
    for entry in Catalog::standard().ftls() {
        let tree = json!({
            "device": { "capacity": "16MiB", "pages_per_block": 16 },
            "ftl": { "cache": "64KiB" },
            "workload": { "pattern": "write", "size": "2MiB", "requests": 500 },
        });
        let report = run(&tree, entry.name());
        // Some clean before they must.
        if report.flash.erases.values().sum::<u64>() > 0 {
            continue;
        }
        judged += 1;
        let text = if report.gc.is_some() { "GC never ran" } else { "no block was erased" };
        assert!(warns(&report, text), "{}: {:?}", entry.name(), report.warnings);
    }
    assert!(judged > 20, "{judged} FTLs");
}

/// More is written than there is spare space, but most of the device never was.
#[test]
fn gc_that_waits_for_the_rest_of_the_device_says_so() {
    let tree = json!({
        "device": { "capacity": "64MiB", "pages_per_block": 16, "over_provisioning": "7%" },
        "workload": { "pattern": "write", "size": "16MiB", "requests": 4096 },
    });
    let report = run(&tree, "page");
    let text = "GC never ran in the measured phase: 839 of 1095 blocks are still erased after its \
                4096 page writes. Write amplification means nothing; set run.warmup = random";
    assert!(warns(&report, text), "{:?}", report.warnings);
}

/// Writes in sequence over an eighth of the device, again and again.
fn rounds(warmup: &str, pattern: &str) -> Value {
    json!({
        "device": { "capacity": "16MiB", "pages_per_block": 16, "over_provisioning": "15%" },
        "workload": { "pattern": pattern, "size": "2MiB", "requests": 20_000 },
        "run": { "warmup": warmup },
    })
}

#[test]
fn a_device_that_is_mostly_unwritten_says_how_much() {
    for ftl in ["page", "dftl", "fast"] {
        let report = run(&rounds("footprint", "randwrite"), ftl);
        assert_eq!(report.device.written_ratio, Some(0.125), "{ftl}");
        let text = "the host has written 12 % of the device, and the rest acts as spare space: \
                    819 % in place of 15 %. Write amplification is therefore too low; \
                    set run.warmup = random";
        assert!(warns(&report, text), "{ftl}: {:?}", report.warnings);
    }
    let report = run(&rounds("steady", "randwrite"), "page");
    assert!(warns(&report, "set run.warmup = steady-random"), "{:?}", report.warnings);
    let report = run(&rounds("random", "randwrite"), "page");
    assert_eq!(report.device.written_ratio, Some(1.0));
    assert!(!warns(&report, "acts as spare space"), "{:?}", report.warnings);
    let mut tree = rounds("footprint", "randwrite");
    tree["run"]["verify"] = false.into();
    assert_eq!(run(&tree, "page").device.written_ratio, None);
}

#[test]
fn room_that_was_made_without_a_copy_is_told() {
    for (ftl, what) in [("page", "GC"), ("fast", "merges")] {
        let report = run(&rounds("footprint", "write"), ftl);
        let text = format!("{what} copied no page: all blocks that were erased held nothing valid");
        assert!(warns(&report, &text), "{ftl}: {:?}", report.warnings);
        let report = run(&rounds("random", "randwrite"), ftl);
        assert!(!warns(&report, "copied no page"), "{ftl}: {:?}", report.warnings);
    }
}

/// Two laps of `modulo` over a device of 4 MiB: 6 MiB are read, of which 2 MiB lie on others.
#[test]
fn pages_that_stand_for_several_addresses_are_told() {
    let tree = |address: &str, capacity: &str| {
        json!({
            "device": { "capacity": capacity, "pages_per_block": 16 },
            "workload": { "pattern": "read", "size": "6MiB", "requests": 1536 },
            "run": { "address": address },
        })
    };
    let wrapped = run(&tree("modulo", "4MiB"), "page");
    assert_eq!(wrapped.host.shared_pages_ratio, Some(0.5));
    let text = "50 % of the pages that the input touches stand for several of its addresses";
    assert!(warns(&wrapped, text), "{:?}", wrapped.warnings);
    for (address, capacity) in [("modulo", "8MiB"), ("overlay", "8MiB"), ("compact", "8MiB")] {
        let apart = run(&tree(address, capacity), "page");
        assert_eq!(apart.host.shared_pages_ratio, None, "{address}");
        assert!(!warns(&apart, "stand for several"), "{:?}", apart.warnings);
    }
}

#[test]
fn a_cache_that_missed_nothing_is_not_said_to_show_cold_misses() {
    let mut tree = json!({
        "device": { "capacity": "4MiB", "pages_per_block": 16 },
        "ftl": { "cache": "1MiB" },
        "workload": { "pattern": "randread", "size": "4MiB", "requests": 3000 },
        "run": { "warmup": "replay:3" },
    });
    let report = run(&tree, "dftl");
    assert!(warns(&report, "it held every mapping before"), "{:?}", report.warnings);
    tree["run"]["warmup"] = "none".into();
    assert!(warns(&run(&tree, "dftl"), "only cold misses"));
}

#[test]
fn a_clock_that_would_overflow_is_refused() {
    for (device, key) in [
        (json!({ "bandwidth": 1 }), "device.bandwidth"),
        (json!({ "transfer_per_byte": "10s" }), "device.transfer_per_byte"),
    ] {
        let mut tree = json!({ "workload": { "pattern": "randread", "size": "4MiB" } });
        tree["device"] = device;
        let refusal = refusal(&tree, "page");
        assert!(
            refusal.starts_with(&format!("{key}: found a page of 4KiB on the bus")),
            "{refusal}"
        );
    }
    for mode in ["open", "queued:4"] {
        let tree = json!({
            "workload": {
                "pattern": "randread", "size": "4MiB", "requests": 100_000, "interarrival": "1s",
            },
            "host": { "time_scale": 1e6, "mode": mode },
        });
        let refusal = refusal(&tree, "page");
        assert!(refusal.contains("more than 146 years after the first"), "{refusal}");
    }
}

/// A program that gave way to a read ends after the last completion, and so does a cached program.
#[test]
fn no_plane_is_busy_longer_than_it_exists() {
    for device in [
        json!({ "suspend": "200us" }),
        json!({ "suspend": "10ms" }),
        json!({ "cache_program": true, "bandwidth": "1MiB" }),
    ] {
        for requests in [2, 50, 3000] {
            let mut tree = json!({
                "workload": {
                    "pattern": "randrw", "bs": "64k", "size": "16MiB", "requests": requests,
                },
            });
            tree["device"] = device.clone();
            tree["device"]["capacity"] = "16MiB".into();
            let report = run(&tree, "page");
            let all = report.planes.busy_fraction.iter().chain(&report.channels.busy_fraction);
            let most = all.copied().fold(0.0, f64::max);
            assert!(most <= 1.0, "{device}, {requests} requests: {most}");
        }
    }
}

#[test]
fn a_setting_that_no_ftl_of_a_run_obeys_is_refused() {
    let catalog = Catalog::standard();
    let check = |tree: Value, ftls: &[&str]| {
        let checked = catalog.check_obeyed(tree.as_object().expect("a table"), ftls);
        checked.err().map(|error| error.to_string())
    };
    for (tree, ftls, told) in [
        (
            json!({ "ftl": { "cache": "8KiB" } }),
            vec!["page"],
            "ftl.cache: found a setting that page",
        ),
        (json!({ "log": { "blocks": 5 } }), vec!["dftl"], "log.blocks: found a setting that dftl"),
        (
            json!({ "log": { "map": "flash" } }),
            vec!["superblock", "block-optimized"],
            "log.map: found a setting that superblock, block-optimized",
        ),
        (json!({ "tpftl": { "threshold": 99 } }), vec!["dftl"], "ignores, expected one of tpftl"),
        (
            json!({ "gc": { "low": 4 } }),
            vec!["fast", "kast"],
            "gc.low: found a setting that fast, kast",
        ),
    ] {
        let found = check(tree, &ftls).expect("it is ignored");
        assert!(found.contains(told), "{found}");
    }
    for (tree, ftls) in [
        (json!({ "ftl": { "cache": "8KiB" } }), vec!["page", "dftl"]),
        (json!({ "log": { "blocks": 5 } }), vec!["fast"]),
        (json!({ "log": { "map": "flash" } }), vec!["block"]),
        (json!({ "device": { "channels": 2 }, "buffer": { "policy": "lru" } }), vec!["page"]),
        (json!({ "gc": { "low": 4 }, "ftl": { "cache": null } }), vec!["page"]),
    ] {
        assert_eq!(check(tree, &ftls), None);
    }
}

/// `ftl.placement` stands in the configuration of all FTLs of a run, also of those that do not obey it.
#[test]
fn writes_that_use_one_plane_at_a_time_are_told_of_the_ftls_that_do() {
    let tree = |placement: &str| {
        json!({
            "device": { "capacity": "4MiB", "pages_per_block": 16, "channels": 2, "over_provisioning": 1.0 },
            "ftl": { "placement": placement },
            "workload": { "pattern": "randwrite", "size": "4MiB", "requests": 100 },
        })
    };
    let told = |placement, ftl| warns(&run(&tree(placement), ftl), "one plane at a time");
    let all = ["page", "dftl", "dloop", "sepbit", "mnftl", "fast"];
    assert_eq!(all.map(|ftl| told("striped", ftl)), [false, false, false, false, true, true]);
    assert_eq!(all.map(|ftl| told("single", ftl)), [true, true, false, true, true, true]);
}
