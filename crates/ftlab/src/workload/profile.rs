//! The engine of the profiles: a stream with the published statistics of a trace.
//!
//! A profile is data; this engine draws each request in four steps.
//! 1. Place. With probability `continued`, one volume's last request is continued; otherwise an
//!    address of some age is used again ([`super::reuse`]), or a fresh one is opened: the next of a
//!    volume's record slots in scattered order.
//! 2. Operation. A volume has its own share of writes; the odds are corrected by what is left to
//!    give, so that the counts over the full length are exact and every request has a fair share
//!    (selection sampling, Knuth 3.4.2 S, with unequal odds).
//! 3. Size. Of a used address its old size; else drawn from the table.
//! 4. Time. Poisson bursts with the published rate.
//!
//! Not modelled: phases over the day, scans, changes of the working set other than its steady
//! growth, and any tie between size, operation and age.

use super::alias::Alias;
use super::arrivals::Clock;
use super::reuse::{Ages, History, Visit};
use super::scatter::Permutation;
use crate::error::Error;
use crate::request::{BATCH, Input, Op, Request, RequestSource};
use crate::rng::Rng;
use crate::units::Nanos;

/// Bytes of a sector, the unit of addresses and sizes.
const SECTOR: u64 = 512;

/// Where a number of a profile comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Printed in a paper.
    Published,
    /// Chosen so that a measured figure of the stream meets a published one.
    Fitted,
    /// Not known; a plain guess.
    Assumed,
}

/// One figure of a trace as it is stated, for the table beside the generated stream.
#[derive(Clone, Copy, Debug)]
pub struct Stated {
    /// What: a name that `profile_table` knows how to measure.
    pub figure: &'static str,
    /// The value in the unit that the figure's name says.
    pub value: f64,
    /// Published, fitted or assumed.
    pub origin: Origin,
    /// Paper, table or file.
    pub source: &'static str,
}

/// One volume of a profile.
#[derive(Clone, Copy, Debug)]
pub struct VolumeShare {
    /// Weight among the volumes when an address is fresh or a run continues.
    pub weight: f64,
    /// Share of writes among its requests, 0 to 1.
    pub writes: f64,
    /// Address space, MiB.
    pub mib: u32,
}

/// The data of a profile. Each value's origin stands beside it in the profile's file.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Registered name.
    pub name: &'static str,
    /// What trace it stands for, in one line.
    pub summary: &'static str,
    /// Where its numbers come from, in one line.
    pub source: &'static str,
    /// Reads at full length.
    pub reads: u64,
    /// Writes at full length.
    pub writes: u64,
    /// Time of the full length, nanoseconds.
    pub duration: Nanos,
    /// Share of requests that arrive together with the previous one, below 1.
    pub together: f64,
    /// Request sizes in sectors of 512 B with their weights.
    pub sizes: &'static [(u16, f64)],
    /// Share of requests that start where the last one of their volume ended.
    pub continued: f64,
    /// (age in requests, share of the other requests whose address was last used longer ago).
    pub ages: &'static [(f64, f64)],
    /// Distance of the slots in which fresh addresses lie, bytes.
    pub slot: u64,
    /// The volumes.
    pub volumes: &'static [VolumeShare],
    /// Figures that the stream is compared with.
    pub stated: &'static [Stated],
}

/// The first `requests` of a profile's stream.
#[derive(Clone, Debug)]
pub(super) struct Profiled {
    pub(super) profile: &'static Profile,
    pub(super) requests: u64,
    pub(super) seed: u64,
}

impl Input for Profiled {
    fn open(&self) -> Result<Box<dyn RequestSource>, Error> {
        Ok(Box::new(Stream::new(self)))
    }

    fn name(&self) -> String {
        self.profile.name.to_owned()
    }

    fn format(&self) -> String {
        "generated".to_owned()
    }
}

/// A volume at work, addresses in sectors.
struct Volume {
    sectors: u64,
    slots: u64,
    order: Permutation,
    /// Fresh addresses opened so far.
    opened: u64,
    /// End of the volume's last request.
    tail: u64,
    writes: f64,
}

struct Stream {
    total: u64,
    done: u64,
    clock: Clock,
    places: Rng,
    sizes: Rng,
    mix: Alias,
    lengths: Vec<u16>,
    ages: Ages,
    history: History,
    weights: Alias,
    volumes: Vec<Volume>,
    continued: f64,
    slot_sectors: u64,
    ops: Ops,
}

impl Stream {
    fn new(input: &Profiled) -> Self {
        let (profile, seed) = (input.profile, input.seed);
        let full = profile.reads + profile.writes;
        let gap = profile.duration as f64 / full as f64;
        let weights: Vec<f64> = profile.volumes.iter().map(|v| v.weight).collect();
        let mix: Vec<f64> = profile.sizes.iter().map(|s| s.1).collect();
        let ages = Ages::new(profile.ages);
        let mut scatter = Rng::new(seed, "scatter");
        let volumes = profile.volumes.iter().map(|v| Volume::new(v, profile.slot, &mut scatter));
        Stream {
            total: input.requests,
            done: 0,
            clock: Clock::bursts(gap, profile.together, seed),
            places: Rng::new(seed, "places"),
            sizes: Rng::new(seed, "sizes"),
            mix: Alias::new(&mix),
            lengths: profile.sizes.iter().map(|s| s.0).collect(),
            history: History::new(ages.oldest()),
            ages,
            weights: Alias::new(&weights),
            volumes: volumes.collect(),
            continued: profile.continued,
            slot_sectors: profile.slot / SECTOR,
            ops: Ops::new(profile.reads, profile.writes, seed),
        }
    }

