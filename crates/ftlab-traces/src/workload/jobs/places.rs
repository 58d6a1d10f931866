//! Where the requests of one job go, and how long they are.

use super::job::{Job, Sizes, Steps};
use super::laws::Draws;
use super::map::Map;
use crate::rng::Rng;
use crate::workload::alias::Alias;
use std::sync::Arc;

/// How often a length that does not fit is drawn again, before the smallest is taken.
const TRIES: u32 = 64;

/// The places of a job.
pub(super) struct Places {
    job: Arc<Job>,
    /// By direction, where the job uses it.
    draws: [Option<Draws>; 3],
    map: Option<Map>,
    lengths: [Lengths; 3],
    /// Where the last request of each direction ended, bytes from the start of the space.
    next: [u64; 3],
    /// Passes over the space that have begun.
    passes: u64,
    /// The place that comes again, and requests since a random one.
    again: u64,
    since: u64,
    places: Rng,
    sizes: Rng,
    /// The generators of a pass, and whether one begins.
    first: (Rng, Rng),
    begins: bool,
}

impl Places {
    pub(super) fn new(job: &Arc<Job>, seed: u64) -> Self {
        let mut places = Rng::new(seed, "places");
        let draws = [0, 1, 2].map(|at| {
            let blocks = (job.length / job.align[at]).max(1);
            let used = job.work.directions().contains(&at);
            used.then(|| Draws::new(&job.law[at], blocks, job.align[at], &mut places))
        });
        let least = job.align[job.work.directions()[0]];
        let map = job.map.then(|| Map::new(job.length / least));
        let lengths = [0, 1, 2].map(|at| Lengths::new(&job.sizes[at]));
        let sizes = Rng::new(seed, "sizes");
        let (job, first) = (Arc::clone(job), (places.clone(), sizes.clone()));
        let begins = false;
        Places {
            job,
            draws,
            map,
            lengths,
            next: [0; 3],
            passes: 1,
            again: 0,
            since: 0,
            places,
            sizes,
            first,
            begins,
        }
    }

    /// Whether the next request begins a pass that draws what the one before it drew.
    pub(super) fn begins(&mut self) -> bool {
        std::mem::take(&mut self.begins)
    }

    /// The first byte and the length of the next request of a direction; `None` if the pass has no room for it.
    pub(super) fn next(&mut self, direction: usize) -> Option<(u64, u32)> {
        let least = self.job.sizes[direction].least();
        match self.job.steps {
            Steps::Sequential(hole) => self.sequential(direction, hole, least),
            steps => self.random(direction, steps, least),
        }
    }

    /// Begins another pass, if the job has one.
    pub(super) fn rewind(&mut self) -> bool {
        if self.job.passes.is_some_and(|most| self.passes >= most) {
            return false;
        }
        self.passes += 1;
        self.next = [0; 3];
        self.map.iter_mut().for_each(Map::begin);
        if self.job.repeats {
            (self.places, self.sizes) = self.first.clone();
            self.begins = true;
        }
        true
    }

    fn sequential(&mut self, direction: usize, hole: u64, least: u64) -> Option<(u64, u32)> {
        let (last, end) = (self.next[direction], self.job.length);
        let mut start = if last == 0 { 0 } else { last.saturating_add(hole) };
        if last < end && start >= end {
            // A hole that leads beyond the end leads to the beginning.
            start = 0;
        }
        if start.saturating_add(least) > end {
            return None;
        }
        let length = self.lengths[direction].draw(end - start, &mut self.sizes);
        self.next[direction] = start + u64::from(length);
        Some((self.job.start + start, length))
    }

    fn random(&mut self, direction: usize, steps: Steps, least: u64) -> Option<(u64, u32)> {
        let mut is_new = match steps {
            Steps::Runs(count) | Steps::Again(count) => self.since.is_multiple_of(count),
            Steps::Share(share) => self.places.chance(share),
            Steps::New | Steps::Sequential(_) => true,
        };
        let goes_on = match steps {
            Steps::Again(_) => self.again,
            _ => self.next[direction],
        };
        let end = self.job.length;
        is_new |= goes_on + least > end;
        if is_new && self.map.as_ref().is_some_and(Map::is_over) {
            return None;
        }
        self.since += 1;
        let (start, free) = if !is_new {
            (goes_on, end - goes_on)
        } else {
            let align = self.job.align[direction];
            let block = match &mut self.map {
                Some(map) => map.next(&mut self.places),
                None => match &self.draws[direction] {
                    Some(draws) => draws.next(&mut self.places),
                    None => 0,
                },
            };
            let start = block * align;
            (start.min(end - least), end - start.min(end - least))
        };
        let mut length = self.lengths[direction].draw(free, &mut self.sizes);
        match (&mut self.map, steps) {
            (Some(map), Steps::New) => {
                let free = map.take(start / least, u64::from(length).div_ceil(least));
                length = u64::from(length).min(u64::from(free) * least) as u32;
            }
            // What goes on from a place does not count as used.
            (Some(map), _) if is_new => drop(map.take(start / least, 1)),
            _ => {}
        }
        self.again = start;
        self.next[direction] = start + u64::from(length);
        Some((self.job.start + start, length))
    }
}

/// Lengths of requests.
enum Lengths {
    Table { choice: Alias, sizes: Vec<u32>, least: u32 },
    Range { least: u32, most: u32 },
}

impl Lengths {
    fn new(sizes: &Sizes) -> Self {
        match sizes {
            Sizes::Range(least, most) => Lengths::Range { least: *least, most: *most },
            Sizes::Table(table) => Lengths::Table {
                choice: Alias::new(&table.iter().map(|(_, weight)| *weight).collect::<Vec<_>>()),
                sizes: table.iter().map(|(size, _)| *size).collect(),
                least: sizes.least() as u32,
            },
        }
    }

    /// A length that is at most `free`, which has room for the smallest.
    fn draw(&self, free: u64, rng: &mut Rng) -> u32 {
        for _ in 0..TRIES {
            let length = match self {
                Lengths::Table { choice, sizes, .. } => sizes[choice.draw(rng)],
                Lengths::Range { least, most } => {
                    let drawn = (least + rng.below((*most).into()) as u32) / least * least;
                    drawn.min(*most)
                }
            };
            if u64::from(length) <= free {
                return length;
            }
        }
        match self {
            Lengths::Table { least, .. } | Lengths::Range { least, .. } => *least,
        }
    }
}
