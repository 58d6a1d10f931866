//! Blocks as large as the reclaim units of drives: 128 MiB are 32,768 pages of 4 KiB.

use ftlab::catalog::Catalog;
use ftlab::session;
use serde_json::json;

/// Three blocks of data in twelve, written and written again.
#[test]
fn ftls_that_hear_handles_run_on_blocks_of_32_768_pages() {
    let catalog = Catalog::standard();
    let tree = json!({
        "device": {
            "page": 512, "pages_per_block": 32_768, "capacity": "48MiB", "over_provisioning": "300%",
        },
        "gc": { "low": 2, "high": 3 },
        "workload": {
            "pattern": "randrw", "bs": "64KiB", "size": "48MiB", "requests": 4000, "read_share": 0.3,
        },
        "run": { "warmup": "sequential" },
    });
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    let ftls = ["page", "hat", "zones", "dftl", "cdftl", "sftl", "tpftl"];
    let reports = session::run(&catalog, &config, &ftls, &mut |_| Ok(())).expect("runs");
    for report in reports {
        assert!(report.flash.erases.values().sum::<u64>() > 0, "{}: no GC", report.ftl);
        assert_eq!(report.checks.violations, 0, "{}", report.ftl);
    }
}
