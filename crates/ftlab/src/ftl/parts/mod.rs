//! What several FTLs share.

#[cfg(test)]
pub(crate) mod bench;
pub mod block_map;
pub mod block_pool;
pub mod by_block;
pub mod data_blocks;
pub mod free_blocks;
pub mod held_pages;
pub mod oob_map;
pub mod owned_logs;
pub mod page_map;
pub mod piece_cache;
pub mod placement;
pub mod planes;
pub mod random_logs;
pub mod rebuild;
pub mod region;
pub mod rewrite;
pub mod sequential_log;
pub mod survey;
pub mod translation_pages;
