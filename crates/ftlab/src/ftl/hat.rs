//! HAT (Hu et al., MSST 2010, hidden address translation), as TPFTL 2.2 and DLOOP describe it.
//!
//! Idea     the whole page map is on a separate byte-addressable chip, such as PCM, which works in
//!          parallel with the flash. This is page mapping with the RAM of block mapping.
//! RAM      a buffer for map updates under way, as large as a block table: 4 B per logical block.
//!          The chip holds 4 B per logical page (`hat.pcm_bytes`).
//! Departs  a reconstruction: we know the paper only by TPFTL and DLOOP.
//! Options  `pcm_read`, `pcm_write`: the time of the chip. The default of 0 hides it behind the
//!          flash, as the name says (choices.md#hat-time). Accesses are counted: a read for each
//!          page that the host reads, a read-modify-write for each page that the host writes or
//!          trims or that GC moves. After a power cut the map is rebuilt from the flash, as if the
//!          chip had lost it, too.

use super::page::PageFtl;
use super::{Access, Accounts, Ftl, FtlMetrics, RamUse};
use crate::device::LONGEST_TIME;
use crate::error::Error;
use crate::flash::{Device, Flash};
use crate::ftl::design::{Design, Mount, Setup, Spec};
use crate::placement::separation::ClassPages;
use crate::request::Meta;
use crate::units::{Duration, Lpn, Pbn, Ppn};

crate::settings! {
    /// The chip with the map.
    pub struct HatConfig in "hat" {
        /// Time of a lookup. It waits for all earlier lookups and changes of the chip.
        pcm_read: Duration = Duration(0), in ..=LONGEST_TIME,
            laws [0, 700, 5000].map(Duration), source "choices.md#hat-time";
        /// Time to write a changed mapping after it was read. The change waits in the buffer, and
        /// no request waits for it.
        pcm_write: Duration = Duration(0), in ..=LONGEST_TIME,
            laws [0, 2000].map(Duration), source "choices.md#hat-time";
    }
}

/// Page-level mapping with the map on a separate chip.
#[derive(Clone, Debug)]
pub struct Hat {
    page: PageFtl,
    /// Bytes of the update buffer in RAM.
    buffer: u64,
    lookup: Duration,
    reads: u64,
    /// Map updates for the host; those of GC are the pages that it moved.
    host_updates: u64,
}

impl Design for Hat {
    type Settings = HatConfig;

    const SPEC: Spec = Spec {
        name: "hat",
        title: "HAT",
        summary: "the whole page map on a byte-addressable chip of its own, hidden behind the flash",
        source: "Hu et al., MSST 2010",

        ..Spec::VOLUME
    };
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<HatConfig>, flash: &mut Flash) -> Result<Self, Error> {
        Ok(Hat::over(PageFtl::build(&setup.with(()), flash)?, &setup.own, flash))
    }
}

impl Ftl for Hat {
    fn read(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.reads += access.pages.len() as u64;
        self.page.read(access, flash);
    }

    fn write(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.host_updates += access.pages.len() as u64;
        unless_bug!(
            HatWritesAsReads,
            self.page.write(access, flash),
            self.page.read(access, flash)
        );
    }

    fn trim(&mut self, access: Access<'_>, flash: &mut Flash) {
        self.host_updates += access.pages.len() as u64;
        let pages = unless_bug!(HatTrimsFirstPage, access.pages, &access.pages[..1]);
        self.page.trim(Access { pages, ..access }, flash);
    }

    fn update_handle(&mut self, meta: Meta, flash: &mut Flash) {
        self.page.update_handle(meta, flash);
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.page.locate(lpn)
    }

    fn ram(&self) -> RamUse {
        let tables = self.buffer + self.page.separation_bytes();
        RamUse { tables, ..RamUse::default() }
    }

    fn class_of(&self, pbn: Pbn) -> Option<u8> {
        self.page.class_of(pbn)
    }

    fn class_pages(&self) -> ClassPages {
        self.page.class_pages()
    }

    fn metrics(&self) -> FtlMetrics {
        let metrics = self.page.metrics();
        let moved = metrics.gc.map_or(0, |gc| gc.counts.valid_data);
        let mut own = metrics.own;
        own.extend([
            ("hat.pcm_bytes", self.page.ram().tables - self.page.separation_bytes()),
            ("hat.pcm_reads", self.reads),
            ("hat.pcm_updates", self.host_updates + moved),
        ]);
        FtlMetrics { own, ..metrics }
    }

    fn reset_metrics(&mut self) {
        self.reads = 0;
        self.host_updates = 0;
        self.page.reset_metrics();
    }

    fn accounts(&self) -> Accounts {
        Accounts { map_lookup: self.lookup.0, ..self.page.accounts() }
    }

    fn audit(&self, device: &Device) {
        self.page.audit(device);
    }
}

impl Hat {
    fn mount(setup: &Setup<HatConfig>, flash: &mut Flash) -> Result<Self, Error> {
        Ok(Hat::over(PageFtl::mount(&setup.with(()), flash)?, &setup.own, flash))
    }

