//! The loop: requests in, page accesses to the FTL, latencies and checks out.

use crate::address::AddressMap;
use crate::buffer::{FlushedAtEnd, Front};
use crate::config::{Config, HostMode, RunConfig, Warmup};
use crate::engine::Log;
use crate::error::Error;
use crate::flash::{Cause, Flash, Operation};
use crate::ftl::Ftl;
use crate::ftl::parts::held_pages::BufferCounts;
use crate::host::{Host, Taken};
use crate::metrics::latency::Latencies;
use crate::metrics::samples::CacheSamples;
use crate::metrics::series::{Sample, Series};
use crate::request::{BATCH, Op, Request};
use crate::rng::Rng;
use crate::units::{Lpn, Nanos};
use crate::warmup::{SteadyState, WarmupReport};
use std::sync::atomic::{AtomicBool, Ordering};

/// One FTL on one device under one host: requests go in, and at the end everything is known.
#[derive(Clone, Debug)]
pub struct Simulation<F> {
    config: Config,
    address: AddressMap,
    flash: Flash,
    ftl: F,
    /// The write buffer above the FTL.
    front: Option<Front>,
    host: Host,
    pages: Vec<Lpn>,
    /// Of `pages`, those that the request covers only in part.
    partial_pages: u64,
    totals: HostTotals,
    reads: Latencies,
    writes: Latencies,
    service: Latencies,
    series: Series,
    sampled: Sample,
    cache_samples: CacheSamples,
    warmup: WarmupReport,
    steady: Option<SteadyState>,
    /// Pages that the input touches, while they are collected.
    touched: Vec<bool>,
}

/// What the host asked for since measuring started.
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
    /// Pages read.
    pub page_reads: u64,
    /// Pages written.
    pub page_writes: u64,
    /// Of the pages written, those of which only a part was.
    pub partial_page_writes: u64,
    /// Pages trimmed.
    pub page_trims: u64,
    /// Bytes asked for by reads.
    pub bytes_read: u64,
    /// Bytes asked for by writes.
    pub bytes_written: u64,
    /// Completion of the last request, ns.
    pub duration: Nanos,
}

/// Everything measured, borrowed from a finished simulation.
pub struct Outcome<'a> {
    /// The resolved configuration.
    pub config: &'a Config,
    /// The device with its counts and clock.
    pub flash: &'a Flash,
    /// The FTL.
    pub ftl: &'a dyn Ftl,
    /// The write buffer above it.
    pub front: Option<&'a Front>,
    /// What the host asked for.
    pub host: HostTotals,
    /// Host page reads whose version was compared, in RAM or on flash.
    pub reads_verified: u64,
    /// Response times of reads, ns.
    pub reads: &'a Latencies,
    /// Response times of writes, ns.
    pub writes: &'a Latencies,
    /// Service times, from the first flash operation of a request to its last, ns.
    pub service: &'a Latencies,
    /// The run over time.
    pub series: Series,
    /// Looks into the mapping cache.
    pub cache_samples: &'a CacheSamples,
    /// What was done before measuring started.
    pub warmup: &'a WarmupReport,
}

/// A simulation whose FTL is known only at run time: one call per batch, static inside.
pub trait Simulator: Send {
    /// Serves requests.
    ///
    /// # Errors
    /// [`Error::Config`] when a request lies beyond the device.
    fn serve(&mut self, batch: &[Request]) -> Result<(), Error>;

    /// Serves what still waits in the host's queues, at the end of the input.
    ///
    /// # Errors
    /// As [`Simulator::serve`].
    fn finish(&mut self) -> Result<(), Error>;

    /// Serves requests as writes, to touch the footprint (ALGORITHMS 0.7).
    ///
    /// # Errors
    /// As [`Simulator::serve`].
    fn serve_as_writes(&mut self, batch: &[Request]) -> Result<(), Error>;

    /// Notes which pages requests touch, for [`Simulator::fill`].
    ///
    /// # Errors
    /// As [`Simulator::serve`].
    fn touch(&mut self, batch: &[Request]) -> Result<(), Error>;

    /// Writes every touched page once, in ascending order; ends early once `stop` is true.
    fn fill(&mut self, stop: &AtomicBool);

