//! Settings of an FTL, a buffer or a policy: no section, one, or two.

use super::section::{Row, Section};
use super::tree::{self, Table};
use super::value::Edge;
use crate::error::Error;
use crate::rng::Rng;
use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::sync::Arc;

/// The settings of one thing: `()`, a [`Section`], or two of them.
pub trait Group: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Its sections.
    #[must_use]
    fn kinds() -> Vec<SectionKind>;

    /// Their values among others.
    #[must_use]
    fn of(sections: &Sections) -> Self;

    /// Puts them back.
    fn put(self, sections: &mut Sections);

    /// Rejects values out of range.
    ///
    /// # Errors
    /// As [`Section::check`].
    fn check_all(&self) -> Result<(), Error>;
}

impl Group for () {
    fn kinds() -> Vec<SectionKind> {
        Vec::new()
    }
    fn of(_sections: &Sections) -> Self {}
    fn put(self, _sections: &mut Sections) {}
    fn check_all(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl<T: Section> Group for T {
    fn kinds() -> Vec<SectionKind> {
        vec![SectionKind::of::<T>()]
    }
    fn of(sections: &Sections) -> Self {
        sections.get()
    }
    fn put(self, sections: &mut Sections) {
        sections.set(self);
    }
    fn check_all(&self) -> Result<(), Error> {
        Section::check(self)
    }
}

impl<A: Section, B: Section> Group for (A, B) {
    fn kinds() -> Vec<SectionKind> {
        vec![SectionKind::of::<A>(), SectionKind::of::<B>()]
    }
    fn of(sections: &Sections) -> Self {
        (sections.get(), sections.get())
    }
    fn put(self, sections: &mut Sections) {
        sections.set(self.0);
        sections.set(self.1);
    }
    fn check_all(&self) -> Result<(), Error> {
        self.0.check_all()?;
        self.1.check_all()
    }
}

/// A type of section.
#[derive(Clone, Copy, Debug)]
pub struct SectionKind {
    /// The table that it is part of.
    pub name: &'static str,
    /// Its keys.
    pub keys: &'static [&'static str],
    /// A row for each setting.
    pub rows: fn() -> Vec<Row>,
    take: fn(&mut Table) -> Result<Arc<dyn AnySection>, Error>,
    draw: fn(&mut Rng) -> Arc<dyn AnySection>,
    check: fn(&Sections) -> Result<(), Error>,
    at_edges: fn(&Sections, Edge) -> Vec<(&'static str, Sections)>,
    id: TypeId,
}

impl SectionKind {
    /// That of a section.
    #[must_use]
    pub fn of<T: Section>() -> Self {
        SectionKind {
            name: T::NAME,
            keys: T::KEYS,
            rows: T::rows,
            take: |tree| Ok(Arc::new(tree::take::<T>(tree)?)),
            draw: |rng| Arc::new(T::draw(rng)),
            check: |sections| sections.get::<T>().check(),
            at_edges: |sections, edge| {
                let with = |section: T| {
                    let mut sections = sections.clone();
                    sections.set(section);
                    sections
                };
                let sections = sections.get::<T>().at_edges(edge).into_iter();
                sections.map(|(key, section)| (key, with(section))).collect()
            },
            id: TypeId::of::<T>(),
        }
    }
}

impl PartialEq for SectionKind {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// A section of which the type is known at run time only.
trait AnySection: Any + Debug + Send + Sync {
    fn name(&self) -> &'static str;
    fn table(&self) -> Table;
    fn equals(&self, other: &dyn AnySection) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<T: Section> AnySection for T {
    fn name(&self) -> &'static str {
        T::NAME
    }
    fn table(&self) -> Table {
        tree::table_of(self)
    }
    fn equals(&self, other: &dyn AnySection) -> bool {
        other.as_any().downcast_ref::<T>() == Some(self)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Sections by their types. One that is not there has its defaults.
#[derive(Clone, Debug, Default)]
pub struct Sections(Vec<Arc<dyn AnySection>>);

impl Sections {
    /// Takes sections of these kinds out of a tree.
    ///
    /// # Errors
    /// [`Error::Config`] names the key of a bad value.
    pub fn take(kinds: &[SectionKind], tree: &mut Table) -> Result<Self, Error> {
        kinds.iter().map(|kind| (kind.take)(tree)).collect::<Result<_, _>>().map(Sections)
    }

    /// Draws those of these kinds anew, for laws.
    pub fn draw(&mut self, kinds: &[SectionKind], rng: &mut Rng) {
        for kind in kinds {
            self.replace((kind.draw)(rng));
        }
    }

    /// Rejects values out of range in sections of these kinds.
    ///
    /// # Errors
    /// As [`Section::check`].
    pub fn check(&self, kinds: &[SectionKind]) -> Result<(), Error> {
        kinds.iter().try_for_each(|kind| (kind.check)(self))
    }

    /// As [`Section::at_edges`], of sections of these kinds.
    #[must_use]
    pub fn at_edges(&self, kinds: &[SectionKind], edge: Edge) -> Vec<(&'static str, Sections)> {
        kinds.iter().flat_map(|kind| (kind.at_edges)(self, edge)).collect()
    }

    /// The section of this type.
    #[must_use]
    pub fn get<T: Section>(&self) -> T {
        let found = self.0.iter().find_map(|any| any.as_any().downcast_ref::<T>());
        found.cloned().unwrap_or_default()
    }

    /// Puts a section in, instead of one of the same type.
    pub fn set<T: Section>(&mut self, section: T) {
        self.replace(Arc::new(section));
    }

    fn replace(&mut self, section: Arc<dyn AnySection>) {
        let id = section.as_any().type_id();
        match self.0.iter_mut().find(|any| any.as_any().type_id() == id) {
            Some(place) => *place = section,
            None => self.0.push(section),
        }
    }

    /// The sections as tables, with their names.
    pub fn tables(&self) -> impl Iterator<Item = (&'static str, Table)> {
        self.0.iter().map(|any| (any.name(), any.table()))
    }
}

impl PartialEq for Sections {
    fn eq(&self, other: &Self) -> bool {
        let pairs = || self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs().all(|(a, b)| a.equals(b.as_ref()))
    }
}
