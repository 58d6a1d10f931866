//! A victim policy written in Python.

use super::{Faults, Plugin, RuleError, method};
use ftlab::gc::{BuildPolicy, Pool, VictimPolicy, Victims};
use ftlab::units::Pbn;
use pyo3::prelude::*;
use std::sync::Arc;

/// How the policy of a plug-in is built.
pub fn build(plugin: Plugin) -> BuildPolicy {
    Arc::new(move |pool: &Pool, _| {
        let object = plugin.build((pool.blocks, pool.pages_per_block, pool.seed))?;
        let policy = plugin.faults.run(|py| PythonPolicy::of(object.bind(py), &plugin, pool));
        Ok(Victims::Other(Box::new(policy)))
    })
}

/// An instance of the user's class, its methods looked up once.
#[derive(Debug)]
struct PythonPolicy {
    faults: Faults,
    object: Py<PyAny>,
    close: Py<PyAny>,
    shrink: Option<Py<PyAny>>,
    remove: Py<PyAny>,
    choose: Py<PyAny>,
    closed: Vec<bool>,
}

impl PythonPolicy {
    fn of(object: &Bound<'_, PyAny>, plugin: &Plugin, pool: &Pool) -> PyResult<Self> {
        Ok(PythonPolicy {
            faults: plugin.faults.clone(),
            object: object.clone().unbind(),
            close: object.getattr("close")?.unbind(),
            shrink: method(object, "shrink")?,
            remove: object.getattr("remove")?.unbind(),
            choose: object.getattr("choose")?.unbind(),
            closed: vec![false; pool.blocks as usize],
        })
    }
}

impl Clone for PythonPolicy {
    /// With a copy of the object, as Python's `copy.deepcopy` makes it.
    fn clone(&self) -> Self {
        self.faults.run(|py| {
            let object = py.import("copy")?.call_method1("deepcopy", (&self.object,))?;
            Ok(PythonPolicy {
                faults: self.faults.clone(),
                close: object.getattr("close")?.unbind(),
                shrink: method(&object, "shrink")?,
                remove: object.getattr("remove")?.unbind(),
                choose: object.getattr("choose")?.unbind(),
                closed: self.closed.clone(),
                object: object.unbind(),
            })
        })
    }
}

impl VictimPolicy for PythonPolicy {
    fn close(&mut self, pbn: Pbn, valid: u32, now: u64) {
        self.closed[pbn.index()] = true;
        self.faults.run(|py| self.close.call1(py, (pbn.0, valid, now)).map(drop));
    }

    fn shrink(&mut self, pbn: Pbn, valid: u32, now: u64) {
        let Some(shrink) = &self.shrink else { return };
        self.faults.run(|py| shrink.call1(py, (pbn.0, valid, now)).map(drop));
    }

    fn remove(&mut self, pbn: Pbn, valid: u32) {
        self.closed[pbn.index()] = false;
        self.faults.run(|py| self.remove.call1(py, (pbn.0, valid)).map(drop));
    }

    fn choose(&mut self, now: u64) -> Option<Pbn> {
        let chosen: Option<u32> = self.faults.run(|py| {
            let chosen: Option<u32> = self.choose.call1(py, (now,))?.extract(py)?;
            match chosen {
                Some(pbn) if self.closed.get(pbn as usize) != Some(&true) => {
                    Err(RuleError::new_err(format!(
                        "a victim must be a closed block: choose() returned {pbn}"
                    )))
                }
                chosen => Ok(chosen),
            }
        });
        chosen.map(Pbn)
    }
}
