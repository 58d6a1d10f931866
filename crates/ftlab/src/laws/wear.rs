//! Wear below an FTL: the bound on the difference of erases, and the end of a device.

use super::case::{Case, between, pick};
use super::run::Run;
use super::traffic::Traffic;
use crate::flash::{Cause, Operation, WearConfig, WearPart, WearPolicy};
use crate::request::Op;
use crate::rng::Rng;
use crate::units::{Lpn, Pbn, Ratio};

/// Writes that wear a device.
const WRITES: u64 = 1000;
/// Writes to a device that may end earlier.
const MOST_WRITES: u64 = 20_000;

/// After every request erases differ by at most the gap, and moved pages are read and programmed.
pub fn levellers_keep_the_gap(case: &Case<'_>) {
    let mut case = case.clone();
    let mut rng = Rng::new(case.seed(), "wear");
    let part = pick(&mut rng, WearPart::ALL);
    let gap = between(&mut rng, WearConfig::LEAST_GAP, 9);
    case.config.wear = WearConfig { policy: WearPolicy::Static, gap, part };
    let mut run = Run::new(&case);
    (0..run.pages()).for_each(|lpn| run.serve(Op::Write, &[Lpn(lpn)]));
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    for _ in 0..WRITES {
        let (op, pages) = traffic.next();
        run.serve(op, &pages);
        for (part, is_levelled) in run.device.wear_parts() {
            assert!(is_levelled, "a part is not levelled");
            let erases = || part.iter().map(|pbn| run.device.erases_of(*pbn));
            let (least, most) = (erases().min().unwrap_or(0), erases().max().unwrap_or(0));
            assert!(most - least <= gap, "{least} to {most} erases, a gap of {gap}");
        }
    }
    let ledger = run.device.ledger();
    let [read, programmed] =
        [Operation::Read, Operation::Program].map(|operation| ledger.get(operation, Cause::Wear));
    assert_eq!(read, programmed, "pages moved to level wear");
    run.read_back();
}

/// Blocks wear out one after another, and spare blocks replace them. Then the device takes no more
/// writes, and every page still reads as its last version.
pub fn a_worn_device_is_read_to_the_last(case: &Case<'_>) {
    let mut case = case.clone();
    let mut rng = Rng::new(case.seed(), "endurance");
    let config = &mut case.config;
    config.wear.policy = pick(&mut rng, WearPolicy::ALL);
    let endurance = between(&mut rng, 2, 12);
    config.device.endurance = Some(endurance);
    config.device.spare_blocks = Ratio(pick(&mut rng, &[0.0, 0.1, 0.5]));
    config.device.bad_blocks =
        Ratio(config.device.spare_blocks.0 * pick(&mut rng, &[0.0, 0.0, 0.5]));
    let mut run = Run::new(&case);
    let spares = run.device.spare_blocks();
    let mut traffic = Traffic::writes(case.seed(), run.pages());
    for _ in 0..MOST_WRITES {
        let (op, pages) = traffic.next();
        run.serve(op, &pages);
        let worn_out = run.device.worn_out().len() as u32;
        if worn_out > spares || run.device.is_read_only() {
            break;
        }
        assert_eq!(run.device.spare_blocks(), spares - worn_out, "spare blocks");
        let blocks = (0..run.device.geometry().blocks()).map(Pbn);
        let most = blocks.map(|pbn| run.device.wear_of(pbn)).max().unwrap_or(0);
        assert!(most < endurance, "{most} erases of a block that endures {endurance}");
    }
    let worn_out = run.device.worn_out();
    assert!(worn_out.iter().all(|erases| *erases == endurance), "{worn_out:?}, not {endurance}");
    let without = worn_out.len() as u32 > spares;
    assert!(run.device.is_read_only() || !without, "{} blocks are worn out", worn_out.len());
    run.read_back();
}
