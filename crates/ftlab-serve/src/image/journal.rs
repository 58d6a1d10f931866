//! Entries of the journal: changes of the medium, in order.
//!
//! ```text
//! byte 0     4        8              16      20         24           28
//!      what  target   tag, or slot   owner   checksum   generation   checksum of the entry, generation and number
//!            page     sequence nr.   pages                            of a trim
//! ```

use super::layout::ENTRY;
use crc32c::crc32c;

/// What a page holds, in 8 bytes: its kind, the mappings of a translation page, and the 40-bit
/// sequence number of its version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag(pub u64);

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: it is erased.
    Erased,
    /// Data.
    Data,
    /// This many mappings.
    Mappings(u32),
    /// A part of a map whose content is not needed.
    Map,
}

const SEQUENCE_BITS: u32 = 40;
const COUNT_BITS: u32 = 16;

impl Tag {
    pub fn new(kind: Kind, sequence: u64) -> Self {
        assert!(sequence < 1 << SEQUENCE_BITS, "an image takes 2^40 versions");
        let (kind, count) = match kind {
            Kind::Erased => (0, 0),
            Kind::Data => (1, 0),
            Kind::Mappings(count) => (2, u64::from(count)),
            Kind::Map => (3, 0),
        };
        Tag((kind << COUNT_BITS | count) << SEQUENCE_BITS | sequence)
    }

    pub const fn kind(self) -> Kind {
        let count = (self.0 >> SEQUENCE_BITS) as u16;
        match self.0 >> (SEQUENCE_BITS + COUNT_BITS) {
            0 => Kind::Erased,
            1 => Kind::Data,
            2 => Kind::Mappings(count as u32),
            _ => Kind::Map,
        }
    }

    pub const fn sequence(self) -> u64 {
        self.0 & ((1 << SEQUENCE_BITS) - 1)
    }
}

/// The state of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub tag: Tag,
    /// Its logical page, or its page of the map.
    pub owner: u32,
    /// Checksum of its content.
    pub checksum: u32,
}

/// A change of the medium, or the note that all changes before it are durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Program {
        ppn: u32,
        page: Page,
    },
    /// A block was erased, and lies in this slot from then on.
    Erase {
        pbn: u32,
        slot: u32,
    },
    /// `count` logical pages from this one on were trimmed, after this many versions had been
    /// written.
    Trim {
        first: u32,
        count: u32,
        sequence: u64,
    },
    /// Entries below this number are durable, and so are the pages that they describe.
    Synced {
        number: u32,
    },
}

impl Entry {
    /// Appends the entry's bytes.
    pub fn write(self, generation: u64, number: u32, bytes: &mut Vec<u8>) {
        let (what, target, wide, owner, checksum) = match self {
            Entry::Program { ppn, page } => (1u32, ppn, page.tag.0, page.owner, page.checksum),
            Entry::Erase { pbn, slot } => (2, pbn, u64::from(slot), 0, 0),
            Entry::Synced { number } => (3, number, 0, 0, 0),
            Entry::Trim { first, count, sequence } => (4, first, sequence, count, 0),
        };
        let start = bytes.len();
        bytes.extend(what.to_le_bytes());
        bytes.extend(target.to_le_bytes());
        bytes.extend(wide.to_le_bytes());
        bytes.extend(owner.to_le_bytes());
        bytes.extend(checksum.to_le_bytes());
        bytes.extend((generation as u32).to_le_bytes());
        bytes.extend(sum(&bytes[start..], generation, number).to_le_bytes());
    }

    /// The entry with this number; `None` if there is none.
    pub fn read(bytes: &[u8], generation: u64, number: u32) -> Option<Self> {
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let wide = u64::from(word(12)?) << 32 | u64::from(word(8)?);
        if word(ENTRY - 4)? != sum(&bytes[..ENTRY - 4], generation, number) {
            return None;
        }
        let target = word(4)?;
        match word(0)? {
            1 => {
                let page = Page { tag: Tag(wide), owner: word(16)?, checksum: word(20)? };
                Some(Entry::Program { ppn: target, page })
            }
            2 => Some(Entry::Erase { pbn: target, slot: wide as u32 }),
            3 => Some(Entry::Synced { number: target }),
            4 => Some(Entry::Trim { first: target, count: word(16)?, sequence: wide }),
            _ => None,
        }
    }
}

/// The checksum of an entry; it differs for another generation or place.
fn sum(bytes: &[u8], generation: u64, number: u32) -> u32 {
    let place = u128::from(generation) << 32 | u128::from(number);
    crc32c::crc32c_append(crc32c(bytes), &place.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_written_where_they_were_written() {
        let tag = Tag::new(Kind::Mappings(1024), (1 << 40) - 1);
        assert_eq!((tag.kind(), tag.sequence()), (Kind::Mappings(1024), (1 << 40) - 1));
        let page = Page { tag, owner: 7, checksum: 8 };
        let entries = [
            Entry::Program { ppn: 3, page },
            Entry::Erase { pbn: 4, slot: 5 },
            Entry::Synced { number: 6 },
            Entry::Trim { first: 7, count: 8, sequence: 1 << 39 },
        ];
        for entry in entries {
            let mut bytes = Vec::new();
            entry.write(9, 10, &mut bytes);
            assert_eq!(bytes.len(), ENTRY);
            assert_eq!(Entry::read(&bytes, 9, 10), Some(entry));
            assert_eq!(Entry::read(&bytes, 8, 10), None, "of another generation");
            assert_eq!(Entry::read(&bytes, 9, 11), None, "at another place");
            for byte in 0..ENTRY {
                let mut damaged = bytes.clone();
                damaged[byte] ^= 1;
                assert_eq!(Entry::read(&damaged, 9, 10), None, "byte {byte}");
            }
        }
        assert_eq!(Entry::read(&[0; ENTRY], 0, 0), None);
    }
}
