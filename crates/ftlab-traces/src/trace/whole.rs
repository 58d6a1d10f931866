//! Files and folders that appear whole or not at all.

use crate::error::Error;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The output that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// A file under a name of its own until it is finished. Dropped before, it is removed. Standard
/// output, devices and pipes are written to as they are.
pub(super) struct WholeFile {
    stream: Box<dyn Write + Send>,
    path: PathBuf,
    partial: Option<Partial>,
    /// Bytes written so far.
    pub(super) bytes: u64,
}

impl WholeFile {
    /// Begins the file that will be at `path` (`-` for standard output).
    pub(super) fn create(path: &str) -> Result<Self, Error> {
        let target = &fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let special = target.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir());
        let (stream, partial): (Box<dyn Write + Send>, _) = if path == STANDARD_OUTPUT {
            (Box::new(io::stdout()), None)
        } else if special {
            (Box::new(create(target)?), None)
        } else if target.is_dir() {
            return Err(failed(target)(io::ErrorKind::IsADirectory.into()));
        } else {
            let partial = Partial::file(target)?;
            (Box::new(partial.held.try_clone().map_err(failed(target))?), Some(partial))
        };
        Ok(Self { stream, path: target.into(), partial, bytes: 0 })
    }

    /// Puts the finished file into its place. Returns how many bytes it has.
    pub(super) fn finish(mut self) -> Result<u64, Error> {
        let path = self.path.clone();
        self.stream.flush().map_err(failed(&path))?;
        if let Some(partial) = &self.partial {
            let synced = partial.held.sync_all();
            synced.and_then(|()| fs::rename(&partial.path, &path)).map_err(failed(&path))?;
        }
        self.partial = None;
        Ok(self.bytes)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Nothing more can be done about a file that cannot be removed.
            let _ = fs::remove_file(&partial.path);
        }
    }
}

/// A folder under a name of its own until it is finished. Dropped before, it is removed with all
/// that is in it.
pub(super) struct WholeFolder {
    target: PathBuf,
    partial: Option<Partial>,
}

impl WholeFolder {
    /// Begins the folder that will be at `target`, which may exist only if it is empty.
    pub(super) fn create(target: &Path) -> Result<Self, Error> {
        let taken = match fs::read_dir(target) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed(target)(error)),
        };
        if taken {
            let found = target.display();
            let message = format!("found {found}, which is not empty; name a new folder");
            return Err(Error::config("output", message));
        }
        Ok(Self { target: target.into(), partial: Some(Partial::folder(target)?) })
    }

    /// Where the files go until the folder is finished.
    pub(super) fn path(&self) -> &Path {
        self.partial.as_ref().map_or(&self.target, |partial| &partial.path)
    }

    /// Puts the finished folder into its place.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        if let Some(partial) = &self.partial {
            for entry in fs::read_dir(&partial.path).map_err(failed(&self.target))? {
                let path = entry.map_err(failed(&self.target))?.path();
                File::open(&path).and_then(|file| file.sync_all()).map_err(failed(&path))?;
            }
            fs::rename(&partial.path, &self.target).map_err(failed(&self.target))?;
        }
        self.partial = None;
        Ok(())
    }
}

impl Drop for WholeFolder {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_dir_all(&partial.path);
        }
    }
}

/// A file or folder beside its target, so that renaming moves nothing. It is locked while its writer
/// lives: what is not was left by one that was killed, and the next writer of the same target removes it.
struct Partial {
    path: PathBuf,
    held: File,
}

impl Partial {
    fn file(target: &Path) -> Result<Self, Error> {
        Self::make(target, &|path| File::create_new(path))
    }

    fn folder(target: &Path) -> Result<Self, Error> {
        Self::make(target, &|path| fs::create_dir(path).and_then(|()| File::open(path)))
    }

    fn make(target: &Path, make: &dyn Fn(&Path) -> io::Result<File>) -> Result<Self, Error> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let Some(name) = target.file_name() else {
            let message = format!("found {}, expected the name of a file", target.display());
            return Err(Error::config("output", message));
        };
        sweep(target, name);
        loop {
            let mut own = start(name);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            own.push(format!("{}-{number}{PARTIAL}", std::process::id()));
            let path = target.with_file_name(own);
            let held = match make(&path) {
                // Left by a process that had our number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made.map_err(failed(target))?,
            };
            // A file system without locks keeps what killed writers leave.
            let _ = held.lock();
            if path.exists() {
                return Ok(Self { path, held });
            }
        }
    }
}

