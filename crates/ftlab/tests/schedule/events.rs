//! A heap of events: operations wait in the queues of planes, cache registers and buses in the order in
//! which they were placed, and a heap of events wakes them up. It is told what was asked for, never
//! when it was done.

use ftlab::device::DeviceConfig;
use ftlab::engine::{Booking, Kind};
use ftlab::flash::Geometry;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Where an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Others before it in its chain are not done.
    Blocked,
    /// Waits for its plane (a cached program: for the register) and what it needs beside.
    Queued,
    /// A page on its way in.
    Incoming,
    /// Waits for the array, or for the rest of its command.
    Arrived,
    /// The array is at work.
    Working,
    /// Waits for the register or the bus.
    Read,
    /// A page on its way out.
    Outgoing,
    Done,
}

pub struct Task {
    pub what: Booking,
    stage: Stage,
    until: u64,
    /// The first of its multi-plane command.
    pub leader: usize,
    pub start: u64,
    pub array: (u64, u64),
    pub bus: Option<(u64, u64)>,
}

/// Queues of operations: the first one has the resource.
type Queues = Vec<VecDeque<usize>>;

pub struct Model<'a> {
    device: &'a DeviceConfig,
    geometry: Geometry,
    pub tasks: Vec<Task>,
    arrays: Queues,
    registers: Queues,
    buses: Queues,
    wakes: BinaryHeap<Reverse<u64>>,
}

impl<'a> Model<'a> {
    pub fn new(device: &'a DeviceConfig, geometry: Geometry, asked: &[Booking]) -> Self {
        let queues = || vec![VecDeque::new(); geometry.planes() as usize];
        let mut model = Model {
            device,
            arrays: queues(),
            registers: queues(),
            buses: queues(),
            geometry,
            tasks: Vec::new(),
            wakes: BinaryHeap::new(),
        };
        for (number, &what) in asked.iter().enumerate() {
            let stage = Stage::Blocked;
            let leader = number;
            model.tasks.push(Task {
                what,
                stage,
                until: 0,
                leader,
                start: 0,
                array: (0, 0),
                bus: None,
            });
            model.wakes.push(Reverse(what.issued));
            let (array, bus) = (model.array(number), model.bus(number));
            model.arrays[array].push_back(number);
            if model.uses_register(number) {
                model.registers[what.plane as usize].push_back(number);
            }
            if model.uses_bus(number) {
                model.buses[bus].push_back(number);
            }
        }
        model
    }

    fn array(&self, task: usize) -> usize {
        let [_, _, dies, planes] = self.geometry.shape();
        let plane = self.tasks[task].what.plane;
        let shared = match (self.device.interleave, self.device.multi_plane) {
            (true, false) => plane,
            (true, true) => plane / planes,
            (false, _) => plane / planes / dies,
        };
        shared as usize
    }

    fn bus(&self, task: usize) -> usize {
        self.geometry.channel_of(self.tasks[task].what.plane) as usize
    }

    fn transfer(&self) -> u64 {
        self.device.transfer_per_byte.0 * self.device.page.0
    }

    fn uses_register(&self, task: usize) -> bool {
        match self.tasks[task].what.kind {
            Kind::Read => self.device.cache_read && self.transfer() > 0,
            Kind::Program => self.device.cache_read || self.device.cache_program,
            _ => false,
        }
    }

    fn uses_bus(&self, task: usize) -> bool {
        match self.tasks[task].what.kind {
            Kind::Read => self.transfer() > 0,
            Kind::Program => self.transfer() + self.device.command.0 > 0,
            _ => false,
        }
    }

    fn has_register(&self, task: usize) -> bool {
        let queue = &self.registers[self.tasks[task].what.plane as usize];
        !self.uses_register(task) || queue.front() == Some(&task)
    }

    fn has_bus(&self, task: usize) -> bool {
        !self.uses_bus(task) || self.buses[self.bus(task)].front() == Some(&task)
    }

    /// Whether the command of a task has the array.
    fn has_array(&self, task: usize) -> bool {
        self.arrays[self.array(task)].front() == Some(&self.tasks[task].leader)
    }

    fn work(&self, kind: Kind) -> u64 {
        let DeviceConfig { read, oob_read, program, erase, .. } = self.device;
        match kind {
            Kind::Read => read.0,
            Kind::ReadOob => oob_read.0,
            Kind::Program => program.0,
            Kind::CopyBack => read.0 + program.0,
            Kind::Erase => erase.0,
        }
    }

    /// Whether all that comes before a task in its chain is done.
    fn is_ready(&self, task: usize, now: u64) -> bool {
        let what = self.tasks[task].what;
        let before = self.tasks[..task].iter().rev();
        let mut same =
            before.filter(|t| (t.what.request, t.what.chain) == (what.request, what.chain));
        what.issued <= now && same.next().is_none_or(|t| t.stage == Stage::Done)
    }

    /// Takes the operations that follow a command into it, as long as they fit.
    fn gather(&mut self, leader: usize, now: u64) {
        let first = self.tasks[leader].what;
        if !self.device.multi_plane || matches!(first.kind, Kind::ReadOob | Kind::CopyBack) {
            return;
        }
        let die = |plane: u32| plane / self.device.planes_per_die;
        let mut planes = vec![first.plane];
        for next in leader + 1..self.tasks.len() {
            let what = self.tasks[next].what;
            let alike =
                (what.kind, what.request, what.page) == (first.kind, first.request, first.page);
            let fits =
                alike && die(what.plane) == die(first.plane) && !planes.contains(&what.plane);
            if !fits || !self.is_ready(next, now) {
                return;
            }
            planes.push(what.plane);
            let array = self.array(next);
            self.arrays[array].retain(|task| *task != next);
            self.tasks[next].leader = leader;
            self.tasks[next].start = now;
        }
    }

