//! A zoned drive over the flash, and its host's view of it.

use super::config::ZonesConfig;
use super::layout::Layout;
use super::namespace::{Namespace, ZoneCounts, ZoneState};
use super::status::Status;
use crate::device::geometry::Geometry;
use crate::error::Error;
use crate::flash::{BlockKind, Cause, Device, Flash, Future, Loaded, Media, Owner};
use crate::units::{Pbn, Ppn};
use std::collections::BTreeMap;

/// What a zoned drive and its host have counted since measuring started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZonesMetrics {
    /// What the commands have done.
    pub counts: ZoneCounts,
    /// Commands that were refused, by status.
    pub refused: BTreeMap<&'static str, u64>,
    /// Erase blocks of a zone.
    pub width: u32,
    /// Zones.
    pub zones: u32,
    /// Pages of a zone that can be written.
    pub capacity: u64,
    /// Pages of a zone that the host writes.
    pub used: u32,
    /// Most zones that were open, and active, at a time.
    pub most: [u32; 2],
}

/// A zoned drive, with what its host knows of it: which pages are valid. The drive collects nothing.
#[derive(Clone, Debug)]
pub struct ZonedDrive {
    namespace: Namespace,
    layout: Layout,
    /// By zone, in whole words: which pages the host needs.
    valid: Vec<u64>,
    /// How many these are.
    valid_in: Vec<u32>,
    refused: BTreeMap<&'static str, u64>,
    most: [u32; 2],
}

impl ZonedDrive {
    /// All zones empty, in this order of planes.
    ///
    /// # Errors
    /// [`Error::Config`] when the device cannot be divided into such zones.
    pub fn new(config: &ZonesConfig, planes: Vec<u32>, geometry: &Geometry) -> Result<Self, Error> {
        let format = config.format(geometry)?;
        let used = config.used_pages(&format)?;
        let words = used.div_ceil(u64::BITS) as usize;
        Ok(ZonedDrive {
            namespace: Namespace::new(format, config.limits()),
            layout: Layout::new(geometry, planes, config.width, used, &format),
            valid: vec![0; words * format.zones as usize],
            valid_in: vec![0; format.zones as usize],
            refused: BTreeMap::new(),
            most: [0; 2],
        })
    }

    /// The drive over its flash.
    pub const fn on<'a>(&'a mut self, flash: &'a mut Flash) -> OnZones<'a> {
        OnZones { drive: self, flash }
    }

    /// The page of the flash below a page of the host.
    #[must_use]
    pub fn below(&self, page: Ppn) -> Ppn {
        self.layout.below(page)
    }

    /// Finds the state of all zones after power was lost, once all pages were surveyed. A real drive keeps that state; here
    /// it follows from the flash. A zone whose reset was cut, or done in a part of its blocks, as a killed process leaves it,
    /// is full where pages are left, and empty otherwise. Returns which those are: what is left in them, the host has
    /// elsewhere.
    pub fn find_zones(&mut self, flash: &Flash) -> Vec<bool> {
        let host = self.layout.host();
        let mut cut = Vec::new();
        for zone in (0..host.blocks()).map(Pbn) {
            let written: u32 = self.layout.blocks(zone).map(|pbn| flash.programmed_in(pbn)).sum();
            let first = host.first_page(zone).0;
            let mut pages = (first..first + written.min(host.pages_per_block)).map(Ppn);
            let is_whole = pages.all(|page| flash.is_programmed(self.below(page)))
                && !self.layout.blocks(zone).any(|pbn| flash.is_half_erased(pbn));
            let is_full = written >= host.pages_per_block || !is_whole;
            self.namespace.restore(zone.0, u64::from(written), is_full);
            cut.push(!is_whole);
        }
        cut
    }

    /// Finishes the zones that the host does not write on, after power was lost.
    pub fn finish_others(&mut self, is_filled: impl Fn(Pbn) -> bool) {
        for zone in 0..self.layout.host().blocks() {
            let state = self.namespace.zones()[zone as usize].state;
            if state.is_active() && !is_filled(Pbn(zone)) {
                self.finish(Pbn(zone));
            }
        }
    }

