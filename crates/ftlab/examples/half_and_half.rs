//! Whether models are worth it: a model fitted to the first half of a trace predicts the second
//! half, and so does a Zipf pattern with the same mix. Which one is nearer?
//! `cargo run --release --example half_and_half TRACE...` prints Markdown.
//!
//! The first half itself is in the table too: what the halves do not share cannot be predicted.
//!
//! * All inputs of a trace (its halves, the model's stream, the pattern's) have equally many
//!   requests and run on the same device: full, and written over once more at random, so that
//!   garbage collection works from the first request on (beyond 8 GiB only full: WA is that of the
//!   mapping). Cache and device are those of `tpftl-eurosys15`.
//! * Regions of 4 MiB (what a translation page maps) that an input leaves out are left out: the
//!   device has the regions of the largest of them, in the order of addresses.
//! * The pattern has the first half's share of reads, sizes of requests, and regions; exponent
//!   0.99, and again the one that gives its first half as many distinct pages as the real one has.

use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::drive::drive;
use ftlab::request::{Input, Op, Request};
use ftlab::trace::{self, TimeOrder, TraceOptions};
use ftlab::units::{Bytes, Ratio};
use ftlab::workload::{self, Pattern, WorkloadConfig, model};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What a translation page of 1,024 entries maps.
const REGION: u64 = 4 << 20;
/// The smallest device.
const SMALLEST: u64 = 64 << 20;
/// A larger device is filled only: writing it over would take longer than all else.
const LARGEST_OVERWRITTEN: u64 = 8 << 30;
/// Pages written by the host below which write amplification says nothing.
const FEWEST_WRITES: u64 = 500;
const SEED: u64 = 1;
const THETA: f64 = 0.99;
const FTLS: [&str; 2] = ["dftl", "tpftl"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = &mut std::io::stdout().lock();
    writeln!(
        out,
        "| trace | figure | first half | second half | model | zipf 0.99 | zipf fitted |"
    )?;
    writeln!(out, "|---|---|---:|---:|---:|---:|---:|")?;
    let mut scores = [Score::default(), Score::default()];
    for path in std::env::args().skip(1) {
        match halves(&path) {
            Ok((first, second)) => compare(&path, &first, second, &mut scores, out)?,
            Err(error) => writeln!(out, "| {} | not read: {error} | | | | | |", name(&path))?,
        }
    }
    for (score, rival) in scores.iter().zip(["zipf 0.99", "zipf fitted"]) {
        writeln!(out, "\nmodel against {rival}: {score:?}")?;
    }
    Ok(())
}

/// How often the model was nearer than its rival.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    hits_won: u32,
    hits_lost: u32,
    wa_won: u32,
    wa_lost: u32,
}

fn name(path: &str) -> String {
    let file = Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    file.split(".spc.zst").next().unwrap_or_default().to_owned()
}

/// The reads and writes of a trace in two parts, each beginning at time 0.
fn halves(path: &str) -> Result<(Vec<Request>, Vec<Request>), Error> {
    let options = TraceOptions { order: Some(TimeOrder::Clamp), ..TraceOptions::default() };
    let mut first = all(&*trace::open(path, &options)?)?;
    let mut second = first.split_off(first.len() / 2);
    let start = second.first().map_or(0, |request| request.time);
    second.iter_mut().for_each(|request| request.time -= start);
    Ok((first, second))
}

fn all(input: &dyn Input) -> Result<Vec<Request>, Error> {
    let (mut source, mut requests) = (input.open()?, Vec::new());
    loop {
        let before = requests.len();
        source.fill(&mut requests)?;
        if requests.len() == before {
            requests.retain(|request| request.op != Op::Trim);
            return Ok(requests);
        }
    }
}

fn compare(
    path: &str,
    first: &[Request],
    second: Vec<Request>,
    scores: &mut [Score; 2],
    out: &mut dyn Write,
) -> Result<(), Box<dyn std::error::Error>> {
    let count = Some(second.len() as u64);
    let source = &mut *Arc::<[Request]>::from(first).open()?;
    let fitted = match model::fit(source, &name(path), &mut |_, _| Ok(())) {
        Ok(model) => model,
        Err(error) => return Ok(writeln!(out, "| {} | {error} | | | | | |", name(path))?),
    };
    let theta = fitted_theta(first)?;
    let inputs = [
        first.to_vec(),
        second,
        all(&*fitted.input(count, SEED)?)?,
        all(&*zipf(first, THETA, count)?)?,
        all(&*zipf(first, theta, count)?)?,
    ]
    .map(|requests| packed(&requests));
    let space = inputs.iter().map(|input| input.1).max().unwrap_or(0).max(SMALLEST);
    for ftl in FTLS {
        let runs: Vec<Run> =
            inputs.iter().map(|input| run(ftl, space, &input.0)).collect::<Result<_, _>>()?;
        let hit = |run: &Run| format!("{:.1}", 100.0 * run.hit_ratio);
        let name = name(path);
        let hits: Vec<String> = runs.iter().map(hit).collect();
        writeln!(out, "| {name} | {ftl} hit % | {} |", hits.join(" | "))?;
        let wa = |run: &Run| run.wa.map_or("-".into(), |wa| format!("{wa:.2}"));
        let was: Vec<String> = runs.iter().map(wa).collect();
        writeln!(out, "| {name} | {ftl} WA | {} |", was.join(" | "))?;
        out.flush()?;
        for (score, rival) in scores.iter_mut().zip(&runs[3..]) {
            score.add(&runs[1], &runs[2], rival);
        }
    }
    Ok(())
}

