//! User errors as one line: where, what was found, what was expected.
//!
//! A broken flash rule or FTL invariant is a bug in ftlab. The code panics with the page, the block
//! and the last operations. A session turns the panic into [`Error::Internal`].

use std::path::PathBuf;

/// Fewest letters of a name that suggests a longer name containing it.
const LEAST_PART: usize = 3;

/// What can be wrong with an input.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A configuration key with a value that cannot be used.
    #[error("{key}: {message}")]
    Config {
        /// The key, `section.name`.
        key: String,
        /// What was found and what was expected.
        message: String,
    },
    /// A name that is not in a registry.
    #[error("unknown {kind} {name:?}{}; known: {known}", did_you_mean(.nearest))]
    Unknown {
        /// What kind of thing was named: `FTL`, `preset`, `key`.
        kind: &'static str,
        /// The name that was given.
        name: String,
        /// The nearest known name, when one is near.
        nearest: Option<String>,
        /// All known names, comma separated.
        known: String,
    },
    /// A trace with invalid content.
    #[error("{}{}: {message}", file, at_line(.line))]
    Trace {
        /// The trace as the user named it.
        file: String,
        /// The line (text formats) or record (binary formats), from 1.
        line: Option<u64>,
        /// What was found, what was expected, and the remedy.
        message: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// A resource that the machine lacks now, such as memory or threads. The same call may succeed
    /// later.
    #[error("{0}")]
    Lacking(String),
    /// A broken rule or invariant: a bug in ftlab, with what reproduces it.
    #[error("{0}")]
    Internal(String),
    /// The caller asked for the run to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// A configuration error at `key`.
    pub fn config(key: impl Into<String>, message: impl Into<String>) -> Self {
        Error::Config { key: key.into(), message: message.into() }
    }

    /// The error of a thread that the system cannot start.
    #[must_use]
    pub fn no_thread() -> Self {
        let message = "found no room for another thread; raise the limit of processes (ulimit -u), or run less \
                       at a time";
        Error::Lacking(message.into())
    }

    /// `name` is none of `known`; suggests the nearest, or the first that has it as a part.
    pub fn unknown<'a>(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let wanted = name.to_lowercase();
        let nearest = known
            .iter()
            .map(|k| (strsim::damerau_levenshtein(&k.to_lowercase(), &wanted), *k))
            .min()
            .filter(|(distance, k)| *distance <= 1 + k.len() / 3)
            .map(|(_, k)| k);
        let has_it = |k: &&&str| wanted.len() >= LEAST_PART && k.to_lowercase().contains(&wanted);
        let nearest = nearest.or_else(|| known.iter().find(has_it).copied()).map(str::to_owned);
        Error::Unknown { kind, name: name.to_owned(), nearest, known: known.join(", ") }
    }
}

/// The message for a value that is none of `known`.
#[must_use]
pub fn expected_one_of(found: &str, known: &[&str]) -> String {
    let listed = match known.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => known.join(", "),
    };
    format!("found {found:?}, expected {listed}")
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |n| format!(" (did you mean {n:?}?)"))
}

fn at_line(line: &Option<u64>) -> String {
    line.map_or_else(String::new, |n| format!(":{n}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let error = Error::unknown("FTL", "tpfl", ["page", "dftl", "tpftl"]);
        assert_eq!(
            error.to_string(),
            "unknown FTL \"tpfl\" (did you mean \"tpftl\"?); known: page, dftl, tpftl"
        );
        let error = Error::unknown("FTL", "quicksort", ["page", "dftl"]);
        assert_eq!(error.to_string(), "unknown FTL \"quicksort\"; known: page, dftl");
        let presets = ["cachftl", "tpftl-eurosys15"];
        for (name, meant) in [("TPFTL", "tpftl-eurosys15"), ("CACHFTL2", "cachftl")] {
            let told = Error::unknown("preset", name, presets).to_string();
            assert!(told.contains(&format!("(did you mean \"{meant}\"?)")), "{told}");
        }
    }
}
