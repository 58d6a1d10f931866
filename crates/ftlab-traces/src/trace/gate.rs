//! The checks that every format shares: sizes, addresses, time order, filters, rebasing.
//!
//! The path of each request is inlined by force, and each request is written in its final place.
//! Moving one in memory, as returning it would, takes as long as reading it.

use super::TimeOrder;
use super::field::Mistake;
use super::sorting::Sorting;
use crate::request::{LONGEST_REQUEST_BYTES, Meta, Op, Request};
use std::collections::BTreeSet;

/// Requests that sorting may hold back, in 16 MiB: some seconds of a busy storage cluster. Lines of
/// Tencent's clusters are late by a second.
pub const SORT_WINDOW_REQUESTS: usize = 1 << 18;

/// Volumes that a message lists.
const LISTED_VOLUMES: usize = 20;

/// A request as a line states it, before any check.
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
    /// Further attributes that the host states.
    pub meta: Meta,
}

impl RawRequest {
    /// A request at tick 0, in volume 0, without attributes.
    #[inline(always)]
    pub const fn new(op: Op, offset: u64, length: u64) -> Self {
        Self { ticks: 0, volume: 0, offset, length, op, meta: Meta::UNSET }
    }

    /// A flush, which has no address.
    #[inline(always)]
    pub const fn flush() -> Self {
        Self::new(Op::Flush, 0, 0)
    }

    /// The same at another time, in ticks.
    #[inline(always)]
    pub const fn at(self, ticks: u64) -> Self {
        Self { ticks, ..self }
    }

    /// The same in another volume.
    #[inline(always)]
    pub const fn in_volume(self, volume: u32) -> Self {
        Self { volume, ..self }
    }

    /// The same with these attributes.
    #[inline(always)]
    pub const fn with_meta(self, meta: Meta) -> Self {
        Self { meta, ..self }
    }

    /// Replaces address and length, given in units, by bytes.
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
    /// be compared; a later setting continues at the end of the previous one.
    pub setting: u32,
}

impl Clock {
    /// A clock that counts nanoseconds and is never set. Most are.
    pub const NANOSECONDS: Self = Self { tick_ns: 1, setting: 0 };
}

/// The setting of the clock and the ticks: the order of requests.
pub(super) type Arrival = (u32, u64);

/// Passes requests on in the order of time, the first one at 0.
pub(super) struct Gate {
    order: TimeOrder,
    volume: Option<u32>,
    /// Whether flushes pass, and whether FUA is kept on writes.
    flushes: bool,
    /// Requests that may still pass.
    left: u64,
    passed: u64,
    /// Ticks from the first request to the first one of the present setting of the clock.
    base: u64,
    /// The clock's time at that request.
    first: u64,
    last: Arrival,
    /// Only for sorting.
    window: Sorting,
    /// The lowest volumes that the filter has rejected.
    others: BTreeSet<u32>,
    latest_other: Option<u32>,
    left_out: LeftOut,
    /// Jumps of the clock that have been taken out.
    jumps: u32,
    /// The longest step ahead of the present setting of the clock, and the time before it.
    longest_step: (u64, u64),
}

/// From this step back on, the clock has jumped; shorter steps are lines out of order.
const JUMP_NS: u64 = 10_000_000_000;

/// From this step ahead on, the clock has jumped; shorter steps are an idle disk.
const LEAP_NS: u64 = 86_400_000_000_000;

