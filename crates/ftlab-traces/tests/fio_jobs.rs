//! Job files run here and by fio: the same requests and bytes, and places of the same distribution.
//!
//! `fio/*.fio` run under fio's null engine where fio is installed. `fio/expected.json` has what fio 3.33 did, by job and
//! operation, so that the comparison needs no fio. `FTLAB_FIO_WRITE=1` writes it anew.

use ftlab_traces::request::{Op, Request};
use ftlab_traces::workload;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Places are compared at so many quantiles.
const QUANTILES: usize = 64;

/// Differences between two samples that come by chance once in a thousand times (Kolmogorov and Smirnov).
const CHANCE: f64 = 1.95;

/// Jobs whose hottest block is drawn: they are compared by the popularity of blocks alone.
const DRAWN: &[&str] =
    &["zipf.fio steep", "zipf.fio flat", "zipf.fio power-of-two", "pareto.fio anywhere"];

/// Jobs of several lengths: how many requests there are is drawn.
const LENGTHS: &[&str] = &[
    "sequential.fio split",
    "lengths.fio map",
    "lengths.fio range",
    "lengths.fio free",
    "lengths.fio uneven",
    "lengths.fio between",
    "mixed.fio lengths",
];

/// Jobs with runs of requests, which count as one draw: how long these are.
const RUNS: &[(&str, f64)] =
    &[("runs.fio eight", 8.0), ("runs.fio again", 4.0), ("runs.fio share", 1.0 / 0.3)];

/// What a job did with one operation.
#[derive(Debug, Serialize, Deserialize)]
struct Summary {
    requests: u64,
    bytes: u64,
    /// First bytes, the smallest one first.
    quantiles: Vec<u64>,
    /// Share of the requests at the most popular 1, 2, 4, 8.. places.
    popular: Vec<f64>,
}

/// By file and job, and by operation.
type Summaries = BTreeMap<String, BTreeMap<String, Summary>>;

/// Requests by operation: first byte and length.
type Places = BTreeMap<String, Vec<(u64, u64)>>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio")
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .expect("job files")
        .map(|file| file.expect("a file").path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "fio"));
    files.sort();
    files
}

fn name(file: &Path) -> String {
    file.file_name().expect("a name").to_string_lossy().into()
}

/// The names of the jobs of a file, in their order.
fn jobs(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("a job file");
    text.lines().filter_map(job).map(str::to_owned).collect()
}

/// The name of the job that a line begins.
fn job(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']').filter(|job| *job != "global")
}

fn here(file: &Path, seed: u64) -> BTreeMap<String, Places> {
    let input = workload::jobs(&file.to_string_lossy(), None, None, seed).expect("a job file");
    let requests: Vec<Request> = input.open().expect("a stream").rest().expect("requests");
    let jobs = jobs(file);
    let mut all: BTreeMap<String, Places> = BTreeMap::new();
    for Request { op, offset, length, meta, .. } in requests {
        let op = if op == Op::Flush { "sync" } else { op.name() };
        let places = all.entry(jobs[usize::from(meta.initiator)].clone()).or_default();
        places.entry(op.into()).or_default().push((offset, length.into()));
    }
    all
}

/// What fio does, if it is installed.
fn there(file: &Path) -> Option<BTreeMap<String, Places>> {
    Command::new("fio").arg("--version").output().ok().filter(|done| done.status.success())?;
    let work = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fio").join(name(file));
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).expect("a folder");
    let mut text = String::new();
    for line in fs::read_to_string(file).expect("a job file").lines() {
        // Releases before 3.34 have no placement, and a hint needs a file. A request that waits at a full depth is logged twice.
        if ["fdp=", "plids=", "write_hint=", "iodepth="].iter().any(|key| line.starts_with(key)) {
            continue;
        }
        text += &format!("{line}\n");
        if let Some(job) = job(line) {
            text += &format!("write_iolog={}\n", work.join(job).display());
        }
    }
    fs::write(work.join("job"), text).expect("a job file");
    let done = Command::new("fio").arg("job").current_dir(&work).output().expect("fio");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let read = |job: String| {
        let log = fs::read_to_string(work.join(&job)).expect("an iolog");
        let mut places = Places::new();
        for line in log.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [.., op @ ("read" | "write" | "trim" | "sync" | "datasync"), offset, length] =
                words[..]
            else {
                continue;
            };
            let number = |text: &str| text.parse().expect("a number");
            places
                .entry(op.replace("data", ""))
                .or_default()
                .push((number(offset), number(length)));
        }
        (job, places)
    };
    Some(jobs(file).into_iter().map(read).collect())
}

fn summary(places: &[(u64, u64)]) -> Summary {
    let mut starts: Vec<u64> = places.iter().map(|(start, _)| *start).collect();
    starts.sort_unstable();
    let at = |quantile: usize| starts[(starts.len() - 1) * quantile / QUANTILES];
    Summary {
        requests: places.len() as u64,
        bytes: places.iter().map(|(_, length)| length).sum(),
        quantiles: (0..=QUANTILES).map(at).collect(),
        popular: popular(&starts),
    }
}

