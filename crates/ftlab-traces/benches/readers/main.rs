//! How fast each reader is, from bytes in memory to checked requests, by time of the processor, and what it takes to
//! recognise its format.
//!
//! `cargo bench -p ftlab-traces` or `make bench`; behind it names of formats
//! (`cargo bench -p ftlab-traces -- spc msr`). The best of several passes counts, as the machine has other
//! things to do. What is measured of all is kept in `target/bench/readers.json`.

mod inputs;

use ftlab_traces::request::BATCH;
use ftlab_traces::trace::{FORMATS, TraceOptions, read_stream};
use inputs::{INPUTS, Made};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::io::Cursor;

const REQUESTS: u64 = 300_000;
const PASSES: usize = 7;

fn main() -> std::io::Result<()> {
    let asked: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    eprintln!("{:<16}{:>14}{:>10}{:>18}", "reader", "M requests/s", "MB/s", "recognised, ms");
    let mut readers = Vec::new();
    let unmeasured = |name: &str| INPUTS.iter().all(|(measured, _)| *measured != name);
    let missing = FORMATS.iter().map(|format| format.name).find(|name| unmeasured(name));
    assert_eq!(missing, None, "each format has an input");
    for (name, input) in INPUTS {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            readers.push(measured(name, &input(REQUESTS)));
        }
    }
    if asked.is_empty() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench");
        std::fs::create_dir_all(folder)?;
        let all = json!({ "readers": readers });
        std::fs::write(format!("{folder}/readers.json"), format!("{all:#}\n"))?;
    }
    Ok(())
}

/// Reads the same bytes several times.
fn measured(name: &str, made: &Made) -> Value {
    let seconds = (0..PASSES).map(|_| pass(made)).fold(f64::INFINITY, f64::min);
    let (rate, bytes) = (REQUESTS as f64 / seconds, made.bytes.len() as f64 / seconds);
    let recognised = (0..PASSES).filter_map(|_| recognised(made)).reduce(f64::min);
    let shown = recognised.map(|seconds| format!("{:.2}", seconds * 1e3)).unwrap_or_default();
    eprintln!("{name:<16}{:>14.2}{:>10.0}{shown:>18}", rate / 1e6, bytes / 1e6);
    json!({ "name": name, "requests_per_s": rate, "bytes_per_s": bytes, "recognised_s": recognised })
}

/// Seconds of a processor until a trace without the name of its format is open; `None` if it needs the name.
fn recognised(made: &Made) -> Option<f64> {
    let options = TraceOptions { format: None, ..made.options.clone() };
    let stream = Box::new(Cursor::new(made.bytes.clone()));
    let start = processor_seconds();
    read_stream(stream, &options).ok()?;
    Some(processor_seconds() - start)
}

/// Seconds of a processor that one pass takes.
fn pass(made: &Made) -> f64 {
    let stream = Box::new(Cursor::new(made.bytes.clone()));
    let start = processor_seconds();
    let mut source = read_stream(stream, &made.options).expect("a trace");
    let mut batch = Vec::with_capacity(BATCH);
    let mut read = 0;
    loop {
        batch.clear();
        source.fill(&mut batch).expect("requests");
        if batch.is_empty() {
            break;
        }
        read += batch.len() as u64;
    }
    assert_eq!(read, REQUESTS, "each line is a request");
    processor_seconds() - start
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
