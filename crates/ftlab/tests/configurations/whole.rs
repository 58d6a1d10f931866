//! An FTL under a buffer on a device, and requests that are counted apart from it.

use crate::drawn::{Answer, Case, expect, names, one_line, pick, set, value};
use ftlab::Error;
use ftlab::address::{AddressMap, Extent};
use ftlab::catalog::{Catalog, Entry};
use ftlab::config::Config;
use ftlab::device::PartialWrites;
use ftlab::drive::{drive, wear_out};
use ftlab::host::{HostMode, Split};
use ftlab::laws::books::{audit, audit_life};
use ftlab::report::Report;
use ftlab::request::{Input, Op, Request};
use ftlab::rng::Rng;
use ftlab::settings::Row;
use ftlab::simulate::Simulator;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Page checks of all audits and pages of a device beyond which a case only takes long.
const MOST_CHECKS: u64 = 5_000_000;
const MOST_PAGES: u64 = 40_000;
/// Passes of a life.
const PASSES: u64 = 10;

/// A configuration and the requests that it is given.
pub struct Whole {
    ftl: &'static str,
    tree: Map<String, Value>,
    requests: Arc<[Request]>,
    capacity: u64,
    /// Whether requests lie beyond the device, and are laid on it.
    folds: bool,
    /// Whether it is run again, from its resolved configuration, and without verification.
    again: bool,
}

impl Whole {
    pub fn draw(catalog: &Catalog, seed: u64) -> Self {
        let mut rng = Rng::new(seed, "configurations");
        let entry = pick(&mut rng, catalog.ftls());
        let page = 512_u64 << rng.below(4);
        let pages_per_block = pick(&mut rng, &[2_u64, 4, 8, 16, 32]);
        let most_blocks = pick(&mut rng, &[12, 100]);
        let blocks = 1 + rng.below(most_blocks);
        let capacity = page * pages_per_block * blocks - if rng.chance(0.2) { 512 } else { 0 };
        let most_spare = pick(&mut rng, &[12, 2 * blocks + 4]);
        let spare = 1 + rng.below(most_spare);
        let mut tree = Map::new();
        let mut set = |key: &str, value| set(&mut tree, key, value);
        set("device.page", page.into());
        set("device.pages_per_block", pages_per_block.into());
        set("device.blocks", (blocks + spare).into());
        set("ftl.cache", (page * 2 + 8 * rng.below(2000)).into());
        let folds = rng.chance(0.2);
        set("run.address", if folds { "modulo" } else { "overlay" }.into());
        if rng.chance(0.5) {
            set("buffer.policy", pick(&mut rng, &names(catalog.buffers().iter())).into());
            set("buffer.size", (page * (1 + rng.below(3 * blocks))).into());
        }
        if rng.chance(0.5) {
            mix(&mut rng, page, &mut set);
        }
        let rows = rows_for(catalog, &entry);
        for _ in 0..rng.below(6) {
            let row = pick(&mut rng, &rows);
            let value = value(catalog, &row, &mut rng);
            set(&row.key(), value);
        }
        let count = if rng.chance(0.1) { rng.below(4) } else { rng.below(1500) };
        let mut requests = requests(capacity, page, count, &mut rng);
        if folds {
            requests = requests.iter().map(|request| beyond(request, capacity, &mut rng)).collect();
        }
        Whole { ftl: entry.name(), tree, requests, capacity, folds, again: rng.chance(0.3) }
    }

    fn too_long(&self, config: &Config) -> bool {
        let block = config.device.page.0 * u64::from(config.device.pages_per_block);
        let logical = self.capacity.div_ceil(block) * u64::from(config.device.pages_per_block);
        let physical =
            config.device.blocks.unwrap_or(0) as u64 * u64::from(config.device.pages_per_block);
        let pages = logical.max(physical);
        let audits = (self.requests.len() as u64).checked_div(config.run.audit).unwrap_or(0);
        let looks = (40 * self.requests.len() as u64).checked_div(config.run.samples).unwrap_or(0);
        pages > MOST_PAGES || audits * pages > MOST_CHECKS || looks * pages > MOST_CHECKS
    }

    fn simulate(&self, catalog: &Catalog, config: &Config) -> Result<Report, Error> {
        let input: &dyn Input = &self.requests;
        drive(self.simulator(catalog, config)?.as_mut(), self.ftl, input, &mut |_| Ok(()))
    }

