//! What several FTLs share.

#[cfg(test)]
pub(crate) mod bench;
pub mod block_pool;
pub mod data_blocks;
pub mod free_blocks;
pub mod oob_map;
pub mod owned_logs;
pub mod page_map;
pub mod piece_cache;
pub mod region;
pub mod translation_pages;
