//! The loop: requests in, page accesses to the FTL, latencies and checks out.

#![allow(clippy::inline_always)] // part of every request

use crate::address::{AddressMap, AddressPolicy};
use crate::ahead::{self, Ahead};
use crate::buffer::{BufferManager, FlushedAtEnd};
use crate::config::Config;
use crate::engine::{Log, Service};
use crate::error::Error;
use crate::figures::counts;
use crate::flash::{Cause, Device, Event, Operation};
use crate::ftl::parts::held_pages::BufferCounts;
use crate::ftl::{self, Access, Ftl, IdleSteps, RamUse, Spec};
use crate::host::{Host, HostMode, LATEST, Split, Taken};
use crate::metrics::causes::Causes;
use crate::metrics::latency::Latencies;
use crate::metrics::request_log::Recorder;
use crate::metrics::samples::CacheSamples;
use crate::metrics::series::{Sample, Series, Sums};
use crate::partial::{Cover, ReadModifyWrite};
use crate::placement::separation::ClassPages;
use crate::recovery::{Mount, Recovery};
use crate::request::{Op, Request};
use crate::run::RunConfig;
use crate::shared_pages::SharedPages;
use crate::units::{Lpn, Nanos, Ratio};
use std::ops::Range;

/// One FTL on one device under one host.
#[derive(Clone, Debug)]
pub struct Simulation<F> {
    spec: Spec,
    config: Config,
    address: AddressMap,
    /// The pages that stand for several addresses, where some may.
    shared: Option<SharedPages>,
    /// Whether a request may access less than it states, or other places.
    may_differ: bool,
    flash: Device,
    ftl: F,
    /// The write buffer above the FTL.
    buffer: Option<BufferManager>,
    /// Without a write buffer, the reads before parts of pages are written.
    read_modify_write: Option<ReadModifyWrite>,
    host: Host,
    /// The page accesses of the next requests, ascending for each request.
    pages: Vec<Lpn>,
    /// The accesses of each of them.
    parts: Vec<Part>,
    /// Prefetches tables for the next requests, where it is worth it.
    ahead: Option<Ahead>,
    totals: HostTotals,
    /// Pages that the host wrote before measuring started.
    written_before: u64,
    /// Pages that the host had written when each block wore out.
    failures: Vec<u64>,
    reads: Latencies,
    writes: Latencies,
    flushes: Latencies,
    service: Latencies,
    series: Series,
    /// The totals at the last point of the series.
    sampled: Sums,
    /// `None` where pages are not separated.
    sampled_classes: Option<ClassPages>,
    cache_samples: CacheSamples,
    /// The time of requests by cause, if configured.
    causes: Option<Box<Causes>>,
    /// Logs every request, if present.
    recorder: Option<Box<Recorder>>,
    /// Whether a run does more after each request than count it.
    looks_closely: bool,
    /// Recovers the FTL after a power cut, if it can.
    mount: Option<Mount>,
    /// Copies the simulation, if the FTL can be copied.
    copy: Option<CopyOf<F>>,
}

/// Copies a simulation.
type CopyOf<F> = fn(&Simulation<F>) -> Box<dyn Simulator>;

/// The accesses of a request.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Its first page, in the list of those of the next requests, and one past its last.
    first: usize,
    end: usize,
    /// The sectors that it touches in them.
    cover: Cover,
    /// Bytes of the request in them.
    bytes: u32,
    /// Whether it lies at another place than in the input, which the device does not have.
    is_folded: bool,
    /// Whether the part beyond the device's end is left out.
    is_cut: bool,
}

impl Part {
    /// All of these pages, with `bytes` bytes of the request.
    const fn of_all(pages: Range<usize>, bytes: u32) -> Self {
        Part {
            first: pages.start,
            end: pages.end,
            cover: Cover::WHOLE,
            bytes,
            is_folded: false,
            is_cut: false,
        }
    }
}

