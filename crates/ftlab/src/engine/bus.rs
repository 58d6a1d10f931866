//! The bus of a channel: one transfer at a time.

use crate::units::Nanos;
use std::collections::BTreeMap;

/// When a bus is in use. What was placed before is never moved.
#[derive(Clone, Debug)]
pub struct Bus {
    /// From here on it is free.
    free_at: Nanos,
    /// Where it is free before that, start to end, if later transfers may go there.
    gaps: Option<BTreeMap<Nanos, Nanos>>,
}

impl Bus {
    /// An idle bus; with `overtake`, transfers go into gaps that are long enough.
    #[must_use]
    pub fn new(overtake: bool) -> Self {
        Bus { free_at: 0, gaps: overtake.then(BTreeMap::new) }
    }

    /// From when on it is free.
    #[must_use]
    pub const fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// Nothing will be asked for before `time`, so gaps that end before it are forgotten.
    pub fn forget_before(&mut self, time: Nanos) {
        let Some(gaps) = &mut self.gaps else { return };
        while let Some(gap) = gaps.first_entry() {
            if *gap.get() > time {
                return;
            }
            gap.remove();
        }
    }

    /// Takes the bus for so long, at `from` or the first time after it; returns start and end. No time
    /// at all needs no bus.
    pub fn take(&mut self, from: Nanos, length: Nanos) -> (Nanos, Nanos) {
        if length == 0 {
            return (from, from);
        }
        let Some(gaps) = &mut self.gaps else {
            let start = from.max(self.free_at);
            self.free_at = start + length;
            return (start, start + length);
        };
        let fitting = |(start, end): (&Nanos, &Nanos)| {
            let at = from.max(*start);
            (at + length <= *end).then_some((at, *start, *end))
        };
        if let Some((at, start, end)) = gaps.iter().find_map(fitting) {
            gaps.remove(&start);
            if start < at {
                gaps.insert(start, at);
            }
            if at + length < end {
                gaps.insert(at + length, end);
            }
            return (at, at + length);
        }
        let at = from.max(self.free_at);
        if self.free_at < at {
            gaps.insert(self.free_at, at);
        }
        self.free_at = at + length;
        (at, at + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Against a bus drawn as a row of nanoseconds.
    #[test]
    fn a_transfer_takes_the_first_gap_that_is_long_enough() {
        let mut rng = Rng::new(1, "bus");
        for overtake in [false, true] {
            let (mut bus, mut row, mut now) = (Bus::new(overtake), vec![false; 20_000], 0);
            for _ in 0..500 {
                now += rng.below(20);
                bus.forget_before(now);
                let (from, length) = (now + rng.below(60), rng.below(15));
                let last = row.iter().rposition(|busy| *busy).map_or(0, |at| at as u64 + 1);
                let first = if overtake { from } else { from.max(last) };
                let fits = |at: &u64| (*at..*at + length).all(|ns| !row[ns as usize]);
                let expected = if length == 0 { from } else { (first..).find(fits).expect("room") };
                assert_eq!(bus.take(from, length), (expected, expected + length));
                (expected..expected + length).for_each(|ns| row[ns as usize] = true);
            }
        }
    }
}
