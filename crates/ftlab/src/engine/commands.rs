//! Operations on a device whose commands do more, or less, than those of the plain timeline.
//!
//! ```text
//! multi_plane    planes of a die share its command logic: one command at a time, which works on
//!                several planes if consecutive pages of a request have the same number in their
//!                blocks
//! interleave     without it, the dies of a chip share command logic, too, without multi-plane commands
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
//! There are two simplifications. The command cycles of a program are on the bus together with its data;
//! those of other operations are on it only if gaps may be used, because in order of placement nothing could
//! come between a command and its data. An operation that a later read overtakes keeps the times it was
//! given when it was placed; the operations after it on the plane pay for its delay
//! (choices.md#overtaken-programs).

use super::Timing;
use super::bus::Bus;
use super::log::{Booking, Kind, Log};
use crate::device::{BusOrder, DeviceConfig, Geometry};
use crate::units::Nanos;
use std::collections::VecDeque;

/// A die, chip or plane that does one array operation at a time, or one command on several of its planes.
#[derive(Clone, Debug, Default)]
struct Array {
    free_at: Nanos,
    /// When the last read ends, if reads overtake.
    reading_until: Nanos,
    /// Spans of uninterrupted programs and erases, start to end and ascending, if reads overtake them.
    writing: VecDeque<(Nanos, Nanos)>,
}

impl Array {
    /// Drops the spans that end before `time`: no operation will be ready earlier.
    fn drop_before(&mut self, time: Nanos) {
        while self.writing.front().is_some_and(|(_, end)| *end <= time) {
            self.writing.pop_front();
        }
    }

    /// Index of the first span of writing that ends after `time`.
    fn writing_after(&self, time: Nanos) -> usize {
        self.writing.partition_point(|(_, end)| *end <= time)
    }

    fn writes_at(&self, time: Nanos) -> bool {
        self.writing.get(self.writing_after(time)).is_some_and(|(start, _)| *start <= time)
    }

    /// Adds a program or an erase, after everything else.
    fn write(&mut self, (start, end): (Nanos, Nanos), may_stop: bool) {
        self.free_at = end;
        match self.writing.back_mut().filter(|(_, last)| *last == start) {
            Some((_, last)) => *last = end,
            None if may_stop => self.writing.push_back((start, end)),
            None => {}
        }
    }

    /// Moves the last program, which began at `start`, to `work`.
    fn delay(&mut self, start: Nanos, work: (Nanos, Nanos)) {
        let last = self.writing.pop_back();
        if let Some((earlier, _)) = last.filter(|(earlier, _)| *earlier < start) {
            self.writing.push_back((earlier, start));
        }
        self.write(work, last.is_some());
    }

    /// A read takes the array. The write that it interrupts goes on after it; later writes are put off.
    fn read(&mut self, from: Nanos, until: Nanos) {
        let first = self.writing_after(from);
        let mut next = until;
        for (start, end) in self.writing.range_mut(first..) {
            let done = from.saturating_sub(*start);
            let length = *end - *start - done;
            *start = next.max(*start);
            *end = *start + length;
            next = *end;
        }
        self.reading_until = until;
        self.free_at = self.writing.back().map_or(until, |(_, end)| until.max(*end));
    }
}

/// The command placed last, which the pages after it may join.
#[derive(Clone, Debug)]
struct Last {
    kind: Kind,
    array: u32,
    request: u64,
    page: u32,
    start: Nanos,
    work: (Nanos, Nanos),
    /// Planes that it works on, and their numbers in the log.
    members: Vec<(u32, Option<usize>)>,
}

/// An operation to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub kind: Kind,
    pub plane: u32,
    pub page: u32,
    pub request: u64,
    pub chain: u32,
    pub issued: Nanos,
    /// When the earlier operations of its chain are done.
    pub ready: Nanos,
}

/// The times of an operation that was placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub start: Nanos,
    pub end: Nanos,
    /// Bus time.
    pub on_bus: Nanos,
    /// When the array is held, unless a read overtakes.
    held: (Nanos, Nanos),
    work: (Nanos, Nanos),
    bus: Option<(Nanos, Nanos)>,
}

