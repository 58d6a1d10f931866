//! What the times of a trace count.

pub(super) const DAY_NS: u64 = 86_400_000_000_000;

crate::choices! {
    /// The unit of the times of a trace.
    pub enum TimeUnit {
        /// Seconds.
        Seconds = "s",
        /// Milliseconds.
        Milliseconds = "ms",
        /// Microseconds.
        Microseconds = "us",
        /// Nanoseconds.
        Nanoseconds = "ns",
        /// 100 ns, as Windows counts.
        Filetime = "filetime",
    }
}

impl TimeUnit {
    /// The unit as a noun in the plural.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
            Self::Microseconds => "microseconds",
            Self::Nanoseconds => "nanoseconds",
            Self::Filetime => "steps of 100 ns",
        }
    }

    /// The unit that the size of a stamp settles, if it is a FILETIME or counts from 1970 and is before the year 2065.
    pub(super) fn of_stamp(stamp: u64) -> Option<Self> {
        let is = |digits: u32| (10u64.pow(digits)..3 * 10u64.pow(digits)).contains(&stamp);
        let units = [
            (9, Self::Seconds),
            (12, Self::Milliseconds),
            (15, Self::Microseconds),
            (17, Self::Filetime),
            (18, Self::Nanoseconds),
        ];
        units.into_iter().find(|(digits, _)| is(*digits)).map(|(_, unit)| unit)
    }

    /// Whether a time in this unit that has the size of a stamp in the unit `stamp` is years from any start.
    pub(super) const fn is_beyond(self, stamp: Self) -> bool {
        let is_filetime = matches!((self, stamp), (Self::Nanoseconds, Self::Filetime));
        is_filetime || self.nanoseconds() > stamp.nanoseconds()
    }

    /// The unit in nanoseconds.
    pub(super) const fn nanoseconds(self) -> u64 {
        match self {
            Self::Seconds => 1_000_000_000,
            Self::Milliseconds => 1_000_000,
            Self::Microseconds => 1_000,
            Self::Nanoseconds => 1,
            Self::Filetime => 100,
        }
    }
}

/// How a column of times is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    pub(super) unit: TimeUnit,
    /// Whether it has digits only, and no point.
    pub(super) whole: bool,
}

impl Time {
    /// Whole numbers of `unit`.
    #[must_use]
    pub const fn whole(unit: TimeUnit) -> Self {
        Self { unit, whole: true }
    }

    /// Numbers of `unit`, with or without decimals.
    #[must_use]
    pub const fn decimal(unit: TimeUnit) -> Self {
        Self { unit, whole: false }
    }

    /// Decimal places that are kept.
    #[inline(always)]
    pub(super) const fn places(self) -> usize {
        match (self.whole, self.unit) {
            (true, _) | (_, TimeUnit::Nanoseconds | TimeUnit::Filetime) => 0,
            (_, TimeUnit::Microseconds) => 3,
            (_, TimeUnit::Milliseconds) => 6,
            (_, TimeUnit::Seconds) => 9,
        }
    }

    /// Nanoseconds per tick, when the places that are kept are part of the number.
    pub(super) const fn tick_ns(self) -> u64 {
        match self.places() {
            0 => self.unit.nanoseconds(),
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_and_its_places_make_the_unit() {
        for unit in [TimeUnit::Seconds, TimeUnit::Milliseconds, TimeUnit::Microseconds] {
            let time = Time::decimal(unit);
            assert_eq!(10u64.pow(time.places() as u32) * time.tick_ns(), unit.nanoseconds());
            assert_eq!(Time::whole(unit).tick_ns(), unit.nanoseconds());
        }
        assert_eq!(Time::decimal(TimeUnit::Filetime).tick_ns(), 100);
    }
}
