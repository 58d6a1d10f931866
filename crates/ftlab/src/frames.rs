//! Frames: the state of a simulation after each `every` requests of its measured phase.
//!
//! A run without frames pays nothing for them. Between two frames a simulation works as usual. A
//! frame reads only counts that exist anyway, and the states of the blocks.

use crate::clock::Instant;
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Operation, Owner};
use crate::ftl::MappingCounts;
use crate::metrics::latency::Latencies;
use crate::request::Request;
use crate::simulate::{HostTotals, Outcome, Role, Simulator};
use crate::units::{Nanos, Pbn, Ppn};
use std::time::Duration;

/// Frames of a run of known length, if the caller does not set their distance.
const FRAMES: u64 = 240;

/// Requests between two frames if neither is known.
const EVERY: u64 = 1_000;

/// A simulation at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Requests served since measuring started.
    pub requests: u64,
    /// Requests of the input; `None` if unknown.
    pub of: Option<u64>,
    /// Completion of the last request, ns.
    pub time: Nanos,
    /// Metrics since measuring started, those of the result.
    pub so_far: Figures,
    /// The same since the frame before.
    pub window: Figures,
    /// For each plane, the busy share of the time since the frame before.
    pub planes: Vec<f64>,
    /// Flash operations by cause since measuring started, in the order of [`Cause::ALL`].
    pub operations: [u64; Cause::ALL.len()],
    /// Block erases since measuring started.
    pub erases: u64,
    /// Every block.
    pub blocks: Vec<Block>,
}

/// The metrics of a frame over some requests; `None` where nothing happened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Hits of the mapping cache / lookups; also `None` when the whole map is in RAM.
    pub hit_ratio: Option<f64>,
    /// Pages programmed / pages written by the host.
    pub write_amplification: Option<f64>,
    /// Mean response time, us.
    pub mean_us: Option<f64>,
    /// 99th percentile of the response time, us.
    pub p99_us: Option<f64>,
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Pages that hold the newest version of a page.
    pub valid: u32,
    /// Pages programmed or skipped since the last erase.
    pub written: u32,
    /// Pages that it has.
    pub pages: u32,
    /// Its content; `None` for an erased block.
    pub kind: Option<BlockKind>,
    /// The class of its user pages, where pages are separated.
    pub class: Option<u8>,
}

/// Called with each frame; an error stops the run.
pub type Show<'a> = &'a mut dyn FnMut(Frame) -> Result<(), Error>;

/// Takes frames of a simulation.
pub struct Frames<'a> {
    show: Show<'a>,
    of: Option<u64>,
    every: u64,
    /// Requests until the next frame.
    left: u64,
    last: Moment,
    spent: Duration,
}

impl<'a> Frames<'a> {
    /// A frame before the first request, one after each `every` requests, and one at the end. Without `every`,
    /// there are about 240 of the `of` requests of the input.
    #[must_use]
    pub fn new(every: Option<u64>, of: Option<u64>, show: Show<'a>) -> Self {
        let every = every.or(of.map(|of| of.div_ceil(FRAMES))).unwrap_or(EVERY).max(1);
        Frames { show, of, every, left: every, last: Moment::default(), spent: Duration::ZERO }
    }

    /// Takes the frame before the first request.
    pub(crate) fn first(&mut self, simulator: &dyn Simulator) -> Result<(), Error> {
        self.take(&simulator.outcome())
    }

    /// Serves requests in the order of the host, and takes frames in between.
    pub(crate) fn serve(
        &mut self,
        simulator: &mut dyn Simulator,
        mut batch: &[Request],
    ) -> Result<(), Error> {
        while !batch.is_empty() {
            let (now, later) = batch.split_at(batch.len().min(self.left as usize));
            simulator.serve(now, Role::Asked)?;
            self.left -= now.len() as u64;
            if self.left == 0 {
                self.left = self.every;
                self.take(&simulator.outcome())?;
            }
            batch = later;
        }
        Ok(())
    }

