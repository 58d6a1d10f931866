//! Models: what their files may say, and what their streams keep.

use ftlab_traces::Error;
use ftlab_traces::request::{Input, Op, Request};
use ftlab_traces::trace::{self, TimeOrder, TraceOptions};
use ftlab_traces::workload::{Model, model};
use std::path::PathBuf;
use std::sync::Arc;

/// A small model that uses every key.
const TEXT: &str = r#"
name = "small"
summary = "for tests"
source = "nowhere"
nearness = "near enough"
origin = { all = "assumed: for tests" }

[length]
reads = 3_000
writes = 7_000
duration = "10s"

[arrivals]
together = 0.2
gaps = [["1us", 0.5], ["1ms", 1.0]]
burst = 5

[sizes]
read = [["4k", 1]]
write = [["4k", 2], ["8k", 1]]
kept = 0.9

[runs]
share = 0.3
again = 0.6
mean = 4
streams = [3, 1]
same_op = 0.9
kept = 0.5

[reuse]
distances = [[0, 1.0, 0.5, 0.2, 0.9], [100, 0.6, 0.8, 0.1, 0.9], [1000, 0.3]]
inside = 0.1
lasting = 0.3
chunk = 5

[space]
writes = 0.5
regions = [[0, 1.0], [4, 0.2]]
next_region = 0.5
adjacent = 0.3
slot = "8k"
sectors = [1, 0, 0, 0, 0, 0, 0, 0]
volumes = [
  { weight = 2, writes = 0.9, size = "64MiB", first = "1MiB" },
  { weight = 1, runs = 0, writes = 0.5, size = "100MiB", count = 3, untouched = 0.2 },
]

[[parts]]
name = "log"
share = 0.1
sizes = { write = [["4k", 1]] }
runs = { share = 0.999, around = true }
space = { slot = "4k", sectors = [1, 0, 0, 0, 0, 0, 0, 0], volumes = [
  { weight = 1, writes = 1, size = "1MiB" },
] }

[[parts]]
name = "scan"
share = 0.05
episode = 100
density = 0.5
sizes = { read = [["12k", 1]] }
runs = { share = 0.98, fresh = 1, read = [["12k", 1]] }
reuse = { follow = 0.2, places = [["12k", 1]], read = [["12k", 2]] }
space = { fresh = 0.9, slot = "8k", sectors = [1, 0, 0, 0, 0, 0, 0, 0], volumes = [
  { weight = 1, writes = 0, size = "100MiB", number = 3 },
] }
"#;

fn pass(input: &dyn Input) -> Vec<Request> {
    let mut source = input.open().expect("an input that opens");
    source.rest().expect("a stream that goes on")
}

fn small(requests: Option<u64>, seed: u64) -> Vec<Request> {
    let model = Model::parse(TEXT, "small.toml").expect("a good model");
    pass(&*model.input(requests, seed).expect("a good length"))
}

#[test]
fn a_stream_stays_in_its_volumes_in_time_order() {
    let requests = small(None, 1);
    assert!(requests.is_sorted_by_key(|request| request.time));
    for request in &requests {
        assert!(request.volume < 5, "{request:?}");
        let (first, size) = match request.volume {
            0 => (1 << 20, 64 << 20),
            4 => (0, 1 << 20),
            _ => (0, 100 << 20),
        };
        assert!(request.offset >= first && request.end() <= first + size, "{request:?}");
        assert_eq!(request.offset % 4096, 0, "{request:?}");
    }
    let seconds = requests[requests.len() - 1].time as f64 / 1e9;
    assert!((seconds - 10.0).abs() < 1.0, "{seconds}");
}

#[test]
fn counts_are_exact_at_the_full_length_and_at_its_multiples() {
    for times in [1, 3] {
        let requests = small(Some(times * 10_000), 5);
        let reads = requests.iter().filter(|request| request.op == Op::Read).count();
        assert_eq!(reads as u64, times * 3_000);
    }
}