    fn members(&self, leader: usize) -> Vec<usize> {
        let after = leader..self.tasks.len();
        after.take_while(|task| self.tasks[*task].leader == leader).collect()
    }

    fn begin(&mut self, task: usize, stage: Stage, now: u64, length: u64) {
        self.tasks[task].stage = stage;
        self.tasks[task].until = now + length;
        self.wakes.push(Reverse(now + length));
    }

    /// Takes a task one step further, if it can go.
    fn step(&mut self, task: usize, now: u64) -> bool {
        let Task { what, stage, until, leader, .. } = self.tasks[task];
        let leads = leader == task;
        match stage {
            Stage::Blocked if self.is_ready(task, now) => self.tasks[task].stage = Stage::Queued,
            Stage::Queued if what.kind == Kind::Program => return self.let_in(task, now),
            Stage::Queued if leads && self.has_array(task) => {
                self.tasks[task].start = now;
                self.gather(task, now);
                let begin = now + self.device.command.0;
                for member in self.members(task) {
                    self.tasks[member].array = (begin, begin + self.work(what.kind));
                    self.begin(member, Stage::Working, begin, self.work(what.kind));
                }
            }
            Stage::Incoming if until <= now => {
                self.tasks[task].stage = Stage::Arrived;
                if self.uses_bus(task) {
                    self.tasks[task].bus =
                        Some((until - self.transfer() - self.device.command.0, now));
                    let bus = self.bus(task);
                    self.buses[bus].pop_front();
                }
            }
            Stage::Arrived if leads && self.has_array(task) => {
                let members = self.members(task);
                if members.iter().any(|member| self.tasks[*member].stage != Stage::Arrived) {
                    return false;
                }
                for member in members {
                    self.tasks[member].array = (now, now + self.work(what.kind));
                    self.begin(member, Stage::Working, now, self.work(what.kind));
                    if self.uses_register(member) {
                        let plane = self.tasks[member].what.plane;
                        self.registers[plane as usize].pop_front();
                    }
                }
            }
            Stage::Working if until <= now => {
                let goes_on = what.kind == Kind::Read && self.uses_bus(task);
                self.tasks[task].stage = if goes_on { Stage::Read } else { Stage::Done };
                self.leave_array(task);
            }
            Stage::Read if self.has_register(task) && self.has_bus(task) => {
                self.tasks[task].bus = Some((now, now + self.transfer()));
                self.begin(task, Stage::Outgoing, now, self.transfer());
                self.leave_array(task);
            }
            Stage::Outgoing if until <= now => {
                self.tasks[task].stage = Stage::Done;
                let bus = self.bus(task);
                self.buses[bus].pop_front();
                if self.uses_register(task) {
                    self.registers[what.plane as usize].pop_front();
                }
                self.leave_array(task);
            }
            _ => return self.hand_over(task),
        }
        true
    }

    /// A page that was read gives the array free as soon as it has the cache register.
    fn hand_over(&mut self, task: usize) -> bool {
        let waits = self.tasks[task].stage == Stage::Read && self.uses_register(task);
        waits && self.has_register(task) && self.leave_array(task)
    }

    /// A program begins when it has the bus, the register, and, where nothing is cached, the array.
    fn let_in(&mut self, task: usize, now: u64) -> bool {
        let Task { leader, .. } = self.tasks[task];
        let has_array = self.device.cache_program || self.has_array(task);
        if !(has_array && self.has_register(task) && self.has_bus(task)) {
            return false;
        }
        if leader == task {
            self.tasks[task].start = now;
            self.gather(task, now);
        }
        self.tasks[task].start = now;
        self.begin(task, Stage::Incoming, now, self.transfer() + self.device.command.0);
        true
    }

    /// Frees the array when no task of a command needs it any more. Returns whether it does.
    fn leave_array(&mut self, task: usize) -> bool {
        let leader = self.tasks[task].leader;
        let needs = |member: &usize| match self.tasks[*member].stage {
            Stage::Done => false,
            Stage::Read => !(self.uses_register(*member) && self.has_register(*member)),
            Stage::Outgoing => !self.uses_register(*member),
            _ => true,
        };
        let array = self.array(task);
        let free = self.has_array(task) && !self.members(leader).iter().any(needs);
        if free {
            self.arrays[array].pop_front();
        }
        free
    }

    /// Runs to the end.
    pub fn run(&mut self) {
        let mut last = None;
        while let Some(Reverse(now)) = self.wakes.pop() {
            if last.replace(now) == Some(now) {
                continue;
            }
            // What is over at this moment is over before anything begins.
            loop {
                let over = |t: &Task| {
                    matches!(t.stage, Stage::Incoming | Stage::Working | Stage::Outgoing)
                        && t.until <= now
                };
                match self.tasks.iter().position(over) {
                    Some(task) => drop(self.step(task, now)),
                    None => break,
                }
            }
            while (0..self.tasks.len()).any(|task| self.step(task, now)) {}
        }
        let stuck = self.tasks.iter().position(|task| task.stage != Stage::Done);
        assert_eq!(stuck, None, "an operation that waits for ever");
    }
}
