//! The order of a run: the plan of its warm-up, the measured phase, and the end.
//!
//! ```text
//! warm-up    each phase: passes over its source, until its end
//!            counters start at zero; the state of the device stays
//! measured   one pass over the input, and what still waits
//! end        check --> report --> write what is still in RAM --> check
//! ```
//!
//! A session does this for each of its points, on threads that share a reading of the input. For one
//! simulation, such as one of an FTL from another crate, it is enough to call [`drive`].

use crate::clock::Instant;
use crate::error::Error;
use crate::flash::{BlockKind, Ledger};
use crate::frames::Frames;
use crate::metrics::request_log::Recorder;
use crate::report::{Report, SpeedReport, TraceReport};
use crate::request::{BATCH, Input, Request, RequestSource};
use crate::rng::Rng;
use crate::simulate::{Role, Simulator};
use crate::stop::unless_stopped;
use crate::units::Ratio;
use crate::warmup::{Pages, Phase, Source, SteadyState, Until, WarmupReport};
use serde::Serialize;
use std::time::Duration;

/// Requests between two checks whether a device is worn out.
const BETWEEN_LOOKS: usize = 512;

/// The phase of a run before measuring starts.
pub const WARMING_UP: &str = "warming up";

/// The measured phase of a run.
pub const SIMULATING: &str = "simulating";

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The present work, such as `warming up`.
    pub phase: &'static str,
    /// Requests read in this phase.
    pub requests: u64,
    /// Share of the phase that is done, if known.
    pub fraction: Option<f64>,
}

/// Called now and then with the progress of a run; an error stops it.
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> Result<(), Error>;

/// Runs a simulation from its configured warm-up to its report, and then writes the pages that are
/// still in RAM. `ftl` is the name in the report; `watch` is called before every batch of requests.
///
/// # Errors
/// Those of the input and of `watch`; [`Error::Config`] when a request lies beyond the device.
///
/// # Panics
/// When a rule of the flash or an invariant of the FTL does not hold.
pub fn drive(
    simulator: &mut dyn Simulator,
    ftl: &str,
    input: &dyn Input,
    watch: Watch<'_>,
) -> Result<Report, Error> {
    drive_with(simulator, ftl, input, watch, Instrument::None)
}

/// An instrument for the measured phase of a run.
pub enum Instrument<'a> {
    /// Nothing.
    None,
    /// Frames of the phase are shown.
    Frames(Box<Frames<'a>>),
    /// Every request is logged.
    Log(Box<Recorder>),
}

/// [`drive`], with an instrument.
///
/// # Errors
/// Those of [`drive`], and of the receiver of the frames.
///
/// # Panics
/// As [`drive`].
pub fn drive_with(
    simulator: &mut dyn Simulator,
    ftl: &str,
    input: &dyn Input,
    watch: Watch<'_>,
    instrument: Instrument<'_>,
) -> Result<Report, Error> {
    let warmup = prepare(simulator, input, watch)?;
    measure(simulator, ftl, input, watch, instrument, warmup)
}

/// The part of [`drive_with`] before measuring starts: the warm-up. Counts and clock are still its own.
///
/// # Errors
/// Those of [`drive`].
///
/// # Panics
/// As [`drive`].
pub(crate) fn prepare(
    simulator: &mut dyn Simulator,
    input: &dyn Input,
    watch: Watch<'_>,
) -> Result<WarmupReport, Error> {
    unless_stopped(|| Run { simulator, input, watch }.prepare())
}

/// The rest of [`drive_with`], after this warm-up.
///
/// # Errors
/// Those of [`drive_with`].
///
/// # Panics
/// As [`drive`].
pub(crate) fn measure(
    simulator: &mut dyn Simulator,
    ftl: &str,
    input: &dyn Input,
    watch: Watch<'_>,
    instrument: Instrument<'_>,
    warmup: WarmupReport,
) -> Result<Report, Error> {
    let mut run = Run { simulator, input, watch };
    unless_stopped(|| run.measured(ftl, instrument, warmup))
}

