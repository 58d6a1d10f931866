//! Live devices: a server that works without the interpreter until it is stopped.

use crate::border::{catalog, configuration, raise, tree, with_progress};
use ftlab_serve::hint::Hint;
use ftlab_serve::live::{self, Opening};
use ftlab_serve::server::{Server as Serving, Serving as How};
use ftlab_serve::stream::Address;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;

/// A device that is served until `stop`.
#[pyclass(frozen, module = "ftlab._core")]
pub struct Server(Mutex<Serving>);

#[pymethods]
impl Server {
    /// Serves an image, which is made from a configuration (JSON) and the name of an FTL if there is none, on a
    /// socket with this path or on a `host:port`.
    #[new]
    #[pyo3(signature = (config, ftl, image, socket, tcp=false, metrics=None, paced=false, record=None, hint=None))]
    #[allow(clippy::too_many_arguments, reason = "each is an option of the command")]
    fn new(
        py: Python<'_>,
        config: &str,
        ftl: Option<String>,
        image: PathBuf,
        socket: String,
        tcp: bool,
        metrics: Option<PathBuf>,
        paced: bool,
        record: Option<PathBuf>,
        hint: Option<&str>,
    ) -> PyResult<Self> {
        let hint = hint.map(Hint::parse).transpose().map_err(raise)?;
        let opening = Opening { image, settings: tree(config)?, ftl, paced, record, hint };
        let address = if tcp { Address::Tcp(socket) } else { Address::Path(socket.into()) };
        let how = How { address, metrics, paced };
        let served = with_progress(py, None, move |_| {
            let sockets = how.listen()?;
            Serving::start(opening.open(catalog())?, sockets)
        })?;
        Ok(Server(Mutex::new(served)))
    }

    /// Whether nothing has broken the device.
    fn is_fine(&self, py: Python<'_>) -> bool {
        py.detach(|| self.lock().is_fine())
    }

    /// What the device is and what mounting it has cost, as JSON.
    fn opened(&self, py: Python<'_>) -> String {
        let told = py.detach(|| self.lock().with(|live| live.opened()));
        serde_json::to_string(&told).expect("a report serialises")
    }

    /// The figures, in the text format of Prometheus.
    fn figures(&self, py: Python<'_>) -> String {
        py.detach(|| self.lock().figures())
    }

    /// Ends the session; returns its result as JSON.
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        let report = py.detach(|| self.lock().stop()).map_err(raise)?;
        Ok(serde_json::to_string(&report).expect("a report serialises"))
    }
}

impl Server {
    fn lock(&self) -> std::sync::MutexGuard<'_, Serving> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Looks at an image that nobody serves; returns what is in it as JSON.
#[pyfunction]
pub fn fsck(py: Python<'_>, image: PathBuf) -> PyResult<String> {
    let report = with_progress(py, None, move |_| live::fsck(catalog(), &image))?;
    Ok(serde_json::to_string(&report).expect("a report serialises"))
}

/// Runs the recorded session that a configuration (JSON) names once more; returns its result as JSON.
#[pyfunction]
#[pyo3(signature = (config, ftl, progress=None))]
pub fn replay(
    py: Python<'_>,
    config: &str,
    ftl: String,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let config = configuration(config)?;
    let report = with_progress(py, progress, move |watch| {
        ftlab_serve::replay(catalog(), &config, &ftl, watch)
    })?;
    Ok(serde_json::to_string(&report).expect("a report serialises"))
}
