//! The books of a result, audited from outside. Every sum is recomputed from other metrics of the
//! result, by their documented meaning, without access to the simulator.

use super::case::{Case, PAGE, between, pick};
use super::traffic::Traffic;
use crate::address::{AddressMap, AddressPolicy, Extent};
use crate::drive::drive;
use crate::flash::{WearConfig, WearPart, WearPolicy};
use crate::math;
use crate::metrics::latency::LatencySummary;
use crate::report::{ByCause, PlaneWear, Report};
use crate::request::{Input, Request};
use crate::rng::Rng;
use crate::units::Ratio;
use crate::warmup::Warmup;
use std::sync::Arc;

/// Requests of a run.
const REQUESTS: u64 = 200;

/// The sums of a result add up, on devices that wear out and under requests that begin beyond their
/// end.
pub fn the_books_of_a_result_balance(case: &Case<'_>) {
    let mut case = case.clone();
    let mut rng = Rng::new(case.seed(), "books");
    let run = &mut case.config.run;
    let warmups = ["none", "sequential", "random:1", "footprint"];
    run.warmup = pick(&mut rng, &warmups).parse::<Warmup>().expect("a warm-up");
    run.address = AddressPolicy::Modulo;
    run.causes = rng.chance(0.5);
    let gap = between(&mut rng, WearConfig::LEAST_GAP, 9);
    case.config.wear =
        WearConfig { policy: pick(&mut rng, WearPolicy::ALL), gap, part: WearPart::Plane };
    if rng.chance(0.5) {
        case.config.device.endurance = Some(between(&mut rng, 1, 8));
        case.config.device.spare_blocks = Ratio(pick(&mut rng, &[0.0, 0.1, 0.5]));
    }
    let capacity = case.config.device.capacity.map_or(0, |bytes| bytes.0);
    let span = capacity * if rng.chance(0.5) { 1 } else { 3 };
    let all = Extent { volume: 0, first_byte: 0, end_byte: span };
    let address = AddressMap::new(AddressPolicy::Modulo, &[all], Some(capacity));
    let address = address.expect("an address map");
    let requests = requests(&case, capacity, span, &mut rng);
    let simulator = case.entry.simulate(&case.config, capacity, address);
    let mut simulator = simulator.expect("a device that the FTL accepts");
    let input: &dyn Input = &requests;
    let report = drive(simulator.as_mut(), case.entry.name(), input, &mut |_| Ok(()));
    audit(&report.expect("a run"));
}

/// The parts of service and waiting times add up to their means.
fn causes(report: &Report) {
    let Some(causes) = &report.causes else { return };
    let mean = |summary: &Option<LatencySummary>| summary.as_ref().map_or(0.0, |times| times.mean);
    let (service, response) = (mean(&report.service_us), mean(&report.response_us));
    let (served, waited) =
        (causes.service_us.values().sum::<f64>(), causes.wait_us.values().sum::<f64>());
    near("service by cause", served, service);
    near("service and waiting by cause", served + waited, response);
}

/// Requests that begin and end anywhere in their pages, including flushes. Some are beyond the
/// device or across its end.
fn requests(case: &Case<'_>, capacity: u64, span: u64, rng: &mut Rng) -> Arc<[Request]> {
    let mut traffic = Traffic::draw(case.seed(), (capacity / PAGE) as u32);
    let mut time = 0;
    let one = |_| {
        time += rng.below(40_000);
        let (op, pages) = traffic.next();
        let first = u64::from(pages[0].0) * PAGE + capacity * rng.below(span / capacity);
        // Some end beyond the device.
        let length = pages.len() as u64 * PAGE + capacity / 2 * u64::from(rng.chance(0.2));
        let cut = rng.below(PAGE) * u64::from(rng.chance(0.5));
        let (offset, length) = (first + cut, (length - cut).max(1) as u32);
        match rng.below(20) {
            0 => Request::flush().at(time),
            _ => Request::new(op, offset, length).at(time),
        }
    };
    (0..REQUESTS).map(one).collect()
}

