//! When selective prefetching is on: sequential access makes translation page nodes disappear.

use super::Judge;
use super::config::TpftlConfig;
use crate::ftl::design::Spec;
use crate::units::Lpn;

/// Counts the change of the number of nodes and switches selective prefetching (section 4.3).
#[derive(Clone, Copy, Debug)]
pub struct SequenceDetector {
    pub(super) counter: i64,
    pub(super) threshold: i64,
    /// Whether selective prefetching is on.
    pub(super) active: bool,
}

impl SequenceDetector {
    /// Off, at 0 (choices.md#tpftl-detector).
    fn new(threshold: u32) -> Self {
        SequenceDetector { counter: 0, threshold: i64::from(threshold), active: false }
    }

    fn count_nodes(&mut self, change: i64) {
        self.counter += change;
        if self.counter.abs() >= self.threshold {
            self.active = self.counter < 0;
            self.counter = 0;
        }
    }
}

impl Judge for SequenceDetector {
    const SPEC: Spec = Spec {
        name: "tpftl",
        title: "TPFTL",
        summary: "two-level lists, prefetching, batch-update and clean-first replacement",
        source: "Zhou et al., EuroSys 2015",
        ..Spec::SEARCHED
    };

    const RAM_BYTES: u64 = 1;

    fn build(config: &TpftlConfig, _entries: u64) -> Self {
        SequenceDetector::new(config.threshold)
    }

    fn prefetches(&self) -> bool {
        self.active
    }

    fn node_added(&mut self) {
        self.count_nodes(1);
    }

    fn node_removed(&mut self, _node: u32) {
        self.count_nodes(-1);
    }

    fn audit(&self, _cached: impl Fn(Lpn) -> bool) {
        assert!(self.counter.abs() < self.threshold, "counter at its threshold");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk of the counter (section 4.3).
    #[test]
    fn the_counter_switches_at_three_and_starts_again() {
        let mut detector = SequenceDetector::new(3);
        let mut walk = Vec::new();
        for change in [-1, -1, 1, -1, -1] {
            detector.count_nodes(change);
            walk.push((detector.counter, detector.active));
        }
        assert_eq!(walk, [(-1, false), (-2, false), (-1, false), (-2, false), (0, true)]);
        for change in [1, 1, 1] {
            detector.count_nodes(change);
        }
        assert_eq!((detector.counter, detector.active), (0, false));
        for _ in 0..10 {
            detector.count_nodes(-1);
            detector.count_nodes(1);
        }
        assert_eq!((detector.counter, detector.active), (0, false), "alternating never switches");
        detector.count_nodes(-1);
        detector.count_nodes(-1);
        detector.count_nodes(-1);
        assert!(detector.active, "evictions precede loads: from -2 the eviction half switches");
    }
}
