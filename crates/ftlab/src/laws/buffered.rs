//! A whole simulation under way: a write buffer above an FTL, and requests in open loop, some after
//! idle time. Requests begin and end anywhere in their pages. The FTL checks run after every
//! request.

use super::case::{Case, PAGE};
use crate::address::{AddressMap, AddressPolicy, Extent};
use crate::buffer::BufferManager;
use crate::catalog::Entry;
use crate::config::Config;
use crate::flash::{Cause, Operation};
use crate::report::{Report, SpeedReport, TraceReport};
use crate::request::{Op, Request};
use crate::rng::Rng;
use crate::simulate::{Role, Simulator};
use crate::units::{Lpn, Nanos};
use crate::warmup::{Warmup, WarmupReport};
use serde_json::{Value, json};
use std::ops::Range;
use std::time::Duration;

pub struct Buffered {
    simulator: Box<dyn Simulator>,
    address: AddressMap,
    gaps: Rng,
    cuts: Rng,
    time: Nanos,
    pages: u32,
}

impl Buffered {
    pub fn new(case: &Case<'_>) -> Buffered {
        let capacity = case.config.device.capacity.map_or(0, |bytes| bytes.0);
        let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
        let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity));
        let address = address.expect("an address map");
        let simulator = case.entry.simulate(&case.config, capacity, address.clone());
        Buffered {
            simulator: simulator.expect("a device that the FTL accepts"),
            address,
            gaps: Rng::new(case.seed(), "gaps"),
            cuts: Rng::new(case.seed(), "cuts"),
            time: 0,
            pages: (capacity / PAGE) as u32,
        }
    }

    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Serves a request and checks every law.
    pub fn step(&mut self, op: Op, pages: &[Lpn]) -> Request {
        let mut bytes =
            u64::from(pages[0].0) * PAGE..(u64::from(pages[0].0) + pages.len() as u64) * PAGE;
        if op != Op::Trim && self.cuts.chance(0.5) {
            bytes.start += self.cuts.below(PAGE);
            bytes.end = (bytes.end - self.cuts.below(PAGE)).max(bytes.start + 1);
        }
        let request = self.serve(op, bytes);
        self.simulator.check();
        request
    }

    /// Serves a request, at once or after some idle time.
    fn serve(&mut self, op: Op, bytes: Range<u64>) -> Request {
        if self.gaps.chance(0.5) {
            self.time += self.gaps.below(40_000);
        }
        let request = Request::new(op, bytes.start, (bytes.end - bytes.start) as u32).at(self.time);
        self.simulator.serve(&[request], Role::Asked).expect("inside the device");
        request
    }

    /// Flushes: all that was acknowledged is on flash.
    pub fn flush(&mut self) {
        self.serve(Op::Flush, 0..0);
        self.simulator.check();
        let outcome = self.simulator.outcome();
        let above = outcome.buffer.map(BufferManager::counts).unwrap_or_default();
        assert_eq!(above.plus(outcome.ftl.buffered()).dirty, 0, "pages in RAM after a flush");
    }

    /// Reads every page; each is compared with the last version written, in RAM or on flash.
    pub fn read_everything(&mut self) {
        for page in 0..u64::from(self.pages) {
            self.serve(Op::Read, page * PAGE..(page + 1) * PAGE);
        }
        self.simulator.check();
    }

    /// Compares the reads without a write buffer with the number of completed pages.
    pub fn reads_for_parts_are(&self, completed: u64) {
        let outcome = self.simulator.outcome();
        let reads = [Cause::Host, Cause::ReadModifyWrite]
            .map(|cause| outcome.flash.ledger().get(Operation::Read, cause));
        let all = reads.iter().sum::<u64>() + outcome.ftl.buffered().read_hits;
        assert_eq!(all, outcome.host.page_reads + completed, "reads for the host and for parts");
        self.completions_are(completed);
    }

    /// Compares the reads that complete pages with their number. Pages in the FTL's own RAM need no
    /// flash.
    pub fn completions_are(&self, completed: u64) {
        let outcome = self.simulator.outcome();
        let reads = outcome.flash.ledger().get(Operation::Read, Cause::ReadModifyWrite);
        let as_many = reads == completed || outcome.spec.keeps_writes && reads < completed;
        assert!(as_many, "{reads} reads for {completed} pages that were written in part");
    }

    /// Writes every page to flash, and resets the counts.
    pub fn write_everything(&mut self) {
        self.serve(Op::Write, 0..u64::from(self.pages) * PAGE);
        self.simulator.drain().expect("a buffer");
        self.simulator.start_measuring();
        self.time = 0;
    }

    /// A copy, if the FTL can be copied.
    pub fn twin(&self) -> Option<Buffered> {
        let simulator = self.simulator.twin()?;
        let (gaps, cuts, address) = (self.gaps.clone(), self.cuts.clone(), self.address.clone());
        Some(Buffered { simulator, gaps, cuts, address, ..*self })
    }

    /// Goes on under a configuration with another host.
    pub fn go_on_as(&mut self, config: &Config) {
        self.simulator.go_on_as(config, self.address.clone());
    }

    /// Whether a decision may have depended on the times of requests.
    pub fn used_times(&self) -> bool {
        self.simulator.used_times()
    }

    /// Serves what waits, and begins again at time 0.
    pub fn end_of_pass(&mut self) {
        self.simulator.finish().expect("inside the device");
        self.simulator.rewind();
        self.time = 0;
    }

    /// Resets the counts.
    pub fn start_measuring(&mut self) {
        self.simulator.start_measuring();
    }

    /// All metrics of the run, as in its report.
    pub fn figures(&mut self, entry: &Entry) -> Value {
        let outcome = self.simulator.outcome();
        let speed = SpeedReport::new(&outcome, Duration::ZERO, Duration::ZERO);
        let warmup = WarmupReport::new(Warmup::NONE);
        let mut report = Report::new(entry.name(), &outcome, warmup, TraceReport::default(), speed);
        report.add_recovery(self.simulator.recovery(), &entry.spec);
        report.add_flushed_at_end(self.simulator.drain());
        json!(report)
    }

    /// Empties the buffer: the writes of the host are on flash, except those that later writes
    /// superseded.
    pub fn drain(&mut self) {
        self.simulator.drain().expect("a buffer");
        self.simulator.check();
        let outcome = self.simulator.outcome();
        let counts = outcome.buffer.expect("a buffer").counts().plus(outcome.ftl.buffered());
        assert_eq!(counts.dirty, 0, "pages in RAM after everything was flushed");
        let programs = |cause| outcome.flash.ledger().get(Operation::Program, cause);
        let needed = outcome.host.page_writes + counts.padded_pages - counts.absorbed;
        let found = programs(Cause::Host) + programs(Cause::Padding);
        assert_eq!(found, needed, "pages programmed for the host and to pad groups");
    }
}
