//! What a simulation notes of its requests: as little as another thread needs to tell the rest.

use crate::flash::Ledger;
use crate::metrics::causes::Done;
use crate::request::{Op, Request};
use crate::units::Nanos;
use std::mem;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

/// Events that go to the writer at once.
const BATCH: usize = 2048;

/// A request that was served, or work outside requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// The operation of the request; `None` of work outside requests, which has an end only.
    pub(super) op: Option<Op>,
    /// Entries of [`Batch::done`].
    done: u32,
    pub(super) volume: u32,
    pub(super) length: u32,
    pub(super) offset: u64,
    pub(super) arrival: Nanos,
    pub(super) start: Nanos,
    pub(super) end: Nanos,
}

/// Events, and the flash operations of each.
#[derive(Clone, Debug)]
pub struct Batch {
    events: Vec<Event>,
    /// What the flash did for the first event, for the second, and on.
    done: Vec<Done>,
}

impl Batch {
    fn new() -> Self {
        Batch { events: Vec::with_capacity(BATCH), done: Vec::with_capacity(2 * BATCH) }
    }

    /// Each event with what the flash did for it.
    pub(super) fn events(&self) -> impl Iterator<Item = (&Event, &[Done])> {
        let mut rest = self.done.as_slice();
        self.events.iter().map(move |event| {
            let (done, later) = rest.split_at(event.done as usize);
            rest = later;
            (event, done)
        })
    }
}

/// Batches that were written, to be filled again: new memory for each takes as long as filling it.
#[derive(Clone, Debug, Default)]
pub struct Spares(Arc<Mutex<Vec<Batch>>>);

impl Spares {
    fn take(&self) -> Option<Batch> {
        self.0.lock().ok()?.pop()
    }

    /// Takes a batch that was written.
    pub(super) fn put(&self, mut batch: Batch) {
        batch.events.clear();
        batch.done.clear();
        if let Ok(mut spares) = self.0.lock() {
            spares.push(batch);
        }
    }
}

/// Takes events of a simulation and hands them to the writer.
#[derive(Clone, Debug)]
pub struct Recorder {
    batch: Batch,
    /// The counts of the last event.
    seen: Ledger,
    full: SyncSender<Batch>,
    spares: Spares,
}

impl Recorder {
    /// A recorder whose events go to `full` in batches, which come back as spares.
    #[must_use]
    pub fn new(full: SyncSender<Batch>, spares: Spares) -> Self {
        Recorder { batch: Batch::new(), seen: Ledger::default(), full, spares }
    }

    /// Notes a request that arrived, was begun and was complete at these times.
    pub(crate) fn request(
        &mut self,
        request: &Request,
        ledger: &Ledger,
        (arrival, start, end): (Nanos, Nanos, Nanos),
    ) {
        let Request { op, volume, length, offset, .. } = *request;
        let done = self.done(ledger);
        self.push(Event { op: Some(op), done, volume, length, offset, arrival, start, end });
    }

    /// Notes what was done outside requests until `end`, if anything was.
    pub(crate) fn between(&mut self, ledger: &Ledger, end: Nanos) {
        let done = self.done(ledger);
        if done > 0 {
            let (arrival, start) = (end, end);
            self.push(Event {
                op: None,
                done,
                volume: 0,
                length: 0,
                offset: 0,
                arrival,
                start,
                end,
            });
        }
    }

    /// Notes what the flash did after the last event; returns the number of entries.
    fn done(&mut self, ledger: &Ledger) -> u32 {
        let Recorder { batch: Batch { done, .. }, seen, .. } = self;
        let before = done.len();
        ledger.since(seen, |operation, cause, count| done.push(Done { operation, cause, count }));
        // An event has at most one for each cell of the ledger.
        (done.len() - before) as u32
    }

    fn push(&mut self, event: Event) {
        self.batch.events.push(event);
        if self.batch.events.len() == BATCH {
            self.flush();
        }
    }

    /// Hands over what waits. A writer that has failed takes nothing, and says why at its end.
    pub(crate) fn flush(&mut self) {
        let next = self.spares.take().unwrap_or_else(Batch::new);
        let _ = self.full.send(mem::replace(&mut self.batch, next));
    }
}
