//! AutoStream (Yang, Pandurangan, Choi & Balakrishnan, SYSTOR 2017): streams by how often a chunk is written, as the
//! evaluation of SepBIT has them (Wang et al., FAST 2022).
//!
//! Idea     pages lie in chunks, and each request counts once for each chunk that it touches. A page goes to the class
//!          `ln(count)` of its chunk, rounded down. What GC moves has a class of its own, the last.
//!          ```text
//!          multi-queue   counts never fall
//!          sfr           counts halve each `half_life` page writes; a request that begins where the last one ended
//!                        goes where that went
//!          ```
//! RAM      4 B per chunk for the count, and with `sfr` 4 B for when it was last written.
//! Departs  the multi-queue of the paper takes chunks that expire down a queue. In the program of that evaluation
//!          this has no effect on where pages go, so it is left out.

use super::{Layout, Moved, Requested, Separation, SeparationDesign, Spec, Written};
use crate::math::ln;
use crate::units::Lpn;

crate::settings! {
    /// Streams by a multi-queue.
    pub struct MultiQueueConfig in "multi-queue" {
        /// Classes, that of what GC moves included.
        classes: u32 = 6, in 2..=16, laws [2, 3, 6], source "Wang et al., SepBIT, FAST 2022";
        /// Pages of a chunk: 1 MiB of 4 KiB pages.
        chunk: u32 = 256, in 1.., unit "pages", laws [1, 7, 256], source "Yang et al., SYSTOR 2017";
    }
}

crate::settings! {
    /// Streams by sequentiality, frequency and recency.
    pub struct SfrConfig in "sfr" {
        /// Classes, that of what GC moves included.
        classes: u32 = 6, in 2..=16, laws [2, 3, 6], source "Wang et al., SepBIT, FAST 2022";
        /// Pages of a chunk: 2 MiB of 4 KiB pages.
        chunk: u32 = 512, in 1.., unit "pages", laws [1, 7, 512], source "Yang et al., SYSTOR 2017";
        /// Page writes of the host after which a count is worth half.
        half_life: u32 = 16_384, in 1.., unit "pages", laws [1, 100], source "Wang et al., SepBIT, FAST 2022";
    }
}

/// Counts of chunks.
#[derive(Clone, Debug)]
struct Chunks {
    pages: u32,
    /// The class of what GC moves.
    last: u8,
    counts: Vec<u32>,
}

impl Chunks {
    fn new(logical_pages: u32, pages: u32, classes: u32) -> Self {
        let counts = vec![0; logical_pages.div_ceil(pages) as usize];
        Chunks { pages, last: classes as u8 - 1, counts }
    }

    const fn of(&self, lpn: Lpn) -> usize {
        (lpn.0 / self.pages) as usize
    }

    /// The chunks that a request touches.
    fn touched(&self, request: Requested) -> std::ops::RangeInclusive<usize> {
        let end = Lpn(request.first.0 + request.pages - 1);
        self.of(request.first)..=self.of(end).min(self.counts.len() - 1)
    }

    /// By the count of the chunk of a page.
    fn class(&self, lpn: Lpn) -> u8 {
        let class = ln(self.counts[self.of(lpn)].max(1).into()) as u8;
        class.min(self.last - 1)
    }
}

/// Streams by a multi-queue.
#[derive(Clone, Debug)]
pub struct MultiQueue {
    chunks: Chunks,
}

impl SeparationDesign for MultiQueue {
    type Settings = MultiQueueConfig;

    const SPEC: Spec = Spec {
        name: "multi-queue",
        summary: "by how often the chunk of a page is written (AutoStream MQ)",
        source: "Yang et al., SYSTOR 2017; Wang et al., SepBIT, FAST 2022",
    };

    fn build(layout: &Layout, own: MultiQueueConfig) -> Self {
        MultiQueue { chunks: Chunks::new(layout.logical_pages, own.chunk, own.classes) }
    }
}

impl Separation for MultiQueue {
    fn classes(&self) -> u8 {
        self.chunks.last + 1
    }

    fn spread(&self) -> u8 {
        1
    }

    fn requested(&mut self, request: Requested) {
        for chunk in self.chunks.touched(request) {
            let count = &mut self.chunks.counts[chunk];
            *count = count.saturating_add(1);
        }
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.chunks.class(page.lpn)
    }

    fn of_move(&mut self, _page: Moved) -> u8 {
        self.chunks.last
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        4 * self.chunks.counts.len() as u64
    }
}

/// Streams by sequentiality, frequency and recency.
#[derive(Clone, Debug)]
pub struct Sfr {
    chunks: Chunks,
    half_life: u32,
    /// When a chunk was last written, in page writes of the host.
    written: Vec<u32>,
    /// Page writes of the host.
    now: u32,
    /// The page behind the last request.
    next: Option<Lpn>,
    /// Whether the request goes on where the last one ended.
    goes_on: bool,
    /// The class of the last page.
    class: u8,
}

impl SeparationDesign for Sfr {
    type Settings = SfrConfig;

    const SPEC: Spec = Spec {
        name: "sfr",
        summary: "by how often and how lately the chunk of a page is written (AutoStream SFR)",
        source: "Yang et al., SYSTOR 2017; Wang et al., SepBIT, FAST 2022",
    };

    fn build(layout: &Layout, own: SfrConfig) -> Self {
        let chunks = Chunks::new(layout.logical_pages, own.chunk, own.classes);
        let written = vec![0; chunks.counts.len()];
        let half_life = own.half_life;
        Sfr { chunks, half_life, written, now: 0, next: None, goes_on: false, class: 0 }
    }
}

impl Separation for Sfr {
    fn classes(&self) -> u8 {
        self.chunks.last + 1
    }

    fn spread(&self) -> u8 {
        1
    }

    fn requested(&mut self, request: Requested) {
        self.goes_on = self.next == Some(request.first);
        self.next = Some(Lpn(request.first.0 + request.pages));
        for chunk in self.chunks.touched(request) {
            let halvings = self.now.wrapping_sub(self.written[chunk]) / self.half_life;
            let count = &mut self.chunks.counts[chunk];
            *count = count.checked_shr(halvings).unwrap_or(0).saturating_add(1);
            self.written[chunk] = self.now;
        }
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.now = self.now.wrapping_add(1);
        if !self.goes_on {
            self.class = self.chunks.class(page.lpn);
        }
        self.class
    }

    fn of_move(&mut self, _page: Moved) -> u8 {
        self.chunks.last
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn ram(&self) -> u64 {
        8 * self.chunks.counts.len() as u64
    }
}
