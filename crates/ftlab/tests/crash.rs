//! Power cuts in runs on any input: counted as made, the same again, and what does not come back is told.

use ftlab::Error;
use ftlab::catalog::{Catalog, Entry};
use ftlab::crash::{CrashReport, Cut, Plan, crash};
use ftlab::device::Cell;
use ftlab::flash::{Device, Flash, Tear};
use ftlab::ftl::page::PageFtl;
use ftlab::ftl::{Access, Design, Ftl, FtlMetrics, Mount, RamUse, Setup, Spec};
use ftlab::rng::Rng;
use ftlab::session::Point;
use serde_json::json;

fn point(catalog: &Catalog, ftl: &str, warmup: &str) -> Point {
    let tree = json!({
        "device": { "capacity": "1MiB", "pages_per_block": 16, "over_provisioning": "50%" },
        "workload": { "pattern": "randrw", "bs": "8k", "size": "1MiB", "requests": 400 },
        "ftl": { "cache": "256B" },
        "run": { "warmup": warmup },
    });
    let config = catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
    Point { config, ftl: ftl.into() }
}

fn cut(catalog: &Catalog, ftl: &str, warmup: &str, plan: Plan) -> Result<CrashReport, Error> {
    crash(catalog, &point(catalog, ftl, warmup), plan, &mut |_| Ok(()))
}

#[test]
fn cuts_are_made_as_planned_and_nothing_is_lost() {
    let catalog = Catalog::standard();
    for ftl in ["page", "dftl", "tpftl", "fast", "dloop"] {
        let report = cut(&catalog, ftl, "sequential", Plan::Random(300)).expect("a run");
        assert_eq!((report.violations, report.requests), (0, 400 + 256), "{ftl}");
        assert_eq!((report.cuts, report.again), (450, 150), "{ftl}");
        assert!((150..300).contains(&report.torn), "{ftl}: {} of 450", report.torn);
        let pages = f64::from(24 * 16);
        assert!(report.mounts.oob_reads.max <= pages, "{ftl}: {:?}", report.mounts.oob_reads);
        assert!(report.mounts.time_us.mean > 0.0 && !report.mounts.longest.is_empty(), "{ftl}");
        let mut again = cut(&catalog, ftl, "sequential", Plan::Random(300)).expect("a run");
        again.mounts.wall_us = report.mounts.wall_us;
        assert_eq!(json!(report), json!(again), "{ftl}");
    }
}

/// On MLC a cut destroys what was programmed to the cells of its page long before: nothing else.
#[test]
fn what_cells_share_is_exposed_and_nothing_else() {
    let catalog = Catalog::standard();
    for ftl in ["page", "dftl", "mnftl", "gftl"] {
        let mut point = point(&catalog, ftl, "sequential");
        let plain = crash(&catalog, &point, Plan::Random(300), &mut |_| Ok(())).expect("a run");
        point.config.device.cell = Some(Cell::Mlc);
        let paired = crash(&catalog, &point, Plan::Random(300), &mut |_| Ok(())).expect("a run");
        assert_eq!((plain.violations, paired.violations), (0, 0), "{ftl}");
        assert_eq!(plain.exposed, 0, "{ftl}");
        assert!((3..100).contains(&paired.exposed), "{ftl}: {}", paired.exposed);
    }
}

