//! The NAND device: the only way to the medium, which checks every command.
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
//! ```text
//! FTL --commands--> Flash: medium   pages and blocks: what is programmed, and what of it is valid
//!                          wear     which block of the medium is below a block of the FTL
//!                          truth    which version each read must return
//!                          loss     what an FTL loses that declares it
//!                          meter    counts by cause, clock, the last operations
//!                          persistence   what survives a power cut in addition to the pages
//! experiment -----> Device: the Flash that it lends, and its instruments
//! ```
//!
//! A valid page is moved by one of these; the mapping is the FTL's to change.
//!
//! | command | data goes | the old page is | counted as |
//! | :-- | :-- | :-- | :-- |
//! | [`copy`](Flash::copy) | over the bus, through the controller | still valid | read, program |
//! | [`relocate`](Flash::relocate) | as `copy` | invalidated | read, program |
//! | [`copy_back`](Flash::copy_back) | inside the plane, to a page of equal parity | still valid | copy-back |
//! | [`move_back`](Flash::move_back) | as `copy_back` | invalidated | copy-back |
//! | [`load`](Flash::load), later [`store`](Flash::store) | into RAM, and back | still valid | read; program |
//!
//! An FTL programs the content of an OOB with its page, once. [`Flash::program_oob`] takes its
//! length in bytes and rejects content that does not fit. The content itself lives in the tables of
//! the FTL.
//!
//! Memory: 6 bytes per physical page (owner, stamp), 2 per logical page (version), and a bit. Tables
//! start as zeroes, which the operating system provides when a page of them is first touched.

// The device is the inner loop of everything. Its small steps are inlined into each command, so
// that the compiler computes a page's block and plane once.
#![allow(clippy::inline_always)]

mod asked;
mod cells;
mod cuts;
mod device;
mod early;
mod events;
mod future;
pub mod ledger;
mod loss;
mod media;
mod medium;
mod meter;
mod persistence;
mod recovery;
mod runs;
mod settlement;
mod truth;
mod upkeep;
mod valid_pages;
mod wear;

pub use crate::device::geometry::{Geometry, Parity};
pub use crate::purpose::{Cause, Owner};
pub use cuts::{Cuts, Tear};
pub use device::Device;
pub use events::{Event, Kept};
pub use future::Future;
pub use ledger::{BlockKind, Ledger, Operation};
pub use loss::{Loss, LossCounts};
pub use media::Media;
pub use persistence::{Content, Tombstone};
pub use recovery::Found;
pub use runs::Span;
pub use valid_pages::ValidPages;
pub use wear::{WearConfig, WearPart, WearPolicy};

use crate::device::{Cell, DeviceConfig, ProgramOrder};
use crate::engine::Spot;
use crate::error::Error;
use crate::purpose::Purpose;
use crate::request::Op;
use crate::settings::Section;
use crate::units::{Duration, Lpn, Nanos, Pbn, Ppn, Vtpn};
use asked::{Service, Undone};
use cells::Cells;
use medium::{Medium, TORN, WASTED};
use meter::Meter;
use persistence::{Origin, Persistence};
use std::fmt;
use std::ops::Range;
use truth::Truth;
use wear::Wear;

/// The subject of a command that broke a rule, in addition to a page.
#[derive(Clone, Copy)]
enum About {
    Nothing,
    Asked(Lpn),
    Target(Ppn),
    Owner(Owner),
    Bytes(u32),
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            About::Nothing => Ok(()),
            About::Asked(lpn) => write!(f, ", asked for logical page {lpn}"),
            About::Target(ppn) => write!(f, ", to page {ppn}"),
            About::Owner(owner) => write!(f, ", to hold {owner}"),
            About::Bytes(bytes) => write!(f, ", {bytes} B"),
        }
    }
}

/// A page that was read into RAM, to be programmed elsewhere. [`Flash::load`] returns it and
/// [`Flash::store`] takes it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Loaded {
    raw: u32,
    stamp: u16,
    from: Ppn,
    sequence: u64,
}

/// The commands of a device, and what its controller knows without reading: all that an FTL
/// receives.
///
/// The counts, the clock and the versions of pages belong to the [`Device`], which lends the FTL
/// this part of itself. An FTL therefore cannot decide by what only an experiment knows.
///
/// ```compile_fail,E0599
/// fn peek(flash: &ftlab::flash::Flash) -> u64 {
///     flash.ledger().flash_operations() // the counts
/// }
/// ```
/// ```compile_fail,E0599
/// fn peek(flash: &ftlab::flash::Flash) -> u64 {
///     flash.timeline().idle_at() // the clock
/// }
/// ```
/// ```compile_fail,E0599
/// fn peek(flash: &ftlab::flash::Flash, lpn: ftlab::units::Lpn) -> bool {
///     flash.audit_holds_data(lpn) // the truth
/// }
/// ```
/// ```compile_fail,E0599
/// fn peek(flash: &ftlab::flash::Flash, ppn: ftlab::units::Ppn) -> Option<ftlab::flash::Owner> {
///     flash.audit_owner(ppn) // what a page holds, without reading it
/// }
/// ```
/// ```compile_fail,E0616
/// fn peek(flash: &mut ftlab::flash::Flash) {
///     let _ = &mut flash.meter;
/// }
/// ```
/// ```compile_fail,E0308
/// fn twin(flash: &ftlab::flash::Flash) -> ftlab::flash::Flash {
///     flash.clone() // a device to try commands on that cost nothing
/// }
/// ```
/// ```compile_fail,E0277
/// fn peek(flash: &ftlab::flash::Flash) -> String {
///     format!("{flash:?}") // everything
/// }
/// ```
///
/// # Panics
/// A command that breaks a rule panics with the rule, the page, its block and the last operations.
/// A command to an address beyond the device panics, too.
pub struct Flash {
    medium: Medium,
    truth: Truth,
    meter: Meter,
    /// The first block of each region of the FTL.
    regions: Vec<u32>,
    /// Absent where free blocks are only ranked by wear and blocks last for ever.
    wear: Option<Box<Wear>>,
    /// What survives a power cut in addition to the pages.
    persistence: Persistence,
    /// Whether FTLs are to expect power cuts.
    power_safe: bool,
    /// Whether pages are alike and no part listens to programs, so that most commands check only
    /// this.
    is_plain: bool,
    /// The future writes of the host, if the FTL uses them.
    future: Option<Future>,
}

