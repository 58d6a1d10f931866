//! From the volumes of a trace to the one address space of a device (choices.md#volumes).
//!
//! ```text
//!            volume 0        volume 1                 on the device
//! compact    ....aaaaaa..    .....bbb.....            aaaaaabbb        packed by used span
//! overlay    ....aaaaaa..    .....bbb.....            ....abbbaa..     laid over each other
//! modulo     ....aaaaaa..    .....bbb.....            aa..abbb         overlay, wrapped at the end
//! ```

use crate::error::Error;
use crate::units::Bytes;

// What a map is made from.
pub use crate::request::{Extent, Measured, extents};

/// Packed volumes begin and end at multiples of this, so that requests keep their alignment.
pub const COMPACT_ALIGNMENT_BYTES: u64 = 1 << 20;

crate::choices! {
    /// How volumes share the device.
    pub enum AddressPolicy {
        /// One after another in ascending order, each from its first to its last used byte, both
        /// rounded outwards to whole mebibytes.
        Compact = "compact",
        /// All from byte 0, over each other, as if the volume were not known. The 512 MB of TPFTL's
        /// Financial traces imply it.
        Overlay = "overlay",
        /// Overlay, then the offset modulo the device's capacity. A request that crosses the device's
        /// end is cut there: it never wraps in the middle.
        Modulo = "modulo",
    }
}

/// Turns a volume and an offset into a byte of the device.
#[derive(Clone, Debug)]
pub struct AddressMap {
    span_bytes: u64,
    way: Way,
    /// Whether several addresses may lie on one byte of the device.
    shares: bool,
}

#[derive(Clone, Debug)]
enum Way {
    /// Ascending by volume.
    Compact(Vec<Slot>),
    Overlay,
    Modulo {
        capacity_bytes: u64,
    },
}

/// Where a volume lies on the device: its bytes `first..end` at `base`.
#[derive(Clone, Copy, Debug)]
struct Slot {
    volume: u32,
    first: u64,
    end: u64,
    base: u64,
}

impl AddressMap {
    /// The map of the volumes in `extents` by `policy`, onto `capacity_bytes` of device if given.
    ///
    /// # Errors
    /// [`Error::Config`] when the device is too small, or `modulo` has no capacity.
    pub fn new(
        policy: AddressPolicy,
        extents: &[Extent],
        capacity_bytes: Option<u64>,
    ) -> Result<Self, Error> {
        let end = extents.iter().map(|extent| extent.end_byte).max().unwrap_or(0);
        let wraps = capacity_bytes.is_some_and(|capacity| end > capacity);
        let shares = policy != AddressPolicy::Compact && (extents.len() > 1 || wraps);
        let (way, span_bytes) = match (policy, capacity_bytes) {
            (AddressPolicy::Compact, _) => compact(extents)?,
            (AddressPolicy::Overlay, _) => (Way::Overlay, end),
            (AddressPolicy::Modulo, Some(capacity_bytes)) if capacity_bytes > 0 => {
                (Way::Modulo { capacity_bytes }, end.min(capacity_bytes))
            }
            (AddressPolicy::Modulo, _) => {
                let message = "found modulo without a capacity, expected one; set device.capacity";
                return Err(Error::config("run.address", message));
            }
        };
        match capacity_bytes {
            Some(capacity) if span_bytes > capacity => Err(too_small(span_bytes, capacity)),
            _ => Ok(Self { span_bytes, way, shares }),
        }
    }

    /// The address space that holds everything, in bytes.
    #[must_use]
    pub fn span_bytes(&self) -> u64 {
        self.span_bytes
    }

    /// Whether several addresses of the input may lie on one byte of the device.
    #[must_use]
    pub fn shares(&self) -> bool {
        self.shares
    }

    /// The device's byte for `offset` of `volume`, and the length that fits there: shorter than
    /// `length` only under `modulo`, at the device's end.
    ///
    /// # Panics
    /// Under `compact`, when the bytes lie outside the extents that the map was made from.
    #[inline]
    #[must_use]
    pub fn map(&self, volume: u32, offset: u64, length: u32) -> (u64, u32) {
        match &self.way {
            Way::Modulo { capacity_bytes } => {
                let offset = offset % capacity_bytes;
                let fits = (capacity_bytes - offset).min(u64::from(length));
                // At most `length`.
                (offset, fits as u32)
            }
            Way::Overlay => (offset, length),
            Way::Compact(slots) => (compacted(slots, volume, offset, length), length),
        }
    }
}

#[inline(never)]
fn compacted(slots: &[Slot], volume: u32, offset: u64, length: u32) -> u64 {
    // Most traces have one volume.
    let slot = match slots {
        [only] if only.volume == volume => only,
        _ => match slots.binary_search_by_key(&volume, |slot| slot.volume) {
            Ok(at) => &slots[at],
            Err(_) => panic!("volume {volume} was not measured"),
        },
    };
    let end = offset.saturating_add(u64::from(length));
    assert!(
        slot.first <= offset && end <= slot.end,
        "bytes {offset} to {end} of volume {volume} lie outside {} to {}",
        slot.first,
        slot.end
    );
    slot.base + (offset - slot.first)
}

