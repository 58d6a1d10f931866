//! Operations on a device whose commands do more, or less, than those of the plain timeline.
//!
//! ```text
//! multi_plane    planes of a die share its command logic: one command at a time, which works on
//!                several planes if pages have the same number in their blocks (`join`)
//! interleave     without it, the dies of a chip share command logic, too, without multi-plane commands
//! package_chips  the chips of a package share it, too
//! cache_read     |= T_r =|= T_r =|          a page leaves through the cache register while the array
//!                        |= bus =|= bus =|  reads the next
//! cache_program  |= bus =|= bus =|          a page arrives in the cache register while the array
//!                        |===== T_w =====|  programs the one before
//! command        command and address cycles before each operation
//! bus            in the order of placement, or into any gap
//! suspend        a read goes before the programs and erases of its plane; stopping and resuming one
//!                takes this long
//! ```
//!
//! On several planes an operation begins as soon as it is ready and its resources are free. It may
//! begin before earlier operations (choices.md#plane-order). Inside a block it never overtakes an
//! operation on which it depends.
//!
//! There are two simplifications. First, the command cycles of a program are on the bus together
//! with its data. Those of other operations are on the bus only if gaps may be used. In order of
//! placement, nothing could come between a command and its data. Second, an operation that a later
//! read overtakes keeps the times of its placement. The later operations on the plane pay for its
//! delay (choices.md#overtaken-programs).

use super::Timing;
use super::array::Array;
use super::blocks::{Blocks, Page};
use super::calendar::{Calendar, Search};
use super::log::{Booking, Kind, Log};
use crate::device::{BusOrder, Cell, DeviceConfig, Geometry};
use crate::purpose::{Owner, Purpose};
use crate::units::Nanos;
use join::Open;

mod join;

/// A time from start to end.
type Span = (Nanos, Nanos);

/// An operation to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub kind: Kind,
    pub plane: u32,
    /// Block and number of the page; `u32::MAX` for no block.
    pub page: Page,
    /// Block and number of the page that a copy-back reads; `u32::MAX` for none.
    pub source: Page,
    pub purpose: Purpose,
    pub request: u64,
    pub chain: u32,
    pub issued: Nanos,
    /// When the earlier operations of its chain are done.
    pub ready: Nanos,
    /// When the operations of its block that it must not overtake are done.
    pub after: Nanos,
    /// How long the array works on it.
    pub time: Nanos,
}

/// The times of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub start: Nanos,
    pub end: Nanos,
    /// When the array has it.
    held: Span,
    work: Span,
    /// Command cycles on the bus.
    command: Span,
    data: Option<Span>,
    /// When the cache register has the page.
    register: Option<Span>,
}

/// The state of a device of several planes, or with such commands.
#[derive(Clone, Debug)]
pub(super) struct Commands {
    transfer: Nanos,
    cache_read: bool,
    cache_program: bool,
    command: Nanos,
    overtake: bool,
    suspend: Option<Nanos>,
    arrays: Vec<Array>,
    /// Array of each plane.
    array_of: Vec<u32>,
    channel_of: Vec<u32>,
    /// The cache register of each plane. Where reads interrupt programs, the registers for pages
    /// that leave each plane follow.
    registers: Vec<Calendar>,
    buses: Vec<Calendar>,
    blocks: Blocks,
    /// Commands on several planes, if the device has them.
    open: Option<Open>,
    planes_per_die: u32,
    /// No operation will be ready before this.
    now: Nanos,
    operations: Vec<u64>,
    /// For each channel, the time of its transfers and command cycles.
    on_bus: Vec<Nanos>,
    /// For each plane, the recent times at which it was held, which may overlap new ones, and the
    /// total.
    held: Vec<(Calendar, Nanos)>,
    pub log: Log,
}

