//! When a resource that does one thing at a time is in use: an array, a cache register, a bus.

use super::gaps::{Cursor, Gap, Gaps};
use crate::units::Nanos;
use std::cell::Cell;

/// Gaps that are remembered, in 1 to 4 MiB. A further gap replaces the earliest, which remains
/// idle. Only a device that is seconds behind its requests has as many.
const MOST_GAPS: usize = 1 << 16;

/// When a resource is in use. What was placed is never moved.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// Free from this time on.
    free_at: Nanos,
    /// The gaps before that time; `None` if nothing may go into them.
    gaps: Option<Gaps>,
    /// Shortest useful gap, ns.
    shortest: Nanos,
}

impl Calendar {
    /// The calendar of an idle resource. With `overtake`, later work goes into gaps that are long
    /// enough. Nothing takes less than `shortest` ns, except what takes no time.
    #[must_use]
    pub fn new(overtake: bool, shortest: Nanos) -> Self {
        Calendar { free_at: 0, gaps: overtake.then(Gaps::default), shortest: shortest.max(1) }
    }

    /// Makes the resource idle at time 0.
    pub fn reset(&mut self) {
        self.free_at = 0;
        self.gaps.iter_mut().for_each(Gaps::clear);
    }

    /// Whether later work may go into gaps.
    #[must_use]
    pub const fn overtakes(&self) -> bool {
        self.gaps.is_some()
    }

    /// When all work placed so far is over.
    #[must_use]
    pub const fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// Drops the gaps that end before `time`, as no work is ready earlier.
    #[inline(always)]
    pub fn drop_before(&mut self, time: Nanos) {
        self.gaps.iter_mut().for_each(|gaps| gaps.drop_until(time));
    }

    /// The spans in which the resource is free, from `from` on, ascending. The last has no end.
    pub fn holes(&self, from: Nanos) -> impl Iterator<Item = Gap> {
        let gaps = self.gaps.as_ref().filter(|_| from < self.free_at);
        let before = gaps.map(|gaps| gaps.ending_from(from + 1));
        let last = (self.free_at.max(from), Nanos::MAX);
        before
            .into_iter()
            .flatten()
            .map(move |(start, end)| ((*start).max(from), *end))
            .chain([last])
    }

    /// Starts several searches, mostly for ever later times.
    #[inline]
    #[must_use]
    pub const fn search(&self) -> Search<'_> {
        Search { calendar: self, cursor: Cell::new(None) }
    }

    /// Takes the resource for this time. Returns how much of the time was free.
    #[inline]
    pub fn hold(&mut self, start: Nanos, end: Nanos) -> Nanos {
        if start == end && self.overtakes() {
            return 0;
        }
        let free_at = self.free_at;
        let mut taken = 0;
        if start < free_at {
            taken = self.hold_gaps(start, end.min(free_at));
        }
        if end > free_at || start >= free_at {
            if let Some(gaps) = &mut self.gaps
                && free_at + self.shortest <= start
            {
                if gaps.len() == MOST_GAPS {
                    gaps.pop_first();
                }
                gaps.push((free_at, start));
            }
            self.free_at = end;
            taken += end - start.max(free_at);
        }
        taken
    }

    /// Takes what is free between two times before [`free_at`](Self::free_at).
    fn hold_gaps(&mut self, from: Nanos, to: Nanos) -> Nanos {
        let Some(gaps) = &mut self.gaps else { return 0 };
        let useful = |gap: &Gap| gap.0 + self.shortest <= gap.1;
        let mut taken = 0;
        while let Some((_, end)) = gaps.cut(from + 1, |(start, end)| {
            let (first, last) = (start.max(from), end.min(to).max(start));
            taken += last - first;
            [Some((start, first)).filter(useful), Some((last, end)).filter(useful)]
        }) {
            if gaps.len() > MOST_GAPS {
                gaps.pop_first();
            }
            if end >= to {
                break;
            }
        }
        taken
    }
}

/// Searches in one calendar, each from where the last one ended.
#[derive(Debug)]
pub struct Search<'a> {
    calendar: &'a Calendar,
    cursor: Cell<Option<Cursor<'a>>>,
}

impl<'a> Search<'a> {
    /// The first free time from `from` on at which work can begin. Work that begins at `then` lasts
    /// until `until(then)`, at least `shortest` ns later; `until` must not decrease.
    #[inline(always)]
    pub fn first(&self, from: Nanos, shortest: Nanos, until: impl Fn(Nanos) -> Nanos) -> Nanos {
        let free_at = self.calendar.free_at;
        let Some(gaps) = self.calendar.gaps.as_ref().filter(|_| from < free_at) else {
            return from.max(free_at);
        };
        self.first_in(gaps, from, shortest, until).unwrap_or(free_at)
    }

