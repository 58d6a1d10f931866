//! FAST as `FlashSim` (Pennsylvania State University, 2009) has it, bug for bug.
//!
//! Idea     one sequential log block, and random ones that are filled and reclaimed in turn. A page that holds an old
//!          version is "invalid", which the program writes as -1 into an unsigned word and then does not recognise. Neither
//!          a read nor a merge therefore looks into the log. What lies there is left behind and erased with it. A
//!          victim costs one full merge for each of its valid pages.
//! Role     the FAST with which DFTL and many later FTLs were compared (choices.md#fast-flashsim).
//! Departs  the program ends at a read of a logical block that was never written, and at the last page of the device;
//!          this reads nothing, and serves it. Its counters overflow with 128 pages in a block; these do not. A trim,
//!          which it does not know, changes nothing.
//! Options  with [`Sign::Mended`] the sign is right and the other bug is left: entries of the log that are older than
//!          the data block.
//!
//! Data is lost by design: the FTL declares it ([`Flash::declare_loss`]), and the truth counts it.

mod merges;
mod random_log;

use super::{FastConfig, FullSequential, LEAST_LOG_BLOCKS, place};
use crate::error::Error;
use crate::flash::{Cause, Device, Flash, Owner};
use crate::ftl::design::Setup;
use crate::ftl::log_block::block_map::LogMap;
use crate::ftl::{Access, Ftl, FtlMetrics, MergeCounts, RamUse};
use crate::placement::free_blocks::FreeBlocks;
use crate::stop::stop;
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use random_log::RandomLog;
use std::collections::BTreeMap;

/// Whether the program recognises an invalid page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// As published: it does not.
    Lost,
    /// It does.
    Mended,
}

/// `FlashSim`'s FAST.
#[derive(Clone, Debug)]
pub struct FlashSim {
    sign: Sign,
    /// Per logical block, its data block.
    data: Vec<Option<Pbn>>,
    free: FreeBlocks,
    sequential: Sequential,
    random: RandomLog,
    ram: u64,
    merges: MergeCounts,
    counts: Counts,
}

/// The sequential log block: the first `filled` pages of its owner, in order.
#[derive(Clone, Copy, Debug, Default)]
struct Sequential {
    /// None until the first overwrite of any page.
    pbn: Option<Pbn>,
    owner: Option<Lbn>,
    filled: u32,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    reclaims: u64,
    sequential_full: u64,
}

impl FlashSim {
    /// On an erased device.
    pub(super) fn build(
        sign: Sign,
        setup: &Setup<FastConfig>,
        flash: &mut Flash,
    ) -> Result<Self, Error> {
        refuse_what_it_lacks(setup)?;
        flash.allow_any_order()?;
        let geometry = flash.geometry();
        let spare = geometry.blocks() - geometry.logical_blocks();
        let log_blocks = setup.log.blocks.unwrap_or(spare);
        if !(LEAST_LOG_BLOCKS..=spare).contains(&log_blocks) {
            let message = format!(
                "found {log_blocks}, expected {LEAST_LOG_BLOCKS} to {spare}, the blocks beyond the logical ones"
            );
            return Err(Error::config("log.blocks", message));
        }
        let pages = geometry.pages_per_block;
        let table = 4 * u64::from(geometry.logical_blocks());
        let bits = u64::from(geometry.logical_pages).div_ceil(8);
        Ok(FlashSim {
            sign,
            data: vec![None; geometry.logical_blocks() as usize],
            free: FreeBlocks::all(geometry),
            sequential: Sequential::default(),
            random: RandomLog::new(log_blocks - 1, pages, geometry.logical_pages),
            ram: table + bits + u64::from(log_blocks) * (4 + 4 * u64::from(pages)),
            merges: MergeCounts::default(),
            counts: Counts::default(),
        })
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        let (lbn, offset) = place(lpn, flash);
        if self.data[lbn.index()].is_none() {
            self.data[lbn.index()] = Some(self.take());
        }
        let slot = self.slot(lpn, flash);
        if !flash.is_programmed(slot) {
            // Even if the log has an entry of this page, which is stale from now on.
            return flash.program(slot, Owner::Data(lpn), Cause::Host);
        }
        if self.sequential.pbn.is_none() {
            self.renew_sequential();
        }
        if offset == 0 {
            self.open_sequential(lpn, flash);
        } else if self.sequential.owner == Some(lbn) {
            self.go_on_in_sequential(lpn, flash);
        } else {
            self.append_random(lpn, flash);
        }
    }

    /// Offset 0 of a logical block: no entry of the random log is looked for.
    fn open_sequential(&mut self, lpn: Lpn, flash: &mut Flash) {
        match self.sequential.filled {
            0 => {}
            filled if filled == flash.geometry().pages_per_block => self.merge_switch(flash),
            _ => self.merge_partial(Some(lpn), flash),
        }
        invalidate(self.slot(lpn, flash), flash);
        self.sequential.owner = Some(place(lpn, flash).0);
        self.append_sequential(lpn, flash);
    }

