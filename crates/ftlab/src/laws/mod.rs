//! The FTL checks: laws that every FTL obeys, on tiny devices under random settings and requests,
//! checked after every request. This module knows no FTL or buffer by name. The facts that a law
//! needs are declared properties ([`Spec`](crate::ftl::Spec), [`Accounts`](crate::ftl::Accounts)).
//!
//! A test checks an FTL of another crate against them:
//!
//! ```
//! ftlab::laws::obey::<ftlab::ftl::page::PageFtl>(20);
//! ```
//!
//! A failure prints its case as one line of JSON. `FTLAB_LAWS_CASE='LINE' cargo test` runs only
//! that case. `FTLAB_LAWS_CASES` sets the number of cases of all FTLs of ftlab together, and
//! `FTLAB_LAWS_FTLS=NAME,NAME` selects FTLs.

pub mod books;
mod buffered;
mod case;
mod classes;
mod copies;
mod cuts;
mod handles;
mod instruments;
mod order;
mod parts;
mod queues;
mod reserve;
mod run;
mod settings;
mod traffic;
mod volume;
mod wear;
pub mod zones;

use crate::buffer;
use crate::catalog::{Catalog, Entry};
use crate::device::PartialWrites;
use crate::error::Error;
use crate::flash::Ledger;
use crate::ftl::{Design, FtlMetrics};
use crate::request::Op;
use crate::rng::Rng;
use crate::session::panic_message;
use crate::units::{Lpn, Nanos, Pbn};
use buffered::Buffered;
use case::Case;
use parts::{Parts, PartsInRam};
use run::Run;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use traffic::Traffic;

/// Requests of a case, at least.
const REQUESTS: u64 = 60;

/// A law: what must hold in every case.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Its statement.
    pub name: &'static str,
    /// The number of cases in which it is checked, of ten.
    pub of_ten: u64,
    check: fn(&Case<'_>),
}

impl Law {
    /// The number of cases in which it is checked, of `cases`.
    #[must_use]
    pub const fn cases(self, cases: u64) -> u64 {
        (cases * self.of_ten).div_ceil(10)
    }
}

/// All laws, the one that finds most bugs first.
pub const LAWS: [Law; 19] = [
    Law { name: "the laws hold after every request", of_ten: 10, check: after_every_request },
    Law { name: "the smallest full device survives thousands of writes", of_ten: 3, check: full },
    Law { name: "nothing is lost below a write buffer", of_ten: 7, check: below_a_buffer },
    Law {
        name: "power cuts lose nothing that was acknowledged",
        of_ten: 1,
        check: cuts::power_cuts,
    },
    Law { name: "a part of a page costs one read", of_ten: 2, check: parts_of_pages },
    Law { name: "parts of a page meet in RAM", of_ten: 2, check: parts_meet_in_ram },
    Law { name: "the same seed gives the same operations", of_ten: 2, check: deterministic },
    Law {
        name: "what cannot work is refused",
        of_ten: 1,
        check: settings::what_cannot_work_is_refused,
    },
    Law {
        name: "what is in range is refused or works",
        of_ten: 1,
        check: settings::what_is_in_range_is_refused_or_works,
    },
    Law {
        name: "what is not obeyed changes nothing",
        of_ten: 1,
        check: settings::what_is_not_obeyed_changes_nothing,
    },
    Law { name: "wear levellers keep the gap", of_ten: 1, check: wear::levellers_keep_the_gap },
    Law {
        name: "a worn device is read to the last",
        of_ten: 2,
        check: wear::a_worn_device_is_read_to_the_last,
    },
    Law {
        name: "an instrument changes nothing",
        of_ten: 2,
        check: instruments::an_instrument_changes_nothing,
    },
    Law {
        name: "a deeper queue is never slower",
        of_ten: 2,
        check: queues::a_deeper_queue_is_never_slower,
    },
    Law {
        name: "the books of a result balance",
        of_ten: 2,
        check: books::the_books_of_a_result_balance,
    },
    Law {
        name: "a separation hears what happens",
        of_ten: 2,
        check: classes::a_separation_hears_what_happens,
    },
    Law {
        name: "units keep to the isolation of their handles",
        of_ten: 2,
        check: handles::units_keep_to_the_isolation_of_their_handles,
    },
    Law {
        name: "zones answer as the standard says",
        of_ten: 2,
        check: zones::zones_answer_as_the_standard_says,
    },
    Law {
        name: "a copy goes on as the original",
        of_ten: 2,
        check: copies::a_copy_goes_on_as_the_original,
    },
];

/// A broken law, and the case that reproduces it.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The law.
    pub law: &'static str,
    /// The case, as a line of JSON.
    pub case: String,
    /// The rule or invariant that was broken, and where.
    pub message: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\nFTLAB_LAWS_CASE='{}'", self.law, self.message, self.case)
    }
}

