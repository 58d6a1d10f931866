//! The map's entries in OOBs, stored apart from the pages.
//!
//! ```text
//! byte 0          4       8
//!      checksum   count   mappings, 4 bytes each
//! ```
//!
//! The checksum also covers the sequence number of the page, so an OOB of another version does not
//! count. The journal does not mention OOBs. An OOB that did not reach the disk, or did not fit, is
//! read as empty. The FTL compares each piece with the owners that it finds, and writes the
//! differences again.

use crc32c::{crc32c, crc32c_append};
use ftlab::units::Mapping;

const HEAD: usize = 8;

/// The mappings for the OOB of a page that holds this version, as bytes; `None` if they do not fit.
pub fn bytes(content: &[Mapping], sequence: u64, most: u32) -> Option<Vec<u8>> {
    if HEAD + 4 * content.len() > most as usize {
        return None;
    }
    let mut bytes = vec![0; HEAD];
    bytes[4..].copy_from_slice(&(content.len() as u32).to_le_bytes());
    bytes.extend(content.iter().flat_map(|mapping| mapping.raw().to_le_bytes()));
    let checksum = sum(&bytes[4..], sequence);
    bytes[..4].copy_from_slice(&checksum.to_le_bytes());
    Some(bytes)
}

/// The mappings in the OOB of a page that holds this version, if they are there.
pub fn mappings(bytes: &[u8], sequence: u64) -> Option<impl Iterator<Item = Mapping> + '_> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let end = (word(4)? as usize).checked_mul(4)?.checked_add(HEAD)?;
    let summed = bytes.get(4..end)?;
    (sum(summed, sequence) == word(0)?).then(|| raw_mappings(&bytes[HEAD..end]))
}

/// Mappings of 4 bytes each.
pub fn raw_mappings(bytes: &[u8]) -> impl Iterator<Item = Mapping> + '_ {
    let raw = |word: &[u8]| u32::from_le_bytes(word.try_into().expect("4 bytes"));
    bytes.chunks_exact(4).map(move |word| Mapping::from_raw(raw(word)))
}

fn sum(bytes: &[u8], sequence: u64) -> u32 {
    crc32c_append(crc32c(bytes), &sequence.to_le_bytes())
}
