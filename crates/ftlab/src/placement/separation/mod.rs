//! Which pages of the host share blocks: each page has a *class*, and a block holds pages of one class.
//!
//! ```text
//! none          pages that GC moves share blocks with what the host writes
//! copies        pages that GC moves have blocks of their own (`gc.copies = own`)
//! temperature   a page that is written again soon rises, one that GC moves sinks (DAC)
//! sepbit        pages go together that may be overwritten at about the same time (SepBIT)
//! handles       pages go together that the host says belong together: FDP, streams, lifetimes
//! multi-queue   by how often the chunk of a page is written (AutoStream)
//! sfr           the same, by how lately too (AutoStream)
//! warcip        by the time between two writes of a page
//! midas         a chain of groups whose sizes a model chooses; it names its victims
//! sfs           by writes of a page and the time since the last one
//! eti           by how often requests cover the extent of a page
//! fadac         by the writes of a page against a mean that fades
//! multilog      by how much earlier than expected a page is written
//! fk, nodap     by when a page is written again, as oracles know
//! learned       by a model of what is known of a page
//! ```
//!
//! Each class has an open block in each plane, under every page-level FTL.
//!
//! To add one: write `separation/NAME.rs` with a type that implements [`Separation`] and [`SeparationDesign`],
//! and add its line to [`separations`].

mod blocks;
mod chunks;
mod eti;
mod events;
mod fadac;
mod handles;
mod learned;
mod ledger;
mod midas;
mod multilog;
mod oracle;
mod separator;
mod sepbit;
mod sfs;
mod temperature;
mod warcip;

pub use chunks::{MultiQueueConfig, SfrConfig};
pub use eti::EtiConfig;
pub use events::{EventKind, Events, HandleEvent};
pub use fadac::FadacConfig;
pub use handles::{HandleBy, Handled, HandlesConfig, Isolation, Isolations};
pub use learned::{Example, Features, Learned, LearnedConfig, Model};
pub use ledger::{ClassPages, Classes, Ledger};
pub use midas::MidasConfig;
pub use multilog::MultilogConfig;
pub use oracle::{FkConfig, NodapConfig};
pub use separator::Separator;
pub use sepbit::{Life, Mean, Parts, SepbitConfig};
pub use sfs::{Dead, SfsConfig};
pub use temperature::TemperatureConfig;
pub use warcip::WarcipConfig;

use crate::error::Error;
use crate::named::{List, Named, Spec};
use crate::request::Meta;
use crate::settings::{Group, Sections};
use crate::units::{Lpn, Nanos, Pbn};
use dyn_clone::DynClone;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

/// All pages of the host, and what GC moves of them, share blocks.
pub const TOGETHER: &str = "none";
/// What GC moves has blocks of its own.
pub const COPIES: &str = "copies";

/// The separations of this project.
#[must_use]
pub fn separations() -> Separations {
    let spec = |name, summary, source| Spec { name, summary, source };
    let none = spec(TOGETHER, "what GC moves shares blocks with what the host writes", "FlashSim");
    let copies = spec(COPIES, "what GC moves has blocks of its own", "gc.copies = own");
    List::new("ftl.separation")
        .with(Named::new::<()>(none, BuildSeparation::Together))
        .with(Named::new::<()>(copies, BuildSeparation::Copies))
        .with(separation::<temperature::Temperature>())
        .with(separation::<sepbit::Sepbit>())
        .with(separation::<handles::Handles>())
        .with(separation::<chunks::MultiQueue>())
        .with(separation::<chunks::Sfr>())
        .with(separation::<warcip::Warcip>())
        .with(separation::<midas::Midas>())
        .with(separation::<sfs::Sfs>())
        .with(separation::<eti::Eti>())
        .with(separation::<fadac::Fadac>())
        .with(separation::<multilog::Multilog>())
        .with(separation::<oracle::Fk>())
        .with(separation::<oracle::Nodap>())
        .with(separation::<learned::Learned>())
}

