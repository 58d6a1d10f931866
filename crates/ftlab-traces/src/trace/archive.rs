//! The files inside an archive: tar and zip, as people hand out traces.
//!
//! A file of it comes through a channel from a thread that has the archive open, as the libraries lend their
//! readers. Memory is bounded by a few chunks, whatever the archive says of its sizes and names.

use super::compress::{self, Compressed, Memory, said};
use super::parts::is_data;
use super::stream::Broken;
use std::cell::Cell;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How a zip archive begins.
const ZIP: &[u8] = b"PK\x03\x04";

/// Where a tar archive has its name, and the name.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// Bytes that are needed to know an archive.
pub(super) const FRONT: usize = 512;

const CHUNK_BYTES: usize = 128 << 10;
const CHUNKS: usize = 4;

/// Files of an archive that are looked at.
const MOST_FILES: usize = 10_000;

/// The most bytes between two files of a tar archive: headers, and names of any length.
const BETWEEN_BYTES: u64 = 1 << 20;

/// An archive, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Tar,
    Zip,
}

impl Kind {
    /// What begins with `front`, of [`FRONT`] bytes unless there are fewer.
    pub(super) fn of(front: &[u8]) -> Option<Self> {
        if front.starts_with(ZIP) {
            return Some(Self::Zip);
        }
        front.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1)).then_some(Self::Tar)
    }

    /// What a file is, which is at its front afterwards.
    pub(super) fn of_file(file: &mut (impl Read + Seek)) -> io::Result<Option<Self>> {
        let mut front = Vec::with_capacity(FRONT);
        file.take(FRONT as u64).read_to_end(&mut front)?;
        file.rewind()?;
        Ok(Self::of(&front))
    }
}

/// The files of the archive at `path` that may be the trace; none if it is no archive, or a pipe.
pub(super) fn names(path: &Path) -> Result<Vec<String>, Broken> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let mut file = File::open(path).map_err(Broken::Io)?;
    let kind = Kind::of_file(&mut file).map_err(Broken::Io)?;
    let listed = match kind {
        Some(Kind::Zip) => zip_names(file),
        Some(Kind::Tar) => tar_names(file, tar::Archive::entries_with_seek),
        None => {
            let Some(stream) = compressed_tar(file) else { return Ok(Vec::new()) };
            tar_names(stream, tar::Archive::entries)
        }
    };
    let listed = listed.and_then(|names| if is_office(&names) { Err(office()) } else { Ok(names) });
    let compressed = if kind == Some(Kind::Zip) { Compressed::Zip } else { Compressed::Tar };
    listed.map_err(|error| compress::explain(error, compressed))
}

/// Whether an archive is a document of an office program, by the file that each has.
fn is_office(names: &[String]) -> bool {
    names.iter().any(|name| matches!(name.as_str(), "[Content_Types].xml" | "mimetype"))
}

#[cold]
fn office() -> io::Error {
    said("found a spreadsheet or another document, expected a trace; save its sheet as CSV".into())
}

/// The bytes of a file that is a compressed tar archive.
fn compressed_tar(file: File) -> Option<impl Read> {
    let (mut plain, compressed) = compress::decompress(Box::new(file), Memory::ALL).ok()?;
    let mut front = Vec::with_capacity(FRONT);
    // What is damaged here is told by whoever reads it.
    let read = (&mut plain).take(FRONT as u64).read_to_end(&mut front);
    let is_tar = read.is_ok() && Kind::of(&front) == Some(Kind::Tar);
    (is_tar && compressed != Compressed::No).then(|| Cursor::new(front).chain(plain))
}

#[cfg(not(feature = "files"))]
fn zip_names(_: impl Read + Seek) -> io::Result<Vec<String>> {
    Err(no_zip())
}

#[cfg(not(feature = "files"))]
fn no_zip() -> io::Error {
    said("found a zip archive, which this build does not read; unpack it first".into())
}

#[cfg(feature = "files")]
fn zip_names(file: impl Read + Seek) -> io::Result<Vec<String>> {
    let mut archive = zip::ZipArchive::new(file)?;
    let mut names = Names::default();
    for index in 0..archive.len() {
        let file = archive.by_index_raw(index)?;
        names.add(file.name()?.as_ref(), file.size())?;
    }
    Ok(names.0)
}

