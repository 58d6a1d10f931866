//! Separation by what the host says: a class for each placement handle, as NVMe's Flexible Data Placement (FDP) and
//! its streams have it, or for each lifetime or initiator.
//!
//! Idea     the host knows which data die together. `handles.by` is what it says: a number for each request. A page
//!          of the host goes to the class of its number. What GC moves goes where `handles.isolation` says:
//!          ```text
//!          none         to the class that it leaves
//!          initial      to one class for what is moved out of all
//!          persistent   to a class for what is moved out of that one
//!          ```
//! RAM      nothing of its own.
//! Departs  a reclaim unit is a block in each plane, and an invalid handle counts as handle 0 (NVMe: DTYPE and PID that
//!          the device does not have).

use super::{Layout, Moved, Separation, SeparationDesign, Spec, Written};
use crate::placement::Class;
use crate::request::Meta;
use std::collections::BTreeMap;

crate::choices! {
    /// What of a request is its number.
    pub enum HandleBy {
        /// The placement handle, or write stream.
        Handle = "handle",
        /// The lifetime hint: 0 for unset to 5 for extreme, as Linux numbers them.
        Lifetime = "lifetime",
        /// The initiator, namespace or job.
        Initiator = "initiator",
    }
}

crate::choices! {
    /// Where pages go that GC moves.
    pub enum Isolation {
        /// To the class that they leave.
        None = "none",
        /// To one class for all that is moved: NVMe's initially isolated handles.
        Initial = "initial",
        /// To a class of the handle for what is moved: NVMe's persistently isolated handles.
        Persistent = "persistent",
    }
}

crate::settings! {
    /// Separation by handles.
    pub struct HandlesConfig in "handles" {
        /// What of a request is its number.
        by: HandleBy = HandleBy::Handle, laws HandleBy::ALL, source "NVMe 2.1, Flexible Data Placement";
        /// Numbers that have a class: from 0 to below this. Any other counts as 0.
        count: u32 = 8, in 1..=8, unit "handles", laws [1, 2, 4, 8], source "NVMe 2.1, Flexible Data Placement";
        /// Where pages go that GC moves.
        isolation: Isolation = Isolation::Initial, laws Isolation::ALL, source "NVMe 2.1, Flexible Data Placement";
    }
}

/// Separation by what the host says.
#[derive(Clone, Debug)]
pub struct Handles {
    by: HandleBy,
    isolation: Isolation,
    count: u8,
    /// Pages that the host wrote with a number that has no class, since counting began.
    invalid: u64,
}

impl Handles {
    /// The number of a request.
    fn number(&self, meta: Meta) -> u16 {
        match self.by {
            HandleBy::Handle => meta.handle,
            HandleBy::Lifetime => meta.lifetime.code().into(),
            HandleBy::Initiator => meta.initiator,
        }
    }
}

impl SeparationDesign for Handles {
    type Settings = HandlesConfig;

    const SPEC: Spec = Spec {
        name: "handles",
        summary: "a class for each placement handle, lifetime or initiator that the host names",
        source: "NVMe 2.1, Flexible Data Placement",
    };

    fn build(_layout: &Layout, own: HandlesConfig) -> Self {
        // At most eight.
        Handles { by: own.by, isolation: own.isolation, count: own.count as u8, invalid: 0 }
    }
}

impl Separation for Handles {
    fn classes(&self) -> u8 {
        let count = self.count;
        match self.isolation {
            Isolation::None => count,
            Isolation::Initial => count + 1,
            Isolation::Persistent => 2 * count,
        }
    }

    fn spread(&self) -> u8 {
        1
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn of_write(&mut self, page: Written) -> u8 {
        let number = self.number(page.meta);
        if number < u16::from(self.count) {
            return number as u8;
        }
        self.invalid += 1;
        0
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        let count = self.count;
        match self.isolation {
            Isolation::None => page.from,
            Isolation::Initial => count,
            Isolation::Persistent if page.from < count => count + page.from,
            Isolation::Persistent => page.from,
        }
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([("handles.invalid", self.invalid)])
    }

    fn reset_counts(&mut self) {
        self.invalid = 0;
    }
}

const _: () = assert!(2 * 8 <= Class::MOST, "classes for eight handles and what is moved of each");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Lifetime;
    use crate::units::Lpn;

    fn handles(by: HandleBy, isolation: Isolation) -> Handles {
        Handles::build(&Layout::of_pages(20), HandlesConfig { by, count: 4, isolation })
    }

    fn written(meta: Meta) -> Written {
        Written { meta, ..Written::of(Lpn(7), None) }
    }

    const META: Meta = Meta { handle: 3, initiator: 2, lifetime: Lifetime::None, ..Meta::UNSET };

    #[test]
    fn a_page_goes_to_the_class_of_what_the_host_says() {
        let class = |by| handles(by, Isolation::Initial).of_write(written(META));
        assert_eq!(
            [HandleBy::Handle, HandleBy::Lifetime, HandleBy::Initiator].map(class),
            [3, 1, 2]
        );
    }

    #[test]
    fn a_handle_that_the_device_does_not_have_is_the_default_one() {
        let mut four = handles(HandleBy::Handle, Isolation::Initial);
        assert_eq!(
            [3, 4, u16::MAX].map(|handle| four.of_write(written(Meta { handle, ..META }))),
            [3, 0, 0]
        );
        assert_eq!(four.counts()["handles.invalid"], 2);
    }

    #[test]
    fn isolation_says_where_pages_go_that_gc_moves() {
        let moved = |isolation, from| {
            handles(HandleBy::Handle, isolation).of_move(Moved::of(Lpn(7), from, 0))
        };
        assert_eq!([0, 3].map(|from| moved(Isolation::None, from)), [0, 3]);
        assert_eq!([0, 3, 4].map(|from| moved(Isolation::Initial, from)), [4, 4, 4]);
        assert_eq!([0, 3, 4, 7].map(|from| moved(Isolation::Persistent, from)), [4, 7, 4, 7]);
    }
}
