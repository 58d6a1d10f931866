//! The border to Python: configurations in, errors and progress out.

use crate::frames;
use crate::plugin::Faults;
use ftlab::Error;
use ftlab::catalog::Catalog;
use ftlab::config::Config;
use ftlab::frames::{Frame, Show};
use ftlab::session::{Progress, Watch, panic_message};
use pyo3::exceptions::PyOSError;
use pyo3::import_exception;
use pyo3::prelude::*;
use serde_json::{Map, Value};
use std::any::Any;
use std::io::{self, ErrorKind};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Once, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

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
    create_exception!(
        ftlab._core,
        FileError,
        TraceError,
        "A file that the system does not read or write at the moment."
    );
    create_exception!(
        ftlab._core,
        ResourceError,
        FtlabError,
        "What the machine lacks at the moment: memory or threads."
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

// Raised classes are imported, so the cores of all packages raise the same ones.
import_exception!(ftlab._core, ConfigError);
import_exception!(ftlab._core, TraceError);
import_exception!(ftlab._core, FileError);
import_exception!(ftlab._core, ResourceError);
import_exception!(ftlab._core, InternalError);
import_exception!(ftlab._core, Interrupted);
import_exception!(ftlab._core, RuleError);
import_exception!(ftlab._core, TooSmall);

/// The Python exception of an error. A closed pipe is a `BrokenPipeError`, which is no failure of
/// the run.
pub fn raise(error: Error) -> PyErr {
    if let Error::Io { source, .. } = &error
        && source.kind() == ErrorKind::BrokenPipe
    {
        return Python::attach(|py| os_error(py, source));
    }
    let message = match &error {
        Error::Internal(_) => error.to_string(),
        _ => one_line(&error.to_string()),
    };
    match error {
        Error::Config { .. } | Error::Unknown { .. } => ConfigError::new_err(message),
        Error::Trace { .. } => TraceError::new_err(message),
        Error::Io { .. } => FileError::new_err(message),
        Error::Lacking(_) => ResourceError::new_err(message),
        Error::Internal(_) => InternalError::new_err(message),
        Error::Interrupted => Interrupted::new_err(message),
    }
}

/// The `OSError` of an error of the system.
pub fn os_error(py: Python<'_>, error: &io::Error) -> PyErr {
    let told = || -> PyResult<PyErr> {
        let Some(number) = error.raw_os_error() else {
            return Ok(PyOSError::new_err((0, error.to_string())));
        };
        let text: String = py.import("os")?.call_method1("strerror", (number,))?.extract()?;
        Ok(PyOSError::new_err((number, text)))
    };
    told().unwrap_or_else(|raised| raised)
}

/// A message whose names cannot move the cursor of a terminal or begin a line.
fn one_line(message: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    message.chars().map(shown).collect()
}

static CATALOG: OnceLock<Catalog> = OnceLock::new();

/// Sets the catalogue of this module, once.
pub fn offer(catalog: fn() -> Catalog) {
    CATALOG.get_or_init(catalog);
}

/// The catalogue of this module.
pub fn catalog() -> &'static Catalog {
    CATALOG.get().expect("a module is registered before its functions are called")
}

/// A configuration from JSON.
pub fn configuration(json: &str) -> PyResult<Config> {
    catalog().resolve(&tree(json)?).map_err(raise)
}

/// A table from JSON.
pub fn tree(json: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(json).map_err(|error| {
        let message = match error.to_string() {
            text if text.contains("surrogate") => {
                "found a name that is not UTF-8, expected one that is; rename the file".into()
            }
            text => text,
        };
        ConfigError::new_err(format!("configuration: {message}"))
    })
}

/// A message of a working thread.
enum Told<T> {
    Progress(Progress),
    /// A frame; the thread waits until it has been shown.
    Frame(Box<Frame>, Sender<()>),
    Done(thread::Result<Result<T, Error>>),
}

/// The interval between checks of signals.
const SIGNALS: Duration = Duration::from_millis(50);

/// How long stopped work may take to remove what it has begun, and classes to end their calls.
const GRACE: Duration = Duration::from_millis(400);

/// The interval between requests that classes end their calls: they may suppress an exception.
const AGAIN: Duration = Duration::from_millis(100);

