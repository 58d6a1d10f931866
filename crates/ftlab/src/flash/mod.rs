//! The NAND device: the only door to the medium, and the judge of everything that passes it.
//!
//! [`Flash`] is all that an FTL may touch. Each call checks the rules of NAND, books the time, and
//! counts the operation by its [`Cause`]. A broken rule is a bug in an FTL and panics with the page,
//! its block and owner, and the last operations.
//!
//! ```text
//! page    erased --program--> valid --invalidate--> invalid --erase (whole block)--> erased
//! block   pages are programmed in ascending order, unless the FTL asked for a device that allows any;
//!         a block is erased only without valid pages
//! ```
//!
//! Verification lives here too. Each host write gives its logical page a new version, stamped on the
//! physical page; copies carry the stamp; a host read compares owner, validity and stamp. Stamps
//! have 15 bits, so a stale page goes unseen only if it is still marked valid and a multiple of
//! 32,768 writes old.
//!
//! What an FTL keeps in an OOB is programmed with its page, once: [`Flash::program_oob`] says how many
//! bytes it is, and refuses what does not fit. Its content lives in the tables of the FTL.
//!
//! Memory: 6 bytes per physical page (owner, stamp), 2 per logical page (version), and a bit. Tables
//! start as zeroes, which the operating system provides when a page of them is first touched.

// The device is the inner loop of everything: its small steps are inlined into each command, so that
// the compiler computes a page's block and plane once.
#![allow(clippy::inline_always)]

mod cells;
pub mod geometry;
pub mod ledger;
pub mod presets;

pub(crate) use geometry::Divisor;
pub use geometry::{Geometry, Parity};
pub use ledger::{BlockKind, Cause, Ledger, Operation};

use crate::config::{Cell, DeviceConfig, ProgramOrder};
use crate::engine::{Log, Timeline};
use crate::error::Error;
use crate::units::{Lpn, Nanos, Pbn, Ppn, Vtpn};
use cells::Cells;
use std::ops::Range;

/// What a page's OOB says it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// User data of a logical page.
    Data(Lpn),
    /// A translation page of the map.
    Translation(Vtpn),
}

/// A page that was read into RAM, to be programmed elsewhere: what [`Flash::load`] returns and
/// [`Flash::store`] takes.
#[derive(Clone, Debug)]
#[must_use]
pub struct Loaded {
    raw: u32,
    stamp: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Pages programmed since the last erase (ascending order), or any programmed at all.
    written: u16,
    valid: u16,
    erases: u32,
}

/// The device that every FTL runs on.
#[derive(Clone, Debug)]
pub struct Flash {
    geometry: Geometry,
    order: ProgramOrder,
    /// The order that was configured.
    configured_order: Option<ProgramOrder>,
    /// Bits of a cell, where that was configured or an FTL has blocks in SLC mode.
    cell: Option<Cell>,
    /// Page types; `None` when all pages are alike.
    cells: Option<Box<Cells>>,
    /// Bytes of an OOB that an FTL may fill.
    oob_bytes: u32,
    /// Per physical page: 0 erased, [`WASTED`], or owner + 1; translation pages follow the logical
    /// pages.
    owners: Vec<u32>,
    /// Per physical page: version of the data it holds.
    stamps: Vec<u16>,
    /// Per physical page, one bit; each block starts a new word.
    valid: Vec<u64>,
    valid_words_per_block: usize,
    blocks: Vec<Block>,
    /// Per logical page: bit 15 set when it holds data, below it the version of its newest write.
    versions: Vec<u16>,
    verify: bool,
    timeline: Timeline,
    ledger: Ledger,
    invalidations: u64,
    reads_verified: u64,
    unwritten_reads: u64,
    /// By cause, pages loaded minus pages stored.
    not_stored: [i64; Cause::ALL.len()],
    history: History,
}

const HOLDS_DATA: u16 = 1 << 15;
/// A page that was skipped: it holds nothing, and cannot be programmed before the next erase.
const WASTED: u32 = u32::MAX;

