//! A volume whose GC starts by garbage, held against an oracle to the page: separations, victim policies, three traces.

mod generator;

use ftlab::catalog::{Catalog, Entry};
use ftlab::report::Report;
use ftlab::session;
use generator::Request;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Pages that an oracle moves: a row for each trace and scheme, a column for each policy.
const MOVED: &str = include_str!("moved.csv");

/// The settings of a scheme of the oracle.
fn settings(scheme: &str) -> Value {
    match scheme {
        "NoSep" => json!({ "ftl": { "separation": "none" } }),
        "SepGC" => json!({ "ftl": { "separation": "copies" } }),
        "DAC" => json!({
            "ftl": { "separation": "temperature" },
            "temperature": { "regions": 6, "young": "1000000%" },
        }),
        "MultiQueue" => json!({ "ftl": { "separation": "multi-queue" } }),
        "SFR" => json!({ "ftl": { "separation": "sfr" } }),
        "WARCIP" => json!({ "ftl": { "separation": "warcip" } }),
        "SepBIT" => sepbit("both"),
        "UW" => sepbit("written"),
        "GW" => sepbit("moved"),
        _ => panic!("{scheme}"),
    }
}

/// SepBIT as its authors' program has it.
fn sepbit(parts: &str) -> Value {
    json!({
        "ftl": { "separation": "sepbit" },
        "sepbit": { "mean": "real", "queue": true, "parts": parts },
    })
}

/// The requests of a trace, and its pages.
fn requests(trace: &str) -> (Vec<Request>, u32) {
    match trace {
        "zipf1" => (generator::zipf(12_000, 120_000, 1), 12_000),
        "shift2" => (generator::shift(12_000, 30_000, 2), 12_000),
        "mixed3" => (generator::mixed(12_288, 60_000, 3), 12_288),
        _ => panic!("{trace}"),
    }
}

/// A trace as a file of a test's own.
fn file(trace: &str, test: &str) -> (PathBuf, u32) {
    let (requests, pages) = requests(trace);
    (written(&requests, &format!("{trace}-{test}")), pages)
}

/// Requests as a file, one each 100 us.
fn written(requests: &[Request], name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.csv"));
    let mut text = String::new();
    for (number, (first, count)) in requests.iter().enumerate() {
        let time = 1_000_000 + 100 * number;
        writeln!(text, "0,W,{},{},{time}", first * 4096, count * 4096).expect("a line");
    }
    std::fs::write(&path, text).expect("a file");
    path
}

/// A volume of so many pages under a trace.
fn volume(trace: &PathBuf, pages: u32, policy: &str, scheme: Value) -> Value {
    let mut tree = scheme;
    let run = json!({
        "input": { "trace": trace, "format": "alibaba" },
        "device": {
            "capacity": u64::from(pages).div_ceil(256) << 20, "page": 4096, "pages_per_block": 128, "blocks": 140,
        },
        "gc": { "start": "garbage", "policy": policy, "window": 0.9 },
        "run": { "address": "compact", "warmup": "none" },
    });
    tree.as_object_mut().expect("a table").extend(run.as_object().expect("a table").clone());
    tree
}

fn run(tree: &Value) -> Report {
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    session::run(&catalog, &config, &["page"], &mut |_| Ok(())).expect("a run").remove(0)
}

/// Rows of the table: a trace, a scheme, and what it moves under each policy.
fn rows() -> (Vec<&'static str>, Vec<Vec<&'static str>>) {
    let mut lines = MOVED.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &'static str| line.split(',').collect::<Vec<_>>();
    let head = cells(lines.next().expect("a head"));
    (head, lines.map(cells).collect())
}

