//! The module `ftlab._core`: JSON in, JSON out. Convert, release the interpreter, call, convert back.
//!
//! A package with custom FTLs is also such a core, with a longer catalogue. Its module calls
//! [`register`], and its entry point in the group `ftlab.cores` names the module. The command line
//! and the Python interface then find it.

mod arrays;
mod border;
mod catalog;
mod check;
mod files;
mod frames;
mod live;
mod plugin;
mod reading;

pub use functions::register;

/// Asks the system for huge pages, in which the tables of large devices are found faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The compiled core of ftlab.
#[pyo3::pymodule]
mod _core {
    use ftlab::catalog::Catalog;
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::border::defined::{
        ConfigError, FileError, FtlabError, InternalError, Interrupted, ResourceError, RuleError,
        TooSmall, TraceError,
    };

    #[pymodule_export]
    use crate::files::Workplace;

    #[pymodule_export]
    use crate::plugin::{DeviceInfo, LentFlash, PageFeatures, RequestMeta, TranslationPage};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::register(module, Catalog::standard)
    }
}

mod functions {
    use crate::arrays::array;
    use crate::border::{
        catalog as known, configuration, offer, raise, tree, with_classes, with_frames,
        with_progress,
    };
    use crate::files::{remove_unfinished, sweep, write_file};
    use crate::live::{Server, fsck, replay};
    use crate::plugin::{self, Faults, stop_classes};
    use crate::reading::{Reading, SharedWarmup};
    use ftlab::Error;
    use ftlab::catalog::{Catalog, IS_QUICK};
    use ftlab::crash::{self as crashes, Plan};
    use ftlab::drive::Watch;
    use ftlab::figures::Metric;
    use ftlab::laws::LAWS;
    use ftlab::mapping_curve as curve;
    use ftlab::model::{capacity, collection, separation, translation::Prediction};
    use ftlab::report::Report;
    use ftlab::session::{self, Point};
    use ftlab::trace::{Shard, Stripes};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::PyDict;
    use serde::Serialize;
    use std::path::PathBuf;
    use std::sync::Arc;

    /// Makes a module a core that runs the FTLs of a catalogue. The module has all functions of
    /// `ftlab._core` and raises its exceptions. It states its version and its [build](IS_QUICK).
    ///
    /// The module of a package may have any name except `_core`, which is this one.
    ///
    /// # Errors
    /// Those of Python, if an attribute cannot be added.
    pub fn register(module: &Bound<'_, PyModule>, offered: fn() -> Catalog) -> PyResult<()> {
        offer(offered);
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PROFILE", if IS_QUICK { "quick" } else { "full" })?;
        macro_rules! add {
            ($($function:ident),*) => {
                $(module.add_function(wrap_pyfunction!($function, module)?)?;)*
            };
        }
        add!(
            catalog,
            metrics,
            resolve,
            check_obeyed,
            crash,
            endurance,
            model_capacity,
            model_gc,
            model_separation,
            model_translation,
            model_translation_of,
            available_cores,
            is_generated,
            memory,
            open_devices,
            open_input,
            simulate,
            sized_by,
            warmup_key,
            watch,
            log,
            trace_info,
            trace_parts,
            job_schemes,
            fit
        );
        // A process that ends leaves no incomplete file, even if a thread was abandoned.
        let last = wrap_pyfunction!(remove_unfinished, module)?;
        module.py().import("atexit")?.call_method1("register", (&last,))?;
        module.add_function(last)?;
        module.add_class::<Reading>()?;
        module.add_class::<SharedWarmup>()?;
        module.add_class::<Server>()?;
        add!(
            fsck,
            replay,
            trace_characteristics,
            mapping_curve,
            convert,
            split,
            trace_columns,
            check,
            stop_classes,
            sweep,
            write_file
        );
        Ok(())
    }

