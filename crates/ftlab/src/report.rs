//! The result of a run: stable names, units in the names, `null` where a figure does not exist.

use crate::buffer::{BufferManager, FlushedAtEnd};
use crate::config::Config;
use crate::device::{Cell, ProgramOrder};
use crate::engine::Booking;
use crate::flash::{BlockKind, Cause, Device, Ledger, Operation};
use crate::ftl::{FtlMetrics, GcMetrics, MergeCounts, RamUse, Spec};
use crate::gc::CopyBack;
use crate::host::HostMode;
use crate::metrics::backlog::Backlog;
use crate::metrics::causes::{Causes, CausesReport};
use crate::metrics::energy::EnergyReport;
use crate::metrics::latency::{Cdf, Latencies, LatencySummary};
use crate::metrics::samples::CacheSamples;
use crate::metrics::series::Timeline;
use crate::placement::allocation::SINGLE;
use crate::recovery::Recovery;
use crate::simulate::{HostTotals, Outcome};
use crate::units::{Bytes, Nanos, Pbn};
use crate::warmup::{Source, WINDOWS, WarmupReport};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything that a run tells.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of ftlab.
    pub ftlab: &'static str,
    /// Name of the FTL.
    pub ftl: String,
    /// The resolved configuration.
    pub config: Config,
    /// The device that came out of it.
    pub device: DeviceReport,
    /// The input.
    pub trace: TraceReport,
    /// Seed of everything random.
    pub seed: u64,
    /// What was done before measuring started.
    pub warmup: WarmupReport,
    /// What the host asked for.
    pub host: HostReport,
    /// Flash operations by cause.
    pub flash: FlashReport,
    /// Address translation; `null` when the whole map is in RAM.
    pub mapping: Option<MappingReport>,
    /// Garbage collection; `null` for FTLs that merge blocks instead.
    pub gc: Option<GcReport>,
    /// Merges of block-mapped and log-block FTLs; `null` for page-mapped ones.
    pub merges: Option<MergeReport>,
    /// The write buffer above the FTL; `null` without one.
    pub buffer: Option<BufferReport>,
    /// Pages programmed / pages written by the host; `null` without writes.
    pub write_amplification: Option<f64>,
    /// Bytes programmed / bytes written by the host; `null` without writes.
    pub byte_write_amplification: Option<f64>,
    /// Response times of all requests, us.
    pub response_us: Option<LatencySummary>,
    /// Response times of reads, us.
    pub read_response_us: Option<LatencySummary>,
    /// Response times of writes, us.
    pub write_response_us: Option<LatencySummary>,
    /// Response times of flushes; `null` without any.
    pub flush_response_us: Option<LatencySummary>,
    /// Service times, us.
    pub service_us: Option<LatencySummary>,
    /// What reads and writes spent their time on; `null` unless `run.causes` asks for it.
    pub causes: Option<CausesReport>,
    /// Planes.
    pub planes: PlanesReport,
    /// Channels.
    pub channels: ChannelsReport,
    /// Erases over the device's life, warm-up included.
    pub wear: WearReport,
    /// Blocks that wore out over the device's life; `null` where they last for ever.
    pub lifetime: Option<LifetimeReport>,
    /// What a power cut at the end would leave; `null` unless `run.recovery` asks for it.
    pub recovery: Option<Recovery>,
    /// RAM by one rule for all (choices.md#ram-payload).
    pub ram_bytes: RamReport,
    /// What it took.
    pub energy: EnergyReport,
    /// Figures of this FTL alone.
    pub own: BTreeMap<&'static str, u64>,
    /// Speed of the simulation.
    pub speed: SpeedReport,
    /// What was checked.
    pub checks: ChecksReport,
    /// What a person should know before believing the figures.
    pub warnings: Vec<String>,
    /// Cumulative distributions.
    pub distributions: Distributions,
    /// The run over time.
    pub timeline: Timeline,
    /// Looks into the mapping cache; `null` where there was none.
    pub samples: Option<CacheSamples>,
    /// When single operations were done, as far as `run.timeline` asks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedule: Vec<Booking>,
}

