//! Where each number of a model comes from, so that a machine can check it.
//!
//! The table `[origin]` names keys (`sizes`, `space.volumes`; `all` for the rest) and says
//! `published`, `fitted` or `assumed` of each, with its source. An entry covers everything below
//! its key; the longest key that fits is the one that counts.

use crate::error::Error;
use std::collections::BTreeMap;

/// The words that an entry begins with.
pub const ORIGINS: [&str; 3] = ["published", "fitted", "assumed"];

/// Checks the entries: each begins with one of the words and names a key of the file.
pub(super) fn check(
    text: &str,
    origins: &BTreeMap<String, String>,
    name: &str,
) -> Result<(), Error> {
    let numbers = numbers(text);
    for (key, origin) in origins {
        let word = origin.split([' ', ':', ',']).next().unwrap_or("");
        if !ORIGINS.contains(&word) {
            let expected = "expected published, fitted or assumed to begin with";
            let message = format!("found {origin:?}, {expected}");
            return Err(Error::config(format!("{name}: origin.{key}"), message));
        }
        if key != "all" && !numbers.iter().any(|number| covers(key, number)) {
            let message = "found an origin, expected a number with that key";
            return Err(Error::config(format!("{name}: origin.{key}"), message));
        }
    }
    Ok(())
}

/// The keys of all numbers of which `[origin]` says nothing. Published figures have their own
/// sources.
#[must_use]
pub fn unexplained(text: &str, origins: &BTreeMap<String, String>) -> Vec<String> {
    let explained = |number: &String| origins.keys().any(|key| key == "all" || covers(key, number));
    numbers(text).into_iter().filter(|number| !explained(number)).collect()
}

fn covers(key: &str, number: &str) -> bool {
    number.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The keys of all values other than words, each once.
fn numbers(text: &str) -> Vec<String> {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let mut keys = Vec::new();
    for (key, value) in &table {
        if !["name", "summary", "source", "origin", "published"].contains(&key.as_str()) {
            collect(key, value, &mut keys);
        }
    }
    keys.sort();
    keys.dedup();
    keys
}

fn collect(key: &str, value: &toml::Value, keys: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (name, value) in table {
                collect(&format!("{key}.{name}"), value, keys);
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| collect(key, item, keys)),
        // A part has a name, which is no number.
        _ if key.ends_with(".name") => {}
        _ => keys.push(key.to_owned()),
    }
}
