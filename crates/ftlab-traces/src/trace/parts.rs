//! The files of one recording: what a path stands for.

use super::archive;
use super::field::{Mistake, quoted};
use super::stream::Broken;
use crate::error::Error;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Files that one recording may have, each with a buffer of its own.
const MOST_FILES: usize = 512;

/// The path that means standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// How names begin of files that are about a trace, if no ending but these says that they are one.
const ABOUT: [&str; 7] =
    ["readme", "license", "licence", "copying", "md5sum", "sha1sum", "sha256sum"];
const OF_TEXTS: [&str; 2] = ["", "txt"];

/// How names end of documents, checksums and scripts.
const DOCUMENTS: [&str; 7] = [".md", ".pdf", ".html", ".md5", ".sha1", ".sha256", ".py"];

/// How names end of what editors keep of a file.
const BACKUPS: [&str; 4] = ["~", ".bak", ".orig", ".swp"];

/// How names of compressed files end.
const COMPRESSED: [&str; 5] = [".gz", ".bz2", ".xz", ".zst", ".lz4"];

/// What the files of a pattern are looked for by.
const WILD: [char; 3] = ['*', '?', '['];

/// A file of a recording.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The file, or `-` for standard input.
    pub file: String,
    /// Which file of it is meant, if it is an archive.
    pub member: Option<String>,
}

impl Part {
    fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), member: None }
    }

    fn member(&self, member: &str) -> Self {
        Self { member: Some(member.to_owned()), ..self.clone() }
    }

    /// What it is called without links, and without the name of a compression.
    fn content(&self) -> (PathBuf, Option<String>) {
        let plain = |name: &str| {
            let ending = COMPRESSED.iter().find_map(|ending| name.strip_suffix(ending));
            ending.unwrap_or(name).to_owned()
        };
        let file = Path::new(&self.file).canonicalize();
        let file = file.map_or_else(|_| self.file.clone(), |file| file.to_string_lossy().into());
        match &self.member {
            Some(member) => (file.into(), Some(plain(member))),
            None => (plain(&file).into(), None),
        }
    }

    fn is_empty(&self) -> bool {
        let about = Path::new(&self.file).metadata();
        self.member.is_none() && about.is_ok_and(|about| about.is_file() && about.len() == 0)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.member {
            None => f.write_str(&self.file),
            Some(member) => write!(f, "{}/{member}", self.file),
        }
    }
}

/// The files that `path` stands for, in the order of their names.
///
/// A folder and an archive stand for their files, a pattern with `*` for those that it matches, and braces for
/// the names in them.
///
/// # Errors
/// [`Error::Io`] for what cannot be read; [`Error::Trace`] for no files, or too many.
pub fn parts(path: &str) -> Result<Vec<Part>, Error> {
    let wrong = |message: String| Error::Trace { file: path.into(), line: None, message };
    let mut files = Vec::new();
    for name in named(path) {
        for file in of(&name)? {
            files.extend(members(&file).map_err(|broken| match broken {
                Broken::Mistake(Mistake(message)) => wrong(message),
                Broken::Io(source) => Error::Io { path: (&file.file).into(), source },
            })?);
        }
    }
    files.sort();
    // A processor that was idle leaves an empty file.
    if files.iter().any(|file| !file.is_empty()) {
        files.retain(|file| !file.is_empty());
    }
    if let Some([one, other]) = twice(&files) {
        let found = match [one, other].map(|part| quoted(part.to_string().as_bytes())) {
            [one, other] if one == other => format!("{one} named twice"),
            [one, other] => format!("{one} and {other}, which seem to be one file"),
        };
        return Err(wrong(format!("found {found}, expected each file once")));
    }
    match files.len() {
        0 => Err(wrong(
            "found no file there that may be a trace, expected those of one recording".into(),
        )),
        count if count > MOST_FILES => {
            Err(wrong(format!("found {count} files, expected at most {MOST_FILES}")))
        }
        _ => Ok(files),
    }
}

/// Two of the files that are the same one, or the same one compressed.
fn twice(files: &[Part]) -> Option<[&Part; 2]> {
    let mut known = BTreeMap::new();
    files.iter().find_map(|file| known.insert(file.content(), file).map(|other| [other, file]))
}

