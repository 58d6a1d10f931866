//! The gaps before the end of the placed work: few, but tens of thousands on a device that is far
//! behind.

use crate::units::Nanos;
use std::mem::take;

/// Start and end, ns.
pub type Gap = (Nanos, Nanos);

/// Most gaps in a run.
const LONGEST_RUN: usize = 128;

/// Gaps in ascending order, in runs. A search skips whole runs that end too early or whose gaps are
/// too short. A gap inserted between others moves only those of its run.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    /// The runs before the last one, none of them empty.
    earlier: Vec<Run>,
    /// The last run.
    last: Vec<Gap>,
    /// Gaps at the start of the first run that were dropped.
    dropped: usize,
    len: usize,
}

#[derive(Clone, Debug)]
struct Run {
    gaps: Vec<Gap>,
    /// Of the last gap.
    end: Nanos,
    /// No gap is longer.
    longest: Nanos,
}

impl Gaps {
    pub const fn len(&self) -> usize {
        self.len
    }

    pub fn clear(&mut self) {
        *self = Gaps::default();
    }

    /// Adds the last gap.
    #[inline]
    pub fn push(&mut self, gap: Gap) {
        if self.last.len() == LONGEST_RUN {
            self.earlier.push(Run::new(take(&mut self.last)));
        }
        self.last.push(gap);
        self.len += 1;
    }

    /// Drops the first gap.
    pub fn pop_first(&mut self) {
        self.drop_of_first_run(1);
    }

    /// Drops the gaps that end by `time`.
    #[inline(always)]
    pub fn drop_until(&mut self, time: Nanos) {
        while self.run(0).first().is_some_and(|(_, end)| *end <= time) {
            let over = self.run(0).iter().take_while(|(_, end)| *end <= time).count();
            self.drop_of_first_run(over);
        }
    }

    /// At the first gap.
    #[inline]
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { gaps: self, run: 0, of_run: self.run(0), at: 0 }
    }

    /// The gaps that end at `time` or later.
    pub fn ending_from(&self, time: Nanos) -> impl Iterator<Item = &Gap> {
        let mut cursor = self.cursor();
        cursor.seek(time, 0);
        (cursor.run..=self.earlier.len()).flat_map(|run| self.run(run)).skip(cursor.at)
    }

    /// Replaces the first gap that ends at `time` or later by its remains on both sides. Returns
    /// the gap.
    #[inline]
    pub fn cut(&mut self, time: Nanos, rest: impl FnOnce(Gap) -> [Option<Gap>; 2]) -> Option<Gap> {
        let mut cursor = self.cursor();
        let gap = cursor.seek(time, 0)?;
        let Cursor { run: number, at, .. } = cursor;
        if number == 0 {
            self.forget_dropped();
        }
        let gaps = self.run_mut(number);
        match rest(gap) {
            [Some(before), Some(behind)] => {
                gaps[at] = before;
                gaps.insert(at + 1, behind);
                self.len += 1;
            }
            [Some(rest), None] | [None, Some(rest)] => gaps[at] = rest,
            [None, None] => {
                gaps.remove(at);
                self.len -= 1;
            }
        }
        if let Some(run) = self.earlier.get_mut(number) {
            if run.end == gap.1 || run.longest == length(&gap) {
                run.measure();
            }
            self.tidy(number);
        } else if self.last.len() > LONGEST_RUN {
            self.halve(number);
        }
        Some(gap)
    }

    #[inline]
    fn run(&self, number: usize) -> &[Gap] {
        let gaps = self.earlier.get(number).map_or(&self.last, |run| &run.gaps);
        if number == 0 { &gaps[self.dropped..] } else { gaps }
    }

    #[inline]
    fn run_mut(&mut self, number: usize) -> &mut Vec<Gap> {
        self.earlier.get_mut(number).map_or(&mut self.last, |run| &mut run.gaps)
    }

    /// Drops gaps of the first run. It moves the rest only when it is no longer than the dropped
    /// part.
    fn drop_of_first_run(&mut self, count: usize) {
        self.len -= count;
        let dropped = self.dropped + count;
        let gaps = self.run_mut(0);
        if dropped == gaps.len() {
            gaps.clear();
            self.dropped = 0;
            self.earlier.drain(..self.earlier.len().min(1));
            return;
        }
        let many = 2 * dropped >= gaps.len();
        self.dropped = dropped;
        if many {
            self.forget_dropped();
        }
    }

    #[inline]
    fn forget_dropped(&mut self) {
        let dropped = take(&mut self.dropped);
        if dropped > 0 {
            self.run_mut(0).drain(..dropped);
        }
    }

    /// Drops an earlier run that is empty, halves one that is too long, and joins short ones, which
    /// bounds the memory.
    fn tidy(&mut self, number: usize) {
        match self.earlier[number].gaps.len() {
            0 => _ = self.earlier.remove(number),
            1..=LONGEST_RUN => self.join(number),
            _ => return self.halve(number),
        }
        self.join(number.saturating_sub(1));
    }

    fn halve(&mut self, number: usize) {
        let gaps = self.run_mut(number);
        let first = Run::new(gaps.drain(..LONGEST_RUN / 2).collect());
        gaps.shrink_to(LONGEST_RUN);
        self.earlier.insert(number, first);
    }

    /// Joins an earlier run with the next one if both are short.
    fn join(&mut self, number: usize) {
        let length = |number: usize| self.earlier.get(number).map(|run| run.gaps.len());
        let (Some(this), Some(next)) = (length(number), length(number + 1)) else { return };
        if this + next <= LONGEST_RUN / 2 {
            let next = self.earlier.remove(number + 1);
            let run = &mut self.earlier[number];
            run.gaps.extend(next.gaps);
            run.measure();
        }
    }
}

