//! What several FTLs share.

pub mod block_pool;
pub mod page_map;
pub mod region;
pub mod translation_pages;
