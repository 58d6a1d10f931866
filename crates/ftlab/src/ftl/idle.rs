//! How long idle work may go on.

use crate::flash::Geometry;

/// Steps between two requests, for each page of the device: with more, idle work is taken for an endless loop. Even a
/// policy that goes round all blocks, a page at a step, moves each page once.
const MOST_STEPS_PER_PAGE: u64 = 10;

/// The steps of idle work that an FTL has taken since the last request.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdleSteps(u64);

impl IdleSteps {
    /// A request has come.
    pub fn restart(&mut self) {
        self.0 = 0;
    }

    /// Counts a step.
    ///
    /// # Errors
    /// The rule that is broken when there are too many.
    pub fn take(&mut self, geometry: &Geometry) -> Result<(), String> {
        let most = MOST_STEPS_PER_PAGE * u64::from(geometry.pages());
        if self.0 == most {
            return Err(format!(
                "idle work must end: found more than {most} steps between two requests, ten for each page of \
                 the device, as an endless loop takes"
            ));
        }
        self.0 += 1;
        Ok(())
    }
}
