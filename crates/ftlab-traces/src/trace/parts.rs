//! The files of one recording: what a path stands for.

use crate::error::Error;
use std::path::Path;

/// Files that one recording may have, each with a buffer of its own.
const MOST_FILES: usize = 512;

/// The files that `path` stands for, in the order of their names: those of a folder, those that a pattern
/// with `*` names, or the one.
pub(super) fn of(path: &str) -> Result<Vec<String>, Error> {
    let there = Path::new(path);
    let files = if there.is_dir() {
        in_folder(there).map_err(|source| Error::Io { path: path.into(), source })?
    } else if path.contains(['*', '?', '[']) && !there.exists() {
        matching(path)?
    } else {
        return Ok(vec![path.to_owned()]);
    };
    let expected = |found: String| Error::Trace { file: path.into(), line: None, message: found };
    match files.len() {
        0 => Err(expected("found no file there, expected those of one recording".into())),
        count if count > MOST_FILES => {
            Err(expected(format!("found {count} files, expected at most {MOST_FILES}")))
        }
        _ => Ok(files),
    }
}

/// The files of a folder that are not hidden.
fn in_folder(folder: &Path) -> std::io::Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !hidden && entry.path().is_file() {
            files.push(entry.path().to_string_lossy().into_owned());
        }
    }
    files.sort();
    Ok(files)
}

/// The files whose names a pattern matches.
fn matching(pattern: &str) -> Result<Vec<String>, Error> {
    let found = glob::glob(pattern).map_err(|error| Error::Trace {
        file: pattern.into(),
        line: None,
        message: format!("found a pattern that cannot be read ({error}), expected one as *.csv"),
    })?;
    let files = found.filter_map(Result::ok).filter(|file| file.is_file());
    Ok(files.map(|file| file.to_string_lossy().into_owned()).collect())
}
