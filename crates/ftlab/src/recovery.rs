//! The result of a power cut at the end of a run: the cost of recovery, and what is lost.

use crate::config::Config;
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::figures::figures;
use crate::flash::{Device, Operation};
use crate::ftl::{Ftl, MapPlace, Spec};
use crate::units::Nanos;
use std::fmt;
use std::sync::Arc;

/// Bytes of the place and the sequence number of a page, which recovery needs for each
/// (docs/power-loss.md, "How FTLs mount").
const BYTES_PER_PAGE: u64 = 12;

type MountFtl = dyn Fn(&Config, &mut Device) -> Result<Box<dyn Ftl>, Error> + Send + Sync;

/// The recovery of an FTL after a power cut.
#[derive(Clone)]
pub struct Mount(Arc<MountFtl>);

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mount")
    }
}

impl Mount {
    /// By this function.
    pub fn by(
        mount: impl Fn(&Config, &mut Device) -> Result<Box<dyn Ftl>, Error> + Send + Sync + 'static,
    ) -> Self {
        Mount(Arc::new(mount))
    }

    /// The FTL on a device whose power was cut. From then on, the versions that it has found are
    /// valid.
    ///
    /// # Errors
    /// [`Error::Config`] when device or settings cannot work.
    ///
    /// # Panics
    /// When it keeps a version that was written after one that it gives up.
    pub fn mount(&self, config: &Config, device: &mut Device) -> Result<Box<dyn Ftl>, Error> {
        device.read_checkpoints();
        device.read_tombstones();
        device.settled_by(|device| (self.0)(config, device))
    }
}

/// The cost of recovery for the device.
#[derive(Clone, Copy, Debug, Default)]
pub struct MountCost {
    /// OOBs read.
    pub oob_reads: u64,
    /// Pages read.
    pub page_reads: u64,
    /// Pages programmed.
    pub programs: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Time of the device, ns.
    pub time: Nanos,
}

impl MountCost {
    /// The cost of all operations on a device since its power was cut.
    #[must_use]
    pub fn of(device: &Device) -> Self {
        MountCost {
            oob_reads: device.surveyed(),
            page_reads: device.ledger().total(Operation::Read),
            programs: device.ledger().pages_programmed(),
            erases: device.ledger().total(Operation::Erase),
            time: device.timeline().idle_at(),
        }
    }
}

/// The device with the timing for recovery. Without `device.oob_read`, an OOB read takes as long as
/// a read of a page, because recovery consists mainly of OOB reads.
#[must_use]
pub fn timed_oobs(device: &DeviceConfig) -> DeviceConfig {
    let mut device = device.clone();
    if device.oob_read.0 == 0 {
        device.oob_read = device.read;
    }
    device
}

figures! {
    /// The result of a power cut at the end of a run.
    #[derive(Default)]
    pub struct Recovery {
        /// Simulated time until the FTL has mounted.
        time_s: Option<f64>, unit "s", better Lower, null "if the FTL does not mount, or not without `ftl.power_safe`", label "mount after a power cut";
        /// OOBs that the mount reads, not counted elsewhere.
        oob_reads: Option<u64>, unit "pages", better Lower, null "if the FTL does not mount, or not without `ftl.power_safe`";
        /// Pages that it reads, not counted elsewhere.
        page_reads: Option<u64>, unit "pages", better Lower, null "if the FTL does not mount, or not without `ftl.power_safe`";
        /// Pages that it programs, not counted elsewhere.
        programs: Option<u64>, unit "pages", better Lower, null "if the FTL does not mount, or not without `ftl.power_safe`";
        /// Blocks that it erases, not counted elsewhere.
        erases: Option<u64>, unit "blocks", better Lower, null "if the FTL does not mount, or not without `ftl.power_safe`";
        /// RAM of the mount: 12 for each logical page and for each translation page of a map on flash.
        ram_bytes: Option<u64>, unit "bytes", better Lower, null "if the FTL does not mount, or not without `ftl.power_safe`";
        /// Acknowledged data that the cut would lose.
        at_risk_bytes: Option<u64>, unit "bytes", better Lower, null "if that is not known";
        /// The maximum of `timeline.at_risk_bytes`.
        at_risk_bytes_max: Option<u64>, unit "bytes", better Lower, null "if that is not known",
            label "lost by a power cut, at most";
    }
}

impl Recovery {
    /// The cost of mounting an FTL on this device, if its power is cut now.
    ///
    /// # Panics
    /// When the FTL breaks a rule, or rejects settings with which it was built.
    #[must_use]
    pub fn measure(mount: Option<&Mount>, spec: &Spec, config: &Config, device: &Device) -> Self {
        let Some(mount) = mount else { return Recovery::default() };
        let mut device = device.clone();
        device.lose_power(&timed_oobs(&config.device));
        device.timeline_mut().issue(0);
        mount.mount(config, &mut device).expect("settings with which it was built");
        let geometry = device.geometry();
        let on_flash = spec.map == MapPlace::Flash;
        let maps = if on_flash { geometry.translation_pages() } else { 0 };
        let cost = MountCost::of(&device);
        Recovery {
            time_s: Some(cost.time as f64 / 1e9),
            oob_reads: Some(cost.oob_reads),
            page_reads: Some(cost.page_reads),
            programs: Some(cost.programs),
            erases: Some(cost.erases),
            ram_bytes: Some(BYTES_PER_PAGE * u64::from(geometry.logical_pages + maps)),
            ..Recovery::default()
        }
    }

    /// The same, with the bytes at risk at the ends of stretches of a run.
    #[must_use]
    pub fn with_at_risk(self, bytes: &[Option<u64>]) -> Self {
        let at_risk_bytes = bytes.last().copied().flatten();
        Recovery { at_risk_bytes, at_risk_bytes_max: bytes.iter().copied().max().flatten(), ..self }
    }
}
