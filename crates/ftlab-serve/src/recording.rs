//! A session as a trace: every request that reached the FTL, in order, at its time.
//!
//! A CSV file with the columns `time` (ns after the first request), `offset` and `length` (B),
//! `op`, `hint` if writes have handles, and `update` if these are updated. After a kill, at most
//! its last line is incomplete.

use ftlab::Error;
use ftlab::files::{Partial, Place};
use ftlab::request::{Attributes, Op, Request};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that requests are written to.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    to: BufWriter<File>,
    attributes: Attributes,
}

/// A recording before there is a session.
#[derive(Debug)]
pub struct Begun {
    path: PathBuf,
    file: Partial,
    attributes: Attributes,
}

impl Begun {
    /// Gives the file its name.
    ///
    /// # Errors
    /// Those of the system; no file may have the name.
    pub fn start(self) -> Result<Recording, Error> {
        let Self { path, file, attributes } = self;
        let to = BufWriter::new(file.held().try_clone().map_err(crate::fault::at(&path))?);
        file.take_place(&path, Place::New).map_err(crate::fault::at(&path))?;
        Ok(Recording { path, to, attributes })
    }
}

impl Recording {
    /// A new file, which gets its name when the session starts; with handles if requests have them.
    ///
    /// # Errors
    /// Those of the system; the file must not exist.
    pub fn begin(path: &Path, attributes: Attributes) -> Result<Begun, Error> {
        let failed = crate::fault::at(path);
        if path.symlink_metadata().is_ok() {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        let file = Partial::file(path, false)?;
        let names: String = attributes.iter().map(|one| format!(",{}", one.name())).collect();
        writeln!(file.held(), "time,offset,length,op{names}").map_err(failed)?;
        Ok(Begun { path: path.to_owned(), file, attributes })
    }

    /// Adds a request.
    ///
    /// # Errors
    /// Those of the system.
    pub fn add(&mut self, request: &Request) -> Result<(), Error> {
        let Request { time, offset, length, op, meta, .. } = *request;
        let op = match op {
            Op::Read => "r",
            Op::Write => "w",
            Op::Trim => "t",
            Op::Flush => "f",
            Op::WriteThrough => "fua",
        };
        let attributes = self.attributes;
        self.checked(|to| {
            write!(to, "{time},{offset},{length},{op}")?;
            attributes.iter().try_for_each(|one| write!(to, ",{}", one.of(meta)))?;
            writeln!(to)
        })
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
