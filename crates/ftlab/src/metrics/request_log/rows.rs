//! Rows of the log, column by column.

use super::recorder::Event;
use crate::error::Error;
use crate::metrics::causes::{PARTS, Parts, name};
use crate::request::Op;
use crate::trace::columnar::table::{Cells, Kind, Table};
use std::io::Write;

/// Whole numbers of a row, before its operation.
const NUMBERS: [&str; 7] =
    ["request", "volume", "offset", "length", "arrival_ns", "start_ns", "end_ns"];

/// Every column: numbers, the operation, and the parts of service and of waiting.
pub(super) fn columns() -> Vec<(String, Kind)> {
    let numbers = NUMBERS.map(|name| (name.to_owned(), Kind::Whole));
    let parts = ["service_us", "wait_us"].into_iter().flat_map(|section| {
        (0..PARTS).map(move |part| (format!("{section}.{}", name(part)), Kind::Real))
    });
    numbers.into_iter().chain([(String::from("op"), Kind::Name)]).chain(parts).collect()
}

/// Rows of a group.
#[derive(Default)]
pub(super) struct Rows {
    /// Rows of the groups before.
    written: usize,
    numbers: [Vec<i64>; NUMBERS.len()],
    ops: Vec<&'static str>,
    service: [Vec<f64>; PARTS],
    wait: [Vec<f64>; PARTS],
}

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Adds a request with the parts of its service time and of its wait, ns.
    pub(super) fn push(&mut self, op: Op, event: &Event, service: &Parts, wait: &Parts) {
        let row = self.len();
        let Event { volume, length, offset, arrival, start, end, .. } = *event;
        let number = (self.written + row) as u64;
        let numbers = [number, volume.into(), offset, length.into(), arrival, start, end];
        self.numbers.iter_mut().zip(numbers).for_each(|(column, value)| column.push(value as i64));
        self.ops.push(op.name());
        add(&mut self.service, row, service);
        add(&mut self.wait, row, wait);
    }

    /// Writes the rows as a group, and is empty after it.
    pub(super) fn write<W: Write + Send>(&mut self, table: &mut Table<W>) -> Result<(), Error> {
        let rows = self.len();
        let mut cells: Vec<Cells<'_>> = Vec::new();
        cells.extend(self.numbers.iter().map(|column| Cells::Whole(column)));
        cells.push(Cells::Name(&self.ops));
        for column in self.service.iter_mut().chain(&mut self.wait) {
            cells.push(if column.is_empty() {
                Cells::Zeros(rows)
            } else {
                column.resize(rows, 0.0);
                Cells::Real(column)
            });
        }
        table.write(&cells)?;
        self.written += rows;
        self.numbers.iter_mut().for_each(Vec::clear);
        self.ops.clear();
        self.service.iter_mut().chain(&mut self.wait).for_each(Vec::clear);
        Ok(())
    }
}

/// Adds parts that are not 0 to their columns. A column ends behind its last such part: most are 0.
fn add(columns: &mut [Vec<f64>; PARTS], row: usize, parts: &Parts) {
    for (part, time) in parts.some().filter(|(_, time)| *time != 0.0) {
        columns[part].resize(row, 0.0);
        columns[part].push(time / 1e3);
    }
}
