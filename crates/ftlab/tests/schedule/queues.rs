//! A device as queues and a heap of events: operations wait at their plane, which takes the next when it is
//! free. It is told what was asked for, never when it was done, and chooses the schedule itself, including
//! when requests are issued.

use ftlab::device::DeviceConfig;
use ftlab::engine::{Booking, Kind};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Which of the operations that wait a plane takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The one that was asked for first.
    Asked,
    /// The one whose chain came to it first.
    Ready,
}

/// When requests are issued.
#[derive(Clone, Copy, Debug)]
pub enum Arrivals {
    /// At their times.
    Open,
    /// When fewer than so many are in the device.
    Closed(usize),
}

#[derive(Clone)]
pub struct Task {
    pub what: Booking,
    request: usize,
    length: u64,
    /// Tasks that wait for this one, and how many this one waits for.
    next: Vec<usize>,
    waits: usize,
    /// When its chain came to it.
    ready: u64,
    pub start: u64,
    pub end: u64,
}

struct Request {
    arrival: u64,
    tasks: Vec<usize>,
    left: usize,
    issued: u64,
    end: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Done(usize),
    Arrived(usize),
}

pub struct Queues {
    turn: Turn,
    arrivals: Arrivals,
    pub tasks: Vec<Task>,
    requests: Vec<Request>,
    issued: usize,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    waiting: Vec<BinaryHeap<Reverse<(u64, usize)>>>,
    busy: Vec<bool>,
}

impl Queues {
    /// A device whose operations hold their plane for the time in the array and that on its own bus.
    pub fn new(device: &DeviceConfig, asked: &[Booking], turn: Turn, arrivals: Arrivals) -> Self {
        let planes = asked.iter().map(|what| what.plane as usize + 1).max().unwrap_or(0);
        let mut queues = Queues {
            turn,
            arrivals,
            tasks: Vec::new(),
            requests: Vec::new(),
            issued: 0,
            events: BinaryHeap::new(),
            waiting: vec![BinaryHeap::new(); planes],
            busy: vec![false; planes],
        };
        queues.ask(device, asked);
        queues
    }

    fn ask(&mut self, device: &DeviceConfig, asked: &[Booking]) {
        let mut chains: HashMap<(u64, u32), usize> = HashMap::new();
        // Of each block, what was done on it since it was erased, that included.
        let mut blocks: HashMap<u32, Vec<usize>> = HashMap::new();
        let mut requests: BTreeMap<u64, Request> = BTreeMap::new();
        let transfer = device.transfer_per_byte.0 * device.page.0;
        for (number, what) in asked.iter().enumerate() {
            let length = match what.kind {
                Kind::Read => device.read.0 + transfer,
                Kind::ReadOob => device.oob_read.0,
                Kind::Program => device.program.0 + transfer,
                Kind::CopyBack => device.read.0 + device.program.0,
                Kind::Erase => device.erase.0,
            };
            let request = requests.entry(what.request).or_insert_with(|| Request {
                arrival: what.issued,
                tasks: Vec::new(),
                left: 0,
                issued: 0,
                end: 0,
            });
            request.tasks.push(number);
            request.left += 1;
            let mut before: Vec<usize> = Vec::new();
            before.extend(chains.insert((what.request, what.chain), number));
            for block in [what.block, what.source].into_iter().flatten() {
                let done = blocks.entry(block).or_default();
                before.extend(done.iter().filter(|earlier| self.precedes(**earlier, what)));
                if what.kind == Kind::Erase {
                    done.clear();
                }
                done.push(number);
            }
            before.sort_unstable();
            before.dedup();
            for earlier in &before {
                self.tasks[*earlier].next.push(number);
            }
            let (waits, next) = (before.len() + 1, Vec::new());
            let request = requests.len() - 1;
            let what = *what;
            self.tasks.push(Task {
                what,
                request,
                length,
                next,
                waits,
                ready: 0,
                start: 0,
                end: 0,
            });
        }
        self.requests = requests.into_values().collect();
    }

    /// Whether something must be done before something else on the same block.
    fn precedes(&self, earlier: usize, later: &Booking) -> bool {
        let earlier = self.tasks[earlier].what;
        match (earlier.kind, later.kind) {
            (_, Kind::Erase) | (Kind::Erase, _) => true,
            (Kind::Read | Kind::ReadOob, _) => false,
            (_, Kind::Read | Kind::ReadOob) => earlier.page == later.page,
            _ => true,
        }
    }

    fn issue(&mut self, request: usize, now: u64) {
        self.issued += 1;
        self.requests[request].issued = now;
        for task in self.requests[request].tasks.clone() {
            self.tasks[task].ready = now;
            self.release(task);
        }
    }

    /// One of the things that a task waits for has happened.
    fn release(&mut self, task: usize) {
        let released = &mut self.tasks[task];
        released.waits -= 1;
        if released.waits == 0 {
            let rank = if self.turn == Turn::Ready { released.ready } else { 0 };
            self.waiting[released.what.plane as usize].push(Reverse((rank, task)));
        }
    }

    fn finish(&mut self, task: usize, now: u64) {
        self.busy[self.tasks[task].what.plane as usize] = false;
        let chain = |what: &Booking| (what.request, what.chain);
        for next in self.tasks[task].next.clone() {
            if chain(&self.tasks[next].what) == chain(&self.tasks[task].what) {
                self.tasks[next].ready = now;
            }
            self.release(next);
        }
        let request = &mut self.requests[self.tasks[task].request];
        request.left -= 1;
        if request.left == 0 {
            request.end = now;
            if matches!(self.arrivals, Arrivals::Closed(_)) && self.issued < self.requests.len() {
                self.issue(self.issued, now);
            }
        }
    }

    /// Runs to the end; returns when that is.
    pub fn run(&mut self) -> u64 {
        match self.arrivals {
            Arrivals::Open => {
                let arrivals = self.requests.iter().enumerate();
                self.events =
                    arrivals.map(|(n, of)| Reverse((of.arrival, Event::Arrived(n)))).collect();
            }
            Arrivals::Closed(depth) => {
                (0..depth.min(self.requests.len())).for_each(|request| self.issue(request, 0));
            }
        }
        let mut now = 0;
        loop {
            // What is over at this moment is over before anything begins.
            while self.events.peek().is_some_and(|Reverse((at, _))| *at <= now) {
                let Some(Reverse((_, event))) = self.events.pop() else { break };
                match event {
                    Event::Done(task) => self.finish(task, now),
                    Event::Arrived(request) => self.issue(request, now),
                }
            }
            for plane in 0..self.busy.len() {
                if self.busy[plane] {
                    continue;
                }
                let Some(Reverse((_, task))) = self.waiting[plane].pop() else { continue };
                let end = now + self.tasks[task].length;
                (self.tasks[task].start, self.tasks[task].end) = (now, end);
                self.busy[plane] = true;
                self.events.push(Reverse((end, Event::Done(task))));
            }
            let Some(Reverse((next, _))) = self.events.peek() else { break };
            now = *next;
        }
        assert!(self.tasks.iter().all(|task| task.end > 0), "an operation that waits for ever");
        now
    }

    /// Mean time that requests spend in the device.
    pub fn response(&self) -> f64 {
        let spent: u64 = self.requests.iter().map(|of| of.end - of.issued).sum();
        spent as f64 / self.requests.len() as f64
    }

    /// For how long planes work, all together.
    pub fn work(&self) -> u64 {
        self.tasks.iter().map(|task| task.length).sum()
    }
}
