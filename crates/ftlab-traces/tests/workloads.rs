//! Generated workloads keep what their words promise.

use ftlab_traces::request::{Input, Lifetime, Meta, Op, Request};
use ftlab_traces::settings::Section;
use ftlab_traces::units::{Bytes, Duration, Ratio};
use ftlab_traces::workload::model::{Compared, Within, compare};
use ftlab_traces::workload::{
    Arrivals, PROFILES, Pattern, Sequential, WorkloadConfig, open, profile,
};
use std::collections::HashSet;

/// All requests of one pass.
fn pass(input: &dyn Input) -> Vec<Request> {
    let mut source = input.open().expect("an input that opens");
    source.rest().expect("a stream that goes on")
}

fn generate(config: &WorkloadConfig, seed: u64) -> Vec<Request> {
    pass(&*open(config, seed).expect("a good configuration"))
}

/// 200,000 requests of a pattern.
fn config(pattern: Pattern) -> WorkloadConfig {
    WorkloadConfig { pattern, requests: Some(200_000), ..WorkloadConfig::default() }
}

/// The share of requests for which `of` holds.
fn share(requests: &[Request], of: impl Fn(&Request) -> bool) -> f64 {
    requests.iter().filter(|r| of(r)).count() as f64 / requests.len() as f64
}

/// The share of requests that start where the one before ended.
fn sequential(requests: &[Request]) -> f64 {
    let follows = requests.windows(2).filter(|pair| pair[1].offset == pair[0].end()).count();
    follows as f64 / (requests.len() - 1) as f64
}

fn assert_near(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: found {found}, expected {expected}");
}

/// The patterns whose requests have sizes and alignments as asked; each of several parts has its own.
fn sized() -> impl Iterator<Item = Pattern> {
    Pattern::ALL.iter().copied().filter(|pattern| *pattern != Pattern::Parts)
}

#[test]
fn every_pattern_stays_aligned_inside_its_space_in_time_order() {
    for pattern in sized() {
        for (align, streams) in [(None, 1), (Some(Bytes(1536)), 7)] {
            let config = WorkloadConfig {
                size: Some(Bytes((10 << 20) + 777)),
                bs_mix: vec![(Bytes(512), 1.0), (Bytes(4096), 2.0), (Bytes(5000), 1.0)],
                align,
                streams,
                ..config(pattern)
            };
            let requests = generate(&config, 1);
            assert_eq!(requests.len(), 200_000, "{pattern:?}");
            let align = align.map_or(512, |a| a.0);
            for r in &requests {
                assert!(r.length > 0 && r.end() <= (10 << 20) + 777, "{pattern:?}: {r:?}");
                assert_eq!(r.offset % align, 0, "{pattern:?}: {r:?}");
            }
            assert!(requests.is_sorted_by_key(|r| r.time), "{pattern:?}");
            assert_eq!(requests[0].time, 0);
        }
    }
}

#[test]
fn a_space_of_one_request_is_enough() {
    for pattern in sized() {
        let config = WorkloadConfig {
            bs: Bytes(4500),
            size: Some(Bytes(5000)),
            align: Some(Bytes(4096)),
            ..config(pattern)
        };
        assert!(generate(&config, 1).iter().all(|r| r.offset == 0), "{pattern:?}");
    }
}

#[test]
#[ignore = "long: part of make test-long"]
fn a_seed_is_a_stream_and_another_seed_another() {
    for &pattern in Pattern::ALL {
        let config = config(pattern);
        let input = open(&config, 7).unwrap();
        let first = pass(&*input);
        assert_eq!(first, pass(&*input), "{pattern:?}");
        assert_ne!(first, generate(&config, 8), "{pattern:?}");
    }
    for data in PROFILES {
        let input = profile(data.name, Some(100_000), 7).unwrap();
        let first = pass(&*input);
        assert_eq!(first, pass(&*input), "{}", data.name);
        assert_ne!(first, pass(&*profile(data.name, Some(100_000), 8).unwrap()));
        let longer = pass(&*profile(data.name, Some(150_000), 7).unwrap());
        assert_eq!(first, longer[..100_000], "{}: shorter is not a prefix", data.name);
    }
}