impl Score {
    fn add(&mut self, real: &Run, model: &Run, rival: &Run) {
        let apart = |run: &Run| (run.hit_ratio - real.hit_ratio).abs();
        let won = apart(model) < apart(rival);
        *(if won { &mut self.hits_won } else { &mut self.hits_lost }) += 1;
        if let (Some(real), Some(model), Some(rival)) = (real.wa, model.wa, rival.wa) {
            let won = (model - real).abs() < (rival - real).abs();
            *(if won { &mut self.wa_won } else { &mut self.wa_lost }) += 1;
        }
    }
}

/// The requests on one volume without the regions that they leave out, and the space that takes.
fn packed(requests: &[Request]) -> (Arc<[Request]>, u64) {
    let regions = |r: &Request| r.offset / REGION..=(r.end() - 1) / REGION;
    let used: BTreeSet<(u32, u64)> =
        requests.iter().flat_map(|r| regions(r).map(|region| (r.volume, region))).collect();
    let numbers: BTreeMap<(u32, u64), u64> = used.into_iter().zip(0..).collect();
    let place = |r: &Request| {
        let region = numbers[&(r.volume, r.offset / REGION)];
        Request { volume: 0, offset: region * REGION + r.offset % REGION, ..*r }
    };
    (requests.iter().map(place).collect(), numbers.len() as u64 * REGION)
}

/// The pattern with the mix and the space of these requests.
fn zipf(like: &[Request], theta: f64, requests: Option<u64>) -> Result<Box<dyn Input>, Error> {
    let mut sizes: BTreeMap<u32, u32> = BTreeMap::new();
    like.iter().for_each(|request| *sizes.entry(request.length).or_default() += 1);
    let longest = sizes.keys().last().map_or(0, |length| u64::from(*length));
    let reads = like.iter().filter(|request| request.op == Op::Read).count();
    let config = WorkloadConfig {
        pattern: Pattern::Zipf,
        read_share: Some(Ratio(reads as f64 / like.len() as f64)),
        bs_mix: sizes.iter().map(|(b, n)| (Bytes(u64::from(*b)), f64::from(*n))).collect(),
        size: Some(Bytes(packed(like).1.max(longest))),
        align: Some(Bytes(4096)),
        requests,
        zipf_theta: theta,
        ..WorkloadConfig::default()
    };
    workload::open(&config, SEED)
}

/// The exponent between 0 and 2 with which the pattern has as many distinct pages as `real`.
fn fitted_theta(real: &[Request]) -> Result<f64, Error> {
    let distinct = |requests: &[Request]| {
        let pages = |r: &Request| r.offset / 4096..=(r.end() - 1) / 4096;
        let each = requests.iter().flat_map(|r| pages(r).map(|page| (r.volume, page)));
        each.collect::<BTreeSet<_>>().len()
    };
    let wanted = distinct(real);
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..7 {
        let middle = (low + high) / 2.0;
        let found = distinct(&all(&*zipf(real, middle, Some(real.len() as u64))?)?);
        if found > wanted { low = middle } else { high = middle }
    }
    Ok((low + high) / 2.0)
}

struct Run {
    hit_ratio: f64,
    wa: Option<f64>,
}

fn run(ftl: &str, space: u64, input: &dyn Input) -> Result<Run, Box<dyn std::error::Error>> {
    let warmup = if space > LARGEST_OVERWRITTEN { "sequential" } else { "random:1" };
    let tree = serde_json::json!({
        "preset": "tpftl-eurosys15",
        "run": { "warmup": warmup, "verify": false },
    });
    let config = Catalog::standard().resolve(tree.as_object().ok_or("a table")?)?;
    let extent = Extent { volume: 0, first_byte: 0, end_byte: space };
    let address = AddressMap::new(AddressPolicy::Overlay, &[extent], Some(space))?;
    let mut simulator = Catalog::standard().find(ftl)?.simulate(&config, space, address)?;
    let report = drive(simulator.as_mut(), ftl, input, &mut |_| Ok(()))?;
    let hit_ratio = report.mapping.and_then(|mapping| mapping.hit_ratio).ok_or("no mapping")?;
    let enough = report.host.page_writes >= FEWEST_WRITES;
    Ok(Run { hit_ratio, wa: report.write_amplification.filter(|_| enough) })
}
