//! What GC moves and erases, by class: once by the class of the unit that a page leaves, once by the class that the host's
//! last write gave the page.
//!
//! Each of the two adds up to all pages that GC moves. The first is what a drive can count. Only the second says what the
//! pages of a class cost where GC mixes classes.

use super::Handled;
use crate::placement::Class;

/// Pages or units of each class.
type ByClass = [u64; Class::MOST as usize];

/// What was counted by class since counting began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Pages that the host wrote.
    pub written: ByClass,
    /// Pages that GC moved, by the class that they go to.
    pub moved_to: ByClass,
    /// Pages that GC moved, by the class of the unit that they leave.
    pub moved_from: ByClass,
    /// Pages that GC moved, by the class that the host's last write gave them.
    pub moved_of: ByClass,
    /// Units that GC collected.
    pub collected: ByClass,
    /// Pages that were superseded or trimmed, by the class of the unit that they lay in.
    pub died: ByClass,
    /// How long those had lived since the host wrote them, in its page writes, all together.
    pub lived: ByClass,
}

/// Pages by class, or by placement handle where classes belong to handles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassPages {
    /// Pages that the host wrote.
    pub written: Vec<u64>,
    /// Pages that GC moved, by the class that the host's last write gave them.
    pub copied: Vec<u64>,
}

impl ClassPages {
    /// The pages of a ledger by handle where classes belong to handles, otherwise by class.
    pub(super) fn of(ledger: &Ledger, handled: Option<&Handled>, classes: u8) -> Self {
        let classes = handled.map_or(classes.into(), |handled| handled.isolation.len());
        ClassPages {
            written: ledger.written[..classes].to_vec(),
            copied: ledger.moved_of[..classes].to_vec(),
        }
    }

    /// Both together. One of them may have no classes yet.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.with(other, |one, other| one + other)
    }

    /// What was counted since the counts were `then`, which may have no classes yet.
    #[must_use]
    pub fn since(&self, then: &Self) -> Self {
        self.with(then, |now, then| now - then)
    }

    fn with(&self, other: &Self, count: impl Fn(u64, u64) -> u64) -> Self {
        let both = |own: &[u64], other: &[u64]| {
            let of = |counts: &[u64], class| counts.get(class).copied().unwrap_or_default();
            let classes = 0..own.len().max(other.len());
            classes.map(|class| count(of(own, class), of(other, class))).collect()
        };
        ClassPages {
            written: both(&self.written, &other.written),
            copied: both(&self.copied, &other.copied),
        }
    }
}

/// The ledger of a separation, and its open units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// How many classes there are.
    pub count: u8,
    /// What was counted.
    pub ledger: Ledger,
    /// Pages with data that lie in units of each class.
    pub resident: Vec<u64>,
    /// Units of each class that are not erased.
    pub units: Vec<u64>,
    /// Erased pages of the open units of each class.
    pub room: Vec<u64>,
    /// How classes belong to placement handles.
    pub handled: Option<Handled>,
}

impl Classes {
    /// Those of the classes that there are.
    #[must_use]
    pub fn of(&self, all: &ByClass) -> Vec<u64> {
        all[..usize::from(self.count)].to_vec()
    }

    /// Pages by class so far, or by placement handle.
    #[must_use]
    pub fn pages(&self) -> ClassPages {
        ClassPages::of(&self.ledger, self.handled.as_ref(), self.count)
    }
}
