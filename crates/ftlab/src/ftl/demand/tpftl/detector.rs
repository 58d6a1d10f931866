//! When selective prefetching is on: sequential access makes translation page nodes disappear.

/// Counts the change of the number of nodes and switches selective prefetching (section 4.3).
#[derive(Clone, Copy, Debug)]
pub struct SequenceDetector {
    pub counter: i64,
    pub threshold: i64,
    /// Whether selective prefetching is on.
    pub active: bool,
}

impl SequenceDetector {
    /// Off, at 0 (ALGORITHMS 8.5).
    pub fn new(threshold: u32) -> Self {
        SequenceDetector { counter: 0, threshold: i64::from(threshold), active: false }
    }

    /// Nodes were added (1) or removed (-1).
    pub fn count(&mut self, change: i64) {
        self.counter += change;
        if self.counter.abs() >= self.threshold {
            self.active = self.counter < 0;
            self.counter = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ALGORITHMS 37, the counter walk.
    #[test]
    fn the_counter_switches_at_three_and_starts_again() {
        let mut detector = SequenceDetector::new(3);
        let mut walk = Vec::new();
        for change in [-1, -1, 1, -1, -1] {
            detector.count(change);
            walk.push((detector.counter, detector.active));
        }
        assert_eq!(walk, [(-1, false), (-2, false), (-1, false), (-2, false), (0, true)]);
        for change in [1, 1, 1] {
            detector.count(change);
        }
        assert_eq!((detector.counter, detector.active), (0, false));
        for _ in 0..10 {
            detector.count(-1);
            detector.count(1);
        }
        assert_eq!((detector.counter, detector.active), (0, false), "alternating never switches");
        detector.count(-1);
        detector.count(-1);
        detector.count(-1);
        assert!(detector.active, "evictions precede loads: from -2 the eviction half switches");
    }
}
