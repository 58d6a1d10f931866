//! How far write amplification is from the least that separation by frequency reaches.

use crate::buffer;
use crate::figures::figures;
use crate::gc::GcStart;
use crate::model::greedy_gc::Class;
use crate::model::separation::optimum;
use crate::simulate::Outcome;
use crate::warmup::WarmupReport;

figures! {
    /// Write amplification compared with the least that separation by frequency reaches.
    pub struct OptimumReport {
        pub(super) of(outcome: &Outcome<'_>, warmup: &WarmupReport, found: Option<f64>);
        let bound = bound(outcome, warmup);
        let least = bound.as_ref().ok().copied();
        /// Write amplification of the best division of the spare space over pages that are written equally often.
        write_amplification: Option<f64> = least,
            unit "factor", null "where `absent` says why", source "models.md#separation";
        /// Write amplification / that of the best division - 1. It is below 0 where a run is not in steady state, or knows
        /// the future.
        gap: Option<f64> = found.zip(least).map(|(found, least)| found / least - 1.0),
            unit "ratio", better Lower, null "where `absent` says why, or without writes",
            label "gap to optimum";
        /// Why there is no bound.
        absent: Option<String> = bound.err(), unit "text", null "where there is one";
    }
}

/// The bound, or why there is none.
fn bound(outcome: &Outcome<'_>, warmup: &WarmupReport) -> Result<f64, String> {
    let (config, geometry) = (outcome.config, outcome.flash.geometry());
    let refusals = [
        (config.input.trace.is_some(), "a trace or a profile has no lasting shares of writes"),
        (config.input.shard.is_some(), "a device of an array may have other shares of writes"),
        (
            config.buffer.policy != buffer::NONE || outcome.spec.keeps_writes,
            "a write buffer keeps pages that are written often",
        ),
        (
            config.gc.start == GcStart::Garbage && outcome.spec.obeys("gc.start"),
            "a volume grows and is measured from empty",
        ),
        (
            warmup.mode.plan().next().is_none(),
            "the device begins empty; run.warmup = random fills it",
        ),
    ];
    if let Some((_, reason)) = refusals.iter().find(|(is_so, _)| *is_so) {
        return Err((*reason).to_owned());
    }
    let page_bytes = u64::from(geometry.page_bytes);
    let groups = config.workload.popularity(page_bytes).map_err(|error| error.to_string())?;
    let workload: u64 = groups.iter().map(|group| group.pages).sum();
    let written = outcome.flash.written_pages().ok_or("reads are not verified")?;
    if workload > written {
        return Err(format!(
            "{written} of the {workload} pages of the workload were written; run.warmup = random writes all"
        ));
    }
    let still =
        (written > workload).then(|| Class { pages: (written - workload) as f64, writes: 0.0 });
    let written_to =
        groups.iter().map(|group| Class { pages: group.pages as f64, writes: group.writes });
    let groups: Vec<Class> = written_to.chain(still).collect();
    let fill = written as f64 / f64::from(geometry.pages());
    let division = optimum(fill, &groups, Some(geometry.pages_per_block));
    Ok(division.expect("a workload writes pages").write_amplification)
}
