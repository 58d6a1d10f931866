//! Attributes one by one, for files of columns, lists and counts: what holds for one holds for all.

use super::{Lifetime, Meta, Request};

crate::choices! {
    /// An attribute of a request, as columns name it. Its value is a number; 0 is unset.
    #[derive(PartialOrd, Ord)]
    pub enum Attribute {
        /// Placement handle of a write: an FDP placement identifier or a write stream.
        Hint = "hint",
        /// Lifetime of the written data, 0 to 5 as in Linux.
        Lifetime = "lifetime",
        /// Initiator, namespace or job that sends the request.
        Initiator = "initiator",
        /// Whether the host reads ahead.
        Prefetch = "prefetch",
        /// Whether the host moves the handle to a new unit before the request.
        Update = "update",
    }
}

impl Attribute {
    /// The lowest of its bits in [`Meta::bits`], and its largest value.
    const fn place(self) -> (u32, u64) {
        match self {
            Self::Hint => (0, u16::MAX as u64),
            Self::Initiator => (16, u16::MAX as u64),
            Self::Lifetime => (32, Lifetime::ALL.len() as u64 - 1),
            Self::Prefetch => (40, 1),
            Self::Update => (41, 1),
        }
    }

    /// The largest value.
    #[must_use]
    pub const fn most(self) -> u64 {
        self.place().1
    }

    /// Its bits in [`Meta::bits`].
    const fn mask(self) -> u64 {
        let (shift, most) = self.place();
        ((most + 1).next_power_of_two() - 1) << shift
    }

    /// The values that it has, as messages name them.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Hint | Self::Initiator => "a whole number up to 65535",
            Self::Lifetime => "0 to 5, or unset, none, short, medium, long or extreme",
            Self::Prefetch | Self::Update => "0 or 1",
        }
    }

    /// Its value in `meta`.
    #[inline]
    #[must_use]
    pub const fn of(self, meta: Meta) -> u64 {
        (meta.bits() & self.mask()) >> self.place().0
    }

    /// `meta` with this value, if it is one.
    #[inline]
    #[must_use]
    pub fn set(self, meta: Meta, value: u64) -> Option<Meta> {
        let (shift, most) = self.place();
        (value <= most).then(|| Meta::of_bits(meta.bits() & !self.mask() | value << shift))
    }

    /// The value that a text says; nothing says 0.
    #[must_use]
    pub fn read(self, text: &str) -> Option<u64> {
        if text.is_empty() {
            return Some(0);
        }
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        let word = || match self {
            Self::Lifetime => Lifetime::ALL.iter().find(|lifetime| lifetime.name() == text),
            _ => None,
        };
        number
            .or_else(|| word().map(|lifetime| lifetime.code().into()))
            .filter(|value| *value <= self.most())
    }
}

/// Some of the attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes(u8);

impl Attributes {
    /// These and another.
    #[must_use]
    pub const fn with(self, attribute: Attribute) -> Self {
        Self(self.0 | 1 << attribute as u8)
    }

    /// Whether it is one of these.
    #[must_use]
    pub const fn has(self, attribute: Attribute) -> bool {
        self.0 >> (attribute as u8) & 1 == 1
    }

    /// These, in the order of [`Attribute::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Attribute> {
        Attribute::ALL.iter().copied().filter(move |attribute| self.has(*attribute))
    }

    /// Those that one of `requests` sets.
    #[must_use]
    pub fn set_in(requests: &[Request]) -> Self {
        let bits = requests.iter().fold(0, |bits, request| bits | request.meta.bits());
        Attribute::ALL.iter().filter(|attribute| bits & attribute.mask() != 0).copied().collect()
    }
}

impl FromIterator<Attribute> for Attributes {
    fn from_iter<All: IntoIterator<Item = Attribute>>(all: All) -> Self {
        all.into_iter().fold(Self::default(), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Flags, Op};
    use super::*;

    #[test]
    fn each_attribute_is_set_without_the_others() {
        let flags = Flags::PREFETCH.with(Flags::UPDATE);
        let all = Meta { handle: 1000, initiator: 7, lifetime: Lifetime::Long, flags };
        let values = Attribute::ALL.iter().map(|attribute| attribute.of(all));
        assert_eq!(values.collect::<Vec<_>>(), [1000, 4, 7, 1, 1]);
        for &one in Attribute::ALL {
            let most = one.set(all, one.most()).expect("a value");
            assert_eq!(one.of(most), one.most(), "{}", one.name());
            assert_eq!(one.set(all, one.most() + 1), None, "{}", one.name());
            for &other in Attribute::ALL.iter().filter(|other| **other != one) {
                assert_eq!(other.of(most), other.of(all), "{}", other.name());
            }
        }
    }

    #[test]
    fn a_text_says_a_value() {
        for (attribute, text, expected) in [
            (Attribute::Hint, "", Some(0)),
            (Attribute::Hint, "65535", Some(65_535)),
            (Attribute::Hint, "65536", None),
            (Attribute::Hint, "+1", None),
            (Attribute::Hint, "short", None),
            (Attribute::Lifetime, "short", Some(2)),
            (Attribute::Lifetime, "5", Some(5)),
            (Attribute::Lifetime, "6", None),
            (Attribute::Prefetch, "1", Some(1)),
            (Attribute::Prefetch, "2", None),
        ] {
            assert_eq!(attribute.read(text), expected, "{} {text:?}", attribute.name());
        }
    }

    #[test]
    fn requests_say_which_attributes_they_set() {
        let write = Request::new(Op::Write, 0, 512);
        assert_eq!(Attributes::set_in(&[write]), Attributes::default());
        let hinted = write.with_meta(Meta { handle: 256, ..Meta::UNSET });
        let long = write.with_meta(Meta { lifetime: Lifetime::Long, ..Meta::UNSET });
        let found: Vec<_> = Attributes::set_in(&[hinted, write, long]).iter().collect();
        assert_eq!(found, [Attribute::Hint, Attribute::Lifetime]);
    }
}
