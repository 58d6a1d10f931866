//! The bus of a channel: one transfer at a time.

use crate::units::Nanos;
use std::collections::{BTreeMap, BTreeSet};

/// When a bus is in use. What was placed before is never moved.
#[derive(Clone, Debug)]
pub struct Bus {
    /// From here on it is free.
    free_at: Nanos,
    /// Where it is free before that, if later transfers may go there.
    gaps: Option<Gaps>,
}

impl Bus {
    /// An idle bus; with `overtake`, transfers go into gaps that are long enough.
    #[must_use]
    pub fn new(overtake: bool) -> Self {
        Bus { free_at: 0, gaps: overtake.then(Gaps::default) }
    }

    /// From when on it is free.
    #[must_use]
    pub const fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// Nothing will be asked for before `time`, so gaps that end before it are forgotten.
    pub fn forget_before(&mut self, time: Nanos) {
        if let Some(gaps) = &mut self.gaps {
            gaps.forget_before(time);
        }
    }

    /// Takes the bus for so long, at `from` or the first time after it; returns start and end. No time
    /// at all needs no bus.
    pub fn take(&mut self, from: Nanos, length: Nanos) -> (Nanos, Nanos) {
        if length == 0 {
            return (from, from);
        }
        if let Some(gaps) = self.gaps.as_mut().filter(|_| from < self.free_at)
            && let Some(start) = gaps.take(from, length)
        {
            return (start, start + length);
        }
        let start = from.max(self.free_at);
        if let Some(gaps) = &mut self.gaps {
            gaps.add(self.free_at, start);
        }
        self.free_at = start + length;
        (start, start + length)
    }
}

/// Spans of free time, where the first one of a length is found without looking at those too short.
#[derive(Clone, Debug, Default)]
struct Gaps {
    /// The end of each, by its start.
    ends: BTreeMap<Nanos, Nanos>,
    /// For each length that was ever asked for, of which there are few: where gaps of that length and
    /// more start.
    fitting: BTreeMap<Nanos, BTreeSet<Nanos>>,
}

impl Gaps {
    fn add(&mut self, start: Nanos, end: Nanos) {
        if start < end {
            self.ends.insert(start, end);
            for (_, starts) in self.fitting.range_mut(..=end - start) {
                starts.insert(start);
            }
        }
    }

    fn remove(&mut self, start: Nanos, end: Nanos) {
        self.ends.remove(&start);
        for (_, starts) in self.fitting.range_mut(..=end - start) {
            starts.remove(&start);
        }
    }

    fn forget_before(&mut self, time: Nanos) {
        while let Some((&start, &end)) = self.ends.first_key_value()
            && end <= time
        {
            self.remove(start, end);
        }
    }

    /// Takes so long out of the first gap in which there is room for it from `from` on.
    fn take(&mut self, from: Nanos, length: Nanos) -> Option<Nanos> {
        let (start, end) = self.first(from, length)?;
        let at = from.max(start);
        self.remove(start, end);
        self.add(start, at);
        self.add(at + length, end);
        Some(at)
    }

    fn first(&mut self, from: Nanos, length: Nanos) -> Option<(Nanos, Nanos)> {
        let under_way = self.ends.range(..=from).next_back().map(|(start, end)| (*start, *end));
        if under_way.is_some_and(|(_, end)| from + length <= end) {
            return under_way;
        }
        let ends = &self.ends;
        let starts = self.fitting.entry(length).or_insert_with(|| {
            let fit = ends.iter().filter(|(start, end)| *end - *start >= length);
            fit.map(|(start, _)| *start).collect()
        });
        starts.range(from..).next().map(|start| (*start, ends[start]))
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
