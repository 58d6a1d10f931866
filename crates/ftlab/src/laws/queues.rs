//! A deeper queue is never slower: waiting operations begin as soon as their resources are free.

use super::case::{Case, between};
use super::run::Run;
use super::traffic::Traffic;
use super::{REQUESTS, begin};
use crate::device::{BusOrder, DeviceConfig};
use crate::flash::Ledger;
use crate::rng::Rng;
use crate::units::{Duration, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Queue depths, far enough apart that chance has no effect.
const DEPTHS: [usize; 3] = [1, 8, 64];

/// Neither more requests at a time nor reads that stop programs make a run longer. A margin covers
/// the order of operations, since placed operations are not moved.
pub fn a_deeper_queue_is_never_slower(case: &Case<'_>) {
    let mut case = case.clone();
    let rng = &mut Rng::new(case.seed(), "queues");
    draw_commands(&mut case.config.device, rng);
    if case.build().is_err() {
        return;
    }
    let runs = DEPTHS.map(|depth| Work::of(&case, depth));
    for (depths, runs) in DEPTHS.windows(2).zip(runs.windows(2)) {
        let times = [runs[0].time, runs[1].time];
        let is_fast = runs[1].is_as_fast_as(&runs[0]);
        assert!(is_fast, "{times:?} ns with {depths:?} requests at a time");
    }
    let mut without = case.clone();
    without.config.device.suspend = None;
    let [.., depth] = DEPTHS;
    let [.., with] = runs;
    let without = Work::of(&without, depth);
    let times = (with.time, without.time);
    let is_fast = with.is_as_fast_as(&without);
    assert!(is_fast, "{} ns where reads stop programs, else {} ns", times.0, times.1);
}

/// The time and the operations of the requests of a case.
struct Work {
    time: Nanos,
    operations: Ledger,
}

impl Work {
    fn of(case: &Case<'_>, depth: usize) -> Self {
        let mut run = begin(case);
        let time = time(case, &mut run, depth);
        Work { time, operations: run.device.ledger().clone() }
    }

    /// An FTL that uses the clock to choose a plane may do other work then, which is not compared.
    fn is_as_fast_as(&self, other: &Work) -> bool {
        self.operations != other.operations || self.time <= other.time + other.time / 2
    }
}

/// Any of the commands that permit parallel work. Stops are short, because each costs time at
/// greater depth. The bus uses gaps: in the order of placement it idles before operations late in a
/// chain (choices.md#bus-order).
fn draw_commands(device: &mut DeviceConfig, rng: &mut Rng) {
    let flip = |rng: &mut Rng| rng.chance(0.5);
    device.read.0 = 100 + rng.below(400);
    device.program.0 = 1000 + rng.below(4000);
    device.suspend = rng.chance(0.7).then(|| Duration(rng.below(20)));
    device.cache_read = rng.chance(0.7);
    device.cache_program = rng.chance(0.7);
    device.multi_plane |= device.planes_per_die > 1 && flip(rng);
    device.command = Duration(u64::from(between(rng, 0, 3)));
    device.bus = BusOrder::Gaps;
}

/// The time of the requests of a case.
fn time(case: &Case<'_>, run: &mut Run, depth: usize) -> Nanos {
    let since = run.device.timeline().idle_at();
    let mut traffic = Traffic::draw(case.seed(), run.pages());
    let (mut outstanding, mut end) = (BinaryHeap::new(), since);
    for _ in 0..4 * REQUESTS {
        let now = match outstanding.len() == depth {
            true => outstanding.pop().map_or(since, |Reverse(end)| end),
            false => since,
        };
        let (op, pages) = traffic.next();
        let done = run.serve_at(now, op, &pages);
        outstanding.push(Reverse(done));
        end = end.max(done);
    }
    end.max(run.device.timeline().idle_at()) - since
}
