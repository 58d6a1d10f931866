//! Where classes belong to placement handles, units hold what isolation lets them hold, and events and ledgers count what
//! happens.

use super::REQUESTS;
use super::case::{Case, between};
use super::traffic::Traffic;
use crate::flash::{Device, Owner};
use crate::ftl::demand::MapBlocks;
use crate::ftl::{Access, Ftl, MapPlace};
use crate::gc::{Copies, CopyBack};
use crate::placement::allocation::SINGLE;
use crate::placement::separation::{
    BuildSeparation, Classes, EventKind, Handled, Isolation, Layout,
};
use crate::request::{Flags, Lifetime, Meta, Op};
use crate::rng::Rng;
use crate::units::{Pbn, Ppn};

/// Numbers that the host names: those of all lifetimes.
const NUMBERS: u64 = 6;

pub fn units_keep_to_the_isolation_of_their_handles(case: &Case<'_>) {
    if !case.entry.spec.obeys("ftl.separation") {
        return;
    }
    let Some(case) = with_handles(case) else { return };
    let Ok((mut device, mut ftl)) = case.build() else { return };
    // What stays in RAM is written later, when the host may have said something else.
    if case.entry.spec.keeps_writes {
        return;
    }
    device.start_measuring();
    ftl.reset_metrics();
    let mut host = Host::new(&case, &device, &*ftl);
    for _ in 0..host.requests() {
        host.ask(ftl.as_mut(), &mut device);
        host.no_unit_mixes_what_is_isolated(&device);
        host.what_was_left_is_as_it_was(&device);
    }
    let classes = ftl.metrics().classes.expect("pages are separated");
    host.events_and_ledgers_are(&classes);
    if !ftl.accounts().regions && host.knows_left {
        let left: Vec<Pbn> = host.left.iter().map(|unit| unit.pbn).collect();
        open_units_have_the_room_that_is_told(&case, &classes, &device, &left);
    }
}

/// The case under a separation whose classes belong to handles, with settings that are drawn; `None` if there is none.
fn with_handles<'a>(case: &Case<'a>) -> Option<Case<'a>> {
    let mut config = case.config.clone();
    let rng = &mut Rng::new(case.seed(), "handles");
    let named = config.separations.iter().find(|named| match &named.build {
        BuildSeparation::Together | BuildSeparation::Copies => false,
        BuildSeparation::Classes(build) => build(&Layout::of_pages(1), &config.own)
            .is_ok_and(|separation| separation.handled().is_some()),
    })?;
    let (name, settings) = (named.spec.name, named.settings.clone());
    config.own.draw(&settings, rng);
    name.clone_into(&mut config.ftl.separation);
    config.gc.copies = Copies::Shared;
    config.ftl.map_blocks = MapBlocks::Own;
    config.device.blocks = Some(5000);
    let mut case = case.with(config);
    case.build().ok()?;
    let spare = between(rng, 0, 12);
    let least = case.least_blocks();
    case.config.device.blocks = Some(least + spare);
    Some(case)
}

/// What the host knows of its writes.
struct Host {
    rng: Rng,
    traffic: Traffic,
    isolation: Vec<Isolation>,
    /// The handle that each page was written with last.
    handles: Vec<usize>,
    written: Vec<u64>,
    invalid_requests: u64,
    updates: u64,
    /// Pages of a unit.
    unit: u64,
    /// Units that a handle fills at once: one in each plane where planes are filled by themselves.
    frontiers: u64,
    /// Units that updates left.
    left: Vec<Unit>,
    /// Whether these are all: an FTL need not say which class a block has.
    knows_left: bool,
}

/// A unit that takes no more pages.
#[derive(Debug, PartialEq, Eq)]
struct Unit {
    pbn: Pbn,
    erases: u32,
    written: u64,
}

impl Unit {
    fn of(pbn: Pbn, device: &Device) -> Self {
        let geometry = device.geometry();
        let first = geometry.first_page(pbn).0;
        let pages = (first..first + geometry.pages_per_block).map(Ppn);
        let written = pages.filter(|page| device.is_programmed(*page)).count() as u64;
        Unit { pbn, erases: device.erases_of(pbn), written }
    }
}

