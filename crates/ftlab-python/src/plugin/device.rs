//! What the constructor of an FTL written in Python is told of its device.

use ftlab::config::Config;
use ftlab::flash::Flash;
use pyo3::prelude::*;

/// The shape of a device, and the settings that page-level FTLs share.
#[pyclass(frozen, get_all, module = "ftlab._core")]
#[derive(Debug)]
pub struct DeviceInfo {
    /// Pages of the logical address space.
    logical_pages: u32,
    /// Blocks that these fill.
    logical_blocks: u32,
    /// Physical pages.
    pages: u32,
    /// Physical blocks.
    blocks: u32,
    /// Pages of a block.
    pages_per_block: u32,
    /// Bytes of a page.
    page_bytes: u32,
    /// Channels.
    channels: u32,
    /// Planes of all channels.
    planes: u32,
    /// Blocks of a plane.
    blocks_per_plane: u32,
    /// Mappings on a translation page.
    entries_per_translation_page: u32,
    /// Translation pages that hold the whole map.
    translation_pages: u32,
    /// Bytes of an OOB.
    oob_bytes: u32,
    /// Free blocks at which GC starts (`gc.low`).
    gc_low: u32,
    /// Free blocks at which it ends (`gc.high`).
    gc_high: u32,
    /// Bytes of the mapping cache (`ftl.cache`).
    cache_bytes: u64,
    /// Log blocks (`log.blocks`); None for all spare ones but one.
    log_blocks: Option<u32>,
    /// Seed of everything random.
    seed: u64,
}

impl DeviceInfo {
    pub fn new(config: &Config, flash: &Flash) -> Self {
        let geometry = flash.geometry();
        DeviceInfo {
            logical_pages: geometry.logical_pages,
            logical_blocks: geometry.logical_blocks(),
            pages: geometry.pages(),
            blocks: geometry.blocks(),
            pages_per_block: geometry.pages_per_block,
            page_bytes: geometry.page_bytes,
            channels: geometry.channels,
            planes: geometry.planes(),
            blocks_per_plane: geometry.blocks_per_plane,
            entries_per_translation_page: geometry.entries_per_translation_page(),
            translation_pages: geometry.translation_pages(),
            oob_bytes: flash.oob_bytes(),
            gc_low: config.gc.low,
            gc_high: config.gc.high,
            cache_bytes: config.ftl.cache_bytes(geometry),
            log_blocks: config.log.blocks,
            seed: config.run.seed,
        }
    }
}
