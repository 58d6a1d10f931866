//! When things happen: integer nanoseconds, a calendar for each plane and channel, no event heap.
//!
//! An operation starts at the earliest time at which the operations it depends on have ended and its
//! plane and channel are free for it. The operations of one page access form a *chain*: each starts when the
//! one before it has ended. The pages of a request are separate chains that start when the request is
//! issued; the request is complete when its last chain is. A chain whose resources are free thereby
//! overtakes one that waits, and an operation goes before one that was placed earlier but is not ready yet.
//!
//! ```text
//! read       plane |== T_r ==|-- wait for bus --|= transfer =|
//! program    plane |= transfer =|===== T_w =====|     a plane's one page register is held throughout
//! copy-back  plane |== T_r ==|===== T_w =====|        the channel is not touched
//! erase      plane |======== T_er ========|
//! ```
//!
//! What was placed is never moved (choices.md#plane-order); transfers take gaps of a bus only where it is told
//! to (choices.md#bus-order).
//!
//! The published response-time models are settings (choices.md#host-model): one plane without transfer
//! in open loop is the FIFO single server of `FlashSim`; closed loop with one request outstanding is
//! "no queue".

#![allow(clippy::inline_always)] // part of every flash command

mod array;
mod blocks;
mod calendar;
mod commands;
mod gaps;
mod log;
mod map_memory;

pub use log::{Booking, Kind, Log};

use crate::device::{DeviceConfig, Geometry};
use crate::purpose::Purpose;
use crate::units::{Nanos, Pbn};
use blocks::Page;
use commands::{Commands, Order};
use map_memory::MapMemory;

/// Of what is no copy-back.
const NO_PAGE: Page = (u32::MAX, 0);

/// Durations of the flash operations, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Array time of a page read.
    pub read: Nanos,
    /// Array time of an OOB read.
    pub oob_read: Nanos,
    /// Array time of a page program.
    pub program: Nanos,
    /// Array time of a block erase.
    pub erase: Nanos,
    /// Bus time of a whole page.
    pub transfer: Nanos,
    /// Time to find a page in the map in RAM.
    pub map_access: Nanos,
    /// Time to correct the errors of a page that was read.
    pub decode: Nanos,
}

impl Timing {
    /// The durations of a configured device.
    #[must_use]
    pub fn new(device: &DeviceConfig) -> Self {
        Timing {
            read: device.read.0,
            oob_read: device.oob_read.0,
            program: device.program.0,
            erase: device.erase.0,
            transfer: device.page_transfer().1,
            map_access: device.map_access.0,
            decode: device.ecc_decode.0,
        }
    }
}

/// The plane or the channel of a device that has one: serves one operation at a time.
#[derive(Clone, Copy, Debug, Default)]
struct Resource {
    free_at: Nanos,
    busy: Nanos,
    operations: u64,
}

impl Resource {
    #[inline(always)]
    fn hold(&mut self, start: Nanos, end: Nanos, operations: u64) {
        debug_assert!(start >= self.free_at && end >= start);
        self.free_at = end;
        self.busy += end - start;
        self.operations += operations;
    }
}

/// Where an operation takes place, and what it is for: asked for where several planes, or a log, need it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub plane: u32,
    pub block: u32,
    /// Number of the page in its block.
    pub page: u32,
    /// For the log alone.
    pub purpose: Purpose,
}

impl Spot {
    /// A page that was never written.
    pub const fn nowhere(plane: u32, purpose: Purpose) -> Self {
        Spot { plane, block: u32::MAX, page: 0, purpose }
    }
}

/// When a request was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Start of its first flash operation; its issue time if it needed none.
    pub start: Nanos,
    /// End of its last flash operation; its issue time if it needed none.
    pub end: Nanos,
}

/// Books flash operations on planes and channels.
#[derive(Clone, Debug)]
pub struct Timeline {
    timing: Timing,
    planes: u32,
    channels: u32,
    /// The one plane and its bus.
    plane: Resource,
    bus: Resource,
    /// Replaces them on a device of several planes or with other commands, and while a log is kept.
    commands: Option<Box<Commands>>,
    /// Whether an FTL asks when planes are free.
    is_asked: bool,
    /// Whether they place nothing.
    unwatched: bool,
    /// The memory with the map, where changes of that take time.
    map: Option<MapMemory>,
    requests: u64,
    chains: u32,
    issued: Nanos,
    /// When the host issued the last request, and how far the clock had come when it was set back.
    host: Nanos,
    host_before: Nanos,
    chain: Nanos,
    start: Nanos,
    end: Nanos,
}