    /// Some passes of the life of a device whose blocks endure little.
    fn live(&self, catalog: &Catalog, config: &Config) -> Result<(), Error> {
        let Some(endurance @ ..6) = config.device.endurance else { return Ok(()) };
        let input: &dyn Input = &self.requests;
        let mut simulator = self.simulator(catalog, config)?;
        let blocks = (endurance, config.device.endurance_spread);
        let life = wear_out(simulator.as_mut(), self.ftl, input, blocks, PASSES, &mut |_| Ok(()))?;
        audit_life(&life.report);
        Ok(())
    }

    fn simulator(&self, catalog: &Catalog, config: &Config) -> Result<Box<dyn Simulator>, Error> {
        let end_byte = if self.folds { 4 * self.capacity } else { self.capacity };
        let extent = Extent { volume: 0, first_byte: 0, end_byte };
        let address = AddressMap::new(config.run.address, &[extent], Some(self.capacity))?;
        catalog.find(self.ftl)?.simulate(config, self.capacity, address)
    }

    /// Holds a report against the requests and against itself.
    fn check(&self, config: &Config, report: &Report) -> Result<(), String> {
        audit(report);
        let laid: Vec<_> = self.requests.iter().map(|each| laid(each, self.capacity)).collect();
        let shadow = Shadow::of(&laid, config);
        let host = &report.host;
        if let Some(life) = report.lifetime.as_ref().filter(|life| life.read_only) {
            // Which writes came before the end only the device knows.
            let (served, reads) = (host.requests + life.refused_requests, host.reads);
            let told = format!("{served}, {reads} reads, as counted: {shadow:?}");
            return expect(&told, (served, reads) == (shadow.requests, shadow.reads[0]));
        }
        let found = Shadow {
            requests: host.requests,
            flushes: host.flushes,
            reads: [host.reads, host.page_reads, host.bytes_read],
            writes: [host.writes, host.page_writes, host.bytes_written],
            writes_through: host.writes_through,
            trims: [host.trims, host.page_trims],
            partial_page_writes: host.partial_page_writes,
            completed_pages: shadow.completed_pages,
            unwritten_page_reads: shadow.unwritten_page_reads,
        };
        expect(&format!("{found:?} as counted: {shadow:?}"), found == shadow)?;
        let in_order = !config.host.reads_first;
        let plain =
            config.run.warmup.plan().next().is_none() && report.buffer.is_none() && in_order;
        if plain && !report.own.keys().any(|key| key.starts_with("flushed_at_end")) {
            let unwritten = host.unwritten_page_reads;
            let told =
                format!("{unwritten} reads of nothing, counted {}", shadow.unwritten_page_reads);
            expect(&told, unwritten == shadow.unwritten_page_reads)?;
            let reads_first = config.device.partial_writes == PartialWrites::ReadModifyWrite;
            let due = if reads_first { shadow.completed_pages } else { 0 };
            let completed = report.flash.reads["read_modify_write"];
            expect(&format!("{completed} pages completed, counted {due}"), completed == due)?;
        }
        let verified = if config.run.verify { host.page_reads } else { 0 };
        expect("every read is verified", report.checks.reads_verified == verified)?;
        expect("no violation", report.checks.violations == 0)?;
        for times in [report.response_us, report.read_response_us, report.write_response_us] {
            let Some(t) = times else { continue };
            let ascending = [t.p50, t.p90, t.p99, t.p999, t.max];
            expect("percentiles ascend", ascending.is_sorted() && t.mean <= t.max)?;
        }
        let shares = report.planes.busy_fraction.iter().chain(&report.channels.busy_fraction);
        let most = shares.copied().fold(0.0, f64::max);
        expect(&format!("busy for {most} of the time"), most <= 1.0 + 1e-12)?;
        expect(
            "planes are as built",
            report.planes.requests.len() == report.device.planes as usize,
        )?;
        expect("the timeline goes on", report.timeline.time_s.is_sorted())?;
        let arrives = !matches!(config.host.mode, HostMode::Closed(_));
        expect("arrivals are known", host.last_arrival_s.is_some() == arrives)?;
        let late = host.last_arrival_s.is_none_or(|arrived| arrived <= host.duration_s);
        expect("nothing is complete before it arrives", late)?;
        let one_line = report.warnings.iter().all(|text| !text.contains(char::is_control));
        expect("warnings are lines", one_line)
    }
}

