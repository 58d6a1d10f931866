//! The seam between a cache of single entries and the order in which these are replaced.

use super::aged_segments::AgedSegments;
use super::segmented_lru::SegmentedLru;
use super::two_q::TwoQ;
use crate::units::Lpn;
use std::fmt::Debug;

/// An order of replacement of cached entries. Each is known by a token, a small number that is given to
/// another entry when it has left.
///
/// An order that remembers what it has evicted knows it by its logical page.
pub trait ReplacementOrder: Debug + Send {
    /// A miss: the entry of `lpn` is in the cache from now on.
    fn insert(&mut self, token: u32, lpn: Lpn);

    /// A hit.
    fn touch(&mut self, token: u32);

    /// The entry to evict next, `None` only when there is none. It is removed before another is asked for.
    fn victim(&mut self) -> Option<u32>;

    /// The entry is in the cache no more.
    fn remove(&mut self, token: u32);

    /// Checks the order over so many entries.
    ///
    /// # Panics
    /// When it is inconsistent.
    fn audit(&self, len: usize);
}

macro_rules! forgetful {
    ($($order:ident),+) => {$(
        /// Knows what is cached only.
        impl ReplacementOrder for $order {
            #[inline]
            fn insert(&mut self, token: u32, _lpn: Lpn) {
                $order::insert(self, token);
            }
            #[inline]
            fn touch(&mut self, token: u32) {
                $order::touch(self, token);
            }
            #[inline]
            fn victim(&mut self) -> Option<u32> {
                $order::victim(self)
            }
            #[inline]
            fn remove(&mut self, token: u32) {
                $order::remove(self, token);
            }
            fn audit(&self, len: usize) {
                $order::audit(self, len);
            }
        }
    )+};
}
forgetful!(SegmentedLru, AgedSegments, TwoQ);