impl Timeline {
    /// An idle device as configured.
    #[must_use]
    pub fn of(device: &DeviceConfig, geometry: &Geometry) -> Self {
        let mut timeline = Timeline {
            timing: Timing::new(device),
            planes: geometry.planes(),
            channels: geometry.channels,
            plane: Resource::default(),
            bus: Resource::default(),
            commands: None,
            is_asked: false,
            unwatched: false,
            map: (device.map_update.0 > 0)
                .then_some(MapMemory::Ram { update: device.map_update.0 }),
            requests: 0,
            chains: 0,
            issued: 0,
            host: 0,
            host_before: 0,
            chain: 0,
            start: Nanos::MAX,
            end: 0,
        };
        if geometry.planes() > 1 || device.has_commands() {
            timeline.use_commands(device, geometry, Log::default());
        }
        timeline
    }

    /// From now on an FTL may ask [when a plane is free](Self::free_at).
    pub(crate) const fn expect_questions(&mut self) {
        self.is_asked = true;
    }

    /// Whether nobody will look at times: then a device that places its operations in calendars leaves that out,
    /// which takes most of the time.
    pub(crate) const fn leave_unwatched(&mut self, unwatched: bool) {
        self.unwatched = unwatched && !self.is_asked;
    }

    /// Resets to an idle device at time 0 and logs what is placed from then on.
    pub fn start_log(&mut self, device: &DeviceConfig, geometry: &Geometry, log: Log) {
        self.use_commands(device, geometry, log);
        self.reset();
    }

    fn use_commands(&mut self, device: &DeviceConfig, geometry: &Geometry, log: Log) {
        self.commands = Some(Box::new(Commands::new(device, geometry, &self.timing, log)));
    }

    /// The logged operations.
    #[must_use]
    pub fn log(&self) -> &[Booking] {
        self.commands.as_ref().map_or(&[], |commands| commands.log.bookings())
    }

    /// When the host issued the request that is being served. It does not fall where the clock is set back.
    #[must_use]
    pub const fn host_time(&self) -> Nanos {
        self.host_before + self.host
    }

    /// Starts a request; its chains cannot begin before `time`.
    #[inline]
    pub fn issue(&mut self, time: Nanos) {
        self.requests += 1;
        self.chains = 0;
        if let Some(commands) = &mut self.commands {
            commands.issue(time);
        }
        if let Some(map) = &mut self.map {
            map.forget_before(time);
        }
        self.issued = time;
        self.host = time;
        self.chain = time;
        self.start = Nanos::MAX;
        self.end = time;
    }

    /// Starts the chain of the next page of the request.
    #[inline]
    pub fn begin_chain(&mut self) {
        self.chains += 1;
        self.chain = self.issued + self.timing.map_access;
    }

    /// Starts a chain that begins at `time` or later.
    pub(crate) fn begin_chain_at(&mut self, time: Nanos) {
        self.begin_chain();
        self.chain = self.chain.max(time);
    }

    /// When all that the chain has done so far is over, but for the correction of the page that was read last.
    pub(crate) const fn flash_end(&self, is_read: bool) -> Nanos {
        if is_read { self.chain.saturating_sub(self.timing.decode) } else { self.chain }
    }

    /// From now on the map is on a chip of its own, where a lookup and a change take so long, unless that is
    /// no time.
    pub(crate) fn use_map_chip(&mut self, read: Nanos, write: Nanos) {
        if read + write > 0 {
            self.map = Some(MapMemory::chip(read, write));
        }
    }

    /// Notes that the chain has to find a page in the map.
    #[inline]
    pub(crate) fn find_in_map(&mut self) {
        if let Some(map) = &mut self.map {
            let time = map.found(self.chain);
            self.pause_until(time);
        }
    }

