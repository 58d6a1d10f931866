//! What is told natively and in WebAssembly is the same, byte for byte: reports and frames of every FTL, of profiles,
//! of warm-ups and parallel devices, and of configurations that are drawn.
//!
//! Needs the Rust target and Node; without them it says that nothing was compared, and fails if
//! `FTLAB_WASM_REQUIRED` is set. `FTLAB_WASM_MODULE` names a module that is built already, `FTLAB_WASM_CASES` how many
//! configurations are drawn.

#![allow(clippy::print_stdout, reason = "what was left out has to be seen")]

#[path = "../../ftlab/tests/configurations/drawn.rs"]
#[allow(dead_code, reason = "half of it is for other tests")]
mod drawn;

use drawn::{pick, set, value};
use ftlab::catalog::{Catalog, Entry};
use ftlab::rng::Rng;
use ftlab::settings::Row;
use ftlab::workload::PROFILES;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::{env, thread};

const TARGET: &str = "wasm32-unknown-unknown";

/// The module, if it can be built and run here.
static MODULE: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let node = Command::new("node").arg("--version").output();
    let module = match node.is_ok_and(|out| out.status.success()) {
        true => built(),
        false => Err("no node".into()),
    };
    let Err(lacking) = module else { return module.ok() };
    assert!(env::var_os("FTLAB_WASM_REQUIRED").is_none(), "FTLAB_WASM_REQUIRED is set: {lacking}");
    println!("COMPARED WITH NOTHING: {lacking}; docs/playground.md says what to install");
    None
});

fn built() -> Result<PathBuf, String> {
    if let Some(named) = env::var_os("FTLAB_WASM_MODULE") {
        return Ok(named.into());
    }
    let mut rustc = Command::new("rustc");
    let printed = rustc.args(["--print", "target-libdir", "--target", TARGET]).output();
    let printed = printed.map_err(|error| error.to_string())?;
    let folder = PathBuf::from(String::from_utf8_lossy(&printed.stdout).trim());
    if !folder.is_dir() {
        return Err(format!("no Rust target {TARGET}"));
    }
    let build = ["build", "--locked", "-p", "ftlab-playground", "--target", TARGET];
    let done = Command::new(env!("CARGO")).args(build).status().map_err(|e| e.to_string())?;
    assert!(done.success(), "the module is built");
    // target/debug/deps/browser-HASH
    let test = env::current_exe().map_err(|error| error.to_string())?;
    let target = test.ancestors().nth(3).ok_or("no target folder")?;
    Ok(target.join(TARGET).join("debug").join("ftlab_playground.wasm"))
}

/// A question without a trace.
fn question(ftl: &str, every: Option<u64>, config: Value) -> Value {
    json!({ "ftl": ftl, "every": every, "config": config })
}

fn is_compared(told: &str) -> bool {
    // How often progress is told depends on time.
    !told.starts_with("{\"fraction\"") && !told.is_empty()
}

/// A question as it is asked, and the bytes of its trace.
fn asked(question: &Value) -> (String, String) {
    let mut question = question.clone();
    let trace = question["trace"].take();
    question["trace"] = trace["name"].clone();
    (question.to_string(), trace["text"].as_str().unwrap_or_default().to_owned())
}

fn natively(question: &Value) -> Vec<String> {
    let (question, trace) = asked(question);
    let mut told = Vec::new();
    ftlab_playground::ask(question.as_bytes(), trace.into_bytes(), &mut |text| {
        told.push(text.to_owned());
        true
    });
    told.into_iter().filter(|text| is_compared(text)).collect()
}

/// What Node tells of each question.
fn in_wasm(questions: &[Value], module: &Path) -> Vec<Vec<String>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ask.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .arg(module)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node");
    let mut to = node.stdin.take().expect("a pipe");
    let line = |question| json!(asked(question)).to_string() + "\n";
    let lines: String = questions.iter().map(line).collect();
    let writer = thread::spawn(move || to.write_all(lines.as_bytes()));
    let out = node.wait_with_output().expect("node ends");
    writer.join().expect("a thread").expect("all questions are read");
    assert!(out.status.success(), "node ends well");
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    let answers = text.strip_suffix("\n\n").unwrap_or(&text).split("\n\n");
    answers
        .map(|told| told.lines().filter(|l| is_compared(l)).map(str::to_owned).collect())
        .collect()
}

