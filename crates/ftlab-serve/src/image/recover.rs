//! Recovers the state of an image after power loss or the end of the process.
//!
//! Recovery starts from the newest whole checkpoint. The entries of the journal after it count up
//! to the first that is damaged or missing. Entries that the journal calls durable are valid.
//!
//! The page of any other entry may never have reached the disk. The journal therefore ends before
//! the first entry whose page differs from its description. A page whose block a later entry erased
//! is not compared: it is gone, and its slot may have been written again. If the journal ends
//! before that erase, no barrier came after it and the slot was not written. The page is then
//! compared.
//!
//! The recovered state is therefore the state after some change at or after the last barrier. It is
//! a prefix of all changes, as if power had been cut between two of them. An FTL finds all that it
//! needs to recover.

use super::disk::Disk;
use super::journal::{Entry, Page, Tag};
use super::layout::{BLOCK, ENTRY, HEAD, Layout, PAGE, Room, TRIM};
use super::{Block, Image, Tables};
use crc32c::crc32c;
use ftlab::flash::Geometry;
use std::io;

/// The first bytes of a checkpoint.
pub const CHECKPOINT: &[u8; 8] = b"ftlabchk";

/// Bytes of the journal that are read at a time.
const READ_BYTES: usize = 1 << 20;

/// What was found when an image was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Valid entries of the journal.
    pub entries: u32,
    /// Later entries, not all of which had reached the disk.
    pub given_up: u32,
}

/// A page that an entry describes as written, and its place.
struct Written {
    number: u32,
    place: u64,
    checksum: u32,
    /// Number of the entry that erases its block, if any.
    erased: u32,
    /// Whether the page is there, once it has been compared.
    there: Option<bool>,
}

impl<D: Disk> Image<D> {
    /// The image on a disk, of a device with this geometry. Nothing is written.
    ///
    /// # Errors
    /// Those of the disk; `InvalidData` when there is no whole checkpoint.
    pub fn open(disk: D, geometry: &Geometry, room: Room) -> io::Result<(Self, Recovered)> {
        let layout = Layout::new(geometry, room);
        let Some((generation, mut tables)) = newest(&disk, &layout)? else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "no checkpoint is whole"));
        };
        let entries = entries(&disk, &layout, generation)?;
        let end = end(&disk, &layout, &tables, &entries)?;
        entries[..end].iter().for_each(|entry| tables.apply(&layout, *entry));
        let given_up = (entries.len() - end) as u32;
        let recovered = Recovered { entries: end as u32, given_up };
        Ok((Image::of(disk, layout, tables, generation), recovered))
    }
}

fn newest<D: Disk>(disk: &D, layout: &Layout) -> io::Result<Option<(u64, Tables)>> {
    let mut heads = Vec::new();
    for turn in 0..2 {
        let mut head = [0; HEAD];
        disk.read_at(&mut head, layout.checkpoint(turn))?;
        let word = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().expect("4 bytes"));
        let wide = |at: usize| u64::from(word(at + 4)) << 32 | u64::from(word(at));
        if head.starts_with(CHECKPOINT) && crc32c(&head[..28]) == word(28) {
            heads.push((wide(8), wide(16), word(24)));
        }
    }
    heads.sort_unstable();
    while let Some((generation, last, checksum)) = heads.pop() {
        let mut body = vec![0; layout.body_bytes()];
        disk.read_at(&mut body, layout.checkpoint(generation) + HEAD as u64)?;
        if crc32c(&body) == checksum {
            let tables = Tables::read(layout, &body, last);
            return match tables.has_sound_slots(layout) {
                true => Ok(Some((generation, tables))),
                false => {
                    Err(io::Error::new(io::ErrorKind::InvalidData, "two blocks lie in one slot"))
                }
            };
        }
    }
    Ok(None)
}

/// The entries up to the first that is damaged, or of an earlier generation.
fn entries<D: Disk>(disk: &D, layout: &Layout, generation: u64) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut bytes = vec![0; READ_BYTES];
    while (entries.len() as u32) < layout.entries {
        let first = entries.len() as u32;
        let count = ((layout.entries - first) as usize).min(READ_BYTES / ENTRY);
        disk.read_at(&mut bytes[..count * ENTRY], layout.entry(first))?;
        let read = bytes.chunks_exact(ENTRY).take(count).zip(first..);
        let valid = |entry: &Entry| match *entry {
            Entry::Program { ppn, .. } => ppn < layout.pages,
            Entry::Erase { pbn, slot } => pbn < layout.blocks && slot < layout.slots,
            Entry::Trim { first, count, .. } => {
                first.checked_add(count).is_some_and(|end| end <= layout.trims)
            }
            Entry::Synced { .. } => true,
        };
        let read = read.map_while(|(entry, number)| Entry::read(entry, generation, number));
        entries.extend(read.take_while(valid));
        if entries.len() - (first as usize) < count {
            break;
        }
    }
    Ok(entries)
}