impl Flash {
    fn new(device: &DeviceConfig, capacity: u64) -> Result<Self, Error> {
        unless_bug!(DeviceUnchecked, device.check()?);
        let medium = Medium::new(device, capacity)?;
        let geometry = &medium.geometry;
        Ok(Flash {
            persistence: Persistence::new(device, geometry),
            is_plain: medium.cells.is_none(),
            power_safe: false,
            truth: Truth::new(geometry.pages(), geometry.logical_pages),
            meter: Meter::new(device, geometry),
            medium,
            regions: Vec::new(),
            wear: None,
            future: None,
        })
    }

    /// A copy, for a copy of the whole device.
    fn twin(&self) -> Self {
        let Flash {
            medium,
            truth,
            meter,
            regions,
            wear,
            persistence,
            power_safe,
            is_plain,
            future,
        } = self;
        Flash {
            persistence: persistence.clone(),
            power_safe: *power_safe,
            is_plain: *is_plain,
            medium: medium.clone(),
            truth: unless_bug!(DeviceTwinUnwritten, truth.clone(), {
                Truth::new(medium.geometry.pages(), medium.geometry.logical_pages)
            }),
            meter: meter.clone(),
            regions: regions.clone(),
            wear: wear.clone(),
            future: future.clone(),
        }
    }

    /// Declares that the FTL uses the future writes of the host. An FTL calls this when it is
    /// built.
    pub fn ask_for_future(&mut self) -> Future {
        self.future.get_or_insert_default().clone()
    }

    /// The future writes of the host, if the FTL uses them.
    #[must_use]
    pub const fn future(&self) -> Option<&Future> {
        self.future.as_ref()
    }

    /// Declares that the FTL programs the pages of a block in any order, which the device otherwise
    /// rejects. An FTL calls this when it is built.
    ///
    /// # Errors
    /// [`Error::Config`] when `device.program_order` or the cells require ascending order.
    pub fn allow_any_order(&mut self) -> Result<(), Error> {
        self.medium.allow_any_order()
    }

    /// Declares that the FTL keeps `bytes` of `what` in each OOB. An FTL calls this when it is built.
    ///
    /// # Errors
    /// [`Error::Config`] when an OOB of the device is smaller.
    pub fn expect_oob(&self, bytes: u32, what: &str) -> Result<(), Error> {
        if bytes <= self.medium.oob_bytes {
            return Ok(());
        }
        let message =
            format!("found {} B, expected at least {bytes} for {what}", self.medium.oob_bytes);
        unless_bug!(FlashOobTooSmall, Err(Error::config("device.oob", message)), Ok(()))
    }

    /// Bytes of an OOB that an FTL may fill.
    #[must_use]
    pub const fn oob_bytes(&self) -> u32 {
        self.medium.oob_bytes
    }

    /// Puts blocks in SLC mode: they use one page of each word line, at the speed of its LSB. An
    /// FTL calls this when it is built. Without `device.cell`, cells have two bits.
    ///
    /// # Errors
    /// [`Error::Config`] when the cells have one bit, or the pages of a block do not fill whole word lines.
    pub fn use_slc_mode(&mut self, blocks: Range<u32>, device: &DeviceConfig) -> Result<(), Error> {
        let cell = unless_bug!(FlashSlcAsMlc, device.cell, None).unwrap_or(Cell::Mlc);
        let Some(mut cells) = Cells::new(cell, device)? else {
            let message = "found slc, expected mlc or tlc: this FTL has a region in SLC mode";
            return Err(Error::config("device.cell", message));
        };
        cells.use_slc_mode(blocks);
        self.medium.cell = Some(cell);
        self.set_cells(Some(Box::new(cells)));
        Ok(())
    }

    /// Sets which pages share cells.
    fn set_cells(&mut self, cells: Option<Box<Cells>>) {
        self.medium.cells = cells;
        self.note_what_is_there();
    }

    fn note_what_is_there(&mut self) {
        let shares_cells = self.medium.cells.is_some();
        let memory = &mut self.persistence.memory;
        self.is_plain = !shares_cells && memory.is_none() && self.truth.loss.is_none();
        memory.iter_mut().for_each(|it| it.contents.keeps_superseded = shares_cells);
    }

