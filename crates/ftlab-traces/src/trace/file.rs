//! A trace in a file or a pipe, opened as often as it allows.

use super::TraceOptions;
use super::archive;
use super::compress::{self, Compressed};
use super::field::{Mistake, quoted};
use super::format::{Format, detect};
use super::parts;
use super::source::Place;
use super::stream::{Broken, Stream};
use crate::error::Error;
use crate::request::{Attributes, Input, RequestSource};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The path that means standard input.
const STANDARD_INPUT: &str = "-";

/// A block trace with its format and what to take from it.
pub struct Trace {
    path: String,
    /// The files that it is, most often one.
    files: Vec<String>,
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
        let files = parts::of(path)?;
        let (mut stream, place) = start(&files[0])?;
        let (format, detected) = format_of(&mut stream, options, &place)?;
        for file in &files[1..] {
            let (mut stream, place) = start(file)?;
            let (other, _) = format_of(&mut stream, options, &place)?;
            if other.name != format.name {
                return Err(place.error(None, other_format(other.name, &files[0], format.name)));
            }
        }
        let rereadable = place.size.is_some();
        Ok(Self {
            path: path.to_owned(),
            files,
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
        let parts = if self.rereadable {
            self.files.iter().map(|file| start(file)).collect::<Result<_, _>>()?
        } else {
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            vec![begun.take().ok_or_else(|| read_once(&self.path))?]
        };
        self.format.read(&shown(&self.path), parts, &self.options)
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
    let place = Place { file: "stream".into(), consumed: Arc::default(), size: None };
    let (mut stream, place) = begin(stream, None, place)?;
    let (format, _) = format_of(&mut stream, options, &place)?;
    let file = place.file.clone();
    format.read(&file, vec![(stream, place)], options)
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

#[cold]
fn other_format(found: &str, first: &str, expected: &str) -> Mistake {
    Mistake(format!(
        "found {found}, expected {expected} as {} is; files of one recording have one format, and a \
         pattern such as FOLDER/*.csv names them",
        quoted(first.as_bytes())
    ))
}

/// The front of `path`: a file, one in an archive, or standard input.
fn start(path: &str) -> Result<(Stream, Place), Error> {
    let failed = |source| Error::Io { path: shown(path).into(), source };
    let consumed = Arc::default();
    if path == STANDARD_INPUT {
        return begin(
            Box::new(io::stdin()),
            None,
            Place { file: shown(path), consumed, size: None },
        );
    }
    let (file, member) = opened(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let size = metadata.is_file().then_some(metadata.len());
    let place = Place { file: shown(path), consumed: Arc::clone(&consumed), size };
    let mut counted = Counted { stream: file, consumed };
    if size.is_some() && begins_with(&mut counted, archive::ZIP).map_err(failed)? {
        let member = archive::zip(counted, member).map_err(failed)?;
        let (plain, _) = compress::decompress(Box::new(member))
            .map_err(|error| place.broken(0, compress::explain(error, Compressed::Zip)))?;
        return Ok((Stream::new(plain, Compressed::Zip), place));
    }
    begin(Box::new(counted), member, place)
}

/// The file that `path` leads to, and the file in it that the rest of the path names, if it goes on.
fn opened(path: &str) -> io::Result<(File, Option<String>)> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let mut ancestors = Path::new(path).ancestors();
            let archive = ancestors.find(|ancestor| ancestor.is_file()).ok_or(error)?;
            let member = Path::new(path).strip_prefix(archive).map_err(io::Error::other)?;
            Ok((File::open(archive)?, Some(member.to_string_lossy().into_owned())))
        }
        opened => Ok((opened?, None)),
    }
}

/// Whether a file begins with `magic`; it stays at its front.
fn begins_with(file: &mut (impl Read + Seek), magic: &[u8]) -> io::Result<bool> {
    let mut front = Vec::with_capacity(magic.len());
    file.take(magic.len() as u64).read_to_end(&mut front)?;
    file.rewind()?;
    Ok(front == magic)
}

/// The front of `stream` without its compression and archive.
fn begin(
    stream: Box<dyn Read + Send>,
    member: Option<String>,
    place: Place,
) -> Result<(Stream, Place), Error> {
    let failed = |source| Error::Io { path: (&place.file).into(), source };
    let (mut plain, compressed) = compress::decompress(stream).map_err(failed)?;
    let mut front = Vec::with_capacity(archive::TAR_FRONT);
    let sniffed = (&mut plain).take(archive::TAR_FRONT as u64).read_to_end(&mut front);
    let is_tar = archive::is_tar(&front);
    let plain: Box<dyn Read + Send> = match sniffed {
        Ok(_) => Box::new(Cursor::new(front).chain(plain)),
        // It comes where it is: behind what could be read.
        Err(error) => Box::new(Cursor::new(front).chain(Fails(Some(error)))),
    };
    if !is_tar && member.is_some() {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    }
    if !is_tar {
        return Ok((Stream::new(plain, compressed), place));
    }
    let member = archive::tar(plain, member).map_err(failed)?;
    let (plain, _) = compress::decompress(Box::new(member))
        .map_err(|error| place.broken(0, compress::explain(error, Compressed::Tar)))?;
    Ok((Stream::new(plain, Compressed::Tar), place))
}

/// An error, once.
struct Fails(Option<io::Error>);

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Counts what has been read, for progress.
struct Counted {
    stream: File,
    consumed: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stream.read(buffer)?;
        self.consumed.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.stream.seek(to)
    }
}