/// Audits the result of a run.
///
/// # Panics
/// When a metric contradicts others.
pub fn audit(report: &Report) {
    sums(report);
    by_plane(report);
    wear_since(report, report.warmup.block_erases);
}

/// Audits the measured metrics of a [`crate::drive::Life`]. Its blocks are new after the warm-up.
/// Each of its passes begins with a new clock, and new counts of planes.
///
/// # Panics
/// As [`audit`].
pub fn audit_life(report: &Report) {
    sums(report);
    wear_since(report, 0);
}

fn sums(report: &Report) {
    host(report);
    by_cause(report);
    by_class(report);
    by_zone(report);
    by_block(report);
    energy(report);
    causes(report);
}

fn sum(counts: &ByCause) -> u64 {
    counts.values().sum()
}

fn near(what: &str, found: f64, expected: f64) {
    let off = (found - expected).abs();
    assert!(off <= 1e-9 * expected.abs().max(1e-9), "{what}: found {found}, audited {expected}");
}

fn quotient(what: &str, found: Option<f64>, part: u64, whole: u64) {
    assert_eq!(found.is_some(), whole > 0, "{what} of {whole}");
    if let Some(found) = found {
        near(what, found, part as f64 / whole as f64);
    }
}

/// Requests by kind, and their sizes: at most the bytes of their pages, and at least all pages
/// except the first and the last of each.
fn host(report: &Report) {
    let host = &report.host;
    let kinds = host.reads + host.writes + host.trims + host.flushes;
    assert_eq!(host.requests, kinds, "requests by kind");
    let page = report.config.device.page.0;
    let of_op = [
        ("read", host.bytes_read, host.page_reads, host.reads),
        ("written", host.bytes_written, host.page_writes, host.writes),
    ];
    for (what, bytes, pages, requests) in of_op {
        assert!(bytes <= pages * page, "{bytes} bytes {what} in {pages} pages of {page}");
        let least = pages.saturating_sub(2 * requests) * page;
        assert!(bytes >= least, "{bytes} bytes {what} in {pages} pages of {requests} requests");
    }
    assert!(host.partial_page_writes <= host.page_writes, "pages written in part");
    assert!(host.unwritten_page_reads <= host.page_reads, "reads of nothing");
    assert!(host.writes_through <= host.writes, "writes with FUA");
    assert!(host.folded_requests.max(host.cut_requests) <= host.requests, "requests elsewhere");
    assert_eq!(report.timeline.requests.last().copied().unwrap_or(0), host.requests, "timeline");
    let answered = [&report.read_response_us, &report.write_response_us];
    let known = answered.map(Option::is_some);
    assert_eq!(known, [host.reads > 0, host.writes > 0], "response times");
}

/// Programs, and their causes.
fn by_cause(report: &Report) {
    let (flash, host) = (&report.flash, &report.host);
    let programmed = sum(&flash.programs) + sum(&flash.copybacks);
    quotient("write amplification", report.write_amplification, programmed, host.page_writes);
    let bytes = programmed * report.config.device.page.0;
    let found = report.byte_write_amplification;
    quotient("byte write amplification", found, bytes, host.bytes_written);
    let copied = |cause: &str| flash.programs[cause] + flash.copybacks[cause];
    if let Some(gc) = &report.gc {
        let all = copied("gc_data") + copied("gc_translation");
        assert_eq!(gc.copied_pages, all, "pages copied by GC");
    }
    if let Some(merges) = &report.merges {
        assert_eq!(merges.copied_pages, copied("merge"), "pages copied by merges");
    }
    if let Some(map) = &report.mapping {
        let of_map = ["translation", "gc_mapping", "gc_translation"];
        let of = |counts: &ByCause| of_map.iter().map(|cause| counts[cause]).sum::<u64>();
        let moved = of(&flash.copybacks);
        assert_eq!(map.translation_reads, of(&flash.reads) + moved, "reads of the map");
        assert_eq!(map.translation_writes, of(&flash.programs) + moved, "writes of the map");
        quotient("hit ratio", map.hit_ratio, map.hits, map.lookups);
        assert!(map.dirty_replacements <= map.replacements, "dirty entries replaced");
    }
    ahead(report);
    assert_eq!(flash.reads["wear"], flash.programs["wear"], "pages moved to level wear");
    let most = report.wear.moved_blocks * u64::from(report.config.device.pages_per_block);
    assert!(flash.programs["wear"] <= most, "pages of blocks moved to level wear");
    // Each page was programmed once since its block was erased last.
    let room = (u64::from(report.device.blocks) + sum(&flash.erases))
        * u64::from(report.config.device.pages_per_block);
    let beside = copied("checkpoint") + copied("trim");
    assert!(programmed - beside <= room, "{programmed} pages programmed, room for {room}");
}

