//! The state machine of zones: which command is legal, and what it does.
//!
//! ```text
//!            write, append            close, or another is opened
//!   empty --------------> implicitly open ------------> closed
//!     |  \-----open-----> explicitly open ---close----->  |
//!     |                        |   the last block of the capacity is written, or finish
//!     +---------finish---------+-----------------------------------> full --reset--> empty
//! ```
//!
//! Open zones and closed ones are *active*. Addresses and counts are logical blocks. A command that is refused has changed
//! nothing. Read-only and offline zones, which only faults make, are left out, as are ZRWA and descriptor extensions.

use super::status::Status;
use crate::figures::counts;
use std::collections::VecDeque;

/// The shape of a zoned namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Zones.
    pub zones: u32,
    /// Logical blocks from the start of a zone to that of the next.
    pub size: u64,
    /// Logical blocks of a zone that can be written, from its start.
    pub capacity: u64,
}

/// What a zoned drive limits; 0 stands for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Open zones; by default as many as may be active.
    pub open: u32,
    /// Zones that are open or closed.
    pub active: u32,
    /// Logical blocks of an append (ZASL).
    pub append: u64,
    /// Where too many zones are open, the drive closes the one that was implicitly opened first.
    pub auto_transition: bool,
}

/// The state of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ZoneState {
    /// Nothing is written.
    Empty,
    /// A write has opened it.
    ImplicitlyOpen,
    /// The host has opened it.
    ExplicitlyOpen,
    /// Active, and not open.
    Closed,
    /// Nothing more can be written.
    Full,
}

impl ZoneState {
    /// Whether it is open, in either way.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, ZoneState::ImplicitlyOpen | ZoneState::ExplicitlyOpen)
    }

    /// Whether it is open or closed.
    #[must_use]
    pub const fn is_active(self) -> bool {
        self.is_open() || matches!(self, ZoneState::Closed)
    }
}

/// A zone, as a zone report has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Its state.
    pub state: ZoneState,
    /// Logical blocks written since its last reset: the write pointer, from its start.
    pub written: u64,
}

counts! {
    plus since;
    /// What commands that were not refused have done.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct ZoneCounts {
        /// Logical blocks written.
        pub written: u64,
        /// Logical blocks of the capacity that were left when zones were finished.
        pub unwritten: u64,
        /// Zones that were empty and became open.
        pub opened: u64,
        /// Zones that the drive has closed because another was opened.
        pub closed_for_others: u64,
        /// Zones that were finished before they were full.
        pub finished: u64,
        /// Zones with something written that were reset.
        pub resets: u64,
    }
}

/// A zoned namespace.
#[derive(Clone, Debug)]
pub struct Namespace {
    format: Format,
    limits: Limits,
    zones: Vec<Zone>,
    open: u32,
    active: u32,
    /// Implicitly open zones, the one opened first at the front.
    implicit: VecDeque<u32>,
    counts: ZoneCounts,
}

impl Namespace {
    /// All zones empty. Of a limit on active zones follows one on open ones.
    #[must_use]
    pub fn new(format: Format, limits: Limits) -> Self {
        let open = if limits.open == 0 { limits.active } else { limits.open };
        let empty = Zone { state: ZoneState::Empty, written: 0 };
        Namespace {
            format,
            limits: Limits { open, ..limits },
            zones: vec![empty; format.zones as usize],
            open: 0,
            active: 0,
            implicit: VecDeque::new(),
            counts: ZoneCounts::default(),
        }
    }

    /// Takes over a zone of a new namespace in the state that was found after power was lost: what is written in part is closed.
    pub(super) fn restore(&mut self, zone: u32, written: u64, is_full: bool) {
        let state = match written {
            0 => ZoneState::Empty,
            _ if is_full => ZoneState::Full,
            _ => ZoneState::Closed,
        };
        self.active += u32::from(state.is_active());
        self.zones[zone as usize] = Zone { state, written };
    }

    /// Its shape.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The zones.
    #[must_use]
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Open zones.
    #[must_use]
    pub const fn open_zones(&self) -> u32 {
        self.open
    }

