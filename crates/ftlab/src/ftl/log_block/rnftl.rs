//! RNFTL, reuse-aware NFTL (Wang et al., LCTES 2010; Liu et al., IEEE TVLSI 2012): NFTL that keeps primary blocks
//! with free pages.
//!
//! Idea     as `nftl`, but a merge does not erase a primary block with many erased pages. The block
//!          is kept, and its erased pages are the replacement block of the next logical block that
//!          needs one.
//! RAM      as `nftl`. In addition, each log block needs 4 B for the number of a kept block, and a
//!          bit per page. The bits mark the pages that were erased when it became a replacement
//!          block (choices.md#ram-payload).
//! Role     fewer erases where blocks are written in part. Where all pages hold data it equals
//!          `nftl`.
//! Departs  a reconstruction: we know the papers by their abstracts (choices.md#rnftl-rules).
//!          Assumed: the number of erased pages that counts as many, reuse of the block kept
//!          longest, and writes to its erased pages in ascending order. The rest is as in `nftl`.
//! Not here a device with ascending order.

use super::data_blocks::DataBlocks;
use super::{LogBlockFtl, LogBlocks};
use crate::cache::recent_map::RecentMap;
use crate::flash::{Cause, Device, Flash, Geometry, Owner};
use crate::ftl::Accounts;
use crate::ftl::design::{Setup, Spec};
use crate::ftl::parts::oob_map::bytes_of_number;
use crate::placement::survey::FoundBlock;
use crate::units::{Lbn, Lpn, Pbn, Ppn, Ratio};
use std::collections::{BTreeSet, VecDeque};

crate::settings! {
    /// RNFTL's own parameters.
    pub struct RnftlConfig in "rnftl" {
        /// Share of the pages of a primary block, at least one, that must be erased for a merge to
        /// keep it.
        many: Ratio = Ratio(0.5), in 0.0..=1.0, laws [0.0, 0.25, 0.5, 1.0].map(Ratio),
            source "choices.md#rnftl-rules";
    }
}

/// The replacement block of a logical block.
#[derive(Clone, Debug)]
struct Replacement {
    pbn: Pbn,
    /// Pages that were erased when it became one, ascending.
    pages: Vec<Ppn>,
    /// How many of them have been written.
    written: usize,
}

impl Replacement {
    fn is_full(&self) -> bool {
        self.written == self.pages.len()
    }
}

/// RNFTL.
#[derive(Clone, Debug)]
pub struct Rnftl {
    data: DataBlocks,
    /// By the number of the owner, and by the last write.
    replacements: RecentMap<Replacement>,
    /// Primary blocks that merges have kept, the one kept longest in front.
    kept: VecDeque<Pbn>,
    /// Minimum of erased pages of a kept block.
    many: u32,
    log_blocks: u32,
    log_bytes: u64,
    counts: Counts,
}

/// Counts in addition to those of the kinds of merges.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    kept: u64,
    reused: u64,
}

/// RNFTL under the engine of its family.
pub type RnftlFtl = LogBlockFtl<Rnftl>;

impl LogBlocks for Rnftl {
    type Settings = RnftlConfig;

    const SPEC: Spec = Spec {
        name: "rnftl",
        title: "RNFTL",
        summary: "nftl that keeps primary blocks with erased pages, as replacement blocks of others",
        source: "Wang et al., LCTES 2010",

        ..Spec::LOG_BLOCKS
    };

    fn new(
        data: DataBlocks,
        log_blocks: u32,
        setup: &Setup<RnftlConfig>,
        geometry: &Geometry,
    ) -> Self {
        let pages = geometry.pages_per_block;
        let Ratio(many) = setup.own.many;
        Rnftl {
            data,
            replacements: RecentMap::new(geometry.logical_blocks()),
            kept: VecDeque::new(),
            many: ((f64::from(pages) * many).ceil() as u32).max(1),
            log_blocks,
            log_bytes: u64::from(log_blocks)
                * u64::from(bytes_of_number(pages + 1) + 4 + pages.div_ceil(8)),
            counts: Counts::default(),
        }
    }

