//! Closed forms: what theory says a simulation must measure.
//!
//! Each file holds one subject and names its sources. The formulas know nothing of the simulator;
//! the tests in `tests/against_theory` hold both against each other.
//!
//! * [`greedy_gc`]: write amplification under random writes, by victim policy; [`mean_field`], of classes that
//!   nothing keeps apart; [`collection`], of a device.
//! * [`capacity`]: the spare space of a drive, from measurements of it.
//! * [`separation`]: the least write amplification that separation reaches under requests without memory.
//! * [`caching`]: hit ratios of LRU and FIFO, traffic of a demand-cached map, under independent
//!   references.
//! * [`queueing`]: waiting times of a single server.
//! * [`translation`]: time and write amplification of a demand-paged map, from measured ratios.
//!
//! Absent: anything about a finite run that is not in its steady state.

pub mod caching;
pub mod capacity;
pub mod collection;
pub mod greedy_gc;
pub mod mean_field;
pub mod queueing;
pub mod separation;
pub mod translation;

use crate::error::Error;

const SECTION: &str = "model";

/// Names the parameter; for an unknown one, with a suggestion out of serde's list.
fn mistake(error: serde_path_to_error::Error<serde_json::Error>) -> Error {
    let path = error.path().to_string();
    let key = if path == "." { SECTION.to_owned() } else { format!("{SECTION}.{path}") };
    let message = error.into_inner().to_string();
    let Some(quoted) = message.strip_prefix("unknown field ") else {
        return Error::config(key, message);
    };
    let mut names = quoted.split('`').skip(1).step_by(2).map(|name| format!("{SECTION}.{name}"));
    let found = names.next().unwrap_or(key);
    let known: Vec<String> = names.collect();
    Error::unknown("key", &found, known.iter().map(String::as_str))
}

/// The root of a function that is at most 0 at `low` and at least 0 at `high`, by bisection to the
/// last bit.
pub(crate) fn root(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if function(middle) > 0.0 { high = middle } else { low = middle }
    }
}

/// The smallest power of two times `start` at which a rising function is not negative.
pub(crate) fn double_until(start: f64, function: impl Fn(f64) -> f64) -> f64 {
    let mut high = start;
    while function(high) < 0.0 {
        high *= 2.0;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bisection_finds_the_root_to_the_last_bit() {
        let high = double_until(1.0, |x| x * x - 200.0);
        assert_eq!(high, 16.0);
        let found = root(0.0, high, |x| x * x - 200.0);
        assert!((found - 200.0_f64.sqrt()).abs() < 4e-15, "{found}");
    }
}
