//! The bus of a channel: one transfer at a time.

use crate::units::Nanos;
use std::collections::VecDeque;

/// When a bus is in use. A transfer that was placed is never moved.
#[derive(Clone, Debug)]
pub struct Bus {
    /// Free from this time on.
    free_at: Nanos,
    /// The gaps before that time, start to end and ascending; empty unless later transfers may use them.
    gaps: Option<VecDeque<(Nanos, Nanos)>>,
    /// Shortest gap that a transfer can use, ns.
    shortest: Nanos,
}

impl Bus {
    /// An idle bus; with `overtake`, transfers go into gaps that are long enough. No transfer takes less
    /// than `shortest` ns, except those that take no time.
    #[must_use]
    pub fn new(overtake: bool, shortest: Nanos) -> Self {
        Bus { free_at: 0, gaps: overtake.then(VecDeque::new), shortest: shortest.max(1) }
    }

    /// Makes the bus idle at time 0.
    pub fn reset(&mut self) {
        *self = Bus::new(self.gaps.is_some(), self.shortest);
    }

    /// When the last transfer placed so far ends.
    #[must_use]
    pub const fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// Drops the gaps that end before `time`: no transfer will be ready earlier.
    pub fn drop_before(&mut self, time: Nanos) {
        let Some(gaps) = &mut self.gaps else { return };
        while gaps.front().is_some_and(|(_, end)| *end <= time) {
            gaps.pop_front();
        }
    }

    /// Takes the bus for `length` ns, at `from` or as soon after as it is free; returns start and end. A
    /// length of 0 does not wait for the bus.
    pub fn take(&mut self, from: Nanos, length: Nanos) -> (Nanos, Nanos) {
        if length == 0 {
            return (from, from);
        }
        if from < self.free_at
            && let Some(start) = self.take_gap(from, length)
        {
            return (start, start + length);
        }
        let start = from.max(self.free_at);
        if let Some(gaps) = &mut self.gaps
            && self.free_at + self.shortest <= start
        {
            gaps.push_back((self.free_at, start));
        }
        self.free_at = start + length;
        (start, start + length)
    }

    /// Places a transfer in the first gap that is long enough; returns its start.
    fn take_gap(&mut self, from: Nanos, length: Nanos) -> Option<Nanos> {
        let gaps = self.gaps.as_mut()?;
        let not_over = gaps.partition_point(|(_, end)| *end < from + length);
        let mut later = gaps.range(not_over..);
        let number = not_over + later.position(|(start, end)| from.max(*start) + length <= *end)?;
        let (start, end) = gaps[number];
        let at = from.max(start);
        let useful = |start, end| start + self.shortest <= end;
        match (useful(start, at), useful(at + length, end)) {
            (false, false) => drop(gaps.remove(number)),
            (true, false) => gaps[number].1 = at,
            (false, true) => gaps[number].0 = at + length,
            (true, true) => {
                gaps[number].1 = at;
                gaps.insert(number + 1, (at + length, end));
            }
        }
        Some(at)
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
            let (mut bus, mut row, mut now) = (Bus::new(overtake, 3), vec![false; 20_000], 0);
            for _ in 0..500 {
                now += rng.below(20);
                bus.drop_before(now);
                let (from, length) = (now + rng.below(60), [0, 3, 4, 9, 14][rng.below(5) as usize]);
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
