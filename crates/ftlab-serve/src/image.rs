//! The image: a file with the content of each page, and a journal of all changes to it.
//!
//! A programmed page is written to the slot of its block, then noted in the journal. An erased
//! block gets another slot. Its old slot is used again once the erase is durable, and with it all
//! that was copied out of the block before. Some slots are spare, so one barrier covers as many
//! erases.
//!
//! After a kill of the process or a power loss of the machine, the image has its state after some
//! change. This is the last change that a [`flush`](Image::begin_flush) covers, or a later one.
//! `recover.rs` gives the reason.

pub mod disk;
mod journal;
mod layout;
mod oob;
mod recover;
pub mod superblock;

use crc32c::crc32c;
use disk::Disk;
use ftlab::flash::{Event, Geometry, Kept, Owner, Tombstone};
use ftlab::units::{Lpn, Mapping, Ppn, Vtpn};
use journal::{Entry, Kind, Page, Tag};
pub use layout::Room;
use layout::{BLOCK, ENTRY, HEAD, Layout, PAGE, TRIM};
pub use recover::Recovered;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

/// The most entries that wait in RAM.
const MOST_WAITING: usize = 1024;

/// A block.
#[derive(Clone, Copy, Debug)]
struct Block {
    erases: u32,
    slot: u32,
}

/// The state of all pages and blocks.
#[derive(Clone, Debug)]
struct Tables {
    pages: Vec<Page>,
    blocks: Vec<Block>,
    /// For each logical page, how many versions had been written at its last trim, or 0. Empty if
    /// trims are hints.
    trimmed: Vec<u64>,
    /// The highest sequence number so far.
    last: u64,
}

/// An image of a device.
#[derive(Debug)]
pub struct Image<D> {
    disk: Arc<D>,
    layout: Layout,
    tables: Tables,
    /// Slots that may be written to.
    free: Vec<u32>,
    /// Slots that become free once the journal is durable up to this number.
    leaving: VecDeque<(u32, u32)>,
    generation: u64,
    /// Entries of the journal, including those that wait.
    entries: u32,
    /// Bytes of entries that are not written yet.
    waiting: Vec<u8>,
    /// Entries that are durable.
    durable: u32,
    /// Whether the journal does not state this yet.
    says_durable: bool,
    /// Working memory.
    copied: Vec<u8>,
}

/// A barrier that runs while other requests continue: sync the disk, then [end](Image::end_flush)
/// it.
#[derive(Debug)]
pub struct Flush<D> {
    /// The disk to sync.
    pub disk: Arc<D>,
    generation: u64,
    entries: u32,
}

impl<D: Disk> Image<D> {
    /// An image of an erased device. It is on the disk after [`Image::checkpoint`].
    pub fn new(disk: D, geometry: &Geometry, room: Room) -> Self {
        let layout = Layout::new(geometry, room);
        let blocks = (0..layout.blocks).map(|slot| Block { erases: 0, slot }).collect();
        let pages = vec![Page::default(); layout.pages as usize];
        let trimmed = vec![0; layout.trims as usize];
        Image::of(disk, layout, Tables { pages, blocks, trimmed, last: 0 }, 0)
    }

    fn of(disk: D, layout: Layout, tables: Tables, generation: u64) -> Self {
        let mut used = vec![false; layout.slots as usize];
        tables.blocks.iter().for_each(|block| used[block.slot as usize] = true);
        let free = (0..layout.slots).filter(|slot| !used[*slot as usize]).collect();
        Image {
            disk: Arc::new(disk),
            copied: vec![0; layout.page_bytes as usize],
            layout,
            tables,
            free,
            leaving: VecDeque::new(),
            generation,
            entries: 0,
            waiting: Vec::new(),
            durable: 0,
            says_durable: true,
        }
    }

    /// Bytes of an image of a device.
    #[must_use]
    pub fn bytes(geometry: &Geometry, room: Room) -> u64 {
        Layout::new(geometry, room).bytes()
    }