counts! {
    since;
    /// Requests of the host since measuring started.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct HostTotals {
        /// Requests served.
        pub requests: u64,
        /// Read requests.
        pub reads: u64,
        /// Write requests.
        pub writes: u64,
        /// Trim requests.
        pub trims: u64,
        /// Flushes.
        pub flushes: u64,
        /// Writes that must be durable when they complete.
        pub writes_through: u64,
        /// Pages read.
        pub page_reads: u64,
        /// Pages written.
        pub page_writes: u64,
        /// Pages of which only a part was written; they are among the pages written.
        pub partial_page_writes: u64,
        /// Pages trimmed.
        pub page_trims: u64,
        /// Writes, trims and flushes that were refused, because too many blocks are worn out.
        pub refused: u64,
        /// Bytes of reads in the pages that they access.
        pub bytes_read: u64,
        /// Bytes of writes in the pages that they access.
        pub bytes_written: u64,
        /// Requests beyond the device, which are folded to another place on it.
        pub folded: u64,
        /// Requests whose part beyond the device's end is left out.
        pub cut: u64,
        /// Arrival of the last request, ns; in a closed loop, when it was issued.
        pub last_arrival: Nanos,
        /// Completion of the last request, ns.
        pub duration: Nanos,
    }
}

/// Everything measured, borrowed from a finished simulation.
pub struct Outcome<'a> {
    /// The resolved configuration.
    pub config: &'a Config,
    /// The description of the FTL.
    pub spec: Spec,
    /// The device with its counts and clock.
    pub flash: &'a Device,
    /// The FTL.
    pub ftl: &'a dyn Ftl,
    /// The write buffer above it.
    pub buffer: Option<&'a BufferManager>,
    /// Requests of the host.
    pub host: HostTotals,
    /// Pages that the host had written when each block wore out, since the device was new.
    pub failures: &'a [u64],
    /// Pages that the host has written since the device was new.
    pub pages_written: u64,
    /// The share of the touched pages that stands for several addresses of the input; `None` where
    /// none may.
    pub shared_pages: Option<f64>,
    /// Host page reads whose version was compared, in RAM or on flash.
    pub reads_verified: u64,
    /// Response times of reads, ns.
    pub reads: &'a Latencies,
    /// Response times of writes, ns.
    pub writes: &'a Latencies,
    /// Response times of flushes, ns.
    pub flushes: &'a Latencies,
    /// Service times, from the first flash operation of a request to its last, ns.
    pub service: &'a Latencies,
    /// The run over time.
    pub series: Series,
    /// Samples of the mapping cache.
    pub cache_samples: &'a CacheSamples,
    /// The time of requests by cause, if configured.
    pub causes: Option<&'a Causes>,
}

impl Outcome<'_> {
    /// Response times of reads and writes, ns.
    #[must_use]
    pub fn responses(&self) -> Latencies {
        let mut responses = self.reads.clone();
        responses.merge(self.writes);
        responses
    }
}

/// How a batch of requests is served. The time of [`Role::Writes`] and [`Role::Fill`] is not
/// modelled. A device with calendars places only the operations of the first batch, unless the FTL
/// uses times or idle time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// As the host issues them.
    Asked,
    /// Each as a write, at its time and without queues, to touch the footprint (choices.md#warmup).
    Writes,
    /// Each as a write to device addresses, at time 0: no host issues it.
    Fill,
}

/// A simulation whose FTL is known only at run time: one call per batch, static inside.
///
/// [`crate::drive`] calls the methods in their order.
pub trait Simulator: Send {
    /// Serves requests.
    ///
    /// # Errors
    /// [`Error::Config`] when a request lies beyond the device.
    fn serve(&mut self, batch: &[Request], role: Role) -> Result<(), Error>;

    /// Sets whether tables for the next requests are prefetched, which is the default. It changes
    /// no result; measurements of its effect disable it.
    fn load_early(&mut self, early: bool);

    /// Serves the requests that still wait in the host's queues, at the end of the input.
    ///
    /// # Errors
    /// As [`Simulator::serve`].
    fn finish(&mut self) -> Result<(), Error>;

    /// Sets host and clock back to time 0, for another pass over the input.
    fn rewind(&mut self);

    /// Ends the warm-up: counters start at zero on an idle device; state remains.
    fn start_measuring(&mut self);

    /// A copy in the same state. `None` if the FTL cannot be copied, or knows the future.
    fn twin(&self) -> Option<Box<dyn Simulator>>;

    /// Goes on under another configuration, before measuring starts. It may differ in what
    /// [no warm-up depends on](Config::before_measuring).
    fn go_on_as(&mut self, config: &Config, address: AddressMap);

    /// Whether a decision may have depended on the times of requests.
    fn used_times(&self) -> bool;

    /// Sets the recorder of all later requests, or removes it. Waiting entries are handed over.
    fn record(&mut self, recorder: Option<Recorder>);

    /// Puts a new block in the place of each one, which endures `endurance` erases within the
    /// spread. A life begins, with the data in place.
    fn renew_blocks(&mut self, endurance: u32, spread: Ratio);