    /// Bits of a cell; `None` when `device.cell` is absent and no block is in SLC mode.
    #[must_use]
    pub const fn cell(&self) -> Option<Cell> {
        self.medium.cell
    }

    /// Pages of a block. In SLC mode a block has fewer pages than in the geometry.
    #[inline]
    #[must_use]
    pub fn pages_of(&self, pbn: Pbn) -> u32 {
        self.medium.pages_of(pbn)
    }

    /// Declares that the FTL asks [when planes are free](Flash::plane_free_at). The simulation then
    /// computes the time of operations that it otherwise skips. An FTL calls this when it is built.
    pub const fn watch_planes(&mut self) {
        self.meter.timeline.expect_questions();
    }

    /// The shape of the device.
    #[inline]
    #[must_use]
    pub const fn geometry(&self) -> &Geometry {
        &self.medium.geometry
    }

    /// When the host issued the request under way: for policies of GC, not for FTLs.
    #[inline]
    #[must_use]
    pub(crate) fn host_time(&self) -> Nanos {
        unless_bug!(TimesAreUsedUnseen, self.meter.used_times.set());
        self.meter.timeline.host_time()
    }

    /// Announces the pages, ascending, that the FTL is about to serve for the host. Until
    /// [`Flash::answered`] the FTL serves each of them once, and no others.
    #[inline(always)]
    pub(crate) fn ask(&mut self, op: Op, pages: &[Lpn]) {
        if !self.truth.asked.ask(op, pages, self.meter.history.operations()) {
            self.unasked("an FTL serves the request that it was given, and makes none of its own");
        }
    }

    /// The first page of the request and its number of pages, if the host requests a write of this
    /// page now.
    pub(crate) fn request_of(&self, lpn: Lpn) -> Option<(Lpn, u32)> {
        self.truth.asked.request_of(lpn)
    }

    /// The FTL has returned from a request of the host.
    ///
    /// # Panics
    /// When it left something undone.
    #[inline(always)]
    pub(crate) fn answered(&mut self, op: Op) {
        if let Some(undone) = self.truth.answer(op) {
            self.left_undone(&undone);
        }
    }

    #[cold]
    #[inline(never)]
    fn left_undone(&self, undone: &Undone) -> ! {
        panic!("{undone}; last operations: {}", self.meter.history)
    }

    /// Starts the next page access of the request. An FTL calls this once for each page, before any
    /// work for the page. In [`Ftl::flush`](crate::ftl::Ftl::flush) and
    /// [`Ftl::background`](crate::ftl::Ftl::background) the host requests no page, so there is none
    /// to start.
    #[inline]
    pub fn begin_page(&mut self) {
        if let Err(rule) = self.truth.asked.begin(self.meter.history.operations()) {
            self.unasked(rule);
        }
        self.meter.timeline.begin_chain();
    }

    /// Does work that belongs to no page of the request. All its later pages wait for the work.
    pub fn work_before_pages(&mut self, work: impl FnOnce(&mut Self)) {
        if let Err(rule) = self.truth.asked.may_work(self.meter.history.operations()) {
            self.unasked(rule);
        }
        self.meter.timeline.begin_chain();
        work(self);
        self.hold_later_pages();
        self.truth.asked.wait_for_work(self.meter.history.operations());
    }

    /// Makes the later page accesses of this request wait for the work of this one so far
    /// (choices.md#map-in-flight).
    #[inline]
    pub fn hold_later_pages(&mut self) {
        self.meter.timeline.hold_later_chains();
    }

    /// Serves a host read of `lpn` from `ppn`, the place of its newest version in the FTL's map.
    /// `None` is for an unmapped page, which still costs a page read (choices.md#unwritten-reads).
    #[inline]
    pub fn host_read(&mut self, lpn: Lpn, ppn: Option<Ppn>) {
        let cause = self.serve(Service::Read, lpn);
        self.meter.timeline.find_in_map();
        match ppn {
            Some(ppn) => {
                let owner = self.read(ppn, cause);
                if let Some(memory) = &mut self.persistence.memory {
                    memory.note_read(lpn, ppn);
                }
                if owner != Owner::Data(lpn) || !self.is_valid(ppn) {
                    self.broken(
                        "a host read must find the newest version of its page",
                        ppn,
                        About::Asked(lpn),
                    );
                }
                if self.truth.verify {
                    self.truth.reads_verified += 1;
                    let stamp = self.truth.stamp(ppn);
                    if !self.truth.is_newest(lpn, stamp) {
                        self.broken(
                            "a host read must return the last version written",
                            ppn,
                            About::Asked(lpn),
                        );
                    }
                }
            }
            None => self.read_unwritten(lpn),
        }
    }

    /// Declares that the map is on a separate chip, with these times of a lookup and a change.
    pub fn use_map_chip(&mut self, read: Duration, write: Duration) {
        self.meter.timeline.use_map_chip(read.0, write.0);
    }

    /// Spends time of the controller on this page access, before its next flash operation.
    pub fn spend(&mut self, time: Duration) {
        self.meter.timeline.pause(time.0);
    }

    /// Whether a page holds a part of the map. This is known without a read, from the directory in
    /// RAM.
    #[must_use]
    pub fn is_of_map(&self, ppn: Ppn) -> bool {
        matches!(self.medium.decode(self.medium.owners[ppn.index()]), Owner::Translation(_))
    }

