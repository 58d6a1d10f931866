//! What the tests share: a device in one line, single-page requests, sums over the books.

use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::{self, Catalog};
use ftlab::config::Config;
use ftlab::drive;
use ftlab::flash::{Cause, Ledger, Operation};
use ftlab::ftl::Design;
use ftlab::request::{Op, Request};
use ftlab::rng::Rng;
use ftlab::simulate::Simulation;
use ftlab::units::Nanos;
use ftlab::warmup::WarmupReport;
use serde_json::Value;
use std::sync::Arc;

/// A configuration written as JSON.
pub fn config(tree: &Value) -> Config {
    Catalog::standard().resolve(tree.as_object().expect("a table")).expect("a good configuration")
}

/// An empty device of so many logical blocks.
pub fn simulation<F: Design>(config: &Config, logical_blocks: u32) -> Simulation<F> {
    let block = config.device.page.0 * u64::from(config.device.pages_per_block);
    let capacity = u64::from(logical_blocks) * block;
    let extent = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(AddressPolicy::Overlay, &[extent], None).expect("one volume");
    catalog::simulation(config, capacity, address).expect("a device")
}

/// A device after the warm-up of its configuration.
pub fn warm<F: Design>(config: &Config, logical_blocks: u32) -> Simulation<F> {
    let mut simulation = simulation(config, logical_blocks);
    warm_up(&mut simulation);
    simulation
}

/// Does the warm-up of a configuration, which needs no input.
pub fn warm_up<F: Design>(simulation: &mut Simulation<F>) -> WarmupReport {
    let none: Arc<[Request]> = Arc::new([]);
    drive::warm_up(simulation, &none, &mut |_| Ok(())).expect("a warm-up")
}

/// A request for `count` pages of 4 KiB from `lpn` on.
pub fn pages(op: Op, lpn: u32, count: u32, time: Nanos) -> Request {
    let page = 4096;
    Request::new(op, u64::from(lpn) * page, count * 4096).at(time)
}

/// A request for one page of 4 KiB, at time 0.
pub fn page(op: Op, lpn: u32) -> Request {
    pages(op, lpn, 1, 0)
}

/// Issue and completion of one request.
pub fn serve<F: Design>(simulation: &mut Simulation<F>, request: &Request) -> (Nanos, Nanos) {
    simulation.serve_one(request).expect("a request inside the device")
}

/// Uniform random single-page writes.
pub fn write_uniformly<F: Design>(simulation: &mut Simulation<F>, writes: u64, rng: &mut Rng) {
    let logical = u64::from(simulation.flash().geometry().logical_pages);
    for _ in 0..writes {
        serve(simulation, &page(Op::Write, rng.below(logical) as u32));
    }
}

/// Pages programmed over pages written by the host.
pub fn write_amplification<F: Design>(simulation: &Simulation<F>) -> f64 {
    let ledger = simulation.flash().ledger();
    ledger.pages_programmed() as f64 / ledger.get(Operation::Program, Cause::Host) as f64
}

/// Pages that GC copied and blocks that it erased.
pub fn copies_and_erases<F: Design>(simulation: &Simulation<F>) -> (u64, u64) {
    let ledger = simulation.flash().ledger();
    (ledger.get(Operation::Program, Cause::GcData), ledger.total(Operation::Erase))
}

/// Time that the counted operations take one after another.
pub fn work(ledger: &Ledger, config: &Config) -> Nanos {
    let device = &config.device;
    let transfer = device.transfer_per_byte.0 * device.page.0;
    ledger.total(Operation::Read) * (device.read.0 + transfer)
        + ledger.total(Operation::ReadOob) * device.oob_read.0
        + ledger.total(Operation::Program) * (device.program.0 + transfer)
        + ledger.total(Operation::CopyBack) * (device.read.0 + device.program.0)
        + ledger.total(Operation::Erase) * device.erase.0
}

/// Pages drawn by a given popularity: page `i` with probability `popularity[i]`.
pub struct Popular {
    cumulative: Vec<f64>,
}

impl Popular {
    pub fn new(popularity: &[f64]) -> Self {
        let mut sum = 0.0;
        let cumulative = popularity.iter().map(|p| {
            sum += p;
            sum
        });
        Popular { cumulative: cumulative.collect() }
    }

    pub fn draw(&self, rng: &mut Rng) -> u32 {
        let at = rng.unit();
        let page = self.cumulative.partition_point(|sum| *sum <= at);
        page.min(self.cumulative.len() - 1) as u32
    }
}

/// `found / expected - 1` in percent.
pub fn percent_off(found: f64, expected: f64) -> f64 {
    100.0 * (found / expected - 1.0)
}