impl Run<'_> {
    /// The measured phase and the report.
    fn measured(
        &mut self,
        ftl: &str,
        instrument: Instrument<'_>,
        warmup: WarmupReport,
    ) -> Result<Report, Error> {
        self.simulator.start_measuring();
        let spent = match instrument {
            Instrument::None => self.measure()?,
            Instrument::Frames(frames) => self.measure_shown(*frames)?,
            Instrument::Log(recorder) => {
                self.simulator.record(Some(*recorder));
                let spent = self.measure();
                self.simulator.record(None);
                spent?
            }
        };
        Ok(self.end(ftl, warmup, spent))
    }

    /// The warm-up, and passes until the device takes no more writes.
    fn life(
        &mut self,
        ftl: &str,
        (endurance, spread): (u32, Ratio),
        most: u64,
    ) -> Result<Life, Error> {
        let warmup = self.warm_up()?;
        self.simulator.renew_blocks(endurance, spread);
        let (mut spent, mut passes, mut pace) = (Spent::default(), 0, None);
        let is_over = |simulator: &dyn Simulator| simulator.outcome().flash.is_read_only();
        while passes < most && !is_over(self.simulator) {
            let before = Written::by(self.simulator);
            self.simulator.rewind();
            let mut source = self.input.open()?;
            let pass = self.pass(SIMULATING, source.as_mut(), &mut |simulator, batch| {
                batch.chunks(BETWEEN_LOOKS).try_for_each(|batch| match is_over(simulator) {
                    true => Ok(()),
                    false => simulator.serve(batch, Role::Asked),
                })
            })?;
            self.simulator.finish()?;
            spent.reading += pass.reading;
            spent.serving += pass.serving;
            passes += 1;
            pace.get_or_insert_with(|| self.simulator.outcome().host);
            if !is_over(self.simulator) {
                before.check_wears(&Written::by(self.simulator), passes)?;
            }
        }
        let outcome = self.simulator.outcome();
        let operations = outcome.flash.ledger().flash_operations() + outcome.host.requests;
        let (failures, pace) = (outcome.failures.to_vec(), pace.unwrap_or_default());
        let report = self.end(ftl, warmup, spent);
        let arrives = report.host.last_arrival_s.is_some();
        Ok(Life {
            report,
            passes,
            failures,
            operations,
            pass_page_writes: pace.page_writes,
            pass_s: arrives.then_some(pace.last_arrival as f64 / 1e9),
        })
    }
}

/// A run to the end of a device.
#[derive(Debug, Serialize)]
pub struct Life {
    /// The metrics measured after the warm-up.
    pub report: Report,
    /// Passes over the input.
    pub passes: u64,
    /// Pages that the host had written when each block wore out, from the end of the warm-up on.
    pub failures: Vec<u64>,
    /// Operations of the flash, and requests.
    pub operations: u64,
    /// Pages that the first pass wrote.
    pub pass_page_writes: u64,
    /// Arrival of its last request, s; `null` in a closed loop, where the device sets the pace.
    pub pass_s: Option<f64>,
}

impl Life {
    /// Whether the device takes no more writes.
    #[must_use]
    pub fn ends(&self) -> bool {
        self.report.lifetime.as_ref().is_some_and(|lifetime| lifetime.read_only)
    }
}

/// Runs a simulation from its configured warm-up on, pass after pass over the input. It ends when
/// the device takes no more writes, or after `most` passes. The blocks of the device are new after
/// its warm-up (choices.md#lives), and endure `endurance` erases within the spread.
///
/// # Errors
/// Those of [`drive`]; [`Error::Config`] when a pass writes nothing, or none of it reaches the flash.
///
/// # Panics
/// As [`drive`].
pub fn wear_out(
    simulator: &mut dyn Simulator,
    ftl: &str,
    input: &dyn Input,
    (endurance, spread): (u32, Ratio),
    most: u64,
    watch: Watch<'_>,
) -> Result<Life, Error> {
    let mut run = Run { simulator, input, watch };
    unless_stopped(|| run.life(ftl, (endurance, spread), most))
}

/// Pages that the host has written, and pages that were programmed.
struct Written {
    pages: u64,
    programmed: u64,
}

impl Written {
    fn by(simulator: &dyn Simulator) -> Self {
        let outcome = simulator.outcome();
        let programmed = outcome.flash.ledger().pages_programmed();
        Written { pages: outcome.host.page_writes, programmed }
    }

