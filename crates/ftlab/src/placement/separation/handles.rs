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

use super::{
    Collected, EventKind, Events, Filled, HandleEvent, Layout, Left, Moved, Requested, Separation,
    SeparationDesign, Spec, Written,
};
use crate::error::Error;
use crate::placement::Class;
use crate::request::Meta;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};
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

/// The isolation of all handles, or of each: the names of [`Isolation`], with commas between.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Isolations(Vec<Isolation>);

crate::text_value!(Isolations, "none, initial or persistent, or a list of them with commas");

impl TryFrom<String> for Isolations {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let one = |name: &str| Isolation::ALL.iter().find(|one| one.name() == name.trim()).copied();
        let all: Option<Vec<Isolation>> = text.split(',').map(one).collect();
        all.map(Isolations).ok_or_else(|| {
            format!("found {text:?}, expected none, initial or persistent, or a list of them with commas")
        })
    }
}

impl From<Isolations> for String {
    fn from(isolations: Isolations) -> String {
        isolations.0.iter().map(|one| one.name()).collect::<Vec<_>>().join(",")
    }
}

impl From<Isolation> for Isolations {
    fn from(all: Isolation) -> Self {
        Isolations(vec![all])
    }
}

impl Isolations {
    /// What checks draw: each for all, and pairs, which two handles can have.
    fn drawn() -> Vec<Isolations> {
        let pairs =
            [Isolation::Persistent, Isolation::None].map(|one| vec![one, Isolation::Initial]);
        let alone = Isolation::ALL.iter().map(|one| Isolations::from(*one));
        alone.chain(pairs.map(Isolations)).collect()
    }

    /// That of each of `count` handles.
    fn of_each(&self, count: u32) -> Vec<Isolation> {
        (0..count as usize).map(|handle| self.0[handle % self.0.len()]).collect()
    }
}

crate::settings! {
    /// Separation by handles.
    pub struct HandlesConfig in "handles" {
        /// What of a request is its number.
        by: HandleBy = HandleBy::Handle, laws HandleBy::ALL, source "NVMe 2.1, Flexible Data Placement";
        /// Numbers that have a class: from 0 to below this. Any other counts as 0.
        count: u32 = 8, in 1..=8, unit "handles", laws [2, 4, 4, 8], source "NVMe 2.1, Flexible Data Placement";
        /// Where pages go that GC moves: `initial` to one class for all, `persistent` to a class of the handle, `none` to
        /// the class that they leave. A list with commas has one for each handle, and is repeated.
        isolation: Isolations = Isolation::Initial.into(), laws Isolations::drawn().as_slice(),
            source "NVMe 2.1, Flexible Data Placement";
    }
    check |own| {
        let found = own.isolation.0.len();
        if found <= own.count as usize {
            return Ok(());
        }
        let message = format!("found {found}, expected at most handles.count = {}", own.count);
        Err(Error::config("handles.isolation", message))
    }
}

/// How the classes of a separation belong to the placement handles of a drive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handled {
    /// The isolation of each handle.
    pub isolation: Vec<Isolation>,
    /// By class, the handle that owns its units; the number of handles where it is that of all initially isolated ones.
    pub owners: Vec<u8>,
    /// What happened to handles.
    pub events: Events,
    /// Times that the host moved a handle to a new unit.
    pub updates: u64,
    /// Pages of units that it left so that are not written.
    pub unwritten_pages: u64,
}

/// Separation by what the host says. Classes are the handles, then that of what GC moves of all initially isolated
/// ones, then those of what it moves of each persistently isolated one.
#[derive(Clone, Debug)]
pub struct Handles {
    by: HandleBy,
    /// How many handles there are.
    count: u8,
    /// By class, where GC moves its pages.
    moved_to: Vec<u8>,
    /// Classes that are a frontier from the start.
    ahead: u8,
    handled: Handled,
    /// Pages that the host wrote with a number that has no class, since counting began.
    invalid: u64,
    /// A request begins, and no page of it was invalid yet.
    is_new_request: bool,
    /// A victim is collected, and no page of it was moved yet.
    is_new_victim: bool,
    /// GC moves pages.
    is_moving: bool,
    /// When the host asked for the last request.
    time: Nanos,
}

