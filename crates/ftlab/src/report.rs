//! The result of a run: stable names, units in the names, `null` where a metric does not exist.

mod classes;
mod device;
mod layer;
mod optimum;
mod requests;
mod zones;

use crate::address::AddressPolicy;
use crate::buffer::FlushedAtEnd;
use crate::config::Config;
use crate::device::ProgramOrder;
use crate::engine::Booking;
use crate::figures::{figure_kinds, figures};
use crate::flash::Loss;
use crate::ftl::Spec;
use crate::host::HostMode;
use crate::metrics::backlog::Backlog;
use crate::metrics::causes::{Causes, CausesReport};
use crate::metrics::energy::EnergyReport;
use crate::metrics::latency::{Cdf, Latencies, LatencySummary};
use crate::metrics::samples::CacheSamples;
use crate::metrics::series::Timeline;
use crate::placement::allocation::SINGLE;
use crate::placement::separation::Classes;
use crate::recovery::Recovery;
use crate::simulate::{HostTotals, Outcome};
use crate::units::{Bytes, Nanos, Pbn};
use crate::warmup::{Source, WINDOWS, WarmupReport};
pub use classes::{ClassesReport, FdpReport};
pub use device::{
    ChannelsReport, DeviceReport, LifetimeReport, PlaneWear, PlanesReport, WearReport,
};
pub use layer::{
    ByCause, FlashReport, GcReport, MappingReport, MergeReport, PrefetchReport, RamReport,
};
pub use optimum::OptimumReport;
pub use requests::{BufferReport, ChecksReport, HostReport, SpeedReport, TraceReport};
use std::collections::BTreeMap;
pub use zones::ZonesReport;

figure_kinds! { "object": Booking; }

