//! Which threads are inside Python code of a run, so that a run that is to stop can end there, too.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often threads are told again that they are to stop: code may hold back what is raised in it.
const AGAIN: Duration = Duration::from_millis(100);

/// How often it is looked whether they have.
const LOOK: Duration = Duration::from_millis(10);

/// The runs of this process that have classes.
static RUNS: Mutex<Vec<Weak<Calls>>> = Mutex::new(Vec::new());

thread_local! {
    /// What Python calls this thread.
    static THREAD: OnceCell<u64> = const { OnceCell::new() };
}

/// The calls of a run that have not returned.
#[derive(Debug, Default)]
pub struct Calls {
    stopped: AtomicBool,
    /// The thread of each.
    inside: Mutex<Vec<u64>>,
}

impl Calls {
    /// Enters a run into those that [`stop_classes`] stops.
    pub fn remember(this: &Arc<Self>) {
        let mut runs = locked(&RUNS);
        runs.retain(|run| run.strong_count() > 0);
        runs.push(Arc::downgrade(this));
    }

    /// Runs Python code, unless the run was stopped.
    pub fn run<T>(&self, py: Python<'_>, code: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(PyKeyboardInterrupt::new_err("the run was stopped"));
        }
        let _inside = Inside::of(self, thread(py)?);
        code()
    }

    /// Lets no code run any more, and raises `KeyboardInterrupt` where some does.
    pub fn stop(&self, py: Python<'_>) {
        self.stopped.store(true, Ordering::Relaxed);
        let threads = locked(&self.inside).clone();
        for thread in threads {
            // Where it cannot be raised, the code ends with its call.
            let _ = py
                .import("ftlab.leaving")
                .and_then(|leaving| leaving.call_method1("interrupt", (thread,)));
        }
    }
}

/// Stops all runs that have classes; returns whether within `seconds` no thread is inside one any more.
#[pyfunction]
pub fn stop_classes(py: Python<'_>, seconds: f64) -> bool {
    let runs: Vec<_> = locked(&RUNS).iter().filter_map(Weak::upgrade).collect();
    let (start, mut told) = (Instant::now(), None::<Instant>);
    loop {
        if told.is_none_or(|told| told.elapsed() >= AGAIN) {
            for run in &runs {
                run.stop(py);
            }
            told = Some(Instant::now());
        }
        if runs.iter().all(|run| locked(&run.inside).is_empty()) {
            return true;
        }
        if start.elapsed().as_secs_f64() >= seconds {
            return false;
        }
        py.detach(|| sleep(LOOK));
    }
}

/// A call that has not returned.
struct Inside<'a>(&'a Calls, u64);

impl<'a> Inside<'a> {
    fn of(calls: &'a Calls, thread: u64) -> Self {
        locked(&calls.inside).push(thread);
        Inside(calls, thread)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        let mut inside = locked(&self.0.inside);
        let last = inside.iter().rposition(|thread| *thread == self.1);
        if let Some(place) = last {
            inside.swap_remove(place);
        }
    }
}

fn thread(py: Python<'_>) -> PyResult<u64> {
    if let Some(known) = THREAD.with(|thread| thread.get().copied()) {
        return Ok(known);
    }
    let found = py.import("threading")?.call_method0("get_ident")?.extract()?;
    Ok(THREAD.with(|thread| *thread.get_or_init(|| found)))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
