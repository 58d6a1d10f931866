//! The server: a thread for each connection, one device behind a lock.
//!
//! A connection has room for one piece of a command and some answers, whatever its client sends; there are at most
//! [`MOST_CONNECTIONS`]. A client that goes, or talks nonsense, ends its own connection alone. What breaks the
//! device (a rule of the flash, an error of the image's disk) ends the server: every request fails from then on.

use crate::fault::Fault;
use crate::live::Live;
use crate::metrics;
use crate::outbox::Outbox;
use crate::protocol::{Errno, Export, LONGEST_MESSAGE, PIECE_BYTES, Piece, Protocol, Step, What};
use crate::stream::{Address, Listener, Stream};
use ftlab::Error;
use ftlab::report::Report;
use ftlab::session::panic_message;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Connections at a time; who comes then is sent away.
pub const MOST_CONNECTIONS: usize = 64;

/// Bytes of answers that are gathered before they are sent.
const GATHERED: usize = PIECE_BYTES as usize;

/// Answers that are gathered before they are sent: few, so that a client takes these while the next are made.
const ANSWERS_GATHERED: u32 = 8;

/// How long a client may think before it sends commands.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How often a thread that waits for clients looks whether it is to end.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// What writes of zeroes write.
static ZEROES: [u8; PIECE_BYTES as usize] = [0; PIECE_BYTES as usize];

/// How a device is served.
#[derive(Clone, Debug)]
pub struct Serving {
    /// Where clients find it.
    pub address: Address,
    /// Where figures are told.
    pub metrics: Option<PathBuf>,
    /// Whether answers wait until the device would have given them.
    pub paced: bool,
}

/// Connections since the server began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Connections {
    /// Accepted.
    pub all: u64,
    /// Sent away, as there were too many.
    pub refused: u64,
    /// Open now.
    pub open: usize,
}

/// A device that is served.
pub struct Server {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// What had broken the device when it was stopped.
    failed: Option<String>,
}

/// What the threads share.
pub(crate) struct Shared {
    live: Mutex<Live>,
    /// Held by whoever is next with the device: so the pieces of a long command let others in between.
    next: Mutex<()>,
    broken: Mutex<Option<Error>>,
    /// Held while the disk is synced: it tells of a failed write once, and whoever waits must not take the next
    /// answer for theirs.
    syncing: Mutex<()>,
    stop: AtomicBool,
    connections: Mutex<(Connections, BTreeMap<u64, Stream>)>,
}

impl Server {
    /// Serves a device until it is [stopped](Server::stop).
    ///
    /// # Errors
    /// When it cannot listen.
    pub fn start(live: Live, serving: &Serving) -> Result<Self, Error> {
        let listener = Listener::bind(&serving.address)?;
        let told = serving.metrics.clone().map(Address::Path);
        let told = told.as_ref().map(Listener::bind).transpose()?;
        let shared = Arc::new(Shared {
            live: Mutex::new(live),
            next: Mutex::default(),
            broken: Mutex::new(None),
            syncing: Mutex::default(),
            stop: AtomicBool::new(false),
            connections: Mutex::default(),
        });
        let (paced, taken) = (serving.paced, Arc::clone(&shared));
        let mut server = Server { shared, threads: Vec::new(), failed: None };
        server.threads.push(begun(move || taken.accept(&listener, paced))?);
        if let Some(told) = told {
            let shared = Arc::clone(&server.shared);
            server.threads.push(begun(move || metrics::tell(&told, &shared))?);
        }
        Ok(server)
    }