/// Every miss has one cause; a mapping that is loaded ahead is used or evicted once.
fn ahead(report: &Report) {
    let (Some(ahead), Some(map)) = (&report.prefetch, &report.mapping) else { return };
    let misses = ahead.misses_new + ahead.misses_evicted + ahead.misses_evicted_unused;
    assert_eq!(misses, map.lookups - map.hits, "misses by cause");
    assert!(ahead.misses_in_sequence <= misses, "misses in sequence");
    let used = ahead.request_used + ahead.successors_used;
    assert!(used <= map.hits, "first uses of prefetched entries are hits");
    let unused = ahead.request_unused + ahead.successors_unused;
    assert!(unused <= map.replacements, "unused entries are replacements");
    let loaded = ahead.request_loaded + ahead.successors_loaded;
    assert!(used + unused <= loaded, "entries used or evicted unused, of those loaded ahead");
    let most = used + unused + map.cached_entries;
    assert!(loaded <= most, "entries loaded ahead, of which the rest are cached");
}

/// The counts by class add up to the total, whichever class counts a copy.
fn by_class(report: &Report) {
    let (Some(classes), Some(gc)) = (&report.classes, &report.gc) else { return };
    let flash = &report.flash;
    let all = |counts: &[u64]| counts.iter().sum::<u64>();
    let copied = flash.programs["gc_data"] + flash.copybacks["gc_data"];
    assert_eq!(all(&classes.copied_by_unit), copied, "copies by the class of their unit");
    assert_eq!(all(&classes.copied_to_unit), copied, "copies by the class that they go to");
    assert_eq!(all(&classes.copied_by_writer), copied, "copies by the class of their last writer");
    assert_eq!(all(&classes.erased), gc.data_blocks, "units that were erased, by class");
    let written = flash.programs["host"] + flash.programs["padding"];
    assert_eq!(all(&classes.written), written, "pages of the host by class");
    let course = &report.timeline;
    let of_course =
        |lists: &Option<Vec<Vec<u64>>>| lists.iter().flatten().map(|list| all(list)).sum::<u64>();
    assert_eq!(of_course(&course.copied_by_class), copied, "copies over time");
    assert_eq!(of_course(&course.written_by_class), written, "pages of the host over time");
    let Some(fdp) = &report.fdp else { return };
    assert_eq!(all(&fdp.copied_by_owner), copied, "copies by the owner of their unit");
    assert_eq!(all(&fdp.erased_by_owner), gc.data_blocks, "units by their owner");
    assert_eq!(fdp.host_bytes_written, report.host.bytes_written, "HBMW");
    let device = &report.config.device;
    assert_eq!(fdp.media_bytes_written, (written + copied) * device.page.0, "MBMW");
    let unit = u64::from(device.pages_per_block) * device.page.0;
    assert_eq!(fdp.media_bytes_erased, gc.data_blocks * unit, "MBE");
}

