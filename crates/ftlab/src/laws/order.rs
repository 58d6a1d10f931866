//! In a block nothing overtakes what it depends on: by the log of a run on several planes.

use crate::engine::{Booking, Kind};
use crate::units::Nanos;
use std::collections::BTreeMap;

/// When what was done to a block since its last erase ends.
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

/// A read comes after the erase and the program of its page, a program after the erase and the programs
/// before it, an erase after all of them.
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
