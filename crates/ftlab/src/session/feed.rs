//! The input as the points of a session read it: one thread decodes each pass for all of them.

use super::cores::Turn;
use crate::error::Error;
use crate::request::{Attributes, Input, Request, RequestSource};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Most batches that wait for a simulation. It bounds memory and the length of a turn on a core, which
/// should be long enough for the device to be loaded into the CPU's caches.
const QUEUED_BATCHES: usize = 32;

type Batch = Arc<Vec<Request>>;

/// Where the batches of a pass go; an empty one ends it.
pub type Queue = SyncSender<Batch>;

/// One point's view of the input.
pub struct Feed<'a> {
    input: &'a dyn Input,
    asks: Sender<Queue>,
}

impl<'a> Feed<'a> {
    /// A view, and the receiver of its requests: one queue for each pass, until the point has ended.
    pub fn new(input: &'a dyn Input) -> (Self, Receiver<Queue>) {
        let (asks, asked) = channel();
        (Feed { input, asks }, asked)
    }
}

impl Input for Feed<'_> {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        let (queue, batches) = sync_channel(QUEUED_BATCHES);
        self.asks.send(queue).map_err(|_| Error::Interrupted)?;
        Ok(Box::new(Pass(batches)))
    }

    fn name(&self) -> String {
        self.input.name()
    }

    fn format(&self) -> String {
        self.input.format()
    }

    fn attributes(&self) -> Attributes {
        self.input.attributes()
    }
}

struct Pass(Receiver<Batch>);

impl RequestSource for Pass {
    /// Takes the next batch; while there is none, it waits without a core. If the queue is closed before
    /// the end of the pass, the run has failed.
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let next = self.0.try_recv().or_else(|_| Turn::pause(|| self.0.recv()));
        let next = next.map_err(|_| Error::Interrupted)?;
        match Arc::try_unwrap(next) {
            Ok(owned) if batch.is_empty() => *batch = owned,
            Ok(owned) => batch.extend(owned),
            Err(shared) => batch.extend_from_slice(&shared),
        }
        Ok(())
    }
}
