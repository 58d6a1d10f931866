//! The files of one recording: what a path stands for.

use super::archive;
use super::field::{Mistake, quoted};
use super::stream::Broken;
use crate::error::Error;
use std::fmt;
use std::path::Path;

/// Files that one recording may have, each with a buffer of its own.
const MOST_FILES: usize = 512;

/// The path that means standard input.
pub(super) const STANDARD_INPUT: &str = "-";

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
    if let Some(twice) = files.windows(2).find(|pair| pair[0] == pair[1]) {
        let twice = twice[0].to_string();
        return Err(wrong(format!(
            "found {} named twice, expected each file once",
            quoted(twice.as_bytes())
        )));
    }
    match files.len() {
        0 => Err(wrong("found no file there, expected those of one recording".into())),
        count if count > MOST_FILES => {
            Err(wrong(format!("found {count} files, expected at most {MOST_FILES}")))
        }
        _ => Ok(files),
    }
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

/// The files of a folder that are not hidden.
fn in_folder(folder: &Path) -> std::io::Result<Vec<Part>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !hidden && entry.path().is_file() {
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
    Ok(files.map(|file| Part::file(file.to_string_lossy())).collect())
}
