//! Each profile's published figures beside those of the generated stream, and its LRU curve beside
//! the published one: `cargo run --release --example profile_table [SEED]` prints Markdown.

use ftlab::Error;
use ftlab::locality::{MissRatioCurve, PAGES_MAX, ReuseDistances};
use ftlab::request::{Op, Request};
use ftlab::workload::model::{Curve, Figure};
use ftlab::workload::{Model, PROFILES};
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(1), |text| text.parse())?;
    let out = &mut std::io::stdout().lock();
    for profile in PROFILES {
        let model = profile.model();
        let requests = collect(&model, seed)?;
        writeln!(out, "\n| {} | published | generated | source |", profile.name)?;
        writeln!(out, "|---|---:|---:|---|")?;
        for Figure { name, value, source } in &model.published.figures {
            let measured = measure(name, &requests);
            writeln!(out, "| {name} | {value} | {measured:.2} | {source} |")?;
        }
        if let Some(curve) = &model.published.curve {
            print_curve(curve, &requests, out)?;
        }
    }
    Ok(())
}

fn collect(model: &Model, seed: u64) -> Result<Vec<Request>, Error> {
    let mut source = model.clone().input(None, seed)?.open()?;
    let mut all = Vec::new();
    loop {
        let before = all.len();
        source.fill(&mut all)?;
        if all.len() == before {
            return Ok(all);
        }
    }
}

/// The value of a figure by its name.
fn measure(figure: &str, requests: &[Request]) -> f64 {
    let n = requests.len() as f64;
    let count = |op| requests.iter().filter(|r| r.op == op).count() as f64;
    let seconds = requests.last().map_or(0.0, |r| r.time as f64 / 1e9);
    match figure {
        "requests" => n,
        "reads" => count(Op::Read),
        "writes" => count(Op::Write),
        "write_percent" => 100.0 * count(Op::Write) / n,
        "minutes" => seconds / 60.0,
        "requests_per_s" => n / seconds,
        "volumes" => written_shares(requests).len() as f64,
        "mean_kib" => requests.iter().map(|r| f64::from(r.length)).sum::<f64>() / n / 1024.0,
        "sequential_read_percent" => sequential_overlaid(requests, Op::Read),
        "sequential_write_percent" => sequential_overlaid(requests, Op::Write),
        "sequential_per_volume_percent" => sequential_per_volume(requests),
        "overlaid_mib" => {
            requests.iter().map(Request::end).max().unwrap_or(0) as f64 / f64::from(1 << 20)
        }
        "least_written_volume_percent" => {
            100.0 * written_shares(requests).into_iter().fold(1.0, f64::min)
        }
        "most_written_volume_percent" => {
            100.0 * written_shares(requests).into_iter().fold(0.0, f64::max)
        }
        _ => f64::NAN,
    }
}

/// Percent of an operation's requests that start where the previous request ended.
fn sequential_overlaid(requests: &[Request], op: Op) -> f64 {
    let follows = |pair: &&[Request]| pair[1].op == op && pair[1].offset == pair[0].end();
    let all = requests.iter().filter(|r| r.op == op).count();
    100.0 * requests.windows(2).filter(follows).count() as f64 / all as f64
}

/// Mean over volumes of the percentage that start where their volume's previous request ended.
fn sequential_per_volume(requests: &[Request]) -> f64 {
    let mut volumes = vec![(u64::MAX, 0.0, 0.0); 64];
    for request in requests {
        let (end, follows, all) = &mut volumes[request.volume as usize];
        *follows += f64::from(u8::from(*end == request.offset));
        *all += 1.0;
        *end = request.end();
    }
    volumes.retain(|v| v.2 > 0.0);
    100.0 * volumes.iter().map(|v| v.1 / v.2).sum::<f64>() / volumes.len() as f64
}

/// Share of writes of each volume that occurs.
fn written_shares(requests: &[Request]) -> Vec<f64> {
    let mut volumes = vec![(0.0, 0.0); 64];
    for request in requests {
        let (writes, all) = &mut volumes[request.volume as usize];
        *writes += f64::from(u8::from(request.op == Op::Write));
        *all += 1.0;
    }
    volumes.into_iter().filter(|v| v.1 > 0.0).map(|v| v.0 / v.1).collect()
}

fn print_curve(curve: &Curve, requests: &[Request], out: &mut dyn Write) -> std::io::Result<()> {
    let apart = lru_curve(requests, |request| request.volume);
    let overlaid = lru_curve(requests, |_| 0);
    let (accesses, pages) = (apart.accesses(), apart.pages());
    let over = overlaid.pages();
    writeln!(out, "\n{accesses} page accesses; {pages} distinct pages, {over} overlaid\n")?;
    writeln!(out, "| cache (4 KiB blocks) | published LRU miss % | generated | overlaid |")?;
    writeln!(out, "|---:|---:|---:|---:|")?;
    for (blocks, miss) in &curve.points {
        let (found, over) = (apart.miss_ratio(*blocks), overlaid.miss_ratio(*blocks));
        let (found, over) = (100.0 * found, 100.0 * over);
        writeln!(out, "| {blocks} | {miss:.1} | {found:.1} | {over:.1} |")?;
    }
    Ok(())
}

fn lru_curve(requests: &[Request], volume: impl Fn(&Request) -> u32) -> MissRatioCurve {
    let mut distances: ReuseDistances = ReuseDistances::new(PAGES_MAX);
    for request in requests {
        for page in request.offset / 4096..=(request.end() - 1) / 4096 {
            distances.access(volume(request), page);
        }
    }
    distances.curve()
}
