//! A log with a row for each request: when it arrived, began and ended, and what its time was spent on.
//!
//! ```text
//! simulation --batches of events--> bounded queue --> a thread that divides times and writes Parquet
//! ```
//!
//! The simulation only copies the counts of the flash; a thread of its own does the rest. Memory is
//! that of the queue and of one row group.

use super::causes::{Causes, PARTS, name};
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::files::WholeFile;
use crate::flash::Ledger;
use crate::request::{Op, Request};
use crate::trace::columnar::table::{Cells, Kind, Table};
use crate::units::Nanos;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender};

/// Events that go to the writer at once.
const BATCH: usize = 2048;

/// Batches that wait for it.
pub const WAITING: usize = 4;

/// Rows of a group.
const GROUP_ROWS: usize = 1 << 15;

/// Whole numbers of a row, behind its operation.
const NUMBERS: [&str; 7] =
    ["request", "volume", "offset", "length", "arrival_ns", "start_ns", "end_ns"];

/// What happened, with all that the flash has done until then.
#[derive(Clone, Debug)]
pub struct Event {
    ledger: Ledger,
    end: Nanos,
    served: Option<Served>,
}

/// A request that was served.
#[derive(Clone, Debug)]
struct Served {
    number: u64,
    request: Request,
    arrival: Nanos,
    start: Nanos,
}

/// Takes events of a simulation and hands them to the writer.
#[derive(Clone, Debug)]
pub struct Recorder {
    events: Vec<Event>,
    /// The counts of the last event.
    seen: Ledger,
    full: SyncSender<Vec<Event>>,
}

impl Recorder {
    /// A recorder whose events go to `full`.
    #[must_use]
    pub fn new(full: SyncSender<Vec<Event>>) -> Self {
        Recorder { events: Vec::with_capacity(BATCH), seen: Ledger::default(), full }
    }

    /// Notes a request by its number from 0, when it was served.
    pub(crate) fn request(
        &mut self,
        (number, request): (u64, &Request),
        ledger: &Ledger,
        (arrival, start, end): (Nanos, Nanos, Nanos),
    ) {
        let served = Some(Served { number, request: *request, arrival, start });
        self.push(Event { ledger: ledger.clone(), end, served });
    }

    /// Notes what was done outside requests until `end`, if anything was.
    pub(crate) fn between(&mut self, ledger: &Ledger, end: Nanos) {
        if *ledger != self.seen {
            self.push(Event { ledger: ledger.clone(), end, served: None });
        }
    }

    fn push(&mut self, event: Event) {
        self.seen.clone_from(&event.ledger);
        self.events.push(event);
        if self.events.len() == BATCH {
            self.flush();
        }
    }

    /// Hands over what waits. A writer that has failed takes nothing, and says why at its end.
    pub(crate) fn flush(&mut self) {
        let events = std::mem::replace(&mut self.events, Vec::with_capacity(BATCH));
        let _ = self.full.send(events);
    }
}

/// Writes the log of a device to a file, until the recorder is dropped.
///
/// # Errors
/// [`Error::Io`] when the file cannot be written.
pub fn write(
    device: &DeviceConfig,
    (file, path): (WholeFile, PathBuf),
    events: &Receiver<Vec<Event>>,
) -> Result<WholeFile, Error> {
    let mut table = Table::new(file, path, &columns())?;
    let mut causes = Causes::new(device);
    let mut rows = Rows::default();
    for event in events.iter().flatten() {
        let Event { ledger, end, served } = event;
        let Some(Served { number, request, arrival, start }) = served else {
            causes.between(&ledger, end);
            continue;
        };
        let parts = causes.note(request.op, &ledger, (arrival, start, end));
        let numbers = [number, request.volume.into(), request.offset, request.length.into()];
        rows.push(request.op, numbers, [arrival, start, end], parts);
        if rows.len() == GROUP_ROWS {
            table.write(&std::mem::take(&mut rows).cells())?;
        }
    }
    if rows.len() > 0 {
        table.write(&rows.cells())?;
    }
    table.finish(&[("ftlab.log", String::from("1"))])
}

/// Every column: numbers, the operation, and the parts of service and of waiting.
fn columns() -> Vec<(String, Kind)> {
    let numbers = NUMBERS.map(|name| (name.to_owned(), Kind::Whole));
    let parts = ["service_us", "wait_us"].into_iter().flat_map(|section| {
        (0..PARTS).map(move |part| (format!("{section}.{}", name(part)), Kind::Real))
    });
    numbers.into_iter().chain([(String::from("op"), Kind::Name)]).chain(parts).collect()
}

/// Rows of a group, column by column.
#[derive(Default)]
struct Rows {
    numbers: [Vec<i64>; NUMBERS.len()],
    ops: Vec<&'static str>,
    service: [Vec<f64>; PARTS],
    wait: [Vec<f64>; PARTS],
}

impl Rows {
    fn len(&self) -> usize {
        self.ops.len()
    }

    fn push(
        &mut self,
        op: Op,
        numbers: [u64; 4],
        times: [Nanos; 3],
        (service, wait): ([f64; PARTS], [f64; PARTS]),
    ) {
        let row = numbers.into_iter().chain(times);
        self.numbers.iter_mut().zip(row).for_each(|(column, value)| column.push(value as i64));
        self.ops.push(op.name());
        for (columns, parts) in [(&mut self.service, service), (&mut self.wait, wait)] {
            columns.iter_mut().zip(parts).for_each(|(column, part)| column.push(part / 1e3));
        }
    }

    fn cells(self) -> Vec<Cells<'static>> {
        let mut cells: Vec<Cells<'static>> = self.numbers.into_iter().map(Cells::Whole).collect();
        cells.push(Cells::Name(self.ops));
        cells.extend(self.service.into_iter().chain(self.wait).map(Cells::Real));
        cells
    }
}
