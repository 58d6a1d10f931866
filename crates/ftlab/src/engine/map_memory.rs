//! The memory with the map, where it takes time: RAM, or a chip of its own such as PCM.

use super::calendar::Calendar;
use crate::units::Nanos;

/// What it costs to change the map, and who waits for that.
#[derive(Clone, Debug)]
pub(super) enum MapMemory {
    /// RAM: the chain of the change waits for it.
    Ram { update: Nanos },
    /// A chip that does one thing at a time. A read waits for it; what is to be written waits in a buffer,
    /// and no one for it (choices.md#hat-time).
    Chip { read: Nanos, write: Nanos, busy: Calendar },
}

impl MapMemory {
    /// An idle chip.
    pub(super) fn chip(read: Nanos, write: Nanos) -> Self {
        MapMemory::Chip { read, write, busy: Calendar::new(true, 1) }
    }

    /// No page will be asked for before `time`.
    pub(super) fn forget_before(&mut self, time: Nanos) {
        if let MapMemory::Chip { busy, .. } = self {
            busy.drop_before(time);
        }
    }

    /// When a page that is asked for at `time` has been found.
    pub(super) fn found(&mut self, time: Nanos) -> Nanos {
        match self {
            MapMemory::Ram { .. } => time,
            MapMemory::Chip { read, busy, .. } => {
                unless_bug!(MapChipUnawaited, take(busy, time, *read), time + *read)
            }
        }
    }

    /// When a chain goes on that changes the map at `time`.
    pub(super) fn changed(&mut self, time: Nanos) -> Nanos {
        match self {
            MapMemory::Ram { update } => time + *update,
            MapMemory::Chip { read, write, busy } => {
                take(busy, time, *read + *write);
                time
            }
        }
    }

    pub(super) fn reset(&mut self) {
        if let MapMemory::Chip { busy, .. } = self {
            busy.reset();
        }
    }
}

/// Takes a chip for the first time from `from` on in which it is free for so long; returns its end.
fn take(busy: &mut Calendar, from: Nanos, length: Nanos) -> Nanos {
    let (start, end) = busy.search().find(from, length);
    if start < end {
        busy.hold(start, end);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GC books changes far ahead: a page that is asked for before them does not wait for them.
    #[test]
    fn a_lookup_goes_before_changes_that_come_later() {
        let mut chip = MapMemory::chip(1_000, 4_000);
        assert_eq!(chip.changed(900_000), 900_000, "no one waits for a change");
        assert_eq!(chip.found(10_000), 11_000);
        assert_eq!(chip.found(10_000), 12_000, "one thing at a time");
        assert_eq!(chip.found(901_000), 906_000, "the change holds the chip until 905,000");
        chip.reset();
        assert_eq!(chip.found(901_000), 902_000);
    }
}
