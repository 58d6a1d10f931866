//! What several FTLs share.

#[cfg(test)]
pub(crate) mod bench;
pub mod by_block;
pub mod held_pages;
pub mod oob_map;
pub mod page_map;
pub mod piece_cache;
pub mod rewrite;
pub mod translation_pages;