impl Host {
    fn new(case: &Case<'_>, device: &Device, ftl: &dyn Ftl) -> Self {
        let handled = ftl.metrics().classes.and_then(|classes| classes.handled);
        let isolation = handled.expect("classes belong to handles").isolation;
        let pages = device.geometry().logical_pages;
        let is_single = case.entry.adapted(&case.config).ftl.placement == SINGLE;
        Host {
            rng: Rng::new(case.seed(), "numbers"),
            traffic: Traffic::draw(case.seed(), pages),
            handles: vec![0; pages as usize],
            written: vec![0; isolation.len()],
            isolation,
            invalid_requests: 0,
            updates: 0,
            unit: u64::from(device.geometry().pages_per_block),
            frontiers: if is_single { 1 } else { u64::from(device.geometry().planes()) },
            left: Vec::new(),
            knows_left: true,
        }
    }

    fn requests(&mut self) -> u32 {
        between(&mut self.rng, 1, 10 * REQUESTS as u32)
    }

    /// A request with a number, whatever of it the device listens to.
    fn ask(&mut self, ftl: &mut dyn Ftl, device: &mut Device) {
        let (op, pages) = self.traffic.next();
        let number = self.rng.below(NUMBERS) as u16;
        let lifetime = Lifetime::of_code(number as u8).expect("the code of a lifetime");
        let is_update = self.rng.below(8) == 0;
        let flags = if is_update { Flags::UPDATE } else { Flags::default() };
        let meta = Meta { handle: number, initiator: number, lifetime, flags };
        if is_update && usize::from(number) < self.isolation.len() {
            self.updates += 1;
            if !ftl.accounts().regions {
                return self.update(meta, ftl, device);
            }
        }
        if matches!(op, Op::Write | Op::WriteThrough) {
            let is_valid = usize::from(number) < self.isolation.len();
            let handle = if is_valid { usize::from(number) } else { 0 };
            self.invalid_requests += u64::from(!is_valid && !pages.is_empty());
            self.written[handle] += pages.len() as u64;
            pages.iter().for_each(|lpn| self.handles[lpn.index()] = handle);
        }
        Access { op, pages: &pages, meta }.serve(ftl, device);
    }

    /// The host moves a handle to a new unit. The one that it fills takes no more pages, and the new one a whole unit of them.
    fn update(&mut self, meta: Meta, ftl: &mut dyn Ftl, device: &mut Device) {
        let handle = usize::from(meta.handle);
        let state = |ftl: &dyn Ftl| {
            let classes = ftl.metrics().classes.expect("pages are separated");
            let handled = classes.handled.expect("classes belong to handles");
            let left = handled.events.count(EventKind::NotFullyWritten);
            (classes.room, left, handled.unwritten_pages)
        };
        let (before, events, unwritten) = state(ftl);
        let open = self.partly_written(handle, ftl, device);
        let ledger = device.ledger().clone();
        Access { op: Op::Flush, pages: &[], meta }.serve(ftl, device);
        assert_eq!(*device.ledger(), ledger, "an update touches no page");
        let (after, now, unwritten_now) = state(ftl);
        let left = now - events;
        let whole = self.frontiers * self.unit;
        assert_eq!(after[handle], whole, "RUAMW of handle {handle} after Ftl::update_handle");
        assert_eq!(left > 0, before[handle] < whole, "units left by an update");
        let rest = before[handle] - (self.frontiers - left) * self.unit;
        assert_eq!(unwritten_now - unwritten, rest, "pages that an update leaves unwritten");
        self.knows_left &= open.len() as u64 >= left;
        self.left.extend(open.into_iter().map(|pbn| Unit::of(pbn, device)));
    }

    /// The blocks of a handle that take more pages, as far as it is known which are its own.
    fn partly_written(&self, handle: usize, ftl: &dyn Ftl, device: &Device) -> Vec<Pbn> {
        let blocks = (0..device.geometry().blocks()).map(Pbn);
        let owned = blocks.filter(|pbn| ftl.class_of(*pbn) == u8::try_from(handle).ok());
        owned.filter(|pbn| (1..self.unit).contains(&Unit::of(*pbn, device).written)).collect()
    }

