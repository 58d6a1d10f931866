//! An FTL that finds during a run that it cannot go on under its settings.

use crate::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};

/// What an FTL ends a run with.
struct Stopped(Error);

/// Ends a run that cannot go on under its settings: its result is this error.
pub fn stop(error: Error) -> ! {
    panic_any(Stopped(error))
}

/// Runs an FTL, which may [`stop`].
///
/// # Errors
/// That of the run, or the one that the FTL stops with.
pub fn unless_stopped<T>(run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| match panic.downcast::<Stopped>() {
        Ok(stopped) => Err(stopped.0),
        Err(panic) => resume_unwind(panic),
    })
}
