//! From a published miss ratio curve to the table of distances that makes it.
//!
//! An LRU cache of `c` pages misses what is at least `c` pages deep, so the curve is the table once
//! pages are turned into places. Runs, pages that requests share, and volumes that are full bend
//! it: the stream is made and measured, and the table corrected by what is missing, a few times.

use super::file::Model;
use super::{Modelled, stream::Stream};
use crate::error::Error;
use crate::locality::{MissRatioCurve, PAGES_MAX, ReuseDistances};
use std::sync::Arc;

/// Bytes of a block of the curve.
const BLOCK_BYTES: u64 = 4096;

/// How near a round came to the published curve, in points of the miss ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Mean over the points.
    pub mean: f64,
    /// At the worst point.
    pub max: f64,
}

/// Corrects `reuse.distances` so that the stream of `seed` has the curve in `published.curve`, in
/// so many `rounds`: the best of them counts. Returns how near the stream of each round was.
///
/// # Errors
/// [`Error::Config`] for a model without a curve, or one whose points do not ascend.
pub fn calibrate(model: &mut Model, rounds: u32, seed: u64) -> Result<Vec<Distance>, Error> {
    let points = model.published.curve.clone().map_or_else(Vec::new, |curve| curve.points);
    if points.is_empty() || !points.is_sorted_by(|a, b| a.0 < b.0 && a.1 >= b.1) {
        let message = "expected points whose blocks ascend and whose miss ratios do not";
        return Err(Error::config("published.curve", message));
    }
    let wanted: Vec<f64> = points.iter().map(|point| point.1 / 100.0).collect();
    let mut shares = wanted.clone();
    let mut places_per_page = 1.0;
    let (mut distances, mut best) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let deep = points.iter().map(|point| (point.0 as f64 * places_per_page).ceil());
        let rows = deep.zip(&shares).map(|(deep, share)| vec![deep, *share]);
        model.reuse.distances = [vec![0.0, 1.0]].into_iter().chain(rows).collect();
        let (curve, places) = measure(model, seed)?;
        let found: Vec<f64> = points.iter().map(|point| curve.miss_ratio(point.0)).collect();
        let apart = found.iter().zip(&wanted).map(|(found, wanted)| 100.0 * (found - wanted).abs());
        let round = Distance {
            mean: apart.clone().sum::<f64>() / points.len() as f64,
            max: apart.fold(0.0, f64::max),
        };
        if distances.iter().all(|before: &Distance| before.mean > round.mean) {
            best = model.reuse.distances.clone();
        }
        distances.push(round);
        places_per_page = places as f64 / curve.pages() as f64;
        correct(&mut shares, &found, &wanted);
    }
    model.reuse.distances = best;
    Ok(distances)
}

/// Moves each share by what its point misses; shares stay in order.
fn correct(shares: &mut [f64], found: &[f64], wanted: &[f64]) {
    let mut most: f64 = 1.0;
    for ((share, found), wanted) in shares.iter_mut().zip(found).zip(wanted) {
        *share = (*share + wanted - found).clamp(0.0, most);
        most = *share;
    }
}

/// The curve of the whole stream, and the places that it remembers in the end.
fn measure(model: &Model, seed: u64) -> Result<(MissRatioCurve, u64), Error> {
    let requests = model.length.requests();
    let mut stream = Stream::new(&Modelled { model: Arc::new(model.clone()), requests, seed });
    let mut distances: ReuseDistances = ReuseDistances::new(PAGES_MAX);
    for _ in 0..requests {
        let request = stream.next();
        for page in request.offset / BLOCK_BYTES..=(request.end() - 1) / BLOCK_BYTES {
            distances.access(request.volume, page);
        }
    }
    Ok((distances.curve(), stream.places()))
}
