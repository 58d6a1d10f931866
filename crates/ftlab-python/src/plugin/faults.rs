//! What Python code raised inside a run, on its way out.

pub use crate::border::{RuleError, TooSmall};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// The exceptions of a run, each behind the message that goes through the core in its place: the core knows no
/// Python.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Vec<(String, PyErr)>>>);

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
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((message.clone(), error));
        message
    }

    /// The first exception of which the core tells, or else the first; all are forgotten.
    pub fn take(&self, told: &str) -> Option<PyErr> {
        let kept = self.clear();
        let place = kept.iter().position(|(message, _)| told.contains(message));
        kept.into_iter().nth(place.unwrap_or(0)).map(|(_, error)| error)
    }

    /// Forgets all exceptions; returns them.
    pub fn clear(&self) -> Vec<(String, PyErr)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The exception of which the core tells, with a note that says in which run it was; `error` if there is
    /// none.
    pub fn instead_of(&self, py: Python<'_>, error: PyErr) -> PyErr {
        let told = error.value(py).to_string();
        let Some(kept) = self.take(&told) else { return error };
        if let Some((place, _)) = told.split_once(": ").filter(|(place, _)| place.contains(" at "))
        {
            // An exception without notes is no less true.
            let _ = kept.value(py).call_method1("add_note", (format!("in {place}"),));
        }
        kept
    }
}
