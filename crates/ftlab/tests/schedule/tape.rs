//! A drawing of the device, a cell for each nanosecond of each array, cache register and bus. An operation is
//! drawn where it would be done if nothing came after it; what overtakes moves what is drawn behind it.

use ftlab::device::{BusOrder, DeviceConfig, MultiPlaneJoins};
use ftlab::engine::{Booking, Kind};
use ftlab::flash::Geometry;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Idle,
    Read,
    Write,
}

/// Commands of an array that others may join: the last that were placed.
const REMEMBERED: usize = 64;

/// Who is in the way of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Whatever is drawn.
    All,
    /// Reads alone.
    Reads,
}

/// What is used by one operation at a time.
#[derive(Clone, Default)]
struct Row {
    cells: Vec<Cell>,
    /// The end of the last read.
    read_until: u64,
}

impl Row {
    fn end(&self) -> u64 {
        self.cells.len() as u64
    }

    fn at(&self, time: u64) -> Cell {
        self.cells.get(time as usize).copied().unwrap_or(Cell::Idle)
    }

    fn draw(&mut self, from: u64, to: u64, cell: Cell) {
        self.cells.resize(self.cells.len().max(to as usize), Cell::Idle);
        self.cells[from as usize..to as usize].fill(cell);
    }

    /// The first time at which it is free for something that then lasts until `until(time)`.
    fn first(&self, from: u64, in_order: bool, way: Way, until: impl Fn(u64) -> u64) -> u64 {
        if in_order {
            return from.max(if way == Way::Reads { self.read_until } else { self.end() });
        }
        let taken = |at: &u64| match self.at(*at) {
            Cell::Idle => false,
            Cell::Write => way == Way::All,
            Cell::Read => true,
        };
        let mut start = from;
        loop {
            while taken(&start) {
                start += 1;
            }
            let end = until(start).min(self.end());
            match (start..end).find(taken) {
                Some(at) => start = at,
                None => return start,
            }
        }
    }

    /// A read takes the array; each nanosecond of writing from there on is done as soon as it can
    /// be, but not before its time.
    fn overtake(&mut self, from: u64, to: u64) {
        let behind = from..self.end().max(from);
        let writing: Vec<u64> = behind.filter(|at| self.at(*at) == Cell::Write).collect();
        for at in &writing {
            self.cells[*at as usize] = Cell::Idle;
        }
        while self.cells.last() == Some(&Cell::Idle) && self.end() > from {
            self.cells.pop();
        }
        self.draw(from, to, Cell::Read);
        let mut next = to;
        for at in writing {
            next = next.max(at);
            while self.at(next) == Cell::Read {
                next += 1;
            }
            self.draw(next, next + 1, Cell::Write);
            next += 1;
        }
        self.read_until = self.read_until.max(to);
    }
}

/// What was done on a block since it was erased.
#[derive(Clone, Default)]
struct Block {
    erased: u64,
    /// Page and end of each program.
    programs: Vec<(u32, u64)>,
    read: u64,
}

impl Block {
    fn changed(&self) -> u64 {
        self.programs.iter().map(|(_, end)| *end).max().unwrap_or(0).max(self.erased)
    }
}

/// What other operations may join.
#[derive(Clone)]
struct Command {
    placed: Plan,
    members: Vec<usize>,
    held_until: u64,
}

/// Where an operation would be drawn.
#[derive(Clone, Copy)]
pub struct Plan {
    pub booked: Booking,
    held: (u64, u64),
    command: (u64, u64),
    register: Option<(u64, u64)>,
    /// The command that it is a part of, if others are, and whether that stays as it is.
    joins: Option<(usize, bool)>,
}

pub struct Tape<'a> {
    device: &'a DeviceConfig,
    geometry: Geometry,
    arrays: Vec<Row>,
    registers: Vec<Row>,
    /// The registers of pages that leave, if reads go before programs.
    leaving: Vec<Row>,
    buses: Vec<Row>,
    blocks: HashMap<u32, Block>,
    commands: Vec<Command>,
    /// The command drawn last, unless another was joined since.
    last: Option<usize>,
    pub drawn: Vec<Booking>,
    pub overtaken: u64,
    pub joined: u64,
    /// Of these, those that joined what waits.
    pub joined_waiting: u64,
}

