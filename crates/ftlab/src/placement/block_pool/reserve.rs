//! A controller that keeps a reserve of free blocks (`gc.start = each-page`): GC is looked at before each page of the
//! host, not when a block is needed.
//!
//! ```text
//! before a page:  while gc.low or fewer blocks are free, and a closed block has garbage: collect (up to gc.high)
//! behind it:      gc.background or fewer blocks free: collect one, unless it is not worth it (gc.lazy)
//! ```
//!
//! A full block is closed at once. Blocks are numbered as they are closed, and the lowest number decides among equals.
//! A block without garbage is never collected.

use super::BlockPool;
use super::volume::Volume;
use crate::error::Error;
use crate::flash::{Geometry, Media};
use crate::gc::{Gc, Opens};
use crate::placement::Class;
use crate::units::Pbn;

/// What is collected behind a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Background {
    /// Free blocks at which it is.
    low: u32,
    /// Superseded pages of a block with valid pages, at least.
    least: f64,
}

impl BlockPool {
    /// The same where GC starts before each page, with a block to fill for each of these classes from the start if
    /// blocks are opened ahead.
    ///
    /// # Errors
    /// [`Error::Config`] when the policy cannot work on such a pool.
    pub fn with_reserve(
        mut self,
        gc: &Gc,
        geometry: &Geometry,
        classes: &[Class],
    ) -> Result<Self, Error> {
        let blocks = self.region.len() as u32;
        self.low = self.low.max(gc.low);
        self.high = gc.high.max(self.low.saturating_add(1));
        self.victims = gc.candidates(blocks, geometry.pages_per_block)?;
        let least = gc.lazy.0 * f64::from(geometry.pages_per_block);
        self.background = Some(Background { low: gc.background, least });
        let classes = if gc.open == Opens::Ahead { classes } else { &[] };
        let ahead = classes.iter().map(|class| self.frontier_of(*class)).collect();
        self.volume = Some(Volume::new(f64::INFINITY, 0, blocks).by_closing(ahead));
        for class in classes {
            self.open_ahead(self.frontier_of(*class), *class, geometry);
        }
        Ok(self)
    }

    /// Whether GC is looked at before each page.
    #[inline]
    pub(super) const fn keeps_reserve(&self) -> bool {
        self.background.is_some()
    }

    /// Whether a block may be collected behind a page.
    #[inline]
    #[must_use]
    pub fn wants_background_gc(&self) -> bool {
        self.background.is_some_and(|Background { low, .. }| low > 0 && self.free.len() <= low)
    }

    /// Whether a closed block has garbage.
    pub(super) fn has_garbage(&self) -> bool {
        self.victims.garbage().is_some_and(|pages| pages > 0)
    }

    /// The block to collect behind a page of the host, and what it is filled with, if it is worth it.
    pub fn take_background_victim(&mut self, flash: &mut impl Media) -> Option<(Pbn, Class)> {
        let Background { least, .. } = self.background?;
        let pbn = self.victims.choose(self.now(flash)).map(|slot| self.block_in(slot))?;
        let valid = flash.valid_in(pbn);
        let gained = flash.geometry().pages_per_block - valid;
        if valid > 0 && f64::from(gained) < least {
            return None;
        }
        self.start_gc();
        self.collect(pbn, flash);
        Some((pbn, self.class_of(pbn)))
    }
}
