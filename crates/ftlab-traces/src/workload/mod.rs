//! Generated workloads: patterns in the words of fio, and models of traces.
//!
//! Reading order: `config` (what can be asked), `pattern` (the names), `place` (where requests go),
//! `synthetic` (the stream). Then `jobs` for fio's job files and the room `model`, with one file for each built-in profile; `built_in` has
//! workloads of known programs.
//! `zipf`, `scatter`, `alias`, `arrivals`, `handles`, `parts` and `popularity` hold one idea each.
//!
//! Every stream is a pure function of its configuration and one seed; opening an input again yields
//! the same requests bit for bit. Absent: dependence of arrivals on completions other than `arrivals = "closed"` with
//! a queue depth at the host.
//!
//! ```
//! use ftlab_traces::settings::Section;
//! use ftlab_traces::workload::{self, WorkloadConfig};
//!
//! let mut table = toml::from_str("pattern = 'zipf'\nread_share = '70%'\nbs = '8k'")?;
//! let config = WorkloadConfig::take(&mut table)?;
//! let mut source = workload::open(&config, 1)?.open()?;
//! let mut batch = Vec::new();
//! source.fill(&mut batch)?;
//! assert!(batch.iter().all(|request| request.length == 8192));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alias;
mod arrivals;
mod built_in;
mod cachftl;
mod config;
mod handles;
mod jobs;
pub mod model;
mod parts;
mod pattern;
mod place;
mod popularity;
mod scatter;
mod synthetic;
mod zipf;

use crate::error::Error;
use crate::request::Input;

pub use arrivals::Arrivals;
pub use built_in::{BUILT_IN, BuiltIn};
pub use cachftl::Sequential;
pub use config::WorkloadConfig;
pub use handles::{HandleSelect, Handles};
pub use jobs::{is_job_file, job_schemes, jobs};
pub use model::{Model, PROFILES, Profile};
pub use parts::Parts;
pub use pattern::Pattern;
pub use popularity::PageGroup;

/// The workload of a configuration; `seed` decides everything that is drawn.
///
/// # Errors
/// [`Error::Config`] names the key of `workload`, what was found and what was expected.
pub fn open(config: &WorkloadConfig, seed: u64) -> Result<Box<dyn Input>, Error> {
    Ok(Box::new(synthetic::Synthetic { plan: config.plan()?, seed }))
}

/// The stream of the profile with this name; `requests` as in [`Model::input`].
///
/// # Errors
/// [`Error::Unknown`] lists the known profiles; those of [`Model::input`].
pub fn profile(name: &str, requests: Option<u64>, seed: u64) -> Result<Box<dyn Input>, Error> {
    Profile::find(name)?.model().input(requests, seed)
}
