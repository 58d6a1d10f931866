//! Exceptions that Python code raised inside a run.

use super::Calls;
use crate::border::InternalError;
pub use crate::border::{RuleError, TooSmall};
use ftlab::Error;
use pyo3::call::PyCallArgs;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// The exceptions of a run, each with the message that passes through the core in its place: the
/// core does not use Python.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    kept: Arc<Mutex<Vec<(String, PyErr)>>>,
    calls: Arc<Calls>,
}

impl Faults {
    /// The calls of the run.
    pub fn calls(&self) -> &Arc<Calls> {
        &self.calls
    }

    /// Runs Python code inside the core.
    ///
    /// # Panics
    /// When it raises; the exception is kept.
    pub fn run<T>(&self, code: impl for<'py> FnOnce(Python<'py>) -> PyResult<T>) -> T {
        self.attempt(code).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs Python code that builds something.
    ///
    /// # Errors
    /// When it raises; the exception is kept. A device that is too small for a class is an invalid
    /// configuration.
    pub fn attempt<T>(
        &self,
        code: impl for<'py> FnOnce(Python<'py>) -> PyResult<T>,
    ) -> Result<T, Error> {
        Python::attach(|py| {
            self.calls.run(py, || code(py)).map_err(|error| {
                match error.is_instance_of::<TooSmall>(py) {
                    true => Error::config("device.blocks", error.value(py).to_string()),
                    false => Error::Internal(self.keep(py, error)),
                }
            })
        })
    }

    /// Keeps an exception and returns a description in one line.
    fn keep(&self, py: Python<'_>, error: PyErr) -> String {
        let error = blamed(py, error);
        let text = error.value(py).to_string();
        let message = match error.is_instance_of::<RuleError>(py) {
            true => text,
            false => {
                let kind = error.get_type(py).name().map(|name| name.to_string());
                format!("{}: {text}", kind.unwrap_or_default())
            }
        };
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push((message.clone(), error));
        message
    }

    /// The exception that the core's message `told` names, or else the first one; all are cleared.
    pub fn take(&self, told: &str) -> Option<PyErr> {
        let kept = self.clear();
        let place = kept.iter().position(|(message, _)| told.contains(message));
        kept.into_iter().nth(place.unwrap_or(0)).map(|(_, error)| error)
    }

    /// Clears all exceptions and returns them.
    pub fn clear(&self) -> Vec<(String, PyErr)> {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The exception that the core's message names, with a note that names the run. It is `error`
    /// if there is none, or if it only reports that the run was stopped.
    pub fn instead_of(&self, py: Python<'_>, error: PyErr) -> PyErr {
        if !error.is_instance_of::<InternalError>(py) {
            return error;
        }
        let told = error.value(py).to_string();
        let Some(kept) = self.take(&told) else { return error };
        if let Some((place, _)) = told.split_once(": ").filter(|(place, _)| place.contains(" at "))
        {
            // An exception without notes is still valid.
            let _ = kept.value(py).call_method1("add_note", (format!("in {place}"),));
        }
        kept
    }
}

/// The text that `ftlab.blame` returns.
fn said<'py>(
    py: Python<'py>,
    function: &str,
    arguments: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("ftlab.blame")?.call_method1(function, arguments)
}

/// The exception raised in place of one from a class.
fn blamed(py: Python<'_>, error: PyErr) -> PyErr {
    let raised = error.clone_ref(py).into_value(py);
    said(py, "blamed", (raised,)).map_or(error, PyErr::from_value)
}

/// The exception for an invalid answer of a method, or the one raised in its call.
pub fn refused(method: &Bound<'_, PyAny>, found: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let told = said(method.py(), "refused", (method, found, expected));
    told.map_or_else(|error| error, PyErr::from_value)
}

/// An attribute of an object, or `default` where there is none.
pub fn attribute<'py, T: FromPyObjectOwned<'py>>(
    object: &Bound<'py, PyAny>,
    name: &str,
    default: T,
    expected: &str,
) -> PyResult<T> {
    let Some(found) = object.getattr_opt(name)?.filter(|found| !found.is_none()) else {
        return Ok(default);
    };
    found.extract().map_err(|_| {
        let told = said(object.py(), "unfit", (&found, object, name, expected));
        told.map_or_else(|error| error, PyErr::from_value)
    })
}

/// An exception with a note that gives the place of a method.
pub fn placed(method: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = method.py();
    let raised = error.clone_ref(py).into_value(py);
    said(py, "placed", (method, raised)).map_or(error, PyErr::from_value)
}

/// A value as messages show it.
pub fn written(value: &Bound<'_, PyAny>) -> String {
    let text = said(value.py(), "written", (value,)).and_then(|text| text.extract());
    text.unwrap_or_default()
}
