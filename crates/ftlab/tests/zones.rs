//! Zones: the state machine over a million random commands, and a host's garbage collection over zones that is the
//! controller's over blocks, count for count.

use ftlab::catalog::Catalog;
use ftlab::laws::zones::{Answers, walk};
use ftlab::report::Report;
use ftlab::session;
use ftlab::zones::Status;
use serde_json::{Value, json};

#[test]
fn a_million_commands_are_answered_as_the_table_says() {
    let mut answers = Answers::new();
    for seed in 0..500 {
        walk(seed, 2000)
            .into_iter()
            .for_each(|(code, count)| *answers.entry(code).or_default() += count);
    }
    assert_eq!(answers.values().sum::<u64>(), 1_000_000, "commands");
    assert!(answers[&0] > 200_000, "{} commands were not refused", answers[&0]);
    for status in Status::ALL {
        let met = answers.get(&status.code()).copied().unwrap_or(0);
        assert!(met > 1000, "{met} commands answered with {status}");
    }
}

/// Runs `page` and `zones` under the same rules. The blocks of `page` are as large as a zone's pages that are written.
fn both(settings: &Value, zones: &Value, planes: u32, unit: u32, block: u32) -> [Report; 2] {
    let run = |ftl: &str, pages_per_block: u32, planes: u32, units: u32| {
        let mut tree = json!({
            "device": {
                "capacity": 1024 * 4096, "page": 4096, "planes_per_die": planes,
                "pages_per_block": pages_per_block, "blocks": units,
            },
            "workload": {
                "pattern": "zipf", "bs": "4k", "size": 1024 * 4096, "requests": 12_000,
                "zipf_theta": 0.9, "read_share": 0.0, "plids": "0-2",
            },
            "run": { "warmup": "none" },
        });
        let tree = tree.as_object_mut().expect("a table");
        tree.extend(settings.as_object().expect("a table").clone());
        tree.insert("zones".to_owned(), zones.clone());
        let catalog = Catalog::standard();
        let config = catalog.resolve(tree).expect("settings");
        session::run(&catalog, &config, &[ftl], &mut |_| Ok(())).expect("a run").remove(0)
    };
    let units = 1440 / unit;
    let width = zones["width"].as_u64().unwrap_or(1) as u32;
    [run("page", unit, 1, units), run("zones", block, planes, units * width)]
}

fn counts_are_equal([page, zones]: [Report; 2], width: u64) {
    let gc = |report: &Report| report.gc.as_ref().expect("garbage collection").copied_pages;
    assert!(gc(&page) > 1000, "{} pages copied", gc(&page));
    assert_eq!(gc(&page), gc(&zones), "pages copied");
    assert_eq!(page.flash.programs, zones.flash.programs, "programs by cause");
    assert_eq!(page.flash.reads, zones.flash.reads, "reads by cause");
    assert_eq!(page.flash.erases["data"] * width, zones.flash.erases["data"], "erases");
    assert_eq!(page.write_amplification, zones.write_amplification, "write amplification");
    let of_page = page.classes.map(|classes| (classes.written, classes.copied_by_writer));
    let of_zones = zones.classes.map(|classes| (classes.written, classes.copied_by_writer));
    assert_eq!(of_page, of_zones, "pages by class");
    let books = zones.zones.expect("zones");
    assert_eq!(books.device_write_amplification, Some(1.0), "the drive copies nothing");
    assert_eq!(books.host_write_amplification, page.write_amplification, "the host copies all");
}

#[test]
fn a_host_collects_zones_as_a_controller_collects_blocks() {
    let rules = [
        json!({}),
        json!({ "gc": { "copies": "own", "mode": "single" } }),
        json!({ "gc": { "policy": "cost-benefit", "low": 2, "high": 6 } }),
        json!({ "gc": { "policy": "fifo" } }),
        json!({ "gc": { "policy": "d-choices", "choices": 4 } }),
        json!({ "ftl": { "separation": "sepbit" } }),
        json!({ "ftl": { "separation": "eti" } }),
        json!({ "gc": { "start": "each-page", "low": 4, "high": 5, "open": "ahead", "background": 6, "lazy": 0.5 },
                "ftl": { "separation": "handles" }, "handles": { "count": 3, "isolation": "persistent" } }),
        json!({ "gc": { "start": "garbage", "garbage": 0.2 } }),
    ];
    for rule in rules {
        eprintln!("{rule}");
        counts_are_equal(both(&rule, &json!({}), 1, 16, 16), 1);
        counts_are_equal(both(&rule, &json!({ "width": 4 }), 8, 16, 4), 4);
    }
}

#[test]
fn what_is_left_of_zones_is_counted_apart() {
    // 20 of the 24 pages of a zone can be written, and the host writes 16 of them.
    let zones =
        json!({ "width": 2, "capacity": 0.84, "finish": 0.21, "max_active": 2, "max_open": 1 });
    let reports = both(&json!({ "gc": { "copies": "own" } }), &zones, 2, 16, 12);
    let books = reports[1].zones.as_ref().expect("zones");
    assert_eq!(books.zone_pages, 20);
    assert_eq!(books.unwritten, 4 * books.finished, "pages left in zones");
    assert!(books.finished > 100, "{} zones finished", books.finished);
    assert!(books.closed_for_others > 100, "{} zones closed", books.closed_for_others);
    assert_eq!((books.most_open, books.most_active), (1, 2));
    assert!(books.refused.is_empty(), "{:?}", books.refused);
    counts_are_equal(reports, 2);
}

#[test]
fn a_host_closes_a_zone_where_its_drive_does_not() {
    let zones = json!({ "max_open": 1, "auto_transition": false });
    let reports = both(&json!({ "gc": { "copies": "own" } }), &zones, 1, 16, 16);
    let books = reports[1].zones.as_ref().expect("zones");
    assert_eq!(books.refused.keys().copied().collect::<Vec<_>>(), ["too_many_open_zones"]);
    assert_eq!(books.closed_for_others, 0);
    counts_are_equal(reports, 1);
}
