//! What requests spend their time on: service and waiting, divided by why flash operations were done.
//!
//! The service of a request is divided by the flash time of its operations; what is left, such as lookups in the map, is
//! `other`. A request waits behind the work that is left of earlier ones: its wait is divided by that. Where that
//! is more than the time itself, as on several planes, it is scaled down to it. Parts add up to their
//! sum. A device that does one thing at a time is divided exactly (choices.md#causes).

mod parts;
mod works;

use crate::device::DeviceConfig;
use crate::figures::figures;
use crate::flash::{Ledger, Operation};
use crate::purpose::Cause;
use crate::request::Op;
use crate::units::Nanos;
use parts::{ERASES, OTHER};
pub(super) use parts::{PARTS, Parts, name};
use serde::Serialize;
use std::collections::BTreeMap;
use works::Works;

/// Slowest requests that are told.
const MOST_SLOW: usize = 10;

/// What a run spends its time on.
#[derive(Clone, Debug)]
pub struct Causes {
    times: Times,
    /// The counts that are divided already.
    seen: Ledger,
    before: Works,
    /// What is left of that work, if none of it is begun.
    left: Parts,
    /// Requests of all kinds.
    served: u64,
    /// Reads and writes.
    requests: u64,
    service: Parts,
    wait: Parts,
    pauses: Pauses,
    slowest: Vec<Slow>,
}

/// A request that took long.
#[derive(Clone, Copy, Debug)]
struct Slow {
    number: u64,
    op: Op,
    arrival: Nanos,
    response: Nanos,
    service: Parts,
    wait: Parts,
}

/// How long an operation holds a plane, ns.
#[derive(Clone, Copy, Debug)]
struct Times {
    read: f64,
    oob_read: f64,
    program: f64,
    copy_back: f64,
    erase: f64,
}

impl Times {
    /// Adds the time of operations to the part that it is of.
    #[inline]
    fn add(&self, parts: &mut Parts, operation: Operation, cause: Cause, count: u64) {
        let (reads, programs) = (2 * cause as usize, 2 * cause as usize + 1);
        let (part, time) = match operation {
            Operation::Read => (reads, self.read),
            Operation::ReadOob => (reads, self.oob_read),
            Operation::Program => (programs, self.program),
            Operation::CopyBack => (programs, self.copy_back),
            Operation::Erase => (ERASES, self.erase),
        };
        parts.add_to(part, count as f64 * time);
    }
}

/// Operations of a kind that were done for a cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) operation: Operation,
    pub(super) cause: Cause,
    pub(super) count: u64,
}

/// Requests during which blocks are cleaned: by GC, by merges, or by wear levelling.
#[derive(Clone, Copy, Debug, Default)]
struct Pauses {
    requests: u64,
    sum: f64,
    longest: f64,
    waiting: u64,
}

crate::figures::figure_kinds! { "object": SlowReport; }

figures! {
    /// What reads and writes spend their time on, by causes of flash operations (choices.md#causes).
    pub struct CausesReport {
        /// What each part adds to the mean service time. Parts that are 0 are left out.
        service_us: BTreeMap<String, f64>, unit "us by part", better Lower;
        /// What waiting for each part adds to the mean response time.
        wait_us: BTreeMap<String, f64>, unit "us by part", better Lower;
        /// Reads and writes during which blocks are cleaned, by GC, merges or wear levelling.
        pauses: u64, unit "requests", better Lower;
        /// Mean time of their cleaning.
        pause_us_mean: Option<f64>, unit "us", better Lower, null "without pauses";
        /// Longest time of their cleaning.
        pause_us_max: Option<f64>, unit "us", better Lower, null "without pauses";
        /// Share of reads and writes that wait for the cleaning of others.
        waiting_for_pauses_ratio: Option<f64>, unit "ratio", better Lower, null "without reads and writes";
        /// The ten slowest reads and writes: `request` (from 0), `op`, `arrival_s`, `response_us`, and by part
        /// `service_us` and `wait_us`.
        slowest: Vec<SlowReport>, unit "list of objects";
    }
}

/// One of the slowest requests, and what it waited for.
#[derive(Clone, Debug, Serialize)]
pub struct SlowReport {
    /// Its number from 0 in the measured phase.
    pub request: u64,
    /// What it asked for.
    pub op: Op,
    /// Its arrival, s.
    pub arrival_s: f64,
    /// From its arrival to its end, us.
    pub response_us: f64,
    /// By part, its service time, us.
    pub service_us: BTreeMap<String, f64>,
    /// By part, what it waited for, us.
    pub wait_us: BTreeMap<String, f64>,
}

