//! The attributes of a request, for a class written in Python.

use super::Method;
use ftlab::request::{Flags, Meta};
use pyo3::prelude::*;
use pyo3::types::PyAny;

/// What the host says of a request.
#[pyclass(name = "Meta", frozen, get_all, eq, hash, module = "ftlab._core")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct RequestMeta {
    /// Placement handle of a write, or its write stream; 0 is the default one.
    handle: u16,
    /// Initiator, namespace or job; 0 if unknown.
    initiator: u16,
    /// How long the written data live: "unset", "none", "short", "medium", "long" or "extreme".
    lifetime: &'static str,
    /// Whether it is a read of data that the host has not requested yet.
    prefetch: bool,
    /// Whether the host moves the handle to a new reclaim unit before the request.
    update: bool,
}

#[pymethods]
impl RequestMeta {
    fn __repr__(&self) -> String {
        let python = |flag| if flag { "True" } else { "False" };
        format!(
            "Meta(handle={}, initiator={}, lifetime={:?}, prefetch={}, update={})",
            self.handle,
            self.initiator,
            self.lifetime,
            python(self.prefetch),
            python(self.update)
        )
    }
}

impl From<Meta> for RequestMeta {
    fn from(meta: Meta) -> Self {
        RequestMeta {
            handle: meta.handle,
            initiator: meta.initiator,
            lifetime: meta.lifetime.name(),
            prefetch: meta.flags.contains(Flags::PREFETCH),
            update: meta.flags.contains(Flags::UPDATE),
        }
    }
}

/// A method that is told the attributes of a request if its next parameter is `meta`.
#[derive(Debug)]
pub struct Hearing {
    pub method: Method,
    hears: bool,
}

impl Hearing {
    /// A method that the object must have and that takes `needs` arguments.
    pub fn of(object: &Bound<'_, PyAny>, name: &str, needs: usize) -> PyResult<Self> {
        let method = Method::of(object, name)?;
        let hears = method.takes(object.py(), needs, &["meta"]);
        Ok(Hearing { method, hears })
    }

    /// Whether the method takes the attributes.
    pub const fn hears(&self) -> bool {
        self.hears
    }

    /// The attributes, if the method takes them.
    pub fn told(&self, meta: Meta) -> Option<RequestMeta> {
        self.hears.then(|| meta.into())
    }
}
