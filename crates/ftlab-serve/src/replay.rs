//! A recorded session once more, without clients and without data.
//!
//! Power may be cut, as it might then: some FTLs do things in another order there (choices.md#early-invalidation), as
//! they do in `ftlab run` with `ftl.power_safe`.

use crate::live::{able, capacity, whole};
use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::drive::{Watch, drive};
use ftlab::report::Report;
use ftlab::session::open_input;

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
    let capacity = capacity(config, "that of the recorded device")?;
    let mut config = config.clone();
    config.ftl.power_safe = true;
    let mut simulation = entry.simulate(&config, capacity, whole(capacity))?;
    let input = open_input(&config)?;
    drive(simulation.as_mut(), entry.name(), input.as_ref(), watch)
}