impl Causes {
    /// Nothing was done yet.
    #[must_use]
    pub fn new(device: &DeviceConfig) -> Self {
        let transfer = device.page_transfer().1 as f64;
        let (read, program) = (device.read.0 as f64, device.program.0 as f64);
        Causes {
            times: Times {
                read: read + transfer,
                oob_read: device.oob_read.0 as f64,
                program: program + transfer,
                copy_back: read + program,
                erase: device.erase.0 as f64,
            },
            seen: Ledger::default(),
            before: Works::default(),
            left: Parts::NONE,
            served: 0,
            requests: 0,
            service: Parts::NONE,
            wait: Parts::NONE,
            pauses: Pauses::default(),
            slowest: Vec::new(),
        }
    }

    /// Notes work between two requests, which is over at `end`.
    pub fn between(&mut self, ledger: &Ledger, end: Nanos) {
        let work = self.done(ledger);
        self.between_of(&work, end);
    }

    /// The same of the flash time of that work.
    pub(super) fn between_of(&mut self, parts: &Parts, end: Nanos) {
        let time = parts.sum() as Nanos;
        self.remember(end.saturating_sub(time), end, parts);
    }

    /// Notes a request that arrived, was begun and was complete at these times.
    pub fn note(&mut self, op: Op, ledger: &Ledger, times: (Nanos, Nanos, Nanos)) {
        let (mut work, mut wait) = (self.done(ledger), Parts::NONE);
        self.note_of(op, &mut work, &mut wait, times);
    }

    /// The same of the flash time of its work, which becomes the parts of its service time; `wait` becomes those of
    /// its wait, nothing if it does not wait. All are ns.
    pub(super) fn note_of(
        &mut self,
        op: Op,
        service: &mut Parts,
        wait: &mut Parts,
        (arrival, start, end): (Nanos, Nanos, Nanos),
    ) {
        let number = self.served;
        self.served += 1;
        divide(end - start, service);
        self.forget(arrival);
        wait.clear();
        if start > arrival {
            self.left_at(arrival, wait);
            divide(start - arrival, wait);
        }
        self.remember(start, end, service);
        if !matches!(op, Op::Read | Op::Write | Op::WriteThrough) {
            return;
        }
        self.requests += 1;
        self.service.add(service);
        let pause = service.cleaning();
        self.pauses.requests += u64::from(pause > 0.0);
        self.pauses.sum += pause;
        self.pauses.longest = self.pauses.longest.max(pause);
        self.wait.add(wait);
        self.pauses.waiting += u64::from(wait.cleaning() > 0.0);
        if self.is_slow(end - arrival) {
            let (service, wait) = (*service, *wait);
            self.note_slow(Slow { number, op, arrival, response: end - arrival, service, wait });
        }
    }

    /// Whether a request with this response time is among the slowest.
    fn is_slow(&self, response: Nanos) -> bool {
        let is_full = self.slowest.len() == MOST_SLOW;
        !is_full || self.slowest.last().is_none_or(|last| response > last.response)
    }

    /// Keeps a request that is among the slowest.
    fn note_slow(&mut self, slow: Slow) {
        let place = self.slowest.partition_point(|other| other.response >= slow.response);
        self.slowest.insert(place, slow);
        self.slowest.truncate(MOST_SLOW);
    }

    /// The flash time of what was done since this was last asked.
    fn done(&mut self, ledger: &Ledger) -> Parts {
        let (mut parts, times) = (Parts::NONE, self.times);
        let add = |operation, cause, count| times.add(&mut parts, operation, cause, count);
        ledger.since(&mut self.seen, add);
        parts
    }

    /// Has `parts` be the flash time of these operations.
    pub(super) fn work(&self, done: &[Done], parts: &mut Parts) {
        parts.clear();
        for Done { operation, cause, count } in done {
            self.times.add(parts, *operation, *cause, *count);
        }
    }

    fn remember(&mut self, start: Nanos, end: Nanos, parts: &Parts) {
        if start == end {
            return;
        }
        self.left.add(parts);
        self.before.push(start, end, parts);
    }

    /// Forgets the work that is over at this time.
    fn forget(&mut self, time: Nanos) {
        let left = &mut self.left;
        while self.before.end_of_first().is_some_and(|end| end <= time) {
            self.before.forget_first(|part, time| left.add_to(part, -time));
        }
        if self.before.len() == 0 {
            // What rounding has left.
            self.left = Parts::NONE;
        }
    }

    /// Adds what is left at this time of the work that is not over.
    fn left_at(&self, time: Nanos, left: &mut Parts) {
        left.add(&self.left);
        self.before.done_of_first(time, |part, time| left.add_to(part, -time));
        left.change(|part| part.max(0.0));
    }