/// The state of a device with such commands.
#[derive(Clone, Debug)]
pub(super) struct Commands {
    timing: Timing,
    multi_plane: bool,
    cache_read: bool,
    cache_program: bool,
    command: Nanos,
    overtake: bool,
    suspend: Option<Nanos>,
    arrays: Vec<Array>,
    /// Array of each plane.
    array_of: Vec<u32>,
    channel_of: Vec<u32>,
    /// When the cache register of each plane is free.
    registers: Vec<Nanos>,
    buses: Vec<Bus>,
    last: Option<Last>,
    planes_per_die: u32,
    /// How long each plane was held, and until when.
    held: Vec<(Nanos, Nanos)>,
    pub log: Log,
}

impl Commands {
    /// From now on a page read takes this long in the array.
    pub fn set_read_time(&mut self, time: Nanos) {
        self.timing.read = time;
    }

    /// From now on a page program takes this long in the array.
    pub fn set_program_time(&mut self, time: Nanos) {
        self.timing.program = time;
    }

    pub fn new(device: &DeviceConfig, geometry: &Geometry, timing: Timing, log: Log) -> Self {
        let [_, _, dies, planes] = geometry.shape();
        let planes_per_array = match (device.interleave, device.multi_plane) {
            (false, _) => dies * planes,
            (true, true) => planes,
            (true, false) => 1,
        };
        let all = 0..geometry.planes();
        let overtake = device.bus == BusOrder::Gaps;
        let shortest = if device.command.0 > 0 { device.command.0 } else { timing.transfer };
        Commands {
            timing,
            multi_plane: device.multi_plane,
            cache_read: device.cache_read,
            cache_program: device.cache_program,
            command: device.command.0,
            overtake,
            suspend: device.suspend.map(|time| time.0),
            arrays: vec![Array::default(); all.len()],
            array_of: all.clone().map(|plane| plane / planes_per_array).collect(),
            channel_of: all.clone().map(|plane| geometry.channel_of(plane)).collect(),
            registers: vec![0; all.len()],
            buses: vec![Bus::new(overtake, shortest); geometry.channels as usize],
            last: None,
            planes_per_die: planes,
            held: vec![(0, 0); all.len()],
            log,
        }
    }

    /// When a plane and its channel are done with what was placed so far.
    pub fn free_at(&self, plane: u32) -> Nanos {
        let bus = &self.buses[self.channel_of[plane as usize] as usize];
        self.array_free_at(plane).max(bus.free_at())
    }

    fn array_free_at(&self, plane: u32) -> Nanos {
        self.arrays[self.array_of[plane as usize] as usize].free_at
    }

    fn array(&mut self, plane: u32) -> &mut Array {
        &mut self.arrays[self.array_of[plane as usize] as usize]
    }

    /// When everything that was placed so far is done.
    pub fn idle_at(&self) -> Nanos {
        let arrays = self.arrays.iter().map(|array| array.free_at);
        let buses = self.buses.iter().map(Bus::free_at);
        arrays.chain(buses).max().unwrap_or(0)
    }

    /// Makes the device idle at time 0; the log goes on.
    pub fn reset(&mut self) {
        self.arrays.fill(Array::default());
        self.registers.fill(0);
        self.held.fill((0, 0));
        self.buses.iter_mut().for_each(Bus::reset);
        self.last = None;
    }

    /// No operation will be ready before this.
    pub fn issue(&mut self, time: Nanos) {
        self.buses.iter_mut().for_each(|bus| bus.drop_before(time));
        if self.suspend.is_some() {
            self.arrays.iter_mut().for_each(|array| array.drop_before(time));
        }
    }

