//! Power cuts in a run on any input: whether an FTL recovers, and the cost of recovery.
//!
//! The input is served once, on a device that notes each change of its medium. Then the power is
//! cut in changes drawn at random. The FTL mounts, and every logical page is read and compared with
//! the acknowledged versions. The input then resumes for a few requests. In every other case the
//! power is cut once more, during recovery or after.
//!
//! Without `device.oob_read` an OOB read takes as long as a read of a page, because recovery
//! consists mainly of OOB reads.

pub mod shadow;

use crate::buffer::BufferManager;
use crate::catalog::{Catalog, Entry};
use crate::clock::Instant;
use crate::config::Config;
use crate::drive::{Progress, Watch};
use crate::error::Error;
use crate::flash::{Cuts, Device, Tear};
use crate::host::HostMode;
use crate::recovery::{MountCost, timed_oobs};
use crate::report::TraceReport;
use crate::request::{Input, Op};
use crate::rng::Rng;
use crate::session::{Point, Reading, panic_message, place, tick, trace_report};
use crate::units::Lpn;
use crate::warmup::{Source, Until, Warmup};
use serde::{Deserialize, Serialize};
use shadow::{Durable, Host, Served};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Requests of the input that are served after recovery.
const AFTERWARDS: usize = 8;
const SERVING: &str = "serving requests";
const CUTTING: &str = "cutting power";
/// Parts of the run; the longest recovery of each is reported.
const PARTS: usize = 200;

/// A power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The change of the medium that it interrupts, or comes before.
    pub change: usize,
    /// How the cut leaves the change.
    pub tear: Tear,
    /// A second cut in a later change: its number modulo their count.
    pub again: Option<(u64, Tear)>,
}

/// The cuts to make.
#[derive(Clone, Copy, Debug)]
pub enum Plan {
    /// This number of cuts at random.
    Random(u64),
    /// This one.
    One(Cut),
}

/// The results of the cuts of a run.
#[derive(Clone, Debug, Serialize)]
pub struct CrashReport {
    /// Version of ftlab.
    pub ftlab: &'static str,
    /// The FTL.
    pub ftl: &'static str,
    /// The resolved configuration.
    pub config: Config,
    /// The input.
    pub trace: TraceReport,
    /// Requests of the run that is cut.
    pub requests: u64,
    /// Changes of the medium that may be cut.
    pub changes: u64,
    /// Cuts that were made, including second ones.
    pub cuts: u64,
    /// Cuts that left a torn page or a half-erased block.
    pub torn: u64,
    /// Second cuts.
    pub again: u64,
    /// Pages that were acknowledged and not flushed at first cuts. Write buffers, and FTLs that
    /// keep data of the host in RAM, have lost them.
    pub unflushed: Cost,
    /// Trimmed pages that had an older version when the FTL had mounted after a first cut. Trims
    /// are hints unless `device.trim` is `durable`.
    pub came_back: Cost,
    /// Pages that first cuts have destroyed because they share cells with another page,
    /// acknowledged or not. They may have older versions.
    pub exposed: u64,
    /// Cuts after which a page had an invalid version, or a rule or an invariant was broken.
    pub violations: u64,
    /// The first of them.
    pub first: Option<Violation>,
    /// The cost of recovery.
    pub mounts: Mounts,
}

/// A cut from which the FTL did not recover.
#[derive(Clone, Debug, Serialize)]
pub struct Violation {
    /// The cut.
    pub cut: Cut,
    /// The fault.
    pub what: String,
}

/// The cost of recovery for the device.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Mounts {
    /// OOBs read.
    pub oob_reads: Cost,
    /// Pages read.
    pub reads: Cost,
    /// Pages programmed.
    pub programs: Cost,
    /// Blocks erased.
    pub erases: Cost,
    /// Time of the device, us.
    pub time_us: Cost,
    /// Time of the simulation, us.
    pub wall_us: Cost,
    /// The longest recovery in each part of the run: the number of preceding changes of those that
    /// may be cut, and its time, us.
    pub longest: Vec<(usize, f64)>,
}

