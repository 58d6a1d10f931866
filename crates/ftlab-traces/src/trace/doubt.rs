//! Times whose unit nothing in the file settles: the user is asked, as a wrong guess is silent.
//!
//! A format whose columns also circulate in another unit says here what cannot be settled. The
//! rules look at the first lines only, and none applies once `input.time_unit` is given.

use super::gate::RawRequest;
use super::text::{LineFormat, Sample};
use super::time::TimeUnit;

/// Requests from which on a mean gap says something.
const TELLING_REQUESTS: usize = 8;

/// The question that names the units that are possible.
pub(super) fn question(found: &str, units: &[TimeUnit]) -> String {
    let options: Vec<String> =
        units.iter().map(|unit| format!("input.time_unit = {}", unit.name())).collect();
    format!("{found}; say which with {}", options.join(" or "))
}

/// The mean time between requests, in ticks, where there are enough of them.
pub(super) fn mean_gap(requests: &[RawRequest]) -> Option<f64> {
    let first = requests.iter().map(|raw| raw.ticks).min()?;
    let last = requests.iter().map(|raw| raw.ticks).max()?;
    let enough = requests.len() >= TELLING_REQUESTS && last > first;
    enough.then(|| (last - first) as f64 / (requests.len() - 1) as f64)
}

/// Doubts times since 1970 whose size is that of another unit.
pub(super) fn other_stamps<F: LineFormat>(sample: &Sample) -> Option<String> {
    let (first, stamp) = stamp::<F>(sample)?;
    (stamp != F::TIME.unit).then(|| other_stamp(first, stamp, F::TIME.unit))
}

/// Doubts a first time that has the size of one since 1970 in another unit, and is years from any start in its own.
pub(super) fn far_stamp<F: LineFormat>(sample: &Sample) -> Option<String> {
    let (first, stamp) = stamp::<F>(sample)?;
    F::TIME.unit.is_beyond(stamp).then(|| other_stamp(first, stamp, F::TIME.unit))
}

/// The same where traces begin at 0, of a first time days from it.
pub(super) fn late_stamp<F: LineFormat>(sample: &Sample) -> Option<String> {
    let (first, stamp) = stamp::<F>(sample)?;
    let own = F::TIME.unit;
    let is_late = first >= LATEST_START_NS / own.nanoseconds();
    (own != stamp && is_late).then(|| other_stamp(first, stamp, own))
}

/// Ten days.
const LATEST_START_NS: u64 = 10 * 86_400 * 1_000_000_000;

/// The first time without its decimals, and the unit that its size settles.
fn stamp<F: LineFormat>(sample: &Sample) -> Option<(u64, TimeUnit)> {
    let ticks = sample.requests::<F>().next()?.ticks;
    let first = ticks / 10_u64.pow(F::TIME.places() as u32);
    Some((first, TimeUnit::of_stamp(first)?))
}

fn other_stamp(first: u64, stamp: TimeUnit, own: TimeUnit) -> String {
    let since = if stamp == TimeUnit::Filetime { 1601 } else { 1970 };
    let found = format!("the first time, {first}, has the size of {} since {since}", stamp.noun());
    question(&found, &[stamp, own])
}

/// The last second that 32 bits hold, in 2106.
const LATEST_S: u64 = u32::MAX as u64;

/// Doubts whole seconds that are later than any.
pub(super) fn late_seconds<F: LineFormat>(sample: &Sample) -> Option<String> {
    let first = sample.requests::<F>().next()?.ticks;
    (first > LATEST_S).then(|| {
        let found = format!("the first time, {first}, is after the year 2106 if it counts seconds");
        question(&found, &[TimeUnit::Microseconds, TimeUnit::Milliseconds, TimeUnit::Seconds])
    })
}

/// The mean gap, in ns, beyond which whole seconds may count something else.
const LONGEST_GAP_NS: f64 = 10e9;

/// The same of seconds with a decimal point.
const LONGEST_DECIMAL_GAP_NS: f64 = 600e9;

/// The same of seconds with the places of milliseconds.
const LONGEST_SHORT_DECIMAL_GAP_NS: f64 = 5e9;

/// Decimal places of seconds down to milliseconds, and of milliseconds down to microseconds.
const FEW_PLACES: usize = 3;

/// Whether all lines, but for the first time, which may be 0, have points with three digits behind.
fn have_few_places(sample: &Sample) -> bool {
    let places = |behind: &[u8]| behind.iter().take_while(|b| b.is_ascii_digit()).count();
    let few =
        |line: &[u8]| line.split(|b| *b == b'.').skip(1).all(|behind| places(behind) == FEW_PLACES);
    let have_points = || sample.lines().skip(1).all(|line| line.contains(&b'.'));
    sample.lines().all(few) && have_points()
}

/// Doubts seconds that are far from each other.
pub(super) fn doubtful_seconds<F: LineFormat>(sample: &Sample) -> Option<String> {
    let requests: Vec<RawRequest> = sample.requests::<F>().collect();
    let (longest, found) = if sample.has(b'.') && have_few_places(sample) {
        (
            LONGEST_SHORT_DECIMAL_GAP_NS,
            "requests arrive over 5 s apart if times are seconds, and all have three decimal places",
        )
    } else if sample.has(b'.') {
        (LONGEST_DECIMAL_GAP_NS, "requests arrive over ten minutes apart if times are seconds")
    } else {
        (
            LONGEST_GAP_NS,
            "requests arrive over 10 s apart if times are seconds, and no time has a point",
        )
    };
    let gap = mean_gap(&requests)? * F::TIME.tick_ns() as f64;
    (gap > longest).then(|| {
        let units = [
            TimeUnit::Seconds,
            TimeUnit::Milliseconds,
            TimeUnit::Microseconds,
            TimeUnit::Nanoseconds,
        ];
        question(found, &units)
    })
}

/// Doubts times that go back again and again, as those since the event before do.
pub(super) fn gaps<F: LineFormat>(sample: &Sample) -> Option<String> {
    let times: Vec<u64> = sample.requests::<F>().map(|raw| raw.ticks).collect();
    let (back, all) = (times.windows(2).filter(|pair| pair[1] < pair[0]).count(), times.len());
    (all >= TELLING_REQUESTS && 4 * back > all).then(|| {
        format!(
            "times go back at {back} of the first {all} requests, so they may count from the event \
             before; print them without --deltatime, or take them as they are with input.time_unit = s"
        )
    })
}

/// Whether all times are multiples of a thousand, and enough of them.
pub(super) fn in_thousands(requests: &[RawRequest]) -> bool {
    let moves = requests.iter().any(|raw| raw.ticks != 0);
    let whole = requests.iter().all(|raw| raw.ticks.is_multiple_of(1000));
    requests.len() >= TELLING_REQUESTS && moves && whole
}
