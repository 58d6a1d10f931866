//! A job file as text: sections of keys and values, each with its line.

use super::keys::{Key, Known};
use super::value::Told;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest job file that is read, bytes.
pub(super) const LONGEST_FILE: u64 = 1 << 20;

/// Jobs that are believed, clones included.
pub(super) const MOST_JOBS: usize = 4096;

/// A value with the line that it is on; of a key alone the value is empty.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) text: Arc<str>,
    pub(super) line: u64,
}

/// A job: its own keys and those of the `[global]` sections above it.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) line: u64,
    pub(super) values: BTreeMap<Key, Value>,
}

/// The jobs of a text, in its order.
pub(super) fn sections(text: &str) -> Result<Vec<Section>, Told> {
    let mut global = BTreeMap::new();
    let mut jobs: Vec<Section> = Vec::new();
    let mut in_global = None;
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        if let Some(rest) = line.strip_prefix('[') {
            let name = rest.split_once(']').map(|(name, _)| name.trim()).unwrap_or_default();
            if name.is_empty() {
                return Err(Told::at(number, format!("found {line:?}, expected [NAME]")));
            }
            in_global = Some(name == "global");
            if name != "global" {
                if jobs.len() == MOST_JOBS {
                    return Err(Told::at(number, format!("found more than {MOST_JOBS} jobs")));
                }
                jobs.push(Section { name: name.into(), line: number, values: global.clone() });
            }
            continue;
        }
        let (word, value) = line.split_once('=').unwrap_or((line, ""));
        let (word, value) = (word.trim(), value.trim());
        let values = match (in_global, jobs.last_mut()) {
            (Some(true), _) => &mut global,
            (Some(false), Some(job)) => &mut job.values,
            _ => return Err(Told::at(number, "found a parameter, expected [NAME] before it")),
        };
        match Known::of(word, value).map_err(|told| Told::at(number, told))? {
            Known::Inert => {}
            Known::Key(key) => drop(values.insert(key, Value { text: value.into(), line: number })),
        }
    }
    match jobs.is_empty() {
        true => Err(Told { line: None, message: "found no job, expected [NAME]".into() }),
        false => Ok(jobs),
    }
}
