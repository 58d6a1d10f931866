//! Pages that are in RAM above the flash, and the versions that prove that no page is lost.
//!
//! ```text
//! host write --> newest version --in RAM--> held, dirty --flush--> on flash
//!                                           |  ^                      |
//!                       overwritten: absorbed  |        read: held, clean
//! ```
//!
//! A page in RAM has the newest version until it is flushed. Three versions of each logical page
//! are compared: the last write of the host, the copy in RAM, and the one on flash. The flash
//! verifies its pages itself; here it is only queried whether it programmed a flushed page.
//!
//! Versions have 14 bits. Memory: 6 bytes per logical page; tables begin as zeroes.

use crate::figures::counts;
use crate::flash::{Device, Flash};
use crate::ftl::Access;
use crate::request::{Meta, Op};
use crate::units::Lpn;
use rustc_hash::FxHashMap;

const HELD: u16 = 1 << 15;
const DIRTY: u16 = 1 << 14;
const VERSION: u16 = DIRTY - 1;

/// The version after this one; 0 is that of a page without data.
const fn next(version: u16) -> u16 {
    version % VERSION + 1
}

counts! {
    plus;
    /// Counts of pages in RAM, since measuring started.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct BufferCounts {
        /// Pages read from RAM.
        pub read_hits: u64,
        /// Those that hold no data, because they were never written.
        pub unwritten_hits: u64,
        /// Page writes that found their page in RAM.
        pub write_hits: u64,
        /// Versions that were never programmed: overwritten or trimmed while they were in RAM.
        pub absorbed: u64,
        /// Groups of pages given to the layer below.
        pub flushed_groups: u64,
        /// Versions programmed.
        pub flushed_pages: u64,
        /// Pages read from flash and programmed again to complete a group.
        pub padded_pages: u64,
        /// Pages that were read because only a part was written.
        pub completed_pages: u64,
        /// Pages whose newest version is now only in RAM.
        pub dirty: u64,
        /// `dirty` when measuring started.
        pub dirty_at_start: u64,
    }
}

impl BufferCounts {
    /// Groups and pages flushed since the counts were `then`.
    #[must_use]
    pub const fn since(self, then: BufferCounts) -> (u64, u64) {
        let groups = self.flushed_groups - then.flushed_groups;
        (groups, self.flushed_pages - then.flushed_pages)
    }

    /// Pages that the flash programs for the host, and to pad groups, when the host writes `page_writes`.
    #[must_use]
    pub const fn programs(&self, page_writes: u64) -> u64 {
        page_writes + self.dirty_at_start + self.padded_pages - self.absorbed - self.dirty
    }

    /// Pages that the flash reads for the host, and to complete groups and pages, when the host reads
    /// `page_reads`.
    #[must_use]
    pub const fn reads(&self, page_reads: u64) -> u64 {
        page_reads + self.padded_pages + self.completed_pages - self.read_hits
    }
}

/// The pages in RAM and their versions.
#[derive(Clone, Debug)]
pub struct HeldPages {
    /// Version of the last host write; 0 without data.
    newest: Vec<u16>,
    /// Version on flash; 0 for none.
    on_flash: Vec<u16>,
    /// Version of the copy in RAM with `HELD`, and with `DIRTY` when it is only there; 0 for none.
    held: Vec<u16>,
    /// The attributes that the host gave to dirty pages, if any.
    metas: FxHashMap<Lpn, Meta>,
    counts: BufferCounts,
    /// Whether a page that leaves is programmed at once, and not kept in RAM below.
    above_flash: bool,
}

impl HeldPages {
    /// Nothing in RAM and nothing on flash.
    #[must_use]
    pub fn new(logical_pages: u32) -> Self {
        let table = || vec![0; logical_pages as usize];
        HeldPages {
            newest: table(),
            on_flash: table(),
            held: table(),
            metas: FxHashMap::default(),
            counts: BufferCounts::default(),
            above_flash: true,
        }
    }

    /// The same above another buffer, which verifies its own programs.
    #[must_use]
    pub fn above_a_buffer(self) -> Self {
        HeldPages { above_flash: false, ..self }
    }

