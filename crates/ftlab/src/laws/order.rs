//! The order of operations, by the log of a run on several planes. In a block no operation
//! overtakes one on which it depends, and planes that share command logic take turns.

use crate::device::{DeviceConfig, Geometry};
use crate::engine::{Booking, Kind};
use crate::units::Nanos;
use std::collections::{BTreeMap, BTreeSet};

/// When the operations on a block since its last erase end.
#[derive(Default)]
struct Block {
    /// The erase.
    erased: Nanos,
    /// The program of each page.
    programs: BTreeMap<u32, Nanos>,
    /// The last program, or the erase.
    changed: Nanos,
    /// The last read.
    read: Nanos,
}

/// A read follows the erase and the program of its page. A program follows the erase and the
/// programs before it. An erase follows all of them.
pub fn nothing_overtakes_what_it_depends_on(log: &[Booking]) {
    let mut blocks: BTreeMap<u32, Block> = BTreeMap::new();
    for booking in log {
        let (start, end) = booking.array;
        if let Some(source) = booking.source {
            let block = blocks.entry(source).or_default();
            assert!(block.changed <= start, "a copy-back before the programs of its source");
            block.read = block.read.max(end);
        }
        let Some(number) = booking.block else { continue };
        let block = blocks.entry(number).or_default();
        match booking.kind {
            Kind::Read | Kind::ReadOob => {
                let programmed = block.programs.get(&booking.page).copied();
                let after = programmed.unwrap_or(block.erased);
                assert!(after <= start, "a read of block {number} before the program of its page");
                block.read = block.read.max(end);
            }
            Kind::Program | Kind::CopyBack => {
                assert!(block.changed <= start, "programs of block {number} out of order");
                block.programs.insert(booking.page, end);
                block.changed = end;
            }
            Kind::Erase => {
                let used = block.changed.max(block.read);
                assert!(used <= start, "an erase of block {number} before it was last used");
                *block = Block { erased: end, changed: end, ..Block::default() };
            }
        }
    }
}

/// An operation begins when it is requested and the one before it in its chain has ended, or later.
pub fn nothing_begins_before_its_turn(log: &[Booking]) {
    let mut ends: BTreeMap<(u64, u32), Nanos> = BTreeMap::new();
    for booking in log {
        let end = ends.entry((booking.request, booking.chain)).or_default();
        let ready = booking.issued.max(*end);
        assert!(
            ready <= booking.start,
            "{:?} at {}, ready at {ready}",
            booking.kind,
            booking.start
        );
        *end = booking.end;
    }
}

/// Planes that share command logic have one command at a time, on one of them or on several of a die.
pub fn what_shares_commands_takes_turns(log: &[Booking], device: &DeviceConfig, shape: &Geometry) {
    let [_, _, dies, planes] = shape.shape();
    let sharing = match device.multi_plane {
        _ if device.package_chips > 1 => device.package_chips * dies * planes,
        true => planes,
        false => 1,
    };
    let mut arrays: BTreeMap<u32, Vec<&Booking>> = BTreeMap::new();
    for booking in log.iter().filter(|booking| booking.array.0 < booking.array.1) {
        arrays.entry(booking.plane / sharing).or_default().push(booking);
    }
    for bookings in arrays.values_mut() {
        bookings.sort_by_key(|booking| booking.array);
        for command in bookings.chunk_by(|a, b| a.array == b.array) {
            let first = command[0];
            let die = |booking: &Booking| booking.plane / planes;
            let alike = |booking: &&Booking| {
                (booking.kind, die(booking)) == (first.kind, die(first))
                    && (booking.kind == Kind::Erase || booking.page == first.page)
                    && booking.source_page == first.source_page
            };
            assert!(command.iter().all(alike), "{command:?} are no command");
            assert!(command.len() == 1 || device.multi_plane, "{command:?} at a time");
            let on: BTreeSet<u32> = command.iter().map(|booking| booking.plane).collect();
            assert_eq!(on.len(), command.len(), "{:?} twice on a plane", first.kind);
        }
        let overlap = bookings
            .windows(2)
            .find(|pair| pair[0].array != pair[1].array && pair[1].array.0 < pair[0].array.1);
        assert!(overlap.is_none(), "{overlap:?} at a time, and they share their commands");
    }
}
