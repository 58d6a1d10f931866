//! The shape of the gaps, and how they cluster.

use super::share;
use crate::units::{Duration, Nanos};
use crate::workload::model::file::Gaps;

/// Classes of gaps, four to the octave.
const CLASSES: usize = 256;
/// Rows of the table that is written.
const ROWS: usize = 24;

pub(super) struct GapFit {
    first: Nanos,
    last: Option<Nanos>,
    zero: u64,
    counts: [u64; CLASSES],
    /// The class of the gap before; 0 also for a gap of 0.
    before: usize,
    /// Of each class: how often a gap above it was followed by one in it or below, as differences
    /// from the class before.
    turns: [i64; CLASSES + 1],
}

impl GapFit {
    pub(super) fn new() -> Self {
        GapFit {
            first: 0,
            last: None,
            zero: 0,
            counts: [0; CLASSES],
            before: 0,
            turns: [0; CLASSES + 1],
        }
    }

    pub(super) fn add(&mut self, time: Nanos) {
        let Some(last) = self.last.replace(time) else {
            self.first = time;
            return;
        };
        let gap = time.saturating_sub(last);
        let class = class(gap);
        if gap == 0 {
            self.zero += 1;
        } else {
            self.counts[class] += 1;
        }
        if class < self.before {
            self.turns[class] += 1;
            self.turns[self.before] -= 1;
        }
        self.before = class;
    }

    /// From the first request to the last.
    pub(super) fn span(&self) -> Nanos {
        self.last.unwrap_or(0) - self.first
    }

    pub(super) fn finish(&self) -> Gaps {
        let others: u64 = self.counts.iter().sum();
        if others == 0 {
            return Gaps::default();
        }
        let (mut gaps, mut below, mut written) = (Vec::new(), 0, 0.0);
        for (class, count) in self.counts.iter().enumerate() {
            below += count;
            let so_far = share(below, others);
            if *count > 0 && (so_far - written >= 1.0 / ROWS as f64 || below == others) {
                gaps.push((Duration(edge(class + 1)), so_far));
                written = so_far;
            }
        }
        let all = self.zero + others;
        Gaps { together: share(self.zero, all), gaps, burst: self.burst(all) }
    }

    /// Mean number of gaps below the mean that follow each other.
    fn burst(&self, all: u64) -> f64 {
        let mean = class(self.span() / all);
        let below = self.zero + self.counts[..=mean].iter().sum::<u64>();
        let bursts: i64 = self.turns[..=mean].iter().sum();
        if bursts <= 0 { 0.0 } else { (below as f64 / bursts as f64).max(1.0) }
    }
}

fn class(gap: Nanos) -> usize {
    if gap < 4 {
        return gap as usize;
    }
    let octave = gap.ilog2() as usize;
    4 * octave - 4 + (gap >> (octave - 2) & 3) as usize
}

/// The least gap of a class.
fn edge(class: usize) -> Nanos {
    if class < 4 { class as Nanos } else { (4 + class as Nanos % 4) << (class / 4 - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_edges_agree() {
        for gap in (0..100_000u64).chain([1 << 40, (1 << 40) - 1, 7 << 50]) {
            let class = class(gap);
            assert!((edge(class)..edge(class + 1)).contains(&gap), "{gap}: {class}");
        }
    }
}
