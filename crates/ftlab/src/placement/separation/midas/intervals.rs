//! How long pages live: the distribution of the times between two writes of a page, over a window.
//!
//! One page in some is watched. Time counts page writes of the host, in units of a quarter of a block. What is
//! rewritten within a unit is rare in a sample, so it is measured in ten units without sampling.

use crate::units::Lpn;
use std::collections::HashSet;

/// Units in which every page is watched.
const PROBES: u32 = 10;

/// What is known of a page that is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Seen {
    /// It was not written in this window, or was trimmed.
    #[default]
    Never,
    /// It was written once, then.
    Once(u32),
    /// It was written or trimmed before, and written then.
    Again(u32),
    /// It was trimmed.
    Trimmed,
}

/// The intervals of a window, as they are counted.
#[derive(Clone, Debug)]
pub(super) struct Intervals {
    /// One page in this number is watched.
    sampling: u32,
    /// Page writes of a unit.
    unit: u32,
    /// Intervals by their whole units.
    counts: Vec<u64>,
    pages: Vec<Seen>,
    /// Page writes that pass before the first window.
    wait: u64,
    /// Page writes of the window.
    now: u32,
    /// Pages written in a unit that is watched whole.
    probe: HashSet<Lpn>,
    /// Rewrites within such a unit.
    repeats: u64,
    is_over: bool,
}

impl Intervals {
    /// Of a window of some units, after a number of page writes.
    pub fn new(logical_pages: u32, sampling: u32, unit: u32, window: u32, wait: u64) -> Self {
        Intervals {
            sampling,
            unit,
            counts: vec![0; window as usize],
            pages: vec![Seen::Never; logical_pages.div_ceil(sampling) as usize],
            wait,
            now: 0,
            probe: HashSet::new(),
            repeats: 0,
            is_over: false,
        }
    }

    /// Units of a window.
    pub const fn window(&self) -> u32 {
        self.counts.len() as u32
    }

    /// The window begins anew.
    pub fn restart(&mut self) {
        self.counts.fill(0);
        self.pages.fill(Seen::Never);
        (self.now, self.repeats, self.is_over) = (0, 0, false);
        self.probe.clear();
    }

    /// The next windows are twice as long, as long as times can be counted.
    pub fn double(&mut self) {
        let units = 2 * self.counts.len();
        if units as u64 * u64::from(self.unit) <= u64::from(u32::MAX) {
            self.counts.resize(units, 0);
        }
    }

    /// The host writes a page. Returns whether that ends the window.
    pub fn wrote(&mut self, lpn: Lpn) -> bool {
        if self.wait > 0 || self.is_over {
            self.wait = self.wait.saturating_sub(1);
            return false;
        }
        self.now += 1;
        let unit = self.now / self.unit;
        if unit == self.window() {
            self.is_over = true;
            return true;
        }
        self.watch_whole(unit, lpn);
        if lpn.0.is_multiple_of(self.sampling) {
            let index = (lpn.0 / self.sampling) as usize;
            self.pages[index] = match self.ended(index) {
                Seen::Never => Seen::Once(self.now),
                _ => Seen::Again(self.now),
            };
        }
        false
    }

    /// The host trimmed a page.
    pub fn trimmed(&mut self, lpn: Lpn) {
        if lpn.0.is_multiple_of(self.sampling) && !self.is_over {
            let index = (lpn.0 / self.sampling) as usize;
            if self.ended(index) != Seen::Never {
                self.pages[index] = Seen::Trimmed;
            }
        }
    }

    /// Counts the interval of a page, if one ends. Returns what was known of it.
    fn ended(&mut self, index: usize) -> Seen {
        let seen = self.pages[index];
        if let Seen::Once(then) | Seen::Again(then) = seen {
            self.counts[((self.now - then) / self.unit) as usize] += 1;
        }
        seen
    }

    /// Counts rewrites in the units that are watched whole.
    fn watch_whole(&mut self, unit: u32, lpn: Lpn) {
        let apart = self.window() / (PROBES + 1);
        if apart == 0 || unit == 0 || !unit.is_multiple_of(apart) || unit / apart > PROBES {
            return;
        }
        if self.now.is_multiple_of(self.unit) {
            self.probe.clear();
        }
        self.repeats += u64::from(!self.probe.insert(lpn));
    }

