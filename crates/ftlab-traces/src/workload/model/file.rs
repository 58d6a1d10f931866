//! The file of a model: its keys and their meaning.

use super::check;
use super::figures::Within;
use super::origin;
use crate::error::Error;
use crate::units::{Bytes, Duration};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The longest file: a fitted model has a few KiB.
const LONGEST_FILE_BYTES: u64 = 1 << 20;

/// A workload in numbers. Shares are from 0 to 1 and need not add up to 1 in a mix.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Name for reports.
    pub name: String,
    /// What it stands for, in one line.
    pub summary: String,
    /// Where its numbers come from, in one line.
    pub source: String,
    /// How near the stream of a fitted model is to its trace. Default: not said.
    #[serde(default)]
    pub nearness: Option<String>,
    /// The origin of each key, or of all keys below it: `published`, `fitted` or `assumed`, and the
    /// source.
    pub origin: BTreeMap<String, String>,
    /// How many requests there are, and in what time.
    pub length: Length,
    /// When requests arrive.
    #[serde(default)]
    pub arrivals: Gaps,
    /// How large they are.
    pub sizes: Sizes,
    /// Requests that continue where an earlier one ended.
    #[serde(default)]
    pub runs: Runs,
    /// Which of the places used before is used again.
    #[serde(default)]
    pub reuse: Reuse,
    /// Where places lie that were never used before.
    pub space: Space,
    /// Parts of the requests with separate laws; the keys above describe the rest.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// Figures of the trace that were published, to compare the stream with.
    #[serde(default)]
    pub published: Published,
}

/// The full length: counts are exact there.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Length {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// From the first request to the last.
    pub duration: Duration,
}

/// The gaps between requests; their mean is the duration over the requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gaps {
    /// Share of requests that arrive together with the one before. Default 0.
    pub together: f64,
    /// (gap, share of the other gaps up to it), both ascending to a share of 1; only their
    /// proportions matter. Default: exponential gaps.
    pub gaps: Vec<(Duration, f64)>,
    /// Mean number of consecutive gaps below the mean. Default 0: independent gaps.
    pub burst: f64,
}

impl Default for Gaps {
    fn default() -> Self {
        Gaps { together: 0.0, gaps: Vec::new(), burst: 0.0 }
    }
}

/// Request sizes with their weights; if one table is left out, the other applies.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sizes {
    /// Of reads.
    pub read: Vec<(Bytes, f64)>,
    /// Of writes.
    pub write: Vec<(Bytes, f64)>,
    /// Share of requests to a used place that keep the size of its earlier request. Default 1.
    pub kept: Option<f64>,
}

/// Runs of requests of one volume, each starting where an earlier one ended.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Runs {
    /// Share of requests that continue an earlier one. Default 0.
    pub share: f64,
    /// The same among requests after one that continued. Default `share`.
    pub again: Option<f64>,
    /// Mean requests of a run, the first one included. Default: every request may be continued.
    pub mean: Option<f64>,
    /// Weights of the volume's last requests, the newest first, as the one that is continued.
    /// Default: the newest.
    pub streams: Vec<f64>,
    /// Share of requests with the operation of the one before. Default: the volume's share of
    /// writes decides.
    pub same_op: Option<f64>,
    /// Share of writes, instead of `same_op`.
    pub writes: Option<f64>,
    /// Share of requests with the size of the one before. Default 0.
    pub kept: f64,
    /// Whether a run that reaches the end of its volume continues at its beginning. Default: it
    /// ends.
    pub around: bool,
    /// Share of continuing requests to a page that was never used. Default: used or not.
    pub fresh: Option<f64>,
    /// Sizes of continuing reads that do not keep the size of the one before. Default: as all.
    pub read: Vec<(Bytes, f64)>,
    /// The same of writes.
    pub write: Vec<(Bytes, f64)>,
}