    /// Whether nothing has broken the device.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.failed.is_none() && lock(&self.shared.broken).is_none()
    }

    /// The figures, in the text format of Prometheus.
    #[must_use]
    pub fn figures(&self) -> String {
        metrics::text(&self.shared)
    }

    /// What the device says of itself.
    pub fn with<T>(&self, ask: impl FnOnce(&Live) -> T) -> T {
        ask(&lock(&self.shared.live))
    }

    /// Ends all connections, makes everything durable, checks every invariant, and returns the result of the
    /// session.
    ///
    /// # Errors
    /// What has broken the device, now or before.
    pub fn stop(&mut self) -> Result<Report, Error> {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        if let Some(what) = &self.failed {
            return Err(Error::Internal(what.clone()));
        }
        if let Some(error) = lock(&self.shared.broken).take() {
            self.failed = Some(error.to_string());
            return Err(error);
        }
        let mut live = lock(&self.shared.live);
        let closed = catch_unwind(AssertUnwindSafe(|| live.close()));
        closed.unwrap_or_else(|panic| Err(Error::Internal(panic_message(panic.as_ref()))))?;
        Ok(live.report())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}

/// A thread of the server.
fn begun(work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    thread::Builder::new().spawn(work).map_err(|_| Error::no_thread())
}

/// A panic under the lock has broken the device, which is noted elsewhere.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn live(&self) -> MutexGuard<'_, Live> {
        lock(&self.live)
    }

    pub(crate) fn connections(&self) -> Connections {
        let connections = lock(&self.connections);
        Connections { open: connections.1.len(), ..connections.0 }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn accept(self: &Arc<Self>, listener: &Listener, paced: bool) {
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        while !self.is_over() {
            let Ok(Some(stream)) = listener.accept() else {
                thread::sleep(LOOK);
                continue;
            };
            threads.retain(|thread| !thread.is_finished());
            if let Some(number) = self.enter(&stream) {
                let shared = Arc::clone(self);
                let serving = begun(move || {
                    // The client has gone, or its connection was ended.
                    let _ = Connection::serve(&shared, stream, paced);
                    lock(&shared.connections).1.remove(&number);
                });
                match serving {
                    Ok(thread) => threads.push(thread),
                    // The client is sent away.
                    Err(_) => drop(lock(&self.connections).1.remove(&number)),
                }
            }
        }
        lock(&self.connections).1.values().for_each(Stream::end);
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }

    /// Takes a connection in; `None` if there are too many.
    fn enter(&self, stream: &Stream) -> Option<u64> {
        let (counts, open) = &mut *lock(&self.connections);
        let room = open.len() < MOST_CONNECTIONS;
        let Some(again) = stream.again().ok().filter(|_| room) else {
            counts.refused += 1;
            return None;
        };
        counts.all += 1;
        open.insert(counts.all, again);
        Some(counts.all)
    }

    /// Does something with the device, unless that is broken.
    fn attempt<T>(&self, act: impl FnOnce(&mut Live) -> Result<T, Fault>) -> Result<T, Errno> {
        let next = lock(&self.next);
        let mut live = lock(&self.live);
        drop(next);
        if lock(&self.broken).is_some() {
            return Err(Errno::IO);
        }
        let acted = catch_unwind(AssertUnwindSafe(|| act(&mut live)));
        let error = match acted {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(Fault::Damaged)) => return Err(Errno::IO),
            Ok(Err(Fault::Fatal(error))) => error,
            Err(panic) => Error::Internal(panic_message(panic.as_ref())),
        };
        self.break_down(error);
        Err(Errno::IO)
    }

    fn break_down(&self, error: Error) {
        lock(&self.broken).get_or_insert(error);
    }

    /// Makes durable what was acknowledged, while others go on.
    fn flush(&self) -> Result<(), Errno> {
        let _alone = lock(&self.syncing);
        let flush = self.attempt(Live::begin_flush)?;
        if let Err(source) = crate::image::disk::Disk::sync(&*flush.disk) {
            let path = self.live().path().to_owned();
            self.break_down(Error::Io { path, source });
            return Err(Errno::IO);
        }
        self.attempt(|live| {
            live.end_flush(&flush);
            Ok(())
        })
    }
}

