//! A recorded session once more, without clients and without data.
//!
//! The device is one whose power may be cut, as it was then: some FTLs make room in another order there
//! (choices.md#early-invalidation), so that `ftlab run` may count a copy less.

use crate::live::able;
use ftlab::Error;
use ftlab::address::{AddressMap, AddressPolicy, Extent};
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::drive::{Watch, drive};
use ftlab::flash::Device;
use ftlab::report::Report;
use ftlab::session::open_input;
use ftlab::simulate::Simulation;

/// Serves the input of a configuration to an FTL.
///
/// # Errors
/// Those of the input and of `watch`; [`Error::Config`] for an FTL that does not mount.
///
/// # Panics
/// When the FTL breaks a rule of the flash.
pub fn replay(
    catalog: &Catalog,
    config: &Config,
    ftl: &str,
    watch: Watch<'_>,
) -> Result<Report, Error> {
    let entry = able(catalog, ftl)?;
    let Some(capacity) = config.device.capacity else {
        let message = "found none, expected that of the recorded device";
        return Err(Error::config("device.capacity", message));
    };
    let mut device = Device::new(&config.device, capacity.0)?;
    device.remember();
    let ftl = entry.build(config, &mut device)?;
    let all = Extent { volume: 0, first_byte: 0, end_byte: capacity.0 };
    let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity.0))?;
    let config = entry.adapted(config);
    let mut simulation = Simulation::new(&entry.spec, &config, device, ftl, None, address);
    let input = open_input(&config)?;
    drive(&mut simulation, entry.name(), input.as_ref(), watch)
}