    /// Serves a host read of `lpn` from a page that was loaded into RAM: no flash operation.
    pub fn host_read_loaded(&mut self, lpn: Lpn, page: &Loaded) {
        self.serve(Service::Read, lpn);
        self.check_loaded(lpn, page);
    }

    fn check_loaded(&self, lpn: Lpn, page: &Loaded) {
        let newest = self.truth.is_newest(lpn, page.stamp) || !self.truth.verify;
        if self.owner_of(page) != Owner::Data(lpn) || !newest {
            self.broken(
                "a page in RAM must be the last version written",
                Ppn(u32::MAX),
                About::Asked(lpn),
            );
        }
    }

    /// Takes a page that the host writes into the FTL's own RAM. Until it is programmed with
    /// [`Cause::Host`], no page of the medium has its newest version. The host may write it again
    /// before: the FTL keeps that version, too, before it programs anything.
    pub fn keep_write(&mut self, lpn: Lpn) {
        if !self.truth.asked.with_ram().keep_write(lpn) {
            self.not_asked(Service::Write, lpn);
        }
    }

    /// Keeps a page in the FTL's own RAM that [`Flash::host_read`] has just returned.
    pub fn keep_read(&mut self, lpn: Lpn) {
        if !self.truth.asked.with_ram().keep_read(lpn) {
            self.unasked(&format!("a page is kept in RAM when it was read last: page {lpn}"));
        }
    }

    /// Serves a host read of `lpn` from the FTL's own RAM: no flash operation.
    pub fn host_read_kept(&mut self, lpn: Lpn) {
        if !self.truth.asked.with_ram().read_kept(lpn) {
            self.unasked(&format!("a page is read from RAM when it was kept there: page {lpn}"));
        }
    }

    /// Drops a page from the FTL's own RAM.
    pub fn drop_kept(&mut self, lpn: Lpn) {
        if !self.truth.asked.with_ram().drop_kept(lpn) {
            self.unasked(&format!("a page leaves RAM when it is on flash, too: page {lpn}"));
        }
    }

    /// Serves a page that the host requests. Returns the cause of its operations.
    #[inline(always)]
    fn serve(&mut self, service: Service, lpn: Lpn) -> Cause {
        match self.truth.asked.serve(service, lpn) {
            Some(cause) => cause,
            None => self.not_asked(service, lpn),
        }
    }

    #[cold]
    #[inline(never)]
    fn not_asked(&self, service: Service, lpn: Lpn) -> ! {
        let rule = match service {
            Service::Read if self.truth.asked.owes(lpn) => {
                "a page whose newest version is in RAM is read from there"
            }
            Service::Read => "only a page that the host asks to read is read for it, once",
            Service::Write => "only a page that the host asks to write is written for it, once",
            _ => "only a page that the host asks to trim is trimmed, once",
        };
        self.unasked(&format!("{rule}: page {lpn}"));
    }

    #[cold]
    #[inline(never)]
    fn unasked(&self, rule: &str) -> ! {
        let (asked, history) = (&self.truth.asked, &self.meter.history);
        panic!("{rule}; {asked}; last operations: {history}");
    }

    /// The logical pages in these pages, to prefetch data into the processor's caches. No decision
    /// may depend on them.
    pub(crate) fn coming(&self, mut pages: ValidPages) -> impl Iterator<Item = Lpn> {
        std::iter::from_fn(move || pages.next(self)).filter_map(|page| {
            match self.medium.decode(self.medium.owners[page.index()]) {
                Owner::Data(lpn) => Some(lpn),
                Owner::Translation(_) => None,
            }
        })
    }

    /// What a loaded page holds. Its OOB was loaded with it.
    #[must_use]
    pub fn owner_of(&self, page: &Loaded) -> Owner {
        self.medium.decode(page.raw)
    }

    #[inline(never)]
    fn read_unwritten(&mut self, lpn: Lpn) {
        if self.truth.verify {
            self.truth.reads_verified += 1;
            if self.truth.holds_data(lpn) {
                self.broken(
                    "a page that holds data must be mapped",
                    Ppn(u32::MAX),
                    About::Asked(lpn),
                );
            }
        }
        self.truth.unwritten_reads += 1;
        let plane = lpn.0 % self.medium.geometry.planes();
        self.meter.ledger.count(Operation::Read, Cause::Host);
        self.meter.serve(Cause::Host, plane, 1);
        let purpose = Purpose { cause: Cause::Host, owner: Some(Owner::Data(lpn)) };
        let (time, _) = self.times_of(Ppn(self.medium.geometry.offset_of(lpn)));
        self.meter.timeline.read(time, || Spot::nowhere(plane, purpose));
    }

    /// Charges the OOB reads of a search for a page that holds no data (MNFTL, Table 2). They are
    /// in addition to the page read of [`Flash::host_read`].
    pub fn search_in_vain(&mut self, lpn: Lpn, oob_reads: u32) {
        self.meter.history.push(Operation::ReadOob, Cause::Host, lpn.0);
        self.meter.ledger.count_many(Operation::ReadOob, Cause::Host, oob_reads);
        let purpose = Purpose { cause: Cause::Host, owner: Some(Owner::Data(lpn)) };
        let plane = lpn.0 % self.medium.geometry.planes();
        self.meter.serve(Cause::Host, plane, oob_reads);
        self.meter.timeline.read_oob(oob_reads, || Spot::nowhere(plane, purpose));
    }

