//! Operations on several planes of a die that take one command together.
//!
//! By default these are consecutive pages of one request, at the same page of their blocks. The
//! programs of a command wait for its last page. With `device.multi_plane_joins = waiting`
//! operations of any request and of GC join. A command includes all operations that are ready
//! before it begins, on planes that it does not use. It delays the end of no earlier operation
//! (choices.md#multi-plane-joins).

use super::{Commands, Order, Placed};
use crate::device::{DeviceConfig, MultiPlaneJoins};
use crate::engine::log::Kind;
use crate::units::Nanos;
use std::collections::VecDeque;

/// Commands of an array that are remembered: the last that were placed.
const MOST_OPEN: usize = 64;

/// A command that others may join.
#[derive(Clone, Debug)]
struct Command {
    start: Nanos,
    work: (Nanos, Nanos),
    /// When the array is done with it.
    held_until: Nanos,
    /// What it works on, and its numbers in the log.
    members: Vec<(Order, Option<usize>)>,
}

impl Command {
    fn first(&self) -> &Order {
        &self.members[0].0
    }

    /// Whether an operation does the same on another plane: at the same page, and from the same
    /// page.
    fn is_alike(&self, order: &Order) -> bool {
        let first = self.first();
        let at = |order: &Order| (order.kind, order.page.1, order.source.1);
        let pages = order.kind == Kind::Erase || at(first) == at(order);
        let of_others = |(member, _): &(Order, _)| member.plane != order.plane;
        let planes_differ =
            || unless_bug!(JoinsItsOwnPlane, self.members.iter().all(of_others), true);
        first.kind == order.kind && pages && planes_differ()
    }
}

/// The commands that others may join.
#[derive(Clone, Debug)]
pub(super) struct Open {
    joins: MultiPlaneJoins,
    /// Those of each array, in the order of placement. If only pages of a request join, only the
    /// last one.
    commands: Vec<VecDeque<Command>>,
    /// The array of the command placed last, unless an operation has joined another command since.
    last: Option<u32>,
}

impl Open {
    /// None yet, if the device has such commands.
    pub fn new(device: &DeviceConfig, arrays: usize) -> Option<Self> {
        let joins = device.multi_plane_joins;
        let commands = vec![VecDeque::new(); arrays];
        device.multi_plane.then_some(Open { joins, commands, last: None })
    }

    pub fn reset(&mut self) {
        self.commands.iter_mut().for_each(VecDeque::clear);
        self.last = None;
    }
}

impl Commands {
    /// Places an operation as part of an earlier command. Returns its number among the commands of
    /// the array.
    pub(super) fn join(&mut self, order: &Order) -> Option<(Placed, usize)> {
        let open = self.open.as_mut()?;
        let array = self.array_of[order.plane as usize];
        let (joins, last) = (open.joins, open.last);
        // Taken out, because placing changes the rest.
        let commands = std::mem::take(&mut open.commands[array as usize]);
        let mut joined = match commands.back() {
            Some(command) if last == Some(array) => {
                self.join_last(order, command).map(|placed| (placed, commands.len() - 1))
            }
            _ => None,
        };
        if joined.is_none() && joins == MultiPlaneJoins::Waiting {
            joined = self.join_waiting(order, &commands);
        }
        let open = self.open.as_mut()?;
        open.commands[array as usize] = commands;
        joined
    }

    /// Notes a command that an operation has joined, or one that others may join.
    pub(super) fn remember(
        &mut self,
        member: (Order, Option<usize>),
        placed: &Placed,
        joined: Option<usize>,
    ) {
        let Some(open) = &mut self.open else { return };
        let array = self.array_of[member.0.plane as usize];
        let commands = &mut open.commands[array as usize];
        let Placed { start, work, held: (_, held_until), .. } = *placed;
        match joined.and_then(|number| commands.get_mut(number)) {
            Some(command) => {
                command.work = work;
                command.held_until = command.held_until.max(held_until);
                command.members.push(member);
            }
            None => {
                let most = if open.joins == MultiPlaneJoins::Request { 1 } else { MOST_OPEN };
                if commands.len() == most {
                    commands.pop_front();
                }
                commands.push_back(Command { start, work, held_until, members: vec![member] });
                open.last = Some(array);
            }
        }
    }

    /// Joins the last command, if it is for the same request and the operation was ready by its
    /// start.
    fn join_last(&mut self, order: &Order, last: &Command) -> Option<Placed> {
        let fits = self.can_share(order, last)
            && last.first().request == order.request
            && order.ready <= last.start;
        match order.kind {
            Kind::ReadOob | Kind::CopyBack => None,
            _ if !fits => None,
            Kind::Program => self.join_program(order, last),
            Kind::Read | Kind::Erase => self.join_as_it_is(order, last),
        }
    }