impl Commands {
    pub fn new(device: &DeviceConfig, geometry: &Geometry, timing: &Timing, log: Log) -> Self {
        let [_, _, dies, planes] = geometry.shape();
        let planes_per_array = match (device.interleave, device.multi_plane) {
            _ if device.package_chips > 1 => device.package_chips * dies * planes,
            (false, _) => dies * planes,
            (true, true) => planes,
            (true, false) => 1,
        };
        let all = 0..geometry.planes();
        let overtake = device.bus == BusOrder::Gaps;
        let on_bus = if device.command.0 > 0 { device.command.0 } else { timing.transfer };
        let gaps = all.len() > 1;
        let calendar = Calendar::new(gaps, 1);
        let passed = unless_bug!(RegistersOfPassedPages, device.suspend.is_some(), false);
        let array = Array::new(gaps, device.suspend.is_some(), shortest(device, timing));
        Commands {
            transfer: timing.transfer,
            cache_read: device.cache_read,
            cache_program: device.cache_program,
            command: device.command.0,
            overtake,
            suspend: device.suspend.map(|time| time.0),
            arrays: vec![array; all.len()],
            array_of: all.clone().map(|plane| plane / planes_per_array).collect(),
            channel_of: all.clone().map(|plane| geometry.channel_of(plane)).collect(),
            registers: vec![calendar.clone(); if passed { 2 * all.len() } else { all.len() }],
            buses: vec![Calendar::new(overtake, on_bus); geometry.channels as usize],
            blocks: Blocks::new(if gaps { geometry.blocks() } else { 0 }, geometry.planes()),
            open: Open::new(device, all.len()),
            planes_per_die: planes,
            now: 0,
            operations: vec![0; all.len()],
            on_bus: vec![0; geometry.channels as usize],
            held: vec![(calendar, 0); all.len()],
            log,
        }
    }

    /// When a plane and its channel are done with all operations placed so far.
    pub fn free_at(&self, plane: u32) -> Nanos {
        self.array(plane).free_at().max(self.bus(plane).free_at())
    }

    fn array(&self, plane: u32) -> &Array {
        &self.arrays[self.array_of[plane as usize] as usize]
    }

    fn array_mut(&mut self, plane: u32) -> &mut Array {
        &mut self.arrays[self.array_of[plane as usize] as usize]
    }

    fn bus(&self, plane: u32) -> &Calendar {
        &self.buses[self.channel_of[plane as usize] as usize]
    }

    /// Prefetches the data that an operation on a block touches.
    pub fn load_block_early(&self, block: u32) {
        self.blocks.load_early(block);
    }

    /// When everything that was placed so far is done.
    pub fn idle_at(&self) -> Nanos {
        let arrays = self.arrays.iter().map(Array::free_at);
        let buses = self.buses.iter().map(Calendar::free_at);
        arrays.chain(buses).max().unwrap_or(0)
    }

    /// Makes the device idle at time 0; the log continues.
    pub fn reset(&mut self) {
        self.arrays.iter_mut().for_each(Array::reset);
        self.registers.iter_mut().for_each(Calendar::reset);
        self.buses.iter_mut().for_each(Calendar::reset);
        self.blocks.reset();
        for (calendar, busy) in &mut self.held {
            calendar.reset();
            *busy = 0;
        }
        self.operations.fill(0);
        self.on_bus.fill(0);
        self.open.iter_mut().for_each(Open::reset);
        self.now = 0;
    }

    /// No operation will be ready before this.
    pub const fn issue(&mut self, time: Nanos) {
        self.now = time;
    }

    /// Forgets times before which no operation can be ready.
    fn forget(&mut self, plane: u32) {
        let (number, now) = (plane as usize, self.now);
        self.arrays[self.array_of[number] as usize].drop_before(now);
        self.buses[self.channel_of[number] as usize].drop_before(now);
        if self.has_registers() {
            self.registers[number].drop_before(now);
            let leaving = self.register_of_reads(plane);
            self.registers[leaving].drop_before(now);
        }
    }

    /// The number of the register through which pages leave a plane. A page that leaves during an
    /// interrupted program cannot wait for the page of the next program. That page waits for the
    /// array, and thereby for the read.
    fn register_of_reads(&self, plane: u32) -> usize {
        self.registers.len() - self.arrays.len() + plane as usize
    }

    const fn has_registers(&self) -> bool {
        self.cache_read || self.cache_program
    }

    /// Places an operation.
    // Its caller is marked as cold to keep plain devices fast; this function is not cold.
    #[inline(never)]
    pub fn place(&mut self, order: Order) -> Placed {
        let Order { kind, plane, page, source, .. } = order;
        self.forget(plane);
        let mut after = self.blocks.ready(kind, plane, page, order.ready);
        if kind == Kind::CopyBack {
            after = self.blocks.ready(Kind::Program, plane, source, after);
        }
        // A page can arrive while the one before it is programmed.
        let waits = kind != Kind::Program || !self.cache_program;
        let order = Order { ready: if waits { after } else { order.ready }, after, ..order };
        let joined = self.join(&order);
        let placed = joined.map_or_else(|| self.begin(&order), |(placed, _)| placed);
        self.take_bus_and_register(kind, plane, &placed);
        self.operations[plane as usize] += 1;
        self.blocks.note(kind, plane, page, placed.work.1, self.now);
        if kind == Kind::CopyBack {
            self.blocks.note(Kind::Read, plane, source, placed.work.1, self.now);
        }
        let Placed { start, end, held, .. } = placed;
        if self.suspend.is_some() {
            // Booked times may overlap where a read overtakes, but an array does one thing at a time.
            self.held[plane as usize].1 += held.1 - held.0;
        } else {
            self.hold(plane, start, end);
        }
        let number = self.log.push(|| booking(&order, &placed));
        self.remember((order, number), &placed, joined.map(|(_, command)| command));
        placed
    }