    /// Reads a page and its OOB.
    #[inline(always)]
    pub fn read(&mut self, ppn: Ppn, cause: Cause) -> Owner {
        let owner = self.programmed_owner(ppn);
        self.book_read(ppn, self.medium.geometry.block_of(ppn), owner, cause);
        owner
    }

    /// Reads only the OOB of a page, at its own latency.
    #[inline]
    pub fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Owner {
        let owner = self.programmed_owner(ppn);
        self.look(ppn, cause);
        owner
    }

    /// Reads the OOB of a page that may be erased, to see whether it is programmed.
    #[inline]
    pub fn look(&mut self, ppn: Ppn, cause: Cause) -> bool {
        self.meter.count(Operation::ReadOob, cause, ppn.0);
        let pbn = self.medium.geometry.block_of(ppn);
        self.meter.serve(cause, self.medium.geometry.plane_of(pbn), 1);
        let spot = || self.medium.spot(pbn, ppn, cause, self.medium.owner(ppn));
        self.meter.timeline.read_oob(1, spot);
        self.is_programmed(ppn)
    }

    /// Reads the OOBs of `count` consecutive pages of a block, from `first` on.
    #[inline]
    pub fn scan_oob(&mut self, first: Ppn, count: u32, cause: Cause) {
        let Some(last) = count.checked_sub(1).map(|more| Ppn(first.0 + more)) else { return };
        let pbn = self.medium.geometry.block_of(first);
        if self.medium.geometry.block_of(last) != pbn {
            self.broken("a scan stays inside its block", first, About::Target(last));
        }
        // In ascending order, all pages before a programmed one are programmed or torn.
        if !self.is_programmed(last) {
            self.broken("only a programmed page can be read", last, About::Nothing);
        }
        self.meter.history.push(Operation::ReadOob, cause, last.0);
        self.meter.ledger.count_many(Operation::ReadOob, cause, count);
        self.meter.serve(cause, self.medium.geometry.plane_of(pbn), count);
        self.meter.timeline.read_oob(count, || self.medium.spot(pbn, first, cause, None));
    }

    /// Programs a page. With owner [`Owner::Data`] and [`Cause::Host`] it holds a new version.
    #[inline(always)]
    pub fn program(&mut self, ppn: Ppn, owner: Owner, cause: Cause) {
        let (stamp, cause) = match (owner, cause) {
            (Owner::Data(lpn), Cause::Host) => {
                let cause = self.serve(Service::Write, lpn);
                (self.truth.new_version(lpn), cause)
            }
            _ => (0, cause),
        };
        let pbn = self.fill(ppn, self.medium.encode(owner), stamp, Origin::New);
        self.book_program(ppn, pbn, owner, cause);
    }

    /// Has `read` read these pages, in ascending order; the later page accesses of the request wait
    /// for them. Until [`Flash::end_cause`] they are read and programmed for `cause`, not for the
    /// host's request.
    pub(crate) fn read_first(&mut self, cause: Cause, pages: &[Lpn], read: impl FnOnce(&mut Self)) {
        self.truth.asked.set_apart(cause, pages);
        let end = self.meter.timeline.begin_first_chains();
        read(self);
        self.meter.timeline.end_first_chains(end);
    }

    /// From now on all pages are read and programmed for the host's request.
    pub(crate) fn end_cause(&mut self) {
        self.truth.asked.end_apart();
    }

    /// Programs a translation page that holds `content`.
    pub fn program_map(
        &mut self,
        ppn: Ppn,
        vtpn: Vtpn,
        cause: Cause,
        content: impl FnOnce() -> Content,
    ) {
        self.persistence.stage(|| Some(content()));
        self.program(ppn, Owner::Translation(vtpn), cause);
    }

    /// Programs a page, and `bytes` of its OOB with it: `content`, if it is part of a map.
    #[inline]
    pub fn program_oob(
        &mut self,
        ppn: Ppn,
        owner: Owner,
        bytes: u32,
        cause: Cause,
        content: impl FnOnce() -> Option<Content>,
    ) {
        self.fill_oob(ppn, bytes, content);
        self.program(ppn, owner, cause);
    }

    /// [`Flash::relocate`], with `bytes` of new content in the OOB.
    #[inline]
    pub fn relocate_oob(
        &mut self,
        from: Ppn,
        to: Ppn,
        bytes: u32,
        cause: Cause,
        content: impl FnOnce(Owner) -> Option<Content>,
    ) -> Owner {
        let owner = self.medium.owner(from);
        self.fill_oob(to, bytes, || owner.and_then(content));
        self.relocate(from, to, cause)
    }

    /// Notes the content of an OOB, whose page is programmed next.
    #[inline]
    fn fill_oob(&mut self, ppn: Ppn, bytes: u32, content: impl FnOnce() -> Option<Content>) {
        if bytes > self.medium.oob_bytes {
            self.broken("what is kept in an OOB must fit", ppn, About::Bytes(bytes));
        }
        if let Some(checkpoints) = &mut self.persistence.checkpoints {
            checkpoints.oob_bytes = checkpoints.oob_bytes.max(bytes);
        }
        self.persistence.stage(content);
    }

