//! Several points, each an FTL on a device, over one reading of the input: a thread decodes, and each
//! point has a thread of its own.
//!
//! ```text
//! measure: read once for the address space --> warm-up (as configured) --> measured phase
//! reader --batches--> bounded queue --> simulation of point 1
//!               \----> bounded queue --> simulation of point 2 ...
//! ```
//!
//! As many simulations work at a time as there are cores.

mod cores;
mod inputs;

pub use inputs::{characteristics, convert, fit, open_input, requests, split, trace_info};

use crate::address::{AddressMap, AddressPolicy, Extent, Measured, extents};
use crate::config::{Config, Warmup};
use crate::error::Error;
use crate::ftl::{Entry, find};
use crate::metrics::result::{Report, SpeedReport, TraceReport};
use crate::request::{BATCH, Input, Request, RequestSource};
use crate::simulate::Simulator;
use cores::Turn;
pub(crate) use inputs::tick;
use std::any::Any;
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Batches that may wait for a simulation: bounds memory, whatever the input's length, and a turn on a
/// core, which should be long enough for the device to come into the caches.
const QUEUED_BATCHES: usize = 32;

/// Without a capacity the device is at least this large, so that there are spare blocks to speak of.
const SMALLEST_DEVICE_BYTES: u64 = 64 << 20;

/// How often a caller is told how far the run has come.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// `measuring input`, `reading`, `warming up` or `simulating`.
    pub phase: &'static str,
    /// Requests read in this phase.
    pub requests: u64,
    /// Share of the phase that is done, where that is known.
    pub fraction: Option<f64>,
}

/// Told how far a run has come about every 50 ms; an error stops it.
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> Result<(), Error>;

/// One FTL on one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The configuration.
    pub config: Config,
    /// Name of the FTL.
    pub ftl: String,
}

/// Most points of one run: each has a thread and a device of its own.
pub const MOST_POINTS: usize = 64;

/// Runs each of `ftls` on the configured device under the configured input.
///
/// # Errors
/// Those of [`run_points`].
pub fn run(config: &Config, ftls: &[&str], watch: Watch<'_>) -> Result<Vec<Report>, Error> {
    let point = |ftl: &&str| Point { config: config.clone(), ftl: (*ftl).to_owned() };
    run_points(&ftls.iter().map(point).collect::<Vec<_>>(), watch)
}

/// Runs points that differ in anything but their input, seed and warm-up; the input is read once for
/// all of them. Each result is the one that its point would have alone.
///
/// # Errors
/// What is wrong with a configuration or the input, [`Error::Internal`] when an FTL broke a rule,
/// [`Error::Interrupted`] or another error that `watch` returned.
pub fn run_points(points: &[Point], watch: Watch<'_>) -> Result<Vec<Report>, Error> {
    let entries: Vec<&Entry> = points.iter().map(|p| find(&p.ftl)).collect::<Result<_, _>>()?;
    let Some(Point { config, .. }) = points.first() else { return Ok(Vec::new()) };
    check_together(points)?;
    let input = open_input(config)?;
    if config.run.warmup.reads_the_input() && !input.rereadable() {
        let message = format!(
            "found {}, which reads the input before it is measured, and a pipe, which can be read \
             once; write it to a file, or use sequential, random:K or steady-random",
            String::from(config.run.warmup)
        );
        return Err(Error::config("run.warmup", message));
    }
    let measured = measure(input.as_ref(), watch)?;
    let mut lanes = Vec::new();
    for (entry, Point { config, .. }) in entries.into_iter().zip(points) {
        let (capacity, address) = place(config, input.as_ref(), measured.as_ref())?;
        lanes.push(Lane {
            entry,
            trace: trace_report(input.as_ref(), measured.as_ref(), &address),
            simulator: (entry.simulate)(config, capacity, address)?,
            wall: Duration::ZERO,
            warm: false,
        });
    }
    let requests = measured.map(|measured| measured.requests);
    let state = State::default();
    Session { config, input: input.as_ref(), requests, state }.run(lanes, watch)
}

