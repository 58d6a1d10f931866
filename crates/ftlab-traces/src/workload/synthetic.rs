//! The stream of requests of a configuration: a size, a place, an operation and a time each, and hints.
//!
//! Each of the four has random numbers of its own, so that two configurations which differ in one
//! word (say, the arrivals) visit the same places.

use super::alias::Alias;
use super::arrivals::Clock;
use super::config::Plan;
use super::handles::Hints;
use super::parts::Writers;
use super::pattern::Pattern;
use super::place::Place;
use crate::error::Error;
use crate::request::{
    Attribute, Attributes, BATCH, Input, Lifetime, Meta, Op, Request, RequestSource,
};
use crate::rng::Rng;
use crate::units::Nanos;

/// A configuration that can be read again and again.
#[derive(Clone, Debug)]
pub(super) struct Synthetic {
    pub(super) plan: Plan,
    pub(super) seed: u64,
}

impl Input for Synthetic {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(Box::new(Stream::new(&self.plan, self.seed)))
    }

    fn name(&self) -> String {
        self.plan.pattern.name().to_owned()
    }

    fn format(&self) -> String {
        "generated".to_owned()
    }

    fn address_space_bytes(&self) -> Option<u64> {
        Some(self.plan.size)
    }

    fn attributes(&self) -> Attributes {
        let parts = self.plan.parts.iter().map(|part| part.handle());
        let is_hinted = self.plan.handles.iter().copied().chain(parts).any(|handle| handle > 0);
        let hint = is_hinted.then_some(Attribute::Hint);
        let lifetime = (self.plan.lifetime != Lifetime::Unset).then_some(Attribute::Lifetime);
        hint.into_iter().chain(lifetime).collect()
    }
}

/// Where requests go.
enum Places {
    /// By one pattern.
    One(Place),
    /// By several writers, which also say sizes and handles.
    Parts(Writers),
}

struct Stream {
    total: u64,
    done: u64,
    clock: Clock,
    places: Places,
    rng: Rng,
    mix: Alias,
    lengths: Vec<u32>,
    sizes: Rng,
    read_share: f64,
    ops: Rng,
    /// Writes that a flush follows.
    fsync: Option<u64>,
    /// Since the last flush.
    writes: u64,
    hints: Hints,
    last: Nanos,
}

impl Stream {
    fn new(plan: &Plan, seed: u64) -> Self {
        let weights: Vec<f64> = plan.sizes.iter().map(|s| s.1).collect();
        Stream {
            total: plan.requests,
            done: 0,
            clock: Clock::new(plan.arrivals, plan.mean_gap, seed),
            places: match plan.pattern {
                Pattern::Parts => {
                    Places::Parts(Writers::new(&plan.parts, plan.size, plan.longest(), plan.fill))
                }
                _ => Places::One(Place::new(plan, seed)),
            },
            rng: Rng::new(seed, "places"),
            mix: Alias::new(&weights),
            lengths: plan.sizes.iter().map(|s| s.0).collect(),
            sizes: Rng::new(seed, "sizes"),
            read_share: plan.read_share,
            ops: Rng::new(seed, "ops"),
            fsync: plan.fsync,
            writes: 0,
            hints: Hints::new(&plan.handles, plan.handle_select, plan.lifetime, seed),
            last: 0,
        }
    }

    #[inline]
    fn next(&mut self) -> Request {
        if self.fsync == Some(self.writes) {
            self.writes = 0;
            return Request::flush().at(self.last);
        }
        let (offset, length, handle, fills) = match &mut self.places {
            Places::One(place) => {
                let length = self.lengths[self.mix.draw(&mut self.sizes)];
                (place.next(length, &mut self.rng), length, None, false)
            }
            Places::Parts(writers) => {
                let write = writers.next(&mut self.rng);
                (write.offset, write.length, Some(write.handle), write.fills)
            }
        };
        let reads = self.ops.chance(self.read_share) && !fills;
        let op = if reads { Op::Read } else { Op::Write };
        self.writes += u64::from(op == Op::Write);
        self.last = self.clock.tick();
        let meta = match (op, handle) {
            (Op::Write, None) => self.hints.of_write(),
            (Op::Write, Some(handle)) => Meta { handle, ..self.hints.of_write() },
            _ => Meta::UNSET,
        };
        Request::new(op, offset, length).at(self.last).with_meta(meta)
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