/// The input of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TraceReport {
    /// File or workload.
    pub name: String,
    /// Registered name of the format.
    pub format: String,
    /// Hash of the decoded requests, 16 hexadecimal digits; `null` when the input was read once.
    pub digest: Option<String>,
    /// Requests in the input; `null` when the input was read once.
    pub requests: Option<u64>,
    /// Volumes in the input; `null` when the input was read once.
    pub volumes: Option<u64>,
    /// Address space that the input needs, bytes; `null` when the input was read once.
    pub span_bytes: Option<u64>,
}

/// The device.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceReport {
    /// Logical capacity, bytes.
    pub capacity_bytes: u64,
    /// Physical blocks.
    pub blocks: u32,
    /// Logical blocks.
    pub logical_blocks: u32,
    /// Planes.
    pub planes: u32,
    /// Order in which the pages of a block could be programmed.
    pub program_order: ProgramOrder,
    /// Bits of a cell; `null` when all pages are alike.
    pub cell: Option<Cell>,
    /// Physical pages beyond logical and translation pages / logical pages.
    pub effective_spare_ratio: f64,
    /// Logical pages that the host has ever written / logical pages; `null` where reads are not verified.
    pub written_ratio: Option<f64>,
}

/// What the host asked for.
#[derive(Clone, Debug, Serialize)]
pub struct HostReport {
    /// Requests.
    pub requests: u64,
    /// Read requests.
    pub reads: u64,
    /// Write requests.
    pub writes: u64,
    /// Trim requests.
    pub trims: u64,
    /// Flushes.
    pub flushes: u64,
    /// Of the writes, those with FUA: what they write is durable when they are acknowledged.
    pub writes_through: u64,
    /// Page accesses of reads.
    pub page_reads: u64,
    /// Page accesses of writes.
    pub page_writes: u64,
    /// Of these, of only part of a page; `device.partial_writes` says what such a write costs.
    pub partial_page_writes: u64,
    /// Pages trimmed.
    pub page_trims: u64,
    /// Page reads of pages that hold no data.
    pub unwritten_page_reads: u64,
    /// Bytes of reads in the pages that they access.
    pub bytes_read: u64,
    /// Bytes of writes in the pages that they access.
    pub bytes_written: u64,
    /// Requests beyond the device, which `run.address = modulo` lays on what is there.
    pub folded_requests: u64,
    /// Requests of which it leaves out what lies behind the device's end.
    pub cut_requests: u64,
    /// Completion of the last request, s.
    pub duration_s: f64,
    /// Arrival of the last request, s; `null` in a closed loop.
    pub last_arrival_s: Option<f64>,
    /// Whether requests arrived faster than they were served; `null` in a closed loop.
    pub overloaded: Option<bool>,
    /// Share of reads and writes that waited in a backlog; `null` in a closed loop.
    pub backlog_ratio: Option<f64>,
    /// When the first backlog began, s; `null` without one.
    pub backlog_from_s: Option<f64>,
    /// When the last backlog ended, s; `null` without one.
    pub backlog_to_s: Option<f64>,
    /// Of the pages that the input touches, the share that stands for several of its addresses; `null` where
    /// none can.
    pub shared_pages_ratio: Option<f64>,
}

/// Counts by cause.
pub type ByCause = BTreeMap<&'static str, u64>;

/// Flash operations.
#[derive(Clone, Debug, Serialize)]
pub struct FlashReport {
    /// Page reads.
    pub reads: ByCause,
    /// OOB reads.
    pub oob_reads: ByCause,
    /// Page programs.
    pub programs: ByCause,
    /// Copy-backs.
    pub copybacks: ByCause,
    /// Erases of data, log and translation blocks, and of those of checkpoints and tombstones.
    pub erases: ByCause,
    /// Pages skipped for parity; `null` where copy-back is not used.
    pub wasted_pages: Option<u64>,
}