impl<'a> Tape<'a> {
    pub fn new(device: &'a DeviceConfig, geometry: Geometry) -> Self {
        let planes = geometry.planes() as usize;
        Tape {
            device,
            arrays: vec![Row::default(); planes],
            registers: vec![Row::default(); planes],
            leaving: vec![Row::default(); planes],
            buses: vec![Row::default(); planes],
            geometry,
            blocks: HashMap::new(),
            commands: Vec::new(),
            last: None,
            drawn: Vec::new(),
            overtaken: 0,
            joined: 0,
            joined_waiting: 0,
        }
    }

    /// When everything is done.
    pub fn end(&self) -> u64 {
        self.arrays.iter().chain(&self.buses).map(Row::end).max().unwrap_or(0)
    }

    /// For how long arrays are at work, all together.
    pub fn working(&self) -> u64 {
        let cells = self.arrays.iter().flat_map(|array| &array.cells);
        cells.filter(|cell| **cell != Cell::Idle).count() as u64
    }

    /// One plane does everything in order.
    fn in_order(&self) -> bool {
        self.geometry.planes() == 1
    }

    fn array_of(&self, plane: u32) -> usize {
        let [_, _, dies, planes] = self.geometry.shape();
        let shared = match (self.device.interleave, self.device.multi_plane) {
            _ if self.device.package_chips > 1 => self.device.package_chips * dies * planes,
            (false, _) => dies * planes,
            (true, true) => planes,
            (true, false) => 1,
        };
        (plane / shared) as usize
    }

    fn array(&self, plane: u32) -> &Row {
        &self.arrays[self.array_of(plane)]
    }

    fn transfer(&self) -> u64 {
        self.device.transfer_per_byte.0 * self.device.page.0
    }

    fn has_registers(&self) -> bool {
        self.device.cache_read || self.device.cache_program
    }

    fn bus(&self, plane: u32, from: u64, length: u64) -> (u64, u64) {
        let bus = &self.buses[self.geometry.channel_of(plane) as usize];
        let in_order = self.device.bus == BusOrder::Placement;
        let start = match length {
            0 => from,
            _ => bus.first(from, in_order, Way::All, |start| start + length),
        };
        (start, start + length)
    }

    /// Command cycles without data: on the bus only where others can go before or behind them.
    fn command(&self, plane: u32, from: u64) -> (u64, u64) {
        let command = self.device.command.0;
        match self.device.bus {
            BusOrder::Gaps => self.bus(plane, from, command),
            BusOrder::Placement => (from, from + command),
        }
    }

    /// When what an operation must not overtake in its block is done.
    pub fn bound(&self, asked: &Booking) -> u64 {
        let of = |number: Option<u32>| {
            number.and_then(|number| self.blocks.get(&number)).cloned().unwrap_or_default()
        };
        let block = of(asked.block);
        match asked.kind {
            _ if self.in_order() => 0,
            Kind::Erase => block.changed().max(block.read),
            Kind::Program => block.changed(),
            Kind::CopyBack => block.changed().max(of(asked.source).changed()),
            Kind::Read | Kind::ReadOob => {
                let own = block.programs.iter().find(|(page, _)| *page == asked.page);
                own.map_or(block.erased, |(_, end)| *end)
            }
        }
    }

    /// Where an operation is drawn that is ready at `ready` and must not overtake what ends at `bound`; while
    /// that is programmed, a page for the same block can be brought in.
    pub fn plan(&self, asked: Booking, ready: u64, bound: u64) -> Plan {
        let cached = asked.kind == Kind::Program && self.device.cache_program;
        let ready = if cached { ready } else { ready.max(bound) };
        if let Some(plan) = self.join(asked, ready, bound) {
            return plan;
        }
        let DeviceConfig { read, oob_read, program, erase, .. } = self.device;
        match asked.kind {
            Kind::Read => self.read(asked, ready, read.0, self.transfer()),
            Kind::ReadOob => self.read(asked, ready, oob_read.0, 0),
            Kind::Program => self.program(asked, ready, bound),
            Kind::CopyBack => self.change(asked, ready, read.0 + program.0),
            Kind::Erase => self.change(asked, ready, erase.0),
        }
    }

