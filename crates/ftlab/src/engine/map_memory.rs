//! The memory with the map, where it takes time: RAM, or a chip of its own such as PCM.

use crate::units::Nanos;

/// What it costs to change the map, and who waits for that.
#[derive(Clone, Copy, Debug)]
pub(super) enum MapMemory {
    /// RAM: the chain of the change waits for it.
    Ram { update: Nanos },
    /// A chip that does one thing at a time. A read waits for it; what is to be written waits in a buffer,
    /// and no one for it (choices.md#hat-time).
    Chip { read: Nanos, write: Nanos, free_at: Nanos },
}

impl MapMemory {
    /// When a page that is asked for at `time` has been found.
    pub(super) fn found(&mut self, time: Nanos) -> Nanos {
        match self {
            MapMemory::Ram { .. } => time,
            MapMemory::Chip { read, free_at, .. } => {
                *free_at = time.max(*free_at) + *read;
                *free_at
            }
        }
    }

    /// When a chain goes on that changes the map at `time`.
    pub(super) fn changed(&mut self, time: Nanos) -> Nanos {
        match self {
            MapMemory::Ram { update } => time + *update,
            MapMemory::Chip { read, write, free_at } => {
                *free_at = time.max(*free_at) + *read + *write;
                time
            }
        }
    }

    pub(super) fn reset(&mut self) {
        if let MapMemory::Chip { free_at, .. } = self {
            *free_at = 0;
        }
    }
}
