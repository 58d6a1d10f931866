//! What the writes of a generated workload say of themselves: placement handles and a lifetime, as fio's jobs do.

use crate::request::{Lifetime, Meta};
use crate::rng::Rng;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list of placement handles: `3`, or handles and ranges with colons or commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handles {
    /// As the user wrote it.
    text: String,
    handles: Vec<u16>,
}

crate::text_value!(Handles, "handles and ranges of them, such as 0:2-5");

const EXPECTED: &str = "handles and ranges of them up to 65535, such as 0:2-5";

impl Handles {
    /// The handles, in their order.
    #[must_use]
    pub fn list(&self) -> &[u16] {
        &self.handles
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut handles = Vec::new();
        for part in text.split([':', ',']) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last): (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
            if first > last || handles.len() > usize::from(u16::MAX) {
                return None;
            }
            handles.extend(first..=last);
        }
        Some(Self { text: text.into(), handles })
    }
}

impl Serialize for Handles {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Handles {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            One(u64),
            Several(String),
        }
        let text = match Written::deserialize(from)? {
            Written::One(handle) => handle.to_string(),
            Written::Several(text) => text,
        };
        Self::parse(&text).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&text), &EXPECTED))
    }
}

crate::choices! {
    /// Which of several handles a write takes.
    pub enum HandleSelect {
        /// Each in its turn.
        RoundRobin = "roundrobin",
        /// A random one.
        Random = "random",
    }
}

/// The attributes of the next write.
#[derive(Clone, Debug)]
pub(super) struct Hints {
    handles: Vec<u16>,
    select: HandleSelect,
    lifetime: Lifetime,
    next: usize,
    rng: Rng,
}

impl Hints {
    pub(super) fn new(
        handles: &[u16],
        select: HandleSelect,
        lifetime: Lifetime,
        seed: u64,
    ) -> Self {
        let rng = Rng::new(seed, "handles");
        Self { handles: handles.to_vec(), select, lifetime, next: 0, rng }
    }

    #[inline]
    pub(super) fn of_write(&mut self) -> Meta {
        Meta { handle: self.handle(), lifetime: self.lifetime, ..Meta::UNSET }
    }

    fn handle(&mut self) -> u16 {
        let at = match (self.handles.len(), self.select) {
            (0, _) => return 0,
            (count, HandleSelect::Random) => self.rng.below(count as u64) as usize,
            (count, HandleSelect::RoundRobin) => {
                let at = self.next;
                self.next = (at + 1) % count;
                at
            }
        };
        self.handles[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_read() {
        let handles = |text| Handles::parse(text).map(|handles| handles.handles);
        assert_eq!(handles("3"), Some(vec![3]));
        assert_eq!(handles("0:2-5:1"), Some(vec![0, 2, 3, 4, 5, 1]));
        assert_eq!(handles("0,2-3"), Some(vec![0, 2, 3]));
        for bad in ["", "a", "5-2", "65536", "1:", "0-65535:0-65535:0-65535"] {
            assert_eq!(handles(bad), None, "{bad}");
        }
    }

    #[test]
    fn handles_take_turns_or_are_drawn() {
        let taken = |select| {
            let mut hints = Hints::new(&[4, 9, 2], select, Lifetime::Short, 1);
            (0..3000).map(|_| hints.of_write().handle).collect::<Vec<_>>()
        };
        assert_eq!(taken(HandleSelect::RoundRobin)[..4], [4, 9, 2, 4]);
        let drawn = taken(HandleSelect::Random);
        for handle in [4, 9, 2] {
            let count = drawn.iter().filter(|one| **one == handle).count();
            assert!((900..1100).contains(&count), "{count} of {handle}");
        }
        let none = Hints::new(&[], HandleSelect::Random, Lifetime::Unset, 1).of_write();
        assert!(none.is_unset());
    }
}