/// A conversation with a client.
struct Connection<'a> {
    shared: &'a Shared,
    stream: Arc<Stream>,
    protocol: Protocol,
    input: Vec<u8>,
    output: Vec<u8>,
    outbox: Outbox,
}

impl<'a> Connection<'a> {
    fn serve(shared: &'a Shared, stream: Stream, paced: bool) -> io::Result<()> {
        let (bytes, sector, preferred) = {
            let live = shared.live();
            (live.capacity(), live.sector(), live.page_bytes())
        };
        let stream = Arc::new(stream);
        let mut output = Vec::new();
        let protocol = Protocol::greet(Export { bytes, sector, preferred }, &mut output);
        stream.set_read_timeout(Some(HANDSHAKE))?;
        let outbox = Outbox::new(Arc::clone(&stream), paced)?;
        let input = Vec::new();
        let mut connection = Connection { shared, stream, protocol, input, output, outbox };
        let ended = connection.talk();
        connection.outbox.close();
        // Another handle of the connection is open.
        connection.stream.end();
        ended
    }

    fn talk(&mut self) -> io::Result<()> {
        let mut room = vec![0; LONGEST_MESSAGE];
        let mut greeted = false;
        loop {
            let now = Instant::now();
            if !self.work()? {
                return self.outbox.send(&mut self.output, now, false);
            }
            if !self.output.is_empty() {
                self.outbox.send(&mut self.output, now, false)?;
            }
            if !greeted && self.protocol.is_open() {
                greeted = true;
                self.stream.set_read_timeout(None)?;
            }
            let free = LONGEST_MESSAGE - self.input.len();
            match (&*self.stream).read(&mut room[..free])? {
                0 => return Ok(()),
                count => self.input.extend(&room[..count]),
            }
        }
    }

    /// Deals with all whole messages of the input; returns whether the conversation goes on.
    fn work(&mut self) -> io::Result<bool> {
        let (mut done, mut gathered) = (0, 0);
        let goes_on = loop {
            let head = self.output.len();
            match self.protocol.step(&self.input[done..], &mut self.output) {
                Step::Starved => break true,
                Step::Closed => break false,
                Step::Do(..) if self.shared.is_over() => break false,
                Step::Took(bytes) => done += bytes,
                Step::Do(bytes, piece) => {
                    let data = done + piece.data.start..done + piece.data.end;
                    let whole = piece.last && head == 0;
                    let due = self.act(&piece, data, head);
                    done += bytes;
                    gathered += u32::from(piece.last);
                    let full = gathered >= ANSWERS_GATHERED || self.output.len() >= GATHERED;
                    if full || !self.outbox.gathers() {
                        self.outbox.send(&mut self.output, due, whole)?;
                        gathered = 0;
                    }
                }
            }
        };
        self.input.drain(..done);
        Ok(goes_on)
    }

    /// Does a piece and answers it; returns when the answer is due.
    fn act(&mut self, piece: &Piece, data: std::ops::Range<usize>, head: usize) -> Instant {
        let Piece { what, offset, length, .. } = *piece;
        let (input, output) = (&self.input, &mut self.output);
        let now = Instant::now();
        let acted = self.shared.attempt(|live| match what {
            What::Flush => live.flush(),
            _ if length == 0 => Ok(now),
            What::Read => live.read(offset, length, output),
            What::Write => live.write(offset, &input[data], piece.durable),
            What::Zero => live.write(offset, &ZEROES[..length as usize], piece.durable),
            What::Trim => live.trim(offset, length),
        });
        let acted = acted.and_then(|due| match piece.durable {
            true => self.shared.flush().map(|()| due),
            false => Ok(due),
        });
        match acted {
            Ok(due) => {
                self.protocol.done(piece, &mut self.output);
                due
            }
            Err(errno) => {
                self.output.truncate(head);
                self.protocol.failed(piece, errno, &mut self.output);
                now
            }
        }
    }
}