    /// The pages of the device that the bytes of a request touch, in ascending order.
    ///
    /// # Errors
    /// As [`Simulator::serve`].
    fn pages(&mut self, request: &Request) -> Result<&[Lpn], Error>;

    /// Requests served since measuring started.
    fn requests(&self) -> u64;

    /// Checks the books, and every invariant of device and FTL.
    ///
    /// # Panics
    /// When one does not hold.
    fn check(&self);

    /// What was measured.
    fn outcome(&self) -> Outcome<'_>;

    /// The result of a power cut now; `None` without `run.recovery`.
    ///
    /// # Panics
    /// When the FTL breaks a rule while it mounts.
    fn recovery(&self) -> Option<Recovery>;

    /// Writes the pages that are still in RAM, of the write buffer and of the FTL, after everything
    /// was measured. Then it checks everything again. `None` if neither keeps writes, so that
    /// nothing has changed.
    fn drain(&mut self) -> Option<FlushedAtEnd>;
}

/// Whether a run does more after each request than count it.
fn looks_closely(config: &Config, flash: &Device) -> bool {
    let RunConfig { samples, audit, causes, .. } = config.run;
    flash.makes_checkpoints() || samples > 0 || audit > 0 || causes
}

/// Whether a request may access less than it states, or other places.
fn may_differ(config: &Config) -> bool {
    config.run.address == AddressPolicy::Modulo || config.host.split != Split::Pages
}

impl<F: Ftl> Simulation<F> {
    /// A device on which `ftl` was built, below a write buffer or none, reached through `address`.
    #[must_use]
    pub fn new(
        spec: &Spec,
        config: &Config,
        mut flash: Device,
        ftl: F,
        buffer: Option<BufferManager>,
        address: AddressMap,
    ) -> Self {
        if !config.run.verify {
            flash.skip_verification();
        }
        let read_modify_write = ReadModifyWrite::new(&config.device, flash.geometry());
        let ahead = Ahead::is_worth_it(flash.geometry().pages()).then(Ahead::default);
        let shared = address.shares().then(|| SharedPages::new(flash.geometry().logical_pages));
        let looks_closely = looks_closely(config, &flash);
        let mut simulation = Simulation {
            spec: *spec,
            config: config.clone(),
            address,
            shared,
            may_differ: may_differ(config),
            flash,
            ftl,
            buffer,
            read_modify_write,
            host: Host::new(&config.host),
            pages: Vec::new(),
            parts: Vec::new(),
            ahead,
            totals: HostTotals::default(),
            written_before: 0,
            failures: Vec::new(),
            reads: Latencies::default(),
            writes: Latencies::default(),
            flushes: Latencies::default(),
            service: Latencies::default(),
            series: Series::default(),
            sampled: Sums::default(),
            sampled_classes: None,
            cache_samples: CacheSamples::new(0),
            causes: None,
            recorder: None,
            looks_closely,
            mount: None,
            copy: None,
        };
        simulation.start_measuring();
        // The time of a warm-up is not part of a result.
        simulation.causes = None;
        simulation
    }

    /// Sets the recovery of the FTL after a power cut.
    #[must_use]
    pub fn mounting(mut self, mount: Option<Mount>) -> Self {
        self.mount = mount;
        self
    }

    /// Allows [copies](Simulator::twin).
    #[must_use]
    pub fn copyable(self) -> Self
    where
        F: Clone + 'static,
    {
        Simulation { copy: Some(|simulation| Box::new(simulation.clone())), ..self }
    }

