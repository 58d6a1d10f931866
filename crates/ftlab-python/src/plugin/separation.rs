//! A separation of user pages written in Python.

use super::model::PythonModel;
use super::{Faults, Hearing, Method, Plugin};
use ftlab::placement::separation::{
    BuildSeparation, Collected, Learned, LearnedConfig, Moved, Separation, Written,
};
use ftlab::settings::Group as _;
use ftlab::units::Lpn;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use std::sync::Arc;

/// How the separation of a plug-in is built.
pub fn build(plugin: Plugin) -> BuildSeparation {
    BuildSeparation::Classes(Arc::new(move |layout, settings| {
        let object = plugin.build((layout.logical_pages,))?;
        let faults = &plugin.faults;
        faults.attempt(|py| -> PyResult<Box<dyn Separation>> {
            let object = object.bind(py);
            if !object.hasattr(PythonModel::NAME)? {
                return Ok(Box::new(PythonSeparation::of(object, faults.clone())?));
            }
            let model = Box::new(PythonModel::of(object, faults.clone())?);
            Ok(Box::new(Learned::of(model, layout, &LearnedConfig::of(settings))))
        })
    }))
}

/// How many classes there are, and how many the pages of one victim may go to.
pub fn classes(object: &Bound<'_, PyAny>) -> PyResult<(u8, u8)> {
    let classes = object.getattr("classes")?.extract()?;
    let spread = match object.getattr_opt("spread")? {
        Some(spread) => spread.extract()?,
        None => classes,
    };
    Ok((classes, spread))
}

/// What a method says is the class of a page, one of `classes`.
pub fn class<'py>(
    py: Python<'py>,
    method: &Method,
    told: impl PyCallArgs<'py>,
    classes: u8,
) -> PyResult<u8> {
    let answer = method.answer(py, told, "the number of a class")?;
    if answer < classes {
        return Ok(answer);
    }
    let rule = format!("a class is a number below {classes}: found {answer}");
    Err(method.breaks(py, &rule))
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
        let (classes, spread) = classes(object)?;
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
            match self.of_write.told(page.meta) {
                Some(meta) => class(py, method, (page.lpn.0, page.age, meta), self.classes),
                None => class(py, method, (page.lpn.0, page.age), self.classes),
            }
        })
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        self.faults.run(|py| {
            let told = (page.lpn.0, page.from, page.age);
            class(py, &self.of_move, told, self.classes)
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