    /// Notes that the chain changes the map.
    #[inline]
    pub(crate) fn change_map(&mut self) {
        if let Some(map) = &mut self.map {
            let time = map.changed(self.chain);
            self.pause_until(time);
        }
    }

    /// The chain goes on after so long.
    pub(crate) fn pause(&mut self, time: Nanos) {
        self.pause_until(self.chain + time);
    }

    fn pause_until(&mut self, time: Nanos) {
        self.chain = time;
        self.end = self.end.max(time);
    }

    /// When the next operation of the chain may begin.
    #[must_use]
    pub(crate) const fn chain(&self) -> Nanos {
        self.chain
    }

    /// Starts another chain of the page access at `time`.
    pub(crate) const fn begin_chain_beside(&mut self, time: Nanos) {
        self.chains += 1;
        self.chain = time;
    }

    /// The chain goes on at `time`.
    pub(crate) const fn go_on_at(&mut self, time: Nanos) {
        self.chain = time;
    }

    /// Makes later chains of the request wait for what this one has done so far.
    #[inline]
    pub fn hold_later_chains(&mut self) {
        self.issued = self.issued.max(self.chain);
    }

    /// The chains from here to [`Timeline::end_first_chains`] are those that later ones of the request wait
    /// for. Returns when the chains before them end.
    pub fn begin_first_chains(&mut self) -> Nanos {
        std::mem::replace(&mut self.end, self.issued)
    }

    /// Makes later chains of the request wait for all since [`Timeline::begin_first_chains`], which returned
    /// `end`.
    pub fn end_first_chains(&mut self, end: Nanos) {
        self.issued = self.end;
        self.end = self.end.max(end);
    }

    /// When the request that was issued last starts and ends.
    #[inline]
    #[must_use]
    pub fn served(&self) -> Service {
        Service { start: self.start.min(self.end), end: self.end }
    }

    /// Has the request end no sooner than all that was placed so far.
    pub fn end_last(&mut self) {
        self.end = self.end.max(self.idle_at());
    }

    /// When a plane and its channel are done with what was placed so far; `None` unless an FTL has said that it asks.
    #[inline]
    #[must_use]
    pub fn free_at(&self, plane: u32) -> Option<Nanos> {
        self.is_asked.then(|| match &self.commands {
            Some(commands) => commands.free_at(plane),
            None => self.plane.free_at.max(self.bus.free_at),
        })
    }

    /// Loads what an operation on a block touches.
    #[inline]
    pub(crate) fn load_block_early(&self, pbn: Pbn) {
        if let Some(commands) = &self.commands {
            commands.load_block_early(pbn.0);
        }
    }

    /// When everything that was placed so far is done.
    #[must_use]
    pub fn idle_at(&self) -> Nanos {
        if let Some(commands) = &self.commands {
            return commands.idle_at();
        }
        self.plane.free_at.max(self.bus.free_at)
    }

    /// Drops all bookings and busy times: the device is idle at time 0.
    pub fn reset(&mut self) {
        (self.plane, self.bus) = Default::default();
        self.unwatched = false;
        if let Some(map) = &mut self.map {
            map.reset();
        }
        if let Some(commands) = &mut self.commands {
            commands.reset();
        }
        self.host_before += self.host;
        self.issue(0);
        self.requests = 0;
    }

    /// Busy time of each plane, ns.
    pub fn plane_busy(&self) -> impl Iterator<Item = Nanos> {
        let held = |plane| self.commands.as_ref().map(|commands| commands.busy(plane));
        (0..self.planes).map(move |plane| held(plane).unwrap_or(self.plane.busy))
    }

    /// Flash operations of each plane.
    pub fn plane_operations(&self) -> impl Iterator<Item = u64> {
        let placed = |plane| self.commands.as_ref().map(|commands| commands.operations(plane));
        (0..self.planes).map(move |plane| placed(plane).unwrap_or(self.plane.operations))
    }

    /// Busy time of each channel, ns.
    pub fn channel_busy(&self) -> impl Iterator<Item = Nanos> {
        let held = |channel| self.commands.as_ref().map(|commands| commands.bus_busy(channel));
        (0..self.channels).map(move |channel| held(channel).unwrap_or(self.bus.busy))
    }

