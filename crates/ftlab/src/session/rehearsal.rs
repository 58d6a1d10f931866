//! A run that comes before another, so that this knows the future: the input is read twice.
//!
//! An oracle asks when a page will be written again ([`Future`](crate::flash::Future)). What the host writes reaches the FTL
//! through queues and buffers, after a warm-up. The same run is done first, on a device of its own, and each page that the host
//! writes is noted.

use crate::address::AddressMap;
use crate::catalog::Entry;
use crate::config::Config;
use crate::drive::{Watch, drive};
use crate::error::Error;
use crate::request::Input;
use crate::simulate::Simulator;
use crate::warmup::Until;

/// A run whose result nobody needs.
pub(super) struct Rehearsal(Box<dyn Simulator>);

impl Rehearsal {
    /// Of a run on a device of this capacity.
    ///
    /// # Errors
    /// [`Error::Config`] when the run would write something else than its rehearsal.
    pub fn new(
        entry: &Entry,
        config: &Config,
        input: &dyn Input,
        (capacity, address): (u64, AddressMap),
    ) -> Result<Self, Error> {
        if !input.rereadable() {
            let message = format!(
                "found {} and a pipe, which can be read once; write it to a file: an oracle reads the input before",
                config.ftl.separation
            );
            return Err(Error::config("ftl.separation", message));
        }
        let warmup = config.run.warmup;
        if warmup.plan().any(|phase| matches!(phase.until, Until::Steady(_))) {
            let message = format!(
                "found {warmup} with ftl.separation = {}, expected one of a known length, such as random:1 or none: an \
                 oracle knows only what its rehearsal wrote",
                config.ftl.separation
            );
            return Err(Error::config("run.warmup", message));
        }
        let simulator = entry.simulate(config, capacity, address)?;
        if let Some(future) = simulator.outcome().flash.future() {
            future.note();
        }
        Ok(Rehearsal(simulator))
    }

    /// Does it, after which a simulator knows what the host will write.
    ///
    /// # Errors
    /// Those of [`drive`].
    pub fn teach(
        mut self,
        simulator: &dyn Simulator,
        input: &dyn Input,
        watch: Watch<'_>,
    ) -> Result<(), Error> {
        drive(self.0.as_mut(), "rehearsal", input, watch)?;
        let (noted, taught) = (self.0.outcome(), simulator.outcome());
        if let (Some(noted), Some(taught)) = (noted.flash.future(), taught.flash.future()) {
            taught.learn(noted);
        }
        Ok(())
    }
}