/// Invalid or empty requests, counted.
#[derive(Default)]
struct LeftOut {
    flushes: u64,
    /// Reads, writes and trims of length 0.
    empty: u64,
    /// Requests with invalid times, if these are left out.
    misplaced: u64,
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
            window: Sorting::default(),
            others: BTreeSet::new(),
            latest_other: None,
            left_out: LeftOut::default(),
            jumps: 0,
            longest_step: (0, 0),
        }
    }

    /// The same with flushes, and with FUA on writes.
    pub(super) fn with_flushes(self, flushes: bool) -> Self {
        Self { flushes, ..self }
    }

    /// True when the requested number of requests has passed.
    #[inline]
    pub(super) fn closed(&self) -> bool {
        self.left == 0
    }

    /// Checks `raw`, timed by `clock`, and appends the request that passes next; false if none does.
    #[inline(always)]
    pub(super) fn admit(
        &mut self,
        raw: RawRequest,
        clock: Clock,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        if raw.length > 0 && matches!(raw.op, Op::Read | Op::Write) {
            self.admit_taken(raw, clock, passed)
        } else {
            self.admit_other(raw, clock, passed)
        }
    }

    /// Admits what is not a read or write of nonzero length, if it is taken at all.
    #[inline(never)]
    fn admit_other(
        &mut self,
        raw: RawRequest,
        clock: Clock,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        let Some(raw) = self.taken(raw) else { return Ok(false) };
        self.admit_taken(raw, clock, passed)
    }

    #[inline(always)]
    fn admit_taken(
        &mut self,
        raw: RawRequest,
        clock: Clock,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        check(&raw)?;
        if self.volume.is_some_and(|volume| volume != raw.volume) {
            self.hold_back(raw.volume);
            return Ok(false);
        }
        let arrival = (clock.setting, raw.ticks);
        let usual = matches!(self.order, TimeOrder::Error | TimeOrder::Clamp);
        if usual && arrival >= self.last {
            return self.pass(arrival, raw, clock.tick_ns, passed);
        }
        self.mend(arrival, raw, clock, passed)
    }

    /// The request, if any, that passes for what is not a read or write of nonzero length.
    fn taken(&mut self, raw: RawRequest) -> Option<RawRequest> {
        match raw.op {
            Op::Flush if !self.flushes => {
                self.left_out.flushes += 1;
                None
            }
            // Offset and length of a flush have no meaning.
            Op::Flush => Some(RawRequest { offset: 0, length: 0, ..raw }),
            _ if raw.length == 0 => {
                self.left_out.empty += 1;
                None
            }
            Op::WriteThrough if !self.flushes => Some(RawRequest { op: Op::Write, ..raw }),
            _ => Some(raw),
        }
    }

    /// Passes `raw` once its time is in order.
    #[inline(never)]
    fn mend(
        &mut self,
        arrival: Arrival,
        raw: RawRequest,
        clock: Clock,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        let behind = arrival < self.last && self.passed > 0;
        let arrival = match self.order {
            TimeOrder::Sort => return self.sort(raw, clock, passed),
            TimeOrder::Error if behind => return Err(self.backwards(arrival, clock)),
            TimeOrder::Clamp if behind => self.last,
            TimeOrder::Segments => {
                let (setting, ticks) = arrival;
                self.in_segments((setting.saturating_add(self.jumps), ticks), clock)
            }
            TimeOrder::Drop if behind || self.leaps(arrival, clock) => {
                self.left_out.misplaced += 1;
                return Ok(false);
            }
            _ => arrival,
        };
        self.pass(arrival, raw, clock.tick_ns, passed)
    }

    /// Whether the clock steps ahead by more than a disk is ever idle.
    fn leaps(&self, (setting, ticks): Arrival, clock: Clock) -> bool {
        let step = ticks.saturating_sub(self.last.1).saturating_mul(clock.tick_ns);
        self.passed > 0 && setting == self.last.0 && step > LEAP_NS
    }

    /// The arrival, where each jump of the clock begins a new setting.
    fn in_segments(&mut self, (setting, ticks): Arrival, clock: Clock) -> Arrival {
        let back = self.last.1.saturating_sub(ticks).saturating_mul(clock.tick_ns);
        if self.passed == 0 || setting != self.last.0 {
            return (setting, ticks).max(self.last);
        }
        if back >= JUMP_NS || self.leaps((setting, ticks), clock) {
            self.jumps = self.jumps.saturating_add(1);
            return (setting.saturating_add(1), ticks);
        }
        (setting, ticks).max(self.last)
    }

    /// Appends the next request held back by sorting, after the trace has ended; false if none is.
    pub(super) fn drain(
        &mut self,
        tick_ns: u64,
        passed: &mut Vec<Request>,
    ) -> Result<bool, Mistake> {
        match self.window.pop() {
            Some((arrival, raw)) => self.pass(arrival, raw, tick_ns, passed),
            None => Ok(false),
        }
    }

    /// The error if nothing has passed when the trace has ended; `without` if there was no request.
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
            _ => {
                let Mistake(message) = without();
                let remarks = self.remarks().into_iter().map(|remark| format!("; {remark}"));
                Err(Mistake([message].into_iter().chain(remarks).collect()))
            }
        }
    }

    /// Requests that were left out because their times are out of order.
    pub(super) fn misplaced(&self) -> u64 {
        self.left_out.misplaced
    }

    /// Remarks on what was left out without the user's request, and how to take it.
    pub(super) fn remarks(&self) -> Vec<String> {
        let flushes = (self.left_out.flushes > 0).then(|| {
            let count = self.left_out.flushes;
            format!("left out {count} flushes; input.flushes = true takes them")
        });
        let empty = (self.left_out.empty > 0)
            .then(|| format!("left out {} requests of length 0", self.left_out.empty));
        let misplaced = (self.left_out.misplaced > 0).then(|| {
            format!("left out {} requests with times out of order", self.left_out.misplaced)
        });
        let jumps = (self.jumps > 0).then(|| format!("took out {} jumps of the clock", self.jumps));
        [flushes, empty, misplaced, jumps].into_iter().flatten().collect()
    }

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
        self.window.push(arrival, raw);
        if self.window.len() <= SORT_WINDOW_REQUESTS {
            return Ok(false);
        }
        self.drain(clock.tick_ns, passed)
    }

    /// Passes `raw` at `arrival`, which is not before the last one, and returns true.
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
            self.base = self.base.saturating_add(self.last.1 - self.first);
            self.first = ticks;
            self.longest_step = (0, ticks);
        } else if ticks - self.last.1 > self.longest_step.0 {
            self.longest_step = (ticks - self.last.1, self.last.1);
        }
        self.last = arrival;
        self.passed += 1;
        self.left -= 1;
        // Rebased before scaling: a FILETIME in nanoseconds does not fit.
        let elapsed = self.base.saturating_add(ticks - self.first);
        let time = elapsed.checked_mul(tick_ns).filter(|time| *time <= LAST_NANOSECOND);
        let time = time.ok_or_else(|| too_late(elapsed))?;
        let RawRequest { volume, offset, length, op, meta, .. } = raw;
        // Checked to fit.
        let length = length as u32;
        passed.push(Request { time, offset, length, volume, op, meta });
        Ok(true)
    }

    #[cold]
    fn backwards(&self, arrival: Arrival, clock: Clock) -> Mistake {
        let advice = self.advice(arrival, clock);
        let late = self.lateness(arrival, clock);
        Mistake(format!("time goes back {late}, expected times in order; {advice}"))
    }

    /// Advice for this trace: lines out of order, a clock that was set, or broken timestamps.
    fn advice(&self, (setting, ticks): Arrival, clock: Clock) -> String {
        let nanoseconds = |ticks: u64| ticks.saturating_mul(clock.tick_ns);
        let (step, before) = self.longest_step;
        if setting != self.last.0 || nanoseconds(self.last.1 - ticks) < JUMP_NS {
            "input.order = sort reorders, input.order = clamp raises the time".into()
        } else if nanoseconds(step) > LEAP_NS && ticks >= before {
            format!(
                "the times before lie {} s ahead of those around them, so stamps are broken; \
                 input.order = drop leaves these requests out, input.order = segments takes the \
                 jumps out",
                nanoseconds(step) / 1_000_000_000
            )
        } else {
            "the clock was set or another recording begins; input.order = segments goes on at the \
             latest time, input.order = drop leaves out what is earlier, input.order = sort merges \
             recordings of the same time"
                .into()
        }
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

/// The last valid time after the first request: 292 years, so that sums of times fit too.
const LAST_NANOSECOND: u64 = i64::MAX as u64;

/// The last byte that may be addressed.
const LAST_BYTE: u64 = i64::MAX as u64;

#[inline]
fn check(raw: &RawRequest) -> Result<(), Mistake> {
    if raw.length > longest(raw.op) {
        return Err(too_long(raw.length, raw.op));
    }
    if raw.offset > LAST_BYTE - raw.length {
        return Err(beyond_the_end(raw.offset));
    }
    Ok(())
}

/// The longest length of an operation. Trims carry no data and may be as long as a [`Request`]
/// allows.
#[inline]
fn longest(op: Op) -> u64 {
    if op == Op::Trim { u64::from(u32::MAX) } else { LONGEST_REQUEST_BYTES }
}

/// The longest trim, such as that of a whole disk.
const LONGEST_TRIM_BYTES: u64 = 64 << 40;

/// The pieces into which a trim longer than a [`Request`] allows is cut.
const TRIM_PIECE_BYTES: u64 = 2 << 30;

/// Cuts off the part of a trim that does not fit one request, and returns it if there is any.
#[inline(never)]
pub(super) fn cut(raw: &mut RawRequest) -> Option<RawRequest> {
    if raw.op != Op::Trim || raw.length <= longest(Op::Trim) || raw.length > LONGEST_TRIM_BYTES {
        return None;
    }
    let rest = RawRequest {
        offset: raw.offset.saturating_add(TRIM_PIECE_BYTES),
        length: raw.length - TRIM_PIECE_BYTES,
        ..*raw
    };
    raw.length = TRIM_PIECE_BYTES;
    Some(rest)
}

#[cold]
fn too_long(length: u64, op: Op) -> Mistake {
    let (what, limit) = if op == Op::Trim { ("trim", "64 TiB") } else { ("request", "1 GiB") };
    Mistake(format!(
        "found a {what} longer than {limit} (size {length}), expected a size in the format's \
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
        RawRequest::new(Op::Write, 0, 512).at(ticks).in_volume(volume)
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
    fn what_has_no_length_is_left_out_and_counted() {
        let mut gate = Gate::new(TimeOrder::Error, None, None);
        let empty = RawRequest { length: 0, ..at(9, 0) };
        let flush = RawRequest { op: Op::Flush, ..empty };
        for none in [empty, flush, flush] {
            assert_eq!(admit(&mut gate, none, Clock::NANOSECONDS), Ok(None));
        }
        let Err(Mistake(message)) = gate.check_end(|| Mistake("nothing".into())) else {
            panic!("nothing has passed")
        };
        let expected = "nothing; left out 2 flushes; input.flushes = true takes them; left out 1 \
                        requests of length 0";
        assert_eq!(message, expected);
        assert_eq!(admit(&mut gate, at(5, 0), Clock::NANOSECONDS).unwrap().unwrap().time, 0);
    }

    #[test]
    fn a_trim_of_a_whole_disk_is_cut_into_pieces() {
        let disk = 5 << 30;
        let mut rest = Some(RawRequest { op: Op::Trim, length: disk, ..at(0, 0) });
        let mut pieces = Vec::new();
        while let Some(mut piece) = rest {
            rest = cut(&mut piece);
            assert!(piece.length <= u64::from(u32::MAX));
            pieces.push((piece.offset, piece.length));
        }
        assert_eq!(pieces, [(0, 2 << 30), (2 << 30, 3 << 30)]);
        let beyond = RawRequest { op: Op::Trim, length: LONGEST_TRIM_BYTES + 1, ..at(0, 0) };
        let write = RawRequest { length: disk, ..at(0, 0) };
        for whole in [beyond, write] {
            let mut raw = whole;
            assert_eq!((cut(&mut raw), raw), (None, whole));
        }
    }

    #[test]
    fn a_jump_of_the_clock_is_told_from_lines_out_of_order() {
        let second = 1_000_000_000;
        let order = |order, seconds: &[u64]| {
            let ticks: Vec<u64> = seconds.iter().map(|s| s * second).collect();
            let times = times(&mut Gate::new(order, None, None), &ticks);
            times.map(|times| times.iter().map(|time| time / second).collect::<Vec<_>>())
        };
        let advice = |seconds: &[u64]| order(TimeOrder::Error, seconds).unwrap_err();
        let jitter = [100, 103, 101];
        let set_back = [7_200, 7_203, 3_600, 3_605];
        let broken = [10, 11, 1_266_900_000, 12, 14];
        assert!(advice(&jitter).contains("input.order = sort reorders"));
        assert!(advice(&set_back).contains("input.order = segments goes on"));
        assert!(advice(&broken).contains("1266899989 s ahead"), "{}", advice(&broken));
        let segments = |seconds| order(TimeOrder::Segments, seconds).unwrap();
        assert_eq!(segments(&jitter), [0, 3, 3]);
        assert_eq!(segments(&set_back), [0, 3, 3, 8]);
        assert_eq!(segments(&broken), [0, 1, 1, 1, 3]);
        assert_eq!(order(TimeOrder::Drop, &broken).unwrap(), [0, 1, 2, 4]);
        assert_eq!(order(TimeOrder::Drop, &set_back).unwrap(), [0, 3]);
    }

    #[test]
    fn attributes_pass_whatever_the_order() {
        let meta = Meta { handle: 9, ..Meta::UNSET };
        for order in [TimeOrder::Error, TimeOrder::Sort, TimeOrder::Segments] {
            let mut gate = Gate::new(order, None, None);
            let raw = RawRequest { meta, ..at(5, 0) };
            let passed = admit(&mut gate, raw, Clock::NANOSECONDS).unwrap();
            let passed = passed.or_else(|| drain(&mut gate).unwrap());
            assert_eq!(passed, Some(Request::new(Op::Write, 0, 512).with_meta(meta)));
        }
        let mut trim = RawRequest { op: Op::Trim, length: 1 << 33, meta, ..at(0, 0) };
        let rest = cut(&mut trim).expect("a trim of two pieces");
        assert_eq!((trim.meta, rest.meta), (meta, meta));
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
