//! When the requests of a model come: gaps of any shape, in bursts.

use super::file::Gaps;
use crate::math::{ln, powf};
use crate::rng::Rng;
use crate::units::Nanos;

/// Steps of the inverted table of gaps.
const STEPS: usize = 1024;

/// The clock of a stream; the first request comes at 0.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    /// Gap below which `i / STEPS` of those lie that are not 0, nanoseconds.
    quantiles: Vec<f64>,
    together: f64,
    bursts: Option<Bursts>,
    now: f64,
    started: bool,
    rng: Rng,
}

/// Gaps below the mean follow each other, and so do those above.
#[derive(Clone, Copy, Debug)]
struct Bursts {
    /// Share of gaps below the mean.
    below: f64,
    /// Chances that a gap below the mean is followed by one above, and the reverse.
    leave: f64,
    enter: f64,
    inside: bool,
}

impl Clock {
    /// Gaps of this shape with this mean in nanoseconds.
    pub(super) fn new(gaps: &Gaps, mean: f64, seed: u64) -> Self {
        let mut quantiles: Vec<f64> =
            (0..=STEPS).map(|step| quantile(gaps, step as f64 / STEPS as f64)).collect();
        let area: f64 = quantiles.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).sum();
        let scale = mean / (1.0 - gaps.together) * STEPS as f64 / area;
        quantiles.iter_mut().for_each(|gap| *gap *= scale);
        let below = quantiles.partition_point(|gap| *gap < mean) as f64 / (STEPS + 1) as f64;
        let below = gaps.together + (1.0 - gaps.together) * below;
        let leave = 1.0 / gaps.burst;
        let bursts = (gaps.burst > 0.0 && below < 1.0).then(|| Bursts {
            below,
            leave,
            enter: (leave * below / (1.0 - below)).min(1.0),
            inside: true,
        });
        let rng = Rng::new(seed, "arrivals");
        Clock { quantiles, together: gaps.together, bursts, now: 0.0, started: false, rng }
    }

    /// The arrival of the next request.
    #[inline]
    pub(super) fn tick(&mut self) -> Nanos {
        if std::mem::replace(&mut self.started, true) {
            self.now += self.gap();
        }
        self.now as Nanos
    }

    #[inline]
    fn gap(&mut self) -> f64 {
        let mut u = self.rng.unit();
        if let Some(bursts) = &mut self.bursts {
            let turn = if bursts.inside { bursts.leave } else { bursts.enter };
            bursts.inside ^= self.rng.chance(turn);
            let (from, to) = if bursts.inside { (0.0, bursts.below) } else { (bursts.below, 1.0) };
            u = from + u * (to - from);
        }
        let u = (u - self.together) / (1.0 - self.together);
        if u < 0.0 {
            return 0.0;
        }
        let scaled = u * STEPS as f64;
        let step = (scaled as usize).min(STEPS - 1);
        let (low, high) = (self.quantiles[step], self.quantiles[step + 1]);
        low + (high - low) * (scaled - step as f64)
    }
}

/// The gap below which this share lies, in any unit: exponential, or by the table, between whose
/// rows the share rises with the logarithm.
fn quantile(gaps: &Gaps, share: f64) -> f64 {
    if gaps.gaps.is_empty() {
        // The last step ends where one gap in e x STEPS does, so that its mean is right.
        return -ln((1.0 - share).max(1.0 / (std::f64::consts::E * STEPS as f64)));
    }
    let row = gaps.gaps.partition_point(|row| row.1 < share).min(gaps.gaps.len() - 1);
    let (gap, high) = (gaps.gaps[row].0.0 as f64, gaps.gaps[row].1);
    let Some(before) = row.checked_sub(1) else {
        return gap * share / high.max(f64::MIN_POSITIVE);
    };
    let (from, low) = (gaps.gaps[before].0.0.max(1) as f64, gaps.gaps[before].1);
    from * powf(gap / from, ((share - low) / (high - low)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Duration;

    fn times(gaps: &Gaps) -> Vec<u64> {
        let mut clock = Clock::new(gaps, 1e6, 3);
        (0..300_000).map(|_| clock.tick()).collect()
    }

    #[test]
    fn the_mean_is_kept_whatever_the_shape() {
        let table = vec![(Duration(1000), 0.5), (Duration(2000), 0.9), (Duration(1_000_000), 1.0)];
        for gaps in [
            Gaps::default(),
            Gaps { together: 0.45, ..Gaps::default() },
            Gaps { gaps: table.clone(), together: 0.2, burst: 0.0 },
            Gaps { gaps: table, together: 0.0, burst: 30.0 },
        ] {
            let times = times(&gaps);
            let mean = times[times.len() - 1] as f64 / (times.len() - 1) as f64;
            assert!((mean / 1e6 - 1.0).abs() < 0.05, "{gaps:?}: {mean}");
            let zero = times.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64 / 3e5;
            assert!((zero - gaps.together).abs() < 0.01, "{gaps:?}: {zero}");
        }
    }

    #[test]
    fn short_gaps_follow_each_other_as_long_as_asked() {
        let times = times(&Gaps { burst: 20.0, ..Gaps::default() });
        let short: Vec<bool> = times.windows(2).map(|pair| pair[1] - pair[0] < 1_000_000).collect();
        let bursts = short.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        let mean = short.iter().filter(|short| **short).count() as f64 / bursts as f64;
        assert!((mean - 20.0).abs() < 1.0, "{mean}");
    }
}
