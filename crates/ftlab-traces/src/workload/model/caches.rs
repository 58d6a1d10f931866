//! The caches of a published miss ratio curve, simulated on a stream.

use super::file::Curve;
use crate::locality::{MissRatioCurve, ReuseDistances, opt_hit_ratio};
use crate::request::{Op, Request};

/// The most blocks that are followed: all of a curve of sectors of a 512 MiB space.
const BLOCKS_MAX: usize = 1 << 20;

/// LRU caches of every size, and what OPT needs.
pub(super) struct Caches {
    block: u64,
    reads: bool,
    overlaid: bool,
    apart: ReuseDistances,
    laid_over: ReuseDistances,
    /// Sizes of OPT's caches, and the accesses if there is any.
    opt: Vec<u64>,
    accesses: Vec<u64>,
}

impl Caches {
    pub(super) fn new(curve: &Curve) -> Self {
        let new = || ReuseDistances::new(BLOCKS_MAX);
        Caches {
            block: curve.block.0,
            reads: curve.reads,
            overlaid: curve.overlaid,
            apart: new(),
            laid_over: new(),
            opt: curve.opt.iter().map(|point| point.0).collect(),
            accesses: Vec::new(),
        }
    }

    pub(super) fn access(&mut self, request: &Request) {
        if self.reads && request.op != Op::Read {
            return;
        }
        for block in request.offset / self.block..=(request.end() - 1) / self.block {
            self.apart.access(request.volume, block);
            self.laid_over.access(0, block);
            if !self.opt.is_empty() {
                self.accesses.push(block);
            }
        }
    }

    /// The curve in its published form: of separate volumes, or of volumes laid over each other.
    pub(super) fn curve(&self) -> MissRatioCurve {
        if self.overlaid { self.overlaid() } else { self.apart.curve() }
    }

    /// The curve of volumes laid over each other.
    pub(super) fn overlaid(&self) -> MissRatioCurve {
        self.laid_over.curve()
    }

    /// The share that OPT misses at each of its sizes, volumes laid over each other.
    pub(super) fn opt(&self) -> Vec<f64> {
        let miss = |size: &u64| 1.0 - opt_hit_ratio(&self.accesses, *size as usize);
        self.opt.iter().map(miss).collect()
    }
}
