//! How fast traces decode on one core: `cargo run --release --example decode_speed [FILE...]`.
//!
//! Without files, an SPC trace is generated into a temporary file first, and converted into the
//! columnar store. Prints the best of five passes; MB/s are bytes of the file as it lies on disk.

use ftlab_traces::request::{Request, extents};
use ftlab_traces::trace::convert::convert;
use ftlab_traces::trace::{self, TraceOptions};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

const PASSES: usize = 5;
const GENERATED_REQUESTS: u64 = 4_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if !files.is_empty() {
        return files.iter().try_for_each(|file| measure(file));
    }
    let path = std::env::temp_dir().join(format!("ftlab_speed_{}.spc", std::process::id()));
    std::fs::write(&path, generate())?;
    let columnar = path.with_extension("parquet");
    let measured = measure_both(&path.to_string_lossy(), &columnar.to_string_lossy());
    std::fs::remove_file(&path)?;
    std::fs::remove_file(&columnar)?;
    measured
}

fn measure_both(text: &str, columnar: &str) -> Result<(), Box<dyn Error>> {
    measure(text)?;
    let started = Instant::now();
    let input = trace::open(text, &TraceOptions::default())?;
    let written = convert(input.as_ref(), columnar, None, &mut |_, _| Ok(()))?;
    let millions = written.requests as f64 / 1e6 / started.elapsed().as_secs_f64();
    writeln!(std::io::stdout(), "converted at {millions:.2} M requests/s")?;
    measure(columnar)
}

/// Lines like those of Financial1.
fn generate() -> String {
    let mut text = String::new();
    let mut state = 1u64;
    for i in 0..GENERATED_REQUESTS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (asu, lba, size) = (state >> 60, state >> 40 & 0xf_ffff, 512 + (state >> 33 & 7) * 512);
        let opcode = if state >> 20 & 3 == 0 { 'r' } else { 'w' };
        let (seconds, micros) = (i / 120, i % 120 * 8333);
        let _ = writeln!(text, "{asu},{lba},{size},{opcode},{seconds}.{micros:06}");
    }
    text
}

fn measure(file: &str) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::metadata(file)?.len();
    let input = trace::open(file, &TraceOptions::default())?;
    let mut best = f64::INFINITY;
    let mut requests = 0;
    for _ in 0..PASSES {
        let started = Instant::now();
        let mut source = input.open()?;
        let mut batch: Vec<Request> = Vec::new();
        requests = 0;
        loop {
            batch.clear();
            source.fill(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            requests += batch.len();
        }
        best = best.min(started.elapsed().as_secs_f64());
    }
    let mut measured = f64::INFINITY;
    for _ in 0..PASSES {
        let started = Instant::now();
        extents(input.open()?.as_mut(), &mut |_, _| Ok(()))?;
        measured = measured.min(started.elapsed().as_secs_f64());
    }
    let measuring_ns = 1e9 * (measured - best) / requests as f64;
    let (megabytes, millions) = (bytes as f64 / 1e6 / best, requests as f64 / 1e6 / best);
    let format = input.format();
    writeln!(
        std::io::stdout(),
        "{format:>8}  {requests:>9} requests  {megabytes:7.1} MB/s  {millions:6.2} M requests/s  \
         measuring adds {measuring_ns:.1} ns per request  {file}"
    )?;
    Ok(())
}
