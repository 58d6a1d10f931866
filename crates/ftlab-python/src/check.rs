//! Runs the FTL checks for FTLs written in Python and for any other.

use crate::plugin::Faults;
use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::laws::{Broken, Law, hold_case, hold_seed};
use ftlab::session::{Progress, Watch, panic_message};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The interval between reports of progress.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// An FTL check, the number of its cases, and the failure, if any.
pub struct Checked {
    pub law: Law,
    pub cases: u64,
    pub broken: Option<Broken>,
}

/// Checks an FTL by one law, in `cases` cases or in one `case`: a seed, or the line of JSON that a
/// failed check prints. `faults` then has the exceptions that Python code raised in the last case.
pub fn check(
    catalog: &Catalog,
    law: Law,
    cases: u64,
    case: Option<&str>,
    faults: &Faults,
    watch: Watch<'_>,
) -> Result<Checked, Error> {
    let entry = &catalog.ftls()[0];
    if let Some(line) = case.filter(|line| line.parse::<u64>().is_err()) {
        let broken = hold_case(catalog, law, line)?.err();
        return Ok(Checked { law, cases: 1, broken });
    }
    let one = case.and_then(|seed| seed.parse().ok());
    let seeds = one.map_or(0..law.cases(cases), |seed| seed..seed + 1);
    let (mut last, all) = (Instant::now(), seeds.end - seeds.start);
    for (done, seed) in seeds.enumerate() {
        if last.elapsed() >= WATCH_INTERVAL {
            last = Instant::now();
            let fraction = Some(done as f64 / all as f64);
            watch(Progress { phase: law.name, requests: done as u64, fraction })?;
        }
        faults.clear();
        let held = catch_unwind(AssertUnwindSafe(|| hold_seed(catalog, entry, law, seed)));
        let broken = held.unwrap_or_else(|panic| {
            let message = panic_message(panic.as_ref());
            Err(Broken { law: law.name, case: seed.to_string(), message })
        });
        if let Err(broken) = broken {
            let broken = Broken { case: seed.to_string(), ..broken };
            return Ok(Checked { law, cases: done as u64 + 1, broken: Some(broken) });
        }
    }
    Ok(Checked { law, cases: all, broken: None })
}
