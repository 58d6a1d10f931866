//! Fits a model to a trace in one pass.
//!
//! The beginning of the trace decides its parts ([`split`]): busy volumes, and in them the places
//! that last. The law of a part ([`law`]) classifies each request by how the stream would generate
//! it. A request continues another ([`runs`]), goes back to a used place, or goes to a new place
//! ([`places`]). Fitting measures with the same structures from which the stream draws, above all
//! [`Recency`](super::recency::Recency). The stream of each law is then generated and compared with
//! the beginning of the trace, and the law is corrected by the difference ([`refine`]).
//!
//! Memory is bounded: 100 MiB for the last four million requests, at most 2^23 known pages of each
//! part, and 2^17 requests of the beginning. Beyond these bounds, the oldest half is forgotten.

mod facts;
mod gaps;
mod law;
mod places;
mod refine;
mod runs;
mod sizes;
mod split;
mod survival;
mod volumes;

use super::check;
use super::file::{Length, Model, Part, Published};
use crate::error::Error;
use crate::request::{BATCH, Digest, Op, Request, RequestSource};
use crate::units::Duration;
use gaps::GapFit;
use law::LawFit;
use refine::Sample;
use split::Split;
use std::collections::BTreeMap;

/// The fewest requests of a model: with fewer it would be noise.
pub const FEWEST_REQUESTS: u64 = 100;

/// Reads `source` to its end and fits a model called `name` to it. `watch` is called after every
/// batch with the requests so far and the source's progress; its error ends the reading. Trims are
/// left out.
///
/// # Errors
/// Those of the source and of `watch`; [`Error::Trace`] for a source of fewer than
/// [`FEWEST_REQUESTS`] reads and writes, or with more space or volumes than a model may have.
pub fn fit(
    source: &mut dyn RequestSource,
    name: &str,
    watch: &mut dyn FnMut(u64, Option<f64>) -> Result<(), Error>,
) -> Result<Model, Error> {
    let mut fit = Beginning::default();
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        for request in batch.iter().filter(|request| request.op.has_data()) {
            let op = if request.op.writes() { Op::Write } else { Op::Read };
            fit.add(&Request { op, ..*request })?;
        }
        watch(fit.requests(), source.progress())?;
    }
    if fit.requests() < FEWEST_REQUESTS {
        let message = format!(
            "found {} reads and writes, expected at least {FEWEST_REQUESTS} to fit a model",
            fit.requests()
        );
        return Err(Error::Trace { file: name.to_owned(), line: None, message });
    }
    fit.finish(name)
}

/// Checks that `model`, of the trace `name` or a part of it, is valid.
fn check(model: &Model, name: &str) -> Result<(), Error> {
    check::check(model).map_err(|(key, message)| Error::Trace {
        file: name.to_owned(),
        line: None,
        message: format!("cannot be told as a model: {key}: {message}"),
    })
}

/// Part over whole; 0 of nothing.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What all requests have in common, and the law of each part.
struct Fit {
    counts: [u64; 2],
    digest: Digest,
    gaps: GapFit,
    split: Split,
    laws: Vec<LawFit>,
}

/// A fit whose parts are unknown until the beginning of the trace is complete.
#[derive(Default)]
struct Beginning {
    sample: Sample,
    fit: Option<Fit>,
}

impl Beginning {
    fn requests(&self) -> u64 {
        let known = self.fit.as_ref().map(|fit| fit.counts[0] + fit.counts[1]);
        known.unwrap_or(self.sample.requests.len() as u64)
    }

    fn add(&mut self, request: &Request) -> Result<(), Error> {
        if let Some(fit) = &mut self.fit {
            return fit.add(request);
        }
        if !self.sample.add(request) {
            let mut fit = Fit::new(&self.sample)?;
            fit.add(request)?;
            self.fit = Some(fit);
        }
        Ok(())
    }

    fn finish(self, name: &str) -> Result<Model, Error> {
        let fit = self.fit.map_or_else(|| Fit::new(&self.sample), Ok)?;
        fit.finish(name, &self.sample.requests)
    }
}

impl Fit {
    /// Begins with the requests of `sample`.
    fn new(sample: &Sample) -> Result<Self, Error> {
        let split = Split::of(&sample.requests);
        let laws = (0..split.parts()).map(|_| LawFit::new(split.parts())).collect();
        let mut fit =
            Fit { counts: [0; 2], digest: Digest::default(), gaps: GapFit::new(), split, laws };
        sample.requests.iter().try_for_each(|request| fit.add(request))?;
        Ok(fit)
    }

    fn add(&mut self, request: &Request) -> Result<(), Error> {
        self.counts[usize::from(request.op == Op::Write)] += 1;
        self.digest.add(request);
        self.gaps.add(request.time);
        self.laws[self.split.part(request)].add(request)
    }

    fn finish(self, name: &str, sample: &[Request]) -> Result<Model, Error> {
        let [reads, writes] = self.counts;
        let requests = reads + writes;
        let span = self.gaps.span() as f64 * requests as f64 / (requests - 1) as f64;
        let digest = self.digest.text();
        let origin =
            format!("fitted: to the {requests} reads and writes of {name}, digest {digest}");
        let split = &self.split;
        let mut parts = self.laws.into_iter().enumerate().map(|(index, law)| {
            let own: Vec<Request> =
                sample.iter().filter(|request| split.part(request) == index).copied().collect();
            let (share, totals) = (share(law.requests(), requests), law.totals());
            let part = law.finish(split.name(index), share, split.numbered());
            check(&refine::alone(&part, &totals), name)?;
            refine::refined(part, &own, &totals)
        });
        let whole = parts.next().expect("a split has a part")?;
        let mut model = Model {
            name: name.to_owned(),
            summary: format!("fitted to {name}"),
            source: format!("{requests} reads and writes, digest {digest}"),
            nearness: None,
            origin: BTreeMap::from([("all".to_owned(), origin)]),
            length: Length { reads, writes, duration: Duration(span as u64) },
            arrivals: self.gaps.finish(),
            sizes: whole.sizes,
            runs: whole.runs,
            reuse: whole.reuse,
            space: whole.space,
            parts: parts.collect::<Result<Vec<Part>, Error>>()?,
            published: Published::default(),
        };
        check(&model, name)?;
        model.nearness = Some(refine::nearness(&model, sample)?);
        Ok(model)
    }
}

#[cfg(test)]
mod tests;