    /// Continues with a device that is not erased: its FTL was mounted. The counts begin at zero.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        if let Some(rmw) = &mut self.read_modify_write {
            rmw.resume(|lpn| self.flash.audit_holds_data(lpn));
        }
        self
    }

    /// Serves one request. Returns when it was issued and when it was complete, ns.
    ///
    /// # Errors
    /// [`Error::Config`] when it lies beyond the device.
    #[inline]
    pub fn serve_one(&mut self, request: &Request) -> Result<(Nanos, Nanos), Error> {
        self.pages.clear();
        let part = self.split(request)?;
        let issued = self.host.issue(request.time);
        let end = self.serve_at(request, part, issued, issued)?;
        Ok((issued, end))
    }

    /// [`Self::serve_at`], not inlined.
    #[inline(never)]
    fn serve_apart(
        &mut self,
        request: &Request,
        part: Part,
        arrival: Nanos,
        issued: Nanos,
    ) -> Result<Nanos, Error> {
        self.serve_at(request, part, arrival, issued)
    }

    /// Serves a request that has waited since `arrival`; returns when it is complete.
    #[inline(always)]
    fn serve_at(
        &mut self,
        request: &Request,
        part: Part,
        arrival: Nanos,
        issued: Nanos,
    ) -> Result<Nanos, Error> {
        if self.refuses(request.op) {
            self.host.complete(issued);
            return Ok(issued);
        }
        if self.ftl.uses_idle_time() {
            self.use_idle_time(issued);
            self.note_work_between();
        }
        self.flash.timeline_mut().issue(issued);
        self.access(request, part);
        if request.op == Op::Flush {
            self.flash.timeline_mut().end_last();
        }
        let served = self.flash.timeline().served();
        if served.end >= LATEST {
            return Err(self.too_late());
        }
        self.host.complete(served.end);
        self.count(request, part, served.end - arrival, served.end - served.start);
        self.note_failures();
        self.totals.last_arrival = self.totals.last_arrival.max(arrival);
        self.totals.duration = self.totals.duration.max(served.end);
        if self.totals.requests - self.sampled.requests >= self.series.requests_per_point() {
            let stretch = self.sample();
            self.sampled = self.sampled.plus(stretch.sums);
            if let Some(sampled) = &mut self.sampled_classes {
                *sampled = sampled.plus(&stretch.classes);
            }
            self.series.push(stretch);
        }
        if self.looks_closely {
            self.look_closely(request, arrival, served);
        }
        Ok(served.end)
    }

    /// The work that some runs do after each request.
    #[cold]
    fn look_closely(&mut self, request: &Request, arrival: Nanos, served: Service) {
        if let Some(causes) = &mut self.causes {
            let times = (arrival, served.start, served.end);
            causes.note(request.op, self.flash.ledger(), times);
        }
        if let Some(recorder) = &mut self.recorder {
            let times = (arrival, served.start, served.end);
            recorder.request(request, self.flash.ledger(), times);
        }
        if self.flash.makes_checkpoints() {
            self.flash.checkpoint_if_due();
            self.note_work_between();
        }
        let accesses = self.totals.page_reads + self.totals.page_writes;
        if self.cache_samples.is_due(accesses) {
            self.look_into_cache(accesses);
        }
        let audit = self.config.run.audit;
        if audit > 0 && self.totals.requests.is_multiple_of(audit) {
            self.ftl.audit(&self.flash);
        }
    }

    /// Notes the operations outside requests.
    fn note_work_between(&mut self) {
        if let Some(causes) = &mut self.causes {
            causes.between(self.flash.ledger(), self.flash.timeline().idle_at());
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.between(self.flash.ledger(), self.flash.timeline().idle_at());
        }
    }

    /// Whether a request is refused, because too many blocks are worn out.
    #[inline]
    fn refuses(&mut self, op: Op) -> bool {
        let refused = op != Op::Read && self.flash.is_read_only();
        self.totals.refused += u64::from(refused);
        refused
    }

    /// Notes the number of host pages written when blocks have worn out.
    #[inline]
    fn note_failures(&mut self) {
        let failed = self.flash.worn_out().len();
        if failed > self.failures.len() {
            let written = self.written_before + self.totals.page_writes;
            self.failures.resize(failed, written);
        }
    }

    /// Serves the requests that the device takes from the host's queues before `time`.
    fn serve_waiting(&mut self, time: Nanos) -> Result<(), Error> {
        while let Some(Taken { request, issued }) = self.host.take_before(time) {
            self.pages.clear();
            let part = self.split(&request)?;
            self.serve_apart(&request, part, request.time, issued)?;
        }
        Ok(())
    }

    /// Serves the page accesses of a request.
    #[inline(always)]
    fn access(&mut self, request: &Request, Part { first, end, cover, .. }: Part) {
        let access = Access { op: request.op, pages: &self.pages[first..end], meta: request.meta };
        let (ftl, flash) = (&mut self.ftl, &mut self.flash);
        if let Some(buffer) = &mut self.buffer {
            return buffer.serve(access, cover, ftl, flash);
        }
        let pages = access.pages;
        match (access.op, &mut self.read_modify_write) {
            (Op::Write | Op::WriteThrough, Some(rmw)) => rmw.before_write(pages, cover, ftl, flash),
            (Op::Trim, Some(rmw)) => rmw.trim(pages),
            _ => {}
        }
        access.serve(ftl, flash);
    }

    /// Lets the FTL work in the background until a request arrives. A request that arrives during a step
    /// of this work waits for the end of the step.
    fn use_idle_time(&mut self, arrival: Nanos) {
        if self.config.host.mode != HostMode::Open {
            return;
        }
        let mut steps = IdleSteps::default();
        loop {
            let idle = self.flash.timeline().idle_at();
            if idle >= arrival {
                return;
            }
            self.flash.timeline_mut().issue(idle);
            if !self.ftl.background(&mut self.flash) {
                return;
            }
            steps.take(self.flash.geometry()).unwrap_or_else(|rule| panic!("{rule}"));
        }
    }

    /// Counts of the pages held in RAM, above the FTL and inside it.
    fn buffered(&self) -> BufferCounts {
        let rmw = self.read_modify_write.as_ref();
        let completed_pages = rmw.map_or(0, ReadModifyWrite::completed);
        let nothing_above = BufferCounts { completed_pages, ..BufferCounts::default() };
        let above = self.buffer.as_ref().map_or(nothing_above, BufferManager::counts);
        above.plus(self.ftl.buffered())
    }

    fn look_into_cache(&mut self, accesses: u64) {
        match self.ftl.cached_pages() {
            Some(pages) => self.cache_samples.look(accesses, &pages),
            None => self.cache_samples = CacheSamples::new(0),
        }
    }

    /// The device, for tests.
    #[must_use]
    pub const fn flash(&self) -> &Device {
        &self.flash
    }

    /// The events on the device since the last call, if it [notes them](Device::tell).
    pub fn events(&mut self) -> Vec<Event> {
        self.flash.events()
    }

    /// The FTL, for tests.
    #[must_use]
    pub const fn ftl(&self) -> &F {
        &self.ftl
    }

    /// Adds the page accesses of a request, in ascending order. A trim covers whole pages only.
    #[inline(always)]
    fn split(&mut self, request: &Request) -> Result<Part, Error> {
        let first = self.pages.len();
        if request.op == Op::Flush {
            return Ok(Part::of_all(first..first, 0));
        }
        let (offset, length) = self.address.map(request.volume, request.offset, request.length);
        let end = offset + u64::from(length);
        if end > self.flash.geometry().logical_bytes() {
            return Err(self.beyond(offset, length));
        }
        let shift = self.flash.geometry().page_bytes.trailing_zeros();
        let sector_shift = self.config.device.sector.0.trailing_zeros();
        let cover = Cover::new(offset, end, sector_shift, shift);
        let pages = self.config.host.split.of(request.op.pages(offset, end, shift));
        let last = pages.end;
        for page in pages {
            self.pages.push(Lpn(page as u32));
        }
        if let Some(shared) = &mut self.shared {
            shared.touch(request.volume, request.offset - offset, &self.pages[first..]);
        }
        let all = Part::of_all(first..self.pages.len(), request.length);
        if !self.may_differ {
            return Ok(Part { cover, ..all });
        }
        Ok(Part {
            cover,
            // At most `length`.
            bytes: end.min(last << shift).saturating_sub(offset) as u32,
            is_folded: self.config.run.address == AddressPolicy::Modulo && offset != request.offset,
            is_cut: length < request.length,
            ..all
        })
    }

    #[cold]
    fn beyond(&self, offset: u64, length: u32) -> Error {
        Error::config(
            "device.capacity",
            format!(
                "found a request for bytes {offset} to {} on a device of {}; use a larger \
                 device.capacity or run.address = modulo",
                offset + u64::from(length),
                crate::units::Bytes(self.flash.geometry().logical_bytes())
            ),
        )
    }

    #[cold]
    fn too_late(&self) -> Error {
        Error::config(
            "host.time_scale",
            format!(
                "found {}, with which request {} is complete more than 146 years after the first, \
                 expected less; lower it, or the times of device",
                self.config.host.time_scale,
                self.totals.requests + 1
            ),
        )
    }

    #[inline]
    fn count(&mut self, request: &Request, part: Part, response: Nanos, service: Nanos) {
        let pages = (part.end - part.first) as u64;
        let totals = &mut self.totals;
        totals.requests += 1;
        if self.may_differ {
            totals.folded += u64::from(part.is_folded);
            totals.cut += u64::from(part.is_cut);
        }
        match request.op {
            Op::Read => {
                totals.reads += 1;
                totals.page_reads += pages;
                totals.bytes_read += u64::from(part.bytes);
                self.reads.record(response);
            }
            Op::Write | Op::WriteThrough => {
                totals.writes += 1;
                totals.writes_through += u64::from(request.op == Op::WriteThrough);
                totals.page_writes += pages;
                totals.partial_page_writes +=
                    part.cover.pages_cut(&self.pages[part.first..part.end]);
                let bytes = unless_bug!(HostBytesBeyond, part.bytes, request.length);
                totals.bytes_written += u64::from(bytes);
                self.writes.record(response);
            }
            Op::Trim => {
                totals.trims += 1;
                totals.page_trims += pages;
                return;
            }
            Op::Flush => {
                totals.flushes += 1;
                self.flushes.record(response);
                return;
            }
        }
        self.service.record(service);
    }

    /// The sums of the series since measuring started.
    fn sums(&self) -> Sums {
        let mapping = self.ftl.mapping_counts().unwrap_or_default();
        Sums {
            requests: self.totals.requests,
            response: self.reads.sum() + self.writes.sum(),
            service: self.service.sum(),
            responses: self.totals.reads + self.totals.writes,
            lookups: mapping.lookups,
            hits: mapping.hits,
            host_programs: self.totals.page_writes,
            programs: self.flash.ledger().pages_programmed(),
        }
    }

    /// The sums since the last point of the series.
    fn sample(&self) -> Sample {
        let classes = |then| self.ftl.class_pages().since(then);
        Sample {
            time: self.totals.duration,
            sums: self.sums().since(self.sampled),
            at_risk_bytes: self.at_risk_bytes(),
            classes: self.sampled_classes.as_ref().map_or_else(ClassPages::default, classes),
        }
    }

    /// Host page reads whose version was compared, without the reads that complete groups and pages.
    fn reads_verified(&self) -> u64 {
        if !self.config.run.verify {
            return 0;
        }
        let buffered = self.buffered();
        self.flash.reads_verified() + buffered.read_hits
            - buffered.padded_pages
            - buffered.completed_pages
    }

    /// One more page than fits may be about to leave.
    fn pages_kept_fit_into_ram(&self) {
        let RamUse { cache, buffer, .. } = self.ftl.ram();
        let room = (cache + buffer) / u64::from(self.flash.geometry().page_bytes);
        let kept = self.flash.most_pages_kept() as u64;
        let fits = kept <= room + 1 && (kept == 0 || cache + buffer > 0);
        assert!(fits, "{kept} pages of the host in the RAM of the FTL, which has room for {room}");
    }

    fn at_risk_bytes(&self) -> Option<u64> {
        // An FTL that can mount has nothing else that is only in RAM.
        let is_known = self.config.run.recovery && self.mount.is_some();
        let held = self.buffer.is_some() || self.spec.keeps_writes || is_known;
        let pages = || self.buffered().dirty + u64::from(self.ftl.pages_in_ram());
        held.then(|| pages() * u64::from(self.flash.geometry().page_bytes))
    }

    /// Serves requests through the host's queues, or at once if it has none.
    fn serve_asked(&mut self, batch: &[Request]) -> Result<(), Error> {
        if !self.host.has_queues() {
            return self.serve_at_once(batch);
        }
        batch.iter().try_for_each(|request| {
            self.serve_waiting(self.host.arrival(request.time))?;
            self.host.enqueue(*request);
            Ok(())
        })
    }

    /// Serves requests that do not wait.
    fn serve_at_once(&mut self, batch: &[Request]) -> Result<(), Error> {
        match &self.ahead {
            Some(_) => self.serve_loading_early(batch),
            None => batch.iter().try_for_each(|request| self.serve_one(request).map(drop)),
        }
    }

    /// Serves requests that do not wait, in groups. The tables for a group are prefetched before
    /// its first request is served.
    fn serve_loading_early(&mut self, mut batch: &[Request]) -> Result<(), Error> {
        while !batch.is_empty() {
            let split = self.split_next(batch);
            let (next, later) = batch.split_at(self.parts.len());
            if let Some(ahead) = &mut self.ahead {
                for (request, part) in next.iter().zip(&self.parts) {
                    let pages = &self.pages[part.first..part.end];
                    ahead.find(request.op, pages, &self.ftl, &self.flash);
                }
                ahead.load(&self.flash);
            }
            for (number, request) in next.iter().enumerate() {
                let issued = self.host.issue(request.time);
                self.serve_apart(request, self.parts[number], issued, issued)?;
            }
            split?;
            batch = later;
        }
        Ok(())
    }

    /// Splits the next of these requests, up to one that lies beyond the device.
    #[inline]
    fn split_next(&mut self, batch: &[Request]) -> Result<(), Error> {
        self.pages.clear();
        self.parts.clear();
        for request in batch.iter().take(ahead::REQUESTS) {
            let part = self.split(request)?;
            self.parts.push(part);
            if self.pages.len() >= ahead::PAGES {
                break;
            }
        }
        Ok(())
    }

    /// Writes to device addresses, each request at time 0.
    fn write_outside_the_clock(&mut self, batch: &[Request]) -> Result<(), Error> {
        let shift = self.flash.geometry().page_bytes.trailing_zeros();
        let logical_bytes = self.flash.geometry().logical_bytes();
        for request in batch {
            if request.end() > logical_bytes {
                return Err(self.beyond(request.offset, request.length));
            }
            if self.refuses(Op::Write) {
                continue;
            }
            self.flash.timeline_mut().issue(0);
            self.pages.clear();
            let pages = Op::Write.pages(request.offset, request.end(), shift);
            self.pages.extend(pages.map(|page| Lpn(page as u32)));
            let part = Part::of_all(0..self.pages.len(), request.length);
            self.access(&Request { op: Op::Write, ..*request }, part);
            if self.flash.timeline().served().end >= LATEST {
                return Err(self.too_late());
            }
            self.totals.requests += 1;
            self.totals.page_writes += self.pages.len() as u64;
            self.flash.checkpoint_if_due();
            self.note_failures();
        }
        Ok(())
    }
}