    /// Takes the frame at the end, if any request was served since the last. Returns the time that
    /// all frames took.
    pub(crate) fn last(&mut self, simulator: &dyn Simulator) -> Result<Duration, Error> {
        if simulator.requests() > self.last.host.requests {
            self.take(&simulator.outcome())?;
        }
        Ok(self.spent)
    }

    fn take(&mut self, outcome: &Outcome<'_>) -> Result<(), Error> {
        let start = Instant::now();
        let now = Moment::of(outcome);
        let ledger = outcome.flash.ledger();
        let of_cause = |cause| Operation::ALL.map(|each| ledger.get(each, cause)).iter().sum();
        let frame = Frame {
            requests: now.host.requests,
            of: self.of,
            time: now.host.duration,
            so_far: now.figures(),
            window: now.since(&self.last).figures(),
            planes: now.busy_since(&self.last),
            operations: Cause::ALL.map(of_cause),
            erases: ledger.total(Operation::Erase),
            blocks: blocks(outcome),
        };
        self.last = now;
        let shown = (self.show)(frame);
        self.spent += start.elapsed();
        shown
    }
}

/// The totals at a moment, from which metrics are computed.
#[derive(Default)]
struct Moment {
    host: HostTotals,
    mapping: MappingCounts,
    programs: u64,
    responses: Latencies,
    busy: Vec<Nanos>,
}

impl Moment {
    fn of(outcome: &Outcome<'_>) -> Self {
        Moment {
            host: outcome.host,
            mapping: outcome.ftl.mapping_counts().unwrap_or_default(),
            programs: outcome.flash.ledger().pages_programmed(),
            responses: outcome.responses(),
            busy: outcome.flash.timeline().plane_busy().collect(),
        }
    }

    /// The increase since an earlier moment.
    fn since(&self, then: &Moment) -> Moment {
        Moment {
            host: self.host.since(then.host),
            mapping: self.mapping.since(then.mapping),
            programs: self.programs - then.programs,
            responses: self.responses.since(&then.responses),
            busy: Vec::new(),
        }
    }

    fn figures(&self) -> Figures {
        let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let response = self.responses.summary();
        Figures {
            hit_ratio: ratio(self.mapping.hits, self.mapping.lookups),
            write_amplification: ratio(self.programs, self.host.page_writes),
            mean_us: response.map(|response| response.mean),
            p99_us: response.map(|response| response.p99),
        }
    }

    /// Work that continues after the last completion, or was put off, can exceed the whole time.
    fn busy_since(&self, then: &Moment) -> Vec<f64> {
        let time = (self.host.duration - then.host.duration).max(1) as f64;
        let before = then.busy.iter().copied().chain(std::iter::repeat(0));
        let busy = self.busy.iter().zip(before).map(|(now, before)| now - before);
        busy.map(|busy| (busy as f64 / time).min(1.0)).collect()
    }
}

fn blocks(outcome: &Outcome<'_>) -> Vec<Block> {
    let device = outcome.flash;
    let mut blocks: Vec<Block> = (0..device.geometry().blocks())
        .map(Pbn)
        .map(|pbn| Block {
            valid: device.valid_in(pbn),
            written: device.programmed_in(pbn),
            pages: device.pages_of(pbn),
            kind: content(device, pbn),
            class: outcome.ftl.class_of(pbn),
        })
        .collect();
    for pbn in outcome.ftl.log_blocks() {
        let block = &mut blocks[pbn.index()];
        block.kind = block.kind.map(|_| BlockKind::Log);
    }
    blocks
}

/// The content of the first programmed page of a block.
fn content(device: &Device, pbn: Pbn) -> Option<BlockKind> {
    if device.is_erased(pbn) {
        return None;
    }
    let first = device.geometry().first_page(pbn).0;
    let pages = (first..first + device.pages_of(pbn)).map(Ppn);
    Some(match pages.filter_map(|ppn| device.audit_owner(ppn)).next() {
        Some(Owner::Translation(_)) => BlockKind::Translation,
        _ => BlockKind::Data,
    })
}
