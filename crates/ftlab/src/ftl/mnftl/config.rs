//! MNFTL's own parameters.

use crate::config::{GcConfig, Policy};
use crate::error::Error;
use crate::flash::{Flash, Geometry};
use crate::gc::Victims;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};

/// MNFTL's own parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MnftlConfig {
    /// Which block is collected. Default most-blocks-first (4.3, the rule that needs no search).
    pub victim: MnftlVictim,
    /// Rows of a subtable. Absent: the largest power of two that fits into an OOB, 16 of 3 B in the 64 B
    /// of the paper's device, which its 34 B of RAM imply (ALGORITHMS 0.4).
    pub rows: Option<u32>,
    /// Collect in idle time while a logical block has at least so many blocks. Absent: never, as in the
    /// paper's evaluation; 4.3 suggests it.
    pub idle_blocks: Option<u32>,
    /// Bytes of RAM for a cache of subtables. Default 0: the paper has none.
    pub cache: Bytes,
}

/// Which block is collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MnftlVictim {
    /// The least valid full block of the logical block that has most blocks; the oldest among equals,
    /// and the logical block of the lowest number.
    #[default]
    MostBlocksFirst,
    /// The least valid full block of all, the lowest number among equals.
    Global,
}

impl MnftlConfig {
    /// Rows of a subtable of `row` bytes each, for blocks of so many pages.
    pub(super) fn rows(&self, pages: u32, row: u32, flash: &Flash) -> Result<u32, Error> {
        let rows = self.rows.map_or_else(
            || {
                let most = (flash.oob_bytes() / row).max(1);
                Ok((1 << most.ilog2()).min(pages))
            },
            |rows| match rows {
                1.. if rows <= pages => Ok(rows),
                _ => {
                    let message = format!("found {rows}, expected 1 to the {pages} of a block");
                    Err(Error::config("mnftl.rows", message))
                }
            },
        )?;
        let what = format!("a subtable of mnftl.rows = {rows} page numbers of {row} B");
        flash.expect_oob(rows * row, &what)?;
        Ok(rows)
    }

    /// Blocks of a logical block from which on idle time is used: with one there is nothing to gain.
    pub(super) fn idle_blocks(&self) -> Result<Option<usize>, Error> {
        match self.idle_blocks {
            Some(blocks @ 0..=1) => {
                let message = format!("found {blocks}, expected at least 2");
                Err(Error::config("mnftl.idle_blocks", message))
            }
            blocks => Ok(blocks.map(|blocks| blocks as usize)),
        }
    }

    /// The order of full blocks, where the rule needs one.
    pub(super) fn full_blocks(&self, geometry: &Geometry) -> Option<Victims> {
        let greedy = GcConfig { policy: Policy::Greedy, ..GcConfig::default() };
        let order = || Victims::new(&greedy, geometry.blocks(), geometry.pages_per_block, 0);
        (self.victim == MnftlVictim::Global).then(order)
    }
}
