//! The shape of the device: channels > chips > dies > planes > blocks > pages.
//!
//! ```text
//! ppn = pbn x pages_per_block + page        pbn = plane x blocks_per_plane + block
//! plane = ((channel x chips + chip) x dies + die) x planes_per_die + plane in die
//!
//! device.block_numbers = across-planes:              pbn = block x planes + plane
//! ```

#![allow(clippy::inline_always)] // part of every flash command

use super::{BlockNumbers, DeviceConfig};
use crate::error::Error;
use crate::units::{Bytes, Lbn, Lpn, Pbn, Ppn};

/// Largest number of physical pages: page numbers are 32 bits, and a few values are reserved.
pub const MOST_PAGES: u64 = u32::MAX as u64 - 1;

/// Parity of the number of a page in its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// 0, 2, 4...
    Even,
    /// 1, 3, 5...
    Odd,
}

impl Parity {
    /// The parity of a number.
    #[must_use]
    pub const fn of(number: u32) -> Self {
        if number.is_multiple_of(2) { Parity::Even } else { Parity::Odd }
    }
}

/// Shape of the device and size of its logical address space.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Number of channels.
    pub channels: u32,
    /// Number of planes on each channel.
    pub planes_per_channel: u32,
    /// Number of blocks in each plane.
    pub blocks_per_plane: u32,
    /// Pages in each block.
    pub pages_per_block: u32,
    /// Bytes of data in each page.
    pub page_bytes: u32,
    /// Pages of the logical address space.
    pub logical_pages: u32,
    /// The requested ratio of physical to logical blocks, minus one; `None` where their number was
    /// set.
    over_provisioning: Option<f64>,
    /// Channels, chips on each, dies in each, planes in each.
    shape: [u32; 4],
    /// With blocks numbered across planes, divides by the number of planes.
    by_planes: Option<Divisor>,
    by_pages_per_block: Divisor,
    by_blocks_per_plane: Divisor,
}

impl Geometry {
    /// The shape of a device that holds `capacity` bytes of logical address space.
    ///
    /// Physical blocks are `device.blocks`, or logical blocks x (1 + over-provisioning), rounded
    /// down (choices.md#over-provisioning). They are rounded up so that every plane has equally
    /// many, and at least two.
    ///
    /// # Errors
    /// [`Error::Config`] when the device is empty, too large for 32-bit page numbers, or has fewer
    /// physical than logical blocks.
    pub fn new(device: &DeviceConfig, capacity: u64) -> Result<Self, Error> {
        let block_bytes = device.page.0 * u64::from(device.pages_per_block);
        let logical_blocks = capacity.div_ceil(block_bytes);
        if logical_blocks == 0 {
            unless_bug!(
                DeviceEmpty,
                return Err(Error::config(
                    "device.capacity",
                    "found 0, expected at least one block"
                ))
            );
        }
        let dies = device.channels * device.chips_per_channel * device.dies_per_chip;
        let planes = u64::from(dies) * u64::from(device.planes_per_die);
        let spare = 1.0 + device.over_provisioning.0;
        let wanted = device.blocks.map_or((logical_blocks as f64 * spare + 1e-6) as u64, u64::from);
        let blocks_per_plane = wanted.div_ceil(planes).max(2);
        let physical_blocks = blocks_per_plane * planes;
        let most_blocks = MOST_PAGES / u64::from(device.pages_per_block);
        if physical_blocks.max(logical_blocks) > most_blocks {
            unless_bug!(
                DeviceTooLarge,
                return Err(Error::config(
                    "device.capacity",
                    format!(
                        "found {physical_blocks} blocks of {} pages, expected at most {MOST_PAGES} \
                     pages; use a larger device.page",
                        device.pages_per_block
                    ),
                ))
            );
        }
        if physical_blocks < logical_blocks {
            unless_bug!(
                DeviceTooFewBlocks,
                return Err(Error::config(
                    "device.blocks",
                    format!("found {wanted}, expected at least the {logical_blocks} logical"),
                ))
            );
        }
        let planes_per_channel = (planes / u64::from(device.channels)) as u32;
        Ok(Geometry {
            channels: device.channels,
            planes_per_channel,
            blocks_per_plane: blocks_per_plane as u32,
            pages_per_block: device.pages_per_block,
            page_bytes: device.page.0 as u32,
            logical_pages: logical_blocks as u32 * device.pages_per_block,
            over_provisioning: device.blocks.is_none().then_some(device.over_provisioning.0),
            shape: [
                device.channels,
                device.chips_per_channel,
                device.dies_per_chip,
                device.planes_per_die,
            ],
            by_planes: (device.block_numbers == BlockNumbers::AcrossPlanes && planes > 1)
                .then(|| Divisor::new(planes as u32)),
            by_pages_per_block: Divisor::new(device.pages_per_block),
            by_blocks_per_plane: Divisor::new(blocks_per_plane as u32),
        })
    }

