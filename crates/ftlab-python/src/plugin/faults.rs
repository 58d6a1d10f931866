//! What Python code raised inside a run, on its way out.

pub use crate::border::{RuleError, TooSmall};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// The first exception of a run. The core knows no Python, so that a panic goes through it in its place.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Option<PyErr>>>);

impl Faults {
    /// Runs Python code inside the core.
    ///
    /// # Panics
    /// When it raises; the exception is kept.
    pub fn run<T>(&self, code: impl for<'py> FnOnce(Python<'py>) -> PyResult<T>) -> T {
        let answer = Python::attach(|py| code(py).map_err(|error| self.keep(py, error)));
        answer.unwrap_or_else(|message| panic!("{message}"))
    }

    /// Keeps an exception and says what it is, in one line.
    pub fn keep(&self, py: Python<'_>, error: PyErr) -> String {
        let text = error.value(py).to_string();
        let message = match error.is_instance_of::<RuleError>(py) {
            true => text,
            false => {
                let kind = error.get_type(py).name().map(|name| name.to_string());
                format!("{}: {text}", kind.unwrap_or_default())
            }
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        message
    }

    /// The exception that was kept, if any.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The exception that was kept, with a note that says in which run it was; `error` if there is none.
    pub fn instead_of(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let Some(kept) = self.take() else { return error };
        let told = error.value(py).to_string();
        if let Some((place, _)) = told.split_once(": ").filter(|(place, _)| place.contains(" at "))
        {
            // An exception without notes is no less true.
            let _ = kept.value(py).call_method1("add_note", (format!("in {place}"),));
        }
        kept
    }
}
