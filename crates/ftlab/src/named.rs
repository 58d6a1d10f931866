//! Lists of things that are chosen by name, to which anyone can add.

use crate::error::Error;
use crate::settings::{Group, Row, SectionKind, Sections};
use std::fmt;
use std::sync::Arc;

/// What a thing is called, for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The name in configurations.
    pub name: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

/// A thing that is chosen by name, and how to build it.
#[derive(Clone)]
pub struct Named<B> {
    /// What it is called.
    pub spec: Spec,
    /// The kinds of its own settings.
    pub settings: Vec<SectionKind>,
    /// Builds it.
    pub build: B,
}

impl<B> Named<B> {
    /// A thing with settings of its own.
    #[must_use]
    pub fn new<G: Group>(spec: Spec, build: B) -> Self {
        Named { spec, settings: G::kinds(), build }
    }

    /// What builds it, after checking that its own settings are in range.
    ///
    /// # Errors
    /// [`Error::Config`] with the key of one that is not.
    pub fn checked(&self, settings: &Sections) -> Result<&B, Error> {
        unless_bug!(NamedUnchecked, settings.check(&self.settings)?);
        Ok(&self.build)
    }

    /// The rows of its own settings.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.settings.iter().flat_map(|kind| (kind.rows)()).collect()
    }
}

/// Things of a kind by their names, which differ. Two lists are equal as parts of a configuration, whatever
/// is in them.
#[derive(Clone)]
pub struct List<B> {
    kind: &'static str,
    all: Arc<Vec<Named<B>>>,
}

impl<B: Clone> List<B> {
    /// An empty list of such things.
    #[must_use]
    pub fn new(kind: &'static str) -> Self {
        List { kind, all: Arc::new(Vec::new()) }
    }

    /// The same with one more.
    ///
    /// # Panics
    /// When it has no name, or one has it already: a name that chose another thing than before would give
    /// wrong results without a word.
    #[must_use]
    pub fn with(mut self, named: Named<B>) -> Self {
        expect_new(self.kind, named.spec.name, self.iter().map(|other| other.spec.name));
        Arc::make_mut(&mut self.all).push(named);
        self
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Named<B>> {
        self.all.iter()
    }

    /// The one called `name`, `others` being further names that a message lists.
    ///
    /// # Errors
    /// [`Error::Unknown`] when there is none.
    pub fn find(&self, name: &str, others: &[&'static str]) -> Result<&Named<B>, Error> {
        let known = || others.iter().copied().chain(self.iter().map(|named| named.spec.name));
        self.iter()
            .find(|named| named.spec.name == name)
            .ok_or_else(|| Error::unknown(self.kind, name, known()))
    }
}

/// Refuses a name that is empty or taken.
///
/// # Panics
/// When it is.
pub fn expect_new(kind: &str, name: &str, mut taken: impl Iterator<Item = &'static str>) {
    assert!(!name.is_empty(), "{kind}: found one without a name");
    assert!(
        taken.all(|other| other != name),
        "{kind}: found two called {name}, expected names that differ"
    );
}

impl<B> PartialEq for List<B> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<B> fmt::Debug for List<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter().map(|named| named.spec.name)).finish()
    }
}
