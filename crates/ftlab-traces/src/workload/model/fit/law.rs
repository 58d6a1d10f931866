//! The law of one part: how the stream would generate each of its requests.

use super::places::{PlaceFit, RegionFit};
use super::refine::Totals;
use super::runs::RunFit;
use super::sizes::{Counts, SizeFit};
use super::volumes::VolumeFits;
use crate::error::Error;
use crate::request::{Op, Request};
use crate::units::Bytes;
use crate::workload::model::file::{Part, Reuse, Space};
use crate::workload::model::space::{PAGE_SECTORS, REGION_BYTES, SECTOR};

/// Sectors of the largest unit that is looked for: 16 KiB.
const LARGEST_UNIT: usize = 32;
/// A unit counts if its halves differ by this share of all places, beyond chance.
const UNEVEN: f64 = 0.1;
/// The fewest places that can show a unit: with fewer, a handful at one sector would.
const ENOUGH: u64 = 256;

pub(super) struct LawFit {
    counts: [u64; 2],
    sizes: SizeFit,
    runs: RunFit,
    places: PlaceFit,
    regions: RegionFit,
    volumes: VolumeFits,
    new: NewFit,
}

/// Requests to new places.
#[derive(Default)]
struct NewFit {
    sizes: Counts,
    writes: u64,
    /// Of them, those on pages none of which was ever used.
    fresh: u64,
    /// By the first sector modulo `LARGEST_UNIT`.
    sectors: [u64; LARGEST_UNIT],
    bytes: u64,
    count: u64,
}

impl LawFit {
    /// One of `parts` parts, which share the memory.
    pub(super) fn new(parts: usize) -> Self {
        LawFit {
            counts: [0; 2],
            sizes: SizeFit::default(),
            runs: RunFit::default(),
            places: PlaceFit::new(parts),
            regions: RegionFit::new(),
            volumes: VolumeFits::new(),
            new: NewFit::default(),
        }
    }

    pub(super) fn requests(&self) -> u64 {
        self.counts[0] + self.counts[1]
    }

    /// The totals over all requests that the corrected law must have.
    pub(super) fn totals(&self) -> Totals {
        Totals { counts: self.counts, bytes: self.sizes.means() }
    }

    pub(super) fn add(&mut self, request: &Request) -> Result<(), Error> {
        self.counts[usize::from(request.op == Op::Write)] += 1;
        let volume = self.volumes.of(request)?;
        let number = volume.index;
        self.sizes.add(request);
        let on = volume.go_on(request);
        self.runs.add(request, on.as_ref(), !self.places.knows_front(number, request));
        if let Some((_, tail)) = &on {
            volume.runs += 1;
            self.places.go_on(number, tail.end, tail.place);
        } else if !self.places.go_back(number, request, &mut self.sizes) {
            let region = self.regions.go_anew(number, request);
            volume.new_regions += u64::from(region);
            self.new.add(request, self.places.is_new(number, request));
        }
        self.regions.touch(number, request);
        let place = self.places.remember(number, request);
        volume.end(request, on.is_some(), place);
        Ok(())
    }

    /// The part with this name and share of all requests; whether volumes keep their numbers.
    pub(super) fn finish(self, name: String, share: f64, numbered: bool) -> Part {
        let requests = self.requests();
        let (regions, next_region, adjacent) = self.regions.finish();
        let new = &self.new;
        let [read, write] = self.sizes.others();
        let slot = (new.bytes / new.count.max(1)).next_power_of_two();
        let sectors = new.aligned();
        let unit = sectors.len() as u64 * SECTOR;
        let space = Space {
            writes: Some(super::share(new.writes, new.count)),
            regions,
            next_region,
            adjacent,
            fresh: super::share(new.fresh, new.count),
            slot: Bytes(slot.clamp(unit, REGION_BYTES / 4)),
            sectors: sectors.iter().map(|count| super::share(*count, new.count)).collect(),
            volumes: self.volumes.finish(numbered),
        };
        Part {
            name,
            share,
            episode: None,
            density: None,
            sizes: self.sizes.finish(&new.sizes),
            runs: self.runs.finish(requests),
            reuse: Reuse { places: self.sizes.places(), read, write, ..self.places.finish() },
            space,
        }
    }
}

impl NewFit {
    /// A request to a new place; `fresh`: on pages none of which was ever used.
    fn add(&mut self, request: &Request, fresh: bool) {
        self.count += 1;
        self.writes += u64::from(request.op == Op::Write);
        self.fresh += u64::from(fresh);
        self.sizes.add(request);
        self.sectors[(request.offset / SECTOR) as usize % LARGEST_UNIT] += 1;
        self.bytes += u64::from(request.length);
    }

    /// Places by their first sector within the unit that they are aligned to, a page or more.
    fn aligned(&self) -> Vec<u64> {
        let mut unit = self.sectors.to_vec();
        while unit.len() > PAGE_SECTORS as usize && !self.tell(&unit) {
            let (front, back) = unit.split_at(unit.len() / 2);
            unit = front.iter().zip(back).map(|(a, b)| a + b).collect();
        }
        unit
    }

    /// Whether places in this unit are more than those of its half, twice.
    fn tell(&self, unit: &[u64]) -> bool {
        let (front, back) = unit.split_at(unit.len() / 2);
        // Two standard deviations of a difference between equal halves are chance.
        let beyond =
            |(a, b): (&u64, &u64)| (a.abs_diff(*b) as f64 - 2.0 * ((a + b) as f64).sqrt()).max(0.0);
        let uneven: f64 = front.iter().zip(back).map(beyond).sum();
        self.count >= ENOUGH && uneven > UNEVEN * self.count as f64
    }
}
