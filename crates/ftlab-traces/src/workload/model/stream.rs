//! The stream of a model: each request in four steps.
//!
//! 1. Place. It goes on where an earlier request of a volume ended; or it goes back to a place
//!    used before, found by its stack distance; or to a new place ([`super::space`]).
//! 2. Operation. The odds depend on how the place was found; the counts come out exactly
//!    ([`super::ops`]), and each volume's share of writes is steered towards its own.
//! 3. Size. That of the place, or one drawn from the table of the operation.
//! 4. Time. Gaps drawn from their table, in bursts, with the mean that the length says.

use super::Modelled;
use super::clock::Clock;
use super::distances::Distances;
use super::file::{Model, Runs, Sizes};
use super::ops::Ops;
use super::recency::Recency;
use super::space::{Extent, PAGE_SECTORS, SECTOR, Space, each, points};
use crate::error::Error;
use crate::request::{BATCH, Op, Request, RequestSource};
use crate::rng::Rng;
use crate::workload::alias::Alias;
use std::collections::VecDeque;

/// The most requests that are remembered.
const MOST_REMEMBERED: u64 = 1 << 22;
/// The last requests of a volume that may go on.
pub(super) const TAILS: usize = super::check::MOST_STREAMS;
/// How fast a volume's share of writes is steered: one request in 50 counts.
const STEER: f64 = 0.02;

/// How many requests a stream or a fit of this length remembers.
pub(super) fn remembered(requests: u64) -> u64 {
    requests.saturating_mul(2).min(MOST_REMEMBERED)
}

/// Where a request ended.
#[derive(Clone, Copy, Debug)]
struct Tail {
    end: u64,
    sectors: u32,
    op: Op,
    in_run: bool,
    /// Its place among those remembered.
    place: usize,
}

/// A volume: its last requests, the newest at the end, and what makes its operations.
#[derive(Clone, Debug)]
struct Host {
    tails: VecDeque<Tail>,
    first: u64,
    writes: f64,
    /// Odds that bring the share of writes back to `writes`, and their changes.
    steer: f64,
    after_read: f64,
    after_write: f64,
}

/// The shares of writes in a row of the table of distances.
#[derive(Clone, Copy, Debug)]
struct Row {
    found_written: f64,
    after_read: f64,
    after_write: f64,
}

pub(super) struct Stream {
    total: u64,
    done: u64,
    clock: Clock,
    places: Rng,
    lengths: Rng,
    sizes: [Mix; 2],
    kept: f64,
    runs: RunLaw,
    was_run: bool,
    distances: Distances,
    rows: Vec<Option<Row>>,
    inside: f64,
    recency: Recency,
    used: Vec<Extent>,
    space: Space,
    new_writes: Option<f64>,
    hosts: Vec<Host>,
    ops: Ops,
}

/// Sizes in sectors with their weights.
#[derive(Clone, Debug)]
struct Mix {
    sectors: Vec<u32>,
    weights: Alias,
}

/// When requests go on, and which.
#[derive(Clone, Debug)]
struct RunLaw {
    first: f64,
    again: f64,
    /// Share of the requests that go on whose run has two requests or more already.
    in_run: Option<f64>,
    volumes: Alias,
    streams: Alias,
    same_op: Option<f64>,
    writes: Option<f64>,
    kept: f64,
}

/// What a request is made of before its operation and size are known.
struct Found {
    volume: u32,
    start: u64,
    /// Size of the place, and the share of requests that keep it.
    kept: Option<(u32, f64)>,
    /// Share of writes; `None`: that of the volume.
    writes: Option<f64>,
    in_run: bool,
    /// The place was written before.
    written: bool,
}

