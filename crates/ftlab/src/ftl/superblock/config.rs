//! The superblock FTL's own parameters.

use crate::error::Error;
use crate::flash::Flash;
use crate::ftl::parts::oob_map::{OobMap, bits_of_number, bytes_of_number};

crate::settings! {
    /// The superblock FTL's own parameters.
    pub struct SuperblockConfig in "superblock" {
        /// Logical blocks of a superblock, and its data blocks at most.
        data: u32 = 4, in 1..=64, unit "blocks", laws 1..=5, source "MNFTL 5.1";
        /// Log blocks of a superblock at most.
        logs: u32 = 2, in 1..=64, unit "blocks", laws 1..=3, source "MNFTL 5.1";
        /// Pieces of the page map of a superblock: each more makes a second OOB read more likely.
        pieces: Option<u32> = None, absent "the fewest that fit into an OOB", in 1..,
            unit "pieces", laws [None, Some(1), Some(2)], source "choices.md#superblock-pieces";
    }
}

impl SuperblockConfig {
    /// An empty map that fits into the OOBs of a device.
    pub(super) fn map(&self, flash: &Flash) -> Result<OobMap, Error> {
        let geometry = flash.geometry();
        let group = self.data * geometry.pages_per_block;
        // A page number is relative to the blocks of the superblock.
        let bits = bits_of_number((self.data + self.logs) * geometry.pages_per_block);
        let number = bytes_of_number(geometry.logical_pages);
        let bytes = |pieces: u32| {
            let numbers = pieces + group.div_ceil(pieces);
            number + (numbers * bits).div_ceil(8)
        };
        let fewest = (1..=group).find(|pieces| bytes(*pieces) <= flash.oob_bytes());
        let pieces = self.pieces.or(fewest).unwrap_or(group.isqrt());
        if pieces > group {
            let message =
                format!("found {pieces}, expected 1 to the {group} pages of a superblock");
            unless_bug!(
                SuperblockPiecesTooMany,
                return Err(Error::config("superblock.pieces", message))
            );
        }
        let rows = group.div_ceil(pieces);
        let what = format!(
            "a directory of superblock.pieces = {pieces} and a piece of {rows} page numbers of {bits} \
             bits each, and a logical page number"
        );
        flash.expect_oob(bytes(pieces), &what)?;
        Ok(OobMap::new(geometry.logical_pages, group, rows, bytes(pieces)).with_directories())
    }
}