    /// The programmed pages, with the content of translation pages and the map's entries in OOBs.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn kept(&self) -> io::Result<Vec<Kept>> {
        let mut kept = Vec::new();
        let mut held = vec![0; self.layout.page_bytes as usize];
        let mut oob = vec![0; self.layout.oob_bytes as usize];
        for (ppn, page) in (0..).map(Ppn).zip(&self.tables.pages) {
            let (owner, content) = match page.tag.kind() {
                Kind::Erased => continue,
                Kind::Data => {
                    self.disk.read_at(&mut oob, self.oob_place(ppn))?;
                    let mappings = oob::mappings(&oob, page.tag.sequence());
                    (Owner::Data(Lpn(page.owner)), mappings.map(Iterator::collect))
                }
                Kind::Map => (Owner::Translation(Vtpn(page.owner)), None),
                Kind::Mappings(count) => {
                    self.read_raw(ppn, &mut held)?;
                    let mappings = oob::raw_mappings(&held).take(count as usize);
                    (Owner::Translation(Vtpn(page.owner)), Some(mappings.collect()))
                }
            };
            kept.push(Kept { ppn, owner, sequence: page.tag.sequence(), content });
        }
        Ok(kept)
    }

    /// The trims, if they are kept.
    #[must_use]
    pub fn trims(&self) -> Vec<Tombstone> {
        let mut trims: Vec<Tombstone> = Vec::new();
        for (page, &sequence) in (0..).zip(&self.tables.trimmed).filter(|(_, last)| **last != 0) {
            let follows =
                |run: &&mut Tombstone| (run.first.0 + run.count, run.sequence) == (page, sequence);
            match trims.last_mut().filter(follows) {
                Some(run) => run.count += 1,
                None => trims.push(Tombstone { first: Lpn(page), count: 1, sequence }),
            }
        }
        trims
    }

    /// How many pages are programmed.
    #[must_use]
    pub fn programmed(&self) -> u64 {
        let programmed = self.tables.pages.iter().filter(|page| page.tag.kind() != Kind::Erased);
        programmed.count() as u64
    }

    /// How often each block was erased.
    #[must_use]
    pub fn erases(&self) -> Vec<u32> {
        self.tables.blocks.iter().map(|block| block.erases).collect()
    }

    /// The highest sequence number so far.
    #[must_use]
    pub const fn last_sequence(&self) -> u64 {
        self.tables.last
    }

    /// Reads a page; returns whether it holds what was written.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn read(&self, ppn: Ppn, bytes: &mut [u8]) -> io::Result<bool> {
        self.read_raw(ppn, bytes)?;
        Ok(crc32c(bytes) == self.tables.pages[ppn.index()].checksum)
    }

    fn read_raw(&self, ppn: Ppn, bytes: &mut [u8]) -> io::Result<()> {
        self.disk.read_at(bytes, self.place(ppn))
    }

    fn place(&self, ppn: Ppn) -> u64 {
        let (slot, page) = self.slot(ppn);
        self.layout.page(slot, page)
    }

    fn oob_place(&self, ppn: Ppn) -> u64 {
        let (slot, page) = self.slot(ppn);
        self.layout.oob(slot, page)
    }

    /// The slot of a page, and the page's index in it.
    fn slot(&self, ppn: Ppn) -> (u32, u32) {
        let (block, page) =
            (ppn.0 / self.layout.pages_per_block, ppn.0 % self.layout.pages_per_block);
        (self.tables.blocks[block as usize].slot, page)
    }

    /// Programmed pages that do not hold what was written to them.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn damaged(&self) -> io::Result<Vec<Ppn>> {
        let mut bytes = vec![0; self.layout.page_bytes as usize];
        let programmed = (0..).map(Ppn).zip(&self.tables.pages);
        let mut damaged = Vec::new();
        for (ppn, _) in programmed.filter(|(_, page)| page.tag.kind() != Kind::Erased) {
            if !self.read(ppn, &mut bytes)? {
                damaged.push(ppn);
            }
        }
        Ok(damaged)
    }

    /// Applies a change of the device to the image. `data` is the content of a new version of a
    /// logical page, and whether it is sound.
    ///
    /// # Errors
    /// Those of the disk.
    ///
    /// # Panics
    /// When the event cannot follow those before it.
    pub fn apply<'a>(
        &mut self,
        event: Event,
        data: impl FnOnce(Lpn) -> (Cow<'a, [u8]>, bool),
    ) -> io::Result<()> {
        if let Event::Program {
            ppn, owner: Owner::Data(_), sequence, content: Some(content), ..
        } = &event
        {
            self.write_oob(*ppn, *sequence, content)?;
        }
        match event {
            Event::Read { .. } => Ok(()),
            Event::Erase { pbn } => self.erase(pbn.0),
            Event::Trim(Tombstone { first: Lpn(first), count, sequence }) => {
                self.tables.trim(first, count, sequence);
                self.note(Entry::Trim { first, count, sequence })
            }
            Event::Program { ppn, sequence, from: Some(from), .. } => {
                self.copy(from, ppn, sequence)
            }
            Event::Program { ppn, owner, sequence, content, .. } => {
                let (kind, owner, (bytes, sound)) = match (owner, content) {
                    (Owner::Data(lpn), _) => (Kind::Data, lpn.0, data(lpn)),
                    (Owner::Translation(vtpn), Some(content)) => {
                        let words = content.iter().flat_map(|mapping| mapping.raw().to_le_bytes());
                        let kind = Kind::Mappings(content.len() as u32);
                        (kind, vtpn.0, (Cow::Owned(words.collect()), true))
                    }
                    (Owner::Translation(vtpn), None) => {
                        (Kind::Map, vtpn.0, (Cow::Owned(Vec::new()), true))
                    }
                };
                self.program(ppn, Tag::new(kind, sequence), owner, bytes, sound)
            }
        }
    }

    fn write_oob(&self, ppn: Ppn, sequence: u64, content: &[Mapping]) -> io::Result<()> {
        match oob::bytes(content, sequence, self.layout.oob_bytes) {
            Some(bytes) => self.disk.write_at(&bytes, self.oob_place(ppn)),
            None => Ok(()),
        }
    }

    fn program(
        &mut self,
        ppn: Ppn,
        tag: Tag,
        owner: u32,
        mut bytes: Cow<'_, [u8]>,
        sound: bool,
    ) -> io::Result<()> {
        let page_bytes = self.layout.page_bytes as usize;
        if bytes.len() < page_bytes {
            bytes.to_mut().resize(page_bytes, 0);
        }
        self.disk.write_at(&bytes, self.place(ppn))?;
        let checksum = if sound { crc32c(&bytes) } else { !crc32c(&bytes) };
        self.note_program(ppn, Page { tag, owner, checksum })
    }

    /// Copies a page with its checksum, so a damaged page remains recognisable.
    fn copy(&mut self, from: Ppn, to: Ppn, sequence: u64) -> io::Result<()> {
        let (page, place) = (self.tables.pages[from.index()], self.place(from));
        assert_eq!(page.tag.sequence(), sequence, "page {to} is no copy of page {from}");
        self.disk.read_at(&mut self.copied, place)?;
        self.disk.write_at(&self.copied, self.place(to))?;
        self.note_program(to, page)
    }

    fn note_program(&mut self, ppn: Ppn, page: Page) -> io::Result<()> {
        self.tables.pages[ppn.index()] = page;
        self.tables.last = self.tables.last.max(page.tag.sequence());
        self.note(Entry::Program { ppn: ppn.0, page })
    }

    fn erase(&mut self, pbn: u32) -> io::Result<()> {
        let slot = self.free_slot()?;
        let old = self.tables.erase(&self.layout, pbn, slot);
        self.note(Entry::Erase { pbn, slot })?;
        self.leaving.push_back((self.entries, old));
        Ok(())
    }

    /// A slot that no durable state needs.
    fn free_slot(&mut self) -> io::Result<u32> {
        if self.free.is_empty() {
            self.flush()?;
        }
        Ok(self.free.pop().expect("a slot to spare"))
    }

    /// Appends to the journal. A full journal begins again after a checkpoint.
    fn note(&mut self, entry: Entry) -> io::Result<()> {
        if self.entries + 2 > self.layout.entries {
            return self.checkpoint();
        }
        if !self.says_durable {
            self.says_durable = true;
            Entry::Synced { number: self.durable }.write(
                self.generation,
                self.entries,
                &mut self.waiting,
            );
            self.entries += 1;
        }
        entry.write(self.generation, self.entries, &mut self.waiting);
        self.entries += 1;
        if self.waiting.len() >= MOST_WAITING * ENTRY { self.write_journal() } else { Ok(()) }
    }

    /// Writes the entries that wait. They then survive the end of this process.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn write_journal(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() {
            let first = self.entries - (self.waiting.len() / ENTRY) as u32;
            self.disk.write_at(&self.waiting, self.layout.entry(first))?;
            self.waiting.clear();
        }
        Ok(())
    }

    /// Makes all applied changes durable.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn flush(&mut self) -> io::Result<()> {
        let flush = self.begin_flush()?;
        flush.disk.sync()?;
        self.end_flush(&flush);
        Ok(())
    }

    /// Begins to make all applied changes durable.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn begin_flush(&mut self) -> io::Result<Flush<D>> {
        self.write_journal()?;
        let disk = Arc::clone(&self.disk);
        Ok(Flush { disk, generation: self.generation, entries: self.entries })
    }

    /// Notes that the disk was synced since the flush began.
    pub fn end_flush(&mut self, flush: &Flush<D>) {
        if flush.generation != self.generation {
            // A checkpoint since then was also a barrier.
            return;
        }
        if flush.entries > self.durable {
            self.durable = flush.entries;
            self.says_durable = false;
        }
        let safe = self.leaving.partition_point(|(number, _)| *number <= flush.entries);
        self.free.extend(self.leaving.drain(..safe).map(|(_, slot)| slot));
    }

    /// Writes the whole state in place of the journal, which begins again.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn checkpoint(&mut self) -> io::Result<()> {
        let generation = self.generation + 1;
        let body = self.tables.body();
        let mut head = Vec::with_capacity(HEAD);
        head.extend(recover::CHECKPOINT);
        head.extend(generation.to_le_bytes());
        head.extend(self.tables.last.to_le_bytes());
        head.extend(crc32c(&body).to_le_bytes());
        head.extend(crc32c(&head).to_le_bytes());
        head.resize(HEAD, 0);
        let place = self.layout.checkpoint(generation);
        self.disk.write_at(&body, place + HEAD as u64)?;
        // The state that a whole head refers to is durable before it.
        self.disk.sync()?;
        self.disk.write_at(&head, place)?;
        self.disk.sync()?;
        self.generation = generation;
        (self.entries, self.durable, self.says_durable) = (0, 0, true);
        self.waiting.clear();
        self.free.extend(self.leaving.drain(..).map(|(_, slot)| slot));
        Ok(())
    }
}