/// The work of a zoned drive itself: it levels wear, and keeps the data that recovery needs. All
/// other programs are writes of its host to zones, and all other erases are resets of zones.
fn by_zone(report: &Report) {
    let Some(zones) = &report.zones else { return };
    let flash = &report.flash;
    let programmed = sum(&flash.programs) + sum(&flash.copybacks);
    let own: u64 = ["wear", "checkpoint", "trim"].map(|cause| flash.programs[cause]).iter().sum();
    assert_eq!(programmed - own, zones.written, "pages programmed, and written to zones");
    let factor = zones.device_write_amplification;
    quotient("write amplification of the drive", factor, programmed, zones.written);
    let host = report.host.page_writes;
    quotient(
        "write amplification of the host",
        zones.host_write_amplification,
        zones.written,
        host,
    );
    let blocks = u64::from(report.device.blocks / zones.zones);
    if own == 0 {
        assert_eq!(sum(&flash.erases), zones.resets * blocks, "blocks erased, and zones reset");
    }
    assert!(report.fdp.is_none(), "a zoned drive has no handles");
    let most = zones.finished * zones.zone_pages;
    assert!(zones.unwritten <= most, "{} pages left of {} zones", zones.unwritten, zones.finished);
    assert!(
        zones.most_open <= zones.most_active && zones.most_active <= zones.zones,
        "active zones"
    );
}

/// Operations of planes: all together, and those that serve requests.
fn by_plane(report: &Report) {
    let (flash, planes) = (&report.flash, &report.planes);
    let pages = [&flash.reads, &flash.oob_reads, &flash.programs, &flash.copybacks];
    let all: u64 = pages.into_iter().map(sum).sum::<u64>() + sum(&flash.erases);
    assert_eq!(planes.requests.iter().sum::<u64>(), all, "operations of planes");
    let serving = ["host", "translation", "padding", "read_modify_write"];
    let of = |counts: &ByCause| serving.iter().map(|cause| counts[cause]).sum::<u64>();
    let least: u64 = pages.into_iter().map(of).sum();
    let found: u64 = planes.host_requests.iter().sum();
    let most = least + sum(&flash.erases);
    assert!((least..=most).contains(&found), "{found} operations that serve, {least} to {most}");
    let pairs = planes.requests.iter().zip(&planes.host_requests);
    assert!(pairs.into_iter().all(|(all, serving)| serving <= all), "operations of a plane");
    let [requests, host_requests] = [&planes.requests, &planes.host_requests].map(|counts| {
        let of = counts.iter().map(|count| *count as f64).collect::<Vec<_>>();
        deviation(&of).1
    });
    for (found, deviation) in [(planes.sdrpp, requests), (planes.host_sdrpp, host_requests)] {
        near("SDRPP", found.map_or(0.0, math::exp), deviation);
    }
}

/// Mean and population standard deviation.
fn deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (mean, (squares / count).sqrt())
}

/// Erases of blocks: the totals, and those of each plane.
fn by_block(report: &Report) {
    let wear = &report.wear;
    let blocks: Vec<f64> = wear
        .blocks_by_erases
        .iter()
        .flat_map(|(erases, blocks)| (0..*blocks).map(|_| f64::from(*erases)))
        .collect();
    assert_eq!(blocks.len() as u32, report.device.blocks, "blocks by their erases");
    let (mean, stddev) = deviation(&blocks);
    near("mean of erases", wear.erases_mean, mean);
    near("deviation of erases", wear.erases_stddev, stddev);
    let ends = [blocks.first(), blocks.last()].map(|erases| erases.map_or(0, |each| *each as u32));
    assert_eq!([wear.erases_min, wear.erases_max], ends, "fewest and most erases");
    assert_eq!(wear.planes.len() as u32, report.device.planes, "planes");
    let of_planes: Vec<f64> = wear.planes.iter().map(|plane| plane.erases_mean).collect();
    near("means of planes", deviation(&of_planes).0, mean);
    let least = wear.planes.iter().map(|plane| plane.erases_min).min();
    let most = wear.planes.iter().map(|plane| plane.erases_max).max();
    assert_eq!([least, most].map(Option::unwrap_or_default), ends, "erases of planes");
    let within = wear.levelled_within.unwrap_or(0);
    assert!(within <= report.config.wear.gap, "{within} erases apart although levelled");
    let inside = |plane: &PlaneWear| (plane.erases_min as f64) <= plane.erases_mean;
    assert!(wear.planes.iter().all(inside), "means of planes");
}

