//! The log of requests: a row for each, which adds up to the result; a run with it has the same result.

use ftlab::catalog::Catalog;
use ftlab::report::Report;
use ftlab::session::{self, Point};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};

const REQUESTS: u64 = 40_000;

/// A row: whole numbers, and times by cause, us.
#[derive(Default)]
struct Row {
    numbers: BTreeMap<String, i64>,
    parts: BTreeMap<String, f64>,
    op: String,
}

impl Row {
    fn sum(&self, section: &str) -> f64 {
        let named = self.parts.iter().filter(|(name, _)| name.starts_with(section));
        named.map(|(_, part)| part).sum()
    }

    fn time(&self, from: &str, to: &str) -> f64 {
        (self.numbers[to] - self.numbers[from]) as f64 / 1e3
    }
}

fn point(ftl: &str, more: &Value) -> Point {
    let mut tree = json!({
        "device": { "capacity": "8MiB", "pages_per_block": 32, "over_provisioning": "60%" },
        "workload": { "pattern": "randrw", "bs": "4k", "size": "8MiB", "requests": REQUESTS, "interarrival": "2ms" },
        "run": { "causes": true, "warmup": "random:1" },
    });
    for (section, settings) in more.as_object().expect("a table") {
        for (key, value) in settings.as_object().expect("a table") {
            tree[section][key] = value.clone();
        }
    }
    let config = Catalog::standard().resolve(tree.as_object().expect("a table"));
    Point { config: config.expect("a configuration"), ftl: ftl.into() }
}

fn rows(path: &str) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet");
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|row| {
        let (row, mut found) = (row.expect("a row"), Row::default());
        for (at, (name, field)) in row.get_column_iter().enumerate() {
            match field {
                Field::Long(value) => drop(found.numbers.insert(name.clone(), *value)),
                Field::Double(value) => drop(found.parts.insert(name.clone(), *value)),
                _ => found.op = row.get_string(at).expect("a name").clone(),
            }
        }
        found
    })
    .collect()
}

/// Everything in a report but how fast the run was.
fn figures(report: &Report) -> Value {
    let mut tree = serde_json::to_value(report).expect("a report");
    tree.as_object_mut().expect("a table").remove("speed");
    tree
}

#[test]
#[ignore = "long: part of make test-long"]
fn rows_add_up_to_the_result_and_change_nothing() {
    let folder = std::env::temp_dir().join(format!("ftlab-log-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let cases = [
        ("tpftl", json!({})),
        ("fast", json!({ "host": { "mode": "closed:4" } })),
        (
            "dloop",
            json!({ "device": { "channels": 2, "planes_per_die": 2, "over_provisioning": "100%" } }),
        ),
        ("gftl", json!({ "device": { "over_provisioning": "100%" } })),
        (
            "dftl",
            json!({ "buffer": { "policy": "lru", "size": "128KiB" }, "host": { "mode": "queued:4" } }),
        ),
        ("page", json!({ "device": { "checkpoint": 500 } })),
    ];
    for (ftl, more) in cases {
        let path = folder.join(format!("{ftl}.parquet")).to_string_lossy().into_owned();
        let (catalog, point) = (Catalog::standard(), point(ftl, &more));
        let logged = session::run_logged(&catalog, &point, &path, &mut |_| Ok(())).expect("a run");
        let plain = session::run_points(&catalog, std::slice::from_ref(&point), &mut |_| Ok(()));
        assert_eq!(figures(&logged), figures(&plain.expect("a run")[0]), "{ftl}");

        let rows = rows(&path);
        assert_eq!(rows.len() as u64, REQUESTS, "{ftl}");
        assert!(rows.iter().enumerate().all(|(at, row)| row.numbers["request"] == at as i64));
        for row in &rows {
            let (service, wait) =
                (row.time("start_ns", "end_ns"), row.time("arrival_ns", "start_ns"));
            assert!((row.sum("service_us.") - service).abs() < 1e-6, "{ftl}");
            assert!((row.sum("wait_us.") - wait).abs() < 1e-6, "{ftl}");
        }
        let mut times: Vec<f64> = rows.iter().map(|row| row.time("arrival_ns", "end_ns")).collect();
        let response = logged.response_us.expect("requests");
        let mean = times.iter().sum::<f64>() / REQUESTS as f64;
        assert!((mean / response.mean - 1.0).abs() < 1e-9, "{ftl}: {mean} {}", response.mean);
        times.sort_by(f64::total_cmp);
        let p99 = times[(0.99 * REQUESTS as f64).ceil() as usize - 1];
        assert!((p99 / response.p99 - 1.0).abs() < 1e-3, "{ftl}: {p99} {}", response.p99);
        assert_eq!(times.last(), Some(&response.max));
        let causes = logged.causes.expect("causes");
        for (section, parts) in [("service_us", &causes.service_us), ("wait_us", &causes.wait_us)] {
            for (name, part) in parts {
                let sum: f64 = rows.iter().map(|row| row.parts[&format!("{section}.{name}")]).sum();
                assert!((sum / REQUESTS as f64 / part - 1.0).abs() < 1e-9, "{ftl}: {name}");
            }
        }
        let slowest = &causes.slowest[0];
        assert_eq!(
            rows[slowest.request as usize].time("arrival_ns", "end_ns"),
            slowest.response_us
        );
        assert_eq!(rows[slowest.request as usize].op, slowest.op.name());
    }
    fs::remove_dir_all(folder).expect("a folder");
}

#[test]
fn a_run_that_fails_leaves_no_log() {
    let path = std::env::temp_dir().join(format!("ftlab-none-{}.parquet", std::process::id()));
    let told = path.to_string_lossy().into_owned();
    // So long that it is stopped before its end, whatever the build.
    let endless = point("tpftl", &json!({ "workload": { "requests": 20_000_000 } }));
    let stop = &mut |_| Err(ftlab::Error::Interrupted);
    let run = session::run_logged(&Catalog::standard(), &endless, &told, stop);
    assert!(run.is_err() && !path.exists());
    let nowhere = "/nowhere/at/all.parquet";
    let point = point("tpftl", &json!({}));
    let run = session::run_logged(&Catalog::standard(), &point, nowhere, &mut |_| Ok(()));
    assert!(run.is_err_and(|error| error.to_string().contains(nowhere)));
}
