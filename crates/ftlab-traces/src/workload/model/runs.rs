//! When requests go on where an earlier one ended, and which.

use super::file::{Runs, Space};
use super::space::each;
use crate::workload::alias::Alias;

/// When requests go on, and which.
#[derive(Clone, Debug)]
pub(super) struct RunLaw {
    pub(super) first: f64,
    pub(super) again: f64,
    /// Share of the requests that go on whose run has two requests or more already.
    pub(super) in_run: Option<f64>,
    pub(super) volumes: Alias,
    pub(super) streams: Alias,
    pub(super) same_op: Option<f64>,
    pub(super) writes: Option<f64>,
    pub(super) kept: f64,
    /// A run that reaches the end of its volume goes on at its beginning.
    pub(super) around: bool,
    pub(super) fresh: Option<f64>,
}

impl RunLaw {
    pub(super) fn new(runs: &Runs, space: &Space) -> Self {
        let again = runs.again.unwrap_or(runs.share);
        // Stationary: share = (1 - share) x first + share x again.
        let first = runs.share * (1.0 - again) / (1.0 - runs.share).max(f64::MIN_POSITIVE);
        let weights: Vec<f64> =
            each(space).map(|volume| volume.runs.unwrap_or(volume.weight)).collect();
        let none = weights.iter().sum::<f64>() <= 0.0;
        let streams = if runs.streams.is_empty() { &[1.0][..] } else { &runs.streams[..] };
        RunLaw {
            first: if none { 0.0 } else { first.min(1.0) },
            again,
            in_run: runs.mean.map(|mean| 1.0 - 1.0 / (mean - 1.0)),
            volumes: Alias::new(if none { &[1.0] } else { &weights }),
            streams: Alias::new(streams),
            same_op: runs.same_op,
            writes: runs.writes,
            kept: runs.kept,
            around: runs.around,
            fresh: runs.fresh,
        }
    }
}
