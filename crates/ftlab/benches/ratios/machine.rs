//! The machine that a benchmark ran on, and what it did meanwhile.

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::fs::read_to_string;
use std::time::Instant;

/// What a piece of work has cost.
#[derive(Clone, Copy)]
pub struct Cost {
    /// Seconds by the clock on the wall.
    pub wall: f64,
    /// Seconds of a processor.
    pub processor: f64,
}

/// Does the work, and tells what it cost.
pub fn cost(work: impl FnOnce()) -> Cost {
    let (start, used) = (Instant::now(), processor_seconds());
    work();
    Cost { wall: start.elapsed().as_secs_f64(), processor: processor_seconds() - used }
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Hundredths of a second that this machine was kept waiting by others on its host, over all processors; 0 where
/// that is not known.
pub fn stolen() -> u64 {
    let stat = read_to_string("/proc/stat").unwrap_or_default();
    let steal = stat.lines().next().and_then(|line| line.split_whitespace().nth(8));
    steal.and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

/// Bytes of this process that are in RAM; 0 where that is not known.
pub fn resident() -> u64 {
    let sizes = read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = sizes.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.map_or(0, |pages| pages * rustix::param::page_size() as u64)
}

/// Processor, RAM and system, as far as they are known.
pub fn description() -> Value {
    let field = |file: &str, name: &str| {
        let text = read_to_string(file).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let uname = rustix::system::uname();
    json!({
        "processor": field("/proc/cpuinfo", "model name"),
        "processors": std::thread::available_parallelism().map_or(1, usize::from),
        "memory": field("/proc/meminfo", "MemTotal"),
        "system": format!("{} {}", uname.sysname().to_string_lossy(), uname.release().to_string_lossy()),
    })
}