    /// The error of an FTL that finds too few physical blocks. It names the key that sets their
    /// number and gives `message`; `other` lists further remedies.
    #[must_use]
    pub fn too_few_blocks(&self, message: &str, other: &str) -> Error {
        let (key, raise) = match self.over_provisioning {
            Some(_) => ("device.over_provisioning", "raise over-provisioning"),
            None => ("device.blocks", "use more"),
        };
        Error::config(key, format!("{message}; {raise}{other}"))
    }

    /// The lowest capacity, a power of two in bytes, at which a proportional part of the device
    /// keeps `kept` blocks free. Here the part has `blocks` blocks, `pages` logical pages and
    /// `map_pages` pages of a map. `None` if page numbers would exceed 32 bits.
    #[must_use]
    pub fn roomy_capacity(
        &self,
        blocks: u32,
        pages: u32,
        map_pages: u32,
        kept: u64,
    ) -> Option<Bytes> {
        let spare = 1.0 + self.over_provisioning?;
        let block_bytes = u64::from(self.page_bytes) * u64::from(self.pages_per_block);
        let part = f64::from(blocks) / f64::from(self.blocks());
        let [logical, map] =
            [pages, map_pages].map(|pages| f64::from(pages) / f64::from(self.logical_pages.max(1)));
        let capacities =
            (0..64).map(|shift| 1u64 << shift).skip_while(|c| *c < self.logical_bytes());
        let fits = |capacity: &u64| {
            let all = capacity.div_ceil(block_bytes) as f64;
            let needed = (all * logical).ceil() + (all * map).ceil() + kept as f64;
            (all * spare * part).floor() >= needed
        };
        let most = MOST_PAGES / u64::from(self.pages_per_block) * block_bytes;
        let held = |capacity: &u64| *capacity as f64 * spare <= most as f64;
        capacities.take_while(held).find(fits).map(Bytes)
    }

    /// Channels, chips on each channel, dies in each chip, planes in each die.
    #[must_use]
    pub const fn shape(&self) -> [u32; 4] {
        self.shape
    }

    /// Number of planes.
    #[must_use]
    pub const fn planes(&self) -> u32 {
        self.channels * self.planes_per_channel
    }

    /// Number of physical blocks.
    #[must_use]
    pub const fn blocks(&self) -> u32 {
        self.planes() * self.blocks_per_plane
    }

