//! A configuration and a seed decide everything, whichever way an FTL is called; and the numbers of
//! two workloads, so that one glance shows any change of behaviour.

use ftlab::address::{AddressMap, Extent, extents};
use ftlab::catalog::{Catalog, Entry, simulation};
use ftlab::config::Config;
use ftlab::drive::drive;
use ftlab::flash::{Device, Ledger};
use ftlab::ftl::demand::{DemandFtl, Dftl, Tpftl};
use ftlab::ftl::log_block::fast::FastFtl;
use ftlab::ftl::page::PageFtl;
use ftlab::ftl::{Design, access};
use ftlab::report::Report;
use ftlab::request::Request;
use ftlab::session::{Point, open_input, run, run_points};
use ftlab::simulate::Role;
use ftlab::units::{Bytes, Lpn};
use serde_json::Value;
use std::fmt::Write as _;

/// 20,000 requests, a third of them reads, on a full and aged device of 32 MiB.
const ZIPF: &str = r#"{
    "device": {"capacity": "32MiB"},
    "ftl": {"cache": "2KiB"},
    "workload": {"pattern": "zipf", "size": "32MiB", "bs_mix": [["4k", 3], ["16k", 1]],
                 "read_share": "33%", "requests": 20000},
    "run": {"warmup": "random:1"}}"#;

/// 5,000 of them on 16 MiB, where many runs are compared.
fn small() -> Config {
    let small = ZIPF.replace(r#""32MiB"}"#, r#""16MiB", "pages_per_block": 32}"#);
    config(&small.replace("32MiB", "16MiB").replace("20000", "5000"))
}

/// The first 20,000 requests of Financial1's profile on the device of TPFTL, full and aged.
const FINANCIAL1: &str = r#"{
    "preset": "tpftl-eurosys15",
    "device": {"capacity": "512MiB"},
    "input": {"trace": "financial1", "requests": 20000},
    "run": {"warmup": "random:1", "address": "modulo"}}"#;

fn config(json: &str) -> Config {
    Catalog::standard()
        .resolve(&serde_json::from_str(json).expect("JSON"))
        .expect("a good configuration")
}

/// The configuration of one FTL: a cache below 8 KiB has no room for whole translation pages, and a
/// pool of that size none for data.
fn config_of(ftl: &str, config: &Config) -> Config {
    let least = match ftl {
        "cdftl" | "sftl" | "zftl" => 8 << 10,
        "treeftl" | "aps" => 64 << 10,
        _ => 0,
    };
    let mut config = config.clone();
    config.ftl.cache = config.ftl.cache.max(Some(Bytes(least)).filter(|_| least > 0));
    config
}

/// All FTLs that take a configuration over one reading of the input.
fn reports(config: &Config) -> Vec<Report> {
    let catalog = Catalog::standard();
    let capacity = config.device.capacity.expect("a capacity").0;
    let takes = |entry: &&Entry| {
        let config = entry.adapted(&config_of(entry.name(), config));
        let mut device = Device::new(&config.device, capacity).expect("a device");
        // Some policies ask an FTL where its pages lie.
        config.gc.policy != "cost-hotness" || entry.build(&config, &mut device).is_ok()
    };
    let point = |entry: &Entry| Point {
        config: config_of(entry.name(), config),
        ftl: entry.name().to_owned(),
    };
    let points: Vec<Point> = catalog.ftls().iter().filter(takes).map(point).collect();
    assert!(!points.is_empty(), "an FTL takes {}", config.gc.policy);
    run_points(&catalog, &points, &mut |_| Ok(())).expect("a run")
}

/// A report without the speed of the machine.
fn facts(report: &Report) -> Value {
    let mut tree = serde_json::to_value(report).expect("a report is a tree");
    tree.as_object_mut().expect("a table").remove("speed").expect("the speed");
    tree
}

#[test]
#[ignore = "long: part of make test-long"]
fn the_same_seed_gives_the_same_report_and_another_seed_another() {
    the_seed_decides(&small());
}

#[test]
#[ignore = "long: part of make test-long"]
fn the_seed_decides_on_32_mib() {
    the_seed_decides(&config(ZIPF));
}

fn the_seed_decides(config: &Config) {
    for policy in Catalog::standard().policies().iter().map(|policy| policy.spec.name) {
        let mut config = config.clone();
        config.gc.policy = policy.to_owned();
        let [once, again] = [(), ()].map(|()| reports(&config));
        config.run.seed += 1;
        for ((one, two), other) in once.iter().zip(&again).zip(&reports(&config)) {
            assert_eq!(facts(one), facts(two), "{} under {policy}", one.ftl);
            assert_ne!(facts(one)["flash"], facts(other)["flash"], "{} under {policy}", one.ftl);
        }
    }
}

/// Under `steady:1%` the FTLs need different numbers of passes: one that is steady waits for the others.
#[test]
#[ignore = "long: part of make test-long"]
fn ftls_that_run_together_do_what_each_does_alone() {
    let mut config = small();
    for warmup in ["random:1", "steady:1%", "steady-random"] {
        config.run.warmup = warmup.parse().expect("a mode");
        for together in reports(&config) {
            let config = config_of(&together.ftl, &config);
            let alone = run(&Catalog::standard(), &config, &[&together.ftl], &mut |_| Ok(()))
                .expect("a run")
                .remove(0);
            assert_eq!(facts(&together), facts(&alone), "{} after {warmup}", together.ftl);
        }
    }
}

