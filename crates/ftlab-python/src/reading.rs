//! A reading of an input, held by Python between runs.

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
