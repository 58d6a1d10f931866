//! What a separation hears is what happens.
//!
//! It hears of each page that the host writes, with its age and what the host says of the request. It hears of each
//! page that GC moves, with the class that it gave that page before. It hears of each block of user pages that GC
//! collects.

use super::REQUESTS;
use super::case::{Case, between};
use super::traffic::Traffic;
use crate::flash::Device;
use crate::ftl::demand::MapBlocks;
use crate::ftl::{Access, Ftl};
use crate::gc::Copies;
use crate::named::{Named, Spec};
use crate::partial::Cover;
use crate::placement::separation::{
    BuildSeparation, Collected, Moved, Requested, Separation, Written,
};
use crate::request::{Meta, Op};
use crate::rng::Rng;
use crate::units::{Lpn, Pbn, Ppn};
use std::sync::{Arc, Mutex, PoisonError};

const CLASSES: u8 = 4;
const NAME: &str = "heard";

/// What a separation heard.
#[derive(Clone, Copy, Debug)]
enum Event {
    Written(Written),
    Moved(Moved),
    Collected(Collected),
    Trimmed(Lpn),
    Requested(Requested),
    Filled(u8),
}

type Events = Arc<Mutex<Vec<Event>>>;

/// A separation that notes what it hears.
#[derive(Clone, Debug)]
struct Hears(Events);

/// The class of a page at an age, without a pattern.
fn class(lpn: Lpn, age: u32) -> u8 {
    (lpn.0.wrapping_mul(7) ^ age.wrapping_mul(0x9E37_79B9) >> 29) as u8 % CLASSES
}

impl Hears {
    fn note(&self, event: Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}

impl Separation for Hears {
    fn classes(&self) -> u8 {
        CLASSES
    }

    fn of_write(&mut self, page: Written) -> u8 {
        self.note(Event::Written(page));
        class(page.lpn, page.age.unwrap_or_default())
    }

    fn of_move(&mut self, page: Moved) -> u8 {
        self.note(Event::Moved(page));
        class(page.lpn, page.age)
    }

    fn collected(&mut self, victim: Collected) {
        self.note(Event::Collected(victim));
    }

    fn trimmed(&mut self, lpn: Lpn) {
        self.note(Event::Trimmed(lpn));
    }

    fn requested(&mut self, request: Requested) {
        self.note(Event::Requested(request));
    }

    fn filled(&mut self, class: u8) {
        self.note(Event::Filled(class));
    }
}

pub fn a_separation_hears_what_happens(case: &Case<'_>) {
    if case.entry.spec.obeys("ftl.separation") {
        each_page_is_heard_as_it_is_written(case);
        what_the_host_says_outlasts_ram(case);
    }
}

/// The case under a separation that notes what it hears.
fn hearing<'a>(case: &Case<'a>, events: &Events) -> Case<'a> {
    let hears = Hears(events.clone());
    let spec = Spec { name: NAME, summary: "notes what it hears", source: "a law" };
    let build = BuildSeparation::Classes(Arc::new(move |_, _| {
        Ok(Box::new(hears.clone()) as Box<dyn Separation>)
    }));
    let mut config = case.config.clone();
    config.separations = config.separations.with(Named::new::<()>(spec, build));
    NAME.clone_into(&mut config.ftl.separation);
    config.gc.copies = Copies::Shared;
    config.ftl.map_blocks = MapBlocks::Own;
    // Room for the open blocks of all classes in each plane.
    let planes = config.device.channels
        * config.device.chips_per_channel
        * config.device.dies_per_chip
        * config.device.planes_per_die;
    config.device.blocks =
        config.device.blocks.map(|blocks| blocks + 2 * u32::from(CLASSES) * planes);
    case.with(config)
}

/// Requests, each with a handle.
struct Asked {
    rng: Rng,
    traffic: Traffic,
    left: u32,
}

impl Asked {
    fn of(case: &Case<'_>, device: &Device) -> Self {
        let mut rng = Rng::new(case.seed(), "classes");
        let left = between(&mut rng, 1, 10 * REQUESTS as u32);
        Asked { rng, traffic: Traffic::draw(case.seed(), device.geometry().logical_pages), left }
    }