impl Handles {
    /// Something happens to a handle.
    fn note(&mut self, kind: EventKind, handle: u16) {
        self.handled.events.note(HandleEvent { kind, handle, time: self.time });
    }

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
        let count = own.count as u8;
        let isolation = own.isolation.of_each(own.count);
        let shares = isolation.contains(&Isolation::Initial);
        let ahead = count + u8::from(shares);
        let shared = unless_bug!(HandlesOwnShared, count, 0);
        let mut owners: Vec<u8> = (0..count).chain(shares.then_some(shared)).collect();
        let mut moved_to = Vec::new();
        for (handle, isolation) in (0..count).zip(&isolation) {
            moved_to.push(match isolation {
                Isolation::None => handle,
                Isolation::Initial => unless_bug!(HandlesMixIsolations, count, handle),
                Isolation::Persistent => {
                    owners.push(handle);
                    unless_bug!(HandlesMixPersistent, owners.len() as u8 - 1, ahead)
                }
            });
        }
        // What was moved once stays where it is.
        moved_to.extend(count..owners.len() as u8);
        let handled = Handled { isolation, owners, ..Handled::default() };
        Handles {
            by: own.by,
            count,
            moved_to,
            ahead,
            handled,
            invalid: 0,
            is_new_request: false,
            is_new_victim: false,
            is_moving: false,
            time: 0,
        }
    }
}

impl Separation for Handles {
    fn classes(&self) -> u8 {
        self.moved_to.len() as u8
    }

    fn spread(&self) -> u8 {
        1
    }

    fn ahead(&self) -> u8 {
        self.ahead
    }

    fn uses_ages(&self) -> bool {
        false
    }

    fn requested(&mut self, request: Requested) {
        self.is_new_request = true;
        self.time = request.time;
    }

    /// NVMe refuses the update of a handle that the drive does not have.
    fn updated(&mut self, meta: Meta, time: Nanos) -> Option<u8> {
        let number = unless_bug!(UpdateOfAnother, self.number(meta), 0);
        if number >= u16::from(self.count) {
            return unless_bug!(UpdateOfInvalid, None, Some(0));
        }
        self.handled.updates += 1;
        // The host leaves the unit, whatever GC did before.
        self.is_moving = false;
        self.time = time;
        Some(number as u8)
    }

    fn left(&mut self, block: Left) {
        self.handled.unwritten_pages += u64::from(block.unwritten);
        unless_bug!(UpdateIsNoEvent, self.note(EventKind::NotFullyWritten, block.class.into()));
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.is_moving = false;
        let number = self.number(page.meta);
        if number < u16::from(self.count) {
            return number as u8;
        }
        self.invalid += 1;
        let is_new = std::mem::take(&mut self.is_new_request);
        let is_first = unless_bug!(HandlesInvalidByPage, is_new, true);
        if is_first {
            self.note(EventKind::InvalidPlacementIdentifier, number);
        }
        unless_bug!(HandlesInvalidIsLast, 0, self.count - 1)
    }

    fn collected(&mut self, _victim: Collected) {
        self.is_new_victim = true;
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        self.is_moving = true;
        let isolation = self.handled.isolation.get(usize::from(page.from));
        let was_new = std::mem::take(&mut self.is_new_victim);
        let is_first = unless_bug!(HandlesReallocateByPage, was_new, true);
        if is_first && isolation == Some(&Isolation::Initial) {
            self.note(EventKind::MediaReallocated, page.from.into());
        }
        self.moved_to[usize::from(page.from)]
    }

    fn filled(&mut self, Filled { class, .. }: Filled) {
        // The host fills the other units of handles that it names.
        if self.is_moving && class < self.count {
            self.note(EventKind::ImplicitlyModifiedHandle, class.into());
        }
    }

    fn handled(&self) -> Option<Handled> {
        Some(self.handled.clone())
    }

    fn counts(&self) -> BTreeMap<&'static str, u64> {
        BTreeMap::from([("handles.invalid", self.invalid)])
    }

    fn reset_counts(&mut self) {
        self.invalid = 0;
        let Handled { isolation, owners, .. } = std::mem::take(&mut self.handled);
        self.handled = Handled { isolation, owners, ..Handled::default() };
    }
}

