//! Which versions are valid after recovery: one definition for `serve`, `fsck`, `crash` and the FTL
//! checks.
//!
//! A cut leaves several versions of a page on the medium: the acknowledged one, and those that the
//! interrupted request has written. The FTL determines which one counts. An FTL that appends takes
//! the newest; one that rewrites a block elsewhere returns to the old block. Reads must therefore
//! return the versions that are valid when the FTL has mounted. A page without a valid version
//! holds no data.
//!
//! An FTL may not choose freely. Power is cut at one moment, so each version that the FTL gives up
//! must be newer than all versions that it keeps.

use super::{About, Device, Flash, Owner};
use crate::units::{Lpn, Pbn, Ppn};

/// A rule that every recovery obeys.
const RULE: &str = "a mount must not keep a version that was written after one that it gives up";

impl Device {
    /// Has an FTL mount, and then takes the valid version of each logical page as its content.
    ///
    /// # Panics
    /// When it keeps a version that was written after one that it gives up.
    pub(crate) fn settled_by<T>(&mut self, mount: impl FnOnce(&mut Self) -> T) -> T {
        let newest = self.flash.newest_versions();
        let mounted = mount(self);
        self.flash.settle(newest);
        mounted
    }
}

impl Flash {
    /// For each logical page, the highest sequence number on the medium of a version that is not
    /// buried; 0 for none.
    fn newest_versions(&self) -> Vec<u64> {
        let since = self.unburied_since();
        let mut newest = vec![0; self.medium.geometry.logical_pages as usize];
        for ppn in (0..self.medium.geometry.pages()).map(Ppn) {
            let Some(Owner::Data(lpn)) = self.medium.owner(ppn) else { continue };
            let sequence = self.sequence(ppn);
            if since.as_ref().is_none_or(|since| sequence >= since[lpn.index()]) {
                newest[lpn.index()] = sequence.max(newest[lpn.index()]);
            }
        }
        newest
    }

    /// Takes the valid versions as true, and compares them with the newest that there were.
    fn settle(&mut self, mut newest: Vec<u64>) {
        (0..newest.len() as u32).for_each(|lpn| self.truth.settle(Lpn(lpn), None));
        let mut last_kept = (0, Ppn(0));
        for (lpn, ppn) in self.valid_versions() {
            self.truth.settle(lpn, Some(self.truth.stamp(ppn)));
            let kept = self.sequence(ppn);
            last_kept = last_kept.max((kept, ppn));
            if kept == newest[lpn.index()] {
                newest[lpn.index()] = 0;
            }
        }
        let given_up =
            newest.iter().zip((0..).map(Lpn)).filter(|(sequence, _)| **sequence > 0).min();
        if let Some((&given_up, lpn)) = given_up
            && last_kept.0 > given_up
        {
            self.broken(RULE, last_kept.1, About::Asked(lpn));
        }
    }

    /// The logical pages that have a valid page on flash, each with that page.
    pub(super) fn valid_versions(&self) -> Vec<(Lpn, Ppn)> {
        let mut valid = Vec::new();
        for pbn in (0..self.medium.geometry.blocks()).map(Pbn) {
            let mut pages = self.valid_pages(pbn);
            while let Some(ppn) = pages.next(self) {
                if let Some(Owner::Data(lpn)) = self.medium.owner(ppn) {
                    valid.push((lpn, ppn));
                }
            }
        }
        valid
    }
}
