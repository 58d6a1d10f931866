//! Numbers as arrays of numpy.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// A number of an array.
pub trait Number {
    /// How numpy names the type.
    const DTYPE: &'static str;

    /// Writes it into as many bytes as it has, in the order of this machine.
    fn put(self, bytes: &mut [u8]);
}

macro_rules! numbers {
    ($($type:ty: $dtype:literal),+) => {$(
        impl Number for $type {
            const DTYPE: &'static str = $dtype;

            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
        }
    )+};
}
numbers!(u8: "u1", u16: "u2", u32: "u4", u64: "u8", f64: "f8");

/// An array of these numbers, which can be written to.
pub fn array<'py, T: Number>(
    py: Python<'py>,
    numbers: impl ExactSizeIterator<Item = T>,
) -> PyResult<Bound<'py, PyAny>> {
    let size = size_of::<T>();
    let bytes = PyByteArray::new_with(py, numbers.len() * size, |bytes| {
        let places = bytes.chunks_exact_mut(size);
        places.zip(numbers).for_each(|(place, number)| number.put(place));
        Ok(())
    })?;
    py.import("numpy")?.call_method1("frombuffer", (bytes, T::DTYPE))
}