impl Flash {
    /// An erased device that holds `capacity` bytes of logical address space.
    ///
    /// # Errors
    /// [`Error::Config`] when the geometry is impossible.
    pub fn new(device: &DeviceConfig, capacity: u64) -> Result<Self, Error> {
        let geometry = Geometry::new(device, capacity)?;
        let cell = device.cell.unwrap_or(Cell::Slc);
        let cells = Cells::new(cell, device)?.map(Box::new);
        if cells.is_some() && device.program_order == Some(ProgramOrder::Any) {
            return Err(cells_need_ascending_order(cell));
        }
        let pages = geometry.pages() as usize;
        let valid_words_per_block = geometry.pages_per_block.div_ceil(64) as usize;
        Ok(Flash {
            order: device.program_order.unwrap_or_default(),
            configured_order: device.program_order,
            cell: device.cell,
            cells,
            oob_bytes: device.oob_bytes() as u32,
            owners: vec![0; pages],
            stamps: vec![0; pages],
            valid: vec![0; valid_words_per_block * geometry.blocks() as usize],
            valid_words_per_block,
            blocks: vec![Block::default(); geometry.blocks() as usize],
            versions: vec![0; geometry.logical_pages as usize],
            verify: true,
            timeline: Timeline::of(device, &geometry),
            ledger: Ledger::default(),
            invalidations: 0,
            reads_verified: 0,
            unwritten_reads: 0,
            not_stored: [0; Cause::ALL.len()],
            history: History::default(),
            geometry,
        })
    }

    /// Stops comparing versions: for benchmarks only. The rules of NAND stay checked.
    pub fn skip_verification(&mut self) {
        self.verify = false;
    }

    /// Declares that the FTL programs the pages of a block in any order; without, the device insists
    /// on ascending order. An FTL calls this when it is built.
    ///
    /// # Errors
    /// [`Error::Config`] when the device was configured to insist on ascending order, or its cells do.
    pub fn allow_any_order(&mut self) -> Result<(), Error> {
        if self.configured_order == Some(ProgramOrder::Ascending) {
            let message = "found ascending, expected any (or nothing): this FTL keeps pages at their \
                           offsets inside a block, whichever is written first";
            return Err(Error::config("device.program_order", message));
        }
        if let (Some(_), Some(cell)) = (&self.cells, self.cell) {
            return Err(cells_need_ascending_order(cell));
        }
        self.order = ProgramOrder::Any;
        Ok(())
    }

    /// Declares what the FTL fills each OOB with; called when it is built.
    ///
    /// # Errors
    /// [`Error::Config`] when that is more than the device has.
    pub fn expect_oob(&self, bytes: u32, what: &str) -> Result<(), Error> {
        if bytes <= self.oob_bytes {
            return Ok(());
        }
        let message = format!("found {} B, expected at least {bytes} for {what}", self.oob_bytes);
        Err(Error::config("device.oob", message))
    }

    /// Bytes of an OOB that an FTL may fill.
    #[must_use]
    pub const fn oob_bytes(&self) -> u32 {
        self.oob_bytes
    }

    /// Puts blocks in SLC mode: they use one page of each word line, at the speed of its LSB. An FTL
    /// calls this when it is built. Cells of which nothing was said have two bits then.
    ///
    /// # Errors
    /// [`Error::Config`] when the cells have one bit, or no two of them make a word line.
    pub fn use_slc_mode(&mut self, blocks: Range<u32>, device: &DeviceConfig) -> Result<(), Error> {
        let cell = device.cell.unwrap_or(Cell::Mlc);
        let Some(mut cells) = Cells::new(cell, device)? else {
            let message = "found slc, expected mlc or tlc: this FTL has a region in SLC mode";
            return Err(Error::config("device.cell", message));
        };
        cells.use_slc_mode(blocks);
        self.cell = Some(cell);
        self.cells = Some(Box::new(cells));
        Ok(())
    }

    /// Bits of a cell; `None` when all pages are alike and nothing was said.
    #[must_use]
    pub const fn cell(&self) -> Option<Cell> {
        self.cell
    }

    /// Pages of a block: fewer than the geometry says in SLC mode.
    #[inline]
    #[must_use]
    pub fn pages_of(&self, pbn: Pbn) -> u32 {
        let all = self.geometry.pages_per_block;
        self.cells.as_ref().map_or(all, |cells| cells.pages_of(pbn))
    }

    /// Array times of reading and of programming a page, ns; `None` when all pages are alike.
    #[must_use]
    pub fn page_times(&self, ppn: Ppn) -> Option<(u64, u64)> {
        let pbn = self.geometry.block_of(ppn);
        let page = ppn.0 - self.geometry.first_page(pbn).0;
        self.cells.as_ref().map(|cells| cells.times_of(pbn, page))
    }

    /// Whether versions are compared.
    #[must_use]
    pub const fn verifies(&self) -> bool {
        self.verify
    }

    /// Programs that a logical page has had for the host, modulo 2^15: for the verification of what is
    /// in RAM. Always 0 when versions are not compared.
    #[must_use]
    pub fn host_programs_of(&self, lpn: Lpn) -> u16 {
        self.versions[lpn.index()] & !HOLDS_DATA
    }

    /// The order in which the pages of a block may be programmed.
    #[must_use]
    pub const fn program_order(&self) -> ProgramOrder {
        self.order
    }

