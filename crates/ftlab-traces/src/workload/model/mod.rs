//! Workload models: a readable file that is fitted to a trace, and the stream that it describes.
//!
//! Modules in reading order:
//!
//! * `file`: the keys
//! * `stream` and `turns`: which part makes the next request
//! * `part`: how a request is generated
//! * `recency` and `distances`: which place is used again
//! * `history`: which places last
//! * `space` and `fresh`: where new places lie, and which pages were never used
//! * `host` and `runs`: which requests continue earlier ones
//! * `mix`, `ops` and `clock`: sizes, exact counts and arrival times
//! * `check` and `origin`: what a file may hold
//! * `write`: writes a file
//! * `fit`: the model of a trace
//! * `calibrate`, `targets` and `caches`: the model of a published curve
//! * `compare`, `figures` and `windows`: the stream compared with published values
//! * `profiles`: the built-in models
//!
//! Trims are not modelled, nor any dependence between size, time and place that no key names.

mod caches;
mod calibrate;
mod check;
mod clock;
mod compare;
mod distances;
mod figures;
mod file;
mod fit;
mod fresh;
mod history;
mod host;
mod mix;
mod ops;
mod origin;
mod part;
mod profiles;
mod recency;
mod runs;
mod space;
mod stream;
mod targets;
mod turns;
mod windows;
mod write;

pub use calibrate::{Distance, calibrate};
pub use compare::{Compared, ComparedPoint, Comparison, compare};
pub use figures::{FIGURES, FigureKind, Figures, Tally, Within};
pub use file::{
    Curve, Figure, Gaps, Length, Model, Part, Published, Reuse, Runs, Sizes, Space, Volume,
};
pub use fit::{FEWEST_REQUESTS, fit};
pub use origin::{ORIGINS, unexplained};
pub use profiles::{PROFILES, Profile};

use crate::error::Error;
use crate::request::{Input, RequestSource};
use std::sync::Arc;

/// A number of requests of a model's stream.
#[derive(Clone, Debug)]
struct Modelled {
    model: Arc<Model>,
    requests: u64,
    seed: u64,
}

impl Model {
    /// The stream of this model: its full length, or `requests` of it. A shorter stream is the
    /// beginning of a longer one. Beyond the full length it continues in the same way.
    ///
    /// # Errors
    /// [`Error::Config`] for no requests, or more than a century of them.
    pub fn input(self, requests: Option<u64>, seed: u64) -> Result<Box<dyn Input>, Error> {
        let full = self.length.requests();
        let requests = requests.unwrap_or(full);
        let century = 3.156e18;
        let most = (century / self.length.duration.0.max(1) as f64 * full as f64) as u64;
        if requests == 0 || requests > most {
            let message = format!("found {requests}, expected 1 to {most}, a century's");
            return Err(Error::config("input.requests", message));
        }
        Ok(Box::new(Modelled { model: Arc::new(self), requests, seed }))
    }
}

impl Input for Modelled {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(Box::new(stream::Stream::new(self)))
    }

    fn name(&self) -> String {
        self.model.name.clone()
    }

    fn format(&self) -> String {
        "generated".to_owned()
    }
}