#[test]
fn arrivals_do_not_disturb_places() {
    let poisson = generate(&config(Pattern::Zipf), 3);
    let closed = WorkloadConfig { arrivals: Arrivals::Closed, ..config(Pattern::Zipf) };
    let closed = generate(&closed, 3);
    assert!(closed.iter().all(|r| r.time == 0));
    assert!(poisson.iter().zip(&closed).all(|(a, b)| (a.offset, a.op) == (b.offset, b.op)));
}

#[test]
fn reads_and_writes_come_as_the_words_say() {
    for (pattern, asked, expected) in [
        (Pattern::Rand, None, 0.0),
        (Pattern::Zipf, Some(0.7), 0.7),
        (Pattern::RandRw, None, 0.5),
        (Pattern::Rw, Some(0.25), 0.25),
        (Pattern::RandRead, None, 1.0),
        (Pattern::Write, None, 0.0),
    ] {
        let config = WorkloadConfig { read_share: asked.map(Ratio), ..config(pattern) };
        let reads = share(&generate(&config, 1), |r| r.op == Op::Read);
        assert_near(reads, expected, 0.005, pattern.name());
    }
}

/// Beside the flushes nothing is another.
#[test]
fn a_flush_comes_after_so_many_writes() {
    let without = config(Pattern::RandRw);
    let with = WorkloadConfig { fsync: Some(3), ..without.clone() };
    let mut writes = 0;
    let mut others = Vec::new();
    for request in generate(&with, 1) {
        if request.op == Op::Flush {
            assert_eq!((writes, request.length), (3, 0));
            assert_eq!(others.last().map(|last: &Request| last.time), Some(request.time));
            writes = 0;
            continue;
        }
        writes += u64::from(request.op == Op::Write);
        assert!(writes <= 3);
        others.push(request);
    }
    assert_eq!(others, generate(&without, 1)[..others.len()]);
    assert!(others.len() < 180_000);
}

#[test]
fn sequential_streams_take_turns_and_cover_their_parts() {
    let config = WorkloadConfig {
        streams: 4,
        size: Some(Bytes(1 << 20)),
        requests: Some(512),
        ..config(Pattern::Seq)
    };
    let requests = generate(&config, 1);
    for (i, request) in requests.iter().enumerate() {
        let expected = (i as u64 % 4) * (256 << 10) + (i as u64 / 4) % 64 * 4096;
        assert_eq!(request.offset, expected, "request {i}");
    }
}

#[test]
fn a_random_map_visits_each_block_once_in_a_pass_and_passes_differ() {
    let blocks = 1000;
    let config = WorkloadConfig {
        random_map: true,
        size: Some(Bytes(blocks * 4096)),
        requests: Some(2 * blocks),
        ..config(Pattern::Rand)
    };
    let places = |config: &WorkloadConfig| -> Vec<u64> {
        generate(config, 1).iter().map(|request| request.offset / 4096).collect()
    };
    let mapped = places(&config);
    let (first, second) = mapped.split_at(blocks as usize);
    for pass in [first, second] {
        let different: HashSet<u64> = pass.iter().copied().collect();
        assert_eq!(different.len() as u64, blocks);
    }
    assert_ne!(first, second);
    let drawn: HashSet<u64> =
        places(&WorkloadConfig { random_map: false, ..config })[..1000].iter().copied().collect();
    assert!(drawn.len() < 700, "{}", drawn.len());
}

#[test]
fn zipf_gives_every_page_its_exact_share_wherever_it_lies() {
    let pages = 1000;
    let config = WorkloadConfig {
        size: Some(Bytes(pages * 4096)),
        zipf_theta: 1.0,
        requests: Some(1_000_000),
        ..config(Pattern::Zipf)
    };
    let total: f64 = (1..=pages).map(|i| 1.0 / i as f64).sum();
    for scatter in [false, true] {
        let mut counts = vec![0u32; pages as usize];
        for request in generate(&WorkloadConfig { scatter, ..config.clone() }, 1) {
            counts[(request.offset / 4096) as usize] += 1;
        }
        let among_first = |n: usize| counts[..n].iter().sum::<u32>();
        assert_eq!(among_first(10) > 300_000, !scatter, "the ten first pages");
        counts.sort_unstable_by(|a, b| b.cmp(a));
        for rank in [1, 2, 3, 10, 30] {
            let expected = 1e6 / rank as f64 / total;
            let found = f64::from(counts[rank - 1]);
            assert_near(found, expected, 5.0 * expected.sqrt(), &format!("rank {rank}"));
        }
    }
}

