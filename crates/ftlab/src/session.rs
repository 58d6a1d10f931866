//! Several points, each an FTL on a device, over one reading of the input. A thread decodes, and
//! each point has its own thread.
//!
//! ```text
//! reader --batches--> bounded queue --> drive point 1
//!               \----> bounded queue --> drive point 2 ...
//! ```
//!
//! The input is first read once to measure the address space, and it remains decoded in memory if
//! it fits ([`Reading`]). After that, a pass over it begins when every point that has not ended has
//! requested one, for its warm-up or for its measured phase.
//!
//! At most as many simulations work at a time as there are cores.

mod cores;
mod devices;
mod feed;
mod inputs;
mod reading;
mod rehearsal;
mod shared_warmup;

pub use inputs::{
    characteristics, fit, held, is_generated, open_input, requests, sized_by, trace_info,
};
#[cfg(feature = "files")]
pub use inputs::{convert, split};

use crate::address::{AddressMap, AddressPolicy, Extent, Measured};
use crate::catalog::{Catalog, Entry};
use crate::clock::Instant;
use crate::config::Config;
use crate::device::DeviceConfig;
use crate::drive::{Instrument, SIMULATING, WARMING_UP, measure, prepare, wear_out};
pub use crate::drive::{Progress, Watch};
use crate::error::Error;
#[cfg(feature = "files")]
use crate::files::WholeFile;
use crate::frames::{Frames, Show};
pub use crate::lifetime::Lifetime;
use crate::lifetime::live;
use crate::metrics::request_log::Recorder;
#[cfg(feature = "files")]
use crate::metrics::request_log::{self, Spares};
use crate::report::{Report, TraceReport};
use crate::request::{BATCH, Input, RequestSource};
use crate::simulate::Simulator;
use crate::units::Ratio;
use cores::Turn;
pub use cores::available_cores;
pub use devices::open_devices;
use feed::{Feed, Queue};
pub(crate) use inputs::tick;
pub use reading::Reading;
use reading::{Decoded, check_same};
use rehearsal::Rehearsal;
use shared_warmup::Sharing;
pub use shared_warmup::{SharedWarmup, Shares};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
#[cfg(feature = "files")]
use std::sync::mpsc::sync_channel;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Without `device.capacity` the device is at least this large, so that it has more than a few
/// spare blocks.
const SMALLEST_DEVICE_BYTES: u64 = 64 << 20;

/// The interval at which a caller learns of the progress of a run.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// One FTL on one configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The configuration.
    pub config: Config,
    /// Name of the FTL.
    pub ftl: String,
}

/// Most points of one run: each has its own thread and device.
pub const MOST_POINTS: usize = 64;

/// Runs each of `ftls` on the configured device under the configured input.
///
/// # Errors
/// Those of [`run_points`].
pub fn run(
    catalog: &Catalog,
    config: &Config,
    ftls: &[&str],
    watch: Watch<'_>,
) -> Result<Vec<Report>, Error> {
    let point = |ftl: &&str| Point { config: config.clone(), ftl: (*ftl).to_owned() };
    run_points(catalog, &ftls.iter().map(point).collect::<Vec<_>>(), watch)
}

/// Runs points that share their input and seed and may differ in everything else. A pass over the input
/// serves all of them, and each result is the same as if its point ran alone.
///
/// # Errors
/// Those of the configurations and of the input, [`Error::Internal`] when an FTL broke a rule, and what
/// `watch` returns.
pub fn run_points(
    catalog: &Catalog,
    points: &[Point],
    watch: Watch<'_>,
) -> Result<Vec<Report>, Error> {
    run_points_over(&Reading::default(), catalog, points, watch)
}

/// The same over a reading that other runs also use, before or at the same time.
///
/// # Errors
/// Those of [`run_points`]; [`Error::Config`] when the others named another input.
pub fn run_points_over(
    reading: &Reading,
    catalog: &Catalog,
    points: &[Point],
    watch: Watch<'_>,
) -> Result<Vec<Report>, Error> {
    run_together(reading, None, catalog, points, watch)
}