#[test]
fn parts_have_their_shares_and_episodes_their_lengths() {
    let requests = small(Some(200_000), 3);
    let share = |of: &dyn Fn(&Request) -> bool| {
        requests.iter().filter(|request| of(request)).count() as f64 / requests.len() as f64
    };
    let log = share(&|request| request.volume == 4);
    assert!((log - 0.1).abs() < 0.005, "{log}");
    // Nothing else reads 12 KiB; episodes of 100 requests vary more.
    let of_scan = |request: &Request| request.op == Op::Read && request.length == 12_288;
    let scan = share(&of_scan);
    assert!((scan - 0.05).abs() < 0.02, "{scan}");
    let at: Vec<usize> = (0..requests.len()).filter(|at| of_scan(&requests[*at])).collect();
    let episodes = 1 + at.windows(2).filter(|pair| pair[1] - pair[0] > 30).count();
    let mean = at.len() as f64 / episodes as f64;
    assert!((70.0..140.0).contains(&mean), "{mean} requests in an episode");
}

#[test]
fn a_log_goes_round_its_volume() {
    let requests = small(Some(60_000), 3);
    let log: Vec<&Request> = requests.iter().filter(|request| request.volume == 4).collect();
    let on = log.windows(2).filter(|pair| pair[1].offset == pair[0].end() % (1 << 20)).count();
    assert!(on as f64 > 0.99 * log.len() as f64, "{on} of {}", log.len());
}

#[test]
fn places_that_last_come_again_when_recency_has_forgotten_them() {
    let changed = |lasting: &str| {
        let text = TEXT.replacen("lasting = 0.3", lasting, 1);
        let model = Model::parse(&text, "m.toml").expect("a good model");
        pass(&*model.input(Some(100_000), 1).expect("a good length"))
    };
    let in_last_tenth = |requests: &[Request]| {
        let key = |request: &Request| (request.volume, request.offset);
        let main = |request: &&Request| request.volume < 3;
        let early: std::collections::HashSet<_> =
            requests[..10_000].iter().filter(main).map(key).collect();
        let late: Vec<_> = requests[90_000..].iter().filter(main).map(key).collect();
        late.iter().filter(|key| early.contains(key)).count() as f64 / late.len() as f64
    };
    let (without, with) =
        (in_last_tenth(&changed("lasting = 0")), in_last_tenth(&changed("lasting = 0.6")));
    assert!(with > 2.0 * without, "{with} and {without}");
}

/// 6,000 writes of new places, of one size, in a space that is told.
fn new_places(size: &str, space: &str) -> Vec<Request> {
    let text = format!(
        r#"
        name = "new"
        summary = "new places"
        source = "nowhere"
        origin = {{ all = "assumed: for tests" }}
        length = {{ reads = 0, writes = 6000, duration = "1s" }}
        sizes = {{ write = [["{size}", 1]] }}
        [space]
        regions = [[0, 1.0], [4, 0.3]]
        volumes = [{{ weight = 1, writes = 1, size = "4GiB" }}]
        {space}
        "#
    );
    let model = Model::parse(&text, "new.toml").expect("a good model");
    pass(&*model.input(None, 1).expect("a good length"))
}

#[test]
fn fresh_places_lie_on_pages_never_used() {
    // 256 KiB in slots of 4 KiB: without `fresh` they lie on each other.
    let pages_again = |fresh: &str| {
        let made = new_places("256k", &format!("slot = \"4k\"\n{fresh}"));
        let pages = |r: &Request| r.offset / 4096..=(r.end() - 1) / 4096;
        let all: Vec<u64> = made.iter().flat_map(pages).collect();
        let different: std::collections::HashSet<&u64> = all.iter().collect();
        1.0 - different.len() as f64 / all.len() as f64
    };
    let (any, fresh) = (pages_again(""), pages_again("fresh = 1"));
    assert!(any > 0.05 && fresh == 0.0, "{any} and {fresh}");
}

#[test]
#[ignore = "long: part of make test-long"]
fn places_are_aligned_to_more_than_a_page_and_a_fit_finds_it_out() {
    for (unit, begins) in [(8, [2, 7]), (16, [10, 15]), (32, [5, 26])] {
        let weights: Vec<u8> = (0..unit)
            .map(|sector| if sector == begins[0] { 7 } else { u8::from(sector == begins[1]) })
            .collect();
        for fresh in ["", "fresh = 1"] {
            let space = format!("adjacent = 0.3\nslot = \"16k\"\nsectors = {weights:?}\n{fresh}");
            let made: Arc<[Request]> = new_places("8k", &space).into();
            assert!(made.iter().all(|request| begins.contains(&(request.offset / 512 % unit))));
            let source = &mut *made.open().expect("requests");
            let fitted = model::fit(source, "made", &mut |_, _| Ok(())).expect("a model");
            let sectors = fitted.space.sectors;
            assert_eq!(sectors.len() as u64, unit, "{fresh}: {sectors:?}");
            let [most, least] = begins.map(|sector| sectors[sector as usize]);
            assert!((most - 0.875).abs() < 0.02 && most + least > 0.999, "{sectors:?}");
        }
    }
}