    /// The means; `None` without requests.
    #[must_use]
    pub fn report(&self) -> Option<CausesReport> {
        if self.requests == 0 {
            return None;
        }
        let requests = self.requests as f64;
        let means = |parts: &Parts| named(parts, requests);
        let slowest = self.slowest.iter().map(|slow| SlowReport {
            request: slow.number,
            op: slow.op,
            arrival_s: slow.arrival as f64 / 1e9,
            response_us: slow.response as f64 / 1e3,
            service_us: named(&slow.service, 1.0),
            wait_us: named(&slow.wait, 1.0),
        });
        let Pauses { requests: pauses, sum, longest, waiting } = self.pauses;
        Some(CausesReport {
            service_us: means(&self.service),
            wait_us: means(&self.wait),
            pauses,
            pause_us_mean: (pauses > 0).then(|| sum / pauses as f64 / 1e3),
            pause_us_max: (pauses > 0).then_some(longest / 1e3),
            waiting_for_pauses_ratio: Some(waiting as f64 / requests),
            slowest: slowest.collect(),
        })
    }
}

/// The parts that occur, for each of these requests, us.
fn named(parts: &Parts, requests: f64) -> BTreeMap<String, f64> {
    let occurring = parts.some().filter(|(_, part)| *part > 0.0);
    occurring.map(|(part, sum)| (name(part), sum / requests / 1e3)).collect()
}

/// Divides a time by the work that it is spent on.
fn divide(time: Nanos, work: &mut Parts) {
    let (time, sum) = (time as f64, work.sum());
    // Times are whole nanoseconds: less is what rounding has left.
    if sum > 0.0 && time - sum < 0.5 {
        work.change(|part| part * time / sum);
    } else {
        work.add_to(OTHER, unless_bug!(CausesLoseTheRest, time - sum, 0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    fn device() -> DeviceConfig {
        DeviceConfig {
            read: Duration(25),
            program: Duration(200),
            erase: Duration(1500),
            transfer_per_byte: Duration(0),
            ..DeviceConfig::default()
        }
    }

    /// Three requests on a device that does one thing at a time: a write that erases, and two that wait for it.
    #[test]
    fn waits_are_divided_by_what_is_left_of_earlier_work() {
        let (mut causes, mut ledger) = (Causes::new(&device()), Ledger::default());
        ledger.count(Operation::Erase, Cause::GcData);
        ledger.count(Operation::Program, Cause::Host);
        causes.note(Op::Write, &ledger, (0, 0, 1700));
        ledger.count(Operation::Read, Cause::Host);
        // At 850 half of the erase and half of the program are left.
        causes.note(Op::Read, &ledger, (850, 1700, 1725));
        ledger.count(Operation::Read, Cause::Host);
        causes.note(Op::Read, &ledger, (1700, 1725, 1750));
        let report = causes.report().expect("three requests");
        let sum = |parts: &BTreeMap<String, f64>| parts.values().sum::<f64>() * 3e3;
        assert!((sum(&report.service_us) - 1750.0).abs() < 1e-9);
        assert!((sum(&report.wait_us) - 875.0).abs() < 1e-9);
        let wait = |part: &str| report.wait_us[part] * 3e3;
        assert!((wait("erases") - 750.0).abs() < 1e-9);
        assert!((wait("host.programs") - 100.0).abs() < 1e-9);
        assert!((wait("host.reads") - 25.0).abs() < 1e-9);
        assert_eq!((report.pauses, report.pause_us_max), (1, Some(1.5)));
        let slowest: Vec<u64> = report.slowest.iter().map(|slow| slow.request).collect();
        assert_eq!(slowest, [0, 1, 2], "1,700, 875 and 50 ns");
        assert_eq!(report.slowest[1].response_us, 0.875);
        assert!((report.slowest[1].wait_us["erases"] - 0.75).abs() < 1e-9);
        assert!((report.waiting_for_pauses_ratio.expect("a share") - 1.0 / 3.0).abs() < 1e-12);
    }

    /// However much work waits, what is remembered of it is bounded, and adds up.
    #[test]
    fn memory_is_bounded() {
        let (mut causes, mut ledger) = (Causes::new(&device()), Ledger::default());
        for number in 0..200_000 {
            ledger.count(Operation::Program, Cause::Host);
            causes.note(Op::Write, &ledger, (0, 200 * number, 200 * number + 200));
        }
        assert!(causes.before.len() <= works::MOST);
        let report = causes.report().expect("requests");
        let slowest: Vec<u64> = report.slowest.iter().map(|slow| slow.request).collect();
        assert_eq!(slowest, Vec::from_iter((199_990..200_000).rev()));
        let wait = report.wait_us["host.programs"];
        assert!((wait / (199_999.0 * 0.1) - 1.0).abs() < 1e-9);
    }
}