impl Stream {
    pub(super) fn new(input: &Modelled) -> Self {
        let (model, seed) = (&*input.model, input.seed);
        let requests = model.length.requests();
        let gap = model.length.duration.0 as f64 / requests as f64;
        let recency = Recency::new(remembered(requests));
        let nowhere = Extent { volume: 0, start: 0, sectors: 0 };
        Stream {
            total: input.requests,
            done: 0,
            clock: Clock::new(&model.arrivals, gap, seed),
            places: Rng::new(seed, "places"),
            lengths: Rng::new(seed, "sizes"),
            sizes: Mix::both(&model.sizes),
            kept: model.sizes.kept.unwrap_or(1.0),
            runs: RunLaw::new(&model.runs, model),
            was_run: false,
            distances: Distances::new(&points(&model.reuse.distances)),
            rows: model.reuse.distances.iter().map(|row| Row::new(row)).collect(),
            inside: model.reuse.inside,
            used: vec![nowhere; recency.places()],
            recency,
            space: Space::new(&model.space, seed),
            new_writes: model.space.writes,
            hosts: each(&model.space).map(Host::new).collect(),
            ops: Ops::new(&model.length, seed),
        }
    }

    /// Places that are remembered.
    pub(super) fn places(&self) -> u64 {
        self.recency.len()
    }

    #[inline]
    pub(super) fn next(&mut self) -> Request {
        let found = self.find();
        let host = &mut self.hosts[found.volume as usize];
        let op = host.op(&found, &mut self.ops);
        let drawn = self.sizes[usize::from(op == Op::Write)].draw(&mut self.lengths);
        let sectors = match found.kept {
            Some((sectors, share)) if self.lengths.chance(share) => sectors,
            _ => drawn,
        };
        let room = self.space.size(found.volume);
        let sectors = u64::from(sectors).min(room) as u32;
        let start = found.start.min(room - u64::from(sectors));
        let extent = Extent { volume: found.volume, start, sectors };
        self.was_run = found.in_run;
        self.space.touch(&extent);
        let place = self.recency.push(op == Op::Write || found.written);
        self.used[place] = extent;
        if self.runs.first > 0.0 {
            host.end(Tail { end: extent.end(), sectors, op, in_run: found.in_run, place });
        }
        Request {
            time: self.clock.tick(),
            offset: (host.first + start) * SECTOR,
            length: sectors * SECTOR as u32,
            volume: found.volume,
            op,
        }
    }

    /// Where the next request goes: on, back, or somewhere new.
    #[inline]
    fn find(&mut self) -> Found {
        let share = if self.was_run { self.runs.again } else { self.runs.first };
        let on = if share > 0.0 && self.places.chance(share) { self.go_on() } else { None };
        on.or_else(|| self.go_back()).unwrap_or_else(|| self.go_anew())
    }

    fn go_on(&mut self) -> Option<Found> {
        let volume = self.runs.volumes.draw(&mut self.places);
        let stream = self.runs.streams.draw(&mut self.places);
        let in_run = self.runs.in_run.map(|share| self.places.chance(share));
        let tail = self.hosts[volume].take(stream, in_run)?;
        let volume = volume as u32;
        // What goes on within a page takes the place of what ended there.
        let there = self.used[tail.place];
        let shared = !tail.end.is_multiple_of(PAGE_SECTORS);
        if shared && there.volume == volume && there.end() == tail.end {
            self.recency.remove(tail.place);
        }
        let fits = tail.end + u64::from(tail.sectors) <= self.space.size(volume);
        let written = if tail.op == Op::Write { 1.0 } else { 0.0 };
        fits.then(|| Found {
            volume,
            start: tail.end,
            kept: Some((tail.sectors, self.runs.kept)),
            writes: self.runs.writes.or_else(|| {
                self.runs.same_op.map(|same| 1.0 - same + (2.0 * same - 1.0) * written)
            }),
            in_run: true,
            written: false,
        })
    }

    #[inline]
    fn go_back(&mut self) -> Option<Found> {
        let (rank, row) = self.distances.draw(&mut self.places)?;
        let mut place = self.recency.at(rank)?;
        let row = self.rows[row];
        let writes = row.map(|row| {
            let written = self.places.chance(row.found_written);
            place = self.recency.near(place, written);
            if written { row.after_write } else { row.after_read }
        });
        let written = self.recency.is_marked(place);
        let Extent { volume, start, sectors } = self.used[place];
        let pages = u64::from(sectors) / PAGE_SECTORS;
        if pages > 1 && self.inside > 0.0 && self.places.chance(self.inside) {
            let page = 1 + self.places.below(pages - 1);
            let start = start + page * PAGE_SECTORS;
            return Some(Found { volume, start, kept: None, writes, in_run: false, written });
        }
        self.recency.remove(place);
        let kept = Some((sectors, self.kept));
        Some(Found { volume, start, kept, writes, in_run: false, written })
    }

