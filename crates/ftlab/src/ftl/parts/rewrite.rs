//! Blocks that are rewritten in place.

use crate::flash::{Cause, Flash, Loaded, Owner};
use crate::units::{Lpn, Ppn};

/// Programs pages of an erased block in ascending order: those that the host writes and those that were
/// kept in RAM. The caller has begun the access to the first page of the host.
pub fn program_in_order(
    group: &[Lpn],
    kept: impl Iterator<Item = (Lpn, Loaded)>,
    slot: impl Fn(Lpn) -> Ppn,
    flash: &mut Flash,
) {
    let mut kept = kept.peekable();
    for (written, &lpn) in group.iter().enumerate() {
        while let Some((before, page)) = kept.next_if(|(other, _)| *other < lpn) {
            flash.store(slot(before), page, Cause::Merge);
        }
        if written > 0 {
            flash.begin_page();
        }
        flash.program(slot(lpn), Owner::Data(lpn), Cause::Host);
    }
    unless_bug!(
        RewriteEndStaysInRam,
        kept.for_each(|(lpn, page)| flash.store(slot(lpn), page, Cause::Merge))
    );
}
