//! A laboratory for flash translation layers (FTLs): any FTL on one emulated NAND device that checks
//! every operation.
//!
//! # Layers, from the medium upwards
//!
//! * [`units`], [`error`], [`rng`]: addresses that cannot be mixed up, mistakes told in one line,
//!   random numbers split by purpose.
//! * [`flash`]: what the NAND is. [`flash::Flash`] is all that an FTL may touch: it checks the rules
//!   of NAND, verifies every host read, counts by cause, and books time on the [`engine`].
//! * [`cache`] and [`gc`]: containers and victim policies without knowledge of FTLs.
//! * [`ftl`]: the translation layers, one file each; start with [`ftl::page`], then
//!   [`ftl::demand`].
//! * [`buffer`]: RAM between the host and any FTL.
//! * [`request`], [`trace`], [`workload`], [`address`]: where requests come from.
//! * [`model`]: closed forms that a simulation is held against; it knows nothing of the others.
//! * [`simulate`]: the loop; [`warmup`]: when a device is steady; [`metrics`]: what comes out; [`session`]: several FTLs at once over one
//!   reading of the input; [`mapping_curve`]: what mapping caches of all sizes would hit.

pub mod address;
pub mod buffer;
pub mod cache;
pub mod config;
pub mod engine;
pub mod error;
pub mod flash;
pub mod ftl;
pub mod gc;
pub mod host;
pub mod locality;
pub mod mapping_curve;
pub mod metrics;
pub mod model;
pub mod request;
pub mod rng;
pub mod session;
pub mod simulate;
pub mod trace;
pub mod units;
pub mod warmup;
pub mod workload;

pub use error::Error;
