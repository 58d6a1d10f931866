//! Requests generated per second on one core, for every pattern and profile:
//! `cargo run --release --example generate_speed`.

use ftlab_traces::Error;
use ftlab_traces::request::Input;
use ftlab_traces::workload::{PROFILES, Pattern, WorkloadConfig, open, profile};
use std::io::Write;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = &mut std::io::stdout().lock();
    for &pattern in Pattern::ALL {
        let config =
            WorkloadConfig { pattern, requests: Some(10_000_000), ..WorkloadConfig::default() };
        let name = pattern.name();
        writeln!(out, "{name:>12} {:6.1} M requests/s", speed(&*open(&config, 1)?)? / 1e6)?;
    }
    for data in PROFILES {
        let input = profile(data.name, None, 1)?;
        writeln!(out, "{:>12} {:6.1} M requests/s", data.name, speed(&*input)? / 1e6)?;
    }
    Ok(())
}

fn speed(input: &dyn Input) -> Result<f64, Error> {
    let start = Instant::now();
    let mut source = input.open()?;
    let (mut batch, mut requests) = (Vec::new(), 0usize);
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            return Ok(requests as f64 / start.elapsed().as_secs_f64());
        }
        requests += batch.len();
    }
}
