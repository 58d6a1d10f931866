//! A section of a configuration, and its rows.

use super::tree::Table;
use super::value::{Edge, Kind};
use crate::error::Error;
use crate::rng::Rng;
use serde::Serialize;
use std::fmt::Debug;

/// A setting, as lists and docs show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its section.
    pub section: &'static str,
    /// Its name inside the section.
    pub name: &'static str,
    /// What it does.
    pub meaning: String,
    /// What values it takes.
    pub kind: Kind,
    /// Whether it may be absent.
    pub optional: bool,
    /// Its unit; empty where the kind says it all.
    pub unit: &'static str,
    /// Its default as people write it, or what an absent value means.
    pub default: String,
    /// The values that are allowed, where not all of the kind are.
    pub range: Option<String>,
    /// Where the default comes from.
    pub source: &'static str,
}

impl Row {
    /// The key of a configuration, such as `kast.associativity`.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

/// Settings that belong together: (part of) a table of a configuration. Declared by
/// [`settings!`](crate::settings).
pub trait Section: Clone + Debug + Default + PartialEq + Serialize + Send + Sync + 'static {
    /// The table.
    const NAME: &'static str;
    /// The keys in it.
    const KEYS: &'static [&'static str];

    /// A row for each setting.
    fn rows() -> Vec<Row>;

    /// Takes its keys out of a table, which other sections may share, and checks them; what is not in
    /// the table has its default.
    ///
    /// # Errors
    /// [`Error::Config`] for a value of another type, or out of range.
    fn take(table: &mut Table) -> Result<Self, Error>;

    /// Rejects values out of range.
    ///
    /// # Errors
    /// [`Error::Config`] names the key, what was found and what was expected.
    fn check(&self) -> Result<(), Error>;

    /// The same with the values of `other`, except for the keys (`gc.low`) that `keeps` accepts.
    #[must_use]
    fn kept(&self, keeps: impl Fn(&str) -> bool, other: &Self) -> Self;

    /// What a law might try. Settings that do not fit together are drawn again.
    #[must_use]
    fn draw(rng: &mut Rng) -> Self;

    /// The same with one setting at an edge of its range, for each edge, and the key of that setting.
    #[must_use]
    fn at_edges(&self, edge: Edge) -> Vec<(&'static str, Self)>;
}
