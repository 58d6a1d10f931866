//! A page map whose pieces lie in the OOBs of data pages, as MLC permits. The OOB of a page is
//! programmed once, with the page. It holds the newest version of the piece that covers the page.
//!
//! ```text
//! group     0 .. G-1 | G .. 2G-1 | ...         logical pages that share blocks with no others
//! piece     0 1 .. K-1 | 0 1 .. K-1 | ...      R consecutive pages of a group each, K = ceil(G / R)
//! holder    of a piece: the page whose OOB holds its newest version
//! ```
//!
//! A write of a page rewrites its piece, so a superseded page holds no newest piece. A trim writes
//! nothing. A trimmed page may still hold the newest piece of its neighbours, which
//! [`OobMap::rescue`] saves before the block is erased.
//!
//! The simulator keeps the map and the holders in RAM; `ram` counts what a device would keep.

use super::page_map::PageMap;
use crate::device::geometry::Divisor;
use crate::flash::{Cause, Content, Device, Flash, Owner};
use crate::placement::survey::Page;
use crate::units::{Lpn, Mapping, Pbn, Ppn};
use std::ops::Range;

/// Bytes of a number below `count`: MNFTL 5 has 3 for pages and 2 for blocks (choices.md#ram-payload).
#[must_use]
pub const fn bytes_of_number(count: u32) -> u32 {
    bits_of_number(count).div_ceil(8)
}

/// Bits of a number below `count`.
#[must_use]
pub const fn bits_of_number(count: u32) -> u32 {
    32 - count.saturating_sub(1).leading_zeros()
}

/// A page map in pieces.
#[derive(Clone, Debug)]
pub struct OobMap {
    newest: PageMap,
    /// Holder of each piece of each group.
    holders: Vec<Mapping>,
    group: u32,
    rows: u32,
    pieces: u32,
    by_group: Divisor,
    /// `None` when a piece covers one page.
    by_rows: Option<Divisor>,
    oob_bytes: u32,
    /// Whether each OOB also has the holders of all pieces of its group.
    has_directory: bool,
}

impl OobMap {
    /// An empty map, in groups of `group` logical pages and pieces of `rows` mappings. Each OOB
    /// holds `oob_bytes`.
    #[must_use]
    pub fn new(logical_pages: u32, group: u32, rows: u32, oob_bytes: u32) -> Self {
        let pieces = group.div_ceil(rows);
        let holders = logical_pages.div_ceil(group) * pieces;
        OobMap {
            newest: PageMap::new(logical_pages),
            holders: vec![Mapping::default(); holders as usize],
            group,
            rows,
            pieces,
            by_group: Divisor::new(group),
            by_rows: (rows > 1).then(|| Divisor::new(rows)),
            oob_bytes,
            has_directory: false,
        }
    }

    /// The same, with the holders of all pieces of a group in each of its OOBs.
    #[must_use]
    pub fn with_directories(self) -> Self {
        OobMap { has_directory: true, ..self }
    }

    /// The group of a page.
    #[inline]
    #[must_use]
    pub const fn group_of(&self, lpn: Lpn) -> u32 {
        self.by_group.quotient(lpn.0)
    }

    /// Where the newest version of a page is.
    #[inline]
    #[must_use]
    pub fn newest(&self, lpn: Lpn) -> Option<Ppn> {
        self.newest.get(lpn)
    }

    /// The piece that covers a page, counted over all groups.
    #[inline]
    #[must_use]
    pub fn piece_of(&self, lpn: Lpn) -> u32 {
        let group = self.group_of(lpn);
        let page = lpn.0 - group * self.group;
        group * self.pieces + self.by_rows.map_or(page, |rows| rows.quotient(page))
    }

    /// The pieces of a group.
    #[inline]
    #[must_use]
    pub const fn pieces_of(&self, group: u32) -> Range<u32> {
        group * self.pieces..(group + 1) * self.pieces
    }

    /// Pieces in a group.
    #[must_use]
    pub const fn pieces(&self) -> u32 {
        self.pieces
    }

