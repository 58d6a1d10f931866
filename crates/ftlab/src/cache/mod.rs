//! Containers without flash: index-linked, no search, no allocation per operation.

pub mod age_list;
pub mod aged_segments;
pub mod block_lists;
pub mod block_set;
pub mod indexed_heap;
pub mod links;
pub mod min_tree;
pub mod recent_map;
pub mod replacement;
pub mod segmented_lru;
pub mod slab;
pub mod tokens;
pub mod two_q;