    /// Finishes a zone, which is written no further.
    pub fn finish(&mut self, zone: Pbn) {
        let start = self.namespace.start(zone.0);
        self.command(|namespace| namespace.finish(start));
    }

    /// Which blocks and pages each zone has.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether zones are blocks: of one each, with its number, written to the end.
    #[must_use]
    pub fn has_whole_blocks(&self) -> bool {
        let pages = u64::from(self.layout.host().pages_per_block);
        pages == self.namespace.format().size && self.layout.has_zone_for_each_block()
    }

    /// What was counted since measuring started.
    #[must_use]
    pub fn metrics(&self) -> ZonesMetrics {
        ZonesMetrics {
            counts: self.namespace.counts(),
            refused: self.refused.clone(),
            width: self.layout.width(),
            zones: self.namespace.format().zones,
            capacity: self.namespace.format().capacity,
            used: self.layout.host().pages_per_block,
            most: self.most,
        }
    }

    /// Starts counting anew.
    pub fn reset_counts(&mut self) {
        self.namespace.reset_counts();
        self.refused.clear();
        self.most = [self.namespace.open_zones(), self.namespace.active_zones()];
    }

    /// Whether a zone is empty.
    #[must_use]
    pub fn is_empty(&self, zone: Pbn) -> bool {
        self.namespace.zones()[zone.index()].state == ZoneState::Empty
    }

    /// Pages of a zone that the host needs.
    #[must_use]
    pub fn valid_in(&self, zone: Pbn) -> u32 {
        self.valid_in[zone.index()]
    }

    /// The address of a page of the host.
    fn address(&self, page: Ppn) -> (u32, u64) {
        let zone = self.layout.host().block_of(page);
        let number = self.layout.host().page_in_block(page);
        (zone.0, self.namespace.start(zone.0) + u64::from(number))
    }

    /// Has the drive execute a command. Where too many zones are open, the host closes the one that was opened first.
    ///
    /// # Panics
    /// When the command is refused for another reason: the host knows its zones.
    fn command<T>(&mut self, command: impl Fn(&mut Namespace) -> Result<T, Status>) -> T {
        let mut answer = command(&mut self.namespace);
        if let Err(status) = answer {
            *self.refused.entry(status.name()).or_default() += 1;
            if status == Status::TooManyOpenZones
                && let Some(first) = self.namespace.first_implicit()
            {
                let closed = self.namespace.close(self.namespace.start(first));
                answer = closed.and_then(|()| command(&mut self.namespace));
            }
        }
        let now = [self.namespace.open_zones(), self.namespace.active_zones()];
        self.most = [0, 1].map(|at| self.most[at].max(now[at]));
        answer.unwrap_or_else(|status| panic!("a host sends what its drive accepts: {status}"))
    }

    /// Writes a page at the write pointer of its zone, and finishes the zone behind the last page of the host there.
    fn write(&mut self, page: Ppn) -> Ppn {
        let (zone, address) = self.address(page);
        self.command(|namespace| namespace.write(address, 1));
        self.set_valid(page, true);
        let host = self.layout.host();
        if host.page_in_block(page) + 1 == host.pages_per_block {
            let start = self.namespace.start(zone);
            unless_bug!(ZonesNeverFinished, self.command(|namespace| namespace.finish(start)));
        }
        self.below(page)
    }

    fn read(&mut self, page: Ppn) -> Ppn {
        let (_, address) = self.address(page);
        self.command(|namespace| namespace.read(address, 1));
        self.below(page)
    }

    /// The word and the bit of a page in `valid`.
    fn bit_of(&self, page: Ppn) -> (usize, u64) {
        let host = self.layout.host();
        let words = host.pages_per_block.div_ceil(u64::BITS) as usize;
        let number = host.page_in_block(page);
        let word = host.block_of(page).index() * words + (number / u64::BITS) as usize;
        (word, 1 << (number % u64::BITS))
    }