/// Address translation.
#[derive(Clone, Debug, Serialize)]
pub struct MappingReport {
    /// Page accesses translated.
    pub lookups: u64,
    /// Of these, found in the cache.
    pub hits: u64,
    /// hits / lookups.
    pub hit_ratio: Option<f64>,
    /// Entries evicted.
    pub replacements: u64,
    /// Of these, dirty.
    pub dirty_replacements: u64,
    /// `dirty_replacements / replacements`.
    pub dirty_replacement_probability: Option<f64>,
    /// Mappings of moved pages found in the cache / pages moved.
    pub gc_hit_ratio: Option<f64>,
    /// Translation page reads, all causes.
    pub translation_reads: u64,
    /// Translation page programs, all causes.
    pub translation_writes: u64,
    /// Entries in the cache at the end.
    pub cached_entries: u64,
    /// Translation pages with an entry in the cache at the end.
    pub cached_translation_pages: u64,
    /// Entries x 8 B / budget.
    pub space_utilization: Option<f64>,
}

/// Garbage collection.
#[derive(Clone, Debug, Serialize)]
pub struct GcReport {
    /// Times that GC was started.
    pub runs: u64,
    /// Data blocks collected.
    pub data_blocks: u64,
    /// Translation blocks collected.
    pub translation_blocks: u64,
    /// Valid pages moved.
    pub copied_pages: u64,
    /// Mean of valid pages in collected data blocks.
    pub mean_valid_data: Option<f64>,
    /// Mean of valid pages in collected translation blocks.
    pub mean_valid_translation: Option<f64>,
    /// Free blocks at which GC starts: `gc.low`, or what a GC step of this FTL needs if that is more.
    pub low: u32,
    /// Free blocks at which a batch ends.
    pub high: u32,
    /// Victims that the policy did not choose: at the last free block, or to end a run.
    pub forced_victims: u64,
    /// Runs in idle time; `null` where GC is never started in idle time.
    pub background_runs: Option<u64>,
}

/// Merges.
#[derive(Clone, Debug, Serialize)]
pub struct MergeReport {
    /// Merges by kind.
    #[serde(flatten)]
    pub counts: MergeCounts,
    /// Pages copied by all of them.
    pub copied_pages: u64,
}

/// The write buffer above the FTL.
#[derive(Clone, Debug, Serialize)]
pub struct BufferReport {
    /// Page accesses of the host that found their page in RAM.
    pub hits: u64,
    /// Of these, reads.
    pub read_hits: u64,
    /// Hits / page accesses of reads and writes.
    pub hit_ratio: Option<f64>,
    /// Page writes that were never programmed: overwritten or trimmed while they were in RAM.
    pub absorbed: u64,
    /// Groups of pages given to the FTL.
    pub flushed_groups: u64,
    /// Page writes of the host in them.
    pub flushed_pages: u64,
    /// Pages of a group, padding included.
    pub mean_group_pages: Option<f64>,
    /// Pages read from flash and programmed again to complete a group.
    pub padded_pages: u64,
    /// Bytes whose newest version was in RAM alone, so that a power failure would have lost them: mean
    /// over requests.
    pub at_risk_bytes_mean: f64,
    /// The most of these.
    pub at_risk_bytes_max: u64,
    /// What was still in RAM at the end, and what it cost to write it; in no other figure.
    pub flushed_at_end: Option<FlushedAtEnd>,
}

/// Planes.
#[derive(Clone, Debug, Serialize)]
pub struct PlanesReport {
    /// Flash operations of each plane.
    pub requests: Vec<u64>,
    /// ln of their population standard deviation; `null` for one plane.
    pub sdrpp: Option<f64>,
    /// Flash operations of each plane for the host and the map: without collection and merges.
    pub host_requests: Vec<u64>,
    /// ln of their population standard deviation; `null` for one plane.
    pub host_sdrpp: Option<f64>,
    /// Share of the duration that each plane was held.
    pub busy_fraction: Vec<f64>,
}

/// Channels.
#[derive(Clone, Debug, Serialize)]
pub struct ChannelsReport {
    /// Share of the duration that each channel was held.
    pub busy_fraction: Vec<f64>,
}

/// Erases over the device's life.
#[derive(Clone, Debug, Serialize)]
pub struct WearReport {
    /// All blocks together.
    pub erases_total: u64,
    /// Least erased block.
    pub erases_min: u32,
    /// Most erased block.
    pub erases_max: u32,
    /// Mean over blocks.
    pub erases_mean: f64,
    /// Population standard deviation over blocks.
    pub erases_stddev: f64,
    /// How many blocks have had how many erases, fewest erases first.
    pub blocks_by_erases: Vec<(u32, u32)>,
    /// Plane by plane.
    pub planes: Vec<PlaneWear>,
    /// Blocks moved to level wear, since measuring started.
    pub moved_blocks: u64,
    /// The most that erases of two blocks that are levelled together differ by; `null` where none are.
    pub levelled_within: Option<u32>,
}