fn tar_names<R: Read>(
    stream: R,
    entries: impl FnOnce(&mut tar::Archive<Bounded<R>>) -> io::Result<tar::Entries<'_, Bounded<R>>>,
) -> io::Result<Vec<String>> {
    let mut names = Names::default();
    each_file(stream, entries, |name, bytes, _| names.add(name, bytes).map(|()| true))?;
    Ok(names.0)
}

/// Names of files that may be the trace.
#[derive(Default)]
struct Names(Vec<String>, usize);

impl Names {
    fn add(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        count(&mut self.1)?;
        let name = bare(name);
        if !name.ends_with('/') && bytes > 0 && is_data(name) {
            self.0.push(name.to_owned());
        }
        Ok(())
    }
}

/// A file of a tar archive.
pub(super) fn tar(stream: Box<dyn Read + Send>, member: Option<String>) -> io::Result<Piped> {
    piped(|chunks| tar_file(stream, tar::Archive::entries, member, chunks))
}

/// A file of a tar archive in a file, which passes over the others.
pub(super) fn tar_in_file(
    file: impl Read + Seek + Send + 'static,
    member: Option<String>,
) -> io::Result<Piped> {
    piped(|chunks| tar_file(file, tar::Archive::entries_with_seek, member, chunks))
}

fn tar_file<R: Read>(
    stream: R,
    entries: impl FnOnce(&mut tar::Archive<Bounded<R>>) -> io::Result<tar::Entries<'_, Bounded<R>>>,
    member: Option<String>,
    chunks: &Chunks,
) -> io::Result<()> {
    let is_named = member.is_some();
    let mut choice = Choice::of(member);
    each_file(stream, entries, |name, bytes, entry| {
        let is_it = choice.takes(name, bytes)?;
        if is_it && pass_on(entry, chunks)? < bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(!(is_it && is_named))
    })?;
    choice.finish()
}

/// Calls `take` with the name, the bytes and the content of each file, until it is false.
fn each_file<R: Read>(
    stream: R,
    entries: impl FnOnce(&mut tar::Archive<Bounded<R>>) -> io::Result<tar::Entries<'_, Bounded<R>>>,
    mut take: impl FnMut(&str, u64, &mut dyn Read) -> io::Result<bool>,
) -> io::Result<()> {
    let left = Rc::new(Cell::new(BETWEEN_BYTES));
    let mut archive = tar::Archive::new(Bounded { stream, left: Rc::clone(&left) });
    for entry in entries(&mut archive)? {
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        let is_sparse = kind.is_gnu_sparse();
        let bytes = if is_sparse { entry.header().entry_size()? } else { entry.size() };
        left.set(bytes.saturating_add(BETWEEN_BYTES));
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if (kind.is_file() || is_sparse) && !take(&name, bytes, &mut entry)? {
            break;
        }
    }
    Ok(())
}

/// A stream of which so much is left to read. Names in a tar archive have any length.
struct Bounded<R> {
    stream: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 && !buffer.is_empty() {
            let most = BETWEEN_BYTES >> 20;
            return Err(said(format!(
                "found more than {most} MiB in front of a file of the archive, expected its header and its name"
            )));
        }
        let some = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let read = self.stream.read(&mut buffer[..some])?;
        self.left.set(left - read as u64);
        Ok(read)
    }
}

impl<R: Seek> Seek for Bounded<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if let SeekFrom::Current(bytes) = to {
            self.left.set(self.left.get().saturating_sub(bytes.unsigned_abs()));
        }
        let at = self.stream.seek(to).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => said(
                "found a file in the archive that is longer than any, expected a tar archive"
                    .into(),
            ),
            _ => error,
        })?;
        // A stream can be sought behind its end, as if the archive ended with a whole file.
        if self.stream.seek(SeekFrom::End(0))? < at {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.stream.seek(SeekFrom::Start(at))
    }
}

#[cfg(not(feature = "files"))]
pub(super) fn zip(_: impl Read + Seek + Send + 'static, _: Option<String>) -> io::Result<Piped> {
    Err(no_zip())
}

