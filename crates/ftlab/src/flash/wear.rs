//! Wear: the block of the medium below each block of an FTL, and the levelling and replacement of
//! worn blocks.
//!
//! An FTL numbers its blocks. A table of the controller maps each to a block of the medium, as UBI
//! does below a file system. All moves against uneven wear happen below the FTL, page by page to
//! the same offsets. Every FTL is levelled alike, including one that rewrites blocks in place
//! (choices.md#wear-below).
//!
//! ```text
//! erase of a block    its wear exceeds the least in its part by more than half of the gap, and what was
//!                     in it was soon obsolete, or by more than five eighths: the block with the least
//!                     wear whose data have lain longest moves to it, and is erased
//! again               until no wear in the part exceeds the least by more than the gap
//! worn out            a spare block takes its place; without one the device takes no more writes
//! ```
//!
//! **The gap is kept.** Suppose that the most and the least wear of a part differ by at most the
//! gap. An erase adds at most 1 to the most. Each following move erases a block with the least
//! wear, and the number of such blocks is finite. After at most as many moves the least rises by 1.
//! The most does not change, so the difference is at most the gap again. The FTL gets its block
//! after the last move.
//!
//! Blocks of a medium differ only in their wear. The simulator therefore needs no table: to
//! exchange two blocks, it exchanges their wear.

use super::ledger::{BlockKind, Operation};
use super::medium::Block;
use super::{Device, Flash, Geometry, Owner};
use crate::device::DeviceConfig;
use crate::error::Error;
use crate::purpose::Cause;
use crate::rng::Rng;
use crate::units::{Pbn, Ppn};
use std::collections::BTreeMap;

crate::settings! {
    /// Wear levelling, of every FTL.
    pub struct WearConfig in "wear" {
        /// How uneven wear is prevented.
        policy: WearPolicy = WearPolicy::Dynamic, source "FlashSim; choices.md#free-block";
        /// With `static`, the largest difference between the erases of two blocks of a part. Below
        /// 4 the moves never end: blocks that were just moved are worn enough to be moved again.
        gap: u32 = 16, in WearConfig::LEAST_GAP.., unit "erases", source "choices.md#wear-below";
        /// With `static`, the blocks that are levelled together.
        part: WearPart = WearPart::Plane, source "CACH-FTL 4.2.3: local or global";
    }
}

impl WearConfig {
    /// The smallest gap. Below it the moves for each erase grow with the number of blocks.
    pub(crate) const LEAST_GAP: u32 = 4;
}

crate::choices! {
    /// How uneven wear is prevented.
    pub enum WearPolicy {
        /// Nothing: the free block with the lowest number is taken.
        None = "none",
        /// The free block with the fewest erases is taken.
        Dynamic = "dynamic",
        /// The same, and data that have lain long move to worn blocks.
        Static = "static",
    }
}

crate::choices! {
    /// Blocks that are levelled together.
    pub enum WearPart {
        /// Those of a plane.
        Plane = "plane",
        /// Those of a plane in a region of the FTL: a zone, a block- or a page-mapped region.
        Region = "region",
    }
}

/// The wear of a device whose blocks wear out, or whose policy is not `dynamic`.
#[derive(Clone, Debug)]
pub(super) struct Wear {
    policy: WearPolicy,
    gap: u32,
    parts: Vec<Part>,
    /// The part of each block.
    part_of: Vec<u32>,
    /// For each block of the FTL, its last erase, in erases of its part.
    since: Vec<u64>,
    endurance: Option<Endurance>,
}

/// Blocks that are levelled together.
#[derive(Clone, Debug, Default)]
struct Part {
    blocks: Vec<Pbn>,
    /// The least wear in the part, and the number of blocks that have it.
    least: u32,
    at_least: u32,
    most: u32,
    /// Erases, except those of moved blocks.
    erases: u64,
    plane: u32,
}

impl Part {
    /// Finds the least and the most wear of its blocks.
    fn survey(&mut self, blocks: &[Block]) {
        let wear = || self.blocks.iter().map(|pbn| blocks[pbn.index()].erases);
        self.least = wear().min().unwrap_or(0);
        self.most = wear().max().unwrap_or(0);
        self.at_least = wear().filter(|wear| *wear == self.least).count() as u32;
    }

    /// Notes that a block was erased and now has this wear.
    fn erased(&mut self, wear: u32, blocks: &[Block]) {
        self.most = self.most.max(wear);
        if wear == self.least + 1 {
            self.at_least -= 1;
            if self.at_least == 0 {
                self.survey(blocks);
            }
        }
    }