/// Checks an FTL against all laws, the first in `cases` cases and the others in some of them.
///
/// # Panics
/// When one is broken, with the line that reproduces it.
pub fn obey<F: Design>(cases: u64) {
    let catalog = Catalog::default().with::<F>();
    for law in LAWS {
        hold(&catalog, law, cases).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

/// Checks every FTL of a catalogue against a law, in `cases` cases each, or in those of the
/// environment. Returns the number of all cases.
///
/// # Errors
/// The broken law, and the case that reproduces it.
///
/// # Panics
/// When the environment names an FTL that the catalogue does not have, or no case.
pub fn hold(catalog: &Catalog, law: Law, cases: u64) -> Result<u64, Broken> {
    if let Ok(line) = std::env::var("FTLAB_LAWS_CASE") {
        return hold_case(catalog, law, &line).expect("FTLAB_LAWS_CASE is a case").map(|()| 1);
    }
    let ftls = asked(catalog);
    let cases = match std::env::var("FTLAB_LAWS_CASES") {
        Ok(all) => {
            let all = all.parse::<u64>().expect("FTLAB_LAWS_CASES is a number");
            (all / Catalog::standard().ftls().len() as u64).max(1)
        }
        Err(_) => cases,
    };
    for seed in 0..law.cases(cases) {
        for entry in &ftls {
            hold_seed(catalog, entry, law, seed)?;
        }
    }
    Ok(law.cases(cases) * ftls.len() as u64)
}

/// Checks an FTL of a catalogue against a law in the case that this seed draws, under a policy, a
/// placement and a buffer of the catalogue.
///
/// # Errors
/// The broken law, and the case that reproduces it.
pub fn hold_seed(catalog: &Catalog, entry: &Entry, law: Law, seed: u64) -> Result<(), Broken> {
    broken_by(law, &Case::draw(catalog, entry, seed)).map_or(Ok(()), Err)
}

/// Checks the case in a line of [`Broken::case`] against a law.
///
/// # Errors
/// The fault of the line; inside, the broken law.
pub fn hold_case(catalog: &Catalog, law: Law, line: &str) -> Result<Result<(), Broken>, Error> {
    let case = Case::parse(line, catalog)?;
    case.build()?;
    Ok(broken_by(law, &case).map_or(Ok(()), Err))
}

/// All FTLs, or those that the environment names.
fn asked(catalog: &Catalog) -> Vec<&Entry> {
    let Ok(names) = std::env::var("FTLAB_LAWS_FTLS") else {
        return catalog.ftls().iter().collect();
    };
    let names = names.split(',').filter(|name| !name.is_empty());
    let found = |name| catalog.find(name).expect("FTLAB_LAWS_FTLS names FTLs");
    let ftls: Vec<&Entry> = names.map(found).collect();
    assert!(!ftls.is_empty(), "FTLAB_LAWS_FTLS names no FTL");
    ftls
}

fn broken_by(law: Law, case: &Case<'_>) -> Option<Broken> {
    let checked = catch_unwind(AssertUnwindSafe(|| (law.check)(case)));
    let panic = checked.err()?;
    Some(Broken { law: law.name, case: case.to_string(), message: panic_message(panic.as_ref()) })
}

/// A run with some history: no writes, every page written once, or some of them.
fn begin<'a>(case: &'a Case<'a>) -> Run<'a> {
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
    run
}

fn after_every_request(case: &Case<'_>) {
    let mut run = begin(case);
    run.audit();
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    let requests = REQUESTS + Rng::new(case.seed(), "requests").below(2 * REQUESTS);
    for _ in 0..requests {
        let (op, pages) = traffic.next();
        run.step(op, &pages);
    }
    run.read_everything();
    run.time_is_the_sum_of_the_operations();
    run.nothing_is_overtaken();
    run.what_the_map_takes_is_waited_for();
}

fn full(case: &Case<'_>) {
    let mut case = case.clone();
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
    run.nothing_is_overtaken();
}

/// Every buffer in turn.
fn below_a_buffer(case: &Case<'_>) {
    let mut run = Buffered::new(case);
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    let mut flushes = Rng::new(case.seed(), "flushes");
    for _ in 0..2 * REQUESTS {
        match (flushes.below(20), traffic.next()) {
            (0, _) => run.flush(),
            (1, (Op::Write, pages)) => drop(run.step(Op::WriteThrough, &pages)),
            (_, (op, pages)) => drop(run.step(op, &pages)),
        }
    }
    run.read_everything();
    run.drain();
    run.read_everything();
}

/// Each page that held data and is written in part is read once. The expected count is made without
/// the simulator.
fn parts_of_pages(case: &Case<'_>) {
    let mut case = case.clone();
    case.config.buffer.policy = buffer::NONE.to_owned();
    case.config.device.partial_writes = PartialWrites::ReadModifyWrite;
    let mut run = Buffered::new(&case);
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    let mut parts = Parts::new(&case.config.device);
    for _ in 0..2 * REQUESTS {
        let (op, pages) = traffic.next();
        let request = run.step(op, &pages);
        parts.serve(&request);
        run.reads_for_parts_are(parts.completed);
    }
}

/// In a buffer with room for everything, the missing parts of pages are read when they leave.
fn parts_meet_in_ram(case: &Case<'_>) {
    let mut case = case.clone();
    case.config.buffer.size.0 += 16 * case.config.device.capacity.map_or(0, |bytes| bytes.0);
    case.config.device.partial_writes = PartialWrites::ReadModifyWrite;
    let mut run = Buffered::new(&case);
    run.write_everything();
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    let mut parts = PartsInRam::new(&case.config.device);
    for _ in 0..REQUESTS {
        let (op, pages) = traffic.next();
        if op != Op::Read || pages.iter().all(|lpn| parts.has_written(*lpn)) {
            parts.serve(&run.step(op, &pages));
        }
    }
    run.completions_are(0);
    run.drain();
    run.completions_are(parts.incomplete());
}

fn deterministic(case: &Case<'_>) {
    assert_eq!(operations(case), operations(case), "same seed, same operations");
}

/// The result of a case: the counts, the erases of each block, the time, and what the FTL reports.
fn operations(case: &Case<'_>) -> (Ledger, Vec<u32>, Nanos, FtlMetrics) {
    let mut run = begin(case);
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    for _ in 0..4 * REQUESTS {
        let (op, pages) = traffic.next();
        run.serve(op, &pages);
    }
    let erases = (0..run.device.geometry().blocks()).map(|b| run.device.erases_of(Pbn(b)));
    let time = run.device.timeline().idle_at();
    (run.device.ledger().clone(), erases.collect(), time, run.ftl.metrics())
}
