//! What crosses the border to Python: configurations in, errors and progress out.

use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::session::{Progress, Watch, panic_message};
use pyo3::import_exception;
use pyo3::prelude::*;
use serde_json::{Map, Value};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::{Once, OnceLock};

/// The exceptions, as `ftlab._core` defines them.
pub mod defined {
    use pyo3::create_exception;
    use pyo3::exceptions::PyException;

    create_exception!(ftlab._core, FtlabError, PyException, "Something that ftlab cannot do.");
    create_exception!(ftlab._core, ConfigError, FtlabError, "A configuration that cannot be used.");
    create_exception!(
        ftlab._core,
        TraceError,
        FtlabError,
        "A trace that cannot be read or believed."
    );
    create_exception!(ftlab._core, InternalError, FtlabError, "A broken rule or invariant: a bug.");
    create_exception!(ftlab._core, Interrupted, FtlabError, "The run was stopped.");
    create_exception!(
        ftlab._core,
        RuleError,
        FtlabError,
        "A rule that a class written in Python has broken."
    );
    create_exception!(
        ftlab._core,
        TooSmall,
        ConfigError,
        "Raised by the constructor of an FTL that needs a device with more blocks."
    );
}

// What is raised is imported, so that the cores of all packages raise the same classes.
import_exception!(ftlab._core, ConfigError);
import_exception!(ftlab._core, TraceError);
import_exception!(ftlab._core, InternalError);
import_exception!(ftlab._core, Interrupted);
import_exception!(ftlab._core, RuleError);
import_exception!(ftlab._core, TooSmall);

/// The Python exception of an error.
pub fn raise(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Config { .. } | Error::Unknown { .. } => ConfigError::new_err(message),
        Error::Trace { .. } | Error::Io { .. } => TraceError::new_err(message),
        Error::Internal(_) => InternalError::new_err(message),
        Error::Interrupted => Interrupted::new_err(message),
    }
}

static CATALOG: OnceLock<Catalog> = OnceLock::new();

/// Says what this module can run, once.
pub fn offer(catalog: fn() -> Catalog) {
    CATALOG.get_or_init(catalog);
}

/// What this module can run.
pub fn catalog() -> &'static Catalog {
    CATALOG.get().expect("a module is registered before its functions are called")
}

/// A configuration from JSON.
pub fn configuration(json: &str) -> PyResult<Config> {
    catalog().resolve(&tree(json)?).map_err(raise)
}

/// A table from JSON.
pub fn tree(json: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(json)
        .map_err(|error| ConfigError::new_err(format!("configuration: {error}")))
}

/// Runs `work` without the interpreter. About every 50 ms signals are checked and `callback` is told
/// `(phase, requests, fraction)`; what either raises stops the work and is raised here. A panic
/// becomes an `InternalError`: the interpreter survives.
pub fn with_progress<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(Watch<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    quiet_panics();
    let mut raised: Option<PyErr> = None;
    let result = py.detach(|| {
        let mut watch = |progress: Progress| {
            Python::attach(|py| tell(py, callback.as_ref(), progress)).map_err(|error| {
                raised = Some(error);
                Error::Interrupted
            })
        };
        catch_unwind(AssertUnwindSafe(|| work(&mut watch)))
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => result.map_err(raise),
        (None, Err(panic)) => Err(InternalError::new_err(panic_message(panic.as_ref()))),
    }
}

fn tell(py: Python<'_>, callback: Option<&Py<PyAny>>, progress: Progress) -> PyResult<()> {
    py.check_signals()?;
    if let Some(callback) = callback {
        callback.call1(py, (progress.phase, progress.requests, progress.fraction))?;
    }
    Ok(())
}

/// Panics are told as exceptions, in one line, and not also on standard error.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(|_| {})));
}
