//! Two real traces as volumes: what each scheme moves, and which moves least.
//!
//! The traces are in the folder named by `FTLAB_TRACES`; without it the test says so loudly, and fails if
//! `FTLAB_TRACES_REQUIRED=1`. Their writes alone count. The pages that these touch are numbered in the order of their
//! addresses.

use super::{run, settings, volume};
use ftlab::catalog::Catalog;
use ftlab::request::{Op, Request};
use ftlab::session;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Pages that each scheme moves under each policy.
const MOVED: &str = include_str!("real.csv");

/// What the evaluation of SepBIT finds with its own victims: write amplification with cost-benefit, where no tie decides.
const PUBLISHED: [(&str, &str, f64); 6] = [
    ("MSR_prxy_0.first20000", "NoSep", 2.6717),
    ("MSR_prxy_0.first20000", "SepBIT", 1.6803),
    ("MSR_prxy_0.first20000", "FK", 1.2554),
    ("HP_hplajw_1week", "NoSep", 2.1967),
    ("HP_hplajw_1week", "SepBIT", 1.4408),
    ("HP_hplajw_1week", "FK", 1.2722),
];

/// The writes of a trace as a file; the pages that they touch, and the pages that they write.
struct Writes {
    path: PathBuf,
    pages: u32,
    written: u64,
}

impl Writes {
    fn of(folder: &Path, trace: &str) -> Self {
        let path = folder.join("normalized").join(format!("{trace}.csv.spc.zst"));
        let tree = json!({ "input": { "trace": path } });
        let config = Catalog::standard().resolve(tree.as_object().expect("a table"));
        let config = config.expect("a configuration");
        let read = session::requests(&config, usize::MAX, &mut |_| Ok(()));
        let (requests, _) = read.expect("a trace");
        let writes: Vec<Request> =
            requests.into_iter().filter(|request| request.op == Op::Write).collect();
        let pages_of = |request: &Request| {
            let pages = request.offset / 4096..request.end().div_ceil(4096);
            let volume = request.volume;
            pages.map(move |page| (volume, page))
        };
        let touched: BTreeSet<_> = writes.iter().flat_map(pages_of).collect();
        let numbers: BTreeMap<_, usize> = touched.into_iter().zip(0..).collect();
        let (mut text, mut written) = (String::new(), 0);
        for request in &writes {
            let first = pages_of(request).next().expect("a page");
            let count = pages_of(request).count();
            written += count as u64;
            let time = 1_000_000 + request.time / 1000;
            writeln!(text, "0,W,{},{},{time}", numbers[&first] * 4096, count * 4096)
                .expect("a line");
        }
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{trace}.csv"));
        std::fs::write(&path, text).expect("a file");
        Writes { path, pages: numbers.len() as u32, written }
    }

    /// Pages that a scheme moves.
    fn moved(&self, scheme: &str, policy: &str) -> u64 {
        let mut tree = volume(&self.path, self.pages, policy, settings(scheme));
        tree["device"]["pages_per_block"] = 64.into();
        let report = run(&tree);
        assert_eq!(report.gc.expect("it collects").forced_victims, 0, "a volume has room");
        report.flash.programs["gc_data"]
    }

    /// Pages that a scheme moves on a device with this number of blocks.
    fn moved_on_a_device(&self, scheme: &str, blocks: u32) -> u64 {
        let mut tree = volume(&self.path, self.pages, "greedy", settings(scheme));
        let capacity = u64::from(self.pages.div_ceil(64)) * 64 * 4096;
        tree["device"] = json!({
            "capacity": capacity, "page": 4096, "pages_per_block": 64, "blocks": blocks,
        });
        tree["run"]["address"] = "modulo".into();
        // GC starts no later than the pages of a victim need.
        tree["gc"] = json!({ "low": 2, "high": 3 });
        if scheme == "SepBIT" {
            tree["sepbit"] = json!({});
            tree["gc"] = json!({ "low": 3, "high": 4 });
        }
        run(&tree).flash.programs["gc_data"]
    }

    fn amplification(&self, moved: u64) -> f64 {
        (self.written + moved) as f64 / self.written as f64
    }
}

/// The folder of real traces, if there is one.
fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("FTLAB_TRACES").map(PathBuf::from);
    if folder.is_none() {
        let required = std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "FTLAB_TRACES must name the folder of real traces");
        eprintln!("NOT RUN: FTLAB_TRACES does not name a folder of real traces");
    }
    folder
}

#[test]
fn sepbit_moves_least_of_all_but_the_oracles_on_two_real_traces() {
    let Some(folder) = folder() else { return };
    let mut lines = MOVED.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &'static str| line.split(',').collect::<Vec<_>>();
    let head = cells(lines.next().expect("a head"));
    let rows: Vec<_> = lines.map(cells).collect();
    let mut wrong = String::new();
    for trace in ["MSR_prxy_0.first20000", "HP_hplajw_1week"] {
        let writes = Writes::of(&folder, trace);
        for (column, policy) in head.iter().enumerate().skip(2) {
            let mut found = BTreeMap::new();
            for row in rows.iter().filter(|row| row[0] == trace) {
                let moved = writes.moved(row[1], policy);
                if moved.to_string() != row[column] {
                    writeln!(wrong, "{trace} {} {policy}: {moved} for {}", row[1], row[column])
                        .expect("a line");
                }
                found.insert(row[1], moved);
            }
            let least = found.iter().filter(|(scheme, _)| !["FK", "NoDaP"].contains(scheme));
            let least = least.min_by_key(|(_, moved)| **moved).expect("schemes").0;
            assert_eq!(*least, "SepBIT", "{trace} {policy}: {found:?}");
            for (_, scheme, published) in PUBLISHED.iter().filter(|row| row.0 == trace) {
                let amplification = writes.amplification(found[scheme]);
                let is_equal = (amplification - published).abs() < 1e-4;
                assert!(*policy != "ramcloud-cost-benefit" || is_equal, "{trace} {scheme}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Write amplification on a device of blocks of 64 pages, from empty: of none and copies.
const ON_A_DEVICE: [(&str, u32, bool, [f64; 2]); 4] = [
    ("MSR_prxy_0.first20000", 37, false, [1.4330, 1.3485]),
    ("MSR_prxy_0.first20000", 40, true, [1.3713, 1.2814]),
    ("HP_hplajw_1week", 78, true, [1.3360, 1.2904]),
    ("HP_hplajw_1week", 84, true, [1.2922, 1.1981]),
];

/// Without classes a device moves what an oracle of devices moves, and future knowledge moves fewer than all others.
#[test]
fn on_a_small_device_future_knowledge_moves_fewest_pages() {
    let Some(folder) = folder() else { return };
    let mut wrong = String::new();
    for (trace, blocks, has_room_for_six, expected) in ON_A_DEVICE {
        let writes = Writes::of(&folder, trace);
        for (scheme, expected) in ["NoSep", "SepGC"].iter().zip(expected) {
            let found = writes.amplification(writes.moved_on_a_device(scheme, blocks));
            if (found - expected).abs() > 1e-4 {
                writeln!(wrong, "{trace} {blocks} {scheme}: {found:.4} for {expected}")
                    .expect("a line");
            }
        }
        // The pages of a victim of an oracle may open six blocks.
        if has_room_for_six {
            let known = writes.moved_on_a_device("FK", blocks);
            for scheme in ["NoSep", "SepGC", "DAC", "SepBIT"] {
                let moved = writes.moved_on_a_device(scheme, blocks);
                assert!(known < moved, "{trace} {blocks} {scheme}: {moved}, FK {known}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
