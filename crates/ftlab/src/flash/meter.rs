//! The meter: what was done, why, and how long it took.

use super::ledger::{Ledger, Operation};
use crate::device::{DeviceConfig, Geometry};
use crate::engine::Timeline;
use crate::purpose::Cause;
use std::sync::atomic::{AtomicBool, Ordering};

/// Counts by cause, the clock, and the last operations.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    pub timeline: Timeline,
    /// Whether anybody has asked for a time.
    pub used_times: Flag,
    pub ledger: Ledger,
    /// By plane, the operations whose cause [serves](Cause::serves) requests.
    pub serving: Vec<u64>,
    pub invalidations: u64,
    /// OOBs read after power was lost, to find out what is there.
    pub surveyed: u64,
    /// By cause, pages loaded minus pages stored.
    pub not_stored: [i64; Cause::ALL.len()],
    pub history: History,
}

impl Meter {
    /// All counts at zero and an idle device.
    pub fn new(device: &DeviceConfig, geometry: &Geometry) -> Self {
        Meter {
            timeline: Timeline::of(device, geometry),
            used_times: Flag::default(),
            ledger: Ledger::default(),
            serving: vec![0; geometry.planes() as usize],
            invalidations: 0,
            surveyed: 0,
            not_stored: [0; Cause::ALL.len()],
            history: History::default(),
        }
    }

    /// Notes and counts an operation.
    #[inline(always)]
    pub fn count(&mut self, operation: Operation, cause: Cause, address: u32) {
        self.history.push(operation, cause, address);
        self.ledger.count(operation, cause);
    }

    /// Counts operations on a plane by whether they serve requests.
    #[inline(always)]
    pub fn serve(&mut self, cause: Cause, plane: u32, operations: u32) {
        if cause.serves() {
            self.serving[plane as usize] += u64::from(operations);
        }
    }

    /// Sets all counts to zero and the clock to an idle device at time 0.
    pub fn reset(&mut self) {
        self.ledger = Ledger::default();
        self.serving.fill(0);
        self.invalidations = 0;
        self.surveyed = 0;
        self.not_stored = [0; Cause::ALL.len()];
        self.timeline.reset();
    }
}

/// A flag that even a look at the device may set.
#[derive(Debug, Default)]
pub(super) struct Flag(AtomicBool);

impl Flag {
    #[inline]
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clone for Flag {
    fn clone(&self) -> Self {
        Flag(AtomicBool::new(self.is_set()))
    }
}

/// The last operations, for the message of a broken rule.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Operation, cause and address, packed so that noting one is a single store.
    ring: [u64; Self::LENGTH as usize],
    pushed: usize,
}

impl History {
    /// Operations that are kept.
    pub const LENGTH: u32 = 16;

    /// Operations that were noted.
    #[inline(always)]
    pub const fn operations(&self) -> usize {
        self.pushed
    }

    #[inline(always)]
    pub fn push(&mut self, operation: Operation, cause: Cause, address: u32) {
        let packed = (operation as u64) << 40 | (cause as u64) << 32 | u64::from(address);
        self.ring[self.pushed % Self::LENGTH as usize] = packed;
        self.pushed = self.pushed.wrapping_add(1);
    }
}

impl std::fmt::Display for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let length = Self::LENGTH as usize;
        for age in (1..=self.pushed.min(length)).rev() {
            let packed = self.ring[(self.pushed - age) % length];
            let operation = Operation::ALL[(packed >> 40) as usize];
            let cause = Cause::ALL[(packed >> 32) as usize & 255];
            write!(f, "{operation:?} {} ({}); ", packed as u32, cause.name())?;
        }
        Ok(())
    }
}