    /// Active zones.
    #[must_use]
    pub const fn active_zones(&self) -> u32 {
        self.active
    }

    /// The zone that was implicitly opened first of those that are open.
    #[must_use]
    pub fn first_implicit(&self) -> Option<u32> {
        self.implicit.front().copied()
    }

    /// What was done since counting started.
    #[must_use]
    pub const fn counts(&self) -> ZoneCounts {
        self.counts
    }

    /// Starts counting anew.
    pub fn reset_counts(&mut self) {
        self.counts = ZoneCounts::default();
    }

    /// The address of a zone.
    #[must_use]
    pub const fn start(&self, zone: u32) -> u64 {
        zone as u64 * self.format.size
    }

    /// Reads blocks of one zone, written or not.
    ///
    /// # Errors
    /// The status of a read that is refused.
    pub fn read(&self, address: u64, count: u64) -> Result<(), Status> {
        let (_, offset) = self.locate(address, count)?;
        if offset + count > self.format.size {
            unless_bug!(ZonesReadAcross, return Err(Status::ZoneBoundaryError));
        }
        Ok(())
    }

    /// Writes blocks from the write pointer of a zone on.
    ///
    /// # Errors
    /// The status of a write that is refused.
    pub fn write(&mut self, address: u64, count: u64) -> Result<(), Status> {
        let (zone, offset) = self.locate(address, count)?;
        self.write_in(zone, offset, count)
    }

    /// Writes blocks to the zone that starts at an address, and returns where they are.
    ///
    /// # Errors
    /// The status of an append that is refused.
    pub fn append(&mut self, start: u64, count: u64) -> Result<u64, Status> {
        let (zone, offset) = self.locate(start, count)?;
        let most = self.limits.append;
        let is_long = unless_bug!(ZonesAppendAnyLength, most > 0 && count > most, false);
        if offset > 0 || is_long {
            return Err(Status::InvalidField);
        }
        let at = self.zones[zone as usize].written;
        self.write_in(zone, at, count)?;
        Ok(start + at)
    }

    /// Opens a zone for the host.
    ///
    /// # Errors
    /// The status of an open that is refused.
    pub fn open(&mut self, start: u64) -> Result<(), Status> {
        let zone = self.zone_starting(start)?;
        match self.zones[zone as usize].state {
            ZoneState::Full => return Err(Status::InvalidZoneStateTransition),
            ZoneState::ExplicitlyOpen => {}
            ZoneState::ImplicitlyOpen => {
                unless_bug!(ZonesStayImplicit, self.forget_implicit(zone));
            }
            ZoneState::Empty | ZoneState::Closed => self.take_resources(zone)?,
        }
        self.zones[zone as usize].state = ZoneState::ExplicitlyOpen;
        Ok(())
    }

    /// Closes an open zone.
    ///
    /// # Errors
    /// The status of a close that is refused.
    pub fn close(&mut self, start: u64) -> Result<(), Status> {
        let zone = self.zone_starting(start)?;
        match self.zones[zone as usize].state {
            ZoneState::Empty | ZoneState::Full => Err(Status::InvalidZoneStateTransition),
            ZoneState::Closed => Ok(()),
            ZoneState::ImplicitlyOpen | ZoneState::ExplicitlyOpen => {
                self.set_closed(zone);
                Ok(())
            }
        }
    }

    /// Makes a zone full, whatever is left of it.
    ///
    /// # Errors
    /// [`Status::InvalidField`] or [`Status::LbaOutOfRange`] when no zone starts there.
    pub fn finish(&mut self, start: u64) -> Result<(), Status> {
        let zone = self.zone_starting(start)?;
        let Zone { state, written } = self.zones[zone as usize];
        if state != ZoneState::Full {
            self.counts.finished += 1;
            unless_bug!(
                ZonesFinishUncounted,
                self.counts.unwritten += self.format.capacity - written
            );
            self.give_resources(zone);
            self.zones[zone as usize].state = ZoneState::Full;
        }
        Ok(())
    }

