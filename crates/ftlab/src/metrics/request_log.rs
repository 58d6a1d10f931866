//! A log with a row for each request: when it arrived, began and ended, and what its time was spent on.
//!
//! ```text
//! simulation --batches of events--> bounded queue --> a thread that divides times and writes Parquet
//! ```
//!
//! The simulation notes times and how often the flash did what ([`Recorder`]). The thread of the log
//! divides times, for the result, too. Memory is that of the queue and of one row group.

mod recorder;
mod rows;

use super::causes::{Causes, Parts};
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::files::WholeFile;
use crate::trace::columnar::table::Table;
use recorder::Event;
pub use recorder::{Batch, Recorder, Spares};
use rows::Rows;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

/// Batches that wait for the writer.
pub const WAITING: usize = 16;

/// Rows of a group.
const GROUP_ROWS: usize = 1 << 15;

/// Writes the log of a device to a file, until the recorder is dropped; gives batches back. Returns the file, and what requests
/// spent their time on.
///
/// # Errors
/// [`Error::Io`] when the file cannot be written.
pub fn write(
    device: &DeviceConfig,
    (file, path): (WholeFile, PathBuf),
    batches: &Receiver<Batch>,
    spares: &Spares,
) -> Result<(WholeFile, Causes), Error> {
    let mut table = Table::new(file, path, &rows::columns())?;
    let mut causes = Causes::new(device);
    let mut rows = Rows::default();
    let (mut work, mut wait) = (Parts::NONE, Parts::NONE);
    for batch in batches {
        for (event, done) in batch.events() {
            causes.work(done, &mut work);
            let Event { op, arrival, start, end, .. } = *event;
            let Some(op) = op else {
                causes.between_of(&work, end);
                continue;
            };
            causes.note_of(op, &mut work, &mut wait, (arrival, start, end));
            rows.push(op, event, &work, &wait);
            if rows.len() == GROUP_ROWS {
                rows.write(&mut table)?;
            }
        }
        spares.put(batch);
    }
    if rows.len() > 0 {
        rows.write(&mut table)?;
    }
    Ok((table.finish(&[("ftlab.log", String::from("1"))])?, causes))
}
