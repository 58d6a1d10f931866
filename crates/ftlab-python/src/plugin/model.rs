//! A model of what is known of a page, written in Python, that gives it a class.

use super::{Faults, Method, separation};
use ftlab::placement::separation::{Features, Model};
use ftlab::units::Lpn;
use pyo3::prelude::*;

/// What is known of a page.
#[pyclass(name = "Features", frozen, get_all, module = "ftlab._core")]
#[derive(Debug)]
pub struct PageFeatures {
    /// The page that the host wrote before this one.
    previous: u32,
    /// Writes of the page so far.
    writes: u32,
    /// Writes of its chunk so far.
    chunk_writes: u32,
    /// Writes of the page so far, each worth half after each half-life.
    weighted_writes: f32,
    /// Page writes of the host since the last write of the page; `None` for a page without data.
    interval: Option<u32>,
}

impl From<&Features> for PageFeatures {
    fn from(features: &Features) -> Self {
        let Features { previous, writes, chunk_writes, weighted_writes, interval } = *features;
        PageFeatures { previous, writes, chunk_writes, weighted_writes, interval }
    }
}

/// An instance of the user's class, its methods looked up once.
#[derive(Debug)]
pub struct PythonModel {
    faults: Faults,
    object: Py<PyAny>,
    classes: u8,
    spread: u8,
    of_write: Method,
    of_move: Option<Method>,
}

impl PythonModel {
    /// The method that makes a class a model.
    pub const NAME: &str = "class_of_write";

    /// # Errors
    /// What the object raises, and when it lacks something.
    pub fn of(object: &Bound<'_, PyAny>, faults: Faults) -> PyResult<Self> {
        let (classes, spread) = separation::classes(object)?;
        Ok(PythonModel {
            faults,
            object: object.clone().unbind(),
            classes,
            spread,
            of_write: Method::of(object, Self::NAME)?,
            of_move: Method::find(object, "class_of_move")?,
        })
    }
}

impl Clone for PythonModel {
    /// With a copy of the object, as Python's `copy.deepcopy` makes it.
    fn clone(&self) -> Self {
        self.faults.run(|py| {
            let object = py.import("copy")?.call_method1("deepcopy", (&self.object,))?;
            PythonModel::of(&object, self.faults.clone())
        })
    }
}

impl Model for PythonModel {
    fn classes(&self) -> u8 {
        self.classes
    }

    fn spread(&self) -> u8 {
        self.spread
    }

    fn class_of_write(&mut self, lpn: Lpn, features: &Features) -> u8 {
        self.faults.run(|py| {
            let told = (lpn.0, PageFeatures::from(features));
            separation::class(py, &self.of_write, told, self.classes)
        })
    }

    fn class_of_move(&mut self, lpn: Lpn, from: u8, features: &Features) -> u8 {
        let Some(of_move) = &self.of_move else { return from };
        self.faults.run(|py| {
            let told = (lpn.0, from, PageFeatures::from(features));
            separation::class(py, of_move, told, self.classes)
        })
    }
}
