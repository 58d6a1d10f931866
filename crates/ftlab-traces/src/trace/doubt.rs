//! Times whose unit nothing in the file settles: the user is asked, as a wrong guess is silent.
//!
//! A format whose columns also circulate in another unit says here what cannot be settled. The
//! rules look at the first lines only, and none applies once `input.time_unit` is given.

use super::gate::RawRequest;
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

/// Whether all times are multiples of a thousand, and enough of them.
pub(super) fn in_thousands(requests: &[RawRequest]) -> bool {
    let moves = requests.iter().any(|raw| raw.ticks != 0);
    let whole = requests.iter().all(|raw| raw.ticks.is_multiple_of(1000));
    requests.len() >= TELLING_REQUESTS && moves && whole
}