fn popular(starts: &[u64]) -> Vec<f64> {
    let mut counts: Vec<usize> = starts.chunk_by(|a, b| a == b).map(<[u64]>::len).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let ranks = std::iter::successors(Some(1), |rank| Some(rank * 2))
        .take_while(|rank| *rank <= counts.len());
    let share = |rank: usize| counts[..rank].iter().sum::<usize>() as f64 / starts.len() as f64;
    ranks.map(|rank| (share(rank) * 1e6).round() / 1e6).collect()
}

/// How far the distribution of places is from that of a summary.
fn distance(places: &[(u64, u64)], summary: &Summary) -> f64 {
    let mut starts: Vec<u64> = places.iter().map(|(start, _)| *start).collect();
    starts.sort_unstable();
    let share = |count: usize| count as f64 / starts.len() as f64;
    let mut most: f64 = 0.0;
    for (quantile, place) in summary.quantiles.iter().enumerate().skip(1).take(QUANTILES - 1) {
        let expected = ((summary.requests - 1) * quantile as u64 / QUANTILES as u64) as f64
            / summary.requests as f64;
        let below = share(starts.partition_point(|start| start < place));
        let up_to = share(starts.partition_point(|start| start <= place));
        most = most.max(below - expected).max(expected - up_to);
    }
    most
}

fn by_popularity(places: &[(u64, u64)], summary: &Summary) -> f64 {
    let mut starts: Vec<u64> = places.iter().map(|(start, _)| *start).collect();
    starts.sort_unstable();
    let own = popular(&starts);
    own.iter().zip(&summary.popular).map(|(own, other)| (own - other).abs()).fold(0.0, f64::max)
}

/// What differs between what was done here and a summary of what fio did.
fn differences(job: &str, here: &Places, fio: &BTreeMap<String, Summary>) -> Vec<String> {
    if !here.keys().eq(fio.keys()) {
        return vec![format!("{job}: {:?}, {:?} of fio", here.keys(), fio.keys())];
    }
    let mut told = Vec::new();
    let mut expect =
        |holds: bool, what: String| told.extend((!holds).then_some(format!("{job} {what}")));
    let all: u64 =
        here.iter().filter(|(op, _)| *op != "sync").map(|(_, places)| places.len() as u64).sum();
    let fio_all: u64 =
        fio.iter().filter(|(op, _)| *op != "sync").map(|(_, one)| one.requests).sum();
    let bytes: u64 = here.values().flatten().map(|(_, length)| length).sum();
    let fio_bytes: u64 = fio.values().map(|summary| summary.bytes).sum();
    let is_drawn = LENGTHS.contains(&job);
    // Where lengths are drawn, the last request may be the longest.
    let holds = match is_drawn {
        true => {
            (all as f64 / fio_all as f64 - 1.0).abs() <= 0.04 && bytes.abs_diff(fio_bytes) < 65_536
        }
        false => (all, bytes) == (fio_all, fio_bytes),
    };
    expect(holds, format!("{all} requests of {bytes} B, {fio_all} of {fio_bytes} B of fio"));
    for (op, summary) in fio {
        let places = &here[op];
        let (own, other) = (places.len() as f64, summary.requests as f64);
        if fio.len() > 1 {
            // Reads and writes are drawn: five standard deviations.
            let spread = 5.0 * (2.0 * own.min(all as f64 - own).max(1.0)).sqrt()
                + f64::from(is_drawn) * 0.04 * own;
            expect((own - other).abs() <= spread, format!("{op}: {own} requests, {other} of fio"));
        }
        if op == "sync" {
            continue;
        }
        let run = RUNS.iter().find(|(name, _)| *name == job).map_or(1.0, |(_, run)| *run);
        let chance = CHANCE * (run * (own + other) / (own * other)).sqrt();
        let popularity = by_popularity(places, summary);
        let places = if DRAWN.contains(&job) { 0.0 } else { distance(places, summary) };
        let what = format!(
            "{op}: {own} requests, {other} of fio; places differ by {places:.4}, popularity by {popularity:.4}, by chance {chance:.4}"
        );
        expect(popularity < chance && places < chance, what);
    }
    told
}

/// Compares all job files with summaries.
fn compare(seed: u64, expected: &Summaries) {
    let (mut compared, mut told) = (0, Vec::new());
    for file in files() {
        for (job, places) in here(&file, seed) {
            let job = format!("{} {job}", name(&file));
            told.extend(differences(&job, &places, &expected[&job]));
            compared += 1;
        }
    }
    assert_eq!(told, [""; 0]);
    assert_eq!(compared, expected.len(), "each job of the summaries is compared");
}

#[test]
fn requests_are_those_that_fio_made() {
    let path = folder().join("expected.json");
    let text = fs::read_to_string(path).expect("expected.json");
    let expected: Summaries = serde_json::from_str(&text).expect("summaries");
    compare(1, &expected);
}

#[test]
fn requests_are_those_of_the_fio_that_is_installed() {
    let mut found = Summaries::new();
    for file in files() {
        let Some(theirs) = there(&file) else { return };
        for (job, places) in theirs {
            let summaries =
                places.iter().map(|(op, places)| (op.clone(), summary(places))).collect();
            found.insert(format!("{} {job}", name(&file)), summaries);
        }
    }
    if std::env::var_os("FTLAB_FIO_WRITE").is_some() {
        let text = serde_json::to_string(&found).expect("summaries").replace("},\"", "},\n\"");
        fs::write(folder().join("expected.json"), text + "\n").expect("a file");
    }
    compare(2, &found);
}
