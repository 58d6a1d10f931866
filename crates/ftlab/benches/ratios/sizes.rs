//! Time per flash operation, and memory, from a small device to a large one.

use crate::contest::{Run, Spread};
use crate::stripped::{Large, PER_BLOCK};
use crate::{PAGE, machine, measure, simulator, uniform, write};
use ftlab::config::Config;
use ftlab::ftl::BlockOptimizedConfig;
use ftlab::request::{BATCH, Request};
use ftlab::simulate::{Role, Simulator};
use serde::{Deserialize, Serialize};
use std::process::{Command, Stdio};

/// Asks this program for one row, in a process of its own.
pub const ASKS_FOR_ROW: &str = "--row";

const WRITES: usize = 500_000;
/// The writes are done with and without early loads in turn.
const TURNS: usize = 10;
const SHIFTS: [u32; 6] = [29, 31, 33, 35, 37, 39];
/// A device of which only a part is ever written: 1 TiB.
const LARGEST: u64 = 1 << 40;
/// Only the first of so many parts of it.
const SPARSE: u64 = 20;

/// One FTL on a device of one size.
#[derive(Debug, Deserialize, Serialize)]
pub struct Row {
    pub ftl: String,
    /// Bytes.
    pub capacity: u64,
    /// The part of the capacity that is written before, in order.
    pub filled: f64,
    /// ns per flash operation of uniform writes, with what the next requests touch loaded early.
    pub time: f64,
    /// The same without.
    pub time_without: f64,
    /// Bytes in RAM.
    pub memory: u64,
    /// For each physical page.
    pub memory_per_page: f64,
}

/// Uniform writes to what is filled of a device, with spare blocks for all of them, so that page-level FTLs have no GC; those
/// with log blocks for each logical block merge where a device is so small that these fill. Each row is measured in a process of its own, whose memory nothing else has used.
pub fn rows(names: &[&str], mut tell: impl FnMut(&Row)) -> Vec<Row> {
    let full = SHIFTS.iter().map(|shift| (1_u64 << shift, 1));
    let devices = full.chain([(LARGEST, SPARSE)]);
    let all = devices.flat_map(|device| names.iter().map(move |name| (device, *name)));
    let rows = all.map(|((capacity, part), ftl)| {
        let itself = std::env::current_exe().expect("this program");
        let asked = [ASKS_FOR_ROW, ftl, &capacity.to_string(), &part.to_string()];
        let mut measuring = Command::new(itself);
        let output = measuring.args(asked).stderr(Stdio::inherit()).output().expect("a process");
        serde_json::from_slice(&output.stdout).expect("a row")
    });
    rows.inspect(|row| tell(row)).collect()
}

/// The row of an FTL, the bytes of a device, and of how many pages of it one was written.
pub fn row(asked: &[String]) -> Row {
    let [ftl, capacity, part] = asked else { panic!("{asked:?}") };
    let read = |text: &String| text.parse::<u64>().expect("a number");
    let (capacity, part) = (read(capacity), read(part));
    let requests = uniform(WRITES, capacity / part);
    let before = machine::resident();
    let mut device = filled(ftl, capacity, part);
    let memory = machine::resident() - before;
    let mut time = |early, requests: &[Request]| {
        let run = device.write(requests, early);
        1e9 * run.cost.wall / run.operations as f64
    };
    let mut times = [Vec::new(), Vec::new()];
    for (turn, writes) in requests.chunks(WRITES / TURNS).enumerate() {
        times[turn % 2].push(time(turn % 2 == 0, writes));
    }
    let [time, time_without] = times.map(|times| Spread::of(times).median);
    Row {
        ftl: ftl.clone(),
        capacity,
        filled: 1.0 / part as f64,
        time,
        time_without,
        memory,
        memory_per_page: memory as f64 / f64::from(blocks(capacity) * PER_BLOCK),
    }
}

/// A simulated device, or the loop of one.
trait Device {
    /// Writes a page with each request, before anything is measured.
    fn fill(&mut self, requests: &[Request]);

    /// Measures a page written with each request. `early` loads what the next requests touch.
    fn write(&mut self, requests: &[Request], early: bool) -> Run;
}

impl Device for Large {
    fn fill(&mut self, requests: &[Request]) {
        Large::write(self, requests, false);
    }

    fn write(&mut self, requests: &[Request], early: bool) -> Run {
        Large::write(self, requests, early)
    }
}

impl Device for Box<dyn Simulator> {
    fn fill(&mut self, requests: &[Request]) {
        self.serve(requests, Role::Fill).expect("inside the device");
    }

    fn write(&mut self, requests: &[Request], early: bool) -> Run {
        self.load_early(early);
        measure(self.as_mut(), requests)
    }
}

/// Blocks of a device: translation pages and one write-back for each write need room, too.
fn blocks(capacity: u64) -> u32 {
    (capacity / PAGE / u64::from(PER_BLOCK) * 1002 / 1000) as u32 + 3 * WRITES as u32 / PER_BLOCK
}

/// A device of which one in `part` pages was written: the first, in order.
fn filled(ftl: &str, capacity: u64, part: u64) -> Box<dyn Device> {
    let mut device: Box<dyn Device> = match ftl {
        Large::NAME => Box::new(Large::new((capacity / PAGE) as u32, blocks(capacity))),
        ftl => Box::new(simulated(ftl, capacity)),
    };
    let pages = capacity / part / PAGE;
    for first in (0..pages).step_by(BATCH) {
        let batch = first..pages.min(first + BATCH as u64);
        device.fill(&batch.map(|page| write(PAGE * page)).collect::<Vec<_>>());
    }
    device
}

fn simulated(ftl: &str, capacity: u64) -> Box<dyn Simulator> {
    let mut config = Config::default();
    // Pages come one by one: without, each would rewrite its block.
    config.own.set(BlockOptimizedConfig { append: true });
    config.device.blocks = Some(blocks(capacity));
    simulator(ftl, &config, capacity)
}