    /// Places an operation as a separate command.
    fn begin(&mut self, order: &Order) -> Placed {
        match order.kind {
            Kind::Read => self.read(order, self.transfer),
            Kind::ReadOob => self.read(order, 0),
            Kind::Program => self.program(order),
            Kind::CopyBack | Kind::Erase => self.change(order),
        }
    }

    fn take_bus_and_register(&mut self, kind: Kind, plane: u32, placed: &Placed) {
        let channel = self.channel_of[plane as usize] as usize;
        for (from, to) in [Some(placed.command), placed.data].into_iter().flatten() {
            if from < to {
                self.buses[channel].hold(from, to);
                self.on_bus[channel] += to - from;
            }
        }
        if let Some((from, to)) = placed.register {
            let leaves = kind == Kind::Read;
            let number = if leaves { self.register_of_reads(plane) } else { plane as usize };
            self.registers[number].hold(from, to);
        }
    }

    /// How long a plane was held.
    pub fn busy(&self, plane: u32) -> Nanos {
        self.held[plane as usize].1
    }

    /// Flash operations on a plane.
    pub fn operations(&self, plane: u32) -> u64 {
        self.operations[plane as usize]
    }

    /// How long the bus of a channel was in use.
    pub fn bus_busy(&self, channel: u32) -> Nanos {
        self.on_bus[channel as usize]
    }

    /// Adds to the busy time of a plane the part of a span in which no earlier operation held it.
    fn hold(&mut self, plane: u32, from: Nanos, to: Nanos) {
        let overlaps = self.has_registers() || self.open.is_some();
        let (calendar, busy) = &mut self.held[plane as usize];
        *busy += if overlaps {
            calendar.drop_before(self.now);
            calendar.hold(from, to)
        } else {
            to - from
        };
    }

    /// Start and end of the command cycles of an operation that begins without data on the bus.
    fn command_cycles(&self, bus: &Search<'_>, from: Nanos) -> Span {
        match self.overtake {
            true => bus.find(from, self.command),
            false => (from, from + self.command),
        }
    }

    /// The command cycles, as far as they take the bus.
    const fn on_bus(&self, cycles: Span) -> Span {
        if self.overtake { cycles } else { (cycles.0, cycles.0) }
    }

    fn read(&mut self, order: &Order, transfer: Nanos) -> Placed {
        let Order { plane, ready, time, .. } = *order;
        let bus = &self.bus(plane).search();
        let shortest = if self.cache_read { time } else { time + transfer };
        let from = self.array(plane).first_read(ready, shortest, |from| {
            let (_, begin) = self.read_command(plane, bus, from);
            self.read_out(plane, bus, begin + time, transfer).0
        });
        let cycles = self.read_command(plane, bus, from);
        let work = (cycles.1, cycles.1 + time);
        let (held_until, data) = self.read_out(plane, bus, work.1, transfer);
        let held = (if self.suspend.is_some() { from } else { cycles.0 }, held_until);
        self.array_mut(plane).read(held);
        Placed {
            start: cycles.0,
            end: data.map_or(work.1, |(_, end)| end),
            held,
            work,
            command: self.on_bus(cycles),
            data,
            register: data.filter(|_| self.cache_read).map(|(_, end)| (held_until, end)),
        }
    }

    /// The command cycles of a read that takes the array at `from`, after a stopped operation has
    /// stopped.
    fn read_command(&self, plane: u32, bus: &Search<'_>, from: Nanos) -> Span {
        let stop = self.suspend.filter(|_| self.array(plane).is_writing(from)).unwrap_or(0);
        self.command_cycles(bus, from + stop)
    }

