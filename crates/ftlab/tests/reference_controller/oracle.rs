//! The rules of the reference controller, written down once more and as plainly as they can be said.

use crate::generator::{Step, UPDATE};
use std::collections::{BTreeMap, VecDeque};

/// Where GC moves the pages of a handle's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// To the unit that the host fills.
    Same,
    /// To the unit of all such handles.
    Ii,
    /// To a unit of the handle.
    Pi,
}

/// A controller.
#[derive(Clone, Debug)]
pub struct Rules {
    pub logical_pages: u32,
    pub pages: usize,
    pub units: usize,
    pub types: Vec<Type>,
    pub high: usize,
    pub low: usize,
    pub lazy: f64,
    pub eager: bool,
}

/// What it counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledgers {
    pub written: Vec<u64>,
    pub copied_by_writer: Vec<u64>,
    pub copied_by_owner: Vec<u64>,
    pub erased_by_owner: Vec<u64>,
    /// Units that the host left before they were full, and pages of those that are not written.
    pub left: (u64, u64),
}

#[derive(Clone, Debug, Default)]
struct Unit {
    pages: Vec<u32>,
    valid: usize,
    owner: usize,
}

#[derive(Debug)]
struct Controller<'a> {
    rules: &'a Rules,
    free: VecDeque<usize>,
    units: Vec<Unit>,
    /// By closing number.
    closed: BTreeMap<usize, usize>,
    numbers: usize,
    place: Vec<Option<(usize, usize)>>,
    last_writer: Vec<usize>,
    /// Open units of the host, and of GC.
    open: [Vec<Option<usize>>; 2],
    ledgers: Ledgers,
}

const HOST: usize = 0;
const GC: usize = 1;

/// Runs steps.
pub fn run(rules: &Rules, steps: impl IntoIterator<Item = Step>) -> Ledgers {
    let handles = rules.types.len();
    let mut controller = Controller {
        rules,
        free: (0..rules.units).collect(),
        units: vec![Unit::default(); rules.units],
        closed: BTreeMap::new(),
        numbers: 0,
        place: vec![None; rules.logical_pages as usize],
        last_writer: vec![0; rules.logical_pages as usize],
        open: [vec![None; handles], vec![None; handles + 1]],
        ledgers: Ledgers {
            written: vec![0; handles],
            copied_by_writer: vec![0; handles],
            copied_by_owner: vec![0; handles + 1],
            erased_by_owner: vec![0; handles + 1],
            left: (0, 0),
        },
    };
    if rules.eager {
        (0..handles).for_each(|handle| controller.open_unit(HOST, handle));
        if rules.types.contains(&Type::Ii) {
            controller.open_unit(GC, handles);
        }
    }
    for (page, handle) in steps {
        controller.step(page, handle);
    }
    controller.ledgers
}

impl Controller<'_> {
    fn open_unit(&mut self, side: usize, owner: usize) {
        let unit = self.free.pop_front().expect("a free unit");
        self.units[unit] = Unit { owner, ..Unit::default() };
        self.open[side][owner] = Some(unit);
    }

    fn invalidate(&mut self, page: u32) {
        if let Some((unit, _)) = self.place[page as usize].take() {
            self.units[unit].valid -= 1;
        }
    }

    /// Appends a page to the open unit of an owner, which is opened if there is none.
    fn append(&mut self, side: usize, owner: usize, page: u32) {
        if self.open[side][owner].is_none() {
            self.open_unit(side, owner);
        }
        let number = self.open[side][owner].expect("it was opened");
        self.invalidate(page);
        let unit = &mut self.units[number];
        self.place[page as usize] = Some((number, unit.pages.len()));
        unit.pages.push(page);
        unit.valid += 1;
        if unit.pages.len() == self.rules.pages {
            self.close(side, owner);
            // Units of GC of a persistently isolated handle open on demand.
            if self.rules.eager && (side == HOST || owner == self.rules.types.len()) {
                self.open_unit(side, owner);
            }
        }
    }

    fn close(&mut self, side: usize, owner: usize) {
        let unit = self.open[side][owner].take().expect("an open unit");
        self.closed.insert(self.numbers, unit);
        self.numbers += 1;
    }

    /// The host moves a handle to a new unit, which is opened at once if there is one to spare.
    fn update(&mut self, handle: usize) {
        let Some(unit) = self.open[HOST][handle] else { return };
        let written = self.units[unit].pages.len();
        if written == 0 {
            return;
        }
        self.ledgers.left.0 += 1;
        self.ledgers.left.1 += (self.rules.pages - written) as u64;
        self.close(HOST, handle);
        if self.rules.eager && self.free.len() > self.rules.high {
            self.open_unit(HOST, handle);
        }
    }

    fn step(&mut self, page: u32, handle: Option<u16>) {
        let Some(named) = handle else { return self.invalidate(page) };
        let handle = usize::from(named & !UPDATE);
        if named & UPDATE != 0 {
            self.update(handle);
        }
        while self.free.len() <= self.rules.high && self.collect(false) {}
        self.append(HOST, handle, page);
        self.last_writer[page as usize] = handle;
        self.ledgers.written[handle] += 1;
        if self.rules.low > 0 && self.free.len() <= self.rules.low {
            self.collect(true);
        }
    }

    /// Collects the closed unit with the fewest valid pages; false if there is none to collect.
    fn collect(&mut self, in_background: bool) -> bool {
        let rules = self.rules;
        let wasteful =
            self.closed.iter().filter(|(_, unit)| self.units[**unit].valid < rules.pages);
        let Some((&number, &victim)) =
            wasteful.min_by_key(|(number, unit)| (self.units[**unit].valid, **number))
        else {
            return false;
        };
        let valid = self.units[victim].valid;
        if in_background
            && valid > 0
            && ((rules.pages - valid) as f64) < rules.lazy * rules.pages as f64
        {
            return false;
        }
        self.closed.remove(&number);
        let (owner, handles) = (self.units[victim].owner, rules.types.len());
        let (side, target) = match rules.types.get(owner) {
            Some(Type::Same) => (HOST, owner),
            Some(Type::Pi) => (GC, owner),
            Some(Type::Ii) | None => (GC, handles),
        };
        for (index, page) in std::mem::take(&mut self.units[victim].pages).into_iter().enumerate() {
            if self.place[page as usize] == Some((victim, index)) {
                self.append(side, target, page);
                self.ledgers.copied_by_writer[self.last_writer[page as usize]] += 1;
                self.ledgers.copied_by_owner[owner] += 1;
            }
        }
        self.ledgers.erased_by_owner[owner] += 1;
        self.free.push_back(victim);
        true
    }
}