    /// The shape of the device.
    #[inline]
    #[must_use]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Counts since measuring started.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The clock.
    #[must_use]
    pub const fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The clock, for the host: FTLs never see it.
    #[inline]
    pub(crate) const fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }

    /// Host page reads whose version was compared, since measuring started.
    #[must_use]
    pub const fn reads_verified(&self) -> u64 {
        self.reads_verified
    }

    /// Host page reads of pages that hold no data, since measuring started.
    #[must_use]
    pub const fn unwritten_reads(&self) -> u64 {
        self.unwritten_reads
    }

    /// Commands whose rules were checked, since measuring started.
    #[must_use]
    pub fn rules_checked(&self) -> u64 {
        let operations = Operation::ALL.iter().map(|operation| self.ledger.total(*operation));
        self.invalidations + operations.sum::<u64>()
    }

    /// Sets all counts to zero and the clock to an idle device at time 0; the pages stay.
    pub fn start_measuring(&mut self) {
        self.ledger = Ledger::default();
        self.invalidations = 0;
        self.reads_verified = 0;
        self.unwritten_reads = 0;
        self.not_stored = [0; Cause::ALL.len()];
        self.timeline.reset();
    }

    /// Writes down when operations are done, from an idle device at time 0.
    pub fn start_log(&mut self, device: &DeviceConfig, log: Log) {
        self.timeline.start_log(device, &self.geometry, log);
    }

    /// Starts the next page access of the request: an FTL calls this once per page.
    #[inline]
    pub fn begin_page(&mut self) {
        self.timeline.begin_chain();
    }

    /// The page accesses that follow depend on what this one has done so far.
    #[inline]
    pub fn hold_later_pages(&mut self) {
        self.timeline.hold_later_chains();
    }

    /// Serves a host read of `lpn` from `ppn`, where the FTL's map says its newest version is.
    /// `None`, an unmapped page, costs a page read all the same (ALGORITHMS 0.7).
    #[inline]
    pub fn host_read(&mut self, lpn: Lpn, ppn: Option<Ppn>) {
        match ppn {
            Some(ppn) => {
                let owner = self.read(ppn, Cause::Host);
                if owner != Owner::Data(lpn) || !self.is_valid(ppn) {
                    self.broken("a host read must find the newest version of its page", ppn, lpn.0);
                }
                if self.verify {
                    self.reads_verified += 1;
                    let stamp = self.stamps[ppn.index()] | HOLDS_DATA;
                    if stamp != self.versions[lpn.index()] {
                        self.broken("a host read must return the last version written", ppn, lpn.0);
                    }
                }
            }
            None => self.read_unwritten(lpn),
        }
    }

    /// Serves a host read of `lpn` from a page in RAM that is nowhere else: no flash operation.
    pub fn host_read_loaded(&self, lpn: Lpn, page: &Loaded) {
        let newest = page.stamp | HOLDS_DATA == self.versions[lpn.index()] || !self.verify;
        if self.owner_of(page) != Owner::Data(lpn) || !newest {
            self.broken("a page in RAM must be the last version written", Ppn(u32::MAX), lpn.0);
        }
    }

    /// What a page in RAM holds: its OOB was read with it.
    #[must_use]
    pub fn owner_of(&self, page: &Loaded) -> Owner {
        self.decode(page.raw)
    }

    #[inline(never)]
    fn read_unwritten(&mut self, lpn: Lpn) {
        if self.verify {
            self.reads_verified += 1;
            if self.versions[lpn.index()] & HOLDS_DATA != 0 {
                self.broken("a page that holds data must be mapped", Ppn(u32::MAX), lpn.0);
            }
        }
        self.unwritten_reads += 1;
        let plane = lpn.0 % self.geometry.planes();
        self.ledger.count(Operation::Read, Cause::Host);
        self.retime(Some(Ppn(self.geometry.offset_of(lpn))), None);
        self.timeline.read(plane, 0);
    }

    /// The OOB reads by which the host looks for a page that holds no data: what MNFTL's Table 2
    /// charges for a read of nothing, beside the page read of [`Flash::host_read`].
    pub fn search_in_vain(&mut self, lpn: Lpn, oob_reads: u32) {
        self.ledger.count_many(Operation::ReadOob, Cause::Host, oob_reads);
        self.timeline.read_oob(lpn.0 % self.geometry.planes(), 0, oob_reads);
    }

    /// Reads a page and its OOB.
    #[inline(always)]
    pub fn read(&mut self, ppn: Ppn, cause: Cause) -> Owner {
        let owner = self.programmed_owner(ppn);
        self.book_read(ppn, self.geometry.block_of(ppn), cause);
        owner
    }

    /// Reads only the OOB of a page, at its own latency.
    #[inline]
    pub fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Owner {
        let owner = self.programmed_owner(ppn);
        self.history.push(Operation::ReadOob, cause, ppn.0);
        self.ledger.count(Operation::ReadOob, cause);
        let plane = self.geometry.plane_of(self.geometry.block_of(ppn));
        self.timeline.read_oob(plane, self.geometry.page_in_block(ppn), 1);
        owner
    }

    /// Reads the OOBs of some pages of a block, from `first` on.
    #[inline]
    pub fn scan_oob(&mut self, first: Ppn, count: u32, cause: Cause) {
        let Some(last) = count.checked_sub(1).map(|more| Ppn(first.0 + more)) else { return };
        let pbn = self.geometry.block_of(first);
        if self.geometry.block_of(last) != pbn {
            self.broken("a scan stays inside its block", first, last.0);
        }
        // In ascending order the pages before a programmed one are programmed.
        self.programmed_owner(last);
        self.history.push(Operation::ReadOob, cause, last.0);
        self.ledger.count_many(Operation::ReadOob, cause, count);
        let page = self.geometry.page_in_block(first);
        self.timeline.read_oob(self.geometry.plane_of(pbn), page, count);
    }

    /// Programs a page. With owner [`Owner::Data`] and [`Cause::Host`] it holds a new version.
    #[inline(always)]
    pub fn program(&mut self, ppn: Ppn, owner: Owner, cause: Cause) {
        let stamp = match (owner, cause) {
            (Owner::Data(lpn), Cause::Host) if self.verify => {
                let version = &mut self.versions[lpn.index()];
                *version = version.wrapping_add(1) | HOLDS_DATA;
                *version & !HOLDS_DATA
            }
            _ => 0,
        };
        let pbn = self.fill(ppn, self.encode(owner), stamp);
        self.book_program(ppn, pbn, cause);
    }

    /// Programs a page, and `bytes` of its OOB with it.
    #[inline]
    pub fn program_oob(&mut self, ppn: Ppn, owner: Owner, bytes: u32, cause: Cause) {
        self.check_oob(ppn, bytes);
        self.program(ppn, owner, cause);
    }

    /// Moves a valid page as [`Flash::relocate`] does, with `bytes` of OOB written anew.
    #[inline]
    pub fn relocate_oob(&mut self, from: Ppn, to: Ppn, bytes: u32, cause: Cause) -> Owner {
        self.check_oob(to, bytes);
        self.relocate(from, to, cause)
    }

    #[inline]
    fn check_oob(&self, ppn: Ppn, bytes: u32) {
        if bytes > self.oob_bytes {
            self.broken("what is kept in an OOB must fit", ppn, bytes);
        }
    }

    /// Copies a valid page through the controller: a read, then a program, with their transfers.
    /// Both copies are valid until one is invalidated.
    #[inline(always)]
    pub fn copy(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let (source, target) = (self.geometry.block_of(from), self.geometry.block_of(to));
        let owner = self.duplicate(from, source, to, target);
        self.history.push(Operation::Read, cause, from.0);
        self.history.push(Operation::Program, cause, to.0);
        self.ledger.count(Operation::Read, cause);
        self.ledger.count(Operation::Program, cause);
        self.retime(Some(from), Some(to));
        let place =
            |block, page| (self.geometry.plane_of(block), self.geometry.page_in_block(page));
        self.timeline.copy(place(source, from), place(target, to));
        owner
    }

    /// Copies a valid page through the controller and marks the old copy as superseded.
    #[inline(always)]
    pub fn relocate(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let owner = self.copy(from, to, cause);
        self.invalidate(from);
        owner
    }

    /// Relocates the next valid pages of a block, one after another, to the pages from `to` on, `most` of
    /// which are left in its block. Adds what each holds and where it is now to `moved`.
    pub fn relocate_run(
        &mut self,
        pages: &mut ValidPages,
        to: Ppn,
        most: u32,
        cause: Cause,
        moved: &mut Vec<(Owner, Ppn)>,
    ) {
        let free = (to.0..to.0 + most).map(Ppn);
        if self.cells.is_some() || !self.timeline.books_alike() {
            for to in free {
                let Some(from) = pages.next(self) else { return };
                moved.push((self.relocate(from, to, cause), to));
            }
            return;
        }
        let (source, target) = (pages.block(&self.geometry), self.geometry.block_of(to));
        let mut count = 0;
        for to in free {
            let Some(from) = pages.next(self) else { break };
            moved.push((self.duplicate(from, source, to, target), to));
            self.supersede(from, source);
            self.history.push(Operation::Read, cause, from.0);
            self.history.push(Operation::Program, cause, to.0);
            count += 1;
        }
        self.ledger.count_many(Operation::Read, cause, count);
        self.ledger.count_many(Operation::Program, cause, count);
        let planes = [source, target].map(|block| self.geometry.plane_of(block));
        self.timeline.copies(planes[0], planes[1], count);
    }

    /// Reads a valid page into RAM, so that its block can be erased before it is programmed again.
    pub fn load(&mut self, from: Ppn, cause: Cause) -> Loaded {
        if !self.is_valid(from) {
            self.broken("only a valid page is worth copying", from, 0);
        }
        self.book_read(from, self.geometry.block_of(from), cause);
        self.not_stored[cause as usize] += 1;
        Loaded { raw: self.owners[from.index()], stamp: self.stamps[from.index()] }
    }

    /// Programs a page from RAM.
    pub fn store(&mut self, to: Ppn, page: Loaded, cause: Cause) {
        let pbn = self.fill(to, page.raw, page.stamp);
        self.book_program(to, pbn, cause);
        self.not_stored[cause as usize] -= 1;
    }

    /// Pages read into RAM and not programmed again since measuring started: they are still there, or
    /// were superseded meanwhile. Negative when pages that were in RAM before have been programmed.
    #[must_use]
    pub const fn loads_not_stored(&self, cause: Cause) -> i64 {
        self.not_stored[cause as usize]
    }

    /// Copies a valid page inside its plane without the bus; page numbers must have the same parity.
    pub fn copy_back(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let (source, target) = (self.geometry.block_of(from), self.geometry.block_of(to));
        let plane = self.geometry.plane_of(source);
        if plane != self.geometry.plane_of(target) {
            self.broken("a copy-back stays inside its plane", from, to.0);
        }
        if self.geometry.parity_of(from) != self.geometry.parity_of(to) {
            self.broken("a copy-back keeps the parity of the page", from, to.0);
        }
        let owner = self.duplicate(from, source, to, target);
        self.history.push(Operation::CopyBack, cause, to.0);
        self.ledger.count(Operation::CopyBack, cause);
        self.retime(Some(from), Some(to));
        self.timeline.copy_back(plane, self.geometry.page_in_block(to));
        owner
    }

    /// Copies a valid page inside its plane and marks the old copy as superseded.
    pub fn move_back(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let owner = self.copy_back(from, to, cause);
        self.invalidate(from);
        owner
    }

    /// Skips the next page of a block, which is an action in RAM: nothing is programmed.
    pub fn waste(&mut self, ppn: Ppn) {
        let pbn = self.geometry.block_of(ppn);
        if self.owners[ppn.index()] != 0 {
            self.broken("only an erased page can be skipped", ppn, pbn.0);
        }
        if u32::from(self.blocks[pbn.index()].written) != self.geometry.page_in_block(ppn) {
            self.broken("only the next page of a block can be skipped", ppn, pbn.0);
        }
        self.blocks[pbn.index()].written += 1;
        self.owners[ppn.index()] = WASTED;
        self.ledger.count_wasted();
    }

    /// Erases a block that has no valid page; `kind` is what it was filled with.
    pub fn erase(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause) {
        let first = self.geometry.first_page(pbn);
        if self.blocks[pbn.index()].valid != 0 {
            self.broken("a block with valid pages must not be erased", first, pbn.0);
        }
        let block = &mut self.blocks[pbn.index()];
        let unused = self.geometry.pages_per_block - u32::from(block.written);
        block.written = 0;
        block.erases += 1;
        let pages = first.index()..first.index() + self.geometry.pages_per_block as usize;
        self.owners[pages].fill(0);
        self.history.push(Operation::Erase, cause, pbn.0);
        self.ledger.count_erase(kind, cause, unused);
        self.timeline.erase(self.geometry.plane_of(pbn));
    }

    /// Marks a valid page as superseded: an action in RAM, free of charge. Returns its block.
    #[inline(always)]
    pub fn invalidate(&mut self, ppn: Ppn) -> Pbn {
        let pbn = self.geometry.block_of(ppn);
        self.supersede(ppn, pbn);
        pbn
    }

    #[inline(always)]
    fn supersede(&mut self, ppn: Ppn, pbn: Pbn) {
        let (word, bit) = self.valid_bit(pbn, ppn);
        if self.valid[word] & bit == 0 {
            self.broken("only a valid page can be invalidated", ppn, pbn.0);
        }
        self.valid[word] &= !bit;
        self.blocks[pbn.index()].valid -= 1;
        self.invalidations += 1;
    }

    /// The host no longer needs `lpn`; from now on it holds no data.
    pub fn trim(&mut self, lpn: Lpn) {
        self.versions[lpn.index()] &= !HOLDS_DATA;
    }

    /// Valid pages in a block.
    #[inline]
    #[must_use]
    pub fn valid_in(&self, pbn: Pbn) -> u32 {
        u32::from(self.blocks[pbn.index()].valid)
    }

    /// The valid pages of a block, ascending: `while let Some(ppn) = pages.next(flash)`. A page that is
    /// invalidated meanwhile may still be listed.
    #[inline]
    #[must_use]
    pub fn valid_pages(&self, pbn: Pbn) -> ValidPages {
        let word = pbn.index() * self.valid_words_per_block;
        let end = word + self.valid_words_per_block;
        let first = self.geometry.first_page(pbn).0;
        ValidPages { first, bits: self.valid[word], mask: u64::MAX, word, end }
    }

    /// Whether a page is programmed and not invalidated.
    #[inline]
    #[must_use]
    pub fn is_valid(&self, ppn: Ppn) -> bool {
        let (word, bit) = self.valid_bit(self.geometry.block_of(ppn), ppn);
        self.valid[word] & bit != 0
    }

    /// When a plane and its channel will have done all that was asked of them, as a controller sees
    /// from its queues.
    #[inline]
    #[must_use]
    pub fn plane_free_at(&self, plane: u32) -> Nanos {
        self.timeline.free_at(plane)
    }

    /// Whether a page is programmed or skipped, valid or not: an FTL keeps this in RAM, a bit for each page.
    #[inline]
    #[must_use]
    pub fn is_programmed(&self, ppn: Ppn) -> bool {
        self.owners[ppn.index()] != 0
    }

    /// Pages of a block that are programmed, valid or not.
    #[inline]
    #[must_use]
    pub fn programmed_in(&self, pbn: Pbn) -> u32 {
        u32::from(self.blocks[pbn.index()].written)
    }

    /// Whether no page of a block can be programmed before it is erased.
    #[inline]
    #[must_use]
    pub fn is_full(&self, pbn: Pbn) -> bool {
        self.programmed_in(pbn) == self.pages_of(pbn)
    }

    /// The page of a block that is programmed next, where they are programmed one after another.
    #[inline]
    #[must_use]
    pub fn next_page(&self, pbn: Pbn) -> Ppn {
        Ppn(self.geometry.first_page(pbn).0 + self.programmed_in(pbn))
    }

    /// Whether a page was skipped and not programmed.
    #[inline]
    #[must_use]
    pub fn is_skipped(&self, ppn: Ppn) -> bool {
        self.owners[ppn.index()] == WASTED
    }

    /// Whether a block has no programmed page.
    #[must_use]
    pub fn is_erased(&self, pbn: Pbn) -> bool {
        self.blocks[pbn.index()].written == 0
    }

    /// Erases that a block has had, warm-up included.
    #[inline]
    #[must_use]
    pub fn erases_of(&self, pbn: Pbn) -> u32 {
        self.blocks[pbn.index()].erases
    }

    /// What a page holds, for audits: an FTL has to read the page or its OOB.
    #[must_use]
    pub fn audit_owner(&self, ppn: Ppn) -> Option<Owner> {
        let raw = self.owners[ppn.index()];
        (raw != 0 && raw != WASTED).then(|| self.decode(raw))
    }

    /// Whether a logical page holds data, for audits.
    #[must_use]
    pub fn audit_holds_data(&self, lpn: Lpn) -> bool {
        self.versions[lpn.index()] & HOLDS_DATA != 0
    }

    #[inline(always)]
    fn valid_bit(&self, pbn: Pbn, ppn: Ppn) -> (usize, u64) {
        let page = ppn.0 - self.geometry.first_page(pbn).0;
        (pbn.index() * self.valid_words_per_block + (page / 64) as usize, 1 << (page % 64))
    }

    #[inline(always)]
    fn encode(&self, owner: Owner) -> u32 {
        match owner {
            Owner::Data(lpn) => lpn.0 + 1,
            Owner::Translation(vtpn) => self.geometry.logical_pages + vtpn.0 + 1,
        }
    }

    #[inline(always)]
    fn decode(&self, raw: u32) -> Owner {
        let page = raw - 1;
        if page < self.geometry.logical_pages {
            Owner::Data(Lpn(page))
        } else {
            Owner::Translation(Vtpn(page - self.geometry.logical_pages))
        }
    }

    #[inline(always)]
    fn programmed_owner(&self, ppn: Ppn) -> Owner {
        let raw = self.owners[ppn.index()];
        if raw == 0 || raw == WASTED {
            self.broken("only a programmed page can be read", ppn, 0);
        }
        self.decode(raw)
    }

    #[inline(always)]
    fn book_read(&mut self, ppn: Ppn, pbn: Pbn, cause: Cause) {
        self.history.push(Operation::Read, cause, ppn.0);
        self.ledger.count(Operation::Read, cause);
        self.retime(Some(ppn), None);
        let plane = self.geometry.plane_of(pbn);
        self.timeline.read(plane, self.geometry.page_in_block(ppn));
    }

    /// Gives the next read and the next program the times of these pages, where pages differ.
    #[inline(always)]
    fn retime(&mut self, read: Option<Ppn>, program: Option<Ppn>) {
        if self.cells.is_some() {
            self.retime_cells(read, program);
        }
    }

    #[inline(never)]
    fn retime_cells(&mut self, read: Option<Ppn>, program: Option<Ppn>) {
        if let Some((time, _)) = read.and_then(|ppn| self.page_times(ppn)) {
            self.timeline.set_read_time(time);
        }
        if let Some((_, time)) = program.and_then(|ppn| self.page_times(ppn)) {
            self.timeline.set_program_time(time);
        }
    }

    #[inline(always)]
    fn book_program(&mut self, ppn: Ppn, pbn: Pbn, cause: Cause) {
        self.history.push(Operation::Program, cause, ppn.0);
        self.ledger.count(Operation::Program, cause);
        self.retime(None, Some(ppn));
        let plane = self.geometry.plane_of(pbn);
        self.timeline.program(plane, self.geometry.page_in_block(ppn));
    }

    /// Makes `to` hold what `from` holds; these are in the blocks `target` and `source`.
    #[inline(always)]
    fn duplicate(&mut self, from: Ppn, source: Pbn, to: Ppn, target: Pbn) -> Owner {
        let (word, bit) = self.valid_bit(source, from);
        if self.valid[word] & bit == 0 {
            self.broken("only a valid page is worth copying", from, to.0);
        }
        let raw = self.owners[from.index()];
        self.fill_in(target, to, raw, self.stamps[from.index()]);
        self.decode(raw)
    }

    /// Checks the rules of programming and makes the page valid. Returns its block.
    #[inline(always)]
    fn fill(&mut self, ppn: Ppn, raw: u32, stamp: u16) -> Pbn {
        let pbn = self.geometry.block_of(ppn);
        self.fill_in(pbn, ppn, raw, stamp);
        pbn
    }

    #[inline(always)]
    fn fill_in(&mut self, pbn: Pbn, ppn: Ppn, raw: u32, stamp: u16) {
        let page = ppn.0 - self.geometry.first_page(pbn).0;
        let (word, bit) = self.valid_bit(pbn, ppn);
        let block = &mut self.blocks[pbn.index()];
        let in_order = u32::from(block.written) == page || self.order == ProgramOrder::Any;
        let missing = self.cells.as_ref().is_some_and(|cells| page >= cells.pages_of(pbn));
        if self.owners[ppn.index()] != 0 || !in_order || missing {
            self.refuse_program(ppn, raw);
        }
        block.written += 1;
        block.valid += 1;
        self.valid[word] |= bit;
        self.owners[ppn.index()] = raw;
        if self.verify {
            self.stamps[ppn.index()] = stamp;
        }
    }

    #[cold]
    fn refuse_program(&self, ppn: Ppn, raw: u32) -> ! {
        if self.owners[ppn.index()] != 0 {
            self.broken(
                "a page is programmed once between erases, and its OOB with it",
                ppn,
                raw - 1,
            );
        }
        let pbn = self.geometry.block_of(ppn);
        if ppn.0 - self.geometry.first_page(pbn).0 >= self.pages_of(pbn) {
            self.broken("a block in SLC mode has one page for each word line", ppn, raw - 1);
        }
        self.broken("pages of a block are programmed in ascending order", ppn, raw - 1);
    }

    #[cold]
    #[inline(never)]
    fn broken(&self, rule: &str, ppn: Ppn, detail: u32) -> ! {
        let place = match self.owners.get(ppn.index()) {
            None => String::from("no page"),
            Some(_) => {
                let pbn = self.geometry.block_of(ppn);
                let block = self.blocks[pbn.index()];
                format!(
                    "page {ppn} (block {pbn}: {} programmed, {} valid, {} erases), owner {:?}, {}",
                    block.written,
                    block.valid,
                    block.erases,
                    self.audit_owner(ppn),
                    if self.is_valid(ppn) { "valid" } else { "not valid" },
                )
            }
        };
        panic!("{rule}: {place}, detail {detail}; last operations: {}", self.history);
    }

    /// Recomputes every invariant of the device from the page states.
    ///
    /// # Panics
    /// When one does not hold.
    pub fn audit(&self) {
        self.audit_with(std::iter::empty());
    }

    /// The same while pages are in RAM and nowhere else.
    ///
    /// # Panics
    /// As [`Flash::audit`], and when one of them is on flash, too, or stale.
    pub fn audit_with<'a>(&self, in_ram: impl Iterator<Item = &'a Loaded>) {
        let mut seen = vec![false; self.versions.len()];
        for page in in_ram {
            if let Owner::Data(lpn) = self.owner_of(page) {
                self.host_read_loaded(lpn, page);
                seen[lpn.index()] = true;
            }
        }
        for number in 0..self.geometry.blocks() {
            let pbn = Pbn(number);
            let block = self.blocks[pbn.index()];
            let first = self.geometry.first_page(pbn).0;
            let mut written = 0;
            let mut valid = 0;
            for ppn in (first..first + self.geometry.pages_per_block).map(Ppn) {
                written += u16::from(self.owners[ppn.index()] != 0);
                if self.is_valid(ppn) {
                    valid += 1;
                    self.audit_valid_page(ppn, &mut seen);
                }
            }
            assert_eq!((written, valid), (block.written, block.valid), "counts of block {pbn}");
        }
        let lost = seen.iter().zip(&self.versions).position(|(s, v)| *s != (v & HOLDS_DATA != 0));
        assert!(lost.is_none() || !self.verify, "page {lost:?} has data but no valid copy");
    }

    fn audit_valid_page(&self, ppn: Ppn, seen: &mut [bool]) {
        match self.audit_owner(ppn) {
            None => panic!("page {ppn} is valid but not programmed"),
            Some(Owner::Translation(_)) => {}
            Some(Owner::Data(lpn)) => {
                let twice = std::mem::replace(&mut seen[lpn.index()], true);
                assert!(!twice, "logical page {lpn} has two valid copies, one in page {ppn}");
                let newest = self.stamps[ppn.index()] | HOLDS_DATA == self.versions[lpn.index()];
                assert!(newest || !self.verify, "page {ppn} is a stale copy of {lpn}");
            }
        }
    }
}