/// Holds what a scheme moves against the table: to the page, or within a share.
fn hold(schemes: &[&str], within: f64) {
    let (head, rows) = rows();
    let mut wrong = String::new();
    let mut cells = 0;
    for trace in ["zipf1", "shift2", "mixed3"] {
        let (path, pages) = file(trace, schemes[0]);
        for row in rows.iter().filter(|row| row[0] == trace && schemes.contains(&row[1])) {
            for (policy, expected) in head.iter().zip(row).skip(2) {
                let report = run(&volume(&path, pages, policy, settings(row[1])));
                let expected: f64 = expected.parse().expect("a number of pages");
                let found = report.flash.programs["gc_data"] as f64;
                let gc = report.gc.expect("it collects");
                assert_eq!(gc.forced_victims, 0, "a volume has room");
                cells += 1;
                if (found - expected).abs() > within * expected {
                    writeln!(wrong, "{trace} {} {policy}: {found} for {expected}", row[1])
                        .expect("a line");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert_eq!(cells, 12 * schemes.len(), "each policy under each trace");
}

#[test]
fn without_classes_a_volume_moves_what_the_oracle_moves() {
    hold(&["NoSep", "SepGC"], 0.0);
}

#[test]
fn schemes_by_counts_and_intervals_move_what_the_oracle_moves() {
    hold(&["DAC", "MultiQueue", "SFR", "WARCIP"], 0.0);
}

#[test]
fn sepbit_of_moved_pages_moves_what_the_oracle_moves() {
    hold(&["GW"], 0.0);
}

/// The length of the queue of recent writes in the oracle follows another rule.
#[test]
fn sepbit_with_its_queue_is_near_the_oracle() {
    hold(&["SepBIT", "UW"], 0.02);
}

/// Refusals of a volume with these settings.
fn refusal(test: &str, change: impl FnOnce(&mut Value)) -> String {
    let (path, pages) = file("zipf1", test);
    let mut tree = volume(&path, pages, "greedy", settings("NoSep"));
    change(&mut tree);
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    let run = session::run(&catalog, &config, &["page"], &mut |_| Ok(()));
    run.expect_err("it is refused").to_string()
}

#[test]
fn a_device_without_room_for_the_garbage_is_told_what_suffices() {
    let message = refusal("no-room", |tree| tree["device"]["blocks"] = 111.into());
    assert!(message.contains("found 111 physical blocks, expected at least 116"), "{message}");
    let (path, pages) = file("zipf1", "roomy");
    let mut tree = volume(&path, pages, "greedy", settings("NoSep"));
    tree["device"]["blocks"] = 116.into();
    let gc = run(&tree).gc.expect("it collects");
    assert_eq!(gc.forced_victims, 0, "and it suffices");
}

#[test]
fn a_volume_has_one_pool_of_blocks() {
    let message = refusal("planes", |tree| {
        tree["ftl"]["placement"] = "striped".into();
    });
    assert!(message.contains("gc.start: found garbage with blocks in each plane"), "{message}");
    let message = refusal("planes", |tree| tree["gc"]["copy_back"] = "greedy".into());
    assert!(message.contains("gc.copy_back: found copy-back with gc.start"), "{message}");
}

#[test]
fn garbage_starts_gc_where_an_ftl_obeys_it_alone() {
    let catalog = Catalog::standard();
    for (key, value) in
        [("start", json!("garbage")), ("garbage", json!(0.2)), ("victims", json!(2))]
    {
        let user = json!({ "gc": { key: value } });
        let user = user.as_object().expect("a table");
        let obeys = |ftl: &&str| catalog.check_obeyed(user, &[*ftl]).is_ok();
        let found: Vec<&str> = catalog.ftls().iter().map(Entry::name).filter(obeys).collect();
        assert_eq!(found, ["page", "hat", "sepbit"], "{key}");
    }
}

/// Victims whose pages go to several classes may open more blocks than they give at once.
#[test]
fn the_smallest_volume_has_a_block_for_each_class_of_a_victim() {
    for (pages, victims) in [(4, 1), (4, 3), (8, 1), (8, 8), (16, 4)] {
        let (requests, logical) = (generator::large(2048, 300, pages), 2048);
        let path = written(&requests, &format!("smallest-{pages}-{victims}"));
        let mut tree = volume(&path, logical, "cost-benefit", sepbit("moved"));
        tree["device"]["pages_per_block"] = pages.into();
        tree["gc"]["victims"] = victims.into();
        tree["gc"]["low"] = 1.into();
        tree["gc"]["high"] = 2.into();
        tree["sepbit"]["window"] = 1.into();
        tree["sepbit"]["growth"] = 2.into();
        tree["device"]["blocks"] = 5000.into();
        let catalog = Catalog::standard();
        let works = |tree: &Value| {
            let config = catalog.resolve(tree.as_object().expect("a table")).expect("settings");
            session::run(&catalog, &config, &["page"], &mut |_| Ok(())).is_ok()
        };
        let least = (2048 / pages..5000).find(|blocks| {
            tree["device"]["blocks"] = (*blocks).into();
            works(&tree)
        });
        assert!(least.is_some(), "{pages} pages in a block, {victims} victims");
    }
}

/// Eighteen writes into blocks of four pages: what is moved, and how many pages of the host each class gets.
#[test]
fn a_worked_example_gives_each_page_its_class() {
    let writes = [0, 1, 2, 3, 0, 1, 4, 5, 0, 2, 0, 6, 0, 1, 0, 7, 2, 0];
    let path = written(&writes.map(|page| (page, 1)), "worked-example");
    let expected = [
        ("SepGC", 6, vec![]),
        ("DAC", 2, vec![8, 3, 3, 1, 1, 2]),
        ("WARCIP", 3, vec![0, 0, 0, 2, 6, 10]),
    ];
    for (scheme, moved, classes) in expected {
        let mut tree = volume(&path, 8, "greedy", settings(scheme));
        tree["device"]["pages_per_block"] = 4.into();
        tree["gc"]["garbage"] = "30%".into();
        let report = run(&tree);
        assert_eq!(report.flash.programs["gc_data"], moved, "{scheme}");
        let written = |class| report.own[format!("separation.written_{class}").as_str()];
        assert_eq!((0..classes.len()).map(written).collect::<Vec<_>>(), classes, "{scheme}");
    }
}
