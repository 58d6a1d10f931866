//! The spare space of a drive, from its write amplification at several fill levels.
//!
//! Uniform random writes go to a part of the drive; the rest is trimmed. Of `C` physical bytes `used` hold data, so the
//! closed forms of [`greedy_gc`](super::greedy_gc) say the write amplification at `used / C`. The capacity is that with
//! the least squares of its logarithm. Each measurement is then left out once: how far the capacity moves, and how well
//! the others say it, is what the data know.
//!
//! One number cannot explain everything. [`Verdict`] has the rule by which it does not.

use super::greedy_gc::{fifo, greedy, random};
use super::mistake;
use crate::error::Error;
use crate::math::{exp, ln};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Above this root mean square of the misfit, as a share, spare space alone does not explain the measurements.
pub const MISFIT: f64 = 0.05;

/// Capacities that are tried, as multiples of the most that is used: from spare space of one in ten thousand to a
/// hundredfold.
const SPARE: [f64; 2] = [1e-4, 100.0];
const STEPS: u32 = 400;
const MOST: usize = 1000;

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Bytes in use, and the write amplification in the steady state.
    pub measurements: Vec<[f64; 2]>,
    /// Pages of a unit that GC erases. Absent: large units, in which greedy is FIFO.
    #[serde(default)]
    pub pages_per_unit: Option<u32>,
}

/// Whether spare space explains the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// One measurement gives a capacity and no test of it.
    Untested,
    /// The misfit is at most [`MISFIT`].
    Explained,
    /// It is larger, and its sign follows the fill level: it changes at most half as often as it can.
    Systematic,
    /// It is larger, and its sign does not follow the fill level.
    Scattered,
}

/// The capacity under one rule for victims.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The rule: `greedy`, `fifo` or `random`.
    pub victims: &'static str,
    /// Physical bytes.
    pub capacity: f64,
    /// Root mean square of the logarithm's misfit.
    pub misfit: f64,
    /// What the capacity says of each measurement.
    pub fitted: Vec<f64>,
    /// The capacity without each of them; empty for a single one.
    pub capacities: Vec<f64>,
    /// What that says of the one that was left out.
    pub left_out: Vec<f64>,
    /// Whether it explains them.
    pub verdict: Verdict,
}

/// Capacities by rule, the best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// What it is of.
    pub parameters: Parameters,
    /// Those of all rules.
    pub fits: Vec<Fit>,
}

impl Prediction {
    /// From measurements.
    ///
    /// # Errors
    /// [`Error::Config`] or [`Error::Unknown`] for a key that is missing, unknown or cannot be.
    pub fn of(tree: Map<String, Value>) -> Result<Self, Error> {
        let mut parameters: Parameters =
            serde_path_to_error::deserialize(Value::Object(tree)).map_err(mistake)?;
        parameters.check()?;
        parameters.measurements.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let measured = &parameters.measurements;
        let finite = parameters
            .pages_per_unit
            .map(|pages| Fit::of("greedy", |u| greedy(u, pages), measured));
        let mut fits: Vec<Fit> = finite.into_iter().collect();
        fits.push(Fit::of("fifo", fifo, measured));
        fits.push(Fit::of("random", random, measured));
        fits.sort_by(|a, b| a.misfit.total_cmp(&b.misfit));
        Ok(Prediction { parameters, fits })
    }
}

impl Parameters {
    fn check(&self) -> Result<(), Error> {
        let key = "model.measurements";
        let count = self.measurements.len();
        if !(1..=MOST).contains(&count) {
            return Err(Error::config(key, format!("found {count}, expected 1 to {MOST}")));
        }
        for [used, amplification] in &self.measurements {
            if !(*used > 0.0 && *used < 1e24) {
                let message = format!("found {used} bytes in use, expected more than 0");
                return Err(Error::config(key, message));
            }
            if !(*amplification >= 1.0 && *amplification < 1e6) {
                let message =
                    format!("found a write amplification of {amplification}, expected 1 or more");
                return Err(Error::config(key, message));
            }
        }
        if self.measurements.iter().all(|[_, amplification]| *amplification == 1.0) {
            let message =
                "found write amplifications of 1, expected one above, as GC had nothing to move";
            return Err(Error::config(key, message));
        }
        match self.pages_per_unit {
            Some(pages) if !(2..=1 << 20).contains(&pages) => {
                let message = format!("found {pages}, expected 2 to {}", 1 << 20);
                Err(Error::config("model.pages_per_unit", message))
            }
            _ => Ok(()),
        }
    }
}