/// Runs one point as [`run_points_over`] does, with a warm-up that it may share with other runs. The
/// result is the same.
///
/// # Errors
/// Those of [`run_points_over`].
pub fn run_sharing(
    reading: &Reading,
    warmup: &Arc<SharedWarmup>,
    catalog: &Catalog,
    point: &Point,
    watch: Watch<'_>,
) -> Result<Vec<Report>, Error> {
    run_together(reading, Some(warmup), catalog, std::slice::from_ref(point), watch)
}

fn run_together(
    reading: &Reading,
    warmup: Option<&Arc<SharedWarmup>>,
    catalog: &Catalog,
    points: &[Point],
    watch: Watch<'_>,
) -> Result<Vec<Report>, Error> {
    let entries = points.iter().map(|point| catalog.find(&point.ftl));
    let entries: Vec<&Entry> = entries.collect::<Result<_, _>>()?;
    let Some(Point { config, .. }) = points.first() else { return Ok(Vec::new()) };
    check_together(points)?;
    let input = reading.of(config, watch)?;
    let several = points.len() > 1;
    let points = entries.into_iter().zip(points);
    let ready: Vec<ReadyPoint> = points
        .map(|(entry, point)| {
            let ready = ReadyPoint::sharing(entry, &point.config, &input, warmup);
            ready.map_err(|error| if several { under(entry.name(), error) } else { error })
        })
        .collect::<Result<_, _>>()?;
    let state = State { warming: AtomicUsize::new(ready.len()), ..State::default() };
    Session { catalog, input: input.as_ref(), requests: input.requests(), state }.run(ready, watch)
}

/// Runs one point and shows its measured phase in [frames](crate::frames), one for each `every` requests.
///
/// # Errors
/// Those of [`run_points`], and what `show` returns.
pub fn run_shown(
    catalog: &Catalog,
    point: &Point,
    every: Option<u64>,
    show: Show<'_>,
    watch: Watch<'_>,
) -> Result<Report, Error> {
    run_shown_over(&Reading::default(), catalog, point, every, show, watch)
}

/// [`run_shown`] over a reading that other runs use too, or of an input at hand.
///
/// # Errors
/// Those of [`run_shown`].
pub fn run_shown_over(
    reading: &Reading,
    catalog: &Catalog,
    point: &Point,
    every: Option<u64>,
    show: Show<'_>,
    watch: Watch<'_>,
) -> Result<Report, Error> {
    let entry = catalog.find(&point.ftl)?;
    let input = reading.of(&point.config, watch)?;
    let mut ready = ReadyPoint::new(entry, &point.config, &input)?;
    let frames = Frames::new(every, input.requests(), show);
    ready.run(input.as_ref(), watch, Instrument::Frames(Box::new(frames)))
}

#[cfg(feature = "files")]
/// Runs one point and writes a row for each request of its measured phase to the Parquet file at
/// `path`. The file appears when the run has ended ([`request_log`]).
///
/// # Errors
/// Those of [`run_points`], and [`Error::Io`] when the file cannot be written.
///
/// # Panics
/// When the thread that writes the file does.
pub fn run_logged(
    catalog: &Catalog,
    point: &Point,
    path: &str,
    watch: Watch<'_>,
) -> Result<Report, Error> {
    let entry = catalog.find(&point.ftl)?;
    let input = Reading::default().of(&point.config, watch)?;
    let mut ready = ReadyPoint::new(entry, &point.config, &input)?;
    let file = WholeFile::create(path)?;
    let (full, events) = sync_channel(request_log::WAITING);
    let spares = Spares::default();
    thread::scope(|scope| {
        let writer = thread::Builder::new()
            .spawn_scoped(scope, || {
                // The end of this thread shows the simulation that events have no receiver any
                // more.
                let events = events;
                request_log::write(&point.config.device, (file, path.into()), &events, &spares)
            })
            .map_err(|_| Error::no_thread())?;
        ready.recorder = Some(Box::new(Recorder::new(full, spares.clone())));
        let state = State { warming: AtomicUsize::new(1), ..State::default() };
        let session = Session { catalog, input: input.as_ref(), requests: input.requests(), state };
        // The recorder ends with the simulation, and the writer with the recorder.
        let reports = session.run(vec![ready], watch);
        let written = writer.join().expect("the writer ends");
        let mut report = reports?.pop().expect("a report of the point");
        let (file, causes) = written?;
        file.finish()?;
        report.causes = causes.report().filter(|_| point.config.run.causes);
        Ok(report)
    })
}

