//! Runs that share a warm-up have the results that they have alone, and share where they can.

use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::report::Report;
use ftlab::session::{self, Point, Reading, SharedWarmup};
use serde_json::{Value, json};
use std::sync::Arc;

/// A point with this host; `more` is laid on top of its settings.
fn point(ftl: &str, host: Value, more: Value) -> Point {
    let mut tree = json!({
        "device": { "capacity": "4MiB", "pages_per_block": 16, "channels": 2 },
        "workload": { "pattern": "randwrite", "size": "4MiB", "requests": 3000, "interarrival": "200us" },
        "host": host,
    });
    for (section, settings) in more.as_object().expect("a table") {
        for (key, value) in settings.as_object().expect("a section") {
            tree[section][key] = value.clone();
        }
    }
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    Point { config, ftl: ftl.into() }
}

fn figures(reports: &[Report]) -> Vec<Value> {
    let trees = reports.iter().map(|report| serde_json::to_value(report).expect("a tree"));
    let without_speed = |mut tree: Value| {
        tree.as_object_mut().expect("a table").remove("speed").expect("the speed");
        tree
    };
    trees.map(without_speed).collect()
}

/// How many of these points go on from the warm-up of another. Their results are those that they
/// have alone.
fn shared(points: &[Point]) -> usize {
    let catalog = Catalog::standard();
    let (reading, warmup) = (Reading::default(), Arc::new(SharedWarmup::of(points.len())));
    for point in points {
        let alone = session::run_points(&catalog, std::slice::from_ref(point), &mut |_| Ok(()));
        let sharing = session::run_sharing(&reading, &warmup, &catalog, point, &mut |_| Ok(()));
        let (alone, sharing) = (alone.expect("a run"), sharing.expect("a run"));
        assert_eq!(figures(&sharing), figures(&alone), "{} {:?}", point.ftl, point.config.host);
    }
    warmup.shares().runs
}

/// Four points that differ in the host.
fn hosts(ftl: &str, more: &Value) -> Vec<Point> {
    let hosts = [
        json!({ "mode": "closed:1" }),
        json!({ "mode": "closed:32" }),
        json!({ "mode": "open", "time_scale": 0.5 }),
        json!({ "mode": "queued:2" }),
    ];
    hosts.into_iter().map(|host| point(ftl, host, more.clone())).collect()
}

#[test]
#[ignore = "long: part of make test-long"]
fn points_that_differ_in_the_host_share_every_warm_up() {
    for warmup in ["footprint", "replay:1", "sequential", "random:1", "steady:20%"] {
        for ftl in ["page", "tpftl", "fast", "superblock"] {
            let points = hosts(ftl, &json!({ "run": { "warmup": warmup } }));
            assert_eq!(shared(&points), 3, "{ftl} after {warmup}");
        }
    }
}

#[test]
fn a_write_buffer_is_copied_with_what_it_holds() {
    for policy in ["lru", "bplru", "informed"] {
        let buffer = json!({ "policy": policy, "size": "256KiB" });
        let more = json!({ "run": { "warmup": "steady:20%" }, "buffer": buffer });
        assert_eq!(shared(&hosts("page", &more)), 3, "{policy}");
    }
}

#[test]
fn where_a_decision_uses_times_only_equal_hosts_share_a_warm_up_by_the_input() {
    for (ftl, section, settings) in [
        ("page", "gc", json!({ "policy": "ramcloud-cost-benefit" })),
        ("page", "ftl", json!({ "placement": "least-busy" })),
        ("cachftl", "gc", json!({})),
    ] {
        let with = |warmup: &str| {
            let spare = json!({ "over_provisioning": "60%" });
            let mut more = json!({ "run": { "warmup": warmup }, "device": spare });
            more[section] = settings.clone();
            more
        };
        let mut points = hosts(ftl, &with("replay:1"));
        points.insert(1, points[0].clone());
        assert_eq!(shared(&points), 1, "{ftl} {settings}");
        assert_eq!(shared(&hosts(ftl, &with("random:1"))), 3, "{ftl} {settings}");
    }
}