#[test]
fn a_seed_is_a_stream_and_a_shorter_one_its_beginning() {
    let whole = small(None, 7);
    assert_eq!(whole, small(None, 7));
    assert_ne!(whole, small(None, 8));
    assert_eq!(whole[..3000], small(Some(3000), 7));
    assert_eq!(whole, small(Some(20_000), 7)[..10_000]);
}

#[test]
fn a_mistake_names_the_key_what_was_found_and_what_was_expected() {
    let mistake = |from: &str, to: &str| {
        assert!(TEXT.contains(from), "{from}");
        let text = TEXT.replacen(from, to, 1);
        Model::parse(&text, "m.toml").expect_err(to).to_string()
    };
    assert_eq!(
        mistake("share = 0.3", "share = -1"),
        "m.toml: runs.share: found -1, expected a share from 0 to 1"
    );
    for (from, to, key) in [
        ("reads = 3_000\nwrites = 7_000", "reads = 0\nwrites = 0", "length"),
        ("together = 0.2", "together = 1.0", "arrivals.together"),
        ("burst = 5", "burst = 0.5", "arrivals.burst"),
        ("[\"1ms\", 1.0]", "[\"1ms\", 0.9]", "arrivals.gaps"),
        ("read = [[\"4k\", 1]]", "read = [[\"1000\", 1]]", "sizes.read"),
        ("write = [[\"4k\", 2]", "write = [[\"4k\", -2]", "sizes.write"),
        ("mean = 4", "mean = 1", "runs.mean"),
        ("mean = 4", "mean = nan", "runs.mean"),
        ("streams = [3, 1]", "streams = [0]", "runs.streams"),
        ("[1000, 0.3]", "[1000, 0.7]", "reuse.distances"),
        ("[1000, 0.3]", "[1000, 0.3, 1]", "reuse.distances"),
        ("[[0, 1.0, 0.5", "[[1, 1.0, 0.5", "reuse.distances"),
        ("regions = [[0, 1.0]", "regions = [[0, 0.9]", "space.regions"),
        ("fresh = 1,", "fresh = 1.7,", "parts.scan.runs.fresh"),
        ("fresh = 1, read = [[\"12k\", 1]]", "read = [[\"12k\", 0]]", "parts.scan.runs.read"),
        ("follow = 0.2", "follow = -0.2", "parts.scan.reuse.follow"),
        ("places = [[\"12k\", 1]]", "places = [[\"1000\", 1]]", "parts.scan.reuse.places"),
        ("read = [[\"12k\", 2]]", "read = [[\"12k\", -1]]", "parts.scan.reuse.read"),
        ("fresh = 0.9", "fresh = 9", "parts.scan.space.fresh"),
        ("lasting = 0.3", "lasting = 1", "reuse.lasting"),
        ("chunk = 5", "chunk = 0", "reuse.chunk"),
        ("untouched = 0.2", "untouched = 1.2", "space.volumes.untouched"),
        ("count = 3", "count = 3, number = 7", "space.volumes.number"),
        ("share = 0.05", "share = 0", "parts.scan.share"),
        ("share = 0.05", "share = 0.95", "parts"),
        ("episode = 100", "episode = 0", "parts.scan.episode"),
        ("density = 0.5", "density = 0.04", "parts"),
        ("density = 0.5", "density = 0", "parts.scan.density"),
        ("runs = { share = 0.98", "runs = { share = 2", "parts.scan.runs.share"),
        ("slot = \"8k\"", "slot = \"12k\"", "space.slot"),
        ("sectors = [1, ", "sectors = [", "space.sectors"),
        ("sectors = [1, ", "sectors = [0, 0, 0, 0, 1, ", "space.sectors"),
        (
            "slot = \"4k\", sectors = [",
            "slot = \"4k\", sectors = [0, 0, 0, 0, 0, 0, 0, 0, ",
            "parts.log.space",
        ),
        ("weight = 2", "weight = inf", "space.volumes.weight"),
        ("writes = 0.9, size", "writes = 1.9, size", "space.volumes.writes"),
        ("\"64MiB\"", "\"0\"", "space.volumes.size"),
        ("count = 3", "count = 4000000000", "space.volumes"),
        ("\"100MiB\"", "\"4000TiB\"", "space.volumes"),
        ("all = \"assumed", "\"sizes.red\" = \"assumed", "origin"),
        ("assumed: for tests", "guessed", "origin.all"),
    ] {
        let found = mistake(from, to);
        assert!(found.starts_with(&format!("m.toml: {key}")), "{to}: {found}");
        assert!(!found.contains('\n'), "{found}");
    }
    let unknown = mistake("same_op", "same_ops");
    assert!(unknown.starts_with("m.toml:") && unknown.contains("same_ops"), "{unknown}");
    assert!(!unknown.contains('\n'), "{unknown}");
    let none = Model::parse(TEXT, "small.toml").expect("a good model").input(Some(0), 1);
    assert!(none.err().expect("no requests").to_string().contains("found 0"));
}