/// A file of a zip archive.
#[cfg(feature = "files")]
pub(super) fn zip(
    file: impl Read + Seek + Send + 'static,
    member: Option<String>,
) -> io::Result<Piped> {
    piped(move |chunks| {
        let mut archive = zip::ZipArchive::new(file)?;
        let mut choice = Choice::of(member);
        let mut taken = None;
        for index in 0..archive.len() {
            let file = archive.by_index_raw(index)?;
            let name = file.name()?;
            if !name.ends_with('/') && choice.takes(name.as_ref(), file.size())? {
                taken = Some(index);
            }
        }
        if let Some(index) = taken {
            pass_on(&mut archive.by_index(index)?, chunks)?;
        }
        choice.finish()
    })
}

/// Counts the files that have been seen.
fn count(seen: &mut usize) -> io::Result<()> {
    *seen += 1;
    if *seen > MOST_FILES {
        return Err(said(format!("found an archive of more than {MOST_FILES} files")));
    }
    Ok(())
}

/// A name without the front that `tar` gives it.
fn bare(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

/// Which file of an archive is the trace.
struct Choice {
    wanted: Option<String>,
    taken: Option<String>,
    seen: usize,
}

impl Choice {
    fn of(wanted: Option<String>) -> Self {
        Self { wanted, taken: None, seen: 0 }
    }

    /// Whether `name` is it; an error if another one was.
    fn takes(&mut self, name: &str, bytes: u64) -> io::Result<bool> {
        count(&mut self.seen)?;
        let name = bare(name);
        let may_be = || bytes > 0 && is_data(name);
        let meant = self.wanted.as_ref().map_or_else(may_be, |wanted| wanted == name);
        if !meant {
            return Ok(false);
        }
        match self.taken.replace(name.to_owned()) {
            None => Ok(true),
            Some(other) => Err(said(format!(
                "found an archive of several files in a pipe, such as {other:?} and {name:?}; save it to a \
                 file, or pass on one file of it"
            ))),
        }
    }

    /// An error if nothing was taken.
    fn finish(self) -> io::Result<()> {
        match (self.taken, self.wanted) {
            (Some(_), _) => Ok(()),
            (None, None) => Err(said("found an archive without a file in it".into())),
            (None, Some(wanted)) => Err(said(format!("found no file {wanted:?} in the archive"))),
        }
    }
}

/// What one thread writes, for another to read.
pub(super) struct Piped {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Cursor<Vec<u8>>,
    has_ended: bool,
}

type Chunks = SyncSender<io::Result<Vec<u8>>>;

/// Reads what `work` passes on; its error comes last.
fn piped(work: impl FnOnce(&Chunks) -> io::Result<()> + Send + 'static) -> io::Result<Piped> {
    let (sender, chunks) = sync_channel(CHUNKS);
    thread::Builder::new().name("archive".into()).spawn(move || {
        // A chunk without bytes is the end. Nobody may be there to hear it.
        let _ = sender.send(work(&sender).map(|()| Vec::new()));
    })?;
    Ok(Piped { chunks, chunk: Cursor::default(), has_ended: false })
}

/// Passes all bytes on, as long as somebody reads them, and returns how many.
fn pass_on(from: &mut dyn Read, chunks: &Chunks) -> io::Result<u64> {
    let mut passed = 0;
    loop {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        let read = from.take(CHUNK_BYTES as u64).read_to_end(&mut chunk);
        if !chunk.is_empty() && chunks.send(Ok(chunk)).is_err() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        passed += match read? {
            0 => return Ok(passed),
            bytes => bytes as u64,
        };
    }
}

impl Read for Piped {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.chunk.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if self.has_ended {
                return Ok(0);
            }
            let chunk = self.chunks.recv().map_err(|_| said("the archive broke off".into()))??;
            self.has_ended = chunk.is_empty();
            self.chunk = Cursor::new(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const FILES: [(&str, &[u8]); 3] =
        [("data/", b""), ("data/README.md", b"about"), ("data/a.spc", b"0,1,512,r,0.0\n")];

    fn tarred(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_ustar();
            let kind = if name.ends_with('/') {
                tar::EntryType::Directory
            } else {
                tar::EntryType::Regular
            };
            header.set_entry_type(kind);
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            let options = zip::write::SimpleFileOptions::default();
            match name.strip_suffix('/') {
                Some(folder) => writer.add_directory(folder, options).unwrap(),
                None => writer.start_file(*name, options).unwrap(),
            }
            writer.write_all(bytes).unwrap_or_default();
        }
        writer.finish().unwrap().into_inner()
    }

    fn text(piped: io::Result<Piped>) -> Result<String, String> {
        let mut text = String::new();
        let read = piped.unwrap().read_to_string(&mut text);
        read.map(|_| text).map_err(|error| error.to_string())
    }

    fn both(files: &[(&str, &[u8])], member: Option<&str>) -> Result<String, String> {
        let member = member.map(str::to_owned);
        let zip = text(zip(Cursor::new(zipped(files)), member.clone()));
        let tar = text(tar(Box::new(Cursor::new(tarred(files))), member));
        assert_eq!(zip, tar);
        zip
    }

    #[test]
    fn the_only_file_that_can_be_meant_is_read() {
        assert_eq!(both(&FILES, None).as_deref(), Ok("0,1,512,r,0.0\n"));
        let kinds = [tarred(&FILES), zipped(&FILES)].map(|bytes| Kind::of(&bytes));
        assert!(kinds == [Some(Kind::Tar), Some(Kind::Zip)]);
    }

    #[test]
    fn one_of_several_is_named() {
        let files = [FILES[2], ("b.spc", &b"1"[..]), (".hidden", b""), ("__MACOSX/._b", b"")];
        let error = both(&files, None).unwrap_err();
        assert!(error.contains("\"data/a.spc\" and \"b.spc\"; save it"), "{error}");
        assert_eq!(both(&files, Some("b.spc")).as_deref(), Ok("1"));
        let error = both(&files, Some("c.spc")).unwrap_err();
        assert_eq!(error, "found no file \"c.spc\" in the archive");
        assert!(both(&[("README", b"")], None).unwrap_err().contains("without a file"));
    }

    #[test]
    fn a_dot_before_a_name_is_no_part_of_it() {
        let files = [("./a.csv", &b"1"[..]), ("./b.csv", b"2")];
        let named = text(tar(Box::new(Cursor::new(tarred(&files))), Some("b.csv".into())));
        assert_eq!(named.as_deref(), Ok("2"));
    }

    /// The library seeks behind the end, where it finds no further file.
    #[test]
    fn an_archive_that_is_cut_behind_a_file_is_not_whole() {
        let whole = tarred(&[("a.spc", b"0,1,512,r,0.0\n"), ("b.spc", b"0,1,512,r,0.0\n")]);
        let names = |bytes: &[u8]| {
            tar_names(Cursor::new(bytes.to_vec()), tar::Archive::entries_with_seek)
                .map_err(|error| error.kind())
        };
        let eof = Err(io::ErrorKind::UnexpectedEof);
        for (length, found) in [
            (whole.len(), Ok(2)),
            // Some programs write no end.
            (2048, Ok(2)),
            (1024, Ok(1)),
            (2047, eof),
            (1600, eof),
            (1023, eof),
            (700, eof),
            (520, eof),
        ] {
            assert_eq!(names(&whole[..length]).map(|names| names.len()), found, "{length}");
        }
        // Whoever names a file before the cut gets it.
        let named = tar_in_file(Cursor::new(whole[..1600].to_vec()), Some("a.spc".into()));
        assert_eq!(text(named).as_deref(), Ok("0,1,512,r,0.0\n"));
    }

    #[test]
    fn an_archive_whose_thread_breaks_off_is_not_whole() {
        let piped = piped(|chunks| {
            pass_on(&mut &b"half"[..], chunks)?;
            panic!("a fault of a library");
        });
        assert_eq!(text(piped).unwrap_err(), "the archive broke off");
    }

    #[test]
    fn a_reader_that_leaves_ends_the_thread_and_damage_is_told() {
        let large = vec![b'x'; 2_000_000];
        let mut one = [0];
        let mut piped = zip(Cursor::new(zipped(&[("a", &large)])), None).unwrap();
        assert_eq!(piped.read(&mut one).unwrap(), 1);
        drop(piped);
        let mut cut = tarred(&[("a", &large)]);
        cut.truncate(1_000_000);
        assert!(text(tar(Box::new(Cursor::new(cut)), None)).is_err());
        let mut damaged = zipped(&[("a", &large)]);
        damaged[60] ^= 0x55;
        assert!(text(zip(Cursor::new(damaged), None)).is_err());
    }
}