    /// The page whose OOB holds the newest version of a piece; `None` when the piece was never
    /// written.
    #[inline]
    #[must_use]
    pub fn holder(&self, piece: u32) -> Option<Ppn> {
        self.holders[piece as usize].get()
    }

    /// Programs a page for the host, with its piece. Returns the block of the old version.
    #[inline]
    pub fn program(&mut self, lpn: Lpn, to: Ppn, flash: &mut Flash) -> Option<Pbn> {
        let content = || Some(self.content(lpn, to));
        flash.program_oob(to, Owner::Data(lpn), self.oob_bytes, Cause::Host, content);
        self.hold(lpn, to);
        let old = self.newest.replace(lpn, Some(to))?;
        Some(unless_bug!(OobOldStaysValid, flash.invalidate(old), flash.geometry().block_of(old)))
    }

    /// Moves a valid page, with its piece.
    pub fn relocate(&mut self, from: Ppn, to: Ppn, flash: &mut Flash) {
        let content = |owner| match owner {
            Owner::Data(lpn) => Some(self.content(lpn, to)),
            Owner::Translation(_) => None,
        };
        let owner = flash.relocate_oob(from, to, self.oob_bytes, Cause::GcData, content);
        if let Owner::Data(lpn) = owner {
            self.newest.replace(lpn, Some(to));
            self.hold(lpn, to);
        }
    }

    /// Unmaps a page that is trimmed; its row is dropped when its piece is next written. Returns the block
    /// of the old version.
    pub fn unmap(&mut self, lpn: Lpn, flash: &mut Flash) -> Option<Pbn> {
        self.newest.replace(lpn, None).map(|old| flash.invalidate(old))
    }

    /// A page whose move saves a piece that is in block `victim`, which is about to be erased. It
    /// is any page that the piece covers. A piece that covers no mapped page is dropped.
    pub fn rescue(&mut self, piece: u32, victim: Pbn, flash: &Flash) -> Option<Ppn> {
        let holder = self.holder(piece)?;
        if flash.geometry().block_of(holder) != victim {
            return None;
        }
        let page = self.any_page(piece);
        if page.is_none() {
            self.holders[piece as usize] = Mapping::default();
        }
        page
    }

    /// Any page that a piece covers.
    #[must_use]
    pub fn any_page(&self, piece: u32) -> Option<Ppn> {
        self.covered(piece).find_map(|lpn| self.newest.get(lpn))
    }

    #[inline]
    fn hold(&mut self, lpn: Lpn, ppn: Ppn) {
        let piece = self.piece_of(lpn);
        self.holders[piece as usize] = Some(ppn).into();
    }

    fn covered(&self, piece: u32) -> impl Iterator<Item = Lpn> + use<> {
        let (group, part) = (piece / self.pieces, piece % self.pieces);
        let first = group * self.group + part * self.rows;
        let end = (first + self.rows).min((group + 1) * self.group);
        (first..end.min(self.newest.len() as u32)).map(Lpn)
    }

    /// The content of the OOB of a page that is programmed to `to`: its piece and, where groups
    /// have one, the directory.
    fn content(&self, lpn: Lpn, to: Ppn) -> Content {
        let piece = self.piece_of(lpn);
        let place = |page| if page == lpn { Some(to) } else { self.newest(page) };
        let rows = self.covered(piece).map(|page| place(page).into());
        let directory = self
            .directory(self.group_of(lpn))
            .map(|(part, holder)| if part == piece { Some(to).into() } else { holder });
        rows.chain(directory).collect()
    }

    /// The holders of the pieces of a group, where its OOBs have them.
    fn directory(&self, group: u32) -> impl Iterator<Item = (u32, Mapping)> {
        let pieces = self.pieces_of(group).filter(|_| self.has_directory);
        pieces.map(|piece| (piece, self.holders[piece as usize]))
    }

    /// Takes over the pages found after power was lost, and finds which of them hold their pieces
    /// in the present form. A piece is [lost](Self::lost_piece) if a page in it is missing, was
    /// trimmed since, or was moved by a copy that the cut has undone.
    pub fn recover(&mut self, found: &[Page], flash: &mut Flash) {
        self.newest.fill(found);
        for page in found {
            flash.revive(page.ppn);
            let is_present =
                unless_bug!(OobTrustsPieces, self.has_rows(page.ppn, page.lpn(), flash), true);
            if is_present {
                self.hold(page.lpn(), page.ppn);
            }
        }
    }