    /// Number of physical pages.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.blocks() * self.pages_per_block
    }

    /// Blocks that the logical address space fills.
    #[must_use]
    pub const fn logical_blocks(&self) -> u32 {
        self.logical_pages / self.pages_per_block
    }

    /// Bytes of the logical address space.
    #[must_use]
    pub const fn logical_bytes(&self) -> u64 {
        self.logical_pages as u64 * self.page_bytes as u64
    }

    /// Mapping entries of 4 bytes in a translation page (choices.md#translation-page).
    #[must_use]
    pub const fn entries_per_translation_page(&self) -> u32 {
        self.page_bytes / 4
    }

    /// Translation pages that hold the whole map.
    #[must_use]
    pub const fn translation_pages(&self) -> u32 {
        self.logical_pages.div_ceil(self.entries_per_translation_page())
    }

    /// The block of a page.
    #[inline(always)]
    #[must_use]
    pub const fn block_of(&self, ppn: Ppn) -> Pbn {
        Pbn(self.by_pages_per_block.quotient(ppn.0))
    }

    /// The first page of a block.
    #[inline(always)]
    #[must_use]
    pub const fn first_page(&self, pbn: Pbn) -> Ppn {
        Ppn(pbn.0 * self.pages_per_block)
    }

    /// The page at an offset of a block.
    #[inline]
    #[must_use]
    pub const fn page_at(&self, pbn: Pbn, offset: u32) -> Ppn {
        Ppn(pbn.0 * self.pages_per_block + offset)
    }

    /// The logical block of a logical page.
    #[inline]
    #[must_use]
    pub const fn logical_block_of(&self, lpn: Lpn) -> Lbn {
        Lbn(self.by_pages_per_block.quotient(lpn.0))
    }

    /// The first page of a logical block.
    #[inline]
    #[must_use]
    pub const fn first_logical_page(&self, lbn: Lbn) -> Lpn {
        Lpn(lbn.0 * self.pages_per_block)
    }

    /// The pages of a logical block, ascending.
    #[inline]
    pub fn logical_pages_of(&self, lbn: Lbn) -> impl Iterator<Item = Lpn> + use<> {
        let first = self.first_logical_page(lbn).0;
        (first..first + self.pages_per_block).map(Lpn)
    }

    /// The offset of a logical page in its logical block.
    #[inline]
    #[must_use]
    pub const fn offset_of(&self, lpn: Lpn) -> u32 {
        lpn.0 - self.first_logical_page(self.logical_block_of(lpn)).0
    }

    /// The number of a page in its block.
    #[inline(always)]
    #[must_use]
    pub const fn page_in_block(&self, ppn: Ppn) -> u32 {
        ppn.0 - self.first_page(self.block_of(ppn)).0
    }

    /// The parity of a page's number in its block.
    #[inline]
    #[must_use]
    pub const fn parity_of(&self, ppn: Ppn) -> Parity {
        Parity::of(self.page_in_block(ppn))
    }

    /// The plane of a block.
    #[inline(always)]
    #[must_use]
    pub const fn plane_of(&self, pbn: Pbn) -> u32 {
        match self.by_planes {
            None => self.by_blocks_per_plane.quotient(pbn.0),
            Some(by_planes) => pbn.0 - by_planes.quotient(pbn.0) * self.planes(),
        }
    }

    /// The number of a block in its plane.
    #[must_use]
    pub const fn row_of(&self, pbn: Pbn) -> u32 {
        match self.by_planes {
            None => pbn.0 - self.plane_of(pbn) * self.blocks_per_plane,
            Some(by_planes) => by_planes.quotient(pbn.0),
        }
    }

    /// A block of a plane.
    #[must_use]
    pub const fn block_in(&self, plane: u32, block: u32) -> Pbn {
        match self.by_planes {
            None => Pbn(plane * self.blocks_per_plane + block),
            Some(_) => Pbn(block * self.planes() + plane),
        }
    }

    /// The same logical pages on one plane of `units` units of `pages` pages each, in place of
    /// blocks.
    #[must_use]
    pub fn in_units(&self, units: u32, pages: u32) -> Self {
        Geometry {
            channels: 1,
            planes_per_channel: 1,
            blocks_per_plane: units,
            pages_per_block: pages,
            shape: [1; 4],
            over_provisioning: self.over_provisioning.map(|spare| {
                let used = f64::from(units) * f64::from(pages) / f64::from(self.pages());
                (1.0 + spare) * used - 1.0
            }),
            by_planes: None,
            by_pages_per_block: Divisor::new(pages),
            by_blocks_per_plane: Divisor::new(units.max(2)),
            ..self.clone()
        }
    }

    /// Whether the blocks of a plane follow each other in number.
    #[must_use]
    pub const fn numbers_along_planes(&self) -> bool {
        self.by_planes.is_none()
    }

    /// The channel of a plane.
    #[inline(always)]
    #[must_use]
    pub const fn channel_of(&self, plane: u32) -> u32 {
        plane / self.planes_per_channel
    }
}