/// Every erase since the device was new wore a block that is there, or one that a spare block has
/// replaced. `before` erases were not measured. Blocks wore out in order.
fn wear_since(report: &Report, before: u64) {
    let kinds = ["data", "log", "translation"].map(|kind| report.flash.erases[kind]);
    let erases = kinds.iter().sum::<u64>() + before;
    assert_eq!(report.wear.erases_total, erases, "erases of all blocks together");
    let blocks = report.wear.blocks_by_erases.iter();
    let in_place: u64 = blocks.map(|(erases, blocks)| u64::from(erases * blocks)).sum();
    let Some(life) = &report.lifetime else {
        return assert_eq!(in_place, erases, "erases of blocks");
    };
    let config = &report.config.device;
    let (spare, bad) = config.spare_blocks(report.device.blocks / report.device.planes);
    let replaced = u64::from(report.device.planes * (spare - bad) - life.spare_blocks);
    if config.endurance_spread == Ratio(0.0) {
        let endured = replaced * u64::from(config.endurance.unwrap_or(0));
        assert_eq!(in_place + endured, erases, "erases of blocks, {replaced} of them replaced");
    }
    assert!(replaced <= life.worn_out_blocks, "{replaced} blocks replaced");
    assert_eq!(life.read_only, replaced < life.worn_out_blocks, "worn out without a spare one");
    assert!(life.read_only || life.refused_requests == 0, "requests refused");
    assert_eq!(life.bytes_at_failure.len() as u64, life.worn_out_blocks, "failures");
    assert!(life.bytes_at_failure.is_sorted(), "failures in order");
    let written = report.host.page_writes + report.warmup.host_page_writes;
    let last = life.bytes_at_failure.last().copied().unwrap_or(0);
    assert!(last <= written * config.page.0, "{last} bytes at a failure, {written} pages written");
}

/// Power times the time of each operation, and of the RAM.
fn energy(report: &Report) {
    let (energy, power) = (&report.energy, &report.config.energy);
    let device = &report.config.device;
    let joules = |milliwatts: f64, nanos: u64| milliwatts * nanos as f64 * 1e-12;
    let transfer = joules(power.transfer, device.page_transfer().1);
    let (read, program) =
        (joules(power.read, device.read.0), joules(power.program, device.program.0));
    let flash = &report.flash;
    let each = [
        (sum(&flash.reads), read + transfer),
        (sum(&flash.oob_reads), joules(power.read, device.oob_read.0)),
        (sum(&flash.programs), program + transfer),
        (sum(&flash.copybacks), read + program),
        (sum(&flash.erases), joules(power.erase, device.erase.0)),
    ];
    let all: f64 = each.iter().map(|(count, joules)| *count as f64 * joules).sum();
    near("energy of the flash", energy.flash_j.values().sum(), all);
    let ram = &report.ram_bytes;
    let known = ram.tables.map(|tables| tables + ram.cache + ram.buffer);
    let energies = [energy.ram_j, energy.total_j].map(|joules| joules.is_some());
    assert_eq!(energies, [known.is_some(); 2], "energy of RAM that is not stated");
    let (Some(ram), Some(ram_j), Some(total_j)) = (known, energy.ram_j, energy.total_j) else {
        return;
    };
    near("energy in all", total_j, all + ram_j);
    let least = power.ram * 1e-3 * ram as f64 / f64::from(1 << 20) * report.host.duration_s;
    assert!(ram_j >= least * (1.0 - 1e-9), "{ram_j} J of RAM, {least} at least");
    let bytes = report.host.bytes_read + report.host.bytes_written;
    assert_eq!(energy.nj_per_host_byte.is_some(), bytes > 0, "energy for each of {bytes} bytes");
    if let Some(of_byte) = energy.nj_per_host_byte {
        near("energy for a byte", of_byte * bytes as f64, total_j * 1e9);
    }
}