const _: () = assert!(2 * 8 <= Class::MOST, "classes for eight handles and what is moved of each");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Lifetime;
    use crate::settings::Section;
    use crate::units::{Lpn, Pbn};

    fn handles(by: HandleBy, isolation: Isolation) -> Handles {
        let own = HandlesConfig { by, count: 4, isolation: isolation.into() };
        Handles::build(&Layout::of_pages(20), own)
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

    #[test]
    fn each_handle_may_have_an_isolation_of_its_own() {
        let isolation = String::from("persistent, initial,none,persistent").try_into();
        let isolation = isolation.expect("four isolations");
        let own = HandlesConfig { by: HandleBy::Handle, count: 4, isolation };
        let mut four = Handles::build(&Layout::of_pages(20), own);
        let moved = [0, 1, 2, 3, 4, 5, 6]
            .map(|from| four.of_move(Moved { lpn: Lpn(7), from, age: 0, rest: None }));
        assert_eq!(moved, [5, 4, 2, 6, 4, 5, 6]);
        let handled = four.handled().expect("it has handles");
        assert_eq!(handled.owners, [0, 1, 2, 3, 4, 0, 3]);
        assert_eq!((four.classes(), four.ahead()), (7, 5));
    }

    #[test]
    fn a_short_list_of_isolations_is_repeated() {
        let pair = Isolations(vec![Isolation::Persistent, Isolation::None]);
        let of_each = pair.of_each(3);
        assert_eq!(of_each, [Isolation::Persistent, Isolation::None, Isolation::Persistent]);
    }

    #[test]
    fn a_list_of_isolations_has_no_more_than_handles() {
        let of = |text: &str| Isolations::try_from(text.to_owned());
        let wrong = of("initial,sometimes").expect_err("no isolation");
        assert!(
            wrong.starts_with("found \"initial,sometimes\", expected none, initial"),
            "{wrong}"
        );
        let own = HandlesConfig {
            count: 4,
            isolation: of("initial,none,none,none,initial").expect("five"),
            ..HandlesConfig::default()
        };
        let wrong = own.check().expect_err("there are four handles").to_string();
        assert!(wrong.contains("handles.isolation: found 5, expected at most"), "{wrong}");
    }

    #[test]
    fn events_are_counted_by_request_and_by_unit() {
        let mut four = handles(HandleBy::Handle, Isolation::Initial);
        let request = Requested { first: Lpn(7), pages: 2, time: 0, stored: 0 };
        four.requested(request);
        let wrong = Meta { handle: 4, ..META };
        for _ in 0..2 {
            four.of_write(written(wrong));
        }
        for class in [1, 4, 2] {
            four.collected(Collected { block: Pbn(0), class, valid: 2, age: 0 });
            for lpn in [7, 8].map(Lpn) {
                four.of_move(Moved { lpn, from: class, age: 0, rest: None });
            }
        }
        let handled = four.handled().expect("it has handles");
        let count = |kind| handled.events.count(kind);
        assert_eq!(count(EventKind::InvalidPlacementIdentifier), 1, "two pages of a request");
        assert_eq!(
            count(EventKind::MediaReallocated),
            2,
            "what was moved before is in no unit of the host"
        );
        assert_eq!(four.counts()["handles.invalid"], 2);
    }

    #[test]
    fn a_unit_that_the_host_leaves_after_gc_is_not_one_that_gc_fills() {
        let mut four = handles(HandleBy::Handle, Isolation::Persistent);
        four.of_move(Moved { lpn: Lpn(7), from: 1, age: 0, rest: None });
        assert_eq!(four.updated(Meta { handle: 2, ..META }, 9), Some(2));
        four.filled(Filled { block: Pbn(0), class: 2 });
        four.left(Left { class: 2, unwritten: 3 });
        let events = four.handled().expect("it has handles").events;
        assert_eq!(events.count(EventKind::ImplicitlyModifiedHandle), 0);
        assert_eq!(events.count(EventKind::NotFullyWritten), 1);
    }
}
