//! A device at work: an FTL under requests that carry data, over an image.
//!
//! The simulation of `ftlab run` serves each request. The changes that it made to the flash are
//! then applied to the image, in the same order. New versions take the bytes of the host, and
//! copies those of the copied page. Reads return the content of the page where the FTL found the
//! newest version.

mod fsck;
mod open;

use crate::fault::{Fault, at};
use crate::hint::{Hint, Hinted};
use crate::image::{Flush, Image};
use crate::recording::Recording;
pub use fsck::{Fsck, fsck};
use ftlab::Error;
use ftlab::config::Config;
use ftlab::flash::Event;
use ftlab::ftl::Ftl;
use ftlab::report::{Report, SpeedReport, TraceReport};
use ftlab::request::{Meta, Op, Request};
use ftlab::simulate::{Simulation, Simulator};
use ftlab::trace::Updates;
use ftlab::units::{Lpn, Nanos, Ppn};
use ftlab::warmup::{Warmup, WarmupReport};
pub use open::{Mount, Opening};
pub(crate) use open::{able, capacity, whole};
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A device at work.
pub struct Live {
    ftl: &'static str,
    path: PathBuf,
    capacity: u64,
    sector: u32,
    page_bytes: usize,
    simulation: Simulation<Box<dyn Ftl>>,
    image: Image<File>,
    recording: Option<Recording>,
    hint: Option<Hint>,
    updates: Option<Updates>,
    /// By handle; empty without hints.
    hinted: Vec<Hinted>,
    mount: Option<Mount>,
    /// When the first request arrived.
    first: Option<Instant>,
    damaged_reads: u64,
    flushes: u64,
    serving: Duration,
    /// Working memory: a page.
    scratch: Vec<u8>,
}

/// A device that is ready.
#[derive(Clone, Debug, Serialize)]
pub struct Opened {
    /// The FTL.
    pub ftl: &'static str,
    /// Every setting.
    pub config: Config,
    /// The capacity that it offers, B.
    pub capacity_bytes: u64,
    /// The cost of recovery; `None` for a new device.
    pub mount: Option<Mount>,
}

impl Live {
    /// The path of its image.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// The capacity that it offers, B.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The unit of offsets and lengths, B.
    #[must_use]
    pub const fn sector(&self) -> u32 {
        self.sector
    }

    /// Bytes of a page.
    #[must_use]
    pub const fn page_bytes(&self) -> u32 {
        self.page_bytes as u32
    }

    /// What it is, and the cost of recovery.
    #[must_use]
    pub fn opened(&self) -> Opened {
        let outcome = self.simulation.outcome();
        let (ftl, config) = (self.ftl, outcome.config.clone());
        Opened { ftl, config, capacity_bytes: self.capacity, mount: self.mount }
    }

    /// Reads that found a page damaged.
    #[must_use]
    pub const fn damaged_reads(&self) -> u64 {
        self.damaged_reads
    }

    /// Exports by which clients find the device: one per handle if the export chooses the handle.
    #[must_use]
    pub fn exports(&self) -> u16 {
        match self.hint {
            Some(Hint::Export) => self.hinted.len() as u16,
            _ => 1,
        }
    }

    /// What was written with each handle; empty without hints.
    #[must_use]
    pub fn hinted(&self) -> &[Hinted] {
        &self.hinted
    }

    /// Barriers that clients have requested.
    #[must_use]
    pub const fn flushes(&self) -> u64 {
        self.flushes
    }