    fn next(&mut self) -> Option<(Op, Vec<Lpn>, Meta)> {
        self.left = self.left.checked_sub(1)?;
        let (op, pages) = self.traffic.next();
        let handle = self.rng.below(1 + u64::from(u16::MAX)) as u16;
        Some((op, pages, Meta { handle, ..Meta::UNSET }))
    }
}

fn each_page_is_heard_as_it_is_written(case: &Case<'_>) {
    let events = Events::default();
    let case = hearing(case, &events);
    let Ok((mut device, mut ftl)) = case.build() else { return };
    // What stays in RAM is written later, in an order of the FTL's own.
    if ftl.keeps_writes() {
        return;
    }
    device.start_measuring();
    ftl.reset_metrics();
    let mut expected = Expected::new(&case, &device, events);
    let mut asked = Asked::of(&case, &device);
    while let Some((op, pages, meta)) = asked.next() {
        let access = Access { op, pages: &pages, meta };
        access.serve(&mut ftl, &mut device);
        expected.heard(access);
    }
    ftl.audit(&device);
    let gc = ftl.metrics().gc.expect("what separates pages collects blocks").counts;
    assert_eq!(expected.collected, gc.data_blocks, "each block of user pages that is collected");
    let full = user_blocks(&device).filter(|pbn| device.is_full(*pbn)).count() as u64;
    assert_eq!(expected.filled, expected.collected + full, "blocks of user pages that became full");
}

/// The blocks without translation pages.
fn user_blocks(device: &Device) -> impl Iterator<Item = Pbn> {
    let geometry = device.geometry();
    let is_of_map = |pbn: &Pbn| {
        let first = geometry.first_page(*pbn).0;
        (first..first + geometry.pages_per_block).map(Ppn).any(|page| {
            device.is_programmed(page) && !device.is_skipped(page) && device.is_of_map(page)
        })
    };
    (0..geometry.blocks()).map(Pbn).filter(move |pbn| !is_of_map(pbn))
}

/// A page leaves RAM with what the host said when it wrote it last, in a buffer above the FTL or in its own.
fn what_the_host_says_outlasts_ram(case: &Case<'_>) {
    let events = Events::default();
    let case = hearing(case, &events);
    let Ok((mut device, mut ftl)) = case.build() else { return };
    // Of two buffers the lower one may hold what the host said before.
    let mut buffer = match ftl.keeps_writes() {
        true => None,
        false => case.buffer(&device, ftl.as_ref()),
    };
    let mut said = vec![Meta::UNSET; device.geometry().logical_pages as usize];
    let mut asked = Asked::of(&case, &device);
    while let Some((op, pages, meta)) = asked.next() {
        let before = said.clone();
        let is_write = matches!(op, Op::Write | Op::WriteThrough);
        if is_write {
            pages.iter().for_each(|lpn| said[lpn.index()] = meta);
        }
        let access = Access { op, pages: &pages, meta };
        match &mut buffer {
            Some(buffer) => buffer.serve(access, Cover::WHOLE, ftl.as_mut(), &mut device),
            None => access.serve(ftl.as_mut(), &mut device),
        }
        let events = taken(&events);
        // A page that completes a group goes where the group goes.
        if buffer.as_ref().is_some_and(|buffer| buffer.counts().padded_pages > 0) {
            return;
        }
        // Groups of a buffer are requests, too.
        let is_asked = |lpn: Lpn| buffer.is_some() || is_write && pages.contains(&lpn);
        let whole = (pages.first().copied(), pages.len() as u32);
        let mut told = None;
        for event in events {
            if let Event::Requested(Requested { first, pages: count, .. }) = event {
                let is_whole = buffer.is_some() || whole == (Some(first), count);
                assert!(is_whole || count == 1, "{count} pages from {first} are no request");
                told = Some(first);
            }
            if let Event::Written(Written { lpn, meta, .. }) = event {
                let is_told = told == Some(lpn) || is_asked(lpn);
                assert!(is_told, "{lpn} is written, and no request of it is heard");
                // A page may leave for lack of room before the request writes it again.
                let either = [before[lpn.index()], said[lpn.index()]];
                assert!(
                    either.contains(&meta),
                    "{lpn} with {meta:?}, of which the host said {either:?}"
                );
            }
        }
    }
}

