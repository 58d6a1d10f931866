//! Files and folders of Python, written by the core.

use crate::border::{os_error, raise};
use ftlab::Error;
use ftlab::files::{self, Partial, Place, WholeFile};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The Python exception of an error: an `OSError` for an error of the system.
fn refused(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::Io { source, .. } => os_error(py, &source),
        other => raise(other),
    }
}

/// Writes a file that appears whole or not at all. `place` is `named` for the target of the name,
/// `entry` to replace the name itself, or `new` to require that nothing has the name.
#[pyfunction]
pub fn write_file(py: Python<'_>, path: PathBuf, data: PyBackedBytes, place: &str) -> PyResult<()> {
    let place = match place {
        "named" => Place::Named,
        "entry" => Place::Entry,
        "new" => Place::New,
        _ => return Err(PyValueError::new_err("found no place, expected named, entry or new")),
    };
    let written = py.detach(|| {
        let mut file = WholeFile::at(&path, place)?;
        let written = file.write_all(&data);
        written.map_err(|source| Error::Io { path: path.clone(), source })?;
        file.finish()
    });
    written.map_err(|error| refused(py, error))
}

/// A hidden folder next to a name, in which to write its content. It is removed when the process
/// ends, or earlier.
#[pyclass(frozen, module = "ftlab._core")]
pub struct Workplace {
    path: PathBuf,
    held: Mutex<Option<Partial>>,
}

#[pymethods]
impl Workplace {
    #[new]
    fn new(py: Python<'_>, target: PathBuf) -> PyResult<Self> {
        let partial = py.detach(|| Partial::folder(&target)).map_err(|error| refused(py, error))?;
        Ok(Workplace { path: partial.path().to_owned(), held: Mutex::new(Some(partial)) })
    }

    /// The path of the folder.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Removes the folder with its content.
    fn remove(&self, py: Python<'_>) {
        py.detach(|| drop(self.held.lock().unwrap_or_else(PoisonError::into_inner).take()));
    }
}

/// Removes what killed writers of `name`, or of any name, left in a folder.
#[pyfunction]
#[pyo3(signature = (folder, name=None))]
pub fn sweep(py: Python<'_>, folder: PathBuf, name: Option<OsString>) {
    py.detach(|| files::sweep(&folder, name.as_deref()));
}

/// Removes all that this process has begun to write and not finished; it can begin nothing
/// afterwards.
#[pyfunction]
pub fn remove_unfinished(py: Python<'_>) {
    py.detach(files::remove_unfinished);
}