    /// Whether the pass to `now` wore blocks, so that a further one does, too. The first may only
    /// fill RAM.
    fn check_wears(&self, now: &Written, passes: u64) -> Result<(), Error> {
        let found = match (now.pages > self.pages, now.programmed > self.programmed) {
            (false, _) => "an input that writes nothing",
            (true, false) if passes > 1 => {
                "an input of which nothing is written to flash, as RAM holds it"
            }
            (true, _) => return Ok(()),
        };
        let message = format!("found {found}, expected one that wears blocks out");
        Err(Error::config("input", message))
    }
}

/// Does the configured warm-up, after which measuring starts.
///
/// # Errors
/// Those of [`drive`].
pub fn warm_up(
    simulator: &mut dyn Simulator,
    input: &dyn Input,
    watch: Watch<'_>,
) -> Result<WarmupReport, Error> {
    Run { simulator, input, watch }.warm_up()
}

/// Handles a batch of requests.
type Serve<'a> = &'a mut dyn FnMut(&mut dyn Simulator, &[Request]) -> Result<(), Error>;

/// The role of the requests of a source.
const fn role(source: Source) -> Role {
    match source {
        Source::Input => Role::Asked,
        Source::InputAsWrites => Role::Writes,
        Source::Touched | Source::Sequential | Source::Uniform => Role::Fill,
    }
}

/// Serves each batch in this role.
fn serve(role: Role) -> impl FnMut(&mut dyn Simulator, &[Request]) -> Result<(), Error> {
    move |simulator, batch| simulator.serve(batch, role)
}

/// A simulation under way.
struct Run<'a> {
    simulator: &'a mut dyn Simulator,
    input: &'a dyn Input,
    watch: Watch<'a>,
}

/// The parts of the time of a pass.
#[derive(Default)]
struct Spent {
    reading: Duration,
    serving: Duration,
}

