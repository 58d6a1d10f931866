//! Which pages of the flash a zone has.
//!
//! ```text
//! page i of a zone = page i / width of its block i % width        zones.width = 2, four planes:
//!                                                                  plane 0 1 2 3
//! zone z = row z / groups of the planes of group z % groups        row 0 0 0 1 1   zones
//!                                                                  row 1 2 2 3 3
//! ```

use super::namespace::Format;
use crate::device::geometry::Geometry;
use crate::units::{Pbn, Ppn};

/// The blocks of each zone, and the shape of the device as its host sees it: with the pages of each zone that it writes
/// for a block.
#[derive(Clone, Debug)]
pub struct Layout {
    host: Geometry,
    flash: Geometry,
    /// Planes, those of a zone behind each other.
    planes: Vec<u32>,
    /// Where each plane is among these.
    places: Vec<u32>,
    width: u32,
}

impl Layout {
    /// Zones of `width` blocks in neighbours among these planes, of which the host writes `used` pages.
    #[must_use]
    pub fn new(flash: &Geometry, planes: Vec<u32>, width: u32, used: u32, format: &Format) -> Self {
        let host = flash.in_units(format.zones, used);
        let mut places = vec![0; flash.planes() as usize];
        for (place, plane) in (0..).zip(&planes) {
            places[*plane as usize] = place;
        }
        Layout { host, flash: flash.clone(), planes, places, width }
    }

    /// The shape that the host sees.
    #[must_use]
    pub const fn host(&self) -> &Geometry {
        &self.host
    }

    /// Whether each zone is the block with its number.
    #[must_use]
    pub fn has_zone_for_each_block(&self) -> bool {
        self.width == 1 && (0..self.host.blocks()).map(Pbn).all(|zone| self.block(zone, 0) == zone)
    }

    /// Erase blocks of a zone.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Zones in each row of blocks over all planes.
    const fn groups(&self) -> u32 {
        self.planes.len() as u32 / self.width
    }

    /// A block of a zone.
    #[must_use]
    pub fn block(&self, zone: Pbn, number: u32) -> Pbn {
        let groups = self.groups();
        let plane = self.planes[(zone.0 % groups * self.width + number) as usize];
        self.flash.block_in(plane, zone.0 / groups)
    }

    /// The blocks of a zone.
    pub fn blocks(&self, zone: Pbn) -> impl Iterator<Item = Pbn> {
        (0..self.width).map(move |number| self.block(zone, number))
    }

    /// The zone of a block, and the number of the block in it.
    #[must_use]
    pub fn zone_of(&self, pbn: Pbn) -> (Pbn, u32) {
        let place = self.places[self.flash.plane_of(pbn) as usize];
        let zone = self.flash.row_of(pbn) * self.groups() + place / self.width;
        (Pbn(zone), place % self.width)
    }

    /// The page of the host above a page of the flash that may be written.
    #[must_use]
    pub fn above(&self, page: Ppn) -> Ppn {
        let (zone, number) = self.zone_of(self.flash.block_of(page));
        Ppn(self.host.first_page(zone).0 + self.flash.page_in_block(page) * self.width + number)
    }

    /// The page of the flash below a page of the host.
    #[inline]
    #[must_use]
    pub fn below(&self, page: Ppn) -> Ppn {
        let zone = self.host.block_of(page);
        let number = self.host.page_in_block(page);
        let block = self.block(zone, number % self.width);
        self.flash.page_at(block, unless_bug!(ZonesStripeAskew, number / self.width, number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{BlockNumbers, DeviceConfig};
    use std::collections::BTreeSet;

    fn layout(width: u32, block_numbers: BlockNumbers) -> Layout {
        let device = DeviceConfig {
            channels: 2,
            planes_per_die: 2,
            pages_per_block: 4,
            blocks: Some(12),
            block_numbers,
            ..DeviceConfig::default()
        };
        let geometry = Geometry::new(&device, 8 * 4 * device.page.0).expect("a device");
        let size = u64::from(width * 4);
        let format = Format { zones: 12 / width, size, capacity: size };
        let planes = (0..4).collect();
        Layout::new(&geometry, planes, width, size as u32, &format)
    }

    #[test]
    fn the_pages_of_a_zone_take_turns_on_its_planes() {
        let layout = layout(2, BlockNumbers::AcrossPlanes);
        let pages: Vec<u32> = (8..16).map(|page| layout.below(Ppn(page)).0).collect();
        assert_eq!(pages, [8, 12, 9, 13, 10, 14, 11, 15], "zone 1: blocks 2 and 3");
        assert_eq!(layout.blocks(Pbn(2)).collect::<Vec<_>>(), [Pbn(4), Pbn(5)], "row 1");
    }

    #[test]
    fn every_page_of_the_flash_is_in_one_zone() {
        for width in [1, 2, 4] {
            for numbers in [BlockNumbers::AlongPlanes, BlockNumbers::AcrossPlanes] {
                let layout = layout(width, numbers);
                let pages: BTreeSet<Ppn> = (0..48).map(|page| layout.below(Ppn(page))).collect();
                assert_eq!(pages, (0..48).map(Ppn).collect(), "{width}");
                let back = (0..48).map(|page| layout.above(layout.below(Ppn(page))).0);
                assert!(back.eq(0..48), "{width}");
                for zone in (0..12 / width).map(Pbn) {
                    let plane = |pbn| layout.flash.plane_of(pbn);
                    let planes: BTreeSet<u32> = layout.blocks(zone).map(plane).collect();
                    assert_eq!(planes.len() as u32, width, "planes of zone {zone}");
                    let back = layout.blocks(zone).map(|pbn| layout.zone_of(pbn));
                    assert!(back.eq((0..width).map(|number| (zone, number))), "zone {zone}");
                }
            }
        }
    }
}