/// Erases of the blocks of a plane over the device's life.
#[derive(Clone, Debug, Serialize)]
pub struct PlaneWear {
    /// Least erased block.
    pub erases_min: u32,
    /// Most erased block.
    pub erases_max: u32,
    /// Mean over blocks.
    pub erases_mean: f64,
    /// Population standard deviation over blocks.
    pub erases_stddev: f64,
}

/// What wore out over the device's life.
#[derive(Clone, Debug, Serialize)]
pub struct LifetimeReport {
    /// Blocks that wore out.
    pub worn_out_blocks: u64,
    /// Bytes in pages that the host had written when each of them did.
    pub bytes_at_failure: Vec<u64>,
    /// Spare blocks that are left.
    pub spare_blocks: u32,
    /// Whether the device takes no more writes.
    pub read_only: bool,
    /// Writes and trims that it refused, since measuring started.
    pub refused_requests: u64,
}

/// RAM in use, in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RamReport {
    /// Tables that are always resident; `null` where the FTL does not say how much it uses.
    pub tables: Option<u64>,
    /// Budget of the mapping cache.
    pub cache: u64,
    /// Budget of the write buffer, and of the pages that cleaning holds.
    pub buffer: u64,
}

impl RamReport {
    /// That of the FTL, of the write buffer, and of what levels wear.
    fn of(outcome: &Outcome<'_>) -> Self {
        let RamUse { tables, cache, buffer } = outcome.ftl.ram();
        RamReport {
            tables: outcome.ftl.states_ram().then(|| tables + outcome.flash.wear_bytes()),
            cache,
            buffer: buffer + outcome.buffer.map_or(0, BufferManager::bytes),
        }
    }

    fn total(&self) -> Option<u64> {
        self.tables.map(|tables| tables + self.cache + self.buffer)
    }
}

/// Speed of the simulation.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SpeedReport {
    /// Time inside the simulation of the measured phase, s.
    pub wall_s: f64,
    /// Requests per second of it.
    pub requests_per_s: f64,
    /// Flash operations per second of it.
    pub flash_ops_per_s: f64,
    /// Time spent reading the input for the measured phase, s; it overlaps the simulation.
    pub trace_read_s: f64,
}

impl SpeedReport {
    /// That of a measured phase whose requests were read and served in these times.
    #[must_use]
    pub fn new(outcome: &Outcome<'_>, serving: Duration, reading: Duration) -> Self {
        let wall_s = serving.as_secs_f64();
        let per_second = |count: u64| if wall_s > 0.0 { count as f64 / wall_s } else { 0.0 };
        SpeedReport {
            wall_s,
            requests_per_s: per_second(outcome.host.requests),
            flash_ops_per_s: per_second(outcome.flash.ledger().flash_operations()),
            trace_read_s: reading.as_secs_f64(),
        }
    }
}

/// What was checked.
#[derive(Clone, Debug, Serialize)]
pub struct ChecksReport {
    /// Host page reads whose version was compared.
    pub reads_verified: u64,
    /// Flash commands whose rules were checked.
    pub rules_checked: u64,
    /// Always 0: a violation ends the run.
    pub violations: u64,
}

/// Cumulative distributions of latencies.
#[derive(Clone, Debug, Serialize)]
pub struct Distributions {
    /// All requests.
    pub response_us: Cdf,
    /// Reads.
    pub read_response_us: Cdf,
    /// Writes.
    pub write_response_us: Cdf,
}

impl Report {
    /// Adds what writing the pages that were still in RAM cost: of a write buffer to its figures, of an
    /// FTL's own RAM to those of the FTL.
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

