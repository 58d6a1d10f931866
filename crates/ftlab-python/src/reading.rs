//! What runs share, held by Python between them: a reading of an input, and a warm-up.

use ftlab::session;
use pyo3::prelude::*;
use std::sync::Arc;

/// An input that is decoded once for all calls of `simulate` that are given it. The first one opens it.
#[pyclass(module = "ftlab._core", frozen)]
#[derive(Default)]
pub struct Reading(pub Arc<session::Reading>);

#[pymethods]
impl Reading {
    #[new]
    fn new() -> Self {
        Self::default()
    }
}

/// A warm-up that `runs` calls of `simulate` share. Each of these runs one point, and all points
/// have one `warmup_key`. The first call does it; what it leaves is dropped after the last one.
#[pyclass(module = "ftlab._core", frozen)]
pub struct SharedWarmup(pub Arc<session::SharedWarmup>);

#[pymethods]
impl SharedWarmup {
    #[new]
    fn new(runs: usize) -> Self {
        SharedWarmup(Arc::new(session::SharedWarmup::of(runs)))
    }

    /// Time that the warm-up took, s; 0 if it was not done or could not be shared.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.shares().seconds
    }

    /// Whether no run has to wait for another one.
    #[getter]
    fn ready(&self) -> bool {
        self.0.is_ready()
    }

    /// Runs that went on from copies.
    #[getter]
    fn shared(&self) -> usize {
        self.0.shares().runs
    }
}