/// A separation for a list.
#[must_use]
pub fn separation<S: SeparationDesign>() -> Named<BuildSeparation> {
    let build = |layout: &Layout, settings: &Sections| {
        let separation = S::build(layout, S::Settings::of(settings));
        Ok(Box::new(separation) as Box<dyn Separation>)
    };
    Named::new::<S::Settings>(S::SPEC, BuildSeparation::Classes(Arc::new(build)))
}

/// Separations by name.
pub type Separations = List<BuildSeparation>;

/// How pages come to classes.
#[derive(Clone)]
pub enum BuildSeparation {
    /// There is one class.
    Together,
    /// There are two: what the host writes, and what GC moves.
    Copies,
    /// By a rule, from its own settings among others.
    Classes(Arc<BuildClasses>),
}

/// Makes a separation for an empty device; an error says why it cannot work.
pub type BuildClasses =
    dyn Fn(&Layout, &Sections) -> Result<Box<dyn Separation>, Error> + Send + Sync;

/// The device that a separation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Pages of the host.
    pub logical_pages: u32,
    /// Pages in a block.
    pub pages_per_block: u32,
    /// Blocks of the device.
    pub blocks: u32,
    /// Seed of everything random.
    pub seed: u64,
}

impl Layout {
    /// A device with twice as many pages as the host has, in blocks of four.
    #[must_use]
    pub const fn of_pages(logical_pages: u32) -> Self {
        Layout { logical_pages, pages_per_block: 4, blocks: logical_pages.div_ceil(2), seed: 1 }
    }
}

/// A page that the host writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The page.
    pub lpn: Lpn,
    /// Page writes of the host since it wrote this page last; `None` for a page without data.
    pub age: Option<u32>,
    /// The attributes of the request that writes it.
    pub meta: Meta,
    /// Pages in use without the garbage of full blocks, once the old version of this page is superseded. What the
    /// request has written before is not among them. It is 0 unless the separation
    /// [watches blocks](Separation::watches_blocks).
    pub stored: u32,
    /// Page writes of the host until it writes the page again or trims it, this one included; `None` if it never does,
    /// or nobody knows. A separation must [ask for the future](Separation::asks_for_future).
    pub rest: Option<u32>,
}

impl Written {
    /// A page of which nothing else is known.
    #[must_use]
    pub const fn of(lpn: Lpn, age: Option<u32>) -> Self {
        Written { lpn, age, meta: Meta::UNSET, stored: 0, rest: None }
    }
}

/// A page that GC moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The page.
    pub lpn: Lpn,
    /// The class of the block that it leaves.
    pub from: u8,
    /// Page writes of the host since it wrote this page last.
    pub age: u32,
    /// Page writes of the host until it writes the page again or trims it, as for a page that [it writes](Written::rest).
    pub rest: Option<u32>,
}

impl Moved {
    /// A page of which nothing else is known.
    #[must_use]
    pub const fn of(lpn: Lpn, from: u8, age: u32) -> Self {
        Moved { lpn, from, age, rest: None }
    }
}

/// A page in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lying {
    /// The page.
    pub lpn: Lpn,
    /// The block.
    pub block: Pbn,
    /// The class of the block.
    pub class: u8,
}

/// A request of the host, or a group that a buffer writes, before any page of it has a class.
///
/// A page that leaves the RAM of an FTL is a request of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requested {
    /// Its first page.
    pub first: Lpn,
    /// How many pages it has.
    pub pages: u32,
    /// Time of the host, in nanoseconds.
    pub time: Nanos,
    /// Pages in use without the garbage of full blocks, in front of the request. It is 0 unless the separation
    /// [watches blocks](Separation::watches_blocks).
    pub stored: u32,
}

/// A block that is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The block.
    pub block: Pbn,
    /// Its class.
    pub class: u8,
}

/// A block that is left before it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its class.
    pub class: u8,
    /// Its pages that are not written.
    pub unwritten: u32,
}

