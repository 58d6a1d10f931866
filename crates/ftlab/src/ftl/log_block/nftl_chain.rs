//! NFTL with chains of replacement blocks (Ban, US patent 5,937,425; "NFTL-2"), as the Linux driver
//! has it.
//!
//! Idea     every block keeps pages at their own offsets. An overwrite goes to the first block of
//!          the logical block's chain whose offset is erased. When there is none, the chain grows.
//!          When no block is left, the longest chain is folded: the pages that its last block lacks
//!          are copied there, and it becomes the primary block. Only the OOB of an offset shows its
//!          content (choices.md#nftl-oob).
//! RAM      4 B for each logical block, its first block, and 4 B for each physical one, the next of its
//!          chain (choices.md#ram-payload).
//! Role     the oldest log blocks; rewriting one page over and over wastes whole blocks.
//! Departs  a chain is folded when `log.blocks` are in use, not when fewer than two blocks are
//!          free. The effect is the same once every logical block has its first
//!          (choices.md#nftl-victim).
//! Not here a device with ascending order.

use super::data_blocks::DataBlocks;
use super::{LogBlockFtl, LogBlocks};
use crate::flash::{Cause, Device, Flash, Geometry};
use crate::ftl::design::{Setup, Spec};
use crate::units::{Lbn, Lpn, Pbn, Ppn};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// NFTL with a chain of replacement blocks for each logical block.
#[derive(Clone, Debug)]
pub struct NftlChain {
    data: DataBlocks,
    /// The replacement blocks of each logical block, in order.
    chains: Vec<Vec<Pbn>>,
    /// Logical blocks with replacement blocks: longest chain first, lowest number among equals.
    by_length: BTreeSet<(Reverse<usize>, Lbn)>,
    in_use: u32,
    log_blocks: u32,
    link_bytes: u64,
}

/// NFTL-2 under the engine of its family.
pub type NftlChainFtl = LogBlockFtl<NftlChain>;

impl LogBlocks for NftlChain {
    type Settings = ();

    const SPEC: Spec = Spec {
        name: "nftl-chain",
        title: "NFTL-2",
        summary: "chains of replacement blocks with fixed offsets, the longest folded first",
        source: "Ban, US patent 5,937,425, 1999, by the Linux driver (\"NFTL-2\")",

        ..Spec::LOG_BLOCKS
    };

    fn new(data: DataBlocks, log_blocks: u32, _: &Setup, geometry: &Geometry) -> Self {
        NftlChain {
            data,
            chains: vec![Vec::new(); geometry.logical_blocks() as usize],
            by_length: BTreeSet::new(),
            in_use: 0,
            log_blocks,
            link_bytes: 4 * u64::from(geometry.blocks()),
        }
    }

    /// Takes over the chains in the order in which they grew. It folds a chain in which a cut
    /// interrupted a merge or a program.
    fn take_over(&mut self, flash: &mut Flash) {
        let mut room = self.log_blocks;
        let chained = self.data.place_logs(flash, |block, flash| {
            let lbn = block.in_place(flash.geometry())?;
            room = room.checked_sub(1)?;
            Some(lbn)
        });
        for (block, lbn) in chained {
            self.append(lbn, block.pbn);
        }
        for lbn in (0..self.chains.len() as u32).map(Lbn) {
            let mut pages = flash.geometry().logical_pages_of(lbn);
            if !pages.all(|lpn| self.is_in_order(lpn, flash)) {
                self.data.merge_full(lbn, None, flash);
                self.cut(lbn).into_iter().for_each(|pbn| self.data.release_log(pbn, flash));
            }
        }
    }

    fn data(&self) -> &DataBlocks {
        &self.data
    }

    fn data_mut(&mut self) -> &mut DataBlocks {
        &mut self.data
    }

