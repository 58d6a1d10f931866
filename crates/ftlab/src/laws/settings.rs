//! What a setting may do: be refused by its name, work, or change nothing where it is not obeyed.

use super::case::{Case, PAGE, between, pick};
use super::operations;
use super::run::Run;
use super::traffic::Traffic;
use crate::config::Config;
use crate::device::{Cell, ProgramOrder};
use crate::error::Error;
use crate::ftl::FtlConfig;
use crate::gc::{CopyBack, GcConfig, GcStart, Opens};
use crate::placement::allocation::SINGLE;
use crate::rng::Rng;
use crate::settings::{Edge, Section, SectionKind};
use crate::units::{Bytes, Duration, Ratio};

/// A configuration, and the key of the setting that it tries.
type Tried = (&'static str, Config);

/// How a configuration is changed.
type Change = fn(&mut Config);

/// What is out of range or impossible is refused by an error that names its key.
pub fn what_cannot_work_is_refused(case: &Case<'_>) {
    for (key, wrong) in at_edges(case, Edge::Outside).into_iter().chain(impossible(case)) {
        // A variant sets some keys itself.
        if case.entry.adapted(&wrong) == case.entry.adapted(&case.config) {
            continue;
        }
        match case.with(wrong).build_all() {
            Err(Error::Config { key: named, .. }) => {
                assert_eq!(named, key, "the key that an error names");
            }
            Err(other) => panic!("{key} cannot work, and the error is {other}"),
            Ok(()) => panic!("{key} cannot work and is accepted"),
        }
    }
}

/// A setting at an end of its range is refused or works, and so are the least RAM, OOB and log blocks.
pub fn what_is_in_range_is_refused_or_works(case: &Case<'_>) {
    let nothing: [Change; 3] = [
        |c| c.ftl.cache = Some(Bytes(0)),
        |c| c.device.oob = Some(Bytes(0)),
        |c| c.log.blocks = Some(0),
    ];
    let edges = at_edges(case, Edge::Inside).into_iter().map(|(_, config)| config);
    for config in edges.chain(nothing.map(|change| changed(case, change))) {
        let case = case.with(config);
        if case.build_all().is_err() {
            continue;
        }
        let mut run = Run::new(&case);
        let mut traffic = Traffic::draw(case.seed(), run.pages());
        for _ in 0..20 {
            let (op, pages) = traffic.next();
            run.serve(op, &pages);
        }
        run.audit();
    }
}

/// Shared settings that the FTL does not obey are refused, or it does the same operations under any.
pub fn what_is_not_obeyed_changes_nothing(case: &Case<'_>) {
    let obeys = |key: &str| case.entry.spec.obeys(key);
    let other = case.with(mixed(&case.config, &drawn(case), obeys));
    match other.build() {
        Ok(_) => assert_eq!(operations(case), operations(&other), "nothing is changed"),
        Err(Error::Config { key, .. }) => {
            assert!(case.entry.spec.rejects(&key), "{key} is not declared as rejected");
        }
        Err(error) => panic!("{error}"),
    }
}

/// The same configuration with other shared settings.
fn drawn(case: &Case<'_>) -> Config {
    let mut rng = Rng::new(case.seed(), "not obeyed");
    let placements: Vec<_> = case.config.placements.iter().map(|named| named.spec.name).collect();
    let ftl = FtlConfig {
        cache: Some(Bytes(rng.below(PAGE))),
        placement: pick(&mut rng, &placements).to_owned(),
        search_step: Duration(between(&mut rng, 0, 2000).into()),
        ..Section::draw(&mut rng)
    };
    let gc = with_start(Section::draw(&mut rng), case.seed());
    Config { gc, ftl, log: Section::draw(&mut rng), ..case.config.clone() }
}

/// GC that starts by free blocks, by garbage, or before each page.
fn with_start(gc: GcConfig, seed: u64) -> GcConfig {
    let mut rng = Rng::new(seed, "start");
    GcConfig {
        start: pick(&mut rng, GcStart::ALL),
        garbage: Ratio(pick(&mut rng, &[0.01, 0.15, 0.9])),
        victims: between(&mut rng, 1, 9),
        open: pick(&mut rng, Opens::ALL),
        background: between(&mut rng, 0, 9),
        lazy: Ratio(pick(&mut rng, &[0.0, 0.5, 1.0])),
        ..gc
    }
}

/// A configuration with the shared settings of another, except for those that `keeps` accepts, where they fit together.
fn mixed(own: &Config, other: &Config, keeps: impl Fn(&str) -> bool) -> Config {
    fn of<T: Section>(own: &T, other: &T, keeps: impl Fn(&str) -> bool) -> T {
        let mixed = own.kept(keeps, other);
        if mixed.check().is_ok() { mixed } else { own.clone() }
    }
    Config {
        gc: of(&own.gc, &other.gc, &keeps),
        ftl: of(&own.ftl, &other.ftl, &keeps),
        log: of(&own.log, &other.log, &keeps),
        ..own.clone()
    }
}

fn changed(case: &Case<'_>, change: Change) -> Config {
    let mut config = case.config.clone();
    change(&mut config);
    config
}

/// The configuration with one setting at an edge of its range, for each that the FTL has.
fn at_edges(case: &Case<'_>, edge: Edge) -> Vec<Tried> {
    let base = &case.config;
    let obeys = |key: &str| case.entry.spec.obeys(key);
    let policy = base.policies.iter().filter(|named| named.spec.name == base.gc.policy);
    let buffer = base.buffers.iter().filter(|named| named.spec.name == base.buffer.policy);
    let policy = policy.filter(|_| obeys("gc.policy")).flat_map(|named| &named.settings);
    let kinds: Vec<SectionKind> = case
        .entry
        .settings
        .iter()
        .chain(policy)
        .chain(buffer.flat_map(|named| &named.settings))
        .copied()
        .collect();
    let own = base.own.at_edges(&kinds, edge).into_iter();
    let gc = base.gc.at_edges(edge).into_iter();
    let wear = base.wear.at_edges(edge).into_iter();
    let ftl = base.ftl.at_edges(edge).into_iter();
    let log = base.log.at_edges(edge).into_iter();
    let shared = gc
        .map(|(key, gc)| (key, Config { gc, ..base.clone() }))
        .chain(wear.map(|(key, wear)| (key, Config { wear, ..base.clone() })))
        .chain(ftl.map(|(key, ftl)| (key, Config { ftl, ..base.clone() })))
        .chain(log.map(|(key, log)| (key, Config { log, ..base.clone() })))
        .chain(own.map(|(key, own)| (key, Config { own, ..base.clone() })));
    // The largest devices take too long to try.
    let device = base.device.at_edges(edge).into_iter().filter(|_| edge == Edge::Outside);
    device.map(|(key, device)| (key, Config { device, ..base.clone() })).chain(shared).collect()
}

/// Configurations that no device, buffer or FTL of these properties can work with.
fn impossible(case: &Case<'_>) -> Vec<Tried> {
    let spec = &case.entry.spec;
    let mut single = case.config.clone();
    SINGLE.clone_into(&mut single.ftl.placement);
    let is_single = case.entry.adapted(&single).ftl.placement == SINGLE;
    let device = &case.config.device;
    let planes =
        device.channels * device.chips_per_channel * device.dies_per_chip * device.planes_per_die;
    let pages = device.capacity.map_or(0, |bytes| bytes.0 / PAGE);
    let is_short = u64::from(2 * planes * device.pages_per_block) < pages;
    let wrong: [(&'static str, bool, Change); 16] = [
        ("device.page", true, |c| c.device.page = Bytes(PAGE + PAGE / 2)),
        ("device.oob", true, |c| c.device.oob = Some(Bytes(PAGE + 1))),
        ("device.ecc", true, |c| c.device.ecc = Bytes(PAGE + 1)),
        ("device.capacity", true, |c| c.device.capacity = Some(Bytes(0))),
        ("device.capacity", true, |c| {
            c.device.capacity = Some(Bytes((1 << 32) * PAGE));
            c.device.blocks = None;
        }),
        ("device.blocks", is_short, |c| c.device.blocks = Some(1)),
        ("device.cell", true, |c| {
            c.device.cell = Some(Cell::Mlc);
            c.device.pages_per_block = 3;
            c.device.blocks = None;
        }),
        ("device.cell", true, |c| {
            c.device.cell = Some(Cell::Mlc);
            c.device.pages_per_block = 4;
            c.device.blocks = None;
            c.device.program_order = Some(ProgramOrder::Any);
        }),
        ("device.cell", spec.needs_word_lines, |c| c.device.cell = Some(Cell::Slc)),
        ("device.read_by_bit", true, |c| c.device.read_by_bit = Some(vec![Duration(1); 4])),
        ("gc.high", true, |c| c.gc.high = c.gc.low),
        ("gc.copy_back", is_single && spec.obeys("gc.copy_back"), |c| {
            SINGLE.clone_into(&mut c.ftl.placement);
            c.gc.copy_back = Some(CopyBack::InOrder);
            c.device.channels = 2;
        }),
        ("device.sector", true, |c| c.device.sector = Bytes(96)),
        ("device.sector", true, |c| c.device.sector = Bytes(2 * PAGE)),
        ("device.sector", true, |c| c.device.sector = Bytes(PAGE / 256)),
        ("buffer.size", true, |c| c.buffer.size = Bytes(PAGE - 1)),
    ];
    let wrong = wrong.into_iter().filter(|(_, applies, _)| *applies);
    wrong.map(|(key, _, change)| (key, changed(case, change))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Catalog, Entry};
    use crate::ftl::LogConfig;
    use crate::settings::Row;
    use std::collections::BTreeSet;

    /// More than any setting needs to show its effect.
    const CASES: u64 = 500;

    #[test]
    fn what_is_obeyed_changes_something() {
        let catalog = Catalog::standard();
        for entry in catalog.ftls() {
            let mut idle = obeyed(entry);
            for seed in 0..CASES {
                if idle.is_empty() {
                    break;
                }
                let case = Case::draw(&catalog, entry, seed);
                let other = drawn(&case);
                let plain = operations(&case);
                idle.retain(|key| {
                    let changed = case.with(mixed(&case.config, &other, |each| each != key));
                    changed.build().is_ok() && operations(&changed) == plain
                });
            }
            assert!(idle.is_empty(), "{} obeys {idle:?}, which change nothing", entry.name());
        }
    }

    /// The keys of the sections that all FTLs share, which `drawn` draws.
    fn obeyed(entry: &Entry) -> BTreeSet<String> {
        let rows = [GcConfig::rows(), FtlConfig::rows(), LogConfig::rows()].concat();
        rows.iter().map(Row::key).filter(|key| entry.spec.obeys(key)).collect()
    }
}