    /// The intervals of the window, as if it had no end: what is longer than the rest of it was cut off.
    pub fn distribution(&self) -> Vec<f64> {
        let window = f64::from(self.window());
        let mut counts: Vec<f64> = self.counts.iter().map(|count| *count as f64).collect();
        let once = self.pages.iter().filter(|seen| matches!(seen, Seen::Once(_))).count();
        if let Some(last) = counts.last_mut() {
            *last += once as f64;
        }
        if let Some(first) = counts.first_mut().filter(|_| self.sampling > 1) {
            *first = (self.repeats as f64 * window / f64::from(PROBES) / f64::from(self.sampling))
                .floor();
        }
        for (units, count) in counts.iter_mut().enumerate().skip(1) {
            let units = units as f64;
            let left = (window % units) / units + 0.5;
            *count += (left * *count / (window / units)).floor();
        }
        counts
    }

    /// Bytes of RAM.
    pub fn ram(&self) -> u64 {
        8 * (self.counts.len() + self.pages.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Units of 2 page writes; all pages are watched.
    fn intervals(window: u32) -> Intervals {
        Intervals::new(8, 1, 2, window, 1)
    }

    fn write(intervals: &mut Intervals, pages: &[u32]) -> Vec<bool> {
        pages.iter().map(|page| intervals.wrote(Lpn(*page))).collect()
    }

    #[test]
    fn intervals_are_counted_in_whole_units_until_the_window_ends() {
        let mut intervals = intervals(4);
        // The first write is before the window. Page 0 is rewritten after 1 and 4 writes.
        let ends = write(&mut intervals, &[7, 0, 0, 1, 2, 3, 0, 5]);
        assert_eq!(ends, [false; 8]);
        assert_eq!(intervals.counts, [1, 0, 1, 0]);
        assert_eq!(write(&mut intervals, &[6, 6]), [true, false], "the eighth write of the window");
        // Pages 1, 2, 3 and 5 were written once: their intervals are as long as can be, and more of them were cut off.
        assert_eq!(intervals.distribution(), [1.0, 0.0, 1.0, 6.0]);
        intervals.restart();
        assert_eq!(intervals.counts, [0; 4]);
        assert_eq!(write(&mut intervals, &[0]), [false]);
    }

    #[test]
    fn a_trim_ends_an_interval_and_begins_none() {
        let mut intervals = intervals(40);
        write(&mut intervals, &[7, 0, 1, 2]);
        intervals.trimmed(Lpn(0));
        intervals.trimmed(Lpn(0));
        intervals.trimmed(Lpn(6));
        write(&mut intervals, &[3, 0]);
        assert_eq!(intervals.counts.iter().sum::<u64>(), 1);
        assert_eq!(intervals.counts[1], 1, "2 page writes");
        assert_eq!(intervals.pages[6], Seen::Never);
        assert_eq!(intervals.pages[0], Seen::Again(5));
    }

    #[test]
    fn rewrites_within_a_unit_are_counted_in_ten_units_of_the_window() {
        let mut intervals = Intervals::new(1_000, 100, 4, 22, 0);
        for _ in 0..22 {
            write(&mut intervals, &[501, 501, 501, 502]);
        }
        assert!(intervals.is_over);
        assert_eq!(intervals.counts.iter().sum::<u64>(), 0, "no page is in the sample");
        assert!((18..=20).contains(&intervals.repeats), "2 in each: {}", intervals.repeats);
        let first = intervals.distribution()[0];
        assert_eq!(first, (intervals.repeats as f64 * 22.0 / 10.0 / 100.0).floor());
    }

    #[test]
    fn a_window_can_be_doubled() {
        let mut intervals = intervals(4);
        intervals.double();
        intervals.restart();
        assert_eq!(intervals.window(), 8);
        let ends = (0..17).filter(|_| intervals.wrote(Lpn(0))).count();
        assert_eq!(ends, 1);
    }
}