#[test]
fn another_order_of_requests_is_another_warm_up() {
    let run = json!({ "warmup": "replay:1" });
    let more = json!({ "workload": { "pattern": "randrw" }, "run": run });
    let first = json!({ "mode": "queued:2", "reads_first": true });
    let points =
        [point("page", json!({ "mode": "queued:2" }), more.clone()), point("page", first, more)];
    assert_eq!(shared(&points), 0);
}

#[test]
fn instruments_and_energy_differ_after_a_warm_up() {
    let run = |key: &str, value: Value| {
        let mut more = json!({ "run": { "warmup": "random:1" } });
        more["run"][key] = value;
        point("dftl", json!({}), more)
    };
    let watt = json!({ "energy": { "read": 3.0 }, "run": { "warmup": "random:1" } });
    let points = [
        run("causes", json!(true)),
        run("samples", json!(100)),
        point("dftl", json!({}), watt),
        run("address", json!("overlay")),
    ];
    assert_eq!(shared(&points), 3);
    assert_eq!(shared(&[run("seed", json!(1)), run("verify", json!(false))]), 0);
    assert_eq!(shared(&[run("timeline", json!(100)), run("timeline", json!(0))]), 0);
}

/// Points of different inputs have readings of their own.
#[test]
fn a_warm_up_that_reads_no_input_is_shared_by_inputs() {
    let catalog = Catalog::standard();
    let run = json!({ "warmup": "random:1" });
    let inputs = [json!({ "requests": 2000 }), json!({ "pattern": "randrw", "bs": "16k" })];
    let points = inputs.map(|workload| {
        point("dftl", json!({}), json!({ "workload": workload, "run": run.clone() }))
    });
    let warmup = Arc::new(SharedWarmup::of(2));
    for point in &points {
        let alone = session::run_points(&catalog, std::slice::from_ref(point), &mut |_| Ok(()));
        let reading = Reading::default();
        let sharing = session::run_sharing(&reading, &warmup, &catalog, point, &mut |_| Ok(()));
        assert_eq!(figures(&sharing.expect("a run")), figures(&alone.expect("a run")));
    }
    assert_eq!(warmup.shares().runs, 1);
}

#[test]
fn if_the_first_run_is_stopped_the_next_one_does_the_warm_up() {
    let catalog = Catalog::standard();
    let points = hosts("page", &json!({ "run": { "warmup": "random:1000" } }));
    let warmup = Arc::new(SharedWarmup::of(3));
    let run = |point: &Point, watch: session::Watch<'_>| {
        session::run_sharing(&Reading::default(), &warmup, &catalog, point, watch)
    };
    let stopped = run(&points[0], &mut |_| Err(Error::Interrupted));
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert!(!warmup.is_ready());
    let points = hosts("page", &json!({ "run": { "warmup": "random:1" } }));
    for point in &points[..2] {
        run(point, &mut |_| Ok(())).expect("a run");
    }
    assert_eq!(warmup.shares().runs, 1);
}

#[test]
fn runs_at_the_same_time_wait_for_the_one_that_does_the_warm_up() {
    let catalog = &Catalog::standard();
    let points = hosts("tpftl", &json!({ "run": { "warmup": "random:5" } }));
    let (reading, warmup) = (&Reading::default(), &Arc::new(SharedWarmup::of(points.len())));
    let alone = points.iter().map(|point| {
        let run = session::run_points(catalog, std::slice::from_ref(point), &mut |_| Ok(()));
        figures(&run.expect("a run"))
    });
    let alone: Vec<_> = alone.collect();
    std::thread::scope(|scope| {
        let run = |point| session::run_sharing(reading, warmup, catalog, point, &mut |_| Ok(()));
        let runs: Vec<_> = points.iter().map(|point| scope.spawn(move || run(point))).collect();
        for (run, alone) in runs.into_iter().zip(alone) {
            assert_eq!(figures(&run.join().expect("a thread").expect("a run")), alone);
        }
    });
    assert_eq!(warmup.shares().runs, 3);
}
