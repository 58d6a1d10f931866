//! The requests of all jobs as one stream.
//!
//! Jobs between two stone walls run together. Those with a rate or pauses come by their clocks. The others wait for the
//! device, which serves all that are in flight in turn: so in each round a job has as many requests as its depth. Turns are spread
//! evenly over a round (stride scheduling), and `flow` takes the place of the depth.

use super::Plan;
use super::worker::{LATEST, Worker};
use crate::error::Error;
use crate::request::{BATCH, Request, RequestSource};
use crate::units::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The length of a stride of weight 1.
const STRIDE: u128 = 1 << 32;

pub(super) struct Stream {
    plan: Plan,
    /// The next stage, and the workers of this one.
    stage: usize,
    workers: Vec<(Worker, u128)>,
    /// The next request of each worker, by its turn.
    due: BinaryHeap<Reverse<(u128, usize)>>,
    ready: Vec<Option<Request>>,
    /// When this stage began, and the last request came.
    start: Nanos,
    last: Nanos,
    done: u64,
    bytes: u64,
}

impl Stream {
    pub(super) fn new(plan: &Plan) -> Self {
        Stream {
            plan: plan.clone(),
            stage: 0,
            workers: Vec::new(),
            due: BinaryHeap::new(),
            ready: Vec::new(),
            start: 0,
            last: 0,
            done: 0,
            bytes: 0,
        }
    }

    fn begin(&mut self, stage: usize) {
        self.start = self.last;
        let clones = &self.plan.stages[stage];
        self.workers = clones
            .iter()
            .map(|clone| {
                let worker = Worker::new(&clone.job, clone.volume, clone.initiator, clone.seed);
                let stride = worker.weight().map_or(0, |weight| STRIDE / u128::from(weight));
                (worker, stride)
            })
            .collect();
        self.ready = vec![None; self.workers.len()];
        for index in 0..self.workers.len() {
            self.prepare(index, self.workers[index].1);
        }
    }

    /// Puts the next request of a worker into the queue, for the turn `at` if it has no clock.
    fn prepare(&mut self, index: usize, at: u128) {
        let (worker, stride) = &mut self.workers[index];
        let Some(request) = worker.next() else { return };
        let turn = if *stride == 0 { request.time.into() } else { at };
        self.ready[index] = Some(request);
        self.due.push(Reverse((turn, index)));
    }

    fn next(&mut self) -> Option<Request> {
        loop {
            if let Some(Reverse((turn, index))) = self.due.pop() {
                let Some(request) = self.ready[index].take() else { continue };
                self.prepare(index, turn + self.workers[index].1);
                self.last = self.last.max((self.start + request.time).min(LATEST));
                self.bytes += u64::from(request.length);
                return Some(request.at(self.last));
            }
            if self.stage == self.plan.stages.len() {
                return None;
            }
            self.stage += 1;
            self.begin(self.stage - 1);
        }
    }
}

impl RequestSource for Stream {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        for _ in 0..BATCH {
            if self.plan.requests.is_some_and(|most| self.done == most) {
                return Ok(());
            }
            let Some(request) = self.next() else { return Ok(()) };
            self.done += 1;
            batch.push(request);
        }
        Ok(())
    }

    fn remarks(&self) -> Vec<String> {
        self.plan.remarks()
    }

    fn progress(&self) -> Option<f64> {
        let share = |done: u64, all: u64| done as f64 / all.max(1) as f64;
        let by_count = self.plan.requests.map(|all| share(self.done, all));
        let by_bytes = self.plan.bytes().map(|all| share(self.bytes, all));
        Some(by_count.into_iter().chain(by_bytes).fold(0.0, f64::max).min(1.0))
    }
}
