//! From a published miss ratio curve to the table of distances that makes it.
//!
//! An LRU cache of `c` pages misses what is at least `c` pages deep, so the curve is the table once
//! pages are turned into places. Runs, pages that requests share, and volumes that are full bend
//! it: the stream is made and measured, and the table corrected by what is missing, a few times.

use super::file::Model;
use super::targets::targets;
use super::{Modelled, stream::Stream};
use crate::error::Error;
use crate::locality::{MissRatioCurve, PAGES_MAX, ReuseDistances};
use std::sync::Arc;

/// Rounds that find how deep places are; the later ones correct the shares.
const DEPTH_ROUNDS: u32 = 2;

/// How near a round came to the published curve, in points of the miss ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Mean over the points.
    pub mean: f64,
    /// At the worst point.
    pub max: f64,
}

impl Distance {
    fn between(found: &[f64], wanted: &[f64]) -> Self {
        let apart = found.iter().zip(wanted).map(|(found, wanted)| 100.0 * (found - wanted).abs());
        Distance {
            mean: apart.clone().sum::<f64>() / wanted.len() as f64,
            max: apart.fold(0.0, f64::max),
        }
    }
}

/// Corrects `reuse.distances` so that the stream of `seed` has the curve in `published.curve`, with
/// the shape of `published.prefix` between its points, in so many `rounds`; the best of them counts. Returns how near the stream of each round was.
///
/// # Errors
/// [`Error::Config`] for a model without a curve.
pub fn calibrate(model: &mut Model, rounds: u32, seed: u64) -> Result<Vec<Distance>, Error> {
    let points = targets(&model.published);
    let Some(block) = model.published.curve.as_ref().map(|curve| curve.block.0) else {
        return Err(Error::config("published.curve", "found none, expected one to calibrate to"));
    };
    let wanted: Vec<f64> = points.iter().map(|point| point.1 / 100.0).collect();
    let mut shares = wanted.clone();
    let mut deep: Vec<f64> = points.iter().map(|point| point.0 as f64).collect();
    let mut distances: Vec<Distance> = Vec::new();
    let mut best = Vec::new();
    for round in 0..rounds {
        let rows = deep.iter().zip(&shares).map(|(deep, share)| vec![*deep, *share]);
        model.reuse.distances = [vec![0.0, 1.0]].into_iter().chain(rows).collect();
        let (curve, mut depths) = measure(model, &points, block, seed)?;
        let found: Vec<f64> = points.iter().map(|point| curve.miss_ratio(point.0)).collect();
        let apart = Distance::between(&found, &wanted);
        if distances.iter().all(|before| apart.max < before.max) {
            best.clone_from(&model.reuse.distances);
        }
        distances.push(apart);
        // Both at once would swing.
        if round < DEPTH_ROUNDS {
            depths.settle();
            deepen(&mut deep, &points, &depths);
        } else {
            correct(&mut shares, &found, &wanted);
        }
    }
    model.reuse.distances = best;
    Ok(distances)
}

/// Turns the blocks of each point into places.
fn deepen(deep: &mut [f64], points: &[(u64, f64)], depths: &Depths) {
    let mut last = 0.0;
    for ((deep, point), depth) in deep.iter_mut().zip(points).zip(&depths.0) {
        last = f64::max((point.0 as f64 * depth.ratio()).round(), last + 1.0);
        *deep = last;
    }
}

/// Moves each share by what its point misses; shares stay in order.
fn correct(shares: &mut [f64], found: &[f64], wanted: &[f64]) {
    let mut most: f64 = 1.0;
    for ((share, found), wanted) in shares.iter_mut().zip(found).zip(wanted) {
        *share = (*share + wanted - found).clamp(0.0, most);
        most = *share;
    }
}

/// How deep the pages of requests were, and how deep their places.
#[derive(Clone, Copy, Debug, Default)]
struct Depth {
    pages: u64,
    places: u64,
}

impl Depth {
    fn ratio(&self) -> f64 {
        if self.pages == 0 { 1.0 } else { self.places as f64 / self.pages as f64 }
    }
}

/// Depths near each point of the curve.
struct Depths(Vec<Depth>);

impl Depths {
    /// Points that no request came near are as the one before.
    fn settle(&mut self) {
        for at in 1..self.0.len() {
            if self.0[at].pages == 0 {
                self.0[at] = self.0[at - 1];
            }
        }
    }
}

/// The curve of the whole stream, and how deep places lie at each point.
fn measure(
    model: &Model,
    points: &[(u64, f64)],
    block: u64,
    seed: u64,
) -> Result<(MissRatioCurve, Depths), Error> {
    let requests = model.length.requests();
    let mut stream = Stream::new(&Modelled { model: Arc::new(model.clone()), requests, seed });
    let mut distances: ReuseDistances = ReuseDistances::new(PAGES_MAX);
    let mut depths = vec![Depth::default(); points.len()];
    for _ in 0..requests {
        let request = stream.next();
        let first = request.offset / block;
        let reuse = distances.access(request.volume, first).and_then(|reuse| reuse.distance);
        if let (Some(pages), Some(places)) = (reuse, stream.distance()) {
            // The point whose size is nearest, by the geometric mean of neighbours.
            let far = |pair: &[(u64, f64)]| pair[0].0 as f64 * pair[1].0 as f64;
            let square = pages as f64 * pages as f64;
            let at = points.windows(2).take_while(|pair| far(pair) < square).count();
            depths[at].pages += pages;
            depths[at].places += places;
        }
        for next in first + 1..=(request.end() - 1) / block {
            distances.access(request.volume, next);
        }
    }
    Ok((distances.curve(), Depths(depths)))
}
