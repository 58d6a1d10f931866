//! The stream of a model: whose turn it is, what that part asks for, and when.

use super::Modelled;
use super::clock::Clock;
use super::ops::Ops;
use super::part::Part;
use super::space::each;
use super::turns::Turns;
use crate::error::Error;
use crate::request::{BATCH, Request, RequestSource};

/// The most requests that are remembered.
const MOST_REMEMBERED: u64 = 1 << 22;

/// Parts draw from streams of their own: an odd number far from small ones.
const PART_SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// How many requests a stream or a fit of this length remembers.
pub(super) fn remembered(requests: u64) -> u64 {
    requests.saturating_mul(2).min(MOST_REMEMBERED)
}

/// The requests of a model.
pub(super) struct Stream {
    total: u64,
    done: u64,
    clock: Clock,
    turns: Turns,
    parts: Vec<Part>,
    ops: Ops,
}

impl Stream {
    pub(super) fn new(input: &Modelled) -> Self {
        let (model, seed) = (&*input.model, input.seed);
        let requests = model.length.requests();
        let gap = model.length.duration.0 as f64 / requests as f64;
        let mut volumes = 0;
        let parts = model.laws().zip(0u64..).map(|(law, index)| {
            let own = seed.wrapping_add(index.wrapping_mul(PART_SEED));
            let places = (remembered(requests) as f64 * law.share).ceil() as u64;
            let first = volumes;
            volumes += each(law.space).count() as u32;
            Part::new(&law, places, first, own)
        });
        Stream {
            total: input.requests,
            done: 0,
            clock: Clock::new(&model.arrivals, gap, seed),
            parts: parts.collect(),
            turns: Turns::new(model, seed),
            ops: Ops::new(&model.length, seed),
        }
    }

    /// Places that are remembered.
    pub(super) fn places(&self) -> u64 {
        self.parts.iter().map(Part::places).sum()
    }

    #[inline]
    pub(super) fn next(&mut self) -> Request {
        let time = self.clock.tick();
        self.parts[self.turns.draw()].next(time, &mut self.ops)
    }
}

impl RequestSource for Stream {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let count = (self.total - self.done).min(BATCH as u64);
        self.done += count;
        batch.extend((0..count).map(|_| self.next()));
        Ok(())
    }

    fn progress(&self) -> Option<f64> {
        Some(self.done as f64 / self.total as f64)
    }
}