    /// Places an operation.
    pub fn place(&mut self, order: Order) -> Placed {
        let joined = self.join(order);
        let placed = joined.unwrap_or_else(|| match order.kind {
            Kind::Read => self.read(order, self.timing.read, self.timing.transfer),
            Kind::ReadOob => self.read(order, self.timing.oob_read, 0),
            Kind::Program => self.program(order),
            Kind::CopyBack => self.change(order, self.timing.read + self.timing.program),
            Kind::Erase => self.change(order, self.timing.erase),
        });
        let Order { request, issued, chain, kind, plane, page, .. } = order;
        let Placed { start, end, held, work, bus, .. } = placed;
        if self.suspend.is_some() {
            // Booked times may overlap where a read overtakes, but an array does one thing at a time.
            self.held[plane as usize].0 += held.1 - held.0;
        } else {
            self.hold(plane, start, end);
        }
        let booking =
            Booking { request, issued, chain, kind, plane, page, start, array: work, bus, end };
        let member = (plane, self.log.push(booking));
        match &mut self.last {
            Some(last) if joined.is_some() => last.members.push(member),
            _ if self.multi_plane => {
                let array = self.array_of[plane as usize];
                let members = vec![member];
                self.last = Some(Last { kind, array, request, page, start, work, members });
            }
            _ => {}
        }
        placed
    }

    /// How long a plane was held.
    pub fn busy(&self, plane: u32) -> Nanos {
        self.held[plane as usize].0
    }

    /// Adds to the busy time of a plane the part of a span that no earlier operation held it for.
    fn hold(&mut self, plane: u32, from: Nanos, to: Nanos) {
        let (busy, until) = &mut self.held[plane as usize];
        *busy += to.saturating_sub(from.max(*until));
        *until = to.max(*until);
    }

    fn bus(&mut self, plane: u32) -> &mut Bus {
        &mut self.buses[self.channel_of[plane as usize] as usize]
    }

    /// Start and end of the command cycles of an operation that begins without data on the bus.
    fn command_cycles(&mut self, plane: u32, from: Nanos) -> (Nanos, Nanos) {
        let command = self.command;
        match self.overtake {
            true => self.bus(plane).take(from, command),
            false => (from, from + command),
        }
    }

    fn cycles_on_bus(&self) -> Nanos {
        if self.overtake { self.command } else { 0 }
    }

    fn read(&mut self, order: Order, time: Nanos, transfer: Nanos) -> Placed {
        let Order { plane, ready, .. } = order;
        let suspend = self.suspend;
        let array = self.array(plane);
        let (from, stop) = match suspend {
            Some(stop) => {
                let from = ready.max(array.reading_until);
                (from, if array.writes_at(from) { stop } else { 0 })
            }
            None => (ready.max(array.free_at), 0),
        };
        let (start, begin) = self.command_cycles(plane, from + stop);
        let work = (begin, begin + time);
        let (held_until, bus) = self.read_out(plane, work.1, transfer);
        self.array(plane).read(from, held_until);
        let end = bus.map_or(work.1, |(_, end)| end);
        let on_bus = bus.map_or(0, |(from, to)| to - from) + self.cycles_on_bus();
        Placed { start, end, on_bus, held: (from, held_until), work, bus }
    }

    /// Moves a page from the array to the controller. Returns when the array is released, and the transfer.
    fn read_out(
        &mut self,
        plane: u32,
        from: Nanos,
        transfer: Nanos,
    ) -> (Nanos, Option<(Nanos, Nanos)>) {
        if transfer == 0 {
            return (from, None);
        }
        if !self.cache_read {
            let bus = self.bus(plane).take(from, transfer);
            return (bus.1, Some(bus));
        }
        let moved = from.max(self.registers[plane as usize]);
        let bus = self.bus(plane).take(moved, transfer);
        self.registers[plane as usize] = bus.1;
        (moved, Some(bus))
    }

    fn program(&mut self, order: Order) -> Placed {
        let Order { plane, ready, .. } = order;
        let free_at = self.array_free_at(plane);
        let (bus, start) = self.bring_in(plane, ready, free_at);
        let begin = bus.map_or(start, |(_, end)| end).max(free_at);
        let work = (begin, begin + self.timing.program);
        self.write(plane, work);
        let on_bus = bus.map_or(0, |(from, to)| to - from);
        Placed { start, end: work.1, on_bus, held: work, work, bus }
    }

