//! Device numbers of Linux as volumes, for the formats that blktrace's kin write.

/// Minor numbers that are told apart.
pub(super) const MINORS: u32 = 1000;

/// The largest major number that Linux knows.
pub(super) const LAST_MAJOR: u32 = 4095;

/// The volume of a device: 8,16 is 8016.
pub(super) fn volume(major: u32, minor: u32) -> u32 {
    major * MINORS + minor
}
