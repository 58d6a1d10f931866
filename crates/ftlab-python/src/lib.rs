//! The module `ftlab._core`: JSON in, JSON out. Convert, release the interpreter, call, convert back.

mod border;
mod catalog;

/// The compiled core of ftlab.
#[pyo3::pymodule]
mod _core {
    use crate::border::{configuration, raise, tree, with_progress};
    use ftlab::mapping_curve as curve;
    use ftlab::model::translation::Prediction;
    use ftlab::request::Op;
    use ftlab::session::{self, Point};
    use numpy::{IntoPyArray, ToPyArray};
    use pyo3::prelude::*;
    use pyo3::types::PyDict;
    use std::path::Path;

    #[pymodule_export]
    use crate::border::{ConfigError, FtlabError, InternalError, Interrupted, TraceError};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Everything that can be named, as JSON: FTLs, presets, formats, profiles, patterns, write
    /// buffers, policies, metrics.
    #[pyfunction]
    fn catalog() -> String {
        crate::catalog::json()
    }

    /// The configuration (JSON) with every default filled in, as JSON.
    #[pyfunction]
    fn resolve(config: &str) -> PyResult<String> {
        let config = configuration(config)?;
        Ok(serde_json::to_string(&config).expect("a configuration serialises"))
    }

    /// What TPFTL's models predict from parameters (JSON), as JSON `{"parameters": ..., "paper": ...,
    /// "merged": ..., "measured": null}`.
    #[pyfunction]
    fn model_translation(parameters: &str) -> PyResult<String> {
        let prediction = Prediction::of_parameters(tree(parameters)?).map_err(raise)?;
        Ok(serde_json::to_string(&prediction).expect("a prediction serialises"))
    }

    /// The same from the result of a run (JSON), with what the run measured.
    #[pyfunction]
    fn model_translation_of(result: &str) -> PyResult<String> {
        let prediction = Prediction::of_result(&tree(result)?.into()).map_err(raise)?;
        Ok(serde_json::to_string(&prediction).expect("a prediction serialises"))
    }

    /// Runs points, pairs of a configuration (JSON) and the name of an FTL, over one reading of the
    /// input that all of them name. Returns a JSON list of results.
    #[pyfunction]
    #[pyo3(signature = (points, progress=None))]
    fn simulate(
        py: Python<'_>,
        points: Vec<(String, String)>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let points = points
            .into_iter()
            .map(|(config, ftl)| Ok(Point { config: configuration(&config)?, ftl }))
            .collect::<PyResult<Vec<_>>>()?;
        let reports = with_progress(py, progress, |watch| session::run_points(&points, watch))?;
        Ok(serde_json::to_string(&reports).expect("a report serialises"))
    }

    /// Statistics of the configured input, as JSON `{"trace": ..., "info": ...}`.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn trace_info(py: Python<'_>, config: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
        let config = configuration(config)?;
        let (trace, info) =
            with_progress(py, progress, |watch| session::trace_info(&config, watch))?;
        let both = serde_json::json!({ "trace": trace, "info": info });
        Ok(both.to_string())
    }

    /// The model fitted to the configured input, as TOML.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn fit(py: Python<'_>, config: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
        let config = configuration(config)?;
        let model = with_progress(py, progress, |watch| session::fit(&config, watch))?;
        Ok(model.to_string())
    }

    /// What the configured input is like, as JSON `{"trace": ..., "info": ...}`: the statistics, and
    /// what requests and accesses to pages of the device are like.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn trace_characteristics(
        py: Python<'_>,
        config: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let config = configuration(config)?;
        let (trace, info) =
            with_progress(py, progress, |watch| session::characteristics(&config, watch))?;
        let both = serde_json::json!({ "trace": trace, "info": info });
        Ok(both.to_string())
    }

    /// What LRU mapping caches hit, in one pass over the configured input: `name`, `format`,
    /// `page_bytes`, `accesses`, `pages`, `pages_per_sample`, and `hits` of caches of 0, 1, 2, ... times
    /// `pages_per_sample` entries as an array.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn mapping_curve<'py>(
        py: Python<'py>,
        config: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let config = configuration(config)?;
        let found = with_progress(py, progress, |watch| curve::mapping_curve(&config, watch))?;
        let answer = PyDict::new(py);
        answer.set_item("name", found.name)?;
        answer.set_item("format", found.format)?;
        answer.set_item("page_bytes", found.page_bytes)?;
        answer.set_item("accesses", found.curve.accesses())?;
        answer.set_item("pages", found.curve.pages())?;
        answer.set_item("pages_per_sample", found.curve.step())?;
        answer.set_item("hits", found.curve.hits().to_pyarray(py))?;
        Ok(answer)
    }

    /// Writes the configured input to a file, in a format that it names or `to` does. Returns JSON.
    #[pyfunction]
    #[pyo3(signature = (config, output, to=None, progress=None))]
    fn convert(
        py: Python<'_>,
        config: &str,
        output: &str,
        to: Option<&str>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let config = configuration(config)?;
        let written =
            with_progress(py, progress, |watch| session::convert(&config, output, to, watch))?;
        Ok(serde_json::to_string(&written).expect("a report serialises"))
    }

    /// Writes each volume of the configured input to a file in a new folder. Returns a JSON list.
    #[pyfunction]
    #[pyo3(signature = (config, folder, progress=None))]
    fn split(
        py: Python<'_>,
        config: &str,
        folder: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let config = configuration(config)?;
        let parts =
            with_progress(py, progress, |watch| session::split(&config, Path::new(folder), watch))?;
        Ok(serde_json::to_string(&parts).expect("a report serialises"))
    }

    /// The requests of the configured input as arrays `time_ns, volume, offset, length, op`.
    #[pyfunction]
    #[pyo3(signature = (config, limit=None))]
    fn trace_columns<'py>(
        py: Python<'py>,
        config: &str,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let config = configuration(config)?;
        let limit = limit.unwrap_or(usize::MAX);
        let requests = with_progress(py, None, |watch| session::requests(&config, limit, watch))?;
        let columns = PyDict::new(py);
        macro_rules! column {
            ($name:literal, $field:expr) => {
                let values: Vec<_> = requests.iter().map($field).collect();
                columns.set_item($name, values.into_pyarray(py))?;
            };
        }
        column!("time_ns", |request| request.time);
        column!("volume", |request| request.volume);
        column!("offset", |request| request.offset);
        column!("length", |request| request.length);
        column!("op", |request| match request.op {
            Op::Read => 0_u8,
            Op::Write => 1,
            Op::Trim => 2,
        });
        Ok(columns)
    }
}