    /// Units that updates left take no page before they are erased.
    fn what_was_left_is_as_it_was(&mut self, device: &Device) {
        self.left.retain(|unit| unit.erases == device.erases_of(unit.pbn));
        for unit in &self.left {
            assert_eq!(Unit::of(unit.pbn, device), *unit, "{} was left by an update", unit.pbn);
        }
    }

    /// A unit has pages of one handle, or of initially isolated ones alone.
    fn no_unit_mixes_what_is_isolated(&self, device: &Device) {
        let geometry = device.geometry();
        for pbn in (0..geometry.blocks()).map(Pbn).filter(|pbn| device.valid_in(*pbn) > 0) {
            let first = geometry.first_page(pbn).0;
            let pages = (first..first + geometry.pages_per_block).map(Ppn);
            let owners = pages.filter(|page| device.is_valid(*page));
            let handles: Vec<usize> = owners
                .filter_map(|page| match device.audit_owner(page) {
                    Some(Owner::Data(lpn)) => Some(self.handles[lpn.index()]),
                    _ => None,
                })
                .collect();
            let is_one = handles.iter().all(|handle| *handle == handles[0]);
            let may_mix = handles.iter().all(|one| self.isolation[*one] == Isolation::Initial);
            assert!(is_one || may_mix, "{pbn} has pages of handles {handles:?}");
        }
    }

    fn events_and_ledgers_are(&self, classes: &Classes) {
        let handled: &Handled = classes.handled.as_ref().expect("classes belong to handles");
        let ledger = &classes.ledger;
        let count = self.isolation.len();
        assert_eq!(ledger.written[..count], self.written, "pages of the host by handle");
        let events = |kind| handled.events.count(kind);
        let invalid = events(EventKind::InvalidPlacementIdentifier);
        assert_eq!(invalid, self.invalid_requests, "requests with no handle");
        assert_eq!(handled.updates, self.updates, "updates of handles");
        if !self.isolation.contains(&Isolation::None) {
            let modified = events(EventKind::ImplicitlyModifiedHandle);
            assert_eq!(modified, 0, "isolated units that GC filled");
        }
        let mut units = 0;
        for (handle, isolation) in self.isolation.iter().enumerate() {
            if *isolation != Isolation::None {
                assert_eq!(ledger.moved_to[handle], 0, "copies among fresh pages of {handle}");
            }
            if *isolation == Isolation::Initial {
                units += ledger.collected[handle];
            }
        }
        let reallocated = events(EventKind::MediaReallocated);
        assert!(reallocated <= units, "units of the host that were reallocated");
        let [from, of] = [&ledger.moved_from, &ledger.moved_of].map(|counts| {
            let isolated = |handle: &usize| self.isolation[*handle] != Isolation::Initial;
            let owned = |handle: usize| -> u64 {
                let classes = handled.owners.iter().enumerate();
                classes
                    .filter(|(_, owner)| usize::from(**owner) == handle)
                    .map(|(class, _)| counts[class])
                    .sum()
            };
            (0..count).filter(isolated).map(owned).collect::<Vec<_>>()
        });
        assert_eq!(from, of, "copies of handles whose units have no pages of others");
    }
}

/// RUAMW: partly filled units of the host and of GC have as many erased pages as the FTL reports, where it has one of each
/// class and no other.
fn open_units_have_the_room_that_is_told(
    case: &Case<'_>,
    classes: &Classes,
    device: &Device,
    left: &[Pbn],
) {
    let geometry = device.geometry();
    let config = case.entry.adapted(&case.config);
    let has_map = case.entry.spec.map == MapPlace::Flash;
    let is_exact = config.ftl.placement == SINGLE && config.gc.copy_back() == CopyBack::Off;
    if has_map || !is_exact {
        return;
    }
    let pages = u64::from(geometry.pages_per_block);
    let told: u64 = classes.room.iter().filter(|room| **room < pages).sum();
    let erased = |pbn: Pbn| {
        let first = geometry.first_page(pbn).0;
        let end = first + geometry.pages_per_block;
        (first..end).filter(|page| !device.is_programmed(Ppn(*page))).count() as u64
    };
    let blocks = (0..geometry.blocks()).map(Pbn);
    let blocks = blocks.filter(|pbn| !device.is_erased(*pbn) && !left.contains(pbn));
    assert_eq!(told, blocks.map(erased).sum::<u64>(), "erased pages of open units");
}