#[test]
fn the_hot_part_gets_its_share_of_requests() {
    let config = WorkloadConfig {
        hot_share: Ratio(0.1),
        hot_access: Ratio(0.9),
        scatter: false,
        ..config(Pattern::HotCold)
    };
    let hot = share(&generate(&config, 1), |r| r.offset < (512 << 20) / 10);
    assert_near(hot, 0.9, 0.005, "hot accesses");
}

#[test]
fn gaps_have_the_mean_that_was_asked() {
    for arrivals in [Arrivals::Poisson, Arrivals::Fixed] {
        let interarrival = Some(Duration(250_000));
        let config = WorkloadConfig { arrivals, interarrival, ..config(Pattern::Rand) };
        let requests = generate(&config, 1);
        let mean = requests[requests.len() - 1].time as f64 / (requests.len() - 1) as f64;
        let tolerance = if arrivals == Arrivals::Fixed { 0.0 } else { 2500.0 };
        assert_near(mean, 250_000.0, tolerance, "mean gap, ns");
    }
}

#[test]
fn cachftl_has_the_knobs_of_its_table() {
    let config = WorkloadConfig { pattern: Pattern::Cachftl, ..WorkloadConfig::default() };
    let resolved = config.resolve().unwrap();
    assert_eq!(resolved.size, Some(Bytes(1 << 30)));
    assert_eq!(resolved.requests, Some(250_000));
    assert_eq!(resolved.interarrival, Some(Duration(200_000_000)));
    for rate in [0.1, 0.4, 0.9] {
        let config = WorkloadConfig { sequential_rate: Ratio(rate), ..config.clone() };
        let requests = generate(&config, 1);
        assert_near(sequential(&requests), rate, 0.005, "sequential rate");
        assert!(requests.iter().all(|r| r.op == Op::Write && r.length == 4096));
        let near = requests.windows(2).filter(|pair| {
            pair[1].offset != pair[0].end() && pair[1].offset.abs_diff(pair[0].offset) <= 64 * 4096
        });
        let local = near.count() as f64 / requests.len() as f64 / (1.0 - rate);
        assert_near(local, 0.2, 0.01, "spatial locality");
    }
}

#[test]
fn a_stream_of_cachftl_goes_on_where_it_was() {
    let config = WorkloadConfig {
        pattern: Pattern::Cachftl,
        sequential: Sequential::Stream,
        ..WorkloadConfig::default()
    };
    let requests = generate(&config, 1);
    let mut next = 0;
    let mut going_on = 0;
    for request in &requests {
        if request.offset == next {
            going_on += 1;
            next = request.end() % (1 << 30);
        }
    }
    let of_stream = f64::from(going_on) / requests.len() as f64;
    assert_near(of_stream, 0.4, 0.005, "requests of the stream");
    assert_near(sequential(&requests), 0.16, 0.005, "those right behind another of the stream");
}

/// Figures that a short stream has as well as a long one; the shares of reads and of writes that are
/// sequential settle later.
const EARLY: [&str; 5] = [
    "write_percent",
    "requests_per_s",
    "mean_kib",
    "sequential_percent",
    "sequential_per_volume_percent",
];

/// `cargo run --release --example profile_table` checks all profiles at full length.
#[test]
#[ignore = "long: part of make test-long"]
fn profiles_have_their_published_figures() {
    for data in PROFILES {
        let model = data.model();
        let whole = model.length.requests() <= 500_000;
        let requests = if whole { None } else { Some(300_000) };
        let comparison = compare(&model, requests, 1).unwrap();
        for compared in &comparison.figures {
            let Compared { figure, generated: found, .. } = compared;
            // Means settle as places come to be used again.
            let within = match compared.within {
                Within::Percent(percent) if !whole => Within::Percent(4.0 * percent),
                // Episodes that read or write alone are rarer than that.
                Within::Points(points) if !whole && !model.parts.is_empty() => {
                    Within::Points(4.0 * points)
                }
                within => within,
            };
            let told = figure.aside.is_none() && (whole || EARLY.contains(&figure.name.as_str()));
            let near = !told || within.holds(figure.value, *found);
            assert!(near, "{}: {}: found {found}", data.name, figure.name);
        }
    }
}