    /// Copies a valid page through the controller: a read, then a program, with their transfers.
    /// Both copies are valid until one is invalidated. Returns the owner of the page.
    #[inline(always)]
    pub fn copy(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let (source, target) =
            (self.medium.geometry.block_of(from), self.medium.geometry.block_of(to));
        let owner = self.duplicate(from, source, to, target);
        self.meter.count(Operation::Read, cause, from.0);
        self.meter.count(Operation::Program, cause, to.0);
        self.meter.serve(cause, self.medium.geometry.plane_of(source), 1);
        self.meter.serve(cause, self.medium.geometry.plane_of(target), 1);
        let spot = |pbn, ppn| self.medium.spot(pbn, ppn, cause, Some(owner));
        let times = (self.times_of(from).0, self.times_of(to).1);
        self.meter.timeline.copy(times, || spot(source, from), || spot(target, to));
        self.note_in_map(owner);
        owner
    }

    /// [`Flash::copy`], and invalidates the old page.
    #[inline(always)]
    pub fn relocate(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let owner = self.copy(from, to, cause);
        self.invalidate(from);
        owner
    }

    /// Reads a valid page into RAM, so that its block can be erased before it is programmed again.
    pub fn load(&mut self, from: Ppn, cause: Cause) -> Loaded {
        if !self.is_valid(from) {
            self.broken("only a valid page is worth copying", from, About::Nothing);
        }
        let raw = self.medium.owners[from.index()];
        let pbn = self.medium.geometry.block_of(from);
        self.book_read(from, pbn, self.medium.decode(raw), cause);
        self.meter.not_stored[cause as usize] += 1;
        let (stamp, sequence) = (self.truth.stamp(from), self.sequence(from));
        Loaded { raw, stamp, from, sequence }
    }

    /// Programs a page from RAM.
    pub fn store(&mut self, to: Ppn, page: Loaded, cause: Cause) {
        let pbn = self.fill(to, page.raw, page.stamp, Origin::Ram(page.from, page.sequence));
        self.book_program(to, pbn, self.medium.decode(page.raw), cause);
        self.meter.not_stored[cause as usize] -= 1;
    }

    /// Copies a valid page inside its plane without the bus; page numbers must have the same
    /// parity. Both copies are valid until one is invalidated. Returns the owner of the page.
    pub fn copy_back(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let (source, target) =
            (self.medium.geometry.block_of(from), self.medium.geometry.block_of(to));
        let plane = self.medium.geometry.plane_of(source);
        if plane != self.medium.geometry.plane_of(target) {
            self.broken("a copy-back stays inside its plane", from, About::Target(to));
        }
        if self.medium.geometry.parity_of(from) != self.medium.geometry.parity_of(to) {
            self.broken("a copy-back keeps the parity of the page", from, About::Target(to));
        }
        let owner = self.duplicate(from, source, to, target);
        self.meter.count(Operation::CopyBack, cause, to.0);
        self.meter.serve(cause, plane, 1);
        let spot = || self.medium.spot(target, to, cause, Some(owner));
        let page = self.medium.geometry.page_in_block(from);
        let times = (self.times_of(from).0, self.times_of(to).1);
        self.meter.timeline.copy_back(times, (source.0, page), spot);
        self.note_in_map(owner);
        owner
    }

    /// [`Flash::copy_back`], and invalidates the old page.
    pub fn move_back(&mut self, from: Ppn, to: Ppn, cause: Cause) -> Owner {
        let owner = self.copy_back(from, to, cause);
        self.invalidate(from);
        owner
    }

    /// Skips the next page of a block. Nothing is programmed: the FTL only notes it in RAM.
    pub fn waste(&mut self, ppn: Ppn) {
        let pbn = self.medium.geometry.block_of(ppn);
        if self.persistence.memory.is_some() {
            self.end_doubts(pbn);
        }
        if self.medium.owners[ppn.index()] != 0 {
            self.broken("only an erased page can be skipped", ppn, About::Nothing);
        }
        if u32::from(self.medium.blocks[pbn.index()].written)
            != self.medium.geometry.page_in_block(ppn)
        {
            self.broken("only the next page of a block can be skipped", ppn, About::Nothing);
        }
        self.medium.blocks[pbn.index()].written += 1;
        self.medium.owners[ppn.index()] = WASTED;
        self.meter.ledger.count_wasted();
    }

    /// Erases a block that has no valid page; `kind` is the kind of its former content.
    pub fn erase(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause) {
        self.erase_one(pbn, kind, cause, false);
        if self.wear.is_some() {
            self.level_wear(pbn);
        }
    }

    /// Erases a block, at the same time as the block before if `joined`.
    fn erase_one(&mut self, pbn: Pbn, kind: BlockKind, cause: Cause, joined: bool) {
        let first = self.medium.geometry.first_page(pbn);
        if self.medium.blocks[pbn.index()].valid != 0 {
            self.broken("a block with valid pages must not be erased", first, About::Nothing);
        }
        if self.truth.loss.is_some() {
            self.note_erased(pbn);
        }
        let block = &mut self.medium.blocks[pbn.index()];
        let unused = self.medium.geometry.pages_per_block - u32::from(block.written);
        block.written = 0;
        block.erases += 1;
        self.medium.erase_pages(pbn);
        self.persistence.erase(pbn, joined);
        self.book_erase(pbn, kind, cause, unused);
    }

