//! What an open block is written with.

use crate::purpose::Cause;
use std::fmt;

/// Pages of one class share blocks: each class has an open block of its own, its *frontier*.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Class(u8);

impl Class {
    /// User pages from the host.
    pub const HOST: Class = Class(0);
    /// User pages moved by GC; they go to the frontier of [`Class::HOST`] where copies are shared.
    pub const MOVED: Class = Class(1);
    /// Translation pages.
    pub const MAP: Class = Class(2);
    /// The most classes that user pages can be divided into.
    pub const MOST: u8 = 16;
    /// One more than the highest [index](Class::index) of a class.
    pub const END: usize = 3 + Class::MOST as usize;

    /// User pages that are put together, from the host or moved by GC, in place of [`Class::HOST`] and
    /// [`Class::MOVED`].
    ///
    /// # Panics
    /// With a number of [`Class::MOST`] or more.
    #[must_use]
    pub const fn user(number: u8) -> Class {
        assert!(number < Class::MOST, "a class beyond the last");
        Class(3 + number)
    }

    /// The number of such a class.
    #[must_use]
    pub const fn number(self) -> Option<u8> {
        self.0.checked_sub(3)
    }

    /// The class as a number for tables, below [`Class::END`].
    #[inline(always)]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Why GC touches a block of this class.
    #[must_use]
    pub const fn gc_cause(self) -> Cause {
        match self {
            Class::MAP => Cause::GcTranslation,
            _ => Cause::GcData,
        }
    }
}

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self, self.number()) {
            (_, Some(number)) => write!(f, "class {number} of user pages"),
            (Class::HOST, _) => f.write_str("pages of the host"),
            (Class::MAP, _) => f.write_str("translation pages"),
            _ => f.write_str("pages that GC moves"),
        }
    }
}
