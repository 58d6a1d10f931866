//! A controller with a heap of events, for every command of a device: operations wait for their array, their
//! cache register and their bus, each of which takes the oldest that may begin as soon as it is free.
//!
//! It is told what was asked for, never when it was done. Transfers take a bus whenever it is free
//! (`device.bus = gaps`); pages of one request share commands (`device.multi_plane_joins = request`).

use ftlab::device::DeviceConfig;
use ftlab::engine::{Booking, Kind};
use ftlab::flash::Geometry;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// What a task has to wait for yet.
#[derive(Clone, Copy, Default)]
struct Waits {
    /// The request to be issued, and what was before it in its chain or is first in its request.
    chain: usize,
    /// What it must not overtake in its block to begin, and to end.
    begin: usize,
    order: usize,
}

#[derive(Clone)]
struct Task {
    what: Booking,
    request: usize,
    waits: Waits,
    /// Tasks that wait for this one.
    chained: Vec<usize>,
    ordered: Vec<usize>,
    command: Option<usize>,
    /// Since when its plane is held for it.
    held: u64,
}

/// Operations that an array does together.
struct Command {
    members: Vec<usize>,
    /// Work left, and since when it is done.
    left: u64,
    since: Option<u64>,
    has_begun: bool,
    /// Counts interruptions.
    version: u32,
    /// Members whose page is not there yet, or has not left.
    missing: usize,
}

#[derive(Default)]
struct Array {
    reads: BTreeSet<usize>,
    writes: BTreeSet<usize>,
    reading: Option<usize>,
    writing: Option<usize>,
}

/// A bus or a register.
#[derive(Clone, Default)]
struct Turns {
    taken: bool,
    waiting: BTreeSet<usize>,
}

impl Turns {
    fn take(&mut self) -> Option<usize> {
        let next = if self.taken { None } else { self.waiting.pop_first() };
        self.taken |= next.is_some();
        next
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Stopped(usize),
    Bus(usize),
    Worked(usize, u32),
}

struct Request {
    tasks: Vec<usize>,
    left: usize,
}

pub struct Controller<'a> {
    device: &'a DeviceConfig,
    geometry: &'a Geometry,
    tasks: Vec<Task>,
    requests: Vec<Request>,
    issued: usize,
    commands: Vec<Command>,
    arrays: Vec<Array>,
    incoming: Vec<Turns>,
    leaving: Vec<Turns>,
    buses: Vec<Turns>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    now: u64,
    /// When each plane was held.
    spans: Vec<Vec<(u64, u64)>>,
}

impl<'a> Controller<'a> {
    /// A device that is asked for what is logged.
    pub fn new(device: &'a DeviceConfig, geometry: &'a Geometry, asked: &[Booking]) -> Self {
        let planes = geometry.planes() as usize;
        let mut controller = Controller {
            device,
            geometry,
            tasks: Vec::new(),
            requests: Vec::new(),
            issued: 0,
            commands: Vec::new(),
            arrays: (0..planes).map(|_| Array::default()).collect(),
            incoming: vec![Turns::default(); planes],
            leaving: vec![Turns::default(); planes],
            buses: vec![Turns::default(); geometry.channels as usize],
            events: BinaryHeap::new(),
            now: 0,
            spans: vec![Vec::new(); planes],
        };
        controller.ask(asked);
        controller
    }

    fn ask(&mut self, asked: &[Booking]) {
        let mut numbers: HashMap<u64, usize> = HashMap::new();
        let mut chains: HashMap<(u64, u32), usize> = HashMap::new();
        // Of each block, what was done on it since it was erased, that included.
        let mut blocks: HashMap<u32, Vec<usize>> = HashMap::new();
        for (number, what) in asked.iter().enumerate() {
            let request = *numbers.entry(what.request).or_insert_with(|| {
                self.requests.push(Request { tasks: Vec::new(), left: 0 });
                self.requests.len() - 1
            });
            let mut chained: BTreeSet<usize> = BTreeSet::new();
            chained.extend(chains.insert((what.request, what.chain), number));
            // What is issued later in its request waits for what comes first there.
            let first = self.requests[request].tasks.iter().copied();
            chained.extend(first.filter(|task| asked[*task].issued < what.issued));
            let mut ordered: BTreeSet<usize> = BTreeSet::new();
            for block in [what.block, what.source].into_iter().flatten() {
                let done = blocks.entry(block).or_default();
                ordered.extend(done.iter().filter(|earlier| precedes(&asked[**earlier], what)));
                if what.kind == Kind::Erase {
                    done.clear();
                }
                done.push(number);
            }
            chained.iter().for_each(|task| self.tasks[*task].chained.push(number));
            ordered.iter().for_each(|task| self.tasks[*task].ordered.push(number));
            let waits =
                Waits { chain: chained.len() + 1, begin: ordered.len(), order: ordered.len() };
            self.requests[request].tasks.push(number);
            self.requests[request].left += 1;
            let (chained, ordered) = (Vec::new(), Vec::new());
            let (what, command) = (*what, None);
            self.tasks.push(Task { what, request, waits, chained, ordered, command, held: 0 });
        }
    }

