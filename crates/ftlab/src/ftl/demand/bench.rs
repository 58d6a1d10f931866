//! A demand-paged FTL on a small device, for worked examples: each access returns its cost.

use super::*;
use crate::device::DeviceConfig;
use crate::flash::{Device, Operation};
use crate::placement::Class;
use crate::units::{Pbn, Ratio};

/// What one access did: translation page reads and programs, data reads and programs.
#[derive(Debug, PartialEq, Eq)]
pub struct Cost {
    pub tp: (u64, u64),
    pub data: (u64, u64),
}

pub struct Bench<C> {
    pub ftl: DemandFtl<C>,
    pub flash: Device,
}

impl<C: MappingCache> Bench<C> {
    /// `pages` logical pages of `page_bytes`, so `page_bytes / 4` mappings on a translation page,
    /// each page written once, in order; the cache is empty.
    pub fn new(
        pages: u64,
        page_bytes: u64,
        configure: impl FnOnce(&mut Setup<C::Settings>),
    ) -> Self {
        let device = DeviceConfig {
            page: Bytes(page_bytes),
            pages_per_block: 4,
            over_provisioning: Ratio(2.0),
            ..DeviceConfig::default()
        };
        let mut setup = Setup { device, ..Setup::default() };
        configure(&mut setup);
        let mut flash = Device::new(&setup.device, pages * page_bytes).expect("a device");
        let mut ftl = DemandFtl::<C>::build(&setup, &mut flash).expect("an FTL");
        let Ok(lpns) = u32::try_from(pages) else { panic!("too many pages") };
        for lpn in 0..lpns {
            ftl.write(Access::write(&[Lpn(lpn)]), &mut flash);
        }
        ftl.flush_and_rebuild(&setup, &mut flash);
        Bench { ftl, flash }
    }

    pub fn cost(&mut self, action: impl FnOnce(&mut DemandFtl<C>, &mut Device)) -> Cost {
        self.flash.start_measuring();
        action(&mut self.ftl, &mut self.flash);
        self.ftl.audit(&self.flash);
        let count = |operation, cause| self.flash.ledger().get(operation, cause);
        Cost {
            tp: (
                count(Operation::Read, Cause::Translation),
                count(Operation::Program, Cause::Translation),
            ),
            data: (count(Operation::Read, Cause::Host), count(Operation::Program, Cause::Host)),
        }
    }

    pub fn read(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| ftl.read(Access::read(&[Lpn(lpn)]), flash))
    }

    pub fn write(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| ftl.write(Access::write(&[Lpn(lpn)]), flash))
    }

    pub fn read_request(&mut self, first: u32, last: u32) -> Cost {
        let pages: Vec<Lpn> = (first..=last).map(Lpn).collect();
        self.cost(|ftl, flash| ftl.read(Access::read(&pages), flash))
    }

    pub fn cached(&self) -> Vec<(u32, bool)> {
        let mut entries: Vec<(u32, bool)> = self
            .ftl
            .cache
            .audit_entries()
            .iter()
            .map(|((lpn, _), dirty)| (lpn.0, *dirty))
            .collect();
        entries.sort_unstable();
        entries
    }
}

impl<C: MappingCache> DemandFtl<C> {
    /// Moves the pages of a block, whether or not GC would choose it.
    pub fn collect_data_block(&mut self, pbn: Pbn, flash: &mut Device) {
        let mut victim = self.store.pool.victim(pbn, 0, Class::HOST, &**flash);
        self.empty(&mut victim, flash);
    }

    /// Writes every dirty entry back and starts with an empty cache.
    pub fn flush_and_rebuild(&mut self, setup: &Setup<C::Settings>, flash: &mut Device) {
        let entries = self.cache.audit_entries();
        for (change, _) in entries.into_iter().filter(|(_, dirty)| *dirty) {
            let vtpn = self.store.pages.page_of(change.0);
            self.make_room_for_the_map(flash);
            self.store.write_back(vtpn, &[change], flash);
        }
        self.cache = C::build(setup, flash.geometry()).expect("a cache");
        self.reset_metrics();
        self.audit(flash);
    }
}
