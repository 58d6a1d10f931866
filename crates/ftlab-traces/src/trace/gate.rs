//! The checks that every format shares: sizes, addresses, time order, filters, rebasing.
//!
//! What each request goes through is inlined by force, and a request is put where it stays: to move
//! one from place to place in memory, as a result that is returned is, takes as long as to read it.

use super::TimeOrder;
use super::field::Mistake;
use crate::request::{LONGEST_REQUEST_BYTES, Op, Request};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Requests that sorting may hold back, in 15 MiB: some seconds of a busy storage cluster, whose
/// lines are late by a second (Tencent's).
pub const SORT_WINDOW_REQUESTS: usize = 1 << 18;

/// Volumes that a message lists.
const LISTED_VOLUMES: usize = 20;

/// A request as a line tells it, before anything has been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RawRequest {
    /// Arrival on the trace's own clock, in the format's ticks.
    pub ticks: u64,
    /// Volume, disk or application storage unit.
    pub volume: u32,
    /// First byte, within the volume.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// What it does; a flush has no address.
    pub op: Op,
}

impl RawRequest {
    /// Replaces address and length, told in units of `unit` bytes, by bytes.
    ///
    /// # Errors
    /// When one of them does not fit 64 bits.
    #[inline(always)]
    pub fn in_units(self, address_unit: u64, length_unit: u64) -> Result<Self, Mistake> {
        match (self.offset.checked_mul(address_unit), self.length.checked_mul(length_unit)) {
            (Some(offset), Some(length)) => Ok(Self { offset, length, ..self }),
            (None, _) => Err(beyond_the_end(self.offset)),
            (_, None) => Err(too_long(self.length, self.op)),
        }
    }
}

/// The clock that the ticks of a request count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Nanoseconds per tick.
    pub tick_ns: u64,
    /// How often the clock has been set since the trace began. Ticks of different settings cannot
    /// be compared; a later setting goes on at the time where the one before ended.
    pub setting: u32,
}

impl Clock {
    /// A clock that counts nanoseconds and is never set, as most are.
    pub const NANOSECONDS: Self = Self { tick_ns: 1, setting: 0 };
}

/// The setting of the clock and the ticks: the order of requests.
type Arrival = (u32, u64);

/// What lets requests through, in the order of time, the first one at 0.
pub(super) struct Gate {
    order: TimeOrder,
    volume: Option<u32>,
    /// Whether flushes pass, and writes with FUA as such.
    flushes: bool,
    /// Requests that may still pass.
    left: u64,
    passed: u64,
    /// Ticks from the first request to the first one of the present setting of the clock.
    base: u64,
    /// What the clock showed at the latter.
    first: u64,
    last: Arrival,
    /// Only for sorting: ordered by time, then by place in the file.
    window: BinaryHeap<Reverse<(Arrival, u64, RawRequest)>>,
    arrived: u64,
    /// The lowest volumes that the filter has held back.
    others: BTreeSet<u32>,
    latest_other: Option<u32>,
}

impl Gate {
    pub(super) fn new(order: TimeOrder, volume: Option<u32>, requests: Option<u64>) -> Self {
        Self {
            order,
            volume,
            flushes: false,
            left: requests.unwrap_or(u64::MAX),
            passed: 0,
            base: 0,
            first: 0,
            last: (0, 0),
            window: BinaryHeap::new(),
            arrived: 0,
            others: BTreeSet::new(),
            latest_other: None,
        }
    }

    /// The same with flushes, and writes with FUA as such.
    pub(super) fn with_flushes(self, flushes: bool) -> Self {
        Self { flushes, ..self }
    }

    /// True when as many requests as asked for have passed.
    #[inline]
    pub(super) fn closed(&self) -> bool {
        self.left == 0
    }

    /// Checks `raw`, timed by `clock`, and appends the request that passes next; false if none does.
    #[inline(always)]
    pub(super) fn admit(
        &mut self,
        mut raw: RawRequest,
        clock: Clock,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        match raw.op {
            Op::Flush if !self.flushes => return Ok(false),
            // Offset and length of a flush mean nothing.
            Op::Flush => (raw.offset, raw.length) = (0, 0),
            Op::WriteThrough if !self.flushes => raw.op = Op::Write,
            _ => {}
        }
        check(&raw)?;
        if self.volume.is_some_and(|volume| volume != raw.volume) {
            self.hold_back(raw.volume);
            return Ok(false);
        }
        if self.order == TimeOrder::Sort {
            return self.sort(raw, clock, passed);
        }
        let mut arrival = (clock.setting, raw.ticks);
        if arrival < self.last && self.passed > 0 {
            if self.order == TimeOrder::Error {
                return Err(self.backwards(arrival, clock));
            }
            arrival = self.last;
        }
        self.pass(arrival, raw, clock.tick_ns, passed)
    }

