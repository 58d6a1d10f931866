//! Sockets: of a path, which only its owner may open, and of an address, where that is asked for.

use crate::fault::at;
use ftlab::Error;
use rustix::fs::Mode;
use rustix::process::umask;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

/// Where clients find the server.
#[derive(Clone, Debug)]
pub enum Address {
    /// A file, made with mode 0600.
    Path(PathBuf),
    /// `host:port`: whoever reaches it may read and write everything.
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

/// A socket that clients connect to. Its file goes with it.
#[derive(Debug)]
pub enum Listener {
    /// Of a path.
    Path(UnixListener, PathBuf),
    /// Of an address.
    Tcp(TcpListener),
}

/// A connection.
#[derive(Debug)]
pub enum Stream {
    /// Of a path.
    Path(UnixStream),
    /// Of an address.
    Tcp(TcpStream),
}

impl Listener {
    /// A socket, which does not wait when nobody connects. One that another process has left is replaced.
    ///
    /// # Errors
    /// Those of the system; [`Error::Config`] when somebody listens there.
    pub fn bind(address: &Address) -> Result<Self, Error> {
        let in_use = || {
            let message = format!("found {address}, where somebody listens, expected another");
            Error::config("socket", message)
        };
        let named = PathBuf::from(address.to_string());
        let failed = at(&named);
        match address {
            Address::Tcp(address) => {
                let listener = TcpListener::bind(address).map_err(&failed)?;
                listener.set_nonblocking(true).map_err(&failed)?;
                Ok(Listener::Tcp(listener))
            }
            Address::Path(path) => {
                match UnixStream::connect(path) {
                    Ok(_) => return Err(in_use()),
                    // Left by a server that is gone. Of another file binding says that it is there.
                    Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                        if std::fs::symlink_metadata(path)
                            .is_ok_and(|it| it.file_type().is_socket())
                        {
                            std::fs::remove_file(path).map_err(&failed)?;
                        }
                    }
                    Err(_) => {}
                }
                let before = umask(Mode::from_raw_mode(0o177));
                let bound = UnixListener::bind(path);
                umask(before);
                let listener = bound.map_err(&failed)?;
                listener.set_nonblocking(true).map_err(&failed)?;
                Ok(Listener::Path(listener, path.clone()))
            }
        }
    }

    /// Who has connected; `None` if nobody has.
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

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Path(_, path) = self {
            let _ = std::fs::remove_file(path);
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

    /// How long a read waits.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        either!(self, stream => stream.set_read_timeout(timeout))
    }

    /// How long a write waits.
    ///
    /// # Errors
    /// Those of the system.
    pub fn set_write_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        either!(self, stream => stream.set_write_timeout(timeout))
    }

    /// The same connection once more.
    ///
    /// # Errors
    /// Those of the system.
    pub fn again(&self) -> io::Result<Self> {
        match self {
            Stream::Path(stream) => stream.try_clone().map(Stream::Path),
            Stream::Tcp(stream) => stream.try_clone().map(Stream::Tcp),
        }
    }

    /// Ends the connection, for whoever waits on it, too.
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
