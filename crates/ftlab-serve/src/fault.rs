//! What can go wrong with a device at work.

use ftlab::Error;
use std::io;
use std::path::Path;

/// Why a request failed.
#[derive(Debug)]
pub enum Fault {
    /// A page is not what was written to it. The device goes on.
    Damaged,
    /// The image can no longer be trusted to take what is written: nothing goes on.
    Fatal(Error),
}

/// The error of a file.
pub fn at(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    |source| Error::Io { path: path.to_owned(), source }
}
