//! A trace in a file or a pipe, opened as often as it allows.

use super::TraceOptions;
use super::archive;
use super::archive::Kind;
use super::compress::{self, Compressed, Memory};
use super::field::{Mistake, quoted};
use super::format::{Format, detect};
use super::parts::{self, Part, STANDARD_INPUT, parts, shown};
use super::source::Place;
use super::stream::{Broken, Stream};
use super::unpacked;
use crate::error::Error;
use crate::request::{Attributes, Input, RequestSource};
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A block trace with its format and what to take from it.
pub struct Trace {
    path: String,
    /// Its files, usually one.
    files: Vec<Part>,
    format: &'static Format,
    detected: bool,
    options: TraceOptions,
    rereadable: bool,
    /// What detection has read, if some of it cannot be read again.
    begun: Mutex<Option<Vec<(Stream, Place)>>>,
}

impl Trace {
    /// Opens `path` (`-` for standard input) and finds its format, unless the options name it.
    ///
    /// # Errors
    /// [`Error::Io`] for a file that is missing, a directory or unreadable; [`Error::Trace`] for
    /// content that is no known format; [`Error::Unknown`] and [`Error::Config`] for the options.
    pub fn open(path: &str, options: &TraceOptions) -> Result<Self, Error> {
        Self::of(path, parts(path)?, options)
    }

