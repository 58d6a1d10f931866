//! The layout of an image.
//!
//! ```text
//! superblock | checkpoint | checkpoint | journal | slot slot slot ... | OOBs
//!              by turns                            pages of a block each  room for each page of a slot, where the
//!                                                  and a few to spare     map of the FTL is in OOBs
//! ```

use ftlab::flash::Geometry;

/// Bytes of the superblock, which has the configuration.
pub const SUPERBLOCK: usize = 64 << 10;
/// Bytes of the head of a checkpoint.
pub const HEAD: usize = 4096;
/// Bytes of an entry of the journal.
pub const ENTRY: usize = 32;
/// Bytes of a page, and of a block, in a checkpoint.
pub const PAGE: usize = 16;
pub const BLOCK: usize = 8;
/// Bytes of a logical page in a checkpoint, if trims are durable.
pub const TRIM: usize = 8;

const ALIGNMENT: u64 = 4096;
/// Spare slots: one per this many blocks, within these bounds.
const SPARE_SHARE: u32 = 16;
const FEWEST_SPARE: u32 = 4;
const MOST_SPARE: u32 = 64;
/// Entries of the journal in addition to one for each page.
const MORE_ENTRIES: u32 = 64;

/// What an image has room for, in addition to the content of pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Room {
    /// Bytes for the map's entries in the OOB of each page.
    pub oob_bytes: u32,
    /// Whether it keeps which pages were trimmed.
    pub trims: bool,
}

/// The layout of an image.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Physical pages.
    pub pages: u32,
    /// Physical blocks.
    pub blocks: u32,
    /// Pages of a block.
    pub pages_per_block: u32,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Bytes of the map's entries in an OOB; 0 if OOBs have none.
    pub oob_bytes: u32,
    /// Logical pages whose trims are kept; 0 if trims are hints.
    pub trims: u32,
    /// Slots.
    pub slots: u32,
    /// Entries of the journal.
    pub entries: u32,
}

impl Layout {
    /// The layout for a device.
    pub fn new(geometry: &Geometry, room: Room) -> Self {
        let (blocks, pages_per_block) = (geometry.blocks(), geometry.pages_per_block);
        let pages = blocks * pages_per_block;
        let spare = (blocks / SPARE_SHARE).clamp(FEWEST_SPARE, MOST_SPARE);
        Layout {
            pages,
            blocks,
            pages_per_block,
            page_bytes: geometry.page_bytes,
            oob_bytes: room.oob_bytes,
            trims: if room.trims { geometry.logical_pages } else { 0 },
            slots: blocks + spare,
            entries: pages + MORE_ENTRIES,
        }
    }

    /// Bytes of a checkpoint after its head.
    pub const fn body_bytes(&self) -> usize {
        PAGE * self.pages as usize + BLOCK * self.blocks as usize + TRIM * self.trims as usize
    }

    /// Where the checkpoint of a generation is.
    pub const fn checkpoint(&self, generation: u64) -> u64 {
        SUPERBLOCK as u64 + generation % 2 * self.checkpoint_bytes()
    }

    const fn checkpoint_bytes(&self) -> u64 {
        ((HEAD + self.body_bytes()) as u64).next_multiple_of(ALIGNMENT)
    }

    /// Where an entry of the journal is.
    pub const fn entry(&self, number: u32) -> u64 {
        self.checkpoint(0) + 2 * self.checkpoint_bytes() + ENTRY as u64 * number as u64
    }

    /// Where a page of a block in a slot is.
    pub const fn page(&self, slot: u32, page: u32) -> u64 {
        let slots = self.entry(self.entries).next_multiple_of(ALIGNMENT);
        slots + self.number(slot, page) * self.page_bytes as u64
    }

    /// Where the OOB of a page of a block in a slot is.
    pub const fn oob(&self, slot: u32, page: u32) -> u64 {
        self.page(self.slots, 0) + self.number(slot, page) * self.oob_bytes as u64
    }

    const fn number(&self, slot: u32, page: u32) -> u64 {
        slot as u64 * self.pages_per_block as u64 + page as u64
    }

    /// Bytes of the image.
    pub const fn bytes(&self) -> u64 {
        self.oob(self.slots, 0)
    }
}
