//! `FlashSim`'s FAST gives the counts of `FlashSim`'s program, to the unit.
//!
//! The counts in `counts.csv` were printed by the program itself: the FAST of `FlashSim` (Pennsylvania State University,
//! 2009; github.com/ZhouHeyu/Flashsim-origin, commit 2c7005b), built for 32 bits behind a loop that replays a trace, and
//! once more with the sign of "invalid" mended and assertions off. Versions lost were counted next to it. Cases of
//! `drawn.csv` are drawn by a generator that [`generator`] has; those of `small.csv` isolate one rule each.

mod generator;
mod real;

use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::drive::drive;
use ftlab::report::Report;
use ftlab::request::{Input, Op, Request};
use generator::{Access, Case};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The program's pages have 2 KiB, its sectors 512 B.
const PAGE: u64 = 2048;

/// What the program counts: erases, copies, host writes and reads, merges by kind, versions lost.
type Counts = [Option<u64>; 8];

fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines().skip(1).map(|line| line.split(',').collect())
}

/// By case and rules, the counts of each phase.
fn published() -> BTreeMap<(&'static str, &'static str), BTreeMap<&'static str, Counts>> {
    let mut published: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for row in rows(include_str!("counts.csv")) {
        let counts = std::array::from_fn(|column| row[3 + column].parse().ok());
        published.entry((row[0], row[1])).or_default().insert(row[2], counts);
    }
    published
}

fn counts(report: &Report) -> [u64; 8] {
    let merges = report.merges.as_ref().expect("an FTL that merges");
    [
        report.flash.erases.values().sum(),
        merges.copied_pages,
        report.flash.programs["host"],
        report.flash.reads["host"],
        merges.switch,
        merges.partial,
        merges.full,
        report.own["loss.versions"],
    ]
}

fn run(case: &Case, rules: &str, accesses: &[Access], warmup: &str) -> Report {
    let run = json!({ "warmup": warmup, "audit": 100 });
    try_run(case, rules, accesses, &run).expect("a run")
}

fn try_run(case: &Case, rules: &str, accesses: &[Access], run: &Value) -> Result<Report, Error> {
    let capacity = case.data * case.pages * PAGE;
    let tree = json!({
        "device": {
            "page": PAGE, "pages_per_block": case.pages, "capacity": capacity,
            "blocks": case.data + case.log,
        },
        "fast": { "rules": rules },
        "run": run,
    });
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Modulo, &[all], Some(capacity)).expect("a map");
    let fast = catalog.find("fast").expect("FAST");
    let mut simulator = fast.simulate(&config, capacity, address)?;
    let requests: Arc<[Request]> = accesses.iter().enumerate().map(request).collect();
    let input: &dyn Input = &requests;
    drive(simulator.as_mut(), "fast", input, &mut |_| Ok(()))
}

fn request((number, access): (usize, &Access)) -> Request {
    let op = if access.is_read { Op::Read } else { Op::Write };
    let (offset, length) = (access.sector * 512, (access.sectors * 512) as u32);
    Request::new(op, offset, length).at(number as u64 * 1_000_000)
}

/// The phases of a case: the measured one, and before it each request as a write if that is asked for.
fn check(case: &Case, rules: &str, expected: &BTreeMap<&str, Counts>) {
    let accesses = case.accesses();
    let measured = run(case, rules, &accesses, if case.warmup { "footprint" } else { "none" });
    let writes: Vec<Access> =
        accesses.iter().map(|access| Access { is_read: false, ..*access }).collect();
    let warming = case.warmup.then(|| run(case, rules, &writes, "none"));
    let phases = [("run", Some(measured)), ("warm", warming)];
    for (phase, report) in
        phases.iter().filter_map(|(name, report)| Some((*name, report.as_ref()?)))
    {
        let known = expected[phase];
        let found = counts(report).map(Some);
        let found: Counts =
            std::array::from_fn(|column| found[column].filter(|_| known[column].is_some()));
        assert_eq!(found, known, "{} of {} by {rules}", phase, case.name);
        let warned = report.warnings.iter().any(|warning| warning.contains("loses data by design"));
        assert!(warned, "{phase} of {} by {rules} warns of its loss", case.name);
    }
}

fn check_all(rules: &str) {
    let published = published();
    let cases = generator::cases();
    assert_eq!(cases.len(), 32);
    for case in cases {
        check(&case, rules, &published[&(case.name, rules)]);
    }
}

#[test]
fn flashsims_program_counts_the_same_in_every_case() {
    check_all("flashsim");
}

#[test]
fn with_its_sign_mended_it_does_so_too() {
    check_all("flashsim-mended");
}

/// Mended, an invalid page is always found in the log, and nothing is read that is not there.
#[test]
fn the_mended_program_reads_old_pages_but_no_invalid_ones() {
    let mut old = 0;
    for case in generator::cases() {
        let report = run(&case, "flashsim-mended", &case.accesses(), "footprint");
        assert_eq!(report.own["loss.reads_invalid"], 0, "{}", case.name);
        old += report.own["loss.reads_old"];
    }
    assert!(old > 0, "the mended program returns old data");
}

#[test]
fn what_was_lost_before_measurement_is_told() {
    let published = published();
    let cases = generator::cases();
    let case = cases.iter().find(|case| case.name == "a1").expect("a case");
    let report = run(case, "flashsim", &case.accesses(), "footprint");
    let lost = published[&("a1", "flashsim")]["warm"][7];
    assert_eq!(Some(report.own["loss.versions_before"]), lost);
}

#[test]
fn what_it_loses_is_not_taken_for_the_truth_after_a_power_cut() {
    let case = generator::cases().remove(0);
    let error = try_run(&case, "flashsim", &case.accesses(), &json!({ "recovery": true }));
    let message = error.expect_err("refused").to_string();
    assert!(
        message.starts_with("fast.rules: found flashsim, which loses data by design"),
        "{message}"
    );
}

/// The program stops where a merge needs a block and all are in use.
#[test]
fn a_merge_without_a_free_block_ends_a_session_in_one_line() {
    let tree = json!({
        "device": { "capacity": "1MiB", "pages_per_block": 16, "blocks": 20 },
        "fast": { "rules": "flashsim" },
        "workload": { "pattern": "randwrite", "size": "1MiB", "requests": 10_000 },
        "run": { "warmup": "sequential" },
    });
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    let error = ftlab::session::run(&catalog, &config, &["fast"], &mut |_| Ok(()));
    let message = error.expect_err("no block is left").to_string();
    assert!(message.starts_with("log.blocks: found a merge with no free block left"), "{message}");
    assert!(!message.contains('\n'), "{message}");
}