/// A block that GC collects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collected {
    /// The block.
    pub block: Pbn,
    /// Its class.
    pub class: u8,
    /// Its pages with data.
    pub valid: u32,
    /// Page writes of the host since it was opened: by default, since its first page was written.
    pub age: u32,
}

/// Gives each page a class, a number below [`classes`](Separation::classes).
///
/// Time is counted in page writes of the host.
pub trait Separation: Send + Debug + DynClone {
    /// How many classes there are: 1 to [`Class::MOST`](super::Class::MOST). It never changes.
    fn classes(&self) -> u8;

    /// How many classes the pages of one victim may go to. It never changes.
    fn spread(&self) -> u8 {
        self.classes()
    }

    /// How many classes, the first ones, have a block from the start, where blocks are opened ahead. It never changes.
    fn ahead(&self) -> u8 {
        self.classes()
    }

    /// The host asks to write pages.
    fn requested(&mut self, _request: Requested) {}

    /// At a time of the host it moves what it writes with these attributes to a new block: the class whose open block is
    /// left as it is.
    fn updated(&mut self, _meta: Meta, _time: Nanos) -> Option<u8> {
        None
    }

    /// An open block of such a class was left, with N pages that are not written.
    fn left(&mut self, _block: Left) {}

    /// The class of a page that the host writes.
    fn of_write(&mut self, page: Written) -> u8;

    /// The class of a page that GC moves.
    fn of_move(&mut self, page: Moved) -> u8;

    /// A block is about to be collected.
    fn collected(&mut self, _victim: Collected) {}

    /// A page of the host was put into a block, in place of its old version, or GC moved it there.
    /// Only a separation that [watches blocks](Separation::watches_blocks) hears of it.
    fn placed(&mut self, _page: Lying, _is_moved: bool) {}

    /// The version of a page in a block was superseded or trimmed, before another is placed.
    /// Only a separation that [watches blocks](Separation::watches_blocks) hears of it.
    fn died(&mut self, _page: Lying) {}

    /// A block is full.
    fn filled(&mut self, _block: Filled) {}

    /// The host trimmed a page: it holds no data.
    fn trimmed(&mut self, _lpn: Lpn) {}

    /// Whether it names the blocks that GC collects, in place of `gc.policy`. It then hears of full blocks that are
    /// found after a power cut, too.
    fn names_victims(&self) -> bool {
        false
    }

    /// The full block to collect next, where it names victims; `None` if it knows of none.
    fn victim(&mut self) -> Option<Pbn> {
        None
    }

    /// Each block that it may name, with its pages with data, for checks.
    fn full_blocks(&self) -> Vec<(Pbn, u32)> {
        Vec::new()
    }

    /// Whether a block of a class counts as opened when the one before is full, as it always does in a volume. Otherwise it
    /// does when its first page is written.
    fn opens_ahead(&self) -> bool {
        false
    }

    /// Whether it asks which pages lie in which blocks. A device knows by its map: it costs no RAM.
    fn watches_blocks(&self) -> bool {
        false
    }

    /// Whether it asks when pages will be written again: then the whole input is read before.
    fn asks_for_future(&self) -> bool {
        false
    }

    /// Whether it asks how old pages and blocks are: then it needs 4 B of RAM for each of them.
    fn uses_ages(&self) -> bool {
        true
    }

    /// Bytes of RAM that it needs in addition to ages.
    fn ram(&self) -> u64 {
        0
    }

    /// How its classes belong to placement handles, and what was counted of them; `None` where they belong to none.
    fn handled(&self) -> Option<Handled> {
        None
    }

    /// Figures of its own since counting began, each `NAME.FIGURE`.
    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::new()
    }

    /// Begins to count anew.
    fn reset_counts(&mut self) {}
}

/// A separation that can be built from settings.
pub trait SeparationDesign: Separation + Sized + 'static {
    /// Its own settings.
    type Settings: Group;
    /// What it is.
    const SPEC: Spec;
    /// The separation on an empty device.
    fn build(layout: &Layout, own: Self::Settings) -> Self;
}

dyn_clone::clone_trait_object!(Separation);