    /// The block with the least wear whose data have lain longest. Erased blocks are taken only if
    /// there is no other.
    fn coldest(&self, blocks: &[Block], since: &[u64], but: Pbn) -> Option<Pbn> {
        let least =
            self.blocks.iter().copied().filter(|pbn| blocks[pbn.index()].erases == self.least);
        least
            .filter(|pbn| *pbn != but)
            .min_by_key(|pbn| (blocks[pbn.index()].written == 0, since[pbn.index()]))
    }
}

/// How many erases blocks last.
#[derive(Clone, Debug)]
struct Endurance {
    /// For each block, the wear at which it is worn out.
    limits: Vec<u32>,
    /// For each block, the initial wear that it was given when it replaced another.
    credits: Vec<u32>,
    /// The endurance of the spare blocks of each plane.
    spares: Vec<Vec<u32>>,
    /// Blocks that have worn out, and the erases that they had.
    worn_out: Vec<u32>,
    /// Erases of worn blocks that spare blocks have replaced. They are no longer below a block of
    /// the FTL.
    replaced: u64,
    read_only: bool,
}

impl Endurance {
    /// The blocks of a device. Some are bad from the factory, and spare blocks replace them.
    fn new(device: &DeviceConfig, geometry: &Geometry, seed: u64) -> Option<Self> {
        let cycles = device.endurance?;
        let mut rng = Rng::new(seed, "endurance");
        let mut endurance = || drawn(cycles, device.endurance_spread.0, &mut rng);
        let (spare, bad) = device.spare_blocks(geometry.blocks_per_plane);
        Some(Endurance {
            limits: (0..geometry.blocks()).map(|_| endurance()).collect(),
            credits: vec![0; geometry.blocks() as usize],
            spares: (0..geometry.planes())
                .map(|_| (bad..spare).map(|_| endurance()).collect())
                .collect(),
            worn_out: Vec::new(),
            replaced: 0,
            read_only: false,
        })
    }

    /// New blocks below blocks of the FTL that have had `erases` erases.
    fn below(mut self, erases: impl Iterator<Item = u32>) -> Self {
        self.credits = erases.collect();
        for (limit, credit) in self.limits.iter_mut().zip(&self.credits) {
            *limit = limit.saturating_add(*credit);
        }
        self
    }

    /// Notes that the contents of two blocks have changed places.
    fn swap(&mut self, a: Pbn, b: Pbn) {
        self.limits.swap(a.index(), b.index());
        self.credits.swap(a.index(), b.index());
    }
}