impl Fit {
    fn of(victims: &'static str, model: impl Fn(f64) -> f64 + Copy, measured: &[[f64; 2]]) -> Self {
        let capacity = fitted(model, measured);
        let said =
            |capacity: f64| move |[used, _]: &[f64; 2]| model((used / capacity).min(1.0 - 1e-9));
        let found: Vec<f64> = measured.iter().map(said(capacity)).collect();
        let errors: Vec<f64> =
            found.iter().zip(measured).map(|(found, [_, wa])| ln(found / wa)).collect();
        let misfit =
            (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
        let without = |out: usize| {
            let kept =
                measured.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, each)| *each);
            fitted(model, &kept.collect::<Vec<_>>())
        };
        let tests = if measured.len() > 1 { measured.len() } else { 0 };
        let capacities: Vec<f64> = (0..tests).map(without).collect();
        let left_out = capacities.iter().zip(measured).map(|(c, each)| said(*c)(each)).collect();
        let verdict = Verdict::of(misfit, &errors);
        Fit { victims, capacity, misfit, fitted: found, capacities, left_out, verdict }
    }
}

impl Verdict {
    /// Of errors in the order of fill levels.
    fn of(misfit: f64, errors: &[f64]) -> Self {
        let can_change = errors.len() - 1;
        let changes = errors.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
        match () {
            () if can_change == 0 => Verdict::Untested,
            () if misfit <= MISFIT => Verdict::Explained,
            () if 2 * changes <= can_change => Verdict::Systematic,
            () => Verdict::Scattered,
        }
    }
}

/// The capacity with the least squares: the best of many, then a golden section between its neighbours.
fn fitted(model: impl Fn(f64) -> f64, measured: &[[f64; 2]]) -> f64 {
    let most = measured.iter().map(|[used, _]| *used).fold(0.0, f64::max);
    let of = |log_spare: f64| most * (1.0 + exp(log_spare));
    let misfit = |log_spare: f64| {
        let error = |[used, wa]: &[f64; 2]| ln(model(used / of(log_spare)) / wa);
        measured.iter().map(error).map(|error| error * error).sum::<f64>()
    };
    let [low, high] = SPARE.map(ln);
    let step = (high - low) / f64::from(STEPS);
    let tried = (0..=STEPS).map(|at| low + f64::from(at) * step).map(|at| (misfit(at), at));
    let best = tried.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(low, |(_, at)| at);
    of(least(best - step, best + step, misfit))
}

