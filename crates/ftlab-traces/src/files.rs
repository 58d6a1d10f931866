//! Creates files and folders for all of ftlab. They appear whole or not at all and never replace
//! what belongs to another.
//!
//! A file or folder is written next to its target as `.NAME.RANDOM.ftlab.partial`, a hidden name
//! that cannot be guessed. It is always a new file, so no link is followed. It is locked while its
//! writer lives. A whole file is renamed to its target; a dropped one is removed.
//!
//! [`remove_unfinished`] removes all partial files of a process that ends. The next writer of the
//! same target removes those of a killed process.
//! killed process left, the next writer of the same place removes.

use crate::error::Error;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The output that means standard output.
const STANDARD_OUTPUT: &str = "-";

/// What a finished file may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The target of the name: a link remains a link, and a device or pipe is written directly.
    Named,
    /// The name itself: a link or pipe is replaced and never followed.
    Entry,
    /// Nothing: an existing file is kept.
    New,
}

/// A file under a temporary name until it is finished. It is removed if dropped before. Standard
/// output, devices and pipes are written directly.
pub struct WholeFile {
    stream: Box<dyn Write + Send>,
    path: PathBuf,
    place: Place,
    partial: Option<Partial>,
    bytes: u64,
}

impl WholeFile {
    /// Begins the file at `path` (`-` for standard output). If `path` is a link, the file is its
    /// target.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written; [`Error::Config`] for a path that names no file.
    pub fn create(path: &str) -> Result<Self, Error> {
        if path != STANDARD_OUTPUT {
            return Self::at(Path::new(path), Place::Named);
        }
        let stream = Box::new(io::stdout());
        Ok(Self { stream, path: path.into(), place: Place::Named, partial: None, bytes: 0 })
    }

    /// Begins the file that will be at `path`.
    ///
    /// # Errors
    /// As [`WholeFile::create`].
    pub fn at(path: &Path, place: Place) -> Result<Self, Error> {
        let target = match place {
            Place::Named => led_to(path).map_err(failed(path))?,
            Place::Entry | Place::New => path.into(),
        };
        let there = target.symlink_metadata().ok();
        let kind = there.map(|there| there.file_type());
        if kind.is_some_and(|kind| kind.is_dir()) {
            return Err(failed(path)(io::ErrorKind::IsADirectory.into()));
        }
        if place == Place::New && kind.is_some() {
            return Err(failed(path)(io::ErrorKind::AlreadyExists.into()));
        }
        let is_file = kind.is_some_and(|kind| kind.is_file());
        let (stream, partial): (Box<dyn Write + Send>, _) =
            if place == Place::Named && kind.is_some() && !is_file {
                (Box::new(File::create(&target).map_err(failed(path))?), None)
            } else {
                if is_file {
                    // A user who may not write to the file may not replace it.
                    OpenOptions::new().write(true).open(&target).map_err(failed(path))?;
                }
                let partial = Partial::file(&target, is_file)?;
                (Box::new(partial.held.try_clone().map_err(failed(path))?), Some(partial))
            };
        Ok(Self { stream, path: target, place, partial, bytes: 0 })
    }

    /// Bytes written so far.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Puts the finished file into its place, with the mode of the file that it replaces.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written; the temporary file is then removed.
    pub fn finish(mut self) -> Result<(), Error> {
        let path = std::mem::take(&mut self.path);
        self.stream.flush().map_err(failed(&path))?;
        match self.partial.take() {
            Some(partial) => partial.take_place(&path, self.place).map_err(failed(&path)),
            None => Ok(()),
        }
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

/// A folder under a temporary name until it is finished. It is removed with its content if dropped
/// before.
#[derive(Debug)]
pub struct WholeFolder {
    target: PathBuf,
    partial: Partial,
}

impl WholeFolder {
    /// Begins the folder that will be at `target`, which may exist only if it is empty.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be made; [`Error::Config`] for one that is not empty.
    pub fn create(target: &Path) -> Result<Self, Error> {
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
        Ok(Self { target: target.into(), partial: Partial::folder(target)? })
    }

    /// The folder to write files into until it is finished.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.partial.path
    }

    /// The path of the finished folder, as messages show it.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the finished folder into its place.
    ///
    /// # Errors
    /// [`Error::Io`] if that fails; the temporary folder is then removed.
    pub fn finish(self) -> Result<(), Error> {
        let Self { target, partial } = self;
        for entry in fs::read_dir(&partial.path).map_err(failed(&target))? {
            let path = entry.map_err(failed(&target))?.path();
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(failed(&target.join(path.file_name().unwrap_or_default())))?;
        }
        partial.named(&target, |from, to| fs::rename(from, to)).map_err(failed(&target))
    }
}

/// A whole file or folder under its temporary name.
#[must_use = "it is removed unless it is named"]
pub struct Unnamed<T> {
    told: T,
    whole: Whole,
}

/// A file or a folder.
pub(crate) enum Whole {
    File(WholeFile),
    Folder(WholeFolder),
}

impl<T> Unnamed<T> {
    pub(crate) const fn new(told: T, whole: Whole) -> Self {
        Self { told, whole }
    }