    /// Erases blocks without valid pages, at the same time if their planes differ. A power cut
    /// leaves none of them intact.
    pub fn erase_together(
        &mut self,
        blocks: impl Iterator<Item = Pbn> + Clone,
        kind: BlockKind,
        cause: Cause,
    ) {
        let start = self.meter.timeline.chain();
        let mut end = start;
        for (number, pbn) in blocks.clone().enumerate() {
            self.meter.timeline.begin_chain_beside(start);
            let joined = unless_bug!(ZonesResetApart, number > 0, false);
            self.erase_one(pbn, kind, cause, joined);
            end = end.max(self.meter.timeline.chain());
        }
        self.meter.timeline.go_on_at(end);
        if self.wear.is_some() {
            blocks.for_each(|pbn| self.level_wear(pbn));
        }
    }

    /// Marks a valid page as superseded, in RAM and free of charge. Returns its block.
    #[inline(always)]
    pub fn invalidate(&mut self, ppn: Ppn) -> Pbn {
        let pbn = self.medium.geometry.block_of(ppn);
        self.supersede(ppn, pbn);
        pbn
    }

    #[inline(always)]
    fn supersede(&mut self, ppn: Ppn, pbn: Pbn) {
        let (word, bit) = self.medium.valid_bit(pbn, ppn);
        if self.medium.valid[word] & bit == 0 {
            self.broken("only a valid page can be invalidated", ppn, About::Nothing);
        }
        self.medium.valid[word] &= !bit;
        self.medium.blocks[pbn.index()].valid -= 1;
        self.meter.invalidations += 1;
    }

    /// Notes that the host trimmed `lpn`: from now on it holds no data.
    pub fn trim(&mut self, lpn: Lpn) {
        self.serve(Service::Trim, lpn);
        self.truth.trim(lpn);
        self.meter.timeline.change_map();
    }

    /// Valid pages in a block.
    #[inline]
    #[must_use]
    pub fn valid_in(&self, pbn: Pbn) -> u32 {
        u32::from(self.medium.blocks[pbn.index()].valid)
    }

    /// The valid pages of a block, ascending: `while let Some(ppn) = pages.next(flash)`. It may
    /// still return a page that is invalidated during the walk.
    #[inline]
    #[must_use]
    pub fn valid_pages(&self, pbn: Pbn) -> ValidPages {
        let Medium { geometry, valid, valid_words_per_block, .. } = &self.medium;
        ValidPages::in_words(pbn, geometry, *valid_words_per_block, valid)
    }

    /// Whether a page is programmed and not invalidated.
    #[inline]
    #[must_use]
    pub fn is_valid(&self, ppn: Ppn) -> bool {
        self.medium.is_valid(ppn)
    }

    /// When a plane and its channel finish all operations placed on them, ns. A controller knows it
    /// from its queues.
    ///
    /// # Panics
    /// When the FTL has not [declared](Flash::watch_planes) that it asks.
    #[inline]
    #[must_use]
    pub fn plane_free_at(&self, plane: u32) -> Nanos {
        self.meter.used_times.set();
        match self.meter.timeline.free_at(plane) {
            Some(time) => time,
            None => self.unasked("only an FTL that watches planes asks when one is free"),
        }
    }

    /// Whether a page is programmed or skipped, valid or not. An FTL keeps this in RAM, one bit per page.
    #[inline]
    #[must_use]
    pub fn is_programmed(&self, ppn: Ppn) -> bool {
        self.medium.owners[ppn.index()] != 0
    }

    /// Pages of a block that are programmed or skipped, valid or not.
    #[inline]
    #[must_use]
    pub fn programmed_in(&self, pbn: Pbn) -> u32 {
        u32::from(self.medium.blocks[pbn.index()].written)
    }

    /// Whether no page of a block can be programmed before it is erased.
    #[inline]
    #[must_use]
    pub fn is_full(&self, pbn: Pbn) -> bool {
        self.programmed_in(pbn) == self.pages_of(pbn)
    }

    /// The page of a block that must be programmed next, in ascending order.
    #[inline]
    #[must_use]
    pub fn next_page(&self, pbn: Pbn) -> Ppn {
        Ppn(self.medium.geometry.first_page(pbn).0 + self.programmed_in(pbn))
    }

    /// Whether a page holds nothing although it is not erased: it was skipped, or its program was
    /// cut.
    #[inline]
    #[must_use]
    pub fn is_skipped(&self, ppn: Ppn) -> bool {
        self.medium.owners[ppn.index()] >= TORN
    }

    /// Whether a block has no programmed page.
    #[must_use]
    pub fn is_erased(&self, pbn: Pbn) -> bool {
        self.medium.blocks[pbn.index()].written == 0
    }

    /// Erases of a block, warm-up included.
    #[inline]
    #[must_use]
    pub fn erases_of(&self, pbn: Pbn) -> u32 {
        self.medium.blocks[pbn.index()].erases
    }

    #[inline(always)]
    fn programmed_owner(&self, ppn: Ppn) -> Owner {
        match self.medium.owner(ppn) {
            Some(owner) => owner,
            None => self.broken("only a programmed page can be read", ppn, About::Nothing),
        }
    }

