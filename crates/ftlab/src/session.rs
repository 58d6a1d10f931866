//! Several FTLs over one reading of the input: a thread decodes, and each FTL has a thread of its own.
//!
//! ```text
//! measure: read once for the address space --> warm-up (as configured) --> measured phase
//! reader --batches--> bounded queue --> simulation of FTL 1
//!               \----> bounded queue --> simulation of FTL 2 ...
//! ```

use crate::address::{AddressMap, AddressPolicy, Extent, Measured, extents};
use crate::config::{Config, Warmup};
use crate::error::Error;
use crate::ftl::{Entry, find};
use crate::metrics::result::{Report, SpeedReport, TraceReport};
use crate::request::{BATCH, Input, Request, RequestSource};
use crate::simulate::Simulator;
use crate::trace::convert::Converted;
use crate::trace::split::Part;
use crate::trace::{self, Characteristics, TraceInfo, VolumeInfo};
use crate::workload::{self, Model, PROFILES, Profile, model};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Batches that may wait for a simulation: bounds memory, whatever the input's length.
const QUEUED_BATCHES: usize = 8;

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

/// The input that a configuration names.
///
/// # Errors
/// Those of [`trace::open`], [`Model::load`], [`Model::input`] and [`workload::open`].
pub fn open_input(config: &Config) -> Result<Box<dyn Input>, Error> {
    let Some(name) = &config.input.trace else {
        return workload::open(&config.workload, config.run.seed);
    };
    let options = config.input.options();
    let path = Path::new(name);
    let is_profile = PROFILES.iter().any(|profile| profile.name == name) && !path.exists();
    let is_model = path.extension().is_some_and(|ending| ending == "toml");
    let input = if is_profile || is_model {
        for (key, filters) in [
            ("input.volume", options.volume.is_some()),
            ("input.from", options.from.is_some()),
            ("input.until", options.until.is_some()),
        ] {
            if filters {
                return Err(Error::config(key, "found a model, expected a trace to filter"));
            }
        }
        let found = match path.file_name().filter(|_| is_model) {
            // A file's name tells models of one trace apart.
            Some(file) => Model { name: file.to_string_lossy().into(), ..Model::load(path)? },
            None => Profile::find(name)?.model(),
        };
        found.input(options.requests, config.run.seed)?
    } else {
        trace::open(name, &options)?
    };
    Ok(trace::skip(input, config.input.skip))
}

/// What is in the input that a configuration names.
///
/// # Errors
/// Those of the input, and of `watch`.
pub fn trace_info(config: &Config, watch: Watch<'_>) -> Result<(TraceReport, TraceInfo), Error> {
    let input = open_input(config)?;
    let mut last = Instant::now();
    let info = TraceInfo::read(input.open()?.as_mut(), &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
    })?;
    Ok((trace_report(input.as_ref(), &info), info))
}

/// What the input that a configuration names is like, in pages of the device. The report's
/// `span_bytes` is the address space that a run needs.
///
/// # Errors
/// Those of the input, and of `watch`.
pub fn characteristics(
    config: &Config,
    watch: Watch<'_>,
) -> Result<(TraceReport, Characteristics), Error> {
    let input = open_input(config)?;
    let (mut source, page_bytes) = (input.open()?, config.device.page.0 as u32);
    let mut last = Instant::now();
    let found = Characteristics::read(source.as_mut(), page_bytes, &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
    })?;
    let (policy, capacity) = (config.run.address, config.device.capacity.map(|bytes| bytes.0));
    let extent = |v: &VolumeInfo| Extent {
        volume: v.volume,
        first_byte: v.first_byte,
        end_byte: v.end_byte,
    };
    let extents: Vec<Extent> = found.info.volumes.iter().map(extent).collect();
    let span_bytes = AddressMap::new(policy, &extents, capacity).map(|map| map.span_bytes()).ok();
    let report = TraceReport { span_bytes, ..trace_report(input.as_ref(), &found.info) };
    Ok((report, found))
}

fn trace_report(input: &dyn Input, info: &TraceInfo) -> TraceReport {
    TraceReport {
        name: input.name(),
        format: input.format(),
        digest: Some(info.digest.clone()),
        requests: Some(info.requests),
        volumes: Some(info.volumes_count),
        span_bytes: Some(info.span_bytes),
    }
}