    /// Gives the file or folder its name, and returns its description.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be renamed; the temporary file or folder is then removed.
    pub fn finish(self) -> Result<T, Error> {
        match self.whole {
            Whole::File(file) => file.finish()?,
            Whole::Folder(folder) => folder.finish()?,
        }
        Ok(self.told)
    }
}

/// A file or folder next to its target, so renaming moves no data. It is locked while its writer
/// lives. An unlocked one was left by a killed writer; the next writer of the same target removes
/// it.
#[derive(Debug)]
pub struct Partial {
    path: PathBuf,
    held: File,
    process: u32,
}

impl Partial {
    /// A new file, open for reading and writing. Only its owner can read a `private` file.
    ///
    /// # Errors
    /// [`Error::Io`] where it cannot be made.
    pub fn file(target: &Path, private: bool) -> Result<Self, Error> {
        Self::make(target, &|path| new_file(path, private))
    }

    /// A new folder.
    ///
    /// # Errors
    /// As [`Partial::file`].
    pub fn folder(target: &Path) -> Result<Self, Error> {
        Self::make(target, &|path| fs::create_dir(path).and_then(|()| File::open(path)))
    }

    fn make(target: &Path, make: &dyn Fn(&Path) -> io::Result<File>) -> Result<Self, Error> {
        let Some(name) = target.file_name() else {
            let message = format!("found {}, expected the name of a file", target.display());
            return Err(Error::config("output", message));
        };
        sweep(folder_of(target), Some(name));
        loop {
            let mut own = start(name);
            own.push(format!("{:016x}{PARTIAL}", RandomState::new().build_hasher().finish()));
            let path = target.with_file_name(own);
            let process = std::process::id();
            let made = {
                let mut unfinished = unfinished();
                if unfinished.over {
                    return Err(Error::Interrupted);
                }
                let made = make(&path);
                if made.is_ok() {
                    unfinished.partials.insert((process, path.clone()));
                }
                made
            };
            let held = match made {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made.map_err(failed(target))?,
            };
            let partial = Self { path, held, process };
            // On a file system without locks, what killed writers leave is kept.
            let _ = partial.held.lock();
            if partial.path.exists() {
                return Ok(partial);
            }
        }
    }

