//! The laws that every FTL of the registry obeys, on tiny devices under random configurations and
//! requests, checked after every request. An FTL added to the registry inherits them.
//!
//! A failure prints its case as one line; to run that case alone:
//! `FTLAB_LAWS_CASE='LINE' cargo test --test laws`. `FTLAB_LAWS_CASES` sets the number of
//! cases of all FTLs together, `FTLAB_LAWS_FTLS=NAME,NAME` runs those of some.

mod buffered;
mod case;
mod run;
mod traffic;

use buffered::Buffered;
use case::Case;
use ftlab::ftl::{Entry, FTLS, find};
use ftlab::request::Op;
use ftlab::rng::Rng;
use ftlab::units::{Lpn, Pbn};
use run::Run;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use traffic::Traffic;

/// Cases of all FTLs together.
const CASES: u64 = 12_000;
/// Requests of a case, at least.
const REQUESTS: u64 = 60;

fn cases() -> u64 {
    let asked = std::env::var("FTLAB_LAWS_CASES").ok();
    asked.map_or(CASES, |number| number.parse().expect("FTLAB_LAWS_CASES is a number"))
}

/// All FTLs, or those that were asked for.
fn ftls() -> Vec<&'static Entry> {
    let Ok(asked) = std::env::var("FTLAB_LAWS_FTLS") else { return FTLS.iter().collect() };
    asked.split(',').map(|name| find(name).expect("FTLAB_LAWS_FTLS names FTLs")).collect()
}

/// Obeys `law` in so many cases of every FTL, or in the one case that was asked for.
fn for_each_case(per_ftl: u64, law: impl Fn(&Case)) {
    if let Ok(line) = std::env::var("FTLAB_LAWS_CASE") {
        return law(&Case::parse(&line));
    }
    let ftls = ftls();
    for seed in 0..per_ftl {
        for entry in &ftls {
            let case = Case::draw(entry, seed);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| law(&case))) {
                eprintln!("FTLAB_LAWS_CASE='{case}'");
                resume_unwind(panic);
            }
        }
    }
    eprintln!("{} cases of {} FTLs", per_ftl * ftls.len() as u64, ftls.len());
}

/// A run with some history: nothing, every page written once, or some of them.
fn begin(case: &Case) -> Run<'_> {
    let mut run = Run::new(case);
    let mut rng = Rng::new(case.seed(), "history");
    let written = match rng.below(3) {
        0 => 0,
        1 => run.pages(),
        _ => rng.below(u64::from(run.pages())) as u32,
    };
    for lpn in (0..written).map(Lpn) {
        run.serve(Op::Write, &[lpn]);
    }
    run.audit();
    run
}

#[test]
fn every_ftl_obeys_the_laws_after_every_request() {
    for_each_case(cases() / FTLS.len() as u64, |case| {
        let mut run = begin(case);
        let mut traffic = Traffic::draw(case.seed(), run.pages());
        let requests = REQUESTS + Rng::new(case.seed(), "requests").below(2 * REQUESTS);
        for _ in 0..requests {
            let (op, pages) = traffic.next();
            run.step(op, &pages);
        }
        run.read_everything();
        run.time_is_the_sum_of_the_operations();
    });
}

#[test]
fn every_ftl_survives_thousands_of_writes_to_the_smallest_full_device() {
    for_each_case(cases() / 90, |case| {
        let mut case = Case { entry: case.entry, config: case.config.clone() };
        case.least_blocks();
        let mut run = Run::new(&case);
        (0..run.pages()).for_each(|lpn| run.serve(Op::Write, &[Lpn(lpn)]));
        let mut traffic = Traffic::writes(case.seed(), run.pages());
        for request in 0..2000 {
            let (op, pages) = traffic.next();
            run.serve(op, &pages);
            if request % 200 == 0 {
                run.audit();
            }
        }
        run.audit();
    });
}

/// Every buffer in turn.
#[test]
fn nothing_is_lost_between_a_buffer_and_an_ftl() {
    for_each_case(cases() / 40, |case| {
        let mut run = Buffered::new(case);
        let mut traffic = Traffic::draw(case.seed(), run.pages());
        for _ in 0..2 * REQUESTS {
            let (op, pages) = traffic.next();
            run.step(op, &pages);
        }
        run.read_everything();
        run.drain();
        run.read_everything();
    });
}

#[test]
fn the_same_seed_gives_the_same_operations() {
    for_each_case(cases() / 120, |case| {
        let [once, twice] = [(), ()].map(|()| {
            let mut run = begin(case);
            let mut traffic = Traffic::draw(case.seed(), run.pages());
            for _ in 0..4 * REQUESTS {
                let (op, pages) = traffic.next();
                run.serve(op, &pages);
            }
            let erases = (0..run.flash.geometry().blocks()).map(|b| run.flash.erases_of(Pbn(b)));
            let time = run.flash.timeline().idle_at();
            (run.flash.ledger().clone(), erases.collect::<Vec<_>>(), time)
        });
        assert_eq!(once, twice, "same seed, same operations");
    });
}
