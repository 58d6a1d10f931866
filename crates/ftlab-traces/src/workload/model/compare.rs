//! Compares a model's stream with the published values of its trace.

use super::caches::Caches;
use super::figures::{FigureKind, Tally, Within};
use super::file::{Curve, Figure, Model};
use crate::error::Error;

/// How far OPT may be from the published value.
const OPT_WITHIN: Within = Within::Points(4.0);

/// Published values, those of the stream, and whether they are near enough.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The figures, in the order of the file.
    pub figures: Vec<Compared>,
    /// The points of the miss ratio curve.
    pub curve: Vec<ComparedPoint>,
    /// Those of OPT.
    pub opt: Vec<ComparedPoint>,
}

/// A figure compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The figure as published.
    pub figure: Figure,
    /// How near the stream must come.
    pub within: Within,
    /// The value of the stream.
    pub generated: f64,
}

/// A point of the curve compared, in percent.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPoint {
    /// Blocks of the LRU cache.
    pub blocks: u64,
    /// Published miss ratio.
    pub published: f64,
    /// That of the stream.
    pub generated: f64,
    /// That of the stream, volumes laid over each other.
    pub overlaid: f64,
    /// How near the stream must come.
    pub within: Within,
}

impl Compared {
    /// Whether the stream is near enough, or the model does not follow the figure.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.figure.aside.is_some() || self.within.holds(self.figure.value, self.generated)
    }
}

impl ComparedPoint {
    /// Whether the stream is near enough.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.within.holds(self.published, self.generated)
    }
}

impl Comparison {
    /// Whether the stream is near enough in all that the model follows.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.figures.iter().all(Compared::holds)
            && self.curve.iter().chain(&self.opt).all(ComparedPoint::holds)
    }
}

/// Compares the first `requests` of the stream of `seed` with the published values; `None`: all.
///
/// # Errors
/// Those of [`Model::input`].
pub fn compare(model: &Model, requests: Option<u64>, seed: u64) -> Result<Comparison, Error> {
    let mut source = model.clone().input(requests, seed)?.open()?;
    let curve = model.published.curve.as_ref();
    let mut tally = Tally::default();
    let mut caches = curve.map(Caches::new);
    let mut batch = Vec::new();
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        for request in &batch {
            tally.add(request)?;
            if let Some(caches) = &mut caches {
                caches.access(request);
            }
        }
    }
    let measured = tally.finish();
    let compared = |figure: &Figure| {
        let kind = FigureKind::find(&figure.name)?;
        let generated = kind.value(&measured);
        Some(Compared { figure: figure.clone(), within: kind.within, generated })
    };
    let [lru, opt] =
        curve.zip(caches).map_or_else(Default::default, |(curve, caches)| points(curve, &caches));
    Ok(Comparison {
        figures: model.published.figures.iter().filter_map(compared).collect(),
        curve: lru,
        opt,
    })
}

/// The points of a curve, and those of OPT.
fn points(curve: &Curve, caches: &Caches) -> [Vec<ComparedPoint>; 2] {
    let (found, overlaid) = (caches.curve(), caches.overlaid());
    let within = curve.within();
    let lru = |&(blocks, published): &(u64, f64)| ComparedPoint {
        blocks,
        published,
        generated: 100.0 * found.miss_ratio(blocks),
        overlaid: 100.0 * overlaid.miss_ratio(blocks),
        within,
    };
    let opt = |(&(blocks, published), miss): (&(u64, f64), f64)| {
        let generated = 100.0 * miss;
        ComparedPoint { blocks, published, generated, overlaid: generated, within: OPT_WITHIN }
    };
    let lru = curve.points.iter().map(lru).collect();
    [lru, curve.opt.iter().zip(caches.opt()).map(opt).collect()]
}