    /// Does the part of the warm-up that needs no input; ends early once `stop` is true.
    fn precondition(&mut self, stop: &AtomicBool);

    /// Notes the end of a pass over the input. Returns whether a warm-up that ends by rule is over.
    fn end_pass(&mut self) -> bool;

    /// Ends the warm-up: counters start at zero on an idle device; state stays.
    fn start_measuring(&mut self);

    /// Requests served since measuring started.
    fn requests(&self) -> u64;

    /// Checks the books, and every invariant of device and FTL.
    ///
    /// # Panics
    /// When one does not hold.
    fn check(&self);

    /// What was measured.
    fn outcome(&self) -> Outcome<'_>;

    /// Writes what the write buffer still holds, once everything was measured, and checks everything
    /// again. `None` without a buffer.
    fn drain(&mut self) -> Option<FlushedAtEnd>;
}

impl<F: Ftl> Simulation<F> {
    /// An empty device of `capacity` bytes with its FTL, reached through `address`.
    ///
    /// # Errors
    /// [`Error::Config`] when the device or the FTL cannot work as configured.
    pub fn new(config: &Config, capacity: u64, address: AddressMap) -> Result<Self, Error> {
        let mut flash = Flash::new(&config.device, capacity)?;
        if !config.run.verify {
            flash.skip_verification();
        }
        let ftl = F::build(config, &mut flash)?;
        let front = Front::build(&config.buffer, &flash, ftl.keeps_writes())?;
        let RunConfig { warmup, warmup_limit, .. } = config.run;
        let logical_pages = flash.geometry().logical_pages;
        let steady = warmup.tolerance();
        let mut simulation = Simulation {
            config: config.clone(),
            address,
            flash,
            ftl,
            front,
            host: Host::new(&config.host),
            pages: Vec::new(),
            partial_pages: 0,
            totals: HostTotals::default(),
            reads: Latencies::default(),
            writes: Latencies::default(),
            service: Latencies::default(),
            series: Series::default(),
            sampled: Sample::default(),
            cache_samples: CacheSamples::new(0),
            warmup: WarmupReport::new(warmup),
            steady: steady.map(|by| SteadyState::new(by, logical_pages, warmup_limit)),
            touched: Vec::new(),
        };
        simulation.start_measuring();
        Ok(simulation)
    }

    /// Serves one request and returns when it was issued and when it was complete, ns.
    ///
    /// # Errors
    /// [`Error::Config`] when it lies beyond the device.
    #[inline]
    pub fn serve_one(&mut self, request: &Request) -> Result<(Nanos, Nanos), Error> {
        let issued = self.host.issue(request.time);
        let end = self.serve_at(request, issued, issued)?;
        Ok((issued, end))
    }

    /// Serves a request that has waited since `arrival`; returns when it is complete.
    #[inline]
    fn serve_at(
        &mut self,
        request: &Request,
        arrival: Nanos,
        issued: Nanos,
    ) -> Result<Nanos, Error> {
        self.split(request)?;
        if self.ftl.uses_idle_time() {
            self.use_idle_time(issued);
        }
        self.flash.timeline_mut().issue(issued);
        self.access(request.op);
        let served = self.flash.timeline().served();
        self.host.complete(served.end);
        self.count(request, served.end - arrival, served.end - served.start);
        self.totals.duration = self.totals.duration.max(served.end);
        if self.totals.requests - self.sampled.requests >= self.series.requests_per_point() {
            let (now, since) = self.sample();
            self.sampled = now;
            self.series.push(since);
        }
        let accesses = self.totals.page_reads + self.totals.page_writes;
        if self.cache_samples.is_due(accesses) {
            self.look_into_cache(accesses);
        }
        let audit = self.config.run.audit;
        if audit > 0 && self.totals.requests.is_multiple_of(audit) {
            self.ftl.audit(&self.flash);
        }
        Ok(served.end)
    }

    /// Serves what the device takes from the host's queues before `time`.
    fn serve_waiting(&mut self, time: Nanos) -> Result<(), Error> {
        while let Some(Taken { request, issued }) = self.host.take_before(time) {
            self.serve_at(&request, request.time, issued)?;
        }
        Ok(())
    }