fn compact(extents: &[Extent]) -> Result<(Way, u64), Error> {
    let mut sorted = extents.to_vec();
    sorted.sort_unstable_by_key(|extent| extent.volume);
    let mut slots = Vec::with_capacity(sorted.len());
    let mut base = 0u64;
    for Extent { volume, first_byte, end_byte } in sorted {
        let first = first_byte - first_byte % COMPACT_ALIGNMENT_BYTES;
        let end = end_byte.checked_next_multiple_of(COMPACT_ALIGNMENT_BYTES);
        let next = end.and_then(|end| base.checked_add(end - first));
        let (Some(end), Some(next)) = (end, next) else {
            let message = "the volumes together exceed 2^64 bytes; use run.address = overlay";
            return Err(Error::config("run.address", message));
        };
        slots.push(Slot { volume, first, end, base });
        base = next;
    }
    Ok((Way::Compact(slots), base))
}

fn too_small(span: u64, capacity: u64) -> Error {
    Error::config(
        "device.capacity",
        format!(
            "found {} ({capacity} bytes), but the trace covers {} ({span} bytes); raise \
             device.capacity, or wrap addresses with run.address = modulo",
            Bytes(capacity),
            Bytes(span),
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn extent(volume: u32, first_byte: u64, end_byte: u64) -> Extent {
        Extent { volume, first_byte, end_byte }
    }

    fn two() -> [Extent; 2] {
        [extent(9, 5 * MIB + 512, 6 * MIB + 1), extent(2, 100 * MIB, 101 * MIB)]
    }

    #[test]
    fn compact_packs_volumes_in_order_and_keeps_alignment() {
        let map = AddressMap::new(AddressPolicy::Compact, &two(), None).unwrap();
        assert_eq!(map.span_bytes(), 3 * MIB);
        assert_eq!(map.map(2, 100 * MIB + 512, 4096), (512, 4096));
        assert_eq!(map.map(9, 5 * MIB + 512, 512), (MIB + 512, 512));
        assert_eq!(map.map(9, 6 * MIB, 1), (2 * MIB, 1));
        assert!(!map.shares());
    }

    #[test]
    fn overlay_keeps_offsets() {
        let map = AddressMap::new(AddressPolicy::Overlay, &two(), None).unwrap();
        assert_eq!(map.span_bytes(), 101 * MIB);
        assert_eq!(map.map(9, 5 * MIB + 512, 512), (5 * MIB + 512, 512));
        assert!(map.shares());
        let alone = AddressMap::new(AddressPolicy::Overlay, &two()[..1], None).unwrap();
        assert!(!alone.shares());
    }

    #[test]
    fn modulo_wraps_offsets_and_cuts_at_the_end() {
        let map = AddressMap::new(AddressPolicy::Modulo, &two(), Some(4 * MIB)).unwrap();
        assert_eq!(map.span_bytes(), 4 * MIB);
        assert_eq!(map.map(9, 5 * MIB + 512, 512), (MIB + 512, 512));
        assert_eq!(map.map(2, 4 * MIB - 512, 4096), (4 * MIB - 512, 512));
        let roomy = AddressMap::new(AddressPolicy::Modulo, &two(), Some(200 * MIB)).unwrap();
        assert_eq!(roomy.span_bytes(), 101 * MIB);
        for none in [None, Some(0)] {
            assert!(AddressMap::new(AddressPolicy::Modulo, &two(), none).is_err());
        }
        let share = |capacity| {
            let map = AddressMap::new(AddressPolicy::Modulo, &two()[..1], Some(capacity));
            map.unwrap().shares()
        };
        assert_eq!([share(5 * MIB), share(7 * MIB)], [true, false]);
    }

    #[test]
    fn a_device_that_is_too_small_is_told_with_both_figures() {
        for (policy, span) in [(AddressPolicy::Compact, "3MiB"), (AddressPolicy::Overlay, "101MiB")]
        {
            let error = AddressMap::new(policy, &two(), Some(2 * MIB)).unwrap_err().to_string();
            for part in ["2MiB", span, "raise device.capacity", "run.address = modulo"] {
                assert!(error.contains(part), "{error}");
            }
            assert!(AddressMap::new(policy, &two(), Some(101 * MIB)).is_ok());
        }
    }

    #[test]
    fn volumes_that_cannot_be_summed_are_an_error() {
        let huge = [0, 1, 2].map(|volume| extent(volume, 0, i64::MAX as u64));
        assert!(AddressMap::new(AddressPolicy::Compact, &huge, None).is_err());
        assert!(AddressMap::new(AddressPolicy::Overlay, &huge, None).is_ok());
    }

    #[test]
    #[should_panic(expected = "volume 3 was not measured")]
    fn an_unmeasured_volume_is_a_bug() {
        let map = AddressMap::new(AddressPolicy::Compact, &two(), None).unwrap();
        let _ = map.map(3, 0, 512);
    }
}