    /// The same in gaps, if it fits into one.
    fn first_in(
        &self,
        gaps: &'a Gaps,
        from: Nanos,
        shortest: Nanos,
        until: impl Fn(Nanos) -> Nanos,
    ) -> Option<Nanos> {
        let mut cursor = self.cursor.get().unwrap_or_else(|| gaps.cursor());
        // A gap that ends before this is too short, whatever begins in it.
        let mut needed = until(from).max(from + 1);
        let found = loop {
            let Some((start, end)) = cursor.seek(needed, shortest) else { break None };
            let start = from.max(start);
            needed = until(start);
            if needed <= end {
                break Some(start);
            }
        };
        self.cursor.set(Some(cursor));
        found
    }

    /// The first free span of `length` ns from `from` on, start and end. A span of no length does
    /// not wait.
    #[inline(always)]
    #[must_use]
    pub fn find(&self, from: Nanos, length: Nanos) -> (Nanos, Nanos) {
        let start =
            if length == 0 { from } else { self.first(from, length, |start| start + length) };
        (start, start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Compared with a resource drawn as a row of nanoseconds.
    #[test]
    fn what_is_placed_takes_the_first_gap_that_is_long_enough() {
        let mut rng = Rng::new(1, "bus");
        for overtake in [false, true] {
            let (mut calendar, mut row, mut now) =
                (Calendar::new(overtake, 3), vec![false; 20_000], 0);
            for _ in 0..500 {
                now += rng.below(20);
                calendar.drop_before(now);
                let (from, length) = (now + rng.below(60), [0, 3, 4, 9, 14][rng.below(5) as usize]);
                let last = row.iter().rposition(|busy| *busy).map_or(0, |at| at as u64 + 1);
                let first = if overtake { from } else { from.max(last) };
                let fits = |at: &u64| (*at..*at + length).all(|ns| !row[ns as usize]);
                let expected = if length == 0 { from } else { (first..).find(fits).expect("room") };
                assert_eq!(calendar.search().find(from, length), (expected, expected + length));
                if length > 0 {
                    assert_eq!(calendar.hold(expected, expected + length), length);
                }
                (expected..expected + length).for_each(|ns| row[ns as usize] = true);
            }
        }
    }

    /// Also for earlier times.
    #[test]
    fn a_search_finds_the_same_wherever_the_last_one_ended() {
        let (mut rng, mut calendar) = (Rng::new(3, "searches"), Calendar::new(true, 1));
        (0..300).for_each(|at| _ = calendar.hold(20 * at, 20 * at + 1 + rng.below(18)));
        let search = calendar.search();
        for _ in 0..10_000 {
            let (from, length) = (rng.below(6100), 1 + rng.below(30));
            assert_eq!(search.find(from, length), calendar.search().find(from, length));
        }
    }

    #[test]
    fn time_that_is_taken_twice_counts_once() {
        let mut rng = Rng::new(2, "overlaps");
        let (mut calendar, mut row) = (Calendar::new(true, 1), vec![false; 4000]);
        for _ in 0..500 {
            let (start, length) = (rng.below(3900), rng.below(40));
            let span = &mut row[start as usize..(start + length) as usize];
            let free = span.iter().filter(|busy| !**busy).count() as u64;
            assert_eq!(calendar.hold(start, start + length), free);
            span.fill(true);
        }
        let mut free: Vec<u64> = Vec::new();
        for (start, end) in calendar.holes(0) {
            free.extend(start..end.min(4000));
        }
        let drawn: Vec<u64> = (0..4000).filter(|ns| !row[*ns as usize]).collect();
        assert_eq!(free, drawn);
    }

    /// However much is placed, in whatever gaps.
    #[test]
    fn memory_is_bounded() {
        let mut calendar = Calendar::new(true, 1);
        for number in 0..100_000 {
            calendar.hold(10 * number, 10 * number + 5);
        }
        assert_eq!(calendar.holes(0).count(), MOST_GAPS + 1);
        assert_eq!(calendar.search().find(0, 5).0, 10 * (100_000 - MOST_GAPS as u64) - 5);
    }

    /// Each piece taken out of the middle of a gap adds one gap.
    #[test]
    fn memory_is_bounded_where_gaps_are_split() {
        let mut calendar = Calendar::new(true, 1);
        calendar.hold(1_000_000, 1_000_001);
        for number in 0..100_000 {
            assert_eq!(calendar.hold(10 * number + 5, 10 * number + 10), 5);
        }
        assert_eq!(calendar.holes(0).count(), MOST_GAPS + 1);
        assert_eq!(calendar.search().find(0, 5).0, 10 * (100_000 - MOST_GAPS as u64));
    }
}
