//! Log-block FTLs: data blocks are mapped block by block, and log blocks hold newer versions of
//! pages until a merge.
//!
//! The family is one engine, [`LogBlockFtl`], over [`LogBlocks`]: an FTL decides where an overwrite
//! goes, and when what is merged.

pub mod aftl;
pub mod bast;
pub mod block;
pub mod block_map;
pub mod data_blocks;
pub mod fast;
pub mod kast;
pub mod last;
pub mod nftl;
pub mod nftl_chain;
pub mod owned_logs;
pub mod random_logs;
pub mod rebuild;
pub mod rnftl;
pub mod sast;
pub mod sequential_log;
pub mod waftl;

pub use aftl::AftlConfig;
pub use data_blocks::LogConfig;
pub use fast::{FastConfig, FastRules};
pub use kast::KastConfig;
pub use last::LastConfig;
pub use rnftl::RnftlConfig;
pub use sast::SastConfig;
pub use waftl::WaftlConfig;

use super::{Access, Accounts, Design, Ftl, FtlMetrics, Mount, RamUse, Setup, Spec};
use crate::error::Error;
use crate::flash::{Device, Flash, Geometry};
use crate::settings::Group;
use crate::units::{Lpn, Pbn, Ppn};
use data_blocks::{Begin, DataBlocks};

/// What a log-block FTL decides, over its data blocks and log blocks.
pub trait LogBlocks: Clone + Send + Sized + 'static {
    /// Its own settings.
    type Settings: Group;

    /// Its description.
    const SPEC: Spec;

    /// Log blocks that it needs at least; 0 for an FTL without any.
    const LEAST: u32 = 1;

    /// How it finds its data blocks after power was lost.
    const MOUNT: Begin = DataBlocks::mount;

    /// No log block in use, of `log_blocks`.
    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<Self::Settings>,
        geometry: &Geometry,
    ) -> Self;

    /// Takes over the log blocks found after power was lost ([`DataBlocks::place_logs`]).
    fn take_over(&mut self, flash: &mut Flash);

    /// The data blocks.
    fn data(&self) -> &DataBlocks;

    /// The data blocks.
    fn data_mut(&mut self) -> &mut DataBlocks;

    /// Finds the newest version of a page for a read, with the reads of maps and OOBs that it takes.
    fn find(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Ppn> {
        self.data_mut().find(lpn, flash)
    }

    /// Notes the pages of a request before they are written.
    fn begin_request(&mut self, _pages: &[Lpn]) {}

    /// Writes a page for the host: at its own offset if that is erased, otherwise to a log block.
    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash);

    /// Invalidates the newest version of a page that is trimmed or about to be overwritten.
    fn invalidate(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.data_mut().unmap(lpn, flash);
    }

    /// Invalidates a page that is about to be overwritten before room is made for it, unless power
    /// may be cut in between (choices.md#early-invalidation).
    fn invalidate_early(&mut self, lpn: Lpn, flash: &mut Flash) {
        let may_be_early = unless_bug!(LogInvalidatesEarly, !flash.may_lose_power(), true);
        if may_be_early {
            self.invalidate(lpn, flash);
        }
    }

    /// As [`Ftl::cost_of_writing`].
    fn cost_of_writing(&self, _pages: &[Lpn], _flash: &Flash) -> Option<u64> {
        None
    }

    /// Bytes of RAM of all tables.
    fn table_bytes(&self) -> u64;

    /// The log blocks in use.
    fn log_blocks(&self) -> Vec<Pbn>;

    /// Its own metrics, by name.
    fn own_metrics(&self) -> Vec<(&'static str, u64)>;

    /// Resets its own counts.
    fn reset_counts(&mut self) {}

    /// As [`Ftl::accounts`].
    fn accounts(&self) -> Accounts {
        self.data().accounts()
    }

    /// Recomputes the invariants of the log blocks.
    ///
    /// # Panics
    /// When one does not hold.
    fn audit(&self, device: &Device);
}

/// A log-block FTL: one engine over what it decides.
#[derive(Clone, Debug)]
pub struct LogBlockFtl<L> {
    pub(super) logs: L,
}

impl<L: LogBlocks> LogBlockFtl<L> {
    /// Goes on after power was lost.
    ///
    /// # Errors
    /// As [`Design::build`].
    pub fn mount(setup: &Setup<L::Settings>, flash: &mut Flash) -> Result<Self, Error> {
        let mut ftl = Self::over(L::MOUNT, setup, flash)?;
        ftl.logs.take_over(flash);
        Ok(ftl)
    }

    fn over(data: Begin, setup: &Setup<L::Settings>, flash: &mut Flash) -> Result<Self, Error> {
        let log_blocks = match L::LEAST {
            0 => 0,
            least => setup.log.blocks(flash.geometry(), least)?,
        };
        let data = data(flash, setup.log.map, log_blocks)?;
        Ok(LogBlockFtl { logs: L::new(data, log_blocks, setup, flash.geometry()) })
    }
}

impl<L: LogBlocks> Design for LogBlockFtl<L> {
    type Settings = L::Settings;

    const SPEC: Spec = L::SPEC;
    const MOUNT: Option<Mount<Self>> = Some(Self::mount);

    fn build(setup: &Setup<L::Settings>, flash: &mut Flash) -> Result<Self, Error> {
        Self::over(DataBlocks::new, setup, flash)
    }
}

impl<L: LogBlocks> Ftl for LogBlockFtl<L> {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let newest = self.logs.find(lpn, flash);
            flash.host_read(lpn, newest);
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        self.logs.begin_request(pages);
        for &lpn in pages {
            flash.begin_page();
            self.logs.write_page(lpn, flash);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            unless_bug!(LogTrimmedKept, self.logs.invalidate(lpn, flash));
            flash.trim(lpn);
        }
    }

    fn cost_of_writing(&self, pages: &[Lpn], flash: &Flash) -> Option<u64> {
        self.logs.cost_of_writing(pages, flash)
    }

    fn locate(&self, lpn: Lpn) -> Option<Ppn> {
        self.logs.data().newest(lpn)
    }

    fn ram(&self) -> RamUse {
        RamUse { tables: self.logs.table_bytes(), ..RamUse::default() }
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.logs.log_blocks()
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics {
            merges: Some(self.logs.data().merges()),
            own: self.logs.own_metrics().into_iter().collect(),
            ..FtlMetrics::default()
        }
    }

    fn reset_metrics(&mut self) {
        self.logs.data_mut().reset_counts();
        self.logs.reset_counts();
    }

    fn accounts(&self) -> Accounts {
        self.logs.accounts()
    }

    fn audit(&self, device: &Device) {
        self.logs.data().audit(&self.logs.log_blocks(), device);
        self.logs.audit(device);
    }
}
