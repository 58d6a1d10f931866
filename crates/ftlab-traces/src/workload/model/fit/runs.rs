//! Fits how requests continue earlier ones.

use super::share;
use super::sizes::Counts;
use super::volumes::Tail;
use crate::request::Request;
use crate::workload::model::file::Runs;
use crate::workload::model::host::TAILS;

/// Counts of requests that continue another.
#[derive(Default)]
pub(super) struct RunFit {
    count: u64,
    /// Of them, those after a request that also continued another.
    again: u64,
    /// Of them, those that continue one that did not: the first continuation of a run.
    begun: u64,
    streams: [u64; TAILS],
    same_op: u64,
    same_size: u64,
    /// Of them, those to pages that were never used.
    fresh: u64,
    /// Sizes of those that are not as long as the one before.
    sizes: Counts,
    latest: bool,
}

impl RunFit {
    /// Counts a request and the end `on` that it continues, if any, with the number of newer
    /// requests of its volume. `fresh`: it reaches a page that was never used.
    pub(super) fn add(&mut self, request: &Request, on: Option<&(usize, Tail)>, fresh: bool) {
        if let Some((newer, tail)) = on {
            self.count += 1;
            self.again += u64::from(self.latest);
            self.begun += u64::from(!tail.in_run);
            self.streams[*newer] += 1;
            self.same_op += u64::from(tail.op == request.op);
            self.same_size += u64::from(tail.length == request.length);
            self.fresh += u64::from(fresh);
            if tail.length != request.length {
                self.sizes.add(request);
            }
        }
        self.latest = on.is_some();
    }

    pub(super) fn finish(self, requests: u64) -> Runs {
        if self.count == 0 {
            return Runs::default();
        }
        let last = self.streams.iter().rposition(|count| *count > 0).unwrap_or(0);
        let [read, write] = self.sizes.mixes();
        Runs {
            share: share(self.count, requests),
            again: Some(share(self.again, self.count)),
            mean: Some(1.0 + self.count as f64 / self.begun.max(1) as f64),
            streams: self.streams[..=last].iter().map(|n| share(*n, self.count)).collect(),
            same_op: Some(share(self.same_op, self.count)),
            writes: None,
            kept: share(self.same_size, self.count),
            around: false,
            fresh: Some(share(self.fresh, self.count)),
            read,
            write,
        }
    }
}
