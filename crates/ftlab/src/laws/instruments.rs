//! An instrument changes nothing: whatever of a run is watched, its figures are what they are without.

use super::REQUESTS;
use super::buffered::Buffered;
use super::case::{Case, between};
use super::traffic::Traffic;
use crate::rng::Rng;
use crate::run::RunConfig;
use serde_json::{Map, Value};

/// What the instruments tell themselves, and how long the simulation took.
const TOLD: [&str; 8] =
    ["config", "recovery", "samples", "causes", "schedule", "checks", "warnings", "speed"];

pub fn an_instrument_changes_nothing(case: &Case<'_>) {
    let plain = figures(case);
    let instruments = instruments(&case.config.run);
    let drawn = between(&mut Rng::new(case.seed(), "instrument"), 0, instruments.len() as u32 - 1);
    let (instrument, run) = instruments[drawn as usize].clone();
    let mut config = case.config.clone();
    config.run = run;
    let watched = figures(&case.with(config));
    for (name, figure) in &plain {
        assert_eq!(watched.get(name), Some(figure), "{name}, which {instrument} changes");
    }
}

/// Each setting that watches a run, switched on or off alone. What is not told here to be something else is one.
fn instruments(plain: &RunConfig) -> [(&'static str, RunConfig); 6] {
    let RunConfig {
        warmup,
        warmup_limit,
        address,
        seed,
        recovery: _,
        verify: _,
        audit: _,
        samples: _,
        causes: _,
        timeline: _,
        timeline_from: _,
    } = *plain;
    let with = |watch: &dyn Fn(&mut RunConfig)| {
        let mut run = RunConfig { warmup, warmup_limit, address, seed, ..RunConfig::default() };
        watch(&mut run);
        run
    };
    [
        ("run.recovery", with(&|run| run.recovery = true)),
        ("run.verify", with(&|run| run.verify = false)),
        ("run.audit", with(&|run| run.audit = 3)),
        ("run.samples", with(&|run| run.samples = 2)),
        ("run.causes", with(&|run| run.causes = true)),
        ("run.timeline", with(&|run| (run.timeline, run.timeline_from) = (500, 20))),
    ]
}

fn figures(case: &Case<'_>) -> Map<String, Value> {
    let mut run = Buffered::new(case);
    let mut rng = Rng::new(case.seed(), "watched");
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    for _ in 0..between(&mut rng, 1, 6 * REQUESTS as u32) {
        let (op, pages) = traffic.next();
        _ = run.step(op, &pages);
    }
    let Value::Object(mut figures) = run.figures(case.entry) else { panic!("a report is a table") };
    TOLD.iter().for_each(|told| drop(figures.remove(*told)));
    if let Some(timeline) = figures["timeline"].as_object_mut() {
        // Known only of an FTL that mounts.
        timeline.remove("at_risk_bytes");
    }
    if let Some(device) = figures["device"].as_object_mut() {
        // Known with verification alone.
        device.remove("written_ratio");
    }
    figures
}