    fn find(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Ppn> {
        self.search(lpn, flash);
        self.data.newest(lpn)
    }

    fn write_page(&mut self, lpn: Lpn, flash: &mut Flash) {
        let lbn = flash.geometry().logical_block_of(lpn);
        if self.data.block(lbn, flash).is_none() {
            self.data.program_in_place(lpn, flash);
            return;
        }
        let free = unless_bug!(
            ChainWritesBehindErased,
            self.search(lpn, flash),
            self.slots(lpn, flash).filter(|p| !flash.is_programmed(*p)).last()
        );
        if let Some(page) = free {
            self.data.program(lpn, page, flash);
        } else if self.in_use == self.log_blocks && self.longest() == lbn {
            let chain = self.cut(lbn);
            self.look_back(lbn, &chain, None, Some(lpn), flash);
            unless_bug!(
                ChainFoldsInPlace,
                self.data.merge_full(lbn, Some(lpn), flash),
                self.data.merge_into(lbn, chain[0], 0, Some(lpn), flash)
            );
            chain.into_iter().for_each(|pbn| self.data.release_log(pbn, flash));
        } else {
            if self.in_use == self.log_blocks {
                self.fold(self.longest(), flash);
            }
            let pbn = self.grow(lbn);
            let page = flash.geometry().first_page(pbn).0 + flash.geometry().offset_of(lpn);
            self.data.program(lpn, Ppn(page), flash);
        }
    }

    fn table_bytes(&self) -> u64 {
        self.data.table_bytes() + self.link_bytes
    }

    fn log_blocks(&self) -> Vec<Pbn> {
        self.chains.iter().flatten().copied().collect()
    }

    fn own_metrics(&self) -> Vec<(&'static str, u64)> {
        vec![("nftl-chain.log_blocks", u64::from(self.log_blocks))]
    }

    fn audit(&self, device: &Device) {
        assert_eq!(self.log_blocks().len(), self.in_use as usize, "replacement blocks in use");
        assert!(self.in_use <= self.log_blocks, "too many replacement blocks");
        let chains = (0..).map(Lbn).zip(&self.chains).filter(|(_, chain)| !chain.is_empty());
        let lengths: BTreeSet<_> = chains.map(|(lbn, chain)| (Reverse(chain.len()), lbn)).collect();
        assert_eq!(lengths, self.by_length, "chains by length");
        for lpn in (0..device.geometry().logical_pages).map(Lpn) {
            assert!(self.is_in_order(lpn, device), "{lpn} in its chain");
        }
    }
}

impl NftlChain {
    /// The possible pages of a logical page in a chain, in order.
    fn slots(&self, lpn: Lpn, flash: &Flash) -> impl Iterator<Item = Ppn> {
        let geometry = flash.geometry();
        let lbn = geometry.logical_block_of(lpn);
        let (offset, pages) = (geometry.offset_of(lpn), geometry.pages_per_block);
        let chain =
            self.data.audit_block(lbn).into_iter().chain(self.chains[lbn.index()].iter().copied());
        chain.map(move |pbn| Ppn(pbn.0 * pages + offset))
    }

