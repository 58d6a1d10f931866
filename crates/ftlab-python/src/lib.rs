//! The module `ftlab._core`.
use pyo3::prelude::*;

/// The compiled core of ftlab.
#[pymodule]
mod _core {}