    /// Reads bytes and appends them. Returns when the device would have finished.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn read(&mut self, offset: u64, length: u32, to: &mut Vec<u8>) -> Result<Instant, Fault> {
        let due = self.serve(0, Op::Read, offset, length)?;
        let start = to.len();
        to.resize(start + length as usize, 0);
        let bytes = &mut to[start..];
        let mut sound = true;
        for event in self.simulation.events() {
            let Event::Read { lpn, ppn } = event else {
                self.apply(event, |lpn| panic!("logical page {lpn} was read and programmed"))?;
                continue;
            };
            let (inside, part) = overlap(self.page_bytes, lpn, offset, bytes.len());
            let part = &mut bytes[part];
            if part.len() == self.page_bytes {
                sound &= self.image.read(ppn, part).map_err(|error| self.fatal(error))?;
            } else {
                sound &= self.read_scratch(ppn)?;
                part.copy_from_slice(&self.scratch[inside]);
            }
        }
        self.end(sound)?;
        Ok(due)
    }

    /// Writes bytes from a client of this export, with FUA if they must be durable. Returns when
    /// the device would have finished.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn write(
        &mut self,
        export: u16,
        offset: u64,
        data: &[u8],
        durable: bool,
    ) -> Result<Instant, Fault> {
        let op = if durable { Op::WriteThrough } else { Op::Write };
        let due = self.serve(export, op, offset, data.len() as u32)?;
        // For pages of which only a part is written: their earlier content.
        let mut bases: Vec<(Lpn, Vec<u8>, bool)> = Vec::new();
        for event in self.simulation.events() {
            if let Event::Read { lpn, ppn } = event {
                let sound = self.read_scratch(ppn)?;
                bases.push((lpn, self.scratch.clone(), sound));
                continue;
            }
            let page_bytes = self.page_bytes;
            let place = |lpn| overlap(page_bytes, lpn, offset, data.len());
            self.apply(event, |lpn| {
                let (inside, part) = place(lpn);
                if part.len() == page_bytes {
                    return (Cow::Borrowed(&data[part]), true);
                }
                let base = bases.iter().find(|(base, ..)| *base == lpn);
                let (mut page, sound) = base.map_or_else(
                    || (vec![0; page_bytes], true),
                    |(_, page, sound)| (page.clone(), *sound),
                );
                page[inside].copy_from_slice(&data[part]);
                (Cow::Owned(page), sound)
            })?;
        }
        self.end(bases.iter().all(|(.., sound)| *sound))?;
        Ok(due)
    }

    /// Trims bytes. Returns when the device would have finished.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn trim(&mut self, offset: u64, length: u32) -> Result<Instant, Fault> {
        self.serve_without_data(Op::Trim, offset, length)
    }

    /// Flushes the simulated device; [`Live::begin_flush`] flushes the image. Returns when the
    /// device would have finished.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn flush(&mut self) -> Result<Instant, Fault> {
        self.serve_without_data(Op::Flush, 0, 0)
    }

    /// Begins to make written data durable.
    ///
    /// # Errors
    /// [`Fault::Fatal`].
    pub fn begin_flush(&mut self) -> Result<Flush<File>, Fault> {
        self.flushes += 1;
        self.image.begin_flush().map_err(|error| self.fatal(error))
    }

    /// Ends that flush.
    pub fn end_flush(&mut self, flush: &Flush<File>) {
        self.image.end_flush(flush);
    }

    /// Makes all data and the recording durable, and checks the books and every invariant.
    ///
    /// # Errors
    /// Those of the files.
    ///
    /// # Panics
    /// When an invariant does not hold.
    pub fn close(&mut self) -> Result<(), Error> {
        self.image.checkpoint().map_err(at(&self.path))?;
        if let Some(recording) = &mut self.recording {
            recording.flush()?;
        }
        self.simulation.check();
        Ok(())
    }

    /// The result of the session so far, in the form of a run's result.
    #[must_use]
    pub fn report(&self) -> Report {
        let outcome = self.simulation.outcome();
        let speed = SpeedReport::new(&outcome, self.serving, Duration::ZERO);
        let name = self.path.display().to_string();
        let trace = TraceReport { name, format: "nbd".into(), ..TraceReport::default() };
        Report::new(self.ftl, &outcome, WarmupReport::new(Warmup::NONE), trace, speed)
    }

    /// Serves a request; returns when the device would have finished.
    fn serve(&mut self, export: u16, op: Op, offset: u64, length: u32) -> Result<Instant, Fault> {
        let now = Instant::now();
        let first = *self.first.get_or_insert(now);
        let time = (now - first).as_nanos() as Nanos;
        let mut request = Request::new(op, offset, length).at(time);
        if let Some(hint) = self.hint.as_ref().filter(|_| op.writes()) {
            let handle = hint.of(export, offset, length);
            request.meta = Meta { handle, ..Meta::UNSET };
            // The device counts a handle that it does not have as handle 0.
            let at = if usize::from(handle) < self.hinted.len() { handle } else { 0 };
            let hinted = &mut self.hinted[usize::from(at)];
            hinted.writes += 1;
            hinted.bytes += u64::from(length);
            if let Some(updates) = &mut self.updates {
                updates.mark(&mut request);
            }
        }
        let (_, end) = self.simulation.serve_one(&request).map_err(Fault::Fatal)?;
        self.serving += now.elapsed();
        if let Some(recording) = &mut self.recording {
            recording.add(&request).map_err(Fault::Fatal)?;
        }
        Ok(first + Duration::from_nanos(end))
    }

    /// Serves a request that changes the image only by what the FTL moves; returns when the device
    /// would have finished.
    fn serve_without_data(&mut self, op: Op, offset: u64, length: u32) -> Result<Instant, Fault> {
        let due = self.serve(0, op, offset, length)?;
        for event in self.simulation.events() {
            self.apply(event, |lpn| {
                panic!("logical page {lpn} was programmed by a {}", op.name())
            })?;
        }
        self.end(true)?;
        Ok(due)
    }

    fn apply<'a>(
        &mut self,
        event: Event,
        data: impl FnOnce(Lpn) -> (Cow<'a, [u8]>, bool),
    ) -> Result<(), Fault> {
        self.image.apply(event, data).map_err(|error| self.fatal(error))
    }

    /// Ends a request: its changes survive the end of this process.
    fn end(&mut self, sound: bool) -> Result<(), Fault> {
        self.image.write_journal().map_err(|error| self.fatal(error))?;
        if sound {
            return Ok(());
        }
        self.damaged_reads += 1;
        Err(Fault::Damaged)
    }

    fn read_scratch(&mut self, ppn: Ppn) -> Result<bool, Fault> {
        self.image.read(ppn, &mut self.scratch).map_err(at(&self.path)).map_err(Fault::Fatal)
    }

    fn fatal(&self, error: std::io::Error) -> Fault {
        Fault::Fatal(at(&self.path)(error))
    }
}

/// The bytes of a page that a request touches, and their range within the request.
fn overlap(
    page_bytes: usize,
    lpn: Lpn,
    offset: u64,
    length: usize,
) -> (Range<usize>, Range<usize>) {
    let start = u64::from(lpn.0) * page_bytes as u64;
    let (from, to) = (start.max(offset), (start + page_bytes as u64).min(offset + length as u64));
    let of = |base: u64| (from - base) as usize..(to - base) as usize;
    (of(start), of(offset))
}

#[cfg(test)]
mod kills;