    fn over(page: PageFtl, own: &HatConfig, flash: &mut Flash) -> Self {
        flash.use_map_chip(own.pcm_read, own.pcm_write);
        let buffer = 4 * u64::from(flash.geometry().logical_blocks());
        Hat { page, buffer, lookup: own.pcm_read, reads: 0, host_updates: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::flash::{Cause, Operation};

    fn device() -> (Hat, Device) {
        built(&Setup::default())
    }

    fn built(config: &Setup<HatConfig>) -> (Hat, Device) {
        with_blocks(config, 12)
    }

    fn with_blocks(config: &Setup<HatConfig>, blocks: u32) -> (Hat, Device) {
        let blocks = Some(blocks);
        let device = DeviceConfig { pages_per_block: 4, blocks, ..config.device.clone() };
        let config = Setup { device, ..config.clone() };
        let mut flash = Device::new(&config.device, 24 * 4096).expect("a device");
        (Hat::build(&config, &mut flash).expect("an FTL"), flash)
    }

    fn chip(hat: &Hat) -> (u64, u64) {
        let own = hat.metrics().own;
        (own["hat.pcm_reads"], own["hat.pcm_updates"])
    }

    /// Two concurrent reads use the chip, which does one thing at a time. A write does not wait for
    /// the chip, but occupies it.
    #[test]
    fn what_separates_pages_is_in_ram_and_not_on_the_chip() {
        let own = |separation: &str| {
            let mut setup = Setup::default();
            separation.clone_into(&mut setup.ftl.separation);
            let (hat, device) = with_blocks(&setup, 24);
            let words = device.geometry().logical_pages + device.geometry().blocks();
            (hat.ram().tables, hat.metrics().own["hat.pcm_bytes"], 4 * u64::from(words))
        };
        let (together, apart) = (own("none"), own("sepbit"));
        assert_eq!(apart.1, together.1, "the chip has the map alone");
        assert_eq!(apart.0, together.0 + apart.2, "when each page and each block was written");
    }

    #[test]
    fn lookups_wait_for_the_chip_and_changes_hold_it() {
        let served = |flash: &Device| flash.timeline().served().end;
        let (mut hat, mut flash) = device();
        flash.use_map_chip(Duration(1_000), Duration(4_000));
        hat.write(Access::write(&[Lpn(3), Lpn(4)]), &mut flash);
        let (program, read) = (200_000, 25_000);
        assert_eq!(served(&flash), 2 * program, "no one waits for a change");
        flash.timeline_mut().issue(2 * program);
        hat.read(Access::read(&[Lpn(3)]), &mut flash);
        assert_eq!(
            served(&flash),
            2 * program + 5_000 + 1_000 + read,
            "the chip was busy with one"
        );
        flash.timeline_mut().issue(3 * program);
        hat.read(Access::read(&[Lpn(3), Lpn(4)]), &mut flash);
        assert_eq!(served(&flash), 3 * program + 1_000 + 2 * read, "the second is found meanwhile");
    }

    #[test]
    fn a_change_takes_the_time_of_ram_unless_the_chip_has_one() {
        for (pcm_write, end) in [(0, 205_000), (4_000, 200_000)] {
            let (mut hat, mut flash) = built(&Setup {
                device: DeviceConfig { map_update: Duration(5_000), ..DeviceConfig::default() },
                own: HatConfig { pcm_write: Duration(pcm_write), ..HatConfig::default() },
                ..Setup::default()
            });
            hat.write(Access::write(&[Lpn(3)]), &mut flash);
            assert_eq!(flash.timeline().served().end, end);
        }
    }

    /// R, W, R cost 2 reads and 1 program of flash, 2 reads and 1 update of the chip.
    #[test]
    fn the_worked_example_needs_no_translation_pages() {
        let (mut hat, mut flash) = device();
        hat.write(Access::write(&[Lpn(3)]), &mut flash);
        hat.reset_metrics();
        flash.start_measuring();
        hat.read(Access::read(&[Lpn(3)]), &mut flash);
        hat.write(Access::write(&[Lpn(3)]), &mut flash);
        hat.read(Access::read(&[Lpn(3)]), &mut flash);
        assert_eq!(chip(&hat), (2, 1));
        let count = |operation, cause| flash.ledger().get(operation, cause);
        assert_eq!(count(Operation::Read, Cause::Host), 2);
        assert_eq!(count(Operation::Program, Cause::Host), 1);
        assert_eq!(flash.ledger().flash_operations(), 3);
    }

    #[test]
    fn each_page_that_gc_moves_is_an_update_of_the_chip() {
        let (mut hat, mut flash) = device();
        for lpn in (0..24).chain((0..200).map(|n| n * 7 % 24)) {
            hat.write(Access::write(&[Lpn(lpn)]), &mut flash);
        }
        let moved = flash.ledger().get(Operation::Program, Cause::GcData);
        assert!(moved > 0, "GC moved pages");
        assert_eq!(chip(&hat), (0, 224 + moved));
        hat.trim(Access::trim(&[Lpn(0), Lpn(1)]), &mut flash);
        assert_eq!(chip(&hat), (0, 226 + moved));
        hat.audit(&flash);
    }

    #[test]
    fn ram_is_a_block_table_and_the_chip_holds_the_map() {
        let (hat, _) = device();
        assert_eq!(hat.ram(), RamUse { tables: 24, cache: 0, buffer: 0 });
        assert_eq!(hat.metrics().own["hat.pcm_bytes"], 96);
    }
}
