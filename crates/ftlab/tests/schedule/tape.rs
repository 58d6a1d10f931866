//! A drawing of the device, a cell for each nanosecond of each array and bus. An operation is drawn where
//! it would be done if nothing came after it; what overtakes moves what is drawn behind it.

use ftlab::device::{BusOrder, DeviceConfig};
use ftlab::engine::{Booking, Kind};
use ftlab::flash::Geometry;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Idle,
    Read,
    Write,
}

/// The array of a plane; of a chip, where its dies work one at a time.
#[derive(Clone, Default)]
struct Array {
    cells: Vec<Cell>,
    /// The end of the last read.
    read_until: u64,
}

impl Array {
    fn end(&self) -> u64 {
        self.cells.len() as u64
    }

    fn draw(&mut self, from: u64, to: u64, cell: Cell) {
        self.cells.resize(self.cells.len().max(to as usize), Cell::Idle);
        self.cells[from as usize..to as usize].fill(cell);
    }

    fn writes_at(&self, time: u64) -> bool {
        self.cells.get(time as usize) == Some(&Cell::Write)
    }

    /// A read takes the array; each nanosecond of writing from there on is done as soon as it can
    /// be, but not before its time.
    fn overtake(&mut self, from: u64, to: u64) {
        let behind = from as usize..self.cells.len().max(from as usize);
        let writing = behind.filter(|at| self.cells[*at] == Cell::Write);
        let writing: Vec<u64> = writing.map(|at| at as u64).collect();
        self.cells.truncate(from as usize);
        self.draw(from, to, Cell::Read);
        let mut next = to;
        for at in writing {
            next = next.max(at);
            self.draw(next, next + 1, Cell::Write);
            next += 1;
        }
    }
}

#[derive(Clone, Default)]
struct Bus(Vec<bool>);

impl Bus {
    fn take(&mut self, from: u64, length: u64, order: BusOrder) -> (u64, u64) {
        let last = self.0.len() as u64;
        let mut start = if order == BusOrder::Gaps { from } else { from.max(last) };
        let busy = |at: u64| self.0.get(at as usize) == Some(&true);
        while let Some(at) = (start..start + length).rev().find(|at| busy(*at)) {
            start = at + 1;
        }
        if length == 0 {
            return (from, from);
        }
        self.0.resize(self.0.len().max((start + length) as usize), false);
        self.0[start as usize..(start + length) as usize].fill(true);
        (start, start + length)
    }
}

pub struct Tape<'a> {
    device: &'a DeviceConfig,
    geometry: Geometry,
    arrays: Vec<Array>,
    registers: Vec<u64>,
    buses: Vec<Bus>,
    pub overtaken: u64,
}

impl<'a> Tape<'a> {
    pub fn new(device: &'a DeviceConfig, geometry: Geometry) -> Self {
        assert!(!device.multi_plane, "a tape does not know commands of several planes");
        let planes = geometry.planes() as usize;
        Tape {
            device,
            arrays: vec![Array::default(); planes],
            registers: vec![0; planes],
            buses: vec![Bus::default(); planes],
            geometry,
            overtaken: 0,
        }
    }

    /// When everything is done.
    pub fn end(&self) -> u64 {
        let buses = self.buses.iter().map(|bus| bus.0.len() as u64);
        self.arrays.iter().map(Array::end).chain(buses).max().unwrap_or(0)
    }

    /// For how long arrays are at work, all together.
    pub fn working(&self) -> u64 {
        let cells = self.arrays.iter().flat_map(|array| &array.cells);
        cells.filter(|cell| **cell != Cell::Idle).count() as u64
    }

    fn array(&mut self, plane: u32) -> &mut Array {
        let [_, _, dies, planes] = self.geometry.shape();
        let shared = if self.device.interleave { 1 } else { dies * planes };
        &mut self.arrays[(plane / shared) as usize]
    }

    fn transfer(&self) -> u64 {
        self.device.transfer_per_byte.0 * self.device.page.0
    }

    fn bus(&mut self, plane: u32, from: u64, length: u64) -> (u64, u64) {
        let channel = self.geometry.channel_of(plane) as usize;
        self.buses[channel].take(from, length, self.device.bus)
    }

    /// Command cycles without data: on the bus only where others can go before or behind them.
    fn command(&mut self, plane: u32, from: u64) -> (u64, u64) {
        let command = self.device.command.0;
        match self.device.bus {
            BusOrder::Gaps => self.bus(plane, from, command),
            BusOrder::Placement => (from, from + command),
        }
    }

    /// Draws an operation that cannot begin before `ready`, and tells when it is done.
    pub fn place(&mut self, asked: Booking, ready: u64) -> Booking {
        let DeviceConfig { read, oob_read, program, erase, .. } = self.device;
        match asked.kind {
            Kind::Read => self.read(asked, ready, read.0, self.transfer()),
            Kind::ReadOob => self.read(asked, ready, oob_read.0, 0),
            Kind::Program => self.program(asked, ready),
            Kind::CopyBack => self.change(asked, ready, read.0 + program.0),
            Kind::Erase => self.change(asked, ready, erase.0),
        }
    }

    fn read(&mut self, asked: Booking, ready: u64, time: u64, transfer: u64) -> Booking {
        let plane = asked.plane;
        let suspends = self.device.suspend.is_some();
        let array = self.array(plane);
        let from = ready.max(if suspends { array.read_until } else { array.end() });
        let (stops, overtakes) = (array.writes_at(from), from < array.end());
        let stop = self.device.suspend.filter(|_| stops).map_or(0, |stop| stop.0);
        let (start, begin) = self.command(plane, from + stop);
        let work = (begin, begin + time);
        let (mut held, mut bus) = (work.1, None);
        if transfer > 0 {
            let register = &mut self.registers[plane as usize];
            let moved = if self.device.cache_read { work.1.max(*register) } else { work.1 };
            let taken = self.bus(plane, moved, transfer);
            held = taken.1;
            if self.device.cache_read {
                self.registers[plane as usize] = taken.1;
                held = moved;
            }
            bus = Some(taken);
        }
        self.overtaken += u64::from(overtakes);
        let array = self.array(plane);
        array.overtake(from, held);
        array.read_until = held;
        let end = bus.map_or(work.1, |(_, end)| end);
        Booking { start, array: work, bus, end, ..asked }
    }

    fn program(&mut self, asked: Booking, ready: u64) -> Booking {
        let plane = asked.plane;
        let free = self.array(plane).end();
        let mut from = ready.max(self.registers[plane as usize]);
        if !self.device.cache_program {
            from = from.max(free);
        }
        let length = self.transfer() + self.device.command.0;
        let bus = self.bus(plane, from, length);
        let begin = bus.1.max(free);
        if self.device.cache_program {
            self.registers[plane as usize] = begin;
        }
        let work = (begin, begin + self.device.program.0);
        self.array(plane).draw(work.0, work.1, Cell::Write);
        let on_bus = (length > 0).then_some(bus);
        Booking { start: bus.0, array: work, bus: on_bus, end: work.1, ..asked }
    }

    fn change(&mut self, asked: Booking, ready: u64, time: u64) -> Booking {
        let from = ready.max(self.array(asked.plane).end());
        let (start, begin) = self.command(asked.plane, from);
        let work = (begin, begin + time);
        self.array(asked.plane).draw(start, work.1, Cell::Write);
        Booking { start, array: work, bus: None, end: work.1, ..asked }
    }
}