/// The number of erases that a block endures: normally distributed, at least one.
fn drawn(cycles: u32, spread: f64, rng: &mut Rng) -> u32 {
    // Irwin-Hall: the sum of twelve uniform numbers has a variance of one.
    let normal = (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
    (f64::from(cycles) * (1.0 + spread * normal)).round().max(1.0) as u32
}

impl Wear {
    fn new(
        config: &WearConfig,
        device: &DeviceConfig,
        seed: u64,
        part: impl Fn(Pbn) -> (u32, u32, u32),
        flash: &Flash,
    ) -> Option<Box<Self>> {
        let geometry = flash.geometry();
        let endurance = Endurance::new(device, geometry, seed);
        if config.policy == WearPolicy::Dynamic && endurance.is_none() {
            return None;
        }
        let mut numbers = BTreeMap::new();
        let mut parts: Vec<Part> = Vec::new();
        let part_of = (0..geometry.blocks()).map(Pbn).map(|pbn| {
            let next = numbers.len() as u32;
            let number = *numbers.entry(part(pbn)).or_insert(next);
            if number == next {
                parts.push(Part { plane: geometry.plane_of(pbn), ..Part::default() });
            }
            parts[number as usize].blocks.push(pbn);
            number
        });
        let part_of = part_of.collect();
        parts.iter_mut().for_each(|part| part.survey(&flash.medium.blocks));
        Some(Box::new(Wear {
            policy: config.policy,
            gap: config.gap,
            parts,
            part_of,
            since: vec![0; geometry.blocks() as usize],
            endurance,
        }))
    }

    fn part(&mut self, pbn: Pbn) -> &mut Part {
        &mut self.parts[self.part_of[pbn.index()] as usize]
    }

    /// Notes the erase of a block of the FTL, and replaces the block below it if that is worn out.
    fn erased(&mut self, pbn: Pbn, blocks: &mut [Block]) {
        let wear = blocks[pbn.index()].erases;
        self.part(pbn).erased(wear, blocks);
        let part = &mut self.parts[self.part_of[pbn.index()] as usize];
        let Some(endurance) = &mut self.endurance else { return };
        let limit = unless_bug!(WearLastsLonger, endurance.limits[pbn.index()], u32::MAX);
        if wear < limit {
            return;
        }
        let erases = wear - endurance.credits[pbn.index()];
        endurance.worn_out.push(erases);
        match endurance.spares[part.plane as usize].pop() {
            // It joins with the least wear of the part. Otherwise all data would move to it.
            Some(spare) => {
                unless_bug!(WearReplacedForgotten, endurance.replaced += u64::from(erases));
                blocks[pbn.index()].erases = part.least;
                endurance.credits[pbn.index()] = part.least;
                endurance.limits[pbn.index()] = part.least + spare;
                part.survey(blocks);
            }
            // It still serves the request under way.
            None => {
                endurance.limits[pbn.index()] = u32::MAX;
                endurance.read_only = unless_bug!(WearWritesOn, true, false);
            }
        }
    }

    /// How long the former content of an erased block has lasted, in erases of its part.
    fn lasted(&mut self, pbn: Pbn) -> u64 {
        let part = self.part(pbn);
        part.erases += 1;
        let now = part.erases;
        now - std::mem::replace(&mut self.since[pbn.index()], now)
    }

    /// The block to move to an erased block whose content had `lasted`; `None` in `lasted` is for
    /// further moves.
    fn to_move(&self, pbn: Pbn, lasted: Option<u64>, blocks: &[Block]) -> Option<Pbn> {
        let (policy, gap) = (self.policy, self.gap);
        let part = &self.parts[self.part_of[pbn.index()] as usize];
        let excess = blocks[pbn.index()].erases - part.least;
        // On average content lasts as many erases as there are blocks.
        let most = |lasted: u64| match lasted < part.blocks.len() as u64 / 2 {
            true => gap / 2,
            false => gap / 2 + gap / 8,
        };
        let is_worn = lasted.is_some_and(|lasted| excess > most(lasted));
        let is_uneven = unless_bug!(WearMovesOnce, part.most - part.least > gap, false);
        let is_due = unless_bug!(WearNeverMoves, is_worn || is_uneven, false);
        if policy != WearPolicy::Static || !is_due {
            return None;
        }
        part.coldest(blocks, &self.since, pbn)
    }
}

impl Flash {
    /// Declares that a region of the FTL begins at a block. Blocks on its two sides are never
    /// exchanged. An FTL calls this when it is built.
    pub fn begin_region(&mut self, pbn: Pbn) {
        self.regions.push(pbn.0);
    }

    /// The rank of a free block: FTLs take the lowest first. It is the number of erases, or 0 for
    /// all blocks if the policy is `none`.
    #[must_use]
    pub fn wear_rank(&self, pbn: Pbn) -> u32 {
        match &self.wear {
            Some(wear) if wear.policy == WearPolicy::None => 0,
            _ => self.erases_of(pbn),
        }
    }

    /// Levels wear after the erase of a block.
    #[cold]
    #[inline(never)]
    pub(super) fn level_wear(&mut self, pbn: Pbn) {
        let Some(mut wear) = self.wear.take() else { return };
        let lasted = wear.lasted(pbn);
        wear.erased(pbn, &mut self.medium.blocks);
        let mut lasted = Some(lasted);
        while let Some(cold) = wear.to_move(pbn, lasted.take(), &self.medium.blocks) {
            self.exchange(cold, pbn);
            if let Some(endurance) = &mut wear.endurance {
                endurance.swap(cold, pbn);
            }
            wear.erased(pbn, &mut self.medium.blocks);
        }
        self.wear = Some(wear);
    }

    /// Moves the content of a block to an erased one and erases the block: they change places below
    /// the FTL.
    fn exchange(&mut self, full: Pbn, erased: Pbn) {
        let first = self.medium.geometry.first_page(full);
        let pages = (first.0..first.0 + self.medium.geometry.pages_per_block).map(Ppn);
        let mut kind = BlockKind::Data;
        for ppn in pages {
            let Some(owner) = self.medium.owner(ppn) else { continue };
            if let Owner::Translation(_) = owner {
                kind = BlockKind::Translation;
            }
            self.book_read(ppn, full, owner, Cause::Wear);
            unless_bug!(WearMovesForNothing, self.book_program(ppn, full, owner, Cause::Wear));
        }
        let unused = self.medium.geometry.pages_per_block
            - u32::from(self.medium.blocks[full.index()].written);
        self.book_erase(erased, kind, Cause::Wear, unused);
        let worn = self.medium.blocks[erased.index()].erases;
        let least = std::mem::replace(&mut self.medium.blocks[full.index()].erases, worn);
        self.medium.blocks[erased.index()].erases = least + 1;
    }

    /// Books an erase.
    #[inline(always)]
    pub(super) fn book_erase(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause, unused: u32) {
        self.meter.history.push(Operation::Erase, cause, pbn.0);
        self.meter.ledger.count_erase(kind, cause, unused);
        self.meter.serve(cause, self.medium.geometry.plane_of(pbn), 1);
        let first = self.medium.geometry.first_page(pbn);
        self.meter.timeline.erase(|| self.medium.spot(pbn, first, cause, None));
    }

    fn endurance(&self) -> Option<&Endurance> {
        self.wear.as_ref()?.endurance.as_ref()
    }
}

impl Device {
    /// Sets wear levelling and wear-out as configured, after the FTL is built.
    pub(crate) fn wear_as(&mut self, config: &WearConfig, device: &DeviceConfig, seed: u64) {
        let by_region = config.part == WearPart::Region;
        let part = |pbn: Pbn| {
            let region =
                self.flash.regions.iter().filter(|first| by_region && **first <= pbn.0).count();
            (self.geometry().plane_of(pbn), region as u32, self.pages_of(pbn))
        };
        self.flash.wear = Wear::new(config, device, seed, part, self);
    }

    /// Whether a worn block had no spare to replace it: the writes of the host must then be
    /// rejected.
    #[inline]
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.endurance().is_some_and(|it| it.read_only)
    }

    /// Bytes of the table from blocks of the FTL to those of the medium, where it is needed.
    #[must_use]
    pub fn wear_bytes(&self) -> u64 {
        let is_needed = |wear: &Wear| wear.policy == WearPolicy::Static || wear.endurance.is_some();
        match &self.flash.wear {
            Some(wear) if is_needed(wear) => 4 * u64::from(self.geometry().blocks()),
            _ => 0,
        }
    }

    /// Puts a new block in the place of each one, in a device whose wear matters from now on.
    pub(crate) fn renew(&mut self, device: &DeviceConfig, seed: u64) {
        let new = Endurance::new(device, self.geometry(), seed);
        let new = new.map(|it| it.below(self.flash.medium.blocks.iter().map(|block| block.erases)));
        if let Some(wear) = &mut self.flash.wear {
            wear.endurance = new;
        }
    }

    /// The erases of each worn block, in the order of wear-out.
    #[inline]
    #[must_use]
    pub fn worn_out(&self) -> &[u32] {
        self.endurance().map_or(&[], |it| &it.worn_out)
    }

    /// Spare blocks left in each plane.
    #[must_use]
    pub fn spares_by_plane(&self) -> Vec<u32> {
        let count = |it: &Endurance| it.spares.iter().map(|spares| spares.len() as u32).collect();
        self.endurance().map_or_else(Vec::new, count)
    }

    /// Spare blocks left.
    #[must_use]
    pub fn spare_blocks(&self) -> u32 {
        self.spares_by_plane().iter().sum()
    }

    /// Erases of the block of the medium below a block of the FTL. A spare block that replaced
    /// another has its own count.
    #[must_use]
    pub fn wear_of(&self, pbn: Pbn) -> u32 {
        self.erases_of(pbn) - self.endurance().map_or(0, |it| it.credits[pbn.index()])
    }

    /// Erases of all blocks of the medium, including those that spare blocks have replaced.
    #[must_use]
    pub fn wear(&self) -> u64 {
        let blocks = (0..self.geometry().blocks()).map(Pbn);
        let in_place: u64 = blocks.map(|pbn| u64::from(self.wear_of(pbn))).sum();
        let replaced = self.endurance().map_or(0, |it| it.replaced);
        let twice: u64 =
            unless_bug!(WearWornTwice, 0, self.worn_out().iter().copied().map(u64::from).sum());
        in_place + replaced + twice
    }

    /// The blocks of each part, and whether their wear is levelled.
    pub fn wear_parts(&self) -> impl Iterator<Item = (&[Pbn], bool)> {
        self.flash.wear.iter().flat_map(|wear| {
            let is_levelled = wear.policy == WearPolicy::Static;
            wear.parts.iter().map(move |part| (&part.blocks[..], is_levelled))
        })
    }
}

impl DeviceConfig {
    /// The spare blocks of a plane with `blocks` blocks of the FTL, and how many of all are bad
    /// from the factory.
    #[must_use]
    pub fn spare_blocks(&self, blocks: u32) -> (u32, u32) {
        let share = |share: f64| (f64::from(blocks) * share).round() as u32;
        (share(self.spare_blocks.0), share(self.bad_blocks.0))
    }

    /// Whether spare blocks can replace all blocks that are bad from the factory.
    pub(crate) fn check_bad_blocks(&self) -> Result<(), Error> {
        if self.bad_blocks.0 <= self.spare_blocks.0 {
            return Ok(());
        }
        let message = format!(
            "found {}, expected at most device.spare_blocks = {}",
            self.bad_blocks, self.spare_blocks
        );
        Err(Error::config("device.bad_blocks", message))
    }
}