    /// Takes over the first replacement block of each logical block. Kept blocks are free
    /// afterwards.
    fn take_over(&mut self, flash: &mut Flash) {
        let (mut owners, most) = (BTreeSet::new(), self.log_blocks as usize);
        let mut found = self.data.place_logs(flash, |block, flash| {
            let (lbn, replacement) = Self::found(block, flash)?;
            (owners.len() < most && owners.insert(lbn)).then_some((lbn, replacement))
        });
        found.sort_by_cached_key(|(block, _)| block.written_last());
        for (_, (lbn, replacement)) in found {
            self.replacements.insert(lbn.0, replacement);
        }
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    /// Reads OOBs from the last page of the replacement block back to the newest version of a page.
    /// If it is not there, reads the OOB of its offset in the primary block.
    fn find(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Ppn> {
        let newest = self.data.newest(lpn);
        let lbn = flash.geometry().logical_block_of(lpn);
        if let Some(replacement) = self.replacements.get(lbn.0) {
            for page in replacement.pages[..replacement.written].iter().rev() {
                flash.read_oob(*page, Cause::Host);
                if newest == Some(*page) {
                    return newest;
                }
            }
        }
        self.data.look_at(lpn, flash);
        newest
    }

    /// Appends an overwrite to the replacement block of its logical block.
    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        self.data.look_at(lpn, flash);
        if self.data.program_in_place(lpn, flash) {
            return;
        }
        let lbn = flash.geometry().logical_block_of(lpn);
        if self.replacements.get(lbn.0).is_some_and(Replacement::is_full) {
            self.merge(lbn, flash);
            if self.data.program_in_place(lpn, flash) {
                return;
            }
        }
        if !self.replacements.contains(lbn.0) {
            self.open(lbn, flash);
        }
        self.replacements.touch(lbn.0);
        let replacement = self.replacements.get_mut(lbn.0).expect("a replacement block");
        let page = replacement.pages[replacement.written];
        replacement.written += 1;
        self.data.program(lpn, page, flash);
    }

    fn cost_of_writing(&self, pages: &[Lpn], flash: &Flash) -> Option<u64> {
        let lbn = flash.geometry().logical_block_of(pages[0]);
        let own = self.replacements.get(lbn.0);
        let room = own.map_or(0, |replacement| replacement.pages.len() - replacement.written);
        let merged = match own {
            _ if self.data.overwrites(pages, flash) <= room => None,
            Some(_) => Some(lbn),
            None if self.must_merge() => self.replacements.least_recent().map(Lbn),
            None => None,
        };
        Some(merged.map_or(0, |lbn| self.data.pages_held(lbn, 0, flash)))
    }

    fn table_bytes(&self) -> u64 {
        2 * self.data.table_bytes() + self.log_bytes
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        let replacements = self.replacements.iter().map(|(_, replacement)| replacement.pbn);
        replacements.chain(self.kept.iter().copied()).collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("rnftl.log_blocks", u64::from(self.log_blocks)),
            ("rnftl.blocks_kept", self.counts.kept),
            ("rnftl.blocks_reused", self.counts.reused),
        ]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }

    fn accounts(&self) -> Accounts {
        Accounts { blocks_kept: self.counts.kept, ..self.data.accounts() }
    }

