//! The array of a plane, or of several planes that share command logic. It does one operation at a
//! time, or one command on several planes.

use super::calendar::Calendar;
use crate::units::Nanos;
use std::collections::VecDeque;

/// Spans of writing that are remembered. Nothing is placed before a forgotten one.
const MOST_SPANS: usize = 1024;

#[derive(Clone, Debug)]
pub(super) struct Array {
    /// All its operations, or only its reads if they overtake programs and erases.
    calendar: Calendar,
    /// Spans of uninterrupted programs and erases, start to end and ascending, if reads overtake them.
    writing: Option<VecDeque<(Nanos, Nanos)>>,
    /// Nothing begins before this.
    closed: Nanos,
}

impl Array {
    /// An idle array. With `gaps`, later operations may begin before earlier ones. With `suspend`,
    /// reads interrupt programs and erases. No operation takes less than `shortest` ns.
    pub fn new(gaps: bool, suspend: bool, shortest: Nanos) -> Self {
        // Writes use any time that reads leave, however short.
        let shortest = if suspend { 1 } else { shortest };
        Array {
            calendar: Calendar::new(gaps, shortest),
            writing: suspend.then(VecDeque::new),
            closed: 0,
        }
    }

    /// Makes it idle at time 0.
    pub fn reset(&mut self) {
        self.calendar.reset();
        self.writing.iter_mut().for_each(VecDeque::clear);
        self.closed = 0;
    }

    /// When all operations placed so far are done.
    pub fn free_at(&self) -> Nanos {
        let written = self.writing.as_ref().and_then(VecDeque::back);
        self.calendar.free_at().max(written.map_or(0, |(_, end)| *end))
    }

    /// Forgets what ends before `time`, as no operation is ready earlier.
    #[inline]
    pub fn drop_before(&mut self, time: Nanos) {
        self.calendar.drop_before(time);
        if let Some(writing) = &mut self.writing {
            while writing.front().is_some_and(|(_, end)| *end <= time) {
                writing.pop_front();
            }
        }
    }

    /// When a read that is ready at `from` begins. A read that begins at `then` lasts until
    /// `until(then)`, at least `shortest` ns later.
    #[inline]
    pub fn first_read(
        &self,
        from: Nanos,
        shortest: Nanos,
        until: impl Fn(Nanos) -> Nanos,
    ) -> Nanos {
        self.calendar.search().first(from.max(self.closed), shortest, until)
    }

    /// The same for a program or an erase.
    #[inline]
    pub fn first_write(
        &self,
        from: Nanos,
        shortest: Nanos,
        until: impl Fn(Nanos) -> Nanos,
    ) -> Nanos {
        let Some(writing) = &self.writing else {
            return self.calendar.search().first(from, shortest, until);
        };
        if !self.calendar.overtakes() {
            return from.max(self.free_at());
        }
        let from = from.max(self.closed);
        let mut spans = writing.range(after(writing, from)..).peekable();
        for (mut start, end) in self.calendar.holes(from) {
            while let Some((begin, over)) = spans.next_if(|(begin, _)| *begin < end) {
                if start < *begin && until(start) <= *begin {
                    return start;
                }
                start = start.max(*over);
            }
            if start < end && until(start) <= end {
                return start;
            }
        }
        unreachable!("the last hole has no end")
    }

    /// Whether a read at `time` has to stop a program or an erase. One that would begin at `time`,
    /// or resume then after another read, need not be stopped.
    pub fn is_writing(&self, time: Nanos) -> bool {
        let Some(writing) = &self.writing else { return false };
        writing.get(after(writing, time)).is_some_and(|(start, _)| *start < time)
    }

    /// Whether a command on several planes can last until `to` instead of `from`.
    pub fn can_extend(&self, from: Nanos, to: Nanos, writes: bool) -> bool {
        // Only a hole from `from` to `to` is long enough and begins at `from`.
        let first = || match writes {
            true => self.first_write(from, to - from, |_| to),
            false => self.first_read(from, to - from, |_| to),
        };
        from >= to || first() == from
    }

    /// Adds a read.
    #[inline]
    pub fn read(&mut self, (from, until): (Nanos, Nanos)) {
        self.calendar.hold(from, until);
        if self.writing.is_some() {
            self.displace(from, until);
        }
    }

    /// Adds a program or an erase.
    #[inline]
    pub fn write(&mut self, (start, end): (Nanos, Nanos)) {
        let Some(writing) = &mut self.writing else {
            self.calendar.hold(start, end);
            return;
        };
        let at = after(writing, start);
        match at.checked_sub(1).and_then(|before| writing.get_mut(before)) {
            Some((_, last)) if *last == start => *last = end,
            _ if start < end => writing.insert(at, (start, end)),
            _ => {}
        }
        self.bound();
    }

    /// Delays the programs that were to last from `from` until `to`.
    pub fn delay(&mut self, (from, to): (Nanos, Nanos), later: (Nanos, Nanos)) {
        let Some(writing) = &mut self.writing else {
            self.calendar.hold(to, later.1);
            return;
        };
        let at = after(writing, from);
        if let Some((start, _)) = writing.get(at).copied().filter(|_| from < to) {
            writing.remove(at);
            if start < from {
                writing.insert(at, (start, from));
            }
        }
        self.write(later);
    }

    /// A read takes the array. The interrupted write resumes after it; later writes are delayed.
    fn displace(&mut self, from: Nanos, until: Nanos) {
        let Some(writing) = &mut self.writing else { return };
        let later = writing.split_off(after(writing, from));
        let mut next = until;
        for (start, end) in later {
            if start >= next {
                writing.push_back((start, end));
                next = next.max(end);
                continue;
            }
            if start < from {
                writing.push_back((start, from));
            }
            let mut left = end - start.max(from);
            for (free, busy) in self.calendar.holes(next.max(start)) {
                let piece = left.min(busy - free);
                push(writing, (free, free + piece));
                next = free + piece;
                left -= piece;
                if left == 0 {
                    break;
                }
            }
        }
        self.bound();
    }

    fn bound(&mut self) {
        let Some(writing) = self.writing.as_mut().filter(|_| self.calendar.overtakes()) else {
            return;
        };
        while writing.len() > MOST_SPANS {
            self.closed = writing.pop_front().map_or(0, |(_, end)| end).max(self.closed);
        }
    }
}

/// Index of the first span that ends after `time`.
fn after(spans: &VecDeque<(Nanos, Nanos)>, time: Nanos) -> usize {
    spans.partition_point(|(_, end)| *end <= time)
}

fn push(spans: &mut VecDeque<(Nanos, Nanos)>, (start, end): (Nanos, Nanos)) {
    match spans.back_mut() {
        Some((_, last)) if *last == start => *last = end,
        _ => spans.push_back((start, end)),
    }
}
