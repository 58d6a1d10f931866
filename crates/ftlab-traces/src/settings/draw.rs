//! The values of a setting that the FTL checks try.

use crate::rng::Rng;
use crate::units::{Bytes, Duration};
use std::ops::RangeInclusive;

/// Values to draw from: a list whose entries are equally likely, or a range of whole numbers.
pub trait Draw<T> {
    /// One of them.
    fn draw(&self, rng: &mut Rng) -> T;
}

impl<T: Clone, const N: usize> Draw<T> for [T; N] {
    fn draw(&self, rng: &mut Rng) -> T {
        self[rng.below(N as u64) as usize].clone()
    }
}

impl<T: Clone> Draw<T> for &[T] {
    fn draw(&self, rng: &mut Rng) -> T {
        self[rng.below(self.len() as u64) as usize].clone()
    }
}

macro_rules! range {
    ($($type:ty),+) => {$(
        impl Draw<$type> for RangeInclusive<$type> {
            fn draw(&self, rng: &mut Rng) -> $type {
                let values = u64::from(self.end() - self.start()) + 1;
                self.start() + rng.below(values) as $type
            }
        }
    )+};
}
range!(u16, u32, u64);

macro_rules! range_of_units {
    ($($type:ident),+) => {$(
        impl Draw<$type> for RangeInclusive<u64> {
            fn draw(&self, rng: &mut Rng) -> $type {
                $type(Draw::<u64>::draw(self, rng))
            }
        }
    )+};
}
range_of_units!(Bytes, Duration);

/// Absent in half of the cases.
pub const fn absent_or<D>(values: D) -> AbsentOr<D> {
    AbsentOr(values)
}

/// What [`absent_or`] returns.
#[derive(Clone, Debug)]
pub struct AbsentOr<D>(D);

impl<T, D: Draw<T>> Draw<Option<T>> for AbsentOr<D> {
    fn draw(&self, rng: &mut Rng) -> Option<T> {
        rng.chance(0.5).then(|| self.0.draw(rng))
    }
}
