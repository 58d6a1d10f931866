//! Write buffers: RAM between the host and any FTL. One file each.
//!
//! ```text
//! host --pages--> Front --groups of pages--> FTL --> flash
//!                   |
//!                 WriteBuffer: which pages leave next
//! ```
//!
//! A buffer is an order of replacement and nothing else. [`Front`] serves the host, keeps the versions
//! ([`HeldPages`](crate::ftl::parts::held_pages::HeldPages)) and hands groups to the FTL. What
//! happens in RAM takes no time.
//!
//! To add one: write `buffer/NAME.rs` with a type that implements [`WriteBuffer`], or
//! [`group_buffer::Order`] when the pages of a logical block leave together, and add its line to
//! [`BUFFERS`]. It then inherits the command line, the laws and the runs over real traces.

#[cfg(test)]
mod bench;
pub mod bpac;
pub mod bplru;
pub mod cflru;
pub mod clash;
pub mod clc;
pub mod fab;
pub mod front;
pub mod group_buffer;
pub mod groups;
pub mod largest_first;
pub mod lb_clock;
pub mod lru;
pub mod pud_lru;
pub mod recent_groups;
pub mod recently_evicted;
mod registry;

pub use front::{FlushedAtEnd, Front};
pub use registry::{BUFFERS, Entry, find};

use crate::error::Error;
use crate::flash::Geometry;
use crate::request::Op;
use crate::units::{Bytes, Lpn, Ratio};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// The name of no buffer.
pub const NONE: &str = "none";

/// The write buffer above the FTL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BufferConfig {
    /// Which buffer. Default none.
    pub policy: String,
    /// RAM for the pages. Default 2 MiB (CACH-FTL 5.1).
    pub size: Bytes,
    /// BPLRU: complete the blocks that leave with pages read from flash. Default true.
    pub padding: bool,
    /// C-lash: share of the pages that are the p-space; what does not make a whole block is added.
    /// Default 25 %: with 2 MiB, 128 pages beside 6 blocks (CACH-FTL 5.1).
    pub page_space: Ratio,
    /// CFLRU: share of the pages, those used longest ago, among which a clean one leaves first.
    /// Default 25 %.
    pub window: Ratio,
    /// CLC and REF: groups used last count as recent while they have this share of the pages. Default
    /// 10 %.
    pub recent: Ratio,
    /// PUD-LRU: page accesses between two updates of a block up to which it is updated often; absent: as
    /// many as the buffer has pages.
    pub update_distance: Option<u64>,
    /// REF: blocks that left last whose pages leave first. Default 8.
    pub evicted_blocks: u32,
}

impl Default for BufferConfig {
    fn default() -> Self {
        BufferConfig {
            policy: NONE.to_owned(),
            size: Bytes(2 << 20),
            padding: true,
            page_space: Ratio(0.25),
            window: Ratio(0.25),
            recent: Ratio(0.1),
            update_distance: None,
            evicted_blocks: 8,
        }
    }
}

impl BufferConfig {
    /// Rejects a buffer that does not exist, and shares that are none.
    ///
    /// # Errors
    /// [`Error::Unknown`] and [`Error::Config`].
    pub fn check(&self) -> Result<(), Error> {
        if self.policy != NONE {
            find(&self.policy)?;
        }
        for (key, Ratio(share)) in [
            ("buffer.page_space", self.page_space),
            ("buffer.window", self.window),
            ("buffer.recent", self.recent),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(Error::config(key, format!("found {share}, expected 0 to 1")));
            }
        }
        let distance = self.update_distance.unwrap_or(1);
        if !(1..=1 << 40).contains(&distance) {
            let message = format!("found {distance}, expected 1 to 2^40 page accesses");
            return Err(Error::config("buffer.update_distance", message));
        }
        let evicted = self.evicted_blocks;
        if !(1..=1024).contains(&evicted) {
            let message = format!("found {evicted}, expected 1 to 1024");
            return Err(Error::config("buffer.evicted_blocks", message));
        }
        Ok(())
    }

    /// Pages of a buffer that count as recent.
    #[must_use]
    pub fn recent_pages(&self, capacity: usize) -> usize {
        (capacity as f64 * self.recent.0) as usize
    }

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
            return Err(Error::config("buffer.size", message));
        }
        Ok(pages as usize)
    }
}

/// Lets a boxed buffer be cloned; every `Clone` type has it.
pub trait BoxClone {
    /// A copy in a box of its own.
    fn box_clone(&self) -> Box<dyn WriteBuffer>;
}

impl<B: WriteBuffer + Clone + 'static> BoxClone for B {
    fn box_clone(&self) -> Box<dyn WriteBuffer> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn WriteBuffer> {
    fn clone(&self) -> Self {
        (**self).box_clone()
    }
}

/// Which pages are in RAM, and which leave next. It does not touch them: [`Front`] does.
pub trait WriteBuffer: Send + Debug + BoxClone {
    /// Whether a page that is not there can be added.
    fn has_room(&self) -> bool;

    /// Adds a page, written by the host or, where reads are kept, just read from flash.
    fn insert(&mut self, lpn: Lpn, op: Op);

    /// Notes that the host reads or writes a page that is there.
    fn touch(&mut self, lpn: Lpn, op: Op);

    /// Takes a step towards room for one more page; appends the pages that leave, if any: pages of one
    /// logical block, or single ones. Steps until the buffer is empty must end.
    fn evict(&mut self, leaving: &mut Vec<Lpn>);

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