    /// Serves the page accesses of a request.
    #[inline]
    fn access(&mut self, op: Op) {
        let (pages, ftl, flash) = (&self.pages, &mut self.ftl, &mut self.flash);
        match (&mut self.front, op) {
            (Some(front), op) => front.serve(op, pages, ftl, flash),
            (None, Op::Read) => ftl.read(pages, flash),
            (None, Op::Write) => ftl.write(pages, flash),
            (None, Op::Trim) => ftl.trim(pages, flash),
        }
    }

    /// Lets the FTL work in the background until a request arrives; one that arrives in a step of this
    /// work finds the device busy until the step ends.
    fn use_idle_time(&mut self, arrival: Nanos) {
        if self.config.host.mode != HostMode::Open {
            return;
        }
        loop {
            let idle = self.flash.timeline().idle_at();
            if idle >= arrival {
                return;
            }
            self.flash.timeline_mut().issue(idle);
            if !self.ftl.background(&mut self.flash) {
                return;
            }
        }
    }

    /// What became of pages in RAM, above the FTL and inside it.
    fn buffered(&self) -> BufferCounts {
        let above = self.front.as_ref().map(Front::counts).unwrap_or_default();
        above.plus(self.ftl.buffered())
    }

    #[cold]
    fn look_into_cache(&mut self, accesses: u64) {
        match self.ftl.cached_pages() {
            Some(pages) => self.cache_samples.look(accesses, &pages),
            None => self.cache_samples = CacheSamples::new(0),
        }
    }

    /// The device, for tests.
    #[must_use]
    pub const fn flash(&self) -> &Flash {
        &self.flash
    }

    /// The FTL, for tests.
    #[must_use]
    pub const fn ftl(&self) -> &F {
        &self.ftl
    }

    /// The page accesses of a request, in ascending order. A trim covers whole pages only.
    #[inline]
    fn split(&mut self, request: &Request) -> Result<(), Error> {
        let (offset, length) = self.address.map(request.volume, request.offset, request.length);
        let page_bytes = u64::from(self.flash.geometry().page_bytes);
        let end = offset + u64::from(length);
        if end > self.flash.geometry().logical_bytes() {
            return Err(self.beyond(offset, length));
        }
        let shift = page_bytes.trailing_zeros();
        let pages = request.op.pages(offset, end, shift);
        let in_page = page_bytes - 1;
        let (cut_first, cut_last) = (offset & in_page != 0, end & in_page != 0);
        let one_page = pages.end == pages.start + 1;
        self.partial_pages = match one_page {
            true => u64::from(cut_first || cut_last),
            false => u64::from(cut_first) + u64::from(cut_last),
        };
        self.pages.clear();
        self.pages.extend(self.config.host.split.of(pages).map(|page| Lpn(page as u32)));
        Ok(())
    }

    #[cold]
    fn beyond(&self, offset: u64, length: u32) -> Error {
        Error::config(
            "device.capacity",
            format!(
                "found a request for bytes {offset} to {} on a device of {}; use a larger \
                 --capacity or --address modulo",
                offset + u64::from(length),
                crate::units::Bytes(self.flash.geometry().logical_bytes())
            ),
        )
    }

    #[inline]
    fn count(&mut self, request: &Request, response: Nanos, service: Nanos) {
        let pages = self.pages.len() as u64;
        let totals = &mut self.totals;
        totals.requests += 1;
        match request.op {
            Op::Read => {
                totals.reads += 1;
                totals.page_reads += pages;
                totals.bytes_read += u64::from(request.length);
                self.reads.record(response);
            }
            Op::Write => {
                totals.writes += 1;
                totals.page_writes += pages;
                totals.partial_page_writes += self.partial_pages;
                totals.bytes_written += u64::from(request.length);
                self.writes.record(response);
            }
            Op::Trim => {
                totals.trims += 1;
                totals.page_trims += pages;
                return;
            }
        }
        self.service.record(service);
        self.sampled.response += u128::from(response);
        self.sampled.responses += 1;
    }