    /// How long the array reads a page, and how long it programs one, where all pages are alike.
    #[inline(always)]
    pub(crate) const fn page_times(&self) -> (Nanos, Nanos) {
        (self.timing.read, self.timing.program)
    }

    /// Reads a page, which takes the array so long.
    #[inline(always)]
    pub(crate) fn read(&mut self, time: Nanos, spot: impl FnOnce() -> Spot) {
        match self.commands {
            Some(_) => self.place(Kind::Read, time, spot(), NO_PAGE),
            None => self.read_here(time),
        }
        self.correct();
    }

    /// Corrects the errors of the page that was read: what comes next in its chain waits for that.
    #[inline(always)]
    fn correct(&mut self) {
        if self.timing.decode > 0 {
            unless_bug!(EccTakesNoTime, self.pause(self.timing.decode));
        }
    }

    /// Reads `count` OOBs, one after another, from that of a page on.
    #[inline]
    pub(crate) fn read_oob(&mut self, count: u32, spot: impl FnOnce() -> Spot) {
        if self.commands.is_some() {
            let spot = spot();
            let pages = spot.page..spot.page + count;
            return pages.for_each(|page| {
                self.place(Kind::ReadOob, self.timing.oob_read, Spot { page, ..spot }, NO_PAGE);
            });
        }
        let time = self.timing.oob_read * Nanos::from(count);
        self.occupy(self.ready(), time, u64::from(count));
    }

    #[cold]
    #[inline(never)]
    fn place(&mut self, kind: Kind, time: Nanos, spot: Spot, source: Page) {
        if self.unwatched {
            return;
        }
        let Some(commands) = &mut self.commands else { return };
        let (request, issued, chain) = (self.requests, self.issued, self.chains);
        let Spot { plane, block, page, purpose } = spot;
        let page = (block, page);
        let (ready, after) = (self.chain, 0);
        let order = Order {
            kind,
            plane,
            page,
            source,
            purpose,
            request,
            chain,
            issued,
            ready,
            after,
            time,
        };
        let placed = commands.place(order);
        self.chain = placed.end;
        self.start = self.start.min(placed.start);
        self.end = self.end.max(placed.end);
    }

    /// When the one plane can begin the next operation of the chain.
    #[inline(always)]
    fn ready(&self) -> Nanos {
        self.chain.max(self.plane.free_at)
    }

    #[inline(always)]
    fn read_here(&mut self, time: Nanos) {
        let transfer = self.timing.transfer;
        let start = self.ready();
        let mut end = start + time;
        if transfer > 0 {
            let begin = end.max(self.bus.free_at);
            end = begin + transfer;
            self.bus.hold(begin, end, 1);
        }
        self.occupy(start, end - start, 1);
    }

    /// Programs a page, which takes the array so long.
    #[inline(always)]
    pub(crate) fn program(&mut self, time: Nanos, spot: impl FnOnce() -> Spot) {
        if self.commands.is_some() {
            return self.place(Kind::Program, time, spot(), NO_PAGE);
        }
        self.program_here(time);
    }

    #[inline(always)]
    fn program_here(&mut self, time: Nanos) {
        let transfer = self.timing.transfer;
        let mut start = self.ready();
        if transfer > 0 {
            start = start.max(self.bus.free_at);
            self.bus.hold(start, start + transfer, 1);
        }
        let held = unless_bug!(TimeProgramUntransferred, transfer + time, time);
        self.occupy(start, held, 1);
    }

    /// Whether the time of an operation depends neither on its page nor on its plane.
    #[inline]
    pub(crate) const fn books_alike(&self) -> bool {
        self.commands.is_none() && self.map.is_none()
    }

    /// Copies `count` pages, one after another, on a device that [`books_alike`](Self::books_alike).
    #[inline(always)]
    pub(crate) fn copies(&mut self, count: u32) {
        self.copy_here(self.page_times(), count);
    }

    #[inline(always)]
    fn copy_here(&mut self, (read, program): (Nanos, Nanos), count: u32) {
        let Timing { transfer, decode, .. } = self.timing;
        if transfer == 0 && decode == 0 {
            // No other operation comes in between, so all are booked at once.
            let time = (read + program) * Nanos::from(count);
            return self.occupy(self.ready(), time, 2 * u64::from(count));
        }
        for _ in 0..count {
            self.read_here(read);
            self.correct();
            self.program_here(program);
        }
    }