/// A third of the requests trims. As hints, pages come back; for good, none does.
#[test]
fn what_was_trimmed_comes_back_unless_trims_are_durable() {
    let path = std::env::temp_dir().join(format!("ftlab-{}-trims-cut.csv", std::process::id()));
    let mut rng = Rng::new(3, "trims");
    let header = String::from("time,op,offset,length\n");
    let requests = (0..600).map(|time| {
        let (page, op) = (rng.below(256), if rng.chance(0.3) { "t" } else { "w" });
        format!("{time},{op},{},4096\n", page * 4096)
    });
    std::fs::write(&path, header + &requests.collect::<String>()).expect("a trace");
    let catalog = Catalog::standard();
    for ftl in ["page", "dftl", "fast", "mnftl", "treeftl"] {
        let report = |trim: &str| {
            let tree = json!({
                "device": {
                    "capacity": "1MiB", "pages_per_block": 16, "over_provisioning": "50%", "trim": trim,
                },
                "input": {
                    "trace": path.to_str(),
                    "columns": "time=time:ns,op=op,offset=offset:bytes,length=length:bytes",
                },
                "ftl": { "cache": "64KiB" },
                "run": { "warmup": "sequential" },
            });
            let config =
                catalog.resolve(tree.as_object().expect("a table")).expect("a configuration");
            let point = Point { config, ftl: ftl.into() };
            crash(&catalog, &point, Plan::Random(300), &mut |_| Ok(())).expect("a run")
        };
        let (hint, durable) = (report("hint"), report("durable"));
        assert_eq!((hint.violations, durable.violations), (0, 0), "{ftl}: {:?}", durable.first);
        assert!(hint.came_back.max > 2.0, "{ftl}: {:?}", hint.came_back);
        assert!(durable.came_back.max == 0.0, "{ftl}: {:?}", durable.came_back);
        assert!(durable.mounts.reads.max > 10.0, "{ftl}: tombstones are read");
    }
    std::fs::remove_file(path).expect("it goes");
}

/// Page-level mapping that begins with an empty map after a cut.
#[derive(Clone)]
struct Forgetful(PageFtl);

impl Design for Forgetful {
    type Settings = ();

    const SPEC: Spec = Spec { name: "forgetful", ..PageFtl::SPEC };
    const MOUNT: Option<Mount<Self>> = Some(Self::build);

    fn build(setup: &Setup<()>, flash: &mut Flash) -> Result<Self, Error> {
        PageFtl::build(setup, flash).map(Forgetful)
    }
}

impl Ftl for Forgetful {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.0.read(access, flash);
    }

    fn write(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.0.write(access, flash);
    }

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.0.trim(access, flash);
    }

    fn ram(&self) -> RamUse {
        self.0.ram()
    }

    fn metrics(&self) -> FtlMetrics {
        self.0.metrics()
    }

    fn reset_metrics(&mut self) {
        self.0.reset_metrics();
    }

    fn audit(&self, device: &Device) {
        self.0.audit(device);
    }
}

#[test]
fn what_does_not_come_back_is_told_and_can_be_had_again() {
    let catalog = Catalog::standard().with::<Forgetful>();
    let report = cut(&catalog, "forgetful", "none", Plan::Random(100)).expect("a run");
    assert!(report.violations > 90, "{} of 100", report.violations);
    let first = report.first.expect("a violation");
    assert!(first.what.contains("has version None, acknowledged was Some"), "{}", first.what);
    let alone = cut(&catalog, "forgetful", "none", Plan::One(first.cut)).expect("a run");
    assert_eq!(alone.violations, 1);
    assert_eq!(alone.first.expect("a violation").what, first.what);
}

#[test]
fn what_has_no_place_is_refused() {
    let spec = Spec { name: "mortal", ..Spec::PAGE_LEVEL };
    let mortal = Entry::built(spec, Vec::new(), |config, flash| {
        PageFtl::build(&config.setup().checked()?, flash)
    });
    let catalog = Catalog::standard().with_entry(mortal);
    let told = |ftl: &str, warmup: &str, plan| {
        cut(&catalog, ftl, warmup, plan).expect_err("a mistake").to_string()
    };
    let unable = told("mortal", "none", Plan::Random(1));
    assert!(unable.contains("found mortal, expected one that mounts: page"), "{unable}");
    let steady = told("page", "steady", Plan::Random(1));
    assert!(steady.contains("expected none, sequential or random:K"), "{steady}");
    let late = Cut { change: 1 << 40, tear: Tear::Before, again: None };
    assert!(told("page", "none", Plan::One(late)).contains("expected 0 to "));
}
