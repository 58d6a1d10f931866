//! Idle work must end: an FTL that always has one more step to take is refused.

use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::flash::{Device, Flash};
use ftlab::ftl::page::PageFtl;
use ftlab::ftl::{Access, Design, Ftl, FtlMetrics, RamUse, Setup, Spec};
use ftlab::report::Report;
use ftlab::session;
use serde_json::json;

/// Page-level mapping that takes so many steps of idle work after each request.
#[derive(Clone)]
struct Idle<const STEPS: u64>(PageFtl, u64);

impl<const STEPS: u64> Design for Idle<STEPS> {
    type Settings = ();

    const SPEC: Spec = Spec { name: "idle", ..PageFtl::SPEC };

    fn build(setup: &Setup<()>, flash: &mut Flash) -> Result<Self, Error> {
        Ok(Idle(PageFtl::build(setup, flash)?, 0))
    }
}

impl<const STEPS: u64> Ftl for Idle<STEPS> {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.0.read(access, flash);
    }

    fn write(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.1 = 0;
        self.0.write(access, flash);
    }

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.0.trim(access, flash);
    }

    fn uses_idle_time(&self) -> bool {
        true
    }

    fn background(&mut self, _: &mut Flash) -> bool {
        self.1 += 1;
        self.1 <= STEPS
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

fn run<const STEPS: u64>() -> Result<Vec<Report>, Error> {
    let catalog = Catalog::standard().with::<Idle<STEPS>>();
    let config = json!({
        "device": { "capacity": "1MiB", "blocks": 24, "pages_per_block": 16 },
        "workload": { "pattern": "randwrite", "size": "1MiB", "requests": 50 },
    });
    let config = catalog.resolve(config.as_object().expect("a table")).expect("a configuration");
    session::run(&catalog, &config, &["idle"], &mut |_| Ok(()))
}

#[test]
fn idle_work_without_an_end_is_a_broken_rule() {
    let error = run::<{ u64::MAX }>().expect_err("it never ends").to_string();
    assert!(error.starts_with("idle at request "), "{error}");
    assert!(error.contains("idle work must end: found more than 3840 steps"), "{error}");
}

#[test]
fn each_idle_time_has_its_own_steps() {
    let reports = run::<3000>().expect("each ends");
    assert_eq!(reports[0].checks.violations, 0);
}
