//! Generated workloads: patterns in the words of fio, and fitted profiles of published traces.
//!
//! Reading order: `config` (what can be asked), `pattern` (the names), `place` (where requests go),
//! `synthetic` (the stream), then `profile` (the engine of the profiles) with one file of data per
//! profile. `zipf`, `scatter`, `alias`, `arrivals` and `reuse` hold one idea each.
//!
//! Every stream is a pure function of its configuration and one seed; opening an input again yields
//! the same requests bit for bit. Absent: trims, think times, and dependence of arrivals on
//! completions other than `arrivals = "closed"` with a queue depth at the host.
//!
//! ```
//! use ftlab::workload::{self, WorkloadConfig};
//!
//! let config: WorkloadConfig = toml::from_str("pattern = 'zipf'\nread_share = '70%'\nbs = '8k'")?;
//! let mut source = workload::open(&config, 1)?.open()?;
//! let mut batch = Vec::new();
//! source.fill(&mut batch)?;
//! assert!(batch.iter().all(|request| request.length == 8192));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alias;
mod arrivals;
mod cachftl;
mod config;
mod financial1;
mod financial2;
mod pattern;
mod place;
mod profile;
mod reuse;
mod scatter;
mod synthetic;
mod zipf;

use crate::error::Error;
use crate::request::Input;

pub use arrivals::Arrivals;
pub use config::WorkloadConfig;
pub use pattern::{PATTERNS, Pattern, PatternEntry};
pub use profile::{Origin, Profile, Stated, VolumeShare};

/// Every profile of a published trace. A new one is a file of data and a line here.
pub const PROFILES: &[Profile] = &[financial1::PROFILE, financial2::PROFILE];

/// The workload of a configuration; `seed` decides everything that is drawn.
///
/// # Errors
/// [`Error::Config`] names the key of `workload`, what was found and what was expected.
pub fn open(config: &WorkloadConfig, seed: u64) -> Result<Box<dyn Input>, Error> {
    Ok(Box::new(synthetic::Synthetic { plan: config.plan()?, seed }))
}

/// The profile with this name; `requests` shortens the stream to its first so many.
///
/// Counts of reads and writes are the published ones at full length.
///
/// # Errors
/// [`Error::Unknown`] lists the known profiles; [`Error::Config`] for `requests` that are none or
/// more than the profile has.
pub fn profile(name: &str, requests: Option<u64>, seed: u64) -> Result<Box<dyn Input>, Error> {
    let profile = find_profile(name)?;
    let full = profile.reads + profile.writes;
    let requests = requests.unwrap_or(full);
    if requests == 0 || requests > full {
        let message = format!("found {requests}, expected 1 to {full}, all that {name} has");
        return Err(Error::config("workload.requests", message));
    }
    Ok(Box::new(profile::Profiled { profile, requests, seed }))
}

/// The data of the profile with this name.
///
/// # Errors
/// [`Error::Unknown`] lists the known profiles.
pub fn find_profile(name: &str) -> Result<&'static Profile, Error> {
    PROFILES
        .iter()
        .find(|profile| profile.name == name)
        .ok_or_else(|| Error::unknown("profile", name, PROFILES.iter().map(|p| p.name)))
}