    /// Adds what a power cut would have left, with the bytes at risk over time.
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
        let mut responses = outcome.reads.clone();
        responses.merge(outcome.writes);
        let metrics = outcome.ftl.metrics();
        let ram = RamReport::of(outcome);
        let backlog = backlog(outcome);
        let ledger = outcome.flash.ledger();
        // What was put off for a read, or goes on in the background, ends after the last completion.
        let working = outcome.host.duration.max(outcome.flash.timeline().idle_at());
        let mut report = Report {
            ftlab: env!("CARGO_PKG_VERSION"),
            ftl: ftl.to_owned(),
            config: outcome.config.clone(),
            device: device(outcome.flash, metrics.mapping.is_some()),
            trace,
            seed: outcome.config.run.seed,
            warmup,
            host: host(outcome, backlog),
            flash: flash(ledger, outcome.config.gc.copy_back),
            mapping: mapping(&metrics, ledger, &ram),
            gc: metrics.gc.as_ref().map(|metrics| gc(metrics, ledger)),
            merges: metrics.merges.map(|counts| merges(counts, ledger)),
            buffer: outcome.buffer.map(|manager| buffer(manager, outcome)),
            write_amplification: ratio(ledger.pages_programmed(), outcome.host.page_writes),
            byte_write_amplification: ratio(
                ledger.pages_programmed() * outcome.config.device.page.0,
                outcome.host.bytes_written,
            ),
            response_us: responses.summary(),
            read_response_us: outcome.reads.summary(),
            write_response_us: outcome.writes.summary(),
            flush_response_us: outcome.flushes.summary(),
            service_us: outcome.service.summary(),
            causes: outcome.causes.and_then(Causes::report),
            planes: planes(outcome.flash, working),
            channels: ChannelsReport {
                busy_fraction: shares(outcome.flash.timeline().channel_busy(), working),
            },
            wear: wear(outcome.flash),
            lifetime: lifetime(outcome),
            recovery: None,
            energy: EnergyReport::new(
                &outcome.config.energy,
                &outcome.config.device,
                ledger,
                ram.total(),
                working as f64 / 1e9,
                outcome.host.bytes_read + outcome.host.bytes_written,
            ),
            ram_bytes: ram,
            own: metrics.own,
            speed,
            checks: ChecksReport {
                reads_verified: outcome.reads_verified,
                rules_checked: outcome.flash.rules_checked(),
                violations: 0,
            },
            warnings: Vec::new(),
            distributions: distributions(&responses, outcome),
            timeline: outcome.series.timeline(),
            samples: samples(outcome.cache_samples),
            schedule: outcome.flash.timeline().log().to_vec(),
        };
        report.warnings = warnings(&report, outcome, backlog);
        report
    }
}