impl Case for Whole {
    fn run(&self, catalog: &Catalog) -> Result<Answer, String> {
        let resolved = match catalog.resolve(&self.tree) {
            Ok(config) => config,
            Err(error) => return one_line(&error),
        };
        if self.too_long(&resolved) {
            return Ok(Answer::TooLong);
        }
        let report = match self.simulate(catalog, &resolved) {
            Ok(report) => report,
            Err(error) => return one_line(&error),
        };
        self.check(&resolved, &report)?;
        if self.again {
            if let Err(error) = self.live(catalog, &resolved) {
                one_line(&error)?;
            }
            let Value::Object(tree) = json!(resolved) else { return Err("no table".into()) };
            let same = catalog.resolve(&tree).map_err(|error| error.to_string())?;
            let again = self.simulate(catalog, &same).map_err(|error| error.to_string())?;
            let [first, second] = [&report, &again].map(|report| {
                let mut figures = json!(report);
                figures["speed"] = Value::Null;
                figures
            });
            expect("the same again", first == second)?;
            let mut unverified = resolved.clone();
            unverified.run.verify = false;
            let third = self.simulate(catalog, &unverified).map_err(|error| error.to_string())?;
            let figures = |r: &Report| json!([r.host, r.flash, r.response_us, r.wear, r.own]);
            let same = figures(&report) == figures(&third);
            expect("the same without verification", same)?;
        }
        Ok(Answer::Ran)
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.ftl, json!(self.tree))
    }
}

/// What requests ask for, counted without the simulator.
#[derive(Debug, Default, PartialEq)]
struct Shadow {
    requests: u64,
    flushes: u64,
    /// Requests, pages and bytes.
    reads: [u64; 3],
    writes: [u64; 3],
    writes_through: u64,
    trims: [u64; 2],
    partial_page_writes: u64,
    /// Of these, pages that held data.
    completed_pages: u64,
    unwritten_page_reads: u64,
}

impl Shadow {
    fn of(requests: &[Request], config: &Config) -> Self {
        let (mut shadow, mut written) = (Shadow::default(), HashSet::new());
        let (page, sector) = (config.device.page.0, config.device.sector.0);
        for request in requests {
            let (start, end) = (request.offset, request.end());
            // Page by page, as a person would: those it touches, and those it covers.
            let all = (0..).map(|n| (n, n * page, (n + 1) * page));
            let touched = all
                .skip_while(|(_, _, last)| *last <= start)
                .take_while(|(_, first, _)| *first < end);
            let mut touched: Vec<_> = touched.collect();
            let whole = |(_, first, last): &(u64, u64, u64)| start <= *first && *last <= end;
            // A sector that is touched is written whole.
            let (from, to) = (start / sector * sector, end.div_ceil(sector) * sector);
            let is_part = |first: u64, last: u64| from > first || last > to;
            let split = config.host.split;
            shadow.requests += 1;
            match request.op {
                Op::Flush => shadow.flushes += 1,
                Op::Trim => {
                    let mut covered: Vec<_> = touched.into_iter().filter(whole).collect();
                    if split == Split::Single {
                        covered.truncate(1);
                    }
                    written.retain(|n| !covered.iter().any(|each| each.0 == *n));
                    shadow.trims[0] += 1;
                    shadow.trims[1] += covered.len() as u64;
                }
                op => {
                    if split == Split::Single {
                        touched.truncate(1);
                    }
                    let last = touched.last().map_or(end, |(_, _, last)| *last);
                    let counts = [1, touched.len() as u64, end.min(last) - start];
                    let sum = if op == Op::Read { &mut shadow.reads } else { &mut shadow.writes };
                    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                    shadow.writes_through += u64::from(op == Op::WriteThrough);
                    for (n, first, last) in touched {
                        if op != Op::Read {
                            let held = !written.insert(n);
                            let part = is_part(first, last);
                            shadow.partial_page_writes += u64::from(part);
                            shadow.completed_pages += u64::from(part && held);
                        } else if !written.contains(&n) {
                            shadow.unwritten_page_reads += 1;
                        }
                    }
                }
            }
        }
        shadow
    }
}