    /// Joins the first command that begins after the operation is ready and can include it
    /// unchanged.
    fn join_waiting(
        &mut self,
        order: &Order,
        commands: &VecDeque<Command>,
    ) -> Option<(Placed, usize)> {
        let fits = |number: &usize| {
            let command = &commands[*number];
            let is_ready =
                unless_bug!(JoinsWhatHasBegun, order.ready <= self.latest(command), true);
            is_ready && self.can_share(order, command)
        };
        if order.kind == Kind::ReadOob {
            return None;
        }
        let mut found: Vec<usize> = (0..commands.len()).filter(fits).collect();
        found.sort_by_key(|number| commands[*number].start);
        let placed = found.into_iter().find_map(|number| {
            let command = &commands[number];
            let placed = match order.kind {
                Kind::Program => self.join_in_time(order, command),
                _ => self.join_as_it_is(order, command),
            };
            Some((placed?, number))
        });
        if let (Some(_), Some(open)) = (placed, &mut self.open) {
            // Its pages are of several requests now, and none of them may be delayed.
            open.last = None;
        }
        placed
    }

    /// Whether a command can do an operation on another plane of its die in the same time. A page
    /// in SLC mode takes less time than others of its number.
    fn can_share(&self, order: &Order, command: &Command) -> bool {
        self.die_of(order.plane) == self.die_of(command.first().plane)
            && command.is_alike(order)
            && command.work.1 - command.work.0 == order.time
    }

    /// When an operation has to be ready to join a command. The page of a cached program arrives before its
    /// array begins.
    fn latest(&self, command: &Command) -> Nanos {
        match command.first().kind {
            Kind::Program if self.cache_program => command.work.0,
            _ => command.start,
        }
    }

    /// Joins a read, a copy-back or an erase. A page that is read leaves after the earlier pages.
    fn join_as_it_is(&mut self, order: &Order, command: &Command) -> Option<Placed> {
        let Order { kind, plane, .. } = *order;
        let transfer = if kind == Kind::Read { self.transfer } else { 0 };
        let bus = &self.bus(plane).search();
        let (held_until, data) = self.read_out(plane, bus, command.work.1, transfer);
        if held_until > command.held_until {
            if !self.array(plane).can_extend(command.held_until, held_until, false) {
                return None;
            }
            self.array_mut(plane).read((command.held_until, held_until));
        }
        Some(Placed {
            start: command.start,
            end: data.map_or(command.work.1, |(_, end)| end),
            held: (command.work.0, held_until),
            work: command.work,
            command: (command.start, command.start),
            data,
            register: data.filter(|_| self.cache_read).map(|(_, end)| (held_until, end)),
        })
    }

    /// A program whose page arrives before those of the command begin.
    fn join_in_time(&self, order: &Order, command: &Command) -> Option<Placed> {
        let Order { plane, ready, after, .. } = *order;
        let begin = command.work.0;
        let from = if self.cache_program { ready } else { command.start };
        let until = |arrived: Nanos| if self.cache_program { arrived.max(begin) } else { arrived };
        let data = self.bring_in(plane, &self.bus(plane).search(), from, until);
        let fits = data.1 <= begin && after <= begin;
        fits.then(|| self.incoming(plane, data, command.work, command.work))
    }

    /// Starts all programs of the command when the last page has arrived.
    fn join_program(&mut self, order: &Order, last: &Command) -> Option<Placed> {
        let Order { plane, ready, after, time, .. } = *order;
        let together = last.work.0.max(after);
        let begin = |arrived: Nanos| match self.cache_program {
            true => arrived.max(together),
            false => arrived,
        };
        let bus = &self.bus(plane).search();
        let data = self.bring_in(plane, bus, last.start.max(ready), begin);
        let begin = data.1.max(together);
        let work = (begin, begin + time);
        let registers = || last.members.iter().map(|(member, _)| member.plane as usize);
        let kept = (last.work.0, begin);
        let keeps =
            |plane: usize| self.registers[plane].search().first(kept.0, 0, |_| begin) == kept.0;
        let fits = self.array(plane).can_extend(last.work.1, work.1, true)
            && (!self.cache_program || kept.0 >= kept.1 || registers().all(keeps));
        if !fits {
            return None;
        }
        self.array_mut(plane).delay(last.work, work);
        for (member, number) in &last.members {
            self.blocks.delay(member.plane, member.page, work.1);
            if self.suspend.is_none() {
                self.hold(member.plane, last.start, work.1);
            }
            if let Some(number) = number {
                self.log.delay(*number, work);
            }
        }
        if self.cache_program {
            for plane in registers() {
                self.registers[plane].hold(kept.0, kept.1);
            }
        }
        Some(self.incoming(plane, data, work, work))
    }
}