    /// Opens the `files` that are the recording `path`.
    pub(super) fn of(path: &str, files: Vec<Part>, options: &TraceOptions) -> Result<Self, Error> {
        let read = Reading::of(&files);
        let (mut first, mut begun) = (None, Vec::new());
        for (number, file) in files.iter().enumerate() {
            let (mut stream, place) = read.start(file)?;
            let found = format_of(&mut stream, options, &place).and_then(|found| match first {
                Some((format, _)) => same_format(format, found.0, &files[0], &place),
                None => Ok(found),
            });
            first.get_or_insert(found.map_err(|error| of_archive(&files, number, error))?);
            begun.push((stream, place));
        }
        let (format, detected) = first.ok_or_else(|| Error::Internal("no files".into()))?;
        let rereadable = begun.iter().all(|(_, place)| place.size.is_some());
        Ok(Self {
            path: path.to_owned(),
            files,
            format,
            detected,
            options: options.clone(),
            rereadable,
            begun: Mutex::new((!rereadable).then_some(begun)),
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
            let read = Reading::of(&self.files);
            self.files.iter().map(|file| read.start(file)).collect::<Result<_, _>>()?
        } else {
            let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
            begun.take().ok_or_else(|| read_once(&self.path))?
        };
        self.format.read(&shown(&self.path), parts, &self.options)
    }

    fn name(&self) -> String {
        parts::name(&self.path, &self.files)
    }

    fn format(&self) -> String {
        self.format.name.to_owned()
    }

    fn attributes(&self) -> Attributes {
        self.options.attributes()
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

/// The requests of `stream`, which is compressed or not, for tests and fuzzing.
///
/// # Errors
/// As [`Trace::open`].
pub fn read_stream(
    stream: Box<dyn Read + Send>,
    options: &TraceOptions,
) -> Result<Box<dyn RequestSource>, Error> {
    let place = Place { file: "stream".into(), ..Place::default() };
    let (mut stream, place) = begin(stream, None, place, Memory::ALL)?;
    let (format, _) = format_of(&mut stream, options, &place)?;
    let file = place.file.clone();
    format.read(&file, vec![(stream, place)], options)
}

/// The format that `options` name, or the one that `stream` begins with. The flag is true if it was
/// detected. Missing or unneeded options of the format are an error.
pub(super) fn format_of(
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

/// The format that `stream` begins with. The bytes are not taken.
fn recognised(stream: &mut Stream, place: &Place) -> Result<&'static Format, Error> {
    let front = stream.sniff().map_err(|broken| match broken {
        // Nothing has been read as a line yet, but a damaged front has no better place.
        Broken::Mistake(mistake) => place.error(None, mistake),
        io => place.broken(0, io),
    })?;
    let line = (!front.bytes.is_empty()).then_some(1);
    detect(front).map_err(|mistake| place.error(line, mistake))
}

/// The format of the first file, which every other file must have.
fn same_format(
    format: &'static Format,
    found: &Format,
    first: &Part,
    place: &Place,
) -> Result<(&'static Format, bool), Error> {
    if found.name == format.name {
        return Ok((format, true));
    }
    let (found, expected, first) = (found.name, format.name, first.to_string());
    Err(place.error(
        None,
        Mistake(format!(
            "found {found}, expected {expected} as {} is; files of one recording have one format, and a \
             pattern such as FOLDER/*.csv names them",
            quoted(first.as_bytes())
        )),
    ))
}

/// The error of a file of an archive that does not belong to the recording of the others.
fn of_archive(files: &[Part], number: usize, error: Error) -> Error {
    let (odd, other) = (&files[number], files.get(usize::from(number == 0)));
    match (&odd.member, other, error) {
        (Some(_), Some(other), Error::Trace { file, line, message }) => {
            let (one, count) = (other.to_string(), files.len());
            let message =
                format!("{message}; of the {count} files of the archive, name one, as {one:?}");
            Error::Trace { file, line, message }
        }
        (.., error) => error,
    }
}

/// What files that are read at once share.
struct Reading {
    consumed: Arc<AtomicU64>,
    memory: Memory,
}

impl Reading {
    fn of(files: &[Part]) -> Self {
        Self { consumed: Arc::default(), memory: Memory::of_each(files.len()) }
    }

    /// The front of a file, one in an archive, or standard input.
    fn start(&self, part: &Part) -> Result<(Stream, Place), Error> {
        let failed = |source| Error::Io { path: part.to_string().into(), source };
        let consumed = Arc::clone(&self.consumed);
        if part.file == STANDARD_INPUT {
            let place = Place { file: shown(STANDARD_INPUT), consumed, ..Place::default() };
            return begin(Box::new(io::stdin()), None, place, self.memory);
        }
        let file = File::open(&part.file).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let size = metadata.is_file().then_some(metadata.len());
        let place = Place {
            file: part.to_string(),
            consumed: Arc::clone(&consumed),
            size,
            ..Place::default()
        };
        let mut counted = Counted { stream: file, consumed };
        let kind = match size {
            Some(_) => Kind::of_file(&mut counted).map_err(failed)?,
            None => None,
        };
        let member = part.member.clone();
        match kind {
            None => begin(Box::new(counted), member, place, self.memory),
            Some(Kind::Zip) => {
                let is_named = member.is_some();
                let member = archive::zip(counted, member).map_err(failed)?;
                in_archive(member, (Compressed::Zip, is_named), place, self.memory)
            }
            Some(Kind::Tar) => {
                let is_named = member.is_some();
                let member = archive::tar_in_file(counted, member).map_err(failed)?;
                in_archive(member, (Compressed::Tar, is_named), place, self.memory)
            }
        }
    }
}

/// The front of a file in an archive, whose name may be stated.
fn in_archive(
    member: archive::Piped,
    (archive, is_named): (Compressed, bool),
    mut place: Place,
    memory: Memory,
) -> Result<(Stream, Place), Error> {
    let (plain, compressed) = compress::decompress(Box::new(member), memory)
        .map_err(|error| place.broken(0, compress::explain(error, archive)))?;
    place.unpack = unpacked::command(archive, is_named, compressed);
    Ok((Stream::new(plain, archive), place))
}

/// The beginning of `stream`, decompressed and unpacked.
pub(super) fn begin(
    stream: Box<dyn Read + Send>,
    member: Option<String>,
    mut place: Place,
    memory: Memory,
) -> Result<(Stream, Place), Error> {
    let failed = |source| Error::Io { path: (&place.file).into(), source };
    let (mut plain, compressed) = compress::decompress(stream, memory)
        .map_err(|error| place.broken(0, compress::explain(error, Compressed::No)))?;
    let mut front = Vec::with_capacity(archive::FRONT);
    let sniffed = (&mut plain).take(archive::FRONT as u64).read_to_end(&mut front);
    let is_tar = Kind::of(&front) == Some(Kind::Tar);
    let plain: Box<dyn Read + Send> = match sniffed {
        Ok(_) => Box::new(Cursor::new(front).chain(plain)),
        // The error comes after the bytes that could be read.
        Err(error) => Box::new(Cursor::new(front).chain(Fails(Some(error)))),
    };
    if !is_tar && member.is_some() {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    }
    if !is_tar {
        place.unpack = unpacked::command(Compressed::No, false, compressed);
        return Ok((Stream::new(plain, compressed), place));
    }
    let is_named = member.is_some();
    let member = archive::tar(plain, member).map_err(failed)?;
    in_archive(member, (Compressed::Tar, is_named), place, memory)
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