    #[inline]
    fn next(&mut self) -> Request {
        let visit = self.place();
        self.history.push(visit);
        let volume = &mut self.volumes[usize::from(visit.volume)];
        volume.tail = u64::from(visit.sector) + u64::from(visit.sectors);
        Request {
            time: self.clock.tick(),
            offset: u64::from(visit.sector) * SECTOR,
            length: u32::from(visit.sectors) * SECTOR as u32,
            volume: u32::from(visit.volume),
            op: self.ops.draw(volume.writes),
        }
    }

    /// Where the next request goes: on, back, or somewhere new.
    #[inline]
    fn place(&mut self) -> Visit {
        if self.places.chance(self.continued) {
            return self.run_on();
        }
        let used = self.ages.draw(&mut self.places).and_then(|age| self.history.take(age));
        used.unwrap_or_else(|| self.fresh())
    }

    fn run_on(&mut self) -> Visit {
        let volume = self.weights.draw(&mut self.places);
        let sectors = self.lengths[self.mix.draw(&mut self.sizes)];
        let v = &self.volumes[volume];
        let fits = v.tail + u64::from(sectors) <= v.sectors;
        let sector = if fits { v.tail as u32 } else { 0 };
        Visit { sector, sectors, volume: volume as u16 }
    }

    fn fresh(&mut self) -> Visit {
        let volume = self.weights.draw(&mut self.places);
        let sectors = self.lengths[self.mix.draw(&mut self.sizes)];
        let shift = self.places.below(8);
        let v = &mut self.volumes[volume];
        let slot = v.order.apply(v.opened % v.slots);
        v.opened += 1;
        let last = v.sectors - u64::from(sectors);
        let sector = (slot * self.slot_sectors + shift).min(last) as u32;
        Visit { sector, sectors, volume: volume as u16 }
    }
}

impl Volume {
    fn new(share: &VolumeShare, slot: u64, rng: &mut Rng) -> Self {
        let bytes = u64::from(share.mib) << 20;
        let slots = bytes / slot;
        Volume {
            sectors: bytes / SECTOR,
            slots,
            order: Permutation::new(slots, rng),
            opened: 0,
            tail: 0,
            writes: share.writes,
        }
    }
}

impl RequestSource for Stream {
    fn fill(&mut self, batch: &mut Vec<Request>) -> Result<(), Error> {
        let count = (self.total - self.done).min(BATCH as u64);
        self.done += count;
        batch.extend((0..count).map(|_| self.next()));
        Ok(())
    }

    fn progress(&self) -> Option<f64> {
        Some(self.done as f64 / self.total as f64)
    }
}

/// Reads and writes in exact numbers.
struct Ops {
    reads_left: u64,
    writes_left: u64,
    /// Reads per write over the full length.
    reads_per_write: f64,
    rng: Rng,
}

impl Ops {
    fn new(reads: u64, writes: u64, seed: u64) -> Self {
        Ops {
            reads_left: reads,
            writes_left: writes,
            reads_per_write: reads as f64 / writes as f64,
            rng: Rng::new(seed, "ops"),
        }
    }

    /// The operation on a volume with this share of writes.
    #[inline]
    fn draw(&mut self, writes: f64) -> Op {
        // odds = share / (1 - share), times (left : left) / (all : all); written without division
        // by what may be 0.
        let for_write = writes * self.writes_left as f64 * self.reads_per_write;
        let for_read = (1.0 - writes) * self.reads_left as f64;
        let write = match (self.reads_left, self.writes_left) {
            (0, _) => true,
            (_, 0) => false,
            _ => self.rng.unit() * (for_write + for_read) < for_write,
        };
        if write {
            self.writes_left -= 1;
            Op::Write
        } else {
            self.reads_left -= 1;
            Op::Read
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::PROFILES;

    #[test]
    fn the_data_of_every_profile_can_be_run() {
        for profile in PROFILES {
            let longest = profile.sizes.iter().map(|s| u64::from(s.0)).max().unwrap() * SECTOR;
            assert!(profile.sizes.iter().all(|s| s.0 > 0 && s.1 > 0.0), "{}", profile.name);
            for volume in profile.volumes {
                let bytes = u64::from(volume.mib) << 20;
                assert!(bytes >= longest && bytes >= profile.slot, "{volume:?}");
                assert!((0.0..=1.0).contains(&volume.writes), "{volume:?}");
            }
            assert_eq!(profile.ages[0], (1.0, 1.0));
            let descends = |a: &(f64, f64), b: &(f64, f64)| a.0 < b.0 && a.1 > b.1 && b.1 > 0.0;
            assert!(profile.ages.is_sorted_by(descends), "{}", profile.name);
        }
    }

    #[test]
    fn operations_come_out_exactly_whatever_the_volumes_ask() {
        for (reads, writes) in [(300, 700), (1, 999), (1000, 0), (0, 1000)] {
            for share in [0.0, 0.04, 0.7, 1.0] {
                let mut ops = Ops::new(reads, writes, 9);
                let found = (0..reads + writes).filter(|_| ops.draw(share) == Op::Read).count();
                assert_eq!(found as u64, reads);
            }
        }
    }
}