/// Runs one point over the input again and again, until its device takes no more writes or for
/// `most` passes. It may run shorter lives instead ([`live`]).
///
/// # Errors
/// Those of [`run_points`] and of [`live`]; [`Error::Config`] if blocks last for ever, or the input
/// wears none.
pub fn run_to_the_end(
    catalog: &Catalog,
    point: &Point,
    most: u64,
    scale: Option<u32>,
    watch: Watch<'_>,
) -> Result<Lifetime, Error> {
    let entry = catalog.find(&point.ftl)?;
    let input = Reading::default().of(&point.config, watch)?;
    // No block wears out in the warm-up.
    let mut lasting = point.config.clone();
    lasting.device.endurance = Some(DeviceConfig::MOST_ENDURANCE);
    lasting.device.endurance_spread = Ratio(0.0);
    let spread = point.config.device.endurance_spread;
    live(&point.config, scale, &mut |endurance| {
        ReadyPoint::new(entry, &lasting, &input)?.without_rehearsal()?.guarded(
            |simulator, name| {
                wear_out(simulator.as_mut(), name, input.as_ref(), (endurance, spread), most, watch)
            },
            |life| &mut life.report,
        )
    })
}

/// A mistake in the configuration of one of several points, which names its FTL.
fn under(ftl: &str, error: Error) -> Error {
    match error {
        Error::Config { key, message } => Error::config(key, format!("{message} (under {ftl})")),
        other => other,
    }
}

/// Rejects points that one reading of the input cannot serve.
fn check_together(points: &[Point]) -> Result<(), Error> {
    if points.len() > MOST_POINTS {
        let message = format!("found {}, expected at most {MOST_POINTS} in a run", points.len());
        return Err(Error::config("points", message));
    }
    for (index, point) in points.iter().enumerate() {
        let who = format!("point {} of a run", index + 1);
        check_same(&point.config, &points[0].config, &who, "the first")?;
    }
    Ok(())
}

/// Most memory that the simulation of a point takes, B; `None` where that is not known before its input is
/// measured.
///
/// # Errors
/// Those of the configuration and of the input.
pub fn memory(catalog: &Catalog, point: &Point) -> Result<Option<u64>, Error> {
    let (entry, config) = (catalog.find(&point.ftl)?, &point.config);
    let capacity = match config.device.capacity {
        Some(capacity) => Some(capacity.0),
        None => {
            let input = open_input(config)?;
            match input.measured() {
                Some(measured) => Some(place(config, input.as_ref(), Some(&measured))?.0),
                None => input.address_space_bytes().map(|space| space.max(SMALLEST_DEVICE_BYTES)),
            }
        }
    };
    capacity.map(|capacity| entry.bytes(config, capacity)).transpose()
}

