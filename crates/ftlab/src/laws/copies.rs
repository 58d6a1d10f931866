//! A copy of a simulation goes on as the original, and leaves it as it is. What happened before may have
//! had another host, unless a decision used the times of requests.

use super::REQUESTS;
use super::buffered::Buffered;
use super::case::{Case, between, pick};
use super::traffic::Traffic;
use crate::host::{HostConfig, HostMode};
use crate::rng::Rng;
use serde_json::Value;

/// How long the simulation took.
const TOLD: &str = "speed";

pub fn a_copy_goes_on_as_the_original(case: &Case<'_>) {
    let expected = {
        let mut alone = history(case);
        future(&mut alone, case)
    };
    let mut other = case.clone();
    other.config.host = host(case.seed());
    let mut original = history(&other);
    if original.used_times() {
        original = history(case);
    }
    let Some(mut copy) = original.twin() else { return };
    copy.go_on_as(&case.config);
    assert_eq!(future(&mut copy, case), expected, "a copy");
    let mut stray = original.twin().expect("another copy");
    serve(&mut stray, case, "stray", 2 * REQUESTS as u32);
    original.go_on_as(&case.config);
    assert_eq!(future(&mut original, case), expected, "the original");
}

/// A host that serves requests in their order.
fn host(seed: u64) -> HostConfig {
    let rng = &mut Rng::new(seed, "other host");
    let modes = [HostMode::Open, HostMode::Closed(1), HostMode::Closed(6), HostMode::Queued(2)];
    let (mode, time_scale) = (pick(rng, &modes), pick(rng, &[1.0, 0.01, 40.0]));
    HostConfig { mode, time_scale, ..HostConfig::default() }
}

/// A simulation after a pass over an input.
fn history(case: &Case<'_>) -> Buffered {
    let mut run = Buffered::new(case);
    serve(&mut run, case, "history", between(&mut Rng::new(case.seed(), "passes"), 1, 300));
    run.end_of_pass();
    run
}

/// All metrics of what comes next.
fn future(run: &mut Buffered, case: &Case<'_>) -> Value {
    run.start_measuring();
    serve(run, case, "future", 2 * REQUESTS as u32);
    let mut figures = run.figures(case.entry);
    figures.as_object_mut().expect("a report is a table").remove(TOLD);
    figures
}

fn serve(run: &mut Buffered, case: &Case<'_>, what: &str, requests: u32) {
    let seed = Rng::new(case.seed(), what).below(u64::MAX);
    let mut traffic = Traffic::draw(seed, run.pages());
    for _ in 0..requests {
        let (op, pages) = traffic.next();
        _ = run.step(op, &pages);
    }
}
