//! A frame of a run, as Python gets it.

use crate::arrays::array;
use ftlab::flash::{BlockKind, Cause};
use ftlab::frames::{Figures, Frame};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The frame as a dictionary; what blocks are like, as arrays. Kinds are 0 for an erased block, and 1, 2, 3
/// for data, log and translation blocks. Classes are numbered from 1, with 0 for none.
pub fn frame<'py>(py: Python<'py>, frame: &Frame) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    answer.set_item("requests", frame.requests)?;
    answer.set_item("of", frame.of)?;
    answer.set_item("time_s", frame.time as f64 / 1e9)?;
    answer.set_item("so_far", figures(py, &frame.so_far)?)?;
    answer.set_item("window", figures(py, &frame.window)?)?;
    answer.set_item("planes", frame.planes.clone())?;
    let operations = PyDict::new(py);
    for (cause, count) in Cause::ALL.into_iter().zip(frame.operations) {
        operations.set_item(cause.name(), count)?;
    }
    answer.set_item("operations", operations)?;
    answer.set_item("erases", frame.erases)?;
    macro_rules! column {
        ($name:literal, $field:expr) => {
            answer.set_item($name, array(py, frame.blocks.iter().map($field))?)?;
        };
    }
    column!("valid", |block| block.valid);
    column!("written", |block| block.written);
    column!("pages", |block| block.pages);
    column!("kind", |block| match block.kind {
        None => 0_u8,
        Some(BlockKind::Data) => 1,
        Some(BlockKind::Log) => 2,
        Some(BlockKind::Translation) => 3,
    });
    column!("class", |block| block.class.map_or(0, |class| 1 + class));
    Ok(answer)
}

fn figures<'py>(py: Python<'py>, figures: &Figures) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    answer.set_item("hit_ratio", figures.hit_ratio)?;
    answer.set_item("write_amplification", figures.write_amplification)?;
    answer.set_item("mean_us", figures.mean_us)?;
    answer.set_item("p99_us", figures.p99_us)?;
    Ok(answer)
}