#[test]
fn a_model_with_every_key_is_written_and_read_back() {
    let model = Model::parse(TEXT, "small.toml").expect("a good model");
    let again = Model::parse(&model.to_string(), "again.toml").expect("the text of a model");
    assert_eq!(again, model);
}

#[test]
fn every_number_without_an_origin_is_named() {
    let text = TEXT.replacen("all = \"assumed", "space = \"assumed", 1);
    let parsed = Model::parse(&text, "m.toml").expect("a good model");
    let missing = model::unexplained(&text, &parsed.origin);
    assert!(missing.contains(&"runs.share".to_owned()), "{missing:?}");
    assert!(missing.iter().all(|key| !key.starts_with("space")), "{missing:?}");
}

#[test]
fn an_endless_file_is_not_read_to_its_end() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("endless.toml");
    std::fs::write(&path, vec![b'#'; 2 << 20]).expect("a file");
    let message = Model::load(&path).expect_err("too long").to_string();
    assert!(message.contains("more than 1 MiB"), "{message}");
}

/// The requests of a real trace.
fn read(path: &str) -> Result<Vec<Request>, Error> {
    let options = TraceOptions { order: Some(TimeOrder::Clamp), ..TraceOptions::default() };
    Ok(pass(&*trace::open(path, &options)?))
}

/// A few large requests are a good part of a short trace.
const SEEDS: u64 = 8;

#[test]
#[ignore = "long: part of make test-long"]
fn the_model_of_every_real_trace_makes_as_many_requests_and_pages() {
    let Some(folder) = std::env::var_os("FTLAB_TRACES").map(PathBuf::from) else {
        let required = std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "FTLAB_TRACES must name the folder of real traces");
        eprintln!("NOT RUN: FTLAB_TRACES does not name a folder of real traces");
        return;
    };
    let (mut fitted, mut off) = (0, Vec::new());
    for entry in std::fs::read_dir(folder.join("normalized")).expect("the folder of traces") {
        let name = entry.expect("an entry of the folder").path().display().to_string();
        let real = read(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let input: Arc<[Request]> = real.clone().into();
        let source = &mut *input.open().expect("requests");
        let model = model::fit(source, &name, &mut |_, _| Ok(())).expect("a model");
        let text = model.to_string();
        let model = Model::parse(&text, &name).unwrap_or_else(|error| panic!("{error}"));
        let count = |of: &[Request], op| of.iter().filter(|request| request.op == op).count();
        let bytes = |of: &[Request]| of.iter().map(|r| f64::from(r.length)).sum::<f64>();
        let mut ratio = 0.0;
        for seed in 1..=SEEDS {
            let made = pass(&*model.clone().input(None, seed).expect("a good length"));
            assert_eq!(count(&made, Op::Read), count(&real, Op::Read), "{name}");
            assert_eq!(count(&made, Op::Write), count(&real, Op::Write), "{name}");
            ratio += bytes(&made) / bytes(&real) / SEEDS as f64;
        }
        if !(0.75..1.33).contains(&ratio) {
            off.push(format!("{name}: {ratio} of the bytes"));
        }
        fitted += 1;
    }
    assert!(off.is_empty(), "{off:#?}");
    assert!(fitted >= 20, "only {fitted} traces were fitted");
}