/// Rejects points that one reading of the input cannot serve.
fn check_together(points: &[Point]) -> Result<(), Error> {
    if points.len() > MOST_POINTS {
        let message = format!("found {}, expected at most {MOST_POINTS} in a run", points.len());
        return Err(Error::config("points", message));
    }
    let first = &points[0].config;
    for (index, Point { config, .. }) in points.iter().enumerate() {
        let same = [
            ("input", config.input == first.input),
            ("workload", config.workload == first.workload),
            ("run.seed", config.run.seed == first.run.seed),
            ("run.warmup", config.run.warmup == first.run.warmup),
        ];
        if let Some((key, _)) = same.into_iter().find(|(_, same)| !same) {
            let message = format!(
                "found point {} of a run with another {key} than the first, expected the same: all \
                 points of a run read one input",
                index + 1
            );
            return Err(Error::config(key, message));
        }
    }
    Ok(())
}

/// Which bytes of which volume the input uses; nothing is known of a pipe.
fn measure(input: &dyn Input, watch: Watch<'_>) -> Result<Option<Measured>, Error> {
    if !input.rereadable() {
        return Ok(None);
    }
    if let Some(measured) = input.measured() {
        return Ok(Some(measured));
    }
    let mut last = Instant::now();
    let measured = extents(input.open()?.as_mut(), &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
    })?;
    Ok(Some(measured))
}

/// Bytes of the device that holds the input, and where on it the input lies.
fn place(
    config: &Config,
    input: &dyn Input,
    measured: Option<&Measured>,
) -> Result<(u64, AddressMap), Error> {
    let capacity = config.device.capacity.map(|bytes| bytes.0);
    let policy = config.run.address;
    let Some(measured) = measured else { return unmeasured(policy, capacity) };
    let address = AddressMap::new(policy, &measured.extents, capacity)?;
    let whole = input.address_space_bytes().filter(|_| policy == AddressPolicy::Compact);
    let needed = address.span_bytes().max(whole.unwrap_or(0)).max(SMALLEST_DEVICE_BYTES);
    Ok((capacity.unwrap_or(needed), address))
}

fn trace_report(
    input: &dyn Input,
    measured: Option<&Measured>,
    address: &AddressMap,
) -> TraceReport {
    let (name, format) = (input.name(), input.format());
    let Some(measured) = measured else {
        return TraceReport { name, format, ..TraceReport::default() };
    };
    TraceReport {
        name,
        format,
        digest: Some(measured.digest.clone()),
        requests: Some(measured.requests),
        volumes: Some(measured.extents.len() as u64),
        span_bytes: Some(address.span_bytes()),
    }
}

/// A pipe is read once, so nothing is known of it beforehand.
fn unmeasured(policy: AddressPolicy, capacity: Option<u64>) -> Result<(u64, AddressMap), Error> {
    let Some(capacity) = capacity else {
        let message = "found a pipe, which cannot be measured first; set --capacity";
        return Err(Error::config("device.capacity", message));
    };
    if policy == AddressPolicy::Compact {
        let message = "found compact on a pipe, whose volumes are not known before it is read; \
                       expected --address overlay or modulo";
        return Err(Error::config("run.address", message));
    }
    let anything = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    Ok((capacity, AddressMap::new(policy, &[anything], Some(capacity))?))
}

/// What the threads of a session share.
#[derive(Default)]
struct State {
    stop: AtomicBool,
    measuring: AtomicBool,
    requests: AtomicU64,
    /// Bits of an `f64`; 0 for unknown.
    fraction: AtomicU64,
}