    /// How a page that was read moves from the array to the controller. Returns when the array is
    /// released, and the transfer.
    fn read_out(
        &self,
        plane: u32,
        bus: &Search<'_>,
        from: Nanos,
        transfer: Nanos,
    ) -> (Nanos, Option<Span>) {
        if transfer == 0 {
            return (from, None);
        }
        if !self.cache_read {
            let transfer = bus.find(from, transfer);
            return (transfer.1, Some(transfer));
        }
        let register = &self.registers[self.register_of_reads(plane)];
        let moved = register.search().first(from, 0, |moved| bus.find(moved, transfer).1);
        (moved, Some(bus.find(moved, transfer)))
    }

    fn program(&mut self, order: &Order) -> Placed {
        let Order { plane, ready, after, time, .. } = *order;
        let array = self.array(plane);
        let bus = &self.bus(plane).search();
        let (data, begin) = if self.cache_program {
            let begin =
                |arrived: Nanos| array.first_write(arrived.max(after), time, |begin| begin + time);
            let data = self.bring_in(plane, bus, ready, begin);
            (data, begin(data.1))
        } else {
            let arrival = |from| self.bring_in(plane, bus, from, |arrived| arrived);
            let shortest = self.transfer + time;
            let data = arrival(array.first_write(ready, shortest, |from| arrival(from).1 + time));
            (data, data.1)
        };
        let work = (begin, begin + time);
        let held = match self.cache_program || self.suspend.is_some() {
            true => work,
            false => (data.0, work.1),
        };
        self.array_mut(plane).write(held);
        self.incoming(plane, data, work, held)
    }

    /// A program whose page arrives in the span `data`.
    fn incoming(&self, plane: u32, data: Span, work: Span, held: Span) -> Placed {
        let until = if self.cache_program { work.0 } else { data.1 };
        // After an uncached program nothing needs the register before the array is free again.
        let register = self.cache_program || self.registers[plane as usize].overtakes();
        Placed {
            start: data.0,
            end: work.1,
            held,
            work,
            command: (data.0, data.0),
            data: (data.0 < data.1).then_some(data),
            register: (register && self.has_registers()).then_some((data.0, until)),
        }
    }

    /// When a page and its command move to a plane. The page needs the register until
    /// `until(arrival)`.
    fn bring_in(
        &self,
        plane: u32,
        bus: &Search<'_>,
        from: Nanos,
        until: impl Fn(Nanos) -> Nanos,
    ) -> Span {
        let length = self.transfer + self.command;
        if !self.has_registers() {
            return bus.find(from, length);
        }
        let register = &self.registers[plane as usize];
        bus.find(register.search().first(from, 0, |from| until(bus.find(from, length).1)), length)
    }

    /// A copy-back or an erase.
    fn change(&mut self, order: &Order) -> Placed {
        let Order { plane, ready, time, .. } = *order;
        let bus = &self.bus(plane).search();
        let cycles = |from| self.command_cycles(bus, from);
        let from = self.array(plane).first_write(ready, time, |from| cycles(from).1 + time);
        let (start, begin) = cycles(from);
        let held = (start, begin + time);
        let command = self.on_bus((start, begin));
        self.array_mut(plane).write(held);
        let work = (begin, begin + time);
        Placed { start, end: work.1, held, work, command, data: None, register: None }
    }

    fn die_of(&self, plane: u32) -> u32 {
        plane / self.planes_per_die
    }
}

/// The shortest time of an operation that takes any. It is 1 ns where the time depends on the page,
/// or where joining operations may use a rest of a command's time.
fn shortest(device: &DeviceConfig, timing: &Timing) -> Nanos {
    let Timing { read, oob_read, program, erase, .. } = *timing;
    let some = [read, oob_read, program, erase].into_iter().filter(|time| *time > 0);
    match device.cell {
        None | Some(Cell::Slc) if !device.multi_plane => some.min().unwrap_or(1),
        _ => 1,
    }
}

fn booking(order: &Order, placed: &Placed) -> Booking {
    let Order { kind, plane, page: (block, page), source, request, chain, issued, .. } = *order;
    let Purpose { cause, owner } = order.purpose;
    let Placed { start, end, work: array, data: bus, .. } = *placed;
    let some = |block: u32| (block != u32::MAX).then_some(block);
    let (lpn, vtpn) = match owner {
        Some(Owner::Data(lpn)) => (Some(lpn.0), None),
        Some(Owner::Translation(vtpn)) => (None, Some(vtpn.0)),
        None => (None, None),
    };
    Booking {
        request,
        issued,
        chain,
        kind,
        cause,
        lpn,
        vtpn,
        plane,
        block: some(block),
        page,
        source: some(source.0),
        source_page: (source.0 != u32::MAX).then_some(source.1),
        start,
        array,
        bus,
        end,
    }
}
