//! DAC, dynamic data clustering (Chiang, Lee & Chang, Software: Practice and Experience 29(3), 1999).
//!
//! Idea     the device is divided into regions by temperature, each with a block of its own that is being
//!          filled. A page that is updated while it is young moves up to the next hotter region; one that
//!          garbage collection still finds valid moves down to the next colder. New pages begin at the bottom.
//! RAM      4 B per logical page for the map and 4 B for when it was written.
//! Departs  the paper is known to us by its abstract and by those who cite it. Assumed: age is counted in pages
//!          that the host writes, not in seconds; a page moves one region at a time; GC always moves it down.

use ftlab::Error;
use ftlab::flash::{Cause, Device, Flash, Owner};
use ftlab::ftl::parts::page_map::PageMap;
use ftlab::ftl::{Access, Design, Ftl, FtlMetrics, RamUse, Setup, Spec};
use ftlab::placement::Class;
use ftlab::placement::block_pool::BlockPool;
use ftlab::units::{Lpn, Ratio};
use std::collections::BTreeMap;

ftlab::settings! {
    /// DAC's settings.
    pub struct DacConfig in "dac" {
        /// Regions of different temperature.
        regions: u32 = 4, in 1..=8, laws 1..=8, source "this package";
        /// Age below which an update is one of a hot page: a share of the logical pages, in page writes.
        young: Ratio = Ratio(0.25), in 0.0.., laws [0.0, 0.1, 0.5, 2.0].map(Ratio),
            source "this package";
    }
}

/// Page mapping with regions by temperature.
#[derive(Clone)]
pub struct Dac {
    map: PageMap,
    pool: BlockPool,
    /// The hottest region; 0 is the coldest.
    top: u8,
    young: u32,
    /// When the host wrote a page, in pages that it wrote; wraps around.
    written: Vec<u32>,
    now: u32,
    /// The region that each block was filled for.
    regions: Vec<u8>,
    promoted: u64,
    demoted: u64,
}

impl Design for Dac {
    type Settings = DacConfig;

    const SPEC: Spec = Spec {
        name: "dac",
        title: "DAC",
        summary: "page mapping; pages move between regions of different temperature",
        source: "Chiang, Lee & Chang, SP&E 1999",
        ..Spec::OWN_FRONTIERS
    };

    fn build(setup: &Setup<DacConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let geometry = flash.geometry();
        let pages = geometry.logical_pages;
        let regions = setup.own.regions as u8;
        Ok(Dac {
            map: PageMap::new(pages),
            // The pages of one victim go to one region.
            pool: BlockPool::with_levels(&setup.collection()?, geometry, regions, 1)?,
            top: regions - 1,
            young: (setup.own.young.0 * f64::from(pages)) as u32,
            written: vec![0; pages as usize],
            now: 0,
            regions: vec![0; geometry.blocks() as usize],
            promoted: 0,
            demoted: 0,
        })
    }
}

