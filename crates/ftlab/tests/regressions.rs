//! Bugs that were found, each as the smallest run that showed it.

use ftlab::catalog::Catalog;
use ftlab::flash::Device;
use ftlab::ftl::access;
use ftlab::request::Op;
use ftlab::rng::Rng;
use ftlab::session;
use ftlab::units::Lpn;
use serde_json::json;

/// Fills a device, then overwrites random pages.
fn fill_and_overwrite(ftl: &str, config: &str, overwrites: u32) {
    let tree = serde_json::from_str(config).expect("JSON");
    let config = Catalog::standard().resolve(&tree).expect("a good configuration");
    let capacity = config.device.capacity.expect("a capacity").0;
    let mut flash = Device::new(&config.device, capacity).expect("a device");
    let mut ftl = Catalog::standard()
        .find(ftl)
        .expect("an FTL")
        .build(&config, &mut flash)
        .expect("enough blocks");
    let pages = flash.geometry().logical_pages;
    (0..pages).for_each(|lpn| access(&mut ftl, Op::Write, &[Lpn(lpn)], &mut flash));
    let mut rng = Rng::new(config.run.seed, "overwrite");
    for _ in 0..overwrites {
        access(&mut ftl, Op::Write, &[Lpn(rng.below(u64::from(pages)) as u32)], &mut flash);
    }
    ftl.audit(&flash);
}

/// FIFO and random victims moved full blocks for ever: on a nearly full device, the map updates of
/// each block that was moved wasted as much room as collecting it had made.
#[test]
fn gc_of_a_demand_paged_ftl_ends_although_the_policy_ignores_valid_pages() {
    for ftl in ["dftl", "tpftl"] {
        for (policy, mode) in [("fifo", "batch"), ("fifo", "single"), ("random", "batch")] {
            let config = format!(
                r#"{{"device": {{"capacity": "300KiB", "page": 512, "pages_per_block": 2,
                                "blocks": 315}},
                    "gc": {{"policy": "{policy}", "mode": "{mode}", "low": 5, "high": 8}},
                    "ftl": {{"cache": 12}}}}"#
            );
            fill_and_overwrite(ftl, &config, 2000);
        }
    }
}

/// Audits of `cachftl` and `block-optimized` asked the truth, which knows nothing without verification.
#[test]
fn without_verification_every_ftl_gives_the_same_figures() {
    let catalog = Catalog::standard();
    for ftl in catalog.ftls().iter().map(|entry| entry.name()) {
        let [with, without] = [true, false].map(|verify| {
            let tree = json!({
                "device": { "capacity": "2MiB", "pages_per_block": 16, "over_provisioning": "100%" },
                "ftl": { "cache": "64KiB" },
                "workload": { "pattern": "randrw", "size": "2MiB", "requests": 2000 },
                "run": { "verify": verify, "audit": 500 },
            });
            let config = catalog.resolve(tree.as_object().expect("a table")).expect("a good one");
            let mut reports =
                session::run(&catalog, &config, &[ftl], &mut |_| Ok(())).expect("a run");
            let report = reports.remove(0);
            (json!(report.flash), json!(report.response_us), json!(report.own))
        });
        assert_eq!(with, without, "{ftl}");
    }
}
