//! One law of places, operations and sizes: a stream, or a part of one.
//!
//! 1. Place. A request repeats an old one ([`super::history`]), or continues an earlier one of its
//!    volume. Otherwise it goes back to a used place by its stack distance, or to a new place
//!    ([`super::space`]).
//! 2. Operation. The odds depend on how the place was found. The counts are exact ([`super::ops`]),
//!    and each volume is steered towards its share of writes.
//! 3. Size. A request keeps the size of its place, or draws one from the table of its operation.

use super::distances::Distances;
use super::file::{Law, Volume};
use super::history::History;
use super::host::{Host, Tail};
use super::mix::Mix;
use super::ops::Ops;
use super::recency::Recency;
use super::runs::RunLaw;
use super::space::{Extent, PAGE_SECTORS, SECTOR, Space, each, points};
use crate::request::{Op, Request};
use crate::rng::Rng;
use crate::units::Nanos;

/// The shares of writes in a row of the table of distances.
#[derive(Clone, Copy, Debug)]
struct Row {
    found_written: f64,
    after_read: f64,
    after_write: f64,
}

/// Generates requests by one law.
pub(super) struct Part {
    places: Rng,
    lengths: Rng,
    sizes: [Mix; 2],
    kept: f64,
    run_sizes: [Mix; 2],
    place_sizes: Option<Mix>,
    again_sizes: [Mix; 2],
    follow: f64,
    /// The place that the previous request went back to, if it did, and the row of its distance.
    latest: Option<(usize, usize)>,
    runs: RunLaw,
    was_run: bool,
    distances: Distances,
    rows: Vec<Option<Row>>,
    inside: f64,
    recency: Recency,
    history: History,
    space: Space,
    new_writes: Option<f64>,
    hosts: Vec<Host>,
}

/// A request before its operation and size are known.
#[derive(Default)]
struct Found {
    volume: u32,
    start: u64,
    /// Size of the place, and the share of requests that keep it.
    kept: Option<(u32, f64)>,
    /// Share of writes; `None`: that of the volume.
    writes: Option<f64>,
    in_run: bool,
    /// A place used before.
    back: bool,
    /// A place not used before.
    new: bool,
    /// The place was written before.
    written: bool,
    /// The place where it was remembered until now.
    again: Option<usize>,
}

impl Part {
    /// A part by `law`, with room for `remembered` requests; its volumes are numbered from `first`.
    pub(super) fn new(law: &Law<'_>, remembered: u64, first: u32, seed: u64) -> Self {
        let Law { sizes, runs, reuse, space, .. } = law;
        let recency = Recency::new(remembered);
        let all = Mix::both(&sizes.read, &sizes.write);
        let number = |(index, volume): (usize, &Volume)| {
            volume.number.map_or(first + index as u32, |number| number)
        };
        Part {
            places: Rng::new(seed, "places"),
            lengths: Rng::new(seed, "sizes"),
            run_sizes: Mix::or(&runs.read, &runs.write, &all),
            place_sizes: Mix::some(&reuse.places),
            again_sizes: Mix::or(&reuse.read, &reuse.write, &all),
            sizes: all,
            kept: sizes.kept.unwrap_or(1.0),
            follow: reuse.follow,
            latest: None,
            runs: RunLaw::new(runs, space),
            was_run: false,
            distances: Distances::new(&points(&reuse.distances)),
            rows: reuse.distances.iter().map(|row| Row::new(row)).collect(),
            inside: reuse.inside,
            history: History::new(recency.places(), reuse),
            recency,
            space: Space::new(space, runs.fresh.is_some(), seed),
            new_writes: space.writes,
            hosts: each(space).enumerate().map(|row| Host::new(row.1, number(row))).collect(),
        }
    }

    /// Places that are remembered.
    pub(super) fn places(&self) -> u64 {
        self.recency.len()
    }

    /// The next request, which arrives at `time`.
    #[inline]
    pub(super) fn next(&mut self, time: Nanos, ops: &mut Ops) -> Request {
        let found = self.find();
        let host = &mut self.hosts[found.volume as usize];
        let op = host.op(found.writes, ops);
        let sizes = match &found {
            Found { in_run: true, .. } => &self.run_sizes,
            Found { back: true, .. } => &self.again_sizes,
            _ => &self.sizes,
        };
        let drawn = sizes[usize::from(op == Op::Write)].draw(&mut self.lengths);
        let sectors = match found.kept {
            Some((sectors, share)) if self.lengths.chance(share) => sectors,
            _ => drawn,
        };
        let room = self.space.size(found.volume);
        let sectors = u64::from(sectors).min(room) as u32;
        let start = found.start.min(room - u64::from(sectors));
        let start = if found.new {
            self.space.settle(found.volume, start, sectors, &mut self.places)
        } else {
            start
        };
        let extent = Extent { volume: found.volume, start, sectors };
        self.was_run = found.in_run;
        self.space.touch(&extent);
        let place = self.recency.push(op == Op::Write || found.written);
        self.history.remember(place, extent, found.again);
        if self.runs.first > 0.0 {
            host.end(Tail { end: extent.end(), sectors, op, in_run: found.in_run, place });
        }
        Request::new(op, (host.first + start) * SECTOR, sectors * SECTOR as u32)
            .at(time)
            .in_volume(host.number)
    }

