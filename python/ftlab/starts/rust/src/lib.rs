//! The core of ftlab with another FTL in its catalogue, as a Python module.

pub mod ftl;

use ftlab::catalog::Catalog;
use pyo3::prelude::*;

#[pymodule]
fn ftlab_hotcold(module: &Bound<'_, PyModule>) -> PyResult<()> {
    ftlab_python::register(module, || Catalog::standard().with::<ftl::HotCold>())
}
