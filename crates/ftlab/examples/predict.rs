//! Whether fitted models are worth it: do FTLs make of a model what they make of the trace, and is
//! a Zipf pattern with the same mix as near? Prints Markdown.
//!
//! * `predict halves TRACE...`: the model of the first half predicts the second half. The first
//!   half itself is in the table too: what the halves do not share cannot be predicted.
//! * `predict development`, `predict apart`: the models of whole traces predict these. `fit` was
//!   developed on one half of the real traces, and the other half was kept apart ([`DEVELOPMENT`],
//!   [`APART`]); they are in the folder `normalized` below `FTLAB_TRACES`.
//!
//! All inputs of a trace have equally many requests and run on the same device: full, and written
//! over once more at random, so that garbage collection works from the first request on (beyond
//! 8 GiB only full: WA is that of the mapping). Cache and device are those of `tpftl-eurosys15`.
//! Regions of 4 MiB (what a translation page maps) that an input leaves out are left out: the
//! device has the regions of the largest of them, in the order of addresses.
//!
//! The pattern has the share of reads, the sizes of requests and the regions of what the model was
//! fitted to; its exponent is 0.99, and again the one that makes as many distinct pages.

use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::drive::drive;
use ftlab::request::{Input, Op, Request};
use ftlab::trace::{self, TimeOrder, TraceOptions};
use ftlab::units::{Bytes, Ratio};
use ftlab::workload::{self, Pattern, WorkloadConfig, model};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
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
/// Requests of a trace that are fitted and predicted, the first ones.
const REQUESTS: usize = 10_000;

/// The real traces in the order of their names, related ones together (pieces of the same server,
/// phone or array), were dealt to two halves in turn before any figure was looked at. Traces that
/// repeat another are left out.
const DEVELOPMENT: [&str; 11] = [
    "CloudPhysics_libCacheSim_113872.csv",
    "HP_hplajw_1week.csv",
    "MSR-SSD_iozone-aligned2-100K.disksim.trace",
    "MSR_cut10k_rw_20_80.105.trace",
    "MSR_cut10k_rw_40_60.1370.trace",
    "MSR_hm_0.first1000.csv",
    "MSR_web_0-3.first1000each.merged.csv",
    "Systor17_a.first999.csv",
    "Systor17_b.first999.csv",
    "WebSearch1.first50000.flashsim.trace",
    "tpcc-small.mqsim.trace",
];
/// Not looked at while `fit` was developed.
const APART: [&str; 9] = [
    "Financial1.first50002.DERIVED-noasu.spc",
    "MSPS_MSNFS.150k.disksim.trace",
    "MSR-SSD_postmark-aligned2.disksim.trace",
    "MSR_prxy_0.first20000.csv",
    "Nexus5_Booting.biotracer.txt",
    "Nexus5_CallOut.biotracer.txt",
    "Nexus5_Movie.biotracer.txt",
    "Tencent_CBS.first50000.csv",
    "desktop_kaist.flashsim.trace",
];

/// What a trace is split into: the requests that are fitted, and those that are predicted.
struct Case {
    name: String,
    real: Vec<Request>,
    /// `None`: the same.
    fitted: Option<Vec<Request>>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = &mut std::io::stdout().lock();
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let cases: Box<dyn Iterator<Item = Result<Case, Error>>> = match what.as_str() {
        "halves" => Box::new(arguments.map(|path| halves(&path))),
        "development" => Box::new(wholes(&DEVELOPMENT)?),
        "apart" => Box::new(wholes(&APART)?),
        _ => return Err(format!("found {what:?}, expected halves, development or apart").into()),
    };
    let (first, line) = if what == "halves" { (" first half |", "---:|") } else { ("", "") };
    writeln!(out, "| trace | figure | real | model | zipf 0.99 | zipf fitted |{first}")?;
    writeln!(out, "|---|---|---:|---:|---:|---:|{line}")?;
    let mut scores = [[Score::default(); 2]; 2];
    for case in cases {
        compare(case?, &mut scores, out)?;
    }
    writeln!(out, "\n| mean error | rows | model | zipf 0.99 | zipf fitted | model nearer than |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---|")?;
    for (ftl, [hits, wa]) in FTLS.iter().zip(&scores) {
        writeln!(out, "| {ftl} hit ratio, points | {hits} |")?;
        writeln!(out, "| {ftl} WA, % | {wa} |")?;
    }
    Ok(())
}

fn name(path: &str) -> String {
    let file = Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    file.split(".spc.zst").next().unwrap_or_default().to_owned()
}