    #[inline(always)]
    fn book_read(&mut self, ppn: Ppn, pbn: Pbn, owner: Owner, cause: Cause) {
        self.meter.count(Operation::Read, cause, ppn.0);
        self.meter.serve(cause, self.medium.geometry.plane_of(pbn), 1);
        let (time, _) = self.times_of(ppn);
        self.meter.timeline.read(time, || self.medium.spot(pbn, ppn, cause, Some(owner)));
    }

    /// How long the array reads a page, and how long it programs one.
    #[inline(always)]
    fn times_of(&self, ppn: Ppn) -> (Nanos, Nanos) {
        match &self.medium.cells {
            None => self.meter.timeline.page_times(),
            Some(cells) => {
                let pbn = self.medium.geometry.block_of(ppn);
                cells.times_of(pbn, self.medium.geometry.page_in_block(ppn))
            }
        }
    }

    #[inline(always)]
    fn book_program(&mut self, ppn: Ppn, pbn: Pbn, owner: Owner, cause: Cause) {
        self.meter.count(Operation::Program, cause, ppn.0);
        self.meter.serve(cause, self.medium.geometry.plane_of(pbn), 1);
        let (_, time) = self.times_of(ppn);
        self.meter.timeline.program(time, || self.medium.spot(pbn, ppn, cause, Some(owner)));
        self.note_in_map(owner);
    }

    #[inline(always)]
    fn note_in_map(&mut self, owner: Owner) {
        if let Owner::Data(_) = owner {
            self.meter.timeline.change_map();
        }
    }

    /// Makes page `to` of block `target` hold what page `from` of block `source` holds.
    #[inline(always)]
    fn duplicate(&mut self, from: Ppn, source: Pbn, to: Ppn, target: Pbn) -> Owner {
        let (word, bit) = self.medium.valid_bit(source, from);
        if self.medium.valid[word] & bit == 0 {
            self.broken("only a valid page is worth copying", from, About::Target(to));
        }
        let raw = self.medium.owners[from.index()];
        let version = unless_bug!(FlashCopyLosesVersion, self.truth.stamp(from), 0);
        self.fill_in(target, to, raw, version, Origin::Page(from));
        self.medium.decode(raw)
    }

    #[cold]
    #[inline(never)]
    fn broken(&self, rule: &str, ppn: Ppn, about: About) -> ! {
        let (place, history) = (self.medium.describe(ppn), &self.meter.history);
        panic!("{rule}: {place}{about}; last operations: {history}");
    }

    /// Checks the rules of programming and makes the page valid. Returns its block.
    #[inline(always)]
    fn fill(&mut self, ppn: Ppn, raw: u32, stamp: u16, origin: Origin) -> Pbn {
        let pbn = self.medium.geometry.block_of(ppn);
        self.fill_in(pbn, ppn, raw, stamp, origin);
        pbn
    }

    #[inline(always)]
    fn fill_in(&mut self, pbn: Pbn, ppn: Ppn, raw: u32, stamp: u16, origin: Origin) {
        if !self.is_plain {
            return self.fill_and_note(pbn, ppn, raw, stamp, origin);
        }
        self.put(pbn, ppn, raw, stamp);
    }

    /// [`Flash::fill_in`] where pages differ, or power may be cut.
    #[inline(never)]
    fn fill_and_note(&mut self, pbn: Pbn, ppn: Ppn, raw: u32, stamp: u16, origin: Origin) {
        let is_erased = self.persistence.memory.is_none() || self.end_doubts(pbn);
        let page = self.medium.geometry.page_in_block(ppn);
        if !is_erased || page >= self.medium.pages_of(pbn) {
            self.refuse_program(ppn, raw);
        }
        self.put(pbn, ppn, raw, stamp);
        if self.truth.loss.is_some() {
            self.note_programmed(ppn, raw, &origin);
        }
        self.persistence.program(ppn, raw, stamp, origin);
    }

    #[inline(always)]
    fn put(&mut self, pbn: Pbn, ppn: Ppn, raw: u32, stamp: u16) {
        let page = ppn.0 - self.medium.geometry.first_page(pbn).0;
        let (word, bit) = self.medium.valid_bit(pbn, ppn);
        let block = &mut self.medium.blocks[pbn.index()];
        let in_order = u32::from(block.written) == page || self.medium.order == ProgramOrder::Any;
        if self.medium.owners[ppn.index()] != 0 || !in_order {
            self.refuse_program(ppn, raw);
        }
        block.written += 1;
        block.valid += 1;
        self.medium.valid[word] |= bit;
        self.medium.owners[ppn.index()] = raw;
        self.truth.set_stamp(ppn, stamp);
    }

    #[cold]
    fn refuse_program(&self, ppn: Ppn, raw: u32) -> ! {
        let pbn = self.medium.geometry.block_of(ppn);
        let rule = if self.is_half_erased(pbn) {
            "a block whose erase was cut is erased again before it is programmed"
        } else if self.medium.owners[ppn.index()] != 0 {
            "a page is programmed once between erases, and its OOB with it"
        } else if self.medium.geometry.page_in_block(ppn) >= self.pages_of(pbn) {
            "a block in SLC mode has one page for each word line"
        } else {
            "pages of a block are programmed in ascending order"
        };
        self.broken(rule, ppn, About::Owner(self.medium.decode(raw)))
    }
}

#[cfg(test)]
mod tests;