/// The number of valid entries.
fn end<D: Disk>(
    disk: &D,
    layout: &Layout,
    tables: &Tables,
    entries: &[Entry],
) -> io::Result<usize> {
    let mut written = written(layout, tables, entries);
    let mut end = entries.len();
    let mut bytes = vec![0; layout.page_bytes as usize];
    // The end becomes earlier in each round; pages then count whose erase came after it.
    'again: loop {
        for page in &mut written {
            if page.number as usize >= end || (page.erased as usize) < end {
                continue;
            }
            let there = match page.there {
                Some(there) => there,
                None => {
                    disk.read_at(&mut bytes, page.place)?;
                    *page.there.insert(crc32c(&bytes) == page.checksum)
                }
            };
            if !there {
                end = page.number as usize;
                continue 'again;
            }
        }
        return Ok(end);
    }
}

/// The pages of entries that the journal does not call durable.
fn written(layout: &Layout, tables: &Tables, entries: &[Entry]) -> Vec<Written> {
    let durable = entries.iter().filter_map(|entry| match entry {
        Entry::Synced { number } => Some(*number),
        _ => None,
    });
    let durable = durable.max().unwrap_or(0);
    let mut slots: Vec<u32> = tables.blocks.iter().map(|block| block.slot).collect();
    let mut written: Vec<Written> = Vec::new();
    // For each block, the indices of its pages in `written`.
    let mut in_block = vec![Vec::new(); layout.blocks as usize];
    for (entry, number) in entries.iter().zip(0..) {
        match *entry {
            Entry::Program { ppn, page } if number >= durable => {
                let block = ppn / layout.pages_per_block;
                let place = layout.page(slots[block as usize], ppn % layout.pages_per_block);
                in_block[block as usize].push(written.len());
                let checksum = page.checksum;
                written.push(Written { number, place, checksum, erased: u32::MAX, there: None });
            }
            Entry::Erase { pbn, slot } => {
                slots[pbn as usize] = slot;
                in_block[pbn as usize].drain(..).for_each(|at| written[at].erased = number);
            }
            _ => {}
        }
    }
    written
}

impl Tables {
    fn read(layout: &Layout, body: &[u8], last: u64) -> Self {
        let (pages, rest) = body.split_at(PAGE * layout.pages as usize);
        let (blocks, trims) = rest.split_at(BLOCK * layout.blocks as usize);
        let word = |bytes: &[u8], at: usize| {
            u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
        };
        let wide = |bytes: &[u8]| u64::from(word(bytes, 4)) << 32 | u64::from(word(bytes, 0));
        let page = |bytes: &[u8]| Page {
            tag: Tag(wide(bytes)),
            owner: word(bytes, 8),
            checksum: word(bytes, 12),
        };
        let block = |bytes: &[u8]| Block { erases: word(bytes, 0), slot: word(bytes, 4) };
        Tables {
            pages: pages.chunks_exact(PAGE).map(page).collect(),
            blocks: blocks.chunks_exact(BLOCK).map(block).collect(),
            trimmed: trims.chunks_exact(TRIM).map(wide).collect(),
            last,
        }
    }

    /// Whether each block has a separate slot.
    fn has_sound_slots(&self, layout: &Layout) -> bool {
        let mut taken = vec![false; layout.slots as usize];
        let mut slots = self.blocks.iter().map(|block| block.slot as usize);
        slots.all(|slot| slot < taken.len() && !std::mem::replace(&mut taken[slot], true))
    }

    fn apply(&mut self, layout: &Layout, entry: Entry) {
        match entry {
            Entry::Program { ppn, page } => {
                self.pages[ppn as usize] = page;
                self.last = self.last.max(page.tag.sequence());
            }
            Entry::Erase { pbn, slot } => drop(self.erase(layout, pbn, slot)),
            Entry::Trim { first, count, sequence } => self.trim(first, count, sequence),
            Entry::Synced { .. } => {}
        }
    }
}
