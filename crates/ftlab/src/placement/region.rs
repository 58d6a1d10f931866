//! A part of a device with blocks, data and map of its own.

use crate::flash::Geometry;
use std::ops::Range;

/// Blocks, and the logical pages whose data and map they hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Physical blocks.
    pub blocks: Range<u32>,
    /// Logical pages.
    pub pages: Range<u32>,
    /// Translation pages of the logical pages: none if the map is in RAM.
    pub translation_pages: Range<u32>,
    /// Numbers, beyond those of all translation pages, of the pages with the directory of these: none if it
    /// is always in RAM.
    pub directory: Range<u32>,
}

impl Region {
    /// The whole device, with `translation_pages` whose directory is in RAM.
    #[must_use]
    pub const fn whole(geometry: &Geometry, translation_pages: u32) -> Self {
        Region {
            blocks: 0..geometry.blocks(),
            pages: 0..geometry.logical_pages,
            translation_pages: 0..translation_pages,
            directory: 0..0,
        }
    }

    /// Pages of the map on flash, the directory included.
    #[must_use]
    pub fn map_pages(&self) -> u32 {
        (self.translation_pages.len() + self.directory.len()) as u32
    }
}
