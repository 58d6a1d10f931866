//! Events of Linux' block layer, which blktrace, ftrace and perf record alike.
//!
//! A request passes several stages, each with an event of its own. Only those of one stage are
//! requests, so that nothing is counted twice: its arrival at the block layer, or what the user says.

use super::blkparse::device;
use super::field::Mistake;
use super::gate::RawRequest;
use super::rwbs::Rwbs;

const SECTOR_BYTES: u64 = 512;

/// What Linux records as the sector of a command that has none, such as one of SCSI that a program sends.
pub(super) const NO_SECTOR: u64 = u64::MAX;

/// Mappings of a device to another one that are kept.
const MOST_MAPPED: usize = 16;

crate::choices! {
    /// The stage of a request at which it is taken.
    pub enum Stage {
        /// It arrives at the block layer.
        Queue = "Q",
        /// It is issued to the driver.
        Issue = "D",
        /// It is complete.
        Complete = "C",
    }
}

/// The device in ` <- (253,0) 28205400`, from which a request comes.
#[cold]
pub(super) fn mapped_from(line: &[u8]) -> Option<u32> {
    const MARK: &[u8] = b" <- (";
    let behind = &line[memchr::memmem::find(line, MARK)? + MARK.len()..];
    device(behind.split(|b| *b == b')').next()?)
}

/// The stage that is taken, and what has been seen of all.
#[derive(Clone, Default)]
pub(super) struct Events {
    pub(super) stage: Option<Stage>,
    /// The data of a request that a flush precedes.
    behind_flush: Option<RawRequest>,
    seen: [u64; Stage::ALL.len()],
    /// Work on zones that was left out.
    zones: u64,
    /// Commands without a sector that were left out.
    commands: u64,
    /// The processor that recorded the latest event.
    pub(super) processor: Option<u32>,
    /// Devices, such as those of LVM, and what they are mapped to.
    mapped: Vec<Mapped>,
}

/// A device that is mapped to another one, and whether requests of each have been taken since.
#[derive(Clone)]
struct Mapped {
    devices: [u32; 2],
    taken: [bool; 2],
}

impl Events {
    /// Events of `stage`; `None`: of arrivals.
    pub(super) fn of(stage: Option<Stage>) -> Self {
        Self { stage, ..Self::default() }
    }

    /// Whether an event of `stage` is a request.
    #[inline]
    pub(super) fn takes(&mut self, stage: Stage) -> bool {
        self.seen[stage as usize] += 1;
        stage == self.stage.unwrap_or(Stage::Queue)
    }

    /// Notes that a request to the device `from` goes on to the device `to`.
    #[cold]
    pub(super) fn remap(&mut self, from: u32, to: u32) {
        // A partition that is recorded alone is mapped to itself.
        let is_known = from == to || self.mapped.iter().any(|mapped| mapped.devices == [from, to]);
        if !is_known && self.mapped.len() < MOST_MAPPED {
            self.mapped.push(Mapped { devices: [from, to], taken: [false; 2] });
        }
    }

    /// The request at `ticks` that does what `rwbs` says to a number of sectors from a sector on.
    #[inline]
    pub(super) fn request(
        &mut self,
        (ticks, volume): (u64, u32),
        rwbs: Rwbs,
        extent: Option<(u64, u64)>,
    ) -> Result<Option<RawRequest>, Mistake> {
        let flush = RawRequest::flush().at(ticks).in_volume(volume);
        let flush = rwbs.flushes.then_some(flush);
        self.zones += u64::from(rwbs.zone);
        let open = self.mapped.iter_mut().filter(|mapped| mapped.taken != [true; 2]);
        for Mapped { devices, taken } in open {
            let is = devices.map(|device| device == volume);
            *taken = [taken[0] || is[0], taken[1] || is[1]];
        }
        // A request without data has no address. One that does nothing known is a command that a program sends.
        let (Some(op), Some((offset, length))) = (rwbs.op, extent) else {
            let is_command = rwbs.op.is_none() && flush.is_none() && !rwbs.zone;
            self.commands += u64::from(is_command);
            return Ok(flush);
        };
        let raw = RawRequest::new(op, offset, length).at(ticks).in_volume(volume);
        let raw = match raw.in_units(SECTOR_BYTES, SECTOR_BYTES) {
            Err(_) if offset == NO_SECTOR => {
                self.commands += u64::from(flush.is_none());
                return Ok(flush);
            }
            other => other?,
        };
        if flush.is_some() {
            // A flush may have an address and no sectors.
            self.behind_flush = Some(raw).filter(|raw| raw.length > 0);
        }
        Ok(flush.or(Some(raw)))
    }

    /// The data of the request whose flush was returned last.
    #[inline]
    pub(super) fn rest(&mut self) -> Option<RawRequest> {
        self.behind_flush.take()
    }

    /// What was left out, and what is there twice.
    pub(super) fn remarks(&self) -> Vec<String> {
        let Self { zones, commands, .. } = *self;
        let of_zones = || format!("left out {zones} operations on zones; the device has none");
        let without_sector = || format!("left out {commands} commands without a sector");
        let twice = self.mapped.iter().filter(|mapped| mapped.taken == [true; 2]);
        let twice = twice.map(|Mapped { devices: [from, to], .. }| {
            let targets = self.mapped.iter().filter(|other| other.devices[0] == *from).count();
            let one = if targets > 1 { from } else { to };
            format!(
                "volume {from} is mapped to volume {to}, so that its requests are there twice: take \
                 one, as input.volume = {one}"
            )
        });
        let of_zones = (zones > 0).then(of_zones);
        let without_sector = (commands > 0).then(without_sector);
        of_zones.into_iter().chain(without_sector).chain(twice).collect()
    }

    /// What is wrong when nothing was a request.
    pub(super) fn without_requests(&self) -> Mistake {
        let wanted = self.stage.unwrap_or(Stage::Queue);
        let seen = |stage: &&Stage| self.seen[**stage as usize] > 0;
        let others = Stage::ALL.iter().filter(|stage| **stage != wanted);
        let name = wanted.name();
        Mistake(match others.into_iter().find(seen) {
            Some(other) => format!(
                "found no event of stage {name} but {} of stage {}; input.stage = {} takes these \
                 as arrivals",
                self.seen[*other as usize],
                other.name(),
                other.name()
            ),
            None if self.commands > 0 => format!(
                "found {} commands without a sector, expected at least one read, write, trim or flush",
                self.commands
            ),
            None => format!(
                "found no event of stage {name}, expected at least one; record with blktrace -a \
                 queue, or without -a"
            ),
        })
    }
}
