//! Locality of reference: what a stream of accesses will gain from a cache, told in one pass.
//!
//! ```text
//! pages -> followed pages (all, or a sample) -> LRU stack -> reuse distances -> miss-ratio curve
//!          pages.rs                             stack.rs     reuse.rs           curve.rs
//! ```
//!
//! Exact while the different pages fit under a cap, an estimate by spatial sampling beyond it; the
//! result says which. Nothing here knows of traces or FTLs.

mod curve;
mod log_histogram;
mod opt;
mod pages;
mod ranked_bits;
mod reuse;
mod stack;

pub use curve::MissRatioCurve;
pub use log_histogram::{Distribution, LogHistogram};
pub use opt::opt_hit_ratio;
pub use reuse::{PAGES_MAX, Reuse, ReuseDistances};