    /// How a page leaves the array: until when it is in the way there, the register, and the transfer.
    fn leave(&self, plane: u32, from: u64, transfer: u64) -> (u64, Option<(u64, u64)>) {
        if transfer == 0 {
            return (from, None);
        }
        if !self.device.cache_read {
            let bus = self.bus(plane, from, transfer);
            return (bus.1, Some(bus));
        }
        let register = match self.device.suspend {
            Some(_) => &self.leaving[plane as usize],
            None => &self.registers[plane as usize],
        };
        let until = |moved| self.bus(plane, moved, transfer).1;
        let moved = register.first(from, self.in_order(), Way::All, until);
        (moved, Some(self.bus(plane, moved, transfer)))
    }

    fn read(&self, asked: Booking, ready: u64, time: u64, transfer: u64) -> Plan {
        let plane = asked.plane;
        let array = self.array(plane);
        let suspends = self.device.suspend;
        let cycles = |from: u64| {
            // What would begin at that very time, or go on after another read, need not be stopped.
            let begun = from > 0 && array.at(from - 1) == Cell::Write;
            let stop = suspends.filter(|_| begun && array.at(from) == Cell::Write);
            self.command(plane, from + stop.map_or(0, |stop| stop.0))
        };
        let until = |from| self.leave(plane, cycles(from).1 + time, transfer).0;
        let way = if suspends.is_some() { Way::Reads } else { Way::All };
        let from = array.first(ready, self.in_order(), way, until);
        let (start, begin) = cycles(from);
        let work = (begin, begin + time);
        let (held, bus) = self.leave(plane, work.1, transfer);
        let end = bus.map_or(work.1, |(_, end)| end);
        Plan {
            booked: Booking { start, array: work, bus, end, ..asked },
            held: (if suspends.is_some() { from } else { start }, held),
            command: (start, begin),
            register: bus.filter(|_| self.device.cache_read).map(|bus| (held, bus.1)),
            joins: None,
        }
    }

    fn arrive(&self, plane: u32, from: u64, until: impl Fn(u64) -> u64) -> (u64, u64) {
        let length = self.transfer() + self.device.command.0;
        let register = &self.registers[plane as usize];
        let begin = register
            .first(from, self.in_order(), Way::All, |at| until(self.bus(plane, at, length).1));
        self.bus(plane, begin, length)
    }

    fn program(&self, asked: Booking, ready: u64, bound: u64) -> Plan {
        let (plane, time) = (asked.plane, self.device.program.0);
        let array = self.array(plane);
        let first =
            |from, until: &dyn Fn(u64) -> u64| array.first(from, self.in_order(), Way::All, until);
        let (bus, begin) = if self.device.cache_program {
            let begin = |arrived: u64| first(arrived.max(bound), &|begin| begin + time);
            let bus = self.arrive(plane, ready, begin);
            (bus, begin(bus.1))
        } else {
            let arrive = |from| self.arrive(plane, from, |arrived| arrived);
            let bus = arrive(first(ready, &|from| arrive(from).1 + time));
            (bus, bus.1)
        };
        let work = (begin, begin + time);
        let whole = !self.device.cache_program && self.device.suspend.is_none();
        self.incoming(asked, bus, work, if whole { (bus.0, work.1) } else { work }, None)
    }

    fn incoming(
        &self,
        asked: Booking,
        bus: (u64, u64),
        work: (u64, u64),
        held: (u64, u64),
        joins: Option<(usize, bool)>,
    ) -> Plan {
        let until = if self.device.cache_program { work.0 } else { bus.1 };
        let register = self.device.cache_program || !self.in_order();
        let on_bus = (bus.0 < bus.1).then_some(bus);
        Plan {
            booked: Booking { start: bus.0, array: work, bus: on_bus, end: work.1, ..asked },
            held,
            command: (bus.0, bus.0),
            register: (register && self.has_registers()).then_some((bus.0, until)),
            joins,
        }
    }

    fn change(&self, asked: Booking, ready: u64, time: u64) -> Plan {
        let array = self.array(asked.plane);
        let until = |from| self.command(asked.plane, from).1 + time;
        let from = array.first(ready, self.in_order(), Way::All, until);
        let (start, begin) = self.command(asked.plane, from);
        let work = (begin, begin + time);
        Plan {
            booked: Booking { start, array: work, bus: None, end: work.1, ..asked },
            held: (start, work.1),
            command: (start, begin),
            register: None,
            joins: None,
        }
    }