/// The first requests of these traces, which are fitted and predicted.
fn wholes(names: &'static [&str]) -> Result<impl Iterator<Item = Result<Case, Error>>, String> {
    let folder = std::env::var("FTLAB_TRACES").map_err(|_| "FTLAB_TRACES names no folder")?;
    Ok(names.iter().map(move |name| {
        let mut real = read(&format!("{folder}/normalized/{name}.spc.zst"))?;
        real.truncate(REQUESTS);
        Ok(Case { name: (*name).to_owned(), real, fitted: None })
    }))
}

/// A trace in two parts, each beginning at time 0.
fn halves(path: &str) -> Result<Case, Error> {
    let mut first = read(path)?;
    let mut real = first.split_off(first.len() / 2);
    let start = real.first().map_or(0, |request| request.time);
    real.iter_mut().for_each(|request| request.time -= start);
    Ok(Case { name: name(path), real, fitted: Some(first) })
}

/// The reads and writes of a trace.
fn read(path: &str) -> Result<Vec<Request>, Error> {
    let options = TraceOptions { order: Some(TimeOrder::Clamp), ..TraceOptions::default() };
    all(&*trace::open(path, &options)?)
}

fn all(input: &dyn Input) -> Result<Vec<Request>, Error> {
    let mut requests = input.open()?.rest()?;
    requests.retain(|request| request.op.has_data());
    Ok(requests)
}

fn compare(
    Case { name, real, fitted: first }: Case,
    scores: &mut [[Score; 2]; 2],
    out: &mut dyn Write,
) -> Result<(), Box<dyn std::error::Error>> {
    let count = Some(real.len() as u64);
    let fitted = first.as_ref().unwrap_or(&real);
    let source = &mut *Arc::<[Request]>::from(&fitted[..]).open()?;
    let model = match model::fit(source, &name, &mut |_, _| Ok(())) {
        Ok(model) => model,
        Err(error) => return Ok(writeln!(out, "| {name} | {error} |")?),
    };
    let theta = fitted_theta(fitted)?;
    let made = all(&*model.input(count, SEED)?)?;
    let [pattern, nearer] = [THETA, theta].map(|theta| all(&*zipf(fitted, theta, count)?));
    let all = [real, made, pattern?, nearer?].into_iter().chain(first);
    let inputs: Vec<_> = all.map(|requests| packed(&requests)).collect();
    let space = inputs.iter().map(|input| input.1).max().unwrap_or(0).max(SMALLEST);
    for (ftl, [hits, wa]) in FTLS.iter().zip(scores) {
        let runs: Vec<Run> =
            inputs.iter().map(|input| run(ftl, space, &input.0)).collect::<Result<_, _>>()?;
        let ratios: Vec<Option<f64>> = runs.iter().map(|run| Some(100.0 * run.hit_ratio)).collect();
        writeln!(out, "| {name} | {ftl} hit % | {} |", row(&ratios, 1))?;
        hits.add(&ratios, 1.0);
        let was: Vec<Option<f64>> = runs.iter().map(|run| run.wa).collect();
        writeln!(out, "| {name} | {ftl} WA | {} |", row(&was, 2))?;
        let percent = 100.0 / was[0].unwrap_or(1.0);
        wa.add(&was, percent);
        out.flush()?;
    }
    Ok(())
}

/// The cells of a row.
fn row(values: &[Option<f64>], digits: usize) -> String {
    let told = |value: &Option<f64>| value.map_or("-".into(), |value| format!("{value:.digits$}"));
    values.iter().map(told).collect::<Vec<String>>().join(" | ")
}

/// How far model and patterns were from the real requests, and how often the model was nearer.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    rows: u32,
    errors: [f64; 3],
    nearer: [u32; 2],
}

impl Score {
    /// A row of a table, in which an error counts so much.
    fn add(&mut self, values: &[Option<f64>], weight: f64) {
        let &[Some(real), Some(model), Some(zipf), Some(fitted), ..] = values else { return };
        let errors = [model, zipf, fitted].map(|value| weight * (value - real).abs());
        self.rows += 1;
        for (sum, error) in self.errors.iter_mut().zip(errors) {
            *sum += error;
        }
        for (nearer, error) in self.nearer.iter_mut().zip(&errors[1..]) {
            *nearer += u32::from(errors[0] < *error);
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [model, zipf, fitted] = self.errors.map(|sum| sum / f64::from(self.rows.max(1)));
        let [of_zipf, of_fitted] = self.nearer;
        write!(f, "{} | {model:.1} | {zipf:.1} | {fitted:.1} | ", self.rows)?;
        write!(f, "zipf 0.99 in {of_zipf}, fitted in {of_fitted}")
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
