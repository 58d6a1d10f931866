//! A volume whose GC starts by garbage, held against an oracle to the page: separations, victim policies, three traces.

mod generator;
mod real;

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
        "SFS" => json!({ "ftl": { "separation": "sfs" }, "sfs": { "dead": "nothing" } }),
        "ETI" => json!({ "ftl": { "separation": "eti" } }),
        "FADaC" => json!({ "ftl": { "separation": "fadac" } }),
        "FK" => json!({ "ftl": { "separation": "fk" } }),
        "NoDaP" => json!({ "ftl": { "separation": "nodap" } }),
        "MultiLog" => json!({ "ftl": { "separation": "multilog" } }),
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

/// Holds what schemes move against the table, to the page.
fn hold(schemes: &[&str]) {
    let (head, rows) = rows();
    let mut wrong = String::new();
    let mut cells = 0;
    for trace in ["zipf1", "shift2", "mixed3"] {
        let (path, pages) = file(trace, schemes[0]);
        for row in rows.iter().filter(|row| row[0] == trace && schemes.contains(&row[1])) {
            for (policy, expected) in head.iter().zip(row).skip(2) {
                let report = run(&volume(&path, pages, policy, settings(row[1])));
                let expected: u64 = expected.parse().expect("a number of pages");
                let found = report.flash.programs["gc_data"];
                let gc = report.gc.expect("it collects");
                assert_eq!(gc.forced_victims, 0, "a volume has room");
                cells += 1;
                if found != expected {
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
    hold(&["NoSep", "SepGC"]);
}

#[test]
#[ignore = "long: part of make test-long"]
fn schemes_by_counts_and_intervals_move_what_the_oracle_moves() {
    hold(&["DAC", "MultiQueue", "SFR", "WARCIP"]);
}

#[test]
#[ignore = "long: part of make test-long"]
fn sepbit_and_its_halves_move_what_the_oracle_moves() {
    hold(&["SepBIT", "UW", "GW"]);
}

#[test]
#[ignore = "long: part of make test-long"]
fn schemes_by_hotness_extents_and_fading_counts_move_what_the_oracle_moves() {
    hold(&["SFS", "ETI", "FADaC"]);
}

#[test]
#[ignore = "long: part of make test-long"]
fn future_knowledge_moves_what_the_oracle_moves() {
    hold(&["FK"]);
}

/// Pages that a second program by the rules of SFS's policy moves, under each trace.
#[test]
fn cost_hotness_moves_what_a_second_program_moves() {
    let expected = [
        ("NoSep", [434_558, 395_893, 151_204]),
        ("SepGC", [260_175, 266_692, 45_245]),
        ("SFS", [191_297, 244_428, 33_297]),
    ];
    for (trace, number) in [("zipf1", 0), ("shift2", 1), ("mixed3", 2)] {
        let (path, pages) = file(trace, "cost-hotness");
        for (scheme, moved) in &expected {
            let report = run(&volume(&path, pages, "cost-hotness", settings(scheme)));
            assert_eq!(report.flash.programs["gc_data"], moved[number], "{trace} {scheme}");
        }
    }
}

/// `MultiLog` draws random numbers: its means over ten seeds are near those of a second program by the same rules.
#[test]
#[ignore = "long: part of make test-long"]
fn multilog_moves_in_the_mean_what_a_second_program_moves() {
    let expected = [
        ("zipf1", "greedy", 229_914.2),
        ("zipf1", "ramcloud-cost-benefit", 171_363.6),
        ("shift2", "greedy", 348_247.3),
        ("shift2", "ramcloud-cost-benefit", 273_410.7),
        ("mixed3", "greedy", 185_087.6),
        ("mixed3", "ramcloud-cost-benefit", 140_826.4),
    ];
    for (trace, policy, expected) in expected {
        let (path, pages) = file(trace, "multilog");
        let moved = (1..=10).map(|seed| {
            let mut tree = volume(&path, pages, policy, settings("MultiLog"));
            tree["run"]["seed"] = seed.into();
            run(&tree).flash.programs["gc_data"]
        });
        let mean = moved.sum::<u64>() as f64 / 10.0;
        assert!((mean / expected - 1.0).abs() < 0.05, "{trace} {policy}: {mean} for {expected}");
    }
}

/// An oracle knows only what its rehearsal wrote.
#[test]
fn an_oracle_needs_an_input_that_can_be_read_twice_and_a_known_end() {
    let message = refusal("steady", |tree| {
        tree["ftl"]["separation"] = "fk".into();
        tree["run"]["warmup"] = "steady-random".into();
    });
    assert!(message.contains("run.warmup: found steady-random"), "{message}");
}

/// A page that the warm-up writes dies when the run writes it again.
#[test]
fn an_oracle_knows_the_run_from_its_warm_up_on() {
    let path = written(&generator::zipf(4096, 20_000, 7), "from-the-warm-up-on");
    let moved = |scheme, warmup: &str| {
        let mut tree = volume(&path, 4096, "greedy", settings(scheme));
        tree["run"]["warmup"] = warmup.into();
        run(&tree).flash.programs["gc_data"]
    };
    for warmup in ["none", "random:1"] {
        let (known, unknown) = (moved("NoDaP", warmup), moved("NoSep", warmup));
        assert!(4 * known < unknown, "{known} pages are moved for {unknown} with {warmup}");
    }
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
        assert_eq!(found, ["page", "hat", "sepbit", "zones"], "{key}");
    }
}

/// Victims whose pages go to several classes may open more blocks than they give at once.
#[test]
#[ignore = "long: part of make test-long"]
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
        ("FADaC", 6, vec![9, 9, 0, 0, 0, 0]),
        ("FK", 2, vec![4, 5, 1, 0, 0, 8]),
    ];
    for (scheme, moved, classes) in expected {
        let mut tree = volume(&path, 8, "greedy", settings(scheme));
        tree["device"]["pages_per_block"] = 4.into();
        tree["gc"]["garbage"] = "30%".into();
        let report = run(&tree);
        assert_eq!(report.flash.programs["gc_data"], moved, "{scheme}");
        let written = report.classes.map_or_else(Vec::new, |classes| classes.written);
        assert_eq!(written, classes, "{scheme}");
    }
}
