//! Zoned namespaces (NVMe ZNS): zones that the host writes in order and resets, on a drive that collects nothing.
//!
//! ```text
//! host FTL --Media--> OnZones --commands--> Namespace   which command is legal, and what it does to zones
//!                        |                  Layout      which erase blocks a zone has
//!                        +----------------> Flash
//! ```
//!
//! [`Namespace`] is the state machine alone, without flash. [`ZonedDrive`] has it over blocks of the flash. [`OnZones`] is what
//! placement and garbage collection see of it, as [`Media`](crate::flash::Media): they are the same as on blocks.

mod config;
mod drive;
mod layout;
mod namespace;
mod status;

pub use config::ZonesConfig;
pub use drive::{OnZones, ZonedDrive, ZonesMetrics};
pub use layout::Layout;
pub use namespace::{Format, Limits, Namespace, Zone, ZoneCounts, ZoneState};
pub use status::Status;