    /// Whether the OOB of a page has its piece in the present form.
    fn has_rows(&self, ppn: Ppn, lpn: Lpn, flash: &Flash) -> bool {
        let rows: Vec<Mapping> =
            self.covered(self.piece_of(lpn)).map(|page| self.newest(page).into()).collect();
        flash.oob_content(ppn).is_some_and(|content| content.starts_with(&rows))
    }

    /// Whether the OOB of a page has the directory of its group in the present form.
    #[must_use]
    pub fn has_directory(&self, ppn: Ppn, lpn: Lpn, flash: &Flash) -> bool {
        let directory: Vec<Mapping> =
            self.directory(self.group_of(lpn)).map(|(_, holder)| holder).collect();
        flash.oob_content(ppn).is_some_and(|content| content.ends_with(&directory))
    }

    /// Pieces of all groups.
    #[must_use]
    pub fn all_pieces(&self) -> Range<u32> {
        0..self.holders.len() as u32
    }

    /// Any page of a piece that no OOB has in its present form. Moving the page writes the piece.
    #[must_use]
    pub fn lost_piece(&self, piece: u32) -> Option<Ppn> {
        self.any_page(piece).filter(|_| self.holder(piece).is_none())
    }

    /// The group of a piece.
    #[must_use]
    pub const fn group_of_piece(&self, piece: u32) -> u32 {
        piece / self.pieces
    }

    /// Recomputes all places from the flash. Each newest page is in a block of its group. A page of
    /// the group holds the piece of each.
    ///
    /// # Panics
    /// When something is elsewhere.
    pub fn audit(&self, group_of: impl Fn(Pbn) -> Option<u32>, device: &Device) {
        device.audit();
        let geometry = device.geometry();
        device.audit_map(0..geometry.logical_pages, |lpn| self.newest(lpn));
        for lpn in (0..geometry.logical_pages).map(Lpn) {
            let Some(ppn) = self.newest(lpn) else { continue };
            let group = self.group_of(lpn);
            let home = group_of(geometry.block_of(ppn));
            assert!(home.is_none_or(|home| home == group), "{lpn} is in a block of {home:?}");
            let piece = self.piece_of(lpn);
            let holder =
                self.holder(piece).unwrap_or_else(|| panic!("nothing holds {lpn}'s piece"));
            match device.audit_owner(holder) {
                Some(Owner::Data(other)) => {
                    assert_eq!(self.piece_of(other), piece, "page {holder} holds {lpn}'s piece");
                }
                found => panic!("page {holder} holds {lpn}'s piece, found {found:?}"),
            }
            if let Some(rows) = device.audit_oob(holder) {
                let row = self.covered(piece).position(|page| page == lpn).expect("it covers it");
                assert_eq!(rows[row].get(), Some(ppn), "{lpn} in the OOB of page {holder}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MNFTL 5: "one physical page (block) number takes about 3 bytes (2 bytes)" in 8 GB.
    #[test]
    fn numbers_have_the_bytes_that_they_need() {
        assert_eq!((bytes_of_number(4 << 20), bytes_of_number(32_768)), (3, 2));
        assert_eq!((bytes_of_number(256), bytes_of_number(257)), (1, 2));
        assert_eq!((bits_of_number(768), bits_of_number(2), bits_of_number(1)), (10, 1, 0));
    }

    #[test]
    fn pieces_do_not_cross_groups() {
        let map = OobMap::new(20, 10, 4, 0);
        assert_eq!(map.pieces(), 3);
        let pieces: Vec<u32> = (0..20).map(|lpn| map.piece_of(Lpn(lpn))).collect();
        assert_eq!(pieces, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5]);
        for piece in 0..6 {
            assert!(map.covered(piece).all(|lpn| map.piece_of(lpn) == piece));
        }
        assert_eq!(map.pieces_of(1), 3..6);
    }
}