/// Requests on a device of so many bytes: in bursts, in order or hot, aligned or not, with flushes or without.
fn requests(capacity: u64, page: u64, count: u64, rng: &mut Rng) -> Arc<[Request]> {
    let unit = pick(rng, &[1, 512, page]).min(capacity);
    let longest = (pick(rng, &[1, 4, 40]) * page).min(capacity);
    let (hot, reads, trims) = (rng.unit(), rng.unit() * 0.8, rng.unit() * 0.2);
    let [flushes, through] =
        [0.1, 0.3].map(|most| if rng.chance(0.3) { most * rng.unit() } else { 0.0 });
    let gap = pick(rng, &[0, 1_000, 200_000, 5_000_000]);
    let (mut time, mut next) = (0, 0);
    let one = |_| {
        time += rng.below(gap + 1);
        if rng.chance(flushes) {
            return Request::flush().at(time);
        }
        let write = if rng.chance(through) { Op::WriteThrough } else { Op::Write };
        let draw = rng.unit();
        let op = if draw < reads { Op::Read } else { write };
        let op = if draw > 1.0 - trims { Op::Trim } else { op };
        let length = (1 + rng.below(longest.div_ceil(unit))) * unit;
        let length = length.min(capacity);
        let place = if rng.chance(hot) { next } else { rng.below(capacity) };
        let offset = place - place % unit;
        let offset = offset.min(capacity - length);
        next = if rng.chance(0.7) { offset + length } else { offset } % capacity;
        Request::new(op, offset, length as u32).at(time)
    };
    (0..count).map(one).collect()
}

/// Sets some of what makes a run long-lived: blocks that wear out, spare ones, levelling, mounts, error correction,
/// trims that last.
fn mix(rng: &mut Rng, page: u64, set: &mut impl FnMut(&str, Value)) {
    if rng.chance(0.5) {
        set("wear.policy", pick(rng, &["none", "dynamic", "static"]).into());
        set("wear.gap", pick(rng, &[4, 5, 8, 16]).into());
        set("wear.part", pick(rng, &["plane", "region"]).into());
    }
    let lasts = rng.chance(0.5);
    if lasts {
        set("run.recovery", rng.chance(0.7).into());
        if rng.chance(0.5) {
            set("device.checkpoint", pick(rng, &[50, 500, 5000]).into());
        }
    } else {
        set("device.endurance", pick(rng, &[1, 2, 5, 30, 1000]).into());
        set("device.endurance_spread", pick(rng, &["0%", "0%", "10%", "30%"]).into());
        set("device.spare_blocks", pick(rng, &["0%", "2%", "20%", "100%"]).into());
        set("device.bad_blocks", pick(rng, &["0%", "0%", "0%", "2%", "10%"]).into());
    }
    if rng.chance(0.5) {
        set("device.trim", pick(rng, &["hint", "durable"]).into());
    }
    if rng.chance(0.5) {
        set("device.ecc", pick(rng, &[0, page / 64]).into());
        set("device.ecc_decode", 7_000.into());
    }
    if rng.chance(0.3) {
        set("device.channels", pick(rng, &[1, 2]).into());
        set("device.planes_per_die", pick(rng, &[1, 2, 4]).into());
        set("device.multi_plane", rng.chance(0.5).into());
    }
    set("run.warmup", pick(rng, &["none", "sequential", "footprint", "random:2"]).into());
}

/// A request in another part of the address space, which may cross the device's end.
fn beyond(request: &Request, capacity: u64, rng: &mut Rng) -> Request {
    let length = u64::from(request.length) + pick(rng, &[0, 0, capacity / 4]);
    let offset = request.offset + capacity * rng.below(3);
    match request.op {
        Op::Flush => *request,
        _ => Request { offset, length: length as u32, ..*request },
    }
}

/// Where a request lies on the device.
fn laid(request: &Request, capacity: u64) -> Request {
    let offset = request.offset % capacity;
    let length = u64::from(request.length).min(capacity - offset) as u32;
    Request { offset, length, ..*request }
}

/// Every key of a run of this FTL: its own, those that it obeys, and those that all runs have.
fn rows_for(catalog: &Catalog, entry: &Entry) -> Vec<Row> {
    let own: HashSet<String> =
        catalog.ftls().iter().flat_map(Entry::rows).map(|row| row.key()).collect();
    let mine: HashSet<String> = entry.rows().iter().map(Row::key).collect();
    let fits = |row: &Row| {
        let key = row.key();
        let shared = ["gc", "ftl", "log"].contains(&row.section);
        match row.section {
            "input" | "workload" => false,
            _ if own.contains(&key) => mine.contains(&key),
            _ if shared => entry.spec.obeys(&key),
            _ => key != "device.capacity" && key != "run.address",
        }
    };
    catalog.rows().into_iter().filter(fits).collect()
}
