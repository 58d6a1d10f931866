//! The server: one thread per connection, one device behind a lock.
//!
//! A connection has room for one piece of a command and some answers, whatever its client sends.
//! There are at most [`MOST_CONNECTIONS`]. A client that leaves or sends invalid messages ends only
//! its connection. A broken flash rule or an error of the image's disk ends the server: every later
//! request fails.

use crate::fault::Fault;
use crate::live::Live;
use crate::metrics;
use crate::outbox::Outbox;
use crate::protocol::{Errno, Export, LONGEST_MESSAGE, PIECE_BYTES, Piece, Protocol, Step, What};
use crate::stream::{Address, Listener, Stream, Until};
use crate::visitors::{Connections, Visitors};
use ftlab::Error;
use ftlab::report::Report;
use ftlab::session::panic_message;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The most connections at a time; further clients are refused.
pub const MOST_CONNECTIONS: usize = 64;

/// Bytes of answers that are buffered before they are sent.
const GATHERED: usize = PIECE_BYTES as usize;

/// Answers that are buffered before they are sent: few, so that a client receives these while the
/// next are made.
const ANSWERS_GATHERED: u32 = 8;

/// The total time of a client before it sends commands.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The data of writes of zeroes.
static ZEROES: [u8; PIECE_BYTES as usize] = [0; PIECE_BYTES as usize];

/// How a device is served.
#[derive(Clone, Debug)]
pub struct Serving {
    /// The address for clients.
    pub address: Address,
    /// The socket for metrics.
    pub metrics: Option<PathBuf>,
    /// Whether answers wait until the simulated device would have given them.
    pub paced: bool,
}

/// The sockets of a server, which does not answer yet.
#[derive(Debug)]
pub struct Sockets {
    clients: Listener,
    figures: Option<Listener>,
    paced: bool,
}

impl Serving {
    /// Binds the sockets before there is a device, so that none is made if this fails. Clients
    /// wait.
    ///
    /// # Errors
    /// When it cannot listen.
    pub fn listen(&self) -> Result<Sockets, Error> {
        let clients = Listener::bind(&self.address)?;
        let figures = self.metrics.clone().map(Address::Path);
        let figures = figures.as_ref().map(Listener::bind).transpose()?;
        Ok(Sockets { clients, figures, paced: self.paced })
    }
}

/// A device that is being served.
pub struct Server {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// What had broken the device when it was stopped.
    failed: Option<String>,
}

/// What the threads share.
pub(crate) struct Shared {
    live: Mutex<Live>,
    /// Held by the next user of the device, so the pieces of a long command let other requests in
    /// between.
    next: Mutex<()>,
    broken: Mutex<Option<Error>>,
    /// Held while the disk is synced. The system reports a failed write once, and a waiting thread
    /// must not take the next answer for its own.
    syncing: Mutex<()>,
    stop: AtomicBool,
    clients: Visitors,
}

impl Server {
    /// Serves a device until it is [stopped](Server::stop).
    ///
    /// # Errors
    /// When a thread cannot begin.
    pub fn start(live: Live, sockets: Sockets) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            live: Mutex::new(live),
            next: Mutex::default(),
            broken: Mutex::new(None),
            syncing: Mutex::default(),
            stop: AtomicBool::new(false),
            clients: Visitors::new(MOST_CONNECTIONS),
        });
        let Sockets { clients, figures, paced } = sockets;
        let taken = Arc::clone(&shared);
        let mut server = Server { shared, threads: Vec::new(), failed: None };
        server.threads.push(begun(move || taken.take_in(&clients, paced))?);
        if let Some(figures) = figures {
            let shared = Arc::clone(&server.shared);
            server.threads.push(begun(move || metrics::tell(&figures, &shared))?);
        }
        Ok(server)
    }

    /// Whether the device is not broken.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.failed.is_none() && lock(&self.shared.broken).is_none()
    }

    /// The metrics, in the text format of Prometheus.
    #[must_use]
    pub fn figures(&self) -> String {
        metrics::text(&self.shared)
    }

    /// Returns what `ask` reads from the device.
    pub fn with<T>(&self, ask: impl FnOnce(&Live) -> T) -> T {
        ask(&lock(&self.shared.live))
    }

    /// Ends all connections, makes everything durable, checks every invariant, and returns the result of the
    /// session.
    ///
    /// # Errors
    /// The error that has broken the device, now or before.
    pub fn stop(&mut self) -> Result<Report, Error> {
        self.end();
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

impl Server {
    /// Ends all connections and removes the sockets.
    fn end(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
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
        self.clients.counts()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn take_in(&self, listener: &Listener, paced: bool) {
        // A client that has left, or whose connection was ended, is no error.
        let serve = |stream| drop(Connection::serve(self, stream, paced));
        self.clients.receive(listener, || self.is_over(), serve);
    }

    /// Uses the device, unless it is broken.
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

    /// Makes acknowledged writes durable while other requests continue.
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
        let (bytes, sector, preferred, names) = {
            let live = shared.live();
            (live.capacity(), live.sector(), live.page_bytes(), live.exports())
        };
        let stream = Arc::new(stream);
        let mut output = Vec::new();
        let protocol = Protocol::greet(Export { bytes, sector, preferred, names }, &mut output);
        stream.set_write_timeout(Some(HANDSHAKE))?;
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
        let stream = Arc::clone(&self.stream);
        let mut handshake = Some(Until::new(&stream, HANDSHAKE));
        loop {
            let now = Instant::now();
            if !self.work()? {
                return self.outbox.send(&mut self.output, now, false);
            }
            if !self.output.is_empty() {
                self.outbox.send(&mut self.output, now, false)?;
            }
            if handshake.is_some() && self.protocol.is_open() {
                handshake = None;
                stream.set_read_timeout(None)?;
                stream.set_write_timeout(None)?;
            }
            let free = &mut room[..LONGEST_MESSAGE - self.input.len()];
            let read = match &mut handshake {
                Some(handshake) => handshake.read(free),
                None => (&*stream).read(free),
            };
            match read? {
                0 => return Ok(()),
                count => self.input.extend(&room[..count]),
            }
        }
    }

    /// Executes all whole messages of the input; returns whether the conversation continues.
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

    /// Executes a piece and answers it; returns when the answer is due.
    fn act(&mut self, piece: &Piece, data: std::ops::Range<usize>, head: usize) -> Instant {
        let Piece { what, offset, length, .. } = *piece;
        let (input, output) = (&self.input, &mut self.output);
        let chosen = self.protocol.chosen();
        let now = Instant::now();
        let acted = self.shared.attempt(|live| match what {
            What::Flush => live.flush(),
            _ if length == 0 => Ok(now),
            What::Read => live.read(offset, length, output),
            What::Write => live.write(chosen, offset, &input[data], piece.durable),
            What::Zero => live.write(chosen, offset, &ZEROES[..length as usize], piece.durable),
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
