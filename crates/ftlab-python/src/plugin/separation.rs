//! A separation of user pages written in Python.

use super::{Faults, Hearing, Method, Plugin};
use ftlab::placement::separation::{BuildSeparation, Collected, Moved, Separation, Written};
use ftlab::units::Lpn;
use pyo3::prelude::*;
use std::sync::Arc;

/// How the separation of a plug-in is built.
pub fn build(plugin: Plugin) -> BuildSeparation {
    BuildSeparation::Classes(Arc::new(move |logical_pages, _| {
        let object = plugin.build((logical_pages,))?;
        let faults = &plugin.faults;
        let separation =
            faults.attempt(|py| PythonSeparation::of(object.bind(py), faults.clone()))?;
        Ok(Box::new(separation) as Box<dyn Separation>)
    }))
}

/// An instance of the user's class, its methods looked up once.
#[derive(Debug)]
struct PythonSeparation {
    faults: Faults,
    object: Py<PyAny>,
    classes: u8,
    spread: u8,
    of_write: Hearing,
    of_move: Method,
    collected: Option<Method>,
    trimmed: Option<Method>,
}

impl PythonSeparation {
    fn of(object: &Bound<'_, PyAny>, faults: Faults) -> PyResult<Self> {
        let classes = object.getattr("classes")?.extract()?;
        let spread = match object.getattr_opt("spread")? {
            Some(spread) => spread.extract()?,
            None => classes,
        };
        Ok(PythonSeparation {
            faults,
            object: object.clone().unbind(),
            classes,
            spread,
            of_write: Hearing::of(object, "of_write", 2)?,
            of_move: Method::of(object, "of_move")?,
            collected: Method::find(object, "collected")?,
            trimmed: Method::find(object, "trimmed")?,
        })
    }

    /// What a method says is the class of a page.
    fn class(&self, py: Python<'_>, method: &Method, answer: u8) -> PyResult<u8> {
        if answer < self.classes {
            return Ok(answer);
        }
        let rule = format!("a class is a number below {}: found {answer}", self.classes);
        Err(method.breaks(py, &rule))
    }
}

impl Clone for PythonSeparation {
    /// With a copy of the object, as Python's `copy.deepcopy` makes it.
    fn clone(&self) -> Self {
        self.faults.run(|py| {
            let object = py.import("copy")?.call_method1("deepcopy", (&self.object,))?;
            PythonSeparation::of(&object, self.faults.clone())
        })
    }
}

/// What a method that gives a class returns.
const CLASS: &str = "the number of a class";

impl Separation for PythonSeparation {
    fn classes(&self) -> u8 {
        self.classes
    }

    fn spread(&self) -> u8 {
        self.spread
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.faults.run(|py| {
            let Hearing { method, .. } = &self.of_write;
            let class = match self.of_write.told(page.meta) {
                Some(meta) => method.answer(py, (page.lpn.0, page.age, meta), CLASS)?,
                None => method.answer(py, (page.lpn.0, page.age), CLASS)?,
            };
            self.class(py, method, class)
        })
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        self.faults.run(|py| {
            let class = self.of_move.answer(py, (page.lpn.0, page.from, page.age), CLASS)?;
            self.class(py, &self.of_move, class)
        })
    }

    fn collected(&mut self, victim: Collected) {
        let Some(collected) = &self.collected else { return };
        self.faults.run(|py| collected.call(py, (victim.class, victim.age)).map(drop));
    }

    fn trimmed(&mut self, lpn: Lpn) {
        let Some(trimmed) = &self.trimmed else { return };
        self.faults.run(|py| trimmed.call(py, (lpn.0,)).map(drop));
    }
}
