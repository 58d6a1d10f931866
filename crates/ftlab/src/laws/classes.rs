//! What a separation hears is what happens.
//!
//! It hears of each page that the host writes, with its age and what the host says of the request. It hears of each
//! page that GC moves, with the class that it gave that page before. It hears of each block of user pages that GC
//! collects, and where each page lies.

use super::REQUESTS;
use super::case::{Case, between};
use super::traffic::Traffic;
use crate::flash::{Device, Future};
use crate::ftl::demand::MapBlocks;
use crate::ftl::{Access, Ftl};
use crate::gc::{Copies, CopyBack};
use crate::named::{Named, Spec};
use crate::partial::Cover;
use crate::placement::separation::{
    BuildSeparation, Collected, Filled, Lying, Moved, Requested, Separation, Written,
};
use crate::request::{Meta, Op};
use crate::rng::Rng;
use crate::units::{Lpn, Pbn, Ppn};
use std::collections::BTreeMap;
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
    Filled(Filled),
    Placed(Lying, bool),
    Died(Lying),
}

type Events = Arc<Mutex<Vec<Event>>>;

/// A separation that notes what it hears.
#[derive(Clone, Debug)]
struct Hears {
    events: Events,
    asks_for_future: bool,
}

/// The class of a page at an age, without a pattern.
fn class(lpn: Lpn, age: u32) -> u8 {
    (lpn.0.wrapping_mul(7) ^ age.wrapping_mul(0x9E37_79B9) >> 29) as u8 % CLASSES
}

impl Hears {
    fn note(&self, event: Event) {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).push(event);
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

    fn filled(&mut self, block: Filled) {
        self.note(Event::Filled(block));
    }

    fn watches_blocks(&self) -> bool {
        true
    }

    fn asks_for_future(&self) -> bool {
        self.asks_for_future
    }

    fn placed(&mut self, page: Lying, is_moved: bool) {
        self.note(Event::Placed(page, is_moved));
    }

    fn died(&mut self, page: Lying) {
        self.note(Event::Died(page));
    }
}

pub fn a_separation_hears_what_happens(case: &Case<'_>) {
    if case.entry.spec.obeys("ftl.separation") {
        each_page_is_heard_as_it_is_written(case);
        what_the_host_says_outlasts_ram(case);
        what_an_oracle_knows_comes_true(case);
    }
}

