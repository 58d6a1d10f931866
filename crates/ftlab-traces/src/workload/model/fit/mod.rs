//! Fitting: the model of a trace from one pass over it.
//!
//! Every request is sorted into what the stream would have made it: one that goes on, one that
//! goes back, a new place. The same structures, [`Recency`] above all, measure here what they
//! draw there, so a model of a stream that a model made is that model again.
//!
//! Memory is bounded: 64 MiB for the last four million requests, and at most 2^23 pages that are
//! known to have been touched. Beyond them the oldest half is forgotten.

mod gaps;
mod places;
mod sizes;
mod survival;
mod volumes;

use super::check;
use super::file::{Length, Model, Published, Reuse, Runs, Space};
use super::host::TAILS;
use super::space::{PAGE_SECTORS, REGION_BYTES, SECTOR};
use crate::error::Error;
use crate::request::{BATCH, Digest, Op, Request, RequestSource};
use crate::units::{Bytes, Duration};
use gaps::GapFit;
use places::{PlaceFit, RegionFit};
use sizes::SizeFit;
use std::collections::BTreeMap;
use volumes::VolumeFits;

/// A model of fewer requests would be noise.
pub const FEWEST_REQUESTS: u64 = 100;

/// Reads `source` to its end and fits a model to it, which gets this name. `watch` is called after
/// every batch with the requests so far and the source's progress; its error ends the reading.
/// Trims are left out.
///
/// # Errors
/// Those of the source and of `watch`; [`Error::Trace`] for a source of fewer than
/// [`FEWEST_REQUESTS`] reads and writes, or with more space or volumes than a model may have.
pub fn fit(
    source: &mut dyn RequestSource,
    name: &str,
    watch: &mut dyn FnMut(u64, Option<f64>) -> Result<(), Error>,
) -> Result<Model, Error> {
    let mut fit = Fit::new();
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        for request in batch.iter().filter(|request| request.op != Op::Trim) {
            fit.add(request)?;
        }
        watch(fit.requests(), source.progress())?;
    }
    let unusable = |message| Error::Trace { file: name.to_owned(), line: None, message };
    if fit.requests() < FEWEST_REQUESTS {
        return Err(unusable(format!(
            "found {} reads and writes, expected at least {FEWEST_REQUESTS} to fit a model",
            fit.requests()
        )));
    }
    let model = fit.finish(name);
    check::check(&model).map_err(|(key, message)| {
        unusable(format!("cannot be told as a model: {key}: {message}"))
    })?;
    Ok(model)
}

/// Part over whole; 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What has been seen of requests that go on.
#[derive(Default)]
struct RunFit {
    count: u64,
    /// Of them, behind a request that went on itself.
    again: u64,
    /// Of them, behind one that did not: the first continuation of their run.
    begun: u64,
    streams: [u64; TAILS],
    same_op: u64,
    same_size: u64,
    latest: bool,
}

struct Fit {
    counts: [u64; 2],
    digest: Digest,
    gaps: GapFit,
    sizes: SizeFit,
    runs: RunFit,
    places: PlaceFit,
    regions: RegionFit,
    volumes: VolumeFits,
    /// Requests to new places, and writes among them.
    new: [u64; 2],
    new_sectors: [u64; PAGE_SECTORS as usize],
    new_bytes: u64,
}

impl Fit {
    fn new() -> Self {
        Fit {
            counts: [0; 2],
            digest: Digest::default(),
            gaps: GapFit::new(),
            sizes: SizeFit::default(),
            runs: RunFit::default(),
            places: PlaceFit::new(),
            regions: RegionFit::new(),
            volumes: VolumeFits::new(),
            new: [0; 2],
            new_sectors: [0; PAGE_SECTORS as usize],
            new_bytes: 0,
        }
    }

    fn requests(&self) -> u64 {
        self.counts[0] + self.counts[1]
    }

    fn add(&mut self, request: &Request) -> Result<(), Error> {
        let op = usize::from(request.op == Op::Write);
        self.counts[op] += 1;
        self.digest.add(request);
        self.gaps.add(request.time);
        let volume = self.volumes.of(request)?;
        let number = volume.index;
        self.sizes.add(request);
        let on = volume.go_on(request);
        if let Some((stream, tail)) = &on {
            self.runs.add(
                *stream,
                tail.in_run,
                tail.op == request.op,
                tail.length == request.length,
            );
            volume.runs += 1;
            self.places.go_on(number, tail.end, tail.place);
        } else if !self.places.go_back(number, request, &mut self.sizes) {
            let region = self.regions.go_anew(number, request);
            volume.new_regions += u64::from(region);
            self.new[op] += 1;
            self.new_sectors[(request.offset / SECTOR % PAGE_SECTORS) as usize] += 1;
            self.new_bytes += u64::from(request.length);
        }
        self.runs.latest = on.is_some();
        self.regions.touch(number, request);
        let place = self.places.remember(number, request);
        volume.end(request, on.is_some(), place);
        Ok(())
    }

    fn finish(self, name: &str) -> Model {
        let requests = self.requests();
        let span = self.gaps.span() as f64 * requests as f64 / (requests - 1) as f64;
        let digest = self.digest.text();
        let (distances, inside) = self.places.finish();
        let (regions, next_region, adjacent) = self.regions.finish();
        let new = self.new[0] + self.new[1];
        let slot = (self.new_bytes / new.max(1)).next_power_of_two();
        let origin =
            format!("fitted: to the {requests} reads and writes of {name}, digest {digest}");
        Model {
            name: name.to_owned(),
            summary: format!("fitted to {name}"),
            source: format!("{requests} reads and writes, digest {digest}"),
            origin: BTreeMap::from([("all".to_owned(), origin)]),
            length: Length {
                reads: self.counts[0],
                writes: self.counts[1],
                duration: Duration(span as u64),
            },
            arrivals: self.gaps.finish(),
            sizes: self.sizes.finish(),
            runs: self.runs.finish(requests),
            reuse: Reuse { distances, inside, ..Reuse::default() },
            space: Space {
                writes: Some(share(self.new[1], new)),
                regions,
                next_region,
                adjacent,
                slot: Bytes(slot.clamp(PAGE_SECTORS * SECTOR, REGION_BYTES / 4)),
                sectors: self.new_sectors.map(|count| share(count, new)).to_vec(),
                volumes: self.volumes.finish(),
            },
            parts: Vec::new(),
            published: Published::default(),
        }
    }
}

impl RunFit {
    fn add(&mut self, stream: usize, in_run: bool, same_op: bool, same_size: bool) {
        self.count += 1;
        self.again += u64::from(self.latest);
        self.begun += u64::from(!in_run);
        self.streams[stream] += 1;
        self.same_op += u64::from(same_op);
        self.same_size += u64::from(same_size);
    }

    fn finish(&self, requests: u64) -> Runs {
        if self.count == 0 {
            return Runs::default();
        }
        let last = self.streams.iter().rposition(|count| *count > 0).unwrap_or(0);
        Runs {
            share: share(self.count, requests),
            again: Some(share(self.again, self.count)),
            mean: Some(1.0 + self.count as f64 / self.begun.max(1) as f64),
            streams: self.streams[..=last].iter().map(|n| share(*n, self.count)).collect(),
            same_op: Some(share(self.same_op, self.count)),
            writes: None,
            kept: share(self.same_size, self.count),
            around: false,
        }
    }
}

#[cfg(test)]
mod tests;