    /// Recovers with nothing in RAM. Exactly these logical pages are on flash.
    pub fn resume(&mut self, is_on_flash: impl Fn(Lpn) -> bool) {
        for lpn in (0..self.held.len() as u32).map(Lpn) {
            let version = u16::from(is_on_flash(lpn));
            (self.newest[lpn.index()], self.on_flash[lpn.index()]) = (version, version);
        }
    }

    /// Counts since measuring started.
    #[must_use]
    pub const fn counts(&self) -> BufferCounts {
        self.counts
    }

    /// Resets the counts; what is in RAM remains.
    pub fn reset_counts(&mut self) {
        let dirty = self.counts.dirty;
        self.counts = BufferCounts { dirty, dirty_at_start: dirty, ..BufferCounts::default() };
    }

    /// Whether a page is in RAM.
    #[inline]
    #[must_use]
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.held[lpn.index()] & HELD != 0
    }

    /// Whether the newest version of a page is only in RAM.
    #[inline]
    #[must_use]
    pub fn is_dirty(&self, lpn: Lpn) -> bool {
        self.held[lpn.index()] & DIRTY != 0
    }

    /// Whether a version of a page is on flash, newest or not.
    #[inline]
    #[must_use]
    pub fn is_on_flash(&self, lpn: Lpn) -> bool {
        self.on_flash[lpn.index()] != 0
    }

    /// Notes that the host writes a page. Its newest version is then in RAM.
    pub fn write(&mut self, lpn: Lpn, meta: Meta) {
        self.forget_meta(lpn);
        if !meta.is_unset() {
            unless_bug!(HeldForgetsMeta, self.metas.insert(lpn, meta));
        }
        let held = &mut self.held[lpn.index()];
        self.counts.write_hits += u64::from(*held & HELD != 0);
        match *held & DIRTY {
            0 => self.counts.dirty += 1,
            _ => self.counts.absorbed += 1,
        }
        let newest = &mut self.newest[lpn.index()];
        *newest = next(*newest);
        let written = HELD | DIRTY | *newest;
        *held = unless_bug!(HeldKeepsVersion, written, if *held == 0 { written } else { *held });
    }

    #[inline]
    fn forget_meta(&mut self, lpn: Lpn) {
        if !self.metas.is_empty() {
            self.metas.remove(&lpn);
        }
    }

    /// The host reads a page that is in RAM.
    ///
    /// # Panics
    /// When that is not its newest version.
    pub fn read(&mut self, lpn: Lpn) {
        self.counts.read_hits += 1;
        self.counts.unwritten_hits += u64::from(self.newest[lpn.index()] == 0);
        self.must_be_newest(lpn, self.held[lpn.index()] & VERSION, "in RAM");
    }

    /// The host reads a page that is in RAM, but needs the copy on flash to complete it, which is
    /// no hit.
    ///
    /// # Panics
    /// When the newest version is not in RAM.
    pub fn read_both(&self, lpn: Lpn) {
        self.must_be_newest(lpn, self.held[lpn.index()] & VERSION, "in RAM");
    }

    /// The host reads a page that is not in RAM; the flash verifies the result.
    ///
    /// # Panics
    /// When the newest version is not on flash.
    pub fn read_through(&self, lpn: Lpn) {
        self.must_be_newest(lpn, self.on_flash[lpn.index()], "on flash");
    }

    fn must_be_newest(&self, lpn: Lpn, version: u16, place: &str) {
        let newest = self.newest[lpn.index()];
        assert_eq!(version, newest, "page {lpn} {place} must be the last version written");
    }

    /// Keeps a page in RAM that was just read from flash.
    pub fn keep(&mut self, lpn: Lpn) {
        self.held[lpn.index()] = HELD | self.on_flash[lpn.index()];
    }

    /// Drops a page from RAM whose newest version is on flash.
    ///
    /// # Panics
    /// When it is dirty.
    pub fn drop_clean(&mut self, lpn: Lpn) {
        assert!(!self.is_dirty(lpn), "page {lpn} leaves RAM before it was written");
        self.held[lpn.index()] = 0;
    }

    /// Notes that the host trims a page, wherever it is.
    pub fn trim(&mut self, lpn: Lpn) {
        self.forget_meta(lpn);
        if self.is_dirty(lpn) {
            self.counts.absorbed += 1;
            self.counts.dirty -= 1;
        }
        for table in [&mut self.newest, &mut self.on_flash, &mut self.held] {
            table[lpn.index()] = 0;
        }
    }

    /// Has `program` write a group to flash: dirty pages, which leave RAM, and pages that are
    /// written again to complete the group. It is called once. With `apart` it is called once for
    /// each run of pages with equal attributes.
    /// host says the same.
    ///
    /// # Panics
    /// When the newest version of a page of it is not in RAM.
    pub fn flush(
        &mut self,
        group: &[Lpn],
        apart: bool,
        flash: &mut Flash,
        mut program: impl FnMut(Access<'_>, &mut Flash),
    ) {
        let mut rest = group;
        while let Some(meta) = rest.iter().find_map(|lpn| self.meta_of(*lpn)) {
            let same = rest
                .iter()
                .take_while(|lpn| !apart || self.meta_of(**lpn).is_none_or(|it| it == meta));
            let (pages, others) = rest.split_at(same.count());
            program(Access { op: Op::Write, pages, meta }, flash);
            rest = others;
        }
        group.iter().for_each(|lpn| self.flushed(*lpn));
        self.counts.flushed_groups += 1;
    }

    /// The attributes of a dirty page; `None` for any other.
    fn meta_of(&self, lpn: Lpn) -> Option<Meta> {
        self.is_dirty(lpn).then(|| self.metas.get(&lpn).copied().unwrap_or_default())
    }

    fn flushed(&mut self, lpn: Lpn) {
        self.forget_meta(lpn);
        if !self.is_dirty(lpn) {
            assert!(!self.holds(lpn), "page {lpn} is in RAM and was read from flash all the same");
            self.counts.padded_pages += 1;
            return;
        }
        let version = std::mem::take(&mut self.held[lpn.index()]) & VERSION;
        self.must_be_newest(lpn, version, "in RAM");
        self.on_flash[lpn.index()] = version;
        self.counts.flushed_pages += 1;
        self.counts.dirty -= 1;
    }

    /// Compares the places of the newest versions with the flash. Returns the pages in RAM.
    ///
    /// # Panics
    /// When a page was lost, or the counts are wrong.
    pub fn audit(&self, device: &Device) -> usize {
        let (mut held, mut dirty) = (0, 0);
        for lpn in (0..self.held.len() as u32).map(Lpn) {
            held += usize::from(self.holds(lpn));
            dirty += u64::from(self.is_dirty(lpn));
            if self.holds(lpn) {
                self.must_be_newest(lpn, self.held[lpn.index()] & VERSION, "in RAM");
            }
            if !self.is_dirty(lpn) {
                self.read_through(lpn);
            }
            let holds_data =
                device.audit_holds_data(lpn) || !self.above_flash || !device.verifies();
            assert!(holds_data || !self.is_on_flash(lpn), "page {lpn} is not on device");
        }
        assert_eq!(dirty, self.counts.dirty, "pages whose newest version is in RAM alone");
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ftl::Setup;
    use crate::units::Bytes;

    #[test]
    fn a_group_leaves_in_runs_of_what_the_host_says() {
        let setup = Setup::<()>::default();
        let mut flash = Device::new(&setup.device, Bytes(64 * 4096).0).expect("a device");
        let mut held = HeldPages::new(64);
        let said = |handle| Meta { handle, ..Meta::UNSET };
        for (lpn, handle) in [(1, 1), (2, 3), (2, 1), (3, 0), (5, 2), (6, 2), (7, 9)] {
            held.write(Lpn(lpn), said(handle));
        }
        held.trim(Lpn(7));
        held.write(Lpn(7), Meta::UNSET);
        let mut runs = Vec::new();
        let group = [0, 1, 2, 3, 4, 5, 6, 7].map(Lpn);
        held.flush(&group, true, &mut flash, |access, _| {
            runs.push((access.pages.to_vec(), access.meta.handle));
        });
        let run = |pages: &[u32], handle| (pages.iter().copied().map(Lpn).collect(), handle);
        let (first, rest) = (run(&[0, 1, 2], 1), run(&[3, 4], 0));
        assert_eq!(
            runs,
            [first, rest, run(&[5, 6], 2), run(&[7], 0)],
            "0 and 4 complete the group"
        );
    }
}
