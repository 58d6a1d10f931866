//! Workloads of known programs that are built in: job files, and a log-structured merge tree.

mod lsm;

use super::jobs::job_text;
use crate::error::Error;
use crate::request::Input;
use crate::units::Bytes;

/// The device of a workload whose spaces are shares of it, unless its capacity is set.
const USUAL_CAPACITY: Bytes = Bytes(4 << 30);

/// What makes the requests for a capacity, that many of them if a number is given, from a seed.
type Make = fn(&BuiltIn, Bytes, Option<u64>, u64) -> Result<Box<dyn Input>, Error>;

/// A workload that is built in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Registered name.
    pub name: &'static str,
    /// The job file, or what begins as one.
    text: &'static str,
    make: Make,
}

macro_rules! jobs {
    ($name:literal) => {
        BuiltIn {
            name: $name,
            text: include_str!(concat!($name, ".fio")),
            make: |own, capacity, requests, seed| {
                job_text(own.name, own.text, capacity, requests, seed)
            },
        }
    };
}

/// Every workload that is built in. A new one is a file and a line here.
pub const BUILT_IN: &[BuiltIn] = &[
    jobs!("cachelib"),
    jobs!("kv-cache"),
    jobs!("redo-log"),
    jobs!("permutation"),
    jobs!("three-streams"),
    BuiltIn {
        name: "lsm",
        text: lsm::ABOUT,
        make: |_, capacity, requests, _| lsm::open(capacity, requests),
    },
];

impl BuiltIn {
    /// The workload with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static BuiltIn> {
        BUILT_IN.iter().find(|built_in| built_in.name == name)
    }

    /// One sentence.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.line("; ")
    }

    /// Where it comes from.
    #[must_use]
    pub fn source(&self) -> &'static str {
        self.line("; Source: ")
    }

    fn line(&self, front: &str) -> &'static str {
        self.text.lines().find_map(|line| line.strip_prefix(front)).unwrap_or_default()
    }

    /// Its requests on a device with `capacity`, or of 4 GiB: all of them or the first `requests`.
    ///
    /// # Errors
    /// [`Error::Config`] and [`Error::Trace`] for a device that is too small.
    pub fn open(
        &self,
        capacity: Option<Bytes>,
        requests: Option<u64>,
        seed: u64,
    ) -> Result<Box<dyn Input>, Error> {
        (self.make)(self, capacity.unwrap_or(USUAL_CAPACITY), requests, seed)
    }
}

#[cfg(test)]
mod tests;
