//! Where new places lie: volumes, their regions, and how regions fill.
//!
//! A new place lies in a used region, by the law of distances between regions, or in a new region
//! of a volume. Within a region it directly follows the last request there, or takes the next slot
//! in scattered order. In a slot it begins on any page, or any larger unit to which places are
//! aligned. A full region begins again. A place that must be fresh moves to the next pages that
//! were never used.

use super::distances::Distances;
use super::file;
use super::fresh::Touched;
use super::recency::Recency;
use crate::math::exp;
use crate::rng::Rng;
use crate::workload::alias::Alias;
use crate::workload::scatter::Permutation;

/// The bytes that a translation page of 1,024 entries maps with pages of 4 KiB.
pub(super) const REGION_BYTES: u64 = 4 << 20;
/// Bytes of a sector, the unit of addresses and sizes.
pub(super) const SECTOR: u64 = 512;
/// Sectors of a page.
pub(super) const PAGE_SECTORS: u64 = 8;
const REGION_SECTORS: u64 = REGION_BYTES / SECTOR;
/// Pages after the last request of a region that count as just after it.
pub(super) const ADJACENT_PAGES: u64 = 16;
const LN_ADJACENT_PAGES: f64 = 4.0 * std::f64::consts::LN_2;
/// Uses of regions that are remembered.
pub(super) const REMEMBERED: u64 = 1 << 20;
/// A prime above the slots of any region: its multiples modulo their number are a permutation.
const STRIDE: u64 = 2_654_435_761;
/// 2^32 over the golden ratio: its multiples modulo 2^32 are spread evenly.
const SPREAD: u32 = 0x9e37_79b9;

/// Where a request lies: sectors within a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) volume: u32,
    pub(super) start: u64,
    pub(super) sectors: u32,
}

impl Extent {
    /// One past the last sector.
    pub(super) fn end(&self) -> u64 {
        self.start + u64::from(self.sectors)
    }
}

/// A volume at work.
#[derive(Clone, Debug)]
struct Ground {
    sectors: u64,
    /// The first of its regions among those of all volumes.
    base: u32,
    regions: u32,
    /// Regions in which new places may lie.
    open: u32,
    order: Permutation,
    opened: u64,
    newest: u32,
}

/// All volumes.
#[derive(Clone, Debug)]
pub(super) struct Space {
    grounds: Vec<Ground>,
    weights: Alias,
    law: Distances,
    next_region: f64,
    adjacent: f64,
    slot: u64,
    /// Sectors of the unit that new places are aligned to.
    unit: u64,
    /// Which sector of its unit a new place begins at.
    sectors: Alias,
    recency: Recency,
    /// The region used at each place of the ring.
    used: Vec<u32>,
    /// Of each region: the place of its last use, plus one.
    last: Vec<u32>,
    /// Of each region: slots given away.
    filled: Vec<u32>,
    /// Of each region: sectors from its start to the end of its last request.
    ends: Vec<u32>,
    latest: u32,
    /// Share of new places that are fresh, and the pages that are not.
    fresh: f64,
    touched: Option<Touched>,
}

/// The page that begins in an extent, or its only page: an earlier request may share the first.
pub(super) fn front(start: u64, length: u64, page: u64) -> u64 {
    start.div_ceil(page).min((start + length - 1) / page)
}

/// The rows of a table as points.
pub(super) fn points(rows: &[Vec<f64>]) -> Vec<(f64, f64)> {
    rows.iter().map(|row| (row[0], row[1])).collect()
}

/// Each volume, repeated by its count.
pub(super) fn each(space: &file::Space) -> impl Iterator<Item = &file::Volume> {
    let times = |volume: &file::Volume| volume.count() as usize;
    space.volumes.iter().flat_map(move |volume| std::iter::repeat_n(volume, times(volume)))
}

impl Space {
    /// `fresh`: whether runs need pages that were never used.
    pub(super) fn new(space: &file::Space, fresh: bool, seed: u64) -> Self {
        let mut rng = Rng::new(seed, "scatter");
        let mut grounds = Vec::new();
        let mut base = 0;
        for volume in each(space) {
            let sectors = volume.size.0 / SECTOR;
            // Checked to be few.
            let regions = sectors.div_ceil(REGION_SECTORS) as u32;
            let order = Permutation::new(u64::from(regions), &mut rng);
            let open = (f64::from(regions) * (1.0 - volume.untouched)).ceil().max(1.0) as u32;
            grounds.push(Ground { sectors, base, regions, open, order, opened: 0, newest: 0 });
            base += regions;
        }
        let weights: Vec<f64> = each(space).map(|volume| volume.weight).collect();
        let even = [1.0; PAGE_SECTORS as usize];
        let sectors = if space.sectors.is_empty() { &even[..] } else { &space.sectors[..] };
        let recency = Recency::new(REMEMBERED.min(64 * u64::from(base)));
        let all = base as usize;
        Space {
            grounds,
            weights: Alias::new(&weights),
            law: Distances::new(&points(&space.regions)),
            next_region: space.next_region,
            adjacent: space.adjacent,
            slot: space.slot.0 / SECTOR,
            unit: sectors.len() as u64,
            sectors: Alias::new(sectors),
            used: vec![0; recency.places()],
            recency,
            last: vec![0; all],
            filled: vec![0; all],
            ends: vec![0; all],
            latest: u32::MAX,
            fresh: space.fresh,
            touched: (fresh || space.fresh > 0.0).then(Touched::default),
        }
    }