    /// A read and then a program, through the controller; they take the array so long.
    #[inline(always)]
    pub(crate) fn copy(
        &mut self,
        (read, program): (Nanos, Nanos),
        from: impl FnOnce() -> Spot,
        to: impl FnOnce() -> Spot,
    ) {
        if self.commands.is_none() {
            return self.copy_here((read, program), 1);
        }
        self.read(read, from);
        self.program(program, to);
    }

    /// Copies a page of a block inside its plane; reading and programming it take the array so long.
    #[inline]
    pub(crate) fn copy_back(
        &mut self,
        (read, program): (Nanos, Nanos),
        source: Page,
        spot: impl FnOnce() -> Spot,
    ) {
        if self.commands.is_some() {
            return self.place(Kind::CopyBack, read + program, spot(), source);
        }
        self.occupy(self.ready(), read + program, 1);
    }

    #[inline]
    pub(crate) fn erase(&mut self, spot: impl FnOnce() -> Spot) {
        if self.commands.is_some() {
            return self.place(Kind::Erase, self.timing.erase, spot(), NO_PAGE);
        }
        let erase = unless_bug!(TimeEraseAsProgram, self.timing.erase, self.timing.program);
        self.occupy(self.ready(), erase, 1);
    }

    #[inline(always)]
    fn occupy(&mut self, start: Nanos, time: Nanos, operations: u64) {
        let end = start + time;
        self.plane.hold(start, end, operations);
        self.chain = end;
        self.start = self.start.min(start);
        self.end = self.end.max(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::MultiPlaneJoins;
    use crate::purpose::Cause;
    use crate::units::{Bytes, Duration};

    /// DLOOP's device: planes 0 and 1 on channel 0, planes 2 and 3 on channel 1; 4 KB pages.
    fn dloop() -> Timeline {
        let device = DeviceConfig {
            channels: 2,
            planes_per_die: 2,
            transfer_per_byte: Duration(25),
            erase: Duration(2_000_000),
            ..DeviceConfig::default()
        };
        timeline(&device)
    }

    fn timeline(device: &DeviceConfig) -> Timeline {
        Timeline::of(device, &Geometry::new(device, 64 << 20).expect("valid"))
    }

    #[test]
    fn the_time_of_the_host_goes_on_where_the_clock_is_set_back() {
        let mut timeline = dloop();
        timeline.issue(50);
        timeline.hold_later_chains();
        timeline.reset();
        assert_eq!(timeline.host_time(), 50);
        timeline.issue(10);
        assert_eq!(timeline.host_time(), 60);
    }

    fn spot(plane: u32) -> Spot {
        Spot::nowhere(plane, Purpose { cause: Cause::Host, owner: None })
    }

    fn write(timeline: &mut Timeline, planes: &[u32]) -> Nanos {
        timeline.issue(0);
        for &plane in planes {
            timeline.begin_chain();
            timeline.program(timeline.page_times().1, || spot(plane));
        }
        timeline.served().end
    }

    /// By the times of DLOOP's Table I (choices.md#transfer-time).
    #[test]
    fn four_pages_over_four_planes_take_404_8_us() {
        assert_eq!(write(&mut dloop(), &[0, 1, 2, 3]), 404_800);
    }

    /// The same pages, one after another.
    #[test]
    fn four_pages_on_one_plane_take_1209_6_us() {
        assert_eq!(write(&mut dloop(), &[0, 0, 0, 0]), 1_209_600);
    }

    /// A copy-back for GC on plane 2 delays only plane 2 (DLOOP III.A).
    #[test]
    fn a_copy_back_delays_only_its_plane() {
        let mut timeline = dloop();
        timeline.issue(0);
        timeline.copy_back(timeline.page_times(), NO_PAGE, || spot(2));
        assert_eq!(timeline.served().end, 225_000);
        assert_eq!(write(&mut timeline, &[0, 1, 3]), 404_800);
        assert_eq!(write(&mut timeline, &[2]), 225_000 + 302_400);
    }

    /// DLOOP II.B: a command on the planes of a die takes the time of one operation. Here for GC of two planes,
    /// and not where the pages of a copy-back differ, which no command can have.
    #[test]
    fn a_die_erases_and_copies_back_on_two_planes_together() {
        let device = |multi_plane_joins| DeviceConfig {
            planes_per_die: 2,
            erase: Duration(2_000_000),
            multi_plane: true,
            multi_plane_joins,
            ..DeviceConfig::default()
        };
        let end = |joins, pages: [u32; 2], what: &dyn Fn(&mut Timeline, u32, Spot)| {
            let device = device(joins);
            let geometry = Geometry::new(&device, 64 << 20).expect("valid");
            let mut timeline = Timeline::of(&device, &geometry);
            timeline.issue(0);
            for (plane, page) in pages.into_iter().enumerate() {
                timeline.begin_chain();
                let block = plane as u32 * geometry.blocks_per_plane;
                what(&mut timeline, block + 1, Spot { block, page, ..spot(plane as u32) });
            }
            timeline.served().end
        };
        let erase = |timeline: &mut Timeline, _, spot| timeline.erase(|| spot);
        let copy = |timeline: &mut Timeline, from, spot: Spot| {
            timeline.copy_back(timeline.page_times(), (from, spot.page), || spot);
        };
        let (request, waiting) = (MultiPlaneJoins::Request, MultiPlaneJoins::Waiting);
        assert_eq!(end(waiting, [0, 0], &erase), 2_000_000);
        assert_eq!(end(request, [0, 0], &copy), 2 * 225_000);
        assert_eq!(end(waiting, [0, 0], &copy), 225_000);
        assert_eq!(end(waiting, [0, 2], &copy), 2 * 225_000);
    }

    /// What comes next waits until the errors of a page are corrected; its plane does not.
    #[test]
    fn a_page_is_there_when_its_errors_are_corrected() {
        for planes_per_die in [1, 2] {
            let device = DeviceConfig {
                planes_per_die,
                ecc_decode: Duration(7_000),
                ..DeviceConfig::default()
            };
            let mut timeline = timeline(&device);
            let Timing { read, program, transfer, .. } = Timing::new(&device);
            let there = read + transfer;
            timeline.issue(0);
            timeline.read(timeline.page_times().0, || spot(0));
            assert_eq!(timeline.served().end, there + 7_000);
            timeline.issue(0);
            timeline.read(timeline.page_times().0, || spot(0));
            assert_eq!(timeline.served().end, 2 * there + 7_000, "the plane does not wait");
            timeline.issue(1_000_000);
            timeline.copy(timeline.page_times(), || spot(0), || spot(0));
            let copied = 1_000_000 + there + 7_000 + transfer + program;
            assert_eq!(timeline.served().end, copied, "what is copied is corrected before");
        }
    }

    /// A command that has begun takes along nothing more.
    #[test]
    fn what_waits_joins_a_command_that_waits_too() {
        let device = DeviceConfig {
            planes_per_die: 2,
            erase: Duration(2_000_000),
            multi_plane: true,
            multi_plane_joins: MultiPlaneJoins::Waiting,
            ..DeviceConfig::default()
        };
        let mut timeline = timeline(&device);
        let erase = |timeline: &mut Timeline, time, plane| {
            timeline.issue(time);
            timeline.erase(|| spot(plane));
            timeline.served()
        };
        assert_eq!(erase(&mut timeline, 0, 0), Service { start: 0, end: 2_000_000 });
        let second = Service { start: 2_000_000, end: 4_000_000 };
        assert_eq!(erase(&mut timeline, 1, 0), second, "the first has begun");
        assert_eq!(erase(&mut timeline, 1_500_000, 1), second, "the second has not");
        assert_eq!(
            erase(&mut timeline, 2_000_001, 1),
            Service { start: 4_000_000, end: 6_000_000 }
        );
    }

    /// 5 us of MNFTL 5.1 before each page of a request, for which the plane does not wait.
    #[test]
    fn a_chain_begins_when_its_page_is_found_in_the_map() {
        for planes in [1, 2] {
            let device = DeviceConfig {
                planes_per_die: planes,
                map_access: Duration(5_000),
                ..DeviceConfig::default()
            };
            let mut timeline = timeline(&device);
            timeline.issue(0);
            for _ in 0..2 {
                timeline.begin_chain();
                timeline.read(timeline.page_times().0, || spot(0));
            }
            assert_eq!(timeline.served(), Service { start: 5_000, end: 55_000 }, "{planes}");
        }
    }

    /// Two pages of a request: the second is programmed meanwhile, and its update is what the host waits for.
    #[test]
    fn an_update_of_the_map_takes_time_behind_its_program() {
        for planes in [1, 2] {
            let device = DeviceConfig {
                planes_per_die: planes,
                map_update: Duration(5_000),
                ..DeviceConfig::default()
            };
            let mut timeline = timeline(&device);
            timeline.issue(0);
            for _ in 0..2 {
                timeline.begin_chain();
                timeline.program(timeline.page_times().1, || spot(0));
                timeline.change_map();
            }
            assert_eq!(timeline.served(), Service { start: 0, end: 405_000 }, "{planes}");
            timeline.read(timeline.page_times().0, || spot(0));
            assert_eq!(timeline.served().end, 430_000, "what follows in the access waits for it");
        }
    }

    #[test]
    fn a_copy_is_a_read_and_then_a_program() {
        for planes in [1, 2] {
            for transfer in [0, 25] {
                let device = DeviceConfig {
                    planes_per_die: planes,
                    transfer_per_byte: Duration(transfer),
                    ..DeviceConfig::default()
                };
                let (mut timeline, to) = (timeline(&device), spot(planes - 1));
                let mut apart = timeline.clone();
                timeline.copy(timeline.page_times(), || spot(0), || to);
                apart.read(apart.page_times().0, || spot(0));
                apart.program(apart.page_times().1, || to);
                assert_eq!(timeline.served(), apart.served());
                assert!(timeline.plane_busy().eq(apart.plane_busy()));
                assert!(timeline.plane_operations().eq(apart.plane_operations()));
            }
        }
    }

    #[test]
    fn a_read_waits_for_its_plane_then_for_its_channel() {
        let mut timeline = dloop();
        timeline.issue(0);
        timeline.read(timeline.page_times().0, || spot(0));
        assert_eq!(timeline.served(), Service { start: 0, end: 127_400 });
        timeline.issue(1_000);
        timeline.read(timeline.page_times().0, || spot(1));
        assert_eq!(timeline.served(), Service { start: 1_000, end: 127_400 + 102_400 });
        timeline.issue(2_000);
        timeline.read(timeline.page_times().0, || spot(2));
        assert_eq!(timeline.served(), Service { start: 2_000, end: 129_400 });
    }

    /// The bound of the slowest resource: throughput = 1 / max(t_X, (t_A + t_X) / W), for reads and
    /// programs alike.
    #[test]
    fn interleaved_planes_reach_the_resource_bound() {
        for planes in [1_u32, 2, 3, 4, 8] {
            for (array, per_byte) in [(25, 1), (25, 4), (200, 2), (700, 1)] {
                let device = DeviceConfig {
                    planes_per_die: planes,
                    page: Bytes(512),
                    read: Duration(20 * array),
                    program: Duration(20 * array),
                    transfer_per_byte: Duration(per_byte),
                    ..DeviceConfig::default()
                };
                let (array, transfer) = (20 * array, 512 * per_byte);
                let bound =
                    f64::max(transfer as f64, (array + transfer) as f64 / f64::from(planes));
                for read in [true, false] {
                    let mut timeline = timeline(&device);
                    let operations = 4000;
                    for k in 0..operations {
                        timeline.begin_chain();
                        match read {
                            true => timeline.read(timeline.page_times().0, || spot(k % planes)),
                            false => timeline.program(timeline.page_times().1, || spot(k % planes)),
                        }
                    }
                    let per_operation = timeline.idle_at() as f64 / f64::from(operations);
                    let error = per_operation / bound - 1.0;
                    assert!(error.abs() < 0.002, "{planes} planes {array}+{transfer}: {error}");
                }
            }
        }
    }
}