    /// Appends the next request that sorting holds back, once the trace has ended; false if none is.
    pub(super) fn drain(
        &mut self,
        tick_ns: u64,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        match self.window.pop() {
            Some(Reverse((arrival, _, raw))) => self.pass(arrival, raw, tick_ns, passed),
            None => Ok(false),
        }
    }

    /// What is wrong when the trace has ended and nothing has passed; `without` if nothing came.
    pub(super) fn check_end(&self, without: impl FnOnce() -> Mistake) -> Result<(), Mistake> {
        match self.volume {
            _ if self.passed > 0 => Ok(()),
            Some(volume) if !self.others.is_empty() => {
                let known: Vec<String> =
                    self.others.iter().take(LISTED_VOLUMES).map(u32::to_string).collect();
                let more = if self.others.len() > LISTED_VOLUMES { ", ..." } else { "" };
                Err(Mistake(format!(
                    "volume {volume} does not occur; input.volume may be {}{more}",
                    known.join(", ")
                )))
            }
            _ => Err(without()),
        }
    }

    #[inline(never)]
    fn sort(
        &mut self,
        raw: RawRequest,
        clock: Clock,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        let arrival = (clock.setting, raw.ticks);
        if arrival < self.last && self.passed > 0 {
            return Err(self.beyond_the_window(arrival, clock));
        }
        let mut next = Reverse((arrival, self.arrived, raw));
        self.arrived += 1;
        if self.window.len() < SORT_WINDOW_REQUESTS {
            self.window.push(next);
            return Ok(false);
        }
        // The earliest of all passes, which may be the one that has just come.
        if let Some(mut earliest) = self.window.peek_mut()
            && *earliest > next
        {
            std::mem::swap(&mut *earliest, &mut next);
        }
        let Reverse((arrival, _, raw)) = next;
        self.pass(arrival, raw, clock.tick_ns, passed)
    }

    /// Lets `raw` through at `arrival`, which is not before the last one, and says so.
    #[inline(always)]
    fn pass(
        &mut self,
        arrival: Arrival,
        raw: RawRequest,
        tick_ns: u64,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        let (setting, ticks) = arrival;
        if self.passed == 0 {
            self.first = ticks;
        } else if setting != self.last.0 {
            self.base += self.last.1 - self.first;
            self.first = ticks;
        }
        self.last = arrival;
        self.passed += 1;
        self.left -= 1;
        // Rebased before scaling: a FILETIME in nanoseconds would not fit.
        let elapsed = self.base.saturating_add(ticks - self.first);
        let time = elapsed.checked_mul(tick_ns).filter(|time| *time <= LAST_NANOSECOND);
        let time = time.ok_or_else(|| too_late(elapsed))?;
        passed.push(Request {
            time,
            offset: raw.offset,
            // Checked to fit.
            length: raw.length as u32,
            volume: raw.volume,
            op: raw.op,
        });
        Ok(true)
    }

    #[cold]
    fn backwards(&self, arrival: Arrival, clock: Clock) -> Mistake {
        Mistake(format!(
            "time goes back {}, expected times in order; input.order = sort reorders, \
             input.order = clamp raises the time",
            self.lateness(arrival, clock)
        ))
    }

    #[cold]
    fn beyond_the_window(&self, arrival: Arrival, clock: Clock) -> Mistake {
        Mistake(format!(
            "time goes back {}, further than the {SORT_WINDOW_REQUESTS} requests that sorting \
             holds; sort the file by time first, or use \
             input.order = clamp",
            self.lateness(arrival, clock)
        ))
    }

    fn lateness(&self, arrival: Arrival, clock: Clock) -> String {
        if arrival.0 == self.last.0 {
            let seconds = (self.last.1 - arrival.1) as f64 * clock.tick_ns as f64 / 1e9;
            format!("by {seconds} s")
        } else {
            "to before the clock was set".into()
        }
    }

    fn hold_back(&mut self, volume: u32) {
        if self.latest_other != Some(volume) {
            self.latest_other = Some(volume);
            self.others.insert(volume);
            if self.others.len() > LISTED_VOLUMES + 1 {
                self.others.pop_last();
            }
        }
    }
}