    /// Everything that can be named, as JSON: FTLs, presets, formats, profiles, patterns, write
    /// buffers, policies, metrics.
    #[pyfunction]
    fn catalog() -> String {
        crate::catalog::json(known())
    }

    /// The metrics of a result, as JSON: those of the catalogue, without the rest.
    #[pyfunction]
    fn metrics() -> String {
        serde_json::to_string(&Metric::all::<Report>()).expect("metrics serialise")
    }

    /// The configuration (JSON) with every default filled in, as JSON. `plugins` are the objects
    /// written in Python that it names.
    #[pyfunction]
    #[pyo3(signature = (config, plugins=Vec::new()))]
    fn resolve(config: &str, plugins: Vec<Bound<'_, PyAny>>) -> PyResult<String> {
        let catalog = plugin::catalog(&plugins, &Faults::default())?;
        let config = catalog.resolve(&tree(config)?).map_err(raise)?;
        Ok(serde_json::to_string(&config).expect("a configuration serialises"))
    }

    /// The capacity of the device in bytes, where the input of a configuration (JSON) depends on it.
    #[pyfunction]
    #[pyo3(signature = (config, plugins=Vec::new()))]
    fn sized_by(config: &str, plugins: Vec<Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
        let catalog = plugin::catalog(&plugins, &Faults::default())?;
        let config = catalog.resolve(&tree(config)?).map_err(raise)?;
        Ok(session::sized_by(&config).map(|capacity| capacity.0))
    }

    /// Raises for a configuration (JSON) with a setting that none of the FTLs uses.
    #[pyfunction]
    fn check_obeyed(config: &str, ftls: Vec<String>) -> PyResult<()> {
        let ftls: Vec<&str> = ftls.iter().map(String::as_str).collect();
        known().check_obeyed(&tree(config)?, &ftls).map_err(raise)
    }

    /// The physical capacity of a drive, from measurements (JSON), as JSON `{"parameters": ..., "fits": [...]}`.
    #[pyfunction]
    fn model_capacity(parameters: &str) -> PyResult<String> {
        let prediction = capacity::Prediction::of(tree(parameters)?).map_err(raise)?;
        Ok(serde_json::to_string(&prediction).expect("a prediction serialises"))
    }

    /// The predictions of theory for garbage collection from parameters (JSON), as JSON
    /// `{"parameters": ..., "least": ..., "most": ...}`.
    #[pyfunction]
    fn model_gc(parameters: &str) -> PyResult<String> {
        let prediction = collection::Prediction::of(tree(parameters)?).map_err(raise)?;
        Ok(serde_json::to_string(&prediction).expect("a prediction serialises"))
    }

    /// The lowest write amplification with separation by frequency, from parameters (JSON), as JSON
    /// `{"parameters": ..., "write_amplification": ...}`.
    #[pyfunction]
    fn model_separation(parameters: &str) -> PyResult<String> {
        let prediction = separation::Prediction::of(tree(parameters)?).map_err(raise)?;
        Ok(serde_json::to_string(&prediction).expect("a prediction serialises"))
    }

    /// The predictions of TPFTL's models from parameters (JSON), as JSON
    /// `{"parameters": ..., "paper": ..., "merged": ..., "measured": null}`.
    #[pyfunction]
    fn model_translation(parameters: &str) -> PyResult<String> {
        let prediction = Prediction::of_parameters(tree(parameters)?).map_err(raise)?;
        Ok(serde_json::to_string(&prediction).expect("a prediction serialises"))
    }

    /// The same from the result of a run (JSON), including the measured values.
    #[pyfunction]
    fn model_translation_of(result: &str) -> PyResult<String> {
        let prediction = Prediction::of_result(&tree(result)?.into()).map_err(raise)?;
        Ok(serde_json::to_string(&prediction).expect("a prediction serialises"))
    }

    /// A point, given as a configuration (JSON) and the name of an FTL.
    fn resolved(catalog: &Catalog, (config, ftl): (String, String)) -> PyResult<Point> {
        Ok(Point { config: catalog.resolve(&tree(&config)?).map_err(raise)?, ftl })
    }