    /// Makes a zone empty.
    ///
    /// # Errors
    /// As [`Namespace::finish`].
    pub fn reset(&mut self, start: u64) -> Result<(), Status> {
        let zone = self.zone_starting(start)?;
        self.give_resources(zone);
        let Zone { state, written } = &mut self.zones[zone as usize];
        self.counts.resets += u64::from(*written > 0);
        *state = ZoneState::Empty;
        unless_bug!(ZonesResetKeepsPointer, *written = 0);
        Ok(())
    }

    /// The zone of an address, and how far behind its start that is, where as many blocks follow.
    fn locate(&self, address: u64, count: u64) -> Result<(u32, u64), Status> {
        if count == 0 {
            return Err(Status::InvalidField);
        }
        let all = u64::from(self.format.zones) * self.format.size;
        if address.checked_add(count).is_none_or(|end| end > all) {
            return Err(Status::LbaOutOfRange);
        }
        let zone = address / self.format.size;
        Ok((zone as u32, address - zone * self.format.size))
    }

    fn zone_starting(&self, start: u64) -> Result<u32, Status> {
        match self.locate(start, 1)? {
            (zone, 0) => Ok(zone),
            _ => Err(Status::InvalidField),
        }
    }

    fn write_in(&mut self, zone: u32, offset: u64, count: u64) -> Result<(), Status> {
        let Zone { state, written } = self.zones[zone as usize];
        if state == ZoneState::Full {
            return Err(Status::ZoneIsFull);
        }
        let is_elsewhere = unless_bug!(ZonesWriteAnywhere, offset != written, offset < written);
        if is_elsewhere {
            return Err(Status::ZoneInvalidWrite);
        }
        let capacity = unless_bug!(ZonesWriteIntoTheHole, self.format.capacity, self.format.size);
        if offset + count > capacity {
            return Err(Status::ZoneBoundaryError);
        }
        if !state.is_open() {
            self.take_resources(zone)?;
            self.zones[zone as usize].state = ZoneState::ImplicitlyOpen;
            self.implicit.push_back(zone);
        }
        self.counts.written += count;
        self.zones[zone as usize].written = offset + count;
        if offset + count == capacity {
            unless_bug!(ZonesFullStayOpen, self.give_resources(zone));
            self.zones[zone as usize].state = ZoneState::Full;
        }
        Ok(())
    }

    /// Counts a zone that is empty or closed as open, if limits allow.
    fn take_resources(&mut self, zone: u32) -> Result<(), Status> {
        let Limits { open, active, auto_transition, .. } = self.limits;
        let is_empty = self.zones[zone as usize].state == ZoneState::Empty;
        let is_beyond = is_empty && active > 0 && self.active >= active;
        if is_beyond {
            unless_bug!(ZonesActiveUnlimited, return Err(Status::TooManyActiveZones));
        }
        if open > 0 && self.open >= open {
            let first = unless_bug!(ZonesCloseTheLast, self.implicit.front(), self.implicit.back());
            let Some(&first) = first.filter(|_| auto_transition) else {
                return Err(Status::TooManyOpenZones);
            };
            self.set_closed(first);
            self.counts.closed_for_others += 1;
        }
        self.open += 1;
        self.active += u32::from(is_empty);
        self.counts.opened += u64::from(is_empty);
        Ok(())
    }

    /// A zone is about to be neither open nor closed.
    fn give_resources(&mut self, zone: u32) {
        let state = self.zones[zone as usize].state;
        self.open -= u32::from(state.is_open());
        self.active -=
            u32::from(unless_bug!(ZonesClosedStayActive, state.is_active(), state.is_open()));
        self.forget_implicit(zone);
    }

    fn set_closed(&mut self, zone: u32) {
        self.open -= 1;
        self.forget_implicit(zone);
        self.zones[zone as usize].state = ZoneState::Closed;
    }

    fn forget_implicit(&mut self, zone: u32) {
        self.implicit.retain(|it| *it != zone);
    }
}