/// The case under a separation that notes what it hears.
fn hearing<'a>(case: &Case<'a>, events: &Events, asks_for_future: bool) -> Case<'a> {
    let hears = Hears { events: events.clone(), asks_for_future };
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
    let case = hearing(case, &events, false);
    let Ok((mut device, mut ftl)) = case.build() else { return };
    // What stays in RAM is written later, in an order of the FTL's own. Zones that are no blocks have numbers of their own.
    if case.entry.spec.keeps_writes || ftl.accounts().regions {
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
        expected.as_many_pages_lie_in_a_block_as_were_placed(&device);
    }
    ftl.audit(&device);
    let gc = ftl.metrics().gc.expect("what separates pages collects blocks").counts;
    assert_eq!(expected.collected, gc.data_blocks, "each block of user pages that is collected");
    let classes = ftl.metrics().classes.expect("FtlMetrics has the classes of a separation");
    let ledger = &classes.ledger;
    let found = [&ledger.written, &ledger.moved_from, &ledger.moved_of, &ledger.moved_to]
        .map(|counts| classes.of(counts));
    let ended = [&ledger.died, &ledger.lived].map(|counts| classes.of(counts));
    assert_eq!(
        ended,
        [&expected.died, &expected.lived].map(Clone::clone),
        "deaths and lives by class"
    );
    assert_eq!(classes.resident, expected.resident(), "pages with data in each class");
    for class in 0..usize::from(CLASSES) {
        let came = found[0][class] + found[3][class];
        let went = found[1][class] + ended[0][class];
        assert_eq!(classes.resident[class] + went, came, "what lies in class {class}");
    }
    assert_eq!(found[0], expected.written, "pages that the host wrote, by class");
    assert_eq!(found[1], expected.moved_from, "pages that GC moved, by the class that they left");
    assert_eq!(
        found[2], expected.moved_of,
        "pages that GC moved, by the class of their last write"
    );
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
    let case = hearing(case, &events, false);
    let Ok((mut device, mut ftl)) = case.build() else { return };
    // Of two buffers the lower one may hold what the host said before.
    let mut buffer = match case.entry.spec.keeps_writes {
        true => None,
        false => case.buffer(&device),
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

/// What is known of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// When it was opened.
    opened: i64,
    is_full: bool,
    /// Pages that were placed there, and those of them that are not superseded.
    placed: u32,
    left: u32,
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
    /// GC may waste pages, to keep parity.
    wastes: bool,
    /// The block that is being collected, and its class.
    from: Option<(Pbn, u8)>,
    collected: u64,
    /// Blocks that became full.
    filled: u64,
    blocks: BTreeMap<Pbn, Block>,
    /// When the open block of each class was opened, in a volume.
    opened: [i64; CLASSES as usize],
    /// Whether GC placed the last page.
    is_by_gc: bool,
    /// Where pages lie.
    places: Vec<Option<Lying>>,
    /// Pages in use without the garbage of full blocks, and without those that the request has written.
    stored: i64,
    /// The class of the last write of each page.
    last: Vec<u8>,
    /// By class: pages that the host wrote, and that GC moved.
    written: Vec<u64>,
    moved_from: Vec<u64>,
    moved_of: Vec<u64>,
    /// Pages that died, and how long they had lived.
    died: Vec<u64>,
    lived: Vec<u64>,
}

impl Expected {
    fn new(case: &Case<'_>, device: &Device, events: Events) -> Self {
        let pages = vec![None; device.geometry().logical_pages as usize];
        let counts = || vec![0; usize::from(CLASSES)];
        Expected {
            last: vec![0; pages.len()],
            written: counts(),
            moved_from: counts(),
            moved_of: counts(),
            died: counts(),
            lived: counts(),
            places: vec![None; pages.len()],
            events,
            now: 0,
            pages,
            is_volume: case.is_volume(),
            wastes: case.config.gc.copy_back() != CopyBack::Off,
            from: None,
            collected: 0,
            filled: 0,
            blocks: BTreeMap::new(),
            opened: [-1; CLASSES as usize],
            is_by_gc: false,
            stored: 0,
        }
    }

    fn as_many_pages_lie_in_a_block_as_were_placed(&mut self, device: &Device) {
        for pbn in user_blocks(device) {
            let left = self.blocks.get(&pbn).map_or(0, |block| block.left);
            assert_eq!(left, device.valid_in(pbn), "pages that lie in {pbn}");
        }
        let stored = |pbn| match device.is_full(pbn) {
            true => device.valid_in(pbn),
            false => device.programmed_in(pbn),
        };
        self.stored = user_blocks(device).map(|pbn| i64::from(stored(pbn))).sum();
    }

    /// The time of GC, and of what it places.
    fn at_gc(&self) -> i64 {
        i64::from(self.now) - i64::from(self.is_volume)
    }

    fn block(&mut self, pbn: Pbn) -> &mut Block {
        self.blocks.entry(pbn).or_default()
    }