    /// Reads the OOBs at the page's offset along the chain, up to the first erased one. A write goes to that
    /// erased page, if there is one; the page before it holds the newest version.
    fn search(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Ppn> {
        let geometry = flash.geometry();
        let lbn = geometry.logical_block_of(lpn);
        let offset = geometry.offset_of(lpn);
        let primary = self.data.block(lbn, flash);
        for pbn in primary.iter().chain(&self.chains[lbn.index()]) {
            let page = Ppn(flash.geometry().first_page(*pbn).0 + offset);
            if !flash.look(page, Cause::Host) {
                return Some(page);
            }
        }
        None
    }

    fn longest(&self) -> Lbn {
        self.by_length.first().expect("all replacement blocks are in use").1
    }

    /// Copies the newest pages of a chain to its last block, where the offsets whose newest version is in an
    /// earlier block are still erased.
    fn fold(&mut self, lbn: Lbn, flash: &mut Flash) {
        let mut chain = self.cut(lbn);
        self.look_back(lbn, &chain, chain.last().copied(), None, flash);
        let last = chain.pop().expect("a chain with replacement blocks");
        self.data.merge_into(lbn, last, 0, None, flash);
        unless_bug!(
            ChainFoldLeaks,
            chain.into_iter().for_each(|pbn| self.data.release_log(pbn, flash))
        );
    }

    /// Reads the OOBs of each offset from the last block of a chain back to the newest page, for a
    /// merge into the block `to`. A copied page includes its OOB. The page that the host writes is
    /// not searched for.
    fn look_back(
        &mut self,
        lbn: Lbn,
        chain: &[Pbn],
        to: Option<Pbn>,
        host: Option<Lpn>,
        flash: &mut Flash,
    ) {
        let primary = self.data.block(lbn, flash);
        for (offset, lpn) in (0..).zip(flash.geometry().logical_pages_of(lbn)) {
            if host == Some(lpn) {
                continue;
            }
            for pbn in chain.iter().rev().chain(&primary) {
                let page = flash.geometry().page_at(*pbn, offset);
                let is_copied = self.data.newest(lpn) == Some(page) && to != Some(*pbn);
                if is_copied || flash.look(page, Cause::Merge) {
                    break;
                }
            }
        }
    }

    /// Removes and returns the replacement blocks of a logical block.
    fn cut(&mut self, lbn: Lbn) -> Vec<Pbn> {
        let chain = std::mem::take(&mut self.chains[lbn.index()]);
        self.by_length.remove(&(Reverse(chain.len()), lbn));
        self.in_use -= chain.len() as u32;
        chain
    }

    /// Appends a fresh block to a chain.
    fn grow(&mut self, lbn: Lbn) -> Pbn {
        let pbn = self.data.take();
        self.append(lbn, pbn);
        pbn
    }

    fn append(&mut self, lbn: Lbn, pbn: Pbn) {
        let chain = &mut self.chains[lbn.index()];
        unless_bug!(ChainFoldsShortest, self.by_length.remove(&(Reverse(chain.len()), lbn)));
        chain.push(pbn);
        self.by_length.insert((Reverse(chain.len()), lbn));
        self.in_use += 1;
    }

    /// A page's offset is programmed in the first blocks of the chain and erased in the others; its
    /// newest version is in the last one in which it is programmed.
    fn is_in_order(&self, lpn: Lpn, flash: &Flash) -> bool {
        let slots: Vec<Ppn> = self.slots(lpn, flash).collect();
        let programmed = slots.iter().take_while(|page| flash.is_programmed(**page)).count();
        let last = slots[..programmed].last().copied();
        slots[programmed..].iter().all(|page| !flash.is_programmed(*page))
            && self.data.newest(lpn).is_none_or(|newest| last == Some(newest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceConfig;
    use crate::flash::Operation;
    use crate::ftl::parts::bench::{Bench, Cost};
    use crate::ftl::{Design, Ftl};

    /// A bench with `log_blocks` replacement blocks; all pages are written once.
    fn bench(log_blocks: u32) -> Bench<NftlChainFtl> {
        Bench::<NftlChainFtl>::new(8, log_blocks + 1, |_| {})
    }

    /// A chain of three blocks is folded into its last.
    #[test]
    fn the_longest_chain_is_folded_in_place() {
        let mut bench = bench(2);
        assert_eq!(bench.writes(&[0, 0, 1, 2, 3]), Cost::of(5), "0 twice: a chain of 3");
        let fold = Cost { copies: 3, data_erases: 1, log_erases: 1, partial: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[4]), fold);
    }

    #[test]
    fn a_replacement_block_with_all_pages_is_folded_for_nothing() {
        let mut bench = bench(1);
        assert_eq!(bench.writes(&[3, 1, 0, 2]), Cost::of(4), "in any order");
        let switch = Cost { data_erases: 1, switch: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[4]), switch);
    }

    /// As in the Linux driver, the page that waits to be written is not copied.
    #[test]
    fn the_own_chain_is_folded_into_a_fresh_block() {
        let mut bench = bench(1);
        bench.writes(&[0, 1]);
        let full = Cost { copies: 3, data_erases: 1, log_erases: 1, full: 1, ..Cost::of(1) };
        assert_eq!(bench.write(&[0]), full);
    }

    #[test]
    fn a_read_looks_along_the_chain() {
        let mut bench = bench(2);
        bench.writes(&[0, 0, 1]);
        assert_eq!(
            [0, 1, 2].map(|lpn| bench.oob_reads(lpn)),
            [3, 2 + 1, 1 + 1],
            "to an erased one"
        );
    }

    /// The chain of 0 to 3 is the primary block, one block with 0 and 1, and one with 0.
    #[test]
    fn a_fold_looks_back_to_the_newest_page_of_each_offset() {
        let mut bench = bench(2);
        bench.writes(&[0, 0, 1]);
        assert_eq!(bench.write(&[4]).copies, 3);
        let looks = bench.flash.ledger().get(Operation::ReadOob, Cause::Merge);
        assert_eq!(
            looks,
            1 + 1 + 2 + 2,
            "0 is in place, 1 behind one erased page, 2 and 3 behind two"
        );
    }

    /// 2048 logical and 2355 physical blocks.
    #[test]
    fn ram_is_the_table_of_chains_and_their_links() {
        let mut flash = Device::new(&DeviceConfig::default(), 512 << 20).expect("a device");
        let ftl = NftlChainFtl::build(&Setup::default(), &mut flash).expect("an FTL");
        assert_eq!(ftl.ram().tables, 4 * (2048 + 2355));
    }
}
