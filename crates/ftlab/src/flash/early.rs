//! What an access will touch of the tables of the device, loaded early ([`crate::ahead`]).

use super::Flash;
use crate::units::{Lpn, Ppn};
use std::hint::black_box;

impl Flash {
    /// Loads what is known of a logical page.
    #[inline]
    pub(crate) fn load_version_early(&self, lpn: Lpn) {
        black_box(self.truth.holds_data(lpn));
    }

    /// Loads what superseding a page touches.
    #[inline]
    pub(crate) fn load_state_early(&self, ppn: Ppn) {
        black_box((self.is_valid(ppn), self.valid_in(self.geometry().block_of(ppn))));
    }

    /// Loads what reading a page touches.
    #[inline]
    pub(crate) fn load_content_early(&self, ppn: Ppn) {
        black_box((self.is_programmed(ppn), self.is_valid(ppn), self.truth.stamp(ppn)));
        self.meter.timeline.load_block_early(self.geometry().block_of(ppn));
    }
}