impl<F: Ftl> Simulator for Simulation<F> {
    fn serve(&mut self, batch: &[Request], role: Role) -> Result<(), Error> {
        let time_matters = role == Role::Asked || self.ftl.uses_idle_time();
        self.flash.timeline_mut().leave_unwatched(!time_matters);
        match role {
            Role::Asked => self.serve_asked(batch),
            Role::Writes => {
                let wanted = batch.iter().filter(|request| request.op != Op::Flush);
                let write = |request: &Request| Request { op: Op::Write, ..*request };
                let writes: Vec<Request> = wanted.map(write).collect();
                self.serve_at_once(&writes)
            }
            Role::Fill => self.write_outside_the_clock(batch),
        }
    }

    fn load_early(&mut self, early: bool) {
        let is_worth_it = early && Ahead::is_worth_it(self.flash.geometry().pages());
        self.ahead = is_worth_it.then(Ahead::default);
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.serve_waiting(Nanos::MAX)
    }

    fn rewind(&mut self) {
        self.flash.timeline_mut().reset();
        self.host.reset();
    }

    fn pages(&mut self, request: &Request) -> Result<&[Lpn], Error> {
        let op = if request.op == Op::Flush { Op::Flush } else { Op::Write };
        self.pages.clear();
        self.split(&Request { op, ..*request })?;
        Ok(&self.pages)
    }

