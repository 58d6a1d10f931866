//! The promises made to the host, and a device that must keep them.

use crate::buffer::BufferManager;
use crate::flash::Device;
use crate::ftl::{self, Access, Ftl, Spec};
use crate::partial::Cover;
use crate::request::Op;
use crate::rng::Rng;
use crate::units::Lpn;
use std::collections::BTreeMap;

/// A request that was served.
pub struct Served {
    /// Its operation.
    pub op: Op,
    /// Its pages.
    pub pages: Vec<Lpn>,
    /// Changes of the medium when it was acknowledged.
    pub changes: usize,
    /// For each of its pages, the version on flash after it; for trimmed pages, the last version
    /// before it.
    pub versions: Vec<Option<u16>>,
    /// Pages whose newest version was only in RAM when it was acknowledged.
    pub at_risk: u64,
}

/// The versions that each logical page may have after a cut. Where trims are hints a trimmed page
/// may return unchanged.
#[derive(Clone)]
pub struct Durable {
    pages: Vec<Page>,
    /// Whether writes may remain in RAM until a flush: later versions may be on flash, or not.
    keeps_writes: bool,
    /// Whether trims are durable.
    keeps_trims: bool,
    /// Trimmed pages that had an older version when they were [settled](Host::settle).
    pub came_back: u64,
}

/// The versions that a logical page may have.
#[derive(Clone, Copy, Default)]
struct Page {
    /// The acknowledged version; where writes remain in RAM, the flushed one.
    version: Option<u16>,
    /// If it was trimmed since, the last version before that.
    trimmed: Option<u16>,
    /// Whether any older version may return: the page was trimmed, or lost with another.
    unsure: bool,
}

impl Page {
    /// Whether a version is one that the page had before it was trimmed.
    fn was_trimmed_as(&self, found: Option<u16>) -> bool {
        found.is_some() && self.trimmed.is_some_and(|last| is_as_new(Some(last), found))
    }
}

/// Steps of deferred work between two requests, at most.
const MOST_STEPS: u64 = 4;

/// Versions are numbered modulo this.
const VERSIONS: u16 = 1 << 15;

/// Whether a version is not older than another.
fn is_as_new(version: Option<u16>, as_other: Option<u16>) -> bool {
    match (version, as_other) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(version), Some(other)) => version.wrapping_sub(other) % VERSIONS < VERSIONS / 2,
    }
}

impl Durable {
    /// For a device without any writes. It may keep writes in RAM until a flush, and may make trims
    /// durable.
    #[must_use]
    pub fn nothing(pages: u32, keeps_writes: bool, keeps_trims: bool) -> Self {
        let pages = vec![Page::default(); pages as usize];
        Durable { pages, keeps_writes, keeps_trims, came_back: 0 }
    }

    /// Logical pages.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.pages.len() as u32
    }

    /// Notes a request that was acknowledged.
    pub fn note(&mut self, served: &Served) {
        for (lpn, after) in served.pages.iter().zip(&served.versions) {
            let page = &mut self.pages[lpn.index()];
            match served.op {
                Op::Read => {}
                Op::Trim if self.keeps_trims => {
                    *page = Page { version: None, trimmed: *after, unsure: false };
                }
                Op::Trim => (page.trimmed, page.unsure) = (*after, true),
                Op::Write if self.keeps_writes => {}
                // A flush makes the trim of a page no more durable.
                Op::Flush if after.is_none() => {}
                Op::Write | Op::WriteThrough | Op::Flush => {
                    *page = Page { version: *after, trimmed: None, unsure: false };
                }
            }
        }
    }

    /// The same, when a cut has destroyed the newest versions of these pages.
    #[must_use]
    pub fn without(&self, lost: &[Lpn]) -> Self {
        let mut durable = self.clone();
        lost.iter().for_each(|lpn| durable.pages[lpn.index()].unsure = true);
        durable
    }

    /// Whether a page may have a version, when a cut has interrupted a request.
    fn allows(&self, lpn: Lpn, found: Option<u16>, interrupted: Option<&Served>) -> bool {
        let during = interrupted.and_then(|request| {
            let place = request.pages.iter().position(|page| *page == lpn)?;
            Some((request.op, request.versions[place]))
        });
        let page = &self.pages[lpn.index()];
        if self.keeps_trims && page.was_trimmed_as(found) {
            return false;
        }
        let by_request = |(op, after)| match op {
            Op::Trim => found.is_none() || !self.keeps_trims,
            _ => found == after,
        };
        found == page.version
            || self.keeps_writes && is_as_new(found, page.version)
            || page.unsure
            || during.is_some_and(by_request)
    }
}

/// A device with its FTL under requests.
pub struct Host {
    /// The device.
    pub device: Device,
    /// The FTL on it.
    pub ftl: Box<dyn Ftl>,
    /// Whether it keeps writes in its own RAM.
    ftl_keeps_writes: bool,
    /// The write buffer above it.
    buffer: Option<BufferManager>,
    /// For pages that were written and not flushed since, the earlier version on flash.
    unflushed: BTreeMap<Lpn, Option<u16>>,
}