fn samples(samples: &CacheSamples) -> Option<CacheSamples> {
    Some(samples).filter(|samples| !samples.page_accesses.is_empty()).cloned()
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn device(flash: &Device, demand: bool) -> DeviceReport {
    let geometry = flash.geometry();
    let translation = if demand { geometry.translation_pages() } else { 0 };
    let spare =
        f64::from(geometry.pages()) - f64::from(geometry.logical_pages) - f64::from(translation);
    DeviceReport {
        capacity_bytes: geometry.logical_bytes(),
        blocks: geometry.blocks(),
        logical_blocks: geometry.logical_blocks(),
        planes: geometry.planes(),
        program_order: flash.program_order(),
        cell: flash.cell(),
        effective_spare_ratio: spare / f64::from(geometry.logical_pages),
        written_ratio: flash
            .written_pages()
            .map(|pages| pages as f64 / f64::from(geometry.logical_pages)),
    }
}

fn host(outcome: &Outcome<'_>, backlog: Option<Backlog>) -> HostReport {
    let (totals, flash) = (&outcome.host, outcome.flash);
    let in_ram = outcome.buffer.map(BufferManager::counts).unwrap_or_default();
    let in_ram = in_ram.plus(outcome.ftl.buffered()).unwritten_hits;
    let found = backlog.filter(|backlog| backlog.requests > 0.0);
    HostReport {
        requests: totals.requests,
        reads: totals.reads,
        writes: totals.writes,
        trims: totals.trims,
        flushes: totals.flushes,
        writes_through: totals.writes_through,
        page_reads: totals.page_reads,
        page_writes: totals.page_writes,
        partial_page_writes: totals.partial_page_writes,
        page_trims: totals.page_trims,
        unwritten_page_reads: flash.unwritten_reads() + in_ram,
        bytes_read: totals.bytes_read,
        bytes_written: totals.bytes_written,
        folded_requests: totals.folded,
        cut_requests: totals.cut,
        duration_s: totals.duration as f64 / 1e9,
        last_arrival_s: backlog.map(|_| totals.last_arrival as f64 / 1e9),
        overloaded: backlog.map(|backlog| backlog.rules() || ends_behind(totals)),
        backlog_ratio: backlog.map(|backlog| backlog.requests),
        backlog_from_s: found.map(|backlog| backlog.from as f64 / 1e9),
        backlog_to_s: found.map(|backlog| backlog.to as f64 / 1e9),
        shared_pages_ratio: outcome.shared_pages,
    }
}

/// The requests that waited in a backlog; `None` in a closed loop, where none arrives before it may.
fn backlog(outcome: &Outcome<'_>) -> Option<Backlog> {
    if matches!(outcome.config.host.mode, HostMode::Closed(_)) {
        return None;
    }
    let requests = outcome.service.count().max(1) as f64;
    let busy: Nanos = outcome.flash.timeline().plane_busy().sum();
    // On several planes parts of a request wait for others, which is in its service time, too.
    let of_a_request = (outcome.service.sum() as f64).min(busy as f64) / requests;
    Some(Backlog::of(outcome.series.stretches(), of_a_request))
}

/// Whether completions have fallen behind arrivals: at the end by more than 2 % of the time in which
/// requests arrived, and by what the device needs for a hundred requests.
fn ends_behind(totals: &HostTotals) -> bool {
    let behind = totals.duration - totals.last_arrival;
    let of_a_request = totals.duration / totals.requests.max(1);
    behind > totals.last_arrival / 50 && behind > 100 * of_a_request
}

fn flash(ledger: &Ledger, copy_back: CopyBack) -> FlashReport {
    let row = |operation| -> ByCause {
        Cause::ALL.iter().map(|cause| (cause.name(), ledger.get(operation, *cause))).collect()
    };
    let beside = [Cause::Checkpoint, Cause::Trim];
    FlashReport {
        reads: row(Operation::Read),
        oob_reads: row(Operation::ReadOob),
        programs: row(Operation::Program),
        copybacks: row(Operation::CopyBack),
        erases: BlockKind::ALL
            .iter()
            .map(|kind| (kind.name(), ledger.erases(*kind)))
            .chain(beside.map(|cause| (cause.name(), ledger.get(Operation::Erase, cause))))
            .collect(),
        wasted_pages: (copy_back != CopyBack::Off).then(|| ledger.wasted_pages()),
    }
}

fn mapping(metrics: &FtlMetrics, ledger: &Ledger, ram: &RamReport) -> Option<MappingReport> {
    let mapping = metrics.mapping?;
    let counts = mapping.counts;
    let pages = |operation| {
        [Cause::Translation, Cause::GcMapping, Cause::GcTranslation]
            .iter()
            .map(|cause| ledger.get(operation, *cause))
            .sum::<u64>()
    };
    Some(MappingReport {
        lookups: counts.lookups,
        hits: counts.hits,
        hit_ratio: ratio(counts.hits, counts.lookups),
        replacements: counts.replacements,
        dirty_replacements: counts.dirty_replacements,
        dirty_replacement_probability: ratio(counts.dirty_replacements, counts.replacements),
        gc_hit_ratio: ratio(mapping.gc_hits, mapping.gc_lookups),
        translation_reads: pages(Operation::Read) + pages(Operation::CopyBack),
        translation_writes: pages(Operation::Program) + pages(Operation::CopyBack),
        cached_entries: mapping.occupancy.entries,
        cached_translation_pages: mapping.occupancy.translation_pages,
        space_utilization: (ram.cache > 0)
            .then(|| 8.0 * mapping.occupancy.entries as f64 / ram.cache as f64),
    })
}

fn copied(ledger: &Ledger, cause: Cause) -> u64 {
    ledger.get(Operation::Program, cause) + ledger.get(Operation::CopyBack, cause)
}

fn merges(counts: MergeCounts, ledger: &Ledger) -> MergeReport {
    MergeReport { counts, copied_pages: copied(ledger, Cause::Merge) }
}

fn gc(metrics: &GcMetrics, ledger: &Ledger) -> GcReport {
    let counts = metrics.counts;
    GcReport {
        runs: counts.runs,
        data_blocks: counts.data_blocks,
        translation_blocks: counts.translation_blocks,
        copied_pages: copied(ledger, Cause::GcData)
            + unless_bug!(ReportMapCopiesUntold, copied(ledger, Cause::GcTranslation), 0),
        mean_valid_data: ratio(counts.valid_data, counts.data_blocks),
        mean_valid_translation: ratio(counts.valid_translation, counts.translation_blocks),
        low: metrics.low,
        high: metrics.high,
        forced_victims: counts.forced_victims,
        background_runs: metrics.background_runs,
    }
}

fn buffer(manager: &BufferManager, outcome: &Outcome<'_>) -> BufferReport {
    let counts = manager.counts();
    let page_bytes = u64::from(outcome.flash.geometry().page_bytes);
    let (mean, most) = manager.pages_at_risk();
    let hits = counts.read_hits + counts.write_hits;
    BufferReport {
        hits,
        read_hits: counts.read_hits,
        hit_ratio: ratio(hits, outcome.host.page_reads + outcome.host.page_writes),
        absorbed: counts.absorbed,
        flushed_groups: counts.flushed_groups,
        flushed_pages: counts.flushed_pages,
        mean_group_pages: ratio(counts.flushed_pages + counts.padded_pages, counts.flushed_groups),
        padded_pages: counts.padded_pages,
        at_risk_bytes_mean: mean * page_bytes as f64,
        at_risk_bytes_max: most * page_bytes,
        flushed_at_end: None,
    }
}

fn shares(busy: impl Iterator<Item = Nanos>, duration: Nanos) -> Vec<f64> {
    busy.map(|busy| if duration == 0 { 0.0 } else { busy as f64 / duration as f64 }).collect()
}

fn planes(flash: &Device, duration: Nanos) -> PlanesReport {
    let requests: Vec<u64> = flash.timeline().plane_operations().collect();
    let host_requests = flash.serving_operations().to_vec();
    PlanesReport {
        sdrpp: sdrpp(&requests),
        host_sdrpp: sdrpp(&host_requests),
        busy_fraction: shares(flash.timeline().plane_busy(), duration),
        requests,
        host_requests,
    }
}

/// DLOOP's measure of how unevenly planes are used; none of one plane or of equal ones.
fn sdrpp(operations: &[u64]) -> Option<f64> {
    let (_, stddev) = moments(operations.iter().map(|count| *count as f64));
    (operations.len() > 1 && stddev > 0.0).then(|| stddev.ln())
}

/// Mean and population standard deviation.
fn moments(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / count).sqrt())
}