impl Run {
    fn new(gaps: Vec<Gap>) -> Self {
        let mut run = Run { gaps, end: 0, longest: 0 };
        run.measure();
        run
    }

    fn measure(&mut self) {
        self.end = self.gaps.last().map_or(0, |(_, end)| *end);
        self.longest = self.gaps.iter().map(length).max().unwrap_or(0);
    }
}

const fn length(gap: &Gap) -> Nanos {
    gap.1 - gap.0
}

/// A place among gaps, from which the next search begins: thousands of gaps may lie before it.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    gaps: &'a Gaps,
    run: usize,
    /// The rest of that run.
    of_run: &'a [Gap],
    at: usize,
}

impl Cursor<'_> {
    /// Moves to the first gap that ends at `time` or later. Returns the first gap from there that
    /// is at least `shortest` ns long.
    #[inline]
    pub fn seek(&mut self, time: Nanos, shortest: Nanos) -> Option<Gap> {
        if self.end_before().is_some_and(|end| end >= time) {
            *self = self.gaps.cursor();
        }
        if self.of_run.last().is_some_and(|(_, end)| *end < time) {
            self.go_to_run(time);
        }
        let is_over = |at: usize| self.of_run.get(at).is_some_and(|(_, end)| *end < time);
        // It is mostly one of the next: search in steps that double, then by halves.
        let mut step = 1;
        while is_over(self.at + step - 1) {
            self.at += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            self.at += if is_over(self.at + step - 1) { step } else { 0 };
        }
        let found = self.of_run[self.at..].iter().find(|gap| length(gap) >= shortest);
        found.or_else(|| self.in_later_runs(shortest)).copied()
    }

    /// The first gap of the later runs that is at least `shortest` ns long.
    fn in_later_runs(&self, shortest: Nanos) -> Option<&Gap> {
        let Gaps { earlier, last, .. } = self.gaps;
        let behind = earlier.iter().skip(self.run + 1);
        let runs = behind.filter(|run| run.longest >= shortest).map(|run| &run.gaps);
        let last = (self.run < earlier.len()).then_some(last);
        runs.chain(last).flatten().find(|gap| length(gap) >= shortest)
    }

    /// When the gap before this place ends.
    #[inline]
    fn end_before(&self) -> Option<Nanos> {
        match self.at.checked_sub(1) {
            Some(at) => Some(self.of_run[at].1),
            None => Some(self.gaps.earlier[self.run.checked_sub(1)?].end),
        }
    }

    /// Moves to the first later run that ends at `time` or later, or to the last run.
    fn go_to_run(&mut self, time: Nanos) {
        let earlier = &self.gaps.earlier;
        let all_over = |run: &Run| run.end < time;
        if self.run == earlier.len() {
            return;
        }
        self.run += 1;
        if earlier.get(self.run).is_some_and(all_over) {
            self.run = earlier.partition_point(all_over);
        }
        (self.of_run, self.at) = (self.gaps.run(self.run), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Compared with a plain list, with thousands of gaps, few, and none.
    #[test]
    fn runs_hold_what_a_list_holds() {
        let mut rng = Rng::new(4, "gaps");
        let (mut gaps, mut list, mut end) = (Gaps::default(), Vec::<Gap>::new(), 0);
        let mut longest = 0;
        for step in 0..30_000 {
            let time = list.first().map_or(0, |first| first.0) + rng.below(end + 1) / 2;
            let at = list.partition_point(|gap| gap.1 < time);
            match rng.below(20) {
                0..9 => {
                    let start = end + 1 + rng.below(50);
                    end = start + 1 + rng.below(100);
                    gaps.push((start, end));
                    list.push((start, end));
                }
                kind @ 9..18 => {
                    let rest = |(start, end): Gap| {
                        let (first, second) = ((start + end) / 2, end - (end - start) / 4);
                        let before = Some((start, first)).filter(|_| kind % 2 == 0);
                        [before, Some((second, end)).filter(|_| kind % 3 > 0)]
                    };
                    let gap = list.get(at).copied();
                    assert_eq!(gaps.cut(time, rest), gap);
                    if let Some(gap) = gap {
                        list.splice(at..=at, rest(gap).into_iter().flatten());
                    }
                }
                18 if !list.is_empty() => {
                    gaps.pop_first();
                    list.remove(0);
                }
                _ if step % 10_000 > 9900 => {
                    gaps.drop_until(time);
                    list.retain(|gap| gap.1 > time);
                }
                _ => {}
            }
            assert_eq!(gaps.len(), list.len());
            longest = longest.max(list.len());
            let mut cursor = gaps.cursor();
            for time in [time, time + 300, time / 2, end, end + 1, 0] {
                let at = list.partition_point(|gap| gap.1 < time);
                let shortest = rng.below(120);
                let expected = list[at..].iter().find(|gap| length(gap) >= shortest);
                assert_eq!(cursor.seek(time, shortest), expected.copied());
            }
            if step % 100 == 0 {
                let from = list.iter().filter(|gap| gap.1 >= time);
                assert!(gaps.ending_from(time).eq(from));
            }
        }
        assert!(longest > 20 * LONGEST_RUN, "{longest}");
        while list.len() > 1 {
            let at = rng.below(list.len() as u64) as usize;
            let gap = list.remove(at);
            assert_eq!(gaps.cut(gap.1, |_| [None, None]), Some(gap));
            assert!(gaps.earlier.len() <= 2 + 4 * gaps.len() / LONGEST_RUN, "many short runs");
        }
        assert_eq!(gaps.cursor().seek(0, 0), Some(list[0]));
    }
}