fn taken(events: &Events) -> Vec<Event> {
    std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What must have been heard.
struct Expected {
    events: Events,
    /// Pages that the host wrote.
    now: u32,
    /// When a page that holds data was written, and its class.
    pages: Vec<Option<(u32, u8)>>,
    /// GC is done at the time of the write before it, as where it starts by garbage.
    is_volume: bool,
    /// The class of the block that is being collected.
    from: Option<u8>,
    collected: u64,
    /// Blocks that became full.
    filled: u64,
}

impl Expected {
    fn new(case: &Case<'_>, device: &Device, events: Events) -> Self {
        let pages = vec![None; device.geometry().logical_pages as usize];
        let is_volume = case.is_volume();
        Expected { events, now: 0, pages, is_volume, from: None, collected: 0, filled: 0 }
    }

    /// Compares what was heard during a request.
    fn heard(&mut self, Access { op, pages, meta }: Access<'_>) {
        let events = taken(&self.events);
        let is_write = matches!(op, Op::Write | Op::WriteThrough);
        let mut due = pages.iter().copied();
        // A page that is being written becomes the newest when its place is found.
        let mut writes = None;
        let mut requests = 0;
        for event in events {
            match event {
                Event::Written(written) => {
                    self.commit(writes.take());
                    assert!(is_write, "{written:?} when the host asks to {op:?}");
                    assert_eq!(Some(written.lpn), due.next(), "the next page of the request");
                    assert_eq!(written.meta, meta, "what the host says of the request");
                    let age = self.pages[written.lpn.index()].map(|(then, _)| self.now - then);
                    assert_eq!(written.age, age, "the age of {} when it is written", written.lpn);
                    writes = Some((written.lpn, class(written.lpn, age.unwrap_or_default())));
                }
                Event::Moved(moved) => {
                    // GC makes room for the page that is being written, or for the map after it.
                    if !self.is_aged(moved) {
                        self.commit(writes.take());
                    }
                    self.moved(moved);
                }
                Event::Collected(victim) => {
                    self.collected += 1;
                    self.from = Some(victim.class);
                    let written = self.now + u32::from(writes.is_some());
                    assert!(victim.age <= written, "{victim:?} after {written} pages");
                }
                Event::Requested(Requested { first, pages: count, valid, .. }) => {
                    self.commit(writes.take());
                    requests += 1;
                    let asked = (pages.first().copied(), pages.len() as u32);
                    assert_eq!((Some(first), count), asked, "the pages of the request");
                    let with_data = self.pages.iter().flatten().count() as u32;
                    assert_eq!(valid, with_data, "pages with data");
                }
                Event::Filled(class) => {
                    self.filled += 1;
                    assert!(class < CLASSES, "a block of class {class} is full");
                }
                Event::Trimmed(lpn) => {
                    assert!(op == Op::Trim && pages.contains(&lpn), "{lpn}, which is not trimmed");
                    self.pages[lpn.index()] = None;
                }
            }
        }
        self.commit(writes);
        match op {
            Op::Write | Op::WriteThrough => {
                assert_eq!(due.next(), None, "every page that the host writes has a class");
                assert_eq!(requests, u32::from(!pages.is_empty()), "each request is heard once");
            }
            Op::Trim => {
                let left = pages.iter().find(|lpn| self.pages[lpn.index()].is_some());
                assert_eq!(left, None, "every page with data that is trimmed is heard of");
            }
            Op::Read | Op::Flush => {}
        }
    }

    fn commit(&mut self, written: Option<(Lpn, u8)>) {
        if let Some((lpn, class)) = written {
            self.pages[lpn.index()] = Some((self.now, class));
            self.now += 1;
        }
    }

    fn is_aged(&self, moved: Moved) -> bool {
        self.pages[moved.lpn.index()]
            .is_some_and(|(then, _)| moved.age + then + u32::from(self.is_volume) == self.now)
    }

    fn moved(&mut self, moved: Moved) {
        let (then, old) = self.pages[moved.lpn.index()].expect("what is moved holds data");
        assert_eq!(Some(moved.from), self.from, "{} leaves the block that is collected", moved.lpn);
        assert_eq!(moved.from, old, "{} is in a block of its class", moved.lpn);
        assert!(self.is_aged(moved), "{moved:?} at {}, written at {then}", self.now);
        self.pages[moved.lpn.index()] = Some((then, class(moved.lpn, moved.age)));
    }
}
