//! An order of replacement written in Python, in DFTL's cached mapping table. It knows entries by their
//! logical pages.

use super::{Faults, Method, Plugin};
use ftlab::Error;
use ftlab::cache::replacement::ReplacementOrder;
use ftlab::catalog::Entry;
use ftlab::ftl::Spec;
use ftlab::ftl::demand::{DemandFtl, Dftl};
use ftlab::units::Lpn;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// An FTL with the settings and the engine of `base`, which has DFTL's cache, under this order.
pub fn entry(base: &Entry, plugin: Plugin, name: &'static str) -> Entry {
    base.rebuilt(Spec { name, title: "", ..base.spec }, move |config, flash| {
        DemandFtl::<Dftl>::under(&config.setup(), flash, |entries| {
            PythonOrder::build(&plugin, entries)
        })
    })
}

/// An instance of the user's class, its methods looked up once.
#[derive(Debug)]
struct PythonOrder {
    faults: Faults,
    insert: Method,
    touch: Method,
    victim: Method,
    remove: Method,
    /// The instance.
    object: Py<PyAny>,
    /// The logical page of each token.
    pages: Vec<u32>,
    tokens: BTreeMap<u32, u32>,
}

impl PythonOrder {
    fn build(plugin: &Plugin, entries: usize) -> Result<Self, Error> {
        let object = plugin.build((entries,))?;
        plugin.faults.attempt(|py| PythonOrder::of(object.bind(py), plugin.faults.clone()))
    }

    /// This object, which knows no entry.
    fn of(object: &Bound<'_, PyAny>, faults: Faults) -> PyResult<Self> {
        let method = |name| Method::of(object, name);
        Ok(PythonOrder {
            faults,
            insert: method("insert")?,
            touch: method("touch")?,
            victim: method("victim")?,
            remove: method("remove")?,
            object: object.clone().unbind(),
            pages: Vec::new(),
            tokens: BTreeMap::new(),
        })
    }

    fn tell(&self, method: &Method, lpn: u32) {
        self.faults.run(|py| method.call(py, (lpn,)).map(drop));
    }
}

impl Clone for PythonOrder {
    /// With a copy of the object, as Python's `copy.deepcopy` makes it.
    fn clone(&self) -> Self {
        let copy = self.faults.run(|py| {
            let object = py.import("copy")?.call_method1("deepcopy", (&self.object,))?;
            PythonOrder::of(&object, self.faults.clone())
        });
        PythonOrder { pages: self.pages.clone(), tokens: self.tokens.clone(), ..copy }
    }
}

impl ReplacementOrder for PythonOrder {
    fn insert(&mut self, token: u32, lpn: Lpn) {
        if self.pages.len() <= token as usize {
            self.pages.resize(token as usize + 1, 0);
        }
        self.pages[token as usize] = lpn.0;
        self.tokens.insert(lpn.0, token);
        self.tell(&self.insert, lpn.0);
    }

    fn touch(&mut self, token: u32) {
        self.tell(&self.touch, self.pages[token as usize]);
    }

    fn victim(&mut self) -> Option<u32> {
        let token = self.faults.run(|py| {
            let lpn: u32 = self.victim.answer(py, (), "the number of a logical page")?;
            self.tokens.get(&lpn).copied().ok_or_else(|| {
                let rule = format!("a victim must be in the cache: victim() returned {lpn}");
                self.victim.breaks(py, &rule)
            })
        });
        Some(token)
    }

    fn remove(&mut self, token: u32) {
        let lpn = self.pages[token as usize];
        self.tokens.remove(&lpn);
        self.tell(&self.remove, lpn);
    }

    fn audit(&self, len: usize) {
        assert_eq!(self.tokens.len(), len, "entries that the order of replacement knows");
    }
}