fn requests(config: &Config) -> Vec<Request> {
    let mut source = open_input(config).expect("an input").open().expect("a stream");
    source.rest().expect("requests")
}

/// Serves requests through `Box<dyn Ftl>`, one call for each.
fn by_hand(entry: &Entry, config: &Config, requests: &[Request]) -> Ledger {
    let capacity = config.device.capacity.expect("a capacity").0;
    let mut flash = Device::new(&config.device, capacity).expect("a device");
    let mut ftl = entry.build(config, &mut flash).expect("an FTL");
    flash.start_measuring();
    let page = u64::from(flash.geometry().page_bytes);
    for request in requests {
        let pages = request.offset / page..request.end().div_ceil(page);
        let pages: Vec<Lpn> = pages.map(|page| Lpn(page as u32)).collect();
        access(&mut *ftl, request.op, &pages, &mut flash);
    }
    ftl.audit(&flash);
    flash.ledger().clone()
}

#[test]
fn a_boxed_ftl_does_what_a_simulation_with_the_ftl_inside_does() {
    // Idle time is known to a simulation alone.
    let config = config(&ZIPF.replacen('{', r#"{"cachftl": {"async_free": 0},"#, 1));
    let requests = requests(&config);
    let capacity = config.device.capacity.expect("a capacity").0;
    let whole = Extent { volume: 0, first_byte: 0, end_byte: capacity };
    let address = AddressMap::new(config.run.address, &[whole], Some(capacity)).expect("a map");
    for entry in Catalog::standard().ftls() {
        let config = config_of(entry.name(), &config);
        let mut simulator = entry.simulate(&config, capacity, address.clone()).expect("built");
        simulator.serve(&requests, Role::Asked).expect("requests inside the device");
        simulator.check();
        let inside = simulator.outcome().flash.ledger().clone();
        assert_eq!(by_hand(entry, &config, &requests), inside, "{}", entry.name());
    }
}

/// What an FTL reports whose simulation is compiled for it alone.
fn by_its_own_loop<F: Design>(config: &Config) -> Report {
    let capacity = config.device.capacity.expect("a capacity").0;
    let input = open_input(config).expect("an input");
    let mut stream = input.open().expect("a stream");
    let measured = extents(stream.as_mut(), &mut |_, _| Ok(())).expect("requests").extents;
    let address = AddressMap::new(config.run.address, &measured, Some(capacity)).expect("a map");
    let mut simulation = simulation::<F>(config, capacity, address).expect("built");
    drive(&mut simulation, F::SPEC.name, input.as_ref(), &mut |_| Ok(())).expect("a run")
}

/// In a quick build the catalogue has one loop for all FTLs.
#[test]
fn a_loop_for_all_ftls_does_what_one_for_each_does() {
    let config = config(ZIPF);
    let alone = [
        by_its_own_loop::<PageFtl>(&config),
        by_its_own_loop::<DemandFtl<Dftl>>(&config),
        by_its_own_loop::<DemandFtl<Tpftl>>(&config),
        by_its_own_loop::<FastFtl>(&config),
    ];
    let sections = ["host", "flash", "gc", "mapping", "merges", "wear", "checks", "response_us"];
    for report in alone {
        let of_catalog = run(&Catalog::standard(), &config, &[&report.ftl], &mut |_| Ok(()));
        let [own, shared] = [&report, &of_catalog.expect("a run")[0]].map(facts);
        for section in sections {
            assert_eq!(own[section], shared[section], "{section} of {}", report.ftl);
        }
    }
}

/// One line for each figure, one column for each FTL.
fn table(reports: &[Report]) -> String {
    let figures = [
        "/host/page_reads",
        "/host/page_writes",
        "/mapping/lookups",
        "/mapping/hits",
        "/mapping/replacements",
        "/mapping/dirty_replacements",
        "/mapping/cached_entries",
        "/flash/reads/translation",
        "/flash/programs/translation",
        "/flash/programs/gc_data",
        "/flash/programs/gc_mapping",
        "/flash/programs/gc_translation",
        "/flash/programs/merge",
        "/gc/runs",
        "/gc/data_blocks",
        "/gc/translation_blocks",
        "/merges/switch",
        "/merges/partial",
        "/merges/full",
        "/wear/erases_total",
        "/wear/erases_max",
        "/write_amplification",
        "/response_us/mean",
        "/response_us/max",
        "/checks/reads_verified",
    ];
    let trees: Vec<Value> = reports.iter().map(facts).collect();
    let mut text = format!("{:32}", "");
    trees.iter().for_each(|tree| write!(text, "{:>16}", cell(&tree["ftl"])).expect("text"));
    for figure in figures {
        write!(text, "\n{figure:32}").expect("text");
        for tree in &trees {
            write!(text, "{:>16}", tree.pointer(figure).map_or("-".into(), cell)).expect("text");
        }
    }
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => {
            format!("{:.3}", number.as_f64().expect("a float"))
        }
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        other => other.to_string(),
    }
}

#[test]
fn the_numbers_of_a_zipf_workload_stay() {
    insta::assert_snapshot!(table(&reports(&config(ZIPF))));
}

#[test]
#[ignore = "long: part of make test-long"]
fn the_numbers_of_financial1_stay() {
    insta::assert_snapshot!(table(&reports(&config(FINANCIAL1))));
}
