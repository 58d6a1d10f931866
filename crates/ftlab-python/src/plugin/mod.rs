//! Plug-ins written in Python: FTLs, orders of replacement, victim policies, separations and write
//! buffers, as values of a catalogue.
//!
//! A plug-in is a Python object with `kind`, `name`, `summary`, `source`, and `build(...)`, which
//! returns an instance of the user's class. `ftlab.plugins` makes such objects. An exception of a
//! class ends the run and reaches its caller unchanged.

mod buffer;
mod calls;
mod device;
mod faults;
mod flash;
mod ftl;
mod meta;
mod method;
mod model;
mod policy;
mod replacement;
mod separation;

pub use calls::{Calls, stop_classes};
pub use device::DeviceInfo;
pub use faults::{Faults, RuleError};
pub use flash::{LentFlash, TranslationPage};
pub use meta::RequestMeta;
pub use model::PageFeatures;

use crate::border::{ConfigError, catalog as known, raise};
use faults::attribute;
use ftlab::Error;
use ftlab::buffer::NONE;
use ftlab::catalog::Catalog;
use ftlab::named::{Named, Spec};
use meta::Hearing;
use method::{Method, Number};
use pyo3::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A plug-in, and the store of its exceptions.
pub struct Plugin {
    object: Py<PyAny>,
    faults: Faults,
}

impl Plugin {
    fn text(object: &Bound<'_, PyAny>, attribute: &str) -> PyResult<&'static str> {
        Ok(lasting(object.getattr(attribute)?.extract()?))
    }

    fn spec(object: &Bound<'_, PyAny>) -> PyResult<Spec> {
        Ok(Spec {
            name: Self::text(object, "name")?,
            summary: Self::text(object, "summary")?,
            source: Self::text(object, "source")?,
        })
    }

    /// An instance of the user's class.
    fn build<A>(&self, arguments: A) -> Result<Py<PyAny>, Error>
    where
        A: for<'py> pyo3::call::PyCallArgs<'py>,
    {
        self.faults.attempt(|py| self.object.call_method1(py, "build", arguments))
    }
}

/// The catalogue of this module with these plug-ins.
pub fn catalog(plugins: &[Bound<'_, PyAny>], faults: &Faults) -> PyResult<Catalog> {
    let mut catalog = known().clone();
    if !plugins.is_empty() {
        // A thread that is attached to the interpreter returns to it at a tenth of the cost of one
        // that is not.
        catalog = catalog.with_threads(|work| Python::attach(|py| py.detach(work)));
        Calls::remember(faults.calls());
    }
    for object in plugins {
        let name = Plugin::text(object, "name")?;
        let plugin = Plugin { object: object.clone().unbind(), faults: faults.clone() };
        catalog = match Plugin::text(object, "kind")? {
            "ftl" => {
                expect_new("FTL", name, catalog.find(name).is_ok())?;
                catalog.with_entry(ftl::entry(object, plugin, name)?)
            }
            "replacement" => {
                let base = catalog.find(Plugin::text(object, "base")?).map_err(raise)?.clone();
                expect_new("FTL", name, catalog.find(name).is_ok())?;
                catalog.with_entry(replacement::entry(&base, plugin, name))
            }
            "policy" => {
                expect_new("gc.policy", name, catalog.policies().find(name, &[]).is_ok())?;
                let named = Named::new::<()>(Plugin::spec(object)?, policy::build(plugin));
                catalog.with_policy(named)
            }
            "separation" => {
                expect_new("ftl.separation", name, catalog.separations().find(name, &[]).is_ok())?;
                let named = Named::new::<()>(Plugin::spec(object)?, separation::build(plugin));
                catalog.with_separation(named)
            }
            "buffer" => {
                let is_taken = name == NONE || catalog.buffers().find(name, &[]).is_ok();
                expect_new("buffer.policy", name, is_taken)?;
                let named = Named::new::<()>(Plugin::spec(object)?, buffer::build(plugin));
                catalog.with_buffer(named)
            }
            other => {
                let message = format!("found a plug-in of kind {other}");
                return Err(ConfigError::new_err(message));
            }
        };
    }
    Ok(catalog)
}

/// Refuses a name that another plug-in of the kind has: one of the two would run in place of the
/// other.
fn expect_new(kind: &str, name: &str, is_taken: bool) -> PyResult<()> {
    if !is_taken {
        return Ok(());
    }
    let message =
        format!("{kind}: found two called {name}; give one of the classes another `name`");
    Err(ConfigError::new_err(message))
}

/// The text for the lifetime of the process: each name is kept once.
fn lasting(text: String) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text.as_str()) {
        return known;
    }
    let kept: &'static str = Box::leak(text.into_boxed_str());
    texts.insert(kept);
    kept
}