    /// The file.
    #[must_use]
    pub const fn held(&self) -> &File {
        &self.held
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs a whole file to disk and gives it its name.
    ///
    /// # Errors
    /// Those of the system.
    pub fn take_place(self, target: &Path, place: Place) -> io::Result<()> {
        self.held.sync_all()?;
        let there = target.symlink_metadata().ok().filter(fs::Metadata::is_file);
        if let Some(there) = there.filter(|_| place != Place::New) {
            self.held.set_permissions(there.permissions())?;
        }
        match place {
            Place::New => self.named(target, rename_new),
            Place::Named | Place::Entry => self.named(target, |from, to| fs::rename(from, to)),
        }
    }

    /// Renames it, unless its process is about to end.
    fn named(
        self,
        target: &Path,
        rename: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut unfinished = unfinished();
        if unfinished.over {
            return Err(io::ErrorKind::Interrupted.into());
        }
        rename(&self.path, target)?;
        unfinished.partials.remove(&(self.process, self.path.clone()));
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let key = (self.process, std::mem::take(&mut self.path));
        let listed = unfinished().partials.remove(&key);
        // A process that was forked from the writer did not make the file.
        if listed && self.process == std::process::id() {
            remove(&key.1);
        }
    }
}

/// The files and folders that this process has begun and not finished.
struct Unfinished {
    partials: BTreeSet<(u32, PathBuf)>,
    /// Whether the process is ending: nothing more is begun or finished.
    over: bool,
}

static UNFINISHED: Mutex<Unfinished> =
    Mutex::new(Unfinished { partials: BTreeSet::new(), over: false });

fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all that this process has begun and not finished, on every thread. Call it when the
/// process ends: nothing is begun or finished afterwards.
pub fn remove_unfinished() {
    let mut unfinished = unfinished();
    unfinished.over = true;
    let own = std::process::id();
    for (_, path) in std::mem::take(&mut unfinished.partials).iter().filter(|each| each.0 == own) {
        remove(path);
    }
}

/// Removes a file or folder; errors are ignored, as nothing more can be done.
fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().is_ok_and(|there| there.is_dir());
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// How the names of partial files end.
const PARTIAL: &str = ".ftlab.partial";

/// Digits of the random number before the suffix.
const DIGITS: usize = 16;

/// The most bytes of the target's name in a partial file's name: file systems limit the whole name.
const LONGEST: usize = 200;

/// How the names of partial files of `name` begin.
fn start(name: &OsStr) -> OsString {
    let mut start = OsString::from(".");
    if name.len() > LONGEST {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        start.push(format!("{:016x}", hasher.finish()));
    } else {
        start.push(name);
    }
    start.push(".");
    start
}

/// Whether a name is that of a partial file, of the target `name` if one is given.
fn is_partial(found: &OsStr, name: Option<&OsStr>) -> bool {
    let start = name.map_or_else(|| OsString::from("."), start);
    let middle = found.as_encoded_bytes().strip_prefix(start.as_encoded_bytes());
    let middle = middle.and_then(|rest| rest.strip_suffix(PARTIAL.as_bytes()));
    let Some(split) = middle.and_then(|rest| Some((rest, rest.len().checked_sub(DIGITS)?))) else {
        return false;
    };
    let (of, digits) = split.0.split_at(split.1);
    let is_own = if name.is_some() { of.is_empty() } else { of.len() > 1 && of.ends_with(b".") };
    is_own && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes what killed writers of `name`, or of any name, left in a folder. It skips what it cannot
/// remove.
pub fn sweep(folder: &Path, name: Option<&OsStr>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_of_a_writer = is_partial(&entry.file_name(), name)
            && entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
        if is_of_a_writer && File::open(entry.path()).is_ok_and(|left| left.try_lock().is_ok()) {
            remove(&entry.path());
        }
    }
}

/// The folder of a path.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The most links that are followed, as in operating systems.
const MOST_LINKS: usize = 40;

/// The target of a path through links. The last link may lead to a file that does not exist.
fn led_to(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::canonicalize(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            led => return led,
        }
        match fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    fs::canonicalize(&path)
}

/// Renames a file to a name that nothing has.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) if to.symlink_metadata().is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
        // A file system without hard links.
        Err(_) => fs::rename(from, to),
    }
}

