//! Answers on their way to a client: at once, or when the device would have given them.

use crate::stream::Stream;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Answers that wait on a connection at most; who sends more waits.
const MOST_WAITING: usize = 64;

/// When an answer is due, which in turn it is, and its bytes.
type Due = Reverse<(Instant, u64, Vec<u8>)>;

/// Answers on their way to a client.
#[derive(Debug)]
pub enum Outbox {
    /// At once.
    Now(Arc<Stream>),
    /// When they are due.
    Paced(Paced),
}

/// Answers that leave when they are due.
#[derive(Debug)]
pub struct Paced {
    to: SyncSender<Due>,
    sender: JoinHandle<()>,
    sent: u64,
    /// The latest so far.
    latest: Instant,
    /// Nothing leaves before: a command in several pieces, whose bytes belong together.
    earliest: Instant,
}

impl Outbox {
    /// That of a connection.
    ///
    /// # Errors
    /// Those of the system, which has no thread for a paced one.
    pub fn new(stream: Arc<Stream>, paced: bool) -> io::Result<Self> {
        if !paced {
            return Ok(Outbox::Now(stream));
        }
        let (to, from) = sync_channel(MOST_WAITING);
        let sender = thread::Builder::new().spawn(move || {
            if send_when_due(&stream, &from).is_err() {
                stream.end();
            }
        })?;
        let now = Instant::now();
        Ok(Outbox::Paced(Paced { to, sender, sent: 0, latest: now, earliest: now }))
    }

    /// Sends an answer, or a part of one; `whole` if nothing of it went before and it ends here.
    ///
    /// # Errors
    /// Those of the system; the client is gone.
    pub fn send(&mut self, bytes: &mut Vec<u8>, due: Instant, whole: bool) -> io::Result<()> {
        match self {
            Outbox::Now(stream) => {
                (&**stream).write_all(bytes)?;
                bytes.clear();
                Ok(())
            }
            Outbox::Paced(paced) => paced.send(std::mem::take(bytes), due, whole),
        }
    }

    /// Whether answers may be gathered before they are sent.
    #[must_use]
    pub const fn gathers(&self) -> bool {
        matches!(self, Outbox::Now(_))
    }

    /// Waits until all have left.
    pub fn close(self) {
        if let Outbox::Paced(Paced { to, sender, .. }) = self {
            drop(to);
            let _ = sender.join();
        }
    }
}

impl Paced {
    fn send(&mut self, bytes: Vec<u8>, due: Instant, whole: bool) -> io::Result<()> {
        let due = if whole { due.max(self.earliest) } else { due.max(self.latest) };
        self.latest = self.latest.max(due);
        if !whole {
            self.earliest = due;
        }
        self.sent += 1;
        let sent = self.to.send(Reverse((due, self.sent, bytes)));
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

fn send_when_due(mut stream: &Stream, from: &Receiver<Due>) -> io::Result<()> {
    let mut waiting: BinaryHeap<Due> = BinaryHeap::new();
    loop {
        let Some(Reverse((due, ..))) = waiting.peek() else {
            match from.recv() {
                Ok(answer) => waiting.push(answer),
                Err(_) => return Ok(()),
            }
            continue;
        };
        let left = due.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            if waiting.len() >= MOST_WAITING {
                thread::sleep(left);
            } else {
                match from.recv_timeout(left) {
                    Ok(answer) => {
                        waiting.push(answer);
                        continue;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => thread::sleep(left),
                }
            }
        }
        if let Some(Reverse((.., bytes))) = waiting.pop() {
            stream.write_all(&bytes)?;
        }
    }
}
