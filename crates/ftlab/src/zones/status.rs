//! What a zoned drive answers to a command that it refuses.

use std::fmt;

macro_rules! statuses {
    ($($(#[$doc:meta])+ $status:ident = $code:literal, $name:literal;)*) => {
        /// The status of a command that was refused. It has changed nothing.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Status {
            $($(#[$doc])+ $status),*
        }

        impl Status {
            /// Every status.
            pub const ALL: &[Status] = &[$(Status::$status),*];

            /// Status code type and status code, as the standard numbers them.
            #[must_use]
            pub const fn code(self) -> u16 {
                match self { $(Status::$status => $code),* }
            }

            /// The name in results.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Status::$status => $name),* }
            }
        }
    };
}

statuses! {
    /// An address that is not the start of a zone where one is expected, no blocks, or more than an append may have.
    InvalidField = 0x002, "invalid_field";
    /// Blocks behind the last of the namespace.
    LbaOutOfRange = 0x080, "lba_out_of_range";
    /// A write beyond the capacity of its zone, or a read of more than one zone.
    ZoneBoundaryError = 0x1b8, "zone_boundary_error";
    /// A write to a full zone.
    ZoneIsFull = 0x1b9, "zone_is_full";
    /// A write elsewhere than at the write pointer.
    ZoneInvalidWrite = 0x1bc, "zone_invalid_write";
    /// As many zones are active as may be.
    TooManyActiveZones = 0x1bd, "too_many_active_zones";
    /// As many zones are open as may be, and none that the drive may close.
    TooManyOpenZones = 0x1be, "too_many_open_zones";
    /// A zone in this state cannot be opened or closed.
    InvalidZoneStateTransition = 0x1bf, "invalid_zone_state_transition";
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:03x}h)", self.name(), self.code())
    }
}
