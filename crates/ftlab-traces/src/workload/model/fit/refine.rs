//! Compares a law with its part of the trace, and corrects it.
//!
//! One pass yields the law of each kind of request. Together, in space that fills, their effect
//! differs a little from the trace. A law of recency also does not show which places last. Each
//! round generates the stream, measures it as the trace was ([`Facts`]), and corrects the law by
//! the difference:
//!
//! * `reuse.distances`, by the misses of LRU caches of pages
//! * `reuse.lasting`, by the share of later writes that go to pages of the first window
//! * sizes, by their means
//!
//! The best of a few rounds is kept.

use super::facts::{Facts, PAGE_BYTES, mean_bytes, pages};
use crate::error::Error;
use crate::math::{exp, ln};
use crate::request::Request;
use crate::units::{Bytes, Duration};
use crate::workload::model::file::{Gaps, Length, Model, Part, Published};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Rounds of generating, measuring and correcting.
const ROUNDS: usize = 16;
/// Share of the difference that a round corrects.
const GAIN: f64 = 0.5;
/// Requests that the streams of several seeds must reach, as a short stream depends on chance.
const REQUESTS: usize = 20_000;
const SEEDS: usize = 8;
/// The largest lasting share: a model of repetitions alone would not be a model.
const MOST_LASTING: f64 = 0.8;
/// The share of requests that go back below which they are not corrected.
const LEAST: f64 = 0.05;
/// The variance of the logarithms of sizes below which sizes are not corrected.
const LEAST_SPREAD: f64 = 0.25;
/// Requests and page accesses of the beginning of a trace that a model is compared with.
const SAMPLE_REQUESTS: usize = 1 << 17;
const SAMPLE_PAGES: usize = 1 << 21;

/// The beginning of a trace.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) requests: Vec<Request>,
    pages: usize,
}

impl Sample {
    /// Whether there was room for `request`.
    pub(super) fn add(&mut self, request: &Request) -> bool {
        let room = self.requests.len() < SAMPLE_REQUESTS && self.pages < SAMPLE_PAGES;
        if room {
            self.requests.push(*request);
            self.pages += pages(request).count();
        }
        room
    }
}

/// The totals over all requests of a part.
pub(super) struct Totals {
    /// Reads and writes.
    pub(super) counts: [u64; 2],
    /// Their mean bytes, where there are any.
    pub(super) bytes: [Option<f64>; 2],
}

/// `part`, corrected by its first requests and by the totals.
pub(super) fn refined(mut part: Part, sample: &[Request], totals: &Totals) -> Result<Part, Error> {
    let sizes = cache_sizes(&part, sample);
    let real = Facts { bytes: totals.bytes, ..Facts::of(sample, &sizes) };
    let mut best = (f64::INFINITY, part.clone());
    for _ in 0..ROUNDS {
        let made = made(&alone(&part, totals), sample.len(), &sizes)?;
        let apart = made.apart(&real);
        if apart < best.0 {
            best = (apart, part.clone());
        }
        correct(&mut part, &made, &real);
    }
    Ok(best.1)
}

/// A phrase on how near the stream of `model` is to the beginning of its trace.
pub(super) fn nearness(model: &Model, sample: &[Request]) -> Result<String, Error> {
    let sizes: Vec<u64> = (3..22).map(|power| 1 << power).collect();
    let (real, made) = (Facts::of(sample, &sizes), made(model, sample.len(), &sizes)?);
    Ok(format!(
        "LRU caches of pages miss {:.1} points more or less than with the trace, mean over sizes; \
         {:.0} % of later page writes go to pages of the first fifth (trace {:.0} %), {:.2} to each \
         page written ({:.2})",
        100.0 * made.curves_apart(&real),
        100.0 * made.lasting,
        100.0 * real.lasting,
        made.updates,
        real.updates,
    ))
}