    fn audit(&self, device: &Device) {
        assert!(self.log_blocks().len() <= self.log_blocks as usize, "too many log blocks");
        self.replacements.audit();
        for (lbn, replacement) in self.replacements.iter() {
            let (written, erased) = replacement.pages.split_at(replacement.written);
            assert!(written.iter().all(|page| device.is_programmed(*page)), "written pages");
            assert!(erased.iter().all(|page| !device.is_programmed(*page)), "pages to be written");
            let newest = device
                .geometry()
                .logical_pages_of(Lbn(lbn))
                .filter_map(|lpn| self.data.newest(lpn));
            let valid = newest.filter(|page| written.contains(page)).count();
            assert_eq!(valid, device.valid_in(replacement.pbn) as usize, "pages of others");
            let mut met = BTreeSet::new();
            for page in written.iter().rev() {
                let owner = device.audit_owner(*page);
                let is_first = matches!(owner, Some(Owner::Data(lpn)) if met.insert(lpn));
                assert!(
                    is_first || !device.is_valid(*page),
                    "page {page} is behind an older version"
                );
            }
        }
        for pbn in &self.kept {
            assert_eq!(device.valid_in(*pbn), 0, "valid pages in block {pbn}, which is kept");
            assert!(self.has_many_erased(*pbn, device), "too few erased pages in block {pbn}");
        }
    }
}

impl Rnftl {
    /// A block with pages of one logical block in the order in which they were written. Earlier
    /// pages of other logical blocks may be in it.
    fn found(block: &FoundBlock, flash: &Flash) -> Option<(Lbn, Replacement)> {
        let geometry = flash.geometry();
        let owners = block.owners(flash);
        let lbn = *owners.first().filter(|_| owners.len() == 1 && block.can_be_read(flash))?;
        let own = || block.pages.iter().filter(|page| geometry.logical_block_of(page.lpn()) == lbn);
        let in_order = own().is_sorted_by_key(|page| page.sequence);
        let last = own().next_back().filter(|_| in_order)?.ppn;
        let all = (0..geometry.pages_per_block).map(|page| geometry.page_at(block.pbn, page));
        let behind = all.filter(|page| *page > last && !flash.is_programmed(*page));
        let pages: Vec<Ppn> = own().map(|page| page.ppn).chain(behind).collect();
        Some((lbn, Replacement { pbn: block.pbn, pages, written: own().count() }))
    }

    /// Gives a logical block a replacement block: a kept one or a fresh one. If all are in use, the
    /// logical block written least recently is merged for a fresh one.
    fn open(&mut self, lbn: Lbn, flash: &mut Flash) {
        if self.must_merge() {
            let oldest = self.replacements.least_recent().expect("all log blocks are in use");
            self.merge(Lbn(oldest), flash);
        }
        self.counts.reused += u64::from(!self.kept.is_empty());
        let pbn = self.kept.pop_front().unwrap_or_else(|| self.data.take());
        let geometry = flash.geometry();
        let all = (0..geometry.pages_per_block).map(|page| geometry.page_at(pbn, page));
        let pages = unless_bug!(
            RnftlWritesOver,
            all.filter(|page| !flash.is_programmed(*page)).collect(),
            all.collect()
        );
        self.replacements.insert(lbn.0, Replacement { pbn, pages, written: 0 });
    }

    /// Whether no block is kept, and all log blocks are in use.
    fn must_merge(&self) -> bool {
        let (in_use, most) = (self.replacements.len(), self.log_blocks as usize);
        let is_full = unless_bug!(RnftlOneTooMany, in_use == most, in_use > most);
        self.kept.is_empty() && is_full
    }

    /// Copies the newest pages of a logical block to a fresh block. Its primary block is kept if
    /// many of its pages are erased.
    fn merge(&mut self, lbn: Lbn, flash: &mut Flash) {
        let replacement = self.replacements.remove(lbn.0).expect("a replacement block");
        self.look_for_pages(lbn, &replacement, flash);
        let primary = self.data.merge_aside(lbn, None, flash);
        if self.has_many_erased(primary, flash) {
            self.counts.kept += 1;
            unless_bug!(RnftlKeptLost, self.kept.push_back(primary));
        } else {
            self.data.release(primary, flash);
        }
        self.data.release_log(replacement.pbn, flash);
    }