    /// What happened since the last point of the series. `sampled` holds the totals up to
    /// that point, but for the response times, which it sums since. Returns the new totals and the
    /// difference.
    fn sample(&self) -> (Sample, Sample) {
        let mapping = self.ftl.mapping_counts().unwrap_or_default();
        let now = Sample {
            time: self.totals.duration,
            requests: self.totals.requests,
            response: 0,
            responses: 0,
            lookups: mapping.lookups,
            hits: mapping.hits,
            host_programs: self.totals.page_writes,
            programs: self.flash.ledger().pages_programmed(),
            at_risk_bytes: self.at_risk_bytes(),
        };
        let then = self.sampled;
        let since = Sample {
            time: now.time,
            requests: now.requests - then.requests,
            response: then.response,
            responses: then.responses,
            lookups: now.lookups - then.lookups,
            hits: now.hits - then.hits,
            host_programs: now.host_programs - then.host_programs,
            programs: now.programs - then.programs,
            at_risk_bytes: now.at_risk_bytes,
        };
        (now, since)
    }

    /// Host page reads whose version was compared; those that pad a group were not the host's.
    fn reads_verified(&self) -> u64 {
        if !self.config.run.verify {
            return 0;
        }
        let buffered = self.buffered();
        self.flash.reads_verified() + buffered.read_hits - buffered.padded_pages
    }

    fn at_risk_bytes(&self) -> Option<u64> {
        let held = self.front.is_some() || self.ftl.keeps_writes();
        held.then(|| self.buffered().dirty * u64::from(self.flash.geometry().page_bytes))
    }

    /// Writes logical pages one at a time, outside the host's clock, until `stop` is true.
    fn write_pages(&mut self, pages: impl Iterator<Item = u64>, stop: &AtomicBool) {
        for (count, page) in pages.enumerate() {
            if count % BATCH == 0 && stop.load(Ordering::Relaxed) {
                return;
            }
            self.flash.timeline_mut().issue(0);
            self.pages.clear();
            self.pages.push(Lpn(page as u32));
            self.access(Op::Write);
            self.totals.requests += 1;
            self.totals.page_writes += 1;
        }
    }

    fn start_windows(&mut self) {
        if let Some(steady) = &mut self.steady {
            steady.start(self.flash.ledger());
        }
    }

    /// Random writes, a window at a time, until they are steady or `stop` is true.
    fn write_until_steady(&mut self, mut draw: impl FnMut() -> u64, stop: &AtomicBool) {
        while let Some(steady) = self.steady.as_ref().filter(|steady| !steady.is_over()) {
            let window = steady.window_page_writes();
            self.write_pages((0..window).map(|_| draw()), stop);
            if stop.load(Ordering::Relaxed) {
                return;
            }
            self.end_window();
        }
    }

    fn end_window(&mut self) {
        if let Some(steady) = &mut self.steady {
            steady.end_window(self.flash.ledger());
        }
    }
}

impl<F: Ftl> Simulator for Simulation<F> {
    fn serve(&mut self, batch: &[Request]) -> Result<(), Error> {
        if !self.host.has_queues() {
            return batch.iter().try_for_each(|request| self.serve_one(request).map(drop));
        }
        batch.iter().try_for_each(|request| {
            self.serve_waiting(self.host.arrival(request.time))?;
            self.host.enqueue(*request);
            Ok(())
        })
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.serve_waiting(Nanos::MAX)
    }

    fn serve_as_writes(&mut self, batch: &[Request]) -> Result<(), Error> {
        let mut requests = batch.iter().map(|request| Request { op: Op::Write, ..*request });
        requests.try_for_each(|request| self.serve_one(&request).map(drop))
    }

    fn touch(&mut self, batch: &[Request]) -> Result<(), Error> {
        self.touched.resize(self.flash.geometry().logical_pages as usize, false);
        for request in batch {
            self.split(&Request { op: Op::Write, ..*request })?;
            for page in &self.pages {
                self.touched[page.0 as usize] = true;
            }
        }
        Ok(())
    }

    fn fill(&mut self, stop: &AtomicBool) {
        let touched = std::mem::take(&mut self.touched);
        self.write_pages((0..).zip(&touched).filter_map(|(page, is)| is.then_some(page)), stop);
        self.start_windows();
    }

