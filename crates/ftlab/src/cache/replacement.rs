//! The interface between a cache of single entries and the order in which they are replaced.

use super::aged_segments::AgedSegments;
use super::segmented_lru::SegmentedLru;
use super::two_q::TwoQ;
use crate::units::Lpn;
use dyn_clone::DynClone;
use std::fmt::Debug;

/// An order of replacement of cached entries. Each entry is known by a token, a small number that
/// is reused when the entry has left.
///
/// An order that remembers evicted entries knows them by their logical pages.
pub trait ReplacementOrder: Debug + DynClone + Send {
    /// A miss: the entry of `lpn` is in the cache from now on.
    fn insert(&mut self, token: u32, lpn: Lpn);

    /// A hit.
    fn touch(&mut self, token: u32);

    /// The entry to evict next, `None` only when there is none. It is removed before the next call.
    fn victim(&mut self) -> Option<u32>;

    /// The entry has left the cache.
    fn remove(&mut self, token: u32);

    /// Checks the order over `len` entries.
    ///
    /// # Panics
    /// When it is inconsistent.
    fn audit(&self, len: usize);
}

dyn_clone::clone_trait_object!(ReplacementOrder);

macro_rules! forgetful {
    ($($order:ident),+) => {$(
        /// An order that knows only what is cached.
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
