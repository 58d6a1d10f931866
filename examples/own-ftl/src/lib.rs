//! The core of ftlab with DAC in its catalogue, as a Python module.

pub mod dac;

use ftlab::catalog::Catalog;
use pyo3::prelude::*;

#[pymodule]
fn _dac(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ftlab_python::register(module, || Catalog::standard().with::<dac::Dac>())
}
