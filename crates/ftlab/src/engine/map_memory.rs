//! The memory of the map, where access takes time: RAM, or a separate chip such as PCM.

use super::calendar::Calendar;
use crate::units::Nanos;

/// The cost of a change of the map, and whether the chain waits for it.
#[derive(Clone, Debug)]
pub(super) enum MapMemory {
    /// RAM: the chain of the change waits for it.
    Ram { update: Nanos },
    /// A chip that does one thing at a time. A read waits for it. A write waits in a buffer, and no
    /// chain waits for the write (choices.md#hat-time).
    Chip { read: Nanos, write: Nanos, busy: Calendar },
}

impl MapMemory {
    /// An idle chip.
    pub(super) fn chip(read: Nanos, write: Nanos) -> Self {
        MapMemory::Chip { read, write, busy: Calendar::new(true, 1) }
    }

    /// Forgets the time before `time`, as no lookup begins earlier.
    pub(super) fn forget_before(&mut self, time: Nanos) {
        if let MapMemory::Chip { busy, .. } = self {
            busy.drop_before(time);
        }
    }

    /// When a lookup of a page that begins at `time` ends.
    pub(super) fn found(&mut self, time: Nanos) -> Nanos {
        match self {
            MapMemory::Ram { .. } => time,
            MapMemory::Chip { read, busy, .. } => {
                unless_bug!(MapChipUnawaited, take(busy, time, *read), time + *read)
            }
        }
    }

    /// When a chain that changes the map at `time` continues.
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

/// Takes a chip for the first `length` ns from `from` on in which it is free. Returns their end.
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

    /// GC books changes far ahead; an earlier lookup does not wait for them.
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
