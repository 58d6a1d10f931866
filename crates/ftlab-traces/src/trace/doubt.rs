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

/// Doubts microseconds since 1970 whose size is that of another unit.
pub(super) fn other_stamps<F: LineFormat>(sample: &Sample) -> Option<String> {
    let first = sample.requests::<F>().next()?.ticks;
    let unit = TimeUnit::of_stamp(first).filter(|unit| *unit != TimeUnit::Microseconds)?;
    let found = format!("the first time, {first}, has the size of {}", unit.noun());
    Some(question(&found, &[unit, TimeUnit::Microseconds]))
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

/// Doubts seconds without a decimal point, far from each other.
pub(super) fn doubtful_seconds<F: LineFormat>(sample: &Sample) -> Option<String> {
    let requests: Vec<RawRequest> = sample.requests::<F>().collect();
    let apart = mean_gap(&requests).is_some_and(|gap| gap > LONGEST_GAP_NS);
    (apart && !sample.has(b'.')).then(|| {
        let found = "requests arrive over 10 s apart if times are seconds, and no time has a point";
        let units = [
            TimeUnit::Seconds,
            TimeUnit::Milliseconds,
            TimeUnit::Microseconds,
            TimeUnit::Nanoseconds,
        ];
        question(found, &units)
    })
}

/// Whether all times are multiples of a thousand, and enough of them.
pub(super) fn in_thousands(requests: &[RawRequest]) -> bool {
    let moves = requests.iter().any(|raw| raw.ticks != 0);
    let whole = requests.iter().all(|raw| raw.ticks.is_multiple_of(1000));
    requests.len() >= TELLING_REQUESTS && moves && whole
}