/// Exact division of any `u32` by a fixed divisor of at least 2, as one multiplication (Lemire's
/// reciprocal).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    reciprocal: u64,
}

impl Divisor {
    pub(crate) fn new(divisor: u32) -> Self {
        assert!(divisor >= 2, "the reciprocal of {divisor} does not fit");
        Divisor { reciprocal: u64::MAX / u64::from(divisor) + 1 }
    }

    #[inline(always)]
    pub(crate) const fn quotient(self, number: u32) -> u32 {
        ((self.reciprocal as u128 * number as u128) >> 64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Ratio};

    #[test]
    fn a_divisor_divides_exactly() {
        for divisor in [2, 3, 5, 7, 64, 100, 2355, 65_537, u32::MAX - 1, u32::MAX] {
            let by = Divisor::new(divisor);
            for k in 0..2000_u32 {
                for n in [
                    k,
                    u32::MAX - k,
                    divisor.wrapping_mul(k),
                    divisor.wrapping_mul(k).wrapping_sub(1),
                ] {
                    assert_eq!(by.quotient(n), n / divisor, "{n} / {divisor}");
                }
            }
        }
    }

    /// 15 % of spare blocks, as in TPFTL's Table 3 (choices.md#over-provisioning).
    #[test]
    fn the_anchors_of_the_papers_hold() {
        let device = DeviceConfig::default();
        let financial = Geometry::new(&device, 512 << 20).expect("valid");
        assert_eq!(financial.logical_pages, 131_072);
        assert_eq!(financial.logical_blocks(), 2048);
        assert_eq!(financial.blocks(), 2355);
        assert_eq!(financial.translation_pages(), 128);
        let msr = Geometry::new(&device, 16 << 30).expect("valid");
        assert_eq!(msr.logical_blocks(), 65_536);
        assert_eq!(msr.translation_pages() * 4, 16_384, "bytes of the GTD");
    }

    #[test]
    fn blocks_spread_evenly_over_planes() {
        let device = DeviceConfig {
            channels: 2,
            chips_per_channel: 2,
            planes_per_die: 2,
            over_provisioning: Ratio(0.1),
            ..DeviceConfig::default()
        };
        let geometry = Geometry::new(&device, 100 << 18).expect("valid");
        assert_eq!((geometry.planes(), geometry.blocks_per_plane), (8, 14));
        assert_eq!(geometry.plane_of(Pbn(13)), 0);
        assert_eq!(geometry.plane_of(Pbn(14)), 1);
        assert_eq!(geometry.channel_of(3), 0);
        assert_eq!(geometry.channel_of(4), 1);
    }

    #[test]
    fn planes_take_turns_where_blocks_are_numbered_across_them() {
        let device = DeviceConfig {
            channels: 3,
            block_numbers: BlockNumbers::AcrossPlanes,
            ..DeviceConfig::default()
        };
        let geometry = Geometry::new(&device, 100 << 18).expect("valid");
        let planes = |blocks: std::ops::Range<u32>| {
            blocks.map(|block| geometry.plane_of(Pbn(block))).collect::<Vec<_>>()
        };
        assert_eq!(planes(0..7), [0, 1, 2, 0, 1, 2, 0]);
        let last = planes(0..geometry.blocks());
        let of_plane = |plane| last.iter().filter(|of| **of == plane).count() as u32;
        assert!((0..3).all(|plane| of_plane(plane) == geometry.blocks_per_plane));
    }

    #[test]
    fn a_device_beyond_32_bit_page_numbers_is_refused() {
        let error = Geometry::new(&DeviceConfig::default(), 1 << 45).expect_err("too large");
        assert!(error.to_string().contains("larger device.page"), "{error}");
        let small = DeviceConfig { blocks: Some(10), page: Bytes(4096), ..DeviceConfig::default() };
        assert!(Geometry::new(&small, 1 << 24).is_err());
    }
}