/// A cost over all recoveries.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Cost {
    /// Mean.
    pub mean: f64,
    /// Maximum.
    pub max: f64,
    #[serde(skip)]
    mounts: u64,
}

impl Cost {
    fn add(&mut self, cost: f64) {
        self.mounts += 1;
        self.mean += (cost - self.mean) / self.mounts as f64;
        self.max = self.max.max(cost);
    }
}

/// Cuts the power of an FTL as planned.
///
/// # Errors
/// Those of the input and of `watch`. [`Error::Config`] for an FTL that cannot recover, and for a
/// warm-up that reads the input or ends by rule.
pub fn crash(
    catalog: &Catalog,
    point: &Point,
    plan: Plan,
    watch: Watch<'_>,
) -> Result<CrashReport, Error> {
    let entry = catalog.find_mounting(&point.ftl)?;
    let mut config = point.config.clone();
    config.ftl.power_safe = true;
    let run = Run::serve(entry, &config, watch)?;
    let cuts = plan.cuts(&run.changes, run.after.tears(), config.run.seed)?;
    run.cut(&cuts, watch)
}

impl Plan {
    /// The cuts, in the order of the changes that they interrupt.
    fn cuts(self, changes: &Range<usize>, tears: &[Tear], seed: u64) -> Result<Vec<Cut>, Error> {
        let mut rng = Rng::new(seed, "power cuts");
        let tear = |rng: &mut Rng| tears[rng.below(tears.len() as u64) as usize];
        let mut draw = |count| {
            let change = changes.start + rng.below(changes.len() as u64 + 1) as usize;
            let (tear, second) = (tear(&mut rng), tear(&mut rng));
            let again = (count % 2 == 1).then(|| (rng.below(u64::from(u32::MAX)), second));
            Cut { change, tear, again }
        };
        match self {
            Plan::Random(count) => {
                let mut cuts: Vec<_> = (0..count).map(&mut draw).collect();
                cuts.sort_by_key(|cut| cut.change);
                Ok(cuts)
            }
            Plan::One(cut) if (changes.start..=changes.end).contains(&cut.change) => Ok(vec![cut]),
            Plan::One(Cut { change, .. }) => {
                let Range { start, end } = changes;
                let message =
                    format!("found change {change}, expected {start} to {end} in this run");
                Err(Error::config("cut", message))
            }
        }
    }
}

/// A run whose power is cut later.
struct Run<'a> {
    entry: &'a Entry,
    config: &'a Config,
    trace: TraceReport,
    erased: Device,
    /// The device at the end.
    after: Device,
    served: Vec<Served>,
    /// The changes that may be cut.
    changes: Range<usize>,
    /// Whether writes of the host may remain in RAM until a flush.
    keeps_writes: bool,
}