    /// Compares what was heard during a request.
    fn heard(&mut self, Access { op, pages, meta }: Access<'_>) {
        let events = taken(&self.events);
        let is_write = matches!(op, Op::Write | Op::WriteThrough);
        let mut due = pages.iter().copied();
        // A page that is being written becomes the newest when it is placed.
        let mut writes = None;
        let mut requests = 0;
        for event in events {
            match event {
                Event::Written(written) => {
                    assert!(is_write, "{written:?} when the host asks to {op:?}");
                    assert_eq!(Some(written.lpn), due.next(), "the next page of the request");
                    assert_eq!(written.meta, meta, "what the host says of the request");
                    let age = self.pages[written.lpn.index()].map(|(then, _)| self.now - then);
                    assert_eq!(written.age, age, "the age of {} when it is written", written.lpn);
                    self.stored_without(written);
                    writes = Some((written.lpn, class(written.lpn, age.unwrap_or_default())));
                }
                Event::Moved(moved) => self.moved(moved),
                Event::Collected(victim) => self.collect(victim),
                Event::Requested(Requested { first, pages: count, stored, .. }) => {
                    requests += 1;
                    let asked = (pages.first().copied(), pages.len() as u32);
                    assert_eq!((Some(first), count), asked, "the pages of the request");
                    // GC may have made room for the map first.
                    let expected = self.stored;
                    assert!(
                        self.wastes || i64::from(stored) == expected,
                        "{stored} of {expected} in use"
                    );
                }
                Event::Filled(block) => self.fill(block),
                Event::Died(lying) => self.die(lying),
                Event::Placed(lying, is_moved) => {
                    self.place(lying, is_moved);
                    if !is_moved {
                        let (lpn, class) = writes.take().expect("a page that is written");
                        assert_eq!(
                            (lpn, class),
                            (lying.lpn, lying.class),
                            "the page and its class"
                        );
                        self.pages[lpn.index()] = Some((self.now, class));
                        self.last[lpn.index()] = class;
                        self.written[usize::from(class)] += 1;
                        self.now += 1;
                    }
                }
                Event::Trimmed(lpn) => {
                    assert!(op == Op::Trim && pages.contains(&lpn), "{lpn}, which is not trimmed");
                    self.pages[lpn.index()] = None;
                }
            }
        }
        assert_eq!(writes, None, "what is written is placed");
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

    /// Compares the pages in use once the old version of a page is superseded.
    fn stored_without(&mut self, written: Written) {
        let old = self.places[written.lpn.index()].map(|lying| lying.block);
        let is_garbage = old.is_some_and(|block| self.block(block).is_full);
        let stored = self.stored - i64::from(is_garbage);
        assert!(
            self.wastes || i64::from(written.stored) == stored,
            "{written:?}: {stored} pages in use"
        );
    }

    /// Pages with data by class.
    fn resident(&self) -> Vec<u64> {
        let mut resident = vec![0; usize::from(CLASSES)];
        self.places.iter().flatten().for_each(|lying| resident[usize::from(lying.class)] += 1);
        resident
    }

    fn die(&mut self, lying: Lying) {
        let (then, _) = self.pages[lying.lpn.index()].expect("what dies was written");
        self.died[usize::from(lying.class)] += 1;
        self.lived[usize::from(lying.class)] += u64::from(self.now - then);
        let before = self.places[lying.lpn.index()].take();
        assert_eq!(before, Some(lying), "where a page lay that was superseded");
        let block = self.block(lying.block);
        block.left -= 1;
        self.stored -= i64::from(block.is_full);
    }

    fn place(&mut self, lying: Lying, is_moved: bool) {
        let before = self.places[lying.lpn.index()].replace(lying);
        assert!(before.is_none(), "{lying:?} has two versions: {before:?}");
        let now = if is_moved { self.at_gc() } else { i64::from(self.now) };
        let opened = if self.is_volume { self.opened[usize::from(lying.class)] } else { now };
        let block = self.block(lying.block);
        if block.placed == 0 {
            block.opened = opened;
        }
        block.placed += 1;
        block.left += 1;
        self.stored += i64::from(is_moved);
        self.is_by_gc = is_moved;
    }

    fn fill(&mut self, Filled { block, class }: Filled) {
        self.filled += 1;
        assert!(class < CLASSES, "{block} of class {class} is full");
        // The write that fills a block is counted when it is placed.
        let now = if self.is_by_gc { self.at_gc() } else { i64::from(self.now) - 1 };
        self.opened[usize::from(class)] = now;
        let filled = self.block(block);
        filled.is_full = true;
        self.stored -= i64::from(filled.placed - filled.left);
    }

    fn collect(&mut self, victim: Collected) {
        self.collected += 1;
        self.from = Some((victim.block, victim.class));
        let now = self.at_gc();
        let block = std::mem::take(self.block(victim.block));
        assert_eq!(victim.valid, block.left, "pages in {victim:?}");
        assert_eq!(i64::from(victim.age), now - block.opened, "the age of {victim:?}");
        self.stored -= i64::from(if block.is_full { block.left } else { block.placed });
    }

    fn moved(&mut self, moved: Moved) {
        let (then, old) = self.pages[moved.lpn.index()].expect("what is moved holds data");
        let place = self.places[moved.lpn.index()].take();
        let from = place.map(|lying| (lying.block, moved.from));
        assert_eq!(from, self.from, "{} leaves the block that is collected", moved.lpn);
        assert_eq!(moved.from, old, "{} is in a block of its class", moved.lpn);
        let age = self.at_gc() - i64::from(then);
        assert_eq!(i64::from(moved.age), age, "{moved:?}, written at {then}");
        self.places[moved.lpn.index()] = None;
        self.moved_from[usize::from(moved.from)] += 1;
        self.moved_of[usize::from(self.last[moved.lpn.index()])] += 1;
        self.pages[moved.lpn.index()] = Some((then, class(moved.lpn, moved.age)));
    }
}

/// The case under a separation that asks for the future, on a device of its own. What it hears is noted.
fn told_of_the_future(
    case: &Case<'_>,
    asked: &[(Op, Vec<Lpn>, Meta)],
    noted: Option<&Future>,
) -> Option<(Future, Vec<Event>)> {
    let events = Events::default();
    let case = hearing(case, &events, true);
    let (mut device, mut ftl) = case.build().ok()?;
    let future = device.future()?.clone();
    match noted {
        Some(noted) => future.learn(noted),
        None => future.note(),
    }
    for (op, pages, meta) in asked {
        Access { op: *op, pages, meta: *meta }.serve(&mut ftl, &mut device);
    }
    Some((future, taken(&events)))
}

/// An oracle knows when a page is written again or trimmed: in a second run, what the first one did.
fn what_an_oracle_knows_comes_true(case: &Case<'_>) {
    let events = Events::default();
    let Ok((device, _)) = hearing(case, &events, true).build() else { return };
    // What stays in RAM is written later, in an order of the FTL's own.
    if case.entry.spec.keeps_writes {
        return;
    }
    let mut asked = Asked::of(case, &device);
    let requests: Vec<_> = std::iter::from_fn(|| asked.next()).collect();
    let (noted, first) = told_of_the_future(case, &requests, None).expect("it was built");
    let (_, second) = told_of_the_future(case, &requests, Some(&noted)).expect("it was built");
    let is_told = |event: &Event| match event {
        Event::Written(page) => page.rest.is_some(),
        Event::Moved(page) => page.rest.is_some(),
        _ => false,
    };
    assert!(!first.iter().any(is_told), "nobody knows the future in a first run");
    // Backwards: the number of the write before which a page dies.
    let written = second.iter().filter(|event| matches!(event, Event::Written(_))).count();
    let (mut now, mut deaths) = (written as u32, BTreeMap::new());
    let in_volume = u32::from(case.is_volume());
    // GC may make room for a page that is announced: its write does not count yet.
    let mut announced = 0;
    for event in second.iter().rev() {
        match event {
            Event::Placed(_, false) => announced = 1,
            Event::Written(page) => {
                now -= 1;
                announced = 0;
                let rest = deaths.insert(page.lpn, now).map(|death| death - now);
                assert_eq!(page.rest, rest, "what is left of {page:?}, write {now}");
            }
            Event::Trimmed(lpn) => {
                deaths.insert(*lpn, now);
            }
            Event::Moved(page) => {
                let at = now - announced - in_volume;
                let rest = deaths.get(&page.lpn).map(|death| death - at);
                assert_eq!(page.rest, rest, "what is left of {page:?} at write {at}");
            }
            _ => {}
        }
    }
}
