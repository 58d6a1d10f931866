//! A trace in a file or a pipe, opened as often as it allows.

use super::TraceOptions;
use super::compress;
use super::format::{Format, detect};
use super::source::Place;
use super::stream::{Broken, Stream};
use crate::error::Error;
use crate::request::{Attributes, Input, RequestSource};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// A block trace with its format and what to take from it.
pub struct Trace {
    path: String,
    format: &'static Format,
    detected: bool,
    options: TraceOptions,
    rereadable: bool,
    /// What detection has begun to read, if it cannot be read again.
    begun: Mutex<Option<(Stream, Place)>>,
}

impl Trace {
    /// Opens `path` (`-` for standard input) and finds its format, unless the options name it.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that is missing, a directory or unreadable; [`Error::Trace`] for
    /// content that is no known format; [`Error::Unknown`] and [`Error::Config`] for the options.
    pub fn open(path: &str, options: &TraceOptions) -> Result<Self, Error> {
        let (mut stream, place) = start(path)?;
        let (format, detected) = format_of(&mut stream, options, &place)?;
        let rereadable = place.size.is_some();
        Ok(Self {
            path: path.to_owned(),
            format,
            detected,
            options: options.clone(),
            rereadable,
            begun: Mutex::new((!rereadable).then_some((stream, place))),
        })
    }

    /// True when the format was found from the content, false when the options named it.
    #[must_use]
    pub fn detected(&self) -> bool {
        self.detected
    }
}

impl Input for Trace {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        let (stream, place) = if self.rereadable {
            start(&self.path)?
        } else {
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            begun.take().ok_or_else(|| read_once(&self.path))?
        };
        self.format.read(stream, &self.options, place)
    }

    fn name(&self) -> String {
        let file = Path::new(&self.path).file_name().filter(|_| self.path != STANDARD_INPUT);
        file.map_or_else(|| shown(&self.path), |name| name.to_string_lossy().into_owned())
    }

    fn format(&self) -> String {
        self.format.name.to_owned()
    }

    fn attributes(&self) -> Attributes {
        let columns = self.options.columns.iter();
        columns.flat_map(|columns| &columns.attributes).map(|(attribute, _)| *attribute).collect()
    }

    fn rereadable(&self) -> bool {
        self.rereadable
    }
}

fn read_once(path: &str) -> Error {
    Error::Trace {
        file: shown(path),
        line: None,
        message: "a pipe can be read only once, and this run needs it again; save it to a file \
                  first"
            .into(),
    }
}

fn shown(path: &str) -> String {
    if path == STANDARD_INPUT { "standard input".into() } else { path.into() }
}

/// The requests of `stream`, which is compressed or not, for tests and fuzzing.
///
/// # Errors
/// As [`Trace::open`].
pub fn read_stream(
    stream: Box<dyn Read + Send>,
    options: &TraceOptions,
) -> Result<Box<dyn RequestSource>, Error> {
    let (mut stream, place) = begin(stream, "stream".into(), None)?;
    let (format, _) = format_of(&mut stream, options, &place)?;
    format.read(stream, options, place)
}

/// The format that `options` name, or else the one that `stream` begins with, which is true then.
/// A format that is not told what it needs, or is told more, is an error.
fn format_of(
    stream: &mut Stream,
    options: &TraceOptions,
    place: &Place,
) -> Result<(&'static Format, bool), Error> {
    options.check()?;
    let named = options.format.as_deref().or(options.columns.as_ref().map(|_| "csv"));
    let format = match named {
        Some(name) => Format::named(name)?,
        None => recognised(stream, place)?,
    };
    format.check(options, place)?;
    format.settle(stream, options, place)?;
    Ok((format, named.is_none()))
}

/// The format of what `stream` begins with, which stays to be read.
fn recognised(stream: &mut Stream, place: &Place) -> Result<&'static Format, Error> {
    let front = stream.sniff().map_err(|broken| match broken {
        // Nothing has been read as a line yet, but a damaged front has no better place.
        Broken::Mistake(mistake) => place.error(None, mistake),
        io => place.broken(0, io),
    })?;
    let line = (!front.bytes.is_empty()).then_some(1);
    detect(front).map_err(|mistake| place.error(line, mistake))
}

/// The front of `path`.
fn start(path: &str) -> Result<(Stream, Place), Error> {
    let (stream, size) =
        raw(path).map_err(|source| Error::Io { path: shown(path).into(), source })?;
    begin(stream, shown(path), size)
}

/// The front of `stream`, which is called `file`.
fn begin(
    stream: Box<dyn Read + Send>,
    file: String,
    size: Option<u64>,
) -> Result<(Stream, Place), Error> {
    let consumed = Arc::new(AtomicU64::new(0));
    let counted = Counted { stream, consumed: Arc::clone(&consumed) };
    let (plain, compressed) = compress::decompress(Box::new(counted))
        .map_err(|source| Error::Io { path: (&file).into(), source })?;
    Ok((Stream::new(plain, compressed), Place { file, consumed, size }))
}

/// The bytes of `path`, and how many there are if it is a file.
fn raw(path: &str) -> io::Result<(Box<dyn Read + Send>, Option<u64>)> {
    if path == STANDARD_INPUT {
        return Ok((Box::new(io::stdin()), None));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let size = metadata.is_file().then_some(metadata.len());
    Ok((Box::new(file), size))
}

/// Counts what has been read, for progress.
struct Counted {
    stream: Box<dyn Read + Send>,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
