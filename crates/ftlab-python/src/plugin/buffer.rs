//! A write buffer written in Python: an order of replacement of pages. Which pages are there is kept here.

use super::{Faults, Method, Plugin, attribute};
use ftlab::buffer::{BufferConfig, BuildBuffer, WriteBuffer};
use ftlab::flash::Geometry;
use ftlab::request::Op;
use ftlab::settings::Sections;
use ftlab::units::Lpn;
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How the buffer of a plug-in is built.
pub fn build(plugin: Plugin) -> BuildBuffer {
    Arc::new(move |config: &BufferConfig, _: &Sections, geometry: &Geometry| {
        let pages = config.pages(geometry)?;
        let object = plugin.build((pages, geometry.pages_per_block))?;
        let buffer = plugin.faults.attempt(|py| {
            PythonBuffer::of(
                object.bind(py),
                plugin.faults.clone(),
                pages,
                geometry.pages_per_block,
            )
        })?;
        Ok(Box::new(buffer) as Box<dyn WriteBuffer>)
    })
}

/// An instance of the user's class, its methods looked up once.
#[derive(Debug)]
struct PythonBuffer {
    faults: Faults,
    object: Py<PyAny>,
    insert: Method,
    touch: Method,
    evict: Method,
    remove: Method,
    keeps_reads: bool,
    capacity: usize,
    pages_per_block: u32,
    here: BTreeSet<u32>,
}

impl PythonBuffer {
    fn of(
        object: &Bound<'_, PyAny>,
        faults: Faults,
        capacity: usize,
        pages_per_block: u32,
    ) -> PyResult<Self> {
        Ok(PythonBuffer {
            faults,
            object: object.clone().unbind(),
            insert: Method::of(object, "insert")?,
            touch: Method::of(object, "touch")?,
            evict: Method::of(object, "evict")?,
            remove: Method::of(object, "remove")?,
            keeps_reads: attribute(object, "keeps_reads", false, "True or False")?,
            capacity,
            pages_per_block,
            here: BTreeSet::new(),
        })
    }

    fn tell(&self, method: &Method, lpn: Lpn, op: Op) {
        self.faults.run(|py| method.call(py, (lpn.0, op.writes())).map(drop));
    }
}

impl Clone for PythonBuffer {
    /// With a copy of the object, as Python's `copy.deepcopy` makes it.
    fn clone(&self) -> Self {
        self.faults.run(|py| {
            let object = py.import("copy")?.call_method1("deepcopy", (&self.object,))?;
            let faults = self.faults.clone();
            let copy = PythonBuffer::of(&object, faults, self.capacity, self.pages_per_block)?;
            Ok(PythonBuffer { here: self.here.clone(), ..copy })
        })
    }
}

impl WriteBuffer for PythonBuffer {
    fn has_room(&self) -> bool {
        self.here.len() < self.capacity
    }

    fn insert(&mut self, lpn: Lpn, op: Op) {
        self.here.insert(lpn.0);
        self.tell(&self.insert, lpn, op);
    }

    fn touch(&mut self, lpn: Lpn, op: Op) {
        self.tell(&self.touch, lpn, op);
    }

    fn evict(&mut self, leaving: &mut Vec<Lpn>) {
        let pages = self.faults.run(|py| {
            let pages: Vec<u32> = self.evict.answer(py, (), "a list of pages")?;
            let block = |lpn: &u32| lpn / self.pages_per_block;
            let rule = if pages.is_empty() {
                "at least one page must leave a buffer"
            } else if !pages.iter().all(|lpn| self.here.remove(lpn)) {
                "the pages that leave a buffer must be in it, each once"
            } else if pages.iter().any(|lpn| block(lpn) != block(&pages[0])) {
                "the pages that leave a buffer together must be of one logical block"
            } else {
                return Ok(pages);
            };
            Err(self.evict.breaks(py, &format!("{rule}: evict() returned {pages:?}")))
        });
        leaving.extend(pages.into_iter().map(Lpn));
    }

    fn remove(&mut self, lpn: Lpn) {
        self.here.remove(&lpn.0);
        self.faults.run(|py| self.remove.call(py, (lpn.0,)).map(drop));
    }

    fn len(&self) -> usize {
        self.here.len()
    }

    fn keeps_reads(&self) -> bool {
        self.keeps_reads
    }

    fn audit(&self) {
        assert!(self.len() <= self.capacity, "{} pages in {}", self.len(), self.capacity);
    }
}