impl Host {
    /// An FTL on its device, without a write buffer.
    #[must_use]
    pub const fn new(spec: &Spec, device: Device, ftl: Box<dyn Ftl>) -> Self {
        let ftl_keeps_writes = spec.keeps_writes;
        Host { device, ftl, ftl_keeps_writes, buffer: None, unflushed: BTreeMap::new() }
    }

    /// Whether writes of the host may remain in RAM until a flush.
    #[must_use]
    pub fn keeps_writes(&self) -> bool {
        self.buffer.is_some() || self.ftl_keeps_writes
    }

    /// Serves a request, issued when the one before it is complete. The pages of a flush are those
    /// written and not flushed since, whatever `pages` says.
    ///
    /// # Panics
    /// When a page that is flushed is not on flash.
    pub fn serve(&mut self, op: Op, pages: Vec<Lpn>) -> Served {
        let pages = match op {
            Op::Flush => self.unflushed.keys().copied().collect(),
            _ => pages,
        };
        if self.keeps_writes() {
            self.note(op, &pages);
        }
        let timeline = self.device.timeline_mut();
        timeline.issue(timeline.served().end);
        let (ftl, device) = (&mut *self.ftl, &mut self.device);
        match &mut self.buffer {
            Some(buffer) => buffer.serve(Access::new(op, &pages), Cover::WHOLE, ftl, device),
            None => ftl::access(ftl, op, &pages, device),
        }
        if matches!(op, Op::Flush | Op::WriteThrough) {
            self.must_be_on_flash(&pages);
        }
        let after = |lpn: &Lpn| match op {
            Op::Trim => Some(self.device.last_version(*lpn)),
            _ => self.device.version(*lpn),
        };
        let versions = pages.iter().map(after).collect();
        let above = self.buffer.as_ref().map(BufferManager::counts).unwrap_or_default();
        let at_risk = above.plus(self.ftl.buffered()).dirty;
        let served = Served { op, changes: self.device.changes(), versions, pages, at_risk };
        self.device.checkpoint_if_due();
        served
    }

    /// Leaves the FTL time for a few steps of deferred work, before three of ten requests.
    pub fn idle(&mut self, rng: &mut Rng) {
        let steps = if rng.chance(0.3) { 1 + rng.below(MOST_STEPS) } else { 0 };
        for _ in 0..steps {
            let timeline = self.device.timeline_mut();
            timeline.issue(timeline.idle_at());
            if !self.ftl.background(&mut self.device) {
                return;
            }
        }
    }

    fn note(&mut self, op: Op, pages: &[Lpn]) {
        for &lpn in pages {
            match op {
                Op::Write | Op::WriteThrough => {
                    self.unflushed.insert(lpn, self.device.version(lpn));
                }
                Op::Trim => _ = self.unflushed.remove(&lpn),
                Op::Read | Op::Flush => {}
            }
        }
    }

    fn must_be_on_flash(&mut self, pages: &[Lpn]) {
        for lpn in pages {
            let before = self.unflushed.remove(lpn);
            let is_there = before.is_none_or(|before| self.device.version(*lpn) != before);
            assert!(is_there, "logical page {lpn} was flushed, and is not on flash");
        }
    }

    /// Recomputes every invariant.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn audit(&self) {
        self.ftl.audit(&self.device);
        if let Some(buffer) = &self.buffer {
            buffer.audit(&self.device);
        }
    }

    /// Continues below a write buffer, which is empty.
    pub fn put_below(&mut self, buffer: Option<BufferManager>) {
        let holds_data = |lpn| self.device.version(lpn).is_some();
        self.buffer = buffer.map(|buffer| buffer.resumed(holds_data));
    }

    /// Reads each page: recovery has found one of the versions that it may have.
    ///
    /// # Errors
    /// The fault of the first page with an invalid version.
    ///
    /// # Panics
    /// When a rule of the flash or an invariant of the FTL does not hold.
    pub fn settle(
        &mut self,
        durable: &Durable,
        interrupted: Option<&Served>,
    ) -> Result<Durable, String> {
        let mut settled =
            Durable::nothing(durable.pages(), durable.keeps_writes, durable.keeps_trims);
        for lpn in (0..durable.pages()).map(Lpn) {
            ftl::access(&mut self.ftl, Op::Read, &[lpn], &mut self.device);
            let (found, page) = (self.device.version(lpn), durable.pages[lpn.index()]);
            if !durable.allows(lpn, found, interrupted) {
                let acknowledged = page.version;
                return Err(format!(
                    "logical page {lpn} has version {found:?}, acknowledged was {acknowledged:?}"
                ));
            }
            settled.came_back += u64::from(page.was_trimmed_as(found));
            let trimmed = found.is_none().then(|| self.device.last_version(lpn));
            settled.pages[lpn.index()] = Page { version: found, trimmed, unsure: false };
        }
        self.audit();
        Ok(settled)
    }
}