    fn precondition(&mut self, stop: &AtomicBool) {
        let pages = u64::from(self.flash.geometry().logical_pages);
        let mut rng = Rng::new(self.config.run.seed, "precondition");
        let mut draw = || rng.below(pages);
        match self.config.run.warmup {
            Warmup::Sequential => self.write_pages(0..pages, stop),
            Warmup::Random(rounds) => {
                let random = (0..pages * u64::from(rounds)).map(|_| draw());
                self.write_pages((0..pages).chain(random), stop);
            }
            Warmup::SteadyRandom(_) => {
                self.write_pages(0..pages, stop);
                self.start_windows();
                self.write_until_steady(draw, stop);
            }
            Warmup::None | Warmup::Footprint | Warmup::Replay(_) | Warmup::Steady(_) => {}
        }
    }

    fn end_pass(&mut self) -> bool {
        let passes = self.warmup.passes.get_or_insert(0);
        *passes += 1;
        // The next pass begins at time 0 again.
        self.flash.timeline_mut().reset();
        self.host.reset();
        let Some(steady) = &mut self.steady else { return false };
        if *passes == 1 {
            steady.end_first_pass(self.flash.ledger());
        }
        steady.end_window(self.flash.ledger());
        steady.is_over()
    }

    fn start_measuring(&mut self) {
        self.warmup.requests = self.totals.requests;
        self.warmup.host_page_writes = self.totals.page_writes;
        if let Some(steady) = &self.steady {
            steady.describe(&mut self.warmup);
        }
        self.flash.start_measuring();
        let RunConfig { timeline, timeline_from, .. } = self.config.run;
        if timeline > 0 {
            let log = Log::new(timeline_from, timeline as usize);
            self.flash.start_log(&self.config.device, log);
        }
        self.ftl.reset_metrics();
        if let Some(front) = &mut self.front {
            front.reset_counts();
        }
        self.host.reset();
        self.totals = HostTotals::default();
        self.reads = Latencies::default();
        self.writes = Latencies::default();
        self.service = Latencies::default();
        self.series = Series::default();
        self.sampled = Sample::default();
        self.cache_samples = CacheSamples::new(self.config.run.samples);
    }

    fn requests(&self) -> u64 {
        self.totals.requests
    }

    fn check(&self) {
        let ledger = self.flash.ledger();
        let (reads, programs) =
            (ledger.get(Operation::Read, Cause::Host), ledger.get(Operation::Program, Cause::Host));
        let buffered = self.buffered();
        let (read, written) = (self.totals.page_reads, self.totals.page_writes);
        assert_eq!(reads, buffered.reads(read), "every page the host reads is read once");
        let needed = buffered.programs(written);
        assert_eq!(programs, needed, "every page the host writes is written once");
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
        self.ftl.audit(&self.flash);
        if let Some(front) = &self.front {
            front.audit(&self.flash);
        }
    }

    fn outcome(&self) -> Outcome<'_> {
        let mut series = self.series.clone();
        let (_, since) = self.sample();
        if since.requests > 0 {
            series.push(since);
        }
        Outcome {
            config: &self.config,
            flash: &self.flash,
            ftl: &self.ftl,
            front: self.front.as_ref(),
            host: self.totals,
            reads_verified: self.reads_verified(),
            reads: &self.reads,
            writes: &self.writes,
            service: &self.service,
            series,
            cache_samples: &self.cache_samples,
            warmup: &self.warmup,
        }
    }

    fn drain(&mut self) -> Option<FlushedAtEnd> {
        let (ftl, flash) = (&mut self.ftl, &mut self.flash);
        let mut flushed = self.front.as_mut().map(|front| front.drain(ftl, flash));
        if ftl.keeps_writes() {
            let before = ftl.buffered();
            let inside = FlushedAtEnd::measure(flash, |flash| {
                ftl.flush(flash);
                ftl.buffered().since(before)
            });
            flushed = Some(flushed.map_or(inside, |above| above.plus(inside)));
        }
        self.check();
        flushed
    }
}