/// Whether a file may be a trace by its name: it is not hidden, not about a trace, and no backup.
pub(super) fn is_data(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    let lower = base.to_ascii_lowercase();
    let begins = |with: &[&str]| with.iter().any(|word| lower.starts_with(word));
    let ends = |with: &[&str]| with.iter().any(|ending| lower.ends_with(ending));
    let ending = lower.split_once('.').map_or("", |(_, ending)| ending);
    let is_about = begins(&ABOUT) && OF_TEXTS.contains(&ending);
    let is_hidden = begins(&[".", "#"]) || name.starts_with("__MACOSX/");
    !is_hidden && !is_about && !ends(&DOCUMENTS) && !ends(&BACKUPS)
}

/// A short name of the recording `path`: without its folder, and of several names the first.
pub(super) fn name(path: &str, parts: &[Part]) -> String {
    let last = |path: &str| {
        let file = Path::new(path).file_name().filter(|_| path != STANDARD_INPUT);
        file.map_or_else(|| shown(path), |name| name.to_string_lossy().into_owned())
    };
    match parts {
        [first, more @ ..] if !more.is_empty() && path.starts_with('{') => {
            format!("{} and {} more", last(&first.file), more.len())
        }
        _ => last(path),
    }
}

/// A path as messages have it.
pub(super) fn shown(path: &str) -> String {
    if path == STANDARD_INPUT { "standard input".into() } else { path.into() }
}

/// The names in `{A,B}`, where a backslash stands before a comma or a backslash of a name; else the one.
fn named(path: &str) -> Vec<String> {
    let inside = path.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let Some(inside) = inside.filter(|_| !Path::new(path).exists()) else {
        return vec![path.to_owned()];
    };
    let mut names = vec![String::new()];
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match (letter, names.last_mut()) {
            (',', _) => names.push(String::new()),
            ('\\', Some(name)) => name.extend(letters.next()),
            (_, Some(name)) => name.push(letter),
            (_, None) => {}
        }
    }
    names
}

/// The files that one name stands for, archives as one.
fn of(name: &str) -> Result<Vec<Part>, Error> {
    let there = Path::new(name);
    if there.is_dir() {
        return in_folder(there).map_err(|source| Error::Io { path: name.into(), source });
    }
    let is_wild = name.contains(WILD) && !there.exists();
    match in_archive(there) {
        Some(part) => Ok(vec![part]),
        None if is_wild => matching(name),
        None => Ok(vec![Part::file(name)]),
    }
}

/// The archive that a name goes on behind, and the file in it.
fn in_archive(name: &Path) -> Option<Part> {
    let archive = name.ancestors().skip(1).find(|ancestor| ancestor.is_file())?;
    let member = name.strip_prefix(archive).ok()?;
    Some(Part::file(archive.to_string_lossy()).member(&member.to_string_lossy()))
}

/// The files of an archive, where there are several of which some or all are meant; else the one.
fn members(part: &Part) -> Result<Vec<Part>, Broken> {
    let wanted = part.member.as_ref();
    if wanted.is_some_and(|member| !member.contains(WILD)) {
        return Ok(vec![part.clone()]);
    }
    let pattern = wanted.and_then(|member| glob::Pattern::new(member).ok());
    let is_meant = |name: &String| {
        wanted.is_none_or(|wanted| wanted == name)
            || pattern.as_ref().is_some_and(|pattern| pattern.matches(name))
    };
    let mut names = archive::names(Path::new(&part.file))?;
    names.retain(is_meant);
    Ok(match (names.len(), wanted) {
        (0 | 1, None) => vec![part.clone()],
        _ => names.iter().map(|name| part.member(name)).collect(),
    })
}

/// The files of a folder that may be traces.
fn in_folder(folder: &Path) -> std::io::Result<Vec<Part>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        if is_data(&entry.file_name().to_string_lossy()) && entry.path().is_file() {
            files.push(Part::file(entry.path().to_string_lossy()));
        }
    }
    Ok(files)
}

/// The files whose names a pattern matches.
fn matching(pattern: &str) -> Result<Vec<Part>, Error> {
    let found = glob::glob(pattern).map_err(|error| Error::Trace {
        file: pattern.into(),
        line: None,
        message: format!("found a pattern that cannot be read ({error}), expected one as *.csv"),
    })?;
    let files = found.filter_map(Result::ok).filter(|file| file.is_file());
    let names: Vec<String> = files.map(|file| file.to_string_lossy().into_owned()).collect();
    // Whoever looks for backups alone means them.
    let has_data = names.iter().any(|name| is_data(name));
    let meant = names.into_iter().filter(|name| !has_data || is_data(name));
    Ok(meant.map(Part::file).collect())
}
