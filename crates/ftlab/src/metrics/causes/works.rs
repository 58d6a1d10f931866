//! What a device has to do for earlier requests, the oldest first. Each work is two or three parts of a time.

use super::parts::Parts;
use crate::units::Nanos;
use std::collections::VecDeque;

/// Works that are remembered; of more, neighbours are put together.
pub(super) const MOST: usize = 1 << 16;

/// What a device does from `start` to `end`.
#[derive(Clone, Copy, Debug)]
struct Work {
    start: Nanos,
    end: Nanos,
    /// Entries of [`Works::parts`].
    parts: u32,
}

/// Works in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Works {
    works: VecDeque<Work>,
    /// The parts of the first work, of the second, and on.
    parts: VecDeque<(usize, f64)>,
}

impl Works {
    pub(super) fn len(&self) -> usize {
        self.works.len()
    }

    /// Adds a work behind all others.
    pub(super) fn push(&mut self, start: Nanos, end: Nanos, parts: &Parts) {
        self.add(start, end, parts);
        if self.works.len() > MOST {
            self.join();
        }
    }

    pub(super) fn end_of_first(&self) -> Option<Nanos> {
        self.works.front().map(|work| work.end)
    }

    /// Forgets the first work; `note` hears of its parts.
    pub(super) fn forget_first(&mut self, mut note: impl FnMut(usize, f64)) {
        if let Some(work) = self.works.pop_front() {
            for (part, time) in self.parts.drain(..work.parts as usize) {
                note(part, time);
            }
        }
    }

    /// `note` hears of the parts that are done of the first work at this time.
    pub(super) fn done_of_first(&self, time: Nanos, mut note: impl FnMut(usize, f64)) {
        if let Some(work) = self.works.front() {
            let done = time.saturating_sub(work.start) as f64 / (work.end - work.start) as f64;
            for (part, time) in self.parts.iter().take(work.parts as usize) {
                note(*part, done * time);
            }
        }
    }

    fn add(&mut self, start: Nanos, end: Nanos, parts: &Parts) {
        let before = self.parts.len();
        self.parts.extend(parts.some());
        // There are about twenty parts.
        let parts = (self.parts.len() - before) as u32;
        self.works.push_back(Work { start, end, parts });
    }

    /// Puts each two neighbours together.
    fn join(&mut self) {
        let mut all = std::mem::take(self);
        while let Some(first) = all.works.front().copied() {
            let (mut parts, mut end) = (Parts::NONE, first.end);
            all.forget_first(|part, time| parts.add_to(part, time));
            end = end.max(all.end_of_first().unwrap_or(end));
            all.forget_first(|part, time| parts.add_to(part, time));
            self.add(first.start, end, &parts);
        }
    }
}