impl<'a> Run<'a> {
    fn serve(entry: &'a Entry, config: &'a Config, watch: Watch<'_>) -> Result<Self, Error> {
        if let Some(cycles) = config.device.endurance {
            let message =
                format!("found {cycles}, expected none: which blocks are worn out is not kept");
            return Err(Error::config("device.endurance", message));
        }
        let input = Reading::default().of(config, watch)?;
        let (capacity, address) = place(config, input.as_ref(), input.measured.as_ref())?;
        let trace = trace_report(input.as_ref(), input.measured.as_ref(), &address);
        let mut erased = entry.device_to_mount(&timed_oobs(&config.device), capacity)?;
        erased.remember();
        let mut device = erased.clone();
        let ftl = entry.build(config, &mut device)?;
        let buffer = config.buffer_manager(&device, entry.spec.keeps_writes)?;
        let mut host = Host::new(&entry.spec, device, ftl);
        host.put_below(buffer);
        let mut served = Vec::new();
        let (mut rng, logical) =
            (Rng::new(config.run.seed, "warm-up"), erased.geometry().logical_pages);
        for pass in passes(config.run.warmup)? {
            for page in 0..logical {
                let drawn = rng.below(u64::from(logical)) as u32;
                let lpn = Lpn(if pass == Source::Uniform { drawn } else { page });
                served.push(host.serve(Op::Write, vec![lpn]));
            }
        }
        let start = host.device.changes();
        // Another simulation, which serves no request, finds the pages of a request.
        let mut pages = entry.simulate(config, capacity, address)?;
        let mut last = Instant::now();
        let mut idle = Rng::new(config.run.seed, "idle time");
        for (requests, request) in (1..).zip(&input.open()?.rest()?) {
            let pages = pages.pages(request)?.to_vec();
            if config.host.mode == HostMode::Open {
                host.idle(&mut idle);
            }
            served.push(host.serve(request.op, pages));
            tick(&mut last, watch, Progress { phase: SERVING, requests, fraction: None })?;
        }
        let changes = start..host.device.changes();
        let keeps_writes = host.keeps_writes();
        Ok(Run { entry, config, trace, erased, after: host.device, served, changes, keeps_writes })
    }

    fn cut(&self, plan: &[Cut], watch: Watch<'_>) -> Result<CrashReport, Error> {
        let mut report = CrashReport {
            ftlab: env!("CARGO_PKG_VERSION"),
            ftl: self.entry.name(),
            config: self.config.clone(),
            trace: self.trace.clone(),
            requests: self.served.len() as u64,
            changes: self.changes.len() as u64,
            cuts: 0,
            torn: 0,
            again: 0,
            unflushed: Cost::default(),
            came_back: Cost::default(),
            exposed: 0,
            violations: 0,
            first: None,
            mounts: Mounts::default(),
        };
        let mut longest = vec![(0, 0.0); PARTS];
        let logical = self.erased.geometry().logical_pages;
        let mut durable = Durable::nothing(logical, self.keeps_writes, self.erased.keeps_trims());
        let mut cuts = Cuts::of(self.erased.clone(), &self.after);
        let (mut acknowledged, mut last) = (0, Instant::now());
        for (number, &cut) in plan.iter().enumerate() {
            while cuts.done() < cut.change && !cuts.is_over() {
                cuts.advance();
            }
            while let Some(request) = self.served.get(acknowledged)
                && request.changes <= cuts.done()
            {
                durable.note(request);
                acknowledged += 1;
            }
            let (done, left) = self.served.split_at(acknowledged);
            report.count(cut);
            report.unflushed.add(done.last().map_or(0, |request| request.at_risk) as f64);
            let mounting = AssertUnwindSafe(|| self.survive(&cuts, cut, &durable, left));
            let survived =
                catch_unwind(mounting).unwrap_or_else(|panic| Err(panic_message(panic.as_ref())));
            match survived {
                Ok(mounted) => {
                    report.exposed += mounted.lost;
                    report.came_back.add(mounted.came_back as f64);
                    report.mounts.add(mounted);
                    let place = cut.change - self.changes.start;
                    let slowest: &mut (usize, f64) =
                        &mut longest[place * PARTS / (self.changes.len() + 1)];
                    let time = mounted.cost.time as f64 / 1000.0;
                    if time >= slowest.1 {
                        *slowest = (place, time);
                    }
                }
                Err(what) => {
                    report.violations += 1;
                    report.first.get_or_insert(Violation { cut, what });
                }
            }
            let fraction = Some((number + 1) as f64 / plan.len() as f64);
            let requests = number as u64 + 1;
            tick(&mut last, watch, Progress { phase: CUTTING, requests, fraction })?;
        }
        longest.retain(|(_, time)| *time > 0.0);
        report.mounts.longest = longest;
        Ok(report)
    }