/// The other requests: to a place used before, or to a new one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reuse {
    /// Rows of (distance, share of requests at least that deep). The distance counts the other
    /// places used since this one. The share in the last row is that of new places. A row may have
    /// three more numbers, for distances up to the next row. They are the share of places written
    /// before, the share of writes at other places, and the share of writes at those. Without them,
    /// the volume decides. Default: new places only.
    pub distances: Vec<Vec<f64>>,
    /// Share that begins inside the earlier request and not at its start. Default 0.
    pub inside: f64,
    /// Share to the place used next after the one that the previous request went back to. Default
    /// 0.
    pub follow: f64,
    /// Sizes of the places that are used again. Of the places near the drawn depth, one of the
    /// drawn size is taken. Default: any size.
    pub places: Vec<(Bytes, f64)>,
    /// Sizes of reads that go back and do not keep the size of their place. Default: as all.
    pub read: Vec<(Bytes, f64)>,
    /// The same of writes.
    pub write: Vec<(Bytes, f64)>,
    /// Share of all requests that repeat earlier ones, however old, in chunks. The other keys then
    /// describe the remaining requests. Default 0.
    pub lasting: f64,
    /// Mean requests of a chunk. Default 20.
    pub chunk: f64,
}

impl Default for Reuse {
    fn default() -> Self {
        Reuse {
            distances: vec![vec![0.0, 1.0]],
            inside: 0.0,
            follow: 0.0,
            places: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
            lasting: 0.0,
            chunk: 20.0,
        }
    }
}

/// The address space: regions of 4 MiB, which a translation page of 1,024 entries maps.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Share of writes at new places. Default: the volume decides.
    #[serde(default)]
    pub writes: Option<f64>,
    /// Rows of (distance, share of new places at least that deep). The distance counts the other
    /// regions used since the one of the new place. The share in the last row is that of new
    /// regions. Default: new regions only, all over the volume.
    #[serde(default)]
    pub regions: Vec<Vec<f64>>,
    /// Share of new regions that directly follow the volume's last new one. Default 0.
    #[serde(default)]
    pub next_region: f64,
    /// Share of new places in used regions that lie just after the region's last request. Default
    /// 0.
    #[serde(default)]
    pub adjacent: f64,
    /// Share of new places all of whose pages were never used. Default 0: used or not.
    #[serde(default)]
    pub fresh: f64,
    /// Distance between the other new places of a region, a power of two.
    pub slot: Bytes,
    /// Weights of the sectors at which new places begin: eight for a 4 KiB page, sixteen for 8 KiB,
    /// and so on up to a slot. Default: those of a page, equal.
    #[serde(default)]
    pub sectors: Vec<f64>,
    /// The volumes; numbers count from 0.
    pub volumes: Vec<Volume>,
}

/// A volume, or several alike.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Volume {
    /// Weight among the volumes for new regions, and for runs if `runs` is left out.
    pub weight: f64,
    /// Weight among the volumes for runs.
    #[serde(default)]
    pub runs: Option<f64>,
    /// Share of writes among its requests.
    pub writes: f64,
    /// Address space.
    pub size: Bytes,
    /// First byte of the address space. Default 0.
    #[serde(default)]
    pub first: Option<Bytes>,
    /// How many volumes are like this one. Default 1.
    #[serde(default)]
    pub count: Option<u32>,
    /// Its number. Default: numbers continue from 0, over all parts.
    #[serde(default)]
    pub number: Option<u32>,
    /// Share of its regions in which no new place lies. Default 0.
    #[serde(default)]
    pub untouched: f64,
}

/// A part of the requests with a separate law.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What it is, in a word.
    pub name: String,
    /// Share of all requests.
    pub share: f64,
    /// The part's requests in an episode. Default: they always mix with the others.
    #[serde(default)]
    pub episode: Option<f64>,
    /// Share of the requests in an episode that belong to the part. Default 1.
    #[serde(default)]
    pub density: Option<f64>,
    /// How large they are.
    pub sizes: Sizes,
    /// Requests that continue where an earlier one of this part ended.
    #[serde(default)]
    pub runs: Runs,
    /// Which of the places of this part is used again.
    #[serde(default)]
    pub reuse: Reuse,
    /// Where its new places lie.
    pub space: Space,
}

/// The law of the model itself, outside its parts, or of one part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law<'a> {
    pub(super) share: f64,
    pub(super) episode: Option<f64>,
    pub(super) density: f64,
    pub(super) sizes: &'a Sizes,
    pub(super) runs: &'a Runs,
    pub(super) reuse: &'a Reuse,
    pub(super) space: &'a Space,
}