/// Returns the capacity of the device in bytes, and the places of the volumes of the input on it.
pub(crate) fn place(
    config: &Config,
    input: &dyn Input,
    measured: Option<&Measured>,
) -> Result<(u64, AddressMap), Error> {
    inputs::check_shard(config)?;
    let capacity = config.device.capacity.map(|bytes| bytes.0);
    let policy = config.run.address;
    let Some(measured) = measured else { return unmeasured(policy, capacity) };
    let address = AddressMap::new(policy, &measured.extents, capacity)?;
    let whole = input.address_space_bytes().filter(|_| policy == AddressPolicy::Compact);
    let needed = address.span_bytes().max(whole.unwrap_or(0)).max(SMALLEST_DEVICE_BYTES);
    Ok((capacity.unwrap_or(needed), address))
}

pub(crate) fn trace_report(
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

/// [`place`] for a pipe, which cannot be measured first.
fn unmeasured(policy: AddressPolicy, capacity: Option<u64>) -> Result<(u64, AddressMap), Error> {
    let Some(capacity) = capacity else {
        let message = "found a pipe, which cannot be measured first; set device.capacity";
        return Err(Error::config("device.capacity", message));
    };
    if policy == AddressPolicy::Compact {
        let message = "found compact on a pipe, whose volumes are not known before it is read; \
                       expected run.address = overlay or modulo";
        return Err(Error::config("run.address", message));
    }
    // It may have several volumes.
    let anything = [0, 1].map(|volume| Extent { volume, first_byte: 0, end_byte: capacity });
    Ok((capacity, AddressMap::new(policy, &anything, Some(capacity))?))
}

/// The shared state of the threads of a session.
#[derive(Default)]
struct State {
    stop: AtomicBool,
    /// Points whose measured phase has not begun.
    warming: AtomicUsize,
    requests: AtomicU64,
    /// Bits of an `f64`; 0 for unknown.
    fraction: AtomicU64,
}

impl State {
    fn progress(&self) -> Progress {
        let fraction = f64::from_bits(self.fraction.load(Ordering::Relaxed));
        Progress {
            phase: match self.warming.load(Ordering::Relaxed) {
                0 => SIMULATING,
                _ => WARMING_UP,
            },
            requests: self.requests.load(Ordering::Relaxed),
            fraction: Some(fraction).filter(|fraction| *fraction > 0.0),
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A point that is ready to run.
struct ReadyPoint {
    ftl: &'static str,
    seed: u64,
    trace: TraceReport,
    simulator: Box<dyn Simulator>,
    /// Runs before the point, if that needs the future.
    rehearsal: Option<Rehearsal>,
    /// Logs the requests of the measured phase.
    recorder: Option<Box<Recorder>>,
    /// The warm-up, if it may be shared.
    sharing: Option<Sharing>,
}

impl ReadyPoint {
    fn new(entry: &Entry, config: &Config, input: &Decoded) -> Result<Self, Error> {
        ReadyPoint::sharing(entry, config, input, None)
    }

    fn sharing(
        entry: &Entry,
        config: &Config,
        input: &Decoded,
        with: Option<&Arc<SharedWarmup>>,
    ) -> Result<Self, Error> {
        let warmup = config.run.warmup;
        if warmup.reads_the_input() && !input.rereadable() {
            let message = format!(
                "found {warmup}, which reads the input before it is measured, and a pipe, which can be \
                 read once; write it to a file, or use sequential, random:K or steady-random"
            );
            return Err(Error::config("run.warmup", message));
        }
        let measured = input.measured.as_ref();
        let (capacity, address) = place(config, input, measured)?;
        let trace = trace_report(input, measured, &address);
        let simulator = entry.simulate(config, capacity, address.clone())?;
        let (ftl, seed) = (entry.name(), config.run.seed);
        let place = (capacity, address);
        let sharing = match with {
            Some(with) => {
                let bytes = entry.bytes(config, capacity)?;
                Some(Sharing::new(with, ftl, &entry.adapted(config), place.clone(), bytes))
            }
            None => None,
        };
        let rehearsal = match simulator.outcome().flash.future() {
            Some(_) => Some(Rehearsal::new(entry, config, input, place)?),
            None => None,
        };
        Ok(ReadyPoint { ftl, seed, trace, simulator, rehearsal, recorder: None, sharing })
    }

    /// The same where the future is unknown, as the run has no known end.
    fn without_rehearsal(self) -> Result<Self, Error> {
        if self.rehearsal.is_none() {
            return Ok(self);
        }
        let message = "found an oracle, expected another: a life has no end that is known before";
        Err(Error::config("ftl.separation", message))
    }

    /// Runs the point to its report; a broken rule becomes an error.
    fn run(
        &mut self,
        input: &dyn Input,
        watch: Watch<'_>,
        instrument: Instrument<'_>,
    ) -> Result<Report, Error> {
        let (rehearsal, sharing) = (self.rehearsal.take(), self.sharing.take());
        let drive = |simulator: &mut Box<dyn Simulator>, name: &str| {
            if let Some(rehearsal) = rehearsal {
                rehearsal.teach(simulator.as_ref(), input, &mut *watch)?;
            }
            let warmup = match sharing {
                Some(sharing) => sharing.prepare(simulator, input, &mut *watch)?,
                None => prepare(simulator.as_mut(), input, &mut *watch)?,
            };
            measure(simulator.as_mut(), name, input, watch, instrument, warmup)
        };
        self.guarded(drive, |report| report)
    }

    /// Returns the result of a drive; a broken rule becomes an error.
    fn guarded<T>(
        &mut self,
        drive: impl FnOnce(&mut Box<dyn Simulator>, &str) -> Result<T, Error>,
        report_of: impl FnOnce(&mut T) -> &mut Report,
    ) -> Result<T, Error> {
        let (name, simulator) = (self.ftl, &mut self.simulator);
        let driven = catch_unwind(AssertUnwindSafe(|| drive(simulator, name)));
        let mut driven = driven.unwrap_or_else(|panic| {
            Err(Error::Internal(format!(
                "{name} at request {} with seed {}: {}",
                self.simulator.requests() + 1,
                self.seed,
                panic_message(panic.as_ref())
            )))
        })?;
        report_of(&mut driven).trace = self.trace.clone();
        Ok(driven)
    }
}

struct Session<'a> {
    catalog: &'a Catalog,
    input: &'a dyn Input,
    /// Requests in the input, if known.
    requests: Option<u64>,
    state: State,
}

impl Session<'_> {
    fn run(&self, ready: Vec<ReadyPoint>, watch: Watch<'_>) -> Result<Vec<Report>, Error> {
        thread::scope(|scope| {
            let mut feeds = Vec::new();
            let mut workers = Vec::new();
            // Every worker holds a sender: the channel is closed when the last one has ended.
            let (ended, end) = channel::<()>();
            for point in ready {
                let (feed, asked) = Feed::new(self.input);
                feeds.push(asked);
                let ended = ended.clone();
                let worker = started(scope, move || {
                    let _ended = ended;
                    self.catalog.on_thread(|| self.simulate(point, feed))
                });
                // If a thread does not start, `feeds` is dropped, and the workers that have begun
                // end.
                workers.push(worker?);
            }
            drop(ended);
            let reader = started(scope, move || self.read(&feeds))?;
            let watched = self.watch(&end, watch);
            let read = join(reader.join());
            let reports = workers.into_iter().map(|worker| join(worker.join())).collect();
            watched?;
            // A failing simulation stops the reader, and a failing reader stops the simulations.
            // The error to report is the one that is not the interruption.
            let trace_read_s = match read {
                Err(Error::Interrupted) => {
                    return first_cause(reports).and(Err(Error::Interrupted));
                }
                read => read?,
            };
            let mut reports = first_cause(reports)?;
            for (report, seconds) in reports.iter_mut().zip(trace_read_s) {
                report.speed.trace_read_s = seconds;
            }
            Ok(reports)
        })
    }

    /// Reports progress to the caller until the last simulation has ended.
    fn watch(&self, end: &Receiver<()>, watch: Watch<'_>) -> Result<(), Error> {
        while let Err(RecvTimeoutError::Timeout) = end.recv_timeout(WATCH_INTERVAL) {
            watch(self.state.progress()).inspect_err(|_| {
                self.state.stop.store(true, Ordering::Relaxed);
            })?;
        }
        Ok(())
    }

    /// Reads the input for all points, as often as one of them requests it. Returns, for each
    /// point, the seconds spent reading in its last pass, which is its measured phase.
    fn read(&self, feeds: &[Receiver<Queue>]) -> Result<Vec<f64>, Error> {
        let mut seconds = vec![0.0; feeds.len()];
        loop {
            // A point that has ended requests no further pass.
            let asked: Vec<Option<Queue>> = feeds.iter().map(|feed| feed.recv().ok()).collect();
            let queues: Vec<&Queue> = asked.iter().flatten().collect();
            if queues.is_empty() {
                return Ok(seconds);
            }
            let reading = self.pass(&queues)?;
            for (seconds, _) in seconds.iter_mut().zip(&asked).filter(|(_, asked)| asked.is_some())
            {
                *seconds = reading;
            }
        }
    }

    /// Reads the whole input once. Returns the seconds spent reading.
    fn pass(&self, queues: &[&Queue]) -> Result<f64, Error> {
        let mut source: Box<dyn RequestSource> = self.input.open()?;
        let (mut requests, mut reading) = (0, Duration::ZERO);
        loop {
            let known = self.requests.map(|all| requests as f64 / all.max(1) as f64);
            let fraction = known.or_else(|| source.progress()).unwrap_or(0.0);
            self.state.requests.store(requests, Ordering::Relaxed);
            self.state.fraction.store(fraction.to_bits(), Ordering::Relaxed);
            let mut batch = Vec::with_capacity(BATCH);
            let start = Instant::now();
            source.fill(&mut batch)?;
            reading += start.elapsed();
            requests += batch.len() as u64;
            let batch = Arc::new(batch);
            let sent = queues.iter().all(|queue| queue.send(Arc::clone(&batch)).is_ok());
            if !sent || self.state.stopped() {
                return Err(Error::Interrupted);
            }
            if batch.is_empty() {
                return Ok(reading.as_secs_f64());
            }
        }
    }

    /// Runs one point, on its own thread.
    fn simulate(&self, mut point: ReadyPoint, feed: Feed<'_>) -> Result<Report, Error> {
        let _turn = Turn::take();
        let mut measuring = false;
        let watch = &mut |progress: Progress| {
            if progress.phase == SIMULATING && !measuring {
                measuring = true;
                self.state.warming.fetch_sub(1, Ordering::Relaxed);
            }
            if self.state.stopped() { Err(Error::Interrupted) } else { Ok(()) }
        };
        let log = point.recorder.take().map_or(Instrument::None, Instrument::Log);
        let report = point.run(&feed, watch, log);
        // After a failure, no other point need continue.
        self.state.stop.fetch_or(report.is_err(), Ordering::Relaxed);
        report
    }
}

/// A thread of a scope.
fn started<'scope, T: Send + 'scope>(
    scope: &'scope thread::Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<thread::ScopedJoinHandle<'scope, T>, Error> {
    let started = thread::Builder::new().spawn_scoped(scope, work);
    started.map_err(|_| Error::no_thread())
}

/// The result of a thread; a panic is a bug of this crate.
fn join<T>(joined: thread::Result<Result<T, Error>>) -> Result<T, Error> {
    joined.unwrap_or_else(|panic| Err(Error::Internal(panic_message(panic.as_ref()))))
}

/// All reports, or the first error that is not the interruption by another one.
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

/// The message of a panic.
#[must_use]
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("an invariant does not hold").to_owned()
}