#[cfg(unix)]
fn new_file(path: &Path, private: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    let mode = if private { 0o600 } else { 0o666 };
    OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn new_file(path: &Path, _private: bool) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Names the file that the operating system failed on.
pub(crate) fn failed(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.into(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("ftlab_files_{name}_{}", std::process::id()));
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
        assert_eq!(file.bytes(), 5);
        file.finish().unwrap();
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

    /// The name of what a killed writer of `name` has left.
    fn left_of(name: &str, number: u64) -> String {
        format!("{}{number:016x}{PARTIAL}", start(OsStr::new(name)).to_str().unwrap())
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = folder("killed");
        let path = folder.join("a.spc");
        let living = WholeFile::create(path.to_str().unwrap()).unwrap();
        let kept = [left_of("b.spc", 1), ".a.spc.note".into(), ".a.spc.1-0.partial".into()];
        for left in kept.iter().chain([&left_of("a.spc", 1)]) {
            fs::write(folder.join(left), "half").unwrap();
        }
        fs::create_dir_all(folder.join(left_of("a.spc", 2)).join("inside")).unwrap();
        let next = WholeFile::create(path.to_str().unwrap()).unwrap();
        assert_eq!(names(&folder).len(), 5, "{:?}", names(&folder));
        living.finish().unwrap();
        next.finish().unwrap();
        let mut left = names(&folder);
        left.sort();
        let mut expected: Vec<OsString> = kept.iter().map(OsString::from).collect();
        expected.push("a.spc".into());
        expected.sort();
        assert_eq!(left, expected);
        fs::remove_dir_all(&folder).unwrap();
    }

    /// Files of other programs may also be hidden and partial.
    #[cfg(unix)]
    #[test]
    fn a_sweep_of_a_folder_leaves_what_is_of_others() {
        let folder = folder("others");
        let others = [
            ".x.partial",
            ".ftlab.partial",
            ".0123456789abcdef.ftlab.partial",
            ".x.0123456789abcdeg.ftlab.partial",
            "x.0123456789abcdef.ftlab.partial",
        ];
        fs::create_dir(folder.join(".backup.partial")).unwrap();
        for name in others {
            fs::write(folder.join(name), "a thesis").unwrap();
        }
        let link = folder.join(left_of("link", 1));
        std::os::unix::fs::symlink(folder.join(".x.partial"), link).unwrap();
        fs::write(folder.join(left_of("own", 1)), "half").unwrap();
        sweep(&folder, None);
        assert_eq!(names(&folder).len(), others.len() + 2, "{:?}", names(&folder));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_name_that_is_as_long_as_can_be_is_written_to() {
        let folder = folder("long");
        let path = folder.join("n".repeat(255));
        for content in ["old", "new"] {
            let mut file = WholeFile::create(path.to_str().unwrap()).unwrap();
            file.write_all(content.as_bytes()).unwrap();
            file.finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        fs::write(folder.join(left_of(&"n".repeat(255), 1)), "half").unwrap();
        drop(WholeFile::create(path.to_str().unwrap()).unwrap());
        assert_eq!(names(&folder).len(), 1, "{:?}", names(&folder));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_mode_and_one_that_may_not_be_written_to_stays() {
        use std::os::unix::fs::PermissionsExt;

        let folder = folder("mode");
        let path = folder.join("a.spc");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mut file = WholeFile::create(path.to_str().unwrap()).unwrap();
        let partial = file.partial.as_ref().unwrap().held.metadata().unwrap();
        assert_eq!(partial.permissions().mode() & 0o777, 0o600, "others see nothing meanwhile");
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        // Who is root may write to it.
        let may = OpenOptions::new().write(true).open(&path).is_ok();
        assert_eq!(WholeFile::create(path.to_str().unwrap()).is_ok(), may);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_new_takes_the_place_of_nothing() {
        let folder = folder("new");
        let path = folder.join("a.spc");
        let written = |content: &[u8]| -> Result<(), Error> {
            let mut file = WholeFile::at(&path, Place::New)?;
            file.write_all(content).unwrap();
            file.finish()
        };
        let late = WholeFile::at(&path, Place::New).unwrap();
        written(b"first").unwrap();
        assert!(late.finish().is_err(), "it was made meanwhile");
        assert!(written(b"second").is_err());
        assert_eq!((names(&folder).len(), fs::read(&path).unwrap()), (1, b"first".to_vec()));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn an_entry_is_replaced_and_no_link_of_it_followed() {
        let folder = folder("entry");
        let (path, thesis) = (folder.join("a.spc"), folder.join("thesis"));
        fs::write(&thesis, "a thesis").unwrap();
        for leads_to in ["thesis", "a.spc", "nowhere"] {
            let _ = fs::remove_file(&path);
            std::os::unix::fs::symlink(leads_to, &path).unwrap();
            let mut file = WholeFile::at(&path, Place::Entry).unwrap();
            file.write_all(b"a result").unwrap();
            file.finish().unwrap();
            assert!(!path.is_symlink());
            assert_eq!(fs::read(&path).unwrap(), b"a result");
        }
        assert_eq!((names(&folder).len(), fs::read(&thesis).unwrap()), (2, b"a thesis".to_vec()));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_to_where_it_leads_and_one_that_leads_to_itself_is_told() {
        let folder = folder("links");
        let (link, real) = (folder.join("link"), folder.join("real"));
        std::os::unix::fs::symlink("real", &link).unwrap();
        let mut file = WholeFile::create(link.to_str().unwrap()).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        std::os::unix::fs::symlink("loop", folder.join("loop")).unwrap();
        let error = WholeFile::create(folder.join("loop").to_str().unwrap()).err().unwrap();
        assert!(error.to_string().contains("symbolic links"), "{error}");
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
