//! The thread of the log: divides times and writes the file.

use super::recorder::{Batch, Event, Spares};
use super::rows::{self, Rows};
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::files::WholeFile;
use crate::metrics::causes::{Causes, Parts};
use crate::trace::columnar::table::Table;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

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
