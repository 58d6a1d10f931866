//! What happens to placement handles, as the event log of a drive has it (NVMe 2.1, FDP Events).

use crate::units::Nanos;
use std::collections::VecDeque;

crate::choices! {
    /// What happens to a handle.
    pub enum EventKind {
        /// 0h: the host moves a handle to a new unit before the old one is full.
        NotFullyWritten = "not_fully_written",
        /// 3h: a request names a handle that the drive does not have.
        InvalidPlacementIdentifier = "invalid_placement_identifier",
        /// 80h: GC moves pages of a unit of an initially isolated handle.
        MediaReallocated = "media_reallocated",
        /// 81h: GC fills a unit of a handle.
        ImplicitlyModifiedHandle = "implicitly_modified_handle",
    }
}

/// Something that happened to a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleEvent {
    /// What.
    pub kind: EventKind,
    /// The handle, as the host names it.
    pub handle: u16,
    /// Time of the host, in nanoseconds.
    pub time: Nanos,
}

/// How many events of each kind there were, and the latest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    counts: [u64; EventKind::ALL.len()],
    latest: VecDeque<HandleEvent>,
}

impl Events {
    /// Events that are kept.
    pub const KEPT: usize = 64;

    /// Notes an event.
    pub fn note(&mut self, event: HandleEvent) {
        self.counts[event.kind as usize] += 1;
        if self.latest.len() == Self::KEPT {
            self.latest.pop_front();
        }
        self.latest.push_back(event);
    }

    /// Events of a kind.
    #[must_use]
    pub const fn count(&self, kind: EventKind) -> u64 {
        self.counts[kind as usize]
    }

    /// The latest, the last one at the end.
    pub fn latest(&self) -> impl Iterator<Item = &HandleEvent> {
        self.latest.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_the_latest_kept() {
        let mut events = Events::default();
        for time in 0..100 {
            events.note(HandleEvent { kind: EventKind::MediaReallocated, handle: 1, time });
        }
        assert_eq!(events.count(EventKind::MediaReallocated), 100);
        assert_eq!(events.count(EventKind::NotFullyWritten), 0);
        assert!(events.latest().map(|event| event.time).eq(36..100));
    }
}