/// How the names of partial files end.
const PARTIAL: &str = ".partial";

/// How the names of partial files of `name` begin.
fn start(name: &OsStr) -> OsString {
    let mut start = OsString::from(".");
    start.push(name);
    start.push(".");
    start
}

/// Removes what killed writers of `target` have left. Best effort: what cannot be removed stays.
fn sweep(target: &Path, name: &OsStr) {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let start = start(name);
    for entry in fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.as_encoded_bytes();
        if name.starts_with(start.as_encoded_bytes()) && name.ends_with(PARTIAL.as_bytes()) {
            let left = File::open(&path).ok().filter(|left| left.try_lock().is_ok());
            match left.and_then(|left| left.metadata().ok()) {
                Some(left) if left.is_dir() => drop(fs::remove_dir_all(&path)),
                Some(_) => drop(fs::remove_file(&path)),
                None => {}
            }
        }
    }
}

/// A new file at `path`.
pub(super) fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(failed(path))
}

/// Names the file that the operating system failed on.
pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("ftlab_whole_{name}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_nothing_and_the_old_one_alone() {
        let folder = folder("file");
        let path = folder.join("a.spc");
        fs::write(&path, "old").unwrap();
        let mut file = WholeFile::create(path.to_str().unwrap()).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(names(&folder).len(), 2);
        drop(file);
        assert_eq!((names(&folder).len(), fs::read(&path).unwrap()), (1, b"old".to_vec()));
        let mut file = WholeFile::create(path.to_str().unwrap()).unwrap();
        file.write_all(b"newer").unwrap();
        assert_eq!(file.finish().unwrap(), 5);
        assert_eq!((names(&folder).len(), fs::read(&path).unwrap()), (1, b"newer".to_vec()));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_finished_leaves_nothing() {
        let above = folder("folder");
        let target = above.join("parts");
        let folder = WholeFolder::create(&target).unwrap();
        fs::write(folder.path().join("a"), "1").unwrap();
        drop(folder);
        assert!(names(&above).is_empty());
        let folder = WholeFolder::create(&target).unwrap();
        fs::write(folder.path().join("a"), "1").unwrap();
        folder.finish().unwrap();
        assert_eq!(names(&target), ["a"]);
        let error = WholeFolder::create(&target).err().unwrap().to_string();
        assert!(error.contains("not empty"), "{error}");
        fs::remove_dir_all(&above).unwrap();
    }

    /// A pipe and a device are written to and cannot be synced.
    #[test]
    #[cfg(unix)]
    fn what_cannot_be_synced_does_not_get_its_name() {
        let folder = folder("synced");
        let path = folder.join("a.spc");
        let mut file = WholeFile::create(path.to_str().unwrap()).unwrap();
        let (_reader, pipe) = io::pipe().unwrap();
        file.partial.as_mut().unwrap().held = File::from(std::os::fd::OwnedFd::from(pipe));
        assert!(file.finish().is_err());
        let parts = WholeFolder::create(&folder.join("parts")).unwrap();
        std::os::unix::fs::symlink("/dev/null", parts.path().join("a")).unwrap();
        assert!(parts.finish().is_err());
        assert!(names(&folder).is_empty());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = folder("killed");
        let path = folder.join("a.spc");
        let living = WholeFile::create(path.to_str().unwrap()).unwrap();
        for left in [".a.spc.1-0.partial", ".b.spc.1-0.partial", ".a.spc.note"] {
            fs::write(folder.join(left), "half").unwrap();
        }
        fs::create_dir_all(folder.join(".a.spc.2-0.partial/inside")).unwrap();
        let next = WholeFile::create(path.to_str().unwrap()).unwrap();
        assert_eq!(names(&folder).len(), 4, "{:?}", names(&folder));
        living.finish().unwrap();
        next.finish().unwrap();
        let mut left = names(&folder);
        left.sort();
        assert_eq!(left, [".a.spc.note", ".b.spc.1-0.partial", "a.spc"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = folder("link");
        let (path, link) = (folder.join("a.spc"), folder.join("b.spc"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink("a.spc", &link).unwrap();
        let mut file = WholeFile::create(link.to_str().unwrap()).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_cannot_be_made_is_told_with_its_name() {
        for path in ["/no/such/folder/x.spc", "/", "/tmp"] {
            let error = WholeFile::create(path).err().unwrap().to_string();
            assert!(error.contains('/') && !error.contains('\n'), "{error}");
        }
    }
}