    /// Notes whether the host needs a page.
    fn set_valid(&mut self, page: Ppn, is_valid: bool) {
        let (word, bit) = self.bit_of(page);
        let word = &mut self.valid[word];
        let count = &mut self.valid_in[self.layout.host().block_of(page).index()];
        match is_valid {
            true => (*word, *count) = (*word | bit, *count + 1),
            false => {
                (*word, *count) =
                    (unless_bug!(ZonesForgetNothing, *word & !bit, *word), *count - 1);
            }
        }
    }

    fn is_valid(&self, page: Ppn) -> bool {
        let (word, bit) = self.bit_of(page);
        self.valid[word] & bit != 0
    }

    /// Holds zones against the flash: write pointers, and the pages that the host needs.
    ///
    /// # Panics
    /// When they differ.
    pub fn audit(&self, device: &Device) {
        let host = self.layout.host();
        let (mut open, mut active) = (0, 0);
        for (zone, is) in self.namespace.zones().iter().enumerate() {
            let zone = Pbn(zone as u32);
            open += u32::from(is.state.is_open());
            active += u32::from(is.state.is_active());
            let blocks = self.layout.blocks(zone);
            let written: u32 = blocks.map(|pbn| device.programmed_in(pbn)).sum();
            assert_eq!(is.written, u64::from(written), "write pointer of zone {zone}");
            let is_done = written >= host.pages_per_block;
            assert!(is.state == ZoneState::Full || !is_done, "zone {zone} is written and not full");
            let first = host.first_page(zone).0;
            let mut count = 0;
            for page in (first..first + host.pages_per_block).map(Ppn) {
                count += u32::from(self.is_valid(page));
                let below = device.is_valid(self.below(page));
                assert_eq!(self.is_valid(page), below, "page {page} of zone {zone}");
            }
            assert_eq!(self.valid_in(zone), count, "pages that are needed in zone {zone}");
        }
        let counted = (self.namespace.open_zones(), self.namespace.active_zones());
        assert_eq!(counted, (open, active), "open and active zones");
    }
}

/// A zoned drive over its flash: what garbage collection of the host works on. Blocks are zones, and pages have the
/// numbers of [`Layout::host`].
pub struct OnZones<'a> {
    drive: &'a mut ZonedDrive,
    flash: &'a mut Flash,
}

impl OnZones<'_> {
    /// Writes a page for the host.
    pub fn program(&mut self, page: Ppn, owner: Owner, cause: Cause) {
        let below = self.write(page);
        self.flash.program(below, owner, cause);
    }

    /// Has the drive write a page. What is left of a reset that was cut is done before the first page of a zone. Another
    /// cut would otherwise leave a block that cannot be written, with valid pages before it.
    fn write(&mut self, page: Ppn) -> Ppn {
        let zone = self.geometry().block_of(page);
        if page == self.geometry().first_page(zone) {
            let blocks = self.drive.layout.blocks(zone);
            unless_bug!(ZonesResetLate, self.flash.erase_what_was_put_off(blocks));
        }
        self.drive.write(page)
    }

    /// Reads a page; returns where it is on the flash.
    pub fn read(&mut self, page: Ppn) -> Ppn {
        self.drive.read(page)
    }
}

