//! When write amplification is steady: the rule that ends a warm-up.
//!
//! The rule follows the Solid State Storage Performance Test Specification of SNIA: five rounds,
//! range within 20 % and slope within 10 % of the average. It uses write amplification in place of
//! the host's measurements, and a tighter bound (choices.md#steady-rule):
//!
//! ```text
//! window   host page writes of half the logical capacity; under `steady`, of the fewest whole
//!          passes over the input that write as much
//! steady   at least one block was erased in each of the last five windows,
//!          highest - lowest <= X x mean,
//!          |change of the line of least squares from first to last| <= X / 2 x mean
//! ```
//!
//! The first condition excludes windows that only use up the blocks erased at the start, in which
//! write amplification is always 1. Whole passes keep the phases of an input from affecting the
//! result.

use super::WarmupReport;
use crate::flash::{Cause, Ledger, Operation};

/// Windows that are judged together.
pub const WINDOWS: usize = 5;

/// Windows of a capacity written by the host.
const WINDOWS_PER_CAPACITY: u64 = 2;

/// Write amplification is not judged unless at least one of this number of page accesses is a
/// write. It would take too many passes and matters too little. The same holds if RAM absorbs
/// nearly all writes.
const ACCESSES_PER_WRITE: u64 = 100;

/// The permitted variation of write amplification in steady state, in steps of 0.01 % of its mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tolerance(u32);

impl Tolerance {
    /// 5 %: a quarter of SNIA's.
    pub const DEFAULT: Tolerance = Tolerance(500);

    /// The nearest step, if the ratio is 0.1 % to 50 %.
    #[must_use]
    pub fn new(ratio: f64) -> Option<Self> {
        let steps = (ratio * 1e4).round();
        (10.0..=5000.0).contains(&steps).then_some(Tolerance(steps as u32))
    }

    /// As a share of the mean.
    #[must_use]
    pub fn ratio(self) -> f64 {
        f64::from(self.0) / 1e4
    }

    /// In percent.
    #[must_use]
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 1e2
    }
}

/// The result of a warm-up that ends by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Steady,
    /// Not after the most windows allowed.
    Unsteady,
    /// Hardly any write of the host reaches the flash.
    NotJudged,
}

/// Books of the device at the start of a window.
#[derive(Clone, Copy, Debug)]
struct Books {
    host_reads: u64,
    host_programs: u64,
    programs: u64,
    erases: u64,
}

impl Books {
    fn of(ledger: &Ledger) -> Self {
        Books {
            host_reads: ledger.get(Operation::Read, Cause::Host),
            host_programs: ledger.get(Operation::Program, Cause::Host),
            programs: ledger.pages_programmed(),
            erases: ledger.total(Operation::Erase),
        }
    }
}

/// The progress of one FTL to steady state. Memory is bounded by the most windows allowed.
#[derive(Clone, Debug)]
pub struct SteadyState {
    tolerance: f64,
    window_page_writes: u64,
    limit: usize,
    passes: u64,
    start: Books,
    /// Page accesses of the host before the window.
    accesses_before: u64,
    windows: Vec<f64>,
    /// Windows since the last one without an erase.
    collecting: usize,
    verdict: Option<Verdict>,
}

impl SteadyState {
    /// Starts the first window on a device of `logical_pages` logical pages; at most `limit`
    /// windows.
    #[must_use]
    pub fn start(tolerance: Tolerance, logical_pages: u32, limit: u32, ledger: &Ledger) -> Self {
        SteadyState {
            tolerance: tolerance.ratio(),
            window_page_writes: u64::from(logical_pages).div_ceil(WINDOWS_PER_CAPACITY),
            limit: limit as usize,
            passes: 0,
            start: Books::of(ledger),
            accesses_before: 0,
            windows: Vec::new(),
            collecting: 0,
            verdict: None,
        }
    }

    /// Page writes of a window, at least.
    #[must_use]
    pub const fn window_page_writes(&self) -> u64 {
        self.window_page_writes
    }

