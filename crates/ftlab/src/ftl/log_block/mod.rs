//! Log-block FTLs: data blocks are mapped block by block, and log blocks hold newer versions of
//! pages until a merge.

pub mod aftl;
pub mod bast;
pub mod block;
pub mod block_map;
pub mod data_blocks;
pub mod fast;
pub mod kast;
pub mod last;
pub mod nftl;
pub mod nftl_chain;
pub mod owned_logs;
pub mod random_logs;
pub mod rebuild;
pub mod rnftl;
pub mod sast;
pub mod sequential_log;
pub mod waftl;

pub use aftl::AftlConfig;
pub use data_blocks::LogConfig;
pub use fast::{FastConfig, FastRules};
pub use kast::KastConfig;
pub use last::LastConfig;
pub use rnftl::RnftlConfig;
pub use sast::SastConfig;
pub use waftl::WaftlConfig;
