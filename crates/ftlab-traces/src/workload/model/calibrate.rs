//! Derives the table of distances that yields a published miss ratio curve.
//!
//! An LRU cache of `c` pages misses all accesses at a depth of `c` pages or more. Once pages are
//! converted to places, the curve is therefore the table. Runs, pages shared by requests, and full
//! volumes bend the curve. A few rounds generate the stream, measure it and correct the table by
//! the difference.

use super::caches::Caches;
use super::file::{Curve, Model};
use super::targets::targets;
use super::{Modelled, stream::Stream};
use crate::error::Error;
use crate::locality::MissRatioCurve;
use std::sync::Arc;

/// Share of a point's error that a round corrects: points disturb those after them.
const GAIN: f64 = 0.7;

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

/// Corrects `reuse.distances` so that the stream of `seed` has the curve in `published.curve`.
/// Between its points, the curve follows the shape of `published.prefix`. The best of `rounds`
/// rounds is kept. Returns how near the stream of each round was.
///
/// # Errors
/// [`Error::Config`] for a model without a curve.
pub fn calibrate(model: &mut Model, rounds: u32, seed: u64) -> Result<Vec<Distance>, Error> {
    let points = targets(&model.published);
    let Some(published) = model.published.curve.clone() else {
        return Err(Error::config("published.curve", "found none, expected one to calibrate to"));
    };
    let wanted: Vec<f64> = points.iter().map(|point| point.1 / 100.0).collect();
    let mut shares = wanted.clone();
    let mut places_per_block = 1.0;
    let mut distances: Vec<Distance> = Vec::new();
    let mut best = Vec::new();
    for round in 0..rounds {
        model.reuse.distances = table(&points, &shares, places_per_block);
        let (curve, places) = measure(model, &published, seed);
        let found: Vec<f64> = points.iter().map(|point| curve.miss_ratio(point.0)).collect();
        let apart = Distance::between(&found, &wanted);
        if distances.iter().all(|before| apart.max < before.max) {
            best.clone_from(&model.reuse.distances);
        }
        distances.push(apart);
        if round == 0 {
            places_per_block = places as f64 / curve.pages().max(1) as f64;
        } else {
            correct(&mut shares, &found, &wanted);
        }
    }
    model.reuse.distances = best;
    Ok(distances)
}

/// The table with these shares. Its distances are in places; the points' are in blocks.
fn table(points: &[(u64, f64)], shares: &[f64], places_per_block: f64) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0, 1.0]];
    let mut last = 0.0;
    for ((blocks, _), share) in points.iter().zip(shares) {
        last = f64::max((*blocks as f64 * places_per_block).ceil(), last + 1.0);
        rows.push(vec![last, *share]);
    }
    rows
}

/// Moves each share by its point's error; shares keep their order.
fn correct(shares: &mut [f64], found: &[f64], wanted: &[f64]) {
    let mut most: f64 = 1.0;
    for ((share, found), wanted) in shares.iter_mut().zip(found).zip(wanted) {
        *share = (*share + GAIN * (wanted - found)).clamp(0.0, most);
        most = *share;
    }
}

/// The curve of the whole stream, and the places that it remembers at its end.
fn measure(model: &Model, curve: &Curve, seed: u64) -> (MissRatioCurve, u64) {
    let requests = model.length.requests();
    let mut stream = Stream::new(&Modelled { model: Arc::new(model.clone()), requests, seed });
    let mut caches = Caches::new(&Curve { opt: Vec::new(), ..curve.clone() });
    for _ in 0..requests {
        caches.access(&stream.next());
    }
    (caches.curve(), stream.places())
}