/// The first `limit` requests of the input that a configuration names.
///
/// # Errors
/// Those of the input, and of `watch`.
pub fn requests(config: &Config, limit: usize, watch: Watch<'_>) -> Result<Vec<Request>, Error> {
    let mut source = open_input(config)?.open()?;
    let (mut requests, mut batch) = (Vec::new(), Vec::with_capacity(BATCH));
    let mut last = Instant::now();
    while requests.len() < limit {
        source.fill(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        requests.append(&mut batch);
        let (count, fraction) = (requests.len() as u64, source.progress());
        tick(&mut last, watch, Progress { phase: "reading", requests: count, fraction })?;
    }
    requests.truncate(limit);
    Ok(requests)
}

/// The model fitted to the input that a configuration names; see [`model::fit`].
///
/// # Errors
/// Those of the input and of [`model::fit`].
pub fn fit(config: &Config, watch: Watch<'_>) -> Result<Model, Error> {
    let input = open_input(config)?;
    let mut last = Instant::now();
    model::fit(input.open()?.as_mut(), &input.name(), &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "fitting", requests, fraction })
    })
}

/// Writes the input that a configuration names to a file; see [`trace::convert::convert`].
///
/// # Errors
/// Those of the input and of [`trace::convert::convert`].
pub fn convert(
    config: &Config,
    output: &str,
    to: Option<&str>,
    watch: Watch<'_>,
) -> Result<Converted, Error> {
    let input = open_input(config)?;
    let mut last = Instant::now();
    trace::convert::convert(input.as_ref(), output, to, &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "converting", requests, fraction })
    })
}

/// Writes each volume of the input that a configuration names to a file; see
/// [`trace::split::split`].
///
/// # Errors
/// Those of the input and of [`trace::split::split`].
pub fn split(config: &Config, folder: &Path, watch: Watch<'_>) -> Result<Vec<Part>, Error> {
    let input = open_input(config)?;
    let mut last = Instant::now();
    trace::split::split(input.as_ref(), folder, &mut |requests, fraction| {
        tick(&mut last, watch, Progress { phase: "splitting", requests, fraction })
    })
}

pub(crate) fn tick(last: &mut Instant, watch: Watch<'_>, progress: Progress) -> Result<(), Error> {
    if last.elapsed() < WATCH_INTERVAL {
        return Ok(());
    }
    *last = Instant::now();
    watch(progress)
}

/// Runs each of `ftls` on the configured device under the configured input.
///
/// # Errors
/// What is wrong with the configuration or the input, [`Error::Internal`] when an FTL broke a rule,
/// [`Error::Interrupted`] or another error that `watch` returned.
pub fn run(config: &Config, ftls: &[&str], watch: Watch<'_>) -> Result<Vec<Report>, Error> {
    let entries: Vec<&Entry> = ftls.iter().map(|name| find(name)).collect::<Result<_, _>>()?;
    let input = open_input(config)?;
    if config.run.warmup.reads_the_input() && !input.rereadable() {
        let message = format!(
            "found {}, which reads the input before it is measured, and a pipe, which can be read \
             once; write it to a file, or use sequential, random:K or steady-random",
            String::from(config.run.warmup)
        );
        return Err(Error::config("run.warmup", message));
    }
    let (trace, capacity, address) = measure(config, input.as_ref(), watch)?;
    let mut simulators = Vec::new();
    for entry in &entries {
        simulators.push((entry.simulate)(config, capacity, address.clone())?);
    }
    let session = Session { config, input: input.as_ref(), trace, state: State::default() };
    session.run(&entries, simulators, watch)
}

/// The address space of the input, and the device that holds it.
fn measure(
    config: &Config,
    input: &dyn Input,
    watch: Watch<'_>,
) -> Result<(TraceReport, u64, AddressMap), Error> {
    let capacity = config.device.capacity.map(|bytes| bytes.0);
    let policy = config.run.address;
    let (name, format) = (input.name(), input.format());
    if !input.rereadable() {
        let trace = TraceReport { name, format, ..TraceReport::default() };
        let (capacity, address) = unmeasured(policy, capacity)?;
        return Ok((trace, capacity, address));
    }
    let mut last = Instant::now();
    let measured: Measured = match input.measured() {
        Some(measured) => measured,
        None => extents(input.open()?.as_mut(), &mut |requests, fraction| {
            tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })
        })?,
    };
    let address = AddressMap::new(policy, &measured.extents, capacity)?;
    let whole = input.address_space_bytes().filter(|_| policy == AddressPolicy::Compact);
    let needed = address.span_bytes().max(whole.unwrap_or(0)).max(SMALLEST_DEVICE_BYTES);
    let capacity = capacity.unwrap_or(needed);
    let trace = TraceReport {
        name,
        format,
        digest: Some(measured.digest),
        requests: Some(measured.requests),
        volumes: Some(measured.extents.len() as u64),
        span_bytes: Some(address.span_bytes()),
    };
    Ok((trace, capacity, address))
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