fn cells_need_ascending_order(cell: Cell) -> Error {
    let message = format!(
        "found {}, expected slc: such cells are programmed in ascending order, and this FTL or \
         device.program_order asks for any",
        cell.name()
    );
    Error::config("device.cell", message)
}

/// The valid pages of a block, one after another.
#[derive(Clone, Copy, Debug)]
pub struct ValidPages {
    /// Page of the lowest bit of `bits`.
    first: u32,
    bits: u64,
    /// Pages of a word that are asked for.
    mask: u64,
    word: usize,
    end: usize,
}

impl ValidPages {
    /// The block.
    #[must_use]
    pub const fn block(&self, geometry: &Geometry) -> Pbn {
        geometry.block_of(Ppn(self.first))
    }

    /// Of these, the pages whose number in the block has this parity.
    #[must_use]
    pub const fn only(mut self, parity: Parity) -> Self {
        self.mask = match parity {
            Parity::Even => u64::MAX / 3,
            Parity::Odd => u64::MAX / 3 * 2,
        };
        self.bits &= self.mask;
        self
    }

    /// The next valid page.
    #[inline]
    pub fn next(&mut self, flash: &Flash) -> Option<Ppn> {
        while self.bits == 0 {
            if self.word + 1 == self.end {
                return None;
            }
            self.word += 1;
            self.first += 64;
            self.bits = flash.valid[self.word] & self.mask;
        }
        let page = self.first + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(Ppn(page))
    }
}

/// The last operations, for the message of a broken rule.
#[derive(Clone, Debug, Default)]
struct History {
    /// Operation, cause and address, packed so that noting one is a single store.
    ring: [u64; 16],
    pushed: usize,
}

impl History {
    #[inline(always)]
    fn push(&mut self, operation: Operation, cause: Cause, address: u32) {
        let packed = (operation as u64) << 40 | (cause as u64) << 32 | u64::from(address);
        self.ring[self.pushed & 15] = packed;
        self.pushed = self.pushed.wrapping_add(1);
    }
}

impl std::fmt::Display for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for age in (1..=self.pushed.min(16)).rev() {
            let packed = self.ring[(self.pushed - age) & 15];
            let operation = Operation::ALL[(packed >> 40) as usize];
            let cause = Cause::ALL[(packed >> 32) as usize & 255];
            write!(f, "{operation:?} {} ({}); ", packed as u32, cause.name())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
