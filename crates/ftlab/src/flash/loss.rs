//! Data that an FTL loses by design, counted by the truth (choices.md#declared-loss).
//!
//! An FTL declares its loss when it is built. From then on the truth follows each newest version to its last copy, and
//! says of each host read what it returned. Nothing is excused in silence: all other rules hold, and an FTL that has
//! declared nothing breaks the first of them.
//!
//! ```text
//! program for the host   one copy of the newest version
//! copy                   one more, if the source has the newest version
//! erase                  one less for each page that has it; at none the version is lost
//! ```

use super::persistence::Origin;
use super::{About, Cause, Device, Flash, Loaded, Operation, Owner, Service};
use crate::error::Error;
use crate::units::{Lpn, Pbn, Ppn};

/// The rule of the commands that may return or keep old data.
const RULE: &str = "only an FTL that declares its loss may lose data";

/// What an FTL has lost since measuring started, and what reads returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossCounts {
    /// Newest versions whose last copy, valid or not, was erased.
    pub versions: u64,
    /// Host page reads that returned the newest version.
    pub reads_newest: u64,
    /// Host page reads that returned a valid page with an older version.
    pub reads_old: u64,
    /// Host page reads that returned an invalid page: the newest version is elsewhere, if anywhere.
    pub reads_invalid: u64,
    /// Host page reads of an erased page, although the host has written data.
    pub reads_erased: u64,
    /// Pages that were programmed as copies of pages that were not read.
    pub copies_unread: u64,
}

impl LossCounts {
    /// Host page reads that did not return what was written last.
    #[must_use]
    pub const fn wrong_reads(&self) -> u64 {
        self.reads_old + self.reads_invalid + self.reads_erased
    }
}

/// The loss of an FTL that declares it.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The setting that asks for it.
    pub key: &'static str,
    /// Its value.
    pub value: &'static str,
    /// Since measuring started.
    pub counts: LossCounts,
    /// Versions lost before.
    pub versions_before: u64,
    /// Per logical page that holds data: physical pages with its newest version.
    copies: Vec<u32>,
}

impl Loss {
    /// The figures of a result.
    #[must_use]
    pub const fn figures(&self) -> [(&'static str, u64); 7] {
        let counts = &self.counts;
        [
            ("loss.versions", counts.versions),
            ("loss.versions_before", self.versions_before),
            ("loss.reads_newest", counts.reads_newest),
            ("loss.reads_old", counts.reads_old),
            ("loss.reads_invalid", counts.reads_invalid),
            ("loss.reads_erased", counts.reads_erased),
            ("loss.copies_unread", counts.copies_unread),
        ]
    }

    /// What a person must know before reading a result: it is told with each.
    #[must_use]
    pub fn warning(&self) -> String {
        let (Loss { key, value, versions_before, .. }, counts) = (self, &self.counts);
        format!(
            "{key} = {value} loses data by design: {} newest versions lost, {versions_before} more before \
             measurement; {} of {} page reads did not return the last write. Metrics are those of a program \
             with bugs, not of an FTL that keeps data",
            counts.versions,
            counts.wrong_reads(),
            counts.wrong_reads() + counts.reads_newest
        )
    }

    /// Sets the counts to zero.
    pub(super) fn reset_counts(&mut self) {
        self.versions_before += self.counts.versions;
        self.counts = LossCounts::default();
    }
}

impl Flash {
    /// Declares that the FTL loses data by design, because the setting `key` is `value`. It is counted, and told with
    /// every result. An FTL calls this when it is built.
    ///
    /// # Errors
    /// [`Error::Config`] where power may be cut: recovery would take what is left for the truth.
    pub fn declare_loss(&mut self, key: &'static str, value: &'static str) -> Result<(), Error> {
        if self.persistence.memory.is_some() || self.power_safe {
            let message = format!(
                "found {value}, which loses data by design, expected an FTL that keeps it: power may be cut \
                 here, and recovery would take old data for the newest"
            );
            return Err(Error::config(key, message));
        }
        let copies = vec![0; self.medium.geometry.logical_pages as usize];
        let counts = LossCounts::default();
        let loss = Loss { key, value, counts, versions_before: 0, copies };
        self.truth.loss = Some(Box::new(loss));
        self.note_what_is_there();
        Ok(())
    }

    /// Whether the FTL has declared that it loses data.
    #[must_use]
    pub const fn loses_data(&self) -> bool {
        self.truth.loss.is_some()
    }

    /// Serves a host read of `lpn` from a page as it is: valid, invalid or erased. The truth notes what that returns.
    pub fn host_read_as_is(&mut self, lpn: Lpn, ppn: Ppn) {
        let cause = self.serve(Service::Read, lpn);
        self.meter.timeline.find_in_map();
        let owner = self.medium.owner(ppn);
        self.meter.count(Operation::Read, cause, ppn.0);
        let pbn = self.medium.geometry.block_of(ppn);
        self.meter.serve(cause, self.medium.geometry.plane_of(pbn), 1);
        let (time, _) = self.times_of(ppn);
        self.meter.timeline.read(time, || self.medium.spot(pbn, ppn, cause, owner));
        if owner.is_some_and(|owner| owner != Owner::Data(lpn)) {
            self.broken("a host read must not return another page", ppn, About::Asked(lpn));
        }
        self.note_returned(lpn, ppn, owner.is_some());
    }

