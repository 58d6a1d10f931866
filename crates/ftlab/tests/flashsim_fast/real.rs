//! The same on real traces: what the program counts in the second pass over them, on 4 KiB pages.
//!
//! The traces are in the folder named by `FTLAB_TRACES`; without it the tests say so loudly, and fail if
//! `FTLAB_TRACES_REQUIRED=1`.

use super::counts;
use ftlab::catalog::Catalog;
use ftlab::report::Report;
use ftlab::session;
use serde_json::json;

/// The path of a trace, if there is a folder of traces.
fn trace(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("FTLAB_TRACES") else {
        let required = std::env::var("FTLAB_TRACES_REQUIRED").is_ok_and(|value| value == "1");
        assert!(!required, "FTLAB_TRACES must name the folder of real traces");
        eprintln!("NOT RUN: FTLAB_TRACES does not name a folder of real traces");
        return None;
    };
    Some(std::path::Path::new(&folder).join(name).display().to_string())
}

/// A trace on so many data and log blocks of 64 pages, all volumes laid over one another.
fn run(path: &str, rules: &str, (page, data, log): Blocks) -> Report {
    let tree = json!({
        "input": { "trace": path },
        "device": {
            "page": page, "pages_per_block": 64, "capacity": data * 64 * page, "blocks": data + log,
            "read": "25us", "program": "200us", "erase": "1.5ms",
        },
        "fast": { "rules": rules },
        "run": { "address": "modulo", "warmup": "footprint" },
    });
    let catalog = Catalog::standard();
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    let reports = session::run(&catalog, &config, &["fast"], &mut |_| Ok(()));
    reports.expect("a run").remove(0)
}

const FINANCIAL1: &str = "Financial1.first50002.DERIVED-noasu.spc.zst";
const SHORT: &str = "Financial1.first10000.spc.zst";
const HPLAJW: &str = "HP_hplajw_1week.srt.zst";

/// Counts, then newest, old, invalid and erased reads.
type Row = ([u64; 8], [u64; 4]);

/// Bytes of a page, data blocks, log blocks.
type Blocks = (u64, u64, u64);

#[test]
fn the_published_program_counts_the_same_on_real_traces() {
    let rows: [(&str, Blocks, Row, f64); 4] = [
        (
            FINANCIAL1,
            (4096, 2112, 307),
            ([9395, 207_534, 49_663, 78_133, 0, 449, 8117, 7534], [19_095, 12_890, 6284, 39_864]),
            8.824_186,
        ),
        (
            FINANCIAL1,
            (2048, 4160, 614),
            (
                [13_740, 374_291, 78_706, 128_977, 0, 1223, 11_266, 10_617],
                [44_030, 41_550, 13_998, 29_399],
            ),
            34.939_694,
        ),
        (
            SHORT,
            (4096, 2112, 307),
            ([378, 3533, 12_406, 10_105, 0, 114, 127, 66], [1712, 1599, 6622, 172]),
            1.106_547,
        ),
        (
            HPLAJW,
            (4096, 1300, 40),
            ([7397, 87_274, 54_827, 18_844, 0, 1608, 4959, 4333], [6539, 4258, 894, 7153]),
            4.562_798,
        ),
    ];
    for (name, device, (expected, reads), mean_ms) in rows {
        let Some(path) = trace(name) else { return };
        let report = run(&path, "flashsim", device);
        assert_eq!(counts(&report), expected, "{name} on {device:?}");
        let kinds = ["newest", "old", "invalid", "erased"];
        let found = kinds.map(|kind| report.own[format!("loss.reads_{kind}").as_str()]);
        assert_eq!(found, reads, "{name} on {device:?}");
        near(&report, mean_ms);
    }
}

#[test]
fn the_mended_program_counts_the_same_on_a_real_trace() {
    let Some(path) = trace(FINANCIAL1) else { return };
    let report = run(&path, "flashsim-mended", (4096, 2112, 307));
    assert_eq!(counts(&report)[..2], [2389, 81_506]);
    assert_eq!(counts(&report)[5..7], [432, 1033]);
    assert_eq!(report.flash.reads["merge"], 81_302);
    assert_eq!(report.host.page_reads - report.own["loss.reads_newest"], 12_412);
    near(&report, 2.081_949);
}

/// The mean response in milliseconds, to what the program prints.
fn near(report: &Report, mean_ms: f64) {
    let found = report.response_us.as_ref().expect("responses").mean / 1000.0;
    assert!((found - mean_ms).abs() < 1e-5 * mean_ms, "{found} ms, {mean_ms} published");
}
