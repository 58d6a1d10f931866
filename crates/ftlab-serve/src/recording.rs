//! A session as a trace: every request that reached the FTL, in order, at its time.
//!
//! A CSV file with the columns `time` (ns after the first request), `offset` and `length` (B), and `op`. What a kill
//! leaves of it ends in the midst of a line at most.

use ftlab::Error;
use ftlab::request::{Op, Request};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that requests are written to.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    to: BufWriter<File>,
}

impl Recording {
    /// A new file.
    ///
    /// # Errors
    /// Those of the system; it must not exist.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create_new(path).map_err(crate::fault::at(path))?;
        let mut to = BufWriter::new(file);
        writeln!(to, "time,offset,length,op").map_err(crate::fault::at(path))?;
        Ok(Recording { path: path.to_owned(), to })
    }

    /// Adds a request.
    ///
    /// # Errors
    /// Those of the system.
    pub fn add(&mut self, request: &Request) -> Result<(), Error> {
        let Request { time, offset, length, op, .. } = *request;
        let op = match op {
            Op::Read => "r",
            Op::Write => "w",
            Op::Trim => "t",
            Op::Flush => "f",
            Op::WriteThrough => "fua",
        };
        self.checked(|to| writeln!(to, "{time},{offset},{length},{op}"))
    }

    /// Writes what is still in RAM.
    ///
    /// # Errors
    /// Those of the system.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.checked(Write::flush)
    }

    fn checked(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), Error> {
        write(&mut self.to).map_err(crate::fault::at(&self.path))
    }
}