    /// A page of the logical block that the sequential log is filled for.
    fn go_on_in_sequential(&mut self, lpn: Lpn, flash: &mut Flash) {
        let (_, offset) = place(lpn, flash);
        if offset == self.sequential.filled {
            self.append_sequential(lpn, flash);
            self.retire(lpn, flash);
        } else if offset < self.sequential.filled {
            self.merge_sequential(lpn, flash);
        } else {
            self.merge_partial(Some(lpn), flash);
        }
    }

    fn append_sequential(&mut self, lpn: Lpn, flash: &mut Flash) {
        let page = self.sequential_page(self.sequential.filled, flash);
        flash.program(page, Owner::Data(lpn), Cause::Host);
        self.sequential.filled += 1;
    }

    fn append_random(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.retire(lpn, flash);
        if self.random.is_full() {
            self.reclaim(flash);
        } else if self.random.needs_block() {
            let pbn = self.take();
            self.random.open(pbn);
        }
        let page = self.random.append(lpn, flash.geometry());
        flash.program(page, Owner::Data(lpn), Cause::Host);
    }

    /// Retires the version before: the entry of the random log if one is valid, and then not the data page.
    fn retire(&mut self, lpn: Lpn, flash: &mut Flash) {
        let logged = self.random.take_valid(lpn, flash.geometry());
        let page = logged.unwrap_or_else(|| self.slot(lpn, flash));
        invalidate(page, flash);
    }

    /// The page of a logical page in its data block.
    fn slot(&self, lpn: Lpn, flash: &Flash) -> Ppn {
        let (lbn, offset) = place(lpn, flash);
        flash.geometry().page_at(self.home(lbn), offset)
    }

    fn home(&self, lbn: Lbn) -> Pbn {
        self.data[lbn.index()].expect("a logical block in a log has a data block")
    }

    fn sequential_page(&self, offset: u32, flash: &Flash) -> Ppn {
        let pbn = self.sequential.pbn.expect("the sequential log has a block");
        flash.geometry().page_at(pbn, offset)
    }

    /// Where a read looks. An invalid page is looked for in the logs if its sign is recognised.
    fn find(&self, lpn: Lpn, flash: &Flash) -> Ppn {
        let slot = self.slot(lpn, flash);
        let is_invalid = flash.is_programmed(slot) && !flash.is_valid(slot);
        if self.sign == Sign::Lost || !is_invalid {
            return slot;
        }
        let (lbn, offset) = place(lpn, flash);
        if self.sequential.owner == Some(lbn) && offset < self.sequential.filled {
            return self.sequential_page(offset, flash);
        }
        self.random.valid(lpn, flash.geometry()).unwrap_or(slot)
    }

    /// Takes a free block.
    fn take(&mut self) -> Pbn {
        self.free.take().unwrap_or_else(|| {
            let message = "found a merge with no free block left, where FlashSim stops, too: all logical blocks \
                           are written; expected fewer log.blocks, or a larger device.capacity";
            stop(Error::config("log.blocks", message))
        })
    }
}

impl Ftl for FlashSim {
    fn read(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            let (lbn, _) = place(lpn, flash);
            match self.data[lbn.index()] {
                Some(_) => flash.host_read_as_is(lpn, self.find(lpn, flash)),
                None => flash.host_read(lpn, None),
            }
        }
    }

    fn write(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            self.write_page(lpn, flash);
        }
    }

    fn trim(&mut self, Access { pages, .. }: Access<'_>, flash: &mut Flash) {
        for &lpn in pages {
            flash.begin_page();
            flash.trim(lpn);
        }
    }

    fn ram(&self) -> RamUse {
        RamUse { tables: self.ram, ..RamUse::default() }
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.random.blocks().chain(self.sequential.pbn).collect()
    }

    fn metrics(&self) -> FtlMetrics {
        FtlMetrics {
            merges: Some(self.merges),
            own: BTreeMap::from([
                ("fast.log_blocks", 1 + u64::from(self.random.most())),
                ("fast.random_reclaims", self.counts.reclaims),
                ("fast.sequential_full_merges", self.counts.sequential_full),
            ]),
            ..FtlMetrics::default()
        }
    }

    fn reset_metrics(&mut self) {
        self.merges = MergeCounts::default();
        self.counts = Counts::default();
    }

    fn audit(&self, device: &Device) {
        device.audit();
        let owner = self.sequential.owner;
        assert_eq!(owner.is_some(), self.sequential.filled > 0, "the owner of the sequential log");
        self.random.audit(device);
    }
}

/// Invalidates a page, unless it is invalid: with the sign mended the program has assertions that fail there.
fn invalidate(page: Ppn, flash: &mut Flash) {
    if flash.is_valid(page) {
        flash.invalidate(page);
    }
}

/// Settings of the paper's FAST that the program does not have.
fn refuse_what_it_lacks(setup: &Setup<FastConfig>) -> Result<(), Error> {
    let rules = setup.own.rules.name();
    if setup.log.map != LogMap::Ram {
        let message =
            format!("found flash, expected ram: fast.rules = {rules} keeps its map in RAM");
        return Err(Error::config("log.map", message));
    }
    if setup.own.full_sequential != FullSequential::Merge {
        let message = format!(
            "found {}, expected merge: fast.rules = {rules} knows nothing else",
            setup.own.full_sequential.name()
        );
        return Err(Error::config("fast.full_sequential", message));
    }
    Ok(())
}