/// The last believable time after the first request: 292 years, so that sums of times fit too.
const LAST_NANOSECOND: u64 = i64::MAX as u64;

/// The last byte that may be addressed.
const LAST_BYTE: u64 = i64::MAX as u64;

#[inline]
fn check(raw: &RawRequest) -> Result<(), Mistake> {
    if raw.length == 0 && raw.op != Op::Flush {
        return Err(Mistake("found a request of length 0, expected at least 1 byte".into()));
    }
    if raw.length > longest(raw.op) {
        return Err(too_long(raw.length, raw.op));
    }
    if raw.offset > LAST_BYTE - raw.length {
        return Err(beyond_the_end(raw.offset));
    }
    Ok(())
}

/// Trims carry no data and may be as long as a [`Request`] can tell.
#[inline]
fn longest(op: Op) -> u64 {
    if op == Op::Trim { u64::from(u32::MAX) } else { LONGEST_REQUEST_BYTES }
}

#[cold]
fn too_long(length: u64, op: Op) -> Mistake {
    let (what, limit) = if op == Op::Trim { ("trim", 4) } else { ("request", 1) };
    Mistake(format!(
        "found a {what} longer than {limit} GiB (size {length}), expected a size in the format's \
         unit"
    ))
}

#[cold]
fn beyond_the_end(address: u64) -> Mistake {
    Mistake(format!(
        "found a request at address {address}, expected one that ends below 2^63 bytes"
    ))
}