/// Numbers that are `r` modulo `n`, as a share of an even part; the furthest from 1.
fn unevenness(numbers: &[u64], n: u64) -> f64 {
    let mut counts = vec![0u32; n as usize];
    numbers.iter().for_each(|number| counts[(number % n) as usize] += 1);
    let even = numbers.len() as f64 / n as f64;
    counts.iter().map(|&count| (f64::from(count) / even - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
#[ignore = "long: part of make test-long"]
fn places_are_even_over_planes() {
    for data in PROFILES {
        let requests = pass(&*profile(data.name, Some(300_000), 1).unwrap());
        // Pages, or the larger units to which all places are aligned.
        let unit = 512 * data.model().space.sectors.len().max(8) as u64;
        let all: Vec<u64> = requests.iter().map(|request| request.offset / unit).collect();
        let different: HashSet<u64> = all.iter().copied().collect();
        let different: Vec<u64> = different.into_iter().collect();
        // A few hot places are as uneven as they come, the more the longer they last: of the first
        // 50,002 requests of Financial1, 15 % more than half start on odd pages.
        let limit = match data.name {
            "build" | "exchange" | "tpcc" => 0.05,
            _ if data.text.contains("lasting") => 0.2,
            _ => 0.1,
        };
        for n in [2, 4, 8] {
            let (all, different) = (unevenness(&all, n), unevenness(&different, n));
            assert!(all < limit, "{}: {all:.3} of an even part modulo {n}", data.name);
            assert!(different < 0.05, "{}: {different:.3} of places modulo {n}", data.name);
        }
    }
}

#[test]
fn database_pages_lie_across_pages_as_they_do_in_the_beginning_of_the_real_trace() {
    // Of 4 KiB pages that 13 devices of the prefix ask for, odd ones are twice as many as even.
    let requests = pass(&*profile("tpcc", Some(300_000), 1).unwrap());
    let pages = |r: &Request| r.offset / 4096..=(r.offset + u64::from(r.length) - 1) / 4096;
    let odd: Vec<bool> = requests.iter().flat_map(pages).map(|page| page % 2 == 1).collect();
    let share = odd.iter().filter(|&&odd| odd).count() as f64 / odd.len() as f64;
    assert!((share - 2.0 / 3.0).abs() < 0.01, "{share}");
}

/// Different pages of 4 KiB, volumes laid over each other on 512 MiB, after so many page writes.
fn pages_after<const N: usize>(requests: &[Request], marks: [usize; N]) -> [usize; N] {
    let (mut seen, mut counts) = (HashSet::new(), Vec::new());
    for r in requests.iter().filter(|r| r.op == Op::Write) {
        for page in r.offset / 4096..=(r.end() - 1) / 4096 {
            seen.insert(page % (512 << 20 >> 12));
            counts.push(seen.len());
        }
    }
    marks.map(|mark| counts[mark - 1])
}

#[test]
fn financial1_writes_new_pages_as_seldom_as_the_beginning_of_the_real_trace() {
    for seed in 1..=3 {
        let requests = pass(&*profile("financial1", Some(50_002), seed).unwrap());
        let found = pages_after(&requests, [10_000, 20_000, 49_663]);
        for (found, real) in found.into_iter().zip([3091, 4766, 8872]) {
            let ratio = found as f64 / f64::from(real);
            assert!((ratio - 1.0).abs() < 0.25, "seed {seed}: {found} pages, {real} in the trace");
        }
    }
}

#[test]
fn financial1_copies_as_densely_as_the_beginning_of_the_real_trace() {
    const COPY: u32 = 18;
    let requests = pass(&*profile("financial1", Some(100_000), 1).unwrap());
    let copies: Vec<_> = requests.iter().enumerate().filter(|(_, r)| r.volume == COPY).collect();
    let mut rates = Vec::new();
    for episode in copies.chunk_by(|a, b| b.0 - a.0 < 500).take(10) {
        assert_eq!(episode.len(), 110, "writes of an episode");
        let (first, last) = (episode[0].1, episode[109].1);
        rates.push(109e9 / (last.time - first.time) as f64);
    }
    assert_eq!(rates.len(), 10, "episodes");
    let mean = rates.iter().sum::<f64>() / 10.0;
    // Of seven in the trace: 10.4 to 12.4 a second.
    assert!((10.0..13.0).contains(&mean), "{mean} a second: {rates:?}");
}

#[test]
fn the_docs_show_every_published_figure_and_point() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/profiles.md");
    let page = std::fs::read_to_string(path).expect("the page of the profiles");
    assert!(!page.contains("**missed"), "a profile is further away than it may be");
    for data in PROFILES {
        let model = data.model();
        let head = format!("{}\n", data.name);
        let section = page.split("\n## ").find(|section| section.starts_with(&head));
        let section = section.unwrap_or_else(|| panic!("no section for {}", data.name));
        for figure in &model.published.figures {
            let row = format!("| {} | {} |", figure.name, figure.value);
            assert!(section.contains(&row), "{}: no row {row}", data.name);
        }
        for (blocks, miss) in model.published.curve.iter().flat_map(|curve| &curve.points) {
            let row = format!("| {blocks} | {miss:.1} |");
            assert!(section.contains(&row), "{}: no row {row}", data.name);
        }
    }
}

#[test]
fn a_mistake_names_the_key_what_was_found_and_what_was_expected() {
    let mistake = |text: &str| {
        let taken = WorkloadConfig::take(&mut toml::from_str(text).unwrap());
        let opened = taken.and_then(|config| open(&config, 1));
        opened.err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert_eq!(mistake("zipf_theta = -1.0"), "workload.zipf_theta: found -1, expected 0 to 10");
    assert_eq!(
        mistake("hot_share = 0"),
        "workload.hot_share: found 0, expected above 0 and below 1"
    );
    assert_eq!(
        mistake("size = '2k'"),
        "workload.size: found 2KiB, expected at least the longest request (4KiB)"
    );
    for (text, key) in [
        ("read_share = 1.5", "read_share"),
        ("pattern = 'randread'\nread_share = '50%'", "read_share"),
        ("pattern = 'zpif'", "pattern"),
        ("hot_access = 2", "hot_access"),
        ("bs = 0", "bs"),
        ("bs_mix = [['4k', -1.0]]", "bs_mix"),
        ("bs_mix = [['4k', 0]]", "bs_mix"),
        ("requests = 0", "requests"),
        ("requests = 5000000000\ninterarrival = '1s'", "requests"),
        ("align = 0", "align"),
        ("streams = 0", "streams"),
        ("size = '1MiB'\nstreams = 1000", "streams"),
        ("interarrival = '90000s'", "interarrival"),
    ] {
        let found = mistake(text);
        assert!(found.starts_with(&format!("workload.{key}: found ")), "{text}: {found:?}");
    }
    let unknown = profile("finacial1", None, 1).err().unwrap().to_string();
    assert!(unknown.contains("did you mean \"financial1\""), "{unknown}");
    assert!(profile("financial1", Some(0), 1).is_err());
    assert!(profile("financial1", Some(u64::MAX), 1).is_err());
}

#[test]
fn writes_have_the_handles_and_the_lifetime_of_the_job() {
    let text =
        "pattern = 'randrw'\nplids = '1:4-5'\nwrite_hint = 'short'\nfsync = 3\nrequests = 500";
    let config = WorkloadConfig::take(&mut toml::from_str(text).unwrap()).unwrap();
    let input = open(&config, 1).unwrap();
    let names: Vec<_> = input.attributes().iter().map(|attribute| attribute.name()).collect();
    assert_eq!(names, ["hint", "lifetime"]);
    let requests = input.open().unwrap().rest().unwrap();
    let (writes, others): (Vec<&Request>, Vec<_>) =
        requests.iter().partition(|request| request.op == Op::Write);
    let expected = [1, 4, 5].into_iter().cycle();
    assert!(writes.iter().map(|write| write.meta.handle).zip(expected).all(|(a, b)| a == b));
    assert!(writes.iter().all(|write| write.meta.lifetime == Lifetime::Short));
    assert!(others.iter().all(|other| other.meta.is_unset()) && others.len() > 100);
    // Hints move nothing else.
    let plain = WorkloadConfig { plids: None, write_hint: Lifetime::Unset, ..config };
    let plain = open(&plain, 1).unwrap().open().unwrap().rest().unwrap();
    let bare = |request: &Request| request.with_meta(Meta::UNSET);
    assert!(requests.iter().map(bare).eq(plain));
}
