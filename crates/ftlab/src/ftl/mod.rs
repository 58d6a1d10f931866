//! The flash translation layers, one file each.
//!
//! To add one: write `ftl/NAME.rs` with a type that implements [`Ftl`], and add its line to
//! [`FTLS`]. It then inherits the command line, the comparison, the laws and the benchmark.

pub mod demand;
pub mod hat;
pub mod page;
pub mod parts;
mod registry;

pub use demand::{CdftlConfig, DftlConfig, FtlConfig, SftlConfig, TpftlConfig, ZftlConfig};
pub use registry::{Entry, FTLS, Parameter, find};

use crate::config::Config;
use crate::error::Error;
use crate::flash::Flash;
use crate::units::Lpn;
use parts::block_pool::GcCounts;
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

    /// RAM in use, by the rule of ALGORITHMS 0.4: payload fields only.
    fn ram(&self) -> RamUse;

    /// Lookups and replacements so far; absent when the whole map is in RAM. Cheap.
    fn mapping_counts(&self) -> Option<MappingCounts> {
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
    /// Garbage collection.
    pub gc: GcCounts,
    /// Free blocks at which GC starts and at which a batch ends, as they are in force.
    pub gc_levels: (u32, u32),
    /// Figures of this FTL alone, by name.
    pub own: BTreeMap<&'static str, u64>,
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
