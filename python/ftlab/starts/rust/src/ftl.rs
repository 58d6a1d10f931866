//! A page map in RAM. Pages that are rewritten soon share blocks, apart from all others.

use ftlab::Error;
use ftlab::flash::{Cause, Device, Flash, Owner};
use ftlab::ftl::parts::page_map::PageMap;
use ftlab::ftl::{Access, Design, Ftl, FtlMetrics, RamUse, Setup, Spec};
use ftlab::placement::Class;
use ftlab::placement::block_pool::BlockPool;
use ftlab::units::{Lpn, Ppn, Ratio};

ftlab::settings! {
    /// The settings of this FTL.
    pub struct HotColdConfig in "hotcold" {
        /// A page is hot when fewer page writes than this lie between two of its own: a share of the logical pages.
        hot: Ratio = Ratio(0.25), in 0.0.., laws [0.0, 0.1, 0.5, 2.0].map(Ratio),
            source "this package";
    }
}

/// Where pages go.
const COLD: Class = Class::user(0);
const HOT: Class = Class::user(1);
const CLASSES: u8 = 2;

/// The FTL: a map, the blocks, and when each page was written.
#[derive(Clone)]
pub struct HotCold {
    map: PageMap,
    pool: BlockPool,
    /// Page writes between two writes of a hot page, at most.
    hot: u32,
    /// The number of page writes up to now; it wraps around.
    now: u32,
    written: Vec<u32>,
}

impl Design for HotCold {
    type Settings = HotColdConfig;

    const SPEC: Spec = Spec {
        name: "hotcold",
        summary: "page map in RAM; pages that are rewritten soon share blocks",
        source: "this package",
        ..Spec::OWN_FRONTIERS
    };

    fn build(setup: &Setup<HotColdConfig>, flash: &mut Flash) -> Result<Self, Error> {
        let pages = flash.geometry().logical_pages;
        Ok(HotCold {
            map: PageMap::new(pages),
            // What garbage collection moves out of one block goes to one class.
            pool: BlockPool::with_levels(&setup.collection()?, flash.geometry(), CLASSES, 1)?,
            hot: (setup.own.hot.0 * f64::from(pages)) as u32,
            now: 0,
            written: vec![0; pages as usize],
        })
    }
}

impl Ftl for HotCold {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            flash.host_read(lpn, self.map.get(lpn));
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let class = self.class_of(lpn);
            self.make_room(class, flash);
            let new = self.pool.next_page(class, flash);
            flash.program(new, Owner::Data(lpn), Cause::Host);
            self.remap(lpn, Some(new), flash);
            self.written[lpn.index()] = self.now;
            self.now = self.now.wrapping_add(1);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.remap(lpn, None, flash);
            flash.trim(lpn);
        }
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.get(lpn)
    }

    fn ram(&self) -> RamUse {
        let words = self.map.len() + self.written.len();
        RamUse { tables: 4 * words as u64, ..RamUse::default() }
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics { gc: Some(self.pool.metrics()), ..FtlMetrics::default() }
    }

    fn reset_metrics(&mut self) {
        self.pool.reset_counts();
    }

    fn audit(&self, device: &Device) {
        device.audit();
        self.pool.audit(device);
        device.audit_map(0..self.map.len() as u32, |lpn| self.map.get(lpn));
    }
}

impl HotCold {
    /// The class of a page that the host writes.
    fn class_of(&self, lpn: Lpn) -> Class {
        let age = self.now.wrapping_sub(self.written[lpn.index()]);
        let is_hot = self.map.get(lpn).is_some() && age < self.hot;
        if is_hot { HOT } else { COLD }
    }

    fn make_room(&mut self, class: Class, flash: &mut Flash) {
        if self.pool.must_collect(class) {
            self.pool.start_gc();
            while !self.pool.collected_enough(class) {
                self.collect(flash);
            }
        }
    }

    /// Moves the valid pages of a block to the cold class, and erases the block.
    fn collect(&mut self, flash: &mut Flash) {
        let (victim, _) = self.pool.take_victim(flash);
        let mut pages = flash.valid_pages(victim);
        while let Some(from) = pages.next(flash) {
            let to = self.pool.next_page(COLD, flash);
            if let Owner::Data(lpn) = flash.relocate(from, to, Cause::GcData) {
                self.map.replace(lpn, Some(to));
            }
        }
        self.pool.release(victim, flash);
    }

    fn remap(&mut self, lpn: Lpn, new: Option<Ppn>, flash: &mut Flash) {
        if let Some(old) = self.map.replace(lpn, new) {
            self.pool.invalidate(old, flash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab::device::DeviceConfig;
    use ftlab::units::Bytes;

    const PAGES_PER_BLOCK: u32 = 4;

    /// 32 logical pages in blocks of 4. A page is hot when it is rewritten within 4 page writes.
    fn small() -> (HotCold, Device) {
        let device = DeviceConfig {
            page: Bytes(512),
            pages_per_block: PAGES_PER_BLOCK,
            blocks: Some(18),
            ..DeviceConfig::default()
        };
        let own = HotColdConfig { hot: Ratio(0.125) };
        let setup = Setup { device, own, ..Setup::default() };
        let mut device = Device::new(&setup.device, 32 * 512).expect("a device");
        let ftl = HotCold::build(&setup, &mut device).expect("an FTL");
        (ftl, device)
    }

    #[test]
    fn a_page_that_is_rewritten_soon_leaves_the_block_of_the_others() {
        let (mut ftl, mut device) = small();
        for lpn in [0, 1, 2, 2, 0] {
            ftl.write(Access::write(&[Lpn(lpn)]), &mut device);
            ftl.audit(&device);
        }
        let block_of = |lpn| ftl.map.get(Lpn(lpn)).expect("a written page").0 / PAGES_PER_BLOCK;
        assert_ne!(block_of(2), block_of(1), "2 came again at age 1");
        assert_eq!(block_of(0), block_of(1), "0 came again at age 4");
    }

    #[test]
    fn laws() {
        ftlab::laws::obey::<HotCold>(300);
    }
}