    /// Runs `work` on a point whose FTL a catalogue with plug-ins knows. Returns the result as
    /// JSON.
    fn of_point<T: Serialize + Send + 'static>(
        py: Python<'_>,
        point: (String, String),
        progress: Option<Py<PyAny>>,
        plugins: &[Bound<'_, PyAny>],
        work: impl FnOnce(&Catalog, &Point, Watch<'_>) -> Result<T, Error> + Send + 'static,
    ) -> PyResult<String> {
        let faults = Faults::default();
        let catalog = plugin::catalog(plugins, &faults)?;
        let point = resolved(&catalog, point)?;
        let done = with_classes(py, progress, &faults, move |watch| work(&catalog, &point, watch))
            .map_err(|error| faults.instead_of(py, error))?;
        Ok(serde_json::to_string(&done).expect("a report serialises"))
    }

    /// Runs points over one reading of the input that all of them name. A point is a pair of a
    /// configuration (JSON) and the name of an FTL. `plugins` are the objects written in Python
    /// that the points name. Calls with the same `reading` share it. Calls of one point with the
    /// same `warmup` share that, too. Returns a JSON list of results.
    #[pyfunction]
    #[pyo3(signature = (points, progress=None, plugins=Vec::new(), reading=None, warmup=None))]
    fn simulate(
        py: Python<'_>,
        points: Vec<(String, String)>,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
        reading: Option<Bound<'_, Reading>>,
        warmup: Option<Bound<'_, SharedWarmup>>,
    ) -> PyResult<String> {
        let warmup = warmup.map(|shared| Arc::clone(&shared.get().0));
        let reading = reading.map_or_else(Arc::default, |shared| Arc::clone(&shared.get().0));
        let faults = Faults::default();
        let catalog = plugin::catalog(&plugins, &faults)?;
        let points = points
            .into_iter()
            .map(|point| resolved(&catalog, point))
            .collect::<PyResult<Vec<_>>>()?;
        let reports =
            with_classes(py, progress, &faults, move |watch| match (&warmup, points.as_slice()) {
                (Some(warmup), [point]) => {
                    session::run_sharing(&reading, warmup, &catalog, point, watch)
                }
                _ => session::run_points_over(&reading, &catalog, &points, watch),
            })
            .map_err(|error| faults.instead_of(py, error))?;
        Ok(serde_json::to_string(&reports).expect("a report serialises"))
    }

    /// What decides the state after the warm-up of a point, a configuration (JSON) and the name of
    /// an FTL, as JSON. `None` without a warm-up.
    #[pyfunction]
    fn warmup_key(point: (String, String)) -> PyResult<Option<String>> {
        let Point { config, ftl } = resolved(known(), point)?;
        let entry = known().find(&ftl).map_err(raise)?;
        Ok(config.run.warmup.plan().next().map(|_| {
            let config = entry.adapted(&config).before_measuring();
            serde_json::to_string(&(ftl, config)).expect("a configuration serialises")
        }))
    }

    /// Whether the requests of a configuration (JSON) are generated, and read from no trace.
    #[pyfunction]
    fn is_generated(config: &str) -> PyResult<bool> {
        session::is_generated(&configuration(config)?).map_err(raise)
    }

    /// Most memory that the simulation of a point takes, a configuration (JSON) and the name of an
    /// FTL, in bytes. `None` where that is not known before its input is measured.
    #[pyfunction]
    #[pyo3(signature = (point, plugins=Vec::new()))]
    fn memory(point: (String, String), plugins: Vec<Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
        let catalog = plugin::catalog(&plugins, &Faults::default())?;
        let point = resolved(&catalog, point)?;
        session::memory(&catalog, &point).map_err(raise)
    }

    /// How many simulations this process may run at a time: the cores that the system gives it.
    #[pyfunction]
    fn available_cores() -> usize {
        session::available_cores()
    }

    /// Opens and measures the input of a configuration (JSON), for all runs over `reading`.
    #[pyfunction]
    #[pyo3(signature = (reading, config, progress=None, plugins=Vec::new()))]
    fn open_input(
        py: Python<'_>,
        reading: Bound<'_, Reading>,
        config: &str,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let reading = Arc::clone(&reading.get().0);
        let faults = Faults::default();
        let catalog = plugin::catalog(&plugins, &faults)?;
        let config = catalog.resolve(&tree(config)?).map_err(raise)?;
        with_classes(py, progress, &faults, move |watch| reading.open(&config, watch))
            .map_err(|error| faults.instead_of(py, error))
    }

    /// Opens the input of a configuration (JSON) for devices of an array, pairs of `input.shard` and
    /// the reading of all runs of the device. One pass keeps the requests of as many as fit into
    /// `room` bytes. Returns how many are open, from the first on.
    #[pyfunction]
    #[pyo3(signature = (devices, config, room, progress=None, plugins=Vec::new()))]
    fn open_devices(
        py: Python<'_>,
        devices: Vec<(String, Bound<'_, Reading>)>,
        config: &str,
        room: usize,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let device = |(shard, reading): (String, Bound<'_, Reading>)| {
            Ok((Shard::try_from(shard)?, Arc::clone(&reading.get().0)))
        };
        let devices: Vec<_> = devices
            .into_iter()
            .map(device)
            .collect::<Result<_, String>>()
            .map_err(|message| raise(Error::config("input.shard", message)))?;
        let faults = Faults::default();
        let catalog = plugin::catalog(&plugins, &faults)?;
        let config = catalog.resolve(&tree(config)?).map_err(raise)?;
        with_classes(py, progress, &faults, move |watch| {
            session::open_devices(&devices, &config, room, watch)
        })
        .map_err(|error| faults.instead_of(py, error))
    }

    /// Cuts the power of a point, a configuration (JSON) and the name of an FTL, `cuts` times at
    /// random, or once `at` a place (JSON). Returns the result as JSON.
    #[pyfunction]
    #[pyo3(signature = (point, cuts, at=None, progress=None, plugins=Vec::new()))]
    fn crash(
        py: Python<'_>,
        point: (String, String),
        cuts: u64,
        at: Option<&str>,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let one = at.map(serde_json::from_str).transpose();
        let one = one.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let plan = one.map_or(Plan::Random(cuts), Plan::One);
        of_point(py, point, progress, &plugins, move |catalog, point, watch| {
            crashes::crash(catalog, point, plan, watch)
        })
    }

    /// Runs a point, a configuration (JSON) and the name of an FTL. It repeats passes over the
    /// input until the device takes no more writes, or for `most` passes. `scale` gives shorter
    /// lifetimes. Returns the result as JSON.
    #[pyfunction]
    #[pyo3(signature = (point, most, scale=None, progress=None, plugins=Vec::new()))]
    fn endurance(
        py: Python<'_>,
        point: (String, String),
        most: u64,
        scale: Option<u32>,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        of_point(py, point, progress, &plugins, move |catalog, point, watch| {
            session::run_to_the_end(catalog, point, most, scale, watch)
        })
    }

    /// Runs a point, a configuration (JSON) and the name of an FTL. It calls `show` with a frame
    /// before the measured phase, after each `every` requests and at the end. The run waits for
    /// each call. Returns its result as JSON.
    #[pyfunction]
    #[pyo3(signature = (point, show, every=None, progress=None, plugins=Vec::new()))]
    fn watch(
        py: Python<'_>,
        point: (String, String),
        show: Py<PyAny>,
        every: Option<u64>,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let faults = Faults::default();
        let catalog = plugin::catalog(&plugins, &faults)?;
        let point = resolved(&catalog, point)?;
        let report = with_frames(py, progress, Some(show), &faults, move |watch, show| {
            session::run_shown(&catalog, &point, every, show, watch)
        })
        .map_err(|error| faults.instead_of(py, error))?;
        Ok(serde_json::to_string(&report).expect("a report serialises"))
    }

    /// Runs a point and writes a row for each request of its measured phase to the Parquet file at `path`. Returns
    /// its result as JSON.
    #[pyfunction]
    #[pyo3(signature = (point, path, progress=None, plugins=Vec::new()))]
    fn log(
        py: Python<'_>,
        point: (String, String),
        path: String,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        of_point(py, point, progress, &plugins, move |catalog, point, watch| {
            session::run_logged(catalog, point, &path, watch)
        })
    }

    /// Checks an FTL by every law, in `cases` cases or some of them, or in one `case`. A case is a
    /// seed, or the line of JSON of a failed check. Returns
    /// `(law, cases, case, message, exception)` for each law; the last three are None if it passed.
    #[pyfunction]
    #[pyo3(signature = (ftl, cases, case=None, progress=None, plugins=Vec::new()))]
    #[allow(clippy::type_complexity, reason = "a tuple for each law")]
    fn check(
        py: Python<'_>,
        ftl: &str,
        cases: u64,
        case: Option<&str>,
        progress: Option<Py<PyAny>>,
        plugins: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<(&'static str, u64, Option<String>, Option<String>, Option<PyErr>)>> {
        let faults = Faults::default();
        let catalog = plugin::catalog(&plugins, &faults)?;
        let catalog = catalog.only(ftl).map_err(raise)?;
        let mut answers = Vec::new();
        for law in LAWS {
            let progress = progress.as_ref().map(|progress| progress.clone_ref(py));
            let (catalog, kept) = (catalog.clone(), faults.clone());
            let case = case.map(str::to_owned);
            let checked = with_classes(py, progress, &faults, move |watch| {
                crate::check::check(&catalog, law, cases, case.as_deref(), &kept, watch)
            })?;
            let (case, message) = checked.broken.map(|b| (b.case, b.message)).unzip();
            let raised = message.as_deref().and_then(|message| faults.take(message));
            answers.push((checked.law.name, checked.cases, case, message, raised));
        }
        Ok(answers)
    }

    /// The files that the path of a trace stands for, each with its member if it is an archive.
    #[pyfunction]
    fn trace_parts(py: Python<'_>, path: &str) -> PyResult<Vec<(String, Option<String>)>> {
        let parts = py.detach(|| ftlab::trace::parts(path)).map_err(raise)?;
        Ok(parts.into_iter().map(|part| (part.file, part.member)).collect())
    }

    /// The files that `dp_scheme` names in a job file of fio.
    #[pyfunction]
    fn job_schemes(path: &str) -> Vec<PathBuf> {
        ftlab::workload::job_schemes(path)
    }

    /// Statistics of the configured input, as JSON `{"trace": ..., "info": ...}`.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn trace_info(py: Python<'_>, config: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
        let config = configuration(config)?;
        let (trace, info) =
            with_progress(py, progress, move |watch| session::trace_info(&config, watch))?;
        let both = serde_json::json!({ "trace": trace, "info": info });
        Ok(both.to_string())
    }

    /// The model fitted to the configured input, as TOML.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn fit(py: Python<'_>, config: &str, progress: Option<Py<PyAny>>) -> PyResult<String> {
        let config = configuration(config)?;
        let model = with_progress(py, progress, move |watch| session::fit(&config, watch))?;
        Ok(model.to_string())
    }

    /// The characteristics of the configured input, as JSON `{"trace": ..., "info": ...}`:
    /// statistics, requests, and accesses to pages of the device.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn trace_characteristics(
        py: Python<'_>,
        config: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let config = configuration(config)?;
        let (trace, info) =
            with_progress(py, progress, move |watch| session::characteristics(&config, watch))?;
        let both = serde_json::json!({ "trace": trace, "info": info });
        Ok(both.to_string())
    }