    fn start_measuring(&mut self) {
        self.flash.start_measuring();
        let RunConfig { timeline, timeline_from, .. } = self.config.run;
        if timeline > 0 {
            let log = Log::new(timeline_from, timeline as usize);
            self.flash.start_log(&self.config.device, log);
        }
        self.ftl.reset_metrics();
        if let Some(buffer) = &mut self.buffer {
            buffer.reset_counts();
        }
        if let Some(rmw) = &mut self.read_modify_write {
            rmw.reset_count();
        }
        self.host.reset();
        self.written_before += self.totals.page_writes;
        self.totals = HostTotals::default();
        self.reads = Latencies::default();
        self.writes = Latencies::default();
        self.flushes = Latencies::default();
        self.service = Latencies::default();
        self.series = Series::default();
        self.sampled = Sums::default();
        let separates = self.ftl.metrics().classes.is_some();
        self.sampled_classes = separates.then(ClassPages::default);
        self.cache_samples = CacheSamples::new(self.config.run.samples);
        self.causes = self.config.run.causes.then(|| Box::new(Causes::new(&self.config.device)));
    }

    fn twin(&self) -> Option<Box<dyn Simulator>> {
        self.copy.filter(|_| self.flash.future().is_none()).map(|copy| copy(self))
    }

    fn go_on_as(&mut self, config: &Config, address: AddressMap) {
        if !self.config.run.warmup.reads_the_input() {
            let pages = self.flash.geometry().logical_pages;
            self.shared = address.shares().then(|| SharedPages::new(pages));
        }
        self.address = address;
        self.may_differ = may_differ(config);
        self.looks_closely = looks_closely(config, &self.flash);
        self.host = Host::new(&config.host);
        self.config = config.clone();
    }

