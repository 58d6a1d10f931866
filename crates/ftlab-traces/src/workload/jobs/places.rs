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
    /// Where the next sequential request of each direction starts, bytes from the start of the space.
    next: [u64; 3],
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

    /// The first byte and the length of the next request of a direction; `None` if a sequential one does not fit.
    pub(super) fn next(&mut self, direction: usize) -> Option<(u64, u32)> {
        let place = self.place(direction)?;
        let is_over = match (&self.map, self.job.steps) {
            (Some(map), _) => map.is_over(),
            (None, Steps::Sequential(_)) => {
                self.job.work.directions().len() == 1 && self.next[direction] == self.job.length
            }
            _ => false,
        };
        if is_over && self.job.repeats {
            (self.places, self.sizes) = self.first.clone();
            self.begins = true;
        }
        Some(place)
    }

    fn place(&mut self, direction: usize) -> Option<(u64, u32)> {
        let (steps, end) = (self.job.steps, self.job.length);
        let least = self.job.sizes[direction].least();
        let hole = match steps {
            Steps::Sequential(hole) => hole,
            _ => return Some(self.random(direction, steps, least)),
        };
        let start = if self.next[direction] == end { 0 } else { self.next[direction] };
        if start + least > end {
            return None;
        }
        let length = self.lengths[direction].draw(end - start, &mut self.sizes);
        self.next[direction] = start + u64::from(length) + hole;
        Some((self.job.start + start, length))
    }

    fn random(&mut self, direction: usize, steps: Steps, least: u64) -> (u64, u32) {
        let mut is_new = match steps {
            Steps::Runs(count) | Steps::Again(count) => self.since.is_multiple_of(count),
            Steps::Share(share) => self.places.chance(share),
            Steps::New | Steps::Sequential(_) => true,
        };
        self.since += 1;
        let goes_on = match steps {
            Steps::Again(_) => self.again,
            _ => self.next[direction],
        };
        let end = self.job.length;
        is_new |= goes_on + least > end;
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
                length = map.take(start / least, u64::from(length) / least) * least as u32;
            }
            // What goes on from a place does not count as used.
            (Some(map), _) if is_new => drop(map.take(start / least, 1)),
            _ => {}
        }
        self.again = start;
        self.next[direction] = start + u64::from(length);
        (self.job.start + start, length)
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
                    least * (1 + rng.below(u64::from(most / least)) as u32)
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
