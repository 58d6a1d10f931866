//! Parts of pages: what a device pays that reads before it writes (choices.md#partial-pages).

use ftlab::catalog::{Catalog, Entry};
use ftlab::engine::{Booking, Kind};
use ftlab::report::Report;
use ftlab::rng::Rng;
use ftlab::session;
use serde_json::{Value, json};
use std::collections::HashSet;

const PAGE: u64 = 4096;
const REQUESTS: u64 = 4_000;
const BYTES: u64 = 2 << 20;

fn run(ftls: &[&str], tree: &Value) -> Vec<Report> {
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("valid settings");
    session::run(&catalog, &config, ftls, &mut |_| Ok(())).expect("the run ends")
}

/// A trace of 512-byte writes anywhere, as CSV; and the page writes of a page that was written before.
fn sector_writes(name: &str) -> (std::path::PathBuf, u64) {
    let mut rng = Rng::new(7, "sectors");
    let (mut text, mut held, mut rewritten) =
        (String::from("time,op,offset,length\n"), HashSet::new(), 0);
    for number in 0..REQUESTS {
        let offset = 512 * rng.below(BYTES / 512);
        text += &format!("{},write,{offset},512\n", number * 10_000_000);
        rewritten += u64::from(!held.insert(offset / PAGE));
    }
    let path = std::env::temp_dir().join(format!("ftlab-{name}-{}.csv", std::process::id()));
    std::fs::write(&path, text).expect("a file");
    (path, rewritten)
}

#[test]
fn a_write_of_one_sector_costs_one_read_if_its_page_holds_data() {
    let catalog = Catalog::standard();
    let names: Vec<&str> = catalog.ftls().iter().map(Entry::name).collect();
    let (path, rewritten) = sector_writes("reads");
    let tree = |partial_writes: &str, sector: &str| {
        json!({
            "device": {
                "capacity": "2MiB", "over_provisioning": "150%", "pages_per_block": 16,
                "partial_writes": partial_writes, "sector": sector,
            },
            "ftl": { "cache": 16384 },
            "input": { "trace": path, "columns": "time=time:ns,op=op,offset=offset:bytes,length=length:bytes" },
        })
    };
    let completed = |report: &Report| report.flash.reads["read_modify_write"];
    for report in run(&names, &tree("read-modify-write", "512B")) {
        // Some FTLs keep pages in their own RAM.
        let hits = report.own.iter().filter(|(name, _)| name.ends_with(".read_hits"));
        let in_ram: u64 = hits.map(|(_, count)| count).sum();
        assert_eq!(completed(&report) + in_ram, rewritten, "{}", report.ftl);
        assert_eq!(report.host.partial_page_writes, REQUESTS, "{}", report.ftl);
        let [pages, bytes] = [report.write_amplification, report.byte_write_amplification];
        assert_eq!(bytes, pages.map(|wa| 8.0 * wa), "{}", report.ftl);
    }
    for (partial_writes, sector) in [("program", "512B"), ("read-modify-write", "4KiB")] {
        for report in run(&["page", "tpftl", "fast"], &tree(partial_writes, sector)) {
            assert_eq!(completed(&report), 0, "{} {partial_writes} {sector}", report.ftl);
        }
    }
    std::fs::remove_file(path).expect("it is there");
}

/// On many planes a program could begin before the page that it completes was read.
#[test]
fn programs_wait_for_the_pages_that_they_complete() {
    let tree = json!({
        "device": {
            "capacity": "4MiB", "over_provisioning": "200%", "channels": 2, "planes_per_die": 2,
            "partial_writes": "read-modify-write",
        },
        "ftl": { "placement": "striped" },
        "workload": { "pattern": "randwrite", "bs": "10k", "size": "4MiB", "requests": 150 },
        "run": { "timeline": 20_000 },
    });
    let report = run(&["page"], &tree).remove(0);
    let reads = |booking: &&Booking| booking.kind == Kind::Read;
    let bookings = report.schedule.iter().filter(reads);
    let mut waited = 0;
    for read in bookings {
        let of_the_host =
            |other: &&Booking| other.request == read.request && other.kind == Kind::Program;
        for program in report.schedule.iter().filter(of_the_host) {
            assert!(program.start >= read.end, "{program:?} before {read:?}");
            waited += 1;
        }
    }
    assert!(waited > 100, "{waited} programs waited");
}
