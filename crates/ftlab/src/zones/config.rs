//! Settings of a zoned drive, and of the host that writes to it.

use super::namespace::{Format, Limits};
use crate::device::geometry::Geometry;
use crate::error::Error;
use crate::units::Ratio;

crate::settings! {
    /// A zoned drive, and the host that writes to it.
    pub struct ZonesConfig in "zones" {
        /// Erase blocks of a zone, each in a plane of its own: they are written in turn and erased together. The planes
        /// are neighbours in `ftl.order`.
        width: u32 = 1, in 1..=4096, unit "blocks", laws [1, 1, 1, 2, 3], source "ConfZNS, NVMeVirt";
        /// Share of the pages of a zone that can be written; the rest of its addresses is a hole.
        capacity: Ratio = Ratio(1.0), in 0.01..=1.0, laws [Ratio(1.0), Ratio(1.0), Ratio(0.7)], source "NVMe ZNS, zone capacity";
        /// Zones that may be open at the same time; 0 means as many as may be active.
        max_open: u32 = 0, unit "zones", laws [0, 0, 1, 2], source "NVMe ZNS, QEMU";
        /// Zones that may be open or closed at the same time; 0 means no limit.
        max_active: u32 = 0, unit "zones", laws [0, 0, 4, 20], source "NVMe ZNS, QEMU";
        /// Whether the drive closes a zone that it has opened by itself where too many are open. If not, it answers with
        /// `too_many_open_zones`, and the host closes one.
        auto_transition: bool = true, laws [true, false], source "QEMU";
        /// Share of its capacity that the host leaves unwritten when it finishes a zone.
        finish: Ratio = Ratio(0.0), in 0.0..=0.99, laws [Ratio(0.0), Ratio(0.0), Ratio(0.3)],
            source "ZenFS, finish threshold";
    }
    check |own| {
        let (open, active) = (own.max_open, own.max_active);
        if active == 0 || open <= active {
            return Ok(());
        }
        let message = format!("found {open}, expected at most zones.max_active = {active}");
        Err(Error::config("zones.max_open", message))
    }
}

/// Whole pages in a share of some. Decimal shares are a little less in binary: 29 % of 100 are 29.
fn share_of(pages: u64, share: Ratio) -> u64 {
    (pages as f64 * share.0 + 1e-9) as u64
}

/// Pages of a zone that the host writes, at least: with one alone, no page would be left behind another.
const LEAST_PAGES: u64 = 2;

impl ZonesConfig {
    /// What the drive limits. No host here appends.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            open: self.max_open,
            active: self.max_active,
            append: 0,
            auto_transition: self.auto_transition,
        }
    }

    /// The shape of the namespace over all blocks of a device.
    ///
    /// # Errors
    /// [`Error::Config`] when its planes cannot be divided into zones.
    pub fn format(&self, geometry: &Geometry) -> Result<Format, Error> {
        let planes = geometry.planes();
        if !planes.is_multiple_of(self.width) {
            let message =
                format!("found {}, expected a divisor of the {planes} planes", self.width);
            unless_bug!(ZonesAcrossTheEnd, return Err(Error::config("zones.width", message)));
        }
        let size = u64::from(self.width) * u64::from(geometry.pages_per_block);
        let capacity = share_of(size, self.capacity);
        Ok(Format { zones: geometry.blocks() / self.width, size, capacity: capacity.max(1) })
    }

    /// Pages of each zone that the host writes before it finishes the zone.
    ///
    /// # Errors
    /// [`Error::Config`] when there are too few.
    pub fn used_pages(&self, format: &Format) -> Result<u32, Error> {
        let pages = format.capacity - share_of(format.capacity, self.finish);
        if (LEAST_PAGES..=u64::from(u32::MAX)).contains(&pages) {
            return Ok(pages as u32);
        }
        let key = if self.finish.0 > 0.0 { "zones.finish" } else { "zones.capacity" };
        let message =
            format!("found {pages} pages to write in a zone, expected at least {LEAST_PAGES}");
        unless_bug!(ZonesTooSmall, Err(Error::config(key, message)), Ok(pages as u32))
    }

    /// Refuses limits under which the host cannot fill this number of zones at once.
    ///
    /// # Errors
    /// [`Error::Config`] for `zones.max_active`.
    pub fn expect_active(&self, frontiers: u32) -> Result<(), Error> {
        let active = self.max_active;
        if active == 0 || active >= frontiers {
            return Ok(());
        }
        let message = format!(
            "found {active}, expected at least the {frontiers} zones that are filled at once"
        );
        unless_bug!(ZonesTooFewActive, Err(Error::config("zones.max_active", message)), Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_shares_of_pages_are_whole_pages() {
        for percent in 0..=100_u32 {
            assert_eq!(share_of(100, Ratio(f64::from(percent) / 100.0)), u64::from(percent));
        }
        assert_eq!(share_of(24, Ratio(0.84)), 20, "of 20.16 pages");
    }
}
