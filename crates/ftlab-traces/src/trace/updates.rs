//! Updates of placement handles for inputs that have none: after N bytes a handle moves to a new reclaim unit.

use crate::error::Error;
use crate::request::{Attribute, Attributes, Flags, Input, Request, RequestSource, Wrapping};
use crate::units::Bytes;
use rustc_hash::FxHashMap;

/// Which writes update their handle: the first one that finds N bytes written with it since the last update.
#[derive(Clone, Debug)]
pub struct Updates {
    every: u64,
    /// Bytes since the last update, by handle; only looked up.
    written: FxHashMap<u16, u64>,
}

impl Updates {
    /// After each `every` bytes of a handle.
    #[must_use]
    pub fn new(every: Bytes) -> Self {
        Updates { every: every.0, written: FxHashMap::default() }
    }

    /// Marks a write that updates its handle.
    pub fn mark(&mut self, request: &mut Request) {
        if !request.op.writes() {
            return;
        }
        let written = self.written.entry(request.meta.handle).or_default();
        if *written >= self.every {
            request.meta.flags = request.meta.flags.with(Flags::UPDATE);
            *written = 0;
        }
        *written += u64::from(request.length);
    }
}

/// `input` with updates of handles, if any are requested.
#[must_use]
pub fn updated(input: Box<dyn Input>, every: Option<Bytes>) -> Box<dyn Input> {
    match every {
        None => input,
        Some(every) => Box::new(Updated { input, every }),
    }
}

struct Updated {
    input: Box<dyn Input>,
    every: Bytes,
}

impl Wrapping for Updated {
    fn start(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(Box::new(Source { source: self.input.open()?, updates: Updates::new(self.every) }))
    }

    fn inner(&self) -> &dyn Input {
        self.input.as_ref()
    }

    fn added(&self) -> Attributes {
        Attributes::default().with(Attribute::Update)
    }
}

struct Source {
    source: Box<dyn RequestSource>,
    updates: Updates,
}

impl RequestSource for Source {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let from = batch.len();
        self.source.fill(batch)?;
        batch[from..].iter_mut().for_each(|request| self.updates.mark(request));
        Ok(())
    }

    fn inner(&self) -> Option<&dyn RequestSource> {
        Some(self.source.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Meta, Op};
    use std::sync::Arc;

    #[test]
    fn a_handle_is_updated_after_so_many_bytes_of_it() {
        let request =
            |op, handle| Request::new(op, 0, 4096).with_meta(Meta { handle, ..Meta::UNSET });
        let write = |handle| request(Op::Write, handle);
        let read = request(Op::Read, 1);
        let requests =
            vec![write(1), write(2), read, write(1), write(1), write(2), write(1), write(2)];
        let memory: Arc<[Request]> = requests.into();
        let input = updated(Box::new(memory), Some(Bytes(8192)));
        assert!(input.attributes().has(Attribute::Update));
        let found = input.open().and_then(|mut source| source.rest()).expect("requests");
        let marked = found.iter().map(|request| request.meta.flags.contains(Flags::UPDATE));
        let expected = [false, false, false, false, true, false, false, true];
        assert_eq!(marked.collect::<Vec<_>>(), expected);
    }
}
