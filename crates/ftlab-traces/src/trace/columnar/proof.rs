//! Checks that a file holds what its footer states.

use super::layout::Summary;
use crate::request::{Digest, Op, Request};
use crate::trace::field::Mistake;
use rustc_hash::FxHashMap;

/// Compares requests with a [`Summary`] as they are read. Another program may have changed the
/// requests and kept the summary. No device has an address outside the extents.
pub(super) struct Proof {
    extents: Vec<(u32, u64, u64)>,
    /// Only looked up, never iterated.
    index: FxHashMap<u32, usize>,
    latest: usize,
    digest: Digest,
    expected: String,
}

impl Proof {
    pub(super) fn new(summary: &Summary) -> Self {
        let extents = summary.measured.extents.iter();
        let extents: Vec<_> = extents.map(|e| (e.volume, e.first_byte, e.end_byte)).collect();
        Self {
            index: extents.iter().enumerate().map(|(at, extent)| (extent.0, at)).collect(),
            extents,
            latest: 0,
            digest: Digest::default(),
            expected: summary.measured.digest.clone(),
        }
    }

    /// Takes the next requests.
    pub(super) fn add(&mut self, requests: &[Request]) -> Result<(), Mistake> {
        for request in requests {
            if self.extents.get(self.latest).is_none_or(|extent| extent.0 != request.volume) {
                self.latest = self.index.get(&request.volume).copied().unwrap_or(usize::MAX);
            }
            let inside = self
                .extents
                .get(self.latest)
                .is_some_and(|(_, first, end)| *first <= request.offset && request.end() <= *end);
            if !inside && request.op != Op::Flush {
                return Err(stale());
            }
            self.digest.add(request);
        }
        Ok(())
    }

    /// Checks at the end that the summary describes these requests.
    pub(super) fn check(&self) -> Result<(), Mistake> {
        if self.digest.text() == self.expected { Ok(()) } else { Err(stale()) }
    }
}

#[cold]
fn stale() -> Mistake {
    Mistake(
        "the requests are not those that the footer's key ftlab is of; if another program changed \
         them, remove that key or write them with `ftlab trace convert`, else copy the file again"
            .into(),
    )
}
