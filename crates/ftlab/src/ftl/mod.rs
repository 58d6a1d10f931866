//! The flash translation layers, one file each.
//!
//! To add one: write `ftl/NAME.rs` with a type that implements [`Ftl`], and add its line to
//! [`FTLS`]. It then inherits the command line, the comparison, the laws and the benchmark.

pub mod aftl;
pub mod bast;
pub mod block;
pub mod block_optimized;
pub mod cachftl;
pub mod demand;
pub mod dloop;
pub mod fast;
pub mod gftl;
pub mod hat;
pub mod kast;
pub mod last;
pub mod mnftl;
pub mod nftl;
pub mod nftl_chain;
pub mod page;
pub mod parts;
mod registry;
pub mod superblock;
pub mod waftl;

pub use aftl::AftlConfig;
pub use block_optimized::BlockOptimizedConfig;
pub use cachftl::CachftlConfig;
pub use demand::{
    ApsConfig, CdftlConfig, CftlConfig, DftlConfig, FtlConfig, SftlConfig, TpftlConfig, ZftlConfig,
};
pub use fast::FastConfig;
pub use gftl::GftlConfig;
pub use kast::KastConfig;
pub use last::LastConfig;
pub use mnftl::hybrid::MnftlHybridConfig;
pub use mnftl::{MnftlConfig, MnftlVictim};
pub use parts::data_blocks::LogConfig;
pub use registry::{Entry, FTLS, Parameter, find};
pub use superblock::SuperblockConfig;
pub use waftl::WaftlConfig;

use crate::config::Config;
use crate::error::Error;
use crate::flash::Flash;
use crate::units::Lpn;
use parts::block_pool::GcCounts;
use parts::held_pages::BufferCounts;
use serde::Serialize;
use std::collections::BTreeMap;

/// A flash translation layer: serves page accesses through [`Flash`], its only door to the medium.
///
/// It never sees the trace, the clock, or another FTL. It calls [`Flash::begin_page`] once for each
/// page that it serves.
pub trait Ftl: Send {
    /// Prepares an empty device; may program pages, which are not counted.
    ///
    /// # Errors
    /// [`Error::Config`] when the device or a parameter cannot work.
    fn build(config: &Config, flash: &mut Flash) -> Result<Self, Error>
    where
        Self: Sized;

    /// Reads the pages of one host request, or of one group flushed by a buffer, ascending.
    fn read(&mut self, pages: &[Lpn], flash: &mut Flash);

    /// Writes pages, ascending.
    fn write(&mut self, pages: &[Lpn], flash: &mut Flash);

    /// Forgets pages, ascending.
    fn trim(&mut self, pages: &[Lpn], flash: &mut Flash);

    /// Whether [`Ftl::background`] has something to do, ever. A constant: a run without it must not pay.
    fn uses_idle_time(&self) -> bool {
        false
    }

    /// Takes one step of work that can wait, while the device is idle and the host is in open loop.
    /// Returns whether there was one to take.
    ///
    /// A step is not interrupted: a request that arrives meanwhile waits for its end, and is served
    /// before the next one. So what is on flash and in the map must be in order after each.
    fn background(&mut self, flash: &mut Flash) -> bool {
        let _ = flash;
        false
    }

    /// Whether what the host writes may stay in RAM of the FTL's own.
    fn keeps_writes(&self) -> bool {
        false
    }

    /// What became of the pages in RAM of its own, for an FTL that has some.
    fn buffered(&self) -> BufferCounts {
        BufferCounts::default()
    }

    /// Programs what is in RAM of its own alone, once everything was measured.
    fn flush(&mut self, flash: &mut Flash) {
        let _ = flash;
    }

    /// RAM in use, by the rule of ALGORITHMS 0.4: payload fields only.
    fn ram(&self) -> RamUse;

    /// Lookups and replacements so far; absent when the whole map is in RAM. Cheap.
    fn mapping_counts(&self) -> Option<MappingCounts> {
        None
    }

    /// The translation pages with entries in the mapping cache, in order; absent when the whole map is
    /// in RAM. A walk over the cache.
    fn cached_pages(&self) -> Option<Vec<CachedPage>> {
        None
    }

    /// What only this FTL knows, since measuring started.
    fn metrics(&self) -> FtlMetrics;

    /// Starts counting anew; the state stays.
    fn reset_metrics(&mut self);

    /// Recomputes every invariant from scratch.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self, flash: &Flash);
}

/// RAM in use, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RamUse {
    /// Tables that are always resident: the page map, or the GTD.
    pub tables: u64,
    /// Budget of the mapping cache.
    pub cache: u64,
    /// Budget of the write buffer.
    pub buffer: u64,
}

/// Figures that an FTL keeps itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FtlMetrics {
    /// Address translation; absent when the whole map is in RAM.
    pub mapping: Option<MappingMetrics>,
    /// Garbage collection; absent when blocks are merged instead.
    pub gc: Option<GcMetrics>,
    /// Merges; absent when garbage is collected instead.
    pub merges: Option<MergeCounts>,
    /// Figures of this FTL alone, by name.
    pub own: BTreeMap<&'static str, u64>,
}

/// Garbage collection since measuring started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcMetrics {
    /// Runs and victims.
    pub counts: GcCounts,
    /// Free blocks at which GC starts, as it is in force.
    pub low: u32,
    /// Free blocks at which a batch ends, as it is in force.
    pub high: u32,
    /// Runs in idle time; `None` where GC is never started in idle time.
    pub background_runs: Option<u64>,
}

/// Merges since measuring started: each makes a data block and erases the one that it replaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MergeCounts {
    /// A log block that held all pages at their offsets became the data block: no copies.
    pub switch: u64,
    /// A log block that held some pages at their offsets was completed, and became the data block.
    pub partial: u64,
    /// The newest pages of the logical block were copied to a block of their own.
    pub full: u64,
}

impl MergeCounts {
    /// Merges of any kind.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.switch + self.partial + self.full
    }
}

/// Address translation through a mapping cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MappingMetrics {
    /// Lookups and replacements since measuring started.
    pub counts: MappingCounts,
    /// Mappings changed because GC moved a user page, since measuring started.
    pub gc_lookups: u64,
    /// Of these, found in the cache.
    pub gc_hits: u64,
    /// What the cache holds now.
    pub occupancy: Occupancy,
}

/// Lookups and replacements of a mapping cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MappingCounts {
    /// Page accesses translated.
    pub lookups: u64,
    /// Of these, found in the cache.
    pub hits: u64,
    /// Entries evicted.
    pub replacements: u64,
    /// Of these, dirty when chosen.
    pub dirty_replacements: u64,
}

/// What a mapping cache holds of one translation page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachedPage {
    /// Entries in the cache.
    pub entries: u32,
    /// Of these, dirty.
    pub dirty: u32,
}

/// What a mapping cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Entries.
    pub entries: u64,
    /// Translation pages with an entry in the cache.
    pub translation_pages: u64,
    /// Bytes in use.
    pub bytes: u64,
}