    fn used_times(&self) -> bool {
        self.ftl.uses_idle_time() || self.flash.used_times()
    }

    fn record(&mut self, recorder: Option<Recorder>) {
        if recorder.is_some() {
            self.looks_closely = true;
            // The recorder itself divides times by cause.
            self.causes = None;
        }
        let before = std::mem::replace(&mut self.recorder, recorder.map(Box::new));
        if let Some(mut before) = before {
            before.flush();
        }
    }

    fn renew_blocks(&mut self, endurance: u32, spread: Ratio) {
        self.config.device.endurance = Some(endurance);
        self.config.device.endurance_spread = spread;
        self.flash.renew(&self.config.device, self.config.run.seed);
        self.written_before = 0;
        self.failures.clear();
    }

    fn requests(&self) -> u64 {
        self.totals.requests
    }

    fn check(&self) {
        let ledger = self.flash.ledger();
        let asked = |operation| {
            [Cause::Host, Cause::Padding, Cause::ReadModifyWrite]
                .map(|cause| ledger.get(operation, cause))
                .iter()
                .sum::<u64>()
        };
        let (reads, programs) = (asked(Operation::Read), asked(Operation::Program));
        let buffered = self.buffered();
        let (read, written) = (self.totals.page_reads, self.totals.page_writes);
        assert_eq!(reads, buffered.reads(read), "every page the host reads is read once");
        let needed = buffered.programs(written);
        assert_eq!(programs, needed, "every page the host writes is written once");
        if !self.spec.keeps_writes {
            let padding = |operation| ledger.get(operation, Cause::Padding);
            let (read, padded) = (padding(Operation::Read), buffered.padded_pages);
            assert_eq!(padding(Operation::Program), padded, "every page that pads a group");
            // Pages in the RAM of a merge under way are read from there.
            let in_ram = self.ftl.buffered().read_hits;
            let all = (read..=read + in_ram).contains(&padded);
            assert!(all, "{read} of {padded} pages that pad groups read, {in_ram} reads from RAM");
        }
        for cause in [Cause::GcData, Cause::GcTranslation, Cause::Merge] {
            let (read, written) =
                (ledger.get(Operation::Read, cause), ledger.get(Operation::Program, cause));
            assert_eq!(
                read as i64,
                written as i64 + self.flash.loads_not_stored(cause),
                "every page that is moved is read and written ({})",
                cause.name()
            );
        }
        if self.config.run.verify {
            assert_eq!(self.reads_verified(), self.totals.page_reads, "every read is verified");
        }
        self.pages_kept_fit_into_ram();
        self.ftl.audit(&self.flash);
        if let Some(buffer) = &self.buffer {
            buffer.audit(&self.flash);
        }
    }

