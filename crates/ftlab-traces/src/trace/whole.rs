//! Files and folders that appear whole or not at all.

use crate::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The output that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// A file under a name of its own until it is finished. Dropped before, it is removed. Standard
/// output, devices and pipes are written to as they are.
pub(super) struct WholeFile {
    stream: Box<dyn Write + Send>,
    path: PathBuf,
    partial: Option<PathBuf>,
    /// Bytes written so far.
    pub(super) bytes: u64,
}

impl WholeFile {
    /// Begins the file that will be at `path` (`-` for standard output).
    pub(super) fn create(path: &str) -> Result<Self, Error> {
        let target = Path::new(path);
        let special = target.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir());
        let (stream, partial): (Box<dyn Write + Send>, _) = if path == STANDARD_OUTPUT {
            (Box::new(io::stdout()), None)
        } else if special {
            (Box::new(create(target)?), None)
        } else if target.is_dir() {
            return Err(failed(target)(io::ErrorKind::IsADirectory.into()));
        } else {
            let partial = beside(target)?;
            (Box::new(create(&partial)?), Some(partial))
        };
        Ok(Self { stream, path: target.into(), partial, bytes: 0 })
    }

    /// Puts the finished file into its place. Returns how many bytes it has.
    pub(super) fn finish(mut self) -> Result<u64, Error> {
        let path = self.path.clone();
        self.stream.flush().map_err(failed(&path))?;
        if let Some(partial) = &self.partial {
            fs::rename(partial, &path).map_err(failed(&path))?;
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
            let _ = fs::remove_file(partial);
        }
    }
}

/// A folder under a name of its own until it is finished. Dropped before, it is removed with all
/// that is in it.
pub(super) struct WholeFolder {
    target: PathBuf,
    partial: Option<PathBuf>,
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
        let partial = beside(target)?;
        fs::create_dir(&partial).map_err(failed(&partial))?;
        Ok(Self { target: target.into(), partial: Some(partial) })
    }

    /// Where the files go until the folder is finished.
    pub(super) fn path(&self) -> &Path {
        self.partial.as_deref().unwrap_or(&self.target)
    }

    /// Puts the finished folder into its place.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        if let Some(partial) = self.partial.take() {
            let renamed = fs::rename(&partial, &self.target).map_err(failed(&self.target));
            self.partial = renamed.is_err().then_some(partial);
            renamed?;
        }
        Ok(())
    }
}

impl Drop for WholeFolder {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_dir_all(partial);
        }
    }
}

/// A name of this process beside `target`, so that renaming moves nothing.
fn beside(target: &Path) -> Result<PathBuf, Error> {
    let Some(name) = target.file_name() else {
        let message = format!("found {}, expected the name of a file", target.display());
        return Err(Error::config("output", message));
    };
    let mut partial = OsString::from(".");
    partial.push(name);
    partial.push(format!(".{}.partial", std::process::id()));
    Ok(target.with_file_name(partial))
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

    #[test]
    fn what_cannot_be_made_is_told_with_its_name() {
        for path in ["/no/such/folder/x.spc", "/", "/tmp"] {
            let error = WholeFile::create(path).err().unwrap().to_string();
            assert!(error.contains('/') && !error.contains('\n'), "{error}");
        }
    }
}
