//! The file inside an archive: tar and zip, as people hand out traces.
//!
//! One file of it is the trace: the only one that can be meant, or the one that the path names behind the
//! archive. It comes through a channel from a thread that has the archive open, as the libraries lend their
//! readers. Memory is bounded by a few chunks, whatever the archive says of its sizes.

use super::compress::said;
use std::io::{self, Cursor, Read, Seek};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// How a zip archive begins.
pub(super) const ZIP: &[u8] = b"PK\x03\x04";

/// Where a tar archive has its name, and the name.
const TAR: (usize, &[u8]) = (257, b"ustar");

/// Bytes that are needed to know a tar archive.
pub(super) const TAR_FRONT: usize = 512;

const CHUNK_BYTES: usize = 128 << 10;
const CHUNKS: usize = 4;

/// Files of an archive that are looked at.
const MOST_FILES: usize = 10_000;

/// Whether an archive begins with `front`.
pub(super) fn is_tar(front: &[u8]) -> bool {
    front.get(TAR.0..).is_some_and(|rest| rest.starts_with(TAR.1))
}

/// The file of a tar archive.
pub(super) fn tar(stream: Box<dyn Read + Send>, member: Option<String>) -> io::Result<Piped> {
    piped(move |chunks| {
        let mut choice = Choice::of(member);
        for entry in tar::Archive::new(stream).entries()? {
            let mut entry = entry?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if entry.header().entry_type().is_file() && choice.takes(&name)? {
                pass_on(&mut entry, chunks)?;
            }
        }
        choice.finish()
    })
}

/// The file of a zip archive.
pub(super) fn zip(
    file: impl Read + Seek + Send + 'static,
    member: Option<String>,
) -> io::Result<Piped> {
    piped(move |chunks| {
        let mut archive = zip::ZipArchive::new(file)?;
        let mut choice = Choice::of(member);
        let mut taken = None;
        for (index, name) in archive.file_names().enumerate() {
            let name = name?;
            if !name.ends_with('/') && choice.takes(&name)? {
                taken = Some(index);
            }
        }
        if let Some(index) = taken {
            pass_on(&mut archive.by_index(index)?, chunks)?;
        }
        choice.finish()
    })
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
    fn takes(&mut self, name: &str) -> io::Result<bool> {
        self.seen += 1;
        if self.seen > MOST_FILES {
            return Err(said(format!("found an archive of more than {MOST_FILES} files")));
        }
        // As `tar` names them.
        let name = name.strip_prefix("./").unwrap_or(name);
        let meant = self.wanted.as_ref().map_or_else(|| is_data(name), |wanted| wanted == name);
        if !meant {
            return Ok(false);
        }
        match self.taken.replace(name.to_owned()) {
            None => Ok(true),
            Some(other) => Err(said(format!(
                "found an archive of several files, such as {other:?} and {name:?}; name one behind \
                 the archive, as ARCHIVE/{}",
                other.escape_debug()
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

/// Whether a file of an archive may be the trace: not hidden, and not about the trace.
fn is_data(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    let lower = base.to_ascii_lowercase();
    let about =
        ["readme", "license", "licence", "copying"].iter().any(|word| lower.starts_with(word));
    let document = [".md", ".pdf", ".html"].iter().any(|ending| lower.ends_with(ending));
    !base.starts_with('.') && !name.starts_with("__MACOSX/") && !about && !document
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

/// Passes all bytes on, as long as somebody reads them.
fn pass_on(from: &mut impl Read, chunks: &Chunks) -> io::Result<()> {
    loop {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        let read = from.take(CHUNK_BYTES as u64).read_to_end(&mut chunk);
        if !chunk.is_empty() && chunks.send(Ok(chunk)).is_err() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if read? == 0 {
            return Ok(());
        }
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
        assert!(is_tar(&tarred(&FILES)) && zipped(&FILES).starts_with(ZIP));
    }

    #[test]
    fn one_of_several_is_named() {
        let files = [FILES[2], ("b.spc", &b"1"[..]), (".hidden", b""), ("__MACOSX/._b", b"")];
        let error = both(&files, None).unwrap_err();
        assert!(error.contains("\"data/a.spc\" and \"b.spc\"; name one"), "{error}");
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