    /// The place of the next request: an old one, a continued one, a used one, or a new one.
    #[inline]
    fn find(&mut self) -> Found {
        if let Some(place) = self.history.draw(&mut self.places) {
            self.was_run = false;
            return self.repeat(place);
        }
        let share = if self.was_run { self.runs.again } else { self.runs.first };
        let on = if share > 0.0 && self.places.chance(share) { self.go_on() } else { None };
        on.or_else(|| self.go_back()).unwrap_or_else(|| self.go_anew())
    }

    fn go_on(&mut self) -> Option<Found> {
        let volume = self.runs.volumes.draw(&mut self.places);
        let stream = self.runs.streams.draw(&mut self.places);
        let in_run = self.runs.in_run.map(|share| self.places.chance(share));
        let fresh = self.runs.fresh.map(|share| self.places.chance(share));
        let (host, space) = (&mut self.hosts[volume], &self.space);
        let volume = volume as u32;
        let of_run = |tail: &Tail| in_run.is_none_or(|in_run| tail.in_run == in_run);
        let leads = |tail: &Tail| {
            fresh.is_none_or(|fresh| space.is_fresh(volume, tail.end, tail.sectors) == fresh)
        };
        let both = host.take(stream, |tail| of_run(tail) && leads(tail));
        let tail = both.or_else(|| fresh.and_then(|_| host.take(stream, leads)))?;
        // A request that continues within a page takes the place of the one that ended there.
        let there = self.history.at(tail.place);
        let shared = !tail.end.is_multiple_of(PAGE_SECTORS);
        if shared && there.volume == volume && there.end() == tail.end {
            self.recency.remove(tail.place);
        }
        let fits = tail.end + u64::from(tail.sectors) <= self.space.size(volume);
        let start = if fits { tail.end } else { 0 };
        let written = if tail.op == Op::Write { 1.0 } else { 0.0 };
        (fits || self.runs.around).then(|| Found {
            volume,
            start,
            kept: Some((tail.sectors, self.runs.kept)),
            writes: self.runs.writes.or_else(|| {
                self.runs.same_op.map(|same| 1.0 - same + (2.0 * same - 1.0) * written)
            }),
            in_run: true,
            ..Found::default()
        })
    }

    #[inline]
    fn go_back(&mut self) -> Option<Found> {
        let (place, at, as_written) = match self.next_back() {
            Some(next) => next,
            None => self.draw_back()?,
        };
        self.latest = Some((place, at));
        let written = self.recency.is_marked(place);
        let after = |row: Row| if as_written { row.after_write } else { row.after_read };
        let writes = self.rows[at].map(after);
        let Extent { volume, start, sectors } = self.history.at(place);
        let pages = u64::from(sectors) / PAGE_SECTORS;
        if pages > 1 && self.inside > 0.0 && self.places.chance(self.inside) {
            let page = 1 + self.places.below(pages - 1);
            let start = start + page * PAGE_SECTORS;
            return Some(Found { volume, start, writes, written, back: true, ..Found::default() });
        }
        self.recency.remove(place);
        let (kept, again) = (Some((sectors, self.kept)), Some(place));
        Some(Found { volume, start, kept, writes, written, again, back: true, ..Found::default() })
    }

    /// A used place, drawn by the law of distances; the tables decide its size and whether it was
    /// written before. Also returns the row of its distance, and whether it counts as written
    /// before.
    #[inline]
    fn draw_back(&mut self) -> Option<(usize, usize, bool)> {
        let (rank, at) = self.distances.draw(&mut self.places)?;
        let mut place = self.recency.at(rank)?;
        let mut written = false;
        if let Some(row) = self.rows[at] {
            written = self.places.chance(row.found_written);
            place = self.recency.near(place, written);
        }
        if let Some(sizes) = &self.place_sizes {
            let sectors = sizes.draw(&mut self.places);
            place = self.alike(place, sectors);
        }
        Some((place, at, written))
    }

    /// The place used next after the one that the previous request went back to, if this one
    /// follows.
    fn next_back(&mut self) -> Option<(usize, usize, bool)> {
        let (before, row) = self.latest.take().filter(|_| self.follow > 0.0)?;
        let follows = self.places.chance(self.follow);
        let place = self.recency.behind(before).filter(|_| follows)?;
        Some((place, row, self.recency.is_marked(place)))
    }

    /// The place of nearest size among those used around the same time as `place` that match it in
    /// having been written or not.
    fn alike(&self, place: usize, sectors: u32) -> usize {
        let written = self.recency.is_marked(place);
        let around = self.recency.around(place);
        let alike = around.filter(|place| self.recency.is_marked(*place) == written);
        alike.min_by_key(|place| self.history.at(*place).sectors.abs_diff(sectors)).unwrap_or(place)
    }

    /// Repeats the request remembered at `place`.
    fn repeat(&mut self, place: usize) -> Found {
        let Extent { volume, start, sectors } = self.history.at(place);
        let place = self.history.latest(place);
        let written = self.recency.is_marked(place);
        self.recency.remove(place);
        let (kept, again) = (Some((sectors, self.kept)), Some(place));
        Found { volume, start, kept, written, again, back: true, ..Found::default() }
    }

    fn go_anew(&mut self) -> Found {
        let (volume, start) = self.space.new_place(&mut self.places);
        Found { volume, start, writes: self.new_writes, new: true, ..Found::default() }
    }
}

impl Row {
    fn new(row: &[f64]) -> Option<Self> {
        let &[_, _, found_written, after_read, after_write] = row else { return None };
        Some(Row { found_written, after_read, after_write })
    }
}
