//! The parts of a time, of which most are nothing.

use crate::purpose::Cause;

/// Parts of a time: reads and changes by cause, erases, and the rest.
pub(in crate::metrics) const PARTS: usize = 2 * Cause::ALL.len() + 2;
pub(super) const ERASES: usize = PARTS - 2;
pub(super) const OTHER: usize = PARTS - 1;

/// What is spent on making room and on moving pages.
const CLEANING: [Cause; 5] =
    [Cause::GcData, Cause::GcMapping, Cause::GcTranslation, Cause::Merge, Cause::Wear];

/// A time by its parts. Work is done on those alone that something was added to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::metrics) struct Parts {
    /// A bit for each part that something was added to.
    some: u32,
    times: [f64; PARTS],
}

impl Parts {
    pub(in crate::metrics) const NONE: Parts = Parts { some: 0, times: [0.0; PARTS] };

    /// The parts that something was added to, in order.
    #[inline]
    pub(in crate::metrics) fn some(&self) -> impl Iterator<Item = (usize, f64)> + use<'_> {
        let mut rest = self.some;
        std::iter::from_fn(move || {
            let part = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            self.times.get(part).map(|time| (part, *time))
        })
    }

    #[inline]
    pub(super) fn add_to(&mut self, part: usize, time: f64) {
        self.some |= 1 << part;
        self.times[part] += time;
    }

    /// Is nothing from now on.
    #[inline]
    pub(in crate::metrics) fn clear(&mut self) {
        self.change(|_| 0.0);
        self.some = 0;
    }

    #[inline]
    pub(super) fn add(&mut self, parts: &Parts) {
        parts.some().for_each(|(part, time)| self.add_to(part, time));
    }

    #[inline]
    pub(super) fn sum(&self) -> f64 {
        self.some().map(|(_, time)| time).sum()
    }

    /// Changes the time of each part.
    #[inline]
    pub(super) fn change(&mut self, time: impl Fn(f64) -> f64) {
        let mut rest = self.some;
        while rest != 0 {
            let part = rest.trailing_zeros() as usize;
            self.times[part] = time(self.times[part]);
            rest &= rest - 1;
        }
    }

    /// What is spent on making room and on moving pages.
    pub(super) fn cleaning(&self) -> f64 {
        let moves = CLEANING.map(|cause| {
            let (reads, programs) = (2 * cause as usize, 2 * cause as usize + 1);
            self.times[reads] + self.times[programs]
        });
        moves.iter().sum::<f64>() + self.times[ERASES]
    }
}

/// The name of a part.
pub(in crate::metrics) fn name(part: usize) -> String {
    match part {
        ERASES => String::from("erases"),
        OTHER => String::from("other"),
        _ => {
            let kind = if part.is_multiple_of(2) { "reads" } else { "programs" };
            format!("{}.{kind}", Cause::ALL[part / 2].name())
        }
    }
}