/// Runs `work` on a separate thread, without the interpreter. About every 50 ms it checks signals
/// and calls `callback` with `(phase, requests, fraction)`. If either raises, the work is stopped
/// and the exception is raised here, after [`GRACE`] at the latest. Work that waits for a pipe or
/// is in a long batch is abandoned; it ends at its next report of progress. A panic becomes an
/// `InternalError`, and the interpreter survives.
pub fn with_progress<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(Watch<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    with_classes(py, callback, &Faults::default(), work)
}

/// [`with_progress`] of work that calls classes written in Python: stopping it ends their calls.
pub fn with_classes<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    faults: &Faults,
    work: impl FnOnce(Watch<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    with_frames(py, callback, None, faults, |watch, _| work(watch))
}

/// [`with_classes`] of work that also shows frames: `shown` is called with each, and the work waits
/// for it.
pub fn with_frames<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    shown: Option<Py<PyAny>>,
    faults: &Faults,
    work: impl FnOnce(Watch<'_>, Show<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    quiet_panics();
    let (tell, mut told) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let work = move || {
        let mut watch = |progress| {
            // Sending fails once the work has been abandoned.
            let listened = tell.send(Told::Progress(progress)).is_ok();
            let go_on = listened && !stopped.load(Ordering::Relaxed);
            if go_on { Ok(()) } else { Err(Error::Interrupted) }
        };
        let mut show = |frame| {
            // An exception there, or abandoned work, closes the answer.
            let (done, answer) = channel();
            let _ = tell.send(Told::Frame(Box::new(frame), done));
            answer.recv().map_err(|_| Error::Interrupted)
        };
        let done = catch_unwind(AssertUnwindSafe(|| work(&mut watch, &mut show)));
        let _ = tell.send(Told::Done(done));
    };
    thread::Builder::new().spawn(work).map_err(|_| raise(Error::no_thread()))?;
    let raised = loop {
        let next = listen(py, &mut told, SIGNALS);
        let asked = match next {
            Ok(Told::Done(done)) => {
                // An input may have ended because its writer got the same signal; then no result is
                // returned.
                py.check_signals()?;
                let failed = |panic: Box<dyn Any + Send>| {
                    InternalError::new_err(panic_message(panic.as_ref()))
                };
                return done.map_err(failed)?.map_err(raise);
            }
            Ok(Told::Progress(progress)) => report(py, callback.as_ref(), progress),
            Ok(Told::Frame(frame, done)) => show(py, shown.as_ref(), &frame).map(|()| {
                let _ = done.send(());
            }),
            Err(_) => look_up(py),
        };
        if let Err(error) = asked {
            break error;
        }
    };
    stop.store(true, Ordering::Relaxed);
    let start = Instant::now();
    while let Some(left) = GRACE.checked_sub(start.elapsed()) {
        faults.calls().stop(py);
        let next = listen(py, &mut told, left.min(AGAIN));
        if matches!(next, Ok(Told::Done(_)) | Err(RecvTimeoutError::Disconnected)) {
            break;
        }
    }
    Err(raised)
}

/// Raises the exceptions of signals, and those that another thread has set for this one.
fn look_up(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    py.run(c"None", None, None)
}

/// Waits without the interpreter.
fn listen<T: Send>(
    py: Python<'_>,
    told: &mut Receiver<Told<T>>,
    wait: Duration,
) -> Result<Told<T>, RecvTimeoutError> {
    py.detach(move || told.recv_timeout(wait))
}

fn report(py: Python<'_>, callback: Option<&Py<PyAny>>, progress: Progress) -> PyResult<()> {
    look_up(py)?;
    if let Some(callback) = callback {
        callback.call1(py, (progress.phase, progress.requests, progress.fraction))?;
    }
    Ok(())
}

fn show(py: Python<'_>, callback: Option<&Py<PyAny>>, frame: &Frame) -> PyResult<()> {
    py.check_signals()?;
    if let Some(callback) = callback {
        callback.call1(py, (frames::frame(py, frame)?,))?;
    }
    Ok(())
}

/// Turns panics into exceptions of one line, without a message on standard error.
pub fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(|_| {})));
}
