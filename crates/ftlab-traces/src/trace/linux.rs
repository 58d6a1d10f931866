//! Device numbers of Linux as volumes, for the formats of blktrace and similar tools.

/// Minor numbers that are distinguished.
pub(super) const MINORS: u32 = 1000;

/// The largest major number that Linux knows.
pub(super) const LAST_MAJOR: u32 = 4095;

/// The volume of a device: 8,16 is 8016. Minors from 1,000 on, as with NVMe's major 259, have six
/// places: 259,1024 is 259001024.
pub(super) fn volume(major: u32, minor: u32) -> u32 {
    let places = if minor < MINORS { MINORS } else { EXTENDED_MINORS };
    major * places + minor
}

/// Whether a device has a distinct number as a volume.
pub(super) fn is_device(major: u32, minor: u32) -> bool {
    major <= LAST_MAJOR && (minor < MINORS || (minor < EXTENDED_MINORS && major > LAST_SHORT))
}

/// Majors above this with an extended minor exceed all majors with a short one.
const LAST_SHORT: u32 = 4;

/// Minor numbers of dynamic devices, in six places.
const EXTENDED_MINORS: u32 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_with_extended_minors_collide_with_no_others() {
        assert_eq!((volume(8, 16), volume(259, 1024)), (8016, 259_001_024));
        assert!(volume(LAST_MAJOR, MINORS - 1) < volume(LAST_SHORT + 1, MINORS));
        assert!(!is_device(LAST_SHORT, MINORS) && !is_device(LAST_MAJOR + 1, 0));
        assert!(u64::from(LAST_MAJOR) * u64::from(EXTENDED_MINORS) < 1 << 32);
    }
}