    /// Where an operation is drawn as part of a command that is drawn already: the one before it, or where
    /// the device can do so the first that has not begun.
    fn join(&self, asked: Booking, ready: u64, bound: u64) -> Option<Plan> {
        if !self.device.multi_plane || asked.kind == Kind::ReadOob {
            return None;
        }
        let before = self.last.and_then(|last| self.join_last(asked, ready, bound, last));
        if before.is_some() || self.device.multi_plane_joins == MultiPlaneJoins::Request {
            return before;
        }
        let array = self.array_of(asked.plane);
        let of_array =
            |number: &usize| self.array_of(self.commands[*number].placed.booked.plane) == array;
        let mut waiting: Vec<usize> =
            (0..self.commands.len()).rev().filter(of_array).take(REMEMBERED).collect();
        waiting.reverse();
        waiting.sort_by_key(|number| self.commands[*number].placed.booked.start);
        waiting.into_iter().find_map(|number| self.join_waiting(asked, ready, bound, number))
    }

    /// Whether an operation is of the kind, the die and the pages of a command, and of another plane.
    fn fits(&self, asked: &Booking, command: &Command) -> bool {
        let first = command.placed.booked;
        let die = |plane: u32| plane / self.device.planes_per_die;
        let pages = (asked.page, asked.source_page) == (first.page, first.source_page);
        asked.kind == first.kind
            && (pages || asked.kind == Kind::Erase)
            && die(asked.plane) == die(first.plane)
            && command.members.iter().all(|member| self.drawn[*member].plane != asked.plane)
    }

    fn join_last(&self, asked: Booking, ready: u64, bound: u64, number: usize) -> Option<Plan> {
        let last = &self.commands[number];
        let first = last.placed.booked;
        let of_request = asked.request == first.request && asked.kind != Kind::CopyBack;
        if !of_request || !self.fits(&asked, last) || ready > first.start {
            return None;
        }
        if asked.kind != Kind::Program {
            return self.join_as_it_is(asked, number, false);
        }
        let array = self.array(asked.plane);
        let begin = |arrived: u64| match self.device.cache_program {
            true => arrived.max(first.array.0).max(bound),
            false => arrived,
        };
        let bus = self.arrive(asked.plane, first.start.max(ready), begin);
        let begin = bus.1.max(first.array.0).max(bound);
        let work = (begin, begin + self.device.program.0);
        let kept = |member: &usize| {
            let register = &self.registers[self.drawn[*member].plane as usize];
            (first.array.0..begin).all(|at| register.at(at) == Cell::Idle)
        };
        let idle = (first.array.1..work.1).all(|at| array.at(at) == Cell::Idle);
        let fits = idle && (!self.device.cache_program || last.members.iter().all(kept));
        fits.then(|| self.incoming(asked, bus, work, work, Some((number, false))))
    }

    /// As part of a command that stays as it is.
    fn join_waiting(&self, asked: Booking, ready: u64, bound: u64, number: usize) -> Option<Plan> {
        let command = &self.commands[number];
        let first = command.placed.booked;
        let cached = asked.kind == Kind::Program && self.device.cache_program;
        let latest = if cached { first.array.0 } else { first.start };
        if ready > latest || !self.fits(&asked, command) {
            return None;
        }
        if asked.kind != Kind::Program {
            return self.join_as_it_is(asked, number, true);
        }
        let begin = first.array.0;
        let from = if cached { ready } else { first.start };
        let bus = self.arrive(asked.plane, from, |at| if cached { at.max(begin) } else { at });
        let fits = bus.1 <= begin && bound <= begin;
        fits.then(|| self.incoming(asked, bus, first.array, first.array, Some((number, true))))
    }

    fn join_as_it_is(&self, asked: Booking, number: usize, waiting: bool) -> Option<Plan> {
        let command = &self.commands[number];
        let first = command.placed.booked;
        let array = self.array(asked.plane);
        let is_free = |at: u64| match self.device.suspend {
            Some(_) => array.at(at) != Cell::Read,
            None => array.at(at) == Cell::Idle,
        };
        let transfer = if asked.kind == Kind::Read { self.transfer() } else { 0 };
        let (held, bus) = self.leave(asked.plane, first.array.1, transfer);
        let end = bus.map_or(first.array.1, |(_, end)| end);
        (command.held_until..held).all(is_free).then(|| Plan {
            booked: Booking { start: first.start, array: first.array, bus, end, ..asked },
            held: (command.held_until.min(held), held),
            command: (first.start, first.start),
            register: bus.filter(|_| self.device.cache_read).map(|bus| (held, bus.1)),
            joins: Some((number, waiting)),
        })
    }

