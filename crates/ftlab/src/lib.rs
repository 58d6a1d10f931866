//! A laboratory for flash translation layers.

pub mod address;
pub mod error;
pub mod request;
pub mod rng;
pub mod trace;
pub mod units;
pub mod workload;

pub use error::Error;