    /// The sectors of a volume.
    pub(super) fn size(&self, volume: u32) -> u64 {
        self.grounds[volume as usize].sectors
    }

    /// A new place: its volume and its first sector.
    pub(super) fn new_place(&mut self, rng: &mut Rng) -> (u32, u64) {
        let near = self.law.draw(rng).and_then(|(distance, _)| self.recency.at(distance));
        let near = near.map(|place| self.used[place]);
        let (volume, region) = match near {
            Some(region) => (self.owner(region), region),
            None => self.new_region(rng),
        };
        let ground = &self.grounds[volume as usize];
        let begin = u64::from(region - ground.base) * REGION_SECTORS;
        let room = (ground.sectors - begin).min(REGION_SECTORS);
        let shift = self.sectors.draw(rng) as u64;
        if near.is_some() && rng.chance(self.adjacent) {
            // Near distances are likelier, like gaps in files and tables.
            let pages = exp(rng.unit() * LN_ADJACENT_PAGES) as u64;
            let end = u64::from(self.ends[region as usize]);
            let next = (end.saturating_sub(1) / PAGE_SECTORS + pages) * PAGE_SECTORS;
            let sector = next - next % self.unit + shift;
            let sector = if sector < end { sector + self.unit } else { sector };
            if sector < room {
                return (volume, begin + sector);
            }
        }
        let slots = (room / self.slot).max(1);
        let filled = &mut self.filled[region as usize];
        // Regions begin anywhere in the order; otherwise, volumes of similar size would fill alike.
        let begin_at = (u64::from(region.wrapping_mul(SPREAD)) * slots) >> 32;
        let slot = (u64::from(*filled) + begin_at) * STRIDE % slots;
        *filled = filled.wrapping_add(1);
        // Any unit of the slot. With the first one, some resources that are selected by page number
        // modulo a power of two (planes, channels) would be twice as busy.
        let units = self.slot / self.unit;
        let unit = if units > 1 { rng.below(units) } else { 0 };
        (volume, begin + (slot * self.slot + unit * self.unit + shift).min(room - 1))
    }

    /// Where a new place of `sectors` sectors that would begin at `start` lies: there, or on the
    /// next pages of its volume that were never used.
    pub(super) fn settle(&self, volume: u32, start: u64, sectors: u32, rng: &mut Rng) -> u64 {
        let Some(touched) = self.touched.as_ref().filter(|_| rng.chance(self.fresh)) else {
            return start;
        };
        let shift = start % PAGE_SECTORS;
        let pages = (shift + u64::from(sectors)).div_ceil(PAGE_SECTORS);
        let room = self.size(volume) / PAGE_SECTORS;
        let step = self.unit / PAGE_SECTORS;
        let found = touched.next_gap(volume, start / PAGE_SECTORS, pages, step, room);
        found.map_or(start, |page| page * PAGE_SECTORS + shift)
    }

    /// Whether the first whole page of these sectors, or the only one, was never used.
    pub(super) fn is_fresh(&self, volume: u32, start: u64, sectors: u32) -> bool {
        let page = front(start, u64::from(sectors), PAGE_SECTORS);
        self.touched.as_ref().is_none_or(|touched| !touched.holds(volume, page))
    }

    fn new_region(&mut self, rng: &mut Rng) -> (u32, u32) {
        let volume = self.weights.draw(rng);
        let next = rng.chance(self.next_region);
        let ground = &mut self.grounds[volume];
        let behind = ground.newest + 1;
        let untouched = behind < ground.regions && self.last[(ground.base + behind) as usize] == 0;
        let region = if next && untouched {
            behind
        } else {
            let turn = ground.opened % u64::from(ground.open);
            ground.opened += 1;
            ground.order.apply(turn) as u32
        };
        ground.newest = region;
        (volume as u32, ground.base + region)
    }

    fn owner(&self, region: u32) -> u32 {
        (self.grounds.partition_point(|ground| ground.base <= region) - 1) as u32
    }

    /// Marks the region in which `extent` begins as used.
    #[inline]
    pub(super) fn touch(&mut self, extent: &Extent) {
        if let Some(touched) = &mut self.touched {
            let pages = extent.start / PAGE_SECTORS..extent.end().div_ceil(PAGE_SECTORS);
            touched.touch(extent.volume, pages);
        }
        let within = (extent.start / REGION_SECTORS) as u32;
        let region = self.grounds[extent.volume as usize].base + within;
        let end = extent.end() - u64::from(within) * REGION_SECTORS;
        self.ends[region as usize] = end.min(REGION_SECTORS) as u32;
        if region == self.latest {
            return;
        }
        self.latest = region;
        let last = &mut self.last[region as usize];
        let place = (*last as usize).wrapping_sub(1);
        if *last > 0 && self.used[place] == region {
            self.recency.remove(place);
        }
        let place = self.recency.push(false);
        self.used[place] = region;
        *last = place as u32 + 1;
    }
}