fn wear(flash: &Device) -> WearReport {
    let geometry = flash.geometry();
    let erases: Vec<u32> = (0..geometry.blocks()).map(|block| flash.wear_of(Pbn(block))).collect();
    let PlaneWear { erases_min, erases_max, erases_mean, erases_stddev } = PlaneWear::of(&erases);
    let mut of_planes = vec![Vec::new(); geometry.planes() as usize];
    for (block, erases) in (0..).zip(&erases) {
        of_planes[geometry.plane_of(Pbn(block)) as usize].push(*erases);
    }
    let mut blocks_by_erases = BTreeMap::new();
    erases.iter().for_each(|erases| *blocks_by_erases.entry(*erases).or_insert(0) += 1);
    WearReport {
        erases_total: flash.wear(),
        erases_min,
        erases_max,
        erases_mean,
        erases_stddev,
        blocks_by_erases: blocks_by_erases.into_iter().collect(),
        planes: of_planes.iter().map(|erases| PlaneWear::of(erases)).collect(),
        moved_blocks: flash.ledger().get(Operation::Erase, Cause::Wear),
        levelled_within: levelled_within(flash),
    }
}

fn levelled_within(flash: &Device) -> Option<u32> {
    let levelled = flash.wear_parts().filter(|(_, is_levelled)| *is_levelled);
    let within = levelled.map(|(blocks, _)| {
        let erases = || blocks.iter().map(|pbn| flash.erases_of(*pbn));
        erases().max().unwrap_or(0) - erases().min().unwrap_or(0)
    });
    within.max()
}