    /// Whether the warm-up has ended, with either result.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.verdict.is_some()
    }

    /// Ends a pass, after `host_accesses` page accesses of the host in all. It also ends the
    /// window, if the host has written enough since its start. It ends the warm-up if the first
    /// pass or the window hardly wrote.
    pub fn end_of_pass(&mut self, ledger: &Ledger, host_accesses: u64) {
        let now = Books::of(ledger);
        let written = now.host_programs - self.start.host_programs;
        let accesses = written + now.host_reads - self.start.host_reads;
        self.passes += 1;
        if self.passes == 1 && (written == 0 || written * ACCESSES_PER_WRITE < accesses) {
            self.verdict = Some(Verdict::NotJudged);
        } else if written >= self.window_page_writes {
            let amplification = (now.programs - self.start.programs) as f64 / written as f64;
            self.push(amplification, now.erases > self.start.erases);
            self.start = now;
            self.accesses_before = host_accesses;
        } else if host_accesses - self.accesses_before
            > self.window_page_writes * ACCESSES_PER_WRITE
        {
            self.verdict = Some(Verdict::NotJudged);
        }
    }

    fn push(&mut self, amplification: f64, erased: bool) {
        self.windows.push(amplification);
        self.collecting = if erased { self.collecting + 1 } else { 0 };
        let within = |value: Option<f64>, bound: f64| value.is_some_and(|v| v.abs() <= bound);
        let flat =
            within(self.spread(), self.tolerance) && within(self.drift(), self.tolerance / 2.0);
        if flat && self.collecting >= WINDOWS {
            self.verdict = Some(Verdict::Steady);
        } else if self.windows.len() >= self.limit {
            self.verdict = Some(Verdict::Unsteady);
        }
    }

    fn last(&self) -> Option<(&[f64; WINDOWS], f64)> {
        let last = self.windows.last_chunk()?;
        Some((last, last.iter().sum::<f64>() / WINDOWS as f64))
    }

    /// (highest - lowest) / mean of the last five windows.
    fn spread(&self) -> Option<f64> {
        let (last, mean) = self.last()?;
        let highest = last.iter().copied().fold(f64::MIN, f64::max);
        let lowest = last.iter().copied().fold(f64::MAX, f64::min);
        Some((highest - lowest) / mean)
    }

    /// Change of the line of least squares from the first to the last of five windows / mean.
    fn drift(&self) -> Option<f64> {
        let (last, mean) = self.last()?;
        let middle = (WINDOWS - 1) as f64 / 2.0;
        let (mut products, mut squares) = (0.0, 0.0);
        for (k, amplification) in last.iter().enumerate() {
            let x = k as f64 - middle;
            products += x * amplification;
            squares += x * x;
        }
        Some(products / squares * (WINDOWS - 1) as f64 / mean)
    }

    /// Completes a report.
    pub fn describe(&self, report: &mut WarmupReport) {
        report.window_page_writes = Some(self.window_page_writes);
        report.windows = Some(self.windows.clone());
        report.spread = self.spread();
        report.drift = self.drift();
        report.steady = match self.verdict {
            Some(Verdict::Steady) => Some(true),
            Some(Verdict::NotJudged) => None,
            Some(Verdict::Unsteady) | None => Some(false),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::powi;

    fn after(tolerance: f64, limit: u32, windows: impl IntoIterator<Item = f64>) -> SteadyState {
        let tolerance = Tolerance::new(tolerance).expect("a tolerance");
        let mut state = SteadyState::start(tolerance, 1000, limit, &Ledger::default());
        for amplification in windows {
            if !state.is_over() {
                state.push(amplification, true);
            }
        }
        state
    }

    /// Windows until steady.
    fn steady_after(tolerance: f64, windows: impl IntoIterator<Item = f64>) -> Option<usize> {
        let state = after(tolerance, 1000, windows);
        (state.verdict == Some(Verdict::Steady)).then_some(state.windows.len())
    }

    #[test]
    fn a_flat_series_is_steady_after_five_windows() {
        assert_eq!(steady_after(0.05, [2.0; 4]), None);
        assert_eq!(steady_after(0.05, [2.0; 9]), Some(5));
    }

    #[test]
    fn a_slope_is_held_to_half_the_range() {
        let rising = |by: f64| (0..5).map(move |k| 1.0 + by * f64::from(k));
        assert_eq!(steady_after(0.05, rising(0.006)), Some(5), "2.4 % in all");
        assert_eq!(steady_after(0.05, rising(0.007)), None, "2.8 % in all");
        assert_eq!(steady_after(0.05, rising(-0.007)), None, "falling is no better");
    }

    #[test]
    fn noise_is_held_to_the_range() {
        let noisy = |by: f64| [2.0, 2.0 + by, 2.0, 2.0 - by, 2.0];
        assert_eq!(steady_after(0.05, noisy(0.049)), Some(5), "4.9 % in all");
        assert_eq!(steady_after(0.05, noisy(0.051)), None, "5.1 % in all");
    }

    #[test]
    fn an_approach_is_steady_when_what_is_left_of_it_is_small() {
        let approach = |k: i32| 3.0 - 2.0 * powi(0.5, k);
        let windows = steady_after(0.05, (0..40).map(approach)).expect("it ends");
        assert!((3.0 - approach(windows as i32 - 1)) / 3.0 < 0.005, "{windows} windows");
        assert!(steady_after(0.01, (0..40).map(approach)) > Some(windows));
    }

    #[test]
    fn a_series_that_never_settles_ends_at_the_limit() {
        let state = after(0.05, 12, (0..).map(|k| f64::from(1 + k % 2)).take(100));
        assert_eq!((state.verdict, state.windows.len()), (Some(Verdict::Unsteady), 12));
        assert!((state.spread().expect("five windows") - 1.0 / 1.6).abs() < 1e-12);
    }

    #[test]
    fn windows_without_an_erase_do_not_count() {
        let mut state = after(0.05, 1000, []);
        for erased in [false, false, true, true, false, true, true, true, true] {
            state.push(1.0, erased);
            assert!(!state.is_over(), "{} windows", state.windows.len());
        }
        state.push(1.0, true);
        assert_eq!(state.verdict, Some(Verdict::Steady));
    }

    #[test]
    fn tolerances_are_kept_to_a_hundredth_of_a_percent() {
        let found =
            [0.05, 0.001, 0.5, 0.07].map(|ratio| Tolerance::new(ratio).map(Tolerance::percent));
        assert_eq!(found, [5.0, 0.1, 50.0, 7.0].map(Some));
        for ratio in [0.0, 0.0009, 0.51, 5.0, -1.0] {
            assert_eq!(Tolerance::new(ratio), None, "{ratio}");
        }
    }
}