    /// Runs with so many requests at a time; returns when all is over.
    pub fn run(&mut self, depth: usize) -> u64 {
        (0..depth.min(self.requests.len())).for_each(|_| self.issue());
        self.settle();
        while let Some(Reverse((at, event))) = self.events.pop() {
            self.now = at;
            match event {
                Event::Stopped(command) => self.tell(command),
                Event::Bus(task) => self.transferred(task),
                Event::Worked(command, version) => self.worked(command, version),
            }
            // What is over at this moment is over before anything begins.
            if self.events.peek().is_none_or(|Reverse((next, _))| *next > at) {
                self.settle();
            }
        }
        assert!(self.requests.iter().all(|of| of.left == 0), "an operation that waits for ever");
        self.now
    }

    /// For how long planes are held, all together; where reads interrupt programs, their arrays alone.
    pub fn busy(&self) -> u64 {
        let suspends = self.device.suspend.is_some();
        let mut busy = 0;
        for spans in &self.spans {
            let mut spans = spans.clone();
            spans.sort_unstable();
            let mut until = 0;
            for (start, end) in spans {
                let start = if suspends { start } else { start.max(until) };
                busy += end.saturating_sub(start);
                until = until.max(end);
            }
        }
        busy
    }

    fn issue(&mut self) {
        if let Some(request) = self.requests.get(self.issued) {
            self.issued += 1;
            for task in request.tasks.clone() {
                self.tasks[task].waits.chain -= 1;
                self.wait(task);
            }
        }
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

    fn plane(&self, task: usize) -> usize {
        self.tasks[task].what.plane as usize
    }

    fn is_cached(&self, task: usize) -> bool {
        self.device.cache_program && self.tasks[task].what.kind == Kind::Program
    }

    fn is_read(&self, task: usize) -> bool {
        matches!(self.tasks[task].what.kind, Kind::Read | Kind::ReadOob)
    }

    /// Whether a program takes its array together with its bus.
    fn brings_page(&self, task: usize) -> bool {
        let is_program = self.tasks[task].what.kind == Kind::Program;
        is_program && !self.device.cache_program && self.transfer(task) + self.device.command.0 > 0
    }

    fn transfer(&self, task: usize) -> u64 {
        match self.tasks[task].what.kind {
            Kind::Read | Kind::Program => self.device.page_transfer().1,
            _ => 0,
        }
    }

    /// Something that a task waited for has happened: perhaps it can wait for its array or its register.
    fn wait(&mut self, task: usize) {
        let (waits, plane) = (self.tasks[task].waits, self.plane(task));
        let array = self.array_of(plane as u32);
        match self.tasks[task].command {
            None if waits.chain > 0 => {}
            None if self.is_cached(task) => {
                if waits.begin == 0 {
                    self.incoming[plane].waiting.insert(task);
                }
            }
            None if waits.order > 0 => {}
            None if self.is_read(task) => _ = self.arrays[array].reads.insert(task),
            None if self.brings_page(task) => self.take_bus(task),
            None => _ = self.arrays[array].writes.insert(task),
            Some(command) => self.arrive(command),
        }
    }

    /// A cached program waits for its array when all of its pages are there.
    fn arrive(&mut self, command: usize) {
        let Command { members, missing, has_begun, .. } = &self.commands[command];
        let in_order = members.iter().all(|member| self.tasks[*member].waits.order == 0);
        let first = members[0];
        if *missing == 0 && in_order && !has_begun && self.is_cached(first) {
            let array = self.array_of(self.plane(first) as u32);
            if self.arrays[array].writing != Some(command) {
                self.arrays[array].writes.insert(first);
            }
        }
    }

    /// Everything that is free takes what waits for it.
    fn settle(&mut self) {
        (0..self.incoming.len()).for_each(|plane| self.let_in(plane));
        (0..self.buses.len()).for_each(|bus| self.use_bus(bus));
        (0..self.arrays.len()).for_each(|array| self.choose(array));
        for plane in 0..self.leaving.len() {
            if let Some(task) = self.leaving[plane].take() {
                self.left(task);
                self.take_bus(task);
            }
        }
        (0..self.arrays.len()).for_each(|array| self.choose(array));
        (0..self.incoming.len()).for_each(|plane| self.let_in(plane));
        (0..self.buses.len()).for_each(|bus| self.use_bus(bus));
    }

    /// The page of a cached program comes into its register.
    fn let_in(&mut self, plane: usize) {
        let array = &self.arrays[self.array_of(plane as u32)];
        let older = array.reads.iter().find(|read| self.plane(**read) == plane);
        let first = self.incoming[plane].waiting.first();
        let waits = older.zip(first).is_some_and(|(older, first)| older < first);
        if self.shares_register() && (waits || self.is_leaving(plane)) {
            return;
        }
        let Some(task) = self.incoming[plane].take() else { return };
        if self.tasks[task].command.is_none() {
            self.command(task, |own, task| own.incoming[own.plane(task)].waiting.contains(&task));
        }
        self.take_bus(task);
    }

    /// Whether one register has what comes and what leaves.
    fn shares_register(&self) -> bool {
        self.device.suspend.is_none() && self.device.cache_read
    }

    /// Whether a page is read from a plane or leaves it.
    fn is_leaving(&self, plane: usize) -> bool {
        let Turns { taken, waiting } = &self.leaving[plane];
        let reading = self.arrays[self.array_of(plane as u32)].reading;
        let members = reading.map_or(&[][..], |command| &self.commands[command].members);
        *taken || !waiting.is_empty() || members.iter().any(|member| self.plane(*member) == plane)
    }

    /// The first that may use a bus takes it.
    fn use_bus(&mut self, bus: usize) {
        if self.buses[bus].taken {
            return;
        }
        let first = self.buses[bus].waiting.iter().copied().find(|task| self.may_use_bus(*task));
        let Some(task) = first else { return };
        self.buses[bus].waiting.remove(&task);
        self.buses[bus].taken = true;
        if self.tasks[task].command.is_none() {
            let command = self.command(task, |own, task| own.buses[bus].waiting.contains(&task));
            let array = self.array_of(self.plane(task) as u32);
            self.arrays[array].writing = Some(command);
        }
        let command = &self.commands[self.tasks[task].command.expect("a command")];
        let (cycles, data) = match (command.has_begun, self.is_read(task)) {
            (true, _) => (0, self.transfer(task)),
            (false, true) => (self.device.command.0, 0),
            (false, false) => (self.device.command.0, self.transfer(task)),
        };
        if !command.has_begun && self.device.suspend.is_none() {
            self.tasks[task].held = self.now;
        }
        self.events.push(Reverse((self.now + cycles + data, Event::Bus(task))));
    }

    fn may_use_bus(&self, task: usize) -> bool {
        if self.tasks[task].command.is_some() {
            return true;
        }
        let plane = self.plane(task);
        let array = &self.arrays[self.array_of(plane as u32)];
        let is_free = array.reading.is_none() && array.writing.is_none();
        let is_next = array.reads.first().is_none_or(|read| task < *read);
        is_free && is_next && !(self.shares_register() && self.is_leaving(plane))
    }

    fn take_bus(&mut self, task: usize) {
        let bus = self.geometry.channel_of(self.tasks[task].what.plane) as usize;
        self.buses[bus].waiting.insert(task);
    }

    /// Makes a command of a task, and of those behind it that wait, too, and can share it.
    fn command(&mut self, first: usize, waits: impl Fn(&Self, usize) -> bool) -> usize {
        let planes = self.geometry.shape()[3];
        let of = self.tasks[first].what;
        let mut members = vec![first];
        let shares =
            self.device.multi_plane && matches!(of.kind, Kind::Read | Kind::Program | Kind::Erase);
        for next in first + 1..self.tasks.len() {
            let what = self.tasks[next].what;
            let alike = (what.request, what.kind, what.plane / planes)
                == (of.request, of.kind, of.plane / planes)
                && (what.page == of.page || what.kind == Kind::Erase)
                && members.iter().all(|member| self.tasks[*member].what.plane != what.plane);
            if !shares || !alike || !waits(self, next) {
                break;
            }
            members.push(next);
        }
        let number = self.commands.len();
        members.iter().for_each(|member| self.tasks[*member].command = Some(number));
        let DeviceConfig { read, oob_read, program, erase, .. } = self.device;
        let left = match of.kind {
            Kind::Read => read.0,
            Kind::ReadOob => oob_read.0,
            Kind::Program => program.0,
            Kind::CopyBack => read.0 + program.0,
            Kind::Erase => erase.0,
        };
        let missing = members.len();
        let (since, has_begun, version) = (None, false, 0);
        self.commands.push(Command { members, left, since, has_begun, version, missing });
        number
    }

    fn choose(&mut self, array: usize) {
        let Array { reads, writes, reading, writing } = &self.arrays[array];
        if reading.is_some() {
            return;
        }
        let may_leave =
            |task: &&usize| !(self.shares_register() && self.incoming[self.plane(**task)].taken);
        let (read, write) = (reads.iter().find(may_leave).copied(), writes.first().copied());
        if self.device.suspend.is_none() {
            if writing.is_some() {
                return;
            }
            match (read, write) {
                (Some(read), write) if write.is_none_or(|write| read < write) => {
                    self.begin_read(array, read);
                }
                (_, Some(write)) => self.begin_write(array, write),
                _ => {}
            }
            return;
        }
        match (read, *writing, write) {
            (Some(read), ..) => self.begin_read(array, read),
            (_, Some(command), _) => self.work(command),
            (.., Some(write)) => self.begin_write(array, write),
            _ => {}
        }
    }

    fn begin_read(&mut self, array: usize, task: usize) {
        let command = self.command(task, |own, task| {
            own.arrays[array].reads.contains(&task)
                && !(own.shares_register() && own.incoming[own.plane(task)].taken)
        });
        for member in self.commands[command].members.clone() {
            self.arrays[array].reads.remove(&member);
            self.tasks[member].held = self.now;
        }
        self.arrays[array].reading = Some(command);
        let mut stop = 0;
        if let Some(writing) = self.arrays[array].writing {
            let write = &mut self.commands[writing];
            if let Some(since) = write.since.take() {
                write.left -= self.now - since;
                write.version += 1;
                stop = self.device.suspend.map_or(0, |stop| stop.0);
            }
        }
        self.events.push(Reverse((self.now + stop, Event::Stopped(command))));
    }

    fn begin_write(&mut self, array: usize, task: usize) {
        if let Some(command) = self.tasks[task].command {
            // All pages of a cached program are there.
            self.arrays[array].writes.remove(&task);
            self.arrays[array].writing = Some(command);
            return self.work(command);
        }
        let command = self.command(task, |own, task| own.arrays[array].writes.contains(&task));
        self.arrays[array].writing = Some(command);
        for member in self.commands[command].members.clone() {
            self.arrays[array].writes.remove(&member);
            self.tasks[member].held = self.now;
        }
        self.tell(command);
    }

    /// Command cycles, and with those of a program its page.
    fn tell(&mut self, command: usize) {
        let members = self.commands[command].members.clone();
        let first = self.tasks[members[0]].what.kind;
        let with_data = first == Kind::Program;
        let told = if with_data { members } else { vec![members[0]] };
        if !with_data {
            self.commands[command].missing = 1;
        }
        for task in told {
            let data = if with_data { self.transfer(task) } else { 0 };
            if self.device.command.0 + data > 0 {
                self.take_bus(task);
            } else {
                self.commands[command].missing -= 1;
            }
        }
        if self.commands[command].missing == 0 {
            self.work(command);
        }
    }

    fn transferred(&mut self, task: usize) {
        let bus = self.geometry.channel_of(self.tasks[task].what.plane) as usize;
        self.buses[bus].taken = false;
        let command = self.tasks[task].command.expect("a command");
        if self.commands[command].has_begun {
            // A page has left.
            let plane = self.plane(task);
            if self.device.cache_read {
                self.leaving[plane].taken = false;
            } else {
                self.left(task);
            }
            return self.finish(task);
        }
        self.commands[command].missing -= 1;
        if self.is_cached(task) {
            return self.arrive(command);
        }
        if self.commands[command].missing == 0 {
            self.work(command);
        }
    }

    /// The array works on a command whose pages are there, unless it reads.
    fn work(&mut self, command: usize) {
        let first = self.commands[command].members[0];
        let array = self.array_of(self.plane(first) as u32);
        let reads = self.arrays[array].reading.is_some_and(|reading| reading != command);
        let Command { missing, since, left, version, .. } = self.commands[command];
        if reads || missing > 0 || since.is_some() {
            return;
        }
        let begun = std::mem::replace(&mut self.commands[command].has_begun, true);
        self.commands[command].since = Some(self.now);
        self.events.push(Reverse((self.now + left, Event::Worked(command, version))));
        if begun {
            return;
        }
        for member in self.commands[command].members.clone() {
            if self.is_cached(member) {
                let plane = self.plane(member);
                self.incoming[plane].taken = false;
                if self.device.suspend.is_some() {
                    self.tasks[member].held = self.now;
                }
            } else if self.device.suspend.is_some() && !self.is_read(member) {
                self.tasks[member].held = self.now;
            }
            for next in self.tasks[member].ordered.clone() {
                self.tasks[next].waits.begin -= 1;
                self.wait(next);
            }
        }
    }

    fn worked(&mut self, command: usize, version: u32) {
        if self.commands[command].version != version || self.commands[command].since.is_none() {
            return;
        }
        self.commands[command].since = None;
        let members = self.commands[command].members.clone();
        let array = self.array_of(self.plane(members[0]) as u32);
        for member in &members {
            for next in self.tasks[*member].ordered.clone() {
                self.tasks[next].waits.order -= 1;
                self.wait(next);
            }
        }
        if !self.is_read(members[0]) {
            self.arrays[array].writing = None;
            for member in members {
                if self.device.suspend.is_some() {
                    // For as long as the array worked on it, interruptions left out.
                    let worked = match self.tasks[member].what.kind {
                        Kind::Program => self.device.program.0,
                        Kind::CopyBack => self.device.read.0 + self.device.program.0,
                        _ => self.device.erase.0,
                    };
                    self.tasks[member].held = self.now - worked;
                }
                self.hold(member);
                self.finish(member);
            }
            return;
        }
        self.commands[command].missing = members.len();
        for member in members {
            let plane = self.plane(member);
            if self.transfer(member) == 0 {
                self.left(member);
                self.finish(member);
            } else if self.device.cache_read {
                self.leaving[plane].waiting.insert(member);
            } else {
                self.take_bus(member);
            }
        }
    }

    /// What was read has left the array.
    fn left(&mut self, task: usize) {
        let command = self.tasks[task].command.expect("a command");
        self.commands[command].missing -= 1;
        if self.device.suspend.is_some() {
            self.hold(task);
        }
        if self.commands[command].missing == 0 {
            let array = self.array_of(self.plane(task) as u32);
            self.arrays[array].reading = None;
        }
    }

    fn hold(&mut self, task: usize) {
        let (plane, held) = (self.plane(task), self.tasks[task].held);
        self.spans[plane].push((held, self.now));
    }

    fn finish(&mut self, task: usize) {
        if self.is_read(task) && self.device.suspend.is_none() {
            self.hold(task);
        }
        for next in self.tasks[task].chained.clone() {
            self.tasks[next].waits.chain -= 1;
            self.wait(next);
        }
        let request = self.tasks[task].request;
        self.requests[request].left -= 1;
        if self.requests[request].left == 0 {
            self.issue();
        }
    }
}

/// Whether something must be done before something else on the same block.
fn precedes(earlier: &Booking, later: &Booking) -> bool {
    match (earlier.kind, later.kind) {
        (_, Kind::Erase) | (Kind::Erase, _) => true,
        (Kind::Read | Kind::ReadOob, _) => false,
        (_, Kind::Read | Kind::ReadOob) => earlier.page == later.page,
        _ => true,
    }
}
