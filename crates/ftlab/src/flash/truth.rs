//! The truth: the version that a read of each logical page must return, whatever an FTL believes.
//!
//! Each host write gives its logical page a new version, stamped on the physical page. Copies carry
//! the stamp, and a host read compares owner, validity and stamp. Stamps have 15 bits. A stale page
//! is missed only if it is still marked valid and a multiple of 32,768 writes old.

use super::asked::{Asked, Undone};
use super::loss::Loss;
use crate::request::Op;
use crate::units::{Lpn, Ppn};

const HOLDS_DATA: u16 = 1 << 15;

/// Versions of logical pages, and the stamps of the copies on the medium.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    /// Per physical page: version of the data it holds.
    stamps: Vec<u16>,
    /// Per logical page: bit 15 set when it holds data, below it the version of its newest write.
    versions: Vec<u16>,
    /// Whether versions are compared.
    pub verify: bool,
    /// Host page reads whose version was compared.
    pub reads_verified: u64,
    /// Host page reads of pages that hold no data.
    pub unwritten_reads: u64,
    /// The losses of an FTL that declares them.
    pub loss: Option<Box<Loss>>,
    /// The present request of the host.
    pub asked: Asked,
}

impl Truth {
    /// A truth in which no logical page holds data.
    pub fn new(pages: u32, logical_pages: u32) -> Self {
        Truth {
            stamps: vec![0; pages as usize],
            versions: vec![0; logical_pages as usize],
            verify: true,
            reads_verified: 0,
            unwritten_reads: 0,
            loss: None,
            asked: Asked::default(),
        }
    }

    /// Gives a logical page that the host programs a new version. Returns its stamp.
    #[inline(always)]
    pub fn new_version(&mut self, lpn: Lpn) -> u16 {
        if !self.verify {
            return 0;
        }
        let version = &mut self.versions[lpn.index()];
        *version = version.wrapping_add(1) | HOLDS_DATA;
        *version & !HOLDS_DATA
    }

    /// The stamp of the version in a physical page.
    #[inline(always)]
    pub fn stamp(&self, ppn: Ppn) -> u16 {
        self.stamps[ppn.index()]
    }

    #[inline(always)]
    pub fn set_stamp(&mut self, ppn: Ppn, stamp: u16) {
        if self.verify {
            self.stamps[ppn.index()] = stamp;
        }
    }

    /// Gives a page the stamp of another.
    #[inline(always)]
    pub fn copy_stamp(&mut self, from: Ppn, to: Ppn) {
        self.stamps[to.index()] = self.stamps[from.index()];
    }

    /// Whether a stamp is that of the newest version of a page that holds data.
    #[inline(always)]
    pub fn is_newest(&self, lpn: Lpn, stamp: u16) -> bool {
        stamp | HOLDS_DATA == self.versions[lpn.index()]
    }

    /// The stamp of the newest version of a logical page; `None` if it holds no data.
    pub fn version(&self, lpn: Lpn) -> Option<u16> {
        self.holds_data(lpn).then(|| self.versions[lpn.index()] & !HOLDS_DATA)
    }

    /// Numbers the next versions after those of another truth of the same device.
    pub fn remember_versions(&mut self, other: &Truth) {
        self.versions.clone_from(&other.versions);
    }

    /// Sets the version of a logical page to the one with this stamp, or to no data.
    pub fn settle(&mut self, lpn: Lpn, stamp: Option<u16>) {
        if self.verify {
            let version = &mut self.versions[lpn.index()];
            *version = stamp.map_or(*version & !HOLDS_DATA, |stamp| stamp | HOLDS_DATA);
        }
    }

    /// Whether a logical page holds data.
    #[inline]
    pub fn holds_data(&self, lpn: Lpn) -> bool {
        self.versions[lpn.index()] & HOLDS_DATA != 0
    }

    /// Ends a request. Returns what the FTL left undone, if anything.
    #[inline(always)]
    pub fn answer(&mut self, op: Op) -> Option<Undone> {
        let versions = &self.versions;
        self.asked.answer(op, |lpn| versions[lpn.index()] & HOLDS_DATA != 0)
    }

    /// How often a logical page was programmed for the host, modulo 2^15. It is always 0 when
    /// versions are not compared.
    pub fn host_programs_of(&self, lpn: Lpn) -> u16 {
        self.versions[lpn.index()] & !HOLDS_DATA
    }

    /// Logical pages that the host has ever written; `None` when versions are not compared.
    pub fn written_pages(&self) -> Option<u64> {
        let written = || self.versions.iter().filter(|version| **version != 0).count();
        self.verify.then(|| written() as u64)
    }

    pub fn trim(&mut self, lpn: Lpn) {
        self.versions[lpn.index()] &= !HOLDS_DATA;
    }

    /// Sets the counts to zero; the versions remain.
    pub fn reset_counts(&mut self) {
        self.reads_verified = 0;
        self.unwritten_reads = 0;
        if let Some(loss) = &mut self.loss {
            loss.reset_counts();
        }
    }
}
