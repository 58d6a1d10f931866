//! Write buffers: RAM between the host and any FTL. One file each.
//!
//! ```text
//! host --pages--> BufferManager --groups of pages--> FTL --> flash
//!                      |
//!                 WriteBuffer: which pages leave next
//! ```
//!
//! A buffer only decides the order of replacement. [`BufferManager`] serves the host, keeps the
//! versions ([`HeldPages`](crate::ftl::parts::held_pages::HeldPages)) and hands groups to the FTL.
//! Work in RAM takes no time.
//!
//! To add one, write `buffer/NAME.rs` with a type that implements [`WriteBuffer`], or
//! [`group_buffer::Order`] when the pages of a logical block leave together. Then add its line to
//! [`buffers`]. The command line, the FTL checks and the runs over real traces then include it.

#[cfg(test)]
mod bench;
pub mod bpac;
pub mod bplru;
pub mod cflru;
pub mod clash;
pub mod clc;
pub mod fab;
pub mod group_buffer;
pub mod groups;
pub mod informed;
pub mod largest_first;
pub mod lb_clock;
pub mod lru;
pub mod manager;
pub mod pud_lru;
pub mod recent_groups;
pub mod recently_evicted;

use group_buffer::GroupBuffer;
pub use manager::{BufferManager, FlushedAtEnd};

use crate::error::Error;
use crate::flash::Geometry;
use crate::named::{List, Named, Spec};
use crate::request::Op;
use crate::settings::{Group, Sections};
use crate::units::{Bytes, Lpn};
use dyn_clone::DynClone;
use std::fmt::Debug;
use std::sync::Arc;

/// The name that selects no buffer.
pub const NONE: &str = "none";

/// Makes an empty buffer for a device; it takes its own settings from all settings.
pub type BuildBuffer = Arc<
    dyn Fn(&BufferConfig, &Sections, &Geometry) -> Result<Box<dyn WriteBuffer>, Error>
        + Send
        + Sync,
>;

/// Write buffers by name.
pub type Buffers = List<BuildBuffer>;

/// The write buffers of this project.
#[must_use]
pub fn buffers() -> Buffers {
    List::new("buffer.policy")
        .with(buffer::<lru::Lru>())
        .with(buffer::<clash::Clash>())
        .with(buffer::<GroupBuffer<bplru::Bplru>>())
        .with(buffer::<GroupBuffer<fab::Fab>>())
        .with(buffer::<GroupBuffer<lb_clock::LbClock>>())
        .with(buffer::<cflru::Cflru>())
        .with(buffer::<GroupBuffer<pud_lru::PudLru>>())
        .with(buffer::<GroupBuffer<clc::Clc>>())
        .with(buffer::<bpac::Bpac>())
        .with(buffer::<GroupBuffer<recently_evicted::RecentlyEvicted>>())
        .with(buffer::<informed::Informed>())
}

/// A buffer as an entry of a list.
#[must_use]
pub fn buffer<B: BufferDesign>() -> Named<BuildBuffer> {
    let build = |config: &BufferConfig, settings: &Sections, geometry: &Geometry| {
        let buffer = B::build(config, B::Settings::of(settings), geometry)?;
        Ok(Box::new(buffer) as Box<dyn WriteBuffer>)
    };
    Named::new::<B::Settings>(B::SPEC, Arc::new(build))
}

/// The buffer that a configuration names, or `None` for [`NONE`].
///
/// # Errors
/// [`Error::Unknown`] when there is none of that name.
pub fn find<'a>(
    buffers: &'a Buffers,
    config: &BufferConfig,
) -> Result<Option<&'a Named<BuildBuffer>>, Error> {
    match config.policy.as_str() {
        NONE => Ok(None),
        name => buffers.find(name, &[NONE]).map(Some),
    }
}

crate::settings! {
    /// The write buffer above the FTL.
    pub struct BufferConfig in "buffer" {
        /// Which buffer.
        policy: String = NONE.to_owned(), source "choices.md#lru-cache";
        /// RAM for the pages.
        size: Bytes = Bytes(2 << 20), laws [1, 2, 4, 13, 44, 80, 180].map(|pages| Bytes(pages * 512)),
            source "CACH-FTL 5.1; choices.md#lru-cache";
    }
}

impl BufferConfig {
    /// Whole pages that fit.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none.
    pub fn pages(&self, geometry: &Geometry) -> Result<usize, Error> {
        let pages = self.size.0 / u64::from(geometry.page_bytes);
        if pages == 0 || u32::try_from(pages).is_err() {
            let page = Bytes(u64::from(geometry.page_bytes));
            let message =
                format!("found {}, expected room for 1 to 2^32 pages of {page}", self.size);
            unless_bug!(BufferOfNoPage, return Err(Error::config("buffer.size", message)));
        }
        Ok(pages as usize)
    }
}

/// A write buffer that can be built from settings.
pub trait BufferDesign: WriteBuffer + Sized + 'static {
    /// Its own settings, in the table `buffer`.
    type Settings: Group;
    /// What it is.
    const SPEC: Spec;

    /// An empty buffer.
    ///
    /// # Errors
    /// [`Error::Config`] when it cannot work with this size on such a device.
    fn build(
        config: &BufferConfig,
        own: Self::Settings,
        geometry: &Geometry,
    ) -> Result<Self, Error>;
}

dyn_clone::clone_trait_object!(WriteBuffer);

/// Which pages are in RAM, and which leave next. It does not touch them: [`BufferManager`] does.
pub trait WriteBuffer: Send + Debug + DynClone {
    /// Whether a page that is not there can be added.
    fn has_room(&self) -> bool;

    /// Adds a page, written by the host or, where reads are kept, just read from flash.
    fn insert(&mut self, lpn: Lpn, op: Op);

    /// Notes that the host reads or writes a page that is there.
    fn touch(&mut self, lpn: Lpn, op: Op);

    /// Takes a step towards room for one more page. It appends the pages that leave, if any: pages
    /// of one logical block, or single ones. Repeated steps must empty the buffer.
    fn evict(&mut self, leaving: &mut Vec<Lpn>);

    /// The same with `cost`, by which the FTL estimates the cost of writing pages of one logical
    /// block now ([`Ftl::cost_of_writing`](crate::ftl::Ftl::cost_of_writing)). Most buffers ignore
    /// it.
    fn evict_by_cost(&mut self, cost: &mut dyn FnMut(&[Lpn]) -> u64, leaving: &mut Vec<Lpn>) {
        let _ = cost;
        self.evict(leaving);
    }

    /// Forgets a page that is there.
    fn remove(&mut self, lpn: Lpn);

    /// Pages that are there.
    fn len(&self) -> usize;

    /// Whether no page is there.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether pages that the host reads from flash are kept.
    fn keeps_reads(&self) -> bool {
        false
    }

    /// Whether a group that leaves is completed to a whole block with pages read from flash.
    fn pads(&self) -> bool {
        false
    }

    /// Recomputes the invariants.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self);
}
