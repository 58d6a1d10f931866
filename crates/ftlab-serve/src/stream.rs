//! Sockets: of a path, which only its owner may open, or of an address, if requested.

use crate::fault::at;
use ftlab::Error;
use rustix::fs::Mode;
use rustix::process::umask;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The address at which clients find the server.
#[derive(Clone, Debug)]
pub enum Address {
    /// A file, made with mode 0600.
    Path(PathBuf),
    /// `host:port`: all who reach it may read and write everything.
    Tcp(String),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Path(path) => path.display().fmt(f),
            Address::Tcp(address) => address.fmt(f),
        }
    }
}

/// A socket that clients connect to. Dropping it removes its file.
#[derive(Debug)]
pub enum Listener {
    /// At a path.
    Path(UnixListener, SocketFile),
    /// At an address.
    Tcp(TcpListener),
}

/// The file of a socket. Dropping it removes the file, if that is still the one that was made.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    made: Option<(u64, u64)>,
}

/// A connection.
#[derive(Debug)]
pub enum Stream {
    /// At a path.
    Path(UnixStream),
    /// At an address.
    Tcp(TcpStream),
}

impl Listener {
    /// Binds a socket that does not wait for clients. A socket that an ended process left is
    /// replaced.
    ///
    /// # Errors
    /// Those of the system; [`Error::Config`] if another process listens there or it is another
    /// file.
    pub fn bind(address: &Address) -> Result<Self, Error> {
        match address {
            Address::Tcp(address) => {
                let named = PathBuf::from(address);
                let bind = || {
                    let listener = TcpListener::bind(address)?;
                    listener.set_nonblocking(true)?;
                    Ok(Listener::Tcp(listener))
                };
                bind().map_err(at(&named))
            }
            Address::Path(path) => {
                make_way(path)?;
                bind(path).map_err(at(path))
            }
        }
    }

    /// The next client; `None` if there is none.
    ///
    /// # Errors
    /// Those of the system.
    pub fn accept(&self) -> io::Result<Option<Stream>> {
        let accepted = match self {
            Listener::Path(listener, _) => {
                listener.accept().map(|(stream, _)| Stream::Path(stream))
            }
            Listener::Tcp(listener) => listener.accept().and_then(|(stream, _)| {
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }),
        };
        match accepted {
            Ok(stream) => stream.set_blocking().map(|()| Some(stream)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Removes the socket file of a server that has ended, and refuses any other file.
fn make_way(path: &Path) -> Result<(), Error> {
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(at(path)(error)),
    };
    let refused = |what| {
        let message = format!("found {}, {what}, expected another name", path.display());
        Error::config("socket", message)
    };
    if !found.file_type().is_socket() {
        return Err(refused("which is there and is no socket"));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(at(path))
        }
        Err(error) => Err(at(path)(error)),
        Ok(_) => Err(refused("where somebody listens")),
    }
}

fn bind(path: &Path) -> io::Result<Listener> {
    let before = umask(Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    umask(before);
    let listener = bound?;
    listener.set_nonblocking(true)?;
    Ok(Listener::Path(listener, SocketFile { path: path.to_owned(), made: identity(path) }))
}

/// The identity of a file, independent of its name.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = std::fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.made.is_some() && identity(&self.path) == self.made {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

macro_rules! either {
    ($stream:expr, $inner:ident => $does:expr) => {
        match $stream {
            Stream::Path($inner) => $does,
            Stream::Tcp($inner) => $does,
        }
    };
}

impl Stream {
    fn set_blocking(&self) -> io::Result<()> {
        either!(self, stream => stream.set_nonblocking(false))
    }

    /// Sets how long a read waits.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        either!(self, stream => stream.set_read_timeout(timeout))
    }

    /// Sets how long a write waits.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_write_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        either!(self, stream => stream.set_write_timeout(timeout))
    }

    /// Another handle of the same connection.
    ///
    /// # Errors
    /// Those of the system.
    pub fn again(&self) -> io::Result<Self> {
        match self {
            Stream::Path(stream) => stream.try_clone().map(Stream::Path),
            Stream::Tcp(stream) => stream.try_clone().map(Stream::Tcp),
        }
    }

    /// Ends the connection, also for threads that wait on it.
    pub fn end(&self) {
        let _ = either!(self, stream => stream.shutdown(Shutdown::Both));
    }
}

impl Read for &Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        either!(self, stream => (&*stream).read(bytes))
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, stream => (&*stream).write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A connection with a deadline, which no read or write exceeds, whatever the other end does.
#[derive(Debug)]
pub struct Until<'a> {
    stream: &'a Stream,
    end: Instant,
}

impl<'a> Until<'a> {
    /// A connection with this much time from now on.
    #[must_use]
    pub fn new(stream: &'a Stream, patience: Duration) -> Self {
        Until { stream, end: Instant::now() + patience }
    }

    /// The time that is left.
    ///
    /// # Errors
    /// When none is left.
    pub fn left(&self) -> io::Result<Duration> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Until<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        let mut stream = self.stream;
        stream.read(bytes)
    }
}

impl Write for Until<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        let mut stream = self.stream;
        stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
