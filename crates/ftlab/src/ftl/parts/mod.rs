//! What several FTLs share.

#[cfg(test)]
pub(crate) mod bench;
pub mod block_map;
pub mod by_block;
pub mod data_blocks;
pub mod held_pages;
pub mod oob_map;
pub mod owned_logs;
pub mod page_map;
pub mod piece_cache;
pub mod random_logs;
pub mod rebuild;
pub mod rewrite;
pub mod sequential_log;
pub mod translation_pages;