/// Compares all answers; returns how many are reports.
fn compare(questions: &[Value], module: &Path) -> usize {
    let found = in_wasm(questions, module);
    assert_eq!(found.len(), questions.len(), "an answer to each question");
    let mut reports = 0;
    for (question, found) in questions.iter().zip(&found) {
        let expected = natively(question);
        for (number, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!(
                found == expected,
                "{question}: line {number}\nwasm   {}\nnative {}",
                apart(found, expected),
                apart(expected, found)
            );
        }
        assert_eq!(found.len(), expected.len(), "{question}");
        let last = expected.last().map_or("", String::as_str);
        reports += usize::from(last.starts_with("{\"report\""));
    }
    reports
}

/// A text from shortly before where it differs from another.
fn apart<'a>(text: &'a str, other: &str) -> &'a str {
    let same = text.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let begin = same.saturating_sub(60);
    text.get(begin..text.len().min(same + 60)).unwrap_or(text)
}

/// A full and aged device under reads and writes; some FTLs need more cache than others.
fn aged(ftl: &str) -> Value {
    let cache = match ftl {
        "cdftl" | "sftl" | "zftl" => "8KiB",
        "treeftl" | "aps" => "64KiB",
        _ => "2KiB",
    };
    let cell = if ftl == "mnftl-hybrid" { json!("mlc") } else { Value::Null };
    json!({
        "device": { "capacity": "16MiB", "pages_per_block": 16, "cell": cell },
        "ftl": { "cache": cache },
        "workload": { "pattern": "zipf", "size": "16MiB", "requests": 4000, "read_share": "33%",
            "bs_mix": [["2k", 1], ["4k", 3], ["16k", 1]] },
        "run": { "warmup": "random:1" },
    })
}

fn chosen() -> Vec<Value> {
    let catalog = Catalog::standard();
    let mut all: Vec<Value> = catalog
        .ftls()
        .iter()
        .map(|ftl| question(ftl.name(), Some(500), aged(ftl.name())))
        .collect();
    let parallel = json!({
        "device": { "capacity": "256MiB", "channels": 4, "chips_per_channel": 2, "planes_per_die": 2,
            "transfer_per_byte": "10ns", "multi_plane": true, "suspend": "5us" },
        "workload": { "pattern": "randrw", "size": "256MiB", "requests": 5000, "bs": "16k",
            "interarrival": "20us" },
        "ftl": { "placement": "least-busy" }, "host": { "mode": "queued:32" },
    });
    all.push(question("page", None, parallel));
    for (ftl, keys) in [
        ("page", json!({ "run": { "warmup": "steady-random:20%" } })),
        (
            "page",
            json!({ "gc": { "policy": "d-choices", "copies": "own" }, "run": { "causes": true } }),
        ),
        ("page", json!({ "ftl": { "separation": "midas" }, "run": { "recovery": true } })),
        ("page", json!({ "ftl": { "separation": "learned" }, "device": { "endurance": 3000 } })),
        (
            "page",
            json!({ "buffer": { "policy": "clc", "size": "256KiB" }, "host": { "mode": "closed:4" } }),
        ),
        (
            "dftl",
            json!({ "workload": { "pattern": "hotcold", "requests": 5000, "arrivals": "closed" } }),
        ),
        (
            "fast",
            json!({ "workload": { "pattern": "cachftl", "size": "16MiB", "requests": 3000 } }),
        ),
    ] {
        let mut config = aged(ftl);
        for (section, own) in keys.as_object().expect("sections") {
            for (key, value) in own.as_object().expect("keys") {
                config[section][key] = value.clone();
            }
        }
        all.push(question(ftl, None, config));
    }
    let mut dropped = question("page", None, json!({}));
    let line = |k: u64| {
        let (time, op) = (128_166_372_003_061_629 + 50_000 * k, ["Read", "Write"][k as usize % 2]);
        format!("{time},disk,0,{op},{},4096,1\n", 4096 * (k * k % 97))
    };
    let text: String = (0..500).map(line).collect();
    dropped["trace"] = json!({ "name": "mine.csv", "text": text });
    all.push(dropped);
    all.push(question("tpfl", None, json!({})));
    all.push(question("page", None, json!({ "device": { "capacity": "12 parsecs" } })));
    all
}

