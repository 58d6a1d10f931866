//! Checks the memory for a simulation before its tables are made: a failed allocation would end the
//! process.

use crate::device::{DeviceConfig, Geometry};
use crate::error::Error;
use crate::ftl::Spec;
use crate::units::Bytes;

/// Address space of the simulator for each physical block, in addition to [`Spec::bytes_per_page`].
const BYTES_PER_BLOCK: u64 = 256;

/// Address space for each physical page if the FTL mounts later: sequence numbers, a copy of the
/// device, and the contents of its OOBs.
const BYTES_TO_MOUNT: u64 = 128;

/// Number of tables of a simulation, which have about the same length.
const TABLES: u64 = 8;

/// Most memory of a simulation, B; `mounts` if its FTL later mounts.
pub(super) fn needed(
    spec: &Spec,
    device: &DeviceConfig,
    capacity: u64,
    mounts: bool,
) -> Result<u64, Error> {
    let geometry = Geometry::new(device, capacity)?;
    let (pages, blocks) = (u64::from(geometry.pages()), u64::from(geometry.blocks()));
    let to_mount = if mounts { BYTES_TO_MOUNT } else { 0 };
    Ok(pages * (u64::from(spec.bytes_per_page) + to_mount) + blocks * BYTES_PER_BLOCK)
}

/// Fails when the tables of a device do not fit, or those of an FTL that later `mounts` on it.
pub(super) fn check(
    spec: &Spec,
    device: &DeviceConfig,
    capacity: u64,
    mounts: bool,
) -> Result<(), Error> {
    let needed = needed(spec, device, capacity, mounts)?;
    let pages = Geometry::new(device, capacity)?.pages();
    // Several tables, as in the simulation: a system may grant any single one smaller than its
    // memory.
    let reserve = |_| {
        let mut table = Vec::<u8>::new();
        table.try_reserve_exact((needed / TABLES) as usize).map(|()| table)
    };
    let tables: Result<Vec<_>, _> = (0..TABLES).map(reserve).collect();
    tables.map(drop).map_err(|_| {
        let gib = needed as f64 / (1u64 << 30) as f64;
        let message = format!(
            "device.capacity: found {}, whose {pages} pages need up to {gib:.1} GiB of RAM, more \
             than there is; use a smaller capacity or a larger device.page",
            Bytes(capacity)
        );
        Error::Lacking(message)
    })
}