struct Session<'a> {
    config: &'a Config,
    input: &'a dyn Input,
    trace: TraceReport,
    state: State,
}

impl Session<'_> {
    fn run(
        &self,
        entries: &[&Entry],
        simulators: Vec<Box<dyn Simulator>>,
        watch: Watch<'_>,
    ) -> Result<Vec<Report>, Error> {
        thread::scope(|scope| {
            let mut queues = Vec::new();
            let mut workers = Vec::new();
            // Every worker holds a sender: the channel is closed when the last one has ended.
            let (ended, end) = channel::<()>();
            for (entry, simulator) in entries.iter().zip(simulators) {
                let (queue, messages) = sync_channel(QUEUED_BATCHES);
                queues.push(queue);
                let ended = ended.clone();
                workers.push(scope.spawn(move || {
                    let _ended = ended;
                    self.simulate(entry, simulator, &messages)
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
            let known = self.trace.requests.map(|all| requests as f64 / all.max(1) as f64);
            let fraction = known.or_else(|| source.progress()).unwrap_or(0.0);
            self.state.requests.store(requests, Ordering::Relaxed);
            self.state.fraction.store(fraction.to_bits(), Ordering::Relaxed);
        }
    }

    /// One FTL's thread: serves what it is sent, and reports.
    fn simulate(
        &self,
        entry: &Entry,
        mut simulator: Box<dyn Simulator>,
        messages: &Receiver<Message>,
    ) -> Result<Report, Error> {
        let mut wall = Duration::ZERO;
        // An FTL whose warm-up is over waits for the others, in the state that it would have alone.
        let mut warm = false;
        let served = catch_unwind(AssertUnwindSafe(|| {
            for message in messages {
                if self.state.stopped() {
                    return Err(Error::Interrupted);
                }
                match message {
                    Message::Precondition => simulator.precondition(&self.state.stop),
                    Message::Touch(batch) => simulator.touch(&batch)?,
                    Message::Fill => simulator.fill(&self.state.stop),
                    Message::ServeAsWrites(batch) => simulator.serve_as_writes(&batch)?,
                    Message::EndPass(answer) => {
                        warm = warm || simulator.end_pass();
                        // Nobody listens any more once another FTL has asked for a pass.
                        let _ = answer.send(warm);
                    }
                    Message::StartMeasuring => {
                        warm = false;
                        self.state.measuring.store(true, Ordering::Relaxed);
                        simulator.start_measuring();
                        wall = Duration::ZERO;
                    }
                    Message::Serve(_) if warm => {}
                    Message::Serve(batch) => {
                        let start = Instant::now();
                        simulator.serve(&batch)?;
                        wall += start.elapsed();
                    }
                }
            }
            if self.state.stopped() {
                return Err(Error::Interrupted);
            }
            simulator.check();
            let mut report = self.report(entry, simulator.as_ref(), wall);
            let flushed = simulator.drain();
            match &mut report.buffer {
                Some(buffer) => buffer.flushed_at_end = flushed,
                None => report.own.extend(flushed.iter().flat_map(|flushed| {
                    [
                        ("flushed_at_end.pages", flushed.pages),
                        ("flushed_at_end.programs", flushed.programs),
                        ("flushed_at_end.erases", flushed.erases),
                    ]
                })),
            }
            Ok(report)
        }));
        match served {
            Ok(result) => result,
            Err(panic) => Err(Error::Internal(format!(
                "{} at request {} with seed {}: {}",
                entry.name,
                simulator.requests() + 1,
                self.config.run.seed,
                panic_message(panic.as_ref())
            ))),
        }
    }

    fn report(&self, entry: &Entry, simulator: &dyn Simulator, wall: Duration) -> Report {
        let outcome = simulator.outcome();
        let wall_s = wall.as_secs_f64();
        let per_second = |count: u64| if wall_s > 0.0 { count as f64 / wall_s } else { 0.0 };
        let speed = SpeedReport {
            wall_s,
            requests_per_s: per_second(outcome.host.requests),
            flash_ops_per_s: per_second(outcome.flash.ledger().flash_operations()),
            trace_read_s: 0.0,
        };
        Report::new(entry.name, &outcome, self.trace.clone(), speed)
    }
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
