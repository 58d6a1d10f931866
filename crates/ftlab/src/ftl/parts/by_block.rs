//! Splits requests at the ends of logical blocks.

use crate::flash::Geometry;
use crate::units::{Lbn, Lpn};

/// Splits ascending pages into those of the first logical block and the rest.
#[must_use]
pub fn first_group<'a>(
    pages: &'a [Lpn],
    geometry: &Geometry,
) -> Option<(Lbn, &'a [Lpn], &'a [Lpn])> {
    let lbn = geometry.logical_block_of(*pages.first()?);
    let next = Lbn(lbn.0 + unless_bug!(ByBlockGroupTooLong, 1, 2));
    let next_block = geometry.first_logical_page(next);
    let (group, rest) = pages.split_at(pages.partition_point(|lpn| *lpn < next_block));
    Some((lbn, group, rest))
}
