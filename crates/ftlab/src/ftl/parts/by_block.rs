//! Requests, split where logical blocks end.

use crate::flash::Geometry;
use crate::units::{Lbn, Lpn};

/// The pages of the first logical block among ascending ones, and the pages that follow.
#[must_use]
pub fn first_group<'a>(
    pages: &'a [Lpn],
    geometry: &Geometry,
) -> Option<(Lbn, &'a [Lpn], &'a [Lpn])> {
    let lbn = geometry.logical_block_of(*pages.first()?);
    let next_block = geometry.first_logical_page(Lbn(lbn.0 + 1));
    let (group, rest) = pages.split_at(pages.partition_point(|lpn| *lpn < next_block));
    Some((lbn, group, rest))
}