/// Where a function with one minimum in a range has it.
fn least(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let inner = |low: f64, high: f64| [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    while high - low > 1e-10 {
        let [left, right] = inner(low, high);
        if function(left) < function(right) { high = right } else { low = left }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: f64 = (1u64 << 30) as f64;

    fn prediction(measured: &[[f64; 2]], pages: Option<u32>) -> Prediction {
        let measured: Vec<_> = measured.iter().map(|[used, wa]| [used * GIB, *wa]).collect();
        let mut tree = Map::new();
        tree.insert("measurements".into(), serde_json::to_value(measured).expect("numbers"));
        tree.extend(pages.map(|pages| ("pages_per_unit".into(), pages.into())));
        Prediction::of(tree).expect("a prediction")
    }

    /// Micron 7450 MAX of 800 GB, as published with SSD-iq (PVLDB 18, 2025): used GiB and write amplification.
    const MAX_7450: [[f64; 2]; 6] = [
        [372.6, 1.104],
        [447.1, 1.177],
        [521.6, 1.278],
        [596.2, 1.408],
        [670.7, 1.602],
        [745.2, 1.889],
    ];

    #[test]
    fn the_7450_max_has_1051_gib() {
        let found = prediction(&MAX_7450, None);
        let best = &found.fits[0];
        assert_eq!((best.victims, best.verdict), ("fifo", Verdict::Explained));
        assert!((best.capacity / GIB - 1051.0).abs() < 0.6, "{}", best.capacity / GIB);
        assert!((best.misfit - 0.019).abs() < 0.0006, "{}", best.misfit);
        let ends = best.capacities.iter().map(|each| each / GIB);
        let (low, high) = (ends.clone().fold(f64::MAX, f64::min), ends.fold(0.0, f64::max));
        assert!((low - 1039.5).abs() < 0.6 && (high - 1053.0).abs() < 0.6, "{low} {high}");
        let errors = best.left_out.iter().zip(MAX_7450).map(|(said, [_, wa])| said / wa - 1.0);
        let errors: Vec<f64> = errors.collect();
        let (low, high) = (
            errors.iter().copied().fold(f64::MAX, f64::min),
            errors.iter().copied().fold(f64::MIN, f64::max),
        );
        assert!((low + 0.025).abs() < 0.0006 && (high - 0.044).abs() < 0.0006, "{errors:?}");
        assert!(found.fits[1].victims == "random" && found.fits[1].misfit > 4.0 * best.misfit);
    }

    #[test]
    fn what_a_form_says_is_found_again() {
        for (name, model) in [("fifo", fifo as fn(f64) -> f64), ("random", random)] {
            let measured = [0.5, 0.7, 0.9].map(|fill| [fill * 800.0, model(fill * 800.0 / 1000.0)]);
            let best = &prediction(&measured, None).fits[0];
            assert_eq!((best.victims, best.verdict), (name, Verdict::Explained));
            assert!((best.capacity / GIB - 1000.0).abs() < 1e-3, "{name}: {}", best.capacity / GIB);
        }
        let measured = [500.0, 800.0].map(|used| [used, greedy(used / 1000.0, 32)]);
        let best = &prediction(&measured, Some(32)).fits[0];
        assert!(best.victims == "greedy" && (best.capacity / GIB - 1000.0).abs() < 1e-3);
        assert_eq!(prediction(&measured[..1], None).fits[0].verdict, Verdict::Untested);
    }

    /// Write amplification that rises slowly and falls below the closed form when the drive is full is not spare space;
    /// neither is noise, whose signs alternate.
    #[test]
    fn a_misfit_that_follows_the_fill_level_is_not_spare_space() {
        let used = [400.0, 500.0, 600.0, 700.0, 800.0];
        let skewed = used.map(|used| [used, 1.5 + used / 1000.0]);
        assert_eq!(prediction(&skewed, None).fits[0].verdict, Verdict::Systematic);
        let mut sign = -1.0;
        let noisy = used.map(|used| {
            sign = -sign;
            [used, fifo(used / 1000.0) * (1.0 + 0.1 * sign)]
        });
        assert_eq!(prediction(&noisy, None).fits[0].verdict, Verdict::Scattered);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let told = |tree: Value| {
            let Value::Object(tree) = tree else { panic!("an object") };
            Prediction::of(tree).expect_err("a mistake").to_string()
        };
        for (measured, expected) in [
            (serde_json::json!([]), "found 0, expected 1 to 1000"),
            (serde_json::json!([[0.0, 1.5]]), "bytes in use"),
            (serde_json::json!([[1.0, 0.9]]), "0.9, expected 1 or more"),
            (serde_json::json!([[1.0, 1.0]]), "GC had nothing to move"),
        ] {
            let told = told(serde_json::json!({ "measurements": measured }));
            assert!(told.contains("model.measurements") && told.contains(expected), "{told}");
        }
        let pages = serde_json::json!({ "measurements": [[1.0, 2.0]], "pages_per_unit": 1 });
        assert!(told(pages).contains("model.pages_per_unit"));
    }
}