    /// The hits of LRU mapping caches of every size, in one pass over the configured input. The
    /// keys are `name`, `format`, `page_bytes`, `accesses`, `pages`, `pages_per_sample` and `hits`.
    /// `hits` is an array for caches of 0, 1, 2, ... times `pages_per_sample` entries.
    #[pyfunction]
    #[pyo3(signature = (config, progress=None))]
    fn mapping_curve<'py>(
        py: Python<'py>,
        config: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let config = configuration(config)?;
        let found = with_progress(py, progress, move |watch| curve::mapping_curve(&config, watch))?;
        let answer = PyDict::new(py);
        answer.set_item("name", found.name)?;
        answer.set_item("format", found.format)?;
        answer.set_item("page_bytes", found.page_bytes)?;
        answer.set_item("accesses", found.curve.accesses())?;
        answer.set_item("pages", found.curve.pages())?;
        answer.set_item("pages_per_sample", found.curve.step())?;
        answer.set_item("hits", array(py, found.curve.hits().iter().copied())?)?;
        Ok(answer)
    }

    /// Writes the configured input to a file, in the format of `to` or of the file's suffix.
    /// Returns JSON.
    #[pyfunction]
    #[pyo3(signature = (config, output, to=None, progress=None))]
    fn convert(
        py: Python<'_>,
        config: &str,
        output: String,
        to: Option<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let config = configuration(config)?;
        let unnamed = with_progress(py, progress, move |watch| {
            session::convert(&config, &output, to.as_deref(), watch)
        })?;
        let written = py.detach(|| unnamed.finish()).map_err(raise)?;
        Ok(serde_json::to_string(&written).expect("a report serialises"))
    }

    /// Writes each volume of the configured input to a file in a new folder, or each device of an
    /// array. `stripes` says what that is: `DEVICES:STRIPE`. Returns a JSON list.
    #[pyfunction]
    #[pyo3(signature = (config, folder, progress=None, stripes=None))]
    fn split(
        py: Python<'_>,
        config: &str,
        folder: PathBuf,
        progress: Option<Py<PyAny>>,
        stripes: Option<String>,
    ) -> PyResult<String> {
        let config = configuration(config)?;
        let stripes = stripes.map(Stripes::try_from).transpose();
        let stripes = stripes.map_err(|message| raise(Error::config("input.shard", message)))?;
        let unnamed = with_progress(py, progress, move |watch| {
            session::split(&config, &folder, stripes, watch)
        })?;
        let parts = py.detach(|| unnamed.finish()).map_err(raise)?;
        Ok(serde_json::to_string(&parts).expect("a report serialises"))
    }

    /// The requests of the configured input as arrays `time_ns, volume, offset, length, op`, and one for each attribute
    /// that they may have.
    #[pyfunction]
    #[pyo3(signature = (config, limit=None))]
    fn trace_columns<'py>(
        py: Python<'py>,
        config: &str,
        limit: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let config = configuration(config)?;
        let limit = limit.unwrap_or(usize::MAX);
        let (requests, attributes) =
            with_progress(py, None, move |watch| session::requests(&config, limit, watch))?;
        let columns = PyDict::new(py);
        macro_rules! column {
            ($name:literal, $field:expr) => {
                columns.set_item($name, array(py, requests.iter().map($field))?)?;
            };
        }
        column!("time_ns", |request| request.time);
        column!("volume", |request| request.volume);
        column!("offset", |request| request.offset);
        column!("length", |request| request.length);
        column!("op", |request| request.op.code());
        for attribute in attributes.iter() {
            // No value is larger.
            let values = requests.iter().map(|request| attribute.of(request.meta) as u16);
            columns.set_item(attribute.name(), array(py, values)?)?;
        }
        Ok(columns)
    }
}
