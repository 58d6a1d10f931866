//! What the host was promised, and a device that is held to it.

use crate::buffer::BufferManager;
use crate::flash::Device;
use crate::ftl::{self, Ftl};
use crate::partial::Cover;
use crate::request::Op;
use crate::rng::Rng;
use crate::units::Lpn;
use std::collections::BTreeMap;

/// A request that was served.
pub struct Served {
    /// What it did.
    pub op: Op,
    /// The pages that it did it with.
    pub pages: Vec<Lpn>,
    /// Changes of the medium when it was acknowledged.
    pub changes: usize,
    /// Of each of its pages, the version after it on flash.
    pub versions: Vec<Option<u16>>,
    /// Pages whose newest version was in RAM alone when it was acknowledged.
    pub at_risk: u64,
}

/// What each logical page may be after a cut. Trims are hints: a page that was trimmed may come back as it was.
#[derive(Clone)]
pub struct Durable {
    /// What was acknowledged; where writes stay in RAM, what was flushed.
    versions: Vec<Option<u16>>,
    /// Whether it was trimmed, or lost with another, so that any older version may come back.
    unsure: Vec<bool>,
    /// Whether writes may stay in RAM until a flush: later versions may be on flash, or not.
    keeps_writes: bool,
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
    /// Of a device that nothing was written to, which may keep writes in RAM until a flush.
    #[must_use]
    pub fn nothing(pages: u32, keeps_writes: bool) -> Self {
        let pages = pages as usize;
        Durable { versions: vec![None; pages], unsure: vec![false; pages], keeps_writes }
    }

    /// Logical pages.
    #[must_use]
    pub const fn pages(&self) -> u32 {
        self.versions.len() as u32
    }

    /// Takes note of a request that was acknowledged.
    pub fn note(&mut self, served: &Served) {
        for (lpn, after) in served.pages.iter().zip(&served.versions) {
            match served.op {
                Op::Read => {}
                Op::Trim => self.unsure[lpn.index()] = true,
                Op::Write if self.keeps_writes => {}
                // That a page was trimmed is no more durable after a flush.
                Op::Flush if after.is_none() => {}
                Op::Write | Op::WriteThrough | Op::Flush => {
                    self.versions[lpn.index()] = *after;
                    self.unsure[lpn.index()] = false;
                }
            }
        }
    }

    /// The same, when a cut has destroyed the newest versions of these pages.
    #[must_use]
    pub fn without(&self, lost: &[Lpn]) -> Self {
        let mut durable = self.clone();
        lost.iter().for_each(|lpn| durable.unsure[lpn.index()] = true);
        durable
    }

    /// Whether a page may have a version, when a cut has interrupted a request.
    fn allows(&self, lpn: Lpn, found: Option<u16>, interrupted: Option<&Served>) -> bool {
        let during = interrupted.and_then(|request| {
            let place = request.pages.iter().position(|page| *page == lpn)?;
            Some((request.op, request.versions[place]))
        });
        let durable = self.versions[lpn.index()];
        found == durable
            || self.keeps_writes && is_as_new(found, durable)
            || self.unsure[lpn.index()]
            || during.is_some_and(|(op, after)| op == Op::Trim || after == found)
    }
}

/// A device with its FTL under requests.
pub struct Host {
    /// The device.
    pub device: Device,
    /// The FTL on it.
    pub ftl: Box<dyn Ftl>,
    /// The write buffer above it.
    buffer: Option<BufferManager>,
    /// Of pages that were written, and not flushed since, the version on flash before.
    unflushed: BTreeMap<Lpn, Option<u16>>,
}

impl Host {
    /// An FTL on its device, below no write buffer.
    #[must_use]
    pub const fn new(device: Device, ftl: Box<dyn Ftl>) -> Self {
        Host { device, ftl, buffer: None, unflushed: BTreeMap::new() }
    }

    /// Whether what the host writes may stay in RAM until a flush.
    #[must_use]
    pub fn keeps_writes(&self) -> bool {
        self.buffer.is_some() || self.ftl.keeps_writes()
    }

    /// Serves a request, which is issued when the one before it is complete. The pages of a flush are those that were
    /// written and not flushed since, whichever are told.
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
            Some(buffer) => buffer.serve(op, &pages, Cover::WHOLE, ftl, device),
            None => ftl::access(ftl, op, &pages, device),
        }
        if matches!(op, Op::Flush | Op::WriteThrough) {
            self.must_be_on_flash(&pages);
        }
        let versions = pages.iter().map(|lpn| self.device.version(*lpn)).collect();
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

    /// Goes on below a write buffer, in which nothing is yet.
    pub fn put_below(&mut self, buffer: Option<BufferManager>) {
        let holds_data = |lpn| self.device.version(lpn).is_some();
        self.buffer = buffer.map(|buffer| buffer.resumed(holds_data));
    }

    /// Reads each page, which must be one of those that it may be, and takes it as it is.
    ///
    /// # Errors
    /// What is wrong with the first page that is a third thing.
    ///
    /// # Panics
    /// When a rule of the flash or an invariant of the FTL does not hold.
    pub fn settle(
        &mut self,
        durable: &Durable,
        interrupted: Option<&Served>,
    ) -> Result<Durable, String> {
        self.device.settle(true);
        let mut settled = Durable::nothing(durable.pages(), durable.keeps_writes);
        for lpn in (0..durable.pages()).map(Lpn) {
            self.ftl.read(&[lpn], &mut self.device);
            let found = self.device.version(lpn);
            if !durable.allows(lpn, found, interrupted) {
                let acknowledged = durable.versions[lpn.index()];
                return Err(format!(
                    "logical page {lpn} has version {found:?}, acknowledged was {acknowledged:?}"
                ));
            }
            settled.versions[lpn.index()] = found;
        }
        self.device.settle(false);
        self.audit();
        Ok(settled)
    }
}