    /// Mounts after a cut, compares and resumes, and is cut again if that is planned. Returns the
    /// cost of the first recovery.
    fn survive(
        &self,
        cuts: &Cuts,
        cut: Cut,
        durable: &Durable,
        left: &[Served],
    ) -> Result<Mounted, String> {
        let device = cuts.cut(cut.tear);
        let durable = durable.without(device.lost());
        let (mut host, mut mounted) = self.mount(device.clone());
        let changes = host.device.changes();
        let mut settled = host.settle(&durable, left.first())?;
        mounted.came_back = settled.came_back;
        host.put_below(self.buffer(&host));
        let next = left.iter().take(AFTERWARDS);
        let served: Vec<_> =
            next.map(|request| host.serve(request.op, request.pages.clone())).collect();
        host.audit();
        let Some((number, tear)) = cut.again else { return Ok(mounted) };
        let change = (number % (host.device.changes() as u64 + 1)) as usize;
        let (mut twice, _) = self.mount(Cuts::of(device, &host.device).at(change, tear));
        let lost = twice.device.lost().to_vec();
        if change < changes {
            twice.settle(&durable.without(&lost), left.first())?;
            return Ok(mounted);
        }
        let done = served.partition_point(|request| request.changes <= change);
        served[..done].iter().for_each(|request| settled.note(request));
        twice.settle(&settled.without(&lost), served.get(done))?;
        Ok(mounted)
    }

    fn mount(&self, mut device: Device) -> (Host, Mounted) {
        device.timeline_mut().issue(0);
        let start = Instant::now();
        let ftl = self.entry.mount(self.config, &mut device);
        let ftl = ftl.expect("an FTL that mounts").expect("settings that it has accepted");
        let mounted = Mounted {
            cost: MountCost::of(&device),
            wall: start.elapsed(),
            lost: device.lost().len() as u64,
            came_back: 0,
        };
        (Host::new(&self.entry.spec, device, ftl), mounted)
    }

    /// The write buffer of a host.
    fn buffer(&self, host: &Host) -> Option<BufferManager> {
        let buffer = self.config.buffer_manager(&host.device, self.entry.spec.keeps_writes);
        buffer.expect("settings that it has accepted")
    }
}

/// The passes over all logical pages that a warm-up writes.
fn passes(warmup: Warmup) -> Result<Vec<Source>, Error> {
    let mut passes = Vec::new();
    for phase in warmup.plan() {
        match (phase.source, phase.until) {
            (source @ (Source::Sequential | Source::Uniform), Until::Passes(count)) => {
                passes.extend((0..count).map(|_| source));
            }
            _ => {
                let message = format!("found {warmup}, expected none, sequential or random:K");
                return Err(Error::config("run.warmup", message));
            }
        }
    }
    Ok(passes)
}

/// The result of one recovery.
#[derive(Clone, Copy)]
struct Mounted {
    cost: MountCost,
    /// Time of the simulation.
    wall: Duration,
    /// Pages that the cut has destroyed because they share cells with another page.
    lost: u64,
    /// Trimmed pages that have an older version.
    came_back: u64,
}

impl CrashReport {
    fn count(&mut self, cut: Cut) {
        let again = cut.again.map(|(_, tear)| tear);
        self.cuts += 1 + u64::from(again.is_some());
        self.again += u64::from(again.is_some());
        let torn =
            [Some(cut.tear), again].iter().flatten().filter(|tear| **tear != Tear::Before).count();
        self.torn += torn as u64;
    }
}

impl Mounts {
    fn add(&mut self, Mounted { cost, wall, .. }: Mounted) {
        self.oob_reads.add(cost.oob_reads as f64);
        self.reads.add(cost.page_reads as f64);
        self.programs.add(cost.programs as f64);
        self.erases.add(cost.erases as f64);
        self.time_us.add(cost.time as f64 / 1000.0);
        self.wall_us.add(wall.as_secs_f64() * 1e6);
    }
}
