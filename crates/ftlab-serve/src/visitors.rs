//! The clients of a socket. Each has a separate thread, so none waits for another, and their number
//! is limited.

use crate::stream::{Listener, Stream};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

/// How often a thread that waits for clients checks whether it must end.
const LOOK: Duration = Duration::from_millis(10);

/// Connections since the server began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Connections {
    /// Accepted.
    pub all: u64,
    /// Refused, as there were too many.
    pub refused: u64,
    /// Open now.
    pub open: usize,
}

/// The clients of a socket.
pub(crate) struct Visitors {
    most: usize,
    present: Mutex<(Connections, BTreeMap<u64, Stream>)>,
}

impl Visitors {
    pub(crate) fn new(most: usize) -> Self {
        Visitors { most, present: Mutex::default() }
    }

    pub(crate) fn counts(&self) -> Connections {
        let present = self.present();
        Connections { open: present.1.len(), ..present.0 }
    }

    /// Serves clients until the server ends. Then all connections are ended.
    pub(crate) fn receive(
        &self,
        listener: &Listener,
        is_over: impl Fn() -> bool,
        serve: impl Fn(Stream) + Sync,
    ) {
        let serve = &serve;
        thread::scope(|scope| {
            while !is_over() {
                let Ok(Some(stream)) = listener.accept() else {
                    thread::sleep(LOOK);
                    continue;
                };
                let Some(number) = self.enter(&stream) else { continue };
                let visit = move || {
                    // A panic in a conversation ends only that one.
                    let _ = catch_unwind(AssertUnwindSafe(|| serve(stream)));
                    self.leave(number);
                };
                if Builder::new().spawn_scoped(scope, visit).is_err() {
                    self.leave(number);
                }
            }
            self.present().1.values().for_each(Stream::end);
        });
    }

    /// Accepts a client; `None` if there are too many.
    fn enter(&self, stream: &Stream) -> Option<u64> {
        let (counts, open) = &mut *self.present();
        let room = open.len() < self.most;
        let Some(again) = stream.again().ok().filter(|_| room) else {
            counts.refused += 1;
            return None;
        };
        counts.all += 1;
        open.insert(counts.all, again);
        Some(counts.all)
    }

    fn leave(&self, number: u64) {
        self.present().1.remove(&number);
    }

    fn present(&self) -> MutexGuard<'_, (Connections, BTreeMap<u64, Stream>)> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
