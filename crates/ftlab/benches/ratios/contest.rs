//! FTLs against the bare loop, buffers against none: pairs of runs, again and again, until their ratio is known well enough.

use crate::machine::{Cost, stolen};
use serde::Serialize;

/// Pairs that are always run.
const LEAST_PAIRS: usize = 5;
/// Quartiles of a ratio that are less than this share of its median apart are near enough.
const NEAR: f64 = 0.1;

/// What one run has done.
#[derive(Clone, Copy)]
pub struct Run {
    /// Flash operations, and where buffers are compared what the host asks for, too.
    pub operations: u64,
    /// What they cost.
    pub cost: Cost,
}

impl Run {
    fn speed(&self) -> f64 {
        self.operations as f64 / self.cost.wall
    }

    fn speed_of_processor(&self) -> f64 {
        self.operations as f64 / self.cost.processor
    }
}

/// How an FTL has done against the bare loop, or a buffer above one against the FTL alone.
#[derive(Debug, Serialize)]
pub struct Standing {
    /// The FTL, or the buffer.
    pub name: String,
    /// Pairs that were run.
    pub pairs: usize,
    /// Whether the pairs ended before the quartiles were near each other.
    pub limit_hit: bool,
    /// Operations per second of what it runs against, median.
    pub bare: f64,
    /// Its operations per second, median.
    pub speed: f64,
    /// Of the pairs' ratios, by the clock on the wall: median, quartiles, extremes.
    pub ratio: Spread,
    /// The same by the time of the processor.
    pub ratio_of_processor: Spread,
    /// Hundredths of a second that others on the host took meanwhile.
    pub stolen: u64,
}

/// Where numbers lie.
#[derive(Debug, Serialize)]
pub struct Spread {
    pub median: f64,
    pub quartiles: [f64; 2],
    pub extremes: [f64; 2],
}

impl Spread {
    pub fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_by(f64::total_cmp);
        let at = |part: f64| numbers[((numbers.len() - 1) as f64 * part).round() as usize];
        Spread { median: at(0.5), quartiles: [at(0.25), at(0.75)], extremes: [at(0.0), at(1.0)] }
    }

    fn is_narrow(&self) -> bool {
        self.quartiles[1] - self.quartiles[0] < NEAR * self.median
    }
}

/// Runs pairs, at most `most`, but [`LEAST_PAIRS`]: `bare` first in every other one.
pub fn pair(
    name: &str,
    most: usize,
    bare: impl Fn() -> Run,
    contestant: impl Fn() -> Run,
) -> Standing {
    let (most, stolen_before) = (most.max(LEAST_PAIRS), stolen());
    let mut pairs: Vec<(Run, Run)> = Vec::new();
    let ratios = |pairs: &[(Run, Run)], speed: fn(&Run) -> f64| {
        Spread::of(pairs.iter().map(|(bare, run)| speed(run) / speed(bare)).collect())
    };
    let is_known =
        |pairs: &[(Run, Run)]| pairs.len() >= LEAST_PAIRS && ratios(pairs, Run::speed).is_narrow();
    while pairs.len() < most && !is_known(&pairs) {
        pairs.push(if pairs.len().is_multiple_of(2) {
            let bare = bare();
            (bare, contestant())
        } else {
            let run = contestant();
            (bare(), run)
        });
    }
    let median = |speeds: Vec<f64>| Spread::of(speeds).median;
    Standing {
        name: name.to_owned(),
        pairs: pairs.len(),
        limit_hit: !is_known(&pairs),
        bare: median(pairs.iter().map(|(bare, _)| bare.speed()).collect()),
        speed: median(pairs.iter().map(|(_, run)| run.speed()).collect()),
        ratio: ratios(&pairs, Run::speed),
        ratio_of_processor: ratios(&pairs, Run::speed_of_processor),
        stolen: stolen().saturating_sub(stolen_before),
    }
}
