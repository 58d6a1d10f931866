//! A whole simulation under way: a write buffer above an FTL, requests in open loop with idle time
//! between some of them. Every request is followed by the laws.

use super::case::{Case, PAGE};
use crate::address::{AddressMap, AddressPolicy, Extent};
use crate::flash::{Cause, Operation};
use crate::request::{Op, Request};
use crate::rng::Rng;
use crate::simulate::{Role, Simulator};
use crate::units::{Lpn, Nanos};

pub struct Buffered {
    simulator: Box<dyn Simulator>,
    gaps: Rng,
    time: Nanos,
    pages: u32,
}

impl Buffered {
    pub fn new(case: &Case<'_>) -> Buffered {
        let capacity = case.config.device.capacity.map_or(0, |bytes| bytes.0);
        let all = Extent { volume: 0, first_byte: 0, end_byte: capacity };
        let address = AddressMap::new(AddressPolicy::Overlay, &[all], Some(capacity));
        let address = address.expect("an address map");
        let simulator = case.entry.simulate(&case.config, capacity, address);
        Buffered {
            simulator: simulator.expect("a device that the FTL accepts"),
            gaps: Rng::new(case.seed(), "gaps"),
            time: 0,
            pages: (capacity / PAGE) as u32,
        }
    }

    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Serves a request and checks that every law held.
    pub fn step(&mut self, op: Op, pages: &[Lpn]) {
        self.serve(op, pages);
        self.simulator.check();
    }

    /// Serves a request, at once or after some idle time.
    fn serve(&mut self, op: Op, pages: &[Lpn]) {
        if self.gaps.chance(0.5) {
            self.time += self.gaps.below(40_000);
        }
        let request = Request {
            time: self.time,
            offset: u64::from(pages[0].0) * PAGE,
            length: pages.len() as u32 * PAGE as u32,
            volume: 0,
            op,
        };
        self.simulator.serve(&[request], Role::Asked).expect("inside the device");
    }

    /// Reads every page; each is compared with the last version written, in RAM or on flash.
    pub fn read_everything(&mut self) {
        for lpn in (0..self.pages).map(Lpn) {
            self.serve(Op::Read, &[lpn]);
        }
        self.simulator.check();
    }

    /// Empties the buffer: what the host wrote is on flash, but for what later writes made needless.
    pub fn drain(&mut self) {
        self.simulator.drain().expect("a buffer");
        self.simulator.check();
        let outcome = self.simulator.outcome();
        let counts = outcome.buffer.expect("a buffer").counts().plus(outcome.ftl.buffered());
        assert_eq!(counts.dirty, 0, "pages in RAM after everything was flushed");
        let programs = |cause| outcome.flash.ledger().get(Operation::Program, cause);
        let needed = outcome.host.page_writes + counts.padded_pages - counts.absorbed;
        let found = programs(Cause::Host) + programs(Cause::Padding);
        assert_eq!(found, needed, "pages programmed for the host and to pad groups");
    }
}