impl PlaneWear {
    fn of(erases: &[u32]) -> Self {
        let (erases_mean, erases_stddev) = moments(erases.iter().copied().map(f64::from));
        PlaneWear {
            erases_min: erases.iter().min().copied().unwrap_or(0),
            erases_max: erases.iter().max().copied().unwrap_or(0),
            erases_mean,
            erases_stddev,
        }
    }
}

fn lifetime(outcome: &Outcome<'_>) -> Option<LifetimeReport> {
    outcome.config.device.endurance?;
    let page_bytes = u64::from(outcome.flash.geometry().page_bytes);
    Some(LifetimeReport {
        worn_out_blocks: outcome.flash.worn_out().len() as u64,
        bytes_at_failure: outcome.failures.iter().map(|pages| pages * page_bytes).collect(),
        spare_blocks: outcome.flash.spare_blocks(),
        read_only: outcome.flash.is_read_only(),
        refused_requests: outcome.host.refused,
    })
}

fn distributions(responses: &Latencies, outcome: &Outcome<'_>) -> Distributions {
    Distributions {
        response_us: responses.cdf(),
        read_response_us: outcome.reads.cdf(),
        write_response_us: outcome.writes.cdf(),
    }
}

/// What a person should know before believing the figures.
fn warnings(report: &Report, outcome: &Outcome<'_>, backlog: Option<Backlog>) -> Vec<String> {
    let device = outcome.flash;
    let erased = (0..report.device.blocks).filter(|pbn| device.is_erased(Pbn(*pbn))).count();
    let mut warnings = Vec::new();
    warnings.extend(unsteady(&report.warmup, report.config.run.warmup_limit));
    warnings.extend(uncollected(report, erased));
    warnings.extend(uncopied(report));
    warnings.extend(sparse(report));
    warnings.extend(shared(report));
    if report.device.program_order == ProgramOrder::Any {
        let what = "the device let pages of a block be programmed in any order";
        warnings.push(format!("{what}, which NAND of today forbids"));
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
    (report.device.planes > 1 && one_frontier).then(|| {
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

/// A device of which so much was never written that this is more spare space than it was given.
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
         every page, or use a smaller device.capacity",
        100.0 * written,
        100.0 * ((1.0 + given) / written - 1.0),
        100.0 * given
    ))
}

/// The least share of pages with several addresses of which is told.
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

/// Many reads that found no data, and what to do about it.
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

/// Requests that are not where the input has them, as the device is smaller.
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
    let remedy = "use a device.capacity that holds the input";
    (!told.is_empty()).then(|| format!("run.address = modulo: {}; {remedy}", told.join(", ")))
}

/// A device that came to its end before the input did.
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

/// Levelling that programs more than what it levels.
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

/// GC that never ran in the measured phase, and what to do about it.
fn uncollected(report: &Report, erased: usize) -> Option<String> {
    let written = report.host.page_writes;
    if written == 0 || report.flash.erases.values().any(|erases| *erases > 0) {
        return None;
    }
    let spare_pages = u64::from(report.device.blocks - report.device.logical_blocks)
        * u64::from(report.config.device.pages_per_block);
    let remedy = match report.warmup.mode.tolerance() {
        Some(_) => "use a longer input",
        None if written > spare_pages => {
            "set run.warmup = random, which writes every page, or use a smaller device.capacity"
        }
        None => "set run.warmup = steady or use a smaller device.capacity",
    };
    let what = if report.gc.is_some() { "GC never ran" } else { "no block was erased" };
    if report.gc.is_none() || written > spare_pages {
        return Some(format!(
            "{what} in the measured phase: {erased} of {} blocks are erased after its {written} page \
             writes; {remedy}, or write amplification means nothing",
            report.device.blocks
        ));
    }
    Some(format!(
        "{what} in the measured phase: its {written} page writes cover {:.0} % of the spare \
         space ({spare_pages} pages); {remedy}, or write amplification means nothing",
        100.0 * written as f64 / spare_pages.max(1) as f64
    ))
}

/// A warm-up until steady that did not end there.
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
