//! The log of a timeline: a bounded window of the operations that were placed.

use crate::purpose::Cause;
use crate::units::Nanos;
use serde::Serialize;

/// What a flash operation does, as the timeline sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A page from the array to the controller.
    Read,
    /// The spare bytes of a page.
    ReadOob,
    /// A page from the controller to the array.
    Program,
    /// A page from one place of the array to another.
    CopyBack,
    /// A block.
    Erase,
}

/// One operation: the command, and when it was done. Times are ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Booking {
    /// Number of the request that it belongs to, from 1 on.
    pub request: u64,
    /// When the request was issued.
    pub issued: Nanos,
    /// Number of its chain in the request, from 1 on: an operation waits for the earlier ones of its chain.
    pub chain: u32,
    /// What is done.
    pub kind: Kind,
    /// Why it is done.
    pub cause: Cause,
    /// Logical page that is read or written; `None` for the OOBs of a search, translation pages and erases.
    pub lpn: Option<u32>,
    /// Translation page that is read or written.
    pub vtpn: Option<u32>,
    /// Plane.
    pub plane: u32,
    /// Block; `None` for the read of a page that was never written.
    pub block: Option<u32>,
    /// Number of the page in its block.
    pub page: u32,
    /// Block that a copy-back reads.
    pub source: Option<u32>,
    /// Number in that block of the page that it reads.
    pub source_page: Option<u32>,
    /// When its plane or its bus was first held for it.
    pub start: Nanos,
    /// When the array was at work, from its start to its end.
    pub array: (Nanos, Nanos),
    /// When its data was on the bus; `None` without data.
    pub bus: Option<(Nanos, Nanos)>,
    /// When it was done.
    pub end: Nanos,
}

/// The operations of a window, in the order in which they were placed.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Operations that are left out.
    skip: u64,
    /// Operations kept at most.
    most: usize,
    bookings: Vec<Booking>,
}

impl Log {
    /// Keeps `most` operations after the first `skip`.
    #[must_use]
    pub const fn new(skip: u64, most: usize) -> Self {
        Log { skip, most, bookings: Vec::new() }
    }

    /// The operations kept so far.
    #[must_use]
    pub fn bookings(&self) -> &[Booking] {
        &self.bookings
    }

    /// Whether nothing more will be kept.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.bookings.len() == self.most
    }

    /// Keeps an operation if it is in the window; returns its number there.
    #[inline]
    pub(super) fn push(&mut self, booking: impl FnOnce() -> Booking) -> Option<usize> {
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        if self.is_full() {
            return None;
        }
        self.bookings.push(booking());
        Some(self.bookings.len() - 1)
    }

    /// Delays a program that waits for the others of its multi-plane command.
    pub(super) fn delay(&mut self, number: usize, array: (Nanos, Nanos)) {
        self.bookings[number].array = array;
        self.bookings[number].end = array.1;
    }
}
