//! MNFTL's own parameters.

use crate::error::Error;
use crate::flash::{Flash, Geometry};
use crate::gc::{Pool, Victims};
use crate::units::Bytes;

crate::settings! {
    /// MNFTL's own parameters.
    pub struct MnftlConfig in "mnftl" {
        /// The block to collect.
        victim: MnftlVictim = MnftlVictim::Global, laws MnftlVictim::ALL,
            source "MNFTL 4.3, the rule that it states first; choices.md#mnftl-victim";
        /// The place of the first version of a page.
        mapping: MnftlMapping = MnftlMapping::Concentrated, laws MnftlMapping::ALL,
            source "MNFTL 3, Figure 2; choices.md#mnftl-mapping";
        /// Rows of a subtable; each is a page number.
        rows: Option<u32> = None, absent "the largest power of two that fits into an OOB", in 1..,
            unit "rows", laws [None, Some(1), Some(2)], source "choices.md#mnftl-rows";
        /// Collect in idle time while a logical block has at least this number of blocks. With one
        /// block there is nothing to gain.
        idle_blocks: Option<u32> = None, absent "never", in 2.., unit "blocks",
            laws [None, Some(2), Some(4)], source "MNFTL 4.3 suggests it; choices.md#mnftl-idle";
        /// RAM for a cache of subtables.
        cache: Bytes = Bytes(0), laws [0, 0, 10, 100].map(Bytes),
            source "the paper has none; choices.md#mnftl-cache";
    }
    check |own| match (own.mapping, own.victim) {
        (MnftlMapping::Separated, MnftlVictim::Global) => Err(Error::config(
            "mnftl.victim",
            "found global, expected most-blocks-first: with mnftl.mapping = separated all full blocks may be valid",
        )),
        _ => Ok(()),
    }
}

crate::choices! {
    /// The place of the first version of a page.
    pub enum MnftlMapping {
        /// In the block to which its logical block writes, among updates of other pages.
        Concentrated = "concentrated",
        /// In a block of first versions. Updates and copies go to other blocks of the logical
        /// block.
        Separated = "separated",
    }
}

crate::choices! {
    /// The block to collect.
    pub enum MnftlVictim {
        /// The least valid full block of the logical block with most blocks. Among equals it is the
        /// oldest block, and the lowest logical block.
        MostBlocksFirst = "most-blocks-first",
        /// The least valid full block of all, the lowest number among equals.
        Global = "global",
    }
}

impl MnftlConfig {
    /// Rows of a subtable of `row` bytes each, for blocks of `pages` pages.
    pub(super) fn rows(&self, pages: u32, row: u32, flash: &Flash) -> Result<u32, Error> {
        let most = (flash.oob_bytes() / row).max(1);
        let rows = self.rows.unwrap_or((1 << most.ilog2()).min(pages));
        if rows > pages {
            let message = format!("found {rows}, expected 1 to the {pages} of a block");
            unless_bug!(MnftlRowsTooMany, return Err(Error::config("mnftl.rows", message)));
        }
        let what = format!("a subtable of mnftl.rows = {rows} page numbers of {row} B");
        flash.expect_oob(rows * row, &what)?;
        Ok(rows)
    }

    /// The order of full blocks, where the victim rule needs one.
    pub(super) fn full_blocks(&self, geometry: &Geometry) -> Option<Victims> {
        let pool = Pool {
            blocks: geometry.blocks(),
            pages_per_block: geometry.pages_per_block,
            seed: 0,
            is_volume: false,
            logical_pages: None,
        };
        let order = || Victims::greedy(&pool);
        (self.victim == MnftlVictim::Global).then(order)
    }
}
