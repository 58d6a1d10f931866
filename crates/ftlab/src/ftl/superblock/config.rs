//! The superblock FTL's own parameters.

use crate::error::Error;
use crate::flash::Flash;
use crate::ftl::parts::oob_map::{OobMap, bits_of_number, bytes_of_number};
use serde::{Deserialize, Serialize};

/// The superblock FTL's own parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SuperblockConfig {
    /// Logical blocks of a superblock, and its data blocks at most. Default 4 (MNFTL 5.1).
    pub data: u32,
    /// Log blocks of a superblock at most. Default 2 (MNFTL 5.1).
    pub logs: u32,
    /// Pieces of the page map of a superblock. Absent: the fewest that fit into an OOB, since each more
    /// makes a second OOB read more likely.
    pub pieces: Option<u32>,
}

impl Default for SuperblockConfig {
    fn default() -> Self {
        SuperblockConfig { data: 4, logs: 2, pieces: None }
    }
}

impl SuperblockConfig {
    /// An empty map that fits into the OOBs of a device.
    pub(super) fn map(&self, flash: &Flash) -> Result<OobMap, Error> {
        for (key, blocks) in [("superblock.data", self.data), ("superblock.logs", self.logs)] {
            if !(1..=64).contains(&blocks) {
                return Err(Error::config(key, format!("found {blocks}, expected 1 to 64")));
            }
        }
        let geometry = flash.geometry();
        let group = self.data * geometry.pages_per_block;
        // A page is told among those of the blocks of its superblock.
        let bits = bits_of_number((self.data + self.logs) * geometry.pages_per_block);
        let number = bytes_of_number(geometry.logical_pages);
        let bytes = |pieces: u32| {
            let numbers = pieces + group.div_ceil(pieces);
            number + (numbers * bits).div_ceil(8)
        };
        let fewest = (1..=group).find(|pieces| bytes(*pieces) <= flash.oob_bytes());
        let pieces = self.pieces.or(fewest).unwrap_or(group.isqrt());
        if !(1..=group).contains(&pieces) {
            let message =
                format!("found {pieces}, expected 1 to the {group} pages of a superblock");
            return Err(Error::config("superblock.pieces", message));
        }
        let rows = group.div_ceil(pieces);
        let what = format!(
            "a directory of superblock.pieces = {pieces} and a piece of {rows} page numbers of {bits} \
             bits each, and a logical page number"
        );
        flash.expect_oob(bytes(pieces), &what)?;
        Ok(OobMap::new(geometry.logical_pages, group, rows, bytes(pieces)))
    }
}
