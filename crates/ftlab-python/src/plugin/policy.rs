//! A victim policy written in Python.

use super::{Faults, Method, Plugin};
use ftlab::gc::{BuildPolicy, Closed, Moment, Pool, VictimPolicy, Victims};
use ftlab::units::Pbn;
use pyo3::prelude::*;
use std::sync::Arc;

/// How the policy of a plug-in is built.
pub fn build(plugin: Plugin) -> BuildPolicy {
    Arc::new(move |pool: &Pool, _| {
        let object = plugin.build((pool.blocks, pool.pages_per_block, pool.seed))?;
        let closed = vec![false; pool.blocks as usize];
        let faults = &plugin.faults;
        let policy =
            faults.attempt(|py| PythonPolicy::of(object.bind(py), faults.clone(), closed))?;
        Ok(Victims::Other(Box::new(policy)))
    })
}

/// An instance of the user's class, its methods looked up once.
#[derive(Debug)]
struct PythonPolicy {
    faults: Faults,
    object: Py<PyAny>,
    close: Method,
    shrink: Option<Method>,
    remove: Method,
    choose: Method,
    closed: Vec<bool>,
    /// Whether `close` takes the class of a block and the time, too.
    hears_class: bool,
    /// Whether `choose` takes the time, too.
    hears_time: bool,
}

/// What `choose` returns.
const CHOSEN: &str = "the number of a block, or None";

impl PythonPolicy {
    fn of(object: &Bound<'_, PyAny>, faults: Faults, closed: Vec<bool>) -> PyResult<Self> {
        let [close, choose] = [Method::of(object, "close")?, Method::of(object, "choose")?];
        Ok(PythonPolicy {
            faults,
            object: object.clone().unbind(),
            hears_class: close.takes(object.py(), 3, &["block_class", "time"]),
            hears_time: choose.takes(object.py(), 1, &["time"]),
            close,
            shrink: Method::find(object, "shrink")?,
            remove: Method::of(object, "remove")?,
            choose,
            closed,
        })
    }
}

impl Clone for PythonPolicy {
    /// With a copy of the object, as Python's `copy.deepcopy` makes it.
    fn clone(&self) -> Self {
        self.faults.run(|py| {
            let object = py.import("copy")?.call_method1("deepcopy", (&self.object,))?;
            PythonPolicy::of(&object, self.faults.clone(), self.closed.clone())
        })
    }
}

impl VictimPolicy for PythonPolicy {
    fn close(&mut self, Closed { pbn, valid, class, at, .. }: Closed) {
        self.closed[pbn.index()] = true;
        let Moment { programs, time } = at;
        self.faults.run(|py| {
            let call = match self.hears_class {
                true => self.close.call(py, (pbn.0, valid, programs, class.number(), time)),
                false => self.close.call(py, (pbn.0, valid, programs)),
            };
            call.map(drop)
        });
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        let Some(shrink) = &self.shrink else { return };
        self.faults.run(|py| shrink.call(py, (pbn.0, valid, now)).map(drop));
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.closed[pbn.index()] = false;
        self.faults.run(|py| self.remove.call(py, (pbn.0, valid)).map(drop));
    }

    fn choose(&mut self, now: Moment) -> Option<Pbn> {
        let chosen: Option<u32> = self.faults.run(|py| {
            let chosen: Option<u32> = match self.hears_time {
                true => self.choose.answer(py, (now.programs, now.time), CHOSEN)?,
                false => self.choose.answer(py, (now.programs,), CHOSEN)?,
            };
            match chosen {
                Some(pbn) if self.closed.get(pbn as usize) != Some(&true) => {
                    let rule = format!("a victim must be a closed block: choose() returned {pbn}");
                    Err(self.choose.breaks(py, &rule))
                }
                chosen => Ok(chosen),
            }
        });
        chosen.map(Pbn)
    }
}