#[cold]
fn too_late(ticks: u64) -> Mistake {
    Mistake(format!(
        "found a time {ticks} ticks after the first request, expected less than 292 years"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ticks: u64, volume: u32) -> RawRequest {
        RawRequest { ticks, volume, offset: 0, length: 512, op: Op::Write }
    }

    fn admit(gate: &mut Gate, raw: RawRequest, clock: Clock) -> Result<Option<Request>, Mistake> {
        let mut passed = Vec::new();
        assert_eq!(gate.admit(raw, clock, &mut passed)?, !passed.is_empty());
        Ok(passed.pop())
    }

    fn drain(gate: &mut Gate) -> Result<Option<Request>, Mistake> {
        let mut passed = Vec::new();
        assert_eq!(gate.drain(1, &mut passed)?, !passed.is_empty());
        Ok(passed.pop())
    }

    fn times(gate: &mut Gate, ticks: &[u64]) -> Result<Vec<u64>, String> {
        let mut times = Vec::new();
        for &tick in ticks {
            times.extend(
                admit(gate, at(tick, 0), Clock::NANOSECONDS).map_err(|m| m.0)?.map(|r| r.time),
            );
        }
        while let Some(request) = drain(gate).map_err(|m| m.0)? {
            times.push(request.time);
        }
        Ok(times)
    }

    #[test]
    fn times_start_at_zero_and_each_policy_does_what_it_says() {
        let shuffled = [50, 70, 60, 40];
        let order = |order| times(&mut Gate::new(order, None, None), &shuffled);
        assert!(order(TimeOrder::Error).unwrap_err().contains("input.order = sort"));
        assert_eq!(order(TimeOrder::Clamp).unwrap(), [0, 20, 20, 20]);
        assert_eq!(order(TimeOrder::Sort).unwrap(), [0, 10, 20, 30]);
    }

    #[test]
    fn sorting_keeps_the_order_of_equal_times() {
        let mut gate = Gate::new(TimeOrder::Sort, None, None);
        for volume in [3, 1, 2] {
            assert_eq!(admit(&mut gate, at(7, volume), Clock::NANOSECONDS), Ok(None));
        }
        for volume in [3, 1, 2] {
            assert_eq!(drain(&mut gate).unwrap().map(|r| r.volume), Some(volume));
        }
    }

    #[test]
    fn a_clock_that_is_set_goes_on_where_it_stood() {
        // The fourth request is still timed by the first setting; the clock was set backwards.
        let arrivals = [(0, 500), (0, 520), (1, 10), (0, 530), (1, 40), (2, 7_000)];
        let all = |order: TimeOrder| -> Result<Vec<u64>, Mistake> {
            let mut gate = Gate::new(order, None, None);
            let mut times = Vec::new();
            for (setting, ticks) in arrivals {
                let clock = Clock { setting, ..Clock::NANOSECONDS };
                times.extend(admit(&mut gate, at(ticks, 0), clock)?.map(|r| r.time));
            }
            while let Some(request) = drain(&mut gate)? {
                times.push(request.time);
            }
            Ok(times)
        };
        assert_eq!(all(TimeOrder::Sort).unwrap(), [0, 20, 30, 30, 60, 60]);
        assert_eq!(all(TimeOrder::Clamp).unwrap(), [0, 20, 20, 20, 50, 50]);
        let Err(Mistake(message)) = all(TimeOrder::Error) else { panic!("the fourth is late") };
        assert!(message.contains("to before the clock was set"), "{message}");
    }

    #[test]
    fn sorting_gives_up_beyond_its_window_and_says_so() {
        let window = SORT_WINDOW_REQUESTS as u64;
        let far: Vec<u64> = (1..=window + 1).chain([0]).collect();
        let error = times(&mut Gate::new(TimeOrder::Sort, None, None), &far).unwrap_err();
        assert!(error.contains("input.order = clamp"), "{error}");
        let near: Vec<u64> = (1..=window).chain([0]).collect();
        let sorted = times(&mut Gate::new(TimeOrder::Sort, None, None), &near).unwrap();
        assert_eq!(sorted, (0..=window).collect::<Vec<_>>());
    }

    #[test]
    fn an_unknown_volume_lists_the_first_twenty_that_occur() {
        let mut gate = Gate::new(TimeOrder::Error, Some(99), None);
        for volume in (0..50).rev() {
            assert_eq!(admit(&mut gate, at(0, volume), Clock::NANOSECONDS), Ok(None));
        }
        let message = gate.check_end(|| Mistake("nothing came".into())).unwrap_err().0;
        assert!(
            message.ends_with(
                "be 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, ..."
            ),
            "{message}"
        );
    }

    #[test]
    fn what_cannot_be_believed_does_not_pass() {
        let good = at(0, 0);
        for bad in [
            RawRequest { length: 0, ..good },
            RawRequest { length: LONGEST_REQUEST_BYTES + 1, ..good },
            RawRequest { length: 1 << 32, op: Op::Trim, ..good },
            RawRequest { offset: LAST_BYTE - 511, ..good },
            RawRequest { offset: u64::MAX, ..good },
        ] {
            assert!(
                admit(&mut Gate::new(TimeOrder::Error, None, None), bad, Clock::NANOSECONDS)
                    .is_err(),
                "{bad:?}"
            );
        }
        let trim = RawRequest { length: u64::from(u32::MAX), op: Op::Trim, ..good };
        assert!(
            admit(&mut Gate::new(TimeOrder::Error, None, None), trim, Clock::NANOSECONDS).is_ok()
        );
        let last = RawRequest { offset: LAST_BYTE - 512, ..good };
        assert!(
            admit(&mut Gate::new(TimeOrder::Error, None, None), last, Clock::NANOSECONDS).is_ok()
        );
        assert!(RawRequest { offset: u64::MAX / 2, ..good }.in_units(512, 1).is_err());
        assert!(RawRequest { length: u64::MAX / 2, ..good }.in_units(1, 512).is_err());
    }

    #[test]
    fn flushes_pass_where_they_are_asked_for() {
        let flush = RawRequest { op: Op::Flush, length: 0, ..at(1, 0) };
        let through = RawRequest { op: Op::WriteThrough, ..at(2, 0) };
        let ops = |flushes| {
            let mut gate = Gate::new(TimeOrder::Error, None, None).with_flushes(flushes);
            [at(0, 0), flush, through].map(|raw| {
                admit(&mut gate, raw, Clock::NANOSECONDS).unwrap().map(|request| request.op)
            })
        };
        assert_eq!(ops(false), [Some(Op::Write), None, Some(Op::Write)]);
        assert_eq!(ops(true), [Op::Write, Op::Flush, Op::WriteThrough].map(Some));
    }

    #[test]
    fn a_time_beyond_292_years_does_not_wrap() {
        let mut gate = Gate::new(TimeOrder::Error, None, None);
        let seconds = Clock { tick_ns: 1_000_000_000, ..Clock::NANOSECONDS };
        assert!(admit(&mut gate, at(0, 0), seconds).is_ok());
        assert!(admit(&mut gate, at(u64::MAX, 0), seconds).is_err());
        assert!(admit(&mut gate, at(u64::MAX, 0), Clock::NANOSECONDS).is_err());
        let set = Clock { setting: 1, ..Clock::NANOSECONDS };
        assert!(admit(&mut gate, at(0, 0), set).is_err());
    }
}
