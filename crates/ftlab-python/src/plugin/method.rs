//! A method of a class written in Python, looked up once.

use super::RuleError;
use super::faults::{placed, refused, written};
use pyo3::call::PyCallArgs;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// What is called of an object, and how what it returns is taken.
#[derive(Debug)]
pub struct Method(Py<PyAny>);

impl Method {
    /// A method that the object must have.
    pub fn of(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        Ok(Method(object.getattr(name)?.unbind()))
    }

    /// A method, if the object has one of that name.
    pub fn find(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Self>> {
        let found = object.getattr_opt(name)?.filter(|found| !found.is_none());
        Ok(found.map(|found| Method(found.unbind())))
    }

    /// Whether its signature has these parameters behind the first `needs`: then it is told more.
    pub fn takes(&self, py: Python<'_>, needs: usize, names: &[&str]) -> bool {
        let parameters = || -> PyResult<Vec<String>> {
            let signature = py.import("inspect")?.call_method1("signature", (&self.0,))?;
            signature.getattr("parameters")?.try_iter()?.map(|name| name?.extract()).collect()
        };
        parameters().is_ok_and(|found| found.iter().skip(needs).take(names.len()).eq(names))
    }

    /// Calls it; returns what it returns.
    pub fn call<'py>(
        &self,
        py: Python<'py>,
        arguments: impl PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let method = self.0.bind(py);
        let answer = method.call1(arguments);
        match answer {
            Ok(answer) if answer.is_none() => Ok(answer),
            Ok(answer) if is_for_later(&answer) => Err(refused(method, &answer, "its work done")),
            // The call itself is wrong: no line of the method has run.
            Err(error) if error.traceback(py).is_none() => {
                Err(refused(method, error.value(py), "that it can be called"))
            }
            answer => answer,
        }
    }

    /// Calls it; what it returns is such a value as `expected` says.
    pub fn answer<'py, T: FromPyObjectOwned<'py>>(
        &self,
        py: Python<'py>,
        arguments: impl PyCallArgs<'py>,
        expected: &str,
    ) -> PyResult<T> {
        let answer = self.call(py, arguments)?;
        answer.extract().map_err(|_| refused(self.0.bind(py), &answer, expected))
    }

    /// What is raised for a rule that it breaks.
    pub fn breaks(&self, py: Python<'_>, rule: &str) -> PyErr {
        placed(self.0.bind(py), RuleError::new_err(rule.to_owned()))
    }
}

/// Whether an answer is work that nobody does: a coroutine, or a generator.
fn is_for_later(answer: &Bound<'_, PyAny>) -> bool {
    let kind = answer.get_type();
    let name = kind.name();
    name.is_ok_and(|name| {
        ["coroutine", "generator", "async_generator"].iter().any(|late| name == *late)
    })
}

/// A number of a page, a block or a plane that a class gives.
#[derive(Clone, Copy)]
pub struct Number(pub u32);

impl<'a, 'py> FromPyObject<'a, 'py> for Number {
    type Error = PyErr;

    fn extract(given: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        given.extract::<u32>().map(Number).map_err(|_| {
            let found = written(&given);
            PyTypeError::new_err(format!("found {found}, expected a number from 0 to {}", u32::MAX))
        })
    }
}
