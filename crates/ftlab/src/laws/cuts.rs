//! Power is cut in one change of the medium after another, before and within it, and again during
//! or after recovery. Acknowledged data are there afterwards: each page is old or new, with no
//! third version. Below a write buffer, or an FTL that keeps writes in RAM, this holds for flushed
//! data. In every other case trims are durable, and trimmed pages remain trimmed. Where cells have
//! several bits, only pages in the cells of the interrupted page are lost in addition.

use super::case::{Case, pick};
use super::traffic::Traffic;
use crate::crash::shadow::{Durable, Host, Served};
use crate::flash::{Cuts, Device};
use crate::request::Op;
use crate::rng::Rng;
use crate::units::Lpn;

/// Changes of the medium that are cut, or a few more: a run ends with the request that reaches this
/// number.
const CHANGES: usize = 40;
/// Requests of a run, at most.
const REQUESTS: usize = 40;
/// Flash operations of a case after which no further change is cut.
const OPERATIONS: u64 = 60_000;
/// Requests served after recovery, in most cases and in one of [`LONGER`].
const AFTERWARDS: [u64; 2] = [3, 40];
const LONGER: u64 = 16;

/// A run to cut from a change of its medium on, with its promises.
struct Cutting<'a> {
    case: &'a Case<'a>,
    rng: Rng,
    is_buffered: bool,
    /// Flash operations of all recoveries and of the requests after them.
    operations: u64,
}

pub fn power_cuts(case: &Case<'_>) {
    if !case.entry.recovers() {
        return;
    }
    let case = &case.that_may_lose_power();
    let mut erased = case.erased().expect("a device that the FTL accepts");
    erased.remember();
    let mut rng = Rng::new(case.seed(), "cuts");
    erased.checkpoint_every(pick(&mut rng, &[None, Some(1), Some(6), Some(30)]));
    erased.keep_trims(Rng::new(case.seed(), "trims").chance(0.5));
    let mut device = erased.clone();
    let ftl = case.entry.build(&case.config, &mut device).expect("an FTL");
    let buffer = if rng.chance(0.5) { case.buffer(&device) } else { None };
    let is_buffered = buffer.is_some();
    let mut host = Host::new(&case.entry.spec, device, ftl);
    host.put_below(buffer);
    let mut durable = write_some(&mut host, &mut rng);
    let start = host.device.changes();
    let mut traffic = Traffic::draw(case.seed(), durable.pages());
    let mut served = Vec::new();
    while served.len() < REQUESTS && host.device.changes() < start + CHANGES {
        served.push(serve_next(&mut host, &mut traffic, &mut rng));
    }
    let mut cutting = Cutting { case, rng, is_buffered, operations: 0 };
    let mut cuts = Cuts::of(erased, &host.device);
    (0..start).for_each(|_| cuts.advance());
    let mut left = served.iter().peekable();
    loop {
        while let Some(request) = left.next_if(|request| request.changes <= cuts.done()) {
            durable.note(request);
        }
        for &tear in host.device.tears() {
            let place = format!("cut {tear:?} change {}", cuts.done());
            cutting.mount(cuts.cut(tear), &durable, left.peek().copied(), &place);
        }
        if cuts.is_over() || cutting.operations > OPERATIONS {
            return;
        }
        cuts.advance();
    }
}

impl Cutting<'_> {
    /// Mounts a device, checks all pages, serves some requests, and cuts power once more on the
    /// way.
    fn mount(&mut self, device: Device, durable: &Durable, cut: Option<&Served>, place: &str) {
        let durable = &durable.without(device.lost());
        let (mut host, mounted) = self.mounted(device.clone());
        let settled = settle(&mut host, durable, cut, place);
        if self.is_buffered {
            host.put_below(self.case.buffer(&host.device));
        }
        let mut traffic = Traffic::writes(self.rng.below(u64::MAX), settled.pages());
        if host.device.keeps_trims() {
            traffic = traffic.with_trims();
        }
        let mut served = Vec::new();
        let is_longer = self.rng.below(LONGER) == 0;
        for _ in 0..AFTERWARDS[usize::from(is_longer)] {
            served.push(serve_next(&mut host, &mut traffic, &mut self.rng));
        }
        host.audit();
        self.operations += host.device.ledger().flash_operations();
        let again = self.rng.below(host.device.changes() as u64 + 1) as usize;
        let tear = pick(&mut self.rng, host.device.tears());
        let place = format!("{place}, then {tear:?} change {again}");
        let twice = Cuts::of(device, &host.device).at(again, tear);
        if again < mounted {
            let durable = durable.without(twice.lost());
            settle(&mut self.mounted(twice).0, &durable, cut, &place);
            return;
        }
        let mut durable = settled;
        let (done, left): (Vec<_>, Vec<_>) =
            served.iter().partition(|request| request.changes <= again);
        done.into_iter().for_each(|request| durable.note(request));
        let durable = durable.without(twice.lost());
        settle(&mut self.mounted(twice).0, &durable, left.first().copied(), &place);
    }

    /// The FTL on a recovered device, and the number of changes of its medium so far.
    fn mounted(&self, mut device: Device) -> (Host, usize) {
        let mounted = self.case.entry.mount(&self.case.config, &mut device);
        let ftl = mounted.expect("an FTL that recovers").expect("settings that it accepts");
        let changes = device.changes();
        (Host::new(&self.case.entry.spec, device, ftl), changes)
    }
}

/// Serves the next request, sometimes after idle time.
fn serve_next(host: &mut Host, traffic: &mut Traffic, rng: &mut Rng) -> Served {
    host.idle(rng);
    let (op, pages) = flushing(traffic.next(), rng);
    host.serve(op, pages)
}

/// Sometimes a flush in place of a request, or a write that is durable when it is acknowledged.
fn flushing((op, pages): (Op, Vec<Lpn>), rng: &mut Rng) -> (Op, Vec<Lpn>) {
    match (op, rng.below(10)) {
        (_, 0) => (Op::Flush, pages),
        (Op::Write, 1) => (Op::WriteThrough, pages),
        _ => (op, pages),
    }
}

fn settle(host: &mut Host, durable: &Durable, cut: Option<&Served>, place: &str) -> Durable {
    host.settle(durable, cut).unwrap_or_else(|what| panic!("{place}: {what}"))
}

/// Writes nothing, every page once, or every page and then equally many at random.
fn write_some(host: &mut Host, rng: &mut Rng) -> Durable {
    let pages = host.device.geometry().logical_pages;
    let mut durable = Durable::nothing(pages, host.keeps_writes(), host.device.keeps_trims());
    let rounds = rng.below(3) as u32;
    let random = (pages..pages * rounds).map(|_| Lpn(rng.below(u64::from(pages)) as u32));
    for lpn in (0..pages * rounds.min(1)).map(Lpn).chain(random) {
        durable.note(&host.serve(Op::Write, vec![lpn]));
    }
    durable
}