    fn outcome(&self) -> Outcome<'_> {
        let mut series = self.series.clone();
        let stretch = self.sample();
        if stretch.sums.requests > 0 {
            series.push(stretch);
        }
        Outcome {
            config: &self.config,
            spec: self.spec,
            flash: &self.flash,
            ftl: &self.ftl,
            buffer: self.buffer.as_ref(),
            host: self.totals,
            failures: &self.failures,
            pages_written: self.written_before + self.totals.page_writes,
            shared_pages: self.shared.as_ref().and_then(SharedPages::ratio),
            reads_verified: self.reads_verified(),
            reads: &self.reads,
            writes: &self.writes,
            flushes: &self.flushes,
            service: &self.service,
            series,
            cache_samples: &self.cache_samples,
            causes: self.causes.as_deref(),
        }
    }

    fn recovery(&self) -> Option<Recovery> {
        let Simulation { mount, spec, config, flash, .. } = self;
        config.run.recovery.then(|| Recovery::measure(mount.as_ref(), spec, config, flash))
    }

    fn drain(&mut self) -> Option<FlushedAtEnd> {
        let (ftl, flash) = (&mut self.ftl, &mut self.flash);
        let mut flushed = self.buffer.as_mut().map(|buffer| buffer.drain(ftl, flash));
        if self.spec.keeps_writes {
            let before = ftl.buffered();
            let inside = FlushedAtEnd::measure(flash, |flash| {
                ftl::access(ftl, Op::Flush, &[], flash);
                ftl.buffered().since(before)
            });
            flushed = Some(flushed.map_or(inside, |above| above.plus(inside)));
        }
        if flushed.is_some() {
            self.check();
        }
        flushed
    }
}