    fn note_returned(&mut self, lpn: Lpn, ppn: Ppn, is_programmed: bool) {
        let is_newest = self.truth.is_newest(lpn, self.truth.stamp(ppn));
        let (holds_data, is_valid) = (self.truth.holds_data(lpn), self.is_valid(ppn));
        let Some(loss) = &mut self.truth.loss else { self.undeclared(ppn) };
        self.truth.reads_verified += 1;
        let counts = &mut loss.counts;
        match (holds_data, is_programmed, is_valid) {
            (false, ..) => self.truth.unwritten_reads += 1,
            (true, false, _) => counts.reads_erased += 1,
            (true, true, false) => counts.reads_invalid += 1,
            (true, true, true) if is_newest => counts.reads_newest += 1,
            (true, true, true) => counts.reads_old += 1,
        }
    }

    /// Programs a page as a copy of one that was not read, and may be invalid: what it holds is taken to be the same.
    pub fn copy_unread(&mut self, from: Ppn, to: Ppn, cause: Cause) {
        let Some(loss) = &mut self.truth.loss else { self.undeclared(from) };
        loss.counts.copies_unread += 1;
        if self.medium.owner(from).is_none() {
            self.broken("only a programmed page can be copied", from, About::Target(to));
        }
        let (raw, stamp) = (self.medium.owners[from.index()], self.truth.stamp(from));
        let sequence = self.sequence(from);
        self.store(to, Loaded { raw, stamp, from, sequence }, cause);
    }

    /// Invalidates what is still valid in a block and erases it: the pages of it are given up.
    pub fn erase_with_pages(&mut self, pbn: Pbn, kind: super::BlockKind, cause: Cause) {
        let mut pages = self.valid_pages(pbn);
        while let Some(ppn) = pages.next(self) {
            if self.truth.loss.is_none() {
                self.undeclared(ppn);
            }
            self.invalidate(ppn);
        }
        self.erase(pbn, kind, cause);
    }

    #[cold]
    #[inline(never)]
    fn undeclared(&self, ppn: Ppn) -> ! {
        self.broken(RULE, ppn, About::Nothing)
    }

    /// Notes a page that was programmed.
    pub(super) fn note_programmed(&mut self, ppn: Ppn, raw: u32, origin: &Origin) {
        let Owner::Data(lpn) = self.medium.decode(raw) else { return };
        let is_newest = self.truth.is_newest(lpn, self.truth.stamp(ppn));
        let Some(loss) = self.truth.loss.as_mut().filter(|_| is_newest) else { return };
        let copies = &mut loss.copies[lpn.index()];
        *copies = if matches!(origin, Origin::New) { 1 } else { *copies + 1 };
    }

    /// Notes the pages of a block that is about to be erased.
    pub(super) fn note_erased(&mut self, pbn: Pbn) {
        let Some(mut loss) = self.truth.loss.take() else { return };
        for lpn in self.newest_in(pbn) {
            loss.copies[lpn.index()] -= 1;
            loss.counts.versions += u64::from(loss.copies[lpn.index()] == 0);
        }
        self.truth.loss = Some(loss);
    }

    /// The logical pages whose newest version a block has, one for each physical page.
    fn newest_in(&self, pbn: Pbn) -> impl Iterator<Item = Lpn> {
        let first = self.medium.geometry.first_page(pbn).0;
        let pages = (first..first + self.medium.geometry.pages_per_block).map(Ppn);
        pages.filter_map(|ppn| match self.medium.owner(ppn) {
            Some(Owner::Data(lpn)) => {
                self.truth.is_newest(lpn, self.truth.stamp(ppn)).then_some(lpn)
            }
            _ => None,
        })
    }
}

impl Device {
    /// What the FTL has lost; `None` for one that keeps data.
    #[must_use]
    pub fn loss(&self) -> Option<&Loss> {
        self.flash.truth.loss.as_deref()
    }

    /// Counts the copies of newest versions anew.
    ///
    /// # Panics
    /// When there are other ones.
    pub(super) fn audit_loss(&self, loss: &Loss) {
        let mut copies = vec![0; loss.copies.len()];
        let blocks = 0..self.geometry().blocks();
        blocks
            .flat_map(|pbn| self.flash.newest_in(Pbn(pbn)))
            .for_each(|lpn| copies[lpn.index()] += 1);
        for (lpn, (noted, found)) in (0..).map(Lpn).zip(loss.copies.iter().zip(&copies)) {
            let holds_data = self.flash.truth.holds_data(lpn);
            assert!(!holds_data || noted == found, "{found} newest copies of {lpn}, {noted} noted");
        }
    }
}

#[cfg(test)]
mod tests;
