//! What the host says of a request next to what it does and where: its attributes.

crate::choices! {
    /// How long written data live, as Linux names it: the words are relative to each other.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Lifetime {
        /// The host does not say.
        Unset = "unset",
        /// The host says that it does not know.
        None = "none",
        /// Short.
        Short = "short",
        /// Medium.
        Medium = "medium",
        /// Long.
        Long = "long",
        /// Extremely long.
        Extreme = "extreme",
    }
}

impl Lifetime {
    /// The number that Linux has for it, from 0 for unset; it also stands in files and digests.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The lifetime of a number.
    #[must_use]
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}

/// Attributes that are there or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flags(u8);

impl Flags {
    /// A read of data that the host has not requested yet.
    pub const PREFETCH: Flags = Flags(1);
    /// Before the request the host moves its placement handle to a new unit: NVMe's Reclaim Unit Handle Update.
    pub const UPDATE: Flags = Flags(2);

    /// Whether all of `flags` are there.
    #[must_use]
    pub const fn contains(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These and `flags`.
    #[must_use]
    pub const fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }

    /// These without `flags`.
    #[must_use]
    pub const fn without(self, flags: Flags) -> Flags {
        Flags(self.0 & !flags.0)
    }
}

/// The attributes of a request. The default says nothing, as most traces do.
///
/// They advise: a device may ignore each of them, and reads return the same data. FUA and flush are
/// no attributes but kinds of requests ([`Op`](super::Op)), because a device has to obey them.
///
/// The six bytes lie in the padding of a [`Request`](super::Request), so it is no larger than without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)] // in the order of their bits, so that these are two loads
pub struct Meta {
    /// Placement handle of a write, which is an FDP placement identifier or a write stream; 0 is the default one.
    pub handle: u16,
    /// Who sends the request: an initiator, a namespace or a job; 0 if unknown.
    pub initiator: u16,
    /// How long the written data live.
    pub lifetime: Lifetime,
    /// What is there or not.
    pub flags: Flags,
}

impl Default for Meta {
    fn default() -> Self {
        Self::UNSET
    }
}

impl Meta {
    /// No attribute: the default.
    pub const UNSET: Self =
        Self { handle: 0, initiator: 0, lifetime: Lifetime::Unset, flags: Flags(0) };

    /// All attributes as a number, which is 0 where none is set. The layout may not change: digests hold it.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        let low = self.handle as u32 | (self.initiator as u32) << 16;
        let high = self.lifetime as u16 | (self.flags.0 as u16) << 8;
        low as u64 | (high as u64) << 32
    }

    /// The attributes of a number, of which those bits count that [`bits`](Self::bits) can set.
    #[inline]
    #[must_use]
    pub fn of_bits(bits: u64) -> Self {
        Self {
            handle: bits as u16,
            initiator: (bits >> 16) as u16,
            lifetime: Lifetime::of_code((bits >> 32) as u8).unwrap_or(Lifetime::Unset),
            flags: Flags((bits >> 40) as u8),
        }
    }

    /// The same without an update of the handle.
    #[inline]
    #[must_use]
    pub const fn without_update(self) -> Self {
        Self { flags: self.flags.without(Flags::UPDATE), ..self }
    }

    /// Whether no attribute is set.
    #[inline]
    #[must_use]
    pub const fn is_unset(self) -> bool {
        self.bits() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Request;

    #[test]
    fn a_request_has_room_for_its_attributes() {
        assert_eq!(size_of::<Meta>(), 6);
        assert_eq!(size_of::<Request>(), 32);
    }

    #[test]
    fn each_attribute_has_bits_of_its_own() {
        assert!(Meta::default().is_unset());
        assert_eq!(Meta::default(), Meta::UNSET);
        let flags = Flags::PREFETCH.with(Flags::UPDATE);
        let all = Meta { handle: 0x1234, initiator: 0x5678, lifetime: Lifetime::Extreme, flags };
        assert_eq!(all.bits(), 0x0305_5678_1234);
        assert_eq!(Meta::of_bits(all.bits()), all);
        assert!(flags.contains(Flags::PREFETCH) && !Flags::default().contains(Flags::PREFETCH));
        assert_eq!(flags.without(Flags::PREFETCH), Flags::UPDATE);
        assert_eq!(all.without_update().flags, Flags::PREFETCH);
    }

    #[test]
    fn lifetimes_have_the_numbers_of_linux() {
        let words: Vec<_> = Lifetime::ALL.iter().map(|lifetime| lifetime.name()).collect();
        assert_eq!(words, ["unset", "none", "short", "medium", "long", "extreme"]);
        for &lifetime in Lifetime::ALL {
            assert_eq!(Lifetime::of_code(lifetime.code()), Some(lifetime));
        }
        assert_eq!(Lifetime::of_code(6), None);
    }
}