/// Published figures of a trace.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Published {
    /// Single figures.
    pub figures: Vec<Figure>,
    /// A miss ratio curve.
    pub curve: Option<Curve>,
    /// The curve of a real part of the trace. `calibrate` follows its shape between the points of
    /// `curve`.
    pub prefix: Option<Curve>,
}

/// One published figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The name of one of [`FIGURES`](super::FIGURES).
    pub name: String,
    /// The value, in the unit that the name states.
    pub value: f64,
    /// Paper, table or file.
    pub source: String,
    /// Why the model does not follow it, if so.
    pub aside: Option<String>,
}

/// A published LRU curve.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Where it was published.
    pub source: String,
    /// The size of a block. Default 4 KiB.
    #[serde(default = "page")]
    pub block: Bytes,
    /// Of reads alone. Default: of all requests.
    #[serde(default)]
    pub reads: bool,
    /// Of all volumes laid over each other. Default: separate volumes.
    #[serde(default)]
    pub overlaid: bool,
    /// How far a stream may be from it, points of the miss ratio. Default 5.
    #[serde(default)]
    pub within: Option<f64>,
    /// (blocks of the cache, miss ratio in percent).
    pub points: Vec<(u64, f64)>,
    /// The same of OPT, volumes laid over each other.
    #[serde(default)]
    pub opt: Vec<(u64, f64)>,
}

impl Curve {
    /// How near a stream must come.
    #[must_use]
    pub fn within(&self) -> Within {
        Within::Points(self.within.unwrap_or(5.0))
    }
}

fn page() -> Bytes {
    Bytes(4096)
}

impl Default for Curve {
    fn default() -> Self {
        Curve {
            source: String::new(),
            block: page(),
            reads: false,
            overlaid: false,
            within: None,
            points: Vec::new(),
            opt: Vec::new(),
        }
    }
}

impl Length {
    /// Reads and writes together.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.reads + self.writes
    }
}

impl Volume {
    /// How many volumes it stands for.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count.unwrap_or(1)
    }
}

impl Part {
    fn law(&self) -> Law<'_> {
        let Part { share, episode, density, sizes, runs, reuse, space, .. } = self;
        let density = density.unwrap_or(1.0);
        Law { share: *share, episode: *episode, density, sizes, runs, reuse, space }
    }
}

impl Model {
    /// The law of the rest, then those of the parts.
    pub(super) fn laws(&self) -> impl Iterator<Item = Law<'_>> {
        let Model { sizes, runs, reuse, space, .. } = self;
        let share = 1.0 - self.parts.iter().map(|part| part.share).sum::<f64>();
        let rest = Law { share, episode: None, density: 1.0, sizes, runs, reuse, space };
        std::iter::once(rest).chain(self.parts.iter().map(Part::law))
    }

    /// The model in the text of the file `name`, checked.
    ///
    /// # Errors
    /// [`Error::Trace`] names file and line of invalid TOML or an unknown key. [`Error::Config`]
    /// names the key with an invalid value.
    pub fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let model: Model = toml::from_str(text).map_err(|error| Error::Trace {
            file: name.to_owned(),
            line: error.span().map(|span| 1 + text[..span.start].matches('\n').count() as u64),
            message: error.message().replace('\n', " "),
        })?;
        check::check(&model)
            .map_err(|(key, message)| Error::config(format!("{name}: {key}"), message))?;
        origin::check(text, &model.origin, name)?;
        Ok(model)
    }

    /// The model in a file.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read; those of [`Model::parse`].
    pub fn load(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Io { path: path.to_owned(), source };
        let name = path.display().to_string();
        let mut text = String::new();
        let file = File::open(path).map_err(failed)?;
        file.take(LONGEST_FILE_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
        if text.len() as u64 > LONGEST_FILE_BYTES {
            let message = "found more than 1 MiB, expected the few KiB of a model".to_owned();
            return Err(Error::Trace { file: name, line: None, message });
        }
        Model::parse(&text, &name)
    }
}