/// Sizes of caches that hold as many places as the rows of `reuse.distances` state. The last holds
/// all.
fn cache_sizes(part: &Part, sample: &[Request]) -> Vec<u64> {
    let distinct: FxHashSet<_> = sample.iter().flat_map(pages).collect();
    let places: FxHashSet<_> =
        sample.iter().map(|request| (request.volume, request.offset / PAGE_BYTES)).collect();
    let each = distinct.len() as f64 / places.len() as f64;
    let size = |row: &Vec<f64>| (row[0] * each).ceil() as u64;
    let mut sizes: Vec<u64> = part.reuse.distances.iter().map(size).collect();
    sizes.last_mut().into_iter().for_each(|size| *size = u64::MAX >> 1);
    sizes
}

/// A model of this part alone.
pub(super) fn alone(part: &Part, totals: &Totals) -> Model {
    let [reads, writes] = totals.counts;
    let Part { sizes, runs, reuse, space, .. } = part.clone();
    Model {
        name: part.name.clone(),
        summary: String::new(),
        source: String::new(),
        nearness: None,
        origin: BTreeMap::new(),
        length: Length { reads, writes, duration: Duration(1) },
        arrivals: Gaps::default(),
        sizes,
        runs,
        reuse,
        space,
        parts: Vec::new(),
        published: Published::default(),
    }
}

/// The facts of the first requests of the stream, with mean sizes over many requests.
fn made(model: &Model, requests: usize, sizes: &[u64]) -> Result<Facts, Error> {
    let seeds = (REQUESTS / requests).clamp(1, SEEDS) as u64;
    let many = model.length.requests().min(SAMPLE_REQUESTS as u64).max(requests as u64);
    let of_seed = |seed| {
        let made = model.clone().input(Some(many), seed)?.open()?.rest()?;
        Ok(Facts { bytes: mean_bytes(&made), ..Facts::of(&made[..requests], sizes) })
    };
    Ok(Facts::mean(&(1..=seeds).map(of_seed).collect::<Result<Vec<Facts>, Error>>()?))
}

/// Corrects the part by the error of its stream.
fn correct(part: &mut Part, made: &Facts, real: &Facts) {
    let [reads, writes] = real.longer(made);
    tilt(&mut part.sizes.read, reads);
    tilt(&mut part.runs.read, reads);
    tilt(&mut part.sizes.write, writes);
    tilt(&mut part.runs.write, writes);
    tilt(&mut part.reuse.read, reads);
    tilt(&mut part.reuse.write, writes);
    tilt(&mut part.reuse.places, (reads + writes) / 2.0);
    let reuse = &mut part.reuse;
    // The lasting share cannot exceed the share that is requested again.
    let hits = 1.0 - real.misses.last().copied().unwrap_or(1.0);
    let lasting = reuse.lasting + GAIN * (real.lasting - made.lasting);
    reuse.lasting = lasting.clamp(0.0, MOST_LASTING * hits);
    let others = ((1.0 - part.runs.share) * (1.0 - reuse.lasting)).max(LEAST);
    let mut most = 1.0;
    let missing = made.misses.iter().zip(&real.misses);
    for (row, (made, real)) in reuse.distances.iter_mut().zip(missing).skip(1) {
        row[1] = (row[1] + GAIN * (real - made) / others).clamp(0.0, most);
        most = row[1];
    }
}

/// Weighs sizes by a power of the size so that the logarithm of their mean grows by about a part of
/// `missing`, as far as the sizes differ.
fn tilt(mix: &mut [(Bytes, f64)], missing: f64) {
    let all: f64 = mix.iter().map(|(_, weight)| weight).sum();
    let mean = |of: &dyn Fn(f64) -> f64| -> f64 {
        mix.iter().map(|(size, weight)| of(ln(size.0 as f64)) * weight / all).sum()
    };
    let middle = mean(&|size| size);
    let spread = mean(&|size| (size - middle) * (size - middle));
    let power = GAIN * missing / spread.max(LEAST_SPREAD);
    for (size, weight) in mix {
        *weight *= exp(power * (ln(size.0 as f64) - middle));
    }
}