impl Run<'_> {
    fn warm_up(&mut self) -> Result<WarmupReport, Error> {
        let report = self.prepare()?;
        self.simulator.start_measuring();
        Ok(report)
    }

    fn prepare(&mut self) -> Result<WarmupReport, Error> {
        let warmup = self.simulator.outcome().config.run.warmup;
        let mut report = WarmupReport::new(warmup);
        for phase in warmup.plan() {
            self.phase(phase, &mut report)?;
        }
        let host = self.simulator.outcome().host;
        report.requests = host.requests;
        report.host_page_writes = host.page_writes;
        report.block_erases = BlockKind::ALL.iter().map(|kind| self.ledger().erases(*kind)).sum();
        Ok(report)
    }

    fn measure(&mut self) -> Result<Spent, Error> {
        let mut source = self.input.open()?;
        let spent = self.pass(SIMULATING, source.as_mut(), &mut serve(Role::Asked))?;
        self.simulator.finish()?;
        Ok(spent)
    }

    fn measure_shown(&mut self, mut frames: Frames<'_>) -> Result<Spent, Error> {
        let mut source = self.input.open()?;
        frames.first(self.simulator)?;
        let serve: Serve<'_> = &mut |simulator, batch| frames.serve(simulator, batch);
        let mut spent = self.pass(SIMULATING, source.as_mut(), serve)?;
        self.simulator.finish()?;
        spent.serving = spent.serving.saturating_sub(frames.last(self.simulator)?);
        Ok(spent)
    }

    /// Checks everything, reports, and then writes the pages that are still in RAM.
    fn end(&mut self, ftl: &str, warmup: WarmupReport, spent: Spent) -> Report {
        self.simulator.check();
        let outcome = self.simulator.outcome();
        let speed = SpeedReport::new(&outcome, spent.serving, spent.reading);
        let trace = TraceReport {
            name: self.input.name(),
            format: self.input.format(),
            ..TraceReport::default()
        };
        let spec = outcome.spec;
        let mut report = Report::new(ftl, &outcome, warmup, trace, speed);
        report.add_recovery(self.simulator.recovery(), &spec);
        report.add_flushed_at_end(self.simulator.drain());
        report
    }

    fn phase(&mut self, phase: Phase, report: &mut WarmupReport) -> Result<(), Error> {
        let mut steady = self.rule(phase.until);
        let mut pages = self.pages(phase.source, steady.as_ref())?;
        let serve = &mut serve(role(phase.source));
        let mut passes = 0;
        while !is_over(phase.until, passes, steady.as_ref()) {
            if let Some(pages) = &mut pages {
                self.pass(WARMING_UP, pages.as_mut(), serve)?;
            } else {
                let mut source = self.input.open()?;
                self.pass(WARMING_UP, source.as_mut(), serve)?;
                self.simulator.finish()?;
                self.simulator.rewind();
                *report.passes.get_or_insert(0) += 1;
            }
            passes += 1;
            if steady.is_some() && self.simulator.outcome().flash.is_read_only() {
                let message = "found a device that is worn out before it is steady, expected more";
                return Err(Error::config("device.endurance", message));
            }
            if let Some(steady) = &mut steady {
                let host = self.simulator.outcome().host;
                steady.end_of_pass(self.ledger(), host.page_reads + host.page_writes);
            }
        }
        if let Some(steady) = steady {
            steady.describe(report);
        }
        Ok(())
    }

    /// The rule that ends a phase.
    fn rule(&self, until: Until) -> Option<SteadyState> {
        let Until::Steady(tolerance) = until else { return None };
        let outcome = self.simulator.outcome();
        let (geometry, limit) = (outcome.flash.geometry(), outcome.config.run.warmup_limit);
        Some(SteadyState::start(tolerance, geometry.logical_pages, limit, self.ledger()))
    }

    /// The source of a phase that does not serve the input itself.
    fn pages(
        &mut self,
        source: Source,
        steady: Option<&SteadyState>,
    ) -> Result<Option<Box<dyn RequestSource>>, Error> {
        let outcome = self.simulator.outcome();
        let geometry = outcome.flash.geometry();
        let (bytes, pages) = (geometry.page_bytes, geometry.logical_pages);
        Ok(Some(match source {
            Source::Input | Source::InputAsWrites => return Ok(None),
            Source::Sequential => Box::new(Pages::new(bytes, pages.into(), |write| write as u32)),
            Source::Uniform => {
                let mut rng = Rng::new(outcome.config.run.seed, "precondition");
                let per_pass = steady.map_or(pages.into(), SteadyState::window_page_writes);
                Box::new(Pages::new(bytes, per_pass, move |_| rng.below(pages.into()) as u32))
            }
            Source::Touched => {
                let touched = self.touched(pages)?;
                let count = touched.len() as u64;
                Box::new(Pages::new(bytes, count, move |write| touched[write as usize]))
            }
        }))
    }

    /// The pages below `pages` that the input touches, in order.
    fn touched(&mut self, pages: u32) -> Result<Vec<u32>, Error> {
        let mut touched = vec![false; pages as usize];
        let mut source = self.input.open()?;
        self.pass(WARMING_UP, source.as_mut(), &mut |simulator, batch| {
            batch.iter().try_for_each(|request| {
                let pages = simulator.pages(request)?;
                pages.iter().for_each(|page| touched[page.0 as usize] = true);
                Ok(())
            })
        })?;
        Ok((0..pages).filter(|page| touched[*page as usize]).collect())
    }

    /// Reads a source to its end.
    fn pass(
        &mut self,
        phase: &'static str,
        source: &mut dyn RequestSource,
        serve: Serve<'_>,
    ) -> Result<Spent, Error> {
        let (mut spent, mut requests) = (Spent::default(), 0);
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            (self.watch)(Progress { phase, requests, fraction: source.progress() })?;
            batch.clear();
            let start = Instant::now();
            source.fill(&mut batch)?;
            let read = Instant::now();
            spent.reading += read - start;
            if batch.is_empty() {
                return Ok(spent);
            }
            serve(self.simulator, &batch)?;
            spent.serving += read.elapsed();
            requests += batch.len() as u64;
        }
    }

    fn ledger(&self) -> &Ledger {
        self.simulator.outcome().flash.ledger()
    }
}

fn is_over(until: Until, passes: u32, steady: Option<&SteadyState>) -> bool {
    match until {
        Until::Passes(most) => passes >= most,
        Until::Steady(_) => steady.is_some_and(SteadyState::is_over),
    }
}