    fn has_many_erased(&self, pbn: Pbn, flash: &Flash) -> bool {
        flash.pages_of(pbn) - flash.programmed_in(pbn) >= self.many
    }

    /// Reads the OOBs that a merge needs to find pages: those of the replacement block, and of the
    /// empty offsets of the primary block. A copied page includes its OOB.
    fn look_for_pages(&mut self, lbn: Lbn, replacement: &Replacement, flash: &mut Flash) {
        for page in &replacement.pages[..replacement.written] {
            flash.read_oob(*page, Cause::Merge);
        }
        self.data.look_where_nothing_is(lbn, flash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::ftl::log_block::nftl::NftlFtl;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Design, Ftl};
    use crate::rng::Rng;

    /// Block 0 half fills a primary block with 1, and is rewritten until its replacement block is
    /// full. The merge erases that, and keeps the primary block, whose pages 2 and 3 are the
    /// replacement block of 4.
    #[test]
    fn the_worked_example_writes_into_the_primary_block_that_was_kept() {
        let mut bench = Bench::<RnftlFtl>::empty(8, 2, |_| {});
        assert_eq!(bench.writes(&[0, 1, 0, 0, 0, 0]), Cost::of(6));
        let merge = Cost { copies: 2, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[0]), merge, "no primary block is erased");
        let own = bench.ftl.metrics().own;
        assert_eq!((own["rnftl.blocks_kept"], own["rnftl.blocks_reused"]), (1, 1));
        assert_eq!(bench.write(&[1]), Cost::of(1), "its other erased page");
        assert_eq!(bench.oob_reads(0), 2, "of the pages that were erased, the last one first");
        assert_eq!(bench.write(&[0]), merge, "which is full with two");
    }

    #[test]
    fn a_primary_block_with_few_erased_pages_is_erased() {
        let mut bench = Bench::<RnftlFtl>::empty(8, 2, |_| {});
        bench.writes(&[0, 1, 2, 0, 0, 0, 0]);
        let merge = Cost { copies: 3, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[0]), merge);
    }

    /// The only log block is that of block 0, which is merged for block 1. The primary block of 0
    /// becomes the log block of 1.
    #[test]
    fn a_kept_block_is_the_replacement_block_of_another() {
        let mut bench = Bench::<RnftlFtl>::empty(8, 2, |_| {});
        bench.writes(&[0, 0, 4]);
        let merge = Cost { copies: 1, log_erases: 1, full: 1, ..Cost::of(3) };
        assert_eq!(bench.writes(&[4, 4, 4]), merge, "three erased pages");
        assert_eq!(bench.ftl.logs.kept.len(), 0);
    }

    #[test]
    fn what_a_page_costs_is_known_before_it_is_written() {
        let mut bench = Bench::<RnftlFtl>::empty(8, 4, |_| {});
        let mut rng = Rng::new(3, "rnftl");
        for _ in 0..2000 {
            if rng.below(4) == 0 {
                bench.trim(rng.below(32) as u32);
            }
            let page = rng.below(32) as u32;
            let told = bench.ftl.cost_of_writing(&[Lpn(page)], &bench.flash);
            assert_eq!(Some(bench.write(&[page]).copies), told, "page {page}");
        }
    }

    #[test]
    fn where_all_pages_hold_data_it_is_nftl() {
        let mut rnftl = Bench::<RnftlFtl>::new(8, 4, |_| {});
        let mut nftl = Bench::<NftlFtl>::new(8, 4, |_| {});
        let mut rng = Rng::new(1, "rnftl");
        for _ in 0..2000 {
            let page = rng.below(32) as u32;
            assert_eq!(rnftl.write(&[page]), nftl.write(&[page]), "page {page}");
        }
    }

    /// 2048 logical blocks, 306 log blocks of 64 pages.
    #[test]
    fn ram_is_that_of_nftl_and_a_number_and_bits_for_each_log_block() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = RnftlFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 8 * 2048 + 306 * (4 + 8 + 1));
    }
}
