//! What several FTLs share.

pub mod block_pool;
pub mod free_blocks;
pub mod page_map;
pub mod translation_pages;
