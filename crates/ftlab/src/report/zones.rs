//! Zones, and what the host and the drive write to them.

use super::ratio;
use crate::figures::figures;
use crate::flash::Ledger;
use crate::simulate::HostTotals;
use crate::zones::ZonesMetrics;
use std::collections::BTreeMap;

figures! {
    /// Zones, and what the host and the drive write to them.
    pub struct ZonesReport {
        pub(super) of(zones: &ZonesMetrics, ledger: &Ledger, host: &HostTotals);
        let counts = &zones.counts;
        let pages = ledger.pages_programmed();
        /// Write amplification of the host: pages that its FTL writes to zones / pages of the input.
        host_write_amplification: Option<f64> = ratio(counts.written, host.page_writes), unit "factor", better Lower,
            null "without writes", source "zones.md#two-factors";
        /// Write amplification of the drive: pages programmed / pages that the host writes to zones.
        device_write_amplification: Option<f64> = ratio(pages, counts.written), unit "factor", better Lower,
            null "without writes", source "zones.md#two-factors";
        /// Pages that the host writes to zones.
        written: u64 = counts.written, unit "pages", better Lower, source "zones.md#two-factors";
        /// Pages that are left when zones are finished.
        unwritten: u64 = counts.unwritten, unit "pages", better Lower, source "NVMe ZNS, Zone Finish";
        /// Zones that become open from empty.
        opened: u64 = counts.opened, unit "zones", source "NVMe ZNS";
        /// Zones that the drive closes because another is opened.
        closed_for_others: u64 = counts.closed_for_others, unit "zones", better Lower, source "QEMU";
        /// Zones that are finished before they are full.
        finished: u64 = counts.finished, unit "zones", source "NVMe ZNS, Zone Finish";
        /// Zones with something written that are reset.
        resets: u64 = counts.resets, unit "zones", better Lower, source "NVMe ZNS, Zone Reset";
        /// Commands that the drive refuses, by status.
        refused: BTreeMap<&'static str, u64> = zones.refused.clone(), unit "commands by status", source "NVMe ZNS";
        /// Most zones that are open at a time.
        most_open: u32 = zones.most[0], unit "zones", source "NVMe ZNS";
        /// Most zones that are active at a time.
        most_active: u32 = zones.most[1], unit "zones", source "NVMe ZNS";
        /// Zones of the drive.
        zones: u32 = zones.zones, unit "zones";
        /// Pages of a zone that can be written.
        zone_pages: u64 = zones.capacity, unit "pages";
    }
}