    /// Draws a plan.
    pub fn draw(&mut self, plan: Plan) {
        let Plan { booked, held, command, register, joins } = plan;
        let Booking { kind, plane, start, array: work, bus, .. } = booked;
        let (number, channel) = (self.array_of(plane), self.geometry.channel_of(plane) as usize);
        let suspends = self.device.suspend.is_some();
        if self.device.bus == BusOrder::Gaps && command.0 < command.1 {
            self.buses[channel].draw(command.0, command.1, Cell::Read);
        }
        if let Some((from, to)) = bus {
            self.buses[channel].draw(from, to, Cell::Read);
        }
        if let Some((from, to)) = register {
            let leaves = kind == Kind::Read && suspends;
            let registers = if leaves { &mut self.leaving } else { &mut self.registers };
            registers[plane as usize].draw(from, to, Cell::Read);
        }
        let array = &mut self.arrays[number];
        self.overtaken += u64::from(joins.is_none() && start < array.end());
        match (kind, suspends) {
            (Kind::Erase | Kind::CopyBack, _) if joins.is_some() => {}
            (Kind::Read | Kind::ReadOob, true) => array.overtake(held.0, held.1),
            (Kind::Read | Kind::ReadOob, false) => array.draw(held.0, held.1, Cell::Read),
            (Kind::Program, _) if joins.is_some() => {
                self.delay(number, joins.map(|(joined, _)| joined), work)
            }
            _ => array.draw(held.0, held.1, Cell::Write),
        }
        self.note(&booked);
        let member = self.drawn.len();
        self.drawn.push(booked);
        match joins {
            Some((joined, waiting)) => {
                self.joined += 1;
                let command = &mut self.commands[joined];
                command.members.push(member);
                command.held_until = command.held_until.max(held.1);
                command.placed.booked.array = work;
                if waiting {
                    self.joined_waiting += 1;
                    self.last = None;
                }
            }
            None => {
                self.last = Some(self.commands.len());
                self.commands.push(Command {
                    placed: plan,
                    members: vec![member],
                    held_until: held.1,
                });
            }
        }
    }

    /// The programs of a command wait for its last page.
    fn delay(&mut self, number: usize, joined: Option<usize>, work: (u64, u64)) {
        let Some(command) = joined.map(|joined| self.commands[joined].clone()) else { return };
        let before = command.placed.booked.array;
        if before == work {
            return;
        }
        let array = &mut self.arrays[number];
        if self.device.suspend.is_some() {
            array.draw(before.0, before.1.min(work.0), Cell::Idle);
            array.draw(work.0, work.1, Cell::Write);
        } else {
            array.draw(before.1, work.1.max(before.1), Cell::Write);
        }
        for member in command.members {
            let booked = &mut self.drawn[member];
            (booked.array, booked.end) = (work, work.1);
            let (block, page, plane) = (booked.block, booked.page, booked.plane as usize);
            if self.device.cache_program {
                self.registers[plane].draw(before.0, work.0.max(before.0), Cell::Read);
            }
            let block = self.blocks.get_mut(&block.expect("a block")).expect("a program");
            block.programs.iter_mut().filter(|of| of.0 == page).for_each(|of| of.1 = work.1);
        }
    }

    fn note(&mut self, booked: &Booking) {
        let end = booked.array.1;
        if let Some(source) = booked.source {
            let block = self.blocks.entry(source).or_default();
            block.read = block.read.max(end);
        }
        let Some(number) = booked.block else { return };
        let block = self.blocks.entry(number).or_default();
        match booked.kind {
            Kind::Read | Kind::ReadOob => block.read = block.read.max(end),
            Kind::Program | Kind::CopyBack => block.programs.push((booked.page, end)),
            Kind::Erase => *block = Block { erased: end, ..Block::default() },
        }
    }
}
