//! Settings out of a tree of tables, as users give them.

use super::section::Section;
use super::value::{Kind, Value};
use crate::error::Error;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// A table of a tree: values by their keys.
pub type Table = Map<String, Json>;

/// Takes a key out of a table, if it is there, and types its value.
///
/// # Errors
/// [`Error::Config`] names the key.
pub fn take_key<T: DeserializeOwned + Value>(
    section: &str,
    name: &str,
    table: &mut Table,
    into: &mut T,
) -> Result<(), Error> {
    let Some(value) = table.remove(name) else { return Ok(()) };
    let found = value.to_string();
    *into = serde_path_to_error::deserialize(value)
        .map_err(|error| of_another_type(section, name, &found, &error, T::KIND))?;
    Ok(())
}

/// The error of a value that is not of the type `kind`.
fn of_another_type(
    section: &str,
    name: &str,
    found: &str,
    error: &serde_path_to_error::Error<serde_json::Error>,
    kind: Kind,
) -> Error {
    let inside = error.path().to_string();
    let inside = if inside == "." { String::new() } else { format!(".{inside}") };
    let told = error.inner().to_string();
    // What the type itself says is for people; what the library says of types is not.
    let message = match told.starts_with("invalid ") {
        true => format!("found {found}, expected {}", kind.expected(&told)),
        false => told,
    };
    Error::config(format!("{section}.{name}{inside}"), message)
}

/// Takes the keys of a section out of its table of a tree, and types them. Several sections may share a
/// table: what none of them takes is told by [`expect_empty`].
///
/// # Errors
/// [`Error::Config`] for a value of another type, or out of range.
pub fn take<T: Section>(tree: &mut Table) -> Result<T, Error> {
    match tree.get_mut(T::NAME) {
        None | Some(Json::Null) => Ok(T::default()),
        Some(Json::Object(table)) => T::take(table),
        Some(other) => {
            let message = format!("found {other}, expected settings by their keys");
            Err(Error::config(T::NAME, message))
        }
    }
}

/// Rejects a tree of which something is left after all sections took their keys.
///
/// `known` has the keys of all sections by their table, in the order of messages.
///
/// # Errors
/// [`Error::Unknown`] for a section or key that does not exist.
pub fn expect_empty(
    tree: &Table,
    known: &[(&'static str, &'static [&'static str])],
) -> Result<(), Error> {
    for (section, rest) in tree {
        let keys = known.iter().filter(|(name, _)| name == section).flat_map(|(_, keys)| *keys);
        let full: Vec<String> = keys.map(|key| format!("{section}.{key}")).collect();
        if full.is_empty() {
            let mut sections = vec!["preset"];
            sections.extend(known.iter().map(|(name, _)| *name));
            let mut seen = std::collections::BTreeSet::new();
            sections.retain(|name| seen.insert(*name));
            return Err(Error::unknown("section", section, sections));
        }
        if let Some(key) = rest.as_object().and_then(|table| table.keys().next()) {
            let found = format!("{section}.{key}");
            return Err(Error::unknown("key", &found, full.iter().map(String::as_str)));
        }
    }
    Ok(())
}

/// The table of a section.
///
/// # Panics
/// Never: a section serialises as a table.
#[must_use]
pub fn table_of<T: Section>(section: &T) -> Table {
    match serde_json::to_value(section) {
        Ok(Json::Object(table)) => table,
        other => panic!("a section serialises as a table, not as {other:?}"),
    }
}
