//! Characterises a stream of requests in one pass and bounded memory, by all that decides how an
//! FTL performs on it.
//!
//! The terms are those of workload characterisation: sizes and alignment, sequentiality and streams,
//! arrivals, footprint and working set, reuse distances and update intervals.

mod evenness;
mod pages;
mod requests;

use super::info::{Tally, TraceInfo};
use crate::error::Error;
use crate::locality::PAGES_MAX;
use crate::request::{BATCH, RequestSource};
use pages::PageTally;
use requests::RequestTally;
use serde::Serialize;

pub use evenness::Evenness;
pub use pages::{
    MissRatios, PageCharacteristics, PagesTouched, Rewrites, WorkingSet, WorkingSetSeries,
};
pub use requests::{Alignment, Arrivals, RequestCharacteristics, Sequentiality, Sizes};

/// All characteristics of a stream of requests, from one pass. Ratios are from 0 to 1; a ratio is
/// `None` if its denominator is 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Characteristics {
    /// The plain statistics.
    #[serde(flatten)]
    pub info: TraceInfo,
    /// Characteristics of requests.
    #[serde(flatten)]
    pub requests: RequestCharacteristics,
    /// Characteristics of page accesses.
    #[serde(flatten)]
    pub pages: PageCharacteristics,
}

impl Characteristics {
    /// Reads `source` to its end in pages of `page_bytes`, a power of two. `watch` is called after
    /// every batch with the requests so far and the source's progress; its error ends the reading.
    ///
    /// # Errors
    /// Those of the source and of `watch`; [`Error::Config`] for an absurd number of volumes.
    pub fn read(
        source: &mut dyn RequestSource,
        page_bytes: u32,
        watch: &mut dyn FnMut(u64, Option<f64>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut info = Tally::new();
        let mut requests = RequestTally::new();
        let mut pages = PageTally::new(page_bytes, PAGES_MAX);
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            batch.clear();
            source.fill(&mut batch)?;
            if batch.is_empty() {
                let requests = requests.finish();
                let info = info.finish().from(source);
                return Ok(Self { info, requests, pages: pages.finish() });
            }
            for request in &batch {
                info.add(request)?;
                requests.add(request)?;
                pages.add(request);
            }
            watch(info.requests, source.progress())?;
        }
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
