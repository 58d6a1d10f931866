//! A block-mapped or log-block FTL on a small device, for worked examples. Blocks have 4 pages, and
//! each step returns its cost.

use crate::device::DeviceConfig;
use crate::flash::{BlockKind, Cause, Device, Operation};
use crate::ftl::Access;
use crate::ftl::{Design, Setup};
use crate::units::{Bytes, Duration, Lpn, Nanos};

/// Pages of a block.
pub const P: u32 = 4;

/// The cost of a few requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Pages programmed for the host.
    pub programs: u64,
    /// Pages read and programmed by merges.
    pub copies: u64,
    pub data_erases: u64,
    pub log_erases: u64,
    pub switch: u64,
    pub partial: u64,
    pub full: u64,
}

impl Cost {
    /// The cost of pages of the host without other work.
    pub fn of(programs: u64) -> Cost {
        Cost { programs, ..Cost::default() }
    }
}

/// The work of a few requests on an FTL that collects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Pages programmed for the host.
    pub programs: u64,
    /// OOB reads for the host.
    pub oob_reads: u64,
    /// OOB reads of collection.
    pub gc_oob_reads: u64,
    /// Pages read and programmed by collection.
    pub copies: u64,
    pub erases: u64,
    /// Time on the one plane.
    pub ns: Nanos,
}

/// The latencies of MNFTL 5.1.
pub fn mnftl_times(device: &mut DeviceConfig) {
    device.read = Duration(60_000);
    device.oob_read = Duration(20_000);
    device.program = Duration(800_000);
    device.erase = Duration(1_500_000);
}

pub struct Bench<F> {
    pub ftl: F,
    pub flash: Device,
}

impl<F: Design> Bench<F> {
    /// `logical` blocks, none of them written, and `spare` ones.
    pub fn empty(
        logical: u32,
        spare: u32,
        configure: impl FnOnce(&mut Setup<F::Settings>),
    ) -> Self {
        let device = DeviceConfig {
            page: Bytes(512),
            pages_per_block: P,
            blocks: Some(logical + spare),
            ..DeviceConfig::default()
        };
        let mut setup = Setup { device, ..Setup::default() };
        configure(&mut setup);
        let capacity = u64::from(logical * P) * 512;
        let mut flash = Device::new(&setup.device, capacity).expect("a device");
        let ftl = F::build(&setup, &mut flash).expect("an FTL");
        Bench { ftl, flash }
    }

    /// All pages written once, in order.
    pub fn new(logical: u32, spare: u32, configure: impl FnOnce(&mut Setup<F::Settings>)) -> Self {
        let mut bench = Bench::<F>::empty(logical, spare, configure);
        for lpn in 0..bench.flash.geometry().logical_pages {
            bench.ftl.write(Access::write(&[Lpn(lpn)]), &mut bench.flash);
        }
        bench.ftl.audit(&bench.flash);
        bench
    }

    /// One request for these pages.
    pub fn write(&mut self, pages: &[u32]) -> Cost {
        let pages: Vec<Lpn> = pages.iter().copied().map(Lpn).collect();
        self.cost(|ftl, flash| ftl.write(Access::write(&pages), flash))
    }

    /// A request for each of these pages.
    pub fn writes(&mut self, pages: &[u32]) -> Cost {
        self.cost(|ftl, flash| {
            pages.iter().for_each(|lpn| ftl.write(Access::write(&[Lpn(*lpn)]), flash))
        })
    }

    pub fn trim(&mut self, lpn: u32) -> Cost {
        self.cost(|ftl, flash| ftl.trim(Access::trim(&[Lpn(lpn)]), flash))
    }

    /// OOB reads of a host read.
    pub fn oob_reads(&mut self, lpn: u32) -> u64 {
        self.cost(|ftl, flash| ftl.read(Access::read(&[Lpn(lpn)]), flash));
        self.flash.ledger().total(Operation::ReadOob)
    }

    /// The work of `action`; the FTL is audited afterwards.
    pub fn work(&mut self, action: impl FnOnce(&mut F, &mut Device)) -> Work {
        self.flash.start_measuring();
        self.ftl.reset_metrics();
        action(&mut self.ftl, &mut self.flash);
        self.ftl.audit(&self.flash);
        let ledger = self.flash.ledger();
        Work {
            programs: ledger.get(Operation::Program, Cause::Host),
            oob_reads: ledger.get(Operation::ReadOob, Cause::Host),
            gc_oob_reads: ledger.get(Operation::ReadOob, Cause::GcData),
            copies: ledger.get(Operation::Program, Cause::GcData),
            erases: ledger.total(Operation::Erase),
            ns: self.flash.timeline().plane_busy().sum(),
        }
    }

    /// The work of a write request for each of these pages.
    pub fn write_work(&mut self, pages: &[u32]) -> Work {
        self.work(|ftl, flash| {
            pages.iter().for_each(|lpn| ftl.write(Access::write(&[Lpn(*lpn)]), flash))
        })
    }

    /// The work of a read of a page.
    pub fn read_work(&mut self, lpn: u32) -> Work {
        self.work(|ftl, flash| ftl.read(Access::read(&[Lpn(lpn)]), flash))
    }

    fn cost(&mut self, action: impl FnOnce(&mut F, &mut Device)) -> Cost {
        self.flash.start_measuring();
        self.ftl.reset_metrics();
        action(&mut self.ftl, &mut self.flash);
        self.ftl.audit(&self.flash);
        let ledger = self.flash.ledger();
        let merges = self.ftl.metrics().merges.expect("an FTL that merges");
        let [read, programmed] = [Operation::Read, Operation::Program];
        assert_eq!(ledger.get(read, Cause::Merge), ledger.get(programmed, Cause::Merge));
        Cost {
            programs: ledger.get(programmed, Cause::Host),
            copies: ledger.get(programmed, Cause::Merge),
            data_erases: ledger.erases(BlockKind::Data),
            log_erases: ledger.erases(BlockKind::Log),
            switch: merges.switch,
            partial: merges.partial,
            full: merges.full,
        }
    }
}