impl State {
    fn progress(&self) -> Progress {
        let fraction = f64::from_bits(self.fraction.load(Ordering::Relaxed));
        Progress {
            phase: match self.measuring.load(Ordering::Relaxed) {
                true => "simulating",
                false => "warming up",
            },
            requests: self.requests.load(Ordering::Relaxed),
            fraction: Some(fraction).filter(|fraction| *fraction > 0.0),
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What a simulation is told.
#[derive(Clone)]
enum Message {
    Precondition,
    /// Note the pages of these.
    Touch(Arc<Vec<Request>>),
    /// Write the pages noted.
    Fill,
    /// Serve these as writes, not measured.
    ServeAsWrites(Arc<Vec<Request>>),
    Serve(Arc<Vec<Request>>),
    /// A pass of the warm-up ends: answer whether another one is in vain.
    EndPass(Sender<bool>),
    StartMeasuring,
}

/// A point that is ready to run.
struct Lane {
    entry: &'static Entry,
    trace: TraceReport,
    simulator: Box<dyn Simulator>,
    /// Time spent on what is measured.
    wall: Duration,
    /// An FTL whose warm-up is over waits for the others, in the state that it would have alone.
    warm: bool,
}

impl Lane {
    fn obey(&mut self, message: Message, state: &State) -> Result<(), Error> {
        if state.stopped() {
            return Err(Error::Interrupted);
        }
        let simulator = &mut self.simulator;
        match message {
            Message::Precondition => simulator.precondition(&state.stop),
            Message::Touch(batch) => simulator.touch(&batch)?,
            Message::Fill => simulator.fill(&state.stop),
            Message::ServeAsWrites(batch) => simulator.serve_as_writes(&batch)?,
            Message::EndPass(answer) => {
                simulator.finish()?;
                self.warm = self.warm || simulator.end_pass();
                // Nobody listens any more once another FTL has asked for a pass.
                let _ = answer.send(self.warm);
            }
            Message::StartMeasuring => {
                self.warm = false;
                state.measuring.store(true, Ordering::Relaxed);
                simulator.start_measuring();
                self.wall = Duration::ZERO;
            }
            Message::Serve(_) if self.warm => {}
            Message::Serve(batch) => {
                let start = Instant::now();
                simulator.serve(&batch)?;
                self.wall += start.elapsed();
            }
        }
        Ok(())
    }

    fn report(&mut self, state: &State) -> Result<Report, Error> {
        if state.stopped() {
            return Err(Error::Interrupted);
        }
        self.simulator.finish()?;
        self.simulator.check();
        let mut report = report(self);
        report.add_flushed_at_end(self.simulator.drain());
        Ok(report)
    }
}

struct Session<'a> {
    /// That of the first point: of it only what all points share is used.
    config: &'a Config,
    input: &'a dyn Input,
    /// Requests in the input, where that is known.
    requests: Option<u64>,
    state: State,
}

impl Session<'_> {
    fn run(&self, lanes: Vec<Lane>, watch: Watch<'_>) -> Result<Vec<Report>, Error> {
        thread::scope(|scope| {
            let mut queues = Vec::new();
            let mut workers = Vec::new();
            // Every worker holds a sender: the channel is closed when the last one has ended.
            let (ended, end) = channel::<()>();
            for lane in lanes {
                let (queue, messages) = sync_channel(QUEUED_BATCHES);
                queues.push(queue);
                let ended = ended.clone();
                workers.push(scope.spawn(move || {
                    let _ended = ended;
                    self.simulate(lane, &messages)
                }));
            }
            drop(ended);
            let reader = scope.spawn(move || self.read(&queues));
            let watched = self.watch(&end, watch);
            let read = join(reader.join());
            let reports = workers.into_iter().map(|worker| join(worker.join())).collect();
            watched?;
            // A simulation that fails stops the reader, and a trace that fails the simulations:
            // neither may hide the other's cause.
            let trace_read_s = match read {
                Err(Error::Interrupted) => {
                    return first_cause(reports).and(Err(Error::Interrupted));
                }
                read => read?,
            };
            let mut reports = first_cause(reports)?;
            for report in &mut reports {
                report.speed.trace_read_s = trace_read_s;
            }
            Ok(reports)
        })
    }

    /// Tells the caller how far the run has come until the last simulation has ended.
    fn watch(&self, end: &Receiver<()>, watch: Watch<'_>) -> Result<(), Error> {
        while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(WATCH_INTERVAL) {
            watch(self.state.progress()).inspect_err(|_| {
                self.state.stop.store(true, Ordering::Relaxed);
            })?;
        }
        Ok(())
    }

    /// Feeds warm-up and measured phase to all simulations. Returns the seconds spent reading for
    /// the measured phase.
    fn read(&self, queues: &[SyncSender<Message>]) -> Result<f64, Error> {
        let all = |message: &Message| {
            let sent = queues.iter().all(|queue| queue.send(message.clone()).is_ok());
            if sent && !self.state.stopped() { Ok(()) } else { Err(Error::Interrupted) }
        };
        match self.config.run.warmup {
            Warmup::None => {}
            Warmup::Sequential | Warmup::Random(_) | Warmup::SteadyRandom(_) => {
                all(&Message::Precondition)?;
            }
            Warmup::Footprint => {
                self.pass(|batch| all(&Message::ServeAsWrites(batch)))?;
                end_pass(&all)?;
            }
            Warmup::Replay(times) => {
                for _ in 0..times {
                    self.pass(|batch| all(&Message::Serve(batch)))?;
                    end_pass(&all)?;
                }
            }
            Warmup::Steady(_) => {
                self.pass(|batch| all(&Message::Touch(batch)))?;
                all(&Message::Fill)?;
                let mut over = false;
                while !over {
                    self.pass(|batch| all(&Message::Serve(batch)))?;
                    over = end_pass(&all)?;
                }
            }
        }
        // What was read for the warm-up is no progress of the measured phase.
        self.state.fraction.store(0, Ordering::Relaxed);
        all(&Message::StartMeasuring)?;
        self.pass(|batch| all(&Message::Serve(batch)))
    }

    /// Reads the whole input once. Returns the seconds spent reading.
    fn pass(
        &self,
        mut send: impl FnMut(Arc<Vec<Request>>) -> Result<(), Error>,
    ) -> Result<f64, Error> {
        let mut source: Box<dyn RequestSource> = self.input.open()?;
        let (mut requests, mut reading) = (0, Duration::ZERO);
        loop {
            let mut batch = Vec::with_capacity(BATCH);
            let start = Instant::now();
            source.fill(&mut batch)?;
            reading += start.elapsed();
            if batch.is_empty() {
                return Ok(reading.as_secs_f64());
            }
            requests += batch.len() as u64;
            send(Arc::new(batch))?;
            let known = self.requests.map(|all| requests as f64 / all.max(1) as f64);
            let fraction = known.or_else(|| source.progress()).unwrap_or(0.0);
            self.state.requests.store(requests, Ordering::Relaxed);
            self.state.fraction.store(fraction.to_bits(), Ordering::Relaxed);
        }
    }

    /// One point's thread: serves what it is sent, and reports. What has come in is worked off in one turn.
    fn simulate(&self, mut lane: Lane, messages: &Receiver<Message>) -> Result<Report, Error> {
        let served = catch_unwind(AssertUnwindSafe(|| {
            while let Ok(first) = messages.recv() {
                let _turn = Turn::take();
                for message in iter::once(first).chain(messages.try_iter()) {
                    lane.obey(message, &self.state)?;
                }
            }
            let _turn = Turn::take();
            lane.report(&self.state)
        }));
        match served {
            Ok(result) => result,
            Err(panic) => Err(Error::Internal(format!(
                "{} at request {} with seed {}: {}",
                lane.entry.name,
                lane.simulator.requests() + 1,
                self.config.run.seed,
                panic_message(panic.as_ref())
            ))),
        }
    }
}

fn report(lane: &Lane) -> Report {
    let outcome = lane.simulator.outcome();
    let wall_s = lane.wall.as_secs_f64();
    let per_second = |count: u64| if wall_s > 0.0 { count as f64 / wall_s } else { 0.0 };
    let speed = SpeedReport {
        wall_s,
        requests_per_s: per_second(outcome.host.requests),
        flash_ops_per_s: per_second(outcome.flash.ledger().flash_operations()),
        trace_read_s: 0.0,
    };
    Report::new(lane.entry.name, &outcome, lane.trace.clone(), speed)
}

/// Ends a pass of the warm-up for all simulations. Returns whether none of them needs another.
fn end_pass(all: &impl Fn(&Message) -> Result<(), Error>) -> Result<bool, Error> {
    let (answer, answers) = channel();
    all(&Message::EndPass(answer))?;
    Ok(answers.iter().all(|warm| warm))
}

/// The result of a thread; a panic of its own is a bug.
fn join<T>(joined: thread::Result<Result<T, Error>>) -> Result<T, Error> {
    joined.unwrap_or_else(|panic| Err(Error::Internal(panic_message(panic.as_ref()))))
}

/// All reports, or the error that was not caused by another simulation's.
fn first_cause(reports: Vec<Result<Report, Error>>) -> Result<Vec<Report>, Error> {
    let mut finished = Vec::new();
    let mut interrupted = None;
    for report in reports {
        match report {
            Ok(report) => finished.push(report),
            Err(Error::Interrupted) => interrupted = Some(Error::Interrupted),
            Err(cause) => return Err(cause),
        }
    }
    interrupted.map_or(Ok(finished), Err)
}

/// What a panic says.
#[must_use]
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("an invariant does not hold").to_owned()
}
