//! Hit ratios of LRU mapping caches of every size, from one pass over the input and without a
//! device.
//!
//! DFTL under plain LRU (`dftl.replacement = lru`) holds the mappings that were translated last. It
//! prefetches nothing, and GC changes cached mappings without a change of their order. A cache of
//! `n` entries therefore hits the accesses whose stack distance is below `n` ([`crate::locality`]).
//! One pass yields the hits of all sizes. They equal the count of a simulation that begins with an
//! empty cache.

use crate::address::{AddressMap, AddressPolicy};
use crate::clock::Instant;
use crate::config::Config;
use crate::error::Error;
use crate::host::Split;
use crate::locality::{MissRatioCurve, ReuseDistances};
use crate::request::{BATCH, Op, Request};
use crate::session::{Progress, Watch, open_input, tick};
use std::ops::Range;

/// Pages that are followed before sampling begins: 16 GiB of 4 KiB pages, about 150 MB of memory.
pub const PAGES_MAX: usize = 1 << 22;

/// The curve of an input.
#[derive(Clone, Debug, PartialEq)]
pub struct MappingCurve {
    /// Name of the input.
    pub name: String,
    /// Its format.
    pub format: String,
    /// Size of a page, bytes.
    pub page_bytes: u64,
    /// Hits by entries. Exact where its step is 1, otherwise an estimate from a sample of the
    /// pages.
    pub curve: MissRatioCurve,
}

/// The hits of LRU mapping caches of all sizes on the input that a configuration names, in pages of
/// its device. Caches begin empty, and warm-ups are not run.
///
/// # Errors
/// Those of the input, of the address policy, and of `watch`.
pub fn mapping_curve(config: &Config, watch: Watch<'_>) -> Result<MappingCurve, Error> {
    let input = open_input(config)?;
    let accesses = Accesses::new(config)?;
    let mut source = input.open()?;
    let mut distances = ReuseDistances::<()>::new(PAGES_MAX);
    let mut batch = Vec::with_capacity(BATCH);
    let (mut requests, mut last) = (0, Instant::now());
    loop {
        batch.clear();
        source.fill(&mut batch)?;
        if batch.is_empty() {
            return Ok(MappingCurve {
                name: input.name(),
                format: input.format(),
                page_bytes: config.device.page.0,
                curve: distances.curve(),
            });
        }
        for request in &batch {
            let (volume, pages) = accesses.of(request);
            for page in pages {
                distances.access(volume, page);
            }
        }
        requests += batch.len() as u64;
        let fraction = source.progress();
        tick(&mut last, watch, Progress { phase: "measuring input", requests, fraction })?;
    }
}

/// Turns requests into the pages that a simulation would translate, up to their numbers.
struct Accesses {
    shift: u32,
    split: Split,
    /// Absent where volumes do not overlap: their place on the device has no effect.
    shared: Option<AddressMap>,
}

impl Accesses {
    fn new(config: &Config) -> Result<Self, Error> {
        let capacity = config.device.capacity.map(|bytes| bytes.0);
        let shared = match config.run.address {
            AddressPolicy::Compact => None,
            policy => Some(AddressMap::new(policy, &[], capacity)?),
        };
        Ok(Accesses { shift: config.device.page.0.ilog2(), split: config.host.split, shared })
    }

    #[inline]
    fn of(&self, request: &Request) -> (u32, Range<u64>) {
        let Request { volume, offset, length, op, .. } = *request;
        if op == Op::Flush {
            return (volume, 0..0);
        }
        let (volume, offset, length) = match &self.shared {
            None => (volume, offset, length),
            Some(map) => {
                let (offset, length) = map.map(volume, offset, length);
                (0, offset, length)
            }
        };
        let pages = op.pages(offset, offset + u64::from(length), self.shift);
        (volume, self.split.of(pages))
    }
}