impl Media for OnZones<'_> {
    fn flash(&self) -> &Flash {
        self.flash
    }

    fn geometry(&self) -> &Geometry {
        self.drive.layout.host()
    }

    fn valid_bits(&self) -> &[u64] {
        &self.drive.valid
    }

    fn valid_in(&self, zone: Pbn) -> u32 {
        self.drive.valid_in(zone)
    }

    fn pages_of(&self, _: Pbn) -> u32 {
        self.geometry().pages_per_block
    }

    fn programmed_in(&self, zone: Pbn) -> u32 {
        self.drive.layout.blocks(zone).map(|pbn| self.flash.programmed_in(pbn)).sum()
    }

    fn is_programmed(&self, page: Ppn) -> bool {
        self.flash.is_programmed(self.drive.below(page))
    }

    fn is_skipped(&self, page: Ppn) -> bool {
        self.flash.is_skipped(self.drive.below(page))
    }

    fn is_erased(&self, zone: Pbn) -> bool {
        self.drive.is_empty(zone)
    }

    fn wear_rank(&self, zone: Pbn) -> u32 {
        self.flash.wear_rank(self.drive.layout.block(zone, 0))
    }

    fn invalidate(&mut self, page: Ppn) -> Pbn {
        self.drive.set_valid(page, false);
        self.flash.invalidate(self.drive.below(page));
        self.geometry().block_of(page)
    }

    fn revive(&mut self, page: Ppn) {
        self.drive.set_valid(page, true);
        self.flash.revive(self.drive.below(page));
    }

    /// # Panics
    /// Always: no page of a zone is passed by.
    fn waste(&mut self, page: Ppn) {
        panic!("page {page} of a zone is written or finished")
    }

    fn read_oob(&mut self, page: Ppn, cause: Cause) -> Owner {
        let below = self.drive.read(page);
        self.flash.read_oob(below, cause)
    }

    fn is_of_map(&self, page: Ppn) -> bool {
        self.flash.is_of_map(self.drive.below(page))
    }

    fn load(&mut self, from: Ppn, cause: Cause) -> Loaded {
        let below = self.drive.read(from);
        self.flash.load(below, cause)
    }

    fn store(&mut self, to: Ppn, page: Loaded, cause: Cause) {
        let below = self.write(to);
        self.flash.store(below, page, cause);
    }

    fn relocate(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let (source, target) = (self.drive.read(from), self.write(to));
        let owner = self.flash.copy(source, target, cause);
        self.invalidate(from);
        owner
    }

    /// # Panics
    /// Always: no plane of the drive copies for its host.
    fn move_back(&mut self, from: Ppn, _: Ppn, _: Cause) -> Owner {
        panic!("page {from} of a zone is moved through the host")
    }

    fn erase(&mut self, zone: Pbn, kind: BlockKind, cause: Cause) {
        let start = self.drive.namespace.start(zone.0);
        self.drive.command(|namespace| namespace.reset(start));
        let layout = &self.drive.layout;
        let width = unless_bug!(ZonesResetInPart, layout.width(), layout.width().max(2) - 1);
        let blocks = (0..width).map(|number| layout.block(zone, number));
        self.flash.erase_together(blocks, kind, cause);
    }

    fn erase_before_use(&mut self, zone: Pbn, kind: BlockKind, cause: Cause) {
        for pbn in self.drive.layout.blocks(zone) {
            self.flash.erase_before_use(pbn, kind, cause);
        }
    }

    fn ask_for_future(&mut self) -> Future {
        self.flash.ask_for_future()
    }

    fn watch_planes(&mut self) {
        self.flash.watch_planes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::units::Lpn;

    #[test]
    fn a_zone_that_is_reset_in_part_is_full_and_what_is_left_does_not_count() {
        let config = DeviceConfig {
            channels: 2,
            pages_per_block: 4,
            blocks: Some(8),
            ..DeviceConfig::default()
        };
        let mut device = Device::new(&config, 4 * 4 * config.page.0).expect("a device");
        let zones = ZonesConfig { width: 2, ..ZonesConfig::default() };
        let mut drive = ZonedDrive::new(&zones, vec![0, 1], device.geometry()).expect("a drive");
        // Zone 0 has lost its first block, zone 1 is written in part, and the others are empty.
        let pages = [(0, 1), (1, 0), (1, 1)];
        for (lpn, (zone, block)) in (0..).map(Lpn).zip(pages) {
            let page = device.geometry().first_page(drive.layout.block(Pbn(zone), block));
            device.program(page, Owner::Data(lpn), Cause::GcData);
        }
        assert_eq!(drive.find_zones(&device), [true, false, false, false]);
        let states = drive.namespace.zones().iter().map(|zone| zone.state);
        let expected = [ZoneState::Full, ZoneState::Closed, ZoneState::Empty, ZoneState::Empty];
        assert!(states.eq(expected), "{:?}", drive.namespace.zones());
    }
}