/// The progress of a journal.
#[cfg(test)]
pub(crate) struct Journal {
    layout: Layout,
    pub generation: u64,
    pub entries: u32,
    pub durable: u32,
}

#[cfg(test)]
impl Journal {
    /// Where an entry is.
    pub const fn place(&self, entry: u32) -> usize {
        self.layout.entry(entry) as usize
    }

    /// Erases that one barrier covers.
    pub const fn spare_slots(&self) -> u64 {
        (self.layout.slots - self.layout.blocks) as u64
    }
}

#[cfg(test)]
impl<D> Image<D> {
    pub(crate) const fn journal(&self) -> Journal {
        let Image { layout, generation, entries, durable, .. } = *self;
        Journal { layout, generation, entries, durable }
    }
}

impl Tables {
    /// Notes that a block was erased and moved to another slot; returns its old slot.
    fn erase(&mut self, layout: &Layout, pbn: u32, slot: u32) -> u32 {
        let pages = layout.pages_per_block as usize;
        self.pages[pbn as usize * pages..][..pages].fill(Page::default());
        let block = &mut self.blocks[pbn as usize];
        block.erases += 1;
        std::mem::replace(&mut block.slot, slot)
    }

    /// Notes that logical pages were trimmed.
    fn trim(&mut self, first: u32, count: u32, sequence: u64) {
        self.trimmed[first as usize..(first + count) as usize].fill(sequence);
    }

    fn body(&self) -> Vec<u8> {
        let bytes = PAGE * self.pages.len() + BLOCK * self.blocks.len() + TRIM * self.trimmed.len();
        let mut body = Vec::with_capacity(bytes);
        for page in &self.pages {
            body.extend(page.tag.0.to_le_bytes());
            body.extend(page.owner.to_le_bytes());
            body.extend(page.checksum.to_le_bytes());
        }
        for block in &self.blocks {
            body.extend(block.erases.to_le_bytes());
            body.extend(block.slot.to_le_bytes());
        }
        self.trimmed.iter().for_each(|sequence| body.extend(sequence.to_le_bytes()));
        body
    }
}

#[cfg(test)]
mod tests;