    /// Moves a page and its command to a plane. Returns the transfer, and when the operation begins.
    fn bring_in(
        &mut self,
        plane: u32,
        ready: Nanos,
        array_free_at: Nanos,
    ) -> (Option<(Nanos, Nanos)>, Nanos) {
        let register = self.registers[plane as usize];
        let from = match self.cache_program {
            true => ready.max(register),
            false => ready.max(register).max(array_free_at),
        };
        let length = self.timing.transfer + self.command;
        let (start, end) = self.bus(plane).take(from, length);
        if self.cache_program {
            self.registers[plane as usize] = end.max(array_free_at);
        }
        ((length > 0).then_some((start, end)), start)
    }

    /// A copy-back or an erase.
    fn change(&mut self, order: Order, time: Nanos) -> Placed {
        let Order { plane, ready, .. } = order;
        let from = ready.max(self.array_free_at(plane));
        let (start, begin) = self.command_cycles(plane, from);
        let work = (begin, begin + time);
        self.write(plane, (start, work.1));
        Placed {
            start,
            end: work.1,
            on_bus: self.cycles_on_bus(),
            held: (start, work.1),
            work,
            bus: None,
        }
    }

    /// The array of a plane programs or erases.
    fn write(&mut self, plane: u32, work: (Nanos, Nanos)) {
        let may_stop = self.suspend.is_some();
        self.array(plane).write(work, may_stop);
    }

    /// Places an operation as part of the command before it, if that is of the same kind, for the same
    /// request, on another plane of the die, at the same page, and began when the operation was ready.
    fn join(&mut self, order: Order) -> Option<Placed> {
        let Order { kind, plane, page, request, ready, .. } = order;
        let last = self.last.take().filter(|last| self.multi_plane && last.kind == kind)?;
        let same_die = last.array == self.array_of[plane as usize]
            && self.die_of(plane) == self.die_of(last.members[0].0);
        let fits = same_die
            && last.request == request
            && last.page == page
            && ready <= last.start
            && last.members.iter().all(|(member, _)| *member != plane);
        if !fits || matches!(kind, Kind::ReadOob | Kind::CopyBack) {
            return None;
        }
        let placed = match kind {
            Kind::Program => self.join_program(order, &last),
            _ => self.join_read_or_erase(order, &last),
        };
        self.last = Some(Last { work: placed.work, ..last });
        Some(placed)
    }

    fn join_read_or_erase(&mut self, order: Order, last: &Last) -> Placed {
        let transfer = if order.kind == Kind::Read { self.timing.transfer } else { 0 };
        let (held_until, bus) = self.read_out(order.plane, last.work.1, transfer);
        let array = self.array(order.plane);
        if order.kind == Kind::Read && held_until > array.reading_until {
            array.read(array.reading_until, held_until);
        }
        let end = bus.map_or(last.work.1, |(_, end)| end);
        let on_bus = bus.map_or(0, |(from, to)| to - from);
        let held = (last.work.0, held_until);
        Placed { start: last.start, end, on_bus, held, work: last.work, bus }
    }

    /// Starts all programs of the command when the last page has arrived.
    fn join_program(&mut self, order: Order, last: &Last) -> Placed {
        let (bus, start) = self.bring_in(order.plane, last.start.max(order.ready), 0);
        let begin = bus.map_or(start, |(_, end)| end).max(last.work.0);
        let work = (begin, begin + self.timing.program);
        self.array(order.plane).delay(last.work.0, work);
        for (plane, number) in &last.members {
            if self.suspend.is_none() {
                self.hold(*plane, last.start, work.1);
            }
            if let Some(number) = number {
                self.log.delay(*number, work);
            }
        }
        if self.cache_program {
            let members = last.members.iter().map(|(plane, _)| *plane).chain([order.plane]);
            members.for_each(|plane| self.registers[plane as usize] = begin);
        }
        let on_bus = bus.map_or(0, |(from, to)| to - from);
        Placed { start, end: work.1, on_bus, held: work, work, bus }
    }

    fn die_of(&self, plane: u32) -> u32 {
        plane / self.planes_per_die
    }
}