#[test]
#[ignore = "builds the core for browsers"]
fn every_ftl_tells_the_same_in_a_browser() {
    let Some(module) = MODULE.as_ref() else { return };
    let questions = chosen();
    let reports = compare(&questions, module);
    assert_eq!(reports + 2, questions.len(), "two are refused");
}

#[test]
#[ignore = "builds the core for browsers"]
fn every_profile_is_the_same_in_a_browser() {
    let Some(module) = MODULE.as_ref() else { return };
    let of = |profile: &str| {
        question(
            "page",
            None,
            json!({
                "device": { "capacity": "1GiB" }, "run": { "address": "modulo", "verify": false },
                "input": { "trace": profile, "requests": 30_000 },
            }),
        )
    };
    let questions: Vec<Value> = PROFILES.iter().map(|profile| of(profile.name)).collect();
    assert_eq!(compare(&questions, module), PROFILES.len());
}

#[test]
#[ignore = "builds the core for browsers"]
fn whatever_is_asked_for_is_told_the_same_in_a_browser() {
    let Some(module) = MODULE.as_ref() else { return };
    let cases = env::var("FTLAB_WASM_CASES").map_or(100, |text| text.parse().expect("a number"));
    let catalog = Catalog::standard();
    let mut questions: Vec<Value> = (0..cases).map(|seed| draw(&catalog, seed)).collect();
    // Both refuse a cache of 4 GiB or more. With another mistake next to it, 32 bits may name the other one first.
    let fits = |question: &Value| {
        let cache = question["config"]["ftl"]["cache"].as_u64();
        cache.is_none_or(|bytes| u32::try_from(bytes).is_ok())
    };
    questions.retain(fits);
    let reports = compare(&questions, module);
    println!("{cases} questions, {reports} reports");
    assert!(reports * 4 > questions.len(), "{reports} of {cases} ran");
}

/// A tiny device under any settings, some of which are refused.
fn draw(catalog: &Catalog, seed: u64) -> Value {
    let mut rng = Rng::new(seed, "browser");
    let entry = pick(&mut rng, catalog.ftls());
    let (page, pages_per_block) = (512_u64 << rng.below(4), pick(&mut rng, &[4_u64, 8, 16, 32]));
    let blocks = 8 + rng.below(60);
    let capacity = page * pages_per_block * blocks;
    let mut tree = Map::new();
    set(&mut tree, "device.page", page.into());
    set(&mut tree, "device.pages_per_block", pages_per_block.into());
    set(&mut tree, "device.capacity", capacity.into());
    set(&mut tree, "run.address", "modulo".into());
    set(&mut tree, "device.over_provisioning", pick(&mut rng, &["10%", "30%", "100%"]).into());
    set(&mut tree, "ftl.cache", (page * 2 + 8 * rng.below(2000)).into());
    let pattern = pick(&mut rng, &["rand", "zipf", "hotcold", "seq", "randrw", "cachftl"]);
    set(&mut tree, "workload.pattern", pattern.into());
    set(&mut tree, "workload.size", capacity.into());
    set(&mut tree, "workload.bs", pick(&mut rng, &[512, page, 2 * page]).into());
    set(&mut tree, "workload.requests", (100 + rng.below(1500)).into());
    let rows = rows_of(catalog, &entry);
    for _ in 0..rng.below(4) {
        let row = pick(&mut rng, &rows);
        let drawn = value(catalog, &row, &mut rng);
        set(&mut tree, &row.key(), drawn);
    }
    question(entry.name(), None, tree.into())
}

/// What an FTL obeys, but for what makes devices large or runs long.
fn rows_of(catalog: &Catalog, entry: &Entry) -> Vec<Row> {
    let of_ftls: HashSet<String> =
        catalog.ftls().iter().flat_map(Entry::rows).map(|row| row.key()).collect();
    let own: HashSet<String> = entry.rows().iter().map(Row::key).collect();
    let sections = ["gc", "ftl", "log", "buffer", "host", "wear"];
    let obeyed = |row: &Row| match of_ftls.contains(&row.key()) {
        true => own.contains(&row.key()),
        false => sections.contains(&row.section) && entry.spec.obeys(&row.key()),
    };
    catalog.rows().into_iter().chain(entry.rows()).filter(obeyed).collect()
}
