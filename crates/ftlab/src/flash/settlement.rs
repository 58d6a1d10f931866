//! What is true after a mount. It is said here, for `serve`, `fsck`, `crash` and the laws alike.
//!
//! A cut leaves several versions of a page on the medium: what was acknowledged, and what the request that was cut has
//! written. Which counts is for the FTL to find out. One that appends takes the newest; one that rewrites a block
//! elsewhere goes back to the old block. So the versions that are valid when the FTL has mounted are what reads must
//! return, and what has no valid version holds no data.
//!
//! An FTL may not choose freely. Power is cut at one moment, so all that it gives up was written after all that it
//! keeps.

use super::{About, Device, Flash, Owner};
use crate::units::{Lpn, Pbn, Ppn};

/// A rule that mounts obey.
const RULE: &str = "a mount must not keep a version that was written after one that it gives up";

impl Device {
    /// Has an FTL mount, and takes it that each logical page has the version that is valid then.
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
    /// Of each logical page, the highest sequence number on the medium of a version that is not buried; 0 for none.
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

    /// Takes the valid versions for true, and holds them against the newest that there were.
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

    /// The logical pages that have a valid page on flash, each with that.
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