figures! {
    /// The result of a run.
    pub struct Report {
        of(ftl: &str, outcome: &Outcome<'_>, warmup: WarmupReport, trace: TraceReport, speed: SpeedReport);
        let (host, device, config) = (&outcome.host, outcome.flash, outcome.config);
        let (ledger, timeline) = (device.ledger(), device.timeline());
        let metrics = outcome.ftl.metrics();
        let ram = RamReport::of(outcome);
        let amplification = ratio(ledger.pages_programmed(), host.page_writes);
        let optimum = OptimumReport::of(outcome, &warmup, amplification);
        let responses = outcome.responses();
        // Work that was put off for a read, or runs in the background, ends after the last
        // completion.
        let working = host.duration.max(timeline.idle_at());
        /// Version of ftlab.
        ftlab: &'static str = env!("CARGO_PKG_VERSION"), unit "text";
        /// Name of the FTL.
        ftl: String = ftl.to_owned(), unit "text";
        /// The configuration with all defaults, by section.
        config: Config = config.clone(), unit "tree";
        /// Geometry of the device.
        device: DeviceReport = DeviceReport::of(device, metrics.mapping.is_some());
        /// The input.
        trace: TraceReport = trace;
        /// Seed of every random choice.
        seed: u64 = config.run.seed, unit "number";
        /// What was done before measuring started.
        warmup: WarmupReport = warmup;
        /// Requests of the host.
        host: HostReport = HostReport::of(outcome, backlog(outcome));
        /// Flash operations by cause.
        flash: FlashReport = FlashReport::of(ledger, config.gc.copy_back());
        /// Mapping cache.
        mapping: Option<MappingReport> =
            metrics.mapping.map(|mapping| MappingReport::of(mapping, ledger, &ram)),
            null "if the whole map is in RAM";
        /// Mappings that are loaded ahead, and what misses come from.
        prefetch: Option<PrefetchReport> =
            metrics.prefetch.zip(metrics.mapping).map(|(ahead, mapping)| PrefetchReport::of(ahead, mapping.counts)),
            null "unless the FTL prefetches single mappings, as `tpftl` does";
        /// Garbage collection.
        gc: Option<GcReport> = metrics.gc.as_ref().map(|gc| GcReport::of(gc, ledger)),
            null "if the FTL merges blocks";
        /// Merges.
        merges: Option<MergeReport> = metrics.merges.map(|counts| MergeReport::of(counts, ledger)),
            null "if the FTL collects garbage";
        /// Classes of a separation.
        classes: Option<ClassesReport> =
            metrics.classes.as_ref().map(|classes| ClassesReport::of(classes, outcome)),
            null "unless pages are separated";
        /// What a drive with placement handles reports.
        fdp: Option<FdpReport> = fdp(metrics.classes.as_ref().filter(|_| metrics.zones.is_none()), outcome),
            null "unless pages are separated by handles, and on zones";
        /// Zones, and what the host and the drive write to them.
        zones: Option<ZonesReport> = metrics.zones.as_ref().map(|zones| ZonesReport::of(zones, ledger, host)),
            null "unless the drive is zoned";
        /// The write buffer above the FTL.
        buffer: Option<BufferReport> = outcome.buffer.map(|manager| BufferReport::of(manager, outcome)),
            null "without a write buffer";
        /// Pages programmed / pages written by the host.
        write_amplification: Option<f64> = amplification,
            unit "factor", better Lower, null "without writes", source "TPFTL Equation 12, A",
            label "write amplification", live "ftlab_write_amplification";
        /// The least write amplification of a stationary workload.
        optimum: OptimumReport = optimum;
        /// Bytes programmed / bytes written by the host; higher where the host writes parts of pages.
        byte_write_amplification: Option<f64> =
            ratio(ledger.pages_programmed() * config.device.page.0, host.bytes_written),
            unit "factor", better Lower, null "without writes";
        /// Response times of reads and writes.
        response_us: Option<LatencySummary> = responses.summary(), null "without such requests",
            label "response", live "ftlab_response_seconds", of "completion - issue of reads and writes";
        /// Response times of reads.
        read_response_us: Option<LatencySummary> = outcome.reads.summary(), null "without such requests",
            label "read response", of "completion - issue of reads";
        /// Response times of writes.
        write_response_us: Option<LatencySummary> = outcome.writes.summary(), null "without such requests",
            label "write response", of "completion - issue of writes";
        /// Response times of flushes.
        flush_response_us: Option<LatencySummary> = outcome.flushes.summary(), null "without such requests",
            label "flush response", of "completion - issue of flushes";
        /// Service times, without the queue.
        service_us: Option<LatencySummary> = outcome.service.summary(), null "without such requests",
            label "service time", live "ftlab_service_seconds",
            of "end of a request's last flash operation - start of its first";
        /// What reads and writes spend their time on.
        causes: Option<CausesReport> = outcome.causes.and_then(Causes::report),
            null "unless `run.causes` asks for it";
        /// Use of planes.
        planes: PlanesReport = PlanesReport::of(device, working);
        /// Use of channels.
        channels: ChannelsReport = ChannelsReport::of(device, working);
        /// Erases since the device was new.
        wear: WearReport = WearReport::of(device);
        /// Blocks at the end of their endurance.
        lifetime: Option<LifetimeReport> = config.device.endurance.map(|_| LifetimeReport::of(outcome)),
            null "without `device.endurance`";
        /// What a power cut at the end would leave.
        recovery: Option<Recovery> = None, null "unless `run.recovery` asks for it";
        /// RAM of a controller, all parts together.
        ram_bytes: RamReport = ram, unit "bytes", better Lower, source "choices.md#ram-payload", label "RAM";
        /// Energy of the measured phase.
        energy: EnergyReport = EnergyReport::new(
            &config.energy,
            &config.device,
            ledger,
            ram.total(),
            working as f64 / 1e9,
            host.bytes_read + host.bytes_written,
        );
        /// Metrics of this FTL only, by name.
        own: BTreeMap<&'static str, u64> = metrics.own, unit "number by name";
        /// Speed of the simulation.
        speed: SpeedReport = speed;
        /// Checks of the simulation.
        checks: ChecksReport = ChecksReport::of(outcome);
        /// Warnings for the reader.
        warnings: Vec<String> = Vec::new(), unit "texts";
        /// Shares of requests that complete within a time.
        distributions: Distributions = Distributions::of(&responses, outcome);
        /// The run over time, in intervals with equally many requests.
        timeline: Timeline = outcome.series.timeline();
        /// Samples of the mapping cache.
        samples: Option<CacheSamples> =
            Some(outcome.cache_samples).filter(|samples| !samples.page_accesses.is_empty()).cloned(), null "without a sample";
        /// Single flash operations, as configured by `run.timeline`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        schedule: Vec<Booking> = timeline.log().to_vec(), unit "list of objects";
    }
}

figures! {
    /// Cumulative distributions of response times.
    pub struct Distributions {
        of(responses: &Latencies, outcome: &Outcome<'_>);
        /// Reads and writes.
        response_us: Cdf = responses.cdf(), of "reads and writes";
        /// Reads.
        read_response_us: Cdf = outcome.reads.cdf(), of "reads";
        /// Writes.
        write_response_us: Cdf = outcome.writes.cdf(), of "writes";
    }
}

impl Report {
    /// Adds the cost of writing the pages that were still in RAM. Those of a write buffer go to its
    /// metrics, those of an FTL's own RAM to the metrics of the FTL.
    pub fn add_flushed_at_end(&mut self, flushed: Option<FlushedAtEnd>) {
        match (&mut self.buffer, flushed) {
            (Some(buffer), flushed) => buffer.flushed_at_end = flushed,
            (None, None) => {}
            (None, Some(flushed)) => self.own.extend([
                ("flushed_at_end.pages", flushed.pages),
                ("flushed_at_end.programs", flushed.programs),
                ("flushed_at_end.erases", flushed.erases),
            ]),
        }
    }

    /// Adds the result of a power cut at the end, with the bytes at risk over time.
    pub fn add_recovery(&mut self, recovery: Option<Recovery>, spec: &Spec) {
        if recovery.as_ref().is_some_and(|recovery| recovery.time_s.is_none()) {
            let message = match spec.obeys("ftl.power_safe") && !self.config.ftl.power_safe {
                true => {
                    "this FTL ran in an order in which a power cut may lose data, so there is no recovery \
                         time; set ftl.power_safe = true"
                }
                false => "this FTL does not mount after a power cut, so there is no recovery time",
            };
            self.warnings.push(message.into());
        }
        self.recovery =
            recovery.map(|recovery| recovery.with_at_risk(&self.timeline.at_risk_bytes));
    }

    /// The report of a simulation.
    #[must_use]
    pub fn new(
        ftl: &str,
        outcome: &Outcome<'_>,
        warmup: WarmupReport,
        trace: TraceReport,
        speed: SpeedReport,
    ) -> Self {
        let mut report = Report::of(ftl, outcome, warmup, trace, speed);
        report.own.extend(outcome.flash.loss().map(Loss::figures).into_iter().flatten());
        report.warnings = warnings(&report, outcome, backlog(outcome));
        report
    }
}

fn fdp(classes: Option<&Classes>, outcome: &Outcome<'_>) -> Option<FdpReport> {
    let classes = classes?;
    classes.handled.as_ref().map(|handled| FdpReport::of(classes, handled, outcome))
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The requests that waited in a backlog; `None` in a closed loop, where requests wait for earlier
/// ones by design.
fn backlog(outcome: &Outcome<'_>) -> Option<Backlog> {
    if matches!(outcome.config.host.mode, HostMode::Closed(_)) {
        return None;
    }
    let requests = outcome.service.count().max(1) as f64;
    let busy: Nanos = outcome.flash.timeline().plane_busy().sum();
    // On several planes parts of a request wait for others, which is also part of its service time.
    let of_a_request = (outcome.service.sum() as f64).min(busy as f64) / requests;
    Some(Backlog::of(outcome.series.stretches(), of_a_request))
}

/// Whether completions have fallen behind arrivals at the end. Two limits must be exceeded: 2 % of
/// the time in which requests arrived, and the time of the device for a hundred requests.
fn ends_behind(totals: &HostTotals) -> bool {
    let behind = totals.duration - totals.last_arrival;
    let of_a_request = totals.duration / totals.requests.max(1);
    behind > totals.last_arrival / 50 && behind > 100 * of_a_request
}

/// Warnings that a reader needs before trusting the metrics.
fn warnings(report: &Report, outcome: &Outcome<'_>, backlog: Option<Backlog>) -> Vec<String> {
    let device = outcome.flash;
    let erased = (0..report.device.blocks).filter(|pbn| device.is_erased(Pbn(*pbn))).count();
    let mut warnings = Vec::new();
    warnings.extend(device.loss().map(Loss::warning));
    warnings.extend(unsteady(&report.warmup, report.config.run.warmup_limit));
    warnings.extend(uncollected(report, erased));
    warnings.extend(uncopied(report));
    warnings.extend(sparse(report));
    warnings.extend(shared(report));
    if report.device.program_order == ProgramOrder::Any {
        let what = "pages of a block are programmed in any order";
        warnings.push(format!("{what}, which current NAND does not allow"));
    }
    if report.gc.is_some() && report.device.effective_spare_ratio < 0.02 {
        warnings.push(format!(
            "the device is nearly full: {:.1} % spare; results depend on the last free block",
            100.0 * report.device.effective_spare_ratio
        ));
    }
    warnings.extend(reads_of_nothing(report));
    warnings.extend(laid_elsewhere(report));
    warnings.extend(worn_out(report));
    warnings.extend(dearly_levelled(report));
    if let Some(mapping) = report.mapping.as_ref().filter(|m| m.lookups > 0 && m.replacements == 0)
    {
        let what = match mapping.lookups - mapping.hits {
            0 => "the mapping cache never evicted: it held every mapping before its first lookup",
            _ => "the mapping cache never evicted: its hit ratio shows only cold misses",
        };
        warnings.push(format!("{what}; use a smaller ftl.cache or a longer input"));
    }
    warnings.extend(overload(&outcome.host, backlog));
    warnings.extend(one_plane_at_a_time(report, outcome));
    if report.ram_bytes.tables.is_none() {
        warnings.push("the FTL does not state its RAM, so RAM and energy are not known".into());
    }
    if !report.config.run.verify {
        warnings.push("reads were not verified".into());
    }
    warnings
}

/// Requests that arrived faster than they were served: to the end, or for a while.
fn overload(host: &HostTotals, backlog: Option<Backlog>) -> Option<String> {
    let backlog = backlog?;
    let remedy = "use host.time_scale or host.mode = closed:QD";
    if ends_behind(host) {
        return Some(format!(
            "overload: the last request arrived at {:.3} s and the device was done at {:.3} s, so \
             response times grow with the length of the input; {remedy}",
            host.last_arrival as f64 / 1e9,
            host.duration as f64 / 1e9
        ));
    }
    backlog.rules().then(|| {
        format!(
            "overload: {:.1} % of requests came in a backlog between {:.3} s and {:.3} s and waited \
             {:.0} times as long as the device takes for one. Response times grow with the length of \
             the burst; {remedy}",
            100.0 * backlog.requests,
            backlog.from as f64 / 1e9,
            backlog.to as f64 / 1e9,
            backlog.wait
        )
    })
}

/// Several planes of which one is used at a time.
fn one_plane_at_a_time(report: &Report, outcome: &Outcome<'_>) -> Option<String> {
    let one_frontier =
        report.config.ftl.placement == SINGLE || !outcome.spec.fills_planes_at_once();
    // A zone is several blocks if it is wider than one.
    let is_wide = report.zones.as_ref().is_some_and(|zones| zones.zones < report.device.blocks);
    (report.device.planes > 1 && one_frontier && !is_wide).then(|| {
        format!(
            "{} planes, but one block is filled after another, so writes use one plane at a time",
            report.device.planes
        )
    })
}

/// GC or merges that made room, but had nothing to move.
fn uncopied(report: &Report) -> Option<String> {
    let (what, copied) = match (&report.gc, &report.merges) {
        (Some(gc), None) => ("GC", gc.copied_pages),
        (None, Some(merges)) => ("merges", merges.copied_pages),
        _ => return None,
    };
    let erases: u64 = report.flash.erases.values().sum();
    (copied == 0 && erases > 0).then(|| {
        format!(
            "{what} copied no page: all blocks that were erased held nothing valid, so this run does not \
             measure the cost of {what}"
        )
    })
}

/// A device whose unwritten share exceeds its configured spare space.
fn sparse(report: &Report) -> Option<String> {
    let written = report.device.written_ratio?;
    let erases: u64 = report.flash.erases.values().sum();
    let given = f64::from(report.device.blocks) / f64::from(report.device.logical_blocks) - 1.0;
    if erases == 0 || written == 0.0 || 1.0 - written <= given {
        return None;
    }
    let warmup = match report.warmup.mode.tolerance() {
        Some(_) => "steady-random",
        None => "random",
    };
    Some(format!(
        "the host has written {:.0} % of the device, and the rest acts as spare space: {:.0} % in place \
         of {:.0} %. Write amplification is therefore too low; set run.warmup = {warmup}, which writes \
         every page, or use {}",
        100.0 * written,
        100.0 * ((1.0 + given) / written - 1.0),
        100.0 * given,
        smaller(report)
    ))
}

/// The least share of pages with several addresses that is reported.
const MANY_SHARED: f64 = 0.01;

/// Pages that stand for several addresses of the input.
fn shared(report: &Report) -> Option<String> {
    let ratio = report.host.shared_pages_ratio.filter(|ratio| *ratio >= MANY_SHARED)?;
    Some(format!(
        "{:.0} % of the pages that the input touches stand for several of its addresses, because of \
         run.address = {}. Locality is therefore too high; use a larger device.capacity, or \
         run.address = compact",
        100.0 * ratio,
        report.config.run.address.name()
    ))
}

/// Many reads that found no data, with advice.
fn reads_of_nothing(report: &Report) -> Option<String> {
    let share = ratio(report.host.unwritten_page_reads, report.host.page_reads)?;
    let is_filled = report.warmup.mode.plan().any(|phase| phase.source != Source::Input);
    let what = match (report.host.page_trims > 0, is_filled) {
        (false, _) => "never written; set run.warmup = footprint",
        (true, false) => "never written, or trimmed; run.warmup = footprint writes them before",
        (true, true) => "trimmed before",
    };
    (share > 0.2).then(|| format!("{:.0} % of page reads were of pages {what}", 100.0 * share))
}

/// Requests at other places than in the input, because the device is smaller.
fn laid_elsewhere(report: &Report) -> Option<String> {
    let host = &report.host;
    let (folded, cut) = (host.folded_requests, host.cut_requests);
    let told = |count: u64, what: &str| {
        (count > 0).then(|| format!("{} of requests {what}", share(count, host.requests)))
    };
    let told = [
        told(folded, "lie beyond the device and were mapped to other addresses"),
        told(cut, "were cut at its end"),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    let keeps_locality = host.shared_pages_ratio.is_some_and(|ratio| ratio < MANY_SHARED);
    let remedy = match cut == 0 && keeps_locality {
        true => "less than 1 % of pages stand for several addresses, so locality is kept",
        false => "use a device.capacity that holds the input",
    };
    (!told.is_empty()).then(|| format!("run.address = modulo: {}; {remedy}", told.join(", ")))
}

/// A device that wore out before the end of the input.
fn worn_out(report: &Report) -> Option<String> {
    let life = report.lifetime.as_ref().filter(|life| life.read_only)?;
    let (refused, served) = (life.refused_requests, report.host.requests);
    let after = life.bytes_at_failure.last().copied().map_or(Bytes(0), Bytes);
    Some(format!(
        "the device is worn out: it took no more writes after {after} from the host, and refused {} of \
         the requests ({refused}). Metrics cover only the requests that it served and cannot be compared \
         with a complete run: raise device.endurance, or see ftlab endurance",
        share(refused, refused + served)
    ))
}

/// Levelling that programs more pages than the host writes.
fn dearly_levelled(report: &Report) -> Option<String> {
    let (moved, written) = (report.flash.programs["wear"], report.host.page_writes);
    (moved > written).then(|| {
        format!(
            "wear levelling programmed {moved} pages for {written} that the host wrote; raise wear.gap = {}",
            report.config.wear.gap
        )
    })
}

/// A part as a percentage that is 0 or 100 only where that is exact.
fn share(part: u64, whole: u64) -> String {
    let percent = 100.0 * part as f64 / whole.max(1) as f64;
    match percent {
        _ if part == 0 || part == whole => format!("{percent:.0} %"),
        _ if percent < 1.0 => "less than 1 %".into(),
        _ => format!("{:.0} %", percent.min(99.0)),
    }
}

/// A device that is filled sooner, on which the input fits.
fn smaller(report: &Report) -> &'static str {
    match report.config.run.address {
        AddressPolicy::Modulo => "a smaller device.capacity",
        _ => "a smaller device.capacity with run.address = modulo",
    }
}

/// GC that never ran in the measured phase, with advice.
fn uncollected(report: &Report, erased: usize) -> Option<String> {
    let written = report.host.page_writes;
    if written == 0 || report.flash.erases.values().any(|erases| *erases > 0) {
        return None;
    }
    let spare_pages = u64::from(report.device.blocks - report.device.logical_blocks)
        * u64::from(report.config.device.pages_per_block);
    let smaller = smaller(report);
    let remedy = match report.warmup.mode.tolerance() {
        Some(_) => "use a longer input".into(),
        None if written > spare_pages => {
            format!("set run.warmup = random, which writes every page, or use {smaller}")
        }
        None => format!("set run.warmup = steady or use {smaller}"),
    };
    let what = if report.gc.is_some() { "GC never ran" } else { "no block was erased" };
    if report.gc.is_none() || written > spare_pages {
        return Some(format!(
            "{what} in the measured phase: {erased} of {} blocks are still erased after its {written} \
             page writes. Write amplification means nothing; {remedy}",
            report.device.blocks
        ));
    }
    Some(format!(
        "{what} in the measured phase: its {written} page writes cover {:.0} % of the spare \
         space ({spare_pages} pages). Write amplification means nothing; {remedy}",
        100.0 * written as f64 / spare_pages.max(1) as f64
    ))
}

/// A warm-up until steady that did not become steady.
fn unsteady(warmup: &WarmupReport, limit: u32) -> Option<String> {
    let tolerance = warmup.mode.tolerance()?.percent();
    match (warmup.steady, warmup.spread, warmup.drift) {
        (Some(true), ..) => None,
        (Some(false), Some(spread), Some(drift)) => Some(format!(
            "write amplification was not steady after {limit} windows: the last {WINDOWS} spread \
             {:.1} % and drift {:+.1} %, expected at most {tolerance} % and {} % with GC in each. \
             Raise run.warmup_limit, or widen the bound in run.warmup = MODE:X%",
            100.0 * spread,
            100.0 * drift,
            tolerance / 2.0
        )),
        _ => Some(
            "less than 1 % of the host's page accesses were written to flash, so the warm-up ended without \
             a steady state; use run.warmup = steady-random, which writes by itself, or a smaller \
             buffer.size, which holds less in RAM"
                .into(),
        ),
    }
}