    fn go_anew(&mut self) -> Found {
        let (volume, start) = self.space.new_place(&mut self.places);
        Found { volume, start, kept: None, writes: self.new_writes, in_run: false, written: false }
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

impl Host {
    fn new(volume: &super::file::Volume) -> Self {
        Host {
            tails: VecDeque::with_capacity(TAILS),
            first: volume.first.map_or(0, |first| first.0 / SECTOR),
            writes: volume.writes,
            steer: 1.0,
            after_read: (STEER * volume.writes).exp(),
            after_write: (STEER * (volume.writes - 1.0)).exp(),
        }
    }

    #[inline]
    fn op(&mut self, found: &Found, ops: &mut Ops) -> Op {
        let Some(writes) = found.writes else {
            return ops.draw(self.writes, 1.0);
        };
        let op = ops.draw(writes, self.steer);
        self.steer *= if op == Op::Write { self.after_write } else { self.after_read };
        self.steer = self.steer.clamp(1e-3, 1e3);
        op
    }

    /// The tail of this rank among those that are of a run, or are not, if that matters; else the
    /// oldest one of them.
    fn take(&mut self, rank: usize, in_run: Option<bool>) -> Option<Tail> {
        let wanted = |tail: &Tail| in_run.is_none_or(|in_run| tail.in_run == in_run);
        let mut at = self.tails.len().saturating_sub(1 + rank);
        if !wanted(self.tails.get(at)?) {
            let older = self.tails.range(..at).rposition(wanted);
            at = older.or_else(|| self.tails.iter().position(wanted))?;
        }
        self.tails.remove(at)
    }

    fn end(&mut self, tail: Tail) {
        if self.tails.len() == TAILS {
            self.tails.pop_front();
        }
        self.tails.push_back(tail);
    }
}

impl Row {
    fn new(row: &[f64]) -> Option<Self> {
        let &[_, _, found_written, after_read, after_write] = row else { return None };
        Some(Row { found_written, after_read, after_write })
    }
}

impl Mix {
    /// The sizes of reads and of writes.
    fn both(sizes: &Sizes) -> [Mix; 2] {
        let pair = [(&sizes.read, &sizes.write), (&sizes.write, &sizes.read)];
        pair.map(|(own, other)| {
            let mix = if own.is_empty() { other } else { own };
            let weights: Vec<f64> = mix.iter().map(|entry| entry.1).collect();
            Mix {
                // Checked to be at most a GiB.
                sectors: mix.iter().map(|entry| (entry.0.0 / SECTOR) as u32).collect(),
                weights: Alias::new(&weights),
            }
        })
    }

    #[inline]
    fn draw(&self, rng: &mut Rng) -> u32 {
        self.sectors[self.weights.draw(rng)]
    }
}

impl RunLaw {
    fn new(runs: &Runs, model: &Model) -> Self {
        let again = runs.again.unwrap_or(runs.share);
        // Stationary: share = (1 - share) x first + share x again.
        let first = runs.share * (1.0 - again) / (1.0 - runs.share).max(f64::MIN_POSITIVE);
        let weights: Vec<f64> =
            each(&model.space).map(|volume| volume.runs.unwrap_or(volume.weight)).collect();
        let none = weights.iter().sum::<f64>() <= 0.0;
        let streams = if runs.streams.is_empty() { &[1.0][..] } else { &runs.streams[..] };
        RunLaw {
            first: if none { 0.0 } else { first.min(1.0) },
            again,
            in_run: runs.mean.map(|mean| 1.0 - 1.0 / (mean - 1.0)),
            volumes: Alias::new(if none { &[1.0] } else { &weights }),
            streams: Alias::new(streams),
            same_op: runs.same_op,
            writes: runs.writes,
            kept: runs.kept,
        }
    }
}
