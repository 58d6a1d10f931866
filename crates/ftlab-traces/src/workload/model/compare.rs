//! A model's stream beside what was published of its trace.

use super::figures::{FigureKind, Tally, Within};
use super::file::{Curve, Figure, Model};
use crate::error::Error;
use crate::locality::{MissRatioCurve, PAGES_MAX, ReuseDistances};
use crate::request::Request;

/// How far the curve of a stream may be from the published one, points of the miss ratio.
pub const CURVE_WITHIN: Within = Within::Points(5.0);

/// What was published, what the stream has, and whether it is near enough.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The figures, in the order of the file.
    pub figures: Vec<Compared>,
    /// The points of the miss ratio curve.
    pub curve: Vec<ComparedPoint>,
}

/// A figure compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// As it was published.
    pub figure: Figure,
    /// How near the stream must come.
    pub within: Within,
    /// What the stream has.
    pub generated: f64,
}

/// A point of the curve compared, in percent.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPoint {
    /// Blocks of the LRU cache.
    pub blocks: u64,
    /// Published miss ratio.
    pub published: f64,
    /// That of the stream, volumes apart.
    pub generated: f64,
    /// That of the stream, volumes laid over each other.
    pub overlaid: f64,
}

impl Compared {
    /// Whether the stream is near enough, or the model follows another figure.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.figure.aside.is_some() || self.within.holds(self.figure.value, self.generated)
    }
}

impl ComparedPoint {
    /// Whether the stream is near enough.
    #[must_use]
    pub fn holds(&self) -> bool {
        CURVE_WITHIN.holds(self.published, self.generated)
    }
}

impl Comparison {
    /// Whether all that the model follows is near enough.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.figures.iter().all(Compared::holds) && self.curve.iter().all(ComparedPoint::holds)
    }
}

/// Compares so many `requests` of the stream of `seed` with what was published; `None`: all.
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
    Ok(Comparison {
        figures: model.published.figures.iter().filter_map(compared).collect(),
        curve: curve.zip(caches).map_or_else(Vec::new, |(curve, caches)| caches.finish(curve)),
    })
}

/// LRU caches of every size.
struct Caches {
    block: u64,
    apart: ReuseDistances,
    overlaid: ReuseDistances,
}

impl Caches {
    fn new(curve: &Curve) -> Self {
        let new = || ReuseDistances::new(PAGES_MAX);
        Caches { block: curve.block.0, apart: new(), overlaid: new() }
    }

    fn access(&mut self, request: &Request) {
        for block in request.offset / self.block..=(request.end() - 1) / self.block {
            self.apart.access(request.volume, block);
            self.overlaid.access(0, block);
        }
    }

    fn finish(&self, curve: &Curve) -> Vec<ComparedPoint> {
        let (apart, overlaid) = (self.apart.curve(), self.overlaid.curve());
        let percent = |curve: &MissRatioCurve, blocks| 100.0 * curve.miss_ratio(blocks);
        let compared = |&(blocks, published): &(u64, f64)| ComparedPoint {
            blocks,
            published,
            generated: percent(&apart, blocks),
            overlaid: percent(&overlaid, blocks),
        };
        curve.points.iter().map(compared).collect()
    }
}