impl Ftl for Dac {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            flash.host_read(lpn, self.map.get(lpn));
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let region = self.region_of_update(lpn, flash);
            if self.pool.must_collect(Class::user(region)) {
                self.reclaim(region, flash);
            }
            let new = self.pool.next_page(Class::user(region), flash);
            flash.program(new, Owner::Data(lpn), Cause::Host);
            self.regions[flash.geometry().block_of(new).index()] = region;
            if let Some(old) = self.map.replace(lpn, Some(new)) {
                self.pool.invalidate(old, flash);
            }
            self.written[lpn.index()] = self.now;
            self.now = self.now.wrapping_add(1);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            if let Some(old) = self.map.replace(lpn, None) {
                self.pool.invalidate(old, flash);
            }
            flash.trim(lpn);
        }
    }

    fn ram(&self) -> RamUse {
        let words = self.map.len() + self.written.len();
        RamUse { tables: 4 * words as u64 + self.regions.len() as u64, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        let own = BTreeMap::from([("dac.promoted", self.promoted), ("dac.demoted", self.demoted)]);
        FtlMetrics { gc: Some(self.pool.metrics()), own, ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.pool.reset_counts();
        (self.promoted, self.demoted) = (0, 0);
    }

    fn audit(&self, device: &Device) {
        device.audit();
        self.pool.audit(device);
        device.audit_map(0..self.map.len() as u32, |lpn| self.map.get(lpn));
    }
}

impl Dac {
    /// The region of a page that the host writes.
    fn region_of_update(&mut self, lpn: Lpn, flash: &Flash) -> u8 {
        let Some(old) = self.map.get(lpn) else { return 0 };
        let region = self.regions[flash.geometry().block_of(old).index()];
        let age = self.now.wrapping_sub(self.written[lpn.index()]);
        if age >= self.young || region == self.top {
            return region;
        }
        self.promoted += 1;
        region + 1
    }

    fn reclaim(&mut self, region: u8, flash: &mut Flash) {
        self.pool.start_gc();
        while !self.pool.collected_enough(Class::user(region)) {
            self.collect(flash);
        }
    }

    /// Collects a block; what is valid moves to the next colder region.
    fn collect(&mut self, flash: &mut Flash) {
        let (victim, _) = self.pool.take_victim(flash);
        let region = self.regions[victim.index()];
        let colder = region.saturating_sub(1);
        let mut pages = flash.valid_pages(victim);
        while let Some(from) = pages.next(flash) {
            let to = self.pool.next_page(Class::user(colder), flash);
            self.regions[flash.geometry().block_of(to).index()] = colder;
            let Owner::Data(lpn) = flash.relocate(from, to, Cause::GcData) else {
                panic!("the map is in RAM")
            };
            self.map.replace(lpn, Some(to));
            self.demoted += u64::from(colder < region);
        }
        self.pool.release(victim, flash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab::device::DeviceConfig;
    use ftlab::units::Bytes;

    const PAGES_PER_BLOCK: u32 = 4;

    /// 8 logical blocks of 4 pages, and 10 spare ones. An update is one of a hot page up to age 4.
    fn device() -> (Dac, Device) {
        let device = DeviceConfig {
            page: Bytes(512),
            pages_per_block: PAGES_PER_BLOCK,
            blocks: Some(18),
            ..DeviceConfig::default()
        };
        let own = DacConfig { regions: 3, young: Ratio(0.16) };
        let setup = Setup { device, own, ..Setup::default() };
        let mut flash = Device::new(&setup.device, 32 * 512).expect("a device");
        let dac = Dac::build(&setup, &mut flash).expect("an FTL");
        (dac, flash)
    }

    #[test]
    fn a_page_that_is_updated_young_moves_up_and_one_that_gc_finds_moves_down() {
        let (mut dac, mut flash) = device();
        let region = |dac: &Dac, flash: &Flash, lpn| {
            let page = dac.map.get(Lpn(lpn)).expect("a page that was written");
            dac.regions[flash.geometry().block_of(page).index()]
        };
        let write = |dac: &mut Dac, flash: &mut Device, pages: &[u32]| {
            pages.iter().for_each(|lpn| dac.write(Access::write(&[Lpn(*lpn)]), flash));
            dac.audit(flash);
        };
        write(&mut dac, &mut flash, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(region(&dac, &flash, 0), 0, "a new page is cold");
        write(&mut dac, &mut flash, &[0, 5]);
        assert_eq!(region(&dac, &flash, 0), 0, "its update came at age 6");
        assert_eq!(region(&dac, &flash, 5), 1, "its update came at age 2");
        write(&mut dac, &mut flash, &[5, 5, 5]);
        assert_eq!(region(&dac, &flash, 5), 2, "there is no hotter region");
        assert_eq!((dac.promoted, dac.demoted), (2, 0));
        write(&mut dac, &mut flash, &[5, 5, 5]);
        assert_eq!(dac.map.get(Lpn(5)).expect("a page").0 / PAGES_PER_BLOCK, 4, "a block more");
        dac.collect(&mut flash);
        assert_eq!(dac.demoted, 0, "the block that was left has no valid page");
        write(&mut dac, &mut flash, &[6, 6, 7, 7, 8]);
        dac.audit(&flash);
    }

    #[test]
    fn laws() {
        ftlab::laws::obey::<Dac>(300);
    }
}
